"""What a table's style gives to what stands in its cells (ISO 29500-1, 17.7.6): the parts of the style that apply to each cell.

A cell's place in the table decides which parts apply. Which band a row or column is in follows from how many stand before
it, as a list number does: bands are no facts of a cell, and count only where it matters what a reader sees.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lxml import etree

from docops.formats.docx.names import TBL, TC, VAL, W, number
from docops.formats.docx.styles import Style, Styles, TableLook
from docops.formats.docx.table_grid import cell_span, grid_before, iter_cells, iter_rows, look_flags, row_width

_TEXT_BOX = W + "txbxContent"
_CORNERS = {("firstRow", "firstCol"): "nwCell", ("firstRow", "lastCol"): "neCell", ("lastRow", "firstCol"): "swCell", ("lastRow", "lastCol"): "seCell"}
#: Parts of a table style as a person calls them.
PART_NAMES = {
    "wholeTable": "whole table", "firstRow": "first row", "lastRow": "last row", "firstCol": "first column", "lastCol": "last column", "band1Vert": "odd columns",
    "band2Vert": "even columns", "band1Horz": "odd rows", "band2Horz": "even rows", "neCell": "top right cell", "nwCell": "top left cell",
    "seCell": "bottom right cell", "swCell": "bottom left cell",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class CellLook:
    """look: what counts as state.   shown: with the bands that the cell is in."""

    look: TableLook
    shown: TableLook


def table_style(styles: Styles, table: etree._Element) -> Style | None:
    """The style of a table, the default one where it names none."""
    reference = table.find(f"{W}tblPr/{W}tblStyle")
    return styles.style(reference.get(VAL) if reference is not None else None, "table")


class TableLooks:
    """The looks of all cells of a story, found table by table when they are asked for."""

    def __init__(self, styles: Styles) -> None:
        self.styles = styles
        self._cells: dict[etree._Element, CellLook | None] = {}
        self._tables: set[etree._Element] = set()

    def of(self, element: etree._Element) -> CellLook | None:
        """What the style of the innermost table around an element gives there; None outside tables, and where it gives nothing."""
        for ancestor in element.iterancestors():
            if ancestor.tag == TC:
                return self.cell(ancestor)
            if ancestor.tag == _TEXT_BOX:
                return None
        return None

    def cell(self, cell: etree._Element) -> CellLook | None:
        """What the style of its table gives to a cell; None where it gives nothing."""
        if cell not in self._cells:
            table = next(cell.iterancestors(TBL), None)
            if table is not None and table not in self._tables:
                self._tables.add(table)
                self._cells.update(_cell_looks(self.styles, table))
        return self._cells.get(cell)


def _cell_looks(styles: Styles, table: etree._Element) -> Mapping[etree._Element, CellLook]:
    style = table_style(styles, table)
    if style is None or not styles.formats_cells(style):
        return {}
    whole = _flags(table.find(f"{W}tblPr/{W}tblLook"), frozenset())
    rows = [row for row, _ in iter_rows(table)]
    width = max(map(row_width, rows), default=0)
    row_band, column_band = _band_size(styles, style, table, "Row"), _band_size(styles, style, table, "Col")
    known: dict[tuple[str, str, int, int], CellLook] = {}
    out: dict[etree._Element, CellLook] = {}
    for n, row in enumerate(rows):
        flags = _flags(row.find(f"{W}tblPrEx/{W}tblLook"), whole)
        across = "firstRow" if n == 0 and "firstRow" in flags else "lastRow" if n == len(rows) - 1 and "lastRow" in flags else ""
        band = -1 if across or "noHBand" in flags else (n - ("firstRow" in flags)) // row_band % 2
        column = grid_before(row)
        for cell, _ in iter_cells(row):
            after = column + cell_span(cell)
            down = "firstCol" if column == 0 and "firstColumn" in flags else "lastCol" if after >= width and "lastColumn" in flags else ""
            strip = -1 if down or "noVBand" in flags else (column - ("firstColumn" in flags)) // column_band % 2
            key = (across, down, band, strip)
            if key not in known:
                parts = tuple(part for part in (down, across, _CORNERS.get((across, down), "")) if part)
                bands = tuple(f"band{index + 1}{way}" for index, way in ((strip, "Vert"), (band, "Horz")) if index >= 0)
                known[key] = CellLook(TableLook(style.id, parts), TableLook(style.id, (*bands, *parts)))
            out[cell] = known[key]
            column = after
    return out


def _flags(look: etree._Element | None, otherwise: frozenset[str]) -> frozenset[str]:
    return frozenset(look_flags(look)) if look is not None else otherwise


def _band_size(styles: Styles, style: Style, table: etree._Element, way: str) -> int:
    name = f"{W}tblPr/{W}tblStyle{way}BandSize"
    sizes = [size for holder in (*(one.element for one in styles.chain(style)), table) if (size := holder.find(name)) is not None]
    return max(number(sizes[-1].get(VAL)) or 1, 1) if sizes else 1
