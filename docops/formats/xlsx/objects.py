"""Which input rules, conditional formats, links, merged areas and tables of two sheets are the same, where their ranges differ."""

from __future__ import annotations

import copy
from collections.abc import Sequence

from docops.core.codes import Aspect
from docops.core.compare import Allow, Comparison
from docops.core.node import Node, Value
from docops.formats.xlsx.references import Area, parse_area
from docops.formats.xlsx.sheets import SheetTree

#: Kinds of nodes that are named by the range they hold.
RANGES = frozenset({"merge", "validation", "conditional_format", "hyperlink"})
#: Kinds of nodes that float over the cells.
_FLOATING = frozenset({"chart", "image", "shape"})
#: Ranges of more cells are not looked into.
_MOST = 20_000


def match_objects(before: SheetTree, after: SheetTree, comparison: Comparison) -> tuple[list[Node], list[Node]]:
    """What stands on two sheets beside their cells, with equal keys for what is the same thing with another range.

    Left out is what the edit scope covers because it names every cell of the range.
    """
    old, new = list(before.others), list(after.others)
    known = {(node.kind, node.key) for node in new}
    theirs = {(node.kind, node.key) for node in old}
    left = [node for node in old if node.kind in RANGES | {"table"} and (node.kind, node.key) not in known]
    right = [node for node in new if node.kind in RANGES | {"table"} and (node.kind, node.key) not in theirs]
    for node in left:
        partner = _partner(node, right)
        if partner is not None:
            right.remove(partner)
            new[new.index(partner)] = _with_key(partner, node.key)
    _compare_stacking(old, new, comparison)
    if comparison.before_scope or comparison.after_scope:
        equal = {(node.kind, node.key): node.digest for node in new}
        changed = {(node.kind, node.key) for node in old if node.kind in RANGES and equal.get((node.kind, node.key)) != node.digest}
        changed |= {(node.kind, node.key) for node in new if node.kind in RANGES} - {(node.kind, node.key) for node in old}
        named, named_after = _by_key(old), _by_key(new)
        free = {
            key
            for key in changed
            if _is_free(named.get(key), before, comparison, Allow.CHANGE) and _is_free(named_after.get(key), after, comparison, Allow.ADD)
        }
        old = [node for node in old if (node.kind, node.key) not in free]
        new = [node for node in new if (node.kind, node.key) not in free]
    return old, new


_STACKING = (Aspect.ORDER, "covers")


def _compare_stacking(old: list[Node], new: list[Node], comparison: Comparison) -> None:
    """Leave out of what an object covers all that one side lacks, or that the edit scope lets move or change."""
    if len({node.kind for node in old if node.kind in _FLOATING}) < 2:
        return
    common = {node.address for node in old if node.kind in _FLOATING} & {node.address for node in new if node.kind in _FLOATING}
    held = {node.address for node in old if node.address in common and not {Allow.MOVE, Allow.CHANGE} & comparison.allowed_before(node, frozenset())}
    for nodes in (old, new):
        for at, node in enumerate(nodes):
            covered = node.facts.get(_STACKING) if node.kind in _FLOATING else None
            if not isinstance(covered, list):
                continue
            kept = [address for address in covered if address in held]
            if kept != covered:
                facts = {**node.facts, _STACKING: kept}
                if not kept:
                    del facts[_STACKING]
                nodes[at] = _with_facts(node, facts)


def _with_facts(node: Node, facts: dict[tuple[Aspect, str], Value]) -> Node:
    return Node(
        node.address.rpartition("/")[0],
        node.kind,
        number=node.number,
        facts=facts,
        children=lambda: node.children,
        align=node.align,
        label=node.label,
        depends=node.depends,
    )


def _partner(node: Node, others: Sequence[Node]) -> Node | None:
    same = [other for other in others if other.kind == node.kind]
    areas = _areas(node)
    overlapping = [other for other in same if any(one.intersection(two) is not None for one in areas for two in _areas(other))]
    if overlapping:
        return overlapping[0]
    own = {key: value for key, value in node.facts.items() if key[1] not in ("area", "name")}
    return next((other for other in same if own and own == {key: value for key, value in other.facts.items() if key[1] not in ("area", "name")}), None)


def _areas(node: Node) -> list[Area]:
    """The areas of a node, in the coordinates of the second document."""
    text = next((value for (_, name), value in node.facts.items() if name == "area"), node.name)
    out = []
    for part in str(text or "").split():
        try:
            out.append(parse_area(part))
        except ValueError:
            continue
    return out


def _with_key(node: Node, key: str) -> Node:
    out = copy.copy(node)
    out.key = key
    return out


def _by_key(nodes: Sequence[Node]) -> dict[tuple[str, str], Node]:
    """The first node of each kind and key."""
    return {(node.kind, node.key): node for node in reversed(nodes)}


def _is_free(node: Node | None, tree: SheetTree, comparison: Comparison, allow: Allow) -> bool:
    """Whether the edit scope names every cell of the node's range, or there is no node."""
    if node is None:
        return True
    allowed = comparison.allowed_after if allow is Allow.ADD else comparison.allowed_before
    areas = []
    for part in (node.name or "").split():
        try:
            areas.append(parse_area(part))
        except ValueError:
            return False
    if not areas or sum(area.count for area in areas) > _MOST:
        return False
    return all(allow in allowed(tree.cell_node(row, column), frozenset()) for area in areas for row, column in area.cells())
