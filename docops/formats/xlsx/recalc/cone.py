"""The cone of a set of cells: everything that their values follow from, and nothing else."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal

from docops.formats.xlsx.recalc.arrays import rewrite
from docops.formats.xlsx.recalc.displayed import NotShownAsNumber, digits_shown
from docops.formats.xlsx.recalc.expand import Expanded, expand
from docops.formats.xlsx.recalc.functions import MISSING, SPILLING
from docops.formats.xlsx.recalc.source import CellValue, Place, Source, sheet_mentions
from docops.formats.xlsx.references import MAX_COLUMN, MAX_ROW, Area, function_name, parse_reference, tokenise


@dataclass(frozen=True, slots=True)
class ConeLimits:
    """How much is calculated for one question. They count, so that a verdict is the same on every machine.

    cells: constants and formulas.   formulas: formulas among them.   reads: cells that all formulas together read.
    dynamic_cells: cells of a workbook that is taken whole because a formula reaches cells it does not name.
    """

    cells: int = 300_000
    formulas: int = 60_000
    reads: int = 60_000_000
    dynamic_cells: int = 30_000


DEFAULT_CONE_LIMITS = ConeLimits()


@dataclass(slots=True)
class FormulaCell:
    """A formula in the cone: as stored, in plain references, and the range that it fills as an array formula.

    digits: to how many digits after the point its result is rounded, None for all.
    """

    stored: str
    expanded: Expanded
    array: Area | None = None
    digits: int | None = None


class Coverage:
    """Which cells were seen, as row intervals of each column."""

    def __init__(self) -> None:
        self._columns: dict[tuple[int, int], list[tuple[int, int]]] = {}
        self._wide: dict[int, list[Area]] = {}

    def add(self, sheet: int, area: Area) -> list[Area]:
        """Note an area; returns the parts of it that were not seen before."""
        if area.last_column - area.first_column > 255:
            wide = self._wide.setdefault(sheet, [])
            if any(other.covers(area) for other in wide):
                return []
            wide.append(area)
            return [area]
        fresh: list[Area] = []
        for column in range(area.first_column, area.last_column + 1):
            intervals = self._columns.setdefault((sheet, column), [])
            fresh += [Area(first, column, last, column) for first, last in _insert(intervals, area.first_row, area.last_row)]
        return fresh

    def contains(self, place: Place) -> bool:
        """Whether a cell was seen."""
        if any(area.contains(place.row, place.column) for area in self._wide.get(place.sheet, ())):
            return True
        return any(first <= place.row <= last for first, last in self._columns.get((place.sheet, place.column), ()))


def _insert(intervals: list[tuple[int, int]], first: int, last: int) -> list[tuple[int, int]]:
    """Insert a closed interval into a sorted list of disjoint ones; returns what was not covered before."""
    at = bisect_left(intervals, (first, 0))
    if at and intervals[at - 1][1] >= first - 1:
        at -= 1
    fresh: list[tuple[int, int]] = []
    position, low, high, end = first, first, last, at
    while end < len(intervals) and intervals[end][0] <= last + 1:
        begin, stop = intervals[end]
        if begin > position:
            fresh.append((position, min(begin - 1, last)))
        position = max(position, stop + 1)
        low, high = min(low, begin), max(high, stop)
        end += 1
    if position <= last:
        fresh.append((position, last))
    intervals[at:end] = [(low, high)]
    return fresh


@dataclass(slots=True)
class Cone:
    """Constants and formulas that some cells follow from.

    problems: why a formula cannot be calculated.   dynamic: the whole workbook was taken in, for a formula reaches cells it does not name.
    limit: the limit that stopped the search, or "".   seen: every cell that is read, empty ones included.
    """

    source: Source
    inputs: dict[Place, CellValue] = field(default_factory=dict)
    formulas: dict[Place, FormulaCell] = field(default_factory=dict)
    problems: dict[Place, str] = field(default_factory=dict)
    seen: Coverage = field(default_factory=Coverage)
    limit: str = ""
    dynamic: bool = False
    _tainted: Mapping[Place, str] | None = None

    def reason(self, place: Place) -> str:
        """Why the value of a cell cannot be calculated, or ""."""
        if self.limit:
            return self.limit
        if not self.problems:
            return ""
        if self._tainted is None:
            self._tainted = self.spread(self.problems)
        return self._tainted.get(place, "")

    def spread(self, problems: Mapping[Place, str]) -> Mapping[Place, str]:
        """The cells that follow from some cells, these included, each with the reason that reached it."""
        from docops.core.address import format_segment

        reasons = dict(problems)
        fresh = list(problems)
        while fresh:
            by_column: dict[tuple[int, int], list[int]] = {}
            for place in fresh:
                by_column.setdefault((place.sheet, place.column), []).append(place.row)
            for rows in by_column.values():
                rows.sort()
            following: list[Place] = []
            for place, cell in self.formulas.items():
                if place in reasons:
                    continue
                hit = _first_hit(cell.expanded.areas, by_column) or next((p for p in cell.expanded.anchors if p in reasons), None)
                if hit is not None:
                    where = format_segment("sheet", self.source.sheet_names[hit.sheet]) + f"/cell[{Area(hit.row, hit.column, hit.row, hit.column)}]"
                    reasons[place] = reasons[hit] if hit not in problems else f"{problems[hit]} (in {where})"
                    following.append(place)
            fresh = following
        return reasons


def _first_hit(areas: Iterable[tuple[int, Area]], by_column: dict[tuple[int, int], list[int]]) -> Place | None:
    for sheet, area in areas:
        for (other, column), rows in by_column.items():
            if other == sheet and area.first_column <= column <= area.last_column:
                at = bisect_left(rows, area.first_row)
                if at < len(rows) and rows[at] <= area.last_row:
                    return Place(sheet, rows[at], column)
    return None


def build_cone(source: Source, wanted: Iterable[Place], limits: ConeLimits = DEFAULT_CONE_LIMITS) -> Cone:
    """Everything that the wanted cells follow from: references followed through formulas, names, tables and spills."""
    cone = Cone(source)
    queue = list(wanted)
    reads = 0
    while queue:
        place = queue.pop()
        for count, most, what in (
            (len(cone.inputs) + len(cone.formulas), limits.cells, "cells"),
            (len(cone.formulas), limits.formulas, "formulas"),
            (reads, limits.reads, "reads of cells"),
        ):
            if count > most:
                cone.limit = f"more than {most} {what} are needed to calculate it"
                return cone
        if place in cone.formulas or place in cone.inputs:
            continue
        stored = source.input(place)
        if stored is None:
            queue += _spilled_from(source, place, cone)
            continue
        if stored.formula is None:
            # A cell inside another one's array holds a copy of the result; what it follows from is the array's formula.
            owner = _array_owner(source, place)
            if owner is not None:
                queue.append(owner)
            else:
                cone.inputs[place] = _kept(source, place, stored.value) if source.as_displayed else stored.value
            continue
        expanded = source.expanded.get(place) or source.expanded.setdefault(place, expand(source, place, stored.formula))
        cone.formulas[place] = FormulaCell(stored.formula, expanded, stored.array)
        problem = stored.unsupported or expanded.problem or _unknown(expanded) or _unsorted(source, place, expanded)
        if source.as_displayed:
            problem = problem or _round(source, place, cone.formulas[place])
        if problem:
            cone.problems[place] = problem
        for sheet, area in expanded.areas:
            used = Area(area.first_row, area.first_column, min(area.last_row, source.last_row), min(area.last_column, MAX_COLUMN))
            reads += max(used.last_row - used.first_row + 1, 0) * (min(used.last_column, source.last_column) - used.first_column + 1)
            for fresh in cone.seen.add(sheet, area):
                queue += source.stored(sheet, fresh)
                queue += _arrays_into(source, sheet, fresh)
        queue += expanded.anchors
        if expanded.dynamic and not cone.dynamic:
            cone.dynamic = True
            everything = [p for sheet in range(len(source.sheet_names)) for p in source.stored(sheet, Area(1, 1, MAX_ROW, MAX_COLUMN))]
            if len(everything) > limits.dynamic_cells:
                cone.limit = f"a formula reaches cells it does not name, in a workbook of more than {limits.dynamic_cells} cells"
                return cone
            queue += everything
    if source.iterates and _is_circular(cone):
        cone.limit = "the workbook asks for iterative calculation"
    return cone


def _is_circular(cone: Cone) -> bool:
    """Whether a formula of the cone follows from itself."""
    columns: dict[tuple[int, int], list[int]] = {}
    for place in sorted(cone.formulas):
        columns.setdefault((place.sheet, place.column), []).append(place.row)

    def precedents(place: Place) -> Iterator[Place]:
        for sheet, area in cone.formulas[place].expanded.areas:
            for (other, column), rows in columns.items():
                if other == sheet and area.first_column <= column <= area.last_column:
                    at = bisect_left(rows, area.first_row)
                    while at < len(rows) and rows[at] <= area.last_row:
                        yield Place(sheet, rows[at], column)
                        at += 1
        yield from (anchor for anchor in cone.formulas[place].expanded.anchors if anchor in cone.formulas)

    done: set[Place] = set()
    for start in cone.formulas:
        path: dict[Place, Iterator[Place]] = {} if start in done else {start: precedents(start)}
        while path:
            place = next(reversed(path))
            following = next(path[place], None)
            if following is None:
                done.add(place)
                del path[place]
            elif following in path:
                return True
            elif following not in done:
                path[following] = precedents(following)
    return False


def _array_owner(source: Source, place: Place) -> Place | None:
    for area, owner in source.array_cells.get(place.sheet, ()):
        if area.contains(place.row, place.column) and owner != place:
            return owner
    return None


def _arrays_into(source: Source, sheet: int, area: Area) -> Iterator[Place]:
    """Formulas outside an area whose results reach into it."""
    for filled, owner in source.array_cells.get(sheet, ()):
        if filled.intersection(area) is not None:
            yield owner
    for owner in _spillers(source, sheet):
        if owner.row <= area.last_row and owner.column <= area.last_column:
            yield owner


def _spilled_from(source: Source, place: Place, cone: Cone) -> Iterator[Place]:
    """Formulas that may spill into an empty cell."""
    area = Area(place.row, place.column, place.row, place.column)
    return (owner for owner in _arrays_into(source, place.sheet, area) if owner not in cone.formulas)


def _spillers(source: Source, sheet: int) -> tuple[Place, ...]:
    """Cells whose formula is, in its outermost function, one that spills although the file does not say into which range."""
    cache: dict[int, tuple[Place, ...]] = source.spillers
    if sheet not in cache:
        cache[sheet] = tuple(_find_spillers(source, sheet))
    return cache[sheet]


def _find_spillers(source: Source, index: int) -> Iterator[Place]:
    sheet = source.workbook.sheets[index]
    if not sheet_mentions(sheet, *(name.encode() for name in SPILLING)):
        return
    for number, row in sheet.rows.items():
        for column, cell in row.cells.items():
            if cell.formula is not None and cell.formula.text and cell.formula.kind != "dataTable":
                head = tokenise(cell.formula.text[:64])
                if head and function_name(head[0].text) in SPILLING:
                    yield Place(index, number, column)


def _unknown(expanded: Expanded) -> str:
    lacking = set(expanded.functions) & MISSING
    if "AGGREGATE" in expanded.functions and "AGGREGATE(" in rewrite(expanded.text).text:
        lacking.add("AGGREGATE in this form")
    return f"no engine here knows {', '.join(sorted(lacking))}" if lacking else ""


def _round(source: Source, place: Place, cell: FormulaCell) -> str:
    """Note how many digits of a result are kept; returns why that is not known, or ""."""
    try:
        cell.digits = digits_shown(source.number_format(place))
    except NotShownAsNumber as reason:
        return f"the workbook calculates with precision as displayed, and {reason}"
    return "an array in a workbook that calculates with precision as displayed" if cell.digits is not None and cell.array is not None else ""


def _kept(source: Source, place: Place, value: CellValue) -> CellValue:
    """A typed-in number as far as it is shown."""
    if isinstance(value, bool) or not isinstance(value, float):
        return value
    with suppress(NotShownAsNumber):
        digits = digits_shown(source.number_format(place))
        if digits is not None:
            unit = Decimal(1).scaleb(-digits)
            return float(Decimal(repr(value)).quantize(unit, ROUND_HALF_UP)) if abs(value) < 1e15 else value
    return value


#: Functions that look for the nearest value.
_SEARCHES = frozenset({"VLOOKUP", "HLOOKUP", "LOOKUP", "MATCH"})


def _unsorted(source: Source, place: Place, expanded: Expanded) -> str:
    """Whether a formula looks for the nearest value in constants that are not sorted, where what it finds is an accident."""
    if not expanded.functions.keys() & _SEARCHES:
        return ""
    for text in rewrite(expanded.text).sorted:
        reference = parse_reference(text)
        sheet = None if reference is None else place.sheet if reference.sheet is None else source.sheet_index(reference.sheet)
        if reference is not None and sheet is not None and not source.is_sorted(sheet, reference.area):
            return f"the nearest value is looked for in {text}, which is not sorted"
    return ""
