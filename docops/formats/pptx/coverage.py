"""What share of each part of a presentation is modelled as facts, compared raw, or volatile."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lxml import etree

from docops.core.document import Coverage
from docops.formats.ooxml.canonical import VOLATILE_RELATIONSHIPS
from docops.formats.ooxml.common import property_parts
from docops.formats.pptx.deck import VOLATILE_ATTRIBUTES, VOLATILE_ELEMENTS, P

if TYPE_CHECKING:
    from docops.formats.pptx.document import PptxDocument

#: Elements that are compared in canonical form as a whole.
_RAW = ("extLst", "timing", "transition", "custDataLst", "modifyVerifier", "kinsoku", "photoAlbum", "embeddedFontLst", "scene3d", "sp3d")
#: Parts of the presentation that are no state.
_VOLATILE_PARTS = frozenset({"viewProps", "revisionInfo", "changesInfo"})


def document_coverage(document: PptxDocument) -> list[Coverage]:
    """One row for each part, relationships and content types included; counts are elements, attributes and texts, or 1 for a part that is no XML."""
    package = document.package
    modelled = document.modelled_parts() | set(property_parts(package))
    volatile = {rel.target for rel in document.deck.part.relationships.values() if rel.type in _VOLATILE_PARTS}
    volatile |= {rel.target for rel in package.relationships("").values() if rel.type in VOLATILE_RELATIONSHIPS}
    out = []
    for name in sorted(package.parts):
        part = package.parts[name]
        size = len(part.data)
        if name in volatile:
            out.append(Coverage(name, size, 0, 0, _count(part.xml) if part.is_xml else 1))
        elif not part.is_xml:
            out.append(Coverage(name, size, 1, 0, 0) if name not in modelled else Coverage(name, size, 0, 1, 0))
        elif name not in modelled:
            out.append(Coverage(name, size, 0, _count(part.xml), 0))
        else:
            out.append(Coverage(name, size, *_shares(part.xml)))
    # Relationships and content types are resolved: what they lead to stands in their place.
    out += [Coverage(name, len(package.member_data(name)), 1, 0, 0) for name in package.member_names if name not in package.parts]
    return out


def _count(root: etree._Element) -> int:
    return sum(1 + len(element.attrib) + bool(element.text and element.text.strip()) for element in root.iter() if isinstance(element.tag, str))


def _shares(root: etree._Element) -> tuple[int, int, int]:
    modelled = raw = volatile = 0
    work = [(root, False)]
    while work:
        element, inside = work.pop()
        if not isinstance(element.tag, str):
            continue
        if element.tag in VOLATILE_ELEMENTS:
            volatile += _count(element)
            continue
        inside = inside or element.tag.rpartition("}")[2] in _RAW
        own = 1 + bool(element.text and element.text.strip())
        for name in map(str, element.attrib):
            if f"{element.tag}@{name}" in VOLATILE_ATTRIBUTES or (element.tag == f"{P}cTn" and name == "id"):
                volatile += 1
            else:
                own += 1
        if inside:
            raw += own
        else:
            modelled += own
        work += [(child, inside) for child in element]
    return modelled, raw, volatile
