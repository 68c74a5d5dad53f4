"""Comparison of two PDFs: pages are aligned first, and whatever names a page names it by that alignment.

A link to page 7 that leads to the same page after another page was taken out, now the sixth, is unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, cast

from docops.core.codes import Aspect
from docops.core.compare import ALLOW_NONE, Allow, Change, ChangeKind, Comparison, align_nodes, compare_trees
from docops.core.document import Document, Stale
from docops.core.node import Node, Value
from docops.formats.pdf.document import PdfDocument, build_root
from docops.formats.pdf.model import Model, fragment_text
from docops.formats.pdf.navigation import LabelRange, label_ranges, page_labels
from docops.formats.pdf.pages import page_fingerprint, page_identity

if TYPE_CHECKING:
    from docops.formats.pdf.reading import Page

#: Largest table of pages that neither stayed nor are equal to another, and how alike two must be to be one page.
_MAX_PAIRS = 10_000
_ALIKE = 0.6
_TEXT = re.compile(r"page\[(\d+)\]/text\[(\d+)\]")
_PAGE = re.compile(r"page (\d+)\b")


def compare_documents(before: Document, after: Document, comparison: Comparison) -> Iterator[Change]:
    """The changes between two PDFs that the comparison's scope does not allow."""
    old, new = cast("PdfDocument", before), cast("PdfDocument", after)
    fingerprints_old, fingerprints_new = fingerprints(old), fingerprints(new)
    mapping = align_pages(old, new, fingerprints_old, fingerprints_new)
    model = new.model
    if len(mapping) != len(new.objects.pages) or any(j != i for j, i in mapping.items()):
        model = new.renamed(lambda index: str(mapping[index] + 1) if index in mapping else f"new {index + 1}")
        fingerprints_new = tuple(page_fingerprint(model, page) for page in model.objects.pages)
    root_old, root_new = build_root(old.model), build_root(model)
    shared = set(fingerprints_old) & set(fingerprints_new)
    for root, prints in ((root_old, fingerprints_old), (root_new, fingerprints_new)):
        for node, fingerprint in zip(_pages(root), prints, strict=True):
            node.fingerprint = fingerprint
            if fingerprint in shared:  # equal bytes on both sides: nobody needs to look inside
                node._digest = b"page" + fingerprint.encode()
    comparison.matches = {f"page[{j + 1}]": f"page[{i + 1}]" for j, i in mapping.items()}
    changes = list(compare_trees(root_old, root_new, comparison))
    page_nodes = _pages(root_old)
    gone = {
        node.number or 0
        for index, node in enumerate(page_nodes)
        if index not in mapping.values() and Allow.REMOVE in comparison.allowed_before(node, ALLOW_NONE)
    }
    come = {
        node.number or 0
        for index, node in enumerate(_pages(root_new))
        if index not in mapping and Allow.ADD in comparison.allowed_after(node, ALLOW_NONE)
    }
    moved = any(Allow.MOVE in comparison.allowed_before(node, ALLOW_NONE) for node in page_nodes)
    if gone or come or moved:
        changes = [change for change in changes if not _follows(change, gone, come)]
    changes = [change for change in changes if change.name != "look" or not _widgets_in_scope(change, old, page_nodes, gone, comparison)]
    grown = {change.address for change in changes if change.name == "text" and not change.place and _grew(change, old, new, comparison)}
    changes = [change for change in changes if change.place or change.address not in grown]
    drawn = _drawn_by_readers(old, new)
    if drawn:
        changes = [change for change in changes if not (change.address in drawn and change.name in {"shown", "look", "appearance N", "frame"})]
    if model is not new.model and _labels_follow(old.model, new.model, mapping):
        changes = [change for change in changes if not change.address.startswith("label[")]
    yield from changes
    yield from _copied_pages(changes, new, mapping, page_nodes, comparison)


def _copied_pages(changes: Sequence[Change], new: PdfDocument, mapping: dict[int, int], pages: Sequence[Node], comparison: Comparison) -> Iterator[Change]:
    """Pages of which the second document holds copies that nobody asked for: either of the two may be called the copy."""
    added = [change.node.number - 1 for change in changes if change.kind is ChangeKind.ADDED and change.node is not None and change.node.kind == "page" and change.node.number]
    if not added or Aspect.STRUCTURE not in comparison.aspects:
        return
    prints = _content_prints(new)
    for index, original in sorted(mapping.items()):
        copies = 1 + sum(prints[other] == prints[index] for other in added)
        if copies > 1 and Allow.CHANGE not in comparison.allowed_before(pages[original], ALLOW_NONE):
            yield Change(pages[original].address, Aspect.STRUCTURE, "copies", ChangeKind.CHANGED, 1, copies)


def fingerprints(document: PdfDocument) -> tuple[str, ...]:
    """Digest of all that each page is made from, kept with the document."""
    if document._fingerprints is None:
        document._fingerprints = tuple(page_fingerprint(document.model, page) for page in document.objects.pages)
    return document._fingerprints


def _pages(root: Node) -> list[Node]:
    return [node for node in root.children if node.kind == "page"]


def align_pages(old: PdfDocument, new: PdfDocument, fingerprints_old: Sequence[str], fingerprints_new: Sequence[str]) -> dict[int, int]:
    """After index → before index of the pages that are the same page."""
    if tuple(fingerprints_old) == tuple(fingerprints_new):
        return {index: index for index in range(len(fingerprints_old))}
    sources_old, sources_new = _content_prints(old), _content_prints(new)
    if sources_old == sources_new:
        return {index: index for index in range(len(sources_old))}
    shared = set(sources_old) & set(sources_new)
    left = [_identity_node(old.model, page, sources_old[page.index], shared) for page in old.objects.pages]
    right = [_identity_node(new.model, page, sources_new[page.index], shared) for page in new.objects.pages]
    return _best_changed({j: i for i, j in align_nodes(left, right)}, left, right)


def _best_changed(mapping: dict[int, int], left: Sequence[Node], right: Sequence[Node]) -> dict[int, int]:
    """The same match, pages that changed and moved at once matched by what they say rather than by where they stand."""
    exact = {j: i for j, i in mapping.items() if left[i].digest == right[j].digest}
    rows = [i for i in range(len(left)) if i not in set(exact.values())]
    columns = [j for j in range(len(right)) if j not in exact]
    if min(len(rows), len(columns)) < 1 or len(rows) + len(columns) < 3 or len(rows) * len(columns) > _MAX_PAIRS:
        return mapping
    words_left, words_right = {i: _words(left[i]) for i in rows}, {j: _words(right[j]) for j in columns}
    scores = {(i, j): _likeness(words_left[i], words_right[j]) for i in rows for j in columns}
    found: dict[int, int] = {}
    taken: set[int] = set()
    for (i, j), score in sorted(scores.items(), key=lambda item: (-round(item[1], 2), mapping.get(item[0][1]) != item[0][0], item[0])):
        if score >= _ALIKE and i not in taken and j not in found:
            found[j] = i
            taken.add(i)
    changed = {j: i for j, i in mapping.items() if j not in exact}
    if sum(scores[i, j] for j, i in found.items()) <= sum(scores[i, j] for j, i in changed.items()) + 0.02:
        return mapping
    left_over = {j: i for j, i in changed.items() if j not in found and i not in taken}
    return {**exact, **found, **left_over}


def _words(node: Node) -> frozenset[str]:
    text = node.facts.get((Aspect.TEXT, "text"))
    lines = text.splitlines() if isinstance(text, str) else []
    return frozenset([*lines, *(word for line in lines for word in line.split())])


def _likeness(first: frozenset[str], second: frozenset[str]) -> float:
    return 2 * len(first & second) / (len(first) + len(second)) if first or second else 0.0


def _content_prints(document: PdfDocument) -> list[str]:
    """Digest of the bytes of each page's content, annotations left out."""
    digest = document.model.canonical.digest
    keys = ("Contents", "Resources", "MediaBox", "CropBox", "Rotate")
    return [digest([page.effective(key) if key != "Contents" else page.dict.get(key) for key in keys]) for page in document.objects.pages]


def _identity_node(model: Model, page: Page, source: str, shared: set[str]) -> Node:
    node = Node(None, "page", number=page.index + 1, facts=lambda: page_identity(model, page))
    if source in shared:  # equal bytes on both sides: nobody needs to look inside
        node.fingerprint = source
        node._digest = b"content" + source.encode()
    return node


def _grew(change: Change, old: PdfDocument, new: PdfDocument, comparison: Comparison) -> bool:
    """Whether a block of text only took in lines drawn above or below it, where text may be added."""
    places = [_TEXT.fullmatch(address) for address in (change.address, change.other_address or change.address)]
    if places[0] is None or places[1] is None:
        return False
    address = change.other_address or change.address
    allowed = comparison.after_scope.get(address, frozenset()) | comparison.after_scope.get(f"page[{places[1][1]}]", frozenset())
    if Allow.ADD not in allowed:
        return False
    before, after = (
        [fragment_text(fragment) for fragment in model.page_content(model.objects.pages[int(place[1]) - 1]).blocks[int(place[2]) - 1].fragments]
        for model, place in ((old.model, places[0]), (new.model, places[1]))
    )
    return len(after) > len(before) and before in (after[: len(before)], after[-len(before) :])


def _drawn_by_readers(old: PdfDocument, new: PdfDocument) -> set[str]:
    """Fields, with their widgets, that the first document left to readers to draw and that the second shows as they draw them."""
    before, after = old.model.form, new.model.form
    out: set[str] = set()
    if before.need_appearances:
        others = {entry.address: entry for entry in after.fields}
        for entry in before.fields:
            other = others.get(entry.address)
            if other is None or not after.shows_what_it_holds(other) or (before.type_of(entry) != "list" and before.contradiction(entry, stored=True) is None):
                continue
            out.add(entry.address)
            out.update(address for widget in entry.widgets if (address := old.model.widget_address(widget)) is not None)
    return out


def _widgets_in_scope(change: Change, old: PdfDocument, pages: Sequence[Node], gone: set[int], comparison: Comparison) -> bool:
    """Whether a field looks different only for what may happen to all of its widgets."""
    for entry in old.model.form.fields:
        if entry.address != change.address:
            continue
        addresses = [address for widget in entry.widgets if (address := old.model.widget_address(widget)) is not None]
        numbers = [int(address.partition("]")[0].removeprefix("page[")) for address in addresses]
        return bool(addresses) and all(
            number in gone or Allow.CHANGE in comparison.before_scope.get(address, ()) or Allow.CHANGE in comparison.allowed_before(pages[number - 1], ALLOW_NONE)
            for address, number in zip(addresses, numbers, strict=True)
        )
    return False


def _page_numbers(value: Value) -> set[int]:
    return {int(number) for number in _PAGE.findall(value)} if isinstance(value, str) else set()


def _follows(change: Change, gone: set[int], come: set[int]) -> bool:
    """Whether a change is what taking pages out, or putting pages in, brings with it."""
    kind = change.node.kind if change.node is not None else ""
    if change.place and change.node is not None and kind in {"outline", "annotation", "destination", "element", "field", "signature"}:
        if change.kind is ChangeKind.REMOVED and gone:
            return all(_leads_only_to(node, gone) for node in change.node.walk()) and _names_pages(change.node)
        if change.kind is ChangeKind.ADDED and come and kind == "element":
            return all("page" not in str(value) or "page new " in str(value) for node in change.node.walk() for value in node.facts.values())
        return False
    if change.place or change.kind is not ChangeKind.CHANGED:
        return False
    if change.aspect is Aspect.LINK:
        numbers = _page_numbers(change.before)
        return bool(numbers) and numbers <= gone
    if change.name in {"content", "widgets"} and isinstance(change.before, list | tuple):
        after = [item for item in change.after if "no page" not in str(item)] if isinstance(change.after, list | tuple) else []
        kept = [item for item in change.before if not _mentions(item, gone)]
        return list(after) == kept or (bool(come) and [item for item in after if "new " not in str(item)] == kept)
    return change.name == "parent_tree"


def _mentions(item: Value, pages: set[int]) -> bool:
    text = str(item)
    return (text.isdigit() and int(text) in pages) or bool(_page_numbers(text) & pages)


def _leads_only_to(node: Node, pages: set[int]) -> bool:
    for (aspect, name), value in node.facts.items():
        if aspect is Aspect.LINK and _page_numbers(value) - pages:
            return False
        if name in {"content", "widgets"} and isinstance(value, list | tuple) and not all(_mentions(item, pages) for item in value):
            return False
    return True


def _names_pages(node: Node) -> bool:
    return any(
        (aspect is Aspect.LINK and _page_numbers(value)) or (name in {"content", "widgets"} and value)
        for inner in node.walk()
        for (aspect, name), value in inner.facts.items()
    )


def _labels_follow(old: Model, new: Model, mapping: dict[int, int]) -> bool:
    """Whether the labels are what they were: as stored, page by page, or range by range with the pages that are left."""
    before, after = page_labels(old), page_labels(new)
    if before is None or after is None:
        return before is None and after is None
    if [entry for entry in label_ranges(old) if entry.start < len(after)] == label_ranges(new):
        return True
    if all(before[i] == after[j] for j, i in mapping.items()):
        return True
    expected: dict[int, tuple[str, str, int]] = {}
    survivors = sorted((i, j) for j, i in mapping.items())
    for entry in label_ranges(old):
        start = next((j for i, j in survivors if i >= entry.start), None)
        if start is not None:
            expected[start] = _numbering(entry)
    if expected and 0 not in expected:
        expected[0] = _numbering(label_ranges(old)[0])
    return expected == {entry.start: _numbering(entry) for entry in label_ranges(new)}


def _numbering(entry: LabelRange) -> tuple[str, str, int]:
    return entry.style, entry.prefix, entry.first


def stale_values(document: Document, source: Document | None) -> list[Stale]:
    """Fields whose appearance contradicts their value, and did not in the source."""
    form = cast("PdfDocument", document).model.form
    known: dict[str, tuple[Value, Value]] = {}
    if source is not None:
        other = cast("PdfDocument", source).model.form
        known = {entry.address: found for entry in other.fields if (found := other.contradiction(entry, stored=True)) is not None}
    out = []
    for entry in form.fields:
        found = form.contradiction(entry)
        if found is not None and known.get(entry.address) != found:
            out.append(Stale(entry.address, "appearance", found[1], found[0]))
    return out
