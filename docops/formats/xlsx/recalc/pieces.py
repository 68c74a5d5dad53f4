"""Pieces of formulas that are being rewritten for the engine."""

from __future__ import annotations

from dataclasses import dataclass

from docops.formats.xlsx.references import tokenise

#: Beginning of the names that rewritten formulas use.
PREFIX = "docops_"


@dataclass(frozen=True, slots=True)
class Node:
    """A piece of a formula: its text (rewritten), and whether it is an array.

    area: a plain reference to cells.   parts: those that a union (`(A1:A3,C1)`) holds.
    """

    text: str
    array: bool = False
    area: bool = False
    parts: tuple[str, ...] = ()


class Unreadable(Exception):
    """The formula has a shape that is not understood; it is left as it is."""


def shape_of(text: str) -> tuple[int, int] | None:
    """Rows and columns of a plain range, None for anything else."""
    tokens = tokenise(text)
    reference = tokens[0].reference if len(tokens) == 1 else None
    if reference is None:
        return None
    area = reference.area
    return area.last_row - area.first_row + 1, area.last_column - area.first_column + 1
