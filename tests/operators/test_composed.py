"""Rewrites in pairs, and the re-save by LibreOffice where only content is preserved."""

from __future__ import annotations

import pytest

from docops.core.operator import MutationInput
from docops.operators.composed import OPERATORS
from docops.stressing.execute import missing_requirements
from tests.operators.test_examples import SAMPLES

TABLE = {operator.name: operator for operator in OPERATORS}
NOTHING = MutationInput(siblings={})
CONTENT = MutationInput(siblings={}, profile="content")


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_pairs_are_of_two_different_rewrites_and_each_first_one_leads(name: str) -> None:
    operator = TABLE["pdf.two-rewrites" if name == "pdf" else "ooxml.two-rewrites"]
    sites = list(operator.sites(SAMPLES[name](), NOTHING))
    assert len(sites) >= 10
    assert all(site.locator[0] != site.locator[2] for site in sites)
    assert len({site.locator[0] for site in sites}) >= 8


@pytest.mark.parametrize("name", ["xlsx", "docx", "pptx"])
def test_libreoffice_only_where_content_is_preserved(name: str) -> None:
    operator = TABLE["ooxml.re-saved-by-libreoffice"]
    assert list(operator.sites(SAMPLES[name](), NOTHING)) == []
    assert len(list(operator.sites(SAMPLES[name](), CONTENT))) == 1


def test_libreoffice_writes_a_document_of_the_same_type() -> None:
    operator = TABLE["ooxml.re-saved-by-libreoffice"]
    if missing_requirements(operator):
        pytest.skip("LibreOffice not installed")
    data = SAMPLES["xlsx"]()
    saved = operator.apply(data, next(iter(operator.sites(data, CONTENT))), CONTENT).data
    assert saved is not None
    assert b"xl/workbook" in saved
    assert saved != data
