"""Text as a reader reads it: joined over fragments, spaces by gaps, hidden text told from visible text."""

from __future__ import annotations

import io

import pytest

from docops.core.spans import Role
from docops.formats.pdf.document import open_pdf
from docops.formats.pdf.layout import logical_order
from docops.formats.pdf.samples import SampleField, SamplePage, pdf
from docops.formats.pdf.tokens import operations

from .support import CORPUS, raw_pdf, rich


def body(operators: str, entries: str = "") -> list[tuple[str, str]]:
    """Text and reason why it is hidden, of a page with these operators."""
    document = open_pdf(pdf([SamplePage(content=operators, entries=entries)]))
    return [(span.text, span.hidden_by) for span in document.spans() if span.role is Role.BODY]


SHOW = "BT /F1 12 Tf {} Td ({}) Tj ET "


@pytest.mark.parametrize(
    ("operators", "expected"),
    [
        (SHOW.format("40 200", "plain"), [("plain", "")]),
        ("BT /F1 12 Tf 40 200 Td [(W) 80 (ord) -300 (next)] TJ ET", [("Word next", "")]),
        ("BT /F1 12 Tf 40 200 Td (one ) Tj (two) Tj ET", [("one two", "")]),
        ("BT /F1 12 Tf 14 TL 40 200 Td (first) Tj T* (second) Tj ET", [("first\nsecond", "")]),
        ("BT /F1 12 Tf 40 200 Td (left) Tj 200 0 Td (right) Tj ET", [("left", ""), ("right", "")]),
        ("BT /F1 12 Tf 3 Tr 40 200 Td (ghost) Tj ET", [("ghost", "invisible rendering mode")]),
        ("1 1 1 rg " + SHOW.format("40 200", "white"), [("white", "colour of the background")]),
        ("0 0 0.5 rg 30 190 300 30 re f 1 1 1 rg " + SHOW.format("40 200", "heading"), [("heading", "")]),
        ("1 0 0 rg 30 190 300 30 re f 1 0 0 rg " + SHOW.format("40 200", "red on red"), [("red on red", "colour of the background")]),
        (SHOW.format("40 200", "redacted") + "0 g 30 190 300 30 re f", [("redacted", "covered")]),
        (SHOW.format("40 200", "lined") + "0 g 30 198 300 1 re f", [("lined", "")]),
        (SHOW.format("-300 200", "off"), [("off", "off the page")]),
        ("q 0 0 10 10 re W n " + SHOW.format("40 200", "cut") + "Q", [("cut", "clipped away")]),
        ("BT /F1 0.2 Tf 40 200 Td (tiny) Tj ET", [("tiny", "no size")]),
        ("q 0 0 0 0 0 0 cm " + SHOW.format("40 200", "squashed") + "Q", [("squashed", "no size")]),
        ("BT 0 0 1 rg /F1 12 Tf 40 200 Td (blue) Tj ET", [("blue", "")]),
        ("BT /F1 12 Tf 0 1 -1 0 200 40 Tm (upwards) Tj ET", [("upwards", "")]),
        (r"BT /F1 12 Tf 40 200 Td (a\050b\)\055) Tj <63> Tj ET", [("a(b)-c", "")]),
    ],
)
def test_text_and_its_visibility(operators: str, expected: list[tuple[str, str]]) -> None:
    assert body(operators) == expected


def test_cropped_away() -> None:
    assert body(SHOW.format("40 200", "x"), entries="/CropBox [0 0 400 100]") == [("x", "off the page")]


@pytest.mark.parametrize(("state", "hidden"), [("/OFF [5 0 R]", "hidden layer"), ("/ON [5 0 R]", ""), ("/BaseState /OFF", "hidden layer")])
def test_text_in_a_layer(state: str, hidden: str) -> None:
    content = "/OC /L BDC BT /F1 12 Tf 40 200 Td (secret) Tj ET EMC"
    data = raw_pdf(
        [
            f"<< /Type /Catalog /Pages 2 0 R /OCProperties << /OCGs [5 0 R] /D << {state} >> >> >>",
            "<< /Type /Pages /Kids [3 0 R] /Count 1 /MediaBox [0 0 400 300] >>",
            "<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Properties << /L 5 0 R >> /Font << /F1 6 0 R >> >> >>",
            f"<< /Length {len(content)} >>\nstream\n{content}\nendstream",
            "<< /Type /OCG /Name (Notes) >>",
            "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        ]
    )
    document = open_pdf(data)
    assert [span.hidden_by for span in document.spans() if span.text == "secret"] == [hidden]
    assert [value for node in document.find('layer["Notes"]') for value in node.facts.values()] == [not hidden]


def test_every_stored_text_is_in_a_span() -> None:
    spans = open_pdf(rich()).spans()
    texts = {(span.role, span.text, span.visible) for span in spans}
    assert {
        (Role.ANNOTATION, "Please check", True),
        (Role.OUTLINE, "Prices", True),
        (Role.LINK, "https://example.org/terms", False),
        (Role.FORM, "Ann", True),
        (Role.FORM, "Portugal", False),
        (Role.NAME, "prices.csv", True),
        (Role.METADATA, "Offer", False),
        (Role.CODE, "app.alert(1)", False),
    } <= texts


def test_a_value_that_the_field_does_not_show_is_hidden() -> None:
    data = pdf([SamplePage("Form", fields=[SampleField("name", "Jane Doe", shown="")])])
    assert [(span.text, span.visible) for span in open_pdf(data).spans() if span.role is Role.FORM] == [("Jane Doe", False)]


@pytest.mark.skipif(not CORPUS.exists(), reason="the shared corpus is not here")
@pytest.mark.parametrize(
    ("name", "wording"),
    [
        ("pdflatex-outline-links.pdf", "nonsense like “Huardest gefburn”? Kjift – not at all!"),
        ("libreoffice-tagged-structure.pdf", "Longue énumération"),
        ("word2010-tagged-attachment.pdf", "Dies ist ein Test für Attachments!"),
        ("reportlab-bookmarks.pdf", "carries no legal weight"),
        ("libreoffice-text-markup-annotations.pdf", "Cum sociis natoque penatibus"),
    ],
)
def test_wording_of_real_producers_is_found(name: str, wording: str) -> None:
    spans = open_pdf((CORPUS / "pdf" / name).read_bytes()).spans()
    assert wording in " ".join(" ".join(span.text.split()) for span in spans if span.visible)


def test_ligatures_of_a_real_font() -> None:
    pytest.importorskip("reportlab")
    from reportlab.pdfgen import canvas

    out = io.BytesIO()
    page = canvas.Canvas(out, invariant=1)
    page.drawString(50, 700, "Büro – 10 € „office“")
    page.save()
    assert [span.text for span in open_pdf(out.getvalue()).spans() if span.role is Role.BODY] == ["Büro – 10 € „office“"]


@pytest.mark.parametrize(
    ("shown", "read"),
    [
        ("plain (text)", "plain (text)"),
        ("2024 םולש", "שלום 2024"),
        ("this is mixed. 123 ,םלוע םולש", "שלום עולם, this is mixed. 123"),
        ("Hello םלוע םולש world", "Hello שלום עולם world"),
        ("name: םולש.", "name: שלום."),
        ("PDF ץבוק", "קובץ PDF"),
        ("ב 1,234 א", "א 1,234 ב"),
        ("50 תיב ,7 בוחר", "רחוב 7, בית 50"),
        ("3D הספדה", "הדפסה 3D"),
        ("50% החנה", "הנחה 50%"),
        ("(א) ב", "ב (א)"),
    ],
)
def test_right_to_left_lines_are_read_in_logical_order(shown: str, read: str) -> None:
    assert logical_order(shown) == read


@pytest.mark.parametrize(
    ("content", "texts"),
    [
        ("BT /F1 10 Tf 40 50 Td (H) Tj /F1 8 Tf -5 Ts (2) Tj /F1 10 Tf 0 Ts (O ice) Tj ET", ["H2O ice"]),
        ("BT /F1 10 Tf 40 50 Td (10) Tj /F1 6 Tf 5 Ts (-3) Tj /F1 10 Tf 0 Ts ( mol) Tj ET", ["10-3 mol"]),
        ("BT /F1 6 Tf 40 55 Td (1) Tj /F1 10 Tf 3.34 -5 Td (Note) Tj ET", ["1Note"]),
        ("BT /F1 10 Tf 40 50 Td (One) Tj ET BT /F1 10 Tf 90 43 Td (Two) Tj ET", ["One", "Two"]),
        ("BT /F1 10 Tf 40 50 Td (One) Tj 17 -12 Td (Two) Tj ET", ["One\nTwo"]),
    ],
)
def test_indices_are_read_with_their_words(content: str, texts: list[str]) -> None:
    spans = open_pdf(pdf([SamplePage(content=content)])).spans()
    assert [span.text for span in spans if span.role is Role.BODY] == texts


def test_tokens() -> None:
    source = b"BT /F#31 1.50 Tf % comment\n[(a\\\nb) -12 <4>] TJ --5 0 Td true null << /A [1 2] >> BI /W 2 /H 1 /BPC 8 /CS /G ID \x00\xff EI Q ET junk"
    found = list(operations(source, 100))
    assert [name for name, _ in found] == ["BT", "Tf", "TJ", "Td", "BI", "Q", "ET", "junk"]
    assert found[1][1] == ["F1", 1.5]
    assert found[2][1] == [[b"ab", -12, b"@"]]
    assert found[4][1][0]["ColorSpace"] == "DeviceGray"
    assert found[4][1][1] == b"\x00\xff"


@pytest.mark.parametrize("padding", [b" ", b"\0", b"\r\n", b"%", b"1", b"-", b"("])
def test_padding_costs_what_it_weighs(padding: bytes) -> None:
    assert [name for name, _ in operations(b"q Q" + b"\n" + padding * 50_000, 100_000)][:2] == ["q", "Q"]
