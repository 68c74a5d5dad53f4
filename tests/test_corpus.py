"""Real and hostile files: read without a traceback, equal to themselves, covered to the last part, within limits."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

import docops
from docops.core.errors import Unreadable
from docops.registry import format_name_of
from tests.support.expectations import SHARED

ROOT = Path(__file__).parents[1]
CORPUS = SHARED / "corpus"
FILES = sorted(path for path in CORPUS.rglob("*") if path.is_file() and format_name_of(path.name)) if CORPUS.is_dir() else []
HOSTILE = [path for path in FILES if path.parent.name == "hostile"]
REAL = [path for path in FILES if path.parent.name != "hostile"]
#: A shipped bundle of each format, whose output a hostile file takes the place of.
BUNDLES = {"xlsx": "xlsx-l1-c4-quarter-total", "docx": "docx-l1-c2-payment-term", "pptx": "pptx-l1-c2-goal-year", "pdf": "pdf-l1-s4-order-form"}
SECONDS, MEGABYTES = 20, 1024

#: Verify in a process of its own and tell its peak memory.
SCRIPT = """
import resource, sys, docops
verdict = docops.verify(sys.argv[1], sys.argv[2])
print(verdict.status, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""

pytestmark = pytest.mark.skipif(not FILES, reason="no corpus beside this checkout")


@pytest.mark.parametrize("path", HOSTILE, ids=[path.name for path in HOSTILE])
def test_hostile_output_fails_within_limits(path: Path, tmp_path: Path) -> None:
    bundle = ROOT / "bundles" / BUNDLES[format_name_of(path.name)]
    (reference,) = (bundle / "reference").iterdir()
    shutil.copyfile(path, tmp_path / reference.name)
    started = time.monotonic()
    run = subprocess.run([sys.executable, "-c", SCRIPT, str(bundle), str(tmp_path)], capture_output=True, text=True, cwd=ROOT, timeout=5 * SECONDS)
    assert run.returncode == 0, run.stderr
    status, megabytes = run.stdout.split()
    assert status == "failed"
    assert time.monotonic() - started < SECONDS
    assert int(megabytes) < MEGABYTES


@pytest.mark.parametrize("path", REAL, ids=[str(path.relative_to(CORPUS)) for path in REAL])
def test_real_file_is_read_and_equals_itself(path: Path) -> None:
    before = path.read_bytes()
    try:
        assert docops.diff(path, path).equal
        document = docops.open_document(path)
        facts, spans = document.facts(), document.spans()
    except Unreadable as error:
        pytest.skip(f"not read: {error}")
    assert facts
    addresses = {key.address for key in facts}
    for address in sorted(addresses)[:: max(1, len(addresses) // 40)]:
        assert address in {node.address for node in document.find(address)}, address
    for span in spans[:: max(1, len(spans) // 40)]:
        assert document.find(span.address), span
    assert path.read_bytes() == before


@pytest.mark.parametrize("path", REAL, ids=[str(path.relative_to(CORPUS)) for path in REAL])
def test_coverage_counts_every_part(path: Path) -> None:
    try:
        document = docops.open_document(path)
    except Unreadable as error:
        pytest.skip(f"not read: {error}")
    rows = document.coverage()
    assert rows
    assert len({row.part for row in rows}) == len(rows)
    if document.format != "pdf":
        import zipfile

        names = {info.filename for info in zipfile.ZipFile(path).infolist() if not info.is_dir()}
        assert {row.part.lstrip("/") for row in rows} == {name.lstrip("/") for name in names}
