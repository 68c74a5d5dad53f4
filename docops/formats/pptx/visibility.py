"""Whether a reader of the finished show sees a text: what hides it, and what lies behind and before it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from docops.formats.ooxml.drawing import A, fill_element
from docops.formats.ooxml.package import Part
from docops.formats.ooxml.text import Run
from docops.formats.pptx.deck import P, R, Sheet
from docops.formats.pptx.shapes import Frame, Shape
from docops.formats.pptx.sheets import background_of
from docops.formats.pptx.tables import Cell

#: A side shorter than this (EMU) has no size; a text of at most this size (points) cannot be read.
MIN_SIDE = 12700
MIN_POINTS = 1
#: Colours that differ by at most this in every channel are one colour to a reader.
MAX_CHANNEL = 24

#: Outlines that fill their frame.
_FULL = frozenset({"rect", "flowChartProcess", "flowChartInternalStorage", "actionButtonBlank"})
_OPAQUE_TYPES = frozenset({"image/jpeg", "image/jpg", "image/pjpeg", "image/bmp", "image/x-ms-bmp"})


def hidden_shape(shape: Shape) -> str:
    """Why nothing of a shape is seen, or ""; its slide is looked at too."""
    if shape.sheet.role == "slide" and shape.sheet.part.xml.get("show") in {"0", "false"}:
        return "hidden slide"
    if shape.hidden:
        return "hidden shape"
    frame = shape.frame
    if frame is not None and shape.sheet.role != "notes":
        if shape.local not in {"cxnSp", "grpSp"} and (frame.width < MIN_SIDE or frame.height < MIN_SIDE):
            return "without size"
        if off_slide(frame, shape.sheet.deck.size):
            return "off the slide"
    return ""


def off_slide(frame: Frame, size: tuple[int, int]) -> bool:
    """Whether no part of a frame lies on the slide."""
    box = frame.bounds()
    return box.x >= size[0] or box.y >= size[1] or box.x + box.width <= 0 or box.y + box.height <= 0


def covered(shape: Shape) -> str:
    """Why a shape cannot be seen for what lies before it, or ""."""
    if shape.frame is None or shape.sheet.role != "slide":
        return ""
    box = shape.frame.bounds()
    positions = shape.sheet.positions
    own = positions[shape]
    above = (other for other in shape.sheet.covers if positions[other] > own)
    return "covered" if any(other.frame is not None and other.frame.holds(box) for other in above) else ""


def covering_shapes(sheet: Sheet) -> list[Shape]:
    """The shapes of a sheet that nothing is seen through and no animation moves, in z-order."""
    animated = animated_ids(sheet)
    out = []
    for shape in sheet.order:
        if shape.frame is None or shape.frame.rotation or not opaque(shape) or hidden_shape(shape):
            continue
        if shape.properties is None or shape.properties.get("id") not in animated:
            out.append(shape)
    return out


def animated_ids(sheet: Sheet) -> set[str]:
    """Ids of the shapes that animations move, show or hide."""
    return {target.get("spid") or "" for target in sheet.part.xml.iter(f"{P}spTgt")}


def opaque(shape: Shape) -> bool:
    """Whether nothing is seen through a shape's frame."""
    if shape.local == "pic":
        return _opaque_picture(shape.part.target(_embedded(shape)))
    if shape.local != "sp" or not _full(shape):
        return False
    colours = fill_colours(shape)
    return bool(colours) and all(colour is not None and "@" not in colour for colour in colours)


def _embedded(shape: Shape) -> str:
    blip = shape.element.find(f"{P}blipFill/{A}blip")
    return (blip.get(f"{R}embed") or "") if blip is not None else ""


def _opaque_picture(part: Part | None) -> bool:
    if part is None:
        return False
    if part.data[:8] == b"\x89PNG\r\n\x1a\n":
        return part.data[25:26] not in {b"\x04", b"\x06"} and b"tRNS" not in part.data[:4096]
    return part.data[:3] == b"\xff\xd8\xff" or part.content_type in _OPAQUE_TYPES


def _full(shape: Shape) -> bool:
    for properties, _ in shape.own_and_inherited_properties():
        preset = properties.find(A + "prstGeom")
        if preset is not None:
            return preset.get("prst") in _FULL
        if properties.find(A + "custGeom") is not None:
            return False
    return False


def fill_colours(shape: Shape) -> list[str | None]:
    """The colours of a shape's fill; [None] where they are not known, [] where it has none."""
    found = shape.fill_of()
    if found is not None:
        fill, sheet = found
        local = fill.tag.rpartition("}")[2]
        if local == "noFill":
            return []
        if local == "solidFill":
            return [shape.sheet.markup.fill(fill, sheet.part)]
        if local == "gradFill":
            return [shape.sheet.markup.held_colour(stop) for stop in fill.iter(A + "gs")] or [None]
        if local == "grpFill" and shape.group is not None:
            return fill_colours(shape.group)
        return [None]
    reference = shape.style.find(A + "fillRef") if shape.style is not None else None
    if reference is None or reference.get("idx") in {"0", "1000", None}:
        return []
    colour = shape.sheet.markup.held_colour(reference) if len(reference) else None
    # Only the first theme fill is the plain colour; the others are gradients or tones of it.
    return [colour if reference.get("idx") == "1" else None]


def behind(shape: Shape, cell: Cell | None = None) -> list[str | None]:
    """The colours that lie behind a shape's text; None among them where they are not known."""
    if cell is not None:
        fill = cell.fill()
        if fill is None or (fill != "none" and not _plain(fill)):
            return [None]
        if fill != "none":
            return [fill]
    own = fill_colours(shape) if cell is None else []
    if own:
        return own
    for other in _below(shape):
        if other.frame is None or shape.frame is None or hidden_shape(other):
            continue
        if other.local == "graphicFrame" and _touches(other.frame, shape.frame):
            # A table or chart: what of it is behind the text is not known.
            return [None]
        if other.frame.bounds().holds(shape.frame.bounds(), slack=MIN_SIDE):
            colours: list[str | None] = [None] if other.local == "pic" else fill_colours(other) if other.local == "sp" else []
            if colours:
                return colours
        elif _touches(other.frame, shape.frame) and (other.local == "pic" or (other.local == "sp" and fill_colours(other))):
            # Partly on another colour: what is behind it is more than one thing.
            return [None]
    return background_colours(shape.sheet)


def _below(shape: Shape) -> Iterator[Shape]:
    """The shapes under a shape, the nearest first; layout and master included."""
    yield from reversed(shape.sheet.order[: shape.sheet.positions[shape]])
    sheet = shape.sheet
    while sheet.parent is not None and sheet.part.xml.get("showMasterSp") not in {"0", "false"}:
        sheet = sheet.parent
        yield from (other for other in reversed(sheet.order) if other.placeholder is None)


def _touches(one: Frame, other: Frame) -> bool:
    a, b = one.bounds(), other.bounds()
    return a.x < b.x + b.width and b.x < a.x + a.width and a.y < b.y + b.height and b.y < a.y + a.height


def background_colours(sheet: Sheet) -> list[str | None]:
    """The colours of a sheet's background; white where none is given."""
    found = background_of(sheet)
    if found is None:
        return ["FFFFFF"]
    element, owner = found
    properties = element.find(f"{P}bgPr")
    if properties is not None:
        fill = fill_element(properties)
        if fill is None or fill.tag == A + "noFill":
            return ["FFFFFF"]
        if fill.tag == A + "gradFill":
            return [sheet.markup.held_colour(stop) for stop in fill.iter(A + "gs")] or [None]
        return [sheet.markup.fill(fill, owner.part)] if fill.tag == A + "solidFill" else [None]
    reference = element.find(f"{P}bgRef")
    if reference is not None and reference.get("idx") in {"1001", "1", "1000", "0"}:
        return [sheet.markup.held_colour(reference)]
    return [None]


def hidden_run(run: Run, back: Sequence[str | None], scale: float = 1.0) -> str:
    """Why a run cannot be read where it stands, or "".

    scale: by what the text around it is shrunk.
    """
    size = run.properties.get("size")
    if isinstance(size, (int, float)) and size * scale <= MIN_POINTS:
        return "too small"
    colour = run.properties.get("colour")
    if not isinstance(colour, str) or run.properties.get("outline", "none") not in {"none", ""} or run.properties.get("highlight"):
        return ""
    if colour == "none" or colour.endswith("@0%"):
        return "transparent"
    if back and all(other is not None and _same(colour, other) for other in back):
        return "colour of what is behind"
    return ""


@lru_cache(maxsize=1024)
def _plain(text: str) -> bool:
    return len(text.partition("@")[0]) == 6 and all(char in "0123456789ABCDEF" for char in text[:6])


@lru_cache(maxsize=1024)
def _same(one: str, other: str) -> bool:
    if not _plain(one) or not _plain(other):
        return False
    return all(abs(int(one[at : at + 2], 16) - int(other[at : at + 2], 16)) <= MAX_CHANNEL for at in (0, 2, 4))
