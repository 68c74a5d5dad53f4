"""Values and texts of documents as a report shows them: on one line, cut with a count, harmless to a terminal."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator
from typing import Any

from docops.core.verdict import CriterionResult, GroupResult, Verdict

#: Longest value on one line of a report.
MAX_WIDTH = 160

#: Characters that turn the direction of the text around them.
_DIRECTION = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")

_SPELLED = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}


def plain(text: str) -> str:
    """The text with control, direction and unpaired characters spelled out, so that it can only be read."""
    return "".join(char if _is_harmless(char) else _SPELLED.get(char) or f"\\u{ord(char):04x}" for char in text)


def _is_harmless(char: str) -> bool:
    return char not in _DIRECTION and unicodedata.category(char) not in ("Cc", "Cs", "Zl", "Zp")


def value_text(value: Any, width: int = MAX_WIDTH) -> str:
    """A JSON value on one line; text in quotes, long ones cut with a count."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true" if value else "false"
    text = plain(json.dumps(value, ensure_ascii=False, sort_keys=True) if not isinstance(value, str) else f'"{value}"')
    return text if len(text) <= width else f"{text[:width]}… (+{len(text) - width} characters)"


def counted(number: int, singular: str, plural: str = "") -> str:
    """`1 finding`, `3 findings`."""
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"


def in_order(verdict: Verdict) -> Iterator[tuple[GroupResult | CriterionResult, int]]:
    """Groups and the criteria below them with their depth, as the verifier asks; what holds without being asked is left out."""
    groups = {group.id: group for group in verdict.groups}
    shown: set[str] = set()
    for criterion in verdict.criteria:
        if criterion.implied:
            continue
        steps = criterion.id.split(".")
        above = [name for count in range(1, len(steps)) if (name := ".".join(steps[:count])) in groups]
        for depth, name in enumerate(above):
            if name not in shown:
                shown.add(name)
                yield groups[name], depth
        yield criterion, len(above)
