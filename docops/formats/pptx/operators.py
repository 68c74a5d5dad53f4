"""Corruptions of presentations: what a careful user of a presentation program would be angry about."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator

from lxml import etree

from docops.core.operator import CorruptionClass, Operator
from docops.formats.pptx.operators_model import (
    SAMPLE,
    PptxFile,
    Shape,
    Slide,
    find_paragraphs,
    find_shapes,
    find_slides,
    frame,
    is_title,
    name_of,
    placeholder,
    pptx_operator,
    set_lines,
    text_of,
)
from docops.operators.media import make_png, other_image
from docops.operators.ooxml_file import A_NS, R_NS, A, OoxmlFile, Place, R, local_name, remove_element
from docops.operators.wording import NEGATIONS, without_negation

CONTENT = CorruptionClass.CONTENT_ALTERATION
STRUCTURE = CorruptionClass.STRUCTURE_CORRUPTION
PRESERVATION = CorruptionClass.PRESERVATION_VIOLATION
P_NS = "http://schemas.openxmlformats.org/presentationml/2006/main"
ONLY = (SAMPLE,)
_WORD = re.compile(r"[^\W\d_]{3,}")


def _drop_slide(file: PptxFile, slide: Slide) -> None:
    presentation = file.edit(file.main)
    number, rel_id = slide.element.get("id"), slide.element.get(f"{R}id")
    remove_element(slide.element)
    for entry in list(presentation.iter("{*}sldId")):
        # Sections and custom shows list slides again.
        if entry.get("id") == number:
            remove_element(entry)
    for entry in list(presentation.iter("{*}sld")):
        if entry.get(f"{R}id") == rel_id:
            remove_element(entry)
    file.drop_rel(file.main, rel_id)


@pptx_operator("pptx.slide-deleted", STRUCTURE, find_slides(), aspects=("structure", "text"), breaks=("pptx.slide_count",), effect="remove")
def slide_deleted(file: PptxFile, place: Place) -> str:
    """A slide is deleted."""
    file._edited.discard(place.part)
    _drop_slide(file, place.more)
    return "deleted"


@pptx_operator("pptx.slide-duplicated", STRUCTURE, find_slides(), aspects=("structure", "text"), breaks=("pptx.slide_count",), effect="add")
def slide_duplicated(file: PptxFile, place: Place) -> str:
    """A slide stands there twice."""
    slide: Slide = place.more
    new = "ppt/slides/slide901.xml"
    file.add_part(new, file.archive.read(slide.part), file.content_type(slide.part))
    rels = file.rels_part(slide.part)
    if rels in file.archive:
        file.put(file.rels_part(new), file.archive.read(rels))
        root = file.edit(file.rels_part(new))
        for entry in list(root):
            # A notes page belongs to one slide.
            if (entry.get("Type") or "").endswith("/notesSlide"):
                root.remove(entry)
    rel_id = file.add_rel(file.main, "slide", new)
    entry = copy.deepcopy(slide.element)
    used = [int(element.get("id") or 0) for element in file.edit(file.main).iter("{*}sldId")]
    entry.set("id", str(max([255, *used]) + 1))
    entry.set(f"{R}id", rel_id)
    slide.element.addnext(entry)
    return "twice"


@pptx_operator("pptx.slides-reordered", STRUCTURE, find_slides(lambda f, s: s.number < len(f.slides)), aspects=("order",), breaks=("pptx.order",), effect="move")
def slides_reordered(file: PptxFile, place: Place) -> str:
    """A slide changes places with the next one."""
    file.edit(file.main)
    following = place.more.element.getnext()
    following.addnext(place.more.element)
    return f"now slide {place.more.number + 1}"


@pptx_operator("pptx.slide-hidden", STRUCTURE, find_slides(lambda f, s: f.xml(s.part).get("show") not in ("0", "false")), aspects=("structure",))
def slide_hidden(file: PptxFile, place: Place) -> str:
    """A slide is hidden."""
    place.element.set("show", "0")
    return "hidden"


def _filled_title(file: PptxFile, shape: Shape) -> bool:
    return is_title(shape.element) and bool(text_of(shape.element).strip())


@pptx_operator("pptx.title-emptied", CONTENT, find_shapes(_filled_title), aspects=("text",), breaks=("pptx.order",))
def title_emptied(file: PptxFile, place: Place) -> str:
    """A slide loses its title."""
    body = place.element.find("{*}txBody")
    if body is not None:
        for paragraph in body.findall(f"{A}p"):
            body.remove(paragraph)
        etree.SubElement(body, f"{A}p")
    return ""


@pptx_operator("pptx.word-changed", CONTENT, find_paragraphs(lambda f, s, p: any(_WORD.search(t.text or "") for t in p.iter(f"{A}t"))), aspects=("text",))
def word_changed(file: PptxFile, place: Place) -> str:
    """A word on a slide becomes another word."""
    for text in place.element.iter(f"{A}t"):
        if _WORD.search(text.text or ""):
            text.text = _WORD.sub("elsewhere", text.text or "", count=1)
            break
    return text_of(place.element)


@pptx_operator("pptx.negation-dropped", CONTENT, find_paragraphs(lambda f, s, p: any(NEGATIONS.search(t.text or "") for t in p.iter(f"{A}t"))), aspects=("text",), examples=())
def negation_dropped(file: PptxFile, place: Place) -> str:
    """A sentence loses its "not"."""
    for text in place.element.iter(f"{A}t"):
        if NEGATIONS.search(text.text or ""):
            text.text = without_negation(text.text or "")
            break
    return text_of(place.element)


def _one_of_several(file: PptxFile, shape: Shape, paragraph: etree._Element) -> bool:
    parent = paragraph.getparent()
    return bool(text_of(paragraph).strip()) and parent is not None and len(parent.findall(f"{A}p")) > 1


@pptx_operator("pptx.paragraph-deleted", CONTENT, find_paragraphs(_one_of_several), aspects=("text", "structure"), effect="remove")
def paragraph_deleted(file: PptxFile, place: Place) -> str:
    """A paragraph is deleted."""
    remove_element(place.element)
    return "deleted"


@pptx_operator("pptx.paragraph-moved", STRUCTURE, find_paragraphs(lambda f, s, p: _one_of_several(f, s, p) and _differs(p)), aspects=("order",), effect="move")
def paragraph_moved(file: PptxFile, place: Place) -> str:
    """A paragraph changes places with the next one."""
    following = place.element.getnext()
    if following is None:
        raise LookupError("the last paragraph")
    following.addnext(place.element)
    return f"after: {text_of(following)}"


def _differs(paragraph: etree._Element) -> bool:
    following = paragraph.getnext()
    return following is not None and following.tag == paragraph.tag and text_of(following) not in ("", text_of(paragraph))


@pptx_operator(
    "pptx.list-level-shifted",
    STRUCTURE,
    find_paragraphs(lambda f, s, p: bool(text_of(p).strip()) and not is_title(s.element) and s.kind == "sp" and placeholder(s.element) is not None),
    aspects=("structure", "format"),
)
def list_level_shifted(file: PptxFile, place: Place) -> str:
    """A list item moves to another level."""
    properties = place.element.find(f"{A}pPr")
    if properties is None:
        properties = place.element.makeelement(f"{A}pPr")
        place.element.insert(0, properties)
    level = int(properties.get("lvl") or 0)
    properties.set("lvl", str(level + 1 if level < 4 else level - 1))
    return f"level {properties.get('lvl')}"


def _table(file: PptxFile, shape: Shape) -> bool:
    return shape.kind == "graphicFrame" and shape.element.find(f".//{A}tbl") is not None


def _chart(file: PptxFile, shape: Shape) -> bool:
    return shape.kind == "graphicFrame" and shape.element.find(".//{*}chart") is not None


def _new_text_box(shape: etree._Element, lines: list[str], name: str) -> etree._Element:
    box = frame(shape)
    place = etree.tostring(box.find(f"{A}off"), encoding="unicode") + etree.tostring(box.find(f"{A}ext"), encoding="unicode") if box is not None else ""  # type: ignore[arg-type]
    properties = shape.find("./*/{*}cNvPr")
    number = properties.get("id") if properties is not None else "901"
    new = etree.fromstring(
        f'<p:sp xmlns:p="{P_NS}" xmlns:a="{A_NS}"><p:nvSpPr><p:cNvPr id="{number}" name=""/><p:cNvSpPr txBox="1"/><p:nvPr/></p:nvSpPr><p:spPr><a:xfrm>{place}</a:xfrm>'
        '<a:prstGeom prst="rect"><a:avLst/></a:prstGeom></p:spPr><p:txBody><a:bodyPr wrap="square"/><a:lstStyle/></p:txBody></p:sp>'
    )
    new[0][0].set("name", name)
    set_lines(new[2], lines)
    return new


def new_picture(file: PptxFile, part: str, shape: etree._Element, description: str) -> etree._Element:
    """A p:pic in the place of a shape."""
    file.add_part("ppt/media/added1.png", make_png(30, 20), "image/png")
    rel_id = file.add_rel(part, "image", "ppt/media/added1.png")
    box = frame(shape)
    place = etree.tostring(box.find(f"{A}off"), encoding="unicode") + etree.tostring(box.find(f"{A}ext"), encoding="unicode") if box is not None else ""  # type: ignore[arg-type]
    properties = shape.find("./*/{*}cNvPr")
    number = properties.get("id") if properties is not None else "901"
    new = etree.fromstring(
        f'<p:pic xmlns:p="{P_NS}" xmlns:a="{A_NS}" xmlns:r="{R_NS}"><p:nvPicPr><p:cNvPr id="{number}" name=""/><p:cNvPicPr/><p:nvPr/></p:nvPicPr>'
        f'<p:blipFill><a:blip r:embed="{rel_id}"/><a:stretch><a:fillRect/></a:stretch></p:blipFill><p:spPr><a:xfrm>{place}</a:xfrm><a:prstGeom prst="rect">'
        "<a:avLst/></a:prstGeom></p:spPr></p:pic>"
    )
    new[0][0].set("name", name_of(shape))
    new[0][0].set("descr", description)
    return new


def _replace(file: PptxFile, place: Place, new: etree._Element) -> None:
    place.element.addprevious(new)
    remove_element(place.element)
    _drop_unused(file, place.part)


def _drop_unused(file: PptxFile, part: str) -> None:
    used = {value for element in file.xml(part).iter() for key, value in element.items() if key.startswith(R)}
    for rel in file.rels(part):
        if rel.id not in used and rel.type in ("chart", "image", "hyperlink", "oleObject", "package"):
            file.drop_rel(part, rel.id)


def _table_lines(shape: etree._Element) -> list[str]:
    return ["\t".join(text_of(cell).replace("\n", " ") for cell in row.iterfind(f"{A}tc")) for row in shape.iter(f"{A}tr")]


@pptx_operator("pptx.table-to-text-box", STRUCTURE, find_shapes(_table), aspects=("structure",), breaks=("pptx.table",), tags=("gaming",))
def table_to_text_box(file: PptxFile, place: Place) -> str:
    """A table becomes a text box with tab characters."""
    _replace(file, place, _new_text_box(place.element, _table_lines(place.element), name_of(place.element)))
    return "a text box"


@pptx_operator("pptx.table-to-picture", STRUCTURE, find_shapes(_table), aspects=("structure",), breaks=("pptx.table",), tags=("gaming",))
def table_to_picture(file: PptxFile, place: Place) -> str:
    """A table becomes a picture, with its text as the picture's description."""
    _replace(file, place, new_picture(file, place.part, place.element, "; ".join(_table_lines(place.element))))
    return "a picture"


@pptx_operator("pptx.chart-to-picture", STRUCTURE, find_shapes(_chart), aspects=("structure",), breaks=("pptx.chart",), tags=("gaming",))
def chart_to_picture(file: PptxFile, place: Place) -> str:
    """A chart becomes a picture of a chart."""
    _replace(file, place, new_picture(file, place.part, place.element, "Chart"))
    return "a picture"


def _chart_parts(file: PptxFile) -> Iterator[tuple[Shape, str]]:
    for shape in file.shapes:
        if _chart(file, shape):
            element = shape.element.find(".//{*}chart")
            part = file.target(shape.slide.part, element.get(f"{R}id") if element is not None else None)
            if part is not None:
                yield shape, part


def _chart_values(file: PptxFile) -> Iterator[Place]:
    for shape, part in _chart_parts(file):
        for value in file.xml(part).iterfind(".//{*}ser/{*}val//{*}pt/{*}v"):
            yield Place(shape.address, part, value, value.text or "", shape, exact=False)


@pptx_operator("pptx.chart-cache-changed", CONTENT, _chart_values, aspects=("value",), breaks=("pptx.chart",))
def chart_cache_changed(file: PptxFile, place: Place) -> str:
    """A chart shows another value than its embedded workbook holds."""
    place.element.text = repr(float(place.element.text or 0) * 3 + 1)
    return place.element.text


def _chart_workbooks(file: PptxFile) -> Iterator[Place]:
    for shape, part in _chart_parts(file):
        for package in file.related(part, "package"):
            if package.endswith(".xlsx") and _numbers(file.archive.read(package)):
                yield Place(shape.address, "", shape.element, package.rpartition("/")[2], package, exact=False)


def _numbers(data: bytes) -> list[tuple[str, int]]:
    book = OoxmlFile(data)
    return [
        (part, number)
        for part in book.related(book.main, "worksheet")
        for number, cell in enumerate(book.xml(part).iter("{*}c"))
        if cell.get("t") in (None, "n") and cell.findtext("{*}v")
    ]


@pptx_operator("pptx.chart-workbook-changed", CONTENT, _chart_workbooks, aspects=("value",))
def chart_workbook_changed(file: PptxFile, place: Place) -> str:
    """A chart's embedded workbook holds another value than the chart shows."""
    data = file.archive.read(place.more)
    part, number = _numbers(data)[0]
    book = OoxmlFile(data)
    cell = list(book.edit(part).iter("{*}c"))[number]
    value = cell.find("{*}v")
    if value is None:
        raise LookupError("no value")
    value.text = repr(float(value.text or 0) * 3 + 1)
    file.put(place.more, book.save())
    return value.text


@pptx_operator("pptx.chart-series-dropped", CONTENT, lambda f: (p for p in _chart_series(f)), aspects=("structure", "value"), breaks=("pptx.chart",), effect="change")
def chart_series_dropped(file: PptxFile, place: Place) -> str:
    """A chart loses a series, or its last category."""
    remove_element(place.element)
    return "no series"


def _chart_series(file: PptxFile) -> Iterator[Place]:
    for shape, part in _chart_parts(file):
        for series in file.xml(part).iterfind(".//{*}ser"):
            yield Place(shape.address, part, series, "".join(v.text or "" for v in series.iterfind("{*}tx//{*}v")), shape, exact=False)


@pptx_operator("pptx.chart-type-changed", STRUCTURE, lambda f: (Place(s.address, p, f.xml(p), "bars", s, exact=False) for s, p in _chart_parts(f) if f.xml(p).find(".//{*}barDir") is not None), aspects=("structure", "format"), breaks=("pptx.chart",))
def chart_type_changed(file: PptxFile, place: Place) -> str:
    """A chart's columns become bars, or its bars columns."""
    direction = place.element.find(".//{*}barDir")
    if direction is None:
        raise LookupError("no bars")
    direction.set("val", "bar" if direction.get("val") != "bar" else "col")
    return direction.get("val") or ""


def _framed(file: PptxFile, shape: Shape) -> bool:
    return frame(shape.element) is not None


def _off(place: Place) -> tuple[etree._Element, etree._Element]:
    box = frame(place.element)
    if box is None:
        raise LookupError("no frame")
    return box[0], box[1]


@pptx_operator("pptx.shape-moved", PRESERVATION, find_shapes(_framed), aspects=("geometry",))
def shape_moved(file: PptxFile, place: Place) -> str:
    """A shape moves by a centimetre."""
    off, _ = _off(place)
    off.set("x", str(int(off.get("x") or 0) + 360000))
    return f"x {off.get('x')}"


@pptx_operator("pptx.shape-resized", PRESERVATION, find_shapes(lambda f, s: _framed(f, s) and s.kind in ("sp", "pic", "cxnSp")), aspects=("geometry",))
def shape_resized(file: PptxFile, place: Place) -> str:
    """A shape shrinks to 60 % of its height."""
    _, ext = _off(place)
    ext.set("cy", str(int(ext.get("cy") or 0) * 6 // 10 + 1))
    return f"height {ext.get('cy')}"


@pptx_operator("pptx.shape-off-the-slide", PRESERVATION, find_shapes(_framed), aspects=("geometry",), breaks=("anchor.contains",), tags=("gaming",))
def shape_off_the_slide(file: PptxFile, place: Place) -> str:
    """A shape is moved beyond the edge of the slide."""
    off, _ = _off(place)
    off.set("x", "-20000000")
    return "x -20000000"


def _overlaid(file: PptxFile, shape: Shape) -> bool:
    following = shape.element.getnext()
    return following is not None and local_name(following) in ("sp", "pic", "graphicFrame", "grpSp", "cxnSp")


@pptx_operator("pptx.shape-re-stacked", PRESERVATION, find_shapes(_overlaid), aspects=("order",), effect="move")
def shape_re_stacked(file: PptxFile, place: Place) -> str:
    """A shape is brought forward, in front of the next one."""
    following = place.element.getnext()
    if following is None:
        raise LookupError("the last shape")
    following.addnext(place.element)
    return f"in front of {name_of(following)}"


@pptx_operator("pptx.shape-deleted", STRUCTURE, find_shapes(), aspects=("structure", "text"), effect="remove")
def shape_deleted(file: PptxFile, place: Place) -> str:
    """A shape is deleted."""
    properties = place.element.find("./*/{*}cNvPr")
    number = properties.get("id") if properties is not None else ""
    remove_element(place.element)
    for target in list(file.xml(place.part).iter("{*}spTgt")):
        # An animation of a shape that is gone makes the file unreadable for PowerPoint.
        timing = file.xml(place.part).find("{*}timing")
        if target.get("spid") == number and timing is not None:
            remove_element(timing)
    _drop_unused(file, place.part)
    return "deleted"


@pptx_operator("pptx.placeholder-to-text-box", STRUCTURE, find_shapes(lambda f, s: s.kind == "sp" and placeholder(s.element) is not None and bool(text_of(s.element).strip())), aspects=("structure",))
def placeholder_to_text_box(file: PptxFile, place: Place) -> str:
    """A placeholder becomes a text box that only looks like it."""
    holder = placeholder(place.element)
    if holder is not None:
        remove_element(holder)
    properties = place.element.find("{*}spPr")
    if frame(place.element) is None and properties is not None:
        box = etree.Element(f"{A}xfrm")
        etree.SubElement(box, f"{A}off", x="457200", y="274638")
        etree.SubElement(box, f"{A}ext", cx="8229600", cy="1143000")
        properties.insert(0, box)
        if properties.find(f"{A}prstGeom") is None:
            geometry = etree.Element(f"{A}prstGeom", prst="rect")
            etree.SubElement(geometry, f"{A}avLst")
            box.addnext(geometry)
    return "a text box"


def _notes(file: PptxFile) -> Iterator[Place]:
    for slide in file.slides:
        shape = file.notes_body(slide)
        if shape is not None and text_of(shape).strip():
            yield Place(f"{slide.address}/notes", file.notes_part(slide) or "", shape, text_of(shape), slide)


@pptx_operator("pptx.notes-rewritten", CONTENT, _notes, aspects=("note", "text"), breaks=("pptx.notes",))
def notes_rewritten(file: PptxFile, place: Place) -> str:
    """The speaker notes of a slide say something else."""
    body = place.element.find("{*}txBody")
    if body is not None:
        set_lines(body, ["To be added."])
    return "To be added."


@pptx_operator("pptx.notes-dropped", PRESERVATION, _notes, aspects=("note",), breaks=("pptx.notes",), effect="remove")
def notes_dropped(file: PptxFile, place: Place) -> str:
    """A slide loses its notes page."""
    slide: Slide = place.more
    file._edited.discard(place.part)
    for rel in file.rels(slide.part):
        if rel.type == "notesSlide":
            notes = rel.target
            for back in file.rels(notes):
                file.drop_rel(notes, back.id)
            file.drop_rel(slide.part, rel.id)
    return "no notes"


def _layouts(file: PptxFile, slide: Slide) -> list[str]:
    own = file.related(slide.part, "slideLayout")
    masters = file.related(own[0], "slideMaster") if own else []
    others = file.related(masters[0], "slideLayout") if masters else []
    return [layout for layout in others if layout not in own]


@pptx_operator("pptx.layout-re-pointed", STRUCTURE, find_slides(lambda f, s: bool(_layouts(f, s))), aspects=("layout",))
def layout_re_pointed(file: PptxFile, place: Place) -> str:
    """A slide uses another layout."""
    slide: Slide = place.more
    new = _layouts(file, slide)[-1]
    for entry in file.edit(file.rels_part(slide.part)):
        if (entry.get("Type") or "").endswith("/slideLayout"):
            entry.set("Target", "/" + new)
    return new.rpartition("/")[2]


def _theme_colours(file: PptxFile) -> Iterator[Place]:
    for master in file.related(file.main, "slideMaster"):
        for part in file.related(master, "theme"):
            for colour in file.xml(part).iterfind(".//{*}clrScheme/*/{*}srgbClr"):
                yield Place("theme", part, colour, f"{local_name(colour.getparent())} {colour.get('val')}", exact=False)  # type: ignore[arg-type]


@pptx_operator("pptx.theme-colour-changed", PRESERVATION, _theme_colours, aspects=("theme", "format"), examples=ONLY)
def theme_colour_changed(file: PptxFile, place: Place) -> str:
    """A colour of the theme changes."""
    new = "00AA55" if place.element.get("val") != "00AA55" else "AA0055"
    place.element.set("val", new)
    return new


def _theme_fonts(file: PptxFile) -> Iterator[Place]:
    for master in file.related(file.main, "slideMaster"):
        for part in file.related(master, "theme"):
            for font in file.xml(part).iterfind(".//{*}fontScheme/*/{*}latin"):
                yield Place("theme", part, font, font.get("typeface") or "", exact=False)


@pptx_operator("pptx.theme-font-changed", PRESERVATION, _theme_fonts, aspects=("theme", "format"), examples=ONLY)
def theme_font_changed(file: PptxFile, place: Place) -> str:
    """A font of the theme changes."""
    place.element.set("typeface", "Comic Sans MS")
    return "Comic Sans MS"


def _of_slide(path: str, kind: str) -> object:
    def find(file: PptxFile) -> Iterator[Place]:
        for slide in file.slides:
            root = file.xml(slide.part)
            if root.find(f".//{{*}}{path}") is not None:
                yield Place(f"{slide.address}/{kind}", slide.part, root, path, slide)

    return find


@pptx_operator("pptx.animation-dropped", PRESERVATION, _of_slide("timing", "animation"), aspects=("animation",), effect="remove")  # type: ignore[arg-type]
def animation_dropped(file: PptxFile, place: Place) -> str:
    """The animations of a slide are lost."""
    for element in list(place.element.iterfind("{*}timing")):
        remove_element(element)
    return "no animation"


@pptx_operator("pptx.transition-dropped", PRESERVATION, _of_slide("transition", "transition"), aspects=("transition",), effect="remove")  # type: ignore[arg-type]
def transition_dropped(file: PptxFile, place: Place) -> str:
    """The transition to a slide is lost."""
    for element in list(place.element):
        if local_name(element) == "transition" or (local_name(element) == "AlternateContent" and element.find(".//{*}transition") is not None):
            remove_element(element)
    return "no transition"


def _pictures(file: PptxFile) -> Iterator[Place]:
    for shape in file.shapes:
        if shape.kind == "pic":
            blip = shape.element.find(".//{*}blip")
            target = file.target(shape.slide.part, blip.get(f"{R}embed") if blip is not None else None)
            if target is not None:
                yield Place(shape.address, "", shape.element, target.rpartition("/")[2], target)


@pptx_operator("pptx.picture-swapped", CONTENT, _pictures, aspects=("media",))
def picture_swapped(file: PptxFile, place: Place) -> str:
    """A picture shows something else."""
    file.put(place.more, other_image(file.archive.read(place.more)))
    return "another picture"


def _described(file: PptxFile) -> Iterator[Place]:
    for shape in file.shapes:
        properties = shape.element.find("./*/{*}cNvPr")
        if properties is not None and properties.get("descr"):
            yield Place(shape.address, shape.slide.part, properties, properties.get("descr") or "", shape)


@pptx_operator("pptx.alt-text-dropped", PRESERVATION, _described, aspects=("text", "media"))
def alt_text_dropped(file: PptxFile, place: Place) -> str:
    """A picture loses its alternative text."""
    place.element.attrib.pop("descr")
    return ""


def _with_runs(file: PptxFile, shape: Shape) -> bool:
    return shape.kind == "sp" and bool(text_of(shape.element).strip()) and next(shape.element.iter(f"{A}r"), None) is not None


def recolour(shape: etree._Element, colour: str) -> None:
    """Give every run of a shape a colour."""
    for run in shape.iter(f"{A}r"):
        properties = run.find(f"{A}rPr")
        if properties is None:
            properties = run.makeelement(f"{A}rPr")
            run.insert(0, properties)
        for old in list(properties):
            if local_name(old) in ("solidFill", "gradFill", "noFill"):
                properties.remove(old)
        fill = properties.makeelement(f"{A}solidFill")
        etree.SubElement(fill, f"{A}srgbClr", val=colour)
        properties.insert(1 if len(properties) and local_name(properties[0]) == "ln" else 0, fill)


def _not_white(file: PptxFile, shape: Shape) -> bool:
    reference = shape.element.find("{*}style/{*}fontRef/*")
    return _with_runs(file, shape) and (reference is None or reference.get("val") not in ("lt1", "bg1", "FFFFFF", "window"))


@pptx_operator("pptx.text-white", PRESERVATION, find_shapes(_not_white), aspects=("format",), breaks=("anchor.contains",), tags=("gaming",))
def text_white(file: PptxFile, place: Place) -> str:
    """The text of a shape becomes white."""
    recolour(place.element, "FFFFFF")
    return "white"


@pptx_operator("pptx.font-size-changed", PRESERVATION, find_shapes(_with_runs), aspects=("format",))
def font_size_changed(file: PptxFile, place: Place) -> str:
    """The text of a shape becomes 9 points high."""
    for run in place.element.iter(f"{A}r"):
        properties = run.find(f"{A}rPr")
        if properties is None:
            properties = run.makeelement(f"{A}rPr")
            run.insert(0, properties)
        properties.set("sz", "900")
    return "9 pt"


def _links(file: PptxFile) -> Iterator[Place]:
    for shape in file.shapes:
        if shape.kind == "grpSp":
            continue
        for link in shape.element.iter(f"{A}hlinkClick"):
            rel = next((r for r in file.rels(shape.slide.part) if r.id == link.get(f"{R}id") and r.external), None)
            if rel is not None:
                yield Place(shape.address, shape.slide.part, link, rel.target, shape)


@pptx_operator("pptx.link-re-targeted", CONTENT, _links, aspects=("link",))
def link_re_targeted(file: PptxFile, place: Place) -> str:
    """A link leads somewhere else."""
    place.element.set(f"{R}id", file.add_rel(place.part, "hyperlink", "https://example.invalid/elsewhere", external=True))
    return "https://example.invalid/elsewhere"


@pptx_operator("pptx.link-dropped", PRESERVATION, _links, aspects=("link",))
def link_dropped(file: PptxFile, place: Place) -> str:
    """A link is lost."""
    remove_element(place.element)
    _drop_unused(file, place.part)
    return "no link"


def _rows(file: PptxFile) -> Iterator[Place]:
    for shape in file.shapes:
        if _table(file, shape):
            rows = list(shape.element.iter(f"{A}tr"))
            for number, row in enumerate(rows, 1):
                if len(rows) > 1 and text_of(row).strip():
                    yield Place(f"{shape.address}/row[{number}]", shape.slide.part, row, text_of(row), shape)


@pptx_operator("pptx.row-deleted", STRUCTURE, _rows, aspects=("structure", "text"), breaks=("pptx.table",), effect="remove")
def row_deleted(file: PptxFile, place: Place) -> str:
    """A row of a table is deleted."""
    remove_element(place.element)
    return "deleted"


@pptx_operator("pptx.slide-size-changed", PRESERVATION, lambda f: [Place("", f.main, f.xml(f.main), "", exact=False)] if f.xml(f.main).find("{*}sldSz") is not None else [], aspects=("geometry", "layout"), examples=ONLY)
def slide_size_changed(file: PptxFile, place: Place) -> str:
    """All slides get another width."""
    size = place.element.find("{*}sldSz")
    if size is None:
        raise LookupError("no size")
    size.set("cx", str(int(size.get("cx") or 0) + 1000000))
    size.attrib.pop("type", None)
    return f"width {size.get('cx')}"


def _backgrounds(file: PptxFile) -> Iterator[Place]:
    for slide in file.slides:
        common = file.xml(slide.part).find("{*}cSld")
        if common is not None:
            yield Place(f"{slide.address}/background", slide.part, common, "", slide)


@pptx_operator("pptx.background-changed", PRESERVATION, _backgrounds, aspects=("format",))
def background_changed(file: PptxFile, place: Place) -> str:
    """A slide gets another background."""
    old = place.element.find("{*}bg")
    if old is not None:
        place.element.remove(old)
    new = etree.fromstring(f'<p:bg xmlns:p="{P_NS}" xmlns:a="{A_NS}"><p:bgPr><a:solidFill><a:srgbClr val="FFE0B0"/></a:solidFill><a:effectLst/></p:bgPr></p:bg>')
    place.element.insert(0, new)
    return "FFE0B0"


OPERATORS: tuple[Operator, ...] = tuple(value for value in list(globals().values()) if isinstance(value, Operator))
