"""What covers what: the shapes of a sheet that nothing is seen through, and what is left to see below them."""

from __future__ import annotations

from collections.abc import Iterator
from math import cos, radians, sin

from lxml import etree

from docops.formats.ooxml.drawing import A
from docops.formats.ooxml.package import Part
from docops.formats.pptx.deck import P, R, Sheet
from docops.formats.pptx.shapes import Frame, Shape
from docops.formats.pptx.tables import Table

_QUARTER = 5400000
#: A picture, cropped to its frame; a cover of this many parts is no cover that anybody made.
_MAX_PIECES = 256

#: Outlines that fill their frame.
_FULL = frozenset({"rect", "flowChartProcess", "flowChartInternalStorage", "actionButtonBlank"})
#: Outlines that fill their frame but for its corners, with how much of the shorter side a corner takes by default.
_ROUNDED = {
    "roundRect": 0.16667, "round1Rect": 0.16667, "round2SameRect": 0.16667, "round2DiagRect": 0.16667, "snip1Rect": 0.16667, "snip2SameRect": 0.16667,
    "snip2DiagRect": 0.16667, "snipRoundRect": 0.16667, "flowChartAlternateProcess": 0.16667, "plaque": 0.16667, "bevel": 0.0,
}  # fmt: skip
_ROUND = frozenset({"ellipse", "flowChartConnector"})
_OPAQUE_TYPES = frozenset({"image/jpeg", "image/jpg", "image/pjpeg", "image/bmp", "image/x-ms-bmp"})


def is_covered(shape: Shape) -> bool:
    """Whether the whole of a shape lies under opaque shapes before it; of a text, the area that its margins leave it."""
    if shape.frame is None or shape.sheet.role != "slide":
        return False
    positions = shape.sheet.positions
    own = positions[shape]
    pieces = [_text_area(shape, shape.frame.bounds())]
    for other in shape.sheet.covers:
        if positions[other] > own:
            for cover in cover_frames(other):
                pieces = [left for piece in pieces for left in _without(piece, cover)]
                if not pieces:
                    return True
                if len(pieces) > _MAX_PIECES:
                    return False
    return False


def _text_area(shape: Shape, box: Frame) -> Frame:
    if shape.local != "sp":
        return box
    # The margins that a text has without saying so; a shape that is smaller than they are is all text.
    side, top = min(91440.0, box.width / 4), min(45720.0, box.height / 4)
    return Frame(box.x + side, box.y + top, box.width - 2 * side, box.height - 2 * top)


def _without(piece: Frame, cover: Frame) -> Iterator[Frame]:
    """What is left of a rectangle beside another."""
    left, top = max(piece.x, cover.x), max(piece.y, cover.y)
    right, bottom = min(piece.x + piece.width, cover.x + cover.width), min(piece.y + piece.height, cover.y + cover.height)
    if left >= right or top >= bottom:
        yield piece
        return
    for x, y, width, height in (
        (piece.x, piece.y, piece.width, top - piece.y),
        (piece.x, bottom, piece.width, piece.y + piece.height - bottom),
        (piece.x, top, left - piece.x, bottom - top),
        (right, top, piece.x + piece.width - right, bottom - top),
    ):
        if width > 1 and height > 1:
            yield Frame(x, y, width, height)


def covering_shapes(sheet: Sheet) -> list[Shape]:
    """The shapes of a sheet that nothing is seen through and no animation moves, in z-order."""
    from docops.formats.pptx.visibility import animated_ids, hidden_shape

    animated = animated_ids(sheet)
    out = []
    for shape in sheet.order:
        if shape.frame is None or shape.frame.rotation % _QUARTER or not opaque(shape) or hidden_shape(shape):
            continue
        if shape.properties is None or shape.properties.get("id") not in animated:
            out.append(shape)
    return out


def cover_frames(shape: Shape) -> Iterator[Frame]:
    """Rectangles that an opaque shape fills."""
    box = shape.frame.bounds() if shape.frame is not None else Frame(0, 0, 0, 0)
    if shape.table is not None:
        yield Frame(box.x, box.y, sum(shape.table.widths), sum(shape.table.heights))
        return
    preset, adjustment = _outline(shape)
    if preset in _ROUND:
        for angle in (15, 30, 45, 60, 75):
            width, height = box.width * cos(radians(angle)), box.height * sin(radians(angle))
            yield Frame(box.x + (box.width - width) / 2, box.y + (box.height - height) / 2, width, height)
    elif preset in _ROUNDED:
        share = _ROUNDED[preset] if adjustment is None else min(max(adjustment, 0.0), 0.5)
        corner = share * min(box.width, box.height)
        yield Frame(box.x, box.y + corner, box.width, box.height - 2 * corner)
        yield Frame(box.x + corner, box.y, box.width - 2 * corner, box.height)
    else:
        yield box


def _outline(shape: Shape) -> tuple[str, float | None]:
    """The preset that a shape's outline is (pictures: a rectangle unless they say otherwise), and its first adjustment; "" for another."""
    for properties, _ in shape.own_and_inherited_properties():
        preset = properties.find(A + "prstGeom")
        if preset is not None:
            guide = preset.find(f"{A}avLst/{A}gd")
            value = (guide.get("fmla") or "").removeprefix("val ") if guide is not None else ""
            return preset.get("prst") or "", float(value) / 100000 if value.lstrip("-").isdigit() and len(value) < 12 else None
        if properties.find(A + "custGeom") is not None:
            return "", None
    return "rect" if shape.local == "pic" else "", None


def opaque(shape: Shape) -> bool:
    """Whether nothing is seen through a shape, its corners apart."""
    if shape.table is not None:
        return _opaque_table(shape.table)
    if shape.local not in {"sp", "pic"}:
        return False
    preset, _ = _outline(shape)
    if preset not in _FULL and preset not in _ROUNDED and preset not in _ROUND:
        return False
    if shape.local == "pic":
        return _opaque_picture(shape.element.find(f"{P}blipFill/{A}blip"), shape.part)
    return _opaque_fill(shape)


def _opaque_table(table: Table) -> bool:
    fills = {cell.fill() for row in table.rows for cell in row if not cell.merged}
    return bool(fills) and all(fill is not None and len(fill) == 6 for fill in fills)


def _opaque_fill(shape: Shape) -> bool:
    found = shape.fill_of()
    if found is not None:
        fill, sheet = found
        local = fill.tag.rpartition("}")[2]
        if local == "grpFill":
            return shape.group is not None and _opaque_fill(shape.group)
        if local == "blipFill":
            return _opaque_picture(fill.find(A + "blip"), sheet.part)
        colours = [shape.sheet.markup.held_colour(holder) for holder in (fill, *fill.iter(A + "gs", A + "fgClr", A + "bgClr"))]
        return local != "noFill" and not any("@" in colour for colour in colours)
    reference = shape.style.find(A + "fillRef") if shape.style is not None else None
    if reference is None or reference.get("idx") in {"0", "1000", None} or "@" in shape.sheet.markup.held_colour(reference):
        return False
    theme = shape.sheet.deck.theme_of(shape.sheet)
    styles = theme.xml.find(f"{A}themeElements/{A}fmtScheme/{A}fillStyleLst") if theme is not None else None
    index = reference.get("idx") or ""
    style = styles[int(index) - 1] if styles is not None and index.isdigit() and 1 <= int(index) <= len(styles) else None
    return style is not None and style.tag in {A + "solidFill", A + "gradFill"} and next(style.iter(A + "alpha", A + "alphaMod", A + "alphaOff"), None) is None


def _opaque_picture(blip: etree._Element | None, part: Part) -> bool:
    if blip is None or any(isinstance(effect.tag, str) and effect.tag.rpartition("}")[2].startswith(("alpha", "clrChange")) for effect in blip):
        return False
    image = part.target(blip.get(f"{R}embed"))
    if image is None:
        return False
    if image.data[:8] == b"\x89PNG\r\n\x1a\n":
        return image.data[25:26] not in {b"\x04", b"\x06"} and b"tRNS" not in image.data[:4096]
    return image.data[:3] == b"\xff\xd8\xff" or image.content_type in _OPAQUE_TYPES
