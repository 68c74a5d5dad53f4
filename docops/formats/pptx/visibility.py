"""Whether a reader of the finished show sees a text: what hides it, and what lies behind and before it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from docops.formats.ooxml.drawing import A, fill_element
from docops.formats.ooxml.text import Run
from docops.formats.pptx.covering import is_covered
from docops.formats.pptx.deck import P, Sheet
from docops.formats.pptx.shapes import Frame, Shape
from docops.formats.pptx.sheets import background_of
from docops.formats.pptx.tables import Cell

#: A side shorter than this (EMU) has no size; a text of at most this size (points) cannot be read.
MIN_SIDE = 12700
MIN_POINTS = 2
#: What is less opaque than this is not seen on anything.
MIN_OPACITY = 0.05
#: What shows less than this share of its own width or height, and of the slide's, shows nothing.
MIN_SHARE = 0.04
#: Colours that differ by at most this in every channel are one colour to a reader.
MAX_CHANNEL = 24

_RRGGBB = re.compile(r"(?<![=\w])[0-9A-F]{6}(?:@[0-9.]+%)?(?![\w@])")


def hidden_shape(shape: Shape, *, look_at_slide: bool = True) -> str:
    """Why nothing of a shape is seen, or ""; its slide is looked at too, unless `look_at_slide` is off."""
    if look_at_slide and shape.sheet.role == "slide" and shape.sheet.part.xml.get("show") in {"0", "false"}:
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
    """Whether no part of a frame lies on the slide, or a sliver that shows nothing of it."""
    box = frame.bounds()
    for start, length, limit in ((box.x, box.width, size[0]), (box.y, box.height, size[1])):
        shown = min(start + length, limit) - max(start, 0)
        if shown <= 0 and (length > 0 or not 0 <= start <= limit):
            return True
        if shown < length * MIN_SHARE and shown < limit * MIN_SHARE:
            return True
    return False


def covered(shape: Shape) -> str:
    """Why a shape cannot be seen for what lies before it, or ""."""
    return "covered" if is_covered(shape) else ""


def animated_ids(sheet: Sheet) -> set[str]:
    """Ids of the shapes that animations move, show or hide."""
    return {target.get("spid") or "" for target in sheet.part.xml.iter(f"{P}spTgt")}


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
    if not isinstance(colour, str):
        return ""
    outline = str(run.properties.get("outline") or "none")
    inks = [*_inks(colour), *_inks(outline)]
    if all(ink is not None and _opacity(ink) <= MIN_OPACITY for ink in inks):
        return "transparent"
    highlight = run.properties.get("highlight")
    ground = [highlight] if isinstance(highlight, str) else back
    if ground and all(other is not None and all(ink is not None and _same(ink, other) for ink in inks) for other in ground):
        return "colour of what is behind"
    return ""


def seen_paragraphs(shape: Shape, cell: Cell | None = None) -> list[str]:
    """The paragraphs of a shape (or of a cell of its table) without the runs that cannot be read where they stand."""
    paragraphs = shape.paragraphs if cell is None else cell.paragraphs
    if not any(paragraph.runs for paragraph in paragraphs):
        return ["" for _ in paragraphs]
    back = behind(shape, cell)
    scale = shape.text_scale if cell is None else 1.0
    return ["".join(run.shown for run in paragraph.runs if not hidden_run(run, back, scale)) for paragraph in paragraphs]


@lru_cache(maxsize=1024)
def _inks(text: str) -> tuple[str | None, ...]:
    """The colours that a fill or outline in words draws with; (None,) where they are not known, () where it draws nothing."""
    if text == "none":
        return ()
    if _plain(text):
        return (text,)
    if text.startswith("picture"):
        return (None,)
    found = _RRGGBB.findall(text)
    # The first word of an outline may be its width.
    return tuple(found[1:] if len(found) > 1 and found[0].isdigit() and text.startswith(found[0]) else found) or (None,)


@lru_cache(maxsize=1024)
def _plain(text: str) -> bool:
    return len(text.partition("@")[0]) == 6 and all(char in "0123456789ABCDEF" for char in text[:6])


def _opacity(colour: str) -> float:
    share = colour.partition("@")[2].rstrip("%")
    return float(share) / 100 if share else 1.0


@lru_cache(maxsize=4096)
def _same(one: str, other: str) -> bool:
    """Whether a colour cannot be told from another that it is laid on."""
    if not _plain(one) or not _plain(other):
        return False
    opacity = _opacity(one)
    return all(abs(int(one[at : at + 2], 16) - int(other[at : at + 2], 16)) * opacity <= MAX_CHANNEL for at in (0, 2, 4))
