"""Unicode tricks: letters that look like others, characters nobody sees, text turned around, floods of marks."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from docops.families.text_profiles import occurrences

#: Cyrillic, Greek and Armenian letters → the Latin ones they look like.
_LATIN = dict(
    zip(
        "аеорсухіјѕһԁԛԝьАВЕКМНОРСТХУІЈЅԌαονρυχικτγΑΒΕΖΗΙΚΜΝΟΡΤΥΧօսոցհ",
        "aeopcyxijshdqwbABEKMHOPCTXYIJSGaovpuxiktyABEZHIKMNOPTYXounqh",
        strict=False,
    )
)
#: Letters of mathematics, in circles and small capitals → plain ones.
_DRESSED = {
    **{chr(code): plain for code in [*range(0x1D400, 0x1D6A4), *range(0x24B6, 0x24EA)] if (plain := unicodedata.normalize("NFKC", chr(code))).isascii() and len(plain) == 1},
    **dict(zip("ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ", "abcdefghijklmnoprstuvwyz", strict=True)),
}
_TABLE = str.maketrans({**_LATIN, **_DRESSED, "ı": "i", "ɡ": "g", "ⅼ": "l", "ǀ": "l"})
_WORD = re.compile(r"[^\W\d_]+")
_INVISIBLE = re.compile(r"(?<=\w)[\u200b\u2060\ufeff\u180e\u00ad\u200c\u200d]+(?=\w)|[\U000e0000-\U000e007f]+")
_OVERRIDE = re.compile("[\u202d\u202e]")
_OPEN, _CLOSE = "\u202a\u202b\u202d\u202e", "\u202c"
_ISOLATE, _POP = "\u2066\u2067\u2068", "\u2069"
_PRIVATE = re.compile("[\ue000-\uf8ff]")
_MOST_MARKS = 8


def skeleton(text: str) -> str:
    """The text with look-alike letters of other scripts as the Latin letters they imitate."""
    return text if text.isascii() else text.translate(_TABLE)


def imitated(text: str, wanted: str) -> bool:
    """Whether a text reads as `wanted`, in Latin letters, only because letters of other scripts stand among its own."""
    if text.isascii() or not any(char.isascii() and char.isalpha() for char in wanted):
        return False
    look = skeleton(text)
    for start in occurrences(look, skeleton(wanted)):
        written = text[start : start + len(wanted)]
        dressed = any(char in _DRESSED for char in written)
        mixed = any(char.isascii() and char.isalpha() for char in written) and any(char in _LATIN for char in written)
        if written != wanted and (mixed or dressed):
            return True
    return False


def attacks(text: str) -> Iterator[tuple[str, int, str]]:
    """(kind, position, what) of every trick in a text, at most one of a kind for each word."""
    if text.isascii():
        return
    for match in _WORD.finditer(text):
        word = match.group()
        if not word.isascii() and _mixed(word):
            yield "look-alikes", match.start(), f"a word mixes scripts: {', '.join(sorted(_scripts(word)))}"
    for match in _INVISIBLE.finditer(text):
        before = text[match.start() - 1] if match.start() else ""
        if match.group().strip("\u200c\u200d\u00ad") or (before.isascii() and before.isalpha() and match.group().strip("\u00ad")):
            yield "invisible", match.start(), "characters without width inside a word"
    for match in _OVERRIDE.finditer(text):
        yield "bidi", match.start(), "the direction of text is overridden"
    depth = isolates = 0
    for char in text:
        depth = max(0, depth + (char in _OPEN) - (char in _CLOSE))
        isolates = max(0, isolates + (char in _ISOLATE) - (char in _POP))
    if (depth or isolates) and not _OVERRIDE.search(text):
        yield "bidi", 0, "an embedding of another direction is not closed"
    run = 0
    for position, char in enumerate(text):
        run = run + 1 if unicodedata.combining(char) else 0
        if run == _MOST_MARKS + 1:
            yield "marks", position, f"more than {_MOST_MARKS} combining marks in a row"
    private = _PRIVATE.search(text)
    if private is not None:
        yield "private", private.start(), "characters of private use"


def _mixed(word: str) -> bool:
    scripts = _scripts(word)
    return len(scripts) > 1 and bool(scripts & {"LATIN"}) and bool(scripts & {"CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE"}) and any(char in _LATIN for char in word)


def _scripts(word: str) -> set[str]:
    return {_script(char) for char in word}


@lru_cache(maxsize=4096)
def _script(char: str) -> str:
    return unicodedata.name(char, "UNKNOWN").split(" ")[0].partition("-")[0]
