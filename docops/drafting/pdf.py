"""Questions about PDF files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from docops.core.address import Address, parse_address
from docops.core.codes import Aspect
from docops.core.compare import Change, ChangeKind
from docops.core.document import Document
from docops.core.node import Node
from docops.drafting.questions import Edit, Question


def questions(output: str, edits: Sequence[Edit], before: Document, after: Document) -> Iterator[Question]:
    """What the fields hold, which pages there are in which order, and where the bookmarks are."""
    kinds = {parse_address(edit.place).segments[0].kind for edit in edits if edit.place}
    old, new = (sum(node.kind == "page" for node in document.root.children) for document in (before, after))
    if any(edit.kind == "page" for edit in edits):
        yield Question(f"there are {new} pages", "pdf.page_count", output, ({"equals": new},))
        order = _order(old, new, [change for edit in edits for change in edit.changes])
        if order:
            yield Question("the pages stand in the order asked", "pdf.page_order", output, ({"source_pages": order},))
    if "outline" in kinds:
        yield Question("the bookmarks are these", "pdf.outline", output, ({"titles": list(_titles(after.root.children))},))
    for edit in edits:
        if edit.node is None:
            continue
        segments = parse_address(edit.place).segments
        page = f"{output}#{Address(None, segments[:1])}"
        if edit.kind == "field":
            value = edit.node.facts.get((Aspect.FORM, "value"))
            if isinstance(value, (str, list)):
                yield Question(f"the field {edit.node.name} is filled", "pdf.form_field", output, ({"name": edit.node.name, "equals": value},))
        elif edit.kind == "page" and edit.has(Aspect.GEOMETRY, "rotation"):
            yield Question("the page is turned as asked", "pdf.rotation", page, ({"equals": edit.node.facts.get((Aspect.GEOMETRY, "rotation"))},))
        elif edit.kind == "annotation":
            kind = edit.node.facts.get((Aspect.STRUCTURE, "type"))
            contents = edit.node.facts.get((Aspect.COMMENT, "contents"))
            says = {"contains": contents} if isinstance(contents, str) and contents else {}
            yield Question(f"there is a {kind}", "pdf.annotation", page, ({"type": kind, **says}, {"type": kind}))
        elif edit.kind == "attachment" and edit.node.name:
            yield Question(f"{edit.node.name} is attached", "pdf.attachment", output, ({"name": edit.node.name},))
        elif edit.kind == "property" and edit.node.name:
            value = edit.node.facts.get((Aspect.METADATA, "value"))
            yield Question(f"the property {edit.node.name} is set", "pdf.metadata", output, ({"key": edit.node.name, "equals": value},))


def _order(old: int, new: int, changes: Sequence[Change]) -> list[int]:
    """For each page the number of the source's page that it is, or nothing where one is new."""
    places: dict[int, int] = {}
    gone: set[int] = set()
    for change in changes:
        if not change.place or not _PAGE.fullmatch(change.address):
            continue
        number = _number(change.address)
        if change.kind is ChangeKind.ADDED:
            return []
        gone.add(number)
        if change.kind is ChangeKind.MOVED:
            places[_number(change.other_address or change.address)] = number
    rest = iter([number for number in range(1, old + 1) if number not in gone])
    return [places.get(number) or next(rest, 0) for number in range(1, new + 1)]


_PAGE = re.compile(r"page\[([1-9][0-9]*)\]")


def _number(address: str) -> int:
    match = _PAGE.fullmatch(address)
    return int(match[1]) if match else 0


def _titles(nodes: Sequence[Node]) -> Iterator[str]:
    for node in nodes:
        if node.kind == "outline":
            title = node.facts.get((Aspect.TEXT, "title"), node.label)
            if isinstance(title, str):
                yield title
            yield from _titles(node.children)
