"""Scores by checkpoint, from verdicts, PPT-Eval results, JSON and CSV."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from docops.core.errors import UsageError

#: Spellings of "not applicable" in a table.
_NOT_APPLICABLE = frozenset({"", "n/a", "na", "none", "null", "-"})
_REQUIRED = ("task_id", "checkpoint_id", "score")

#: The checkpoint that stands for a whole verdict, where an evaluator or a plan of mutants says no more.
WHOLE = "verdict"


@dataclass(frozen=True, slots=True)
class Row:
    """One score: of one checkpoint of one task in one run; None is N/A, `weight` and `total` are None where not given."""

    task_id: str
    checkpoint_id: str
    score: float | None
    weight: float | None = None
    type: str = ""
    split: str = ""
    run: str = ""
    total: float | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Scores:
    """What one expert or evaluator gave."""

    name: str
    rows: tuple[Row, ...]


@cache
def risk_weights() -> Mapping[str, float]:
    """Weight of a checkpoint by its type, where no weight is given (`docops/meta/risk.json`)."""
    loaded: dict[str, float] = json.loads(files("docops.meta").joinpath("risk.json").read_text("utf-8"))
    return loaded


def load_scores(path: Path, *, repeated: bool = False) -> Scores:
    """The scores in a file or folder.

    path: CSV or JSON with rows, JSON lines, verdicts of docops, results of PPT-Eval, a plan of mutants, or a folder of them.
    repeated: several results of one task are repeated evaluations of one output (by default they are different outputs).
    Raises UsageError where it holds none, or not what it says.
    """
    if path.is_dir():
        rows = tuple(_folder_rows(path, repeated))
    elif path.is_file():
        rows = tuple(_file_rows(path))
    else:
        raise UsageError(f"{path}: there is no such file or folder")
    if not rows:
        raise UsageError(f"{path}: holds no scores")
    return Scores(path.stem if path.is_file() else path.name, rows)


def _file_rows(path: Path) -> Iterator[Row]:
    try:
        text = path.read_text("utf-8-sig")
        if path.suffix.lower() == ".csv":
            yield from csv_rows(text, str(path))
        elif path.suffix.lower() == ".jsonl":
            for number, line in enumerate(text.splitlines(), 1):
                if line.strip():
                    yield from json_rows(json.loads(line), f"{path}, line {number}")
        else:
            yield from json_rows(json.loads(text), str(path))
    except (OSError, ValueError) as error:
        raise UsageError(f"{path}: cannot be read: {error}") from error


def _folder_rows(folder: Path, repeated: bool) -> Iterator[Row]:
    """Rows of every result below a folder; results of PPT-Eval and plans of mutants are known by the names of their files."""
    if (folder / "plan.jsonl").is_file():
        yield from _file_rows(folder / "plan.jsonl")
        return
    found: dict[str, list[tuple[str, Any]]] = {}
    for path in sorted(folder.rglob("*.json")):
        if path.name in ("scored_rubric.json", "actions.json", "timing.json", "benchmark_summary.json", "result_evaluate.json"):
            continue
        try:
            body = json.loads(path.read_text("utf-8-sig"))
        except (OSError, ValueError):
            continue
        if isinstance(body, dict) and "task_id" in body and ("criteria" in body or "evaluation_details" in body):
            found.setdefault(str(body["task_id"]), []).append((path.relative_to(folder).with_suffix("").as_posix(), body))
    for task_id, bodies in sorted(found.items()):
        for place, body in bodies:
            for row in json_rows(body, place):
                if len(bodies) == 1:
                    yield row
                elif repeated:
                    yield _with(row, run=place)
                else:
                    yield _with(row, task_id=f"{task_id} ({place})")


def _with(row: Row, *, task_id: str | None = None, run: str | None = None) -> Row:
    return Row(
        task_id or row.task_id, row.checkpoint_id, row.score, row.weight, row.type, row.split, row.run if run is None else run, row.total, row.reason
    )


def csv_rows(text: str, where: str) -> Iterator[Row]:
    """Rows of a table with a header; unknown columns are passed over.

    Raises UsageError where a required column is missing or a number is none.
    """
    reader = csv.DictReader(io.StringIO(text))
    missing = [name for name in _REQUIRED if name not in (reader.fieldnames or ())]
    if missing:
        raise UsageError(f"{where}: the table has no column {', '.join(missing)}; it needs {', '.join(_REQUIRED)}")
    for number, entry in enumerate(reader, 2):
        yield _row({key: value for key, value in entry.items() if key is not None}, f"{where}, line {number}")


def json_rows(body: Any, where: str) -> Iterator[Row]:
    """Rows of a JSON value: a verdict, a result of PPT-Eval, a mutant of a plan, a row, or a list of any of them."""
    if isinstance(body, list):
        for index, item in enumerate(body):
            yield from json_rows(item, f"{where}[{index}]")
    elif not isinstance(body, dict):
        raise UsageError(f"{where}: expected rows of scores")
    elif isinstance(body.get("rows"), list):
        yield from json_rows(body["rows"], where)
    elif isinstance(body.get("criteria"), list):
        yield from verdict_rows(body)
    elif "evaluation_details" in body:
        yield from ppteval_rows(body)
    elif "operator" in body and body.get("kind") in ("corruption", "benign"):
        score = 0.0 if body["kind"] == "corruption" else 1.0
        yield Row(str(body["id"]), WHOLE, score, type=str(body.get("class", "")), total=score, reason=str(body["operator"]) if score < 1 else "")
    else:
        missing = [name for name in _REQUIRED if name not in body]
        if missing:
            raise UsageError(f"{where}: a row has no {', '.join(missing)}")
        yield _row(body, where)


def _row(entry: Mapping[str, Any], where: str) -> Row:
    score = _number(entry.get("score"), f"{where}: score")
    weight = _number(entry.get("weight"), f"{where}: weight")
    if score is not None and not 0 <= score <= 1:
        raise UsageError(f"{where}: a score lies between 0 and 1, not {score:g}")
    if weight is not None and weight < 0:
        raise UsageError(f"{where}: a weight is not negative")

    def text(name: str) -> str:
        value = entry.get(name)
        return "" if value is None else str(value).strip()

    return Row(
        text("task_id"),
        text("checkpoint_id"),
        score,
        weight,
        text("type"),
        text("split"),
        text("run"),
        _number(entry.get("total"), f"{where}: total"),
        text("reason") or text("reason_code"),
    )


def _number(value: Any, where: str) -> float | None:
    if value is None or (isinstance(value, str) and value.strip().lower() in _NOT_APPLICABLE):
        return None
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise UsageError(f"{where}: {value!r} is no number") from None
    if not math.isfinite(number):
        raise UsageError(f"{where}: {value!r} is no finite number")
    return number


def verdict_rows(body: Mapping[str, Any]) -> Iterator[Row]:
    """Rows of a verdict of docops, one a criterion, and one for the whole; a score that is open is no total."""
    task_id, status, interval = str(body.get("task_id", "")), body.get("status"), body.get("score_interval")
    is_open = isinstance(interval, list) and len(interval) == 2 and interval[0] != interval[1]
    total = None if is_open else _number(body.get("score"), f"{task_id}: score")
    whole = None if status == "error" else 1.0 if status == "passed" else 0.0
    yield Row(task_id, WHOLE, whole, total=total, reason="" if whole == 1 else str(status))
    for criterion in body["criteria"]:
        yield Row(
            task_id,
            str(criterion["id"]),
            _number(criterion.get("score"), f"{task_id}, {criterion['id']}"),
            _number(criterion.get("weight"), "weight"),
            "preservation" if criterion.get("implied") else "",
            total=total,
            reason=str(criterion.get("reason_code", "")),
        )


def ppteval_rows(body: Mapping[str, Any]) -> Iterator[Row]:
    """Rows of a `result.json` of PPT-Eval, one a leaf of its scored rubric, and one for the whole."""
    from docops.rubrics.tree import leaf_ids

    task_id = str(body.get("task_id", ""))
    details = body.get("evaluation_details")
    details = details if isinstance(details, dict) else {}
    total = _number(details.get("score"), f"{task_id}: score")
    yield Row(task_id, WHOLE, None if total is None else 1.0 if total == 1 else 0.0, total=total)
    rubric = details.get("scored_rubric")
    root = rubric.get("root", rubric) if isinstance(rubric, dict) else None
    if isinstance(root, dict):
        for identity, node in leaf_ids(root):
            yield Row(task_id, identity, _number(node.get("score"), f"{task_id}, {identity}"), total=total)


def totals_of(rows: Iterable[Row], weight_of: Mapping[tuple[str, str], float]) -> list[tuple[str, str, float]]:
    """(task, run, total), as given or as the weighted mean of the scored checkpoints."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row.task_id, row.run), []).append(row)
    out = []
    for (task_id, run), members in sorted(groups.items()):
        given = [row.total for row in members if row.total is not None]
        scored = [(row.score, weight_of.get((row.task_id, row.checkpoint_id), 1.0)) for row in members if row.score is not None]
        total_weight = math.fsum(weight for _, weight in scored)
        if given:
            out.append((task_id, run, given[0]))
        elif total_weight:
            out.append((task_id, run, math.fsum(score * weight for score, weight in scored) / total_weight))
    return out


def check_unique(scores: Scores) -> None:
    """Nothing, where no checkpoint is scored twice in one run.

    Raises UsageError where one is.
    """
    seen: set[tuple[str, str, str]] = set()
    for row in scores.rows:
        key = (row.task_id, row.checkpoint_id, row.run)
        if key in seen:
            run = f" in run {row.run}" if row.run else "; repeated evaluations are told apart by the column `run`"
            raise UsageError(f"{scores.name}: {row.task_id}, {row.checkpoint_id} is scored twice{run}")
        seen.add(key)


def names_of(paths: Sequence[Path]) -> list[str]:
    """A name for each path, as short as keeps them apart."""
    stems = [path.stem if path.is_file() else path.name for path in paths]
    return [stem if stems.count(stem) == 1 else path.as_posix() for stem, path in zip(stems, paths)]
