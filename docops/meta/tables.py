"""Tables of scores as people and spreadsheets write them: any usual separator, encoding and decimal sign."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence

from docops.core.errors import UsageError

#: Separators between cells: as CSV says, as spreadsheets write where the comma is the decimal sign, and tab.
SEPARATORS = ",;\t"
_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")
_GROUPED = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+")


def decoded(data: bytes) -> str:
    """The text of a file: UTF-8 or UTF-16 where it says so, else UTF-8, else Windows-1252, as spreadsheets save it."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def table(text: str, where: str, required: Sequence[str]) -> Iterator[tuple[str, Mapping[str, str]]]:
    """(where it stands, column → cell) of every row that is not empty, by the names in the first line, in small letters.

    Raises UsageError where a required column is missing, a column that is read stands there twice, or it is no table.
    """
    lines = text.splitlines(keepends=True)
    told = re.fullmatch(r"sep=(.)\s*", lines[0]) if lines else None
    skipped = 1 if told else 0
    body = "".join(lines[skipped:])
    separator = told[1] if told else _separator(body, required)
    reader = csv.reader(io.StringIO(body, newline=""), delimiter=separator, strict=True)
    try:
        head = [name.strip().lower() for name in next(reader, [])]
        missing = [name for name in required if name not in head]
        if missing:
            raise UsageError(f"{where}: the table has no column {', '.join(missing)}; it needs {', '.join(required)}")
        twice = sorted({name for name in head if name and head.count(name) > 1})
        if twice:
            raise UsageError(f"{where}: the table has the column {', '.join(twice)} twice")
        for cells in reader:
            if any(cell.strip() for cell in cells[len(head) :]):
                raise UsageError(f"{where}, line {reader.line_num + skipped}: there are more cells than columns")
            if any(cell.strip() for cell in cells):
                yield f"{where}, line {reader.line_num + skipped}", dict(zip(head, cells))
    except csv.Error as error:
        raise UsageError(f"{where}, line {reader.line_num + skipped}: {error}") from error


def _separator(body: str, required: Sequence[str]) -> str:
    """The separator by which most of the required columns are in the first line."""
    head = body.split("\n", 1)[0].lower()

    def found(separator: str) -> int:
        cells = {cell.strip().strip('"').strip() for cell in head.split(separator)}
        return len(cells.intersection(required))

    return max(SEPARATORS, key=found)


def with_point(text: str) -> str:
    """A number as it is written with a decimal point; a text that is none, and one that may mean thousands, as it is."""
    return text.replace(",", ".") if _DECIMAL_COMMA.fullmatch(text) and not _GROUPED.fullmatch(text) else text
