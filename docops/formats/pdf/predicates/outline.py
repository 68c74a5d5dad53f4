"""The predicate of the outline."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from docops.core.codes import Family, FindingCode
from docops.core.predicate import Context, Evidence, Example, Finding, Target, predicate
from docops.formats.pdf.predicates.common import PDF, Result, document_of, file, missing_place, three

if TYPE_CHECKING:
    from docops.formats.pdf.navigation import Bookmark


@predicate(
    "pdf.outline",
    family=Family.STRUCTURAL,
    formats=PDF,
    examples=(
        Example("all titles", file("offer.pdf", three), {"at": "offer.pdf", "titles": ["Cover", "Offer", "Prices", "Terms"]}, passes=True),
        Example("one missing", file("offer.pdf", three), {"at": "offer.pdf", "titles": ["Cover", "Offer", "Prices", "Terms", "Annex"]}, FindingCode.MISSING),
        Example("another order", file("offer.pdf", three), {"at": "offer.pdf", "titles": ["Cover", "Offer", "Terms", "Prices"]}, FindingCode.WRONG_ORDER),
        Example("nested", file("offer.pdf", three), {"at": "offer.pdf", "tree": ["Cover", {"title": "Offer", "children": ["Prices", "Terms"]}]}, passes=True),
        Example("not nested", file("offer.pdf", three), {"at": "offer.pdf", "tree": ["Cover", "Offer", "Prices", "Terms"]}, FindingCode.UNEXPECTED),
    ),
)
def outline(context: Context, *, at: str, titles: list[str] | None = None, tree: list[Any] | None = None) -> Result:
    """The outline (bookmarks) has exactly these titles.

    at: the document, or a bookmark for those below it.   titles: all, depth first.
    tree: nested: a title, or a table with `title`, `children` and optionally `page` (the number of the page it leads to).

    Not checked: where the bookmarks lead, unless the tree gives pages.
    """
    from docops.formats.pdf.navigation import bookmarks, walk_bookmarks

    target = context.target(at, formats=PDF)
    top = bookmarks(document_of(target).model)
    if target.address.segments:
        if not target.nodes:
            yield missing_place(target, "bookmark")
            return
        addresses = {node.address for node in target.nodes}
        top = [child for _, item in walk_bookmarks(top) if _address(item) in addresses for child in item.children]
    items = [item for _, item in walk_bookmarks(top)]
    found = [item.title for item in items]
    before = len(found)
    failed = False
    if titles is not None:
        for finding in _compare_titles(target, items, titles):
            failed = True
            yield finding
    if tree is not None:
        for finding in _compare_tree(target, top, _tree(tree), ""):
            failed = True
            yield finding
    if not failed:
        yield Evidence(target.place(), f"{before} bookmarks: {', '.join(found)}"[:200])


def _address(item: Bookmark) -> str:
    from docops.core.address import format_segment

    return format_segment("outline", item.path, item.ordinal)


def _compare_titles(target: Target, items: Sequence[Bookmark], titles: Sequence[str]) -> Iterator[Finding]:
    found = [item.title for item in items]
    if found == list(titles):
        return
    if sorted(found) == sorted(titles):
        place = next(n for n, (a, b) in enumerate(zip(found, titles, strict=True)) if a != b)
        message = f"bookmark {place + 1} is {found[place]!r}, {titles[place]!r} belongs there"
        yield Finding(FindingCode.WRONG_ORDER, target.place(_address(items[place])), list(titles), list(found), message)
        return
    for operation, a0, a1, b0, b1 in difflib.SequenceMatcher(None, found, list(titles), autojunk=False).get_opcodes():
        if operation == "equal":
            continue
        pairs = max(a1 - a0, b1 - b0)
        for offset in range(pairs):
            have = items[a0 + offset] if a0 + offset < a1 else None
            want = titles[b0 + offset] if b0 + offset < b1 else None
            if have is not None and want is not None:
                message = f"bookmark {a0 + offset + 1} is {have.title!r}, {want!r} is wanted"
                yield Finding(FindingCode.MISMATCH, target.place(_address(have)), want, have.title, message)
            elif have is not None:
                yield Finding(FindingCode.UNEXPECTED, target.place(_address(have)), None, have.title, f"there is a bookmark {have.title!r} that is not wanted")
            else:
                yield Finding(FindingCode.MISSING, target.place(), want, None, f"there is no bookmark {want!r} at position {b0 + offset + 1}")


_Wanted = tuple[str, int | None, list[Any]]


def _tree(items: Any) -> list[_Wanted]:
    """A wanted tree in one form, from the forms people write: nested lists, tables with children, tables by title."""
    out: list[_Wanted] = []
    if isinstance(items, Mapping) and "title" not in items:
        return [(str(title), None, _tree(below)) for title, below in items.items()]
    listed = list(items) if isinstance(items, list | tuple) else [items]
    pairs = bool(listed) and isinstance(listed[0], list | tuple)  # [["Title", [below]], …]
    for item in listed:
        if isinstance(item, str):
            out.append((item, None, []))
        elif isinstance(item, Mapping) and "title" in item:
            page = item.get("page")
            below: Any = next((item[key] for key in ("children", "items", "kids") if key in item), [])
            out.append((str(item["title"]), page if isinstance(page, int) else None, _tree(below)))
        elif isinstance(item, Mapping):
            out += _tree(item)
        elif isinstance(item, list | tuple):
            if pairs and item and isinstance(item[0], str):
                out.append((item[0], None, _tree(item[1]) if len(item) > 1 else []))
            elif out:
                out[-1] = (out[-1][0], out[-1][1], [*out[-1][2], *_tree(item)])
            else:
                out += _tree(item)
    return out


def _compare_tree(target: Target, items: Sequence[Bookmark], wanted: Sequence[_Wanted], path: str) -> Iterator[Finding]:
    model = document_of(target).model
    for place, (title, page, below) in enumerate(wanted):
        where = f"{path}/{title}" if path else title
        if place >= len(items):
            yield Finding(FindingCode.MISSING, target.place(), where, None, f"there is no bookmark {where!r}")
            continue
        item = items[place]
        if item.title != title:
            message = f"bookmark {place + 1} under {path or 'the top'!r} is {item.title!r}, {title!r} belongs there"
            yield Finding(FindingCode.MISMATCH, target.place(_address(item)), title, item.title, message)
            continue
        if page is not None:
            leads = model.targets.page_of(item.destination)
            if leads is None or leads + 1 != page:
                shown = None if leads is None else leads + 1
                yield Finding(FindingCode.MISMATCH, target.place(_address(item)), page, shown, f"bookmark {where!r} leads to page {shown}, not to page {page}")
        yield from _compare_tree(target, item.children, below, where)
    for item in items[len(wanted) :]:
        yield Finding(FindingCode.UNEXPECTED, target.place(_address(item)), None, item.title, f"there is a bookmark {item.path!r} that is not wanted")
