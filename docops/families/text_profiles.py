"""Text profiles: which differences of typography and language an anchor does not see.

| profile | not seen | still seen |
|---|---|---|
| `verbatim` | nothing | every code point |
| `typographic` | composition (NFC), kinds and runs of space, line breaks, hyphens that divide words at the end of a line, spaces around Chinese characters and kana, soft hyphens and zero-width characters, kinds of quotes (`「」` too), dashes and ellipsis, ligatures, full and half width, Arabic presentation forms and tatweel, bidi controls | case, accents, punctuation, wording |
| `loose` | all of that, and case, accents and vowel points, punctuation outside numbers | wording, inflection, digits, the marks of voiced kana |

No profile looks through homoglyphs, synonyms, number formats, inflection, simplified against traditional characters, or
digits and numerals of other scripts. Of more than 30 combining marks in a row only the first 30 are read.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

PROFILES = ("verbatim", "typographic", "loose")

_QUOTES = {
    **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u2035\u00b4\u0060\u02bc\u02b9\u05f3\uff07", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033\u2036\u301d\u301e\u301f\u05f4\uff02", '"'),
    "\u2039": "'",
    "\u203a": "'",
    **dict.fromkeys("\u300c\u300d\u300e\u300f\ufe41\ufe42\ufe43\ufe44", '"'),
}
_DASHES = dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d", "-")
_LIGATURES = {"\ufb00": "ff", "\ufb01": "fi", "\ufb02": "fl", "\ufb03": "ffi", "\ufb04": "ffl", "\ufb05": "st", "\ufb06": "st", "\u2026": "..."}
#: Characters nobody sees: soft hyphen, zero-width, joiners, bidi controls, variation selectors, byte order mark.
_INVISIBLE = dict.fromkeys(
    [0x00AD, 0x034F, 0x061C, 0x0640, 0x180E, 0xFEFF, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2070), *range(0xFE00, 0xFE10)]
)
_WIDTH = {code: unicodedata.normalize("NFKC", chr(code)) for code in [*range(0xFF01, 0xFF5F), *range(0xFF61, 0xFFBF), *range(0xFFE0, 0xFFE7)]}
_ARABIC_FORMS = {code: unicodedata.normalize("NFKC", chr(code)) for code in [*range(0xFB50, 0xFDC8), *range(0xFDF0, 0xFDFD), *range(0xFE70, 0xFEFD)]}
_TABLE: dict[int, str | None] = {
    **_WIDTH,
    **_ARABIC_FORMS,
    **{ord(char): text for char, text in {**_QUOTES, **_DASHES, **_LIGATURES}.items()},
    **_INVISIBLE,
}
#: Stands for the space between two numbers that no reader takes for one: a tab, a line's end, several spaces. It matches a space.
APART = "\u2005"
_NUMBERS_APART = re.compile(rf"(?<=\d)(?:[^\S ]*[\t\n\r\f\v{APART}]\s*|\s{{2,}})(?=\d)")
_SPACE = re.compile(rf"[^\S{APART}]+")
#: A line that ends inside a word or a name, after a hyphen or slash of its own, and one that a hyphen was put into.
_BROKEN = re.compile(r"(?<=\w[-/])[^\S\n]*\n\s*(?=\w)")
_HYPHENATED = re.compile(r"(?<=[^\W\d_])[-\u2010\u2011][^\S\n]*\n\s*(?=[^\W\d_])")
_GUILLEMET_SPACE = re.compile(r"(?<![^\s(\[])([\u00ab\u2039])\s+|\s+([\u00bb\u203a])(?!\w)")
#: Punctuation, but for what separates the digits of one number.
_LOOSE = re.compile(r"(?:[^\w\s.,'٫٬]|(?<!\d)[.,'٫٬]|[.,'٫٬](?!\d))+")
_EAST_ASIAN = r"[\u3001-\u303f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f]"
_EAST_ASIAN_SPACE = re.compile(rf"(?<={_EAST_ASIAN})\s+|\s+(?={_EAST_ASIAN})")
#: Sorting marks takes time quadratic in their number, so that floods of them are cut first.
_FLOOD = re.compile(r"([\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]{30})[\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]+")
_VOICED = "\u3099\u309a"

# Scripts written without spaces between words: a match needs no word boundary there.
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f]")


@lru_cache(maxsize=8192)
def normalise(text: str, profile: str) -> str:
    """`text` with what the profile does not see made equal.

    Raises ValueError for an unknown profile. Leading and trailing space is kept, as one space.
    """
    if profile == "verbatim":
        return text
    if profile not in PROFILES:
        raise ValueError(f"unknown text profile {profile!r}; legal: {', '.join(PROFILES)}")
    text = _NUMBERS_APART.sub(APART, text)
    if not text.isascii():
        text = unicodedata.normalize("NFC", _FLOOD.sub(r"\1", text))
        text = _GUILLEMET_SPACE.sub(r"\1\2", text)
        text = unicodedata.normalize("NFC", text.translate(_TABLE))
        text = _EAST_ASIAN_SPACE.sub("", text)
    text = _SPACE.sub(" ", _BROKEN.sub("", text) if "\n" in text else text)
    if profile == "loose":
        text = unicodedata.normalize("NFC", "".join(char for char in unicodedata.normalize("NFD", text) if char in _VOICED or not unicodedata.combining(char)))
        text = _SPACE.sub(" ", _LOOSE.sub(" ", text.casefold())).strip()
        text = _EAST_ASIAN_SPACE.sub("", text)
    return text


def readings(text: str, profile: str) -> tuple[str, ...]:
    """`text` normalised, as it stands and, where lines end in hyphens, as if these were only there to divide words."""
    plain = normalise(text, profile)
    if profile == "verbatim" or "\n" not in text:
        return (plain,)
    joined = _HYPHENATED.sub(lambda found: "" if text[found.end()].islower() else found.group(), text)
    return (plain,) if joined == text else (plain, normalise(joined, profile))


def occurrences(haystack: str, needle: str) -> list[int]:
    """Positions of `needle` in `haystack`, both normalised, that are whole words and whole numbers; they do not overlap.

    `500,000` is not in `1,500,000`, `25` not in `2025`, `25.5` or `-25`, `male` not in `female`. An end of the needle that is no
    letter or digit, and scripts written without spaces, need no boundary.
    """
    out: list[int] = []
    if not needle:
        return out
    plain = haystack.replace(APART, " ") if APART in haystack else haystack
    needle = needle.replace(APART, " ")
    at = plain.find(needle)
    while at >= 0:
        if _bounded(haystack, at, at + len(needle), needle):
            out.append(at)
            at = plain.find(needle, at + len(needle))
        else:
            at = plain.find(needle, at + 1)
    return out


#: A group of digits behind a space, and what may stand before one: up to three digits that are no part of a code.
_GROUP = re.compile(r" \d{3}(?!\d)")
_HEAD = re.compile(r"(?<![\w-])\d{1,3}$")


def _bounded(haystack: str, start: int, end: int, needle: str) -> bool:
    before, after = haystack[max(start - 2, 0) : start], haystack[end : end + 2]
    first, last = needle[0], needle[-1]
    if before and _joins(before[-1], first):
        return False
    if after and _joins(last, after[0]):
        return False
    if first.isdigit() and before.endswith("-") and before[:-1] in ("", " ", "("):
        return False  # -5 is not 5
    if first.isdigit() and len(before) == 2 and before[1] in ".,'٫٬\u00a0 " and before[0].isdigit() and _groups(before[1], haystack, start):
        return False
    return not (last.isdigit() and len(after) == 2 and after[1].isdigit() and (after[0] in ".,'٫٬" or (after[0] == " " and _joins_groups(haystack, end))))


def _joins(left: str, right: str) -> bool:
    """Whether two neighbouring characters belong to one word or number."""
    if not (left.isalnum() or left == "_") or not (right.isalnum() or right == "_"):
        return unicodedata.combining(right) != 0 and left.isalpha()
    if left.isdigit() != right.isdigit():
        # "Q3" and "10kg": a letter against a digit is one token only for ASCII letters before a digit.
        return left.isascii() and left.isalpha()
    return not (_UNSPACED.match(left) or _UNSPACED.match(right))


def _groups(separator: str, haystack: str, start: int) -> bool:
    """Whether the separator before position `start` joins digit groups of one number."""
    return separator not in " \u00a0" or _joins_groups(haystack, start - 1)


def _joins_groups(haystack: str, at: int) -> bool:
    """Whether the space at a place stands between the groups of one number."""
    return _GROUP.match(haystack, at) is not None and _HEAD.search(haystack[max(0, at - 5) : at]) is not None
