"""GitHub annotations: one line each, nothing in a document can begin another command."""

from __future__ import annotations

from pathlib import Path

import pytest

from docops.catalogue import bundle_folders
from docops.cli import main
from docops.core.codes import Outcome
from docops.core.verdict import Status
from docops.report.github import MAX_ANNOTATIONS, annotation, verdict_annotations
from tests.support.verdicts import criterion, verdict


def test_verify_prints_annotations_and_adds_to_the_summary(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    root = next(root for root in bundle_folders() if root.name == "xlsx-l2-c2-price-update")
    summary = tmp_path / "summary.md"
    summary.write_text("before\n", encoding="utf-8")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    assert main(["verify", str(root), str(root / "source"), "--format", "github"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert all(line.startswith(("::error ", "::notice ")) for line in lines)
    assert lines[-1] == "::notice title=xlsx-l2-c2-price-update::failed, score 0"
    assert "price-list.xlsx#" in lines[0]
    assert summary.read_text("utf-8").startswith("before\n")
    assert "xlsx-l2-c2-price-update" in summary.read_text("utf-8")


def test_nothing_ends_a_line_or_a_property() -> None:
    line = annotation("error", "a,b:c\n::x", "100 %\r\n::error::y", "d,e.xlsx")
    assert line.count("\n") == 0
    assert line.startswith("::error file=d%2Ce.xlsx,title=a%2Cb%3Ac%0A%3A%3Ax::")
    assert line.endswith("100 %25\\r%0A::error::y")


def test_there_are_no_more_than_github_shows() -> None:
    many = verdict(Status.FAILED, *(criterion(Outcome.FAILED, findings=1, name=f"a.c{n}") for n in range(30)))
    lines = verdict_annotations(many).splitlines()
    assert sum(line.startswith("::error") for line in lines) == MAX_ANNOTATIONS
    assert lines[-2] == "::error title=a-task::and 21 more"
