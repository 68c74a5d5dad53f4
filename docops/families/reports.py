"""Predicates on what a report must be made of: `report.cites`, `no_unsupported_numbers`, `covers`, `forbids`, `readability`, `language`."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from functools import lru_cache
from itertools import pairwise

from docops.core.codes import Aspect, Family, FindingCode
from docops.core.errors import NotApplicable
from docops.core.predicate import AddressText, Context, Evidence, Example, Finding, Predicate, Target, predicate
from docops.families.agreement import REPORT_PREDICATES
from docops.families.anchors import Profile, compile_pattern, missing_place, passages
from docops.families.lookalikes import skeleton
from docops.families.negation import Polarity, polarity, sentences
from docops.families.occurrence import Form, hits
from docops.families.quantities import Quantity, find_quantities
from docops.families.samples import letter
from docops.families.statements import NUMBERING, Statement, grids, source_place, statements
from docops.families.text_profiles import normalise, occurrences
from docops.families.tongues import language_share
from docops.families.wording import check_language

AT = "letter.docx"
_PARTS = re.compile(r"[^\W_]+")
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W_]+(?:['’-][^\W_]+)*")


class Support:
    """The amounts that sources state, by unit, so that one lookup takes logarithmic time."""

    def __init__(self) -> None:
        self._amounts: dict[str, list[Decimal]] = {}
        self._dates: set[str] = set()
        self._sorted = False

    def add(self, quantity: Quantity) -> None:
        """One more amount."""
        if quantity.unit == "date":
            self._dates |= {quantity.date, quantity.date[:7], quantity.date[:4]}
            self._amounts.setdefault("", []).append(Decimal(quantity.date[:4]))
            return
        for amount in (quantity.low, quantity.high):
            self._amounts.setdefault(quantity.unit, []).append(amount)
            if not quantity.unit and abs(amount) <= 1:
                self._amounts.setdefault("%", []).append(amount * 100)
        self._sorted = False

    def holds(self, found: Quantity, rounded: bool) -> bool:
        """Whether a figure of a text is one of the amounts; money and plain numbers stand for each other."""
        if not self._sorted:
            for amounts in self._amounts.values():
                amounts.sort()
            self._sorted = True
        if found.unit == "date":
            return found.date in self._dates
        units = [found.unit, ""] if found.unit != "%" else ["%"]
        if not found.unit:
            units += [unit for unit in self._amounts if len(unit) == 3 and unit.isupper()]
        slack = found.quantum / 2 if rounded else Decimal(0)
        return all(any(self._near(unit, amount, slack) for unit in units) for amount in {found.low, found.high})

    def _near(self, unit: str, amount: Decimal, slack: Decimal) -> bool:
        amounts = self._amounts.get(unit, [])
        for value in (amount, -amount):
            at = bisect_left(amounts, value - slack)
            if at < len(amounts) and amounts[at] <= value + slack:
                return True
        return False


def _derived(found: Sequence[Statement], language: str) -> Iterator[Decimal]:
    """Sums of whole columns and rows of tables, and differences, changes and shares of numbers that follow each other."""
    for grid in grids(found):
        lines: dict[tuple[str, int], list[Decimal]] = {}
        for (row, column), cell in sorted(grid.cells.items()):
            amounts = [q.low for q in cell.quantities(language) if q.unit != "date"]
            if len(amounts) == 1:
                lines.setdefault(("row", row), []).append(amounts[0])
                lines.setdefault(("column", column), []).append(amounts[0])
        for line in lines.values():
            total = sum(line, Decimal(0))
            yield total
            for before, after in pairwise(line):
                yield after - before
                if before:
                    yield (after - before) / before * 100
            if total:
                yield from (item / total * 100 for item in line)


def _terms() -> Mapping[str, bytes]:
    from docops.formats.docx.samples import docx

    return {"letter.docx": docx("We pay EUR 500,000 within 90 days [Terms]."), "terms.docx": docx("The sum is 500,000 EUR.", "We pay after 90 days.")}


def _invented() -> Mapping[str, bytes]:
    from docops.formats.docx.samples import docx

    return {"letter.docx": docx("We pay EUR 600,000 within 90 days [Terms]."), "terms.docx": docx("The sum is 500,000 EUR.", "We pay after 90 days.")}


def _uncited() -> Mapping[str, bytes]:
    from docops.formats.docx.samples import docx

    return {"letter.docx": docx("We pay EUR 500,000 within 90 days."), "terms.docx": docx("The sum is 500,000 EUR.", "We pay after 90 days.")}


@predicate(
    "report.no_unsupported_numbers",
    family=Family.ANCHOR,
    validate=check_language,
    examples=(
        Example("every figure stands in the source", _terms, {"at": AT, "sources": ["terms.docx"]}, True),
        Example("one does not", _invented, {"at": AT, "sources": ["terms.docx"]}, FindingCode.UNEXPECTED),
        Example("it is allowed", _invented, {"at": AT, "sources": ["terms.docx"], "allow": ["EUR 600,000"]}, True),
    ),
)
def no_unsupported_numbers(
    context: Context,
    *,
    at: str,
    sources: Sequence[AddressText],
    allow: Sequence[str] = (),
    language: str = "en",
    source_language: str = "",
    rounded: bool = True,
    computed: bool = False,
    small: int = 0,
) -> Iterator[Finding | Evidence]:
    """Every figure at the place stands in a source, is computed from one, or is on the allow list.

    at: the place, or an artifact; what a reader sees there.
    sources: addresses, each looked at in the artifact's source where it has one, else in its output.
    allow: figures that need no source, as the language writes them.
    language: of the text;  source_language: of the sources (default: the same).
    rounded: a source's figure rounded to the places it is written with will do (default).
    computed: sums of whole rows and columns of a source's tables, and differences, changes and shares of numbers that
        follow each other in them, count as supported.
    small: whole numbers without a unit up to this need no source.

    Not looked at: ordinals, numbers in words up to twelve without a unit, the numbering of headings and lists, codes.
    """
    target = context.target(at)
    absent = missing_place(target)
    if absent is not None:
        yield absent
        return
    support = Support()
    for address in sources:
        found = statements(context, source_place(context, address), visible=False)
        for item in found:
            for stated in item.quantities(source_language or language):
                support.add(stated)
        if computed:
            for amount in _derived(found, source_language or language):
                for unit in ("", "%"):
                    support.add(Quantity(0, 0, "", amount, amount, unit))
    for text in allow:
        for stated in find_quantities(text, language):
            support.add(stated)
    count = 0
    for item in statements(context, target):
        for figure, readings in _figures(item, language, small):
            count += 1
            if not any(support.holds(reading, rounded) for reading in readings):
                text = normalise(item.text, "typographic")
                around = text[max(0, figure.start - 50) : figure.end + 50]
                yield Finding(FindingCode.UNEXPECTED, target.place(item.address), None, figure.text, f"{figure.text} stands in no source: {around!r}")
    yield Evidence(target.place(), f"{count} figure(s) looked at")


def _figures(item: Statement, language: str, small: int) -> Iterator[tuple[Quantity, list[Quantity]]]:
    """The figures of a statement that need a source, each with all its readings."""
    if item.amount is not None:
        yield item.amount, list(item.amounts)
        return
    at = -1
    for figure in item.quantities(language):
        if figure.ordinal or figure.start < at:
            continue
        readings = [other for other in item.quantities(language) if other.start == figure.start]
        at = max(other.end for other in readings)
        if figure.kind in ("words", "numerals", "fraction") and not any(other.unit for other in readings) and abs(figure.low) <= 12:
            continue
        if not figure.unit and figure.low == int(figure.low) and abs(figure.low) <= small:
            continue
        yield figure, readings


@predicate(
    "report.cites",
    family=Family.ANCHOR,
    validate=check_language,
    examples=(
        Example("cited, and the source says so", _terms, {"at": AT, "sources": {"[Terms]": "terms.docx"}}, True),
        Example("not cited", _uncited, {"at": AT, "sources": {"[Terms]": "terms.docx"}}, FindingCode.MISSING),
        Example("cited, and the source says otherwise", _invented, {"at": AT, "sources": {"[Terms]": "terms.docx"}}, FindingCode.MISMATCH),
        Example("cited is what does not exist", letter("We pay EUR 5 [7]."), {"at": AT, "sources": {"[1]": ""}}, FindingCode.UNEXPECTED),
    ),
)
def cites(
    context: Context,
    *,
    at: str,
    sources: Mapping[str, AddressText],
    claim: str = "",
    each: bool = False,
    language: str = "en",
    source_language: str = "",
    rounded: bool = True,
) -> Iterator[Finding | Evidence]:
    """Every claim names a source that exists, and its figures stand in that source.

    at: the place, or an artifact; what a reader sees there.
    sources: what a source is cited as → its address (`{ "[1]" = "terms.pdf", "Annual report" = "" }`); an empty address: the
        source is known, and its figures are not looked up.
    claim: RE2 pattern of sentences that need a source (default: every sentence with a figure).
    each: every figure has its own citation, before the next figure of the sentence.
    language, source_language, rounded: as in `report.no_unsupported_numbers`.

    A source is cited in the sentence itself or right behind its full stop. `[…]` with a number that no source is cited as
    is a source that does not exist.
    """
    target = context.target(at)
    absent = missing_place(target)
    if absent is not None:
        yield absent
        return
    pattern = compile_pattern(claim) if claim else None
    supports: dict[str, Support] = {}
    for item in statements(context, target):
        text = normalise(item.text, "typographic")
        for start, end, behind, cited in _cited_sentences(text, sources):
            sentence = text[start:end]
            for unknown in re.findall(r"\[\d{1,3}\]", sentence):
                if unknown not in sources:
                    yield Finding(FindingCode.UNEXPECTED, target.place(item.address), ", ".join(sources), unknown, f"{unknown} is no source: {sentence[:120]!r}")
            bare = sentence
            for name in sorted(sources, key=len, reverse=True):
                bare = bare.replace(normalise(name, "typographic"), " ")
            bare = re.sub(r"\[\d{1,3}\]", " ", bare)
            figures = [readings for _, readings in _figures(Statement(item.address, bare), language, 0)]
            if not (pattern.search(sentence) if pattern is not None else figures):
                continue
            if not cited:
                yield Finding(FindingCode.MISSING, target.place(item.address), ", ".join(sources), None, f"no source is named: {sentence.strip()[:160]!r}")
                continue
            alone = _figure_without_source(sentence, behind, sources, language) if each else None
            if alone is not None:
                yield Finding(FindingCode.MISSING, target.place(item.address), ", ".join(sources), None, f"no source is named for {alone}: {sentence.strip()[:160]!r}")
            addresses = [sources[name] for name in cited]
            if "" in addresses:
                yield Evidence(target.place(item.address), sentence.strip()[:160])
                continue
            for address in addresses:
                if address not in supports:
                    supports[address] = Support()
                    for stated in statements(context, source_place(context, address), visible=False):
                        for figure in stated.quantities(source_language or language):
                            supports[address].add(figure)
            for readings in figures:
                if not any(supports[address].holds(reading, rounded) for address in addresses for reading in readings):
                    yield Finding(FindingCode.MISMATCH, target.place(item.address), ", ".join(cited), readings[0].text, f"{readings[0].text} does not stand in {', '.join(cited)}")
            yield Evidence(target.place(item.address), sentence.strip()[:160])


def _figure_without_source(sentence: str, behind: str, sources: Mapping[str, str], language: str) -> str | None:
    """The first figure of a sentence that no source follows before the next figure."""
    text = sentence + behind
    cited = sorted((start, start + len(name)) for name in (normalise(name, "typographic").strip() for name in sources) for start in occurrences(text, name))
    figures = [figure for figure, _ in _figures(Statement("", text), language, 0) if not any(start <= figure.start < end for start, end in cited)]
    for number, figure in enumerate(figures):
        until = figures[number + 1].start if number + 1 < len(figures) else len(text)
        if not any(figure.end <= start < until for start, _ in cited):
            return figure.text
    return None


def _cited_sentences(text: str, sources: Mapping[str, str]) -> Iterator[tuple[int, int, str, list[str]]]:
    """(start, end, what follows as a citation, sources cited) of each sentence; a citation behind the full stop belongs to the sentence before."""
    parts = sentences(text)
    names = {name: normalise(name, "typographic").strip() for name in sources}
    for number, (start, end) in enumerate(parts):
        sentence = text[start:end]
        following = text[end : parts[number + 1][1]] if number + 1 < len(parts) else ""
        match = re.match(r"\s*(?:[\[(][^\])]*[\])]\s*)+", following)
        behind = match.group() if match is not None else ""
        looked = sentence + behind
        yield start, end, behind, [name for name, cited in names.items() if occurrences(looked, cited)]


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
    for topic, texts in (topics or {}).items():
        all_hits = list(hits(found, texts, profile, language, [other for group in (topics or {}).values() for other in group]))
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
    validate=lambda given: check_language(given) + ([] if given.get("phrases") else ["give `phrases`"]),
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
        plain = passage.text if profile == "verbatim" else normalise(passage.text, "typographic")
        folded, places = _folded(plain, profile, latin)
        allowed = [span for item in exceptions for span in _spans(folded, item, profile, latin)]
        for phrase in phrases:
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
                if passage.again and (passage.view, phrase) in said:
                    continue
                said |= {(passage.view or passage.address, phrase)}
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


@predicate(
    "report.readability",
    family=Family.ANCHOR,
    validate=lambda given: [] if any(given.get(name) is not None for name in ("min_words", "max_words", "max_sentence_words", "max_paragraph_words")) else ["give a bound"],
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


PREDICATES: tuple[Predicate, ...] = (no_unsupported_numbers, cites, covers, forbids, readability, language, *REPORT_PREDICATES)
