"""Comparison of two documents' states: aligned, fact by fact, cut short wherever both sides are equal."""

from __future__ import annotations

from bisect import bisect
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from docops.core.address import Segment
from docops.core.align import align, longest_increasing
from docops.core.codes import ALL_ASPECTS, Aspect
from docops.core.explanation import explained
from docops.core.node import Align, Node, Value, find_children
from docops.core.runs import runs_apart, same_runs, stretches

#: Texts of nodes are cut at this length.
MAX_TEXT = 2000


class ChangeKind(StrEnum):
    """What happened to a place or to one of its facts."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"
    MOVED = "moved"


@dataclass(frozen=True, slots=True)
class Change:
    """One difference.

    address: the place in the first document; in the second where the place is new.
    place: the whole place was added, removed or moved; otherwise one fact of a place that both have.
    other_address: the place in the second document where it differs from `address`, else "".
    node: the node that was added or removed, where a whole place was.
    excerpt: the text that the change is about, where it is not all of the place.
    """

    address: str
    aspect: Aspect
    name: str
    kind: ChangeKind
    before: Value
    after: Value
    place: bool = False
    other_address: str = ""
    node: Node | None = field(default=None, compare=False, repr=False)
    excerpt: str = ""


class Allow(StrEnum):
    """What an entry of an edit scope allows at its place."""

    CHANGE = "change"
    ADD = "add"
    REMOVE = "remove"
    MOVE = "move"


ALLOW_ALL: frozenset[Allow] = frozenset(Allow)
ALLOW_NONE: frozenset[Allow] = frozenset()

#: Addresses of one document → what may happen to them and to everything inside them.
Scope = Mapping[str, frozenset[Allow]]


@dataclass(slots=True)
class Comparison:
    """What to look at and what is allowed.

    aspects: facts of other aspects, and places that hold none of these, are not looked at.
    before_scope, after_scope: allowed places of the first and of the second document; a change that is allowed is not
    reported. Removal, change and move are decided by the place in the first document, addition by that in the second.
    """

    aspects: frozenset[Aspect] = ALL_ASPECTS
    before_scope: Scope = field(default_factory=dict)
    after_scope: Scope = field(default_factory=dict)
    #: Filled while comparing: places that were removed or added as a whole and whose removal or addition is allowed.
    allowed_removals: set[str] = field(default_factory=set)
    allowed_additions: set[str] = field(default_factory=set)
    #: Places that the format matched itself: address in the second document → address in the first. Siblings of their
    #: kind that are not named here are in no pair.
    matches: Mapping[str, str] = field(default_factory=dict)
    #: Places that were removed where they may move: the same place elsewhere has moved and is not new.
    _moved_away: list[Node] = field(default_factory=list)
    _may_move: set[str] = field(default_factory=set)
    _covered_before: set[str] = field(default_factory=set)
    _covered_after: set[str] = field(default_factory=set)
    _dependency_changes: dict[str, dict[tuple[Aspect, str], tuple[Value, Value]]] = field(default_factory=dict)
    _pending: list[tuple[Change, frozenset[str], frozenset[str]]] = field(default_factory=list)

    def allowed_before(self, node: Node, inherited: frozenset[Allow]) -> frozenset[Allow]:
        """What may happen to a node of the first document."""
        return _allowed(node, inherited, self.before_scope)

    def allowed_after(self, node: Node, inherited: frozenset[Allow]) -> frozenset[Allow]:
        """What may happen to a node of the second document."""
        return _allowed(node, inherited, self.after_scope)

    def cover(self, before: Node | None, after: Node | None) -> None:
        """Note that the edit scope holds this place, for the things that exist for its sake (`Node.users`)."""
        if after is not None:
            self._covered_after.add(after.address)
        if before is not None:
            self._covered_before.add(before.address)

    def relevant(self, node: Node) -> bool:
        """Whether anything in `node` is a fact of the aspects that are looked at."""
        if self.aspects == ALL_ASPECTS:
            return True
        return any(aspect in self.aspects for inner in node.walk() for aspect, _ in inner.facts)


def _allowed(node: Node, inherited: frozenset[Allow], scope: Scope) -> frozenset[Allow]:
    if not scope or inherited == ALLOW_ALL:
        return inherited
    own = scope.get(node.address)
    result = inherited | own if own else inherited
    for address in node.also:
        also = scope.get(address)
        if also:
            result |= also
    return result


def compare_trees(before: Node, after: Node, comparison: Comparison) -> Iterator[Change]:
    """The changes between two trees that the comparison's scope does not allow, in document order.

    Places are matched by key or by content (`core.align`); equal fingerprints and equal digests are not looked into.
    A change of a dependency (a style) that explains changes of effective formatting elsewhere is reported once, there;
    it is allowed where everything that uses it lies in the edit scope.
    """
    dependencies = list(_dependency_pairs(before, after))
    for old, new in dependencies:
        if old is None or new is None or (old.fingerprint is not None and old.fingerprint == new.fingerprint):
            continue
        if old.digest != new.digest:
            keys = {**dict.fromkeys(old.facts), **dict.fromkeys(new.facts)}
            changed = {key: (old.facts.get(key), new.facts.get(key)) for key in keys if old.facts.get(key) != new.facts.get(key)}
            comparison._dependency_changes[old.address] = changed
            comparison._dependency_changes[new.address] = changed
    changes = list(compare_nodes(before, after, comparison, ALLOW_NONE, ALLOW_NONE))
    yield from _join_moves(changes, comparison._moved_away, comparison._may_move)
    for change, users_before, users_after in comparison._pending:
        covered = all(_lies_in(user, comparison._covered_before, comparison.before_scope) for user in users_before)
        covered = covered and all(_lies_in(user, comparison._covered_after, comparison.after_scope) for user in users_after)
        if not covered or not (users_before or users_after):
            yield change


def _dependency_pairs(before: Node, after: Node) -> Iterator[tuple[Node | None, Node | None]]:
    """Nodes with users (and theme, masters, layouts) of both sides; they stand one or two levels below the root."""
    yield from _pairs_by_address(list(_dependencies(before)), list(_dependencies(after)))


def _dependencies(root: Node) -> Iterator[Node]:
    for child in root.children:
        if child.users is not None or child.kind in {"theme", "master", "style"}:
            yield child
            for inner in child.children:
                if inner.kind == "layout":
                    yield inner


def _pairs_by_address(before: Sequence[Node], after: Sequence[Node]) -> Iterator[tuple[Node | None, Node | None]]:
    others = {node.address: node for node in after}
    for node in before:
        yield node, others.pop(node.address, None)
    for node in others.values():
        yield None, node


def _lies_in(address: str, covered: Collection[str], scope: Scope) -> bool:
    """Whether a place, or one that it lies in, was found to be in the edit scope."""
    while address:
        if address in covered or address in scope:
            return True
        address = address.rpartition("/")[0]
    return False


def compare_nodes(
    before: Node,
    after: Node,
    comparison: Comparison,
    allow_before: frozenset[Allow],
    allow_after: frozenset[Allow],
) -> Iterator[Change]:
    """The changes between two nodes that are the same place; `allow_*` is what their containers' scopes allow."""
    if before.fingerprint is not None and before.fingerprint == after.fingerprint:
        return
    allow_before = comparison.allowed_before(before, allow_before)
    allow_after = comparison.allowed_after(after, allow_after)
    if Allow.CHANGE in allow_before:
        comparison.cover(before, after)
        if allow_before == ALLOW_ALL:
            return
    # Two known fingerprints that differ: something inside differs, so that digests (of everything inside) would not end the search.
    known = before.fingerprint is not None and after.fingerprint is not None and bool(before.children)
    if not known and before.digest == after.digest:
        return
    if Allow.CHANGE not in allow_before:
        yield from _compare_facts(before, after, comparison)
    inner = _inherited(before, allow_before)
    yield from compare_children(before.children, after.children, comparison, inner, inner | _inherited(after, allow_after))


def _inherited(node: Node, allowed: frozenset[Allow]) -> frozenset[Allow]:
    """What holds for the places inside a node: leave to move a slide is no leave to restack what is on it."""
    return allowed if Allow.CHANGE in allowed or node.align is Align.KEY else allowed - {Allow.MOVE}


def _compare_facts(before: Node, after: Node, comparison: Comparison) -> Iterator[Change]:
    old, new = before.facts, after.facts
    for key in {**dict.fromkeys(old), **dict.fromkeys(new)}:
        aspect, name = key
        if aspect not in comparison.aspects:
            continue
        absent = object()
        value, other = old.get(key, absent), new.get(key, absent)
        if value == other and type(value) is type(other):
            continue
        kind = ChangeKind.ADDED if value is absent else ChangeKind.REMOVED if other is absent else ChangeKind.CHANGED
        change = Change(
            before.address,
            aspect,
            name,
            kind,
            None if value is absent else value,  # type: ignore[arg-type]
            None if other is absent else other,  # type: ignore[arg-type]
            other_address=after.address if after.address != before.address else "",
        )
        if explained(before, after, key, (change.before, change.after), comparison._dependency_changes):
            continue
        if before.users is not None or after.users is not None:
            comparison._pending.append((change, _users(before), _users(after)))
        else:
            yield change


def _users(node: Node) -> frozenset[str]:
    return node.users() if node.users is not None else frozenset()


def compare_children(
    before: Sequence[Node],
    after: Sequence[Node],
    comparison: Comparison,
    allow_before: frozenset[Allow],
    allow_after: frozenset[Allow],
) -> Iterator[Change]:
    """The changes among the children of one container; what its place in the first document allows holds for additions too."""
    pairs: list[tuple[Node, Node]] = []
    sequences: list[list[tuple[Node, Node]]] = []
    removed: list[Node] = []
    added: list[Node] = []
    for style in (Align.KEY, Align.ORDERED_KEY):
        old, new = _by_key(before, style), _by_key(after, style)
        matched = [(node, new[key]) for key, node in old.items() if key in new]
        pairs += matched
        gone = [node for key, node in old.items() if key not in new]
        come = [node for key, node in new.items() if key not in old]
        if style is Align.ORDERED_KEY:
            renamed = _renamed(gone, come)
            position = {id(node): n for n, node in enumerate(before)}
            sequences.append(sorted([*matched, *renamed], key=lambda pair: position[id(pair[0])]))
            for old_node, new_node in renamed:
                yield from _rename(old_node, new_node, comparison, allow_before)
            same = {id(node) for pair in renamed for node in pair}
            gone = [node for node in gone if id(node) not in same]
            come = [node for node in come if id(node) not in same]
            pairs += renamed
        removed += gone
        added += come
    old_sequence = [node for node in before if node.align is Align.CONTENT]
    new_sequence = [node for node in after if node.align is Align.CONTENT]
    if same_runs(old_sequence, new_sequence):
        old_runs, old_sequence = runs_apart(old_sequence)
        new_runs, new_sequence = runs_apart(new_sequence)
        yield from _restyled(old_runs, new_runs, comparison, allow_before, allow_after)
    aligned = _aligned(old_sequence, new_sequence, comparison.matches)
    aligned = _in_scope(dict(aligned), old_sequence, comparison.before_scope, lambda node: Allow.REMOVE in comparison.allowed_before(node, allow_before))
    swapped = _in_scope({j: i for i, j in aligned}, new_sequence, comparison.after_scope, lambda node: Allow.ADD in comparison.allowed_after(node, allow_after))
    matched = [(old_sequence[i], new_sequence[j]) for j, i in sorted(swapped, key=lambda pair: (pair[1], pair[0]))]
    pairs += matched
    sequences.append(matched)
    in_pairs_before = {id(node) for node, _ in matched}
    in_pairs_after = {id(node) for _, node in matched}
    removed += [node for node in old_sequence if id(node) not in in_pairs_before]
    added += [node for node in new_sequence if id(node) not in in_pairs_after]

    for node in removed:
        yield from _whole(node, ChangeKind.REMOVED, comparison, allow_before)
    for old_node, new_node in pairs:
        yield from compare_nodes(old_node, new_node, comparison, allow_before, allow_after)
    for node in added:
        yield from _whole(node, ChangeKind.ADDED, comparison, allow_after)
    for sequence in sequences:
        yield from _moved(sequence, after, comparison, allow_before)


#: Texts of runs that a change is about are cut at this length.
MAX_EXCERPT = 80


def _restyled(
    before: Sequence[Node], after: Sequence[Node], comparison: Comparison, allow_before: frozenset[Allow], allow_after: frozenset[Allow]
) -> Iterator[Change]:
    """How the same text looks different: by stretches of text, however either side is cut into runs; reported at the first document's runs."""
    found: dict[tuple[str, tuple[Aspect, str], str], tuple[Change, list[str]]] = {}
    for old, new, text in stretches(before, after):
        if Allow.CHANGE in comparison.allowed_before(old, allow_before) or Allow.CHANGE in comparison.allowed_after(new, allow_after):
            comparison.cover(old, new)
            continue
        for key in {**dict.fromkeys(old.facts), **dict.fromkeys(new.facts)}:
            aspect, name = key
            if aspect not in comparison.aspects or name == "text" or old.facts.get(key) == new.facts.get(key):
                continue
            kind = ChangeKind.ADDED if key not in old.facts else ChangeKind.REMOVED if key not in new.facts else ChangeKind.CHANGED
            other = new.address if new.address != old.address else ""
            change = Change(old.address, aspect, name, kind, old.facts.get(key), new.facts.get(key), other_address=other)
            if not explained(old, new, key, (change.before, change.after), comparison._dependency_changes):
                found.setdefault((old.address, key, repr(change.after)), (change, []))[1].append(text)
    whole = {node.address: node.text for node in before}
    for change, texts in found.values():
        about = "".join(texts) if "".join(texts) in whole[change.address] else " … ".join(texts)
        # A look that is not there is one that is off.
        old_value = False if change.before is None and change.after is True else change.before
        new_value = False if change.after is None and change.before is True else change.after
        kind = ChangeKind.CHANGED if old_value is not None and new_value is not None else change.kind
        yield replace(change, excerpt=about[:MAX_EXCERPT], kind=kind, before=old_value, after=new_value)


def _in_scope(partners: dict[int, int], nodes: Sequence[Node], scope: Scope, allowed: Callable[[Node], bool]) -> list[tuple[int, int]]:
    """The same matching, but of equal neighbours those whose coming (or going) the scope allows are those without a partner.

    Which of two equal neighbours is the copy, nobody can tell.
    """
    at = 0
    while scope and len(partners) < len(nodes) and at < len(nodes):
        if at in partners or allowed(nodes[at]):
            at += 1
            continue
        start, end = at, at + 1
        while start > 0 and nodes[start - 1].digest == nodes[at].digest:
            start -= 1
        while end < len(nodes) and nodes[end].digest == nodes[at].digest:
            end += 1
        free = [twin for twin in range(start, end) if twin in partners and allowed(nodes[twin])]
        for lonely in range(at, end):
            if free and lonely not in partners and not allowed(nodes[lonely]):
                partners[lonely] = partners.pop(free.pop(max(bisect(free, lonely) - 1, 0)))
        at = end
    return list(partners.items())


def _by_key(nodes: Sequence[Node], style: Align) -> dict[tuple[str, str, int], Node]:
    """The nodes of one way of alignment by kind, key, and how many of that key came before (files may repeat a name)."""
    out: dict[tuple[str, str, int], Node] = {}
    seen: dict[tuple[str, str], int] = {}
    for node in nodes:
        if node.align is style:
            name = (node.kind, node.key)
            out[*name, seen.get(name, 0)] = node
            seen[name] = seen.get(name, 0) + 1
    return out


def _aligned(before: Sequence[Node], after: Sequence[Node], matches: Mapping[str, str]) -> list[tuple[int, int]]:
    """Pairs of positions of the same place: those matched beforehand, the others by content."""
    if not matches:
        return align_nodes(before, after)
    known = {node.address: i for i, node in enumerate(before)}
    pairs = [(known[matches[node.address]], j) for j, node in enumerate(after) if matches.get(node.address) in known]
    kinds = {after[j].kind for _, j in pairs}
    rows = [i for i, node in enumerate(before) if node.kind not in kinds]
    columns = [j for j, node in enumerate(after) if node.kind not in kinds]
    rest = align_nodes([before[i] for i in rows], [after[j] for j in columns])
    return sorted([*pairs, *((rows[i], columns[j]) for i, j in rest)])


def renamed_places(before: Sequence[Node], after: Sequence[Node]) -> list[tuple[Node, Node]]:
    """The places among the children of one container that have another name in the second document."""
    old, new = _by_key(before, Align.ORDERED_KEY), _by_key(after, Align.ORDERED_KEY)
    return _renamed([node for key, node in old.items() if key not in new], [node for key, node in new.items() if key not in old])


def _renamed(gone: Sequence[Node], come: Sequence[Node]) -> list[tuple[Node, Node]]:
    """Places whose key changed while most of what they hold did not."""
    if not gone or not come:
        return []
    out = []
    free = list(come)
    for node in gone:
        features = _features(node)
        scored = [(2 * len(features & (others := _features(other))) / max(len(features) + len(others), 1), -n) for n, other in enumerate(free)]
        best = max(scored, default=(0.0, 0))
        if best[0] >= 0.5:
            out.append((node, free.pop(-best[1])))
    return out


def _rename(old: Node, new: Node, comparison: Comparison, inherited: frozenset[Allow]) -> Iterator[Change]:
    if Aspect.NAME in comparison.aspects and Allow.CHANGE not in comparison.allowed_before(old, inherited):
        yield Change(old.address, Aspect.NAME, "name", ChangeKind.CHANGED, old.name, new.name, other_address=new.address)


def _whole(node: Node, kind: ChangeKind, comparison: Comparison, inherited: frozenset[Allow]) -> Iterator[Change]:
    # A run is no place of its own to a reader: where a paragraph may change, its runs may come and go.
    needed = Allow.CHANGE if node.kind == "run" else Allow.REMOVE if kind is ChangeKind.REMOVED else Allow.ADD
    if kind is ChangeKind.REMOVED:
        allowed = comparison.allowed_before(node, inherited)
        if needed in allowed:
            if Allow.MOVE in allowed:
                comparison._moved_away.append(node)
            comparison.cover(node, None)
            comparison.allowed_removals.add(node.address)
            return
        if Allow.MOVE in allowed:
            comparison._may_move.add(node.address)
    elif needed in comparison.allowed_after(node, inherited):
        comparison.cover(None, node)
        comparison.allowed_additions.add(node.address)
        return
    if not comparison.relevant(node):
        return
    text = node.text[:200]
    change = Change(
        node.address,
        Aspect.STRUCTURE,
        node.kind,
        kind,
        text if kind is ChangeKind.REMOVED else None,
        text if kind is ChangeKind.ADDED else None,
        place=True,
        node=node,
    )
    if node.users is not None:
        users = node.users()
        removed = kind is ChangeKind.REMOVED
        comparison._pending.append((change, users if removed else frozenset(), frozenset() if removed else users))
    else:
        yield change


def _moved(pairs: Sequence[tuple[Node, Node]], after: Sequence[Node], comparison: Comparison, inherited: frozenset[Allow]) -> Iterator[Change]:
    """Nodes outside the scope whose order among each other changed; the fewest that explain it."""
    if Aspect.ORDER not in comparison.aspects:
        return
    position = {id(node): n for n, node in enumerate(after)}
    held = [(old, new) for old, new in pairs if Allow.MOVE not in comparison.allowed_before(old, inherited)]
    places = [position[id(new)] for _, new in held]
    stays = set(longest_increasing(places))
    for n, (old, new) in enumerate(held):
        if n not in stays and comparison.relevant(old):
            yield Change(old.address, Aspect.ORDER, "position", ChangeKind.MOVED, old.number, new.number, place=True, other_address=new.address)


def _join_moves(changes: Sequence[Change], moved_away: Sequence[Node], may_move: Collection[str]) -> Iterator[Change]:
    """A place that vanished here and appears, equal, in another container has moved; it is one change, not two.

    moved_away: places that vanished and whose move is allowed; where they appear is no change at all.
    may_move: places that may not vanish, but may move.
    """
    removed = [change for change in changes if change.place and change.kind is ChangeKind.REMOVED]
    added = [change for change in changes if change.place and change.kind is ChangeKind.ADDED]
    if not (removed or moved_away) or not added or (len(removed) + len(moved_away)) * len(added) > 1_000_000:
        yield from changes
        return
    waiting: dict[bytes, list[Change]] = {}
    for change in added:
        if change.node is not None and change.node.text.strip():
            waiting.setdefault(change.node.digest, []).append(change)
    joined: dict[int, Change] = {}
    dropped: set[int] = set()
    for node in moved_away:
        places = waiting.get(node.digest)
        if places:
            dropped.add(id(places.pop(0)))
    for change in removed:
        partners = waiting.get(change.node.digest) if change.node is not None else None
        if partners:
            partner = partners.pop(0)
            dropped.add(id(partner))
            if change.address in may_move:
                dropped.add(id(change))
                continue
            joined[id(change)] = Change(
                change.address, Aspect.ORDER, "position", ChangeKind.MOVED, change.address, partner.address, place=True, other_address=partner.address
            )
    for change in changes:
        if id(change) not in dropped:
            yield joined.get(id(change), change)


def resolve_counterparts(before: Node, after: Node, segments: Sequence[Segment]) -> list[Node]:
    """The nodes of the second tree that are the same places as those that the steps name in the first.

    For places whose names another program's re-save does not keep (shapes): a step that names nothing in the second tree
    is looked up in the first, and its counterpart found by content. Where the second tree has the place by its own name,
    that one is meant.
    """
    current: list[tuple[Node, Node]] = [(before, after)]
    for segment in segments:
        following: list[tuple[Node, Node]] = []
        for old, new in current:
            olds = find_children(old, segment)
            news = find_children(new, segment)
            if news:
                following += [(olds[n] if n < len(olds) else old, node) for n, node in enumerate(news)]
            elif olds:
                partners = {id(old.children[i]): new.children[j] for i, j in align_nodes(old.children, new.children)}
                following += [(node, partners[id(node)]) for node in olds if id(node) in partners]
        current = following
    return [new for _, new in current]


def align_nodes(before: Sequence[Node], after: Sequence[Node]) -> list[tuple[int, int]]:
    """Pairs of positions of the nodes that are the same place, by equal digest, then by similar text and facts."""
    words_before: dict[int, frozenset[str]] = {}
    words_after: dict[int, frozenset[str]] = {}

    def similarity(i: int, j: int) -> float:
        old, new = before[i], after[j]
        if old.kind != new.kind:
            return 0.0
        left = words_before.get(i)
        if left is None:
            left = words_before[i] = _features(old)
        right = words_after.get(j)
        if right is None:
            right = words_after[j] = _features(new)
        if not left and not right:
            return 0.5
        return 2 * len(left & right) / (len(left) + len(right))

    # Equal fingerprints say as much as equal digests and cost no look inside.
    common = {node.fingerprint for node in before} & {node.fingerprint for node in after} - {None}
    tokens_before, tokens_after = _tokens(before, after, common)
    return align(
        tokens_before,
        tokens_after,
        similarity=similarity,
        left_kinds=[node.kind for node in before],
        right_kinds=[node.kind for node in after],
    )


def _tokens(before: Sequence[Node], after: Sequence[Node], common: Collection[str | None]) -> tuple[list[Hashable], list[Hashable]]:
    """What equal elements have in common: the fingerprint, else a text that stands once on each side, else all facts.

    A text that only one place on each side has says which place it is, whatever else changed there, and costs no look at
    its formatting.
    """
    texts = [[(node.kind, node.text) if node.fingerprint not in common else None for node in side] for side in (before, after)]
    counts = [Counter(side) for side in texts]
    out: list[list[Hashable]] = []
    for side, named in ((before, texts[0]), (after, texts[1])):
        tokens: list[Hashable] = []
        for node, text in zip(side, named, strict=True):
            if text is None:
                tokens.append(node.fingerprint)
            elif text[1].strip() and len(text[1]) < MAX_TEXT and all(count[text] <= 1 for count in counts):
                tokens.append(text)
            else:
                tokens.append(node.digest)
        out.append(tokens)
    return out[0], out[1]


def _features(node: Node) -> frozenset[str]:
    """Words and letter pairs of the text, and the name, which similar nodes share."""
    text = node.text[:400]
    features = {text[n : n + 3] for n in range(max(len(text) - 2, 1))} if text else set()
    features.update(text.split()[:60])
    if node.name:
        features.update((f"name:{node.name}", f"name2:{node.name}", f"name3:{node.name}"))
    if not text:
        features.update(f"{aspect}:{name}={value!r}"[:120] for (aspect, name), value in list(node.facts.items())[:40])
    return frozenset(features)
