"""The OpenEnv rubric in an environment of OpenEnv itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("openenv.core.rubrics")

from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State

from docops.adapters.openenv import document_rubric
from docops.core.errors import UsageError
from docops.report.reward import NoReward

ROOT = Path(__file__).parents[2]
BUNDLE = ROOT / "bundles" / "xlsx-l1-c4-quarter-total"


class HandIn(Action):  # type: ignore[misc, unused-ignore]
    folder: str


class Desk(Environment):  # type: ignore[misc, unused-ignore]
    """Takes a folder and judges it."""

    def reset(self, *_: Any, **__: Any) -> Observation:
        return Observation()

    def step(self, action: Any, *_: Any, **__: Any) -> Observation:
        observation = Observation(done=True, metadata={"docops_output": action.folder})
        observation.reward = self._apply_rubric(action, observation)
        return observation

    @property
    def state(self) -> State:
        return State()


def test_the_reward_is_the_score_and_the_evidence_is_in_the_metadata() -> None:
    desk = Desk(rubric=document_rubric(BUNDLE))
    right = desk.step(HandIn(folder=str(BUNDLE / "reference")))
    assert right.reward == desk.rubric.last_score == 1.0
    assert right.metadata["docops"]["status"] == "passed"
    wrong = desk.step(HandIn(folder=str(BUNDLE / "outputs" / "typed-in")))
    assert wrong.reward == 0.0
    assert any(item["id"].startswith("total.live") for item in wrong.metadata["docops"]["not_passed"])
    Observation.model_validate(wrong.model_dump())


def test_an_open_verdict_and_missing_names_raise(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="docops_output"):
        document_rubric(BUNDLE)(None, Observation())
    from docops.engine import _Verification

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("the engine broke")

    monkeypatch.setattr(_Verification, "target", broken)
    with pytest.raises(NoReward, match="the engine broke"):
        Desk(rubric=document_rubric(BUNDLE)).step(HandIn(folder=str(BUNDLE / "reference")))
