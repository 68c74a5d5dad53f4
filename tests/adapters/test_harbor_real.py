"""Exported tasks in Harbor itself: loaded, linted, and run by its oracle and no-op agents, without a container."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("harbor.lint")

from harbor.lint import lint_task
from harbor.models.task.task import Task
from harbor.models.trial.config import AgentConfig, EnvironmentConfig, TaskConfig, TrialConfig
from harbor.trial.trial import Trial

from docops.adapters.harbor import export_tasks
from docops.core.exchange import ExportOptions

ROOT = Path(__file__).parents[2]
BUNDLES = sorted((ROOT / "bundles").iterdir())


@pytest.fixture(scope="module")
def tasks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tasks")
    export_tasks(BUNDLES, folder, ExportOptions())
    return folder


@pytest.fixture(scope="module")
def image_python(tasks: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of the verifier's image: the wheel of the task, and its requirements.

    `.ci/adapters` installs the pinned ones and names their folder; elsewhere this environment lends its own.
    """
    folder = tmp_path_factory.mktemp("image")
    venv.create(folder, with_pip=False, symlinks=True)
    python = folder / "bin" / "python"
    (wheel,) = (tasks / BUNDLES[0].name / "tests").glob("*.whl")
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-deps", "--no-index", str(wheel)]
    installed = subprocess.run(pip, capture_output=True, text=True)
    assert installed.returncode == 0, installed.stderr
    where = subprocess.run([str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], capture_output=True, text=True, check=True)
    lent = {os.environ.get("DOCOPS_IMAGE_SITE") or path for path in (sysconfig.get_path("purelib"), sysconfig.get_path("platlib"))}
    Path(where.stdout.strip(), "lent.pth").write_text("\n".join(sorted(lent)))
    return python


def trial(task: Path, agent: str, python: Path, folder: Path) -> tuple[Any, Path]:
    """The result of a trial and its folder."""
    os.environ["DOCOPS_TEST_PYTHON"] = str(python)
    config = TrialConfig(
        task=TaskConfig(path=task),
        trials_dir=folder,
        trial_name=agent,
        agent=AgentConfig(name=agent),
        environment=EnvironmentConfig(import_path="tests.support.harbor_local:FolderEnvironment"),
    )

    async def run() -> Any:
        made = await Trial.create(config)
        return await made.run()

    return asyncio.run(run()), folder / agent


@pytest.mark.parametrize("name", [folder.name for folder in BUNDLES])
def test_task_is_valid_and_clean_under_every_rule(tasks: Path, name: str) -> None:
    task = Task(tasks / name)
    assert task.name == f"docops/{name}"
    assert Task.is_valid_dir(tasks / name)
    assert [str(finding) for finding in lint_task(tasks / name)] == []


def test_lint_would_see_a_fault(tasks: Path, tmp_path: Path) -> None:
    import shutil

    shutil.copytree(tasks / BUNDLES[0].name, tmp_path / "task")
    path = tmp_path / "task" / "task.toml"
    path.write_text(path.read_text("utf-8").replace('environment_mode = "separate"', "").replace("[verifier.environment]", "[verifier.surroundings]"))
    assert {finding.rule for finding in lint_task(tmp_path / "task")} >= {"unknown-config-field", "shared-verifier"}


@pytest.mark.parametrize("name", ["pack-l4-c4-headcount", "pdf-l1-s4-order-form", "xlsx-l1-c4-quarter-total"])
def test_oracle_passes(tasks: Path, image_python: Path, tmp_path: Path, name: str) -> None:
    result, folder = trial(tasks / name, "oracle", image_python, tmp_path)
    assert result.exception_info is None
    assert result.verifier_result.rewards == {"reward": 1.0}
    assert result.verifier_environment_mode == "separate"
    written = folder / "verifier"
    assert json.loads((written / "reward-details.json").read_text("utf-8"))["status"] == "passed"
    assert json.loads((written / "ctrf.json").read_text("utf-8"))["results"]["summary"]["failed"] == 0


@pytest.mark.parametrize("name", ["docx-l1-c2-payment-term", "xlsx-l1-c4-quarter-total"])
def test_an_agent_that_does_nothing_fails(tasks: Path, image_python: Path, tmp_path: Path, name: str) -> None:
    result, folder = trial(tasks / name, "nop", image_python, tmp_path)
    assert result.exception_info is None
    assert result.verifier_result.rewards == {"reward": 0.0}
    assert json.loads((folder / "verifier" / "reward-details.json").read_text("utf-8"))["status"] == "failed"


def test_a_verifier_that_cannot_run_is_an_error_and_no_zero(tasks: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    venv.create(empty, with_pip=False, symlinks=True)
    result, _ = trial(tasks / BUNDLES[0].name, "oracle", empty / "bin" / "python", tmp_path / "trials")
    assert result.exception_info.exception_type == "RewardFileNotFoundError"
    assert result.verifier_result is None
