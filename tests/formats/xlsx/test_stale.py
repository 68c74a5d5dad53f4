from __future__ import annotations

import pytest

from docops.core.document import Stale
from docops.formats.xlsx.document import open_xlsx
from docops.formats.xlsx.samples import ChartSpec, SheetSpec, workbook
from docops.formats.xlsx.stale import stale_values


def cells(**changes: object) -> dict[str, object]:
    """A small calculation with right stored results."""
    out: dict[str, object] = {
        "A1": 10,
        "A2": 20,
        "A3": ("=SUM(A1:A2)", 30),
        "A4": ("=A3*2", 60),
        "A5": ('=IF(A3>25,"high","low")', "high"),
        "A6": ("=A1>5", True),
        "A7": ("=1/0", "#DIV/0!"),
        "B1": 5,
        "B2": ("=B1+1", 6),
    }
    return out | changes


def stale(after: dict[str, object], before: dict[str, object] | None = None, calculation: str = "") -> list[Stale]:
    document = open_xlsx(workbook({"S": after}, calculation=calculation))
    source = open_xlsx(workbook({"S": before})) if before is not None else None
    return list(stale_values(document, source))


def test_right_results_are_not_stale() -> None:
    assert stale(cells()) == []
    assert stale(cells(), cells()) == []


@pytest.mark.parametrize(
    ("place", "value", "derived"),
    [
        ("A3", ("=SUM(A1:A2)", 31), 30),
        ("A4", ("=A3*2", 6000), 60),
        ("A5", ('=IF(A3>25,"high","low")', "low"), "high"),
        ("A6", ("=A1>5", False), True),
        ("A6", ("=A1>5", 1), True),
        ("A7", ("=1/0", "#N/A"), "#DIV/0!"),
        ("A3", ("=SUM(A1:A2)", "30"), 30),
    ],
)
def test_a_wrong_result_is_stale_at_its_place(place: str, value: object, derived: object) -> None:
    for before in (None, cells()):
        found = stale(cells(**{place: value}), before)
        assert [(one.address, one.name, one.derived) for one in found] == [(f"sheet[S]/cell[{place}]", "value", derived)]


def test_a_changed_input_makes_old_results_stale() -> None:
    assert [one.address for one in stale(cells(A1=11), cells())] == ["sheet[S]/cell[A3]", "sheet[S]/cell[A4]"]


def test_a_changed_formula_with_its_old_result_is_stale() -> None:
    assert [one.address for one in stale(cells(A3=("=SUM(A1:A1)", 30)), cells())] == [f"sheet[S]/cell[{cell}]" for cell in ("A3", "A4", "A5")]


def test_results_that_moved_with_their_inputs_are_not_stale() -> None:
    assert stale(cells(A1=11, A3=("=SUM(A1:A2)", 31), A4=("=A3*2", 62)), cells()) == []


def test_results_that_were_dropped_are_not_stale() -> None:
    assert stale({place: value[0] if isinstance(value, tuple) else value for place, value in cells(A1=99).items()}, cells()) == []


def test_a_chain_through_a_formula_without_a_result() -> None:
    before = cells(A3="=SUM(A1:A2)")
    assert [one.address for one in stale(cells(A1=11, A3="=SUM(A1:A2)"), before)] == ["sheet[S]/cell[A4]"]


@pytest.mark.parametrize("setting", ['fullCalcOnLoad="1"', 'forceFullCalc="1"', 'calcId="0" fullCalcOnLoad="true"'])
def test_a_workbook_that_calculates_on_load_has_no_stale_results(setting: str) -> None:
    assert stale(cells(A3=("=SUM(A1:A2)", 31)), cells(), setting) == []


@pytest.mark.parametrize("formula", ["=NOW()", "=RAND()*A1", "=[1]X!A1", '=CELL("row",A1)', "=SUM(A1:A2*2)", "=BESSELI(A1,2)", "=MYNAME+1"])
def test_what_no_engine_is_sure_of_is_not_stale(formula: str) -> None:
    assert stale(cells(C1=(formula, 12345))) == []


def test_rounding_noise_is_not_stale() -> None:
    assert stale(cells(C1=("=A1/3", 3.33333333333333))) == []
    assert len(stale(cells(C1=("=A1/3", 3.3333)))) == 1


def charted(values: list[float], **changes: object) -> list[Stale]:
    chart = ChartSpec("lineChart", "T", (("", "", "S!$A$1:$A$3"),), (values,))
    document = open_xlsx(workbook({"S": SheetSpec(cells(**changes), charts=(chart,))}))
    return [one for one in stale_values(document, None) if "chart" in one.address]


def test_caches_of_charts_are_compared_with_cells() -> None:
    assert charted([10, 20, 30]) == []
    [found] = charted([10, 25, 30])
    assert (found.address, found.name) == ("sheet[S]/chart[1]/series[1]", "values")
    assert (found.cached, found.derived) == ([10, 25, 30], [10, 20, 30])
    assert charted([10, 20, 31], A3=("=SUM(A1:A2)", 31)) != []
