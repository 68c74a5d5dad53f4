from __future__ import annotations

from typing import Any

import pytest

from docops.core.address import parse_address
from docops.core.codes import FindingCode
from docops.core.predicate import Example, Predicate
from docops.formats.xlsx.predicates import PREDICATES
from docops.formats.xlsx.predicates.formulas import formula
from docops.formats.xlsx.predicates.look import meaning, number_format
from docops.formats.xlsx.predicates.values import cell, no_errors
from docops.formats.xlsx.samples import SheetSpec, Styled, workbook
from tests.formats.xlsx.books import pack, parts
from tests.formats.xlsx.context import MemoryContext, findings

EXAMPLES = [(predicate, example) for predicate in PREDICATES for example in predicate.examples]


@pytest.mark.parametrize(("predicate", "example"), EXAMPLES, ids=[f"{p.name}: {e.title}" for p, e in EXAMPLES])
def test_examples(predicate: Predicate, example: Example) -> None:
    files = example.files()
    found = findings(predicate, files, **example.params)
    codes = {finding.code for finding in found}
    if isinstance(example.passes, FindingCode):
        assert example.passes in codes
    else:
        assert (not found) is example.passes, found
    context = MemoryContext(files)
    for finding in found:
        assert finding.message
        if finding.code is not FindingCode.MISSING:
            address = parse_address(finding.address, artifacts=tuple(files))
            assert context.documents[address.artifact or "book.xlsx"].find(address), finding.address


def test_every_predicate_has_a_right_and_a_wrong_example() -> None:
    for predicate in PREDICATES:
        assert any(example.passes is True for example in predicate.examples), predicate.name
        assert any(example.passes is not True for example in predicate.examples), predicate.name
        assert predicate.doc, predicate.name


AMOUNTS = [1250.5, 980.25, 4310, 2120, 615.6, 5120.2, 1890.4, 2210, 3300.75, 1440.8, 2200.5, 1056]
REGIONS = ["North", "South", "North", "East", "South", "West", "East", "North", "West", "South", "East", "North"]
TOTAL = sum(AMOUNTS)


def book(cell_formula: object) -> dict[str, bytes]:
    data: dict[str, object] = {"A1": "Region", "C1": "Amount", "D1": "Date"}
    for row, (region, amount) in enumerate(zip(REGIONS, AMOUNTS), 2):
        data |= {f"A{row}": region, f"C{row}": amount, f"D{row}": 45300 + row * 9, f"E{row}": "open" if row % 4 else "done"}
    summary: dict[str, object] = {"B6": cell_formula, "Z1": 26495}
    return {"b.xlsx": workbook({"S": summary, "Data": data}, names={"Hidden": "26495"})}


def check(cell_formula: object, equals: Any, *depends: str) -> set[FindingCode]:
    params: dict[str, Any] = {"at": "b.xlsx#sheet[S]/cell[B6]", "tolerance": 0.005, "depends_on": [f"sheet[Data]/cell[{area}]" for area in depends]}
    if equals is not None:
        params["equals"] = equals
    return {finding.code for finding in findings(formula, book(cell_formula), **params)}


@pytest.mark.parametrize(
    ("text", "equals", "depends"),
    [
        ("=SUM(Data!C2:C13)", TOTAL, ["C2:C13"]),
        ("=SUM(Data!C:C)", TOTAL, ["C2:C13"]),
        ("=SUBTOTAL(9,Data!C2:C13)", TOTAL, ["C2:C13"]),
        ("=SUM(OFFSET(Data!C1,1,0,12,1))", TOTAL, ["C2:C13"]),
        ('=SUM(INDIRECT("Data!C2:C13"))', TOTAL, ["C2:C13"]),
        ('=SUMIF(Data!A2:A13,"North",Data!C2:C13)', 8826.5, ["A2:A13", "C2:C13"]),
        ('=SUMIFS(Data!C2:C13,Data!A2:A13,"Nowhere")', 0, ["A2:A13", "C2:C13"]),
        ('=COUNTIF(Data!E2:E13,"late")', 0, ["E2:E13"]),
        ("=COUNTA(Data!A2:A13)", 12, ["A2:A13"]),
        ("=ROWS(Data!A2:A13)", 12, ["A2:A13"]),
        ('=IFERROR(VLOOKUP("Nope",Data!A2:C13,3,FALSE),0)', 0, ["A2:C13"]),
        ('=IF(SUM(Data!C2:C13)>20000,"over","under")', "over", ["C2:C13"]),
        ("=IF(SUM(Data!C2:C13)>1000,500,0)", 500, ["C2:C13"]),
        ("=INDEX(Data!A2:A13,MATCH(MAX(Data!C2:C13),Data!C2:C13,0))", "West", ["A2:A13", "C2:C13"]),
        ('="Total: "&TEXT(SUM(Data!C2:C13),"#,##0.00")', "Total: 26,495.00", ["C2:C13"]),
        ("=_xlfn.LET(_xlpm.t,SUM(Data!C2:C13),_xlpm.t)", TOTAL, ["C2:C13"]),
        ("=AGGREGATE(9,6,Data!C2:C13)", TOTAL, ["C2:C13"]),
    ],
)
def test_live_formulas_pass(text: str, equals: Any, depends: list[str]) -> None:
    assert check(text, equals, *depends) == set()


@pytest.mark.parametrize(
    "text",
    [
        26495,
        "26495",
        "=26495",
        "=20000+6495",
        "=26495+0*SUM(Data!C2:C13)",
        "=IF(FALSE,SUM(Data!C2:C13),26495)",
        "=IFERROR(26495,SUM(Data!C2:C13))",
        "=CHOOSE(2,SUM(Data!C2:C13),26495)",
        "=26495+SUM(Data!C2:C13)-SUM(Data!C2:C13)",
        "=26495+SUM(Data!C2:C13)*1E-12",
        "=IF(COUNT(Data!C2:C13)>0,26495,0)",
        "=IF(SUM(Data!C2:C13)<>0,26495,0)",
        "=IF(SUM(Data!C2:C13)>0,26495,0)",
        '=26495+N("x")*SUM(Data!C2:C13)',
        "=26495+ROWS(Data!C2:C13)*0",
        "=Z1+0*SUM(Data!C2:C13)",
        "=Hidden+0*SUM(Data!C2:C13)",
        '=VALUE("26495")+0*SUM(Data!C2:C13)',
        "=MAX(26495,0*SUM(Data!C2:C13))",
    ],
)
def test_typed_in_values_in_disguise_are_refused(text: object) -> None:
    assert FindingCode.STATIC_VALUE in check(text, TOTAL, "C2:C13")


def test_missing_precedents_are_named() -> None:
    found = findings(formula, book("=SUM(Data!C2:C12)+Data!C13*0+Z1"), at="b.xlsx#sheet[S]/cell[B6]", depends_on=["sheet[Data]/cell[A2:C13]"])
    assert [finding.code for finding in found] == [FindingCode.WRONG_PRECEDENTS]
    assert "Data!A2:B13" in found[0].message
    assert found[0].address == "b.xlsx#sheet[S]/cell[B6]"


def test_without_an_expected_value_a_volatile_formula_may_pass() -> None:
    assert check("=SUM(Data!C2:C13)+NOW()*0", None, "C2:C13") == set()
    assert check("=SUM(Data!C2:C13)+NOW()*0", TOTAL, "C2:C13") == {FindingCode.UNSUPPORTED}


@pytest.mark.parametrize(
    ("value", "expected", "passes"),
    [
        (10, 10, True),
        (10, 10.0, True),
        ("10", 10, False),
        (10, "10", False),
        (True, True, True),
        (True, 1, False),
        (1, True, False),
        ("TRUE", True, False),
        (None, "", True),
        (0, "", False),
        ("", "", True),
        (" x", "x", False),
        ("=0.1+0.2", 0.3, True),
        ("=1/3", 0.3333, False),
        ("#N/A", "#N/A", True),
        (Styled(45319, "yyyy-mm-dd"), "2024-01-28", True),
        (Styled(45319.5, "yyyy-mm-dd hh:mm"), "2024-01-28T12:00:00", True),
        (Styled(45319, "yyyy-mm-dd"), 45319, False),
        (45319, "2024-01-28", False),
        (Styled(0.19, "0%"), 0.19, True),
    ],
)
def test_values_as_a_reader_sees_them(value: object, expected: Any, passes: bool) -> None:
    assert (not findings(cell, {"b.xlsx": workbook({"S": {"A1": value}})}, at="b.xlsx#sheet[S]/cell[A1]", equals=expected)) is passes


def test_what_a_merged_range_covers_is_not_seen() -> None:
    files = {"b.xlsx": workbook({"S": SheetSpec({"A1": "Title", "B1": "under"}, merged=("A1:B1",))})}
    assert not findings(cell, files, at="b.xlsx#sheet[S]/cell[B1]", equals="")
    assert not findings(cell, files, at="b.xlsx#sheet[S]/cell[A1]", equals="Title")


def test_a_cell_that_a_formula_fills_is_seen() -> None:
    files = {"b.xlsx": workbook({"S": {"A1": 3, "A2": 1, "C1": "=_xlfn._xlws.SORT(A1:A2)"}})}
    assert not findings(cell, files, at="b.xlsx#sheet[S]/cell[C1:C2]", equals=[1, 3])


def test_a_sheet_that_is_not_there_is_named_with_those_that_are() -> None:
    [found] = findings(cell, {"b.xlsx": workbook({"S": {"A1": 1}})}, at="b.xlsx#sheet[Summary]/cell[A1]", equals=1)
    assert (found.code, found.observed) == (FindingCode.MISSING, ["S"])


def test_errors_are_found_where_they_arise_and_where_they_spread() -> None:
    files = {"b.xlsx": workbook({"S": {"A1": "=1/0", "A2": "=A1+1", "A3": '=IFERROR(A2,"")', "A4": "#N/A"}})}
    found = findings(no_errors, files, at="b.xlsx")
    assert [(finding.address, finding.observed) for finding in found] == [
        ("b.xlsx#sheet[S]/cell[A1]", "#DIV/0!"),
        ("b.xlsx#sheet[S]/cell[A2]", "#DIV/0!"),
        ("b.xlsx#sheet[S]/cell[A4]", "#N/A"),
    ]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("yyyy\\-mm\\-dd;@", "yyyy-mm-dd"),
        ("YYYY-MM-DD", "yyyy-mm-dd"),
        ("#,##0.00;-#,##0.00", "#,##0.00"),
        ("[$€-407] #,##0.00", '"€" #,##0.00'),
        ("[$-409]d-mmm-yy", "d-mmm-yy"),
        ("general", "General"),
        ('"$"#,##0', "$#,##0"),
        ("#,##0 ;(#,##0)", "#,##0_);(#,##0)"),
        ("mm-dd-yy", "m/d/yyyy"),
    ],
)
def test_format_codes_that_show_the_same(one: str, other: str) -> None:
    assert meaning(one) == meaning(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("0.00", "0.0"), ("#,##0", "0"), ("0.00", "0.00%"), ("yyyy-mm-dd", "dd-mm-yyyy"), ("0;(0)", "0"), ("[Red]0", "0"), ('0"x"', "0")],
)
def test_format_codes_that_show_something_else(one: str, other: str) -> None:
    assert meaning(one) != meaning(other)


def test_a_format_is_found_in_cells_that_are_not_stored() -> None:
    files = {"b.xlsx": workbook({"S": {"A1": Styled(1, "0.00")}})}
    assert not findings(number_format, files, at="b.xlsx#sheet[S]/cell[A1]", code="0.00")
    assert [f.observed for f in findings(number_format, files, at="b.xlsx#sheet[S]/cell[Z9]", code="0.00")] == ["General"]


@pytest.mark.parametrize(
    "disguised",
    [
        f"=IF(COUNT(Data!C2:C13)>3,{TOTAL},SUM(Data!C2:C13))",
        f"=IF(SUM(Data!C2:C13)>0,{TOTAL},SUM(Data!C2:C13))",
        f"=MIN({TOTAL},2*SUM(Data!C2:C13))",
        f"=MAX({TOTAL},SUM(Data!C2:C13)/2)",
        f"={TOTAL}+MOD(ROUND(SUM(Data!C2:C13),0),0.5)",
        f"=SUM({TOTAL}-1000,600,400)*(SUM(Data!C2:C13)>0)",
        f"=COUNT(Data!C2:C13)*2000+({TOTAL}-24000)",
    ],
)
def test_a_typed_in_result_that_comes_out_unless_the_cells_are_odd_is_refused(disguised: str) -> None:
    assert FindingCode.STATIC_VALUE in check(disguised, TOTAL, "C2:C13")


def test_a_limit_that_a_person_would_set_is_no_typed_in_result() -> None:
    assert not check("=MIN(20000,SUM(Data!C2:C13))", 20000, "C2:C13")


def test_what_a_typed_in_value_should_have_been_is_a_formula() -> None:
    context = book(TOTAL)
    [finding] = findings(formula, context, at="b.xlsx#sheet[S]/cell[B6]", equals=TOTAL, tolerance=0.01)
    assert str(finding.expected).startswith("a formula that gives ")


@pytest.mark.parametrize(("setting", "circular", "decided"), [("iterate", False, True), ("iterate", True, False), ("fullPrecision", False, True)])
def test_calculation_settings_matter_where_they_change_results(setting: str, circular: bool, decided: bool) -> None:
    data = book("=SUM(Data!C2:C13)+S!B7" if circular else "=SUM(Data!C2:C13)")["b.xlsx"]
    members = parts(data)
    value = "1" if setting == "iterate" else "0"
    members["xl/workbook.xml"] = members["xl/workbook.xml"].replace(b"</workbook>", f'<calcPr {setting}="{value}"/></workbook>'.encode())
    if circular:
        sheet = next(name for name in sorted(members) if name.startswith("xl/worksheets/sheet1"))
        members[sheet] = members[sheet].replace(b"</sheetData>", b'<row r="7"><c r="B7"><f>B6*0</f></c></row></sheetData>')
    found = findings(formula, {"b.xlsx": pack(members)}, at="b.xlsx#sheet[S]/cell[B6]", equals=TOTAL, tolerance=0.01, depends_on=["sheet[Data]/cell[C2:C13]"])
    assert [finding.code for finding in found] == ([] if decided else [FindingCode.UNSUPPORTED])


@pytest.mark.parametrize(("at", "wanted", "fits"), [("B2:B9", "$C2>5", True), ("B4:B9", "$C4>5", True), ("B4:B9", "$C2>5", True), ("B4:B9", "$C5>5", False)])
def test_a_rule_reads_the_same_from_any_first_cell(at: str, wanted: str, fits: bool) -> None:
    from docops.formats.xlsx.predicates.ranges import conditional_format, validation

    rules = (
        '<conditionalFormatting sqref="B2:B9"><cfRule type="expression" priority="1"><formula>$C2&gt;5</formula></cfRule></conditionalFormatting>'
        '<dataValidations count="1"><dataValidation type="custom" sqref="B2:B9"><formula1>$C2&gt;5</formula1></dataValidation></dataValidations>'
    )
    files = {"b.xlsx": workbook({"S": SheetSpec({"B2": 1}, after_data=rules)})}
    place = f"b.xlsx#sheet[S]/cell[{at}]"
    assert (not findings(conditional_format, files, at=place, formula=wanted)) is fits
    assert (not findings(validation, files, at=place, formula1=wanted)) is fits
