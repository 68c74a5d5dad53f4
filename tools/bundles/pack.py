"""Documents of the bundle over two documents: a workbook and a report that must agree."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

from tools.bundles.common import FIXED_DATE, chain, repack, right, swap, write_bundle, wrong
from tools.bundles.docx import BODY, with_python_docx
from tools.bundles.xlsx import by_openpyxl

STAFF = (("Leith", 42), ("Porto", 35), ("Gdynia", 28), ("Bergen", 17))


def headcount() -> bytes:
    """A workbook of staff by site and month."""
    import datetime

    import xlsxwriter

    out = io.BytesIO()
    book = xlsxwriter.Workbook(out, {"in_memory": True})
    book.set_properties({"title": "Headcount", "author": "Personnel", "created": datetime.datetime(*FIXED_DATE, tzinfo=datetime.UTC)})
    head = book.add_format({"bold": True, "bottom": 1})
    share = book.add_format({"num_format": "0.0%"})
    sheet = book.add_worksheet("Headcount")
    history = book.add_worksheet("History")
    sheet.write_row(0, 0, ["Site", "Staff", "Share"], head)
    for n, (site, staff) in enumerate(STAFF, 2):
        sheet.write(n - 1, 0, site)
        sheet.write_number(n - 1, 1, staff)
        sheet.write_formula(n - 1, 2, f"=B{n}/SUM($B$2:$B$5)", share, staff / 122)
    sheet.write("A6", "All sites")
    sheet.write_blank("B6", None, head)
    sheet.set_column("A:A", 16)
    history.write_row(0, 0, ["Year", "Staff"], head)
    for n, (year, staff) in enumerate(((2022, 104), (2023, 109), (2024, 117)), 1):
        history.write_number(n, 0, year)
        history.write_number(n, 1, staff)
    chart = book.add_chart({"type": "line"})
    chart.add_series({"name": "Staff", "categories": "=History!$A$2:$A$4", "values": "=History!$B$2:$B$4"})
    history.insert_chart("D2", chart)
    book.close()
    return by_openpyxl(out.getvalue(), lambda book: None)


def staff_report() -> bytes:
    """A short report that states the headcount."""
    import datetime

    import docx

    document = docx.Document()
    core = document.core_properties
    core.title, core.author = "Staff report", "Personnel"
    core.created = core.modified = datetime.datetime(*FIXED_DATE)
    document.sections[0].header.paragraphs[0].text = "Staff report 2025"
    document.add_heading("Staff report", level=0)
    document.add_heading("1. Headcount", level=1)
    paragraph = document.add_paragraph("At the end of the year, ")
    paragraph.add_run("[to be filled]").bold = True
    paragraph.add_run(" people worked at all sites together.")
    document.add_paragraph("Leith remains the largest site.")
    document.add_heading("2. Sites", level=1)
    table = document.add_table(rows=1, cols=2, style="Table Grid")
    table.rows[0].cells[0].text, table.rows[0].cells[1].text = "Site", "Staff"
    for site, staff in STAFF:
        cells = table.add_row().cells
        cells[0].text, cells[1].text = site, str(staff)
    document.add_heading("3. Method", level=1)
    document.add_paragraph("Part-time staff count as one person each.")
    out = io.BytesIO()
    document.save(out)
    return repack(out.getvalue())


def main() -> None:
    """Write the bundle."""
    book, report = headcount(), staff_report()
    empty, total = '<c r="B6" s="1" t="n"></c>', sum(staff for _, staff in STAFF)

    def workbook(xml: str = f'<c r="B6" s="1"><f>SUM(B2:B5)</f><v>{total}</v></c>') -> bytes:
        return repack(book, change={"xl/worksheets/sheet1.xml": swap(empty, xml)})

    def text(*edits: Callable[[str], str]) -> bytes:
        return repack(report, change={BODY: chain(*edits)})

    fill = swap("[to be filled]", str(total))
    sentence = f"At the end of the year, {total} people worked at all sites together."

    def by_api(document: Any) -> None:
        run = next(run for paragraph in document.paragraphs for run in paragraph.runs if run.text == "[to be filled]")
        run.text = str(total)

    write_bundle(
        "pack-l4-c4-headcount",
        metadata={
            "title": "Headcount in workbook and report",
            "level": "L4",
            "operations": ["C4", "C2"],
            "domain": "personnel",
            "required_operations": ["Headcount!B6 holds a live total of all sites", "The report states the same number"],
            "edit_scope": {"headcount.xlsx": ["sheet[Headcount]/cell[B6]"], "staff.docx": ['body/section["1. Headcount"]/paragraph[2]']},
        },
        instruction="""
Total the staff of all sites in cell B6 of the sheet "Headcount" with a formula, and put the number into the report in place of
"[to be filled]". The number in the report stays bold. Nothing else changes.
""",
        verifier=f"""
schema = "docops.verifier/1"
aggregate = "all"

[groups.workbook]
title = "The workbook's total is live"
critical = true

[groups.report]
title = "The report states the same number"
critical = true

[[use]]
id = "workbook.total"
verifier = "xlsx/live-total"
with = {{ at = "headcount.xlsx#sheet[Headcount]/cell[B6]", total = {total}, amounts = ["sheet[Headcount]/cell[B2:B5]"] }}

[[use]]
id = "workbook.errors"
verifier = "xlsx/no-errors"
with = {{ artifact = "headcount.xlsx" }}

[[criteria]]
id = "report.number"
predicate = "anchor.contains"
at = 'staff.docx#body/section["1. Headcount"]'
text = "{sentence}"
count = 1

[[criteria]]
id = "report.bold"
predicate = "docx.text_format"
at = 'staff.docx#body/section["1. Headcount"]/paragraph[2]'
text = "{total}"
bold = true

[[use]]
id = "report.placeholders"
verifier = "docx/placeholders-gone"
with = {{ artifact = "staff.docx" }}
""",
        sources={"headcount.xlsx": book, "staff.docx": report},
        references={"headcount.xlsx": workbook(), "staff.docx": text(fill)},
        outputs={
            "by-libraries": (
                {
                    "headcount.xlsx": by_openpyxl(book, lambda b: b["Headcount"].__setitem__("B6", "=B2+B3+B4+B5")),
                    "staff.docx": with_python_docx(report, by_api),
                },
                right("edited and saved by openpyxl and python-docx"),
            ),
            "numbers-differ": (
                {"headcount.xlsx": workbook(), "staff.docx": text(swap("[to be filled]", "112"))},
                wrong("the report states another number", ["missing"], ["staff.docx#body"]),
            ),
            "report-missing": (
                {"headcount.xlsx": workbook()},
                wrong("only the workbook came back", ["artifact_missing"], ["staff.docx"], "incomplete"),
            ),
            "typed-in": (
                {"headcount.xlsx": workbook(f'<c r="B6" s="1"><v>{total}</v></c>'), "staff.docx": text(fill)},
                wrong("the total is typed in", ["static_value"], ["headcount.xlsx#sheet[Headcount]/cell[B6]"], "gaming"),
            ),
            "table-changed": (
                {"headcount.xlsx": workbook(), "staff.docx": text(fill, swap("<w:t>17</w:t>", "<w:t>71</w:t>"))},
                wrong("a number in the table changed", ["unexpected_change"], ["staff.docx#body/table[1]"]),
            ),
        },
    )
