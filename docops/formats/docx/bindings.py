"""Content controls that show a value of a custom XML part or of a document property (ISO 29500-1, 17.5.2.6)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from lxml import etree

from docops.core.document import Stale
from docops.formats.docx import controls
from docops.formats.docx.document import DocxDocument
from docops.formats.docx.names import SDT, SDT_CONTENT, P, T, W, is_on
from docops.formats.docx.story import Story
from docops.formats.ooxml.package import Part

BINDING = W + "dataBinding"
#: Store ids of the document's properties → the relationship of their part.
_PROPERTY_STORES = {
    "{6C3C8BC8-F283-45AE-878A-BAB7291924A1}": "core-properties",
    "{6668398D-A668-4E3E-A5EB-62B293D839F1}": "extended-properties",
}
_STEP = re.compile(r"/(?:([\w.-]+):)?([\w.-]+)(?:\[(\d+)\])?")
_PATH = re.compile(rf"(?:{_STEP.pattern})+(?:/@[\w:.-]+)?")
_MAPPING = re.compile(r"xmlns:([\w.-]+)=(?:'([^']*)'|\"([^\"]*)\")")


def bound_results(document: DocxDocument) -> Iterator[Stale]:
    """Controls that show another value than the one that they are bound to; programs show the stored one on opening."""
    stores: dict[str, Part] | None = None
    for story in document.placed_stories():
        for binding in story.root.iter(BINDING):
            properties = binding.getparent()
            sdt = properties.getparent() if properties is not None else None
            if sdt is None or sdt.tag != SDT:
                continue
            stores = _stores(document) if stores is None else stores
            stored = _stored(stores, binding)
            shown = _shown(sdt)
            if stored is not None and shown is not None and _same(stored) != _same(shown):
                yield Stale(_address(story, sdt), "bound value", shown, stored)


def _address(story: Story, sdt: etree._Element) -> str:
    inner = sdt.find(SDT_CONTENT)
    paragraph = next(sdt.iterancestors(P), None)
    if paragraph is None and inner is not None:
        paragraph = next(inner.iter(P), None)
    return story.addresses.get(paragraph, "") if paragraph is not None else ""


def _stores(document: DocxDocument) -> dict[str, Part]:
    """Store id → the XML part."""
    package = document.package
    out: dict[str, Part] = {}
    for store, kind in _PROPERTY_STORES.items():
        for rel in package.relationships("").values():
            if rel.type == kind and rel.target in package.parts:
                out[store] = package.parts[rel.target]
    for part in document.shared.main.related("customXml"):
        for described in part.related("customXmlProps"):
            item = next((str(value) for name, value in described.xml.attrib.items() if str(name).endswith("}itemID")), "") if described.is_xml else ""
            if item and part.is_xml:
                out[item.upper()] = part
    return out


def _stored(stores: Mapping[str, Part], binding: etree._Element) -> str | None:
    """The value that a binding's path names; None where nothing says which."""
    path = binding.get(W + "xpath") or ""
    part = stores.get((binding.get(W + "storeItemID") or "").upper())
    if part is None or not _PATH.fullmatch(path):
        return None
    prefixes = {name: single or double for name, single, double in _MAPPING.findall(binding.get(W + "prefixMappings") or "")}
    elements, _, attribute = path.partition("/@")
    current: list[etree._Element] = []
    for n, (prefix, name, number) in enumerate(_STEP.findall(elements)):
        tag = f"{{{prefixes[prefix]}}}{name}" if prefix in prefixes else name
        following = [part.xml] if n == 0 else [child for element in current for child in element]
        current = [element for element in following if element.tag == tag]
        if number:
            current = current[int(number) - 1 : int(number)]
    if not current:
        return None
    return current[0].get(attribute) if attribute else "".join(str(text) for text in current[0].itertext())


def _shown(sdt: etree._Element) -> str | None:
    """What a control shows, as it would be stored; None for controls whose value is stored in another form."""
    properties, inner = sdt.find(W + "sdtPr"), sdt.find(SDT_CONTENT)
    if properties is None or inner is None or is_on(properties.find(W + "showingPlcHdr")):
        return None
    box = controls.check_box(sdt)
    if box is not None:
        return "true" if controls.checked(box) else "false"
    text = "".join(piece.text or "" for piece in inner.iter(T))
    for name in ("dropDownList", "comboBox"):
        choice = properties.find(W + name)
        if choice is not None:
            items = {item.get(W + "displayText") or item.get(W + "value") or "": item.get(W + "value") or "" for item in choice.iterchildren(W + "listItem")}
            return items.get(text, text)
    return text if properties.find(W + "text") is not None else None


def _same(text: str) -> str:
    folded = " ".join(text.split())
    return {"1": "true", "0": "false"}.get(folded, folded)
