"""Formulas over arrays, rewritten for IronCalc 0.9.1, which lifts only some functions over arrays and miscounts others.

`SUM(COUNTIF(range,{"a","b"}))` is 2 in Excel and 0 there; with `MAP({"a","b"},LAMBDA(p,COUNTIF(range,p)))` it is 2 in both.
What is rewritten, and what is only doubted, was measured (tests/formats/xlsx/golden.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from docops.formats.xlsx.recalc.corners import Corner, corner_of_call, corner_of_reference, range_between, starts_range
from docops.formats.xlsx.recalc.functions import names_of
from docops.formats.xlsx.recalc.pieces import PREFIX, Node, Unreadable, shape_of
from docops.formats.xlsx.recalc.specials import LIFT, SPECIAL
from docops.formats.xlsx.references import Token, TokenKind, tokenise

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

#: Functions that give references, so that what they give is an array only for certain arguments.
_REFERENCES = names_of("INDEX OFFSET INDIRECT ROW COLUMN CHOOSE")
#: Functions inside which formulas always calculated with arrays, and those that take ranges as they are.
_NATIVE = names_of("SUMPRODUCT LOOKUP MDETERM LET LAMBDA")
_TAKES_RANGES = names_of(
    """
    IFERROR IFNA SUMIF SUMIFS COUNTIF COUNTIFS AVERAGEIF AVERAGEIFS MAXIFS MINIFS CELL ISREF AREAS PROB NETWORKDAYS NETWORKDAYS.INTL WORKDAY
    WORKDAY.INTL PERCENTILE.EXC QUARTILE.EXC RANK T.TEST Z.TEST F.TEST CHISQ.TEST DSUM DCOUNT DCOUNTA DAVERAGE DMAX DMIN DGET DPRODUCT
    """
)


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A formula for the engine, and what in it the engine is not known to be right about.

    ambiguous: ranges stand where one value is asked for. A program that knows dynamic arrays calculates with all of them,
    an older one (or a formula that the file does not mark as an array) with the cell in its own row or column.
    single: for a formula that would come out as an array, the same with these cells alone; else "".
    sorted: ranges that are searched as sorted ones.
    """

    text: str
    doubts: tuple[str, ...] = ()
    ambiguous: bool = False
    single: str = ""
    sorted: tuple[str, ...] = ()


@lru_cache(maxsize=20_000)
def rewrite(text: str) -> Rewritten:
    """A formula in plain references as this engine has to read it to get Excel's result."""
    tokens = [token for token in tokenise(text) if token.kind is not TokenKind.SPACE]
    if _is_plain(tokens):
        return Rewritten(text)
    parser = Parser(tokens)
    try:
        node = parser.formula()
    except Unreadable:
        return Rewritten(text, ("ranges whose corner a function gives",) if any(token.text == ":" for token in tokens) else ())
    single = ""
    if node.array and parser.ambiguous | node.area and not any(token.text in _ARRAYS or token.text in _REFERENCES for token in tokens):
        parser_of_one = Parser(tokens, implicit=True)
        one = parser_of_one.single(parser_of_one.formula())
        single = "" if one.array else one.text
    return Rewritten(node.text, tuple(parser.doubts), parser.ambiguous, single, tuple(parser.sorted))


#: Functions that take ranges of numbers as they are, and those of single values that the engine is right about.
_PLAIN_OF_RANGES = names_of("SUM AVERAGE MIN MAX COUNT COUNTA COUNTBLANK MEDIAN PRODUCT STDEV STDEV.S STDEV.P VAR VAR.S VAR.P SUBTOTAL")
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
        elif token.text in ("{", ":") or (token.text == "," and stack and not stack[-1]):
            return False
        elif token.reference is not None and (token.reference.end is not None or token.reference.spill):
            following = tokens[index + 1].kind if index + 1 < len(tokens) else None
            if not stack or stack[-1] not in _PLAIN_OF_RANGES or tokens[index - 1].kind is TokenKind.OPERATOR or following is TokenKind.OPERATOR:
                return False
    return True


class Parser:
    """Reads tokens by precedence, as Excel does, and writes them rewritten."""

    def __init__(self, tokens: Sequence[Token], *, implicit: bool = False) -> None:
        self.tokens = tokens
        self.implicit = implicit
        self.at = 0
        self.doubts: dict[str, None] = {}
        self.sorted: dict[str, None] = {}
        self.names = 0
        self.arrays: set[str] = set()
        self.lines: set[str] = set()
        self.ambiguous = False
        self.inside_arrays = 0

    def formula(self) -> Node:
        """The whole formula."""
        node = self._expression(0)
        if self.at != len(self.tokens):
            raise Unreadable
        return node

    def _peek(self) -> Token | None:
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def _take(self, text: str | None = None) -> Token:
        token = self._peek()
        if token is None or (text is not None and token.text != text):
            raise Unreadable
        self.at += 1
        return token

    _BINARY = {**dict.fromkeys(("=", "<>", "<", ">", "<=", ">="), 1), "&": 2, "+": 3, "-": 3, "*": 4, "/": 4, "^": 5}  # noqa: RUF012

    def _expression(self, least: int) -> Node:
        left = self._prefix()
        while (token := self._peek()) is not None and token.kind is TokenKind.OPERATOR:
            if token.text == "%":
                self.at += 1
                left = Node(f"{left.text}%", left.array)
                continue
            strength = self._BINARY.get(token.text)
            if strength is None:
                raise Unreadable
            if strength <= least:
                break
            self.at += 1
            right = self._expression(strength)
            self._one_value(left, right)
            left, right = self.single(left), self.single(right)
            left = Node(f"{left.text}{token.text}{right.text}", left.array or right.array)
        return left

    def _prefix(self) -> Node:
        token = self._peek()
        if token is not None and token.kind is TokenKind.OPERATOR and token.text in "+-@":
            self.at += 1
            inner = self._prefix()
            return Node(token.text + inner.text, inner.array and token.text != "@")
        return self._operand()

    def _operand(self) -> Node:
        if self.at < len(self.tokens) and starts_range(self.tokens, self.at):
            return self._range()
        token = self._take()
        if token.kind is TokenKind.FUNCTION:
            return self._applied(self._call(token.text))
        if token.text == "(":
            inner = self._expression(0)
            if (following := self._peek()) is not None and following.text == ",":
                inner = self._union(inner)
                self._take(")")
                return inner
            self._take(")")
            return self._applied(Node(f"({inner.text})", inner.array))
        if token.text == "{":
            parts = ["{"]
            while parts[-1] != "}":
                parts.append(self._take().text)
            return Node("".join(parts), True)
        if token.reference is not None:
            return Node(token.text, not token.reference.area.is_cell or token.reference.spill, area=True)
        if token.kind is TokenKind.NAME:
            return Node(token.text, token.text.casefold() in self.arrays)
        if token.kind in {TokenKind.NUMBER, TokenKind.STRING, TokenKind.BOOLEAN, TokenKind.ERROR}:
            return Node(token.text)
        raise Unreadable

    def _range(self) -> Node:
        """`A2:INDEX(A:A,n)` and its like."""
        found = self._corner()
        self._take(":")
        node = range_between(found, self._corner())
        if (token := self._peek()) is not None and token.text == ":":
            raise Unreadable
        return node

    def _corner(self) -> Corner:
        token = self._take()
        if token.reference is not None:
            return corner_of_reference(token.reference)
        if token.kind is not TokenKind.FUNCTION:
            raise Unreadable
        self._take("(")
        return corner_of_call(token.text, self._arguments())

    def _union(self, first: Node) -> Node:
        """`(A1:A3,C1)`, several ranges as one argument."""
        nodes = [first]
        while (token := self._peek()) is not None and token.text == ",":
            self.at += 1
            nodes.append(self._expression(0))
        if not all(node.area for node in nodes):
            raise Unreadable
        parts = tuple(part for node in nodes for part in node.parts or (node.text,))
        return Node(f"({','.join(parts)})", True, area=True, parts=parts)

    def _applied(self, node: Node) -> Node:
        """`LAMBDA(x,x+1)(2)`."""
        while (token := self._peek()) is not None and token.text == "(":
            self.at += 1
            arguments = self._arguments()
            node = Node(f"{node.text}({','.join(argument.text for argument in arguments)})", any(argument.array for argument in arguments))
        return node

    def _arguments(self) -> list[Node]:
        out: list[Node] = []
        if (token := self._peek()) is not None and token.text == ")":
            self.at += 1
            return out
        while True:
            token = self._peek()
            out.append(Node("") if token is not None and token.text in (",", ")") else self._expression(0))
            if self._take().text == ")":
                return out
            if self.tokens[self.at - 1].text != ",":
                raise Unreadable

    def _call(self, name: str) -> Node:
        self._take("(")
        native = name in _ARRAYS or name in _NATIVE
        self.inside_arrays += native
        arguments = self._let() if name == "LET" else self._by_lines() if name in ("BYROW", "BYCOL") else self._arguments()
        self.inside_arrays -= native
        if any(argument.parts for argument in arguments):
            if name not in _PLAIN_OF_RANGES:
                raise Unreadable
            arguments = [Node(part, True, area=True) for argument in arguments for part in argument.parts or (argument.text,)]
        places: Sequence[int] = ()
        if name in LIFT:
            places = [place for place in LIFT[name] if place < len(arguments)]
        elif name not in _AGGREGATES and name not in _REFERENCES and name not in _TAKES_RANGES and not native:
            places = range(len(arguments))
        self._one_value(*(arguments[place] for place in places))
        for place in places:
            arguments[place] = self.single(arguments[place])
        special = SPECIAL.get(name)
        if special is not None:
            node = special(self, arguments)
            if node is not None:
                return node
        plain = f"{name}({','.join(argument.text for argument in arguments)})"
        lifted = [place for place in LIFT.get(name, ()) if place < len(arguments) and arguments[place].array]
        if lifted:
            return self.lifted(name, arguments, lifted)
        if name in _ARRAYS:
            return Node(plain, True)
        if name in _AGGREGATES:
            if name not in _RIGHT and any(argument.array and not argument.area for argument in arguments):
                self.doubts[f"{name} of an array"] = None
            return Node(plain)
        if name in LIFT or name in _REFERENCES:
            return Node(plain, name in _REFERENCES and self._gives_array(name, arguments))
        return Node(plain, any(argument.array for argument in arguments))

    def single(self, node: Node) -> Node:
        """In a formula of single values: the cell of a range that stands in the formula's own row or column."""
        if self.implicit and not self.inside_arrays and node.area and node.array:
            return Node(f"@{node.text}")
        return node

    def _one_value(self, *nodes: Node) -> None:
        """Note that these stand where one value is asked for."""
        if not self.inside_arrays and any(node.area and node.array for node in nodes):
            self.ambiguous = True

    def _gives_array(self, name: str, arguments: Sequence[Node]) -> bool:
        if name == "INDEX":
            return any(argument.array or argument.text in ("", "0") for argument in arguments[1:])
        return name in ("OFFSET", "INDIRECT", "ROW", "COLUMN") and (name in ("OFFSET", "INDIRECT") or any(argument.array for argument in arguments))

    def _let(self) -> list[Node]:
        """Arguments of LET: a name is an array where its value is one."""
        out: list[Node] = []
        while True:
            token = self._peek()
            following = self.tokens[self.at + 1].text if self.at + 1 < len(self.tokens) else ""
            if token is not None and token.kind is TokenKind.NAME and following == "," and len(out) % 2 == 0:
                self.at += 1
                out.append(Node(token.text))
            else:
                value = self._expression(0)
                if len(out) % 2 == 1 and value.array:
                    self.arrays.add(out[-1].text.casefold())
                out.append(value)
            if self._take().text == ")":
                return out

    def _by_lines(self) -> list[Node]:
        """Arguments of BYROW and BYCOL, whose function is given arrays."""
        array = self._expression(0)
        self._take(",")
        names = [token.text.casefold() for token in self.tokens[self.at + 2 : self.at + 3] if self.tokens[self.at].text == "LAMBDA"]
        fresh = set(names) - self.arrays
        self.arrays |= fresh
        self.lines |= fresh
        function = self._expression(0)
        self.arrays -= fresh
        self.lines -= fresh
        self._take(")")
        return [array, function]

    def lifted(self, name: str, arguments: Sequence[Node], places: Sequence[int]) -> Node:
        """A call of a function for each element of the arguments at some places."""
        parameters = {}
        for place in places:
            self.names += 1
            parameters[place] = f"{PREFIX}{self.names}_"
        inner = ",".join(parameters.get(place, argument.text) for place, argument in enumerate(arguments))
        arrays = ",".join(_of_one_shape([arguments[place].text for place in places]))
        return Node(f"MAP({arrays},LAMBDA({','.join(parameters.values())},{name}({inner})))", True)


def _of_one_shape(arrays: Sequence[str]) -> list[str]:
    """Arrays, each repeated over the others: of a row and a column, all pairs. The engine goes over arrays of one shape only."""
    if len(arrays) == 1 or (len({shape_of(text) for text in arrays}) == 1 and shape_of(arrays[0]) is not None):
        return list(arrays)
    out = []
    for place, text in enumerate(arrays):
        others = "*".join(f"({other}={other})" for at, other in enumerate(arrays) if at != place)
        out.append(f"IF(({others})=9,0,{text})")
    return out
