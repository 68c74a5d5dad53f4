"""PDF documents as the pdf mutation operators see them: objects by address, read and written with pypdf alone."""

from __future__ import annotations

import io
import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from docops.core.address import format_segment
from docops.core.operator import (
    CorruptionClass,
    Mutation,
    MutationInput,
    Operator,
    OperatorExample,
    Site,
    operator,
)
from docops.operators.ooxml_file import opened_to_look, shorten
from docops.operators.samples import blank_pdf, sample_pdf

if TYPE_CHECKING:
    from pypdf import PdfWriter
    from pypdf.generic import DictionaryObject


class PdfFile:
    """A PDF document being edited: all its objects, copied into a writer of pypdf."""

    def __init__(self, data: bytes, given: MutationInput | None = None) -> None:
        from pypdf import PdfWriter

        self.data = data
        self.input = given or MutationInput(siblings={})
        self.writer: PdfWriter = PdfWriter(clone_from=io.BytesIO(data))

    @cached_property
    def root(self) -> DictionaryObject:
        """The catalog."""
        return self.writer.root_object

    @cached_property
    def pages(self) -> list[Any]:
        """The pages."""
        return list(self.writer.pages)

    def save(self) -> bytes:
        """The document, every object written anew."""
        out = io.BytesIO()
        self.writer.write(out)
        return out.getvalue()

    def add(self, value: Any) -> Any:
        """Make an object indirect and return the reference."""
        return self.writer._add_object(value)

    def annotations(self, page: Any) -> list[Any]:
        """The annotations of a page, resolved, in the order listed."""
        found = get(page, "/Annots")
        return [get(found, number) for number in range(len(found))] if found is not None else []

    def fields(self) -> Iterator[tuple[str, Any]]:
        """The terminal fields of the form with their full names."""
        form = get(self.root, "/AcroForm")
        top = get(form, "/Fields") if form is not None else None
        if top is not None:
            for number in range(len(top)):
                yield from _fields(get(top, number), "", set())

    def outline(self) -> Iterator[tuple[str, Any]]:
        """The outline entries with their paths of titles, depth first."""
        top = get(self.root, "/Outlines")
        if top is not None:
            yield from _outline(top, "", set())

    def attachments(self) -> Iterator[tuple[str, Any, int]]:
        """The embedded files: name, the array that lists it, and its position there."""
        names = get(self.root, "/Names")
        tree = get(names, "/EmbeddedFiles") if names is not None else None
        if tree is not None:
            yield from _name_tree(tree)

    def content(self, page: Any) -> bytes:
        """The page's content streams, joined."""
        found = get(page, "/Contents")
        if found is None:
            return b""
        if hasattr(found, "get_data"):
            return bytes(found.get_data())
        return b"\n".join(bytes(get(found, number).get_data()) for number in range(len(found)))

    def set_content(self, page: Any, data: bytes) -> None:
        """Give a page one content stream."""
        from pypdf.generic import DecodedStreamObject, NameObject

        stream = DecodedStreamObject()
        stream.set_data(data)
        page[NameObject("/Contents")] = self.add(stream.flate_encode())


def native_name(text: str) -> Any:
    """A name as pypdf has it."""
    from pypdf.generic import NameObject

    return NameObject(text)


def native_text(text: str) -> Any:
    """A text string as pypdf has it."""
    from pypdf.generic import TextStringObject

    return TextStringObject(text)


def native_number(value: float) -> Any:
    """A number as pypdf has it."""
    from pypdf.generic import FloatObject, NumberObject

    return NumberObject(int(value)) if value == int(value) else FloatObject(value)


def native_array(values: list[Any]) -> Any:
    """An array as pypdf has it."""
    from pypdf.generic import ArrayObject

    return ArrayObject(values)


def get(container: Any, key: Any) -> Any:
    """A value of a dictionary or array, resolved; None where it is absent or null."""
    from pypdf.generic import NullObject

    try:
        value = container[key]
    except (KeyError, IndexError, TypeError):
        return None
    value = value.get_object() if hasattr(value, "get_object") else value
    return None if isinstance(value, NullObject) else value


def _fields(field: Any, prefix: str, seen: set[int]) -> Iterator[tuple[str, Any]]:
    if field is None or id(field) in seen:
        return
    seen.add(id(field))
    own = get(field, "/T")
    name = prefix if own is None else (f"{prefix}.{own}" if prefix else str(own))
    kids = get(field, "/Kids")
    children = [get(kids, number) for number in range(len(kids))] if kids is not None else []
    if any(child is not None and get(child, "/T") is not None for child in children):
        for child in children:
            yield from _fields(child, name, seen)
    else:
        yield name, field


def _outline(parent: Any, prefix: str, seen: set[int]) -> Iterator[tuple[str, Any]]:
    entry = get(parent, "/First")
    while entry is not None and id(entry) not in seen:
        seen.add(id(entry))
        title = str(get(entry, "/Title") or "")
        path = f"{prefix}/{title}" if prefix else title
        yield path, entry
        yield from _outline(entry, path, seen)
        entry = get(entry, "/Next")


def _name_tree(node: Any) -> Iterator[tuple[str, Any, int]]:
    names = get(node, "/Names")
    if names is not None:
        for at in range(0, len(names) - 1, 2):
            yield str(names[at]), names, at
    kids = get(node, "/Kids")
    if kids is not None:
        for number in range(len(kids)):
            yield from _name_tree(get(kids, number))


@dataclass(slots=True)
class PdfPlace:
    """Where an operator acts, while the file is open."""

    address: str
    object: Any
    before: str = ""
    more: Any = None
    exact: bool = True


def field_address(name: str) -> str:
    """A field's address."""
    return format_segment("field", name)


def find_pages(keep: Callable[[PdfFile, Any], bool] = lambda file, page: True) -> Callable[[PdfFile], Iterator[PdfPlace]]:
    """A finder of pages that satisfy a condition."""

    def find(file: PdfFile) -> Iterator[PdfPlace]:
        for number, page in enumerate(file.pages, 1):
            if keep(file, page):
                yield PdfPlace(f"page[{number}]", page, shown_text(file.content(page)), number)

    return find


_SHOWN = re.compile(rb"\(((?:[^()\\]|\\.)*)\)\s*(?:Tj|'|\")|\[((?:[^\]\\]|\\.)*)\]\s*TJ")
_PIECE = re.compile(rb"\(((?:[^()\\]|\\.)*)\)")


def shown_text(content: bytes) -> str:
    """Strings that a content stream shows, where they are written plainly; enough for an excerpt."""
    out = []
    for match in _SHOWN.finditer(content):
        pieces = [match.group(1)] if match.group(1) is not None else _PIECE.findall(match.group(2))
        out.append(b"".join(pieces).decode("latin-1"))
    return " ".join(out)


SAMPLE = OperatorExample("a document with one of everything", sample_pdf)
BLANK = OperatorExample("an empty page", blank_pdf, applies=False)


def pdf_operator(
    name: str,
    corruption_class: CorruptionClass,
    find: Callable[[PdfFile], Iterable[PdfPlace]],
    *,
    aspects: Sequence[str] = (),
    breaks: Sequence[str] = (),
    effect: str = "change",
    tags: Sequence[str] = (),
    examples: Sequence[OperatorExample] = (SAMPLE,),
) -> Callable[[Callable[[PdfFile, PdfPlace], str | None]], Operator]:
    """Make an operator on PDF documents; the edit function's docstring says what it does."""

    def make(edit: Callable[[PdfFile, PdfPlace], str | None]) -> Operator:
        def sites(data: bytes, given: MutationInput) -> Iterator[Site]:
            for number, place in enumerate(find(opened_to_look(PdfFile, data, given))):
                yield Site(place.address, (number,), shorten(place.before), place.exact)

        def apply(data: bytes, site: Site, given: MutationInput) -> Mutation:
            file = PdfFile(data, given)
            place = next(itertools.islice(iter(find(file)), int(site.locator[0]), None))
            after = edit(file, place)
            return Mutation(file.save(), shorten(after or ""))

        apply.__doc__ = edit.__doc__
        return operator(
            name,
            corruption_class=corruption_class,
            sites=sites,
            formats=("pdf",),
            tags=tags,
            examples=examples,
            aspects=aspects,
            breaks=breaks,
            effect=effect,
        )(apply)

    return make
