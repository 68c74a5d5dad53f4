"""Small pictures, made here, that operators put where other pictures or text stood."""

from __future__ import annotations

import struct
import zlib


def make_png(width: int = 8, height: int = 8, colour: tuple[int, int, int] = (180, 40, 40)) -> bytes:
    """A PNG picture of one colour."""
    row = b"\0" + bytes(colour) * width
    packed = zlib.compress(row * height, 9)
    header = struct.pack(">2L5B", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header) + _chunk(b"IDAT", packed) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">L", len(data)) + kind + data + struct.pack(">L", zlib.crc32(kind + data))


def other_image(data: bytes) -> bytes:
    """A picture that differs from `data`; its own type is kept where it can be made without a drawing library."""
    if data[:2] == b"\xff\xd8":
        return _changed_jpeg(data)
    first, second = make_png(), make_png(colour=(20, 90, 160))
    return second if data == first else first


def _changed_jpeg(data: bytes) -> bytes:
    # Bytes of the scan decide what is seen; a stuffed 0xFF must stay what it is.
    start = data.rfind(b"\xff\xda")
    body = bytearray(data)
    for at in range(max(start, 0) + 20, len(body) - 3):
        if 0xFF not in (body[at - 1], body[at], body[at] ^ 0x15):
            body[at] ^= 0x15
            break
    return bytes(body)
