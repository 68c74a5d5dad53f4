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
from docops.families.digits import currency_before, digit_numbers
from docops.families.locales import Lexicon, lexicon
from docops.families.number_words import Number, chinese_numbers, word_numbers
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


#: Words before a number that say how it is meant; longest first.
_BEFORE: tuple[tuple[str, str], ...] = tuple(
    sorted(
        (
            (cue, relation)
            for relation, cues in (
                (">=", ("≥", ">=", "at least", "no less than", "not less than", "no fewer than", "not fewer than", "a minimum of", "minimum of", "minimum", "min.", "mindestens", "mind.", "ab", "nicht weniger als", "wenigstens", "au moins", "au minimum", "pas moins de", "al menos", "por lo menos", "como mínimo", "mínimo", "almeno", "minimo", "ten minste", "minstens", "minimaal", "pelo menos", "no mínimo", "не менее", "至少", "不少于", "不少於", "不低于", "不低於", "最低", "少なくとも", "最低でも", "لا يقل عن", "على الأقل", "לפחות", "לא פחות מ")),
                ("<=", ("≤", "<=", "up to", "at most", "no more than", "not more than", "not exceeding", "a maximum of", "maximum of", "maximum", "max.", "not to exceed", "höchstens", "bis zu", "maximal", "nicht mehr als", "au plus", "au maximum", "jusqu'à", "pas plus de", "hasta", "como máximo", "máximo", "no más de", "fino a", "al massimo", "massimo", "non più di", "ten hoogste", "hoogstens", "maximaal", "até", "no máximo", "não mais de", "не более", "до", "最多", "不超过", "不超過", "至多", "最高", "不高于", "最大", "حتى", "لا يزيد عن", "כל היותר", "עד", "לא יותר מ")),
                (">", (">", "more than", "over", "above", "exceeding", "in excess of", "mehr als", "über", "plus de", "más de", "più di", "oltre", "meer dan", "mais de", "более", "超过", "超過", "大于", "高于", "أكثر من", "יותר מ")),
                ("<", ("<", "less than", "fewer than", "below", "under", "weniger als", "unter", "moins de", "menos de", "meno di", "minder dan", "менее", "少于", "少於", "低于", "小于", "不足", "أقل من", "פחות מ")),
                ("~", ("~", "≈", "about", "approximately", "approx.", "approx", "around", "roughly", "circa", "ca.", "c.", "nearly", "almost", "some", "etwa", "rund", "ungefähr", "zirka", "knapp", "environ", "à peu près", "près de", "aproximadamente", "unos", "alrededor de", "ongeveer", "cerca de", "около", "примерно", "约", "約", "大约", "大約", "およそ", "حوالي", "نحو", "כ-", "בערך")),
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
#: What may stand around an amount in brackets that is negative as accountants write it.
_ACCOUNT_BEFORE = re.compile(r"(?:^|[:\t|=]) ?$")
_RANGE_JOINS = re.compile(r" ?(?:-|~|〜|～) ?| (?:to|bis|à|bis zu|a|tot|tot en met) | ?(?:至|到|から) ?")
_BETWEEN = re.compile(r"(?:between|zwischen|entre|fra|tra|tussen|from|von|de|da|van|desde|בין|بين) $", re.IGNORECASE)
_FROM = ("from", "de", "von", "da", "van", "desde")
_AND = re.compile(r" (?:and|und|et|y|e|en|to|bis|à|a|ל-?|و) ?")


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
    digits = list(digit_numbers(text, words))
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


def _readings(text: str, number: Number, words: Lexicon) -> list[Quantity]:
    """The quantities that a number may be, with the names and the sign around it."""
    start, sign = _sign_before(text, number.start)
    unit = ""
    money = currency_before(text, start, words)
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
    money = currency_before(text, first_place, words)
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


def _scale_after(text: str, end: int, words: Lexicon, money: bool) -> tuple[int | None, int]:
    for size, at, name in _names_after(text, end, 12):
        power = words.scales.get(name)
        if power is None and (not (len(name) <= 3 and name.isascii()) or (len(name) > 1 and name in (name.capitalize(), name.upper()))):
            power = words.scales.get(name.casefold())
        if power is None and money and name in ("mm", "MM"):
            power = 6
        apart = text[at - 1 : at] == " "
        if power == 6 and name == "m" and re.match(r"/\w", text[at + size : at + size + 2]):
            continue  # m/s
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
            change = between is not None and between.group().strip().casefold() in _FROM and bool(left.unit or not right.unit)
            joined = bool(_RANGE_JOINS.fullmatch(gap)) and not change
            if (joined or (between is not None and _AND.fullmatch(gap) and between.group().strip().casefold() not in _FROM)) and low.high <= max(high.low, -high.low):
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
    elif low.unit and not high.unit and high.factor >= 1000 and low.low * high.factor <= high.high and low.low < 1000:
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
