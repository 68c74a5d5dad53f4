"""What predicates about workbooks share: the cells that an address names, and values as a reader sees them."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from docops.core.address import Address, Segment, parse_address
from docops.core.codes import FindingCode
from docops.core.errors import UsageError
from docops.core.node import Node, Value
from docops.core.predicate import Context, Finding, Target
from docops.formats.xlsx.model import Sheet, Table, Workbook
from docops.formats.xlsx.recalc import CellError, CellValue, Outcome, Place, Recalculator, Result, Source
from docops.formats.xlsx.recalc.expand import table_area
from docops.formats.xlsx.references import MAX_COLUMN, MAX_ROW, Area, StructuredReference, format_cell, parse_area, parse_reference

#: A value in a verifier: text, number, true or false.
Scalar = str | float | bool

#: Cells one criterion looks at, one by one.
MAX_CELLS = 100_000


@dataclass(frozen=True, slots=True)
class Region:
    """An area of one sheet."""

    sheet: Sheet
    area: Area

    def places(self) -> Iterator[Place]:
        """Every cell; raises UsageError where there are more than a criterion may name."""
        if self.area.count > MAX_CELLS:
            raise UsageError(f"{address_of(self.sheet, self.area)} holds more than {MAX_CELLS} cells")
        return (Place(self.sheet.index, row, column) for row, column in self.area.cells())

    @property
    def address(self) -> str:
        """Its address in the document."""
        return address_of(self.sheet, self.area)


def workbook_of(target: Target) -> Workbook:
    """The parsed workbook that a target is in."""
    return cast(Workbook, cast(Any, target.document).workbook)


def source_of(workbook: Workbook) -> Source:
    """The workbook as calculations see it; one for all criteria."""
    # It holds the workbook, so the workbook keeps it: a table of all workbooks would never let go of either.
    kept: dict[str, object] = vars(workbook)
    found = kept.get("_calculation_source")
    if not isinstance(found, Source):
        found = kept["_calculation_source"] = Source(workbook)
    return found


def recalculator(context: Context, workbook: Workbook) -> Recalculator:
    """A recalculator that notes the engines it uses for the verdict."""
    return Recalculator(source_of(workbook), note=context.engine_used)


def address_of(sheet: Sheet, area: Area | None = None) -> str:
    """The address of a sheet, or of cells in it."""
    base = Node(None, "sheet", name=sheet.name)
    return base.address if area is None else Node(base, "cell", name=str(area)).address


def cell_address(workbook: Workbook, place: Place) -> str:
    """The address of a cell."""
    return address_of(workbook.sheets[place.sheet], Area(place.row, place.column, place.row, place.column))


def find_sheet(workbook: Workbook, segment: Segment) -> Sheet | None:
    """The sheet that a step names: by name, by position, or the only one."""
    if segment.number is not None and segment.last is None:
        by_name = workbook.sheet(str(segment.number))
        return by_name or (workbook.sheets[segment.number - 1] if segment.number <= len(workbook.sheets) else None)
    if segment.name is not None:
        return next((sheet for sheet in workbook.sheets if sheet.name == segment.name), None) or workbook.sheet(segment.name)
    return workbook.sheets[0] if len(workbook.sheets) == 1 else None


def regions(workbook: Workbook, address: Address) -> list[Region]:
    """The areas that an address names: cells, columns, rows, sheets, tables and their columns, defined names; all sheets for a workbook.

    Empty where a sheet, table or name does not exist. Raises UsageError for an address of something that has no cells.
    """
    if not address.segments:
        return [Region(sheet, used_area(sheet)) for sheet in workbook.sheets if sheet.kind == "worksheet"]
    first, *rest = address.segments
    if first.kind == "name":
        return _named(workbook, first.name or "")
    if first.kind != "sheet":
        raise UsageError(f"{address} names no cells; write sheet[…]/cell[…], sheet[…]/table[…] or name[…]")
    sheets = [sheet for sheet in workbook.sheets if sheet.kind == "worksheet"] if first.any else [find_sheet(workbook, first)]
    out: list[Region] = []
    for sheet in sheets:
        if sheet is not None:
            out += _in_sheet(sheet, rest, address)
    return out


def _in_sheet(sheet: Sheet, rest: Sequence[Segment], address: Address) -> list[Region]:
    if not rest:
        return [Region(sheet, used_area(sheet))]
    step = rest[0]
    key = step.name if step.name is not None else f"{step.number}" if step.last is None and step.number is not None else f"{step.number}:{step.last}"
    if step.kind in {"cell", "merge"}:
        if step.any:
            return [Region(sheet, used_area(sheet))]
        return [Region(sheet, _area(key, address))]
    if step.kind == "column":
        return [Region(sheet, _clip(sheet, _area(key if ":" in key else f"{key}:{key}", address)))]
    if step.kind == "row":
        return [Region(sheet, _clip(sheet, _area(key if ":" in key else f"{key}:{key}", address)))]
    if step.kind == "table":
        table = find_table(sheet.workbook, step.name or "", sheet)
        if table is None:
            return []
        column = rest[1].name if len(rest) > 1 and rest[1].kind == "column" else None
        area = table_region(table, column)
        return [Region(sheet, area)] if area is not None else []
    raise UsageError(f"{address} names no cells; {step.kind} has none")


def _area(text: str, address: Address) -> Area:
    try:
        return parse_area(text)
    except ValueError as error:
        raise UsageError(f"{address}: {error}") from error


def _clip(sheet: Sheet, area: Area) -> Area:
    used = used_area(sheet)
    last_row = min(area.last_row, max(used.last_row, area.first_row)) if area.last_row == MAX_ROW else area.last_row
    last_column = min(area.last_column, max(used.last_column, area.first_column)) if area.last_column == MAX_COLUMN else area.last_column
    return Area(area.first_row, area.first_column, last_row, last_column)


def _named(workbook: Workbook, name: str) -> list[Region]:
    found = source_of(workbook).name(name, None)
    if found is None:
        return []
    reference = parse_reference(found[0])
    if reference is None or reference.sheet is None:
        raise UsageError(f"the name {name} stands for {found[0]}, which is not a range")
    sheet = workbook.sheet(reference.sheet)
    return [Region(sheet, _clip(sheet, reference.area))] if sheet is not None else []


def used_area(sheet: Sheet) -> Area:
    """The rectangle from A1 to the last cell that holds something."""
    last_row = last_column = 1
    for number, row in sheet.rows.items():
        filled = [column for column, cell in row.cells.items() if cell.kind != "blank" or cell.formula is not None]
        if filled:
            last_row, last_column = max(last_row, number), max(last_column, *filled)
    return Area(1, 1, last_row, last_column)


def find_table(workbook: Workbook, name: str, sheet: Sheet | None = None) -> Table | None:
    """A table by name (case does not matter), on one sheet or anywhere."""
    tables = workbook.tables if sheet is None else sheet.tables
    return next((table for table in tables if table.name.casefold() == name.casefold()), None)


def table_region(table: Table, column: str | None = None) -> Area | None:
    """The data cells of a table, or of one of its columns; None where it has no such column or no rows."""
    from docops.formats.xlsx.recalc.source import TableRange

    stored = TableRange(table.sheet, parse_area(table.ref), table.columns, table.header_rows, table.totals_rows)
    area = table_area(stored, StructuredReference(table.name, frozenset(), column), Place(table.sheet, 1, 1))
    return area if isinstance(area, Area) else None


def target_regions(context: Context, at: str) -> tuple[Target, Workbook, list[Region], list[Finding]]:
    """A predicate's place: its target, workbook and areas; findings where something on the way does not exist."""
    target = context.target(at, formats=("xlsx",))
    workbook = workbook_of(target)
    found = regions(workbook, target.address)
    missing = [] if found else [missing_finding(target, workbook)]
    return target, workbook, found, missing


def missing_finding(target: Target, workbook: Workbook) -> Finding:
    """What is said where an address names nothing in the output."""
    names: list[Value] = [sheet.name for sheet in workbook.sheets]
    first = target.address.segments[0] if target.address.segments else None
    if first is not None and first.kind == "sheet" and find_sheet(workbook, first) is None:
        message = f"there is no {first}; the sheets are {', '.join(map(str, names))}"
        return Finding(FindingCode.MISSING, target.artifact if not target.address.segments else target.place(), str(first), names, message)
    return Finding(FindingCode.MISSING, target.place(), str(target.address.path), None, f"there is no {target.address.path}")


def relative_address(text: str, artifact: str) -> Address:
    """The address of another place in the same workbook, as `depends_on` holds it."""
    address = parse_address(text)
    if address.artifact is not None and address.artifact != artifact:
        raise UsageError(f"{text} is in another artifact than the formula ({artifact})")
    return address


# Values -------------------------------------------------------------------------------------------------------------


def is_covered(sheet: Sheet, place: Place) -> bool:
    """Whether a merged range shows another cell in this place."""
    for ref in sheet.merged:
        try:
            area = parse_area(ref)
        except ValueError:
            continue
        if area.contains(place.row, place.column):
            return (area.first_row, area.first_column) != (place.row, place.column)
    return False


def shown(workbook: Workbook, place: Place, value: CellValue) -> Scalar:
    """A cell's value as predicates compare it: dates as ISO text, "" for empty, an error as its code."""
    if value is None:
        return ""
    if isinstance(value, CellError):
        return value.code
    if isinstance(value, float) and not isinstance(value, bool):
        from docops.formats.xlsx.values import iso_of_serial

        sheet = workbook.sheets[place.sheet]
        cell = sheet.cell(place.row, place.column)
        if cell is not None and workbook.is_date(cell.style):
            return iso_of_serial(value, workbook.date1904) or value
    return value


def plain(value: Scalar) -> Value:
    """A value as JSON: whole numbers without a fraction, others at the 15 digits a spreadsheet shows."""
    if isinstance(value, bool) or not isinstance(value, float):
        return value
    if value.is_integer() and abs(value) < 1e15:
        return int(value)
    return float(f"{value:.15g}")


def equal(observed: Scalar, expected: Scalar, tolerance: float = 0.0) -> bool:
    """Whether a value is the expected one: same type, text exactly, numbers within the tolerance and rounding noise."""
    if isinstance(observed, bool) or isinstance(expected, bool):
        return isinstance(observed, bool) and isinstance(expected, bool) and observed == expected
    if isinstance(observed, str) or isinstance(expected, str):
        if not (isinstance(observed, str) and isinstance(expected, str)):
            return False
        return observed == expected or same_moment(observed, expected)
    return abs(observed - expected) <= tolerance + max(1e-12 * max(abs(observed), abs(expected)), 1e-12)


def same_moment(one: str, other: str) -> bool:
    """Whether two texts are the same date and time in ISO spelling (`2024-01-28`, `2024-01-28T00:00:00`)."""
    if not (one[:4].isdigit() and other[:4].isdigit() and one[4:5] == other[4:5] == "-"):
        return False
    try:
        return datetime.datetime.fromisoformat(one) == datetime.datetime.fromisoformat(other)
    except (ValueError, TypeError):
        return False


def undecided(artifact: str, workbook: Workbook, place: Place, result: Result, expected: Value) -> Finding:
    """The finding for a formula whose value could not be worked out: held against nobody."""
    code = FindingCode.INCONCLUSIVE if result.outcome is Outcome.INCONCLUSIVE else FindingCode.UNSUPPORTED
    cell = format_cell(place.row, place.column)
    return Finding(
        code, f"{artifact}#{cell_address(workbook, place)}", expected, None, f"the value of {cell} could not be calculated: {result.reason}"
    )


def seen_values(context: Context, workbook: Workbook, places: Sequence[Place]) -> Mapping[Place, Result]:
    """What a reader sees in cells: constants as stored, formulas recalculated, nothing under merged ranges."""
    out: dict[Place, Result] = {}
    formulas: list[Place] = []
    source = source_of(workbook)
    for place in places:
        sheet = workbook.sheets[place.sheet]
        if sheet.merged and is_covered(sheet, place):
            out[place] = Result(Outcome.COMPUTED, None)
            continue
        stored = source.input(place)
        if stored is not None and stored.formula is None and not source.array_cells.get(place.sheet):
            out[place] = Result(Outcome.COMPUTED, stored.value)
        else:
            formulas.append(place)
    if formulas:
        out |= recalculator(context, workbook).results(formulas)
    return out
