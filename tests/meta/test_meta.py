"""`docops meta` and `docops audit`: inputs, alignment, splits and ledger, mutants, sheets, and what they print."""

from __future__ import annotations

import csv
import io
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from docops import cli
from docops.core.errors import UsageError
from docops.meta.evaluate import evaluate, load_all
from docops.meta.rows import Scores, csv_rows, json_rows, load_scores
from tools.wording_scores import DATA, scores

ROOT = Path(__file__).parents[2]
REPORT = ROOT / "bundles" / "pack-l4-c3-supplier-report"
LETTER = ROOT / "bundles" / "docx-l1-c2-payment-term"

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Run:
    def call(*arguments: str | Path) -> tuple[int, str, str]:
        capfd.readouterr()
        code = cli.main([str(argument) for argument in arguments])
        captured = capfd.readouterr()
        return code, captured.out, captured.err

    return call


def table(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_worked_example_through_the_command(run: Run, tmp_path: Path) -> None:
    expert = table(tmp_path / "expert.csv", "task_id,checkpoint_id,score", *[f"t,c{n},{0 if n < 3 else 1}" for n in range(10)])
    ours = table(tmp_path / "ours.csv", "task_id,checkpoint_id,score", *[f"t,c{n},{0 if n in (0, 1, 5) else 1}" for n in range(10)])
    code, out, _ = run("meta", expert, ours, "--format", "json")
    body = json.loads(out)
    assert code == 0
    assert body["schema"] == "docops.meta/1"
    assert body["checkpoints"] == 10
    assert (body["esf"]["deduction_recall"], body["esf"]["pass_rate"], body["esf"]["f1"]) == (0.666667, 0.857143, 0.75)
    text = run("meta", expert, ours)[1]
    assert "66.7%" in text
    assert "85.7%" in text
    assert "75.0%" in text


def test_types_give_risk_weights_and_a_written_weight_wins(tmp_path: Path) -> None:
    expert = table(
        tmp_path / "expert.csv", "task_id,checkpoint_id,score,type,weight", "t,a,0,compliance,", "t,b,0,wording,", "t,c,0,compliance,2", "t,d,N/A,,"
    )
    ours = table(tmp_path / "ours.csv", "task_id,checkpoint_id,score", "t,a,0", "t,b,1", "t,c,1", "t,d,1", "t,e,1")
    report = evaluate(*load_all(expert, [ours])).data
    assert report["esf"]["deduction_recall"] == round(10 / 13, 6)
    assert report["not_applicable"] == {"both": 0, "expert": 1, "evaluator": 0}
    assert report["unaligned"] == {"expert": 0, "evaluator": 1}


def test_runs_of_an_evaluator_make_the_stability(tmp_path: Path) -> None:
    expert = table(tmp_path / "expert.csv", "task_id,checkpoint_id,score,type", "t,a,1,compliance", "t,b,0,wording")
    ours = table(tmp_path / "ours.csv", "task_id,checkpoint_id,score,run,total", "t,a,1,1,0.5", "t,b,0,1,0.5", "t,a,0,2,0", "t,b,0,2,0")
    report = evaluate(*load_all(expert, [ours])).data
    assert report["rec"] == {"runs": 2, "checkpoint_stability": 0.5, "score_std": 0.25, "compliance_flip_rate": 1.0}
    assert report["checkpoints"] == 2
    assert report["agreement"]["pairs"] == 4


@pytest.mark.parametrize(
    ("text", "tells"),
    [
        ("task_id,score\nt,1\n", "no column checkpoint_id"),
        ("task_id,checkpoint_id,score\nt,a,good\n", "'good' is no number"),
        ("task_id,checkpoint_id,score\nt,a,2\n", "between 0 and 1"),
        ("task_id,checkpoint_id,score\nt,a,nan\n", "no finite number"),
        ("task_id,checkpoint_id,score,weight\nt,a,1,-1\n", "not negative"),
    ],
)
def test_tables_are_checked(text: str, tells: str) -> None:
    with pytest.raises(UsageError, match=tells):
        list(csv_rows(text, "x.csv"))


def test_what_cannot_be_aligned_is_a_usage_error(run: Run, tmp_path: Path) -> None:
    expert = table(tmp_path / "expert.csv", "task_id,checkpoint_id,score", "t,a,1")
    other = table(tmp_path / "other.csv", "task_id,checkpoint_id,score", "u,a,1")
    twice = table(tmp_path / "twice.csv", "task_id,checkpoint_id,score", "t,a,1", "t,a,0")
    for evaluator, tells in ((other, "scores no checkpoint"), (twice, "scored twice"), (tmp_path / "gone.csv", "no such file")):
        code, out, err = run("meta", expert, evaluator)
        assert (code, out) == (2, "")
        assert tells in err


@pytest.fixture
def profiles(tmp_path: Path) -> dict[str, Path]:
    made = {}
    for profile in ("verbatim", "typographic"):
        made[profile] = tmp_path / f"{profile}.csv"
        made[profile].write_text(scores(profile, tmp_path / "work"), encoding="utf-8")
    return made


def test_two_text_profiles_are_told_apart(run: Run, profiles: dict[str, Path]) -> None:
    code, out, _ = run("meta", DATA, *profiles.values(), "--splits", "train,dev", "--format", "json")
    body = json.loads(out)
    assert code == 0
    assert body["comparison"]["order"] == ["typographic", "verbatim"]
    assert body["comparison"]["pairs"][0] == {"a": "typographic", "b": "verbatim", "shared": 9, "a_nearer": 4, "b_nearer": 0, "p_value": 0.125}
    assert list(body["by"]["split"]) == ["dev", "train"]
    assert body["test_evaluations"] is None
    assert all(entry["split"] != "test" for entry in body["disagreements"])


def test_the_ledger_counts_looks_at_the_test_split(run: Run, profiles: dict[str, Path], tmp_path: Path) -> None:
    ledger = tmp_path / "ledger.jsonl"
    run("meta", DATA, profiles["verbatim"], "--splits", "train,dev", "--ledger", ledger)
    assert not ledger.exists() or ledger.read_text("utf-8") == ""
    first = json.loads(run("meta", DATA, profiles["verbatim"], "--ledger", ledger, "--format", "json")[1])["test_evaluations"]
    second = json.loads(run("meta", DATA, *profiles.values(), "--ledger", ledger, "--format", "json")[1])["test_evaluations"]
    assert (first["evaluations"], first["distinct"]) == (1, 1)
    assert (second["evaluations"], second["distinct"], second["now"]) == (3, 2, 2)
    assert "evaluated, and no ledger counts" in run("meta", DATA, profiles["verbatim"])[1]


def test_page_and_pictures(run: Run, profiles: dict[str, Path], tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    page = run("meta", DATA, *profiles.values(), "--format", "html", "--plots", tmp_path / "plots")[1]
    assert page.count("data:image/png;base64,") == 2
    assert "typographic follows the expert best" in page
    assert sorted(path.name for path in (tmp_path / "plots").iterdir()) == ["agreement.png", "heat-map.png"]


def verdicts(folder: Path, bundle: Path, names: tuple[str, ...]) -> Path:
    import docops

    for name in names:
        path = folder / name / "verdict.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(docops.verify(bundle, bundle / "outputs" / name).to_json(), encoding="utf-8")
    return folder


def test_audit_sheet_hides_the_verdict_and_comes_back(run: Run, tmp_path: Path) -> None:
    folder = verdicts(tmp_path / "run", REPORT, ("right", "fraction", "promise", "tabs"))
    outputs = tmp_path / "outputs"
    shutil.copytree(REPORT / "outputs", outputs)
    sheet = tmp_path / "sheet.csv"
    code, out, _ = run("audit", folder, "--n", "3", "--seed", "1", "--out", sheet, "--bundles", REPORT, "--outputs", outputs)
    assert code == 0
    assert out.startswith("3 of 4 verdicts")
    again = tmp_path / "again.csv"
    run("audit", folder, "--n", "3", "--seed", "1", "--out", again, "--bundles", REPORT, "--outputs", outputs)
    assert again.read_bytes() == sheet.read_bytes()
    page = sheet.with_suffix(".html").read_text("utf-8").partition("</style>")[2]
    assert "for the purchasing board" in page
    for word in ("passed", "FAIL", "failed", "score 0"):
        assert word not in page
    rows = list(csv.DictReader(io.StringIO(sheet.read_text("utf-8"))))
    assert {row["score"] for row in rows} == {""}
    assert len({row["task_id"] for row in rows}) == 3
    by_name: dict[str, dict[str, Any]] = {}
    for path in folder.rglob("*.json"):
        body = json.loads(path.read_text("utf-8"))
        by_name[f"{body['task_id']} ({path.relative_to(folder).with_suffix('').as_posix()})"] = {c["id"]: c for c in body["criteria"]}
    flipped = ""
    for row in rows:
        if row["checkpoint_id"] == "verdict":
            continue
        criterion = by_name[row["task_id"]][row["checkpoint_id"]]
        row["score"] = "N/A" if criterion["score"] is None else str(criterion["score"])
        if not flipped and criterion["score"] == 1:
            row["score"], flipped = "0", row["checkpoint_id"]
    with sheet.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    body = json.loads(run("meta", sheet, folder, "--format", "json")[1])
    assert (body["agreement"]["false_positives"], body["agreement"]["false_negatives"]) == (1, 0)
    assert body["disagreements"][0]["checkpoint_id"] == flipped
    assert body["disagreements"][0]["kind"] == "false positive"


def test_a_run_is_audited_as_it_is(run: Run, tmp_path: Path) -> None:
    shutil.copytree(REPORT, tmp_path / "bundles" / REPORT.name)
    for name in ("right", "promise", "tabs"):
        shutil.copytree(REPORT / "outputs" / name, tmp_path / "outputs" / f"agent {name[0]}" / REPORT.name)
    results, sheet = tmp_path / "results", tmp_path / "sheets" / "sheet.csv"
    sheet.parent.mkdir()
    assert run("run", tmp_path / "bundles", tmp_path / "outputs", "--jobs", "1", "--out", results)[0] == 0
    assert run("audit", results, "--n", "3", "--seed", "1", "--out", sheet)[0] == 0
    page = sheet.with_suffix(".html").read_text("utf-8").partition("</style>")[2]
    assert "for the purchasing board" in page
    assert 'href="../outputs/agent%20p/' in page
    assert "late most often" in page
    assert "not at hand" not in page
    rows = list(csv.DictReader(io.StringIO(sheet.read_text("utf-8"))))
    assert sum(row["checkpoint_id"] == "verdict" for row in rows) == 3
    # As a spreadsheet saves it where the comma is the decimal sign.
    filled = tmp_path / "filled.csv"
    with filled.open("w", encoding="utf-8-sig", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]), delimiter=";")
        writer.writeheader()
        writer.writerows({**row, "score": "0,5" if row["checkpoint_id"] == "verdict" and "agent r" in row["task_id"] else "1"} for row in rows)
        stream.write(";" * (len(rows[0]) - 1) + "\r\n")
    body = json.loads(run("meta", filled, results, "--format", "json")[1])
    assert (body["verdicts"]["pairs"], body["verdicts"]["false_positives"], body["verdicts"]["false_negatives"]) == (3, 1, 2)
    assert body["agreement"]["false_positives"] == 0
    assert "verdicts, agreement" in run("meta", filled, results)[1]
    # Rows of the run say no more than whether an output passed.
    short = json.loads(run("meta", filled, results / "rows.jsonl", "--format", "json")[1])
    assert (short["checkpoints"], short["verdicts"]) == (3, body["verdicts"])


def test_a_sheet_does_not_repeat_what_a_scorer_says(run: Run, tmp_path: Path) -> None:
    folder = verdicts(tmp_path / "run", REPORT, ("right",))
    path = folder / "right" / "verdict.json"
    body = json.loads(path.read_text("utf-8"))
    for criterion in body["criteria"]:
        finding = {"address": "supplier-report.docx", "code": "mismatch", "expected": 1, "observed": 0.25, "message": "a quarter"}
        criterion.update(predicate="ppteval.leaf", evidence=[{"address": "supplier-report.docx", "excerpt": "a quarter of it"}], findings=[finding])
    path.write_text(json.dumps(body), encoding="utf-8")
    run("audit", folder, "--out", tmp_path / "sheet.csv")
    page = (tmp_path / "sheet.html").read_text("utf-8")
    assert "quarter of it" not in page
    assert "0.25" not in page


def test_audit_draws_from_every_stratum(run: Run, tmp_path: Path) -> None:
    folder = verdicts(tmp_path / "run", REPORT, ("right", "fraction", "promise", "tabs", "no-source"))
    sheet = tmp_path / "sheet.csv"
    run("audit", folder, "--n", "2", "--out", sheet)
    rows = {row["task_id"] for row in csv.DictReader(io.StringIO(sheet.read_text("utf-8")))}
    assert any("(right" in name for name in rows)
    assert run("audit", tmp_path / "gone", "--out", sheet)[0] == 2


def test_mutants_are_samples_with_known_labels(run: Run, tmp_path: Path) -> None:
    mutants = tmp_path / "mutants"
    assert run("mutate", LETTER, "--suite", "report", "--max", "6", "--out", mutants)[0] == 0
    code, out, _ = run("meta", mutants, LETTER, "--format", "json")
    body = json.loads(out)
    assert code == 0
    assert body["checkpoints"] == len((mutants / "plan.jsonl").read_text("utf-8").splitlines()) > 0
    assert body["esf"]["deduction_recall"] is not None
    assert all(entry["checkpoint_id"] == "verdict" for entry in body["disagreements"])
    labels = load_scores(mutants)
    judge = tmp_path / "judge.csv"
    judge.write_text("task_id,checkpoint_id,score\n" + "".join(f"{row.task_id},verdict,0\n" for row in labels.rows), encoding="utf-8")
    assert json.loads(run("meta", mutants, judge, "--format", "json")[1])["esf"]["deduction_recall"] == 1.0


def test_results_of_ppteval_are_read(tmp_path: Path) -> None:
    root = {"name": "root", "is_critical": False, "children": [{"name": "Title [new]", "score": 0.5}, {"name": "Rest", "score": 1.0}], "score": 0.75}
    body = {"task_id": "Deck [v2]-001", "score": 0.75, "evaluation_details": {"score": 0.75, "scored_rubric": {"root": root}}}
    (tmp_path / "Deck [v2]-001").mkdir()
    (tmp_path / "Deck [v2]-001" / "result.json").write_text(json.dumps(body), encoding="utf-8")
    rows = {row.checkpoint_id: row.score for row in load_scores(tmp_path).rows}
    assert rows == {"verdict": 0.0, "root.title-new": 0.5, "root.rest": 1.0}


@pytest.mark.parametrize(
    ("changes", "whole"),
    [
        ({"verification_status": "failed"}, 0.0),
        ({"verification_status": "re-verified"}, 0.0),
        ({"verification_status": "no_artifacts_found"}, 0.0),
        ({"verification_status": "grading_failed"}, None),
        ({"verification_status": "screenshot_unavailable"}, None),
        ({"evaluation_details": {"score": 0.0, "details": {"error": "x", "type": "ValueError"}}}, None),
    ],
)
def test_a_zero_of_ppteval_that_nobody_gave_is_none(changes: dict[str, Any], whole: float | None) -> None:
    body = {"task_id": "a", "score": 0.0, "verification_status": "success", "evaluation_details": {"score": 0.0}, **changes}
    assert [row.score for row in json_rows(body, "result.json")] == [whole]
    if "evaluation_details" not in changes:
        del body["evaluation_details"]
        assert [row.score for row in json_rows(body, "results_worker_0.jsonl")] == [whole]


def test_several_runs_of_an_expert_are_joined() -> None:
    expert = Scores("e", tuple(csv_rows("task_id,checkpoint_id,score,run\nt,a,1,x\nt,a,0,y\n", "e")))
    ours = Scores("o", tuple(csv_rows("task_id,checkpoint_id,score\nt,a,0.5\n", "o")))
    assert evaluate(expert, [ours]).data["sce"] == 0.0
