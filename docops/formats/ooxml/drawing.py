"""DrawingML in words: colours as RRGGBB, fills, lines and effects as short text, geometry in EMU, pictures by content.

    colours = Colours(theme_colours(theme_root), colour_map(master.find(".//p:clrMap")))
    colour_text(a_srgbClr, colours)            "4472C4", "4472C4@50%" where it is not opaque
    sheet_colour(x_color, colours)             the same for spreadsheets' theme, tint, indexed and rgb
    fill_text(spPr, colours, part)             "none", "4472C4", "gradient …", "picture …"; None where the element states no fill
    line_text(a_ln, colours, part)             "12700 000000 dash"
    look_text(element, colours, part)          any formatting subtree (effects, 3-D, geometry) as canonical text
    geometry_facts(a_xfrm)                     x, y, width, height, rotation, flip
    picture_facts(blipFill, part, colours)     image bytes, crop, picture effects
"""

from __future__ import annotations

import colorsys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from lxml import etree

from docops.core.codes import Aspect
from docops.core.node import Value
from docops.formats.ooxml.defaults import attribute_default
from docops.formats.ooxml.package import NS_R, Part
from docops.formats.ooxml.palette import INDEXED_COLOURS, PRESET_COLOURS, SYSTEM_COLOURS

NS_A = "http://schemas.openxmlformats.org/drawingml/2006/main"
A = "{" + NS_A + "}"
R = "{" + NS_R + "}"

COLOUR_SLOTS = ("dk1", "lt1", "dk2", "lt2", "accent1", "accent2", "accent3", "accent4", "accent5", "accent6", "hlink", "folHlink")

#: Colour names that a master or document maps to slots, with the map that holds where none is given.
DEFAULT_COLOUR_MAP: Mapping[str, str] = {"bg1": "lt1", "tx1": "dk1", "bg2": "lt2", "tx2": "dk2"}

#: What a theme index means in a spreadsheet: light and dark come in the order of the user interface.
_SHEET_SLOTS = ("lt1", "dk1", "lt2", "dk2", "accent1", "accent2", "accent3", "accent4", "accent5", "accent6", "hlink", "folHlink")

_COLOUR_ELEMENTS = frozenset(A + name for name in ("srgbClr", "scrgbClr", "hslClr", "sysClr", "schemeClr", "prstClr"))
_FILL_ELEMENTS = ("noFill", "solidFill", "gradFill", "blipFill", "pattFill", "grpFill")

#: Elements of pictures and effects that say nothing a reader sees: resolution hints, creation ids.
_SILENT = frozenset(
    {
        "{http://schemas.microsoft.com/office/drawing/2010/main}useLocalDpi",
        "{http://schemas.microsoft.com/office/drawing/2014/main}creationId",
    }
)


@dataclass(frozen=True, slots=True)
class Colours:
    """What colour names mean at a place.

    theme: slot → RRGGBB.   mapping: `bg1`, `tx1`, … → slot.   placeholder: what `phClr` stands for, or None.
    indexed: the workbook's own palette where it has one.
    """

    theme: Mapping[str, str] = field(default_factory=dict)
    mapping: Mapping[str, str] = field(default_factory=lambda: DEFAULT_COLOUR_MAP)
    placeholder: str | None = None
    indexed: tuple[str, ...] = INDEXED_COLOURS

    def with_placeholder(self, colour: str | None) -> Colours:
        """The same with another meaning of `phClr`."""
        return replace(self, placeholder=colour)


def theme_colours(theme: etree._Element | None) -> dict[str, str]:
    """Slot (`dk1`, `accent1`, …) → RRGGBB of a theme's colour scheme (the root of a theme or theme override part)."""
    scheme = next(theme.iter(f"{A}clrScheme"), None) if theme is not None else None
    out: dict[str, str] = {}
    for slot in COLOUR_SLOTS:
        element = scheme.find(A + slot) if scheme is not None else None
        if element is not None and len(element):
            out[slot] = colour_text(element[0], Colours())
    return out


def colour_map(element: etree._Element | None) -> Mapping[str, str]:
    """The colour map that a `clrMap` or `overrideClrMapping` element states; the default one without it."""
    if element is None:
        return DEFAULT_COLOUR_MAP
    return {**DEFAULT_COLOUR_MAP, **{str(name): str(value) for name, value in element.attrib.items() if not str(name).startswith("{")}}


# Colours ------------------------------------------------------------------------------------------------------------


def colour_text(element: etree._Element, colours: Colours) -> str:
    """RRGGBB of a colour element (`a:srgbClr`, `a:schemeClr`, …), `RRGGBB@50%` where it is not opaque.

    A name that the theme does not define comes back as it stands, with its transformations.
    """
    base, alpha = _base_colour(element, colours)
    if base is None:
        changes = "".join(f" {etree.QName(child).localname}={child.get('val') or ''}" for child in element if isinstance(child.tag, str))
        return f"{element.get('val') or etree.QName(element).localname}{changes}"
    rgb = base
    for child in element:
        if isinstance(child.tag, str):
            rgb, alpha = _transform(etree.QName(child).localname, percentage(child.get("val")), rgb, alpha)
    text = "".join(f"{round(_clamp(channel) * 255):02X}" for channel in rgb)
    alpha = _clamp(alpha)
    return text if alpha >= 0.9995 else f"{text}@{round(alpha * 100, 1):g}%"


def held_colour(element: etree._Element | None, colours: Colours) -> str | None:
    """The colour that an element holds as its child (`a:solidFill`, `a:fgClr`); None where there is none."""
    if element is None:
        return None
    for child in element:
        if child.tag in _COLOUR_ELEMENTS:
            return colour_text(child, colours)
    return None


def sheet_colour(element: etree._Element | None, colours: Colours) -> str | None:
    """RRGGBB of a spreadsheet colour (`x:color`, `x:fgColor`, `x:tabColor`): rgb, theme with tint, indexed; `auto`."""
    if element is None:
        return None
    tint = _number(element.get("tint"))
    rgb: str | None = None
    if element.get("rgb"):
        rgb = (element.get("rgb") or "")[-6:].upper()
    elif element.get("theme") is not None:
        index = int(_number(element.get("theme")))
        slot = _SHEET_SLOTS[index] if 0 <= index < len(_SHEET_SLOTS) else ""
        rgb = colours.theme.get(slot)
        if rgb is None:
            return f"theme {index}" + (f" tint {tint:.4g}" if tint else "")
    elif element.get("indexed") is not None:
        index = int(_number(element.get("indexed")))
        if index in {64, 65} or index >= len(colours.indexed):
            return "auto" if index == 64 else "auto background" if index == 65 else f"indexed {index}"
        rgb = colours.indexed[index]
    if rgb is None or _channels(rgb) is None:
        return "auto" if rgb is None else rgb
    return apply_tint(rgb, tint)


def apply_tint(rgb: str, tint: float) -> str:
    """RRGGBB lightened (tint above 0) or darkened (below 0) to the digit as Excel does: on luminance, in whole steps of 240."""
    if not tint or _channels(rgb) is None:
        return rgb
    channels = [int(rgb[at : at + 2], 16) for at in (0, 2, 4)]
    high, low = max(channels), min(channels)
    total, spread = high + low, high - low
    luminance = (total * 240 + 255) // 510
    hue, saturation = 160, 0
    if spread:
        divisor = total if luminance <= 120 else 510 - total
        saturation = (spread * 240 + divisor // 2) // divisor
        red, green, blue = (((high - channel) * 40 + spread // 2) // spread for channel in channels)
        hue = (blue - green if channels[0] == high else 80 + red - blue if channels[1] == high else 160 + green - red) % 240
    moved = luminance * (1 + tint) if tint < 0 else luminance * (1 - tint) + 240 * tint
    # Stored tints are 0.7999816888943144 for 0.8: a step that is missed by so little is taken.
    luminance = min(max(int(moved + 0.01), 0), 240)
    if not saturation:
        return f"{(luminance * 255 + 120) // 240:02X}" * 3
    upper = (luminance * (240 + saturation) + 120) // 240 if luminance <= 120 else luminance + saturation - (luminance * saturation + 120) // 240
    lower = 2 * luminance - upper
    return "".join(f"{min(max((_hls_channel(lower, upper, hue + turn) * 255 + 120) // 240, 0), 255):02X}" for turn in (80, 0, -80))


def _hls_channel(lower: int, upper: int, hue: int) -> int:
    hue %= 240
    if hue < 40:
        return lower + ((upper - lower) * hue + 20) // 40
    if hue < 120:
        return upper
    if hue < 160:
        return lower + ((upper - lower) * (160 - hue) + 20) // 40
    return lower


def percentage(text: str | None) -> float:
    """A percentage of DrawingML as a fraction: `50000` and `50%` are 0.5."""
    if not text:
        return 0.0
    return _number(text[:-1]) / 100 if text.endswith("%") else _number(text) / 100000


def _number(text: str | None) -> float:
    try:
        value = float(text or 0)
    except ValueError:
        return 0.0
    return value if abs(value) < 1e15 else 0.0


def _clamp(value: float) -> float:
    return min(max(value, 0.0), 1.0)


_Rgb = tuple[float, float, float]


def _channels(text: str) -> _Rgb | None:
    try:
        value = int(text, 16)
    except ValueError:
        return None
    if len(text) != 6:
        return None
    return (value >> 16) / 255, (value >> 8 & 255) / 255, (value & 255) / 255


def _base_colour(element: etree._Element, colours: Colours) -> tuple[_Rgb | None, float]:
    kind = etree.QName(element).localname
    value = element.get("val") or ""
    if kind == "srgbClr":
        return _channels(value), 1.0
    if kind == "sysClr":
        return _channels(element.get("lastClr") or SYSTEM_COLOURS.get(value.lower(), "")), 1.0
    if kind == "prstClr":
        return _channels(PRESET_COLOURS.get(value.lower(), "")), 1.0
    if kind == "scrgbClr":
        red, green, blue = (_encode(percentage(element.get(name))) for name in ("r", "g", "b"))
        return (red, green, blue), 1.0
    if kind == "hslClr":
        hue = _number(element.get("hue")) / 21600000
        return colorsys.hls_to_rgb(hue % 1, _clamp(percentage(element.get("lum"))), _clamp(percentage(element.get("sat")))), 1.0
    if kind == "schemeClr":
        text = colours.placeholder if value == "phClr" else colours.theme.get(colours.mapping.get(value, value))
        if text is None:
            return None, 1.0
        rgb, _, opacity = text.partition("@")
        return _channels(rgb), percentage(opacity) if opacity else 1.0
    return None, 1.0


def _decode(channel: float) -> float:
    """sRGB to linear light."""
    return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4


def _encode(channel: float) -> float:
    """Linear light to sRGB."""
    channel = _clamp(channel)
    return channel * 12.92 if channel <= 0.0031308 else 1.055 * channel ** (1 / 2.4) - 0.055


def _linear(rgb: _Rgb, change: tuple[float, float, float], offset: tuple[float, float, float]) -> _Rgb:
    red, green, blue = (_encode(_decode(channel) * factor + plus) for channel, factor, plus in zip(rgb, change, offset))
    return red, green, blue


def _transform(name: str, value: float, rgb: _Rgb, alpha: float) -> tuple[_Rgb, float]:
    """One colour transformation (ECMA-376 20.1.2.3); tint and shade work on linear light, hue, lum and sat on HSL."""
    match name:
        case "alpha":
            return rgb, value
        case "alphaMod":
            return rgb, alpha * value
        case "alphaOff":
            return rgb, alpha + value
        case "tint":
            return _linear(rgb, (value,) * 3, (1 - value,) * 3), alpha
        case "shade":
            return _linear(rgb, (value,) * 3, (0.0,) * 3), alpha
        case "inv":
            red, green, blue = (_encode(1 - _decode(channel)) for channel in rgb)
            return (red, green, blue), alpha
        case "gray":
            level = 0.22 * rgb[0] + 0.72 * rgb[1] + 0.06 * rgb[2]
            return (level, level, level), alpha
        case "gamma":
            red, green, blue = map(_encode, rgb)
            return (red, green, blue), alpha
        case "invGamma":
            red, green, blue = map(_decode, rgb)
            return (red, green, blue), alpha
    for position, channel in enumerate(("red", "green", "blue")):
        if name in {channel, f"{channel}Mod", f"{channel}Off"}:
            factors, plus = [1.0, 1.0, 1.0], [0.0, 0.0, 0.0]
            if name.endswith("Mod"):
                factors[position] = value
            else:
                factors[position] = 1.0 if name.endswith("Off") else 0.0
                plus[position] = value
            return _linear(rgb, (factors[0], factors[1], factors[2]), (plus[0], plus[1], plus[2])), alpha
    return _transform_hsl(name, value, rgb), alpha


def _transform_hsl(name: str, value: float, rgb: _Rgb) -> _Rgb:
    hue, luminance, saturation = colorsys.rgb_to_hls(*map(_clamp, rgb))
    match name:
        case "comp":
            hue = (hue + 0.5) % 1
        case "hue":
            hue = value * 100000 / 21600000 % 1
        case "hueOff":
            hue = (hue + value * 100000 / 21600000) % 1
        case "hueMod":
            hue = hue * value % 1
        case "lum":
            luminance = value
        case "lumOff":
            luminance += value
        case "lumMod":
            luminance *= value
        case "sat":
            saturation = value
        case "satOff":
            saturation += value
        case "satMod":
            saturation *= value
        case _:
            return rgb
    return colorsys.hls_to_rgb(hue, _clamp(luminance), _clamp(saturation))


# Fills, lines, effects ----------------------------------------------------------------------------------------------


def fill_element(holder: etree._Element | None) -> etree._Element | None:
    """The fill that an element (`spPr`, `tcPr`, `a:ln`, `a:rPr`, `bgPr`) states, or None."""
    if holder is None:
        return None
    for child in holder:
        if isinstance(child.tag, str) and child.tag.rpartition("}")[2] in _FILL_ELEMENTS:
            return child
    return None


def fill_text(holder: etree._Element | None, colours: Colours, part: Part | None = None) -> str | None:
    """The fill that an element states, in words; None where it states none (then it inherits)."""
    fill = fill_element(holder)
    if fill is None:
        return None
    kind = fill.tag.rpartition("}")[2]
    if kind == "noFill":
        return "none"
    if kind == "grpFill":
        return "as the group"
    if kind == "solidFill":
        return held_colour(fill, colours) or "none"
    if kind == "pattFill":
        front, back = (held_colour(fill.find(A + name), colours) for name in ("fgClr", "bgClr"))
        return f"pattern {fill.get('prst') or ''} {front or '000000'} on {back or 'FFFFFF'}"
    if kind == "gradFill":
        return f"gradient {look_text(fill, colours, part)}"
    return f"picture {look_text(fill, colours, part)}"


def line_text(line: etree._Element | None, colours: Colours, part: Part | None = None) -> str | None:
    """A line (`a:ln`, `a:lnL`, …) in words: width in EMU, fill, dash, ends; None where there is no such element."""
    if line is None:
        return None
    fill_shown = fill_text(line, colours, part)
    if fill_shown == "none":
        return fill_shown  # neither width nor dash of a line that is not drawn shows
    words = [line.get("w") or "", fill_shown or ""]
    words += [f"{name}={value}" for name, value in (("cmpd", line.get("cmpd")), ("cap", line.get("cap")), ("algn", line.get("algn"))) if value]
    fill = fill_element(line)
    words += [look_text(child, colours, part) for child in line if isinstance(child.tag, str) and child is not fill]
    words = [word for word in words if word]
    return " ".join(words) if words else None


#: Attributes at the value that means their absence, besides those that the schemas state.
_LOOK_DEFAULTS: Mapping[tuple[str, str], str] = {("gradFill", "flip"): "none", ("tile", "flip"): "none"}
_LOOK_SKIP = frozenset({"dpi", "cstate"})


def look_text(element: etree._Element, colours: Colours, part: Part | None = None) -> str:
    """A formatting subtree as canonical text: colours resolved, pictures by content, prefixes and attribute order gone."""
    if element.tag in _COLOUR_ELEMENTS:
        return colour_text(element, colours)
    name = element.tag.rpartition("}")[2]
    if element.tag in _SILENT:
        return ""
    words = []
    for raw, value in sorted((str(raw), str(value)) for raw, value in element.attrib.items()):
        local = raw.rpartition("}")[2]
        if raw.startswith(R):
            words.append(f"{local}={_relation_text(part, value)}")
            continue
        value = {"true": "1", "false": "0"}.get(value, value)
        skipped = local in _LOOK_SKIP and name in {"blipFill", "blip"}
        if not skipped and value not in (_LOOK_DEFAULTS.get((name, local)), attribute_default(element.tag, raw)):
            words.append(f"{local}={value}")
    inner = [text for child in element if isinstance(child.tag, str) and (text := look_text(child, colours, part))]
    if not words and not inner and name in {"ext", "extLst", "avLst", "effectLst", "srcRect", "fillRect"}:
        return "" if name != "effectLst" else "effectLst"
    if name == "ext" and not inner and element.get("uri") is not None:
        return ""
    content = " ".join([*words, *inner, *([element.text.strip()] if element.text and element.text.strip() else [])])
    return f"{name}({content})" if content else name


def _relation_text(part: Part | None, relationship_id: str) -> str:
    from docops.formats.ooxml.common import media_identity

    if part is None:
        return "?"
    rel = part.relationships.get(relationship_id)
    if rel is None:
        return "missing" if relationship_id else "none"
    return rel.target if rel.external else media_identity(part.package.parts.get(rel.target))


# Geometry and pictures ----------------------------------------------------------------------------------------------


def geometry_facts(xfrm: etree._Element | None) -> dict[tuple[Aspect, str], Value]:
    """Facts of an `a:xfrm` (or `p:xfrm`): x, y, width, height in EMU; rotation in 60000ths of a degree; flip; inner frame."""
    out: dict[tuple[Aspect, str], Value] = {}
    if xfrm is None:
        return out
    for tag, first, second in (("off", "x", "y"), ("ext", "cx", "cy"), ("chOff", "x", "y"), ("chExt", "cx", "cy")):
        element = xfrm.find(A + tag)
        if element is None:
            continue
        names = {"off": ("x", "y"), "ext": ("width", "height"), "chOff": ("inner x", "inner y"), "chExt": ("inner width", "inner height")}[tag]
        out[Aspect.GEOMETRY, names[0]] = emu(element.get(first))
        out[Aspect.GEOMETRY, names[1]] = emu(element.get(second))
    rotation = emu(xfrm.get("rot")) % 21600000
    if rotation:
        out[Aspect.GEOMETRY, "rotation"] = rotation
    flip = "".join(axis for axis, name in (("horizontal", "flipH"), ("vertical", "flipV")) if (xfrm.get(name) or "").lower() in {"1", "true", "on"})
    if flip:
        out[Aspect.GEOMETRY, "flip"] = flip
    return out


_UNITS = {"mm": 36000.0, "cm": 360000.0, "in": 914400.0, "pt": 12700.0, "pc": 152400.0, "pi": 152400.0}


def emu(text: str | None) -> int:
    """A coordinate as EMU: a plain number, or a number with a unit as Strict files may have."""
    text = (text or "").strip()
    factor = _UNITS.get(text[-2:], 1.0)
    return round(_number(text[:-2] if factor != 1.0 else text) * factor)


def shape_geometry(properties: etree._Element | None, colours: Colours | None = None) -> str | None:
    """The outline of a shape: the preset's name with its adjustments, or the custom path; None where it states none."""
    if properties is None:
        return None
    for child in properties:
        if child.tag == f"{A}prstGeom":
            guides = [f"{guide.get('name') or ''} {guide.get('fmla') or ''}" for guide in child.iter(f"{A}gd")]
            return " ".join([child.get("prst") or "", *(f"({guide})" for guide in guides)])
        if child.tag == f"{A}custGeom":
            return look_text(child, colours or Colours())
    return None


def picture_facts(fill: etree._Element | None, part: Part, colours: Colours) -> dict[tuple[Aspect, str], Value]:
    """Facts of a picture's `blipFill`: image content, SVG original, link, crop, tiling and colour effects."""
    out: dict[tuple[Aspect, str], Value] = {}
    if fill is None:
        return out
    blip = fill.find(f"{A}blip")
    if blip is not None:
        if blip.get(f"{R}embed"):
            out[Aspect.MEDIA, "image"] = _relation_text(part, blip.get(f"{R}embed") or "")
        if blip.get(f"{R}link"):
            out[Aspect.MEDIA, "linked image"] = _relation_text(part, blip.get(f"{R}link") or "")
        effects = []
        for child in blip:
            if not isinstance(child.tag, str):
                continue
            vector = next(child.iter("{http://schemas.microsoft.com/office/drawing/2016/SVG/main}svgBlip"), None)
            if vector is not None:
                out[Aspect.MEDIA, "vector image"] = _relation_text(part, vector.get(f"{R}embed") or vector.get(f"{R}link") or "")
            others = [look_text(element, colours, part) for element in child if element is not vector and (vector is None or vector not in element)]
            if child.tag != f"{A}extLst":
                effects.append(look_text(child, colours, part))
            else:
                effects += [text for text in others if text]
        if effects:
            out[Aspect.FORMAT, "picture effects"] = " ".join(effects)
    crop = fill.find(f"{A}srcRect")
    if crop is not None:
        sides = [f"{name} {percentage(crop.get(key)) * 100:g}%" for name, key in _SIDES if percentage(crop.get(key))]
        if sides:
            out[Aspect.FORMAT, "crop"] = ", ".join(sides)
    rest = [look_text(child, colours, part) for child in fill if child.tag not in {f"{A}blip", f"{A}srcRect", f"{A}stretch"}]
    stretch = fill.find(f"{A}stretch/{A}fillRect")
    if stretch is not None and any(percentage(str(value)) for value in stretch.attrib.values()):
        rest.append(look_text(stretch, colours, part))
    if any(rest):
        out[Aspect.FORMAT, "picture fill"] = " ".join(filter(None, rest))
    return out


_SIDES = (("left", "l"), ("top", "t"), ("right", "r"), ("bottom", "b"))
