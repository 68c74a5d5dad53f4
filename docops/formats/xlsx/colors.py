"""Colours as a reader sees them: theme, tint, palette and automatic ones resolved to RRGGBB (ECMA-376 part 1, 18.8.19)."""

from __future__ import annotations

from collections.abc import Sequence

from lxml import etree

from docops.formats.ooxml.package import Part
from docops.formats.xlsx.values import whole

_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
#: Order of the theme's colours in a `theme` attribute; the first two pairs are swapped against the theme's own order.
_THEME_ORDER = ("lt1", "dk1", "lt2", "dk2", "accent1", "accent2", "accent3", "accent4", "accent5", "accent6", "hlink", "folHlink")
_OFFICE_THEME = ("FFFFFF", "000000", "EEECE1", "1F497D", "4F81BD", "C0504D", "9BBB59", "8064A2", "4BACC6", "F79646", "0000FF", "800080")
_SYSTEM = {"windowText": "000000", "window": "FFFFFF"}
_BASIC = ("000000", "FFFFFF", "FF0000", "00FF00", "0000FF", "FFFF00", "FF00FF", "00FFFF")
#: The default palette (18.8.27): the basic colours twice, then 48 more; 64 and 65 are the system's text and window.
PALETTE: Sequence[str] = (
    *_BASIC,
    *_BASIC,
    *["800000", "008000", "000080", "808000", "800080", "008080", "C0C0C0", "808080", "9999FF", "993366", "FFFFCC", "CCFFFF", "660066", "FF8080", "0066CC", "CCCCFF"],
    *["000080", "FF00FF", "FFFF00", "00FFFF", "800080", "800000", "008080", "0000FF", "00CCFF", "CCFFFF", "CCFFCC", "FFFF99", "99CCFF", "FF99CC", "CC99FF", "FFCC99"],
    *["3366FF", "33CCCC", "99CC00", "FFCC00", "FF9900", "FF6600", "666699", "969696", "003366", "339966", "003300", "333300", "993300", "993366", "333399", "333333"],
)
AUTOMATIC = "automatic"
_STEPS = 240
#: Indexes beyond the palette: the system's text, window, tool tip and tool tip text colours.
_SYSTEM_INDEX = {"64": None, "65": "FFFFFF", "80": "FFFFE1", "81": "000000", "32767": None}


def theme_colors(theme: Part | None) -> tuple[str, ...]:
    """The twelve colours of a theme part in the order of `theme` attributes; Office's where there is no theme."""
    if theme is None or not theme.is_xml:
        return _OFFICE_THEME
    scheme = theme.xml.find(f"{_A}themeElements/{_A}clrScheme")
    out = []
    for name, fallback in zip(_THEME_ORDER, _OFFICE_THEME, strict=True):
        slot = scheme.find(f"{_A}{name}") if scheme is not None else None
        value = fallback
        if slot is not None and len(slot):
            color = slot[0]
            value = (color.get("val") or fallback) if color.tag == f"{_A}srgbClr" else color.get("lastClr") or _SYSTEM.get(color.get("val", ""), fallback)
        out.append(value.upper())
    return tuple(out)


def resolve_color(element: etree._Element | None, theme: Sequence[str], palette: Sequence[str]) -> str:
    """RRGGBB of a colour element (`color`, `fgColor`, `tabColor`, …), or `automatic` where it names none."""
    if element is None:
        return AUTOMATIC
    base: str | None = None
    rgb, index, theme_index = element.get("rgb"), element.get("indexed"), element.get("theme")
    if theme_index is not None:
        base = _at(theme, theme_index)
    elif rgb is not None:
        base = rgb[-6:].upper()
    elif index is not None:
        base = _SYSTEM_INDEX[index] if index in _SYSTEM_INDEX else _at(palette, index)
    if base is None:
        return AUTOMATIC
    return tinted(base, element.get("tint"))


def _at(colors: Sequence[str], index: str) -> str | None:
    return colors[at] if (at := whole(index, len(colors))) < len(colors) else f"color {index}"


def tinted(color: str, tint: str | None) -> str:
    """`color` lightened (tint > 0) or darkened (tint < 0), as 18.8.19 says.

    Spreadsheets reckon in whole steps of 1/240 of hue, lightness and saturation; finer arithmetic is off by one in most
    colours of Office's own palette.
    """
    try:
        amount = float(tint or 0)
        red, green, blue = (int(color[at : at + 2], 16) for at in (0, 2, 4))
    except ValueError:
        return color
    if abs(amount) < 1e-9:
        return color
    if red == green == blue:
        grey = round(red * (1 + amount) if amount < 0 else red * (1 - amount) + 255 * amount)
        return f"{min(max(grey, 0), 255):02X}" * 3
    hue, light, saturation = _hls(red, green, blue)
    light = int(light * (1 + amount)) if amount < 0 else int(light * (1 - amount) + (_STEPS - _STEPS * (1 - amount)))
    return "".join(f"{min(max(part, 0), 255):02X}" for part in _rgb(hue, light, saturation))


def _hls(red: int, green: int, blue: int) -> tuple[int, int, int]:
    high, low = max(red, green, blue), min(red, green, blue)
    light = ((high + low) * _STEPS + 255) // 510
    if high == low:
        return _STEPS * 2 // 3, light, 0
    spread = high - low
    around = high + low if light <= _STEPS // 2 else 510 - high - low
    saturation = (spread * _STEPS + around // 2) // around
    from_red, from_green, from_blue = (((high - part) * (_STEPS // 6) + spread // 2) // spread for part in (red, green, blue))
    if red == high:
        hue = from_blue - from_green
    elif green == high:
        hue = _STEPS // 3 + from_red - from_blue
    else:
        hue = 2 * _STEPS // 3 + from_green - from_red
    return hue % _STEPS, light, saturation


def _rgb(hue: int, light: int, saturation: int) -> tuple[int, int, int]:
    if saturation == 0:
        grey = light * 255 // _STEPS
        return grey, grey, grey
    half = _STEPS // 2
    upper = (light * (_STEPS + saturation) + half) // _STEPS if light <= half else light + saturation - (light * saturation + half) // _STEPS
    lower = 2 * light - upper

    def channel(at: int) -> int:
        at %= _STEPS
        if at < _STEPS // 6:
            step = lower + ((upper - lower) * at + _STEPS // 12) // (_STEPS // 6)
        elif at < half:
            step = upper
        elif at < _STEPS * 2 // 3:
            step = lower + ((upper - lower) * (_STEPS * 2 // 3 - at) + _STEPS // 12) // (_STEPS // 6)
        else:
            step = lower
        return (step * 255 + half) // _STEPS

    return channel(hue + _STEPS // 3), channel(hue), channel(hue - _STEPS // 3)
