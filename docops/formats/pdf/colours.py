"""Colours: how they are spelt in facts, and roughly what they look like."""

from __future__ import annotations

from typing import Any

from docops.formats.pdf.canonical import Canonical, number_text
from docops.formats.pdf.graphics import Colour, rounded
from docops.formats.pdf.reading import Name, Object, Objects, Stream

#: The colour that leaves nothing on any page.
NO_INK = "no ink"


def colour_space(objects: Objects, resources: dict[str, Object], name: Object) -> Object:
    """The colour space that a name stands for: one of the resources, or one of the built-in ones."""
    if isinstance(name, Name):
        found = objects.dict_at(resources, "ColorSpace").get(str(name))
        if found is not None:
            return found
    return name


def initial_colour(canonical: Canonical, space: Object, resources: dict[str, Object]) -> Colour:
    """The colour that is set with a colour space."""
    objects = canonical.objects
    kind = objects.get(space)
    family = kind if isinstance(kind, Name) else objects.at(kind, 0)
    if family == "Pattern":
        return Colour("none", None)
    if family == "DeviceCMYK":
        return Colour("cmyk 0 0 0 1", (0, 0, 0))
    return colour_of(canonical, space, [0] * _channels(objects, space), resources)


def colour_of(canonical: Canonical, space: Object, args: list[Any], resources: dict[str, Object]) -> Colour:
    """The colour that operands name in a colour space."""
    objects = canonical.objects
    if args and isinstance(args[-1], Name):
        pattern = objects.dict_at(resources, "Pattern").get(str(args[-1]))
        base = "" if len(args) == 1 else f" {canonical.digest(space)} " + " ".join(rounded(value) for value in args[:-1])
        return Colour(f"pattern {canonical.digest(pattern)}{base}", None)
    resolved = objects.get(space)
    while isinstance(resolved, list) and len(resolved) == 1:
        resolved = objects.get(resolved[0])
    values = [float(value) for value in args]
    if isinstance(resolved, str):
        if resolved in {"DeviceGray", "G"}:
            return Colour(_hex(values[0], values[0], values[0]), (values[0], values[0], values[0]))
        if resolved in {"DeviceRGB", "RGB"}:
            return Colour(_hex(*values[:3]), (values[0], values[1], values[2]))
        if resolved in {"DeviceCMYK", "CMYK"}:
            c, m, y, k = values[:4]
            return Colour("cmyk " + " ".join(number_text(round(value, 4)) for value in values), ((1 - c) * (1 - k), (1 - m) * (1 - k), (1 - y) * (1 - k)))
    inks = objects.at(resolved, 1) if objects.at(resolved, 0) in ("Separation", "DeviceN") else None
    if inks == "None" or (isinstance(inks, list) and inks and all(objects.get(ink) == "None" for ink in inks)):
        return Colour(NO_INK, None)
    spelt = " ".join(number_text(round(value, 4)) for value in values)
    return Colour(f"{canonical.digest(space)} {spelt}", _guess(objects, resolved, values))


def _hex(red: float, green: float, blue: float) -> str:
    return "".join(f"{min(255, max(0, round(value * 255))):02X}" for value in (red, green, blue))


def _channels(objects: Objects, space: Object) -> int:
    resolved = objects.get(space)
    family = resolved if isinstance(resolved, Name) else objects.at(resolved, 0)
    if family == "ICCBased":
        return objects.int_at(resolved, 1, "N") or 3
    if family in ("DeviceN", "NChannel"):
        return len(objects.list_at(resolved, 1)) or 1
    return {"DeviceRGB": 3, "RGB": 3, "CalRGB": 3, "Lab": 3, "DeviceCMYK": 4, "CMYK": 4}.get(str(family), 1)


def _guess(objects: Objects, space: Object, values: list[float]) -> tuple[float, float, float] | None:
    """Roughly what a colour of some other space looks like; None where that is not known."""
    family = objects.at(space, 0) if isinstance(space, list) else space
    if family in ("ICCBased", "CalRGB", "CalGray", "DeviceGray", "DeviceRGB", "DeviceCMYK"):
        if len(values) == 1:
            return values[0], values[0], values[0]
        if len(values) == 3:
            return values[0], values[1], values[2]
        if len(values) == 4:
            c, m, y, k = values
            return (1 - c) * (1 - k), (1 - m) * (1 - k), (1 - y) * (1 - k)
    if family == "Lab" and values[:1] == [100.0] and all(abs(value) < 2 for value in values[1:]):
        return 1.0, 1.0, 1.0
    if family == "Separation" and values == [0.0]:
        return 1.0, 1.0, 1.0
    if family == "Separation" and len(values) == 1 and objects.at(space, 3, "FunctionType") == 2:
        ends = objects.numbers_at(space, 3, "C0") or [0.0], objects.numbers_at(space, 3, "C1") or [1.0]
        exponent = objects.at(space, 3, "N")
        share = max(values[0], 0.0) ** (exponent if isinstance(exponent, int | float) and exponent > 0 else 1)
        return _guess(objects, objects.at(space, 2), [a + share * (b - a) for a, b in zip(*ends, strict=False)])
    if family == "Indexed":
        base, table, count = objects.at(space, 1), objects.at(space, 3), _channels(objects, objects.at(space, 1))
        if isinstance(table, str):  # what looked like a text string to the parser
            table = table.encode("utf-16-be" if 2 * len(table) == count * (objects.int_at(space, 2) + 1) else "latin-1", "replace")
        data = table.data if isinstance(table, Stream) else table
        entry = data[int(values[0]) * count :][:count] if isinstance(data, bytes) and values[0] >= 0 else b""
        return _guess(objects, base, [byte / 255 for byte in entry]) if entry and objects.at(base, 0) != "Indexed" else None
    return None
