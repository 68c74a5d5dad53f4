"""Canonical XML of DrawingML with its colours resolved, so that the same look reached another way is the same text."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from lxml import etree

from docops.formats.ooxml.canonical import Canonicaliser, CanonicalRules
from docops.formats.ooxml.drawing import A, Colours, colour_text, fill_element, fill_text, line_text, look_text
from docops.formats.ooxml.package import Package, Part

MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
#: What the namespaces that office programs know begin with.
_KNOWN = ("http://schemas.microsoft.com/", "http://schemas.openxmlformats.org/", "urn:schemas-microsoft-com:")

COLOURS = frozenset(A + name for name in ("srgbClr", "schemeClr", "sysClr", "prstClr", "hslClr", "scrgbClr"))


class Markup(Canonicaliser):
    """Canonical text of elements of one colour world: colours as `{RRGGBB}`."""

    def __init__(self, package: Package, rules: CanonicalRules, known: Mapping[str, str] | None = None, *, colours: Colours) -> None:
        super().__init__(package, rules, known)
        self.colours = colours
        self._texts: dict[str, str] = {}

    def colour(self, element: etree._Element) -> str:
        """A colour element as RRGGBB (`RRGGBB@50%` where it is not opaque)."""
        if len(element):
            return colour_text(element, self.colours)
        key = f"{element.tag} {element.get('val')}"
        found = self._texts.get(key)
        if found is None:
            found = colour_text(element, self.colours)
            if element.get("val") is not None:
                self._texts[key] = found
        return found

    def held_colour(self, element: etree._Element) -> str:
        """The colour that an element holds, or "text" where it holds none."""
        return next((self.colour(child) for child in element if child.tag in COLOURS), "text")

    def fill(self, element: etree._Element, part: Part) -> str:
        """A fill element in words: `none`, RRGGBB, a gradient, pattern or picture."""
        if element.tag == A + "solidFill":
            return self.held_colour(element)
        holder = element.getparent()
        if holder is not None and fill_element(holder) is element:
            return fill_text(holder, self.colours, part) or ""
        return look_text(element, self.colours, part)

    def line(self, element: etree._Element, part: Part) -> str:
        """An outline in words; `none` where it is not drawn."""
        text = line_text(element, self.colours, part) or ""
        return "none" if element.find(A + "noFill") is not None else text

    def look(self, element: etree._Element, part: Part) -> str:
        """A formatting subtree in words."""
        return look_text(element, self.colours, part)

    def rest(self, element: etree._Element | None, part: Part, *, skip: Collection[etree._Element] = (), skip_attributes: Collection[str] = ()) -> str:
        """Canonical text of what is left of an element; "" where nothing is."""
        if element is None or _is_bare(element, skip, skip_attributes):
            return ""
        text = self.element(element, part, skip=skip, skip_attributes=skip_attributes)
        head, _, tail = text.partition(">")
        return "" if tail == "</>" and " " not in head else text

    def _write(self, element: etree._Element, part: Part, out: list[str], skip: Collection[int] | None, skip_attributes: Collection[str] = ()) -> None:
        if element.tag in COLOURS:
            if skip is None or id(element) not in skip:
                out.append(f"{{{self.colour(element)}}}")
            return
        super()._write(element, part, out, skip, skip_attributes)


def _is_bare(element: etree._Element, skip: Collection[etree._Element], skip_attributes: Collection[str]) -> bool:
    """Whether nothing of an element is left, as can be told without looking inside."""
    if element.text and element.text.strip():
        return False
    if len(element) and not (skip and all(child in skip for child in element)):
        return False
    return all(name in skip_attributes for name in map(str, element.attrib))


def shown_branch(element: etree._Element) -> etree._Element | None:
    """The branch of alternative content that programs show: the first choice whose namespaces they know, else the fallback."""
    for choice in element.iterchildren(f"{MC}Choice"):
        spaces = [str(choice.nsmap.get(prefix) or "") for prefix in (choice.get("Requires") or "").split()]
        if spaces and all(space.startswith(_KNOWN) for space in spaces):
            return choice
    return element.find(f"{MC}Fallback")


def boolean(value: str) -> bool:
    """An XML Schema (or old Office) boolean."""
    return value.strip().lower() in {"1", "true", "on", "t"}
