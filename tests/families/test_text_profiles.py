from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docops.families.text_profiles import PROFILES, normalise, occurrences, readings


def found(text: str, wanted: str, profile: str = "typographic") -> int:
    return len(occurrences(normalise(text, profile), normalise(wanted, profile).strip()))


@pytest.mark.parametrize(
    ("text", "wanted", "times"),
    [
        ("costs 500,000 euro", "500,000", 1),
        ("costs 1,500,000 euro", "500,000", 0),
        ("costs 1 500 000 euro", "500 000", 0),
        ("costs 500,000.50 euro", "500,000", 0),
        ("it is 500,000.", "500,000", 1),
        ("in 2025", "25", 0),
        ("25 of 25", "25", 2),
        ("female", "male", 0),
        ("the male, the female", "male", 1),
        ("2026-27", "2026", 1),
        ("Q3 results", "3", 0),
        ("10kg", "10", 1),
        ("of\u00adfice \ufb01ne", "office fine", 1),
        ("\u201cHello\u201d \u2013 a", '"Hello" - a', 1),
        ("\u00ab Bonjour \u00bb", '"Bonjour"', 1),
        ("10\u202fkg and 10\u00a0kg", "10 kg", 2),
        ("cafe\u0301", "café", 1),
        ("等待期为90天。", "90天", 1),
        ("等待期为190天。", "90天", 0),
        ("１２３", "123", 1),
        ("straße", "strasse", 0),
        ("", "x", 0),
        ("aaa", "", 0),
    ],
)
def test_typographic(text: str, wanted: str, times: int) -> None:
    assert found(text, wanted) == times


@pytest.mark.parametrize(
    ("text", "wanted", "times"),
    [
        ("a well-\nknown case", "well-known", 1),
        ("the main-\ntenance plan", "maintenance plan", 1),
        ("main-\ntenance and maintenance", "maintenance", 2),
        ("and/\nor", "and/or", 1),
        ("2020\u2013\n2025", "2020-2025", 1),
        ("rated A-\nOutlook", "AOutlook", 0),
        ("minus - \nten", "minus - ten", 1),
    ],
)
def test_lines_that_end_in_hyphens_are_read_either_way(text: str, wanted: str, times: int) -> None:
    assert max(len(occurrences(reading, wanted)) for reading in readings(text, "typographic")) == times


@pytest.mark.parametrize(
    ("text", "wanted", "times"),
    [
        ("It cost 500 000 EUR", "500", 0), ("It cost 500 000 EUR", "000 EUR", 0), ("It cost 500 000 EUR", "500 000", 1), ("It cost 21 000 EUR", "1 000", 0), ("500 000 000", "500 000", 0),
        ("In 2025 300 people came", "300 people", 1), ("Q1 100 Q2 250", "100", 1), ("100\t250", "250", 1), ("100\n250", "100", 1), ("100\n250", "100 250", 1), ("100   250", "250", 1),
        ("-5 %", "5 %", 0), ("10-5", "5", 1), ("15\u066b5", "15", 0),
    ],
)  # fmt: skip
def test_numbers_are_whole(text: str, wanted: str, times: int) -> None:
    assert found(text, wanted) == times


@pytest.mark.parametrize(("text", "wanted", "times"), [("5.5", "5", 0), ("1,5", "1.5", 0), ("a.b, c", "A B C", 1)])
def test_loose_keeps_the_separators_of_numbers(text: str, wanted: str, times: int) -> None:
    assert found(text, wanted, "loose") == times


def test_verbatim_sees_every_code_point() -> None:
    assert found("it\u2019s", "it's", "verbatim") == 0
    assert found("it\u2019s", "it's") == 1


def test_loose_does_not_see_case_accents_or_punctuation() -> None:
    assert found("Café, s'il vous plaît!", "CAFE SIL VOUS PLAIT", "loose") == 0
    assert found("Café; plaît!", "cafe plait", "loose") == 1


def test_an_unknown_profile_is_refused() -> None:
    with pytest.raises(ValueError, match="legal: verbatim"):
        normalise("x", "fuzzy")


@given(st.text(), st.sampled_from(PROFILES))
def test_normalising_twice_is_normalising_once(text: str, profile: str) -> None:
    once = normalise(text, profile)
    assert normalise(once, profile) == once


@given(st.text(alphabet=st.characters(categories=["L", "N", "P", "Zs"]), min_size=1))
def test_composition_never_matters(text: str) -> None:
    assert normalise(unicodedata.normalize("NFD", text), "typographic") == normalise(unicodedata.normalize("NFC", text), "typographic")
