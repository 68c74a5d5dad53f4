"""Predicates of pages: how many, in which order, how they lie, what they are made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from docops.core.codes import Family, FindingCode
from docops.core.errors import NotApplicable
from docops.core.predicate import Context, Evidence, Example, Finding, predicate
from docops.formats.pdf.predicates.common import PDF, Result, document_of, file, missing_place, moved, page_text, pages_of, scanned, three

if TYPE_CHECKING:
    from docops.formats.pdf.document import PdfDocument
    from docops.formats.pdf.reading import Page


@predicate(
    "pdf.page_count",
    family=Family.STRUCTURAL,
    formats=PDF,
    examples=(
        Example("three pages", file("offer.pdf", three), {"at": "offer.pdf", "equals": 3}, passes=True),
        Example("one too many", file("offer.pdf", three), {"at": "offer.pdf", "equals": 2}, passes=FindingCode.WRONG_COUNT),
    ),
)
def page_count(context: Context, *, at: str, equals: int) -> Result:
    """The document has so many pages.

    at: the document.   equals: how many.

    Not checked: which pages they are (`pdf.page_order`).
    """
    target = context.target(at, formats=PDF)
    count = len(document_of(target).objects.pages)
    if count == equals:
        yield Evidence(target.place(), f"{count} pages")
    else:
        yield Finding(FindingCode.WRONG_COUNT, target.place(), equals, count, f"the document has {count} pages, {equals} are wanted")


@predicate(
    "pdf.page_order",
    family=Family.STRUCTURAL,
    formats=PDF,
    examples=(
        Example("moved", file("offer.pdf", moved), {"at": "offer.pdf", "source_pages": [1, 3, 2]}, True, file("offer.pdf", three)),
        Example("left as it was", file("offer.pdf", three), {"at": "offer.pdf", "source_pages": [1, 3, 2]}, FindingCode.WRONG_ORDER, file("offer.pdf", three)),
        Example("a page missing", file("offer.pdf", moved), {"at": "offer.pdf", "source_pages": [1, 3]}, FindingCode.WRONG_COUNT, file("offer.pdf", three)),
        Example("a picture of the page", file("offer.pdf", scanned), {"at": "offer.pdf", "source_pages": [1, 3, 2]}, FindingCode.NOT_NATIVE, file("offer.pdf", three)),
    ),
)
def page_order(context: Context, *, at: str, source_pages: list[int]) -> Result:
    """The pages are those of the source, in this order, with what they paint unaltered.

    at: the document; it needs a source.   source_pages: numbers of the source's pages, in the order wanted.

    Not checked: annotations and form fields on the pages (preservation watches them).
    """
    target = context.target(at, formats=PDF)
    if target.source is None:
        raise NotApplicable("the document has no source to compare pages with")
    output, source = document_of(target), cast("PdfDocument", target.source)
    out_pages, in_pages = output.objects.pages, source.objects.pages
    if len(out_pages) != len(source_pages):
        yield Finding(
            FindingCode.WRONG_COUNT, target.place(), len(source_pages), len(out_pages), f"the document has {len(out_pages)} pages, {len(source_pages)} are wanted"
        )
    known = [_identity(source, page) for page in in_pages]
    for place, wanted in enumerate(source_pages[: len(out_pages)]):
        page = out_pages[place]
        address = target.place(f"page[{place + 1}]")
        if not 1 <= wanted <= len(known):
            yield Finding(FindingCode.MISSING, address, wanted, None, f"the source has no page {wanted}; it has {len(known)}")
            continue
        identity = _identity(output, page)
        if identity == known[wanted - 1]:
            yield Evidence(address, f"the source's page {wanted}")
            continue
        others = [number for number, other in enumerate(known, 1) if other == identity]
        if others:
            message = f"page {place + 1} is the source's page {others[0]}, page {wanted} belongs there"
            yield Finding(FindingCode.WRONG_ORDER, address, wanted, others[0], message)
            continue
        yield _altered(output, page, source, in_pages[wanted - 1], address, wanted)


def _identity(document: PdfDocument, page: Page) -> str:
    from docops.core.canonical import canonical_json, sha256
    from docops.formats.pdf.pages import page_identity, rotation

    facts = {f"{aspect}.{name}": value for (aspect, name), value in page_identity(document.model, page).items()}
    return sha256(canonical_json([facts, rotation(document.model, page), list(document.model.box(page, "CropBox"))]))


def _altered(output: PdfDocument, page: Page, source: PdfDocument, original: Page, address: str, wanted: int) -> Finding:
    text, before = page_text(output, page), page_text(source, original)
    if before and not text and output.model.page_content(page).content.pictures:
        return Finding(FindingCode.NOT_NATIVE, address, before[:200], None, f"page {page.index + 1} is a picture; the source's page {wanted} holds text")
    if text == before:
        return Finding(FindingCode.MISMATCH, address, wanted, None, f"page {page.index + 1} has the text of the source's page {wanted} but looks different")
    return Finding(FindingCode.MISMATCH, address, before[:200], text[:200], f"page {page.index + 1} is not the source's page {wanted}, nor any other of its pages")


@predicate(
    "pdf.rotation",
    family=Family.STRUCTURAL,
    formats=PDF,
    examples=(
        Example("upright", file("offer.pdf", three), {"at": "offer.pdf#page[2]", "equals": 0}, passes=True),
        Example("not turned", file("offer.pdf", three), {"at": "offer.pdf#page[2]", "equals": 90}, passes=FindingCode.MISMATCH),
    ),
)
def rotation(context: Context, *, at: str, equals: int) -> Result:
    """The pages are turned by so many degrees, clockwise.

    at: pages, or the document for all.   equals: 0, 90, 180 or 270.

    Not checked: content that was drawn turned on an upright page.
    """
    from docops.formats.pdf.pages import rotation as page_rotation

    target = context.target(at, formats=PDF)
    pages = pages_of(target)
    if not pages:
        yield missing_place(target)
    for page in pages:
        found = page_rotation(document_of(target).model, page)
        address = target.place(f"page[{page.index + 1}]")
        if found == equals % 360:
            yield Evidence(address, f"{found} degrees")
        else:
            yield Finding(FindingCode.MISMATCH, address, equals, found, f"page {page.index + 1} is turned by {found} degrees, {equals} are wanted")


@predicate(
    "pdf.page_size",
    family=Family.STRUCTURAL,
    formats=PDF,
    examples=(
        Example("as wanted", file("offer.pdf", three), {"at": "offer.pdf", "width": 400, "height": 300}, passes=True),
        Example("another size", file("offer.pdf", three), {"at": "offer.pdf#page[1]", "width": 595, "height": 842}, passes=FindingCode.MISMATCH),
    ),
)
def page_size(context: Context, *, at: str, width: float, height: float, tolerance: float = 1.0) -> Result:
    """The pages a reader sees have this size.

    at: pages, or the document for all.   width, height: in points (1/72 inch), as the page is turned.   tolerance: in points.

    Not checked: the boxes for print production.
    """
    from docops.formats.pdf.annotations import plain
    from docops.formats.pdf.pages import rotation as page_rotation

    target = context.target(at, formats=PDF)
    model = document_of(target).model
    pages = pages_of(target)
    if not pages:
        yield missing_place(target)
    for page in pages:
        box = model.box(page, "CropBox")
        unit = model.objects.at(page.dict, "UserUnit")
        unit = unit if isinstance(unit, int | float) else 1
        size = [plain((box[2] - box[0]) * unit), plain((box[3] - box[1]) * unit)]
        if page_rotation(model, page) in {90, 270}:
            size.reverse()
        address = target.place(f"page[{page.index + 1}]")
        if abs(size[0] - width) <= tolerance and abs(size[1] - height) <= tolerance:
            yield Evidence(address, f"{size[0]} x {size[1]}")
        else:
            message = f"page {page.index + 1} measures {size[0]} x {size[1]} points, {width} x {height} are wanted"
            yield Finding(FindingCode.MISMATCH, address, [width, height], [*size], message)


@predicate(
    "pdf.page_label",
    family=Family.STRUCTURAL,
    formats=PDF,
    examples=(
        Example("roman", file("offer.pdf", three), {"at": "offer.pdf#page[1]", "equals": "i"}, passes=True),
        Example("another label", file("offer.pdf", three), {"at": "offer.pdf#page[2]", "equals": "2"}, passes=FindingCode.MISMATCH),
        Example("no labels", file("offer.pdf", moved), {"at": "offer.pdf#page[1]", "equals": "i"}, passes=FindingCode.MISMATCH),
    ),
)
def page_label(context: Context, *, at: str, equals: str) -> Result:
    """The page is labelled so in the reader's page list.

    at: a page.   equals: its label; without labels a page is labelled by its number.

    Not checked: a number printed on the page.
    """
    from docops.formats.pdf.navigation import page_labels

    target = context.target(at, formats=PDF)
    labels = page_labels(document_of(target).model)
    pages = pages_of(target)
    if not pages:
        yield missing_place(target)
    for page in pages:
        found = labels[page.index] if labels is not None else str(page.index + 1)
        address = target.place(f"page[{page.index + 1}]")
        if found == equals:
            yield Evidence(address, found)
        else:
            yield Finding(FindingCode.MISMATCH, address, equals, found, f"page {page.index + 1} is labelled {found!r}, {equals!r} is wanted")


@predicate(
    "pdf.text_native",
    family=Family.STRUCTURAL,
    formats=PDF,
    examples=(
        Example("text", file("offer.pdf", three), {"at": "offer.pdf"}, passes=True),
        Example("a picture of the text", file("offer.pdf", scanned), {"at": "offer.pdf#page[3]"}, passes=FindingCode.NOT_NATIVE),
    ),
)
def text_native(context: Context, *, at: str) -> Result:
    """The pages hold text that a reader sees and can search, not a picture of it.

    at: pages, or the document for all.

    Not checked: what the text says. A page without text and pictures holds.
    """
    target = context.target(at, formats=PDF)
    document = document_of(target)
    pages = pages_of(target)
    if not pages:
        yield missing_place(target)
    for page in pages:
        address = target.place(f"page[{page.index + 1}]")
        text = page_text(document, page)
        content = document.model.page_content(page)
        if text:
            yield Evidence(address, text[:100])
        elif content.content.pictures:
            hidden = any(block.text.strip() for block in content.blocks)
            message = f"page {page.index + 1} is a picture; its text is {'hidden behind it' if hidden else 'not there'}"
            yield Finding(FindingCode.NOT_NATIVE, address, "text", "a picture", message)
