"""Every example of every predicate does what it says, those of plug-ins included."""

from __future__ import annotations

from pathlib import Path

import pytest

from docops.core.codes import FindingCode, Outcome
from docops.core.predicate import Example, Predicate
from docops.parameters import check_parameters
from docops.registry import predicates
from tests.support.examples import run_predicate

#: Codes of what docops could not decide; they are held against nobody.
UNDECIDED = {FindingCode.UNSUPPORTED, FindingCode.INCONCLUSIVE, FindingCode.ENGINE_UNAVAILABLE}
KNOWN = predicates()
CASES = [(known, example) for known in KNOWN for example in known.examples]


@pytest.mark.parametrize(("known", "example"), CASES, ids=[f"{known.name}: {example.title}" for known, example in CASES])
def test_example_does_what_it_says(known: Predicate, example: Example, tmp_path: Path) -> None:
    assert list(check_parameters(known.parameters, example.params)) == []
    result = run_predicate(known, example.params, example.files(), example.source() if example.source else {}, tmp_path)
    told = [(str(finding.code), finding.address, finding.message) for finding in result.findings] or result.message
    if example.passes is True:
        assert result.outcome is Outcome.PASSED, told
    else:
        assert result.outcome is (Outcome.ERROR if example.passes in UNDECIDED else Outcome.FAILED), told
    if isinstance(example.passes, FindingCode):
        assert example.passes in {finding.code for finding in result.findings}, told


@pytest.mark.parametrize("known", KNOWN, ids=[known.name for known in KNOWN])
def test_predicate_shows_when_it_holds_and_when_not(known: Predicate) -> None:
    passing = [example.passes is True for example in known.examples]
    assert True in passing
    assert False in passing
