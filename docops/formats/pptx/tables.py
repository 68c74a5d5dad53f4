"""Native tables: grid, merges, cells, and the text that table styles give them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

from lxml import etree

from docops.formats.ooxml.drawing import A, emu, fill_element
from docops.formats.ooxml.markup import boolean
from docops.formats.ooxml.text import Cascade, Level, Paragraph, Properties
from docops.formats.pptx.deck import Sheet
from docops.formats.pptx.shapes import Shape

FLAGS = ("firstRow", "firstCol", "lastRow", "lastCol", "bandRow", "bandCol", "rtl")

#: The style that new tables get; programs know it without the file saying what it is.
MEDIUM_STYLE_2_ACCENT_1 = "{5C22544A-7EE6-4342-B048-85BDC9FD1C3A}"


@dataclass(eq=False)
class Cell:
    """One cell (`a:tc`).

    regions: parts of the table style that apply, nearest first (`firstRow`, `band1H`, `wholeTbl`, …).
    """

    element: etree._Element
    table: Table
    row: int
    column: int
    regions: tuple[str, ...]

    @property
    def merged(self) -> str:
        """`left` or `above` where another cell covers this one, else ""."""
        if boolean(self.element.get("hMerge") or "0"):
            return "left"
        return "above" if boolean(self.element.get("vMerge") or "0") else ""

    @property
    def properties(self) -> etree._Element | None:
        """Its `tcPr`."""
        return self.element.find(A + "tcPr")

    @cached_property
    def paragraphs(self) -> list[Paragraph]:
        """Its text; an empty cell has one empty paragraph."""
        sheet = self.table.shape.sheet
        body = self.element.find(A + "txBody")
        cascade = self.table.cascade(self.regions)
        own = body.find(A + "lstStyle") if body is not None else None
        if own is not None and len(own):
            cascade = Cascade([sheet.reader.list_style(own, sheet.part), *self.table.sources(self.regions)])
        found = body.findall(A + "p") if body is not None else []
        if not found:
            return [Paragraph("", "", 0, {}, [], empty_size=cascade.level(0).run["size"])]
        return [sheet.reader.paragraph(element, sheet.part, cascade) for element in found]

    @property
    def text(self) -> str:
        """Its paragraphs as a reader sees them, one a line."""
        return "\n".join(paragraph.shown for paragraph in self.paragraphs)

    def fill(self) -> str | None:
        """The fill behind its text: its own, or its table style's; None where it is not known."""
        sheet = self.table.shape.sheet
        own = fill_element(self.properties)
        if own is not None:
            return sheet.markup.fill(own, sheet.part)
        style = self.table.style
        if style is None:
            return self.table.known_fill(self.regions)
        for region in self.regions:
            found = style.find(f"{A}{region}/{A}tcStyle/{A}fill")
            fill = fill_element(found)
            if fill is not None:
                return sheet.markup.fill(fill, sheet.part)
            if style.find(f"{A}{region}/{A}tcStyle/{A}fillRef") is not None:
                return None
        return "none"


@dataclass(eq=False)
class Table:
    """A native table in a shape."""

    shape: Shape
    element: etree._Element

    @property
    def properties(self) -> etree._Element | None:
        """Its `tblPr`."""
        return self.element.find(A + "tblPr")

    @cached_property
    def flags(self) -> list[str]:
        """Which parts of its style are switched on."""
        properties = self.properties
        return [name for name in FLAGS if properties is not None and boolean(properties.get(name) or "0")]

    @cached_property
    def style_id(self) -> str:
        """The id of its style, or ""."""
        properties = self.properties
        return (properties.findtext(A + "tableStyleId") or "").strip() if properties is not None else ""

    @cached_property
    def style(self) -> etree._Element | None:
        """Its style where the file holds it."""
        if self.properties is not None:
            own = self.properties.find(A + "tableStyle")
            if own is not None:
                return own
        return table_styles(self.shape.sheet).get(self.style_id)

    @cached_property
    def widths(self) -> list[int]:
        """Widths of the grid's columns."""
        return [emu(column.get("w")) for column in self.element.iterfind(f"{A}tblGrid/{A}gridCol")]

    @cached_property
    def heights(self) -> list[int]:
        """Heights of its rows."""
        return [emu(row.get("h")) for row in self.row_elements]

    @cached_property
    def row_elements(self) -> list[etree._Element]:
        """Its `a:tr`."""
        return self.element.findall(A + "tr")

    @cached_property
    def rows(self) -> list[list[Cell]]:
        """Its cells by row; covered ones included."""
        out = []
        elements = self.row_elements
        for row, element in enumerate(elements):
            cells = element.findall(A + "tc")
            out.append([Cell(cell, self, row, column, self._regions(row, len(elements), column, len(cells))) for column, cell in enumerate(cells)])
        return out

    def _regions(self, row: int, rows: int, column: int, columns: int) -> tuple[str, ...]:
        flags = self.flags
        out = []
        first_row, last_row = "firstRow" in flags and row == 0, "lastRow" in flags and row == rows - 1
        first_column, last_column = "firstCol" in flags and column == 0, "lastCol" in flags and column == columns - 1
        for applies, name in (
            (first_row and first_column, "nwCell"),
            (first_row and last_column, "neCell"),
            (last_row and first_column, "swCell"),
            (last_row and last_column, "seCell"),
            (first_row, "firstRow"),
            (last_row, "lastRow"),
            (first_column, "firstCol"),
            (last_column, "lastCol"),
        ):
            if applies:
                out.append(name)
        if "bandRow" in flags and not first_row and not last_row:
            out.append("band1H" if (row - ("firstRow" in flags)) % 2 == 0 else "band2H")
        if "bandCol" in flags and not first_column and not last_column:
            out.append("band1V" if (column - ("firstCol" in flags)) % 2 == 0 else "band2V")
        return (*out, "wholeTbl")

    @cached_property
    def _cascades(self) -> dict[tuple[str, ...], Cascade]:
        return {}

    def cascade(self, regions: tuple[str, ...]) -> Cascade:
        """What text of a cell inherits."""
        if regions not in self._cascades:
            self._cascades[regions] = Cascade(self.sources(regions))
        return self._cascades[regions]

    def sources(self, regions: tuple[str, ...]) -> list[Mapping[int, Level]]:
        """The list styles that text of a cell inherits, nearest first."""
        run = self._style_text(regions)
        levels: dict[int, Level] = {number: Level({}, run) for number in range(9)} if run else {}
        return [levels, *self.shape.sheet.text_sources(None)]

    def _style_text(self, regions: tuple[str, ...]) -> Properties:
        sheet = self.shape.sheet
        run: Properties = {}
        if self.style is None:
            if self.style_id == MEDIUM_STYLE_2_ACCENT_1:
                strong = any(region in {"firstRow", "lastRow", "firstCol", "lastCol"} for region in regions)
                slot = sheet.colours.theme.get("lt1" if strong else "dk1")
                run = {"bold": True} if strong else {}
                if slot:
                    run["colour"] = slot
            return run
        for region in reversed(regions):
            text = self.style.find(f"{A}{region}/{A}tcTxStyle")
            if text is None:
                continue
            for attribute, name in (("b", "bold"), ("i", "italic")):
                if text.get(attribute) in {"on", "off"}:
                    run[name] = text.get(attribute) == "on"
            for child in text:
                local = child.tag.rpartition("}")[2] if isinstance(child.tag, str) else ""
                if local == "fontRef":
                    short = {"major": "mj", "minor": "mn"}.get(child.get("idx") or "")
                    if short:
                        run["font"] = sheet.reader.font(f"+{short}-lt")
                    if len(child):
                        run["colour"] = sheet.markup.held_colour(child)
                elif local.endswith("Clr"):
                    run["colour"] = sheet.markup.colour(child)
        return run

    def known_fill(self, regions: tuple[str, ...]) -> str | None:
        """The fill of a cell by a style that the file need not hold; None where it is not known."""
        if not self.style_id:
            return "none"
        theme = self.shape.sheet.colours.theme
        if self.style_id != MEDIUM_STYLE_2_ACCENT_1 or "accent1" not in theme:
            return None
        if any(region in {"firstRow", "lastRow", "firstCol", "lastCol"} for region in regions):
            return theme["accent1"]
        return tinted(theme["accent1"], 0.4 if any(region in {"band1H", "band1V"} for region in regions) else 0.2)


@lru_cache(maxsize=256)
def tinted(rgb: str, share: float) -> str:
    """RRGGBB lightened with white in linear light, as `a:tint` does."""

    def channel(text: str) -> str:
        value = int(text, 16) / 255
        linear = value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
        linear = linear * share + 1 - share
        value = linear * 12.92 if linear <= 0.0031308 else 1.055 * linear ** (1 / 2.4) - 0.055
        return f"{round(min(max(value, 0), 1) * 255):02X}"

    return "".join(channel(rgb[at : at + 2]) for at in (0, 2, 4))


def table_styles(sheet: Sheet) -> Mapping[str, etree._Element]:
    """The table styles that the presentation holds, by id."""
    part = next(iter(sheet.deck.styles.part.related("tableStyles")), None)
    if part is None:
        return {}
    return {style.get("styleId") or "": style for style in part.xml.iterfind(A + "tblStyle")}
