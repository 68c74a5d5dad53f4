from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docops.formats.xlsx.colors import PALETTE, tinted
from docops.formats.xlsx.numberformats import canonical_code, is_date_code, shown, sign
from docops.formats.xlsx.values import column_letters, column_number, iso_of_serial, number_text, serial_of_iso, split_reference, unescape


@pytest.mark.parametrize(
    ("value", "text"),
    [(1.0, "1"), (-0.0, "0"), (0.1 + 0.2, "0.3"), (26494.0, "26494"), (1e20, "1e+20"), (45352.395833333336, "45352.3958333333"), (0.07000000000000001, "0.07")],
)
def test_numbers_read_at_fifteen_digits(value: float, text: str) -> None:
    assert number_text(value) == text


@pytest.mark.parametrize(
    ("serial", "iso"),
    [(1, "1900-01-01"), (59, "1900-02-28"), (60, "1900-02-29"), (61, "1900-03-01"), (45352, "2024-03-01"), (45352.5, "2024-03-01T12:00:00"), (0.5, "12:00:00")],
)
def test_serial_dates_follow_the_1900_system(serial: float, iso: str) -> None:
    assert iso_of_serial(serial, False) == iso


def test_serial_dates_follow_the_1904_system() -> None:
    assert iso_of_serial(1, True) == "1904-01-02"
    assert serial_of_iso("1904-01-02", True) == 1


@given(st.integers(61, 2_900_000), st.integers(0, 86_399))
def test_iso_text_of_a_date_gives_its_serial_back(day: int, second: int) -> None:
    serial = day + second / 86_400
    iso = iso_of_serial(serial, False)
    assert iso is not None
    back = serial_of_iso(iso, False)
    assert back is not None
    assert abs(back - serial) < 1e-7


@given(st.integers(1, 16_384))
def test_columns_read_back(number: int) -> None:
    assert column_number(column_letters(number)) == number


def test_references_out_of_the_sheet_are_none() -> None:
    assert split_reference("XFE1") is None
    assert split_reference("$B$6") == (6, 2)


def test_escapes_are_decoded() -> None:
    assert unescape("a_x000D_b _x005F_x000D_") == "a\rb _x000D_"


@pytest.mark.parametrize(
    ("one", "other"),
    [("yyyy\\-mm\\-dd", "yyyy-mm-dd"), ('"$"#,##0', "$#,##0"), ("YYYY-MM-DD", "yyyy-mm-dd"), ("[red]0", "[Red]0"), ("general", "General")],
)
def test_spellings_of_one_number_format_are_one(one: str, other: str) -> None:
    assert canonical_code(one) == canonical_code(other)


@pytest.mark.parametrize(("one", "other"), [("0.00", "0.0"), ("yyyy-mm-dd", "dd-mm-yyyy"), ('0" km"', '0" m"'), ("0%", "0"), ("mm/dd", "mm\\-dd")])
def test_different_number_formats_stay_different(one: str, other: str) -> None:
    assert canonical_code(one) != canonical_code(other)


@given(st.text(alphabet='0#,.%"$-\\ymdhs[];@_*E+() ', max_size=20))
def test_canonical_number_formats_are_stable(code: str) -> None:
    assert canonical_code(canonical_code(code)) == canonical_code(code)


def test_dates_are_told_from_numbers() -> None:
    assert is_date_code("yyyy-mm-dd")
    assert is_date_code("[h]:mm:ss")
    assert not is_date_code("#,##0.00")
    assert not is_date_code("[Red]0")
    assert not is_date_code('0" days"')


def test_formats_that_show_nothing_hide() -> None:
    assert shown(";;;", "text", sign("a"))[0]
    assert shown(";;;", "number", sign(1.0))[0]
    assert shown("0;", "number", sign(-1.0))[0]
    assert not shown("General", "number", sign(1.0))[0]
    assert not shown(";;", "text", sign("a"))[0]
    assert shown("[White]0;[Red]-0;;", "number", sign(2.5)) == (False, "FFFFFF")
    assert shown("[White]0;[Red]-0;;", "number", sign(-2.5)) == (False, "FF0000")
    assert shown("[White]0;[Red]-0;;", "number", sign(0)) == (True, "")


@pytest.mark.parametrize(
    ("color", "tint", "expected"),
    [
        ("4F81BD", "0.79998168889431442", "DCE6F1"),
        ("4F81BD", "-0.249977111117893", "366092"),
        ("C0504D", "0.39997558519241921", "DA9694"),
        ("F79646", "-0.499984740745262", "974706"),
        ("FFFFFF", "-0.14999847407452621", "D9D9D9"),
    ],
)
def test_tints_are_those_of_the_colour_menu(color: str, tint: str, expected: str) -> None:
    assert tinted(color, tint) == expected


def test_the_palette_is_whole() -> None:
    assert len(PALETTE) == 64
    assert PALETTE[10] == "FF0000"
