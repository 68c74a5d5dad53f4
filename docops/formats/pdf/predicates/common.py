"""What the predicates of PDF documents share: places, page text, sample files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, cast

from docops.core.codes import FindingCode
from docops.core.predicate import Evidence, Finding, Target
from docops.formats.pdf.samples import SampleField, SamplePage, pdf

if TYPE_CHECKING:
    from docops.formats.pdf.document import PdfDocument
    from docops.formats.pdf.reading import Page

Result = Iterator[Finding | Evidence]
PDF = ("pdf",)


def document_of(target: Target) -> PdfDocument:
    """The target's document."""
    return cast("PdfDocument", target.document)


def pages_of(target: Target) -> list[Page]:
    """The pages that `at` names, or all of them where it names the whole document."""
    pages = document_of(target).objects.pages
    if not target.address.segments:
        return list(pages)
    numbers = {node.number for node in target.nodes if node.kind == "page"}
    numbers |= {int(node.address.partition("]")[0].removeprefix("page[")) for node in target.nodes if node.address.startswith("page[")}
    return [page for page in pages if page.index + 1 in numbers]


def missing_place(target: Target, what: str = "page") -> Finding:
    """`at` names nothing in the output."""
    return Finding(FindingCode.MISSING, target.place(), what, None, f"{target.place()} names no {what} of the output")


def file(name: str, data: Callable[[], bytes]) -> Callable[[], Mapping[str, bytes]]:
    """The files of an example: one of this name."""
    return lambda: {name: data()}


def three() -> bytes:
    """Three pages with bookmarks, properties, labels and an attachment."""
    return pdf(
        [SamplePage("Cover"), SamplePage("Prices\nOne bolt: 12 EUR"), SamplePage("Terms\nPayment within 30 days")],
        outline=[("Cover", 1, ()), ("Offer", 2, [("Prices", 2, ()), ("Terms", 3, ())])],
        info={"Title": "Offer", "Author": "Ann"},
        labels="0 << /S /r >> 1 << /S /D >>",
        attachments={"prices.csv": b"bolt,12\n"},
    )


def moved() -> bytes:
    """The pages of `three` in another order."""
    return pdf([SamplePage("Cover"), SamplePage("Terms\nPayment within 30 days"), SamplePage("Prices\nOne bolt: 12 EUR")])


def scanned() -> bytes:
    """The pages of `moved`, the last one a picture."""
    return pdf([SamplePage("Cover"), SamplePage("Terms\nPayment within 30 days"), SamplePage(picture=True)])


def form(**values: Any) -> Callable[[], Mapping[str, bytes]]:
    """A form whose field `name` (text), `agree` (checkbox) and `country` (combo) hold what is given."""
    fields = [
        SampleField("name", values.get("name", ""), shown=values.get("shown")),
        SampleField("agree", values.get("agree", "Off"), "checkbox", values.get("face")),
        SampleField("country", values.get("country", "Spain"), "combo", options=("Portugal", "Spain")),
    ]
    return file("form.pdf", lambda: pdf([SamplePage("Application\n" + values.get("drawn", ""), fields=fields)]))


def page_text(document: PdfDocument, page: Page) -> str:
    """What a reader reads on a page."""
    blocks = document.model.page_content(page).blocks
    return "\n".join("".join(piece.text for piece in block.pieces() if not piece.hidden) for block in blocks).strip()
