"""Stress runs: plans and reports are the same every time, harm is decided by bundle and operator, nothing open is a kill."""

from __future__ import annotations

import json
import queue
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

import docops
from docops.bundle import Bundle, load_bundle
from docops.catalogue import bundle_folders
from docops.cli import main
from docops.core.address import parse_address
from docops.core.codes import ExitCode
from docops.core.errors import UsageError
from docops.core.operator import MutantOutcome, OperatorKind, Site
from docops.operators.archive import Archive
from docops.registry import operators
from docops.report.matrix import STRESS_FORMATS, render_stress
from docops.schemas import stress_schema
from docops.shape import check_shape
from docops.stressing import execute, processes
from docops.stressing.counts import Judged, StressReport, benign_counts, corruption_counts, judged, wilson
from docops.stressing.execute import MutantResult, run_plan, same_content
from docops.stressing.harm import covers, is_harmful
from docops.stressing.places import stands_at
from docops.stressing.plan import MutantSpec, Parent, draw, make_plan, parents_of, plan_lines, read_journal, right_outputs, spec_from_json
from docops.stressing.run import check_baseline, mutate, stress
from docops.stressing.suites import Suite, Waiver, suite_named, suite_names
from docops.stressing.weak import criteria_that_never_failed

OPERATORS = {operator.name: operator for operator in operators()}
SMALL = Suite("small", "Small", "For tests.", per_operator=1, budget=12, benign_budget=4)


@pytest.fixture(scope="module")
def bundle() -> Bundle:
    return load_bundle(next(folder for folder in bundle_folders() if folder.name == "xlsx-l1-c4-quarter-total"))


@pytest.fixture(scope="module")
def report(bundle: Bundle) -> StressReport:
    return stress([bundle], SMALL, 3, jobs=0)


def test_plan_is_the_same_every_time_and_another_for_another_seed(bundle: Bundle) -> None:
    outputs = right_outputs(bundle)
    first = make_plan([Parent(bundle, outputs)], SMALL, 3)
    assert plan_lines(first) == plan_lines(make_plan([Parent(bundle, outputs)], SMALL, 3))
    assert plan_lines(first) != plan_lines(make_plan([Parent(bundle, outputs)], SMALL, 4))
    assert len({spec.id for spec in first}) == len(first)
    assert str(bundle.root) not in plan_lines(first)


def test_plan_keeps_to_its_budget_and_to_a_limit(bundle: Bundle) -> None:
    outputs = right_outputs(bundle)
    plan = make_plan([Parent(bundle, outputs)], SMALL, 0)
    assert sum(spec.kind == OperatorKind.CORRUPTION for spec in plan) == 12
    assert sum(spec.kind == OperatorKind.BENIGN for spec in plan) == 4
    assert len(make_plan([Parent(bundle, outputs)], SMALL, 0, 8)) == 8


def _spec(number: int, name: str, group: str = "content_alteration", form: str = "xlsx") -> MutantSpec:
    return MutantSpec(f"{number:016x}", "task", ".", "a.xlsx", form, name, "corruption", group, "", (number,), "", "")


def test_draw_takes_turns_between_classes_and_operators() -> None:
    specs = [_spec(n, "common") for n in range(50)] + [_spec(100, "rare"), _spec(101, "other", "structure_corruption")]
    drawn = draw(specs, 3, 50, 0)
    assert {spec.operator for spec in drawn} == {"common", "rare", "other"}
    assert len(draw(specs, 100, 2, 0)) == 4


def test_report_is_the_same_with_more_processes(bundle: Bundle, report: StressReport) -> None:
    assert stress([bundle], SMALL, 3, jobs=2).to_json() == report.to_json()


def test_every_right_output_is_a_parent_once(bundle: Bundle) -> None:
    parents = parents_of(bundle)
    listed = json.loads((bundle.root / "outputs" / "expected.json").read_text(encoding="utf-8"))
    assert [parent.variant for parent in parents] == ["", *sorted(name for name, entry in listed.items() if entry["expected"] == "pass")]
    plan = make_plan(parents, SMALL, 0)
    assert {spec.variant for spec in plan} == {parent.variant for parent in parents}
    assert {spec.variant for spec in make_plan(parents, replace(SMALL, parents="reference"), 0)} == {""}
    twice = Parent(bundle, parents[0].outputs, "the same again")
    assert plan_lines(make_plan([parents[0], twice], SMALL, 0)) == plan_lines(make_plan(parents[:1], SMALL, 0))


def test_a_spec_comes_back_from_its_line(bundle: Bundle) -> None:
    plan = make_plan(parents_of(bundle), SMALL, 3)
    assert [spec_from_json(json.loads(line), str(bundle.root)) for line in plan_lines(plan).splitlines()] == plan


def test_a_mutant_that_takes_too_long_is_a_timeout_and_the_rest_goes_on(bundle: Bundle, monkeypatch: pytest.MonkeyPatch) -> None:
    specs = make_plan([Parent(bundle, right_outputs(bundle))], SMALL, 3)[:2]
    asked: list[float | None] = []

    def answer(self: processes._Process, seconds: float | None) -> bytes:
        asked.append(seconds)
        if len(asked) == 2:  # the first is the process's own greeting
            raise queue.Empty
        return real(self, seconds)

    real = processes._Process.answer
    monkeypatch.setattr(processes._Process, "answer", answer)
    first, second = run_plan(specs, jobs=1, seconds=50.0)
    assert first.outcome is MutantOutcome.TIMEOUT
    assert "50 seconds" in first.note
    assert second.outcome in (MutantOutcome.KILLED, MutantOutcome.SURVIVED)
    assert asked[1] == 50.0


def test_a_process_that_dies_is_an_error_and_no_kill(bundle: Bundle, monkeypatch: pytest.MonkeyPatch) -> None:
    specs = make_plan([Parent(bundle, right_outputs(bundle))], SMALL, 3)[:1]
    monkeypatch.setattr(processes._Process, "ask", lambda self, specs: self.child.kill())
    result = run_plan(specs, jobs=1)[0]
    assert result.outcome is MutantOutcome.ERROR
    assert "ended with code" in result.note


def test_what_is_not_installed_is_skipped_and_said_and_leaves_the_plan_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    bundle = load_bundle(next(folder for folder in bundle_folders() if folder.name == "pdf-l1-s4-order-form"))
    suite = replace(SMALL, operators=("pdf.linearised",))
    with_it = make_plan([Parent(bundle, right_outputs(bundle))], suite, 0)
    monkeypatch.setattr(execute, "missing_requirements", lambda operator: list(operator.requires))
    specs = make_plan([Parent(bundle, right_outputs(bundle))], suite, 0)
    assert specs == with_it
    assert len(specs) == 1
    report = StressReport("small", 0, 1, tuple(judged(specs, run_plan(specs, jobs=0))))
    assert report.benign["invalid"] == 1
    assert report.unfinished == []
    assert report.to_dict()["skipped"] == [{"operator": "pdf.linearised", "needs": "pikepdf", "mutants": 1}]
    for name in STRESS_FORMATS:
        assert "pikepdf" in render_stress(report, name)


def test_report_follows_its_schema(report: StressReport) -> None:
    for found in (report, _mixed()):
        assert list(check_shape(stress_schema(), json.loads(found.to_json()))) == []


@pytest.mark.parametrize(
    ("address", "effect", "finding", "there"),
    [
        ("sheet[Summary]/cell[B4]", "change", "regional-sales.xlsx#sheet[Summary]/cell[B4]", True),
        ("sheet[Summary]/cell[B4]", "change", "regional-sales.xlsx#sheet[Summary]", True),
        ("sheet[Summary]/cell[B4]", "change", "regional-sales.xlsx", True),
        ("sheet[Summary]/cell[B4]", "change", "regional-sales.xlsx#sheet[Summary]/comment[B4]", True),
        ("sheet[Summary]/cell[B4]", "change", "regional-sales.xlsx#sheet[Summary]/cell[A1]", False),
        ("sheet[Summary]/cell[B4]", "change", "regional-sales.xlsx#sheet[Data]", False),
        ("sheet[Summary]/cell[B4]", "add", "regional-sales.xlsx#sheet[Summary]/cell[C9]", True),
        ("sheet[Summary]/cell[B4]", "change", "other.xlsx", False),
    ],
)
def test_findings_stand_at_the_place_or_elsewhere(bundle: Bundle, address: str, effect: str, finding: str, there: bool) -> None:
    parent = Parent(bundle, right_outputs(bundle))
    artifact = bundle.artifacts[0].output
    spec = MutantSpec("1" * 16, bundle.task_id, str(bundle.root), artifact, "xlsx", "o", "corruption", "content_alteration", address, (), "", "")
    assert stands_at(spec, effect, [finding], None, parent) is there


@pytest.mark.parametrize(
    ("limits", "code"),
    [
        ([], ExitCode.PASSED),
        (["--min-detection", "0.5", "--max-false-alarms", "0.67"], ExitCode.PASSED),
        (["--min-detection", "0.51"], ExitCode.FAILED),
        (["--max-false-alarms", "0.6"], ExitCode.FAILED),
    ],
)
def test_rates_set_the_exit_code(limits: list[str], code: ExitCode, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    outcomes = [MutantOutcome.KILLED, MutantOutcome.SURVIVED]
    specs = [_spec(1, "xlsx.number-changed"), _spec(2, "xlsx.number-changed"), *(replace(_spec(n, "xlsx.view-state"), kind="benign") for n in (3, 4, 5))]
    results = [_result(outcomes[at % 2]) for at in range(len(specs))]
    report = StressReport("mixed", 1, 1, tuple(judged(specs, results)))
    assert (report.corruption["detection_rate"], round(report.benign["false_alarm_rate"], 3)) == (0.5, 0.667)
    monkeypatch.setattr("docops.stressing.run.stress", lambda *arguments, **settings: report)
    assert main(["stress", "bundle", "--format", "json", *limits]) == code
    assert json.loads(capsys.readouterr().out)["schema"] == "docops.stress/1"


def test_report_has_the_keys_of_its_contract(report: StressReport) -> None:
    data = json.loads(report.to_json())
    assert {"suite", "seed", "bundles", "corruption", "benign", "by", "survivors", "false_alarms"} <= data.keys()
    assert set(data["corruption"]) == {"planned", "killed", "survived", "equivalent", "invalid", "error", "timeout", "detection_rate", "interval"}
    assert set(data["benign"]) == {"planned", "passed", "failed", "equivalent", "invalid", "error", "timeout", "false_alarm_rate", "interval"}
    assert set(data["by"]) == {"class", "format", "operator", "family"}
    assert data["corruption"]["planned"] == 12
    assert data["corruption"]["detection_rate"] == 1.0
    assert data["benign"]["false_alarm_rate"] == 0.0


def _result(outcome: MutantOutcome) -> MutantResult:
    return MutantResult("0" * 16, outcome, "after", findings=(("mismatch", "a.xlsx#sheet[A]", "a | b"),))


def _mixed() -> StressReport:
    specs = [_spec(n, "xlsx.number-changed") for n in range(6)]
    results = [_result(outcome) for outcome in MutantOutcome]
    return StressReport("mixed", 1, 1, tuple(judged(specs, results)))


def test_open_outcomes_are_no_kills() -> None:
    counts = _mixed().corruption
    assert (counts["killed"], counts["survived"], counts["error"], counts["timeout"]) == (1, 1, 1, 1)
    assert counts["detection_rate"] == 0.25
    assert benign_counts([])["false_alarm_rate"] is None
    assert corruption_counts([])["interval"] == [0.0, 1.0]


@pytest.mark.parametrize("name", STRESS_FORMATS)
def test_every_format_names_the_survivor_and_how_to_see_it(name: str) -> None:
    report = _mixed()
    text = render_stress(report, name)
    assert text.endswith("\n")
    assert report.survivors[0].spec.id in text
    assert "xlsx.number-changed" in text
    assert render_stress(report, name) == text


def test_html_needs_nothing_else(report: StressReport) -> None:
    text = render_stress(report, "html")
    assert "http" not in text.replace("https://example", "")
    assert "<script" not in text


def test_waiver_needs_a_reason_and_makes_equivalent() -> None:
    waiver = Waiver("xlsx.*", "the number is never shown", address="sheet[[]A]*")
    spec = MutantSpec("1" * 16, "task", ".", "a.xlsx", "xlsx", "xlsx.number-changed", "corruption", "content_alteration", "sheet[A]/cell[A1]", (), "", "")
    survived = MutantResult(spec.id, MutantOutcome.SURVIVED)
    assert judged([spec], [survived], [Waiver("xlsx.*", "the number is never shown", address="sheet[A]*")])[0].outcome is MutantOutcome.EQUIVALENT
    assert judged([spec], [survived], [Waiver("docx.*", "another format's operators")])[0].outcome is MutantOutcome.SURVIVED
    assert waiver.reason


def test_wilson() -> None:
    assert wilson(0, 0) == (0.0, 1.0)
    assert wilson(174, 180) == pytest.approx((0.929196, 0.984635), abs=1e-5)
    assert wilson(10, 10)[1] == 1.0


@pytest.mark.parametrize(
    ("scope", "place", "inside"),
    [
        ("sheet[A]/cell[B2:D4]", "sheet[A]/cell[C3]", True),
        ("sheet[A]/cell[B2:D4]", "sheet[A]/cell[E3]", False),
        ("sheet[A]/cell[B2]", "sheet[A]", False),
        ("sheet[A]/column[C]", "sheet[A]/cell[C9]", True),
        ("sheet[A]/row[3:5]", "sheet[A]/cell[C9]", False),
        ("sheet[A]", "sheet[B]/cell[A1]", False),
        ("slide[*]", "slide[3]/notes", True),
        ("slide[2:3]/notes", "slide[4]/notes", False),
        ("**/cell[A1]", "sheet[X]/cell[A1]", True),
        ("slide[2]/shape[1]", 'slide[2]/shape["Title"]/paragraph[1]', True),
        ('body/section["2"]', "body/paragraph[7]", True),
        ("body/paragraph[5]", "body/paragraph[6]", False),
    ],
)
def test_scope_covers(scope: str, place: str, inside: bool) -> None:
    assert covers(parse_address(scope).segments, parse_address(place).segments) is inside


def test_harm_is_decided_by_scope_and_criteria(bundle: Bundle) -> None:
    artifact = bundle.artifacts[0]
    at = str(artifact.scope[0].at.path)
    changed, typed = OPERATORS["xlsx.bold-flipped"], OPERATORS["xlsx.formula-to-value"]
    assert is_harmful(bundle, artifact, changed, Site("sheet[Other]/cell[Z99]"), None)
    assert not is_harmful(bundle, artifact, changed, Site(at), None)
    assert is_harmful(bundle, artifact, typed, Site(at), None)
    assert is_harmful(bundle, artifact, OPERATORS["package.file-deleted"], Site(""), None)


def test_same_content_is_judged_by_bytes_of_members() -> None:
    archive = Archive(b"PK\5\6" + bytes(18))
    archive.write("a.xml", b"<a/>")
    stored, packed = archive.to_bytes(), None
    archive.write("a.xml", b"<a/>", level=0)
    packed = archive.to_bytes()
    assert stored != packed
    assert same_content(stored, packed)
    archive.write("a.xml", b"<a />")
    assert not same_content(stored, archive.to_bytes())
    assert not same_content(stored, None)
    assert not same_content(stored, b"PK broken")


def test_invalid_is_said_where_the_parent_is_another(bundle: Bundle) -> None:
    spec = make_plan([Parent(bundle, right_outputs(bundle))], SMALL, 3)[0]
    other = MutantSpec(**{**{name: getattr(spec, name) for name in spec.__slots__}, "parent": "0" * 64})
    assert run_plan([other], jobs=0)[0].outcome is MutantOutcome.INVALID


def test_a_run_goes_on_where_it_stopped(bundle: Bundle, report: StressReport, tmp_path: Path) -> None:
    journal = tmp_path / "journal.jsonl"
    stress([bundle], SMALL, 3, jobs=0, journal=journal)
    lines = journal.read_text(encoding="utf-8").splitlines()
    journal.write_text("\n".join(lines[:5]) + '\n{"id": "cut', encoding="utf-8")
    seen: list[int] = []
    again = stress([bundle], SMALL, 3, jobs=0, journal=journal, progress=lambda done, total, task: seen.append(done))
    assert again.to_json() == report.to_json()
    assert max(seen) == 16
    rows = list(read_journal(journal).values())
    assert len(rows) == 16
    journal.write_text("".join(json.dumps({**row, "key": "another bundle", "outcome": "error"}) + "\n" for row in rows), encoding="utf-8")
    assert stress([bundle], SMALL, 3, jobs=0, journal=journal).to_json() == report.to_json()


def test_mutate_writes_mutants_and_finds_one_again_by_its_id(bundle: Bundle, tmp_path: Path) -> None:
    specs = docops.mutate(bundle, tmp_path / "all", suite=SMALL, seed=3)
    assert (tmp_path / "all" / "plan.jsonl").read_text(encoding="utf-8") == plan_lines(specs)
    chosen = next(spec for spec in specs if spec.operator != "package.file-deleted")
    again = mutate(bundle, tmp_path / "one", identity=chosen.id)
    assert [spec.id for spec in again] == [chosen.id]
    assert (tmp_path / "one" / chosen.id / chosen.artifact).read_bytes() == (tmp_path / "all" / chosen.id / chosen.artifact).read_bytes()
    with pytest.raises(UsageError, match="no mutants"):
        mutate(bundle, tmp_path / "none", identity="f" * 16)


def test_a_reference_that_fails_is_no_baseline(bundle: Bundle, tmp_path: Path) -> None:
    copy = tmp_path / "bundle"
    shutil.copytree(bundle.root, copy)
    artifact = bundle.artifacts[0]
    shutil.copyfile(copy / str(artifact.source), copy / str(artifact.reference))
    with pytest.raises(UsageError, match="do not pass"):
        check_baseline(parents_of(load_bundle(copy))[0])


def test_suites_are_valid_and_gaming_is_only_gaming() -> None:
    assert {"quick", "standard", "full", "benign", "gaming", "report"} <= set(suite_names())
    for name in suite_names():
        assert any(suite_named(name).includes(operator) for operator in operators())
    assert all("gaming" in operator.tags for operator in operators() if suite_named("gaming").includes(operator))
    with pytest.raises(UsageError, match="did you mean 'quick'"):
        suite_named("quik")


def test_every_criterion_of_a_shipped_bundle_can_fail(bundle: Bundle) -> None:
    assert criteria_that_never_failed(bundle) == ()


def test_the_library_stays_callable(bundle: Bundle) -> None:
    # A module docops.stress would replace the function once anything imports it.
    assert docops.stress([bundle], SMALL, 3, jobs=0, limit=2).corruption["planned"] >= 1
    assert callable(docops.stress)


def test_judged_keeps_the_order() -> None:
    assert [isinstance(mutant, Judged) for mutant in _mixed().mutants] == [True] * 6
