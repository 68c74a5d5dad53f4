"""Corruptions of what a report says, in any format: numbers, sources, added claims, contradictions, promises, lost sections."""

from __future__ import annotations

import copy
import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from docops.core.operator import CorruptionClass, Mutation, MutationInput, Operator, OperatorExample, Site, operator
from docops.operators.ooxml_file import A, remove_element, shorten
from docops.operators.package import document_format
from docops.operators.samples import blank_document, hedged_document, sample_document, sample_pdf, sample_presentation, sample_workbook
from docops.operators.wording import find_number, find_source, tampered_number, without_source

CONTENT = CorruptionClass.CONTENT_ALTERATION
STRUCTURE = CorruptionClass.STRUCTURE_CORRUPTION
DOCUMENT = OperatorExample("a text document", sample_document)
DECK = OperatorExample("a presentation", sample_presentation)
BOOK = OperatorExample("a workbook", sample_workbook)
PDF = OperatorExample("a PDF document", sample_pdf)
NOTHING = OperatorExample("an empty document", blank_document, applies=False)
ALL = ("docx", "pptx", "xlsx", "pdf")
FLOWING = ("docx", "pptx")
#: Criteria that a figure without a source breaks.
TRACED = ("report.no_unsupported_numbers",)


@dataclass(slots=True)
class Passage:
    """A paragraph, a cell's text or a line of a page, while the document is open.

    write: puts another text in its place.   append: puts a new passage behind it, where the format has passages.
    """

    address: str
    text: str
    write: Callable[[str], None]
    append: Callable[[str], None] | None
    save: Callable[[], bytes]
    level: int = 0
    remove: Callable[[], None] | None = None
    exact: bool = True


def passages(data: bytes, given: MutationInput) -> Iterator[Passage]:
    """The passages of a document of any format, in reading order."""
    reader = {"docx": _docx, "pptx": _pptx, "xlsx": _xlsx, "pdf": _pdf}.get(document_format(data))
    if reader is not None:
        yield from reader(data, given)


def _docx(data: bytes, given: MutationInput) -> Iterator[Passage]:
    from docops.formats.docx.operators_model import DocxFile, set_text, text_of, texts_of

    file = DocxFile(data, given)
    for block in file.blocks:
        texts = texts_of(block.element)
        if file.in_contents(block.element):
            continue
        if block.element.find(".//{*}fldChar") is not None or block.element.find(".//{*}fldSimple") is not None:
            continue
        if block.kind != "paragraph" or not texts or not text_of(block.element).strip() or block.element.find(".//{*}del") is not None:
            continue

        def write(text: str, texts: Sequence[Any] = texts, part: str = block.part) -> None:
            file.edit(part)
            set_text(texts[0], text)
            for other in texts[1:]:
                other.text = ""

        def append(text: str, element: Any = block.element, part: str = block.part) -> None:
            file.edit(part)
            twin = copy.deepcopy(element)
            for name in ("bookmarkStart", "bookmarkEnd", "commentRangeStart", "commentRangeEnd", "sectPr"):
                for extra in list(twin.iter(f"{{*}}{name}")):
                    remove_element(extra)
            left = texts_of(twin)
            for run in list(twin.iter("{*}r")):
                if left[0] not in run:
                    remove_element(run)
            set_text(left[0], text)
            element.addnext(twin)

        def remove(element: Any = block.element, part: str = block.part) -> None:
            file.edit(part)
            remove_element(element)

        level = file.heading_level(block.element) if block.part == file.main else 0
        yield Passage(block.address, text_of(block.element), write, append, file.save, level, remove)


def _pptx(data: bytes, given: MutationInput) -> Iterator[Passage]:
    from docops.formats.pptx.operators_model import PptxFile, find_paragraphs, text_of

    file = PptxFile(data, given)
    for place in find_paragraphs(lambda f, s, p: bool(text_of(p).strip()))(file):
        texts = list(place.element.iter(f"{A}t"))

        def write(text: str, texts: Sequence[Any] = texts, part: str = place.part) -> None:
            file.edit(part)
            texts[0].text = text
            for other in texts[1:]:
                other.text = ""

        def append(text: str, element: Any = place.element, part: str = place.part) -> None:
            file.edit(part)
            twin = copy.deepcopy(element)
            for run in list(twin.iter(f"{A}r"))[1:]:
                remove_element(run)
            next(twin.iter(f"{A}t")).text = text
            element.addnext(twin)

        yield Passage(place.address, text_of(place.element), write, append, file.save)


def _xlsx(data: bytes, given: MutationInput) -> Iterator[Passage]:
    from docops.formats.xlsx.operators_model import XlsxFile, is_text

    file = XlsxFile(data, given)
    for sheet in file.sheets:
        for cell in file.cells(sheet):
            if is_text(file, cell):

                def write(text: str, cell: Any = cell, part: str = sheet.part) -> None:
                    file.edit(part)
                    file.set_text(cell, text)

                yield Passage(f"{sheet.address}/cell[{cell.get('r')}]", file.text(cell), write, None, file.save)


_TJ = re.compile(rb"\(((?:[^()\\]|\\.)*)\)(\s*Tj)")


def _pdf(data: bytes, given: MutationInput) -> Iterator[Passage]:
    from docops.formats.pdf.operators_model import PdfFile

    file = PdfFile(data, given)
    for number, page in enumerate(file.pages, 1):
        content = file.content(page)
        for match in _TJ.finditer(content):
            text = match.group(1).decode("latin-1")
            if not text.strip() or not text.isprintable():
                continue

            def write(new: str, page: Any = page, span: tuple[int, int] = match.span(1), content: bytes = content) -> None:
                file.set_content(page, content[: span[0]] + new.encode("latin-1", "replace") + content[span[1] :])

            yield Passage(f"page[{number}]", text, write, None, file.save, exact=False)


def text_operator(
    name: str,
    corruption_class: CorruptionClass,
    keep: Callable[[Passage], bool],
    *,
    formats: Sequence[str] = ALL,
    effect: str = "change",
    breaks: Sequence[str] = (),
    examples: Sequence[OperatorExample] = (DOCUMENT, NOTHING),
) -> Callable[[Callable[[Passage, list[Passage]], str]], Operator]:
    """Make an operator on passages; the edit gets the passage and all passages of the document."""

    def make(edit: Callable[[Passage, list[Passage]], str]) -> Operator:
        def sites(data: bytes, given: MutationInput) -> Iterator[Site]:
            for number, passage in enumerate(passages(data, given)):
                if keep(passage):
                    yield Site(passage.address, (number,), shorten(passage.text), passage.exact)

        def apply(data: bytes, site: Site, given: MutationInput) -> Mutation:
            found = list(passages(data, given))
            passage = next(itertools.islice(found, int(site.locator[0]), None))
            after = edit(passage, found)
            return Mutation(passage.save(), shorten(after))

        apply.__doc__ = edit.__doc__
        return operator(
            name,
            corruption_class=corruption_class,
            sites=sites,
            formats=formats,
            tags=("text",),
            examples=examples,
            aspects=("text", "value"),
            breaks=breaks,
            effect=effect,
        )(apply)

    return make


@text_operator("text.number-tampered", CONTENT, lambda p: find_number(p.text), breaks=TRACED, examples=(DOCUMENT, DECK, PDF, NOTHING))
def number_tampered(passage: Passage, all_passages: list[Passage]) -> str:
    """A number in the text becomes ten times as large (500,000 → 5,000,000)."""
    text = tampered_number(passage.text)
    passage.write(text)
    return text


@text_operator("text.source-removed", CONTENT, lambda p: find_source(p.text) and bool(without_source(p.text).strip()), breaks=("report.cites",))
def source_removed(passage: Passage, all_passages: list[Passage]) -> str:
    """A statement loses its source or citation."""
    text = without_source(passage.text)
    passage.write(text)
    return text


_CYRILLIC = str.maketrans("aeopc", "\u0430\u0435\u043e\u0440\u0441")
_IMITATED = re.compile(r"(?<=[A-Za-z])[aeopc](?=[A-Za-z])")


def _sentence(passage: Passage) -> bool:
    return len(passage.text) > 20 and passage.text.rstrip().endswith((".", "!", "?")) and passage.append is not None


@text_operator("text.fact-added", CONTENT, _sentence, formats=FLOWING, effect="add", breaks=TRACED)
def fact_added(passage: Passage, all_passages: list[Passage]) -> str:
    """A statement is added that no source has."""
    text = "A further 12,400 units were delivered to a customer in Lisbon."
    if passage.append is None:
        raise LookupError("nothing can be added here")
    passage.append(text)
    return text


@text_operator("text.contradiction-added", CONTENT, lambda p: _sentence(p) and find_number(p.text), formats=FLOWING, effect="add", breaks=TRACED)
def contradiction_added(passage: Passage, all_passages: list[Passage]) -> str:
    """The same statement stands there again with another number."""
    text = tampered_number(passage.text)
    if passage.append is None:
        raise LookupError("nothing can be added here")
    passage.append(text)
    return text


@text_operator("text.promise-added", CONTENT, lambda p: len(p.text) > 20 and p.text.rstrip().endswith("."), formats=FLOWING, breaks=("report.forbids",))
def promise_added(passage: Passage, all_passages: list[Passage]) -> str:
    """A statement becomes an absolute promise."""
    text = passage.text.rstrip() + " We guarantee this at all times, without any exception."
    passage.write(text)
    return text


@text_operator(
    "text.section-removed",
    STRUCTURE,
    lambda p: p.level > 0,
    formats=("docx",),
    effect="remove",
    breaks=("report.covers",),
    examples=(DOCUMENT, NOTHING),
)
def section_removed(passage: Passage, all_passages: list[Passage]) -> str:
    """A section is removed: its heading and the paragraphs under it."""
    at = next(number for number, other in enumerate(all_passages) if other is passage)
    for other in all_passages[at:]:
        if other is not passage and 0 < other.level <= passage.level:
            break
        if not re.fullmatch(r"body/paragraph\[\d+\]", other.address):
            continue
        if other.remove is not None:
            other.remove()
    return "removed"


@text_operator("text.hedge-dropped", CONTENT, lambda p: re.search(r"\b(about|approximately|may|might|circa|ca\.|etwa|rund|environ)\b", p.text) is not None, examples=(OperatorExample("a careful sentence", hedged_document), NOTHING))
def hedge_dropped(passage: Passage, all_passages: list[Passage]) -> str:
    """A careful statement becomes a certain one."""
    text = re.sub(r"\b(about|approximately|may|might|circa|ca\.|etwa|rund|environ)\b ?", "", passage.text, count=1)
    passage.write(text)
    return text


@text_operator("text.letters-imitated", CONTENT, lambda p: _IMITATED.search(p.text) is not None, formats=FLOWING)
def letters_imitated(passage: Passage, all_passages: list[Passage]) -> str:
    """A letter inside a Latin word becomes the Cyrillic one that looks the same."""
    text = _IMITATED.sub(lambda match: match.group().translate(_CYRILLIC), passage.text, count=1)
    passage.write(text)
    return text


OPERATORS: tuple[Operator, ...] = tuple(value for value in list(globals().values()) if isinstance(value, Operator))
