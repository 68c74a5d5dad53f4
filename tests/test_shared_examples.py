"""The labelled examples of the contract come out as their `expected.json` says."""

from __future__ import annotations

import json

import pytest

import docops
from docops.core.verdict import Status
from tests.support.expectations import SHARED, finding_stands_under

EXAMPLES = SHARED / "examples"


def cases() -> list[tuple[str, str]]:
    if not EXAMPLES.is_dir():
        return []
    tasks = sorted(path for path in EXAMPLES.iterdir() if path.is_dir())
    return [(task.name, name) for task in tasks for name in json.loads((task / "outputs" / "expected.json").read_text("utf-8"))]


@pytest.mark.skipif(not EXAMPLES.is_dir(), reason="no labelled examples beside this checkout")
@pytest.mark.parametrize(("task", "output"), cases())
def test_verdict_is_as_labelled(task: str, output: str) -> None:
    folder = EXAMPLES / task
    expected = json.loads((folder / "outputs" / "expected.json").read_text("utf-8"))[output]
    verdict = docops.verify(folder / "bundle", folder / "outputs" / output)
    findings = [finding for criterion in verdict.criteria for finding in criterion.findings]
    told = [(str(finding.code), finding.address, finding.message) for finding in findings]
    assert verdict.status is (Status.PASSED if expected["expected"] == "pass" else Status.FAILED), told
    if expected["finding_under"]:
        assert any(finding_stands_under(finding.address, place) for finding in findings for place in expected["finding_under"]), told
