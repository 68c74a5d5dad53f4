from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docops.core.codes import Outcome
from docops.scoring import OPEN, Child, Score, aggregate_children, leaf_score
from docops.verifier import Aggregate


def point(value: float, *, critical: bool = False, weight: int = 1) -> Child:
    number = Fraction(repr(value))
    return Child(Score(number, number), critical, Fraction(weight))


def inner(aggregate: Aggregate, children: list[Child], *, critical: bool) -> Child:
    score = aggregate_children(aggregate, children)
    assert score is not None
    return Child(score, critical)


def total(aggregate: Aggregate, children: list[Child]) -> float:
    score = aggregate_children(aggregate, children)
    assert score is not None
    assert score.low == score.high
    return float(score.low)


FLAT = [point(1.0, critical=True), point(0.5, critical=True), point(0.0), point(1.0)]


@pytest.mark.parametrize(
    ("aggregate", "expected"), [(Aggregate.PPTEVAL, 0.6), (Aggregate.MIND2WEB2, 0.625), (Aggregate.ALL, 0.0), (Aggregate.WEIGHTED, 0.625)]
)
def test_one_level(aggregate: Aggregate, expected: float) -> None:
    assert total(aggregate, FLAT) == expected


@pytest.mark.parametrize(("aggregate", "expected"), [(Aggregate.PPTEVAL, 0.7), (Aggregate.MIND2WEB2, float(Fraction(22, 30)))])
def test_two_levels(aggregate: Aggregate, expected: float) -> None:
    tree = [
        inner(aggregate, [point(1.0), point(1.0)], critical=True),
        inner(aggregate, [point(0.7)], critical=True),
        inner(aggregate, [point(1.0), point(0.0)], critical=False),
    ]
    assert total(aggregate, tree) == expected


@pytest.mark.parametrize(
    ("children", "ppteval", "mind2web2"),
    [
        ([point(1.0, critical=True), point(0.0, critical=True)], 0.5, 0.0),
        ([point(1.0), point(0.0)], 0.5, 0.5),
        ([point(1.0, critical=True), point(0.0)], 0.7, 0.0),
        ([point(0.5, critical=True), point(1.0)], 0.5, 0.75),
        ([point(0.2, critical=True), point(0.0)], 0.0, 0.1),
        ([point(0.0, critical=True), point(1.0, critical=True), point(1.0)], 0.5, 0.0),
    ],
)
def test_edge_cases(children: list[Child], ppteval: float, mind2web2: float) -> None:
    assert total(Aggregate.PPTEVAL, children) == ppteval
    assert total(Aggregate.MIND2WEB2, children) == mind2web2


def test_what_is_open_spans_worst_and_best() -> None:
    children = [Child(OPEN, critical=True), point(0.0)]
    assert aggregate_children(Aggregate.MIND2WEB2, children) == Score(Fraction(0), Fraction(1, 2))
    assert aggregate_children(Aggregate.PPTEVAL, children) == Score(Fraction(0), Fraction(7, 10))
    assert aggregate_children(Aggregate.ALL, [Child(OPEN), point(1.0)]) == OPEN
    assert aggregate_children(Aggregate.ALL, [Child(OPEN), point(0.0)]) == Score(Fraction(0), Fraction(0))


def test_weights() -> None:
    assert total(Aggregate.WEIGHTED, [point(1.0, weight=3), point(0.0, weight=1)]) == 0.75


def test_error_is_never_zero_and_not_applicable_is_left_out() -> None:
    assert leaf_score(Outcome.ERROR, None) == OPEN
    assert leaf_score(Outcome.NOT_APPLICABLE, None) is None
    assert aggregate_children(Aggregate.WEIGHTED, []) is None


intervals = st.tuples(st.integers(0, 4), st.integers(0, 4)).map(lambda pair: Score(Fraction(min(pair), 4), Fraction(max(pair), 4)))


@given(st.lists(st.builds(Child, intervals, st.booleans()), min_size=1, max_size=4), st.sampled_from(Aggregate), st.data())
def test_every_scoring_of_what_is_open_lies_in_the_interval(children: list[Child], aggregate: Aggregate, data: st.DataObject) -> None:
    bounds = aggregate_children(aggregate, children)
    assert bounds is not None
    chosen = []
    for child in children:
        share = data.draw(st.sampled_from([Fraction(0), Fraction(1, 3), Fraction(999, 1000), Fraction(1)]))
        value = child.score.low + share * (child.score.high - child.score.low)
        chosen.append(Child(Score(value, value), child.critical, child.weight))
    score = aggregate_children(aggregate, chosen)
    assert score is not None
    assert bounds.low <= score.low <= bounds.high
