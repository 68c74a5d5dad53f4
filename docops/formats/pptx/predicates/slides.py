"""Predicates on slides as a whole: how many, in which order, titles, layout, hidden state, notes, transitions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from docops.core.codes import Family, FindingCode
from docops.core.predicate import Context, Evidence, Finding, Predicate, predicate
from docops.formats.pptx.deck import layout_name
from docops.formats.pptx.predicates.places import FORMATS, document_of, example, excerpt, holds_text, missing_place, same_text, slides_at, title_of
from docops.formats.pptx.samples import FADE, Slide, appear, deck
from docops.formats.pptx.spans import slide_title


def _three() -> bytes:
    return deck([Slide("Goals", ["Faster"], notes="Mention the survey of May."), Slide("Plan", ["2024"], hidden=True), Slide("Next steps", after=FADE)])


@predicate(
    "pptx.slide_count",
    family=Family.STRUCTURAL,
    formats=FORMATS,
    examples=(
        example("three slides", _three, {"at": "deck.pptx", "equals": 3}, True),
        example("one slide too many", _three, {"at": "deck.pptx", "equals": 2}, FindingCode.WRONG_COUNT),
    ),
)
def slide_count(context: Context, *, at: str, equals: int) -> Iterator[Finding | Evidence]:
    """The presentation has exactly so many slides, hidden ones included.

    at: the artifact.   equals: how many.
    """
    target = context.target(at, formats=FORMATS)
    slides = document_of(target).deck.slides
    yield Evidence(target.place(""), f"{len(slides)} slides")
    if len(slides) != equals:
        yield Finding(FindingCode.WRONG_COUNT, target.place(""), equals, len(slides), f"the presentation has {len(slides)} slides, not {equals}")


@predicate(
    "pptx.order",
    family=Family.STRUCTURAL,
    formats=FORMATS,
    examples=(
        example("in order", _three, {"at": "deck.pptx", "titles": ["Goals", "Plan", "Next steps"]}, True),
        example("swapped", _three, {"at": "deck.pptx", "titles": ["Plan", "Goals", "Next steps"]}, FindingCode.WRONG_ORDER),
        example("a slide that is not there", _three, {"at": "deck.pptx", "titles": ["Goals", "Costs"]}, FindingCode.MISSING),
    ),
)
def order(context: Context, *, at: str, titles: Sequence[str], only: bool = False) -> Iterator[Finding | Evidence]:
    """The slides with these titles stand in this order, each as often as it is listed.

    at: the artifact.
    titles: texts of title placeholders, in the order wanted. A slide that is not listed may stand anywhere.
    only: no other slide may be there.
    """
    target = context.target(at, formats=FORMATS)
    found = [(sheet, title_of(sheet)) for sheet in document_of(target).deck.slides]
    listed = [(sheet, title) for sheet, title in found if title is not None and any(same_text(title, wanted) for wanted in titles)]
    shown: list[str | None] = [title for _, title in found]
    yield Evidence(target.place(""), excerpt(" | ".join(title or "(no title)" for title in shown)))
    missing = [wanted for wanted in titles if not any(same_text(title or "", wanted) for _, title in listed)]
    for wanted in missing:
        yield Finding(FindingCode.MISSING, target.place(""), wanted, shown, f"no slide has the title {wanted!r}")
    if only:
        for sheet, title in found:
            if (sheet, title) not in listed:
                yield Finding(FindingCode.UNEXPECTED, target.place(sheet.address), None, title, f"slide {sheet.number} ({title!r}) is not in the list")
    if missing:
        return
    for position, (sheet, title) in enumerate(listed):
        expected = titles[position] if position < len(titles) else None
        if expected is None or not same_text(title or "", expected):
            extra = len(listed) > len(titles)
            code = FindingCode.WRONG_COUNT if extra else FindingCode.WRONG_ORDER
            message = f"slide {sheet.number} is {title!r}" + (" once more than listed" if expected is None else f", where {expected!r} should come next")
            yield Finding(code, target.place(sheet.address), list(titles), [found_title for _, found_title in listed], message)
            return
    if len(listed) < len(titles):
        yield Finding(FindingCode.WRONG_COUNT, target.place(""), list(titles), [title for _, title in listed], "a listed title stands there less often than listed")


@predicate(
    "pptx.title",
    family=Family.STRUCTURAL,
    formats=FORMATS,
    examples=(
        example("the right title", _three, {"at": "deck.pptx#slide[1]", "equals": "Goals"}, True),
        example("another title", _three, {"at": "deck.pptx#slide[1]", "equals": "Aims"}, FindingCode.MISMATCH),
        example("no title placeholder", lambda: deck([Slide(None, ["Goals"])]), {"at": "deck.pptx#slide[1]", "equals": "Goals"}, FindingCode.MISSING),
    ),
)
def title(context: Context, *, at: str, equals: str | None = None) -> Iterator[Finding | Evidence]:
    """Every slide at the place has a title placeholder that is filled, with this text where one is given.

    at: a slide, several, or the artifact.   equals: the title.
    """
    target = context.target(at, formats=FORMATS)
    absent = missing_place(target)
    if absent is not None:
        yield absent
        return
    for sheet in slides_at(target):
        found = title_of(sheet)
        shape = slide_title(sheet)
        if not found and shape is not None and shape.text.strip():
            message = f"the title of slide {sheet.number} is stored, but no reader sees it"
            yield Finding(FindingCode.HIDDEN_TEXT, target.place(shape.address), equals or "a title that a reader sees", excerpt(shape.text), message)
        elif not found:
            what = "an empty title" if found == "" else "no title placeholder"
            yield Finding(FindingCode.MISSING, target.place(sheet.address), equals or "a title", found, f"slide {sheet.number} has {what}")
        elif equals is not None and not same_text(found, equals):
            yield Finding(FindingCode.MISMATCH, target.place(sheet.address), equals, found, f"the title of slide {sheet.number} is {found!r}")
        else:
            yield Evidence(target.place(sheet.address), found)


@predicate(
    "pptx.titles_unique",
    family=Family.STRUCTURAL,
    formats=FORMATS,
    examples=(
        example("all different", _three, {"at": "deck.pptx"}, True),
        example("one twice", lambda: deck([Slide("Goals"), Slide("Goals")]), {"at": "deck.pptx"}, FindingCode.UNEXPECTED),
    ),
)
def titles_unique(context: Context, *, at: str) -> Iterator[Finding | Evidence]:
    """No two slides have the same title.

    at: the artifact.
    """
    target = context.target(at, formats=FORMATS)
    slides = [(sheet, found) for sheet in document_of(target).deck.slides if (found := title_of(sheet))]
    counts = Counter(" ".join(found.split()) for _, found in slides)
    seen: set[str] = set()
    for sheet, found in slides:
        key = " ".join(found.split())
        if counts[key] > 1 and key in seen:
            yield Finding(FindingCode.UNEXPECTED, target.place(sheet.address), "a title of its own", found, f"{counts[key]} slides have the title {found!r}")
        seen.add(key)


@predicate(
    "pptx.layout",
    family=Family.STRUCTURAL,
    formats=FORMATS,
    examples=(
        example("uses it", _three, {"at": "deck.pptx#slide[1]", "name": "Title and Content"}, True),
        example("uses another", _three, {"at": "deck.pptx#slide[1]", "name": "Title Only"}, FindingCode.MISMATCH),
    ),
)
def layout(context: Context, *, at: str, name: str) -> Iterator[Finding | Evidence]:
    """Every slide at the place uses the layout of this name.

    at: a slide, several, or the artifact.   name: the layout's name.
    """
    target = context.target(at, formats=FORMATS)
    absent = missing_place(target)
    if absent is not None:
        yield absent
        return
    for sheet in slides_at(target):
        found = layout_name(sheet.parent.part) if sheet.parent is not None else None
        if found != name:
            yield Finding(FindingCode.MISMATCH, target.place(sheet.address), name, found, f"slide {sheet.number} uses the layout {found!r}, not {name!r}")
        else:
            yield Evidence(target.place(sheet.address), found)


@predicate(
    "pptx.hidden",
    family=Family.STRUCTURAL,
    formats=FORMATS,
    examples=(
        example("is hidden", _three, {"at": "deck.pptx#slide[2]"}, True),
        example("is shown", _three, {"at": "deck.pptx#slide[1]"}, FindingCode.MISMATCH),
        example("must be shown and is", _three, {"at": "deck.pptx#slide[1]", "equals": False}, True),
    ),
)
def hidden(context: Context, *, at: str, equals: bool = True) -> Iterator[Finding | Evidence]:
    """Every slide at the place is left out of the show (or, with `equals = false`, is shown).

    at: a slide or several.   equals: hidden or not.
    """
    target = context.target(at, formats=FORMATS)
    absent = missing_place(target)
    if absent is not None:
        yield absent
        return
    for sheet in slides_at(target):
        found = sheet.part.xml.get("show") in {"0", "false"}
        if found != equals:
            state = "hidden" if found else "shown"
            yield Finding(FindingCode.MISMATCH, target.place(sheet.address), equals, found, f"slide {sheet.number} is {state}")
        else:
            yield Evidence(target.place(sheet.address), "hidden" if found else "shown")


@predicate(
    "pptx.notes",
    family=Family.STRUCTURAL,
    formats=FORMATS,
    examples=(
        example("holds the words", _three, {"at": "deck.pptx#slide[1]", "contains": "survey of May"}, True),
        example("holds others", _three, {"at": "deck.pptx#slide[1]/notes", "contains": "survey of June"}, FindingCode.MISMATCH),
        example("no notes", _three, {"at": "deck.pptx#slide[3]", "contains": "survey"}, FindingCode.MISSING),
    ),
)
def notes(context: Context, *, at: str, contains: str | Sequence[str]) -> Iterator[Finding | Evidence]:
    """The speaker notes hold these words.

    at: a slide or its notes.   contains: a text, or several that must all be there.
    """
    target = context.target(at, formats=FORMATS)
    wanted = [contains] if isinstance(contains, str) else list(contains)
    if not target.nodes and target.address.segments and target.address.segments[-1].kind == "notes":
        yield Finding(FindingCode.MISSING, target.place(), wanted, None, "the slide has no notes")
        return
    absent = missing_place(target)
    if absent is not None:
        yield absent
        return
    for sheet in slides_at(target):
        page = document_of(target).deck.notes_of(sheet)
        place = target.place(f"{sheet.address}/notes" if page is not None else sheet.address)
        shapes = [shape for shape in page.shapes if shape.placeholder_type not in {"sldNum", "dt", "hdr", "ftr", "sldImg"}] if page is not None else []
        text = "\n".join(shape.text for shape in shapes if shape.text)
        if not text.strip():
            yield Finding(FindingCode.MISSING, place, wanted, None, f"slide {sheet.number} has no notes")
            continue
        for item in wanted:
            if holds_text(text, item):
                yield Evidence(place, excerpt(text))
            else:
                yield Finding(FindingCode.MISMATCH, place, item, excerpt(text), f"the notes of slide {sheet.number} do not hold {item!r}")


@predicate(
    "pptx.transition",
    family=Family.STRUCTURAL,
    formats=FORMATS,
    examples=(
        example("has one", _three, {"at": "deck.pptx#slide[3]", "effect": "fade"}, True),
        example("has none", _three, {"at": "deck.pptx#slide[1]"}, FindingCode.MISSING),
        example("has another", _three, {"at": "deck.pptx#slide[3]", "effect": "push"}, FindingCode.MISMATCH),
        example("must have none", _three, {"at": "deck.pptx#slide[3]", "exists": False}, FindingCode.UNEXPECTED),
    ),
)
def transition(context: Context, *, at: str, effect: str | None = None, exists: bool = True) -> Iterator[Finding | Evidence]:
    """Every slide at the place has a transition (or, with `exists = false`, none).

    at: a slide, several, or the artifact.   effect: the element's name in the file (`fade`, `push`, `wipe`, `morph`).
    """
    target = context.target(at, formats=FORMATS)
    absent = missing_place(target)
    if absent is not None:
        yield absent
        return
    for sheet in slides_at(target):
        effects = [
            child.tag.rpartition("}")[2]
            for element in sheet.part.xml.iter("{http://schemas.openxmlformats.org/presentationml/2006/main}transition")
            for child in element
            if isinstance(child.tag, str) and child.tag.rpartition("}")[2] not in {"sndAc", "extLst"}
        ]
        found = re.sub(r"^\s*$", "", " ".join(dict.fromkeys(effects))) or None
        place = target.place(sheet.address)
        if not exists and found:
            yield Finding(FindingCode.UNEXPECTED, place, None, found, f"slide {sheet.number} has the transition {found!r}")
        elif exists and not found:
            yield Finding(FindingCode.MISSING, place, effect or "a transition", None, f"slide {sheet.number} has no transition")
        elif exists and effect is not None and effect not in effects:
            yield Finding(FindingCode.MISMATCH, place, effect, found, f"slide {sheet.number} has the transition {found!r}")
        elif found:
            yield Evidence(place, found)


def _animated() -> bytes:
    return deck([Slide("Goals", ["Faster"], after=appear(3)), Slide("Plan")])


@predicate(
    "pptx.animation",
    family=Family.STRUCTURAL,
    formats=FORMATS,
    examples=(
        example("is animated", _animated, {"at": 'deck.pptx#slide[1]/shape["Content Placeholder 2"]'}, True),
        example("another shape is", _animated, {"at": 'deck.pptx#slide[1]/shape["Title 1"]'}, FindingCode.MISSING),
        example("must not be", _animated, {"at": "deck.pptx#slide[1]", "exists": False}, FindingCode.UNEXPECTED),
    ),
)
def animation(context: Context, *, at: str, exists: bool = True) -> Iterator[Finding | Evidence]:
    """The slide or shape is animated (or, with `exists = false`, is not).

    at: a slide or a shape.
    """
    from docops.formats.pptx.predicates.places import shapes_at
    from docops.formats.pptx.visibility import animated_ids

    target = context.target(at, formats=FORMATS)
    absent = missing_place(target)
    if absent is not None:
        yield absent
        return
    shapes = shapes_at(target)
    found = [shape for shape in shapes if shape.properties is not None and shape.properties.get("id") in animated_ids(shape.sheet)]
    if exists and not found:
        yield Finding(FindingCode.MISSING, target.place(), "an animation", None, "nothing there is animated")
    for shape in found:
        if exists:
            yield Evidence(target.place(shape.address), "animated")
        else:
            yield Finding(FindingCode.UNEXPECTED, target.place(shape.address), None, "an animation", f"{shape.name!r} is animated")


PREDICATES: tuple[Predicate, ...] = (slide_count, order, title, titles_unique, layout, hidden, notes, transition, animation)
