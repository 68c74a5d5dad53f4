"""Charts (DrawingML charts and the extended charts of 2014): types, titles, series, the embedded workbook, and all the rest.

    chart_node(parent, part, package)      a `chart` node with `series[n]` children
    chart_parts(part)                      names of all parts that the node's facts cover
    read_chart(part)                       types, title and series as data, for predicates
    chart_stale(part, address)             caches that contradict the embedded workbook
    chart_spans(part, address)             titles, series names, categories, labels, texts of the embedded workbook

What a cache shows is a fact where it is what a reader sees: in docx and pptx always, in xlsx only where nothing in the
workbook stands behind it (`cache_is_state=False`). Axis ids, c:idx and c:order are ids; the order of series is state.
"""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from lxml import etree

from docops.core.codes import Aspect
from docops.core.node import Align, Node, Value
from docops.formats.ooxml.canonical import Canonicaliser, CanonicalRules
from docops.formats.ooxml.chart_data import (
    CX,
    NS_CX,
    PLOT_TYPES,
    R_ID,
    A,
    C,
    Chart,
    ChartData,
    ChartSeries,
    canonical_reference,
    chart_parts,
    chart_spans,
    chart_stale,
    integer,
    is_true,
    json_value,
    local_name,
    number_text,
    plot_type,
    plots_of,
    read_chart,
    rich_text,
    value_of,
)
from docops.formats.ooxml.common import part_fingerprint
from docops.formats.ooxml.defaults import default_rules
from docops.formats.ooxml.package import Package, Part
from docops.formats.ooxml.sheet_values import read_embedded

__all__ = [
    "SERIES_REFERENCES",
    "Chart",
    "ChartData",
    "ChartSeries",
    "canonical_reference",
    "chart_node",
    "chart_parts",
    "chart_spans",
    "chart_stale",
    "read_chart",
]

#: Facts of a `series` node of a workbook, aspect FORMULA, that hold references to cells.
SERIES_REFERENCES = ("name", "categories", "values", "sizes")

_AXES = {"catAx": "category axis", "valAx": "value axis", "dateAx": "date axis", "serAx": "series axis"}

#: What no reader sees: ids, the language of editing, proofing marks.
_VOLATILE_ELEMENTS = frozenset(
    {
        f"{C}lang",
        "{http://schemas.microsoft.com/office/drawing/2014/chart}uniqueId",
        "{http://schemas.microsoft.com/office/drawing/2014/main}creationId",
    }
)
_VOLATILE_ATTRIBUTES = frozenset(f"{A}{tag}@{name}" for tag in ("rPr", "endParaRPr", "defRPr") for name in ("lang", "altLang", "dirty", "err", "smtClean"))


#: In a chart, what these say is what it does without them: an automatic line is solid, gaps are shown as gaps (as Excel
#: reads it, whatever the schema says), and pages are set up as for any new chart.
_EMPTY = {
    f"{A}prstDash": 'val="solid"',
    f"{A}ln": "",
    f"{C}dispBlanksAs": 'val="gap"',
    f"{C}pageMargins": 'b="0.75" footer="0.3" header="0.3" l="0.7" r="0.7" t="0.75"',
    f"{C}printSettings": "",
    # Where only a format is stated, openpyxl adds a run without text.
    f"{A}t": "",
    f"{A}r": "",
}


@lru_cache(maxsize=1)
def _rules() -> CanonicalRules:
    rules = default_rules(_VOLATILE_ELEMENTS, _VOLATILE_ATTRIBUTES)
    return replace(rules, empty_elements={**rules.empty_elements, **_EMPTY})


def chart_node(
    parent: Node | str | None,
    part: Part,
    package: Package,
    *,
    number: int | None = None,
    name: str | None = None,
    cache_is_state: bool = True,
    facts: Mapping[tuple[Aspect, str], Value] | None = None,
    align: Align = Align.CONTENT,
    depends: tuple[str, ...] = (),
    series_name: Callable[[ChartSeries], str] = lambda series: series.name,
) -> Node:
    """A chart part as a `chart` node with its `series`.

    cache_is_state: cached names and values are facts even where they come from cells (docx, pptx).
    facts: further facts of the place, such as the anchor's geometry.
    series_name: what a series is called, where its name comes from cells.
    """
    canonical = Canonicaliser(package, _rules())
    node = Node(
        parent,
        "chart",
        number=number,
        name=name,
        facts=lambda: {**_chart_facts(part, canonical, cache_is_state, series_name), **(facts or {})},
        children=lambda: _series_nodes(node, part, canonical, cache_is_state),
        align=align,
        fingerprint=f"{part_fingerprint(package, part)} {sorted((str(key), str(value)) for key, value in (facts or {}).items())}",
        depends=depends,
    )
    return node


def _chart_facts(
    part: Part, canonical: Canonicaliser, cache_is_state: bool, series_name: Callable[[ChartSeries], str]
) -> dict[tuple[Aspect, str], Value]:
    root = part.xml
    if root.tag == f"{CX}chartSpace":
        from docops.formats.ooxml.chart_ex import extended_chart_facts

        return extended_chart_facts(part, canonical)
    out: dict[tuple[Aspect, str], Value] = {}
    plots = plots_of(root)
    axes = _axis_names(root, plots)
    for position, plot in enumerate(plots, start=1):
        prefix = "" if len(plots) == 1 else f"plot {position} "
        out |= {(aspect, prefix + name): value for (aspect, name), value in _plot_facts(plot, axes, part, canonical).items()}
    chart = root.find(f"{C}chart")
    title = chart.find(f"{C}title") if chart is not None else None
    if title is not None:
        out |= _title_facts(title, "title", part, canonical, cache_is_state)
        series = read_chart(part).series
        if len(series) == 1 and out.get((Aspect.TEXT, "title")) == series_name(series[0]):
            # The only series' name is the title of a chart without one; other programs write it out.
            del out[Aspect.TEXT, "title"]
    elif chart is not None and is_true(chart.find(f"{C}autoTitleDeleted")):
        out[Aspect.FORMAT, "automatic title"] = "deleted"
    plot_area = chart.find(f"{C}plotArea") if chart is not None else None
    for element in plot_area if plot_area is not None else ():
        axis = axes.get(value_of(element.find(f"{C}axId")) or "") if local_name(element) in _AXES else None
        if axis is not None:
            out |= _axis_facts(element, axis, axes, part, canonical, cache_is_state)
    legend = chart.find(f"{C}legend") if chart is not None else None
    if legend is not None:
        position_element = legend.find(f"{C}legendPos")
        out[Aspect.FORMAT, "legend"] = value_of(position_element) or "r"
        _add_raw(out, "legend format", legend, part, canonical, skip=[position_element])
    out |= workbook_facts(part, root.find(f"{C}externalData"), canonical)
    out |= _rest(root, chart, plot_area, part, canonical)
    return out


def _rest(root: etree._Element, chart: etree._Element | None, area: etree._Element | None, part: Part, canonical: Canonicaliser) -> dict[tuple[Aspect, str], Value]:
    """Everything that no other fact of the chart speaks of, one raw fact for each element."""
    out: dict[tuple[Aspect, str], Value] = {}
    modelled = {"chart", "externalData", "lang", "title", "autoTitleDeleted", "plotArea", "legend", *_AXES, *PLOT_TYPES}
    for holder in (root, chart, area):
        counts: dict[str, int] = {}
        for element in holder if holder is not None else ():
            local = local_name(element)
            if local in modelled or not isinstance(element.tag, str):
                continue
            counts[local] = counts.get(local, 0) + 1
            label = {"spPr": {"chartSpace": "area format", "plotArea": "plot area format"}.get(local_name(holder) if holder is not None else "", local)}.get(local, local)
            _add_raw(out, label if counts[local] == 1 else f"{label} {counts[local]}", element, part, canonical)
    for rel in part.relationships.values():
        # Implicit relationships: chart style, colours, theme override. Named ones are in the facts of what names them.
        if not rel.external and rel.type in {"chartStyle", "chartColorStyle", "themeOverride"}:
            out[Aspect.RAW, rel.type] = canonical.part(rel.target)
    return out


def _plot_facts(plot: etree._Element, axes: Mapping[str, str], part: Part, canonical: Canonicaliser) -> dict[tuple[Aspect, str], Value]:
    kind = plot_type(plot)
    out: dict[tuple[Aspect, str], Value] = {(Aspect.STRUCTURE, "type"): kind}
    if "3D" in local_name(plot):
        out[Aspect.STRUCTURE, "3d"] = True
    grouping = plot.find(f"{C}grouping")
    if grouping is not None or kind in {"column", "bar", "line", "area"}:
        out[Aspect.STRUCTURE, "grouping"] = value_of(grouping) or ("clustered" if kind in {"column", "bar"} else "standard")
    used = [axes.get(value_of(element) or "", "") for element in plot.findall(f"{C}axId")]
    if any(used):
        out[Aspect.STRUCTURE, "axes"] = ", ".join(filter(None, used))
    skip = {"barDir", "grouping", "axId", "ser"}
    counts: dict[str, int] = {}
    for element in plot:
        local = local_name(element)
        if local in skip or not isinstance(element.tag, str):
            continue
        counts[local] = counts.get(local, 0) + 1
        label = {"dLbls": "data labels", "gapWidth": "gap width"}.get(local, local)
        _add_raw(out, label if counts[local] == 1 else f"{label} {counts[local]}", element, part, canonical)
    return out


def _axis_names(root: etree._Element, plots: Sequence[etree._Element]) -> dict[str, str]:
    """Axis id → name: kind and number, in the order in which plots use them."""
    area = root.find(f"{C}chart/{C}plotArea")
    kinds: dict[str, str] = {}
    for element in area if area is not None else ():
        if isinstance(element.tag, str) and local_name(element) in _AXES:
            kinds[value_of(element.find(f"{C}axId")) or ""] = _AXES[local_name(element)]
    used = [value_of(element) or "" for plot in plots for element in plot.findall(f"{C}axId")]
    names: dict[str, str] = {}
    counts: dict[str, int] = {}
    for identifier in dict.fromkeys([*used, *kinds]):
        kind = kinds.get(identifier)
        if kind is not None:
            counts[kind] = counts.get(kind, 0) + 1
            names[identifier] = kind if counts[kind] == 1 else f"{kind} {counts[kind]}"
    return names


def _axis_facts(
    axis: etree._Element, name: str, axes: Mapping[str, str], part: Part, canonical: Canonicaliser, cache_is_state: bool
) -> dict[tuple[Aspect, str], Value]:
    out: dict[tuple[Aspect, str], Value] = {}
    skip = []
    for element in axis:
        local = local_name(element)
        if local == "title":
            out |= _title_facts(element, f"{name} title", part, canonical, cache_is_state)
        elif local == "crossAx":
            out[Aspect.STRUCTURE, f"{name} crosses"] = axes.get(value_of(element) or "", "missing")
        elif local == "delete":
            if is_true(element):
                out[Aspect.FORMAT, f"{name} deleted"] = True
        elif local == "numFmt":
            linked = (element.get("sourceLinked") or "0").lower() in {"1", "true"}
            out[Aspect.FORMAT, f"{name} number format"] = "as the source" if linked else element.get("formatCode") or ""
        elif local == "scaling":
            parts = {local_name(child): value_of(child) or "" for child in element if isinstance(child.tag, str)}
            parts = {key: value for key, value in parts.items() if (key, value) != ("orientation", "minMax")}
            if parts:
                out[Aspect.FORMAT, f"{name} scale"] = ", ".join(f"{key} {number_text(value)}" for key, value in sorted(parts.items()))
        elif local in {"majorTickMark", "minorTickMark"} and value_of(element) == "none":
            pass  # libraries write the absence of tick marks out
        elif local != "axId":
            continue
        skip.append(element)
    _add_raw(out, name, axis, part, canonical, skip=skip)
    return out


def _title_facts(title: etree._Element, name: str, part: Part, canonical: Canonicaliser, cache_is_state: bool) -> dict[tuple[Aspect, str], Value]:
    out: dict[tuple[Aspect, str], Value] = {}
    reference = title.findtext(f"{C}tx/{C}strRef/{C}f")
    if reference:
        out[Aspect.RAW if cache_is_state else Aspect.FORMULA, f"{name} reference" if cache_is_state else name] = canonical_reference(reference)
    if title.find(f"{C}tx") is None:
        out[Aspect.STRUCTURE, name] = "automatic"
    elif not reference or cache_is_state:
        out[Aspect.TEXT, name] = rich_text(title)
    plain = _without_text(title, part, canonical)
    if plain:
        out[Aspect.FORMAT, f"{name} format"] = plain
    return out


def _without_text(holder: etree._Element, part: Part, canonical: Canonicaliser) -> str:
    """Canonical form of a title whose text is another fact: equal runs merged, references and caches left out."""
    merged = merged_runs(holder, part, canonical)
    for paragraph in merged.iter(f"{A}p"):
        runs = paragraph.findall(f"{A}r/{A}t")
        # Where the formatting changes inside a paragraph is state; what a paragraph of one run says is the text fact.
        if len(runs) == 1:
            runs[0].text = ""
    return short_text(canonical.element(merged, part, skip=list(merged.iter(f"{C}strRef"))))


def merged_runs(holder: etree._Element, part: Part, canonical: Canonicaliser) -> etree._Element:
    """A copy of an element in which neighbouring runs of equal formatting are one run."""
    merged = copy.deepcopy(holder)
    for paragraph in merged.iter(f"{A}p"):
        before: etree._Element | None = None
        look = ""
        for run in list(paragraph):
            if run.tag != f"{A}r":
                before = None
                continue
            properties = run.find(f"{A}rPr")
            own = canonical.element(properties, part) if properties is not None and (len(properties) or properties.attrib) else ""
            target, source = (before.find(f"{A}t") if before is not None else None), run.find(f"{A}t")
            if before is not None and own == look and target is not None and source is not None:
                target.text = (target.text or "") + (source.text or "")
                paragraph.remove(run)
            else:
                before, look = run, own
    return merged


def workbook_facts(part: Part, external: etree._Element | None, canonical: Canonicaliser) -> dict[tuple[Aspect, str], Value]:
    out: dict[tuple[Aspect, str], Value] = {}
    if external is None:
        return out
    rel = part.relationships.get(external.get(R_ID) or "")
    if rel is not None and rel.external:
        out[Aspect.LINK, "workbook"] = rel.target
    elif rel is None or rel.target not in part.package.parts:
        out[Aspect.RAW, "workbook"] = "missing"
    else:
        workbook = read_embedded(part.package.parts[rel.target])
        out[Aspect.RAW, "workbook"] = workbook.meaning() if workbook is not None else canonical.part(rel.target)
    update = next((element for element in external if local_name(element) == "autoUpdate"), None)
    if update is not None and is_true(update):
        out[Aspect.RAW, "workbook update"] = "automatic"
    return out


# Series -------------------------------------------------------------------------------------------------------------


def _series_nodes(parent: Node, part: Part, canonical: Canonicaliser, cache_is_state: bool) -> list[Node]:
    chart = read_chart(part)
    return [
        Node(
            parent,
            "series",
            number=position,
            facts=_series_facts(series, chart, part, canonical, cache_is_state),
            label=series.name or series.name_reference or series.values.reference,
        )
        for position, series in enumerate(chart.series, start=1)
    ]


def _series_facts(series: ChartSeries, chart: Chart, part: Part, canonical: Canonicaliser, cache_is_state: bool) -> dict[tuple[Aspect, str], Value]:
    out: dict[tuple[Aspect, str], Value] = {}
    if len(set(chart.types)) > 1 or chart.types.count(series.type) > 1:
        out[Aspect.STRUCTURE, "plot"] = f"{series.type} {series.plot + 1}"
    # Where the workbook is embedded for the chart's sake, a re-save may drop it: what it refers to is then no content.
    aspect, suffix = (Aspect.RAW, " reference") if cache_is_state else (Aspect.FORMULA, "")
    if series.name_reference:
        out[aspect, f"name{suffix}"] = series.name_reference
    if series.name and (cache_is_state or not series.name_reference or "[" in series.name_reference):
        out[Aspect.TEXT, "name"] = series.name
    for name, data in (("categories", series.categories), ("values", series.values), ("sizes", series.sizes)):
        if data.reference:
            out[aspect, f"{name}{suffix}"] = data.reference
        if data.values and (cache_is_state or not data.reference or "[" in data.reference):
            out[Aspect.VALUE, name] = [json_value(value) for value in data.values]
    if etree.QName(series.element).namespace == NS_CX:
        from docops.formats.ooxml.chart_ex import extended_series_facts

        return out | extended_series_facts(series.element, part, canonical)
    skip = {"idx", "order", "tx", "cat", "val", "xVal", "yVal", "bubbleSize"}
    counts: dict[str, int] = {}
    for element in series.element:
        local = local_name(element)
        if isinstance(element.tag, str) and local not in skip:
            counts[local] = counts.get(local, 0) + 1
            label = {"spPr": "format", "dLbls": "data labels", "dPt": "point", "errBars": "error bars"}.get(local, local)
            if local == "dPt":
                label = f"point {integer(value_of(element.find(f'{C}idx'))) + 1}"
            _add_raw(out, label if counts[local] == 1 or local == "dPt" else f"{label} {counts[local]}", element, part, canonical)
    # The format code of a cache is what data labels and axes show that follow the source.
    for holder, name in (("val", "values"), ("cat", "categories"), ("yVal", "values"), ("xVal", "categories")):
        code = next((text for text in series.element.iterfind(f"{C}{holder}/*/*/{C}formatCode")), None) if cache_is_state else None
        if code is not None and (code.text or "General") != "General":
            out[Aspect.FORMAT, f"{name} number format"] = code.text or ""
    return out


def short_text(text: str) -> str:
    """Canonical text as it is where a person can read it, else its digest."""
    return text if len(text) <= 160 else hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def _add_raw(
    out: dict[tuple[Aspect, str], Value], name: str, element: etree._Element, part: Part, canonical: Canonicaliser, *, skip: Sequence[etree._Element | None] = ()
) -> None:
    kept = [one for one in skip if one is not None]
    target = element
    if not kept and element.find(f".//{A}r") is not None:
        target = merged_runs(element, part, canonical)
    text = canonical.element(target, part, skip=kept)
    # An axis or legend of which everything is modelled is left with its name alone.
    if text and not (kept and text.endswith("></>") and " " not in text and text.count("<") == 2):
        out[Aspect.RAW, name] = short_text(text)
