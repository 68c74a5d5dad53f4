"""Functions that are written another way for IronCalc 0.9.1, because it does not know them or gets them wrong as they stand."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from docops.formats.xlsx.recalc.criteria import is_negative, without_negatives
from docops.formats.xlsx.recalc.functions import names_of
from docops.formats.xlsx.recalc.lookups import hlookup, lookup, match, vlookup, xlookup
from docops.formats.xlsx.recalc.pieces import PREFIX, Node, Unreadable, shape_of
from docops.formats.xlsx.references import tokenise

if TYPE_CHECKING:
    from docops.formats.xlsx.recalc.arrays import Parser

#: Functions that are not lifted, with the positions of the arguments over which they should be.
LIFT: dict[str, tuple[int, ...]] = {
    **dict.fromkeys(names_of("ROUND ROUNDUP ROUNDDOWN TRUNC MOD QUOTIENT CEILING FLOOR MROUND CEILING.MATH FLOOR.MATH SEARCH FIND DATEDIF"), (0, 1)),
    **dict.fromkeys(names_of("VALUE CODE HOUR MINUTE SECOND ISNUMBER ISTEXT ISERROR ISERR ISNA ISBLANK ISLOGICAL ISNONTEXT ISEVEN ISODD"), (0,)),
    **dict.fromkeys(names_of("MATCH XMATCH RANK RANK.EQ RANK.AVG VLOOKUP HLOOKUP XLOOKUP"), (0,)),
    **dict.fromkeys(names_of("LARGE SMALL COUNTIF SUMIF AVERAGEIF PERCENTILE PERCENTILE.INC QUARTILE QUARTILE.INC"), (1,)),
    **dict.fromkeys(names_of("DAYS EOMONTH EDATE WORKDAY"), (0, 1)),
    "COUNTIFS": tuple(range(1, 40, 2)),
    **dict.fromkeys(names_of("SUMIFS AVERAGEIFS MAXIFS MINIFS"), tuple(range(2, 40, 2))),
}

_ROW = re.compile(r"\{-?[0-9]+(?:,-?[0-9]+)*\}")
_NUMBERS = re.compile(r"\{-?[0-9.]+(?:[,;]-?[0-9.]+)*\}")
_SIMPLE_NUMBER = re.compile(r'(?:[#,0 ()$€£+-]|"[^"]*"|\\.)*?(?:\.(?P<decimals>0+))?(?P<percent>%?)(?:[ ()$€£]|"[^"]*"|_.)*')
#: Colours, and the mark of English, which show nothing.
_NO_CONTENT = re.compile(r"\[(?:black|blue|cyan|green|magenta|red|white|yellow|color ?[0-9]{1,2}|\$-(?:0?409|0?809|en-[a-z]{2}))\]", re.IGNORECASE)
_ELAPSED = re.compile(r"\[h+\]:mm(?::ss)?|\[m+\]:ss|\[h+\]|\[m+\]|\[s+\]", re.IGNORECASE)
#: Commas that divide by a thousand each.
_SCALE = re.compile(r"(?<=[0#]),+(?![0#,])")
_DATE = re.compile(r"(?:[dmyhs]+|AM/PM|[-/., :]|\"[^\"]*\")+", re.IGNORECASE)



def _is_number(parser: Parser, node: Node) -> str:
    parser.names += 1
    name = f"{PREFIX}{parser.names}_"
    return f"SUM(--MAP({node.text},LAMBDA({name},ISNUMBER({name}))))"


def _count(parser: Parser, arguments: Sequence[Node]) -> Node | None:
    if len(arguments) == 1 and arguments[0].array and not arguments[0].area:
        return Node(_is_number(parser, arguments[0]))
    return None


def _count_all(parser: Parser, arguments: Sequence[Node]) -> Node | None:
    """All elements of a computed array count, empty cells of the range that it came from included; an error is one thing."""
    if len(arguments) != 1 or not arguments[0].array or arguments[0].area:
        return None
    if arguments[0].text.casefold() in parser.lines:
        parser.doubts["COUNTA of a line of cells"] = None
        return None
    return Node(f"IFERROR(ROWS({arguments[0].text})*COLUMNS({arguments[0].text}),1)")


def _average(parser: Parser, arguments: Sequence[Node]) -> Node | None:
    if len(arguments) == 1 and arguments[0].array and not arguments[0].area:
        return Node(f"(SUM({arguments[0].text})/{_is_number(parser, arguments[0])})")
    return None


def _median(parser: Parser, arguments: Sequence[Node]) -> Node | None:
    if len(arguments) == 1 and arguments[0].array and not arguments[0].area:
        return Node(f"PERCENTILE.INC({arguments[0].text},0.5)")
    return None


def _product(parser: Parser, arguments: Sequence[Node]) -> Node | None:
    """The engine multiplies no computed arrays; what is no number counts for nothing, and no number at all gives 0."""
    if len(arguments) != 1 or not arguments[0].array or arguments[0].area:
        return None
    text = arguments[0].text
    parser.names += 1
    so_far, value = f"{PREFIX}{parser.names}_", f"{PREFIX}{parser.names}v_"
    product = f"REDUCE(1,TOCOL({text}),LAMBDA({so_far},{value},IF(ISNUMBER({value}),{so_far}*{value},IF(ISERROR({value}),{value},{so_far}))))"
    return Node(f"IF({_is_number(parser, arguments[0])}=0,0,{product})")


def _value(parser: Parser, arguments: Sequence[Node]) -> Node | None:
    """Times of day are no numbers to the engine's VALUE, but they are in sums."""
    if len(arguments) != 1 or arguments[0].array:
        return None
    parser.names += 1
    name = f"{PREFIX}{parser.names}_"
    return Node(f"LET({name},{arguments[0].text},IF(ISERROR(VALUE({name})),IF(ISTEXT({name}),{name}+0,VALUE({name})),VALUE({name})))")


#: Longer calls are left as they are, lest nested ones grow beyond measure.
_MOST = 2_000


def _all_seen(name: str) -> Callable[[Parser, Sequence[Node]], Node | None]:
    def seen(parser: Parser, arguments: Sequence[Node]) -> Node | None:
        """An error in any argument is the result; the engine stops at the first argument that decides. XOR looks at all."""
        texts = ",".join(argument.text for argument in arguments)
        if len(texts) > _MOST or (len(arguments) < 2 and not any(argument.array for argument in arguments)):
            return None
        parser.names += 1
        error = f"{PREFIX}{parser.names}_"
        return Node(f"LET({error},XOR({texts}),IF(ISERROR({error}),{error},{name}({texts})))")

    return seen


def _rate(parser: Parser, arguments: Sequence[Node]) -> Node | None:
    """A guess only helps to find the rate, and the engine takes none."""
    if len(arguments) != 6 or any(argument.array for argument in arguments):
        return None
    return Node(f"RATE({','.join(argument.text or '0' for argument in arguments[:5])})")


def _textjoin(parser: Parser, arguments: Sequence[Node]) -> Node | None:
    if len(arguments) == 3 and arguments[2].array and not arguments[2].area:
        if arguments[1].text.upper() not in ("TRUE", "1", "TRUE()") or arguments[0].array:
            parser.doubts["TEXTJOIN of an array"] = None
            return None
        return _joined(parser, arguments[2], arguments[0].text or '""')
    return None


def _concat(parser: Parser, arguments: Sequence[Node]) -> Node | None:
    if len(arguments) == 1 and arguments[0].array and not arguments[0].area:
        return _joined(parser, arguments[0], '""')
    return None


def _joined(parser: Parser, node: Node, delimiter: str) -> Node:
    parser.names += 1
    so_far, value = f"{PREFIX}{parser.names}_", f"{PREFIX}{parser.names}v_"
    step = f'IF({value}="",{so_far},IF({so_far}="",{value}&"",{so_far}&{delimiter}&{value}))'
    return Node(f'REDUCE("",TOCOL({node.text}),LAMBDA({so_far},{value},{step}))')


def _text(parser: Parser, arguments: Sequence[Node]) -> Node | None:
    """TEXT rounds halves up in Excel and shows whole seconds; the engine rounds to even, and shows 59.9 seconds as 60."""
    if len(arguments) != 2 or not arguments[1].text.startswith('"'):
        parser.doubts["TEXT with a computed format"] = None
        return None
    stated = arguments[1].text[1:-1].replace('""', '"')
    code = _NO_CONTENT.sub("", stated)
    shown = arguments[1].text if code == stated else '"' + code.replace('"', '""') + '"'
    if code in ("", "@", "General"):
        return None if code == stated else Node(f"TEXT({arguments[0].text},{shown})", arguments[0].array)
    if _DATE.fullmatch(code):
        rounded = "{name}"
    elif _ELAPSED.fullmatch(code):
        # A thousandth of a second more, lest 2 hours come out as 1:59.
        rounded = f"((ROUND({{name}}*86400,{0 if code.lower().endswith('s') else 3})+0.001)/86400)"
    else:
        sections = [(_SCALE.search(section), _SIMPLE_NUMBER.fullmatch(_SCALE.sub("", section))) for section in code.split(";")]
        digits = {
            len(match.group("decimals") or "") + (2 if match.group("percent") else 0) - (3 * len(scale.group()) if scale is not None else 0)
            for scale, match in sections
            if match is not None
        }
        if any(match is None for _, match in sections) or len(digits) != 1 or not re.search("[0#]", code) or len(sections) > 3:
            parser.doubts[f"TEXT with the format {stated}"] = None
            return None
        rounded = f"ROUND({{name}},{digits.pop()})"
    if arguments[0].array:
        return None if code == stated else Node(f"TEXT({arguments[0].text},{shown})", True)
    parser.names += 1
    name, stored = f"{PREFIX}{parser.names}_", f"{PREFIX}{parser.names}v_"
    # Text that reads as a number or date is taken for one.
    number = f"IF(ISTEXT({stored}),IFERROR({stored}+0,{stored}),{stored})"
    value = rounded.format(name=name)
    return Node(f"LET({stored},{arguments[0].text},{name},{number},TEXT(IF(ISNUMBER({name}),{value},{name}),{shown}))")


def _npv(parser: Parser, arguments: Sequence[Node]) -> Node | None:
    """Payments in braces, which the engine takes for none."""
    if any(argument.array and not argument.area and not _NUMBERS.fullmatch(argument.text) for argument in arguments):
        return None
    texts = [argument.text[1:-1].replace(";", ",") if _NUMBERS.fullmatch(argument.text) else argument.text for argument in arguments]
    return Node(f"NPV({','.join(texts)})")


def _sort(parser: Parser, arguments: Sequence[Node]) -> Node | None:
    """The engine takes no empty arguments here, and one column to sort by."""
    if len(arguments) in (2, 3) and _ROW.fullmatch(arguments[1].text):
        columns = arguments[1].text[1:-1].split(",")
        orders = arguments[2].text[1:-1].split(",") if len(arguments) > 2 and _ROW.fullmatch(arguments[2].text) else ["1"] * len(columns)
        if len(orders) != len(columns) or (len(arguments) > 2 and not _ROW.fullmatch(arguments[2].text)):
            return None
        keys = ",".join(f"CHOOSECOLS({arguments[0].text},{column}),{order}" for column, order in zip(columns, orders))
        return Node(f"SORTBY({arguments[0].text},{keys})", True)
    if any(argument.text == "" for argument in arguments[1:]):
        defaults = ("", "1", "1", "FALSE")
        texts = [argument.text or defaults[place] for place, argument in enumerate(arguments[:4])]
        return Node(f"SORT({','.join(texts)})", True)
    return None


def _take(parser: Parser, arguments: Sequence[Node]) -> Node | None:
    """The engine takes no empty arguments here."""
    if len(arguments) == 3 and arguments[1].text == "":
        array = arguments[0].text
        return Node(f"TAKE({array},ROWS({array}),{arguments[2].text})", True)
    return None


def _index(parser: Parser, arguments: Sequence[Node]) -> Node | None:
    """Several places of an array, which the engine gives one by one only."""
    places = [place for place, argument in enumerate(arguments) if place and argument.array]
    return parser.lifted("INDEX", arguments, places) if len(places) == 1 and len(arguments) < 4 else None


def _percent_of(parser: Parser, arguments: Sequence[Node]) -> Node | None:
    """A sum in a sum."""
    return Node(f"(SUM({arguments[0].text})/SUM({arguments[1].text}))") if len(arguments) == 2 else None


_AGGREGATE_NAMES = {
    **dict(
        enumerate(("AVERAGE", "COUNT", "COUNTA", "MAX", "MIN", "PRODUCT", "STDEV.S", "STDEV.P", "SUM", "VAR.S", "VAR.P", "MEDIAN", "MODE.SNGL"), 1)
    ),
    **dict(enumerate(("LARGE", "SMALL", "PERCENTILE.INC", "QUARTILE.INC", "PERCENTILE.EXC", "QUARTILE.EXC"), 14)),
}


def _aggregate(parser: Parser, arguments: Sequence[Node]) -> Node | None:
    """AGGREGATE, which the engine does not know, as the function that it stands for; hidden rows were taken out before."""
    parts = [argument.text for argument in arguments]
    name = _AGGREGATE_NAMES.get(int(parts[0]) if parts and parts[0].isdigit() else 0)
    if name is None or len(parts) < 3 or not parts[1].isdigit() or int(parts[1]) > 7:
        raise Unreadable
    values = list(arguments[2:])
    ranked = name in ("LARGE", "SMALL", "PERCENTILE.INC", "QUARTILE.INC", "PERCENTILE.EXC", "QUARTILE.EXC")
    if ranked and len(values) != 2:
        raise Unreadable
    if int(parts[1]) in (2, 3, 6, 7):
        values = [_as_range(value) for value in values]
        if not values[0].array or name in ("COUNTA", "PRODUCT") or (len(values) > 1 and not ranked and name not in ("SUM", "MIN", "MAX")):
            raise Unreadable
        for place in range(1 if ranked else len(values)):
            parser.names += 1
            one = f"{PREFIX}{parser.names}_"
            # Errors become text, which aggregates of arrays pass over, and so do empty cells.
            values[place] = Node(f'MAP({values[place].text},LAMBDA({one},IF(ISERROR({one}),"",IF(ISBLANK({one}),"",{one}))))', True)
    if ranked and values[1].array:
        return parser.lifted(name, values, [1])
    special = SPECIAL.get(name)
    return (special(parser, values) if special is not None and not ranked else None) or Node(f"{name}({','.join(value.text for value in values)})")


def _as_range(node: Node) -> Node:
    """A single cell as a range of one."""
    reference = tokenise(node.text)[0].reference if node.text else None
    if not node.area or node.array or reference is None:
        return node
    return Node(f"{node.text}:{node.text.rpartition('!')[2]}", True, area=True)


def _date(parser: Parser, arguments: Sequence[Node]) -> Node | None:
    """Serial numbers before 1900-03-01 are one too large in the engine, which knows no 29 February 1900."""
    if arguments and arguments[0].text in ("1900", "0"):
        parser.doubts["dates of early 1900"] = None
    return None


def _choose(parser: Parser, arguments: Sequence[Node]) -> Node | None:
    """`CHOOSE({1,2},one,other)`, columns side by side."""
    if not arguments or not arguments[0].array:
        return None
    chosen = [int(text) for text in arguments[0].text[1:-1].split(",")] if _ROW.fullmatch(arguments[0].text) else []
    shapes = {shape_of(arguments[number].text) for number in chosen if 0 < number < len(arguments)}
    if not chosen or not all(0 < number < len(arguments) for number in chosen) or len(shapes) != 1 or None in shapes or max(s[1] for s in shapes if s) > 1:
        parser.doubts["CHOOSE by an array"] = None
        return None
    return Node(f"HSTACK({','.join(arguments[number].text for number in chosen)})", True)


def _n(parser: Parser, arguments: Sequence[Node]) -> Node | None:
    """The numbers of an array, element by element."""
    return parser.lifted("N", arguments, [0]) if len(arguments) == 1 and arguments[0].array and not arguments[0].area else None


def _criteria(name: str) -> Callable[[Parser, Sequence[Node]], Node | None]:
    def rewritten(parser: Parser, arguments: Sequence[Node]) -> Node | None:
        if not any(is_negative(argument.text) for argument in arguments):
            return None
        text = None
        criteria = {argument for place, argument in enumerate(arguments) if place in LIFT[name]}
        shapes = {shape_of(argument.text) for argument in arguments if argument.area and argument not in criteria}
        if len(shapes) == 1 and None not in shapes and not any(argument.array for argument in criteria):
            text = without_negatives(name, [argument.text for argument in arguments])
        if text is None:
            parser.doubts[f"{name} of what differs from something"] = None
            return None
        return Node(text)

    return rewritten


def _doubted(what: str) -> Callable[[Parser, Sequence[Node]], Node | None]:
    def doubt(parser: Parser, arguments: Sequence[Node]) -> Node | None:
        parser.doubts[what] = None
        return None

    return doubt


SPECIAL: dict[str, Callable[[Parser, Sequence[Node]], Node | None]] = {
    "COUNT": _count,
    "COUNTA": _count_all,
    "AVERAGE": _average,
    "MEDIAN": _median,
    "PRODUCT": _product,
    "VALUE": _value,
    "RATE": _rate,
    "AND": _all_seen("AND"),
    "OR": _all_seen("OR"),
    "NPV": _npv,
    "TEXTJOIN": _textjoin,
    "CONCAT": _concat,
    "LOOKUP": lookup,
    "MATCH": match,
    "VLOOKUP": vlookup,
    "HLOOKUP": hlookup,
    "TEXT": _text,
    "SORT": _sort,
    "TAKE": _take,
    "XLOOKUP": xlookup,
    "INDEX": _index,
    "PERCENTOF": _percent_of,
    "AGGREGATE": _aggregate,
    "CHOOSE": _choose,
    "N": _n,
    "DATE": _date,
    **{name: _criteria(name) for name in ("COUNTIF", "COUNTIFS", "SUMIF", "SUMIFS", "AVERAGEIF", "AVERAGEIFS", "MAXIFS", "MINIFS")},
    "DATEVALUE": _doubted("DATEVALUE"),
    "SECOND": _doubted("SECOND"),
}
