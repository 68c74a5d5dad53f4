"""Comparison of two docx: the generic one, and what follows from things being anchored in the text.

A note, comment, bookmark or tracked change stands beside the body and is anchored in it. Where an edit in scope rewrote
the paragraph, the offsets of what is anchored there belong to the edit; where it removed or added the whole paragraph, so
does what is anchored in it. Losing a note or a bookmark while the paragraph stays is no part of an edit of the paragraph.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from docops.core.codes import Aspect
from docops.core.compare import Allow, Change, ChangeKind, Comparison, compare_trees
from docops.core.document import Document
from docops.core.node import Node, Value
from docops.formats.docx.document import OWN_HEADERS, DocxDocument
from docops.formats.docx.inner_scope import PLACE_FACTS, without_inner_edits
from docops.formats.docx.resaving import without_resaving
from docops.formats.docx.table_facts import given_names

_ANCHORED = frozenset({"footnote", "endnote", "comment", "bookmark", "revision"})
_LIST_FACTS = frozenset({"list begins"})


def compare_documents(before: Document, after: Document, comparison: Comparison) -> Iterator[Change]:
    """The changes that the scope does not allow; those of anchored things are reported at their paragraph as well."""
    if not isinstance(before, DocxDocument) or not isinstance(after, DocxDocument):
        yield from compare_trees(before.root, after.root, comparison)
        return
    if before.root.fingerprint == after.root.fingerprint:
        return
    changes = [change for change in compare_trees(before.root, after.root, comparison) if not _follows(change, before, after, comparison)]
    changes = without_inner_edits(changes, before, after, comparison)
    if Aspect.FORMAT not in comparison.aspects:
        changes = without_resaving(changes)
    reported = {change.address for change in changes}
    echoed: set[str] = set()
    for change in changes:
        yield change
        if change.address not in echoed:
            echoed.add(change.address)
            yield from _at_paragraph(change, before, after, comparison, reported)
            yield from _at_owner(change, before, after, comparison, reported)
        if change.name == OWN_HEADERS:
            yield from _at_header(change, comparison, reported)


def _kind(address: str) -> str:
    return address.partition("[")[0].partition("/")[0]


def _follows(change: Change, before: DocxDocument, after: DocxDocument, comparison: Comparison) -> bool:
    """Whether an allowed edit of the text necessarily brought this change with it."""
    kind = _kind(change.address)
    if change.aspect is Aspect.FORMAT and not change.place and "/cell[" in change.address:
        return _follows_table(change, before, after)
    if change.place and change.node is not None and change.node.kind == "paragraph" and (Aspect.FIELD, "result of") in change.node.facts:
        # Paragraphs of a table of contents come and go with what they list; the field itself is compared.
        return True
    if change.name == OWN_HEADERS:
        return _headers_in_scope(change, comparison)
    if change.name in _LIST_FACTS:
        return _list_edited(before, after, comparison)
    if kind not in _ANCHORED:
        return False
    if change.name == "answers":
        texts = {node.text for address in comparison.before_scope for node in before.find(address) if node.kind == "comment"}
        return change.before in texts and change.after is not None
    if change.place and change.kind is ChangeKind.ADDED and kind == "bookmark" and _renamed(change, before, comparison):
        return True
    if change.place and change.kind in {ChangeKind.REMOVED, ChangeKind.ADDED}:
        removed = change.kind is ChangeKind.REMOVED
        places = (before if removed else after).anchored_in(change.address)
        gone = comparison.allowed_removals if removed else comparison.allowed_additions
        if places and all(_within(place, gone) for place in places):
            return True
        # A new mark in text whose edit is allowed is part of that edit; losing one is not.
        return not removed and bool(places) and kind != "comment" and all(_within(place, comparison.after_scope) for place in places)
    if "/" not in change.address and ((change.name == "mark" and change.after == "missing") or change.kind is ChangeKind.MOVED):
        # What stood in a paragraph that went may stay behind in its own part, where nothing refers to it.
        places = before.anchored_in(change.address)
        if places and all(_within(place, comparison.allowed_removals) for place in places):
            return True
    if change.name in PLACE_FACTS and "/" not in change.address:
        places = before.anchored_in(change.address)
        return any(_allows(place, comparison, Allow.CHANGE) for place in places)
    if change.kind is ChangeKind.MOVED:
        places = before.anchored_in(change.address)
        return any(_allows(place, comparison, Allow.MOVE) for place in places)
    return False


_CELL = re.compile(r".*/cell\[\d+\](?=/|$)")


def _follows_table(change: Change, before: DocxDocument, after: DocxDocument) -> bool:
    """Whether what stands in a cell looks different for a reason that is reported elsewhere.

    Because another row or column is now the first or the last, which is reported where it came or went; or because the
    table has another style, which is reported at the table. (Which parts of its style a table uses is reported at both.)
    """
    match, other = _CELL.match(change.address), _CELL.match(change.other_address or change.address)
    was = before.cell_look(match.group()) if match is not None else None
    now = after.cell_look(other.group()) if other is not None else None
    if was == now or match is None or other is None:
        return False
    tables = [document.find(cell.group().rpartition("/row[")[0]) for document, cell in ((before, match), (after, other))]
    if len(tables[0]) != 1 or len(tables[1]) != 1:
        return False
    same_style, same_look = (tables[0][0].facts.get(key) == tables[1][0].facts.get(key) for key in ((Aspect.FORMAT, "style"), (Aspect.FORMAT, "look")))
    if same_style and same_look and was is not None and now is not None:
        return change.name in given_names(before.shared, was.style, set(was.parts) ^ set(now.parts))
    return not same_style and any(
        change.name in given_names(document.shared, look.style, ("", *look.parts)) for document, look in ((before, was), (after, now)) if look is not None
    )


_PAGE_SETUP = re.compile(r"body/page_setup\[(\d+)\]")


def _headers_in_scope(change: Change, comparison: Comparison) -> bool:
    """Whether every header that a section has got or lost is in scope."""
    before, after = _PAGE_SETUP.fullmatch(change.address), _PAGE_SETUP.fullmatch(change.other_address or change.address)
    if before is None or after is None:
        return False
    old, new = (set(map(str, value)) if isinstance(value, (list, tuple)) else set() for value in (change.before, change.after))
    gone = all(_header_address(name, before.group(1)) in comparison.before_scope for name in old - new)
    return gone and all(_header_address(name, after.group(1)) in comparison.after_scope for name in new - old)


def _at_header(change: Change, comparison: Comparison, reported: Collection[str]) -> Iterator[Change]:
    """The headers that a section no longer has by itself, where they stand unchanged in another section."""
    number = _PAGE_SETUP.fullmatch(change.address)
    old, new = (set(map(str, value)) if isinstance(value, (list, tuple)) else set() for value in (change.before, change.after))
    if number is None:
        return
    for name in sorted(old - new):
        address = _header_address(name, number.group(1))
        if address not in reported and address not in comparison.before_scope:
            yield Change(address, change.aspect, "section", ChangeKind.REMOVED, f"section {number.group(1)}", None)


def _header_address(name: str, section: str) -> str:
    kind, _, variant = name.partition(" ")
    return f"{kind}[{section},{variant}]"


def _renamed(change: Change, before: DocxDocument, comparison: Comparison) -> bool:
    """Whether a new bookmark marks just what one that might go had marked."""
    gone = [node for address in comparison.allowed_removals if _kind(address) == "bookmark" for node in before.find(address)]
    return change.node is not None and any(node.facts == change.node.facts for node in gone)


def _within(address: str, places: Collection[str]) -> bool:
    while address:
        if address in places:
            return True
        address = address.rpartition("/")[0]
    return False


def _allows(address: str, comparison: Comparison, what: Allow) -> bool:
    while address:
        if what in comparison.before_scope.get(address, ()):
            return True
        address = address.rpartition("/")[0]
    return False


def _list_edited(before: DocxDocument, after: DocxDocument, comparison: Comparison) -> bool:
    """Whether an item of a list is among what was allowed to change, come or go."""
    return any(
        (Aspect.STRUCTURE, "list") in node.facts
        for document, scope in ((before, comparison.before_scope), (after, comparison.after_scope))
        for address in scope
        for place in document.find(address)
        for node in place.walk()
        if node.kind == "paragraph"
    )


def _at_paragraph(
    change: Change, before: DocxDocument, after: DocxDocument, comparison: Comparison, reported: Collection[str]
) -> Iterator[Change]:
    """The same change at the paragraphs where the thing is anchored, unless those are in scope."""
    if _kind(change.address) not in _ANCHORED or "/" in change.address:
        return
    added = change.kind is ChangeKind.ADDED and change.place
    places: Sequence[str] = (after if added else before).anchored_in(change.address)
    node = change.node if change.node is not None else _node(after if added else before, change.address)
    if change.place:
        what: Value = f"{change.address}: {(node.text if node is not None else '')[:120]}"
        pair: tuple[Value, Value] = (None, what) if added else (what, None)
    else:
        pair = (change.before, change.after)
    aspect = _ASPECTS[_kind(change.address)]
    if aspect not in comparison.aspects:
        return
    scope = comparison.after_scope if added else comparison.before_scope
    for place in places[:1]:
        if not _within(place, scope) and place not in reported:
            yield Change(place, aspect, f"{_kind(change.address)} {change.name}" if not change.place else _kind(change.address), change.kind, pair[0], pair[1])


_DRAWN = re.compile(r".*?/(?:image|text_box|equation|chart|diagram|object|shape|page_setup)\[\d+\](?=/|$)")


def _at_owner(
    change: Change, before: DocxDocument, after: DocxDocument, comparison: Comparison, reported: set[str]
) -> Iterator[Change]:
    """The same change at the paragraph that a drawing is anchored in (or that ends the section), unless that is in scope."""
    match = _DRAWN.match(change.address)
    if match is None:
        return
    added = change.kind is ChangeKind.ADDED and change.place and match.group() == change.address
    node = _node(after if added else before, match.group())
    scope = comparison.after_scope if added else comparison.before_scope
    for place in node.also[:1] if node is not None else ():
        if not _within(place, scope) and place not in reported:
            reported.add(place)
            yield Change(place, change.aspect, f"{match.group().rpartition('/')[2]} {change.name}", change.kind, change.before, change.after)


_ASPECTS = {
    "footnote": Aspect.NOTE, "endnote": Aspect.NOTE, "comment": Aspect.COMMENT, "bookmark": Aspect.NAME, "revision": Aspect.REVISION,
}  # fmt: skip


def _node(document: DocxDocument, address: str) -> Node | None:
    return next(iter(document.find(address)), None)
