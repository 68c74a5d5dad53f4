"""Harbor: bundles as tasks and tasks as bundles; what needs nothing of Harbor itself."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

import pytest

import docops
from docops import cli
from docops.adapters.grade import main as grade
from docops.adapters.harbor import export_tasks, import_task
from docops.adapters.wheel import make_wheel
from docops.core.errors import BundleError, UsageError
from docops.core.exchange import ExportOptions
from docops.lint import lint_bundle

ROOT = Path(__file__).parents[2]
BUNDLE = ROOT / "bundles" / "pack-l4-c4-headcount"
TASK = BUNDLE.name


def tree(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    """A bundle with a skill."""
    folder = tmp_path / "bundle"
    for name, data in tree(BUNDLE).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    (folder / "skills" / "sums").mkdir(parents=True)
    (folder / "skills" / "sums" / "SKILL.md").write_text("Use SUM.\n")
    return folder


def test_the_task_is_complete(bundle: Path, tmp_path: Path) -> None:
    export_tasks([bundle], tmp_path / "out", ExportOptions())
    files = tree(tmp_path / "out" / TASK)
    wheel = next(name for name in files if name.endswith(".whl"))
    config = tomllib.loads(files["task.toml"].decode())
    assert config["task"]["name"] == f"docops/{TASK}"
    assert config["verifier"]["environment_mode"] == "separate"
    assert config["verifier"]["environment"]["network_mode"] == config["environment"]["network_mode"] == "no-network"
    assert config["environment"]["skills_dir"] == "/skills"
    assert config["artifacts"] == ["/app/documents"]
    assert config["metadata"]["docops"]["bundle_digest"] == docops.load_bundle(bundle).digest
    assert f"COPY requirements.txt {Path(wheel).name}" in files["tests/Dockerfile"].decode()
    assert files["environment/documents/staff.docx"] == (BUNDLE / "source" / "staff.docx").read_bytes()
    assert files["solution/documents/staff.docx"] == (BUNDLE / "reference" / "staff.docx").read_bytes()
    assert files["environment/skills/sums/SKILL.md"] == b"Use SUM.\n"
    assert "`staff.docx`: to be changed in place" in files["instruction.md"].decode()
    assert not any(name.startswith("environment/") and "reference" in name for name in files)
    assert docops.load_bundle(tmp_path / "out" / TASK / "tests" / "bundle").digest == docops.load_bundle(bundle).digest


def test_the_bytes_are_the_same_again_and_skills_can_stay_away(bundle: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        export_tasks([bundle], tmp_path / name, ExportOptions())
    assert tree(tmp_path / "one") == tree(tmp_path / "two")
    assert cli.main(["export", "harbor", str(bundle), "--out", str(tmp_path / "without"), "--without-skills"]) == 0
    export_tasks([BUNDLE], tmp_path / "never-had-any", ExportOptions())
    assert tree(tmp_path / "without") == tree(tmp_path / "never-had-any")
    assert not any("skills" in name for name in tree(tmp_path / "without"))


def test_every_shipped_bundle_becomes_a_task(tmp_path: Path) -> None:
    folders = sorted((ROOT / "bundles").iterdir())
    lines = export_tasks(folders, tmp_path / "out", ExportOptions(organisation="acme"))
    assert [line.partition(":")[0] for line in lines] == [folder.name for folder in folders]
    for folder in folders:
        config = tomllib.loads((tmp_path / "out" / folder.name / "task.toml").read_text("utf-8"))
        assert config["task"]["name"] == f"acme/{folder.name}"


def test_a_bundle_without_all_references_has_no_solution(bundle: Path, tmp_path: Path) -> None:
    metadata = json.loads((bundle / "task_metadata.json").read_text())
    del metadata["artifacts"][0]["reference"]
    (bundle / "task_metadata.json").write_text(json.dumps(metadata))
    (line,) = export_tasks([bundle], tmp_path / "out", ExportOptions())
    assert "no solution" in line
    assert not (tmp_path / "out" / TASK / "solution").exists()


def test_metadata_survive_as_toml(bundle: Path, tmp_path: Path) -> None:
    title = 'A "quoted" title\\ with \u2028, \x7f and é'
    metadata = json.loads((bundle / "task_metadata.json").read_text())
    (bundle / "task_metadata.json").write_text(json.dumps({**metadata, "title": title}))
    export_tasks([bundle], tmp_path / "out", ExportOptions())
    config = tomllib.loads((tmp_path / "out" / TASK / "task.toml").read_text("utf-8"))
    assert config["task"]["description"] == title


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (ExportOptions(image="python:3.12"), "no digest"),
        (ExportOptions(organisation="a/b"), "no name of an organisation"),
        (ExportOptions(wheel=Path("other-1.0-py3-none-any.whl")), "no wheel of docops-verifier"),
        (ExportOptions(wheel=Path("docops_verifier-1.0-py3-none-any.whl")), "cannot be read"),
    ],
)
def test_options_that_fit_no_task_are_refused(options: ExportOptions, message: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=message):
        export_tasks([BUNDLE], tmp_path / "out", options)
    assert not (tmp_path / "out").exists()


def test_nothing_is_overwritten_and_nothing_half_written(bundle: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="two of the bundles"):
        export_tasks([bundle, BUNDLE], tmp_path / "out", ExportOptions())
    with pytest.raises(BundleError):
        export_tasks([BUNDLE, tmp_path], tmp_path / "out", ExportOptions())
    assert not (tmp_path / "out").exists()
    export_tasks([BUNDLE], tmp_path / "out", ExportOptions())
    with pytest.raises(UsageError, match="there already"):
        export_tasks([BUNDLE], tmp_path / "out", ExportOptions())


# What runs in the verifier's container


def test_grading_writes_one_reward_with_its_evidence_beside(tmp_path: Path) -> None:
    assert grade([str(BUNDLE), str(BUNDLE / "reference"), str(tmp_path)]) == 0
    assert json.loads((tmp_path / "reward.json").read_text()) == {"reward": 1.0}
    details = json.loads((tmp_path / "reward-details.json").read_text())
    assert details["schema"] == "docops.verdict/1"
    tests = json.loads((tmp_path / "ctrf.json").read_text())["results"]
    assert tests["summary"]["tests"] == tests["summary"]["passed"] == len(details["criteria"])
    assert grade([str(BUNDLE), str(BUNDLE / "source"), str(tmp_path)]) == 0
    assert json.loads((tmp_path / "reward.json").read_text()) == {"reward": 0.0}


def test_an_open_verdict_leaves_no_reward(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bundle: Path) -> None:
    from docops.engine import _Verification

    (tmp_path / "reward.json").write_text('{"reward": 1}')

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("the engine broke")

    monkeypatch.setattr(_Verification, "target", broken)
    assert grade([str(bundle), str(BUNDLE / "reference"), str(tmp_path)]) == 4
    assert not (tmp_path / "reward.json").exists()
    summary = json.loads((tmp_path / "ctrf.json").read_text())["results"]["summary"]
    assert summary["other"] > 0


def test_the_wheel_verifies_where_nothing_else_of_docops_is(tmp_path: Path) -> None:
    name, data = make_wheel()
    assert make_wheel() == (name, data)
    (tmp_path / name).write_bytes(data)
    names = zipfile.ZipFile(tmp_path / name).namelist()
    assert {top.partition("/")[0] for top in names} == {"docops", f"docops_verifier-{docops.__version__}+verifier.dist-info"}
    assert not any("/bundles/" in inside or inside.endswith(".pyc") for inside in names)
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", str(tmp_path / "site")]
    installed = subprocess.run([*pip, str(tmp_path / name)], capture_output=True, text=True)
    assert installed.returncode == 0, installed.stderr
    script = (
        f"import sys; sys.path.insert(0, {str(tmp_path / 'site')!r}); import docops; assert 'site' in docops.__file__; "
        f"from docops.adapters.grade import main; raise SystemExit(main(sys.argv[1:]))"
    )
    bundle = ROOT / "bundles" / "xlsx-l1-c4-quarter-total"
    run = subprocess.run(
        [sys.executable, "-I", "-c", script, str(bundle), str(bundle / "reference"), str(tmp_path / "logs")],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert json.loads((tmp_path / "logs" / "reward.json").read_text()) == {"reward": 1.0}


def test_the_image_pins_everything_that_docops_needs() -> None:
    text = (ROOT / "docops" / "adapters" / "harbor_requirements.txt").read_text("utf-8")
    pins = dict(re.findall(r"^([A-Za-z0-9_.-]+)==(\S+)$", text, re.MULTILINE))
    plain = {canonical(name): pin for name, pin in pins.items()}
    assert [canonical(name) for name in pins] == sorted(plain)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    open_names = [requirement_name(line) for line in project["dependencies"]]
    open_names.append("cryptography")  # pypdf[crypto]
    seen: set[str] = set()
    while open_names:
        name = open_names.pop()
        if name in seen:
            continue
        seen.add(name)
        assert name in plain, f"{name} is not pinned in harbor_requirements.txt"
        try:
            needed = requires(name) if version(name) == plain[name] else None
        except PackageNotFoundError:
            continue
        open_names += [requirement_name(line) for line in needed or () if needed_here(line)]
    for line in project["dependencies"]:
        exact = re.search(r"==([\w.]+)$", line)
        if exact:
            assert plain[requirement_name(line)] == exact[1]


def needed_here(requirement: str) -> bool:
    from packaging.requirements import Requirement

    marker = Requirement(requirement).marker
    return marker is None or marker.evaluate({"extra": "", "python_version": "3.12", "platform_python_implementation": "CPython"})


def requirement_name(requirement: str) -> str:
    return canonical(re.split(r"[<>=!~\[ ;(]", requirement)[0])


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


# Reading tasks


def test_an_exported_task_gives_its_bundle_back(bundle: Path, tmp_path: Path) -> None:
    export_tasks([bundle], tmp_path / "out", ExportOptions())
    assert cli.main(["import", "harbor", str(tmp_path / "out" / TASK), "--out", str(tmp_path / "back")]) == 0
    expected = {name: data for name, data in tree(bundle).items() if not name.startswith("outputs/")}
    assert tree(tmp_path / "back") == expected


def foreign(folder: Path) -> Path:
    """A task as somebody else writes it."""
    for name, source in (("environment/data/headcount.xlsx", "source"), ("solution/headcount.xlsx", "reference")):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes((BUNDLE / source / "headcount.xlsx").read_bytes())
    (folder / "environment" / "Dockerfile").write_text("FROM ubuntu:24.04\n")
    (folder / "environment" / "skills" / "xlsx").mkdir(parents=True)
    (folder / "environment" / "skills" / "xlsx" / "SKILL.md").write_text("skill\n")
    (folder / "environment" / "skills" / "xlsx" / "sample.xlsx").write_bytes(b"no artifact")
    (folder / "instruction.md").write_text("Total the staff.\n")
    config = '[task]\nname = "acme/Total the staff!"\ndescription = "A total"\n[metadata]\ncategory = "office"\noperations = ["C4", "X9"]\n'
    (folder / "task.toml").write_text(f'artifacts = ["/srv/report.docx", {{source = "/srv/log.txt"}}]\n{config}')
    return folder


def test_a_foreign_task_becomes_a_valid_skeleton(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["import", "harbor", str(foreign(tmp_path / "task")), "--out", str(tmp_path / "bundle")]) == 0
    told = capsys.readouterr().out
    bundle = docops.load_bundle(tmp_path / "bundle")
    assert (bundle.task_id, bundle.title, bundle.domain, bundle.operations) == ("Total-the-staff", "A total", "office", ("C4",))
    assert [(a.output, a.source, a.reference) for a in bundle.artifacts] == [
        ("headcount.xlsx", "source/headcount.xlsx", "reference/headcount.xlsx"),
        ("report.docx", None, None),
    ]
    assert (tmp_path / "bundle" / "skills" / "xlsx" / "SKILL.md").is_file()
    assert "level L4 is a guess" in told
    assert "report.docx has no reference" in told
    assert not lint_bundle(tmp_path / "bundle").sound


def test_two_documents_of_one_name_keep_their_folders(tmp_path: Path) -> None:
    task = foreign(tmp_path / "task")
    (task / "environment" / "old").mkdir()
    (task / "environment" / "old" / "Headcount.xlsx").write_bytes((BUNDLE / "source" / "headcount.xlsx").read_bytes())
    import_task(task, tmp_path / "bundle")
    outputs = [artifact.output for artifact in docops.load_bundle(tmp_path / "bundle").artifacts]
    assert "data/headcount.xlsx" in outputs
    assert "old/Headcount.xlsx" in outputs


def test_links_out_of_the_task_are_not_followed(tmp_path: Path) -> None:
    task = foreign(tmp_path / "task")
    (task / "environment" / "secret.docx").symlink_to(BUNDLE / "source" / "staff.docx")
    import_task(task, tmp_path / "bundle")
    assert "secret.docx" not in [artifact.output for artifact in docops.load_bundle(tmp_path / "bundle").artifacts]


def test_what_is_no_task_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no task\.toml"):
        import_task(tmp_path, tmp_path / "bundle")
    task = foreign(tmp_path / "task")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").touch()
    with pytest.raises(UsageError, match="not empty"):
        import_task(task, tmp_path / "full")
    (task / "task.toml").write_text("[task")
    with pytest.raises(UsageError, match=r"task\.toml"):
        import_task(task, tmp_path / "bundle")
    (task / "task.toml").write_text("")
    for document in [*task.rglob("*.xlsx")]:
        document.unlink()
    with pytest.raises(UsageError, match="no document"):
        import_task(task, tmp_path / "bundle")
    (task / "instruction.md").unlink()
    with pytest.raises(UsageError, match=r"no instruction\.md"):
        import_task(task, tmp_path / "bundle")


def test_an_adapter_that_exchanges_no_tasks_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert cli.main(["export", "openenv", str(BUNDLE), "--out", str(tmp_path / "out")]) == 2
    assert "writes no tasks and no results" in capsys.readouterr().err
