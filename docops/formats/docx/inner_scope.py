"""Edit scopes that name a run, a field or a link: the paragraph's text may change there, and nowhere else."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from docops.core.codes import Aspect
from docops.core.compare import ALLOW_NONE, Allow, Change, Comparison, Scope, compare_children
from docops.core.node import Node
from docops.formats.docx.document import DocxDocument
from docops.formats.docx.paragraphs import within_result

_INNER = re.compile(r"(.*(?:^|/)paragraph\[\d+\])/(?:run|field|hyperlink)\[\d+\]")
_PARAGRAPH = re.compile(r".*(?:^|/)paragraph\[\d+\](?=/|$)")
#: Facts of anchored things that only say where they stand.
PLACE_FACTS = frozenset({"offset", "paragraph", "covered text"})
#: Part of a text: first character, and the one after the last.
_Range = tuple[int, int]


def without_inner_edits(changes: Sequence[Change], before: DocxDocument, after: DocxDocument, comparison: Comparison) -> list[Change]:
    """The changes less those that an edit inside a run, field or link in scope makes to the paragraph around it."""
    found = list(changes)
    places = {match.group(1) for scope in (comparison.before_scope, comparison.after_scope) for address in scope if (match := _INNER.fullmatch(address))}
    for place in sorted(places):
        found = _less(found, place, before, after, comparison)
    return found


def _less(changes: list[Change], place: str, before: DocxDocument, after: DocxDocument, comparison: Comparison) -> list[Change]:
    own = [change for change in changes if _paragraph(change.address) == place and not change.place]
    other = next((_paragraph(change.other_address) for change in own if change.other_address), place)
    old, new = before.find(place), after.find(other)
    if len(old) != 1 or len(new) != 1:
        return changes
    named = _named(before, old[0])
    ranges = _in_scope(named, comparison.before_scope), _in_scope(_named(after, new[0]), comparison.after_scope)
    kept = _kept(old[0].text, new[0].text, *ranges)
    if kept is None:
        return changes

    def follows(change: Change) -> bool:
        runs = (f"{place}/run[", f"{other}/run[")
        if change.address.startswith(runs) or (change.address.startswith(f"{place}/") and change.name == "offset"):
            return True
        if (change.aspect, change.name) == (Aspect.LINK, "text") and change.address in named:
            first, last = named[change.address]
            return any(start < last and first < end for start, end in ranges[0])
        if change.address == place and not change.place:
            same_marks = change.name == "note marks" and _kinds(change.before) == _kinds(change.after)
            return (change.aspect, change.name) == (Aspect.TEXT, "text") or same_marks
        return change.name in PLACE_FACTS and place in before.anchored_in(change.address)

    looks = compare_children(_cut(old[0], [one for one, _ in kept]), _cut(new[0], [one for _, one in kept]), comparison, ALLOW_NONE, ALLOW_NONE)
    return [*(change for change in changes if not follows(change)), *looks]


def _paragraph(address: str) -> str:
    match = _PARAGRAPH.match(address)
    return match.group() if match is not None else ""


def _kinds(marks: object) -> list[str]:
    return [str(mark).partition(" at ")[0] for mark in marks] if isinstance(marks, (list, tuple)) else []


def _in_scope(named: Mapping[str, _Range], scope: Scope) -> list[_Range]:
    return sorted(part for address, part in named.items() if Allow.CHANGE in scope.get(address, ()))


def _named(document: DocxDocument, paragraph: Node) -> dict[str, _Range]:
    """The parts of a paragraph's text that have addresses: runs, fields and links."""
    story = document.stories.get(paragraph.address.partition("/")[0])
    element = story.elements.get(paragraph.address) if story is not None else None
    if story is None or element is None:
        return {}
    content = story.content(element)
    links = [link for link in content.links if not within_result(link)]
    out: dict[str, _Range] = {}
    at = 0
    for node in paragraph.children:
        start, length = at, 0
        if node.kind == "run":
            length = len(node.text)
            at += length
        elif node.kind == "field" and node.number is not None:
            one, start = content.fields[node.number - 1]
            length = sum(len(piece.text) for piece in content.pieces if piece.fact and piece.control is None and piece.field is one)
        elif node.kind == "hyperlink" and node.number is not None:
            start = links[node.number - 1].offset
            length = sum(len(piece.text) for piece in links[node.number - 1].pieces if piece.fact and piece.control is None)
        out[node.address] = (start, start + length)
    return out


def _kept(old: str, new: str, old_ranges: Sequence[_Range], new_ranges: Sequence[_Range]) -> list[tuple[_Range, _Range]] | None:
    """The parts of both texts outside the ranges in scope, pair by pair; None where they differ."""
    if not old_ranges:
        swapped = _kept(new, old, new_ranges, old_ranges) if new_ranges else None
        return [(one, other) for other, one in swapped] if swapped is not None else None
    outside = list(_outside(len(old), old_ranges))
    match = re.fullmatch("(.*)".join(f"({re.escape(old[start:end])})" for start, end in outside), new, re.DOTALL)
    return [(one, match.span(2 * n + 1)) for n, one in enumerate(outside)] if match is not None else None


def _outside(length: int, ranges: Sequence[_Range]) -> Iterator[_Range]:
    at = 0
    for start, end in ranges:
        yield at, max(start, at)
        at = max(end, at)
    yield at, max(length, at)


def _cut(paragraph: Node, parts: Sequence[_Range]) -> list[Node]:
    """The runs of a paragraph with only these parts of the text."""
    out: list[Node] = []
    at = 0
    for run in (node for node in paragraph.children if node.kind == "run"):
        end = at + len(run.text)
        text = "".join(run.text[max(start, at) - at : max(min(stop, end) - at, 0)] for start, stop in parts)
        if text:
            out.append(Node(paragraph, "run", number=run.number, facts=run.facts, label=text, depends=run.depends, own=run.own))
        at = end
    return out
