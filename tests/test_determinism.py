"""The same bytes give the same verdict: over interpreters, hash seeds, time zones, locales and working directories."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BUNDLES = ROOT / "bundles"

#: Each shipped bundle with its reference and the first of its damaged outputs, by paths relative to the working directory.
SCRIPT = """
import json, os, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
import docops
bundles = Path(os.path.relpath(Path(sys.argv[1], "bundles")))
for bundle in sorted(path for path in bundles.iterdir() if path.is_dir()):
    expected = json.loads((bundle / "outputs" / "expected.json").read_text("utf-8"))
    damaged = [name for name, case in expected.items() if case["expected"] == "fail"][0]
    for output in ("reference", f"outputs/{damaged}"):
        sys.stdout.buffer.write(docops.verify(bundle, bundle / output).to_json().encode() + b"\\n")
"""

CONDITIONS = {
    "seed 1, Auckland, no locale, root": ({"PYTHONHASHSEED": "1", "TZ": "Pacific/Auckland", "LC_ALL": "C"}, "/"),
    "seed 2, New York, Turkish": ({"PYTHONHASHSEED": "2", "TZ": "America/New_York", "LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8"}, "."),
    "random seed, German, optimised": (
        {"PYTHONHASHSEED": "random", "TZ": "UTC", "LC_ALL": "de_DE.UTF-8", "PYTHONOPTIMIZE": "2", "COLUMNS": "40"},
        "..",
    ),
}


def verdicts(python: str, environment: dict[str, str], folder: str) -> bytes:
    clean = {key: value for key, value in os.environ.items() if key not in ("PYTHONHASHSEED", "TZ", "LC_ALL", "LANG", "PYTHONPATH")}
    command = [python, "-c", SCRIPT, str(ROOT)]
    run = subprocess.run(command, capture_output=True, cwd=(ROOT / folder).resolve(), env={**clean, **environment})
    assert run.returncode == 0, run.stderr.decode()
    return run.stdout


@pytest.fixture(scope="module")
def expected() -> bytes:
    return verdicts(sys.executable, {"PYTHONHASHSEED": "0", "TZ": "UTC", "LC_ALL": "C.UTF-8"}, ".")


@pytest.mark.parametrize("name", list(CONDITIONS))
def test_verdicts_are_the_same_bytes_under(name: str, expected: bytes) -> None:
    environment, folder = CONDITIONS[name]
    assert verdicts(sys.executable, environment, folder) == expected


def other_pythons() -> list[str]:
    """Interpreters of other versions that have the dependencies: those in DOCOPS_PYTHONS, else those on the path."""
    named = [path for path in os.environ.get("DOCOPS_PYTHONS", "").split(os.pathsep) if path]
    found = named or [path for path in map(shutil.which, ("python3.11", "python3.12", "python3.13", "python3.14")) if path]
    needed = "import lxml, msgspec, openpyxl, docx, pptx, pypdf, re2, formulas, ironcalc"
    return [path for path in found if path in named or subprocess.run([path, "-c", needed], capture_output=True).returncode == 0]


def test_verdicts_are_the_same_bytes_on_other_versions_of_python(expected: bytes) -> None:
    pythons = other_pythons()
    if not pythons:
        pytest.skip("no other interpreter has the dependencies")
    for python in pythons:
        assert verdicts(python, {"PYTHONHASHSEED": "3"}, ".") == expected, python


def test_a_verdict_holds_no_folder_of_this_machine(expected: bytes) -> None:
    assert str(ROOT).encode() not in expected
