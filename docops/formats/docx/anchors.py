"""Things anchored in the text that stand beside the body: bookmarks, comments, notes and tracked changes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from lxml import etree

from docops.core.canonical import digest
from docops.core.codes import Aspect
from docops.core.node import Align, Node, Value
from docops.formats.docx.names import FALLBACK, GONE, ID, PPR, RPR, RUN, TRACKED, VOLATILE_ELEMENTS, P, T, W, local
from docops.formats.docx.story import Story, paragraph_of
from docops.formats.docx.styles import beside

Facts = dict[tuple[Aspect, str], Value]

_BOOKMARKS = (W + "bookmarkStart", W + "bookmarkEnd")
#: Bookmarks that programs set and move by themselves.
VOLATILE_BOOKMARKS = frozenset({"_GoBack"})
_EXCERPT = 60
_LONGEST = 200

_MARKS = {W + "ins": "insertion", W + "del": "deletion", W + "moveTo": "move to", W + "moveFrom": "move from"}
_CELLS = {W + "cellIns": "cell insertion", W + "cellDel": "cell deletion", W + "cellMerge": "cell merge"}
_CHANGES = {
    W + "rPrChange": "run formatting", W + "pPrChange": "paragraph formatting", W + "sectPrChange": "section formatting", W + "tblPrChange": "table formatting",
    W + "trPrChange": "row formatting", W + "tcPrChange": "cell formatting", W + "tblPrExChange": "table exception formatting",
    W + "tblGridChange": "table grid", W + "numberingChange": "numbering",
}  # fmt: skip


@dataclass(slots=True)
class Anchor:
    """Where something stands: the paragraphs it touches, in reading order."""

    story: Story
    paragraphs: Sequence[etree._Element]

    def addresses(self) -> tuple[str, ...]:
        """Addresses of the paragraphs."""
        return tuple(address for paragraph in self.paragraphs if (address := self.story.addresses.get(paragraph)))


@dataclass(slots=True)
class Revision:
    """One tracked change; adjacent ones of one author, time and kind are one."""

    kind: str
    elements: list[etree._Element]
    anchor: Anchor
    offset: int
    text: str

    @property
    def author(self) -> str:
        """Who made it."""
        return self.elements[0].get(W + "author") or ""

    @property
    def date(self) -> str:
        """When, as stored; "" where it is not said."""
        return self.elements[0].get(W + "date") or ""


def excerpt(story: Story, paragraph: etree._Element | None) -> str:
    """The beginning of a paragraph's text, by which a place in it is recognised."""
    return story.content(paragraph).text()[:_EXCERPT] if paragraph is not None else ""


def shortened(text: str) -> str:
    """A text as a fact: whole where it is short, else its beginning and a digest."""
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}… ({len(text)} characters, {digest(text)[:12]})"


# Ranges --------------------------------------------------------------------------------------


def _place(story: Story, element: etree._Element) -> tuple[etree._Element | None, int]:
    """Paragraph and offset of a mark; one that stands between blocks belongs to the paragraph after it."""
    paragraph = paragraph_of(element)
    if paragraph is not None:
        content = story.content(paragraph)
        if element in content.marks:
            return paragraph, content.marks[element]
        return paragraph, next((offset for _, offset, mark, _ in content.note_marks if mark is element), 0)
    following = next(element.itersiblings(), None)
    while following is not None:
        found = following if following.tag == P else next(following.iter(P), None)
        if found is not None:
            return found, 0
        following = following.getnext()
    parent = element.getparent()
    last = list(parent.iter(P))[-1:] if parent is not None else []
    return (last[0], len(story.content(last[0]).text())) if last else (None, 0)


def range_facts(story: Story, aspect: Aspect, start: etree._Element, end: etree._Element | None) -> tuple[Facts, Anchor]:
    """What a range covers and where it begins, and the paragraphs it touches."""
    first, offset = _place(story, start)
    last, end_offset = _place(story, end) if end is not None else (first, offset)
    out: Facts = {(aspect, "offset"): offset, (aspect, "paragraph"): excerpt(story, first)}
    if first is None:
        return out, Anchor(story, ())
    index = story.paragraph_index
    touched = [first]
    if last is not None and last is not first and first in index and last in index and index[first] < index[last]:
        touched = story.paragraphs[index[first] : index[last] + 1]
    texts = [story.content(paragraph).text() for paragraph in touched]
    if len(touched) == 1:
        covered = texts[0][offset:end_offset]
    else:
        covered = "\n".join([texts[0][offset:], *texts[1:-1], texts[-1][:end_offset]])
    out[aspect, "covered text"] = shortened(covered)
    if end is None:
        out[aspect, "end"] = "missing"
    return out, Anchor(story, touched)


def bookmark_nodes(stories: Sequence[Story], anchors: dict[str, Callable[[], tuple[str, ...]]]) -> list[Node]:
    """`bookmark[name]` for every bookmark of the stories."""
    out: list[Node] = []
    seen: dict[str, int] = {}
    for story in stories:
        ends: dict[str, etree._Element] = {}
        starts: list[etree._Element] = []
        for element in story.root.iter(*_BOOKMARKS):
            if element.tag == _BOOKMARKS[0]:
                starts.append(element)
            else:
                ends.setdefault(element.get(ID) or "", element)
        for start in starts:
            name = start.get(W + "name") or ""
            if name in VOLATILE_BOOKMARKS or _in_fallback(start):
                continue
            seen[name] = seen.get(name, 0) + 1
            ordinal = seen[name] if seen[name] > 1 else None
            out.append(_bookmark(story, name, ordinal, start, ends.get(start.get(ID) or ""), anchors))
    return out


def _bookmark(
    story: Story, name: str, ordinal: int | None, start: etree._Element, end: etree._Element | None, anchors: dict[str, Callable[[], tuple[str, ...]]]
) -> Node:
    def facts() -> Facts:
        out, _ = range_facts(story, Aspect.NAME, start, end)
        for attribute, label in (("colFirst", "first column"), ("colLast", "last column")):
            if start.get(W + attribute):
                out[Aspect.NAME, label] = start.get(W + attribute)
        return out

    key = name if ordinal is None else f"{name},{ordinal}"
    node = Node(None, "bookmark", name=name, ordinal=ordinal, facts=facts, align=Align.KEY, key=key, label=name)
    anchors[node.address] = _range_places(story, start, end)
    return node


def _range_places(story: Story, start: etree._Element, end: etree._Element | None) -> Callable[[], tuple[str, ...]]:
    def places() -> tuple[str, ...]:
        return range_facts(story, Aspect.NAME, start, end)[1].addresses()

    return places


def _in_fallback(element: etree._Element) -> bool:
    return next(element.iterancestors(FALLBACK), None) is not None


# Notes and comments ----------------------------------------------------------------------------


@dataclass(slots=True)
class Reference:
    """A note or comment with the mark that refers to it, where there is one.

    element: `w:footnote`, `w:endnote` or `w:comment`.   mark: its reference.   story: where the mark stands.
    """

    element: etree._Element
    mark: etree._Element | None
    story: Story | None


def references(stories: Sequence[Story], mark: str, elements: dict[str, etree._Element]) -> list[Reference]:
    """Notes (or comments) in the order of the marks that refer to them; those without a mark last."""
    waiting = dict(elements)
    out: list[Reference] = []
    for story in stories:
        for element in story.root.iter(mark):
            found = waiting.pop(element.get(ID) or "", None)
            if found is not None and not _in_fallback(element):
                out.append(Reference(found, element, story))
            elif found is not None:
                waiting[element.get(ID) or ""] = found
    return out + [Reference(element, None, None) for element in waiting.values()]


def note_facts(reference: Reference) -> tuple[Facts, Anchor | None]:
    """Where a note's mark stands."""
    if reference.mark is None or reference.story is None:
        return {(Aspect.NOTE, "mark"): "missing"}, None
    story = reference.story
    paragraph, offset = _place(story, reference.mark)
    out: Facts = {(Aspect.NOTE, "offset"): offset, (Aspect.NOTE, "paragraph"): excerpt(story, paragraph)}
    if is_true(reference.mark.get(W + "customMarkFollows")):
        out[Aspect.NOTE, "custom mark"] = True
    if next(reference.mark.iterancestors(*GONE), None) is not None:
        out[Aspect.NOTE, "mark"] = "deleted"
    return out, Anchor(story, [paragraph] if paragraph is not None else [])


def is_true(text: str | None) -> bool:
    """An on/off attribute; absent is off."""
    return text in {"1", "true", "on"}


# Tracked changes -------------------------------------------------------------------------------


def revisions(story: Story) -> list[Revision]:
    """The tracked changes of a story in reading order."""
    out: list[Revision] = []
    for element in story.root.iter(*_MARKS, *_CELLS, *_CHANGES):
        if _in_fallback(element):
            continue
        found = _revision(story, element)
        if found is None:
            continue
        if out and _continues(out[-1], found):
            out[-1].elements += found.elements
            out[-1].text += found.text
        else:
            out.append(found)
    return out


def _revision(story: Story, element: etree._Element) -> Revision | None:
    tag = element.tag
    parent = element.getparent()
    holder = local(parent) if parent is not None else ""
    paragraph = paragraph_of(element)
    touched = [paragraph] if paragraph is not None else list(_near_paragraphs(element))
    anchor = Anchor(story, touched)
    if tag in _CHANGES:
        text = ""
        if tag == W + "rPrChange" and parent is not None:
            run = parent.getparent()
            text = "".join(piece.text or "" for piece in run.iter(T, W + "delText")) if run is not None and run.tag == RUN else ""
        return Revision(_CHANGES[tag], [element], anchor, _run_offset(story, paragraph, element), text)
    if tag in _CELLS:
        return Revision(_CELLS[tag], [element], anchor, 0, "")
    if holder == "trPr":
        return Revision(f"row {_MARKS[tag]}", [element], anchor, 0, "")
    if holder == "rPr":
        # Of a paragraph mark; in the run properties of a control or a math run it is that run's.
        over = parent.getparent() if parent is not None else None
        what = "paragraph mark" if over is not None and over.tag == PPR else "run"
        return Revision(f"{what} {_MARKS[tag]}", [element], anchor, 0, "")
    if holder == "numPr":
        return Revision(f"numbering {_MARKS[tag]}", [element], anchor, 0, "")
    offset, text = 0, ""
    if paragraph is not None:
        for one, at, pieces in story.content(paragraph).tracked:
            if one is element:
                offset, text = at, "".join(piece.text for piece in pieces if piece.shown and not piece.code)
    else:
        text = "\n".join("".join(piece.text or "" for piece in inner.iter(T, W + "delText")) for inner in element.iter(P))
    return Revision(_MARKS[tag], [element], anchor, offset, text)


def _near_paragraphs(element: etree._Element) -> Iterator[etree._Element]:
    """The paragraphs of the row or cell (or blocks) that a change of its own marks."""
    for ancestor in (element, *element.iterancestors()):
        found = list(ancestor.iter(P))
        if found:
            yield from found
            return


def _run_offset(story: Story, paragraph: etree._Element | None, element: etree._Element) -> int:
    """Characters before the run whose formatting changed; 0 for other changes."""
    if element.tag != W + "rPrChange" or paragraph is None:
        return 0
    r_pr = element.getparent()
    offset = 0
    for piece in story.content(paragraph).pieces:
        if piece.r_pr is r_pr:
            break
        if piece.fact and piece.control is None:
            offset += len(piece.text)
    return offset


def _continues(before: Revision, after: Revision) -> bool:
    """Whether a change goes on where the one before ends: same kind, author and time, nothing in between."""
    if before.kind != after.kind or before.author != after.author or before.date != after.date:
        return False
    first, second = before.elements[-1], after.elements[-1]
    if first.tag in TRACKED and first.getparent() is second.getparent() and _holder(first) not in {"rPr", "trPr", "numPr"}:
        previous = second.getprevious()
        while previous is not None and previous.tag in VOLATILE_ELEMENTS:
            previous = previous.getprevious()
        return previous is first
    if first.tag == W + "rPrChange":
        one, other = _run_of(first), _run_of(second)
        if one is None or other is None or one.getparent() is not other.getparent():
            return False
        previous = other.getprevious()
        while previous is not None and previous.tag in VOLATILE_ELEMENTS:
            previous = previous.getprevious()
        return previous is one and _same_change(first, second)
    return False


def _holder(element: etree._Element) -> str:
    parent = element.getparent()
    return local(parent) if parent is not None else ""


def _run_of(change: etree._Element) -> etree._Element | None:
    return next(change.iterancestors(RUN), None)


def _same_change(first: etree._Element, second: etree._Element) -> bool:
    def content(element: etree._Element) -> list[tuple[object, ...]]:
        return [(inner.tag, *sorted(inner.attrib.items())) for inner in element.iterdescendants()]

    return content(first) == content(second)


def revision_facts(revision: Revision) -> Facts:
    """The facts of a tracked change."""
    story = revision.anchor.story
    paragraphs = revision.anchor.paragraphs
    out: Facts = {
        (Aspect.REVISION, "kind"): revision.kind,
        (Aspect.REVISION, "author"): revision.author,
        (Aspect.REVISION, "text"): shortened(revision.text),
        (Aspect.REVISION, "paragraph"): excerpt(story, paragraphs[0] if paragraphs else None),
        (Aspect.REVISION, "offset"): revision.offset,
    }
    if revision.date:
        out[Aspect.REVISION, "date"] = revision.date
    if revision.kind.endswith(("formatting", "grid", "numbering")):
        out[Aspect.REVISION, "before"] = shortened("".join(story.canonical(child) for child in revision.elements[0]))
        other = {str(name).rpartition("}")[2]: str(value) for name, value in revision.elements[0].attrib.items()}
        for name in ("original",):
            if name in other:
                out[Aspect.REVISION, "before"] = other[name]
    elif revision.kind in {"deletion", "move from"}:
        out.update(_gone_facts(story, revision))
    elif revision.kind == "cell merge":
        out[Aspect.REVISION, "before"] = f"{revision.elements[0].get(W + 'vMergeOrig') or ''} {revision.elements[0].get(W + 'vMerge') or ''}".strip()
    return out


def _gone_facts(story: Story, revision: Revision) -> Facts:
    """How deleted text was formatted, and what else was deleted with it."""
    formats: list[Value] = []
    styles = story.shared.styles
    for element in revision.elements:
        paragraph = paragraph_of(element)
        style = story.style_of(paragraph) if paragraph is not None else None
        table = story.table_look(paragraph) if paragraph is not None else None
        for run in element.iter(RUN):
            look = beside(styles.run(style, run.find(RPR), table), styles.run(style, None, table))
            text = "".join(child.text or "" for child in run if child.tag in {T, W + "delText", W + "delInstrText", W + "instrText"})
            other = [story.canonical(child) for child in run if child.tag not in {T, W + "delText", RPR} and child.tag not in VOLATILE_ELEMENTS]
            if formats and not other and isinstance(formats[-1], dict) and formats[-1].get("look") == look and "other" not in formats[-1]:
                formats[-1] = {"look": look, "text": f"{formats[-1]['text']}{text}"}
            elif other:
                formats.append({"look": look, "text": text, "other": other})
            elif text:
                formats.append({"look": look, "text": text})
    return {(Aspect.FORMAT, "deleted content"): digest(formats)[:24]}


