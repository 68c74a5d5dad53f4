"""The shipped bundles: right outputs pass, damaged ones fail for the stated reason and no other."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import docops
from docops.core.verdict import Status
from tests.support.expectations import finding_stands_under

BUNDLES = Path(__file__).parents[1] / "bundles"


def cases() -> list[tuple[str, str]]:
    found = []
    for bundle in sorted(path for path in BUNDLES.iterdir() if path.is_dir()):
        found += [(bundle.name, name) for name in json.loads((bundle / "outputs" / "expected.json").read_text("utf-8"))]
    return found


@pytest.mark.parametrize(("bundle", "output"), cases())
def test_verdict_is_as_stated(bundle: str, output: str) -> None:
    folder = BUNDLES / bundle
    expected = json.loads((folder / "outputs" / "expected.json").read_text("utf-8"))[output]
    verdict = docops.verify(folder, folder / "outputs" / output)
    findings = [finding for criterion in verdict.criteria for finding in criterion.findings]
    told = [(str(finding.code), finding.address, finding.message) for finding in findings]
    assert verdict.status is (Status.PASSED if expected["expected"] == "pass" else Status.FAILED), told
    assert sorted({str(finding.code) for finding in findings}) == expected["reason_codes"], told
    if expected["finding_under"]:
        assert any(finding_stands_under(finding.address, place) for finding in findings for place in expected["finding_under"]), told


def test_every_bundle_has_two_right_and_three_damaged_outputs() -> None:
    assert len(list(BUNDLES.iterdir())) >= 9
    for bundle in BUNDLES.iterdir():
        expected = json.loads((bundle / "outputs" / "expected.json").read_text("utf-8"))
        kinds = [case["expected"] for case in expected.values()]
        assert kinds.count("pass") >= 1, bundle.name
        assert kinds.count("fail") >= 3, bundle.name
