"""How much of each part is in facts, compared raw, or volatile."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from docops.core.document import Coverage
from docops.formats.docx.names import ALTERNATE, FALLBACK, VOLATILE_ATTRIBUTES, VOLATILE_ELEMENTS, M, V, W
from docops.formats.docx.settings import VOLATILE_SETTINGS
from docops.formats.ooxml.common import property_parts
from docops.formats.ooxml.package import Part

if TYPE_CHECKING:
    from docops.formats.docx.document import DocxDocument

_MODELLED_NAMESPACES = (W, M, "{http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing}", "{http://schemas.openxmlformats.org/drawingml/2006/main}blip",
                        "{http://schemas.openxmlformats.org/drawingml/2006/picture}")  # fmt: skip


def coverage(document: DocxDocument) -> Sequence[Coverage]:
    """One row for each part of the package, relationships and content types included."""
    package = document.package
    modelled = {*document._modelled, *property_parts(package)}
    volatile_parts = {rel.target for rel in package.relationships("").values() if rel.type == "thumbnail"}
    id_parts = {part.name for kind in ("commentsIds", "commentsExtensible") for part in document.shared.main.related(kind)}
    drawn = {rel.target for name in modelled for rel in package.relationships(name).values() if not rel.external} - modelled
    out = []
    for name, part in sorted(package.parts.items()):
        size = len(part.data)
        if name in volatile_parts or name in id_parts:
            out.append(Coverage(name, size, 0, 0, 1))
        elif name in modelled and part.is_xml:
            out.append(Coverage(name, size, *_counts(part)))
        elif name in drawn and not part.is_xml:
            out.append(Coverage(name, size, 1, 0, 0))
        else:
            out.append(Coverage(name, size, 0, sum(1 for _ in part.xml.iter()) if part.is_xml else 1, 0))
    # Relationships and content types are resolved: what they lead to stands in their place.
    return out + [Coverage(name, len(package.member_data(name)), 1, 0, 0) for name in package.member_names if name not in package.parts]


def _counts(part: Part) -> tuple[int, int, int]:
    modelled = raw = volatile = 0
    for element in part.xml.iter():
        tag = str(element.tag)
        local = tag.rpartition("}")[2]
        attributes = len(element.attrib)
        unseen = sum(1 for name in element.attrib if name in VOLATILE_ATTRIBUTES or f"{tag}@{name!s}" in VOLATILE_ATTRIBUTES)
        volatile += unseen
        if tag in VOLATILE_ELEMENTS or (element.getparent() is part.xml and local in VOLATILE_SETTINGS):
            volatile += 1 + attributes - unseen
        elif tag.startswith(_MODELLED_NAMESPACES) and tag not in {ALTERNATE, FALLBACK} and not tag.startswith(V):
            modelled += 1 + attributes - unseen
        else:
            raw += 1 + attributes - unseen
    return modelled, raw, volatile
