"""Numbers in digits: groups and decimals by language, exponents, fractions, ordinal endings, parts by scale (1億2000万)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal

from docops.families.locales import Lexicon
from docops.families.number_words import Number, chinese_value

_DIGIT = re.compile(r"\d+")
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_VULGAR = {char: Decimal(int(top)) / int(below) for char in "½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞" for top, _, below in [unicodedata.normalize("NFKC", char).partition("\u2044")]}
_EXPONENT = re.compile(r"[eE]([+-]?\d{1,2})(?![\w.])| ?[x×·*] ?10(?:\^([+-]?\d{1,2})|([⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,2}))")
#: 2 1/2.
_MIXED = re.compile(r" (\d)/(\d{1,2})(?![\d/.,])")
#: Groups by full stops where the language has others, told by what follows: 1.234,50, 1.234.567.
_OTHER_GROUPS = re.compile(r"(?:\.\d{3})+(?=,\d)|(?:\.\d{3}){2,}(?!\d)")
_ORDINAL_SUFFIX = re.compile(r"(?:st|nd|rd|th|er|re|ère|ème|e)(?!\w)")
#: 1億2000万: parts that go down in size, written one after the other.
_COMPOUND = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?(?:[万萬亿億兆千만억조천] ?\d+(?:,\d{3})*(?:\.\d+)?){0,4}[万萬亿億兆千만억조천] ?\d+(?:,\d{3})*(?:\.\d+)?[万萬亿億千만억천]?(?![\d.,])")
_COMPOUND_PART = re.compile(r"(\d+(?:,\d{3})*(?:\.\d+)?)([万萬亿億兆千만억조천]?)")
_COMPOUND_SCALES = {"千": 3, "천": 3, "万": 4, "萬": 4, "만": 4, "亿": 8, "億": 8, "억": 8, "兆": 12, "조": 12, "": 0}
#: What a plain number must not touch: it would be part of a code, a version, a reference.
_CODE_BEFORE = re.compile(r"[A-Za-z]-?$|[\w]_$|\d[.,:/]$|#$|§ ?$")


def digit_numbers(text: str, words: Lexicon) -> Iterator[Number]:
    """Every number in digits, those that are part of a code left out."""
    at, code_end = 0, -1
    while True:
        match = _DIGIT.search(text, at)
        if match is None:
            break
        number = _compound(text, match.start()) or _read_digits(text, match.start(), words)
        at = number.end
        if number.start and text[number.start - 1] == words.decimal and not text[max(0, number.start - 2) : number.start - 1].isalnum():
            places = match.end() - match.start()  # .5
            number = replace(number, start=number.start - 1, value=number.value.scaleb(-places), quantum=Decimal(1).scaleb(-places))
        part_of_code = bool(_CODE_BEFORE.search(text[max(0, number.start - 4) : number.start])) or (code_end >= 0 and text[code_end : number.start] in ("-", "/"))
        if (part_of_code and not currency_before(text, number.start, words)) or re.match(r"[.,:/]\d", text[at : at + 2]):
            code_end = at
        else:
            yield number
    for match in re.finditer(r"(\d{1,4}|[一二三四五六七八九十百]{1,4})分[之の](\d{1,4}|[一二三四五六七八九十百]{1,4})", text):
        below, above = (int(part) if part.isdigit() else chinese_value(part) for part in match.groups())
        if below and above is not None and match.group(1) not in ("百", "千"):
            yield Number(match.start(), match.end(), Decimal(above) / below, Decimal("0.01"), "fraction")
    for match in re.finditer("[½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞]", text):
        if match.start() == 0 or not text[match.start() - 1].isdigit():
            yield Number(match.start(), match.end(), _VULGAR[match.group()], Decimal("0.01"), "fraction")


def _compound(text: str, start: int) -> Number | None:
    """The number of parts that go down in size (1億2000万, 3万5千), or None."""
    match = _COMPOUND.match(text, start)
    if match is None:
        return None
    total, last, end = Decimal(0), 99, start
    for part in _COMPOUND_PART.finditer(match.group().replace(" ", "_")):
        power = _COMPOUND_SCALES[part.group(2)]
        amount = Decimal(part.group(1).replace(",", ""))
        if power >= last or amount.scaleb(power) >= Decimal(1).scaleb(last):
            break
        total, last, end = total + amount.scaleb(power), power, start + part.end()
    return Number(start, end, total, Decimal(1).scaleb(last), "digits", text[max(0, start - 1) : start] == "第") if end == match.end() else None


def _read_digits(text: str, start: int, words: Lexicon) -> Number:
    """The number that starts with the digit at `start`, with groups, decimals, exponent, fraction and ordinal ending."""
    match = _DIGIT.match(text, start)
    assert match is not None  # noqa: S101 - the caller found a digit here
    whole, at = match.group(), match.end()
    if len(whole) <= 3 and whole != "0":
        separators = {words.group, " ", "'"} if start == 0 or not text[start - 1].isalpha() else {words.group}  # Q1 100
        separator = text[at : at + 1]
        if separator in separators - {""}:
            group = re.compile(rf"(?:{re.escape(separator)}\d{{3}}(?!\d))+|(?:{re.escape(separator)}\d{{2,4}})*{re.escape(separator)}\d{{3,4}}(?!\d)")
            found = group.match(text, at)
            if found is not None and _grouped(found.group(), separator, words):
                whole += found.group().replace(separator, "")
                at = found.end()
        elif separator == "." and words.decimal == ",":
            found = _OTHER_GROUPS.match(text, at)
            if found is not None:
                whole += found.group().replace(".", "")
                at = found.end()
    digits, places = whole, 0
    if text[at : at + 1] == words.decimal or (text[at : at + 1] == "." and words.decimal == "," and words.group != "."):
        found = _DIGIT.match(text, at + 1)
        if found is not None and not re.match(r"[.,]\d", text[found.end() : found.end() + 2]):
            digits, places, at = whole + found.group(), len(found.group()), found.end()
    if not places and re.match(r"[.,]-(?!\d)", text[at : at + 3]):
        at += 2  # 500.-
    digits = digits[:400]
    value, quantum = Decimal(digits).scaleb(-places), Decimal(1).scaleb(-places)
    kind, ordinal = "digits", False
    mixed = _MIXED.match(text, at)
    vulgar = _VULGAR.get(text[at : at + 1]) or (_VULGAR.get(text[at + 1 : at + 2]) if text[at : at + 1] == " " else None)
    exponent = _EXPONENT.match(text, at)
    fraction = re.compile(r"/(\d{1,4})(?![\d/.])").match(text, at)
    ending = _ORDINAL_SUFFIX.match(text, at)
    if exponent is not None:
        power = int(next(group for group in exponent.groups() if group).translate(_SUPERSCRIPTS))
        value, quantum, at = value.scaleb(power), quantum.scaleb(power), exponent.end()
    elif mixed is not None and not places and 0 < int(mixed.group(1)) < int(mixed.group(2)):
        value, at, kind, quantum = value + Decimal(int(mixed.group(1))) / int(mixed.group(2)), mixed.end(), "fraction", Decimal("0.01")
    elif vulgar is not None and not places:
        value, at, kind, quantum = value + vulgar, at + (1 if text[at] in _VULGAR else 2), "fraction", Decimal("0.01")
    elif fraction is not None and int(fraction.group(1)) and not places and len(whole) <= 2:
        value, at, kind, quantum = value / int(fraction.group(1)), fraction.end(), "fraction", Decimal("0.01")
    elif ending is not None and not places:
        at, ordinal = ending.end(), True
    return Number(start, at, value, quantum, kind, ordinal or (start > 0 and text[start - 1] == "第"))


#: Languages that group by lakhs and crores.
_LAKHS = frozenset({"en", "hi", "bn", "ta", "te", "mr", "gu", "kn", "ml", "pa", "ur", "ne"})


def _grouped(tail: str, separator: str, words: Lexicon) -> bool:
    """Whether groups of digits are legal: thousands, or lakhs and crores in English with commas."""
    groups = tail.split(separator)[1:]
    if all(len(group) == 3 for group in groups):
        return True
    return separator == "," and words.language in _LAKHS and len(groups[-1]) == 3 and all(len(group) == 2 for group in groups[:-1])


def currency_before(text: str, start: int, words: Lexicon) -> tuple[str, int] | None:
    """(ISO code, where its name starts) of a currency right before a place."""
    at = start
    if text[max(0, at - 1) : at] == " ":
        at -= 1
    for size in range(min(12, at), 0, -1):
        name = text[at - size : at]
        code = words.money.get(name) or (words.money.get(name.casefold()) if len(name) > 3 or not name.isascii() else None)
        if code is None or ((name.isascii() and (name[0].isalpha() or name[0] == "$")) and at - size > 0 and text[at - size - 1].isalpha()):
            continue
        return code, at - size
    return None
