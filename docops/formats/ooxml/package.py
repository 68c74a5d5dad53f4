"""OOXML packages (ECMA-376 part 2): a gate before any parser, then parts, content types and relationships.

Strict packages (ISO 29500 Strict namespaces) are read as Transitional: namespaces and relationship types are mapped
before parsing, so that everything above sees one vocabulary.
"""

from __future__ import annotations

import codecs
import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from urllib.parse import unquote

from lxml import etree

from docops.core.canonical import sha256
from docops.core.codes import FindingCode
from docops.core.errors import Unreadable
from docops.core.limits import DEFAULT_LIMITS, Limits
from docops.formats.ooxml.archive import Member, damaged, inflate, limit, read_directory

NS_R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_CONTENT_TYPES = "/[content_types].xml"

_STRICT = "http://purl.oclc.org/ooxml/"
#: Strict namespace (after the common prefix) → Transitional (ISO 29500-1 annex A / -4).
_TRANSITIONAL = {
    "officeDocument/relationships": NS_R,
    "officeDocument/bibliography": "http://schemas.openxmlformats.org/officeDocument/2006/bibliography",
    "officeDocument/characteristics": "http://schemas.openxmlformats.org/officeDocument/2006/characteristics",
    "officeDocument/customProperties": "http://schemas.openxmlformats.org/officeDocument/2006/custom-properties",
    "officeDocument/customXml": "http://schemas.openxmlformats.org/officeDocument/2006/customXml",
    "officeDocument/docPropsVTypes": "http://schemas.openxmlformats.org/officeDocument/2006/docPropsVTypes",
    "officeDocument/extendedProperties": "http://schemas.openxmlformats.org/officeDocument/2006/extended-properties",
    "officeDocument/math": "http://schemas.openxmlformats.org/officeDocument/2006/math",
    "officeDocument/sharedTypes": "http://schemas.openxmlformats.org/officeDocument/2006/sharedTypes",
    "drawingml/main": "http://schemas.openxmlformats.org/drawingml/2006/main",
    "drawingml/chart": "http://schemas.openxmlformats.org/drawingml/2006/chart",
    "drawingml/chartDrawing": "http://schemas.openxmlformats.org/drawingml/2006/chartDrawing",
    "drawingml/compatibility": "http://schemas.openxmlformats.org/drawingml/2006/compatibility",
    "drawingml/diagram": "http://schemas.openxmlformats.org/drawingml/2006/diagram",
    "drawingml/lockedCanvas": "http://schemas.openxmlformats.org/drawingml/2006/lockedCanvas",
    "drawingml/picture": "http://schemas.openxmlformats.org/drawingml/2006/picture",
    "drawingml/spreadsheetDrawing": "http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing",
    "drawingml/wordprocessingDrawing": "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing",
    "presentationml/main": "http://schemas.openxmlformats.org/presentationml/2006/main",
    "schemaLibrary/main": "http://schemas.openxmlformats.org/schemaLibrary/2006/main",
    "spreadsheetml/main": "http://schemas.openxmlformats.org/spreadsheetml/2006/main",
    "wordprocessingml/main": "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
}
_STRICT_PATTERN = re.compile(re.escape(_STRICT) + r"([A-Za-z/]+)")

#: Attributes of one element: looking each of them up costs their number squared.
MAX_ATTRIBUTES = 256

_OLE2_MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ZIP_MAGIC = (b"PK\x03\x04", b"PK\x05\x06")

#: Types that end like XML but are compared by their bytes: pictures and web pages may hold what OOXML forbids.
_FOREIGN_XML = ("image/", "application/xhtml", "text/html")
#: Legacy drawings: XML by their type, not always by their content.
_LOOSE_XML = "vmldrawing"

#: Declared encodings that part 2 of the standard does not name but that programs write and every parser reads alike.
_ENCODINGS = frozenset(
    ("utf-8", "ascii", "iso8859-1", "iso8859-15", "cp1250", "cp1251", "cp1252", "cp1253", "cp1254", "cp932", "gbk", "gb18030", "gb2312", "big5", "euc_kr")
)
_DECLARATION = re.compile(rb"""<\?xml[^>]*?\sencoding\s*=\s*["']([A-Za-z][A-Za-z0-9._-]*)["'][^>]*\?>""")

#: Encodings that a parser guesses from the first bytes, in the order in which they must be tried.
_MARKS = (
    (b"\xff\xfe\x00\x00", ""),
    (b"\x00\x00\xfe\xff", ""),
    (b"\x00\x00\x00<", ""),
    (b"<\x00\x00\x00", ""),
    (b"\x4c\x6f\xa7\x94", ""),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
    (b"<\x00", "utf-16-le"),
    (b"\x00<", "utf-16-be"),
)


@dataclass(frozen=True, slots=True)
class Relationship:
    """One relationship. `target`: a part name (`/word/media/image1.png`), or the URL as written where `external`.

    type: last step of the relationship type (`image`, `slideLayout`); full type in `full_type`.
    """

    id: str
    type: str
    target: str
    external: bool
    full_type: str


class Part:
    """One part: its bytes, and its XML where it is XML. Inflated at first use."""

    def __init__(self, package: Package, name: str, content_type: str, member: Member) -> None:
        self.package = package
        self.name = name
        self.content_type = content_type
        self._member = member

    @cached_property
    def data(self) -> bytes:
        """The part's bytes as stored."""
        return self.package._inflate(self._member)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the bytes."""
        return sha256(self.data)

    @cached_property
    def is_xml(self) -> bool:
        """Whether the content type (or, without one, the name) says XML of OOXML's own."""
        kind = self.content_type.partition(";")[0].strip().lower()
        if kind.startswith(_FOREIGN_XML):
            return False
        return kind.endswith(("+xml", "/xml", _LOOSE_XML)) or (not kind and self.name.lower().endswith((".xml", ".rels", ".vml")))

    @cached_property
    def markup(self) -> bytes:
        """The XML as UTF-8, whatever encoding the part is stored in."""
        return _as_utf8(self.data, self.name)

    @cached_property
    def xml(self) -> etree._Element:
        """The root element, Strict mapped to Transitional; shared, so it must not be changed.

        Raises Unreadable where the part is not well-formed, holds a DOCTYPE or breaks a limit.
        """
        return self.package._parse(self)

    @property
    def relationships(self) -> Mapping[str, Relationship]:
        """Relationships of this part by id."""
        return self.package.relationships(self.name)

    def related(self, kind: str) -> list[Part]:
        """Parts that this part points at with relationships of a type (`image`), in the order of the relationships part."""
        found = (self.package.parts.get(rel.target) for rel in self.relationships.values() if rel.type == kind and not rel.external)
        return [part for part in found if part is not None]

    def target(self, relationship_id: str | None) -> Part | None:
        """The part that a relationship id points at, or None where it is external or dangling."""
        rel = self.relationships.get(relationship_id or "")
        return None if rel is None or rel.external else self.package.parts.get(rel.target)

    def __repr__(self) -> str:
        return f"<Part {self.name}>"


class Package:
    """An opened package. `parts` maps part names (with a leading slash, as stored) to parts, relationship parts left out."""

    def __init__(self, data: bytes, limits: Limits = DEFAULT_LIMITS) -> None:
        self.limits = limits
        _check_kind(data, limits)
        self._archive = data
        self._elements = 0
        self._relationships: dict[str, Mapping[str, Relationship]] = {}
        self._members = {_part_name(member.name): member for member in read_directory(data, limits)}
        self._folded = {unquote(name).lower(): name for name in self._members}
        self._content_types = self._read_content_types()
        self.parts: dict[str, Part] = {
            name: Part(self, name, self._content_types(name), member)
            for name, member in self._members.items()
            if name.lower() != _CONTENT_TYPES and not _is_relationships(name)
        }
        for part in self.parts.values():
            if part.is_xml:
                self._admit(part.markup, part.name)

    @cached_property
    def main(self) -> Part:
        """The part that the package's officeDocument relationship points at."""
        for rel in self.relationships("").values():
            if rel.type == "officeDocument" and not rel.external and rel.target in self.parts:
                return self.parts[rel.target]
        if self.relationships("") and not any(rel.type == "officeDocument" for rel in self.relationships("").values()):
            raise Unreadable(FindingCode.ARTIFACT_WRONG_TYPE, "the package is no office document", "/_rels/.rels")
        raise damaged("no officeDocument relationship leads to a part", "/_rels/.rels")

    def relationships(self, source: str) -> Mapping[str, Relationship]:
        """Relationships of a part by id, in the order written; of the package itself for `""`."""
        if source not in self._relationships:
            self._relationships[source] = self._read_relationships(source)
        return self._relationships[source]

    def member_data(self, name: str) -> bytes:
        """Bytes of any member by part name, relationship parts and `[Content_Types].xml` included; KeyError if absent."""
        return self._inflate(self._members[name])

    @property
    def member_names(self) -> list[str]:
        """Names of all members, sorted."""
        return sorted(self._members)

    def _read_content_types(self) -> _ContentTypes:
        member = self._members.get(self._folded.get(_CONTENT_TYPES, ""))
        if member is None:
            raise Unreadable(FindingCode.ARTIFACT_WRONG_TYPE, "the archive holds no [Content_Types].xml: it is not an OOXML package")
        root = self._read_xml(self._inflate(member), "/[Content_Types].xml")
        defaults = {}
        overrides = {}
        for element in root.iter("{*}Default", "{*}Override"):
            if element.tag.endswith("}Default"):
                defaults[(element.get("Extension") or "").lower()] = element.get("ContentType") or ""
            else:
                overrides[_part_name(element.get("PartName") or "").lower()] = element.get("ContentType") or ""
        return _ContentTypes(defaults, overrides)

    def _read_relationships(self, source: str) -> Mapping[str, Relationship]:
        folder, _, leaf = source.rpartition("/")
        name = f"{folder}/_rels/{leaf}.rels"
        member = self._members.get(self._folded.get(unquote(name).lower(), name))
        if member is None:
            return {}
        out: dict[str, Relationship] = {}
        for element in self._read_xml(self._inflate(member), name).iter("{*}Relationship"):
            external = element.get("TargetMode") == "External"
            target = element.get("Target") or ""
            if not external:
                target = self._resolve_target(folder, target)
            full_type = element.get("Type") or ""
            relationship_id = element.get("Id") or ""
            out[relationship_id] = Relationship(relationship_id, _short_type(full_type), target, external, full_type)
        return out

    def _resolve_target(self, folder: str, target: str) -> str:
        path = target.partition("#")[0].replace("\\", "/")
        joined = path if path.startswith("/") else posixpath.normpath(f"{folder or '/'}/{path}")
        joined = posixpath.normpath("/" + joined.lstrip("/"))
        return joined if joined in self._members else self._folded.get(unquote(joined).lower(), joined)

    def _inflate(self, member: Member) -> bytes:
        return inflate(self._archive, member, self.limits)

    def _admit(self, data: bytes, name: str) -> bytes:
        """XML in UTF-8, counted before a tree is built; raises Unreadable for what no part may hold."""
        if b"<!DOCTYPE" in data and _has_doctype(data):
            raise limit("a document type declaration, which OOXML forbids", name)
        limits = self.limits
        elements = data.count(b"<") - data.count(b"</")
        self._elements += elements
        if elements > limits.elements:
            raise limit(f"more than {limits.elements} elements in one part", name)
        if self._elements > limits.total_elements:
            raise limit(f"more than {limits.total_elements} elements in all parts", name)
        if data.count(b'="') + data.count(b"='") > limits.elements + limits.elements // 2:
            raise limit(f"more than {limits.elements + limits.elements // 2} attributes in one part", name)
        return data

    def _parse(self, part: Part) -> etree._Element:
        return _parse_utf8(part.markup, part.name, loose=part.content_type.lower().endswith(_LOOSE_XML))

    def _read_xml(self, data: bytes, name: str) -> etree._Element:
        return _parse_utf8(self._admit(_as_utf8(data, name), name), name)


@dataclass(frozen=True, slots=True)
class _ContentTypes:
    defaults: Mapping[str, str]
    overrides: Mapping[str, str]

    def __call__(self, name: str) -> str:
        override = self.overrides.get(name.lower())
        if override is not None:
            return override
        leaf = name.rpartition("/")[2]
        return self.defaults.get(leaf.rpartition(".")[2].lower(), "") if "." in leaf else ""


def inner_limits(limits: Limits) -> Limits:
    """Limits for a package inside a package: a quarter of what the outer one may hold, so that nesting does not multiply."""
    return replace(
        limits,
        part_bytes=limits.part_bytes // 4,
        total_bytes=limits.total_bytes // 4,
        elements=limits.elements // 4,
        total_elements=limits.total_elements // 4,
    )


def open_package(data: bytes, limits: Limits = DEFAULT_LIMITS) -> Package:
    """Open the bytes of an OOXML file.

    Raises Unreadable: not a zip archive, no package, encrypted, damaged, or a limit of `limits` broken (with its name).
    Not checked: whether parts are valid against the schemas.
    """
    return Package(data, limits)


def _check_kind(data: bytes, limits: Limits) -> None:
    if len(data) > limits.file_bytes:
        raise limit(f"the file holds more than {limits.file_bytes} bytes")
    if data.startswith(_OLE2_MAGIC):
        if "EncryptedPackage".encode("utf-16-le") in data:
            raise Unreadable(FindingCode.ARTIFACT_ENCRYPTED, "the file is protected by a password (OLE2 container with an EncryptedPackage)")
        raise Unreadable(FindingCode.ARTIFACT_WRONG_TYPE, "the file is an OLE2 container (a binary format before 2007), not an OOXML package")
    if not data.strip(b"\0 \t\r\n"):
        raise damaged("the file is empty")
    if not data.startswith(_ZIP_MAGIC):
        raise Unreadable(FindingCode.ARTIFACT_WRONG_TYPE, "the file is no zip archive")


def _as_utf8(data: bytes, name: str) -> bytes:
    """XML as UTF-8 without byte order mark, from the encoding its first bytes or its declaration name.

    The parser is told that it gets UTF-8, so what is looked at here is what it sees.
    """
    if data.startswith(b"\xef\xbb\xbf"):
        return data[3:]
    encoding = next((found for mark, found in _MARKS if data.startswith(mark)), None)
    if encoding is None:
        match = _DECLARATION.match(data[:400])
        if match is None:
            return data
        try:
            encoding = codecs.lookup(match.group(1).decode("ascii")).name
        except (LookupError, ValueError):
            encoding = ""
        # UTF-16 would not have shown itself as plain letters: the declaration is wrong, as parsers agree.
        if encoding in {"utf-8", "ascii", "utf-16"}:
            return data
        if encoding not in _ENCODINGS:
            encoding = ""
    if not encoding:
        raise damaged("encoded neither in UTF-8 nor in UTF-16", name)
    try:
        return data.decode(encoding).lstrip("\ufeff").encode("utf-8")
    except UnicodeError as error:
        raise damaged(f"not {encoding}: {error}", name) from error


def _has_doctype(data: bytes) -> bool:
    """Whether a document type declaration stands before the root element, the only place where it is one."""
    position = 0
    while True:
        while data[position : position + 1].isspace():
            position += 1
        if data.startswith(b"<?", position):
            end = data.find(b"?>", position)
        elif data.startswith(b"<!--", position):
            end = data.find(b"-->", position + 4)
        else:
            return data.startswith(b"<!", position)
        if end < 0:
            return True
        position = end + (3 if data.startswith(b"<!--", position) else 2)


def _parse_utf8(data: bytes, name: str, *, loose: bool = False) -> etree._Element:
    if b"purl.oclc.org/ooxml" in data:
        data = _STRICT_PATTERN.sub(_to_transitional, data.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
    try:
        root = etree.fromstring(data, _new_parser(recover=False))
    except (etree.XMLSyntaxError, ValueError) as error:
        # libxml2's own bounds (256 levels, 10 MB in one text) count things too, so they are limits and not damage.
        if re.search("depth|huge|too long|limit", str(error), re.IGNORECASE):
            raise limit(f"elements nested too deep or one text too long: {error}", name) from error
        found = _parse_leniently(data) if loose else None
        if found is None:
            raise damaged(f"not well-formed XML: {error}", name) from error
        root = found
    if (loose or _has_long_tag(data)) and any(len(element.attrib) > MAX_ATTRIBUTES for element in root.iter()):
        raise limit(f"more than {MAX_ATTRIBUTES} attributes in one element", name)
    return root


def _has_long_tag(data: bytes) -> bool:
    """Whether a stretch between two `<` may hold more attributes than one element may have.

    Steps over as much as so many attributes take at least, so that it costs nothing next to parsing.
    """
    shortest = MAX_ATTRIBUTES * len(b' a=""')
    position = 0
    while position + shortest < len(data):
        following = data.rfind(b"<", position + 1, position + shortest)
        if following < 0:
            end = data.find(b"<", position + shortest)
            following = end if end >= 0 else len(data)
            if data.count(b"=", position, following) > MAX_ATTRIBUTES:
                return True
        position = following
    return False


def _parse_leniently(data: bytes) -> etree._Element | None:
    """What a forgiving parser makes of markup, or None where it finds no element at all."""
    try:
        root: etree._Element | None = etree.fromstring(data, _new_parser(recover=True))
    except (etree.XMLSyntaxError, ValueError):
        return None
    return root


def _new_parser(*, recover: bool) -> etree.XMLParser:
    return etree.XMLParser(
        encoding="utf-8",
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
        collect_ids=False,
        recover=recover,
    )


def _to_transitional(match: re.Match[str]) -> str:
    path = match.group(1)
    known = _TRANSITIONAL.get(path)
    if known is not None:
        return known
    if path.startswith("officeDocument/relationships/"):
        return NS_R + path.removeprefix("officeDocument/relationships")
    return match.group()


#: Strict spells two relationship types unlike Transitional.
_SHORT_TYPES = {"extendedProperties": "extended-properties", "customProperties": "custom-properties"}


def _short_type(full_type: str) -> str:
    short = full_type.rpartition("/")[2]
    return _SHORT_TYPES.get(short, short)


def _part_name(member: str) -> str:
    return "/" + member.lstrip("/")


def _is_relationships(name: str) -> bool:
    return name.lower().endswith(".rels") and "/_rels/" in name.lower()
