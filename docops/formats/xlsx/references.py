"""What formulas are made of: A1 notation, structured references, tokens.

Formulas are handled as the file stores them (ECMA-376 part 1, 18.17): English function names, commas between
arguments, `[1]Sheet!A1` for other workbooks, `Table[[#This Row],[Column]]` for structured references. Spellings that
only a formula bar shows (`[@Column]`, `;` between arguments) are read as well, because scripts write them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

MAX_ROW = 1_048_576
MAX_COLUMN = 16_384


@lru_cache(maxsize=MAX_COLUMN)
def column_letters(column: int) -> str:
    """The letters of a 1-based column number (28 → `AB`)."""
    letters = ""
    while column > 0:
        column, rest = divmod(column - 1, 26)
        letters = chr(65 + rest) + letters
    return letters


@lru_cache(maxsize=MAX_COLUMN)
def column_number(letters: str) -> int:
    """The 1-based number of a column's letters (`AB` → 28)."""
    number = 0
    for letter in letters.upper():
        number = number * 26 + ord(letter) - 64
    return number


_CELL = re.compile(r"\$?([A-Za-z]{1,3})\$?([1-9][0-9]{0,6})")


def parse_cell(text: str) -> tuple[int, int]:
    """Row and column of a cell reference (`$B$2` → (2, 2)).

    Raises ValueError where the text is no cell of a worksheet.
    """
    match = _CELL.fullmatch(text)
    if match is not None:
        row, column = int(match.group(2)), column_number(match.group(1))
        if row <= MAX_ROW and column <= MAX_COLUMN:
            return row, column
    raise ValueError(f"{text!r} is no cell reference such as B2")


def format_cell(row: int, column: int) -> str:
    """The reference of a cell (2, 2 → `B2`)."""
    return f"{column_letters(column)}{row}"


@dataclass(frozen=True, slots=True, order=True)
class Area:
    """A rectangle of cells, bounds included; whole columns and rows reach to the sheet's edge."""

    first_row: int
    first_column: int
    last_row: int
    last_column: int

    @property
    def count(self) -> int:
        """How many cells it holds."""
        return (self.last_row - self.first_row + 1) * (self.last_column - self.first_column + 1)

    @property
    def is_cell(self) -> bool:
        """Whether it is a single cell."""
        return self.first_row == self.last_row and self.first_column == self.last_column

    def contains(self, row: int, column: int) -> bool:
        """Whether a cell lies in it."""
        return self.first_row <= row <= self.last_row and self.first_column <= column <= self.last_column

    def covers(self, other: Area) -> bool:
        """Whether all of another area lies in it."""
        return (
            self.first_row <= other.first_row
            and self.last_row >= other.last_row
            and self.first_column <= other.first_column
            and self.last_column >= other.last_column
        )

    def intersection(self, other: Area) -> Area | None:
        """The cells that both hold, or None."""
        area = Area(
            max(self.first_row, other.first_row),
            max(self.first_column, other.first_column),
            min(self.last_row, other.last_row),
            min(self.last_column, other.last_column),
        )
        return area if area.first_row <= area.last_row and area.first_column <= area.last_column else None

    def cells(self) -> Iterator[tuple[int, int]]:
        """Row and column of every cell, row by row."""
        for row in range(self.first_row, self.last_row + 1):
            for column in range(self.first_column, self.last_column + 1):
                yield row, column

    def __str__(self) -> str:
        if self.first_row == 1 and self.last_row == MAX_ROW:
            return f"{column_letters(self.first_column)}:{column_letters(self.last_column)}"
        if self.first_column == 1 and self.last_column == MAX_COLUMN:
            return f"{self.first_row}:{self.last_row}"
        first = format_cell(self.first_row, self.first_column)
        return first if self.is_cell else f"{first}:{format_cell(self.last_row, self.last_column)}"


def parse_area(text: str) -> Area:
    """The area that `B2`, `B2:D10`, `A:C` or `3:5` names, `$` ignored and corners in any order.

    Raises ValueError where the text is none of these.
    """
    reference = parse_reference(text)
    if reference is None or reference.sheet is not None or reference.spill:
        raise ValueError(f"{text!r} is no range such as B2, B2:D10, A:C or 3:5")
    return reference.area


@dataclass(frozen=True, slots=True)
class Corner:
    """One corner of a reference. Whole columns have no row, whole rows no column; `*_fixed`: written with `$`."""

    row: int | None
    column: int | None
    row_fixed: bool = False
    column_fixed: bool = False

    def __str__(self) -> str:
        column = "" if self.column is None else f"{'$' if self.column_fixed else ''}{column_letters(self.column)}"
        row = "" if self.row is None else f"{'$' if self.row_fixed else ''}{self.row}"
        return column + row


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference to cells.

    sheet: its sheet, or None where none is written.  last_sheet: end of a range of sheets (`Jan:Dec!A1`), or None.
    book: the other workbook as written (`1` of `[1]Sheet!A1`), or None.
    end: the second corner, or None for a single cell.  spill: `A1#`, all that the formula in A1 spills into.
    """

    sheet: str | None
    last_sheet: str | None
    book: str | None
    start: Corner
    end: Corner | None = None
    spill: bool = False

    @property
    def area(self) -> Area:
        """The cells on its sheet; of a spill only the first."""
        end = self.end or self.start
        rows = sorted((self.start.row or 1, end.row or MAX_ROW))
        columns = sorted((self.start.column or 1, end.column or MAX_COLUMN))
        return Area(rows[0], columns[0], rows[1], columns[1])

    @property
    def prefix(self) -> str:
        """The part before the corners, `!` included, quoted where needed."""
        return sheet_prefix(self.sheet, self.last_sheet, self.book)

    def __str__(self) -> str:
        single = self.end is None or (self.end == self.start and self.start.row is not None and self.start.column is not None)
        corners = str(self.start) if single else f"{self.start}:{self.end}"
        return f"{self.prefix}{corners}{'#' if self.spill else ''}"


_PLAIN_SHEET = re.compile(r"[^\W\d][\w.]*")
_LOOKS_LIKE_REFERENCE = re.compile(r"[A-Za-z]{1,3}[0-9]{1,7}|[Rr][0-9]*(?:[Cc][0-9]*)?|[Cc][0-9]*")


def quote_sheet(name: str) -> str:
    """A sheet's name as a formula spells it, in quotes where it needs them."""
    if _PLAIN_SHEET.fullmatch(name) and not _LOOKS_LIKE_REFERENCE.fullmatch(name) and name.upper() not in {"TRUE", "FALSE"}:
        return name
    return "'" + name.replace("'", "''") + "'"


def sheet_prefix(sheet: str | None, last_sheet: str | None = None, book: str | None = None) -> str:
    """The part of a reference before its cells, `!` included; empty where nothing is named."""
    if sheet is None and book is None:
        return ""
    names = [name for name in (sheet, last_sheet) if name is not None]
    quoted = any(quote_sheet(name) != name for name in names) or (book is not None and not re.fullmatch(r"[\w.]*", book))
    text = (f"[{book}]" if book is not None else "") + ":".join(names)
    return "'" + text.replace("'", "''") + "'!" if quoted else text + "!"


@dataclass(frozen=True, slots=True)
class StructuredReference:
    """A reference to cells of a table.

    table: its name, or None for the table that holds the formula.
    items: which parts (`#all #data #headers #totals #this row`, lower case); none: the data.
    first, last: columns at both ends, or None for all columns; `last` is None where only one is named.
    """

    table: str | None
    items: frozenset[str]
    first: str | None = None
    last: str | None = None

    def __str__(self) -> str:
        parts = [f"[{_ITEM_SPELLING[item]}]" for item in sorted(self.items)]
        if self.first is not None:
            column = f"[{_escape_column(self.first)}]"
            parts.append(f"{column}:[{_escape_column(self.last)}]" if self.last is not None else column)
        name = self.table or ""
        if not parts:
            return f"{name}[]"
        if len(parts) == 1 and self.last is None:
            return f"{name}{parts[0]}"
        return f"{name}[{','.join(parts)}]"


_ITEM_SPELLING = {"#all": "#All", "#data": "#Data", "#headers": "#Headers", "#totals": "#Totals", "#this row": "#This Row"}


def _escape_column(name: str | None) -> str:
    return re.sub(r"(['\[\]#@])", r"'\1", name or "")


class TokenKind(StrEnum):
    """What a piece of a formula is."""

    REFERENCE = "reference"
    STRUCTURED = "structured"
    NAME = "name"
    FUNCTION = "function"  # the name alone; the bracket follows
    NUMBER = "number"
    STRING = "string"
    BOOLEAN = "boolean"
    ERROR = "error"
    OPERATOR = "operator"
    OPEN = "open"
    CLOSE = "close"
    SEPARATOR = "separator"
    SPACE = "space"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a formula as written. `reference` and `structured` are what the text of those kinds says."""

    kind: TokenKind
    text: str
    reference: Reference | None = None
    structured: StructuredReference | None = None


SHEET_NAME = r"(?:'(?:[^']|'')+'|(?:\[[^\]\[]*\])?[\w.\\?]+(?::[\w.\\?]+)?|\[[^\]\[]*\])!"
_CORNER = r"\$?[A-Za-z]{1,3}\$?[1-9][0-9]{0,6}"
_AFTER = r"(?![\w.(\[!\\?])"
_CELLS = rf"(?:{_CORNER}(?::{_CORNER})?|\$?[A-Za-z]{{1,3}}:\$?[A-Za-z]{{1,3}}|\$?[1-9][0-9]{{0,6}}:\$?[1-9][0-9]{{0,6}}){_AFTER}"
_REFERENCE = re.compile(rf"(?P<prefix>{SHEET_NAME})?(?P<cells>{_CELLS})(?P<spill>#(?![A-Za-z]))?")
_REFERENCE_START = re.compile(rf"(?P<prefix>{SHEET_NAME})?(?P<cells>{_CORNER}){_AFTER}")
_PREFIXED = re.compile(rf"(?P<prefix>{SHEET_NAME})(?P<rest>#REF!|[^\W\d][\w.\\?]*)")
_ERROR = re.compile(r"#(?:REF!|DIV/0!|VALUE!|NAME\?|NUM!|NULL!|N/A|[A-Z_]+[!?]|GETTING_DATA)", re.IGNORECASE)
_STRING = re.compile(r'"(?:[^"]|"")*"')
_NUMBER = re.compile(r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_IDENTIFIER = re.compile(r"[^\W\d][\w.\\?]*|\\[\w.\\?]*")
_OPERATOR = re.compile(r"<=|>=|<>|[-+*/^&=<>%:@#]")
_SPACE = re.compile(r"\s+")
_BRACKETED = re.compile(r"\[(?:[^\[\]']|'.|\[(?:[^\[\]']|'.)*\])*\]", re.DOTALL)


def _corner(text: str) -> Corner:
    match = re.fullmatch(r"(\$?)([A-Za-z]*)(\$?)([0-9]*)", text)
    assert match is not None  # noqa: S101  (only called with texts that the patterns above matched)
    dollar, letters, row_dollar, digits = match.groups()
    if not letters:
        return Corner(int(digits), None, row_fixed=bool(dollar))
    column = column_number(letters)
    return Corner(int(digits) if digits else None, column, row_fixed=bool(row_dollar), column_fixed=bool(dollar))


def _in_bounds(corner: Corner) -> bool:
    return (corner.row or 1) <= MAX_ROW and (corner.column or 1) <= MAX_COLUMN


def split_prefix(prefix: str) -> tuple[str | None, str | None, str | None]:
    """Sheet, last sheet and other workbook that the part of a reference up to `!` names."""
    text = prefix[:-1]
    if text.startswith("'"):
        text = text[1:-1].replace("''", "'")
    book: str | None = None
    if "[" in text and "]" in text:
        # A path may stand before the bracket of a book that was not open: 'C:\x\[b.xlsx]Sheet'!A1
        before, _, rest = text.partition("[")
        name, _, text = rest.partition("]")
        book = before + name
    first, colon, last = text.partition(":")
    return (first or None), (last if colon else None), book


def _reference_of(match: re.Match[str], spill: bool) -> Reference | None:
    first, colon, second = match.group("cells").partition(":")
    start = _corner(first)
    end = _corner(second) if colon else None
    if not _in_bounds(start) or (end is not None and not _in_bounds(end)):
        return None
    prefix = match.group("prefix")
    sheet, last_sheet, book = split_prefix(prefix) if prefix else (None, None, None)
    return Reference(sheet, last_sheet, book, start, end, spill)


def parse_reference(text: str) -> Reference | None:
    """The reference that the whole text spells (`'My Sheet'!$A$1:B2`), or None."""
    match = _REFERENCE.fullmatch(text.strip())
    return _reference_of(match, bool(match.group("spill"))) if match is not None else None


_GROUP = re.compile(r"\[((?:[^\[\]']|'.)*)\]|((?:[^\[\]',:\s]|'.)(?:[^\[\]',:]|'.)*)", re.DOTALL)


def _parse_structured(table: str | None, inside: str) -> StructuredReference:
    items: set[str] = set()
    columns: list[str] = []
    text = inside.strip()
    if text.startswith("@"):
        items.add("#this row")
        text = text[1:].strip()
    # Inside the brackets a column may go without its own: `[[#This Row],Net]`.
    groups = [bracketed or bare.strip() for bracketed, bare in _GROUP.findall(text)] if text.startswith("[") else [text] if text else []
    for group in groups:
        name = group.strip() if group.strip().lower() in _ITEM_SPELLING else group
        if name.lower() in _ITEM_SPELLING:
            items.add(name.lower())
        else:
            columns.append(re.sub(r"'(.)", r"\1", name))
    return StructuredReference(table, frozenset(items), columns[0] if columns else None, columns[1] if len(columns) > 1 else None)


def _scan(text: str) -> Iterator[Token]:
    position = 0
    while position < len(text):
        token = _next_token(text, position)
        yield token
        position += len(token.text)


def _next_token(text: str, position: int) -> Token:
    char = text[position]
    if char == '"':
        match = _STRING.match(text, position)
        return Token(TokenKind.STRING, match.group()) if match else Token(TokenKind.UNKNOWN, text[position:])
    if char.isspace():
        return Token(TokenKind.SPACE, _SPACE.match(text, position).group())  # type: ignore[union-attr]
    if char in "(){},;":
        kind = {"(": TokenKind.OPEN, "{": TokenKind.OPEN, ")": TokenKind.CLOSE, "}": TokenKind.CLOSE}.get(char, TokenKind.SEPARATOR)
        return Token(kind, char)
    for pattern in (_REFERENCE, _REFERENCE_START):
        match = pattern.match(text, position)
        if match is not None:
            reference = _reference_of(match, pattern is _REFERENCE and bool(match.group("spill")))
            if reference is not None:
                return Token(TokenKind.REFERENCE, match.group(), reference)
    match = _PREFIXED.match(text, position)
    if match is not None and not text.startswith("(", match.end()):
        return Token(TokenKind.ERROR if match.group("rest").startswith("#") else TokenKind.NAME, match.group())
    match = _ERROR.match(text, position)
    if match is not None:
        return Token(TokenKind.ERROR, match.group())
    match = _NUMBER.match(text, position)
    if match is not None:
        return Token(TokenKind.NUMBER, match.group())
    match = _IDENTIFIER.match(text, position)
    if match is not None:
        return _identifier(text, position, match)
    if char == "[":
        bracketed = _BRACKETED.match(text, position)
        if bracketed is not None:
            return Token(TokenKind.STRUCTURED, bracketed.group(), structured=_parse_structured(None, bracketed.group()[1:-1]))
    match = _OPERATOR.match(text, position)
    return Token(TokenKind.OPERATOR, match.group()) if match is not None else Token(TokenKind.UNKNOWN, char)


def _identifier(text: str, position: int, match: re.Match[str]) -> Token:
    word, after = match.group(), match.end()
    if text.startswith("[", after):
        bracketed = _BRACKETED.match(text, after)
        if bracketed is not None:
            return Token(TokenKind.STRUCTURED, word + bracketed.group(), structured=_parse_structured(word, bracketed.group()[1:-1]))
    if text.startswith("(", after):
        return Token(TokenKind.FUNCTION, word)
    if word.upper() in {"TRUE", "FALSE"}:
        return Token(TokenKind.BOOLEAN, word)
    return Token(TokenKind.NAME, word)


@lru_cache(maxsize=20_000)
def tokenise(formula: str) -> tuple[Token, ...]:
    """The pieces of a formula in order; their texts joined are the formula without a leading `=`."""
    return tuple(_scan(formula.lstrip().removeprefix("=")))


FUNCTION_PREFIX = re.compile(r"^(?:_xlfn\.|_xlws\.|_xludf\.|_xlpm\.|_xldudf_)+", re.IGNORECASE)


def function_name(text: str) -> str:
    """A function's name in capitals, without the prefixes that only files carry (`_xlfn.XLOOKUP` → `XLOOKUP`)."""
    return FUNCTION_PREFIX.sub("", text).upper()
