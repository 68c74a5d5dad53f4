"""Rewrites of PDF documents after which the document means the same."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from docops.core.operator import CorruptionClass, Mutation, MutationInput, Operator, OperatorExample, Site, operator
from docops.formats.pdf.operators_model import PdfFile, get
from docops.operators.pdf_writer import PdfSpelling, rewrite_pdf
from docops.operators.samples import sample_pdf

BENIGN = CorruptionClass.BENIGN
EXAMPLES = (OperatorExample("a document with one of everything", sample_pdf),)
Rewrite = Callable[[bytes], bytes]


def _readable(data: bytes, given: MutationInput) -> Iterator[Site]:
    from pypdf import PdfReader

    reader = PdfReader(io.BytesIO(data))
    # What a signature covers is bytes: no rewrite leaves it valid.
    if not reader.is_encrypted and b"/ByteRange" not in data:
        yield Site("", (), f"{len(data)} bytes")


def benign_operator(name: str, *, requires: Sequence[str] = ()) -> Callable[[Rewrite], Operator]:
    """Make a benign operator on PDF documents of a function from bytes to bytes."""

    def make(rewrite: Rewrite) -> Operator:
        def apply(data: bytes, site: Site, given: MutationInput) -> Mutation:
            return Mutation(rewrite(data), "rewritten")

        apply.__doc__ = rewrite.__doc__
        return operator(name, corruption_class=BENIGN, sites=_readable, formats=("pdf",), examples=EXAMPLES, requires=requires)(apply)

    return make


@benign_operator("pdf.re-saved-by-pypdf")
def re_saved(data: bytes) -> bytes:
    """The document is opened and saved by pypdf, unchanged."""
    return PdfFile(data).save()


@benign_operator("pdf.objects-renumbered")
def objects_renumbered(data: bytes) -> bytes:
    """The objects have other numbers and stand in another order."""
    return rewrite_pdf(data, PdfSpelling(reverse=True, gap=2))


@benign_operator("pdf.streams-unpacked")
def streams_unpacked(data: bytes) -> bytes:
    """The streams are not compressed."""
    return rewrite_pdf(data, PdfSpelling(streams="plain"))


@benign_operator("pdf.streams-recompressed")
def streams_recompressed(data: bytes) -> bytes:
    """The streams are compressed anew."""
    return rewrite_pdf(data, PdfSpelling(streams="packed"))


@benign_operator("pdf.object-streams")
def object_streams(data: bytes) -> bytes:
    """The objects stand in object streams, with a cross-reference stream."""
    return rewrite_pdf(data, PdfSpelling(object_streams=True, reverse=True))


@benign_operator("pdf.strings-in-hexadecimal")
def strings_hexadecimal(data: bytes) -> bytes:
    """Strings are written in hexadecimal."""
    return rewrite_pdf(data, PdfSpelling(hex_strings=True))


@benign_operator("pdf.keys-reordered")
def keys_reordered(data: bytes) -> bytes:
    """The keys of every dictionary stand in reverse order."""
    return rewrite_pdf(data, PdfSpelling(reverse_keys=True))


@benign_operator("pdf.numbers-spelled-out")
def numbers_spelled_out(data: bytes) -> bytes:
    """The numbers of boxes and rectangles carry decimals."""
    return rewrite_pdf(data, PdfSpelling(long_numbers=True, version="1.6"))


@benign_operator("pdf.incremental-update")
def incremental_update(data: bytes) -> bytes:
    """The document's catalog is written once more in an incremental update, unchanged."""
    from pypdf import PdfReader

    reader = PdfReader(io.BytesIO(data))
    reference = reader.trailer.raw_get("/Root")
    body = io.BytesIO()
    reference.get_object().write_to_stream(body)
    tail = data.rfind(b"startxref")
    previous = int(data[tail + 9 :].split()[0])
    base = data if data.endswith(b"\n") else data + b"\n"
    entry = f"{reference.idnum} {reference.generation} obj\n".encode() + body.getvalue() + b"\nendobj\n"
    size = int(str(reader.trailer["/Size"]))
    table = len(base) + len(entry)
    others = b""
    for key in ("/Info", "/ID"):
        if key in reader.trailer:
            out = io.BytesIO()
            reader.trailer.raw_get(key).write_to_stream(out)
            others += f" {key} ".encode() + out.getvalue()
    update = f"xref\n{reference.idnum} 1\n{len(base):010d} {reference.generation:05d} n \ntrailer\n<< /Size {size} /Prev {previous} ".encode()
    update += f"/Root {reference.idnum} {reference.generation} R".encode() + others + f" >>\nstartxref\n{table}\n%%EOF\n".encode()
    return base + entry + update


@benign_operator("pdf.content-split")
def content_split(data: bytes) -> bytes:
    """The content of every page is split into two streams at a line break between operators."""
    from pypdf.generic import ArrayObject, DecodedStreamObject, NameObject

    file = PdfFile(data)
    for page in file.pages:
        content = file.content(page)
        at = content.find(b"ET\n")
        if at < 0:
            continue
        parts = []
        for piece in (content[: at + 3], content[at + 3 :]):
            stream = DecodedStreamObject()
            stream.set_data(piece)
            parts.append(file.add(stream))
        page[NameObject("/Contents")] = ArrayObject(parts)
    return file.save()


@benign_operator("pdf.page-attributes-written-out")
def attributes_written_out(data: bytes) -> bytes:
    """What pages inherit from the page tree is written on every page, and the tree is flat."""
    from docops.formats.pdf.operators import flatten_pages

    file = PdfFile(data)
    root = flatten_pages(file)
    for key in ("/MediaBox", "/CropBox", "/Rotate", "/Resources"):
        root.pop(key, None)
    return file.save()


@benign_operator("pdf.page-tree-nested")
def page_tree_nested(data: bytes) -> bytes:
    """The pages hang in a page tree of two levels."""
    from pypdf.generic import ArrayObject, DictionaryObject, NameObject, NumberObject

    from docops.formats.pdf.operators import flatten_pages

    file = PdfFile(data)
    root = flatten_pages(file)
    references = []
    for first in range(0, len(file.pages), 2):
        pages = file.pages[first : first + 2]
        node = DictionaryObject({NameObject("/Type"): NameObject("/Pages"), NameObject("/Parent"): root.indirect_reference})
        reference = file.add(node)
        node[NameObject("/Kids")] = ArrayObject([page.indirect_reference for page in pages])
        node[NameObject("/Count")] = NumberObject(len(pages))
        for page in pages:
            page[NameObject("/Parent")] = reference
        references.append(reference)
    root[NameObject("/Kids")] = ArrayObject(references)
    return file.save()


@benign_operator("pdf.default-values-written-out")
def defaults_written_out(data: bytes) -> bytes:
    """Defaults are written out: rotation 0, the crop box equal to the media box, flags 0 of fields."""
    from pypdf.generic import NameObject, NumberObject

    from docops.formats.pdf.operators import flatten_pages

    file = PdfFile(data)
    flatten_pages(file)
    for page in file.pages:
        if get(page, "/Rotate") is None:
            page[NameObject("/Rotate")] = NumberObject(0)
        if get(page, "/CropBox") is None:
            page[NameObject("/CropBox")] = page.raw_get("/MediaBox")
    for _, field in file.fields():
        if field is not None and get(field, "/Ff") is None and get(field, "/Parent") is None:
            field[NameObject("/Ff")] = NumberObject(0)
    return file.save()


@benign_operator("pdf.saved-later")
def saved_later(data: bytes) -> bytes:
    """The document was saved later by another program: producer and modification date."""
    from pypdf.generic import NameObject, TextStringObject

    file = PdfFile(data)
    if file.writer._info is not None:
        info: Any = file.writer._info.get_object()
        info[NameObject("/Producer")] = TextStringObject("Another Producer 3.1")
        info[NameObject("/ModDate")] = TextStringObject("D:20310506070809Z")
    return file.save()


@benign_operator("pdf.content-white-space")
def content_white_space(data: bytes) -> bytes:
    """The operators of page contents are separated by other white space."""
    from pypdf.generic import ContentStream, DecodedStreamObject, NameObject

    file = PdfFile(data)
    for page in file.pages:
        found = get(page, "/Contents")
        if found is None:
            continue
        content = ContentStream(found, file.writer)
        if not content.operations:
            continue
        stream = DecodedStreamObject()
        stream.set_data(b"\n" + content.get_data() + b" \n")
        page[NameObject("/Contents")] = file.add(stream)
    return file.save()


def _pikepdf(data: bytes, **options: Any) -> bytes:
    import pikepdf

    out = io.BytesIO()
    with pikepdf.open(io.BytesIO(data)) as document:
        document.save(out, deterministic_id=True, **options)
    return out.getvalue()


@benign_operator("pdf.re-saved-by-qpdf", requires=("pikepdf",))
def re_saved_qpdf(data: bytes) -> bytes:
    """The document is opened and saved by qpdf, unchanged."""
    return _pikepdf(data)


@benign_operator("pdf.linearised", requires=("pikepdf",))
def linearised(data: bytes) -> bytes:
    """The document is linearised for the web."""
    return _pikepdf(data, linearize=True)


@benign_operator("pdf.content-normalised", requires=("pikepdf",))
def content_normalised(data: bytes) -> bytes:
    """The content streams are normalised by qpdf."""
    return _pikepdf(data, normalize_content=True, qdf=True)


OPERATORS: tuple[Operator, ...] = tuple(value for value in list(globals().values()) if isinstance(value, Operator))
