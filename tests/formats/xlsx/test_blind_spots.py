"""Damage that was once not seen, and rewrites that were once taken for damage; each the smallest instance."""

from __future__ import annotations

import io
from typing import Any

import pytest
from lxml import etree

from docops.core.codes import CONTENT_ASPECTS, Aspect
from docops.families.preservation import new_stale
from docops.formats.xlsx import FORMAT
from docops.formats.xlsx.document import open_xlsx
from tests.formats.xlsx.books import changes, edit, pack, parts, places, replace, save

_SHEET = "xl/worksheets/sheet1.xml"
_PICTURE = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108020000009077" + "53de0000000c49444154789c63f8cfc0000003010100c9fe92ef0000000049454e44ae426082"
)


def _written(fill: Any) -> bytes:
    xlsxwriter = pytest.importorskip("xlsxwriter")
    stream = io.BytesIO()
    book = xlsxwriter.Workbook(stream, {"in_memory": True})
    fill(book)
    book.close()
    return stream.getvalue()


def test_shared_strings_cut_short_are_seen() -> None:
    before = _written(lambda book: book.add_worksheet("S").write_column("A1", ["one", "two", "three"]))
    after = edit(before, "xl/sharedStrings.xml", lambda root: root.remove(root[-1]))
    assert places(changes(before, after)) == ["sheet[S]/cell[A3]"]


def _floating(book: Any, *, apart: bool = False) -> None:
    sheet = book.add_worksheet("S")
    sheet.write_column("A1", [1, 2, 3])
    sheet.insert_image("C3", "a.png", {"image_data": io.BytesIO(_PICTURE)})
    chart = book.add_chart({"type": "column"})
    chart.add_series({"values": "=S!$A$1:$A$3"})
    sheet.insert_chart("M3" if apart else "C3", chart)


def _restacked(root: etree._Element) -> None:
    root.insert(0, root[-1])


@pytest.mark.parametrize("apart", [False, True])
def test_what_lies_above_is_state_where_objects_overlap(apart: bool) -> None:
    before = _written(lambda book: _floating(book, apart=apart))
    after = edit(before, "xl/drawings/drawing1.xml", _restacked)
    assert bool(changes(before, after)) is not apart
    if not apart:
        assert set(places(changes(before, after))) == {"sheet[S]/chart[1]", "sheet[S]/image[1]"}
        assert not changes(before, after, scope=("sheet[S]/image[1]",))


def test_an_object_that_covered_another_is_intact_where_that_one_went() -> None:
    before = _written(_floating)
    after = edit(before, "xl/drawings/drawing1.xml", lambda root: root.remove(root[0]))
    gone = "image" if b"pic>" in etree.tostring(etree.fromstring(parts(before)["xl/drawings/drawing1.xml"])[0]) else "chart"
    assert places(changes(before, after)) == [f"sheet[S]/{gone}[1]"]
    assert not changes(before, after, scope=(f"sheet[S]/{gone}[1]",))


def test_a_chart_title_is_one_span() -> None:
    def fill(book: Any) -> None:
        sheet = book.add_worksheet("S")
        sheet.write_column("A1", [1, 2, 3])
        chart = book.add_chart({"type": "column"})
        chart.add_series({"values": "=S!$A$1:$A$3"})
        chart.set_title({"name": "Only once"})
        chart.set_x_axis({"name": "Axis"})
        sheet.insert_chart("C3", chart)

    document = open_xlsx(_written(fill))
    assert [span.text for span in document.spans()].count("Only once") == 1
    assert [span.text for span in document.spans()].count("Axis") == 1


def test_an_array_that_no_longer_spills_is_seen() -> None:
    before = _written(lambda book: book.add_worksheet("S").write_dynamic_array_formula("B2:B4", "=_xlfn._xlws.SORT(A2:A4)"))
    after = replace(before, "xl/metadata.xml", 'fDynamic="1"', 'fDynamic="0"')
    assert set(places(changes(before, after))) == {"sheet[S]/cell[B2]"}


def test_a_data_bar_that_is_drawn_elsewhere_is_seen() -> None:
    def fill(book: Any) -> None:
        book.add_worksheet("S").conditional_format("A1:A9", {"type": "data_bar", "data_bar_2010": True})

    before = _written(fill)
    after = replace(before, _SHEET, "<xm:sqref>A1:A9<", "<xm:sqref>C1:C9<")
    assert places(changes(before, after)) == ["sheet[S]/conditional_format[A1:A9]"]


def test_pictures_of_a_header_that_change_places_are_seen(tmp_path: Any) -> None:
    first, second = tmp_path / "one.png", tmp_path / "two.png"
    first.write_bytes(_PICTURE)
    second.write_bytes(_PICTURE.replace(b"\x63\xf8\xcf\xc0\x00", b"\x63\xf8\xcf\xc1\x00"))

    def fill(book: Any) -> None:
        book.add_worksheet("S").set_header("&L&G&R&G", {"image_left": str(first), "image_right": str(second)})

    before = _written(fill)
    name = "xl/drawings/vmlDrawing1.vml"
    text = parts(before)[name].decode()
    assert "rId1" in text
    assert "rId2" in text
    after = pack({**parts(before), name: text.replace("rId1", "rId0").replace("rId2", "rId1").replace("rId0", "rId2").encode()})
    assert places(changes(before, after)) == ["sheet[S]/print"]


_THREADS = "http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"


def _thread(reply: str) -> bytes:
    members = parts(save(lambda book: book.active.cell(1, 1, "x")))
    comments = "".join(
        f'<threadedComment xmlns="{_THREADS}" ref="A1" dT="2024-05-06T07:08:09.10" personId="p" id="{number}"{parent}><text>{text}</text></threadedComment>'
        for number, text, parent in ((1, "Why?", ""), (2, "Because.", reply))
    )
    members["xl/threadedComments/threadedComment1.xml"] = f'<ThreadedComments xmlns="{_THREADS}">{comments}</ThreadedComments>'.encode()
    members["xl/worksheets/_rels/sheet1.xml.rels"] = (
        f'<Relationships xmlns="{_PACKAGE}"><Relationship Id="rId1" Type="http://schemas.microsoft.com/office/2017/10/relationships/threadedComment" '
        f'Target="../threadedComments/threadedComment1.xml"/></Relationships>'
    ).encode()
    return pack(members)


def test_a_reply_that_leaves_its_thread_is_seen() -> None:
    before = _thread(' parentId="1"')
    assert places(changes(before, _thread(""))) == ["sheet[Sheet]/comment[A1]"]
    assert places(changes(before, _thread(' parentId="7"'))) == ["sheet[Sheet]/comment[A1]"]


def test_absurd_numbers_are_read_without_a_fuss() -> None:
    long = "9" * 5000

    def damage(root: etree._Element) -> None:
        for element in root.iter():
            for name in ("style", "s", "min", "max", "id", "priority", "outlineLevel", "xSplit"):
                if element.get(name) is not None:
                    element.set(name, long)

    def fill(book: Any) -> None:
        sheet = book.active
        sheet["A1"] = 1
        sheet.column_dimensions["B"].width = 20
        sheet.freeze_panes = "B2"

    document = open_xlsx(edit(save(fill), _SHEET, damage))
    assert document.facts()
    assert any(key.aspect is Aspect.VALUE for key in document.facts())
    assert document.spans() is not None


def test_what_another_program_cannot_keep_is_no_content() -> None:
    before = _written(lambda book: book.add_worksheet("S").write_dynamic_array_formula("B2:B4", "=_xlfn._xlws.SORT(A2:A4)"))
    after = replace(before, _SHEET, ' cm="1"', "")
    assert not changes(before, after, aspects=CONTENT_ASPECTS)
    assert changes(before, after)
    assert changes(before, replace(after, _SHEET, "A2:A4", "A2:A3"), aspects=CONTENT_ASPECTS)

    def hide(book: Any) -> None:
        book.create_sheet("T").sheet_state = "veryHidden"

    hidden = save(hide)
    other = replace(hidden, "xl/workbook.xml", "veryHidden", "hidden")
    assert not changes(hidden, other, aspects=CONTENT_ASPECTS)
    assert places(changes(hidden, other)) == ["sheet[T]"]
    assert changes(hidden, replace(hidden, "xl/workbook.xml", "veryHidden", "visible"), aspects=CONTENT_ASPECTS)


def test_results_that_the_source_declared_void_are_not_held_against_a_resave() -> None:
    def fill(book: Any) -> None:
        sheet = book.add_worksheet("S")
        sheet.write_column("A1", [1, 2, 3])
        sheet.write_formula("B1", "=SUM(A1:A3)")
        sheet.write_formula("B2", "=B1*2")
        sheet.write_formula("B3", "=A1+1", None, 2)

    source = _written(fill)
    resaved = replace(source, "xl/workbook.xml", ' fullCalcOnLoad="1"', "")
    assert not new_stale(open_xlsx(source), open_xlsx(resaved), FORMAT)
    broken = replace(resaved, _SHEET, "<f>A1+1</f><v>2</v>", "<f>A1+1</f><v>7</v>")
    assert [stale.address for stale in new_stale(open_xlsx(source), open_xlsx(broken), FORMAT)] == ["sheet[S]/cell[B3]"]


def _under(options: dict[str, Any], *, at: str = "B2", shape: dict[str, Any] | None = None) -> str:
    def fill(book: Any) -> None:
        sheet = book.add_worksheet("S")
        sheet.write("C4", options.get("text", "Payable now"))
        sheet.set_column("B:F", options.get("width", 12))
        if options.get("beside"):
            sheet.write("D4", "beside")
        if shape is None:
            chart = book.add_chart({"type": "column"})
            chart.add_series({"values": "=S!$A$1:$A$3"})
            if options.get("clear"):
                chart.set_chartarea({"fill": {"none": True}})
            sheet.insert_chart(at, chart, {"x_scale": options.get("scale", 1), "object_position": options.get("position", 1)})
        else:
            sheet.insert_textbox(at, "over it", shape)

    spans = open_xlsx(_written(fill)).spans()
    return next(span.hidden_by for span in spans if span.address == "sheet[S]/cell[C4]")


def test_text_wholly_under_an_object_is_hidden() -> None:
    assert _under({}) == "covered by an object"
    assert _under({"position": 2}) == "covered by an object"
    assert not _under({}, at="B8")
    assert not _under({}, at="D2")
    assert not _under({"clear": True})
    assert not _under({"text": "It goes on and on, far beyond the chart that begins where it does " * 3})
    assert _under({"text": "It goes on and on, far beyond the chart that begins where it does " * 3, "beside": True}) == "covered by an object"
    assert _under({}, shape={"fill": {"color": "red"}}) == "covered by an object"
    assert not _under({}, shape={"fill": {"none": True}})


def test_a_run_of_no_size_is_hidden() -> None:
    def fill(book: Any) -> None:
        book.add_worksheet("S").write_rich_string("A1", "seen ", book.add_format({"font_size": 1}), "unseen", " too")

    hidden = {span.text: span.visible for span in open_xlsx(_written(fill)).spans() if span.address == "sheet[S]/cell[A1]"}
    assert hidden == {"seen ": True, "unseen": False, " too": True}


def test_an_automatic_chart_title_may_be_written_out() -> None:
    def fill(name: str, title: str | None) -> bytes:
        def draw(book: Any) -> None:
            sheet = book.add_worksheet("S")
            sheet.write_column("A1", ["Sales", 1, 2, 3])
            chart = book.add_chart({"type": "line"})
            chart.add_series({"name": name, "values": "=S!$A$2:$A$4"})
            if title is not None:
                chart.set_title({"name": title} if title else {"none": True})
            sheet.insert_chart("C3", chart)

        return _written(draw)

    for name in ("Sales", "=S!$A$1"):
        assert not changes(fill(name, None), fill(name, "Sales"), aspects=CONTENT_ASPECTS)
        assert changes(fill(name, None), fill(name, "Other"), aspects=CONTENT_ASPECTS)
        assert changes(fill(name, None), fill(name, ""))


@pytest.mark.parametrize(
    ("code", "value", "hidden"),
    [
        ("[White]0", 5, "colour of the background"),
        ("[White]@", "x", "colour of the background"),
        ("[Red]0", 5, ""),
        ('"";"";"";""', "x", "number format"),
        ('"";"";"";""', 5, "number format"),
        ('0;-0;;@', 0, "number format"),
        ('0;-0;;@', 5, ""),
        ("_-* #,##0_-;-* #,##0_-;_-* -_-;_-@_-", "x", ""),
        ("_-* #,##0_-;-* #,##0_-;_-* -_-;_-@_-", 0, ""),
        ("General", 0, ""),
        ("[h]", 5, ""),
        ("[<100];;0", 5, ""),
        ("@", "x", ""),
        ("yyyy-mm-dd", 45000, ""),
    ],
)
def test_what_a_number_format_shows(code: str, value: Any, hidden: str) -> None:
    def fill(book: Any) -> None:
        book.active["A1"] = value
        book.active["A1"].number_format = code

    assert next(span.hidden_by for span in open_xlsx(save(fill)).spans() if span.address == "sheet[Sheet]/cell[A1]") == hidden


@pytest.mark.parametrize(("colour", "hidden"), [("FFFEFEFE", True), ("FFFAFAFA", True), ("FFD9D9D9", False), ("FF000000", False)])
def test_a_colour_next_to_the_background_is_that_of_the_background(colour: str, hidden: bool) -> None:
    def fill(book: Any) -> None:
        from openpyxl.styles import Font

        book.active["A1"] = "x"
        book.active["A1"].font = Font(color=colour)

    assert next(span.visible for span in open_xlsx(save(fill)).spans() if span.address == "sheet[Sheet]/cell[A1]") is not hidden
