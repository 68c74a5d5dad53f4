"""Corruptions of presentations: what a careful user of a presentation program would be angry about."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator

from lxml import etree

from docops.core.operator import CorruptionClass, Operator, OperatorExample
from docops.formats.pptx import operators_objects
from docops.formats.pptx.operators_model import (
    SAMPLE,
    PptxFile,
    Shape,
    Slide,
    drop_unused,
    find_paragraphs,
    find_shapes,
    find_slides,
    frame,
    is_table,
    is_title,
    name_of,
    placeholder,
    pptx_operator,
    set_lines,
    text_of,
)
from docops.operators.media import make_png
from docops.operators.ooxml_file import A_NS, R_NS, A, OoxmlFile, Place, R, remove_element
from docops.operators.samples import blank_presentation, negated_presentation
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


@pptx_operator("pptx.negation-dropped", CONTENT, find_paragraphs(lambda f, s, p: any(NEGATIONS.search(t.text or "") for t in p.iter(f"{A}t"))), aspects=("text",), examples=(OperatorExample("a sentence with a not", negated_presentation), OperatorExample("an empty presentation", blank_presentation, applies=False)))
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


def _chart(file: PptxFile, shape: Shape) -> bool:
    return shape.kind == "graphicFrame" and shape.element.find(".//{*}chart") is not None


def _place_and_size(shape: etree._Element) -> str:
    """The a:off and a:ext of a shape as XML, "" where it has none of its own."""
    box = frame(shape)
    return "" if box is None else "".join(str(etree.tostring(child, encoding="unicode", with_tail=False)) for child in list(box)[:2])


def _new_text_box(shape: etree._Element, lines: list[str], name: str) -> etree._Element:
    place = _place_and_size(shape)
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
    place = _place_and_size(shape)
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
    drop_unused(file, place.part)


def _table_lines(shape: etree._Element) -> list[str]:
    return ["\t".join(text_of(cell).replace("\n", " ") for cell in row.iterfind(f"{A}tc")) for row in shape.iter(f"{A}tr")]


@pptx_operator("pptx.table-to-text-box", STRUCTURE, find_shapes(is_table), aspects=("structure",), breaks=("pptx.table",), tags=("gaming",))
def table_to_text_box(file: PptxFile, place: Place) -> str:
    """A table becomes a text box with tab characters."""
    _replace(file, place, _new_text_box(place.element, _table_lines(place.element), name_of(place.element)))
    return "a text box"


@pptx_operator("pptx.table-to-picture", STRUCTURE, find_shapes(is_table), aspects=("structure",), breaks=("pptx.table",), tags=("gaming",))
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


#: The corruptions of this module and of the one beside it.
OPERATORS: tuple[Operator, ...] = (
    *(value for value in list(globals().values()) if isinstance(value, Operator)),
    *operators_objects.OPERATORS,
)
