"""Verdicts as CTRF (Common Test Report Format), one test a criterion, for training environments that show test results."""

from __future__ import annotations

from typing import Any

from docops.core.canonical import canonical_json
from docops.core.codes import Outcome
from docops.core.verdict import CriterionResult, Verdict
from docops.report.text import finding_lines
from docops.report.words import plain

_STATUS = {Outcome.PASSED: "passed", Outcome.FAILED: "failed", Outcome.ERROR: "other", Outcome.NOT_APPLICABLE: "skipped"}


def verdict_ctrf(verdict: Verdict) -> str:
    """A verdict as CTRF; a criterion that could not be decided is `other`, one without meaning is `skipped`.

    Times are 0, because a verdict holds none.
    """
    tests = [_test(verdict, criterion) for criterion in verdict.criteria]
    counts = {status: sum(test["status"] == status for test in tests) for status in ("passed", "failed", "skipped", "pending", "other")}
    results = {
        "tool": {"name": "docops", "version": verdict.version},
        "summary": {"tests": len(tests), **counts, "start": 0, "stop": 0},
        "tests": tests,
    }
    return canonical_json({"reportFormat": "CTRF", "specVersion": "0.0.0", "results": results}).decode() + "\n"


def _test(verdict: Verdict, criterion: CriterionResult) -> dict[str, Any]:
    test: dict[str, Any] = {
        "name": plain(criterion.id),
        "status": _STATUS[criterion.outcome],
        "duration": 0,
        "suite": f"{plain(verdict.task_id)}.{criterion.family}",
        "rawStatus": str(criterion.outcome),
    }
    if criterion.message:
        test["message"] = plain(criterion.message)
    lines = [line.strip() for finding in criterion.findings for line in finding_lines(finding, criterion.reason_code)]
    if lines:
        test["trace"] = "\n".join(lines)
    return test
