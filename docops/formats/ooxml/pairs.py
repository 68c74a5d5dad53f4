"""Two packages side by side: what is equal below the level of meaning need not be looked at."""

from __future__ import annotations

from lxml import etree

from docops.core.canonical import sha256
from docops.core.document import Document
from docops.core.errors import Unreadable
from docops.formats.ooxml.canonical import Canonicaliser, CanonicalRules
from docops.formats.ooxml.package import Package


def pair_documents(before: Document, after: Document) -> None:
    """`adopt_digests` for two documents that keep their package as `package`."""
    one, two = getattr(before, "package", None), getattr(after, "package", None)
    if isinstance(one, Package) and isinstance(two, Package):
        adopt_digests(one, two)


def adopt_digests(before: Package, after: Package) -> None:
    """Parts of `after` that parse to the same XML as the part of that name in `before` take over its digest.

    Quotes, spacing inside tags, entities, encodings and comments differ from one serialiser to the next and mean
    nothing; fingerprints made of the digests are then equal, and nothing above compares the parts. Costs nothing where
    the bytes are equal. Not seen as equal here: another order of attributes, other prefixes, indentation.
    Raises Unreadable where a part of `after` is not well-formed and the one of `before` is, whatever the part holds:
    no office program opens such a file without repairing it.
    """
    for name, part in after.parts.items():
        other = before.parts.get(name)
        if other is None or not part.is_xml or not other.is_xml:
            continue
        if part.digest == other.digest:
            # The same bytes need not be parsed twice; trees are shared and never changed.
            if "xml" in vars(other) and part.content_type == other.content_type:
                part.__dict__.setdefault("xml", other.xml)
            continue
        try:
            text = etree.tostring(other.xml)
        except Unreadable:
            continue
        if etree.tostring(part.xml) == text:
            part.__dict__["digest"] = other.digest


def part_digests(document: Document) -> dict[str, tuple[str, str]]:
    """Part name → (digest of its bytes, digest of its canonical content and of what it points at)."""
    package = getattr(document, "package", None)
    if not isinstance(package, Package):
        return {}
    canonical = Canonicaliser(package, CanonicalRules())
    return {name: (sha256(part.data), canonical.part(name)) for name, part in sorted(package.parts.items())}
