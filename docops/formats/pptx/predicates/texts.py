"""Predicates on text: paragraphs and their levels, formatting, links, comments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from docops.core.codes import Family, FindingCode
from docops.core.node import Value
from docops.core.predicate import Context, Evidence, Finding, Predicate, Target, predicate
from docops.formats.ooxml.drawing import A
from docops.formats.ooxml.text import Paragraph, Run
from docops.formats.pptx.comments import read_comments
from docops.formats.pptx.predicates.places import (
    FORMATS,
    document_of,
    example,
    excerpt,
    holds_text,
    missing_place,
    same_text,
    shape_of,
    shapes_at,
    slides_at,
    unseen,
)
from docops.formats.pptx.samples import Slide, deck, text_box
from docops.formats.pptx.shapes import Shape
from docops.formats.pptx.visibility import seen_paragraphs


def _styled() -> bytes:
    return deck([Slide("Goals", ["Faster", "Cheaper"], shapes=[text_box("Beware", "Note", run='b="1" sz="2000"')])])


def _linked() -> bytes:
    link = text_box("Source", "Note", run='<a:hlinkClick r:id="rId7"/>')
    return deck([Slide("Goals", shapes=[link], relationships={"rId7": ("hyperlink", "https://example.org/harbour")})])


@predicate(
    "pptx.text_style",
    family=Family.STRUCTURAL,
    formats=FORMATS,
    examples=(
        example("bold, 20 points", _styled, {"at": 'deck.pptx#slide[1]/shape["Note"]', "bold": True, "size": 20}, True),
        example("inherited size", _styled, {"at": 'deck.pptx#slide[1]/shape["Title 1"]', "size": 44, "colour": "000000", "font": "Calibri"}, True),
        example("not bold", _styled, {"at": 'deck.pptx#slide[1]/shape["Title 1"]', "bold": True}, FindingCode.MISMATCH),
    ),
)
def text_style(
    context: Context,
    *,
    at: str,
    text: str | None = None,
    bold: bool | None = None,
    italic: bool | None = None,
    underline: bool | None = None,
    size: float | None = None,
    colour: str | None = None,
    font: str | None = None,
    highlight: str | None = None,
) -> Iterator[Finding | Evidence]:
    """All text there has this effective formatting, whether it is its own or comes from layout, master or theme.

    at: a slide, shape, table, cell or paragraph.   text: only these words.
    bold, italic, underline: whether.   size: points.   colour, highlight: RRGGBB.   font: typeface, theme fonts resolved.
    """
    target = context.target(at, formats=FORMATS)
    absent = missing_place(target)
    if absent is not None:
        yield absent
        return
    wanted: dict[str, Value] = {"bold": bold, "italic": italic, "underline": underline, "size": size, "colour": colour, "font": font, "highlight": highlight}
    wanted = {name: value for name, value in wanted.items() if value is not None}
    looked = False
    for address, paragraph in _paragraphs(target_shapes(target), [node.address for node in target.nodes]):
        for run in _runs(paragraph, text):
            looked = True
            for name, value in wanted.items():
                found = _effective(run, name)
                if not _equal(found, value):
                    message = f"the {name} of {excerpt(run.shown)!r} is {found}, not {value}"
                    yield Finding(FindingCode.MISMATCH, target.place(address), value, found, message)
    if not looked:
        yield Finding(FindingCode.MISSING, target.place(), text or "some text", None, "there is no such text")


def target_shapes(target: Target) -> list[Shape]:
    """The shapes at a target, or the one that holds it."""
    found = [shape for node in target.nodes if (shape := shape_of(document_of(target), node)) is not None]
    return list({shape.address: shape for shape in [*found, *([] if found else shapes_at(target))]}.values())


def _paragraphs(shapes: Sequence[Shape], places: Sequence[str]) -> Iterator[tuple[str, Paragraph]]:
    """Paragraphs of shapes (groups and tables gone into) that stand at one of the places."""
    for shape in shapes:
        found = [(f"{shape.address}/paragraph[{number}]", paragraph) for number, paragraph in enumerate(shape.paragraphs, 1)]
        if shape.table is not None:
            found += [
                (f"{shape.address}/table/row[{row}]/cell[{column}]/paragraph[{number}]", paragraph)
                for row, cells in enumerate(shape.table.rows, 1)
                for column, cell in enumerate(cells, 1)
                for number, paragraph in enumerate(cell.paragraphs, 1)
            ]
        yield from (entry for entry in found if any(not place or entry[0] == place or entry[0].startswith(f"{place}/") for place in places))
        yield from _paragraphs(shape.shapes, places)


def _runs(paragraph: Paragraph, text: str | None) -> list[Run]:
    runs = [run for run in paragraph.runs if run.shown.strip()]
    if text is None:
        return runs
    whole = paragraph.shown
    start = whole.find(text)
    if start < 0:
        return []
    out, at = [], 0
    for run in paragraph.runs:
        if at < start + len(text) and at + len(run.shown) > start and run.shown.strip():
            out.append(run)
        at += len(run.shown)
    return out


def _effective(run: Run, name: str) -> Value:
    found = run.properties.get(name)
    if name in {"bold", "italic"}:
        return bool(found)
    if name == "underline":
        return found not in {None, "none"}
    return found


def _equal(found: Value, wanted: Value) -> bool:
    if isinstance(found, str) and isinstance(wanted, str):
        return found.lstrip("#").casefold() == wanted.lstrip("#").casefold()
    if isinstance(found, bool) or isinstance(wanted, bool):
        return found is wanted
    if isinstance(found, (int, float)) and isinstance(wanted, (int, float)):
        return abs(found - wanted) < 0.01
    return found == wanted


@predicate(
    "pptx.paragraphs",
    family=Family.STRUCTURAL,
    formats=FORMATS,
    examples=(
        example("all of them", _styled, {"at": 'deck.pptx#slide[1]/shape["Content Placeholder 2"]', "texts": ["Faster", "Cheaper"]}, True),
        example("one is missing", _styled, {"at": 'deck.pptx#slide[1]/shape["Content Placeholder 2"]', "texts": ["Faster"]}, FindingCode.WRONG_COUNT),
        example("another level", _styled, {"at": 'deck.pptx#slide[1]/shape["Content Placeholder 2"]', "levels": [0, 1]}, FindingCode.MISMATCH),
    ),
)
def paragraphs(context: Context, *, at: str, texts: Sequence[str] = (), levels: Sequence[int] = (), count: int | None = None) -> Iterator[Finding | Evidence]:
    """The shape's paragraphs (bullets) are these, in this order, on these levels; empty ones are not counted.

    at: a shape.   texts: all of them.   levels: of each, 0 for the outermost.   count: how many.
    """
    target = context.target(at, formats=FORMATS)
    absent = missing_place(target)
    if absent is not None:
        yield absent
        return
    for shape in target_shapes(target):
        read = seen_paragraphs(shape)
        found = [(number, paragraph, read[number - 1]) for number, paragraph in enumerate(shape.paragraphs, 1) if read[number - 1].strip()]
        place = target.place(shape.address)
        shown: Value = [text for _, _, text in found]
        reason = unseen(context, target, shape)
        if reason:
            yield Finding(FindingCode.HIDDEN_TEXT, place, "paragraphs that a reader sees", reason, f"{shape.name!r} is not seen: {reason}")
            continue
        for wanted in (len(texts) if texts else None, len(levels) if levels else None, count):
            if wanted is not None and wanted != len(found):
                yield Finding(FindingCode.WRONG_COUNT, place, list(texts) or wanted, shown, f"{shape.name!r} has {len(found)} paragraphs, not {wanted}")
                return
        for position, (number, paragraph, text) in enumerate(found):
            where = target.place(f"{shape.address}/paragraph[{number}]")
            if texts and not same_text(text, texts[position]):
                yield Finding(FindingCode.MISMATCH, where, texts[position], text, f"paragraph {number} is another")
            if levels and paragraph.level != levels[position]:
                yield Finding(FindingCode.MISMATCH, where, levels[position], paragraph.level, f"paragraph {number} stands on level {paragraph.level}")


@predicate(
    "pptx.link",
    family=Family.STRUCTURAL,
    formats=FORMATS,
    examples=(
        example("leads there", _linked, {"at": "deck.pptx#slide[1]", "to": "https://example.org/harbour", "text": "Source"}, True),
        example("leads elsewhere", _linked, {"at": "deck.pptx#slide[1]", "to": "https://example.org/"}, FindingCode.MISSING),
    ),
)
def link(context: Context, *, at: str, to: str, text: str | None = None) -> Iterator[Finding | Evidence]:
    """A link there leads to this target.

    at: a slide or a shape.   to: the URL, or `slide 5` for a jump.   text: the words that carry it.
    """
    target = context.target(at, formats=FORMATS)
    absent = missing_place(target)
    if absent is not None:
        yield absent
        return
    found: list[tuple[str, str, str]] = []
    shapes = target_shapes(target)
    for address, paragraph in _paragraphs(shapes, [node.address for node in target.nodes]):
        found += [(address, str(entry[0]), _link_target(entry[2])) for entry in paragraph.links if isinstance(entry, list)]
    for shape in shapes:
        for child in shape.properties.iterchildren(f"{A}hlinkClick", f"{A}hlinkHover") if shape.properties is not None else ():
            found += [(shape.address, shape.text, _link_target(shape.sheet.deck.link(child, shape.part)))]
    matching = [entry for entry in found if entry[2] == to and (text is None or holds_text(entry[1], text))]
    if not matching:
        shown: Value = [f"{words}: {where}" for _, words, where in found]
        yield Finding(FindingCode.MISSING, target.place(), to, shown or None, f"no link there leads to {to}")
    for address, words, _ in matching:
        yield Evidence(target.place(address), excerpt(words))


def _link_target(value: Value) -> str:
    return str(value.get("to")) if isinstance(value, dict) else str(value)


_COMMENTS = (
    b'<p:cmLst xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"><p:cm authorId="0" idx="1"><p:pos x="0" y="0"/>'
    b"<p:text>Check this</p:text></p:cm></p:cmLst>"
)


def _commented() -> bytes:
    kind = "application/vnd.openxmlformats-officedocument.presentationml.comments+xml"
    part = "/ppt/comments/comment1.xml"
    return deck([Slide("Goals", relationships={"rId6": ("comments", part)}, parts={part: (kind, _COMMENTS)})])


@predicate(
    "pptx.comment",
    family=Family.STRUCTURAL,
    formats=FORMATS,
    examples=(
        example("is there", _commented, {"at": "deck.pptx#slide[1]", "contains": "Check"}, True),
        example("says something else", _commented, {"at": "deck.pptx#slide[1]", "contains": "Done"}, FindingCode.MISSING),
        example("must be gone", _commented, {"at": "deck.pptx", "count": 0}, FindingCode.WRONG_COUNT),
    ),
)
def comment(context: Context, *, at: str, contains: str | None = None, author: str | None = None, count: int | None = None) -> Iterator[Finding | Evidence]:
    """A comment (or so many) with these words, by this author, is on the slide.

    at: a slide, several, or the artifact.   contains: its words.   author: who wrote it.
    count: how many of the kind; without it, one or more.   Replies count.
    """
    target = context.target(at, formats=FORMATS)
    absent = missing_place(target)
    if absent is not None:
        yield absent
        return
    found = []
    everything: list[str] = []
    for sheet in slides_at(target):
        for number, one in enumerate(read_comments(sheet), 1):
            everything.append(excerpt(one.text))
            if (contains is None or holds_text(one.text, contains)) and (author is None or one.author == author):
                found.append((f"{sheet.address}/comment[{number}]", one))
    if (count is None and not found) or (count is not None and len(found) != count):
        code = FindingCode.MISSING if not found else FindingCode.WRONG_COUNT
        yield Finding(code, target.place(), contains or count or "a comment", list(everything), f"{len(found)} such comments are there")
    for address, item in found:
        yield Evidence(target.place(address), excerpt(item.text))


PREDICATES: tuple[Predicate, ...] = (text_style, paragraphs, link, comment)
