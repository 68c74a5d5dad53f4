"""The reward in Prime Intellect's `verifiers` itself: tasks of the current interface, rubrics of the former one."""

from __future__ import annotations

import asyncio
import math
from pathlib import Path
from typing import Any

import pytest

from docops.adapters import prime
from docops.report.reward import NoReward

ROOT = Path(__file__).parents[2]
BUNDLE = ROOT / "bundles" / "xlsx-l1-c4-quarter-total"
FUNCTION = "docops.adapters.prime:docops_reward"


@pytest.fixture
def broken_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    from docops.engine import _Verification

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("the engine broke")

    monkeypatch.setattr(_Verification, "target", broken)


# Without the package


def test_a_rollout_without_names_has_no_number() -> None:
    state: dict[str, Any] = {}
    assert math.isnan(prime.reward_function(BUNDLE)(state=state))
    assert "docops_output" in str(state["error"])


def test_an_open_verdict_has_no_number(broken_engine: None) -> None:
    state: dict[str, Any] = {"docops_output": str(BUNDLE / "reference")}
    assert math.isnan(prime.reward_function(BUNDLE)(state=state))
    assert isinstance(state["error"], NoReward)
    assert state["docops"]["status"] == "error"


# The current interface


def current() -> Any:
    """`verifiers.v1`, where it is there and of the current kind."""
    vf = pytest.importorskip("verifiers.v1")
    if not hasattr(vf, "RewardFunctionConfig"):
        pytest.skip("this release of verifiers has only the former interface")
    return vf


def score_task(folder: Path | None, *, declared: bool = False) -> Any:
    """Score a task whose outputs were handed in in a runtime; what was recorded on the trace."""
    vf = current()
    from verifiers.v1.runtimes import make_runtime
    from verifiers.v1.runtimes.subprocess import SubprocessConfig
    from verifiers.v1.trace import AgentInfo, Trace, TraceTask

    class Data(vf.TaskData):  # type: ignore[misc, unused-ignore, name-defined]
        docops_bundle: str
        docops_output: str

    class Written(vf.Task[Data]):  # type: ignore[misc, unused-ignore, name-defined]
        @vf.reward(weight=2.0)  # type: ignore[untyped-decorator, unused-ignore]
        async def documents(self, trace: Any, runtime: Any) -> float:
            verdict = await prime.grade(self.data.docops_bundle, runtime, self.data.docops_output)
            return float(verdict.score)

    data = Data(prompt="x", docops_bundle=str(BUNDLE), docops_output="out")
    rewards = {} if declared else {"docops": vf.RewardFunctionConfig(fn=FUNCTION, weight=0.5)}
    task = (Written if declared else vf.Task)(data, vf.TaskConfig(rewards=rewards))
    trace = Trace(task=TraceTask(type="Task", data=data), agent=AgentInfo(config=vf.AgentConfig()))

    async def run() -> None:
        runtime = make_runtime(SubprocessConfig(), name=f"docops-test-{trace.id}")
        await runtime.start()
        try:
            for path in folder.iterdir() if folder else ():
                await runtime.write(f"out/{path.name}", path.read_bytes())
            await task.score(trace, runtime)
        finally:
            await runtime.stop()

    asyncio.run(run())
    return trace


def recorded(trace: Any) -> dict[str, tuple[float, float]]:
    return {name: (reward.score, reward.weight) for name, reward in trace.rewards.items()}


def test_reward_by_its_path_and_in_a_method() -> None:
    trace = score_task(BUNDLE / "reference")
    assert recorded(trace) == {"docops": (1.0, 0.5)}
    assert trace.info["docops"]["status"] == "passed"
    assert recorded(score_task(BUNDLE / "reference", declared=True)) == {"documents": (1.0, 2.0)}


def test_wrong_and_missing_outputs_get_zero() -> None:
    assert recorded(score_task(BUNDLE / "outputs" / "typed-in")) == {"docops": (0.0, 0.5)}
    trace = score_task(None)
    assert recorded(trace) == {"docops": (0.0, 0.5)}
    assert trace.info["docops"]["not_passed"][0]["reason_code"] == "artifact_missing"


def test_an_open_verdict_is_an_error_of_the_task(broken_engine: None) -> None:
    current()
    from verifiers.v1.errors import TaskError

    with pytest.raises(TaskError, match="the engine broke"):
        score_task(BUNDLE / "reference")


# The former interface


def rollout(**state: Any) -> Any:
    rubrics = pytest.importorskip("verifiers.rubrics.rubric")
    from verifiers.types import State

    made = State({"prompt": "x", "completion": "y", "answer": "", "info": state.pop("info", {}), **state})
    asyncio.run(rubrics.Rubric(funcs=[prime.reward_function(state.pop("bundle", None))]).score_rollout(made))
    return made


def test_rubric_takes_the_function() -> None:
    info = {"docops_bundle": str(BUNDLE)}
    right = rollout(info=info, docops_output=str(BUNDLE / "reference"))
    assert (right["reward"], right["metrics"]) == (1.0, {"docops": 1.0})
    wrong = rollout(info=info, docops_output=str(BUNDLE / "outputs" / "typed-in"))
    assert wrong["reward"] == 0.0
    assert wrong["docops"]["status"] == "failed"


def test_rubric_gets_no_zero_for_an_open_verdict(broken_engine: None) -> None:
    made = rollout(info={"docops_bundle": str(BUNDLE)}, docops_output=str(BUNDLE / "reference"))
    assert math.isnan(made["reward"])
    assert isinstance(made["error"], NoReward)
