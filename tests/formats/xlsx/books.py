"""Small workbooks for the tests, and ways to write the same workbook differently."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from docops.core.codes import ALL_ASPECTS, Aspect
from docops.core.compare import ALLOW_ALL, Change, Comparison
from docops.formats.xlsx import FORMAT
from docops.formats.xlsx.document import XlsxDocument, open_xlsx

SHARED = Path(__file__).parents[3].parent / "shared"
EXAMPLE = SHARED / "examples" / "xlsx-budget-total"
X = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


def corpus() -> list[Path]:
    """Real workbooks, none where the shared folder is absent."""
    return sorted((SHARED / "corpus" / "xlsx").glob("*.xl*"))


def example() -> bytes:
    """The source workbook of the shared example; skips the test where it is absent."""
    path = EXAMPLE / "bundle" / "source" / "budget.xlsx"
    if not path.exists():
        pytest.skip("no shared examples here")
    return path.read_bytes()


def save(fill: Callable[[Any], None]) -> bytes:
    """A workbook as openpyxl writes it, with fixed dates."""
    import datetime

    import openpyxl

    book = openpyxl.Workbook()
    book.properties.created = datetime.datetime(2024, 1, 2, tzinfo=datetime.UTC).replace(tzinfo=None)
    fill(book)
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def parts(data: bytes) -> dict[str, bytes]:
    """Members of a package by name."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def pack(members: Mapping[str, bytes]) -> bytes:
    """A package of members."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name), content)
    return stream.getvalue()


def edit(data: bytes, name: str, change: Callable[[etree._Element], object]) -> bytes:
    """The package with one XML member changed in place."""
    members = parts(data)
    root = etree.fromstring(members[name])
    change(root)
    return pack({**members, name: etree.tostring(root)})


def replace(data: bytes, name: str, old: str, new: str) -> bytes:
    """The package with text of one member replaced, which must be there."""
    members = parts(data)
    assert old.encode() in members[name], f"{old!r} is not in {name}"
    return pack({**members, name: members[name].replace(old.encode(), new.encode())})


def changes(before: bytes, after: bytes, *, scope: tuple[str, ...] = (), aspects: frozenset[Aspect] = ALL_ASPECTS) -> list[Change]:
    """What differs outside a scope."""
    old, new = open_xlsx(before), open_xlsx(after)
    comparison = Comparison(aspects, _scope(old, scope), _scope(new, scope))
    assert FORMAT.compare is not None
    return list(FORMAT.compare(old, new, comparison))


def _scope(document: XlsxDocument, scope: tuple[str, ...]) -> dict[str, Any]:
    return {node.address: ALLOW_ALL for address in scope for node in document.find(address)}


def places(found: list[Change]) -> list[str]:
    """Addresses of changes."""
    return [change.address for change in found]


def facts(document: XlsxDocument, address: str) -> dict[str, Any]:
    """Facts of the one place with an address, by name."""
    (node,) = document.find(address)
    return {name: value for (_, name), value in node.facts.items()}


def sales(
    *, extra_row: int = 0, drop: int = 0, swap: tuple[int, int] | None = None, extra_column: int = 0, title: str = "Data", values: int = 20
) -> bytes:
    """A sheet of rows with a formula each, a total, and formulas, a name, a rule and a merged area that point at them.

    extra_row, drop, swap, extra_column: the same with a row inserted, deleted or exchanged, or a column inserted, every
    reference adjusted as a spreadsheet program would.
    """
    from openpyxl.utils import get_column_letter
    from openpyxl.workbook.defined_name import DefinedName
    from openpyxl.worksheet.datavalidation import DataValidation

    rows: list[list[Any]] = [[f"item {number}", number * 10, number * 3.5] for number in range(1, values + 1)]
    if extra_row:
        rows.insert(extra_row - 2, ["new item", 999, 1])
    if drop:
        del rows[drop - 2]
    if swap:
        first, second = swap[0] - 2, swap[1] - 2
        rows[first], rows[second] = rows[second], rows[first]

    def column(number: int) -> int:
        return number + 1 if extra_column and number >= extra_column else number

    def letter(number: int) -> str:
        return get_column_letter(column(number))

    def fill(book: Any) -> None:
        sheet = book.active
        sheet.title = title
        quoted = f"'{title}'" if " " in title else title
        for number, heading in enumerate(("Name", "Amount", "Cost", "Left"), 1):
            sheet.cell(1, column(number), heading)
        for row, content in enumerate(rows, 2):
            for number, value in enumerate(content, 1):
                sheet.cell(row, column(number), value)
            sheet.cell(row, column(4), f"={letter(2)}{row}-{letter(3)}{row}")
            if extra_column:
                sheet.cell(row, extra_column, row)
        last = len(rows) + 1
        sheet.cell(last + 2, column(2), f"=SUM({letter(2)}2:{letter(2)}{last})")
        other = book.create_sheet("Summary")
        other["A1"] = f"={quoted}!{letter(2)}{last + 2}*2"
        book.defined_names["Amounts"] = DefinedName("Amounts", attr_text=f"{quoted}!${letter(2)}$2:${letter(2)}${last}")
        rule = DataValidation(type="whole", operator="greaterThan", formula1="0")
        rule.add(f"{letter(2)}2:{letter(2)}{last}")
        sheet.add_data_validation(rule)
        sheet.merge_cells(f"{letter(1)}{last + 4}:{letter(2)}{last + 4}")

    return save(fill)


def mutants(root: etree._Element) -> Iterator[tuple[int, str, str]]:
    """Every attribute dropped, every element removed, every text changed: position, what, attribute."""
    for position, element in enumerate(element for element in root.iter() if isinstance(element.tag, str)):
        for name in element.attrib:
            yield position, "attribute", str(name)
        if position:
            yield position, "element", ""
        if element.text and element.text.strip():
            yield position, "text", ""


def mutate(content: bytes, position: int, what: str, name: str) -> tuple[bytes, str]:
    """The part with one mutation, and the mutation as `parent/element@attribute`."""
    root = etree.fromstring(content)
    element = [element for element in root.iter() if isinstance(element.tag, str)][position]
    parent = element.getparent()
    place = f"{etree.QName(parent).localname if parent is not None else ''}/{etree.QName(element).localname}"
    if what == "attribute":
        value = element.attrib[name]
        element.attrib[name] = f"{int(value) + 1}" if str(value).isdigit() else f"{value!s}x"
        return etree.tostring(root), f"{place}@{etree.QName(name).localname}"
    if what == "text":
        element.text = f"{element.text}1"
        return etree.tostring(root), f"{place} text"
    assert parent is not None
    parent.remove(element)
    return etree.tostring(root), place
