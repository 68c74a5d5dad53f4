"""Broken and hostile files: one typed outcome each, quickly, and no healthy file equals its damaged copy."""

from __future__ import annotations

import contextlib
import re
import time
import zlib
from pathlib import Path

import pytest

from docops.core.codes import FindingCode
from docops.core.compare import Comparison
from docops.core.errors import Unreadable
from docops.core.limits import Limits
from docops.formats.pdf import FORMAT
from docops.formats.pdf.document import open_pdf
from docops.formats.pdf.samples import SampleField, SamplePage, pdf

from .support import CORPUS, raw_pdf


def _read_all(data: bytes) -> None:
    document = open_pdf(data)
    document.facts()
    document.spans()
    document.coverage()
    list(FORMAT.compare(document, open_pdf(data), Comparison()))  # type: ignore[misc]


HOSTILE = sorted((CORPUS / "hostile").glob("*")) if CORPUS.exists() else []


@pytest.mark.parametrize("path", HOSTILE, ids=lambda path: path.name)
def test_hostile_files_have_one_typed_outcome(path: Path) -> None:
    started = time.process_time()
    with pytest.raises(Unreadable) as caught:
        _read_all(path.read_bytes())
    expected = {FindingCode.ARTIFACT_UNREADABLE, FindingCode.ARTIFACT_WRONG_TYPE, FindingCode.ARTIFACT_ENCRYPTED, FindingCode.LIMIT_EXCEEDED}
    assert caught.value.code in expected
    assert time.process_time() - started < 5


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", FindingCode.ARTIFACT_UNREADABLE),
        (b"PK\x03\x04" + bytes(2000), FindingCode.ARTIFACT_WRONG_TYPE),
        (b"hello", FindingCode.ARTIFACT_WRONG_TYPE),
        (b"%PDF-1.7\nnothing", FindingCode.ARTIFACT_UNREADABLE),
        (pdf([SamplePage("x")])[:200], FindingCode.ARTIFACT_UNREADABLE),
    ],
)
def test_what_is_no_pdf_is_refused(data: bytes, code: FindingCode) -> None:
    with pytest.raises(Unreadable) as caught:
        open_pdf(data)
    assert caught.value.code == code


@pytest.mark.parametrize("root", [b"", b"/Root 999 0 R", b"/Root 4"])
def test_a_catalogue_that_the_trailer_does_not_lead_to_is_none(root: bytes) -> None:
    healthy = pdf([SamplePage("x")])
    data = re.sub(rb"/Root \d+ 0 R", root, healthy)
    assert data != healthy
    with pytest.raises(Unreadable) as caught:
        open_pdf(data)
    assert caught.value.code == FindingCode.ARTIFACT_UNREADABLE


def _page(contents: str = "", extra: str = "", resources: str = "") -> str:
    return f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] /Resources << {resources} >> {contents} {extra} >>"


CATALOG = "<< /Type /Catalog /Pages 2 0 R {} >>"
TREE = "<< /Type /Pages /Kids [3 0 R] /Count 1 >>"


def _bomb(size: int) -> bytes:
    squeezed = zlib.compress(bytes(size), 9)
    return b"<< /Length %d /Filter /FlateDecode >>\nstream\n" % len(squeezed) + squeezed + b"\nendstream"


def _form(source: str, resources: str) -> bytes:
    return f"<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << {resources} >> /Length {len(source)} >>\nstream\n{source}\nendstream".encode()


def _laughs() -> bytes:
    objects: list[str | bytes] = [CATALOG.format(""), TREE, _page("/Contents 4 0 R", "", "/XObject << /F 5 0 R >>")]
    objects.append(b"<< /Length 5 >>\nstream\n/F Do\nendstream")
    objects += [_form("/F Do " * 10, f"/XObject << /F {6 + level} 0 R >>") for level in range(12)]
    objects.append(_form("0 0 1 1 re f", ""))
    return raw_pdf(objects)


HOMEMADE = {
    "outline in a circle": raw_pdf([CATALOG.format("/Outlines << /First 4 0 R >>"), TREE, _page(), "<< /Title (a) /Next 4 0 R /First 4 0 R >>"]),
    "fields in a circle": raw_pdf([CATALOG.format("/AcroForm << /Fields [4 0 R] >>"), TREE, _page(), "<< /T (a) /Kids [4 0 R] >>"]),
    "annotation in a circle": raw_pdf(
        [CATALOG.format(""), TREE, _page("", "/Annots [4 0 R 4 0 R]"), "<< /Type /Annot /Subtype /Text /Rect [0 0 1 1] /IRT 4 0 R /X [4 0 R] >>"]
    ),
    "struct in a circle": raw_pdf([CATALOG.format("/StructTreeRoot << /K 4 0 R >>"), TREE, _page(), "<< /S /P /K [4 0 R 4 0 R] >>"]),
    "name tree in a circle": raw_pdf([CATALOG.format("/Names << /Dests 4 0 R >>"), TREE, _page(), "<< /Kids [4 0 R 4 0 R] >>"]),
    "deep array": raw_pdf([CATALOG.format(""), TREE, _page("", "/X " + "[" * 5000 + "]" * 5000)]),
    "deep array in content": raw_pdf([CATALOG.format(""), TREE, _page("/Contents 4 0 R"), f"<< /Length 5000 >>\nstream\n{'[' * 5000}\nendstream"]),
    "form within itself": raw_pdf(
        [CATALOG.format(""), TREE, _page("/Contents 4 0 R", "", "/XObject << /F 5 0 R >>"), b"<< /Length 5 >>\nstream\n/F Do\nendstream", _form("/F Do", "/XObject << /F 5 0 R >>")]
    ),
    "forms that multiply": _laughs(),
    "stream bomb": raw_pdf([CATALOG.format(""), TREE, _page("/Contents 4 0 R"), _bomb(100_000_000)]),
    "endless saves": raw_pdf([CATALOG.format(""), TREE, _page("/Contents 4 0 R"), f"<< /Length 200000 >>\nstream\n{'q ' * 100_000}\nendstream"]),
    "pages without tree": raw_pdf(["<< /Type /Catalog /Pages 9 0 R >>"]),
    "next actions in a circle": raw_pdf([CATALOG.format("/OpenAction 4 0 R"), TREE, _page(), "<< /S /Named /N /Next /Next [4 0 R 4 0 R] >>"]),
}


@pytest.mark.parametrize("name", HOMEMADE)
def test_circles_bombs_and_depth_end_quickly(name: str) -> None:
    started = time.process_time()
    with contextlib.suppress(Unreadable):
        _read_all(HOMEMADE[name])
    assert time.process_time() - started < 8


def test_limits_are_named() -> None:
    many = pdf([SamplePage(str(number)) for number in range(12)])
    with pytest.raises(Unreadable, match="10 pages") as caught:
        open_pdf(many, Limits(pages=10))
    assert caught.value.code == FindingCode.LIMIT_EXCEEDED
    with pytest.raises(Unreadable, match="objects"):
        open_pdf(many, Limits(pdf_objects=10))
    with pytest.raises(Unreadable, match="bytes"):
        open_pdf(many, Limits(file_bytes=100))


def test_what_all_pages_draw_together_is_limited() -> None:
    """Many pages that show one stream cost what they draw, not what is stored."""
    kids = " ".join(f"{number} 0 R" for number in range(4, 24))
    font = "/Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >>"
    stream = f"<< /Length 1000 >>\nstream\n{'BT /F 9 Tf (a)Tj ET ' * 50}\nendstream"
    shared = raw_pdf([CATALOG.format(""), f"<< /Type /Pages /Kids [{kids}] /Count 20 >>", stream, *[_page("/Contents 3 0 R", "", font)] * 20])
    for limits in (Limits(pdf_operators=3999), Limits(pdf_content_bytes=19_999), Limits(pdf_texts=999)):
        with pytest.raises(Unreadable, match="the pages hold more than") as caught:
            open_pdf(shared, limits).facts()
        assert caught.value.code == FindingCode.LIMIT_EXCEEDED
    assert open_pdf(shared, Limits(pdf_operators=4000, pdf_content_bytes=20_000, pdf_texts=1000)).facts()


def test_damaged_bytes_never_equal_the_healthy_file() -> None:
    """Any byte of a stream or object overwritten: another outcome or other facts, never a traceback."""
    healthy = pdf(
        [SamplePage("Cover", links=[2], notes=["note"]), SamplePage("Terms", fields=[SampleField("name", "Ann")])],
        outline=[("Cover", 1, [("Terms", 2, ())])],
        attachments={"a.txt": b"hello"},
    )
    before = open_pdf(healthy)
    end = healthy.index(b"xref")
    for at in range(20, end, 11):
        if not (chr(healthy[at]).isalnum() and healthy[at - 8 : at + 8].isascii()) or b"endobj" in healthy[at - 6 : at + 6]:
            continue
        damaged = healthy[:at] + b"\x01" + healthy[at + 1 :]
        try:
            after = open_pdf(damaged)
            changes = list(FORMAT.compare(before, after, Comparison()))  # type: ignore[misc]
            after.spans()
        except Unreadable:
            continue
        window = healthy[max(at - 30, 0) : at + 30]
        derived = any(key in window for key in (b"/Length", b"/Count", b"/Last", b"/Parent", b"/Type", b" obj", b"/P ", b"/Prev", b"/F1", b"/Filter", b"/Helv"))
        assert changes or derived, (at, window)


@pytest.mark.parametrize("source", [b"q" + b" " * 5000, b"q" + b"%a\n" * 5000, b"1" * 20_000 + b"a", b"q " + b"% a \n \t" * 5000 + b"Q"])
def test_padding_and_long_numbers_cost_no_time(source: bytes) -> None:
    from docops.formats.pdf.tokens import operations

    started = time.process_time()
    list(operations(source, 100))
    assert time.process_time() - started < 2


@pytest.mark.parametrize(
    "content",
    [
        b"/A BMC " * 20_000 + b"BT /F1 1 Tf 20 20 Td (a) Tj ET " * 500,
        b"BT /F1 1 Tf 20 20 Td " + b"(a) Tj " * 30_000 + b"ET",
        b"0 0 1 1 re f " * 2000 + b"BT /F1 2 Tf 20 20 Td (a) Tj ET " * 2000,
    ],
)
def test_floods_on_one_page_are_read_in_time(content: bytes) -> None:
    started = time.process_time()
    with contextlib.suppress(Unreadable):
        _read_all(pdf([SamplePage(content=content.decode())]))
    assert time.process_time() - started < 20


def test_whatever_stands_in_a_key_is_read() -> None:
    """Values of the wrong kind, in keys that are compared with names."""
    odd = "[1 << /A 1 >>]"
    data = raw_pdf(
        [
            CATALOG.format(f"/AcroForm << /Fields [5 0 R] /DA (g /x /y Tf) >> /OCProperties << /OCGs [{odd}] /D << /AS [<< /Event {odd} /Category [{odd}] >>] >> >>"),
            TREE,
            _page("/Contents 4 0 R", "/Annots [5 0 R]", f"/ColorSpace << /C [{odd} 1] >> /ExtGState << /G << /BM {odd} >> >>"),
            "<< /Length 30 >>\nstream\n/C cs 1 scn /G gs 0 0 9 9 re f\nendstream",
            f"<< /Type {odd} /Subtype /Widget /FT /Tx /T (a) /V (b) /CA {odd} /DA (/F /x Tf g) /Rect [0 0 9 9] /AP << /N 6 0 R >> >>",
            f"<< /Type {odd} /Subtype /Form /BBox [0 0 9 9] /Length 0 >>\nstream\n\nendstream",
        ]
    )
    _read_all(data)
