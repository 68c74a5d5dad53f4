from __future__ import annotations

from typing import Any

import pytest

from docops.core.spans import Role, TextSpan
from docops.formats.xlsx.document import open_xlsx
from tests.formats.xlsx.books import example, replace, save


def spans(data: bytes) -> list[TextSpan]:
    return list(open_xlsx(data).spans())


def body(data: bytes, text: str) -> TextSpan:
    (span,) = [span for span in spans(data) if span.text == text and span.role is Role.BODY]
    return span


def _hide(how: str) -> Any:
    def fill(book: Any) -> None:
        from openpyxl.styles import Font, PatternFill

        sheet = book.active
        sheet["B2"] = "secret"
        if how == "hidden row":
            sheet.row_dimensions[2].hidden = True
        elif how == "hidden column":
            sheet.column_dimensions["B"].hidden = True
        elif how == "hidden sheet":
            book.create_sheet("Other")
            sheet.sheet_state = "hidden"
        elif how == "without height":
            sheet.row_dimensions[2].height = 0.1
        elif how == "colour of the background":
            sheet["B2"].font = Font(color="FFFFFFFF")
        elif how == "dark":
            sheet["B2"].font = Font(color="FF000000")
            sheet["B2"].fill = PatternFill("solid", fgColor="FF000000")
        elif how == "number format":
            sheet["B2"].number_format = ";;;"
        elif how == "size":
            sheet["B2"].font = Font(size=1)
        elif how == "covered by a merged cell":
            sheet["B1"] = "cover"
            sheet.merged_cells.add("B1:B3")

    return fill


@pytest.mark.parametrize(
    "how",
    ["hidden row", "hidden column", "hidden sheet", "without height", "colour of the background", "dark", "number format", "size", "covered by a merged cell"],
)
def test_text_that_no_reader_sees_is_not_visible(how: str) -> None:
    span = body(save(_hide(how)), "secret")
    assert not span.visible
    assert span.hidden_by == ("colour of the background" if how == "dark" else how)


def test_plain_text_is_visible() -> None:
    assert body(save(_hide("")), "secret").visible


def test_every_kind_of_stored_text_has_its_role() -> None:
    found = {(span.role, span.text) for span in spans(example())}
    assert {
        (Role.NAME, "Summary"),
        (Role.BODY, "Quarter summary"),
        (Role.BODY, "5120.2"),
        (Role.BODY, "2024-01-28"),
        (Role.FORMULA, "=MAX(Data!C2:C13)"),
        (Role.COMMENT, "Check with the ledger"),
        (Role.HEADER, "Budget"),
        (Role.FOOTER, "Confidential"),
        (Role.LINK, "https://example.org/policy"),
        (Role.VALIDATION, "Pick one"),
        (Role.ALT, "Company logo"),
        (Role.CHART, "Amounts by month"),
        (Role.NAME, "TaxRate"),
        (Role.NAME, "Amount"),
        (Role.METADATA, "Budget 2024"),
        (Role.METADATA, "pending"),
    } <= found


def test_runs_of_a_cell_join_to_what_is_read() -> None:
    parts = [span.text for span in spans(example()) if span.block == "sheet[Summary]/cell[A9]"]
    assert "".join(parts) == "See important note below"


def test_strings_that_no_cell_uses_are_stored_text() -> None:
    from tests.formats.xlsx.books import replace

    data = replace(example(), "xl/sharedStrings.xml", "</sst>", "<si><t>forgotten</t></si></sst>")
    (span,) = [span for span in spans(data) if span.text == "forgotten"]
    assert (span.visible, span.hidden_by) == (False, "unused string")


def _ruled(*rules: tuple[str, dict[str, str]], static: str = "", area: str = "A1:C9") -> str:
    """Why a text in B3 is hidden under rules, each a formula and what it makes: the colours of text and fill, a number format."""
    from docops.formats.xlsx.samples import SheetSpec, Styled, workbook

    blocks, formats = [], []
    for number, (rule, look) in enumerate(rules):
        font = f'<font><color rgb="FF{look["font"]}"/></font>' if "font" in look else ""
        code = f'<numFmt numFmtId="200" formatCode="{look["code"]}"/>' if "code" in look else ""
        fill = f'<fill><patternFill patternType="solid"><bgColor rgb="FF{look["fill"]}"/></patternFill></fill>' if "fill" in look else ""
        formats.append(f"<dxf>{font}{code}{fill}</dxf>")
        kind = rule if rule.startswith("type=") else 'type="expression"'
        formula = "B1+0" if rule.startswith("type=") else rule
        stop = ' stopIfTrue="1"' if "stop" in look else ""
        blocks.append(f'<cfRule {kind} dxfId="{number}" priority="{number + 1}"{stop}><formula>{formula}</formula></cfRule>')
    xml = f'<conditionalFormatting sqref="{area}">{"".join(blocks)}</conditionalFormatting>'
    value = Styled("secret", font=f'<color rgb="FF{static}"/>') if static else "secret"
    data = workbook({"S": SheetSpec({"A1": "x", "B3": value}, after_data=xml)})
    styles = f'<dxfs count="{len(formats)}">{"".join(formats)}</dxfs></styleSheet>'
    return body(replace(data, "xl/styles.xml", "</styleSheet>", styles), "secret").hidden_by


_WHITE = {"font": "FFFFFF"}


@pytest.mark.parametrize("formula", ["TRUE", "1", "LEN(A1)&gt;0", '$A$1="x"', "ROW()=3", "AND(COLUMN()=2,ISTEXT(A1))"])
def test_a_rule_that_applies_hides_text(formula: str) -> None:
    assert _ruled((formula, _WHITE)) == "colour of the background"


def test_rules_are_taken_as_they_follow() -> None:
    assert _ruled(("FALSE", _WHITE)) == ""
    assert _ruled(("A1=5", _WHITE)) == ""
    assert _ruled(("TODAY()&gt;1", _WHITE)) == ""
    assert _ruled(("TRUE", {"font": "FF0000"}), ("TRUE", _WHITE)) == ""
    assert _ruled(("TRUE", {"stop": ""}), ("TRUE", _WHITE)) == ""
    assert _ruled(("TRUE", {"code": ";;;"})) == "number format"
    assert _ruled(("TRUE", {"fill": "000001"})) == "colour of the background"
    assert _ruled(("TRUE", {"fill": "204060"}), static="FFFFFF") == ""
    assert _ruled(("FALSE", {"fill": "204060"}), static="FFFFFF") == "colour of the background"
    assert _ruled(('type="cellIs" operator="notEqual"', _WHITE)) == "colour of the background"
    assert _ruled(('type="cellIs" operator="lessThan"', _WHITE)) == ""
    assert _ruled(('type="duplicateValues"', _WHITE)) == ""
    assert _ruled(("TRUE", _WHITE), area="C3") == ""
