"""Whether a text affirms what stands in it: deterministic rules over cue words, and an honest "unsure" beyond them.

The rules look at the clause around the wording: a cue before it (`no waiting period`, `nicht garantiert`, `不保证`) or after
it (`the waiting period does not apply`, `適用しない`). They do not understand a text. Two cues, or one far away, give `unsure`;
a question, or `might` and the like, `hedged`; irony, negation across sentences, and verbs that deny (`we refuse`) beyond the listed are not seen.
Languages with cues: English, German, French, Chinese, Japanese, Arabic, Hebrew; others are never negated.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from functools import lru_cache

from docops.families.locales import base_language


class Polarity(StrEnum):
    """How a text means a wording that stands in it."""

    AFFIRMED = "affirmed"
    NEGATED = "negated"
    HEDGED = "hedged"
    UNSURE = "unsure"


_BEFORE = {
    "en": "no not never without neither nor none cannot can't won't isn't aren't wasn't weren't doesn't don't didn't hasn't haven't nothing nobody lack lacks lacking exclude excludes excluding excluded free-of denies",
    "de": "kein keine keinen keinem keiner keines nicht nie niemals ohne weder noch nichts niemand ausgeschlossen",
    "fr": "ne n' pas sans aucun aucune jamais ni non",
    "ar": "لا ليس ليست لم لن بدون غير دون",
    "he": "לא אין אינו אינה ללא בלי איננו",
}
_AFTER = {
    "en": r"(?:is|are|was|were|does|do|did|has|have|shall|will|can|could|may|must|should|would)(?: not|n't)\b|\bcannot\b|\bnever\b|\b(?:is|are|was) (?:waived|excluded|void|inapplicable|absent|refused)\b|\bnot (?:applicable|required|guaranteed|included|covered|available)\b|: ?(?:none|no|nil|n/a|not applicable)\b",
    "de": r"\b(?:nicht|nie|niemals|entfällt|entfallen|ausgeschlossen)\b|: ?(?:kein|keine|keiner|entfällt|nein)\b",
    "fr": r"\bne\b|\bn'|\b(?:pas|jamais)\b|\b(?:exclue?s?|supprimée?s?)\b|: ?(?:aucune?|non|néant|sans)\b",
    "ar": r"(?<!\w)(?:لا|ليس|ليست|لن|لم)(?!\w)",
    "he": r"(?<!\w)(?:לא|אינו|אינה|איננו|אין)(?!\w)",
}
_CHINESE_BEFORE = re.compile(r"不是|并非|並非|没有|沒有|无须|無須|无需|無需|不|没|沒|无|無|非|未|免|勿|禁止|除外")
_CHINESE_KEEP = re.compile(r"不少于|不少於|不超过|不超過|不低于|不低於|不高于|不足|不仅|不僅|不但|无论|無論|非常|不断|不斷|未来|未來|不同|不含税")
_CHINESE_AFTER = re.compile(r"不适用|不適用|不存在|不承担|不承擔|不予|不包括|除外|[:：]?(?:无|無|没有|沒有)(?:$|[。，；])|不[一-鿿]|未[一-鿿]|已取消|豁免|被排除")
_JAPANESE_AFTER = re.compile(r"ない|ません|なし|無し|ず(?:$|[、。])|ぬ(?:$|[、。])|免除|除外|対象外")
_UNSURE = {
    "en": r"\b(?:might|possibly|perhaps|maybe|allegedly|supposedly|not necessarily|it is unclear|whether)\b",
    "de": r"\b(?:möglicherweise|vielleicht|eventuell|angeblich|ob|unter umständen)\b",
    "fr": r"\b(?:peut-être|éventuellement|prétendument|il se peut)\b",
    "zh": r"可能|也许|也許|或许|或許|是否|据称|據稱",
    "ja": r"かもしれ|可能性|おそらく|かどうか",
    "ar": r"ربما|قد(?!\w)|هل(?!\w)",
    "he": r"אולי|ייתכן|האם",
}
#: What ends a clause, so that a cue beyond it says nothing of the wording.
_CLAUSE = re.compile(r"[.;:!?。；！？\n]|, (?:but|and|while|whereas|which|aber|sondern|und|während|mais|et|tandis)\b|，(?:但|而|而是)|، (?:لكن|بل)|\b(?:but|however|aber|sondern|jedoch|mais|cependant)\b|但是?|しかし|が、", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[!?](?=\s|$)|\.(?=\s|$)(?<!\b[A-Za-z]\.)(?<!approx\.)(?<!z\.)(?<!B\.)(?<!Nr\.)(?<!No\.)(?<!ca\.)(?<!Mio\.)|[。！？；]|\n|؟")
_NUMBERED = re.compile(r"\s*(?:\d{1,2}|[IVX]{1,4})\.$")
_GERMAN_MONTH = re.compile(r" (?:Jan|Feb|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez)")
#: How far a sentence is looked for, so that a text without full stops takes no quadratic time.
_REACH = 600
#: How many words before the wording a cue may stand to be taken for one that negates it; further away it is unsure.
_NEAR = 6
#: Phrases with a cue that negate nothing.
_EMPTY = re.compile(r"\bnot only\b|\bno later than\b|\bno less than\b|\bno fewer than\b|\bno more than\b|\bnot (?:less|more|fewer|later) than\b|\bnot exceeding\b|\bno\. ?\d|\bnicht nur\b|\bnicht (?:weniger|mehr|später) als\b|\bnon seulement\b|\bpas (?:moins|plus) de\b|\bwithout (?:delay|limitation|prejudice)\b|\bohne weiteres\b|\bsans (?:délai|préjudice)\b|\bno doubt\b|\bsans doute\b", re.IGNORECASE)  # fmt: skip

#: The first half of a pair of cues that negate once.
_PAIR = re.compile(r"\b(?:neither(?=.*\bnor\b)|weder(?=.*\bnoch\b)|ni(?=.*\bni\b))", re.IGNORECASE)
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
    unsure = _UNSURE.get(own, _UNSURE["en"])
    if re.search(unsure, sentence, re.IGNORECASE) or sentence.rstrip().endswith(("?", "？", "؟")):
        return Polarity.HEDGED
    near, far = _split_near(before, own)
    other = _GERMAN_CLAUSE.search(after) if own == "de" else None
    if other is not None and _count_after(after[other.start() :], own):
        return Polarity.UNSURE
    cues = _count_before(near, own) + _count_after(after, own)
    if cues == 0:
        return Polarity.UNSURE if _count_before(far, own) else Polarity.AFFIRMED
    return Polarity.NEGATED if cues == 1 and not _count_before(far, own) else Polarity.UNSURE


def denied(text: str, start: int, language: str) -> bool:
    """Whether a figure that starts at a place is denied by a word right before it (`not 90 days`, `nicht 90 Tage`, `非90天`)."""
    own = base_language(language)
    before = _EMPTY.sub(" ", text[max(0, start - 30) : start])
    if own in ("zh", "ja"):
        return bool(re.search(r"(?:不是|并非|並非|非|而非)$", before))
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
    return text[at:]


def _first_clause(text: str) -> str:
    label = re.match(r'"? ?[:：] ?', text)
    match = _CLAUSE.search(text, label.end() if label is not None else 0)
    return text[: match.start()] if match is not None else text


def _count_before(text: str, language: str) -> int:
    text = _PAIR.sub(" ", _EMPTY.sub(" ", text))
    if language in ("zh", "ja"):
        return len(_CHINESE_BEFORE.findall(_CHINESE_KEEP.sub("", text)[-12:])) if language == "zh" else 0
    cues = _before_cues(language)
    if cues is None:
        return 0
    found = cues.findall(text)
    if language == "fr" and len(found) == 2 and {item.casefold() for item in found} & {"ne", "n'"}:
        return 1  # ne … pas is one negation
    return len(found)


def _count_after(text: str, language: str) -> int:
    text = _EMPTY.sub(" ", text)
    if language == "zh":
        return min(len(_CHINESE_AFTER.findall(_CHINESE_KEEP.sub("", text)[:12])), 2)
    if language == "ja":
        return min(len(_JAPANESE_AFTER.findall(text[:30])), 2)
    cues = _after_cues(language)
    found = cues.findall(text) if cues is not None else []
    return 1 if language == "fr" and found else len(found)


@lru_cache(maxsize=16)
def _before_cues(language: str) -> re.Pattern[str] | None:
    words = _BEFORE.get(language)
    if words is None:
        return None
    return re.compile(r"(?<![\w'])(?:" + "|".join(re.escape(word).replace("\\-", "[ -]") for word in sorted(words.split(), key=len, reverse=True)) + r")(?!\w)(?!')", re.IGNORECASE)  # fmt: skip


@lru_cache(maxsize=16)
def _after_cues(language: str) -> re.Pattern[str] | None:
    pattern = _AFTER.get(language)
    return re.compile(pattern, re.IGNORECASE) if pattern is not None else None
