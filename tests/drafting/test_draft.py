"""`docops new`: a drafted bundle holds for its reference, not for its source, and asks what the change was about."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import docops
from docops import cli
from docops.core.errors import Unreadable, UsageError
from docops.drafting.draft import NothingDiffers, draft_bundle, toml
from docops.drafting.scope import Allowed, draft_scope, left_over
from docops.files import open_path
from docops.reading import parse_toml

BUNDLES = Path(__file__).parents[2] / "bundles"
EDITED = sorted(path.parent for path in BUNDLES.glob("*/source") if {p.name for p in path.iterdir()} <= {p.name for p in (path.parent / "reference").iterdir()})


@pytest.mark.parametrize("bundle", EDITED, ids=lambda path: path.name)
def test_drafts_of_the_shipped_bundles_judge_their_known_outputs_alike(bundle: Path, tmp_path: Path) -> None:
    draft = draft_bundle(bundle / "source", bundle / "reference", tmp_path / "draft")
    assert draft.questions
    verifier = docops.Verifier(tmp_path / "draft")
    assert verifier(bundle / "reference").passed
    assert not verifier(bundle / "source").passed
    expected = json.loads((bundle / "outputs" / "expected.json").read_text(encoding="utf-8"))
    for name, entry in expected.items():
        assert verifier(bundle / "outputs" / name).passed is (entry["expected"] == "pass"), name


def test_the_scope_is_what_changed_and_no_more(tmp_path: Path) -> None:
    before, after = tmp_path / "before.xlsx", tmp_path / "after.xlsx"
    book = workbook()
    book.save(before)
    sheet = book["Data"]
    for row in range(2, 6):
        for column in (2, 3):
            sheet.cell(row, column, row * column + 100)
    sheet["E9"] = "=SUM(B2:C5)"
    book.save(after)
    entries = draft_scope(open_path(before), open_path(after))
    assert sorted(entry.at for entry in entries) == ["sheet[Data]/cell[B2:C5]", "sheet[Data]/cell[E9]"]
    assert left_over(open_path(before), open_path(after), entries) == []
    assert left_over(open_path(before), open_path(after), [Allowed("sheet[Data]/cell[B2:C5]")]) != []


def test_what_moved_and_what_came_is_allowed_and_nothing_else(tmp_path: Path) -> None:
    bundle = BUNDLES / "pdf-l2-s2-price-list-first"
    draft_bundle(bundle / "source", bundle / "reference", tmp_path / "draft")
    metadata = json.loads((tmp_path / "draft" / "task_metadata.json").read_text(encoding="utf-8"))
    assert {json.dumps(entry.get("allow")) for entry in metadata["edit_scope"]["offer.pdf"]} == {'["move"]'}
    assert metadata["operations"] == ["S2"]


@pytest.mark.parametrize("name", ["pack-l4-c3-supplier-report", "pack-l4-c4-quarterly", "pack-l4-c5-bid-checklist"])
def test_documents_from_nothing_and_inputs(name: str, tmp_path: Path) -> None:
    bundle = BUNDLES / name
    draft = draft_bundle(bundle / "source", bundle / "reference", tmp_path / "draft")
    loaded, shipped = docops.load_bundle(tmp_path / "draft"), docops.load_bundle(bundle)
    assert {(a.output, a.source is None, a.read_only) for a in loaded.artifacts} == {(a.output, a.source is None, a.read_only) for a in shipped.artifacts}
    assert set(draft.inputs) == {artifact.output for artifact in loaded.artifacts if artifact.read_only}
    assert draft.made
    assert loaded.level == "L4"
    verifier = docops.Verifier(tmp_path / "draft")
    assert verifier(bundle / "reference").passed
    assert not verifier(bundle / "source").passed
    assert {spec.artifact for spec in loaded.verifier.criteria if spec.predicate.name != "file.exists"} >= set(draft.made)


def test_a_document_that_is_the_same_in_both_folders_is_an_input(tmp_path: Path) -> None:
    bundle = BUNDLES / "xlsx-l1-c4-quarter-total"
    for side in ("source", "reference"):
        shutil.copytree(bundle / side, tmp_path / side)
        shutil.copy(BUNDLES / "docx-l1-c2-payment-term" / "source" / "report.docx", tmp_path / side)
        (tmp_path / side / ".DS_Store").write_bytes(b"x")
        (tmp_path / side / "~$report.docx").write_bytes(b"x")
    (tmp_path / "source" / "notes.txt").write_text("As agreed.", encoding="utf-8")
    draft = draft_bundle(tmp_path / "source", tmp_path / "reference", tmp_path / "draft")
    assert (draft.made, draft.inputs) == ((), ("notes.txt", "report.docx"))
    assert set(draft.scope) == {"regional-sales.xlsx"}


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bundle = BUNDLES / "xlsx-l1-c4-quarter-total"
    source, reference = bundle / "source" / "regional-sales.xlsx", bundle / "reference" / "regional-sales.xlsx"
    out = tmp_path / "deep" / "draft"
    assert cli.main(["new", str(source), str(reference), "--out", str(out), "--task-id", "total"]) == 0
    shown = capsys.readouterr().out
    assert "sheet[Summary]/cell[E8]" in shown
    assert "xlsx.formula" in shown
    assert cli.main(["lint", str(out)]) == 0
    assert docops.load_bundle(out).task_id == "total"
    assert cli.main(["new", str(source), str(reference), "--out", str(out)]) == 2
    assert cli.main(["new", str(source), str(source), "--out", str(tmp_path / "none")]) == 5
    assert cli.main(["new", str(source), str(reference), "--out", str(tmp_path / "bad"), "--task-id", "a b"]) == 2
    assert cli.main(["new", str(source), str(tmp_path / "gone.xlsx"), "--out", str(tmp_path / "bad")]) == 1
    assert not (tmp_path / "none").exists()
    assert not (tmp_path / "bad").exists()


def test_what_cannot_be_a_task_is_said(tmp_path: Path) -> None:
    workbook().save(tmp_path / "a.xlsx")
    shutil.copy(BUNDLES / "docx-l1-c2-payment-term" / "source" / "report.docx", tmp_path / "b.docx")
    (tmp_path / "broken.xlsx").write_bytes(b"PK")
    with pytest.raises(UsageError, match="two formats"):
        draft_bundle(tmp_path / "a.xlsx", tmp_path / "b.docx", tmp_path / "out")
    with pytest.raises(UsageError, match="two folders"):
        draft_bundle(tmp_path / "a.xlsx", tmp_path, tmp_path / "out")
    with pytest.raises(Unreadable):
        draft_bundle(tmp_path / "a.xlsx", tmp_path / "broken.xlsx", tmp_path / "out")
    with pytest.raises(NothingDiffers):
        draft_bundle(tmp_path / "a.xlsx", tmp_path / "a.xlsx", tmp_path / "out")


def test_values_are_written_as_toml_reads_them() -> None:
    value = {"text": 'a "b"\t\x7f\\ é', "rows": [["1", "2"], []], "half": 0.5, "yes": True, "deep": [{"a b": 1}]}
    assert parse_toml(f"value = {toml(value)}", "x", []) == {"value": value}


def workbook() -> Any:
    import openpyxl

    book = openpyxl.Workbook()
    sheet: Any = book.active
    sheet.title = "Data"
    for row in range(1, 9):
        for column in range(1, 5):
            sheet.cell(row, column, row * column)
    return book
