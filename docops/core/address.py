"""Addresses: one syntax for places in documents of every format (docs/guide.md, Addresses)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from docops.core.errors import AddressError

#: Kinds whose names are always printed in quotes.
QUOTED_KINDS = frozenset({"shape", "field", "outline", "section", "layout", "label", "attachment", "layer", "signature"})

_KIND = re.compile(r"[a-z][a-z0-9_]*|\*\*")
_NUMBER = re.compile(r"[1-9][0-9]*")
_RANGE = re.compile(r"([1-9][0-9]*):([1-9][0-9]*)")
_UNQUOTED = re.compile(r'[^\]/"]+')
_ORDINAL_END = re.compile(r".*,\s*[1-9][0-9]*")


@dataclass(frozen=True, slots=True)
class Segment:
    """One step of an address.

    kind: `sheet`, `paragraph`, …, or `**` for any depth.
    number: 1-based position, or None.   last: end of a numeric range, or None.
    name: the key as a name (cell references, sheet names, `1,default`), or None.
    ordinal: which of several equal names (1-based), or None.
    any: the key is `*`.
    A segment with none of these names every child of its kind (`slide[2]/notes`).
    """

    kind: str
    number: int | None = None
    last: int | None = None
    name: str | None = None
    ordinal: int | None = None
    any: bool = False

    def __str__(self) -> str:
        if self.kind == "**":
            return "**"
        if self.any:
            return f"{self.kind}[*]"
        if self.number is not None:
            return f"{self.kind}[{self.number}:{self.last}]" if self.last is not None else f"{self.kind}[{self.number}]"
        if self.name is not None:
            return format_segment(self.kind, self.name, self.ordinal)
        return self.kind


@dataclass(frozen=True, slots=True)
class Address:
    """An artifact (or None where only one is in question) and the steps into it; no step means the whole document."""

    artifact: str | None
    segments: tuple[Segment, ...]

    def __str__(self) -> str:
        path = "/".join(map(str, self.segments))
        if self.artifact is None:
            return path
        return f"{self.artifact}#{path}" if path else self.artifact

    @property
    def path(self) -> str:
        """The steps alone, as text."""
        return "/".join(map(str, self.segments))


def quote(name: str) -> str:
    """`name` in double quotes; `"` and `\\` inside are escaped with a backslash."""
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def format_segment(kind: str, name: str, ordinal: int | None = None) -> str:
    """The text of one step with a name, quoted where the syntax or the kind needs it."""
    plain = kind not in QUOTED_KINDS and _UNQUOTED.fullmatch(name) and not _NUMBER.fullmatch(name) and name != "*"
    plain = plain and not name.isdigit() and not _RANGE.fullmatch(name) and not _ORDINAL_END.fullmatch(name) and name == name.strip()
    text = name if plain else quote(name)
    return f"{kind}[{text},{ordinal}]" if ordinal is not None else f"{kind}[{text}]"


@lru_cache(maxsize=4096)
def parse_address(text: str, *, artifacts: tuple[str, ...] = ()) -> Address:
    """The address that `text` spells.

    artifacts: names of the artifacts that are in question. A text without `#` that equals one of them is that whole
    artifact; every other text without `#` is a path whose artifact is left out. They may hold brackets.
    Raises AddressError with the place where the text stops being an address.
    """
    if text in artifacts:
        return Address(text, ())
    artifact: str | None = None
    path = text
    known = next((name for name in artifacts if text.startswith(f"{name}#")), None)
    hash_at = len(known) if known is not None else _hash_outside_quotes(text)
    if hash_at is not None:
        artifact, path = text[:hash_at] or None, text[hash_at + 1 :]
    if not path:
        return Address(artifact, ())
    segments: list[Segment] = []
    position = 0
    while True:
        segment, position = _parse_segment(path, position)
        segments.append(segment)
        if position == len(path):
            return Address(artifact, tuple(segments))
        if path[position] != "/":
            raise AddressError(f"address {text!r}: expected '/' or the end at {path[position:]!r}")
        position += 1


def _hash_outside_quotes(text: str) -> int | None:
    bracket = text.find("[")
    at = text.find("#")
    return at if at >= 0 and (bracket < 0 or at < bracket) else None


def _parse_segment(path: str, position: int) -> tuple[Segment, int]:
    kind_match = _KIND.match(path, position)
    if kind_match is None:
        raise AddressError(f"address {path!r}: expected a kind in lower case (or '**') at {path[position:]!r}")
    kind, position = kind_match.group(), kind_match.end()
    if kind == "**" or position == len(path) or path[position] != "[":
        return Segment(kind), position
    position += 1
    if position < len(path) and path[position] == '"':
        name, position = _parse_quoted(path, position)
        ordinal: int | None = None
        if path.startswith(",", position):
            number = re.compile(r"\s*([1-9][0-9]*)").match(path, position + 1)
            if number is None:
                raise AddressError(f"address {path!r}: expected a number after ',' at {path[position:]!r}")
            ordinal, position = int(number.group(1)), number.end()
        segment = Segment(kind, name=name, ordinal=ordinal)
    else:
        end = path.find("]", position)
        if end < 0:
            raise AddressError(f"address {path!r}: '[' is not closed at {path[position - 1 :]!r}")
        key = path[position:end]
        if not key or '"' in key or "/" in key:
            raise AddressError(f"address {path!r}: the key {key!r} must be quoted with double quotes or not be empty")
        position = end
        segment = _key_segment(kind, key)
    if not path.startswith("]", position):
        raise AddressError(f"address {path!r}: expected ']' at {path[position:]!r}")
    return segment, position + 1


def _key_segment(kind: str, key: str) -> Segment:
    if key == "*":
        return Segment(kind, any=True)
    if _NUMBER.fullmatch(key):
        return Segment(kind, number=int(key))
    numbers = _RANGE.fullmatch(key)
    if numbers:
        first, last = int(numbers.group(1)), int(numbers.group(2))
        if last < first:
            raise AddressError(f"address step '{kind}[{key}]': the range ends before it begins")
        return Segment(kind, number=first, last=last)
    if key.isdigit():
        raise AddressError(f"address step '{kind}[{key}]': numbers begin at 1 without zeros; a name of digits is put in double quotes")
    name, comma, ordinal = key.rpartition(",")
    if comma and _NUMBER.fullmatch(ordinal.strip()) and name and not name.isdigit():
        return Segment(kind, name=name, ordinal=int(ordinal))
    return Segment(kind, name=key)


def _parse_quoted(path: str, position: int) -> tuple[str, int]:
    out: list[str] = []
    at = position + 1
    while at < len(path):
        char = path[at]
        if char == "\\" and at + 1 < len(path):
            out.append(path[at + 1])
            at += 2
        elif char == '"':
            return "".join(out), at + 1
        else:
            out.append(char)
            at += 1
    raise AddressError(f"address {path!r}: the quote at {path[position:]!r} is not closed")
