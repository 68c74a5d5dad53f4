"""Occurrences of wording, each with the form it has: affirmed in a sentence, or one of the ways to have words without saying them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from docops.core.address import parse_address
from docops.core.codes import Aspect
from docops.core.node import resolve
from docops.core.predicate import Target
from docops.families.anchors import Passage
from docops.families.negation import Polarity, polarity, sentence_around, sentences
from docops.families.statements import row_key
from docops.families.text_profiles import normalise, occurrences, readings


class Form(StrEnum):
    """How a wording stands in a text; all but `stated` fail where the wording must be said."""

    STATED = "stated"
    NEGATED = "negated"
    HEDGED = "hedged"
    UNSURE = "unsure"
    LISTED = "listed without context"
    REPEATED = "repeated"
    QUOTED = "quoted as an example"
    ASKED_FOR = "asked for, not said"


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
#: Sentences that ask the writer for a wording.
_ASKED_FOR = re.compile(
    r"\bplease (?:also )?(?:write about|describe|summari[sz]e|discuss|cover)\b|\bwrite an? (?:\w+ )?(?:report|summary|memo|text|section|deck)\b"
    r"|\b(?:report|summary|section|memo|deck|slides?|answer|output)s? (?:must|should|needs? to|has to|have to) (?:also )?(?:mention|contain|say|state|include|cover|address|discuss|describe|explain)\b"
    r"|\b(?:bitte (?:schreiben|erwähnen|nennen|beschreiben|erläutern)|(?:bericht|text|dokument) (?:muss|soll|sollte) .{0,80}\b(?:erwähnen|enthalten|nennen|behandeln))\b"
    r"|\b(?:veuillez (?:écrire|mentionner|décrire|expliquer|indiquer)|(?:le rapport|le document|le texte) doit (?:mentionner|contenir|indiquer|traiter))\b"
    r"|请(?:写|提及|说明|描述|写明)|(?:报告|文档)(?:必须|应当|应|须)(?:提及|包含|写明|说明)",
    re.IGNORECASE,
)
#: Sentences that list words as words.
_LIST_HEAD = re.compile(r"^\W*(?:key ?words?|key terms?|tags?|buzzwords?|index terms|stichw(?:orte|örter)|schlagw(?:orte|örter)|mots[ -]clés|palabras clave|parole chiave|trefwoorden|palavras-chave|关键词|關鍵詞|キーワード|الكلمات المفتاحية|מילות מפתח)(?!\w)", re.IGNORECASE)
#: How many bare wordings on end make a list without context.
_RUN = 3
_QUOTED = re.compile(r'"[^"]*"')
_WORDS = re.compile(r"[^\W_]+")
_REPEATS = 4
#: Longer passages hold more than bare wordings.
_LONGEST_BARE = 400


def hits(found: Sequence[Passage], wanted: Sequence[str], profile: str, language: str, others: Sequence[str] = (), *, context: bool = True, listed: Mapping[int, Sequence[tuple[int, int]]] | None = None) -> Iterator[Hit]:
    """Every occurrence of one of `wanted` in the passages.

    others: the further wordings of the criterion, so that a bare list of them all is recognised.
    context: look at polarity and gaming forms; otherwise every occurrence is `stated`.   listed: what `listed_places` says of the passages.
    """
    needles = [needle for needle in dict.fromkeys(_needle(text, profile) for text in wanted) if needle]
    all_needles = list(dict.fromkeys([*needles, *(_needle(text, profile) for text in others)]))
    for number, passage in enumerate(found):
        texts = readings(passage.text, profile)
        for needle in needles:
            text, places = max(((text, occurrences(text, needle)) for text in texts), key=lambda reading: len(reading[1]))
            for start in places:
                form = form_of(passage.text, text, start, start + len(needle), needle, all_needles, profile, language) if context else Form.STATED
                if text is texts[0] and any(first <= start and start + len(needle) <= last for first, last in (listed or {}).get(number, ())):
                    form = Form.LISTED
                yield Hit(passage, text, start, start + len(needle), form)


def _needle(text: str, profile: str) -> str:
    return normalise(text, profile).strip() if profile != "verbatim" else text


def listed_places(found: Sequence[Passage], wanted: Sequence[str], profile: str, target: Target) -> dict[int, list[tuple[int, int]]]:
    """Where bare wordings stand on end, one a sentence, a line or a paragraph: passage's number → places in its normalised text.

    Cells of tables are labels, not lists, and so are headings; one that repeats the list begins what follows it.
    """
    needles = list(dict.fromkeys(filter(None, (_needle(text, profile) for text in wanted))))
    out: dict[int, list[tuple[int, int]]] = {}
    if len(needles) < _RUN:
        return out
    run: list[tuple[int, int, int]] = []
    met: dict[str, int] = {}

    def close() -> None:
        places = run[:-1] if run and max(met.values()) > 1 else run
        if len(places) >= _RUN and len(met) >= _RUN and not all(_is_heading(found[number].address, target) for number, _, _ in places):
            for number, first, last in places:
                out.setdefault(number, []).append((first, last))
        run.clear()
        met.clear()

    for number, passage in enumerate(found):
        if not passage.text.strip() or passage.again:
            continue
        text = normalise(passage.text, profile)
        if len(text) > _LONGEST_BARE and not passage.lines:
            close()
            continue
        for first, last in _pieces(passage, text, profile):
            here = {needle for needle in needles if occurrences(text[first:last], needle)}
            if here and row_key(passage.address) == passage.address and sum(map(_size, here)) * 4 >= _size(text[first:last]) * 3:
                run.append((number, first, last))
                met.update({needle: met.get(needle, 0) + 1 for needle in here})
            else:
                close()
    close()
    return out


def _is_heading(address: str, target: Target) -> bool:
    """Whether a place is a heading of a document."""
    if target.document.format != "docx":
        return False
    nodes = resolve(target.document.root, parse_address(address).segments)
    return any(isinstance(node.facts.get((Aspect.STRUCTURE, "heading level")), int) for node in nodes)


def _pieces(passage: Passage, text: str, profile: str) -> Iterator[tuple[int, int]]:
    """The lines of a page, or the sentences of another passage, as places in its normalised text."""
    if passage.lines:
        at = 0
        for _, line in passage.lines:
            part = normalise(line, profile).strip()
            start = text.find(part, at) if part else -1
            if start >= 0:
                at = start + len(part)
                yield start, at
    elif profile == "loose":
        yield 0, len(text)
    else:
        yield from sentences(text)


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
    if _ASKED_FOR.search(sentence):
        return Form.ASKED_FOR
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
    if present >= 3 and (total * 4 >= size * 3 or _LIST_HEAD.match(sentence)):
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
