"""The edit scope that lets one document become another, and no more."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from docops.core.address import Address, parse_address
from docops.core.compare import Allow, Change, ChangeKind, Comparison
from docops.core.document import Document
from docops.families.preservation import ScopeEntry, compare_documents, scope_of
from docops.registry import format_named

#: Steps that no edit scope names by themselves: their owner is what was edited.
_PARTS_OF_TEXT = frozenset({"run", "field", "hyperlink", "widget"})
#: Places that own others; with them in scope, those need no entry of their own.
_OWNERS = ("field", "sheet", "slide", "outline", "style")
#: So many siblings of one kind are named by `*`.
_MANY = 12
_ROUNDS = 6

_CELL = re.compile(r"(?P<sheet>.*)/cell\[(?P<column>[A-Z]{1,3})(?P<row>[1-9][0-9]*)\]")


@dataclass(frozen=True, slots=True)
class Allowed:
    """One entry of an edit scope as it is written: the place, and what may happen there (everything where empty)."""

    at: str
    allow: tuple[str, ...] = ()

    @property
    def entry(self) -> ScopeEntry:
        """The entry as the engine takes it."""
        return ScopeEntry(parse_address(self.at), frozenset(map(Allow, self.allow or tuple(Allow))))

    @property
    def written(self) -> str | dict[str, object]:
        """The entry as JSON."""
        return {"at": self.at, "allow": list(self.allow)} if self.allow else self.at


def draft_scope(before: Document, after: Document) -> list[Allowed]:
    """Entries that cover every change from one document to the other.

    What an edit brings with it needs no entry, so entries are added until nothing is left over.
    """
    entries: list[Allowed] = []
    for _ in range(_ROUNDS):
        left = left_over(before, after, entries)
        if not left:
            break
        owners = [change for change in left if parse_address(change.address).segments and parse_address(change.address).segments[0].kind in _OWNERS]
        entries = _tidy([*entries, *map(_allowed, owners if owners and len(owners) < len(left) and not entries else left)])
    return entries


def left_over(before: Document, after: Document, entries: Iterable[Allowed]) -> list[Change]:
    """The changes that no entry covers."""
    scope = [entry.entry for entry in entries]
    comparison = Comparison(before_scope=scope_of(scope, before), after_scope=scope_of(scope, after))
    return compare_documents(before, after, format_named(before.format), comparison)


def edited_place(address: str) -> str:
    """The place that a person would say was edited: not a run but its paragraph, not the paragraph in a cell but the cell."""
    segments = list(parse_address(address).segments) if address else []
    while len(segments) > 1 and segments[-1].kind in _PARTS_OF_TEXT:
        segments.pop()
    for at, segment in enumerate(segments):
        if segment.kind in ("cell", "notes"):
            segments = segments[: at + 1]
            break
    return str(Address(None, tuple(segments)))


def _allowed(change: Change) -> Allowed:
    if not change.place:
        return Allowed(edited_place(change.address))
    word = {ChangeKind.ADDED: "add", ChangeKind.REMOVED: "remove", ChangeKind.MOVED: "move"}[change.kind]
    return Allowed(change.address, (word,))


def _tidy(entries: Sequence[Allowed]) -> list[Allowed]:
    """Without what another entry covers; neighbouring cells as ranges, many siblings as `*`."""
    unique = list(dict.fromkeys(entry for entry in entries if entry.at))
    whole = {entry.at for entry in unique if not entry.allow}
    kept = [entry for entry in unique if not _inside(entry.at, whole - {entry.at} if not entry.allow else whole)]
    cells = [entry for entry in kept if _CELL.fullmatch(entry.at)]
    others = _starred([entry for entry in kept if not _CELL.fullmatch(entry.at)])
    return [*others, *_ranges([entry.at for entry in cells])]


def _inside(address: str, places: set[str]) -> bool:
    while address:
        if address in places:
            return True
        address = str(Address(None, parse_address(address).segments[:-1]))
    return False


def _starred(entries: list[Allowed]) -> list[Allowed]:
    groups: dict[tuple[str, tuple[str, ...]], list[Allowed]] = {}
    for entry in entries:
        segments = parse_address(entry.at).segments
        parent = str(Address(None, segments[:-1]))
        groups.setdefault((f"{parent}/{segments[-1].kind}" if parent else segments[-1].kind, entry.allow), []).append(entry)
    out: list[Allowed] = []
    for (path, allow), members in groups.items():
        out += [Allowed(f"{path}[*]", allow)] if len(members) > _MANY else members
    return out


def _ranges(addresses: Sequence[str]) -> list[Allowed]:
    """Cells as few rectangles: runs down each column, then equal runs of neighbouring columns."""
    columns: dict[tuple[str, int], list[int]] = {}
    for address in addresses:
        match = _CELL.fullmatch(address)
        if match is not None:
            columns.setdefault((match["sheet"], _number(match["column"])), []).append(int(match["row"]))
    rectangles: list[tuple[str, int, int, int, int]] = []
    for (sheet, column), rows in sorted(columns.items()):
        for first, last in _runs(sorted(set(rows))):
            beside = next((r for r in rectangles if r[0] == sheet and r[2] == column - 1 and r[3:] == (first, last)), None)
            if beside is not None:
                rectangles[rectangles.index(beside)] = (sheet, beside[1], column, first, last)
            else:
                rectangles.append((sheet, column, column, first, last))
    out = []
    for sheet, left, right, top, bottom in rectangles:
        start, end = f"{_letters(left)}{top}", f"{_letters(right)}{bottom}"
        out.append(Allowed(f"{sheet}/cell[{start}]" if start == end else f"{sheet}/cell[{start}:{end}]"))
    return out


def _runs(rows: Sequence[int]) -> list[tuple[int, int]]:
    out: list[tuple[int, int]] = []
    for row in rows:
        if out and out[-1][1] == row - 1:
            out[-1] = (out[-1][0], row)
        else:
            out.append((row, row))
    return out


def _number(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - 64
    return number


def _letters(number: int) -> str:
    out = ""
    while number:
        number, rest = divmod(number - 1, 26)
        out = chr(65 + rest) + out
    return out
