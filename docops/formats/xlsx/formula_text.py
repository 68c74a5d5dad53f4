"""Formulas as text: one spelling for all that say the same, the areas they name, translation to where cells went.

What formulas are made of is read in `references.py`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from docops.formats.xlsx.references import (
    FUNCTION_PREFIX,
    MAX_COLUMN,
    MAX_ROW,
    SHEET_NAME,
    Area,
    Corner,
    Reference,
    Token,
    TokenKind,
    column_number,
    function_name,
    parse_cell,
    sheet_prefix,
    split_prefix,
    tokenise,
)

#: Maps a row or column number to its new number, or None where it no longer exists.
IndexMap = Callable[[int], int | None]

#: Strings and quoted names, in which nothing is a call, or a constant spelled as a call.
_BOOLEAN_CALL = re.compile(r"(\"(?:[^\"]|\"\")*\"|'(?:[^']|'')*'|\b(?:TRUE|FALSE)(?=\(\)))(?:\(\))?")
_ENDS_OPERAND = frozenset({TokenKind.REFERENCE, TokenKind.STRUCTURED, TokenKind.NAME, TokenKind.CLOSE, TokenKind.ERROR})
_STARTS_OPERAND = frozenset({TokenKind.REFERENCE, TokenKind.STRUCTURED, TokenKind.NAME, TokenKind.FUNCTION, TokenKind.OPEN, TokenKind.ERROR})


@lru_cache(maxsize=50_000)
def canonical_formula(formula: str) -> str:
    """One spelling for all formulas that differ only in how they are written down.

    Space outside strings (where it is not the intersection operator), the case of functions and references, prefixes
    of newer functions, a leading `=`, needless quotes round sheet names, the case of names and the notation of numbers are not
    state. `$` is.
    """
    tokens = tokenise(formula)
    out: list[str] = []
    for index, token in enumerate(tokens):
        if token.kind is TokenKind.SPACE:
            if _is_intersection(tokens, index):
                out.append(" ")
        else:
            out.append(_canonical_token(token))
    # LibreOffice writes the constants as calls.
    return _BOOLEAN_CALL.sub(r"\1", text) if "E()" in (text := "".join(out)) else text


def _is_intersection(tokens: Sequence[Token], index: int) -> bool:
    before = tokens[index - 1] if index else None
    after = tokens[index + 1] if index + 1 < len(tokens) else None
    return (
        before is not None
        and after is not None
        and before.kind in _ENDS_OPERAND
        and after.kind in _STARTS_OPERAND
        and "{" not in (after.text, before.text)
    )


def _canonical_token(token: Token) -> str:
    if token.reference is not None:
        return str(token.reference)
    if token.structured is not None:
        inside = token.structured
        if inside.table is None:
            # Case matters to no program; where the table is named, all keep its columns' own.
            inside = replace(inside, first=inside.first and inside.first.casefold(), last=inside.last and inside.last.casefold())
        return str(inside)
    if token.kind is TokenKind.FUNCTION:
        return function_name(token.text)
    if token.kind is TokenKind.NUMBER:
        return _canonical_number(token.text)
    if token.kind in {TokenKind.BOOLEAN, TokenKind.ERROR}:
        return token.text if "!" in token.text[:-1] else token.text.upper()
    if token.kind is TokenKind.NAME:
        return _canonical_name(token.text)
    return token.text


def _canonical_number(text: str) -> str:
    value = float(text)
    if value == int(value) and abs(value) < 1e15 if value < float("inf") else False:
        return str(int(value))
    return repr(value).upper()


def _canonical_name(text: str) -> str:
    prefix, mark, name = text.rpartition("!")
    # Names are one whatever their case; programs that know what they name write them as they were defined.
    name = FUNCTION_PREFIX.sub("", name).upper()
    return sheet_prefix(*split_prefix(prefix + "!")) + name if mark else name


_ANY_AREA = re.compile(
    rf"(?P<prefix>{SHEET_NAME})?(?<![\w.$])(?:\$?(?P<c1>[A-Za-z]{{1,3}})\$?(?P<r1>[1-9][0-9]{{0,6}})(?::\$?(?P<c2>[A-Za-z]{{1,3}})\$?(?P<r2>[1-9][0-9]{{0,6}}))?"
    rf"|\$?(?P<a>[A-Za-z]{{1,3}}):\$?(?P<b>[A-Za-z]{{1,3}})|\$?(?P<x>[1-9][0-9]{{0,6}}):\$?(?P<y>[1-9][0-9]{{0,6}}))(?![\w.(\[!\\?])"
)


def find_areas(formula: str) -> Iterator[tuple[str | None, str | None, Area]]:
    """Sheet, last sheet and area of every reference in a formula without strings; blind to names."""
    for match in _ANY_AREA.finditer(formula):
        prefix, c1, r1, c2, r2, a, b, x, y = match.groups()
        if c1 is not None:
            row, column = int(r1), column_number(c1)
            other_row, other_column = (int(r2), column_number(c2)) if c2 is not None else (row, column)
        elif a is not None:
            row, column, other_row, other_column = 1, column_number(a), MAX_ROW, column_number(b)
        else:
            row, column, other_row, other_column = int(x), 1, int(y), MAX_COLUMN
        sheet, last_sheet = None, None
        if prefix is not None:
            sheet, last_sheet, book = split_prefix(prefix)
            if book is not None:
                continue
        yield sheet, last_sheet, Area(min(row, other_row), min(column, other_column), max(row, other_row), max(column, other_column))


def _map_references(formula: str, change: Callable[[Reference], Reference | None]) -> str:
    out: list[str] = []
    for token in tokenise(formula):
        if token.reference is None:
            out.append(token.text)
            continue
        changed = change(token.reference)
        if changed is token.reference:
            out.append(token.text)
        elif changed is None:
            out.append(f"{token.reference.prefix}#REF!")
        else:
            out.append(str(changed))
    return "".join(out)


def translate_shared(formula: str, from_cell: str, to_cell: str) -> str:
    """The formula as it reads in another cell when filled from the cell it was written for; `$` parts stay."""
    from_row, from_column = parse_cell(from_cell)
    to_row, to_column = parse_cell(to_cell)
    return translate(formula, to_row - from_row, to_column - from_column)


def translate(formula: str, rows: int, columns: int) -> str:
    """The formula moved by so many rows and columns; what leaves the sheet becomes `#REF!`."""

    def move(corner: Corner) -> Corner:
        row = corner.row if corner.row is None or corner.row_fixed else corner.row + rows
        column = corner.column if corner.column is None or corner.column_fixed else corner.column + columns
        return replace(corner, row=row, column=column)

    def change(reference: Reference) -> Reference | None:
        start, end = move(reference.start), move(reference.end) if reference.end is not None else None
        for corner in (start, end or start):
            if not 1 <= (corner.row if corner.row is not None else 1) <= MAX_ROW:
                return None
            if not 1 <= (corner.column if corner.column is not None else 1) <= MAX_COLUMN:
                return None
        return replace(reference, start=start, end=end)

    return _map_references(formula, change) if rows or columns else formula.lstrip().removeprefix("=")


def relative_form(formula: str, row: int, column: int) -> str:
    """The canonical formula in R1C1 notation seen from a cell: formulas filled down a column come out equal."""

    def axis(letter: str, value: int | None, fixed: bool, origin: int) -> str:
        if value is None:
            return ""
        return f"{letter}{value}" if fixed else letter if value == origin else f"{letter}[{value - origin}]"

    def corner(place: Corner) -> str:
        return axis("R", place.row, place.row_fixed, row) + axis("C", place.column, place.column_fixed, column)

    out: list[str] = []
    tokens = tokenise(formula)
    for index, token in enumerate(tokens):
        reference = token.reference
        if reference is not None:
            corners = corner(reference.start) + (f":{corner(reference.end)}" if reference.end is not None else "")
            out.append(f"{reference.prefix}{corners}{'#' if reference.spill else ''}")
        elif token.kind is TokenKind.SPACE:
            out.append(" " if _is_intersection(tokens, index) else "")
        else:
            out.append(_canonical_token(token))
    return "".join(out)


def shift(formula: str, sheet: str, row_map: IndexMap, col_map: IndexMap, own_sheet: str | None = None) -> str:
    """The formula after rows and columns of one sheet moved, as a spreadsheet program rewrites it.

    row_map, col_map: new number of each old row and column of `sheet`, None where it was deleted.
    own_sheet: the sheet that the formula stands on; references without a sheet point there.
    A range follows its corners and shrinks over deleted ones; what is wholly deleted becomes `#REF!`.
    """
    wanted = sheet.casefold()

    def change(reference: Reference) -> Reference | None:
        if reference.book is not None or reference.last_sheet is not None:
            return reference
        if (reference.sheet if reference.sheet is not None else own_sheet or "").casefold() != wanted:
            return reference
        end = reference.end if reference.end is not None else reference.start
        single = reference.end is None
        rows = _shift_span(reference.start.row, end.row, row_map, single=single)
        columns = _shift_span(reference.start.column, end.column, col_map, single=single)
        if rows is None or columns is None:
            return None
        start = replace(reference.start, row=rows[0], column=columns[0])
        if reference.end is None:
            return replace(reference, start=start)
        return replace(reference, start=start, end=replace(reference.end, row=rows[1], column=columns[1]))

    return _map_references(formula, change)


def _shift_span(first: int | None, last: int | None, index_map: IndexMap, *, single: bool) -> tuple[int | None, int | None] | None:
    if first is None or last is None:
        return first, last
    swapped = first > last
    span = moved_span(*((last, first) if swapped else (first, last)), index_map, single=single)
    return span if span is None or not swapped else (span[1], span[0])


#: Longest range of which every row is followed where rows changed places.
_FOLLOWED = 2_000


def moved_span(first: int, last: int, index_map: IndexMap, *, single: bool = False) -> tuple[int, int] | None:
    """Where a range of rows or columns went, None where all of it is gone; one that was only sorted stays.

    single: the range is one cell, and takes in none of its new neighbours.
    """
    if getattr(index_map, "moved", None) and last - first <= _FOLLOWED:
        found = {new for old in range(first, last + 1) if (new := index_map(old)) is not None}
        if found and max(found) - min(found) + 1 == len(found):
            return min(found), max(found)
    low = next((new for old in range(first, last + 1) if (new := index_map(old)) is not None), None)
    if low is None:
        return None
    high = next(new for old in range(last, first - 1, -1) if (new := index_map(old)) is not None)
    if not single and getattr(index_map, "extends", False):
        added: frozenset[int] = getattr(index_map, "added", frozenset())
        while low - 1 in added:
            low -= 1
        while high + 1 in added:
            high += 1
    return low, high
