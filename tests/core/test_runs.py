"""Looks of the same text: compared by stretches, whatever either side is cut into."""

from __future__ import annotations

from docops.core.address import parse_address
from docops.core.codes import Aspect
from docops.core.compare import ALLOW_ALL, Comparison, Scope, compare_trees
from docops.core.node import Align, Node, Value, resolve, root_node

Run = tuple[str, dict[str, Value]]


def paragraph(*runs: Run) -> Node:
    def children() -> list[Node]:
        body = Node(None, "body", align=Align.KEY)
        text = "".join(text for text, _ in runs)
        node = Node(body, "paragraph", number=1, facts={(Aspect.TEXT, "text"): text})
        inner = [
            Node(node, "run", number=n, label=text, facts={(Aspect.FORMAT, "text"): text, **{(Aspect.FORMAT, name): value for name, value in look.items()}})
            for n, (text, look) in enumerate(runs, 1)
        ]
        node._children = inner
        return [Node(None, "body", align=Align.KEY, children=[node])]

    return root_node(children)


def found(before: Node, after: Node, before_scope: Scope | None = None, after_scope: Scope | None = None) -> list[tuple[str, str, Value, Value, str]]:
    comparison = Comparison(before_scope=before_scope or {}, after_scope=after_scope or {})
    return [(change.address, change.name, change.before, change.after, change.excerpt) for change in compare_trees(before, after, comparison)]


PLAIN = paragraph(("Revenue rose to 1,234 units.", {}))
BOLD = paragraph(("Revenue rose to ", {}), ("1,234", {"bold": True}), (" units.", {}))


def test_a_number_that_is_no_longer_bold() -> None:
    assert found(BOLD, PLAIN) == [("body/paragraph[1]/run[2]", "bold", True, False, "1,234")]


def test_a_number_that_became_bold() -> None:
    assert found(PLAIN, BOLD) == [("body/paragraph[1]/run[1]", "bold", False, True, "1,234")]


def test_only_the_stretch_that_differs_is_told() -> None:
    whole = paragraph(("Revenue rose", {"bold": True}), (" to 1,234 units.", {"size": "14 pt"}))
    assert found(BOLD, whole) == [
        ("body/paragraph[1]/run[1]", "bold", False, True, "Revenue rose"),
        ("body/paragraph[1]/run[1]", "size", None, "14 pt", " to "),
        ("body/paragraph[1]/run[2]", "bold", True, False, "1,234"),
        ("body/paragraph[1]/run[2]", "size", None, "14 pt", "1,234"),
        ("body/paragraph[1]/run[3]", "size", None, "14 pt", " units."),
    ]


def test_runs_in_scope_of_either_side_may_look_different() -> None:
    run = {"body/paragraph[1]/run[2]": ALLOW_ALL}
    assert found(BOLD, PLAIN, run) == []
    assert found(PLAIN, BOLD, {}, run) == []
    assert [one[0] for one in found(PLAIN, BOLD, {}, {"body/paragraph[1]/run[1]": ALLOW_ALL})] == ["body/paragraph[1]/run[1]"]
    assert resolve(BOLD, parse_address("body/paragraph[1]/run[2]").segments)
