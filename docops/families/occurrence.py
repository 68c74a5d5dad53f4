"""Occurrences of wording, each with the form it has: affirmed in a sentence, or one of the ways to have words without saying them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from docops.families.anchors import Passage
from docops.families.negation import Polarity, polarity, sentence_around
from docops.families.text_profiles import normalise, occurrences


class Form(StrEnum):
    """How a wording stands in a text; all but `stated` fail where the wording must be said."""

    STATED = "stated"
    NEGATED = "negated"
    HEDGED = "hedged"
    UNSURE = "unsure"
    LISTED = "listed without context"
    REPEATED = "repeated"
    QUOTED = "quoted as an example"


@dataclass(frozen=True, slots=True)
class Hit:
    """One occurrence: its passage, where in the passage's normalised text, which wording, and in what form."""

    passage: Passage
    text: str
    start: int
    end: int
    form: Form


_EXAMPLE = re.compile(
    r"\b(?:for example|for instance|example|examples|e\.g\.|such as|sample|specimen|the (?:words?|phrase|term|wording|sentence)|must (?:contain|say|state|include)|should (?:contain|say|state|include)"
    r"|zum beispiel|beispiel|z\. ?b\.|die (?:worte|formulierung|wendung)|muster|par exemple|exemple|p\. ?ex\.|la (?:phrase|mention|formule)|les mots)(?!\w)"
    r"|例如|比如|譬如|示例|例えば|例文|字样|字樣|という(?:文言|語|言葉)|مثال|مثلا|לדוגמה|למשל",
    re.IGNORECASE,
)
_EXAMPLE_START = re.compile(r"^\W*(?:example|sample|beispiel|muster|exemple|示例|例|例文|مثال|דוגמה)\s?\d*\s?:", re.IGNORECASE)
_QUOTED = re.compile(r'"[^"]*"')
_WORDS = re.compile(r"[^\W_]+")
_REPEATS = 4


def hits(found: Sequence[Passage], wanted: Sequence[str], profile: str, language: str, others: Sequence[str] = (), *, context: bool = True) -> Iterator[Hit]:
    """Every occurrence of one of `wanted` in the passages.

    others: the further wordings of the criterion, so that a bare list of them all is recognised.
    context: look at polarity and gaming forms; otherwise every occurrence is `stated`.
    """
    needles = [needle for needle in dict.fromkeys(_needle(text, profile) for text in wanted) if needle]
    all_needles = list(dict.fromkeys([*needles, *(_needle(text, profile) for text in others)]))
    for passage in found:
        text = normalise(passage.text, profile)
        for needle in needles:
            places = occurrences(text, needle)
            for start in places:
                form = form_of(passage.text, text, start, start + len(needle), needle, all_needles, profile, language) if context else Form.STATED
                yield Hit(passage, text, start, start + len(needle), form)


def _needle(text: str, profile: str) -> str:
    return normalise(text, profile).strip() if profile != "verbatim" else text


def form_of(stored: str, text: str, start: int, end: int, needle: str, needles: Sequence[str], profile: str, language: str) -> Form:
    """The form in which a wording stands between two places of a normalised text."""
    if profile == "loose":
        # Punctuation is gone there: sentences and quotes are looked for in the text with it.
        plain = normalise(stored, "typographic")
        index = len(occurrences(text[:start], needle))
        places = _loose_places(plain, needle)
        if index < len(places):
            text, (start, end) = plain, places[index]
    first, last = sentence_around(text, start, end)
    sentence = text[first:last]
    bare = _bareness(sentence, needles, profile)
    if bare is not None:
        return bare
    if _is_example(text, sentence, first, start, end):
        return Form.QUOTED
    meaning = polarity(text, start, end, language)
    return {Polarity.AFFIRMED: Form.STATED, Polarity.NEGATED: Form.NEGATED, Polarity.HEDGED: Form.HEDGED}.get(meaning, Form.UNSURE)


def _loose_places(plain: str, needle: str) -> list[tuple[int, int]]:
    """Where a loosely normalised wording stands in text that still has case, accents and punctuation."""
    words = [re.escape(word) for word in needle.split()]
    if not words:
        return []
    folded = "".join(_fold(char) for char in plain)
    if len(folded) != len(plain):
        return []
    return [match.span() for match in re.finditer(r"(?<!\w)" + r"\W+".join(words) + r"(?!\w)", folded)] or [
        match.span() for match in re.finditer(re.escape(needle), folded)
    ]


@lru_cache(maxsize=4096)
def _fold(char: str) -> str:
    base = "".join(part for part in unicodedata.normalize("NFD", char) if not unicodedata.combining(part)).casefold()
    return base if len(base) == 1 else char


def _bareness(sentence: str, needles: Sequence[str], profile: str) -> Form | None:
    """`repeated` or `listed without context` where a sentence holds hardly more than the wordings of the criterion."""
    text = normalise(sentence, profile)
    total = 0
    present = 0
    most = 0
    for needle in needles:
        count = len(occurrences(text, needle))
        present += count > 0
        most = max(most, count)
        total += count * _size(needle)
    size = _size(text)
    if most >= _REPEATS and total * 2 > size:
        return Form.REPEATED
    if present >= 3 and total * 4 >= size * 3:
        return Form.LISTED
    return None


def _size(text: str) -> int:
    return sum(len(match.group()) if not match.group().isascii() and ord(match.group()[0]) > 0x2E80 else 4 for match in _WORDS.finditer(text))


def _is_example(text: str, sentence: str, first: int, start: int, end: int) -> bool:
    if _EXAMPLE_START.search(sentence):
        return True
    for match in _QUOTED.finditer(sentence):
        if match.start() + first <= start and end <= match.end() + first:
            return _EXAMPLE.search(text[max(0, first - 80) : first + match.start()] + " " + sentence[match.end() :]) is not None
    return False
