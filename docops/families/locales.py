"""What numbers, units, currencies, months and dates are called in a language: CLDR's tables, and what people write besides.

A language is a tag of BCP 47 (`en`, `en-GB`, `zh-Hant`). English names and the characters of Chinese numerals are known in
every language; separators and the order of dates are those of the language alone.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Any

from docops.families.text_profiles import normalise

#: CLDR's unit → (unit that amounts are converted to, factor).
UNITS: dict[str, tuple[str, str]] = {
    "duration-second": ("s", "1"),
    "duration-minute": ("s", "60"),
    "duration-hour": ("s", "3600"),
    "duration-day": ("s", "86400"),
    "duration-week": ("s", "604800"),
    "duration-month": ("month", "1"),
    "duration-quarter": ("month", "3"),
    "duration-year": ("month", "12"),
    "length-millimeter": ("m", "0.001"),
    "length-centimeter": ("m", "0.01"),
    "length-meter": ("m", "1"),
    "length-kilometer": ("m", "1000"),
    "length-inch": ("m", "0.0254"),
    "length-foot": ("m", "0.3048"),
    "length-mile": ("m", "1609.344"),
    "area-square-meter": ("m2", "1"),
    "area-square-kilometer": ("m2", "1000000"),
    "area-hectare": ("m2", "10000"),
    "area-square-foot": ("m2", "0.09290304"),
    "volume-milliliter": ("l", "0.001"),
    "volume-liter": ("l", "1"),
    "volume-cubic-meter": ("l", "1000"),
    "mass-milligram": ("g", "0.001"),
    "mass-gram": ("g", "1"),
    "mass-kilogram": ("g", "1000"),
    "mass-tonne": ("g", "1000000"),
    "mass-pound": ("g", "453.59237"),
    "energy-kilowatt-hour": ("kWh", "1"),
    "energy-megawatt-hour": ("kWh", "1000"),
    "energy-gigawatt-hour": ("kWh", "1000000"),
    "power-kilowatt": ("kW", "1"),
    "power-megawatt": ("kW", "1000"),
    "speed-kilometer-per-hour": ("km/h", "1"),
    "temperature-celsius": ("°C", "1"),
    "temperature-fahrenheit": ("°F", "1"),
    "digital-megabyte": ("MB", "1"),
    "digital-gigabyte": ("MB", "1000"),
}
#: Currencies whose names are read; ISO codes are read for all.
CURRENCIES = (
    "EUR", "USD", "GBP", "CHF", "JPY", "CNY", "HKD", "TWD", "AUD", "CAD", "NZD", "SGD", "INR", "SEK", "NOK", "DKK", "PLN", "CZK", "HUF", "RON", "RUB", "UAH", "TRY", "KRW", "THB", "ILS", "SAR",
    "AED", "EGP", "BRL", "MXN", "ZAR",
)  # fmt: skip

_PERCENT = {
    "%": "1", "percent": "1", "per cent": "1", "pct": "1", "pct.": "1", "por ciento": "1", "por cento": "1", "per cento": "1", "procent": "1", "процентов": "1", "процента": "1", "процент": "1",
    "퍼센트": "1", "प्रतिशत": "1", "割": "10", "في المائة": "1", "prozent": "1", "pour cent": "1", "v.h.": "1", "パーセント": "1", "بالمئة": "1", "في المئة": "1", "بالمائة": "1",
    "אחוז": "1", "אחוזים": "1", "‰": "0.1", "per mille": "0.1", "per mil": "0.1", "promille": "0.1", "pour mille": "0.1", "パーミル": "0.1",
    "bp": "0.01", "bps": "0.01", "basis points": "0.01", "basis point": "0.01", "basispunkte": "0.01", "basispunkt": "0.01", "basispunkten": "0.01",
    "points de base": "0.01", "point de base": "0.01", "个基点": "0.01", "個基點": "0.01", "基点": "0.01", "ベーシスポイント": "0.01",
}  # fmt: skip
_POINTS = ("%-points", "%-punkte", "%-punkt", "%-punkten", "percentage points", "percentage point", "pp", "pct. pts.", "prozentpunkte", "prozentpunkt", "prozentpunkten", "points de pourcentage", "point de pourcentage", "个百分点", "個百分點", "百分点", "百分點", "パーセントポイント")  # fmt: skip
_WORKDAYS = ("working days", "working day", "business days", "business day", "werktage", "werktagen", "arbeitstage", "arbeitstagen", "bankarbeitstage", "jours ouvrables", "jours ouvrés", "jour ouvrable", "个工作日", "個工作日", "工作日", "営業日")  # fmt: skip
#: Names that people write and CLDR does not list: language (or "" for all) → name → unit.
_MORE_UNITS: dict[str, dict[str, str]] = {
    "": {
        "m²": "area-square-meter", "km²": "area-square-kilometer", "m³": "volume-cubic-meter", "km": "length-kilometer", "cm": "length-centimeter", "mm": "length-millimeter",
        "m": "length-meter", "kg": "mass-kilogram", "g": "mass-gram", "mg": "mass-milligram", "t": "mass-tonne", "l": "volume-liter", "ml": "volume-milliliter", "ha": "area-hectare",
        "h": "duration-hour", "hrs": "duration-hour", "min": "duration-minute", "s": "duration-second", "kWh": "energy-kilowatt-hour", "MWh": "energy-megawatt-hour", "GWh": "energy-gigawatt-hour", "kW": "power-kilowatt", "MW": "power-megawatt",
        "km/h": "speed-kilometer-per-hour", "°C": "temperature-celsius", "°F": "temperature-fahrenheit", "℃": "temperature-celsius", "℉": "temperature-fahrenheit", "ºC": "temperature-celsius", "MB": "digital-megabyte", "GB": "digital-gigabyte",
        "天": "duration-day", "日": "duration-day", "日間": "duration-day", "个月": "duration-month", "個月": "duration-month", "か月": "duration-month", "ヶ月": "duration-month",
        "カ月": "duration-month", "ヵ月": "duration-month", "年": "duration-year", "年間": "duration-year", "周": "duration-week", "週": "duration-week", "週間": "duration-week",
        "星期": "duration-week", "小时": "duration-hour", "小時": "duration-hour", "時間": "duration-hour", "分钟": "duration-minute", "分鐘": "duration-minute",
        "周岁": "duration-year", "岁": "duration-year", "歳": "duration-year", "m2": "area-square-meter", "km2": "area-square-kilometer", "m3": "volume-cubic-meter", "公里": "length-kilometer", "米": "length-meter", "公斤": "mass-kilogram", "千克": "mass-kilogram", "吨": "mass-tonne", "平方米": "area-square-meter",
    },
    "en": {
        "calendar days": "duration-day", "calendar day": "duration-day", "metre": "length-meter", "metres": "length-meter", "meters": "length-meter", "kilometres": "length-kilometer",
        "litres": "volume-liter", "litre": "volume-liter", "tonnes": "mass-tonne", "square metres": "area-square-meter", "sq m": "area-square-meter", "lbs": "mass-pound", "kilo": "mass-kilogram", "kilos": "mass-kilogram", "kilowatt hours": "energy-kilowatt-hour", "kilowatt hour": "energy-kilowatt-hour", "yr": "duration-year",
        "yrs": "duration-year", "mos": "duration-month",
    },
    "de": {
        "kalendertage": "duration-day", "kalendertagen": "duration-day", "tagen": "duration-day", "tages": "duration-day", "monaten": "duration-month", "monats": "duration-month",
        "jahren": "duration-year", "jahres": "duration-year", "metern": "length-meter", "kilometern": "length-kilometer", "qm": "area-square-meter", "std.": "duration-hour",
        **dict.fromkeys(("tägig", "tägige", "tägigen", "tägiger", "tägiges"), "duration-day"), **dict.fromkeys(("monatig", "monatige", "monatigen"), "duration-month"),
        **dict.fromkeys(("jährig", "jährige", "jährigen"), "duration-year"),
    },
    "fr": {"jours calendaires": "duration-day", "ans": "duration-year", "an": "duration-year", "années": "duration-year", "année": "duration-year"},
    "ar": {"يوما": "duration-day", "يوم": "duration-day", "أيام": "duration-day", "شهرا": "duration-month", "أشهر": "duration-month", "شهر": "duration-month", "سنوات": "duration-year", "سنة": "duration-year", "ساعة": "duration-hour"},
    "he": {"יום": "duration-day", "ימים": "duration-day", "חודשים": "duration-month", "חודש": "duration-month", "שנים": "duration-year", "שנה": "duration-year", "שעות": "duration-hour"},
}  # fmt: skip
_MORE_CURRENCIES = {
    "€": "EUR", "£": "GBP", "CA$": "CAD", "AU$": "AUD", "NZ$": "NZD", "S$": "SGD", "SG$": "SGD", "R$": "BRL", "MX$": "MXN", "₽": "RUB", "рублей": "RUB", "рубля": "RUB", "рубль": "RUB", "złotych": "PLN", "złote": "PLN", "złoty": "PLN", "руб.": "RUB", "руб": "RUB", "₩": "KRW", "원": "KRW",
    "₺": "TRY", "zł": "PLN", "Kč": "CZK", "rupees": "INR", "rupee": "INR", "Rs": "INR", "Rs.": "INR", "₴": "UAH", "฿": "THB", "ر.س": "SAR", "د.إ": "AED", "US$": "USD", "$US": "USD", "USD$": "USD", "HK$": "HKD", "A$": "AUD", "C$": "CAD", "NT$": "TWD", "₪": "ILS", "₹": "INR", "CN¥": "CNY", "JP¥": "JPY", "RMB": "CNY",
    "euro": "EUR", "euros": "EUR", "dollar": "USD", "dollars": "USD", "pounds": "GBP", "pound sterling": "GBP", "pounds sterling": "GBP", "franken": "CHF", "francs": "CHF", "Fr.": "CHF",
    "yen": "JPY", "yuan": "CNY", "renminbi": "CNY", "元": "CNY", "圆": "CNY", "圓": "CNY", "人民币": "CNY", "人民幣": "CNY", "人民币元": "CNY", "円": "JPY", "日元": "JPY", "日圓": "JPY", "港元": "HKD", "港币": "HKD", "港幣": "HKD",
    "新台币": "TWD", "新臺幣": "TWD", "美元": "USD", "美金": "USD", "欧元": "EUR", "歐元": "EUR", "英镑": "GBP", "英鎊": "GBP", "ドル": "USD", "米ドル": "USD", "ユーロ": "EUR",
    "دولار": "USD", "يورو": "EUR", "ريال": "SAR", "درهم": "AED", "جنيه": "EGP", "שקל": "ILS", "שקלים": "ILS", "ש\"ח": "ILS", "אירו": "EUR", "יורו": "EUR", "דולר": "USD",
}  # fmt: skip
#: Names of powers of ten: language → name → exponent. CLDR's compact forms add the rest.
_SCALES: dict[str, dict[str, int]] = {
    "": {"만": 4, "억": 8, "조": 12, "万": 4, "萬": 4, "亿": 8, "億": 8, "兆": 12, "千万": 7, "百万": 6, "千": 3, "百": 2},
    "en": {
        "hundred": 2, "thousand": 3, "million": 6, "millions": 6, "billion": 9, "billions": 9, "trillion": 12, "lakh": 5, "lakhs": 5, "crore": 7, "crores": 7, "cr": 7, "cr.": 7,
        "k": 3, "K": 3, "m": 6, "M": 6, "mn": 6, "mln": 6, "mio": 6, "bn": 9, "tn": 12, "B": 9,
    },
    "de": {"tausend": 3, "tsd.": 3, "tsd": 3, "million": 6, "millionen": 6, "mio.": 6, "mio": 6, "milliarde": 9, "milliarden": 9, "mrd.": 9, "mrd": 9, "billionen": 12},
    "fr": {"mille": 3, "million": 6, "millions": 6, "millions de": 6, "million de": 6, "millions d'": 6, "milliard": 9, "milliards": 9, "milliards de": 9},
    "ar": {"ألف": 3, "آلاف": 3, "ألفا": 3, "مليون": 6, "ملايين": 6, "مليار": 9},
    "he": {"אלף": 3, "אלפים": 3, "מיליון": 6, "מיליארד": 9},
    "es": {"mil": 3, "mil millones": 9, "millón": 6, "millones": 6, "mill.": 6, "billones": 12, "billón": 12},
    "it": {"mila": 3, "mille": 3, "milione": 6, "milioni": 6, "mln": 6, "miliardo": 9, "miliardi": 9, "mld": 9, "mrd": 9},
    "pt": {"mil": 3, "milhão": 6, "milhões": 6, "mil milhões": 9, "bilhão": 9, "bilhões": 9},
    "nl": {"duizend": 3, "miljoen": 6, "mln": 6, "mln.": 6, "miljard": 9, "mld": 9, "mld.": 9},
    "sv": {"tusen": 3, "miljon": 6, "miljoner": 6, "mn": 6, "mkr": 6, "miljard": 9, "miljarder": 9},
    "da": {"tusind": 3, "million": 6, "millioner": 6, "mio.": 6, "milliard": 9, "milliarder": 9, "mia.": 9},
    "pl": {"tys.": 3, "tys": 3, "tysięcy": 3, "tysiące": 3, "mln": 6, "miliona": 6, "milionów": 6, "miliony": 6, "mld": 9},
    "ru": {"тыс.": 3, "тыс": 3, "тысяч": 3, "тысячи": 3, "млн": 6, "миллиона": 6, "миллионов": 6, "миллион": 6, "млрд": 9, "миллиарда": 9, "миллиардов": 9},
    "tr": {"bin": 3, "milyon": 6, "milyar": 9},
    "hi": {"हज़ार": 3, "हजार": 3, "लाख": 5, "करोड़": 7},
}  # fmt: skip
_CROWNS = {"sv": "SEK", "da": "DKK", "nb": "NOK", "nn": "NOK", "no": "NOK"}
#: Thousands and millions of a currency in one name: name → (ISO code, power of ten).
_SCALED_MONEY = {
    "T€": ("EUR", 3), "TEUR": ("EUR", 3), "kEUR": ("EUR", 3), "MEUR": ("EUR", 6), "TUSD": ("USD", 3), "kUSD": ("USD", 3), "TCHF": ("CHF", 3), "tkr": ("SEK", 3), "mkr": ("SEK", 6), "tSEK": ("SEK", 3),
}  # fmt: skip
_DEFAULT_DOLLAR = {"AU": "AUD", "CA": "CAD", "HK": "HKD", "TW": "TWD", "NZ": "NZD", "SG": "SGD"}


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The words of one language, normalised by the profile `typographic`, case folded where `fold` says so.

    units: name → (unit, factor).   money: name or symbol → ISO code.   scales: name → exponents of ten it may stand for.
    months: folded name → number.   decimal, group: separators.   order: of numeric dates, like `dmy`.
    longest: length of the longest name.
    """

    language: str
    units: dict[str, tuple[str, Decimal]]
    money: dict[str, str]
    scales: dict[str, int]
    months: dict[str, int]
    decimal: str
    group: str
    order: str
    longest: int


def base_language(tag: str) -> str:
    """The language of a tag without script and region: `zh` of `zh-Hant`."""
    return re.split(r"[-_]", tag)[0].lower()


@lru_cache(maxsize=64)
def lexicon(tag: str) -> Lexicon:
    """The words of a language.

    Raises ValueError where CLDR knows no such language.
    """
    from babel import Locale, UnknownLocaleError

    try:
        locale = Locale.parse(tag.replace("_", "-"), sep="-")
    except (UnknownLocaleError, ValueError, TypeError) as error:
        raise ValueError(f"no language {tag!r} is known (a tag like 'en', 'en-GB', 'zh-Hant')") from error
    own = base_language(tag)
    english = Locale.parse("en")
    units: dict[str, tuple[str, Decimal]] = {}
    money: dict[str, str] = {code: code for code in map(str, english.currencies) if len(code) == 3}
    scales: dict[str, int] = {}
    months: dict[str, int] = {}
    for which in (english, locale):
        _add_units(units, which)
        _add_months(months, which)
        for code in CURRENCIES:
            money.update({_key(name): code for name in _currency_names(code, which) if name.casefold() not in ("kr.", "fr.")})
    for language in dict.fromkeys(("", "en", own)):
        units.update({_key(name): (UNITS[unit][0], Decimal(UNITS[unit][1])) for name, unit in _MORE_UNITS.get(language, {}).items()})
        scales.update({_key(name): exponent for name, exponent in _SCALES.get(language, {}).items()})
    units.pop("in", None)  # "5 in 10" is no length
    units.update({_key(name): ("%", Decimal(factor)) for name, factor in _PERCENT.items()})
    units.update({_key(name): (code, Decimal(10) ** power) for name, (code, power) in _SCALED_MONEY.items()})
    units.update({_key(name): ("pp", Decimal(1)) for name in _POINTS})
    units.update({_key(name): ("working day", Decimal(1)) for name in _WORKDAYS})
    money.update({_key(name): code for name, code in _MORE_CURRENCIES.items()})
    money.update({"kr": _CROWNS[own], "kr.": _CROWNS[own], "kronor": "SEK", "kroner": _CROWNS[own]} if own in _CROWNS else {})
    money["$"] = _DEFAULT_DOLLAR.get(locale.territory or "", "USD")
    money["¥"] = money["￥"] = "CNY" if own == "zh" else "JPY"
    symbols: Any = locale.number_symbols
    symbols = symbols.get("latn", symbols)
    names = [*units, *money, *scales]
    return Lexicon(
        language=own,
        units=units,
        money=money,
        scales=scales,
        months=months,
        decimal=str(symbols["decimal"]),
        group=normalise(str(symbols["group"]), "typographic").strip() or " ",
        order=_order(locale),
        longest=max(map(len, names)),
    )


def _key(name: str) -> str:
    name = normalise(name, "typographic").strip()
    return name if len(name) <= 3 and name.isascii() else name.casefold()


def _add_units(units: dict[str, tuple[str, Decimal]], locale: Any) -> None:
    from babel.units import UnknownUnitError, format_unit

    for unit, (base, factor) in UNITS.items():
        for length in ("long", "short"):
            for count in (1, 2, 3, 5, 11, 100):
                try:
                    text = format_unit(count, unit, length, locale=locale)
                except UnknownUnitError:
                    continue
                name = _key("".join(" " if unicodedata.category(char) == "Nd" else char for char in text))
                if name and (len(name) > 1 or not name.isascii()):
                    units[name] = (base, Decimal(factor))


def _currency_names(code: str, locale: Any) -> Iterator[str]:
    from babel.numbers import get_currency_name

    for count in (None, 1, 2, 3, 5, 11):
        yield get_currency_name(code, count, locale)


def _add_months(months: dict[str, int], locale: Any) -> None:
    for context in ("format", "stand-alone"):
        for width in ("wide", "abbreviated"):
            for number, name in locale.months[context][width].items():
                key = normalise(name, "typographic").strip(" .").casefold()
                if any(char.isalpha() for char in key) and not key[0].isdigit() and not re.fullmatch(r".*月", key):
                    months[key] = number
                    months.setdefault("".join(char for char in unicodedata.normalize("NFD", key) if not unicodedata.combining(char)), number)
    months.update({"sept": 9})
    if locale.language == "de":
        months.update({"maerz": 3, "mrz": 3, "jänner": 1, "feber": 2})


def _order(locale: Any) -> str:
    pattern = str(locale.date_formats["short"].pattern)
    return "".join(sorted("dmy", key=lambda letter: pattern.casefold().find(letter)))
