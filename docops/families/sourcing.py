"""Predicates on where a report's figures come from: `report.no_unsupported_numbers`, `report.cites`."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import pairwise
from typing import Any

from docops.core.codes import Family, FindingCode
from docops.core.predicate import AddressText, Context, Evidence, Example, Finding, Predicate, predicate
from docops.families.anchors import check_pattern, compile_pattern, missing_place
from docops.families.negation import sentences
from docops.families.quantities import Quantity, find_quantities
from docops.families.samples import letter
from docops.families.statements import Statement, grids, source_place, statements
from docops.families.text_profiles import normalise, occurrences
from docops.families.wording import check_language

AT = "letter.docx"


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
            if quantity.unit == "%":
                self._amounts.setdefault("", []).append(amount / 100)
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


def _check_sources(parameters: Mapping[str, Any]) -> list[str]:
    problems = check_language(parameters) + ([] if parameters.get("sources") else ["`sources` names none"])
    if parameters.get("source_language"):
        problems += check_language({"language": parameters["source_language"]})
    return problems + (check_pattern({"pattern": parameters["claim"]}) if parameters.get("claim") else [])


@predicate(
    "report.no_unsupported_numbers",
    family=Family.ANCHOR,
    validate=_check_sources,
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

    Not looked at: ordinals, numbers in words up to twelve without a unit, the numbering of headings and lists, codes, and
    numbers that only name a section, figure, table, page, source or standard (`Table 3`, `[7]`, `ISO 9001`).
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
    text = normalise(item.text, "typographic")
    for figure in item.quantities(language):
        if figure.ordinal or figure.start < at or (not figure.unit and _is_reference(text, figure)):
            continue
        readings = [other for other in item.quantities(language) if other.start == figure.start]
        at = max(other.end for other in readings)
        if figure.kind in ("words", "numerals", "fraction") and not any(other.unit for other in readings) and abs(figure.low) <= 12:
            continue
        if not figure.unit and figure.low == int(figure.low) and abs(figure.low) <= small:
            continue
        yield figure, readings


#: What a number after it is the number of.
_REFERENCE = re.compile(
    r"(?:\b(?:sections?|chapters?|figures?|fig\.|tables?|pages?|pp?\.|appendix|annex|articles?|arts?\.|footnotes?|notes?|steps?|slides?|sheets?|questions?|items?|clauses?|paragraphs?|paras?\.|exhibits?|no\.|nos\."
    r"|abschnitte?|kapitel|abbildung(?:en)?|abb\.|tabellen?|tab\.|seiten?|s\.|anhang|anlagen?|artikel|absatz|abs\.|ziffer|nr\.|chapitres?|tableaux?|annexes?|n°"
    r"|ISO|IEC|DIN|EN|IEEE|RFC|IFRS|IAS|SOC|NIST|ASTM)|§§?|[图圖表第章])(?: ?\d+(?:\.\d+)*(?: ?(?:,|-|and|und|et|to|bis|à) ?))* ?$",
    re.IGNORECASE,
)
_PAGE_OF = re.compile(r"\b(?:page|seite|slide|p\.) ?\d+ (?:of|von|sur|/) ?$", re.IGNORECASE)
_CITED = re.compile(r"\[(?:\d{1,3}(?: ?[,;-] ?))*$")


def _is_reference(text: str, figure: Quantity) -> bool:
    """Whether a number only names a section, a figure, a page, a source or a standard."""
    before = text[max(0, figure.start - 40) : figure.start]
    return bool(_REFERENCE.search(before) or _PAGE_OF.search(before) or (_CITED.search(before) and re.match(r"(?: ?[,;-] ?\d{1,3})*\]", text[figure.end : figure.end + 40])))


@predicate(
    "report.cites",
    family=Family.ANCHOR,
    validate=_check_sources,
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
        text = _GROUPED.sub(_apart, normalise(item.text, "typographic"))
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


#: Several citations in one bracket: [1, 2], [1-3].
_GROUPED = re.compile(r"\[(\d{1,3}(?: ?[,;-] ?\d{1,3})+)\]")


def _apart(match: re.Match[str]) -> str:
    """Citations of one bracket, each in its own."""
    out: list[str] = []
    for part in re.split(r"[,;]", match.group(1)):
        first, _, last = part.strip().partition("-")
        numbers = range(int(first), min(int(last or first), int(first) + 50) + 1)
        out += [f"[{number}]" for number in numbers]
    return "".join(out)


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


SOURCING_PREDICATES: tuple[Predicate, ...] = (no_unsupported_numbers, cites)
