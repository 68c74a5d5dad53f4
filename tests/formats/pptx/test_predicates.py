from __future__ import annotations

from pathlib import Path

import pytest

from docops.core.codes import FindingCode, Outcome
from docops.core.predicate import Example, Predicate
from docops.formats.pptx.predicates import PREDICATES
from tests.support.examples import run_predicate

CASES = [(predicate, example) for predicate in PREDICATES for example in predicate.examples]


@pytest.mark.parametrize(("predicate", "example"), CASES, ids=[f"{predicate.name}: {example.title}" for predicate, example in CASES])
def test_every_example_comes_out_as_it_says(predicate: Predicate, example: Example, tmp_path: Path) -> None:
    sources = example.source() if example.source is not None else {}
    result = run_predicate(predicate, example.params, example.files(), sources, tmp_path)
    if example.passes is True:
        assert result.outcome is Outcome.PASSED, result.findings
    else:
        assert result.outcome is Outcome.FAILED, result.message
        codes = {finding.code for finding in result.findings}
        assert isinstance(example.passes, FindingCode)
        assert example.passes in codes, result.findings


@pytest.mark.parametrize("predicate", PREDICATES, ids=lambda predicate: predicate.name)
def test_every_predicate_shows_a_passing_and_a_failing_case(predicate: Predicate) -> None:
    assert any(example.passes is True for example in predicate.examples)
    assert any(example.passes is not True for example in predicate.examples)
