"""Tables as grids: their rows and cells through every wrapper, spans, merges, and which parts of a style they use."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from docops.formats.docx.names import ALTERNATE, SDT, SDT_CONTENT, TC, TR, VAL, W, number

_LOOK_BITS = {"firstRow": 0x20, "lastRow": 0x40, "firstColumn": 0x80, "lastColumn": 0x100, "noHBand": 0x200, "noVBand": 0x400}


def look_flags(element: etree._Element) -> list[str]:
    """Which parts of its style a table uses, however the flags are spelled."""
    if any(element.get(W + name) is not None for name in _LOOK_BITS):
        # Word reads the number only where no flag is spelled out.
        return [name for name in _LOOK_BITS if element.get(W + name) in {"1", "true", "on"}]
    try:
        bits = int(element.get(VAL) or "0", 16)
    except ValueError:
        bits = 0
    return [name for name, bit in _LOOK_BITS.items() if bits & bit]


def iter_rows(table: etree._Element) -> Iterator[tuple[etree._Element, tuple[etree._Element, ...]]]:
    """The rows of a table in order, through content controls and other wrappers, each with those around it."""
    yield from _through(table, TR)


def iter_cells(row: etree._Element) -> Iterator[tuple[etree._Element, tuple[etree._Element, ...]]]:
    """The cells of a row in order, through content controls and other wrappers, each with those around it."""
    yield from _through(row, TC)


_CROSSED = frozenset({SDT, SDT_CONTENT, ALTERNATE, *(W + name for name in ("customXml", "ins", "del", "moveFrom", "moveTo", "smartTag"))})


def _through(container: etree._Element, wanted: str) -> Iterator[tuple[etree._Element, tuple[etree._Element, ...]]]:
    for child in container:
        if child.tag == wanted:
            yield child, ()
        elif child.tag in _CROSSED:
            for found, wrappers in _through(child, wanted):
                yield found, (child, *wrappers)


def row_width(row: etree._Element) -> int:
    """How many grid columns a row takes."""
    return grid_before(row) + _grid_skip(row, "gridAfter") + sum(cell_span(cell) for cell, _ in iter_cells(row))


def grid_before(row: etree._Element) -> int:
    """How many grid columns a row leaves out at its start."""
    return _grid_skip(row, "gridBefore")


def _grid_skip(row: etree._Element, name: str) -> int:
    skip = row.find(f"{W}trPr/{W}{name}")
    return (number(skip.get(VAL)) or 0) if skip is not None else 0


def cell_span(cell: etree._Element) -> int:
    """How many grid columns a cell takes."""
    span = cell.find(f"{W}tcPr/{W}gridSpan")
    return max((number(span.get(VAL)) or 1) if span is not None else 1, 1)


def vertical_merges(table: etree._Element) -> dict[etree._Element, str]:
    """Cell → `restart` or `continue`; a cell that starts a merge which nothing continues is not merged."""
    if next(table.iter(W + "vMerge"), None) is None:
        return {}
    rows = [_grid_cells(row) for row, _ in iter_rows(table)]
    out: dict[etree._Element, str] = {}
    for n, row in enumerate(rows):
        below = rows[n + 1] if n + 1 < len(rows) else {}
        for column, cell in row.items():
            kind = _merge_kind(cell)
            if kind == "continue" or (kind == "restart" and column in below and _merge_kind(below[column]) == "continue"):
                out[cell] = kind
    return out


def _grid_cells(row: etree._Element) -> dict[int, etree._Element]:
    column = grid_before(row)
    out = {}
    for cell, _ in iter_cells(row):
        out[column] = cell
        column += cell_span(cell)
    return out


def _merge_kind(cell: etree._Element) -> str:
    merge = cell.find(f"{W}tcPr/{W}vMerge")
    return "" if merge is None else (merge.get(VAL) or "continue")
