"""Numbers in words by tables of their parts: Arabic, Dutch, Hebrew, Italian, Portuguese and Spanish.

A word is one part (`noventa`), or several written together (`cinquecentomila`). Parts below a thousand add up, a hundred
and the scales multiply what stands before them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True, slots=True)
class Table:
    """The parts of a language's numbers.

    values: part → value below 1000, or of a dual (`ألفان`).   scales: part → what it multiplies.   halves: words for one half.
    joins: words between parts.   prefix: a letter that joins at the start of a word.
    glued: parts are written together.   units_first: five and twenty.
    """

    values: dict[str, int]
    scales: dict[str, int]
    halves: tuple[str, ...] = ()
    joins: tuple[str, ...] = ()
    prefix: str = ""
    glued: bool = False
    units_first: bool = False


def _values(text: str) -> dict[str, int]:
    """`1:uno/una 2:dos` → part → value."""
    return {word: int(number) for number, _, words in (entry.partition(":") for entry in text.split()) for word in words.split("/")}


_SPANISH = _values(
    "0:cero 1:uno/un/una 2:dos 3:tres 4:cuatro 5:cinco 6:seis 7:siete 8:ocho 9:nueve 10:diez 11:once 12:doce 13:trece 14:catorce 15:quince 16:dieciséis 17:diecisiete 18:dieciocho"
    " 19:diecinueve 20:veinte 21:veintiuno/veintiún/veintiuna 22:veintidós 23:veintitrés 24:veinticuatro 25:veinticinco 26:veintiséis 27:veintisiete 28:veintiocho 29:veintinueve"
    " 30:treinta 40:cuarenta 50:cincuenta 60:sesenta 70:setenta 80:ochenta 90:noventa 100:cien/ciento 200:doscientos/doscientas 300:trescientos/trescientas 400:cuatrocientos/cuatrocientas"
    " 500:quinientos/quinientas 600:seiscientos/seiscientas 700:setecientos/setecientas 800:ochocientos/ochocientas 900:novecientos/novecientas"
)
_PORTUGUESE = _values(
    "0:zero 1:um/uma 2:dois/duas 3:três 4:quatro 5:cinco 6:seis 7:sete 8:oito 9:nove 10:dez 11:onze 12:doze 13:treze 14:catorze/quatorze 15:quinze 16:dezasseis/dezesseis 17:dezassete/dezessete"
    " 18:dezoito 19:dezanove/dezenove 20:vinte 30:trinta 40:quarenta 50:cinquenta 60:sessenta 70:setenta 80:oitenta 90:noventa 100:cem/cento 200:duzentos/duzentas 300:trezentos/trezentas"
    " 400:quatrocentos/quatrocentas 500:quinhentos/quinhentas 600:seiscentos/seiscentas 700:setecentos/setecentas 800:oitocentos/oitocentas 900:novecentos/novecentas"
)
_ITALIAN = _values(
    "0:zero 1:uno/un/una 2:due 3:tre/tré 4:quattro 5:cinque 6:sei 7:sette 8:otto 9:nove 10:dieci 11:undici 12:dodici 13:tredici 14:quattordici 15:quindici 16:sedici 17:diciassette 18:diciotto"
    " 19:diciannove 20:venti/vent 30:trenta/trent 40:quaranta/quarant 50:cinquanta/cinquant 60:sessanta/sessant 70:settanta/settant 80:ottanta/ottant 90:novanta/novant"
)
_DUTCH = _values(
    "0:nul 1:een/één 2:twee 3:drie 4:vier 5:vijf 6:zes 7:zeven 8:acht 9:negen 10:tien 11:elf 12:twaalf 13:dertien 14:veertien 15:vijftien 16:zestien 17:zeventien 18:achttien 19:negentien"
    " 20:twintig 30:dertig 40:veertig 50:vijftig 60:zestig 70:zeventig 80:tachtig 90:negentig"
)
_ARABIC = _values(
    "0:صفر 1:واحد/واحدة/أحد/إحدى 2:اثنان/اثنين/اثنتان/اثنتين/اثنا/اثني/اثنتا/اثنتي 3:ثلاث/ثلاثة 4:أربع/أربعة 5:خمس/خمسة 6:ست/ستة 7:سبع/سبعة 8:ثمان/ثماني/ثمانية 9:تسع/تسعة 10:عشر/عشرة"
    " 20:عشرون/عشرين 30:ثلاثون/ثلاثين 40:أربعون/أربعين 50:خمسون/خمسين 60:ستون/ستين 70:سبعون/سبعين 80:ثمانون/ثمانين 90:تسعون/تسعين 100:مئة/مائة 200:مئتان/مئتين/مائتان/مائتين/مئتا/مئتي/مائتا/مائتي"
    " 300:ثلاثمئة/ثلاثمائة 400:أربعمئة/أربعمائة 500:خمسمئة/خمسمائة 600:ستمئة/ستمائة 700:سبعمئة/سبعمائة 800:ثمانمئة/ثمانمائة/ثمانيمائة 900:تسعمئة/تسعمائة 2000:ألفان/ألفين/ألفا/ألفي 2000000:مليونان/مليونين"
)
_HEBREW = _values(
    "0:אפס 1:אחד/אחת 2:שניים/שני/שתיים/שתי/שנים/שתים 3:שלושה/שלוש/שלושת 4:ארבעה/ארבע/ארבעת 5:חמישה/חמש/חמשת 6:שישה/שש/ששת 7:שבעה/שבע/שבעת 8:שמונה/שמונת 9:תשעה/תשע/תשעת 10:עשרה/עשר/עשרת"
    " 20:עשרים 30:שלושים 40:ארבעים 50:חמישים 60:שישים/ששים 70:שבעים 80:שמונים 90:תשעים 100:מאה 200:מאתיים 2000:אלפיים"
)
_TABLES: dict[str, Table] = {
    "es": Table(_SPANISH, {"mil": 1000, "millón": 10**6, "millones": 10**6, "billón": 10**12, "billones": 10**12}, ("medio", "media"), ("y",)),
    "pt": Table(_PORTUGUESE, {"mil": 1000, "milhão": 10**6, "milhões": 10**6, "bilhão": 10**9, "bilhões": 10**9, "bilião": 10**12, "biliões": 10**12}, ("meio", "meia"), ("e",)),
    "it": Table(_ITALIAN, {"cento": 100, "cent": 100, "mille": 1000, "mila": 1000, "milione": 10**6, "milioni": 10**6, "miliardo": 10**9, "miliardi": 10**9}, ("mezzo", "mezza"), ("e",), glued=True),
    "nl": Table(_DUTCH, {"honderd": 100, "duizend": 1000, "miljoen": 10**6, "miljard": 10**9}, ("half", "halve"), ("en", "ën"), glued=True, units_first=True),
    "ar": Table(_ARABIC, {"ألف": 1000, "ألفا": 1000, "آلاف": 1000, "مليون": 10**6, "مليونا": 10**6, "ملايين": 10**6, "مليار": 10**9, "مليارات": 10**9}, ("نصف",), prefix="و", units_first=True),
    "he": Table(_HEBREW, {"מאות": 100, "אלף": 1000, "אלפים": 1000, "מיליון": 10**6, "מיליונים": 10**6, "מיליארד": 10**9}, ("חצי",), prefix="ו"),
}  # fmt: skip
#: How many letters a word of several parts may have.
_LONGEST = 80


def table_of(language: str) -> Table | None:
    """The table of a language, or None where there is none."""
    return _TABLES.get(language)


@lru_cache(maxsize=8192)
def parts_of(word: str, language: str) -> tuple[str, ...]:
    """The parts of a word, joins included; () where it is no number."""
    table = _TABLES[language]
    known = table.values.keys() | table.scales.keys() | set(table.joins)
    if word in known:
        return (word,)
    if table.prefix and word.startswith(table.prefix) and word[1:] in known:
        return (table.prefix, word[1:])
    if not table.glued or len(word) > _LONGEST:
        return ()
    best: list[tuple[str, ...] | None] = [()] + [None] * len(word)
    for end in range(1, len(word) + 1):
        for start in range(max(0, end - 12), end):
            before, piece = best[start], word[start:end]
            if before is not None and piece in known:
                best[end] = (*before, piece)
                break
    return best[-1] or ()


def value_of(parts: Sequence[str], language: str) -> int | None:
    """The number that parts make, or None where they make none (`two three`, a join at an end)."""
    table = _TABLES[language]
    joins = {*table.joins, *((table.prefix,) if table.prefix else ())}
    total, part, joined, largest = 0, 0, False, 10**18
    seen = False
    for piece in parts:
        if piece in joins and piece not in table.values:
            if not seen or joined:
                return None
            joined = True
            continue
        scale = table.scales.get(piece)
        if scale == 100:
            if part >= 100:
                return None
            part = max(part, 1) * 100
        elif scale is not None:
            if scale >= largest:
                return None
            total, part, largest = total + max(part, 1) * scale, 0, scale
        else:
            value = table.values[piece]
            if value >= 1000:
                if part or total:
                    return None
                total, largest = value, min(largest, 1000 if value < 10**6 else 10**6)
            elif not _adds(part, value, joined, table):
                return None
            else:
                part += value
        seen, joined = True, False
    return total + part if seen and not joined else None


def _adds(part: int, value: int, joined: bool, table: Table) -> bool:
    """Whether a value below a thousand may stand behind what is there of one."""
    low = part % 100
    if not part:
        return True
    if value >= 100:
        return False
    if low == 0:
        return True
    if value == 10 and low < 10 and not joined and table.prefix:
        return True  # ثلاثة عشر, שלוש עשרה
    if low >= 20 and low % 10 == 0 and value < 10:
        return not table.units_first
    return table.units_first and joined and low < 10 and value >= 20
