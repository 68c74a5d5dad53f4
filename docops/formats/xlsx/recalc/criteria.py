"""Criteria that the deciding engine gets wrong: `<>x` leaves out numbers and empty cells there, which differ from x as well.

A count (sum, average) under `<>x` is the one without that criterion, less the one under `=x`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

#: Criteria of that kind in one call; each doubles the calls that take its place.
MAX_NEGATIVE = 4
#: Meets every number and nothing else.
_NUMBERS = '">=-9E307"'

Pair = tuple[str, str]


def is_negative(criterion: str) -> bool:
    """Whether a criterion, as the formula spells it, asks for what differs from something."""
    return criterion.startswith('"<>') and criterion != '"<>"'


def without_negatives(name: str, arguments: Sequence[str]) -> str | None:
    """The call of a conditional count, sum or average with no negative criterion; None where there is none or no such form."""
    summed, pairs = _parts(name, arguments)
    negative = [pair for pair in pairs if is_negative(pair[1])]
    if not negative or len(negative) > MAX_NEGATIVE or not all(text for pair in pairs for text in pair):
        return None
    positive = [pair for pair in pairs if not is_negative(pair[1])]
    opposite = [(area, f'"={criterion[3:]}') for area, criterion in negative]
    if name in ("COUNTIF", "COUNTIFS"):
        return _terms("COUNTIFS", "", positive, opposite, pairs[0][0])
    if summed is None:
        return None
    total = _terms("SUMIFS", summed, [*positive, (summed, _NUMBERS)], opposite, "")
    if name in ("SUMIF", "SUMIFS"):
        return total
    count = _terms("COUNTIFS", "", [*positive, (summed, _NUMBERS)], opposite, "")
    return f"({total}/{count})"


def _parts(name: str, arguments: Sequence[str]) -> tuple[str | None, list[Pair]]:
    """The range that is summed, and the pairs of range and criterion."""
    if name in ("COUNTIF", "COUNTIFS"):
        return None, list(zip(arguments[::2], arguments[1::2]))
    if name in ("SUMIF", "AVERAGEIF"):
        if len(arguments) not in (2, 3):
            return None, []
        return (arguments[2] if len(arguments) == 3 else arguments[0]), [(arguments[0], arguments[1])]
    if name in ("SUMIFS", "AVERAGEIFS") and arguments:
        return arguments[0], list(zip(arguments[1::2], arguments[2::2]))
    return None, []


def _terms(name: str, summed: str, positive: Sequence[Pair], opposite: Sequence[Pair], everything: str) -> str:
    out = []
    for size in range(len(opposite) + 1):
        for chosen in combinations(opposite, size):
            pairs = [*positive, *chosen]
            inner = ",".join([*([summed] if summed else []), *(text for pair in pairs for text in pair)])
            call = f"{name}({inner})" if pairs else f"ROWS({everything})*COLUMNS({everything})"
            out.append(f"{'-' if size % 2 else '+'}{call}")
    return f"({''.join(out).removeprefix('+')})"
