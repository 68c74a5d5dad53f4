"""The figures of a meta-evaluation: pure functions of pairs of scores."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, pstdev
from typing import Any

_Z = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Pair:
    """One checkpoint as the expert and the evaluator scored it; None is N/A."""

    task_id: str
    checkpoint_id: str
    expert: float | None
    evaluator: float | None
    weight: float = 1.0
    type: str = ""
    split: str = ""
    run: str = ""
    expert_reason: str = ""
    evaluator_reason: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """What the checkpoint is called."""
        return self.task_id, self.checkpoint_id

    @property
    def decided(self) -> bool:
        """Whether both scored it."""
        return self.expert is not None and self.evaluator is not None

    @property
    def gap(self) -> float:
        """How far the scores are apart; 0 where one of them is N/A."""
        return abs(self.expert - self.evaluator) if self.expert is not None and self.evaluator is not None else 0.0


def rounded(value: float | None) -> float | None:
    """A figure as it is reported: six decimals, None where it is not defined."""
    return None if value is None or math.isnan(value) else round(value, 6) + 0.0


def wilson(hits: int, total: int) -> tuple[float, float]:
    """The 95 % Wilson interval of a rate; 0 to 1 where nothing was counted."""
    if total == 0:
        return 0.0, 1.0
    rate = hits / total
    centre = rate + _Z * _Z / (2 * total)
    spread = _Z * math.sqrt(rate * (1 - rate) / total + _Z * _Z / (4 * total * total))
    scale = 1 + _Z * _Z / total
    return round(max(0.0, (centre - spread) / scale), 6), round(min(1.0, (centre + spread) / scale), 6)


def _share(pairs: Iterable[tuple[float, bool]]) -> float | None:
    """The share of weight for which it is true; None without weight."""
    listed = list(pairs)
    total = math.fsum(weight for weight, _ in listed)
    return math.fsum(weight for weight, hit in listed if hit) / total if total else None


def f_score(recall: float | None, precision: float | None, beta: int) -> float | None:
    """(1 + β²)·R·P / (β²·P + R); 0 where both are 0, None where one is not defined."""
    if recall is None or precision is None:
        return None
    bottom = beta * beta * precision + recall
    return (1 + beta * beta) * recall * precision / bottom if bottom else 0.0


def esf(pairs: Sequence[Pair]) -> dict[str, float | None]:
    """Expert score following: weighted recall of deductions, weighted pass rate on full marks, F1 and F2.

    A deduction is a score below 1. N/A on either side leaves the checkpoint out.
    """
    decided = [pair for pair in pairs if pair.decided]
    recall = _share((pair.weight, (pair.evaluator or 0.0) < 1) for pair in decided if (pair.expert or 0.0) < 1)
    rate = _share((pair.weight, pair.evaluator == 1) for pair in decided if pair.expert == 1)
    return {
        "deduction_recall": rounded(recall),
        "pass_rate": rounded(rate),
        "f1": rounded(f_score(recall, rate, 1)),
        "f2": rounded(f_score(recall, rate, 2)),
    }


def sce(pairs: Sequence[Pair]) -> float | None:
    """Score error: the mean absolute difference of scores."""
    gaps = [pair.gap for pair in pairs if pair.decided]
    return rounded(fmean(gaps)) if gaps else None


def agreement(pairs: Sequence[Pair]) -> dict[str, Any]:
    """Held or not: rate with 95 % Wilson interval, false positives (only the evaluator passes it) and false negatives."""
    decided = [pair for pair in pairs if pair.decided]
    same = sum((pair.expert == 1) == (pair.evaluator == 1) for pair in decided)
    return {
        "pairs": len(decided),
        "rate": rounded(same / len(decided)) if decided else None,
        "interval": list(wilson(same, len(decided))),
        "false_positives": sum(pair.expert != 1 and pair.evaluator == 1 for pair in decided),
        "false_negatives": sum(pair.expert == 1 and pair.evaluator != 1 for pair in decided),
    }


def cohen_kappa(pairs: Sequence[tuple[Hashable, Hashable]]) -> float | None:
    """Cohen's kappa of two labelings; None where chance alone agrees always."""
    total = len(pairs)
    if not total:
        return None
    observed = sum(a == b for a, b in pairs) / total
    left, right = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    expected = sum(left[label] * right[label] for label in left) / (total * total)
    return None if expected == 1 else rounded((observed - expected) / (1 - expected))


def rank_correlation(pairs: Sequence[tuple[float, float]]) -> tuple[float | None, float | None]:
    """Kendall's τ_b and Spearman's ρ, by SciPy; None where a side has only one value.

    Raises ImportError where SciPy is not installed (extra `meta`).
    """
    from scipy.stats import kendalltau, spearmanr

    if len({a for a, _ in pairs}) < 2 or len({b for _, b in pairs}) < 2:
        return None, None
    left, right = [a for a, _ in pairs], [b for _, b in pairs]
    return rounded(float(kendalltau(left, right).statistic)), rounded(float(spearmanr(left, right).statistic))


def rec(scores: Sequence[tuple[tuple[str, str], str, float | None, str]], totals: Sequence[tuple[str, str, float]]) -> dict[str, Any]:
    """Repeated evaluations: how far they give the same result.

    scores: (checkpoint, run, score, type).   totals: (task, run, total).
    checkpoint_stability: share of checkpoints seen in several runs whose score is the same in all; score_std: mean over tasks of
    the (population) standard deviation of the totals; compliance_flip_rate: share of compliance checkpoints that pass in some
    runs and not in others.
    """
    runs: dict[tuple[str, str], list[float | None]] = defaultdict(list)
    compliance = set()
    for checkpoint, _, score, kind in scores:
        runs[checkpoint].append(score)
        if kind == "compliance":
            compliance.add(checkpoint)
    repeated = {checkpoint: found for checkpoint, found in runs.items() if len(found) > 1}
    by_task: dict[str, list[float]] = defaultdict(list)
    for task, _, total in totals:
        by_task[task].append(total)
    spreads = [pstdev(found) for found in by_task.values() if len(found) > 1]
    flips = [len({score == 1 for score in found}) > 1 for checkpoint, found in repeated.items() if checkpoint in compliance]
    return {
        "runs": len({run for _, run, _, _ in scores}),
        "checkpoint_stability": rounded(fmean(len(set(found)) == 1 for found in repeated.values())) if repeated else None,
        "score_std": rounded(fmean(spreads)) if spreads else None,
        "compliance_flip_rate": rounded(fmean(flips)) if flips else None,
    }


def confusion(pairs: Sequence[Pair]) -> list[dict[str, Any]]:
    """How often which reason of the expert met which reason of the evaluator; `held` stands for full marks."""

    def label(score: float | None, reason: str) -> str:
        return "n/a" if score is None else "held" if score == 1 else reason or "deducted"

    counts = Counter((label(pair.expert, pair.expert_reason), label(pair.evaluator, pair.evaluator_reason)) for pair in pairs)
    return [{"expert": expert, "evaluator": evaluator, "count": count} for (expert, evaluator), count in sorted(counts.items())]


def disagreements(pairs: Sequence[Pair], limit: int) -> list[dict[str, Any]]:
    """The pairs worth reading: those that differ, the heaviest first."""
    apart = [pair for pair in pairs if pair.gap > 0 or (pair.expert is None) != (pair.evaluator is None)]
    apart.sort(key=lambda pair: (-pair.weight * (pair.gap or 0.5), pair.task_id, pair.checkpoint_id, pair.run))
    return [
        {
            "task_id": pair.task_id,
            "checkpoint_id": pair.checkpoint_id,
            "run": pair.run,
            "expert": pair.expert,
            "evaluator": pair.evaluator,
            "weight": pair.weight,
            "type": pair.type,
            "split": pair.split,
            "expert_reason": pair.expert_reason,
            "evaluator_reason": pair.evaluator_reason,
            "kind": _kind(pair),
        }
        for pair in apart[:limit]
    ]


def _kind(pair: Pair) -> str:
    if not pair.decided:
        return "n/a on one side"
    if pair.expert != 1 and pair.evaluator == 1:
        return "false positive"
    if pair.expert == 1 and pair.evaluator != 1:
        return "false negative"
    return "other score"


def sign_test(better: int, worse: int) -> float:
    """The two-sided exact p value of so many wins and losses where both are equally likely."""
    total = better + worse
    if not total:
        return 1.0
    tail = sum(math.comb(total, k) for k in range(min(better, worse) + 1)) / 2**total
    return round(min(1.0, float(2 * tail)), 6)
