"""Compliance gates, partial credit, λ and the reasons of groups and totals, from `verifier.toml` to the page."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

import docops
from docops.core.codes import Family, Outcome
from docops.core.verdict import CriterionResult, Status
from docops.report import render_verdict
from docops.scoring import score_tree
from docops.verifier import Aggregate, GateSpec, GroupSpec, VerifierSpec
from tests.support.bundles import VERIFIER, problems_of, write_bundle

BUNDLE = Path(__file__).parents[1] / "bundles" / "pack-l4-c3-supplier-report"


def result(name: str, score: float | None, *, outcome: Outcome | None = None, critical: bool = False, implied: bool = False) -> CriterionResult:
    became = outcome or (Outcome.PASSED if score == 1 else Outcome.FAILED)
    return CriterionResult(name, "", Family.STRUCTURAL, "x", critical, 1.0, became, score, message="why", implied=implied)


def spec(aggregate: Aggregate, *groups: str, gates: tuple[GateSpec, ...] = (), penalty: float = 0.3) -> VerifierSpec:
    return VerifierSpec(aggregate, tuple(GroupSpec(name) for name in groups), (), {}, gates, penalty)


def test_a_gate_zeroes_or_scales_the_total_and_counts_in_no_mean() -> None:
    results = [result("a.x", 1.0), result("a.y", 0.5), result("rules.z", 0.0)]
    for multiply, expected in ((0.0, 0.0), (0.5, 0.375)):
        scored = score_tree(spec(Aggregate.WEIGHTED, "a", "rules", gates=(GateSpec("g", ("rules",), "Rules", multiply),)), results)
        assert scored.interval == (expected, expected)
        assert scored.status is Status.FAILED
        assert scored.gates[0].factor == multiply
    held = score_tree(spec(Aggregate.WEIGHTED, "a", "rules", gates=(GateSpec("g", ("rules",)),)), [*results[:2], result("rules.z", 1.0)])
    assert held.interval == (0.75, 0.75)
    assert held.gates[0].factor == 1.0


def test_an_open_gate_opens_the_total() -> None:
    results = [result("a", 1.0), result("g", None, outcome=Outcome.ERROR)]
    scored = score_tree(spec(Aggregate.WEIGHTED, gates=(GateSpec("gate", ("g",), multiply=0.2),)), results)
    assert scored.interval == (0.2, 1.0)
    assert scored.status is Status.ERROR
    assert scored.gates[0].factor is None


def test_a_gate_may_name_what_is_implied_and_one_without_meaning_is_left_out() -> None:
    gate = GateSpec("kept", ("preserved:a.docx",))
    results = [result("a", 1.0), result("preserved:a.docx", 0.0, implied=True)]
    assert score_tree(spec(Aggregate.WEIGHTED, gates=(gate,)), results).interval == (0.0, 0.0)
    results[1] = result("preserved:a.docx", None, outcome=Outcome.NOT_APPLICABLE, implied=True)
    scored = score_tree(spec(Aggregate.WEIGHTED, gates=(gate,)), results)
    assert (scored.interval, scored.gates[0].outcome) == ((1.0, 1.0), Outcome.NOT_APPLICABLE)


KEPT = result("preserved:a.docx", 1.0, implied=True, critical=True)
BROKEN = result("preserved:a.docx", 0.0, implied=True, critical=True)
UNSURE = result("preserved:a.docx", None, outcome=Outcome.ERROR, implied=True, critical=True)


@pytest.mark.parametrize(
    ("aggregate", "flat", "nested"), [(Aggregate.PPTEVAL, 0.6, 0.7), (Aggregate.MIND2WEB2, 0.625, 11 / 15), (Aggregate.WEIGHTED, 0.625, 11 / 15)]
)
def test_what_holds_unasked_is_no_part_of_the_tree(aggregate: Aggregate, flat: float, nested: float) -> None:
    results = [result("c", 1.0, critical=True), result("d", 0.5, critical=True), result("n", 0.0), result("m", 1.0)]
    assert score_tree(spec(aggregate), [*results, KEPT]).interval == (flat, flat)
    below = {"core.a": 1.0, "core.b": 1.0, "pos.c": 0.7, "keep.d": 1.0, "keep.e": 0.0}
    groups = tuple(GroupSpec(name, critical=name != "keep") for name in ("core", "keep", "pos"))
    tree = VerifierSpec(aggregate, groups, ())
    assert score_tree(tree, [*(result(name, score) for name, score in below.items()), KEPT]).interval == (nested, nested)


@pytest.mark.parametrize("aggregate", list(Aggregate))
def test_what_is_broken_unasked_lowers_the_total(aggregate: Aggregate) -> None:
    results = [result("c", 1.0, critical=True), result("n", 1.0)]
    assert score_tree(spec(aggregate), [*results, KEPT]).status is Status.PASSED
    broken = score_tree(spec(aggregate), [*results, BROKEN])
    assert broken.status is Status.FAILED
    assert "preserved:a.docx" in broken.reason
    unsure = score_tree(spec(aggregate), [*results, UNSURE])
    assert (unsure.status, unsure.interval) == (Status.ERROR, (broken.interval[0], 1.0))


def test_nothing_asked_that_applies_is_no_pass() -> None:
    scored = score_tree(spec(Aggregate.ALL), [result("a", None, outcome=Outcome.NOT_APPLICABLE), KEPT])
    assert (scored.status, scored.reason) == (Status.FAILED, "Nothing that was asked applies.")


def test_a_total_below_1_is_not_reported_as_1() -> None:
    scored = score_tree(spec(Aggregate.WEIGHTED), [result("a", sum([0.1] * 10)), result("b", 1.0)])
    assert scored.status is Status.FAILED
    assert scored.interval[1] < 1


def test_gates_alone_make_a_total() -> None:
    scored = score_tree(spec(Aggregate.WEIGHTED, gates=(GateSpec("g", ("a",), multiply=0.4),)), [result("a", 0.0)])
    assert scored.interval == (0.4, 0.4)
    assert score_tree(spec(Aggregate.ALL), []).status is Status.FAILED


def test_lambda_is_a_parameter() -> None:
    results = [result("c", 1.0, critical=True), result("d", 0.5, critical=True), result("n", 0.0), result("m", 1.0)]
    assert score_tree(spec(Aggregate.PPTEVAL), results).interval == (0.6, 0.6)
    assert score_tree(spec(Aggregate.PPTEVAL, penalty=0.7), results).interval == (0.4, 0.4)


@pytest.mark.parametrize(
    ("aggregate", "scores", "tells"),
    [
        (Aggregate.ALL, [1.0, 1.0], "All 2 parts hold."),
        (Aggregate.ALL, [1.0, 0.0], "Every part must hold."),
        (Aggregate.WEIGHTED, [1.0, 0.5], "The mean by weight is 0.75."),
        (Aggregate.PPTEVAL, [1.0, 0.0], "The critical parts average 1; what the others miss takes 0.3 off, which leaves 0.7."),
        (Aggregate.MIND2WEB2, [0.0, 1.0], "A critical part scores 0, so nothing else counts."),
        (Aggregate.MIND2WEB2, [1.0, 0.5], "The critical parts hold, so the others decide: 0.5."),
        (Aggregate.MIND2WEB2, [0.5, 0.0], "The mean is 0.25."),
    ],
)
def test_reason_tells_the_rule(aggregate: Aggregate, scores: list[float], tells: str) -> None:
    results = [result(f"g.{index}", score, critical=index == 0) for index, score in enumerate(scores)]
    scored = score_tree(spec(aggregate, "g"), results)
    assert tells in scored.groups[0].reason


def test_reason_shows_the_sum_where_weights_differ() -> None:
    results = [replace(result("g.a", 1.0), weight=3.0), result("g.b", 0.5)]
    assert "The mean by weight is 0.875 = (3 × 1 + 1 × 0.5) / 4." in score_tree(spec(Aggregate.WEIGHTED, "g"), results).groups[0].reason


def test_reason_names_what_is_wrong_and_what_is_open() -> None:
    results = [result(f"g.{index}", 0.0) for index in range(5)] + [result("g.open", None, outcome=Outcome.ERROR)]
    reason = score_tree(spec(Aggregate.WEIGHTED, "g"), results).groups[0].reason
    assert reason.startswith("5 of 6 parts do not hold fully: “g.0” (why); ")
    assert "; and 2 more." in reason
    assert "1 of 6 could not be decided: “g.open” (why)." in reason
    assert "between 0 and 0.1667" in reason


def test_gates_are_checked_when_the_bundle_is_read(tmp_path: Path) -> None:
    gates = '[gates.one]\nof = ["words", "wrods.total", "preserved:book.xlsx"]\n[gates.two]\nof = ["words"]\nmultiply = 2\n'
    problems = problems_of(write_bundle(tmp_path, verifier=VERIFIER + gates))
    assert any("$.gates.one.of[1]" in problem and "did you mean" in problem for problem in problems), problems
    assert any("$.gates.two.of[0]" in problem and "already" in problem for problem in problems), problems
    assert any("$.gates.two.multiply" in problem for problem in problems), problems


GRADED = """\
schema = "docops.verifier/1"
[[criteria]]
id = "a"
predicate = "graded"
grades = [
  { score = 1.0, predicate = "xlsx.cell", at = "book.xlsx#sheet[Summary]/cell[B6]", equals = 1 },
  %s
]
"""


@pytest.mark.parametrize(
    ("grade", "tells"),
    [
        ('{ score = 1.0, predicate = "xlsx.cell", at = "book.xlsx#sheet[Summary]/cell[B6]", equals = 2 }', "scores fall"),
        ('{ score = 0.5, predicate = "xlsx.cel", at = "book.xlsx#sheet[Summary]/cell[B6]", equals = 2 }', "$.criteria[0].grades[1].predicate"),
        ('{ score = 0.5, predicate = "xlsx.cell", at = "book.xlsx#sheets[Summary]", equals = 2 }', "$.criteria[0].grades[1].at"),
        ('{ score = 0.5, predicate = "graded", grades = [] }', "other than `graded`"),
        ('{ predicate = "xlsx.cell", at = "book.xlsx#sheet[Summary]/cell[B6]", equals = 2 }', "has a score"),
    ],
)
def test_grades_are_checked_when_the_bundle_is_read(tmp_path: Path, grade: str, tells: str) -> None:
    problems = problems_of(write_bundle(tmp_path, verifier=GRADED % grade))
    assert any(tells in problem for problem in problems), problems


@pytest.mark.parametrize("text", ["15 %", "not a word of it"])
def test_a_grade_that_a_judge_could_have_given_leaves_the_criterion_open(tmp_path: Path, text: str) -> None:
    shutil.copytree(BUNDLE, tmp_path / "bundle")
    judged = '{ score = 1.0, predicate = "judge", at = "supplier-report.docx", question = "Is it?" }'
    lower = f'{{ score = 0.5, predicate = "anchor.contains", at = "supplier-report.docx", text = "{text}" }}'
    (tmp_path / "bundle" / "verifier.toml").write_text(
        f'schema = "docops.verifier/1"\n[[criteria]]\nid = "a"\npredicate = "graded"\ngrades = [\n{judged},\n{lower},\n]\n', encoding="utf-8"
    )
    verdict = docops.verify(tmp_path / "bundle", BUNDLE / "outputs" / "right")
    criterion = next(c for c in verdict.criteria if c.id == "a")
    assert (criterion.outcome, criterion.score, criterion.reason_code) == (Outcome.NOT_APPLICABLE, None, "model_unavailable")
    assert (verdict.status, verdict.score_interval) == (Status.ERROR, (0.0, 1.0))


@pytest.mark.parametrize(("output", "score"), [("right", 1.0), ("fraction", 0.95), ("no-source", 0.7), ("tabs", 0.8), ("promise", 0.0)])
def test_the_report_bundle_scores_by_weight_and_gate(output: str, score: float) -> None:
    verdict = docops.verify(BUNDLE, BUNDLE / "outputs" / output)
    assert verdict.score == score
    assert verdict.passed is (score == 1)


def test_the_page_of_a_report_tells_a_manager_why() -> None:
    page = render_verdict(docops.verify(BUNDLE, BUNDLE / "outputs" / "promise"), "html", title="Report on late orders")
    for text in ("Not passed", "score 0%", "the total is set to 0", "Nothing is promised", "× 0", "guaranteed"):
        assert text in page, text
    # Dimension, item and checkpoint stand below each other, as they are asked; what counts through a gate alone says so.
    tree = page[page.index("What makes the score") : page.index("Every question")]
    order = ["<b>Content</b>", "<b>The findings are right</b>", "The share is given", "<b>Structure</b>", "<b>The board&#x27;s rules</b>", "Gate: "]
    assert [tree.index(part) for part in order] == sorted(tree.index(part) for part in order)
    assert "<b>The board&#x27;s rules</b><td class=soft>gate" in tree
    assert page.index("What it lacks") < page.index("What makes the score")
    assert "<script" not in page
    markdown = render_verdict(docops.verify(BUNDLE, BUNDLE / "outputs" / "fraction"), "markdown")
    assert "| Content | 0.9 |" in markdown
