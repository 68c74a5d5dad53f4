"""Workbooks as the xlsx mutation operators see them: parts and cells by address, read with lxml alone."""

from __future__ import annotations

import copy
import functools
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from lxml import etree

from docops.core.address import format_segment
from docops.core.operator import CorruptionClass, Operator, OperatorExample
from docops.operators.ooxml_file import OoxmlFile, Place, R, attributes, local_name, place_operator, remove_element
from docops.operators.samples import blank_workbook, sample_workbook

_REFERENCE = re.compile(r"([A-Z]+)([0-9]+)")
_DATE_IDS = frozenset({*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)})
FORMULA_REFERENCE = re.compile(r"(?<![A-Za-z0-9_.!'$])((?:'[^']+'|[A-Za-z_][\w.]*)!)?(\$?)([A-Z]{1,3})(\$?)([1-9][0-9]*)(?![\w(!.])")
FORMULA_RANGE = re.compile(r"(\$?[A-Z]{1,3}\$?)([1-9][0-9]*):(\$?[A-Z]{1,3}\$?)([1-9][0-9]*)(?![\w(])")


@dataclass(frozen=True, slots=True)
class Sheet:
    """One sheet of the workbook, with its part and the element that lists it."""

    name: str
    part: str
    element: etree._Element
    number: int

    @property
    def address(self) -> str:
        """The sheet's address."""
        return format_segment("sheet", self.name)


class XlsxFile(OoxmlFile):
    """A workbook being edited."""

    @cached_property
    def sheets(self) -> list[Sheet]:
        """Work sheets and chart sheets, in tab order."""
        out = []
        for number, element in enumerate(self.xml(self.main).iterfind("{*}sheets/{*}sheet")):
            rel_id = next((value for name, value in attributes(element) if name.endswith("}id")), None)
            part = self.target(self.main, rel_id)
            if part is not None:
                out.append(Sheet(element.get("name") or "", part, element, number))
        return out

    @cached_property
    def shared_strings(self) -> list[str]:
        """The texts of the shared strings."""
        parts = self.related(self.main, "sharedStrings")
        return [item_text(item) for item in self.xml(parts[0]).iterfind("{*}si")] if parts else []

    def cells(self, sheet: Sheet) -> Iterator[etree._Element]:
        """The cells of a sheet that carry a reference, in the order stored.

        Cells that an array formula or a data table of another cell fills are left out: what they hold is a stored result.
        """
        filled = self._filled(sheet)
        for cell in self.xml(sheet.part).iterfind("{*}sheetData/{*}row/{*}c"):
            reference = cell.get("r")
            if reference and (reference not in filled or cell.find("{*}f") is not None):
                yield cell

    def _filled(self, sheet: Sheet) -> frozenset[str]:
        found: set[str] = set()
        for formula in self.xml(sheet.part).iterfind("{*}sheetData/{*}row/{*}c/{*}f"):
            first, _, last = (formula.get("ref") or "").partition(":")
            if formula.get("t") in ("array", "dataTable") and last:
                (left, top), (right, bottom) = split_reference(first), split_reference(last)
                columns = range(column_number(left), min(column_number(right), column_number(left) + 200) + 1)
                found |= {f"{column_letters(column)}{row}" for column in columns for row in range(top, min(bottom, top + 2000) + 1)}
        return frozenset(found)

    def text(self, cell: etree._Element) -> str:
        """The text or number stored in a cell, without number format."""
        value = cell.findtext("{*}v")
        if cell.get("t") == "s" and value is not None and value.isdigit() and int(value) < len(self.shared_strings):
            return self.shared_strings[int(value)]
        if cell.get("t") == "inlineStr":
            item = cell.find("{*}is")
            return "" if item is None else item_text(item)
        return value or ""

    def set_text(self, cell: etree._Element, text: str) -> None:
        """Put a text into a cell, inline."""
        for child in list(cell):
            cell.remove(child)
        cell.set("t", "inlineStr")
        item = add(add(cell, "is"), "t")
        item.text = text
        if text != text.strip():
            item.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")

    @property
    def styles_part(self) -> str | None:
        """Name of the styles part."""
        parts = self.related(self.main, "styles")
        return parts[0] if parts else None

    def style(self, cell: etree._Element) -> etree._Element | None:
        """The cell's entry in cellXfs."""
        if self.styles_part is None:
            return None
        found = self.xml(self.styles_part).findall("{*}cellXfs/{*}xf")
        index = int(cell.get("s") or 0)
        return found[index] if index < len(found) else None

    def number_format(self, cell: etree._Element) -> tuple[int, str]:
        """Id and code of the cell's number format ("" for built-in ones)."""
        style = self.style(cell)
        if style is None or self.styles_part is None:
            return 0, ""
        number = int(style.get("numFmtId") or 0)
        for entry in self.xml(self.styles_part).iterfind("{*}numFmts/{*}numFmt"):
            if entry.get("numFmtId") == str(number):
                return number, entry.get("formatCode") or ""
        return number, ""

    def is_date(self, cell: etree._Element) -> bool:
        """Whether the cell's number format shows a date."""
        number, code = self.number_format(cell)
        bare = re.sub(r'"[^"]*"|\[[^\]]*\]|\\.', "", code.lower())
        return number in _DATE_IDS or bool(re.search(r"[dy]", bare))

    def restyle(self, cell: etree._Element, change: Callable[[etree._Element, etree._Element], None]) -> None:
        """Give one cell a style of its own. `change` gets a copy of its xf and the root of the styles part."""
        if self.styles_part is None:
            return
        root = self.edit(self.styles_part)
        table = root.find("{*}cellXfs")
        own = self.style(cell)
        if table is None or own is None:
            return
        new = copy.deepcopy(own)
        change(new, root)
        table.append(new)
        table.set("count", str(len(table)))
        cell.set("s", str(len(table) - 1))

    def add_entry(self, root: etree._Element, table: str, index: int, change: Callable[[etree._Element], None]) -> int:
        """Append a changed copy of an entry of a styles table (`fonts`, `fills`) and return its index."""
        entries = root.find(f"{{*}}{table}")
        if entries is None:
            return 0
        new = copy.deepcopy(entries[index])
        change(new)
        entries.append(new)
        entries.set("count", str(len(entries)))
        return len(entries) - 1

    def number_of(self, code: str, root: etree._Element) -> str:
        """The id of a number format code, added where it is new."""
        table = root.find("{*}numFmts")
        if table is None:
            table = etree.Element(root.tag.replace("styleSheet", "numFmts"))
            root.insert(0, table)
        for entry in table:
            if entry.get("formatCode") == code:
                return entry.get("numFmtId") or "0"
        used = [int(entry.get("numFmtId") or 0) for entry in table]
        number = str(max([163, *used]) + 1)
        add(table, "numFmt", numFmtId=number, formatCode=code)
        table.set("count", str(len(table)))
        return number

    def cell(self, sheet: Sheet, reference: str) -> etree._Element:
        """The cell with that reference, added where there is none."""
        data = self.edit(sheet.part).find("{*}sheetData")
        if data is None:
            raise LookupError("the sheet has no cells")
        column, row = split_reference(reference)
        row_element = next((r for r in data if r.get("r") == str(row)), None)
        if row_element is None:
            row_element = make(data, "row", r=str(row))
            position = sum(1 for r in data if int(r.get("r") or 0) < row)
            data.insert(position, row_element)
        found = next((c for c in row_element if c.get("r") == reference), None)
        if found is None:
            found = make(row_element, "c", r=reference)
            position = sum(1 for c in row_element if column_number(split_reference(c.get("r") or "A1")[0]) < column_number(column))
            row_element.insert(position, found)
        return found

    def drawing_objects(self, sheet: Sheet, kind: str) -> Iterator[tuple[int, str, etree._Element, str]]:
        """Charts or images of a sheet: number, drawing part, anchor, and the part that is shown."""
        number = 0
        for drawing in self.related(sheet.part, "drawing"):
            for anchor in self.xml(drawing):
                for element in anchor.iter(f"{{*}}{'chart' if kind == 'chart' else 'blip'}"):
                    rel_id = element.get(f"{R}id") or element.get(f"{R}embed")
                    target = self.target(drawing, rel_id)
                    if target is not None:
                        number += 1
                        yield number, drawing, anchor, target


def make(parent: etree._Element, tag: str, /, **attributes: str) -> etree._Element:
    """A new element in the parent's namespace, not yet put in its place."""
    namespace = etree.QName(parent).namespace
    return etree.Element(f"{{{namespace}}}{tag}" if namespace else tag, attributes)


def add(parent: etree._Element, tag: str, /, **attributes: str) -> etree._Element:
    """A new last child in the parent's namespace."""
    element = make(parent, tag, **attributes)
    parent.append(element)
    return element


def item_text(item: etree._Element) -> str:
    """The text of a shared or inline string, phonetic hints left out."""
    return "".join(t.text or "" for t in item.iter("{*}t") if local_name(_parent(t)) != "rPh")


def _parent(element: etree._Element) -> etree._Element:
    parent = element.getparent()
    return element if parent is None else parent


def split_reference(reference: str) -> tuple[str, int]:
    """Column letters and row number of a cell reference."""
    match = _REFERENCE.fullmatch(reference)
    return (match.group(1), int(match.group(2))) if match else ("A", 1)


def column_number(letters: str) -> int:
    """1 for A, 27 for AA."""
    return functools.reduce(lambda total, letter: total * 26 + ord(letter) - 64, letters, 0)


def column_letters(number: int) -> str:
    """A for 1, AA for 27."""
    out = ""
    while number:
        number, rest = divmod(number - 1, 26)
        out = chr(65 + rest) + out
    return out


def find_cells(
    keep: Callable[[XlsxFile, etree._Element], bool], before: Callable[[XlsxFile, etree._Element], str] | None = None
) -> Callable[[XlsxFile], Iterator[Place]]:
    """A finder of the cells that satisfy a condition."""

    def find(book: XlsxFile) -> Iterator[Place]:
        for sheet in book.sheets:
            for cell in book.cells(sheet):
                if keep(book, cell):
                    text = before(book, cell) if before else describe(book, cell)
                    yield Place(f"{sheet.address}/cell[{cell.get('r')}]", sheet.part, cell, text, sheet)

    return find


def find_sheets(keep: Callable[[XlsxFile, Sheet], bool] = lambda book, sheet: True) -> Callable[[XlsxFile], Iterator[Place]]:
    """A finder of the sheets that satisfy a condition; the place is the sheet's part."""

    def find(book: XlsxFile) -> Iterator[Place]:
        for sheet in book.sheets:
            if keep(book, sheet):
                yield Place(sheet.address, sheet.part, book.xml(sheet.part), sheet.name, sheet)

    return find


def find_in_sheets(path: str, address: Callable[[Sheet, etree._Element, int], str]) -> Callable[[XlsxFile], Iterator[Place]]:
    """A finder of elements of sheet parts; `address` gets the sheet, the element and its 1-based number in the sheet."""

    def find(book: XlsxFile) -> Iterator[Place]:
        for sheet in book.sheets:
            for number, element in enumerate(book.xml(sheet.part).iterfind(path), 1):
                before = etree.tostring(element, encoding="unicode", with_tail=False)
                yield Place(address(sheet, element, number), sheet.part, element, re.sub(r'\sxmlns(:\w+)?="[^"]*"', "", before), sheet)

    return find


def describe(book: XlsxFile, cell: etree._Element) -> str:
    """A cell as a person reads it: its formula or its content."""
    formula = cell.find("{*}f")
    if formula is not None:
        return f"={formula.text or ''} → {cell.findtext('{*}v') or ''}"
    return book.text(cell)


def is_formula(book: XlsxFile, cell: etree._Element) -> bool:
    """An ordinary formula written in its own cell (shared ones of other cells left out)."""
    formula = cell.find("{*}f")
    return formula is not None and bool(formula.text) and formula.get("t") in (None, "normal", "shared", "array")


def is_number(book: XlsxFile, cell: etree._Element) -> bool:
    """A typed-in number."""
    value = cell.findtext("{*}v")
    if cell.find("{*}f") is not None or cell.get("t") not in (None, "n") or not value:
        return False
    try:
        float(value)
    except ValueError:
        return False
    return True


def is_text(book: XlsxFile, cell: etree._Element) -> bool:
    """A typed-in text that is not empty."""
    return cell.find("{*}f") is None and cell.get("t") in ("s", "inlineStr", "str") and bool(book.text(cell).strip())


def number_text(value: float) -> str:
    """A number as a cell stores it."""
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


def drop(element: etree._Element, holder: bool = True) -> None:
    """Remove an element, and its container where it was the last one in it; a `count` is kept true."""
    parent = element.getparent()
    remove_element(element)
    if parent is None:
        return
    if holder and len(parent) == 0 and parent.getparent() is not None:
        remove_element(parent)
    elif parent.get("count") is not None:
        parent.set("count", str(len(parent)))


SAMPLE = OperatorExample("a workbook with one of everything", sample_workbook)
BLANK = OperatorExample("an empty workbook", blank_workbook, applies=False)


def xlsx_operator(
    name: str,
    corruption_class: CorruptionClass,
    find: Callable[[XlsxFile], Iterable[Place]],
    *,
    aspects: Sequence[str] = (),
    breaks: Sequence[str] = (),
    effect: str = "change",
    tags: Sequence[str] = (),
    examples: Sequence[OperatorExample] = (SAMPLE,),
) -> Callable[[Callable[[XlsxFile, Place], str | None]], Operator]:
    """Make an operator on workbooks."""
    return place_operator(
        XlsxFile,
        ("xlsx",),
        name,
        corruption_class,
        find,
        aspects=aspects,
        breaks=breaks,
        effect=effect,
        tags=tags,
        examples=examples,
    )


def share_strings(book: XlsxFile) -> int:
    """Move inline strings into the shared strings, and return how many cells changed."""
    parts = book.related(book.main, "sharedStrings")
    if not parts:
        kind = "application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"
        namespace = etree.QName(book.xml(book.main)).namespace
        book.add_part("xl/sharedStrings.xml", f'<sst xmlns="{namespace}"/>'.encode(), kind)
        book.add_rel(book.main, "sharedStrings", "xl/sharedStrings.xml")
        parts = ["xl/sharedStrings.xml"]
    table = book.edit(parts[0])
    changed = 0
    for sheet in book.sheets:
        for cell in book.cells(sheet):
            item = cell.find("{*}is")
            if cell.get("t") != "inlineStr" or item is None:
                continue
            book.edit(sheet.part)
            cell.remove(item)
            item.tag = item.tag[:-2] + "si"
            table.append(item)
            cell.set("t", "s")
            add(cell, "v").text = str(len(table) - 1)
            changed += 1
    uses = sum(1 for sheet in book.sheets for cell in book.cells(sheet) if cell.get("t") == "s")
    table.set("count", str(uses))
    table.set("uniqueCount", str(len(table)))
    book.__dict__.pop("shared_strings", None)
    return changed
