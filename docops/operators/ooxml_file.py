"""OOXML packages as operators edit them: parts, relationships and content types, changed together so that the file stays valid."""

from __future__ import annotations

import itertools
import posixpath
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from lxml import etree

from docops.core.operator import (
    ApplyFunction,
    CorruptionClass,
    Mutation,
    MutationInput,
    Operator,
    OperatorExample,
    Site,
    SitesFunction,
    operator,
)
from docops.operators.archive import Archive

REL_NS = "http://schemas.openxmlformats.org/package/2006/relationships"
TYPES_NS = "http://schemas.openxmlformats.org/package/2006/content-types"
R_NS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
A_NS = "http://schemas.openxmlformats.org/drawingml/2006/main"
C_NS = "http://schemas.openxmlformats.org/drawingml/2006/chart"
A = f"{{{A_NS}}}"
C = f"{{{C_NS}}}"
R = f"{{{R_NS}}}"

_PARSER = etree.XMLParser(resolve_entities=False, no_network=True, remove_blank_text=False)


def parse_xml(data: bytes) -> etree._Element:
    """The root of an XML part."""
    return etree.fromstring(data, _PARSER)


def write_xml(root: etree._Element) -> bytes:
    """An XML part as office programs write it: UTF-8, declared, standalone."""
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True)


def local_name(element: etree._Element) -> str:
    """The element's name without its namespace; "" for comments and processing instructions."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def attributes(element: etree._Element) -> list[tuple[str, str]]:
    """The attributes with their qualified names, in the order written."""
    return [(str(key), str(value)) for key, value in element.items()]


def unset(element: etree._Element, name: str) -> None:
    """Remove an attribute; nothing happens where there is none."""
    if name in element.attrib:
        del element.attrib[name]


def shorten(text: str, limit: int = 80) -> str:
    """One line of at most `limit` characters."""
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def remove_element(element: etree._Element) -> None:
    """Take an element out; the text behind it stays."""
    parent = element.getparent()
    if parent is None:
        return
    tail = element.tail or ""
    previous = element.getprevious()
    if tail.strip():
        if previous is not None:
            previous.tail = (previous.tail or "") + tail
        else:
            parent.text = (parent.text or "") + tail
    parent.remove(element)


@dataclass(frozen=True, slots=True)
class Rel:
    """One relationship: id, last step of the type, part name (or URL where external)."""

    id: str
    type: str
    target: str
    external: bool


class OoxmlFile:
    """An OOXML file being edited. `xml` reads a part, `edit` reads one that will be written back."""

    def __init__(self, data: bytes, given: MutationInput | None = None) -> None:
        self.archive = Archive(data)
        self.input = given or MutationInput(siblings={})
        self._trees: dict[str, etree._Element] = {}
        self._edited: set[str] = set()

    @property
    def parts(self) -> list[str]:
        """Names of the members (without a leading slash), in the order stored."""
        return self.archive.names

    def xml(self, part: str) -> etree._Element:
        """The root of a part; the same object at every call."""
        if part not in self._trees:
            self._trees[part] = parse_xml(self.archive.read(part))
        return self._trees[part]

    def edit(self, part: str) -> etree._Element:
        """The root of a part that will be written back."""
        self._edited.add(part)
        return self.xml(part)

    def put(self, part: str, data: bytes) -> None:
        """Write a part's bytes."""
        self._trees.pop(part, None)
        self._edited.discard(part)
        self.archive.write(part, data)

    def save(self) -> bytes:
        """The file with every edited part written back."""
        for part in sorted(self._edited):
            if part in self.archive:
                self.archive.write(part, write_xml(self._trees[part]))
        return self.archive.to_bytes()

    @staticmethod
    def rels_part(part: str) -> str:
        """Name of a part's relationships part."""
        folder, _, leaf = part.rpartition("/")
        return f"{folder}/_rels/{leaf}.rels" if folder else f"_rels/{leaf}.rels"

    def rels(self, part: str) -> list[Rel]:
        """The relationships of a part ("" for the package), in the order written."""
        name = self.rels_part(part)
        if name not in self.archive:
            return []
        folder = part.rpartition("/")[0]
        out = []
        for element in self.xml(name):
            if local_name(element) != "Relationship":
                continue
            external = element.get("TargetMode") == "External"
            target = element.get("Target") or ""
            if not external:
                target = posixpath.normpath(posixpath.join("/" + folder, target)).lstrip("/")
            out.append(Rel(element.get("Id") or "", (element.get("Type") or "").rpartition("/")[2], target, external))
        return out

    def target(self, part: str, rel_id: str | None) -> str | None:
        """The part that a relationship id leads to, or None."""
        for rel in self.rels(part):
            if rel.id == rel_id and not rel.external and rel.target in self.archive:
                return rel.target
        return None

    def related(self, part: str, kind: str) -> list[str]:
        """The parts that relationships of a type lead to, in the order written."""
        return [rel.target for rel in self.rels(part) if rel.type == kind and not rel.external and rel.target in self.archive]

    @property
    def main(self) -> str:
        """Name of the main part."""
        return self.related("", "officeDocument")[0]

    def content_type(self, part: str) -> str:
        """The content type of a part."""
        extension = part.rpartition(".")[2].lower()
        default = ""
        for element in self.xml("[Content_Types].xml"):
            if element.get("PartName") == "/" + part:
                return element.get("ContentType") or ""
            if (element.get("Extension") or "").lower() == extension:
                default = element.get("ContentType") or ""
        return default

    def set_content_type(self, part: str, content_type: str) -> None:
        """State the content type of a part."""
        root = self.edit("[Content_Types].xml")
        for element in root:
            if element.get("PartName") == "/" + part:
                element.set("ContentType", content_type)
                return
        etree.SubElement(root, f"{{{TYPES_NS}}}Override", PartName="/" + part, ContentType=content_type)

    def add_part(self, part: str, data: bytes, content_type: str) -> None:
        """Add a part with its content type."""
        self.put(part, data)
        self.set_content_type(part, content_type)

    def add_rel(self, part: str, kind: str, target: str, *, external: bool = False) -> str:
        """Add a relationship (`kind`: last step of its type) and return its id."""
        name = self.rels_part(part)
        if name not in self.archive:
            self.archive.write(name, f'<Relationships xmlns="{REL_NS}"/>'.encode())
        root = self.edit(name)
        used = {element.get("Id") for element in root}
        rel_id = next(f"rId{n}" for n in itertools.count(1) if f"rId{n}" not in used)
        element = etree.SubElement(root, f"{{{REL_NS}}}Relationship", Id=rel_id, Type=f"{R_NS}/{kind}")
        element.set("Target", target if external else "/" + target)
        if external:
            element.set("TargetMode", "External")
        return rel_id

    def drop_rel(self, part: str, rel_id: str | None) -> None:
        """Remove a relationship; parts that nothing leads to any more go with it."""
        name = self.rels_part(part)
        if name not in self.archive:
            return
        root = self.edit(name)
        for element in list(root):
            if element.get("Id") == rel_id:
                root.remove(element)
        if len(root) == 0:
            self._edited.discard(name)
            self.archive.remove(name)
        self._collect()

    def _collect(self) -> None:
        reached: set[str] = set()
        queue = [""]
        while queue:
            for rel in self.rels(queue.pop()):
                if not rel.external and rel.target in self.archive and rel.target not in reached:
                    reached.add(rel.target)
                    queue.append(rel.target)
        kept = reached | {self.rels_part(part) for part in reached} | {"[Content_Types].xml", "_rels/.rels"}
        gone = [name for name in self.archive.names if name not in kept]
        for name in gone:
            self.archive.remove(name)
        types = self.edit("[Content_Types].xml") if gone else None
        if types is not None:
            for element in list(types):
                if (element.get("PartName") or "").lstrip("/") in gone:
                    types.remove(element)


@dataclass(slots=True)
class Place:
    """Where an operator acts, while the file is open.

    element: the XML element, in `part`.   more: whatever else the finder knows.   exact: False where the address names
    more than what the operator touches.   also: see `core.operator.Site`.   keys: more of the site's locator.
    """

    address: str
    part: str
    element: etree._Element
    before: str = ""
    more: Any = None
    exact: bool = True
    keys: tuple[str | int, ...] = ()
    also: tuple[str, ...] = ()


M = TypeVar("M", bound=OoxmlFile)
T = TypeVar("T")


_looked_at: OrderedDict[tuple[object, bytes, tuple[str, ...]], Any] = OrderedDict()


def opened_to_look(open_file: Callable[[bytes, MutationInput], T], data: bytes, given: MutationInput) -> T:
    """The opened file for finders, which change nothing; kept, so that sixty operators open a file once."""
    key = (open_file, data, tuple(given.texts))
    if key not in _looked_at:
        _looked_at[key] = open_file(data, given)
        while len(_looked_at) > 6:
            _looked_at.popitem(last=False)
    found: T = _looked_at[key]
    return found


def place_functions(
    open_file: Callable[[bytes, MutationInput], M], find: Callable[[M], Iterable[Place]], edit: Callable[[M, Place], str | None]
) -> tuple[SitesFunction, ApplyFunction]:
    """The `sites` and `apply` functions of an operator that edits one place in place.

    The edit returns an excerpt of what stands there afterwards.
    """

    def sites(data: bytes, given: MutationInput) -> Iterator[Site]:
        for number, place in enumerate(find(opened_to_look(open_file, data, given))):
            yield Site(place.address, (number, *place.keys), shorten(place.before), place.exact, place.also)

    def apply(data: bytes, site: Site, given: MutationInput) -> Mutation:
        file = open_file(data, given)
        place = next(itertools.islice(iter(find(file)), int(site.locator[0]), None))
        if place.part:
            file.edit(place.part)
        after = edit(file, place)
        return Mutation(file.save(), shorten(after or ""))

    return sites, apply


def place_operator(
    open_file: Callable[[bytes, MutationInput], M],
    formats: Sequence[str],
    name: str,
    corruption_class: CorruptionClass,
    find: Callable[[M], Iterable[Place]],
    *,
    aspects: Sequence[str] = (),
    breaks: Sequence[str] = (),
    effect: str = "change",
    tags: Sequence[str] = (),
    examples: Sequence[OperatorExample] = (),
) -> Callable[[Callable[[M, Place], str | None]], Operator]:
    """Make an operator of a finder and of an edit function, whose docstring's first line says what it does."""

    def make(edit: Callable[[M, Place], str | None]) -> Operator:
        sites, apply = place_functions(open_file, find, edit)
        apply.__doc__ = edit.__doc__
        make_operator = operator(
            name,
            corruption_class=corruption_class,
            sites=sites,
            formats=formats,
            tags=tags,
            examples=examples,
            aspects=aspects,
            breaks=breaks,
            effect=effect,
        )
        return make_operator(apply)

    return make
