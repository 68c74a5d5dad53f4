"""Which of the painted text and images a reader sees: not clipped away, off the page, painted over, or in the colour behind."""

from __future__ import annotations

import re
from collections.abc import Sequence

from docops.core.codes import FindingCode
from docops.core.errors import Unreadable
from docops.formats.pdf.covers import covered_share, covers_box, share_inside
from docops.formats.pdf.fonts import UNKNOWN
from docops.formats.pdf.graphics import Box, Colour, Content, Cover, Fragment

#: Order of what annotations paint; and what text below them is hidden by, which is no state of the page itself.
ANNOTATION = -1
BY_ANNOTATION = "covered by an annotation"
#: Share of a box that must lie under a cover for what stands there to be covered.
_COVERED = 0.8
#: Colours that differ less than this in every channel cannot be told apart.
_SAME_COLOUR = 0.04
#: Comparisons of texts with areas near them on one page.
_MAX_LOOKS = 20_000_000
_WHITE = (1.0, 1.0, 1.0)
#: Widths of the grids that areas are sorted into, in points, and how many squares of one an area may lie in.
_GRIDS = (20, 160, 1280)
_MAX_SQUARES = 40
#: Adjustments and codes of glyphs (`Fragment.codes`).
_CODES = re.compile(r"<(-?\d+)>|([0-9a-f]+)")


def hide(content: Content, area: Box, covers: Sequence[Cover] = ()) -> None:
    """Mark the fragments and pictures that a reader cannot see, and the parts of fragments.

    area: what is seen of the space.   covers: areas painted after the whole content (appearances of annotations).
    """
    near = _Areas(content.covers)
    for fragment in content.fragments:
        if fragment.hidden or not fragment.text.strip():
            continue
        box = fragment.box
        touching = near.touching(box)
        over = [cover for cover in touching if cover.order > fragment.order and cover.opaque]
        over += [cover for cover in covers if cover.opaque and _touches(cover.box, box)]
        under = [cover for cover in touching if cover.order < fragment.order]
        if not _alike(fragment.colour, _WHITE) and not any(cover.rgb is not None and _alike(fragment.colour, cover.rgb) for cover in under):
            under = []  # no colour that it could be lost in
        corners = sum(len(ring) for cover in (*over, *under) for ring in cover.rings)
        corners += sum(len(ring) for shape, _ in (fragment.clips[1] if fragment.clips is not None else ()) for ring in shape)
        if _seen_alike(fragment, box, area, over, under):
            near.look(4 * corners)
            fragment.hidden = _reason(fragment, box, area, over, under)
            continue
        near.look(len(fragment.text) * (len(over) + len(under) + 4 * corners))
        reasons = [(text, _reason(fragment, glyph, area, over, under)) for text, glyph in glyph_boxes(fragment)]
        parts: list[tuple[str, str]] = []
        for text, reason in reasons:
            if parts and (parts[-1][1] == reason or not text.strip()):
                parts[-1] = (parts[-1][0] + text, parts[-1][1])
            else:
                parts.append((text, reason))
        if len(parts) == 1:
            fragment.hidden = parts[0][1]
        else:
            fragment.parts = parts
    for picture in content.pictures:
        over = [cover for cover in near.touching(picture.box) if cover.order > picture.order and cover.opaque]
        if picture.hidden or not over:
            continue
        if _covered(over, picture.box):
            picture.hidden = "covered"
        else:
            share = round(covered_share(over, picture.box), 1)
            picture.covered = f"{share:.0%}" if share else ""


class _Areas:
    """Painted areas by the squares of a grid, so that a page with thousands of them is not searched through for each text."""

    def __init__(self, covers: Sequence[Cover]) -> None:
        self._looks = 0
        self._everywhere: list[Cover] = []
        self._squares: dict[tuple[int, int, int], list[Cover]] = {}
        for cover in covers:
            # Broad areas are sorted into coarser grids, so that each lies in a few squares only.
            squares = next((found for size in _GRIDS if (found := _squares(cover.box, size)) is not None), None)
            if squares is None:
                self._everywhere.append(cover)
            for square in squares or ():
                self._squares.setdefault(square, []).append(cover)

    def look(self, number: int) -> None:
        """Count comparisons. Raises Unreadable where a page calls for too many."""
        self._looks += number
        if self._looks > _MAX_LOOKS:
            raise Unreadable(FindingCode.LIMIT_EXCEEDED, f"a page paints so much over its text that it takes more than {_MAX_LOOKS} comparisons to tell what is seen")

    def touching(self, box: Box) -> list[Cover]:
        """The areas that touch a box, in the order they are painted."""
        lists = [self._everywhere]
        for size in _GRIDS:
            squares = _squares(box, size)
            lists += [found for square, found in self._squares.items() if square[0] == size] if squares is None else [self._squares.get(square, []) for square in squares]
        self.look(sum(map(len, lists)))
        found = {id(cover): cover for covers in lists for cover in covers if _touches(cover.box, box)}
        return sorted(found.values(), key=lambda cover: cover.order)


def _squares(box: Box, size: int) -> list[tuple[int, int, int]] | None:
    """The squares of a grid that a box lies in; None where there are too many."""
    if not (-1e6 < box[0] <= box[2] < 1e6 and -1e6 < box[1] <= box[3] < 1e6):
        return None
    columns, rows = range(int(box[0] // size), int(box[2] // size) + 1), range(int(box[1] // size), int(box[3] // size) + 1)
    return None if len(columns) * len(rows) > _MAX_SQUARES else [(size, column, row) for column in columns for row in rows]


def _seen_alike(fragment: Fragment, box: Box, area: Box, over: Sequence[Cover], under: Sequence[Cover]) -> bool:
    """Whether all glyphs of a fragment are seen, or none, for the same reason."""
    if not (_within(box, area) or not _touches(box, area)):
        return False
    if fragment.clips is not None and (fragment.clips[1] or not _within(box, fragment.clips[0])):
        return False
    if any(cover.rings or not _within(box, cover.box) for cover in over):
        return False
    return all(not cover.rings and _within(box, cover.box) for cover in under)


def _reason(fragment: Fragment, box: Box, area: Box, over: Sequence[Cover], under: Sequence[Cover]) -> str:
    """Why a reader does not see what stands in a box, or ""."""
    middle = ((box[0] + box[2]) / 2, (box[1] + box[3]) / 2)
    if fragment.clips is not None:
        clip, shapes = fragment.clips
        margin = 0.05 * fragment.size
        if not (clip[0] - margin <= middle[0] <= clip[2] + margin and clip[1] - margin <= middle[1] <= clip[3] + margin):
            return "clipped away"
        if shapes and share_inside(shapes, box) < 0.2:
            return "clipped away"
    if not (area[0] <= middle[0] <= area[2] and area[1] <= middle[1] <= area[3]):
        return "off the page"
    if _covered(over, box):
        return BY_ANNOTATION if not _covered([cover for cover in over if cover.order != ANNOTATION], box) else "covered"
    return "colour of the background" if (under or _alike(fragment.colour, _WHITE)) and _like_background(fragment.colour, under, box) else ""


def glyph_boxes(fragment: Fragment) -> list[tuple[str, Box]]:
    """The characters of each glyph, and roughly where it stands."""
    glyphs: list[tuple[str, float, float]] = []
    at = 0.0
    for adjust, code in _CODES.findall(fragment.codes):
        if adjust:
            at -= int(adjust) / 1000
            continue
        data = bytes.fromhex(code)
        for text, width, spaced in fragment.font.glyphs(data) if fragment.font is not None else [(UNKNOWN, 500.0, False)] * len(data):
            end = at + width / 1000 + fragment.spacing[0] + fragment.spacing[1] * spaced
            glyphs.append((text, at, at + width / 1000))
            at = end
    (x0, y0), (x1, y1) = fragment.start, fragment.end
    dx, dy = ((x1 - x0) / at, (y1 - y0) / at) if at else (0.0, 0.0)
    ux, uy = fragment.direction
    height = fragment.size * 0.7
    out = []
    for text, first, last in glyphs:
        xs = (x0 + dx * first, x0 + dx * last, x0 + dx * first - uy * height, x0 + dx * last - uy * height)
        ys = (y0 + dy * first, y0 + dy * last, y0 + dy * first + ux * height, y0 + dy * last + ux * height)
        out.append((text, (min(xs), min(ys), max(xs), max(ys))))
    return out


def _covered(over: Sequence[Cover], box: Box) -> bool:
    """Whether most of a box lies below one area, or below several of them together."""
    if any(covers_box(cover, box, _COVERED) for cover in over):
        return True
    near = [cover for cover in over if _touches(cover.box, box)]
    return len(near) > 1 and covered_share(near, box) >= _COVERED


def _touches(first: Box, second: Box) -> bool:
    return first[0] < second[2] and second[0] < first[2] and first[1] < second[3] and second[1] < first[3]


def _within(inner: Box, outer: Box) -> bool:
    return outer[0] <= inner[0] and outer[1] <= inner[1] and outer[2] >= inner[2] and outer[3] >= inner[3]


def _like_background(colour: Colour, under: Sequence[Cover], box: Box) -> bool:
    background: tuple[float, float, float] | None = _WHITE
    for cover in under:
        if covers_box(cover, box, _COVERED):
            background = cover.rgb if cover.opaque else None
    return background is not None and _alike(colour, background)


def _alike(colour: Colour, other: tuple[float, float, float]) -> bool:
    return colour.rgb is not None and all(abs(a - b) < _SAME_COLOUR for a, b in zip(colour.rgb, other, strict=True))
