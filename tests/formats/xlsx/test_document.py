from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from docops.core.codes import Aspect, FindingCode
from docops.core.document import Document
from docops.core.errors import Unreadable
from docops.core.limits import DEFAULT_LIMITS
from docops.formats.xlsx import FORMAT
from docops.formats.xlsx.document import open_xlsx
from tests.formats.xlsx.books import SHARED, changes, corpus, example, facts, pack, parts, replace, save


def _styled(book: Any) -> None:
    from openpyxl.styles import Alignment, Border, Font, PatternFill, Protection, Side

    sheet = book.active
    sheet["B2"] = "text"
    sheet["B2"].font = Font(name="Arial", size=14, bold=True, color="FF336699")
    sheet["B2"].fill = PatternFill("solid", fgColor="FFDDEBF7")
    sheet["B2"].border = Border(left=Side("thin", color="FF000000"))
    sheet["B2"].alignment = Alignment(horizontal="center", wrap_text=True)
    sheet["B2"].protection = Protection(locked=False)
    sheet["B3"] = 12.5
    sheet["B3"].number_format = "#,##0.00"
    sheet["B4"] = "=B3*2"
    sheet["B5"] = True
    sheet["B6"].fill = PatternFill("solid", fgColor="FFFF0000")
    sheet.row_dimensions[3].height = 30
    sheet.row_dimensions[7].hidden = True
    sheet.column_dimensions["C"].width = 22
    sheet.freeze_panes = "A2"


def test_a_cell_states_its_value_type_and_effective_format() -> None:
    document = open_xlsx(save(_styled))
    cell = facts(document, "sheet[Sheet]/cell[B2]")
    assert cell["value"] == "text"
    assert cell["type"] == "text"
    assert cell["font.name"] == "Arial"
    assert cell["font.bold"] is True
    assert cell["font.color"] == "336699"
    assert cell["fill"] == "DDEBF7"
    assert cell["border.left"] == "thin 000000"
    assert cell["alignment.horizontal"] == "center"
    assert cell["locked"] is False
    assert facts(document, "sheet[Sheet]/cell[B3]") == {"value": "12.5", "type": "number", "number format": "#,##0.00"}
    assert facts(document, "sheet[Sheet]/cell[B4]") == {"formula": "=B3*2"}
    assert facts(document, "sheet[Sheet]/cell[B5]") == {"value": True, "type": "boolean"}
    assert facts(document, "sheet[Sheet]/cell[B6]") == {"fill": "FF0000"}
    assert facts(document, "sheet[Sheet]/row[3]") == {"height": "30"}
    assert facts(document, "sheet[Sheet]/row[7]") == {"hidden": True}
    assert facts(document, "sheet[Sheet]/column[C]")["width"] == "22"
    assert facts(document, "sheet[Sheet]")["panes"] == "frozen at 0 across, 1 down"


def test_cells_without_content_are_named_all_the_same() -> None:
    document = open_xlsx(save(_styled))
    assert facts(document, "sheet[Sheet]/cell[Z99]") == {}
    assert [node.address for node in document.find("sheet[Sheet]/cell[B2:C3]")] == [f"sheet[Sheet]/cell[{name}]" for name in ("B2", "C2", "B3", "C3")]
    assert [node.number for node in document.find("sheet[Sheet]/row[2:4]")] == [2, 3, 4]
    assert [node.name for node in document.find("sheet[Sheet]/column[B:D]")] == ["B", "C", "D"]


def test_an_empty_cell_of_the_default_format_is_no_fact() -> None:
    data = save(_styled)
    name = "xl/worksheets/sheet1.xml"
    more = replace(data, name, "</row>", '<c r="J2"/></row>') if b"J2" not in parts(data)[name] else data
    assert not changes(data, more)


def test_shared_and_inline_strings_are_one() -> None:
    path = SHARED / "examples" / "xlsx-budget-total" / "outputs" / "inline-strings" / "budget.xlsx"
    if not path.exists():
        pytest.skip("no shared examples here")
    assert [change.address for change in changes(example(), path.read_bytes())] == ["sheet[Summary]/cell[B6]"]


def test_a_number_is_not_the_same_text() -> None:
    def number(book: Any) -> None:
        book.active["A1"] = 10

    def text(book: Any) -> None:
        book.active["A1"] = "10"

    assert {change.name for change in changes(save(number), save(text))} == {"type"}


def test_blanks_at_the_ends_count_only_where_they_are_preserved() -> None:
    def fill(book: Any) -> None:
        book.active["A1"] = " a "

    data = save(fill)
    assert facts(open_xlsx(data), "sheet[Sheet]/cell[A1]")["value"] == " a "
    name = next(name for name in parts(data) if b'xml:space="preserve"' in parts(data)[name])
    stripped = replace(data, name, ' xml:space="preserve"', "")
    assert facts(open_xlsx(stripped), "sheet[Sheet]/cell[A1]")["value"] == "a"


def test_rich_text_is_compared_by_its_effective_runs() -> None:
    document = open_xlsx(example())
    cell = facts(document, "sheet[Summary]/cell[A9]")
    assert cell["value"] == "See important note below"
    assert [run[0] for run in cell["runs"]] == ["See ", "important", " note ", "below"]


def test_the_cover_of_a_merged_area_hides_formats_but_no_values() -> None:
    def fill(book: Any) -> None:
        book.active["A1"] = "title"
        book.active.merge_cells("A1:C1")

    data = save(fill)
    name = "xl/worksheets/sheet1.xml"
    hidden = replace(data, name, "</row>", '<c r="D1"><v>5</v></c></row>')
    members = parts(hidden)
    assert {change.address for change in changes(data, pack(members))} == {"sheet[Sheet]/cell[D1]"}


@pytest.mark.parametrize("path", corpus(), ids=lambda path: path.name)
def test_a_real_workbook_equals_itself_and_its_addresses_lead_back(path: Path) -> None:
    data = path.read_bytes()
    one, other = open_xlsx(data), open_xlsx(data)
    assert one.facts() == other.facts()
    for node in one.root.walk():
        if node.address:
            found = one.find(node.address)
            assert [place.address for place in found] == [node.address]
    for span in one.spans():
        assert one.find(span.address), span.address
    counted = {row.part for row in one.coverage()}
    assert counted == set(one.package.member_names)


def test_native_opens_the_workbook_in_openpyxl() -> None:
    document = open_xlsx(save(_styled))
    assert document.native["Sheet"]["B4"].value == "=B3*2"


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04", b"hello", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600])
def test_what_is_no_workbook_is_unreadable(data: bytes) -> None:
    with pytest.raises(Unreadable):
        open_xlsx(data)


def test_rows_that_are_stored_twice_are_unreadable() -> None:
    data = replace(save(_styled), "xl/worksheets/sheet1.xml", '<row r="3"', '<row r="2"')
    with pytest.raises(Unreadable) as raised:
        open_xlsx(data).facts()
    assert raised.value.code is FindingCode.ARTIFACT_UNREADABLE


@pytest.mark.parametrize("more", [1, 70])
def test_sheets_that_are_the_same_part_are_read_up_to_a_limit(more: int) -> None:
    entries = "".join(f'<sheet name="Copy {n}" sheetId="{n + 50}" r:id="rId1"/>' for n in range(more))
    name = '<sheets xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">'
    data = replace(replace(save(_styled), "xl/workbook.xml", "<sheets>", name), "xl/workbook.xml", "</sheets>", f"{entries}</sheets>")
    if more > DEFAULT_LIMITS.repeats:
        with pytest.raises(Unreadable) as raised:
            open_xlsx(data).facts()
        assert raised.value.code is FindingCode.LIMIT_EXCEEDED
    else:
        assert open_xlsx(data).facts()


def test_the_format_opens_documents() -> None:
    document: Document = FORMAT.open(save(_styled))
    assert document.format == "xlsx"
    assert {node.kind for node in document.root.walk() if node.kind} <= FORMAT.kinds


def test_a_theme_colour_and_the_same_colour_in_numbers_are_one() -> None:
    from openpyxl.styles import PatternFill
    from openpyxl.styles.colors import Color

    def theme(book: Any) -> None:
        book.active["A1"].fill = PatternFill("solid", fgColor=Color(theme=4, tint=0.3999755851924192))

    def numbers(book: Any) -> None:
        book.active["A1"].fill = PatternFill("solid", fgColor="FF95B3D7")

    assert not changes(save(theme), save(numbers))


def test_comments_links_rules_and_print_settings_have_places() -> None:
    document = open_xlsx(example())
    assert facts(document, "sheet[Summary]/comment[A6]")["text"] == "Check with the ledger"
    assert facts(document, "sheet[Summary]/hyperlink[A12]")["target"] == "https://example.org/policy"
    assert facts(document, "sheet[Data]/validation[B2:B13]")["formula1"] == "Lists!$A$1:$A$4"
    assert facts(document, "sheet[Data]/conditional_format[C2:C13]")["fill"] == "FFC7CE"
    assert facts(document, "sheet[Summary]/print")["print area"] == "Summary!$A$1:$C$14"
    assert facts(document, "sheet[Data]/table[Sales]")["area"] == "A1:E13"
    assert facts(document, "name[TaxRate]") == {"refers to": "Summary!$B$5"}
    assert facts(document, 'sheet["Audit Log"]/name[Start]')["refers to"] == "'Audit Log'!$A$1"
    assert facts(document, "sheet[Summary]/image[1]")["alt text"] == "Company logo"
    (chart,) = document.find("sheet[Summary]/chart[1]")
    assert chart.facts[Aspect.TEXT, "title"] == "Amounts by month"
