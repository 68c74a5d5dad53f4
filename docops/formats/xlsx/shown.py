"""What a cell shows: a number by its format code, as an office program in English writes it (18.8.31)."""

from __future__ import annotations

import datetime
import re
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache

from docops.formats.xlsx.numberformats import TOKEN, is_date_code, section_of, sections_of, sign
from docops.formats.xlsx.values import iso_of_serial, number_text

_CURRENCY = re.compile(r"\[\$([^\]-]*)(?:-[^\]]*)?\]")
_LOCALE = re.compile(r"\[\$[^\]-]*-([0-9A-Fa-f]+)\]")
#: Languages of a format whose names of months and days are the English ones: none stated, the system's, English.
_ENGLISH = frozenset({0x09, 0x00})
_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December")
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_PLACES = "0#?"
_MOST_PLACES = 60


def shown_number(code: str, value: float, date1904: bool = False) -> str | None:
    """What a number looks like; None for codes that this does not draw (fractions, digits with text between them)."""
    section = section_of(code, "number", sign(value))
    if section is None or "General" in section:
        return number_text(value) if section == "General" else None
    if is_date_code(section):
        return _moment(section, value, date1904)
    negative = value < 0
    text = _number(section, abs(Decimal(repr(value))))
    if text is None:
        return None
    return "-" + text if negative and len(sections_of(code)) == 1 and any(char.isdigit() and char != "0" for char in text) else text


@lru_cache(maxsize=4096)
def _parts(section: str) -> tuple[tuple[str, str], ...]:
    """(kind, text) of the pieces of a section: `text`, `place`, `point`, `comma`, `percent`, `exponent`, `other`."""
    out: list[tuple[str, str]] = []
    for match in TOKEN.finditer(section):
        quoted, escaped, padding, bracket, exponent, word, char = match.groups()
        if quoted is not None or escaped is not None:
            out.append(("text", quoted if quoted is not None else escaped))
        elif padding is not None:
            out.append(("text", " " if padding[0] == "_" and padding != "_)" and padding != "_(" else ""))
        elif bracket is not None:
            currency = _CURRENCY.fullmatch(bracket)
            out.append(("text", currency.group(1) if currency is not None else ""))
        elif exponent is not None:
            out.append(("exponent", exponent))
        elif word is not None or char in "/@":
            out.append(("other", word or char))
        else:
            out.append(({".": "point", ",": "comma", "%": "percent"}.get(char, "place" if char in _PLACES else "text"), char))
    return tuple(out)


def _number(section: str, value: Decimal) -> str | None:
    parts = _parts(section)
    kinds = [kind for kind, _ in parts]
    places = [number for number, kind in enumerate(kinds) if kind == "place"]
    if "other" in kinds:
        return None
    if not places:
        return "".join(text for _, text in parts).strip()
    first, last = places[0], places[-1]
    inside = parts[first : last + 1]
    if any(kind in ("text", "percent") and text for kind, text in inside) or len(places) > _MOST_PLACES:
        return None
    whole: list[str] = []
    decimals: list[str] = []
    grouped, point, powers = False, "point" in kinds[:first], ""
    exponent = next((number for number, (kind, _) in enumerate(inside) if kind == "exponent"), None)
    for kind, text in inside[:exponent]:
        if kind == "point":
            point = True
        elif kind == "comma":
            grouped = True
        elif kind == "place":
            (decimals if point else whole).append(text)
    value *= 100 ** kinds.count("percent")
    thousands = 0
    while last + 1 + thousands < len(parts) and kinds[last + 1 + thousands] == "comma":
        thousands += 1
    value /= 1000**thousands
    if exponent is not None:
        power = value.adjusted() if value else 0
        value = value.scaleb(-power)
        if value.quantize(Decimal(1).scaleb(-len(decimals)), ROUND_HALF_UP) >= 10:
            value, power = value / 10, power + 1
        sign = "-" if power < 0 else "+" if "+" in inside[exponent][1] else ""
        powers = "E" + sign + str(abs(power)).zfill(sum(text == "0" for kind, text in inside[exponent:] if kind == "place"))
    rounded = format(value.quantize(Decimal(1).scaleb(-len(decimals)), ROUND_HALF_UP), "f")
    digits, _, fraction = rounded.partition(".")
    least = whole.count("0")
    digits = digits.lstrip("0").rjust(least, "0") if least else digits.lstrip("0")
    if grouped:
        digits = f"{int(digits or 0):,}".rjust(least, "0") if digits else digits
    optional = len(decimals) - len("".join(decimals).rstrip("#?"))
    while optional and fraction.endswith("0"):
        fraction, optional = fraction[:-1], optional - 1
    before = "".join(text for kind, text in parts[:first] if kind in ("text", "percent"))
    after = "".join(text for kind, text in parts[last + 1 :] if kind in ("text", "percent"))
    return (before + digits + ("." + fraction if fraction else "") + powers + after).strip()


def _moment(section: str, value: float, date1904: bool) -> str | None:
    stated = iso_of_serial(value, date1904)
    try:
        found = datetime.datetime.fromisoformat(stated if stated and "-" in stated[:5] else f"1900-01-01T{stated}")
    except ValueError:
        return None
    elapsed = datetime.timedelta(days=value)
    pieces = [(match.group(1) if match.group(1) is not None else match.group(2), match.group()) for match in _DATE_TOKEN.finditer(section)]
    halves = any(plain.upper() in ("AM/PM", "A/P") for _, plain in pieces)
    language = _LOCALE.search(section)
    english = language is None or (int(language.group(1), 16) & 0x3FF) in _ENGLISH or int(language.group(1), 16) >= 0xF000
    out: list[str] = []
    for number, (literal, plain) in enumerate(pieces):
        token = plain.lower()
        if literal is not None:
            out.append(literal)
        elif token[0] in "_*":
            out.append("")
        elif token.startswith("["):
            out.append(_elapsed(token, elapsed))
        elif token in ("am/pm", "a/p"):
            out.append(("AM" if found.hour < 12 else "PM")[: (len(token) - 1) // 2])
        elif token[0] == "m" and _is_minute(pieces, number):
            out.append(f"{found.minute:0{len(token)}d}" if len(token) < 3 else "")
        elif token[0] in "ymdhs":
            if token in ("mmm", "mmmm", "mmmmm", "ddd", "dddd") and not english:
                return None
            out.append(_field(token, found, halves))
        else:
            out.append(plain)
    return "".join(out).strip()


_DATE_TOKEN = re.compile(r'"([^"]*)"|\\(.)|[_*].|\[[^\]]*\]|AM/PM|A/P|y+|m+|d+|h+|s+(?:\.0+)?|.', re.IGNORECASE | re.DOTALL)


def _is_minute(pieces: list[tuple[str | None, str]], at: int) -> bool:
    """Whether an `m` is minutes: hours stand before it, or seconds behind it."""
    letters = [plain.lower().strip("[]")[:1] if literal is None else "" for literal, plain in pieces]
    before = next((letter for letter in reversed(letters[:at]) if letter in "ymdhs" and letter), "")
    after = next((letter for letter in letters[at + 1 :] if letter in "ymdhs" and letter), "")
    return before == "h" or after == "s"


def _elapsed(token: str, elapsed: datetime.timedelta) -> str:
    unit = token.strip("[]")[:1]
    if not re.fullmatch(r"\[(?:h+|m+|s+)\]", token):
        return ""
    seconds = round(elapsed.total_seconds())
    amount = {"h": seconds // 3600, "m": seconds // 60, "s": seconds}[unit]
    return str(amount).rjust(len(token) - 2, "0")


def _field(token: str, found: datetime.datetime, halves: bool) -> str:
    letter, size = token[0], len(token.partition(".")[0])
    if letter == "y":
        return f"{found.year % 100:02d}" if size < 3 else str(found.year)
    if letter == "m":
        name = _MONTHS[found.month - 1]
        return str(found.month).rjust(size, "0") if size < 3 else name[:3] if size == 3 else name[:1] if size == 5 else name
    if letter == "d":
        return str(found.day).rjust(size, "0") if size < 3 else _DAYS[found.weekday()][: 3 if size == 3 else None]
    if letter == "h":
        return str((found.hour % 12 or 12) if halves else found.hour).rjust(min(size, 2), "0")
    return str(found.second).rjust(min(size, 2), "0")
