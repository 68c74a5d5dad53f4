"""Quantities in text: numbers with what they are of, as amounts that can be compared whatever way they are written.

`500,000` = `500 000` = `500.000` (by language) = `50 万` = `five hundred thousand` = `0.5 m`. A number is found whole:
`500,000` is not in `1,500,000`, nor `25` in `2025`. docs/anchors.md says what is read and what is not.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from itertools import zip_longest

from docops.families.dates import find_dates
from docops.families.locales import Lexicon, lexicon
from docops.families.number_words import Number, chinese_numbers, chinese_value, word_numbers
from docops.families.text_profiles import normalise


@dataclass(frozen=True, slots=True)
class Quantity:
    """One quantity found in a text.

    start, end: where it stands in the text normalised by `typographic`.   text: as written there.
    low, high: the amount in `unit` (equal but for ranges).
    unit: what it is of (`EUR`, `%`, `s`, `month`, `m`, …), `date` for dates, "" for plain numbers.
    quantum: what one unit of the last written place is worth, for rounding.
    factor: what the number as written was multiplied with, by its scale and its unit.
    relation: `=`, `>=`, `>`, `<=`, `<` or `~`.
    kind: `digits`, `words`, `numerals`, `fraction` or `date`.   ordinal: first, 3rd.
    """

    start: int
    end: int
    text: str
    low: Decimal
    high: Decimal
    unit: str = ""
    quantum: Decimal = Decimal(1)
    relation: str = "="
    kind: str = "digits"
    ordinal: bool = False
    date: str = ""
    factor: Decimal = Decimal(1)


_DIGIT = re.compile(r"\d+")
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_VULGAR = {char: Decimal(int(top)) / int(below) for char in "½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞" for top, _, below in [unicodedata.normalize("NFKC", char).partition("\u2044")]}
_EXPONENT = re.compile(r"[eE]([+-]?\d{1,2})(?![\w.])| ?[x×·*] ?10(?:\^([+-]?\d{1,2})|([⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,2}))")
#: 2 1/2.
_MIXED = re.compile(r" (\d)/(\d{1,2})(?![\d/.,])")
#: Groups by full stops where the language has others, told by what follows: 1.234,50, 1.234.567.
_OTHER_GROUPS = re.compile(r"(?:\.\d{3})+(?=,\d)|(?:\.\d{3}){2,}(?!\d)")
_ORDINAL_SUFFIX = re.compile(r"(?:st|nd|rd|th|er|re|ère|ème|e)(?!\w)")

#: Words before a number that say how it is meant; longest first.
_BEFORE: tuple[tuple[str, str], ...] = tuple(
    sorted(
        (
            (cue, relation)
            for relation, cues in (
                (">=", ("≥", ">=", "at least", "no less than", "not less than", "no fewer than", "not fewer than", "a minimum of", "minimum of", "minimum", "min.", "mindestens", "mind.", "ab", "nicht weniger als", "wenigstens", "au moins", "au minimum", "pas moins de", "至少", "不少于", "不少於", "不低于", "不低於", "最低", "少なくとも", "最低でも", "لا يقل عن", "على الأقل", "לפחות", "לא פחות מ")),
                ("<=", ("≤", "<=", "up to", "at most", "no more than", "not more than", "not exceeding", "a maximum of", "maximum of", "maximum", "max.", "not to exceed", "höchstens", "bis zu", "maximal", "nicht mehr als", "au plus", "au maximum", "jusqu'à", "pas plus de", "最多", "不超过", "不超過", "至多", "最高", "不高于", "最大", "حتى", "لا يزيد عن", "כל היותר", "עד", "לא יותר מ")),
                (">", (">", "more than", "over", "above", "exceeding", "in excess of", "mehr als", "über", "plus de", "超过", "超過", "大于", "高于", "أكثر من", "יותר מ")),
                ("<", ("<", "less than", "fewer than", "below", "under", "weniger als", "unter", "moins de", "少于", "少於", "低于", "小于", "不足", "أقل من", "פחות מ")),
                ("~", ("~", "≈", "about", "approximately", "approx.", "approx", "around", "roughly", "circa", "ca.", "c.", "nearly", "almost", "some", "etwa", "rund", "ungefähr", "zirka", "knapp", "environ", "à peu près", "près de", "约", "約", "大约", "大約", "およそ", "حوالي", "نحو", "כ-", "בערך")),
            )
            for cue in cues
        ),
        key=lambda pair: -len(pair[0]),
    )
)  # fmt: skip
_CUES_BEFORE = tuple(cue for cue, _ in _BEFORE)
#: What stands before a number of per cent → its factor.
_PERCENT_BEFORE = {"百分之": Decimal(1), "千分之": Decimal("0.1"), "万分之": Decimal("0.01"), "%": Decimal(1), "yüzde": Decimal(1)}
#: Units that another one after a stroke makes something else of.
_MEASURES = frozenset({"m", "m2", "l", "g", "kWh", "kW", "MB"})
_MINUS = re.compile(r"(?<!\w)(?:minus|negative|(?<!au )(?<!pas )(?<!ou )moins|负|負|マイナス) ?$", re.IGNORECASE)
_NAME_STOP = re.compile(r"[,;:!?()\[\]{}|=\d]")
_AFTER: tuple[tuple[str, str], ...] = (
    ("以上", ">="), ("以下", "<="), ("以内", "<="), ("以內", "<="), ("未満", "<"), ("未满", "<"), ("左右", "~"), ("程度", "~"), ("前後", "~"), ("or more", ">="), ("or less", "<="),
    ("oder mehr", ">="), ("ou plus", ">="), ("or fewer", "<="), ("and more", ">="), ("and above", ">="), ("and over", ">="), ("or above", ">="), ("at least", ">="), ("minimum", ">="),
    ("at most", "<="), ("maximum", "<="), ("or so", "~"), ("und mehr", ">="), ("oder weniger", "<="), ("mindestens", ">="), ("höchstens", "<="), ("et plus", ">="), ("ou moins", "<="), ("au moins", ">="),
    ("au minimum", ">="), ("au maximum", "<="), ("au plus", "<="), ("o más", ">="), ("o menos", "<="), ("o più", ">="), ("o meno", "<="), ("ou mais", ">="), ("ou menos", "<="), ("of meer", ">="), ("of minder", "<="),
)
#: Between a number and its unit: 3+ years, 3 or more years.
_AMID = re.compile(r"\+|(?: (?:or|oder|ou|and|und|et) (?:(more|mehr|plus)|(?:fewer|less|weniger|moins)))(?= )")  # fmt: skip
_LINK = re.compile(r" ?d'| d[ei] (?=\w)")
#: 1億2000万: parts that go down in size, written one after the other.
_COMPOUND = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?(?:[万萬亿億兆千만억조천] ?\d+(?:,\d{3})*(?:\.\d+)?)*[万萬亿億兆千만억조천] ?\d+(?:,\d{3})*(?:\.\d+)?[万萬亿億千만억천]?(?![\d.,])")
_COMPOUND_PART = re.compile(r"(\d+(?:,\d{3})*(?:\.\d+)?)([万萬亿億兆千만억조천]?)")
_COMPOUND_SCALES = {"千": 3, "천": 3, "万": 4, "萬": 4, "만": 4, "亿": 8, "億": 8, "억": 8, "兆": 12, "조": 12, "": 0}
#: What may stand around an amount in brackets that is negative as accountants write it.
_ACCOUNT_BEFORE = re.compile(r"(?:^|[:\t|=]) ?$")
_RANGE_JOINS = re.compile(r" ?(?:-|~|〜|～) ?| (?:to|bis|à|bis zu) | ?(?:至|到|から) ?")
_BETWEEN = re.compile(r"(?:between|zwischen|entre|from|von|de|בין|بين) $", re.IGNORECASE)
_AND = re.compile(r" (?:and|und|et|to|bis|à|ל-?|و) ?")
#: What a plain number must not touch: it would be part of a code, a version, a reference.
_CODE_BEFORE = re.compile(r"[A-Za-z]-?$|[\w]_$|\d[.,:/]$|#$|§ ?$")


@lru_cache(maxsize=4096)
def find_quantities(text: str, language: str = "en") -> tuple[Quantity, ...]:
    """Every quantity in a text, in order; readings that exclude each other (`0.5 m`: metres, million) follow one another.

    text: as stored; it is normalised by the profile `typographic` before.
    Raises ValueError for an unknown language.
    """
    return tuple(_merge_ranges(_found(_ascii_digits(normalise(text, "typographic"), lexicon(language)), lexicon(language)), text))


def _ascii_digits(text: str, words: Lexicon) -> str:
    """The text with the digits and separators of every script as those of the language, position by position."""
    if text.isascii():
        return text
    other = {"٫": words.decimal, "٬": words.group, "٪": "%", "،": ","}
    return "".join(other.get(char) or (str(unicodedata.decimal(char)) if char.isdecimal() else char) for char in text)


def _found(text: str, words: Lexicon) -> list[Quantity]:
    dates = list(find_dates(text, words))
    in_date = _overlap([(date.start, date.end) for date in dates])
    out = [Quantity(d.start, d.end, text[d.start : d.end], Decimal(0), Decimal(0), "date", kind="date", date=d.iso) for d in dates]
    numbers = [number for number in _numbers(text, words) if not in_date(number)]
    in_fraction = _overlap([(number.start, number.end) for number in numbers if number.kind == "fraction"])
    numbers = [number for number in numbers if number.kind == "fraction" or not in_fraction(number)]
    for number in _without_doubles(text, sorted(numbers, key=lambda number: number.start)):
        out.extend(_readings(text, number, words))
    return sorted(out, key=lambda quantity: (quantity.start, quantity.end))


def _overlap(places: Sequence[tuple[int, int]]) -> Callable[[Number], bool]:
    """Whether a number lies over one of some places that do not lie over each other."""
    ordered = sorted(places)
    starts = [start for start, _ in ordered]

    def over(number: Number) -> bool:
        at = bisect_left(starts, number.end)
        return at > 0 and ordered[at - 1][1] > number.start

    return over


def _without_doubles(text: str, numbers: Sequence[Number]) -> Iterator[Number]:
    """The numbers, `ninety (90)` and `90 (ninety)` as one."""
    skip = False
    for number, following in zip_longest(numbers, numbers[1:]):
        if skip:
            skip = False
        elif following is not None and text[number.end : following.start] in (" (", "(") and text[following.end : following.end + 1] == ")" and number.value == following.value:
            skip = True
            yield replace(number, end=following.end + 1, kind="digits")
        else:
            yield number


def _numbers(text: str, words: Lexicon) -> Iterator[Number]:
    digits = list(_digit_numbers(text, words))
    yield from digits
    spans = [(number.start, number.end) for number in digits]
    starts = {start for start, _ in spans}
    ends = {end for _, end in spans}
    written = list(word_numbers(text, words.language))
    in_digits, in_words = _overlap(spans), _overlap([(number.start, number.end) for number in written])
    for number in [*written, *(number for number in chinese_numbers(text) if not in_words(number))]:
        if number.start in ends or number.end in starts:
            continue  # 5千, 3百 are scales of digits
        if number.start - 1 in ends and text[number.start - 1] == " " and text[number.start : number.end].split()[0].casefold() in words.scales:
            continue  # 500 mille
        if not in_digits(number):
            yield number


def _digit_numbers(text: str, words: Lexicon) -> Iterator[Number]:
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
        if (part_of_code and not _currency_before(text, number.start, words)) or re.match(r"[.,:/]\d", text[at : at + 2]):
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
        separators = {words.group, " ", "'"}
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


def _readings(text: str, number: Number, words: Lexicon) -> list[Quantity]:
    """The quantities that a number may be, with the names and the sign around it."""
    start, sign = _sign_before(text, number.start)
    unit = ""
    money = _currency_before(text, start, words)
    if money is not None:
        unit, start = money
        if sign > 0:
            start, sign = _sign_before(text, start)
    before = text[max(0, start - 6) : start]
    percent = next((name for name in _PERCENT_BEFORE if before.casefold().rstrip(" ").endswith(name)), None)
    if percent is not None and not (percent == "%" and before.rstrip(" ")[:-1][-1:].isdigit()):
        factor = _PERCENT_BEFORE[percent]
        return [_made(text, start - len(before) + before.casefold().rindex(percent), number.end, sign * factor, "%", number, words)]
    readings = [
        _made(text, start, end, sign * factor, name, number, words, relation)
        for end, factor, name, relation in _with_names(text, number, unit, words)
    ]
    if number.kind == "numerals" and number.end - number.start == 1 and all(not reading.unit and reading.end == number.end for reading in readings) and not number.ordinal:
        return []  # 一 in 一般 is no number
    return _as_accounts(text, number, readings, words) if sign > 0 else readings


def _sign_before(text: str, start: int) -> tuple[int, int]:
    """Where a number starts with its sign, and 1 or -1."""
    if text[max(0, start - 1) : start] in ("-", "+") and _is_sign(text, start - 1):
        return start - 1, -1 if text[start - 1] == "-" else 1
    word = _MINUS.search(text[max(0, start - 10) : start])
    return (start - len(word.group()), -1) if word is not None else (start, 1)


def _with_names(text: str, number: Number, unit: str, words: Lexicon) -> list[tuple[int, Decimal, str, str]]:
    """(end, factor, unit, relation) of every reading of a number with the scale and unit that follow it; unit: one that stands before it."""
    end, relation = number.end, "="
    amid = _AMID.match(text, end) if not number.ordinal else None
    if amid is not None:
        end, relation = amid.end(), ">=" if amid.group() == "+" or amid.group(1) else "<="
    out: list[tuple[int, Decimal, str, str]] = []
    choices = [(end, 0)]
    scale_end, power = _scale_after(text, end, words, bool(unit))
    if scale_end is not None and not number.ordinal:
        choices.insert(0, (scale_end, power))
        second, more = _scale_after(text, scale_end, words, bool(unit))
        if second is not None:
            choices.insert(0, (second, power + more))
    for at, exponent in choices:
        factor = Decimal(1).scaleb(exponent)
        if unit:
            out.append((_currency_again(text, at, unit, words), factor, unit, relation))
            break
        named = _units_after(text, at, words)
        if named:
            out += [(stop, factor * share, base, relation) for stop, base, share in named]
            if at != end:
                break
        elif at != end:
            out.append((at, factor, "", relation))
            if text[end:at].strip() not in ("m", "t", "h", "s", "g", "l"):
                break
        elif not out:
            out.append((at, factor, "", relation))
    if number.ordinal and out[0][2]:
        out.append((end, Decimal(1), "", relation))
    return out


def _as_accounts(text: str, number: Number, readings: list[Quantity], words: Lexicon) -> list[Quantity]:
    """The readings, negative where the amount stands in brackets as accountants write it; both where prose leaves it open."""
    first = readings[0]
    start, end = min(first.start, number.start), first.end
    around = (text[max(0, start - 1) : start], text[end : end + 1])
    inside = text[max(0, number.start - 1) : number.start], text[number.end : number.end + 1]
    if number.kind != "digits" or number.ordinal or not (around == ("(", ")") or inside == ("(", ")")):
        return readings
    if around == ("(", ")"):
        first_place, after = start - 1, end + 1
    else:
        first_place, after = number.start - 1, number.end + 1
    money = _currency_before(text, first_place, words)
    named = _units_after(text, after, words)
    unit, outer = (money[0], money[1]) if money is not None else ("", first_place)
    factor = Decimal(1)
    if not unit and named and not first.unit:
        after, unit, factor = named[0]
    negative = [
        replace(item, low=-item.high * factor, high=-item.low * factor, unit=item.unit or unit, start=outer, end=max(after, item.end), text=text[outer : max(after, item.end)])
        for item in readings
    ]
    if money is not None or (named and not first.unit):
        return negative
    if _ACCOUNT_BEFORE.search(text[max(0, outer - 2) : outer]) and text[after : after + 1] in ("", "\n", "\t", "|", ";"):
        parenthetical = text[first.start].isalpha() or text[number.start : number.end].isdigit()
        return [*readings, *negative] if parenthetical else negative
    return [*readings, *negative] if re.search(r"[.,]", text[number.start : number.end]) and not first.unit else readings


def _currency_again(text: str, end: int, code: str, words: Lexicon) -> int:
    """Where a quantity with its currency before it ends, if the currency's name follows as well (新臺幣50萬元, US$ 5 dollars)."""
    named = _units_after(text, end, words)
    if named and (named[0][1] == code or text[named[0][0] - 1] in "元圓圆"):
        return named[0][0]
    return end


def _made(text: str, start: int, end: int, factor: Decimal, unit: str, number: Number, words: Lexicon, relation: str = "=") -> Quantity:
    begin = start
    if relation == "=":
        relation, begin = _relation_before(text, start)
    if relation == "=":
        relation, end = _relation_after(text, end)
    value = number.value * factor
    return Quantity(begin, end, text[begin:end], value, value, unit, number.quantum * abs(factor), relation, number.kind, number.ordinal, factor=abs(factor))


def _relation_after(text: str, end: int) -> tuple[str, int]:
    """What the words behind an amount say of it, and where they end."""
    following = text[end : end + 16].casefold()
    if following.startswith("+"):
        return ">=", end + 1
    trimmed = following.removeprefix(" ")
    for cue, meaning in _AFTER:
        if trimmed.startswith(cue):
            rest = trimmed[len(cue) :]
            if cue.isascii() and (rest[:1].isalnum() or re.match(r" \d", rest)):
                continue  # paid in 90 days at least 3 times
            return meaning, end + len(following) - len(trimmed) + len(cue)
    return "=", end


def _is_sign(text: str, at: int) -> bool:
    """Whether the hyphen at a place is a sign: nothing, a space or a bracket stands before it, and no number that it joins."""
    before = text[max(0, at - 1) : at]
    if before in ("", "(", "[", ":", ";", "=", "|", '"'):
        return True
    if before in ("€", "$", "£", "¥", "₹"):
        return not (at >= 2 and text[at - 2].isdigit())
    return before == " " and not (at >= 2 and (text[at - 2].isdigit() or text[at - 2] in "%€$£"))


def _relation_before(text: str, start: int) -> tuple[str, int]:
    window = text[max(0, start - 20) : start].casefold()
    if not window.strip():
        return "=", start
    trimmed = window.rstrip()
    if not trimmed.endswith(_CUES_BEFORE):
        return "=", start
    for cue, relation in _BEFORE:
        if trimmed.endswith(cue):
            head = trimmed[: -len(cue)]
            if cue[0].isalpha() and cue[0].isascii() and head and head[-1].isalpha():
                continue
            return relation, start - (len(window) - len(trimmed)) - len(cue)
    return "=", start


def _currency_before(text: str, start: int, words: Lexicon) -> tuple[str, int] | None:
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


def _scale_after(text: str, end: int, words: Lexicon, money: bool) -> tuple[int | None, int]:
    for size, at, name in _names_after(text, end, 12):
        power = words.scales.get(name)
        if power is None and (not (len(name) <= 3 and name.isascii()) or (len(name) > 1 and name in (name.capitalize(), name.upper()))):
            power = words.scales.get(name.casefold())
        if power is None and money and name in ("mm", "MM"):
            power = 6
        apart = text[at - 1 : at] == " "
        if power is not None and not (name in ("k", "K", "B") and apart and text[at + size : at + size + 1] not in ("€", "$", "£")):
            return at + size, power
    return None, 0


def _units_after(text: str, end: int, words: Lexicon) -> list[tuple[int, str, Decimal]]:
    """(end, unit, factor) of the name that follows a number; two for one that has two meanings (pounds)."""
    hyphened = text[end : end + 1] == "-" and text[end + 1 : end + 2].isalpha()
    if hyphened:
        end += 1  # a 90-day period
    linked = _LINK.match(text, end)
    if linked is not None:
        end = linked.end()
    for size, at, name in _names_after(text, end, words.longest):
        short = len(name) <= 3 and name.isascii()
        folded = name if short else name.casefold()
        found = words.units.get(folded)
        if found is None and short and len(name) > 1 and name in (name.capitalize(), name.upper()):
            found = words.units.get(name.casefold())
        code = words.money.get(folded)
        if found is not None and found[0] in _MEASURES and re.match(r"/\w", text[at + size : at + size + 2]):
            continue  # m/s
        if found is not None and not (hyphened and size == 1):
            return [(at + size, found[0], found[1]), *([(at + size, code, Decimal(1))] if code is not None else [])]
        if code is not None:
            return [(at + size, code, Decimal(1))]
    return []


def _names_after(text: str, end: int, longest: int) -> Iterator[tuple[int, int, str]]:
    """(length, start, text) of what may be a name after `end`, longest first, ending at a word's end."""
    at = end + 1 if text[end : end + 1] == " " else end
    following = text[at : at + longest + 1]
    stop = _NAME_STOP.search(following)
    if stop is not None:
        following = following[: stop.end()]
    for size in range(min(longest, len(following)), 0, -1):
        last, after = following[size - 1], following[size : size + 1]
        if (after and after in "²³") or (last.isalpha() and last.isascii() and after.isdigit()) or (size == 1 and last == "s" and at == end and text[max(0, end - 4) : end].isdigit()) or (after == "-" and following[size + 1 : size + 2].isalpha()):
            continue
        if last == " " or (last.isalpha() and last.isascii() and after.isalpha() and (after.isascii() or ord(after) < 0x250)):
            continue
        if last.isalpha() and not last.isascii() and after.isalpha() and (ord(last) < 0x800 or 0xFB00 < ord(last) < 0xFF00) and ord(after) < 0x800:
            continue
        yield size, at, following[:size]


def _merge_ranges(found: list[Quantity], original: str) -> Iterator[Quantity]:
    """Two amounts that a dash or `to` joins become one range; the unit of one counts for both."""
    text = _ascii_digits(normalise(original, "typographic"), lexicon("en")) if found else ""
    at = 0
    while at < len(found):
        left = found[at]
        after = next((index for index in range(at + 1, min(at + 4, len(found))) if found[index].start >= left.end), -1)
        right = found[after]
        if after >= 0 and left.unit != "date" and right.unit != "date" and left.relation == "=" and not left.ordinal and not right.ordinal:
            gap = text[left.end : right.start]
            low, high = left, right
            between = _BETWEEN.search(text[max(0, left.start - 10) : left.start])
            change = between is not None and between.group().strip().casefold() in ("from", "de", "von") and bool(left.unit or not right.unit)
            joined = bool(_RANGE_JOINS.fullmatch(gap)) and not change
            if (joined or (between is not None and _AND.fullmatch(gap) and between.group().strip().casefold() not in ("from", "de", "von"))) and low.high <= max(high.low, -high.low):
                choices = [other for other in found[after : after + 3] if other.start == right.start]
                ranges = [merged for merged in (_range(low, choice, text) for choice in choices) if merged is not None]
                if ranges:
                    yield from ranges
                    at = after + 1
                    while at < len(found) and found[at].start < ranges[0].end:
                        at += 1
                    continue
        yield left
        at += 1


def _range(low: Quantity, high: Quantity, text: str) -> Quantity | None:
    if low.unit and high.unit and low.unit != high.unit:
        return None
    if not low.unit and high.unit:
        low = replace(low, low=low.low * high.factor, high=low.high * high.factor, unit=high.unit)
    elif low.unit and not high.unit:
        if high.factor >= 1000 and low.low * high.factor <= high.high and low.low < 1000:
            low = replace(low, low=low.low * high.factor, high=low.high * high.factor)  # €1.2-1.4m
    top = abs(high.high)
    if low.low > top:
        return None
    return replace(low, high=top, end=high.end, text=text[low.start : high.end], relation="=")


def agrees(
    wanted: Quantity,
    found: Quantity,
    *,
    tolerance: Decimal = Decimal(0),
    relative: Decimal = Decimal(0),
    rounded: bool = False,
    relation: bool = True,
    days_per_month: int | None = None,
    any_unit: bool = False,
) -> bool:
    """Whether a quantity that was found says what is wanted.

    tolerance: absolute, in the unit that amounts are converted to;  relative: share of the wanted amount.
    rounded: the wanted amount, rounded to the places that the found one is written with, will do.
    relation: `at least`, `up to`, `about` count.   any_unit: a wanted number without a unit is met by one with any.
    """
    if found.unit == "date" and not wanted.unit and len(found.date) == 4:
        return wanted.low == wanted.high == int(found.date)  # 2026年 for 2026
    if wanted.ordinal != found.ordinal or (wanted.unit == "date") != (found.unit == "date"):
        return False
    if wanted.unit == "date":
        return wanted.date == found.date
    if relation and wanted.relation != found.relation and not (found.relation == "~" and wanted.relation == "=" and (rounded or tolerance or relative)):
        return False
    for amount, other, quantum in ((wanted.low, found.low, found.quantum), (wanted.high, found.high, found.quantum)):
        amount, other, same = _common(wanted.unit, amount, found.unit, other, days_per_month, any_unit)
        if not same:
            return False
        allowed = max(tolerance, relative * abs(amount))
        if abs(amount - other) <= allowed:
            continue
        if not (rounded and abs(amount - other) * 2 <= quantum):
            return False
    return True


def _common(wanted: str, amount: Decimal, found: str, other: Decimal, days: int | None, any_unit: bool) -> tuple[Decimal, Decimal, bool]:
    if wanted == found:
        return amount, other, True
    if {wanted, found} == {"s", "month"} and days:
        factor = Decimal(86400 * days)
        return (amount * factor if wanted == "month" else amount), (other * factor if found == "month" else other), True
    return amount, other, not wanted and (any_unit or bool(_ISO.fullmatch(found)))


_ISO = re.compile(r"[A-Z]{3}")


def read_quantity(text: str, language: str = "en") -> tuple[Quantity, ...]:
    """The quantity that a criterion writes, in all its readings.

    Raises ValueError where the text holds none or several.
    """
    found = find_quantities(text, language)
    if not found:
        raise ValueError(f"{text!r} holds no quantity that is read in {language!r}")
    start, end = min(item.start for item in found), max(item.end for item in found)
    first = found[0]
    if any(item.start >= first.end for item in found) or normalise(text, "typographic").strip() != normalise(text, "typographic")[start:end].strip():
        raise ValueError(f"{text!r} is not one quantity in {language!r}; read: {', '.join(item.text for item in found)}")
    return found
