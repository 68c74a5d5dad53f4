"""PDF documents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from docops.core.document import Document, Format, Stale

if TYPE_CHECKING:
    from docops.core.compare import Change, Comparison


def _open(data: bytes) -> Document:
    from docops.formats.pdf.document import open_pdf

    return open_pdf(data)


def _compare(before: Document, after: Document, comparison: Comparison) -> Iterator[Change]:
    from docops.formats.pdf.compare import compare_documents

    return compare_documents(before, after, comparison)


def _stale(document: Document, source: Document | None) -> Sequence[Stale]:
    from docops.formats.pdf.compare import stale_values

    return stale_values(document, source)


_KINDS = frozenset(
    {
        *("page", "annotation", "image", "text", "font", "outline", "field", "form", "attachment", "label", "property", "layer", "signature"),
        *("struct", "element", "destination", "script", "protection", "catalogue"),
    }
)

FORMAT = Format(
    name="pdf",
    suffixes=(".pdf",),
    open=_open,
    kinds=_KINDS,
    compare=_compare,
    stale=_stale,
)
