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
from docops.formats.pdf.covers import path_covers
from docops.formats.pdf.fonts import UNKNOWN, Font
from docops.formats.pdf.graphics import (
    IDENTITY,
    Box,
    Colour,
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
_MAX_FORMS = 40
_MAX_FORMS_DRAWN = 20_000
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
    """

    def __init__(self, objects: Objects, canonical: Canonical, layer_hidden: Callable[[Object], bool], fonts: dict[object, Font]) -> None:
        self.objects = objects
        self.canonical = canonical
        self.layer_hidden = layer_hidden
        self.fonts = fonts
        self.content = Content()
        self._marks: list[tuple[str, bool, tuple[int, str] | None]] = []
        self._forms: list[int] = []

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
        clip_rule = ""
        text_matrix = line_matrix = IDENTITY
        depth_of_marks = len(self._marks)
        content = self.content
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
                    point = apply(state.ctm, args[0], args[1])
                    corners.append(point)
                    path.append(f"{name}{rounded(point[0])},{rounded(point[1])}")
                    only_rectangles = False
                elif name in {"c", "v", "y"}:
                    points = [apply(state.ctm, args[n], args[n + 1]) for n in range(0, len(args), 2)]
                    corners += points
                    path.append(name + " ".join(f"{rounded(x)},{rounded(y)}" for x, y in points))
                    only_rectangles = False
                elif name == "h":
                    path.append("h")
                elif name == "re":
                    x, y, width, height = args
                    points = [apply(state.ctm, *point) for point in ((x, y), (x + width, y), (x + width, y + height), (x, y + height))]
                    corners += points
                    path.append("r" + " ".join(f"{rounded(x)},{rounded(y)}" for x, y in points))
                    rectangles.append(box_of(state.ctm, (min(x, x + width), min(y, y + height), max(x, x + width), max(y, y + height))))
                elif name in _PAINT:
                    if path:
                        self._paint(name, path, corners, rectangles if only_rectangles else [], state)
                        if clip_rule:
                            box = _bounds(corners)
                            state.clip = short(state.clip, clip_rule, *path)
                            state.clip_box = intersect(state.clip_box, box)
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
        del self._marks[depth_of_marks:]

    def _set(self, name: str, args: list[Any], resources: dict[str, Object], state: State) -> bool:
        """Operators that only change state."""
        if name in {"g", "rg", "k"}:
            state.fill_space = Name(_DEVICE[name])
            state.fill = self._colour(state.fill_space, args, resources)
        elif name in {"G", "RG", "K"}:
            state.stroke_space = Name(_DEVICE[name.lower()])
            state.stroke = self._colour(state.stroke_space, args, resources)
        elif name == "cs":
            state.fill_space = self._space(resources, args[0])
            state.fill = self._initial(state.fill_space, resources)
        elif name == "CS":
            state.stroke_space = self._space(resources, args[0])
            state.stroke = self._initial(state.stroke_space, resources)
        elif name in {"sc", "scn"}:
            state.fill = self._colour(state.fill_space, args, resources)
        elif name in {"SC", "SCN"}:
            state.stroke = self._colour(state.stroke_space, args, resources)
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
            if self._marks:
                self._marks.pop()
        elif name in {"d0", "d1"}:
            self._record(name, *args)
        else:
            return name in {"ET", "MP", "DP", "BX", "EX"}
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

    # -- colour ----------------------------------------------------------------------------------------------------

    def _space(self, resources: dict[str, Object], name: Object) -> Object:
        if isinstance(name, Name):
            found = self._resource(resources, "ColorSpace", name)
            if found is not None:
                return found
        return name

    def _initial(self, space: Object, resources: dict[str, Object]) -> Colour:
        kind = self.objects.get(space)
        family = kind if isinstance(kind, Name) else self.objects.at(kind, 0)
        if family == "Pattern":
            return Colour("none", None)
        return self._colour(space, [0] * _channels(self.objects, space), resources) if family != "DeviceCMYK" else Colour("cmyk 0 0 0 1", (0, 0, 0))

    def _colour(self, space: Object, args: list[Any], resources: dict[str, Object]) -> Colour:
        if args and isinstance(args[-1], Name):
            pattern = self._resource(resources, "Pattern", args[-1])
            base = "" if len(args) == 1 else f" {self.canonical.digest(space)} " + " ".join(rounded(value) for value in args[:-1])
            return Colour(f"pattern {self.canonical.digest(pattern)}{base}", None)
        resolved = self.objects.get(space)
        while isinstance(resolved, list) and len(resolved) == 1:
            resolved = self.objects.get(resolved[0])
        values = [float(value) for value in args]
        if resolved in {"DeviceGray", "G"} if isinstance(resolved, str) else False:
            rgb = (values[0],) * 3
            return Colour(_hex(*rgb), (values[0], values[0], values[0]))
        if resolved in {"DeviceRGB", "RGB"} if isinstance(resolved, str) else False:
            return Colour(_hex(*values[:3]), (values[0], values[1], values[2]))
        if resolved in {"DeviceCMYK", "CMYK"} if isinstance(resolved, str) else False:
            c, m, y, k = values[:4]
            return Colour("cmyk " + " ".join(number_text(round(value, 4)) for value in values), ((1 - c) * (1 - k), (1 - m) * (1 - k), (1 - y) * (1 - k)))
        spelt = " ".join(number_text(round(value, 4)) for value in values)
        rgb_guess = _guess(self.objects, resolved, values)
        return Colour(f"{self.canonical.digest(space)} {spelt}", rgb_guess)

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
                    state.blends = resolved not in {"Normal", "Compatible"}
                    resolved = Name("Normal") if resolved == "Compatible" else resolved
                default = key in _STATE_DEFAULTS and not isinstance(resolved, dict) and _STATE_DEFAULTS[key] == resolved
                state.extra = _put(state.extra, key, "" if default else self.canonical.digest(resolved))

    # -- painting --------------------------------------------------------------------------------------------------

    def _paint(self, name: str, path: list[str], corners: list[tuple[float, float]], rectangles: list[Box], state: State) -> None:
        if name == "n":
            return
        order = self._next()
        fills, strokes = name[0] in "fFBb", name[0] in "SsBb"
        rule = "even-odd" if name.endswith("*") else ""
        parts: list[object] = [rule, "close" if name in {"s", "b", "b*"} else "", *path, self._look(state)]
        if fills:
            parts += ["fill", state.fill.text]
        if strokes:
            scale = abs(state.ctm[0] * state.ctm[3] - state.ctm[1] * state.ctm[2]) ** 0.5
            parts += ["stroke", state.stroke.text, rounded(scale), repr(state.line)]
        self._record("path", *parts)
        if not self._hidden_layer():
            self.content.covers += path_covers(name, path, corners, rectangles, state, order)

    def _show(self, items: list[Any], state: State, matrix: Matrix) -> Matrix:
        """Show the strings of one operator; what stands together without a visible gap is one fragment."""
        font, size, stretch = state.font, state.size, state.stretch
        if font is not None:
            self.content.fonts.setdefault(font.name, font)
        offset = begin = 0.0  # in text space, from where the operator starts
        texts: list[str] = []
        kerning: list[str] = []  # glyph codes as well: glyphs without a character of their own are told apart by them
        for item in items:
            if isinstance(item, bytes):
                if not item:
                    continue
                text, width, count, spaces = font.decode(item) if font is not None else (UNKNOWN * len(item), 500.0 * len(item), len(item), 0)
                texts.append(text)
                kerning.append(item.hex())
                offset += (width / 1000 * size + count * state.char_space + spaces * state.word_space) * stretch
                continue
            if texts and not -_KERNED < item < _KERNED:
                self._fragment("".join(texts), _along(matrix, begin), _along(matrix, offset), state, kerning)
                texts, kerning = [], []
            elif texts and item:
                kerning.append(f"{len(texts)}:{number_text(round(item, 1))}")
            offset -= item / 1000 * size * stretch
            if not texts:
                begin = offset
        if texts:
            self._fragment("".join(texts), _along(matrix, begin), _along(matrix, offset), state, kerning)
        return _along(matrix, offset)

    def _fragment(self, text: str, first: Matrix, last: Matrix, state: State, kerning: list[str]) -> None:
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
        elif not height or not width or ((height < _TINY or width < _TINY / 4) and not _has_own_units(state.font)):
            hidden = "no size"
        elif opacity < 0.05:
            hidden = "transparent"
        elif self._hidden_layer():
            hidden = "hidden layer"
        else:
            hidden = ""
        look = [self._look(state), str(state.mode), " ".join(kerning)]
        if state.mode in {1, 2, 5, 6}:
            look += [state.stroke.text, repr(state.line)]
        actual = next((mark[2] for mark in reversed(self._marks) if mark[2] is not None), None)
        fragment = Fragment(
            text, start, end, direction, height, state.font, colour, hidden, self._next(), "|".join(look), self._tags(), actual
        )
        if not hidden and _outside(fragment.box, state.clip_box, 0.2 * height):
            fragment.hidden = "clipped away"
        self.content.fragments.append(fragment)

    def _image(self, image: Stream, state: State) -> None:
        dictionary = image.dict
        content = self.canonical.digest(image, skip={"Type", "Name", "Metadata", "StructParent", "OC"})
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

    def _inline_image(self, args: list[Any], resources: dict[str, Object], state: State) -> None:
        dictionary, data = args
        space = dictionary.get("ColorSpace")
        if isinstance(space, Name):
            dictionary = {**dictionary, "ColorSpace": self._space(resources, space)}
        self._image(Stream(dictionary, data, self.objects), state)

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


def _along(matrix: Matrix, offset: float) -> Matrix:
    """The text matrix moved along its line."""
    a, b, c, d, e, f = matrix
    return a, b, c, d, e + offset * a, f + offset * b


def _matrix_text(matrix: Matrix) -> str:
    return " ".join(number_text(round(value, 4)) for value in matrix)


def _put(pairs: tuple[tuple[str, str], ...], key: str, value: str) -> tuple[tuple[str, str], ...]:
    rest = tuple(pair for pair in pairs if pair[0] != key)
    return tuple(sorted((*rest, (key, value)))) if value else rest


def _hex(red: float, green: float, blue: float) -> str:
    return "".join(f"{min(255, max(0, round(value * 255))):02X}" for value in (red, green, blue))


def _channels(objects: Objects, space: Object) -> int:
    resolved = objects.get(space)
    family = resolved if isinstance(resolved, Name) else objects.at(resolved, 0)
    if family == "ICCBased":
        return objects.int_at(resolved, 1, "N") or 3
    if family in {"DeviceN", "NChannel"}:
        return len(objects.list_at(resolved, 1)) or 1
    return {"DeviceRGB": 3, "RGB": 3, "CalRGB": 3, "Lab": 3, "DeviceCMYK": 4, "CMYK": 4}.get(str(family), 1)


def _guess(objects: Objects, space: Object, values: list[float]) -> tuple[float, float, float] | None:
    family = objects.at(space, 0) if isinstance(space, list) else space
    if family in {"ICCBased", "CalRGB", "CalGray"}:
        if len(values) == 1:
            return values[0], values[0], values[0]
        if len(values) == 3:
            return values[0], values[1], values[2]
        if len(values) == 4:
            c, m, y, k = values
            return (1 - c) * (1 - k), (1 - m) * (1 - k), (1 - y) * (1 - k)
    if family == "Separation" and values == [0.0]:
        return 1.0, 1.0, 1.0
    return None


def _bounds(points: list[tuple[float, float]]) -> Box:
    xs, ys = [x for x, _ in points], [y for _, y in points]
    return min(xs), min(ys), max(xs), max(ys)


def _outside(box: Box, area: Box, margin: float) -> bool:
    return box[0] > area[2] + margin or box[2] < area[0] - margin or box[1] > area[3] + margin or box[3] < area[1] - margin
