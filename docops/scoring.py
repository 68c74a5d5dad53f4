"""From outcomes of criteria to the score and status of groups and of the whole."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from docops.core.codes import Outcome
from docops.core.verdict import CriterionResult, GroupResult, Status
from docops.verifier import VerifierSpec

Interval = tuple[float, float]


def score_groups(verifier: VerifierSpec, results: Sequence[CriterionResult]) -> tuple[Status, float, Interval, tuple[GroupResult, ...]]:
    """Status, score and score interval of the whole, and the groups, by the aggregate `all`.

    `all` is binary: 1.0 where nothing failed and nothing is open, 0.0 where something failed; where an error leaves it
    open, the interval is [0, 1] and the score its low end. What is not applicable is left out; where nothing at all was
    applicable, nothing passed.
    """
    groups = tuple(
        GroupResult(group.id, group.title, group.critical, *_group([r for r in results if r.id.startswith(f"{group.id}.")]))
        for group in verifier.groups
    )
    outcome = _all(result.outcome for result in results)
    if outcome is Outcome.FAILED or outcome is Outcome.NOT_APPLICABLE:
        return Status.FAILED, 0.0, (0.0, 0.0), groups
    if outcome is Outcome.ERROR:
        return Status.ERROR, 0.0, (0.0, 1.0), groups
    return Status.PASSED, 1.0, (1.0, 1.0), groups


def _group(results: Sequence[CriterionResult]) -> tuple[float | None, Outcome]:
    outcome = _all(result.outcome for result in results)
    return {Outcome.PASSED: 1.0, Outcome.FAILED: 0.0}.get(outcome), outcome


def _all(outcomes: Iterable[Outcome]) -> Outcome:
    """The outcome of a conjunction: a failure decides it, an error leaves it open, what is not applicable is left out."""
    found = set(outcomes)
    for outcome in (Outcome.FAILED, Outcome.ERROR, Outcome.PASSED):
        if outcome in found:
            return outcome
    return Outcome.NOT_APPLICABLE
