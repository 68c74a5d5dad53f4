"""Stored results that contradict what they derive from: cached values of formulas and of charts.

A result that is not stored is not stale, nor is any in an output that asks to be calculated when it is opened. Where the
source asked for that, its stored results say nothing, and neither does what another program made of them. Formulas
whose value cannot be had for certain (volatile, other workbooks, functions the engine was not measured on, engines that
disagree) are left out. What did not change since the source is not calculated again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from docops.core.document import Document, Stale
from docops.core.node import Value
from docops.formats.xlsx.model import Cell, Kind, Sheet, Workbook
from docops.formats.xlsx.references import Area, parse_reference
from docops.formats.xlsx.values import is_true, whole

#: Formulas that are calculated at most, the first in document order; fewer where all that they follow from is beyond a limit.
MAX_FORMULAS = 10_000
#: Charts that are looked at, and cells of one of their ranges.
MAX_CHARTS = 500
MAX_CHART_CELLS = 20_000


def stale_values(document: Document, source: Document | None) -> Sequence[Stale]:
    """Stored results that contradict their formulas or cells, in document order; with a source, only what changed since."""
    workbook = _workbook(document)
    if source is not None and _calculates_on_load(workbook):
        return ()
    before = _workbook(source) if source is not None else None
    if before is not None and before.package.member_names == workbook.package.member_names and _same_parts(workbook, before):
        return ()
    return [*_stale_cells(workbook, before), *_stale_charts(workbook)]


def _calculates_on_load(workbook: Workbook) -> bool:
    return workbook.full_calc_on_load or is_true(workbook.calculation.get("forceFullCalc"))


def _workbook(document: Document) -> Workbook:
    return cast(Workbook, cast(Any, document).workbook)


def _same_parts(one: Workbook, other: Workbook) -> bool:
    return all(part.digest == other.package.parts[name].digest for name, part in one.package.parts.items() if name in other.package.parts)


# Cells --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Stored:
    """A stored result of a formula: where, the formula as written ("" for a cell that an array fills), and the cell."""

    sheet: Sheet
    row: int
    column: int
    formula: str
    cell: Cell


def _stored_results(workbook: Workbook) -> Iterator[_Stored]:
    for sheet in workbook.sheets:
        if sheet.kind != "worksheet":
            continue
        filled = _filled(sheet)
        for number, row in sheet.rows.items():
            inside = [area for area, _ in filled if area.first_row <= number <= area.last_row]
            for column, cell in row.cells.items():
                if cell.kind == Kind.BLANK:
                    continue
                if cell.formula is not None:
                    if cell.formula.kind != "dataTable":
                        yield _Stored(sheet, number, column, sheet.formula_text(number, column, cell.formula) or "", cell)
                elif any(area.contains(number, column) for area in inside):
                    yield _Stored(sheet, number, column, "", cell)


def _filled(sheet: Sheet) -> Sequence[tuple[Area, object]]:
    from docops.formats.xlsx.predicates.places import source_of

    return source_of(sheet.workbook).array_cells.get(sheet.index, ())


def _stale_cells(workbook: Workbook, before: Workbook | None) -> Iterator[Stale]:
    from docops.formats.xlsx.predicates.places import cell_address, source_of
    from docops.formats.xlsx.recalc import CellError, Outcome, Place, Recalculator, doubts, same_value, uncertain
    from docops.formats.xlsx.recalc.affected import affected
    from docops.formats.xlsx.recalc.functions import FUTURE

    stored = {Place(one.sheet.index, one.row, one.column): one for one in _stored_results(workbook)}
    if not stored:
        return
    chosen = list(stored)
    source = source_of(workbook)
    recalculator = Recalculator(source)
    if before is not None:
        changed, touched = _changes(workbook, before, stored)
        if touched is not None:
            again = {*changed, *(affected(source, _formulas(workbook), touched) if touched else ())}
            owners = [(place.sheet, area) for place in again for area, owner in source.array_cells.get(place.sheet, ()) if owner == place]
            # What an array fills changes with the array's formula.
            again |= {
                place
                for place in stored
                if not stored[place].formula and any(sheet == place.sheet and area.contains(*place[1:]) for sheet, area in owners)
            }
            chosen = [place for place in stored if place in again]
    if not chosen:
        return
    cone = recalculator.cone(chosen[:MAX_FORMULAS])
    while cone.limit and len(chosen) > 1:
        chosen = chosen[: min(len(chosen), MAX_FORMULAS) // 2]
        cone = recalculator.cone(chosen)
    chosen = chosen[:MAX_FORMULAS]
    doubtful = {place: "" for place, cell in cone.formulas.items() if doubts(cell) or uncertain(cell)}
    unknown = cone.spread(doubtful) if doubtful else {}
    newer = cone.spread(
        {place: "" for place, cell in cone.formulas.items() if any("." in name or name in FUTURE for name in cell.expanded.functions)}
    )
    if before is not None and _calculates_on_load(before):
        void = {(stale.address, stale.name) for stale in _stale_cells(before, None)}
        unknown = {**unknown, **cone.spread({place: "" for place in cone.formulas if (cell_address(workbook, place), "value") in void})}
    results = recalculator.results([place for place in chosen if place not in unknown], cone)
    for place in sorted(results):
        result = results[place]
        if result.outcome is not Outcome.COMPUTED:
            continue
        cell = stored[place].cell
        held = CellError(str(cell.value)) if cell.kind == Kind.ERROR else cell.value
        if held == CellError("#NAME?") and place in newer:
            continue  # stored by a program that does not know the function, which is no statement about the result
        if same_value(held, result.value) or (held == "" and result.value is None) or _circular(result.value):
            continue
        if held == CellError("#VALUE!") and isinstance(result.value, CellError):
            continue  # LibreOffice stores its own errors, of which there are more kinds, as this one
        yield Stale(cell_address(workbook, place), "value", _json(held), _json(result.value))


def _formulas(workbook: Workbook) -> Mapping[Any, str]:
    from docops.formats.xlsx.recalc import Place

    out = {}
    for sheet in workbook.sheets:
        for number, row in sheet.rows.items() if sheet.kind == "worksheet" else ():
            for column, cell in row.cells.items():
                if cell.formula is not None:
                    out[Place(sheet.index, number, column)] = sheet.formula_text(number, column, cell.formula) or ""
    return out


def _circular(value: object) -> bool:
    return str(value) in ("#CIRC!", "#SPILL!")


def _json(value: object) -> Value:
    from docops.formats.xlsx.recalc import CellError

    if isinstance(value, CellError):
        return value.code
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return int(value)
    return cast(Value, value)


def _changes(workbook: Workbook, before: Workbook, stored: Mapping[Any, _Stored]) -> tuple[list[Any], list[Any] | None]:
    """Places whose stored result or formula changed, and places whose content changed; None where names, tables or sheets did."""
    from docops.formats.xlsx.recalc import Place

    structure = _structure(workbook) == _structure(before)
    changed: list[Any] = []
    touched: list[Any] = []
    for sheet in workbook.sheets:
        other = before.sheet(sheet.name)
        if other is None or sheet.kind != "worksheet" or other.kind != "worksheet":
            changed += [place for place in stored if place.sheet == sheet.index]
            continue
        if sheet.part is not None and other.part is not None and sheet.part.digest == other.part.digest and _strings(workbook) == _strings(before):
            continue
        for number in sorted({*sheet.rows, *other.rows}):
            row, row_before = sheet.rows.get(number), other.rows.get(number)
            cells = row.cells if row is not None else {}
            cells_before = row_before.cells if row_before is not None else {}
            for column in {**cells, **cells_before}:
                cell, cell_before = cells.get(column), cells_before.get(column)
                if (
                    cell is not None
                    and cell_before is not None
                    and cell[:2] == cell_before[:2]
                    and cell.formula is None
                    and cell_before.formula is None
                ):
                    continue
                place = Place(sheet.index, number, column)
                content, content_before = _content(sheet, number, column, cell), _content(other, number, column, cell_before)
                if content != content_before:
                    touched.append(place)
                if place in stored and (content != content_before or cell is None or cell_before is None or cell[:2] != cell_before[:2]):
                    changed.append(place)
    return changed, touched if structure else None


def _content(sheet: Sheet, row: int, column: int, cell: Cell | None) -> object:
    if cell is None or (cell.formula is None and cell.kind == Kind.BLANK):
        return None
    if cell.formula is None:
        return cell.kind, cell.value
    return "formula", sheet.formula_text(row, column, cell.formula), cell.formula.kind, cell.formula.ref


def _strings(workbook: Workbook) -> str:
    return "".join(part.digest for part in workbook.part.related("sharedStrings"))


def _structure(workbook: Workbook) -> object:
    """What formulas mean beside the cells: sheets, names, tables, date system."""
    return (
        [sheet.name for sheet in workbook.sheets],
        sorted((name.name, name.text, str(name.scope)) for name in workbook.names if not name.name.startswith("_xlnm.")),
        sorted((table.name, table.ref, table.columns, table.header_rows, table.totals_rows, table.sheet) for table in workbook.tables),
        workbook.date1904,
    )


# Charts -------------------------------------------------------------------------------------------------------------


class _Values:
    """The values of ranges for charts; formulas are calculated, unknown ones make the whole range unknown."""

    def __init__(self, workbook: Workbook) -> None:
        self.workbook = workbook

    def values(self, reference: str, *, visible_only: bool = False) -> list[str | float | bool | None] | None:
        """The values of a reference in its order, or None where they cannot be had."""
        from docops.formats.xlsx.predicates.places import source_of

        found = parse_reference(reference)
        if found is None:
            named = source_of(self.workbook).name(reference.rpartition("!")[2], None)
            found = parse_reference(named[0]) if named is not None else None
        if found is None or found.sheet is None or found.book is not None or found.last_sheet is not None or found.spill:
            return None
        sheet = self.workbook.sheet(found.sheet)
        area = found.area
        if sheet is None or sheet.kind != "worksheet" or area.count > MAX_CHART_CELLS:
            return None
        if visible_only and _hides(sheet, area):
            return None
        return self._values(sheet, area)

    def _values(self, sheet: Sheet, area: Area) -> list[str | float | bool | None] | None:
        from docops.formats.xlsx.predicates.places import source_of
        from docops.formats.xlsx.recalc import CellError, Outcome, Place, Recalculator

        source = source_of(self.workbook)
        places = [Place(sheet.index, row, column) for row, column in area.cells()]
        results = Recalculator(source).results(places)
        out: list[str | float | bool | None] = []
        for place in places:
            result = results[place]
            if result.outcome is not Outcome.COMPUTED or isinstance(result.value, CellError):
                return None
            out.append(result.value)
        return out


def _hides(sheet: Sheet, area: Area) -> bool:
    """Whether rows or columns of an area are hidden, which charts leave out."""
    from docops.formats.xlsx.model import X

    if any(area.first_row <= number <= area.last_row and is_true(row.element.get("hidden")) for number, row in sheet.rows.items()):
        return True
    columns = sheet.xml.iterfind(f"{X}cols/{X}col") if sheet.xml is not None else ()
    for column in columns:
        if is_true(column.get("hidden")) and whole(column.get("min")) <= area.last_column and whole(column.get("max")) >= area.first_column:
            return True
    return False


def charts_of(sheet: Sheet) -> Iterator[tuple[int, Any]]:
    """The charts of a sheet with their numbers, as addresses count them."""
    from docops.formats.ooxml.package import NS_R
    from docops.formats.xlsx.drawings import anchored, chart_element, drawing_part

    drawing = drawing_part(sheet)
    if drawing is None:
        return
    number = 0
    for _, element in anchored(drawing):
        holder = chart_element(element)
        if holder is not None:
            number += 1
            part = drawing.target(holder.get("{" + NS_R + "}id"))
            if part is not None and part.is_xml:
                yield number, part


def _stale_charts(workbook: Workbook) -> Iterable[Stale]:
    from docops.core.node import Node
    from docops.formats.ooxml.chart_data import ChartData, difference, read_chart
    from docops.formats.xlsx.predicates.places import address_of

    values = cast(Any, _Values(workbook))
    seen = 0
    for sheet in workbook.sheets:
        for number, part in charts_of(sheet):
            seen += 1
            if seen > MAX_CHARTS:
                return
            chart = read_chart(part)
            node = Node(address_of(sheet), "chart", number=number)
            visible = next(part.xml.iter("{*}plotVisOnly"), None)
            visible_only = visible is None or is_true(visible.get("val", "1"))
            for position, series in enumerate(chart.series, 1):
                name = ChartData(series.name_reference, (series.name,) if series.name else (), True)
                for label, data in (("name", name), ("categories", series.categories), ("values", series.values), ("sizes", series.sizes)):
                    if not data.reference or not data.cached or not data.values:
                        continue
                    found = difference(data, values, visible_only=visible_only)
                    if found is not None:
                        yield Stale(Node(node, "series", number=position).address, label, found[0], found[1])
