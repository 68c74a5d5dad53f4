"""`xlsx.chart`: a native chart, its type, title and series."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from docops.core.codes import Family, FindingCode
from docops.core.node import Node, Value
from docops.core.predicate import Context, Evidence, Example, Finding, predicate
from docops.formats.ooxml.chart import Chart, ChartData, ChartSeries, read_chart
from docops.formats.xlsx.formula_text import canonical_formula
from docops.formats.xlsx.model import Sheet, Workbook
from docops.formats.xlsx.predicates.places import (
    Scalar,
    address_of,
    equal,
    find_sheet,
    missing_finding,
    plain,
    seen_values,
    shown,
    source_of,
    workbook_of,
)
from docops.formats.xlsx.recalc import Outcome, Place
from docops.formats.xlsx.references import parse_reference
from docops.formats.xlsx.samples import ChartSpec, SheetSpec, workbook
from docops.formats.xlsx.stale import charts_of

#: What a verifier can say of a series: its name, or a table of name, categories and values.
SeriesSpec = str | Mapping[str, str | Sequence[Scalar]]

_MAX_POINTS = 20_000


def _files() -> dict[str, bytes]:
    cells: dict[str, object] = {
        "A1": "Month",
        "B1": "Net",
        "C1": "Gross",
        "A2": "Jan",
        "B2": 10,
        "C2": "=B2*1.2",
        "A3": "Feb",
        "B3": 20,
        "C3": "=B3*1.2",
    }
    chart = ChartSpec("barChart", "Sales", (("Data!$B$1", "Data!$A$2:$A$3", "Data!$B$2:$B$3"), ("Data!$C$1", "Data!$A$2:$A$3", "Data!$C$2:$C$3")))
    return {"book.xlsx": workbook({"Data": SheetSpec(cells, charts=(chart,)), "Bare": {"A1": 1}})}


_NET = {"name": "Net", "categories": "Data!A2:A3", "values": "Data!B2:B3"}


@predicate(
    "xlsx.chart",
    family=Family.STRUCTURAL,
    formats=("xlsx",),
    examples=(
        Example(
            "columns of two series",
            _files,
            {"at": "book.xlsx#sheet[Data]", "type": "column", "chart_title": "Sales", "series": ["Net", "Gross"]},
            True,
        ),
        Example("where the data comes from", _files, {"at": "book.xlsx#sheet[Data]/chart[1]", "series": [_NET, {"values": [12, 24]}]}, True),
        Example("another type", _files, {"at": "book.xlsx#sheet[Data]", "type": "line"}, FindingCode.MISMATCH),
        Example("a series is not there", _files, {"at": "book.xlsx#sheet[Data]", "series": ["Net", "Tax"]}, FindingCode.MISMATCH),
        Example("no native chart", _files, {"at": "book.xlsx#sheet[Bare]", "type": "pie"}, FindingCode.NOT_NATIVE),
    ),
)
def chart(
    context: Context,
    *,
    at: str,
    type: str | None = None,  # noqa: A002 - the word that verifiers use
    chart_title: str | None = None,
    series: Sequence[SeriesSpec] | None = None,
) -> Iterator[Finding | Evidence]:
    """There is a native chart as described; a picture of one is none.

    at: the workbook, a sheet, or `sheet[…]/chart[n]`.   type: `column`, `bar`, `line`, `pie`, `area`, `scatter`, `doughnut`, ….
    chart_title: the text over it.   series: all series in order, by name, or as tables with `name`, `categories` and `values`; these two are
    references (`Data!B2:B9`) or lists of what the cells hold.
    Of several charts that `at` holds, one has to be right.
    """
    target = context.target(at, formats=("xlsx",))
    book = workbook_of(target)
    sheets: list[Sheet] = list(book.sheets)
    number: int | None = None
    if target.address.segments:
        found = find_sheet(book, target.address.segments[0])
        if found is None:
            yield missing_finding(target, book)
            return
        sheets = [found]
        if len(target.address.segments) > 1 and target.address.segments[1].kind == "chart":
            number = target.address.segments[1].number
    best: list[Finding | Evidence] | None = None
    for sheet in sheets:
        for position, part in charts_of(sheet):
            if number is not None and position != number:
                continue
            address = f"{target.artifact}#{Node(address_of(sheet), 'chart', number=position).address}"
            items = list(_check(context, book, address, read_chart(part), type, chart_title, series))
            if best is None or _count(items) < _count(best):
                best = items
    if best is None:
        yield Finding(FindingCode.NOT_NATIVE, target.place(), type or "a chart", None, f"there is no native chart in {target.place()}")
        return
    yield from best


def _count(items: Sequence[Finding | Evidence]) -> int:
    return sum(isinstance(item, Finding) for item in items)


def _check(
    context: Context, book: Workbook, address: str, held: Chart, kind: str | None, title: str | None, series: Sequence[SeriesSpec] | None
) -> Iterator[Finding | Evidence]:
    names = [_name(context, book, one) for one in held.series]
    yield Evidence(address, f"{', '.join(held.types)}: {', '.join(names)}")
    if kind is not None and set(held.types) != {kind}:
        types: Value = list(held.types)
        yield Finding(FindingCode.MISMATCH, address, kind, types, f"the chart is of type {', '.join(held.types)}, not {kind}")
    if title is not None and (held.title or "").strip() != title.strip():
        yield Finding(FindingCode.MISMATCH, address, title, held.title, f"the chart's title is {held.title!r}, not {title!r}")
    if series is None:
        return
    wanted_names = [one if isinstance(one, str) else str(one.get("name", "")) for one in series]
    if len(series) != len(held.series):
        message = f"the chart has {len(held.series)} series ({', '.join(names)}), not {len(series)} ({', '.join(wanted_names)})"
        yield Finding(FindingCode.MISMATCH, address, list(wanted_names), list(names), message)
        return
    for position, (wanted, one, name) in enumerate(zip(series, held.series, names), 1):
        place = f"{address}/series[{position}]"
        if isinstance(wanted, str):
            wanted = {"name": wanted}
        if "name" in wanted and wanted["name"] != name:
            expected: Value = str(wanted["name"])
            yield Finding(FindingCode.MISMATCH, place, expected, name, f"series {position} is called {name!r}, not {expected!r}")
        for key, data in (("categories", one.categories), ("values", one.values)):
            if key in wanted:
                yield from _check_data(context, book, place, position, key, data, wanted[key])


def _check_data(
    context: Context, book: Workbook, place: str, position: int, key: str, data: ChartData, wanted: str | Sequence[Scalar]
) -> Iterator[Finding]:
    if isinstance(wanted, str):
        if not _same_range(book, data.reference, wanted):
            message = f"the {key} of series {position} come from {data.reference or 'no cells'}, not {wanted}"
            yield Finding(FindingCode.MISMATCH, place, wanted, data.reference, message)
        return
    held = _points(context, book, data)
    if len(held) != len(wanted) or not all(equal(value, other, 1e-9) for value, other in zip(held, wanted)):
        shown_values: Value = [plain(value) for value in held]
        wanted_values: Value = [plain(value) for value in wanted]
        yield Finding(
            FindingCode.MISMATCH, place, wanted_values, shown_values, f"the {key} of series {position} are {shown_values}, not {wanted_values}"
        )


def _same_range(book: Workbook, held: str, wanted: str) -> bool:
    named = source_of(book).name(held.rpartition("!")[2], None)
    for text in (held, named[0] if named is not None else held):
        one, other = parse_reference(text), parse_reference(wanted.lstrip("="))
        if one is not None and other is not None:
            same_sheet = (one.sheet or "").casefold() == (other.sheet or "").casefold()
            if same_sheet and one.area == other.area:
                return True
        elif canonical_formula(text).casefold() == canonical_formula(wanted).casefold():
            return True
    return False


def _name(context: Context, book: Workbook, one: ChartSeries) -> str:
    """A series' name as a reader sees it: the cell's text, else what is typed into the chart."""
    if one.name_reference:
        values = _cells(context, book, one.name_reference)
        if values:
            return " ".join(str(plain(value)) for value in values if value != "")
    return one.name


def _points(context: Context, book: Workbook, data: ChartData) -> list[Scalar]:
    values = _cells(context, book, data.reference) if data.reference else None
    if values is not None:
        return values
    return ["" if value is None else value for value in data.values]


def _cells(context: Context, book: Workbook, reference: str) -> list[Scalar] | None:
    """What the cells of a reference show; None where that cannot be told."""
    named = source_of(book).name(reference.rpartition("!")[2], None)
    found = parse_reference(named[0] if named is not None else reference)
    sheet = book.sheet(found.sheet) if found is not None and found.sheet is not None else None
    if found is None or sheet is None or found.area.count > _MAX_POINTS:
        return None
    places = [Place(sheet.index, row, column) for row, column in found.area.cells()]
    results = seen_values(context, book, places)
    if any(result.outcome is not Outcome.COMPUTED for result in results.values()):
        return None
    return [shown(book, place, results[place].value) for place in places]


CHART_PREDICATES = (chart,)
