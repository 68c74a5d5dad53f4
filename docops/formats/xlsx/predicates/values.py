"""Predicates about what cells show: `xlsx.cell`, `xlsx.range`, `xlsx.no_errors`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Literal

from docops.core.codes import Family, FindingCode
from docops.core.errors import UsageError
from docops.core.node import Value
from docops.core.predicate import Context, Evidence, Example, Finding, predicate
from docops.formats.xlsx.model import Workbook
from docops.formats.xlsx.predicates.places import (
    Region,
    Scalar,
    cell_address,
    equal,
    plain,
    recalculator,
    same_moment,
    seen_values,
    shown,
    source_of,
    target_regions,
    undecided,
    workbook_of,
)
from docops.formats.xlsx.recalc import CellError, Outcome, Place, Result
from docops.formats.xlsx.references import format_cell
from docops.formats.xlsx.samples import Styled, workbook

#: Findings of one criterion that are spelled out one by one.
_MAX_FINDINGS = 200


def _files() -> dict[str, bytes]:
    data = {
        "A1": "Item",
        "B1": "Amount",
        "A2": "Rent",
        "B2": 1200,
        "A3": "Power",
        "B3": 80.5,
        "A4": "Total",
        "B4": ("=SUM(B2:B3)", 9999),
        "C2": Styled(45319, "yyyy\\-mm\\-dd"),
        "D2": True,
        "D3": "10",
        "D4": "=1/0",
    }
    return {"book.xlsx": workbook({"Costs": data})}


@predicate(
    "xlsx.cell",
    family=Family.STRUCTURAL,
    formats=("xlsx",),
    examples=(
        Example("a number", _files, {"at": "book.xlsx#sheet[Costs]/cell[B2]", "equals": 1200}, True),
        Example(
            "a formula is recalculated, its stored 9999 is not believed", _files, {"at": "book.xlsx#sheet[Costs]/cell[B4]", "equals": 1280.5}, True
        ),
        Example("a date", _files, {"at": "book.xlsx#sheet[Costs]/cell[C2]", "equals": "2024-01-28"}, True),
        Example("the text 10 is not the number", _files, {"at": "book.xlsx#sheet[Costs]/cell[D3]", "equals": 10}, FindingCode.MISMATCH),
        Example("TRUE is not 1", _files, {"at": "book.xlsx#sheet[Costs]/cell[D2]", "equals": 1}, FindingCode.MISMATCH),
        Example("an empty cell", _files, {"at": "book.xlsx#sheet[Costs]/cell[F9]", "equals": ""}, True),
        Example("an error", _files, {"at": "book.xlsx#sheet[Costs]/cell[D4]", "equals": 5}, FindingCode.FORMULA_ERROR),
        Example("every cell of a range", _files, {"at": "book.xlsx#sheet[Costs]/cell[B2:B3]", "equals": [1200, 80.5]}, True),
    ),
)
def cell(
    context: Context,
    *,
    at: str,
    equals: Scalar | Sequence[Scalar] | Sequence[Sequence[Scalar]],
    tolerance: float = 0,
) -> Iterator[Finding | Evidence]:
    """A cell shows a value.

    at: a cell, or a range.   equals: the value a reader sees. A formula is recalculated, what the file stores as its result
    is not believed. Numbers as stored (0.19, not 19%), dates as ISO text, true and false, "" for an empty cell; the number
    10 is not the text "10". For a range: one value for all its cells, a list for a single row or column, or a list of rows.
    tolerance: how far a number may be off.
    """
    target, book, found, missing = target_regions(context, at)
    yield from missing
    for region in found:
        yield from _compare(context, target.artifact, book, region, _wanted(region, equals), tolerance)


def _wanted(region: Region, equals: Scalar | Sequence[Scalar] | Sequence[Sequence[Scalar]]) -> list[Scalar]:
    """The expected values of a region, row by row."""
    area = region.area
    rows, columns = area.last_row - area.first_row + 1, area.last_column - area.first_column + 1
    if isinstance(equals, str | int | float):
        return [equals] * area.count
    flat: list[Scalar] = []
    nested = [entry for entry in equals if not isinstance(entry, str | int | float)]
    if nested:
        if len(nested) != len(equals) or len(nested) != rows or any(len(row) != columns for row in nested):
            raise UsageError(f"`equals` must have {rows} rows of {columns} values for {region.address}")
        for row in nested:
            flat += row
    else:
        flat = [entry for entry in equals if isinstance(entry, str | int | float)]
        if len(flat) != area.count or (rows > 1 and columns > 1):
            raise UsageError(f"`equals` must have {rows} rows of {columns} values for {region.address}")
    return flat


def _compare(
    context: Context, artifact: str, book: Workbook, region: Region, wanted: Sequence[Scalar], tolerance: float
) -> Iterator[Finding | Evidence]:
    places = list(region.places())
    values = seen_values(context, book, places)
    wrong = 0
    for place, expected in zip(places, wanted):
        finding = check_value(artifact, book, place, values[place], expected, tolerance)
        if finding is not None:
            wrong += 1
            if wrong <= _MAX_FINDINGS:
                yield finding
        elif len(places) <= 20:
            yield Evidence(f"{artifact}#{cell_address(book, place)}", str(plain(shown(book, place, values[place].value))))
    if wrong > _MAX_FINDINGS:
        more = wrong - _MAX_FINDINGS
        yield Finding(FindingCode.MISMATCH, f"{artifact}#{region.address}", None, None, f"{more} more cells of {region.address} show another value")


def check_value(artifact: str, book: Workbook, place: Place, result: Result, expected: Scalar, tolerance: float) -> Finding | None:
    """The finding where a cell does not show the expected value, or None."""
    if result.outcome is not Outcome.COMPUTED:
        return undecided(artifact, book, place, result, plain(expected))
    observed = shown(book, place, result.value)
    name = format_cell(place.row, place.column)
    if isinstance(result.value, CellError):
        if expected == result.value.code:
            return None
        code, message = FindingCode.FORMULA_ERROR, f"{name} shows the error {observed} instead of {_text(expected)}"
        return Finding(code, f"{artifact}#{cell_address(book, place)}", plain(expected), observed, message)
    if isinstance(expected, str) and expected.startswith("#") and isinstance(observed, str) and observed == expected:
        return Finding(
            FindingCode.MISMATCH,
            f"{artifact}#{cell_address(book, place)}",
            expected,
            observed,
            f"{name} holds {observed} as text, it is no error value",
        )
    if equal(observed, expected, tolerance):
        return None
    return Finding(
        FindingCode.MISMATCH,
        f"{artifact}#{cell_address(book, place)}",
        plain(expected),
        plain(observed),
        f"{name} shows {_text(observed)}, not {_text(expected)}",
    )


def _text(value: Scalar) -> str:
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, str):
        text = value if len(value) <= 80 else value[:77] + "…"
        return f'the text "{text}"' if value else "nothing"
    return f"the number {plain(value)}"


def _list() -> dict[str, bytes]:
    rows = {"A1": "Name", "B1": "Score", "A2": "Ada", "B2": 90, "A3": "Bo", "B3": 75, "A4": "Cy", "B4": 60}
    return {"book.xlsx": workbook({"List": rows})}


@predicate(
    "xlsx.range",
    family=Family.STRUCTURAL,
    formats=("xlsx",),
    examples=(
        Example("rows in order", _list, {"at": "book.xlsx#sheet[List]/cell[A2:B4]", "rows": [["Ada", 90], ["Bo", 75], ["Cy", 60]]}, True),
        Example(
            "rows in any order",
            _list,
            {"at": "book.xlsx#sheet[List]/cell[A2:B4]", "rows": [["Cy", 60], ["Ada", 90], ["Bo", 75]], "order": "any"},
            True,
        ),
        Example(
            "another order", _list, {"at": "book.xlsx#sheet[List]/cell[A2:B4]", "rows": [["Bo", 75], ["Ada", 90], ["Cy", 60]]}, FindingCode.MISMATCH
        ),
        Example("a row is not there", _list, {"at": "book.xlsx#sheet[List]/cell[A2:B4]", "contains_rows": [["Di", 10]]}, FindingCode.MISSING),
        Example("sorted, largest first", _list, {"at": "book.xlsx#sheet[List]/cell[A2:B4]", "sorted_by": "B", "descending": True}, True),
        Example("not sorted upwards", _list, {"at": "book.xlsx#sheet[List]/cell[A2:B4]", "sorted_by": "B"}, FindingCode.WRONG_ORDER),
        Example("no two rows alike", _list, {"at": "book.xlsx#sheet[List]/cell[A2:B4]", "unique": True}, True),
    ),
)
def cell_range(
    context: Context,
    *,
    at: str,
    rows: Sequence[Sequence[Scalar]] | None = None,
    contains_rows: Sequence[Sequence[Scalar]] | None = None,
    order: Literal["same", "any"] = "same",
    sorted_by: str | None = None,
    descending: bool = False,
    unique: bool = False,
    tolerance: float = 0,
) -> Iterator[Finding | Evidence]:
    """A range holds rows of values.

    at: a range, a table, or a whole sheet.   rows: all its rows, in this order or (`order = "any"`) in any; wholly empty rows
    of the range do not count.   contains_rows: rows that have to be among them.   sorted_by: the letters of the column by
    which its rows are sorted, `descending` for largest first; equal values may stand in any order.   unique: no two rows alike.
    tolerance: how far numbers may be off.
    Values as for `xlsx.cell`.
    """
    target, book, found, missing = target_regions(context, at)
    yield from missing
    for region in found:
        places = list(region.places())
        values = seen_values(context, book, places)
        bad = [place for place in places if values[place].outcome is not Outcome.COMPUTED]
        for place in bad[:_MAX_FINDINGS]:
            yield undecided(target.artifact, book, place, values[place], None)
        if bad:
            continue
        width = region.area.last_column - region.area.first_column + 1
        held = [[shown(book, place, values[place].value) for place in places[at : at + width]] for at in range(0, len(places), width)]
        filled = [(region.area.first_row + number, row) for number, row in enumerate(held) if any(value != "" for value in row)]
        address = f"{target.artifact}#{region.address}"
        yield Evidence(address, f"{len(filled)} rows with values")
        if rows is not None:
            yield from _same_rows(target.artifact, book, region, filled, rows, order, tolerance)
        for row in contains_rows or ():
            if not any(_equal_rows(row, other, tolerance) for _, other in filled):
                yield Finding(FindingCode.MISSING, address, _plain_row(row), None, f"no row of {region.address} holds {_plain_row(row)}")
        if sorted_by is not None:
            yield from _unsorted(target.artifact, book, region, filled, sorted_by, descending)
        if unique:
            yield from _repeated(target.artifact, book, region, filled)


def _plain_row(row: Sequence[Scalar]) -> list[Value]:
    return [plain(value) for value in row]


def _equal_rows(one: Sequence[Scalar], other: Sequence[Scalar], tolerance: float) -> bool:
    return len(one) == len(other) and all(equal(value, wanted, tolerance) for value, wanted in zip(other, one))


def _row_address(artifact: str, book: Workbook, region: Region, number: int) -> str:
    area = region.area
    first = Region(region.sheet, type(area)(number, area.first_column, number, area.last_column))
    return f"{artifact}#{first.address}"


def _same_rows(
    artifact: str,
    book: Workbook,
    region: Region,
    held: Sequence[tuple[int, list[Scalar]]],
    rows: Sequence[Sequence[Scalar]],
    order: str,
    tolerance: float,
) -> Iterator[Finding]:
    address = f"{artifact}#{region.address}"
    if len(held) != len(rows):
        message = f"{region.address} has {len(held)} rows with values, not {len(rows)}"
        yield Finding(FindingCode.WRONG_COUNT, address, len(rows), len(held), message)
    if order == "any":
        left = list(held)
        for row in rows:
            match = next((entry for entry in left if _equal_rows(row, entry[1], tolerance)), None)
            if match is None:
                yield Finding(FindingCode.MISSING, address, _plain_row(row), None, f"no row of {region.address} holds {_plain_row(row)}")
            else:
                left.remove(match)
        return
    for (number, row), wanted in zip(held, rows):
        if not _equal_rows(wanted, row, tolerance):
            place = _row_address(artifact, book, region, number)
            yield Finding(
                FindingCode.MISMATCH, place, _plain_row(wanted), _plain_row(row), f"row {number} holds {_plain_row(row)}, not {_plain_row(wanted)}"
            )


def _sort_key(value: Scalar) -> tuple[int, float, str]:
    """Excel's order: numbers and dates, then text without regard to case, then FALSE and TRUE."""
    if isinstance(value, bool):
        return (2, float(value), "")
    if isinstance(value, str):
        return (1, 0.0, value.casefold())
    return (0, value, "")


def _unsorted(
    artifact: str, book: Workbook, region: Region, held: Sequence[tuple[int, list[Scalar]]], letters: str, descending: bool
) -> Iterator[Finding]:
    from docops.formats.xlsx.references import column_number

    position = column_number(letters) - region.area.first_column if letters.isalpha() else -1
    if not 0 <= position <= region.area.last_column - region.area.first_column:
        raise UsageError(f"`sorted_by` = {letters!r} is no column of {region.address}")
    keys = [(number, row[position]) for number, row in held if row[position] != ""]
    for (_, one), (number, other) in pairwise(keys):
        if isinstance(one, str) and isinstance(other, str) and same_moment(one, other):
            continue
        before, after = (_sort_key(other), _sort_key(one)) if descending else (_sort_key(one), _sort_key(other))
        if before > after:
            place = f"{artifact}#{cell_address(book, Place(region.sheet.index, number, region.area.first_column + position))}"
            wanted = "at most" if descending else "at least"
            message = f"row {number} breaks the order by column {letters}: {plain(other)} follows {plain(one)}"
            yield Finding(FindingCode.WRONG_ORDER, place, f"{wanted} {plain(one)}", plain(other), message)
            return


def _repeated(artifact: str, book: Workbook, region: Region, held: Sequence[tuple[int, list[Scalar]]]) -> Iterator[Finding]:
    seen: dict[str, int] = {}
    for number, row in held:
        key = repr([(type(value).__name__, plain(value)) for value in row])
        if key in seen:
            place = _row_address(artifact, book, region, number)
            yield Finding(FindingCode.UNEXPECTED, place, None, _plain_row(row), f"row {number} repeats row {seen[key]}")
        seen.setdefault(key, number)


def _errors() -> dict[str, bytes]:
    cells = {"A1": 10, "A2": 0, "A3": "=A1/A2", "A4": '=IFERROR(A3,"none")', "A5": "=SUM(A1:A2)"}
    return {"book.xlsx": workbook({"Calc": cells, "Fine": {"A1": "=Calc!A5*2"}})}


@predicate(
    "xlsx.no_errors",
    family=Family.STRUCTURAL,
    formats=("xlsx",),
    examples=(
        Example("a sheet without errors", _errors, {"at": "book.xlsx#sheet[Fine]"}, True),
        Example("a division by zero", _errors, {"at": "book.xlsx"}, FindingCode.FORMULA_ERROR),
        Example("an error that a formula catches is none", _errors, {"at": "book.xlsx#sheet[Calc]/cell[A4:A5]"}, True),
    ),
)
def no_errors(context: Context, *, at: str, allow: Sequence[str] = ()) -> Iterator[Finding | Evidence]:
    """No cell shows an error value.

    at: the workbook, a sheet, or a range.   allow: error values that may stand (`#N/A`).
    Formulas are recalculated. Those that no engine can calculate (volatile ones, references to other workbooks) are judged
    by their stored result, if they have one.
    """
    target = context.target(at, formats=("xlsx",))
    book = workbook_of(target)
    _, _, found, missing = target_regions(context, at)
    yield from missing
    source = source_of(book)
    places = [place for region in found for place in source.stored(region.sheet.index, region.area)]
    formulas = [place for place in places if source.is_formula(place)]
    results = recalculator(context, book).results(formulas)
    shown_errors = 0
    for place in places:
        sheet = book.sheets[place.sheet]
        stored = sheet.cell(place.row, place.column)
        result = results.get(place)
        value = stored.value if stored is not None and stored.kind == "error" else None
        code = str(value) if value is not None else ""
        if result is not None and result.outcome is Outcome.COMPUTED:
            code = result.value.code if isinstance(result.value, CellError) else ""
        if not code or code in allow:
            continue
        shown_errors += 1
        if shown_errors <= _MAX_FINDINGS:
            formula = sheet.formula(place.row, place.column)
            detail = f" (={formula})" if formula else ""
            message = f"{format_cell(place.row, place.column)} shows {code}{detail}"
            yield Finding(FindingCode.FORMULA_ERROR, f"{target.artifact}#{cell_address(book, place)}", None, code, message)
    yield Evidence(target.place(), f"{len(formulas)} formulas in {len(places)} cells")


VALUE_PREDICATES = (cell, cell_range, no_errors)
