"""Questions that a change gives rise to, for each format; whether they tell source and reference apart is found out by asking them.

A question may be wrong here: what the reference does not pass, or the source does too, is left out of the draft.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from docops.core.address import parse_address
from docops.core.codes import Aspect
from docops.core.compare import Change, ChangeKind
from docops.core.document import Document
from docops.core.node import Node
from docops.drafting.scope import edited_place

#: Longest text that a question asks for; longer ones are asked for by their beginning.
MAX_TEXT = 200
_MOST_TEXTS = 5
#: A shorter text may stand anywhere by chance, so nobody is told that it must be gone.
_TELLING = 6


@dataclass(frozen=True, slots=True)
class Question:
    """A criterion that may tell the reference from the source.

    place: what was edited, as the question's reason;  choices: parameters, the first that does is taken.
    """

    title: str
    predicate: str
    at: str
    choices: tuple[Mapping[str, Any], ...] = ({},)


@dataclass(frozen=True, slots=True)
class Edit:
    """Changes at one place.

    place: as the output names it, and as the source does where it is gone.   node: the place in the output, if it is there.
    """

    place: str
    changes: tuple[Change, ...]
    node: Node | None

    @property
    def kind(self) -> str:
        """The kind of the place."""
        segments = parse_address(self.place).segments if self.place else ()
        return segments[-1].kind if segments else ""

    def has(self, aspect: Aspect, name: str | None = None) -> bool:
        """Whether a fact of that aspect changed there, or the place is new."""
        return any(change.aspect is aspect and (name is None or change.name == name) for change in self.changes)

    def went(self, kind: ChangeKind) -> bool:
        """Whether the whole place was added, removed or moved."""
        return any(change.place and change.kind is kind and _place_of(change) == self.place for change in self.changes)


def edits_of(changes: Sequence[Change], after: Document) -> list[Edit]:
    """The changes by the place that was edited, in document order."""
    groups: dict[str, list[Change]] = {}
    for change in changes:
        groups.setdefault(edited_place(_place_of(change)), []).append(change)
    out = []
    for place, found in groups.items():
        gone = all(change.place and change.kind is ChangeKind.REMOVED for change in found)
        nodes = after.find(place) if place and not gone else []
        out.append(Edit(place, tuple(found), nodes[0] if nodes else None))
    return out


def _place_of(change: Change) -> str:
    return change.address if change.place and change.kind is ChangeKind.REMOVED else change.other_address or change.address


def questions_of(output: str, edits: Sequence[Edit], before: Document, after: Document) -> Iterator[Question]:
    """Questions about one artifact."""
    from docops.drafting import docx, pdf, pptx, xlsx

    formats: Mapping[str, Callable[[str, Sequence[Edit], Document, Document], Iterator[Question]]] = {
        "xlsx": xlsx.questions,
        "docx": docx.questions,
        "pptx": pptx.questions,
        "pdf": pdf.questions,
    }
    if after.format in formats:
        yield from formats[after.format](output, edits, before, after)
    yield from _wording(output, edits, after)


def _wording(output: str, edits: Sequence[Edit], after: Document) -> Iterator[Question]:
    """What is said now, and what is not said any more."""
    for edit in edits:
        at = output if after.format == "docx" else f"{output}#{edit.place}"
        if edit.node is not None and (edit.went(ChangeKind.ADDED) or edit.has(Aspect.TEXT)):
            for text in texts_in(edit.node):
                yield Question(f"{quoted(text)} is said", "anchor.contains", at, ({"text": text},))
        for change in edit.changes:
            if change.aspect is Aspect.TEXT and isinstance(change.before, str):
                gone = _gone(change.before, change.after if isinstance(change.after, str) else "")
                if gone:
                    yield Question(f"{quoted(gone[-1])} is not said any more", "anchor.absent", output, tuple({"text": text} for text in gone))


def _gone(before: str, after: str) -> list[str]:
    """Words that are not said any more, with more and more of what stands around them."""
    old, new = before.split(), after.split()
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    stop = len(old) - end
    if start >= stop:
        return []
    found = [old[start - left if start > left else 0 : stop + right] for left, right in ((0, 1), (1, 0), (1, 1), (3, 3), (len(old), len(old)))]
    texts = [one_line(" ".join(words)).strip(".,;:") for words in found if len(words) >= 2]
    return list(dict.fromkeys(text for text in texts if len(text) >= _TELLING))


def texts_in(node: Node) -> list[str]:
    """What a place says, a line each."""
    return [text for inner in node.walk() if (text := one_line(_own_text(inner)))][:_MOST_TEXTS]


def text_of(node: Node) -> str:
    """All that a place says, paragraphs joined by spaces."""
    return " ".join(text for inner in node.walk() if (text := _own_text(inner)))


def _own_text(node: Node) -> str:
    """What a place says by itself; the text of a paragraph is in its runs again."""
    values = [node.facts.get((aspect, "text")) for aspect in (Aspect.TEXT, Aspect.NOTE, Aspect.COMMENT)] if node.kind != "run" else []
    return next((value for value in values if isinstance(value, str)), "")


def one_line(text: str) -> str:
    """The longest line of a text, cut at a word where it is too long to ask for."""
    line = max((part.strip() for part in text.splitlines()), key=len, default="")
    line = "".join(char for char in line if char.isprintable())
    return line if len(line) <= MAX_TEXT else line[:MAX_TEXT].rpartition(" ")[0]


def quoted(text: str) -> str:
    """A text as titles show it."""
    return f"“{text}”" if len(text) <= 60 else f"“{text[:57].rstrip()}…”"


def rows_in(table: Node) -> list[list[str]]:
    """The texts of a table's cells, row by row."""
    return [[text_of(cell) for cell in row.children if cell.kind == "cell"] for row in table.children if row.kind == "row"]


def above(document: Document, place: str, kind: str) -> Node | None:
    """The innermost place of that kind that holds a place, or is it."""
    segments = parse_address(place).segments
    for end in range(len(segments), 0, -1):
        if segments[end - 1].kind == kind:
            found = document.find("/".join(map(str, segments[:end])))
            return found[0] if found else None
    return None


def looks(edit: Edit, names: Mapping[str, str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """(text, look) of the runs whose formatting changed; names: fact → parameter."""
    if edit.node is None:
        return
    changed = {change.name for change in edit.changes if change.aspect is Aspect.FORMAT}
    emphasis = {"bold", "italic", "underline", "strike"}
    for inner in edit.node.walk():
        if inner.kind != "run":
            continue
        text = inner.facts.get((Aspect.FORMAT, "text"))
        look = {
            parameter: _plain(inner.facts.get((Aspect.FORMAT, fact), False if fact in ("bold", "italic", "strike") else None))
            for fact, parameter in names.items()
            if fact in changed or ("text" in changed and fact in emphasis and inner.facts.get((Aspect.FORMAT, fact)))
        }
        look = {name: value for name, value in look.items() if value is not None}
        if look and isinstance(text, str) and one_line(text):
            yield one_line(text), look


def _plain(value: Any) -> Any:
    """A fact as a parameter takes it: sizes as numbers."""
    if isinstance(value, str) and value.endswith(" pt"):
        try:
            return float(value.removesuffix(" pt"))
        except ValueError:
            return value
    return value
