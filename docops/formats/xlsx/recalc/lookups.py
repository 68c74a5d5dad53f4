"""Searches, written another way for IronCalc 0.9.1.

Where the nearest smaller value is wanted, the engine takes empty cells for values, so that a search in a whole column ends in its
last row; XMATCH passes over them. Where cells are not sorted, what such a search finds is nobody's intention, and left open.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from docops.formats.xlsx.recalc.pieces import PREFIX, Node, shape_of
from docops.formats.xlsx.references import Area, sheet_prefix, tokenise

if TYPE_CHECKING:
    from docops.formats.xlsx.recalc.arrays import Parser

#: A number (text) that is meant to be greater than all others: the last number (text) is looked for.
_LARGE = 1e9
_LAST_TEXT = re.compile(r'"[zZ]{2,}"|REPT\("[zZ]",[0-9]+\)')
_NEAREST = ("1", "TRUE", "TRUE()")


def _position(parser: Parser, sought: str, area: str) -> str:
    """Where the last value stands that is not greater than the one sought, in sorted cells of one row or column."""
    test = "ISTEXT" if _LAST_TEXT.fullmatch(sought) else "ISNUMBER" if _is_large(sought) else ""
    if not test:
        parser.sorted[area] = None
        return f"XMATCH({sought},{area},-1,-1)"
    parser.names += 1
    one, last = f"{PREFIX}{parser.names}_", f"{PREFIX}{parser.names}v_"
    line = "ROW" if (shape_of(area) or (1, 1))[1] == 1 else "COLUMN"
    places = f"MAP({area},LAMBDA({one},IF({test}({one}),1,0)))*({line}({area})-MIN({line}({area}))+1)"
    return f"LET({last},MAX({places}),IF({last}=0,NA(),{last}))"


def _is_large(text: str) -> bool:
    tokens = tokenise(text)
    try:
        return len(tokens) == 1 and float(tokens[0].text) >= _LARGE
    except ValueError:
        return False


def _line(text: str, *, column: bool, last: bool = False) -> str:
    """The first (last) column or row of a range."""
    reference = tokenise(text)[0].reference
    assert reference is not None  # noqa: S101 - only asked about plain ranges
    area = reference.area
    if column:
        at = area.last_column if last else area.first_column
        line = Area(area.first_row, at, area.last_row, at)
    else:
        at = area.last_row if last else area.first_row
        line = Area(at, area.first_column, at, area.last_column)
    return sheet_prefix(reference.sheet, reference.last_sheet, reference.book) + str(line)


def match(parser: Parser, arguments: Sequence[Node]) -> Node | None:
    """MATCH for the nearest smaller value."""
    if len(arguments) not in (2, 3) or (len(arguments) == 3 and arguments[2].text not in _NEAREST) or arguments[0].array or not arguments[1].area:
        return None
    shape = shape_of(arguments[1].text)
    return Node(_position(parser, arguments[0].text, arguments[1].text)) if shape is not None and 1 in shape else None


def vlookup(parser: Parser, arguments: Sequence[Node]) -> Node | None:
    """VLOOKUP for the nearest smaller value."""
    table = _table(arguments)
    if table is None:
        return None
    return Node(f"INDEX({table},{_position(parser, arguments[0].text, _line(table, column=True))},{arguments[2].text})")


def hlookup(parser: Parser, arguments: Sequence[Node]) -> Node | None:
    """HLOOKUP for the nearest smaller value."""
    table = _table(arguments)
    if table is None:
        return None
    return Node(f"INDEX({table},{arguments[2].text},{_position(parser, arguments[0].text, _line(table, column=False))})")


def _table(arguments: Sequence[Node]) -> str | None:
    nearest = len(arguments) == 3 or (len(arguments) == 4 and arguments[3].text in _NEAREST)
    if not nearest or arguments[0].array or arguments[2].array or not arguments[1].area or shape_of(arguments[1].text) is None:
        return None
    return arguments[1].text


def lookup(parser: Parser, arguments: Sequence[Node]) -> Node | None:
    """LOOKUP; `LOOKUP(2,1/(condition),range)` gives the last one that meets a condition, the engine stops at the first."""
    if len(arguments) > 1 and arguments[1].array and not arguments[1].area:
        return _last_that_meets(parser, arguments)
    shape = shape_of(arguments[1].text) if len(arguments) in (2, 3) and not arguments[0].array else None
    if shape is None:
        return None
    if 1 in shape:
        result = arguments[2].text if len(arguments) == 3 else arguments[1].text
        return Node(f"INDEX({result},{_position(parser, arguments[0].text, arguments[1].text)})")
    if len(arguments) == 3:
        return None
    upright = shape[0] >= shape[1]
    text = arguments[1].text
    place = _position(parser, arguments[0].text, _line(text, column=upright))
    return Node(f"INDEX({_line(text, column=upright, last=True)},{place})")


def _last_that_meets(parser: Parser, arguments: Sequence[Node]) -> Node | None:
    if arguments[0].text != "2" or not arguments[1].text.startswith("1/") or len(arguments) != 3 or not arguments[2].area:
        parser.doubts["LOOKUP in an array"] = None
        return None
    parser.names += 1
    name = f"{PREFIX}{parser.names}_"
    found = f"MAP({arguments[1].text},LAMBDA({name},IF(ISNUMBER({name}),1,0)))"
    result = arguments[2].text
    last = f"MAX({found}*(ROW({result})-MIN(ROW({result}))+1)*(COLUMN({result})-MIN(COLUMN({result}))+1))"
    parser.names += 1
    at = f"{PREFIX}{parser.names}_"
    return Node(f"LET({at},{last},IF({at}=0,NA(),INDEX({result},{at})))")


def xlookup(parser: Parser, arguments: Sequence[Node]) -> Node | None:
    """A whole row (or column) of the result range, which the engine cannot give, or a search in computed arrays."""
    if len(arguments) < 3:
        return None
    if not (arguments[1].area and arguments[2].area):
        return _found_in_array(parser, arguments)
    if arguments[0].array:
        return None
    lookup, result = shape_of(arguments[1].text), shape_of(arguments[2].text)
    if lookup is None or result is None or lookup == result:
        return None
    if len(arguments) > 3 and arguments[3].text:
        parser.doubts["XLOOKUP of whole rows"] = None
        return None
    match = ",".join(
        [arguments[0].text, arguments[1].text, *(argument.text or "0" for argument in arguments[4:5]), *(a.text for a in arguments[5:6])]
    )
    position = f"XMATCH({match})"
    index = f"{position},0" if lookup[1] == 1 else f"0,{position}"
    return Node(f"INDEX({arguments[2].text},{index})", True)


def _found_in_array(parser: Parser, arguments: Sequence[Node]) -> Node | None:
    """XLOOKUP where the place in an array decides, which XMATCH knows of computed arrays as well."""
    if not any(argument.array and not argument.area for argument in arguments[1:3]):
        return None
    result = arguments[2]
    shape = shape_of(result.text)
    if shape is not None and 1 not in shape:
        parser.doubts["XLOOKUP of whole rows"] = None
        return None
    parser.names += 1
    place, wanted = f"{PREFIX}{parser.names}_", f"{PREFIX}{parser.names}v_"
    sought = wanted if arguments[0].array else arguments[0].text
    match = ",".join([sought, arguments[1].text, *(argument.text or "0" for argument in arguments[4:5]), *(a.text for a in arguments[5:6])])
    missing = arguments[3].text if len(arguments) > 3 and arguments[3].text else place
    found = f"LET({place},XMATCH({match}),IF(ISNA({place}),{missing},INDEX({result.text},{place})))"
    return Node(f"MAP({arguments[0].text},LAMBDA({wanted},{found}))", True) if arguments[0].array else Node(found)
