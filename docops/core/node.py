"""The state of a document as a tree of nodes; a fact is one attribute of one node.

A format builds the tree; everything else (facts, addresses, comparison, scope) is generic and lives in `core`. The tree
is canonical: two files that mean the same build equal trees, whichever program wrote them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from docops.core.address import Segment, format_segment
from docops.core.canonical import canonical_json
from docops.core.codes import Aspect

#: A fact's value: JSON, so that it prints, compares and hashes the same everywhere. Use text for decimals.
Value = str | int | float | bool | None | Sequence["Value"] | Mapping[str, "Value"]


class FactKey(NamedTuple):
    """Which attribute of which place; `document.facts()` maps these to values."""

    address: str
    aspect: Aspect
    name: str


class Align(StrEnum):
    """How the siblings of one container are matched between two documents.

    KEY: by `Node.key`, a name that is state (sheet name, cell reference, style name); their order is not state.
    ORDERED_KEY: by key, and their order is state (sheets).
    CONTENT: as one sequence, by content, whatever their positions (paragraphs, rows, slides, pages, shapes); order is state.
    """

    KEY = "key"
    ORDERED_KEY = "ordered_key"
    CONTENT = "content"


class Node:
    """One place of a document.

    kind: the address kind (`paragraph`).
    segment: its own step, as printed (`paragraph[3]`); `address` is the whole path without the artifact.
    number: 1-based position among the siblings of its kind, or None.   name: its name, or None.
    facts: (aspect, name) → value, of this place alone, children not included.
    children: the places inside it, in the order a reader meets them; may be given as a function, called once.
    align: how it is matched against its siblings;  key: its identity for KEY and ORDERED_KEY (default: its segment).
    label: text a person recognises it by and by which similar nodes are matched (default: its text fact, else the texts of
        what is inside); may be given as a function, whose "" means the default.
    fingerprint: digest of the bytes it is made from; equal fingerprints need no look inside. None: not known. May be given as
        a function, called at the first comparison.
    also: addresses of other places that own it as well (a widget's field); naming one of those names this.
    users: for a thing that exists for the sake of others (a style, a list definition): the addresses that use it, as a
        function; its change belongs to an edit that contains all of its users. None: it stands for itself.
    depends: addresses of things whose formatting shows here (its style, layout, master, theme). A change of a fact here
        that such a thing explains (same aspect, name and new value) is reported there alone.
    own: digest of what the place itself says, without what it depends on; where it is equal on both sides, a change of its
        formatting comes from a dependency that changed. None: not known.
    lookup: finds descendants for a segment where the address syntax differs from the tree (`sheet/cell[B2:D10]`,
        `body/section["2. Scope"]`); returns None for a segment it does not know.
    stands_for: for a node that only a lookup returns and that is no place of the tree: the places that it names.
    """

    __slots__ = (
        "_children",
        "_content_digest",
        "_digest",
        "_facts",
        "_fingerprint",
        "address",
        "align",
        "also",
        "depends",
        "key",
        "kind",
        "label",
        "lookup",
        "name",
        "number",
        "own",
        "segment",
        "stands_for",
        "users",
    )

    def __init__(
        self,
        parent: Node | str | None,
        kind: str,
        *,
        number: int | None = None,
        name: str | None = None,
        ordinal: int | None = None,
        facts: Mapping[tuple[Aspect, str], Value] | Callable[[], Mapping[tuple[Aspect, str], Value]] | None = None,
        children: Sequence[Node] | Callable[[], Sequence[Node]] = (),
        align: Align = Align.CONTENT,
        key: str | None = None,
        label: str | Callable[[], str] | None = None,
        fingerprint: str | Callable[[], str | None] | None = None,
        also: tuple[str, ...] = (),
        users: Callable[[], frozenset[str]] | None = None,
        depends: tuple[str, ...] = (),
        own: Callable[[], str] | None = None,
        lookup: Callable[[Segment], Sequence[Node] | None] | None = None,
    ) -> None:
        self.kind = kind
        self.number = number
        self.name = name
        if name is not None:
            self.segment = format_segment(kind, name, ordinal)
        else:
            self.segment = f"{kind}[{number}]" if number is not None else kind
        prefix: str = (parent.address if isinstance(parent, Node) else parent) or ""
        self.address: str = f"{prefix}/{self.segment}" if prefix else self.segment
        self._facts = facts if facts is not None else {}
        self._children = children
        self.align = align
        self.key = key if key is not None else self.segment
        self.label = label
        self._fingerprint = fingerprint
        self.also = also
        self.users = users
        self.depends = depends
        self.own = own
        self.lookup = lookup
        self.stands_for: Sequence[Node] = ()
        self._digest: bytes | None = None
        self._content_digest: bytes | None = None

    @property
    def facts(self) -> Mapping[tuple[Aspect, str], Value]:
        """The facts of this place alone."""
        if callable(self._facts):
            self._facts = self._facts()
        return self._facts

    @property
    def children(self) -> Sequence[Node]:
        """The places inside this one."""
        if callable(self._children):
            self._children = self._children()
        return self._children

    @property
    def fingerprint(self) -> str | None:
        """Digest of the bytes that this place is made from, or None where it is not known."""
        if callable(self._fingerprint):
            self._fingerprint = self._fingerprint()
        return self._fingerprint

    @fingerprint.setter
    def fingerprint(self, value: str | None) -> None:
        self._fingerprint = value

    @property
    def digest(self) -> bytes:
        """Digest of all facts of this node and of everything inside it; addresses and numbers are not part of it."""
        if self._digest is None:
            own = canonical_json([self.kind, self.key if self.align is not Align.CONTENT else "", _plain(self.facts)])
            hasher = hashlib.blake2b(own, digest_size=16)
            keyed = sorted(child.digest for child in self.children if child.align is Align.KEY)
            for child_digest in keyed:
                hasher.update(child_digest)
            hasher.update(b"|")
            for child in self.children:
                if child.align is not Align.KEY:
                    hasher.update(child.digest)
            self._digest = hasher.digest()
        return self._digest

    @property
    def text(self) -> str:
        """What a person recognises the node by: its label, its text fact, or the text of what is inside."""
        if callable(self.label):
            self.label = self.label()[:2000] or None
        if self.label is not None:
            return self.label
        own = self.facts.get((Aspect.TEXT, "text"))
        if isinstance(own, str):
            self.label = own
        else:
            self.label = "\n".join(text for child in self.children if (text := child.text))[:2000]
        return self.label

    def walk(self) -> Iterator[Node]:
        """This node and everything inside it, in document order."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.children))

    def __repr__(self) -> str:
        return f"<Node {self.address}>"


def _plain(facts: Mapping[tuple[Aspect, str], Value]) -> list[list[Value]]:
    return sorted([str(aspect), name, value] for (aspect, name), value in facts.items())


def root_node(
    children: Callable[[], Sequence[Node]], *, lookup: Callable[[Segment], Sequence[Node] | None] | None = None, fingerprint: str | None = None
) -> Node:
    """The root of a document's tree; its address is empty and it has no facts of its own."""
    return Node(None, "", children=children, lookup=lookup, fingerprint=fingerprint)


def collect_facts(root: Node) -> dict[FactKey, Value]:
    """Every fact below `root`, in document order."""
    return {FactKey(node.address, aspect, name): value for node in root.walk() for (aspect, name), value in node.facts.items()}


def _matches(node: Node, segment: Segment, seen: dict[str, int]) -> bool:
    if node.kind != segment.kind:
        return False
    if segment.number is not None:
        if node.number is None:
            return segment.number == 1
        return segment.number <= node.number <= (segment.last if segment.last is not None else segment.number)
    if segment.name is not None:
        if node.name != segment.name:
            return False
        if segment.ordinal is None:
            return True
        seen[segment.name] = seen.get(segment.name, 0) + 1
        return seen[segment.name] == segment.ordinal
    return True


def find_children(node: Node, segment: Segment) -> list[Node]:
    """The places that `segment` names in `node`: what its `lookup` says, else its children of that kind and key."""
    if node.lookup is not None:
        found = node.lookup(segment)
        if found is not None:
            return list(found)
    seen: dict[str, int] = {}
    return [child for child in node.children if _matches(child, segment, seen)]


def resolve(root: Node, segments: Sequence[Segment]) -> list[Node]:
    """The nodes that the steps name, in document order without repeats; empty where there is none.

    No steps: the root. `**` matches any number of levels, none included.
    """
    current = [root]
    for segment in segments:
        following: list[Node] = []
        seen: set[int] = set()
        for node in current:
            candidates = node.walk() if segment.kind == "**" else find_children(node, segment)
            for candidate in candidates:
                if id(candidate) not in seen:
                    seen.add(id(candidate))
                    following.append(candidate)
        current = following
    if not any(node.stands_for for node in current):
        return current
    return list({id(place): place for node in current for place in (node.stands_for or (node,))}.values())
