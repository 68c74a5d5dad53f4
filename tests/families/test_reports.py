"""Predicates on reports and across documents, where their examples do not show it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from docops.core.codes import FindingCode, Outcome
from docops.core.verdict import CriterionResult
from docops.families.cells import number_quantity
from docops.families.statements import grid_place, row_key
from docops.families.tongues import language_share
from docops.formats.docx.samples import docx
from docops.formats.xlsx.samples import Styled, workbook
from docops.registry import predicate_named
from tests.support.examples import run_predicate

BOOK = workbook(
    {
        "Data": {
            "A1": "Site", "B1": "People", "C1": "Share", "A2": "Leith", "B2": 80, "C2": Styled(0.656, "0.0%"), "A3": "Porto", "B3": 42, "C3": Styled(0.344, "0.0%"),
            "A4": "Total", "B4": "=B2+B3", "D1": Styled(46084, "yyyy\\-mm\\-dd"),
        }
    }
)  # fmt: skip


@pytest.fixture
def run(tmp_path: Path) -> Any:
    def call(name: str, files: Mapping[str, bytes], before: Mapping[str, bytes] | None = None, /, **given: Any) -> CriterionResult:
        return run_predicate(predicate_named(name), {"at": "a.docx", **given}, files, before or {}, tmp_path)

    return call


def codes(result: CriterionResult) -> list[str]:
    return [str(finding.code) for finding in result.findings]


@pytest.mark.parametrize(
    ("text", "cell", "given", "right"),
    [
        ("There are 122 people.", "B4", {}, True),
        ("There are one hundred and twenty-two people.", "B4", {}, True),
        ("There are 1,220 people.", "B4", {}, False),
        ("Leith has 65.6 %.", "C2", {}, True),
        ("Leith has 66 %.", "C2", {}, False),
        ("Leith has 66 %.", "C2", {"rounded": True}, True),
        ("Leith has 67 %.", "C2", {"rounded": True}, False),
        ("Leith has 0.656.", "C2", {}, False),
        ("There are 0.122 thousand.", "B4", {}, True),
        ("There are 122 thousand.", "B4", {"factor": 1000.0}, True),
        ("On 3 March 2026.", "D1", {}, True),
        ("On 4 March 2026.", "D1", {}, False),
    ],
)
def test_value_agrees_with_a_cell(run: Any, text: str, cell: str, given: dict[str, Any], right: bool) -> None:
    result = run("report.value_agrees", {"a.docx": docx(text), "b.xlsx": BOOK}, origin=f"b.xlsx#sheet[Data]/cell[{cell}]", **given)
    assert (result.outcome is Outcome.PASSED) is right, result
    if right:
        assert any(item.address == f"b.xlsx#sheet[Data]/cell[{cell}]" for item in result.evidence)


def test_the_source_of_an_artifact_is_looked_at_before_its_output(run: Any) -> None:
    files = {"a.docx": docx("Sum: 5"), "b.docx": docx("Sum: 7")}
    given: dict[str, Any] = {"origin": "b.docx", "source_label": "Sum", "label": "Sum"}
    assert codes(run("report.value_agrees", files, {"b.docx": docx("Sum: 5")}, **given)) == []
    assert codes(run("report.value_agrees", files, {"b.docx": docx("Sum: 5")}, side="output", **given)) == [FindingCode.MISMATCH]


def test_a_source_with_several_figures_needs_a_label(run: Any) -> None:
    result = run("report.value_agrees", {"a.docx": docx("Sum: 5"), "b.docx": docx("Sum: 5; tax: 2")}, origin="b.docx")
    assert codes(result) == [FindingCode.WRONG_COUNT]


def test_an_origin_that_is_gone_fails_the_criterion(run: Any) -> None:
    files = {"a.docx": docx("Sum: 5", "| a | 1 |"), "b.xlsx": BOOK}
    gone = {"origin": "b.xlsx#sheet[Gone]/cell[A1]"}
    assert codes(run("report.value_agrees", files, **gone)) == [FindingCode.MISSING]
    assert codes(run("agree.table", files, **gone)) == [FindingCode.MISSING]
    assert codes(run("agree.text", files, **gone)) == [FindingCode.MISSING]
    assert codes(run("report.no_unsupported_numbers", files, sources=["b.xlsx#sheet[Gone]"])) != []


def test_a_breach_counts_where_another_mention_is_unsure(run: Any) -> None:
    texts = ("It is guaranteed.", "It is not true that nothing is guaranteed.")
    for order in (texts, texts[::-1]):
        assert run("report.forbids", {"a.docx": docx(*order)}, phrases=["guaranteed"]).outcome is Outcome.FAILED


@pytest.mark.parametrize(
    ("text", "given", "right"),
    [
        ("1. Leith has 80 people", {}, True),
        ("Leith has 80 people, the third largest, two sites", {}, True),
        ("Leith has 81 people", {}, False),
        ("Both have 122", {}, True),
        ("Leith has 38 more", {}, False),
        ("Leith has 38 less", {"computed": True}, True),
        ("It has 12 rooms", {}, False),
        ("It has 12 rooms", {"small": 12}, True),
        ("It has 12 rooms", {"allow": ["12"]}, True),
        ("In room H-2025-17", {}, True),
        ("The share is 66 %", {}, True),
        ("The share is 66 %", {"rounded": False}, False),
        ("EUR 80 million", {}, False),
        ("since 2026", {}, True),
        ("since 2025", {}, False),
    ],
)
def test_no_unsupported_numbers(run: Any, text: str, given: dict[str, Any], right: bool) -> None:
    result = run("report.no_unsupported_numbers", {"a.docx": docx(text), "b.xlsx": BOOK}, sources=["b.xlsx#sheet[Data]"], **given)
    assert (result.outcome is Outcome.PASSED) is right, result


@pytest.mark.parametrize(
    ("text", "given", "right"),
    [
        ("It is 80 [1].", {}, True),
        ("It is 80. [1]", {}, True),
        ("It is 80. It is 42 [1].", {}, False),
        ("It is 80 and 42 [1].", {}, True),
        ("It is 80 and 42 [1].", {"each": True}, False),
        ("It is 80 [1] and 42 [1].", {"each": True}, True),
        ("It is 81 [1].", {}, False),
        ("It is so [9].", {}, False),
        ("It is so.", {}, True),
        ("Studies show so.", {"claim": "(?i)studies"}, False),
        ("Studies show so [1].", {"claim": "(?i)studies"}, True),
    ],
)
def test_cites(run: Any, text: str, given: dict[str, Any], right: bool) -> None:
    result = run("report.cites", {"a.docx": docx(text), "b.xlsx": BOOK}, sources={"[1]": "b.xlsx#sheet[Data]"}, **given)
    assert (result.outcome is Outcome.PASSED) is right, result


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("It is guaranteed.", Outcome.FAILED),
        ("It might be guaranteed.", Outcome.FAILED),
        ("It is guаranteed.", Outcome.FAILED),
        ("It is GUARANTEED.", Outcome.FAILED),
        ("It is not guaranteed.", Outcome.PASSED),
        ("It is unguaranteed.", Outcome.PASSED),
        ("It is not true that nothing is guaranteed.", Outcome.NOT_APPLICABLE),
        ("The guaranteed rate applies.", Outcome.PASSED),
    ],
)
def test_forbids(run: Any, text: str, outcome: Outcome) -> None:
    assert run("report.forbids", {"a.docx": docx(text)}, phrases=["guaranteed"], exceptions=["guaranteed rate"]).outcome is outcome


def test_rows_of_a_copied_table(run: Any) -> None:
    def compare(*rows: str, **given: Any) -> list[str]:
        return codes(run("agree.table", {"a.docx": docx(*rows), "b.xlsx": BOOK}, origin="b.xlsx#sheet[Data]/cell[A1:C3]", **given))

    header, leith, porto = "| Site | People | Share |", "| Leith | 80 | 65.6 % |", "| Porto | 42 | 34 % |"
    assert compare(header, leith, porto) == []
    assert compare(header, leith, porto, rounded=False) == [FindingCode.MISMATCH]
    assert compare(header, porto, leith) == [FindingCode.UNEXPECTED, FindingCode.WRONG_ORDER]
    assert compare(header, leith, porto, "| Bergen | 1 | 1 % |") == [FindingCode.UNEXPECTED]
    assert compare(header, leith, porto, "| Bergen | 1 | 1 % |", extra_rows=True) == []
    assert compare(header, "| Leith | 80 | 56.6 % |", porto) == [FindingCode.MISMATCH]


def test_cell_of_a_number_has_the_unit_of_its_format() -> None:
    assert number_quantity(0.5, "0%").low == 50
    assert number_quantity(0.5, "0%").unit == "%"
    assert number_quantity(5, '#,##0 "EUR"').unit == "EUR"
    assert number_quantity(5, "[$€-407] #,##0.00").unit == "EUR"
    assert number_quantity(5, "[Red]0").unit == ""


def test_places_of_cells() -> None:
    assert grid_place("sheet[Data]/cell[AB12]") == ("sheet[Data]", 12, 28)
    assert grid_place("body/table[2]/row[3]/cell[1]/paragraph[1]") == ("body/table[2]", 3, 1)
    assert grid_place("body/paragraph[1]") is None
    assert row_key("sheet[Data]/cell[B3]") == row_key("sheet[Data]/cell[C3]") != row_key("sheet[Data]/cell[C4]")


@pytest.mark.parametrize(
    ("text", "language", "right"),
    [
        ("Die Versicherung zahlt und der Beitrag ist nicht hoch, wenn er mit der Bank ist", "de", True),
        ("Le contrat est pour les personnes qui sont dans le pays", "fr", True),
        ("本合同的等待期为九十天，自生效日起计算", "zh-Hans", True),
        ("本合同的等待期為九十天，自生效日起計算", "zh-Hans", False),
        ("本合同的等待期為九十天，自生效日起計算", "zh-Hant", True),
        ("待機期間は九十日です。保険金は支払われます。", "ja", True),
        ("تبدأ فترة الانتظار من تاريخ العقد وتنتهي", "ar", True),
        ("תקופת ההמתנה מתחילה מיום החוזה ונמשכת", "he", True),
        ("The contract is for the persons that are in the country", "fr", False),
    ],
)
def test_language(text: str, language: str, right: bool) -> None:
    found = language_share(text, language)
    assert found is not None
    assert (found[0] >= 0.8) is right, found


def test_language_of_a_short_or_unknown_text_cannot_be_told() -> None:
    assert language_share("Hi", "en") is None
    assert language_share("The contract is for the persons that are in it", "eo") is None
