"""From shown fragments to what a reader reads: lines, blocks, reading order within a line."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field

from docops.formats.pdf.fonts import UNKNOWN
from docops.formats.pdf.graphics import Fragment

#: In multiples of the font size: a gap that is a space, one that separates columns, the tallest line spacing of a block.
_SPACE_GAP = 0.15
_COLUMN_GAP = 1.8
_LINE_STEP = 1.65
#: How far above or below a line's level, in multiples of the font size, its indices stand.
_RAISED = 0.7


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
    if ux * vx + uy * vy < 0.99:
        return False
    if abs(level - line.level) > 0.45 * size:
        # Raised or lowered, as an index or a footnote's number is: it goes on just where the line, or its own base, left off.
        return abs(level - line.level) <= _RAISED * size and abs(start - line.end) <= 0.3 * size
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
        runs = _fragment_runs(fragment, used)
        text = "".join(run for run, _ in runs)
        start = fragment.start[0] * ux + fragment.start[1] * uy
        if end is not None and out and start - end > _SPACE_GAP * fragment.size and not out[-1][0].endswith((" ", "\u00a0")) and not text.startswith(" "):
            out[-1] = (out[-1][0] + " ", out[-1][1])
        end = fragment.end[0] * ux + fragment.end[1] * uy
        for run, hidden in runs:
            if out and (out[-1][1] == hidden or not run.strip()):
                out[-1] = (out[-1][0] + run, out[-1][1])
            elif run:
                out.append((run, hidden))
    if rtl:
        out = [(logical_order(text), hidden) for text, hidden in reversed(out)]
    return out


def _fragment_runs(fragment: Fragment, used: set[int]) -> list[tuple[str, str]]:
    """What the fragment shows, with why not; replacement text stands in where the glyphs have no characters of their own."""
    actual = fragment.actual
    if actual is not None and _has_no_characters(fragment.text):
        if actual[0] in used:
            return []
        used.add(actual[0])
        return [(actual[1], fragment.hidden)]
    return fragment.parts or [(fragment.text, fragment.hidden)]


def _has_no_characters(text: str) -> bool:
    return bool(text) and all(char == UNKNOWN or char == "\0" or unicodedata.category(char) == "Co" for char in text)


def logical_order(text: str) -> str:
    """A line with right-to-left characters, shown from left to right, in the order it is read."""
    if len(text) > _LONGEST_LINE or not _is_rtl(text):
        return text
    classes = "".join(_direction(char) for char in text)
    if _reads_left_to_right(text, classes):
        out, at = "", 0
        for found in _RTL_RUN.finditer(classes):
            out += text[at : found.start()] + _read_backwards(text[found.start() : found.end()])
            at = found.end()
        return out + text[at:]
    return _read_backwards(text)


def _direction(char: str) -> str:
    """`L` or `R` for letters, `N` for digits, `S` and `E` for what stands between and beside digits, `O` for the rest."""
    return _DIRECTIONS.get(unicodedata.bidirectional(char), "O")


def _reads_left_to_right(text: str, classes: str) -> bool:
    """Whether the line as a whole runs from left to right: as its ends tell, the space beside its punctuation, or most of its letters."""
    letters = [kind for kind in classes if kind in "LR"]
    if letters[0] == letters[-1]:
        return letters[0] == "L"
    follows, leads = len(_SPACE_FOLLOWS.findall(text)), len(_SPACE_LEADS.findall(text))
    return follows > leads if follows != leads else letters.count("L") > letters.count("R")


def _read_backwards(text: str) -> str:
    """A text shown from left to right that is read from right to left, words of the other direction and numbers inside it kept."""
    backwards = text[::-1]
    classes = "".join(_direction(char) for char in backwards)
    out, at = "", 0
    for found in _LTR_RUN.finditer(classes):
        out += _mirrored(backwards[at : found.start()]) + backwards[found.start() : found.end()][::-1]
        at = found.end()
    return out + _mirrored(backwards[at:])


def _mirrored(text: str) -> str:
    return "".join(unicodedata.normalize("NFC", _MIRRORED.get(char, char)) for char in text)


#: Punctuation beside words that run from right to left, in a line that runs from left to right, and in one that does not.
_RTL_LETTER = r"[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]"
_SPACE_FOLLOWS, _SPACE_LEADS = re.compile(_RTL_LETTER + r"[,.;:!?](?=\s|$)"), re.compile(r"(?:(?<=\s)|^)[,.;:!?\u060c\u061b\u061f]" + _RTL_LETTER)
#: No page holds longer lines; what is longer is left as it is shown.
_LONGEST_LINE = 4000
_DIRECTIONS = {"L": "L", "R": "R", "AL": "R", "NSM": "R", "EN": "N", "AN": "N", "ES": "S", "CS": "S", "ET": "E"}
#: In directions of characters: what is read from right to left within a line that runs the other way, and the reverse.
_RTL_RUN = re.compile(r"R(?:[RNSEO]*R)?")
_LTR_RUN = re.compile(r"(?:N[NSEO]*)?L(?:[LNSEO]*L)?N*|E*N(?:[NSE]*N)?E*")
_MIRRORED = {"(": ")", ")": "(", "[": "]", "]": "[", "{": "}", "}": "{", "«": "»", "»": "«", "<": ">", ">": "<"}
