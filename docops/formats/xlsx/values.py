"""Values and references as spreadsheets write them: numbers, serial dates, escapes, columns."""

from __future__ import annotations

import datetime
import re
from functools import lru_cache

MAX_ROW = 1_048_576
MAX_COLUMN = 16_384

_ESCAPE = re.compile(r"_x([0-9A-Fa-f]{4})_")
_REFERENCE = re.compile(r"([A-Za-z]{1,3})([0-9]{1,7})")
#: Serial 0 by date system; naive on purpose, a workbook knows no time zones.
_EPOCHS = {False: datetime.datetime(1899, 12, 30), True: datetime.datetime(1904, 1, 1)}  # noqa: DTZ001


def unescape(text: str) -> str:
    """Text with `_x000D_` escapes decoded (ST_Xstring)."""
    if "_x" not in text:
        return text
    return _ESCAPE.sub(lambda match: chr(int(match.group(1), 16)), text)


def whole(text: str | None, default: int = 0) -> int:
    """A stored count, index or position; the default where the text is none or has more digits than any of these."""
    return int(text) if text and len(text) < 10 and text.isdecimal() else default


def is_true(value: str | None) -> bool:
    """Whether an attribute's text is a true xsd:boolean."""
    return value is not None and value.strip() in ("1", "true", "on")


def number_text(value: float) -> str:
    """A number at the 15 significant digits a spreadsheet keeps: `1` for 1.0, no exponent where none is needed."""
    if value == 0:
        return "0"
    if value != value or value in (float("inf"), float("-inf")):
        return str(value)
    if value == int(value) and abs(value) < 1e15:
        return str(int(value))
    return repr(float(f"{value:.15g}")).removesuffix(".0")


@lru_cache(maxsize=65536)
def column_letters(number: int) -> str:
    """`A` for 1, `AA` for 27."""
    out = ""
    while number > 0:
        number, rest = divmod(number - 1, 26)
        out = chr(65 + rest) + out
    return out


def column_number(letters: str) -> int | None:
    """1 for `A`, 27 for `AA`; None for what is no column."""
    number = 0
    for char in letters.upper():
        if not "A" <= char <= "Z":
            return None
        number = number * 26 + ord(char) - 64
    return number if 1 <= number <= MAX_COLUMN else None


def cell_name(row: int, column: int) -> str:
    """`B6` for (6, 2)."""
    return f"{column_letters(column)}{row}"


def serial_of_iso(text: str, date1904: bool) -> float | None:
    """The serial number of an ISO 8601 date, time or both (cells of type `d`); None where it is none."""
    clean = text.strip().removesuffix("Z")
    epoch = _EPOCHS[date1904]
    try:
        if re.match(r"\d\d:\d\d", clean):
            moment = datetime.datetime.combine(epoch.date(), datetime.time.fromisoformat(clean))
        else:
            moment = datetime.datetime.fromisoformat(clean).replace(tzinfo=None)
    except ValueError:
        return None
    serial = (moment - epoch) / datetime.timedelta(days=1)
    if not date1904 and (moment.year, moment.month) in ((1900, 1), (1900, 2)):
        serial -= 1  # serial 60 is the 29 February 1900 that never was
    return serial


def iso_of_serial(serial: float, date1904: bool) -> str | None:
    """ISO text of a serial number: a date, a time (below one day) or both; None where the calendar ends."""
    if not -1 < serial < 2_958_466:
        return None
    days, milliseconds = divmod(round(serial * 86_400_000), 86_400_000)
    if days < 0:
        return None
    time = (_EPOCHS[True] + datetime.timedelta(milliseconds=milliseconds)).time()
    shown = time.isoformat(timespec="milliseconds") if milliseconds % 1000 else time.isoformat()
    if days == 0 and not date1904:
        return shown
    if date1904 or days > 60:
        day = (_EPOCHS[date1904] + datetime.timedelta(days=days)).date().isoformat()
    else:
        day = "1900-02-29" if days == 60 else (_EPOCHS[False] + datetime.timedelta(days=days + 1)).date().isoformat()
    return f"{day}T{shown}" if milliseconds else day


def split_reference(text: str) -> tuple[int, int] | None:
    """(row, column) of a cell reference without sheet, `$` ignored; None where it is none."""
    match = _REFERENCE.fullmatch(text.replace("$", ""))
    if match is None:
        return None
    row = int(match.group(2))
    column = 0
    for char in match.group(1).upper():
        column = column * 26 + ord(char) - 64
    return (row, column) if 1 <= row <= MAX_ROW and column <= MAX_COLUMN else None


COLUMNS = {column_letters(number): number for number in range(1, 703)}
