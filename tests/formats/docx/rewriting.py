"""Rewriting the parts of a docx, for tests: one change of the XML, everything else as it was."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Sequence

from lxml import etree

from docops.core.address import parse_address
from docops.core.codes import ALL_ASPECTS, Aspect
from docops.core.compare import Change, Comparison
from docops.families.preservation import ScopeEntry, scope_of
from docops.formats.docx import FORMAT
from docops.formats.docx.document import DocxDocument, open_docx

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"


def members(data: bytes) -> dict[str, bytes]:
    """The members of a package by name."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def package(parts: dict[str, bytes], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A package of members, in their order."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as archive:
        for name, content in parts.items():
            archive.writestr(zipfile.ZipInfo(name), content)
    return buffer.getvalue()


def edited(data: bytes, change: Callable[[etree._Element], object], part: str = "word/document.xml") -> bytes:
    """The package after a change of the root of one part."""
    parts = members(data)
    root = etree.fromstring(parts[part])
    change(root)
    parts[part] = etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True)
    return package(parts)


def remove(element: etree._Element) -> None:
    """Take an element out of its parent."""
    parent = element.getparent()
    assert parent is not None
    parent.remove(element)


def remove_all(root: etree._Element, tag: str) -> None:
    """Take every element of a name out of its parent."""
    for element in list(root.iter(tag)):
        remove(element)


def replaced(data: bytes, old: str, new: str, part: str = "word/document.xml") -> bytes:
    """The package after a replacement in one part's text, which must be there."""
    parts = members(data)
    assert old.encode() in parts[part], old
    parts[part] = parts[part].replace(old.encode(), new.encode(), 1)
    return package(parts)


def changes(before: bytes, after: bytes, scope: Sequence[str] = (), aspects: frozenset[Aspect] = ALL_ASPECTS) -> list[Change]:
    """What a comparison of two packages reports outside a scope."""
    one, other = open_docx(before), open_docx(after)
    entries = [ScopeEntry(parse_address(text)) for text in scope]
    assert FORMAT.compare is not None
    return list(FORMAT.compare(one, other, Comparison(aspects, scope_of(entries, one), scope_of(entries, other))))


def unlike_fingerprints(document: DocxDocument) -> DocxDocument:
    """The document without fingerprints, so that a comparison looks at every fact."""
    for node in document.root.walk():
        node.fingerprint = None
    return document


def places(found: Sequence[Change]) -> set[str]:
    """Addresses of changes."""
    return {change.address for change in found}
