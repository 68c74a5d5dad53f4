"""Large documents for the benchmarks, made on the spot."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable


def workbook(cells: int = 50_000) -> bytes:
    """A workbook of `cells` cells in ten columns, a fifth of them formulas, written by XlsxWriter."""
    import xlsxwriter

    out = io.BytesIO()
    book = xlsxwriter.Workbook(out, {"in_memory": True})
    money = book.add_format({"num_format": "#,##0.00"})
    sheet = book.add_worksheet("Data")
    for row in range(cells // 10):
        sheet.write_string(row, 0, f"item {row % 500}")
        for column in range(1, 8):
            sheet.write_number(row, column, row * column / 7, money)
        sheet.write_formula(row, 8, f"=SUM(B{row + 1}:H{row + 1})", money, row * 4)
        sheet.write_formula(row, 9, f"=ROUND(I{row + 1}*0.19,2)", money, round(row * 4 * 0.19, 2))
    book.close()
    return out.getvalue()


def report(pages: int = 200) -> bytes:
    """A report of about `pages` pages: headings, paragraphs of mixed runs, a table every five pages."""
    import docx

    document = docx.Document()
    for page in range(pages):
        document.add_heading(f"Section {page + 1}", level=1 + page % 3)
        for n in range(12):
            paragraph = document.add_paragraph(f"Paragraph {n} of page {page} says something about item {page * n % 97}. ")
            paragraph.add_run("Important.").bold = True
            paragraph.add_run(" More text follows here, to the end of the line.")
        if page % 5 == 0:
            table = document.add_table(rows=6, cols=4, style="Table Grid")
            for r, row in enumerate(table.rows):
                for c, cell in enumerate(row.cells):
                    cell.text = f"{page}.{r}.{c}"
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def deck(slides: int = 100) -> bytes:
    """A deck with bullets, a table every fourth slide and notes on every second."""
    import pptx
    from pptx.util import Cm

    presentation = pptx.Presentation()
    for number in range(slides):
        slide = presentation.slides.add_slide(presentation.slide_layouts[1])
        slide.shapes.title.text = f"Slide {number + 1}"
        slide.placeholders[1].text = "\n".join(f"Point {n} of slide {number}" for n in range(6))
        for n in range(6):
            slide.shapes.add_textbox(Cm(n), Cm(n), Cm(4), Cm(1)).text_frame.text = f"box {n} on {number}"
        if number % 4 == 0:
            table = slide.shapes.add_table(5, 4, Cm(1), Cm(8), Cm(20), Cm(6)).table
            for r in range(5):
                for c in range(4):
                    table.cell(r, c).text = f"{number}.{r}.{c}"
        if number % 2 == 0:
            slide.notes_slide.notes_text_frame.text = f"Notes of slide {number + 1}"
    out = io.BytesIO()
    presentation.save(out)
    return out.getvalue()


def pages(count: int = 200) -> bytes:
    """A PDF of text pages with an outline."""
    from reportlab.pdfgen.canvas import Canvas

    out = io.BytesIO()
    canvas = Canvas(out, pagesize=(595, 842), invariant=1)
    for number in range(count):
        canvas.bookmarkPage(f"p{number}")
        canvas.addOutlineEntry(f"Page {number + 1}", f"p{number}", 0)
        canvas.setFont("Helvetica", 11)
        for n in range(40):
            canvas.drawString(60, 790 - 18 * n, f"Line {n} of page {number + 1}: value {number * n % 991}, due in {n} days.")
        canvas.showPage()
    canvas.save()
    return out.getvalue()


def edit_part(data: bytes, pattern: str, change: Callable[[str], str]) -> bytes:
    """The archive with the first part whose name matches edited as text; all other members byte for byte."""
    out = io.BytesIO()
    done = False
    with zipfile.ZipFile(io.BytesIO(data)) as source, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as target:
        for info in source.infolist():
            body = source.read(info)
            if not done and re.fullmatch(pattern, info.filename):
                body, done = change(body.decode("utf-8")).encode("utf-8"), True
            target.writestr(info, body)
    if not done:
        raise ValueError(f"no part matches {pattern}")
    return out.getvalue()


def respaced(data: bytes) -> bytes:
    """The archive with a space added inside every XML part's first tag: equal meaning, no equal bytes."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as source, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as target:
        for info in source.infolist():
            body = source.read(info)
            if info.filename.endswith((".xml", ".rels")):
                body = re.sub(rb"(<[A-Za-z:]+)( )", rb"\1  ", body, count=1)
            target.writestr(info, body)
    return out.getvalue()
