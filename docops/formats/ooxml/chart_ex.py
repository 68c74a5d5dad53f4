"""Extended charts (waterfall, treemap, sunburst, histogram, funnel, …): the `cx` vocabulary of 2014 in the terms of `chart`."""

from __future__ import annotations

from lxml import etree

from docops.core.codes import Aspect
from docops.core.node import Value
from docops.formats.ooxml import chart as nodes
from docops.formats.ooxml import chart_data as charts
from docops.formats.ooxml.canonical import Canonicaliser
from docops.formats.ooxml.chart_data import CX, Chart, ChartData, ChartSeries
from docops.formats.ooxml.package import Part
from docops.formats.ooxml.sheet_values import CellValue, number


def read_extended_chart(part: Part) -> Chart:
    """Types, title, series and embedded workbook of an extended chart part."""
    root = part.xml
    data = {element.get("id") or "": element for element in root.iter(f"{CX}data")}
    series = []
    for element in root.iter(f"{CX}series"):
        chosen = element.find(f"{CX}dataId")
        source = data.get(chosen.get("val") or "") if chosen is not None else None
        text = element.find(f"{CX}tx/{CX}txData")
        series.append(
            ChartSeries(
                element.get("layoutId") or "",
                (text.findtext(f"{CX}v") or "") if text is not None else "",
                charts.canonical_reference((text.findtext(f"{CX}f") or "") if text is not None else ""),
                _dimension(source, "strDim"),
                _dimension(source, "numDim"),
                ChartData(),
                element,
            )
        )
    title = root.find(f"{CX}chart/{CX}title")
    external = next(root.iter(f"{CX}externalData"), None)
    workbook = part.target(external.get(charts.R_ID)) if external is not None else None
    types = tuple(dict.fromkeys(one.type for one in series))
    return Chart(types, charts.rich_text(title) if title is not None else None, tuple(series), workbook)


def _dimension(source: etree._Element | None, kind: str) -> ChartData:
    dimension = source.find(f"{CX}{kind}") if source is not None else None
    if dimension is None:
        return ChartData()
    reference = charts.canonical_reference(dimension.findtext(f"{CX}f") or "")
    levels: list[list[CellValue]] = []
    for level in dimension.findall(f"{CX}lvl"):
        points = {charts.integer(point.get("idx")): point.text for point in level.findall(f"{CX}pt")}
        size = max(points, default=-1) + 1
        levels.append([number(points.get(n)) if kind == "numDim" else points.get(n) for n in range(min(size, 1_000_000))])
    if len(levels) == 1:
        return ChartData(reference, tuple(levels[0]), bool(reference))
    return ChartData(reference, tuple(" / ".join(str(value) for value in row if value is not None) for row in zip(*reversed(levels))), bool(reference))


def extended_chart_facts(part: Part, canonical: Canonicaliser) -> dict[tuple[Aspect, str], Value]:
    """Facts of an extended chart: type, title, workbook; the rest in canonical form."""
    root = part.xml
    chart = read_extended_chart(part)
    out: dict[tuple[Aspect, str], Value] = {(Aspect.STRUCTURE, "type"): ", ".join(chart.types)}
    if chart.title is not None:
        out[Aspect.TEXT, "title"] = chart.title
    external = next(root.iter(f"{CX}externalData"), None)
    out |= nodes.workbook_facts(part, external, canonical)
    skip = [*root.iter(f"{CX}series"), *root.iter(f"{CX}externalData"), *root.iter(f"{CX}data")]
    out[Aspect.RAW, "rest"] = nodes.short_text(canonical.element(root, part, skip=skip))
    # Dimensions beyond the first of each kind, and their formulas, belong to no series.
    out[Aspect.RAW, "data"] = nodes.short_text("".join(canonical.element(element, part, skip_attributes=("id",)) for element in root.iter(f"{CX}data")))
    for rel in part.relationships.values():
        if not rel.external and rel.type in {"chartStyle", "chartColorStyle", "themeOverride"}:
            out[Aspect.RAW, rel.type] = canonical.part(rel.target)
    return out


def extended_series_facts(element: etree._Element, part: Part, canonical: Canonicaliser) -> dict[tuple[Aspect, str], Value]:
    """What a series of an extended chart holds besides its name and data, in canonical form."""
    out: dict[tuple[Aspect, str], Value] = {}
    skip = [child for child in element if child.tag in {f"{CX}tx", f"{CX}dataId"}]
    out[Aspect.RAW, "rest"] = nodes.short_text(canonical.element(element, part, skip=skip, skip_attributes=("uniqueId", "formatIdx")))
    return out
