"""Ranges with a corner that a function gives (`A2:INDEX(A:A,n)`), written with OFFSET, which the engine can calculate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from docops.formats.xlsx.recalc.functions import names_of
from docops.formats.xlsx.recalc.pieces import Node, Unreadable
from docops.formats.xlsx.references import MAX_COLUMN, MAX_ROW, Area, Reference, Token, TokenKind, sheet_prefix, tokenise

#: Functions that give a reference which can be told from their arguments.
GIVES_CORNER = names_of("INDEX OFFSET XLOOKUP")


@dataclass(frozen=True, slots=True)
class Corner:
    """What stands on one side of the colon: its sheet and, as formulas, its first and last row and column."""

    sheet: str | None
    rows: tuple[str, str]
    columns: tuple[str, str]


def starts_range(tokens: Sequence[Token], at: int) -> bool:
    """Whether the operand that starts at a token is followed by a colon."""
    token = tokens[at]
    end = at + 1
    if token.kind is TokenKind.FUNCTION and token.text in GIVES_CORNER:
        depth = 0
        while end < len(tokens):
            depth += {TokenKind.OPEN: 1, TokenKind.CLOSE: -1}.get(tokens[end].kind, 0)
            end += 1
            if depth == 0:
                break
    elif token.reference is None:
        return False
    return end < len(tokens) and tokens[end].text == ":"


def corner_of_reference(reference: Reference) -> Corner:
    """A plain reference as a corner."""
    if reference.spill or reference.book is not None or reference.last_sheet is not None:
        raise Unreadable
    area = reference.area
    return Corner(reference.sheet, (str(area.first_row), str(area.last_row)), (str(area.first_column), str(area.last_column)))


def corner_of_call(name: str, arguments: Sequence[Node]) -> Corner:
    """What a function gives, as a corner; raises Unreadable where only calculation tells."""
    if name == "XLOOKUP":
        if len(arguments) < 3 or any(argument.array for argument in arguments[:1]):
            raise Unreadable
        sheet, area = _plain(arguments[2])
        _, looked_in = _plain(arguments[1])
        match = [arguments[0].text, arguments[1].text, *(argument.text or "0" for argument in arguments[4:5]), *(a.text for a in arguments[5:6])]
        position = f"XMATCH({','.join(match)})"
        upright = looked_in.first_column == looked_in.last_column
        return Corner(sheet, *_inside(area, position if upright else "0", "0" if upright else position))
    sheet, area = _plain(arguments[0] if arguments else Node(""))
    texts = [argument.text or "0" for argument in arguments[1:]]
    if any(argument.array for argument in arguments[1:]) or not texts:
        raise Unreadable
    if name == "OFFSET" and len(texts) in (2, 3, 4):
        height = texts[2] if len(texts) > 2 and texts[2] != "0" else str(area.last_row - area.first_row + 1)
        width = texts[3] if len(texts) > 3 and texts[3] != "0" else str(area.last_column - area.first_column + 1)
        row, column = _sum(str(area.first_row), texts[0]), _sum(str(area.first_column), texts[1])
        return Corner(sheet, (row, _sum(row, _sum(height, "-1"))), (column, _sum(column, _sum(width, "-1"))))
    if name != "INDEX" or len(texts) > 2:
        raise Unreadable
    row, column = texts[0], texts[1] if len(texts) > 1 else "0"
    if len(texts) == 1 and area.first_row == area.last_row:
        row, column = "0", row
    return Corner(sheet, *_inside(area, row, column))


def range_between(one: Corner, other: Corner) -> Node:
    """The smallest range that holds both corners."""
    if one.sheet != other.sheet and other.sheet is not None:
        raise Unreadable
    first_row, last_row = _least(one.rows[0], other.rows[0]), _most(one.rows[1], other.rows[1])
    first_column, last_column = _least(one.columns[0], other.columns[0]), _most(one.columns[1], other.columns[1])
    size = f"{_sum(_difference(last_row, first_row), '1')},{_sum(_difference(last_column, first_column), '1')}"
    place = f"{_sum(first_row, '-1')},{_sum(first_column, '-1')}"
    return Node(f"OFFSET({sheet_prefix(one.sheet)}A1,{place},{size})", True, area=True)


def _plain(node: Node) -> tuple[str | None, Area]:
    tokens = tokenise(node.text)
    reference = tokens[0].reference if len(tokens) == 1 else None
    if reference is None or reference.spill:
        raise Unreadable
    return reference.sheet, reference.area


def _inside(area: Area, row: str, column: str) -> tuple[tuple[str, str], tuple[str, str]]:
    return _line(area.first_row, area.last_row, row, MAX_ROW), _line(area.first_column, area.last_column, column, MAX_COLUMN)


def _line(first: int, last: int, position: str, most: int) -> tuple[str, str]:
    """The first and last line that a position in an area names; 0 names all of them."""
    if position == "0":
        return (str(first), str(first)) if first == last else (str(first), str(last))
    size = last - first + 1
    if position.isdigit():
        if int(position) > size:
            raise Unreadable
        return str(first + int(position) - 1), str(first + int(position) - 1)
    inside = f"({position})" if size == most else f"IF(({position})>{size},#REF!,({position}))"
    line = _sum(str(first - 1), inside)
    return line, line


def _sum(one: str, other: str) -> str:
    if _is_whole(one) and _is_whole(other):
        return str(int(one) + int(other))
    return f"({one}+({other}))" if one != "0" else other


def _difference(one: str, other: str) -> str:
    return str(int(one) - int(other)) if _is_whole(one) and _is_whole(other) else f"({one}-({other}))"


def _is_whole(text: str) -> bool:
    return text.removeprefix("-").isdigit()


def _least(one: str, other: str) -> str:
    return one if one == other else str(min(int(one), int(other))) if one.isdigit() and other.isdigit() else f"MIN({one},{other})"


def _most(one: str, other: str) -> str:
    return one if one == other else str(max(int(one), int(other))) if one.isdigit() and other.isdigit() else f"MAX({one},{other})"
