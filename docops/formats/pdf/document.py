"""An opened PDF: its state tree, its text spans, its pypdf reader."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from docops.core.address import Segment
from docops.core.document import Coverage, DocumentBase
from docops.core.limits import DEFAULT_LIMITS, Limits
from docops.core.node import Node, root_node
from docops.core.spans import TextSpan
from docops.formats.pdf.model import Model, PageContent
from docops.formats.pdf.reading import Objects


class PdfDocument(DocumentBase):
    """A PDF document.   objects: its objects.   model: its parts, pages under their own numbers."""

    format = "pdf"

    def __init__(self, objects: Objects) -> None:
        self.objects = objects
        self._contents: dict[int, PageContent] = {}
        self.model = Model(objects, contents=self._contents)
        self._fingerprints: tuple[str, ...] | None = None

    @cached_property
    def root(self) -> Node:
        """The document's state as a tree."""
        return build_root(self.model)

    def renamed(self, page_name: Callable[[int], str]) -> Model:
        """The same document with other names for its pages where destinations and references name them."""
        return Model(self.objects, page_name, self._contents)

    @property
    def native(self) -> Any:
        """pypdf's reader."""
        return self.objects.reader

    def spans(self) -> Sequence[TextSpan]:
        """Every stored text, in reading order."""
        from docops.formats.pdf.text import document_spans

        return list(document_spans(self.model))

    def coverage(self) -> Sequence[Coverage]:
        """What share of each class of objects is modelled, raw and volatile."""
        from docops.formats.pdf.coverage import coverage

        return coverage(self.model)


def build_root(model: Model) -> Node:
    """The tree of a model: pages, outline, fields and everything else under one root."""
    from docops.formats.pdf.metadata import property_nodes
    from docops.formats.pdf.navigation import destination_nodes, find_outline, label_nodes, outline_nodes
    from docops.formats.pdf.pages import page_node
    from docops.formats.pdf.parts import (
        attachment_nodes,
        catalogue_node,
        layer_nodes,
        protection_node,
        script_nodes,
        signature_nodes,
        structure_nodes,
    )

    def children() -> Sequence[Node]:
        return [
            *(page_node(model, root, page) for page in model.objects.pages),
            *outline_nodes(model),
            *model.form.nodes(root),
            *label_nodes(model, root),
            *destination_nodes(model, root),
            *attachment_nodes(model, root),
            *layer_nodes(model, root),
            *signature_nodes(model, root),
            *structure_nodes(model, root),
            *property_nodes(model, root),
            *script_nodes(model, root),
            *protection_node(model, root),
            *catalogue_node(model, root),
        ]

    def lookup(segment: Segment) -> Sequence[Node] | None:
        if segment.kind == "outline":
            return find_outline([node for node in root.children if node.kind == "outline"], segment)
        if segment.kind == "field" and segment.name is not None and segment.ordinal is None:
            # The name of a group of fields names all of them.
            names = (segment.name, segment.name + ".")
            return [node for node in root.children if node.kind == "field" and (node.name == names[0] or (node.name or "").startswith(names[1]))]
        if segment.kind == "property" and segment.name is not None:
            return [node for node in root.children if node.kind == "property" and (node.name or "").lower() == segment.name.lower()]
        return None

    root = root_node(children, lookup=lookup)
    return root


def open_pdf(data: bytes, limits: Limits = DEFAULT_LIMITS) -> PdfDocument:
    """Open a PDF document. Raises Unreadable for everything that is none, that needs a password, or that breaks a limit."""
    return PdfDocument(Objects(data, limits))
