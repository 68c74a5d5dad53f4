"""Questions about presentations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from docops.core.address import Address, parse_address
from docops.core.codes import Aspect
from docops.core.compare import ChangeKind
from docops.core.document import Document
from docops.core.node import Node
from docops.drafting.questions import Edit, Question, above, looks, one_line, quoted, rows_in, text_of

_LOOKS = {"bold": "bold", "italic": "italic", "underline": "underline", "colour": "colour", "size": "size", "font": "font", "highlight": "highlight"}


def questions(output: str, edits: Sequence[Edit], before: Document, after: Document) -> Iterator[Question]:
    """Which slides there are in which order, and what stands on them now."""
    slides = [node for node in after.root.children if node.kind == "slide"]
    if any(edit.kind == "slide" for edit in edits):
        yield Question(f"there are {len(slides)} slides", "pptx.slide_count", output, ({"equals": len(slides)},))
        titles = [title for slide in slides if (title := _title(slide))]
        yield Question("the slides stand in the order asked", "pptx.order", output, ({"titles": titles},))
    for edit in edits:
        if edit.node is not None:
            yield from _edited(output, edit, after)


def _edited(output: str, edit: Edit, after: Document) -> Iterator[Question]:
    node = edit.node
    if node is None:
        return
    at = f"{output}#{edit.place}"
    slide = f"{output}#{Address(None, parse_address(edit.place).segments[:1])}"
    if edit.kind == "notes" and (text := one_line(text_of(node))):
        yield Question(f"the notes say {quoted(text)}", "pptx.notes", slide, ({"contains": text},))
    if edit.kind == "slide":
        if edit.went(ChangeKind.ADDED) and (title := _title(node)):
            yield Question(f"{quoted(title)} is the title", "pptx.title", slide, ({"equals": title},))
        if edit.has(Aspect.STRUCTURE, "hidden"):
            yield Question("the slide is hidden, or shown", "pptx.hidden", slide, ({"equals": node.facts.get((Aspect.STRUCTURE, "hidden")) is True},))
    shape = above(after, edit.place, "shape")
    if shape is None:
        return
    shape_at = f"{output}#{shape.address}"
    kind = shape.facts.get((Aspect.STRUCTURE, "kind"))
    if str(shape.facts.get((Aspect.LAYOUT, "placeholder"), "")).startswith(("title", "ctrTitle")) and (text := one_line(text_of(shape))):
        yield Question(f"{quoted(text)} is the title", "pptx.title", slide, ({"equals": text},))
    if kind == "table":
        yield from _table(shape_at, shape, edit, after)
    if kind == "chart":
        yield _chart(shape_at, shape)
    if edit.has(Aspect.GEOMETRY) and edit.kind == "shape":
        place = {name: shape.facts.get((Aspect.GEOMETRY, name)) for name in ("position", "size")}
        yield Question("the shape is where it was asked for", "pptx.shape", shape_at, ({name: value for name, value in place.items() if value is not None},))
    if edit.went(ChangeKind.ADDED) and edit.kind == "shape":
        yield Question("the shape is there", "pptx.shape", shape_at, ({"exists": True, "visible": True}, {"exists": True}))
    for text, look in looks(edit, _LOOKS):
        yield Question(f"{quoted(text)} looks as asked", "pptx.text_style", at, ({"text": text, **look},))


def _table(at: str, shape: Node, edit: Edit, after: Document) -> Iterator[Question]:
    table = next((node for node in shape.walk() if node.kind == "table"), None)
    row = above(after, edit.place, "row")
    if row is not None:
        texts = [text_of(cell) for cell in row.children if cell.kind == "cell"]
        yield Question(f"the row of {quoted(texts[0] if texts else '')} is in the table", "pptx.table", at, ({"contains_rows": [texts]},))
    elif table is not None and (rows := rows_in(table)):
        full = {"rows": len(rows), "columns": max(map(len, rows)), "contains_rows": rows}
        yield Question("the table is native and complete", "pptx.table", at, (full, {"rows": len(rows)}))


def _chart(at: str, shape: Node) -> Question:
    chart = next((node for node in shape.walk() if node.kind == "chart"), shape)
    series = [node for node in chart.walk() if node.kind == "series"]
    shown = [{"name": node.facts.get((Aspect.TEXT, "name")), "values": node.facts.get((Aspect.VALUE, "values"))} for node in series]
    full = [{name: value for name, value in one.items() if value is not None} for one in shown]
    kind = chart.facts.get((Aspect.STRUCTURE, "type"))
    return Question("the chart is native and shows these series", "pptx.chart", at, ({"type": kind, "series": full}, {"type": kind}))


def _title(slide: Node) -> str:
    for shape in slide.children:
        if shape.kind == "shape" and str(shape.facts.get((Aspect.LAYOUT, "placeholder"), "")).startswith(("title", "ctrTitle")):
            return one_line(text_of(shape))
    return ""
