"""Questions about text documents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from docops.core.address import parse_address
from docops.core.codes import Aspect
from docops.core.compare import ChangeKind
from docops.core.document import Document
from docops.drafting.questions import Edit, Question, above, looks, one_line, quoted, rows_in, text_of

_LOOKS = {
    "bold": "bold",
    "italic": "italic",
    "strike": "strike",
    "underline": "underline",
    "colour": "colour",
    "highlight": "highlight",
    "font": "font",
    "size": "size",
}


def questions(output: str, edits: Sequence[Edit], before: Document, after: Document) -> Iterator[Question]:
    """Which headings, tables, notes, links and looks there are now."""
    for edit in edits:
        if edit.node is None:
            continue
        text = one_line(text_of(edit.node))
        level = edit.node.facts.get((Aspect.STRUCTURE, "heading level"))
        if edit.kind == "paragraph" and isinstance(level, int) and text:
            yield Question(f"{quoted(text)} is a heading", "docx.heading", output, ({"text": text, "level": level},))
        style = edit.node.facts.get((Aspect.FORMAT, "style"))
        if edit.kind == "paragraph" and edit.has(Aspect.FORMAT, "style") and isinstance(style, str) and text:
            yield Question(f"{quoted(text)} has the style {style}", "docx.paragraph", output, ({"text": text, "style": style},))
        for found, look in looks(edit, _LOOKS):
            yield Question(f"{quoted(found)} looks as asked", "docx.text_format", output, ({"text": found, **look},))
        yield from _tables(output, edit, after)
        yield from _marks(output, edit)
    if any(parse_address(edit.place).segments[0].kind == "revision" for edit in edits if edit.place):
        pending = sum(node.kind == "revision" for node in after.root.children)
        yield Question("tracked changes are pending", "docx.revisions", output, ({"pending": pending or False},))


def _tables(output: str, edit: Edit, after: Document) -> Iterator[Question]:
    table = above(after, edit.place, "table")
    row = above(after, edit.place, "row")
    if edit.kind == "table" and edit.went(ChangeKind.ADDED) and edit.node is not None:
        rows = rows_in(edit.node)
        if rows:
            full = {"rows": len(rows), "columns": max(map(len, rows)), "contains_rows": rows[1:]}
            yield Question("the table is native and complete", "docx.table", output, ({**full, "header": rows[0]}, {"rows": len(rows), "contains_rows": rows}, {"header": rows[0]}))
    elif table is not None and row is not None:
        texts = [text_of(cell) for cell in row.children if cell.kind == "cell"]
        yield Question(f"the row of {quoted(texts[0] if texts else '')} is in the table", "docx.table", output, ({"contains_rows": [texts]},))


def _marks(output: str, edit: Edit) -> Iterator[Question]:
    if edit.node is None:
        return
    kind = parse_address(edit.place).segments[0].kind
    text = one_line(text_of(edit.node))
    if kind in ("header", "footer") and text:
        yield Question(f"the {kind} says {quoted(text)}", f"docx.{kind}", output, ({"contains": text},))
    elif kind == "comment" and text:
        yield Question(f"a comment says {quoted(text)}", "docx.comment", output, ({"contains": text},))
    elif kind in ("footnote", "endnote") and text:
        yield Question(f"a note says {quoted(text)}", "docx.footnote", output, ({"contains": text, "kind": kind},))
    elif kind == "bookmark" and edit.node.name:
        yield Question(f"the bookmark {edit.node.name} is there", "docx.bookmark", output, ({"name": edit.node.name},))
