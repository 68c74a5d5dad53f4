"""Zip archives read from their central directory alone, refused wherever two readers could see different contents.

Written for untrusted bytes: everything is checked before anything is inflated, and inflating stops at the declared size.
"""

from __future__ import annotations

import itertools
import posixpath
import re
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote

from docops.core.codes import FindingCode
from docops.core.errors import Unreadable
from docops.core.limits import Limits

_LOCAL = b"PK\x03\x04"
_CENTRAL = b"PK\x01\x02"
_END = b"PK\x05\x06"
_END_64 = b"PK\x06\x06"
_LOCATOR_64 = b"PK\x06\x07"

_SIGNATURE = b"PK\x05\x05"
_BETWEEN = (_END_64, _SIGNATURE)

_ENCRYPTED = 0x1 | 0x40 | 0x2000
_DESCRIPTOR = 0x8
_UTF8 = 0x800

_MIB = 1 << 20
#: Above this size a member of XML must not be compressed beyond the limit's ratio; blank pictures compress well, so later.
_RATIO_FROM = {True: _MIB, False: 16 * _MIB}


@dataclass(frozen=True, slots=True)
class Member:
    """One member: name as stored, where its data stands, how it is compressed, and what the directory declares of it."""

    name: str
    method: int
    crc: int
    stored: int
    size: int
    start: int

    @property
    def looks_like_xml(self) -> bool:
        """Whether the name says XML."""
        return self.name.lower().endswith((".xml", ".rels", ".vml"))


def read_directory(data: bytes, limits: Limits) -> list[Member]:
    """The members of a zip archive, in the order of the directory, folders left out.

    Raises Unreadable: damaged, ambiguous (equal names, overlaps, headers that disagree), encrypted, or a limit broken.
    """
    try:
        return _read(data, limits)
    except (struct.error, UnicodeDecodeError, IndexError, OverflowError) as error:
        raise damaged(f"the zip directory cannot be read: {error}") from error


def inflate(data: bytes, member: Member, limits: Limits) -> bytes:
    """The bytes of a member, exactly as many as declared and with the declared checksum.

    Raises Unreadable otherwise; what inflates beyond a limit is named as that, whatever its directory declares.
    """
    raw = memoryview(data)[member.start : member.start + member.stored]
    if member.method == 0:
        out = bytes(raw)
    else:
        engine = zlib.decompressobj(-15)
        try:
            out = engine.decompress(raw, member.size + 1)
            if len(out) > member.size:
                _refuse_surplus(engine, member, limits, len(out))
            # A stream may end in an empty block after its last byte.
            out += engine.flush() if not engine.unconsumed_tail else b""
        except zlib.error as error:
            raise damaged(f"cannot be inflated: {error}", member.name) from error
        if not engine.eof:
            raise damaged("the compressed data ends too early", member.name)
    if len(out) != member.size or zlib.crc32(out) != member.crc:
        raise damaged("size or checksum is not what the directory declares", member.name)
    return out


def damaged(message: str, where: str = "") -> Unreadable:
    """The error for bytes that are no sound archive."""
    return Unreadable(FindingCode.ARTIFACT_UNREADABLE, message, where)


def limit(message: str, where: str = "") -> Unreadable:
    """The error for a limit that is broken."""
    return Unreadable(FindingCode.LIMIT_EXCEEDED, message, where)


def _refuse_surplus(engine: zlib._Decompress, member: Member, limits: Limits, size: int) -> None:
    while engine.unconsumed_tail and size <= limits.part_bytes:
        size += len(engine.decompress(engine.unconsumed_tail, _MIB))
    if size > limits.part_bytes:
        raise limit(f"more than {limits.part_bytes} bytes in one part", member.name)
    if size > _RATIO_FROM[member.looks_like_xml] and size > limits.ratio * max(member.stored, 1):
        raise limit(f"compressed more than {limits.ratio} to 1", member.name)
    raise damaged("inflates to more than the directory declares", member.name)


def _read(data: bytes, limits: Limits) -> list[Member]:
    end = _find_end(data)
    count, directory_size, directory = _end_record(data, end)
    if count > limits.entries:
        raise limit(f"more than {limits.entries} members in the archive")
    members: list[Member] = []
    extents: list[tuple[int, int, str]] = []
    position = directory
    for _ in range(count):
        if data[position : position + 4] != _CENTRAL:
            raise damaged("the zip directory holds fewer members than it declares")
        position = _read_member(data, position, directory, limits, members, extents)
    if position != directory + directory_size and data[position : position + 4] == _CENTRAL:
        raise damaged("the zip directory holds more members than it declares")
    _check_names(members)
    _check_sizes(members, limits)
    extents.sort()
    for (_, stop, name), (following, _, _) in itertools.pairwise(extents):
        if stop > following:
            raise damaged("members overlap in the archive", name)
    return [member for member in members if not member.name.endswith("/")]


def _find_end(data: bytes) -> int:
    """Position of the end record; ambiguous where two of them lead to a directory."""
    found: list[int] = []
    position = data.rfind(_END, max(len(data) - 65557, 0))
    while position >= 0 and len(found) < 16:
        if position + 22 <= len(data):
            found.append(position)
        position = data.rfind(_END, max(len(data) - 65557, 0), position)
    sound = [one for one in found if _leads_to_directory(data, one)]
    if not sound:
        raise damaged("the zip archive has no directory (truncated?)" if not found else "the zip directory is not where the end record says")
    # Readers take the last end record, or the first that fits.
    if len(sound) > 1 or sound[0] != found[0]:
        raise damaged("the zip archive has two directories, so what it holds depends on the reader")
    return sound[0]


def _leads_to_directory(data: bytes, end: int) -> bool:
    try:
        count, size, offset = _end_record(data, end)
    except (struct.error, Unreadable):
        return False
    # Nothing stands between a directory and its end record but a signature or the larger record of zip64.
    stop = offset + size
    return (stop == end or (stop < end and data[stop : stop + 4] in _BETWEEN)) and (count == 0 or data[offset : offset + 4] == _CENTRAL)


def _end_record(data: bytes, end: int) -> tuple[int, int, int]:
    disk, start_disk, count_here, count, size, offset, _ = struct.unpack_from("<HHHHIIH", data, end + 4)
    if 0xFFFF in (count, disk) or 0xFFFFFFFF in (size, offset):
        if data[end - 20 : end - 16] != _LOCATOR_64:
            raise damaged("the zip64 end record is missing")
        (at,) = struct.unpack_from("<Q", data, end - 12)
        if at + 56 > len(data) or data[at : at + 4] != _END_64:
            raise damaged("the zip64 end record is not where its locator says")
        disk, start_disk, count_here, count, size, offset = struct.unpack_from("<IIQQQQ", data, at + 16)
    if disk or start_disk or count_here != count:
        raise damaged("the zip archive is spread over several volumes")
    return count, size, offset


def _read_member(data: bytes, position: int, directory: int, limits: Limits, members: list[Member], extents: list[tuple[int, int, str]]) -> int:
    flags, method, _, _, crc, stored, size, name_length, extra_length, comment_length, disk, _, _, offset = struct.unpack_from(
        "<HHHHIIIHHHHHII", data, position + 8
    )
    name_at = position + 46
    raw_name = data[name_at : name_at + name_length]
    name = _decode(raw_name, flags)
    extra = data[name_at + name_length : name_at + name_length + extra_length]
    for kind, content in _extras(extra):
        if kind == 1:
            size, stored, offset = _zip64(content, size, stored, offset)
        elif kind == 0x7075 and content[5:] != raw_name and content[5:].decode("utf-8") != name:
            raise damaged("a member has two names, so what the file holds depends on the reader", name)
    if disk not in (0, 0xFFFF):
        raise damaged("the zip archive is spread over several volumes", name)
    if flags & _ENCRYPTED or method == 99:
        raise Unreadable(FindingCode.ARTIFACT_ENCRYPTED, "a member is encrypted", name)
    if method not in (0, 8):
        raise damaged(f"compression method {method}; OOXML allows stored and deflate", name)
    if method == 0 and stored != size:
        raise damaged("a member that is not compressed declares two sizes", name)
    start = _check_local(data, offset, raw_name, name, flags, method, crc, stored, size)
    if start + stored > directory:
        raise damaged("a member reaches into the zip directory", name)
    if size > limits.part_bytes:
        raise limit(f"more than {limits.part_bytes} bytes in one part", name)
    members.append(Member(name, method, crc, stored, size, start))
    extents.append((offset, start + stored, name))
    following: int = name_at + name_length + extra_length + comment_length
    return following


def _check_local(data: bytes, offset: int, raw_name: bytes, name: str, flags: int, method: int, crc: int, stored: int, size: int) -> int:
    """Where a member's data starts; its own header must agree with the directory."""
    if data[offset : offset + 4] != _LOCAL:
        raise damaged("a member is not where the directory says", name)
    own_flags, own_method, _, _, own_crc, own_stored, own_size, name_length, extra_length = struct.unpack_from("<HHHHIIIHH", data, offset + 6)
    own_name = data[offset + 30 : offset + 30 + name_length]
    if own_name != raw_name and _decode(own_name, own_flags) != name:
        raise damaged("the zip directory and a member's own header give different names", name)
    if own_flags & _ENCRYPTED:
        raise Unreadable(FindingCode.ARTIFACT_ENCRYPTED, "a member is encrypted", name)
    if own_method != method:
        raise damaged("the zip directory and a member's own header give different compression methods", name)
    if not own_flags & _DESCRIPTOR and not flags & _DESCRIPTOR:
        for own, declared in ((own_crc, crc), (own_stored, stored), (own_size, size)):
            if own not in (declared, 0, 0xFFFFFFFF):
                raise damaged("the zip directory and a member's own header give different sizes or checksums", name)
    start: int = offset + 30 + name_length + extra_length
    return start


def _decode(raw: bytes, flags: int) -> str:
    return raw.decode("utf-8") if flags & _UTF8 else raw.decode("cp437")


def _extras(extra: bytes) -> Iterator[tuple[int, bytes]]:
    position = 0
    while position + 4 <= len(extra):
        kind, length = struct.unpack_from("<HH", extra, position)
        yield kind, extra[position + 4 : position + 4 + length]
        position += 4 + length


def _zip64(content: bytes, size: int, stored: int, offset: int) -> tuple[int, int, int]:
    values = iter(struct.unpack_from(f"<{len(content) // 8}Q", content))
    try:
        size = next(values) if size == 0xFFFFFFFF else size
        stored = next(values) if stored == 0xFFFFFFFF else stored
        offset = next(values) if offset == 0xFFFFFFFF else offset
    except StopIteration:
        raise damaged("a zip64 entry is too short") from None
    return size, stored, offset


def _check_names(members: list[Member]) -> None:
    seen: set[str] = set()
    for member in members:
        name = member.name
        plain = unquote(name).replace("\\", "/")
        if ".." in plain.split("/") or "\0" in plain or re.match(r"/?[A-Za-z]:", plain):
            raise damaged("a member's name leaves the archive", name)
        if name.endswith("/"):
            continue
        # Part names are compared without case and percent-encoding, and programs differ on the rest.
        folded = posixpath.normpath("/" + plain.lstrip("/")).lower()
        if folded in seen:
            raise damaged("two members have the same name, so what the file holds depends on the reader", name)
        seen.add(folded)


def _check_sizes(members: list[Member], limits: Limits) -> None:
    for member in members:
        if member.size > _RATIO_FROM[member.looks_like_xml] and member.size > limits.ratio * max(member.stored, 1):
            raise limit(f"compressed more than {limits.ratio} to 1", member.name)
    if sum(member.size for member in members) > limits.total_bytes:
        raise limit(f"more than {limits.total_bytes} bytes in all parts")
