"""Predicates about the order of a docx: headings, sections, paragraphs, lists, headers and footers, page set-up."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from docops.core.codes import Aspect, Family, FindingCode
from docops.core.node import Node
from docops.core.predicate import Context, Evidence, Example, Finding, Predicate, Target, predicate
from docops.formats.docx.document import DocxDocument
from docops.formats.docx.predicates.places import Paragraph, cut, docx_target, paragraphs, places, same, shown_text, where
from docops.formats.docx.samples import docx

_FORMATS = ("docx",)


def _report() -> dict[str, bytes]:
    return {"report.docx": docx("# Summary", "All is well.", "# Scope", "## Limits", "None.", "**Not a heading**", "## ~~Secret~~")}


def _skipped() -> dict[str, bytes]:
    return {"report.docx": docx("# Summary", "### Deep", "Text.")}


@predicate(
    "docx.heading",
    family=Family.STRUCTURAL,
    formats=_FORMATS,
    examples=(
        Example("a heading of that level", _report, {"at": "report.docx", "text": "Limits", "level": 2}, True),
        Example("another level", _report, {"at": "report.docx", "text": "Limits", "level": 1}, FindingCode.MISMATCH),
        Example("bold body text is no heading", _report, {"at": "report.docx", "text": "Not a heading", "level": 1}, FindingCode.NOT_NATIVE),
        Example("a hidden heading", _report, {"at": "report.docx", "text": "Secret", "level": 2}, FindingCode.HIDDEN_TEXT),
        Example("no such text", _report, {"at": "report.docx", "text": "Costs", "level": 1}, FindingCode.MISSING),
    ),
)
def heading(context: Context, *, at: str, text: str, level: int | None = None) -> Iterator[Finding | Evidence]:
    """The document has a heading with this text, of this level.

    at: the document, or a place in it.   text: the heading's visible text, whole.   level: 1 for the highest; any if absent.
    A heading is a paragraph of a heading style, or with an outline level; bold body text is none, nor is a deleted one.
    """
    target, document = docx_target(context, at)
    missing = where(target, document)
    if missing is not None:
        yield missing
        return
    wanted = same(text)
    found = list(paragraphs(document, places(target, document)))
    same_text = [one for one in found if one.text == wanted and not one.from_contents]
    headings = [one for one in same_text if one.level is not None]
    right = [one for one in headings if level is None or one.level == level]
    if right:
        yield Evidence(target.place(right[0].node), f"level {right[0].level}: {right[0].text}")
    elif headings:
        one = headings[0]
        yield Finding(FindingCode.MISMATCH, target.place(one.node), level, one.level, f"the heading {text!r} is of level {one.level}, not {level}")
    elif same_text:
        one = same_text[0]
        message = f"{text!r} is a paragraph of style {one.style_name!r}, not a heading"
        yield Finding(FindingCode.NOT_NATIVE, target.place(one.node), f"a heading of level {level}" if level else "a heading", one.style_name, message)
    else:
        hidden = next((one for one in found if one.stored_text == wanted and one.text != wanted), None)
        if hidden is not None:
            yield Finding(FindingCode.HIDDEN_TEXT, target.place(hidden.node), text, hidden.text, f"the heading {text!r} is stored, but no reader sees it")
            return
        known = [one.text for one in found if one.level is not None]
        yield Finding(FindingCode.MISSING, target.place(), text, cut(known), f"there is no heading {text!r}")


def outline_items(outline: Sequence[Any], depth: int = 1) -> list[tuple[int, str]]:
    """Level and text of every heading of an outline, given as `[level, text]` pairs or nested.

    Nested: a text, followed or not by the list of what stands under it; or a table with `text`, `level`, `children`.
    Raises ValueError for anything else.
    """
    out: list[tuple[int, str]] = []
    for item in outline:
        if isinstance(item, str):
            out.append((depth, item))
        elif isinstance(item, Mapping) and isinstance(item.get("text"), str):
            level = item.get("level", depth)
            out.append((level, item["text"]))
            out += outline_items(item.get("children", ()), level + 1)
        elif isinstance(item, Sequence) and len(item) == 2 and _is_level(item[0]) and isinstance(item[1], str):
            out.append((int(item[0]), item[1]))
        elif isinstance(item, Sequence) and len(item) == 2 and isinstance(item[0], str) and _is_level(item[1]):
            out.append((int(item[1]), item[0]))
        elif isinstance(item, Sequence) and len(item) == 2 and isinstance(item[0], str) and isinstance(item[1], Sequence) and not isinstance(item[1], str):
            out.append((depth, item[0]))
            out += outline_items(item[1], depth + 1)
        elif isinstance(item, Sequence) and out:
            out += outline_items(item, out[-1][0] + 1 if out[-1][0] == depth else depth + 1)
        else:
            raise ValueError(f"an outline holds texts, [level, text] pairs or nested lists, not {item!r}")
    return out


def _is_level(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _check_outline(parameters: Mapping[str, Any]) -> list[str]:
    try:
        outline_items(parameters.get("outline") or ())
    except ValueError as error:
        return [str(error)]
    return []


@predicate(
    "docx.heading_hierarchy",
    family=Family.STRUCTURAL,
    formats=_FORMATS,
    validate=_check_outline,
    examples=(
        Example("no level is skipped", _report, {"at": "report.docx"}, True),
        Example("level 3 under level 1", _skipped, {"at": "report.docx"}, FindingCode.MISMATCH),
        Example("the outline as pairs", _report, {"at": "report.docx", "outline": [[1, "Summary"], [1, "Scope"], [2, "Limits"]]}, True),
        Example("the outline nested", _report, {"at": "report.docx", "outline": ["Summary", "Scope", ["Limits"]]}, True),
        Example("a heading is missing", _report, {"at": "report.docx", "outline": [[1, "Summary"], [1, "Costs"]]}, FindingCode.MISSING),
        Example("another order", _report, {"at": "report.docx", "outline": [[1, "Scope"], [2, "Limits"], [1, "Summary"]]}, FindingCode.WRONG_ORDER),
    ),
)
def heading_hierarchy(context: Context, *, at: str, outline: Sequence[Any] = (), no_skips: bool = True) -> Iterator[Finding | Evidence]:
    """The headings are these, in this order and of these levels, and none skips a level.

    at: the document or a place in it.
    outline: all headings of the place, as `[level, text]` pairs or nested lists; absent: any headings.
    no_skips: no heading stands more than one level below the one before it, and the first is of the highest level.
    """
    target, document = docx_target(context, at)
    missing = where(target, document)
    if missing is not None:
        yield missing
        return
    found = [one for one in paragraphs(document, places(target, document)) if one.level is not None and one.text]
    if not found:
        yield Finding(FindingCode.MISSING, target.place(), "headings", None, "there is no heading; bold or large body text is none")
        return
    yield Evidence(target.place(), "; ".join(f"{one.level} {one.text}" for one in found[:20]))
    if no_skips:
        yield from _skips(target, found, whole=not target.address.segments)
    wanted = [(level, same(text)) for level, text in outline_items(outline)]
    if wanted:
        yield from _compare_outline(target, wanted, found)


def _skips(target: Target, found: Sequence[Paragraph], *, whole: bool) -> Iterator[Finding]:
    before = 0 if whole else (found[0].level or 1)
    for one in found:
        level = one.level or 1
        if level > before + 1:
            told = f"under level {before}" if before else "as the first heading"
            yield Finding(FindingCode.MISMATCH, target.place(one.node), before + 1, level, f"the heading {one.text!r} of level {level} stands {told}")
        before = level


def _compare_outline(target: Target, wanted: Sequence[tuple[int, str]], found: Sequence[Paragraph]) -> Iterator[Finding]:
    present = [(one.level, one.text) for one in found]
    texts = [text for _, text in wanted]
    if present == list(wanted):
        return
    if sorted(one.text for one in found) == sorted(texts) and [one.text for one in found] != texts:
        yield Finding(FindingCode.WRONG_ORDER, target.place(), cut(texts), cut([one.text for one in found]), "the headings stand in another order")
        return
    waiting: dict[str, list[Paragraph]] = {}
    for one in found:
        waiting.setdefault(one.text, []).append(one)
    for level, text in wanted:
        same_text = waiting.get(text)
        if not same_text:
            yield Finding(FindingCode.MISSING, target.place(), [level, text], None, f"there is no heading {text!r}")
            continue
        one = next((candidate for candidate in same_text if candidate.level == level), same_text[0])
        same_text.remove(one)
        if one.level != level:
            yield Finding(FindingCode.MISMATCH, target.place(one.node), level, one.level, f"the heading {text!r} is of level {one.level}, not {level}")
    for one in (one for left in waiting.values() for one in left):
        yield Finding(FindingCode.UNEXPECTED, target.place(one.node), None, [one.level or 0, one.text], f"the heading {one.text!r} is not in the outline")


# Paragraphs and lists ------------------------------------------------------------------------


def _letter() -> dict[str, bytes]:
    return {"letter.docx": docx("Title:: Offer", "Dear Ms Silva,", "- Pumps", "- Hoses", "1. Order", "2. Pay", "~~Margin 18%~~", "Yours [-truly-][+faithfully+]")}


@predicate(
    "docx.paragraph",
    family=Family.STRUCTURAL,
    formats=_FORMATS,
    examples=(
        Example("its text and style", _letter, {"at": "letter.docx#body/paragraph[1]", "text": "Offer", "style": "Title"}, True),
        Example("a list item is none", _letter, {"at": "letter.docx#body/paragraph[3]", "text": "Pumps", "list": False}, FindingCode.MISMATCH),
        Example("final text", _letter, {"at": "letter.docx", "text": "Yours faithfully"}, True),
        Example("hidden text", _letter, {"at": "letter.docx", "text": "Margin 18%"}, FindingCode.HIDDEN_TEXT),
    ),
)
def paragraph_(
    context: Context,
    *,
    at: str,
    text: str | None = None,
    style: str | None = None,
    alignment: Literal["left", "center", "right", "justify"] | None = None,
    list: bool | str | None = None,  # noqa: A002
    count: int | None = None,
) -> Iterator[Finding | Evidence]:
    """There is a paragraph with this text, and it has these properties.

    at: the paragraph, or a place that holds it.   text: its whole visible text.   style: name of its style.
    alignment: where its lines stand.   list: whether it is in a list, or the list's number format (`bullet`, `decimal`).
    count: how many paragraphs have the text and the properties (default: at least one).
    """
    target, document = docx_target(context, at)
    missing = where(target, document)
    if missing is not None:
        yield missing
        return
    found = [one for one in paragraphs(document, places(target, document)) if not one.from_contents]
    if text is not None:
        wanted = same(text)
        candidates = [one for one in found if one.text == wanted]
        if not candidates and count != 0:
            hidden = next((one for one in found if one.stored_text == wanted), None)
            code = FindingCode.HIDDEN_TEXT if hidden is not None else FindingCode.MISSING
            where_ = target.place(hidden.node) if hidden is not None else target.place()
            shown = hidden.text if hidden is not None else found[0].text if len(found) == 1 else None
            yield Finding(code, where_, text, shown, f"no reader sees a paragraph {text!r}" if hidden is not None else f"there is no paragraph {text!r}")
            return
    else:
        candidates = found
    problems = {id(one): [*_properties(target, one, style, alignment, list)] for one in candidates}
    right = [one for one in candidates if not problems[id(one)]]
    if count is not None:
        if len(right) != count:
            yield Finding(FindingCode.WRONG_COUNT, target.place(), count, len(right), f"{len(right)} such paragraphs, not {count}")
        return
    if right:
        yield Evidence(target.place(right[0].node), right[0].text[:120])
        return
    if not candidates:
        yield Finding(FindingCode.MISSING, target.place(), "a paragraph", None, "there is no paragraph")
    for one in candidates[:1]:
        yield from problems[id(one)]


def _properties(target: Target, one: Paragraph, style: str | None, alignment: str | None, in_list: bool | str | None) -> Iterator[Finding]:
    place = target.place(one.node)
    if style is not None and not same_style(one.document, one.style_name, style):
        yield Finding(FindingCode.MISMATCH, place, style, one.style_name, f"the paragraph has the style {one.style_name!r}, not {style!r}")
    if alignment is not None:
        own = one.node.facts.get((Aspect.FORMAT, "alignment"), "left")
        if own != alignment:
            yield Finding(FindingCode.MISMATCH, place, alignment, own, f"the paragraph is aligned {own}, not {alignment}")
    if in_list is not None:
        own = one.node.facts.get((Aspect.STRUCTURE, "list"))
        fmt = str(own).partition(" ")[0] if own is not None else None
        if isinstance(in_list, bool):
            if in_list != (own is not None):
                code = FindingCode.NOT_NATIVE if in_list else FindingCode.MISMATCH
                yield Finding(code, place, in_list, own, "the paragraph is in no list" if in_list else "the paragraph is in a list")
        elif fmt != in_list:
            code = FindingCode.NOT_NATIVE if own is None else FindingCode.MISMATCH
            yield Finding(code, place, in_list, own, f"the paragraph is in no list of format {in_list!r}")


def same_style(document: DocxDocument, name: str, wanted: str) -> bool:
    """Whether a style's name is the one wanted, by name (in any case) or id."""
    by_id = document.shared.styles.by_id.get(wanted)
    return name.casefold() == wanted.casefold() or (by_id is not None and by_id.name == name)


@predicate(
    "docx.list",
    family=Family.STRUCTURAL,
    formats=_FORMATS,
    examples=(
        Example("two bullets", _letter, {"at": "letter.docx", "items": ["Pumps", "Hoses"], "format": "bullet"}, True),
        Example("numbers are no bullets", _letter, {"at": "letter.docx", "items": ["Order", "Pay"], "format": "bullet"}, FindingCode.MISMATCH),
        Example("typed numbers are no list", lambda: {"a.docx": docx("1) Order", "2) Pay")}, {"at": "a.docx", "items": ["Order", "Pay"]}, FindingCode.NOT_NATIVE),
        Example("another order", _letter, {"at": "letter.docx", "items": ["Hoses", "Pumps"]}, FindingCode.WRONG_ORDER),
    ),
)
def list_(
    context: Context, *, at: str, items: Sequence[str], format: str | None = None, level: int | None = None  # noqa: A002
) -> Iterator[Finding | Evidence]:
    """These texts are items of native lists, in this order.

    items: the visible texts, whole.   format: the number format (`bullet`, `decimal`, `lowerLetter`, `upperRoman`, …).
    level: of all the items, 1 for the outermost.   Numbers and bullets that are typed as text make no list.
    """
    target, document = docx_target(context, at)
    missing = where(target, document)
    if missing is not None:
        yield missing
        return
    found = [one for one in paragraphs(document, places(target, document)) if not one.from_contents]
    positions: list[int] = []
    for item in items:
        wanted = same(item)
        matches = [n for n, one in enumerate(found) if one.text == wanted and (Aspect.STRUCTURE, "list") in one.node.facts]
        if not matches:
            typed = next((one for one in found if one.text == wanted or _typed_item(one.text) == wanted), None)
            if typed is not None:
                yield Finding(FindingCode.NOT_NATIVE, target.place(typed.node), "a list item", typed.text, f"{item!r} stands there as text, not as an item of a list")
            else:
                yield Finding(FindingCode.MISSING, target.place(), item, None, f"there is no list item {item!r}")
            continue
        later = [n for n in matches if not positions or n > positions[-1]]
        positions.append((later or matches)[0])
        one = found[positions[-1]]
        fmt, _, depth = str(one.node.facts[Aspect.STRUCTURE, "list"]).partition(" level ")
        if format is not None and fmt != format:
            yield Finding(FindingCode.MISMATCH, target.place(one.node), format, fmt, f"the item {item!r} has the number format {fmt}, not {format}")
        if level is not None and depth != str(level):
            yield Finding(FindingCode.MISMATCH, target.place(one.node), level, int(depth), f"the item {item!r} is of level {depth}, not {level}")
    if positions != sorted(positions):
        shown = [found[n].text for n in sorted(positions)]
        yield Finding(FindingCode.WRONG_ORDER, target.place(), cut(list(items)), cut(shown), "the items stand in another order")
    if positions:
        yield Evidence(target.place(found[positions[0]].node), found[positions[0]].text)


_TYPED = re.compile(r"^\s*(?:[-*•·–—▪◦‣]|\(?[0-9]{1,3}[.)]|\(?[a-zA-Z][.)])\s+")


def _typed_item(text: str) -> str:
    return _TYPED.sub("", text)


# Headers, footers, pages ----------------------------------------------------------------------


def _with_header() -> dict[str, bytes]:
    return {"report.docx": docx("Text.", header="Draft of the board", footer="Page {PAGE|1}", landscape=True)}


def _running(kind: str, context: Context, at: str, contains: str | None, absent: str | None, section: int | None, variant: str) -> Iterator[Finding | Evidence]:
    target, document = docx_target(context, at)
    nodes: list[tuple[str, Node]] = []
    if target.address.segments:
        nodes = [(node.address, node) for node in target.nodes if node.kind == kind]
    else:
        count = len(document.find("body/page_setup[*]"))
        for number in (section,) if section is not None else range(1, count + 1):
            found = document.find(f"{kind}[{number},{variant}]")
            if found:
                nodes += [(f"{kind}[{number},{variant}]", node) for node in found]
            elif contains is not None:
                place = f"{target.artifact}#body/page_setup[{number}]"
                yield Finding(FindingCode.MISSING, place, contains, None, f"section {number} has no {variant} {kind}")
    if not nodes and contains is not None and target.address.segments:
        yield Finding(FindingCode.MISSING, target.place(), contains, None, f"there is no {kind}")
    for _, node in {id(node): (address, node) for address, node in nodes}.values():
        text = shown_text(document, node.address)
        place = target.place(node)
        if contains is not None and same(contains) not in text:
            stored = same("".join(span.text for span in document.span_index.get(node.address, ())))
            code = FindingCode.HIDDEN_TEXT if same(contains) in stored else FindingCode.MISSING
            yield Finding(code, place, contains, text, f"the {kind} does not show {contains!r}")
        elif absent is not None and same(absent) in text:
            yield Finding(FindingCode.UNEXPECTED, place, None, text, f"the {kind} still shows {absent!r}")
        else:
            yield Evidence(place, text[:120])


@predicate(
    "docx.header",
    family=Family.STRUCTURAL,
    formats=_FORMATS,
    examples=(
        Example("shown on every page", _with_header, {"at": "report.docx", "contains": "Draft"}, True),
        Example("other words", _with_header, {"at": "report.docx", "contains": "Final"}, FindingCode.MISSING),
        Example("words that must go", _with_header, {"at": "report.docx", "absent": "Draft"}, FindingCode.UNEXPECTED),
    ),
)
def header(
    context: Context, *, at: str, contains: str | None = None, absent: str | None = None, section: int | None = None,
    type: Literal["default", "first", "even"] = "default",  # noqa: A002
) -> Iterator[Finding | Evidence]:  # fmt: skip
    """The headers of the sections show this text.

    at: the document, or one header.   contains, absent: text that a reader must or must not find there.
    section: number of the one section meant (default: all).   type: which of its headers.
    """
    yield from _running("header", context, at, contains, absent, section, type)


@predicate(
    "docx.footer",
    family=Family.STRUCTURAL,
    formats=_FORMATS,
    examples=(
        Example("text and field", _with_header, {"at": "report.docx", "contains": "Page 1"}, True),
        Example("no such text", _with_header, {"at": "report.docx", "contains": "Confidential"}, FindingCode.MISSING),
    ),
)
def footer(
    context: Context, *, at: str, contains: str | None = None, absent: str | None = None, section: int | None = None,
    type: Literal["default", "first", "even"] = "default",  # noqa: A002
) -> Iterator[Finding | Evidence]:  # fmt: skip
    """The footers of the sections show this text.

    at: the document, or one footer.   contains, absent: text that a reader must or must not find there.
    section: number of the one section meant (default: all).   type: which of its footers.
    """
    yield from _running("footer", context, at, contains, absent, section, type)


@predicate(
    "docx.section",
    family=Family.STRUCTURAL,
    formats=_FORMATS,
    examples=(
        Example("a landscape page", _with_header, {"at": "report.docx", "number": 1, "orientation": "landscape"}, True),
        Example("not upright", _with_header, {"at": "report.docx", "orientation": "portrait"}, FindingCode.MISMATCH),
        Example("the number of sections", _with_header, {"at": "report.docx", "count": 2}, FindingCode.WRONG_COUNT),
    ),
)
def section_(
    context: Context,
    *,
    at: str,
    number: int | None = None,
    orientation: Literal["portrait", "landscape"] | None = None,
    columns: int | None = None,
    width: float | None = None,
    height: float | None = None,
    count: int | None = None,
) -> Iterator[Finding | Evidence]:
    """The pages of the document's sections are set up like this.

    number: the one section meant (default: all).   orientation, columns: of its pages.   width, height: of the page in points.
    count: how many sections the document has.
    """
    target, document = docx_target(context, at)
    pages = [node for node in target.nodes if node.kind == "page_setup"] or document.find("body/page_setup[*]")
    if count is not None and len(pages) != count:
        yield Finding(FindingCode.WRONG_COUNT, f"{target.artifact}#body", count, len(pages), f"{len(pages)} sections, not {count}")
    chosen = [node for node in pages if number is None or node.number == number]
    if not chosen:
        yield Finding(FindingCode.MISSING, target.place(), number, len(pages), f"there is no section {number}")
    for node in chosen:
        facts = node.facts
        if orientation is not None and facts.get((Aspect.GEOMETRY, "orientation"), "portrait") != orientation:
            own = facts.get((Aspect.GEOMETRY, "orientation"), "portrait")
            yield Finding(FindingCode.MISMATCH, target.place(node), orientation, own, f"the pages of section {node.number} are {own}, not {orientation}")
        if columns is not None and facts.get((Aspect.LAYOUT, "columns"), 1) != columns:
            own = facts.get((Aspect.LAYOUT, "columns"), 1)
            yield Finding(FindingCode.MISMATCH, target.place(node), columns, own, f"section {node.number} has {own} columns, not {columns}")
        for name, wanted in (("width", width), ("height", height)):
            text = str(facts.get((Aspect.GEOMETRY, name)) or "0 pt")
            if wanted is not None and abs(float(text.removesuffix(" pt")) - wanted) > 0.5:
                yield Finding(FindingCode.MISMATCH, target.place(node), f"{wanted:g} pt", text, f"the pages of section {node.number} have a {name} of {text}")
        yield Evidence(target.place(node), f"{facts.get((Aspect.GEOMETRY, 'orientation'), 'portrait')} {facts.get((Aspect.GEOMETRY, 'width'), '')}")


STRUCTURE_PREDICATES: tuple[Predicate, ...] = (heading, heading_hierarchy, paragraph_, list_, header, footer, section_)

