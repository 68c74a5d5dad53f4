"""The distribution: one top-level name, complete, and at work outside the checkout."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

import docops

ROOT = Path(__file__).parents[1]

pytest.importorskip("hatchling")
pytest.importorskip("build")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the source distribution."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    built = subprocess.run(command, capture_output=True, text=True)
    assert built.returncode == 0, built.stdout + built.stderr
    (path,) = folder.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of a fresh environment with the wheel; the dependencies are lent by this one, so that no network is needed."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=False)
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    installing = subprocess.run(
        [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-deps", "--no-index", str(wheel)],
        capture_output=True,
        text=True,
    )
    assert installing.returncode == 0, installing.stderr
    where = subprocess.run([str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], capture_output=True, text=True, check=True)
    lent = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    Path(where.stdout.strip(), "lent.pth").write_text("\n".join(sorted(lent)))
    return python


def test_wheel_has_one_top_level_name(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.partition("/")[0] for name in names}
    assert tops == {"docops", f"docops_verifier-{docops.__version__}.dist-info"}
    assert "docops/py.typed" in names
    assert any(name.endswith("/licenses/LICENSE") for name in names)


def test_wheel_holds_the_whole_catalogue(wheel: Path) -> None:
    held = {name.removeprefix("docops/_catalogue/") for name in zipfile.ZipFile(wheel).namelist() if name.startswith("docops/_catalogue/")}
    here = {
        path.relative_to(ROOT).as_posix() for folder in ("verifiers", "mutations", "bundles") for path in (ROOT / folder).rglob("*") if path.is_file()
    }
    assert held == here
    assert not any(name.endswith(".py") for name in held)


def test_version_is_written_once_in_each_place() -> None:
    assert tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"] == docops.__version__


def test_installed_package_verifies_a_shipped_bundle(installed: Path, tmp_path: Path) -> None:
    script = """
import docops
from docops.catalogue import bundle_folders
assert "_catalogue" in str(bundle_folders()[0])
for folder in bundle_folders():
    assert docops.verify(folder, folder / "reference").passed, folder
    assert not docops.verify(folder, folder / "source").passed, folder
print(docops.__file__)
"""
    environment = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "PYTHONHOME")}
    run = subprocess.run([str(installed), "-c", script], capture_output=True, text=True, cwd=tmp_path, env=environment)
    assert run.returncode == 0, run.stderr
    assert str(installed.parent.parent) in run.stdout


def test_installed_command_runs(installed: Path, tmp_path: Path) -> None:
    command = installed.with_name("docops.exe" if os.name == "nt" else "docops")
    environment = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "PYTHONHOME")}
    run = subprocess.run([str(command), "demo"], capture_output=True, text=True, cwd=tmp_path, env=environment)
    assert (run.returncode, run.stderr) == (0, "")
    assert "FAILED" in run.stdout
    assert list(tmp_path.iterdir()) == []
