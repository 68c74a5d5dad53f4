"""Corruptions of text documents: what a careful user of a word processor would be angry about."""

from __future__ import annotations

import copy
import re

from lxml import etree

from docops.core.operator import CorruptionClass, Operator
from docops.formats.docx import operators_objects
from docops.formats.docx.operators_model import (
    BLANK,
    SAMPLE,
    Block,
    DocxFile,
    docx_operator,
    find_blocks,
    has_text,
    paragraph_properties,
    set_run_property,
    set_text,
    text_of,
    texts_of,
    w_add,
    w_get,
    w_name,
    w_new,
)
from docops.operators.media import make_png
from docops.operators.ooxml_file import A_NS, R_NS, Place, local_name, remove_element
from docops.operators.wording import NEGATIONS, without_negation

CONTENT = CorruptionClass.CONTENT_ALTERATION
STRUCTURE = CorruptionClass.STRUCTURE_CORRUPTION
PRESERVATION = CorruptionClass.PRESERVATION_VIOLATION
BOTH = (SAMPLE, BLANK)
_WORD = re.compile(r"[^\W\d_]{3,}")


def _replace_in(place: Place, change: re.Pattern[str], new: str) -> str:
    for text in texts_of(place.element):
        if change.search(text.text or ""):
            set_text(text, change.sub(new, text.text or "", count=1))
            return text_of(place.element)
    raise LookupError("the words do not stand in one run")


def _word_in_one_run(file: DocxFile, block: Block) -> bool:
    return any(_WORD.search(text.text or "") for text in texts_of(block.element))


@docx_operator("docx.word-changed", CONTENT, find_blocks("paragraph", _word_in_one_run), aspects=("text",), examples=BOTH)
def word_changed(file: DocxFile, place: Place) -> str:
    """A word of a paragraph becomes another word."""
    return _replace_in(place, _WORD, "elsewhere")


@docx_operator(
    "docx.negation-dropped",
    CONTENT,
    find_blocks("paragraph", lambda f, b: any(NEGATIONS.search(t.text or "") for t in texts_of(b.element))),
    aspects=("text",),
)
def negation_dropped(file: DocxFile, place: Place) -> str:
    """A sentence loses its "not"."""
    for text in texts_of(place.element):
        if NEGATIONS.search(text.text or ""):
            set_text(text, without_negation(text.text or ""))
            break
    return text_of(place.element)


def _removable(file: DocxFile, block: Block) -> bool:
    if not has_text(file, block):
        return False
    if block.element.find("{*}pPr/{*}sectPr") is not None:
        return False
    parent = block.element.getparent()
    # A cell's last block must be a paragraph.
    return parent is not None and (local_name(parent) == "body" or len(parent.findall("{*}p")) > 1)


@docx_operator("docx.paragraph-deleted", CONTENT, find_blocks("paragraph", _removable), aspects=("text", "structure"), effect="remove", examples=BOTH)
def paragraph_deleted(file: DocxFile, place: Place) -> str:
    """A paragraph is deleted."""
    remove_element(place.element)
    return "deleted"


@docx_operator(
    "docx.paragraph-duplicated", CONTENT, find_blocks("paragraph", lambda f, b: _removable(f, b) and not _has_ids(b.element)), aspects=("text", "structure"), effect="add"
)
def paragraph_duplicated(file: DocxFile, place: Place) -> str:
    """A paragraph stands there twice."""
    place.element.addnext(copy.deepcopy(place.element))
    return "twice"


def _has_ids(element: etree._Element) -> bool:
    names = {"bookmarkStart", "commentRangeStart", "drawing", "pict", "sdt", "ins", "del", "footnoteReference", "endnoteReference"}
    return any(local_name(e) in names for e in element.iter())


def _movable(file: DocxFile, block: Block) -> bool:
    following = block.element.getnext()
    return _removable(file, block) and following is not None and local_name(following) == "p" and text_of(following) not in ("", text_of(block.element))


@docx_operator("docx.paragraph-moved", STRUCTURE, find_blocks("paragraph", _movable, body_only=True), aspects=("order",), effect="move")
def paragraph_moved(file: DocxFile, place: Place) -> str:
    """A paragraph changes places with the next one."""
    following = place.element.getnext()
    if following is None:
        raise LookupError("nothing follows")
    following.addnext(place.element)
    return f"after: {text_of(following)}"


def _is_heading(file: DocxFile, block: Block) -> bool:
    return file.heading_level(block.element) > 0 and has_text(file, block)


@docx_operator("docx.heading-to-bold-text", STRUCTURE, find_blocks("paragraph", _is_heading), aspects=("structure", "format"), breaks=("docx.heading",))
def heading_to_bold(file: DocxFile, place: Place) -> str:
    """A heading becomes body text that only looks like a heading."""
    properties = paragraph_properties(place.element)
    for name in ("pStyle", "outlineLvl", "numPr"):
        for element in properties.findall(f"{{*}}{name}"):
            properties.remove(element)
    for run in place.element.iter("{*}r"):
        set_run_property(run, "b")
        set_run_property(run, "sz", val="28")
    return "bold body text"


@docx_operator(
    "docx.heading-level-shifted",
    STRUCTURE,
    find_blocks("paragraph", lambda f, b: _is_heading(f, b) and f.style_id(f"heading {_other_level(f, b)}") is not None),
    aspects=("structure", "format"),
    breaks=("docx.heading",),
)
def heading_level_shifted(file: DocxFile, place: Place) -> str:
    """A heading moves to another level."""
    level = _other_level(file, place.more)
    style = place.element.find("{*}pPr/{*}pStyle")
    if style is None:
        raise LookupError("no style")
    style.set(w_name(style, "val"), file.style_id(f"heading {level}") or "")
    return f"level {level}"


def _other_level(file: DocxFile, block: Block) -> int:
    level = file.heading_level(block.element)
    return level + 1 if level < 6 else level - 1


def _style_changeable(file: DocxFile, block: Block) -> bool:
    return has_text(file, block) and not _is_heading(file, block) and _new_style(file, block) is not None


def _new_style(file: DocxFile, block: Block) -> str | None:
    style = block.element.find("{*}pPr/{*}pStyle")
    current = w_get(style, "val")
    for name in ("quote", "intense quote", "title", "caption"):
        found = file.style_id(name)
        if found is not None and found != current:
            return found
    return None


@docx_operator("docx.style-replaced", PRESERVATION, find_blocks("paragraph", _style_changeable), aspects=("format",), breaks=("docx.style",))
def style_replaced(file: DocxFile, place: Place) -> str:
    """A paragraph gets another style."""
    new = _new_style(file, place.more) or ""
    properties = paragraph_properties(place.element)
    for element in properties.findall("{*}pStyle"):
        properties.remove(element)
    properties.insert(0, w_new(properties, "pStyle", val=new))
    return new


def _numbering(file: DocxFile, block: Block) -> bool:
    if not has_text(file, block) or _is_heading(file, block):
        return False
    if block.element.find("{*}pPr/{*}numPr") is not None:
        return True
    style = block.element.find("{*}pPr/{*}pStyle")
    return file.style_names().get(w_get(style, "val") or "", "").startswith("list ")


@docx_operator("docx.list-to-typed-marks", STRUCTURE, find_blocks("paragraph", _numbering), aspects=("structure", "format", "text"))
def list_to_typed(file: DocxFile, place: Place) -> str:
    """A list item becomes a plain paragraph with a typed mark."""
    properties = paragraph_properties(place.element)
    for name in ("pStyle", "numPr"):
        for element in properties.findall(f"{{*}}{name}"):
            properties.remove(element)
    first = texts_of(place.element)[0]
    set_text(first, "1. " + (first.text or ""))
    return text_of(place.element)


def _is_plain_table(file: DocxFile, block: Block) -> bool:
    return has_text(file, block) and not any(local_name(e) == "tbl" for e in block.element.iterdescendants())


def _table_lines(table: etree._Element) -> list[str]:
    return ["\t".join(text_of(cell) for cell in row.iterfind("{*}tc")) for row in table.iterfind("{*}tr")]


@docx_operator("docx.table-to-tabbed-text", STRUCTURE, find_blocks("table", _is_plain_table), aspects=("structure",), breaks=("docx.table",), tags=("gaming",))
def table_to_tabs(file: DocxFile, place: Place) -> str:
    """A table becomes paragraphs with tab characters."""
    for line in _table_lines(place.element):
        paragraph = w_new(place.element, "p")
        run = w_add(paragraph, "r")
        for number, cell in enumerate(line.split("\t")):
            if number:
                w_add(run, "tab")
            w_add(run, "t", cell)
        place.element.addprevious(paragraph)
    remove_element(place.element)
    return "tabbed text"


@docx_operator("docx.table-to-picture", STRUCTURE, find_blocks("table", _is_plain_table), aspects=("structure",), breaks=("docx.table",), tags=("gaming",))
def table_to_picture(file: DocxFile, place: Place) -> str:
    """A table becomes a picture, with its text as the picture's description."""
    paragraph = w_new(place.element, "p")
    w_add(paragraph, "r").append(inline_picture(file, place.part, make_png(30, 20), "; ".join(_table_lines(place.element))))
    place.element.addprevious(paragraph)
    remove_element(place.element)
    return "a picture"


def inline_picture(file: DocxFile, part: str, data: bytes, description: str) -> etree._Element:
    """A w:drawing that shows a picture added to the package."""
    name = f"{part.rpartition('/')[0]}/media/added1.png"
    file.add_part(name, data, "image/png")
    rel_id = file.add_rel(part, "image", name)
    drawing = w_new(file.xml(part), "drawing")
    wp = "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"
    pic = "http://schemas.openxmlformats.org/drawingml/2006/picture"
    inline = etree.fromstring(
        f'<wp:inline xmlns:wp="{wp}" xmlns:a="{A_NS}" xmlns:pic="{pic}" xmlns:r="{R_NS}"><wp:extent cx="2880000" cy="1440000"/>'
        f'<wp:docPr id="9001" name="Picture 9001"/><a:graphic><a:graphicData uri="{pic}"><pic:pic><pic:nvPicPr><pic:cNvPr id="9001" name="added1.png"/>'
        f'<pic:cNvPicPr/></pic:nvPicPr><pic:blipFill><a:blip r:embed="{rel_id}"/><a:stretch><a:fillRect/></a:stretch></pic:blipFill><pic:spPr><a:xfrm>'
        '<a:off x="0" y="0"/><a:ext cx="2880000" cy="1440000"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></pic:spPr></pic:pic>'
        "</a:graphicData></a:graphic></wp:inline>"
    )
    inline[1].set("descr", description)
    drawing.append(inline)
    return drawing


def _next_cell(file: DocxFile, block: Block) -> bool:
    following = block.element.getnext()
    return following is not None and local_name(following) == "tc" and text_of(following) != text_of(block.element)


@docx_operator("docx.cells-swapped", CONTENT, find_blocks("cell", _next_cell), aspects=("text", "order"))
def cells_swapped(file: DocxFile, place: Place) -> str:
    """The contents of two neighbouring cells change places."""
    following = place.element.getnext()
    if following is None:
        raise LookupError("the last cell")
    first = [child for child in place.element if local_name(child) != "tcPr"]
    second = [child for child in following if local_name(child) != "tcPr"]
    for child in second:
        place.element.append(child)
    for child in first:
        following.append(child)
    return text_of(place.element)


@docx_operator(
    "docx.cell-emptied", CONTENT, find_blocks("cell", lambda f, b: has_text(f, b) and b.element.find("{*}tbl") is None), aspects=("text",), breaks=("docx.table",)
)
def cell_emptied(file: DocxFile, place: Place) -> str:
    """A table cell loses its text."""
    for text in texts_of(place.element):
        text.text = ""
    return ""


@docx_operator(
    "docx.row-deleted", STRUCTURE, find_blocks("row", lambda f, b: has_text(f, b) and len(_parent_rows(b)) > 1), aspects=("structure", "text"), breaks=("docx.table",), effect="remove"
)
def row_deleted(file: DocxFile, place: Place) -> str:
    """A row of a table is deleted."""
    remove_element(place.element)
    return "deleted"


def _parent_rows(block: Block) -> list[etree._Element]:
    parent = block.element.getparent()
    return [] if parent is None else parent.findall("{*}tr")


@docx_operator("docx.table-deleted", STRUCTURE, find_blocks("table", lambda f, b: local_name(b.element.getparent()) == "body"), aspects=("structure", "text"), breaks=("docx.table",), effect="remove")  # type: ignore[arg-type]
def table_deleted(file: DocxFile, place: Place) -> str:
    """A table is deleted."""
    remove_element(place.element)
    return "deleted"


#: The corruptions of this module and of the one beside it.
OPERATORS: tuple[Operator, ...] = (
    *(value for value in list(globals().values()) if isinstance(value, Operator)),
    *operators_objects.OPERATORS,
)
