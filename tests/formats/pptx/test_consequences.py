"""What an edit in scope brings with it: links, shows, sections, connectors, animations, frames, workbooks, notes, masters."""

from __future__ import annotations

import copy
import io
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import pptx
import pytest
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.enum.shapes import MSO_CONNECTOR, MSO_SHAPE
from pptx.util import Inches

from docops.core.address import parse_address
from docops.core.compare import ALLOW_ALL, Allow
from docops.families.preservation import Preserve, ScopeEntry, check_preserved
from docops.formats.pptx import FORMAT
from docops.formats.pptx.document import open_pptx
from docops.formats.pptx.samples import Slide, appear, deck
from tests.formats.pptx.decks import edit, members, pack, replace

Entry = str | tuple[str, str]
MAIN = "ppt/presentation.xml"


def findings(before: bytes, after: bytes, scope: Sequence[Entry] = ()) -> list[str]:
    """Addresses of the findings of preservation."""
    entries = [
        ScopeEntry(parse_address(entry), ALLOW_ALL) if isinstance(entry, str) else ScopeEntry(parse_address(entry[0]), frozenset({Allow(entry[1])})) for entry in scope
    ]
    found = check_preserved("d", open_pptx(before), open_pptx(after), FORMAT, entries, Preserve())
    return list(dict.fromkeys(finding.address.removeprefix("d#") for finding in found))


def saved(data: bytes, change: Callable[[Any], object]) -> bytes:
    """A presentation edited with python-pptx."""
    presentation = pptx.Presentation(io.BytesIO(data))
    change(presentation)
    out = io.BytesIO()
    presentation.save(out)
    return out.getvalue()


def shape(presentation: Any, slide: int, name: str) -> Any:
    return next(item for item in presentation.slides[slide - 1].shapes if item.name == name)


def built() -> bytes:
    """Slides with a button to the last, connectors, a table, a chart; two sections and a custom show."""
    presentation = pptx.Presentation()
    layouts = {layout.name: layout for layout in presentation.slide_layouts}
    for title in ("Aims", "Flow", "Table", "Chart", "Close"):
        presentation.slides.add_slide(layouts["Title Only"]).shapes.title.text = title
    slides = presentation.slides
    slides[0].shapes.add_shape(MSO_SHAPE.ACTION_BUTTON_END, 0, 0, Inches(1), Inches(1)).click_action.target_slide = slides[4]
    one = slides[1].shapes.add_shape(MSO_SHAPE.RECTANGLE, Inches(1), Inches(3), Inches(1), Inches(1))
    other = slides[1].shapes.add_shape(MSO_SHAPE.OVAL, Inches(4), Inches(3), Inches(1), Inches(1))
    connector = slides[1].shapes.add_connector(MSO_CONNECTOR.STRAIGHT, 0, 0, 1, 1)
    connector.begin_connect(one, 3)
    connector.end_connect(other, 1)
    table = slides[2].shapes.add_table(3, 2, Inches(1), Inches(2), Inches(4), Inches(2)).table
    for number, cell in enumerate(table.iter_cells()):
        cell.text = f"cell {number}"
    data = CategoryChartData()
    data.categories = ["Q1", "Q2"]
    data.add_series("Rail", (1.5, 2.5))
    data.add_series("Road", (4, 5))
    slides[3].shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, Inches(1), Inches(2), Inches(6), Inches(4), data)
    out = io.BytesIO()
    presentation.save(out)
    ids = [(entry.get("id"), entry.rId) for entry in slides._sldIdLst]
    show = "".join(f'<p:sld r:id="{rel}"/>' for _, rel in (ids[0], ids[4]))
    sections = "".join(
        f'<p14:section name="{name}" id="{{0000000{at}-0000-0000-0000-000000000000}}"><p14:sldIdLst>'
        + "".join(f'<p14:sldId id="{identifier}"/>' for identifier, _ in held)
        + "</p14:sldIdLst></p14:section>"
        for at, (name, held) in enumerate((("Start", ids[:3]), ("End", ids[3:])))
    )
    main = f'</p:defaultTextStyle><p:extLst><p:ext uri="{{521415D9-36F7-43E2-AB2F-B90AF26B5E84}}"><p14:sectionLst xmlns:p14="http://schemas.microsoft.com/office/powerpoint/2010/main">{sections}</p14:sectionLst></p:ext></p:extLst>'
    listed = replace(out.getvalue(), MAIN, "<p:defaultTextStyle>", f'<p:custShowLst><p:custShow name="Short" id="0"><p:sldLst>{show}</p:sldLst></p:custShow></p:custShowLst><p:defaultTextStyle>')
    return edit(listed, MAIN, lambda part: part[: part.index(b"</p:defaultTextStyle>")] + main.encode() + b"</p:presentation>")


def remove_slide(number: int) -> Callable[[Any], object]:
    def change(presentation: Any) -> None:
        entry = presentation.slides._sldIdLst[number - 1]
        presentation.part.drop_rel(entry.rId)
        presentation.slides._sldIdLst.remove(entry)

    return change


def move_slide(number: int, to: int) -> Callable[[Any], object]:
    def change(presentation: Any) -> None:
        listed = presentation.slides._sldIdLst
        entry = listed[number - 1]
        listed.remove(entry)
        listed.insert(to - 1, entry)

    return change


def remove_shape(slide: int, name: str) -> Callable[[Any], object]:
    def change(presentation: Any) -> None:
        element = shape(presentation, slide, name)._element
        element.getparent().remove(element)

    return change


def test_what_referred_to_a_removed_slide_refers_to_nothing() -> None:
    data = built()
    gone = saved(data, remove_slide(5))
    assert findings(data, gone, ["slide[5]"]) == []
    assert findings(data, gone, [("slide[5]", "remove")]) == []
    assert {"slide[5]", "show[Short]", 'slide[1]/shape["Action Button: End 2"]'} <= set(findings(data, gone))
    unlinked = edit(gone, "ppt/slides/slide1.xml", lambda part: part[: part.index(b"<a:hlinkClick")] + part[part.index(b"/>", part.index(b"<a:hlinkClick")) + 2 :])
    assert findings(data, unlinked, ["slide[5]"]) == []
    assert findings(data, unlinked, ["slide[4]"]) != []
    elsewhere = saved(gone, lambda deck: setattr(shape(deck, 1, "Action Button: End 2").click_action, "target_slide", deck.slides[1]))
    assert findings(data, elsewhere, ["slide[5]"]) == ['slide[1]/shape["Action Button: End 2"]']
    dropped = edit(gone, MAIN, lambda part: part.replace(part[part.index(b"<p:custShowLst>") : part.index(b"</p:custShowLst>") + 16], b""))
    assert findings(data, dropped, ["slide[5]"]) == ["show[Short]"]


def test_a_slide_that_moves_comes_to_its_neighbours_section() -> None:
    data = built()
    moved = saved(data, move_slide(2, 5))
    listed = edit(moved, MAIN, lambda part: _section_of(part, 2, into=b'name="End"'))
    assert findings(data, listed, [("slide[2]", "move")]) == []
    assert findings(data, listed, [("slide[3]", "move")]) != []
    stayed = edit(data, MAIN, lambda part: _section_of(part, 1, into=b'name="End"'))
    assert findings(data, stayed, [("slide[1]", "move")]) == ["slide[1]/section", 'section["Start"]', 'section["End"]']


def _section_of(part: bytes, number: int, into: bytes) -> bytes:
    entry = f'<p14:sldId id="{255 + number}"/>'.encode()
    head, _, tail = part.replace(entry, b"").partition(into)
    return head + into + tail.replace(b"<p14:sldIdLst>", b"<p14:sldIdLst>" + entry, 1)


def test_a_section_has_its_new_name_in_one_place() -> None:
    data = built()
    renamed = replace(data, MAIN, 'name="Start"', 'name="Begin"')
    assert findings(data, renamed, ['section["Start"]']) == []
    assert findings(data, renamed) == ['section["Start"]']


def test_a_section_goes_with_its_slides_and_a_new_one_takes_its_own() -> None:
    data = built()
    emptied = saved(saved(data, remove_slide(5)), remove_slide(4))
    scope = ["slide[4]", "slide[5]"]
    assert findings(data, emptied, scope) == []
    gone = edit(emptied, MAIN, lambda part: part.replace(part[part.index(b'<p14:section name="End"') : part.index(b"</p14:sectionLst>")], b""))
    assert findings(data, gone, scope) == []
    assert findings(data, gone, ["slide[4]"]) != []
    renamed = edit(data, MAIN, lambda part: part.replace(b'<p14:sldId id="258"/>', b'</p14:sldIdLst></p14:section><p14:section name="Middle" id="{9}"><p14:sldIdLst><p14:sldId id="258"/>'))
    assert findings(data, renamed, ["section[Middle]"]) == []
    assert set(findings(data, renamed)) == {'section["Middle"]', "slide[3]/section", 'section["Start"]'}


def test_connectors_follow_the_name_of_their_shape_and_lose_one_that_goes() -> None:
    data = built()
    assert findings(data, saved(data, lambda deck: setattr(shape(deck, 2, "Oval 3"), "name", "Goal")), ['slide[2]/shape["Oval 3"]']) == []
    gone = saved(data, remove_shape(2, "Oval 3"))
    assert findings(data, gone, ['slide[2]/shape["Oval 3"]']) == []
    assert 'slide[2]/shape["Connector 4"]' in findings(data, gone)
    loose = edit(gone, "ppt/slides/slide2.xml", lambda part: part[: part.index(b"<a:stCxn")] + part[part.index(b"/>", part.index(b"<a:stCxn")) + 2 :])
    assert findings(data, loose, ['slide[2]/shape["Oval 3"]']) == ['slide[2]/shape["Connector 4"]']


@pytest.mark.parametrize("keep", [True, False])
def test_a_removed_shape_takes_its_animation_along(keep: bool) -> None:
    data = deck([Slide("Goals", ["Faster"], after=appear(3))])
    name = 'slide[1]/shape["Content Placeholder 2"]'
    gone = saved(data, remove_shape(1, "Content Placeholder 2"))
    if not keep:
        gone = edit(gone, "ppt/slides/slide1.xml", lambda part: part[: part.index(b"<p:timing")] + b"</p:sld>")
    assert findings(data, gone, [name]) == []
    assert "slide[1]/animation" in findings(data, gone)
    renamed = saved(data, lambda deck: setattr(shape(deck, 1, "Content Placeholder 2"), "name", "Points"))
    assert findings(data, renamed, [name]) == []
    assert findings(data, renamed) == [name]


def test_the_frame_of_a_table_follows_its_rows_and_columns() -> None:
    data = built()
    table = 'slide[3]/shape["Table 2"]'

    def grow(presentation: Any) -> None:
        grown = shape(presentation, 3, "Table 2")
        grown.table._tbl.append(copy.deepcopy(grown.table._tbl.tr_lst[-1]))
        grown.height = sum(row.height for row in grown.table.rows)

    assert findings(data, saved(data, grow), [f"{table}/table/row[4]"]) == []
    assert findings(data, saved(data, lambda deck: setattr(shape(deck, 3, "Table 2").table.rows[1], "height", Inches(1))), [f"{table}/table/row[2]"]) == []
    assert findings(data, saved(data, lambda deck: setattr(shape(deck, 3, "Table 2").table.columns[1], "width", Inches(1))), [f"{table}/table"]) == []
    assert findings(data, saved(data, lambda deck: setattr(shape(deck, 3, "Table 2"), "height", Inches(1))), [f"{table}/table"]) == [table]


def test_the_workbook_follows_a_series() -> None:
    data = built()
    chart = 'slide[4]/shape["Chart 2"]/chart'

    def replaced(rail: tuple[float, float], road: tuple[float, float]) -> bytes:
        new = CategoryChartData()
        new.categories = ["Q1", "Q2"]
        new.add_series("Rail", rail)
        new.add_series("Road", road)
        return saved(data, lambda deck: shape(deck, 4, "Chart 2").chart.replace_data(new))

    assert findings(data, replaced((9, 2.5), (4, 5)), [f"{chart}/series[1]"]) == []
    assert findings(data, replaced((9, 2.5), (4, 5)), [f"{chart}/series[2]"]) == [chart, f"{chart}/series[1]"]
    assert set(findings(data, replaced((9, 2.5), (4, 6)), [f"{chart}/series[1]"])) == {chart, f"{chart}/series[2]"}


def test_blank_notes_are_none() -> None:
    data = built()
    looked = saved(data, lambda deck: [slide.notes_slide for slide in deck.slides])
    assert findings(data, looked) == []
    assert findings(looked, data) == ["notes_master"]
    written = saved(data, lambda deck: setattr(deck.slides[1].notes_slide.notes_text_frame, "text", "Say it."))
    assert findings(data, written) == ["slide[2]/notes", "notes_master"]
    assert findings(looked, saved(looked, lambda deck: setattr(deck.slides[1].notes_slide.notes_text_frame, "text", "Say it."))) != []


def test_the_size_that_fits_follows_the_text() -> None:
    box = deck([Slide("Goals", ["Faster"])])
    scaled = replace(box, "ppt/slides/slide1.xml", "<a:bodyPr/><a:lstStyle/><a:p><a:r><a:t>Faster", '<a:bodyPr><a:normAutofit fontScale="80000"/></a:bodyPr><a:lstStyle/><a:p><a:r><a:t>Faster')
    paragraph = 'slide[1]/shape["Content Placeholder 2"]/paragraph[1]'
    assert 'slide[1]/shape["Content Placeholder 2"]' in findings(box, scaled, [paragraph])
    fitted = replace(box, "ppt/slides/slide1.xml", "<a:bodyPr/><a:lstStyle/><a:p><a:r><a:t>Faster", '<a:bodyPr><a:normAutofit/></a:bodyPr><a:lstStyle/><a:p><a:r><a:t>Faster')
    longer = replace(scaled, "ppt/slides/slide1.xml", "Faster", "Faster and cheaper")
    assert findings(fitted, longer, [paragraph]) == []


def test_a_slide_in_scope_brings_its_layout_along() -> None:
    data = built()
    changed = replace(data, "ppt/slides/_rels/slide3.xml.rels", "slideLayout6.xml", "slideLayout12.xml")
    parts = members(changed)
    parts["ppt/slideLayouts/slideLayout12.xml"] = parts["ppt/slideLayouts/slideLayout6.xml"].replace(b"Title Only", b"Title and Table")
    parts["ppt/slideLayouts/_rels/slideLayout12.xml.rels"] = parts["ppt/slideLayouts/_rels/slideLayout6.xml.rels"]
    parts["[Content_Types].xml"] = parts["[Content_Types].xml"].replace(
        b"</Types>", b'<Override PartName="/ppt/slideLayouts/slideLayout12.xml" ContentType="application/vnd.openxmlformats-officedocument.presentationml.slideLayout+xml"/></Types>'
    )
    master = "ppt/slideMasters/slideMaster1.xml"
    parts[master] = parts[master].replace(b"</p:sldLayoutIdLst>", b'<p:sldLayoutId id="2147489999" r:id="rIdNew"/></p:sldLayoutIdLst>')
    rels = "ppt/slideMasters/_rels/slideMaster1.xml.rels"
    parts[rels] = parts[rels].replace(
        b"</Relationships>",
        b'<Relationship Id="rIdNew" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/slideLayout" Target="../slideLayouts/slideLayout12.xml"/></Relationships>',
    )
    output = pack(parts)
    assert findings(data, output, ["slide[3]"]) == []
    assert 'master[1]/layout["Title and Table"]' in findings(data, output, ["slide[2]"])


def grouped() -> bytes:
    """A slide with a group of three shapes."""

    def build(presentation: Any) -> None:
        group = presentation.slides[1].shapes.add_group_shape()
        for number in range(3):
            group.shapes.add_shape(MSO_SHAPE.RECTANGLE, Inches(2 + 2 * number), Inches(5), Inches(1), Inches(1)).text = f"member {number}"

    return saved(built(), build)


def test_the_frame_of_a_group_follows_what_is_in_it() -> None:
    data = grouped()
    group = 'slide[2]/shape["Group 5"]'

    def change(presentation: Any, what: str) -> None:
        members = shape(presentation, 2, "Group 5")
        if what == "add":
            members.shapes.add_textbox(Inches(1), Inches(4), Inches(1), Inches(1)).name = "New"
        elif what == "move":
            members.shapes[0].left = Inches(1)
        elif what == "remove":
            members._element.remove(members.shapes[0]._element)
        members._element.recalculate_extents()

    for what, place in (("add", f'{group}/shape["New"]'), ("move", f'{group}/shape["Rectangle 6"]'), ("remove", f'{group}/shape["Rectangle 6"]')):
        edited = saved(data, partial(change, what=what))
        assert findings(data, edited, [place]) == []
        assert findings(data, edited) == [place]
    stretched = saved(data, lambda deck: setattr(shape(deck, 2, "Group 5"), "width", Inches(9)))
    assert findings(data, stretched, [f'{group}/shape["Rectangle 6"]'])[0] == group


def test_a_connector_goes_with_its_shape() -> None:
    data = built()

    def move(presentation: Any) -> None:
        shape(presentation, 2, "Oval 3").left = Inches(6)
        shape(presentation, 2, "Connector 4").end_connect(shape(presentation, 2, "Oval 3"), 1)

    assert findings(data, saved(data, move), ['slide[2]/shape["Oval 3"]']) == []
    assert 'slide[2]/shape["Oval 3"]' in findings(data, saved(data, move))
    assert 'slide[2]/shape["Connector 4"]' in findings(data, saved(data, move))
    alone = saved(data, lambda deck: setattr(shape(deck, 2, "Connector 4"), "width", Inches(6)))
    assert findings(data, alone, ['slide[2]/shape["Oval 3"]']) == ['slide[2]/shape["Connector 4"]']


def test_a_merged_cell_reaches_as_far_as_its_rows() -> None:
    data = saved(built(), lambda deck: shape(deck, 3, "Table 2").table.cell(0, 0).merge(shape(deck, 3, "Table 2").table.cell(2, 0)))
    table = 'slide[3]/shape["Table 2"]/table'

    def change(presentation: Any, span: int, add: bool) -> None:
        element = shape(presentation, 3, "Table 2").table._tbl
        rows = element.tr_lst
        rows[0].tc_lst[0].set("rowSpan", str(span))
        if add:
            rows[1].addnext(copy.deepcopy(rows[1]))
            element.tr_lst[2].tc_lst[1].txBody.p_lst[0].r_lst[0].text = "new"
        else:
            element.remove(rows[1])

    assert findings(data, saved(data, lambda deck: change(deck, 2, False)), [f"{table}/row[2]"]) == []
    assert findings(data, saved(data, lambda deck: change(deck, 1, False)), [f"{table}/row[2]"]) == [f"{table}/row[1]/cell[1]"]
    assert findings(data, saved(data, lambda deck: change(deck, 4, True)), [(f"{table}/row[3]", "add")]) == []


def test_leave_to_move_a_shape_is_leave_to_place_it_elsewhere_and_no_more() -> None:
    data = built()
    moved = saved(data, lambda deck: setattr(shape(deck, 3, "Table 2"), "left", Inches(3)))
    assert findings(data, moved, [('slide[3]/shape["Table 2"]', "move")]) == []
    assert findings(data, moved, [("slide[3]", "move")]) == ['slide[3]/shape["Table 2"]']
    wider = saved(data, lambda deck: setattr(shape(deck, 3, "Table 2"), "width", Inches(3)))
    assert findings(data, wider, [('slide[3]/shape["Table 2"]', "move")]) == ['slide[3]/shape["Table 2"]']


@pytest.mark.parametrize("scope", ['master[1]/layout["Title and Content"]', "master[1]"])
def test_slides_keep_a_layout_that_has_another_name(scope: str) -> None:
    def change(presentation: Any) -> None:
        layout = presentation.slide_layouts.get_by_name("Title and Content")
        layout.element.cSld.set("name", "Text")
        layout.placeholders[1].left = Inches(2)

    data = saved(built(), lambda deck: deck.slides.add_slide(deck.slide_layouts.get_by_name("Title and Content")))
    after = saved(data, change)
    assert findings(data, after, [scope]) == []
    assert {address.partition("/shape")[0] for address in findings(data, after)} == {'master[1]/layout["Title and Content"]'}
    assert findings(data, after, [('master[1]/layout["Title and Content"]', "change")]) == []
