"""Predicates on shapes and placeholders: being there, kind, place, filled or not."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from docops.core.codes import Family, FindingCode
from docops.core.predicate import Context, Evidence, Finding, Predicate, predicate
from docops.formats.pptx.predicates.places import (
    FORMATS,
    document_of,
    example,
    excerpt,
    holds_text,
    missing_place,
    same_text,
    seen_text,
    shapes_at,
    slides_at,
    unseen,
)
from docops.formats.pptx.samples import HEIGHT, WIDTH, Slide, deck, text_box
from docops.formats.pptx.shapes import Shape, walk_shapes

_TYPES = {"content": {"obj"}, "title": {"title", "ctrTitle"}, "text": {"body"}, "body": {"body", "obj"}, "subtitle": {"subTitle"}}
_TOKEN = re.compile(r"\{\{[^{}]*\}\}|<<[^<>]+>>|\[\[[^\[\]]+\]\]|\$\{[^{}]*\}|\blorem ipsum\b|\bclick to (?:add|edit)\b", re.IGNORECASE)

#: How far a place or size may be off (EMU): one typographic point.
TOLERANCE = 12700


def _plain() -> bytes:
    return deck([Slide("Goals", ["Faster", "Cheaper"]), Slide("Plan", [""])])


def _boxes() -> bytes:
    return deck([Slide("Goals", layout="Title Only", shapes=[text_box("Inside", "Inner"), text_box("Outside", "Outer", (-WIDTH, 0, 914400, 914400))])])


@predicate(
    "pptx.placeholder",
    family=Family.STRUCTURAL,
    formats=FORMATS,
    examples=(
        example("filled", _plain, {"at": "deck.pptx#slide[1]", "type": "body", "contains": "Cheaper"}, True),
        example("empty", _plain, {"at": "deck.pptx#slide[2]", "type": "body"}, FindingCode.MISSING),
        example("none of the kind", _boxes, {"at": "deck.pptx#slide[1]", "type": "body"}, FindingCode.MISSING),
        example("text box in its stead", _boxes, {"at": "deck.pptx#slide[1]", "type": "body", "contains": "Inside"}, FindingCode.NOT_NATIVE),
    ),
)
def placeholder(
    context: Context,
    *,
    at: str,
    type: str,  # noqa: A002
    text: str | None = None,
    contains: str | None = None,
    filled: bool = True,
) -> Iterator[Finding | Evidence]:
    """The slide has a placeholder of this type that is filled (or, with `filled = false`, empty).

    at: a slide.
    type: title, subtitle, body (text or content), content, text, or as in the file (`pic`, `chart`, `tbl`, `dt`, `ftr`, `sldNum`).
    text: its whole text.   contains: words in it.
    """
    target = context.target(at, formats=FORMATS)
    absent = missing_place(target)
    if absent is not None:
        yield absent
        return
    kinds = _TYPES.get(type, {type})
    shapes = shapes_at(target)
    found = [shape for shape in shapes if shape.placeholder is not None and shape.placeholder_type in kinds]
    wanted = text if text is not None else contains
    if not found:
        holder = next((shape for shape in shapes if wanted and holds_text(shape.text, wanted)), None)
        if holder is not None:
            message = f"the text stands in {holder.name!r}, which is no {type} placeholder"
            yield Finding(FindingCode.NOT_NATIVE, target.place(holder.address), f"a {type} placeholder", holder.kind, message)
        else:
            yield Finding(FindingCode.MISSING, target.place(), f"a {type} placeholder", None, f"there is no {type} placeholder")
        return
    full = [shape for shape in found if (shape.text if not filled else seen_text(shape)).strip() or shape.kind != "shape"]
    if not filled:
        for shape in full:
            yield Finding(FindingCode.UNEXPECTED, target.place(shape.address), "", excerpt(shape.text), f"the {type} placeholder is filled")
        return
    if not full:
        unread = next((shape for shape in found if shape.text.strip()), None)
        if unread is not None:
            message = f"the text of the {type} placeholder cannot be read where it stands"
            yield Finding(FindingCode.HIDDEN_TEXT, target.place(unread.address), wanted or "text that a reader sees", excerpt(unread.text), message)
            return
        yield Finding(FindingCode.MISSING, target.place(found[0].address), wanted or "some content", "", f"the {type} placeholder is empty")
        return
    matching = [shape for shape in full if _says(shape, text, contains)]
    if not matching:
        yield Finding(FindingCode.MISMATCH, target.place(full[0].address), wanted, excerpt(full[0].text), f"the {type} placeholder says something else")
        return
    shown = [shape for shape in matching if not unseen(context, target, shape)]
    if not shown:
        reason = unseen(context, target, matching[0])
        yield Finding(FindingCode.HIDDEN_TEXT, target.place(matching[0].address), wanted or "a placeholder that a reader sees", reason, f"it is not seen: {reason}")
        return
    yield Evidence(target.place(shown[0].address), excerpt(shown[0].text))


def _says(shape: Shape, text: str | None, contains: str | None) -> bool:
    found = seen_text(shape)
    return (text is None or same_text(found, text)) and (contains is None or holds_text(found, contains))


@predicate(
    "pptx.no_placeholders_left",
    family=Family.STRUCTURAL,
    formats=FORMATS,
    examples=(
        example("all filled", lambda: deck([Slide("Goals", ["Faster"])]), {"at": "deck.pptx"}, True),
        example("an empty one", _plain, {"at": "deck.pptx"}, FindingCode.UNEXPECTED),
        example("a token left", lambda: deck([Slide("Goals", ["Dear {{name}}"])]), {"at": "deck.pptx"}, FindingCode.UNEXPECTED),
    ),
)
def no_placeholders_left(context: Context, *, at: str, empty: bool = True, tokens: bool = True, pattern: str | None = None) -> Iterator[Finding | Evidence]:
    """No placeholder was left unfilled, and no template token ({{…}}, <<…>>, [[…]], "Click to add") stands in any text.

    at: a slide, several, or the artifact.
    empty: look for empty placeholders (dates, footers and slide numbers aside).   tokens: look for tokens.
    pattern: a text that no shape may hold, besides.
    """
    target = context.target(at, formats=FORMATS)
    absent = missing_place(target)
    if absent is not None:
        yield absent
        return
    for shape in shapes_at(target):
        place = target.place(shape.address)
        texts = [shape.text]
        if shape.table is not None:
            texts = [cell.text for row in shape.table.rows for cell in row]
        if empty and shape.placeholder is not None and shape.kind == "shape" and not shape.text.strip() and shape.placeholder_type not in {"dt", "ftr", "sldNum"}:
            yield Finding(FindingCode.UNEXPECTED, place, "some content", "", f"the placeholder {shape.name!r} was left empty")
        for text in texts:
            token = _TOKEN.search(text) if tokens else None
            if token is not None:
                yield Finding(FindingCode.UNEXPECTED, place, None, excerpt(text), f"{token.group()!r} was left in {shape.name!r}")
            elif pattern is not None and pattern in text:
                yield Finding(FindingCode.UNEXPECTED, place, None, excerpt(text), f"{pattern!r} was left in {shape.name!r}")


Kind = Literal["shape", "text_box", "picture", "media", "table", "chart", "diagram", "ole", "connector", "group", "ink", "placeholder"]


@predicate(
    "pptx.shape",
    family=Family.STRUCTURAL,
    formats=FORMATS,
    examples=(
        example("is there, and on the slide", _boxes, {"at": 'deck.pptx#slide[1]/shape["Inner"]', "within": True, "kind": "text_box"}, True),
        example("off the slide", _boxes, {"at": 'deck.pptx#slide[1]/shape["Outer"]', "within": True}, FindingCode.MISMATCH),
        example("hidden there", _boxes, {"at": 'deck.pptx#slide[1]/shape["Outer"]', "visible": True}, FindingCode.HIDDEN_TEXT),
        example("is not there", _boxes, {"at": 'deck.pptx#slide[1]/shape["Lost"]'}, FindingCode.MISSING),
        example("must be gone", _boxes, {"at": 'deck.pptx#slide[1]/shape["Inner"]', "exists": False}, FindingCode.UNEXPECTED),
        example("elsewhere", _boxes, {"at": 'deck.pptx#slide[1]/shape["Inner"]', "position": [0, 0]}, FindingCode.MISMATCH),
    ),
)
def shape_predicate(
    context: Context,
    *,
    at: str,
    exists: bool = True,
    kind: Kind | None = None,
    position: Sequence[int] | None = None,
    size: Sequence[int] | None = None,
    tolerance: int = TOLERANCE,
    within: bool = False,
    visible: bool = True,
) -> Iterator[Finding | Evidence]:
    """The shape is there (or, with `exists = false`, gone), of this kind, at this place.

    at: a shape.
    position, size: x and y, width and height on the slide, in EMU.   tolerance: how far off each may be, in EMU.
    within: it lies wholly on the slide.   visible: a reader sees it.
    """
    target = context.target(at, formats=FORMATS)
    document = document_of(target)
    shapes = [shape for node in target.nodes if (shape := document.shape(node)) is not None]
    if not exists:
        for shape in shapes:
            yield Finding(FindingCode.UNEXPECTED, target.place(shape.address), None, shape.kind, f"{shape.name!r} is still there")
        return
    if not shapes:
        yield Finding(FindingCode.MISSING, target.place(), "this shape", None, "the output has no such shape")
        return
    for shape in shapes:
        place = target.place(shape.address)
        text_box = next((child for child in shape.non_visual if child.get("txBox") in {"1", "true"}), None) if shape.non_visual is not None else None
        kinds = {shape.kind} | ({"text_box"} if text_box is not None else set()) | ({"placeholder"} if shape.placeholder is not None else set())
        if kind is not None and kind not in kinds:
            yield Finding(FindingCode.NOT_NATIVE, place, kind, shape.kind, f"{shape.name!r} is a {shape.kind}, not a {kind}")
        frame = shape.frame
        for wanted, found, name in (
            (position, [round(frame.x), round(frame.y)] if frame is not None else None, "place"),
            (size, [round(frame.width), round(frame.height)] if frame is not None else None, "size"),
        ):
            if wanted is not None and (found is None or any(abs(one - other) > tolerance for one, other in zip(found, wanted, strict=False))):
                yield Finding(FindingCode.MISMATCH, place, list(wanted), found, f"the {name} of {shape.name!r} is another")
        if within and not _within(shape):
            shown = [round(frame.x), round(frame.y), round(frame.width), round(frame.height)] if frame is not None else None
            yield Finding(FindingCode.MISMATCH, place, list(document.deck.size), shown, f"{shape.name!r} does not lie wholly on the slide")
        reason = unseen(context, target, shape) if visible else ""
        if reason and not within:
            yield Finding(FindingCode.HIDDEN_TEXT, place, "a shape that a reader sees", reason, f"{shape.name!r} is not seen: {reason}")
        yield Evidence(place, f"{shape.kind} {excerpt(shape.text)}".strip())


def _within(shape: Shape) -> bool:
    frame = shape.frame
    if frame is None:
        return True
    box, (width, height) = frame.bounds(), shape.sheet.deck.size
    return box.x >= -TOLERANCE and box.y >= -TOLERANCE and box.x + box.width <= width + TOLERANCE and box.y + box.height <= height + TOLERANCE


@predicate(
    "pptx.within_slide",
    family=Family.STRUCTURAL,
    formats=FORMATS,
    examples=(
        example("all on the slide", _plain, {"at": "deck.pptx"}, True),
        example("one hangs out", lambda: deck([Slide("Goals", shapes=[text_box("x", frame=(WIDTH - 100000, HEIGHT - 100000, 914400, 914400))])]), {"at": "deck.pptx"}, FindingCode.MISMATCH),
    ),
)
def within_slide(context: Context, *, at: str) -> Iterator[Finding | Evidence]:
    """Every shape lies wholly on its slide.

    at: a slide, several, or the artifact.
    """
    target = context.target(at, formats=FORMATS)
    absent = missing_place(target)
    if absent is not None:
        yield absent
        return
    for sheet in slides_at(target):
        for shape in walk_shapes(sheet.shapes):
            if not _within(shape):
                frame = shape.frame
                shown = [round(frame.x), round(frame.y), round(frame.width), round(frame.height)] if frame is not None else None
                yield Finding(FindingCode.MISMATCH, target.place(shape.address), list(sheet.deck.size), shown, f"{shape.name!r} does not lie wholly on the slide")


PREDICATES: tuple[Predicate, ...] = (placeholder, no_placeholders_left, shape_predicate, within_slide)
