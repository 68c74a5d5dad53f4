"""What is anchored in a paragraph: pictures, text boxes, equations, charts, diagrams, objects and other shapes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from lxml import etree

from docops.core.canonical import digest
from docops.core.codes import Aspect
from docops.core.node import Node, Value
from docops.formats.docx.content import MATH, Anchored, equation_text
from docops.formats.docx.names import DGM, FALLBACK, PPR, RPR, RUN, WP, A, C, M, O, P, R, T, V, W
from docops.formats.docx.story import Story
from docops.formats.docx.visibility import Paper
from docops.formats.ooxml.drawing import Colours, picture_facts
from docops.formats.ooxml.package import Part

Facts = dict[tuple[Aspect, str], Value]
TEXT_BOX = W + "txbxContent"
_PICTURE = "{http://schemas.openxmlformats.org/drawingml/2006/picture}pic"
_SHAPE = "{http://schemas.microsoft.com/office/word/2010/wordprocessingShape}wsp"
_EXTENDED_CHART = "{http://schemas.microsoft.com/office/drawing/2014/chartex}chart"
_DIAGRAM_TEXT = "{http://schemas.openxmlformats.org/drawingml/2006/main}t"

BlocksOf = Callable[[Node, etree._Element], list[Node]]


def kind_of(element: etree._Element) -> str:
    """The address kind of something anchored."""
    tag = element.tag
    if tag in MATH:
        return "equation"
    if tag == W + "object":
        return "object"
    if tag == W + "pict":
        if next(element.iter(TEXT_BOX), None) is not None:
            return "text_box"
        return "image" if next(element.iter(V + "imagedata"), None) is not None else "shape"
    data = next(element.iter(A + "graphicData"), None)
    first = next((child for child in data if isinstance(child.tag, str)), None) if data is not None else None
    if first is None:
        return "shape"
    if first.tag == _PICTURE:
        return "image"
    if first.tag in {C + "chart", _EXTENDED_CHART}:
        return "chart"
    if first.tag == DGM + "relIds":
        return "diagram"
    return "text_box" if first.tag == _SHAPE and next(first.iter(TEXT_BOX), None) is not None else "shape"


def text_boxes(element: etree._Element) -> list[etree._Element]:
    """The outermost `w:txbxContent` elements inside something anchored, fallbacks left out."""
    out: list[etree._Element] = []
    for child in element:
        if child.tag == TEXT_BOX:
            out.append(child)
        elif child.tag != FALLBACK:
            out += text_boxes(child)
    return out


def chart_part(story: Story, element: etree._Element) -> Part | None:
    """The chart part that a drawing shows."""
    reference = next(element.iter(C + "chart", _EXTENDED_CHART), None)
    return story.part.target(reference.get(R + "id")) if reference is not None else None


def anchored_node(parent: Node, place: Node, story: Story, one: Anchored, index: int, blocks_of: BlocksOf) -> Node:
    """The node of something anchored in the paragraph `place`; it stands beside that paragraph in `parent`."""
    kind = kind_of(one.element)
    part = chart_part(story, one.element) if kind == "chart" else None
    if part is not None:
        from docops.formats.ooxml.chart import chart_node

        node = chart_node(parent, part, story.shared.package, number=index, facts=drawing_facts(story, one, kind))
        node.also = (place.address,)
        return node
    node = Node(
        parent,
        kind,
        number=index,
        facts=lambda: drawing_facts(story, one, kind),
        fingerprint=story.fingerprint(one.alternate if one.alternate is not None else one.element, f"{one.offset} {one.gone}"),
        also=(place.address,),
    )
    boxes = text_boxes(one.element)
    if kind == "text_box" and len(boxes) == 1:
        node._children = lambda: blocks_of(node, boxes[0])
    elif boxes:
        node._children = lambda: list(_inner_boxes(node, story, boxes, blocks_of))
    return node


def _inner_boxes(parent: Node, story: Story, boxes: list[etree._Element], blocks_of: BlocksOf) -> Iterator[Node]:
    for index, box in enumerate(boxes, 1):
        inner = Node(parent, "text_box", number=index, fingerprint=story.fingerprint(box))
        inner._children = _later(blocks_of, inner, box)
        yield inner


def _later(blocks_of: BlocksOf, node: Node, box: etree._Element) -> Callable[[], list[Node]]:
    return lambda: blocks_of(node, box)


def drawing_facts(story: Story, one: Anchored, kind: str) -> Facts:
    """The facts of something anchored, the text boxes inside left out."""
    element = one.element
    out: Facts = {(Aspect.LAYOUT, "offset"): one.offset}
    if kind == "equation":
        out[Aspect.TEXT, "text"] = equation_text(element)
        out[Aspect.FORMAT, "display"] = element.tag == M + "oMathPara"
        out[Aspect.RAW, "equation"] = story.digest(element)
        return out
    if element.tag == W + "drawing":
        skip = _drawing_ml(story, element, out)
    else:
        skip = _vml(story, element, out)
    boxes = text_boxes(element)
    rest = story.digest(element, [*skip, *boxes])
    out[Aspect.RAW, "drawing"] = rest
    if kind == "diagram":
        out[Aspect.TEXT, "text"] = "\n".join(diagram_texts(story, element))
    if one.alternate is not None:
        out.update(_fallback(story, one.alternate, boxes))
    return out


def _drawing_ml(story: Story, element: etree._Element, out: Facts) -> list[etree._Element]:
    skip: list[etree._Element] = []
    frame = next((child for child in element if child.tag in {WP + "inline", WP + "anchor"}), None)
    if frame is None:
        return skip
    extent = frame.find(WP + "extent")
    if extent is not None:
        out[Aspect.GEOMETRY, "width"] = _whole(extent.get("cx"))
        out[Aspect.GEOMETRY, "height"] = _whole(extent.get("cy"))
        skip.append(extent)
    properties = frame.find(WP + "docPr")
    if properties is not None:
        skip.append(properties)
        _described(story, properties, out)
    out[Aspect.GEOMETRY, "placement"] = "in line" if frame.tag == WP + "inline" else _placement(story, frame)
    if frame.tag == WP + "anchor":
        skip += [child for child in frame if child.tag.rpartition("}")[2] in _PLACING]
    fill = next(element.iter("{http://schemas.openxmlformats.org/drawingml/2006/picture}blipFill"), None)
    if fill is not None and kind_of(element) == "image":
        skip.append(fill)
        out.update(picture_facts(fill, story.part, Colours(theme=story.shared.styles.theme_colours)))
        names = next(element.iter("{http://schemas.openxmlformats.org/drawingml/2006/picture}cNvPr"), None)
        if names is not None:
            skip.append(names)
            # The inner name is the file the picture once came from; programs rewrite it freely.
            if names.get("descr") and names.get("descr") != (properties.get("descr") if properties is not None else None):
                out[Aspect.MEDIA, "inner alt text"] = names.get("descr")
            inner = next(names.iter(A + "hlinkClick"), None)
            if inner is not None:
                out[Aspect.LINK, "inner target"] = story.shared.canonical.relationship(story.part, inner.get(R + "id") or "")
    return skip


_PLACING = frozenset({"simplePos", "positionH", "positionV", "wrapNone", "wrapSquare", "wrapTight", "wrapThrough", "wrapTopAndBottom", "sizeRelH", "sizeRelV"})


def _placement(story: Story, frame: etree._Element) -> str:
    words = ["floating"]
    for axis in ("positionH", "positionV"):
        position = frame.find(WP + axis)
        if position is not None:
            inner = next((child for child in position if isinstance(child.tag, str)), None)
            offset = "".join(str(text) for text in position.itertext()).strip() if inner is not None else ""
            words.append(f"{axis[-1]} {position.get('relativeFrom') or ''} {offset}")
    words += [story.canonical(child) for child in frame if child.tag.rpartition("}")[2].startswith(("wrap", "sizeRel"))]
    words += [f"{name!s}={value!s}" for name, value in sorted(frame.attrib.items()) if not str(name).startswith("{")]
    return " ".join(words)


def _described(story: Story, properties: etree._Element, out: Facts) -> None:
    for name, aspect, label in (("descr", Aspect.MEDIA, "alt text"), ("title", Aspect.MEDIA, "alt title"), ("name", Aspect.LAYOUT, "name")):
        if properties.get(name):
            out[aspect, label] = properties.get(name)
    if (properties.get("hidden") or "0") in {"1", "true", "on"}:
        out[Aspect.STRUCTURE, "hidden"] = True
    for child in properties:
        if child.tag in {A + "hlinkClick", A + "hlinkHover"}:
            label = "target" if child.tag == A + "hlinkClick" else "hover target"
            rel = story.part.relationships.get(child.get(R + "id") or "")
            out[Aspect.LINK, label] = rel.target if rel is not None else ""
            if child.get("tooltip"):
                out[Aspect.LINK, "tooltip"] = child.get("tooltip")
        elif isinstance(child.tag, str):
            text = story.canonical(child)
            if "decorative" in text or child.tag.rpartition("}")[2] != "extLst":
                out[Aspect.RAW, "properties"] = text


def _vml(story: Story, element: etree._Element, out: Facts) -> list[etree._Element]:
    for shape in element.iter():
        if isinstance(shape.tag, str) and shape.tag.startswith(V) and shape.get("style"):
            style = vml_style(shape)
            out[Aspect.GEOMETRY, "width"] = style.get("width", "")
            out[Aspect.GEOMETRY, "height"] = style.get("height", "")
            if shape.get("alt"):
                out[Aspect.MEDIA, "alt text"] = shape.get("alt")
            break
    image = next(element.iter(V + "imagedata"), None)
    if image is not None:
        out[Aspect.MEDIA, "image"] = story.shared.media(story.part, image.get(R + "id") or image.get(O + "relid"))
    embedded = next(element.iter(O + "OLEObject"), None)
    if embedded is not None:
        out[Aspect.MEDIA, "program"] = embedded.get("ProgID") or ""
        out[Aspect.MEDIA, "object"] = story.shared.media(story.part, embedded.get(R + "id"))
    control = next(element.iter(W + "control"), None)
    if control is not None:
        out[Aspect.FORM, "control"] = control.get(W + "name") or ""
        out[Aspect.FORM, "control state"] = story.shared.canonical.relationship(story.part, control.get(R + "id") or "")
    return []


def vml_style(shape: etree._Element) -> dict[str, str]:
    """The CSS properties of a VML shape."""
    pairs = (item.split(":", 1) for item in (shape.get("style") or "").split(";") if ":" in item)
    return {name.strip().lower(): value.strip() for name, value in pairs}


def _fallback(story: Story, alternate: etree._Element, boxes: list[etree._Element]) -> Facts:
    """Facts of the branch for older programs: whether it says the same, and what else it holds."""
    fallback = alternate.find(FALLBACK)
    if fallback is None:
        return {}
    shown = "\n".join(_stored_text(box) for box in boxes)
    inside = [box for box in fallback.iter(TEXT_BOX) if not any(ancestor.tag == TEXT_BOX for ancestor in box.iterancestors() if _inside(ancestor, fallback))]
    loose = "".join(text.text or "" for text in fallback.iter(T) if not any(ancestor.tag == TEXT_BOX for ancestor in text.iterancestors() if _inside(ancestor, fallback)))
    older = "\n".join([*(_stored_text(box) for box in inside), *([loose] if loose else [])])
    out: Facts = {(Aspect.RAW, "fallback"): story.digest(fallback, inside)}
    looks = [_look(story, paragraph) for box in inside for paragraph in box.iter(P)]
    if looks != [_look(story, paragraph) for box in boxes for paragraph in box.iter(P)]:
        out[Aspect.FORMAT, "fallback format"] = digest(looks)[:24]
    if older != shown:
        out[Aspect.RAW, "fallback text"] = older
    return out


def _look(story: Story, paragraph: etree._Element) -> list[Value]:
    """How a paragraph and its runs look, text left out."""
    styles = story.shared.styles
    style = story.style_of(paragraph)
    table = story.table_look(paragraph)
    looks: list[Value] = [styles.paragraph(style, paragraph.find(PPR), None, table)]
    for run in paragraph.iter(RUN):
        look = styles.run(style, run.find(RPR), table)
        if looks[-1] != look:
            looks.append(look)
    return looks


def _inside(element: etree._Element, outer: etree._Element) -> bool:
    return outer in element.iterancestors()


def _stored_text(box: etree._Element) -> str:
    return "".join(text.text or "" for text in box.iter(T))


def diagram_texts(story: Story, element: etree._Element) -> list[str]:
    """The texts of a SmartArt diagram, by its data part."""
    reference = next(element.iter(DGM + "relIds"), None)
    part = story.part.target(reference.get(R + "dm")) if reference is not None else None
    if part is None or not part.is_xml:
        return []
    return ["".join(text.text or "" for text in point.iter(_DIAGRAM_TEXT)) for point in part.xml.iter(DGM + "t")]


def _whole(text: str | None) -> int:
    from docops.formats.ooxml.drawing import emu

    return emu(text)


#: English Metric Units of a point.
_EMU = 12700
_LENGTH = re.compile(r"(-?[\d.]+)\s*(pt|in|cm|mm|px|pc)?")
_POINTS = {"pt": 1.0, "in": 72.0, "cm": 72 / 2.54, "mm": 7.2 / 2.54, "px": 0.75, "pc": 12.0}


def _css_points(text: str) -> float | None:
    match = _LENGTH.match(text)
    if match is None:
        return None
    try:
        return float(match.group(1)) * _POINTS.get(match.group(2) or "px", 1.0)
    except ValueError:
        return None


_FILL = ("solidFill", "gradFill", "blipFill", "pattFill")
#: Points by which something may miss the corner of a paragraph and still lie over its text.
_BESIDE = 4.0


def covers(one: Anchored, length: float, line: float, paper: Paper) -> bool:
    """Whether something that floats in front of the text hides all the text of the paragraph that it is anchored in.

    length: points that the text takes on one line.   line: height of a line.   paper: the document's pages.
    """
    frame = one.element.find(WP + "anchor") if one.element.tag == W + "drawing" else None
    if frame is None or one.gone or (frame.get("behindDoc") or "0") not in {"0", "false"} or frame.find(WP + "wrapNone") is None or why_unseen(one, paper):
        return False
    for axis, origins in (("positionH", {"column", "margin", "character"}), ("positionV", {"paragraph", "line"})):
        position = frame.find(WP + axis)
        offset = position.find(WP + "posOffset") if position is not None else None
        if position is None or offset is None or position.get("relativeFrom") not in origins or _whole(offset.text) / _EMU > _BESIDE:
            return False
    extent = frame.find(WP + "extent")
    width, height = ((_whole(extent.get(name)) / _EMU if extent is not None else 0.0) for name in ("cx", "cy"))
    column = max(paper.width - 2 * paper.least, 1.0)
    lines = max(1.0, length / column)
    picture = next(frame.iter(_PICTURE), None)
    shape = next((properties for properties in frame.iter() if isinstance(properties.tag, str) and properties.tag.endswith("}spPr")), None)
    opaque = picture is not None or (shape is not None and any(shape.find(A + fill) is not None for fill in _FILL) and next(shape.iter(A + "alpha"), None) is None)
    return opaque and width >= min(length, column) and height >= lines * line


def why_unseen(one: Anchored, paper: Paper) -> str:
    """Why a reader does not see a drawing (`hidden`, `without size`, `off the page`), else ""; paper: the document's pages."""
    element = one.element
    if element.tag == W + "drawing":
        properties = next(element.iter(WP + "docPr"), None)
        if properties is not None and (properties.get("hidden") or "0") in {"1", "true", "on"}:
            return "hidden"
        extent = next(element.iter(WP + "extent"), None)
        if extent is not None and (_whole(extent.get("cx")) <= 12700 or _whole(extent.get("cy")) <= 12700):
            return "without size"
        frame = element.find(WP + "anchor")
        if frame is not None:
            for axis, size, whole in (("positionH", "cx", paper.width), ("positionV", "cy", paper.height)):
                position = frame.find(WP + axis)
                offset = position.find(WP + "posOffset") if position is not None else None
                if position is None or offset is None:
                    continue
                value = _whole(offset.text) / _EMU
                reach = _whole(extent.get(size)) / _EMU if extent is not None else 0.0
                # What it is measured from stands on the page, somewhere right of and below its corner.
                from_ = position.get("relativeFrom")
                corner = 0.0 if from_ == "page" else max(paper.most, 72.0) * 2 if from_ in {"margin", "leftMargin", "topMargin"} else whole
                if value >= whole or value + reach + corner <= 0:
                    return "off the page"
        return ""
    for shape in element.iter():
        if isinstance(shape.tag, str) and shape.tag.startswith(V) and shape.get("style"):
            style = vml_style(shape)
            if style.get("visibility") == "hidden" or style.get("display") == "none":
                return "hidden"
            for name in ("width", "height"):
                extent_points = _css_points(style[name]) if name in style else None
                if extent_points is not None and extent_points <= 1:
                    return "without size"
            for name in ("left", "top", "margin-left", "margin-top"):
                offset_points = _css_points(style[name]) if name in style else None
                if offset_points is not None and abs(offset_points) > 22 * 72:
                    return "off the page"
            break
    return ""


