"""Corruptions of text documents: headers, notes, fields, revisions, comments, links, pictures, sections and formatting."""

from __future__ import annotations

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
    set_run_property,
    set_text,
    text_of,
    texts_of,
    w_get,
    w_name,
    w_new,
)
from docops.operators.media import other_image
from docops.operators.ooxml_file import Place, R, attributes, local_name, remove_element, unset

CONTENT = CorruptionClass.CONTENT_ALTERATION
STRUCTURE = CorruptionClass.STRUCTURE_CORRUPTION
PRESERVATION = CorruptionClass.PRESERVATION_VIOLATION
BOTH = (SAMPLE, BLANK)
_WORD = re.compile(r"[^\W\d_]{3,}")


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
        if block.kind == "paragraph" and not file.in_contents(block.element):
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
        if block.kind != "paragraph" or file.in_contents(block.element):
            continue
        for link in block.element.iterfind("{*}hyperlink"):
            rel = next((r for r in file.rels(block.part) if r.id == link.get(f"{R}id")), None)
            target = rel.target if rel is not None else "#" + (w_get(link, "anchor") or "")
            yield Place(block.address, block.part, link, target, rel)


@docx_operator("docx.link-re-targeted", CONTENT, _links, aspects=("link",))
def link_re_targeted(file: DocxFile, place: Place) -> str:
    """A link leads somewhere else."""
    rel_id = file.add_rel(place.part, "hyperlink", "https://example.invalid/elsewhere", external=True)
    unset(place.element, w_name(place.element, "anchor"))
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
    used = {value for element in file.xml(place.part).iter() for key, value in attributes(element) if key.startswith(R)}
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
        unset(place.element, w_name(place.element, "orient"))
    return f"{height} × {width}"


def _is_on(switch: etree._Element | None) -> bool:
    return switch is not None and w_get(switch, "val") not in ("0", "false", "off")


def _formatted(name: str) -> object:
    def keep(file: DocxFile, block: Block) -> bool:
        runs = [r for r in block.element.iter("{*}r") if _is_on(r.find(f"{{*}}rPr/{{*}}{name}"))]
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
