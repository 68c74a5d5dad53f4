"""Real files: equal to themselves, to their re-saves, and every address leads back to its place."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

from docops.core.address import parse_address
from docops.formats.pdf import FORMAT
from docops.formats.pdf.document import open_pdf

from .support import BUNDLES, FILES, changes, rich, saved

ALL = [*FILES, *BUNDLES]


@pytest.mark.parametrize("path", ALL, ids=lambda path: path.name)
def test_a_file_equals_itself_and_its_addresses_lead_back(path: Path) -> None:
    data = path.read_bytes()
    document = open_pdf(data)
    assert changes(document, data) == []
    assert document.facts() == open_pdf(data).facts()
    for node in document.root.walk():
        if node.address:
            assert node.kind in FORMAT.kinds
            assert str(parse_address(node.address)) == node.address
            assert node in document.find(node.address)
    for span in document.spans():
        assert document.find(span.address), span
    assert all(min(row.bytes, row.modelled, row.raw, row.volatile) >= 0 for row in document.coverage())
    assert FORMAT.stale is not None
    assert FORMAT.stale(document, open_pdf(data)) == []


def _by_pypdf(data: bytes) -> bytes:
    from pypdf import PdfReader, PdfWriter

    return saved(PdfWriter(clone_from=PdfReader(io.BytesIO(data))))


def _by_pypdf_compressed(data: bytes) -> bytes:
    from pypdf import PdfReader, PdfWriter

    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(data)))
    for page in writer.pages:
        page.compress_content_streams()
    return saved(writer)


def _by_pypdf_incrementally(data: bytes) -> bytes:
    from pypdf import PdfWriter

    return saved(PdfWriter(io.BytesIO(data), incremental=True))


def _by_pikepdf(**how: object) -> Callable[[bytes], bytes]:
    def save(data: bytes) -> bytes:
        pikepdf = pytest.importorskip("pikepdf")
        modes = {"object_streams": {"object_stream_mode": pikepdf.ObjectStreamMode.generate}, "unpacked": {"stream_decode_level": pikepdf.StreamDecodeLevel.generalized, "compress_streams": False}}
        options = {key: value for name, value in how.items() for key, value in modes.get(name, {name: value}).items()}
        out = io.BytesIO()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with pikepdf.open(io.BytesIO(data)) as document:
                document.save(out, **options)
        return out.getvalue()

    return save


def _tidied(data: bytes) -> bytes:
    pikepdf = pytest.importorskip("pikepdf")
    with pikepdf.open(io.BytesIO(data)) as document:
        for page in document.pages:
            page.contents_coalesce()
            page.externalize_inline_images()
        document.remove_unreferenced_resources()
        return saved(document)


RESAVES: dict[str, Callable[[bytes], bytes]] = {
    "pypdf": _by_pypdf,
    "pypdf, contents compressed": _by_pypdf_compressed,
    "pypdf, incremental": _by_pypdf_incrementally,
    "pikepdf": _by_pikepdf(),
    "object streams": _by_pikepdf(object_streams=True),
    "linearised": _by_pikepdf(linearize=True),
    "qdf": _by_pikepdf(qdf=True, normalize_content=True),
    "unpacked": _by_pikepdf(unpacked=True),
    "recompressed": _by_pikepdf(recompress_flate=True),
    "tidied": _tidied,
}
#: What a re-save really loses: encryption, and the validity of a signature.
LOSES = {"encrypted-aes256-empty-user-password.pdf": ("protection",), "signed-incremental.pdf": ("signature", "field")}


@pytest.mark.parametrize("how", RESAVES)
@pytest.mark.parametrize("path", ALL, ids=lambda path: path.name)
def test_a_re_save_changes_nothing(path: Path, how: str) -> None:
    data = path.read_bytes()
    found = [change for change in changes(data, RESAVES[how](data)) if not change.address.startswith(LOSES.get(path.name, ("-",)))]
    assert found == []


@pytest.mark.parametrize("how", RESAVES)
def test_a_re_save_of_a_rich_document_keeps_every_fact(how: str) -> None:
    assert open_pdf(rich()).facts() == open_pdf(RESAVES[how](rich())).facts()


def test_reading_leaves_the_native_object_alone() -> None:
    from pypdf import PdfReader, PdfWriter

    data = rich()
    document = open_pdf(data)
    document.facts()
    document.spans()
    assert saved(PdfWriter(clone_from=document.native)) == saved(PdfWriter(clone_from=PdfReader(io.BytesIO(data))))
