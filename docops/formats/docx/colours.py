"""Colours as WordprocessingML writes them: names, theme slots, tints and shades."""

from __future__ import annotations

#: Names of theme colours in WordprocessingML → slots of the theme's colour scheme.
COLOUR_SLOTS = {
    "dark1": "dk1", "light1": "lt1", "dark2": "dk2", "light2": "lt2", "text1": "dk1", "background1": "lt1", "text2": "dk2", "background2": "lt2",
    "hyperlink": "hlink", "followedHyperlink": "folHlink",
}  # fmt: skip

_NAMED_COLOURS = {"black": "000000", "white": "FFFFFF", "red": "FF0000", "blue": "0000FF", "green": "008000", "yellow": "FFFF00"}


def named_colour(value: str | None) -> str:
    """RRGGBB of a colour written as a number or a plain name; `auto` where it is left to the program."""
    if value in {None, "", "auto"}:
        return "auto"
    text = str(value).lstrip("#")
    return _NAMED_COLOURS.get(text.lower(), text.upper())


def tinted(base: str, tint: str | None, shade: str | None) -> str:
    """A theme colour with its tint (towards white) or shade (towards black), in HLS as 17.18.97 says."""
    import colorsys

    try:
        red, green, blue = (int(base[at : at + 2], 16) / 255 for at in (0, 2, 4))
        hue, light, saturation = colorsys.rgb_to_hls(red, green, blue)
        if shade is not None:
            light *= int(shade, 16) / 255
        if tint is not None:
            amount = int(tint, 16) / 255
            light = light * amount + (1 - amount)
    except ValueError:
        return base
    return "".join(f"{round(channel * 255):02X}" for channel in colorsys.hls_to_rgb(hue, light, saturation))

#: Names of theme colours in DrawingML → slots of the theme's colour scheme, where they differ.
DRAWING_SLOTS = {"bg1": "lt1", "tx1": "dk1", "bg2": "lt2", "tx2": "dk2"}
