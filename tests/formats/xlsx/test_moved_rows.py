"""Rows that came between others: which one it was, and which ranges may take it in."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pytest

from docops.core.compare import Allow, Comparison
from docops.formats.xlsx.compare import compare_workbooks
from docops.formats.xlsx.document import open_xlsx
from tests.formats.xlsx.books import changes, places, replace, save


def months(new: int = 0, *, twin: bool = False, summed: str = "", copied: str = "") -> bytes:
    """Ten rows, their total, a name for them, and another sheet that reads both.

    new: a row inserted there.   twin: it is like the row above.   summed, copied: the ranges of the total and of the name.
    """
    from openpyxl.workbook.defined_name import DefinedName

    rows: list[list[Any]] = [[f"item {number}", number * 10] for number in range(1, 11)]
    if new:
        rows.insert(new - 2, list(rows[new - 3]) if twin else ["new", 7])

    def fill(book: Any) -> None:
        sheet = book.active
        sheet.title = "Data"
        for row in [["Name", "Amount"], *rows]:
            sheet.append(row)
        last = len(rows) + 1
        sheet.cell(last + 2, 2, f"=SUM({summed or f'B2:B{last}'})")
        book.create_sheet("Summary")["A1"] = f"=Data!B{last + 2}"
        book.defined_names["Amounts"] = DefinedName("Amounts", attr_text=f"Data!{copied or f'$B$2:$B${last}'}")

    return save(fill)


def edited(data: bytes, edit: Callable[[Any], object]) -> bytes:
    """The workbook loaded, changed and saved by openpyxl."""
    import openpyxl

    book = openpyxl.load_workbook(io.BytesIO(data))
    edit(book)
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


@pytest.mark.parametrize("row", [3, 7, 12])
@pytest.mark.parametrize("named", [0, 1])
def test_of_two_equal_rows_either_may_be_the_new_one(row: int, named: int) -> None:
    assert changes(months(), months(row, twin=True), scope=(f"sheet[Data]/row[{row - named}]",)) == []


def test_a_new_row_is_named_once_where_none_may_come() -> None:
    assert places(changes(months(), months(7, twin=True))) == ["sheet[Data]/row[7]"]


@pytest.mark.parametrize(("row", "ranges"), [(2, ("B2:B12", "B3:B12")), (12, ("B2:B11", "B2:B12"))])
def test_a_range_may_take_in_what_came_beside_it(row: int, ranges: tuple[str, str]) -> None:
    for summed in ranges:
        for named in ranges:
            copied = "$B$" + named[1:].replace("B", "$B$")
            assert changes(months(), months(row, summed=summed, copied=copied), scope=(f"sheet[Data]/row[{row}]",)) == []


def test_a_range_takes_in_nothing_else() -> None:
    found = changes(months(), months(12, summed="B2:B13"), scope=("sheet[Data]/row[12]",))
    assert places(found) == ["sheet[Data]/cell[B13]"]
    found = changes(months(), months(6, summed="B2:B11"), scope=("sheet[Data]/row[6]",))
    assert places(found) == ["sheet[Data]/cell[B13]"]


@pytest.mark.parametrize(("scope", "inside"), [("row[*]", True), ("column[*]", True), ("cell[5:6]", True), ("cell[B:B]", True), ("cell[6]", False), ("row[6]", False)])
def test_a_scope_names_rows_and_columns_that_say_nothing_of_their_own(scope: str, inside: bool) -> None:
    def changed(book: Any) -> None:
        book["Data"]["B5"] = 1

    assert (changes(months(), edited(months(), changed), scope=(f"sheet[Data]/{scope}",)) == []) is inside


@pytest.mark.parametrize(("allow", "inside"), [(Allow.CHANGE, True), (Allow.ADD, True), (Allow.MOVE, False)])
def test_a_cell_that_may_change_may_be_filled(allow: Allow, inside: bool) -> None:
    def filled(book: Any) -> None:
        book["Data"]["D5"] = 1

    before, after = open_xlsx(months()), open_xlsx(edited(months(), filled))
    scope = {"sheet[Data]/cell[D5]": frozenset({allow})}
    assert (list(compare_workbooks(before, after, Comparison(before_scope=scope, after_scope=scope))) == []) is inside


def test_what_nobody_models_moves_with_the_rows() -> None:
    def marked(last: int, new: int = 0) -> bytes:
        errors = f'<ignoredErrors><ignoredError sqref="B{last - 3}:B{last}" numberStoredAsText="1"/></ignoredErrors>'
        return replace(months(new), "xl/worksheets/sheet1.xml", "</worksheet>", f"{errors}</worksheet>")

    assert changes(marked(9), marked(10, 4), scope=("sheet[Data]/row[4]",)) == []
    assert places(changes(marked(9), marked(11, 4), scope=("sheet[Data]/row[4]",))) == ["sheet[Data]"]
