"""Shapes, tables and paragraphs as nodes of the state tree."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from lxml import etree

from docops.core.address import Segment
from docops.core.codes import CONTENT_ASPECTS, Aspect
from docops.core.node import Align, Node, Value, find_children
from docops.formats.ooxml.drawing import A, picture_facts, shape_geometry
from docops.formats.ooxml.markup import Markup, boolean
from docops.formats.ooxml.text import Paragraph, percent
from docops.formats.pptx.deck import ADEC, P14, P, R, Sheet
from docops.formats.pptx.shapes import MEDIA_TAGS, Frame, Shape
from docops.formats.pptx.tables import Cell, Table

Facts = dict[tuple[Aspect, str], Value]

_BODY_ATTRIBUTES: Mapping[str, tuple[str, str]] = {
    "rot": ("text_rotation", "0"),
    "spcFirstLastPara": ("text_outer_spacing", "0"),
    "vertOverflow": ("text_vertical_overflow", "overflow"),
    "horzOverflow": ("text_horizontal_overflow", "overflow"),
    "vert": ("text_direction", "horz"),
    "wrap": ("text_wrap", "square"),
    "lIns": ("text_inset_left", "91440"),
    "tIns": ("text_inset_top", "45720"),
    "rIns": ("text_inset_right", "91440"),
    "bIns": ("text_inset_bottom", "45720"),
    "numCol": ("text_columns", "1"),
    "spcCol": ("text_column_space", "0"),
    "rtlCol": ("text_columns_right_to_left", "0"),
    "fromWordArt": ("text_from_word_art", "0"),
    "anchor": ("text_anchor", "t"),
    "anchorCtr": ("text_anchor_centre", "0"),
    "forceAA": ("text_anti_alias", "0"),
    "upright": ("text_upright", "0"),
    "compatLnSpc": ("text_compatible_spacing", "0"),
}
_BODY_DEFAULTS = {**dict(_BODY_ATTRIBUTES.values()), "text_autofit": "none", "text_scale": "100%", "text_spacing_reduction": "0%", "text_prstTxWarp": "prstTxWarp(prst=textNoShape)"}
_AUTOFIT = {"noAutofit": "none", "normAutofit": "shrink text", "spAutoFit": "resize shape"}

_CELL_ATTRIBUTES: Mapping[str, tuple[str, str]] = {
    "marL": ("margin_left", "91440"),
    "marR": ("margin_right", "91440"),
    "marT": ("margin_top", "45720"),
    "marB": ("margin_bottom", "45720"),
    "vert": ("direction", "horz"),
    "anchor": ("anchor", "t"),
    "anchorCtr": ("anchor_centre", "0"),
    "horzOverflow": ("overflow", "clip"),
}
_BORDERS = {"lnL": "left", "lnR": "right", "lnT": "top", "lnB": "bottom", "lnTlToBr": "diagonal_down", "lnBlToTr": "diagonal_up"}
_MODELLED_PROPERTIES = frozenset({"xfrm", "prstGeom", "custGeom", "noFill", "solidFill", "gradFill", "blipFill", "pattFill", "grpFill", "ln"})
_EFFECTS = ("effectLst", "effectDag", "scene3d", "sp3d")


class Layer:
    """How the facts of a sheet are filed: on slides as they are, elsewhere content is the layout's (master's, note's)."""

    def __init__(self, role: str) -> None:
        self.role = role
        other = Aspect.MASTER if role in {"master", "notes_master", "handout_master"} else Aspect.LAYOUT
        self._aspects: Mapping[Aspect, Aspect] = {} if role == "slide" else dict.fromkeys(CONTENT_ASPECTS, other)
        if role == "notes":
            self._aspects = {**self._aspects, Aspect.TEXT: Aspect.NOTE}

    @classmethod
    def of_shape(cls, shape: Shape, layer: Layer) -> Layer:
        """The layer for what is inside a shape: dates and numbers of a notes page are no notes."""
        return _NOTES_FRAME if layer.role == "notes" and shape.placeholder_type in {"dt", "ftr", "hdr", "sldNum", "sldImg"} else layer

    def file(self, facts: Facts) -> Facts:
        """The facts under the aspects of this layer."""
        if not self._aspects:
            return facts
        out: Facts = {}
        for (aspect, name), value in facts.items():
            target = self._aspects.get(aspect, aspect)
            if target is Aspect.NOTE and value == "":
                continue
            out[target, name] = value
        return out


_NOTES_FRAME = Layer("layout")


def shape_node(shape: Shape, layer: Layer, fingerprint: Callable[[Shape], str] | None = None) -> Node:
    """A shape with everything inside.

    fingerprint: digest of all that its facts are made from; None: not known.
    """
    layer = Layer.of_shape(shape, layer)

    def lookup(segment: Segment) -> Sequence[Node] | None:
        if segment.kind in {"row", "cell"} and shape.kind == "table":
            return [found for child in node.children if child.kind == "table" for found in find_children(child, segment)]
        return None

    node = Node(
        shape.container,
        "shape",
        name=shape.name,
        ordinal=shape.ordinal,
        number=shape.number,
        facts=lambda: layer.file(shape_facts(shape)),
        children=lambda: _shape_children(shape, layer),
        label=lambda: written_text(shape.element),
        lookup=lookup,
        fingerprint=(lambda: fingerprint(shape)) if fingerprint is not None else None,
    )
    return node


def written_text(element: etree._Element) -> str:
    """The texts of all runs in an element, one a line: what a place is known by, without a look at what it means."""
    fields = {text for field in element.iter(A + "fld") for text in field}
    return "\n".join(text.text for text in element.iter(A + "t") if text.text and text not in fields)


def _shape_children(shape: Shape, layer: Layer) -> list[Node]:
    address = shape.address
    if shape.kind == "group":
        return [shape_node(child, layer) for child in shape.shapes]
    if shape.kind == "table" and shape.table is not None:
        return [table_node(shape.table, address, layer)]
    if shape.kind in {"picture", "media"}:
        facts = {**picture_facts(shape.element.find(f"{P}blipFill"), shape.part, shape.sheet.colours), **_description_facts(shape)}
        return [Node(address, "picture", facts=layer.file(facts), align=Align.KEY)]
    if shape.kind in {"chart", "diagram", "ole"}:
        from docops.formats.pptx.objects import object_nodes

        return object_nodes(shape, layer)
    return paragraph_nodes(address, shape.paragraphs, layer)


def paragraph_nodes(address: str, paragraphs: Sequence[Paragraph], layer: Layer) -> list[Node]:
    """Paragraphs with their runs."""
    return [_paragraph_node(address, number, paragraph, layer) for number, paragraph in enumerate(paragraphs, 1)]


def _paragraph_node(address: str, number: int, paragraph: Paragraph, layer: Layer) -> Node:
    facts: Facts = {(Aspect.TEXT, "text"): paragraph.text}
    if paragraph.level:
        facts[Aspect.STRUCTURE, "level"] = paragraph.level
    for name, value in paragraph.properties.items():
        facts[Aspect.FORMAT, name] = value
    if paragraph.links:
        facts[Aspect.LINK, "links"] = paragraph.links
    if paragraph.fields:
        dates = [kind for kind in paragraph.fields if str(kind).startswith("datetime")]
        facts[Aspect.FIELD, "fields"] = ["date" if kind in dates else kind for kind in paragraph.fields]
        if dates:
            facts[Aspect.FORMAT, "date_formats"] = dates
    if paragraph.empty_size is not None:
        facts[Aspect.FORMAT, "size"] = paragraph.empty_size
    if paragraph.raw:
        facts[Aspect.FORMAT, "more"] = paragraph.raw
    own = f"{address}/paragraph[{number}]"
    runs = [
        Node(
            own,
            "run",
            number=position,
            facts={(Aspect.FORMAT, "text"): run.text, **{(Aspect.FORMAT, name): value for name, value in run.properties.items()}},
            label=run.text,
            )
        for position, run in enumerate(paragraph.runs, 1)
    ]
    return Node(address, "paragraph", number=number, facts=layer.file(facts), children=runs, label=paragraph.text)


# Tables ---------------------------------------------------------------------------------------------------------------


def table_node(table: Table, address: str, layer: Layer) -> Node:
    """A native table with its rows and cells."""
    own = f"{address}/table"
    sheet = table.shape.sheet
    facts: Facts = {
        (Aspect.STRUCTURE, "columns"): len(table.widths),
        (Aspect.GEOMETRY, "column_widths"): table.widths,
        (Aspect.FORMAT, "style"): table.style_id,
        (Aspect.FORMAT, "parts"): table.flags,
    }
    properties = table.properties
    if properties is not None:
        for child in properties:
            local = child.tag.rpartition("}")[2] if isinstance(child.tag, str) else "tableStyleId"
            if local != "tableStyleId" and (text := sheet.markup.rest(child, sheet.part)):
                facts[Aspect.FORMAT, local] = text
    grid = sheet.markup.rest(table.element.find(A + "tblGrid"), sheet.part, skip=list(table.element.iterfind(f"{A}tblGrid/{A}gridCol")))
    if grid:
        facts[Aspect.RAW, "grid"] = grid
    rows = []
    for number, (element, cells) in enumerate(zip(table.row_elements, table.rows, strict=True), 1):
        row_address = f"{own}/row[{number}]"
        row_facts: Facts = {(Aspect.GEOMETRY, "height"): int(element.get("h") or 0) if (element.get("h") or "0").isdigit() else element.get("h")}
        extension = sheet.markup.rest(element.find(A + "extLst"), sheet.part)
        if extension:
            row_facts[Aspect.RAW, "more"] = extension
        children = [_cell_node(cell, row_address, position, layer) for position, cell in enumerate(cells, 1)]
        rows.append(Node(own, "row", number=number, facts=layer.file(row_facts), children=children))
    return Node(address, "table", facts=layer.file(facts), children=rows, align=Align.KEY)


def _cell_node(cell: Cell, address: str, number: int, layer: Layer) -> Node:
    sheet = cell.table.shape.sheet
    facts: Facts = {}
    for attribute, name in (("gridSpan", "columns"), ("rowSpan", "rows")):
        # What a covered cell says of its own span means nothing: the cell that covers it says how far it goes.
        if not cell.merged and cell.element.get(attribute) not in {None, "1"}:
            facts[Aspect.STRUCTURE, name] = cell.element.get(attribute)
    if cell.merged:
        facts[Aspect.STRUCTURE, "merged"] = cell.merged
    properties = cell.properties
    if properties is not None:
        for raw_name, raw_value in properties.attrib.items():
            name, default = _CELL_ATTRIBUTES.get(str(raw_name), (str(raw_name), ""))
            value = _flag(str(raw_value)) if default in {"0", "1"} else str(raw_value)
            if value != default:
                facts[Aspect.FORMAT, name] = value
        for child in properties:
            local = child.tag.rpartition("}")[2] if isinstance(child.tag, str) else ""
            if local in _BORDERS:
                facts[Aspect.FORMAT, f"border_{_BORDERS[local]}"] = sheet.markup.line(child, sheet.part)
            elif local.endswith("Fill"):
                facts[Aspect.FORMAT, "fill"] = sheet.markup.fill(child, sheet.part)
            elif local and (text := sheet.markup.rest(child, sheet.part)):
                facts[Aspect.FORMAT, local] = text
    if cell.element.get("id"):
        facts[Aspect.RAW, "id"] = cell.element.get("id")
    body = cell.element.find(A + "txBody")
    if body is not None:
        stated = {name: value for name, value in _stated_body(body, sheet, sheet.markup).items() if value != _BODY_DEFAULTS.get(name, "")}
        if stated:
            facts[Aspect.FORMAT, "text_body"] = stated
        text = sheet.markup.rest(body.find(A + "lstStyle"), sheet.part)
        if text:
            facts[Aspect.FORMAT, "list_style"] = text
    own = f"{address}/cell[{number}]"
    return Node(
        address, "cell", number=number, facts=layer.file(facts), children=paragraph_nodes(own, cell.paragraphs, layer), label=cell.text,
    )  # fmt: skip


# Facts of shapes --------------------------------------------------------------------------------------------------------


def shape_facts(shape: Shape) -> Facts:
    """What is stated of a shape itself."""
    facts: Facts = {(Aspect.STRUCTURE, "kind"): shape.kind}
    if shape.name:
        facts[Aspect.LAYOUT, "name"] = shape.name
    if shape.placeholder is not None:
        facts[Aspect.LAYOUT, "placeholder"] = f"{shape.placeholder.type} {shape.placeholder.index}"
    _frame_facts(shape, facts)
    _non_visual_facts(shape, facts)
    _look_facts(shape, facts)
    if shape.local == "sp":
        _body_facts(shape, facts)
    if shape.wrapper is not None:
        branches = [branch for branch in shape.wrapper if shape.element not in branch]
        fallback = [digest for branch in branches for inner in branch if (digest := shape.sheet.markup.digest(inner, shape.part))]
        if fallback:
            facts[Aspect.RAW, "fallback"] = fallback
    known = {"nvSpPr", "nvPicPr", "nvGraphicFramePr", "nvGrpSpPr", "nvCxnSpPr", "nvContentPartPr", "spPr", "grpSpPr", "style", "txBody", "blipFill"}
    known |= {"graphic", "xfrm", "sp", "pic", "graphicFrame", "grpSp", "cxnSp", "contentPart", "AlternateContent"}
    for child in shape.element:
        local = child.tag.rpartition("}")[2] if isinstance(child.tag, str) else "xfrm"
        if local not in known and (text := shape.sheet.markup.rest(child, shape.part)):
            facts[Aspect.RAW, local] = text
    if boolean(shape.element.get("useBgFill") or "0"):
        facts[Aspect.FORMAT, "background_fill"] = True
    for raw_name, raw_value in shape.element.attrib.items():
        name = str(raw_name)
        if name == f"{R}id":
            facts[Aspect.MEDIA, "content"] = shape.sheet.markup.relationship(shape.part, str(raw_value))
        elif name != "useBgFill" and not (name in {"fLocksText", "macro", "textlink", "fPublished"} and str(raw_value) in {"", "0", "1", "true", "false"}):
            facts[Aspect.RAW, name.rpartition("}")[2]] = str(raw_value)
    if shape.kind == "frame" and shape.graphic is not None:
        facts[Aspect.RAW, "graphic"] = shape.sheet.markup.element(shape.graphic, shape.part)
    return facts


def _frame_facts(shape: Shape, facts: Facts) -> None:
    frame = shape.relative
    if frame is not None:
        facts |= frame_facts(frame)


def frame_facts(frame: Frame) -> Facts:
    """A frame as facts."""
    facts: Facts = {
        (Aspect.GEOMETRY, "position"): [round(frame.x), round(frame.y)],
        (Aspect.GEOMETRY, "size"): [round(frame.width), round(frame.height)],
    }
    if frame.rotation:
        facts[Aspect.GEOMETRY, "rotation"] = frame.rotation
    if frame.flip:
        facts[Aspect.GEOMETRY, "flip"] = {"h": "horizontal", "v": "vertical", "hv": "both"}[frame.flip]
    return facts


def _non_visual_facts(shape: Shape, facts: Facts) -> None:
    markup, part = shape.sheet.markup, shape.part
    properties = shape.properties
    if properties is not None:
        if boolean(properties.get("hidden") or "0"):
            facts[Aspect.STRUCTURE, "hidden"] = True
        if shape.kind not in {"picture", "media"}:
            facts |= _description_facts(shape)
        modelled = []
        for child in properties:
            local = child.tag.rpartition("}")[2] if isinstance(child.tag, str) else ""
            if local in {"hlinkClick", "hlinkHover", "hlinkMouseOver"}:
                facts[Aspect.LINK, "click" if local == "hlinkClick" else "hover"] = shape.sheet.deck.link(child, part)
                modelled.append(child)
        modelled += properties.iter(f"{ADEC}decorative")
        more = markup.rest(properties, part, skip=modelled, skip_attributes=("id", "name", "descr", "title", "hidden"))
        if more:
            facts[Aspect.RAW, "non_visual"] = more
    holder = shape.non_visual
    for child in holder if holder is not None else ():
        local = child.tag.rpartition("}")[2] if isinstance(child.tag, str) else "cNvPr"
        if local == "nvPr":
            _application_facts(shape, child, facts)
        elif local != "cNvPr":
            _drawing_facts(shape, child, facts)


def _description_facts(shape: Shape) -> Facts:
    """What stands for a shape where it cannot be seen: told of a picture at the picture, of another shape at the shape."""
    facts: Facts = {}
    properties = shape.properties
    if properties is not None and properties.get("descr"):
        facts[Aspect.MEDIA, "alternative_text"] = properties.get("descr")
    if properties is not None and properties.get("title"):
        facts[Aspect.MEDIA, "alternative_title"] = properties.get("title")
    if shape.decorative:
        facts[Aspect.MEDIA, "decorative"] = True
    return facts


def _application_facts(shape: Shape, element: etree._Element, facts: Facts) -> None:
    markup, part = shape.sheet.markup, shape.part
    placeholder = element.find(f"{P}ph")
    tags = element.find(f"{P}custDataLst")
    skip = [item for item in (placeholder, tags, *shape.media) if item is not None]
    if placeholder is not None:
        hints = [f"{name!s}={value!s}" for name, value in sorted(placeholder.items()) if name not in {"type", "idx"}]
        hints = [hint for hint in hints if hint not in {"orient=horz", "sz=full", "hasCustomPrompt=0", "hasCustomPrompt=false"}]
        inner = markup.rest(placeholder, part, skip_attributes=tuple(str(name) for name in placeholder.attrib))
        if hints or inner:
            facts[Aspect.LAYOUT, "placeholder_hints"] = " ".join([*hints, *([inner] if inner else [])])
    if tags is not None:
        facts[Aspect.METADATA, "tags"] = markup.element(tags, part)
    if shape.media:
        facts[Aspect.MEDIA, "media"] = [_media_text(shape, item) for item in shape.media]
    more = markup.rest(element, part, skip=skip)
    if more:
        facts[Aspect.RAW, "application"] = more


def _media_text(shape: Shape, element: etree._Element) -> str:
    """What a media element points at and how it plays it."""
    text = shape.sheet.markup.element(element, shape.part)
    return text if element.tag in MEDIA_TAGS or element.tag == f"{P14}media" else ""


def _drawing_facts(shape: Shape, element: etree._Element, facts: Facts) -> None:
    markup, part = shape.sheet.markup, shape.part
    if boolean(element.get("txBox") or "0"):
        facts[Aspect.LAYOUT, "text_box"] = True
    modelled = []
    for child in element:
        local = child.tag.rpartition("}")[2] if isinstance(child.tag, str) else ""
        if local.endswith("Locks") or local == "cpLocks":
            modelled.append(child)
            locks = sorted(str(name) for name, value in child.attrib.items() if boolean(str(value)))
            if locks:
                facts[Aspect.PROTECTION, "locks"] = locks
            inner = markup.rest(child, part, skip_attributes=tuple(str(name) for name in child.attrib))
            if inner:
                facts[Aspect.RAW, "lock_extensions"] = inner
        elif local in {"stCxn", "endCxn"}:
            modelled.append(child)
            facts[Aspect.STRUCTURE, "from" if local == "stCxn" else "to"] = f"{shape.sheet.shape_names.get(child.get('id') or '', 'no shape')} site {child.get('idx') or 0}"
    more = markup.rest(element, part, skip=modelled, skip_attributes=("txBox",))
    if more:
        facts[Aspect.RAW, "drawing"] = more


def _look_facts(shape: Shape, facts: Facts) -> None:
    markup = shape.sheet.markup
    geometry = fill = line = None
    found: dict[str, str] = {}
    for properties, sheet in shape.own_and_inherited_properties():
        if geometry is None:
            geometry = shape_geometry(properties, shape.sheet.colours)
        for child in properties:
            local = child.tag.rpartition("}")[2] if isinstance(child.tag, str) else ""
            if local.endswith("Fill") and fill is None:
                fill = markup.fill(child, sheet.part)
            elif local == "ln" and line is None:
                line = markup.line(child, sheet.part) or None
            elif local in _EFFECTS and local not in found:
                found[local] = markup.look(child, sheet.part)
    styled = shape.style is not None
    if geometry is not None:
        facts[Aspect.GEOMETRY, "outline"] = geometry
    if fill is not None and (fill != "none" or styled):
        facts[Aspect.FORMAT, "fill"] = fill
    if line is not None and (line != "none" or styled):
        facts[Aspect.FORMAT, "line"] = line
    for name, text in found.items():
        if text and (text != name or styled):
            facts[Aspect.FORMAT, name] = text
    if shape.style is not None:
        facts[Aspect.FORMAT, "style"] = markup.look(shape.style, shape.part)
    own = shape.shape_properties
    for child in own if own is not None else ():
        local = child.tag.rpartition("}")[2] if isinstance(child.tag, str) else "xfrm"
        if local not in _MODELLED_PROPERTIES and local not in _EFFECTS and (text := markup.rest(child, shape.part)):
            facts[Aspect.RAW, f"properties {local}"] = text
    if own is not None and own.get("bwMode") not in {None, "auto"}:
        facts[Aspect.FORMAT, "black_and_white"] = own.get("bwMode")


def _body_facts(shape: Shape, facts: Facts) -> None:
    stated: dict[str, str] = {}
    for element, sheet in reversed(shape.inherited):
        stated |= _stated_body(element.find(f"{P}txBody"), sheet, shape.sheet.markup)
    stated |= _stated_body(shape.text_body, shape.sheet, shape.sheet.markup)
    for name, value in stated.items():
        if value != _BODY_DEFAULTS.get(name, ""):
            facts[Aspect.FORMAT, name] = value
    body = shape.text_body
    if body is not None:
        styles = shape.sheet.markup.rest(body.find(A + "lstStyle"), shape.part)
        if styles:
            facts[Aspect.FORMAT, "list_style"] = styles


def _stated_body(body: etree._Element | None, sheet: Sheet, markup: Markup) -> dict[str, str]:
    """What a text body's own properties say."""
    element = body.find(A + "bodyPr") if body is not None else None
    out: dict[str, str] = {}
    if element is None:
        return out
    for name, value in element.attrib.items():
        out[_BODY_ATTRIBUTES.get(str(name), (f"text_{name!s}", ""))[0]] = _flag(str(value))
    for child in element:
        local = child.tag.rpartition("}")[2] if isinstance(child.tag, str) else ""
        if local in _AUTOFIT:
            out["text_autofit"] = _AUTOFIT[local]
            out["text_scale"] = percent(child.get("fontScale") or "100000")
            out["text_spacing_reduction"] = percent(child.get("lnSpcReduction") or "0")
        elif local:
            text = markup.look(child, sheet.part)
            out[f"text_{local}"] = "" if text == "extLst" else text
    return out


def _flag(value: str) -> str:
    return {"true": "1", "false": "0"}.get(value, value)
