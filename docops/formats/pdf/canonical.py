"""Canonical form of PDF objects: what means the same gives the same digest, whatever the numbers and filters.

Left out: object numbers, direct or indirect, key order, nulls, lossless filters, links back to a parent, spelling of
numbers and strings, subset tags of font names, values that state a default. A reference to a page stands for the page, not its content.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection, Mapping

from docops.core.node import Value
from docops.formats.pdf.reading import Broken, Name, Object, Objects, Ref, Stream

_SUBSET_TAG = re.compile(r"[A-Z]{6}\+")
#: Keys of a stream's dictionary that only say how its data is stored.
_STORAGE = frozenset({"Length", "Filter", "DecodeParms", "DL", "F", "FFilter", "FDecodeParms"})
#: (Subtype or Type, key) → the value that means the same as absence.
_DEFAULTS: Mapping[tuple[str, str], Object] = {
    ("Form", "FormType"): 1,
    ("Form", "Matrix"): [1, 0, 0, 1, 0, 0],
    ("Image", "ImageMask"): False,
    ("Image", "Interpolate"): False,
    ("ExtGState", "SA"): False,
}
#: Rounds of refinement for objects that refer to each other in a circle.
_ROUNDS = 16

Part = bytes | Ref


def plain_font_name(name: str) -> str:
    """A font's name without the tag of its subset."""
    return name[7:] if _SUBSET_TAG.match(name) else name


def number_text(value: float) -> str:
    """One spelling of a number: 1 for 1.0, five decimals at most, two from 10 on (programs round when they write)."""
    if isinstance(value, int) or float(value).is_integer():
        return str(int(value)) if abs(value) < 1e15 else repr(float(value))
    text = (f"{value:.2f}" if abs(value) >= 10 else f"{value:.5f}").rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


class Canonical:
    """Canonical digests of one file's objects.

    page_name: 0-based page index → what a reference to that page stands for.
    """

    def __init__(self, objects: Objects, page_name: Callable[[int], str] | None = None) -> None:
        self.objects = objects
        self.page_name = page_name or (lambda index: str(index + 1))
        self._digests: dict[Ref, bytes] = {}
        self._parts: dict[Ref, list[Part]] = {}

    def digest(self, value: Object, *, skip: Collection[str] = ()) -> str:
        """Digest of a value and of everything it refers to.   skip: keys of the value itself that are left out."""
        return self._hash(self._spell(value, frozenset(skip))).hex()

    def value(self, value: Object, *, skip: Collection[str] = ()) -> Value:
        """A short value as JSON, anything longer as its digest."""
        shown = self._plain(value, 0, frozenset(skip))
        if shown is not _TOO_LONG and len(repr(shown)) <= 160:
            return shown
        target = self.objects.get(value)
        kind = "stream" if isinstance(target, Stream) else "array" if isinstance(target, list) else "dictionary" if isinstance(target, dict) else "string"
        return f"{kind} {self.digest(value, skip=skip)}"

    def _plain(self, value: Object, depth: int, skip: Collection[str] = ()) -> Value:
        if depth > 4:
            return _TOO_LONG
        if isinstance(value, Ref):
            page = self.objects.page_numbers.get(value)
            if page is not None:
                return f"page {self.page_name(page)}"
            value = self.objects.get(value)
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, int | float):
            return number_text(value)
        if isinstance(value, Name):
            return f"/{value}"
        if isinstance(value, str):
            return value
        if isinstance(value, bytes):
            return f"<{value.hex()}>" if len(value) <= 32 else _TOO_LONG
        if isinstance(value, Broken):
            return f"unreadable object ({value.reason})"
        if isinstance(value, list):
            if len(value) > 40:
                return _TOO_LONG
            items = [self._plain(item, depth + 1) for item in value]
            return _TOO_LONG if any(item is _TOO_LONG for item in items) else items
        if isinstance(value, dict):
            if len(value) > 20:
                return _TOO_LONG
            pairs = {key: self._plain(value[key], depth + 1) for key in sorted(value) if key not in skip and not self._left_out(value, key)}
            return _TOO_LONG if any(item is _TOO_LONG for item in pairs.values()) else pairs
        return _TOO_LONG

    @staticmethod
    def _hash(data: bytes) -> bytes:
        return hashlib.blake2b(data, digest_size=12).digest()

    def _spell(self, value: Object, skip: frozenset[str] = frozenset()) -> bytes:
        parts: list[Part] = []
        self._write(value, parts, skip)
        for part in parts:
            if isinstance(part, Ref) and part not in self._digests:
                self._resolve(part)
        return b"".join(part if isinstance(part, bytes) else self._digests[part] for part in parts)

    def _write(self, value: Object, out: list[Part], skip: frozenset[str] = frozenset()) -> None:
        if value is None:
            out.append(b"null ")
        elif isinstance(value, Ref):
            self._write_reference(value, out)
        elif isinstance(value, bool):
            out.append(b"true " if value else b"false ")
        elif isinstance(value, int | float):
            out.append(number_text(value).encode() + b" ")
        elif isinstance(value, Name):
            out.append(b"/" + value.encode("utf-8", "surrogatepass") + b" ")
        elif isinstance(value, str):
            out.append(b"(" + value.encode("utf-8", "surrogatepass") + b")%d " % len(value))
        elif isinstance(value, bytes):
            out.append(b"<" + value.hex().encode() + b">")
        elif isinstance(value, list):
            out.append(b"[")
            for item in value:
                self._write(item, out)
            out.append(b"]")
        elif isinstance(value, dict):
            self._write_dict(value, out, skip)
        elif isinstance(value, Stream):
            data, rest = value.decode()
            self._write_dict(value.dict, out, skip | _STORAGE)
            parameters = value.dict.get("DecodeParms") if rest else None
            out.append(b"stream " + hashlib.blake2b(data, digest_size=16).digest() + " ".join(rest).encode("utf-8", "surrogatepass"))
            self._write(parameters, out)
        else:
            out.append(f"!{value!r}".encode("utf-8", "surrogatepass"))

    def _write_reference(self, ref: Ref, out: list[Part]) -> None:
        page = self.objects.page_numbers.get(ref)
        if page is not None:
            out.append(b"page " + self.page_name(page).encode())
        elif ref == self.objects.catalog_ref:
            out.append(b"catalogue ")
        else:
            target = self.objects.load(ref)
            if isinstance(target, dict | list | Stream):
                out.append(ref)
            else:  # a number or a string is the same, direct or indirect
                self._write(target if not isinstance(target, Ref) else self.objects.get(target), out)

    def _write_dict(self, value: dict[str, Object], out: list[Part], skip: frozenset[str]) -> None:
        out.append(b"<<")
        for key in sorted(value):
            if key in skip or self._left_out(value, key):
                continue
            item = value[key]
            if isinstance(item, Ref) and self.objects.get(item) is None and item not in self.objects.page_numbers:
                continue
            out.append(b"/" + key.encode("utf-8", "surrogatepass") + b" ")
            if key in {"BaseFont", "FontName"} and isinstance(item, Name):
                item = Name(plain_font_name(item))
            self._write(item, out)
        out.append(b">>")

    def _left_out(self, container: dict[str, Object], key: str) -> bool:
        value = container[key]
        if key in {"Parent", "Prev", "P"} and isinstance(value, Ref):
            if key != "P":
                return isinstance(self.objects.load(value), dict)
            target = self.objects.load(value)
            return value in self.objects.page_numbers or (isinstance(target, dict) and target.get("Type") in ("StructElem", "StructTreeRoot"))
        if key == "Name" and container.get("Type") in ("Font", "XObject"):
            return True
        kind = container.get("Subtype", container.get("Type"))
        return isinstance(kind, str) and (kind, key) in _DEFAULTS and _DEFAULTS[kind, key] == self.objects.get(value)

    def _resolve(self, start: Ref) -> None:
        """Digest `start` and what it refers to: strongly connected components from the leaves up, a circle by refinement."""
        index: dict[Ref, int] = {}
        low: dict[Ref, int] = {}
        open_refs: list[Ref] = []
        is_open: set[Ref] = set()
        work: list[tuple[Ref, list[Ref], int]] = []

        def enter(ref: Ref) -> None:
            parts: list[Part] = []
            self._write(self.objects.load(ref), parts)
            self._parts[ref] = parts
            index[ref] = low[ref] = len(index)
            open_refs.append(ref)
            is_open.add(ref)
            work.append((ref, [part for part in parts if isinstance(part, Ref)], 0))

        enter(start)
        while work:
            ref, children, at = work.pop()
            descended = False
            while at < len(children):
                child = children[at]
                at += 1
                if child in self._digests:
                    continue
                if child not in index:
                    work.append((ref, children, at - 1))
                    enter(child)
                    descended = True
                    break
                if child in is_open:
                    low[ref] = min(low[ref], low[child])
            if descended:
                continue
            if low[ref] == index[ref]:
                members = []
                while True:
                    member = open_refs.pop()
                    is_open.discard(member)
                    members.append(member)
                    if member == ref:
                        break
                self._close(members)
            if work:
                above = work[-1][0]
                low[above] = min(low[above], low[ref])

    def _close(self, members: list[Ref]) -> None:
        inside = set(members)
        colours = dict.fromkeys(members, b"*")
        circular = len(members) > 1 or any(part in inside for part in self._parts[members[0]] if isinstance(part, Ref))
        for _ in range(min(len(members), _ROUNDS) + 1 if circular else 1):
            colours = {
                member: self._hash(
                    b"".join(part if isinstance(part, bytes) else colours[part] if part in inside else self._digests[part] for part in self._parts[member])
                )
                for member in members
            }
        self._digests.update(colours)
        for member in members:
            del self._parts[member]


_TOO_LONG: Value = "…too long…"
