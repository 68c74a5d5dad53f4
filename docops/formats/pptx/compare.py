"""Comparison of two presentations: references to slides are translated by the alignment of the slides first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from docops.core.compare import Change, Comparison, align_nodes, compare_trees, renamed_places
from docops.core.document import Document, Stale
from docops.core.node import Node
from docops.formats.ooxml.package import Part
from docops.formats.pptx.consequences import without_consequences
from docops.formats.pptx.deck import Deck, Sheet, Terms
from docops.formats.pptx.document import PptxDocument
from docops.formats.pptx.presentation import context_digest, held_in, sections, style_digest
from docops.formats.pptx.shapes import walk_shapes
from docops.formats.pptx.sheets import closure_digest, same_xml_digest


def compare_pptx(before: Document, after: Document, comparison: Comparison) -> Iterator[Change]:
    """The changes between two presentations that the comparison's scope does not allow."""
    if isinstance(before, PptxDocument) and isinstance(after, PptxDocument):
        after = seen_from(before, after)
        _match_serialisations(before, after)
        yield from without_consequences(before, after, comparison, list(compare_trees(before.root, after.root, comparison)))
        return
    yield from compare_trees(before.root, after.root, comparison)


def _match_serialisations(before: PptxDocument, after: PptxDocument) -> None:
    """Give slides whose XML is the same, written in another way, the same fingerprint: they need no look inside."""
    old = [node for node in before.root.children if node.kind == "slide"]
    new = [node for node in after.root.children if node.kind == "slide"]
    common = {node.fingerprint for node in old} & {node.fingerprint for node in new}
    sides = [
        [(node, sheet) for node, sheet in zip(nodes, deck.slides, strict=True) if node.fingerprint not in common]
        for nodes, deck in ((old, before.deck), (new, after.deck))
    ]
    if not all(sides):
        return
    if context_digest(before.deck) != context_digest(after.deck):
        return
    held = [held_in(deck) for deck in (before.deck, after.deck)]
    known = {(same_xml_digest(sheet), held[0].get(sheet.part.name)): node.fingerprint for node, sheet in sides[0]}
    for node, sheet in sides[1]:
        node.fingerprint = known.get((same_xml_digest(sheet), held[1].get(sheet.part.name)), node.fingerprint)


def seen_from(before: PptxDocument, after: PptxDocument) -> PptxDocument:
    """The second document in the terms of the first.

    Its slides are known by the numbers of the first, so that an insertion shifts no reference, its shapes and sections by
    the names of the first, so that a new name is told once, and slides inherit from the layouts, masters, themes and styles
    of the first, so that a change of one of these is told there alone, and a change of a slide at the slide, whatever else
    changed.
    """
    base = None if _same_styles(before, after) else before.deck
    terms = _terms(before, after)
    if base is None and terms is None:
        return after
    return PptxDocument(after.data, after.package, Deck(after.package, after.deck.part, terms, base))


def _same_styles(before: PptxDocument, after: PptxDocument) -> bool:
    """Whether everything that slides inherit from is the same, byte for byte."""
    old, new = before.deck.sheets_by_address, after.deck.sheets_by_address
    if list(old) != list(new) or any(closure_digest(old[address]) != closure_digest(new[address]) for address in old):
        return False
    return style_digest(before.deck) == style_digest(after.deck)


def _terms(before: PptxDocument, after: PptxDocument) -> Terms | None:
    """What the places of the second document are called in the words of the first; None where nothing is called otherwise."""
    layouts = _layout_names(before, after)
    refers = _refers(before) or _refers(after)
    if not refers and not layouts and not any(map(_names_shapes, after.deck.slides)):
        return None
    old = [node for node in before.root.children if node.kind == "slide"]
    new = [node for node in after.root.children if node.kind == "slide"]
    pairs = align_nodes(old, new)
    slides: dict[str, str] = {}
    if refers:
        slides = {after.deck.slides[j].part.name: f"slide {i + 1}" for i, j in pairs}
        for sheet in after.deck.slides:
            slides.setdefault(sheet.part.name, f"new slide {sheet.number}")
    shapes = {after.deck.slides[j].part.name: names for i, j in pairs if (names := _shape_names(before.deck.slides[i], after.deck.slides[j], old[i], new[j]))}
    names = _section_names(before, after, slides) if refers else {}
    if not shapes and not names and not layouts and all(slides.get(sheet.part.name, f"slide {sheet.number}") == f"slide {sheet.number}" for sheet in after.deck.slides):
        return None
    return Terms(slides, shapes, names, layouts)


def _layout_names(before: PptxDocument, after: PptxDocument) -> dict[str, str]:
    """Address of a layout → address of the one that has another name in the first document."""
    if before.deck.sheets_by_address.keys() == after.deck.sheets_by_address.keys():
        return {}
    masters = [{node.address: node.children for node in document.root.children if node.kind == "master"} for document in (before, after)]
    return {new.address: old.address for address in masters[0] if address in masters[1] for old, new in renamed_places(masters[0][address], masters[1][address])}


def _refers(document: PptxDocument) -> bool:
    """Whether anything in a presentation points at a slide."""
    deck = document.deck
    if any(rel.type == "slide" for sheet in deck.slides for rel in sheet.part.relationships.values()):
        return True
    return b"custShow" in deck.part.data or b"sectionLst" in deck.part.data


def _names_shapes(sheet: Sheet) -> bool:
    """Whether anything on a slide points at a shape: a glued connector, an animation."""
    data = sheet.part.data
    return b"Cxn " in data or b"spTgt" in data


def _shape_names(old: Sheet, new: Sheet, before: Node, after: Node) -> dict[str, str]:
    """Path of a shape of a slide → path of its counterpart, where they differ and anything points at shapes."""
    if old.part.digest == new.part.digest or not _names_shapes(new) or [shape.address for shape in old.order] == [shape.address for shape in new.order]:
        return {}
    found: dict[str, str] = {}
    work = [(before, after)]
    while work:
        one, other = work.pop()
        ones, others = ([child for child in node.children if child.kind == "shape"] for node in (one, other))
        for i, j in align_nodes(ones, others):
            path, name = others[j].address[len(new.address) + 1 :], ones[i].address[len(old.address) + 1 :]
            if path != name:
                found[path] = name
            work.append((ones[i], others[j]))
    return found


def _section_names(before: PptxDocument, after: PptxDocument, slides: Mapping[str, str]) -> dict[str, str]:
    """Name of a section → name of the one that held most of its slides and is not there any more."""
    held = [{section.name: {deck_slides.get(name, "") for name in section.slides} for section in sections(document.deck)}
            for document, deck_slides in ((before, {sheet.part.name: f"slide {sheet.number}" for sheet in before.deck.slides}), (after, slides))]  # fmt: skip
    gone = {name: numbers for name, numbers in held[0].items() if name not in held[1]}
    found: dict[str, str] = {}
    for name, numbers in held[1].items():
        if name not in held[0] and gone:
            best = max(gone, key=lambda other: len(gone[other] & numbers))
            if 2 * len(gone[best] & numbers) > max(len(gone[best]), len(numbers)) or len(gone[best]) == len(numbers) == 0:
                found[name] = best
                del gone[best]
    return found


def stale_pptx(document: Document, source: Document | None) -> Sequence[Stale]:
    """Caches of charts that contradict their embedded workbooks; those that did so in the source already are left out."""
    old = dict(_charts(source)) if source is not None else {}
    found = [item for digest, charts in _charts(document) if digest not in old for item in _stale(charts)]
    if not found:
        return []
    known = {(item.name, repr(item.cached), repr(item.derived)) for charts in old.values() for item in _stale(charts)}
    return [item for item in found if (item.name, repr(item.cached), repr(item.derived)) not in known]


def _charts(document: Document) -> Iterator[tuple[str, list[tuple[Part, str]]]]:
    """Slides with charts: a digest of the charts' bytes, and the charts' parts with their addresses."""
    from docops.formats.ooxml.chart import chart_parts

    if not isinstance(document, PptxDocument):
        return
    for sheet in document.deck.slides:
        parts = [part for kind in ("chart", "chartEx") for part in sheet.part.related(kind)]
        if not parts:
            continue
        names = sorted({name for part in parts for name in chart_parts(part)})
        digest = " ".join(document.package.parts[name].digest for name in names)
        charts = [(part, f"{shape.address}/chart") for shape in walk_shapes(sheet.shapes) if shape.kind == "chart" and (part := shape.chart_part()) is not None]
        yield digest, charts


def _stale(charts: Sequence[tuple[Part, str]]) -> Iterator[Stale]:
    from docops.formats.ooxml.chart import chart_stale

    for part, address in charts:
        yield from chart_stale(part, address)
