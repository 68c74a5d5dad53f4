"""What is done to a PDF document to satisfy a check without doing the work."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from docops.core.operator import CorruptionClass, Operator
from docops.formats.pdf.operators import _TJ, _field_places, _widgets, flatten_pages
from docops.formats.pdf.operators_model import SAMPLE, PdfFile, PdfPlace, get, native_array, native_name, native_number, native_text, pdf_operator

CONTENT = CorruptionClass.CONTENT_ALTERATION
TAGS = ("gaming",)
ANCHORS = ("anchor.contains", "anchor.in_order")
EXAMPLES = (replace(SAMPLE, texts=("The quay costs",)),)


def _wanted(file: PdfFile) -> Iterator[PdfPlace]:
    """The pages that show wording the verifier asks for: one site for each wording, at its first page."""
    for text in sorted(set(file.input.texts)):
        raw = text.encode("latin-1", "replace")
        pages = [(n, p) for n, p in enumerate(file.pages, 1) if text and any(raw in m.group(1) for m in _TJ.finditer(file.content(p)))]
        if pages:
            yield PdfPlace(f"page[{pages[0][0]}]", pages[0][1], text, (text, pages))


def _hidden(name: str) -> Callable[[Callable[[PdfFile, PdfPlace], str | None]], Operator]:
    return pdf_operator(name, CONTENT, _wanted, aspects=("text", "format"), breaks=ANCHORS, tags=TAGS, examples=EXAMPLES)


def _around(file: PdfFile, place: PdfPlace, before: bytes, after: bytes) -> None:
    """Put operators before and after every line that holds the words."""
    raw = place.more[0].encode("latin-1", "replace")
    for _, page in place.more[1]:
        content = file.content(page)
        for match in reversed(list(_TJ.finditer(content))):
            if raw in match.group(1):
                content = content[: match.start()] + before + match.group() + after + content[match.end() :]
        file.set_content(page, content)


@_hidden("pdf.words-invisible")
def words_invisible(file: PdfFile, place: PdfPlace) -> str:
    """The required words are there, in a mode that paints nothing."""
    _around(file, place, b"3 Tr ", b" 0 Tr ")
    return "3 Tr"


@_hidden("pdf.words-white")
def words_white(file: PdfFile, place: PdfPlace) -> str:
    """The required words are there, in white."""
    _around(file, place, b"1 1 1 rg ", b" 0 0 0 rg ")
    return "1 1 1 rg"


@_hidden("pdf.words-off-the-page")
def words_off(file: PdfFile, place: PdfPlace) -> str:
    """The required words are there, far beyond the edge of the page."""
    _around(file, place, b"-9000 0 Td ", b" 9000 0 Td ")
    return "-9000"


@_hidden("pdf.words-without-size")
def words_without_size(file: PdfFile, place: PdfPlace) -> str:
    """The required words are there, scaled to nothing."""
    _around(file, place, b"0.01 Tz ", b" 100 Tz ")
    return "0.01 Tz"


@_hidden("pdf.words-painted-over")
def words_painted_over(file: PdfFile, place: PdfPlace) -> str:
    """The required words are there, under a white rectangle."""
    flatten_pages(file)
    for _, page in place.more[1]:
        x0, y0, x1, y1 = (float(value) for value in get(page, "/MediaBox"))
        file.set_content(page, b"q\n" + file.content(page) + f"\nQ q 1 1 1 rg {x0:g} {y0:g} {x1 - x0:g} {y1 - y0:g} re f Q".encode())
    return "under white"


def _take_out(file: PdfFile, place: PdfPlace) -> str:
    raw = place.more[0].encode("latin-1", "replace")
    for _, page in place.more[1]:
        content = file.content(page)
        for match in reversed(list(_TJ.finditer(content))):
            if raw in match.group(1):
                content = content[: match.start(1)] + match.group(1).replace(raw, b"-") + content[match.end(1) :]
        file.set_content(page, content)
    return str(place.more[0])


@_hidden("pdf.words-in-metadata")
def words_in_metadata(file: PdfFile, place: PdfPlace) -> str:
    """The required words stand in the document's properties alone."""
    file.writer.add_metadata({"/Keywords": _take_out(file, place)})
    return "keywords"


@_hidden("pdf.words-in-hidden-annotation")
def words_in_annotation(file: PdfFile, place: PdfPlace) -> str:
    """The required words stand in a hidden note alone."""
    from pypdf.generic import DictionaryObject

    text = _take_out(file, place)
    page = place.more[1][0][1]
    note = DictionaryObject(
        {
            native_name("/Type"): native_name("/Annot"),
            native_name("/Subtype"): native_name("/Text"),
            native_name("/Rect"): native_array([native_number(10), native_number(10), native_number(20), native_number(20)]),
            native_name("/Contents"): native_text(text),
            native_name("/F"): native_number(2),
        }
    )
    listed = get(page, "/Annots")
    page[native_name("/Annots")] = native_array([*(listed if listed is not None else []), file.add(note)])
    return "a hidden note"


def _filled(file: PdfFile) -> Iterator[PdfPlace]:
    for place in _field_places("/Tx")(file):
        if get(place.object, "/V") and str(get(place.object, "/V")).strip():
            yield place


@pdf_operator("pdf.field-value-drawn", CONTENT, _filled, aspects=("form",), breaks=("pdf.form_field",), tags=TAGS)
def field_value_drawn(file: PdfFile, place: PdfPlace) -> str:
    """A field's value is drawn on the page, and the field is empty."""
    value = str(get(place.object, "/V"))
    widgets = _widgets(place.object)
    for page in file.pages:
        if any(annotation is widget for annotation in file.annotations(page) for widget in widgets):
            x, y = (float(number) for number in get(widgets[0], "/Rect")[:2])
            fonts = _first_font(page)
            text = value.encode("latin-1", "replace").replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)")
            drawn = b"\nQ BT " + fonts + f" 11 Tf {x + 2:g} {y + 6:g} Td (".encode() + text + b") Tj ET"
            file.set_content(page, b"q\n" + file.content(page) + drawn)
    place.object[native_name("/V")] = native_text("")
    for widget in widgets:
        widget.pop("/AP", None)
    return value


def _first_font(page: Any) -> bytes:
    holder = page
    while holder is not None:
        fonts = get(get(holder, "/Resources") or {}, "/Font")
        if fonts:
            return str(sorted(fonts)[0]).encode()
        holder = get(holder, "/Parent")
    return b"/Helv"


@pdf_operator(
    "pdf.blank-with-all-words",
    CorruptionClass.SAME_NAME_CORRUPTION,
    lambda file: [PdfPlace("", file.root, "the document")] if file.input.texts else [],
    tags=TAGS,
    examples=EXAMPLES,
)
def blank_with_all_words(file: PdfFile, place: PdfPlace) -> str:
    """One page is left, and lists all the required words."""
    from pypdf.generic import DictionaryObject

    root = flatten_pages(file)
    page = file.pages[0]
    root[native_name("/Kids")] = native_array([page.indirect_reference])
    root[native_name("/Count")] = native_number(1)
    font = DictionaryObject({native_name("/Type"): native_name("/Font"), native_name("/Subtype"): native_name("/Type1"), native_name("/BaseFont"): native_name("/Helvetica")})
    page[native_name("/Resources")] = DictionaryObject({native_name("/Font"): DictionaryObject({native_name("/F0"): file.add(font)})})
    page.pop("/Annots", None)
    for key in ("/Outlines", "/AcroForm", "/Names"):
        file.root.pop(key, None)
    lines = []
    for text in file.input.texts:
        raw = text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)").encode("latin-1", "replace")
        lines.append(b"(" + raw + b") Tj 0 -14 Td")
    file.set_content(page, b"BT /F0 10 Tf 30 200 Td " + b" ".join(lines) + b" ET")
    return f"{len(file.input.texts)} texts"


OPERATORS: tuple[Operator, ...] = tuple(value for value in list(globals().values()) if isinstance(value, Operator))
