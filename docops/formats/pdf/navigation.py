"""The outline (bookmarks), named destinations and page labels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from docops.core.address import Segment
from docops.core.codes import Aspect
from docops.core.node import Align, Node
from docops.formats.pdf.annotations import Facts
from docops.formats.pdf.reading import Broken, Object, Ref, as_text
from docops.formats.pdf.targets import name_tree

if TYPE_CHECKING:
    from docops.formats.pdf.model import Model

_MAX_ITEMS = 50_000
_MAX_DEPTH = 60
_ROMAN = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))
_STYLE_NAMES = {"D": "1, 2, 3", "R": "I, II, III", "r": "i, ii, iii", "A": "A, B, C", "a": "a, b, c"}


@dataclass(slots=True)
class Bookmark:
    """One item of the outline.   path: titles from the top, joined by slashes.   ordinal: which of several equal paths."""

    title: str
    path: str
    dict: dict[str, Object]
    children: list[Bookmark] = field(default_factory=list)
    ordinal: int | None = None

    @property
    def destination(self) -> Object:
        """Where it leads: its destination or its action."""
        return self.dict.get("Dest", self.dict.get("A"))


def bookmarks(model: Model) -> list[Bookmark]:
    """The outline's top items, each with those below it; circles and endless chains are cut."""
    objects = model.objects
    top: list[Bookmark] = []
    seen: set[Ref] = set()
    counts: dict[str, int] = {}
    stack: list[tuple[Object, list[Bookmark], str, int]] = [(objects.dict_at(objects.catalog, "Outlines").get("First"), top, "", 0)]
    while stack:
        reference, siblings, prefix, depth = stack.pop()
        if reference is None or len(seen) > _MAX_ITEMS:
            continue
        if isinstance(reference, Ref):
            if reference in seen:
                continue
            seen.add(reference)
        entry = objects.get(reference)
        if isinstance(entry, Broken):
            entry = {"Title": f"unreadable bookmark ({entry.reason})"}
        if not isinstance(entry, dict):
            continue
        title = as_text(objects.get(entry.get("Title"))) or ""
        path = f"{prefix}/{title}" if prefix else title
        counts[path] = counts.get(path, 0) + 1
        item = Bookmark(title, path, entry, ordinal=counts[path] if counts[path] > 1 else None)
        siblings.append(item)
        stack.append((entry.get("Next"), siblings, prefix, depth))
        if depth < _MAX_DEPTH:
            stack.append((entry.get("First"), item.children, path, depth + 1))
    return top


def walk_bookmarks(items: Sequence[Bookmark]) -> Iterator[tuple[int, Bookmark]]:
    """Level (from 1) and item, depth first."""
    stack = [(1, item) for item in reversed(items)]
    while stack:
        level, item = stack.pop()
        yield level, item
        stack.extend((level + 1, child) for child in reversed(item.children))


def outline_nodes(model: Model) -> list[Node]:
    """The outline as nested nodes; each is addressed from the root by its path of titles."""
    return [_outline_node(model, item) for item in bookmarks(model)]


def _outline_node(model: Model, item: Bookmark) -> Node:
    return Node(
        None,
        "outline",
        name=item.path,
        ordinal=item.ordinal,
        facts=partial(_outline_facts, model, item),
        children=lambda: [_outline_node(model, child) for child in item.children],
        align=Align.CONTENT,
        label=item.title,
    )


def _outline_facts(model: Model, item: Bookmark) -> Facts:
    objects, canonical, entry = model.objects, model.canonical, item.dict
    facts: Facts = {(Aspect.TEXT, "title"): item.title, (Aspect.LINK, "target"): None}
    if "A" in entry:
        facts[Aspect.LINK, "target"] = model.targets.action(entry["A"])
    if "Dest" in entry:
        facts[Aspect.LINK, "target"] = model.targets.destination(entry["Dest"])
    flags = objects.int_at(entry, "F")
    if flags & 3:
        facts[Aspect.FORMAT, "style"] = {1: "italic", 2: "bold", 3: "bold italic"}[flags & 3]
    colour = objects.numbers_at(entry, "C")
    if colour is not None and any(colour):
        facts[Aspect.FORMAT, "colour"] = canonical.value(entry["C"])
    if item.children:
        facts[Aspect.FORMAT, "open"] = objects.int_at(entry, "Count") > 0
    for key in sorted(set(entry) - {"Title", "Parent", "Prev", "Next", "First", "Last", "Count", "Dest", "A", "F", "C", "Type"}):
        facts[Aspect.RAW, key] = canonical.value(entry[key])
    return facts


def find_outline(nodes: Sequence[Node], segment: Segment) -> list[Node]:
    """Outline nodes that a segment names: by path or by number from the top, depth first; all top items without a key."""
    if segment.kind != "outline":
        return []
    every = [inner for node in nodes for inner in node.walk()]
    if segment.any:
        return every
    if segment.number is not None:
        return every[segment.number - 1 : segment.last if segment.last is not None else segment.number]
    if segment.name is None:
        return list(nodes)
    named = [node for node in every if node.name == segment.name]
    if segment.ordinal is not None:
        return named[segment.ordinal - 1 : segment.ordinal]
    return named


def destination_nodes(model: Model, root: Node) -> list[Node]:
    """Named destinations: other files lead to them by name."""
    return [
        Node(root, "destination", name=name, align=Align.KEY, facts=partial(_destination_facts, model, value))
        for name, value in sorted(model.targets.named.items())
    ]


def _destination_facts(model: Model, value: Object) -> Facts:
    return {(Aspect.LINK, "target"): model.targets.destination(value)}


# -- page labels -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LabelRange:
    """Consecutive pages with one numbering.   start: index of the first page.   style: D, R, r, A, a or "" (prefix alone)."""

    start: int
    style: str
    prefix: str
    first: int

    def label(self, index: int) -> str:
        """The label of the page at an index."""
        return self.prefix + _numeral(self.first + index - self.start, self.style)


def _numeral(number: int, style: str) -> str:
    if style == "D":
        return str(number)
    if style in {"R", "r"} and 0 < number < 100_000:
        out = ""
        for value, text in _ROMAN:
            out += text * (number // value)
            number %= value
        return out.upper() if style == "R" else out
    if style in {"A", "a"} and number > 0:
        letter = chr(ord("a") + (number - 1) % 26) * min((number - 1) // 26 + 1, 1000)
        return letter.upper() if style == "A" else letter
    return ""


def label_ranges(model: Model) -> list[LabelRange]:
    """The ranges of page labels; none where the document has no labels."""
    objects = model.objects
    out: dict[int, LabelRange] = {}
    for key, value in name_tree(objects, objects.catalog.get("PageLabels")):
        if not key.lstrip("-").isdigit() or not 0 <= int(key) < len(objects.pages):
            continue
        entry = objects.dict_at(value)
        first = objects.int_at(entry, "St") if "St" in entry else 1
        out[int(key)] = LabelRange(int(key), objects.text_at(entry, "S") or "", objects.text_at(entry, "P") or "", first)
    return [out[start] for start in sorted(out)]


def page_labels(model: Model) -> list[str] | None:
    """The label of each page, or None where the document has none."""
    ranges = label_ranges(model)
    if not ranges:
        return None
    out: list[str] = []
    current: LabelRange | None = None
    starts = {entry.start: entry for entry in ranges}
    for index in range(len(model.objects.pages)):
        current = starts.get(index, current)
        out.append(current.label(index) if current is not None else str(index + 1))
    return out


def label_nodes(model: Model, root: Node) -> list[Node]:
    """One node a range, named by the label of its first page."""
    out = []
    counts: dict[str, int] = {}
    for entry in label_ranges(model):
        name = entry.label(entry.start)
        counts[name] = counts.get(name, 0) + 1
        facts: Facts = {
            (Aspect.STRUCTURE, "from"): f"page {model.canonical.page_name(entry.start)}",
            (Aspect.FORMAT, "numbering"): _STYLE_NAMES.get(entry.style, "none"),
            (Aspect.TEXT, "prefix"): entry.prefix,
            (Aspect.VALUE, "first"): entry.first,
        }
        ordinal = counts[name] if counts[name] > 1 else None
        out.append(Node(root, "label", name=name, ordinal=ordinal, facts=facts, label=f"label {name}", align=Align.CONTENT))
    return out
