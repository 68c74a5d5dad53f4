"""The verdicts of a run, kept beside its rows: what an audit draws from and an evaluation of the verifier reads."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docops.core.canonical import canonical_json

VERDICTS = "verdicts.jsonl"
#: Where the folders of bundles and of outputs were, seen from the run's own.
PLACES = "places.json"
#: Verdicts as they came; it is there as long as a run is not finished.
JOURNAL = "verdicts-journal.jsonl"

Key = tuple[str, str, int]


@dataclass(frozen=True, slots=True)
class Kept:
    """One verdict of a run: on which output of whom, and where the output is below the folder of outputs."""

    agent: str
    trial: int
    output: str
    verdict: Mapping[str, Any]

    @property
    def key(self) -> Key:
        """What tells it from the others."""
        return self.agent, str(self.verdict["task_id"]), self.trial

    @property
    def place(self) -> str:
        """What tells it from the others of its task."""
        return run_place(self.agent, self.trial)

    def line(self) -> str:
        """The verdict as one line of a JSONL file."""
        body = {"agent": self.agent, "trial": self.trial, "output": self.output, "verdict": dict(self.verdict)}
        return canonical_json(body).decode("utf-8", "replace") + "\n"


def run_place(agent: str, trial: object) -> str:
    """What an output of a run is called beside others of its task."""
    return f"{agent}, trial {trial}"


def seen_from(folder: Path, path: Path) -> str:
    """A path as it is seen from a folder, with `/`; "" where there is no way."""
    try:
        return Path(os.path.relpath(path, folder)).as_posix()
    except ValueError:  # another drive
        return ""


def read_places(folder: Path) -> dict[str, Path]:
    """The folders `bundles` and `outputs` that a run was over, where it knows them and they are still there."""
    try:
        told = json.loads((folder / PLACES).read_text("utf-8"))
        found = {name: folder / str(told[name]) for name in ("bundles", "outputs") if told[name]}
    except (OSError, ValueError, TypeError, KeyError):
        return {}
    return {name: path for name, path in found.items() if path.is_dir()}


def read_kept(folder: Path, names: Iterable[str] = (VERDICTS,)) -> Iterator[Kept]:
    """The verdicts that a run keeps in a folder; lines that are none, as the one that was being written when it ended, are passed over."""
    for name in names:
        try:
            lines = (folder / name).read_text("utf-8").split("\n")
        except (OSError, UnicodeDecodeError):
            continue
        for line in lines:
            try:
                body = json.loads(line)
                kept = Kept(str(body["agent"]), int(body["trial"]), str(body["output"]), body["verdict"])
                if kept.verdict["schema"] == "docops.verdict/1":
                    yield kept
            except (ValueError, TypeError, KeyError, RecursionError):
                continue
