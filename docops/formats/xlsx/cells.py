"""Facts of single cells: what they hold, how they look, and which of them only show what another cell yields."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property, lru_cache

from docops.core.codes import Aspect
from docops.core.node import Align, Node, Value
from docops.formats.xlsx.build import Build, Facts
from docops.formats.xlsx.model import Cell, Formula, Kind, Row, Run, Sheet, X
from docops.formats.xlsx.numberformats import is_date_code
from docops.formats.xlsx.references import Area, parse_area
from docops.formats.xlsx.styles import DEFAULTS, Styles
from docops.formats.xlsx.values import cell_name, column_letters, is_true, number_text, whole

_VALUE = (Aspect.VALUE, "value")
_TYPE = (Aspect.VALUE, "type")
_FORMULA = (Aspect.FORMULA, "formula")
_ERRORS = ("#DIV/0!", "#N/A", "#NAME?", "#NULL!", "#NUM!", "#VALUE!")
_CONSTANTS: Mapping[str, str | bool] = {"TRUE()": True, "FALSE()": False, "TRUE": True, "FALSE": False, **{error: error for error in _ERRORS}}
_CALCULATED = frozenset({"ca", "aca", "bx"})
_RICH = "{http://schemas.microsoft.com/office/spreadsheetml/2017/dynamicarray}dynamicArrayProperties"


class Layout:
    """What the facts of a sheet's cells depend on beside the cells: merged and spilled areas, row and column formats, tables."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self.styles: Styles = sheet.workbook.styles
        #: Why nothing is seen of a value, by format, kind, sign and whether it has no formatting of its own (spans.py).
        self.invisible: dict[tuple[int, str, int | None, bool], str] = {}

    @cached_property
    def merged(self) -> tuple[Area, ...]:
        """Merged areas of more than one cell."""
        return tuple(area for area in _areas(self.sheet.merged) if not area.is_cell)

    @cached_property
    def derived(self) -> tuple[Area, ...]:
        """Areas that array formulas and data tables fill."""
        found = []
        if self.sheet.xml is not None:
            found = [element.get("ref", "") for element in self.sheet.xml.iterfind(f"{X}sheetData/{X}row/{X}c/{X}f[@t]") if element.get("t") in ("array", "dataTable")]
        return tuple(area for area in _areas(found) if not area.is_cell)

    @cached_property
    def _special_rows(self) -> tuple[frozenset[int], tuple[Area, ...]]:
        rows: set[int] = set()
        tall: list[Area] = []
        for area in (*self.merged, *self.derived):
            if area.last_row - area.first_row > 1_000:
                tall.append(area)
            else:
                rows.update(range(area.first_row, area.last_row + 1))
        return frozenset(rows), tuple(tall)

    def special(self, row: int) -> bool:
        """Whether merged or derived areas touch a row."""
        rows, tall = self._special_rows
        return row in rows or any(area.first_row <= row <= area.last_row for area in tall)

    def covering(self, row: int, column: int) -> Area | None:
        """The merged area that covers a cell, or None."""
        return next((area for area in self.merged if area.contains(row, column)), None)

    def is_derived(self, row: int, column: int) -> bool:
        """Whether an array formula or data table in another cell fills this one."""
        return any(area.contains(row, column) and (area.first_row, area.first_column) != (row, column) for area in self.derived)

    @cached_property
    def column_styles(self) -> Mapping[int, int]:
        """Column number → default cell format, where it is not the first; columns to the right of all cells included."""
        out: dict[int, int] = {}
        for element in self.sheet.xml.iterfind(f"{X}cols/{X}col") if self.sheet.xml is not None else ():
            style = whole(element.get("style"))
            if style:
                first, last = whole(element.get("min"), 1), whole(element.get("max"), 1)
                out |= dict.fromkeys(range(max(first, 1), min(last, 16_384) + 1), style)
        return out

    def default_style(self, row: Row | None, column: int) -> int:
        """The cell format of a cell that is not stored."""
        if row is not None and is_true(row.element.get("customFormat")):
            return whole(row.element.get("s"))
        return self.column_styles.get(column, 0)

    @cached_property
    def owners(self) -> tuple[tuple[Area, str, tuple[str, ...]], ...]:
        """Tables: area, address, addresses of the columns."""
        out = []
        base = sheet_address(self.sheet.name)
        for table in self.sheet.tables:
            for area in _areas([table.ref]):
                node = Node(base, "table", name=table.name)
                out.append((area, node.address, tuple(Node(node, "column", name=name).address for name in table.columns)))
        return tuple(out)

    def also(self, row: int, column: int) -> tuple[str, ...]:
        """Addresses of the row, column and table that a cell belongs to."""
        base = sheet_address(self.sheet.name)
        out = [f"{base}/row[{row}]", f"{base}/column[{column_letters(column)}]"]
        for area, address, columns in self.owners:
            if area.contains(row, column):
                out.append(address)
                out += columns[column - area.first_column : column - area.first_column + 1]
        return tuple(out)


@lru_cache(maxsize=4096)
def sheet_address(name: str) -> str:
    """`sheet[Name]`."""
    return Node(None, "sheet", name=name).address


def _areas(texts: Iterator[str] | tuple[str, ...] | list[str]) -> Iterator[Area]:
    for text in texts:
        try:
            yield parse_area(text)
        except ValueError:
            continue


def cell_facts(build: Build, layout: Layout, row: int, column: int, cell: Cell) -> Facts:
    """The facts of a stored cell. Cached values of formulas, and what array formulas fill, are derived and no facts."""
    out: Facts = {}
    covering = layout.covering(row, column) if layout.merged else None
    covered = covering is not None and (covering.first_row, covering.first_column) != (row, column)
    derived = layout.is_derived(row, column) if layout.derived else False
    if cell.formula is not None:
        _formula_facts(build, layout.sheet, row, column, cell, cell.formula, out)
    elif cell.kind != Kind.BLANK and not derived:
        out[_VALUE] = value_text(cell, layout.styles)
        out[_TYPE] = cell.kind
        if cell.runs is not None:
            runs = _run_facts(layout.styles, cell)
            if runs:
                out[Aspect.FORMAT, "runs"] = runs
    for name, value in cell.other:
        if name == "phonetic":
            out[Aspect.RAW, name] = value
        elif name == "cm":
            if not is_dynamic(layout.sheet, value) or cell.formula is None:
                out[Aspect.RAW, "cell metadata"] = _metadata(build, layout.sheet, "cellMetadata", value)
        elif name == "vm":
            out[Aspect.RAW, "value metadata"] = _metadata(build, layout.sheet, "valueMetadata", value)
        elif name != "ph":
            out[Aspect.RAW, name] = value
    if covered:
        return out
    empty = cell.formula is None and cell.kind == Kind.BLANK
    default = layout.default_style(layout.sheet.rows.get(row), column) if empty else 0
    look = layout.styles.difference(cell.style, default)
    if empty and default and layout.styles.same(cell.style, 0):
        # An empty cell without a format of its own, in a row or column that has one: only what shows is state.
        look = {key: value for key, value in look.items() if key[1] == "fill" or key[1].startswith("border.")}
    out.update(look)
    if covering is not None:
        _merged_border(layout, covering, out)
    return out


def _merged_border(layout: Layout, area: Area, out: Facts) -> None:
    """A merged area's outline: its right and lower lines stand in the cells at its far edges, or in the first one."""
    for side, row, column in (("right", area.first_row, area.last_column), ("bottom", area.last_row, area.first_column)):
        key = (Aspect.FORMAT, f"border.{side}")
        corner = layout.sheet.cell(row, column) or layout.sheet.cell(area.last_row, area.last_column)
        line = layout.styles.facts(corner.style)[key] if corner is not None else DEFAULTS[key]
        if line != DEFAULTS[key]:
            out[key] = line


def value_text(cell: Cell, styles: Styles) -> Value:
    """A stored value as facts show it; numbers at 15 digits, dates to the millisecond."""
    value = cell.value
    if isinstance(value, float):
        if is_date_code(styles.number_format(cell.style)) and abs(value) < 3e6:
            value = round(value * 86_400_000) / 86_400_000
        return number_text(value)
    return value


def _formula_facts(build: Build, sheet: Sheet, row: int, column: int, cell: Cell, formula: Formula, out: Facts) -> None:
    text = sheet.formula_text(row, column, formula)
    translate = build.translation
    if text is None:
        out[Aspect.FORMULA, "broken"] = f"shares formula {formula.shared}, which no cell states"
    elif formula.kind == "normal" and (constant := _CONSTANTS.get(text.strip().upper())) is not None:
        # LibreOffice writes constants of these types as formulas.
        out[_VALUE], out[_TYPE] = constant, Kind.BOOLEAN if isinstance(constant, bool) else Kind.ERROR
    elif text or formula.kind != "dataTable":
        out[_FORMULA] = "=" + translate.formula(text, sheet.name)
    if formula.kind == "normal":
        return
    dynamic = any(name == "cm" and is_dynamic(sheet, value) for name, value in cell.other)
    if dynamic:
        out[Aspect.FORMULA, "dynamic"] = True
    else:
        out[Aspect.FORMULA, formula.kind] = translate.area(formula.ref, sheet.name)
    for name, value in formula.attributes:
        if name not in _CALCULATED:
            out[Aspect.FORMULA, name] = translate.area(value, sheet.name) if name in ("r1", "r2") else value


def is_dynamic(sheet: Sheet, index: str) -> bool:
    """Whether a cell's metadata says that its formula spills as far as its result reaches."""
    return index in _dynamic(sheet)


def _dynamic(sheet: Sheet) -> frozenset[str]:
    found = set()
    for part in sheet.workbook.part.related("sheetMetadata"):
        types = [element.get("name") for element in part.xml.iterfind(f"{X}metadataTypes/{X}metadataType")]
        stated = [is_true(next((element.get("fDynamic") for element in block.iter(_RICH)), None)) for block in part.xml.iterfind(f"{X}futureMetadata[@name='XLDAPR']/{X}bk")]
        for number, block in enumerate(part.xml.iterfind(f"{X}cellMetadata/{X}bk"), 1):
            for record in block.iterfind(f"{X}rc"):
                kind, at = whole(record.get("t")), whole(record.get("v"))
                if 1 <= kind <= len(types) and types[kind - 1] == "XLDAPR" and at < len(stated) and stated[at]:
                    found.add(str(number))
    return frozenset(found)


def _metadata(build: Build, sheet: Sheet, table: str, index: str) -> Value:
    """What a metadata index stands for: the type's name and the block it points at."""
    for part in sheet.workbook.part.related("sheetMetadata"):
        blocks = part.xml.findall(f"{X}{table}/{X}bk")
        if 1 <= whole(index) <= len(blocks):
            types = [element.get("name", "") for element in part.xml.iterfind(f"{X}metadataTypes/{X}metadataType")]
            out = []
            for record in blocks[whole(index) - 1].iterfind(f"{X}rc"):
                kind = types[whole(record.get("t"), 1) - 1] if 1 <= whole(record.get("t"), 1) <= len(types) else "?"
                future = part.xml.findall(f"{X}futureMetadata[@name='{kind}']/{X}bk") if kind.isalnum() else []
                at = record.get("v", "")
                out.append(f"{kind} {build.raw(future[whole(at)], part) if at.isdecimal() and whole(at, len(future)) < len(future) else at}")
            return out
    return f"missing {index}"


def _run_facts(styles: Styles, cell: Cell) -> list[Value]:
    """Runs of rich text, equal neighbours joined, in what their font differs from the cell's; empty where none does."""
    own = {name: value for (aspect, name), value in styles.facts(cell.style).items() if aspect is Aspect.FORMAT and name.startswith("font.")}
    merged: list[tuple[str, dict[str, Value]]] = []
    for run in cell.runs or ():
        font = _difference(styles, run, own)
        if merged and merged[-1][1] == font:
            merged[-1] = (merged[-1][0] + run.text, font)
        elif run.text:
            merged.append((run.text, font))
    if all(not font for _, font in merged):
        return []
    return [[text, font] for text, font in merged]


def _difference(styles: Styles, run: Run, own: Mapping[str, Value]) -> dict[str, Value]:
    if run.font is None:
        return {}
    return {name: value for name, value in styles.font(run.font).items() if own.get(name) != value}


def cell_node(build: Build, layout: Layout, row: int, column: int, facts: Facts) -> Node:
    """The node of a cell with its facts."""
    sheet = layout.sheet
    name = cell_name(row, column)
    translation = build.translation
    key = name
    if translation.moves(sheet.name):
        new_row, new_column = translation.row(sheet.name, row), translation.column(sheet.name, column)
        key = cell_name(new_row, new_column) if new_row is not None and new_column is not None else f"gone {name}"
    label = facts.get(_VALUE, facts.get(_FORMULA, ""))
    return Node(
        sheet_address(sheet.name),
        "cell",
        name=name,
        facts=facts,
        align=Align.KEY,
        key=key,
        label=label if isinstance(label, str) else str(label),
        also=layout.also(row, column),
        depends=("style[Normal]", "theme"),
    )
