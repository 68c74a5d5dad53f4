"""Write the small documents that show what the reusable verifiers do: `python -m tools.verifier_examples`."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tools.bundles.common import repack

FOLDER = Path(__file__).parents[1] / "verifiers" / "examples"
AMOUNTS = (("Rent", 900), ("Power", 80.25), ("Water", 30.25), ("Post", 0))


def budget(total: str | float, factor: Callable[[int], Any] = lambda row: f"=C{row}*1.2") -> bytes:
    """A workbook of four amounts, their total, and a column computed from them."""
    import openpyxl

    book = openpyxl.Workbook()
    sheet: Any = book.active
    sheet.title = "Budget"
    sheet.append(["Item", "Note", "Amount", "With tax"])
    for row, (name, amount) in enumerate(AMOUNTS, start=2):
        sheet.append([name, "", amount, factor(row)])
    sheet["A6"], sheet["C6"] = "Total", total
    return _saved(book)


def broken_workbook() -> bytes:
    """The same workbook with a formula that divides by nothing."""
    return budget("=SUM(C2:C5)/B6")


def letter(*paragraphs: str) -> bytes:
    """A document of plain paragraphs."""
    import docx

    document = docx.Document()
    for text in paragraphs:
        document.add_paragraph(text)
    return _saved(document)


def headings(*levels: int) -> bytes:
    """A document of headings with a paragraph under each."""
    import docx

    document = docx.Document()
    for number, level in enumerate(levels, start=1):
        document.add_heading(f"Part {number}", level)
        document.add_paragraph("Some text.")
    return _saved(document)


ROWS = (("Item", "Amount"), ("Rent", "900"), ("Power", "80"))


def report_with_table(*, native: bool) -> bytes:
    """A document with a table, or with the same texts set with tabs."""
    import docx

    document = docx.Document()
    document.add_paragraph("What it costs:")
    if native:
        table = document.add_table(rows=0, cols=2)
        for texts in ROWS:
            for cell, text in zip(table.add_row().cells, texts, strict=True):
                cell.text = text
    else:
        for texts in ROWS:
            document.add_paragraph("\t".join(texts))
    return _saved(document)


def deck(titles: Sequence[str]) -> bytes:
    """A presentation of slides with titles."""
    import pptx

    presentation = pptx.Presentation()
    for title in titles:
        presentation.slides.add_slide(presentation.slide_layouts[5]).shapes.title.text = title
    return _saved(presentation)


def deck_with_table(*, native: bool) -> bytes:
    """A slide with a table, or with the same texts in a text box."""
    import pptx

    presentation = pptx.Presentation()
    slide = presentation.slides.add_slide(presentation.slide_layouts[5])
    slide.shapes.title.text = "Berths"
    rows = (("Berth", "Depth"), ("N1", "9.5"))
    box = (pptx.util.Inches(1), pptx.util.Inches(2), pptx.util.Inches(4), pptx.util.Inches(1))
    if native:
        table = slide.shapes.add_table(2, 2, *box).table
        for number, texts in enumerate(rows):
            for column, text in enumerate(texts):
                table.cell(number, column).text = text
    else:
        slide.shapes.add_textbox(*box).text_frame.text = "\n".join("\t".join(texts) for texts in rows)
    return _saved(presentation)


def pages(order: Sequence[int], outline: Sequence[int]) -> bytes:
    """A PDF of three pages in some order, with an outline in another."""
    from reportlab.pdfgen.canvas import Canvas

    names = ("Cover", "Prices", "Terms")
    out = io.BytesIO()
    page = Canvas(out, pagesize=(300, 400), invariant=1, pageCompression=1)
    for number in order:
        page.bookmarkPage(names[number - 1])
        page.drawString(50, 350, f"{names[number - 1]} of the offer")
        page.showPage()
    for number in outline:
        page.addOutlineEntry(names[number - 1], names[number - 1], 0)
    page.save()
    return out.getvalue()


def form(value: str, drawn: str) -> bytes:
    """A PDF with one text field, and words drawn where a reader looks for its value."""
    from reportlab.pdfgen.canvas import Canvas

    out = io.BytesIO()
    page = Canvas(out, pagesize=(300, 400), invariant=1)
    page.drawString(30, 350, "Applicant")
    page.acroForm.textfield(name="applicant", x=100, y=340, width=150, height=24, value=value)
    if drawn:
        page.drawString(105, 347, drawn)
    page.save()
    return out.getvalue()


def _saved(document: Any) -> bytes:
    out = io.BytesIO()
    document.save(out)
    return repack(out.getvalue())


def documents() -> dict[str, bytes]:
    """File name → bytes; the same at every run."""
    return {
        "total-live.xlsx": budget("=SUM(C2:C5)"),
        "total-typed.xlsx": budget(1010.5),
        "error.xlsx": broken_workbook(),
        "column-broken.xlsx": budget("=SUM(C2:C5)", lambda row: 96.3 if row == 3 else f"=C{row}*1.2"),
        "headings.docx": headings(1, 2, 2, 1),
        "headings-skipped.docx": headings(1, 3, 1),
        "table.docx": report_with_table(native=True),
        "table-tabbed.docx": report_with_table(native=False),
        "filled.docx": letter("Dear Ms Doe,", "your order was sent on 3 March."),
        "placeholder.docx": letter("Dear Ms Doe,", "your order was sent on [TBD]."),
        "slides.pptx": deck(("Plan", "Costs", "Risks")),
        "slides-swapped.pptx": deck(("Plan", "Risks", "Costs")),
        "table.pptx": deck_with_table(native=True),
        "table-text.pptx": deck_with_table(native=False),
        "pages.pdf": pages((1, 2, 3), (1, 2, 3)),
        "pages-moved.pdf": pages((1, 3, 2), (1, 3, 2)),
        "pages-moved-alone.pdf": pages((1, 3, 2), (1, 2, 3)),
        "form-filled.pdf": form("Jane Doe", ""),
        "form-drawn.pdf": form("", "Jane Doe"),
    }


def main() -> None:
    """Write all of them."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, data in documents().items():
        (FOLDER / name).write_bytes(data)


if __name__ == "__main__":
    main()
