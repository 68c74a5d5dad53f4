"""`docops guard`: undeclared changes of protected documents fail a commit, declared ones pass, others are not looked at."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from docops.catalogue import bundle_folders
from docops.cli import main
from docops.core.canonical import sha256
from docops.core.errors import BundleError
from docops.guarding import pattern, read_config

ROOT = next(root for root in bundle_folders() if root.name == "xlsx-l2-c2-price-update")
BEFORE, AFTER = ROOT / "source" / "price-list.xlsx", ROOT / "reference" / "price-list.xlsx"
CONFIG = 'schema = "docops.guard/1"\n[[protect]]\nfiles = ["prices/**/*.xlsx"]\n'

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def git(folder: Path, *arguments: str) -> None:
    name = ("-c", "user.name=Test", "-c", "user.email=test@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *name, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    git(tmp_path, "init", "-q")
    for path in ("prices/list.xlsx", "drafts/list.xlsx"):
        (tmp_path / path).parent.mkdir()
        shutil.copy(BEFORE, tmp_path / path)
    (tmp_path / "docops-guard.toml").write_text(CONFIG, encoding="utf-8")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "first")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def stage(repository: Path, config: str = CONFIG) -> None:
    (repository / "docops-guard.toml").write_text(config, encoding="utf-8")
    git(repository, "add", "-A")


def declare(body: str) -> str:
    return f'{CONFIG}\n[[declare]]\nfile = "prices/list.xlsx"\nreason = "new prices"\n{body}\n'


def test_an_undeclared_change_fails(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["guard"]) == 0
    shutil.copy(AFTER, repository / "prices" / "list.xlsx")
    assert main(["guard"]) == 0, "only what is staged counts"
    shutil.copy(AFTER, repository / "drafts" / "list.xlsx")
    stage(repository)
    capsys.readouterr()
    assert main(["guard"]) == 1
    out = capsys.readouterr().out
    assert "FAILED  prices/list.xlsx" in out
    assert "drafts" not in out
    assert main(["guard", "drafts/list.xlsx"]) == 0
    capsys.readouterr()
    assert main(["guard", "--format", "json"]) == 1
    data = json.loads(capsys.readouterr().out)
    assert not data["passed"]
    assert all(finding["address"].startswith("prices/list.xlsx#") for finding in data["documents"][0]["findings"])
    assert main(["guard", "--format", "github"]) == 1
    assert capsys.readouterr().out.startswith("::error file=prices/list.xlsx,title=Undeclared change::")


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("", 0),
        (f'base = "{sha256(BEFORE.read_bytes())[:12]}"', 0),
        ('base = "0000"', 1),
        ('places = ["sheet[*]"]', 0),
        ('places = ["sheet[*]/cell[A1]"]', 1),
        ('places = ["slide[1]"]', 3),
    ],
)
def test_a_declared_change_passes(repository: Path, body: str, code: int) -> None:
    shutil.copy(AFTER, repository / "prices" / "list.xlsx")
    stage(repository, declare(body))
    assert main(["guard"]) == code


def test_a_declaration_must_be_part_of_the_commit(repository: Path) -> None:
    shutil.copy(AFTER, repository / "prices" / "list.xlsx")
    stage(repository)
    (repository / "docops-guard.toml").write_text(declare(""), encoding="utf-8")
    assert main(["guard"]) == 1


def test_only_protected_aspects_count(repository: Path) -> None:
    shutil.copy(AFTER, repository / "prices" / "list.xlsx")
    stage(repository, CONFIG + 'aspects = ["code", "theme"]\n')
    assert main(["guard"]) == 0


def _delete(path: Path) -> None:
    path.unlink()


def _damage(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:2000])


def _move(path: Path) -> None:
    path.rename(path.parents[1] / "elsewhere.xlsx")


@pytest.mark.parametrize(("change", "code"), [(_delete, 1), (_damage, 1), (_move, 0)])
def test_deleted_damaged_and_moved(repository: Path, change: Callable[[Path], None], code: int) -> None:
    change(repository / "prices" / "list.xlsx")
    stage(repository)
    assert main(["guard"]) == code


def test_without_its_file_or_repository_it_says_so(
    repository: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(repository, "rm", "-q", "docops-guard.toml")
    assert main(["guard"]) == 2
    monkeypatch.chdir(tmp_path_factory.mktemp("no-repository"))
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", "/")
    assert main(["guard"]) == 2


def test_everything_wrong_with_the_file_comes_together() -> None:
    with pytest.raises(BundleError) as caught:
        read_config('schema = "docops.guard/1"\n[[protect]]\nfiles = []\nprofile = "loose"\n[[declare]]\nfile = "a.xlsx"\n')
    assert {problem.path for problem in caught.value.problems} == {"$.protect[0].files", "$.protect[0].profile", "$.declare[0].reason"}


@pytest.mark.parametrize(
    ("text", "path", "matches"),
    [
        ("*.xlsx", "a.xlsx", True),
        ("*.xlsx", "b/a.xlsx", False),
        ("**/*.xlsx", "a.xlsx", True),
        ("**/*.xlsx", "b/c/a.xlsx", True),
        ("b/**", "b/c/a.xlsx", True),
        ("a?.x", "ab.x", True),
        ("a.x", "abx", False),
    ],
)
def test_patterns(text: str, path: str, matches: bool) -> None:
    assert bool(pattern(text).fullmatch(path)) is matches
