"""Scores by checkpoint, from verdicts, PPT-Eval results, JSON and CSV."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from docops.core.errors import UsageError
from docops.meta.tables import decoded, table, with_point
from docops.running.kept import read_kept, run_place

#: Spellings of "not applicable" in a table.
_NOT_APPLICABLE = frozenset({"", "n/a", "na", "none", "null", "-"})
#: Files beside a result of PPT-Eval that are none.
_NO_RESULTS = frozenset({"scored_rubric.json", "actions.json", "timing.json", "benchmark_summary.json", "result_evaluate.json"})
#: What PPT-Eval says of an output that was graded, or that there was none of.
_VERIFIED = frozenset({"success", "failed", "re-verified", "no_artifacts_found"})
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

    path: CSV or JSON with rows, JSON lines, verdicts of docops, results of PPT-Eval, a plan of mutants, or a folder of them; the
    folder or the rows of a run.
    repeated: several results of one task are repeated evaluations of one output (by default they are different outputs).
    Raises UsageError where it holds none, or not what it says.
    """
    if path.is_dir():
        rows = tuple(_folder_rows(path, repeated))
    elif path.is_file():
        rows = tuple(_file_rows(path, repeated))
    else:
        raise UsageError(f"{path}: there is no such file or folder")
    if not rows:
        raise UsageError(f"{path}: holds no scores")
    return Scores(path.stem if path.is_file() else path.name, rows)


def _file_rows(path: Path, repeated: bool = False) -> Iterator[Row]:
    try:
        text = decoded(path.read_bytes())
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from error
    suffix = path.suffix.lower()
    if suffix in (".csv", ".tsv", ".txt"):
        yield from csv_rows(text, str(path))
    elif suffix in (".jsonl", ".ndjson"):
        places = [(f"{path}, line {number}", line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
        bodies = [(_json(line, where), where) for where, line in places]
        if bodies and all(isinstance(body, dict) and {"agent", "trial"} <= body.keys() for body, _ in bodies):
            told = [body["verdict"] if isinstance(body.get("verdict"), dict) else body for body, _ in bodies]
            found = [Found(inner, run_place(str(body["agent"]), body["trial"])) for inner, (body, _) in zip(told, bodies) if "task_id" in inner]
            yield from _rows_of(_told_apart(found), repeated)
            return
        for body, where in bodies:
            yield from json_rows(body, where)
    else:
        yield from json_rows(_json(text, str(path)), str(path))


def _json(text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{where}: is no JSON: {error}") from error


def _folder_rows(folder: Path, repeated: bool) -> Iterator[Row]:
    """Rows of every result below a folder; results of PPT-Eval and plans of mutants are known by the names of their files."""
    if (folder / "plan.jsonl").is_file():
        yield from _file_rows(folder / "plan.jsonl")
        return
    yield from _rows_of(verdicts_below(folder, results=True), repeated)


def _rows_of(found: Iterable[Found], repeated: bool) -> Iterator[Row]:
    """Rows of results, the task's or the run's name made one that tells them apart where a task has several."""
    for entry in found:
        for row in json_rows(entry.body, entry.place):
            if not entry.repeated:
                yield row
            else:
                yield _with(row, run=entry.place) if repeated else _with(row, task_id=entry.name)


@dataclass(frozen=True, slots=True)
class Found:
    """A verdict or a result, and the place that tells it from the others of its task.

    repeated: there are others of the same task.   output: its folder below the outputs that a run was over.
    """

    body: Mapping[str, Any]
    place: str
    repeated: bool = False
    output: str = ""

    @property
    def name(self) -> str:
        """What the output is called: by its task, and by its place where the task has several."""
        task_id = str(self.body["task_id"])
        return f"{task_id} ({self.place})" if self.repeated else task_id


def verdicts_below(folder: Path, *, results: bool = False) -> list[Found]:
    """The verdicts that a run keeps in a folder, or every file below it that is one, by task.

    results: results of PPT-Eval too.
    """
    found = [Found(kept.verdict, kept.place, output=kept.output) for kept in read_kept(folder)]
    for path in [] if found else sorted(folder.rglob("*.json")):
        if path.name in _NO_RESULTS:
            continue
        try:
            body = json.loads(decoded(path.read_bytes()))
        except (OSError, ValueError, RecursionError):
            continue
        if not isinstance(body, dict) or "task_id" not in body:
            continue
        if body.get("schema") == "docops.verdict/1" or (results and ("criteria" in body or "evaluation_details" in body)):
            found.append(Found(body, path.relative_to(folder).with_suffix("").as_posix()))
    return _told_apart(found)


def _told_apart(found: Sequence[Found]) -> list[Found]:
    count = Counter(str(entry.body["task_id"]) for entry in found)
    every = [replace(entry, repeated=count[str(entry.body["task_id"])] > 1) for entry in found]
    return sorted(every, key=lambda entry: (str(entry.body["task_id"]), entry.place))


def _with(row: Row, *, task_id: str | None = None, run: str | None = None) -> Row:
    return replace(row, task_id=task_id or row.task_id, run=row.run if run is None else run)


def csv_rows(text: str, where: str) -> Iterator[Row]:
    """Rows of a table with a header; unknown columns are passed over, and so are empty lines.

    Raises UsageError where a required column is missing, a number is none, or a row does not say what it scores.
    """
    for place, entry in table(text, where, _REQUIRED):
        yield _row(entry, place)


def json_rows(body: Any, where: str) -> Iterator[Row]:
    """Rows of a JSON value: a verdict, a result of PPT-Eval, a row of a run, a mutant of a plan, a row, or a list of any of them."""
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
    elif "task_id" in body and "checkpoint_id" not in body and ("verification_status" in body or "score_interval" in body):
        yield from _whole_row(body, where)
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

    nameless = [name for name in ("task_id", "checkpoint_id") if not text(name)]
    if nameless:
        raise UsageError(f"{where}: {' and '.join(nameless)} {'is' if len(nameless) == 1 else 'are'} empty")
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
    shown = str(value)[:40]
    if isinstance(value, str):
        value = with_point(value.strip())
        if not value.isascii() or "_" in value:
            raise UsageError(f"{where}: {shown!r} is no number")
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise UsageError(f"{where}: {shown!r} is no number") from None
    if not math.isfinite(number):
        raise UsageError(f"{where}: {shown!r} is no finite number")
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


def _whole_row(body: Mapping[str, Any], where: str) -> Iterator[Row]:
    """The row of an output of which only the whole is told: a line of `docops run`, or of PPT-Eval's list of results."""
    total = None if _unverified(body) else _number(body.get("score"), f"{where}: score")
    whole = None if total is None else float(total == 1)
    codes = body.get("reason_codes")
    reason = str(codes[0]) if isinstance(codes, list) and codes and whole != 1 else ""
    yield Row(str(body["task_id"]), WHOLE, whole, total=total, reason=reason)


def _unverified(body: Mapping[str, Any]) -> bool:
    """Whether nobody graded the output, so that the 0 which PPT-Eval writes then is none."""
    return body.get("status") == "error" or str(body.get("verification_status", "success")) not in _VERIFIED


def ppteval_rows(body: Mapping[str, Any]) -> Iterator[Row]:
    """Rows of a `result.json` of PPT-Eval, one a leaf of its scored rubric, and one for the whole."""
    from docops.rubrics.tree import leaf_ids

    task_id = str(body.get("task_id", ""))
    details = body.get("evaluation_details")
    details = details if isinstance(details, dict) else {}
    inner = details.get("details")
    broken = _unverified(body) or (isinstance(inner, dict) and "error" in inner)
    total = None if broken else _number(details.get("score"), f"{task_id}: score")
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
