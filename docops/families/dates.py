"""Dates in text: ISO, numeric by the language's order, with month names, Chinese and Japanese, Japanese eras."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from docops.families.locales import Lexicon
from docops.families.number_words import chinese_value


@dataclass(frozen=True, slots=True)
class Day:
    """A date found in a text: where, and as ISO 8601, to the day, the month or the year (`2026-03-03`, `2026-03`, `2026`)."""

    start: int
    end: int
    iso: str


_ISO_DATE = re.compile(r"(?<![\d.,/-])(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?![\d/-]|[.,]\d)(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?(?:Z|[+-]\d{2}:?\d{2})?)?")
_NUMERIC = re.compile(r"(?<![\d.,/-])(\d{1,2})([/.-])(\d{1,2})\2(\d{4}|\d{2})(?![\d/-]|[.,]\d)")
_HAN_NUMBER = r"(?:\d{1,4}|[〇零一二三四五六七八九十廿卅元]{1,4})"
_CHINESE = re.compile(rf"(令和|平成|昭和|民国|民國)?(?<!\d)({_HAN_NUMBER})年({_HAN_NUMBER})月(?:({_HAN_NUMBER})[日号號])?")
_KOREAN = re.compile(r"(?<!\d)(\d{4})년 ?(\d{1,2})월(?: ?(\d{1,2})일)?|(?<![\d.])(\d{4})\. ?(\d{1,2})\. (\d{1,2})\.")
_YEAR = re.compile(r"(?<!\d)((?:19|20)\d{2})年(?![\d间間以内])|(?<![\d.,])((?:19|20)\d{2})年度")
_ERAS = {"令和": 2018, "平成": 1988, "昭和": 1925, "民国": 1911, "民國": 1911}
_ORDINAL = r"(?:st|nd|rd|th|er|\.)?"


@lru_cache(maxsize=64)
def _named(months: tuple[str, ...]) -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    names = "|".join(re.escape(name) for name in sorted(months, key=len, reverse=True))
    return (
        re.compile(rf"(?<![\d.,/-])(\d{{1,2}}){_ORDINAL}[ -]?(?:of |de |ב)?({names})\.?,?(?: ?-?(?:de )?(\d{{4}})|-(\d{{2}}))(?!\d)", re.IGNORECASE),
        re.compile(rf"(?<!\w)({names})\.? (\d{{1,2}})(?:st|nd|rd|th)?,? (\d{{4}})(?!\d)", re.IGNORECASE),
        re.compile(rf"(?<!\w)(?:ב)?({names})\.?,? (?:de )?(\d{{4}})(?!\d)", re.IGNORECASE),
    )


def find_dates(text: str, words: Lexicon) -> Iterator[Day]:
    """Every date in a text, in no order, none inside another; numbers that are no day of the calendar are none."""
    taken: list[tuple[int, int]] = []
    for day in _candidates(text, words):
        if not any(start < day.end and day.start < end for start, end in taken):
            taken.append((day.start, day.end))
            yield day


def _candidates(text: str, words: Lexicon) -> Iterator[Day]:
    for match in _ISO_DATE.finditer(text):
        yield from _day(match, match.group(1), match.group(3), match.group(4))
    for match in _CHINESE.finditer(text):
        era, *parts = match.groups()
        year, month, day = (_number(part) if part else None for part in parts)
        if year is not None and month is not None:
            year = year + _ERAS[era] if era else year
            yield from _day(match, str(year), str(month), str(day) if day is not None else None)
    for match in _KOREAN.finditer(text):
        yield from _day(match, match.group(1) or match.group(4), match.group(2) or match.group(5), match.group(3) or match.group(6))
    for match in _NUMERIC.finditer(text):
        fields = dict(zip(words.order.replace("y", "") + "y", (match.group(1), match.group(3), match.group(4)), strict=True))
        if match.group(2) == ".":
            fields = {"d": match.group(1), "m": match.group(3), "y": match.group(4)}
        full = fields["y"] if len(fields["y"]) == 4 else "20" + fields["y"]
        if match.group(2) == "-" and len(fields["y"]) == 2:
            continue
        if int(fields["m"]) > 12 >= int(fields["d"]):
            fields["m"], fields["d"] = fields["d"], fields["m"]  # only one order makes it a date
        yield from _day(match, full, fields["m"], fields["d"])
    day_first, month_first, month_only = _named(tuple(words.months))
    for match in day_first.finditer(text):
        yield from _day(match, match.group(3) or "20" + match.group(4), _month(match.group(2), words), match.group(1))
    for match in month_first.finditer(text):
        yield from _day(match, match.group(3), _month(match.group(1), words), match.group(2))
    for match in month_only.finditer(text):
        yield from _day(match, match.group(2), _month(match.group(1), words), None)
    for match in _YEAR.finditer(text):
        yield Day(match.start(), match.end(), match.group(1) or match.group(2))


def _month(name: str, words: Lexicon) -> str:
    return str(words.months[name.casefold()])


def _number(text: str) -> int | None:
    if text == "元":
        return 1
    return int(text) if text.isdigit() else chinese_value(text)


def _day(match: re.Match[str], year: str, month: str, day: str | None) -> Iterator[Day]:
    try:
        found = date(int(year), int(month), int(day) if day is not None else 1)
    except ValueError:
        return
    yield Day(match.start(), match.end(), found.isoformat() if day is not None else f"{found.year:04}-{found.month:02}")
