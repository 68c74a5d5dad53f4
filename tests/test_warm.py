"""`docops.Verifier`: the verdicts of `docops.verify`, many of them, from any thread and any process."""

from __future__ import annotations

import pickle
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

import docops
from docops import engine, sides
from docops.bundle import ArtifactSpec, load_bundle
from docops.catalogue import bundle_folders
from docops.core.canonical import digest
from docops.core.document import Document
from docops.core.errors import BundleError
from docops.formats.ooxml import common
from docops.sides import Snapshot

NAMES = ("docx-l1-c2-payment-term", "pack-l4-c4-headcount", "pdf-l2-s2-price-list-first", "pptx-l2-s2-risks-first", "xlsx-l2-c2-price-update")
ROOTS = {root.name: root for root in bundle_folders()}


def outputs_of(root: Path) -> Iterator[dict[str, bytes]]:
    """A right output, the sources, one of them only, one that is damaged, and nothing."""
    bundle = load_bundle(root)
    right = {artifact.output: (root / str(artifact.reference or artifact.source)).read_bytes() for artifact in bundle.artifacts}
    yield right
    yield {artifact.output: (root / str(artifact.source)).read_bytes() for artifact in bundle.artifacts if artifact.source}
    yield dict(list(right.items())[:1])
    yield {name: data[: len(data) // 2] for name, data in right.items()}
    yield {}


def write(folder: Path, files: dict[str, bytes]) -> Path:
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder


@pytest.mark.parametrize("name", NAMES)
def test_verdicts_are_those_of_verify(name: str, tmp_path: Path) -> None:
    verifier = docops.Verifier(ROOTS[name])
    for number, files in enumerate(outputs_of(ROOTS[name])):
        folder = write(tmp_path / str(number), files)
        expected = docops.verify(ROOTS[name], folder).to_json()
        assert verifier(folder).to_json() == expected
        assert verifier.verify(files).to_json() == expected
        # Whatever came before leaves no trace.
        assert docops.Verifier(ROOTS[name])(files).to_json() == expected


def test_files_that_no_artifact_declares_are_listed_and_asked_for(tmp_path: Path) -> None:
    verifier = docops.Verifier(ROOTS[NAMES[0]])
    files = {**next(outputs_of(ROOTS[NAMES[0]])), "notes/extra.txt": b"x"}
    assert verifier(files).extra_files == ("notes/extra.txt",)
    assert verifier(write(tmp_path, files)).to_json() == verifier(files).to_json()


def test_links_out_of_the_folder_read_the_same_from_a_snapshot(tmp_path: Path) -> None:
    name = NAMES[4]
    (output,) = [artifact.output for artifact in load_bundle(ROOTS[name]).artifacts]
    secret = write(tmp_path / "elsewhere", next(outputs_of(ROOTS[name]))) / output
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / output).symlink_to(secret)
    verdict = docops.Verifier(ROOTS[name])(tmp_path / "out")
    assert verdict.to_json() == docops.verify(ROOTS[name], tmp_path / "out").to_json()
    assert not verdict.passed


@pytest.mark.parametrize("name", NAMES)
def test_pickled_it_needs_no_file_of_the_bundle(name: str, tmp_path: Path) -> None:
    shutil.copytree(ROOTS[name], tmp_path / "bundle")
    verifier = docops.Verifier(tmp_path / "bundle")
    sent = pickle.dumps(verifier)
    shutil.rmtree(tmp_path / "bundle")
    arrived = pickle.loads(sent)  # noqa: S301
    assert arrived.digest == verifier.digest
    assert arrived.bundle.verifier == verifier.bundle.verifier
    for files in outputs_of(ROOTS[name]):
        assert arrived(files).to_json() == docops.Verifier(ROOTS[name])(files).to_json()


def test_threads_share_one() -> None:
    verifier = docops.Verifier(ROOTS[NAMES[1]])
    outputs = list(outputs_of(ROOTS[NAMES[1]]))
    expected = [digest(verifier(files).to_dict()) for files in outputs]
    fresh = docops.Verifier(ROOTS[NAMES[1]])
    barrier = threading.Barrier(4)

    def work(start: int) -> list[tuple[int, str]]:
        barrier.wait()
        return [(n % len(outputs), digest(fresh(outputs[n % len(outputs)]).to_dict())) for n in range(start, start + 10)]

    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(work, range(4)):
            assert all(expected[n] == value for n, value in found)
    assert 1 <= len(fresh._idle) <= 4


def test_processes_share_one() -> None:
    verifier = docops.Verifier(ROOTS[NAMES[4]])
    outputs = list(outputs_of(ROOTS[NAMES[4]]))
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        assert [verdict.to_json() for verdict in pool.map(verifier, outputs)] == [verifier(files).to_json() for files in outputs]


def test_sources_are_opened_once(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    inner = sides.opened_source

    def count(artifact: ArtifactSpec, data: bytes) -> Document:
        opened.append(artifact.output)
        return inner(artifact, data)

    monkeypatch.setattr(sides, "opened_source", count)
    verifier = docops.Verifier(ROOTS[NAMES[1]])
    for files in [*outputs_of(ROOTS[NAMES[1]])] * 3:
        verifier(files)
    assert sorted(opened) == sorted({artifact.output for artifact in verifier.bundle.artifacts if artifact.source})


_MEMORY = """
import sys, gc
from pathlib import Path
import docops
root = Path(sys.argv[1])
verifier = docops.Verifier(root)
output = {a.output: (root / (a.reference or a.source)).read_bytes() for a in verifier.bundle.artifacts}
def resident():
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4
def many(count):
    for number in range(count):
        files = {name: data for name, data in output.items()}
        verifier(files if number % 3 else {name: data[: len(data) - number % 7] for name, data in files.items()})
many(60)
before = resident()
many(int(sys.argv[2]))
print(resident() - before)
"""


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is read from /proc")
@pytest.mark.parametrize("name", NAMES)
def test_memory_is_flat(name: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _MEMORY, str(ROOTS[name]), "150"], capture_output=True, text=True, check=True, cwd=Path(__file__).parents[1]
    )
    assert int(done.stdout) < 8 * 1024, "kilobytes more after 150 verdicts"


def test_what_is_kept_of_parts_is_bounded_and_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    files = next(outputs_of(ROOTS[NAMES[0]]))
    monkeypatch.setattr(common, "_contents", {})
    first = docops.Verifier(ROOTS[NAMES[0]])(files).to_json()
    assert len(common._contents) > 1
    assert docops.Verifier(ROOTS[NAMES[0]])(files).to_json() == first
    monkeypatch.setattr(common, "_MAX_CONTENTS", 1)
    monkeypatch.setattr(common, "_contents", {})
    assert docops.Verifier(ROOTS[NAMES[0]])(files).to_json() == first
    assert len(common._contents) == 1


def test_an_invalid_bundle_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(BundleError):
        docops.Verifier(tmp_path)
    shutil.copytree(ROOTS[NAMES[4]], tmp_path / "bundle")
    bundle = load_bundle(tmp_path / "bundle")
    shutil.rmtree(tmp_path / "bundle" / "source")
    with pytest.raises(BundleError):
        docops.Verifier(bundle)


def test_a_snapshot_reads_like_a_folder(tmp_path: Path) -> None:
    verifier = docops.Verifier(ROOTS[NAMES[4]])
    snapshot = verifier.snapshot(tmp_path)
    assert snapshot == Snapshot({}, ())
    assert verifier(snapshot).to_json() == engine.verify_bundle(verifier.bundle, tmp_path).to_json()
