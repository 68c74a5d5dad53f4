"""Which texts a reader sees, and what hides the others."""

from __future__ import annotations

import pytest

from docops.core.spans import Role, TextSpan
from docops.formats.pptx.document import open_pptx
from docops.formats.pptx.samples import HEIGHT, WIDTH, Slide, appear, chart_slide, deck, picture_slide, table, text_box
from tests.formats.pptx.decks import replace

WHITE = '<a:solidFill><a:srgbClr val="FFFFFF"/></a:solidFill>'
RED = '<a:solidFill><a:srgbClr val="FF0000"/></a:solidFill>'
OVER = (800000, 800000, 4000000, 800000)


def _of(data: bytes, text: str) -> list[TextSpan]:
    return [span for span in open_pptx(data).spans() if span.text == text and span.role not in {Role.NAME, Role.ALT, Role.LINK, Role.METADATA}]


STOP = '<a:gs pos="{}"><a:srgbClr val="{}"/></a:gs>'


def _covered_by(*covers: str) -> bytes:
    return deck([Slide("Goals", shapes=[text_box("secret"), *covers])])


def _shaped(frame: tuple[int, int, int, int], preset: str) -> str:
    return text_box("", "Cover", frame, fill=RED).replace('prst="rect"', f'prst="{preset}"')


def group(inner: str, frame: tuple[int, int, int, int] = (800000, 800000, 4000000, 4000000), turn: int = 0, flip: bool = False) -> str:
    """A group in the scale of the slide."""
    x, y, width, height = frame
    box = f'<a:off x="{x}" y="{y}"/><a:ext cx="{width}" cy="{height}"/><a:chOff x="0" y="0"/><a:chExt cx="{width}" cy="{height}"/>'
    return (
        '<p:grpSp><p:nvGrpSpPr><p:cNvPr id="40" name="Group"/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr>'
        f'<a:xfrm rot="{turn}" flipH="{int(flip)}">{box}</a:xfrm></p:grpSpPr>{inner}</p:grpSp>'
    )


def _box(**options: object) -> bytes:
    return deck([Slide("Goals", shapes=[text_box("secret", **options)])])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (_box(), ""),
        (_box(frame=(-WIDTH, 0, 914400, 914400)), "off the slide"),
        (_box(frame=(0, HEIGHT, 914400, 914400)), "off the slide"),
        (_box(frame=(-914399, 0, 914400, 914400)), "off the slide"),
        (_box(frame=(-700000, 0, 914400, 914400)), ""),
        (_box(frame=(-WIDTH, -HEIGHT, 3 * WIDTH, 3 * HEIGHT)), ""),
        (_box(frame=(0, 0, 0, 0)), "without size"),
        (_box(hidden=True), "hidden shape"),
        (_box(run=WHITE), "colour of what is behind"),
        (_box(run='<a:solidFill><a:schemeClr val="bg1"/></a:solidFill>'), "colour of what is behind"),
        (_box(run=RED), ""),
        (_box(run=RED, fill=RED), "colour of what is behind"),
        (_box(run=WHITE, fill=RED), ""),
        (_box(run="<a:noFill/>"), "transparent"),
        (_box(run='<a:solidFill><a:srgbClr val="000000"><a:alpha val="0"/></a:srgbClr></a:solidFill>'), "transparent"),
        (_box(run='<a:solidFill><a:srgbClr val="000000"><a:alpha val="3000"/></a:srgbClr></a:solidFill>'), "transparent"),
        (_box(run='<a:solidFill><a:srgbClr val="000000"><a:alpha val="8000"/></a:srgbClr></a:solidFill>'), "colour of what is behind"),
        (_box(run='<a:solidFill><a:srgbClr val="000000"><a:alpha val="50000"/></a:srgbClr></a:solidFill>'), ""),
        (_box(run=f"<a:ln w=\"127000\">{WHITE}</a:ln><a:noFill/>"), "colour of what is behind"),
        (_box(run=f"<a:ln w=\"127000\">{RED}</a:ln><a:noFill/>"), ""),
        (_box(run=f"<a:gradFill><a:gsLst>{STOP.format(0, 'FFFFFF')}{STOP.format(100000, 'FAFAFA')}</a:gsLst></a:gradFill>"), "colour of what is behind"),
        (_box(run=f"<a:gradFill><a:gsLst>{STOP.format(0, 'FFFFFF')}{STOP.format(100000, '0000FF')}</a:gsLst></a:gradFill>"), ""),
        (_box(run=f"{RED}<a:highlight><a:srgbClr val=\"FF0000\"/></a:highlight>"), "colour of what is behind"),
        (_box(run=f"{WHITE}<a:highlight><a:srgbClr val=\"FF0000\"/></a:highlight>"), ""),
        (_box(run='sz="100"'), "too small"),
        (deck([Slide("Goals", shapes=[text_box("secret").replace('wrap="square"/>', 'wrap="square"><a:normAutofit fontScale="5000"/></a:bodyPr>')])]), "too small"),
        (deck([Slide("Goals", ["secret"], hidden=True)]), "hidden slide"),
        (deck([Slide("Goals", shapes=[text_box("secret"), text_box("", "Cover", OVER, fill=RED)])]), "covered"),
        (deck([Slide("Goals", shapes=[text_box("secret"), text_box("", "Glass", OVER)])]), ""),
        (_covered_by(_shaped(OVER, "roundRect")), "covered"),
        (_covered_by(_shaped((914400, 914400, 3657600, 457200), "ellipse")), ""),
        (_covered_by(_shaped((0, 0, WIDTH, 3000000), "ellipse")), "covered"),
        (_covered_by(_shaped(OVER, "chevron")), ""),
        (_covered_by(text_box("", "Left", (800000, 800000, 2000000, 800000), fill=RED), text_box("", "Right", (2700000, 800000, 2000000, 800000), fill=RED)), "covered"),
        (_covered_by(text_box("", "Left", (800000, 800000, 2000000, 800000), fill=RED), text_box("", "Right", (2900000, 800000, 2000000, 800000), fill=RED)), ""),
        (_covered_by(table([["a", "b"]] * 20).replace('y="1828800"', 'y="0"')), "covered"),
        (_covered_by(group(text_box("", "Bar", (0, 0, 800000, 4000000), fill=RED), turn=5400000)), "covered"),
        (_covered_by(group(text_box("", "Bar", (0, 0, 800000, 4000000), fill=RED))), ""),
        (deck([Slide("Goals", shapes=[group(text_box("secret", frame=(0, 0, 800000, 400000)), frame=(0, 0, 4000000, 400000), turn=0)])]), ""),
        (deck([Slide("Goals", shapes=[group(text_box("secret", frame=(0, 0, 800000, 400000)), frame=(5000000, 0, 8000000, 400000), flip=True)])]), "off the slide"),
        (deck([Slide("Goals", shapes=[text_box("", "Under", OVER, fill=RED), text_box("secret")])]), ""),
        (deck([Slide("Goals", shapes=[text_box("", "Under", OVER, fill=RED), text_box("secret", run=RED)])]), "colour of what is behind"),
        (deck([Slide("Goals", shapes=[text_box("", "Under", OVER, fill=RED), text_box("secret", run=WHITE)])]), ""),
        (deck([Slide("Goals", shapes=[text_box("secret"), text_box("", "Cover", OVER, fill=RED, identifier=8)], after=appear(8))]), ""),
        (deck([Slide("Goals", shapes=[text_box("secret", run=WHITE)], background=f"<p:bg><p:bgPr>{RED}<a:effectLst/></p:bgPr></p:bg>")]), ""),
        (deck([Slide("Goals", shapes=[table([["secret", "x"]])])]), ""),
        (deck([Slide("Goals", shapes=[table([["a", "b"], ["c", "d"]]), text_box("secret", frame=(1000000, 1900000, 900000, 900000), run=WHITE)])]), ""),
    ],
)
def test_what_hides_a_text(data: bytes, reason: str) -> None:
    found = _of(data, "secret")
    assert [(span.visible, span.hidden_by) for span in found] == [(not reason, reason)]


def test_the_header_row_of_the_usual_table_style_is_white_and_can_be_read_and_white_below_it_cannot() -> None:
    data = deck([Slide("Goals", shapes=[table([["head", "x"], ["first", "y"], ["second", "z"]])])])
    assert _of(data, "head")[0].visible
    white = replace(data, "ppt/slides/slide1.xml", "<a:r><a:t>second", f"<a:r><a:rPr>{WHITE}</a:rPr><a:t>second")
    assert _of(white, "second")[0].hidden_by == "colour of what is behind"


def test_runs_of_one_paragraph_that_differ_in_visibility_are_spans_of_one_block() -> None:
    data = deck([Slide("Goals", ["plain"])])
    mixed = replace(data, "ppt/slides/slide1.xml", "<a:t>plain</a:t></a:r>", f"<a:t>plain</a:t></a:r><a:r><a:rPr>{WHITE}</a:rPr><a:t> and white</a:t></a:r>")
    block = [span for span in open_pptx(mixed).spans() if span.block == 'slide[1]/shape["Content Placeholder 2"]/paragraph[1]']
    assert [(span.text, span.visible) for span in block] == [("plain", True), (" and white", False)]


def test_roles() -> None:
    data = deck([Slide("Goals", notes="say this"), picture_slide("Map", "Map of the quay"), chart_slide("Sales", {"2023": [1]}, ["Q1"])])
    roles = {span.text: (span.role, span.visible) for span in open_pptx(data).spans()}
    assert roles["Goals"] == (Role.BODY, True)
    assert roles["say this"] == (Role.NOTE, True)
    assert roles["Map of the quay"] == (Role.ALT, False)
    assert roles["2023"] == (Role.CHART, True)
    assert roles["Click to edit the title"] == (Role.PROMPT, False)
    assert roles["Picture 6"] == (Role.NAME, False)


def test_text_of_a_layout_is_seen_where_a_slide_uses_it() -> None:
    data = deck([Slide("Goals", layout="Title Only")])
    stamped = [replace(data, f"ppt/slideLayouts/slideLayout{number}.xml", "</p:spTree>", f"{text_box('Confidential', 'Stamp')}</p:spTree>") for number in (1, 2)]
    assert [(span.visible, span.hidden_by) for span in _of(stamped[0], "Confidential")] == [(False, "not on any slide")]
    assert [span.visible for span in _of(stamped[1], "Confidential")] == [True]
