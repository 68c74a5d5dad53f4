"""Content streams that paint the same are equal, however they are written; what paints something else is not."""

from __future__ import annotations

import io
from typing import Any

import pytest

from docops.core.spans import Role
from docops.formats.pdf.document import open_pdf
from docops.formats.pdf.samples import SamplePage, pdf

from .support import changes, saved

pikepdf = pytest.importorskip("pikepdf")

TEXT = "BT /F1 12 Tf 40 50 Td (Hello World again) Tj ET "
LINE = "40 100 m 300 100 l S "
BOX = "10 10 50 20 re f "


def page(content: str) -> bytes:
    return pdf([SamplePage(content=content)])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (TEXT, "BT /F1 12 Tf 40 50 Td (Hello) Tj ( World again) Tj ET"),
        (TEXT, "BT /F1 12 Tf 40 50 Td [(He) 0 (llo World) ( again) -50] TJ ET"),
        (TEXT, "BT /F1 12 Tf 40 50 Td (He) Tj ET BT /F1 12 Tf 55.336 50 Td (llo World again) Tj ET"),
        ("BT /F1 10 Tf 40 50 Td [(He) 50 (llo)] TJ ET", "BT /F1 10 Tf 40 50 Td (He) Tj [50 (llo)] TJ ET"),
        (TEXT, "BT /F1 1 Tf 12 0 0 12 40 50 Tm (Hello World again) Tj ET"),
        (TEXT, "q 1 0 0 1 40 50 cm BT /F1 12 Tf (Hello World again) Tj ET Q"),
        (TEXT, 'BT /F1 12 Tf 12 TL 40 62 Td 0 0 (Hello World again) " ET'),
        (TEXT, "BT 3 Ts /F1 12 Tf 40 47 Td (Hello World again) Tj ET"),
        (TEXT, "q 0 0 400 300 re W n " + TEXT + "Q"),
        (TEXT, "q -10 -10 1000 1000 re W* n " + TEXT + "Q"),
        (TEXT, "10 10 m n " + TEXT + "5 5 1 1 re n"),
        (LINE, "2 0 0 2 0 0 cm 0.5 w 20 50 m 150 50 l S"),
        ("[3 1] 0 d " + LINE, "2 0 0 2 0 0 cm 0.5 w [1.5 0.5] 0 d 20 50 m 150 50 l S"),
        (BOX, "10 10 m 60 10 l 60 30 l 10 30 l h f"),
        (BOX, "60 30 -50 -20 re F"),
        ("10 10 m 60 10 l 60 30 l b", "10 10 m 60 10 l 60 30 l h B"),
        ("10 10 m 60 10 l 60 30 l s", "10 10 m 60 10 l 60 30 l h S"),
        ("10 10 m 60 10 l 60 30 l f", "10 10 m 60 10 l 60 30 l h f"),
        ("10 10 m 10 10 30 30 60 10 c 70 20 80 80 80 80 c S", "10 10 m 30 30 60 10 v 70 20 80 80 y S"),
    ],
)
def test_the_same_picture(before: str, after: str) -> None:
    assert changes(page(before), page(after)) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (TEXT, "BT 1 Tc /F1 12 Tf 40 50 Td (Hello World again) Tj ET"),
        (TEXT, "BT 3 Tw /F1 12 Tf 40 50 Td (Hello World again) Tj ET"),
        (TEXT, "BT 90 Tz /F1 12 Tf 40 50 Td (Hello World again) Tj ET"),
        (TEXT, "BT /F1 12 Tf 40 50 Td [(Hello) -60 ( World again)] TJ ET"),
        (TEXT, "q 0 0 100 300 re W n " + TEXT + "Q"),
        (LINE, "2 w " + LINE),
        (LINE, "[3 1] 0 d " + LINE),
        (LINE, "q 1 0 0 3 0 0 cm 40 33.333333 m 300 33.333333 l S Q"),
        ("10 10 m 60 10 l 60 30 l s", "10 10 m 60 10 l 60 30 l S"),
        ("1 0 0 rg 10 10 50 50 re f 0 0 1 rg 30 30 50 50 re f", "0 0 1 rg 30 30 50 50 re f 1 0 0 rg 10 10 50 50 re f"),
        ("1 0 0 rg 30 40 20 20 re f 0 g " + TEXT, "0 g " + TEXT + "1 0 0 rg 30 40 20 20 re f"),
        ("0 0 80 80 re f q 90 0 0 90 0 0 cm BI /W 1 /H 1 /CS /G /BPC 8 ID \x7f EI Q", "q 90 0 0 90 0 0 cm BI /W 1 /H 1 /CS /G /BPC 8 ID \x7f EI Q 0 0 80 80 re f"),
    ],
)
def test_another_picture(before: str, after: str) -> None:
    assert changes(page(before), page(after)) != []


def test_a_page_drawn_as_a_form_is_the_page() -> None:
    def wrap(document: Any) -> None:
        for original in document.pages:
            form = document.make_stream(original.Contents.read_bytes(), Type=pikepdf.Name.XObject, Subtype=pikepdf.Name.Form, BBox=original.mediabox)
            form.Resources = original.Resources
            original.obj.Contents = document.make_stream(b"q /Fx0 Do Q")
            original.obj.Resources = pikepdf.Dictionary(XObject=pikepdf.Dictionary(Fx0=form))

    with pikepdf.open(io.BytesIO(page(TEXT + LINE + BOX))) as document:
        wrap(document)
        assert changes(page(TEXT + LINE + BOX), saved(document)) == []


def test_each_font_of_one_name_is_compared() -> None:
    def of(encoding: str) -> bytes:
        def second(document: Any) -> None:
            other = pikepdf.Dictionary(Type=pikepdf.Name.Font, Subtype=pikepdf.Name.Type1, BaseFont=pikepdf.Name.Helvetica, Encoding=pikepdf.Name(encoding))
            document.pages[0].Resources.Font.F2 = document.make_indirect(other)

        with pikepdf.open(io.BytesIO(page(TEXT + "BT /F2 12 Tf 40 90 Td (More) Tj ET"))) as document:
            second(document)
            return saved(document)

    assert changes(of("/MacRomanEncoding"), of("/MacRomanEncoding")) == []
    found = {change.address for change in changes(of("/MacRomanEncoding"), of("/StandardEncoding"))}
    assert found
    assert all(address.startswith("page[1]/font[Helvetica") for address in found)


@pytest.mark.parametrize(
    ("content", "visible"),
    [
        (TEXT + "0 g 70 45 33 20 re f", "Hello  again"),
        (TEXT + "0 g 30 45 300 20 re f", ""),
        ("BT /F1 12 Tf 370 50 Td (Hello World again) Tj ET", "Hello"),
        ("q 0 0 70 300 re W n " + TEXT + "Q", "Hello"),
        ("0 g 30 45 40 20 re f 1 g " + TEXT, "Hello"),
        ("0 g 30 45 40 20 re f 0 g " + TEXT, "World again"),
    ],
)
def test_a_text_of_which_a_part_is_seen(content: str, visible: str) -> None:
    spans = [span for span in open_pdf(page(content)).spans() if span.role is Role.BODY]
    assert "".join(span.text for span in spans) == "Hello World again"
    shown = "".join(span.text for span in spans if span.visible)
    assert " ".join(shown.split()) == " ".join(visible.split())
