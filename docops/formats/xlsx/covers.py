"""Which cells lie wholly under what floats over a sheet: charts, opaque pictures, filled shapes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from lxml import etree

from docops.formats.ooxml.drawing import emu
from docops.formats.ooxml.package import NS_R, Part
from docops.formats.xlsx.drawings import XDR, A, anchored, chart_element, drawing_part
from docops.formats.xlsx.model import Sheet, X
from docops.formats.xlsx.values import MAX_COLUMN, MAX_ROW, is_true, whole

_R = "{" + NS_R + "}"
#: Objects that are looked at, and columns over which text may run on.
_MOST = 1_000
_MOST_COLUMNS = 50
#: The share of a cell that may stick out.
_SLACK = 0.1
_PIXEL = 9525
_POINT = 12700


@dataclass(frozen=True, slots=True)
class _Cover:
    """The cells, first to last, that an object hides wholly."""

    first_row: int
    last_row: int
    first_column: int
    last_column: int


class Covers:
    """The cells of a sheet that nobody sees for what lies over them."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self._widths = [
            (whole(element.get("min"), 1), whole(element.get("max"), 1), _length(element.get("width"), 8.43), is_true(element.get("hidden")))
            for element in (sheet.xml.iterfind(f"{X}cols/{X}col") if sheet.xml is not None else ())
        ]
        settings = sheet.xml.find(f"{X}sheetFormatPr") if sheet.xml is not None else None
        self._width = _length(settings.get("defaultColWidth") if settings is not None else None, 8.43)
        self._height = _length(settings.get("defaultRowHeight") if settings is not None else None, 15.0)
        self._covers = list(self._find())

    def hides(self, row: int, column: int, text: str) -> bool:
        """Whether a cell with this text, which may run on over empty cells to its right, lies under an object."""
        if not self._covers:
            return False
        last, need = column, len(text.split("\n", 1)[0]) - self._characters(column)
        stored = self.sheet.rows.get(row)
        while need > 0 and last - column < _MOST_COLUMNS and last < MAX_COLUMN:
            following = stored.cells.get(last + 1) if stored is not None else None
            if following is not None and (following.value is not None or following.formula is not None):
                break
            last += 1
            need -= int(self._characters(last))
        return any(
            cover.first_row <= row <= cover.last_row and cover.first_column <= column and last <= cover.last_column for cover in self._covers
        )

    def _characters(self, column: int) -> float:
        for first, last, width, hidden in self._widths:
            if first <= column <= last:
                return 0 if hidden else width
        return self._width

    def _column_size(self, column: int) -> float:
        return max(self._characters(column) * 7 + 5, 1) * _PIXEL

    def _row_size(self, row: int) -> float:
        stored = self.sheet.rows.get(row)
        if stored is not None and is_true(stored.element.get("hidden")):
            return 1
        return max(_length(stored.element.get("ht") if stored is not None else None, self._height), 0.1) * _POINT

    def _find(self) -> Iterator[_Cover]:
        part = drawing_part(self.sheet)
        for number, (anchor, element) in enumerate(anchored(part) if part is not None else ()):
            if number >= _MOST:
                return
            if part is None or not _is_opaque(element, part):
                continue
            start = _marker(anchor.find(f"{XDR}from")) or (_position(anchor) if anchor.find(f"{XDR}pos") is not None else None)
            if start is None:
                continue
            end, extent = _marker(anchor.find(f"{XDR}to")), anchor.find(f"{XDR}ext")
            columns = _span(start[:2], end[:2] if end else None, emu(extent.get("cx")) if extent is not None else 0, self._column_size, MAX_COLUMN)
            rows = _span(start[2:], end[2:] if end else None, emu(extent.get("cy")) if extent is not None else 0, self._row_size, MAX_ROW)
            if columns[0] <= columns[1] and rows[0] <= rows[1]:
                yield _Cover(rows[0], rows[1], columns[0], columns[1])


def _length(text: str | None, default: float) -> float:
    try:
        value = float(text) if text else default
    except ValueError:
        return default
    return value if 0 <= value < 1e4 else default


def _marker(marker: etree._Element | None) -> tuple[int, int, int, int] | None:
    """Column, offset, row, offset; both counted from 1."""
    if marker is None:
        return None
    values = {etree.QName(child).localname: emu(child.text) for child in marker if isinstance(child.tag, str)}
    return values.get("col", 0) + 1, values.get("colOff", 0), values.get("row", 0) + 1, values.get("rowOff", 0)


def _position(anchor: etree._Element) -> tuple[int, int, int, int]:
    position = anchor.find(f"{XDR}pos")
    return (1, emu(position.get("x")), 1, emu(position.get("y"))) if position is not None else (1, 0, 1, 0)


def _span(start: tuple[int, int], end: tuple[int, int] | None, length: int, size: Callable[[int], float], most: int) -> tuple[int, int]:
    """First and last column (row) that lie wholly between two places; the second is a place or a length from the first."""
    at, offset = start
    while at < most and offset >= size(at):
        offset -= int(size(at))
        at += 1
    first = at if offset <= size(at) * _SLACK else at + 1
    if end is not None:
        last, rest = end
        return first, last if rest >= size(last) * (1 - _SLACK) else last - 1
    left: float = offset + length
    while at < most and left >= size(at) * (1 - _SLACK):
        left -= size(at)
        at += 1
    return first, at - 1


def _is_opaque(element: etree._Element, part: Part) -> bool:
    properties = next(iter(element.iter(f"{XDR}cNvPr")), None)
    if properties is not None and is_true(properties.get("hidden")):
        return False
    if element.tag == f"{XDR}pic":
        blip = element.find(f"{XDR}blipFill/{A}blip")
        image = part.target(blip.get(f"{_R}embed")) if blip is not None else None
        return image is not None and blip is not None and blip.find(f"{A}alphaModFix") is None and _is_opaque_image(image.data)
    holder = chart_element(element)
    if holder is not None:
        chart = part.target(holder.get(f"{_R}id"))
        look = chart.xml.find("{*}spPr") if chart is not None and chart.is_xml else None
        return chart is not None and (look is None or _is_filled(look, default=True))
    if element.tag != f"{XDR}sp":
        return False
    look = element.find(f"{XDR}spPr")
    styled = element.find(f"{XDR}style/{A}fillRef")
    return look is not None and _is_filled(look, default=styled is not None and styled.get("idx", "0") != "0")


def _is_filled(look: etree._Element, *, default: bool) -> bool:
    if look.find(f"{A}noFill") is not None:
        return False
    fill = next((look.find(f"{A}{name}") for name in ("solidFill", "gradFill") if look.find(f"{A}{name}") is not None), None)
    return default if fill is None else all(whole(alpha.get("val"), 0) >= 95_000 for alpha in fill.iter(f"{A}alpha"))


def _is_opaque_image(data: bytes) -> bool:
    if data.startswith(b"\x89PNG"):
        return len(data) > 26 and data[25] not in (4, 6) and b"tRNS" not in data[:4096]
    return data.startswith((b"\xff\xd8", b"BM"))
