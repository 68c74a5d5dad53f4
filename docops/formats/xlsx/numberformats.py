"""Number format codes: the built-in ones by id, one spelling for each meaning, and what they show (18.8.30, 18.8.31)."""

from __future__ import annotations

import re
from functools import lru_cache

BUILT_IN = {
    0: "General",
    1: "0",
    2: "0.00",
    3: "#,##0",
    4: "#,##0.00",
    5: '"$"#,##0_);("$"#,##0)',
    6: '"$"#,##0_);[Red]("$"#,##0)',
    7: '"$"#,##0.00_);("$"#,##0.00)',
    8: '"$"#,##0.00_);[Red]("$"#,##0.00)',
    9: "0%",
    10: "0.00%",
    11: "0.00E+00",
    12: "# ?/?",
    13: "# ??/??",
    14: "mm-dd-yy",
    15: "d-mmm-yy",
    16: "d-mmm",
    17: "mmm-yy",
    18: "h:mm AM/PM",
    19: "h:mm:ss AM/PM",
    20: "h:mm",
    21: "h:mm:ss",
    22: "m/d/yy h:mm",
    37: "#,##0_);(#,##0)",
    38: "#,##0_);[Red](#,##0)",
    39: "#,##0.00_);(#,##0.00)",
    40: "#,##0.00_);[Red](#,##0.00)",
    41: '_(* #,##0_);_(* (#,##0);_(* "-"_);_(@_)',
    42: '_("$"* #,##0_);_("$"* (#,##0);_("$"* "-"_);_(@_)',
    43: '_(* #,##0.00_);_(* (#,##0.00);_(* "-"??_);_(@_)',
    44: '_("$"* #,##0.00_);_("$"* (#,##0.00);_("$"* "-"??_);_(@_)',
    45: "mm:ss",
    46: "[h]:mm:ss",
    47: "mmss.0",
    48: "##0.0E+0",
    49: "@",
}

#: A quoted text, an escaped character, a padding or filling character, a bracket, exponent signs and am/pm, or anything.
_TOKEN = re.compile(r'"([^"]*)"|\\(.)|([_*].)|(\[[^\]]*\])|([Ee][+-])|(AM/PM|A/P|General)|(.)', re.DOTALL | re.IGNORECASE)
#: Characters that stand for themselves without quotes or backslash.
_BARE = frozenset("$-+(){}<>=^&'~! ")


@lru_cache(maxsize=4096)
def canonical_code(code: str) -> str:
    """One spelling for all that mean the same: `yyyy\\-mm\\-dd` is `yyyy-mm-dd`, `"$"0` is `$0`, `YYYY` is `yyyy`."""
    out: list[str] = []
    literal = ""
    for match in _TOKEN.finditer(code):
        quoted, escaped, padding, bracket, exponent, word, char = match.groups()
        text = quoted if quoted is not None else escaped if escaped is not None else char if char is not None and (char in _BARE or char == '"') else None
        if text is not None:
            literal += text
            continue
        if literal:
            out.append(_literal(literal))
            literal = ""
        if bracket is not None:
            out.append(bracket if bracket.startswith("[$") else "[" + bracket[1:].capitalize() if bracket[1:2].isalpha() and len(bracket) > 4 else bracket.lower())
        elif exponent is not None:
            out.append(exponent.upper())
        elif word is not None:
            out.append("General" if word.lower() == "general" else word.upper())
        elif padding is not None:
            out.append(padding)
        else:
            out.append(char.lower() if char in "YMDHS" else char)
    if literal:
        out.append(_literal(literal))
    return "".join(out)


def _literal(text: str) -> str:
    if all(char in _BARE for char in text):
        return text
    return f'"{text}"' if '"' not in text else "".join(f"\\{char}" for char in text)


@lru_cache(maxsize=4096)
def is_date_code(code: str) -> bool:
    """Whether numbers show as dates or times."""
    section = code.split(";")[0]
    for match in _TOKEN.finditer(section):
        bracket, char, word = match.group(4), match.group(7), match.group(6)
        if bracket is not None and re.fullmatch(r"\[(h+|m+|s+)\]", bracket, re.IGNORECASE):
            return True
        if word is not None and word.upper() in ("AM/PM", "A/P"):
            return True
        if char is not None and char in "yYmMdDhHsS":
            return True
    return False


_COLOURS = {
    "black": "000000",
    "white": "FFFFFF",
    "red": "FF0000",
    "green": "00FF00",
    "blue": "0000FF",
    "yellow": "FFFF00",
    "magenta": "FF00FF",
    "cyan": "00FFFF",
    "color1": "000000",
    "color2": "FFFFFF",
}
_COLOUR = re.compile(r"\[(black|white|red|green|blue|yellow|magenta|cyan|color[12])\]", re.IGNORECASE)
_CONDITION = re.compile(r"\[[<>=]")
#: Colours, conditions, empty and blank strings, padding and fill with blanks.
_SHOWS_NOTHING = re.compile(r"\[(?!h+\]|m+\]|s+\])[^\]]*\]|\"\s*\"|_.|\* |\\ ")


def sign(value: object) -> int | None:
    """1, 0 or -1, all that a format without conditions asks of a number; None for what is none."""
    return None if not isinstance(value, int | float) else 1 if value > 0 else -1 if value < 0 else 0


@lru_cache(maxsize=4096)
def shown(code: str, kind: str, sign: int | None) -> tuple[bool, str]:
    """Whether a format shows nothing at all of a value (`;;;`), and the colour in which it shows it (`[White]0`).

    kind: `number` or `text` (others always show).   sign: of the number.
    Returns the colour as RRGGBB, "" where the format names none.
    """
    section = _section(code, kind, sign)
    found = _COLOUR.search(section or "")
    hidden = section is not None and not _SHOWS_NOTHING.sub("", section).strip()
    return hidden, _COLOURS.get(found.group(1).casefold(), "") if found is not None else ""


def _section(code: str, kind: str, sign: int | None) -> str | None:
    """The section of a format that shows a value, None where none speaks of it."""
    sections = _sections(code)
    if kind == "text":
        return sections[3] if len(sections) > 3 else sections[0] if len(sections) == 1 and "@" in code else None
    if kind != "number" or sign is None or _CONDITION.search(code):
        return None
    if len(sections) == 1 or sign > 0:
        return sections[0]
    if sign < 0:
        return sections[1]
    return sections[2] if len(sections) > 2 else sections[0]


def _sections(code: str) -> list[str]:
    sections = [""]
    for match in _TOKEN.finditer(code):
        if match.group(7) == ";":
            sections.append("")
        else:
            sections[-1] += match.group()
    return sections
