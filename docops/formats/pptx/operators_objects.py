"""Corruptions of presentations: places, sizes, placeholders, notes, layouts, theme, pictures, links and formatting."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml import etree

from docops.core.operator import CorruptionClass, Operator
from docops.formats.pptx.operators_model import (
    SAMPLE,
    PptxFile,
    Shape,
    Slide,
    drop_unused,
    find_shapes,
    find_slides,
    frame,
    is_table,
    name_of,
    placeholder,
    pptx_operator,
    set_lines,
    text_of,
)
from docops.operators.media import other_image
from docops.operators.ooxml_file import A_NS, A, Place, R, local_name, remove_element, unset

CONTENT = CorruptionClass.CONTENT_ALTERATION
STRUCTURE = CorruptionClass.STRUCTURE_CORRUPTION
PRESERVATION = CorruptionClass.PRESERVATION_VIOLATION
P_NS = "http://schemas.openxmlformats.org/presentationml/2006/main"
ONLY = (SAMPLE,)
_WORD = re.compile(r"[^\W\d_]{3,}")


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
    drop_unused(file, place.part)
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


def _on_dark(file: PptxFile, shape: Shape) -> bool:
    """Whether the slide, its layout or its master has a dark background, on which text may be white already."""
    parts = [shape.slide.part, *file.related(shape.slide.part, "slideLayout")]
    parts += file.related(parts[-1], "slideMaster")
    dark = ("dk1", "dk2", "tx1", "tx2", "000000")
    colours = [colour.get("val") for part in parts for colour in file.xml(part).iterfind("{*}cSld/{*}bg//*") if colour.get("val")]
    maps = [found.get("bg1") for part in parts for found in file.xml(part).iter("{*}clrMap", "{*}overrideClrMapping")]
    return any(colour in dark for colour in [*colours, *maps])


def _not_white(file: PptxFile, shape: Shape) -> bool:
    reference = shape.element.find("{*}style/{*}fontRef/*")
    return _with_runs(file, shape) and not _on_dark(file, shape) and (reference is None or reference.get("val") not in ("lt1", "bg1", "FFFFFF", "window"))


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
    drop_unused(file, place.part)
    return "no link"


def _rows(file: PptxFile) -> Iterator[Place]:
    for shape in file.shapes:
        if is_table(file, shape):
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
    unset(size, "type")
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
