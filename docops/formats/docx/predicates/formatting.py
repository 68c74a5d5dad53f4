"""Predicates about looks: styles of paragraphs and tables, formatting of a text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from docops.core.codes import Aspect, Family, FindingCode
from docops.core.node import Node, Value
from docops.core.predicate import Context, Evidence, Example, Finding, Predicate, Target, predicate
from docops.formats.docx.document import DocxDocument
from docops.formats.docx.paragraphs import is_hidden, look_of
from docops.formats.docx.predicates.places import Paragraph, docx_target, paragraph, paragraphs, places, same, where
from docops.formats.docx.predicates.structure import same_style
from docops.formats.docx.samples import docx
from docops.formats.docx.styles import Properties

_FORMATS = ("docx",)


def _styled() -> dict[str, bytes]:
    return {"report.docx": docx("# Summary", "Revenue rose to **1,234** units in ==March==.", "Quote:: Well done.", "**Bold heading**")}


@predicate(
    "docx.style",
    family=Family.STRUCTURAL,
    formats=_FORMATS,
    examples=(
        Example("a paragraph's style", _styled, {"at": "report.docx#body/paragraph[3]", "name": "Quote"}, True),
        Example("the shown name", _styled, {"at": "report.docx#body/paragraph[1]", "name": "Heading 1"}, True),
        Example("bold text has no heading style", _styled, {"at": "report.docx#body/paragraph[4]", "name": "Heading 1"}, FindingCode.MISMATCH),
        Example("a style of the document", _styled, {"at": "report.docx", "name": "Quote"}, True),
        Example("no such style", _styled, {"at": "report.docx", "name": "Remark"}, FindingCode.MISSING),
    ),
)
def style(context: Context, *, at: str, name: str) -> Iterator[Finding | Evidence]:
    """What stands at the place has this style.

    at: paragraphs, runs or tables (a container: every paragraph in it that shows text; the document alone: it has such a
    style and something uses it).   name: as the user interface shows it, in any case, or the style's id.
    """
    target, document = docx_target(context, at)
    missing = where(target, document)
    if missing is not None:
        yield missing
        return
    if not target.address.segments:
        yield from _style_in_use(target, document, name)
        return
    for node in target.nodes:
        for place, own in _styles_of(document, node):
            if same_style(document, own, name):
                yield Evidence(target.place(place), own)
            else:
                yield Finding(FindingCode.MISMATCH, target.place(place), name, own, f"{place.segment} has the style {own or 'of its paragraph'!r}, not {name!r}")


def _style_in_use(target: Target, document: DocxDocument, name: str) -> Iterator[Finding | Evidence]:
    nodes = document.styles_named(name)
    if not nodes:
        yield Finding(FindingCode.MISSING, target.place(), name, None, f"the document has no style {name!r}")
    elif not any(node.users is not None and node.users() for node in nodes):
        yield Finding(FindingCode.MISSING, target.place(nodes[0]), name, None, f"nothing uses the style {name!r}")
    else:
        yield Evidence(target.place(nodes[0]), name)


def _styles_of(document: DocxDocument, node: Node) -> Iterator[tuple[Node, str]]:
    if node.kind == "table":
        yield node, str(node.facts.get((Aspect.FORMAT, "style"), ""))
    elif node.kind == "run":
        yield node, str(node.facts.get((Aspect.FORMAT, "character style"), ""))
    elif node.kind == "paragraph":
        one = paragraph(document, node)
        if one is not None:
            yield node, one.style_name
    else:
        for one in paragraphs(document, [node]):
            if one.text:
                yield one.node, one.style_name


_COLOURS = {"black": "000000", "white": "FFFFFF", "red": "FF0000", "green": "008000", "blue": "0000FF", "yellow": "FFFF00"}
_SWITCHES = ("bold", "italic", "strike", "hidden", "small_caps", "caps")


def _check_format(parameters: Mapping[str, Any]) -> list[str]:
    asked = [name for name in (*_SWITCHES, "underline", "colour", "highlight", "font", "size", "vertical_position", "style") if parameters.get(name) is not None]
    return [] if asked else ["ask for at least one property"]


@predicate(
    "docx.text_format",
    family=Family.STRUCTURAL,
    formats=_FORMATS,
    validate=_check_format,
    examples=(
        Example("a bold number", _styled, {"at": "report.docx", "text": "1,234", "bold": True}, True),
        Example("a highlighted word", _styled, {"at": "report.docx#body/paragraph[2]", "text": "March", "highlight": "yellow"}, True),
        Example("by its style", _styled, {"at": "report.docx#body/paragraph[1]", "text": "Summary", "bold": True}, True),
        Example("not bold", _styled, {"at": "report.docx", "text": "units", "bold": True}, FindingCode.MISMATCH),
        Example("no such text", _styled, {"at": "report.docx", "text": "April", "bold": True}, FindingCode.MISSING),
    ),
)
def text_format(
    context: Context,
    *,
    at: str,
    text: str | None = None,
    bold: bool | None = None,
    italic: bool | None = None,
    underline: bool | str | None = None,
    strike: bool | None = None,
    caps: bool | None = None,
    small_caps: bool | None = None,
    hidden: bool | None = None,
    colour: str | None = None,
    highlight: str | None = None,
    font: str | None = None,
    size: float | None = None,
    vertical_position: str | None = None,
    style: str | None = None,
    only: bool = False,
) -> Iterator[Finding | Evidence]:
    """A text looks like this, however the look is reached (by the style, the character style or directly).

    at: the document or a place in it.   bold, italic, strike, caps, small_caps, hidden: whether.   font: its name.
    text: every visible occurrence of it at the place (absent: all text there).   underline: whether, or of which kind.
    colour: RRGGBB or a plain name.   highlight: a highlight colour's name, `any` or `none`.   size: in points.
    vertical_position: `superscript` or `subscript`.   style: name of the character style.
    only: no other text at the place looks so.
    """
    target, document = docx_target(context, at)
    missing = where(target, document)
    if missing is not None:
        yield missing
        return
    wanted: dict[str, Value] = {
        "bold": bold, "italic": italic, "underline": underline, "strike": strike, "caps": caps, "small caps": small_caps, "hidden": hidden,
        "colour": _COLOURS.get(colour.lower(), colour.lstrip("#").upper()) if colour is not None else None, "highlight": highlight, "font": font,
        "size": f"{size:g} pt" if size is not None else None, "vertical position": vertical_position, "character style": style,
    }  # fmt: skip
    wanted = {name: value for name, value in wanted.items() if value is not None}
    nodes = places(target, document)
    seen = False
    for one in paragraphs(document, nodes):
        letters = _letters(one, bool(hidden))
        inside = _marked(letters, text)
        if not any(inside):
            if not only:
                continue
        else:
            seen = True
        yield from _judge(target, document, one, letters, inside, wanted, only)
    for node in nodes:
        if node.kind == "run" and text is None:
            seen = True
            problems = _differences(document, {name: value for (_, name), value in node.facts.items()}, wanted)
            yield from (Finding(FindingCode.MISMATCH, target.place(node), value, own, f"{name} is {own!r}, not {value!r}") for name, value, own in problems)
    if not seen:
        stored = next((one for one in paragraphs(document, nodes) if text is not None and same(text) in one.stored_text), None)
        code = FindingCode.HIDDEN_TEXT if stored is not None else FindingCode.MISSING
        yield Finding(code, target.place(stored.node if stored is not None else None), text or "text", None, f"no reader sees the text {text!r}" if text else "no text")


#: One character and how it looks.
_Letter = tuple[str, Properties]


def _letters(one: Paragraph, with_hidden: bool) -> list[_Letter]:
    inherited = look_of(one.story, one.element)
    out: list[_Letter] = []
    for piece in one.story.content(one.element).pieces:
        if not piece.shown or piece.gone or piece.code or (not with_hidden and is_hidden(inherited, piece)):
            continue
        look = inherited.of(piece.r_pr)
        out += [(char, look) for char in piece.text]
    return out


def _marked(letters: Sequence[_Letter], text: str | None) -> list[bool]:
    """Which characters belong to an occurrence of the text; words are matched whole, white space of any kind and length."""
    stored = "".join(char for char, _ in letters)
    if text is None:
        return [not char.isspace() for char in stored]
    pattern = r"\s+".join(re.escape(word) for word in text.replace("\u00a0", " ").split())
    if not pattern:
        return [False] * len(stored)
    before, after = (r"(?<!\w)" if text.strip()[:1].isalnum() else ""), (r"(?!\w)" if text.strip()[-1:].isalnum() else "")
    inside = [False] * len(stored)
    for match in re.finditer(f"{before}{pattern}{after}", stored.replace("\u00a0", " ").replace("\u202f", " ").replace("\u2011", "-")):
        for at in range(match.start(), match.end()):
            inside[at] = not stored[at].isspace()
    return inside


def _judge(
    target: Target, document: DocxDocument, one: Paragraph, letters: Sequence[_Letter], inside: Sequence[bool], wanted: Mapping[str, Value], only: bool
) -> Iterator[Finding | Evidence]:
    wrong: dict[str, tuple[Value, list[int]]] = {}
    outside: list[int] = []
    for at, ((char, look), is_inside) in enumerate(zip(letters, inside, strict=True)):
        if is_inside:
            for name, _, own in _differences(document, look, wanted):
                first, where_wrong = wrong.setdefault(name, (own, []))
                if first == own:
                    where_wrong.append(at)
        elif only and not char.isspace() and not _differences(document, look, wanted):
            outside.append(at)
    place = target.place(one.node)
    for name, (own, where_wrong) in wrong.items():
        yield Finding(FindingCode.MISMATCH, place, wanted[name], own, f"{name} is not {wanted[name]!r} for {_excerpt(letters, where_wrong)[:60]!r}")
    if outside:
        text = _excerpt(letters, outside)[:60]
        yield Finding(FindingCode.UNEXPECTED, place, None, text, f"other text looks so too: {text!r}")
    if not wrong and not outside and any(inside):
        yield Evidence(place, _excerpt(letters, [at for at, is_inside in enumerate(inside) if is_inside])[:120])


def _excerpt(letters: Sequence[_Letter], places: Sequence[int]) -> str:
    """The characters at these places with the white space between them; `…` where others stand between."""
    out: list[str] = []
    for n, at in enumerate(places):
        between = "".join(char for char, _ in letters[places[n - 1] + 1 : at]) if n else ""
        out += [between if not between.strip() else "…", letters[at][0]]
    return "".join(out)


def _differences(document: DocxDocument, look: Mapping[str, Value], wanted: Mapping[str, Value]) -> list[tuple[str, Value, Value]]:
    out: list[tuple[str, Value, Value]] = []
    for name, value in wanted.items():
        own = look.get(name)
        if name == "highlight":
            own = own if own is not None else look.get("shading")
            right = (own is None) if value == "none" else (own is not None) if value == "any" else _same_highlight(own, str(value))
        elif name == "underline" and isinstance(value, bool):
            right = (own is not None) == value
        elif isinstance(value, bool):
            right = bool(own) == value
        elif name == "colour":
            right = (own or "000000") == value
        elif name == "font":
            right = str(own or "").casefold() == str(value).casefold()
        elif name == "character style":
            right = same_style(document, str(own or ""), str(value))
        else:
            right = own == value
        if not right:
            out.append((name, value, own))
    return out


def _same_highlight(own: Value, wanted: str) -> bool:
    from docops.formats.docx.visibility import HIGHLIGHTS

    def rgb(value: str) -> str:
        return next((code for name, code in HIGHLIGHTS.items() if name.casefold() == value.casefold()), value.lstrip("#").upper())

    return own is not None and rgb(str(own)) == rgb(wanted)


@predicate(
    "docx.consistent_style",
    family=Family.STRUCTURAL,
    formats=_FORMATS,
    examples=(
        Example("body text is all Normal", _styled, {"at": "report.docx", "names": ["Normal", "Quote", "Heading 1"]}, True),
        Example("a style that is not among them", _styled, {"at": "report.docx", "names": ["Normal", "Heading 1"]}, FindingCode.MISMATCH),
    ),
)
def consistent_style(context: Context, *, at: str, names: Sequence[str]) -> Iterator[Finding | Evidence]:
    """Every paragraph that shows text has one of these styles.

    at: the document or a place in it.   names: as the user interface shows them, in any case, or ids.
    """
    target, document = docx_target(context, at)
    missing = where(target, document)
    if missing is not None:
        yield missing
        return
    for one in paragraphs(document, places(target, document)):
        if one.text and not any(same_style(document, one.style_name, name) for name in names):
            yield Finding(FindingCode.MISMATCH, target.place(one.node), list(names), one.style_name, f"the paragraph has the style {one.style_name!r}")
    yield Evidence(target.place(), ", ".join(names))


FORMAT_PREDICATES: tuple[Predicate, ...] = (style, text_format, consistent_style)

