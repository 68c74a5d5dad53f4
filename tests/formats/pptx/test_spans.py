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


def _pushed(inset: str) -> bytes:
    return deck([Slide("Goals", shapes=[text_box("secret").replace('<a:bodyPr wrap="square"/>', f'<a:bodyPr wrap="none" {inset}/>')])])


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
        (_pushed('lIns="9000000"'), "off the slide"),
        (_pushed('tIns="9000000"'), "off the slide"),
        (_pushed('lIns="900000"'), ""),
        (deck([Slide("Goals", shapes=[text_box("secret").replace("<a:p>", '<a:p><a:pPr marL="9000000"/>')])]), "off the slide"),
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
        (_box(run='sz="2000" spc="-900"'), "letters on top of each other"),
        (_box(run='sz="2000" spc="-300"'), ""),
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


def _styled(identifier: str, run: str = "", row: int = 0) -> bytes:
    """A table of two rows in a style that the file does not hold, with one text."""
    rows = [["", ""], ["", ""]]
    rows[row][0] = "secret"
    styled = table(rows).replace("5C22544A-7EE6-4342-B048-85BDC9FD1C3A", identifier)
    return deck([Slide("Goals", shapes=[styled.replace("<a:r><a:t>secret", f"<a:r><a:rPr>{run}</a:rPr><a:t>secret") if run else styled])])


@pytest.mark.parametrize(
    ("identifier", "run", "row", "reason"),
    [
        ("2D5ABB26-0587-4C30-8999-92F81FD0307C", "", 0, ""),
        ("2D5ABB26-0587-4C30-8999-92F81FD0307C", WHITE, 0, "colour of what is behind"),
        ("5940675A-B579-460E-94D1-54222C63F5DA", WHITE, 1, "colour of what is behind"),
        ("F5AB1C69-6EDB-4FF4-983F-18BD219EF322", "", 0, ""),
        ("F5AB1C69-6EDB-4FF4-983F-18BD219EF322", WHITE, 0, ""),
        ("F5AB1C69-6EDB-4FF4-983F-18BD219EF322", '<a:solidFill><a:schemeClr val="accent3"/></a:solidFill>', 0, "colour of what is behind"),
        ("69012ECD-51FC-41F1-AA8D-1B2483CD663E", WHITE, 0, ""),
        ("69012ECD-51FC-41F1-AA8D-1B2483CD663E", WHITE, 1, "colour of what is behind"),
        ("793d81cf-94f2-401a-ba57-92f5a7b2d0c5", RED, 1, ""),
        ("793d81cf-94f2-401a-ba57-92f5a7b2d0c5", '<a:solidFill><a:srgbClr val="D0D0D0"/></a:solidFill>', 1, "colour of what is behind"),
        ("125E5076-3810-47DD-B79F-674D7AD40C01", WHITE, 1, ""),
        ("00000000-0000-0000-0000-000000000000", WHITE, 1, ""),
    ],
)
def test_the_built_in_table_styles_say_what_is_behind_a_text(identifier: str, run: str, row: int, reason: str) -> None:
    assert [span.hidden_by for span in _of(_styled(identifier, run, row), "secret")] == [reason]


def test_glass_is_seen_through() -> None:
    glass = '<a:solidFill><a:srgbClr val="000000"><a:alpha val="10000"/></a:srgbClr></a:solidFill>'
    dark = '<a:solidFill><a:srgbClr val="000000"/></a:solidFill>'
    grey = '<a:solidFill><a:srgbClr val="E6E6E6"/></a:solidFill>'
    assert [span.hidden_by for span in _of(_box(run=dark, fill=glass), "secret")] == [""]
    assert [span.hidden_by for span in _of(_box(run=grey, fill=glass), "secret")] == ["colour of what is behind"]
    over = deck([Slide("Goals", shapes=[text_box("", "Under", OVER, fill=RED), text_box("secret", run=RED, fill=glass)])])
    assert [span.hidden_by for span in _of(over, "secret")] == [""]


def test_a_cell_needs_a_column_that_is_seen() -> None:
    shown = deck([Slide("Goals", shapes=[table([["a", "secret"], ["b", "c"]])])])
    narrow = replace(shown, "ppt/slides/slide1.xml", '<a:gridCol w="2000000"/></a:tblGrid>', '<a:gridCol w="0"/></a:tblGrid>')
    away = replace(shown, "ppt/slides/slide1.xml", '<a:gridCol w="2000000"/>', '<a:gridCol w="9000000"/>')
    assert [span.hidden_by for data in (shown, narrow, away) for span in _of(data, "secret")] == ["", "without size", "off the slide"]


@pytest.mark.parametrize(
    ("requires", "space", "reason"),
    [
        ("p14", "http://schemas.microsoft.com/office/powerpoint/2010/main", ""),
        ("zz", "http://example.org/unknown", "fallback"),
        ("", "http://example.org/unknown", "fallback"),
    ],
)
def test_a_choice_that_no_program_knows_is_not_shown(requires: str, space: str, reason: str) -> None:
    other = text_box("instead", "Other", identifier=10)
    wrapped = (
        f'<mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" xmlns:{requires or "q"}="{space}">'
        f'<mc:Choice Requires="{requires}">{text_box("secret")}</mc:Choice><mc:Fallback>{other}</mc:Fallback></mc:AlternateContent>'
    )
    data = deck([Slide("Goals", shapes=[wrapped])])
    assert [span.hidden_by for span in _of(data, "secret")] == [reason]
    assert [span.hidden_by for span in _of(data, "instead")] == ["" if reason else "fallback"]


def test_a_date_shows_a_date_whatever_is_stored() -> None:
    field = '<a:fld id="{{0}}" type="datetime1"><a:t>{}</a:t></a:fld>'
    shown = []
    for stored in ("Sunday, November 29, 2026", "2026年11月29日", "Cranes cost 4 million euros", ""):
        data = deck([Slide("Goals", shapes=[text_box("x", "Box").replace("<a:r><a:t>x</a:t></a:r>", field.format(stored))])])
        shown += [span.text for span in open_pptx(data).spans() if span.address.startswith('slide[1]/shape["Box"]/paragraph')]
    assert shown == ["Sunday, November 29, 2026", "2026年11月29日", "‹date›", "‹date›"]


def test_tags_and_extensions_are_stored_text() -> None:
    tags = b'<p:tagLst xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"><p:tag name="OWNER" val="harbour"/></p:tagLst>'
    box = text_box("x", "Box").replace("<p:nvPr/>", '<p:nvPr><p:custDataLst><p:tags r:id="rId6"/></p:custDataLst></p:nvPr>')
    kind = "application/vnd.openxmlformats-officedocument.presentationml.tags+xml"
    extension = '<p:extLst><p:ext uri="{0}"><q:note xmlns:q="http://example.org/q">kept aside</q:note></p:ext></p:extLst>'
    data = deck([Slide("Goals", shapes=[box], relationships={"rId6": ("tags", "/ppt/tags/tag1.xml")}, parts={"/ppt/tags/tag1.xml": (kind, tags)}, after=extension)])
    found = {span.text: (span.address, span.visible) for span in open_pptx(data).spans()}
    assert found["harbour"] == ('slide[1]/shape["Box"]', False)
    assert found["kept aside"] == ("slide[1]", False)
