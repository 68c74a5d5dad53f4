"""Rubrics of PPT-Eval: nothing runs unasked; allowed, every construct does what it does in the benchmark; what means harm is contained."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
import warnings
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import docops
from docops import cli
from docops.adapters.ppteval import import_tasks
from docops.core.codes import ExitCode, Outcome
from docops.core.options import Options
from docops.core.verdict import CriterionResult, Status, Verdict
from docops.rubrics.diff import empty
from docops.rubrics.sandbox import LeafInput, run_leaf
from tools.rubrics import DECK, RUBRICS, TARGET, deck, task_id

CODE = Options(allow_code=True, leaf_seconds=20)
STRICT = Options(allow_code=True, leaf_seconds=20, strict_ppteval=True)


@pytest.fixture(scope="module")
def bundles(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Name of each task of the registry → its bundle."""
    out = tmp_path_factory.mktemp("bundles")
    made, problems = import_tasks(TARGET / "task_registry", out)
    assert problems == []
    folders = {identity: out / folder for folder, identity in made}
    return {name: folders[task_id(name)] for name in RUBRICS}


@pytest.fixture(scope="module")
def right(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("right")
    (folder / DECK).write_bytes(deck(title="Quarter in review"))
    return folder


def asked(verdict: Verdict) -> dict[str, CriterionResult]:
    return {criterion.title: criterion for criterion in verdict.criteria if not criterion.implied}


def test_the_registry_is_what_the_script_writes() -> None:
    assert len(RUBRICS) >= 12
    for name, (_, _, root) in RUBRICS.items():
        assert json.loads((TARGET / "rubrics" / f"{name}.json").read_text("utf-8"))["root"] == root, "run: python -m tools.rubrics"


def test_nothing_runs_unasked(bundles: dict[str, Path], right: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("a leaf was run")

    monkeypatch.setattr("docops.rubrics.run.run_leaf", refuse)
    monkeypatch.setattr("docops.rubrics.sandbox.subprocess.Popen", refuse)
    for name, bundle in bundles.items():
        verdict = docops.verify(bundle, right)
        assert {criterion.outcome for criterion in asked(verdict).values()} == {Outcome.NOT_APPLICABLE}, name
        assert {criterion.reason_code for criterion in asked(verdict).values()} == {"code_not_allowed"}
        assert (verdict.status, verdict.score_interval, verdict.passed) == (Status.ERROR, (0.0, 1.0), False)


def test_leaves_are_criteria_and_parents_groups(bundles: dict[str, Path], right: Path) -> None:
    verdict = docops.verify(bundles["partial"], right, options=CODE)
    assert verdict.task_id == "Quarter  Review [Autosaved]+partial-006"
    assert {name: criterion.score for name, criterion in asked(verdict).items()} == {"A": 1.0, "B": 1.0, "C": 0.7, "D": 1.0, "E": 0.0}
    assert {group.title: group.score for group in verdict.groups} == {"Root": 0.7, "Core": 1.0, "Position": 0.7, "Kept": 0.5}
    assert (verdict.score, verdict.status) == (0.7, Status.FAILED)
    assert "what the others miss takes 0.15 off" in {group.title: group.reason for group in verdict.groups}["Root"]


def test_the_aggregate_may_be_changed_by_hand(bundles: dict[str, Path], right: Path, tmp_path: Path) -> None:
    changed = tmp_path / "changed"
    shutil.copytree(bundles["partial"], changed)
    verifier = changed / "verifier.toml"
    verifier.write_text(verifier.read_text("utf-8").replace('"ppteval"', '"mind2web2"'), encoding="utf-8")
    assert docops.verify(changed, right, options=CODE).score == float(Fraction(22, 30))


@pytest.mark.parametrize(
    ("name", "interval", "outcomes"),
    [
        ("title", (1.0, 1.0), ["passed", "passed"]),
        ("helper", (0.0, 1.0), ["error code_raised", "passed"]),
        ("raises", (0.7, 1.0), ["passed", "error code_raised"]),
        ("order", (0.5, 1.0), ["passed", "error code_answer"]),
        ("none", (0.25, 1.0), ["passed", "error code_answer", "error code_answer", "error code_answer"]),
        ("screenshots", (0.85, 1.0), ["passed", "error code_raised", "passed"]),
        ("model", (0.0, 1.0), ["not_applicable model_unavailable", "not_applicable model_unavailable", "passed"]),
        ("early", (1.0, 1.0), ["passed"]),
        ("shims", (1.0, 1.0), ["passed", "passed"]),
        ("records", (0.5, 0.5), ["failed mismatch", "passed"]),
        ("globals", (1.0, 1.0), ["passed"] * 5),
        ("syntax", (1 / 3, 1.0), ["error code_raised", "error code_raised", "passed"]),
    ],
)
def test_constructs_isolated(bundles: dict[str, Path], right: Path, name: str, interval: tuple[float, float], outcomes: list[str]) -> None:
    verdict = docops.verify(bundles[name], right, options=CODE)
    assert [f"{c.outcome} {c.reason_code}".strip() for c in asked(verdict).values()] == outcomes
    assert verdict.score_interval == pytest.approx(interval)
    assert all(criterion.score is None for criterion in asked(verdict).values() if criterion.outcome in (Outcome.ERROR, Outcome.NOT_APPLICABLE))
    assert verdict.passed is (interval[0] == 1)


@pytest.mark.parametrize(
    ("name", "interval", "status"),
    [
        ("title", (1.0, 1.0), Status.PASSED),
        ("raises", (0.0, 0.0), Status.FAILED),
        ("none", (0.0, 0.0), Status.FAILED),
        ("partial", (0.7, 0.7), Status.FAILED),
        ("model", (0.0, 1.0), Status.ERROR),
    ],
)
def test_strict_mode_scores_the_task_0_where_a_leaf_raises(
    bundles: dict[str, Path], right: Path, name: str, interval: tuple[float, float], status: Status
) -> None:
    verdict = docops.verify(bundles[name], right, options=STRICT)
    assert (verdict.score_interval, verdict.status) == (interval, status)


def test_an_error_that_cannot_change_the_verdict_is_no_error(bundles: dict[str, Path], tmp_path: Path) -> None:
    (tmp_path / DECK).write_bytes(deck(title="Another title"))
    verdict = docops.verify(bundles["raises"], tmp_path, options=CODE)
    assert (verdict.status, verdict.score_interval) == (Status.FAILED, (0.0, 0.0))


def test_hostile_leaves_are_contained(bundles: dict[str, Path], right: Path, tmp_path: Path) -> None:
    verdict = docops.verify(bundles["hostile"], right, options=Options(allow_code=True, leaf_seconds=2))
    results = asked(verdict)
    assert results.pop("Harmless").score == 1.0
    codes = {name: criterion.reason_code for name, criterion in results.items()}
    assert {name: codes[name] for name in ("Loops", "Sleeps", "Exits", "Leaves")} == {
        "Loops": "code_limit", "Sleeps": "code_limit", "Exits": "code_ended", "Leaves": "code_raised",
    }  # fmt: skip
    assert all(criterion.outcome is Outcome.ERROR and criterion.score is None for criterion in results.values()), codes
    assert not Path(tempfile.gettempdir(), "docops-was-here").exists()
    assert verdict.status is Status.ERROR


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the kernel's means are Linux's")
def test_this_machine_says_by_what_it_confines(right: Path) -> None:
    given = LeafInput(right / DECK, right / DECK, empty())
    result = run_leaf("def compute_score():\n    return 'x', 1", given)
    assert result.score == 1.0
    assert {"rlimit", "audit hook"} <= set(result.by)


def test_a_missing_output_fails_and_runs_nothing(bundles: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("a leaf was run")

    monkeypatch.setattr("docops.rubrics.run.run_leaf", refuse)
    for content in (None, b"no deck"):
        if content is not None:
            (tmp_path / DECK).write_bytes(content)
        verdict = docops.verify(bundles["title"], tmp_path, options=CODE)
        assert (verdict.status, verdict.score_interval) == (Status.FAILED, (0.0, 0.0))


def test_preservation_is_information(bundles: dict[str, Path], tmp_path: Path) -> None:
    (tmp_path / DECK).write_bytes(deck(title="Quarter in review", notes="Say something else."))
    verdict = docops.verify(bundles["title"], tmp_path, options=CODE)
    (kept,) = [criterion for criterion in verdict.criteria if criterion.implied]
    assert (kept.outcome, kept.critical) == (Outcome.FAILED, False)
    assert verdict.passed  # the faithful comparison misses notes, and preservation does not count
    semantic = docops.verify(bundles["title"], tmp_path, options=Options(allow_code=True, ppteval_diff="semantic"))
    assert semantic.score_interval == (0.7, 0.7)


def test_verdicts_are_the_same_each_time(bundles: dict[str, Path], right: Path) -> None:
    for name in ("shims", "none", "model"):
        first, second = (docops.verify(bundles[name], right, options=CODE).to_json() for _ in range(2))
        assert first == second


def test_the_command_line(bundles: dict[str, Path], right: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    def code(*arguments: str | Path) -> int:
        return cli.main([str(argument) for argument in arguments])

    assert code("verify", bundles["title"], right, "--allow-code") == ExitCode.PASSED
    assert code("verify", bundles["partial"], right, "--allow-code") == ExitCode.FAILED
    assert code("verify", bundles["title"], right) == ExitCode.ERROR
    assert code("verify", bundles["raises"], right, "--allow-code") == ExitCode.ERROR
    assert code("verify", bundles["raises"], right, "--allow-code", "--strict-ppteval") == ExitCode.FAILED
    assert code("verify", bundles["title"], right, "--allow-code", "--ppteval-diff", "semantic") == ExitCode.PASSED
    assert code("verify", bundles["title"], right, "--allow-code", "--leaf-seconds", "0") == ExitCode.USAGE
    assert code("lint", bundles["title"]) == ExitCode.PASSED
    assert "Traceback" not in capfd.readouterr().err


def test_leaves_answer_as_the_benchmarks_own_scorer(right: Path) -> None:
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scorer = pytest.importorskip("rubric.core.scorer", reason="ai-rubric is not installed")
    given = LeafInput(right / DECK, right / DECK, empty())
    context = {"modified_ppt_path": str(right / DECK), "original_ppt_path": str(right / DECK), "modified_ppt_screenshots": []}
    for name in ("partial", "globals", "none", "order", "syntax"):
        stack = [RUBRICS[name][2]]
        while stack:
            node = stack.pop()
            stack += node.get("children", [])
            if "scorer" not in node:
                continue
            code = node["scorer"]["function_code"]
            ours = run_leaf(code, given)
            try:
                score, reason = scorer.FunctionScorer(code).score(**context)
            except ValueError:
                assert ours.score is None, node["name"]
            else:
                assert (ours.score, ours.message) == (score, reason), node["name"]


def test_a_run_takes_rubrics_and_keeps_what_was_allowed_apart(bundles: dict[str, Path], right: Path, tmp_path: Path) -> None:
    for name in ("title", "partial"):
        shutil.copytree(bundles[name], tmp_path / "bundles" / name)
        shutil.copytree(right, tmp_path / "outputs" / "agent" / task_id(name))
    places = (tmp_path / "bundles", tmp_path / "outputs")
    allowed = docops.run(*places, jobs=1, out=tmp_path / "out", options=CODE)
    assert [(row.passed, row.score) for row in sorted(allowed.rows, key=lambda row: row.task_id)] == [(False, 0.7), (True, 1.0)]
    refused = docops.run(*places, jobs=1, out=tmp_path / "out", resume=True)
    assert {row.status for row in refused.rows} == {Status.ERROR}


def test_a_registry_in_place_of_bundles_is_told_how_to_become_some(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "agent").mkdir()
    for command, code in (("verify", ExitCode.INVALID), ("run", ExitCode.NOTHING_SELECTED)):
        assert cli.main([command, str(TARGET / "task_registry"), str(tmp_path)]) == code
        assert "`docops import ppteval` makes bundles" in capfd.readouterr().err
