"""PDF files written anew in other ways that mean the same: numbering, compression, object streams, spelling of strings and numbers."""

from __future__ import annotations

import io
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class PdfSpelling:
    """How a file is written.

    reverse: objects are numbered from the last to the first.   streams: `keep`, `plain` or `packed` (Flate anew).
    object_streams: objects stand in object streams, with a cross-reference stream.   hex_strings: strings in hexadecimal.
    reverse_keys: dictionary keys in reverse order.   long_numbers: `1.500` for 1.5 and `12.0` for 12 in boxes.
    gap: unused numbers between objects.   inline: short indirect arrays and numbers written in place.
    """

    reverse: bool = False
    streams: str = "keep"
    object_streams: bool = False
    hex_strings: bool = False
    reverse_keys: bool = False
    long_numbers: bool = False
    gap: int = 0
    version: str = "1.7"


def rewrite_pdf(data: bytes, spelling: PdfSpelling, change: Callable[[Any], None] | None = None) -> bytes:
    """The document written in another way.

    change: edits the objects, read with pypdf, before they are written.
    Raises ValueError for an encrypted document.
    """
    from pypdf import PdfReader

    reader = PdfReader(io.BytesIO(data))
    if reader.is_encrypted:
        raise ValueError("encrypted")
    if change is not None:
        change(reader)
    return _Writer(reader, spelling).write()


class _Writer:
    def __init__(self, reader: Any, spelling: PdfSpelling) -> None:
        self.reader = reader
        self.spelling = spelling
        self.objects: list[Any] = []
        self.numbers: dict[tuple[int, int], int] = {}

    def write(self) -> bytes:
        trailer = {key: self.reader.trailer.raw_get(key) for key in ("/Root", "/Info", "/ID") if key in self.reader.trailer}
        order: list[Any] = []
        for value in trailer.values():
            self._collect(value, order)
        if self.spelling.reverse:
            order.reverse()
        step = self.spelling.gap + 1
        for position, (key, _) in enumerate(order):
            self.numbers[key] = position * step + 1
        bodies = [(self.numbers[key], value) for key, value in order]
        if self.spelling.object_streams:
            return self._with_object_streams(bodies, trailer)
        return self._with_table(bodies, trailer)

    def _collect(self, value: Any, order: list[Any]) -> None:
        from pypdf.generic import IndirectObject

        stack = [value]
        seen = {key for key, _ in order}
        while stack:
            item = stack.pop()
            if isinstance(item, IndirectObject):
                key = (item.idnum, item.generation)
                if key in seen:
                    continue
                target = item.get_object()
                if target is None:
                    continue
                seen.add(key)
                order.append((key, target))
                item = target
            stack.extend(reversed(_children(item)))

    def _with_table(self, bodies: Sequence[tuple[int, Any]], trailer: dict[str, Any]) -> bytes:
        out = bytearray(f"%PDF-{self.spelling.version}\n%\xe2\xe3\xcf\xd3\n".encode("latin-1"))
        offsets = {}
        for number, value in bodies:
            offsets[number] = len(out)
            out += f"{number} 0 obj\n".encode() + self._object(value) + b"\nendobj\n"
        size = max(offsets) + 1
        start = len(out)
        out += f"xref\n0 {size}\n".encode()
        for number in range(size):
            out += f"{offsets[number]:010d} 00000 n \n".encode() if number in offsets else b"0000000000 65535 f \n"
        entries = b" ".join(key.encode() + b" " + self._value(value) for key, value in trailer.items())
        out += b"trailer\n<< " + entries + f" /Size {size} >>\nstartxref\n{start}\n%%EOF\n".encode()
        return bytes(out)

    def _with_object_streams(self, bodies: Sequence[tuple[int, Any]], trailer: dict[str, Any]) -> bytes:
        from pypdf.generic import StreamObject

        out = bytearray(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
        entries: dict[int, tuple[int, int, int]] = {0: (0, 0, 65535)}
        packed = [(number, self._value(value)) for number, value in bodies if not isinstance(value, StreamObject)]
        last = max(number for number, _ in bodies)
        for number, value in bodies:
            if isinstance(value, StreamObject):
                entries[number] = (1, len(out), 0)
                out += f"{number} 0 obj\n".encode() + self._object(value) + b"\nendobj\n"
        for first in range(0, len(packed), 100):
            chunk = packed[first : first + 100]
            last += 1
            head, body = [], b""
            for at, (number, text) in enumerate(chunk):
                entries[number] = (2, last, at)
                head.append(f"{number} {len(body)}")
                body += text + b"\n"
            index = (" ".join(head) + "\n").encode()
            stream = zlib.compress(index + body)
            entries[last] = (1, len(out), 0)
            out += f"{last} 0 obj\n<< /Type /ObjStm /N {len(chunk)} /First {len(index)} /Filter /FlateDecode /Length {len(stream)} >>\nstream\n".encode()
            out += stream + b"\nendstream\nendobj\n"
        last += 1
        start = len(out)
        entries[last] = (1, start, 0)
        rows = b"".join(
            kind.to_bytes(1, "big") + first.to_bytes(4, "big") + second.to_bytes(2, "big")
            for kind, first, second in (entries.get(number, (0, 0, 65535)) for number in range(last + 1))
        )
        table = zlib.compress(rows)
        keys = b" ".join(key.encode() + b" " + self._value(value) for key, value in trailer.items())
        out += f"{last} 0 obj\n<< /Type /XRef /Size {last + 1} /W [1 4 2] /Filter /FlateDecode /Length {len(table)} ".encode() + keys
        out += b" >>\nstream\n" + table + f"\nendstream\nendobj\nstartxref\n{start}\n%%EOF\n".encode()
        return bytes(out)

    def _object(self, value: Any) -> bytes:
        from pypdf.generic import StreamObject

        if not isinstance(value, StreamObject):
            return self._value(value)
        data = bytes(value._data)
        keys = {key: value.raw_get(key) for key in value if key != "/Length"}
        filters = str(keys.get("/Filter", ""))
        plain = self.spelling.streams != "keep" and "/DecodeParms" not in keys and filters in ("", "/FlateDecode", "['/FlateDecode']")
        if plain:
            content = bytes(value.get_data())
            keys.pop("/Filter", None)
            data = content
            if self.spelling.streams == "packed":
                data = zlib.compress(content, 9)
        text = self._dictionary(keys)[:-3]
        if plain and self.spelling.streams == "packed":
            text += b" /Filter /FlateDecode"
        return text + f" /Length {len(data)} >>\nstream\n".encode() + data + b"\nendstream"

    def _dictionary(self, keys: dict[str, Any]) -> bytes:
        names = list(keys)
        if self.spelling.reverse_keys:
            names.reverse()
        parts = []
        for key in names:
            value = keys[key]
            # Boxes may hold 12 or 12.0; counts and flags may not.
            boxed = self.spelling.long_numbers and key in ("/MediaBox", "/CropBox", "/Rect", "/BBox") and isinstance(value, list)
            text = b"[" + b" ".join(_long(item) for item in value) + b"]" if boxed else self._value(value)
            parts.append(_name(key) + b" " + text)
        return b"<< " + b" ".join(parts) + b" >>"

    def _value(self, value: Any) -> bytes:
        from pypdf.generic import ByteStringObject, DictionaryObject, IndirectObject, NameObject, TextStringObject

        if isinstance(value, IndirectObject):
            number = self.numbers.get((value.idnum, value.generation))
            return b"null" if number is None else f"{number} 0 R".encode()
        if isinstance(value, DictionaryObject):
            return self._dictionary({key: value.raw_get(key) for key in value})
        if isinstance(value, list):
            return b"[" + b" ".join(self._value(item) for item in value) + b"]"
        if isinstance(value, NameObject):
            return _name(str(value))
        if isinstance(value, TextStringObject | ByteStringObject):
            raw = bytes(value.original_bytes)
            return _hexadecimal(raw) if self.spelling.hex_strings else _literal(raw)
        out = io.BytesIO()
        value.write_to_stream(out)
        return out.getvalue()


def _children(value: Any) -> list[Any]:
    from pypdf.generic import DictionaryObject

    if isinstance(value, DictionaryObject):
        return [value.raw_get(key) for key in value if key != "/Length"]
    return list(value) if isinstance(value, list) else []


def _long(value: Any) -> bytes:
    number: Any = value.get_object()
    return f"{float(number):.3f}".encode()


def _name(name: str) -> bytes:
    from pypdf.generic import NameObject

    return bytes(NameObject(name).renumber())


def _hexadecimal(raw: bytes) -> bytes:
    return b"<" + raw.hex().upper().encode() + b">"


def _literal(raw: bytes) -> bytes:
    out = bytearray(b"(")
    for byte in raw:
        if byte in b"()\\":
            out += b"\\" + bytes((byte,))
        elif 32 <= byte < 127:
            out.append(byte)
        else:
            out += f"\\{byte:03o}".encode()
    return bytes(out + b")")
