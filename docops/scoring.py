"""From outcomes of criteria to the score and status of groups and of the whole.

A score is an interval: what could not be scored counts with its worst and its best, never as 0. Arithmetic is exact.

| aggregate | score of an inner node, from its children (C the critical, N the other scores) |
|---|---|
| `all` | 1 where every child is 1, else 0 |
| `ppteval` | both kinds of child: max(0, mean(C) - 0.3 (1 - mean(N))); otherwise the mean |
| `mind2web2` | a critical child is 0: 0; all critical are 1: mean(N), or 1 without N; otherwise the mean of all |
| `weighted` | the mean by weight |

Children that are not applicable are left out; a node whose children are all left out is left out itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from docops.core.codes import Outcome
from docops.core.verdict import CriterionResult, GroupResult, Status
from docops.verifier import Aggregate, VerifierSpec

#: Penalty of `ppteval` for what the critical children do not cover.
PENALTY = Fraction(3, 10)


@dataclass(frozen=True, slots=True)
class Score:
    """Bounds of a score, 0 to 1; equal where everything was scored."""

    low: Fraction
    high: Fraction


ZERO, ONE = Fraction(0), Fraction(1)
OPEN = Score(ZERO, ONE)


@dataclass(frozen=True, slots=True)
class Child:
    """A scored child of an inner node."""

    score: Score
    critical: bool = False
    weight: Fraction = ONE


def exact(value: float) -> Fraction:
    """The decimal number that a float prints as (0.7 is 7/10)."""
    return Fraction(repr(value))


def leaf_score(outcome: Outcome, score: float | None) -> Score | None:
    """The score of a criterion; None where it is not applicable and left out."""
    if outcome is Outcome.NOT_APPLICABLE:
        return None
    if outcome is Outcome.ERROR or score is None:
        return OPEN
    value = exact(score)
    return Score(value, value)


def aggregate_children(aggregate: Aggregate, children: Sequence[Child]) -> Score | None:
    """The score of an inner node; None without children."""
    if not children:
        return None
    if aggregate is Aggregate.ALL:
        return Score(
            ONE if all(child.score.low == 1 for child in children) else ZERO,
            ONE if all(child.score.high == 1 for child in children) else ZERO,
        )
    if aggregate is Aggregate.WEIGHTED:
        total = sum((child.weight for child in children), ZERO)
        return Score(
            sum((child.weight * child.score.low for child in children), ZERO) / total,
            sum((child.weight * child.score.high for child in children), ZERO) / total,
        )
    critical = [child.score for child in children if child.critical]
    others = [child.score for child in children if not child.critical]
    if aggregate is Aggregate.PPTEVAL:
        return Score(_penalised([s.low for s in critical], [s.low for s in others]), _penalised([s.high for s in critical], [s.high for s in others]))
    return Score(_mind2web2_low(critical, others), _mind2web2_high(critical, others))


def _mean(values: Sequence[Fraction]) -> Fraction:
    return sum(values, ZERO) / len(values)


def _penalised(critical: Sequence[Fraction], others: Sequence[Fraction]) -> Fraction:
    if critical and others:
        return max(ZERO, _mean(critical) - PENALTY * (1 - _mean(others)))
    return _mean([*critical, *others])


def _mind2web2_low(critical: Sequence[Score], others: Sequence[Score]) -> Fraction:
    """The least value over the box of intervals; the rule is not monotone where the critical children reach 1."""
    if any(score.low == 0 for score in critical):
        return ZERO
    lows = [score.low for score in others]
    candidates = []
    if not critical or any(score.low < 1 for score in critical):
        candidates.append(_mean([*(score.low for score in critical), *lows]))
    if critical and all(score.high == 1 for score in critical):
        candidates.append(_mean(lows) if lows else ONE)
    return min(candidates)


def _mind2web2_high(critical: Sequence[Score], others: Sequence[Score]) -> Fraction:
    """The least upper bound over the box; just below 1 a critical child counts in the mean, at 1 it only opens the gate."""
    if any(score.high == 0 for score in critical):
        return ZERO
    highs = [score.high for score in others]
    candidates = []
    if not critical or any(score.low < 1 for score in critical):
        candidates.append(_mean([*(score.high for score in critical), *highs]))
    if critical and all(score.high == 1 for score in critical):
        candidates.append(_mean(highs) if highs else ONE)
    return max(candidates)


def score_groups(verifier: VerifierSpec, results: Sequence[CriterionResult]) -> tuple[Status, float, tuple[float, float], tuple[GroupResult, ...]]:
    """Status, score and score interval of the whole, and the groups.

    What holds without being asked (`implied` results) counts as critical children of the root. The status is `passed`
    where the low end is 1, `failed` where the high end is below 1 or nothing at all was applicable, and else `error`.
    """
    groups = {group.id: group for group in verifier.groups}
    children: dict[str, list[Child]] = {group_id: [] for group_id in groups}
    children[""] = []
    for result in results:
        score = leaf_score(result.outcome, result.score)
        if score is not None:
            parent = "" if result.implied else _parent(result.id, groups)
            children[parent].append(Child(score, result.critical, exact(result.weight)))
    scores: dict[str, Score | None] = {}
    for group_id in sorted(groups, key=lambda name: (-name.count("."), name)):
        score = scores[group_id] = aggregate_children(verifier.aggregate, children[group_id])
        if score is not None:
            children[_parent(group_id, groups)].append(Child(score, groups[group_id].critical, exact(groups[group_id].weight)))
    total = aggregate_children(verifier.aggregate, children[""])
    group_results = tuple(GroupResult(g.id, g.title, g.critical, *_group_result(scores[g.id])) for g in verifier.groups)
    if total is None:
        return Status.FAILED, 0.0, (0.0, 0.0), group_results
    status = Status.PASSED if total.low == 1 else Status.FAILED if total.high < 1 else Status.ERROR
    return status, float(total.low), (float(total.low), float(total.high)), group_results


def _group_result(score: Score | None) -> tuple[float | None, Outcome]:
    if score is None:
        return None, Outcome.NOT_APPLICABLE
    if score.low != score.high:
        return None, Outcome.ERROR if score.high == 1 else Outcome.FAILED
    return float(score.low), Outcome.PASSED if score.low == 1 else Outcome.FAILED


def _parent(identifier: str, groups: Mapping[str, object]) -> str:
    """The nearest group above a dotted id; "" is the root."""
    parent = identifier.rpartition(".")[0]
    while parent and parent not in groups:
        parent = parent.rpartition(".")[0]
    return parent
