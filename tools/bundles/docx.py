"""Documents of the two report bundles."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from typing import Any

from tools.bundles.common import FIXED_DATE, chain, png, repack, right, swap, write_bundle, wrong

CHAPTERS = (
    ("Summary", "The plant at Leith was renewed between March and October. Output rose by 12 % while energy per tonne fell by 8 %."),
    ("Background", "The old line dates from 1987. Spare parts were no longer made, and two stops in the winter of 2023 cost 140,000 euro each."),
    ("Scope of work", "The contract covers pumps, valves, control cabinets and the training of twelve operators."),
    ("Terms", "The terms below were agreed with the supplier in February."),
    ("Schedule", "Work was done in four stages, each closed by an acceptance test."),
    ("Costs", "Costs stayed 3 % below the budget that the board approved."),
    ("Safety", "No accident was reported. Two near misses led to new rules for lifting."),
    ("Environment", "Noise at the fence is now below 45 dB at night."),
    ("Outlook", "A second line may follow in 2027 if demand holds."),
    ("Annex", "Test records are kept by the plant's quality office."),
)
FILLER = (
    "The steering group met every second week and kept a log of decisions. Each decision names its owner and a date.",
    "Measurements were taken by the plant's own staff and checked by an independent laboratory in Porto.",
    "Where a figure was estimated, the report says so; every other figure was read from the meters.",
)


def _field(paragraph: Any, instruction: str, result: str) -> None:
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    for kind, text in (("begin", None), (None, instruction), ("separate", None), ("result", result), ("end", None)):
        run = paragraph.add_run()
        if kind == "result":
            run.text = text
        elif kind is None:
            code = OxmlElement("w:instrText")
            code.set(qn("xml:space"), "preserve")
            code.text = f" {instruction} "
            run._r.append(code)
        else:
            mark = OxmlElement("w:fldChar")
            mark.set(qn("w:fldCharType"), kind)
            run._r.append(mark)


def renewal_report() -> bytes:
    """A report of ten chapters with headings, lists, two tables, a field, footnotes, header, footer, comment and picture."""
    import datetime

    import docx
    from docx.enum.text import WD_BREAK
    from docx.shared import Cm, RGBColor

    document = docx.Document()
    core = document.core_properties
    core.title, core.author, core.subject = "Renewal of the Leith plant", "Projects", "Final report"
    core.created = core.modified = datetime.datetime(*FIXED_DATE)
    section = document.sections[0]
    section.different_first_page_header_footer = True
    section.header.paragraphs[0].text = "Renewal of the Leith plant"
    section.footer.paragraphs[0].text = "Confidential, page "
    _field(section.footer.paragraphs[0], "PAGE", "2")
    section.first_page_header.paragraphs[0].text = "Final report"
    document.add_paragraph("Renewal of the Leith plant", style="Title")
    document.add_paragraph("Final report to the board, 14 November 2025", style="Subtitle")
    document.add_picture(io.BytesIO(png(120, 40, (192, 80, 77))), width=Cm(6))
    document.inline_shapes[0]._inline.docPr.set("descr", "The plant seen from the harbour")
    contents = document.add_paragraph()
    _field(contents, 'TOC \\o "1-2" \\h', "Contents")
    for number, (title, text) in enumerate(CHAPTERS, 1):
        document.add_heading(f"{number}. {title}", level=1)
        document.add_paragraph(text)
        for n, sentence in enumerate(FILLER):
            paragraph = document.add_paragraph(sentence)
            if n == 1:
                run = paragraph.add_run(" The laboratory's certificate is valid until 2028.")
                run.italic = True
        if title == "Scope of work":
            document.add_heading("3.1 Included", level=2)
            for item in ("Pumps and drives", "Valves and fittings", "Control cabinets"):
                document.add_paragraph(item, style="List Bullet")
            document.add_paragraph("Spare seals", style="List Bullet 2")
            document.add_heading("3.2 Not included", level=2)
            document.add_paragraph("Civil works are not included in the price.")
        if title == "Terms":
            document.add_heading("4.1 Payment", level=2)
            paragraph = document.add_paragraph("Invoices are due within ")
            paragraph.add_run("30 days").bold = True
            paragraph.add_run(" of receipt, without deduction.")
            document.add_heading("4.2 Warranty", level=2)
            document.add_paragraph("The warranty runs for 24 months from acceptance and does not cover wear.")
        if title == "Schedule":
            for item in ("Dismantling", "Installation", "Commissioning", "Acceptance"):
                document.add_paragraph(item, style="List Number")
        if title == "Costs":
            table = document.add_table(rows=1, cols=3, style="Table Grid")
            for cell, head in zip(table.rows[0].cells, ("Item", "Budget (EUR)", "Actual (EUR)"), strict=True):
                cell.text = head
            for row in (
                ("Pumps", "310,000", "298,400"),
                ("Valves", "84,000", "86,150"),
                ("Controls", "145,000", "139,900"),
                ("Training", "22,000", "21,300"),
            ):
                for cell, value in zip(table.add_row().cells, row, strict=True):
                    cell.text = value
            document.add_paragraph("Table 1: budget and actual cost", style="Caption")
        if title == "Safety":
            table = document.add_table(rows=2, cols=2, style="Light List Accent 1")
            table.cell(0, 0).text, table.cell(0, 1).text = "Near miss", "Rule"
            table.cell(1, 0).text, table.cell(1, 1).text = "Load swung over the walkway", "No lifting during shift change"
            paragraph = document.add_paragraph("Warning: ")
            paragraph.runs[0].bold = True
            paragraph.add_run("the crane must not be used above wind force 6.").font.color.rgb = RGBColor(0xC0, 0x00, 0x00)
            document.add_comment(paragraph.runs, "Checked with the crane's manual.", author="Safety", initials="SO")
        if number < len(CHAPTERS):
            document.paragraphs[-1].add_run().add_break(WD_BREAK.PAGE)
    out = io.BytesIO()
    document.save(out)
    data = repack(out.getvalue())
    return _with_footnote(repack(data, change={"word/comments.xml": lambda text: re.sub(r'w:date="[^"]*"', 'w:date="2024-01-02T08:00:00Z"', text)}))


def _with_footnote(data: bytes) -> bytes:
    """The report with a footnote, which python-docx cannot write."""
    w = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    notes = (
        f'<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<w:footnotes {w}>'
        '<w:footnote w:type="separator" w:id="-1"><w:p><w:r><w:separator/></w:r></w:p></w:footnote>'
        '<w:footnote w:type="continuationSeparator" w:id="0"><w:p><w:r><w:continuationSeparator/></w:r></w:p></w:footnote>'
        '<w:footnote w:id="1"><w:p><w:r><w:footnoteRef/></w:r><w:r><w:t xml:space="preserve"> Estimate of the works council, not audited.</w:t></w:r></w:p></w:footnote>'
        "</w:footnotes>"
    )
    anchor = "cost 140,000 euro each.</w:t></w:r>"
    reference = '<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:footnoteReference w:id="1"/></w:r>'
    relation = (
        '<Relationship Id="rId90" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/footnotes" Target="footnotes.xml"/>'
    )
    kind = '<Override PartName="/word/footnotes.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.footnotes+xml"/>'
    return repack(
        data,
        change={
            "word/document.xml": swap(anchor, anchor + reference),
            "word/_rels/document.xml.rels": swap("</Relationships>", relation + "</Relationships>"),
            "[Content_Types].xml": swap("</Types>", kind + "</Types>"),
        },
        add={"word/footnotes.xml": notes.encode()},
    )


BODY = "word/document.xml"


def with_python_docx(data: bytes, edit: Callable[[Any], None]) -> bytes:
    """The document edited and saved by python-docx."""
    import docx

    document = docx.Document(io.BytesIO(data))
    edit(document)
    out = io.BytesIO()
    document.save(out)
    return repack(out.getvalue())


def payment_term(source: bytes) -> None:
    """L1: the payment term becomes 45 days."""
    name = "report.docx"

    def body(*edits: Callable[[str], str]) -> dict[str, bytes]:
        return {name: repack(source, change={BODY: chain(*edits)})}

    right_edit = swap("<w:t>30 days</w:t>", "<w:t>45 days</w:t>")
    section = 'body/section["4.1 Payment"]'
    place = f"{name}#{section}/paragraph[2]"

    def in_three_runs(text: str) -> str:
        run = '<w:r><w:rPr><w:b/></w:rPr><w:t xml:space="preserve">{}</w:t></w:r>'
        return swap(
            "<w:r><w:rPr><w:b/></w:rPr><w:t>30 days</w:t></w:r>",
            run.format("4") + run.format("5") + '<w:proofErr w:type="spellStart"/>' + run.format(" days"),
        )(text)

    def by_api(document: Any) -> None:
        next(run for paragraph in document.paragraphs for run in paragraph.runs if run.text == "30 days").text = "45 days"

    write_bundle(
        "docx-l1-c2-payment-term",
        metadata={
            "title": "Change the payment term",
            "level": "L1",
            "operations": ["C2"],
            "domain": "legal",
            "required_operations": ["Section 4.1 says that invoices are due within 45 days of receipt"],
            "edit_scope": {name: [f"{section}/paragraph[2]"]},
        },
        instruction="""
In section 4.1 "Payment", change the term from 30 to 45 days. Keep it bold and change nothing else.
""",
        verifier=f"""
schema = "docops.verifier/1"
aggregate = "all"

[groups.term]
title = "The new term is there and the old one gone"
critical = true

[[criteria]]
id = "term.new"
predicate = "anchor.contains"
at = '{place}'
text = "Invoices are due within 45 days of receipt, without deduction."
count = 1

[[criteria]]
id = "term.old"
predicate = "anchor.absent"
at = '{name}#{section}'
text = "30 days"

[[criteria]]
id = "term.bold"
title = "The term is still bold"
predicate = "docx.text_format"
at = '{place}'
text = "45 days"
bold = true

[[use]]
id = "term.headings"
verifier = "docx/heading-hierarchy"
with = {{ artifact = "{name}" }}
""",
        sources={name: source},
        references=body(right_edit),
        outputs={
            "three-runs": (body(in_three_runs), right("the new term over three runs with a proofing mark")),
            "by-python-docx": (
                {name: with_python_docx(source, by_api)},
                right("edited and saved by python-docx"),
            ),
            "bold-lost": (
                body(right_edit, swap("<w:r><w:rPr><w:b/></w:rPr><w:t>45 days</w:t></w:r>", "<w:r><w:t>45 days</w:t></w:r>")),
                wrong("the term is no longer bold", ["mismatch"], [f"{name}#body"]),
            ),
            "negation-dropped": (
                body(right_edit, swap("and does not cover wear", "and does cover wear")),
                wrong("a negation elsewhere was dropped", ["unexpected_change"], [f"{name}#body"]),
            ),
            "footnote-dropped": (
                body(right_edit, swap('<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:footnoteReference w:id="1"/></w:r>', "")),
                wrong("the footnote's mark is gone", ["unexpected_change"], [f"{name}#body", f"{name}#footnote"]),
            ),
            "tracked-not-made": (
                body(
                    swap(
                        "<w:r><w:rPr><w:b/></w:rPr><w:t>30 days</w:t></w:r>",
                        '<w:del w:id="71" w:author="x" w:date="2024-01-02T08:00:00Z"><w:r><w:rPr><w:b/></w:rPr><w:delText>30 days</w:delText></w:r></w:del><w:ins w:id="72" w:author="x" w:date="2024-01-02T08:00:00Z"><w:r><w:rPr><w:b/></w:rPr><w:t>45 days</w:t></w:r></w:ins>',
                    )
                ),
                wrong("the old term is only a tracked deletion and still stored", ["unexpected"], [place, f"{name}#body"]),
            ),
        },
    )


def new_section(source: bytes) -> None:
    """L2: a section and a table row are added, a heading goes down a level."""
    name = "report.docx"
    heading = '<w:p><w:pPr><w:pStyle w:val="Heading2"/></w:pPr><w:r><w:t>4.3 Data protection</w:t></w:r></w:p>'
    text = "<w:p><w:r><w:t>Personal data of operators is kept for 36 months and then deleted.</w:t></w:r></w:p>"

    def add_section(xml: str) -> str:
        at = xml.index("The warranty runs for 24 months")
        end = xml.index("</w:p>", at) + len("</w:p>")
        return xml[:end] + heading + text + xml[end:]

    def page_break_last(xml: str) -> str:
        """The page break closed the warranty's paragraph; it now closes the new section."""
        run = '<w:r><w:br w:type="page"/></w:r>'
        at = xml.index("The warranty runs for 24 months")
        first = xml.index(run, at)
        if first > xml.index("</w:p>", at):
            raise ValueError("no page break after the warranty")
        xml = xml[:first] + xml[first + len(run) :]
        end = xml.index("then deleted.</w:t></w:r>") + len("then deleted.</w:t></w:r>")
        return xml[:end] + run + xml[end:]

    def add_row(xml: str) -> str:
        start = xml.rindex("<w:tr>", 0, xml.index("Training</w:t>"))
        end = xml.index("</w:tr>", start) + len("</w:tr>")
        row = xml[start:end].replace("Training", "Insurance").replace("22,000", "9,000").replace("21,300", "9,000")
        return xml[:end] + row + xml[end:]

    def body(*edits: Callable[[str], str], other: dict[str, Callable[[str], str]] | None = None) -> dict[str, bytes]:
        return {name: repack(source, change={BODY: chain(*edits), **(other or {})})}

    edits = (add_section, page_break_last, add_row)

    def by_api(document: Any) -> None:
        import copy

        (warranty,) = [p for p in document.paragraphs if p.text.startswith("The warranty runs")]
        new_heading = copy.deepcopy(next(p for p in document.paragraphs if p.text == "4.2 Warranty")._p)
        warranty._p.addnext(new_heading)
        added = copy.deepcopy(warranty._p)
        new_heading.addnext(added)
        from docx.text.paragraph import Paragraph

        Paragraph(new_heading, warranty._parent).runs[0].text = "4.3 Data protection"
        Paragraph(added, warranty._parent).runs[0].text = "Personal data of operators is kept for 36 months and then deleted."
        for run in warranty.runs[1:]:
            run._r.getparent().remove(run._r)
        row = document.tables[0].add_row().cells
        row[0].text, row[1].text, row[2].text = "Insurance", "9,000", "9,000"

    terms = f'{name}#body/section["4. Terms"]'
    write_bundle(
        "docx-l2-s1-data-protection",
        metadata={
            "title": "Add a section and a cost line",
            "level": "L2",
            "operations": ["S1", "S4", "C3"],
            "domain": "legal",
            "required_operations": ["Section 4.3 'Data protection' follows 4.2", "The cost table has a line for insurance"],
            "edit_scope": {
                name: [
                    'body/section["4.3 Data protection"]',
                    'body/section["4.2 Warranty"]/paragraph[2]',
                    {"at": 'body/section["6. Costs"]/table[1]/row[6]', "allow": ["add"]},
                ]
            },
        },
        instruction="""
After section 4.2, add a section "4.3 Data protection" (a heading of the same level as 4.2) with one paragraph: "Personal data of
operators is kept for 36 months and then deleted." The page break stays at the end of chapter 4. In the cost table of chapter 6, add
a last line: Insurance, budget 9,000, actual 9,000.
""",
        verifier=f"""
schema = "docops.verifier/1"
aggregate = "all"

[groups.section]
title = "The section is there"
critical = true

[groups.table]
title = "The cost line is there"

[[criteria]]
id = "section.heading"
predicate = "docx.heading"
at = "{name}"
text = "4.3 Data protection"
level = 2

[[criteria]]
id = "section.text"
predicate = "anchor.contains"
at = '{name}#body/section["4.3 Data protection"]'
text = "Personal data of operators is kept for 36 months and then deleted."
count = 1

[[criteria]]
id = "section.order"
predicate = "anchor.in_order"
at = '{terms}'
texts = ["4.1 Payment", "4.2 Warranty", "4.3 Data protection"]

[[use]]
id = "section.hierarchy"
verifier = "docx/heading-hierarchy"
with = {{ artifact = "{name}" }}

[[use]]
id = "table.native"
verifier = "docx/native-table"
with = {{ at = '{name}#body/section["6. Costs"]/table[1]', header = ["Item", "Budget (EUR)", "Actual (EUR)"], row = ["Insurance", "9,000", "9,000"] }}

[[criteria]]
id = "table.size"
predicate = "docx.table"
at = '{name}#body/section["6. Costs"]/table[1]'
rows = 6
columns = 3
""",
        sources={name: source},
        references=body(*edits),
        outputs={
            "by-python-docx": ({name: with_python_docx(source, by_api)}, right("added and saved by python-docx")),
            "bold-for-heading": (
                body(*edits, swap(heading, "<w:p><w:r><w:rPr><w:b/></w:rPr><w:t>4.3 Data protection</w:t></w:r></w:p>")),
                wrong("bold body text in place of the heading", ["not_native", "missing", "unexpected_addition"], [f"{name}"]),
            ),
            "row-replaced": (
                body(
                    add_section, page_break_last, chain(swap("Training</w:t>", "Insurance</w:t>"), swap("22,000", "9,000"), swap("21,300", "9,000"))
                ),
                wrong("the line of training was overwritten", ["wrong_count", "unexpected_change"], [f"{name}#body/table[1]"]),
            ),
            "header-emptied": (
                body(*edits, other={"word/header1.xml": swap("Renewal of the Leith plant", "")}),
                wrong("the running header is empty", ["unexpected_change", "unexpected_removal"], [f"{name}#header[1,default]"]),
            ),
            "comment-dropped": (
                body(
                    *edits,
                    lambda xml: re.sub(
                        r"<w:comment(RangeStart|RangeEnd) [^>]*/>|<w:r><w:commentReference [^>]*/></w:r>|<w:r><w:rPr><w:rStyle w:val=\"CommentReference\"/></w:rPr><w:commentReference [^>]*/></w:r>",
                        "",
                        xml,
                    ),
                ),
                wrong("a reviewer's comment lost its place", ["unexpected_change"], [f"{name}#comment[1]", f"{name}#body"]),
            ),
        },
    )


def main() -> None:
    """Write both bundles."""
    source = renewal_report()
    payment_term(source)
    new_section(source)
