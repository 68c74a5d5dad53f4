"""Formulas rewritten so that a calculation needs nothing but cells: names and tables replaced by what they stand for.

Both engines then see plain references, whatever they know of structured references, names or ranges of sheets.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from docops.formats.xlsx.formula_text import translate
from docops.formats.xlsx.recalc import functions
from docops.formats.xlsx.recalc.dates1904 import NotShifted, from_1904
from docops.formats.xlsx.recalc.hidden import LeftOut, left_out, visible_areas
from docops.formats.xlsx.recalc.source import Place, Source, TableRange
from docops.formats.xlsx.recalc.syntax import fault
from docops.formats.xlsx.references import (
    MAX_COLUMN,
    MAX_ROW,
    Area,
    Corner,
    Reference,
    StructuredReference,
    Token,
    TokenKind,
    function_name,
    sheet_prefix,
    tokenise,
)

#: Excel's own bound on a formula's length, and bounds on what engines are given (they recurse over brackets).
MAX_LENGTH = 8192
MAX_EXPANDED = 65_536
MAX_DEPTH = 128
MAX_NAME_DEPTH = 16


@dataclass(slots=True)
class Expanded:
    """A formula in plain references.

    text: the formula without `=`.   areas: what it reads, by sheet.   functions: names in capitals.
    dynamic: it may read cells that no reference names (OFFSET, INDIRECT).   problem: why no engine can calculate it, or "".
    undefined: names that nothing defines.   constants: numbers and texts written in it (names' own included).
    anchors: cells whose spilled results it reads.   malformed: why no program can read it, or "".
    """

    text: str = ""
    areas: list[tuple[int, Area]] = field(default_factory=list)
    functions: dict[str, None] = field(default_factory=dict)
    dynamic: bool = False
    problem: str = ""
    undefined: list[str] = field(default_factory=list)
    constants: list[float | str] = field(default_factory=list)
    anchors: list[Place] = field(default_factory=list)
    malformed: str = ""


def expand(source: Source, place: Place, formula: str) -> Expanded:
    """The formula of a cell with names, tables, ranges of sheets and whole columns replaced by plain references."""
    out = Expanded()
    if len(formula) > MAX_LENGTH:
        out.problem = f"a formula of more than {MAX_LENGTH} characters"
        return out
    tokens = tokenise(formula)
    writer = _Writer(source, place, out)
    out.text = "".join(writer.write(tokens, place.sheet, 0))
    if out.functions.keys() & _RESIZING:
        out.text = _resized(out, source, place)
    out.malformed = fault(tokens)
    if out.malformed:
        out.text, out.problem = "#NAME?", ""
    if len(out.text) > MAX_EXPANDED:
        out.problem = out.problem or f"more than {MAX_EXPANDED} characters with its names written out"
    elif _depth(out.text) > MAX_DEPTH:
        out.problem = out.problem or f"brackets nested more than {MAX_DEPTH} deep"
    if source.date1904 and not out.problem and not out.malformed and functions.DATES & out.functions.keys():
        try:
            out.text = from_1904(out.text)
        except NotShifted as reason:
            out.problem = str(reason)
    return out


#: Functions whose second argument is searched; empty cells at its end, which the engine takes for values, are left out.
_SEARCHING = frozenset({"VLOOKUP", "LOOKUP", "MATCH"})

#: Functions that sum over a range as large as the one with the conditions, whatever they are given.
_RESIZING = frozenset({"SUMIF", "AVERAGEIF"})


def _resized(out: Expanded, source: Source, place: Place) -> str:
    """The formula with the third argument of SUMIF and AVERAGEIF as large as the first, as programs take it; noted as read."""
    tokens = list(tokenise(out.text))
    for index, token in enumerate(tokens):
        if token.kind is not TokenKind.FUNCTION or token.text not in _RESIZING:
            continue
        depth, starts, end = 0, [index + 2], index + 1
        while end < len(tokens):
            depth += {TokenKind.OPEN: 1, TokenKind.CLOSE: -1}.get(tokens[end].kind, 0)
            if depth == 0:
                break
            if depth == 1 and tokens[end].text == ",":
                starts.append(end + 1)
            end += 1
        if len(starts) != 3 or end != starts[2] + 1 or starts[1] != starts[0] + 2:
            continue
        tested, summed = tokens[starts[0]].reference, tokens[starts[2]].reference
        if tested is None or summed is None or tested.spill or summed.spill:
            continue
        model, area = tested.area, summed.area
        last_row = min(area.first_row + model.last_row - model.first_row, MAX_ROW)
        last_column = min(area.first_column + model.last_column - model.first_column, MAX_COLUMN)
        whole = replace(area, last_row=last_row, last_column=last_column)
        if whole != area:
            sheet = place.sheet if summed.sheet is None else source.sheet_index(summed.sheet)
            if sheet is not None:
                out.areas.append((sheet, whole))
                tokens[starts[2]] = Token(TokenKind.REFERENCE, summed.prefix + _fixed(whole), summed)
    return "".join(token.text for token in tokens)


def _depth(text: str) -> int:
    deepest = depth = 0
    for char in text:
        if char in "({":
            depth += 1
            deepest = max(deepest, depth)
        elif char in ")}":
            depth -= 1
    return deepest


class _Writer:
    """Writes the tokens of one cell's formula, and of the names in it, as plain references."""

    def __init__(self, source: Source, place: Place, out: Expanded) -> None:
        self.source = source
        self.place = place
        self.out = out
        self.cut = True
        self.pending = ""
        self.enclosing: list[str] = []
        #: For each bracket that is open: how many arguments came before.
        self.position: list[int] = []
        #: For each bracket that is open: which rows the aggregate in it leaves out, None outside of such.
        self.left_out: list[LeftOut | None] = []
        self.leaves_out: LeftOut | None = None

    def write(self, tokens: Sequence[Token], sheet: int, depth: int) -> Iterator[str]:
        names = {function_name(token.text) for token in tokens if token.kind is TokenKind.FUNCTION}
        if names & functions.SEES_SIZE - functions.SEES_SIZE_ALONE:
            self.cut = False
        parts = [token for index, token in enumerate(tokens) if token.kind is not TokenKind.SPACE or _intersects(tokens, index)]
        index = 0
        while index < len(parts):
            text, index = self._piece(parts, index, sheet, depth)
            yield text

    def _piece(self, parts: Sequence[Token], index: int, sheet: int, depth: int) -> tuple[str, int]:
        token = parts[index]
        if token.kind is TokenKind.OPEN:
            self.enclosing.append(self.pending or (self.enclosing[-1] if self.enclosing else ""))
            self.position.append(0)
            self.left_out.append(self.leaves_out or (self.left_out[-1] if self.left_out else None))
        elif token.kind is TokenKind.CLOSE and self.enclosing:
            self.enclosing.pop()
            self.position.pop()
            self.left_out.pop()
        elif token.kind is TokenKind.SEPARATOR and self.position:
            self.position[-1] += 1
        self.pending, self.leaves_out = "", None
        after = parts[index + 1] if index + 1 < len(parts) else None
        if token.kind is TokenKind.FUNCTION:
            return self._function(parts, index, sheet, depth)
        if token.reference is not None:
            joined = self._joined(parts, index, sheet)
            if joined is not None:
                return joined
            return self._reference(token.reference, sheet, _is_argument(parts, index)), index + 1
        if token.structured is not None:
            return self._structured(token.structured), index + 1
        if token.kind is TokenKind.NAME:
            return self._name(token.text, sheet, depth, call=after is not None and after.kind is TokenKind.OPEN), index + 1
        if token.kind is TokenKind.NUMBER:
            self.out.constants.append(float(token.text))
            return _number(token.text), index + 1
        if token.kind is TokenKind.STRING:
            self.out.constants.append(token.text[1:-1].replace('""', '"'))
            return token.text, index + 1
        if token.kind in {TokenKind.ERROR, TokenKind.BOOLEAN}:
            return token.text.rpartition("!")[2].upper() if token.text.count("!") > 1 else token.text.upper(), index + 1
        if token.kind is TokenKind.UNKNOWN:
            self._problem(f"{token.text[:40]!r} is no formula syntax")
        if token.kind is TokenKind.SPACE:
            self._problem("an intersection of ranges that only evaluation gives")
            return " ", index + 1
        if token.text == ":":
            # One of its corners is what a function gives.
            self.out.dynamic = True
        return ("," if token.text == ";" and not _in_braces(parts, index) else token.text), index + 1

    def _problem(self, text: str) -> None:
        self.out.problem = self.out.problem or text

    def _function(self, parts: Sequence[Token], index: int, sheet: int, depth: int) -> tuple[str, int]:
        name = function_name(parts[index].text)
        out = self.out
        if name == "ANCHORARRAY" and index + 3 < len(parts) and parts[index + 3].kind is TokenKind.CLOSE:
            reference = parts[index + 2].reference
            if reference is not None:
                return self._reference(replace(reference, spill=True), sheet, False), index + 4
        if name == "SINGLE":
            return "@", index + 1
        out.functions[name] = None
        self.pending = name
        if name in ("SUBTOTAL", "AGGREGATE"):
            self.leaves_out = left_out(name, [token.text for token in parts[index + 2 : index + 6]])
        if name in functions.VOLATILE:
            self._problem(f"{name} gives another value at every calculation")
        elif name in functions.OUTSIDE:
            self._problem(f"{name} reads what is outside the cells")
        elif name in functions.SEES_LAYOUT:
            self._problem(f"{name} depends on the layout of the whole workbook")
        elif name in functions.DYNAMIC:
            out.dynamic = True
        elif name not in functions.EXCEL_FUNCTIONS:
            if self.source.name(parts[index].text, sheet) is not None:
                return self._name(parts[index].text, sheet, depth, call=True), index + 1
            if parts[index].text.lower().startswith("_xlpm."):
                return name, index + 1
            if self.source.has_macros:
                self._problem(f"{name} is a function that a macro may define")
            else:
                out.undefined.append(name)
        return name, index + 1

    def _joined(self, parts: Sequence[Token], index: int, sheet: int) -> tuple[str, int] | None:
        """`A1:Sheet!B2` and intersections of two plain references, worked out here."""
        if index + 2 >= len(parts):
            return None
        operator, second = parts[index + 1], parts[index + 2].reference
        first = parts[index].reference
        if second is None or first is None or (operator.text != ":" and operator.kind is not TokenKind.SPACE):
            return None
        one, other = self._locate(first, sheet), self._locate(second, sheet if operator.text != ":" or first.sheet is None else -1)
        if operator.text == ":" and second.sheet is None:
            other = one
        if one is None or other is None or len(one) != 1 or len(other) != 1 or one != other or first.spill or second.spill:
            self._problem("a range or intersection over several sheets")
            return "#REF!", index + 3
        if operator.text == ":":
            corners = [first.area, second.area]
            area = Area(
                min(a.first_row for a in corners),
                min(a.first_column for a in corners),
                max(a.last_row for a in corners),
                max(a.last_column for a in corners),
            )
            return self._area(one[0], area), index + 3
        common = first.area.intersection(second.area)
        return (self._area(one[0], common) if common is not None else "#NULL!"), index + 3

    def _locate(self, reference: Reference, sheet: int) -> list[int] | None:
        if reference.book is not None:
            self._problem("a reference to another workbook")
            return None
        if reference.sheet is None:
            return [sheet]
        first = self.source.sheet_index(reference.sheet)
        if first is None:
            return None
        if reference.last_sheet is None:
            return [first]
        last = self.source.sheet_index(reference.last_sheet)
        return None if last is None else list(range(min(first, last), max(first, last) + 1))

    def _reference(self, reference: Reference, sheet: int, argument: bool) -> str:
        sheets = self._locate(reference, sheet)
        if sheets is None:
            return "#REF!"
        if len(sheets) > 1 and not argument:
            self._problem("a range of sheets that is not an argument of its own")
        if reference.spill:
            self.out.anchors.append(Place(sheets[0], reference.area.first_row, reference.area.first_column))
            return self._area(sheets[0], reference.area) + "#"
        return ",".join(self._area(index, reference.area) for index in sheets)

    def _area(self, sheet: int, area: Area) -> str:
        """An area as text, whole columns and rows cut to what is in use where no function could tell."""
        if self.cut and not (self.enclosing and self.enclosing[-1] in functions.SEES_SIZE_ALONE):
            if area.first_row == 1 and area.last_row == MAX_ROW:
                area = replace(area, last_row=max(self.source.last_row, 1))
            elif area.first_column == 1 and area.last_column == MAX_COLUMN:
                area = replace(area, last_column=max(self.source.last_column, 1))
        self.out.areas.append((sheet, area))
        if self.enclosing and self.enclosing[-1] in _SEARCHING and self.position[-1] == 1:
            searched = replace(area, last_column=area.first_column) if self.enclosing[-1] == "VLOOKUP" else area
            filled = self.source.filled(sheet, searched)
            area = replace(area, last_row=filled.last_row) if searched != area else filled
        prefix = "" if sheet == self.place.sheet else sheet_prefix(self.source.sheet_names[sheet])
        if self.left_out and (which := self.left_out[-1]) is not None and (hidden := self.source.hidden_rows(sheet, area)):
            if self.enclosing[-1] not in ("SUBTOTAL", "AGGREGATE"):
                self._problem("an aggregate of visible rows over what another function gives")
                return prefix + _fixed(area)
            shown, problem = visible_areas(area, hidden, which)
            if problem:
                self._problem(problem)
            return ",".join(prefix + _fixed(part) for part in shown)
        return prefix + _fixed(area)

    def _structured(self, reference: StructuredReference) -> str:
        table = self.source.table_at(self.place) if reference.table is None else self.source.tables.get(reference.table.casefold())
        if table is None:
            return "#REF!"
        area = table_area(table, reference, self.place)
        if isinstance(area, str):
            return area
        return self._area(table.sheet, area)

    def _name(self, text: str, sheet: int, depth: int, *, call: bool) -> str:
        if "[" in text:
            self._problem("a name in another workbook")
            return "#REF!"
        prefix, mark, name = text.rpartition("!")
        scope: int | None = sheet
        if mark:
            scope = self.source.sheet_index(prefix.strip("'").replace("''", "'"))
            if scope is None:
                return "#REF!"
        if name.lower().startswith("_xlpm."):
            return name[6:]
        found = self.source.name(name, scope)
        if found is None:
            table = self.source.tables.get(name.casefold())
            if table is not None:
                return self._structured(StructuredReference(name, frozenset()))
            self.out.undefined.append(name)
            return name
        if depth >= MAX_NAME_DEPTH or len(self.out.areas) > 4096:
            self._problem("names that refer to each other too deeply")
            return "#NAME?"
        body, owner = found
        # Relative references in a name are stored as seen from A1.
        moved = translate(body, self.place.row - 1, self.place.column - 1) if _is_relative(body) else body
        inner = "".join(self.write(tokenise(moved), owner if owner is not None else sheet, depth + 1))
        tokens = tokenise(inner)
        if call and not (tokens and tokens[0].text == "LAMBDA"):
            self._problem(f"{name} is a function that the workbook defines")
        return inner if len(tokens) == 1 or call else f"({inner})"


@lru_cache(maxsize=4096)
def _is_relative(text: str) -> bool:
    corners = [corner for token in tokenise(text) if token.reference is not None for corner in (token.reference.start, token.reference.end)]
    return any(
        corner is not None and ((corner.row is not None and not corner.row_fixed) or (corner.column is not None and not corner.column_fixed))
        for corner in corners
    )


def table_area(table: TableRange, reference: StructuredReference, place: Place) -> Area | str:
    """The cells of a table that a structured reference names, seen from a cell; an error's code where there are none."""
    area = table.area
    first_data = area.first_row + table.header_rows
    last_data = area.last_row - table.totals_rows
    columns = [name.casefold() for name in table.columns]
    if reference.first is None:
        first_column, last_column = area.first_column, area.last_column
    else:
        wanted = [reference.first.casefold(), (reference.last or reference.first).casefold()]
        if any(name not in columns for name in wanted):
            return "#REF!"
        ends = sorted(columns.index(name) for name in wanted)
        first_column, last_column = area.first_column + ends[0], area.first_column + ends[1]
    items = reference.items
    if "#this row" in items:
        if place.sheet != table.sheet or not first_data <= place.row <= last_data:
            return "#VALUE!"
        rows = (place.row, place.row)
    elif "#all" in items:
        rows = (area.first_row, area.last_row)
    else:
        spans = []
        if not items or "#data" in items:
            spans.append((first_data, last_data))
        if "#headers" in items:
            spans.append((area.first_row, first_data - 1))
        if "#totals" in items:
            spans.append((last_data + 1, area.last_row))
        rows = (min(first for first, _ in spans), max(last for _, last in spans))
    return Area(rows[0], first_column, rows[1], last_column) if rows[0] <= rows[1] else "#REF!"


def _fixed(area: Area) -> str:
    first = str(Corner(area.first_row, area.first_column))
    return first if area.is_cell else f"{first}:{Corner(area.last_row, area.last_column)}"


def _number(text: str) -> str:
    value = float(text)
    if value == int(value) and abs(value) < 1e15 if abs(value) != float("inf") else False:
        return str(int(value))
    # One engine reads no exponents.
    plain = f"{value:.20f}".rstrip("0") if 1e-4 < abs(value) < 1e15 else text
    return plain if float(plain) == value else text


def _intersects(tokens: Sequence[Token], index: int) -> bool:
    """Whether the space at `index` is the intersection operator."""
    if index == 0 or index + 1 == len(tokens):
        return False
    ends = {TokenKind.REFERENCE, TokenKind.STRUCTURED, TokenKind.NAME}
    return tokens[index - 1].kind in ends and tokens[index + 1].kind in ends


def _is_argument(parts: Sequence[Token], index: int) -> bool:
    """Whether a token stands alone between brackets and separators."""
    before = parts[index - 1].kind if index else None
    after = parts[index + 1].kind if index + 1 < len(parts) else None
    return before in {TokenKind.OPEN, TokenKind.SEPARATOR} and after in {TokenKind.CLOSE, TokenKind.SEPARATOR}


def _in_braces(parts: Sequence[Token], index: int) -> bool:
    depth = 0
    for token in parts[:index]:
        depth += {"{": 1, "}": -1}.get(token.text, 0)
    return depth > 0
