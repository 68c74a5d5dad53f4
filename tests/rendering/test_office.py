"""Pictures: one a page, hidden slides too; kept and taken back; what draws them reaches neither the network nor anybody's files."""

from __future__ import annotations

import io
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from docops.core.canonical import sha256
from docops.core.errors import NotApplicable, UsageError
from docops.families.samples import letter
from docops.rendering.office import OfficeRenderer, find_office, make_renderer

PNG = b"\x89PNG\r\n\x1a\n"
office = pytest.mark.skipif(find_office() is None, reason="LibreOffice is not installed")


def deck(titles: list[str], hidden: int = -1) -> bytes:
    from pptx import Presentation

    presentation = Presentation()
    for number, title in enumerate(titles):
        slide = presentation.slides.add_slide(presentation.slide_layouts[5])
        slide.shapes.title.text = title
        if number == hidden:
            slide._element.set("show", "0")
    made = io.BytesIO()
    presentation.save(made)
    return made.getvalue()


def linked_picture(target: str) -> bytes:
    """A document with a picture that is linked and not stored."""
    from docx import Document
    from docx.opc.constants import RELATIONSHIP_TYPE
    from PIL import Image

    pixels = io.BytesIO()
    Image.new("RGB", (40, 40), (0, 255, 0)).save(pixels, "PNG")
    pixels.seek(0)
    document = Document()
    document.add_picture(pixels, width=3_000_000)
    relationship = document.part.relate_to(target, RELATIONSHIP_TYPE.IMAGE, is_external=True)
    (blip,) = document.element.iter("{http://schemas.openxmlformats.org/drawingml/2006/main}blip")
    name = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}embed"
    del blip.attrib[name]
    blip.set(name.replace("embed", "link"), relationship)
    made = io.BytesIO()
    document.save(made)
    return made.getvalue()


def has_colour(picture: bytes, colour: tuple[int, int, int]) -> bool:
    from PIL import Image

    colours = Image.open(io.BytesIO(picture)).convert("RGB").getcolors(10_000_000) or []
    return any(all(abs(a - b) < 30 for a, b in zip(found, colour, strict=True)) for _, found in colours if isinstance(found, tuple))


@office
def test_a_picture_for_each_slide_hidden_ones_too() -> None:
    made = OfficeRenderer(office=find_office()).render(deck(["One", "Two", "Three"], hidden=1), "deck.pptx")
    assert len(made.pages) == 3
    assert all(page.startswith(PNG) for page in made.pages)
    assert len(set(made.pages)) == 3
    assert made.by.startswith("LibreOffice ")
    assert "PDFium" in made.by


@office
def test_pictures_of_documents_and_workbooks() -> None:
    from openpyxl import Workbook

    made = io.BytesIO()
    book = Workbook()
    book.create_sheet("Ports", 0).append(["Harbour", 12])
    book.save(made)
    renderer = OfficeRenderer(office=find_office())
    assert len(renderer.render(made.getvalue(), "book.xlsx").pages) == 1
    assert len(renderer.render(letter("Dear all,")()["letter.docx"], "letter.docx").pages) == 1


def test_pictures_of_pdf_pages_need_no_office() -> None:
    from reportlab.pdfgen.canvas import Canvas

    made = io.BytesIO()
    canvas = Canvas(made, pagesize=(400, 200))
    for text in ("one", "two"):
        canvas.drawString(40, 100, text)
        canvas.showPage()
    canvas.save()
    rendered = OfficeRenderer().render(made.getvalue(), "paper.pdf")
    assert len(rendered.pages) == 2
    assert int.from_bytes(rendered.pages[0][16:20], "big") == 1280


@pytest.mark.parametrize(("data", "name"), [(b"no deck", "deck.pptx"), (b"%PDF-1.7 nothing", "paper.pdf"), (b"text", "notes.txt")])
def test_what_cannot_be_drawn_says_so(data: bytes, name: str) -> None:
    with pytest.raises(NotApplicable) as caught:
        OfficeRenderer(office=find_office()).render(data, name)
    assert caught.value.code == "pictures_unavailable"
    assert name.rpartition(".")[2] in str(caught.value)


def test_pictures_are_kept_and_taken_as_they_are(tmp_path: Path) -> None:
    data = letter("Dear all,")()["letter.docx"]
    folder = tmp_path / sha256(data)
    folder.mkdir()
    for number in (1, 2, 10):
        (folder / f"{number}.png").write_bytes(b"%d" % number)
    (folder / "by").write_text("Word 2019\n", encoding="utf-8")
    made = OfficeRenderer(tmp_path).render(data, "letter.docx")
    assert (made.pages, made.by) == ((b"1", b"2", b"10"), "Word 2019")
    with pytest.raises(NotApplicable, match="LibreOffice"):
        OfficeRenderer(tmp_path).render(data + b" ", "letter.docx")


@office
def test_what_was_made_is_kept(tmp_path: Path) -> None:
    data = letter("Dear all,")()["letter.docx"]
    made = OfficeRenderer(tmp_path, find_office()).render(data, "letter.docx")
    assert OfficeRenderer(tmp_path).render(data, "letter.docx") == made
    assert [path.name for path in tmp_path.iterdir()] == [sha256(data)]


@office
def test_linked_pictures_are_not_fetched() -> None:
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def parse_request(self) -> bool:
            asked.append(repr(getattr(self, "raw_requestline", b"")))
            return False

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        made = OfficeRenderer(office=find_office()).render(linked_picture(f"http://127.0.0.1:{server.server_port}/x.png"), "letter.docx")
    finally:
        server.shutdown()
        server.server_close()
    assert len(made.pages) == 1
    assert asked == []


@office
def test_linked_files_are_not_shown(tmp_path: Path) -> None:
    from PIL import Image

    secret = tmp_path / "secret.png"
    Image.new("RGB", (40, 40), (255, 0, 0)).save(secret)
    made = OfficeRenderer(office=find_office()).render(linked_picture(secret.as_uri()), "letter.docx")
    assert not has_colour(made.pages[0], (255, 0, 0))


def test_a_renderer_that_is_asked_for_must_be_there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("docops.rendering.office.find_office", lambda: None)
    assert make_renderer() is None
    assert make_renderer(tmp_path / "kept") == OfficeRenderer(tmp_path / "kept", None)
    with pytest.raises(UsageError, match="LibreOffice"):
        make_renderer(required=True)
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(UsageError, match="no folder for pictures"):
        make_renderer(tmp_path / "file")
