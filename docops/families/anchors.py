"""Linguistic anchors: required and forbidden wording, over the text spans of any format."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from docops.core.address import Address
from docops.core.codes import Family, FindingCode
from docops.core.node import named_places
from docops.core.predicate import Context, Evidence, Example, Finding, Predicate, Target, predicate
from docops.core.spans import Role, TextSpan
from docops.families.cells import ShownCell, ShownNumber, shown_cells
from docops.families.lookalikes import imitated
from docops.families.samples import letter
from docops.families.text_profiles import normalise, occurrences, readings

#: Roles that a reader of the finished document reads as its content.
READ_ROLES = frozenset({Role.BODY, Role.HEADER, Role.FOOTER, Role.FOOTNOTE, Role.ENDNOTE, Role.CHART, Role.FORM})

Profile = Literal["verbatim", "typographic", "loose"]

#: Kinds of place that, named in the address, make their own texts count.
_KIND_ROLES = {
    "notes": {Role.NOTE},
    "comment": {Role.COMMENT},
    "annotation": {Role.ANNOTATION},
    "outline": {Role.OUTLINE},
    "name": {Role.NAME},
    "property": {Role.METADATA},
    "label": {Role.NAME},
    "bookmark": {Role.NAME},
    "hyperlink": {Role.LINK},
    "validation": {Role.VALIDATION},
    "master": {Role.PROMPT},
    "layout": {Role.PROMPT},
    "attachment": {Role.METADATA, Role.NAME},
    "image": {Role.ALT},
    "picture": {Role.ALT},
    "print": {Role.HEADER, Role.FOOTER},
}


_QUOTATION = re.compile(r'"[^"]{0,1000}"')


@dataclass(frozen=True, slots=True)
class Passage:
    """Text that reads as one: the joined spans of one block (of one page, for PDF, where lines are only layout).

    view: what further passages that are the same text seen otherwise (hidden pieces in or out, a number in general form
    or as formatted) share, else "".   again: such a further one.   number: of a number cell.
    lines: (address, text) of the lines of a page.
    """

    address: str
    text: str
    hidden_by: str = ""
    view: str = ""
    number: ShownNumber | None = None
    again: bool = False
    lines: tuple[tuple[str, str], ...] = ()

    def at(self, wording: str, profile: str) -> str:
        """The address of the line in which a wording starts, of the passage where no line tells."""
        needle = normalise(wording, profile).strip()
        for number, (address, text) in enumerate(self.lines):
            if occurrences(normalise(text, profile), needle):
                return address
            following = self.lines[number + 1][1] if number + 1 < len(self.lines) else ""
            if any(occurrences(both, needle) for both in readings(f"{text}\n{following}", profile)) and not occurrences(normalise(following, profile), needle):
                return address
        return self.address


def passages(target: Target, *, visible: bool, context: Context | None = None) -> list[Passage]:
    """What stands at the target, in reading order.

    visible: only what a reader of the final document sees, in the roles that are its content (or that the address
    names). Otherwise everything stored; a block that hides some of its text then gives both views.
    context: number cells and formulas of a workbook give what they show instead of what is stored (beside it, where not
    only the visible is asked for).
    """
    places = _places(target)
    roles = set(READ_ROLES)
    for segment in target.address.segments:
        roles |= _KIND_ROLES.get(segment.kind, set())
    blocks: dict[tuple[str, bool], list[TextSpan]] = {}
    for span in target.document.spans():
        if places is not None and not _within(span.address, places) and not _within(span.block, places):
            continue
        if visible and (not span.visible or span.role not in roles):
            continue
        block = span.block
        if target.document.format == "pdf" and span.role is Role.BODY:
            block = span.block.partition("/")[0]
        blocks.setdefault((block, span.role is Role.BODY), []).append(span)
    out: list[Passage] = []
    for number, spans in enumerate(blocks.values()):
        out.extend(_views(spans, visible, target.document.format == "pdf", str(number)))
    return _with_shown(out, shown_cells(context, target), visible) if context is not None and target.document.format == "xlsx" else out


def _with_shown(stored: Sequence[Passage], cells: Sequence[ShownCell], visible: bool) -> list[Passage]:
    """The stored passages of a workbook, with what its number cells and formulas show."""
    shown = {cell.address: cell for cell in cells}
    drawn = set(shown)
    held = {passage.address for passage in stored}
    behind: dict[str, list[ShownCell]] = {}
    for cell in cells:
        if cell.address not in held:
            behind.setdefault(cell.before if cell.before in held else "", []).append(cell)
    out = [passage for cell in behind.get("", ()) for passage in _shown_passages(cell, visible)]
    for passage in stored:
        if passage.address not in drawn or not visible:
            out.append(passage)
        for cell in (*filter(None, [shown.pop(passage.address, None)]), *behind.pop(passage.address, ())):
            out += _shown_passages(cell, visible)
    return out


def _shown_passages(cell: ShownCell, visible: bool) -> Iterator[Passage]:
    if not (visible and cell.hidden_by):
        for place, text in enumerate(cell.texts):
            yield Passage(cell.address, text, cell.hidden_by, cell.address, cell.number, place > 0)


def _views(spans: Sequence[TextSpan], visible: bool, lines: bool, view: str) -> Iterator[Passage]:
    shown = [span for span in spans if span.visible]
    hidden = [span for span in spans if not span.visible]
    if visible or not hidden:
        yield Passage(spans[0].address, _join(spans, lines), lines=tuple((span.address, span.text) for span in spans) if lines else ())
        return
    yield Passage(hidden[0].address, _join(hidden, lines), hidden[0].hidden_by or "hidden", view)
    if shown:
        yield Passage(shown[0].address, _join(shown, lines), "", view)
        yield Passage(spans[0].address, _join(spans, lines), hidden[0].hidden_by or "hidden", view)


def _join(spans: Sequence[TextSpan], lines: bool) -> str:
    if not lines:
        return "".join(span.text for span in spans)
    out: list[str] = []
    for number, span in enumerate(spans):
        if number and span.block != spans[number - 1].block:
            out.append("\n")
        out.append(span.text)
    return "".join(out)


def _places(target: Target) -> frozenset[str] | None:
    """Addresses whose texts count; None for the whole document."""
    if not target.address.segments:
        return None
    return frozenset(named_places(target.nodes).union(*(node.also for node in target.nodes)))


def _within(address: str, places: frozenset[str]) -> bool:
    while address:
        if address in places:
            return True
        address = address.rpartition("/")[0]
    return False


def wanted_texts(text: str | None, texts: Sequence[str]) -> list[str]:
    """The texts of a criterion that gives one of `text` and `texts`."""
    return ([text] if text is not None else []) + list(texts)


def check_texts(parameters: Mapping[str, Any]) -> list[str]:
    """What is wrong with the `text`, `texts` and counts of a criterion."""
    wanted = wanted_texts(parameters.get("text"), parameters.get("texts", ()))
    problems = [] if wanted else ["give `text` or `texts`"]
    problems += [f"a text that is blank holds no wording: {item!r}" for item in wanted if not normalise(item, "loose").strip() and not item.strip()]
    problems += [f"{name} = {parameters[name]}: must be 0 or more" for name in ("count", "at_least") if (parameters.get(name) or 0) < 0]
    if parameters.get("count") is not None and parameters.get("at_least") is not None:
        problems.append("give one of `count` and `at_least`")
    return problems


def check_pattern(parameters: Mapping[str, Any]) -> list[str]:
    """Why the `pattern` is not one of RE2's syntax, or asks for nothing."""
    if not parameters["pattern"]:
        return ["an empty pattern matches everything"]
    try:
        compile_pattern(parameters["pattern"])
    except ValueError as error:
        return [str(error)]
    return []


def count_in(found: Sequence[Passage], needle: str, profile: str) -> tuple[int, Passage | None]:
    """How often a text stands in the passages, and the first that holds it; several views of one text count once."""
    wanted = normalise(needle, profile).strip() if profile != "verbatim" else needle
    total = 0
    views: dict[str, int] = {}
    first: Passage | None = None
    for passage in found:
        hits = max(len(occurrences(reading, wanted)) for reading in readings(passage.text, profile))
        if passage.view:
            seen = views.get(passage.view, 0)
            views[passage.view] = max(hits, seen)
            total += max(hits - seen, 0)
        else:
            total += hits
        if hits and first is None:
            first = passage
    return total, first


def missing_place(target: Target) -> Finding | None:
    """A finding where the address names no place in the output."""
    if target.nodes:
        return None
    return Finding(FindingCode.MISSING, target.place(), "this place", None, "the output has no such place")


@predicate(
    "anchor.contains",
    family=Family.ANCHOR,
    validate=check_texts,
    examples=(
        Example("the words are there", letter("We pay within 45 days."), {"at": "letter.docx", "text": "within 45 days"}, passes=True),
        Example("other words are there", letter("We pay within 30 days."), {"at": "letter.docx", "text": "within 45 days"}, FindingCode.MISSING),
        Example("5 is no part of 45", letter("We pay within 45 days."), {"at": "letter.docx", "text": "5 days"}, FindingCode.MISSING),
        Example("twice instead of once", letter("45 days", "45 days"), {"at": "letter.docx", "text": "45 days", "count": 1}, FindingCode.WRONG_COUNT),
        Example("no reader sees them", letter("Dear", hidden="45 days"), {"at": "letter.docx", "text": "45 days"}, FindingCode.HIDDEN_TEXT),
    ),
)
def contains(
    context: Context,
    *,
    at: str,
    text: str | None = None,
    texts: Sequence[str] = (),
    profile: Profile = "typographic",
    count: int | None = None,
    at_least: int | None = None,
    visible: bool = True,
) -> Iterator[Finding | Evidence]:
    """Every text stands at the place, as whole words and whole numbers.

    at: the place, or an artifact.
    text, texts: what must stand there, each within one paragraph, cell or line (one page in a PDF).
    profile: which differences of typography do not count (docs/anchors.md).
    count: how often exactly, each;  at_least: how often at least (default 1).
    visible: only text that a reader of the final document sees counts (default). Names, notes, comments, alternative
        text and metadata count only where the address names them.

    Not normalised: word order, inflection, synonyms, number formats.
    """
    target = context.target(at)
    absent = missing_place(target)
    if absent is not None:
        yield absent
        return
    found = passages(target, visible=visible, context=context)
    stored: list[Passage] | None = None
    for wanted in wanted_texts(text, texts):
        number, first = count_in(found, wanted, profile)
        if first is not None:
            yield Evidence(target.place(first.address), excerpt(first.text, wanted))
        least = at_least if at_least is not None else 1
        if number == count if count is not None else number >= least:
            continue
        expected = f"{wanted!r} exactly {_times(count)}" if count is not None else wanted if least == 1 else f"{wanted!r} at least {_times(least)}"
        if stored is None:
            stored = passages(everywhere(target), visible=False, context=context)
        hidden = _hidden_place(stored, wanted, profile) if number == 0 else None
        if hidden is not None:
            where = target.place(hidden.address)
            message = f"{wanted!r} stands at {where}, but not where the address looks and a reader sees it"
            reason = hidden.hidden_by or "in another place or role"
            yield Finding(FindingCode.HIDDEN_TEXT if hidden.hidden_by else FindingCode.MISSING, target.place(), expected, reason, message)
        elif number == 0:
            yield Finding(FindingCode.MISSING, target.place(), expected, _summary(found), f"{wanted!r} is not there")
        else:
            yield Finding(FindingCode.WRONG_COUNT, target.place(), expected, number, f"{wanted!r} stands there {_times(number)}")


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number} times"


def everywhere(target: Target) -> Target:
    """The whole document that a target is in."""
    return replace(target, address=Address(target.artifact, ()), nodes=(target.document.root,))


def _hidden_place(stored: Sequence[Passage], wanted: str, profile: str) -> Passage | None:
    places = [passage for passage in stored if count_in([passage], wanted, profile)[0]]
    return next((passage for passage in places if passage.hidden_by), places[0] if places else None)


@predicate(
    "anchor.absent",
    family=Family.ANCHOR,
    validate=check_texts,
    examples=(
        Example("the words are gone", letter("Bolt GmbH delivers."), {"at": "letter.docx", "text": "Acme Ltd"}, passes=True),
        Example("they are still there", letter("Acme Ltd delivers."), {"at": "letter.docx", "text": "Acme Ltd"}, FindingCode.UNEXPECTED),
        Example("they are only quoted", letter("He said “Acme Ltd”."), {"at": "letter.docx", "text": "Acme Ltd", "quoted": True}, passes=True),
        Example("they are only hidden", letter("Bolt GmbH", hidden="Acme Ltd"), {"at": "letter.docx", "text": "Acme Ltd"}, FindingCode.UNEXPECTED),
    ),
)
def absent(
    context: Context,
    *,
    at: str,
    text: str | None = None,
    texts: Sequence[str] = (),
    profile: Profile = "typographic",
    visible: bool = False,
    quoted: bool = False,
) -> Iterator[Finding | Evidence]:
    """None of the texts stands at the place.

    at: the place, or an artifact. A place that the output does not have holds no text.
    text, texts: what must not stand there, as whole words and whole numbers.
    profile: which differences of typography do not count.
    visible: look only at what a reader sees; by default everything stored counts, hidden and deleted text, names,
        metadata, notes and alternative text included, and text that only reads so when hidden pieces are left out.
        A text that mixes in look-alike letters of other scripts (`Аcme` with a Cyrillic letter) counts too.
    quoted: a text inside quotation marks may stand there (default: it may not).
    """
    target = context.target(at)
    found = passages(target, visible=visible, context=context)
    if quoted:
        found = [replace(passage, text=_QUOTATION.sub(" ", normalise(passage.text, "typographic"))) for passage in found]
    for banned in wanted_texts(text, texts):
        reported: set[str] = set()
        for passage in found:
            if passage.address not in reported and count_in([passage], banned, profile)[0]:
                reported.add(passage.address)
                hidden = f" ({passage.hidden_by})" if passage.hidden_by else ""
                place = target.place(passage.at(banned, profile))
                yield Finding(FindingCode.UNEXPECTED, place, None, excerpt(passage.text, banned), f"{banned!r} stands there{hidden}")
            elif passage.address not in reported and profile != "verbatim" and imitated(normalise(passage.text, profile), normalise(banned, profile).strip()):
                reported.add(passage.address)
                yield Finding(FindingCode.UNEXPECTED, target.place(passage.address), None, excerpt(passage.text, banned), f"{banned!r} is imitated there with letters of other scripts")
    yield Evidence(target.place(), f"{len(found)} passage(s) looked at")


@predicate(
    "anchor.matches",
    family=Family.ANCHOR,
    validate=check_pattern,
    examples=(
        Example("a date is there", letter("Porto, 3 March 2026"), {"at": "letter.docx", "pattern": "[0-9]{1,2} March 20[0-9]{2}"}, passes=True),
        Example("no date is there", letter("Porto, in March"), {"at": "letter.docx", "pattern": "[0-9]{1,2} March 20[0-9]{2}"}, FindingCode.MISSING),
    ),
)
def matches(context: Context, *, at: str, pattern: str, profile: Profile = "typographic", visible: bool = True) -> Iterator[Finding | Evidence]:
    """A regular expression matches within one paragraph, cell or line at the place.

    at: the place, or an artifact.
    pattern: RE2 syntax (no back-references, no look-around), matched in time linear in the text; it is not anchored.
    profile: the text is normalised by it before matching; the pattern is taken as written.
    visible: only text that a reader sees counts.
    """
    expression = compile_pattern(pattern)
    target = context.target(at)
    missing = missing_place(target)
    if missing is not None:
        yield missing
        return
    found = passages(target, visible=visible, context=context)
    for passage in found:
        match = next(filter(None, map(expression.search, readings(passage.text, profile))), None)
        if match:
            yield Evidence(target.place(passage.address), match.group()[:200])
            return
    yield Finding(FindingCode.MISSING, target.place(), f"/{pattern}/", _summary(found), f"nothing there matches /{pattern}/")


def compile_pattern(pattern: str) -> Any:
    """A compiled RE2 pattern; raises ValueError where the text is none."""
    import re2

    options = re2.Options()
    options.log_errors = False
    options.max_mem = 16 << 20
    try:
        return re2.compile(pattern, options)
    except re2.error as error:
        reason = error.args[0].decode("utf-8", "replace") if error.args and isinstance(error.args[0], bytes) else str(error)
        raise ValueError(f"{pattern!r} is not a pattern of RE2: {reason}") from error


@predicate(
    "anchor.in_order",
    family=Family.ANCHOR,
    validate=check_texts,
    examples=(
        Example("in order", letter("First: plan.", "Then: build."), {"at": "letter.docx", "texts": ["plan", "build"]}, passes=True),
        Example(
            "the other way round", letter("Then: build.", "First: plan."), {"at": "letter.docx", "texts": ["plan", "build"]}, FindingCode.WRONG_ORDER
        ),
        Example("one is not there", letter("First: plan."), {"at": "letter.docx", "texts": ["plan", "build"]}, FindingCode.MISSING),
    ),
)
def in_order(
    context: Context, *, at: str, texts: Sequence[str], profile: Profile = "typographic", visible: bool = True
) -> Iterator[Finding | Evidence]:
    """The texts stand at the place one after the other, in this order.

    at: the place, or an artifact.
    texts: at least two, each within one paragraph, cell or line; other text may stand between them.
    profile: which differences of typography do not count.
    visible: only text that a reader sees counts.
    """
    target = context.target(at)
    missing = missing_place(target)
    if missing is not None:
        yield missing
        return
    found = passages(target, visible=visible, context=context)
    normalised = [normalise(passage.text, profile) for passage in found]
    where = (0, 0)
    previous = ""
    for item in texts:
        needle = normalise(item, profile).strip()
        place = _next_place(normalised, needle, where)
        if place is None:
            anywhere = _next_place(normalised, needle, (0, 0))
            if anywhere is None:
                yield Finding(FindingCode.MISSING, target.place(), item, None, f"{item!r} is not there")
            else:
                address = target.place(found[anywhere[0]].address)
                yield Finding(
                    FindingCode.WRONG_ORDER, address, f"{item!r} after {previous!r}", f"{item!r} before it", f"{item!r} stands before {previous!r}"
                )
            return
        yield Evidence(target.place(found[place[0]].address), excerpt(found[place[0]].text, item))
        where = (place[0], place[1] + len(needle))
        previous = item


def _next_place(texts: Sequence[str], needle: str, after: tuple[int, int]) -> tuple[int, int] | None:
    for number in range(after[0], len(texts)):
        for position in occurrences(texts[number], needle):
            if number > after[0] or position >= after[1]:
                return number, position
    return None


def excerpt(text: str, around: str) -> str:
    """A text, cut to what stands around a wording where it is long."""
    at = text.find(around)
    if at < 0 or len(text) <= 160:
        return text[:160]
    start = max(at - 60, 0)
    return ("…" if start else "") + text[start : at + len(around) + 60]


def _summary(found: Sequence[Passage]) -> str:
    text = " ⏎ ".join(passage.text for passage in found if passage.text.strip())
    return text if len(text) <= 300 else text[:300] + "…"


ANCHOR_PREDICATES: tuple[Predicate, ...] = (contains, absent, matches, in_order)
