"""Which sheets of two workbooks are the same sheet, and which of their rows and columns were inserted or deleted."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from docops.core.align import align, longest_increasing
from docops.core.compare import Change
from docops.formats.xlsx.cells import sheet_address
from docops.formats.xlsx.formula_text import IndexMap
from docops.formats.xlsx.model import Kind, Sheet, Workbook
from docops.formats.xlsx.shift import Translation

#: Cells by which two sheets of different names are recognised.
_SAMPLE = 2_000
#: Share of equal cells from which two sheets of different names are one sheet renamed.
_SAME_SHEET = 0.5
_DIGITS = re.compile(r"[0-9]+")
_LETTERS = re.compile(r"\$?[A-Z]{1,3}(?=\$?[0-9])")


def pair_sheets(before: Workbook, after: Workbook) -> list[tuple[Sheet, Sheet]]:
    """Sheets that are the same sheet: by name, then by content."""
    names = {sheet.name: sheet for sheet in reversed(after.sheets)}
    pairs: list[tuple[Sheet, Sheet]] = []
    taken: set[int] = set()
    left: list[Sheet] = []
    for sheet in before.sheets:
        partner = names.get(sheet.name)
        if partner is not None and partner.index not in taken:
            taken.add(partner.index)
            pairs.append((sheet, partner))
        else:
            left.append(sheet)
    right = [sheet for sheet in after.sheets if sheet.index not in taken]
    if not left or not right:
        return pairs
    for sheet in left:
        own = _sample(sheet)
        scored = [(_likeness(sheet, own, other), -other.index, other) for other in right]
        best = max(scored, key=lambda entry: entry[:2], default=None)
        if best is not None and best[0] >= _SAME_SHEET:
            right.remove(best[2])
            pairs.append((sheet, best[2]))
    return pairs


def _sample(sheet: Sheet) -> frozenset[Hashable]:
    out: set[Hashable] = set()
    if sheet.kind != "worksheet":
        return frozenset({sheet.part.digest if sheet.part is not None else ""})
    for number, row in sheet.rows.items():
        for column, cell in row.cells.items():
            if cell.kind != Kind.BLANK or cell.formula is not None:
                out.add((number, column, cell.value if cell.formula is None else cell.formula.text))
        if len(out) > _SAMPLE:
            break
    return frozenset(out)


def _likeness(sheet: Sheet, own: frozenset[Hashable], other: Sheet) -> float:
    if sheet.kind != other.kind:
        return 0.0
    theirs = _sample(other)
    if not own and not theirs:
        return 0.6 if sheet.element.get("sheetId") == other.element.get("sheetId") else 0.0
    return 2 * len(own & theirs) / (len(own) + len(theirs))


@dataclass(frozen=True, slots=True)
class Axis:
    """Rows (or columns) of a sheet that moved.

    starts, offsets: from each start on, up to the next, an index moves by the offset.   removed: old indexes that are
    gone.   added: new indexes that came.   moved: old indexes that went elsewhere, with their new ones.
    extends: ranges take in what came right before or after them.
    """

    starts: tuple[int, ...] = (0,)
    offsets: tuple[int, ...] = (0,)
    removed: frozenset[int] = frozenset()
    added: frozenset[int] = frozenset()
    moved: Mapping[int, int] = field(default_factory=dict)
    extends: bool = False

    def __call__(self, index: int) -> int | None:
        """The new index of an old one, None where it is gone."""
        if index in self.moved:
            return self.moved[index]
        if index in self.removed:
            return None
        return index + self.offsets[bisect_right(self.starts, index) - 1]

    @property
    def still(self) -> bool:
        """Whether nothing moved."""
        return not self.removed and not self.added and not self.moved


_STILL = Axis()


@dataclass(frozen=True, slots=True)
class SheetMoves:
    """What moved on one sheet."""

    rows: Axis = _STILL
    columns: Axis = _STILL

    def row(self, number: int) -> int | None:
        """The new number of a row."""
        return self.rows(number)

    def column(self, number: int) -> int | None:
        """The new number of a column."""
        return self.columns(number)

    @property
    def removed_rows(self) -> frozenset[int]:
        """Old numbers of deleted rows."""
        return self.rows.removed

    @property
    def added_rows(self) -> frozenset[int]:
        """New numbers of inserted rows."""
        return self.rows.added

    @property
    def removed_columns(self) -> frozenset[int]:
        """Old numbers of deleted columns."""
        return self.columns.removed

    @property
    def added_columns(self) -> frozenset[int]:
        """New numbers of inserted columns."""
        return self.columns.added


@dataclass(frozen=True, slots=True)
class Moves:
    """What moved on all sheets, by old sheet name in lower case."""

    sheets: Mapping[str, SheetMoves] = field(default_factory=dict)

    def of(self, sheet: Sheet) -> SheetMoves | None:
        """What moved on a sheet, None where nothing did."""
        return self.sheets.get(sheet.name.casefold())

    @property
    def extended(self) -> Moves | None:
        """The same moves, ranges taking in what came right before or after them; None where nothing came."""
        if not any(moves.rows.added or moves.columns.added for moves in self.sheets.values()):
            return None
        sheets = {name: SheetMoves(replace(moves.rows, extends=True), replace(moves.columns, extends=True)) for name, moves in self.sheets.items()}
        return Moves(sheets)

    def translation(self, renamed: Mapping[str, str]) -> Translation:
        """The translation of places and formulas that follows."""
        rows: dict[str, IndexMap] = {name: moves.rows for name, moves in self.sheets.items() if not moves.rows.still}
        columns: dict[str, IndexMap] = {name: moves.columns for name, moves in self.sheets.items() if not moves.columns.still}
        return Translation(rows, columns, renamed)


def find_moves(pairs: Sequence[tuple[Sheet, Sheet]], changes: Sequence[Change]) -> list[Moves]:
    """Rows or columns that were inserted or deleted on sheets where cells changed; none where none were.

    Of equal rows one after the other it cannot be told which one came or went: first the last of them, then the first.
    """
    touched = {change.address.partition("/")[0] for change in changes} | {change.other_address.partition("/")[0] for change in changes}
    found: dict[str, SheetMoves] = {}
    others: dict[str, SheetMoves] = {}
    for old, new in pairs:
        if old.kind != "worksheet" or not {sheet_address(old.name), sheet_address(new.name)} & touched:
            continue
        name = old.name.casefold()
        before, after = _row_tokens(old), _row_tokens(new)
        rows = _axis(before, after)
        if rows is not None:
            found[name], others[name] = SheetMoves(rows=rows), SheetMoves(rows=_earliest(rows, before, after))
            continue
        before, after = _column_tokens(old), _column_tokens(new)
        columns = _axis(before, after)
        if columns is not None:
            found[name], others[name] = SheetMoves(columns=columns), SheetMoves(columns=_earliest(columns, before, after))
    return [Moves(moves) for moves in ([found] if found == others else [found, others]) if moves]


Token = frozenset[Hashable]


def _row_tokens(sheet: Sheet) -> dict[int, Token]:
    out: dict[int, Token] = {}
    for number, row in sheet.rows.items():
        token = frozenset((column, content) for column, cell in row.cells.items() if (content := _content(sheet, number, column, _DIGITS)) is not None)
        if token:
            out[number] = token
    return out


def _column_tokens(sheet: Sheet) -> dict[int, Token]:
    columns: dict[int, set[Hashable]] = {}
    for number, row in sheet.rows.items():
        for column in row.cells:
            content = _content(sheet, number, column, _LETTERS)
            if content is not None:
                columns.setdefault(column, set()).add((number, content))
    return {column: frozenset(token) for column, token in columns.items()}


def _content(sheet: Sheet, row: int, column: int, moving: re.Pattern[str]) -> Hashable:
    """What a cell holds, but for what moves with the cells: the numbers (or letters) of references."""
    cell = sheet.rows[row].cells[column]
    if cell.formula is not None:
        text = sheet.formula_text(row, column, cell.formula)
        return ("=", moving.sub("", text or ""))
    return None if cell.kind == Kind.BLANK else (cell.kind, cell.value)


def _axis(before: Mapping[int, Token], after: Mapping[int, Token]) -> Axis | None:
    """The moves of rows (columns) whose content is given; None where everything stayed in its place."""
    left, right = sorted(before), sorted(after)
    if not left or not right:
        return None

    def similarity(i: int, j: int) -> float:
        one, two = before[left[i]], after[right[j]]
        return 2 * len(one & two) / (len(one) + len(two))

    kinds = ["row"]
    matched = align(
        [before[index] for index in left],
        [after[index] for index in right],
        similarity=similarity,
        left_kinds=kinds * len(left),
        right_kinds=kinds * len(right),
    )
    matched = [(i, j) for i, j in matched if similarity(i, j) >= 0.3]
    matched = [matched[at] for at in longest_increasing([j for _, j in matched])]
    places = [(left[i], right[j]) for i, j in matched]
    if left[-1] == right[-1]:
        places.append((left[-1] + 1, right[-1] + 1))
    axis = _segments(places, before, after)
    return None if axis.still and len(axis.offsets) == 1 else axis


def _exchanged(old: int, new: int, before: Mapping[int, Token], after: Mapping[int, Token], there: frozenset[Token], here: frozenset[Token]) -> bool:
    """Whether two rows in the same place have nothing in common, and each stands elsewhere on the other side."""
    one, two = before.get(old), after.get(new)
    return one is not None and two is not None and one != two and one in there and two in here and not one & two


def _segments(places: Sequence[tuple[int, int]], before: Mapping[int, Token], after: Mapping[int, Token]) -> Axis:
    starts: list[int] = [0]
    offsets: list[int] = [0]
    removed: set[int] = set()
    added: set[int] = set()

    def move(old: int, offset: int) -> None:
        if offsets[-1] != offset:
            starts.append(old)
            offsets.append(offset)

    there, here = frozenset(after.values()), frozenset(before.values())
    previous = (0, 0)
    for old, new in places:
        gap_old = list(range(previous[0] + 1, old))
        gap_new = list(range(previous[1] + 1, new))
        i = j = 0
        while i < len(gap_old) or j < len(gap_new):
            surplus = (len(gap_new) - j) - (len(gap_old) - i)
            if surplus == 0 and i < len(gap_old) and _exchanged(gap_old[i], gap_new[j], before, after, there, here):
                removed.add(gap_old[i])
                added.add(gap_new[j])
                i, j = i + 1, j + 1
            elif i < len(gap_old) and j < len(gap_new) and (surplus == 0 or (gap_old[i] in before) == (gap_new[j] in after)):
                move(gap_old[i], gap_new[j] - gap_old[i])
                i, j = i + 1, j + 1
            elif surplus > 0 or i >= len(gap_old):
                added.add(gap_new[j])
                j += 1
            else:
                removed.add(gap_old[i])
                i += 1
        move(old, new - old)
        previous = (old, new)
    moved: dict[int, int] = {}
    waiting = {after[index]: index for index in sorted(added, reverse=True) if index in after}
    for index in sorted(removed):
        place = waiting.pop(before[index], None) if index in before else None
        if place is not None:
            moved[index] = place
    return Axis(tuple(starts), tuple(offsets), frozenset(removed - moved.keys()), frozenset(added - set(moved.values())), moved)


def _earliest(axis: Axis, before: Mapping[int, Token], after: Mapping[int, Token]) -> Axis:
    """The same moves where, of rows equal to their neighbours, the first ones came or went."""
    starts, added, removed = list(axis.starts), set(axis.added), set(axis.removed)
    for at in range(1, len(starts)):
        offset, previous = axis.offsets[at], axis.offsets[at - 1]
        count = abs(offset - previous)
        tokens, lines, shift = (after, added, previous) if offset > previous else (before, removed, -count)
        while True:
            # The line before those that came (went), and the last of them, as numbers of the side on which they are.
            first, last = starts[at] - 1 + shift, starts[at] - 1 + shift + count
            token = tokens.get(last)
            if token is None or tokens.get(first) != token or first in lines or last not in lines or starts[at] - 1 <= starts[at - 1]:
                break
            lines.remove(last)
            lines.add(first)
            starts[at] -= 1
    return Axis(tuple(starts), axis.offsets, frozenset(removed), frozenset(added), axis.moved)
