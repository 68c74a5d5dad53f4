"""Edit scopes that name something inside a paragraph, and what an edit there brings with it."""

from __future__ import annotations

import pytest

from docops.formats.docx.document import open_docx
from docops.formats.docx.samples import docx
from tests.formats.docx.rewriting import changes, places, replaced

SOURCE = docx(
    "# Berths", "Revenue **1,234** units[^By Meyer.^] in {REF berths|the berths}.", "Visit [our site](https://example.org/a) today.", "On [=date:1 May] we met.", "[#berths:the berths]"
)
P2, P3, P4 = "body/paragraph[2]", "body/paragraph[3]", "body/paragraph[4]"


@pytest.mark.parametrize(
    ("old", "new", "scope"),
    [
        ("1,234", "1,300", f"{P2}/run[2]"),
        ("1,234", "about a thousand", f"{P2}/run[2]"),
        ("REF berths", "PAGEREF berths", f"{P2}/field[1]"),
        ("our site", "the new site of the port", f"{P3}/hyperlink[1]"),
        ("1 May", "2 May", f"{P4}/content_control[1]"),
        ("1 May", "2 May", f"{P4}/content_control[date]"),
        ("berths", "quays", "bookmark[berths]"),
    ],
)
def test_an_edit_inside_a_named_part_of_a_paragraph_is_in_scope(old: str, new: str, scope: str) -> None:
    target = f'w:name="{old}"' if scope.startswith("bookmark") else old
    after = replaced(SOURCE, target, target.replace(old, new))
    assert changes(SOURCE, after)
    assert changes(SOURCE, after, [scope]) == []


def test_what_stands_beside_the_named_part_is_outside() -> None:
    edited = replaced(SOURCE, "1,234", "1,300")
    assert places(changes(SOURCE, edited, [f"{P2}/run[1]"])) >= {P2}
    assert P2 in places(changes(SOURCE, replaced(edited, " units", " tons"), [f"{P2}/run[2]"]))
    look = replaced(edited, "<w:r><w:t xml:space=\"preserve\"> units", "<w:r><w:rPr><w:i/></w:rPr><w:t xml:space=\"preserve\"> units")
    assert places(changes(SOURCE, look, [f"{P2}/run[2]"])) == {f"{P2}/run[3]"}
    note = replaced(edited, "By Meyer.", "By Maier.", "word/footnotes.xml")
    assert places(changes(SOURCE, note, [f"{P2}/run[2]"])) == {"footnote[1]/paragraph[1]", "footnote[1]/paragraph[1]/run[1]"}


def test_a_style_change_in_scope_explains_every_look_of_text_that_says_the_same() -> None:
    styles = (
        '<w:style w:type="table" w:styleId="T"><w:name w:val="T"/><w:tblStylePr w:type="firstRow"><w:rPr><w:rFonts w:ascii="Georgia"/></w:rPr></w:tblStylePr></w:style>'
        '<w:style w:type="paragraph" w:styleId="X"><w:name w:val="X"/></w:style>'
    )
    cell = '<w:tc><w:p><w:pPr><w:pStyle w:val="X"/></w:pPr><w:r><w:t>Berth</w:t></w:r></w:p></w:tc>'
    table = f'<w:tbl><w:tblPr><w:tblStyle w:val="T"/><w:tblLook w:firstRow="1"/></w:tblPr><w:tblGrid><w:gridCol w:w="900"/></w:tblGrid><w:tr>{cell}</w:tr></w:tbl>'
    data = docx(table, styles=styles)
    after = replaced(data, '<w:name w:val="X"/>', '<w:name w:val="X"/><w:rPr><w:rFonts w:ascii="Arial"/></w:rPr>', "word/styles.xml")
    assert places(changes(data, after)) == {"style[X]"}
    assert changes(data, after, ["style[X]"]) == []
    direct = replaced(after, "<w:r><w:t>Berth", '<w:r><w:rPr><w:rFonts w:ascii="Courier"/></w:rPr><w:t>Berth')
    assert places(changes(data, direct, ["style[X]"])) == {"body/table[1]/row[1]/cell[1]/paragraph[1]/run[1]"}


def test_controls_are_found_by_name_inside_their_paragraph() -> None:
    assert [node.address for node in open_docx(SOURCE).find(f"{P4}/content_control[date]")] == [f"{P4}/content_control[1]"]
