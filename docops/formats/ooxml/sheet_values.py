"""Cell values of a small workbook, for workbooks that are embedded in charts; independent of the xlsx format."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from lxml import etree

from docops.core.canonical import digest
from docops.core.errors import Unreadable
from docops.core.limits import DEFAULT_LIMITS, Limits
from docops.formats.ooxml.package import NS_R, Part, inner_limits, open_package

NS_X = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
X = "{" + NS_X + "}"

CellValue = str | float | bool | None

_CELL = re.compile(r"\$?([A-Za-z]{1,3})\$?([0-9]{1,7})")
_AREA = re.compile(r"(?:'((?:[^']|'')+)'|([^'!,()]+))!\$?([A-Za-z]{1,3})\$?([0-9]{1,7})(?::\$?([A-Za-z]{1,3})\$?([0-9]{1,7}))?")

#: Cells of one reference that are looked at; more than a chart can show.
_MAX_CELLS = 100_000


@dataclass(frozen=True, slots=True)
class SheetValues:
    """One sheet: (row, column) → value, formulas by the same key, and the rows and columns that are hidden."""

    cells: Mapping[tuple[int, int], CellValue]
    formulas: Mapping[tuple[int, int], str]
    hidden_rows: frozenset[int] = frozenset()
    hidden_columns: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class WorkbookValues:
    """Sheets by name in their order, and defined names."""

    sheets: Mapping[str, SheetValues]
    names: Mapping[str, str] = field(default_factory=dict)

    def values(self, reference: str, *, visible_only: bool = False) -> list[CellValue] | None:
        """The values of a reference (`Sheet1!$A$2:$A$5`, several areas, a defined name) in its order; None if it does not resolve."""
        reference = reference.strip().lstrip("=")
        reference = self.names.get(reference, reference)
        areas = list(_AREA.finditer(reference))
        if not areas or _AREA.sub("", reference).strip("(), "):
            return None
        out: list[CellValue] = []
        for area in areas:
            sheet = self._sheet(area.group(1).replace("''", "'") if area.group(1) else area.group(2))
            if sheet is None:
                return None
            for row, column in _cells(area):
                if visible_only and (row in sheet.hidden_rows or column in sheet.hidden_columns):
                    continue
                out.append(sheet.cells.get((row, column)))
                if len(out) > _MAX_CELLS:
                    return None
        return out

    def _sheet(self, name: str) -> SheetValues | None:
        if name in self.sheets:
            return self.sheets[name]
        folded = {sheet.casefold(): values for sheet, values in self.sheets.items()}
        return folded.get(name.casefold())

    def meaning(self, apart_from: Sequence[str] = ()) -> str:
        """Digest of all values, formulas and names; equal for workbooks that hold the same, however they are stored.

        apart_from: references whose cells are left out.
        """
        left_out = {place for reference in apart_from for place in self._places(reference)}
        sheets = [
            [
                name,
                [[row, column, _plain(value)] for (row, column), value in sorted(sheet.cells.items()) if value is not None and (name, row, column) not in left_out],
                [[row, column, text] for (row, column), text in sorted(sheet.formulas.items()) if (name, row, column) not in left_out],
            ]
            for name, sheet in self.sheets.items()
        ]
        return digest([sheets, sorted(self.names.items())])[:24]

    def _places(self, reference: str) -> Iterator[tuple[str, int, int]]:
        """Sheet, row and column of every cell of a reference."""
        for area in _AREA.finditer(self.names.get(reference, reference)):
            wanted = area.group(1).replace("''", "'") if area.group(1) else area.group(2)
            name = next((sheet for sheet in self.sheets if sheet.casefold() == wanted.casefold()), wanted)
            for count, (row, column) in enumerate(_cells(area)):
                if count >= _MAX_CELLS:
                    return
                yield name, row, column

    def texts(self) -> list[str]:
        """Every text that a cell holds, and the names of the sheets, in order without repeats."""
        found = dict.fromkeys(self.sheets)
        for sheet in self.sheets.values():
            found.update(dict.fromkeys(value for _, value in sorted(sheet.cells.items()) if isinstance(value, str) and value))
        return list(found)


def _plain(value: CellValue) -> str:
    return f"number {value!r}" if isinstance(value, float) else f"{type(value).__name__} {value}"


def read_workbook(data: bytes, limits: Limits = DEFAULT_LIMITS) -> WorkbookValues:
    """The values that a workbook stores (cached ones where a cell has a formula).

    Raises Unreadable where the bytes are no readable xlsx package.
    """
    package = open_package(data, limits)
    for member in package.parts.values():
        member.data  # noqa: B018 - a member that does not inflate makes the workbook unreadable, looked at or not
    main = package.main
    strings = _shared_strings(main)
    sheets: dict[str, SheetValues] = {}
    for element in main.xml.iter(f"{X}sheet"):
        part = main.target(element.get("{" + NS_R + "}id"))
        if part is not None and part.is_xml:
            sheets[element.get("name") or ""] = _read_sheet(part, strings)
    names = {element.get("name") or "": (element.text or "").strip() for element in main.xml.iter(f"{X}definedName")}
    return WorkbookValues(sheets, names)


def read_embedded(part: Part | None) -> WorkbookValues | None:
    """The workbook in an embedded part, or None where there is none or it cannot be read (binary formats)."""
    if part is None:
        return None
    try:
        return read_workbook(part.data, inner_limits(part.package.limits))
    except Unreadable:
        return None


def _shared_strings(main: Part) -> list[str]:
    for part in main.related("sharedStrings"):
        return [item_text(item) for item in part.xml.iter(f"{X}si")]
    return []


def item_text(item: etree._Element) -> str:
    """Text of a shared or inline string, its phonetic reading left out."""
    out = []
    for child in item:
        if child.tag == f"{X}t":
            out.append(child.text or "")
        elif child.tag == f"{X}r":
            out += [text.text or "" for text in child.iter(f"{X}t")]
    return "".join(out)


def _read_sheet(part: Part, strings: list[str]) -> SheetValues:
    cells: dict[tuple[int, int], CellValue] = {}
    formulas: dict[tuple[int, int], str] = {}
    hidden_rows = set()
    hidden_columns: set[int] = set()
    root = part.xml
    for element in root.iter(f"{X}col"):
        if _true(element.get("hidden")):
            hidden_columns.update(range(_whole(element.get("min")), min(_whole(element.get("max")), 16384) + 1))
    row_number = 0
    for row in root.iter(f"{X}row"):
        row_number = _whole(row.get("r")) or row_number + 1
        if _true(row.get("hidden")):
            hidden_rows.add(row_number)
        column = 0
        for cell in row.iter(f"{X}c"):
            match = _CELL.fullmatch(cell.get("r") or "")
            column = column_number(match.group(1)) if match else column + 1
            value = _cell_value(cell, strings)
            if value is not None:
                cells[row_number, column] = value
            formula = cell.find(f"{X}f")
            if formula is not None:
                formulas[row_number, column] = formula.text or formula.get("t") or ""
    return SheetValues(cells, formulas, frozenset(hidden_rows), frozenset(hidden_columns))


def _cell_value(cell: etree._Element, strings: list[str]) -> CellValue:
    kind = cell.get("t") or "n"
    if kind == "inlineStr":
        item = cell.find(f"{X}is")
        return item_text(item) if item is not None else None
    stored = cell.findtext(f"{X}v")
    if stored is None:
        return None
    if kind == "s":
        index = _whole(stored)
        return strings[index] if 0 <= index < len(strings) else None
    if kind == "b":
        return _true(stored)
    if kind in {"str", "e", "d"}:
        return stored
    return number(stored)


def number(text: str | None) -> float | None:
    """A stored number; None where the text is none."""
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if value == value and abs(value) != float("inf") else None


def column_number(letters: str) -> int:
    """1 for A, 27 for AA."""
    value = 0
    for letter in letters.upper():
        value = value * 26 + ord(letter) - 64
    return value


def _cells(area: re.Match[str]) -> Iterator[tuple[int, int]]:
    first_column, first_row = column_number(area.group(3)), int(area.group(4))
    last_column = column_number(area.group(5)) if area.group(5) else first_column
    last_row = int(area.group(6)) if area.group(6) else first_row
    for row in range(min(first_row, last_row), max(first_row, last_row) + 1):
        for column in range(min(first_column, last_column), max(first_column, last_column) + 1):
            yield row, column


def _whole(text: str | None) -> int:
    value = number(text)
    return int(value) if value is not None and abs(value) < 1e9 else 0


def _true(text: str | None) -> bool:
    return (text or "").strip().lower() in {"1", "true", "on"}
