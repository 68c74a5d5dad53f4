"""Comparison of two presentations: references to slides are translated by the alignment of the slides first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from docops.core.compare import Change, Comparison, align_nodes, compare_trees
from docops.core.document import Document, Stale
from docops.formats.pptx.document import PptxDocument
from docops.formats.pptx.shapes import walk_shapes


def compare_pptx(before: Document, after: Document, comparison: Comparison) -> Iterator[Change]:
    """The changes between two presentations that the comparison's scope does not allow."""
    if isinstance(before, PptxDocument) and isinstance(after, PptxDocument):
        after = with_identities(before, after)
    yield from compare_trees(before.root, after.root, comparison)


def with_identities(before: PptxDocument, after: PptxDocument) -> PptxDocument:
    """The second document with its slides known by the numbers of the first, so that an insertion shifts no reference."""
    if not (_refers(before) or _refers(after)):
        return after
    old = [node for node in before.root.children if node.kind == "slide"]
    new = [node for node in after.root.children if node.kind == "slide"]
    pairs = align_nodes(old, new)
    identities = {after.deck.slides[j].part.name: f"slide {i + 1}" for i, j in pairs}
    for sheet in after.deck.slides:
        identities.setdefault(sheet.part.name, f"new slide {sheet.number}")
    if all(identities[sheet.part.name] == f"slide {sheet.number}" for sheet in after.deck.slides):
        return after
    return PptxDocument(after.data, identities)


def _refers(document: PptxDocument) -> bool:
    """Whether anything in a presentation points at a slide."""
    deck = document.deck
    if any(rel.type == "slide" for sheet in deck.slides for rel in sheet.part.relationships.values()):
        return True
    return b"custShow" in deck.part.data


def stale_pptx(document: Document, source: Document | None) -> Sequence[Stale]:
    """Caches of charts that contradict their embedded workbooks; those that did so in the source already are left out."""
    found = list(_stale(document))
    if source is None:
        return found
    known = {(item.name, repr(item.cached), repr(item.derived)) for item in _stale(source)}
    return [item for item in found if (item.name, repr(item.cached), repr(item.derived)) not in known]


def _stale(document: Document) -> Iterator[Stale]:
    from docops.formats.ooxml.chart import chart_stale

    if not isinstance(document, PptxDocument):
        return
    for sheet in document.deck.slides:
        if not any(rel.type in {"chart", "chartEx"} for rel in sheet.part.relationships.values()):
            continue
        for shape in walk_shapes(sheet.shapes):
            part = shape.chart_part() if shape.kind == "chart" else None
            if part is not None:
                yield from chart_stale(part, f"{shape.address}/chart")
