"""Spreadsheets: workbooks, templates and macro-enabled workbooks of Office Open XML (ECMA-376 part 1, chapter 18)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from docops.core.document import Document, Format, Stale

if TYPE_CHECKING:
    from docops.core.address import Segment
    from docops.core.compare import Change, Comparison


def _open(data: bytes) -> Document:
    from docops.formats.xlsx.document import open_xlsx

    return open_xlsx(data)


def _compare(before: Document, after: Document, comparison: Comparison) -> Iterator[Change]:
    from docops.formats.xlsx.compare import compare_workbooks

    return compare_workbooks(before, after, comparison)


def _pair(before: Document, after: Document) -> None:
    from docops.formats.ooxml.pairs import pair_documents

    pair_documents(before, after)


def _parts(document: Document) -> Mapping[str, tuple[str, str]]:
    from docops.formats.ooxml.pairs import part_digests

    return part_digests(document)


def _stale(document: Document, source: Document | None) -> Sequence[Stale]:
    from docops.formats.xlsx.stale import stale_values

    return stale_values(document, source)


def _key_problem(segment: Segment) -> str:
    if segment.kind != "cell" or segment.any or (segment.name is None and segment.number is None):
        return ""
    from docops.formats.xlsx.references import parse_area

    try:
        parse_area(segment.name or "")
    except ValueError:
        return "a cell is named by its reference, such as B2 or B2:D10"
    return ""


FORMAT = Format(
    name="xlsx",
    suffixes=(".xlsx", ".xlsm", ".xltx", ".xltm"),
    open=_open,
    kinds=frozenset(
        {
            *("sheet", "cell", "row", "column", "table", "chart", "series", "image", "shape", "pivot", "comment", "validation"),
            *("conditional_format", "merge", "hyperlink", "print", "name", "theme", "property", "style", "workbook", "external", "part"),
        }
    ),
    compare=_compare,
    stale=_stale,
    pair=_pair,
    parts=_parts,
    key_problem=_key_problem,
)
