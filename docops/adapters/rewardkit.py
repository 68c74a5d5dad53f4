"""harbor-rewardkit: criteria `docops_verdict` and `docops_criterion` for the files of a folder of tests.

    import rewardkit as rk
    from docops.adapters.rewardkit import register

    register()
    rk.docops_verdict("/tests/bundle", weight=2.0)
    rk.docops_criterion("total.format", "/tests/bundle")

An open verdict raises: rewardkit then writes no reward.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from docops.adapters.common import explanation, verdict_on
from docops.core.codes import Outcome
from docops.core.errors import UsageError
from docops.report.reward import NoReward, reward_of


def register() -> None:
    """Make the two criteria known to rewardkit; none of them is asked until a test calls it."""
    from rewardkit import criterion

    criterion(docops_verdict, description="verdict of {bundle}", shared=True)
    criterion(docops_criterion, description="{criterion} of {bundle}", shared=True)


def docops_verdict(workspace: Path, bundle: str, output: str = "") -> dict[str, Any]:
    """The verdict's score, and why.

    bundle: folder of the bundle.   output: folder of the outputs below the workspace.
    Raises NoReward where an error left the verdict open.
    """
    verdict = verdict_on(bundle, Path(workspace) / output)
    return {"score": reward_of(verdict), "reasoning": explanation(verdict)}


def docops_criterion(workspace: Path, criterion: str, bundle: str, output: str = "") -> dict[str, Any]:
    """1 where a criterion of the bundle passed, else 0; one that is not applicable has not passed.

    criterion: id of one in the verdict, implied ones (`preserved:…`) included.   bundle, output: as for `docops_verdict`.
    Raises NoReward where it could not be decided, UsageError where there is none of that id.
    """
    verdict = verdict_on(bundle, Path(workspace) / output)
    for found in verdict.criteria:
        if found.id == criterion:
            if found.outcome is Outcome.ERROR:
                raise NoReward(f"{criterion} could not be decided: {found.message}")
            return {"score": found.score or 0.0, "reasoning": f"{found.outcome}: {found.message or found.title or found.id}"}
    raise UsageError(f"{verdict.task_id} has no criterion {criterion!r}; it has {', '.join(found.id for found in verdict.criteria)}")
