"""Presentations (PresentationML): slides, masters, layouts, notes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from docops.core.document import Document, Format

if TYPE_CHECKING:
    from docops.core.compare import Change, Comparison
    from docops.core.document import Stale

#: Kinds of place in a presentation.
KINDS = frozenset(
    {
        "slide", "shape", "paragraph", "run", "table", "row", "cell", "chart", "series", "picture", "diagram", "object", "notes", "comment",
        "transition", "animation", "background", "section", "show", "presentation", "master", "layout", "theme", "notes_master", "handout_master",
        "table_style", "author", "property", "part",
    }
)  # fmt: skip


def _open(data: bytes) -> Document:
    from docops.formats.pptx.document import open_pptx

    return open_pptx(data)


def _compare(before: Document, after: Document, comparison: Comparison) -> Iterator[Change]:
    from docops.formats.pptx.compare import compare_pptx

    return compare_pptx(before, after, comparison)


def _pair(before: Document, after: Document) -> None:
    from docops.formats.ooxml.pairs import pair_documents

    pair_documents(before, after)


def _parts(document: Document) -> Mapping[str, tuple[str, str]]:
    from docops.formats.ooxml.pairs import part_digests

    return part_digests(document)


def _stale(document: Document, source: Document | None) -> Sequence[Stale]:
    from docops.formats.pptx.compare import stale_pptx

    return stale_pptx(document, source)


FORMAT = Format(
    "pptx",
    (".pptx", ".pptm", ".potx", ".potm", ".ppsx", ".ppsm"),
    _open,
    KINDS,
    compare=_compare,
    stale=_stale,
    pair=_pair,
    parts=_parts,
)
