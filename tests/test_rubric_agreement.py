"""The rules of `ppteval` and `mind2web2` agree with the package that PPT-Eval scores with, on random trees."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import pytest

from docops.scoring import Child, Score, aggregate_children
from docops.verifier import Aggregate
from tests.support.ai_rubric import ai_rubric

node_module = ai_rubric("rubric.core.node")


class Fixed:
    """A scorer that gives what it was told."""

    def __init__(self, value: float) -> None:
        self.value = value

    def score(self, **context: Any) -> tuple[float, str]:
        return self.value, "told"


def random_tree(draw: random.Random, depth: int) -> tuple[Any, Any]:
    """The same tree twice: as a node of ai-rubric, and as (critical, leaf value or children)."""
    critical = draw.random() < 0.5
    if depth == 0 or draw.random() < 0.3:
        value = draw.choice([0.0, 0.0, 0.25, 0.5, 0.7, 1.0, 1.0, 1.0])
        return node_module.RubricNode("leaf", "a leaf", critical, scorer=Fixed(value)), (critical, value)
    pairs = [random_tree(draw, depth - 1) for _ in range(draw.randint(1, 4))]
    return node_module.RubricNode("parent", "a parent", critical, children=[theirs for theirs, _ in pairs]), (critical, [ours for _, ours in pairs])


def our_score(aggregate: Aggregate, tree: Any, penalty: Fraction) -> Score:
    _, content = tree
    if isinstance(content, float):
        return Score(Fraction(repr(content)), Fraction(repr(content)))
    score = aggregate_children(aggregate, [Child(our_score(aggregate, child, penalty), child[0]) for child in content], penalty)
    assert score is not None
    return score


@pytest.mark.parametrize(("aggregate", "strategy"), [(Aggregate.PPTEVAL, "default"), (Aggregate.MIND2WEB2, "mind2web2")])
@pytest.mark.parametrize("penalty", [0.3, 0.7])
def test_random_trees(aggregate: Aggregate, strategy: str, penalty: float) -> None:
    draw = random.Random(4)  # noqa: S311
    for _ in range(400):
        theirs, ours = random_tree(draw, 3)
        score = our_score(aggregate, ours, Fraction(repr(penalty)))
        expected = theirs.compute_score(non_critical_weight=penalty, compute_strategy=strategy)
        assert score.low == score.high
        assert float(score.low) == pytest.approx(expected, abs=1e-12), ours
