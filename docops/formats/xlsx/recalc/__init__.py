"""Recalculation: what cells show, worked out from the formulas and never from stored results.

`Recalculator(source).results(places)` gives one `Result` a cell, with one of four outcomes. IronCalc decides;
`formulas` checks it where a cell follows from a function outside the set that was measured against Excel's documented
results. Engines stand at pinned versions: a missing or other one is `EngineUnavailable`, never another answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from docops.formats.xlsx.recalc.cone import DEFAULT_CONE_LIMITS, Cone, ConeLimits, FormulaCell, build_cone
from docops.formats.xlsx.recalc.functions import EXCEL_FUNCTIONS, TRUSTED
from docops.formats.xlsx.recalc.source import CellError, CellValue, Input, Place, Source

if TYPE_CHECKING:
    from docops.formats.xlsx.recalc.iron import Calculation

__all__ = ["CellError", "CellValue", "Cone", "ConeLimits", "Input", "Outcome", "Place", "Recalculator", "Result", "Source", "same_value"]


class Outcome(StrEnum):
    """How far a value can be relied on."""

    COMPUTED = "computed"
    UNSUPPORTED = "unsupported"  # volatile, outside the workbook, beyond a limit, or not known to the engines
    INCONCLUSIVE = "inconclusive"  # the engines disagree
    ERROR = "error"  # the engine broke down


@dataclass(frozen=True, slots=True)
class Result:
    """The value of a cell, if it could be had.   reason: why not.   engines: which engines had a say, with versions."""

    outcome: Outcome
    value: CellValue = None
    reason: str = ""
    engines: tuple[str, ...] = ()


#: A number with more digits than a spreadsheet shows, inside a text: the engine writes up to 17, Excel 15.
_LONG_NUMBER = re.compile(r"\d[.,]\d{15,}|\d{16,}[.,]\d")

#: Formulas of one question that the second engine checks.
MAX_CHECKS = 50


def same_value(one: CellValue, other: CellValue, relative: float = 1e-9) -> bool:
    """Whether two values are the same: numbers up to rounding noise, everything else exactly, types included."""
    if isinstance(one, bool) or isinstance(other, bool):
        return isinstance(one, bool) and isinstance(other, bool) and one == other
    if isinstance(one, float | int) and isinstance(other, float | int):
        return abs(one - other) <= max(relative * max(abs(one), abs(other)), 1e-12)
    return type(one) is type(other) and one == other


class Recalculator:
    """Calculates cells of one workbook; every call works on the cone of the cells asked for."""

    def __init__(self, source: Source, limits: ConeLimits = DEFAULT_CONE_LIMITS, note: Callable[[str], None] | None = None) -> None:
        self.source = source
        self.limits = limits
        self._note = note or (lambda name: None)
        self._last: tuple[Cone, Calculation] | None = None

    def cone(self, places: Sequence[Place]) -> Cone:
        """Everything that the cells follow from."""
        return build_cone(self.source, places, self.limits)

    def calculation(self, cone: Cone) -> Calculation:
        """The deciding engine with a cone loaded, for questions of what would happen if. Raises its EngineFault."""
        from docops.formats.xlsx.recalc import iron

        if self._last is None or self._last[0] is not cone:
            self._note(f"{iron.NAME} {iron.VERSION}")
            self._last = (cone, iron.Calculation(cone))
        return self._last[1]

    def results(self, places: Sequence[Place], cone: Cone | None = None) -> Mapping[Place, Result]:
        """The values of some cells, calculated together."""
        from docops.formats.xlsx.recalc import check, iron

        cone = cone or self.cone(places)
        out: dict[Place, Result] = {}
        open_places: list[Place] = []
        for place in places:
            reason = cone.reason(place)
            if reason:
                out[place] = Result(Outcome.UNSUPPORTED, reason=reason)
            elif place in cone.inputs:
                out[place] = Result(Outcome.COMPUTED, cone.inputs[place])
            else:
                open_places.append(place)
        if not open_places:
            return out
        if not cone.formulas:
            return {**out, **{place: Result(Outcome.COMPUTED, None) for place in open_places}}
        engines: tuple[str, ...] = (f"{iron.NAME} {iron.VERSION}",)
        try:
            calculation = self.calculation(cone)
            disputed = _disputes(cone, calculation)
        except iron.EngineFault as fault:
            return {**out, **{place: Result(Outcome.ERROR, reason=str(fault), engines=engines) for place in open_places}}
        if disputed is not None:
            engines += (f"{check.NAME} {check.VERSION}",)
            self._note(engines[1])
        for place in open_places:
            out[place] = self._result(place, calculation, disputed or {}, engines)
        return out

    def _result(self, place: Place, calculation: Calculation, disputed: Mapping[Place, str], engines: tuple[str, ...]) -> Result:
        from docops.formats.xlsx.recalc import iron

        try:
            value = calculation.value(place)
        except iron.EngineFault as fault:
            return Result(Outcome.UNSUPPORTED, reason=str(fault), engines=engines)
        if place in disputed:
            return Result(Outcome.INCONCLUSIVE, value, disputed[place], engines)
        if isinstance(value, str) and _LONG_NUMBER.search(value):
            return Result(Outcome.UNSUPPORTED, reason="text made of a number with more than the 15 digits that are shown", engines=engines)
        return Result(Outcome.COMPUTED, value, engines=engines)


def doubts(cell: FormulaCell) -> tuple[str, ...]:
    """What in a formula the deciding engine was not measured on, or is known to get wrong at times."""
    from docops.formats.xlsx.recalc.arrays import rewrite

    return (*sorted(cell.expanded.functions.keys() & EXCEL_FUNCTIONS - TRUSTED), *rewrite(cell.expanded.text).doubts)


def uncertain(cell: FormulaCell) -> bool:
    """Whether programs may show different values for a formula: one that none can read, names or functions that the file does not define,
    ranges for one value.
    """
    from docops.formats.xlsx.recalc.arrays import rewrite

    expanded = cell.expanded
    if expanded.malformed or (expanded.undefined and not {"LET", "LAMBDA"} & expanded.functions.keys()):
        return True
    return cell.array is None and rewrite(expanded.text).ambiguous


def _disputes(cone: Cone, calculation: Calculation) -> Mapping[Place, str] | None:
    """Cells on which the engines disagree, and all that follow from them; None where nothing had to be checked.

    What is known to go wrong at times counts as disputed unless the second engine confirms it.
    """
    doubtful = {place: why for place, cell in cone.formulas.items() if place not in cone.problems and (why := doubts(cell))}
    if not doubtful:
        return None
    from docops.formats.xlsx.recalc import check, iron
    from docops.formats.xlsx.recalc.arrays import rewrite

    found: dict[Place, str] = {}
    for number, place in enumerate(sorted(doubtful)):
        names = ", ".join(dict.fromkeys(doubtful[place]))
        suspect = rewrite(cone.formulas[place].expanded.text).doubts
        if number >= MAX_CHECKS and not suspect:
            continue
        try:
            if number >= MAX_CHECKS:
                raise check.NotChecked(f"more than {MAX_CHECKS} formulas to check")
            value = calculation.value(place)
            other = check.check_value(cone, place, calculation.value)
        except iron.EngineFault:
            continue
        except check.NotChecked as reason:
            if suspect:
                found[place] = f"{iron.NAME} is not reliable about {', '.join(suspect)}, and {reason}"
            elif isinstance(value, CellError) and not _reads_error(cone, place, calculation):
                found[place] = f"{iron.NAME} gives {value} for {names}, and {reason}"
            continue
        if suspect and isinstance(value, CellError):
            found[place] = f"{iron.NAME} is not reliable about {', '.join(suspect)}"
        elif not same_value(value, other):
            found[place] = f"the engines disagree about {names}: {iron.NAME} says {value}, {check.NAME} says {other}"
    return cone.spread(found) if found else {}


def _reads_error(cone: Cone, place: Place, calculation: Calculation) -> bool:
    """Whether a formula reads a cell that shows an error, which would be its own."""
    areas = cone.formulas[place].expanded.areas
    read = (cell for cell in (*cone.inputs, *cone.formulas) if any(sheet == cell.sheet and area.contains(*cell[1:]) for sheet, area in areas))
    return any(isinstance(calculation.value(cell), CellError) for cell in read)
