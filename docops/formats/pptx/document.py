"""Opening a presentation: its state as a tree, its text, its native object."""

from __future__ import annotations

import io
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from docops.core.canonical import sha256
from docops.core.codes import FindingCode
from docops.core.document import Coverage, DocumentBase
from docops.core.errors import Unreadable
from docops.core.node import Node, root_node
from docops.formats.ooxml.common import expect_main, leftover_nodes, property_nodes, theme_node
from docops.formats.ooxml.package import Package, open_package
from docops.formats.pptx.deck import Deck, Sheet
from docops.formats.pptx.presentation import (
    author_nodes,
    context_digest,
    held_in,
    presentation_node,
    section_nodes,
    show_nodes,
    table_style_nodes,
)
from docops.formats.pptx.shapes import Shape, walk_shapes
from docops.formats.pptx.sheets import master_node, other_master_node, slide_node

if TYPE_CHECKING:
    from docops.core.spans import TextSpan

#: Relationship types whose parts are modelled with the sheet that names them.
_OF_SHEETS = frozenset(
    {
        "chart", "chartEx", "diagramData", "diagramLayout", "diagramQuickStyle", "diagramColors", "diagramDrawing", "comments", "notesSlide",
        "themeOverride", "tags", "theme",
    }
)  # fmt: skip
#: Parts of the presentation that are modelled, or volatile.
_OF_PRESENTATION = frozenset({"presProps", "viewProps", "tableStyles", "commentAuthors", "authors", "theme", "revisionInfo", "changesInfo", "tags"})


class PptxDocument(DocumentBase):
    """A presentation. Reading never changes it; the native object is opened on demand."""

    format = "pptx"

    def __init__(self, data: bytes, package: Package, deck: Deck) -> None:
        self.data = data
        self.package = package
        self.deck = deck
        self._shapes: dict[str, Shape] | None = None
        self._spans: Sequence[TextSpan] | None = None

    @cached_property
    def root(self) -> Node:
        """The presentation's state as a tree."""
        return root_node(self._children, fingerprint=f"{sha256(self.data)} {self.deck.terms}")

    def _children(self) -> list[Node]:
        deck = self.deck
        held = held_in(deck)
        context = context_digest(deck)
        nodes = [slide_node(sheet, held.get(sheet.part.name), context) for sheet in deck.slides]
        nodes.append(presentation_node(deck))
        nodes += [*section_nodes(deck), *show_nodes(deck)]
        for position, master in enumerate(deck.masters):
            layouts = [layout for layout in deck.layouts.values() if layout.address.startswith(f"{master.address}/")]
            theme = theme_node(self.package, deck.own_theme(master), parent=master.address) if position else None
            nodes.append(master_node(master, layouts, theme))
        theme = theme_node(self.package, deck.own_theme(deck.masters[0] if deck.masters else None))
        nodes += [theme] if theme is not None else []
        for sheet in (deck.notes_master, deck.handout_master):
            if sheet is not None:
                part = next(iter(sheet.part.related("theme")), None)
                nodes.append(other_master_node(sheet, theme_node(self.package, part, parent=sheet.address)))
        nodes += table_style_nodes(deck)
        nodes += author_nodes(deck)
        nodes += property_nodes(self.package)
        nodes += leftover_nodes(self.package, self.modelled_parts(), deck.rules)
        return nodes

    def sheets(self) -> list[Sheet]:
        """Every sheet: slides with their notes, masters, layouts."""
        deck = self.deck
        out: list[Sheet] = []
        for slide in deck.slides:
            notes = deck.notes_of(slide)
            out += [slide, *([notes] if notes is not None else [])]
        out += [*deck.masters, *deck.layouts.values()]
        return [*out, *(sheet for sheet in (deck.notes_master, deck.handout_master) if sheet is not None)]

    def modelled_parts(self) -> set[str]:
        """Names of the parts whose content is in the facts."""
        from docops.formats.ooxml.chart import chart_parts

        found: set[str] = {self.deck.part.name}
        found |= {rel.target for rel in self.deck.part.relationships.values() if rel.type in _OF_PRESENTATION and not rel.external}
        for sheet in self.sheets():
            found.add(sheet.part.name)
            for rel in sheet.part.relationships.values():
                part = self.package.parts.get(rel.target)
                if rel.external or part is None or rel.type not in _OF_SHEETS:
                    continue
                found.add(rel.target)
                if rel.type in {"chart", "chartEx"}:
                    found |= chart_parts(part)
        return found

    def shape(self, node: Node | str) -> Shape | None:
        """The shape that a node (or address) is, or None where it is no shape."""
        if self._shapes is None:
            self._shapes = {shape.address: shape for sheet in self.sheets() for shape in walk_shapes(sheet.shapes)}
        return self._shapes.get(node.address if isinstance(node, Node) else node)

    def slide(self, number: int) -> Sheet | None:
        """The slide at a position, counted from 1."""
        return self.deck.slides[number - 1] if 1 <= number <= len(self.deck.slides) else None

    def spans(self) -> Sequence[TextSpan]:
        """Every stored text, slide by slide."""
        if self._spans is None:
            from docops.formats.pptx.spans import document_spans

            self._spans = document_spans(self)
        return self._spans

    @cached_property
    def native(self) -> Any:
        """The python-pptx presentation.

        Raises Unreadable where python-pptx cannot open the file.
        """
        import pptx

        try:
            return pptx.Presentation(io.BytesIO(self.data))
        except Exception as error:
            raise Unreadable(FindingCode.ARTIFACT_UNREADABLE, f"python-pptx cannot open it: {type(error).__name__}: {error}") from error

    def coverage(self) -> Sequence[Coverage]:
        """What share of each part is modelled, raw and volatile."""
        from docops.formats.pptx.coverage import document_coverage

        return document_coverage(self)


def open_pptx(data: bytes) -> PptxDocument:
    """Open the bytes of a presentation, template or show, macro-enabled or not.

    Raises Unreadable for everything that is none, and for what breaks a limit.
    """
    package = open_package(data)
    document = PptxDocument(data, package, Deck(package, expect_main(package, "pptx")))
    # The list of slides is what everything else hangs on: a file where it cannot be read is no presentation.
    _ = document.deck.slides
    return document

