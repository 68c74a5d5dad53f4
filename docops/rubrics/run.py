"""The leaves of a rubric as criteria: run where that is allowed, each apart from the others, and scored."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path, PurePosixPath
from threading import Lock
from typing import Any

from docops.core.canonical import sha256
from docops.core.codes import Family, FindingCode, Outcome
from docops.core.options import Answer, Options
from docops.core.pictures import Pictures
from docops.core.predicate import Evidence, Finding
from docops.core.verdict import CriterionResult, Status
from docops.rubrics.diff import diffs, empty
from docops.rubrics.sandbox import NO_MODEL, LeafInput, LeafResult, run_leaf
from docops.rubrics.screenshots import NO_SCREENSHOTS, screenshots
from docops.rubrics.tree import Leaf, Rubric
from docops.scoring import TreeScore, score_tree
from docops.verifier import VerifierSpec

PREDICATE = "ppteval.leaf"
_CODES = {
    "raised": FindingCode.CODE_RAISED,
    "answer": FindingCode.CODE_ANSWER,
    "limit": FindingCode.CODE_LIMIT,
    "ended": FindingCode.CODE_ENDED,
    "model": FindingCode.MODEL_UNAVAILABLE,
}


def judge_rubric(rubric: Rubric, files: tuple[str, bytes, bytes] | Finding, options: Options, engines: set[str]) -> list[CriterionResult]:
    """What becomes of every leaf.

    files: name of the deck, before and after; a finding where the output is missing or unreadable: then no leaf runs and all score 0.
    engines: the judge that answered and the programs that made pictures are noted here.
    """
    if isinstance(files, Finding):
        return [
            replace(
                _blank(leaf),
                outcome=Outcome.FAILED,
                score=0.0,
                reason_code=str(files.code),
                message=files.message,
                findings=(files,),
                findings_total=1,
            )
            for leaf in rubric.leaves
        ]
    if not options.allow_code:
        message = "not run: the rubric holds Python code, which runs only with --allow-code"
        return [
            replace(_blank(leaf), outcome=Outcome.NOT_APPLICABLE, reason_code=str(FindingCode.CODE_NOT_ALLOWED), message=message)
            for leaf in rubric.leaves
        ]
    name, source, output = files
    with tempfile.TemporaryDirectory(prefix="docops-rubric-") as folder:
        paths = []
        for role, data in (("before", source), ("after", output)):
            path = Path(folder, role, PurePosixPath(name).name)
            path.parent.mkdir()
            path.write_bytes(data)
            paths.append(path)
        return _run_all(rubric, name, paths[0], paths[1], options, engines)


def _run_all(rubric: Rubric, name: str, before: Path, after: Path, options: Options, engines: set[str]) -> list[CriterionResult]:
    shots = [screenshots(path, options.renderer) for path in (before, after)] if _reads_screenshots(rubric) else [NO_SCREENSHOTS] * 2
    engines.update(shot.by for shot in shots if shot.by)
    given = LeafInput(before, after, _diff(rubric, before, after, options), shots[0].entries, shots[1].entries)
    # A picture that a leaf sends on is named by the slide that it shows, so that an answer to it replays wherever it was drawn.
    names = {digest: name for shot in shots for digest, name in shot.names.items()}
    lock = Lock()

    def answer(question: Mapping[str, Any], images: Sequence[bytes]) -> Answer:
        if options.judge is None:
            return NO_MODEL
        pictures = [Pictures((names.get(sha256(image), sha256(image)),), lambda image=image: [image]) for image in images]  # type: ignore[misc]
        heat = question.get("temperature")
        with lock:
            found = options.judge.answer(str(question["prompt"]), pictures, temperature=float(heat) if isinstance(heat, (int, float)) else None)
            if found.text is not None:
                engines.add(f"judge {options.judge.name}")
        return found

    def run(leaf: Leaf) -> CriterionResult:
        return _result(leaf, run_leaf(leaf.code, given, seconds=options.leaf_seconds, answer=answer), name)

    with ThreadPoolExecutor(max_workers=min(4, os.cpu_count() or 1)) as pool:
        return list(pool.map(run, rubric.leaves))


def _reads_screenshots(rubric: Rubric) -> bool:
    return any("screenshots" in leaf.code for leaf in rubric.leaves)


def _diff(rubric: Rubric, before: Path, after: Path, options: Options) -> dict[str, list[Any]]:
    """The comparison, where a leaf may read it; the benchmark's own reports nothing where it fails, and so does this."""
    if not any("diff" in leaf.code for leaf in rubric.leaves):
        return empty()
    try:
        return diffs(options.ppteval_diff)(before, after)
    except Exception:
        return empty()


def _blank(leaf: Leaf) -> CriterionResult:
    return CriterionResult(leaf.id, leaf.name, Family.STRUCTURAL, PREDICATE, leaf.critical, 1.0, Outcome.PASSED, None)


def _result(leaf: Leaf, result: LeafResult, artifact: str) -> CriterionResult:
    blank = _blank(leaf)
    if result.score is None:
        outcome = Outcome.NOT_APPLICABLE if result.kind == "model" else Outcome.ERROR
        return replace(blank, outcome=outcome, reason_code=str(_CODES[result.kind]), message=result.message)
    evidence = (Evidence(artifact, result.message),) if result.message else ()
    if result.score == 1:
        return replace(blank, score=1.0, message=result.message, evidence=evidence)
    finding = Finding(FindingCode.MISMATCH, artifact, 1.0, result.score, result.message or f"the leaf scores {result.score:g}")
    return replace(
        blank,
        outcome=Outcome.FAILED,
        score=result.score,
        reason_code=str(FindingCode.MISMATCH),
        message=finding.message,
        findings=(finding,),
        findings_total=1,
        evidence=evidence,
    )


def score_rubric(verifier: VerifierSpec, results: Sequence[CriterionResult], options: Options) -> TreeScore:
    """The score of a rubric: what was not scored is open, what docops adds is information, and strict mode as in the benchmark."""
    scored = score_tree(verifier, results, count_implied=False)
    broken = [result for result in results if result.outcome is Outcome.ERROR and not result.implied]
    if options.strict_ppteval and broken:
        reason = f"“{broken[0].title}” raised ({broken[0].message}), and strict mode scores the whole task 0 for that."
        return TreeScore(Status.FAILED, (0.0, 0.0), scored.groups, scored.gates, reason)
    return scored
