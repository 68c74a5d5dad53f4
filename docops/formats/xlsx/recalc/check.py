"""The package `formulas`: a second, independent engine that checks what the first one says about rarer functions.

It is asked for one formula at a time, with the values that the formula reads; so a formula it cannot read costs
nothing but its own check.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from docops.formats.xlsx.recalc.cone import Cone
from docops.formats.xlsx.recalc.functions import DYNAMIC, SPILLING, names_of
from docops.formats.xlsx.recalc.iron import load_engine
from docops.formats.xlsx.recalc.source import CellError, CellValue, Place
from docops.formats.xlsx.references import parse_reference

NAME = "formulas"
VERSION = "1.3.4"

#: Functions that it gets wrong or does not know although it answers (measured on the golden formulas of the tests).
WRONG = names_of(
    "CEILING.MATH FLOOR.MATH TRIM SEARCH VALUE ROWS ROUND OFFSET SUBTOTAL AGGREGATE SORTBY SEQUENCE LAMBDA GROUPBY LET MAP REDUCE SCAN BYROW BYCOL MAKEARRAY ISFORMULA"
)

#: Cells one formula may read here; it builds arrays of Python objects.
MAX_READ = 200_000


class NotChecked(Exception):
    """The formula cannot be checked by this engine; the message says why."""


def load() -> Any:
    """The engine's module; EngineUnavailable where it is missing or of another version."""
    return load_engine(NAME, VERSION)


def check_value(cone: Cone, place: Place, values: Callable[[Place], CellValue]) -> CellValue:
    """The value of a formula given the values of what it reads (`values(place)`).

    Raises NotChecked where the engine has no opinion worth hearing.
    """
    cell = cone.formulas[place]
    names = cell.expanded.functions.keys()
    doubtful = (WRONG | DYNAMIC | SPILLING) & names
    if doubtful or cell.expanded.anchors or cell.array is not None:
        raise NotChecked(f"{NAME} is not asked about {', '.join(sorted(doubtful)) or 'arrays'}")
    module = load()
    try:
        with _silent():
            compiled = module.Parser().ast("=" + cell.expanded.text)[1].compile()
            result = compiled(*[_argument(cone, place, name, values) for name in compiled.inputs])
        return _plain(result)
    except NotChecked:
        raise
    except Exception as error:
        raise NotChecked(f"{NAME} cannot calculate it: {type(error).__name__}") from error


@contextmanager
def _silent() -> Iterator[None]:
    """The engine's scheduler logs every function it lacks; that is no news."""
    logger = logging.getLogger("schedula")
    level = logger.level
    logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        logger.setLevel(level)


def _argument(cone: Cone, place: Place, name: str, values: Callable[[Place], CellValue]) -> Any:
    import numpy

    reference = parse_reference(name)
    if reference is None:
        raise NotChecked(f"{NAME} reads {name[:40]!r}, which is no reference")
    sheet = place.sheet if reference.sheet is None else cone.source.sheet_index(reference.sheet)
    area = reference.area
    if sheet is None or area.count > MAX_READ:
        raise NotChecked(f"more than {MAX_READ} cells in one argument")
    array = numpy.full((area.last_row - area.first_row + 1, area.last_column - area.first_column + 1), None, dtype=object)
    for row, column in area.cells():
        value = values(Place(sheet, row, column))
        if value is None:
            raise NotChecked(f"{NAME} takes empty cells for text")
        array[row - area.first_row, column - area.first_column] = _native(value)
    return array


def _native(value: CellValue) -> Any:
    if isinstance(value, CellError):
        from formulas.tokens.operand import Error

        return Error.errors.get(value.code, Error.errors["#VALUE!"])
    return value


def _plain(result: Any) -> CellValue:
    import numpy

    while isinstance(result, numpy.ndarray):
        if result.size != 1:
            raise NotChecked(f"{NAME} answers with an array")
        result = result.flat[0]
    if isinstance(result, bool | numpy.bool_):
        return bool(result)
    if isinstance(result, int | float | numpy.integer | numpy.floating):
        return float(result)
    text = str(result)
    if type(result).__name__ == "XlError" or (text.startswith("#") and not isinstance(result, str)):
        return CellError(text)
    if text == "empty":
        return 0.0
    return text
