"""What the cells of a workbook say to a reader: constants as formatted, formulas recalculated.

A number has two texts: as its format shows it (`12.5%`, `EUR 1,234.50`) and in general form (`0.125`, dates as ISO text).
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from typing import Any

from docops.core.predicate import Context, Target
from docops.families.quantities import Quantity, find_quantities

#: Cells that are looked at for one criterion; larger places are read as stored.
MAX_CELLS = 20_000
_ISO = re.compile(r"(?<![A-Z])([A-Z]{3})(?![A-Z])")
_DIGITS = re.compile(r"-?\d[\d,]*(?:\.\d+)?")
_SYMBOLS = {"€": "EUR", "£": "GBP", "$": "USD", "¥": "JPY"}


@dataclass(frozen=True, slots=True)
class ShownNumber:
    """A number with its format code, and what that shows of it; a date where `is_date`."""

    value: float
    code: str
    formatted: str
    is_date: bool

    @property
    def amounts(self) -> tuple[Quantity, ...]:
        """Its readings, the number itself first."""
        return _amounts(self)


@dataclass(frozen=True, slots=True)
class ShownCell:
    """A number cell or formula, with what it says.

    texts: the general form first, then as formatted where that differs; none where it is empty.
    number: what it is, for numbers.   hidden_by: why nobody sees it, else "".
    before: address of the last cell before it in its sheet that stores a text of its own, "" where there is none.
    """

    address: str
    texts: tuple[str, ...]
    number: ShownNumber | None = None
    hidden_by: str = ""
    before: str = ""


def shown_cells(context: Context, target: Target) -> list[ShownCell]:
    """The number cells and formulas of a place, in order, but for formulas that no engine can decide; none where the place has no cells or too many."""
    from docops.core.errors import UsageError
    from docops.formats.xlsx.predicates.places import cell_address, regions, seen_values, workbook_of
    from docops.formats.xlsx.recalc import Outcome
    from docops.formats.xlsx.spans import Sight

    book = workbook_of(target)
    try:
        places = [place for region in regions(book, target.address) for place in region.places()]
    except UsageError:
        return []
    if len(places) > MAX_CELLS:
        return []
    results = seen_values(context, book, places)
    sights: dict[int, Any] = {}
    last: dict[int, str] = {}
    out: list[ShownCell] = []
    for place in places:
        sheet = book.sheets[place.sheet]
        cell = sheet.cell(place.row, place.column)
        if cell is None or (cell.formula is None and cell.value is None):
            continue
        address = cell_address(book, place)
        before = last.get(place.sheet, "")
        if cell.value not in (None, ""):
            last[place.sheet] = address
        result = results[place]
        if result.outcome is not Outcome.COMPUTED or (cell.formula is None and (isinstance(cell.value, str | bool) or result.value is None)):
            continue
        texts, number = _said(book, place, cell.style, result.value)
        if place.sheet not in sights:
            sights[place.sheet] = Sight(sheet)
        why = sights[place.sheet].hidden_by(place.row, place.column, result.value, texts[-1]) if texts else ""
        out.append(ShownCell(address, tuple(filter(None, texts)), number, why or ("number format" if texts and not texts[-1] else ""), before))
    return out


def _said(book: Any, place: Any, style: int, value: Any) -> tuple[tuple[str, ...], ShownNumber | None]:
    """The texts of a cell, and the number it is with this format and value; the last text is "" where the format shows nothing."""
    from docops.formats.xlsx.predicates.places import plain, shown
    from docops.formats.xlsx.shown import shown_number

    seen = shown(book, place, value)
    if seen == "":
        return (), None
    if isinstance(seen, bool):
        return (("TRUE" if seen else "FALSE"),), None
    general = str(plain(seen))
    if not isinstance(value, float | int) or not math.isfinite(value):
        return (general,), None
    code = book.styles.number_format(style)
    formatted = shown_number(code, float(value), book.date1904)
    number = ShownNumber(float(value), code, formatted or "", isinstance(seen, str))
    return ((general, formatted) if formatted is not None and formatted != general else (general,)), number


@lru_cache(maxsize=65536)
def _amounts(number: ShownNumber) -> tuple[Quantity, ...]:
    """The readings of a number cell: the number, and what its format makes of it (`90 days`, `2.4m`, `Mar 2026`)."""
    formatted = number.formatted
    if number.is_date:
        return tuple(item for item in find_quantities(formatted, "en") if item.start == 0 and item.end == len(formatted) and item.unit == "date" and len(item.date) < 10)
    general = number_quantity(number.value, number.code)
    if _DIGITS.fullmatch(formatted):
        amount = Decimal(formatted.replace(",", ""))
        return (general,) if amount == general.low else (general, Quantity(0, len(formatted), formatted, amount, amount, "", Decimal(1).scaleb(-len(formatted.partition(".")[2]))))
    read = [item for item in find_quantities(formatted, "en") if item.start == 0 and item.end == len(formatted) and item.unit != "date"]
    return (general, *(replace(item, relation="=") for item in read if (item.low < 0) == (number.value < 0) and (item.low, item.unit) != (general.low, general.unit)))


def number_quantity(value: float, code: str = "General") -> Quantity:
    """A cell's number as a quantity, with the unit its number format shows."""
    amount = Decimal(repr(value)) if value != int(value) or abs(value) >= 1e15 else Decimal(int(value))
    unit = ""
    if "%" in code:
        amount, unit = amount * 100, "%"
    else:
        named = _ISO.search(re.sub(r"\[(?:Red|Blue|Green|[^$\]]*)\]", "", code))
        symbol = next((iso for char, iso in _SYMBOLS.items() if char in code), "")
        unit = named.group(1) if named is not None else symbol
    text = format(amount.normalize(), "f")
    return Quantity(0, len(text), text, amount, amount, unit, Decimal(1).scaleb(-12))
