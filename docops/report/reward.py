"""Verdicts as the one-number file that training environments read."""

from __future__ import annotations

from docops.core.canonical import canonical_json
from docops.core.errors import DocopsError
from docops.core.verdict import Status, Verdict


class NoReward(DocopsError):
    """An error left the verdict open: there is no honest number, and 0 would blame the output."""


def reward_of(verdict: Verdict) -> float:
    """The score.

    Raises NoReward where an error left the verdict open.
    """
    if verdict.status is Status.ERROR:
        reasons = [f"{criterion.id}: {criterion.message}" for criterion in verdict.criteria if criterion.outcome == "error"]
        raise NoReward(f"no reward, since the verdict is open: {'; '.join(reasons)}")
    return verdict.score


def verdict_reward(verdict: Verdict) -> str:
    """`{"reward": score}`.

    Raises NoReward where an error left the verdict open.
    """
    return canonical_json({"reward": reward_of(verdict)}).decode() + "\n"
