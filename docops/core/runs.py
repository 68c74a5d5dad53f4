"""Runs: stretches of a paragraph's text with one look; how the same text is cut into runs is no state."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from docops.core.node import Node


def runs_apart(nodes: Sequence[Node]) -> tuple[list[Node], list[Node]]:
    """The runs among some siblings, and the others."""
    return [node for node in nodes if node.kind == "run"], [node for node in nodes if node.kind != "run"]


def same_runs(before: Sequence[Node], after: Sequence[Node]) -> bool:
    """Whether the runs on both sides hold the same text, so that only its looks can differ."""
    text = "".join(node.text for node in before if node.kind == "run")
    return bool(text) and text == "".join(node.text for node in after if node.kind == "run")


def stretches(before: Sequence[Node], after: Sequence[Node]) -> Iterator[tuple[Node, Node, str]]:
    """The text that both sides hold, cut wherever either is: the run on each side, and the stretch."""
    i = j = from_old = from_new = 0
    while i < len(before) and j < len(after):
        old, new = before[i].text, after[j].text
        length = min(len(old) - from_old, len(new) - from_new)
        if length:
            yield before[i], after[j], old[from_old : from_old + length]
        from_old, from_new = from_old + length, from_new + length
        if from_old == len(old):
            i, from_old = i + 1, 0
        if from_new == len(new):
            j, from_new = j + 1, 0
