"""Corruptions of the output folder: files that are gone, empty, truncated, older, or another document under the right name."""

from __future__ import annotations

from collections.abc import Iterator

from docops.core.operator import CorruptionClass, Mutation, MutationInput, Operator, OperatorExample, Site, operator
from docops.operators.samples import (
    blank_document,
    blank_pdf,
    blank_presentation,
    blank_workbook,
    sample_document,
    sample_pdf,
    sample_presentation,
    sample_workbook,
)

DELETION = CorruptionClass.ARTIFACT_DELETION
SAME_NAME = CorruptionClass.SAME_NAME_CORRUPTION
_EXAMPLES = (OperatorExample("a workbook", sample_workbook), OperatorExample("a form", sample_pdf))


def _always(data: bytes, given: MutationInput) -> Iterator[Site]:
    yield Site("", (), f"{len(data)} bytes")


def document_format(data: bytes) -> str:
    """`xlsx`, `docx`, `pptx` or `pdf` as the bytes tell; "" for anything else."""
    if data.startswith(b"%PDF"):
        return "pdf"
    for name, mark in (("xlsx", b"xl/workbook"), ("docx", b"word/document"), ("pptx", b"ppt/presentation")):
        if data.startswith(b"PK") and mark in data:
            return name
    return ""


@operator("package.file-deleted", corruption_class=DELETION, sites=_always, examples=_EXAMPLES)
def file_deleted(data: bytes, site: Site, given: MutationInput) -> Mutation:
    """The file is not there."""
    return Mutation(None, "no file")


@operator("package.file-empty", corruption_class=SAME_NAME, sites=_always, examples=_EXAMPLES)
def file_empty(data: bytes, site: Site, given: MutationInput) -> Mutation:
    """The file is there and holds nothing."""
    return Mutation(b"", "0 bytes")


@operator("package.file-truncated", corruption_class=SAME_NAME, sites=_always, examples=_EXAMPLES)
def file_truncated(data: bytes, site: Site, given: MutationInput) -> Mutation:
    """The file breaks off in the middle."""
    half = data[: len(data) // 2]
    return Mutation(half, f"{len(half)} bytes")


@operator("package.placeholder-text", corruption_class=SAME_NAME, sites=_always, examples=_EXAMPLES)
def placeholder_text(data: bytes, site: Site, given: MutationInput) -> Mutation:
    """A plain text under the name of the document."""
    return Mutation(("\n".join(given.texts) or "Done.").encode("utf-8") + b"\n", "plain text")


@operator("package.html-under-the-name", corruption_class=SAME_NAME, sites=_always, examples=_EXAMPLES)
def html_under_the_name(data: bytes, site: Site, given: MutationInput) -> Mutation:
    """A web page under the name of the document."""
    body = "".join(f"<p>{text}</p>" for text in given.texts) or "<p>Done.</p>"
    return Mutation(f"<!DOCTYPE html><html><body>{body}</body></html>\n".encode(), "HTML")


_BLANK = {"xlsx": blank_workbook, "docx": blank_document, "pptx": blank_presentation, "pdf": blank_pdf}


@operator("package.wrong-type", corruption_class=SAME_NAME, sites=_always, examples=_EXAMPLES)
def wrong_type(data: bytes, site: Site, given: MutationInput) -> Mutation:
    """A document of another type under the right name."""
    own = document_format(data)
    other = {"xlsx": "docx", "docx": "pptx", "pptx": "xlsx", "pdf": "docx"}.get(own, "pdf")
    return Mutation(_BLANK[other](), other)


def _of_known_format(data: bytes, given: MutationInput) -> Iterator[Site]:
    if document_format(data):
        yield Site("", (), f"{len(data)} bytes")


@operator("package.blank-document", corruption_class=SAME_NAME, sites=_of_known_format, examples=_EXAMPLES)
def blank(data: bytes, site: Site, given: MutationInput) -> Mutation:
    """An empty document of the right type."""
    return Mutation(_BLANK[document_format(data)](), "an empty document")


_UNRELATED = {"xlsx": sample_workbook, "docx": sample_document, "pptx": sample_presentation, "pdf": sample_pdf}


@operator(
    "package.unrelated-document",
    corruption_class=SAME_NAME,
    sites=lambda data, given: (site for site in _of_known_format(data, given) if _UNRELATED[document_format(data)]() != data),
    examples=(OperatorExample("an empty workbook", blank_workbook), OperatorExample("the same document", sample_workbook, applies=False)),
)
def unrelated(data: bytes, site: Site, given: MutationInput) -> Mutation:
    """Another, unrelated document of the right type."""
    return Mutation(_UNRELATED[document_format(data)](), "an unrelated document")


def _with_source(data: bytes, given: MutationInput) -> Iterator[Site]:
    if given.source is not None and given.source != data:
        yield Site("", (), f"{len(data)} bytes")


@operator("package.older-version", corruption_class=SAME_NAME, sites=_with_source, examples=(OperatorExample("a workbook made of another", sample_workbook, source=blank_workbook), OperatorExample("no source", sample_workbook, applies=False)))
def older_version(data: bytes, site: Site, given: MutationInput) -> Mutation:
    """The source, untouched, under the name of the output."""
    return Mutation(given.source, "the untouched source")


def _with_siblings(data: bytes, given: MutationInput) -> Iterator[Site]:
    for name in sorted(given.siblings):
        if given.siblings[name] != data:
            yield Site("", (name,), f"{len(data)} bytes")


@operator("package.sibling-in-its-place", corruption_class=SAME_NAME, sites=_with_siblings, examples=(OperatorExample("a workbook beside a text document", sample_workbook, siblings={"report.docx": sample_document}),))
def sibling_in_its_place(data: bytes, site: Site, given: MutationInput) -> Mutation:
    """Another file of the output folder under this one's name."""
    name = str(site.locator[0])
    return Mutation(given.siblings[name], name)


OPERATORS: tuple[Operator, ...] = tuple(value for value in list(globals().values()) if isinstance(value, Operator))
