"""The figures of a meta-evaluation on worked examples and at their edges."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docops.meta.figures import Pair, agreement, cohen_kappa, confusion, disagreements, esf, f_score, rank_correlation, rec, sce, sign_test, wilson


def pairs(*scores: tuple[float | None, float | None], weight: float = 1.0) -> list[Pair]:
    return [Pair("t", f"c{index}", expert, evaluator, weight) for index, (expert, evaluator) in enumerate(scores)]


#: Ten checkpoints, three deducted, two of them found, six of seven passed.
WORKED = pairs((0, 0), (0.5, 0), (0, 1), (1, 0), *[(1.0, 1.0)] * 6)


def test_worked_example() -> None:
    assert esf(WORKED) == {
        "deduction_recall": 0.666667,
        "pass_rate": 0.857143,
        "f1": 0.75,
        "f2": pytest.approx(5 * (2 / 3) * (6 / 7) / (4 * 6 / 7 + 2 / 3), abs=1e-6),
    }
    assert sce(WORKED) == 0.25
    assert agreement(WORKED) == {"pairs": 10, "rate": 0.8, "interval": list(wilson(8, 10)), "false_positives": 1, "false_negatives": 1}


def test_weights_count_in_recall_and_pass_rate() -> None:
    heavy = [Pair("t", "a", 0.0, 1.0, 10), Pair("t", "b", 0.0, 0.0, 1), Pair("t", "c", 1.0, 1.0, 3), Pair("t", "d", 1.0, 0.5, 1)]
    found = esf(heavy)
    assert (found["deduction_recall"], found["pass_rate"]) == (round(1 / 11, 6), 0.75)


@pytest.mark.parametrize(
    ("scores", "recall", "rate", "f1"),
    [
        ([], None, None, None),
        ([(1, 1)], None, 1.0, None),
        ([(0, 0)], 1.0, None, None),
        ([(0, 1), (1, 0)], 0.0, 0.0, 0.0),
        ([(None, 1), (1, None)], None, None, None),
    ],
)
def test_edges(scores: list[tuple[float | None, float | None]], recall: float | None, rate: float | None, f1: float | None) -> None:
    found = esf(pairs(*scores))
    assert (found["deduction_recall"], found["pass_rate"], found["f1"]) == (recall, rate, f1)


def test_not_applicable_is_no_score() -> None:
    some = pairs((None, 0), (1, None), (1, 1))
    assert sce(some) == 0.0
    assert agreement(some)["pairs"] == 1
    assert sce(pairs((None, None))) is None
    assert [entry["kind"] for entry in disagreements(some, 9)] == ["n/a on one side"] * 2


def test_wilson() -> None:
    assert wilson(0, 0) == (0.0, 1.0)
    low, high = wilson(8, 10)
    assert (round(low, 3), round(high, 3)) == (0.490, 0.943)


def test_kappa() -> None:
    table = [(1, 1)] * 20 + [(1, 0)] * 5 + [(0, 1)] * 10 + [(0, 0)] * 15
    assert cohen_kappa(table) == 0.4
    assert cohen_kappa([]) is None
    assert cohen_kappa([(1, 1), (1, 1)]) is None


def test_rank_correlations_with_ties() -> None:
    pytest.importorskip("scipy")
    tau, rho = rank_correlation([(1, 1), (2, 2), (3, 3), (3, 4)])
    assert tau == pytest.approx(5 / math.sqrt(6 * 5), abs=1e-6)
    assert rho == pytest.approx(0.948683, abs=1e-6)
    assert rank_correlation([(1, 0), (1, 1)]) == (None, None)


def test_repeated_evaluations() -> None:
    scores = [
        (("t", "a"), "1", 1.0, ""), (("t", "a"), "2", 1.0, ""),
        (("t", "b"), "1", 1.0, "compliance"), (("t", "b"), "2", 0.0, "compliance"),
        (("t", "c"), "1", 0.5, "compliance"), (("t", "c"), "2", 0.0, "compliance"),
        (("t", "d"), "1", 0.5, ""),
    ]  # fmt: skip
    found = rec(scores, [("t", "1", 0.8), ("t", "2", 0.6), ("u", "1", 1.0)])
    assert found == {"runs": 2, "checkpoint_stability": round(1 / 3, 6), "score_std": 0.1, "compliance_flip_rate": 0.5}
    once = rec(scores[:1], [("t", "1", 1.0)])
    assert (once["checkpoint_stability"], once["score_std"], once["compliance_flip_rate"]) == (None, None, None)


def test_confusion_and_disagreements() -> None:
    some = [
        Pair("t", "a", 0.0, 1.0, 1.0, expert_reason="made_up"),
        Pair("t", "b", 1.0, 0.0, 10.0, evaluator_reason="missing"),
        Pair("t", "c", 0.0, 0.0, expert_reason="made_up", evaluator_reason="missing"),
        Pair("t", "d", 0.5, 0.0, 1.0),
    ]
    assert {"expert": "made_up", "evaluator": "held", "count": 1} in confusion(some)
    assert {"expert": "made_up", "evaluator": "missing", "count": 1} in confusion(some)
    assert [(entry["checkpoint_id"], entry["kind"]) for entry in disagreements(some, 2)] == [("b", "false negative"), ("a", "false positive")]


def test_sign_test() -> None:
    assert sign_test(0, 0) == 1.0
    assert sign_test(6, 0) == 0.03125
    assert sign_test(3, 3) == 1.0


@given(st.floats(0, 1), st.floats(0, 1), st.sampled_from([1, 2]))
def test_f_lies_between_its_parts(recall: float, precision: float, beta: int) -> None:
    value = f_score(recall, precision, beta)
    assert value is not None
    assert min(recall, precision) - 1e-9 <= value <= max(recall, precision) + 1e-9
