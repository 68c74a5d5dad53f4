"""Runs: three agents give the right table; interrupted and resumed, or on more processes, gives the same bytes."""

from __future__ import annotations

import csv
import html.parser
import json
import shutil
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import docops
from docops.bundle import load_bundle
from docops.cli import main
from docops.core.errors import BundleError, UsageError
from docops.core.verdict import Status
from docops.report.run import FILES, RUN_FORMATS, render_run
from docops.running import local
from docops.running.kept import PLACES, VERDICTS, read_kept, read_places
from docops.running.plan import make_plan
from docops.running.run import JOURNAL, ROWS, run
from docops.running.summary import RunReport
from docops.schemas import cost_schema, row_schema, run_schema
from tests.running.agents import copy_bundles, write_agents

NAMES = ("pdf-l1-s4-order-form", "pptx-l2-s2-risks-first", "xlsx-l1-c4-quarter-total", "xlsx-l2-c2-price-update")


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("world")
    write_agents(folder / "outputs", copy_bundles(folder / "bundles", NAMES))
    return folder


@pytest.fixture(scope="module")
def report(world: Path) -> RunReport:
    return run(world / "bundles", world / "outputs", jobs=1, out=world / "whole")


def contents(folder: Path) -> dict[str, bytes]:
    """The files of a run; where its bundles and outputs are depends on where it is."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != PLACES}


def test_table_of_three_agents(report: RunReport) -> None:
    agents = report.to_dict()["agents"]
    assert {name: found["pass_rate"] for name, found in agents.items()} == {"careless": 0.0, "no-op": 0.0, "perfect": 1.0}
    assert agents["perfect"]["interval"] == [1.0, 1.0]
    assert agents["perfect"]["tasks"] == 4
    assert {value: group["tasks"] for value, group in agents["perfect"]["by"]["format"].items()} == {"pdf": 1, "pptx": 1, "xlsx": 2}
    assert {value: group["tasks"] for value, group in agents["perfect"]["by"]["level"].items()} == {"L1": 2, "L2": 2}
    assert agents["careless"]["failures"]["modes"]["destructive edit"] == 4 - agents["careless"]["failures"]["modes"]["no output"]
    assert agents["no-op"]["failures"]["modes"]["destructive edit"] == 0
    pairs = {(pair["a"], pair["b"]): pair for pair in report.to_dict()["pairs"]}
    assert pairs["no-op", "perfect"]["delta"] == -100.0
    assert pairs["no-op", "perfect"]["excludes_zero"] is True
    assert pairs["careless", "no-op"]["excludes_zero"] is False


def test_rows_have_the_keys_of_their_contract(report: RunReport) -> None:
    rows = [json.loads(line) for line in report.jsonl().splitlines()]
    assert len(rows) == 12
    contract = {"agent", "task_id", "trial", "status", "passed", "score", "level", "formats", "operations", "reason_codes"}
    assert all(contract <= set(row) for row in rows)
    assert {"tasks", "passed", "pass_rate", "interval", "mean_score", "by", "format_cv"} <= set(report.to_dict()["agents"]["perfect"])
    for row in rows:
        jsonschema.validate(row, row_schema())
    jsonschema.validate(json.loads(report.to_json()), run_schema())


def test_rows_are_what_verify_says(world: Path, report: RunReport) -> None:
    for row in report.rows:
        verdict = docops.verify(world / "bundles" / row.task_id, world / "outputs" / row.agent / row.task_id)
        assert (row.status, row.score) == (verdict.status, verdict.score)


def test_more_processes_give_the_same_bytes(world: Path, report: RunReport, tmp_path: Path) -> None:
    assert report.rows
    run(world / "bundles", world / "outputs", jobs=2, out=tmp_path)
    assert contents(tmp_path) == contents(world / "whole")
    assert {*FILES, VERDICTS} == set(contents(tmp_path))


def test_verdicts_are_kept_and_say_whose_they_are(world: Path, report: RunReport) -> None:
    kept = {verdict.key: verdict for verdict in read_kept(world / "whole")}
    judged = [row for row in report.rows if row.inputs]
    assert set(kept) == {(row.agent, row.task_id, row.trial) for row in judged}
    for row in judged:
        if row.score is not None:
            verdict = kept[row.agent, row.task_id, row.trial]
            assert (verdict.verdict["passed"], verdict.verdict["score"]) == (row.passed, row.score)
            assert (world / "outputs" / verdict.output).is_dir()
    assert read_places(world / "whole")["bundles"].samefile(world / "bundles")


def test_a_verdict_that_is_lost_is_made_again(world: Path, report: RunReport, tmp_path: Path) -> None:
    assert report.rows
    shutil.copytree(world / "whole", tmp_path / "whole")
    lines = (tmp_path / "whole" / VERDICTS).read_text("utf-8").splitlines(keepends=True)
    (tmp_path / "whole" / VERDICTS).write_text("".join(lines[1:]), encoding="utf-8")
    seen: list[str] = []
    run(world / "bundles", world / "outputs", jobs=1, out=tmp_path / "whole", resume=True, progress=lambda done, total, task: seen.append(task))
    assert len(seen) == 1
    assert contents(tmp_path / "whole") == contents(world / "whole")


def test_interrupted_and_resumed_gives_the_same_bytes(world: Path, report: RunReport, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert report.rows

    def stop(done: int, total: int, task: str) -> None:
        if done == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(world / "bundles", world / "outputs", jobs=2, out=tmp_path, progress=stop)
    journal = tmp_path / JOURNAL
    assert len(journal.read_text("utf-8").splitlines()) == 5
    with journal.open("a", encoding="utf-8") as stream:
        stream.write('{"agent":"perfect","task_id":"xl')
    seen: list[int] = []
    run(world / "bundles", world / "outputs", jobs=2, out=tmp_path, resume=True, progress=lambda done, total, task: seen.append(done))
    assert seen == list(range(6, 13))
    assert contents(tmp_path) == contents(world / "whole")
    # A finished run is gone on with as well, and there is nothing left to do.
    monkeypatch.setattr("docops.running.run.run_local", lambda *arguments: pytest.fail("verified again"))
    run(world / "bundles", world / "outputs", out=tmp_path, resume=True)
    assert contents(tmp_path) == contents(world / "whole")


def test_resumed_run_looks_again_at_outputs_that_changed(world: Path, tmp_path: Path) -> None:
    outputs = tmp_path / "outputs"
    shutil.copytree(world / "outputs", outputs)
    run(world / "bundles", outputs, out=tmp_path / "out")
    name = "xlsx-l1-c4-quarter-total"
    shutil.rmtree(outputs / "no-op" / name)
    shutil.copytree(outputs / "perfect" / name, outputs / "no-op" / name)
    seen: list[str] = []
    found = run(world / "bundles", outputs, out=tmp_path / "out", resume=True, progress=lambda done, total, task: seen.append(task))
    assert seen == [f"no-op {name}"]
    assert found.to_dict()["agents"]["no-op"]["passed"] == 1


def test_missing_outputs_count(world: Path, tmp_path: Path) -> None:
    outputs = tmp_path / "outputs"
    shutil.copytree(world / "outputs" / "perfect", outputs / "half")
    shutil.rmtree(outputs / "half" / NAMES[0])
    shutil.rmtree(outputs / "half" / NAMES[1])
    (outputs / "half" / NAMES[1]).mkdir()
    (outputs / "half" / "not-a-task").mkdir()
    found = run(world / "bundles", outputs, jobs=1).to_dict()["agents"]["half"]
    assert (found["tasks"], found["passed"], found["missing"], found["pass_rate"]) == (4, 2, 2, 0.5)
    assert found["failures"]["reason_codes"]["artifact_missing"] == 2
    assert found["unknown_folders"] == ["not-a-task"]


def test_trials(world: Path, tmp_path: Path) -> None:
    name = NAMES[2]
    for trial, agent in (("trial-01", "perfect"), ("trial-2", "no-op"), ("3", "perfect")):
        shutil.copytree(world / "outputs" / agent / name, tmp_path / "outputs" / "agent" / name / trial)
    found = run(world / "bundles" / name, tmp_path / "outputs", jobs=1)
    assert [(row.trial, row.passed) for row in found.rows] == [(1, True), (2, False), (3, True)]
    agent = found.to_dict()["agents"]["agent"]
    assert (agent["tasks"], agent["outputs"], agent["pass_rate"]) == (1, 3, 0.666667)
    assert [(row["pass_at"], row["pass_all"]) for row in agent["trials"].values()] == [(0.666667, 0.666667), (1.0, 0.333333), (1.0, 0.0)]
    shutil.copytree(world / "outputs" / "perfect" / name, tmp_path / "outputs" / "agent" / name / "trial-3")
    with pytest.raises(UsageError, match="the same trial"):
        make_plan(world / "bundles" / name, tmp_path / "outputs")


def test_a_folder_of_another_name_is_no_trial(world: Path, tmp_path: Path) -> None:
    name = NAMES[2]
    shutil.copytree(world / "outputs" / "perfect" / name, tmp_path / "agent" / name / "wrong-place")
    (row,) = run(world / "bundles" / name, tmp_path, jobs=1).rows
    assert (row.trial, row.passed, row.missing) == (1, False, True)


def test_links_that_lead_to_another_folder_are_no_outputs(world: Path, tmp_path: Path) -> None:
    (tmp_path / "outputs" / "agent").mkdir(parents=True)
    (tmp_path / "outputs" / "agent" / NAMES[2]).symlink_to(world / "outputs" / "perfect" / NAMES[2])
    (row,) = run(world / "bundles" / NAMES[2], tmp_path / "outputs", jobs=1).rows
    assert (row.passed, row.missing) == (False, True)


def test_an_output_that_takes_too_long_is_an_error_and_no_failure(world: Path, tmp_path: Path) -> None:
    shutil.copytree(world / "outputs" / "perfect" / NAMES[2], tmp_path / "agent" / NAMES[2])
    found = run(world / "bundles" / NAMES[2], tmp_path, jobs=1, seconds=0.001)
    (row,) = found.rows
    assert (row.status, row.score, row.passed) == (Status.ERROR, None, False)
    assert row.note == "no verdict within 0.001 seconds"
    agent = found.to_dict()["agents"]["agent"]
    assert (agent["errors"], agent["failed"], agent["pass_rate"], agent["mean_score"]) == (1, 0, None, None)
    assert agent["bounds"] == [0.0, 1.0]
    assert "no verdict (1; in no rate)" in render_run(found, "text")


@pytest.mark.parametrize(("deaths", "status"), [(1, Status.PASSED), (2, Status.ERROR)])
def test_a_process_that_dies(world: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, deaths: int, status: Status) -> None:
    shutil.copytree(world / "outputs" / "perfect" / NAMES[2], tmp_path / "agent" / NAMES[2])
    given = local._Worker.give
    left = [deaths]

    def give(worker: Any, *arguments: Any) -> None:
        if left[0]:
            left[0] -= 1
            worker.process.kill()
            worker.process.join()
        given(worker, *arguments)

    monkeypatch.setattr(local._Worker, "give", give)
    (row,) = run(world / "bundles" / NAMES[2], tmp_path, jobs=1).rows
    assert row.status is status
    assert row.note == ("" if status is Status.PASSED else "the process that verified it died")


def test_costs(world: Path, tmp_path: Path) -> None:
    shutil.copytree(world / "outputs" / "perfect", tmp_path / "agent")
    lines = [
        {"task_id": NAMES[0], "fidelity": "measured", "tokens": 100, "dollars": 0.1},
        {"task_id": NAMES[1], "trial": 1, "fidelity": "measured", "dollars": 0.2, "steps": 4, "seconds": 2.5},
        {"task_id": NAMES[2], "fidelity": "estimated", "dollars": 5},
    ]
    file = tmp_path / "agent" / "costs.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    for line in lines:
        jsonschema.validate(line, cost_schema())
    found = run(world / "bundles", tmp_path, jobs=1)
    costs = found.to_dict()["agents"]["agent"]["costs"]
    assert costs["unknown"] == 1
    assert costs["measured"]["columns"]["dollars"] == {"outputs": 2, "total": 0.3, "mean": 0.15}
    assert costs["estimated"]["columns"] == {"dollars": {"outputs": 1, "total": 5.0, "mean": 5.0}}
    assert "agent measured dollars" in render_run(found, "text")
    file.write_text('{"task_id": "a", "fidelity": "guessed"}\n[]\n', encoding="utf-8")
    with pytest.raises(BundleError) as caught:
        run(world / "bundles", tmp_path, jobs=1)
    assert [problem.path for problem in caught.value.problems] == ["line 1 $.fidelity", "line 2 $"]


def test_all_that_is_wrong_with_bundles_comes_together(world: Path, tmp_path: Path) -> None:
    shutil.copytree(world / "bundles", tmp_path / "bundles")
    (tmp_path / "bundles" / NAMES[0] / "verifier.toml").write_text("", encoding="utf-8")
    shutil.copytree(tmp_path / "bundles" / NAMES[1], tmp_path / "bundles" / "zz-copy")
    with pytest.raises(BundleError) as caught:
        run(tmp_path / "bundles", world / "outputs")
    files = {problem.file for problem in caught.value.problems}
    assert f"{NAMES[0]}/verifier.toml" in files
    assert "zz-copy/task_metadata.json" in files


def test_a_folder_of_tasks_is_no_folder_of_agents(world: Path) -> None:
    with pytest.raises(UsageError, match="OUTPUTS/<agent>/<task_id>"):
        make_plan(world / "bundles", world / "outputs" / "perfect")


@pytest.mark.parametrize("name", RUN_FORMATS)
def test_reports_are_whole_and_name_no_folder(world: Path, report: RunReport, name: str) -> None:
    text = render_run(report, name)
    assert text.endswith("\n")
    assert str(world) not in text
    assert "careless" in text


def test_csv_has_a_line_for_each_group(report: RunReport) -> None:
    lines = list(csv.DictReader(render_run(report, "csv").splitlines()))
    assert {(line["agent"], line["dimension"], line["value"]) for line in lines} >= {("perfect", "all", ""), ("no-op", "format", "xlsx")}
    assert [line["pass_rate"] for line in lines if line["dimension"] == "all"] == ["0.0", "0.0", "1.0"]


class _Page(html.parser.HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.fetched: list[str] = []
        self.scripts: list[str] = []
        self.inside = False

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.fetched += [str(value) for name, value in attributes if name in ("src", "href")]
        self.inside = tag == "script"

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.scripts.append(data)
            self.inside = False


def test_page_needs_nothing_else_and_holds_every_row(report: RunReport) -> None:
    page = _Page()
    page.feed(render_run(report, "html"))
    assert page.fetched == []
    assert len(json.loads(page.scripts[0])) == len(report.rows)


def test_page_holds_no_more_than_a_browser_takes(report: RunReport, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("docops.report.run_page.MAX_ROWS", 5)
    text = render_run(report, "html")
    assert "The first 5 of 12" in text
    page = _Page()
    page.feed(text)
    assert len(json.loads(page.scripts[0])) == 5


def test_page_is_not_broken_by_names(world: Path, tmp_path: Path) -> None:
    evil = "<script>alert(1)<!--"
    shutil.copytree(world / "outputs" / "perfect" / NAMES[2], tmp_path / evil / NAMES[2])
    text = render_run(run(world / "bundles" / NAMES[2], tmp_path, jobs=1), "html")
    assert "<script>alert" not in text
    page = _Page()
    page.feed(text)
    assert json.loads(page.scripts[0])[0]["agent"] == evil


def test_command(world: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    given = ["run", str(world / "bundles" / NAMES[2]), str(world / "outputs")]
    assert main([*given, "--jobs", "1", "--out", str(tmp_path / "out"), "--format", "json"]) == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out)["agents"]["perfect"]["passed"] == 1
    assert captured.err == ""
    assert (tmp_path / "out" / ROWS).is_file()
    assert main([*given, "--resume", "--out", str(tmp_path / "out"), "--min-pass-rate", "0.5"]) == 1
    assert main([*given, "--resume"]) == 2
    assert main(["run", str(world / "bundles"), str(tmp_path / "nowhere")]) == 2
    assert main(["run", str(tmp_path / "nowhere"), str(world / "outputs")]) == 2
    (tmp_path / "empty").mkdir()
    assert main(["run", str(world / "bundles"), str(tmp_path / "empty")]) == 5
    assert main(["run", str(tmp_path / "empty"), str(world / "outputs")]) == 5
    summary = tmp_path / "summary.md"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    capsys.readouterr()
    assert main([*given, "--timeout", "0.001", "--format", "github"]) == 4
    out = capsys.readouterr().out
    assert out.count("::error ") == 3
    assert "::notice title=perfect::pass rate –" in out
    assert "### No verdict (3; in no rate)" in summary.read_text("utf-8")


def test_out_inside_outputs_is_no_agent(world: Path, tmp_path: Path) -> None:
    shutil.copytree(world / "outputs" / "perfect", tmp_path / "agent")
    (tmp_path / "results").mkdir()
    assert run(world / "bundles", tmp_path, jobs=1, out=tmp_path / "results").agents == ("agent",)


def test_bundles_are_found_at_any_depth(world: Path) -> None:
    assert list(make_plan(world, world / "outputs").bundles) == sorted(NAMES)
    assert load_bundle(world / "bundles" / NAMES[0]).task_id == NAMES[0]
