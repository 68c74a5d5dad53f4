"""Benign operators leave canonical facts equal, and every corruption changes them."""

from __future__ import annotations

import functools
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from docops.core.compare import Comparison, compare_trees
from docops.core.errors import Unreadable
from docops.core.operator import CorruptionClass, MutationInput, Operator, OperatorKind, Site
from docops.engine import open_document
from docops.operators import operators_for, spread
from docops.registry import format_named
from docops.stressing.execute import missing_requirements
from tests.operators.test_examples import SAMPLES

NOTHING = MutationInput(siblings={}, texts=("Shorter waiting times", "Summary of the half", "must approve every payment", "The quay costs"))
_WHOLE = (CorruptionClass.ARTIFACT_DELETION, CorruptionClass.SAME_NAME_CORRUPTION)


@functools.cache
def _document(name: str) -> Any:
    return open_document(SAMPLES[name](), f"sample.{name}")


def changes(name: str, mutated: bytes) -> list[str]:
    """What a mutant changes, as a preservation criterion sees it, stale results included."""
    found = format_named(name)
    source = _document(name)
    output = open_document(mutated, f"sample.{name}")
    compare = found.compare
    seen = compare(source, output, Comparison()) if compare is not None else compare_trees(source.root, output.root, Comparison())
    out = [f"{change.address} {change.aspect}:{change.name}" for change in seen]
    if found.stale is not None:
        out += [f"{stale.address} stale:{stale.name}" for stale in found.stale(output, source)]
    return out


@functools.cache
def _cases(kind: OperatorKind) -> list[tuple[str, Operator, Site]]:
    return [
        (name, operator, site)
        for name in sorted(SAMPLES)
        for operator in operators_for(name, kinds=[kind])
        if operator.corruption_class not in _WHOLE
        for site in operator.sites(SAMPLES[name](), NOTHING)
    ]


BENIGN = [(name, operator) for name in sorted(SAMPLES) for operator in operators_for(name, kinds=[OperatorKind.BENIGN])]


@pytest.mark.parametrize(("name", "operator"), BENIGN, ids=[f"{name}-{operator.name}" for name, operator in BENIGN])
def test_benign_rewrites_leave_facts_equal(name: str, operator: Operator) -> None:
    if missing_requirements(operator):
        pytest.skip(f"{', '.join(operator.requires)} not installed")
    data = SAMPLES[name]()
    for site in spread(list(operator.sites(data, NOTHING)), 8):
        mutated = operator.apply(data, site, NOTHING).data
        assert mutated is not None
        assert changes(name, mutated) == [], site.before


@settings(max_examples=25, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(number=st.integers(min_value=0))
def test_corruptions_change_facts(number: int) -> None:
    cases = _cases(OperatorKind.CORRUPTION)
    name, operator, site = cases[number % len(cases)]
    mutated = operator.apply(SAMPLES[name](), site, NOTHING).data
    assert mutated is not None
    try:
        found = changes(name, mutated)
    except Unreadable:
        return
    assert found, f"{operator.name} at {site.address} ({site.before})"


CORRUPTIONS = [
    (name, operator)
    for name in sorted(SAMPLES)
    for operator in operators_for(name, kinds=[OperatorKind.CORRUPTION])
    if operator.corruption_class not in _WHOLE and next(iter(operator.sites(SAMPLES[name](), NOTHING)), None)
]


@pytest.mark.parametrize(("name", "operator"), CORRUPTIONS, ids=[f"{name}-{operator.name}" for name, operator in CORRUPTIONS])
def test_each_corruption_changes_facts_at_its_first_place(name: str, operator: Operator) -> None:
    data = SAMPLES[name]()
    site = next(iter(operator.sites(data, NOTHING)))
    mutated = operator.apply(data, site, NOTHING).data
    assert mutated is not None
    assert changes(name, mutated)
