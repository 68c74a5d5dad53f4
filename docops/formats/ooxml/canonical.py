"""Canonical form of XML for comparison: what means the same gives the same text.

Removed: prefixes, attribute order, white space between elements, relationship ids (replaced by what they point at),
attributes that state their default, volatile attributes and elements. Kept: everything else.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

from lxml import etree

from docops.formats.ooxml.package import NS_R, Package, Part

#: Prefixes used when printing; unknown namespaces print whole.
PREFIXES: Mapping[str, str] = {
    "http://schemas.openxmlformats.org/wordprocessingml/2006/main": "w",
    "http://schemas.openxmlformats.org/spreadsheetml/2006/main": "x",
    "http://schemas.openxmlformats.org/presentationml/2006/main": "p",
    "http://schemas.openxmlformats.org/drawingml/2006/main": "a",
    "http://schemas.openxmlformats.org/drawingml/2006/chart": "c",
    "http://schemas.openxmlformats.org/drawingml/2006/picture": "pic",
    "http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing": "xdr",
    "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing": "wp",
    "http://schemas.openxmlformats.org/drawingml/2006/diagram": "dgm",
    "http://schemas.openxmlformats.org/officeDocument/2006/math": "m",
    "http://schemas.openxmlformats.org/markup-compatibility/2006": "mc",
    "urn:schemas-microsoft-com:vml": "v",
    "urn:schemas-microsoft-com:office:office": "o",
    "urn:schemas-microsoft-com:office:excel": "xvml",
    "urn:schemas-microsoft-com:office:word": "w10",
    "http://schemas.microsoft.com/office/word/2010/wordml": "w14",
    "http://schemas.microsoft.com/office/word/2012/wordml": "w15",
    "http://schemas.microsoft.com/office/powerpoint/2010/main": "p14",
    "http://schemas.microsoft.com/office/powerpoint/2012/main": "p15",
    "http://schemas.microsoft.com/office/drawing/2010/main": "a14",
    "http://schemas.microsoft.com/office/spreadsheetml/2009/9/main": "x14",
    NS_R: "r",
    "http://www.w3.org/XML/1998/namespace": "xml",
}

_MC_IGNORABLE = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Ignorable"


def short_name(tag: str) -> str:
    """A Clark name with the usual prefix (`w:p`); the name alone where it has no namespace."""
    if not tag.startswith("{"):
        return tag
    uri, _, local = tag[1:].partition("}")
    prefix = PREFIXES.get(uri)
    return f"{prefix}:{local}" if prefix else tag


@dataclass(frozen=True, slots=True)
class CanonicalRules:
    """What a format leaves out of canonical XML.

    volatile_elements, volatile_attributes: Clark names that are no state; an attribute as `name` or `element@name`.
    defaults: `element@attribute` (Clark names) → the value that means the same as its absence.
    text_elements: elements whose white space is text; elsewhere blank text is layout.
    normalise: (element, attribute, value) → value, for values with several spellings (booleans, colours); None: as is.
    """

    volatile_elements: Collection[str] = frozenset()
    volatile_attributes: Collection[str] = frozenset()
    defaults: Mapping[str, str] = field(default_factory=dict)
    text_elements: Collection[str] = frozenset()
    normalise: Callable[[str, str, str], str] | None = None


class Canonicaliser:
    """Canonical text of elements of one package.

    rules: see CanonicalRules.
    known: part name → what stands for the part where a relationship points at it (a modelled part's identity, so that
        its content is not compared twice); parts not in it stand for their own canonical content.
    """

    def __init__(self, package: Package, rules: CanonicalRules, known: Mapping[str, str] | None = None) -> None:
        self.package = package
        self.rules = rules
        self.known = known or {}
        self._parts: dict[str, str] = {}
        self._open: list[str] = []

    def element(self, element: etree._Element, part: Part, *, skip: Collection[etree._Element] = (), skip_attributes: Collection[str] = ()) -> str:
        """Canonical text of an element with everything inside.

        skip: elements left out (modelled elsewhere).   skip_attributes: attributes of `element` itself left out.
        """
        out: list[str] = []
        self._write(element, part, out, set(map(id, skip)), frozenset(skip_attributes))
        return "".join(out)

    def digest(self, element: etree._Element, part: Part, *, skip: Collection[etree._Element] = ()) -> str:
        """Short digest of the canonical text, for facts whose text would be long."""
        return hashlib.blake2b(self.element(element, part, skip=skip).encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()

    def part(self, name: str) -> str:
        """What stands for a part: its known identity, or a digest of its canonical content and of what it points at."""
        if name in self.known:
            return self.known[name]
        if name not in self._parts:
            part = self.package.parts.get(name)
            if part is None:
                return f"missing part {name}"
            if name in self._open:
                return f"part open {len(self._open) - self._open.index(name)} levels up"
            self._open.append(name)
            try:
                text = self._part_text(part)
            finally:
                self._open.pop()
            self._parts[name] = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
        return self._parts[name]

    def relationship(self, part: Part, relationship_id: str) -> str:
        """What stands for a relationship id of a part: the type and the URL or the target's content."""
        rel = part.relationships.get(relationship_id)
        if rel is None:
            return "dangling relationship" if relationship_id else "no relationship"
        return f"{rel.type} {rel.target}" if rel.external else f"{rel.type} {self.part(rel.target)}"

    def _part_text(self, part: Part) -> str:
        if not part.is_xml:
            return f"{part.content_type} {part.digest}"
        return f"{part.content_type} {self.element(part.xml, part)}"

    def _write(self, element: etree._Element, part: Part, out: list[str], skip: set[int], skip_attributes: Collection[str] = ()) -> None:
        if not isinstance(element.tag, str) or id(element) in skip or element.tag in self.rules.volatile_elements:
            return
        out.append(f"<{short_name(element.tag)}")
        out.extend(self._attributes(element, part, skip_attributes))
        out.append(">")
        keep_blank = element.tag in self.rules.text_elements or len(element) == 0
        self._text(element.text, keep_blank, out)
        for child in element:
            self._write(child, part, out, skip)
            self._text(child.tail, element.tag in self.rules.text_elements, out)
        out.append("</>")

    def _attributes(self, element: etree._Element, part: Part, skip: Collection[str]) -> list[str]:
        rules = self.rules
        found = []
        for raw_name, raw_value in element.attrib.items():
            name, value = str(raw_name), str(raw_value)
            qualified = f"{element.tag}@{name}"
            if name in skip or name in rules.volatile_attributes or qualified in rules.volatile_attributes or name == _MC_IGNORABLE:
                continue
            if name.startswith("{" + NS_R + "}"):
                value = self.relationship(part, value)
            elif rules.normalise is not None:
                value = rules.normalise(str(element.tag), name, value)
            if rules.defaults.get(qualified) == value:
                continue
            found.append(f' {short_name(name)}="{_escape(value)}"')
        return sorted(found)

    def _text(self, text: str | None, keep_blank: bool, out: list[str]) -> None:
        if text and (keep_blank or text.strip()):
            out.append(_escape(text))


def _escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
