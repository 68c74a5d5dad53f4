"""Prime Intellect's `verifiers`: a reward for tasks of the current interface, and a function for rubrics of the former one.

The current interface takes the reward by its path, and the task's data say where bundle and outputs are:

    rewards = {docops = {fn = "docops.adapters.prime:docops_reward"}}

or a task calls `await grade(bundle, runtime, folder)` in a method of its own. A verdict that is open raises, and the trace holds
a `TaskError` and no reward.

A rubric of the former interface turns whatever a function raises into 0.0. So `reward_function` gives NaN there, which no mean
hides, and puts the error into the rollout's state:

    Rubric(funcs=[reward_function("bundles/total")])
"""

from __future__ import annotations

import math
from collections.abc import Callable, MutableMapping
from typing import Any

from docops.adapters.common import LIST_FILES, AnyBundle, evidence, load, named, verdict_on, verdict_on_sandbox
from docops.core.limits import DEFAULT_LIMITS
from docops.core.verdict import Verdict
from docops.report.reward import reward_of


async def docops_reward(task: Any, trace: Any, runtime: Any) -> float:
    """The verdict's score on the outputs in a task's runtime.

    task: data with the fields `docops_bundle` (a folder on this side) and `docops_output` (a folder in the runtime).
    Raises NoReward where an error left the verdict open. What was found is in `trace.info["docops"]`.
    """
    fields = {**vars(task), **(getattr(task, "model_extra", None) or {})}
    place = named(fields, "docops_bundle", None, "the task")
    folder = named(fields, "docops_output", None, "the task")
    verdict = await grade(place, runtime, folder)
    trace.info["docops"] = evidence(verdict)
    return reward_of(verdict)


async def grade(bundle: AnyBundle, runtime: Any, folder: str) -> Verdict:
    """The verdict on a folder of a runtime.

    Raises RuntimeError where its files cannot be listed.
    """
    listed = await runtime.run([*LIST_FILES, folder], {})
    if listed.exit_code != 0:
        raise RuntimeError(f"the files of {folder} cannot be listed: {listed.stderr.strip()[-500:]}")

    async def read(name: str) -> bytes:
        data: bytes = await runtime.read(f"{folder.rstrip('/')}/{name}", max_bytes=DEFAULT_LIMITS.file_bytes)
        return data

    return await verdict_on_sandbox(bundle, listed.stdout, read)


def reward_function(bundle: AnyBundle | None = None, output: str | None = None) -> Callable[..., float]:
    """A reward function for `Rubric(funcs=[…])`.

    bundle: the bundle, default `docops_bundle` in the rollout's `info`.
    output: folder of the outputs, default `docops_output` in the rollout's state, or else in its `info`.
    """
    loaded = None if bundle is None else load(bundle)

    def docops(state: MutableMapping[str, Any], info: Any = None) -> float:
        """The verdict's score; NaN, with the error in the state, where there is none."""
        try:
            given = info if isinstance(info, dict) else {}
            place = named(given, "docops_bundle", loaded, "the rollout's info")
            folder = named({**given, **state}, "docops_output", output, "the rollout")
            verdict = verdict_on(place, folder)
            state["docops"] = evidence(verdict)
            return reward_of(verdict)
        except Exception as error:
            state["error"] = error
            return math.nan

    return docops
