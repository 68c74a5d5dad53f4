"""Documents of the report bundle: a workbook with figures, and a report on it that is scored by dimensions."""

from __future__ import annotations

import datetime
import io
from collections.abc import Callable
from typing import Any

from tools.bundles.common import FIXED_DATE, repack, right, write_bundle, wrong

FIGURES = (("Supplier", "Orders", "Late", "Late share"), ("Aldous", 120, 6, 0.05), ("Berwick", 80, 12, 0.15), ("Caton", 50, 1, 0.02))

INSTRUCTION = """
`supplier-figures.xlsx` holds last quarter's orders. Write `supplier-report.docx` for the purchasing board:

- a section *Findings* that names the supplier with the highest share of late orders and gives the share,
- a section *Figures* with a native table of all suppliers: Supplier, Orders, Late, Late share (as a percentage),
- a section *Recommendation* with one clear recommendation,
- the source of the figures in a section *Sources*.

The board's rule: a report must not name a person, and must not promise a result.
"""

VERIFIER = """
schema = "docops.verifier/1"
aggregate = "weighted"

[groups.content]
title = "Content"
weight = 5
[groups.content.findings]
title = "The findings are right"
weight = 3
[groups.content.figures]
title = "The figures are complete"
weight = 2
[groups.structure]
title = "Structure"
weight = 2
[groups.evidence]
title = "Evidence"
weight = 3
[groups.compliance]
title = "The board's rules"

[gates.rules]
title = "The board's rules are kept"
of = ["compliance"]
multiply = 0.0

[gates.files]
title = "The report can be read and the figures are untouched"
of = ["artifact:supplier-report.docx", "preserved:supplier-figures.xlsx"]
multiply = 0.0

[[criteria]]
id = "content.findings.supplier"
title = "Berwick is named as the supplier that is late most often"
predicate = "anchor.contains"
at = "supplier-report.docx#body/section[Findings]"
text = "Berwick"
weight = 2

[[criteria]]
id = "content.findings.share"
title = "The share is given, as a percentage or at least as a fraction"
predicate = "graded"
grades = [
  { score = 1.0, predicate = "anchor.contains", at = "supplier-report.docx#body/section[Findings]", text = "15 %", profile = "loose" },
  { score = 0.5, predicate = "anchor.contains", at = "supplier-report.docx#body/section[Findings]", text = "12 of 80" },
]

[[criteria]]
id = "content.figures.table"
title = "A native table with all suppliers"
predicate = "docx.table"
at = "supplier-report.docx"
header = ["Supplier", "Orders", "Late", "Late share"]
rows = 4

[[criteria]]
id = "content.figures.rows"
title = "Every row is right"
predicate = "docx.table"
at = "supplier-report.docx"
contains_rows = [["Aldous", "120", "6", "5 %"], ["Berwick", "80", "12", "15 %"], ["Caton", "50", "1", "2 %"]]

[[criteria]]
id = "structure.sections"
title = "The four sections, in order, as headings"
predicate = "docx.heading_hierarchy"
at = "supplier-report.docx"
outline = [[1, "Findings"], [1, "Figures"], [1, "Recommendation"], [1, "Sources"]]

[[criteria]]
id = "evidence.source"
title = "The workbook is named as the source"
predicate = "anchor.contains"
at = "supplier-report.docx#body/section[Sources]"
text = "supplier-figures.xlsx"

[[criteria]]
id = "compliance.no-names"
title = "No person is named"
predicate = "anchor.absent"
at = "supplier-report.docx"
texts = ["Mr", "Mrs", "Ms"]
source = "the board's rule"

[[criteria]]
id = "compliance.no-promises"
title = "Nothing is promised"
predicate = "anchor.absent"
at = "supplier-report.docx"
texts = ["guarantee", "guaranteed", "we promise"]
source = "the board's rule"
"""


def figures() -> bytes:
    """The workbook with the quarter's orders."""
    import openpyxl

    book = openpyxl.Workbook()
    book.properties.created = book.properties.modified = datetime.datetime(*FIXED_DATE)
    sheet: Any = book.active
    sheet.title = "Quarter"
    for row in FIGURES:
        sheet.append(list(row))
    for row_number in range(2, len(FIGURES) + 1):
        sheet.cell(row_number, 4).number_format = "0 %"
    out = io.BytesIO()
    book.save(out)
    return repack(out.getvalue())


def report(
    *,
    finding: str = "Berwick is late most often: 15 % of its orders came late.",
    advice: str = "Move a third of Berwick's orders to Caton for one quarter and measure again.",
    sources: str = "Orders of the quarter: supplier-figures.xlsx, sheet Quarter.",
    native: bool = True,
    change: Callable[[Any], None] | None = None,
) -> bytes:
    """A report to the board."""
    import docx

    document = docx.Document()
    core = document.core_properties
    core.title, core.author = "Late orders", "Purchasing"
    core.created = core.modified = datetime.datetime(*FIXED_DATE)
    document.add_heading("Findings", 1)
    document.add_paragraph(finding)
    document.add_heading("Figures", 1)
    rows = [[str(cell) if not isinstance(cell, float) else f"{cell:.0%}".replace("%", " %") for cell in row] for row in FIGURES]
    if native:
        table = document.add_table(rows=len(rows), cols=4)
        for row, cells in zip(table.rows, rows):
            for cell, value in zip(row.cells, cells):
                cell.text = value
    else:
        for cells in rows:
            document.add_paragraph("\t".join(cells))
    document.add_heading("Recommendation", 1)
    document.add_paragraph(advice)
    document.add_heading("Sources", 1)
    document.add_paragraph(sources)
    if change is not None:
        change(document)
    out = io.BytesIO()
    document.save(out)
    return repack(out.getvalue())


def main() -> None:
    """Write the bundle."""
    book = figures()

    def output(**parts: Any) -> dict[str, bytes]:
        return {"supplier-report.docx": report(**parts), "supplier-figures.xlsx": book}

    name = "supplier-report.docx"
    write_bundle(
        "pack-l4-c3-supplier-report",
        metadata={
            "title": "Report on late orders",
            "level": "L4",
            "operations": ["C1", "C3", "S3", "S4"],
            "domain": "purchasing",
            "required_operations": ["the report's sections, figures and source are right", "the board's rules are kept"],
            "edit_scope": {},
        },
        instruction=INSTRUCTION,
        verifier=VERIFIER,
        sources={},
        read_only={"supplier-figures.xlsx": book},
        references={name: report()},
        outputs={
            "right": (output(), right("everything is there")),
            "reworded": (output(finding="At 15 %, Berwick has the highest share of late orders."), right("other words, the same facts")),
            "fraction": (
                output(finding="Berwick is late most often: 12 of 80 orders came late."),
                wrong("the share stands as a fraction: half a checkpoint", ["missing"], [f"{name}#body/section[Findings]"]),
            ),
            "no-source": (output(sources="Figures of the quarter."), wrong("the source is not named", ["missing"], [f"{name}#body/section[Sources]"])),
            "promise": (
                output(advice="Move a third of Berwick's orders to Caton; fewer late orders are guaranteed."),
                wrong("one promise closes the gate, however good the rest is", ["unexpected"], [name]),
            ),
            "tabs": (output(native=False), wrong("tabs stand in for the table", ["not_native"], [name])),
        },
    )


if __name__ == "__main__":
    main()
