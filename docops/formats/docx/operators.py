"""Corruptions of text documents: what a careful user of a word processor would be angry about."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator

from lxml import etree

from docops.core.address import format_segment
from docops.core.operator import CorruptionClass, Operator
from docops.formats.docx.operators_model import (
    BLANK,
    SAMPLE,
    Block,
    DocxFile,
    docx_operator,
    find_blocks,
    has_text,
    paragraph_properties,
    run_properties,
    set_run_property,
    set_text,
    text_of,
    texts_of,
    w_add,
    w_get,
    w_name,
    w_new,
)
from docops.operators.media import make_png, other_image
from docops.operators.ooxml_file import A_NS, R, R_NS, Place, local_name, remove_element
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


def _stories(kind: str) -> object:
    def find(file: DocxFile) -> Iterator[Place]:
        for address, part, root in file.stories():
            if address.startswith(kind) and text_of(root).strip():
                yield Place(address, part, root, text_of(root), also=_note_holders(file, root) if kind.endswith("note") else ())

    return find


def _note_holders(file: DocxFile, note: etree._Element) -> tuple[str, ...]:
    marks = [e for e in file.xml(file.main).iter("{*}footnoteReference", "{*}endnoteReference") if w_get(e, "id") == w_get(note, "id")]
    return _paragraphs_of(file, marks[0]) if marks else ()


@docx_operator("docx.header-emptied", CONTENT, _stories("header"), aspects=("text",))  # type: ignore[arg-type]
def header_emptied(file: DocxFile, place: Place) -> str:
    """A page header loses its text."""
    for text in texts_of(place.element):
        text.text = ""
    return ""


@docx_operator("docx.footer-emptied", CONTENT, _stories("footer"), aspects=("text",))  # type: ignore[arg-type]
def footer_emptied(file: DocxFile, place: Place) -> str:
    """A page footer loses its text."""
    for text in texts_of(place.element):
        text.text = ""
    return ""


@docx_operator("docx.footnote-changed", CONTENT, _stories("footnote"), aspects=("text", "note"))  # type: ignore[arg-type]
def footnote_changed(file: DocxFile, place: Place) -> str:
    """The wording of a footnote changes."""
    last = texts_of(place.element)[-1]
    set_text(last, (last.text or "") + " (withdrawn)")
    return text_of(place.element)


@docx_operator("docx.footnote-dropped", PRESERVATION, _stories("footnote"), aspects=("note", "text"), effect="remove")  # type: ignore[arg-type]
def footnote_dropped(file: DocxFile, place: Place) -> str:
    """A footnote is lost, with its mark in the text."""
    number = w_get(place.element, "id")
    for reference in list(file.edit(file.main).iter("{*}footnoteReference")):
        if w_get(reference, "id") == number:
            run = reference.getparent()
            remove_element(reference)
            if run is not None and all(local_name(child) == "rPr" for child in run):
                remove_element(run)
    remove_element(place.element)
    return "no footnote"


def _fields(file: DocxFile) -> Iterator[Place]:
    for block in file.blocks:
        if block.kind == "paragraph":
            for field in block.element.iter("{*}fldSimple"):
                yield Place(f"{block.address}", block.part, field, w_get(field, "instr") or "", "simple")
            begins = [e for e in block.element.iter("{*}fldChar") if w_get(e, "fldCharType") == "begin"]
            ends = [e for e in block.element.iter("{*}fldChar") if w_get(e, "fldCharType") == "end"]
            if len(begins) == len(ends) == 1 and begins[0].find("{*}ffData") is None:
                code = "".join(e.text or "" for e in block.element.iter("{*}instrText"))
                yield Place(block.address, block.part, block.element, code, "complex")


@docx_operator("docx.field-to-text", STRUCTURE, _fields, aspects=("field",))
def field_to_text(file: DocxFile, place: Place) -> str:
    """A field becomes its present result and is updated no more."""
    if place.more == "simple":
        parent = place.element.getparent()
        if parent is None:
            raise LookupError("no parent")
        for child in list(place.element):
            place.element.addprevious(child)
        parent.remove(place.element)
        return "text"
    for element in list(place.element.iter("{*}fldChar", "{*}instrText")):
        run = element.getparent()
        remove_element(element)
        if run is not None and all(local_name(child) == "rPr" for child in run):
            remove_element(run)
    return "text"


@docx_operator("docx.field-code-changed", CONTENT, _fields, aspects=("field",))
def field_code_changed(file: DocxFile, place: Place) -> str:
    """A field computes something else."""
    if place.more == "simple":
        place.element.set(w_name(place.element, "instr"), " NUMPAGES ")
        return "NUMPAGES"
    codes = list(place.element.iter("{*}instrText"))
    for code in codes:
        code.text = ""
    codes[0].text = " NUMPAGES " if "NUMPAGES" not in place.before else " SECTIONPAGES "
    return codes[0].text


def _revisions(file: DocxFile) -> Iterator[Place]:
    # Numbered in the order a reader meets them; what stands for one revision may be several elements.
    number = 0
    for element in file.xml(file.main).iter("{*}ins", "{*}del"):
        if local_name(element.getparent()) in ("rPr", "trPr") or len(element) == 0:  # type: ignore[arg-type]
            continue
        number += 1
        text = "".join(e.text or "" for e in element.iter("{*}t", "{*}delText"))
        address = next((b.address for b in file.blocks if b.kind == "paragraph" and element in list(b.element)), f"revision[{number}]")
        yield Place(address, file.main, element, f"{local_name(element)}: {text}")


@docx_operator("docx.revision-accepted", STRUCTURE, _revisions, aspects=("revision",), breaks=("docx.revisions",))
def revision_accepted(file: DocxFile, place: Place) -> str:
    """A tracked change is silently accepted."""
    if local_name(place.element) == "ins":
        for child in list(place.element):
            place.element.addprevious(child)
    remove_element(place.element)
    return "accepted"


@docx_operator("docx.revision-rejected", CONTENT, _revisions, aspects=("revision", "text"), breaks=("docx.revisions",))
def revision_rejected(file: DocxFile, place: Place) -> str:
    """A tracked change is silently rejected."""
    if local_name(place.element) == "del":
        for child in list(place.element):
            for text in child.iter("{*}delText"):
                text.tag = w_name(text, "t")
            place.element.addprevious(child)
    remove_element(place.element)
    return "rejected"


@docx_operator("docx.revision-author-changed", PRESERVATION, _revisions, aspects=("revision",), breaks=())
def revision_author_changed(file: DocxFile, place: Place) -> str:
    """A tracked change is said to be somebody else's."""
    place.element.set(w_name(place.element, "author"), "Mallory")
    return "Mallory"


def _comments(file: DocxFile) -> Iterator[Place]:
    order: dict[str | None, int] = {}
    holders: dict[str | None, tuple[str, ...]] = {}
    for reference in file.xml(file.main).iter("{*}commentReference"):
        order.setdefault(w_get(reference, "id"), len(order) + 1)
        holders.setdefault(w_get(reference, "id"), _paragraphs_of(file, reference))
    for part in file.related(file.main, "comments"):
        for comment in file.xml(part).iterfind("{*}comment"):
            number = order.get(w_get(comment, "id"))
            if number is not None:
                yield Place(f"comment[{number}]", part, comment, text_of(comment), also=holders[w_get(comment, "id")])


@docx_operator("docx.comment-removed", PRESERVATION, _comments, aspects=("comment",), effect="remove")
def comment_removed(file: DocxFile, place: Place) -> str:
    """A comment is lost."""
    number = w_get(place.element, "id")
    for element in list(file.edit(file.main).iter("{*}commentRangeStart", "{*}commentRangeEnd", "{*}commentReference")):
        if w_get(element, "id") == number:
            run = element.getparent()
            remove_element(element)
            if run is not None and local_name(run) == "r" and all(local_name(child) == "rPr" for child in run):
                remove_element(run)
    remove_element(place.element)
    return "no comment"


@docx_operator("docx.comment-changed", CONTENT, lambda file: (p for p in _comments(file) if texts_of(p.element)), aspects=("comment", "text"))
def comment_changed(file: DocxFile, place: Place) -> str:
    """The wording of a comment changes."""
    last = texts_of(place.element)[-1]
    set_text(last, (last.text or "") + " Resolved.")
    return text_of(place.element)


def _paragraphs_of(file: DocxFile, element: etree._Element) -> tuple[str, ...]:
    """The address of the paragraph that holds an element of the body."""
    paragraph = next((ancestor for ancestor in element.iterancestors() if local_name(ancestor) == "p"), None)
    return tuple(block.address for block in file.blocks if block.element is paragraph)


def _bookmarks(file: DocxFile) -> Iterator[Place]:
    for element in file.xml(file.main).iter("{*}bookmarkStart"):
        name = w_get(element, "name") or ""
        if name and not name.startswith("_"):
            yield Place(format_segment("bookmark", name), file.main, element, name, also=_paragraphs_of(file, element))


@docx_operator("docx.bookmark-renamed", STRUCTURE, _bookmarks, aspects=("name",))
def bookmark_renamed(file: DocxFile, place: Place) -> str:
    """A bookmark gets another name, so that references to it break."""
    place.element.set(w_name(place.element, "name"), place.before + "_old")
    return place.before + "_old"


@docx_operator("docx.bookmark-dropped", PRESERVATION, _bookmarks, aspects=("name",), effect="remove")
def bookmark_dropped(file: DocxFile, place: Place) -> str:
    """A bookmark is lost."""
    number = w_get(place.element, "id")
    for element in list(file.xml(file.main).iter("{*}bookmarkEnd")):
        if w_get(element, "id") == number:
            remove_element(element)
    remove_element(place.element)
    return "no bookmark"


def _links(file: DocxFile) -> Iterator[Place]:
    for block in file.blocks:
        if block.kind != "paragraph":
            continue
        for link in block.element.iterfind("{*}hyperlink"):
            rel = next((r for r in file.rels(block.part) if r.id == link.get(f"{R}id")), None)
            target = rel.target if rel is not None else "#" + (w_get(link, "anchor") or "")
            yield Place(block.address, block.part, link, target, rel)


@docx_operator("docx.link-re-targeted", CONTENT, _links, aspects=("link",))
def link_re_targeted(file: DocxFile, place: Place) -> str:
    """A link leads somewhere else."""
    rel_id = file.add_rel(place.part, "hyperlink", "https://example.invalid/elsewhere", external=True)
    place.element.attrib.pop(w_name(place.element, "anchor"), None)
    place.element.set(f"{R}id", rel_id)
    return "https://example.invalid/elsewhere"


@docx_operator("docx.link-dropped", PRESERVATION, _links, aspects=("link",))
def link_dropped(file: DocxFile, place: Place) -> str:
    """A link becomes plain text."""
    for child in list(place.element):
        place.element.addprevious(child)
    remove_element(place.element)
    return "plain text"


def _images(file: DocxFile) -> Iterator[Place]:
    for block in file.blocks:
        if block.kind != "paragraph":
            continue
        for blip in block.element.iter("{*}blip"):
            target = file.target(block.part, blip.get(f"{R}embed"))
            if target is not None:
                yield Place(block.address, block.part, blip, target.rpartition("/")[2], target)


@docx_operator("docx.image-swapped", CONTENT, _images, aspects=("media",))
def image_swapped(file: DocxFile, place: Place) -> str:
    """A picture shows something else."""
    file.put(place.more, other_image(file.archive.read(place.more)))
    return "another picture"


@docx_operator("docx.image-dropped", PRESERVATION, _images, aspects=("media", "structure"), effect="remove")
def image_dropped(file: DocxFile, place: Place) -> str:
    """A picture is lost."""
    drawing = next(element for element in place.element.iterancestors() if local_name(element) == "drawing")
    remove_element(drawing)
    used = {value for element in file.xml(place.part).iter() for key, value in element.items() if key.startswith(R)}
    for rel in file.rels(place.part):
        if rel.type == "image" and rel.id not in used:
            file.drop_rel(place.part, rel.id)
    return "no picture"


@docx_operator("docx.image-resized", PRESERVATION, _images, aspects=("geometry",))
def image_resized(file: DocxFile, place: Place) -> str:
    """A picture is squeezed to half its height."""
    inline = next(element for element in place.element.iterancestors() if local_name(element) in ("inline", "anchor"))
    for extent in inline.iter("{*}extent", "{*}ext"):
        if extent.get("cy"):
            extent.set("cy", str(int(extent.get("cy") or 0) // 2))
    return "half height"


def _sections(file: DocxFile) -> Iterator[Place]:
    sections = [s for s in file.xml(file.main).iter("{*}sectPr") if local_name(s.getparent()) != "sectPrChange"]  # type: ignore[arg-type]
    for section in sections:
        size = section.find("{*}pgSz")
        if size is None:
            continue
        parent = section.getparent()
        paragraph = parent.getparent() if parent is not None and local_name(parent) == "pPr" else None
        address = next((b.address for b in file.blocks if paragraph is not None and b.element is paragraph), "")
        yield Place(address or "body", file.main, size, f"{w_get(size, 'w')} × {w_get(size, 'h')}")


@docx_operator("docx.section-orientation", PRESERVATION, _sections, aspects=("layout", "geometry"))
def section_orientation(file: DocxFile, place: Place) -> str:
    """The pages of a section are turned between upright and landscape."""
    width, height = w_get(place.element, "w") or "", w_get(place.element, "h") or ""
    place.element.set(w_name(place.element, "w"), height)
    place.element.set(w_name(place.element, "h"), width)
    turned = int(height or 0) > int(width or 0)
    if turned:
        place.element.set(w_name(place.element, "orient"), "landscape")
    else:
        place.element.attrib.pop(w_name(place.element, "orient"), None)
    return f"{height} × {width}"


def _formatted(name: str) -> object:
    def keep(file: DocxFile, block: Block) -> bool:
        runs = [r for r in block.element.iter("{*}r") if r.find(f"{{*}}rPr/{{*}}{name}") is not None]
        return any(text_of(run).strip() for run in runs if run.getparent() is not None)

    return keep


@docx_operator("docx.bold-lost", PRESERVATION, find_blocks("paragraph", _formatted("b")), aspects=("format",))  # type: ignore[arg-type]
def bold_lost(file: DocxFile, place: Place) -> str:
    """Words of a paragraph are no longer bold."""
    for run in place.element.iter("{*}r"):
        for bold in run.findall("{*}rPr/{*}b"):
            remove_element(bold)
    return "not bold"


@docx_operator("docx.colour-changed", PRESERVATION, find_blocks("paragraph", has_text), aspects=("format",))
def colour_changed(file: DocxFile, place: Place) -> str:
    """The text of a paragraph becomes red."""
    for run in place.element.iter("{*}r"):
        if run.find("{*}t") is not None:
            set_run_property(run, "color", val="C00000")
    return "red"


@docx_operator("docx.font-size-changed", PRESERVATION, find_blocks("paragraph", has_text), aspects=("format",))
def font_size_changed(file: DocxFile, place: Place) -> str:
    """The text of a paragraph becomes 31 points high."""
    for run in place.element.iter("{*}r"):
        if run.find("{*}t") is not None:
            set_run_property(run, "sz", val="62")
    return "31 pt"


def _used_styles(file: DocxFile) -> Iterator[Place]:
    used: dict[str | None, list[str]] = {}
    for block in file.blocks:
        if block.kind == "paragraph" and has_text(file, block):
            for element in block.element.iterfind("{*}pPr/{*}pStyle"):
                used.setdefault(w_get(element, "val"), []).append(block.address)
    for part in file.related(file.main, "styles"):
        for style in file.xml(part).iterfind("{*}style"):
            if w_get(style, "type") == "paragraph" and w_get(style, "styleId") in used:
                name = style.find("{*}name")
                also = tuple(used[w_get(style, "styleId")])
                yield Place(format_segment("style", w_get(name, "val") or ""), part, style, w_get(name, "val") or "", also=also)


@docx_operator("docx.style-definition-changed", PRESERVATION, _used_styles, aspects=("format",))
def style_definition_changed(file: DocxFile, place: Place) -> str:
    """A style that is used looks different from now on."""
    properties = place.element.find("{*}rPr")
    if properties is None:
        properties = w_new(place.element, "rPr")
        following = [e for e in place.element if local_name(e) in ("tblPr", "trPr", "tcPr", "tblStylePr")]
        (following[0].addprevious(properties) if following else place.element.append(properties))
    for name in ("color", "u"):
        for old in properties.findall(f"{{*}}{name}"):
            properties.remove(old)
    set_run_property(place.element, "color", val="00B050")
    return "green"


@docx_operator("docx.alignment-changed", PRESERVATION, find_blocks("paragraph", lambda f, b: has_text(f, b) and b.element.find("{*}pPr/{*}jc") is None), aspects=("format",))
def alignment_changed(file: DocxFile, place: Place) -> str:
    """A paragraph is centred, or set to the right."""
    properties = paragraph_properties(place.element)
    later = {"textDirection", "textAlignment", "textboxTightWrap", "outlineLvl", "divId", "cnfStyle", "rPr", "sectPr", "pPrChange"}
    position = sum(1 for child in properties if local_name(child) not in later)
    properties.insert(position, w_new(properties, "jc", val="right"))
    return "right"


@docx_operator("docx.page-break-inserted", STRUCTURE, find_blocks("paragraph", lambda f, b: has_text(f, b) and b.part == f.main and b.element.find("{*}pPr/{*}pageBreakBefore") is None, body_only=True), aspects=("format", "structure", "layout"))
def page_break_inserted(file: DocxFile, place: Place) -> str:
    """A paragraph begins a new page."""
    properties = paragraph_properties(place.element)
    position = sum(1 for child in properties if local_name(child) in ("pStyle", "keepNext", "keepLines"))
    properties.insert(position, w_new(properties, "pageBreakBefore"))
    return "new page"


def _properties_title(file: DocxFile) -> Iterator[Place]:
    for part in file.related("", "core-properties"):
        for element in file.xml(part):
            if local_name(element) in ("creator", "title", "subject", "keywords") and element.text:
                name = local_name(element)
                yield Place(f"property[{name}]", part, element, element.text, exact=False)


@docx_operator("docx.property-changed", PRESERVATION, _properties_title, aspects=("metadata",))
def property_changed(file: DocxFile, place: Place) -> str:
    """The document's author or title changes."""
    place.element.text = "Unknown"
    return "Unknown"


OPERATORS: tuple[Operator, ...] = tuple(value for value in list(globals().values()) if isinstance(value, Operator))
