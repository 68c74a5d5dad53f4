"""Precision as displayed: a workbook that asks for it keeps, of every result, the digits that its number format shows."""

from __future__ import annotations

import re

from docops.formats.xlsx.numberformats import is_date_code, sections_of

_TIME = re.compile(r"[hs]|AM/PM", re.IGNORECASE)
#: Texts, escapes, padding, filling and brackets, which hold no digits.
_NO_DIGITS = re.compile(r'"[^"]*"|\\.|[_*].|\[[^\]]*\]', re.DOTALL)
_NUMBER = re.compile(r"[^0#?]*[0#?,]*(?:\.(?P<decimals>[0#?]*))?(?P<scale>,*)[^0#?]*")


class NotShownAsNumber(Exception):
    """The format shows numbers in a way whose rounding is not known; the message says which."""


def digits_shown(code: str) -> int | None:
    """Digits after the point that a number format keeps (negative: before it), None where it keeps all; raises NotShownAsNumber."""
    if code in ("General", "@", ""):
        return None
    plain = [_NO_DIGITS.sub("", section) for section in sections_of(code)[:3]]
    if is_date_code(code):
        if _TIME.search(plain[0]):
            raise NotShownAsNumber(f"times shown as {code}")
        return None
    found = set()
    for section in plain:
        if not re.search("[0#?]", section):
            continue
        match = _NUMBER.fullmatch(section)
        if match is None or "/" in section or re.search("[Ee][+-]", section):
            raise NotShownAsNumber(f"numbers shown as {code}")
        whole = re.match(r"[^0#?]*[0#?,]*", section)
        scale = len(match.group("scale")) if match.group("decimals") is not None else len(whole.group()) - len(whole.group().rstrip(",")) if whole else 0
        found.add(len(match.group("decimals") or "") + (2 if "%" in section else 0) - 3 * scale)
    if len(found) > 1:
        raise NotShownAsNumber(f"numbers shown as {code}")
    return found.pop() if found else None
