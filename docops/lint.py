"""Whether a bundle is sound: it can be passed by its reference, and not by doing nothing or by handing in nothing."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docops.bundle import ArtifactSpec, Bundle, load_bundle
from docops.core.codes import Outcome
from docops.core.document import Document
from docops.core.errors import BundleError, Unreadable, UsageError
from docops.core.node import resolve
from docops.core.verdict import Status, Verdict
from docops.engine import verify_bundle
from docops.files import open_path
from docops.report.words import counted, plain

SCHEMA = "docops.lint/1"
MAX_REASONS = 10


@dataclass(frozen=True, slots=True)
class Check:
    """One question about a bundle.

    outcome: passed, failed, or not applicable.   reasons: why, a line each.
    """

    name: str
    question: str
    outcome: Outcome
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LintReport:
    """What was found out about one bundle.

    folder: as it was given.
    """

    folder: str
    task_id: str
    checks: tuple[Check, ...]

    @property
    def sound(self) -> bool:
        """Whether nothing is wrong with the bundle."""
        return all(check.outcome in (Outcome.PASSED, Outcome.NOT_APPLICABLE) for check in self.checks)


def lint_bundle(folder: str | os.PathLike[str]) -> LintReport:
    """Check one bundle; whatever is wrong with it is in the report."""
    try:
        bundle = load_bundle(folder)
    except BundleError as error:
        return LintReport(os.fspath(folder), "", (_check("schema", "metadata and verifier are valid", [str(problem) for problem in error.problems]),))
    checks = [_check("schema", "metadata and verifier are valid", [])]
    for ask in (_documents_open, _scope_resolves, _reference_passes, _source_fails, _empty_fails, _criteria_can_fail):
        if bundle.verifier.rubric is not None and ask in (_reference_passes, _source_fails, _criteria_can_fail):
            checks.append(Check(*_QUESTIONS[ask.__name__], Outcome.NOT_APPLICABLE, ("the verifier is a rubric with code, and lint runs none",)))
            continue
        try:
            checks.append(ask(bundle))
        except (BundleError, Unreadable, UsageError) as error:
            checks.append(_check(*_QUESTIONS[ask.__name__], str(error).splitlines()))
    return LintReport(os.fspath(folder), bundle.task_id, tuple(checks))


_QUESTIONS = {
    "_documents_open": ("documents-open", "sources and references can be read"),
    "_scope_resolves": ("scope-resolves", "every place of the edit scope is in the source or in the reference"),
    "_reference_passes": ("reference-passes", "the reference output passes"),
    "_source_fails": ("source-fails", "the untouched source fails"),
    "_empty_fails": ("empty-fails", "an empty output folder fails"),
    "_criteria_can_fail": ("criteria-can-fail", "every criterion fails for some damaged output"),
}


def _check(name: str, question: str, reasons: Sequence[str]) -> Check:
    return Check(name, question, Outcome.FAILED if reasons else Outcome.PASSED, tuple(reasons))


def _documents_open(bundle: Bundle) -> Check:
    return _check(*_QUESTIONS["_documents_open"], [reason for artifact in bundle.artifacts for reason in _unreadable(bundle, artifact)])


def _unreadable(bundle: Bundle, artifact: ArtifactSpec) -> Iterator[str]:
    for role, path in (("source", artifact.source), ("reference", artifact.reference)):
        if path is not None and isinstance(opened := _open(bundle, path, artifact), Unreadable):
            yield f"{role} {path}: {opened.message}"


def _open(bundle: Bundle, path: str, artifact: ArtifactSpec) -> Document | Unreadable | None:
    """The document, or why it cannot be read; None for a file that is no document to docops."""
    if not artifact.format:
        return None
    try:
        return open_path(bundle.root / path)
    except Unreadable as error:
        return error


def _scope_resolves(bundle: Bundle) -> Check:
    reasons: list[str] = []
    for artifact in bundle.artifacts:
        documents = [_open(bundle, path, artifact) for path in (artifact.source, artifact.reference) if path is not None]
        roots = [document.root for document in documents if document is not None and not isinstance(document, Unreadable)]
        reasons += [f"{entry.at} names no place" for entry in artifact.scope if roots and not any(resolve(root, entry.at.segments) for root in roots)]
    return _check(*_QUESTIONS["_scope_resolves"], reasons)


def _reference_passes(bundle: Bundle) -> Check:
    name, question = _QUESTIONS["_reference_passes"]
    missing = [artifact.output for artifact in bundle.artifacts if artifact.reference is None and not artifact.read_only]
    if missing:
        return _check(name, question, [f"{output} has no reference" for output in missing])
    verdict = _verdict(bundle, {artifact.output: artifact.reference or artifact.source for artifact in bundle.artifacts})
    if verdict.status is Status.PASSED:
        return _check(name, question, [])
    reasons = []
    for criterion in verdict.criteria:
        if criterion.outcome in (Outcome.FAILED, Outcome.ERROR):
            places = [f"{finding.address}: {finding.message}" for finding in criterion.findings] or [criterion.message]
            reasons += [f"{criterion.id} [{criterion.reason_code}] {place}" for place in places]
    return _check(name, question, reasons or [f"the verdict is {verdict.status}"])


def _source_fails(bundle: Bundle) -> Check:
    name, question = _QUESTIONS["_source_fails"]
    files = {artifact.output: artifact.source for artifact in bundle.artifacts if artifact.source is not None}
    if not files:
        return Check(name, question, Outcome.NOT_APPLICABLE, ("no artifact has a source",))
    return _check(name, question, _not_failed(_verdict(bundle, files)))


def _empty_fails(bundle: Bundle) -> Check:
    return _check(*_QUESTIONS["_empty_fails"], _not_failed(_verdict(bundle, {})))


def _criteria_can_fail(bundle: Bundle) -> Check:
    from docops.stressing.weak import criteria_that_never_failed

    name, question = _QUESTIONS["_criteria_can_fail"]
    if any(artifact.reference is None and not artifact.read_only for artifact in bundle.artifacts):
        return Check(name, question, Outcome.NOT_APPLICABLE, ("not every artifact has a reference to damage",))
    return _check(name, question, [f"{identity} held for every damaged output that was tried" for identity in criteria_that_never_failed(bundle)])


def _not_failed(verdict: Verdict) -> list[str]:
    return [] if verdict.status is Status.FAILED else [f"the verdict is {verdict.status}"]


def _verdict(bundle: Bundle, files: Mapping[str, str | None]) -> Verdict:
    """The verdict on an output folder that holds files of the bundle under the names of outputs."""
    with tempfile.TemporaryDirectory(prefix="docops-lint-") as folder:
        for output, path in files.items():
            if path is not None:
                target = Path(folder, output)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(bundle.root / path, target)
        return verify_bundle(bundle, Path(folder))


def reports_json(reports: Sequence[LintReport]) -> dict[str, Any]:
    """The reports as JSON values."""
    return {
        "schema": SCHEMA,
        "sound": all(report.sound for report in reports),
        "bundles": [
            {
                "bundle": report.folder,
                "task_id": report.task_id,
                "sound": report.sound,
                "checks": [
                    {"name": check.name, "question": check.question, "outcome": str(check.outcome), "reasons": list(check.reasons)}
                    for check in report.checks
                ],
            }
            for report in reports
        ],
    }


def reports_text(reports: Sequence[LintReport]) -> str:
    """The reports for people."""
    words = {Outcome.PASSED: "ok", Outcome.FAILED: "FAIL", Outcome.ERROR: "ERROR", Outcome.NOT_APPLICABLE: "n/a"}
    lines = []
    for report in reports:
        lines.append(f"{'sound' if report.sound else 'NOT SOUND'}  {plain(report.folder)}")
        for check in report.checks:
            lines.append(f"  {words[check.outcome].ljust(5)} {check.question}")
            lines += [f"          {plain(reason)}" for reason in check.reasons[:MAX_REASONS]]
            if len(check.reasons) > MAX_REASONS:
                lines.append(f"          … and {counted(len(check.reasons) - MAX_REASONS, 'more reason')}")
    return "\n".join(lines) + "\n"
