"""Rewrites of workbooks after which the workbook means the same."""

from __future__ import annotations

import copy
import io
import re
from collections.abc import Callable, Iterable

from lxml import etree

from docops.core.operator import CorruptionClass, Operator, OperatorExample
from docops.formats.xlsx.operators_model import (
    SAMPLE,
    XlsxFile,
    add,
    column_letters,
    column_number,
    find_cells,
    item_text,
    make,
    share_strings,
    split_reference,
    xlsx_operator,
)
from docops.operators.ooxml_file import Place, local_name, unset
from docops.operators.samples import plain_workbook, sample_workbook

BENIGN = CorruptionClass.BENIGN


def whole(book: XlsxFile) -> list[Place]:
    """The one site of operators that rewrite the whole workbook."""
    return [Place("", "", book.xml(book.main))]


def _when(condition: Callable[[XlsxFile], bool]) -> Callable[[XlsxFile], list[Place]]:
    return lambda book: whole(book) if condition(book) else []


def benign(name: str, find: Callable[[XlsxFile], Iterable[Place]] = whole) -> Callable[[Callable[[XlsxFile, Place], str | None]], Operator]:
    """Make a benign operator on workbooks."""
    return xlsx_operator(name, BENIGN, find, examples=(SAMPLE,))


def _has_shared(book: XlsxFile) -> bool:
    return bool(book.shared_strings)


@benign("xlsx.strings-inline", _when(_has_shared))
def strings_inline(book: XlsxFile, place: Place) -> str:
    """Shared strings are written into the cells."""
    part = book.related(book.main, "sharedStrings")[0]
    items = book.xml(part).findall("{*}si")
    count = 0
    for sheet in book.sheets:
        for cell in book.cells(sheet):
            value = cell.find("{*}v")
            if cell.get("t") == "s" and value is not None and (value.text or "").isdigit():
                book.edit(sheet.part)
                item = copy.deepcopy(items[int(value.text or 0)])
                item.tag = item.tag[:-2] + "is"
                cell.remove(value)
                cell.append(item)
                cell.set("t", "inlineStr")
                count += 1
    for rel in book.rels(book.main):
        if rel.target == part:
            book.drop_rel(book.main, rel.id)
    return f"{count} cells"


@benign("xlsx.one-string-inline", find_cells(lambda b, c: c.get("t") == "s" and bool(b.text(c))))
def one_string_inline(book: XlsxFile, place: Place) -> str:
    """One shared string is written into its cell."""
    value = place.element.find("{*}v")
    items = book.xml(book.related(book.main, "sharedStrings")[0]).findall("{*}si")
    if value is None:
        raise LookupError("no string")
    item = copy.deepcopy(items[int(value.text or 0)])
    item.tag = item.tag[:-2] + "is"
    place.element.remove(value)
    place.element.append(item)
    place.element.set("t", "inlineStr")
    return "inline"


def _has_inline(book: XlsxFile) -> bool:
    return any(cell.get("t") == "inlineStr" for sheet in book.sheets for cell in book.cells(sheet))


@xlsx_operator("xlsx.strings-shared", BENIGN, _when(_has_inline), examples=(OperatorExample("texts in their cells", plain_workbook), OperatorExample("shared strings", sample_workbook, applies=False)))
def strings_shared(book: XlsxFile, place: Place) -> str:
    """Strings in cells become shared strings."""
    return f"{share_strings(book)} cells"


@benign("xlsx.shared-strings-permuted", _when(_has_shared))
def strings_permuted(book: XlsxFile, place: Place) -> str:
    """The shared strings stand in another order, with one that nobody uses."""
    root = book.edit(book.related(book.main, "sharedStrings")[0])
    items = root.findall("{*}si")
    last = len(items) - 1
    for item in reversed(items):
        root.remove(item)
        root.append(item)
    add(add(root, "si"), "t").text = "unused"
    unset(root, "count")
    unset(root, "uniqueCount")
    for sheet in book.sheets:
        for cell in book.cells(sheet):
            value = cell.find("{*}v")
            if cell.get("t") == "s" and value is not None:
                book.edit(sheet.part)
                value.text = str(last - int(value.text or 0))
    return "reversed"


def _style_users(book: XlsxFile, attribute: str = "s") -> Iterable[tuple[str, etree._Element, str]]:
    for sheet in book.sheets:
        root = book.xml(sheet.part)
        for element in root.iter("{*}c", "{*}row", "{*}col"):
            key = "style" if local_name(element) == "col" else "s"
            if element.get(key) is not None or local_name(element) == "c":
                yield sheet.part, element, key


@benign("xlsx.styles-permuted", _when(lambda book: book.styles_part is not None))
def styles_permuted(book: XlsxFile, place: Place) -> str:
    """The table of cell formats stands in another order, the default first."""
    root = book.edit(book.styles_part or "")
    table = root.find("{*}cellXfs")
    if table is None:
        raise LookupError("no cell formats")
    formats = list(table)
    last = len(formats)
    for entry in reversed(formats[1:]):
        table.remove(entry)
        table.append(entry)
    for part, element, key in _style_users(book):
        index = int(element.get(key) or 0)
        if index:
            book.edit(part)
            element.set(key, str(last - index))
    return "reversed"


@benign("xlsx.fonts-permuted", _when(lambda book: book.styles_part is not None))
def fonts_permuted(book: XlsxFile, place: Place) -> str:
    """Fonts, fills and borders stand in another order; each format points at the same ones."""
    root = book.edit(book.styles_part or "")
    for name, key, first in (("fonts", "fontId", 1), ("fills", "fillId", 2), ("borders", "borderId", 1)):
        table = root.find(f"{{*}}{name}")
        if table is None or len(table) <= first + 1:
            continue
        entries = list(table)
        for entry in reversed(entries[first:]):
            table.remove(entry)
            table.append(entry)
        total = len(entries) - 1 + first
        for style in root.iter("{*}xf"):
            index = int(style.get(key) or 0)
            if index >= first:
                style.set(key, str(total - index))
    return "reversed"


@benign("xlsx.caches-dropped", _when(lambda book: any(c.find("{*}f") is not None and c.find("{*}v") is not None for s in book.sheets for c in book.cells(s))))
def caches_dropped(book: XlsxFile, place: Place) -> str:
    """The stored results of formulas are gone, as after saving with openpyxl."""
    for sheet in book.sheets:
        for cell in book.cells(sheet):
            value = cell.find("{*}v")
            formula = cell.find("{*}f")
            if formula is not None and value is not None and formula.get("t") != "dataTable":
                book.edit(sheet.part)
                cell.remove(value)
                unset(cell, "t")
    return "no stored results"


@benign("xlsx.view-state")
def view_state(book: XlsxFile, place: Place) -> str:
    """Another zoom, another selected cell, another active sheet."""
    for number, sheet in enumerate(book.sheets):
        for view in book.edit(sheet.part).iterfind("{*}sheetViews/{*}sheetView"):
            view.set("zoomScale", "130")
            view.set("zoomScaleNormal", "130")
            unset(view, "tabSelected")
            if number == 0:
                view.set("tabSelected", "1")
            if view.find("{*}pane") is None:
                for selection in view.findall("{*}selection"):
                    view.remove(selection)
                add(view, "selection", activeCell="C4", sqref="C4")
    for view in book.edit(book.main).iterfind("{*}bookViews/{*}workbookView"):
        unset(view, "activeTab")
        view.set("windowWidth", "20001")
    return "zoom 130 %"


@benign("xlsx.default-values-written-out")
def defaults_written_out(book: XlsxFile, place: Place) -> str:
    """Defaults are written out: the type of numbers, style 0, visible sheets, unfolded rows."""
    book.edit(book.main)
    for sheet in book.sheets:
        if sheet.element.get("state") is None:
            sheet.element.set("state", "visible")
        for row in book.edit(sheet.part).iterfind("{*}sheetData/{*}row"):
            unset(row, "spans")
            if row.get("hidden") is None:
                row.set("hidden", "0")
            for cell in row:
                if cell.get("t") is None and cell.find("{*}v") is not None:
                    cell.set("t", "n")
                if cell.get("s") is None:
                    cell.set("s", "0")
        for dimension in book.xml(sheet.part).findall("{*}dimension"):
            book.xml(sheet.part).remove(dimension)
    return "written out"


@benign("xlsx.text-split-into-equal-runs", _when(_has_shared))
def text_split(book: XlsxFile, place: Place) -> str:
    """Plain texts are stored as two runs without format."""
    count = 0
    for item in book.edit(book.related(book.main, "sharedStrings")[0]).iterfind("{*}si"):
        text = item.find("{*}t")
        if text is None or item.find("{*}r") is not None or len(item_text(item)) < 4:
            continue
        value = item_text(item)
        for child in list(item):
            item.remove(child)
        for piece in (value[:2], value[2:]):
            run = add(add(item, "r"), "t")
            run.text = piece
            run.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")
        count += 1
    return f"{count} texts"


@benign("xlsx.empty-cells-written-out", _when(lambda book: any(book.xml(s.part).find("{*}sheetData/{*}row") is not None for s in book.sheets)))
def empty_cells(book: XlsxFile, place: Place) -> str:
    """Empty cells without format are written out, and an empty row."""
    for sheet in book.sheets:
        rows = book.edit(sheet.part).findall("{*}sheetData/{*}row")
        if not rows:
            continue
        last = rows[-1]
        if len(last) and last[-1].get("r"):
            column, number = split_reference(last[-1].get("r") or "A1")
            if column_number(column) < 16000 and last.get("s") is None and not _column_styled(book.xml(sheet.part), column_number(column) + 1):
                unset(last, "spans")
                add(last, "c", r=f"{column_letters(column_number(column) + 1)}{number}")
        number = int(last.get("r") or 0)
        if 0 < number < 1_000_000:
            last.addnext(make(last, "row", r=str(number + 1)))
    return "written out"


def _column_styled(root: etree._Element, column: int) -> bool:
    columns = root.iterfind("{*}cols/{*}col")
    return any(int(c.get("min") or 0) <= column <= int(c.get("max") or 0) and c.get("style") not in (None, "0") for c in columns)


@benign("xlsx.references-implied", _when(lambda book: any(_dense_rows(book, s.part) for s in book.sheets)))
def references_implied(book: XlsxFile, place: Place) -> str:
    """Cells that follow each other carry no reference: it is implied by their place."""
    for sheet in book.sheets:
        for row in _dense_rows(book, sheet.part):
            book.edit(sheet.part)
            for cell in row:
                del cell.attrib["r"]
    return "implied"


def _dense_rows(book: XlsxFile, part: str) -> list[etree._Element]:
    rows = book.xml(part).findall("{*}sheetData/{*}row")
    return [row for row in rows if len(row) and all(column_number(split_reference(c.get("r") or "XFD1")[0]) == n for n, c in enumerate(row, 1))]


_PLAIN = re.compile(r"-?[1-9]\d{0,5}\.\d{1,3}")


@benign("xlsx.numbers-spelled-differently", _when(lambda book: any(_PLAIN.fullmatch(c.findtext("{*}v") or "") and c.get("t") in (None, "n") for s in book.sheets for c in book.cells(s))))
def numbers_spelled(book: XlsxFile, place: Place) -> str:
    """Numbers are written with an exponent (12.5 → 1.25E1)."""
    for sheet in book.sheets:
        for cell in book.cells(sheet):
            value = cell.find("{*}v")
            if value is not None and cell.get("t") in (None, "n") and _PLAIN.fullmatch(value.text or ""):
                book.edit(sheet.part)
                text = value.text or ""
                sign, digits = ("-", text[1:]) if text.startswith("-") else ("", text)
                whole_part, _, fraction = digits.partition(".")
                mantissa = f"{whole_part[0]}.{whole_part[1:]}{fraction}"
                value.text = f"{sign}{mantissa}E{len(whole_part) - 1}"
    return "exponents"


@benign("xlsx.names-and-merges-reordered")
def names_reordered(book: XlsxFile, place: Place) -> str:
    """Defined names, merged ranges and links are listed in another order."""
    for table in book.edit(book.main).findall("{*}definedNames"):
        table[:] = list(reversed(table))
    for sheet in book.sheets:
        for name in ("mergeCells", "hyperlinks"):
            for table in book.edit(sheet.part).findall(f"{{*}}{name}"):
                table[:] = list(reversed(table))
    return "reversed"


def _wide_columns(book: XlsxFile) -> bool:
    columns = [c for s in book.sheets for c in book.xml(s.part).iterfind("{*}cols/{*}col")]
    return any(int(c.get("max") or 1) > int(c.get("min") or 1) for c in columns)


@benign("xlsx.columns-split", _when(_wide_columns))
def columns_split(book: XlsxFile, place: Place) -> str:
    """Column settings that hold for several columns are written for each one."""
    for sheet in book.sheets:
        for column in list(book.edit(sheet.part).iterfind("{*}cols/{*}col")):
            first, last = int(column.get("min") or 1), int(column.get("max") or 1)
            for number in range(first + 1, min(last, first + 40) + 1):
                twin = copy.deepcopy(column)
                twin.set("min", str(number))
                twin.set("max", str(last if number == first + 40 else number))
                column.getparent().insert(column.getparent().index(column) + number - first, twin)  # type: ignore[union-attr]
            column.set("max", str(first if last > first else last))
    return "split"


@xlsx_operator("xlsx.calculation-chain-dropped", BENIGN, _when(lambda book: bool(book.related(book.main, "calcChain"))), examples=(OperatorExample("a workbook with a chain", plain_workbook), OperatorExample("one without", sample_workbook, applies=False)))
def calculation_chain_dropped(book: XlsxFile, place: Place) -> str:
    """The list of the order in which formulas were last computed is gone."""
    for rel in book.rels(book.main):
        if rel.type == "calcChain":
            book.drop_rel(book.main, rel.id)
    return "no chain"


_KEPT_BY_OPENPYXL = re.compile(
    r"^(\[Content_Types\]\.xml|_rels/\.rels|docProps/(app|core)\.xml|xl/(workbook|styles|sharedStrings|theme/theme1|calcChain)\.xml|"
    r"xl/_rels/workbook\.xml\.rels|xl/worksheets/sheet\d+\.xml)$"
)


def _safe_for_openpyxl(book: XlsxFile) -> bool:
    if not all(_KEPT_BY_OPENPYXL.match(name) for name in book.parts):
        return False
    if any(len(element.findall("{*}r")) for part in book.related(book.main, "sharedStrings") for element in book.xml(part)):
        return False
    rare = ("extLst", "f[@t]", "customSheetViews", "protectedRanges", "phoneticPr")
    return not any(book.xml(s.part).find(f".//{{*}}{name}") is not None for s in book.sheets for name in rare)


@xlsx_operator("xlsx.re-saved-by-openpyxl", BENIGN, _when(_safe_for_openpyxl), examples=(OperatorExample("plain cells", plain_workbook), OperatorExample("a pivot table", sample_workbook, applies=False)))
def re_saved(book: XlsxFile, place: Place) -> str:
    """The workbook is opened and saved by openpyxl, unchanged (workbooks of which openpyxl loses nothing)."""
    import openpyxl

    from docops.operators.archive import Archive

    native = openpyxl.load_workbook(io.BytesIO(book.archive.to_bytes()))
    out = io.BytesIO()
    native.save(out)
    book.archive = Archive(out.getvalue())
    # openpyxl writes the time of day; the same rewrite must give the same bytes.
    book.put("docProps/core.xml", re.sub(rb"(<dcterms:modified[^>]*>)[^<]*", rb"\g<1>2030-01-02T03:04:05Z", book.archive.read("docProps/core.xml")))
    book._trees.clear()
    book._edited.clear()
    return "openpyxl"


OPERATORS: tuple[Operator, ...] = tuple(value for value in list(globals().values()) if isinstance(value, Operator))
