from __future__ import annotations

from typing import Any

import pytest

from docops.core.codes import CONTENT_ASPECTS
from docops.core.compare import ChangeKind
from docops.formats.xlsx.samples import SheetSpec, TableSpec, workbook
from tests.formats.xlsx.books import EXAMPLE, X, changes, edit, example, places, replace, sales, save


def test_an_inserted_row_is_one_change() -> None:
    (change,) = changes(sales(), sales(extra_row=8))
    assert (change.address, change.kind) == ("sheet[Data]/row[8]", ChangeKind.ADDED)


def test_a_deleted_row_is_one_change() -> None:
    (change,) = changes(sales(), sales(drop=8))
    assert (change.address, change.kind) == ("sheet[Data]/row[8]", ChangeKind.REMOVED)


def test_an_inserted_column_is_one_change() -> None:
    (change,) = changes(sales(), sales(extra_column=2))
    assert (change.address, change.kind) == ("sheet[Data]/column[B]", ChangeKind.ADDED)


def test_a_row_may_be_inserted_where_the_scope_says_so() -> None:
    assert not changes(sales(), sales(extra_row=8), scope=("sheet[Data]/row[8]",))
    assert not changes(sales(), sales(extra_row=8), scope=("sheet[Data]/cell[A8:D8]",))
    assert changes(sales(), sales(extra_row=8), scope=("sheet[Data]/row[9]",))


@pytest.mark.parametrize("named", ["row[5]", "row[6]"])
def test_either_of_two_swapped_rows_may_be_named(named: str) -> None:
    assert places(changes(sales(), sales(swap=(5, 6)))) == ["sheet[Data]/row[5]"]
    assert not changes(sales(), sales(swap=(5, 6)), scope=(f"sheet[Data]/{named}",))


def test_references_that_did_not_follow_an_inserted_row_are_changes() -> None:
    def push(root: Any) -> None:
        data = root.find(f"{X}sheetData")
        for row in data:
            number = int(row.get("r"))
            if number >= 8:
                row.set("r", str(number + 1))
                for cell in row:
                    cell.set("r", cell.get("r").rstrip("0123456789") + str(number + 1))

    found = changes(sales(), edit(sales(), "xl/worksheets/sheet1.xml", push))
    assert any(place.startswith("sheet[Data]/cell[D") for place in places(found))


def test_a_renamed_sheet_is_one_change_where_references_follow() -> None:
    (change,) = changes(sales(), sales(title="Sales 2024"))
    assert (change.address, change.before, change.after) == ("sheet[Data]", "Data", "Sales 2024")


def test_references_to_a_renamed_sheet_must_follow() -> None:
    broken = replace(sales(), "xl/workbook.xml", 'name="Data"', 'name="Other"')
    assert {"sheet[Data]", "sheet[Summary]/cell[A1]", "name[Amounts]"} <= set(places(changes(sales(), broken)))


def test_a_cleared_row_is_no_deleted_row() -> None:
    def clear(root: Any) -> None:
        for row in root.find(f"{X}sheetData"):
            if row.get("r") == "8":
                for cell in list(row):
                    row.remove(cell)

    assert places(changes(sales(), edit(sales(), "xl/worksheets/sheet1.xml", clear))) == [f"sheet[Data]/cell[{letter}8]" for letter in "ABCD"]


@pytest.mark.parametrize(
    ("name", "old", "new", "place"),
    [
        ("xl/worksheets/sheet2.xml", "<v>4310</v>", "<v>4311</v>", "sheet[Data]/cell[C4]"),
        ("xl/worksheets/sheet2.xml", "<v>4310</v>", "<v>-4310</v>", "sheet[Data]/cell[C4]"),
        ("xl/worksheets/sheet2.xml", "<f>SUM(C$2:C4)</f>", "<f>SUM(C$2:C3)</f>", "sheet[Data]/cell[H4]"),
        ("xl/worksheets/sheet2.xml", "<f>SUM(C$2:C4)</f>", "<f>SUM(C2:C4)</f>", "sheet[Data]/cell[H4]"),
        ("xl/worksheets/sheet2.xml", 'sqref="C2:C13"', 'sqref="C2:C12"', "sheet[Data]/conditional_format[C2:C13]"),
        ("xl/worksheets/sheet2.xml", 'sqref="B2:B13"', 'sqref="B3:B13"', "sheet[Data]/validation[B2:B13]"),
        ("xl/worksheets/sheet2.xml", ' hidden="1"', "", "sheet[Data]/column[G]"),
        ("xl/worksheets/sheet1.xml", "landscape", "portrait", "sheet[Summary]/print"),
        ("xl/worksheets/sheet1.xml", 'state="frozen"', 'state="split"', "sheet[Summary]"),
        ("xl/worksheets/sheet1.xml", '<mergeCell ref="A1:C1"/>', "", "sheet[Summary]/merge[A1:C1]"),
        ("xl/workbook.xml", ' state="hidden"', "", "sheet[Lists]"),
        ("xl/workbook.xml", "Summary!$B$5", "Summary!$B$4", "name[TaxRate]"),
        ("xl/styles.xml", 'formatCode="0.0%"', 'formatCode="0.00%"', "sheet[Data]/cell[E2]"),
        ("xl/comments1.xml", "Check with the ledger", "Checked", "sheet[Summary]/comment[A6]"),
        ("xl/charts/chart1.xml", "Data!$C$2:$C$13", "Data!$C$2:$C$12", "sheet[Summary]/chart[1]/series[1]"),
        ("xl/drawings/drawing1.xml", "Company logo", "Logo", "sheet[Summary]/image[1]"),
        ("xl/tables/table1.xml", "TableStyleMedium9", "TableStyleLight1", "sheet[Data]/table[Sales]"),
        ("xl/theme/theme1.xml", "4F81BD", "4F81BE", "theme"),
    ],
)
def test_damage_is_found_in_its_place(name: str, old: str, new: str, place: str) -> None:
    assert place in places(changes(example(), replace(example(), name, old, new)))


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("xl/worksheets/sheet1.xml", "<v>5120.2</v>", "<v></v>"),
        ("xl/worksheets/sheet1.xml", "<f>MAX(Data!C2:C13)</f>", "<f>max( 'Data'!C2:C13 )</f>"),
        ("xl/worksheets/sheet1.xml", '<c r="B6" s="2"/>', '<c s="2" r="B6" t="n"></c>'),
        ("xl/worksheets/sheet2.xml", "<v>4310</v>", "<v>4310.0</v>"),
        ("xl/worksheets/sheet2.xml", '<sheetView workbookViewId="0"/>', '<sheetView workbookViewId="0" zoomScale="80" topLeftCell="C4"/>'),
        ("xl/workbook.xml", 'calcId="124519"', 'calcId="191029"'),
        ("xl/workbook.xml", "Summary!$B$5", "'Summary'!$B$5"),
        ("xl/styles.xml", '<color auto="1"/>', '<color indexed="64"/>'),
        ("xl/styles.xml", 'rgb="FFDDEBF7"', 'rgb="00ddebf7"'),
        ("docProps/core.xml", "Z</dcterms:modified>", "Z</dcterms:modified ><!-- saved again -->"),
    ],
)
def test_another_spelling_is_no_change(name: str, old: str, new: str) -> None:
    assert not changes(example(), replace(example(), name, old, new))


def test_style_tables_may_be_permuted() -> None:
    def permute(root: Any) -> None:
        table = root.find(f"{X}cellXfs")
        entries = list(table)
        for entry in entries:
            table.remove(entry)
        for index in (0, 1, 7, 2, 3, 4, 5, 6):
            table.append(entries[index])

    numbers = {"2": "3", "3": "4", "4": "5", "5": "6", "6": "7", "7": "2"}

    def follow(root: Any) -> None:
        for cell in root.iter(f"{X}c"):
            if cell.get("s") in numbers:
                cell.set("s", numbers[cell.get("s")])

    data = edit(example(), "xl/styles.xml", permute)
    for number in range(1, 5):
        data = edit(data, f"xl/worksheets/sheet{number}.xml", follow)
    assert not changes(example(), data)


@pytest.mark.parametrize(("output", "expected"), [("inline-strings", 1), ("no-caches-at-all", 1), ("sumproduct", 1)])
def test_the_shared_examples_differ_only_in_the_cell_that_was_asked_for(output: str, expected: int) -> None:
    path = EXAMPLE / "outputs" / output / "budget.xlsx"
    if not path.exists():
        pytest.skip("no shared examples here")
    found = changes(example(), path.read_bytes())
    assert places(found) == ["sheet[Summary]/cell[B6]"] * expected
    assert not changes(example(), path.read_bytes(), scope=("sheet[Summary]/cell[B6]",))


def test_openpyxl_saves_the_same_cells() -> None:
    import io

    import openpyxl

    book = openpyxl.load_workbook(io.BytesIO(example()), rich_text=True)
    stream = io.BytesIO()
    book.save(stream)
    assert places(changes(example(), stream.getvalue())) == []


def test_a_typed_in_name_of_a_series_may_be_spelled_as_a_formula() -> None:
    spelled = '<c:tx><c:strRef><c:f>"Amounts"</c:f></c:strRef></c:tx>'
    assert not changes(example(), replace(example(), "xl/charts/chart1.xml", "<c:tx><c:v>Amounts</c:v></c:tx>", spelled))


def test_what_a_cell_gains_belongs_to_it() -> None:
    import io

    import openpyxl
    from openpyxl.comments import Comment

    book = openpyxl.load_workbook(io.BytesIO(example()), rich_text=True)
    cell = book["Summary"]["B6"]
    cell.value = "=SUM(Data!C2:C13)"
    cell.style = "Good"
    cell.comment = Comment("checked", "Finance")
    cell.hyperlink = "https://example.org/"
    stream = io.BytesIO()
    book.save(stream)
    assert changes(example(), stream.getvalue())
    assert not changes(example(), stream.getvalue(), scope=("sheet[Summary]/cell[B6]",))


def test_the_scope_of_a_range_covers_what_stands_on_it() -> None:
    def merged(book: Any) -> None:
        book.active["A1"] = 1
        book.active.merge_cells("A3:B4")

    def plain(book: Any) -> None:
        book.active["A1"] = 1

    assert places(changes(save(plain), save(merged))) == ["sheet[Sheet]/merge[A3:B4]"]
    assert not changes(save(plain), save(merged), scope=("sheet[Sheet]/cell[A3:B4]",))
    assert changes(save(plain), save(merged), scope=("sheet[Sheet]/cell[A3:B3]",))


def test_a_formatted_cell_is_no_content() -> None:
    def bold(book: Any) -> None:
        from openpyxl.styles import Font

        book.active["A1"] = 1
        book.active["A1"].font = Font(bold=True)

    def plain(book: Any) -> None:
        book.active["A1"] = 1

    assert changes(save(plain), save(bold))
    assert not changes(save(plain), save(bold), aspects=CONTENT_ASPECTS)


def test_reordered_sheets_are_a_move() -> None:
    def fill(names: str) -> Any:
        def make(book: Any) -> None:
            book.active.title = names[0]
            for name in names[1:]:
                book.create_sheet(name)
            for sheet in book:
                sheet["A1"] = sheet.title

        return make

    (change,) = changes(save(fill("ABC")), save(fill("BAC")))
    assert change.kind is ChangeKind.MOVED


def test_a_range_whose_rows_were_sorted_stays() -> None:
    def book(rows: list[int]) -> bytes:
        def fill(book: Any) -> None:
            sheet = book.active
            for row, number in enumerate(rows, 2):
                sheet.cell(row, 1, f"item {number}")
                sheet.cell(row, 2, number * 10)
            sheet["D1"] = f"=SUM(B2:B{len(rows) + 1})"

        return save(fill)

    before, after = book(list(range(12))), book(list(range(11, -1, -1)))
    assert all("row[" in place for place in places(changes(before, after)))
    assert not changes(before, after, scope=("sheet[Sheet]/row[2:13]",))


def test_a_table_column_with_another_name_is_the_same_column() -> None:
    def named(name: str) -> bytes:
        return workbook({"S": SheetSpec({"A1": "Item", "B1": name, "A2": "x", "B2": 1}, tables=(TableSpec("Sales", "A1:B2", ("Item", name)),))})

    assert places(changes(named("Net"), named("Gross"))) == ["sheet[S]/table[Sales]/column[Net]", "sheet[S]/cell[B1]"]
    assert changes(named("Net"), named("Gross"), scope=("sheet[S]/table[Sales]/column[Net]",)) == []
