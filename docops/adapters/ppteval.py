"""PPT-Eval: its task registry becomes bundles, verdicts become its result files. Nothing of a rubric is executed here."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from docops.bundle import Bundle, load_bundle
from docops.core.errors import BundleError, Problem, UsageError
from docops.paths import PathProblem, file_inside
from docops.reading import read_json
from docops.rubrics.tree import read_rubric, walk
from docops.schemas import TASK_ID_PATTERN
from docops.shape import check_shape, show

TASKS = "tasks.json"
RUBRIC = "rubric.json"
#: Longest task id, in bytes, that names a folder of results as it is; file systems take 255.
MAX_NAME = 200
#: Names that Windows keeps for devices.
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
_LEVELS = {"easy": "L1", "medium": "L2", "hard": "L3"}

VERIFIER = f"""\
schema = "docops.verifier/1"

# How the leaves make the score; PPT-Eval's rule with its λ. Other rules: docs/scoring.md.
aggregate = "ppteval"
penalty = 0.3

# The rubric as it was imported, unchanged. Its code runs only with `docops verify --allow-code`.
rubric = "{RUBRIC}"
"""


def import_tasks(registry: Path, out: Path) -> tuple[list[tuple[str, str]], list[Problem]]:
    """Bundles of every task of a registry: (folder, task id) of those that were written, and what is wrong with the others.

    registry: the folder with tasks.json, whose paths are relative to the folder above it; or a folder of folders with task.json.
    Raises UsageError where it is neither.
    """
    problems: list[Problem] = []
    made: list[tuple[str, str]] = []
    taken: set[str] = set()
    for task_id, entry, base, where in _tasks(registry, problems):
        before = len(problems)
        if any(check_shape({"type": "string", "pattern": TASK_ID_PATTERN}, task_id)):
            problems.append(Problem(where, f"$[{task_id!r}]", "an id is a text without control characters, and without spaces at its ends"))
        goal = entry.get("goal") or entry.get("instruction")
        if not isinstance(goal, str) or not goal.strip():
            problems.append(Problem(where, f"$[{task_id!r}].goal", "is missing (text)"))
        rubric = _file(entry.get("rubric_path"), base, where, f"$[{task_id!r}].rubric_path", problems)
        deck = _file(entry.get("file_path") or entry.get("input_file"), base, where, f"$[{task_id!r}].file_path", problems)
        if rubric is not None:
            read_rubric(rubric, _shown(rubric, base), problems)
        if len(problems) > before or rubric is None or deck is None or not isinstance(goal, str):
            continue
        name = _free_name(out, task_id, taken)
        try:
            _write(out / name, task_id, goal, rubric, deck, entry)
            load_bundle(out / name)
        except BundleError as error:
            problems += [Problem(f"{name}/{problem.file}", problem.path, problem.message) for problem in error.problems]
            shutil.rmtree(out / name, ignore_errors=True)
            continue
        except OSError as error:
            raise UsageError(f"{out / name}: cannot be written: {error.strerror}") from error
        made.append((name, task_id))
    return made, problems


def _tasks(registry: Path, problems: list[Problem]) -> Iterator[tuple[str, Mapping[str, Any], tuple[Path, ...], str]]:
    """(task id, entry, folders that its paths may be relative to, file it is from)."""
    if (registry / TASKS).is_file():
        raw = read_json(registry / TASKS, TASKS, problems)
        for task_id, entry in (raw or {}).items():
            if isinstance(entry, Mapping):
                yield task_id, entry, (registry.resolve().parent, registry), TASKS
            else:
                problems.append(Problem(TASKS, f"$[{task_id!r}]", f"expected a task, found {show(entry)}"))
        return
    found = sorted(registry.glob("*/task.json"))
    if not found:
        raise UsageError(f"{registry}: is no registry of PPT-Eval: it has no {TASKS}, and no folders with a task.json")
    for path in found:
        name = f"{path.parent.name}/task.json"
        entry = read_json(path, name, problems)
        if entry is not None:
            yield str(entry.get("task_id", path.parent.name)), {"rubric_path": RUBRIC, **entry}, (path.parent, registry), name


def _file(value: Any, bases: tuple[Path, ...], where: str, path: str, problems: list[Problem]) -> Path | None:
    """The file that a registry names, inside one of the folders."""
    if not isinstance(value, str) or not value:
        problems.append(Problem(where, path, "is missing (a path)"))
        return None
    message = ""
    for base in bases:
        try:
            return file_inside(base, PurePosixPath(value.replace("\\", "/")).as_posix())
        except PathProblem as error:
            message = message or str(error)
    problems.append(Problem(where, path, message))
    return None


def _shown(path: Path, bases: tuple[Path, ...]) -> str:
    """How problems name a file of the registry."""
    return next((path.relative_to(base).as_posix() for base in bases if path.is_relative_to(base)), path.name)


def _free_name(out: Path, task_id: str, taken: set[str]) -> str:
    """A folder's name for a task, at which there is nothing yet or a former import of the same task."""
    while True:
        name = folder_name(task_id, taken)
        if not (out / name).exists() or _task_in(out / name) == task_id:
            return name


def _task_in(folder: Path) -> str | None:
    try:
        found = json.loads((folder / "task_metadata.json").read_text("utf-8"))["task_id"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return found if isinstance(found, str) else None


def folder_name(task_id: str, taken: set[str]) -> str:
    """A folder's name for a task id: letters, digits, dots and hyphens, each name once on every file system."""
    base = re.sub(r"[^A-Za-z0-9._-]+", "-", task_id).strip("-.")[:100].rstrip("-.") or "task"
    if _RESERVED.fullmatch(base):
        base = f"task-{base}"
    name, number = base, 1
    while name.lower() in taken:
        number += 1
        name = f"{base}-{number}"
    taken.add(name.lower())
    return name


def _write(folder: Path, task_id: str, goal: str, rubric: Path, deck: Path, entry: Mapping[str, Any]) -> None:
    misc = entry.get("misc") or entry.get("metadata")
    difficulty = str(misc.get("difficulty", "")).lower() if isinstance(misc, Mapping) else ""
    metadata = {
        "schema": "docops.task/1",
        "task_id": task_id,
        "instruction": "instruction.md",
        "level": _LEVELS.get(difficulty, "L1"),
        "operations": ["C2"],
        "domain": "presentation",
        "artifacts": [{"output": deck.name, "source": f"source/{deck.name}"}],
        "verifier": "verifier.toml",
        "provenance": "Imported from a task registry of PPT-Eval; the deck has a licence of its own.",
    }
    if folder.exists():
        shutil.rmtree(folder)
    (folder / "source").mkdir(parents=True)
    shutil.copyfile(deck, folder / "source" / deck.name)
    shutil.copyfile(rubric, folder / RUBRIC)
    (folder / "task_metadata.json").write_text(json.dumps(metadata, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    (folder / "instruction.md").write_text(goal.strip() + "\n", encoding="utf-8")
    (folder / "verifier.toml").write_text(VERIFIER, encoding="utf-8")


# Results


def export_results(source: Path, out: Path, bundles: Path | None) -> int:
    """Result files of PPT-Eval for every verdict below `source`; how many.

    Each task gets result.json, result_evaluate.json and scored_rubric.json in a folder of its id; beside them stand
    results_worker_0.jsonl and benchmark_summary.json. A score that is open is null, with status `error`, and never 0.
    bundles: folder of the bundles, for goals and the rubrics' own nodes.
    Raises UsageError where there is no verdict.
    """
    known = _bundles(bundles)
    rows: list[dict[str, Any]] = []
    taken: set[str] = set()
    for verdict in _verdicts(source):
        task_id = str(verdict["task_id"])
        safe = not re.search(r"[/\\\x00-\x1f]", task_id) and task_id not in (".", "..") and len(task_id.encode()) <= MAX_NAME
        folder = out / (task_id if safe and task_id.lower() not in taken else folder_name(task_id, taken))
        taken.add(task_id.lower())
        bundle = known.get(task_id)
        scored = _scored_rubric(verdict, bundle)
        row = _row(verdict, bundle)
        details = {"rubric_path": RUBRIC if bundle is not None else "", "reason": verdict.get("reason", "")}
        evaluation = {
            "score": row["score"],
            "success": row["success"],
            "reason": verdict.get("reason", ""),
            "details": details,
            "scored_rubric": scored,
        }
        result = {**row, "evaluation_details": evaluation, "final_file_path": "", "remote_file_path": "", "screenshots_dir": ""}
        for name, body in (("result.json", result), ("result_evaluate.json", result), ("scored_rubric.json", scored)):
            _put(folder / name, json.dumps(body, indent=2, ensure_ascii=False) + "\n")
        rows.append(row)
    if not rows:
        raise UsageError(f"{source}: holds no verdicts (docops verify --format json --out FILE)")
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    _put(out / "results_worker_0.jsonl", lines)
    _put(out / "benchmark_summary.json", json.dumps(_summary(rows), indent=2, ensure_ascii=False) + "\n")
    return len(rows)


def _put(path: Path, text: str) -> None:
    """Write a file of results, in a folder made where it is missing."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror}") from error


def _bundles(folder: Path | None) -> dict[str, Bundle]:
    if folder is None:
        return {}
    roots = [folder] if (folder / "task_metadata.json").is_file() else sorted(path.parent for path in folder.glob("*/task_metadata.json"))
    loaded = [load_bundle(root) for root in roots]
    return {bundle.task_id: bundle for bundle in loaded}


def _verdicts(source: Path) -> Iterator[Mapping[str, Any]]:
    for path in [source] if source.is_file() else sorted(source.rglob("*.json")):
        try:
            body = json.loads(path.read_text("utf-8"))
        except (OSError, ValueError):
            continue
        if isinstance(body, dict) and body.get("schema") == "docops.verdict/1":
            yield body


def _row(verdict: Mapping[str, Any], bundle: Bundle | None) -> dict[str, Any]:
    low, high = verdict["score_interval"]
    score = low if low == high else None
    unscored = [criterion for criterion in verdict["criteria"] if criterion["outcome"] == "error" and not criterion["implied"]]
    status = ("success" if score == 1 else "failed") if score is not None else "error"
    return {
        "task_id": verdict["task_id"],
        "goal": bundle.instruction.strip() if bundle is not None else "",
        "success": score == 1,
        "score": score,
        "score_interval": [low, high],
        "agent_steps": 0,
        "execution_time_seconds": 0.0,
        "execution_status": "success",
        "verification_status": status,
        "error_message": "; ".join(f"{criterion['title'] or criterion['id']}: {criterion['message']}" for criterion in unscored) or None,
    }


def _scored_rubric(verdict: Mapping[str, Any], bundle: Bundle | None) -> dict[str, Any]:
    """The rubric's tree with scores and reasons; made of the verdict's ids where the bundle is not at hand."""
    results = {criterion["id"]: (criterion["score"], criterion["message"]) for criterion in verdict["criteria"] if not criterion["implied"]}
    results |= {group["id"]: (group["score"], group["reason"]) for group in verdict["groups"]}
    path = bundle.root / RUBRIC if bundle is not None and bundle.verifier.rubric is not None else None
    if path is not None:
        raw: dict[str, Any] = json.loads(path.read_text("utf-8-sig"))
        nodes: list[tuple[str, Any]] = list(walk(raw["root"]))
    else:
        raw, nodes = _tree_of(verdict)
    for identity, node in nodes:
        node["score"], node["reason"] = results.get(identity, (None, ""))
    return raw


def _tree_of(verdict: Mapping[str, Any]) -> tuple[dict[str, Any], list[tuple[str, Any]]]:
    groups = {group["id"]: group for group in verdict["groups"]}
    nodes: dict[str, dict[str, Any]] = {}
    for criterion in verdict["criteria"]:
        parts = criterion["id"].split(".")
        above = [groups[name] for name in (".".join(parts[:count]) for count in range(1, len(parts))) if name in groups]
        for entry in [] if criterion["implied"] else [*above, criterion]:
            node = {"name": entry["title"] or entry["id"], "description": "", "is_critical": entry["critical"], "metadata": {}}
            nodes.setdefault(entry["id"], node)
    tops: list[dict[str, Any]] = []
    for identity, node in nodes.items():
        parent = identity.rpartition(".")[0]
        while parent and parent not in nodes:
            parent = parent.rpartition(".")[0]
        (nodes[parent].setdefault("children", []) if parent else tops).append(node)
    root = tops[0] if len(tops) == 1 else {"name": "root", "description": "", "is_critical": False, "metadata": {}, "children": tops}
    if len(tops) != 1:
        root["score"], root["reason"] = verdict["score"], verdict.get("reason", "")
    return {"root": root, "metadata": {"task": ""}}, list(nodes.items())


def _summary(rows: list[dict[str, Any]]) -> dict[str, Any]:
    decided = [row["score"] for row in rows if row["score"] is not None]
    successes = sum(row["success"] for row in rows)
    return {
        "total": len(rows),
        "successful": successes,
        "failed": sum(row["verification_status"] == "failed" for row in rows),
        "undecided": len(rows) - len(decided),
        "success_rate": successes / len(rows),
        "pass_rate_strict": successes / len(rows),
        "avg_score": sum(decided) / len(decided) if decided else None,
        "avg_steps": 0.0,
        "results": rows,
    }
