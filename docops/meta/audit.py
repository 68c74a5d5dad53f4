"""Audits: a stratified sample of verdicts, as a sheet that a person fills in without seeing them."""

from __future__ import annotations

import contextlib
import csv
import io
import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docops.bundle import Bundle
from docops.core.canonical import sha256
from docops.core.document import Document
from docops.core.errors import DocopsError, UsageError
from docops.differences import diff_files
from docops.files import open_path
from docops.meta.rows import WHOLE, Found, verdicts_below
from docops.running.kept import read_places
from docops.running.plan import load_all

COLUMNS = ("task_id", "checkpoint_id", "score", "type", "run", "question", "note")
FROM_NOTHING = "made from nothing"
WHOLE_QUESTION = "All that the instruction asks for is done, and nothing else changed"
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
    """The verdicts of a run, or those below a folder, with their bundles and outputs where these are given or the run knows them.

    bundles: folder of task bundles (or one bundle).   outputs: folder of outputs: `<agent>/<task_id>/[trial/]` for a run, else
    `<task_id>` or the verdict's path below it.
    Raises UsageError where there is no verdict.
    """
    places = read_places(run)
    outputs = outputs or places.get("outputs")
    by_task: Mapping[str, Bundle] = load_all(bundles) if bundles is not None else {}
    if bundles is None and "bundles" in places:
        with contextlib.suppress(DocopsError):  # they may have changed since, and the sheet does without
            by_task = load_all(places["bundles"])
    found = []
    for entry in verdicts_below(run):
        task_id = str(entry.body["task_id"])
        bundle = by_task.get(task_id)
        formats = ", ".join(sorted({artifact["format"] or "other" for artifact in entry.body["artifacts"]}))
        output = _output(outputs, task_id, entry) if outputs is not None else None
        found.append(Judged(entry.name, entry.body, bundle.level if bundle else "", formats, bundle, output))
    if not found:
        raise UsageError(f"{run}: holds no verdicts (docops run --out DIR, or docops verify --format json --out FILE)")
    return found


def _output(outputs: Path, task_id: str, entry: Found) -> Path | None:
    """The folder of an output: where the run found it, where the verdict stands, or that of its task."""
    candidates = [outputs / entry.output] if entry.output else []
    candidates += [outputs / entry.place, (outputs / entry.place).parent, outputs / task_id]
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
        writer.writerow((judged.name, WHOLE, "", "", "", WHOLE_QUESTION, ""))
    return out.getvalue()


def question(criterion: Mapping[str, Any]) -> str:
    """What a person is asked."""
    return str(criterion.get("title") or criterion["id"]).removesuffix(" (information)")


class Shown:
    """The text that stands at places of an output."""

    def __init__(self, judged: Judged) -> None:
        self.judged = judged
        self.documents: dict[str, Document | None] = {}

    def at(self, place: str) -> str | None:
        """The text at an address; None where there is none, or nothing to read it from."""
        artifact, _, inner = place.partition("#")
        document = self._document(artifact) if inner else None
        if document is None:
            return None
        try:
            inside = {node.address for found in document.find(inner) for node in found.walk()}
            return " / ".join(span.text for span in document.spans() if span.address in inside) or None
        except (DocopsError, LookupError):
            return None

    def text_of(self, artifact: str) -> list[str]:
        """The passages of a whole document that a reader sees, in reading order."""
        document = self._document(artifact)
        try:
            return [span.text for span in document.spans() if span.visible and span.text.strip()] if document is not None else []
        except DocopsError:
            return []

    def _document(self, artifact: str) -> Document | None:
        if artifact not in self.documents:
            try:
                self.documents[artifact] = open_path(self.judged.output / artifact) if self.judged.output is not None else None
            except (DocopsError, OSError):
                self.documents[artifact] = None
        return self.documents[artifact]


def changes_of(judged: Judged) -> list[tuple[str, list[tuple[str, str, Any, Any]], str]]:
    """For each artifact with a source: (name, changes as (place, what, before, after), a note where there is nothing to compare)."""
    if judged.bundle is None or judged.output is None:
        return []
    found: list[tuple[str, list[tuple[str, str, Any, Any]], str]] = []
    for artifact in judged.bundle.artifacts:
        after = judged.output / artifact.output
        if artifact.source is None or not artifact.format:
            note = FROM_NOTHING if artifact.source is None else "not opened by docops"
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
