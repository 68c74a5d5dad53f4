"""Word documents (WordprocessingML): docx, docm, dotx, dotm."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from docops.core.document import Document, Format, Stale

if TYPE_CHECKING:
    from docops.core.compare import Change, Comparison


def _open(data: bytes) -> Document:
    from docops.formats.docx.document import open_docx

    return open_docx(data)


def _compare(before: Document, after: Document, comparison: Comparison) -> Iterator[Change]:
    from docops.formats.docx.changes import compare_documents

    return compare_documents(before, after, comparison)


def _pair(before: Document, after: Document) -> None:
    from docops.formats.ooxml.pairs import pair_documents

    pair_documents(before, after)


def _parts(document: Document) -> Mapping[str, tuple[str, str]]:
    from docops.formats.ooxml.pairs import part_digests

    return part_digests(document)


def _stale(document: Document, source: Document | None) -> Sequence[Stale]:
    from docops.formats.docx.stale import stale_results

    return stale_results(document, source)


KINDS = frozenset(
    {
        "body", "paragraph", "run", "field", "hyperlink", "table", "row", "cell", "section", "text_box", "content_control", "image", "equation", "chart", "series",
        "diagram", "object", "shape", "embedded_document", "other", "page_setup", "header", "footer", "footnote", "endnote", "comment", "bookmark", "style",
        "revision", "setting", "list", "theme", "property", "part",
    }
)  # fmt: skip

FORMAT = Format(name="docx", suffixes=(".docx", ".docm", ".dotx", ".dotm"), open=_open, kinds=KINDS, compare=_compare, stale=_stale, pair=_pair, parts=_parts)
