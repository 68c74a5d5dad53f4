"""Documents of the bundles on reports: written anew from sources, so that every figure and claim must be traced."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any

from tools.bundles.common import FIXED_DATE, repack, right, write_bundle, wrong

Block = str | Sequence[Sequence[str]]
FORBIDDEN = ["guarantee", "guarantees", "guaranteed", "without any exception", "risk-free", "no risk"]


def document(title: str, blocks: Sequence[Block], *, hidden: str = "") -> bytes:
    """A document: `# ` lines are headings, lists of rows tables, everything else paragraphs."""
    import datetime

    import docx

    out = docx.Document()
    core = out.core_properties
    core.title, core.author = title, "Reports"
    core.created = core.modified = datetime.datetime(*FIXED_DATE)
    out.add_paragraph(title, style="Title")
    for block in blocks:
        if not isinstance(block, str):
            table = out.add_table(rows=0, cols=len(block[0]), style="Table Grid")
            for row in block:
                for cell, text in zip(table.add_row().cells, row, strict=True):
                    cell.text = text
        elif block.startswith("# "):
            out.add_heading(block[2:], level=1)
        else:
            out.add_paragraph(block)
    if hidden:
        out.add_paragraph().add_run(hidden).font.hidden = True
    data = io.BytesIO()
    out.save(data)
    return repack(data.getvalue())


def changed(blocks: Sequence[Block], *swaps: tuple[str, str]) -> list[Block]:
    """The blocks with texts replaced; every one of them must be there."""
    left = {old for old, _ in swaps}

    def text(value: str) -> str:
        for old, new in swaps:
            if old in value:
                left.discard(old)
                value = value.replace(old, new)
        return value

    out: list[Block] = [text(block) if isinstance(block, str) else [[text(cell) for cell in row] for row in block] for block in blocks]
    if left:
        raise ValueError(f"not there: {sorted(left)}")
    return out


def _toml(value: Any) -> str:
    import json

    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{json.dumps(key)} = {_toml(item)}" for key, item in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def verifier(groups: Mapping[str, str], criteria: Sequence[tuple[str, str, Mapping[str, Any]]]) -> str:
    """The text of a verifier: groups with their titles, criteria as (id, predicate, parameters)."""
    lines = ['schema = "docops.verifier/1"', 'aggregate = "all"', ""]
    for name, title in groups.items():
        lines += [f"[groups.{name}]", f"title = {_toml(title)}", "critical = true", ""]
    for identity, predicate, parameters in criteria:
        lines += ["[[criteria]]", f"id = {_toml(identity)}", f"predicate = {_toml(predicate)}"]
        lines += [f"{key} = {_toml(value)}" for key, value in parameters.items()] + [""]
    return "\n".join(lines)


TERMS: list[Block] = [
    "# 1. Sum insured",
    "The sum insured is EUR 500,000 for each insured person.",
    "# 2. Waiting period",
    "The waiting period is 90 days from the start of the contract. It does not apply to accidents.",
    "# 3. Premium",
    "The annual premium is EUR 1,240. A discount of 2.5 % is given for annual payment.",
    "# 4. Exclusions",
    "The insurer does not pay for injuries from motor racing or from war.",
    "# 5. Claims",
    "Claims are to be reported within 30 days. The insurer pays within 45 days after all documents have arrived.",
    "# 6. Surplus",
    "Surplus is not guaranteed. The terms are those of the edition of 1 January 2026.",
]
SHEET: list[Block] = [
    "# 1. Cover",
    "The sum insured is EUR 500,000 for each insured person [1].",
    "# 2. Waiting period",
    "The waiting period is 90 days [1]. After an accident, cover begins at once.",
    "# 3. Premium",
    "The annual premium is EUR 1,240 [1]. Whoever pays annually gets a discount of 2.5 % [1].",
    "# 4. Exclusions",
    "The insurer does not pay for injuries from motor racing or from war.",
    "# 5. Claims",
    "Claims must be reported within 30 days [1]. The insurer pays within 45 days after it has all documents [1].",
    "# 6. Surplus",
    "Surplus depends on the capital market. It is not guaranteed.",
    "# 7. Sources",
    "Terms of Harbour Life, edition of 1 January 2026 [1].",
]


def product_sheet() -> None:
    """A product information sheet is written from the terms of an insurance."""
    terms, name = document("Terms of Harbour Life", TERMS), "sheet.docx"
    title = "Harbour Life: product information"

    def sheet(*swaps: tuple[str, str], hidden: str = "") -> dict[str, bytes]:
        return {name: document(title, changed(SHEET, *swaps), hidden=hidden)}

    without_exclusions = [block for block in SHEET if "Exclusions" not in str(block) and "motor racing" not in str(block)]
    sections = [str(block).partition(". ")[2] for block in SHEET if str(block).startswith("# ")]
    figures = [("sum", "sum insured"), ("waiting", "waiting period"), ("premium", "annual premium"), ("discount", "discount")]
    write_bundle(
        "docx-l3-c3-product-sheet",
        metadata={
            "title": "Product information sheet of an insurance",
            "level": "L3",
            "operations": ["C1", "C3"],
            "domain": "insurance",
            "required_operations": ["The sheet has the seven sections", "Every figure is that of the terms and names its source", "Nothing is promised"],
            "edit_scope": {},
        },
        instruction=f"""
Write the product information sheet "sheet.docx" for the insurance whose terms are in "terms.docx". It has the sections {", ".join(sections)},
as headings of the first level. State the sum insured, the waiting period, the annual premium and the discount, the deadlines for claims,
and the exclusions. Behind every figure, cite the terms as [1]. Use no other figures, and promise nothing that the terms do not promise.
""",
        verifier=verifier(
            {"figures": "The figures are those of the terms", "content": "All is there that must be", "compliance": "Nothing is promised, invented or hidden"},
            [
                *[
                    (f"figures.{key}", "report.value_agrees", {"at": name, "label": label, "origin": "terms.docx", "source_label": label})
                    for key, label in figures
                ],
                ("figures.report", "anchor.quantity", {"at": f'{name}#body/section["5. Claims"]', "value": "30 days"}),
                ("figures.pay", "anchor.quantity", {"at": f'{name}#body/section["5. Claims"]', "value": "45 days"}),
                ("figures.traced", "report.no_unsupported_numbers", {"at": name, "sources": ["terms.docx"]}),
                ("figures.cited", "report.cites", {"at": name, "sources": {"[1]": "terms.docx"}}),
                ("content.sections", "report.covers", {"at": name, "sections": sections}),
                ("content.exclusions", "anchor.all_of", {"at": name, "texts": ["motor racing", "war"], "polarity": "negated"}),
                ("content.surplus", "anchor.all_of", {"at": name, "texts": ["guaranteed"], "polarity": "negated"}),
                ("content.length", "report.readability", {"at": name, "min_words": 60, "max_words": 400, "max_sentence_words": 25}),
                ("compliance.promises", "report.forbids", {"at": name, "phrases": FORBIDDEN}),
                ("compliance.clean", "anchor.clean_text", {"at": name}),
            ],
        ),
        sources={},
        read_only={"terms.docx": terms},
        references=sheet(),
        outputs={
            "other-words": (
                sheet(
                    ("The sum insured is EUR 500,000 for each insured person [1].", "Each person is insured; the sum insured is half a million, that is € 0.5 million [1]."),
                    ("The waiting period is 90 days [1].", "Waiting period: ninety days [1]."),
                    ("EUR 1,240", "1,240.00 euros"),
                    ("2.5 %", "2.5 percent"),
                ),
                right("the figures are written otherwise"),
            ),
            "waiting-period-wrong": (sheet(("90 days", "60 days")), wrong("the waiting period is another", ["mismatch", "unexpected"], ["sheet.docx#body"])),
            "figure-invented": (
                sheet(("It is not guaranteed.", "It is not guaranteed. In the past it was 3.1 % a year [1].")),
                wrong("a figure that the terms do not have", ["mismatch", "unexpected"], ["sheet.docx#body"]),
            ),
            "source-missing": (sheet(("EUR 1,240 [1]", "EUR 1,240")), wrong("a figure names no source", ["missing"], ["sheet.docx#body"])),
            "section-missing": ({name: document(title, without_exclusions)}, wrong("the exclusions are left out", ["missing"], ["sheet.docx"])),
            "promise": (
                sheet(("It is not guaranteed.", "It is guaranteed.")),
                wrong("surplus is promised", ["mismatch", "unexpected"], ["sheet.docx#body"]),
            ),
            "hidden-words": (
                sheet(("The waiting period is 90 days [1]. ", ""), hidden="The waiting period is 90 days [1]."),
                wrong("the waiting period stands in hidden text", ["missing"], ["sheet.docx"], "gaming"),
            ),
        },
    )


OFFER: list[Block] = [
    "# Offer of Bolt GmbH",
    "The delivery time is 35 days. The warranty is 36 months.",
    "The price is EUR 182,500. The power is 55 kW. The noise level is 68 dB.",
]
REQUIREMENTS = (
    ("Delivery time", "at most 40 days", "35 days", "yes"),
    ("Warranty", "at least 24 months", "36 months", "yes"),
    ("Power", "at least 50 kW", "55 kW", "yes"),
    ("Noise level", "at most 65 dB", "68 dB", "no"),
)
CHECKLIST: list[Block] = [
    "# 1. Tender",
    "The tender is number T-7 of the port authority. Bids close on 15 June 2026, and the bid bond is EUR 5,000.",
    "# 2. Requirements",
    [["Requirement", "Required", "Offered", "Met"], *REQUIREMENTS],
    "# 3. Result",
    "The price of the offer is EUR 182,500. The offer does not meet the noise level: the tender allows 65 dB, and the offer has 68 dB.",
]


def tender() -> bytes:
    """A call for tenders of one page."""
    import reportlab.rl_config

    reportlab.rl_config.invariant = 1
    from reportlab.pdfgen.canvas import Canvas

    out = io.BytesIO()
    page = Canvas(out, pagesize=(595, 842), invariant=1)
    page.setTitle("Call for tenders T-7")
    page.setFont("Helvetica-Bold", 16)
    page.drawString(60, 780, "Call for tenders T-7: shore crane")
    page.setFont("Helvetica", 11)
    lines = (
        "Closing date: 15 June 2026.",
        "Bid bond: EUR 5,000.",
        "Delivery time: at most 40 days.",
        "Warranty: at least 24 months.",
        "Power: at least 50 kW.",
        "Noise level: at most 65 dB.",
    )
    for n, line in enumerate(lines):
        page.drawString(60, 740 - 20 * n, line)
    page.showPage()
    page.save()
    return out.getvalue()


def bid_checklist() -> None:
    """A checklist holds an offer against a call for tenders."""
    name, title = "checklist.docx", "Bid checklist"

    def filled(*swaps: tuple[str, str]) -> dict[str, bytes]:
        return {name: document(title, changed(CHECKLIST, *swaps))}

    rows: list[tuple[str, str, Mapping[str, Any]]] = []
    for number, (requirement, required, offered, met) in enumerate(REQUIREMENTS, 1):
        for column, value in (("Required", required), ("Offered", offered), ("Met", met)):
            rows.append((f"rows.{number}-{column.lower()}", "anchor.table_value", {"at": name, "row": requirement, "column": column, "value": value}))
    table = next(block for block in CHECKLIST if not isinstance(block, str))
    shorter = [block if isinstance(block, str) else block[:-1] for block in CHECKLIST]
    reordered = [block if isinstance(block, str) else [block[0], *reversed(table[1:])] for block in CHECKLIST]
    write_bundle(
        "pack-l4-c5-bid-checklist",
        metadata={
            "title": "Bid checklist against a tender",
            "level": "L4",
            "operations": ["C1", "C3", "C5"],
            "domain": "procurement",
            "required_operations": ["Every requirement has a row with what is required, what is offered, and whether it is met", "The result names what is not met"],
            "edit_scope": {},
        },
        instruction="""
Write "checklist.docx" with three sections: "1. Tender" (number, closing date, bid bond), "2. Requirements" (a table with the columns
Requirement, Required, Offered and Met, one row for each requirement of "tender.pdf": delivery time, warranty, power, noise level), and
"3. Result" (the price of the offer, and what it does not meet). What is offered stands in "offer.docx". Use no other figures.
""",
        verifier=verifier(
            {"rows": "The table is right", "facts": "The facts of tender and offer are stated", "report": "The checklist is complete and invents nothing"},
            [
                *rows,
                ("facts.closing", "anchor.quantity", {"at": name, "value": "15 June 2026"}),
                ("facts.bond", "report.value_agrees", {"at": name, "label": "bid bond", "origin": "tender.pdf", "source_label": "Bid bond"}),
                ("facts.price", "report.value_agrees", {"at": name, "label": "price", "labels": ["price of the offer"], "origin": "offer.docx", "source_label": "price"}),
                ("facts.not-met", "anchor.near", {"at": name, "texts": ["does not meet", "noise level"]}),
                ("report.traced", "report.no_unsupported_numbers", {"at": name, "sources": ["tender.pdf", "offer.docx"]}),
                ("report.sections", "report.covers", {"at": name, "sections": ["Tender", "Requirements", "Result"]}),
                ("report.promises", "report.forbids", {"at": name, "phrases": FORBIDDEN}),
            ],
        ),
        sources={},
        read_only={"tender.pdf": tender(), "offer.docx": document("Offer", OFFER)},
        references=filled(),
        outputs={
            "other-order": ({name: document(title, reordered)}, right("the rows stand in another order")),
            "other-units": (
                filled(("36 months", "3 years"), ("EUR 182,500", "182 500 EUR"), ("at most 40 days", "no more than 40 days")),
                right("units and numbers are written otherwise"),
            ),
            "row-missing": ({name: document(title, shorter)}, wrong("a requirement has no row", ["missing"], ["checklist.docx"])),
            "wrong-answer": (filled(("68 dB", "63 dB")), wrong("the noise level is made to fit", ["mismatch", "unexpected"], ["checklist.docx#body/table[1]"], "gaming")),
            "bond-wrong": (filled(("EUR 5,000", "EUR 50,000")), wrong("the bid bond is another", ["mismatch", "unexpected"], ["checklist.docx#body"])),
            "all-met": (
                filled(("The offer does not meet the noise level: the", "The offer meets everything. The")),
                wrong("the result hides what is not met", ["missing"], ["checklist.docx"]),
            ),
        },
    )


SURVEY = (("Porto", 412, 0.62), ("Leith", 388, 0.55), ("Gdynia", 260, 0.47))
STUDY: list[Block] = [
    "# Method",
    "Between April and September 2025, 37 ferries were measured. A ferry at berth uses 1,850 kWh a night.",
    "# Finding",
    "Shore power lowers emissions by 83 %. It costs EUR 0.21 for each kilowatt-hour.",
]
NOTE: list[Block] = [
    "# 1. Question",
    "This note asks whether shore power pays for ferries.",
    "# 2. Survey",
    "Of the towns that were asked, Porto shows the highest support with 62 % [1], followed by Leith with 55 % [1] and Gdynia with 47 % [1].",
    "In total, 1,060 people answered [1].",
    "# 3. Measurements",
    "A ferry at berth uses 1,850 kWh a night [2]. Shore power lowers emissions by 83 % [2].",
    "# 4. Limits",
    "The study covers 37 ferries only [2]. Its results are not valid for cruise ships.",
    "# 5. Sources",
    "[1] Survey of towns. [2] Study of ferries at berth.",
]


def survey() -> bytes:
    """A workbook with the answers by town."""
    import datetime

    import xlsxwriter

    out = io.BytesIO()
    book = xlsxwriter.Workbook(out, {"in_memory": True})
    book.set_properties({"title": "Survey", "author": "Research", "created": datetime.datetime(*FIXED_DATE, tzinfo=datetime.UTC)})
    share = book.add_format({"num_format": "0%"})
    sheet = book.add_worksheet("Answers")
    sheet.write_row(0, 0, ["Town", "Answers", "In favour"])
    for n, (town, answers, favour) in enumerate(SURVEY, 1):
        sheet.write(n, 0, town)
        sheet.write_number(n, 1, answers)
        sheet.write_number(n, 2, favour, share)
    sheet.write("A5", "All")
    sheet.write_formula("B5", "=SUM(B2:B4)", None, sum(row[1] for row in SURVEY))
    book.close()
    return repack(out.getvalue())


def research_note() -> None:
    """A research note cites a survey and a study."""
    name, title = "note.docx", "Shore power for ferries"

    def note(*swaps: tuple[str, str]) -> dict[str, bytes]:
        return {name: document(title, changed(NOTE, *swaps))}

    answers = "survey.xlsx#sheet[Answers]"
    sections = ["Question", "Survey", "Measurements", "Limits", "Sources"]
    write_bundle(
        "pack-l4-c3-research-note",
        metadata={
            "title": "Research note with sources",
            "level": "L4",
            "operations": ["C1", "C3", "C4"],
            "domain": "research",
            "required_operations": ["Every figure cites the survey or the study and stands there", "The towns are ranked by support", "The limits are named"],
            "edit_scope": {},
        },
        instruction="""
Write the research note "note.docx" from "survey.xlsx" [1] and "study.docx" [2], with the sections Question, Survey, Measurements, Limits and
Sources. Name the towns from the highest support to the lowest, with their shares, and how many people answered in total. State the use of
electricity at berth, what shore power does to emissions, and how many ferries were measured. Every figure cites its source.
""",
        verifier=verifier(
            {"facts": "The figures are those of survey and study", "sources": "Every figure has its source", "content": "The note is complete and promises nothing"},
            [
                ("facts.total", "report.value_agrees", {"at": name, "origin": f"{answers}/cell[B5]"}),
                ("facts.porto", "report.value_agrees", {"at": name, "origin": f"{answers}/cell[C2]"}),
                ("facts.ranking", "agree.ranking", {"at": name, "names": f"{answers}/cell[A2:A4]", "values": f"{answers}/cell[C2:C4]"}),
                ("facts.use", "report.value_agrees", {"at": name, "label": "uses", "origin": "study.docx", "source_label": "uses"}),
                ("facts.ferries", "anchor.near", {"at": name, "texts": ["37", "ferries"]}),
                ("sources.cited", "report.cites", {"at": name, "sources": {"[1]": answers, "[2]": "study.docx"}, "each": True}),
                ("sources.traced", "report.no_unsupported_numbers", {"at": name, "sources": [answers, "study.docx"]}),
                ("sources.list", "anchor.contains", {"at": name, "texts": ["[1] Survey of towns", "[2] Study of ferries"]}),
                ("content.sections", "report.covers", {"at": name, "sections": sections}),
                ("content.limits", "anchor.all_of", {"at": name, "texts": ["cruise ships"], "polarity": "negated"}),
                ("content.promises", "report.forbids", {"at": name, "phrases": FORBIDDEN}),
            ],
        ),
        sources={},
        read_only={"survey.xlsx": survey(), "study.docx": document("Ferries at berth", STUDY)},
        references=note(),
        outputs={
            "other-words": (
                note(("In total, 1,060 people answered [1].", "1\u202f060 people answered in all. [1]"), ("83 %", "83 per cent"), ("1,850 kWh", "1850 kilowatt-hours")),
                right("numbers and citations are written otherwise"),
            ),
            "wrong-source": (note(("83 % [2]", "83 % [1]")), wrong("a figure cites the source that does not have it", ["mismatch"], ["note.docx#body"])),
            "invented-source": (note(("37 ferries only [2]", "37 ferries only [3]")), wrong("a source that does not exist", ["missing", "unexpected"], ["note.docx#body"])),
            "ranking-wrong": (
                note(("Porto shows the highest support with 62 % [1], followed by Leith with 55 % [1]", "Leith shows the highest support with 55 % [1], followed by Porto with 62 % [1]")),
                wrong("the ranking is not that of the numbers", ["wrong_order"], ["note.docx"]),
            ),
            "total-wrong": (note(("1,060", "1,160")), wrong("the total is another", ["mismatch", "missing", "unexpected"], ["note.docx"])),
            "promise": (
                note(("Its results are not valid for cruise ships.", "Its results are guaranteed, and are not valid for cruise ships.")),
                wrong("the note promises", ["unexpected"], ["note.docx#body"]),
            ),
        },
    )


QUARTERS = (("Q1", 410, 322), ("Q2", 455, 341), ("Q3", 478, 366), ("Q4", 502, 371))
REPORT: list[Block] = [
    "# 1. Result",
    "Revenue: EUR 1,845 thousand. Costs: EUR 1,400 thousand. Profit: EUR 445 thousand.",
    "# 2. Quarters",
    [["Quarter", "Revenue", "Costs"], *[[name, str(revenue), str(costs)] for name, revenue, costs in QUARTERS]],
    "# 3. Comment",
    "Revenue grew in every quarter. The best quarter was the last one, with EUR 502 thousand.",
]


def quarter_book() -> bytes:
    """A workbook of four quarters in thousands of euros, with live totals."""
    import datetime

    import xlsxwriter

    out = io.BytesIO()
    book = xlsxwriter.Workbook(out, {"in_memory": True})
    book.set_properties({"title": "Quarters", "author": "Finance", "created": datetime.datetime(*FIXED_DATE, tzinfo=datetime.UTC)})
    sheet = book.add_worksheet("Year")
    sheet.write_row(0, 0, ["Quarter", "Revenue", "Costs"])
    for n, row in enumerate(QUARTERS, 1):
        sheet.write_row(n, 0, row)
    sheet.write("A6", "Year")
    sheet.write_formula("B6", "=SUM(B2:B5)", None, sum(row[1] for row in QUARTERS))
    sheet.write_formula("C6", "=SUM(C2:C5)", None, sum(row[2] for row in QUARTERS))
    sheet.write("A7", "Profit")
    sheet.write_formula("B7", "=B6-C6", None, sum(row[1] - row[2] for row in QUARTERS))
    book.close()
    return repack(out.getvalue())


REVENUE = (410, 455, 478, 502)
RESULT = ("Revenue: EUR 1,845 thousand", "Profit: EUR 445 thousand", "Revenue grew in every quarter.")


def quarter_deck(revenue: Sequence[int] = REVENUE, lines: Sequence[str] = RESULT) -> bytes:
    """A deck of two slides: the result, and a chart of revenue."""
    import datetime

    import pptx
    from pptx.chart.data import CategoryChartData
    from pptx.enum.chart import XL_CHART_TYPE
    from pptx.util import Cm

    deck = pptx.Presentation()
    core = deck.core_properties
    core.title, core.author = "The year in quarters", "Finance"
    core.created = core.modified = datetime.datetime(*FIXED_DATE)
    slide = deck.slides.add_slide(deck.slide_layouts[1])
    slide.shapes.title.text = "Result of the year"
    frame = slide.placeholders[1].text_frame
    for n, line in enumerate(lines):
        (frame.paragraphs[0] if n == 0 else frame.add_paragraph()).text = line
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = "Revenue by quarter"
    data = CategoryChartData()
    data.categories = [row[0] for row in QUARTERS]
    data.add_series("Revenue", revenue)
    slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, Cm(2), Cm(5), Cm(20), Cm(11), data).name = "Revenue"
    out = io.BytesIO()
    deck.save(out)
    return repack(out.getvalue())


def quarterly_pack() -> None:
    """A report and a deck are made from a workbook, and all three agree."""

    def pack(*swaps: tuple[str, str], deck: bytes | None = None) -> dict[str, bytes]:
        return {"report.docx": document("Report on the year", changed(REPORT, *swaps)), "deck.pptx": deck or quarter_deck()}

    year = "year.xlsx#sheet[Year]"
    criteria: list[tuple[str, str, Mapping[str, Any]]] = []
    for name, output in (("report", "report.docx"), ("deck", "deck.pptx")):
        for label, cell in (("Revenue", "B6"), ("Profit", "B7")):
            at = f'{output}#body/section["1. Result"]' if name == "report" else f"{output}#slide[1]"
            criteria.append((f"{name}.{label.lower()}", "report.value_agrees", {"at": at, "label": label, "origin": f"{year}/cell[{cell}]", "factor": 1000.0}))
        criteria += [
            (f"{name}.promises", "report.forbids", {"at": output, "phrases": FORBIDDEN}),
            (f"{name}.clean", "anchor.clean_text", {"at": output}),
        ]
    criteria += [
        ("report.costs", "report.value_agrees", {"at": 'report.docx#body/section["1. Result"]', "label": "Costs", "origin": f"{year}/cell[C6]", "factor": 1000.0}),
        ("report.table", "agree.table", {"at": "report.docx#body/table[1]", "origin": f"{year}/cell[A1:C5]"}),
        ("report.sections", "report.covers", {"at": "report.docx", "sections": ["Result", "Quarters", "Comment"]}),
        ("report.best", "anchor.quantity", {"at": 'report.docx#body/section["3. Comment"]', "value": "EUR 502,000"}),
        (
            "report.traced",
            "report.no_unsupported_numbers",
            {"at": "report.docx", "sources": [f"{year}/cell[A1:C7]"], "allow": ["EUR 1,845,000", "EUR 1,400,000", "EUR 445,000", "EUR 502,000"]},
        ),
        ("deck.chart", "agree.chart", {"at": "deck.pptx#slide[2]", "origin": f"{year}/cell[B2:B5]", "categories": f"{year}/cell[A2:A5]"}),
        ("deck.sections", "report.covers", {"at": "deck.pptx", "sections": ["Result of the year", "Revenue by quarter"], "words": 0}),
        ("deck.traced", "report.no_unsupported_numbers", {"at": "deck.pptx", "sources": [f"{year}/cell[A1:C7]"], "allow": ["EUR 1,845,000", "EUR 445,000"]}),
        ("agreement.revenue", "report.consistent", {"at": 'report.docx#body/section["1. Result"]', "others": ["deck.pptx#slide[1]"], "label": "Revenue"}),
        ("agreement.profit", "report.consistent", {"at": "report.docx", "others": ["deck.pptx"], "label": "Profit"}),
    ]
    write_bundle(
        "pack-l4-c4-quarterly",
        metadata={
            "title": "Quarterly pack of workbook, report and deck",
            "level": "L4",
            "operations": ["C1", "C3", "C4"],
            "domain": "finance",
            "required_operations": ["Report and deck state the totals of the workbook", "The table and the chart show its rows", "Report and deck agree"],
            "edit_scope": {},
        },
        instruction="""
Make "report.docx" and "deck.pptx" from the workbook "year.xlsx", whose numbers are thousands of euros. The report has the sections
"1. Result" (revenue, costs and profit of the year), "2. Quarters" (the table of the workbook, without its totals) and "3. Comment" (the
best quarter with its revenue). The deck has two slides: "Result of the year" with revenue and profit, and "Revenue by quarter" with a
column chart of revenue. Use no other figures, and promise nothing.
""",
        verifier=verifier({"report": "The report is right", "deck": "The deck is right", "agreement": "They agree"}, criteria),
        sources={},
        read_only={"year.xlsx": quarter_book()},
        references=pack(),
        outputs={
            "other-units": (
                pack(("Revenue: EUR 1,845 thousand", "Revenue: EUR 1.845 million"), deck=quarter_deck(lines=("Revenue: € 1,845k", "Profit: € 445,000"))),
                right("amounts are written in other units"),
            ),
            "deck-differs": (
                pack(deck=quarter_deck(lines=("Revenue: EUR 1,854 thousand", "Profit: EUR 445 thousand"))),
                wrong("the deck has digits swapped", ["mismatch", "unexpected"], ["deck.pptx#slide[1]"]),
            ),
            "chart-old": (pack(deck=quarter_deck((410, 455, 478, 402))), wrong("the chart shows other numbers", ["mismatch"], ["deck.pptx#slide[2]"])),
            "row-wrong": (pack(("478", "487")), wrong("a row of the table differs", ["mismatch", "unexpected"], ["report.docx#body/table[1]"])),
            "deck-missing": ({"report.docx": pack()["report.docx"]}, wrong("there is no deck", ["artifact_missing"], ["deck.pptx"], "incomplete")),
            "profit-wrong": (
                pack(("Profit: EUR 445 thousand", "Profit: EUR 545 thousand")),
                wrong("report and deck contradict each other", ["mismatch", "unexpected"], ["report.docx#body"]),
            ),
        },
    )


def main() -> None:
    """Write the four bundles."""
    product_sheet()
    bid_checklist()
    research_note()
    quarterly_pack()
