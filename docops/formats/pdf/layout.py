"""From shown fragments to what a reader reads: visibility, lines, blocks, reading order within a line."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field

from docops.formats.pdf.covers import covered_share, covers_box
from docops.formats.pdf.fonts import UNKNOWN
from docops.formats.pdf.graphics import Box, Colour, Content, Cover, Fragment

#: In multiples of the font size: a gap that is a space, one that separates columns, the tallest line spacing of a block.
_SPACE_GAP = 0.15
_COLUMN_GAP = 1.8
_LINE_STEP = 1.65
#: Share of a fragment's box that must lie under a cover for the text to be covered.
_COVERED = 0.8
#: Colours that differ less than this in every channel cannot be told apart.
_SAME_COLOUR = 0.04


@dataclass(slots=True)
class Line:
    """Fragments on one baseline without a column gap."""

    fragments: list[Fragment]
    start: float
    end: float
    level: float
    size: float
    direction: tuple[float, float]


@dataclass(slots=True)
class Piece:
    """Text of equal visibility within a block.   actual: it replaces glyphs (ActualText), it is not drawn itself."""

    text: str
    hidden: str
    actual: bool = False


@dataclass(slots=True)
class Block:
    """Lines that read on: a paragraph, a heading, a table cell."""

    lines: list[Line] = field(default_factory=list)
    step: float | None = None
    _pieces: list[Piece] = field(default_factory=list, repr=False)

    @property
    def fragments(self) -> list[Fragment]:
        """All fragments in reading order."""
        return [fragment for line in self.lines for fragment in line.fragments]

    def pieces(self) -> list[Piece]:
        """The text in runs of equal visibility; they join to the whole text. Read once, when all lines are there."""
        if not self._pieces:
            self._pieces = self._read()
        return self._pieces

    def _read(self) -> list[Piece]:
        out: list[Piece] = []
        for number, line in enumerate(self.lines):
            if number and out:
                text = out[-1].text
                out[-1].text = text if text.endswith("\u00ad") else text + "\n"
            for text, hidden in _line_texts(line):
                if out and out[-1].hidden == hidden:
                    out[-1].text += text
                else:
                    out.append(Piece(text, hidden))
        return [piece for piece in out if piece.text]

    @property
    def text(self) -> str:
        """The whole text, hidden parts included."""
        return "".join(piece.text for piece in self.pieces())


def hide(content: Content, area: Box, covers: Sequence[Cover] = ()) -> None:
    """Mark the fragments and pictures that a reader cannot see: off the page, in the colour of what is behind, painted over.

    covers: areas painted after the whole content (appearances of annotations).
    """
    below = content.covers
    for fragment in content.fragments:
        if fragment.hidden or not fragment.text.strip():
            continue
        box = fragment.box
        middle = ((box[0] + box[2]) / 2, (box[1] + box[3]) / 2)
        if not (area[0] <= middle[0] <= area[2] and area[1] <= middle[1] <= area[3]):
            fragment.hidden = "off the page"
        elif _covered([*(cover for cover in below if cover.order > fragment.order), *covers], box):
            fragment.hidden = "covered"
        elif _like_background(fragment, below, box):
            fragment.hidden = "colour of the background"
    for picture in content.pictures:
        if not picture.hidden and _covered([cover for cover in below if cover.order > picture.order], picture.box):
            picture.hidden = "covered"


def _covered(covers: Sequence[Cover], box: Box) -> bool:
    """Whether most of a box lies below one opaque area, or below several of them together."""
    over = [cover for cover in covers if cover.opaque and _touches(cover.box, box)]
    if any(covers_box(cover, box, _COVERED) for cover in over):
        return True
    return len(over) > 1 and covered_share(over, box) >= _COVERED


def _touches(first: Box, second: Box) -> bool:
    return first[0] < second[2] and second[0] < first[2] and first[1] < second[3] and second[1] < first[3]


def _like_background(fragment: Fragment, covers: Sequence[Cover], box: Box) -> bool:
    colour: Colour = fragment.colour
    if colour.rgb is None:
        return False
    background: tuple[float, float, float] | None = (1.0, 1.0, 1.0)
    for cover in covers:
        if cover.order >= fragment.order:
            break
        if covers_box(cover, box, _COVERED):
            background = cover.rgb if cover.opaque else None
    return background is not None and all(abs(a - b) < _SAME_COLOUR for a, b in zip(colour.rgb, background, strict=True))


def blocks(fragments: Sequence[Fragment]) -> list[Block]:
    """Blocks in the order they are painted."""
    out: list[Block] = []
    for line in _lines(fragments):
        if not out or not _continues(out[-1], line):
            out.append(Block())
        block = out[-1]
        if block.lines:
            block.step = block.lines[-1].level - line.level
        block.lines.append(line)
    return [block for block in out if any(fragment.text.strip() or fragment.actual for fragment in block.fragments)]


def _lines(fragments: Sequence[Fragment]) -> list[Line]:
    out: list[Line] = []
    for fragment in fragments:
        ux, uy = fragment.direction
        start = fragment.start[0] * ux + fragment.start[1] * uy
        end = fragment.end[0] * ux + fragment.end[1] * uy
        level = -fragment.start[0] * uy + fragment.start[1] * ux
        line = out[-1] if out else None
        if line is not None and _same_line(line, fragment, start, end, level):
            line.fragments.append(fragment)
            line.start, line.end = min(line.start, start), max(line.end, end)
            if fragment.size > line.size:
                line.size, line.level = fragment.size, level
        else:
            out.append(Line([fragment], min(start, end), max(start, end), level, fragment.size, fragment.direction))
    return out


def _same_line(line: Line, fragment: Fragment, start: float, end: float, level: float) -> bool:
    (ux, uy), (vx, vy) = line.direction, fragment.direction
    size = max(line.size, fragment.size, 0.01)
    if ux * vx + uy * vy < 0.99 or abs(level - line.level) > 0.45 * size:
        return False
    if start >= line.end - 0.3 * size:
        return start - line.end <= _COLUMN_GAP * size or not fragment.text.strip()
    if _is_rtl(fragment.text) or any(_is_rtl(other.text) for other in line.fragments):
        return line.start - end <= _COLUMN_GAP * size
    return start >= line.start and end - line.end <= 0.3 * size and start >= line.fragments[-1].start[0] * ux + line.fragments[-1].start[1] * uy


def _continues(block: Block, line: Line) -> bool:
    last = block.lines[-1]
    if last.direction != line.direction or not 0.8 <= line.size / max(last.size, 0.01) <= 1.25:
        return False
    step = last.level - line.level
    if not 0.5 * line.size <= step <= _LINE_STEP * line.size:
        return False
    if block.step is not None and abs(step - block.step) > 0.15 * block.step:
        return False
    return line.start <= last.end and line.end >= last.start and abs(line.start - block.lines[0].start) <= 3 * line.size


def _is_rtl(text: str) -> bool:
    return not text.isascii() and any(unicodedata.bidirectional(char) in {"R", "AL"} for char in text if char > "\u0590")


def _line_texts(line: Line) -> list[tuple[str, str]]:
    """Text and visibility along a line, with a space where a gap shows one."""
    ux, uy = line.direction
    fragments = line.fragments
    rtl = any(_is_rtl(fragment.text) for fragment in fragments)
    if rtl:
        fragments = sorted(fragments, key=lambda fragment: fragment.start[0] * ux + fragment.start[1] * uy)
    out: list[tuple[str, str]] = []
    end: float | None = None
    used: set[int] = set()
    for fragment in fragments:
        text = _fragment_text(fragment, used)
        start = fragment.start[0] * ux + fragment.start[1] * uy
        if end is not None and out and start - end > _SPACE_GAP * fragment.size and not out[-1][0].endswith((" ", "\u00a0")) and not text.startswith(" "):
            out[-1] = (out[-1][0] + " ", out[-1][1])
        end = fragment.end[0] * ux + fragment.end[1] * uy
        if not text:
            continue
        if out and (out[-1][1] == fragment.hidden or not text.strip()):
            out[-1] = (out[-1][0] + text, out[-1][1])
        else:
            out.append((text, fragment.hidden))
    if rtl:
        out = [(logical_order(text), hidden) for text, hidden in reversed(out)]
    return out


def _fragment_text(fragment: Fragment, used: set[int]) -> str:
    """What the fragment shows; replacement text stands in where the glyphs have no characters of their own."""
    actual = fragment.actual
    if actual is not None and _has_no_characters(fragment.text):
        if actual[0] in used:
            return ""
        used.add(actual[0])
        return actual[1]
    return fragment.text


def _has_no_characters(text: str) -> bool:
    return bool(text) and all(char == UNKNOWN or char == "\0" or unicodedata.category(char) == "Co" for char in text)


def logical_order(text: str) -> str:
    """A line with right-to-left characters, shown from left to right, in the order it is read."""
    if not _is_rtl(text):
        return text
    out: list[str] = []
    run: list[str] = []
    for char in reversed(text):
        if unicodedata.bidirectional(char) in {"L", "EN", "AN", "ES", "ET", "CS"} and not _is_rtl(char):
            run.append(char)
        else:
            out += reversed(run)
            run = []
            out.append(unicodedata.normalize("NFC", _MIRRORED.get(char, char)))
    out += reversed(run)
    return "".join(out)


_MIRRORED = {"(": ")", ")": "(", "[": "]", "]": "[", "{": "}", "}": "{", "«": "»", "»": "«", "<": ">", ">": "<"}
