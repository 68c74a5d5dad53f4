"""Which formulas may show something else after some cells changed: a cheap search over all formulas of a workbook.

Only references are read off the formulas; nothing is calculated or written out.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping

from docops.formats.xlsx.formula_text import find_areas
from docops.formats.xlsx.recalc.expand import expand
from docops.formats.xlsx.recalc.source import Place, Source
from docops.formats.xlsx.references import Area

_STRING = re.compile(r'"(?:[^"]|"")*"')
_DYNAMIC = re.compile(r"\b(?:INDIRECT|OFFSET)\(", re.IGNORECASE)


def affected(source: Source, formulas: Mapping[Place, str], touched: Iterable[Place]) -> set[Place]:
    """The formulas that follow from touched cells, directly or through others.

    formulas: the text of every formula by place.   touched: cells whose content changed (formulas among them).
    Formulas that reach cells they do not name count as affected.
    """
    singles: dict[Place, list[Place]] = {}
    ranges: list[tuple[int, Area, Place]] = []
    queue = list(touched)
    found: set[Place] = set()
    for place, text in formulas.items():
        for sheet, area in _areas(source, place, text):
            if area is None:
                queue.append(place)
                found.add(place)
            elif area.is_cell:
                singles.setdefault(Place(sheet, area.first_row, area.first_column), []).append(place)
            else:
                ranges.append((sheet, area, place))
    seen: set[Place] = set()
    while queue:
        fresh: list[Place] = []
        while queue:
            place = queue.pop()
            if place in seen:
                continue
            seen.add(place)
            fresh.append(place)
            for dependent in singles.get(place, ()):
                found.add(dependent)
                queue.append(dependent)
        ranges, hit = _split(ranges, fresh)
        for place in hit:
            found.add(place)
            queue.append(place)
    return found


def _split(ranges: list[tuple[int, Area, Place]], places: list[Place]) -> tuple[list[tuple[int, Area, Place]], list[Place]]:
    """The ranges that hold none of the places, and the formulas that read the others."""
    rows: dict[tuple[int, int], list[int]] = {}
    for place in places:
        rows.setdefault((place.sheet, place.column), []).append(place.row)
    for numbers in rows.values():
        numbers.sort()
    left: list[tuple[int, Area, Place]] = []
    hit: list[Place] = []
    for entry in ranges:
        sheet, area, reader = entry
        for (other, column), stored in rows.items():
            if other == sheet and area.first_column <= column <= area.last_column:
                at = bisect_left(stored, area.first_row)
                if at < len(stored) and stored[at] <= area.last_row:
                    hit.append(reader)
                    break
        else:
            left.append(entry)
    return left, hit


def _areas(source: Source, place: Place, text: str) -> Iterator[tuple[int, Area | None]]:
    """What a formula reads; None for what only calculation tells."""
    plain = _STRING.sub('""', text) if '"' in text else text
    if _DYNAMIC.search(plain):
        yield place.sheet, None
    if source.mentions_names(plain) or "[" in plain or "#" in plain:
        yield from expand(source, place, text).areas
        return
    for sheet_name, last_sheet, area in find_areas(plain):
        if sheet_name is None:
            yield place.sheet, area
            continue
        first = source.sheet_index(sheet_name)
        last = source.sheet_index(last_sheet) if last_sheet is not None else first
        if first is not None and last is not None:
            for sheet in range(min(first, last), max(first, last) + 1):
                yield sheet, area
