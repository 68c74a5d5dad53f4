"""The demonstration: shipped bundles, each with a right and a damaged output, and what docops says about them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from docops.bundle import load_bundle
from docops.core.codes import Outcome
from docops.core.verdict import Status, Verdict
from docops.engine import verify_bundle
from docops.reading import read_json
from docops.report.text import finding_lines, paint
from docops.report.words import plain

MAX_FINDINGS = 2

_OPENING = """\
DocOps opens what somebody (or some program) made of an office document and answers two questions: is the requested state
reached, and is everything that nobody asked to change still intact? Each task below is verified twice, with a right output
and with one that looks right and is not.
"""


def expected_outputs(folder: Path) -> dict[str, Any]:
    """What a shipped bundle's `outputs/expected.json` says about its outputs; {} where it has none."""
    path = folder / "outputs" / "expected.json"
    return read_json(path, "outputs/expected.json", []) or {} if path.is_file() else {}


def chosen(expected: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """One right and one wrong output: the first of each."""
    for wanted in ("pass", "fail"):
        for name, entry in expected.items():
            if entry["expected"] == wanted:
                yield name, entry
                break


def demo_bundle(folder: Path, *, colour: bool) -> tuple[list[str], bool]:
    """What docops says about one shipped bundle, and whether it is what was expected."""
    bundle = load_bundle(folder)
    lines = ["", f"{plain(bundle.title)}  ({bundle.task_id})"]
    right = True
    for name, entry in chosen(expected_outputs(folder)):
        verdict = verify_bundle(bundle, folder / "outputs" / name)
        right = right and verdict.passed is (entry["expected"] == "pass")
        lines += _verdict(name, str(entry.get("why", "")), verdict, colour)
    return lines, right


def _verdict(name: str, why: str, verdict: Verdict, colour: bool) -> Iterator[str]:
    word = str(verdict.status).upper()
    yield f"  {paint(word, word.ljust(6), colour)} {name}: {plain(why)}"
    findings = [finding for criterion in verdict.criteria if criterion.outcome is Outcome.FAILED for finding in criterion.findings]
    for finding in findings[:MAX_FINDINGS]:
        yield from finding_lines(finding)
    if verdict.status is Status.ERROR:
        yield from (f"      {plain(criterion.message)}" for criterion in verdict.criteria if criterion.outcome is Outcome.ERROR)


def opening() -> str:
    """What the demonstration shows."""
    return _OPENING


def closing(folder: Path) -> str:
    """How to see more of one bundle."""
    outputs = [name for name, _ in chosen(expected_outputs(folder))]
    return f"\nThe whole verdict of one of these outputs:\n  docops verify {folder} {folder / 'outputs' / outputs[-1]}\n"


def selected(folders: Sequence[Path]) -> list[Path]:
    """The first bundle of each kind of document, by the first word of its name."""
    first: dict[str, Path] = {}
    for folder in folders:
        first.setdefault(folder.name.partition("-")[0], folder)
    return list(first.values())
