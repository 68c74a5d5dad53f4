"""A run on a local Ray of two workers, one of them killed in its middle, is byte for byte the local run."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from pathlib import Path

import pytest

from docops.core.errors import UsageError
from docops.running.run import run
from docops.running.summary import RunReport
from tests.running.agents import copy_bundles, write_agents

NAMES = ("pdf-l2-s2-price-list-first", "xlsx-l1-c4-quarter-total", "xlsx-l2-c2-price-update")


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("world")
    write_agents(folder / "outputs", copy_bundles(folder / "bundles", NAMES))
    for number in range(2, 5):
        for agent in ("perfect", "no-op"):
            shutil.copytree(folder / "outputs" / agent, folder / "outputs" / f"{agent}-{number}")
    return folder


def test_without_ray_it_says_how_to_get_it(world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(UsageError, match=r"docops-verifier\[ray\]"):
        run(world / "bundles", world / "outputs", engine="ray")


def descendants() -> dict[int, str]:
    """Processes that this one started, and those that they started, with what they are called."""
    parents: dict[int, int] = {}
    names: dict[int, str] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int((entry / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()[1])
                names[int(entry.name)] = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
            except OSError:
                continue

    def ours(pid: int) -> bool:
        while pid in parents and pid > 1:
            pid = parents[pid]
            if pid == os.getpid():
                return True
        return False

    return {pid: name for pid, name in names.items() if ours(pid)}


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="finds the workers through /proc")
def test_ray_run_equals_local_run_with_a_worker_killed(world: Path, tmp_path: Path) -> None:
    ray = pytest.importorskip("ray")
    run(world / "bundles", world / "outputs", jobs=1, out=tmp_path / "local")
    killed: list[int] = []

    def kill_one(done: int, total: int, task: str) -> None:
        workers = [pid for pid, name in sorted(descendants().items()) if name.startswith("ray::verify_remote")]
        if not killed and done >= 3 and workers:
            os.kill(workers[0], signal.SIGKILL)
            killed.append(workers[0])

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        found: RunReport = run(world / "bundles", world / "outputs", engine="ray", out=tmp_path / "ray", progress=kill_one)
    finally:
        ray.shutdown()
    assert killed
    assert not found.errors
    for path in (tmp_path / "local").iterdir():
        assert (tmp_path / "ray" / path.name).read_bytes() == path.read_bytes()
    assert {path.name for path in (tmp_path / "local").iterdir()} == {path.name for path in (tmp_path / "ray").iterdir()}
