"""What a content stream's interpreter keeps and gives: matrices, boxes, the graphics state, what was painted."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

from docops.formats.pdf.canonical import number_text
from docops.formats.pdf.fonts import Font
from docops.formats.pdf.reading import Name, Object

Matrix = tuple[float, float, float, float, float, float]
Box = tuple[float, float, float, float]
Point = tuple[float, float]
Ring = tuple[Point, ...]
#: Outlines, and whether the even-odd rule tells what is inside (else the non-zero winding rule).
Clip = tuple[tuple[Ring, ...], bool]

IDENTITY: Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
EVERYWHERE: Box = (-1e9, -1e9, 1e9, 1e9)
#: Texts are joined up to this length.
_LONGEST = 2000
#: Gaps up to this share of the font size are no gaps to the eye.
_KERNED = 0.14
_GRAY = Name("DeviceGray")


@dataclass(slots=True)
class Colour:
    """A colour: how it is spelt in facts, and roughly what it looks like (None: not known)."""

    text: str = "000000"
    rgb: tuple[float, float, float] | None = (0.0, 0.0, 0.0)


@dataclass(slots=True)
class State:
    """The graphics state."""

    ctm: Matrix = IDENTITY
    fill: Colour = field(default_factory=Colour)
    stroke: Colour = field(default_factory=Colour)
    fill_space: Object = _GRAY
    stroke_space: Object = _GRAY
    line: tuple[tuple[str, str], ...] = ()
    extra: tuple[tuple[str, str], ...] = ()
    opacity: float = 1.0
    stroke_opacity: float = 1.0
    blends: bool = False
    clip: str = ""
    clip_box: Box = EVERYWHERE
    clip_shapes: tuple[Clip, ...] = ()
    font: Font | None = None
    size: float = 0.0
    char_space: float = 0.0
    word_space: float = 0.0
    stretch: float = 1.0
    leading: float = 0.0
    mode: int = 0
    rise: float = 0.0

    def copy(self) -> State:
        """The same state, to be changed without changing this one."""
        return State(*(getattr(self, name) for name in State.__slots__))


@dataclass(slots=True)
class Fragment:
    """Text shown in one go.

    start, end: baseline origin and where the next glyph would stand.   size: height of the font in points.
    hidden: why a reader cannot see it, or "".   order: position among everything painted.   look: other state that shows.
    tags: marked content around it.   actual: replacement text of the marked content around it, with the number of that content.
    codes: its glyphs as hexadecimal codes, with `<n>` where the next one stands n thousandths nearer (glyphs without a character
    of their own are told apart by them).   spacing: extra space after each glyph and after spaces, in font sizes.
    clips: box and outlines that it was clipped to.   parts: its text in runs of equal visibility, where it is seen in part only.
    """

    text: str
    start: tuple[float, float]
    end: tuple[float, float]
    direction: tuple[float, float]
    size: float
    font: Font | None
    colour: Colour
    hidden: str
    order: int
    look: str
    tags: tuple[str, ...]
    actual: tuple[int, str] | None = None
    codes: str = ""
    spacing: tuple[float, float] = (0.0, 0.0)
    clips: tuple[Box, tuple[Clip, ...]] | None = None
    parts: list[tuple[str, str]] = field(default_factory=list)

    def goes_on(self, other: Fragment) -> bool:
        """Take in a fragment that goes on just where this one ends and looks alike; whether it does."""
        if (
            self.font is not other.font
            or abs(self.size - other.size) > 0.001
            or self.colour.text != other.colour.text
            or (self.hidden, self.look, self.tags, self.actual, self.clips) != (other.hidden, other.look, other.tags, other.actual, other.clips)
            or any(abs(a - b) > 0.001 for a, b in zip((*self.direction, *self.spacing), (*other.direction, *other.spacing), strict=True))
        ):
            return False
        (x, y), (ux, uy) = self.end, self.direction
        dx, dy = other.start[0] - x, other.start[1] - y
        gap = dx * ux + dy * uy
        if abs(dy * ux - dx * uy) > 0.02 or abs(gap) > max(_KERNED * self.size, 0.02) or not 0 < len(self.text) < _LONGEST:
            return False
        self.codes += f"<{-round(gap / self.size * 1000)}>" if abs(gap) > 0.02 else ""
        self.text += other.text
        self.codes += other.codes
        self.end, self.order = other.end, other.order
        return True

    @property
    def box(self) -> Box:
        """Roughly where the glyphs stand."""
        (x0, y0), (x1, y1), (ux, uy) = self.start, self.end, self.direction
        height = self.size * 0.7
        xs = (x0, x1, x0 - uy * height, x1 - uy * height)
        ys = (y0, y1, y0 + ux * height, y1 + ux * height)
        return min(xs), min(ys), max(xs), max(ys)


@dataclass(slots=True)
class Picture:
    """An image that is painted.   content: digest of what it holds.   look: state that shows.   covered: what share was painted over."""

    content: str
    pixels: str
    box: Box
    matrix: Matrix
    look: str
    order: int
    hidden: str
    extra: dict[str, Object]
    covered: str = ""


@dataclass(slots=True)
class Cover:
    """An area painted over whatever lies below; `rgb` None where its colour is not known (an image, a pattern).

    rings: its outlines, where it is not the whole box.   even_odd: the rule that tells what is inside them.
    """

    box: Box
    rgb: tuple[float, float, float] | None
    order: int
    opaque: bool
    rings: tuple[Ring, ...] = ()
    even_odd: bool = False


@dataclass(slots=True)
class Content:
    """Everything that a content stream paints, in order."""

    fragments: list[Fragment] = field(default_factory=list)
    pictures: list[Picture] = field(default_factory=list)
    covers: list[Cover] = field(default_factory=list)
    drawing: list[str] = field(default_factory=list)
    fonts: dict[str, list[Font]] = field(default_factory=dict)
    painted: int = 0
    operators: int = 0
    forms: int = 0


def multiply(first: Matrix, second: Matrix) -> Matrix:
    """`first`, then `second`."""
    a, b, c, d, e, f = first
    g, h, i, j, k, m = second
    return a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j, e * g + f * i + k, e * h + f * j + m


def apply(matrix: Matrix, x: float, y: float) -> tuple[float, float]:
    """The point moved by the matrix."""
    a, b, c, d, e, f = matrix
    return a * x + c * y + e, b * x + d * y + f


def box_of(matrix: Matrix, box: Box) -> Box:
    """The upright box around a box moved by the matrix."""
    points = [apply(matrix, x, y) for x in (box[0], box[2]) for y in (box[1], box[3])]
    xs, ys = [x for x, _ in points], [y for _, y in points]
    return min(xs), min(ys), max(xs), max(ys)


def intersect(first: Box, second: Box) -> Box:
    """What two boxes share; empty where right is left of left."""
    return max(first[0], second[0]), max(first[1], second[1]), min(first[2], second[2]), min(first[3], second[3])


def short(*parts: object) -> str:
    """A short digest of texts."""
    return hashlib.blake2b("\x1f".join(map(str, parts)).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def rounded(value: float) -> str:
    """A coordinate to hundredths of a point."""
    text = number_text(round(value, 2)) if abs(value) < 1e12 else "far"
    return "0" if text == "-0" else text


def text_string(data: bytes) -> str:
    """A text string's characters (ISO 32000-2, 7.9.2.2)."""
    if data.startswith(b"\xfe\xff"):
        return data[2:].decode("utf-16-be", "replace")
    if data.startswith(b"\xff\xfe"):
        return data[2:].decode("utf-16-le", "replace")
    if data.startswith(b"\xef\xbb\xbf"):
        return data[3:].decode("utf-8", "replace")
    from pypdf._codecs.pdfdoc import _pdfdoc_encoding

    return "".join(_pdfdoc_encoding[byte] if _pdfdoc_encoding[byte] != "\0" else chr(byte) for byte in data)
