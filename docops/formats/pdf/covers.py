"""Areas that are painted: which ones a path leaves, and how much of a box lies under them."""

from __future__ import annotations

from collections.abc import Sequence

from docops.formats.pdf.graphics import Box, Cover, Point, State, intersect

#: Corners of a shape that is told from its bounding box; glyph outlines and maps are not looked at that closely.
_MAX_CORNERS = 64
#: Lines from this width (in points) on hide what is below them.
_BROAD = 3.0
_MAX_STROKES = 8
#: Points of a box that are looked at, along and across.
_ALONG, _ACROSS = 24, 4


def path_covers(operator: str, path: Sequence[str], corners: Sequence[Point], rectangles: Sequence[Box], state: State, order: int) -> list[Cover]:
    """The areas that a painted path covers.   rectangles: those of its `re` operators, where it consists of them."""
    out: list[Cover] = []
    if operator[0] in "fFBb":
        opaque = state.opacity >= 0.99 and not state.blends
        upright = _upright(state)
        if rectangles and upright:
            out += [Cover(box, state.fill.rgb, order, opaque) for box in rectangles]
        elif _is_rectangle(corners, path):
            out.append(Cover(_bounds(corners), state.fill.rgb, order, opaque))
        elif 3 <= len(corners) <= _MAX_CORNERS and sum(step[0] in "mr" for step in path) == 1:
            out.append(Cover(_bounds(corners), state.fill.rgb, order, opaque, tuple(corners)))
    if operator[0] in "SsBb":
        opaque = state.stroke_opacity >= 0.99 and not state.blends
        out += [Cover(_bounds(shape), state.stroke.rgb, order, opaque, shape) for shape in _broad_lines(path, corners, state)]
    visible = [(cover, intersect(cover.box, state.clip_box)) for cover in out]
    return [Cover(box, cover.rgb, cover.order, cover.opaque, cover.polygon) for cover, box in visible if box[2] > box[0] and box[3] > box[1]]


def covers_box(cover: Cover, box: Box, share: float) -> bool:
    """Whether one area lies over that share of a box's width and height."""
    shared = intersect(cover.box, box)
    if shared[2] < shared[0] or shared[3] < shared[1]:
        return False
    width, height = box[2] - box[0], box[3] - box[1]
    if shared[2] - shared[0] < share * width or shared[3] - shared[1] < share * height:
        return False
    return not cover.polygon or covered_share([cover], box) >= share * share


def covered_share(covers: Sequence[Cover], box: Box) -> float:
    """What share of a box lies under any of the areas, 0 to 1."""
    width, height = box[2] - box[0], box[3] - box[1]
    inside = 0
    for n in range(_ALONG):
        x = box[0] + width * (n + 0.5) / _ALONG
        for m in range(_ACROSS):
            y = box[1] + height * (m + 0.5) / _ACROSS
            inside += any(_holds(cover, x, y) for cover in covers)
    return inside / (_ALONG * _ACROSS)


def _holds(cover: Cover, x: float, y: float) -> bool:
    left, bottom, right, top = cover.box
    return left <= x <= right and bottom <= y <= top and (not cover.polygon or _in_polygon(cover.polygon, x, y))


def _in_polygon(points: Sequence[Point], x: float, y: float) -> bool:
    inside = False
    x0, y0 = points[-1]
    for x1, y1 in points:
        if (y1 > y) != (y0 > y) and x < (x0 - x1) * (y - y1) / (y0 - y1) + x1:
            inside = not inside
        x0, y0 = x1, y1
    return inside


def _upright(state: State) -> bool:
    a, b, c, d, _, _ = state.ctm
    return (abs(b) < 1e-6 and abs(c) < 1e-6) or (abs(a) < 1e-6 and abs(d) < 1e-6)


def _broad_lines(path: Sequence[str], corners: Sequence[Point], state: State) -> list[tuple[Point, ...]]:
    """Straight strokes so broad that they hide something, as the areas they fill."""
    scale = abs(state.ctm[0] * state.ctm[3] - state.ctm[1] * state.ctm[2]) ** 0.5
    line = dict(state.line)
    try:
        width = float(line.get("w", "1")) * scale
    except ValueError:
        return []
    if width < _BROAD or "d" in line or len(path) != len(corners) or any(step[0] not in "ml" for step in path):
        return []
    out: list[tuple[Point, ...]] = []
    for n in range(1, len(path)):
        (x0, y0), (x1, y1) = corners[n - 1], corners[n]
        length = ((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5
        if path[n][0] == "l" and length > 0 and len(out) < _MAX_STROKES:
            dx, dy = -(y1 - y0) / length * width / 2, (x1 - x0) / length * width / 2
            out.append(((x0 + dx, y0 + dy), (x1 + dx, y1 + dy), (x1 - dx, y1 - dy), (x0 - dx, y0 - dy)))
    return out


def _bounds(points: Sequence[Point]) -> Box:
    xs, ys = [x for x, _ in points], [y for _, y in points]
    return min(xs), min(ys), max(xs), max(ys)


def _is_rectangle(corners: Sequence[Point], path: Sequence[str]) -> bool:
    if not 4 <= len(corners) <= 5 or any(step[0] not in "mlh" for step in path):
        return False
    left, bottom, right, top = _bounds(corners)
    return all(min(abs(x - left), abs(x - right)) < 0.05 and min(abs(y - bottom), abs(y - top)) < 0.05 for x, y in corners)
