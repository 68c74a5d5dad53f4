"""What a formula reads, slowly and completely: an oracle for the quick ways of the product."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from docops.formats.xlsx.references import Corner, Reference, StructuredReference, TokenKind, function_name, tokenise


@dataclass(frozen=True, slots=True)
class Precedents:
    """What a formula reads, as written: names and tables are not resolved.

    ranges: references to cells, `A1:Sheet!B2` joined.  names: defined names (`Sheet1!Rate` with its sheet).
    tables: structured references.  functions: names of functions in capitals, each once, in order.
    external: something in another workbook is read.  unknown: pieces that are no formula syntax.
    """

    ranges: tuple[Reference, ...] = ()
    names: tuple[str, ...] = ()
    tables: tuple[StructuredReference, ...] = ()
    functions: tuple[str, ...] = ()
    external: bool = False
    unknown: tuple[str, ...] = ()


@lru_cache(maxsize=20_000)
def precedents(formula: str) -> Precedents:
    """What a formula reads. Parameters of LET and LAMBDA count as names, because only evaluation tells them apart."""
    ranges: list[Reference] = []
    names: list[str] = []
    tables: list[StructuredReference] = []
    functions: list[str] = []
    unknown: list[str] = []
    external = False
    tokens = [token for token in tokenise(formula) if token.kind is not TokenKind.SPACE]
    for index, token in enumerate(tokens):
        reference = token.reference
        if reference is not None:
            external = external or reference.book is not None
            previous = tokens[index - 2].reference if index > 1 and tokens[index - 1].text == ":" else None
            if previous is not None:
                ranges.append(_join(previous, reference))
            ranges.append(reference)
        elif token.structured is not None:
            tables.append(token.structured)
        elif token.kind is TokenKind.NAME:
            external = external or "[" in token.text
            names.append(token.text)
        elif token.kind is TokenKind.FUNCTION:
            functions.append(function_name(token.text))
        elif token.kind is TokenKind.UNKNOWN:
            unknown.append(token.text)
    return Precedents(
        tuple(dict.fromkeys(ranges)),
        tuple(dict.fromkeys(names)),
        tuple(dict.fromkeys(tables)),
        tuple(dict.fromkeys(functions)),
        external,
        tuple(unknown),
    )


def _join(first: Reference, second: Reference) -> Reference:
    """`A1:Sheet!B2`: the rectangle that both span, on the first one's sheet."""
    one, other = first.area, second.area
    start = Corner(min(one.first_row, other.first_row), min(one.first_column, other.first_column))
    end = Corner(max(one.last_row, other.last_row), max(one.last_column, other.last_column))
    return Reference(first.sheet if first.sheet is not None else second.sheet, first.last_sheet, first.book, start, end)
