"""Rewrites of OOXML packages after which the document means the same: zip, XML and package serialisation."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from lxml import etree

from docops.core.operator import CorruptionClass, Operator, OperatorExample
from docops.operators.archive import Archive, make_member
from docops.operators.ooxml_file import OoxmlFile, Place, attributes, local_name, place_operator, write_xml
from docops.operators.samples import sample_document, sample_presentation, sample_workbook

BENIGN = CorruptionClass.BENIGN
OOXML = ("xlsx", "docx", "pptx")
EXAMPLES = (
    OperatorExample("a workbook", sample_workbook),
    OperatorExample("a text document", sample_document),
    OperatorExample("a presentation", sample_presentation),
)
_REL_ATTRIBUTE = re.compile(r"\{(http://schemas\.openxmlformats\.org/officeDocument/2006/relationships|http://purl\.oclc\.org/ooxml/officeDocument/relationships)\}")
_O_RELID = "{urn:schemas-microsoft-com:office:office}relid"


def _whole(file: OoxmlFile) -> list[Place]:
    return [Place("", "", etree.Element("none"))]


def benign_operator(
    name: str,
    find: Callable[[OoxmlFile], Iterable[Place]] = _whole,
    *,
    examples: Sequence[OperatorExample] = EXAMPLES,
) -> Callable[[Callable[[OoxmlFile, Place], str | None]], Operator]:
    """Make a benign operator on OOXML packages of any format."""
    return place_operator(OoxmlFile, OOXML, name, BENIGN, find, examples=examples)


@benign_operator("ooxml.zip-stored")
def zip_stored(file: OoxmlFile, place: Place) -> str:
    """The package is packed without compression."""
    return _repack(file, 0)


@benign_operator("ooxml.zip-best-compression")
def zip_best(file: OoxmlFile, place: Place) -> str:
    """The package is packed with the strongest compression."""
    return _repack(file, 9)


def _repack(file: OoxmlFile, level: int) -> str:
    for name in file.parts:
        # A picture that inflates to more than 200 times its size would break readers' limits, not the rewrite.
        file.archive.members[name] = make_member(name, file.archive.read(name), level=level)
    return f"compression level {level}"


@benign_operator("ooxml.zip-reordered")
def zip_reordered(file: OoxmlFile, place: Place) -> str:
    """The members of the package stand in another order."""
    names = [name for name in file.parts if name != "[Content_Types].xml"]
    order = ["[Content_Types].xml", *reversed(names)]
    file.archive.members = {name: file.archive.members[name] for name in order if name in file.archive}
    return "reversed"


def xml_parts(file: OoxmlFile) -> list[str]:
    """The XML parts of a package that office programs write themselves."""
    return [
        name
        for name in file.parts
        if name.endswith((".xml", ".rels")) and not name.startswith("customXml/") and not name.lower().endswith(".vml") and _is_xml(file, name)
    ]


def _is_xml(file: OoxmlFile, name: str) -> bool:
    try:
        file.xml(name)
    except etree.XMLSyntaxError:
        return False
    return True


@benign_operator("ooxml.attributes-reordered")
def attributes_reordered(file: OoxmlFile, place: Place) -> str:
    """The attributes of every element stand in the reverse order."""
    for name in xml_parts(file):
        for element in file.edit(name).iter("{*}*", "*"):
            items = attributes(element)
            if len(items) > 1:
                for key, _ in items:
                    del element.attrib[key]
                for key, value in reversed(items):
                    element.set(key, value)
    return "reversed"


@benign_operator("ooxml.white-space-between-elements")
def white_space(file: OoxmlFile, place: Place) -> str:
    """The XML is indented wherever white space means nothing."""
    for name in xml_parts(file):
        for element in file.edit(name).iter("{*}*", "*"):
            if len(element) == 0 or not _structural(element):
                continue
            element.text = "\n  "
            for child in element:
                child.tail = "\n  "
    return "indented"


def _structural(element: etree._Element) -> bool:
    if local_name(element) in {"t", "instrText", "delText", "v", "f", "text", "is"}:
        return False
    if element.get("{http://www.w3.org/XML/1998/namespace}space") == "preserve":
        return False
    return not (element.text or "").strip() and not any((child.tail or "").strip() for child in element)


@benign_operator("ooxml.prefixes-renamed")
def prefixes_renamed(file: OoxmlFile, place: Place) -> str:
    """The namespace prefixes of the XML parts are others."""
    for name in xml_parts(file):
        root = file.xml(name)
        raw = file.archive.read(name)
        if b"Ignorable" in raw or b"xsi:type" in raw or b"Requires" in raw or b"ProcessContent" in raw:
            continue
        mapping = {f"n{number}": uri for number, uri in enumerate(root.nsmap.values(), 1)}
        new = etree.Element(root.tag, dict(attributes(root)), nsmap=mapping)
        new.text = root.text
        for child in list(root):
            new.append(child)
        etree.cleanup_namespaces(new, top_nsmap=mapping)
        file.put(name, write_xml(new))
    return "n1, n2, …"


@benign_operator("ooxml.comments-and-declaration")
def comments_inserted(file: OoxmlFile, place: Place) -> str:
    """The XML parts are declared in another way and begin with an XML comment."""
    for name in xml_parts(file):
        if name.endswith(".rels") or name == "[Content_Types].xml":
            continue
        body = etree.tostring(file.xml(name), encoding="unicode")
        file.put(name, b"<?xml version='1.0' encoding='utf-8'?>\n<!-- written by another program -->\n" + body.encode("utf-8"))
    return "<!-- … -->"


@benign_operator("ooxml.utf-16", lambda file: [Place("", file.main, file.xml(file.main), file.main)])
def utf_16(file: OoxmlFile, place: Place) -> str:
    """The main part is encoded in UTF-16."""
    body = etree.tostring(place.element, encoding="unicode")
    file.put(place.part, ("<?xml version='1.0' encoding='UTF-16' standalone='yes'?>" + body).encode("utf-16"))
    return "UTF-16"


@benign_operator("ooxml.relationship-ids-renumbered")
def relationship_ids(file: OoxmlFile, place: Place) -> str:
    """Relationships get other ids, in the parts and where they are used."""
    for name in [name for name in file.parts if name.endswith(".rels")]:
        folder, _, leaf = name.rpartition("_rels/")
        source = folder + leaf.removesuffix(".rels")
        if source not in file.archive and source:
            continue
        if source and (not source.endswith((".xml", ".vml")) or not _is_xml(file, source)):
            continue
        mapping = {}
        for number, element in enumerate(file.edit(name), 1):
            mapping[element.get("Id") or ""] = f"relationship{number * 7}"
            element.set("Id", f"relationship{number * 7}")
        if not source:
            continue
        for element in file.edit(source).iter("{*}*", "*"):
            for key, value in attributes(element):
                if (_REL_ATTRIBUTE.match(key) or key == _O_RELID) and value in mapping:
                    element.set(key, mapping[value])
    return "relationship7, …"


@benign_operator("ooxml.relationships-reordered")
def relationships_reordered(file: OoxmlFile, place: Place) -> str:
    """The relationships of every part are listed in another order, with absolute targets."""
    for name in [name for name in file.parts if name.endswith(".rels")]:
        folder, _, leaf = name.rpartition("_rels/")
        source = folder + leaf.removesuffix(".rels")
        root = file.edit(name)
        targets = {rel.id: rel for rel in file.rels(source)}
        for element in root:
            rel = targets[element.get("Id") or ""]
            if not rel.external and rel.target in file.archive:
                element.set("Target", "/" + rel.target)
        root[:] = sorted(root, key=lambda e: (e.get("Type") or "", e.get("Id") or ""), reverse=True)
    return "sorted, absolute"


@benign_operator("ooxml.content-types-reordered")
def content_types(file: OoxmlFile, place: Place) -> str:
    """Content types are listed in another order, each part with its own entry."""
    parts = [n for n in file.parts if not n.endswith(".rels") and n != "[Content_Types].xml"]
    types = {name: file.content_type(name) for name in parts}
    for name, content_type in types.items():
        file.set_content_type(name, content_type)
    root = file.edit("[Content_Types].xml")
    root[:] = sorted(root, key=lambda e: (local_name(e) != "Default", e.get("PartName") or e.get("Extension") or ""))
    return "every part"


@benign_operator("ooxml.part-names-renumbered")
def part_names(file: OoxmlFile, place: Place) -> str:
    """Parts get other names; relationships and content types follow."""
    keep = {file.main, "[Content_Types].xml"}
    names: dict[str, str] = {}
    for number, name in enumerate([n for n in file.parts if not n.endswith(".rels") and n not in keep], 1):
        folder, _, leaf = name.rpartition("/")
        stem, dot, extension = leaf.rpartition(".")
        if folder.startswith("customXml") or not stem:
            continue
        names[name] = f"{folder}/{re.sub(r'[0-9]+$', '', stem)}{900 + number}{dot}{extension}".lstrip("/")
    return rename_parts(file, names)


def rename_parts(file: OoxmlFile, names: dict[str, str]) -> str:
    """Give parts other names, with everything that refers to them."""
    for name in [name for name in file.parts if name.endswith(".rels")]:
        folder, _, leaf = name.rpartition("_rels/")
        source = folder + leaf.removesuffix(".rels")
        targets = {rel.id: rel for rel in file.rels(source)}
        for element in file.edit(name):
            rel = targets[element.get("Id") or ""]
            if not rel.external and rel.target in names:
                element.set("Target", "/" + names[rel.target])
    for element in file.edit("[Content_Types].xml"):
        part = (element.get("PartName") or "").lstrip("/")
        if part in names:
            element.set("PartName", "/" + names[part])
    data = file.save()
    archive = Archive(data)
    archive.rename({**names, **{file.rels_part(old): file.rels_part(new) for old, new in names.items()}})
    file.archive = archive
    file._trees.clear()
    file._edited.clear()
    return f"{len(names)} parts renamed"


def _properties(file: OoxmlFile) -> list[Place]:
    return [Place("", part, file.xml(part)) for part in file.related("", "core-properties") + file.related("", "metadata/core-properties")][:1]


@benign_operator("ooxml.saved-later", _properties)
def saved_later(file: OoxmlFile, place: Place) -> str:
    """The file was saved later, by somebody else: modification time, last author, revision number, statistics."""
    namespace = "{http://schemas.openxmlformats.org/package/2006/metadata/core-properties}"
    for element in place.element:
        if local_name(element) == "modified":
            element.text = "2031-05-06T07:08:09Z"
    for name, text in (("lastModifiedBy", "Somebody Else"), ("revision", "41")):
        found = place.element.find(namespace + name)
        if found is None:
            found = etree.SubElement(place.element, namespace + name)
        found.text = text
    for part in file.related("", "extended-properties"):
        for element in file.edit(part):
            if local_name(element) in {"TotalTime", "Words", "Characters", "Pages", "Lines", "Paragraphs", "CharactersWithSpaces"}:
                element.text = "77"
    return "2031-05-06"


@benign_operator(
    "ooxml.thumbnail-dropped",
    lambda file: [Place("", "", file.xml("[Content_Types].xml"), rel.target) for rel in file.rels("") if rel.type == "thumbnail"],
    examples=EXAMPLES[1:],
)
def thumbnail_dropped(file: OoxmlFile, place: Place) -> str:
    """The preview picture, which every program makes anew, is gone."""
    for rel in file.rels(""):
        if rel.type == "thumbnail":
            file.drop_rel("", rel.id)
    return "no preview"


OPERATORS: tuple[Operator, ...] = tuple(value for value in list(globals().values()) if isinstance(value, Operator))
