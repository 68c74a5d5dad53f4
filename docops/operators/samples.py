"""Small documents with one of everything, made by the native libraries: what the operators' examples run on."""

from __future__ import annotations

import functools
import io
import re
from datetime import datetime
from typing import Any

from docops.operators.archive import Archive
from docops.operators.media import make_png

_TIME = datetime(2024, 1, 2, 3, 4, 5)  # noqa: DTZ001 - office properties carry no zone

_CORE = "docProps/core.xml"
_WRITTEN = re.compile(rb'(<dcterms:(?:created|modified)[^>]*>|\bw:date=")[^<"]*')


def _repacked(data: bytes) -> bytes:
    """The package with the same bytes whenever it is made: no times at which a library wrote it, packages inside it included."""
    archive = Archive(data)
    for name in archive.names:
        if name.endswith(".xlsx"):
            archive.write(name, _repacked(archive.read(name)))
        elif name.endswith((_CORE, "comments.xml")):
            archive.write(name, _WRITTEN.sub(rb"\g<1>" + f"{_TIME:%Y-%m-%dT%H:%M:%SZ}".encode(), archive.read(name)))
    return archive.to_bytes()


@functools.cache
def blank_workbook() -> bytes:
    """A workbook with one empty sheet."""
    import openpyxl

    book = openpyxl.Workbook()
    book.properties.created = book.properties.modified = _TIME
    out = io.BytesIO()
    book.save(out)
    return _repacked(out.getvalue())


@functools.cache
def sample_workbook() -> bytes:
    """A workbook with formulas, dates, a table, charts, a picture, a pivot table, rules, names, comments, links and print settings."""
    import openpyxl
    from openpyxl.chart import BarChart, Reference
    from openpyxl.comments import Comment
    from openpyxl.drawing.image import Image
    from openpyxl.formatting.rule import CellIsRule
    from openpyxl.styles import Font, PatternFill
    from openpyxl.workbook.defined_name import DefinedName
    from openpyxl.worksheet.datavalidation import DataValidation
    from openpyxl.worksheet.pagebreak import Break
    from openpyxl.worksheet.table import Table

    book = openpyxl.Workbook()
    data = book.worksheets[0]
    data.title = "Data"
    data.append(["Month", "Amount", "Due", "Note"])
    for month in range(1, 7):
        data.append([f"M{month}", 1000.5 * month, datetime(2024, month, 10), f"checked {month}"])  # noqa: DTZ001
        data.cell(month + 1, 3).number_format = "yyyy-mm-dd"
        data.cell(month + 1, 2).number_format = "#,##0.00"
    for cell in data[1]:
        cell.font = Font(bold=True)
        cell.fill = PatternFill("solid", fgColor="DDEEFF")
    data.add_table(Table(displayName="Sales", ref="A1:D7"))
    data.freeze_panes = "A2"
    data.column_dimensions["A"].width = 22
    data.column_dimensions.group("F", "H", hidden=False)
    summary = book.create_sheet("Summary")
    summary["A1"] = "Summary of the half year"
    summary.merge_cells("A1:C1")
    summary["A2"], summary["B2"] = "Total", "=SUM(Data!B2:B7)"
    summary["A3"], summary["B3"] = "Mean", "=AVERAGE(Data!B2:B7)"
    summary["A4"], summary["B4"] = "Tax rate", 0.19
    summary["A5"], summary["B5"] = "Tax", "=ROUND(B2*$B$4,2)"
    summary["A6"] = "Open item"
    summary["A7"] = "The tax office"
    summary["A7"].hyperlink = "https://example.org/tax"
    summary["B2"].comment = Comment("Please check with accounts", "Ann")
    summary["D2"].fill = PatternFill("solid", fgColor="FFFF00")
    rule = DataValidation(type="list", formula1='"yes,no"', allow_blank=True)
    summary.add_data_validation(rule)
    rule.add("C2:C5")
    red: Any = CellIsRule(operator="greaterThan", formula=["5000"], font=Font(color="FF0000"))  # type: ignore[no-untyped-call]
    summary.conditional_formatting.add("B2:B5", red)
    chart = BarChart()
    chart.title = "Amounts"
    chart.add_data(Reference(data, min_col=2, min_row=1, max_row=7), titles_from_data=True)
    chart.set_categories(Reference(data, min_col=1, min_row=2, max_row=7))
    summary.add_chart(chart, "E2")
    summary.add_image(Image(io.BytesIO(make_png(20, 10, (10, 120, 60)))), "E20")
    summary.page_setup.orientation = "landscape"
    summary.oddHeader.left.text = "Half year"
    summary.print_area = "A1:D7"
    summary.row_breaks.append(Break(id=5))
    log = book.create_sheet("Log")
    log.append(["Who", "What"])
    log.append(["Ann", "entered"])
    log.append(["Bob", "approved"])
    log.auto_filter.ref = "A1:B3"
    log.protection.sheet = True
    hidden = book.create_sheet("Lists")
    hidden["A1"] = "yes"
    hidden.sheet_state = "hidden"
    book.defined_names["TaxRate"] = DefinedName("TaxRate", attr_text="Summary!$B$4")
    log.defined_names["Start"] = DefinedName("Start", attr_text="Log!$A$1")
    book.properties.created = book.properties.modified = _TIME
    book.properties.creator = "Ann"
    out = io.BytesIO()
    book.save(out)
    return _with_caches_and_pivot(_repacked(out.getvalue()))


def _with_caches_and_pivot(data: bytes) -> bytes:
    from lxml import etree

    from docops.formats.xlsx.operators_model import XlsxFile, share_strings
    from docops.operators.ooxml_file import unset

    book = XlsxFile(data)
    share_strings(book)
    sheet = "xl/worksheets/sheet2.xml"
    for cell in book.edit(sheet).iter("{*}c"):
        value = {"B2": "21010.5", "B3": "3501.75", "B5": "3992"}.get(cell.get("r") or "")
        if value is not None:
            for entry in cell.findall("{*}v"):
                cell.remove(entry)
            etree.SubElement(cell, cell.tag[:-1] + "v").text = value
            unset(cell, "t")
    calculation = book.edit("xl/workbook.xml").find("{*}calcPr")
    if calculation is not None:
        unset(calculation, "fullCalcOnLoad")
    strings = book.edit("xl/sharedStrings.xml")
    for item in strings:
        if item.findtext("{*}t") == "Open item":
            for child in list(item):
                item.remove(child)
            namespace = item.tag[:-2]
            for text, bold in (("Open ", False), ("item", True)):
                run = etree.SubElement(item, namespace + "r")
                properties = etree.SubElement(run, namespace + "rPr")
                if bold:
                    etree.SubElement(properties, namespace + "b")
                etree.SubElement(properties, namespace + "sz", val="11")
                part = etree.SubElement(run, namespace + "t")
                part.text = text
                part.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")
    _add_pivot(book)
    return book.save()


def _add_pivot(book: object) -> None:
    from docops.operators.ooxml_file import R_NS, OoxmlFile

    if not isinstance(book, OoxmlFile):
        return
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml."
    cache, records, pivot = "xl/pivotCache/pivotCacheDefinition1.xml", "xl/pivotCache/pivotCacheRecords1.xml", "xl/pivotTables/pivotTable1.xml"
    rows = "".join(f'<r><s v="M{n}"/><n v="{1000.5 * n}"/></r>' for n in range(1, 7))
    book.add_part(records, f'<pivotCacheRecords xmlns="{main}" count="6">{rows}</pivotCacheRecords>'.encode(), kind + "pivotCacheRecords+xml")
    book.add_part(
        cache,
        f'<pivotCacheDefinition xmlns="{main}" xmlns:r="{R_NS}" r:id="rId1" recordCount="6"><cacheSource type="worksheet">'
        '<worksheetSource ref="A1:B7" sheet="Data"/></cacheSource><cacheFields count="2"><cacheField name="Month" numFmtId="0">'
        '<sharedItems/></cacheField><cacheField name="Amount" numFmtId="0"><sharedItems containsSemiMixedTypes="0" containsString="0" '
        'containsNumber="1" minValue="1000.5" maxValue="6003"/></cacheField></cacheFields></pivotCacheDefinition>'.encode(),
        kind + "pivotCacheDefinition+xml",
    )
    book.add_part(
        pivot,
        f'<pivotTableDefinition xmlns="{main}" name="PivotSales" cacheId="1" dataCaption="Values"><location ref="F30:G31" firstHeaderRow="1" '
        'firstDataRow="1" firstDataCol="1"/><pivotFields count="2"><pivotField axis="axisRow" showAll="0"/><pivotField dataField="1" '
        'showAll="0"/></pivotFields><rowFields count="1"><field x="0"/></rowFields><dataFields count="1"><dataField name="Sum of Amount" '
        'fld="1"/></dataFields></pivotTableDefinition>'.encode(),
        kind + "pivotTable+xml",
    )
    book.add_rel(cache, "pivotCacheRecords", records)
    book.add_rel(pivot, "pivotCacheDefinition", cache)
    rel_id = book.add_rel("xl/workbook.xml", "pivotCacheDefinition", cache)
    book.add_rel("xl/worksheets/sheet2.xml", "pivotTable", pivot)
    from lxml import etree

    caches = etree.SubElement(book.edit("xl/workbook.xml"), f"{{{main}}}pivotCaches")
    entry = etree.SubElement(caches, f"{{{main}}}pivotCache", cacheId="1")
    entry.set(f"{{{R_NS}}}id", rel_id)


@functools.cache
def blank_document() -> bytes:
    """A text document with one empty paragraph."""
    import docx

    document = docx.Document()
    document.core_properties.created = document.core_properties.modified = _TIME
    document.add_paragraph("")
    out = io.BytesIO()
    document.save(out)
    return _repacked(out.getvalue())


_NOTE = (
    '<w:footnotes xmlns:w="{w}"><w:footnote w:type="separator" w:id="-1"><w:p><w:r><w:separator/></w:r></w:p></w:footnote>'
    '<w:footnote w:type="continuationSeparator" w:id="0"><w:p><w:r><w:continuationSeparator/></w:r></w:p></w:footnote>'
    '<w:footnote w:id="1"><w:p><w:r><w:footnoteRef/></w:r><w:r><w:t xml:space="preserve"> Audited by Kern AG.</w:t></w:r></w:p></w:footnote></w:footnotes>'
)


@functools.cache
def sample_document() -> bytes:
    """A text document with headings, lists, tables, notes, comments, revisions, fields, bookmarks, links and pictures."""
    import docx
    from docx.enum.section import WD_ORIENT
    from docx.oxml import parse_xml
    from docx.oxml.ns import nsdecls

    document = docx.Document()
    section = document.sections[0]
    section.header.paragraphs[0].text = "Annual report"
    section.footer.paragraphs[0].text = "Confidential"
    document.add_heading("Annual report", 0)
    document.add_heading("1. Results", 1)
    first = document.add_paragraph("Revenue rose to 500,000 euros; costs were not ")
    first.add_run("increased").bold = True
    first.add_run(" in ")
    first.add_run("2024.")
    document.add_heading("1.1 Costs", 2)
    document.add_paragraph("The board must approve every payment.", style="Normal")
    for item in ("First item", "Second item", "Third item"):
        document.add_paragraph(item, style="List Bullet")
    for item in ("Step one", "Step two"):
        document.add_paragraph(item, style="List Number")
    table = document.add_table(rows=3, cols=3, style="Table Grid")
    for r, row in enumerate((("Item", "2023", "2024"), ("Rent", "100", "120"), ("Wages", "300", "310"))):
        for c, text in enumerate(row):
            table.cell(r, c).text = text
    document.add_heading("2. Sources", 1)
    document.add_paragraph("According to the audit (Kern 2024), all figures are final.")
    document.add_picture(io.BytesIO(make_png(20, 10, (10, 120, 60))))
    linked = document.add_paragraph("See ")
    rel_id = document.part.relate_to("https://example.org/report", "http://schemas.openxmlformats.org/officeDocument/2006/relationships/hyperlink", is_external=True)
    w = nsdecls("w", "r")
    linked._p.append(parse_xml(f'<w:hyperlink {w} r:id="{rel_id}"><w:r><w:t>the report</w:t></w:r></w:hyperlink>'))
    linked._p.insert(1, parse_xml(f'<w:bookmarkStart {w} w:id="5" w:name="SeeAlso"/>'))
    linked._p.append(parse_xml(f'<w:bookmarkEnd {w} w:id="5"/>'))
    field = document.add_paragraph("Page ")
    for xml in (
        '<w:fldChar w:fldCharType="begin"/>',
        '<w:instrText xml:space="preserve"> PAGE </w:instrText>',
        '<w:fldChar w:fldCharType="separate"/>',
        "<w:t>1</w:t>",
        '<w:fldChar w:fldCharType="end"/>',
    ):
        field._p.append(parse_xml(f"<w:r {w}>{xml}</w:r>"))
    simple = document.add_paragraph("See also ")
    simple._p.append(parse_xml(f'<w:fldSimple {w} w:instr=" REF SeeAlso "><w:r><w:t>See the report</w:t></w:r></w:fldSimple>'))
    revised = document.add_paragraph("Delivery within ")
    revised._p.append(
        parse_xml(f'<w:del {w} w:id="21" w:author="Ann" w:date="2024-01-02T03:04:05Z"><w:r><w:delText>ten</w:delText></w:r></w:del>')
    )
    revised._p.append(parse_xml(f'<w:ins {w} w:id="22" w:author="Ann" w:date="2024-01-02T03:04:05Z"><w:r><w:t>twelve</w:t></w:r></w:ins>'))
    revised.add_run(" days.")
    commented = document.add_paragraph("This number needs a second look.")
    document.add_comment(commented.runs, text="Please verify", author="Bob", initials="B")
    noted = document.add_paragraph("All figures are audited.")
    noted._p.append(parse_xml(f'<w:r {w}><w:footnoteReference w:id="1"/></w:r>'))
    landscape = document.add_section()
    landscape.orientation = WD_ORIENT.LANDSCAPE
    landscape.page_width, landscape.page_height = landscape.page_height, landscape.page_width
    document.add_paragraph("An appendix on a wide page, with a source: Kern 2024.")
    document.core_properties.created = document.core_properties.modified = _TIME
    out = io.BytesIO()
    document.save(out)
    return _with_footnotes(_repacked(out.getvalue()))


def _with_footnotes(data: bytes) -> bytes:
    from docops.operators.ooxml_file import OoxmlFile

    file = OoxmlFile(data)
    xml = _NOTE.format(w="http://schemas.openxmlformats.org/wordprocessingml/2006/main")
    file.add_part("word/footnotes.xml", xml.encode(), "application/vnd.openxmlformats-officedocument.wordprocessingml.footnotes+xml")
    file.add_rel("word/document.xml", "footnotes", "word/footnotes.xml")
    return file.save()


@functools.cache
def blank_presentation() -> bytes:
    """A presentation without slides."""
    import pptx

    deck = pptx.Presentation()
    deck.core_properties.created = deck.core_properties.modified = _TIME
    out = io.BytesIO()
    deck.save(out)
    return _repacked(out.getvalue())


_TIMING = (
    '<p:timing xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"><p:tnLst><p:par><p:cTn id="1" dur="indefinite" restart="never" '
    'nodeType="tmRoot"><p:childTnLst><p:seq concurrent="1" nextAc="seek"><p:cTn id="2" dur="indefinite" nodeType="mainSeq"><p:childTnLst><p:par>'
    '<p:cTn id="3" fill="hold"><p:stCondLst><p:cond delay="indefinite"/></p:stCondLst><p:childTnLst><p:par><p:cTn id="4" fill="hold"><p:stCondLst>'
    '<p:cond delay="0"/></p:stCondLst><p:childTnLst><p:par><p:cTn id="5" presetID="1" presetClass="entr" presetSubtype="0" fill="hold" '
    'nodeType="clickEffect"><p:stCondLst><p:cond delay="0"/></p:stCondLst><p:childTnLst><p:set><p:cBhvr><p:cTn id="6" dur="1" fill="hold">'
    '<p:stCondLst><p:cond delay="0"/></p:stCondLst></p:cTn><p:tgtEl><p:spTgt spid="3"/></p:tgtEl><p:attrNameLst><p:attrName>style.visibility'
    '</p:attrName></p:attrNameLst></p:cBhvr><p:to><p:strVal val="visible"/></p:to></p:set></p:childTnLst></p:cTn></p:par></p:childTnLst></p:cTn>'
    "</p:par></p:childTnLst></p:cTn></p:par></p:childTnLst></p:cTn><p:prevCondLst><p:cond evt=\"onPrev\" delay=\"0\"><p:tgtEl><p:sldTgt/></p:tgtEl>"
    '</p:cond></p:prevCondLst><p:nextCondLst><p:cond evt="onNext" delay="0"><p:tgtEl><p:sldTgt/></p:tgtEl></p:cond></p:nextCondLst></p:seq>'
    "</p:childTnLst></p:cTn></p:par></p:tnLst></p:timing>"
)


@functools.cache
def sample_presentation() -> bytes:
    """A presentation with titles, lists, notes, a table, a chart, pictures, a link, an animation and a transition."""
    import pptx
    from lxml import etree
    from pptx.chart.data import CategoryChartData
    from pptx.enum.chart import XL_CHART_TYPE
    from pptx.util import Inches

    deck = pptx.Presentation()
    layouts = deck.slide_layouts
    title = deck.slides.add_slide(layouts[0])
    title.shapes.title.text = "Harbour plan"
    title.placeholders[1].text = "For the council"
    goals = deck.slides.add_slide(layouts[1])
    goals.shapes.title.text = "Goals"
    body = goals.placeholders[1].text_frame
    body.text = "Shorter waiting times"
    for text, level in (("Small ships first", 1), ("A new quay for 500,000 euros", 0)):
        paragraph = body.add_paragraph()
        paragraph.text, paragraph.level = text, level
    goals.notes_slide.notes_text_frame.text = "Mention the storm of 2023."
    picture = goals.shapes.add_picture(io.BytesIO(make_png(20, 10, (10, 120, 60))), Inches(6), Inches(5), Inches(1))
    picture._element.nvPicPr.cNvPr.set("descr", "Map of the quay")
    goals._element.append(etree.fromstring(_TIMING))
    facts = deck.slides.add_slide(layouts[5])
    facts.shapes.title.text = "Costs"
    table = facts.shapes.add_table(3, 2, Inches(1), Inches(2), Inches(6), Inches(2)).table
    for r, row in enumerate((("Item", "Cost"), ("Quay", "120"), ("Crane", "80"))):
        for c, text in enumerate(row):
            table.cell(r, c).text = text
    box = facts.shapes.add_textbox(Inches(1), Inches(5), Inches(4), Inches(1))
    run = box.text_frame.paragraphs[0].add_run()
    run.text = "Source: port office 2024"
    run.hyperlink.address = "https://example.org/port"
    chart_slide = deck.slides.add_slide(layouts[5])
    chart_slide.shapes.title.text = "Traffic"
    data = CategoryChartData()
    data.categories = ["2022", "2023", "2024"]
    data.add_series("Ships", (120, 140, 155))
    chart_slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, Inches(1), Inches(2), Inches(6), Inches(4), data)
    transition = etree.fromstring('<p:transition xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" spd="slow"><p:fade/></p:transition>')
    chart_slide._element.append(transition)
    hidden = deck.slides.add_slide(layouts[6])
    hidden._element.set("show", "0")
    deck.core_properties.created = deck.core_properties.modified = _TIME
    out = io.BytesIO()
    deck.save(out)
    return _repacked(out.getvalue())


def _with_words(data: bytes, part: str, old: bytes, new: bytes) -> bytes:
    archive = Archive(data)
    archive.write(part, archive.read(part).replace(old, new))
    return archive.to_bytes()


@functools.cache
def hedged_document() -> bytes:
    """A text document with a careful sentence."""
    return _with_words(sample_document(), "word/document.xml", b"must approve", b"may approve")


@functools.cache
def negated_presentation() -> bytes:
    """A presentation with a sentence that says no."""
    return _with_words(sample_presentation(), "ppt/slides/slide1.xml", b"</a:t>", b" is not final</a:t>")


@functools.cache
def plain_workbook() -> bytes:
    """A workbook of plain cells, with texts in their cells and the list of formulas in the order computed."""
    archive = Archive(blank_workbook())
    cells = (
        b'<sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>Amount</t></is></c></row><row r="2"><c r="A2"><v>4</v></c></row>'
        b'<row r="3"><c r="A3"><f>A2*2</f><v>8</v></c></row></sheetData>'
    )
    sheet = archive.read("xl/worksheets/sheet1.xml")
    archive.write("xl/worksheets/sheet1.xml", sheet.replace(b"<sheetData></sheetData>", cells).replace(b"<sheetData/>", cells).replace(b"<sheetData />", cells))
    archive.write("xl/calcChain.xml", b'<calcChain xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><c r="A3" i="1"/></calcChain>')
    main = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    types = archive.read("[Content_Types].xml")
    entry = f'<Override PartName="/xl/calcChain.xml" ContentType="{main}.calcChain+xml"/></Types>'.encode()
    archive.write("[Content_Types].xml", types.replace(b"</Types>", entry))
    rels = archive.read("xl/_rels/workbook.xml.rels")
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/calcChain"
    relation = f'<Relationship Id="rIdChain" Type="{kind}" Target="calcChain.xml"/></Relationships>'.encode()
    archive.write("xl/_rels/workbook.xml.rels", rels.replace(b"</Relationships>", relation))
    return archive.to_bytes()


@functools.cache
def blank_pdf() -> bytes:
    """A PDF document with one empty page."""
    from pypdf import PdfWriter

    writer = PdfWriter()
    writer.add_blank_page(300, 300)
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


_PDF_OBJECTS: tuple[str, ...] = (
    "<< /Type /Catalog /Pages 2 0 R /Outlines 10 0 R /AcroForm 20 0 R /Lang (en) /PageLabels << /Nums [0 << /S /D >>] >> "
    "/Names << /EmbeddedFiles << /Names [(data.csv) 30 0 R] >> >> /PageMode /UseOutlines >>",
    "<< /Type /Pages /Kids [3 0 R 4 0 R 5 0 R] /Count 3 /MediaBox [0 0 400 300] >>",
    "<< /Type /Page /Parent 2 0 R /Resources << /Font << /F1 9 0 R >> /XObject << /Im1 8 0 R >> >> /Contents 6 0 R /Annots [14 0 R 15 0 R] >>",
    "<< /Type /Page /Parent 2 0 R /Resources << /Font << /F1 9 0 R >> >> /Contents 7 0 R /Annots [21 0 R 22 0 R] >>",
    "<< /Type /Page /Parent 2 0 R /Resources << /Font << /F1 9 0 R >> >> /Contents 16 0 R >>",
    "BT /F1 18 Tf 40 250 Td (Harbour report) Tj ET\nBT /F1 11 Tf 40 220 Td (The quay costs 500,000 euros, not more.) Tj ET\nq 60 0 0 30 40 100 cm /Im1 Do Q",
    "BT /F1 18 Tf 40 250 Td (Application form) Tj ET\nBT /F1 11 Tf 40 220 Td (Name) Tj ET",
    "IMAGE",
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    "<< /Type /Outlines /First 11 0 R /Last 17 0 R /Count 4 >>",
    "<< /Title (Report) /Parent 10 0 R /Next 13 0 R /First 12 0 R /Last 12 0 R /Count 1 /Dest [3 0 R /Fit] >>",
    "<< /Title (Costs) /Parent 11 0 R /Dest [3 0 R /XYZ 40 220 0] >>",
    "<< /Title (Form) /Parent 10 0 R /Prev 11 0 R /Next 17 0 R /Dest [4 0 R /Fit] >>",
    "<< /Type /Annot /Subtype /Link /Rect [40 60 160 75] /Border [0 0 0] /A << /S /URI /URI (https://example.org/port) >> >>",
    "<< /Type /Annot /Subtype /Text /Rect [300 250 320 270] /Contents (Please check) /T (Ann) /Name /Note >>",
    "BT /F1 18 Tf 40 250 Td (Appendix) Tj ET\nBT /F1 11 Tf 40 220 Td (Source: port office 2024.) Tj ET",
    "<< /Title (Appendix) /Parent 10 0 R /Prev 13 0 R /Dest [5 0 R /Fit] >>",
    "",
    "",
    "<< /Fields [21 0 R 22 0 R] /DA (/Helv 0 Tf 0 g) /DR << /Font << /Helv 9 0 R >> >> >>",
    "<< /Type /Annot /Subtype /Widget /FT /Tx /T (name) /V (Jane Doe) /DA (/Helv 11 Tf 0 g) /F 4 /Rect [90 212 260 232] /P 4 0 R /AP << /N 23 0 R >> >>",
    "<< /Type /Annot /Subtype /Widget /FT /Btn /T (agree) /V /Yes /AS /Yes /F 4 /Rect [40 180 52 192] /P 4 0 R /AP << /N << /Yes 24 0 R /Off 25 0 R >> >> >>",
    "FORM /BBox [0 0 170 20] /Resources << /Font << /Helv 9 0 R >> >>|/Tx BMC BT /Helv 11 Tf 2 6 Td (Jane Doe) Tj ET EMC",
    "FORM /BBox [0 0 12 12]|q 1 1 10 10 re f Q",
    "FORM /BBox [0 0 12 12]|q Q",
    "",
    "",
    "",
    "",
    "<< /Type /Filespec /F (data.csv) /UF (data.csv) /EF << /F 31 0 R >> >>",
    "FILE /Type /EmbeddedFile|a,b\n1,2\n",
    "<< /Title (Harbour report) /Author (Ann) /Subject (Quay) >>",
)


@functools.cache
def sample_pdf() -> bytes:
    """A PDF document with text, a picture, outline, form, link, note, attachment, labels and metadata."""
    out = bytearray(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
    offsets: dict[int, int] = {}
    for number, source in enumerate(_PDF_OBJECTS, 1):
        if not source:
            continue
        offsets[number] = len(out)
        out += f"{number} 0 obj\n".encode() + _pdf_object(source) + b"\nendobj\n"
    start = len(out)
    out += f"xref\n0 {len(_PDF_OBJECTS) + 1}\n0000000000 65535 f \n".encode()
    for number in range(1, len(_PDF_OBJECTS) + 1):
        out += f"{offsets[number]:010d} 00000 n \n".encode() if number in offsets else b"0000000000 00000 f \n"
    out += f"trailer\n<< /Size {len(_PDF_OBJECTS) + 1} /Root 1 0 R /Info 32 0 R >>\nstartxref\n{start}\n%%EOF\n".encode()
    return bytes(out)


def _pdf_object(source: str) -> bytes:
    if source.startswith("<<"):
        return source.encode("latin-1")
    if source == "IMAGE":
        data = bytes((10, 120, 60)) * 8
        return (
            b"<< /Type /XObject /Subtype /Image /Width 4 /Height 2 /ColorSpace /DeviceRGB /BitsPerComponent 8 /Length 24 >>\nstream\n"
            + data
            + b"\nendstream"
        )
    head, _, body = source.partition("|")
    extra = ""
    if source.startswith("FORM"):
        extra = "/Type /XObject /Subtype /Form " + head.removeprefix("FORM")
    elif source.startswith("FILE"):
        extra = head.removeprefix("FILE")
    else:
        body = source
    data = body.encode("latin-1")
    return f"<< {extra} /Length {len(data)} >>\nstream\n".encode("latin-1") + data + b"\nendstream"
