"""Numbers written in words, in English, German and French, by tables (`number_tables.py`) in Arabic, Dutch, Hebrew, Italian,
Portuguese and Spanish, and in Chinese numerals: small, because the libraries for it rewrite a text instead of telling where
in it a number stands.

Other languages: digits only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from docops.families.number_tables import parts_of, table_of, value_of


@dataclass(frozen=True, slots=True)
class Number:
    """A number found in a text: where, its value, what one unit of its last place is worth, and how it was written.

    kind: `digits`, `words`, `numerals` (Chinese), `fraction`.   ordinal: first, 3rd, 第三.
    """

    start: int
    end: int
    value: Decimal
    quantum: Decimal
    kind: str
    ordinal: bool = False


_EN_UNITS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"]
_EN_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_EN = {**{word: n for n, word in enumerate(_EN_UNITS)}, **{word: 10 * n for n, word in enumerate(_EN_TENS, 2)}}
_EN_SCALES = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_EN_ORDINALS = {
    word: n
    for n, word in enumerate(
        ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth",
         "eighteenth", "nineteenth", "twentieth"], 1,
    )
} | {word[:-1] + "ieth": value for word, value in _EN.items() if value >= 30}  # fmt: skip
_EN_PARTS = {"half": 2, "halves": 2, "third": 3, "thirds": 3, "quarter": 4, "quarters": 4, "fifth": 5, "fifths": 5, "sixths": 6, "sevenths": 7, "eighths": 8, "ninths": 9, "tenth": 10, "tenths": 10}
_DE_ORDINALS = {"erst": 1, "zweit": 2, "dritt": 3, "viert": 4, "fünft": 5, "sechst": 6, "siebt": 7, "acht": 8, "neunt": 9, "zehnt": 10, "elft": 11, "zwölft": 12}
_DE_ORDINAL = re.compile("(" + "|".join(_DE_ORDINALS) + ")(?:e|er|es|en|em)")
_DE_HALVES = {"anderthalb": "1.5", "eineinhalb": "1.5", "einundeinhalb": "1.5", "zweieinhalb": "2.5", "zweiundeinhalb": "2.5", "dreieinhalb": "3.5", "viereinhalb": "4.5", "fünfeinhalb": "5.5"}
_FR_ORDINALS = {"premier": 1, "première": 1, "deuxième": 2, "troisième": 3, "quatrième": 4, "cinquième": 5, "sixième": 6, "septième": 7, "huitième": 8, "neuvième": 9, "dixième": 10}
_DE_UNITS = {"null": 0, "ein": 1, "eins": 1, "eine": 1, "einen": 1, "einer": 1, "zwei": 2, "drei": 3, "vier": 4, "fünf": 5, "sechs": 6, "sieben": 7, "acht": 8, "neun": 9,
             "zehn": 10, "elf": 11, "zwölf": 12, "dreizehn": 13, "vierzehn": 14, "fünfzehn": 15, "sechzehn": 16, "siebzehn": 17, "achtzehn": 18, "neunzehn": 19}  # fmt: skip
_DE_TENS = {"zwanzig": 20, "dreißig": 30, "dreissig": 30, "vierzig": 40, "fünfzig": 50, "sechzig": 60, "siebzig": 70, "achtzig": 80, "neunzig": 90}
_FR = {word: n for n, word in enumerate(["zéro", "un", "deux", "trois", "quatre", "cinq", "six", "sept", "huit", "neuf", "dix", "onze", "douze", "treize", "quatorze", "quinze", "seize"])}
_FR |= {"une": 1, "vingt": 20, "vingts": 20, "trente": 30, "quarante": 40, "cinquante": 50, "soixante": 60, "septante": 70, "huitante": 80, "octante": 80, "nonante": 90}
_FR_SCALES = {"cent": 100, "cents": 100, "mille": 1000, "million": 10**6, "millions": 10**6, "milliard": 10**9, "milliards": 10**9}
_WORD = re.compile(r"[^\W\d_]+")
#: How many words a number has at most.
_MOST_WORDS = 24

_HAN_DIGITS = {char: n for chars, n in (("零〇", 0), ("一壹壱", 1), ("二贰貳弐两兩", 2), ("三叁參参", 3), ("四肆", 4), ("五伍", 5), ("六陆陸", 6), ("七柒", 7), ("八捌", 8), ("九玖", 9)) for char in chars}  # fmt: skip
_HAN_TENS = {char: n for chars, n in (("十拾", 10), ("百佰", 100), ("千仟", 1000)) for char in chars}
_HAN_SCALES = {"万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8, "兆": 10**12}
_HAN = re.compile("[" + "".join([*_HAN_DIGITS, *_HAN_TENS, *_HAN_SCALES, "廿卅"]) + "]+")


def word_numbers(text: str, language: str) -> Iterator[Number]:
    """Numbers in words, longest first at each place, in the language and, where its letters are others or it has no table, in English."""
    table = table_of(language)
    if table is not None:
        yield from _table_numbers(text, language)
        if not table.prefix:
            return  # "ten" is no number in Dutch
    words = [(match.start(), match.end(), match.group().casefold()) for match in _WORD.finditer(text)]
    at = 0
    while at < len(words):
        best: Number | None = None
        used = 1
        for read in [*([_READERS[language]] if language in _READERS else []), _read_english]:
            found, count = read(words, at, text)
            if found is not None and (best is None or count > used):
                best, used = found, count
        if best is not None:
            yield best
        at += used


_Words = list[tuple[int, int, str]]


def _joined(text: str, left: tuple[int, int, str], right: tuple[int, int, str]) -> bool:
    return text[left[1] : right[0]] in (" ", "-")


def _read_english(words: _Words, at: int, text: str) -> tuple[Number | None, int]:
    if words[at][2] in _EN_ORDINALS and not (words[at][2] in _EN_PARTS and at and words[at - 1][2] in ("a", "one") and _joined(text, words[at - 1], words[at])):
        return Number(words[at][0], words[at][1], Decimal(_EN_ORDINALS[words[at][2]]), Decimal(1), "words", True), 1
    if words[at][2] == "half" and at + 2 < len(words) and words[at + 1][2] == "a" and words[at + 2][2] in _EN_SCALES:
        return Number(words[at][0], words[at + 2][1], Decimal(_EN_SCALES[words[at + 2][2]]) / 2, Decimal(1), "words"), 3
    if words[at][2] == "a" and at + 1 < len(words) and _EN_PARTS.get(words[at + 1][2], 0) in (3, 4) and text[words[at + 1][1] : words[at + 1][1] + 3] == " of" and _joined(text, words[at], words[at + 1]):
        return Number(words[at][0], words[at + 1][1], Decimal(1) / _EN_PARTS[words[at + 1][2]], Decimal("0.01"), "fraction"), 2
    if words[at][2] == "half" and text[max(0, words[at][0] - 2) : words[at][0]].casefold() != "f ":
        return Number(words[at][0], words[at][1], Decimal("0.5"), Decimal("0.5"), "fraction"), 1
    total, part, end, seen, last = 0, 0, at, False, 0
    position = at
    while position < len(words):
        word = words[position][2]
        following = words[position + 1][2] if position + 1 < len(words) else ""
        if position > at and not _joined(text, words[position - 1], words[position]) and not (
            last >= 1000 and word in _EN and following == "hundred" and text[words[position - 1][1] : words[position][0]] == ", "
        ):
            break
        if word == "and" and seen and last >= 100 and following in _EN:
            position += 1
            continue
        if word == "a" and not seen and following in _EN_SCALES:
            part, seen, last = 1, True, 1
        elif word in _EN:
            value = _EN[word]
            if seen and (last < 20 or (last < 100 and value >= 10) or (last < 100 and value == 0)):
                break
            part, last, seen = part + value, value, True
        elif word in _EN_SCALES and seen:
            scale = _EN_SCALES[word]
            if scale == 100:
                part *= 100
            else:
                total, part = total + part * scale, 0
            last = scale
        else:
            break
        position += 1
        end = position
    if not seen or end == at:
        return None, 1
    amount = Decimal(total + part)
    then = [word for _, _, word in words[end : end + 3]]
    if then and then[0] in _EN_PARTS and _joined(text, words[end - 1], words[end]) and (amount < 100 or words[end][2].endswith("s")):
        return Number(words[at][0], words[end][1], amount / _EN_PARTS[then[0]], Decimal("0.01"), "fraction"), end + 1 - at
    if then and then[0] in _EN_ORDINALS and amount >= 20 and _EN_ORDINALS[then[0]] < (10 if last >= 20 else 100) and _joined(text, words[end - 1], words[end]):
        return Number(words[at][0], words[end][1], amount + _EN_ORDINALS[then[0]], Decimal(1), "words", True), end + 1 - at
    if then[:2] == ["and", "a"] and then[2:] and then[2] in ("half", "quarter") and re.fullmatch(r" and a(?: |-)", text[words[end - 1][1] : words[end + 2][0]]):
        return Number(words[at][0], words[end + 2][1], amount + Decimal(1) / _EN_PARTS[then[2]], Decimal("0.01"), "fraction"), end + 3 - at
    if then[:1] == ["point"] and _EN.get(then[1] if len(then) > 1 else "", 10) < 10 and _joined(text, words[end - 1], words[end]):
        stop, digits = end + 1, ""
        while stop < len(words) and _EN.get(words[stop][2], 10) < 10 and _joined(text, words[stop - 1], words[stop]):
            digits, stop = digits + str(_EN[words[stop][2]]), stop + 1
        return Number(words[at][0], words[stop - 1][1], amount + Decimal(digits).scaleb(-len(digits)), Decimal(1).scaleb(-len(digits)), "words"), stop - at
    return Number(words[at][0], words[end - 1][1], amount, Decimal(1), "words"), end - at


def _read_german(words: _Words, at: int, text: str) -> tuple[Number | None, int]:
    ordinal = _DE_ORDINAL.fullmatch(words[at][2])
    if ordinal is not None:
        return Number(words[at][0], words[at][1], Decimal(_DE_ORDINALS[ordinal.group(1)]), Decimal(1), "words", True), 1
    scales = {"million": 10**6, "millionen": 10**6, "milliarde": 10**9, "milliarden": 10**9}
    if words[at][2] in ("halbe", "halben") and at + 1 < len(words) and words[at + 1][2] in scales and _joined(text, words[at], words[at + 1]):
        return Number(words[at][0], words[at + 1][1], Decimal(scales[words[at + 1][2]]) / 2, Decimal(1), "words"), 2
    half = _DE_HALVES.get(words[at][2])
    value = german_compound(words[at][2])
    if half is None and value is None:
        return None, 1
    end, total = at + 1, Decimal(half if half is not None else value or 0)
    if end < len(words) and words[end][2] in scales and _joined(text, words[at], words[end]):
        total *= scales[words[end][2]]
        end += 1
    parts = {"drittel": 3, "viertel": 4, "fünftel": 5, "zehntel": 10}
    if end < len(words) and words[end][2] in parts and _joined(text, words[end - 1], words[end]):
        return Number(words[at][0], words[end][1], total / parts[words[end][2]], Decimal("0.01"), "fraction"), end + 1 - at
    return Number(words[at][0], words[end - 1][1], total, Decimal(1), "words"), end - at


def german_compound(word: str) -> int | None:
    """The value of one German number word (`fünfhunderttausend`), or None."""
    if word in _DE_UNITS:
        return _DE_UNITS[word]
    if word in _DE_TENS:
        return _DE_TENS[word]
    for name, scale in (("tausend", 1000), ("hundert", 100)):
        if name in word:
            before, _, after = word.partition(name)
            low = german_compound(before) if before else 1
            high = german_compound(after.removeprefix("und")) if after else 0
            if low is None or high is None or low >= 1000 or high >= scale:
                return None
            return low * scale + high
    for name, tens in _DE_TENS.items():
        if word.endswith("und" + name):
            unit = _DE_UNITS.get(word[: -len(name) - 3])
            return None if unit is None or unit > 9 else tens + unit
    return None


def _read_french(words: _Words, at: int, text: str) -> tuple[Number | None, int]:
    if words[at][2] in _FR_ORDINALS:
        return Number(words[at][0], words[at][1], Decimal(_FR_ORDINALS[words[at][2]]), Decimal(1), "words", True), 1
    if words[at][2] == "demi" and at + 1 < len(words) and words[at + 1][2] in ("million", "milliard") and _joined(text, words[at], words[at + 1]):
        return Number(words[at][0], words[at + 1][1], Decimal(_FR_SCALES[words[at + 1][2]]) / 2, Decimal(1), "words"), 2
    total, part, seen, end, last = 0, 0, False, at, 0
    position = at
    while position < len(words):
        word = words[position][2]
        if position > at and not _joined(text, words[position - 1], words[position]):
            break
        if word == "et" and seen and position + 1 < len(words) and words[position + 1][2] in ("un", "une", "onze"):
            position += 1
            continue
        if word in _FR:
            value = _FR[word]
            if value == 20 and last == 4 and part % 100 == 4:
                part += 76  # quatre-vingts
            elif seen and not (last >= 20 and value < 20):
                break
            else:
                part += value
            last = 60 if value == 60 else 80 if value == 20 and part % 100 == 80 else value
            if value == 10 and seen and part % 10 == 0:
                last = 20  # soixante-dix-sept, quatre-vingt-dix-neuf
        elif word == "dix" or (word in _FR_SCALES and (seen or word in ("cent", "mille"))):
            scale = _FR_SCALES[word]
            if scale == 100:
                part = max(part % 1000, 1) * 100
            else:
                total, part = total + max(part, 1) * scale, 0
            last = 100
        else:
            break
        seen = True
        position += 1
        end = position
    if not seen or end == at:
        return None, 1
    if end == at + 1 and words[at][2] in ("un", "une"):
        return Number(words[at][0], words[at][1], Decimal(1), Decimal(1), "words"), 1
    amount = Decimal(total + part)
    if last == 100 and not part and [word for _, _, word in words[end : end + 2]] == ["et", "demi"]:
        return Number(words[at][0], words[end + 1][1], amount + Decimal(_FR_SCALES[words[end - 1][2]]) / 2, Decimal(1), "words"), end + 2 - at
    return Number(words[at][0], words[end - 1][1], amount, Decimal(1), "words"), end - at


_READERS = {"de": _read_german, "fr": _read_french}


def _table_numbers(text: str, language: str) -> Iterator[Number]:
    """Numbers in words of a language whose parts are in a table."""
    words = [(match.start(), match.end(), match.group().casefold()) for match in _WORD.finditer(text)]
    at = 0
    while at < len(words):
        number, used = _read_table(words, at, text, language)
        if number is not None:
            yield number
        at += used


def _read_table(words: _Words, at: int, text: str, language: str) -> tuple[Number | None, int]:
    table = table_of(language)
    if table is None:
        return None, 1
    if words[at][2] in table.halves and at + 1 < len(words) and table.scales.get(words[at + 1][2], 0) > 1000 and _joined(text, words[at], words[at + 1]):
        return Number(words[at][0], words[at + 1][1], Decimal(table.scales[words[at + 1][2]]) / 2, Decimal(1), "words"), 2
    parts: list[str] = []
    best: Number | None = None
    used = 1
    for end in range(at, min(at + _MOST_WORDS, len(words))):
        found = parts_of(words[end][2], language) if end == at or _joined(text, words[end - 1], words[end]) else ()
        if not found:
            break
        parts += found
        value = value_of(parts, language)
        if value is not None:
            best, used = Number(words[at][0], words[end][1], Decimal(value), Decimal(1), "words"), end + 1 - at
    return best, used


def chinese_numbers(text: str) -> Iterator[Number]:
    """Numbers in Chinese numerals, everyday and financial: 五十万, 伍拾萬, 二〇二六, 第三; single ones too."""
    for match in _HAN.finditer(text):
        value = chinese_value(match.group())
        if value is None:
            continue
        ordinal = match.start() > 0 and text[match.start() - 1] == "第"
        yield Number(match.start(), match.end(), Decimal(value), Decimal(1), "numerals", ordinal)


def chinese_value(text: str) -> int | None:
    """The value of Chinese numerals, or None where they are none."""
    text = text.replace("廿", "二十").replace("卅", "三十")
    if all(char in _HAN_DIGITS for char in text):
        return int("".join(str(_HAN_DIGITS[char]) for char in text))
    total, section, digit = 0, 0, -1
    for char in text:
        if char in _HAN_DIGITS:
            digit = _HAN_DIGITS[char]
        elif char in _HAN_TENS:
            section += (1 if digit < 0 else digit) * _HAN_TENS[char]
            digit = -1
        else:
            section += max(digit, 0)
            if section == 0 and total == 0:
                return None
            total = (total + section) * _HAN_SCALES[char] if total and total < _HAN_SCALES[char] else total + section * _HAN_SCALES[char]
            section, digit = 0, -1
    return total + section + max(digit, 0)
