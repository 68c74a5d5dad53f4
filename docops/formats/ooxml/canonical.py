"""Canonical form of XML for comparison: what means the same gives the same text.

Removed: prefixes, attribute order, white space between elements, relationship ids (replaced by what they point at),
attributes that state their default, elements that say nothing, volatile attributes and elements. Kept: everything else.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from lxml import etree

from docops.core.errors import Unreadable
from docops.core.limits import DEFAULT_LIMITS
from docops.formats.ooxml.package import NS_R, Package, Part, Relationship, inner_limits, open_package

#: Prefixes used when printing; unknown namespaces print whole.
PREFIXES: Mapping[str, str] = {
    "http://schemas.openxmlformats.org/wordprocessingml/2006/main": "w",
    "http://schemas.openxmlformats.org/spreadsheetml/2006/main": "x",
    "http://schemas.openxmlformats.org/presentationml/2006/main": "p",
    "http://schemas.openxmlformats.org/drawingml/2006/main": "a",
    "http://schemas.openxmlformats.org/drawingml/2006/chart": "c",
    "http://schemas.openxmlformats.org/drawingml/2006/chartDrawing": "cdr",
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
    "http://schemas.microsoft.com/office/drawing/2014/chartex": "cx",
    "http://schemas.microsoft.com/office/spreadsheetml/2009/9/main": "x14",
    NS_R: "r",
    "http://www.w3.org/XML/1998/namespace": "xml",
}

_MC_IGNORABLE = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Ignorable"
_XML_SPACE = "{http://www.w3.org/XML/1998/namespace}space"
#: Attributes outside the relationships namespace that hold a relationship id.
_RELATION_ATTRIBUTES = frozenset({"{urn:schemas-microsoft-com:office:office}relid"})

_TRUE = frozenset({"1", "true", "on"})
_FALSE = frozenset({"0", "false", "off"})

_MEDIA_TYPES = {"image/jpg": "image/jpeg", "image/pjpeg": "image/jpeg", "image/x-png": "image/png", "image/tif": "image/tiff"}

#: Packages in packages are compared by what they hold, down to this depth, then by their bytes.
_MAX_NESTED = 3


#: Parts reached by relationships of these types are no state: pictures of the first page.
VOLATILE_RELATIONSHIPS = frozenset({"thumbnail", "calcChain"})

#: Relationship types that mean nothing unless an element of the source part names their id. One that nothing names is
#: what an edit left behind (a deleted picture, a removed slide); no program shows it.
EXPLICIT_RELATIONSHIPS = frozenset(
    {
        "image", "hyperlink", "chart", "chartEx", "chartsheet", "dialogsheet", "worksheet", "xlMacrosheet", "oleObject", "package",
        "slide", "slideMaster", "header", "footer", "video", "audio", "media", "diagramData", "diagramLayout", "diagramQuickStyle",
        "diagramColors", "externalLink", "externalLinkPath", "drawing", "vmlDrawing", "legacyDiagramText", "font",
        "control", "ctrlProp", "activeXControlBinary", "subDocument", "aFChunk", "frame", "table", "tags", "attachedTemplate",
        "mailMergeSource", "mailMergeHeaderSource", "notesMaster", "handoutMaster", "pivotCacheDefinition", "pivotCacheRecords",
        "chartUserShapes", "hdphoto", "model3d",
    }
)  # fmt: skip


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
    defaults: `element@attribute` (Clark names) → the value that means the same as its absence; booleans as `1` and `0`.
    booleans: `element@attribute` of the attributes whose values are spellings of true and false.
    text_elements: elements whose white space is text; elsewhere blank text is layout.
    empty_elements: element → attributes in canonical form (`val="0"`, usually none); such an element without content means
        the same as its absence.
    shells: elements that mean nothing without content though they name their kind (`uri`): extensions.
    normalise: (element, attribute, value) → value, for values with several spellings (colours); None: as is.
    """

    volatile_elements: Collection[str] = frozenset()
    volatile_attributes: Collection[str] = frozenset()
    defaults: Mapping[str, str] = field(default_factory=dict)
    text_elements: Collection[str] = frozenset()
    normalise: Callable[[str, str, str], str] | None = None
    booleans: Collection[str] = frozenset()
    empty_elements: Mapping[str, str] = field(default_factory=dict)
    shells: Collection[str] = frozenset()


class _Tag:
    """What the rules say of one element name, looked up once."""

    __slots__ = ("attributes", "empty", "open", "shell", "text", "volatile")

    def __init__(self, tag: str, rules: CanonicalRules) -> None:
        self.open = f"<{short_name(tag)}"
        self.volatile = tag in rules.volatile_elements
        self.text = tag in rules.text_elements
        empty = rules.empty_elements.get(tag)
        self.empty = f" {empty}" if empty else empty
        self.shell = tag in rules.shells
        self.attributes: dict[str, _Attribute] = {}


class _Attribute:
    """What the rules say of one attribute of an element."""

    __slots__ = ("boolean", "default", "name", "plain", "relation", "shown", "volatile")

    def __init__(self, tag: str, name: str, rules: CanonicalRules) -> None:
        qualified = f"{tag}@{name}"
        self.volatile = name in rules.volatile_attributes or qualified in rules.volatile_attributes or name == _MC_IGNORABLE
        self.relation = name.startswith("{" + NS_R + "}") or name in _RELATION_ATTRIBUTES
        self.boolean = qualified in rules.booleans
        self.default = rules.defaults.get(qualified)
        self.name = name
        self.shown = f' {short_name(name)}="'
        self.plain = not (self.volatile or self.relation or self.boolean or name == _XML_SPACE or rules.normalise is not None)


class Canonicaliser:
    """Canonical text of elements of one package.

    rules: see CanonicalRules.
    known: part name → what stands for the part where a relationship points at it (a modelled part's identity, so that
        its content is not compared twice); parts not in it stand for their own canonical content.
    """

    def __init__(self, package: Package, rules: CanonicalRules, known: Mapping[str, str] | None = None, *, nested: int = 0) -> None:
        self.package = package
        self.rules = rules
        self.known = known or {}
        self._nested = nested
        self._tags: dict[str, _Tag] = {}
        self._parts: dict[str, str] = {}
        self._circle: frozenset[str] = frozenset()

    def element(self, element: etree._Element, part: Part, *, skip: Collection[etree._Element] = (), skip_attributes: Collection[str] = ()) -> str:
        """Canonical text of an element with everything inside; empty where it says nothing.

        skip: elements left out (modelled elsewhere).   skip_attributes: attributes of `element` itself left out.
        """
        out: list[str] = []
        self._write(element, part, out, frozenset(map(id, skip)) if skip else None, skip_attributes)
        return "".join(out)

    def digest(self, element: etree._Element, part: Part, *, skip: Collection[etree._Element] = ()) -> str:
        """Short digest of the canonical text, for facts whose text would be long."""
        return _digest(self.element(element, part, skip=skip))

    def part(self, name: str) -> str:
        """What stands for a part: its known identity, or a digest of its canonical content and of what it points at."""
        if name in self.known:
            return self.known[name]
        if name not in self._parts:
            if name not in self.package.parts:
                return "missing part"
            if name in self._circle:
                return f"a part of type {content_essence(self.package.parts[name].content_type)}"
            self._resolve(name)
        return self._parts[name]

    def relationship(self, part: Part, relationship_id: str) -> str:
        """What stands for a relationship id of a part: the type and the URL or the target's content."""
        rel = part.relationships.get(relationship_id)
        if rel is None:
            return "dangling relationship" if relationship_id else "no relationship"
        return f"{rel.type} {rel.target}" if rel.external else f"{rel.type} {self.part(rel.target)}"

    def _targets(self, name: str) -> list[str]:
        if name in self.known or name not in self.package.parts:
            return []
        part = self.package.parts[name]
        found = [rel.target for rel in part.relationships.values() if not rel.external and matters(part, rel)]
        return [target for target in found if target not in self.known and target not in self._parts and target in self.package.parts]

    def _resolve(self, start: str) -> None:
        """Identities of a part and of all it leads to; targets first, circles of parts as one (Tarjan's components)."""
        numbers: dict[str, int] = {}
        lowest: dict[str, int] = {}
        stack: list[str] = []
        on_stack: set[str] = set()
        work: list[tuple[str, list[str]]] = []

        def enter(name: str) -> None:
            numbers[name] = lowest[name] = len(numbers)
            stack.append(name)
            on_stack.add(name)
            work.append((name, self._targets(name)))

        enter(start)
        while work:
            name, targets = work[-1]
            if targets:
                target = targets.pop()
                if target not in numbers:
                    enter(target)
                elif target in on_stack:
                    lowest[name] = min(lowest[name], numbers[target])
                continue
            work.pop()
            if work:
                lowest[work[-1][0]] = min(lowest[work[-1][0]], lowest[name])
            if lowest[name] == numbers[name]:
                circle = stack[stack.index(name) :]
                del stack[-len(circle) :]
                on_stack.difference_update(circle)
                self._identify(circle)

    def _identify(self, circle: list[str]) -> None:
        # Inside a circle a part stands for its type, and each member for itself and for all of them together.
        outer, self._circle = self._circle, frozenset(circle)
        texts = {name: self._part_text(self.package.parts[name]) for name in circle}
        self._circle = outer
        together = "".join(sorted(_digest(text) for text in texts.values())) if len(circle) > 1 else ""
        for name, text in texts.items():
            self._parts[name] = _digest(text + together)

    def _part_text(self, part: Part) -> str:
        essence = content_essence(part.content_type)
        if part.is_xml:
            implicit = sorted(
                f"{rel.type} {self.part(rel.target)}"
                for rel in part.relationships.values()
                if not rel.external and rel.type not in EXPLICIT_RELATIONSHIPS and matters(part, rel) and not is_named(part, rel.id)
            )
            return f"{essence} {self.element(part.xml, part)} {implicit}"
        if part.data.startswith(b"PK\x03\x04") and self._nested < _MAX_NESTED:
            try:
                return f"{essence} {package_meaning(part.data, self.rules, part.package, nested=self._nested + 1)}"
            except Unreadable:
                pass
        return f"{essence} {part.digest}"

    def _write(self, element: etree._Element, part: Part, out: list[str], skip: Collection[int] | None, skip_attributes: Collection[str] = ()) -> None:
        tag = element.tag
        info = self._tags.get(tag)
        if info is None:
            if not isinstance(tag, str):
                return
            info = self._tags[tag] = _Tag(tag, self.rules)
        if info.volatile or (skip is not None and id(element) in skip):
            return
        start = len(out)
        items = element.items()
        attributes = self._attributes(element, info, items, part, skip_attributes) if items else ""
        out.append(f"{info.open}{attributes}>")
        text = element.text
        empty = True
        for child in element:
            empty = False
            if text is not None and (info.text or not text.isspace()):
                out.append(_escape(text))
            self._write(child, part, out, skip)
            text = child.tail
        if text and (empty or info.text or not text.isspace()):
            out.append(_escape(text))
        if len(out) == start + 1 and (info.empty == attributes or (info.shell and attributes.startswith(" uri="))):
            out.pop()
            return
        out.append("</>")

    def _attributes(self, element: etree._Element, info: _Tag, items: Sequence[tuple[str | bytes, str | bytes]], part: Part, skip: Collection[str]) -> str:
        known = info.attributes
        found = []
        for name, value in items:
            attribute = known.get(name)  # type: ignore[arg-type]
            if attribute is None:
                attribute = known[str(name)] = _Attribute(str(element.tag), str(name), self.rules)
            if attribute.plain and value != attribute.default:
                found.append(f'{attribute.shown}{_escape(value)}"')  # type: ignore[arg-type]
            elif not attribute.plain and (text := self._special(element, attribute, str(value), part)) is not None:
                found.append(f'{attribute.shown}{_escape(text)}"')
        if skip:
            left_out = tuple(f' {short_name(name)}="' for name in skip)
            found = [text for text in found if not text.startswith(left_out)]
        if len(found) > 1:
            found.sort()
        return "".join(found)

    def _special(self, element: etree._Element, attribute: _Attribute, value: str, part: Part) -> str | None:
        """The value of an attribute that needs more than a look at its default; None where it says nothing."""
        if attribute.volatile:
            return None
        if attribute.relation:
            value = self.relationship(part, value)
        elif attribute.name == _XML_SPACE:
            # It only matters where there is white space to keep.
            text = element.text or ""
            if not len(element) and text == text.strip():
                return None
        else:
            if attribute.boolean:
                folded = value.strip().lower()
                value = "1" if folded in _TRUE else "0" if folded in _FALSE else value
            if self.rules.normalise is not None:
                value = self.rules.normalise(str(element.tag), attribute.name, value)
        return None if value == attribute.default else value


def package_meaning(data: bytes, rules: CanonicalRules, outer: Package | None = None, *, nested: int = 1) -> str:
    """Digest of what a package in a package holds: its main part and all it leads to, properties and zip layout left out.

    Raises Unreadable where the bytes are no package.
    """
    package = open_package(data, inner_limits(outer.limits if outer is not None else DEFAULT_LIMITS))
    canonical = Canonicaliser(package, rules, nested=nested)
    return canonical.part(package.main.name)


def binary_identity(part: Part) -> str:
    """What stands for a binary part: its content type and a digest of its bytes."""
    return f"{content_essence(part.content_type)} {part.digest[:24]}".strip()


def content_essence(content_type: str) -> str:
    """A content type without parameters, in lower case and its usual spelling."""
    essence = content_type.partition(";")[0].strip().lower()
    return _MEDIA_TYPES.get(essence, essence)


def matters(part: Part, rel: Relationship) -> bool:
    """Whether a relationship of a part means anything: it does, unless it is volatile or left behind by an edit."""
    if rel.type in VOLATILE_RELATIONSHIPS:
        return False
    return rel.type not in EXPLICIT_RELATIONSHIPS or not part.is_xml or is_named(part, rel.id)


def is_named(part: Part, relationship_id: str) -> bool:
    """Whether an attribute of an XML part holds a relationship id."""
    written = relationship_id.encode("utf-8", "surrogatepass")
    return b'"' + written + b'"' in part.markup or b"'" + written + b"'" in part.markup


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def _escape(text: str) -> str:
    if "&" in text or "<" in text or '"' in text:
        return text.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
    return text
