"""Predicates about sheets, names and tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from docops.core.codes import Family, FindingCode
from docops.core.errors import UsageError
from docops.core.node import Node
from docops.core.predicate import Context, Evidence, Example, Finding, predicate
from docops.formats.xlsx.formula_text import canonical_formula
from docops.formats.xlsx.model import Sheet, Table, Workbook
from docops.formats.xlsx.predicates.places import (
    Scalar,
    address_of,
    equal,
    find_sheet,
    find_table,
    missing_finding,
    plain,
    seen_values,
    shown,
    table_region,
    undecided,
    workbook_of,
)
from docops.formats.xlsx.recalc import Outcome, Place
from docops.formats.xlsx.references import parse_area
from docops.formats.xlsx.samples import SheetSpec, TableSpec, workbook


def _files() -> dict[str, bytes]:
    sales: dict[str, object] = {"A1": "Item", "B1": "Net", "A2": "Pen", "B2": 2, "A3": "Ink", "B3": 5.5, "A4": "Total", "B4": "=SUBTOTAL(109,B2:B3)"}
    sheets: dict[str, dict[str, object] | SheetSpec] = {
        "Summary": {"A1": "=SUM(Sales[Net])"},
        "Data": SheetSpec(sales, tables=(TableSpec("Sales", "A1:B4", ("Item", "Net"), totals_row=True),), freeze="A2"),
        "Old": SheetSpec({"A1": 1}, state="hidden"),
    }
    return {"book.xlsx": workbook(sheets, names={"Amounts": "Data!$B$2:$B$3"}, local_names={("Data", "Rate"): "0.19"})}


@predicate(
    "xlsx.sheet",
    family=Family.STRUCTURAL,
    formats=("xlsx",),
    examples=(
        Example("is there, second", _files, {"at": "book.xlsx#sheet[Data]", "position": 2, "state": "visible"}, True),
        Example("is hidden", _files, {"at": "book.xlsx#sheet[Old]", "state": "visible"}, FindingCode.MISMATCH),
        Example("is gone", _files, {"at": "book.xlsx#sheet[Plan]"}, FindingCode.MISSING),
        Example("must be gone", _files, {"at": "book.xlsx#sheet[Old]", "exists": False}, FindingCode.UNEXPECTED),
        Example("stands elsewhere", _files, {"at": "book.xlsx#sheet[Data]", "position": 1}, FindingCode.WRONG_ORDER),
    ),
)
def sheet(
    context: Context,
    *,
    at: str,
    exists: bool = True,
    state: Literal["visible", "hidden", "veryHidden"] | None = None,
    position: int | None = None,
) -> Iterator[Finding | Evidence]:
    """A sheet is there (or not), in a state, at a position.

    at: a sheet by name, whose capitals count.   exists: false where there must be none of that name.
    state: `visible`, `hidden`, or `veryHidden`.   position: its number among all sheets, from 1.
    """
    target = context.target(at, formats=("xlsx",))
    book = workbook_of(target)
    step = target.address.segments[0] if target.address.segments else None
    if step is None or step.kind != "sheet" or len(target.address.segments) > 1:
        raise UsageError(f"xlsx.sheet looks at a sheet, not at {at}")
    name = step.name if step.name is not None else str(step.number or "")
    found = next((one for one in book.sheets if one.name == name), None) or (find_sheet(book, step) if step.number is not None else None)
    if found is None:
        if exists:
            yield missing_finding(target, book) if find_sheet(book, step) is None else _renamed(target.artifact, book, name)
        return
    address = f"{target.artifact}#{address_of(found)}"
    yield Evidence(address, f"sheet {found.index + 1} of {len(book.sheets)}, {found.state}")
    if not exists:
        yield Finding(FindingCode.UNEXPECTED, address, None, found.name, f"there is a sheet {found.name}, which must not be there")
        return
    if state is not None and found.state != state:
        yield Finding(FindingCode.MISMATCH, address, state, found.state, f"the sheet {found.name} is {found.state}, not {state}")
    if position is not None and found.index + 1 != position:
        message = f"the sheet {found.name} is number {found.index + 1} of {len(book.sheets)}, not number {position}"
        yield Finding(FindingCode.WRONG_ORDER, address, position, found.index + 1, message)


def _renamed(artifact: str, book: Workbook, name: str) -> Finding:
    other = book.sheet(name)
    held = other.name if other is not None else ""
    address = f"{artifact}#{address_of(other)}" if other is not None else artifact
    return Finding(FindingCode.MISSING, address, name, held, f"the sheet is called {held}, not {name}")


@predicate(
    "xlsx.defined_name",
    family=Family.STRUCTURAL,
    formats=("xlsx",),
    examples=(
        Example("stands for a range", _files, {"at": "book.xlsx", "name": "Amounts", "refers_to": "Data!$B$2:$B$3"}, True),
        Example("belongs to a sheet", _files, {"at": "book.xlsx", "name": "Rate", "scope": "Data"}, True),
        Example("stands for another range", _files, {"at": "book.xlsx", "name": "Amounts", "refers_to": "Data!$B$2:$B$9"}, FindingCode.MISMATCH),
        Example("is not there", _files, {"at": "book.xlsx", "name": "Budget"}, FindingCode.MISSING),
    ),
)
def defined_name(
    context: Context,
    *,
    at: str,
    name: str,
    refers_to: str | None = None,
    scope: str | None = None,
    exists: bool = True,
) -> Iterator[Finding | Evidence]:
    """A defined name is there (or not) and stands for a range, constant or formula.

    at: the workbook.   name: case does not matter.   refers_to: what it stands for (`Data!$B$2:$B$9`); written without
    any `$`, absolute and relative references are alike.   scope: the sheet it belongs to; left out, a name of the whole workbook.
    exists: False where there must be no such name.
    """
    target = context.target(at, formats=("xlsx",))
    book = workbook_of(target)
    index = next((one.index for one in book.sheets if one.name.casefold() == (scope or "").casefold()), None)
    if scope is not None and index is None:
        yield Finding(FindingCode.MISSING, target.artifact, scope, None, f"there is no sheet {scope} that the name {name} could belong to")
        return
    found = next((one for one in book.names if one.name.casefold() == name.casefold() and one.scope == index), None)
    base = address_of(book.sheets[index]) if index is not None else None
    address = f"{target.artifact}#{Node(base, 'name', name=found.name if found else name).address}"
    where = f"sheet {scope}" if scope is not None else "workbook"
    if found is None:
        if exists:
            elsewhere = [str(book.sheets[one.scope].name) for one in book.names if one.name.casefold() == name.casefold() and one.scope is not None]
            hint = f"; it is a name of {', '.join(elsewhere)} alone" if elsewhere else ""
            yield Finding(FindingCode.MISSING, target.artifact, name, None, f"the {where} defines no name {name}{hint}")
        return
    yield Evidence(address, found.text)
    if not exists:
        yield Finding(FindingCode.UNEXPECTED, address, None, found.text, f"the {where} defines {name}, which must not be there")
    elif refers_to is not None and not _same_reference(found.text, refers_to):
        yield Finding(FindingCode.MISMATCH, address, refers_to, found.text, f"the name {found.name} stands for {found.text}, not {refers_to}")


def _same_reference(held: str, wanted: str) -> bool:
    one, other = canonical_formula(held), canonical_formula(wanted)
    if "$" not in other:
        one = one.replace("$", "")
    return one.casefold() == other.casefold()


@predicate(
    "xlsx.table",
    family=Family.STRUCTURAL,
    formats=("xlsx",),
    examples=(
        Example(
            "a native table", _files, {"at": "book.xlsx#sheet[Data]/table[Sales]", "columns": ["Item", "Net"], "range": "A1:B4", "rows": 2}, True
        ),
        Example("by name anywhere", _files, {"at": "book.xlsx", "name": "Sales", "contains_rows": [["Ink", 5.5]], "totals_row": True}, True),
        Example("other columns", _files, {"at": "book.xlsx#sheet[Data]", "columns": ["Item", "Gross"]}, FindingCode.MISMATCH),
        Example("no table on the sheet", _files, {"at": "book.xlsx#sheet[Summary]"}, FindingCode.NOT_NATIVE),
        Example("a row is not there", _files, {"at": "book.xlsx#sheet[Data]", "contains_rows": [["Cap", 1]]}, FindingCode.MISSING),
    ),
)
def table(
    context: Context,
    *,
    at: str,
    name: str | None = None,
    columns: Sequence[str] | None = None,
    range: str | None = None,  # noqa: A002 - the word that verifiers use
    rows: int | None = None,
    totals_row: bool | None = None,
    contains_rows: Sequence[Sequence[Scalar]] = (),
    tolerance: float = 0,
) -> Iterator[Finding | Evidence]:
    """There is a native table (list object) as described.

    at: the workbook, a sheet, or a table; cells formatted to look like one are none.   name: its name.
    columns: all its column names in order.   range: header, data and totals (`A1:B4`).   rows: how many data rows.
    totals_row: whether it has one.   contains_rows: data rows that are among its own, values as for `xlsx.cell`.
    tolerance: how far numbers of these rows may be off.
    Of several tables that `at` holds, one has to be right.
    """
    target = context.target(at, formats=("xlsx",))
    book = workbook_of(target)
    candidates = _tables(target.address.segments, book, name)
    if candidates is None:
        yield missing_finding(target, book)
        return
    if not candidates:
        message = f"there is no native table{f' named {name}' if name else ''} in {target.place()}"
        yield Finding(FindingCode.NOT_NATIVE, target.place(), name or "a native table", None, message)
        return
    best: list[Finding | Evidence] | None = None
    for one in candidates:
        items = list(_check_table(context, target.artifact, book, one, columns, range, rows, totals_row, contains_rows, tolerance))
        if best is None or _count(items) < _count(best):
            best = items
    yield from best or ()


def _count(items: Sequence[Finding | Evidence]) -> int:
    return sum(isinstance(item, Finding) for item in items)


def _tables(segments: Sequence[object], book: Workbook, name: str | None) -> list[Table] | None:
    from docops.core.address import Segment

    steps = [step for step in segments if isinstance(step, Segment)]
    where: Sheet | None = None
    if steps:
        where = find_sheet(book, steps[0])
        if where is None:
            return None
    wanted = steps[1].name if len(steps) > 1 and steps[1].kind == "table" else None
    tables = list(book.tables if where is None else where.tables)
    if len(steps) > 1 and steps[1].kind == "table" and steps[1].number is not None:
        tables = tables[steps[1].number - 1 : steps[1].number]
    for key in (wanted, name):
        if key is not None:
            found = find_table(book, key, where)
            tables = [one for one in tables if one is found]
    return tables


def _check_table(
    context: Context,
    artifact: str,
    book: Workbook,
    one: Table,
    columns: Sequence[str] | None,
    area_text: str | None,
    rows: int | None,
    totals_row: bool | None,
    contains_rows: Sequence[Sequence[Scalar]],
    tolerance: float,
) -> Iterator[Finding | Evidence]:
    owner = book.sheets[one.sheet]
    address = f"{artifact}#{Node(address_of(owner), 'table', name=one.name).address}"
    yield Evidence(address, f"{one.ref}: {', '.join(one.columns)}")
    if columns is not None and list(columns) != list(one.columns):
        message = f"the table {one.name} has the columns {', '.join(one.columns)}, not {', '.join(columns)}"
        yield Finding(FindingCode.MISMATCH, address, list(columns), list(one.columns), message)
    if area_text is not None and parse_area(area_text) != parse_area(one.ref):
        yield Finding(FindingCode.MISMATCH, address, area_text, one.ref, f"the table {one.name} is in {one.ref}, not in {area_text}")
    if totals_row is not None and bool(one.totals_rows) != totals_row:
        message = f"the table {one.name} has {'a' if one.totals_rows else 'no'} totals row"
        yield Finding(FindingCode.MISMATCH, address, totals_row, bool(one.totals_rows), message)
    data = table_region(one)
    count = 0 if data is None else data.last_row - data.first_row + 1
    if rows is not None and count != rows:
        yield Finding(FindingCode.WRONG_COUNT, address, rows, count, f"the table {one.name} has {count} data rows, not {rows}")
    if not contains_rows:
        return
    places = [Place(one.sheet, row, column) for row, column in data.cells()] if data is not None else []
    values = seen_values(context, book, places)
    open_places = [place for place in places if values[place].outcome is not Outcome.COMPUTED]
    for place in open_places[:20]:
        yield undecided(artifact, book, place, values[place], None)
    if open_places:
        return
    width = len(one.columns)
    held = [[shown(book, place, values[place].value) for place in places[start : start + width]] for start in _starts(len(places), width)]
    for row in contains_rows:
        if not any(len(row) == len(other) and all(equal(value, wanted, tolerance) for value, wanted in zip(other, row)) for other in held):
            wanted_row = [plain(value) for value in row]
            yield Finding(FindingCode.MISSING, address, wanted_row, None, f"no row of the table {one.name} holds {wanted_row}")


def _starts(count: int, width: int) -> list[int]:
    return list(range(0, count, max(width, 1)))


STRUCTURE_PREDICATES = (sheet, defined_name, table)
