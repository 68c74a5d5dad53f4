"""Zip archives as operators rewrite them: members that do not change are copied as they are stored, nothing carries a time."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Iterable
from dataclasses import dataclass, replace

_LOCAL = struct.Struct("<4s5H3L2H")
_CENTRAL = struct.Struct("<4s6H3L5H2L")
_END = struct.Struct("<4s4H2LH")
_DATE_1980 = 0x21


@dataclass(frozen=True, slots=True)
class Member:
    """One stored member: its name, and its bytes as compressed."""

    name: str
    method: int
    crc: int
    size: int
    raw: bytes

    @property
    def data(self) -> bytes:
        """The bytes, inflated."""
        return self.raw if self.method == zipfile.ZIP_STORED else zlib.decompress(self.raw, -15)


def make_member(name: str, data: bytes, *, level: int = 6) -> Member:
    """A member that holds `data`; level 0 stores it as it is."""
    if level == 0:
        return Member(name, zipfile.ZIP_STORED, zlib.crc32(data), len(data), data)
    packer = zlib.compressobj(level, zlib.DEFLATED, -15)
    return Member(name, zipfile.ZIP_DEFLATED, zlib.crc32(data), len(data), packer.compress(data) + packer.flush())


class Archive:
    """The members of a zip file by name, in the order stored; changed with `write`, `remove` and `rename`."""

    def __init__(self, data: bytes) -> None:
        self.members: dict[str, Member] = {}
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for info in archive.infolist():
                if info.is_dir():
                    continue
                name_length, extra_length = struct.unpack_from("<2H", data, info.header_offset + 26)
                start = info.header_offset + 30 + name_length + extra_length
                raw = data[start : start + info.compress_size]
                self.members[info.filename] = Member(info.filename, info.compress_type, info.CRC, info.file_size, raw)

    @property
    def names(self) -> list[str]:
        """Names of the members, in the order stored."""
        return list(self.members)

    def __contains__(self, name: str) -> bool:
        return name in self.members

    def read(self, name: str) -> bytes:
        """The bytes of a member; KeyError where there is none."""
        return self.members[name].data

    def write(self, name: str, data: bytes, *, level: int = 6) -> None:
        """Replace a member in its place, or append it."""
        self.members[name] = make_member(name, data, level=level)

    def remove(self, name: str) -> None:
        """Leave a member out; nothing happens where there is none."""
        self.members.pop(name, None)

    def rename(self, names: dict[str, str]) -> None:
        """Give members other names; they keep their places."""
        self.members = {
            names.get(name, name): replace(member, name=names.get(name, name)) for name, member in self.members.items()
        }

    def to_bytes(self, order: Iterable[str] | None = None) -> bytes:
        """The zip file. `order`: names of all members in another order."""
        out: list[bytes] = []
        directory: list[bytes] = []
        offset = 0
        members = [self.members[name] for name in order] if order is not None else list(self.members.values())
        for member in members:
            name = member.name.encode("utf-8")
            flags = 0 if member.name.isascii() else 0x800
            common = (20, flags, member.method, 0, _DATE_1980, member.crc, len(member.raw), member.size, len(name), 0)
            out += (_LOCAL.pack(b"PK\3\4", *common), name, member.raw)
            directory += (_CENTRAL.pack(b"PK\1\2", 20, *common, 0, 0, 0, 0, offset), name)
            offset += _LOCAL.size + len(name) + len(member.raw)
        size = sum(map(len, directory))
        end = _END.pack(b"PK\5\6", 0, 0, len(members), len(members), size, offset, 0)
        return b"".join((*out, *directory, end))
