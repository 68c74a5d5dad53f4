from __future__ import annotations

from typing import Any

import pytest

from docops.core.spans import Role, TextSpan
from docops.formats.xlsx.document import open_xlsx
from tests.formats.xlsx.books import example, save


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
