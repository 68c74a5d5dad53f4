"""`verify` of task folders, and the resources server in NeMo Gym itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from docops.adapters.nemo_gym import resources_server, verify
from docops.core.errors import UsageError
from docops.report.reward import NoReward

ROOT = Path(__file__).parents[2]
BUNDLE = ROOT / "bundles" / "xlsx-l1-c4-quarter-total"


@pytest.fixture
def broken_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    from docops.engine import _Verification

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("the engine broke")

    monkeypatch.setattr(_Verification, "target", broken)


def test_verify_takes_a_workspace_and_the_tasks_data() -> None:
    assert verify(BUNDLE / "reference", {"docops_bundle": str(BUNDLE)}) == {"reward": 1.0, "passed": 1.0}
    assert verify(BUNDLE, {"docops_bundle": str(BUNDLE), "docops_output": "outputs/typed-in"}) == {"reward": 0.0, "passed": 0.0}
    with pytest.raises(UsageError, match="docops_bundle"):
        verify(BUNDLE, {})


def test_an_open_verdict_raises(broken_engine: None) -> None:
    with pytest.raises(NoReward):
        verify(BUNDLE / "reference", {"docops_bundle": str(BUNDLE)})


def answer(folder: Path) -> Any:
    """The server's response to a request to verify."""
    pytest.importorskip("nemo_gym.base_resources_server")
    from fastapi.testclient import TestClient
    from nemo_gym.base_resources_server import BaseResourcesServerConfig
    from nemo_gym.server_utils import ServerClient

    server = resources_server()(
        config=BaseResourcesServerConfig(host="127.0.0.1", port=0, entrypoint="app.py", name="documents"),
        server_client=ServerClient.model_construct(),
    )
    response = {"id": "r", "created_at": 0, "model": "m", "object": "response", "output": [], "parallel_tool_calls": False}
    body = {
        "responses_create_params": {"input": "x"},
        "response": {**response, "tool_choice": "auto", "tools": []},
        "docops_bundle": str(BUNDLE),
        "docops_output": str(folder),
    }
    return TestClient(server.setup_webserver(), raise_server_exceptions=False).post("/verify", json=body)


def test_the_server_answers_with_the_score() -> None:
    right = answer(BUNDLE / "reference")
    assert right.status_code == 200
    assert (right.json()["reward"], right.json()["passed"]) == (1.0, 1.0)
    assert answer(BUNDLE / "outputs" / "typed-in").json()["reward"] == 0.0


def test_the_server_has_no_reward_for_an_open_verdict(broken_engine: None) -> None:
    response = answer(BUNDLE / "reference")
    assert response.status_code == 500
