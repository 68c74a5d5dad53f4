"""Audits: a stratified sample of verdicts, as a sheet that a person fills in without seeing them."""

from __future__ import annotations

import csv
import io
import json
import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docops.bundle import Bundle, load_bundle
from docops.core.canonical import sha256
from docops.core.errors import DocopsError, UsageError
from docops.differences import diff_files

COLUMNS = ("task_id", "checkpoint_id", "score", "type", "run", "question", "note")
#: Changes between before and after that the page shows for one artifact.
MAX_CHANGES = 60


@dataclass(frozen=True, slots=True)
class Judged:
    """A verdict of a run: the name under which `docops meta` finds it, its JSON values, and where its files are."""

    name: str
    verdict: Mapping[str, Any]
    level: str
    formats: str
    bundle: Bundle | None
    output: Path | None

    @property
    def stratum(self) -> tuple[str, str, str]:
        """What the sample is drawn evenly over."""
        return self.level, self.formats, "passed" if self.verdict.get("passed") else "failed"


def read_run(run: Path, bundles: Path | None, outputs: Path | None) -> list[Judged]:
    """The verdicts below a folder, with their bundles and outputs where these are given.

    bundles: folder of task bundles (or one bundle).   outputs: folder of outputs, `<task_id>` or the verdict's path below it.
    Raises UsageError where there is no verdict.
    """
    by_task = _bundles(bundles)
    bodies: dict[str, list[tuple[str, Mapping[str, Any]]]] = defaultdict(list)
    for path in sorted(run.rglob("*.json")):
        try:
            body = json.loads(path.read_text("utf-8-sig"))
        except (OSError, ValueError):
            continue
        if isinstance(body, dict) and body.get("schema") == "docops.verdict/1":
            bodies[str(body["task_id"])].append((path.relative_to(run).with_suffix("").as_posix(), body))
    if not bodies:
        raise UsageError(f"{run}: holds no verdicts (docops verify --format json --out FILE)")
    found = []
    for task_id, members in sorted(bodies.items()):
        bundle = by_task.get(task_id)
        for place, body in members:
            name = task_id if len(members) == 1 else f"{task_id} ({place})"
            formats = ", ".join(sorted({artifact["format"] or "other" for artifact in body["artifacts"]}))
            found.append(Judged(name, body, bundle.level if bundle else "", formats, bundle, _output(outputs, task_id, place)))
    return found


def _bundles(folder: Path | None) -> dict[str, Bundle]:
    if folder is None:
        return {}
    roots = [folder] if (folder / "task_metadata.json").is_file() else sorted(path.parent for path in folder.glob("*/task_metadata.json"))
    loaded = [load_bundle(root) for root in roots]
    return {bundle.task_id: bundle for bundle in loaded}


def _output(outputs: Path | None, task_id: str, place: str) -> Path | None:
    candidates = [outputs / place, (outputs / place).parent, outputs / task_id] if outputs is not None else []
    return next((path for path in candidates if path.is_dir() and path != outputs), None)


def draw(verdicts: Sequence[Judged], number: int, seed: int) -> list[Judged]:
    """A sample drawn evenly over level, format and passed or failed, the same for the same seed; shuffled, so that order tells nothing."""
    strata: dict[tuple[str, str, str], list[Judged]] = defaultdict(list)
    for judged in verdicts:
        strata[judged.stratum].append(judged)

    def rank(judged: Judged) -> str:
        return sha256(f"{seed}\n{judged.name}".encode())

    queues = [sorted(members, key=rank) for _, members in sorted(strata.items())]
    chosen: list[Judged] = []
    while len(chosen) < number and any(queues):
        for queue in queues:
            if queue and len(chosen) < number:
                chosen.append(queue.pop(0))
    random.Random(seed).shuffle(chosen)  # noqa: S311
    return chosen


def sheet_csv(sample: Sequence[Judged]) -> str:
    """The sheet: a line for each question and one for the whole output; the auditor fills `score` (1, 0.5, 0 or N/A) and may add a note."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for judged in sample:
        for criterion in judged.verdict["criteria"]:
            kind = "preservation" if criterion.get("implied") else ""
            writer.writerow((judged.name, criterion["id"], "", kind, "", question(criterion), ""))
    return out.getvalue()


def question(criterion: Mapping[str, Any]) -> str:
    """What a person is asked."""
    return str(criterion.get("title") or criterion["id"])


def changes_of(judged: Judged) -> list[tuple[str, list[tuple[str, str, Any, Any]], str]]:
    """For each artifact with a source: (name, changes as (place, what, before, after), a note where there is nothing to compare)."""
    if judged.bundle is None or judged.output is None:
        return []
    found: list[tuple[str, list[tuple[str, str, Any, Any]], str]] = []
    for artifact in judged.bundle.artifacts:
        after = judged.output / artifact.output
        if artifact.source is None or not artifact.format:
            note = "made from nothing" if artifact.source is None else "not opened by docops"
            found.append((artifact.output, [], note if after.is_file() else "the file is not there"))
            continue
        try:
            diff = diff_files(judged.bundle.root / artifact.source, after)
        except (DocopsError, OSError) as error:
            found.append((artifact.output, [], str(error)))
            continue
        rows = [
            (change.address or "the document", f"{change.kind} {change.aspect} {change.name}".strip(), change.before, change.after)
            for change in diff.changes
        ]
        found.append((artifact.output, rows[:MAX_CHANGES], f"… and {len(rows) - MAX_CHANGES} more" if len(rows) > MAX_CHANGES else ""))
    return found
