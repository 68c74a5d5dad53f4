"""What keeps a reader of the page from seeing a text: its formatting, and where it is put."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from lxml import etree

from docops.core.node import Value
from docops.formats.docx.colours import DRAWING_SLOTS
from docops.formats.docx.names import W, twips
from docops.formats.docx.story import Story
from docops.formats.docx.styles import Properties

_TINY = 1.0
#: Points of height of a line or row, and per cent of the width of letters, below which nobody reads what stands there.
FLAT = 2.0
#: Points that take a letter off an ordinary page, and what stands for the size of a page that says none.
FAR = 700.0
#: Behind text lies something whose colour is not computed (a gradient, a picture): nothing is called hidden there.
UNKNOWN = "?"


class Paper(NamedTuple):
    """The largest width and height of the document's pages, and their smallest and largest left margin, in points."""

    width: float
    height: float
    least: float
    most: float


def page_of(story: Story) -> Paper:
    """The pages of a story's document."""
    main = story.shared.main.xml
    sizes = list(main.iter(f"{W}pgSz"))
    width, height = (max((twips(size.get(W + name)) or 0 for size in sizes), default=0) / 20 or FAR for name in ("w", "h"))
    margins = [(twips(margin.get(W + "left")) or 0) / 20 for margin in main.iter(f"{W}pgMar")] or [72.0]
    return Paper(width, height, min(margins), max(margins))


def amount(value: Value, otherwise: float) -> float:
    """The number in front of a unit."""
    match = re.match(r"-?\d+(?:\.\d+)?", str(value or ""))
    return float(match.group()) if match is not None else otherwise


#: Formatting by which a paragraph can be out of sight.
_PLACING = ("line spacing", "indent left", "indent right")


def why_out_of_sight(look: Properties, p_pr: etree._Element | None, paper: Paper, length: Callable[[], float]) -> str:
    """Why the lines of a paragraph cannot be seen wherever it stands, else "".

    length: points that its text takes at most on one line.
    """
    frame = p_pr.find(W + "framePr") if p_pr is not None else None
    if frame is None and not any(name in look for name in _PLACING):
        return ""
    spacing = str(look.get("line spacing") or "")
    if spacing.startswith("exact ") and amount(spacing[6:], FAR) <= FLAT:
        return "too small"
    left, right = amount(look.get("indent left"), 0), amount(look.get("indent right"), 0)
    first = min(amount(look.get("indent first line"), 0), 0.0)
    if max(left, right) + paper.least >= paper.width or min(left, right) <= -2 * paper.width:
        return "off the page"
    if left < 0 and look.get("alignment") not in {"right", "center"} and paper.most + left + first + length() <= 0 and left + length() + right <= paper.width:
        return "off the page"
    return _why_frame_unseen(frame, paper, length()) if frame is not None else ""


def _why_frame_unseen(frame: etree._Element, paper: Paper, length: float) -> str:
    """Why what stands in a frame cannot be seen, else ""."""

    def measure(name: str) -> float:
        return (twips(frame.get(W + name)) or 0) / 20

    exact = frame.get(W + "hRule") == "exact"
    # A frame that says no width is as wide as its text; a line of it is hardly higher than an inch.
    width = measure("w") or min(length, paper.width)
    height = measure("h") if exact else max(measure("h"), 72.0 * max(1.0, length / max(width, 1.0)))
    for place, extent, whole, anchor in ((measure("x"), width, paper.width, "hAnchor"), (measure("y"), height, paper.height, "vAnchor")):
        margin = 0.0 if frame.get(W + anchor) == "page" else max(paper.most, 72.0) * 2
        if place >= whole or place + extent + margin <= 0:
            return "off the page"
    return "too small" if (exact and measure("h") <= FLAT) or 0 < measure("w") <= FLAT else ""


def why_hidden(look: Properties, behind: str, page: str, theme: Mapping[str, str]) -> str:
    """Why formatting keeps a reader from seeing text, else ""."""
    if look.get("hidden"):
        return "vanish"
    size = look.get("size")
    if isinstance(size, str) and float(size.removesuffix(" pt")) <= _TINY:
        return "too small"
    if amount(look.get("scale"), 100) <= FLAT:
        return "too small"
    if abs(amount(look.get("raised"), 0)) >= FAR:
        return "off the page"
    if amount(look.get("letter spacing"), 0) <= -amount(size, 10):
        return "letters on top of each other"
    colour = look.get("colour")
    fill = str(look.get("w14:textFill") or "")
    if fill:
        opacity = re.search(r'w14:alpha w14:val="(\d+)"', fill)
        if "<w14:noFill" in fill or (opacity is not None and int(opacity.group(1)) >= 99_000):
            return "transparent"
        plain = re.search(r'<w14:solidFill><w14:srgbClr w14:val="([0-9A-Fa-f]{6})"', fill)
        slot = re.search(r'<w14:solidFill><w14:schemeClr w14:val="(\w+)"></>', fill)
        colour = plain.group(1).upper() if plain is not None else theme.get(DRAWING_SLOTS.get(slot.group(1), slot.group(1))) if slot is not None else None
    if isinstance(colour, str) and len(colour) == 6:
        shade = str(look.get("shading") or behind or page)
        highlight = look.get("highlight")
        if isinstance(highlight, str):
            shade = HIGHLIGHTS.get(highlight, shade)
        if _near(colour, shade):
            return "white on white" if colour == "FFFFFF" else "colour of the background"
    return ""


#: What the names of highlight colours mean (17.18.40).
HIGHLIGHTS = {
    "black": "000000", "blue": "0000FF", "cyan": "00FFFF", "green": "00FF00", "magenta": "FF00FF", "red": "FF0000", "yellow": "FFFF00", "white": "FFFFFF",
    "darkBlue": "000080", "darkCyan": "008080", "darkGreen": "008000", "darkMagenta": "800080", "darkRed": "800000", "darkYellow": "808000",
    "darkGray": "808080", "lightGray": "C0C0C0",
}  # fmt: skip


def _near(one: str, other: str) -> bool:
    """Whether two colours cannot be told apart by eye."""
    try:
        return len(other) == 6 and all(abs(int(one[at : at + 2], 16) - int(other[at : at + 2], 16)) <= 8 for at in (0, 2, 4))
    except ValueError:
        return False
