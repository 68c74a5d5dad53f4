"""Predicates on documents that must agree: `report.value_agrees`, `report.consistent`, `agree.table`, `agree.chart`, `agree.ranking`, `agree.text`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Literal

from docops.core.codes import Family, FindingCode
from docops.core.predicate import AddressText, Context, Evidence, Example, Finding, Predicate, Target, predicate
from docops.families.anchors import missing_place
from docops.families.figures import Labelled, Measure, check_value, labelled_values
from docops.families.negation import denied
from docops.families.quantities import Quantity, read_quantity
from docops.families.statements import Grid, Statement, chart_values, grids, source_place, statements
from docops.families.text_profiles import normalise, occurrences
from docops.families.wording import check_language

Side = Literal["auto", "output"]


def _pack(sentence: str, total: object = 122) -> Mapping[str, bytes]:
    from docops.formats.docx.samples import docx
    from docops.formats.xlsx.samples import workbook

    book = workbook({"Staff": {"A1": "Site", "B1": "People", "A2": "Leith", "B2": 80, "A3": "Porto", "B3": 42, "A4": "Total", "B4": total}})
    return {"report.docx": docx("# Staff", sentence, "| Site | People |", "| Leith | 80 |", "| Porto | 42 |"), "book.xlsx": book}


_TOTAL = {"at": "report.docx", "origin": "book.xlsx#sheet[Staff]/cell[B4]"}


def _source_value(context: Context, address: str, labels: Sequence[str], language: str, side: Side) -> tuple[Target, Statement, tuple[Quantity, ...]] | Finding:
    """The figure that a source address holds, in all its readings; a finding where an output holds none."""
    target = source_place(context, address, side=side)
    found = statements(context, target)
    if target.document is target.source and not any(item.quantities(language) for item in found):
        # Whoever wrote the task named the place, so it holds whether or not a reader of the material sees it.
        found = statements(context, target, visible=False)
    if labels:
        for mention in labelled_values(found, labels, language):
            if mention.quantities and mention.form == "affirmed":
                return target, Statement(mention.address, mention.quantities[0].text), _same_start(mention.quantities)
        return Finding(FindingCode.MISSING, target.place(), labels[0], None, f"the source has no value of {labels[0]!r}")
    stated = [(item, item.quantities(language)) for item in found if item.quantities(language)]
    if not stated:
        return Finding(FindingCode.MISSING, target.place(), "a figure", None, "the source holds no figure")
    item, figures = stated[0]
    first = _same_start(figures)
    if len(stated) > 1 or any(figure.start >= max(other.end for other in first) for figure in figures if figure not in first):
        return Finding(FindingCode.WRONG_COUNT, target.place(item.address), "one figure", item.text[:160], f"{address} holds several figures; `source_label` says which")
    return target, item, first


def _same_start(figures: Sequence[Quantity]) -> tuple[Quantity, ...]:
    return tuple(figure for figure in figures if figure.start == figures[0].start)


@predicate(
    "report.value_agrees",
    family=Family.ANCHOR,
    validate=check_value,
    examples=(
        Example("the report says what the cell holds", lambda: _pack("There are 122 people."), _TOTAL, True),
        Example("what a formula gives", lambda: _pack("There are 122 people.", "=B2+B3"), _TOTAL, True),
        Example("the report says otherwise", lambda: _pack("There are 112 people."), _TOTAL, FindingCode.MISSING),
        Example("beside a label", lambda: _pack("Headcount: 122; other: 5"), {**_TOTAL, "label": "Headcount"}, True),
        Example("beside the label stands another", lambda: _pack("Headcount: 5; other: 122"), {**_TOTAL, "label": "Headcount"}, FindingCode.MISMATCH),
    ),
)
def value_agrees(
    context: Context,
    *,
    at: str,
    origin: AddressText,
    label: str | None = None,
    labels: Sequence[str] = (),
    source_label: str | None = None,
    language: str = "en",
    source_language: str = "",
    tolerance: float = 0.0,
    relative: float = 0.0,
    rounded: bool = False,
    days_per_month: int | None = None,
    factor: float = 1.0,
    side: Side = "auto",
) -> Iterator[Finding | Evidence]:
    """A figure at the place equals the one at another address: a cell, a form field, a table, a text of any document.

    at: the place, or an artifact, that must state the figure.
    origin: the address that holds it, in the artifact's source where it has one, else in its output.
    label, labels: what the figure is called at the place; every mention must then agree.
    source_label: what it is called at the source, where that holds several figures.
    language, source_language: of the place and of the source (default: the same).
    tolerance, relative, rounded, days_per_month: as in `anchor.quantity`.
    factor: what the source's number is multiplied with (1000 where a sheet counts in thousands).
    side: `output` looks at the output of the source's artifact in any case.

    Cells count with the value that recalculation gives, percentages as per cent; a number without a unit agrees with one
    that has any.
    """
    target = context.target(at)
    absent = missing_place(target)
    if absent is not None:
        yield absent
        return
    held = _source_value(context, origin, [source_label] if source_label else [], source_language or language, side)
    if isinstance(held, Finding):
        yield held
        return
    there, item, figures = held
    scale = Decimal(repr(factor))
    wanted = [replace(figure, low=figure.low * scale, high=figure.high * scale, relation="=") for figure in figures]
    measure = Measure(tolerance, relative, rounded, False, days_per_month)
    told = f"{wanted[0].text} ({there.place(item.address)})"
    yield Evidence(there.place(item.address), item.text[:160])
    names = [name for name in (label, *labels) if name]
    found = statements(context, target)
    if names:
        yield from _labelled_agree(target, labelled_values(found, names, language), names[0], wanted, told, measure)
        return
    near: list[str] = []
    for statement in found:
        text = normalise(statement.text, "typographic")
        for figure in statement.quantities(language):
            refused = statement.amount is None and denied(text, figure.start, language)
            if measure.holds(wanted, figure, any_unit=True) and not refused:
                yield Evidence(target.place(statement.address), text[max(0, figure.start - 60) : figure.end + 60])
                return
            near.append(f"not {figure.text}" if refused else figure.text)
    seen = ", ".join(dict.fromkeys(near[:12])) or None
    yield Finding(FindingCode.MISSING, target.place(), told, seen, f"{told} is not there")


def _labelled_agree(target: Target, mentions: Iterator[Labelled], name: str, wanted: Sequence[Quantity], told: str, measure: Measure) -> Iterator[Finding | Evidence]:
    met = False
    for mention in mentions:
        figures = [figure for figure in mention.quantities if figure.unit == wanted[0].unit or not wanted[0].unit or not figure.unit]
        if not figures:
            continue
        met = True
        first = _same_start(figures)
        place = target.place(mention.address)
        same = any(measure.holds(wanted, figure, any_unit=True) for figure in first) or any(measure.holds(first, figure) for figure in wanted)
        if mention.form not in ("negated", "hedged") and same:
            yield Evidence(place, f"{name}: {first[0].text}")
        else:
            yield Finding(FindingCode.MISMATCH, place, told, first[0].text, f"{name!r} is {first[0].text} there, and {told} at the source")
    if not met:
        yield Finding(FindingCode.MISSING, target.place(), f"{name}: {told}", None, f"{name!r} stands there without a figure, or not at all")


def _pair(one: str, other: str) -> Mapping[str, bytes]:
    from docops.formats.docx.samples import docx

    return {"a.docx": docx(one), "b.docx": docx(other)}


@predicate(
    "report.consistent",
    family=Family.ANCHOR,
    validate=check_value,
    examples=(
        Example("both say the same", lambda: _pair("Revenue: EUR 1.2 m", "Revenue was 1,200,000 euros."), {"at": "a.docx", "others": ["b.docx"], "label": "Revenue"}, True),
        Example("they contradict", lambda: _pair("Revenue: EUR 1.2 m", "Revenue was EUR 1.3 m."), {"at": "a.docx", "others": ["b.docx"], "label": "Revenue"}, FindingCode.MISMATCH),
        Example("one does not say it", lambda: _pair("Revenue: EUR 1.2 m", "Costs: 5"), {"at": "a.docx", "others": ["b.docx"], "label": "Revenue"}, FindingCode.MISSING),
    ),
)  # fmt: skip
def consistent(
    context: Context,
    *,
    at: str,
    label: str,
    labels: Sequence[str] = (),
    others: Sequence[AddressText] = (),
    language: str = "en",
    tolerance: float = 0.0,
    relative: float = 0.0,
    rounded: bool = False,
    days_per_month: int | None = None,
) -> Iterator[Finding | Evidence]:
    """All mentions of a quantity, in one or several documents, agree with the first, and every place mentions it.

    at: the place, or an artifact.   others: further places.
    label, labels: what the quantity is called; case does not count.
    language, tolerance, relative, rounded, days_per_month: as in `anchor.quantity`.
    """
    measure = Measure(tolerance, relative, rounded, False, days_per_month)
    first: tuple[str, tuple[Quantity, ...]] | None = None
    for address in (at, *others):
        target = context.target(address)
        absent = missing_place(target)
        if absent is not None:
            yield absent
            continue
        met = False
        for mention in labelled_values(statements(context, target), [label, *labels], language):
            if not mention.quantities or mention.form == "negated":
                continue
            figures = _same_start(mention.quantities)
            place = target.place(mention.address)
            if first is None:
                first = (place, figures)
            known = first[1]
            if not {"", *(figure.unit for figure in known)} & {figure.unit for figure in figures} and known[0].unit:
                continue
            met = True
            same = any(measure.holds(known, figure, any_unit=True) for figure in figures) or any(measure.holds(figures, figure, any_unit=True) for figure in known)
            if same:
                yield Evidence(place, f"{label}: {figures[0].text}")
            else:
                yield Finding(FindingCode.MISMATCH, place, f"{known[0].text} ({first[0]})", figures[0].text, f"{label!r} is {figures[0].text} there and {known[0].text} at {first[0]}")
        if not met:
            yield Finding(FindingCode.MISSING, target.place(), label, None, f"{label!r} is not stated there")


_SAME_TABLE = {"at": "report.docx#body/section[\"Staff\"]/table[1]", "origin": "book.xlsx#sheet[Staff]/cell[A1:B3]"}


@predicate(
    "agree.table",
    family=Family.ANCHOR,
    validate=check_language,
    examples=(
        Example("the same rows", lambda: _pack("x"), _SAME_TABLE, True),
        Example("a row more in the source", lambda: _pack("x"), {**_SAME_TABLE, "origin": "book.xlsx#sheet[Staff]/cell[A1:B4]"}, FindingCode.MISSING),
        Example("a row too many", lambda: _pack("x"), {**_SAME_TABLE, "origin": "book.xlsx#sheet[Staff]/cell[A1:B2]"}, FindingCode.UNEXPECTED),
    ),
)
def table(
    context: Context, *, at: str, origin: AddressText, language: str = "en", source_language: str = "", rounded: bool = True, header: bool = True, extra_rows: bool = False, side: Side = "auto"
) -> Iterator[Finding | Evidence]:
    """A table copied from one document to another has the same rows in the same order.

    at: the table, sheet or range of cells.   origin: the one it was copied from (its source where it has one, else its output).
    language, source_language: whose numbers the cells hold.   rounded: numbers rounded to the places shown will do (default).
    header: the first row counts too (default).   extra_rows: `at` may have rows that the source has not.
    side: as in `report.value_agrees`.

    Texts are compared by the profile `loose`, numbers by amount.
    """
    target, there = context.target(at), source_place(context, origin, side=side)
    absent = missing_place(target)
    if absent is not None:
        yield absent
        return
    held, wanted = _one_grid(context, target), _one_grid(context, there)
    if wanted is None:
        yield Finding(FindingCode.MISSING, there.place(), "a table", None, "the origin holds no table")
        return
    if held is None:
        yield Finding(FindingCode.MISSING, target.place(), "a table", None, "there is no table")
        return
    rows, source_rows = held.rows, wanted.rows
    if not header:
        rows, source_rows = rows[1:], source_rows[1:]
    yield from _compare_rows(target, there, rows, source_rows, (language, source_language or language), rounded, extra_rows)


def _one_grid(context: Context, target: Target) -> Grid | None:
    found = grids(statements(context, target))
    return found[0] if found else None


def _compare_rows(
    target: Target, there: Target, rows: Sequence[Sequence[Statement]], wanted: Sequence[Sequence[Statement]], languages: tuple[str, str], rounded: bool, extra: bool
) -> Iterator[Finding | Evidence]:
    at = 0
    for row in wanted:
        key = normalise(row[0].text, "loose")
        place = next((number for number in range(at, len(rows)) if normalise(rows[number][0].text, "loose") == key or _cell_agrees(rows[number][0], row[0], languages, rounded)), None)
        shown = " | ".join(cell.text for cell in row)
        if place is None:
            earlier = any(normalise(other[0].text, "loose") == key for other in rows[:at])
            code = FindingCode.WRONG_ORDER if earlier else FindingCode.MISSING
            yield Finding(code, target.place(), f"{shown} ({there.place(row[0].address)})", None, f"the row {shown!r} is {'in another place' if earlier else 'not there'}")
            continue
        for other in rows[at:place]:
            if not extra:
                yield Finding(FindingCode.UNEXPECTED, target.place(other[0].address), None, " | ".join(cell.text for cell in other), "the source has no such row there")
        at = place + 1
        found = rows[place]
        for number, cell in enumerate(row):
            if number >= len(found):
                yield Finding(FindingCode.MISSING, target.place(found[-1].address), f"{cell.text} ({there.place(cell.address)})", None, f"the row {shown!r} has less cells")
            elif not _cell_agrees(found[number], cell, languages, rounded):
                told = f"{cell.text} ({there.place(cell.address)})"
                yield Finding(FindingCode.MISMATCH, target.place(found[number].address), told, found[number].text, f"{found[number].text} stands there, and {told} at the source")
    for other in rows[at:]:
        if not extra:
            yield Finding(FindingCode.UNEXPECTED, target.place(other[0].address), None, " | ".join(cell.text for cell in other), "the source has no such row there")
    yield Evidence(target.place(), f"{len(rows)} rows")


def _cell_agrees(found: Statement, wanted: Statement, languages: tuple[str, str], rounded: bool) -> bool:
    """Whether two cells say the same: the same text, or the same words around amounts that agree."""
    words, figures = _words_and_figures(found, languages[0])
    source_words, sources = _words_and_figures(wanted, languages[1])
    if not figures and not sources:
        return normalise(found.text, "loose") == normalise(wanted.text, "loose")
    if len(figures) != len(sources):
        return False
    if words != source_words and not (found.amount or wanted.amount) and (words and source_words):
        return False
    if words != source_words and not _begins_with_figure(found, figures) and not _begins_with_figure(wanted, sources):
        return False
    measure = Measure(rounded=rounded, relation=False)
    return all(
        any(measure.holds(known, figure, any_unit=True) for figure in shown) or any(measure.holds(shown, figure, any_unit=True) for figure in known)
        for shown, known in zip(figures, sources, strict=True)
    )


def _words_and_figures(item: Statement, language: str) -> tuple[str, list[tuple[Quantity, ...]]]:
    """What a cell says beside its amounts, and its amounts, each in all its readings."""
    if item.amount is not None:
        return "", [item.quantities(language)]
    text = normalise(item.text, "typographic")
    figures: list[tuple[Quantity, ...]] = []
    words, at = "", 0
    for figure in item.quantities(language):
        if figures and figure.start == figures[-1][0].start:
            figures[-1] = (*figures[-1], figure)
        elif figure.start >= at:
            figures.append((figure,))
            words += text[at : figure.start] + " "
        at = max(at, figure.end)
    return normalise(words + text[at:], "loose"), figures


def _begins_with_figure(item: Statement, figures: Sequence[Sequence[Quantity]]) -> bool:
    return item.amount is None and figures[0][0].start == 0


def _charted(values: tuple[float, ...]) -> Mapping[str, bytes]:
    from docops.formats.pptx.samples import chart_slide, deck
    from docops.formats.xlsx.samples import workbook

    book = workbook({"Data": {"A1": 410, "A2": 455}})
    return {"deck.pptx": deck([chart_slide("Traffic", {"Ships": values}, ["Q1", "Q2"])]), "book.xlsx": book}


@predicate(
    "agree.chart",
    family=Family.ANCHOR,
    examples=(
        Example("it shows the numbers", lambda: _charted((410, 455)), {"at": "deck.pptx#slide[1]", "origin": "book.xlsx#sheet[Data]/cell[A1:A2]"}, True),
        Example("it shows others", lambda: _charted((410, 465)), {"at": "deck.pptx#slide[1]", "origin": "book.xlsx#sheet[Data]/cell[A1:A2]"}, FindingCode.MISMATCH),
    ),
)
def chart(
    context: Context, *, at: str, origin: AddressText, series: str | None = None, categories: AddressText | None = None, relative: float = 1e-9, factor: float = 1.0, side: Side = "auto"
) -> Iterator[Finding | Evidence]:
    """A chart of a document or slide shows the numbers of a range.

    at: the chart, or a place with one.   origin: the cells, in their order.
    series: name of the series (default: one of them must show the numbers).   categories: address of the cells it names.
    relative: how far a number may be off, as a share.   factor: what the source's numbers are multiplied with.
    side: as in `report.value_agrees`.

    Charts of workbooks: `xlsx.chart`.
    """
    target, there = context.target(at), source_place(context, origin, side=side)
    absent = missing_place(target)
    if absent is not None:
        yield absent
        return
    wanted = [float(item.quantities("en")[0].low) * factor for item in statements(context, there) if item.amount is not None]
    if not wanted:
        yield Finding(FindingCode.MISSING, there.place(), "numbers", None, "the origin holds no numbers")
        return
    names = [item.text for item in statements(context, source_place(context, categories, side=side))] if categories else None
    shown = [row for row in chart_values(target) if series is None or normalise(row[1], "loose") == normalise(series, "loose")]
    if not shown:
        yield Finding(FindingCode.MISSING, target.place(), series or "a chart", None, "there is no such series of a chart")
        return
    for address, name, labels, values in shown:
        same = len(values) == len(wanted) and all(abs(one - other) <= relative * max(abs(one), abs(other)) for one, other in zip(values, wanted, strict=True))
        if same and (names is None or [normalise(label, "loose") for label in labels] == [normalise(label, "loose") for label in names]):
            yield Evidence(target.place(address), f"{name}: {values}")
            return
    address, name, labels, values = shown[0]
    told: list[object] = [values, labels] if names is not None else [values]
    yield Finding(
        FindingCode.MISMATCH, target.place(address), str([wanted, names] if names is not None else [wanted]), str(told), f"the series {name!r} does not show {there.place()}"
    )


@predicate(
    "agree.ranking",
    family=Family.ANCHOR,
    validate=lambda given: check_language(given) + ([] if given.get("top") is None or given["top"] >= 1 else [f"top = {given['top']}: must be 1 or more"]),
    examples=(
        Example(
            "in the order of the numbers", lambda: _pack("Leith leads, then Porto."),
            {"at": "report.docx#body/section[\"Staff\"]/paragraph[2]", "names": "book.xlsx#sheet[Staff]/cell[A2:A3]", "values": "book.xlsx#sheet[Staff]/cell[B2:B3]"}, True,
        ),
        Example(
            "the other way round", lambda: _pack("Porto leads, then Leith."),
            {"at": "report.docx#body/section[\"Staff\"]/paragraph[2]", "names": "book.xlsx#sheet[Staff]/cell[A2:A3]", "values": "book.xlsx#sheet[Staff]/cell[B2:B3]"}, FindingCode.WRONG_ORDER,
        ),
    ),
)  # fmt: skip
def ranking(
    context: Context, *, at: str, names: AddressText, values: AddressText, top: int | None = None, descending: bool = True, language: str = "en", side: Side = "auto"
) -> Iterator[Finding | Evidence]:
    """Names stand at the place in the order of their numbers.

    at: the place, or an artifact; the first mention of each name counts.
    names, values: addresses of as many names as numbers.   top: only so many of the first (default: all).
    descending: the greatest first (default).   language: of the numbers.   side: as in `report.value_agrees`.

    Names with equal numbers may stand in any order.
    """
    target = context.target(at)
    absent = missing_place(target)
    if absent is not None:
        yield absent
        return
    held = [item.text for item in statements(context, source_place(context, names, side=side))]
    figures = [item.quantities(language)[0].low for item in statements(context, source_place(context, values, side=side)) if item.quantities(language)]
    if len(held) != len(figures):
        yield Finding(FindingCode.WRONG_COUNT, names, f"{len(figures)} names", len(held), f"{names} has {len(held)} names and {values} {len(figures)} numbers")
        return
    order = sorted(zip(held, figures, strict=True), key=lambda pair: -pair[1] if descending else pair[1])[:top]
    text = "\n".join(normalise(item.text, "loose") for item in statements(context, target))
    last, last_name = (-1, Decimal(0)), ""
    for name, figure in order:
        places = occurrences(text, normalise(name, "loose"))
        if not places:
            yield Finding(FindingCode.MISSING, target.place(), name, None, f"{name!r} is not there")
        elif places[0] < last[0] and figure != last[1]:
            yield Finding(FindingCode.WRONG_ORDER, target.place(), f"{name} after {last_name}", f"{name} before it", f"{name!r} stands before {last_name!r}")
        else:
            last, last_name = (places[0], figure), name
    yield Evidence(target.place(), " > ".join(name for name, _ in order))


@predicate(
    "agree.text",
    family=Family.ANCHOR,
    validate=check_language,
    examples=(
        Example("the name of the cell stands there", lambda: _pack("Leith is large."), {"at": "report.docx", "origin": "book.xlsx#sheet[Staff]/cell[A2]"}, True),
        Example("it does not", lambda: _pack("x"), {"at": "report.docx", "origin": "book.xlsx#sheet[Staff]/cell[A4]"}, FindingCode.MISSING),
    ),
)
def text(
    context: Context, *, at: str, origin: AddressText, profile: Literal["verbatim", "typographic", "loose"] = "typographic", language: str = "en", side: Side = "auto"
) -> Iterator[Finding | Evidence]:
    """Every text of the source (names, titles, dates) stands at the place too.

    at: the place, or an artifact.   origin: cells, fields, paragraphs; each of them is one text.
    profile: which differences of typography do not count.   language: of dates and numbers at the place; a text that is one
        date or number may be written in another way.   side: as in `report.value_agrees`.
    """
    target = context.target(at)
    absent = missing_place(target)
    if absent is not None:
        yield absent
        return
    there = source_place(context, origin, side=side)
    found = statements(context, target)
    held = [normalise(item.text, profile) for item in found]
    wanted = [item for item in statements(context, there) if item.text.strip()]
    for item in wanted:
        needle = normalise(item.text, profile).strip()
        if any(occurrences(passage, needle) for passage in held) or _same_figure(item, found, language):
            yield Evidence(there.place(item.address), item.text[:160])
        else:
            yield Finding(FindingCode.MISSING, target.place(), f"{item.text} ({there.place(item.address)})", None, f"{item.text!r} of {there.place(item.address)} is not there")
    if not wanted:
        yield Finding(FindingCode.MISSING, there.place(), "a text", None, "the source holds no text")


def _same_figure(item: Statement, found: Sequence[Statement], language: str) -> bool:
    """Whether a text that is one date or number stands in one of the statements, written in any way."""
    try:
        wanted = item.amounts or read_quantity(item.text, language)
    except ValueError:
        return False
    measure = Measure()
    return any(measure.holds(wanted, figure, any_unit=True) for other in found for figure in other.quantities(language))


REPORT_PREDICATES: tuple[Predicate, ...] = (value_agrees, consistent)
PREDICATES: tuple[Predicate, ...] = (table, chart, ranking, text)
