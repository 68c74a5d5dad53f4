"""Bundles as tests of pytest: a right output passes, a wrong one fails with the report, an open verdict is an error."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from docops.bundle import load_bundle
from docops.catalogue import bundle_folders

ROOTS = [root for root in bundle_folders() if root.name in ("pdf-l2-s2-price-list-first", "xlsx-l2-c2-price-update")]


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    installed = any(entry.value == "docops.pytest_plugin" for entry in entry_points(group="pytest11"))
    plugin = [] if installed else ["-p", "docops.pytest_plugin"]
    command = [sys.executable, "-m", "pytest", *plugin, "-p", "no:cacheprovider", "-v", "-c", "/dev/null", "--rootdir", str(folder), *arguments]
    paths = os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": paths, "COLUMNS": "120"})


@pytest.fixture
def world(tmp_path: Path) -> Path:
    for root in ROOTS:
        shutil.copytree(root, tmp_path / "bundles" / root.name)
    right, wrong = (load_bundle(root) for root in ROOTS)
    for bundle, role in ((right, "reference"), (wrong, "source")):
        for artifact in bundle.artifacts:
            path = tmp_path / "out" / bundle.task_id / artifact.output
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(bundle.root / str(getattr(artifact, role)), path)
    return tmp_path


def test_outputs_of_one_agent(world: Path) -> None:
    done = run(world, "--docops", "bundles", "--docops-outputs", "out")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "pdf-l2-s2-price-list-first::trial1 PASSED" in done.stdout
    assert "xlsx-l2-c2-price-update::trial1 FAILED" in done.stdout
    assert "1 failed, 1 passed" in done.stdout
    assert "FAILED  xlsx-l2-c2-price-update" in done.stdout
    assert "Traceback" not in done.stdout


def test_outputs_of_agents_and_a_choice_of_them(world: Path) -> None:
    (world / "out").rename(world / "one")
    (world / "agents" / "empty").mkdir(parents=True)
    (world / "one").rename(world / "agents" / "one")
    done = run(world, "--docops", "bundles", "--docops-outputs", "agents")
    assert "3 failed, 1 passed" in done.stdout, done.stdout
    assert "xlsx-l2-c2-price-update: there is no output" in done.stdout
    done = run(world, "--docops", "bundles", "--docops-outputs", "agents", "-k", "pdf and one")
    assert "1 passed, 3 deselected" in done.stdout


def test_an_open_verdict_is_an_error(world: Path) -> None:
    verifier = world / "bundles" / "pdf-l2-s2-price-list-first" / "verifier.toml"
    (world / "conftest.py").write_text(
        "import docops.engine as engine\n"
        "def broken(self):\n    raise RuntimeError('our fault')\n    yield\n"
        "engine._Verification._no_extra = broken\n",
        encoding="utf-8",
    )
    metadata = verifier.with_name("task_metadata.json")
    metadata.write_text(metadata.read_text("utf-8").replace("{", '{"extra_files": "forbid",', 1), encoding="utf-8")
    done = run(world, "--docops", "bundles/pdf-l2-s2-price-list-first", "--docops-outputs", "out")
    assert "1 error" in done.stdout, done.stdout
    assert "our fault" in done.stdout


def test_without_outputs_bundles_are_tested(world: Path) -> None:
    verifier = world / "bundles" / "pdf-l2-s2-price-list-first" / "verifier.toml"
    verifier.write_text(
        'schema = "docops.verifier/1"\n[[criteria]]\nid = "pages"\npredicate = "pdf.page_count"\nat = "offer.pdf"\nequals = 99\n', encoding="utf-8"
    )
    done = run(world, "--docops", "bundles")
    assert "pdf-l2-s2-price-list-first::sound FAILED" in done.stdout, done.stdout
    assert "xlsx-l2-c2-price-update::sound PASSED" in done.stdout


def test_what_is_wrong_with_bundles_is_said(world: Path) -> None:
    (world / "bundles" / "pdf-l2-s2-price-list-first" / "verifier.toml").write_text("", encoding="utf-8")
    done = run(world, "--docops", "bundles", "--docops-outputs", "out")
    assert done.returncode == 4
    assert "verifier.toml" in done.stderr + done.stdout


def test_without_its_option_it_does_nothing(world: Path) -> None:
    (world / "test_one.py").write_text("def test_one():\n    pass\n", encoding="utf-8")
    assert "1 passed" in run(world).stdout
