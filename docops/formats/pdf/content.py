"""What a content stream paints: shown text with its place and look, images, and everything else as drawing records.

Operators that paint nothing leave nothing; resource names, number spelling, splitting into several streams and saved graphics
states are resolved, so that only what is painted, where and how, is left.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from docops.core.codes import FindingCode
from docops.core.errors import Unreadable
from docops.formats.pdf.canonical import Canonical, number_text
from docops.formats.pdf.colours import NO_INK, colour_of, colour_space, initial_colour
from docops.formats.pdf.covers import clip_shape, is_rectangle, path_covers
from docops.formats.pdf.fonts import UNKNOWN, Font
from docops.formats.pdf.graphics import (
    EVERYWHERE,
    IDENTITY,
    Box,
    Content,
    Cover,
    Fragment,
    Matrix,
    Picture,
    State,
    apply,
    box_of,
    intersect,
    multiply,
    rounded,
    short,
    text_string,
)
from docops.formats.pdf.reading import Broken, Name, Object, Objects, Ref, Stream, as_text
from docops.formats.pdf.tokens import operations

#: Drawing operators of one page, forms counted each time they are drawn.
MAX_OPERATORS = 2_000_000
_MAX_ALL_OPERATORS = 10_000_000
_MAX_FORMS = 40
_MAX_FORMS_DRAWN = 20_000
_MAX_CLIPS = 8
_MAX_MARKS = 200
#: Adjustments within a shown array, in thousandths of the font size, from which on a gap is seen.
_KERNED = 140
#: Text less high than this many points cannot be read.
_TINY = 1.0

_STATE_DEFAULTS: dict[str, Object] = {
    "ca": 1, "CA": 1, "BM": "Normal", "SMask": "None", "AIS": False, "TK": True, "SA": False, "OP": False, "op": False, "OPM": 0,
    "BG2": "Default", "UCR2": "Default", "TR2": "Default", "HT": "Default",
}  # fmt: skip
_DEVICE = {"g": "DeviceGray", "rg": "DeviceRGB", "k": "DeviceCMYK"}
_PAINT = {"f", "F", "f*", "S", "s", "B", "B*", "b", "b*", "n"}


class Interpreter:
    """Runs content streams of one document.

    layer_hidden: whether an optional content group or membership is switched off.   fonts: shared between pages.
    unit: of the page's space, in points.   area: what is seen of the space at all.
    """

    def __init__(
        self, objects: Objects, canonical: Canonical, layer_hidden: Callable[[Object], bool], fonts: dict[object, Font], unit: float = 1.0, area: Box = EVERYWHERE
    ) -> None:
        self.area = area
        self.tiny = _TINY / unit
        self.objects = objects
        self.canonical = canonical
        self.layer_hidden = layer_hidden
        self.fonts = fonts
        self.content = Content()
        self._marks: list[tuple[str, bool, tuple[int, str] | None]] = []
        self._deeper = 0  # marks beyond the deepest that are kept
        self._forms: list[int] = []
        self._clipping_text: list[Box] = []

    def run(self, data: bytes, resources: Object, state: State | None = None) -> Content:
        """Interpret one stream; may be called again to paint more on the same page."""
        self._stream(data, self.objects.dict_at(resources), state or State())
        return self.content

    # -- the machine -----------------------------------------------------------------------------------------------

    def _stream(self, data: bytes, resources: dict[str, Object], state: State) -> None:
        saved: list[State] = []
        path: list[str] = []
        corners: list[tuple[float, float]] = []
        rectangles: list[Box] = []
        only_rectangles = True
        current = (0.0, 0.0)
        clip_rule = ""
        text_matrix = line_matrix = IDENTITY
        depth_of_marks, deeper = len(self._marks), self._deeper
        content = self.content
        self.objects.spend("bytes of drawing", len(data), self.objects.limits.pdf_content_bytes)
        for name, args in operations(data, MAX_OPERATORS):
            content.operators += 1
            if content.operators > MAX_OPERATORS:
                self._too_many(f"{MAX_OPERATORS} operators")
            try:
                if name in {"Tj", "'", '"', "TJ"}:
                    if name != "TJ" and name != "Tj":
                        if name == '"':
                            state.word_space, state.char_space = float(args[0]), float(args[1])
                        line_matrix = multiply((1, 0, 0, 1, 0, -state.leading), line_matrix)
                        text_matrix = line_matrix
                    text_matrix = self._show(args[-1] if name == "TJ" else [args[-1]], state, text_matrix)
                elif name == "Td":
                    line_matrix = text_matrix = multiply((1, 0, 0, 1, args[0], args[1]), line_matrix)
                elif name == "Tm":
                    line_matrix = text_matrix = _matrix(args)
                elif name == "Tf":
                    state.font, state.size = self._font(resources, args[0]), float(args[1])
                elif name == "BT":
                    line_matrix = text_matrix = IDENTITY
                elif name == "T*":
                    line_matrix = text_matrix = multiply((1, 0, 0, 1, 0, -state.leading), line_matrix)
                elif name == "TD":
                    state.leading = -args[1]
                    line_matrix = text_matrix = multiply((1, 0, 0, 1, args[0], args[1]), line_matrix)
                elif name in {"m", "l"}:
                    current = apply(state.ctm, args[0], args[1])
                    corners.append(current)
                    path.append(name + _spelt(current))
                    only_rectangles = False
                elif name in {"c", "v", "y"}:
                    points = [apply(state.ctm, args[n], args[n + 1]) for n in range(0, len(args), 2)]
                    points = points if name == "c" else [current, *points] if name == "v" else [*points, points[-1]]
                    current = points[2]
                    corners += points
                    path.append("c" + " ".join(map(_spelt, points)))
                    only_rectangles = False
                elif name == "ET":
                    if self._clipping_text:  # what is painted from here on shows through these glyphs only
                        area = _bounds([corner for box in self._clipping_text for corner in (box[:2], box[2:])])
                        state.clip_box = intersect(state.clip_box, area)
                        self._clipping_text.clear()
                elif name == "h":
                    path.append("h")
                elif name == "re":
                    x, y, width, height = args
                    points = [apply(state.ctm, *point) for point in ((x, y), (x + width, y), (x + width, y + height), (x, y + height))]
                    corners += points
                    current = points[0]
                    path += [f"{step}{_spelt(point)}" for step, point in zip("mlll", points, strict=True)]
                    path.append("h")
                    rectangles.append(box_of(state.ctm, (min(x, x + width), min(y, y + height), max(x, x + width), max(y, y + height))))
                elif name in _PAINT:
                    if path:
                        self._paint(name, path, corners, rectangles if only_rectangles else [], state)
                        if clip_rule:
                            self._clip(state, clip_rule, path, corners)
                    path, corners, rectangles, only_rectangles, clip_rule = [], [], [], True, ""
                elif name in {"W", "W*"}:
                    clip_rule = name
                elif name == "q":
                    saved.append(state.copy())
                    if len(saved) > 5000:
                        del saved[0]
                elif name == "Q":
                    if saved:
                        state = saved.pop()
                elif name == "cm":
                    state.ctm = multiply(_matrix(args), state.ctm)
                elif name == "Do":
                    self._xobject(resources, args[0], state)
                elif name == "BI":
                    self._inline_image(args, resources, state)
                elif name == "gs":
                    self._graphics_state(resources, args[0], state)
                elif name == "sh":
                    shading = self._resource(resources, "Shading", args[0])
                    self._record("sh", self.canonical.digest(shading), _matrix_text(state.ctm), self._look(state))
                    content.covers.append(Cover(state.clip_box, None, self._next(), False))
                elif not self._set(name, args, resources, state):
                    self._record("operator", name, repr(args))
            except (TypeError, ValueError, IndexError, AttributeError, KeyError, OverflowError):
                # Wrong operands: readers skip the operator; a file that holds one is not equal to one that does not.
                self._record("wrong operands", name, repr(args)[:500])
            if not content.operators % 1000:
                self.objects.spend("drawing operators", 1000, _MAX_ALL_OPERATORS)
        del self._marks[depth_of_marks:]
        self._deeper = deeper

    def _set(self, name: str, args: list[Any], resources: dict[str, Object], state: State) -> bool:
        """Operators that only change state."""
        if name in {"g", "rg", "k"}:
            state.fill_space = Name(_DEVICE[name])
            state.fill = colour_of(self.canonical, state.fill_space, args, resources)
        elif name in {"G", "RG", "K"}:
            state.stroke_space = Name(_DEVICE[name.lower()])
            state.stroke = colour_of(self.canonical, state.stroke_space, args, resources)
        elif name == "cs":
            state.fill_space = colour_space(self.objects, resources, args[0])
            state.fill = initial_colour(self.canonical, state.fill_space, resources)
        elif name == "CS":
            state.stroke_space = colour_space(self.objects, resources, args[0])
            state.stroke = initial_colour(self.canonical, state.stroke_space, resources)
        elif name in {"sc", "scn"}:
            state.fill = colour_of(self.canonical, state.fill_space, args, resources)
        elif name in {"SC", "SCN"}:
            state.stroke = colour_of(self.canonical, state.stroke_space, args, resources)
        elif name in {"w", "J", "j", "M", "d", "ri", "i"}:
            state.line = _put(state.line, name, self._line_value(name, args))
        elif name == "Tc":
            state.char_space = float(args[0])
        elif name == "Tw":
            state.word_space = float(args[0])
        elif name == "Tz":
            state.stretch = args[0] / 100
        elif name == "TL":
            state.leading = float(args[0])
        elif name == "Tr":
            state.mode = int(args[0])
        elif name == "Ts":
            state.rise = float(args[0])
        elif name in {"BMC", "BDC"}:
            self._begin_mark(args, resources)
        elif name == "EMC":
            if self._deeper:
                self._deeper -= 1
            elif self._marks:
                self._marks.pop()
        elif name in {"d0", "d1"}:
            self._record(name, *args)
        else:
            return name in {"MP", "DP", "BX", "EX"}
        return True

    @staticmethod
    def _line_value(name: str, args: list[Any]) -> str:
        if name == "d":
            return f"{' '.join(rounded(value) for value in args[0])}/{rounded(args[1])}" if args[0] else ""
        value = rounded(args[0]) if not isinstance(args[0], str) else str(args[0])
        return "" if (name, value) in {("w", "1"), ("J", "0"), ("j", "0"), ("M", "10"), ("i", "1"), ("ri", "RelativeColorimetric")} else value

    def _next(self) -> int:
        self.content.painted += 1
        return self.content.painted

    def _record(self, *parts: object) -> None:
        self.content.drawing.append(short(*parts, *self._tags()))

    def _tags(self) -> tuple[str, ...]:
        return tuple(tag for tag, _, _ in self._marks)

    def _hidden_layer(self) -> bool:
        return any(hidden for _, hidden, _ in self._marks)

    @staticmethod
    def _too_many(what: str) -> None:
        raise Unreadable(FindingCode.LIMIT_EXCEEDED, f"a page draws more than {what}")

    @staticmethod
    def _look(state: State) -> str:
        return "|".join((state.clip, repr(state.extra)))

    def _resource(self, resources: dict[str, Object], kind: str, name: Object) -> Object:
        return self.objects.dict_at(resources, kind).get(str(name))

    def _font(self, resources: dict[str, Object], name: Object) -> Font | None:
        value = self._resource(resources, "Font", name)
        key: object = value if isinstance(value, Ref) else id(value)
        font = self.fonts.get(key)
        if font is None:
            dictionary = self.objects.get(value)
            if not isinstance(dictionary, dict):
                return None
            font = self.fonts[key] = Font(self.objects, dictionary)
        return font

    def _graphics_state(self, resources: dict[str, Object], name: Object, state: State) -> None:
        dictionary = self.objects.dict_at(self._resource(resources, "ExtGState", name))
        for key, value in sorted(dictionary.items()):
            resolved = self.objects.get(value)
            if key == "Type":
                continue
            if key == "Font" and isinstance(resolved, list) and len(resolved) == 2:
                state.font, state.size = self._font({"Font": {"gs": resolved[0]}}, "gs"), float(resolved[1])
            elif key in {"LW", "LC", "LJ", "ML", "RI", "FL"}:
                operator = {"LW": "w", "LC": "J", "LJ": "j", "ML": "M", "RI": "ri", "FL": "i"}[key]
                state.line = _put(state.line, operator, self._line_value(operator, [resolved]))
            elif key == "D" and isinstance(resolved, list) and len(resolved) == 2:
                state.line = _put(state.line, "d", self._line_value("d", [self.objects.list_at(resolved[0]), resolved[1]]))
            else:
                if key == "BM" and isinstance(resolved, list) and resolved:
                    resolved = self.objects.get(resolved[0])
                if key == "ca" and isinstance(resolved, int | float):
                    state.opacity = float(resolved)
                if key == "CA" and isinstance(resolved, int | float):
                    state.stroke_opacity = float(resolved)
                if key == "BM":
                    state.blends = resolved not in ("Normal", "Compatible")
                    resolved = Name("Normal") if resolved == "Compatible" else resolved
                default = key in _STATE_DEFAULTS and not isinstance(resolved, dict) and _STATE_DEFAULTS[key] == resolved
                state.extra = _put(state.extra, key, "" if default else self.canonical.digest(resolved))

    def _clip(self, state: State, rule: str, path: list[str], corners: list[tuple[float, float]]) -> None:
        """Clip to a path; a rectangle around all that is seen anyway changes nothing."""
        box, shape = _bounds(corners), clip_shape(rule, path, corners)
        if shape is not None or not _holds(box, intersect(state.clip_box, self.area)):
            state.clip = short(state.clip, rule, *path) if shape is not None else short(state.clip, "rectangle", *map(rounded, box))
            state.clip_box = intersect(state.clip_box, box)
        if shape is not None and len(state.clip_shapes) < _MAX_CLIPS:
            state.clip_shapes = (*state.clip_shapes, shape)

    # -- painting --------------------------------------------------------------------------------------------------

    def _paint(self, name: str, path: list[str], corners: list[tuple[float, float]], rectangles: list[Box], state: State) -> None:
        if name == "n":
            return
        order = self._next()
        fills, strokes = name[0] in "fFBb", name[0] in "SsBb"
        if name[0] in "sb":
            path.append("h")
        rule = "even-odd" if name.endswith("*") else ""
        if strokes:
            parts: list[object] = [rule, *path, self._look(state), "stroke", state.stroke.text, *_pen(state)]
        elif is_rectangle(corners, path):
            parts = ["rectangle", *map(rounded, _bounds(corners)), self._look(state)]
        else:  # what is filled is closed
            parts = [rule, *(step for step in path if step != "h"), self._look(state)]
        if fills:
            parts += ["fill", state.fill.text]
        self._record("path", *parts)
        if not self._hidden_layer():
            self.content.covers += path_covers(name, path, corners, rectangles, state, order)

    def _show(self, items: list[Any], state: State, matrix: Matrix) -> Matrix:
        """Show the strings of one operator; what stands together without a visible gap is one fragment."""
        font, size, stretch = state.font, state.size, state.stretch
        if font is not None:
            self._use(font)
        offset = begin = moved = 0.0  # in text space, from where the operator starts
        texts: list[str] = []
        codes: list[str] = []
        for item in items:
            if isinstance(item, bytes):
                if not item:
                    continue
                text, width, count, spaces = font.decode(item) if font is not None else (UNKNOWN * len(item), 500.0 * len(item), len(item), 0)
                if texts and moved:
                    codes.append(f"<{round(moved)}>")
                moved = 0.0
                texts.append(text)
                codes.append(item.hex())
                offset += (width / 1000 * size + count * state.char_space + spaces * state.word_space) * stretch
                continue
            moved += item
            if texts and not -_KERNED < moved < _KERNED:
                self._fragment("".join(texts), _along(matrix, begin), _along(matrix, offset + (moved - item) / 1000 * size * stretch), state, codes)
                texts, codes = [], []
            offset -= item / 1000 * size * stretch
            if not texts:
                begin, moved = offset, 0.0
        if texts:
            self._fragment("".join(texts), _along(matrix, begin), _along(matrix, offset + moved / 1000 * size * stretch), state, codes)
        return _along(matrix, offset)

    def _use(self, font: Font) -> None:
        """Note that a font is used; fonts of one name are told apart by number."""
        known = self.content.fonts.setdefault(font.name, [])
        if all(font is not other for other in known):
            known.append(font)

    def _fragment(self, text: str, first: Matrix, last: Matrix, state: State, codes: list[str]) -> None:
        full = multiply((state.size * state.stretch, 0, 0, state.size, 0, state.rise), multiply(first, state.ctm))
        final = multiply((1, 0, 0, 1, 0, state.rise), multiply(last, state.ctm))
        start, end = (full[4], full[5]), (final[4], final[5])
        width = (full[0] ** 2 + full[1] ** 2) ** 0.5
        height = (full[2] ** 2 + full[3] ** 2) ** 0.5
        direction = (full[0] / width, full[1] / width) if width else (1.0, 0.0)
        colour = state.stroke if state.mode in {1, 5} else state.fill
        opacity = state.stroke_opacity if state.mode in {1, 5} else state.opacity
        if state.mode in {3, 7}:
            hidden = "invisible rendering mode"
        elif not height or not width or ((height < self.tiny or width < self.tiny / 4) and not _has_own_units(state.font)):
            hidden = "no size"
        elif opacity < 0.05 or colour.text == NO_INK:
            hidden = "transparent"
        elif self._hidden_layer():
            hidden = "hidden layer"
        else:
            hidden = ""
        look = [self._look(state), str(state.mode)]
        if state.mode in {1, 2, 5, 6}:
            look += [state.stroke.text, repr(state.line)]
        actual = next((mark[2] for mark in reversed(self._marks) if mark[2] is not None), None)
        spacing = (state.char_space / state.size, state.word_space / state.size) if state.size else (0.0, 0.0)
        fragments, order = self.content.fragments, self._next()
        fragment = Fragment(text, start, end, direction, height, state.font, colour, hidden, order, "|".join(look), self._tags(), actual, "".join(codes), spacing)
        if not hidden:
            fragment.clips = (state.clip_box, state.clip_shapes)
        if state.mode >= 4:
            self._clipping_text.append(fragment.box)
        if not (fragments and fragments[-1].order == order - 1 and fragments[-1].goes_on(fragment)):
            fragments.append(fragment)

    def _image(self, image: Stream, state: State) -> None:
        dictionary = image.dict
        content = self._image_digest(image)
        pixels = f"{self.objects.int_at(dictionary, 'Width')}x{self.objects.int_at(dictionary, 'Height')}"
        look = self._look(state)
        if self.objects.at(dictionary, "ImageMask") is True:
            look += "|" + state.fill.text
        hidden = "hidden layer" if self._hidden_layer() or ("OC" in dictionary and self.layer_hidden(dictionary["OC"])) else ""
        box = box_of(state.ctm, (0, 0, 1, 1))
        extra: dict[str, Object] = {key: dictionary[key] for key in ("Metadata", "StructParent", "OC") if key in dictionary}
        order = self._next()
        self.content.pictures.append(Picture(content, pixels, box, state.ctm, short(look, *self._tags()), order, hidden, extra))
        if not hidden:
            whole = "SMask" not in dictionary and "Mask" not in dictionary and self.objects.at(dictionary, "ImageMask") is not True
            self.content.covers.append(Cover(intersect(box, state.clip_box), None, order, whole and state.opacity >= 0.99 and not state.blends))

    def _image_digest(self, image: Stream) -> str:
        """Digest of what an image holds; kept for those that are objects of the file, which are drawn again and again."""
        known = self.objects.image_digests.get(id(image))
        if known is None:
            known = self.canonical.digest(image, skip={"Type", "Name", "Metadata", "StructParent", "OC"})
            if not image.inline:
                self.objects.image_digests[id(image)] = known
        return known

    def _inline_image(self, args: list[Any], resources: dict[str, Object], state: State) -> None:
        dictionary, data = args
        space = dictionary.get("ColorSpace")
        if isinstance(space, Name):
            dictionary = {**dictionary, "ColorSpace": colour_space(self.objects, resources, space)}
        self._image(Stream(dictionary, data, self.objects, inline=True), state)

    def _xobject(self, resources: dict[str, Object], name: Object, state: State) -> None:
        xobject = self.objects.get(self._resource(resources, "XObject", name))
        if not isinstance(xobject, Stream):
            reason = xobject.reason if isinstance(xobject, Broken) else "missing"
            self._record("external object", reason)
            return
        if self.objects.at(xobject.dict, "Subtype") == "Image":
            self._image(xobject, state)
            return
        self.form(xobject, state, resources)

    def form(self, form: Stream, state: State, resources: dict[str, Object] | None = None) -> None:
        """Paint a form XObject (or an appearance stream)."""
        if id(form) in self._forms or len(self._forms) >= _MAX_FORMS:
            self._record("form within itself")
            return
        self.content.forms += 1
        if self.content.forms > _MAX_FORMS_DRAWN:
            self._too_many(f"{_MAX_FORMS_DRAWN} forms")
        inner = state.copy()
        matrix = self.objects.numbers_at(form.dict, "Matrix")
        if matrix and len(matrix) == 6:
            inner.ctm = multiply(_matrix(matrix), state.ctm)
        bounds = self.objects.numbers_at(form.dict, "BBox")
        if bounds and len(bounds) == 4:
            box = box_of(inner.ctm, (min(bounds[0], bounds[2]), min(bounds[1], bounds[3]), max(bounds[0], bounds[2]), max(bounds[1], bounds[3])))
            upright = _is_upright(inner.ctm)
            if not upright or not _holds(box, intersect(state.clip_box, self.area)):
                inner.clip_box = intersect(state.clip_box, box)
                inner.clip = short(state.clip, "form", *(rounded(value) for value in box))
        else:
            self._record("form without a box")
        known = {"Type", "Subtype", "FormType", "BBox", "Matrix", "Resources", "Name", "Length", "Filter", "DecodeParms", "LastModified", "OC"}
        extra = {key: value for key, value in form.dict.items() if key not in known}
        tag = f"form {self.canonical.digest(extra)}" if extra else ""
        if self.objects.at(form.dict, "Subtype") != "Form":
            tag += f" {self.objects.text_at(form.dict, 'Subtype')}"
        hidden = "OC" in form.dict and self.layer_hidden(form.dict["OC"])
        if "OC" in form.dict:
            tag += f" layer {self.canonical.digest(form.dict['OC'])}"
        own = self.objects.at(form.dict, "Resources")
        if tag or hidden:
            self._marks.append((tag, hidden, None))
        self._forms.append(id(form))
        data, rest = form.decode()
        if rest:
            self._record("unreadable form", *rest, self.canonical.digest(form))
        self._stream(data, own if isinstance(own, dict) else resources or {}, inner)
        self._forms.pop()
        if tag or hidden:
            self._marks.pop()

    def _begin_mark(self, args: list[Any], resources: dict[str, Object]) -> None:
        if len(self._marks) >= _MAX_MARKS:
            self._deeper += 1
            self._record("marks nested too deep")
            return
        tag = str(args[0]) if args else ""
        properties: Object = args[1] if len(args) > 1 else None
        if isinstance(properties, Name):
            properties = self._resource(resources, "Properties", properties)
        resolved = self.objects.dict_at(properties)
        hidden = tag == "OC" and self.layer_hidden(properties)
        actual = resolved.get("ActualText")
        if isinstance(actual, bytes):
            actual = text_string(actual)
        text = as_text(self.objects.get(actual))
        number = resolved.get("MCID")
        if isinstance(number, int) and not isinstance(number, bool):
            tag += f" mcid={number}"
        if set(resolved) - {"MCID"}:
            tag += f" {self.canonical.digest(properties, skip={'MCID'})}"
        mark = None if text is None else (self._next(), text)
        self._marks.append((tag, hidden, mark))


def _matrix(values: list[Any]) -> Matrix:
    a, b, c, d, e, f = values
    return float(a), float(b), float(c), float(d), float(e), float(f)


def _has_own_units(font: Font | None) -> bool:
    """Whether the size of the font says nothing about the size of its glyphs."""
    return font is not None and font.subtype == "Type3"


def _spelt(point: tuple[float, float]) -> str:
    return f"{rounded(point[0])},{rounded(point[1])}"


def _pen(state: State) -> tuple[str, ...]:
    """Width, ends and dashes of lines as they show on the page."""
    a, b, c, d, _, _ = state.ctm
    scale = abs(a * d - b * c) ** 0.5
    line = dict(state.line)
    even = abs(abs(a) + abs(b) - abs(c) - abs(d)) < 1e-3 * (scale or 1) and abs(a * c + b * d) < 1e-3 * (scale * scale or 1)
    try:
        line["w"] = rounded(float(line.get("w", "1")) * scale)
        if "d" in line:
            dashes, _, phase = line["d"].partition("/")
            line["d"] = f"{' '.join(rounded(float(item) * scale) for item in dashes.split())}/{rounded(float(phase) * scale)}"
    except ValueError:
        return (rounded(scale), repr(state.line))
    return (repr(sorted(line.items())), *(() if even else (rounded(a), rounded(b), rounded(c), rounded(d))))


def _along(matrix: Matrix, offset: float) -> Matrix:
    """The text matrix moved along its line."""
    a, b, c, d, e, f = matrix
    return a, b, c, d, e + offset * a, f + offset * b


def _matrix_text(matrix: Matrix) -> str:
    return " ".join(number_text(round(value, 4)) for value in matrix)


def _put(pairs: tuple[tuple[str, str], ...], key: str, value: str) -> tuple[tuple[str, str], ...]:
    rest = tuple(pair for pair in pairs if pair[0] != key)
    return tuple(sorted((*rest, (key, value)))) if value else rest


def _bounds(points: list[tuple[float, float]]) -> Box:
    xs, ys = [x for x, _ in points], [y for _, y in points]
    return min(xs), min(ys), max(xs), max(ys)


def _holds(outer: Box, inner: Box) -> bool:
    """Whether a box holds all of another."""
    return outer[0] <= inner[0] + 0.01 and outer[1] <= inner[1] + 0.01 and outer[2] >= inner[2] - 0.01 and outer[3] >= inner[3] - 0.01


def _is_upright(matrix: Matrix) -> bool:
    a, b, c, d, _, _ = matrix
    return (abs(b) < 1e-6 and abs(c) < 1e-6) or (abs(a) < 1e-6 and abs(d) < 1e-6)
