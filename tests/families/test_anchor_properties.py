"""What holds for every quantity and every text: rewriting typography changes nothing, changing the amount changes the answer."""

from __future__ import annotations

import time
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docops.families.negation import polarity
from docops.families.quantities import find_quantities
from docops.families.text_profiles import normalise
from tests.families.test_cases import answer

AMOUNTS = st.integers(1, 999_999_999)
SEPARATORS = {"en": ",", "de": ".", "fr": "\u202f"}
UNITS = {"en": ["EUR", "days", "%", "kg", ""], "de": ["EUR", "Tage", "%", "kg", ""], "fr": ["EUR", "jours", "%", "kg", ""]}


def grouped(amount: int, separator: str) -> str:
    return f"{amount:,}".replace(",", separator)


def spellings(amount: int, language: str) -> list[str]:
    own = SEPARATORS[language]
    texts = [grouped(amount, own), grouped(amount, "\u00a0"), grouped(amount, "\u2009"), grouped(amount, "\u2019"), str(amount)]
    return [*texts, "".join(unicodedata.lookup(f"FULLWIDTH DIGIT {unicodedata.name(c).split()[-1]}") for c in str(amount))]


@st.composite
def amounts(draw: st.DrawFn) -> tuple[str, int, str]:
    language = draw(st.sampled_from(sorted(SEPARATORS)))
    return language, draw(AMOUNTS), draw(st.sampled_from(UNITS[language]))


@given(amounts(), st.integers(0, 5), st.sampled_from([" ", "\u00a0", "\u202f", "  "]))
@settings(max_examples=120, deadline=None)
def test_every_spelling_of_an_amount_is_met(case: tuple[str, int, str], which: int, space: str) -> None:
    language, amount, unit = case
    value = f"{grouped(amount, SEPARATORS[language])} {unit}".strip()
    text = f"X: {spellings(amount, language)[which]}{space if unit else ''}{unit}."
    assert answer("anchor.quantity", {"value": value, "language": language}, text) == "yes"


@given(amounts(), AMOUNTS, st.integers(0, 5))
@settings(max_examples=120, deadline=None)
def test_no_spelling_of_another_amount_is_met(case: tuple[str, int, str], other: int, which: int) -> None:
    language, amount, unit = case
    value = f"{grouped(amount, SEPARATORS[language])} {unit}".strip()
    if other != amount:
        assert answer("anchor.quantity", {"value": value, "language": language}, f"X: {spellings(other, language)[which]} {unit}.") == "no"


@given(AMOUNTS, st.integers(0, 8), st.sampled_from("0123456789"))
@settings(max_examples=120, deadline=None)
def test_a_digit_more_is_another_amount(amount: int, place: int, digit: str) -> None:
    text = str(amount)
    changed = text[:place] + digit + text[place:]
    if int(changed) != amount:
        assert answer("anchor.quantity", {"value": f"{amount:,} EUR"}, f"We pay {int(changed):,} EUR.") == "no"
        assert answer("anchor.label_value", {"label": "Sum", "value": f"{amount:,} EUR"}, f"Sum: {int(changed):,} EUR") == "no"


REWRITES = {
    " ": ["\u00a0", "  ", "\u202f", "\n", "\u3000"],
    "-": ["\u2010", "\u2011", "\u2013"],
    '"': ["\u201c", "\u201d", "\u201e", "\u00ab", "\u00bb"],
    "'": ["\u2019", "\u2018"],
    "fi": ["\ufb01"],
    "é": ["e\u0301"],
    "o": ["o\u00ad"],
}


@given(st.data())
@settings(max_examples=100, deadline=None)
def test_rewritten_typography_is_the_same_wording(data: st.DataObject) -> None:
    text = "It's the \"first-class\" café office benefit of 90 days."
    for old, new in REWRITES.items():
        parts = text.split(old)
        text = "".join(part + (data.draw(st.sampled_from([old, *new])) if number < len(parts) - 1 else "") for number, part in enumerate(parts))
    assert answer("anchor.all_of", {"texts": ['"first-class" café office benefit']}, text) == "yes"
    assert answer("anchor.label_value", {"label": "office benefit", "value": "90 days"}, text) == "yes"


@given(st.text(max_size=60), st.sampled_from(["en", "de", "fr", "zh-Hans", "ja", "ar", "he"]))
@settings(max_examples=300, deadline=None)
def test_any_text_is_read(text: str, language: str) -> None:
    for found in find_quantities(text, language):
        assert 0 <= found.start < found.end <= len(normalise(text, "typographic"))
        assert found.low <= found.high
    polarity(text, 0, min(1, len(text)), language)


@pytest.mark.parametrize(
    "piece",
    ["1 ", "1,", "12,345 ", "one hundred and ", "一百", "a\u0301\u0316", "not ", "March ", "3.", "€ ", "1-", "\u202e", '"', "for example ", "500 m ", "10^"],
)
def test_reading_takes_linear_time(piece: str) -> None:
    def seconds(count: int) -> float:
        find_quantities.cache_clear()
        normalise.cache_clear()
        start = time.process_time()
        answer("anchor.quantity", {"value": "7 days"}, piece * count)
        answer("anchor.all_of", {"texts": ["waiting"]}, piece * count)
        answer("anchor.clean_text", {}, piece * count)
        return time.process_time() - start

    seconds(100)
    small, large = min(seconds(1_000) for _ in range(2)), seconds(8_000)
    assert large < 8 * 5 * max(small, 0.01), (small, large)
