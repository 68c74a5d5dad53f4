"""What predicates ask of a docx: the paragraphs of a place, what a reader sees of them, text that is the same to a reader."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from lxml import etree

from docops.core.codes import FindingCode
from docops.core.node import Node, Value
from docops.core.predicate import Context, Finding, Target
from docops.core.spans import TextSpan
from docops.families.text_profiles import normalise
from docops.formats.docx.document import DocxDocument
from docops.formats.docx.paragraphs import heading_level, is_deleted
from docops.formats.docx.story import Story

ANCHORED = frozenset({"run", "field", "hyperlink"})


@dataclass(eq=False)
class Paragraph:
    """A paragraph as predicates look at it."""

    document: DocxDocument
    story: Story
    node: Node
    element: etree._Element

    @cached_property
    def text(self) -> str:
        """What a reader sees, white space made single."""
        return shown_text(self.document, self.node.address)

    @cached_property
    def stored_text(self) -> str:
        """All its text, hidden and deleted too."""
        return same(self.story.content(self.element).text())

    @cached_property
    def style_name(self) -> str:
        """The name of its style."""
        style = self.story.style_of(self.element)
        return style.name if style is not None else ""

    @cached_property
    def level(self) -> int | None:
        """1 to 9 where it is a heading."""
        return heading_level(self.story, self.element, self.story.style_of(self.element))

    @cached_property
    def deleted(self) -> bool:
        """Whether tracked deletions take all of it away."""
        return is_deleted(self.element, self.story.content(self.element))

    @property
    def from_contents(self) -> bool:
        """Whether it is an entry of a table of contents."""
        content = self.story.content(self.element)
        return content.inside is not None or any(field.kind == "TOC" for field, _ in content.fields)


def docx_target(context: Context, at: str) -> tuple[Target, DocxDocument]:
    """The place that an address names in an output docx."""
    target = context.target(at, formats=("docx",))
    document = target.document
    if not isinstance(document, DocxDocument):
        raise TypeError(f"{at}: opened as {type(document).__name__}")
    return target, document


def places(target: Target, document: DocxDocument) -> Sequence[Node]:
    """The nodes a target names; the body where it names the whole document."""
    if target.address.segments:
        return target.nodes
    return [node for node in document.root.children if node.kind == "body"]


def walk_blocks(nodes: Sequence[Node]) -> Iterator[Node]:
    """The nodes and the blocks inside them in order; what is inside paragraphs is left out."""
    for node in nodes:
        yield node
        if node.kind != "paragraph":
            yield from walk_blocks([child for child in node.children if child.kind not in ANCHORED])


def paragraphs(document: DocxDocument, nodes: Sequence[Node]) -> Iterator[Paragraph]:
    """The paragraphs in some places, deleted ones left out."""
    for node in walk_blocks(nodes):
        found = paragraph(document, node)
        if found is not None and not found.deleted:
            yield found


def paragraph(document: DocxDocument, node: Node) -> Paragraph | None:
    """A node as a paragraph, or None where it is none."""
    story = document.stories.get(node.address.partition("/")[0])
    element = story.elements.get(node.address) if story is not None and node.kind == "paragraph" else None
    return Paragraph(document, story, node, element) if story is not None and element is not None else None


def same(text: str) -> str:
    """A text as a reader compares it: typography and white space made equal, blank ends cut."""
    return normalise(text, "typographic").strip()


def shown_text(document: DocxDocument, address: str) -> str:
    """What a reader sees at a place: its own blocks, one after the other."""
    blocks: dict[str, list[str]] = {}
    for span in spans_in(document, address):
        if span.visible and span.block == span.block.partition("#")[0]:
            blocks.setdefault(span.block, []).append(span.text)
    return same("\n".join("".join(texts) for texts in blocks.values()))


def spans_in(document: DocxDocument, address: str) -> Sequence[TextSpan]:
    """The spans whose block is a place or stands inside it."""
    index = document.span_index
    return index.get(address, ())


def where(target: Target, document: DocxDocument) -> Finding | None:
    """A finding where the address names no place of the output."""
    if target.nodes or not target.address.segments:
        return None
    return Finding(FindingCode.MISSING, target.place(), "this place", None, f"the output has no {document_part(target)}")


def document_part(target: Target) -> str:
    """The last step of a target's address."""
    return str(target.address.segments[-1]) if target.address.segments else "document"


def cut(values: Sequence[Value], limit: int = 12) -> Value:
    """A list short enough to print, with how much was left out."""
    return [*values[:limit], f"… {len(values) - limit} more"] if len(values) > limit else list(values)
