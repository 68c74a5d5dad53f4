"""Predicates of annotations and links."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from docops.core.codes import Family, FindingCode
from docops.core.node import Value
from docops.core.predicate import Context, Evidence, Example, Finding, Target, predicate
from docops.formats.pdf.predicates.common import PDF, Result, document_of, file, missing_place, pages_of
from docops.formats.pdf.samples import SamplePage, pdf

if TYPE_CHECKING:
    pass


def _annotations(target: Target) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Address, dictionary and type of the annotations that `at` names."""
    model = document_of(target).model
    named = {node.address for node in target.nodes if node.kind == "annotation"}
    for page in pages_of(target):
        for annotation in model.annotations(page):
            address = f"page[{page.index + 1}]/annotation[{annotation.number}]"
            if not named or address in named:
                yield address, annotation.dict, annotation.subtype


def _noted() -> bytes:
    return pdf([SamplePage("Cover", notes=["Please check"], links=["https://example.org/terms", 2]), SamplePage("Terms")])


@predicate(
    "pdf.annotation",
    family=Family.STRUCTURAL,
    formats=PDF,
    examples=(
        Example("there", file("a.pdf", _noted), {"at": "a.pdf#page[1]", "type": "Text", "contains": "check"}, passes=True),
        Example("another wording", file("a.pdf", _noted), {"at": "a.pdf#page[1]", "type": "Text", "contains": "done"}, passes=FindingCode.MISSING),
        Example("too many", file("a.pdf", _noted), {"at": "a.pdf", "type": "Link", "count": 1}, passes=FindingCode.WRONG_COUNT),
    ),
)
def annotation(context: Context, *, at: str, type: str | None = None, contains: str | None = None, count: int | None = None) -> Result:  # noqa: A002
    """There is an annotation of this type that says this.

    at: a page, an annotation, or the document.   type: as PDF names it (Text, Highlight, FreeText, Link, Stamp, …).
    contains: part of its contents.   count: exactly so many; without it at least one.

    Not checked: hidden annotations do not count.
    """
    target = context.target(at, formats=PDF)
    objects = document_of(target).objects
    if not target.nodes:
        yield missing_place(target)
        return
    found = [
        (address, objects.text_at(entry, "Contents") or "")
        for address, entry, subtype in _annotations(target)
        if (type is None or subtype == type) and not objects.int_at(entry, "F") & 0b100010
    ]
    matching = [(address, text) for address, text in found if contains is None or contains in text]
    what = " ".join(filter(None, [type or "any", "annotation", f"containing {contains!r}" if contains is not None else ""]))
    if count is not None and len(matching) != count:
        yield Finding(FindingCode.WRONG_COUNT, target.place(), count, len(matching), f"there are {len(matching)} of {what}, {count} are wanted")
    elif count is None and not matching:
        yield Finding(FindingCode.MISSING, target.place(), contains or type, [text for _, text in found][:5], f"there is no {what}")
    else:
        for address, text in matching[:20]:
            yield Evidence(target.place(address), text[:100])


@predicate(
    "pdf.link",
    family=Family.STRUCTURAL,
    formats=PDF,
    examples=(
        Example("to an address", file("a.pdf", _noted), {"at": "a.pdf#page[1]", "uri": "https://example.org/terms"}, passes=True),
        Example("to a page", file("a.pdf", _noted), {"at": "a.pdf#page[1]", "page": 2}, passes=True),
        Example("elsewhere", file("a.pdf", _noted), {"at": "a.pdf#page[1]", "uri": "https://example.org/"}, passes=FindingCode.MISSING),
    ),
)
def link(context: Context, *, at: str, uri: str | None = None, page: int | None = None) -> Result:
    """There is a link that leads there.

    at: a page, an annotation, or the document.   uri: its address, exactly.   page: number of the page it shows.

    Not checked: the text under the link.
    """
    target = context.target(at, formats=PDF)
    model = document_of(target).model
    if not target.nodes:
        yield missing_place(target)
        return
    seen: list[Value] = []
    for address, entry, subtype in _annotations(target):
        if subtype != "Link":
            continue
        found_uri = model.targets.uri(entry.get("A"))
        found_page = model.targets.page_of(entry.get("Dest", entry.get("A")))
        seen.append(found_uri if found_uri is not None else None if found_page is None else found_page + 1)
        if (uri is None or found_uri == uri) and (page is None or (found_page is not None and found_page + 1 == page)):
            yield Evidence(target.place(address), str(seen[-1]))
            return
    wanted = uri if uri is not None else page
    yield Finding(FindingCode.MISSING, target.place(), wanted, seen[:10], f"no link leads to {wanted!r}; links found: {len(seen)}")
