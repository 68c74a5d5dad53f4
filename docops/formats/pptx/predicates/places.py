"""What the predicates on presentations share: the slides and shapes at an address, wording, what hides a shape."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from docops.core.codes import FindingCode
from docops.core.node import Node
from docops.core.predicate import Context, Example, Finding, Target
from docops.families.text_profiles import normalise, occurrences
from docops.formats.pptx.deck import Sheet
from docops.formats.pptx.document import PptxDocument
from docops.formats.pptx.shapes import Shape, walk_shapes
from docops.formats.pptx.spans import slide_title
from docops.formats.pptx.tables import Cell
from docops.formats.pptx.visibility import covered, hidden_shape, seen_paragraphs

FORMATS = ("pptx",)


def document_of(target: Target) -> PptxDocument:
    """The presentation at a target."""
    document = target.document
    if not isinstance(document, PptxDocument):
        raise TypeError(f"{target.artifact} is no presentation")
    return document


def missing_place(target: Target) -> Finding | None:
    """A finding where the address names no place in the output."""
    if target.nodes:
        return None
    return Finding(FindingCode.MISSING, target.place(), "this place", None, "the output has no such place")


def slides_at(target: Target) -> list[Sheet]:
    """The slides that an address names, or that hold what it names; all where it names the whole document."""
    deck = document_of(target).deck
    if not target.address.segments:
        return deck.slides
    numbers = dict.fromkeys(number for node in target.nodes if (number := slide_number(node)) is not None)
    return [deck.slides[number - 1] for number in numbers if number <= len(deck.slides)]


def slide_number(node: Node) -> int | None:
    """The slide that a node is or stands on."""
    head = node.address.partition("/")[0]
    return int(head[6:-1]) if head.startswith("slide[") and head[6:-1].isdigit() else None


def shapes_at(target: Target) -> list[Shape]:
    """The shapes at an address: itself, those it holds, or the one that holds it."""
    document = document_of(target)
    if not target.address.segments:
        return [shape for sheet in document.deck.slides for shape in walk_shapes(sheet.shapes)]
    out: dict[str, Shape] = {}
    for node in target.nodes:
        found = shape_of(document, node)
        if found is not None:
            for shape in walk_shapes([found]):
                out.setdefault(shape.address, shape)
            continue
        for inner in node.walk():
            held = document.shape(inner) if inner.kind == "shape" else None
            if held is not None:
                out.setdefault(held.address, held)
    return list(out.values())


def shape_of(document: PptxDocument, node: Node) -> Shape | None:
    """The shape that a node is or stands in."""
    address = node.address
    while address:
        shape = document.shape(address)
        if shape is not None:
            return shape
        address = address.rpartition("/")[0]
    return None


def title_of(sheet: Sheet) -> str | None:
    """The text of a slide's title placeholder as a reader of the slide sees it ("" where it is not seen), None without one."""
    shape = slide_title(sheet)
    if shape is None:
        return None
    return "" if hidden_shape(shape, look_at_slide=False) or covered(shape) else seen_text(shape).strip()


def seen_text(shape: Shape, cell: Cell | None = None) -> str:
    """The text of a shape, or of a cell of its table, that can be read where it stands; one paragraph a line."""
    return "\n".join(seen_paragraphs(shape, cell))


def same_text(one: str, other: str) -> bool:
    """Whether two texts differ at most in typography."""
    return normalise(one, "typographic").strip() == normalise(other, "typographic").strip()


def holds_text(text: str, wanted: str) -> bool:
    """Whether a text holds another as whole words."""
    return bool(occurrences(normalise(text, "typographic"), normalise(wanted, "typographic").strip()))


def unseen(context: Context, target: Target, shape: Shape) -> str:
    """Why a reader does not see a shape, or "". A slide that was hidden before the edit may stay so."""
    reason = hidden_shape(shape) or covered(shape)
    if reason != "hidden slide":
        return reason
    source = target.source
    if isinstance(source, PptxDocument):
        title = title_of(shape.sheet)
        for sheet in source.deck.slides:
            if title_of(sheet) == title and sheet.part.xml.get("show") in {"0", "false"}:
                return hidden_shape(shape, look_at_slide=False) or covered(shape)
    return reason


def seen(context: Context, target: Target, shapes: Sequence[Shape]) -> tuple[list[Shape], dict[str, str]]:
    """The shapes that a reader sees, and why not for the others (address → reason)."""
    reasons = {shape.address: unseen(context, target, shape) for shape in shapes}
    return [shape for shape in shapes if not reasons[shape.address]], {address: reason for address, reason in reasons.items() if reason}


def excerpt(text: str) -> str:
    """A text cut for a finding."""
    text = " ".join(text.split())
    return text if len(text) <= 160 else f"{text[:159]}…"


def example(title: str, build: Any, params: Mapping[str, Any], passes: bool | FindingCode, source: Any = None) -> Example:
    """An example on one artifact `deck.pptx`, built by a function."""
    return Example(
        title,
        lambda: {"deck.pptx": build()},
        params,
        passes,
        (lambda: {"deck.pptx": source()}) if source is not None else None,
    )


