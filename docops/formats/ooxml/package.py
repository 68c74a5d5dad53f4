"""OOXML packages (ECMA-376 part 2): a gate before any parser, then parts, content types and relationships.

Strict packages (ISO 29500 Strict namespaces) are read as Transitional: namespaces and relationship types are mapped
before parsing, so that everything above sees one vocabulary.
"""

from __future__ import annotations

import io
import itertools
import posixpath
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import unquote

from lxml import etree

from docops.core.canonical import sha256
from docops.core.codes import FindingCode
from docops.core.errors import Unreadable
from docops.core.limits import DEFAULT_LIMITS, Limits

NS_RELATIONSHIPS = "http://schemas.openxmlformats.org/package/2006/relationships"
NS_CONTENT_TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
NS_R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"

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
_RELATIONSHIP_TYPES = (
    NS_R + "/",
    "http://schemas.openxmlformats.org/package/2006/relationships/",
    "http://schemas.microsoft.com/office/",
)

_ENTITY = re.compile(rb"<!(?:DOCTYPE|ENTITY)", re.IGNORECASE)
_OLE2_MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ZIP_MAGIC = (b"PK\x03\x04", b"PK\x05\x06")


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

    def __init__(self, package: Package, name: str, content_type: str, info: zipfile.ZipInfo) -> None:
        self.package = package
        self.name = name
        self.content_type = content_type
        self._info = info

    @cached_property
    def data(self) -> bytes:
        """The part's bytes as stored."""
        return self.package._inflate(self._info)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the bytes."""
        return sha256(self.data)

    @property
    def is_xml(self) -> bool:
        """Whether the content type or the ending says XML."""
        kind = self.content_type.partition(";")[0].strip().lower()
        return kind.endswith(("+xml", "/xml")) or (not kind and self.name.lower().endswith((".xml", ".rels")))

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
        self._zip = _open_archive(data, limits)
        self._inflated = 0
        self._elements = 0
        self._relationships: dict[str, Mapping[str, Relationship]] = {}
        self._members = {_part_name(info.filename): info for info in self._zip.infolist() if not info.is_dir()}
        self._folded = {name.lower(): name for name in self._members}
        types = self._content_types()
        self.parts: Mapping[str, Part] = {
            name: Part(self, name, types(name), info)
            for name, info in self._members.items()
            if name != "/[Content_Types].xml" and not _is_relationships(name)
        }

    @cached_property
    def main(self) -> Part:
        """The part that the package's officeDocument relationship points at."""
        for rel in self.relationships("").values():
            if rel.type == "officeDocument" and not rel.external and rel.target in self.parts:
                return self.parts[rel.target]
        raise Unreadable(FindingCode.ARTIFACT_UNREADABLE, "no officeDocument relationship leads to a part", "/_rels/.rels")

    def relationships(self, source: str) -> Mapping[str, Relationship]:
        """Relationships of a part by id, in the order written; of the package itself for `""`."""
        if source not in self._relationships:
            self._relationships[source] = self._read_relationships(source)
        return self._relationships[source]

    def relationship_parts(self) -> list[str]:
        """Names of the relationship parts, sorted."""
        return sorted(name for name in self._members if _is_relationships(name))

    def member_data(self, name: str) -> bytes:
        """Bytes of any member by part name, relationship parts and `[Content_Types].xml` included; KeyError if absent."""
        return self._inflate(self._members[name])

    @property
    def member_names(self) -> list[str]:
        """Names of all members, sorted."""
        return sorted(self._members)

    def _content_types(self) -> _ContentTypes:
        info = self._members.get("/[Content_Types].xml")
        if info is None:
            raise Unreadable(FindingCode.ARTIFACT_WRONG_TYPE, "the archive holds no [Content_Types].xml: it is not an OOXML package")
        root = self._parse_bytes(self._inflate(info), "/[Content_Types].xml")
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
        info = self._members.get(self._folded.get(name.lower(), name))
        if info is None:
            return {}
        out: dict[str, Relationship] = {}
        for element in self._parse_bytes(self._inflate(info), name).iter("{*}Relationship"):
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
        for candidate in (joined, unquote(joined)):
            if candidate in self._members:
                return candidate
            if candidate.lower() in self._folded:
                return self._folded[candidate.lower()]
        return joined

    def _inflate(self, info: zipfile.ZipInfo) -> bytes:
        limits = self.limits
        chunks: list[bytes] = []
        size = 0
        try:
            with self._zip.open(info) as stream:
                while chunk := stream.read(1 << 20):
                    size += len(chunk)
                    self._inflated += len(chunk)
                    if size > limits.part_bytes:
                        raise _limit(f"more than {limits.part_bytes} bytes in one part", info.filename)
                    if self._inflated > limits.total_bytes:
                        raise _limit(f"more than {limits.total_bytes} bytes inflated in all", info.filename)
                    if size > 1 << 20 and size > limits.ratio * max(info.compress_size, 1):
                        raise _limit(f"compressed more than {limits.ratio} to 1", info.filename)
                    chunks.append(chunk)
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError, struct.error) as error:
            raise Unreadable(FindingCode.ARTIFACT_UNREADABLE, f"cannot be inflated: {error}", info.filename) from error
        return b"".join(chunks)

    def _parse(self, part: Part) -> etree._Element:
        return self._parse_bytes(part.data, part.name)

    def _parse_bytes(self, data: bytes, name: str) -> etree._Element:
        data = _as_utf8(data, name)
        if _ENTITY.search(data):
            raise _limit("a document type declaration or entity, which OOXML forbids", name)
        count = data.count(b"<") - data.count(b"</")
        self._elements += count
        if count > self.limits.elements or self._elements > self.limits.total_elements:
            raise _limit(f"more than {self.limits.elements} elements", name)
        if b"purl.oclc.org/ooxml" in data:
            data = _STRICT_PATTERN.sub(_to_transitional, data.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
        parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, remove_comments=True, remove_pis=True)
        try:
            root = etree.fromstring(data, parser)
        except (etree.XMLSyntaxError, ValueError) as error:
            # libxml2's own bounds (256 levels, 10 MB in one text) count things too, so they are limits and not damage.
            if "xcessive depth" in str(error) or "huge" in str(error).lower():
                raise _limit(f"elements nested too deep or one text too long: {error}", name) from error
            raise Unreadable(FindingCode.ARTIFACT_UNREADABLE, f"not well-formed XML: {error}", name) from error
        return root


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


def open_package(data: bytes, limits: Limits = DEFAULT_LIMITS) -> Package:
    """Open the bytes of an OOXML file.

    Raises Unreadable: not a zip archive, no package, encrypted, damaged, or a limit of `limits` broken (with its name).
    Not checked: whether parts are valid against the schemas.
    """
    return Package(data, limits)


def _limit(message: str, where: str) -> Unreadable:
    return Unreadable(FindingCode.LIMIT_EXCEEDED, message, where)


def _open_archive(data: bytes, limits: Limits) -> zipfile.ZipFile:
    if len(data) > limits.file_bytes:
        raise _limit(f"the file holds more than {limits.file_bytes} bytes", "")
    if data.startswith(_OLE2_MAGIC):
        encrypted = "EncryptedPackage".encode("utf-16-le") in data
        if encrypted:
            raise Unreadable(FindingCode.ARTIFACT_ENCRYPTED, "the file is protected by a password (OLE2 container with an EncryptedPackage)")
        raise Unreadable(FindingCode.ARTIFACT_WRONG_TYPE, "the file is an OLE2 container (a binary format before 2007), not an OOXML package")
    if not data.startswith(_ZIP_MAGIC):
        code = FindingCode.ARTIFACT_WRONG_TYPE if data.strip() else FindingCode.ARTIFACT_UNREADABLE
        raise Unreadable(code, "the file is no zip archive" if data.strip() else "the file is empty")
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
        members = archive.infolist()
    except (zipfile.BadZipFile, struct.error, ValueError, OSError, NotImplementedError, IndexError, UnicodeDecodeError) as error:
        raise Unreadable(FindingCode.ARTIFACT_UNREADABLE, f"the zip archive is damaged: {error}") from error
    if len(members) > limits.entries:
        raise _limit(f"more than {limits.entries} members in the archive", "")
    _check_members(members, limits)
    return archive


def _check_members(members: list[zipfile.ZipInfo], limits: Limits) -> None:
    seen: set[str] = set()
    declared = 0
    for info in members:
        name = _part_name(info.filename)
        if ".." in name.split("/") or "\\" in info.filename or "\0" in info.filename or re.match(r"/?[A-Za-z]:", info.filename):
            raise Unreadable(FindingCode.ARTIFACT_UNREADABLE, "a member's name leaves the archive", info.filename)
        if name.lower() in seen:
            raise Unreadable(FindingCode.ARTIFACT_UNREADABLE, "two members have the same name, so what the file holds depends on the reader", info.filename)
        seen.add(name.lower())
        if info.flag_bits & 0x1:
            raise Unreadable(FindingCode.ARTIFACT_ENCRYPTED, "a member is encrypted", info.filename)
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise Unreadable(FindingCode.ARTIFACT_UNREADABLE, f"compression method {info.compress_type}; OOXML allows stored and deflate", info.filename)
        if info.file_size > limits.part_bytes:
            raise _limit(f"more than {limits.part_bytes} bytes in one part", info.filename)
        declared += info.file_size
    if declared > limits.total_bytes:
        raise _limit(f"more than {limits.total_bytes} bytes in all parts", "")
    extents = sorted((info.header_offset, info.compress_size, info.filename) for info in members)
    for (offset, size, name), (following, _, _) in itertools.pairwise(extents):
        if offset + 30 + size > following:
            raise Unreadable(FindingCode.ARTIFACT_UNREADABLE, "members overlap in the archive", name)


def _as_utf8(data: bytes, name: str) -> bytes:
    if data[:2] in (b"\xff\xfe", b"\xfe\xff") or data[:4] in (b"<\0?\0", b"\0<\0?"):
        encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else ("utf-16-le" if data[:1] == b"<" else "utf-16-be")
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError as error:
            raise Unreadable(FindingCode.ARTIFACT_UNREADABLE, f"not UTF-16: {error}", name) from error
        return re.sub(r"^(<\?xml[^>]*?)\s+encoding=([\"'])[^\"']*\2", r"\1", text.lstrip("\ufeff")).encode("utf-8")
    return data


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


def iter_parts_reachable(package: Package) -> Iterator[str]:
    """Names of the parts that relationships lead to from the package, each once, breadth first."""
    queue = [""]
    seen = {""}
    while queue:
        source = queue.pop(0)
        for rel in package.relationships(source).values():
            if not rel.external and rel.target in package.parts and rel.target not in seen:
                seen.add(rel.target)
                queue.append(rel.target)
                yield rel.target
