"""Charts: what they show is facts, ids are not, and caches are held against the embedded workbook."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable

import pytest

from docops.core.codes import Aspect
from docops.core.compare import Change, Comparison, compare_trees
from docops.core.node import Node, collect_facts, root_node
from docops.formats.ooxml.chart import canonical_reference, chart_node, chart_parts, chart_spans, chart_stale, read_chart
from docops.formats.ooxml.package import Package, Part, open_package
from docops.formats.ooxml.sheet_values import read_workbook
from tests.formats.ooxml.packages import SHARED


def deck(build: Callable[[object], None] | None = None, kind: str = "COLUMN_CLUSTERED") -> bytes:
    """A presentation with one chart on its slide, made by python-pptx."""
    from pptx import Presentation
    from pptx.chart.data import CategoryChartData
    from pptx.enum.chart import XL_CHART_TYPE
    from pptx.util import Inches

    presentation = Presentation()
    slide = presentation.slides.add_slide(presentation.slide_layouts[6])
    data = CategoryChartData()
    data.categories = ["North", "South", "West"]
    data.add_series("Net", (1.5, 2, None))
    data.add_series("Gross", (3, 4.25, 5))
    shape = slide.shapes.add_chart(XL_CHART_TYPE[kind], Inches(1), Inches(1), Inches(5), Inches(3), data)
    shape.chart.has_title = True
    shape.chart.chart_title.text_frame.text = "Sales by region"
    if build:
        build(shape.chart)
    stream = io.BytesIO()
    presentation.save(stream)
    return stream.getvalue()


def chart_of(data: bytes) -> tuple[Package, Part]:
    package = open_package(data)
    return package, next(part for part in package.parts.values() if "chart+xml" in part.content_type)


def tree(data: bytes, *, cache_is_state: bool = True) -> Node:
    package, part = chart_of(data)
    return chart_node(None, part, package, cache_is_state=cache_is_state)


def edited(data: bytes, name: str, change: Callable[[bytes], bytes]) -> bytes:
    """The package with the bytes of one member (by the end of its name) changed."""
    out = io.BytesIO()
    hits = 0
    with zipfile.ZipFile(io.BytesIO(data)) as before, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as after:
        for entry in before.namelist():
            content = before.read(entry)
            if re.search(name, entry):
                changed = change(content)
                hits += changed != content
                content = changed
            after.writestr(entry, content)
    assert hits == 1
    return out.getvalue()


def replaced(data: bytes, old: str, new: str, name: str = r"charts/chart[^/]*\.xml$") -> bytes:
    return edited(data, name, lambda content: content.replace(old.encode(), new.encode(), 1))


def changes(before: bytes, after: bytes) -> list[Change]:
    one, other = tree(before), tree(after)
    return list(compare_trees(root_node(lambda: [one]), root_node(lambda: [other]), Comparison()))


@pytest.fixture(scope="module")
def simple() -> bytes:
    return deck()


def test_facts_are_what_the_chart_shows(simple: bytes) -> None:
    facts = {(key.address, key.name): value for key, value in collect_facts(tree(simple)).items() if key.aspect is not Aspect.RAW}
    assert facts["chart", "type"] == "column"
    assert facts["chart", "grouping"] == "clustered"
    assert facts["chart", "title"] == "Sales by region"
    assert facts["chart/series[1]", "name"] == "Net" or facts["chart/series[1]", "name"] == "Sheet1!$B$1"
    assert facts["chart/series[1]", "values"] in ([1.5, 2, None], "Sheet1!$B$2:$B$4")
    series = tree(simple).children[1].facts
    assert series[Aspect.TEXT, "name"] == "Gross"
    assert series[Aspect.RAW, "values reference"] == "Sheet1!$C$2:$C$4"
    assert series[Aspect.VALUE, "values"] == [3, 4.25, 5]
    assert series[Aspect.VALUE, "categories"] == ["North", "South", "West"]


@pytest.mark.parametrize(
    ("kind", "type_", "grouping"),
    [
        ("BAR_STACKED", "bar", "stacked"),
        ("COLUMN_STACKED_100", "column", "percentStacked"),
        ("LINE_MARKERS", "line", "standard"),
        ("PIE", "pie", None),
        ("DOUGHNUT", "doughnut", None),
        ("AREA", "area", "standard"),
        ("RADAR", "radar", None),
    ],
)
def test_types(kind: str, type_: str, grouping: str | None) -> None:
    data = deck(kind=kind)
    assert read_chart(chart_of(data)[1]).types == (type_,)
    assert tree(data).facts.get((Aspect.STRUCTURE, "grouping")) == grouping


def test_read_chart_for_predicates(simple: bytes) -> None:
    chart = read_chart(chart_of(simple)[1])
    assert chart.title == "Sales by region"
    assert [series.name for series in chart.series] == ["Net", "Gross"]
    assert chart.series[0].values.values == (1.5, 2.0, None)
    assert chart.workbook is not None


@pytest.mark.parametrize(
    ("old", "new", "place", "aspect"),
    [
        ("<c:v>4.25</c:v>", "<c:v>4.5</c:v>", "chart/series[2]", Aspect.VALUE),
        ("<c:v>Gross</c:v>", "<c:v>Grass</c:v>", "chart/series[2]", Aspect.TEXT),
        ("<c:v>South</c:v>", "<c:v>East</c:v>", "chart/series[1]", Aspect.VALUE),
        ("Sheet1!$C$2:$C$4", "Sheet1!$B$2:$B$4", "chart/series[2]", Aspect.RAW),
        ("Sales by region", "Costs by region", "chart", Aspect.TEXT),
        ('<c:barDir val="col"/>', '<c:barDir val="bar"/>', "chart", Aspect.STRUCTURE),
        ('<c:grouping val="clustered"/>', '<c:grouping val="stacked"/>', "chart", Aspect.STRUCTURE),
        ('<c:orientation val="minMax"/>', '<c:orientation val="maxMin"/>', "chart", Aspect.FORMAT),
        ('<c:delete val="0"/>', '<c:delete val="1"/>', "chart", Aspect.FORMAT),
        ("</c:tx><c:cat>", "</c:tx><c:invertIfNegative/><c:cat>", "chart/series[1]", Aspect.RAW),
        ('<c:majorTickMark val="out"/>', '<c:majorTickMark val="in"/>', "chart", Aspect.RAW),
    ],
)
def test_every_change_stands_under_its_place(simple: bytes, old: str, new: str, place: str, aspect: Aspect) -> None:
    found = changes(simple, replaced(simple, old, new))
    assert {(change.address, change.aspect) for change in found} == {(place, aspect)}


def test_ids_and_spellings_are_no_state(simple: bytes) -> None:
    assert changes(simple, edited(simple, r"charts/chart[^/]*\.xml$", lambda data: re.sub(rb'(axId|crossAx) val="-?(\d+)"', rb'\1 val="9\2"', data))) == []
    assert changes(simple, replaced(simple, "Sheet1!$C$2:$C$4", "'Sheet1'!$C$2:$C$4")) == []
    assert changes(simple, replaced(simple, '<c:delete val="0"/>', "")) == []
    assert changes(simple, edited(simple, r"charts/chart[^/]*\.xml$", lambda data: re.sub(rb"<c:v>3(\.0)?</c:v>", b"<c:v>3.00</c:v>", data))) == []


def test_a_title_split_into_runs_is_the_same(simple: bytes) -> None:
    split = replaced(simple, "<a:r><a:t>Sales by region</a:t></a:r>", "<a:r><a:t>Sales </a:t></a:r><a:r><a:rPr/><a:t>by region</a:t></a:r>")
    assert changes(simple, split) == []


def test_order_of_series_is_state_by_order_not_by_place(simple: bytes) -> None:
    def swap(data: bytes) -> bytes:
        one, two = re.findall(rb"<c:ser>.*?</c:ser>", data, re.DOTALL)
        return data.replace(one, b"@@").replace(two, one).replace(b"@@", two)

    def renumber(data: bytes) -> bytes:
        return data.replace(b'<c:order val="0"/>', b'<c:order val="7"/>', 1)

    moved = edited(simple, r"charts/chart[^/]*\.xml$", swap)
    assert changes(simple, moved) == []
    reordered = edited(simple, r"charts/chart[^/]*\.xml$", renumber)
    assert [change.aspect for change in changes(simple, reordered)] == [Aspect.ORDER]


def test_in_a_workbook_the_cells_are_the_state(simple: bytes) -> None:
    series = tree(simple, cache_is_state=False).children[0].facts
    assert series[Aspect.FORMULA, "values"] == "Sheet1!$B$2:$B$4"
    assert not {Aspect.VALUE, Aspect.TEXT} & {aspect for aspect, _ in series}


def workbook_edited(data: bytes, change: Callable[[bytes], bytes], name: str = r"sheet1\.xml$") -> bytes:
    return edited(data, r"embeddings/.*\.xlsx$", lambda inner: edited(inner, name, change))


def test_a_repacked_workbook_is_the_same(simple: bytes) -> None:
    def repack(inner: bytes) -> bytes:
        out = io.BytesIO()
        with zipfile.ZipFile(io.BytesIO(inner)) as before, zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as after:
            for entry in reversed(before.namelist()):
                after.writestr(entry, before.read(entry))
        return out.getvalue()

    assert changes(simple, edited(simple, r"embeddings/.*\.xlsx$", repack)) == []


def test_a_workbook_against_its_chart(simple: bytes) -> None:
    assert chart_stale(chart_of(simple)[1], "chart") == []
    changed = workbook_edited(simple, lambda data: data.replace(b"<v>4.25</v>", b"<v>9</v>"))
    assert [(change.address, change.aspect, change.name) for change in changes(simple, changed)] == [("chart", Aspect.RAW, "workbook")]
    (stale,) = chart_stale(chart_of(changed)[1], "slide[1]/shape[x]/chart")
    assert (stale.address, stale.name, stale.cached, stale.derived) == ("slide[1]/shape[x]/chart/series[2]", "values", [3, 4.25, 5], [3, 9, 5])
    (stale,) = chart_stale(chart_of(replaced(simple, "<c:v>Net</c:v>", "<c:v>Not</c:v>"))[1], "c")
    assert (stale.address, stale.name, stale.cached, stale.derived) == ("c/series[1]", "name", ["Not"], ["Net"])


def test_numbers_in_a_cache_are_compared_as_numbers(simple: bytes) -> None:
    assert chart_stale(chart_of(replaced(simple, "<c:v>4.25</c:v>", "<c:v>4.2500000000000001</c:v>"))[1], "c") == []


def test_spans_hold_every_text(simple: bytes) -> None:
    spans = chart_spans(chart_of(simple)[1], "chart")
    shown = {span.text for span in spans if span.visible}
    assert {"Sales by region", "Net", "Gross", "North", "South", "West"} <= shown
    assert "Sheet1" in {span.text for span in spans if not span.visible}
    assert all(not span.visible for span in chart_spans(chart_of(simple)[1], "chart", visible=False, hidden_by="hidden slide"))
    addresses = {span.address for span in spans}
    assert addresses == {"chart", "chart/series[1]", "chart/series[2]"}


def test_parts_of_a_chart(simple: bytes) -> None:
    names = chart_parts(chart_of(simple)[1])
    assert {name.rpartition(".")[2] for name in names} == {"xml", "xlsx"}


def test_missing_or_foreign_workbooks_are_no_error(simple: bytes) -> None:
    broken = edited(simple, r"embeddings/.*\.xlsx$", lambda data: b"not a workbook")
    assert chart_stale(chart_of(broken)[1], "c") == []
    assert [change.name for change in changes(simple, broken)] == ["workbook"]


def test_references() -> None:
    assert canonical_reference("='Sheet1'!$A$1:$A$1") == "Sheet1!$A$1"
    assert canonical_reference("'My sheet'!$A$1:$A$2") == "'My sheet'!$A$1:$A$2"
    assert canonical_reference("'A1'!$B$2") == "'A1'!$B$2"
    assert canonical_reference("Sheet1!$A$1:$A$10") == "Sheet1!$A$1:$A$10"


def test_values_of_references() -> None:
    from openpyxl import Workbook
    from openpyxl.workbook.defined_name import DefinedName

    book = Workbook()
    book.remove(book.worksheets[0])
    sheet = book.create_sheet("My 'sheet'")
    for row in [("a", 1), ("b", 2.5), ("c", True), (None, "x")]:
        sheet.append(row)
    sheet.row_dimensions[2].hidden = True
    book.defined_names["all"] = DefinedName("all", attr_text="'My ''sheet'''!$A$1:$B$2")
    stream = io.BytesIO()
    book.save(stream)
    values = read_workbook(stream.getvalue())
    assert values.values("'My ''sheet'''!$B$1:$B$4") == [1.0, 2.5, True, "x"]
    assert values.values("'My ''sheet'''!$B$1:$B$3", visible_only=True) == [1.0, True]
    assert values.values("all") == ["a", 1.0, "b", 2.5]
    assert values.values("('My ''sheet'''!$A$1,'My ''sheet'''!$B$3)") == ["a", True]
    assert values.values("Gone!$A$1") is None
    assert values.values("nonsense") is None
    assert values.texts() == ["My 'sheet'", "a", "b", "c", "x"]


def test_extended_charts() -> None:
    path = SHARED / "corpus" / "pptx" / "powerpoint-chartex-waterfall.pptx"
    if not path.exists():
        pytest.skip("no shared corpus")
    package = open_package(path.read_bytes())
    part = next(part for part in package.parts.values() if "chartex+xml" in part.content_type)
    node = chart_node(None, part, package)
    assert node.facts[Aspect.STRUCTURE, "type"] == "waterfall"
    assert node.children[0].facts[Aspect.VALUE, "values"] == [100, 20, 50, -40, 130, -60, 70, 140]
    assert chart_stale(part, "chart") == []
