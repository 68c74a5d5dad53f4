"""What a calculation reads of a workbook: cells, names, tables. Cached results of formulas are never among it."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from docops.formats.xlsx.references import Area, parse_area

if TYPE_CHECKING:
    from docops.formats.xlsx.model import Sheet, Workbook
    from docops.formats.xlsx.recalc.expand import Expanded


@dataclass(frozen=True, slots=True)
class CellError:
    """An error value; `code` as Excel shows it (`#DIV/0!`)."""

    code: str

    def __str__(self) -> str:
        return self.code


#: What a cell can hold: a number, text, a boolean, an error, or nothing.
CellValue = float | str | bool | CellError | None


class Place(NamedTuple):
    """A cell: index of its sheet, row and column (both from 1)."""

    sheet: int
    row: int
    column: int


@dataclass(frozen=True, slots=True)
class Input:
    """A cell as a calculation sees it.

    value: a constant; None where there is a formula.   formula: without `=`, or None.
    array: the range that an array formula fills, or None.   unsupported: why it cannot be calculated, or "".
    """

    value: CellValue
    formula: str | None = None
    array: Area | None = None
    unsupported: str = ""


@dataclass(frozen=True, slots=True)
class TableRange:
    """A table: its whole area on a sheet, its columns, and how many header and totals rows it has."""

    sheet: int
    area: Area
    columns: tuple[str, ...]
    header_rows: int
    totals_rows: int


class Source:
    """A workbook seen through the eyes of a calculation; reads only the rows that are asked for."""

    def __init__(self, workbook: Workbook) -> None:
        self.workbook = workbook
        self.spillers: dict[int, tuple[Place, ...]] = {}
        self.expanded: dict[Place, Expanded] = {}
        self._row_numbers: dict[int, list[int]] = {}
        self._hidden: dict[int, dict[int, bool]] = {}
        self._sorted: dict[tuple[int, Area], bool] = {}
        self._columns: dict[Place, list[int]] = {}

    @cached_property
    def sheet_names(self) -> tuple[str, ...]:
        """Names of all sheets in order."""
        return tuple(sheet.name for sheet in self.workbook.sheets)

    @cached_property
    def _sheet_index(self) -> Mapping[str, int]:
        return {sheet.name.casefold(): sheet.index for sheet in self.workbook.sheets}

    def sheet_index(self, name: str) -> int | None:
        """The index of a sheet by name; case does not matter."""
        return self._sheet_index.get(name.casefold())

    @property
    def date1904(self) -> bool:
        """Whether serial numbers count from 1904."""
        return self.workbook.date1904

    @property
    def as_displayed(self) -> bool:
        """Whether every result is rounded to what its number format shows."""
        return self.workbook.calculation.get("fullPrecision") in ("0", "false")

    def number_format(self, place: Place) -> str:
        """The code of a stored cell's number format."""
        cell = self.workbook.sheets[place.sheet].cell(place.row, place.column)
        return self.workbook.styles.number_format(cell.style) if cell is not None else "General"

    @property
    def iterates(self) -> bool:
        """Whether formulas that follow from themselves are calculated again and again."""
        return self.workbook.calculation.get("iterate") in ("1", "true")

    @cached_property
    def has_macros(self) -> bool:
        """Whether the workbook carries code that can define functions."""
        return bool(self.workbook.part.related("vbaProject")) or any(sheet.kind == "macrosheet" for sheet in self.workbook.sheets)

    def input(self, place: Place) -> Input | None:
        """What a cell holds, or None where nothing is stored."""
        sheet = self.workbook.sheets[place.sheet]
        cell = sheet.cell(place.row, place.column)
        if cell is None:
            return None
        if cell.formula is None:
            if cell.kind == "error":
                return Input(CellError(str(cell.value)))
            return Input(cell.value) if cell.kind != "blank" else None
        if cell.formula.kind == "dataTable":
            return Input(None, formula="", unsupported="a what-if data table")
        text = sheet.formula_text(place.row, place.column, cell.formula)
        if not text:
            return Input(None, formula="", unsupported="a shared formula whose first cell is missing")
        array: Area | None = None
        if cell.formula.kind == "array" and cell.formula.ref:
            try:
                array = parse_area(cell.formula.ref)
            except ValueError:
                return Input(None, formula=text, unsupported=f"an array formula in no range: {cell.formula.ref}")
        return Input(None, formula=text, array=array)

    def is_formula(self, place: Place) -> bool:
        """Whether a cell holds a formula."""
        cell = self.workbook.sheets[place.sheet].cell(place.row, place.column)
        return cell is not None and cell.formula is not None

    def stored(self, sheet: int, area: Area) -> Iterator[Place]:
        """The cells of an area that hold anything, row by row."""
        if sheet not in self._row_numbers:
            self._row_numbers[sheet] = sorted(self.workbook.sheets[sheet].rows)
        numbers = self._row_numbers[sheet]
        for row in numbers[bisect_left(numbers, area.first_row) : bisect_right(numbers, area.last_row)]:
            columns = self._row_columns(sheet, row)
            for column in columns[bisect_left(columns, area.first_column) : bisect_right(columns, area.last_column)]:
                yield Place(sheet, row, column)

    def _row_columns(self, sheet: int, row: int) -> list[int]:
        key = Place(sheet, row, 0)
        if key not in self._columns:
            cells = self.workbook.sheets[sheet].rows[row].cells
            self._columns[key] = sorted(column for column, cell in cells.items() if cell.kind != "blank" or cell.formula is not None)
        return self._columns[key]

    def filled(self, sheet: int, area: Area) -> Area:
        """An area without the empty rows at its end; of a single row, without the empty cells at its end."""
        places = list(self.stored(sheet, area))
        if not places or any(filled.intersection(area) is not None for filled, _ in self.array_cells.get(sheet, ())):
            return area
        if area.first_row == area.last_row:
            return replace(area, last_column=places[-1].column)
        return replace(area, last_row=places[-1].row)

    def is_sorted(self, sheet: int, area: Area) -> bool:
        """Whether the numbers, and the texts, in a row or column do not fall, without gaps; what formulas give is not known."""
        key = sheet, area
        if key not in self._sorted:
            held = [self.input(place) for place in self.stored(sheet, area)]
            if len(held) < self.filled(sheet, area).count:
                self._sorted[key] = False
                return False
            values = [stored.value for stored in held if stored is not None and stored.formula is None]
            numbers = [value for value in values if isinstance(value, float) and not isinstance(value, bool)]
            texts = [value.casefold() for value in values if isinstance(value, str)]
            # A heading over numbers is no text to search among.
            rises = all(one <= other for one, other in pairwise(numbers))
            self._sorted[key] = rises and (bool(numbers) or all(one <= other for one, other in pairwise(texts)))
        return self._sorted[key]

    def hidden_rows(self, sheet: int, area: Area) -> Mapping[int, bool]:
        """The hidden rows of an area, and whether a filter hides each of them."""
        if sheet not in self._hidden:
            rows = self.workbook.sheets[sheet].rows
            hidden = [number for number, row in rows.items() if row.element.get("hidden") in ("1", "true")]
            filters = tuple(_filtered(self.workbook.sheets[sheet])) if hidden else ()
            self._hidden[sheet] = {number: any(first < number <= last for first, last in filters) for number in sorted(hidden)}
        return {number: filtered for number, filtered in self._hidden[sheet].items() if area.first_row <= number <= area.last_row}

    @cached_property
    def last_row(self) -> int:
        """Last row in which any sheet stores anything."""
        return max((max(sheet.rows, default=1) for sheet in self.workbook.sheets if sheet.kind == "worksheet"), default=1)

    @cached_property
    def last_column(self) -> int:
        """Last column in which any sheet stores anything."""
        return max((max(row.cells, default=1) for sheet in self.workbook.sheets for row in sheet.rows.values()), default=1)

    @cached_property
    def array_cells(self) -> Mapping[int, tuple[tuple[Area, Place], ...]]:
        """Array formulas by sheet: the range each fills and where it stands."""
        return {sheet.index: tuple(_array_cells(sheet)) for sheet in self.workbook.sheets}

    @cached_property
    def _names(self) -> Mapping[tuple[int | None, str], str]:
        return {(name.scope, name.name.casefold()): name.text for name in self.workbook.names}

    def name(self, name: str, sheet: int | None) -> tuple[str, int | None] | None:
        """What a defined name stands for, and the sheet it belongs to; a sheet's own names come first."""
        key = name.casefold()
        if sheet is not None and (sheet, key) in self._names:
            return self._names[(sheet, key)], sheet
        text = self._names.get((None, key))
        return (text, None) if text is not None else None

    @cached_property
    def _name_pattern(self) -> re.Pattern[str] | None:
        names = sorted({name for _, name in self._names if not name.startswith("_xlnm.")} | set(self.tables), key=len, reverse=True)
        return re.compile(rf"(?<![\w.])(?:{'|'.join(map(re.escape, names))})(?![\w.(])", re.IGNORECASE) if names else None

    def mentions_names(self, formula: str) -> bool:
        """Whether a formula uses a defined name or a table."""
        return self._name_pattern is not None and self._name_pattern.search(formula) is not None

    @cached_property
    def tables(self) -> Mapping[str, TableRange]:
        """Tables by name, folded in case."""
        out: dict[str, TableRange] = {}
        for table in self.workbook.tables:
            try:
                area = parse_area(table.ref)
            except ValueError:
                continue
            out[table.name.casefold()] = TableRange(table.sheet, area, table.columns, table.header_rows, table.totals_rows)
        return out

    def table_at(self, place: Place) -> TableRange | None:
        """The table that holds a cell, or None."""
        return next((table for table in self.tables.values() if table.sheet == place.sheet and table.area.contains(place.row, place.column)), None)


def _array_cells(sheet: Sheet) -> Iterator[tuple[Area, Place]]:
    from docops.formats.xlsx.model import X

    if not sheet_mentions(sheet, b"array"):
        return
    for number, row in sheet.rows.items():
        if row.element.find(f"{X}c/{X}f[@t='array']") is None:
            continue
        for column, cell in row.cells.items():
            if cell.formula is not None and cell.formula.kind == "array":
                try:
                    yield parse_area(cell.formula.ref), Place(sheet.index, number, column)
                except ValueError:
                    continue


def _filtered(sheet: Sheet) -> Iterator[tuple[int, int]]:
    """First and last row of each range on a sheet that a filter with a condition is on, its header included."""
    from docops.formats.xlsx.model import X

    roots = [sheet.xml, *(table.part.xml for table in sheet.tables)]
    for root in roots:
        element = root.find(f"{X}autoFilter") if root is not None else None
        if element is None or element.find(f"{X}filterColumn") is None:
            continue
        try:
            area = parse_area(element.get("ref", ""))
        except ValueError:
            continue
        yield area.first_row, area.last_row


def sheet_mentions(sheet: Sheet, *texts: bytes) -> bool:
    """Whether the sheet's bytes hold one of the texts: a cheap test before a costly search (UTF-16 is not looked into)."""
    if sheet.part is None or sheet.kind != "worksheet":
        return False
    data = sheet.part.data
    return data[:2] in (b"\xff\xfe", b"\xfe\xff") or any(text in data for text in texts)
