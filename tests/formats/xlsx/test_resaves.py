"""What programs add or write another way when they save a workbook that they leave as it is."""

from __future__ import annotations

import re

from docops.formats.xlsx.samples import ChartSpec, SheetSpec, workbook
from tests.formats.xlsx.books import changes, pack, parts, places, replace


def test_a_space_behind_the_size_in_a_header_is_no_text() -> None:
    def headed(text: str) -> bytes:
        return workbook({"S": SheetSpec({"A1": 1}, after_data=f"<headerFooter><oddHeader>&amp;C&amp;12{text}</oddHeader></headerFooter>")})

    assert changes(headed("Report"), headed(" Report")) == []
    assert places(changes(headed("Report"), headed("  Report"))) == ["sheet[S]/print"]
    assert places(changes(headed("Report"), headed("Retort"))) == ["sheet[S]/print"]


def test_a_theme_and_the_time_of_making_may_come_to_a_workbook_without() -> None:
    from tests.formats.xlsx.books import save

    full = parts(save(lambda book: None))
    bare = dict(full)
    for name in ("xl/_rels/workbook.xml.rels", "[Content_Types].xml"):
        bare[name] = re.sub(rb"<(?:Relationship|Override) [^>]*theme1\.xml[^>]*/>", b"", full[name])
    del bare["xl/theme/theme1.xml"]
    core = full["docProps/core.xml"]
    start, end = core.index(b"<dcterms:created"), core.index(b"</dcterms:created>") + len(b"</dcterms:created>")
    bare["docProps/core.xml"] = core[:start] + core[end:]
    assert changes(pack(bare), pack(full)) == []
    assert {"theme", "property[created]"} <= set(places(changes(pack(full), pack(bare))))


def test_the_frame_of_a_chart_is_its_anchor() -> None:
    data = workbook({"S": SheetSpec({"A1": 1, "A2": 2}, charts=(ChartSpec(series=(("", "", "S!$A$1:$A$2"),)),))})
    drawing = next(name for name in parts(data) if name.startswith("xl/drawings/drawing"))
    other = replace(data, drawing, '<a:off x="0" y="0"/>', '<a:off x="91440" y="4572"/>')
    assert changes(data, other) == []


def test_print_titles_are_rows_and_columns_in_either_order() -> None:
    def titled(text: str) -> bytes:
        return workbook({"S": {"A1": 1}}, local_names={("S", "_xlnm.Print_Titles"): text})

    assert changes(titled("S!$A:$B,S!$1:$2"), titled("S!$1:$2,S!$A:$B")) == []
    assert places(changes(titled("S!$A:$B,S!$1:$2"), titled("S!$A:$B"))) == ["sheet[S]/print"]
