"""Sections: a heading with what stands under it, as another way to name blocks (`body/section["2. Scope"]/paragraph[1]`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from docops.core.address import Segment
from docops.core.codes import Aspect
from docops.core.node import Node

Lookup = Callable[[Segment], "Sequence[Node] | None"]


@dataclass(slots=True)
class Section:
    """A heading and what stands under it, subsections too. `blocks`: the heading first."""

    heading: Node
    text: str
    level: int
    blocks: list[Node]
    inner: list[Section] = field(default_factory=list)


def section_tree(blocks: Sequence[Node], heading: Callable[[Node], tuple[int, str] | None]) -> list[Section]:
    """The sections of a sequence of blocks, nested by level; those of blocks in content controls too.

    heading: level and visible text of a block that is a heading, else None.
    """
    top: list[Section] = []
    opened: list[Section] = []
    for block in _flat(blocks):
        found = heading(block)
        if found is not None:
            level, text = found
            while opened and opened[-1].level >= level:
                opened.pop()
            section = Section(block, text, level, [])
            (opened[-1].inner if opened else top).append(section)
            opened.append(section)
        for section in opened:
            section.blocks.append(block)
    return top


def _flat(blocks: Sequence[Node]) -> list[Node]:
    out: list[Node] = []
    for block in blocks:
        if block.kind == "content_control":
            out += _flat([child for child in block.children if child.kind != "run"])
        elif block.kind != "page_setup":
            out.append(block)
    return out


def _all(sections: Sequence[Section]) -> list[Section]:
    return [found for section in sections for found in (section, *_all(section.inner))]


def _matching(sections: Sequence[Section], segment: Segment) -> list[Section]:
    if segment.number is not None:
        return list(sections[segment.number - 1 : segment.last or segment.number])
    if segment.name is None:
        return list(sections)
    wanted = " ".join(segment.name.split())
    found = [section for section in _all(sections) if section.text == wanted]
    if not found and "/" in wanted:
        found = _by_path(sections, [step.strip() for step in wanted.split("/")])
    if segment.ordinal is not None:
        return found[segment.ordinal - 1 : segment.ordinal]
    return found


def _by_path(sections: Sequence[Section], steps: Sequence[str]) -> list[Section]:
    current = [section for section in _all(sections) if section.text == steps[0]]
    for step in steps[1:]:
        current = [inner for section in current for inner in section.inner if inner.text == step]
    return current


def _view(parent: Node, section: Section, name: str | None) -> Node:
    """A node that stands for a section's blocks and counts them from its heading on."""

    def lookup(segment: Segment) -> Sequence[Node] | None:
        if segment.kind == "section":
            return [_view(view, inner, segment.name) for inner in _matching(section.inner, segment)]
        if segment.number is None:
            return None
        same = [block for block in section.blocks if block.kind == segment.kind]
        return same[segment.number - 1 : segment.last or segment.number]

    view = Node(parent, "section", name=name or section.text, children=section.blocks, label=section.text, lookup=lookup)
    view.stands_for = section.blocks
    return view


def block_lookup(container: Node, heading: Callable[[Node], tuple[int, str] | None]) -> Lookup:
    """Finds sections, and content controls by tag or title or anywhere inside, in a container of blocks."""
    cache: list[list[Section]] = []

    def lookup(segment: Segment) -> Sequence[Node] | None:
        if segment.kind == "section":
            if not cache:
                cache.append(section_tree(container.children, heading))
            return [_view(container, section, segment.name) for section in _matching(cache[0], segment)]
        if segment.kind == "content_control" and not segment.any:
            return _controls(container, segment)
        return None

    return lookup


def _controls(container: Node, segment: Segment) -> Sequence[Node] | None:
    if segment.number is not None:
        own = [child for child in container.children if child.kind == "content_control"]
        if segment.number <= len(own):
            return None
    elif segment.name is None:
        return None
    inside = [node for node in container.walk() if node.kind == "content_control" and node is not container]
    if segment.number is not None:
        return inside[segment.number - 1 : segment.last or segment.number]
    found = [node for node in inside if segment.name in {node.facts.get((Aspect.METADATA, "tag")), node.facts.get((Aspect.NAME, "alias"))}]
    return found[segment.ordinal - 1 : segment.ordinal] if segment.ordinal is not None else found


def paragraph_lookup(paragraph: Node, anchored: Sequence[Node]) -> Lookup:
    """Finds what is anchored in a paragraph under the paragraph itself (`paragraph[7]/image[1]`), and its controls by tag or title."""

    def lookup(segment: Segment) -> Sequence[Node] | None:
        if segment.kind == "content_control" and segment.name is not None:
            return _controls(paragraph, segment)
        same = [node for node in anchored if node.kind == segment.kind]
        if not same:
            return None
        if segment.number is not None:
            return same[segment.number - 1 : segment.last or segment.number]
        return same

    return lookup


