"""PPT-Eval's registry becomes bundles, verdicts become its results."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import docops
from docops import cli
from docops.adapters.ppteval import export_results, folder_name, import_tasks
from docops.core.errors import UsageError
from docops.core.options import Options
from docops.meta.rows import load_scores
from tools.rubrics import DECK, RUBRICS, TARGET, deck, task_id


@pytest.fixture
def registry(tmp_path: Path) -> Path:
    shutil.copytree(TARGET, tmp_path / "registry")
    return tmp_path / "registry" / "task_registry"


def test_every_task_becomes_a_bundle(tmp_path: Path) -> None:
    made, problems = import_tasks(TARGET / "task_registry", tmp_path)
    assert problems == []
    assert [identity for _, identity in made] == [task_id(name) for name in RUBRICS]
    for folder, identity in made:
        bundle = docops.load_bundle(tmp_path / folder)
        assert bundle.task_id == identity
        assert [artifact.output for artifact in bundle.artifacts] == [DECK]
        assert not set(folder) & set("[]+ ")
    first = tmp_path / made[0][0]
    assert (first / "rubric.json").read_bytes() == (TARGET / "rubrics" / "title.json").read_bytes()
    assert (first / "source" / DECK).read_bytes() == (TARGET / "decks" / DECK).read_bytes()
    assert docops.load_bundle(tmp_path / made[5][0]).level == "L2"


def test_folder_names_are_told_apart() -> None:
    taken: set[str] = set()
    assert [folder_name(name, taken) for name in ("A [b]", "a  b", "..", "Ü")] == ["A-b", "a-b-2", "task", "task-2"]
    assert [folder_name(name, taken) for name in ("NUL", "com1.x", "a" * 300)] == ["task-NUL", "task-com1.x", "a" * 100]


ODD = ("a/b\\c:d", "..", "Größe 中文 [x]", "é" * 200, "CON", "x" * 300)


def test_odd_ids_are_kept_from_the_registry_to_the_results(registry: Path, tmp_path: Path) -> None:
    tasks = json.loads((registry / "tasks.json").read_text("utf-8"))
    task = {**tasks[task_id("title")], "file_path": f"./decks//{DECK}"}
    (registry / "tasks.json").write_text(json.dumps({**dict.fromkeys(ODD, task), " x": task, "y\n": task, "z": 1}), encoding="utf-8")
    (tmp_path / "out" / "CON").mkdir(parents=True)
    made, problems = import_tasks(registry, tmp_path / "out")
    assert [identity for _, identity in made] == list(ODD)
    assert [problem.path for problem in problems] == ["$[' x']", "$['y\\n']", "$['z']"]
    for number, (folder, _) in enumerate(made):
        verdict = docops.verify(tmp_path / "out" / folder, tmp_path)
        (tmp_path / f"{number}.json").write_text(verdict.to_json(), encoding="utf-8")
    assert export_results(tmp_path, tmp_path / "results", tmp_path / "out") == len(ODD)
    rows = (tmp_path / "results" / "results_worker_0.jsonl").read_text("utf-8").splitlines()
    assert {json.loads(row)["task_id"] for row in rows} == set(ODD)


def test_an_import_replaces_its_own_bundles_only(registry: Path, tmp_path: Path) -> None:
    (tmp_path / "out" / "one").mkdir(parents=True)
    (tmp_path / "out" / "one" / "notes.txt").write_text("kept", encoding="utf-8")
    task = next(iter(json.loads((registry / "tasks.json").read_text("utf-8")).values()))
    (registry / "tasks.json").write_text(json.dumps({"one": task, "ONE": task}), encoding="utf-8")
    for _ in range(2):
        assert import_tasks(registry, tmp_path / "out") == ([("one-2", "one"), ("ONE-3", "ONE")], [])
    assert (tmp_path / "out" / "one" / "notes.txt").read_text("utf-8") == "kept"


def test_a_deck_that_cannot_be_named_is_told_in_one_line(registry: Path, tmp_path: Path) -> None:
    tasks = json.loads((registry / "tasks.json").read_text("utf-8"))
    shutil.copyfile(registry.parent / "decks" / DECK, registry.parent / "decks" / "Deck #1.pptx")
    tasks[task_id("title")]["file_path"] = "decks/Deck #1.pptx"
    (registry / "tasks.json").write_text(json.dumps(tasks), encoding="utf-8")
    (problem,) = import_tasks(registry, tmp_path / "out")[1]
    assert problem.path == "$.artifacts[0].output"
    assert "'#'" in problem.message


def test_what_is_wrong_with_a_registry_is_told_and_the_rest_is_made(registry: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    tasks = json.loads((registry / "tasks.json").read_text("utf-8"))
    names = list(tasks)
    tasks[names[0]]["file_path"] = "../../outside.pptx"
    tasks[names[1]]["file_path"] = "decks/gone.pptx"
    (registry.parent / "rubrics" / "raises.json").write_text('{"root": {"name": "x", "scorer": {"type": "person"}}}', encoding="utf-8")
    del tasks[names[3]]["goal"]
    (registry / "tasks.json").write_text(json.dumps(tasks), encoding="utf-8")
    assert cli.main(["import", "ppteval", str(registry), "--out", str(tmp_path / "out")]) == 3
    captured = capfd.readouterr()
    assert len(captured.out.splitlines()) == len(RUBRICS) - 4
    for told in ("file_path", "gone.pptx", "scorers of type", "goal"):
        assert told in captured.err


def test_a_folder_of_task_folders_is_a_registry_too(tmp_path: Path) -> None:
    folder = tmp_path / "registry" / "one"
    folder.mkdir(parents=True)
    shutil.copyfile(TARGET / "decks" / DECK, folder / "deck.pptx")
    shutil.copyfile(TARGET / "rubrics" / "title.json", folder / "rubric.json")
    (folder / "task.json").write_text(json.dumps({"task_id": "one", "instruction": "Do it.", "input_file": "deck.pptx"}), encoding="utf-8")
    assert import_tasks(tmp_path / "registry", tmp_path / "out")[0] == [("one", "one")]
    with pytest.raises(UsageError, match="no registry"):
        import_tasks(tmp_path / "out", tmp_path / "again")


def test_a_rubric_and_criteria_do_not_mix(tmp_path: Path) -> None:
    made, _ = import_tasks(TARGET / "task_registry", tmp_path)
    verifier = tmp_path / made[0][0] / "verifier.toml"
    text = verifier.read_text("utf-8")
    verifier.write_text(text + '\n[[criteria]]\nid = "a"\npredicate = "file.exists"\nat = "x"\n', encoding="utf-8")
    with pytest.raises(docops.BundleError, match="not both"):
        docops.load_bundle(tmp_path / made[0][0])
    verifier.write_text(text.replace("rubric.json", "gone.json"), encoding="utf-8")
    with pytest.raises(docops.BundleError, match=r"gone\.json"):
        docops.load_bundle(tmp_path / made[0][0])


def test_results_have_the_benchmarks_form_and_come_back(tmp_path: Path) -> None:
    made, _ = import_tasks(TARGET / "task_registry", tmp_path / "bundles")
    output = tmp_path / "output"
    output.mkdir()
    (output / DECK).write_bytes(deck(title="Quarter in review"))
    verdicts = tmp_path / "verdicts"
    verdicts.mkdir()
    for folder, _ in [made[0], made[2], made[5]]:
        verdict = docops.verify(tmp_path / "bundles" / folder, output, options=Options(allow_code=True))
        (verdicts / f"{folder}.json").write_text(verdict.to_json(), encoding="utf-8")
    for bundles in (tmp_path / "bundles", None):
        out = tmp_path / f"results-{bundles is None}"
        assert export_results(verdicts, out, bundles) == 3
        rows = {row["task_id"]: row for row in map(json.loads, (out / "results_worker_0.jsonl").read_text("utf-8").splitlines())}
        right, raises, partial = (rows[task_id(name)] for name in ("title", "raises", "partial"))
        assert (right["success"], right["score"], right["verification_status"]) == (True, 1.0, "success")
        assert (raises["success"], raises["score"], raises["verification_status"]) == (False, None, "error")
        assert "ZeroDivisionError" in raises["error_message"]
        assert (partial["success"], partial["score"]) == (False, 0.7)
        scored = json.loads((out / task_id("partial") / "scored_rubric.json").read_text("utf-8"))["root"]
        assert [child["score"] for child in scored["children"]] == [1.0, 0.7, 0.5]
        assert scored["reason"]
        summary = json.loads((out / "benchmark_summary.json").read_text("utf-8"))
        assert (summary["total"], summary["successful"], summary["failed"], summary["undecided"]) == (3, 1, 1, 1)
        rescored = {(row.task_id, row.checkpoint_id): row.score for row in load_scores(out).rows}
        assert rescored[task_id("partial"), "root.position.c"] == 0.7
    with pytest.raises(UsageError, match="no verdicts"):
        export_results(output, tmp_path / "none", None)
