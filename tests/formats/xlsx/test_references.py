from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docops.formats.xlsx.formula_text import canonical_formula, find_areas, relative_form, shift, translate_shared
from docops.formats.xlsx.references import (
    MAX_COLUMN,
    MAX_ROW,
    Area,
    column_letters,
    column_number,
    format_cell,
    parse_area,
    parse_cell,
    parse_reference,
    quote_sheet,
    sheet_prefix,
    tokenise,
)
from tests.formats.xlsx.precedents import precedents


@given(st.integers(1, MAX_COLUMN), st.integers(1, MAX_ROW))
def test_cells_print_and_parse(column: int, row: int) -> None:
    assert column_number(column_letters(column)) == column
    assert parse_cell(format_cell(row, column)) == (row, column)


@pytest.mark.parametrize("text", ["", "B", "2", "B0", "XFE1", "A1048577", "B2:C3", "Sheet!B2", "AAAA1"])
def test_what_is_no_cell_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="no cell"):
        parse_cell(text)


@pytest.mark.parametrize(
    ("text", "printed"),
    [("B2", "B2"), ("$B$2:d10", "B2:D10"), ("D10:B2", "B2:D10"), ("A:C", "A:C"), ("$3:5", "3:5"), ("A1:A1", "A1"), ("a1:b2", "A1:B2")],
)
def test_areas(text: str, printed: str) -> None:
    assert str(parse_area(text)) == printed


def test_areas_intersect_and_cover() -> None:
    assert parse_area("A1:C5").intersection(parse_area("B4:D9")) == parse_area("B4:C5")
    assert parse_area("A1:B2").intersection(parse_area("C3:D4")) is None
    assert parse_area("A:A").covers(parse_area("A5:A9"))
    assert list(parse_area("A1:B2").cells()) == [(1, 1), (1, 2), (2, 1), (2, 2)]


@given(
    st.text(alphabet=string.ascii_letters + string.digits + " '!.-ä[]&", min_size=1, max_size=20).filter(
        lambda name: "[" not in name and "]" not in name and ":" not in name
    )
)
def test_sheet_names_survive_quoting(name: str) -> None:
    reference = parse_reference(f"{sheet_prefix(name)}$B2:C$3")
    assert reference is not None
    assert (reference.sheet, str(reference.area)) == (name, "B2:C3")
    assert (reference.start.row_fixed, reference.start.column_fixed) == (False, True)


@pytest.mark.parametrize(
    ("name", "quoted"), [("Data", "Data"), ("Q1", "'Q1'"), ("Q 1", "'Q 1'"), ("O'Brien", "'O''Brien'"), ("R1C1", "'R1C1'"), ("2024", "'2024'")]
)
def test_names_that_look_like_references_are_quoted(name: str, quoted: str) -> None:
    assert quote_sheet(name) == quoted


@given(st.text(alphabet="=SUMifAB12$:!'\"[]{}(),;#@%&+-*/ .ä_\\", max_size=40))
def test_tokens_lose_nothing(text: str) -> None:
    assert "".join(token.text for token in tokenise("=" + text)) == text


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("=sum( a1 , B$2 )", "SUM(A1,B$2)"),
        ("_xlfn.XLOOKUP(a1,B:B,C:C)", "=XLOOKUP(A1,B:B,C:C)"),
        ("_xlfn._xlws.SORT(A1:A9)", "SORT(A1:A9)"),
        ("'Data'!A1", "Data!A1"),
        ("1.50*A1", "1.5*A1"),
        ("1e6", "1000000"),
        ("Table1[@Net]", "Table1[[#This Row],[Net]]"),
        ("if(true,1,2)", "IF(TRUE,1,2)"),
        ("A1:a9", "A1:A9"),
        ("SUM(A1,\n  B1)", "SUM(A1,B1)"),
    ],
)
def test_spellings_of_one_formula(one: str, other: str) -> None:
    assert canonical_formula(one) == canonical_formula(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("A1", "$A1"),
        ('"a b"', '"ab"'),
        ('"A"', '"a"'),
        ("A1:A10 B5:C7", "A1:A10,B5:C7"),
        ("A1+B1", "B1+A1"),
        ("Data!A1", "Dat!A1"),
        ("SUM(A1:A9)", "SUM(A1:A8)"),
        ("-A1", "A1"),
    ],
)
def test_what_differs_stays_different(one: str, other: str) -> None:
    assert canonical_formula(one) != canonical_formula(other)


@given(st.text(alphabet="SUMifAB12$:!'\"(),#%&+-*/ .", max_size=30))
def test_canonical_form_is_stable(text: str) -> None:
    once = canonical_formula(text)
    assert canonical_formula(once) == once or "unknown" in {token.kind for token in tokenise(text)} or '"' in text or "'" in text


def test_filling_moves_relative_parts() -> None:
    assert translate_shared('A1+$B$2+C$3+SUM(A:A,5:5)+"A1"', "A1", "B3") == 'B3+$B$2+D$3+SUM(B:B,7:7)+"A1"'
    assert translate_shared("A1+LOG10(B1)", "A2", "A1") == "#REF!+LOG10(#REF!)"
    assert relative_form("A1+$B$2", 3, 3) == relative_form("A2+$B$2", 4, 3) != relative_form("A1+$B$3", 3, 3)


def test_rows_inserted_and_deleted() -> None:
    def inserted(row: int) -> int:
        return row + 1 if row >= 3 else row

    def deleted(row: int) -> int | None:
        return None if row == 3 else row - 1 if row > 3 else row

    def same(number: int) -> int:
        return number

    assert shift("SUM(A2:A5)+B3+Other!A3", "S", inserted, same, "S") == "SUM(A2:A6)+B4+Other!A3"
    assert shift("SUM(A2:A5)+B3+A3:A3", "S", deleted, same, "S") == "SUM(A2:A4)+#REF!+#REF!"
    assert shift("SUM(s!A:A)+'S'!$A$5", "S", inserted, same, "Other") == "SUM(s!A:A)+S!$A$6"


def test_what_a_formula_reads() -> None:
    read = precedents('SUMIFS(Data!C2:C9,A:A,"x")+Rate+Sales[Net]+[1]Book!A1+_xlfn.XLOOKUP(B1,Jan:Mar!A1,C1)')
    assert [str(one) for one in read.ranges] == ["Data!C2:C9", "A:A", "[1]Book!A1", "B1", "Jan:Mar!A1", "C1"]
    assert read.names == ("Rate",)
    assert [str(one) for one in read.tables] == ["Sales[Net]"]
    assert read.functions == ("SUMIFS", "XLOOKUP")
    assert read.external
    assert Area(1, 1, 3, 2) in [one.area for one in precedents("Sheet1!A1:Sheet1!B3").ranges]


@pytest.mark.parametrize("formula", ["SUM(A1:B2)+Data!C3", "A:A+$3:$4+'Q 1'!B2", "LOG10(A1)+LOG10", "Jan:Mar!A1*2", "IF(A1>0,B$2,$C3)"])
def test_the_quick_search_finds_the_same_areas(formula: str) -> None:
    quick = {(sheet, last, str(area)) for sheet, last, area in find_areas(formula)}
    assert quick == {(one.sheet, one.last_sheet, str(one.area)) for one in precedents(formula).ranges}


def test_a_column_may_go_without_brackets_of_its_own() -> None:
    assert canonical_formula("[[#This Row],Net Price]*2") == canonical_formula("[[#This Row],[Net Price]]*2")
    assert canonical_formula("T[[#All],A:B]") == canonical_formula("T[[#All],[A]:[B]]") != canonical_formula("T[[#All],A]")


def test_constants_spelled_as_calls_are_the_constants() -> None:
    assert canonical_formula('VLOOKUP(A1,B:C,2,FALSE())&"TRUE()"') == 'VLOOKUP(A1,B:C,2,FALSE)&"TRUE()"'
    assert canonical_formula("ISTRUE()") == "ISTRUE()"


def test_a_range_of_one_cell_is_the_cell() -> None:
    assert canonical_formula("SUM(Jan:Mar!A1:A1,$B$2:$B$2,A:A,1:1)") == "SUM(Jan:Mar!A1,$B$2,A:A,1:1)"
