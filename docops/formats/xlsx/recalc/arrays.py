"""Formulas over arrays, rewritten for IronCalc 0.9.1, which lifts only some functions over arrays and miscounts others.

`SUM(COUNTIF(range,{"a","b"}))` is 2 in Excel and 0 there; with `MAP({"a","b"},LAMBDA(p,COUNTIF(range,p)))` it is 2 in both.
What is rewritten, and what is only doubted, was measured (tests/formats/xlsx/golden.py).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from docops.formats.xlsx.recalc.criteria import is_negative, without_negatives
from docops.formats.xlsx.recalc.functions import names_of
from docops.formats.xlsx.references import Token, TokenKind, tokenise

#: Functions that are not lifted, with the positions of the arguments over which they should be.
_LIFT: dict[str, tuple[int, ...]] = {
    **dict.fromkeys(names_of("ROUND ROUNDUP ROUNDDOWN TRUNC MOD QUOTIENT CEILING FLOOR MROUND CEILING.MATH FLOOR.MATH SEARCH FIND DATEDIF"), (0, 1)),
    **dict.fromkeys(names_of("VALUE CODE HOUR MINUTE SECOND ISNUMBER ISTEXT ISERROR ISERR ISNA ISBLANK ISLOGICAL ISNONTEXT ISEVEN ISODD"), (0,)),
    **dict.fromkeys(names_of("MATCH XMATCH RANK RANK.EQ RANK.AVG VLOOKUP HLOOKUP XLOOKUP"), (0,)),
    **dict.fromkeys(names_of("LARGE SMALL COUNTIF SUMIF AVERAGEIF PERCENTILE PERCENTILE.INC QUARTILE QUARTILE.INC"), (1,)),
    **dict.fromkeys(names_of("DAYS EOMONTH EDATE WORKDAY"), (0, 1)),
    "COUNTIFS": tuple(range(1, 40, 2)),
    **dict.fromkeys(names_of("SUMIFS AVERAGEIFS MAXIFS MINIFS"), tuple(range(2, 40, 2))),
}
#: Functions that give one value whatever they are given.
_AGGREGATES = names_of(
    """
    SUM SUMPRODUCT COUNT COUNTA COUNTBLANK AVERAGE AVERAGEA MIN MAX MINA MAXA MEDIAN MODE MODE.SNGL PRODUCT SUMSQ STDEV STDEV.S STDEV.P STDEVP
    VAR VAR.S VAR.P VARP GEOMEAN HARMEAN AVEDEV DEVSQ SKEW KURT ROWS COLUMNS AND OR XOR CONCAT TEXTJOIN NPV IRR MIRR XNPV XIRR CORREL COVAR
    COVARIANCE.P COVARIANCE.S SLOPE INTERCEPT RSQ PEARSON STEYX FORECAST FORECAST.LINEAR SUBTOTAL AGGREGATE TRIMMEAN PERCENTRANK PERCENTRANK.INC
    SUMXMY2 SUMX2MY2 SUMX2PY2 SERIESSUM MDETERM LOOKUP REDUCE ARRAYTOTEXT
    """
)
#: Functions that give arrays.
_ARRAYS = names_of(
    """
    FILTER SORT SORTBY UNIQUE SEQUENCE TRANSPOSE MMULT MINVERSE MUNIT FREQUENCY MAP BYROW BYCOL SCAN MAKEARRAY TAKE DROP EXPAND HSTACK VSTACK
    TOCOL TOROW CHOOSECOLS CHOOSEROWS WRAPROWS WRAPCOLS TEXTSPLIT LINEST TREND GROWTH MODE.MULT RANDARRAY
    """
)
#: Aggregates that are right about computed arrays (measured); others are doubted when they meet one.
_RIGHT = names_of(
    """
    SUM SUMPRODUCT COUNTA MIN MAX SUMSQ STDEV STDEV.S STDEV.P VAR VAR.S ROWS COLUMNS AND OR REDUCE MODE MODE.SNGL IRR CORREL SLOPE INTERCEPT RSQ
    FORECAST FORECAST.LINEAR MDETERM TRIMMEAN
    """
)

#: Functions inside which formulas always calculated with arrays, and those that take ranges as they are.
_NATIVE = names_of("SUMPRODUCT LOOKUP MDETERM LET LAMBDA")
_TAKES_RANGES = names_of(
    """
    IFERROR IFNA SUMIF SUMIFS COUNTIF COUNTIFS AVERAGEIF AVERAGEIFS MAXIFS MINIFS CELL ISREF AREAS PROB NETWORKDAYS NETWORKDAYS.INTL WORKDAY
    WORKDAY.INTL PERCENTILE.EXC QUARTILE.EXC RANK T.TEST Z.TEST F.TEST CHISQ.TEST DSUM DCOUNT DCOUNTA DAVERAGE DMAX DMIN DGET DPRODUCT
    """
)

_PREFIX = "docops_"
_SIMPLE_NUMBER = re.compile(r'(?:[#,0 ()$€£+-]|"[^"]*"|\\.)*?(?:\.(?P<decimals>0+))?(?P<percent>%?)(?:[ ()$€£]|"[^"]*"|_.)*')
_DATE = re.compile(r"(?:[dmyhs]+|AM/PM|[-/., :]|\"[^\"]*\")+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Node:
    """A piece of a formula: its text (rewritten), and whether it is an array."""

    text: str
    array: bool = False
    area: bool = False  # a plain reference to cells


class _Unreadable(Exception):
    """The formula has a shape that is not understood; it is left as it is."""


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A formula for the engine, and what in it the engine is not known to be right about.

    ambiguous: ranges stand where one value is asked for. A program that knows dynamic arrays calculates with all of them,
    an older one (or a formula that the file does not mark as an array) with the cell in its own row or column.
    single: for a formula that would come out as an array, the same with these cells alone; else "".
    """

    text: str
    doubts: tuple[str, ...] = ()
    ambiguous: bool = False
    single: str = ""


@lru_cache(maxsize=20_000)
def rewrite(text: str) -> Rewritten:
    """A formula in plain references as this engine has to read it to get Excel's result."""
    tokens = [token for token in tokenise(text) if token.kind is not TokenKind.SPACE]
    if _is_plain(tokens):
        return Rewritten(text)
    parser = _Parser(tokens)
    try:
        node = parser.formula()
    except _Unreadable:
        return Rewritten(text, ("a range to what INDEX gives",) if ":INDEX(" in text else ())
    single = ""
    if node.array and parser.ambiguous | node.area and not any(token.text in _ARRAYS or token.text in _REFERENCES for token in tokens):
        parser_of_one = _Parser(tokens, implicit=True)
        one = parser_of_one.single(parser_of_one.formula())
        single = "" if one.array else one.text
    return Rewritten(node.text, tuple(parser.doubts), parser.ambiguous, single)


#: Functions that take ranges of numbers as they are, and those of single values that the engine is right about.
_PLAIN_OF_RANGES = names_of("SUM AVERAGE MIN MAX COUNT COUNTA COUNTBLANK MEDIAN PRODUCT STDEV STDEV.S STDEV.P VAR VAR.S VAR.P SUBTOTAL AND OR")
_PLAIN_OF_VALUES = names_of(
    "IF IFERROR IFNA ROUND ROUNDUP ROUNDDOWN ABS INT NOT MOD LEFT RIGHT MID LEN UPPER LOWER TRIM YEAR MONTH DAY ISBLANK ISNUMBER"
)


def _is_plain(tokens: Sequence[Token]) -> bool:
    """Whether a formula holds no arrays but ranges given straight to aggregates, and no function that needs a second look."""
    stack: list[str] = []
    name = ""
    for index, token in enumerate(tokens):
        if token.kind is TokenKind.FUNCTION:
            name = token.text
            if name not in _PLAIN_OF_RANGES and name not in _PLAIN_OF_VALUES:
                return False
        elif token.text == "(":
            stack.append(name)
            name = ""
        elif token.text == ")":
            if stack:
                stack.pop()
        elif token.text == "{":
            return False
        elif token.reference is not None and (token.reference.end is not None or token.reference.spill):
            following = tokens[index + 1].kind if index + 1 < len(tokens) else None
            if not stack or stack[-1] not in _PLAIN_OF_RANGES or tokens[index - 1].kind is TokenKind.OPERATOR or following is TokenKind.OPERATOR:
                return False
    return True


class _Parser:
    """Reads tokens by precedence, as Excel does, and writes them rewritten."""

    def __init__(self, tokens: Sequence[Token], *, implicit: bool = False) -> None:
        self.tokens = tokens
        self.implicit = implicit
        self.at = 0
        self.doubts: dict[str, None] = {}
        self.names = 0
        self.arrays: set[str] = set()
        self.ambiguous = False
        self.inside_arrays = 0

    def formula(self) -> _Node:
        node = self._expression(0)
        if self.at != len(self.tokens):
            raise _Unreadable
        return node

    def _peek(self) -> Token | None:
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def _take(self, text: str | None = None) -> Token:
        token = self._peek()
        if token is None or (text is not None and token.text != text):
            raise _Unreadable
        self.at += 1
        return token

    _BINARY = {**dict.fromkeys(("=", "<>", "<", ">", "<=", ">="), 1), "&": 2, "+": 3, "-": 3, "*": 4, "/": 4, "^": 5}  # noqa: RUF012

    def _expression(self, least: int) -> _Node:
        left = self._prefix()
        while (token := self._peek()) is not None and token.kind is TokenKind.OPERATOR:
            if token.text == "%":
                self.at += 1
                left = _Node(f"{left.text}%", left.array)
                continue
            strength = self._BINARY.get(token.text)
            if strength is None:
                raise _Unreadable
            if strength <= least:
                break
            self.at += 1
            right = self._expression(strength)
            self._one_value(left, right)
            left, right = self.single(left), self.single(right)
            left = _Node(f"{left.text}{token.text}{right.text}", left.array or right.array)
        return left

    def _prefix(self) -> _Node:
        token = self._peek()
        if token is not None and token.kind is TokenKind.OPERATOR and token.text in "+-@":
            self.at += 1
            inner = self._prefix()
            return _Node(token.text + inner.text, inner.array and token.text != "@")
        return self._operand()

    def _operand(self) -> _Node:
        token = self._take()
        if token.kind is TokenKind.FUNCTION:
            return self._applied(self._call(token.text))
        if token.text == "(":
            inner = self._expression(0)
            self._take(")")
            return self._applied(_Node(f"({inner.text})", inner.array))
        if token.text == "{":
            parts = ["{"]
            while parts[-1] != "}":
                parts.append(self._take().text)
            return _Node("".join(parts), True)
        if token.reference is not None:
            if (following := self._peek()) is not None and following.text == ":":
                return self._to_index(token)
            return _Node(token.text, not token.reference.area.is_cell or token.reference.spill, area=True)
        if token.kind is TokenKind.NAME:
            return _Node(token.text, token.text.casefold() in self.arrays)
        if token.kind in {TokenKind.NUMBER, TokenKind.STRING, TokenKind.BOOLEAN, TokenKind.ERROR}:
            return _Node(token.text)
        raise _Unreadable

    def _to_index(self, token: Token) -> _Node:
        """`A2:INDEX(A2:A99,n)`, a range down to the n-th cell of the same column."""
        self._take(":")
        self._take("INDEX")
        self._take("(")
        area = self._take().reference
        start = token.reference
        if area is None or start is None or not start.area.is_cell or (area.sheet or start.sheet) != start.sheet:
            raise _Unreadable
        first, cells = start.area, area.area
        if cells.first_column != cells.last_column or cells.first_column != first.first_column:
            raise _Unreadable
        self._take(",")
        position = self._expression(0)
        self._take(")")
        if position.array or not position.text:
            raise _Unreadable
        return _Node(f"OFFSET({token.text},0,0,({position.text})+{cells.first_row - first.first_row},1)", True, area=True)

    def _applied(self, node: _Node) -> _Node:
        """`LAMBDA(x,x+1)(2)`."""
        while (token := self._peek()) is not None and token.text == "(":
            self.at += 1
            arguments = self._arguments()
            node = _Node(f"{node.text}({','.join(argument.text for argument in arguments)})", any(argument.array for argument in arguments))
        return node

    def _arguments(self) -> list[_Node]:
        out: list[_Node] = []
        if (token := self._peek()) is not None and token.text == ")":
            self.at += 1
            return out
        while True:
            token = self._peek()
            out.append(_Node("") if token is not None and token.text in (",", ")") else self._expression(0))
            if self._take().text == ")":
                return out
            if self.tokens[self.at - 1].text != ",":
                raise _Unreadable

    def _call(self, name: str) -> _Node:
        self._take("(")
        native = name in _ARRAYS or name in _NATIVE
        self.inside_arrays += native
        arguments = self._let() if name == "LET" else self._arguments()
        self.inside_arrays -= native
        places: Sequence[int] = ()
        if name in _LIFT:
            places = [place for place in _LIFT[name] if place < len(arguments)]
        elif name not in _AGGREGATES and name not in _REFERENCES and name not in _TAKES_RANGES and not native:
            places = range(len(arguments))
        self._one_value(*(arguments[place] for place in places))
        for place in places:
            arguments[place] = self.single(arguments[place])
        special = _SPECIAL.get(name)
        if special is not None:
            node = special(self, arguments)
            if node is not None:
                return node
        plain = f"{name}({','.join(argument.text for argument in arguments)})"
        lifted = [place for place in _LIFT.get(name, ()) if place < len(arguments) and arguments[place].array]
        if lifted:
            return self.lifted(name, arguments, lifted)
        if name in _ARRAYS:
            return _Node(plain, True)
        if name in _AGGREGATES:
            if name not in _RIGHT and any(argument.array and not argument.area for argument in arguments):
                self.doubts[f"{name} of an array"] = None
            return _Node(plain)
        if name in _LIFT or name in _REFERENCES:
            return _Node(plain, name in _REFERENCES and self._gives_array(name, arguments))
        return _Node(plain, any(argument.array for argument in arguments))

    def single(self, node: _Node) -> _Node:
        """In a formula of single values: the cell of a range that stands in the formula's own row or column."""
        if self.implicit and not self.inside_arrays and node.area and node.array:
            return _Node(f"@{node.text}")
        return node

    def _one_value(self, *nodes: _Node) -> None:
        """Note that these stand where one value is asked for."""
        if not self.inside_arrays and any(node.area and node.array for node in nodes):
            self.ambiguous = True

    def _gives_array(self, name: str, arguments: Sequence[_Node]) -> bool:
        if name == "INDEX":
            return any(argument.array or argument.text in ("", "0") for argument in arguments[1:])
        return name in ("OFFSET", "INDIRECT", "ROW", "COLUMN") and (name in ("OFFSET", "INDIRECT") or any(argument.array for argument in arguments))

    def _let(self) -> list[_Node]:
        """Arguments of LET: a name is an array where its value is one."""
        out: list[_Node] = []
        while True:
            token = self._peek()
            following = self.tokens[self.at + 1].text if self.at + 1 < len(self.tokens) else ""
            if token is not None and token.kind is TokenKind.NAME and following == "," and len(out) % 2 == 0:
                self.at += 1
                out.append(_Node(token.text))
            else:
                value = self._expression(0)
                if len(out) % 2 == 1 and value.array:
                    self.arrays.add(out[-1].text.casefold())
                out.append(value)
            if self._take().text == ")":
                return out

    def lifted(self, name: str, arguments: Sequence[_Node], places: Sequence[int]) -> _Node:
        """A call of a function for each element of the arguments at some places."""
        parameters = {}
        for place in places:
            self.names += 1
            parameters[place] = f"{_PREFIX}{self.names}_"
        inner = ",".join(parameters.get(place, argument.text) for place, argument in enumerate(arguments))
        arrays = ",".join(arguments[place].text for place in places)
        return _Node(f"MAP({arrays},LAMBDA({','.join(parameters.values())},{name}({inner})))", True)


#: Functions that give references, so that what they give is an array only for certain arguments.
_REFERENCES = names_of("INDEX OFFSET INDIRECT ROW COLUMN CHOOSE")


def _is_number(parser: _Parser, node: _Node) -> str:
    parser.names += 1
    name = f"{_PREFIX}{parser.names}_"
    return f"SUM(--MAP({node.text},LAMBDA({name},ISNUMBER({name}))))"


def _count(parser: _Parser, arguments: Sequence[_Node]) -> _Node | None:
    if len(arguments) == 1 and arguments[0].array and not arguments[0].area:
        return _Node(_is_number(parser, arguments[0]))
    return None


def _average(parser: _Parser, arguments: Sequence[_Node]) -> _Node | None:
    if len(arguments) == 1 and arguments[0].array and not arguments[0].area:
        return _Node(f"(SUM({arguments[0].text})/{_is_number(parser, arguments[0])})")
    return None


def _median(parser: _Parser, arguments: Sequence[_Node]) -> _Node | None:
    if len(arguments) == 1 and arguments[0].array and not arguments[0].area:
        return _Node(f"PERCENTILE.INC({arguments[0].text},0.5)")
    return None


def _textjoin(parser: _Parser, arguments: Sequence[_Node]) -> _Node | None:
    if len(arguments) == 3 and arguments[2].array and not arguments[2].area:
        if arguments[1].text.upper() not in ("TRUE", "1", "TRUE()") or arguments[0].array:
            parser.doubts["TEXTJOIN of an array"] = None
            return None
        return _joined(parser, arguments[2], arguments[0].text or '""')
    return None


def _concat(parser: _Parser, arguments: Sequence[_Node]) -> _Node | None:
    if len(arguments) == 1 and arguments[0].array and not arguments[0].area:
        return _joined(parser, arguments[0], '""')
    return None


def _joined(parser: _Parser, node: _Node, delimiter: str) -> _Node:
    parser.names += 1
    so_far, value = f"{_PREFIX}{parser.names}_", f"{_PREFIX}{parser.names}v_"
    step = f'IF({value}="",{so_far},IF({so_far}="",{value}&"",{so_far}&{delimiter}&{value}))'
    return _Node(f'REDUCE("",TOCOL({node.text}),LAMBDA({so_far},{value},{step}))')


def _lookup(parser: _Parser, arguments: Sequence[_Node]) -> _Node | None:
    """`LOOKUP(2,1/(condition),range)`, the last one that meets a condition; the engine stops at the first."""
    if len(arguments) > 1 and arguments[1].array and not arguments[1].area:
        if arguments[0].text != "2" or not arguments[1].text.startswith("1/") or len(arguments) != 3 or not arguments[2].area:
            parser.doubts["LOOKUP in an array"] = None
            return None
        parser.names += 1
        name = f"{_PREFIX}{parser.names}_"
        found = f"MAP({arguments[1].text},LAMBDA({name},IF(ISNUMBER({name}),1,0)))"
        result = arguments[2].text
        last = f"MAX({found}*(ROW({result})-MIN(ROW({result}))+1)*(COLUMN({result})-MIN(COLUMN({result}))+1))"
        parser.names += 1
        at = f"{_PREFIX}{parser.names}_"
        return _Node(f"LET({at},{last},IF({at}=0,NA(),INDEX({result},{at})))")
    return None


def _text(parser: _Parser, arguments: Sequence[_Node]) -> _Node | None:
    """TEXT rounds halves up in Excel; the engine rounds them to even."""
    if len(arguments) != 2 or not arguments[1].text.startswith('"'):
        parser.doubts["TEXT with a computed format"] = None
        return None
    code = arguments[1].text[1:-1].replace('""', '"')
    if code in ("", "@", "General") or _DATE.fullmatch(code):
        return None
    sections = [_SIMPLE_NUMBER.fullmatch(section) for section in code.split(";")]
    decimals = {len(match.group("decimals") or "") + (2 if match.group("percent") else 0) for match in sections if match is not None}
    if None in sections or len(decimals) != 1 or "0" not in code.replace("#", "0") or len(sections) > 3 or re.search(r"[#0],+(?![#0])", code):
        parser.doubts[f"TEXT with the format {code}"] = None
        return None
    if arguments[0].array:
        return None
    parser.names += 1
    name = f"{_PREFIX}{parser.names}_"
    return _Node(f"LET({name},{arguments[0].text},TEXT(IF(ISNUMBER({name}),ROUND({name},{decimals.pop()}),{name}),{arguments[1].text}))")


def _sort(parser: _Parser, arguments: Sequence[_Node]) -> _Node | None:
    """The engine takes no empty arguments here."""
    if any(argument.text == "" for argument in arguments[1:]):
        defaults = ("", "1", "1", "FALSE")
        texts = [argument.text or defaults[place] for place, argument in enumerate(arguments[:4])]
        return _Node(f"SORT({','.join(texts)})", True)
    return None


def _take(parser: _Parser, arguments: Sequence[_Node]) -> _Node | None:
    """The engine takes no empty arguments here."""
    if len(arguments) == 3 and arguments[1].text == "":
        array = arguments[0].text
        return _Node(f"TAKE({array},ROWS({array}),{arguments[2].text})", True)
    return None


def _xlookup(parser: _Parser, arguments: Sequence[_Node]) -> _Node | None:
    """A whole row (or column) of the result range, which the engine cannot give; only the plain case is rewritten."""
    if len(arguments) < 3 or arguments[0].array or not (arguments[1].area and arguments[2].area):
        return None
    lookup, result = _shape(arguments[1].text), _shape(arguments[2].text)
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
    return _Node(f"INDEX({arguments[2].text},{index})", True)


def _shape(text: str) -> tuple[int, int] | None:
    tokens = tokenise(text)
    reference = tokens[0].reference if len(tokens) == 1 else None
    if reference is None:
        return None
    area = reference.area
    return area.last_row - area.first_row + 1, area.last_column - area.first_column + 1


_AGGREGATE_NAMES = {
    **dict(
        enumerate(("AVERAGE", "COUNT", "COUNTA", "MAX", "MIN", "PRODUCT", "STDEV.S", "STDEV.P", "SUM", "VAR.S", "VAR.P", "MEDIAN", "MODE.SNGL"), 1)
    ),
    **dict(enumerate(("LARGE", "SMALL", "PERCENTILE.INC", "QUARTILE.INC", "PERCENTILE.EXC", "QUARTILE.EXC"), 14)),
}


def _aggregate(parser: _Parser, arguments: Sequence[_Node]) -> _Node | None:
    """AGGREGATE, which the engine does not know, as the function that it stands for; hidden rows are ruled out before."""
    parts = [argument.text for argument in arguments]
    name = _AGGREGATE_NAMES.get(int(parts[0]) if parts and parts[0].isdigit() else 0)
    if name is None or len(parts) < 3 or not parts[1].isdigit() or int(parts[1]) > 7:
        raise _Unreadable
    values = arguments[2]
    if int(parts[1]) in (2, 3, 6, 7):
        if not values.array or name in ("COUNTA", "PRODUCT"):
            raise _Unreadable
        parser.names += 1
        one = f"{_PREFIX}{parser.names}_"
        # Errors become text, which aggregates of arrays pass over, and so do empty cells.
        values = _Node(f'MAP({values.text},LAMBDA({one},IF(ISERROR({one}),"",IF(ISBLANK({one}),"",{one}))))', True)
    if len(parts) == 4 and name in ("LARGE", "SMALL", "PERCENTILE.INC", "QUARTILE.INC", "PERCENTILE.EXC", "QUARTILE.EXC"):
        return _Node(f"{name}({values.text},{parts[3]})") if not arguments[3].array else parser.lifted(name, [values, arguments[3]], [1])
    if len(parts) != 3:
        raise _Unreadable
    special = _SPECIAL.get(name)
    return (special(parser, [values]) if special is not None else None) or _Node(f"{name}({values.text})")


def _date(parser: _Parser, arguments: Sequence[_Node]) -> _Node | None:
    """Serial numbers before 1900-03-01 are one too large in the engine, which knows no 29 February 1900."""
    if arguments and arguments[0].text in ("1900", "0"):
        parser.doubts["dates of early 1900"] = None
    return None


def _choose(parser: _Parser, arguments: Sequence[_Node]) -> _Node | None:
    if arguments and arguments[0].array:
        parser.doubts["CHOOSE by an array"] = None
    return None


def _criteria(name: str) -> Callable[[_Parser, Sequence[_Node]], _Node | None]:
    def rewritten(parser: _Parser, arguments: Sequence[_Node]) -> _Node | None:
        if not any(is_negative(argument.text) for argument in arguments):
            return None
        text = None
        criteria = {argument for place, argument in enumerate(arguments) if place in _LIFT[name]}
        shapes = {_shape(argument.text) for argument in arguments if argument.area and argument not in criteria}
        if len(shapes) == 1 and None not in shapes and not any(argument.array for argument in criteria):
            text = without_negatives(name, [argument.text for argument in arguments])
        if text is None:
            parser.doubts[f"{name} of what differs from something"] = None
            return None
        return _Node(text)

    return rewritten


def _doubted(what: str) -> Callable[[_Parser, Sequence[_Node]], _Node | None]:
    def doubt(parser: _Parser, arguments: Sequence[_Node]) -> _Node | None:
        parser.doubts[what] = None
        return None

    return doubt


_SPECIAL: dict[str, Callable[[_Parser, Sequence[_Node]], _Node | None]] = {
    "COUNT": _count,
    "AVERAGE": _average,
    "MEDIAN": _median,
    "TEXTJOIN": _textjoin,
    "CONCAT": _concat,
    "LOOKUP": _lookup,
    "TEXT": _text,
    "SORT": _sort,
    "TAKE": _take,
    "XLOOKUP": _xlookup,
    "AGGREGATE": _aggregate,
    "CHOOSE": _choose,
    "DATE": _date,
    **{name: _criteria(name) for name in ("COUNTIF", "COUNTIFS", "SUMIF", "SUMIFS", "AVERAGEIF", "AVERAGEIFS", "MAXIFS", "MINIFS")},
    "BYROW": _doubted("BYROW"),
    "BYCOL": _doubted("BYCOL"),
    "DATEVALUE": _doubted("DATEVALUE"),
    "SECOND": _doubted("SECOND"),
}
