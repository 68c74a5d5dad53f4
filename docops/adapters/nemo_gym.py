"""NVIDIA NeMo Gym: `verify` for task folders, and a resources server.

A task folder's `tests/verifier.py` is one line, and its `task_data` say where the bundle is:

    from docops.adapters.nemo_gym import verify

An open verdict raises: the runner then writes no reward and masks the sample, which is not the same as 0.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from docops.adapters.common import named, verdict_on
from docops.report.reward import reward_of


def verify(workspace: str | os.PathLike[str], task_data: Mapping[str, Any]) -> dict[str, float]:
    """The verdict on a workspace: `reward`, and `passed` as 1 or 0.

    task_data: `docops_bundle`, a folder; `docops_output`, a folder below the workspace where the outputs are not in it itself.
    Raises NoReward where an error left the verdict open.
    """
    place = named(task_data, "docops_bundle", None, "task_data")
    verdict = verdict_on(place, Path(workspace) / str(task_data.get("docops_output", "")))
    return {"reward": reward_of(verdict), "passed": float(verdict.passed)}


@cache
def resources_server() -> type:
    """The class of a resources server whose `verify` judges a folder that both it and the agent see.

    Requests carry `docops_bundle` and `docops_output`. It holds no state, so that rollouts can be verified again.
    """
    from nemo_gym.base_resources_server import BaseVerifyRequest, BaseVerifyResponse, SimpleResourcesServer

    class DocumentVerifyRequest(BaseVerifyRequest):  # type: ignore[misc, unused-ignore]
        docops_bundle: str
        docops_output: str

    class DocumentVerifyResponse(BaseVerifyResponse):  # type: ignore[misc, unused-ignore]
        passed: float

    async def judge(self: Any, body: Any) -> Any:
        found = await asyncio.to_thread(verify, body.docops_output, {"docops_bundle": body.docops_bundle})
        return DocumentVerifyResponse(**body.model_dump(), **found)

    judge.__annotations__ = {"body": DocumentVerifyRequest, "return": DocumentVerifyResponse}
    return type("DocumentResourcesServer", (SimpleResourcesServer,), {"verify": judge, "__doc__": resources_server.__doc__})
