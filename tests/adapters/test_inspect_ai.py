"""The Inspect AI scorer in Inspect AI itself, with its mock model and its local sandbox."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("inspect_ai")

from inspect_ai import Task
from inspect_ai import eval as evaluate
from inspect_ai.dataset import Sample
from inspect_ai.solver import Generate, TaskState, solver
from inspect_ai.util import sandbox

from docops.adapters.inspect_ai import docops_scorer

ROOT = Path(__file__).parents[2]
BUNDLE = ROOT / "bundles" / "xlsx-l1-c4-quarter-total"


@solver  # type: ignore[untyped-decorator, unused-ignore]
def hand_in(folder: str) -> Any:
    """Write the files of a folder into the sample's sandbox."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        for path in Path(folder).iterdir() if folder else ():
            await sandbox().write_file(f"out/{path.name}", path.read_bytes())
        return state

    return solve


def scored(folder: Path | None, tmp_path: Path, *, bundle: str = str(BUNDLE), metadata: dict[str, Any] | None = None) -> tuple[Any, Any]:
    """The sample's score and the results of an evaluation of one sample."""
    given = metadata is None
    task = Task(
        dataset=[Sample(input="x", metadata=metadata or {})],
        solver=hand_in(str(folder or "")),
        scorer=docops_scorer(bundle, "out") if given else docops_scorer(),
        sandbox="local",
    )
    (log,) = evaluate(task, model="mockllm/model", log_dir=str(tmp_path), display="none")
    assert log.status == "success", log.error
    assert log.samples
    assert log.samples[0].error is None
    return log.samples[0].scores["docops_scorer"], log.results


def test_a_right_output_scores_one(tmp_path: Path) -> None:
    score, results = scored(BUNDLE / "reference", tmp_path)
    assert score.value == 1.0
    assert score.metadata["status"] == "passed"
    assert results.scores[0].metrics["mean"].value == 1.0


def test_wrong_and_missing_outputs_score_zero_with_reasons(tmp_path: Path) -> None:
    score, _ = scored(BUNDLE / "outputs" / "typed-in", tmp_path)
    assert score.value == 0.0
    assert "total.live" in score.explanation
    score, _ = scored(None, tmp_path)
    assert score.value == 0.0
    assert "artifact_missing" in score.explanation


def test_bundle_and_folder_may_come_from_the_sample(tmp_path: Path) -> None:
    score, _ = scored(BUNDLE / "reference", tmp_path, metadata={"docops_bundle": str(BUNDLE), "docops_output": "out"})
    assert score.value == 1.0


def test_what_could_not_be_verified_is_unscored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    score, results = scored(BUNDLE / "reference", tmp_path, bundle=str(tmp_path / "no-bundle"))
    assert math.isnan(score.value)
    assert "BundleError" in score.explanation
    assert (results.scores[0].scored_samples, results.scores[0].unscored_samples) == (0, 1)

    from docops.engine import _Verification

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("the engine broke")

    monkeypatch.setattr(_Verification, "target", broken)
    score, _ = scored(BUNDLE / "reference", tmp_path)
    assert math.isnan(score.value)
    assert score.reason == "scoring_failed"
    assert score.metadata["status"] == "error"
