"""What a place says: its passages with the quantities in them, its rows and its tables, in any format.

Cells of a workbook count with the value that a reader sees: formulas recalculated, percentages and dates as formatted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from docops.core.predicate import Context, Target
from docops.families.anchors import passages
from docops.families.cells import ShownNumber
from docops.families.quantities import Quantity, find_quantities
from docops.families.text_profiles import normalise

#: `1. Cover`, `2.3 Scope`, `Section 4: …`, `a) …`: the number says nothing.
NUMBERING = re.compile(
    r"\s*((?:(?:section|chapter|article|abschnitt|kapitel|artikel|chapitre|figure|table|slide|§) ?)(?:\d+(?:\.\d+)*|[IVX]+)[.:)]?"
    r"|\d{1,2}(?:\.\d{1,2})*[.)](?=\s+[^\W\d])|\d{1,2}(?:\.\d{1,2})+(?=\s+(?-i:[A-ZÄÖÜ]))|[IVX]+\.(?=\s)|[a-z]\)|第[一二三四五六七八九十\d]+[章节節条條])\s*",
    re.IGNORECASE,
)
#: Empty cells in a row that are told apart.
_MOST_BLANKS = 200
_TABLE_CELL = re.compile(r"(.*table(?:\[[^\]]*\])?)/row\[(\d+)\]/cell\[(\d+)\]")
_SHEET_CELL = re.compile(r"(sheet\[(?:[^\]\"]+|\"(?:[^\"\\]|\\.)*\")\])/cell\[([A-Z]{1,3})(\d+)\]")


@dataclass(frozen=True, slots=True)
class Statement:
    """A passage, with the number of a number cell, which needs no reading."""

    address: str
    text: str
    number: ShownNumber | None = None

    @property
    def amounts(self) -> tuple[Quantity, ...]:
        """The readings of a number cell."""
        return self.number.amounts if self.number is not None else ()

    @property
    def amount(self) -> Quantity | None:
        """The number of a number cell."""
        return self.amounts[0] if self.number is not None and not self.number.is_date else None

    def quantities(self, language: str) -> tuple[Quantity, ...]:
        """What quantities it states; the numbering of a heading or list item is none."""
        if self.amount is not None:
            return self.amounts
        if self.amounts:
            return (*find_quantities(self.text, language), *self.amounts)
        found = find_quantities(self.text, language)
        if found and not found[0].unit and found[0].end <= 8:
            numbering = NUMBERING.match(normalise(self.text, "typographic"))
            if numbering is not None:
                return tuple(quantity for quantity in found if quantity.end > numbering.end(1) or quantity.unit)
        return found


@dataclass(frozen=True, slots=True)
class Grid:
    """A table: the address of each cell that says something, by row and column from 1."""

    address: str
    cells: dict[tuple[int, int], Statement]

    @property
    def rows(self) -> list[list[Statement]]:
        """Its rows from the top, each with its cells from the left up to the last that says something; empty ones say ""."""
        out: dict[int, list[Statement]] = {}
        left = min((column for _, column in self.cells), default=1)
        for (row, column), cell in sorted(self.cells.items(), key=lambda item: item[0]):
            cells = out.setdefault(row, [])
            cells += [Statement(cell.address, "")] * min(column - left - len(cells), _MOST_BLANKS)
            cells.append(cell)
        return list(out.values())


def statements(context: Context, target: Target, *, visible: bool = True) -> list[Statement]:
    """What stands at the target, in reading order; a cell once, in general form."""
    found = passages(target, visible=visible, context=context)
    cells = {passage.address for passage in found if passage.view == passage.address} if target.document.format == "xlsx" else set()
    out: list[Statement] = []
    seen: set[str] = set()
    for passage in found:
        if passage.address in cells:
            if passage.view != passage.address or passage.address in seen:
                continue  # as stored, or as formatted
            seen.add(passage.address)
        if not passage.again:
            out.append(Statement(passage.address, passage.text, passage.number))
    return out


def grids(found: Sequence[Statement]) -> list[Grid]:
    """The tables that statements stand in: tables of documents and slides, and each sheet of a workbook."""
    out: dict[str, dict[tuple[int, int], Statement]] = {}
    for item in found:
        place = grid_place(item.address)
        if place is None:
            continue
        table, row, column = place
        cells = out.setdefault(table, {})
        before = cells.get((row, column))
        cells[row, column] = item if before is None else Statement(before.address, before.text + " " + item.text)
    return [Grid(address, cells) for address, cells in out.items()]


def grid_place(address: str) -> tuple[str, int, int] | None:
    """(table, row, column) of a cell's address, or of a place inside one; None for what stands in no table."""
    sheet = _SHEET_CELL.match(address)
    if sheet is not None:
        column = 0
        for letter in sheet.group(2):
            column = column * 26 + ord(letter) - 64
        return sheet.group(1), int(sheet.group(3)), column
    table = _TABLE_CELL.match(address)
    return (table.group(1), int(table.group(2)), int(table.group(3))) if table is not None else None


def row_key(address: str) -> str:
    """What places of one table row share; the place itself outside tables."""
    place = grid_place(address)
    return f"{place[0]}/row[{place[1]}]" if place is not None else address


def chart_values(target: Target) -> Iterator[tuple[str, str, list[str], list[float]]]:
    """(address, name, categories, values) of every series with stored values at the target."""
    from docops.core.codes import Aspect

    stack = list(reversed(target.nodes))
    while stack:
        node = stack.pop()
        if node.kind == "series":
            facts = node.facts
            values = facts.get((Aspect.VALUE, "values"))
            if isinstance(values, list):
                names = facts.get((Aspect.VALUE, "categories"))
                numbers = [float(value) for value in values if isinstance(value, int | float) and not isinstance(value, bool)]
                yield node.address, str(facts.get((Aspect.TEXT, "name"), "")), [str(n) for n in names] if isinstance(names, list) else [], numbers
            continue
        stack.extend(reversed(list(node.children)))


def source_place(context: Context, address: str, *, side: str = "auto") -> Target:
    """The place that a source address names: in the artifact's source where it has one, else in its output.

    side: `output` to look at the output in any case. A place that is not there has no nodes, and says nothing.
    """
    target = context.source_target(address) if side != "output" else None
    return target if target is not None else context.target(address)
