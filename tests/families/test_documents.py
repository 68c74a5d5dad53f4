"""Anchors, reports and agreement over real documents: what cells show, lines of pages, lists, tables, what is only stored."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from docops.core.codes import FindingCode, Outcome
from docops.core.verdict import CriterionResult
from docops.families.cells import number_quantity
from docops.formats.docx.samples import docx
from docops.formats.xlsx.samples import Styled, workbook
from docops.registry import predicate_named
from tests.formats.xlsx.books import save
from tests.support.examples import run_predicate

CELLS = workbook(
    {
        "Data": {
            "A1": "Item", "B1": "Value", "A2": "Share", "B2": Styled(0.125, "0.0%"), "A3": "Cost", "B3": Styled(1234567, '"EUR" #,##0'), "A4": "Loss", "B4": Styled(-500, "#,##0;(#,##0)"),
            "A5": "Due", "B5": Styled(46084, "d mmmm yyyy"), "A6": "Turnover", "B6": Styled(2400000, '0.0,,"m"'), "A7": "Term", "B7": Styled(90, '0 "days"'), "A8": "Secret", "B8": Styled(77, ";;;"),
            "A9": "Sum", "B9": "=B3+B4", "A10": "Says", "B10": '="We pay "&B7&" days"', "A11": "Hidden sum", "B11": Styled("=B3*2", ";;;"),
        }
    }
)  # fmt: skip
BOOK = workbook({"D": {"A1": "Region", "B1": "2024", "C1": "2025", "A2": "North", "B2": 100, "A3": "South", "C3": 200, "A4": "East", "B4": 1234.5, "C4": Styled(0.125, "0.0%")}})


@pytest.fixture
def run(tmp_path: Path) -> Any:
    def call(name: str, files: Mapping[str, bytes], /, **given: Any) -> CriterionResult:
        return run_predicate(predicate_named(name), given, files, {}, tmp_path)

    return call


def codes(result: CriterionResult) -> list[str]:
    return [str(finding.code) for finding in result.findings]


@pytest.mark.parametrize(
    ("cell", "text", "right"),
    [
        ("B2", "12.5%", True), ("B2", "0.125", True), ("B2", "12.6%", False), ("B3", "EUR 1,234,567", True), ("B4", "(500)", True), ("B5", "3 March 2026", True), ("B5", "2026-03-03", True),
        ("B6", "2.4m", True), ("B7", "90 days", True), ("B8", "77", False), ("B9", "1234067", True), ("B10", "We pay 90 days", True), ("B10", "We pay 30 days", False), ("B11", "2469134", False),
    ],
)  # fmt: skip
def test_a_cell_says_what_it_shows(run: Any, cell: str, text: str, right: bool) -> None:
    result = run("anchor.contains", {"a.xlsx": CELLS}, at=f"a.xlsx#sheet[Data]/cell[{cell}]", text=text)
    assert (result.outcome is Outcome.PASSED) is right, result
    assert run("anchor.matches", {"a.xlsx": CELLS}, at=f"a.xlsx#sheet[Data]/cell[{cell}]", pattern=text.replace("(", r"\(").replace(")", r"\)")).outcome is result.outcome


def test_a_text_seen_in_two_ways_counts_once(run: Any) -> None:
    assert codes(run("anchor.contains", {"a.xlsx": CELLS}, at="a.xlsx#sheet[Data]/cell[B7]", text="90", count=1)) == []
    partly = docx("Bolt ~~secret~~ and Bolt")
    assert codes(run("anchor.contains", {"a.docx": partly}, at="a.docx", text="Bolt", count=2, visible=False)) == []


def test_cells_that_nobody_sees_are_hidden_text(run: Any) -> None:
    assert codes(run("anchor.contains", {"a.xlsx": CELLS}, at="a.xlsx", text="2469134")) == [FindingCode.HIDDEN_TEXT]
    assert codes(run("anchor.absent", {"a.xlsx": CELLS}, at="a.xlsx", text="2469134")) == [FindingCode.UNEXPECTED]
    assert codes(run("anchor.quantity", {"a.xlsx": CELLS}, at="a.xlsx", value="77")) == [FindingCode.MISSING]


@pytest.mark.parametrize("stored", [None, 5, -5])
@pytest.mark.parametrize(
    ("code", "amount", "seen"), [("0;;;", -10, False), ("0;;;", 10, True), (";-0;", -10, True), (";-0;", 10, False), ("0;[White]-0", -10, False), ("0;[White]-0", 10, True)]
)
def test_a_formula_is_hidden_by_the_value_it_has_whatever_is_stored(run: Any, stored: int | None, code: str, amount: int, seen: bool) -> None:
    formula: object = "=B1*2" if stored is None else ("=B1*2", stored)
    data = workbook({"D": {"A1": "North", "B1": amount, "A2": "Total", "B2": Styled(formula, code)}})
    assert (run("anchor.label_value", {"a.xlsx": data}, at="a.xlsx", label="Total", value=str(2 * amount)).outcome is Outcome.PASSED) is seen


@pytest.mark.parametrize(("rule", "seen"), [("$B$2>15", False), ("$B$2>25", True)])
def test_a_rule_hides_a_formula_without_stored_result(run: Any, rule: str, seen: bool) -> None:
    from openpyxl.formatting.rule import Rule
    from openpyxl.styles import Font
    from openpyxl.styles.differential import DifferentialStyle

    def fill(book: Any) -> None:
        for row in (("North", 10), ("Total", "=B1*2")):
            book.active.append(row)
        book.active.conditional_formatting.add("B2", Rule(type="expression", dxf=DifferentialStyle(font=Font(color="FFFFFF")), formula=[rule]))

    result = run("anchor.label_value", {"a.xlsx": save(fill)}, at="a.xlsx", label="Total", value="20")
    assert (result.outcome is Outcome.PASSED) is seen


def test_cells_stand_in_the_order_of_the_sheet(run: Any) -> None:
    texts = ["Share", "12.5%", "Cost", "EUR 1,234,567", "Sum", "1234067", "Says", "We pay 90 days"]
    assert codes(run("anchor.in_order", {"a.xlsx": CELLS}, at="a.xlsx", texts=texts)) == []
    assert codes(run("anchor.in_order", {"a.xlsx": CELLS}, at="a.xlsx", texts=["1234067", "Cost"])) == [FindingCode.WRONG_ORDER]


@pytest.mark.parametrize(
    ("label", "value", "right"),
    [
        ("Share", "12.5 %", True), ("Cost", "EUR 1,234,567", True), ("Cost", "USD 1,234,567", False), ("Loss", "-500", True), ("Loss", "500", False), ("Due", "3 March 2026", True), ("Turnover", "2.4 million", True),
        ("Term", "90 days", True), ("Term", "90 weeks", False), ("Sum", "1,234,067", True), ("Secret", "77", False),
    ],
)  # fmt: skip
def test_labels_and_values_of_cells(run: Any, label: str, value: str, right: bool) -> None:
    assert (run("anchor.label_value", {"a.xlsx": CELLS}, at="a.xlsx", label=label, value=value).outcome is Outcome.PASSED) is right
    table = run("anchor.table_value", {"a.xlsx": CELLS}, at="a.xlsx", row=label, column="Value", value=value)
    assert (table.outcome is Outcome.PASSED) is right, table


@pytest.mark.parametrize(
    ("texts", "right"),
    [
        (["| Waiting period (days) | 90 |", "| Term | 5 |"], True), (["| Waiting period (months) | 90 |", "| Term | 5 |"], False), (["| Benefit | Waiting period |", "| Dental | 90 days |"], True),
        (["| Benefit | Waiting period |", "| Dental | 90 days |", "| Vision | 30 days |"], False), (["| Benefit | Waiting period | Term |", "| Dental | 30 days | 90 days |"], False),
        (["# Waiting period", "It is 90 days."], True), (["# Waiting period", "It is 30 days."], False), (["Waiting period", "90 days"], True), (["Waiting period", "Term: 90 days"], False),
        (["Waiting period .......... 90 days"], True),
    ],
)  # fmt: skip
def test_labels_with_their_values_elsewhere(run: Any, texts: list[str], right: bool) -> None:
    result = run("anchor.label_value", {"a.docx": docx(*texts)}, at="a.docx", label="Waiting period", value="90 days")
    assert (result.outcome is Outcome.PASSED) is right, result


@pytest.mark.parametrize(("value", "right"), [("EUR 2.4 million", True), ("EUR 2.4", False), ("USD 2.4 million", False)])
def test_units_of_headings_count(run: Any, value: str, right: bool) -> None:
    table = docx("| Year | Revenue (EUR m) |", "| 2025 | 2.4 |")
    assert (run("anchor.table_value", {"a.docx": table}, at="a.docx", row="2025", column="Revenue (EUR m)", value=value).outcome is Outcome.PASSED) is right


def test_numbers_that_are_none_have_no_amount() -> None:
    assert number_quantity(-0.5, "0.0%").low == -50
    assert number_quantity(1e20).low == 10**20


@pytest.mark.parametrize(
    ("rows", "right"),
    [
        (["| North | 100 |  |", "| South |  | 200 |", "| East | 1,234.5 | 12.5% |"], True),
        (["| North |  | 100 |", "| South |  | 200 |", "| East | 1,234.5 | 12.5% |"], False),
        (["| North | 100 |  |", "| South | 200 |  |", "| East | 1,234.5 | 12.5% |"], False),
        (["| North | 100 |  |", "| South |  | 200 |", "| East | 1,234.5 | -12.5% |"], False),
        (["| North | 100 |  |", "| South |  | 200 |", "| East | EUR 1,234.50 | 12.5% |"], True),
    ],
)
def test_tables_agree_by_column(run: Any, rows: list[str], right: bool) -> None:
    files = {"r.docx": docx("| Region | 2024 | 2025 |", *rows), "b.xlsx": BOOK}
    result = run("agree.table", files, at="r.docx", origin="b.xlsx#sheet[D]/cell[A1:C4]")
    assert (result.outcome is Outcome.PASSED) is right, result


@pytest.mark.parametrize(("cell", "right"), [("North 100", True), ("South 100", False), ("North 101", False)])
def test_cells_with_words_and_figures_agree_in_both(run: Any, cell: str, right: bool) -> None:
    files = {"r.docx": docx("| a | b |", f"| x | {cell} |"), "b.docx": docx("| a | b |", "| x | North 100 |")}
    assert (run("agree.table", files, at="r.docx", origin="b.docx").outcome is Outcome.PASSED) is right


@pytest.mark.parametrize(
    ("text", "given", "right"),
    [
        ("There are not 122 people.", {}, False),
        ("There are 122 people.", {}, True),
        ("Headcount might be 122.", {"label": "Headcount"}, False),
        ("Headcount rose from 110 to 122.", {"label": "Headcount"}, True),
        ("Headcount fell from 122 to 110.", {"label": "Headcount"}, False),
    ],
)
def test_figures_that_are_denied_doubted_or_left_behind_do_not_agree(run: Any, text: str, given: dict[str, Any], right: bool) -> None:
    files = {"r.docx": docx(text), "b.xlsx": workbook({"D": {"A1": 122}})}
    assert (run("report.value_agrees", files, at="r.docx", origin="b.xlsx#sheet[D]/cell[A1]", **given).outcome is Outcome.PASSED) is right


@pytest.mark.parametrize(("text", "right"), [("due 3 March 2026", True), ("due 2026-03-03", True), ("due 4 March 2026", False)])
def test_a_date_is_the_same_text_however_it_is_written(run: Any, text: str, right: bool) -> None:
    assert (run("agree.text", {"r.docx": docx(text), "a.xlsx": CELLS}, at="r.docx", origin="a.xlsx#sheet[Data]/cell[B5]").outcome is Outcome.PASSED) is right


@pytest.mark.parametrize(
    ("texts", "right"),
    [
        (["# Benefits", "## Dental care", "### Waiting period", "It is 90 days."], True),
        (["- Benefits", "- Dental care", "- Waiting period", "It is 90 days."], False),
        (["| Benefits | 1 |", "| Dental care | 2 |", "| Waiting period | 3 |"], True),
        (["# Contents", "Benefits", "Dental care", "Waiting period", "# Benefits", "We pay a lot to you.", "# Dental care", "We pay all of it.", "# Waiting period", "It is long."], True),
        (["# Contents", "Benefits", "Dental care", "Waiting period", "# Other", "We pay a lot to you."], False),
        (["Please describe Benefits, Dental care and the Waiting period."], False),
    ],
)
def test_words_listed_line_by_line_are_not_said(run: Any, texts: list[str], right: bool) -> None:
    result = run("anchor.all_of", {"a.docx": docx(*texts)}, at="a.docx", texts=["Benefits", "Dental care", "Waiting period"])
    assert (result.outcome is Outcome.PASSED) is right, result


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("See section 4.2, Table 3 and pages 7 and 8.", True), ("Leith has 80 people [1, 2].", True), ("ISO 9001 and IFRS 17 apply.", True), ("Page 5 of 9", True), ("Leith has 81 people.", False),
        ("It is 0.656 of all.", True), ("Tables 3 were sold 81 times.", False),
    ],
)  # fmt: skip
def test_references_are_no_figures(run: Any, text: str, right: bool) -> None:
    book = workbook({"D": {"A1": 80, "B1": Styled(0.656, "0.0%")}})
    assert (run("report.no_unsupported_numbers", {"r.docx": docx(text), "b.xlsx": book}, at="r.docx", sources=["b.xlsx"]).outcome is Outcome.PASSED) is right


@pytest.mark.parametrize(
    ("text", "right"), [("Sum: 80 [1, 2].", True), ("Sum: 80 [1-2].", True), ("Sum: 81 [1].", False), ("Sum: 80 [1, 7].", False), ("Sum: 80.", False)]
)
def test_citations_may_share_a_bracket(run: Any, text: str, right: bool) -> None:
    files = {"r.docx": docx(text), "b.xlsx": workbook({"D": {"A1": 80}})}
    assert (run("report.cites", files, at="r.docx", sources={"[1]": "b.xlsx", "[2]": "b.xlsx"}).outcome is Outcome.PASSED) is right


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        ("Bolt GmbH", True), ("Acme Ltd", False), ("\u0410cme Ltd", False), ("Ac\u200bme Ltd", False), ("\U0001d400\U0001d41c\U0001d426\U0001d41e Ltd", False), ("\uff21cme Ltd", False),
        ("\u0410\u0421\u041c\u0415 \u0438 \u041c\u043e\u0441\u043a\u0432\u0430", True),
    ],
)  # fmt: skip
def test_absent_sees_imitations(run: Any, text: str, gone: bool) -> None:
    assert (run("anchor.absent", {"a.docx": docx(text)}, at="a.docx", text="Acme Ltd").outcome is Outcome.PASSED) is gone


@pytest.mark.parametrize(("text", "phrase"), [("caf\u00e9", "cafe"), ("STRASSE", "stra\u00dfe"), ("risk  free", "risk-free"), ("\u03bf\u03b4\u03cc\u03c2", "\u039f\u0394\u039f\u03a3"), ("guarante\u0435d", "guaranteed")])
def test_bans_see_through_case_accents_and_letters(run: Any, text: str, phrase: str) -> None:
    assert codes(run("report.forbids", {"a.docx": docx(f"It is {text} here.")}, at="a.docx", phrases=[phrase])) == [FindingCode.UNEXPECTED]


def test_findings_on_a_page_name_the_line(run: Any) -> None:
    reportlab = pytest.importorskip("reportlab.pdfgen.canvas")
    import io

    stream = io.BytesIO()
    canvas = reportlab.Canvas(stream)
    for number, line in enumerate(["One line", "Acme", "Ltd delivers", "guar-", "anteed returns"]):
        canvas.drawString(72, 700 - 60 * number, line)
    canvas.save()
    (found,) = run("anchor.absent", {"a.pdf": stream.getvalue()}, at="a.pdf", text="Ltd").findings
    assert found.address == "a.pdf#page[1]/text[3]"
    (found,) = run("report.forbids", {"a.pdf": stream.getvalue()}, at="a.pdf", phrases=["guaranteed"]).findings
    assert found.code is FindingCode.UNEXPECTED


def test_numbers_of_a_page_that_stand_side_by_side_are_several(run: Any) -> None:
    reportlab = pytest.importorskip("reportlab.pdfgen.canvas")
    import io

    stream = io.BytesIO()
    canvas = reportlab.Canvas(stream)
    for row, cells in enumerate([("Region", "2024", "2025"), ("North", "100", "250"), ("South", "300", "412")]):
        for column, text in enumerate(cells):
            canvas.drawString(72 + 120 * column, 700 - 16 * row, text)
    canvas.save()
    files = {"a.pdf": stream.getvalue()}
    for number in ("100", "250", "300", "412"):
        assert codes(run("anchor.contains", files, at="a.pdf", text=number)) == []
        assert codes(run("anchor.quantity", files, at="a.pdf", value=number)) == []
    assert codes(run("anchor.quantity", files, at="a.pdf", value="100,250")) == [FindingCode.MISSING]


def test_a_place_read_in_the_source_is_named_by_its_own_artifact(run: Any) -> None:
    result = run("report.value_agrees", {"r.docx": docx("5"), "b.docx": docx("Sum: 7")}, at="r.docx", origin="b.docx", source_label="Sum")
    assert codes(result) == [FindingCode.MISSING]
    assert "b.docx#" in str(result.findings[0].expected)


def test_who_saved_a_file_last_is_stored_text(run: Any) -> None:
    import io

    import openpyxl

    book, stream = openpyxl.Workbook(), io.BytesIO()
    book.properties.lastModifiedBy = "Ada Acme"
    book.save(stream)
    (found,) = run("anchor.absent", {"a.xlsx": stream.getvalue()}, at="a.xlsx", text="Ada Acme").findings
    assert (found.code, found.address) == (FindingCode.UNEXPECTED, "a.xlsx#property[lastModifiedBy]")


def test_a_colour_that_is_none_is_no_error(run: Any) -> None:
    import io
    import zipfile

    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(workbook({"D": {"A1": Styled("x", font='<color rgb="FFFF0000"/>')}}))) as old, zipfile.ZipFile(stream, "w") as new:
        for name in old.namelist():
            new.writestr(name, old.read(name).replace(b"FFFF0000", b"FFZZZZZZ"))
    assert codes(run("anchor.contains", {"a.xlsx": stream.getvalue()}, at="a.xlsx", text="x")) == []


@pytest.mark.parametrize("cell", [Styled(122, ";;;"), Styled("=B2+B3", ";;;"), Styled(122, font='<color rgb="FFFFFFFF"/>'), 122])
@pytest.mark.parametrize(("figure", "right"), [("122", True), ("112", False)])
def test_the_figure_of_a_source_holds_whether_or_not_it_is_seen_there(tmp_path: Path, cell: object, figure: str, right: bool) -> None:
    sources = {"b.xlsx": workbook({"Staff": {"B2": 80, "B3": 42, "B4": cell}})}
    given = {"at": "r.docx", "origin": "b.xlsx#sheet[Staff]/cell[B4]"}
    result = run_predicate(predicate_named("report.value_agrees"), given, {"r.docx": docx(f"There are {figure} people.")}, sources, tmp_path)
    assert (result.outcome is Outcome.PASSED) is right
    # In an output, what nobody sees is no figure.
    seen = run_predicate(predicate_named("report.value_agrees"), given, {"r.docx": docx("122 people"), **sources}, {}, tmp_path / "other")
    assert (seen.outcome is Outcome.PASSED) is (cell == 122)
