"""What a chart part stores, as data: types, title, series; its text; and whether its caches agree with its workbook."""

from __future__ import annotations

import re
from dataclasses import dataclass

from lxml import etree

from docops.core.document import Stale
from docops.core.node import Value
from docops.core.spans import Role, TextSpan
from docops.formats.ooxml.package import NS_R, Part
from docops.formats.ooxml.sheet_values import CellValue, WorkbookValues, number, read_embedded

NS_C = "http://schemas.openxmlformats.org/drawingml/2006/chart"
NS_CX = "http://schemas.microsoft.com/office/drawing/2014/chartex"
C = "{" + NS_C + "}"
CX = "{" + NS_CX + "}"
A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
R_ID = "{" + NS_R + "}id"

#: Elements of plots (2-D and 3-D) → chart type as people say it; a bar chart whose bars lie is a `bar`.
PLOT_TYPES = {
    "barChart": "column",
    "bar3DChart": "column",
    "lineChart": "line",
    "line3DChart": "line",
    "pieChart": "pie",
    "pie3DChart": "pie",
    "ofPieChart": "of-pie",
    "doughnutChart": "doughnut",
    "areaChart": "area",
    "area3DChart": "area",
    "scatterChart": "scatter",
    "bubbleChart": "bubble",
    "radarChart": "radar",
    "stockChart": "stock",
    "surfaceChart": "surface",
    "surface3DChart": "surface",
}


@dataclass(frozen=True, slots=True)
class ChartData:
    """A dimension of a series: the reference it comes from ("" if typed in) and what is stored, by position; None for a gap."""

    reference: str = ""
    values: tuple[CellValue, ...] = ()
    cached: bool = False


@dataclass(frozen=True, slots=True)
class ChartSeries:
    """One series: its chart type, name, categories (x values), values, bubble sizes, and the element it is made from."""

    type: str
    name: str
    name_reference: str
    categories: ChartData
    values: ChartData
    sizes: ChartData
    element: etree._Element
    plot: int = 0


@dataclass(frozen=True, slots=True)
class Chart:
    """What a chart shows. types: of its plots, in order (`column`, `bar`, `line`, `pie`, …)."""

    types: tuple[str, ...]
    title: str | None
    series: tuple[ChartSeries, ...]
    workbook: Part | None


def read_chart(part: Part) -> Chart:
    """Types, title, series and embedded workbook of a chart part."""
    root = part.xml
    if root.tag == f"{CX}chartSpace":
        from docops.formats.ooxml.chart_ex import read_extended_chart

        return read_extended_chart(part)
    plots = plots_of(root)
    series = []
    for position, plot in enumerate(plots):
        found = [_read_series(element, plot_type(plot), position) for element in plot.findall(f"{C}ser")]
        order = [integer(value_of(one.element.find(f"{C}order"))) for one in found]
        series += [one for _, _, one in sorted(zip(order, range(len(found)), found), key=lambda entry: entry[:2])]
    title = root.find(f"{C}chart/{C}title")
    external = root.find(f"{C}externalData")
    workbook = part.target(external.get(R_ID)) if external is not None else None
    return Chart(tuple(plot_type(plot) for plot in plots), rich_text(title) if title is not None else None, tuple(series), workbook)


def chart_parts(part: Part) -> set[str]:
    """Names of the chart part and of every part it leads to (workbook, styles, drawing, pictures)."""
    seen = {part.name}
    queue = [part]
    while queue:
        for rel in queue.pop().relationships.values():
            if not rel.external and rel.target not in seen and rel.target in part.package.parts:
                seen.add(rel.target)
                queue.append(part.package.parts[rel.target])
    return seen


def plots_of(root: etree._Element) -> list[etree._Element]:
    """The plots of a chart space (`c:barChart`, `c:lineChart`, …), in order."""
    area = root.find(f"{C}chart/{C}plotArea")
    return [element for element in area if isinstance(element.tag, str) and local_name(element) in PLOT_TYPES] if area is not None else []


def plot_type(plot: etree._Element) -> str:
    """The chart type of a plot: `column`, `bar`, `line`, …"""
    kind = PLOT_TYPES[local_name(plot)]
    if kind == "column" and value_of(plot.find(f"{C}barDir")) == "bar":
        return "bar"
    return kind


def _read_series(element: etree._Element, kind: str, plot: int) -> ChartSeries:
    text = element.find(f"{C}tx")
    reference = text.findtext(f"{C}strRef/{C}f") if text is not None else None
    stored = text.findtext(f"{C}strRef/{C}strCache/{C}pt/{C}v") if text is not None else None
    if stored is None and text is not None:
        stored = text.findtext(f"{C}v")
    if reference and len(reference) > 1 and reference[0] == reference[-1] == '"':
        # A name typed in, spelled as a formula (LibreOffice).
        stored, reference = reference[1:-1].replace('""', '"'), None
    categories = element.find(f"{C}cat")
    values = element.find(f"{C}val")
    return ChartSeries(
        kind,
        stored or "",
        canonical_reference(reference or ""),
        _read_data(categories if categories is not None else element.find(f"{C}xVal")),
        _read_data(values if values is not None else element.find(f"{C}yVal")),
        _read_data(element.find(f"{C}bubbleSize")),
        element,
        plot,
    )


def _read_data(holder: etree._Element | None) -> ChartData:
    if holder is None:
        return ChartData()
    for source in holder:
        local = local_name(source)
        if local not in {"numRef", "strRef", "numLit", "strLit", "multiLvlStrRef"}:
            continue
        reference = canonical_reference(source.findtext(f"{C}f") or "")
        store = source if local.endswith("Lit") else next((child for child in source if local_name(child).endswith("Cache")), None)
        if store is None:
            return ChartData(reference)
        if local == "multiLvlStrRef":
            levels = [_points(level, False, integer(value_of(store.find(f"{C}ptCount")))) for level in store.findall(f"{C}lvl")]
            return ChartData(reference, tuple(" / ".join(str(value) for value in row if value is not None) for row in zip(*reversed(levels))), True)
        points = _points(store, local.startswith("num"), integer(value_of(store.find(f"{C}ptCount"))))
        return ChartData(reference, tuple(points), not local.endswith("Lit"))
    return ChartData()


def _points(store: etree._Element, numeric: bool, count: int) -> list[CellValue]:
    found: dict[int, CellValue] = {}
    for point in store.findall(f"{C}pt"):
        text = point.findtext(f"{C}v")
        value: CellValue = number(text) if numeric else text
        found[integer(point.get("idx"))] = value if value is not None else text
    # The declared count is the file's word; gaps at the end count, absurd ones do not.
    last = max(found, default=-1) + 1
    return [found.get(index) for index in range(min(max(count, last), last + 10_000, 1_000_000))]


# Derived state and text ---------------------------------------------------------------------------------------------


def chart_stale(part: Part, address: str) -> list[Stale]:
    """Caches of a chart that contradict its embedded workbook, one for each series and dimension; [] without a workbook."""
    chart = read_chart(part)
    workbook = read_embedded(chart.workbook)
    if workbook is None:
        return []
    visible = part.xml.find(f"{C}chart/{C}plotVisOnly")
    visible_only = visible is None or is_true(visible)
    out = []
    for position, series in enumerate(chart.series, start=1):
        place = f"{address}/series[{position}]"
        name = ChartData(series.name_reference, (series.name,) if series.name else (), True)
        for label, data in (("name", name), ("categories", series.categories), ("values", series.values), ("sizes", series.sizes)):
            if not data.reference or not data.cached:
                continue
            found = difference(data, workbook, visible_only=visible_only)
            if found is not None:
                out.append(Stale(place, label, found[0], found[1]))
    return out


def difference(data: ChartData, workbook: WorkbookValues, *, visible_only: bool = True) -> tuple[Value, Value] | None:
    """What a cache stores and what the workbook holds where they differ; None where they agree or nothing can be said."""
    stored = list(data.values)
    held = workbook.values(data.reference, visible_only=visible_only)
    if held is None:
        return None
    if any(isinstance(value, str) and " / " in value for value in stored) and len(held) > len(stored):
        return None  # several levels of categories
    size = max(len(stored), len(held))
    stored += [None] * (size - len(stored))
    held += [None] * (size - len(held))
    if all(_agree(one, other) for one, other in zip(stored, held)):
        return None
    return [json_value(value) for value in stored], [json_value(value) for value in held]


def _agree(stored: CellValue, held: CellValue) -> bool:
    if stored in (None, "") or held in (None, ""):
        return stored in (None, "") and held in (None, "", 0.0)
    if isinstance(held, bool):
        return str(stored).strip().lower() in {str(held).lower(), str(int(held)), f"{int(held)}.0"}
    if isinstance(held, float):
        value = stored if isinstance(stored, float) else number(str(stored))
        # Text made of a number by its format (a date, a unit) cannot be told from the number alone.
        return value is None or abs(value - held) <= 1e-9 * max(abs(value), abs(held), 1e-300)
    if isinstance(stored, float):
        return number(held) == stored or held.startswith("#") or (number(held) is None and stored == 0)
    return stored == held


def chart_spans(part: Part, address: str, *, visible: bool = True, hidden_by: str = "") -> list[TextSpan]:
    """Every text of a chart: titles, series names, categories, labels; texts that only its workbook holds are not visible."""
    out: list[TextSpan] = []
    seen: set[str] = set()

    def add(place: str, block: str, text: str, shown: bool = True, why: str = "") -> None:
        if text:
            seen.add(text)
            out.append(TextSpan(place, block, text, Role.CHART, visible and shown, hidden_by if not visible else why))

    chart = read_chart(part)
    titles = list(part.xml.iter(f"{C}title", f"{CX}title"))
    for position, title in enumerate(titles):
        add(address, f"{address} title {position + 1}", rich_text(title))
    for position, series in enumerate(chart.series, start=1):
        place = f"{address}/series[{position}]"
        add(place, f"{place} name", series.name)
        for index, value in enumerate(series.categories.values):
            if isinstance(value, str) and value not in seen:
                add(place, f"{place} category {index + 1}", value)
    others = [element for element in part.xml.iter(f"{C}rich", f"{CX}rich") if next(element.iterancestors(f"{C}title", f"{CX}title"), None) is None]
    for position, rich in enumerate(others):
        add(address, f"{address} label {position + 1}", rich_text(rich))
    for shapes in part.related("chartUserShapes"):
        for position, paragraph in enumerate(shapes.xml.iter(f"{A}p")):
            add(address, f"{address} drawing {position + 1}", paragraph_text(paragraph))
    workbook = read_embedded(chart.workbook)
    for index, text in enumerate(workbook.texts() if workbook is not None else ()):
        if text not in seen:
            add(address, f"{address} workbook {index + 1}", text, False, "embedded workbook")
    return out


# Small helpers ------------------------------------------------------------------------------------------------------


def rich_text(holder: etree._Element) -> str:
    """Text of a title or label: its paragraphs, or the cache of the cell it shows."""
    paragraphs = [paragraph_text(paragraph) for paragraph in holder.iter(f"{A}p")]
    cached = [element.text or "" for element in holder.iterfind(f".//{C}strCache/{C}pt/{C}v")]
    plain = [element.text or "" for element in holder.iter(f"{CX}v")]
    return "\n".join(cached or [text for text in paragraphs if text] or plain)


def paragraph_text(paragraph: etree._Element) -> str:
    """Text of an `a:p`: runs and fields; a line break is a line break."""
    return "".join("\n" if element.tag == f"{A}br" else element.text or "" for element in paragraph.iter(f"{A}t", f"{A}br"))


_PLAIN_SHEET = re.compile(r"'([A-Za-z_][A-Za-z0-9_.]*)'!")
_CELL_NAME = re.compile(r"[A-Za-z]{1,3}[0-9]+|[Rr][0-9]*[Cc][0-9]*")


def canonical_reference(reference: str) -> str:
    """A reference without needless quotes, spaces and `=`; a range of one cell is the cell."""
    text = reference.strip().lstrip("=").strip()

    def unquote(match: re.Match[str]) -> str:
        return match.group() if _CELL_NAME.fullmatch(match.group(1)) else f"{match.group(1)}!"

    text = _PLAIN_SHEET.sub(unquote, text)
    return re.sub(r"(\$?[A-Z]{1,3}\$?[0-9]+):\1(?![0-9])", r"\1", text)


def is_true(element: etree._Element | None) -> bool:
    """Whether a boolean element is on; one without a value is."""
    return element is not None and (element.get("val") or "1").strip().lower() in {"1", "true", "on"}


def value_of(element: etree._Element | None) -> str | None:
    """The `val` attribute of an element that may be absent."""
    return element.get("val") if element is not None else None


def integer(text: str | None) -> int:
    """A stored count or index; 0 where the text is none."""
    value = number(text)
    return int(value) if value is not None and 0 <= value < 1e9 else 0


def number_text(text: str) -> str:
    """A stored number in its shortest spelling; other text as it is."""
    value = number(text)
    return f"{value:.15g}" if value is not None else text


def json_value(value: CellValue) -> Value:
    """A cell value as JSON; whole numbers without a decimal point."""
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 1e15 else value


def local_name(element: etree._Element) -> str:
    """An element's name without namespace; "" for comments."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


