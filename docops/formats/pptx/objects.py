"""Charts, SmartArt diagrams and embedded objects of a slide, with the parts they are made of."""

from __future__ import annotations

from lxml import etree

from docops.core.codes import Aspect
from docops.core.node import Align, Node
from docops.formats.ooxml.common import media_identity
from docops.formats.ooxml.drawing import A, picture_facts
from docops.formats.ooxml.package import Part
from docops.formats.pptx.deck import P, R
from docops.formats.pptx.nodes import Facts, Layer
from docops.formats.pptx.shapes import Shape

DGM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"


def object_nodes(shape: Shape, layer: Layer) -> list[Node]:
    """What a graphic frame holds besides a table."""
    if shape.kind == "chart":
        return _chart_nodes(shape, layer)
    if shape.kind == "diagram":
        return [_diagram_node(shape, layer)]
    return [_ole_node(shape, layer)]


def _chart_nodes(shape: Shape, layer: Layer) -> list[Node]:
    from docops.formats.ooxml.chart import chart_node

    part = shape.chart_part()
    if part is None:
        return [Node(shape.address, "chart", facts=layer.file({(Aspect.STRUCTURE, "part"): "missing"}), align=Align.KEY)]
    return [chart_node(shape.address, part, shape.sheet.deck.package, align=Align.KEY)]


def diagram_points(part: Part) -> list[tuple[str, etree._Element]]:
    """Texts of a diagram's points, in the order they are written."""
    out = []
    for point in part.xml.iterfind(f"{DGM}ptLst/{DGM}pt"):
        body = point.find(f"{DGM}t")
        if body is None or point.get("type") in {"pres", "parTrans", "sibTrans"}:
            continue
        text = "\n".join("".join(str(found.text or "") for found in paragraph.iter(A + "t")) for paragraph in body.iter(A + "p"))
        if text:
            out.append((text, body))
    return out


def _diagram_node(shape: Shape, layer: Layer) -> Node:
    """A SmartArt diagram: its texts, its model (point ids by position), its layout, style and colours by content."""
    markup = shape.sheet.markup

    def facts() -> Facts:
        out: Facts = {}
        data = shape.diagram_part("dm")
        if data is None:
            out[Aspect.STRUCTURE, "part"] = "missing"
            return layer.file(out)
        for position, (text, _) in enumerate(diagram_points(data), 1):
            out[Aspect.TEXT, f"point {position}"] = text
        out[Aspect.STRUCTURE, "model"] = _model(data, markup.element(data.xml, data))
        for which, name in (("lo", "layout"), ("qs", "style"), ("cs", "colours")):
            part = shape.diagram_part(which)
            out[Aspect.FORMAT, name] = markup.part(part.name) if part is not None else "missing"
        drawing = _drawing(shape, data)
        if drawing is not None:
            out[Aspect.FORMAT, "drawing"] = _model(data, markup.element(drawing.xml, drawing))
        return layer.file(out)

    return Node(shape.address, "diagram", facts=facts, align=Align.KEY)


def _drawing(shape: Shape, data: Part) -> Part | None:
    """The stored picture of a diagram, which its data part names."""
    for element in data.xml.iter("{http://schemas.microsoft.com/office/drawing/2008/diagram}dataModelExt"):
        named = shape.part.target(element.get("relId"))
        if named is not None:
            return named
    # A program that renumbered relationships may have missed this attribute.
    drawings = shape.part.related("diagramDrawing")
    return drawings[0] if len(drawings) == 1 else None


def _model(data: Part, text: str) -> str:
    """Digest of a diagram's canonical text with the ids of its points replaced by their positions."""
    import hashlib
    import re

    ids: dict[str, str] = {}
    for element in data.xml.iter(f"{DGM}pt", f"{DGM}cxn"):
        identifier = element.get("modelId")
        if identifier:
            ids.setdefault(identifier, f"id{len(ids) + 1}")
    text = re.sub(r"\{[0-9A-Fa-f-]{36}\}", lambda match: ids.get(match.group(), match.group()), text)
    text = re.sub(r' relId="[^"]*"', "", text)
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def _ole_node(shape: Shape, layer: Layer) -> Node:
    """An embedded or linked object: its program, its content, and the picture that stands for it."""
    markup, part = shape.sheet.markup, shape.part

    def facts() -> Facts:
        out: Facts = {}
        objects = list(shape.graphic.iter(f"{P}oleObj")) if shape.graphic is not None else []
        if not objects:
            return layer.file(out)
        shown = objects[0]
        out[Aspect.MEDIA, "program"] = shown.get("progId") or ""
        rel = part.relationships.get(shown.get(f"{R}id") or "")
        out[Aspect.MEDIA, "content"] = rel.target if rel is not None and rel.external else media_identity(part.target(shown.get(f"{R}id")))
        if shown.get("name"):
            out[Aspect.MEDIA, "title"] = shown.get("name")
        picture = next((found for item in objects for found in item.iter(f"{P}pic")), None)
        if picture is not None:
            facts_of_picture = picture_facts(picture.find(f"{P}blipFill"), part, shape.sheet.colours)
            out |= {(aspect, f"picture {name}"): value for (aspect, name), value in facts_of_picture.items()}
        out[Aspect.RAW, "object"] = [markup.digest(item, part) for item in objects]
        return layer.file(out)

    return Node(shape.address, "object", facts=facts, align=Align.KEY)
