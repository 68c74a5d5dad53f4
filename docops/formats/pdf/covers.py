"""Areas that are painted: which ones a path leaves, and how much of a box lies under them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

from docops.formats.pdf.graphics import Box, Clip, Cover, Point, Ring, State, intersect

#: Corners of a shape that is told from its bounding box; glyph outlines and maps are not looked at that closely.
_MAX_CORNERS = 256
#: Lines from this width (in points) on hide what is below them.
_BROAD = 3.0
_MAX_STROKES = 64
#: Dashes whose gaps are less than this share of them are a line.
_GAPS = 0.2
#: Points of a box that are looked at: along, where it is long, and across.
_ALONG, _ACROSS = 24, 4
#: Where a curve is cut into straight pieces.
_CUTS = (0.25, 0.5, 0.75, 1.0)


def rings(path: Sequence[str], corners: Sequence[Point]) -> tuple[Ring, ...]:
    """The outlines of a path, curves as straight pieces; none where there are too many corners.

    path: its steps `m`, `l`, `c` and `h`.   corners: the points of all steps, in order.
    """
    if len(corners) > _MAX_CORNERS:
        return ()
    out: list[list[Point]] = []
    at = 0
    for step in path:
        kind = step[0]
        count = {"m": 1, "l": 1, "c": 3}.get(kind, 0)
        points = list(corners[at : at + count])
        at += count
        if kind == "m":
            out.append(points)
        elif kind == "h":
            out += [[out[-1][0]]] if out and out[-1] else []
        elif points:
            if not out:
                out.append([])
            out[-1] += points if kind == "l" or not out[-1] else _curve(out[-1][-1], points)
    return tuple(tuple(ring) for ring in out if len(ring) > 1)


def _curve(start: Point, points: Sequence[Point]) -> list[Point]:
    first, second, end = points
    out = []
    for t in _CUTS:
        a, b, c, d = (1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3
        out.append((a * start[0] + b * first[0] + c * second[0] + d * end[0], a * start[1] + b * first[1] + c * second[1] + d * end[1]))
    return out


def path_covers(operator: str, path: Sequence[str], corners: Sequence[Point], rectangles: Sequence[Box], state: State, order: int) -> list[Cover]:
    """The areas that a painted path covers.   rectangles: those of its `re` operators, where it consists of them."""
    out: list[Cover] = []
    if operator[0] in "fFBb":
        opaque = state.opacity >= 0.99 and not state.blends
        if rectangles and _upright(state) and (len(rectangles) == 1 or (not operator.endswith("*") and _turn_alike(corners))):
            out += [Cover(box, state.fill.rgb, order, opaque) for box in rectangles]
        elif is_rectangle(corners, path):
            out.append(Cover(_bounds(corners), state.fill.rgb, order, opaque))
        else:
            shape = tuple(ring for ring in rings(path, corners) if len(ring) > 2)
            if shape:
                out.append(Cover(_bounds(corners), state.fill.rgb, order, opaque, shape, operator.endswith("*")))
    if operator[0] in "SsBb":
        opaque = state.stroke_opacity >= 0.99 and not state.blends
        out += [Cover(_bounds(shape), state.stroke.rgb, order, opaque, (shape,)) for shape in _broad_lines(operator, path, corners, state)]
    visible = [(cover, intersect(cover.box, state.clip_box)) for cover in out]
    return [Cover(box, cover.rgb, cover.order, cover.opaque, cover.rings, cover.even_odd) for cover, box in visible if box[2] > box[0] and box[3] > box[1]]


def covers_box(cover: Cover, box: Box, share: float) -> bool:
    """Whether one area lies over that share of a box's width and height."""
    shared = intersect(cover.box, box)
    if shared[2] < shared[0] or shared[3] < shared[1]:
        return False
    width, height = box[2] - box[0], box[3] - box[1]
    if shared[2] - shared[0] < share * width or shared[3] - shared[1] < share * height:
        return False
    return not cover.rings or covered_share([cover], box) >= share * share


def covered_share(covers: Sequence[Cover], box: Box) -> float:
    """What share of a box lies under any of the areas, 0 to 1."""
    along = _ALONG if box[2] - box[0] > 2 * (box[3] - box[1]) else _ACROSS
    return _share(box, lambda x, y: any(_holds(cover, x, y) for cover in covers), along, _ACROSS)


def clip_shape(operator: str, path: Sequence[str], corners: Sequence[Point]) -> Clip | None:
    """The area that a clipping path leaves, where it is told from its bounding box."""
    if is_rectangle(corners, path):
        return None
    shape = tuple(ring for ring in rings(path, corners) if len(ring) > 2)
    return (shape, operator == "W*") if shape else None


def share_inside(clips: Sequence[Clip], box: Box) -> float:
    """What share of a box lies inside all clipping paths, 0 to 1."""
    return _share(box, lambda x, y: all(_inside(shape, even_odd, x, y) for shape, even_odd in clips), 8, 2)


def _share(box: Box, holds: Callable[[float, float], bool], along: int, across: int) -> float:
    width, height = box[2] - box[0], box[3] - box[1]
    points = [(box[0] + width * (n + 0.5) / along, box[1] + height * (m + 0.5) / across) for n in range(along) for m in range(across)]
    return sum(holds(x, y) for x, y in points) / len(points)


def _holds(cover: Cover, x: float, y: float) -> bool:
    left, bottom, right, top = cover.box
    return left <= x <= right and bottom <= y <= top and (not cover.rings or _inside(cover.rings, cover.even_odd, x, y))


def _inside(shape: Sequence[Ring], even_odd: bool, x: float, y: float) -> bool:
    """Whether a point lies inside outlines, by the even-odd or the non-zero winding rule."""
    winding = 0
    for ring in shape:
        x0, y0 = ring[-1]
        for x1, y1 in ring:
            if (y1 > y) != (y0 > y) and x < (x0 - x1) * (y - y1) / (y0 - y1) + x1:
                winding += 1 if y1 > y0 else -1
            x0, y0 = x1, y1
    return winding % 2 == 1 if even_odd else winding != 0


def _upright(state: State) -> bool:
    a, b, c, d, _, _ = state.ctm
    return (abs(b) < 1e-6 and abs(c) < 1e-6) or (abs(a) < 1e-6 and abs(d) < 1e-6)


def _turn_alike(corners: Sequence[Point]) -> bool:
    """Whether all rectangles run round in one direction, so that none is a hole in another."""
    turns = set()
    for n in range(0, len(corners) - 3, 4):
        (x0, y0), (x1, y1), (x2, y2) = corners[n : n + 3]
        turns.add((x1 - x0) * (y2 - y1) - (y1 - y0) * (x2 - x1) > 0)
    return len(turns) < 2


def _broad_lines(operator: str, path: Sequence[str], corners: Sequence[Point], state: State) -> list[Ring]:
    """Strokes so broad that they hide something, as the areas they fill."""
    scale = abs(state.ctm[0] * state.ctm[3] - state.ctm[1] * state.ctm[2]) ** 0.5
    line = dict(state.line)
    try:
        width = float(line.get("w", "1")) * scale
    except ValueError:
        return []
    if width < _BROAD or not _runs_through(line.get("d", "")):
        return []
    out: list[Ring] = []
    closed = operator[0] in "sb" or "h" in path
    for ring in rings(path, corners):
        points = [*ring, ring[0]] if closed else ring
        for (x0, y0), (x1, y1) in itertools.pairwise(points):
            length = ((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5
            if length > 0 and len(out) < _MAX_STROKES:
                dx, dy = -(y1 - y0) / length * width / 2, (x1 - x0) / length * width / 2
                out.append(((x0 + dx, y0 + dy), (x1 + dx, y1 + dy), (x1 - dx, y1 - dy), (x0 - dx, y0 - dy)))
    return out


def _runs_through(dash: str) -> bool:
    """Whether a dash pattern leaves no gaps to see through."""
    numbers = [float(item) for item in dash.partition("/")[0].split()]
    return not numbers or (len(numbers) % 2 == 0 and sum(numbers[1::2]) <= _GAPS * sum(numbers[::2]))


def _bounds(points: Sequence[Point]) -> Box:
    xs, ys = [x for x, _ in points], [y for _, y in points]
    return min(xs), min(ys), max(xs), max(ys)


def is_rectangle(corners: Sequence[Point], path: Sequence[str]) -> bool:
    """Whether a path is one upright rectangle."""
    if not 4 <= len(corners) <= 5 or [step[0] for step in path].count("m") != 1 or any(step[0] not in "mlh" for step in path):
        return False
    if len(corners) == 5 and max(abs(a - b) for a, b in zip(corners[0], corners[4], strict=True)) >= 0.05:
        return False
    if any(abs(x0 - x1) >= 0.05 and abs(y0 - y1) >= 0.05 for (x0, y0), (x1, y1) in itertools.pairwise(corners)):
        return False
    left, bottom, right, top = _bounds(corners)
    return all(min(abs(x - left), abs(x - right)) < 0.05 and min(abs(y - bottom), abs(y - top)) < 0.05 for x, y in corners)
