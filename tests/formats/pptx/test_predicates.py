from __future__ import annotations

from pathlib import Path

import pytest

from docops.core.codes import FindingCode, Outcome
from docops.core.predicate import Example, Predicate
from docops.formats.pptx.predicates import PREDICATES
from docops.formats.pptx.samples import Slide, chart_slide, deck, table
from tests.formats.pptx.decks import edit, replace
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


WHITE = '<a:rPr><a:solidFill><a:srgbClr val="FFFFFF"/></a:solidFill></a:rPr>'
ROWS = [["Year", "Ships"], ["2023", "470"], ["2024", "455"]]


def _run(text: str, properties: str) -> tuple[str, str]:
    return f"<a:r><a:t>{text}</a:t></a:r>", f"<a:r>{properties}<a:t>{text}</a:t></a:r>"


@pytest.mark.parametrize(
    ("name", "params", "text", "properties", "code"),
    [
        ("pptx.title", {"at": "deck.pptx#slide[1]", "equals": "Goals"}, "Goals", WHITE, FindingCode.HIDDEN_TEXT),
        ("pptx.order", {"at": "deck.pptx", "titles": ["Goals"]}, "Goals", WHITE, FindingCode.MISSING),
        ("pptx.placeholder", {"at": "deck.pptx#slide[1]", "type": "title", "text": "Goals"}, "Goals", WHITE, FindingCode.HIDDEN_TEXT),
        ("pptx.paragraphs", {"at": 'deck.pptx#slide[1]/shape["Content Placeholder 2"]', "texts": ["Faster", "Cheaper"]}, "Faster", WHITE, FindingCode.WRONG_COUNT),
        ("pptx.table", {"at": "deck.pptx#slide[1]", "contains_rows": [["2024", "455"]]}, "455", '<a:rPr sz="100"/>', FindingCode.MISSING),
    ],
)
def test_text_that_no_reader_sees_is_out(name: str, params: dict[str, object], text: str, properties: str, code: FindingCode, tmp_path: Path) -> None:
    data = deck([Slide("Goals", ["Faster", "Cheaper"], shapes=[table(ROWS)])])
    chosen = next(predicate for predicate in PREDICATES if predicate.name == name)
    for directory, hidden in ((tmp_path / "seen", False), (tmp_path / "hidden", True)):
        directory.mkdir()
        output = replace(data, "ppt/slides/slide1.xml", *_run(text, properties)) if hidden else data
        result = run_predicate(chosen, params, {"deck.pptx": output}, {}, directory)
        assert {finding.code for finding in result.findings} == ({code} if hidden else set())


def test_a_title_beside_the_slide_is_no_title(tmp_path: Path) -> None:
    data = deck([Slide("Goals", ["Faster"])])
    away = replace(data, "ppt/slides/slide1.xml", "<p:spPr/>", '<p:spPr><a:xfrm><a:off x="-9000000" y="0"/><a:ext cx="8000000" cy="900000"/></a:xfrm></p:spPr>')
    title = next(predicate for predicate in PREDICATES if predicate.name == "pptx.title")
    result = run_predicate(title, {"at": "deck.pptx#slide[1]"}, {"deck.pptx": away}, {}, tmp_path)
    assert [(finding.code, finding.address) for finding in result.findings] == [(FindingCode.HIDDEN_TEXT, 'deck.pptx#slide[1]/shape["Title 1"]')]


def test_dates_of_a_chart_are_iso_text(tmp_path: Path) -> None:
    slide = chart_slide("Sales", {"Net": [1.0, 2.0]}, ["46023", "46054"])
    data = edit(deck([slide]), "ppt/charts/chart1.xml", lambda part: part.replace(b"strLit", b"numLit"))
    chart = next(predicate for predicate in PREDICATES if predicate.name == "pptx.chart")
    for days, outcome in ((["2026-01-01", "2026-02-01"], Outcome.PASSED), (["2026-01-01", "2026-02-02"], Outcome.FAILED)):
        assert run_predicate(chart, {"at": "deck.pptx#slide[1]", "categories": days}, {"deck.pptx": data}, {}, tmp_path).outcome is outcome
