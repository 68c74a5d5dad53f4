"""Anchors on figures: `anchor.quantity`, `anchor.label_value`, `anchor.table_value`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import pairwise
from typing import Any

from docops.core.codes import Family, FindingCode
from docops.core.errors import NotApplicable
from docops.core.predicate import Context, Evidence, Example, Finding, Predicate, predicate
from docops.families.anchors import missing_place
from docops.families.negation import Polarity, denied, polarity, sentence_around
from docops.families.quantities import Quantity, agrees, find_quantities, read_quantity
from docops.families.samples import letter
from docops.families.statements import Grid, Statement, grid_place, grids, statements
from docops.families.text_profiles import normalise, occurrences
from docops.families.wording import check_language

AT = "letter.docx"
_AFTER_LABEL = re.compile(r'^"?\s*(?:\([^)]*\))?\s*(?:[:：=|,-]|is|are|was|amounts to|of|beträgt|lautet|ist|est(?: de)?|s\'élève à|de|为|為|是|は|が|هي|هو|הוא|היא)?\s*', re.IGNORECASE)


#: A unit behind a label, in brackets or after `in`: Waiting period (days), Revenue in EUR m.
_UNIT_BEHIND = re.compile(r"\s*(?:[,(\[]\s*(?:in )?|in )([^)\]\d]{1,24}?)[)\]]?\s*:?\s*", re.IGNORECASE)
_UNIT_LAST = re.compile(r"[(\[](?:in )?([^)\]\d]{1,24})[)\]]\s*$", re.IGNORECASE)
_MARKS = " .)(:-*•0123456789"
#: What may stand between a heading that is a label and its value: nothing, `It is`.
_LEADS_IN = re.compile(r"(?:(?:it|this|that) (?:is|was|amounts to|lasts)|(?:sie|er|es) (?:beträgt|ist|dauert)|(?:il|elle|ce) (?:est de|est|s'élève à|dure)|(?:为|為|是))? ?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Measure:
    """How a wanted quantity is compared with those found; see `quantities.agrees`."""

    tolerance: float = 0.0
    relative: float = 0.0
    rounded: bool = False
    relation: bool = True
    days_per_month: int | None = None

    def holds(self, wanted: Sequence[Quantity], found: Quantity, *, any_unit: bool = False) -> bool:
        """Whether one reading of what is wanted agrees with what was found."""
        return any(
            agrees(
                item,
                found,
                tolerance=Decimal(repr(self.tolerance)),
                relative=Decimal(repr(self.relative)),
                rounded=self.rounded,
                relation=self.relation,
                days_per_month=self.days_per_month,
                any_unit=any_unit,
            )
            for item in wanted
        )


def check_value(parameters: Mapping[str, Any]) -> list[str]:
    """What is wrong with the language, the tolerances and the quantity of a criterion."""
    problems = check_language(parameters)
    problems += [f"{name} = {parameters[name]}: must be 0 or more" for name in ("tolerance", "relative", "count") if (parameters.get(name) or 0) < 0]
    if parameters.get("source_language"):
        problems += check_language({"language": parameters["source_language"]})
    if parameters.get("days_per_month") is not None and parameters["days_per_month"] < 1:
        problems.append(f"days_per_month = {parameters['days_per_month']}: must be 1 or more")
    if parameters.get("factor") == 0:
        problems.append("factor = 0: every figure would be nothing")
    names = [name for name in (parameters.get("label"), parameters.get("source_label"), *(parameters.get("labels") or ())) if name is not None]
    problems += [f"a label that is blank names nothing: {name!r}" for name in names if not name.strip()]
    return problems


def _check_quantity(parameters: Mapping[str, Any]) -> list[str]:
    problems = check_value(parameters)
    if not problems:
        try:
            read_quantity(parameters["value"], parameters.get("language") or "en")
        except ValueError as error:
            problems.append(str(error))
    return problems


@predicate(
    "anchor.quantity",
    family=Family.ANCHOR,
    validate=_check_quantity,
    examples=(
        Example("the same amount, written otherwise", letter("We pay € 0.5 m."), {"at": AT, "value": "EUR 500,000"}, True),
        Example("in words", letter("It waits ninety days."), {"at": AT, "value": "90 days"}, True),
        Example("500,000 is no part of 1,500,000", letter("We pay 1,500,000."), {"at": AT, "value": "500,000"}, FindingCode.MISSING),
        Example("three months only where a month has days", letter("It waits three months."), {"at": AT, "value": "90 days"}, FindingCode.MISSING),
        Example("a month of 30 days", letter("It waits three months."), {"at": AT, "value": "90 days", "days_per_month": 30}, True),
        Example("rounded", letter("About 1.2 million"), {"at": AT, "value": "1,234,567", "rounded": True}, True),
        Example("twice instead of once", letter("5 %", "5 percent"), {"at": AT, "value": "5 %", "count": 1}, FindingCode.WRONG_COUNT),
    ),
)
def quantity(
    context: Context,
    *,
    at: str,
    value: str,
    language: str = "en",
    tolerance: float = 0.0,
    relative: float = 0.0,
    rounded: bool = False,
    relation: bool = True,
    days_per_month: int | None = None,
    count: int | None = None,
) -> Iterator[Finding | Evidence]:
    """A quantity stands at the place, however it is written.

    at: the place, or an artifact.
    value: the quantity as the language writes it: `500,000 EUR`, `90 days`, `5–10 %`, `at least 3 years`, `3 March 2026`.
    language: whose separators, names and order of dates are read, in the criterion and in the text.
    tolerance: how far the amount may be off, in the unit that docops converts to (docs/anchors.md);  relative: as a share.
    rounded: the amount rounded to the places it is written with will do (`1.2 million` for 1,234,567).
    relation: `at least`, `up to`, `about` must be as in `value` (default).
    days_per_month: let months and days agree, with so many days for a month; without it they never do.
    count: how often exactly (default: at least once).
    """
    target = context.target(at)
    absent = missing_place(target)
    if absent is not None:
        yield absent
        return
    wanted = read_quantity(value, language)
    measure = Measure(tolerance, relative, rounded, relation, days_per_month)
    number = 0
    others: list[str] = []
    for item in statements(context, target):
        text = normalise(item.text, "typographic")
        last = -1
        for found in item.quantities(language):
            if not measure.holds(wanted, found, any_unit=item.amount is not None):
                if found.unit == wanted[0].unit:
                    others.append(found.text)
                continue
            if item.amount is None and denied(text, found.start, language):
                others.append(f"not {found.text}")
                continue
            if found.start > last:
                number += 1
                last = found.start
                yield Evidence(target.place(item.address), text[max(0, found.start - 40) : found.end + 40])
    if count is not None and number != count and number:
        yield Finding(FindingCode.WRONG_COUNT, target.place(), f"{value} {count} times", number, f"{value} stands there {number} times")
    elif not number and count != 0:
        seen = ", ".join(dict.fromkeys(others[:12])) or None
        yield Finding(FindingCode.MISSING, target.place(), value, seen, f"{value} is not there" + (f"; there is {seen}" if seen else ""))


@dataclass(frozen=True, slots=True)
class Labelled:
    """A label that was met, and the value beside it: a quantity, a text, or nothing."""

    address: str
    form: str
    quantities: tuple[Quantity, ...]
    text: str


def labelled_values(found: Sequence[Statement], labels: Sequence[str], language: str, *, figures: bool = True) -> Iterator[Labelled]:
    """What stands beside each mention of a label: after it or right before it in its sentence, else in the next cell of its row,
    the cells below a column's heading, or right below a heading that is the label.

    figures: the value is one; a text is looked for in the sentence and the next cell only.
    """
    tables: dict[str, Grid] = {}
    following = dict(pairwise(range(len(found))))
    needles = [normalise(label, "typographic").strip().casefold() for label in labels]
    for number, item in enumerate(found):
        text = normalise(item.text, "typographic")
        folded = text.casefold()
        if len(folded) != len(text):
            folded = text
        for needle in needles:
            for start in occurrences(folded, needle):
                end = start + len(needle)
                first, last = sentence_around(text, start, end)
                all_found = item.quantities(language) if item.amount is None else ()
                after = tuple(q for q in all_found if end <= q.start < last)
                after = after[_outgoing(text, after) :]
                before = tuple(q for q in all_found if first <= q.start and q.end <= start and start - q.end <= 6)
                meaning = polarity(text, start, end, language)
                rest = _AFTER_LABEL.sub("", text[end:last], count=1).strip()
                place = grid_place(item.address)
                unit = _UNIT_BEHIND.fullmatch(text[end:])
                if place is not None and not after and not before and (not rest or unit is not None):
                    if not tables:
                        tables = {grid.address: grid for grid in grids(found)}
                    for cell in _valued(tables[place[0]], place[1], place[2], language, figures):
                        yield Labelled(cell.address, "affirmed", with_unit(cell, unit.group(1) if unit is not None else "", language), cell.text)
                    continue
                if figures and place is None and not after and not before and not rest and not text[:start].strip(_MARKS) and number in following:
                    below = found[following[number]]
                    shown = below.quantities(language) if grid_place(below.address) is None else ()
                    if shown and _LEADS_IN.fullmatch(normalise(below.text, "typographic")[: shown[0].start]):
                        yield Labelled(below.address, "affirmed", shown, below.text)
                        continue
                if denied(text, after[0].start, language) if after else False:
                    meaning = Polarity.NEGATED
                yield Labelled(item.address, str(meaning), after or before, rest)


def _valued(grid: Grid, row: int, column: int, language: str, figures: bool) -> list[Statement]:
    """The cells that say the value of a label: the next of its row, or, for a heading with headings beside it, those below."""
    beside = next((cell for place, cell in sorted(grid.cells.items()) if place[0] == row and place[1] > column), None)
    if figures and row == min(place[0] for place in grid.cells) and (beside is None or not beside.quantities(language)):
        below = [cell for place, cell in sorted(grid.cells.items()) if place[1] == column and place[0] > row]
        if below and below[0].quantities(language):
            return [cell for cell in below if cell.quantities(language)]
    return [beside] if beside is not None else []


def with_unit(cell: Statement, unit: str, language: str) -> tuple[Quantity, ...]:
    """The amounts of a cell, with the unit that its heading states (`Revenue (EUR m)`) where the cell states none."""
    found = cell.quantities(language)
    if not unit or not found or any(item.unit for item in found):
        return found
    number = normalise(cell.text, "typographic").strip()
    head, _, tail = unit.strip().partition(" ")
    symbol = unit.strip()[:1]
    for text in (f"{number} {unit}", f"{head} {number} {tail}".strip(), f"{symbol}{number}{unit.strip()[1:]}"):
        read = tuple(item for item in find_quantities(text, language) if item.unit and item.start == 0 and item.end == len(normalise(text, "typographic")))
        if read:
            return tuple(replace(item, start=0, end=len(number)) for item in read)
    return found


def _outgoing(text: str, found: Sequence[Quantity]) -> int:
    """How many of the amounts are what a value was before it became the next (`fell from 5 to 4`)."""
    if not found or not re.search(r"\b(?:from|von|de|da|desde|van) ?$|从$|從$", text[max(0, found[0].start - 6) : found[0].start], re.IGNORECASE):
        return 0
    later = next((number for number, item in enumerate(found) if item.start >= found[0].end), 0)
    return later if later and re.fullmatch(r" (?:to|auf|à|a|naar) | ?(?:到|至|增至|降至) ?", text[found[0].end : found[later].start]) else 0


@predicate(
    "anchor.label_value",
    family=Family.ANCHOR,
    validate=check_value,
    examples=(
        Example("a label and its value", letter("Waiting period: 90 days"), {"at": AT, "label": "Waiting period", "value": "90 days"}, True),
        Example("in a sentence", letter("The waiting period is ninety days."), {"at": AT, "label": "Waiting period", "value": "90 days"}, True),
        Example("another value", letter("Waiting period: 30 days"), {"at": AT, "label": "Waiting period", "value": "90 days"}, FindingCode.MISMATCH),
        Example("the value of another label", letter("Waiting period: 30 days", "Term: 90 days"), {"at": AT, "label": "Waiting period", "value": "90 days"}, FindingCode.MISMATCH),
        Example("denied", letter("No waiting period of 90 days applies."), {"at": AT, "label": "waiting period", "value": "90 days"}, FindingCode.MISMATCH),
        Example("two values that contradict", letter("Waiting period: 90 days", "Waiting period: 60 days"), {"at": AT, "label": "Waiting period", "value": "90 days"}, FindingCode.MISMATCH),
        Example("no such label", letter("Term: 90 days"), {"at": AT, "label": "Waiting period", "value": "90 days"}, FindingCode.MISSING),
        Example("a text as value", letter("Insurer: Acme Ltd"), {"at": AT, "label": "Insurer", "value": "Acme Ltd"}, True),
    ),
)  # fmt: skip
def label_value(
    context: Context,
    *,
    at: str,
    label: str,
    value: str,
    labels: Sequence[str] = (),
    language: str = "en",
    tolerance: float = 0.0,
    relative: float = 0.0,
    rounded: bool = False,
    relation: bool = True,
    days_per_month: int | None = None,
) -> Iterator[Finding | Evidence]:
    """A label has a value: in one sentence with it, in the next cell of its row, in the cells below it where it heads a column, or
    right below it where it is a heading; no mention of it says another.

    at: the place, or an artifact.
    label, labels: what the value is called, in this and in other ways; case does not count.
    value: a quantity as the language writes it, or a text.
    language, tolerance, relative, rounded, relation, days_per_month: as in `anchor.quantity`.

    A label whose sentence negates it does not count. Not applicable where only mentions stand whose meaning the rules for
    negation cannot tell.
    """
    target = context.target(at)
    absent = missing_place(target)
    if absent is not None:
        yield absent
        return
    try:
        wanted: tuple[Quantity, ...] = read_quantity(value, language)
    except ValueError:
        wanted = ()
    measure = Measure(tolerance, relative, rounded, relation, days_per_month)
    right = 0
    wrong: list[Finding] = []
    unsure = bare = 0
    for found in labelled_values(statements(context, target), [label, *labels], language, figures=bool(wanted)):
        place = target.place(found.address)
        holds, observed = _value_holds(found, value, wanted, measure)
        if observed is None:
            bare += 1
        elif found.form != "affirmed":
            unsure += found.form in ("unsure", "open")
            if holds or found.form == "negated":
                wrong.append(Finding(FindingCode.MISMATCH, place, value, f"{found.form}: {observed}", f"{label!r} is {found.form} there: {observed}"))
        elif holds:
            right += 1
            yield Evidence(place, f"{label}: {observed}")
        else:
            wrong.append(Finding(FindingCode.MISMATCH, place, value, observed, f"{label!r} is {observed} there, not {value}"))
    if not right and unsure and unsure == len(wrong):
        raise NotApplicable("whether the text affirms the value is beyond the rules for negation: " + "; ".join(f.message for f in wrong))
    yield from wrong
    if not right and not wrong:
        yield Finding(FindingCode.MISSING, target.place(), f"{label}: {value}", None, f"{label!r} stands there without a value" if bare else f"{label!r} is not there")


def _value_holds(found: Labelled, value: str, wanted: Sequence[Quantity], measure: Measure) -> tuple[bool, str | None]:
    """Whether a label's value is the wanted one, and what it is (None where the mention states no such value)."""
    if not wanted:
        text = normalise(found.text, "typographic").strip(" .,")
        needle = normalise(value, "typographic").strip()
        at = occurrences(text.casefold(), needle.casefold())
        return bool(at) and at[0] <= 1, text[:80] or None
    units = {item.unit for item in wanted}
    alike = [item for item in found.quantities if item.unit in units or {item.unit, *units} <= {"s", "month", "working day"}]
    if units == {""}:
        alike = list(found.quantities)
    if not alike:
        denial = re.match(r"(?:none|no|nil|n/a|not applicable|kein\w*|entfällt|aucune?|néant|无|無|なし|不适用)\b", found.text, re.IGNORECASE)
        return False, denial.group() if denial is not None else ("no value" if found.form == "negated" else None)
    first = [item for item in alike if item.start == alike[0].start]
    return any(measure.holds(wanted, item) for item in first), first[0].text


def _plans() -> Mapping[str, bytes]:
    from docops.formats.docx.samples import docx

    return {"plans.docx": docx("| Benefit | Plan A | Plan B |", "| Sum insured | 500,000 | 1,000,000 |", "| Waiting period | 30 days | 90 days |")}


@predicate(
    "anchor.table_value",
    family=Family.ANCHOR,
    validate=check_value,
    examples=(
        Example("the cell says it", _plans, {"at": "plans.docx#body/table[1]", "row": "Waiting period", "column": "Plan B", "value": "90 days"}, True),
        Example("another cell says it", _plans, {"at": "plans.docx", "row": "Waiting period", "column": "Plan A", "value": "90 days"}, FindingCode.MISMATCH),
        Example("no such row", _plans, {"at": "plans.docx", "row": "Deductible", "column": "Plan A", "value": "90 days"}, FindingCode.MISSING),
    ),
)
def table_value(
    context: Context,
    *,
    at: str,
    row: str,
    column: str,
    value: str,
    language: str = "en",
    tolerance: float = 0.0,
    relative: float = 0.0,
    rounded: bool = False,
    relation: bool = True,
) -> Iterator[Finding | Evidence]:
    """The cell in the row and the column with these headers says a value.

    at: a table, a sheet, or a place with tables.
    row, column: text of the header cells: the row's leftmost match, and a cell above in the column; case does not count. A
        unit in brackets at its end (`Revenue (EUR m)`) is that of cells that state none.
    value: a quantity as the language writes it, or a text that is the whole cell.
    language, tolerance, relative, rounded, relation: as in `anchor.quantity`.

    Merged cells count in the first of their columns. Not applicable to PDF, which has no tables.
    """
    target = context.target(at)
    if target.document.format == "pdf":
        raise NotApplicable("PDF files have no tables, only text that is placed like them")
    absent = missing_place(target)
    if absent is not None:
        yield absent
        return
    met = False
    for cell in header_cells(grids(statements(context, target)), row, column):
        met = True
        place = target.place(cell.address)
        if cell_says(cell, value, language, Measure(tolerance, relative, rounded, relation), _unit_of(column) or _unit_of(row)):
            yield Evidence(place, cell.text)
        else:
            yield Finding(FindingCode.MISMATCH, place, value, cell.text, f"{row} / {column} is {cell.text}, not {value}")
    if not met:
        yield Finding(FindingCode.MISSING, target.place(), f"{row} / {column}: {value}", None, f"no table there has a row {row!r} with a column {column!r}")


def header_cells(tables: Sequence[Grid], row: str, column: str) -> Iterator[Statement]:
    """The cells where a row and a column with these headers meet."""
    for table in tables:
        rows = [key for key, cell in table.cells.items() if _same(cell.text, row)]
        columns = [key for key, cell in table.cells.items() if _same(cell.text, column)]
        for below, left in rows:
            for above, right in columns:
                cell = table.cells.get((below, right))
                if above < below and left < right and cell is not None:
                    yield cell


def _unit_of(heading: str) -> str:
    found = _UNIT_LAST.search(normalise(heading, "typographic"))
    return found.group(1) if found is not None else ""


def cell_says(cell: Statement, value: str, language: str, measure: Measure, unit: str = "") -> bool:
    """Whether a cell holds one quantity that agrees with a value, or is that text; unit: what its heading states."""
    try:
        wanted = read_quantity(value, language)
    except ValueError:
        return _same(cell.text, value)
    found = with_unit(cell, unit, language)
    return bool(found) and any(measure.holds(wanted, item, any_unit=True) for item in found if item.start == found[0].start) and all(q.start < found[0].end for q in found)


def _same(one: str, other: str) -> bool:
    return normalise(one, "loose") == normalise(other, "loose")


FIGURE_PREDICATES: tuple[Predicate, ...] = (quantity, label_value, table_value)
