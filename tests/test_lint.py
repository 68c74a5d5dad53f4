"""Soundness of bundles: each fault is reported by its own check."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from docops.bundle import load_bundle
from docops.core.codes import Outcome
from docops.lint import LintReport, lint_bundle, reports_json, reports_text
from docops.registry import predicate_named
from docops.stressing.weak import criteria_that_never_failed
from tests.support.examples import toml

BUNDLES = Path(__file__).parents[1] / "bundles"
ORIGINAL = BUNDLES / "xlsx-l1-c4-quarter-total"


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    folder = tmp_path / "bundle"
    shutil.copytree(ORIGINAL, folder, ignore=shutil.ignore_patterns("outputs"))
    return folder


def failed(report: LintReport) -> set[str]:
    return {check.name for check in report.checks if check.outcome is Outcome.FAILED}


def edit(folder: Path, **changes: object) -> None:
    path = folder / "task_metadata.json"
    path.write_text(json.dumps({**json.loads(path.read_text("utf-8")), **changes}), encoding="utf-8")


@pytest.mark.parametrize("folder", sorted(path.name for path in BUNDLES.iterdir() if path.is_dir()))
def test_every_shipped_bundle_is_sound(folder: str) -> None:
    report = lint_bundle(BUNDLES / folder)
    assert report.sound, reports_text([report])
    assert [check.name for check in report.checks] == [
        "schema",
        "documents-open",
        "scope-resolves",
        "reference-passes",
        "source-fails",
        "empty-fails",
        "criteria-can-fail",
    ]


def test_invalid_metadata(bundle: Path) -> None:
    edit(bundle, level="L9")
    report = lint_bundle(bundle)
    assert failed(report) == {"schema"}
    assert "$.level" in reports_text([report])


def test_reference_that_does_not_pass(bundle: Path) -> None:
    shutil.copy(bundle / "source/regional-sales.xlsx", bundle / "reference/regional-sales.xlsx")
    report = lint_bundle(bundle)
    assert failed(report) == {"reference-passes"}
    assert "regional-sales.xlsx#sheet[Summary]/cell[E8]" in reports_text([report])


def test_reference_that_is_not_there(bundle: Path) -> None:
    metadata = json.loads((bundle / "task_metadata.json").read_text("utf-8"))
    del metadata["artifacts"][0]["reference"]
    edit(bundle, **metadata)
    (bundle / "task_metadata.json").write_text(json.dumps(metadata))
    assert failed(lint_bundle(bundle)) == {"reference-passes"}


def test_source_that_passes_already(bundle: Path) -> None:
    shutil.copy(bundle / "reference/regional-sales.xlsx", bundle / "source/regional-sales.xlsx")
    assert failed(lint_bundle(bundle)) == {"source-fails"}


def test_reference_that_cannot_be_read(bundle: Path) -> None:
    (bundle / "reference/regional-sales.xlsx").write_bytes(b"x")
    assert {"documents-open", "reference-passes"} <= failed(lint_bundle(bundle))


def test_source_that_cannot_be_read_is_the_bundles_fault(bundle: Path) -> None:
    (bundle / "source/regional-sales.xlsx").write_bytes(b"x")
    report = lint_bundle(bundle)
    assert {"documents-open", "reference-passes"} <= failed(report)


def test_scope_that_names_no_place(bundle: Path) -> None:
    edit(bundle, edit_scope={"regional-sales.xlsx": ["sheet[Summary]/cell[E8]", "sheet[Sumary]/cell[E8]"]})
    report = lint_bundle(bundle)
    assert failed(report) == {"scope-resolves"}
    assert "sheet[Sumary]/cell[E8] names no place" in reports_text([report])


def test_task_made_from_nothing_has_no_source_to_fail(bundle: Path) -> None:
    metadata = json.loads((bundle / "task_metadata.json").read_text("utf-8"))
    del metadata["artifacts"][0]["source"]
    edit(bundle, **metadata)
    (bundle / "task_metadata.json").write_text(json.dumps(metadata))
    outcomes = {check.name: check.outcome for check in lint_bundle(bundle).checks}
    assert outcomes["source-fails"] is Outcome.NOT_APPLICABLE


def test_json_holds_every_check(bundle: Path) -> None:
    body = reports_json([lint_bundle(bundle)])
    assert body["schema"] == "docops.lint/1"
    assert body["sound"] is True
    assert len(body["bundles"][0]["checks"]) == 7


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("file.exists", "the file is there"),
        ("pdf.encrypted", "open"),
        ("pptx.within_slide", "all on the slide"),
        ("docx.no_placeholders", "all is filled in"),
        ("report.forbids", "an exception"),
        ("report.language", "English"),
    ],
)
def test_criteria_that_forbid_or_ask_for_the_whole_can_fail_too(tmp_path: Path, name: str, title: str) -> None:
    example = next(example for example in predicate_named(name).examples if example.title == title)
    (tmp_path / "reference").mkdir()
    for output, data in example.files().items():
        (tmp_path / "reference" / output).write_bytes(data)
    artifacts = [{"output": output, "reference": f"reference/{output}"} for output in example.files()]
    task = {"schema": "docops.task/1", "task_id": "t", "instruction": "instruction.md", "level": "L1", "operations": ["C1"], "artifacts": artifacts}
    (tmp_path / "task_metadata.json").write_text(json.dumps({**task, "verifier": "verifier.toml"}), encoding="utf-8")
    (tmp_path / "instruction.md").write_text("Do it.", encoding="utf-8")
    parameters = "".join(f"{key} = {toml(value)}\n" for key, value in example.params.items())
    verifier = f'schema = "docops.verifier/1"\n[[criteria]]\nid = "a"\npredicate = "{name}"\n{parameters}'
    (tmp_path / "verifier.toml").write_text(verifier, encoding="utf-8")
    assert criteria_that_never_failed(load_bundle(tmp_path)) == ()
