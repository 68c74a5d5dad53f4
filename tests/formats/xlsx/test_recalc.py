from __future__ import annotations

from typing import Any

import pytest

from docops.core.errors import EngineUnavailable
from docops.formats.ooxml.package import open_package
from docops.formats.xlsx.model import Workbook
from docops.formats.xlsx.recalc import CellError, CellValue, ConeLimits, Outcome, Place, Recalculator, Result, Source, iron, same_value
from docops.formats.xlsx.recalc.functions import EXCEL_FUNCTIONS, TRUSTED
from docops.formats.xlsx.references import parse_cell
from docops.formats.xlsx.samples import SheetSpec, Styled, TableSpec, workbook
from tests.formats.xlsx.golden import GOLDEN, golden_workbook
from tests.formats.xlsx.golden_arrays import ARRAYS
from tests.formats.xlsx.precedents import precedents

CASES = [*GOLDEN, *ARRAYS]
#: Where no answer is given, honestly.
OPEN = {
    '1/3&""',
    "DATE(1900,2,29)",
    "DATE(1900,1,1)",
    'TEXT(1e6,"#,##0,K")',
    'DATEVALUE("January 15, 2024")',
    "SECOND(0.123456)",
}


@pytest.fixture(scope="module")
def calculator() -> Recalculator:
    return Recalculator(Source(Workbook(open_package(golden_workbook()))))


@pytest.mark.parametrize(("number", "formula", "expected"), [(n, f, e) for n, (f, e) in enumerate(CASES)])
def test_golden(calculator: Recalculator, number: int, formula: str, expected: CellValue) -> None:
    place = Place(0, 1 + 60 * number, 1)
    result = calculator.results([place])[place]
    if formula in OPEN:
        assert result.outcome in (Outcome.UNSUPPORTED, Outcome.INCONCLUSIVE)
        assert result.reason
    else:
        assert result.outcome is Outcome.COMPUTED, result.reason
        assert same_value(result.value, expected), result.value


def test_every_trusted_function_was_measured() -> None:
    measured = {name for formula, _ in GOLDEN for name in precedents(formula).functions}
    assert measured & EXCEL_FUNCTIONS >= TRUSTED


def calculate(cell: str, sheets: dict[str, dict[str, object] | SheetSpec], limits: ConeLimits | None = None, **options: Any) -> Result:
    """The result of a cell of the first sheet."""
    book = Workbook(open_package(workbook(sheets, **options)))
    place = Place(0, *parse_cell(cell))
    calculator = Recalculator(Source(book), limits) if limits is not None else Recalculator(Source(book))
    return calculator.results([place])[place]


def test_stored_results_are_not_believed() -> None:
    assert calculate("A2", {"S": {"A1": ("=1+1", 77), "A2": ("=A1*10", 5)}}).value == 20.0


@pytest.mark.parametrize(
    ("formula", "why"),
    [
        ("=NOW()", "another value at every calculation"),
        ("=A1+RAND()", "another value at every calculation"),
        ("=[1]Book!A1", "another workbook"),
        ('=CELL("filename")', "outside"),
        ("=BAHTTEXT(1)", "no engine"),
        ("=" + "(" * 200 + "1" + ")" * 200, "nested"),
        ("=" + "1+" * 5000 + "1", "characters"),
        ("=SHEET()", "layout"),
    ],
)
def test_what_cannot_be_calculated_says_why(formula: str, why: str) -> None:
    result = calculate("B1", {"S": {"A1": 1, "B1": formula}})
    assert result.outcome is Outcome.UNSUPPORTED
    assert why in result.reason


def test_the_reason_follows_to_dependents_with_its_place() -> None:
    result = calculate("A3", {"S": {"A1": "=TODAY()", "A2": "=A1+1", "A3": "=SUM(A1:A2)"}})
    assert result.outcome is Outcome.UNSUPPORTED
    assert "sheet[S]/cell[A1]" in result.reason
    assert calculate("B3", {"S": {"A1": "=TODAY()", "B1": 2, "B3": "=B1*2"}}).value == 4.0


def test_limits_count() -> None:
    cells: dict[str, object] = {f"A{row}": row for row in range(1, 50)}
    cells["B1"] = "=SUM(A1:A49)"
    for limits, what in ((ConeLimits(cells=10), "cells"), (ConeLimits(reads=10), "reads"), (ConeLimits(formulas=0), "formulas")):
        result = calculate("B1", {"S": cells}, limits)
        assert result.outcome is Outcome.UNSUPPORTED
        assert what in result.reason


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        ("=1/0", CellError("#DIV/0!")),
        ("=A1", 0.0),
        ('=""', ""),
        ("=2>1", True),
        ("=B2+1", CellError("#CIRC!")),
    ],
)
def test_kinds_of_results(formula: str, value: CellValue) -> None:
    assert calculate("B2", {"S": {"B2": formula}}).value == value


def test_names_are_resolved_from_where_the_formula_stands() -> None:
    sheets: dict[str, dict[str, object] | SheetSpec] = {"S": {"A1": "=Rate+Half+Left", "B1": "=Left"}, "T": {"A1": "=Rate"}}
    book = Workbook(open_package(workbook(sheets, names={"Rate": "10", "Half": "Rate/2", "Left": "S!XFD1"}, local_names={("S", "Rate"): "20"})))
    results = Recalculator(Source(book)).results([Place(0, 1, 1), Place(1, 1, 1)])
    # `Left` is stored as seen from A1 and wraps round the sheet's edge: from A1 it is itself far to the right and empty.
    assert results[Place(0, 1, 1)].value == 30.0
    assert results[Place(1, 1, 1)].value == 10.0


def test_tables_seen_from_a_row() -> None:
    cells: dict[str, object] = {"A1": "Net", "B1": "Tax", "A2": 100, "B2": "=[@Net]*0.2", "A3": 50, "B3": "=T[[#This Row],[Net]]*0.2"}
    sheets: dict[str, dict[str, object] | SheetSpec] = {"S": SheetSpec(cells, tables=(TableSpec("T", "A1:B3", ("Net", "Tax")),))}
    assert calculate("B2", sheets).value == 20.0
    assert calculate("B3", sheets).value == 10.0


def test_arrays_and_spills_reach_their_neighbours() -> None:
    cells: dict[str, object] = {
        "A1": 3,
        "A2": 1,
        "A3": 2,
        "C1": "=_xlfn._xlws.SORT(A1:A3)",
        "E1": "=SUM(C1:C3)",
        "F1": "=SUM(_xlfn.ANCHORARRAY(C1))",
        "G1": "=C3",
    }
    for cell, value in (("E1", 6.0), ("F1", 6.0), ("G1", 3.0)):
        assert calculate(cell, {"S": cells}).value == value


def test_a_formula_filled_down_takes_the_cell_in_its_row() -> None:
    cells: dict[str, object] = {f"A{row}": row for row in range(1, 5)}
    cells |= {f"B{row}": "=A1:A4*10" for row in range(1, 5)} | {"C1": "=B3", "C2": "=ROUND(A1:A4/3,1)", "C3": "=A1:A4", "C4": '=IF(A1:A4>3,"x","y")'}
    for cell, value in (("C1", 30.0), ("B4", 40.0), ("C2", 0.7), ("C3", 3.0), ("C4", "x")):
        assert calculate(cell, {"S": cells}).value == value


@pytest.mark.parametrize(
    ("formula", "manual", "filtered"),
    [
        ("SUBTOTAL(9,A1:A5)", 31.0, 21.0),
        ("SUBTOTAL(109,A1:A5)", 21.0, 21.0),
        ("SUBTOTAL(102,A1:A5)", 3.0, 3.0),
        ("SUBTOTAL(109,Amounts)", 21.0, 21.0),
        ("SUBTOTAL(109,A4)", 0.0, 0.0),
        ("AGGREGATE(9,5,A1:A5)", 21.0, 21.0),
        ("AGGREGATE(9,7,A1:A5)", 21.0, 21.0),
        ("AGGREGATE(9,4,A1:A5)", 31.0, 31.0),
        ("SUM(A1:A5)", 31.0, 31.0),
        ("AGGREGATE(9,6,A1:A5)", None, None),
        ("AGGREGATE(14,5,A1:A5,1)", None, None),
        ("SUBTOTAL(109,OFFSET(A1,0,0,5,1))", None, None),
    ],
)
def test_subtotals_leave_out_hidden_rows(formula: str, manual: float | None, filtered: float | None) -> None:
    cells: dict[str, object] = {f"A{row}": 2 ** (row - 1) for row in range(1, 6)} | {"C1": f"={formula}"}
    names = {"Amounts": "S!$A$1:$A$5"}
    condition = '<autoFilter ref="A1:A5"><filterColumn colId="0"><filters><filter val="1"/></filters></filterColumn></autoFilter>'
    for after, expected in (("", manual), (condition, filtered)):
        result = calculate("C1", {"S": SheetSpec(cells, hidden_rows=(2, 4), after_data=after)}, names=names)
        assert (result.value if result.outcome is Outcome.COMPUTED else None) == expected


@pytest.mark.parametrize(
    ("formula", "code", "expected"),
    [
        ("10/3", "0.00", 3.33),
        ("10/3", "General", 10 / 3),
        ("2/3", "0.0%", 0.667),
        ("1234567/7", "#,##0,", 176000.0),
        ("A1*3", "General", 0.99),
        ('"x"', "0.0", "x"),
        ("5/3", "# ?/?", None),
    ],
)
def test_precision_as_displayed(formula: str, code: str, expected: CellValue) -> None:
    cells: dict[str, object] = {"A1": Styled(1 / 3, "0.00"), "B1": Styled(f"={formula}", code)}
    result = calculate("B1", {"S": cells}, calculation='fullPrecision="0"')
    assert (result.value if result.outcome is Outcome.COMPUTED else None) == expected


@pytest.mark.parametrize("formula", ["SUM(A1:A2", "SUM(A1:A2))", "SUM(A1;A2)", "A1+", "*A1", "SUM(A1:A2)2", "1,5+A1", '"abc', "R[1]C"])
def test_what_no_program_can_read_shows_an_error(formula: str) -> None:
    assert calculate("B1", {"S": {"A1": 1, "A2": 2, "B1": f"={formula}", "C1": "=B1+1"}}).value == CellError("#NAME?")


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("DATE(2024,1,1)", 43830.0),
        ("YEAR(A1)", 2024.0),
        ("DAY(A1)", 15.0),
        ("WEEKDAY(A1,2)", 1.0),
        ("EDATE(A1,1)", 43875.0),
        ("EOMONTH(DATE(2024,2,1),0)", 43889.0),
        ('TEXT(A1,"yyyy-mm-dd")', "2024-01-15"),
        ('TEXT(A1,"0")', "43844"),
        ('DATEDIF(A1,DATE(2025,1,15),"y")', 1.0),
        ("NETWORKDAYS(A1,A1+6)", 5.0),
        ("WORKDAY(A1,5)", 43851.0),
        ("MONTH(Z9)", 1.0),
        ("1+1", 2.0),
        ("NETWORKDAYS(A1,A1+6,Z1:Z2)", None),
        ('YEAR("2024-01-15")', None),
    ],
)
def test_dates_of_1904_workbooks(formula: str, expected: CellValue) -> None:
    result = calculate("B1", {"S": {"A1": 43844, "B1": f"={formula}"}}, properties='date1904="1"')
    assert (result.value if result.outcome is Outcome.COMPUTED else None) == expected


def test_iterative_workbooks_are_left_open() -> None:
    assert calculate("A1", {"S": {"A1": "=B1+1", "B1": "=A1/2"}}, calculation='iterate="1"').outcome is Outcome.UNSUPPORTED
    assert calculate("A1", {"S": {"A1": "=B1+1", "B1": "=C1/2", "C1": 2}}, calculation='iterate="1"').value == 2


def test_functions_of_macros_are_left_open_elsewhere_they_are_errors() -> None:
    assert calculate("A1", {"S": {"A1": "=MYFUNCTION(1)"}}).value == CellError("#NAME?")


def test_a_long_chain_and_a_wide_range() -> None:
    cells: dict[str, object] = {f"A{row}": f"=A{row - 1}+1" for row in range(2, 3000)} | {"A1": 1, "B1": "=A2999", "C1": "=SUM(A:A)"}
    assert calculate("B1", {"S": cells}).value == 2999.0
    assert calculate("C1", {"S": cells}).value == 2999 * 3000 / 2


def test_another_version_is_no_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(iron, "VERSION", "0.0.1")
    with pytest.raises(EngineUnavailable, match=r"pip install ironcalc==0\.0\.1"):
        iron.load()


def test_a_panic_of_the_engine_is_an_outcome(monkeypatch: pytest.MonkeyPatch) -> None:
    class PanicException(BaseException):
        pass

    def panic() -> None:
        raise PanicException("index out of bounds")

    with pytest.raises(iron.EngineFault, match="broke down"):
        iron._guarded(panic)


MIXED = {"A1": "x", "A2": 1, "A4": "X", "A5": True, "A6": "xy", **{f"B{row}": row for row in range(1, 7)}}


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        ('=COUNTIF(S!A1:A6,"<>x")', 4),
        ('=COUNTIFS(S!A1:A6,"<>x",S!B1:B6,"<>2")', 3),
        ('=COUNTIFS(S!A1:A6,"<>x",S!B1:B6,">3")', 2),
        ('=SUMIF(S!A1:A6,"<>x",S!B1:B6)', 2 + 3 + 5 + 6),
        ('=SUMIFS(S!B1:B6,S!A1:A6,"<>x",S!A1:A6,"<>xy")', 2 + 3 + 5),
        ('=AVERAGEIF(S!A1:A6,"<>"&S!A1,S!B1:B6)', 4),
        ('=AVERAGEIFS(S!B1:B6,S!A1:A6,"<>x",S!B1:B6,"<5")', 2.5),
        ('=SUMPRODUCT(SUMIF(S!A1:A6,{"x","xy"},S!B1:B6))', 11),
    ],
)
def test_criteria_that_ask_for_what_differs(formula: str, value: float) -> None:
    result = calculate("C1", {"S": {**MIXED, "C1": formula}})
    assert (result.outcome, result.value) == (Outcome.COMPUTED, value)


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("VLOOKUP(5,Rates!A:F,2,TRUE)", 0.1),
        ("VLOOKUP(25,Rates!A2:F30,2)", 0.2),
        ("VLOOKUP(-1,Rates!A:F,2)", CellError("#N/A")),
        ("LOOKUP(99,Rates!A1:A9,Rates!B1:B9)", 0.2),
        ("MATCH(99,Rates!A:A)", 4.0),
        ("VLOOKUP(4,Rates!C1:D9,2)", None),
        ("VLOOKUP(4,Rates!E1:F9,2)", None),
        ("VLOOKUP(9,Rates!C1:D9,2,FALSE)", "nine"),
    ],
)
def test_the_nearest_value_is_found_in_sorted_cells_only(formula: str, expected: CellValue) -> None:
    rates: dict[str, object] = {"A1": "From", "A2": 0, "A3": 10, "A4": 20, "B2": 0.1, "B3": 0.15, "B4": 0.2, "C1": 5, "C2": 9, "C3": 3, "D2": "nine"}
    rates |= {"B4": 0.2, "E1": 1, "E3": 5, "F1": "gap", "F30": 1}
    sheets: dict[str, dict[str, object] | SheetSpec] = {"S": {"A1": f"={formula}"}, "Rates": rates}
    result = calculate("A1", sheets)
    assert (result.value if result.outcome is Outcome.COMPUTED else None) == expected
