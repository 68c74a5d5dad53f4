"""Document properties: the information dictionary and the XMP packet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from docops.core.codes import Aspect
from docops.core.node import Align, Node, Value
from docops.formats.pdf.annotations import Facts
from docops.formats.pdf.graphics import short
from docops.formats.pdf.reading import Broken, Stream, as_text

if TYPE_CHECKING:
    from lxml.etree import _Element

    from docops.formats.pdf.model import Model

#: Written anew by every program that saves.
_VOLATILE_INFO = frozenset({"Producer", "ModDate"})
_RDF = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}"
_XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
_PREFIXES = {
    "http://purl.org/dc/elements/1.1/": "dc",
    "http://ns.adobe.com/xap/1.0/": "xmp",
    "http://ns.adobe.com/xap/1.0/mm/": "xmpMM",
    "http://ns.adobe.com/xap/1.0/rights/": "xmpRights",
    "http://ns.adobe.com/pdf/1.3/": "pdf",
    "http://ns.adobe.com/pdfx/1.3/": "pdfx",
    "http://www.aiim.org/pdfa/ns/id/": "pdfaid",
    "http://www.aiim.org/pdfua/ns/id/": "pdfuaid",
    "http://ns.adobe.com/photoshop/1.0/": "photoshop",
}
#: XMP properties that say what an entry of the information dictionary says.
_XMP_NAMES = {
    "dc:title": "Title", "dc:creator": "Author", "dc:description": "Subject", "pdf:Keywords": "Keywords", "xmp:CreatorTool": "Creator",
    "pdf:Trapped": "Trapped",
}  # fmt: skip
_VOLATILE_XMP = frozenset({"pdf:Producer", "xmp:ModifyDate", "xmp:CreateDate", "xmp:MetadataDate", "dc:format", "xmp:Thumbnails"})
_MAX_XMP = 5_000_000
_MAX_ELEMENTS = 100_000


def info_values(model: Model) -> dict[str, Value]:
    """Name → value of the information dictionary."""
    objects = model.objects
    out: dict[str, Value] = {}
    info = objects.get(objects.trailer.get("Info"))
    if isinstance(info, Broken):
        return {"unreadable": info.reason}
    for key, value in objects.dict_at(info).items():
        if key in _VOLATILE_INFO:
            continue
        text = as_text(objects.get(value))
        if text != "":
            out[key] = text if text is not None else model.canonical.value(value)
    return out


def xmp_values(model: Model) -> dict[str, Value]:
    """Name → value of the XMP packet."""
    stream = model.objects.at(model.objects.catalog, "Metadata")
    if stream is None:
        return {}
    if not isinstance(stream, Stream):
        return {"xmp": "unreadable"}
    out: dict[str, Value] = {}
    data, rest = stream.decode()
    root = _parse(data) if not rest and len(data) <= _MAX_XMP else None
    if root is None:
        return {"xmp": f"unreadable {short(data)}"}
    for description in root.iter(f"{_RDF}Description"):
        parent = description.getparent()
        if parent is None or parent.tag != f"{_RDF}RDF":
            continue
        for key, value in description.attrib.items():
            _add(out, str(key), str(value))
        for element in description:
            if isinstance(element.tag, str):
                _add(out, element.tag, _xmp_value(element))
    return out


def _add(out: dict[str, Value], tag: str, value: Value) -> None:
    namespace, _, local = tag.removeprefix("{").rpartition("}")
    if namespace == _RDF.strip("{}") or not namespace or namespace == "http://www.w3.org/XML/1998/namespace":
        return
    name = f"{_PREFIXES.get(namespace, namespace)}:{local}"
    if name in _VOLATILE_XMP or name.startswith("xmpMM:") or value in ("", []):
        return
    known = _XMP_NAMES.get(name, name)
    if isinstance(value, list) and len(value) == 1 and known in _XMP_NAMES.values():
        value = value[0]
    out[known] = value


def _xmp_value(element: _Element) -> Value:
    children = [child for child in element if isinstance(child.tag, str)]
    if not children:
        attributes = {str(key): str(value) for key, value in element.attrib.items() if key != _XML_LANG}
        text = (element.text or "").strip()
        return text if not attributes else [text, *(f"{key}={value}" for key, value in sorted(attributes.items()))]
    if len(children) == 1 and children[0].tag in {f"{_RDF}Alt", f"{_RDF}Bag", f"{_RDF}Seq"}:
        items: list[Value] = []
        for item in children[0]:
            language = item.get(_XML_LANG)
            value = _xmp_value(item)
            items.append(value if language in {None, "x-default"} else [str(language), value])
        return sorted(items, key=repr) if children[0].tag == f"{_RDF}Bag" else items
    return [[str(child.tag), _xmp_value(child)] for child in children]


def _parse(data: bytes) -> _Element | None:
    from lxml import etree

    if b"<!DOCTYPE" in data or b"<!ENTITY" in data or data.count(b"<") > _MAX_ELEMENTS:
        return None
    start, end = data.find(b"<"), data.rfind(b">")
    try:
        parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, remove_comments=True, remove_pis=True)
        return etree.fromstring(data[max(start, 0) : end + 1], parser)
    except (etree.XMLSyntaxError, ValueError):
        return None


def property_nodes(model: Model, root: Node) -> list[Node]:
    """One node a property, with what the dictionary and the XMP packet say."""
    info, xmp = info_values(model), xmp_values(model)
    out = []
    for name in sorted({*info, *xmp}):
        facts: Facts = {}
        if name in info:
            facts[Aspect.METADATA, "value"] = info[name]
        if name in xmp:
            facts[Aspect.METADATA, "xmp"] = xmp[name]
        out.append(Node(root, "property", name=name, align=Align.KEY, facts=facts))
    return out
