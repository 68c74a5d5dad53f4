"""Verdicts as JUnit XML, one test case a criterion, for programs that show test results."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from docops.core.codes import Outcome
from docops.core.verdict import CriterionResult, Verdict
from docops.report.text import finding_lines

#: What XML 1.0 cannot hold.
_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def verdict_junit(verdict: Verdict) -> str:
    """A verdict as JUnit XML; a criterion that could not be decided is an error, one without meaning is skipped."""
    counts = {outcome: sum(criterion.outcome is outcome for criterion in verdict.criteria) for outcome in Outcome}
    suite = ElementTree.Element(
        "testsuite",
        name=_legal(verdict.task_id),
        tests=str(len(verdict.criteria)),
        failures=str(counts[Outcome.FAILED]),
        errors=str(counts[Outcome.ERROR]),
        skipped=str(counts[Outcome.NOT_APPLICABLE]),
        time="0",
    )
    properties = ElementTree.SubElement(suite, "properties")
    for name, value in (("status", str(verdict.status)), ("score", f"{verdict.score:g}"), ("docops", verdict.version)):
        ElementTree.SubElement(properties, "property", name=name, value=value)
    for criterion in verdict.criteria:
        case = ElementTree.SubElement(
            suite, "testcase", classname=f"{_legal(verdict.task_id)}.{criterion.family}", name=_legal(criterion.id), time="0"
        )
        tag = {Outcome.FAILED: "failure", Outcome.ERROR: "error", Outcome.NOT_APPLICABLE: "skipped"}.get(criterion.outcome)
        if tag is not None:
            result = ElementTree.SubElement(case, tag, message=_legal(criterion.message))
            if tag != "skipped":
                result.set("type", criterion.reason_code)
                result.text = _legal(_details(criterion))
    root = ElementTree.Element("testsuites")
    root.append(suite)
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _details(criterion: CriterionResult) -> str:
    lines = [line.strip() for finding in criterion.findings for line in finding_lines(finding, criterion.reason_code)]
    rest = criterion.findings_total - len(criterion.findings)
    return "\n".join([*lines, f"… and {rest} more"] if rest > 0 else lines)


def _legal(text: str) -> str:
    return _ILLEGAL.sub("\ufffd", text)
