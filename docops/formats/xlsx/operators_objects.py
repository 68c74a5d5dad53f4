"""Corruptions of workbooks: sheets, rows, tables, charts, rules, names, comments and print settings."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml import etree

from docops.core.address import format_segment
from docops.core.operator import CorruptionClass, Operator
from docops.formats.xlsx.operators_model import (
    BLANK,
    SAMPLE,
    Sheet,
    XlsxFile,
    describe,
    drop,
    find_in_sheets,
    find_sheets,
    split_reference,
    xlsx_operator,
)
from docops.operators.media import other_image
from docops.operators.ooxml_file import Place, R, attributes, local_name, remove_element, unset

CONTENT = CorruptionClass.CONTENT_ALTERATION
STRUCTURE = CorruptionClass.STRUCTURE_CORRUPTION
PRESERVATION = CorruptionClass.PRESERVATION_VIOLATION
VALUE_BREAKS = ("xlsx.cell:equals",)
FORMULA_BREAKS = ("xlsx.formula",)
BOTH = (SAMPLE, BLANK)
_OTHER_FUNCTION = {"SUM": "AVERAGE", "AVERAGE": "SUM", "MAX": "MIN", "MIN": "MAX", "ROUND": "ROUNDUP", "COUNT": "COUNTA", "IF": "IFERROR"}


@xlsx_operator("xlsx.sheet-hidden", STRUCTURE, find_sheets(lambda b, s: s.element.get("state") in (None, "visible") and len(b.sheets) > 1), aspects=("structure",), breaks=("xlsx.sheet:state",))
def sheet_hidden(book: XlsxFile, place: Place) -> str:
    """A sheet is hidden."""
    book.edit(book.main)
    place.more.element.set("state", "hidden")
    return "hidden"


@xlsx_operator("xlsx.sheet-shown", STRUCTURE, find_sheets(lambda b, s: s.element.get("state") in ("hidden", "veryHidden")), aspects=("structure",))
def sheet_shown(book: XlsxFile, place: Place) -> str:
    """A hidden sheet is shown."""
    book.edit(book.main)
    place.more.element.attrib.pop("state")
    return "visible"


def _rename_in_formulas(book: XlsxFile, old: str, new: str) -> None:
    pattern = re.compile(rf"(?<![\w'])('?){re.escape(old)}\1!")
    for part in book.parts:
        if not part.endswith(".xml") or not part.startswith("xl/"):
            continue
        for element in book.xml(part).iter("{*}f", "{*}definedName", "{*}formula1", "{*}formula2", "{*}formula"):
            if element.text and pattern.search(element.text):
                element.text = pattern.sub(f"'{new}'!", element.text)
                book.edit(part)


@xlsx_operator("xlsx.sheet-renamed", STRUCTURE, find_sheets(), aspects=("structure", "name"), breaks=("xlsx.sheet:exists",))
def sheet_renamed(book: XlsxFile, place: Place) -> str:
    """A sheet gets another name; formulas follow."""
    book.edit(book.main)
    new = f"{place.more.name[:20]} (2)"
    _rename_in_formulas(book, place.more.name, new)
    place.more.element.set("name", new)
    return new


@xlsx_operator("xlsx.sheets-reordered", STRUCTURE, find_sheets(lambda b, s: s.number + 1 < len(b.sheets)), aspects=("order",), effect="move")
def sheets_reordered(book: XlsxFile, place: Place) -> str:
    """A sheet changes places with the next one."""
    workbook = book.edit(book.main)
    element, number = place.more.element, place.more.number
    following = element.getnext()
    if following is None:
        raise LookupError("the last sheet")
    following.addnext(element)
    swap = {str(number): str(number + 1), str(number + 1): str(number)}
    for name in workbook.iterfind("{*}definedNames/{*}definedName"):
        if name.get("localSheetId") in swap:
            name.set("localSheetId", swap[name.get("localSheetId") or ""])
    return f"after {following.get('name')}"


@xlsx_operator("xlsx.sheet-deleted", STRUCTURE, find_sheets(lambda b, s: len(b.sheets) > 1), aspects=("structure",), effect="remove")
def sheet_deleted(book: XlsxFile, place: Place) -> str:
    """A sheet is deleted."""
    workbook = book.edit(book.main)
    number = place.more.number
    rel_id = next(value for name, value in attributes(place.more.element) if name.endswith("}id"))
    for name in list(workbook.iterfind("{*}definedNames/{*}definedName")):
        local = name.get("localSheetId")
        if local == str(number):
            drop(name)
        elif local is not None and int(local) > number:
            name.set("localSheetId", str(int(local) - 1))
    for view in workbook.iterfind("{*}bookViews/{*}workbookView"):
        unset(view, "activeTab")
        unset(view, "firstSheet")
    place.more.element.getparent().remove(place.more.element)
    book._edited.discard(place.part)
    book.drop_rel(book.main, rel_id)
    return "deleted"


def _rows() -> object:
    def find(book: XlsxFile) -> Iterator[Place]:
        for sheet in book.sheets:
            rows = [row for row in book.xml(sheet.part).iterfind("{*}sheetData/{*}row") if row.get("r") and len(row)]
            for row in rows:
                text = " | ".join(describe(book, cell) for cell in row)
                if any(len(cell) for cell in row):
                    cells = tuple(f"{sheet.address}/cell[{cell.get('r')}]" for cell in row if len(cell))
                    yield Place(f"{sheet.address}/row[{row.get('r')}]", sheet.part, row, text, sheet, also=cells)

    return find


@xlsx_operator("xlsx.row-deleted", STRUCTURE, _rows(), aspects=("structure", "value", "text", "formula"), effect="remove")  # type: ignore[arg-type]
def row_deleted(book: XlsxFile, place: Place) -> str:
    """A row is deleted and the ones below move up; formulas elsewhere do not follow."""
    gone = int(place.element.get("r") or 0)
    data = place.element.getparent()
    if data is None:
        raise LookupError("no rows")
    data.remove(place.element)
    for row in data:
        number = int(row.get("r") or 0)
        if number > gone:
            row.set("r", str(number - 1))
            for cell in row:
                column, _ = split_reference(cell.get("r") or "A1")
                cell.set("r", f"{column}{number - 1}")
    return "deleted"


@xlsx_operator(
    "xlsx.row-hidden", STRUCTURE, lambda book: (p for p in _rows()(book) if p.element.get("hidden") not in ("1", "true")), aspects=("structure",)  # type: ignore[operator]
)
def row_hidden(book: XlsxFile, place: Place) -> str:
    """A row is hidden."""
    place.element.set("hidden", "1")
    return "hidden"


def _columns(book: XlsxFile) -> Iterator[Place]:
    for sheet in book.sheets:
        for column in book.xml(sheet.part).iterfind("{*}cols/{*}col"):
            from docops.formats.xlsx.operators_model import column_letters

            first = column_letters(int(column.get("min") or 1))
            yield Place(f"{sheet.address}/column[{first}]", sheet.part, column, f"width {column.get('width')}", sheet)


@xlsx_operator("xlsx.column-width-changed", PRESERVATION, _columns, aspects=("geometry", "format", "layout"))
def column_width_changed(book: XlsxFile, place: Place) -> str:
    """A column becomes so narrow that it shows nothing useful."""
    place.element.set("width", "1.5")
    place.element.set("customWidth", "1")
    return "width 1.5"


@xlsx_operator("xlsx.merge-undone", STRUCTURE, find_in_sheets("{*}mergeCells/{*}mergeCell", lambda s, e, n: f"{s.address}/cell[{e.get('ref')}]"), aspects=("structure",))
def merge_undone(book: XlsxFile, place: Place) -> str:
    """Merged cells are taken apart."""
    drop(place.element)
    return "not merged"


@xlsx_operator(
    "xlsx.validation-dropped",
    PRESERVATION,
    find_in_sheets("{*}dataValidations/{*}dataValidation", lambda s, e, n: f"{s.address}/validation[{n}]"),
    aspects=("validation",),
    effect="remove",
)
def validation_dropped(book: XlsxFile, place: Place) -> str:
    """An input rule is lost."""
    drop(place.element)
    return "no rule"


@xlsx_operator(
    "xlsx.conditional-format-dropped",
    PRESERVATION,
    find_in_sheets("{*}conditionalFormatting/{*}cfRule", lambda s, e, n: f"{s.address}/conditional_format[{n}]"),
    aspects=("format", "validation"),
    effect="remove",
)
def conditional_format_dropped(book: XlsxFile, place: Place) -> str:
    """A conditional format is lost."""
    drop(place.element)
    return "no conditional format"


def _defined_names(book: XlsxFile) -> Iterator[Place]:
    for name in book.xml(book.main).iterfind("{*}definedNames/{*}definedName"):
        text = name.get("name") or ""
        if text.startswith("_xlnm"):
            continue
        local = name.get("localSheetId")
        owner = f"{book.sheets[int(local)].address}/" if local is not None and int(local) < len(book.sheets) else ""
        yield Place(f"{owner}{format_segment('name', text)}", book.main, name, f"{text} = {name.text}")


@xlsx_operator("xlsx.name-dropped", PRESERVATION, _defined_names, aspects=("name",), effect="remove")
def name_dropped(book: XlsxFile, place: Place) -> str:
    """A defined name is lost."""
    drop(place.element)
    return "no name"


@xlsx_operator("xlsx.name-re-pointed", CONTENT, lambda book: (p for p in _defined_names(book) if re.search(r"\d", p.element.text or "")), aspects=("name",))
def name_re_pointed(book: XlsxFile, place: Place) -> str:
    """A defined name names another place."""
    place.element.text = re.sub(r"(\d+)(?!.*\d)", lambda m: str(int(m.group(1)) + 1), place.element.text or "")
    return place.element.text


def _comments(book: XlsxFile) -> Iterator[Place]:
    for sheet in book.sheets:
        for part in book.related(sheet.part, "comments"):
            for number, comment in enumerate(book.xml(part).iterfind("{*}commentList/{*}comment"), 1):
                before = "".join(t.text or "" for t in comment.iter("{*}t"))
                yield Place(f"{sheet.address}/cell[{comment.get('ref')}]", part, comment, before, (sheet, number))


@xlsx_operator("xlsx.comment-dropped", PRESERVATION, _comments, aspects=("comment",), effect="remove")
def comment_dropped(book: XlsxFile, place: Place) -> str:
    """A comment is lost."""
    sheet = place.more[0]
    reference = place.element.get("ref") or ""
    remove_element(place.element)
    column, row = split_reference(reference)
    from docops.formats.xlsx.operators_model import column_number

    for part in book.related(sheet.part, "vmlDrawing"):
        for shape in list(book.xml(part).iter("{*}shape")):
            if shape.findtext(".//{*}Row") == str(row - 1) and shape.findtext(".//{*}Column") == str(column_number(column) - 1):
                book.edit(part)
                remove_element(shape)
    return "no comment"


@xlsx_operator("xlsx.comment-changed", CONTENT, _comments, aspects=("comment", "text"))
def comment_changed(book: XlsxFile, place: Place) -> str:
    """The wording of a comment changes."""
    last = list(place.element.iter("{*}t"))[-1]
    last.text = (last.text or "") + " (not checked)"
    return last.text


def _tables(book: XlsxFile) -> Iterator[Place]:
    for sheet in book.sheets:
        for part in book.related(sheet.part, "table"):
            table = book.xml(part)
            name = table.get("displayName") or table.get("name") or ""
            yield Place(f"{sheet.address}/{format_segment('table', name)}", part, table, f"{name} {table.get('ref')}", sheet)


@xlsx_operator("xlsx.table-dropped", STRUCTURE, _tables, aspects=("structure", "name"), effect="remove")
def table_dropped(book: XlsxFile, place: Place) -> str:
    """A table becomes a plain range."""
    sheet: Sheet = place.more
    book._edited.discard(place.part)
    root = book.edit(sheet.part)
    for rel in book.rels(sheet.part):
        if rel.target == place.part:
            for entry in list(root.iterfind("{*}tableParts/{*}tablePart")):
                if entry.get(f"{R}id") == rel.id:
                    drop(entry)
            book.drop_rel(sheet.part, rel.id)
    return "plain range"


@xlsx_operator("xlsx.table-range-cut", STRUCTURE, lambda book: (p for p in _tables(book) if _table_rows(p.element) > 2), aspects=("structure",))
def table_range_cut(book: XlsxFile, place: Place) -> str:
    """A table loses its last row from its range."""
    for element in (place.element, place.element.find("{*}autoFilter")):
        if element is not None and ":" in (element.get("ref") or ""):
            first, _, last = (element.get("ref") or "").partition(":")
            column, row = split_reference(last)
            element.set("ref", f"{first}:{column}{row - 1}")
    return place.element.get("ref") or ""


def _table_rows(table: etree._Element) -> int:
    first, _, last = (table.get("ref") or "A1:A1").partition(":")
    return split_reference(last or first)[1] - split_reference(first)[1]


def _drawing(kind: str) -> object:
    def find(book: XlsxFile) -> Iterator[Place]:
        for sheet in book.sheets:
            for number, drawing, anchor, target in book.drawing_objects(sheet, kind):
                yield Place(f"{sheet.address}/{kind}[{number}]", drawing, anchor, target.rpartition("/")[2], (sheet, target))

    return find


@xlsx_operator("xlsx.chart-dropped", STRUCTURE, _drawing("chart"), aspects=("structure", "media"), effect="remove")  # type: ignore[arg-type]
def chart_dropped(book: XlsxFile, place: Place) -> str:
    """A chart is lost."""
    return _drop_anchor(book, place)


@xlsx_operator("xlsx.image-dropped", STRUCTURE, _drawing("image"), aspects=("structure", "media"), effect="remove")  # type: ignore[arg-type]
def image_dropped(book: XlsxFile, place: Place) -> str:
    """A picture is lost."""
    return _drop_anchor(book, place)


def _drop_anchor(book: XlsxFile, place: Place) -> str:
    remove_element(place.element)
    still = {value for element in book.xml(place.part).iter() for name, value in attributes(element) if name.startswith(R)}
    for rel in book.rels(place.part):
        if rel.id not in still:
            book.drop_rel(place.part, rel.id)
    return "gone"


@xlsx_operator("xlsx.image-swapped", CONTENT, _drawing("image"), aspects=("media",))  # type: ignore[arg-type]
def image_swapped(book: XlsxFile, place: Place) -> str:
    """A picture shows something else."""
    target = place.more[1]
    book.put(target, other_image(book.archive.read(target)))
    return "another picture"


def _series(book: XlsxFile) -> Iterator[Place]:
    for sheet in book.sheets:
        for number, _, _, target in book.drawing_objects(sheet, "chart"):
            for formula in book.xml(target).iterfind(".//{*}ser/{*}val/{*}numRef/{*}f"):
                if re.search(r"\$?[A-Z]+\$?\d+:", formula.text or ""):
                    yield Place(f"{sheet.address}/chart[{number}]", target, formula, formula.text or "", sheet, exact=False)


@xlsx_operator("xlsx.chart-series-re-pointed", CONTENT, _series, aspects=("value", "formula"))
def chart_series_re_pointed(book: XlsxFile, place: Place) -> str:
    """A chart's series takes its values from one row further down."""
    place.element.text = re.sub(r"(\$?[A-Z]+\$?)(\d+)", lambda m: f"{m[1]}{int(m[2]) + 1}", place.element.text or "")
    cache = place.element.getnext()
    if cache is not None and local_name(cache) == "numCache":
        remove_element(cache)
    return place.element.text


def _pivots(book: XlsxFile) -> Iterator[Place]:
    for sheet in book.sheets:
        for number, part in enumerate(book.related(sheet.part, "pivotTable"), 1):
            pivot = book.xml(part)
            yield Place(f"{sheet.address}/pivot[{number}]", sheet.part, book.xml(sheet.part), pivot.get("name") or "", (sheet, part))


@xlsx_operator("xlsx.pivot-dropped", STRUCTURE, _pivots, aspects=("structure",), effect="remove")
def pivot_dropped(book: XlsxFile, place: Place) -> str:
    """A pivot table becomes plain cells."""
    sheet, part = place.more
    cache = book.related(part, "pivotCacheDefinition")
    for rel in book.rels(sheet.part):
        if rel.target == part:
            book.drop_rel(sheet.part, rel.id)
    used = {c for s in book.sheets for p in book.related(s.part, "pivotTable") for c in book.related(p, "pivotCacheDefinition")}
    for rel in book.rels(book.main):
        if rel.type == "pivotCacheDefinition" and rel.target in cache and rel.target not in used:
            for entry in list(book.edit(book.main).iterfind("{*}pivotCaches/{*}pivotCache")):
                if entry.get(f"{R}id") == rel.id:
                    drop(entry)
            book.drop_rel(book.main, rel.id)
    return "plain cells"


def _print_settings(book: XlsxFile) -> Iterator[Place]:
    for sheet in book.sheets:
        for element in book.xml(sheet.part):
            name = local_name(element)
            if name in ("headerFooter", "rowBreaks") and len(element):
                yield Place(f"{sheet.address}/print", sheet.part, element, etree.tostring(element, encoding="unicode")[-60:], sheet)
            if name == "pageSetup" and element.get("orientation") not in (None, "default", "portrait"):
                yield Place(f"{sheet.address}/print", sheet.part, element, f"orientation {element.get('orientation')}", sheet)


@xlsx_operator("xlsx.print-setting-dropped", PRESERVATION, _print_settings, aspects=("layout", "format"), effect="remove")
def print_setting_dropped(book: XlsxFile, place: Place) -> str:
    """A sheet forgets how it is printed (orientation, header and footer, page breaks)."""
    remove_element(place.element)
    return "default"


def _print_names(book: XlsxFile) -> Iterator[Place]:
    for name in book.xml(book.main).iterfind("{*}definedNames/{*}definedName"):
        local = name.get("localSheetId")
        if name.get("name") in ("_xlnm.Print_Area", "_xlnm.Print_Titles") and local is not None and int(local) < len(book.sheets):
            yield Place(f"{book.sheets[int(local)].address}/print", book.main, name, name.text or "")


@xlsx_operator("xlsx.print-area-dropped", PRESERVATION, _print_names, aspects=("layout", "name"), effect="remove")
def print_area_dropped(book: XlsxFile, place: Place) -> str:
    """A sheet forgets its print area or its repeated rows."""
    drop(place.element)
    return "whole sheet"


@xlsx_operator("xlsx.freeze-dropped", PRESERVATION, find_in_sheets("{*}sheetViews/{*}sheetView/{*}pane", lambda s, e, n: s.address), aspects=("layout", "structure"))
def freeze_dropped(book: XlsxFile, place: Place) -> str:
    """The frozen heading rows scroll away."""
    view = place.element.getparent()
    remove_element(place.element)
    for selection in list(view if view is not None else []):
        unset(selection, "pane")
    return "not frozen"


@xlsx_operator("xlsx.protection-dropped", PRESERVATION, find_in_sheets("{*}sheetProtection", lambda s, e, n: s.address), aspects=("protection",))
def protection_dropped(book: XlsxFile, place: Place) -> str:
    """A sheet is no longer protected."""
    remove_element(place.element)
    return "not protected"


def _filters(book: XlsxFile) -> Iterator[Place]:
    for sheet in book.sheets:
        element = book.xml(sheet.part).find("{*}autoFilter")
        if element is not None:
            yield Place(sheet.address, sheet.part, element, f"filter {element.get('ref')}", sheet)


@xlsx_operator("xlsx.filter-dropped", PRESERVATION, _filters, aspects=("structure", "layout"))
def filter_dropped(book: XlsxFile, place: Place) -> str:
    """A list loses its filter."""
    remove_element(place.element)
    for name in list(book.edit(book.main).iterfind("{*}definedNames/{*}definedName")):
        if name.get("name") == "_xlnm._FilterDatabase" and name.get("localSheetId") == str(place.more.number):
            drop(name)
    return "no filter"


def _links(book: XlsxFile) -> Iterator[Place]:
    for sheet in book.sheets:
        for link in book.xml(sheet.part).iterfind("{*}hyperlinks/{*}hyperlink"):
            rel = next((rel for rel in book.rels(sheet.part) if rel.id == link.get(f"{R}id")), None)
            if rel is not None and rel.external:
                yield Place(f"{sheet.address}/cell[{link.get('ref')}]", sheet.part, link, rel.target, (sheet, rel.id))


@xlsx_operator("xlsx.link-re-targeted", CONTENT, _links, aspects=("link",))
def link_re_targeted(book: XlsxFile, place: Place) -> str:
    """A link leads somewhere else."""
    sheet, rel_id = place.more
    for element in book.edit(book.rels_part(sheet.part)):
        if element.get("Id") == rel_id:
            element.set("Target", "https://example.invalid/elsewhere")
    return "https://example.invalid/elsewhere"


@xlsx_operator("xlsx.link-dropped", PRESERVATION, _links, aspects=("link",), effect="remove")
def link_dropped(book: XlsxFile, place: Place) -> str:
    """A link is lost."""
    sheet, rel_id = place.more
    drop(place.element)
    book.drop_rel(sheet.part, rel_id)
    return "no link"


def _theme_colours(book: XlsxFile) -> Iterator[Place]:
    for part in book.related(book.main, "theme"):
        for colour in book.xml(part).iterfind(".//{*}clrScheme//{*}srgbClr"):
            yield Place("theme", part, colour, f"{local_name(colour.getparent())} {colour.get('val')}")  # type: ignore[arg-type]


@xlsx_operator("xlsx.theme-colour-changed", PRESERVATION, _theme_colours, aspects=("theme",))
def theme_colour_changed(book: XlsxFile, place: Place) -> str:
    """A colour of the theme changes."""
    place.element.set("val", "00AA55" if place.element.get("val") != "00AA55" else "AA0055")
    return place.element.get("val") or ""


OPERATORS: tuple[Operator, ...] = tuple(value for value in list(globals().values()) if isinstance(value, Operator))
