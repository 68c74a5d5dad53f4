"""Rows that SUBTOTAL and AGGREGATE leave out: no engine is told which are hidden, so it is given the others alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import StrEnum

from docops.formats.xlsx.references import MAX_COLUMN, MAX_ROW, Area

#: Ranges that one is cut into at most.
MAX_PARTS = 200
#: The last cell of a sheet, which nobody uses, for an aggregate of nothing.
_NOTHING = Area(MAX_ROW, MAX_COLUMN, MAX_ROW, MAX_COLUMN)


class LeftOut(StrEnum):
    """Which hidden rows an aggregate leaves out."""

    NONE = "none"
    FILTERED = "filtered"
    HIDDEN = "hidden"
    UNKNOWN = "unknown"


def left_out(name: str, arguments: Sequence[str]) -> LeftOut:
    """What a call leaves out. `arguments`: the texts of its first tokens inside the bracket, commas included."""
    code = int(arguments[0]) if arguments and arguments[0].isdigit() and arguments[1:2] == [","] else 0
    if name == "SUBTOTAL":
        return LeftOut.FILTERED if 1 <= code <= 11 else LeftOut.HIDDEN if 101 <= code <= 111 else LeftOut.UNKNOWN
    option = arguments[2] if arguments[3:4] == [","] else ""
    if option == "4":
        return LeftOut.NONE
    if option in ("1", "3", "5", "7") and 1 <= code <= 13:
        return LeftOut.HIDDEN
    return LeftOut.UNKNOWN


def visible_areas(area: Area, hidden: Mapping[int, bool], which: LeftOut) -> tuple[list[Area], str]:
    """An area in parts without what is left out, and why that cannot be told, or "".

    hidden: hidden rows of the area, and whether a filter hides each.
    """
    if which is LeftOut.NONE:
        return [area], ""
    if which is LeftOut.UNKNOWN:
        return [area], "an aggregate of which it is not certain whether it leaves out hidden rows"
    gone = sorted(row for row, filtered in hidden.items() if filtered or which is LeftOut.HIDDEN)
    parts: list[Area] = []
    first = area.first_row
    for row in [*gone, area.last_row + 1]:
        if row > first:
            parts.append(replace(area, first_row=first, last_row=row - 1))
        first = row + 1
    if len(parts) > MAX_PARTS:
        return [area], f"an aggregate over more than {MAX_PARTS} groups of visible rows"
    return parts or [_NOTHING], ""
