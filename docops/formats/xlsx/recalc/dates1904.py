"""Formulas of workbooks that count days from 1904, written for an engine that counts them from 1900."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from docops.formats.xlsx.numberformats import is_date_code
from docops.formats.xlsx.references import Token, TokenKind, tokenise

#: Days between the two beginnings.
DAYS = 1462
#: Functions → positions of their arguments that are dates, whether they give one, and how many arguments they may have here.
_DATED: Mapping[str, tuple[tuple[int, ...], bool, int]] = {
    **dict.fromkeys(("YEAR", "MONTH", "DAY", "WEEKDAY", "WEEKNUM", "ISOWEEKNUM"), ((0,), False, 2)),
    **dict.fromkeys(("DATE", "DATEVALUE"), ((), True, 3)),
    **dict.fromkeys(("EDATE", "EOMONTH", "WORKDAY"), ((0,), True, 2)),
    "WORKDAY.INTL": ((0,), True, 3),
    **dict.fromkeys(("DATEDIF", "DAYS360", "YEARFRAC"), ((0, 1), False, 3)),
    "NETWORKDAYS": ((0, 1), False, 2),
    "NETWORKDAYS.INTL": ((0, 1), False, 3),
    # Only how far dates lie apart matters to these.
    **dict.fromkeys(("DAYS", "XNPV", "XIRR"), ((), False, 3)),
}


class NotShifted(Exception):
    """It is not known how the formula reads dates; the message says why."""


def from_1904(formula: str) -> str:
    """The formula with the dates that functions read and give moved to the other calendar; raises NotShifted."""
    return _written(tokenise(formula))


def _written(tokens: Sequence[Token]) -> str:
    out: list[str] = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        if token.kind is TokenKind.FUNCTION and (token.text in _DATED or token.text == "TEXT"):
            end, arguments = _arguments(tokens, at + 1)
            out.append(_call(token.text, arguments))
            at = end
        else:
            out.append(token.text)
            at += 1
    return "".join(out)


def _arguments(tokens: Sequence[Token], start: int) -> tuple[int, list[Sequence[Token]]]:
    """Where a call ends that opens at a bracket, and its arguments."""
    depth, first = 0, start + 1
    out: list[Sequence[Token]] = []
    for at in range(start, len(tokens)):
        depth += {TokenKind.OPEN: 1, TokenKind.CLOSE: -1}.get(tokens[at].kind, 0)
        if depth == 0 or (depth == 1 and tokens[at].text == ","):
            out.append(tokens[first:at])
            first = at + 1
        if depth == 0:
            return at + 1, out
    raise NotShifted("a bracket is not closed")


def _call(name: str, arguments: Sequence[Sequence[Token]]) -> str:
    dates: tuple[int, ...]
    if name == "TEXT":
        code = arguments[1][0].text[1:-1].replace('""', '"') if len(arguments) == 2 and len(arguments[1]) == 1 else None
        if code is None or arguments[1][0].kind is not TokenKind.STRING:
            raise NotShifted("TEXT with a computed format in a workbook that counts dates from 1904")
        dates, gives, most = ((0,) if is_date_code(code) else ()), False, 2
    else:
        dates, gives, most = _DATED[name]
    if len(arguments) > most or any(len(arguments[place]) == 1 and arguments[place][0].kind is TokenKind.STRING for place in dates if place < len(arguments)):
        raise NotShifted(f"{name} in this form in a workbook that counts dates from 1904")
    texts = [f"({_written(argument)}+{DAYS})" if place in dates else _written(argument) for place, argument in enumerate(arguments)]
    call = f"{name}({','.join(texts)})"
    return f"({call}-{DAYS})" if gives else call
