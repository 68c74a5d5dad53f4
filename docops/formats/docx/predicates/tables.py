"""Predicates about native tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lxml import etree

from docops.core.codes import Aspect, Family, FindingCode
from docops.core.node import Node
from docops.core.predicate import Context, Evidence, Example, Finding, Predicate, Target, predicate
from docops.formats.docx.document import DocxDocument
from docops.formats.docx.names import W
from docops.formats.docx.predicates.places import cut, docx_target, paragraphs, places, same, shown_text, walk_blocks
from docops.formats.docx.samples import docx
from docops.formats.docx.table_grid import grid_before

_HEADER = ["Item", "Qty"]


def _native() -> dict[str, bytes]:
    return {"report.docx": docx("Text.", "| Item | Qty |", "| Pump | 4 |", "| Valve | [-12-][+14+] |")}


def _merged() -> dict[str, bytes]:
    def cell(text: str, properties: str = "") -> str:
        return f"<w:tc><w:tcPr>{properties}</w:tcPr><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:tc>"

    rows = [
        cell("Item") + cell("2023", '<w:gridSpan w:val="2"/>'),
        cell("Pump", '<w:vMerge w:val="restart"/>') + cell("4") + cell("5"),
        cell("", "<w:vMerge/>") + cell("6") + cell("7"),
    ]
    grid = '<w:gridCol w:w="900"/>' * 3
    return {"report.docx": docx(f"<w:tbl><w:tblPr/><w:tblGrid>{grid}</w:tblGrid>{''.join(f'<w:tr>{row}</w:tr>' for row in rows)}</w:tbl>")}


def _tabbed() -> dict[str, bytes]:
    return {"report.docx": docx("Item\tQty", "Pump\t4", "Valve\t12")}


def _pictured() -> dict[str, bytes]:
    return {"report.docx": docx("Parts", "![Table with the columns Item and Qty]")}


@predicate(
    "docx.table",
    family=Family.STRUCTURAL,
    formats=("docx",),
    examples=(
        Example("rows count the header", _native, {"at": "report.docx", "rows": 3, "columns": 2, "header": _HEADER}, True),
        Example("a row", _native, {"at": "report.docx#body/table[1]", "contains_rows": [["Valve", "14"]]}, True),
        Example("too few rows", _native, {"at": "report.docx#body/table[1]", "rows": 4}, FindingCode.WRONG_COUNT),
        Example("a deleted text is no cell", _native, {"at": "report.docx", "contains_rows": [["Valve", "12"]]}, FindingCode.MISSING),
        Example("merged cells", _merged, {"at": "report.docx", "header": ["Item", "2023", ""], "contains_rows": [["Pump", "4", "5"], ["Pump", "6", "7"]]}, True),
        Example("another header", _native, {"at": "report.docx", "header": ["Item", "Price"]}, FindingCode.MISMATCH),
        Example("tabbed text is no table", _tabbed, {"at": "report.docx", "header": _HEADER}, FindingCode.NOT_NATIVE),
        Example("a picture is no table", _pictured, {"at": "report.docx", "header": _HEADER}, FindingCode.NOT_NATIVE),
    ),
)
def table(
    context: Context,
    *,
    at: str,
    rows: int | None = None,
    columns: int | None = None,
    header: Sequence[str] = (),
    contains_rows: Sequence[Sequence[str]] = (),
) -> Iterator[Finding | Evidence]:
    """There is a native table of this size, with this header and these rows.

    at: the table, or a place or document where any of its tables may be meant.   rows: the header row counts, rows whose
    deletion is tracked do not.   columns: of the grid.   header: texts of the first row.   contains_rows: texts of whole
    rows that must be there, in any order. Texts are what a reader of the final document sees. The text of merged cells
    may be given once, or for each of the cells, or once with empty texts for the others.
    """
    target, document = docx_target(context, at)
    found = [node for node in walk_blocks(places(target, document)) if node.kind == "table" and _rows(document, node)]
    if not found:
        yield _no_table(target, document, [*header, *(text for row in contains_rows for text in row)])
        return
    results = [(node, list(_check(target, document, node, rows, columns, header, contains_rows))) for node in found]
    node, problems = min(results, key=lambda result: len(result[1]))
    yield from problems
    texts = [cell for row in _rows(document, node)[:2] for cell in row.cells]
    yield Evidence(target.place(node), " | ".join(texts)[:200])


def _check(
    target: Target, document: DocxDocument, node: Node, rows: int | None, columns: int | None, header: Sequence[str], contains_rows: Sequence[Sequence[str]]
) -> Iterator[Finding]:
    present = _rows(document, node)
    place = target.place(node)
    if rows is not None and len(present) != rows:
        yield Finding(FindingCode.WRONG_COUNT, place, rows, len(present), f"the table has {len(present)} rows, not {rows}")
    width = node.facts.get((Aspect.STRUCTURE, "columns"))
    if columns is not None and width != columns:
        yield Finding(FindingCode.WRONG_COUNT, place, columns, width, f"the table has {width} columns, not {columns}")
    if header:
        first = present[0]
        if [same(text) for text in header] not in first.readings:
            yield Finding(FindingCode.MISMATCH, target.place(first.node), list(header), list(first.cells), "the first row holds other texts")
    for wanted in contains_rows:
        texts = [same(text) for text in wanted]
        if not texts or any(texts in row.readings for row in present):
            continue
        near = max(present, key=lambda row: sum(a == b for a, b in zip(row.cells, texts, strict=False)))
        agreeing = sum(a == b for a, b in zip(near.cells, texts, strict=False))
        where = target.place(near.node) if agreeing else place
        yield Finding(FindingCode.MISSING, where, list(wanted), list(near.cells) if agreeing else None, f"no row holds {' | '.join(wanted)}")


@dataclass(frozen=True, slots=True)
class _Row:
    """A row of the final document. `cells`: the text of each.   `readings`: the ways in which merged cells may be read."""

    node: Node
    cells: list[str]
    readings: list[list[str]]


def _rows(document: DocxDocument, node: Node) -> list[_Row]:
    """The rows that the final document has."""
    story = document.stories[node.address.partition("/")[0]]
    out = []
    above: dict[int, str] = {}
    for row in node.children:
        element = story.rows.get(row.address)
        if element is None or _is_deleted(element):
            continue
        cells = [cell for cell in row.children if cell.kind == "cell"]
        texts = [shown_text(document, cell.address) for cell in cells]
        spans = [int(str(cell.facts.get((Aspect.STRUCTURE, "columns spanned"), 1))) for cell in cells]
        column = grid_before(element)
        filled = []
        for cell, text, span in zip(cells, texts, spans, strict=True):
            merged = cell.facts.get((Aspect.STRUCTURE, "merged")) == "into the row above"
            filled.append(above.get(column, text) if merged else text)
            above[column] = filled[-1]
            column += span
        out.append(_Row(row, texts, [reading for held in (texts, filled) for reading in (held, _by_column(held, spans, once=True), _by_column(held, spans, once=False))]))
    return out


def _by_column(texts: Sequence[str], spans: Sequence[int], *, once: bool) -> list[str]:
    """The texts of a row for each column; once: the text of a cell over several columns stands in its first one."""
    return [text if n == 0 or not once else "" for text, span in zip(texts, spans, strict=True) for n in range(span)]


def _is_deleted(row: etree._Element) -> bool:
    properties = row.find(W + "trPr")
    return properties is not None and properties.find(W + "del") is not None


def _no_table(target: Target, document: DocxDocument, texts: Sequence[str]) -> Finding:
    """Why there is no table: its texts stand there in another form, or not at all."""
    wanted = [same(text) for text in texts]
    expected = cut(list(texts)) if texts else "a native table"
    body = places(target, document) if target.nodes else [node for node in document.root.children if node.kind == "body"]
    for one in paragraphs(document, body):
        if "\t" in document_text(one.story.content(one.element).text()) and (not wanted or any(text and text in one.text for text in wanted)):
            return Finding(FindingCode.NOT_NATIVE, target.place(one.node), expected, one.text, "the table is text with tabs, not a native table")
    for node in walk_blocks(body):
        if node.kind in {"image", "object", "text_box", "shape"}:
            return Finding(FindingCode.NOT_NATIVE, target.place(node), expected, node.kind, f"there is no native table, only {node.kind.replace('_', ' ')}")
    for one in paragraphs(document, body):
        if wanted and all(text in one.text for text in wanted[:2] if text):
            return Finding(FindingCode.NOT_NATIVE, target.place(one.node), expected, one.text, "the texts stand in a paragraph, not in a native table")
    return Finding(FindingCode.MISSING, target.place(), expected, None, "there is no native table")


def document_text(text: str) -> str:
    """A text with its tabs between words only."""
    return text.strip("\t \n")


TABLE_PREDICATES: tuple[Predicate, ...] = (table,)
