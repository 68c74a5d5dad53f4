"""Predicates on what a report must be made of: `report.covers`, `forbids`, `readability`, `language`; the others are put together here."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from docops.core.codes import Aspect, Family, FindingCode
from docops.core.errors import NotApplicable
from docops.core.predicate import Context, Evidence, Example, Finding, Predicate, Target, predicate
from docops.families.agreement import REPORT_PREDICATES
from docops.families.anchors import Profile, missing_place, passages
from docops.families.lookalikes import skeleton
from docops.families.negation import Polarity, polarity, sentences
from docops.families.occurrence import Form, hits, listed_places
from docops.families.samples import letter
from docops.families.sourcing import SOURCING_PREDICATES
from docops.families.statements import NUMBERING
from docops.families.text_profiles import normalise, occurrences, readings
from docops.families.tongues import language_share
from docops.families.wording import check_language

AT = "letter.docx"
_PARTS = re.compile(r"[^\W_]+")
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W_]+(?:['’-][^\W_]+)*")


@predicate(
    "report.covers",
    family=Family.ANCHOR,
    validate=lambda given: check_language(given) + ([] if given.get("sections") or given.get("topics") else ["give `sections` or `topics`"]),
    examples=(
        Example("the section is there", lambda: _sections("Cover", "We pay for fire and theft."), {"at": AT, "sections": ["Cover"]}, True),
        Example("the section is empty", lambda: _sections("Cover", ""), {"at": AT, "sections": ["Cover"]}, FindingCode.MISMATCH),
        Example("there is none", lambda: _sections("Price", "It costs nothing at all."), {"at": AT, "sections": ["Cover"]}, FindingCode.MISSING),
        Example("a topic is not spoken of", lambda: _sections("Cover", "We pay for fire and theft."), {"at": AT, "topics": {"claims": ["claim", "claims"]}}, FindingCode.MISSING),
    ),
)  # fmt: skip
def covers(
    context: Context, *, at: str, sections: Sequence[str] = (), topics: Mapping[str, Sequence[str]] | None = None, words: int = 3, language: str = "en", profile: Profile = "loose"
) -> Iterator[Finding | Evidence]:
    """The report has the required sections, each with content, and speaks of the required topics.

    at: the place, or an artifact.
    sections: headings, without their numbering; headings of a document, titles of slides, lines of a page.
    topics: name → words, one of which must be said (not negated, not in a bare list).
    words: how many words a section needs at least.   language, profile: as in `anchor.all_of`.
    """
    target = context.target(at)
    absent = missing_place(target)
    if absent is not None:
        yield absent
        return
    lines = _lines(target)
    wanted = {_heading(section): section for section in sections}
    for key, section in wanted.items():
        places = [number for number, (_, text, level) in enumerate(lines) if _heading(text) == key and level >= 0]
        if not places:
            yield Finding(FindingCode.MISSING, target.place(), section, None, f"there is no section {section!r}")
            continue
        counts = [_section_words(lines, number, wanted) for number in places]
        where = target.place(lines[places[0]][0])
        if max(counts) < words:
            yield Finding(FindingCode.MISMATCH, where, f"at least {words} words", max(counts), f"the section {section!r} has {max(counts)} words")
        else:
            yield Evidence(where, section)
    found = passages(target, visible=True, context=context)
    wordings = [wording for group in (topics or {}).values() for wording in group]
    listed = listed_places(found, wordings, profile, target)
    for topic, texts in (topics or {}).items():
        all_hits = list(hits(found, texts, profile, language, wordings, listed=listed))
        good = next((hit for hit in all_hits if hit.form is Form.STATED), None)
        if good is not None:
            yield Evidence(target.place(good.passage.address), good.text[max(0, good.start - 60) : good.end + 60])
        elif all_hits:
            bad = all_hits[0]
            yield Finding(FindingCode.MISMATCH, target.place(bad.passage.address), topic, str(bad.form), f"of the topic {topic!r} there is only {bad.form} wording")
        else:
            yield Finding(FindingCode.MISSING, target.place(), topic, None, f"the topic {topic!r} is not spoken of")


def _sections(heading: str, text: str) -> Mapping[str, bytes]:
    from docops.formats.docx.samples import docx

    return {"letter.docx": docx(f"# {heading}", *([text] if text else []), "# Other", "Something else is said here.")}


def _lines(target: Target) -> list[tuple[str, str, int]]:
    """(address, text, level) of every visible line: level 1 to 9 for headings of a document, 0 where nobody can tell, -1 for plain text."""
    levels: dict[str, int] = {}
    stack = list(target.nodes)
    if target.document.format == "docx":
        while stack:
            node = stack.pop()
            level = node.facts.get((Aspect.STRUCTURE, "heading level")) if node.kind == "paragraph" else None
            if isinstance(level, int):
                levels[node.address] = level
            if node.kind != "paragraph":
                stack.extend(node.children)
    out: list[tuple[str, str, int]] = []
    for passage in passages(target, visible=True):
        level = levels.get(passage.address, -1 if levels else 0)
        out += [(passage.address, line, level) for line in passage.text.split("\n") if line.strip()]
    return out


def _heading(text: str) -> str:
    return normalise(NUMBERING.sub("", text, count=1), "loose") or normalise(text, "loose")


def _section_words(lines: Sequence[tuple[str, str, int]], at: int, sections: Mapping[str, str]) -> int:
    address, _, level = lines[at]
    slide = address.partition("/")[0] if address.startswith("slide[") else ""
    count = 0
    for other, text, depth in lines[at + 1 :]:
        if (level > 0 and 0 < depth <= level) or (level == 0 and _heading(text) in sections) or (slide and other.partition("/")[0] != slide):
            break
        count += len(_WORD.findall(text)) if depth <= 0 else 0
    return count


@predicate(
    "report.forbids",
    family=Family.ANCHOR,
    validate=lambda given: check_language(given) + ([] if given.get("phrases") else ["give `phrases`"]) + [f"a phrase that is blank holds no wording: {item!r}" for item in given.get("phrases", ()) if not item.strip()],
    examples=(
        Example("nothing is promised", letter("Returns are not guaranteed."), {"at": AT, "phrases": ["guaranteed"]}, True),
        Example("a promise", letter("Returns are guaranteed."), {"at": AT, "phrases": ["guaranteed"]}, FindingCode.UNEXPECTED),
        Example("an exception", letter("The guaranteed rate is 1 %."), {"at": AT, "phrases": ["guaranteed"], "exceptions": ["guaranteed rate"]}, True),
        Example("hidden", letter("Dear", hidden="It is guaranteed."), {"at": AT, "phrases": ["guaranteed"]}, FindingCode.UNEXPECTED),
    ),
)
def forbids(
    context: Context,
    *,
    at: str,
    phrases: Sequence[str],
    exceptions: Sequence[str] = (),
    language: str = "en",
    profile: Profile = "loose",
    negated: bool = True,
    quoted: bool = False,
    visible: bool = False,
) -> Iterator[Finding | Evidence]:
    """The text says none of the phrases.

    at: the place, or an artifact. A place that the output does not have says nothing.
    phrases: what must not be said, as whole words; give every inflected form.
    exceptions: longer wordings in which a phrase is allowed.
    negated: a phrase that its sentence negates (`not guaranteed`) is allowed (default).
    quoted: a phrase in quotation marks is allowed.
    visible: look only at what a reader sees (default: at everything stored).
    language, profile: as in `anchor.all_of`; `loose` by default, and look-alike letters are read as Latin ones.

    Not applicable where two negations meet, and nothing else is wrong.
    """
    target = context.target(at)
    found = passages(target, visible=visible, context=context)
    latin = base_latin(phrases)
    unsure: list[str] = []
    said: set[tuple[str, str]] = set()
    for passage in found:
        for number, plain in enumerate(readings(passage.text, "verbatim" if profile == "verbatim" else "typographic")):
            folded, places = _folded(plain, profile, latin)
            allowed = [span for item in exceptions for span in _spans(folded, item, profile, latin)]
            for phrase in phrases:
                if (number or passage.again) and (passage.view or passage.address, phrase) in said:
                    continue
                for first, last in _spans(folded, phrase, profile, latin):
                    start, end = places[first], places[last - 1] + 1
                    if any(one <= first and last <= other for one, other in allowed) or (quoted and _in_quotes(plain, start, end)):
                        continue
                    meaning = polarity(plain, start, end, language)
                    if negated and meaning is Polarity.NEGATED:
                        continue
                    excerpt = plain[max(0, start - 60) : end + 60]
                    if negated and meaning is Polarity.UNSURE:
                        unsure.append(excerpt)
                        continue
                    said.add((passage.view or passage.address, phrase))
                    hidden = f" ({passage.hidden_by})" if passage.hidden_by else ""
                    yield Finding(FindingCode.UNEXPECTED, target.place(passage.at(phrase, profile)), None, excerpt, f"{phrase!r} is said there{hidden}")
    if unsure and not said:
        raise NotApplicable(f"whether the text negates the phrase is beyond the rules: {unsure[0]!r}")
    yield Evidence(target.place(), f"{len(found)} passage(s) looked at")


def base_latin(phrases: Sequence[str]) -> bool:
    """Whether phrases are written in Latin letters, so that look-alikes are read as such."""
    return all(char.isascii() or ord(char) < 0x250 for phrase in phrases for char in phrase if char.isalpha())


def _folded(text: str, profile: str, latin: bool) -> tuple[str, Sequence[int]]:
    """A text as phrases are looked for in it, and where each of its characters stands in the text."""
    if latin:
        text = skeleton(text)
    if profile != "loose":
        return text, range(len(text))
    if text.isascii():
        return text.lower(), range(len(text))
    out: list[str] = []
    places: list[int] = []
    for place, char in enumerate(text):
        for part in _fold(char):
            out.append(part)
            places.append(place)
    return "".join(out), places


@lru_cache(maxsize=4096)
def _fold(char: str) -> str:
    return normalise(char, "loose") or ("" if unicodedata.combining(char) else char)


def _spans(folded: str, phrase: str, profile: str, latin: bool) -> list[tuple[int, int]]:
    needle = phrase if profile == "verbatim" else normalise(phrase, "typographic").strip()
    needle = _folded(needle, profile, latin)[0]
    words = _PARTS.findall(needle) if profile == "loose" else []
    if len(words) > 1:
        return [match.span() for match in re.finditer(r"(?<!\w)" + r"[\W_]+".join(map(re.escape, words)) + r"(?!\w)", folded)]
    needle = words[0] if words else needle
    return [(start, start + len(needle)) for start in occurrences(folded, needle)]


def _in_quotes(text: str, start: int, end: int) -> bool:
    return any(match.start() <= start and end <= match.end() for match in re.finditer(r'"[^"]{0,400}"', text))


def _check_bounds(given: Mapping[str, Any]) -> list[str]:
    names = ("min_words", "max_words", "max_sentence_words", "max_paragraph_words")
    problems = [] if any(given.get(name) is not None for name in names) else ["give a bound"]
    problems += [f"{name} = {given[name]}: must be 0 or more" for name in names if (given.get(name) or 0) < 0]
    if given.get("min_words") is not None and given.get("max_words") is not None and given["min_words"] > given["max_words"]:
        problems.append("min_words is above max_words: no text has both")
    return problems


@predicate(
    "report.readability",
    family=Family.ANCHOR,
    validate=_check_bounds,
    examples=(
        Example("short enough", letter("It is short.", "It is good."), {"at": AT, "max_words": 10, "max_sentence_words": 5}, True),
        Example("too long", letter("It is much too long."), {"at": AT, "max_words": 4}, FindingCode.WRONG_COUNT),
        Example("a sentence is too long", letter("One two three four five six."), {"at": AT, "max_sentence_words": 5}, FindingCode.WRONG_COUNT),
    ),
)  # fmt: skip
def readability(
    context: Context,
    *,
    at: str,
    min_words: int | None = None,
    max_words: int | None = None,
    max_sentence_words: float | None = None,
    max_paragraph_words: int | None = None,
) -> Iterator[Finding | Evidence]:
    """The text's length, its sentences and its paragraphs are within bounds.

    at: the place, or an artifact; what a reader sees there. A Chinese or Japanese character counts as a word.
    min_words, max_words: of the whole text.   max_sentence_words: on average.   max_paragraph_words: of each paragraph or cell.
    """
    target = context.target(at)
    absent = missing_place(target)
    if absent is not None:
        yield absent
        return
    total = count = 0
    for passage in passages(target, visible=True):
        words = len(_WORD.findall(passage.text))
        total += words
        count += len(sentences(normalise(passage.text, "typographic")))
        if max_paragraph_words is not None and words > max_paragraph_words:
            yield Finding(FindingCode.WRONG_COUNT, target.place(passage.address), f"at most {max_paragraph_words} words", words, f"the paragraph has {words} words")
    if min_words is not None and total < min_words:
        yield Finding(FindingCode.WRONG_COUNT, target.place(), f"at least {min_words} words", total, f"the text has {total} words")
    if max_words is not None and total > max_words:
        yield Finding(FindingCode.WRONG_COUNT, target.place(), f"at most {max_words} words", total, f"the text has {total} words")
    if max_sentence_words is not None and count and total > max_sentence_words * count:
        average = round(total / count, 1)
        yield Finding(FindingCode.WRONG_COUNT, target.place(), f"at most {max_sentence_words} words a sentence", average, f"a sentence has {average} words on average")
    yield Evidence(target.place(), f"{total} words, {count} sentences")


@predicate(
    "report.language",
    family=Family.ANCHOR,
    validate=lambda given: [] if 0 <= given.get("share", 0.8) <= 1 else [f"share = {given['share']}: must be from 0 to 1"],
    examples=(
        Example("English", letter("The insurer pays the claim that is made in the first year of the policy."), {"at": AT, "language": "en"}, True),
        Example("German instead", letter("Der Versicherer zahlt die Leistung, die in dem ersten Jahr der Police verlangt wird."), {"at": AT, "language": "en"}, FindingCode.MISMATCH),
        Example("Chinese", letter("本合同的等待期为九十天，自生效日起计算。"), {"at": AT, "language": "zh"}, True),
    ),
)  # fmt: skip
def language(
    context: Context, *, at: str, language: str, share: float = 0.8
) -> Iterator[Finding | Evidence]:
    """The text is written in a language, by its script and its commonest words.

    at: the place, or an artifact; what a reader sees there.
    language: en, de, fr, es, it, nl, pt, zh (zh-Hans, zh-Hant), ja, ko, ar, he, ru, el.
    share: of the words that speak for one of them, how many must speak for this one.

    Not applicable to other languages, and to texts that are too short to tell.
    """
    target = context.target(at)
    absent = missing_place(target)
    if absent is not None:
        yield absent
        return
    text = "\n".join(passage.text for passage in passages(target, visible=True))
    found = language_share(text, language)
    if found is None:
        raise NotApplicable(f"whether a text is in {language!r} cannot be told by script and common words, or the text is too short")
    held, other = found
    if held < share:
        yield Finding(FindingCode.MISMATCH, target.place(), language, other or round(held, 2), f"{held:.0%} of the words that tell are {language}" + (f"; most are {other}" if other else ""))
    yield Evidence(target.place(), f"{held:.0%} {language}")


PREDICATES: tuple[Predicate, ...] = (*SOURCING_PREDICATES, covers, forbids, readability, language, *REPORT_PREDICATES)
