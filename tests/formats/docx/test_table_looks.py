"""What a table's style gives its cells: effective formatting, where a loss is reported, what follows from a row that came or went."""

from __future__ import annotations

from lxml import etree

from docops.core.codes import Aspect
from docops.formats.docx.document import open_docx
from docops.formats.docx.samples import docx
from tests.formats.docx.rewriting import W, changes, edited, places, replaced

_PARTS = {
    "firstRow": '<w:pPr><w:jc w:val="center"/></w:pPr><w:rPr><w:b/><w:color w:val="FFFFFF"/></w:rPr><w:tcPr><w:shd w:val="clear" w:fill="1F497D"/></w:tcPr>',
    "lastRow": "<w:rPr><w:i/></w:rPr>",
    "firstCol": '<w:rPr><w:sz w:val="28"/></w:rPr>',
    "band2Horz": '<w:tcPr><w:shd w:val="clear" w:fill="DDDDDD"/></w:tcPr>',
}
STYLES = (
    '<w:style w:type="table" w:styleId="Fancy"><w:name w:val="Fancy"/><w:rPr><w:color w:val="333333"/></w:rPr>'
    + "".join(f'<w:tblStylePr w:type="{part}">{held}</w:tblStylePr>' for part, held in _PARTS.items())
    + '</w:style><w:style w:type="table" w:styleId="Plain"><w:name w:val="Plain"/></w:style>'
)
LOOK = 'w:firstRow="1" w:lastRow="1" w:firstColumn="1" w:noVBand="1"'


def _cell(text: str, run: str = "", cell: str = "") -> str:
    return f"<w:tc><w:tcPr>{cell}</w:tcPr><w:p><w:r><w:rPr>{run}</w:rPr><w:t>{text}</w:t></w:r></w:p></w:tc>"


def table(*rows: tuple[str, ...], look: str = LOOK, style: str = "Fancy", run: str = "") -> bytes:
    grid = "".join('<w:gridCol w:w="900"/>' for _ in rows[0])
    body = "".join(f"<w:tr>{''.join(_cell(text, run if n == 0 else '') for text in row)}</w:tr>" for n, row in enumerate(rows))
    return docx(
        "Before.", f'<w:tbl><w:tblPr><w:tblStyle w:val="{style}"/><w:tblLook {look}/></w:tblPr><w:tblGrid>{grid}</w:tblGrid>{body}</w:tbl>', "After.", styles=STYLES
    )


ROWS = (("Item", "Qty"), ("Pump", "4"), ("Hose", "7"), ("Total", "11"))
SOURCE = table(*ROWS)


def look_at(data: bytes, row: int, column: int) -> dict[str, object]:
    (cell,) = open_docx(data).find(f"body/table[1]/row[{row}]/cell[{column}]")
    held = [cell, cell.children[0], cell.children[0].children[0]]
    return {name: value for node in held for (aspect, name), value in node.facts.items() if aspect is Aspect.FORMAT and name not in {"text", "style", "font"} and value != "11 pt"}


def test_parts_of_the_style_show_in_the_cells_they_apply_to() -> None:
    header = {"shading": "1F497D", "alignment": "center", "bold": True, "colour": "FFFFFF"}
    assert look_at(SOURCE, 1, 2) == header
    assert look_at(SOURCE, 1, 1) == {**header, "size": "14 pt"}
    # Bands follow from the number of rows before and are no facts.
    assert look_at(SOURCE, 3, 2) == {"colour": "333333"}
    assert look_at(SOURCE, 4, 2) == {"colour": "333333", "italic": True}
    assert look_at(table(*ROWS, style="Plain"), 1, 2) == {}


def test_direct_formatting_that_says_what_the_style_says_is_no_change() -> None:
    assert changes(SOURCE, table(*ROWS, run="<w:b/>")) == []
    shaded = replaced(SOURCE, "<w:tc><w:tcPr></w:tcPr>", '<w:tc><w:tcPr><w:shd w:val="clear" w:fill="1F497D"/></w:tcPr>')
    assert changes(SOURCE, shaded) == []
    assert places(changes(SOURCE, table(*ROWS, run='<w:b w:val="0"/>'))) == {f"body/table[1]/row[1]/cell[{n}]/paragraph[1]/run[1]" for n in (1, 2)}


def test_header_row_that_the_table_no_longer_marks_is_seen_in_the_header_row() -> None:
    found = changes(SOURCE, table(*ROWS, look=LOOK.replace('firstRow="1"', 'firstRow="0"')))
    assert {"body/table[1]", "body/table[1]/row[1]/cell[2]", "body/table[1]/row[1]/cell[2]/paragraph[1]/run[1]"} <= places(found)
    assert not any(change.address.startswith("body/table[1]/row[2]") for change in found)
    assert ("bold", True, False) in [(change.name, change.before, change.after) for change in found]


def test_change_of_the_style_is_reported_at_the_style_and_another_style_at_the_table() -> None:
    def unbold(root: etree._Element) -> None:
        for bold in list(root.iterfind(f"{W}style/{W}tblStylePr/{W}rPr/{W}b")):
            bold.getparent().remove(bold)  # type: ignore[union-attr]

    found = changes(SOURCE, edited(SOURCE, unbold, "word/styles.xml"))
    assert places(found) == {"style[Fancy]"}
    assert ("first row: bold", True, None) in [(change.name, change.before, change.after) for change in found]
    assert places(changes(SOURCE, table(*ROWS, style="Plain"))) == {"body/table[1]"}


def test_rows_that_become_first_or_last_change_their_looks_with_the_edit() -> None:
    on_top, at_end = table(("Code", "Of"), *ROWS), table(*ROWS, ("Again", "12"))
    assert places(changes(SOURCE, on_top)) == {"body/table[1]/row[1]"}
    assert changes(SOURCE, on_top, ["body/table[1]/row[1]"]) == []
    assert changes(SOURCE, at_end, ["body/table[1]/row[5]"]) == []
    # Another difference in that row is still one.
    struck = replaced(table(*ROWS, ("Again", "12")), "<w:rPr></w:rPr><w:t>Total</w:t>", "<w:rPr><w:strike/></w:rPr><w:t>Total</w:t>")
    assert places(changes(SOURCE, struck, ["body/table[1]/row[5]"])) == {"body/table[1]/row[4]/cell[1]/paragraph[1]/run[1]"}


def test_text_in_the_colour_of_its_cell_is_hidden_whatever_paints_the_cell() -> None:
    def seen(data: bytes, text: str) -> bool:
        return next(span.visible for span in open_docx(data).spans() if span.text == text)

    assert seen(SOURCE, "Item")
    white = '<w:rPr><w:color w:val="FFFFFF"/></w:rPr>'
    assert not seen(replaced(SOURCE, "<w:rPr></w:rPr><w:t>Pump</w:t>", f"{white}<w:t>Pump</w:t>"), "Pump")
    grey = white.replace("FFFFFF", "DDDDDD")
    assert not seen(replaced(SOURCE, "<w:rPr></w:rPr><w:t>Hose</w:t>", f"{grey}<w:t>Hose</w:t>"), "Hose")
    assert seen(replaced(SOURCE, "<w:rPr></w:rPr><w:t>Pump</w:t>", f"{grey}<w:t>Pump</w:t>"), "Pump")
    assert not seen(replaced(SOURCE, "<w:tcPr></w:tcPr>", '<w:tcPr><w:shd w:val="clear" w:fill="auto"/></w:tcPr>'), "Item")


def test_flags_are_read_from_the_number_only_where_none_is_spelled_out() -> None:
    assert changes(SOURCE, table(*ROWS, look='w:val="04E0"')) == []
    assert changes(SOURCE, table(*ROWS, look=f'w:val="0000" {LOOK}')) == []


def test_a_table_in_a_cell_has_its_own_look() -> None:
    inner = f'<w:tbl><w:tblPr><w:tblStyle w:val="Plain"/></w:tblPr><w:tblGrid><w:gridCol w:w="400"/></w:tblGrid><w:tr>{_cell("inner")}</w:tr></w:tbl><w:p/>'
    data = replaced(SOURCE, "<w:tc><w:tcPr></w:tcPr>", f"<w:tc><w:tcPr></w:tcPr>{inner}")
    (run,) = open_docx(data).find("body/table[1]/row[1]/cell[1]/table[1]/row[1]/cell[1]/paragraph[1]/run[1]")
    assert {name: value for (_, name), value in run.facts.items()} == {"text": "inner", "font": "Calibri", "size": "11 pt"}
