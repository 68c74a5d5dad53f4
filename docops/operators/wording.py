"""Changes of wording that turn what a sentence says: negations, numbers, sources, promises."""

from __future__ import annotations

import re

NEGATIONS = re.compile(r"\b(?:not|never|nicht|kein|keine|keinen|niemals|nie|pas|jamais|no)\b ?|(?<=\w)n['’]t\b", re.IGNORECASE)
_NUMBER = re.compile(r"(?<![\w.,])(\d{1,3}(?:[.,]\d{3})+|\d{2,})(?![\w]|[.,]\d)")
_SOURCE = re.compile(r"\s*\((?:[^()]*\b(?:19|20)\d{2}[a-z]?)\)|\s*\[\d+\]|(?:According to|Source:|Laut|Nach|Quelle:|Selon)\s[^,.;]*[,.;]?\s?")


def without_negation(text: str) -> str:
    """The text without its first negation."""
    return NEGATIONS.sub("", text, count=1)


def find_number(text: str) -> bool:
    """Whether the text states a number that can be tampered with."""
    return _NUMBER.search(text) is not None


def tampered_number(text: str) -> str:
    """The text with its first number ten times as large, written as the number was."""

    def grow(match: re.Match[str]) -> str:
        number = match.group(1)
        separator = re.search(r"[.,]", number)
        digits = re.sub(r"[.,]", "", number) + "0"
        if separator is None:
            return digits
        groups: list[str] = []
        while digits:
            groups.insert(0, digits[-3:])
            digits = digits[:-3]
        return separator.group().join(groups)

    return _NUMBER.sub(grow, text, count=1)


def find_source(text: str) -> bool:
    """Whether the text names its source."""
    return _SOURCE.search(text) is not None


def without_source(text: str) -> str:
    """The text without its first mention of a source."""
    return _SOURCE.sub("", text, count=1)
