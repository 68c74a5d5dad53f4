"""What counts as state, and what means the same."""

from __future__ import annotations

import re

import pytest

from docops.core.codes import CONTENT_ASPECTS, Aspect
from docops.core.compare import ChangeKind
from docops.formats.pptx.document import open_pptx
from docops.formats.pptx.samples import FADE, Slide, appear, chart_slide, deck, picture_slide, table, text_box
from tests.formats.pptx.decks import changes, edit, members, pack, places, replace

SLIDE = "ppt/slides/slide{}.xml"


def sample() -> bytes:
    return deck(
        [
            Slide("Goals", ["Faster", "Cheaper"], notes="Mention the survey.", after=FADE),
            Slide("Figures", shapes=[table([["Year", "Ships"], ["2023", "470"], ["2024", "455"]]), text_box("Source: office", "Note")], layout="Title Only"),
            chart_slide("Sales", {"2023": [1, 2], "2024": [3, 4]}, ["Q1", "Q2"]),
            picture_slide("Map", "Map of the quay"),
            Slide("Steps", ["First", "Second"], after=appear(3)),
        ]
    )


@pytest.mark.parametrize(
    ("member", "old", "new", "place", "aspect"),
    [
        (1, "Faster", "Slower", 'slide[1]/shape["Content Placeholder 2"]/paragraph[1]', Aspect.TEXT),
        (1, "<p:fade/>", "<p:push/>", "slide[1]/transition", Aspect.TRANSITION),
        (1, FADE, "", "slide[1]/transition", Aspect.STRUCTURE),
        (1, "<p:spPr/>", '<p:spPr><a:xfrm><a:off x="1" y="2"/><a:ext cx="3" cy="4"/></a:xfrm></p:spPr>', 'slide[1]/shape["Title 1"]', Aspect.GEOMETRY),
        (1, "<a:r>", '<a:r><a:rPr b="1"/>', 'slide[1]/shape["Title 1"]/paragraph[1]/run[1]', Aspect.FORMAT),
        (1, 'type="title"', 'type="body"', 'slide[1]/shape["Title 1"]', Aspect.LAYOUT),
        (2, "470", "471", 'slide[2]/shape["Table 5"]/table/row[2]/cell[2]/paragraph[1]', Aspect.TEXT),
        (2, 'firstRow="1"', "", 'slide[2]/shape["Table 5"]/table', Aspect.FORMAT),
        (2, '<a:gridCol w="2000000"/>', '<a:gridCol w="2100000"/>', 'slide[2]/shape["Table 5"]/table', Aspect.GEOMETRY),
        (2, 'name="Note"', 'name="Nota"', 'slide[2]/shape["Note"]', Aspect.LAYOUT),
        (2, 'wrap="square"', 'wrap="none"', 'slide[2]/shape["Note"]', Aspect.FORMAT),
        (4, "Map of the quay", "Map", 'slide[4]/shape["Picture 6"]/picture', Aspect.MEDIA),
        (4, "<a:stretch>", '<a:srcRect l="5000"/><a:stretch>', 'slide[4]/shape["Picture 6"]/picture', Aspect.FORMAT),
        (5, 'spid="3"', 'spid="2"', "slide[5]/animation", Aspect.ANIMATION),
        (5, 'presetID="1"', 'presetID="2"', "slide[5]/animation", Aspect.ANIMATION),
    ],
)
def test_a_change_stands_under_its_place(member: int, old: str, new: str, place: str, aspect: Aspect) -> None:
    found = changes(sample(), replace(sample(), SLIDE.format(member), old, new))
    assert (place, aspect) in {(change.address, change.aspect) for change in found}
    assert {change.address.split("/")[0] for change in found} == {f"slide[{member}]"}


def test_hidden_slide_layout_notes_and_chart_values_are_state() -> None:
    data = sample()
    hidden = changes(data, edit(data, SLIDE.format(2), lambda part: part.replace(b"<p:sld ", b'<p:sld show="0" ')))
    assert [(change.address, change.aspect, change.name) for change in hidden] == [("slide[2]", Aspect.STRUCTURE, "hidden")]
    layout = changes(data, replace(data, "ppt/slides/_rels/slide1.xml.rels", "slideLayout1.xml", "slideLayout2.xml"))
    assert ("slide[1]", "layout") in {(change.address, change.name) for change in layout}
    notes = changes(data, replace(data, "ppt/notesSlides/notesSlide1.xml", "survey", "poll"))
    assert places(notes)[0] == 'slide[1]/notes/shape["Notes Placeholder 2"]/paragraph[1]'
    assert notes[0].aspect is Aspect.NOTE
    values = changes(data, replace(data, "ppt/charts/chart1.xml", "<c:v>3</c:v>", "<c:v>5</c:v>"))
    assert places(values) == ['slide[3]/shape["Chart 4"]/chart/series[2]']


def test_a_picture_is_compared_by_its_bytes() -> None:
    data = sample()
    other = edit(data, "ppt/media/image1.png", lambda _: members(deck([picture_slide("Map", colour=(0, 0, 9))]))["ppt/media/image1.png"])
    assert places(changes(data, other)) == ['slide[4]/shape["Picture 6"]/picture']


def _slides(data: bytes, order: list[int]) -> bytes:
    """The presentation with these slides (by number) in this order."""

    def change(part: bytes) -> bytes:
        entries = re.findall(rb"<p:sldId [^>]*/>", part)
        return re.sub(rb"<p:sldIdLst>.*</p:sldIdLst>", b"<p:sldIdLst>" + b"".join(entries[number - 1] for number in order) + b"</p:sldIdLst>", part)

    return edit(data, "ppt/presentation.xml", change)


def test_slides_are_aligned_by_content() -> None:
    data = sample()
    removed = changes(data, _slides(data, [1, 3, 4, 5]))
    assert [(change.kind, change.address) for change in removed] == [(ChangeKind.REMOVED, "slide[2]")]
    moved = changes(data, _slides(data, [5, 1, 2, 3, 4]))
    assert [(change.kind, change.address) for change in moved] == [(ChangeKind.MOVED, "slide[5]")]


def test_a_duplicated_slide_is_one_addition() -> None:
    one = deck([Slide("Goals", ["Faster"]), Slide("Steps")])
    two = deck([Slide("Goals", ["Faster"]), Slide("Goals", ["Faster"]), Slide("Steps")])
    assert [(change.kind, change.address) for change in changes(one, two)] == [(ChangeKind.ADDED, "slide[2]")]


def test_an_edited_slide_is_still_itself() -> None:
    before = deck([Slide("Goals", ["Faster"]), Slide("Plan", ["We do it now"]), Slide("Steps", ["x"])])
    after = deck([Slide("Goals", ["Faster"]), Slide("Plan", ["Something else entirely"]), Slide("Steps", ["x"])])
    assert {place.split("/")[0] for place in places(changes(before, after))} == {"slide[2]"}


def test_z_order_is_state() -> None:
    boxes = [text_box("Front", "A"), text_box("Back", "B", (0, 0, 914400, 914400))]
    found = changes(deck([Slide("Goals", shapes=boxes)]), deck([Slide("Goals", shapes=boxes[::-1])]))
    assert [change.kind for change in found] == [ChangeKind.MOVED]
    assert found[0].address.startswith('slide[1]/shape["')


def test_an_insertion_shifts_no_reference_to_a_slide() -> None:
    def linked(slides: list[Slide], target: int) -> bytes:
        jump = text_box("Go", "Go", run='<a:hlinkClick r:id="rId7" action="ppaction://hlinksldjump"/>')
        start = Slide("Agenda", shapes=[jump], relationships={"rId7": ("slide", f"/ppt/slides/slide{target}.xml")})
        return deck([start, *slides])

    rest = [Slide("Goals", ["Faster"]), Slide("Plan", ["Soon"])]
    found = changes(linked(rest, 3), linked([Slide("New", ["Inserted"]), *rest], 4))
    assert [(change.kind, change.address) for change in found] == [(ChangeKind.ADDED, "slide[2]")]
    assert places(changes(linked(rest, 3), linked(rest, 2)))[0] == 'slide[1]/shape["Go"]/paragraph[1]'


def test_a_theme_colour_is_told_at_the_theme_alone_and_hides_no_other_change() -> None:
    data = deck([Slide("Goals", ["Faster"]), Slide("Plan", ["Soon"])])
    themed = replace(data, "ppt/theme/theme1.xml", 'dk1><a:srgbClr val="000000"', 'dk1><a:srgbClr val="112233"')
    assert places(changes(data, themed)) == ["theme"]
    both = replace(themed, SLIDE.format(2), "<a:r>", '<a:r><a:rPr><a:solidFill><a:srgbClr val="FF0000"/></a:solidFill></a:rPr>')
    assert set(places(changes(data, both))) == {"theme", 'slide[2]/shape["Title 1"]/paragraph[1]/run[1]'}


def test_a_layout_change_is_told_at_the_layout() -> None:
    data = sample()
    moved = replace(
        data, "ppt/slideLayouts/slideLayout1.xml", "<p:spPr/>", '<p:spPr><a:xfrm><a:off x="1" y="2"/><a:ext cx="3" cy="4"/></a:xfrm></p:spPr>'
    )
    assert places(changes(data, moved)) == ['master[1]/layout["Title and Content"]/shape["Title 1"]']
    styled = replace(data, "ppt/slideLayouts/slideLayout1.xml", "<a:lstStyle/>", '<a:lstStyle><a:lvl1pPr><a:defRPr sz="900"/></a:lvl1pPr></a:lstStyle>')
    assert {place.split("/shape")[0] for place in places(changes(data, styled))} == {'master[1]/layout["Title and Content"]'}


def test_a_size_that_a_placeholder_leaves_out_is_inherited() -> None:
    data = deck([Slide("Goals")])
    moved = replace(data, SLIDE.format(1), "<p:spPr/>", '<p:spPr><a:xfrm><a:off x="914400" y="0"/></a:xfrm></p:spPr>')
    assert [(change.address, change.name) for change in changes(data, moved)] == [('slide[1]/shape["Title 1"]', "position")]


# What means the same ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("<a:r><a:t>Faster</a:t></a:r>", "<a:r><a:t>Fas</a:t></a:r><a:r><a:t>ter</a:t></a:r>"),
        ("<a:r><a:t>Faster</a:t></a:r>", '<a:r><a:rPr dirty="0" err="1" smtClean="0"/><a:t>Faster</a:t></a:r>'),
        ("<a:r><a:t>Faster</a:t></a:r>", '<a:r><a:rPr b="0" i="0" u="none" sz="2800" baseline="0"/><a:t>Faster</a:t></a:r>'),
        ("<a:r><a:t>Faster</a:t></a:r>", "<a:r><a:t>Faster</a:t></a:r><a:endParaRPr/>"),
        ("<a:r><a:t>Faster</a:t></a:r>", '<a:pPr lvl="0" algn="l"/><a:r><a:t>Faster</a:t></a:r>'),
        (
            "<a:r><a:t>Faster</a:t></a:r>",
            '<a:r><a:rPr><a:solidFill><a:srgbClr val="000000"/></a:solidFill><a:latin typeface="Calibri"/></a:rPr><a:t>Faster</a:t></a:r>',
        ),
        ("<p:spPr/>", '<p:spPr><a:xfrm><a:off x="457200" y="274638"/><a:ext cx="8229600" cy="1143000"/></a:xfrm></p:spPr>'),
        ("<a:bodyPr/>", '<a:bodyPr wrap="square" lIns="91440" anchor="t"><a:noAutofit/></a:bodyPr>'),
        ('cNvPr id="2"', 'cNvPr id="77"'),
        ("<p:grpSpPr/>", '<p:grpSpPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="0" cy="0"/><a:chOff x="0" y="0"/><a:chExt cx="0" cy="0"/></a:xfrm></p:grpSpPr>'),
    ],
)
def test_other_ways_to_say_the_same_are_no_change(old: str, new: str) -> None:
    data = deck([Slide("Goals", ["Faster"])])
    assert changes(data, replace(data, SLIDE.format(1), old, new)) == []


def test_part_names_and_relationship_ids_are_no_state() -> None:
    data = sample()
    renamed = {}
    names = {f"slide{number}.xml": f"slide{6 - number}x.xml" for number in range(1, 6)}
    pattern = re.compile(rb"slides/(_rels/)?(slide\d\.xml)")
    for name, content in members(data).items():
        target = pattern.sub(lambda match: b"slides/" + (match[1] or b"") + names[match[2].decode()].encode(), name.encode()).decode()
        if name.endswith((".rels", "[Content_Types].xml")):
            content = pattern.sub(lambda match: b"slides/" + (match[1] or b"") + names[match[2].decode()].encode(), content)
        if name in {"ppt/presentation.xml", "ppt/_rels/presentation.xml.rels"}:
            content = re.sub(rb'"rId(\d+)"', rb'"relation\1"', content)
        renamed[target] = content
    assert changes(data, pack(renamed)) == []


def test_results_of_fields_are_no_state_and_the_size_that_fits_is() -> None:
    field = '<a:fld id="{0}" type="slidenum"><a:t>7</a:t></a:fld>'
    box = text_box("x", "Number").replace("<a:r><a:t>x</a:t></a:r>", field).replace("</a:bodyPr>", "").replace('wrap="square"/>', 'wrap="square"><a:normAutofit/></a:bodyPr>')
    data = deck([Slide("Goals", shapes=[box])])
    assert changes(data, replace(data, SLIDE.format(1), "<a:t>7<", "<a:t>9<")) == []
    smaller = changes(data, replace(data, SLIDE.format(1), "<a:normAutofit/>", '<a:normAutofit fontScale="40000"/>'))
    assert [(change.address, change.name, change.after) for change in smaller] == [('slide[1]/shape["Number"]', "text_scale", "40%")]
    shown = [span.text for span in open_pptx(data).spans() if span.address.startswith('slide[1]/shape["Number"]/paragraph')]
    assert shown == ["1"]


def test_a_slide_that_is_not_listed_is_no_state() -> None:
    data = sample()
    assert [change.address for change in changes(_slides(data, [1, 2, 3, 4]), _slides(data, [1, 2, 3]))] == ["slide[4]"]


def test_a_resave_by_python_pptx_is_no_change() -> None:
    import io

    import pptx

    data = sample()
    out = io.BytesIO()
    pptx.Presentation(io.BytesIO(data)).save(out)
    assert changes(data, out.getvalue()) == []


@pytest.mark.parametrize(
    ("member", "kind", "place"),
    [
        ("ppt/slideMasters/_rels/slideMaster1.xml.rels", "theme", "master[1]"),
        ("ppt/slideLayouts/_rels/slideLayout1.xml.rels", "slideMaster", 'master[1]/layout["Title and Content"]'),
        ("ppt/notesSlides/_rels/notesSlide1.xml.rels", "slide", "slide[1]/notes"),
    ],
)
def test_a_relationship_that_no_element_names_is_state(member: str, kind: str, place: str) -> None:
    data = sample()
    gone = edit(data, member, lambda part: re.sub(f'<Relationship [^>]*/{kind}"[^>]*/>'.encode(), b"", part))
    assert place.replace('"', "") in {address.replace('"', "") for address in places(changes(data, gone))}


def test_a_relationship_of_an_unknown_type_is_seen() -> None:
    data = sample()
    odd = edit(data, "ppt/slides/_rels/slide4.xml.rels", lambda part: part.replace(b'relationships/image"', b'relationships/imageX"'))
    assert [change.address.partition("[")[0] for change in changes(data, odd)] == ["part"]


def test_defaults_of_a_cell_written_out_are_no_change() -> None:
    data = sample()
    member = SLIDE.format(2)
    assert changes(data, edit(data, member, lambda part: part.replace(b"<a:tc><a:txBody><a:bodyPr/>", b'<a:tc><a:txBody><a:bodyPr rot="0" vert="horz"/>'))) == []
    assert changes(data, edit(data, member, lambda part: part.replace(b"<a:tc><a:txBody><a:bodyPr/>", b'<a:tc><a:txBody><a:bodyPr vert="vert"/>'))) != []


def test_what_a_covered_cell_says_of_its_span_is_no_state() -> None:
    merged = table([["a", ""], ["b", "c"]]).replace("<a:tc>", '<a:tc gridSpan="2">', 1).replace('</a:tc><a:tc>', '</a:tc><a:tc hMerge="1">', 1)
    data = deck([Slide("Goals", shapes=[merged])])
    assert changes(data, replace(data, SLIDE.format(1), 'hMerge="1"', 'hMerge="1" rowSpan="2"')) == []
    assert places(changes(data, replace(data, SLIDE.format(1), 'gridSpan="2"', 'gridSpan="1"'))) == ['slide[1]/shape["Table 5"]/table/row[1]/cell[1]']


def test_the_form_of_a_date_is_formatting_and_a_date_of_no_form_may_be_typed_out_by_another_program() -> None:
    field = '<a:fld id="{0}" type="datetimeFigureOut"><a:t>1/27/13</a:t></a:fld>'
    data = deck([Slide("Goals", shapes=[text_box("x", "Date").replace("<a:r><a:t>x</a:t></a:r>", field)])])
    other = replace(data, SLIDE.format(1), "datetimeFigureOut", "datetime4")
    assert [(change.aspect, change.name) for change in changes(data, other)] == [(Aspect.FORMAT, "date_formats")]
    typed = replace(data, SLIDE.format(1), field, "<a:r><a:t>1/27/13</a:t></a:r>")
    assert changes(data, typed, CONTENT_ASPECTS) == []
    assert (Aspect.FIELD, "fields") in {(change.aspect, change.name) for change in changes(data, typed)}
    assert changes(data, replace(typed, SLIDE.format(1), "1/27/13", "1/28/13"), CONTENT_ASPECTS) != []
