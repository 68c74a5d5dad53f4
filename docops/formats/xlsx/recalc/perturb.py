"""Whether a result really follows from some cells: they are changed in the lean workbook, and the result has to move.

`=26494+0*SUM(C2:C13)` names all the cells that a total has to name, and yet is a typed-in number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress

from docops.formats.xlsx.recalc.cone import Cone
from docops.formats.xlsx.recalc.iron import Calculation, EngineFault
from docops.formats.xlsx.recalc.source import CellError, CellValue, Place

#: Values from elsewhere that the cells are filled with in turn, so that criteria and lookup keys are met.
MAX_CANDIDATES = 24
#: Cones beyond this size get the first patterns only.
MAX_CELLS_FOR_ALL = 20_000
MAX_FORMULAS_FOR_ALL = 1_000
#: Functions whose result follows from the extent of a reference, whatever the cells hold.
_SIZES = frozenset({"ROWS", "COLUMNS", "ROW", "COLUMN", "AREAS"})
#: A result moves where it changes by more than this share of itself.
SIGNIFICANT = 1e-6
#: What a formula spells out must move by more than this share where it is what one would have taken from the cells.
SUBSTANTIAL = 1e-3


def responds(cone: Cone, calculation: Calculation, place: Place, cells: Sequence[Place]) -> bool:
    """Whether the value of a formula changes when the cells do, under any of a fixed series of changes.

    Not changing under all of them is no proof, but what is left is a result that no change of size, sign, order, kind or
    presence of its inputs moves, and that is what a typed-in value looks like.
    """
    before = calculation.value(place)
    expanded = cone.formulas[place].expanded if place in cone.formulas else None
    if expanded is not None and expanded.functions.keys() & _SIZES and before not in expanded.constants:
        return True
    values = {cell: calculation.value(cell) for cell in cells if cell != place}
    if any(_moves(before, calculation, place, changes) for changes in _patterns(cone, values)):
        return True
    return _is_large(cone)  # not all changes were tried


def carries_result(cone: Cone, calculation: Calculation, place: Place, cells: Sequence[Place]) -> bool:
    """Whether the result is a number that the formula itself spells out, whatever the numbers in the cells are.

    `=IF(COUNT(C2:C13)>0,26494,0)` moves when all the cells are emptied, but not with what they hold. What one would have
    taken from the cells (their sum, say) may be spelled in parts: `=COUNT(C2:C13)*2200+94`.
    """
    before = calculation.value(place)
    if isinstance(before, bool) or not isinstance(before, float) or before in (0.0, 1.0):
        return False
    constants = [value for value in cone.formulas[place].expanded.constants if isinstance(value, float)]
    if all(abs(value) in (0.0, 1.0) for value in constants):
        return False
    spelled = any(abs(value - before) <= 1e-9 * abs(before) for value in constants)
    values = {cell: calculation.value(cell) for cell in cells if cell != place}
    numbers = [value for value in values.values() if isinstance(value, float) and not isinstance(value, bool)]
    if not numbers or (not spelled and len(numbers) < 3):
        return False
    columns: dict[tuple[int, int], list[float]] = {}
    for cell, value in values.items():
        if isinstance(value, float) and not isinstance(value, bool):
            columns.setdefault((cell.sheet, cell.column), []).append(value)
    likely = any(abs(total - before) <= 1e-6 * abs(before) for group in (numbers, *columns.values()) for total in _aggregates(group))
    if (likely or (spelled and _is_odd(before))) and not _moves(before, calculation, place, _numbers(values, _NUMERIC[0]), SUBSTANTIAL):
        return True
    return spelled and not any(_moves(before, calculation, place, _numbers(values, change)) for change in _NUMERIC)


def _is_odd(number: float) -> bool:
    """Whether a number has so many digits that it is no limit or rate that a person would set."""
    return len(f"{abs(number):.12g}".partition("e")[0].replace(".", "").strip("0")) > 4


def _aggregates(numbers: Sequence[float]) -> list[float]:
    """What a person would have taken from the cells and typed in."""
    ordered = sorted(numbers)
    middle = (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2
    return [sum(numbers), sum(numbers) / len(numbers), middle, ordered[0], ordered[-1]]


def moves_with(calculation: Calculation, place: Place, cell: Place) -> bool:
    """Whether the value of a formula changes when one cell does."""
    before = calculation.value(place)
    value = calculation.value(cell)
    other = [987654.25, "zzz", None] if not isinstance(value, float) or isinstance(value, bool) else [value * 1.5 + 7, -value - 1, None]
    return any(_moves(before, calculation, place, {cell: new}) for new in other)


#: Changes of numbers by value and position.
_NUMERIC: tuple[Callable[[float, int], float], ...] = (
    lambda value, position: value * 1.5 + 7,
    lambda value, position: -value - 1,
    lambda value, position: 1000.0 + 37 * position,
    lambda value, position: value / 7 - 100_000,
)


def _patterns(cone: Cone, values: Mapping[Place, CellValue]) -> Iterator[Mapping[Place, CellValue]]:
    cells = list(values)
    yield _numbers(values, _NUMERIC[0])
    yield dict.fromkeys(cells)
    yield _numbers(values, _NUMERIC[1])
    yield {cell: "zzz" if isinstance(value, str) else value for cell, value in values.items()}
    if _is_large(cone):
        return
    yield _numbers(values, _NUMERIC[2])
    yield _numbers(values, _NUMERIC[3])
    yield dict(zip(cells, reversed(list(values.values()))))
    yield {cell: not value if isinstance(value, bool) else value for cell, value in values.items()}
    yield dict.fromkeys(cells, 987654.25)
    for candidate in _candidates(cone, values):
        yield dict.fromkeys(cells, candidate)
        # A criterion is met in the texts while the numbers beside them stay.
        yield {cell: candidate if isinstance(value, str) == isinstance(candidate, str) else value for cell, value in values.items()}


def _is_large(cone: Cone) -> bool:
    return len(cone.inputs) + len(cone.formulas) > MAX_CELLS_FOR_ALL or len(cone.formulas) > MAX_FORMULAS_FOR_ALL


def _numbers(values: Mapping[Place, CellValue], change: Callable[[float, int], float]) -> dict[Place, CellValue]:
    return {
        cell: change(value, position) if isinstance(value, float) and not isinstance(value, bool) else value
        for position, (cell, value) in enumerate(values.items())
    }


def _candidates(cone: Cone, values: Mapping[Place, CellValue]) -> list[CellValue]:
    """What the cells could be compared with: constants in the formulas (criteria without their operators), other inputs."""
    found: dict[tuple[str, str], CellValue] = {}

    def add(value: CellValue) -> None:
        if value is not None and not isinstance(value, CellError) and len(found) < MAX_CANDIDATES:
            found.setdefault((type(value).__name__, str(value)), value)

    for cell in cone.formulas.values():
        for constant in cell.expanded.constants:
            if isinstance(constant, str):
                text = constant.lstrip("<>=").replace("*", "x").replace("?", "x")
                add(text or None)
                with suppress(ValueError):
                    add(float(text))
            else:
                add(constant)
                add(constant + 1)
    for place, value in cone.inputs.items():
        if place not in values:
            add(value)
    return list(found.values())


def _moves(
    before: CellValue, calculation: Calculation, place: Place, changes: Mapping[Place, CellValue], share: float = SIGNIFICANT
) -> bool:
    try:
        [after] = calculation.calculate(changes, [place])
    except EngineFault:
        return True
    if isinstance(before, float) and isinstance(after, float) and not isinstance(before, bool) and not isinstance(after, bool):
        return abs(before - after) > max(share * abs(before), 1e-9)
    return type(before) is not type(after) or before != after
