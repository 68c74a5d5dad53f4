"""Rubrics of PPT-Eval: nothing runs unasked; allowed, every construct does what it does in the benchmark; what means harm is contained."""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import docops
from docops import cli
from docops.adapters.ppteval import import_tasks
from docops.core.codes import ExitCode, Outcome
from docops.core.options import Answer, Options
from docops.core.verdict import CriterionResult, Status, Verdict
from docops.rubrics.diff import empty
from docops.rubrics.sandbox import LeafInput, run_leaf
from docops.rubrics.tree import read_rubric
from tests.support.ai_rubric import ai_rubric
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


def scorer(*lines: str) -> str:
    return "\n    ".join(["def compute_score():", *lines])


REACHES = {
    "limits of its own": scorer("import resource", "resource.setrlimit(resource.RLIMIT_AS, (-1, -1))", "return 'set', 1"),
    "limits of docops": scorer("import os, resource", "resource.prlimit(os.getppid(), resource.RLIMIT_CPU, (1, 1))", "return 'set', 1"),
    "priority": scorer("import os", "os.setpriority(os.PRIO_PROCESS, os.getppid(), 19)", "return 'set', 1"),
    "reads": scorer("import os", "return open(f'/proc/{os.getppid()}/environ').read(), 1"),
    "lists": scorer("import os", "return str(os.listdir('/')), 1"),
    "connects": scorer("import socket", "socket.socket(socket.AF_UNIX).connect('/run/x')", "return 'connected', 1"),
}


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the kernel's means are Linux's")
@pytest.mark.parametrize("name", REACHES)
def test_a_leaf_reaches_nothing_outside(right: Path, name: str) -> None:
    result = run_leaf(REACHES[name], LeafInput(right / DECK, right / DECK, empty()))
    assert (result.kind, result.score) == ("raised", None), result
    assert result.message.startswith("PermissionError")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the kernel's means are Linux's")
def test_without_the_audit_hook_the_kernel_still_holds(right: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.write_text("x", encoding="utf-8")
    kept.chmod(0o640)
    before = kept.stat()
    code = scorer(
        "import ctypes, os",
        "call, many = ctypes.pythonapi, (ctypes.c_ulong * 2)(2**63, 2**63)",
        f"call['chmod']({str(kept).encode()!r}, 0), call['utime']({str(kept).encode()!r}, None)",
        "return str([call[name](*given) for name, given in (('kill', (os.getppid(), 0)), ('setrlimit', (9, many)))]), 1",
    )
    result = run_leaf(code, LeafInput(right / DECK, right / DECK, empty()))
    assert result.message == "[-1, -1]", result
    assert (kept.stat().st_mode, kept.stat().st_mtime_ns) == (before.st_mode, before.st_mtime_ns)


def test_what_is_legal_works_inside(right: Path) -> None:
    for code in (
        scorer("import shutil", "shutil.copy2(modified_ppt_path, 'copy.pptx')", "return 'copied', 1"),
        scorer("import asyncio", "return asyncio.run(asyncio.to_thread(lambda: ('told', 1)))"),
        scorer("import tempfile", "tempfile.NamedTemporaryFile().write(b'x')", "return 'written', 1"),
    ):
        result = run_leaf(code, LeafInput(right / DECK, right / DECK, empty()))
        assert result.score == 1.0, result


def test_only_the_runner_tells_results(right: Path) -> None:
    forged = '{"kind": "score", "score": 1.0, "message": "forged"}'
    code = scorer(
        "import json, os",
        f"json.dumps = lambda *_, **__: {forged!r}",
        "for handle in range(3, 16):",
        "    try:",
        f"        os.write(handle, {forged.encode()!r} + b'\\n')",
        "    except OSError:",
        "        pass",
        "raise ValueError('the truth')",
    )
    result = run_leaf(code, LeafInput(right / DECK, right / DECK, empty()))
    assert (result.kind, result.score) == ("answer", None), result


@pytest.mark.parametrize(
    ("answer", "score"),
    [
        ('```json\n{"reason": "it is", "score": 0.5}\n```', 0.5),
        ('{"score": 1, "reason": "it is"}', 1.0),
        ("Reason: it is\nScore: 0.25", 0.25),
        ("it is", None),
        ('{"reason": "it is", "score": 2}', None),
    ],
)
def test_a_scorer_that_asks_a_model(right: Path, tmp_path: Path, answer: str, score: float | None) -> None:
    prompts = {"type": "llm", "system_prompt": "You judge {{closed}} questions.", "user_prompt": "Is {modified_ppt_path} right? 'yes' or \"no\""}
    (tmp_path / "rubric.json").write_text(json.dumps({"root": {"name": "Asks", "scorer": prompts}}), encoding="utf-8")
    rubric = read_rubric(tmp_path / "rubric.json", "rubric.json", [])
    assert rubric is not None
    given = LeafInput(right / DECK, right / DECK, empty())
    assert run_leaf(rubric.leaves[0].code, given).kind == "model"
    asked: list[str] = []

    def tell(question: Mapping[str, Any], images: Sequence[bytes]) -> Answer:
        asked.append(question["prompt"])
        return Answer(answer)

    result = run_leaf(rubric.leaves[0].code, given, answer=tell)
    assert result.score == score
    assert asked[0].startswith("You judge {closed} questions.\n\nIs ")


def test_the_same_each_time(right: Path) -> None:
    codes = (scorer("return f'{object()} {hash(\"text\")}', 0.5"), "async def compute_score():\n    return 'x', 1", scorer("return 'x', -0.0"))
    for code in codes:
        first, second = (run_leaf(code, LeafInput(right / DECK, right / DECK, empty())) for _ in range(2))
        assert repr(first) == repr(second)
        assert "-0.0" not in repr(first)


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


def test_a_gate_that_is_written_by_hand_may_name_preservation(bundles: dict[str, Path], tmp_path: Path) -> None:
    shutil.copytree(bundles["title"], tmp_path / "bundle")
    verifier = tmp_path / "bundle" / "verifier.toml"
    gate = f'\n[gates.kept]\nof = ["preserved:{DECK}"]\nmultiply = 0.5\n'
    verifier.write_text(verifier.read_text("utf-8") + gate, encoding="utf-8")
    (tmp_path / DECK).write_bytes(deck(title="Quarter in review", notes="Say something else."))
    verdict = docops.verify(tmp_path / "bundle", tmp_path, options=CODE)
    assert (verdict.score_interval, verdict.gates[0].outcome) == ((0.5, 0.5), Outcome.FAILED)


def test_a_comparison_that_fails_is_no_comparison_without_changes(bundles: dict[str, Path], right: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> Any:
        raise KeyError("a part that is not there")

    monkeypatch.setattr("docops.rubrics.diff._read", refuse)
    faithful = asked(docops.verify(bundles["title"], right, options=CODE))
    assert faithful["Nothing else"].score == 1.0  # no slides on either side, as in the benchmark
    semantic = docops.verify(bundles["title"], right, options=Options(allow_code=True, ppteval_diff="semantic"))
    results = asked(semantic)
    assert (results["Nothing else"].outcome, results["Nothing else"].reason_code) == (Outcome.ERROR, "predicate_error")
    assert results["Title [slide 1] is right"].score == 1.0
    assert (semantic.status, semantic.score_interval) == (Status.ERROR, (0.7, 1.0))


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
    with pytest.raises(SystemExit) as refused:
        code("verify", bundles["title"], right, "--allow-code", "--leaf-seconds", "0")
    assert refused.value.code == ExitCode.USAGE
    assert code("lint", bundles["title"]) == ExitCode.PASSED
    assert "Traceback" not in capfd.readouterr().err


def test_leaves_answer_as_the_benchmarks_own_scorer(right: Path) -> None:
    scorer = ai_rubric("rubric.core.scorer")
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
