"""What is done to a presentation to satisfy a check without doing the work."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from lxml import etree

from docops.core.operator import CorruptionClass, Operator
from docops.formats.pptx.operators import new_picture
from docops.formats.pptx.operators_model import SAMPLE, PptxFile, Shape, frame, pptx_operator, set_lines, text_of
from docops.formats.pptx.operators_objects import recolour
from docops.operators.ooxml_file import A_NS, A, Place

CONTENT = CorruptionClass.CONTENT_ALTERATION
TAGS = ("gaming",)
ANCHORS = ("anchor.contains", "anchor.in_order")
EXAMPLES = (replace(SAMPLE, texts=("Shorter waiting times",)),)
P_NS = "http://schemas.openxmlformats.org/presentationml/2006/main"


def _wanted(file: PptxFile) -> Iterator[Place]:
    """The shapes that hold wording the verifier asks for: one site for each wording, at its first place."""
    for text in sorted(set(file.input.texts)):
        shapes = [s for s in file.shapes if s.kind == "sp" and text and text in text_of(s.element)]
        if shapes:
            first = shapes[0]
            number = next((n for n, p in enumerate(first.element.iterfind(f"{{*}}txBody/{A}p"), 1) if text in text_of(p)), None)
            address = first.address if number is None else f"{first.address}/paragraph[{number}]"
            yield Place(address, "", first.element, text_of(first.element), (text, shapes), keys=(text,))


def _hidden(name: str) -> Callable[[Callable[[PptxFile, Place], str | None]], Operator]:
    return pptx_operator(name, CONTENT, _wanted, aspects=("text", "format", "geometry", "structure"), breaks=ANCHORS, tags=TAGS, examples=EXAMPLES)


def _each(file: PptxFile, place: Place) -> Iterator[Shape]:
    for shape in place.more[1]:
        file.edit(shape.slide.part)
        yield shape


@_hidden("pptx.words-white")
def words_white(file: PptxFile, place: Place) -> str:
    """The required words are there, in white."""
    for shape in _each(file, place):
        properties = shape.element.find("{*}spPr")
        for old in list(properties if properties is not None else []):
            if old.tag in (f"{A}solidFill", f"{A}gradFill", f"{A}blipFill", f"{A}pattFill"):
                old.getparent().remove(old)  # type: ignore[union-attr]
        recolour(shape.element, "FFFFFF")
    return "white"


def _set_frame(shape: etree._Element, x: int, y: int, cx: int, cy: int) -> None:
    properties = shape.find("{*}spPr")
    if properties is None:
        raise LookupError("no properties")
    box = frame(shape)
    if box is None:
        for old in properties.findall(f"{A}xfrm"):
            properties.remove(old)
        box = properties.makeelement(f"{A}xfrm")
        etree.SubElement(box, f"{A}off")
        etree.SubElement(box, f"{A}ext")
        properties.insert(0, box)
    box[0].attrib.update({"x": str(x), "y": str(y)})
    box[1].attrib.update({"cx": str(cx), "cy": str(cy)})


@_hidden("pptx.words-off-the-slide")
def words_off(file: PptxFile, place: Place) -> str:
    """The required words are there, beyond the edge of the slide."""
    for shape in _each(file, place):
        _set_frame(shape.element, -30000000, 100000, 3000000, 1000000)
    return "off the slide"


@_hidden("pptx.words-without-size")
def words_without_size(file: PptxFile, place: Place) -> str:
    """The required words are there, in a shape without size that shows no overflow."""
    for shape in _each(file, place):
        _set_frame(shape.element, 0, 0, 0, 0)
        for run in shape.element.iter(f"{A}r"):
            properties = run.find(f"{A}rPr")
            if properties is None:
                properties = run.makeelement(f"{A}rPr")
                run.insert(0, properties)
            properties.set("sz", "100")
    return "0 × 0"


@_hidden("pptx.words-on-hidden-slide")
def words_on_hidden_slide(file: PptxFile, place: Place) -> str:
    """The required words are there, on a hidden slide."""
    for shape in _each(file, place):
        file.xml(shape.slide.part).set("show", "0")
    return "hidden slide"


@_hidden("pptx.words-in-hidden-shape")
def words_in_hidden_shape(file: PptxFile, place: Place) -> str:
    """The required words are there, in a shape that is hidden in the selection pane."""
    for shape in _each(file, place):
        properties = shape.element.find("./*/{*}cNvPr")
        if properties is not None:
            properties.set("hidden", "1")
    return "hidden shape"


def _take_out(file: PptxFile, place: Place) -> str:
    text = str(place.more[0])
    for shape in _each(file, place):
        for paragraph in shape.element.iter(f"{A}p"):
            if text in text_of(paragraph):
                texts = list(paragraph.iter(f"{A}t"))
                texts[0].text = text_of(paragraph).replace(text, "–")
                for other in texts[1:]:
                    other.text = ""
    return text


@_hidden("pptx.words-in-notes")
def words_in_notes(file: PptxFile, place: Place) -> str:
    """The required words stand in the speaker notes alone, or where there are none in the metadata."""
    text = _take_out(file, place)
    slide = place.more[1][0].slide
    body = file.notes_body(slide)
    if body is None:
        return _to_metadata(file, text)
    file.edit(file.notes_part(slide) or "")
    holder = body.find("{*}txBody")
    if holder is not None:
        set_lines(holder, [*text_of(body).split("\n"), text])
    return "notes"


def _to_metadata(file: PptxFile, text: str) -> str:
    for part in file.related("", "core-properties"):
        root = file.edit(part)
        name = "{http://purl.org/dc/elements/1.1/}description"
        found = root.find(name)
        if found is None:
            found = etree.SubElement(root, name)
        found.text = text
    return "description"


@_hidden("pptx.words-in-metadata")
def words_in_metadata(file: PptxFile, place: Place) -> str:
    """The required words stand in the document's properties alone."""
    return _to_metadata(file, _take_out(file, place))


@_hidden("pptx.words-in-alternative-text")
def words_in_alternative_text(file: PptxFile, place: Place) -> str:
    """The required words stand in the alternative text of their shape alone."""
    text = _take_out(file, place)
    properties = place.more[1][0].element.find("./*/{*}cNvPr")
    if properties is not None:
        properties.set("descr", text)
    return "alternative text"


@_hidden("pptx.words-as-picture")
def words_as_picture(file: PptxFile, place: Place) -> str:
    """The required words are a picture of themselves."""
    _take_out(file, place)
    shape = place.more[1][0]
    picture = new_picture(file, shape.slide.part, shape.element, "")
    properties = picture.find("./*/{*}cNvPr")
    if properties is not None:
        properties.set("id", "901")
        properties.set("name", "Picture 901")
    box = frame(picture)
    if box is None:
        holder = picture.find("{*}spPr")
        for old in holder.findall(f"{A}xfrm") if holder is not None else []:
            old.append(etree.fromstring(f'<a:off xmlns:a="{A_NS}" x="1000000" y="1000000"/>'))
            old.append(etree.fromstring(f'<a:ext xmlns:a="{A_NS}" cx="3000000" cy="800000"/>'))
    shape.element.addnext(picture)
    return "a picture"


@pptx_operator(
    "pptx.blank-with-all-words",
    CorruptionClass.SAME_NAME_CORRUPTION,
    lambda file: [Place("", "", file.xml(file.main), "the presentation")] if file.input.texts and file.slides else [],
    tags=TAGS,
    examples=EXAMPLES,
)
def blank_with_all_words(file: PptxFile, place: Place) -> str:
    """One slide of the presentation is left, and lists all the required words."""
    from docops.formats.pptx.operators import _drop_slide

    first = file.slides[0]
    for slide in file.slides[1:]:
        file._edited.discard(slide.part)
        _drop_slide(file, slide)
    root = file.edit(first.part)
    tree = root.find("{*}cSld/{*}spTree")
    if tree is None:
        raise LookupError("no shapes")
    for child in list(tree)[2:]:
        tree.remove(child)
    for timing in root.findall("{*}timing"):
        root.remove(timing)
    box = etree.fromstring(
        f'<p:sp xmlns:p="{P_NS}" xmlns:a="{A_NS}"><p:nvSpPr><p:cNvPr id="2" name="TextBox 1"/><p:cNvSpPr txBox="1"/><p:nvPr/></p:nvSpPr><p:spPr><a:xfrm><a:off x="0" y="0"/>'
        '<a:ext cx="8000000" cy="6000000"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></p:spPr><p:txBody><a:bodyPr/><a:lstStyle/></p:txBody></p:sp>'
    )
    set_lines(box[2], list(file.input.texts))
    tree.append(box)
    return f"{len(file.input.texts)} texts"


OPERATORS: tuple[Operator, ...] = tuple(value for value in list(globals().values()) if isinstance(value, Operator))
