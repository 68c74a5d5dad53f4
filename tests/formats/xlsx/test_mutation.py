"""Every attribute, element and text of a workbook is state, or on the list of docs/facts-xlsx.md."""

from __future__ import annotations

import random

import pytest
from lxml import etree

from docops.core.errors import Unreadable
from tests.formats.xlsx.books import changes, example, mutants, mutate, pack, parts

#: What may change unseen, by part; each is explained in docs/facts-xlsx.md.
VOLATILE = {
    "xl/workbook.xml": {
        "workbook/fileVersion", "workbook/bookViews", "bookViews/workbookView", "workbook/calcPr", "calcPr@calcId", "workbook/workbookPr",
        "sheets/sheet@sheetId", "definedNames/definedName@hidden", "definedNames/definedName", "definedNames/definedName text",
    },
    "xl/worksheets": {
        "worksheet/dimension", "worksheet/sheetViews", "sheetViews/sheetView", "sheetView/selection", "sheetView/selection@pane", "sheetView/pane@topLeftCell",
        "sheetView/pane@activePane", "sheetData/row@spans", "cols/col@customWidth", "cfRule@priority", "conditionalFormatting/cfRule@priority",
        "dataBar/cfvo@val", "worksheet/pageMargins", "worksheet/sheetFormatPr", "cols/col@max", "row/c", "row/c@s", "c/v", "c/v text",
        "dataValidations@count", "mergeCells@count", "tableParts@count", "worksheet/dataValidations@count", "worksheet/mergeCells@count",
        "worksheet/tableParts@count",
    },
}  # fmt: skip
_PREFIXES = ("workbook/fileVersion", "bookViews/workbookView", "workbook/calcPr@", "workbook/workbookPr@", "worksheet/dimension", "sheetViews/sheetView@")


def test_changes_of_workbook_and_sheet_parts_are_seen() -> None:
    source = example()
    members = parts(source)
    survivors: dict[str, int] = {}
    for name in ("xl/workbook.xml", "xl/worksheets/sheet1.xml", "xl/worksheets/sheet2.xml", "xl/worksheets/sheet4.xml"):
        plan = list(mutants(etree.fromstring(members[name])))
        random.Random(20).shuffle(plan)  # noqa: S311
        for position, what, attribute in plan[:110]:
            content, place = mutate(members[name], position, what, attribute)
            try:
                if changes(source, pack({**members, name: content})):
                    continue
            except Unreadable:
                continue
            known = VOLATILE["xl/worksheets" if "worksheets" in name else name]
            if place not in known and not place.startswith(_PREFIXES):
                survivors[f"{name} {place}"] = survivors.get(f"{name} {place}", 0) + 1
    assert survivors == {}


@pytest.mark.parametrize("name", ["xl/tables/table1.xml", "xl/comments1.xml", "xl/sharedStrings.xml", "docProps/custom.xml"])
def test_texts_of_other_parts_are_seen(name: str) -> None:
    source = example()
    members = parts(source)
    for position, what, attribute in mutants(etree.fromstring(members[name])):
        if what == "text":
            content, place = mutate(members[name], position, what, attribute)
            assert changes(source, pack({**members, name: content})), place
