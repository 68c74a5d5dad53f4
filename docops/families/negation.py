"""Whether a text affirms what stands in it: deterministic rules over cue words, and an honest "unsure" beyond them.

The rules look at the clause around the wording: a cue before it (`no waiting period`, `nicht garantiert`, `不保证`) or after
it (`the waiting period does not apply`, `適用しない`). They do not understand a text. A wording that is itself asked or doubted
(`Is there a waiting period?`, `a waiting period might apply`) is `hedged`. Two cues, or one far away, give `unsure`; a doubt or
a negation that may be of something else (`the waiting period does not end before June`) `open`. Irony, negation across sentences, and verbs that deny beyond the listed are not seen.
Languages with cues: those of `negation_cues.py`; wordings in others are never negated.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from functools import lru_cache

from docops.families.locales import base_language
from docops.families.negation_cues import (
    AFTER,
    ASKED,
    BEFORE,
    CHINESE_AFTER,
    CHINESE_BEFORE,
    CHINESE_KEEP,
    CHINESE_LATER,
    CLOSE_BEFORE,
    DOUBT,
    DOUBTED_AFTER,
    DOUBTED_BEFORE,
    JAPANESE_AFTER,
    LATER,
)


class Polarity(StrEnum):
    """How a text means a wording that stands in it."""

    AFFIRMED = "affirmed"
    NEGATED = "negated"
    HEDGED = "hedged"
    OPEN = "open"
    UNSURE = "unsure"


#: What ends a clause, so that a cue beyond it says nothing of the wording.
_CLAUSE = re.compile(r"[.;:!?。；！？\n]|, (?:but|and|while|whereas|which|aber|sondern|und|während|mais|et|tandis)\b|，(?:但|而|而是)|، (?:لكن|بل)|\b(?:but|however|aber|sondern|jedoch|mais|cependant)\b|但是?|しかし|が、", re.IGNORECASE)
#: Behind it stands what the wording is not: 90 days, not 60.
_CONTRAST = re.compile(r", (?:nicht|not|pas|non) (?!mehr|yet)", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[!?](?=\s|$)|\.(?=\s|$)(?<!\.\.\.\.)(?<!\b[A-Za-z]\.)(?<!approx\.)(?<!z\.)(?<!B\.)(?<!Nr\.)(?<!No\.)(?<!ca\.)(?<!Mio\.)|[。！？；]|\n|؟")
_NUMBERED = re.compile(r"\s*(?:\d{1,2}|[IVX]{1,4})\.$")
_GERMAN_MONTH = re.compile(r" (?:Jan|Feb|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez)")
#: How far a sentence is looked for, so that a text without full stops takes no quadratic time.
_REACH = 600
#: How many words before the wording a cue may stand to be taken for one that negates it; further away it is unsure.
_NEAR = 6
#: How many for a cue that does away with what stands right behind it.
_CLOSE = 3
#: How far back, in characters, cues are looked for.
_WINDOW = 200
#: A clause with a verb of its own, and the `and` that begins another.
_OTHER_CLAUSE = re.compile(r".*\b(?:is|are|was|were|has|have|had|will|can|must|may|shall|applies|apply|exists?)\b.*\band (?=(?:an?|the|our|your|this|that|it|we|you|they)\b)", re.IGNORECASE)
#: Phrases with a cue that negate nothing.
_EMPTY = re.compile(r"\bwhether or not\b|\bnot only\b|\bno later than\b|\bno less than\b|\bno fewer than\b|\bno more than\b|\bnot (?:less|more|fewer|later) than\b|\bnot exceeding\b|\bno\. ?\d|\bnicht nur\b|\bnicht (?:weniger|mehr|später) als\b|\bnon seulement\b|\bpas (?:moins|plus) de\b|\bwithout (?:delay|limitation|prejudice)\b|\bohne weiteres\b|\bsans (?:délai|préjudice)\b|\bno doubt\b|\bsans doute\b", re.IGNORECASE)  # fmt: skip

#: Words of several parts that deny the figure behind them.
_LEFT_BEHIND = re.compile(r"\b(?:no longer|not the|not a|instead of(?: the)?|rather than(?: the)?|nicht mehr|nicht die|statt(?: der)?|anstelle von|au lieu de|plutôt que|en lugar de|invece di|in plaats van|em vez de) ?$", re.IGNORECASE)

#: The first half of a pair of cues that negate once.
_PAIR = re.compile(r"\b(?:neither(?=.*\bnor\b)|weder(?=.*\bnoch\b)|ni(?=.*\bni\b))", re.IGNORECASE)
#: The first of two cues that negate what `and` or `or` joins: no deductible and no waiting period.
_REPEATED = re.compile(r"\b(?:(?:keineswegs|nicht|nie)(?= (?:und|oder) (?:nicht|niemals|nie)\b)|no(?=[^.;]*\b(?:and|or|nor),? no\b)|without(?=[^.;]*\b(?:and|or) without\b)|keine?\w*(?=[^.;]*\b(?:und|oder) keine?\w*\b)|ohne(?=[^.;]*\b(?:und|oder) ohne\b)|sans(?=[^.;]*\b(?:et|ou) sans\b))", re.IGNORECASE)
#: Where a German clause about something else may begin, or one about the wording: nobody can tell without reading it.
_GERMAN_CLAUSE = re.compile(r", (?:die|der|das|den|dem|es|er|sie|wir|ihr|man|was|wobei|welche\w?) ", re.IGNORECASE)


def sentence_around(text: str, start: int, end: int) -> tuple[int, int]:
    """Where the sentence that holds a place begins and ends."""
    floor, ceiling = max(0, start - _REACH), min(len(text), end + _REACH)
    first = max((at for at in _ends(text, floor, ceiling) if at <= start), default=floor)
    last = min((at for at in _ends(text, end, ceiling)), default=ceiling)
    return first, last


def _ends(text: str, start: int, stop: int) -> Iterator[int]:
    """Where sentences end between two places; the full stop of `1. Cover` and of `3. März` ends none."""
    for match in _SENTENCE_END.finditer(text, start, stop):
        if match.group() == "." and ((match.end() <= 8 and _NUMBERED.match(text[: match.end()])) or (text[match.end() - 2 : match.end() - 1].isdigit() and _GERMAN_MONTH.match(text, match.end()))):
            continue
        yield match.end()


def sentences(text: str) -> list[tuple[int, int]]:
    """Where the sentences of a text begin and end."""
    out, first = [], 0
    for end in _ends(text, 0, len(text)):
        if text[first:end].strip():
            out.append((first, end))
        first = end
    if text[first:].strip():
        out.append((first, len(text)))
    return out


def polarity(text: str, start: int, end: int, language: str) -> Polarity:
    """Whether `text` affirms what stands between two places, by the rules for a language and for the scripts that show theirs."""
    first, last = sentence_around(text, start, end)
    sentence = text[first:last]
    before = _last_clause(text[first:start])
    after = _first_clause(text[end:last])
    own = base_language(language)
    doubt = _doubt(sentence, text[first:start], text[end:last], own)
    if doubt is not None:
        return doubt
    near, far = _split_near(before, own)
    other = _GERMAN_CLAUSE.search(after) if own == "de" else None
    if other is not None and _finds(LATER, after[other.start() :], own):
        return Polarity.OPEN
    cues = _count_before(near, own)
    behind = _count_after(after, own)
    if own == "fr" and cues and behind:
        behind = 0  # aucun … ne is one negation
    if cues + behind == 0:
        return Polarity.UNSURE if _count_before(far, own) else Polarity.OPEN if _denies_later(after, own) else Polarity.AFFIRMED
    return Polarity.NEGATED if cues + behind == 1 and not _count_before(far, own) else Polarity.UNSURE


def _doubt(sentence: str, before: str, after: str, language: str) -> Polarity | None:
    """Whether a sentence asks or doubts the wording, or something else that may be it."""
    known = language if language in DOUBT else "en"
    asked = sentence.rstrip(' ")').endswith(("?", "？", "؟"))
    if asked and re.match(ASKED, sentence, re.IGNORECASE):
        return Polarity.HEDGED
    if _finds(DOUBTED_BEFORE, before, known) or _finds(DOUBTED_AFTER, after, known):
        return Polarity.HEDGED
    return Polarity.OPEN if asked or _finds(DOUBT, sentence, known) else None


def _denies_later(after: str, language: str) -> bool:
    """Whether a negation stands behind the wording that may be of something else."""
    if language == "zh":
        return bool(re.search(CHINESE_LATER, re.sub(CHINESE_KEEP, "", after)[:12]))
    return _finds(LATER, _EMPTY.sub(" ", after), language)


def denied(text: str, start: int, language: str) -> bool:
    """Whether a figure that starts at a place is denied by a word right before it (`not 90 days`, `nicht 90 Tage`, `非90天`)."""
    own = base_language(language)
    before = _EMPTY.sub(" ", text[max(0, start - 30) : start])
    if own in ("zh", "ja"):
        return bool(re.search(r"(?:不是|并非|並非|非|而非)$", before))
    if _LEFT_BEHIND.search(before):
        return True
    cues = _before_cues(own)
    words = before.split()[-1:]
    return bool(cues is not None and words and cues.fullmatch(words[0]))


def _split_near(text: str, language: str) -> tuple[str, str]:
    """The last words of a clause, and what stands before them."""
    if language in ("zh", "ja"):
        return text, ""
    words = list(re.finditer(r"\S+", text))
    if len(words) <= _NEAR:
        return text, ""
    at = words[-_NEAR].start()
    return text[at:], text[:at]


def _last_clause(text: str) -> str:
    at = 0
    for match in _CLAUSE.finditer(text):
        at = match.end()
    at = max(at, len(text) - _WINDOW)
    other = _OTHER_CLAUSE.match(text, at)
    return text[other.end() if other is not None else at :]


def _first_clause(text: str) -> str:
    label = re.match(r'"? ?[:：] ?', text)
    match = _CLAUSE.search(text, label.end() if label is not None else 0)
    text = text[: match.start()] if match is not None else text
    contrast = _CONTRAST.search(text)
    return text[: contrast.start()] if contrast is not None else text


def _count_before(text: str, language: str) -> int:
    text = _REPEATED.sub(" ", _PAIR.sub(" ", _EMPTY.sub(" ", text)))
    if language == "ja":
        return 0
    if language == "zh":
        return len(re.findall(CHINESE_BEFORE, re.sub(CHINESE_KEEP, "", text)[-12:]))
    cues = _before_cues(language)
    if cues is None:
        return 0
    found = cues.findall(text)
    close = _before_cues(language, close=True)
    if close is not None:
        found += close.findall(" ".join(text.split()[-_CLOSE:]))
    if language == "fr" and "sans" not in {item.casefold() for item in found}:
        return min(len(found), 1)  # ne … pas is one negation
    return len(found)


def _count_after(text: str, language: str) -> int:
    text = _EMPTY.sub(" ", text)
    if language == "zh":
        return min(len(re.findall(CHINESE_AFTER, re.sub(CHINESE_KEEP, "", text)[:12])), 2)
    if language == "ja":
        return min(len(re.findall(JAPANESE_AFTER, text[:30])), 2)
    return int(_finds(AFTER, text, language))


def _finds(patterns: Mapping[str, str], text: str, language: str) -> bool:
    """Whether what a language has of some patterns is in a text."""
    pattern = patterns.get(language)
    return pattern is not None and re.search(pattern, text, re.IGNORECASE) is not None


@lru_cache(maxsize=16)
def _before_cues(language: str, *, close: bool = False) -> re.Pattern[str] | None:
    words = (CLOSE_BEFORE if close else BEFORE).get(language)
    if words is None:
        return None
    cues = [re.escape(word).replace("\\-", "[ ,-]+") for word in sorted(words.split(), key=len, reverse=True)]
    open_ended = [cue for cue in cues if cue.endswith(("'", "+"))]
    closed = [cue for cue in cues if cue not in open_ended]
    return re.compile(r"(?<![\w'])(?:(?:" + "|".join(closed) + r")(?!\w)(?!')" + "".join("|" + cue for cue in open_ended) + ")", re.IGNORECASE)
