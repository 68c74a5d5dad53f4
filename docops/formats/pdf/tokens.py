"""Content streams (and CMaps) as operators with their operands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from docops.core.codes import FindingCode
from docops.core.errors import Unreadable
from docops.formats.pdf.reading import Name

#: Operands before an operator is given up on, and nesting of arrays and dictionaries.
_MAX_OPERANDS = 100_000
_MAX_DEPTH = 64

_SPACE = rb"\x00\t\n\f\r "
_TOKEN = re.compile(
    rb"(?:[" + _SPACE + rb"]++|%[^\r\n]*+)*+"
    rb"(?:(?P<number>[+-]?(?:\d++\.?\d*+|\.\d++))(?![^" + _SPACE + rb"()<>\[\]{}/%])"
    rb"|/(?P<name>[^" + _SPACE + rb"()<>\[\]{}/%]*)"
    rb"|\((?P<plain>[^()\\\r]*)\)"
    rb"|(?P<string>\()"
    rb"|(?P<mark><<|>>|[\[\]{}])"
    rb"|<(?P<hex>[^>]*)>?"
    rb"|(?P<word>[^" + _SPACE + rb"()<>\[\]{}/%]+)"
    rb"|(?P<stray>[)>]))"
)
_IN_STRING = re.compile(rb"[()\\\r]")
_NOT_HEX = re.compile(rb"[^0-9A-Fa-f]")
_ESCAPES = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"f": b"\f"}
_OCTAL = re.compile(rb"[0-7]{1,3}")
_NAME_ESCAPE = re.compile(rb"#([0-9A-Fa-f]{2})")
_LENIENT_NUMBER = re.compile(rb"[+-]*(\d*\.?\d*)")
_END_IMAGE = re.compile(rb"[" + _SPACE + rb"]EI(?=[" + _SPACE + rb"]|$)")
_LITERALS = {b"true": True, b"false": False, b"null": None}

#: Abbreviated keys and values of inline images (ISO 32000-2 tables 91 and 92).
_INLINE_KEYS = {
    "BPC": "BitsPerComponent", "CS": "ColorSpace", "D": "Decode", "DP": "DecodeParms", "F": "Filter", "H": "Height",
    "IM": "ImageMask", "I": "Interpolate", "W": "Width", "L": "Length",
}  # fmt: skip
_INLINE_VALUES = {
    "G": "DeviceGray", "RGB": "DeviceRGB", "CMYK": "DeviceCMYK", "I": "Indexed", "AHx": "ASCIIHexDecode", "A85": "ASCII85Decode",
    "LZW": "LZWDecode", "Fl": "FlateDecode", "RL": "RunLengthDecode", "CCF": "CCITTFaxDecode", "DCT": "DCTDecode",
}  # fmt: skip

Operation = tuple[str, list[Any]]


def operations(data: bytes, limit: int) -> Iterator[Operation]:
    """Operators with their operands, in order; an inline image is one operation `BI` with its dictionary and its data.

    Strings are bytes here. What is not an operand where one should be is taken for an operator, so that nothing is lost.
    Raises Unreadable after `limit` operators.
    """
    operands: list[Any] = []
    containers: list[tuple[bytes, list[Any]]] = []
    position = 0
    count = 0
    match = _TOKEN.match
    while True:
        found = match(data, position)
        if found is None:
            break
        position = found.end()
        kind = found.lastgroup
        text = found.group(kind) if kind else b""
        target = containers[-1][1] if containers else operands
        if kind == "number":
            target.append(_number(text))
        elif kind == "name":
            target.append(_name(text))
        elif kind == "plain":
            target.append(text)
        elif kind == "string":
            string, position = _string(data, position)
            target.append(string)
        elif kind == "hex":
            target.append(_hex(text))
        elif kind == "mark":
            if text in {b"[", b"<<", b"{"}:
                if len(containers) >= _MAX_DEPTH:
                    raise Unreadable(FindingCode.LIMIT_EXCEEDED, "a content stream nests arrays too deep")
                containers.append((text, []))
            elif containers:
                opened, items = containers.pop()
                outer = containers[-1][1] if containers else operands
                outer.append(_dictionary(items) if opened == b"<<" else items)
        elif kind == "word":
            if text in _LITERALS:
                target.append(_LITERALS[text])
            elif (lenient := _lenient(text)) is not None:
                target.append(lenient)
            elif containers and containers[-1][0] != b"[":
                target.append(Name(text.decode("latin-1")))
            else:
                while containers:  # an array that was never closed
                    opened, items = containers.pop()
                    (containers[-1][1] if containers else operands).append(items)
                count += 1
                if count > limit:
                    raise Unreadable(FindingCode.LIMIT_EXCEEDED, f"more than {limit} drawing operators")
                if text == b"ID":
                    dictionary = _inline_dictionary(operands)
                    image, position = _inline_data(data, position, dictionary)
                    yield "BI", [dictionary, image]
                elif text != b"BI":
                    yield text.decode("latin-1"), operands
                operands = []
        if len(operands) > _MAX_OPERANDS:
            raise Unreadable(FindingCode.LIMIT_EXCEEDED, "a content stream holds too many operands")
    if operands or containers:
        yield "", [repr(operands), repr(containers)]


def _number(text: bytes) -> float:
    return float(text) if b"." in text else int(text) if len(text) < 40 else float(text)


def _lenient(text: bytes) -> float | None:
    """What readers take for a number although it is not one (`--5`, `1.2.3`, `12-5`)."""
    if text[:1] not in b"+-.0123456789":
        return None
    found = _LENIENT_NUMBER.match(text)
    digits = found.group(1) if found else b""
    if not digits or digits == b".":
        return 0 if not text.strip(b"+-.") else None
    return (-1 if text.startswith(b"-") else 1) * float(digits)


def _name(text: bytes) -> Name:
    if b"#" in text:
        text = _NAME_ESCAPE.sub(lambda found: bytes((int(found.group(1), 16),)), text)
    try:
        return Name(text.decode("utf-8"))
    except UnicodeDecodeError:
        return Name(text.decode("latin-1"))


def _hex(text: bytes) -> bytes:
    digits = _NOT_HEX.sub(b"", text)
    return bytes.fromhex((digits + b"0" * (len(digits) % 2)).decode("ascii"))


def _string(data: bytes, position: int) -> tuple[bytes, int]:
    out: list[bytes] = []
    depth = 1
    while True:
        found = _IN_STRING.search(data, position)
        if found is None:
            out.append(data[position:])
            return b"".join(out), len(data)
        at = found.start()
        out.append(data[position:at])
        char = data[at : at + 1]
        position = at + 1
        if char == b"(":
            depth += 1
            out.append(char)
        elif char == b")":
            depth -= 1
            if depth == 0:
                return b"".join(out), position
            out.append(char)
        elif char == b"\r":
            out.append(b"\n")
            position += data[position : position + 1] == b"\n"
        else:
            piece, position = _escape(data, position)
            out.append(piece)


def _escape(data: bytes, position: int) -> tuple[bytes, int]:
    octal = _OCTAL.match(data, position)
    if octal:
        return bytes((int(octal.group(), 8) & 255,)), octal.end()
    char = data[position : position + 1]
    if char in {b"\r", b"\n"}:
        return b"", position + 1 + (data[position : position + 2] == b"\r\n")
    return _ESCAPES.get(char, char), position + 1


def _dictionary(items: list[Any]) -> dict[str, Any]:
    return {str(key): value for key, value in zip(items[::2], items[1::2], strict=False)}


def _inline_dictionary(operands: list[Any]) -> dict[str, Any]:
    out: dict[str, Any] = {"Subtype": Name("Image")}
    for key, value in _dictionary(operands).items():
        full = _INLINE_KEYS.get(key, key)
        if full in {"ColorSpace", "Filter"}:
            value = [_full_value(item) for item in value] if isinstance(value, list) else _full_value(value)
        out[full] = value
    return out


def _full_value(value: Any) -> Any:
    return Name(_INLINE_VALUES.get(value, value)) if isinstance(value, Name) else value


def _inline_data(data: bytes, position: int, dictionary: dict[str, Any]) -> tuple[bytes, int]:
    start = position + 1 if data[position : position + 1].strip(b"\0\t\n\f\r ") == b"" else position
    length = _unfiltered_length(dictionary)
    if length is not None and _END_IMAGE.match(b" " + data[start + length :].lstrip(b"\0\t\n\f\r ")[:3]):
        end = start + length
        return data[start:end], data.index(b"EI", end) + 2
    at = start - 1
    while True:
        found = _END_IMAGE.search(data, max(at, 0))
        if found is None:
            return data[start:], len(data)
        following = data[found.end() : found.end() + 12]
        if all(byte in b"\t\n\f\r " or 32 <= byte < 127 for byte in following):
            return data[start : found.start()], found.end()
        at = found.start() + 1


def _unfiltered_length(dictionary: dict[str, Any]) -> int | None:
    if dictionary.get("Filter"):
        return None
    width, height, bits = dictionary.get("Width"), dictionary.get("Height"), dictionary.get("BitsPerComponent", 8)
    space = dictionary.get("ColorSpace")
    if dictionary.get("ImageMask") is True:
        bits, space = 1, "DeviceGray"
    channels = {"DeviceGray": 1, "DeviceRGB": 3, "DeviceCMYK": 4}.get(space if isinstance(space, str) else "")
    if isinstance(space, list) and space and space[0] == "Indexed":
        channels = 1
    if channels is None or not all(isinstance(number, int) and 0 < number < 1 << 20 for number in (width, height, bits)):
        return None
    return ((int(width or 0) * channels * int(bits) + 7) // 8) * int(height or 0)
