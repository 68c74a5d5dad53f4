"""Comparison of presentations: stale charts, other serialisations, edit scopes."""

from __future__ import annotations

import io
import re

import pptx
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from docops.core.compare import ALLOW_ALL, Comparison
from docops.formats.pptx import FORMAT
from docops.formats.pptx.document import open_pptx
from docops.formats.pptx.samples import Slide, deck
from tests.formats.pptx.decks import changes, edit, members, places, replace


def charted() -> bytes:
    presentation = pptx.Presentation()
    slide = presentation.slides.add_slide(presentation.slide_layouts[5])
    data = CategoryChartData()
    data.categories = ["Q1", "Q2"]
    data.add_series("Net", (1.5, 2.5))
    slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, Inches(1), Inches(2), Inches(6), Inches(4), data)
    out = io.BytesIO()
    presentation.save(out)
    return out.getvalue()


def test_a_chart_that_contradicts_its_workbook_is_stale_and_not_where_the_source_was() -> None:
    assert FORMAT.stale is not None
    data = charted()
    member = next(name for name in members(data) if re.fullmatch(r"ppt/charts/chart\d*\.xml", name))
    wrong = replace(data, member, "<c:v>2.5</c:v>", "<c:v>9.5</c:v>")
    source, output = open_pptx(data), open_pptx(wrong)
    assert list(FORMAT.stale(source, None)) == []
    found = list(FORMAT.stale(output, source))
    assert [(item.name, item.address.startswith("slide[1]/shape[")) for item in found] == [("values", True)]
    assert list(FORMAT.stale(output, open_pptx(wrong))) == []


def test_another_serialisation_is_no_change() -> None:
    data = deck([Slide("Goals", ["Faster  now"]), Slide("Plan", ["Soon"])])
    other = edit(data, "ppt/slides/slide1.xml", lambda part: part.replace(b"><p:cSld>", b">\n  <p:cSld  >").replace(b'"', b"'"))
    assert changes(data, other) == []
    prefixed = edit(data, "ppt/slides/slide1.xml", lambda part: part.replace(b"a:", b"q:").replace(b"xmlns:a", b"xmlns:q"))
    assert changes(data, prefixed) == []
    spaced = edit(data, "ppt/slides/slide1.xml", lambda part: part.replace(b"Faster  now", b"Faster now"))
    assert places(changes(data, spaced))[0] == 'slide[1]/shape["Content Placeholder 2"]/paragraph[1]'


def test_an_edit_in_scope_is_allowed_and_nothing_else_is() -> None:
    data = deck([Slide("Goals", ["Faster", "Cheaper"])])
    edited = replace(replace(data, "ppt/slides/slide1.xml", "Cheaper", "Dearer"), "ppt/slides/slide1.xml", "Goals", "Aims")
    scope = {'slide[1]/shape["Content Placeholder 2"]/paragraph[2]': ALLOW_ALL}
    assert FORMAT.compare is not None
    found = list(FORMAT.compare(open_pptx(data), open_pptx(edited), Comparison(before_scope=scope, after_scope=scope)))
    assert {change.address.partition("/paragraph")[0] for change in found} == {'slide[1]/shape["Title 1"]'}


def test_the_first_notes_bring_their_master_along() -> None:
    data = charted()
    presentation = pptx.Presentation(io.BytesIO(data))
    presentation.slides[0].notes_slide.notes_text_frame.text = "Mention the survey."
    out = io.BytesIO()
    presentation.save(out)
    assert FORMAT.compare is not None
    everything = list(FORMAT.compare(open_pptx(data), open_pptx(out.getvalue()), Comparison()))
    assert {change.address for change in everything} == {"slide[1]/notes", "notes_master"}
    scope = {"slide[1]/notes": ALLOW_ALL}
    assert list(FORMAT.compare(open_pptx(data), open_pptx(out.getvalue()), Comparison(before_scope=scope, after_scope=scope))) == []
