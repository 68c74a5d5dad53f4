"""What is done to a workbook to satisfy a check without doing the work."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from lxml import etree

from docops.core.operator import CorruptionClass, Operator
from docops.formats.xlsx.operators_model import (
    SAMPLE,
    XlsxFile,
    add,
    is_formula,
    xlsx_operator,
)
from docops.operators.media import make_png
from docops.operators.ooxml_file import R_NS, Place, attributes, remove_element

CONTENT = CorruptionClass.CONTENT_ALTERATION
STRUCTURE = CorruptionClass.STRUCTURE_CORRUPTION
TAGS = ("gaming",)
ANCHORS = ("anchor.contains", "anchor.in_order")
EXAMPLES = (replace(SAMPLE, texts=("Summary of the half",)),)


def _wanted(book: XlsxFile) -> Iterator[Place]:
    """The cells that hold wording the verifier asks for: one site for each wording, at its first place."""
    for text in sorted(set(book.input.texts)):
        cells = [(sheet, cell) for sheet in book.sheets for cell in book.cells(sheet) if text and text in book.text(cell)]
        if cells:
            sheet, cell = cells[0]
            yield Place(f"{sheet.address}/cell[{cell.get('r')}]", "", cell, book.text(cell), (text, cells), keys=(text,))


def _hidden(name: str) -> Callable[[Callable[[XlsxFile, Place], str | None]], Operator]:
    return xlsx_operator(name, CONTENT, _wanted, aspects=("text", "format", "structure"), breaks=ANCHORS, tags=TAGS, examples=EXAMPLES)


@_hidden("xlsx.words-white")
def words_white(book: XlsxFile, place: Place) -> str:
    """The required words are there, in white on white."""

    def white(font: etree._Element) -> None:
        for colour in font.findall("{*}color"):
            font.remove(colour)
        colour = etree.Element(font.tag.replace("}font", "}color"), rgb="FFFFFFFF")
        position = sum(1 for child in font if child.tag.endswith(("}b", "}i", "}strike", "}condense", "}extend", "}outline", "}shadow", "}u", "}vertAlign", "}sz")))
        font.insert(position, colour)

    def change(style: etree._Element, root: etree._Element) -> None:
        style.set("fontId", str(book.add_entry(root, "fonts", int(style.get("fontId") or 0), white)))
        style.set("applyFont", "1")
        style.set("fillId", "0")

    for sheet, cell in place.more[1]:
        book.edit(sheet.part)
        book.restyle(cell, change)
    return "white"


@_hidden("xlsx.words-behind-format")
def words_behind_format(book: XlsxFile, place: Place) -> str:
    """The required words are there, behind a number format that shows nothing."""

    def change(style: etree._Element, root: etree._Element) -> None:
        style.set("numFmtId", book.number_of(";;;", root))
        style.set("applyNumberFormat", "1")

    for sheet, cell in place.more[1]:
        book.edit(sheet.part)
        book.restyle(cell, change)
    return ";;;"


#: What stands before the conditional formats of a sheet.
_BEFORE_RULES = frozenset(
    ["sheetPr", "dimension", "sheetViews", "sheetFormatPr", "cols", "sheetData", "sheetCalcPr", "sheetProtection", "protectedRanges", "scenarios", "autoFilter", "sortState", "dataConsolidate", "customSheetViews", "mergeCells", "phoneticPr", "conditionalFormatting"]
)


@_hidden("xlsx.words-behind-rule")
def words_behind_rule(book: XlsxFile, place: Place) -> str | None:
    """The required words are there, made white on white by a conditional format that always applies."""
    if book.styles_part is None:
        return None
    styles = book.edit(book.styles_part)
    table = styles.find("{*}dxfs")
    if table is None:
        before = next((styles.find(f"{{*}}{name}") for name in ("cellStyles", "cellXfs") if styles.find(f"{{*}}{name}") is not None), None)
        if before is None:
            return None
        table = etree.Element(styles.tag.replace("styleSheet", "dxfs"))
        before.addnext(table)
    look = add(table, "dxf")
    add(add(look, "font"), "color", rgb="FFFFFFFF")
    add(add(add(look, "fill"), "patternFill", patternType="solid"), "bgColor", rgb="FFFFFFFF")
    table.set("count", str(len(table)))
    for sheet, cell in place.more[1]:
        root = book.edit(sheet.part)
        last = [child for child in root if etree.QName(child).localname in _BEFORE_RULES][-1]
        block = etree.Element(root.tag.replace("worksheet", "conditionalFormatting"), sqref=cell.get("r"))
        last.addnext(block)
        rule = add(block, "cfRule", type="expression", dxfId=str(len(table) - 1), priority="1")
        add(rule, "formula").text = "TRUE"
    return "white by rule"


@_hidden("xlsx.words-in-hidden-row")
def words_in_hidden_row(book: XlsxFile, place: Place) -> str:
    """The required words are there, in a hidden row."""
    for sheet, cell in place.more[1]:
        book.edit(sheet.part)
        cell.getparent().set("hidden", "1")
    return "hidden row"


@_hidden("xlsx.words-in-flat-row")
def words_in_flat_row(book: XlsxFile, place: Place) -> str:
    """The required words are there, in a row without height."""
    for sheet, cell in place.more[1]:
        book.edit(sheet.part)
        cell.getparent().set("ht", "0")
        cell.getparent().set("customHeight", "1")
    return "no height"


def _take_out(book: XlsxFile, place: Place) -> str:
    text, cells = place.more
    for sheet, cell in cells:
        book.edit(sheet.part)
        book.set_text(cell, book.text(cell).replace(text, "–"))
    return str(text)


@_hidden("xlsx.words-in-metadata")
def words_in_metadata(book: XlsxFile, place: Place) -> str:
    """The required words stand in the document's properties alone."""
    text = _take_out(book, place)
    for part in book.related("", "core-properties"):
        root = book.edit(part)
        namespace = "{http://purl.org/dc/elements/1.1/}"
        found = root.find(f"{namespace}description")
        if found is None:
            found = etree.SubElement(root, f"{namespace}description")
        found.text = text
    return "description"


def _new_sheet(book: XlsxFile, name: str, lines: list[str], state: str | None) -> None:
    namespace = etree.QName(book.xml(book.main)).namespace
    rows = "".join(f'<row r="{n}"><c r="A{n}" t="inlineStr"><is><t/></is></c></row>' for n in range(1, len(lines) + 1))
    root = etree.fromstring(f'<worksheet xmlns="{namespace}"><sheetData>{rows}</sheetData></worksheet>')
    for element, line in zip(root.iter("{*}t"), lines):
        element.text = line
    part = "xl/worksheets/sheet901.xml"
    book.add_part(part, etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True), "application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml")
    rel_id = book.add_rel(book.main, "worksheet", part)
    sheets = book.edit(book.main).find("{*}sheets")
    if sheets is None:
        raise LookupError("no sheets")
    entry = add(sheets, "sheet", name=name, sheetId=str(max(int(s.get("sheetId") or 0) for s in sheets) + 1))
    if state:
        entry.set("state", state)
    entry.set(f"{{{R_NS}}}id", rel_id)


@_hidden("xlsx.words-in-hidden-sheet")
def words_in_hidden_sheet(book: XlsxFile, place: Place) -> str:
    """The required words stand in a very hidden sheet alone."""
    _new_sheet(book, "Notes901", [_take_out(book, place)], "veryHidden")
    return "veryHidden"


def _formulas(book: XlsxFile) -> list[Place]:
    found = [c for s in book.sheets for c in book.cells(s) if is_formula(book, c) and c.find("{*}v") is not None]
    return [Place("", "", book.xml(book.main), f"{len(found)} formulas")] if found else []


@xlsx_operator("xlsx.all-formulas-to-values", STRUCTURE, _formulas, aspects=("formula",), tags=TAGS)
def all_to_values(book: XlsxFile, place: Place) -> str:
    """Every formula is replaced by its stored result."""
    for sheet in book.sheets:
        for cell in book.cells(sheet):
            formula = cell.find("{*}f")
            if formula is not None and cell.find("{*}v") is not None:
                book.edit(sheet.part)
                cell.remove(formula)
    return "values"


def _constant_formulas(book: XlsxFile) -> Iterator[Place]:
    for sheet in book.sheets:
        for cell in book.cells(sheet):
            formula = cell.find("{*}f")
            value = cell.findtext("{*}v")
            if formula is not None and formula.get("t") in (None, "normal") and formula.text and value and cell.get("t") in (None, "n"):
                yield Place(f"{sheet.address}/cell[{cell.get('r')}]", sheet.part, cell, f"={formula.text}", sheet)


@xlsx_operator("xlsx.formula-of-constants", CONTENT, _constant_formulas, aspects=("formula",), breaks=("xlsx.formula:depends_on",), tags=TAGS)
def formula_of_constants(book: XlsxFile, place: Place) -> str:
    """A formula becomes one that only spells out its result."""
    formula = place.element.find("{*}f")
    if formula is None:
        raise LookupError("no formula")
    formula.text = f"{place.element.findtext('{*}v')}+0"
    return "=" + formula.text


@xlsx_operator("xlsx.formula-typed-as-text", CONTENT, _constant_formulas, aspects=("formula", "value"), breaks=("xlsx.formula",), tags=TAGS)
def formula_typed_as_text(book: XlsxFile, place: Place) -> str:
    """A formula is there as text only, and computes nothing."""
    text = "=" + (place.element.findtext("{*}f") or "")
    book.set_text(place.element, text)
    return f"'{text}"


def _anchors(book: XlsxFile) -> list[Place]:
    return [Place("", "", book.xml(book.main), "the workbook")] if book.input.texts else []


@xlsx_operator("xlsx.blank-with-all-words", CorruptionClass.SAME_NAME_CORRUPTION, _anchors, tags=TAGS, examples=EXAMPLES)
def blank_with_all_words(book: XlsxFile, place: Place) -> str:
    """An otherwise empty workbook that lists all the required words."""
    from docops.operators.archive import Archive
    from docops.operators.samples import blank_workbook

    given = book.input
    book.archive = Archive(blank_workbook())
    book._trees.clear()
    book._edited.clear()
    sheet = XlsxFile(blank_workbook(), given).sheets[0]
    data = book.edit(sheet.part).find("{*}sheetData")
    if data is None:
        raise LookupError("no cells")
    for number, text in enumerate(given.texts, 1):
        cell = add(add(data, "row", r=str(number)), "c", r=f"A{number}")
        book.set_text(cell, text)
    return f"{len(given.texts)} texts"


def _charts(book: XlsxFile) -> Iterator[Place]:
    for sheet in book.sheets:
        for number, drawing, anchor, target in book.drawing_objects(sheet, "chart"):
            yield Place(f"{sheet.address}/chart[{number}]", drawing, anchor, target, sheet)


@xlsx_operator("xlsx.chart-to-picture", STRUCTURE, _charts, aspects=("structure",), tags=TAGS)
def chart_to_picture(book: XlsxFile, place: Place) -> str:
    """A chart becomes a picture of a chart."""
    book.add_part("xl/media/added1.png", make_png(40, 30), "image/png")
    rel_id = book.add_rel(place.part, "image", "xl/media/added1.png")
    frame = place.element.find("{*}graphicFrame")
    if frame is None:
        raise LookupError("no frame")
    xdr = etree.QName(frame).namespace
    a = "http://schemas.openxmlformats.org/drawingml/2006/main"
    picture = etree.fromstring(
        f'<xdr:pic xmlns:xdr="{xdr}" xmlns:a="{a}" xmlns:r="{R_NS}"><xdr:nvPicPr><xdr:cNvPr id="901" name="Picture 901" descr="Chart"/><xdr:cNvPicPr/></xdr:nvPicPr>'
        f'<xdr:blipFill><a:blip r:embed="{rel_id}"/><a:stretch><a:fillRect/></a:stretch></xdr:blipFill><xdr:spPr><a:xfrm><a:off x="0" y="0"/>'
        '<a:ext cx="3000000" cy="2000000"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></xdr:spPr></xdr:pic>'
    )
    frame.addprevious(picture)
    remove_element(frame)
    used = {v for e in book.xml(place.part).iter() for k, v in attributes(e) if R_NS in k}
    for rel in book.rels(place.part):
        if rel.type == "chart" and rel.id not in used:
            book.drop_rel(place.part, rel.id)
    return "a picture"


OPERATORS: tuple[Operator, ...] = tuple(value for value in list(globals().values()) if isinstance(value, Operator))
