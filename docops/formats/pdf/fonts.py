"""Fonts: from the bytes of a shown string to characters and widths."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from docops.core.errors import Unreadable
from docops.formats.pdf.canonical import plain_font_name
from docops.formats.pdf.reading import Name, Object, Objects, Stream
from docops.formats.pdf.tokens import operations

#: Stands for a glyph whose character is not known.
UNKNOWN = "\ufffd"
_CMAP_OPERATORS = 200_000
_MAX_RANGE = 70_000
_UNI = re.compile(r"uni([0-9A-F]{4})+|u([0-9A-F]{4,6})")
_CORE_ALIASES = {
    "Arial": "Helvetica", "ArialMT": "Helvetica", "Arial-BoldMT": "Helvetica-Bold", "Arial,Bold": "Helvetica-Bold", "Helv": "Helvetica",
    "TimesNewRoman": "Times-Roman", "TimesNewRomanPSMT": "Times-Roman", "CourierNew": "Courier", "CourierNewPSMT": "Courier",
    "ZaDb": "ZapfDingbats",
}  # fmt: skip
#: Named CMaps whose codes are characters in a known encoding.
_CODECS = (("UTF16", "utf-16-be"), ("UCS2", "utf-16-be"), ("90ms-RKSJ", "cp932"), ("GBK", "gbk"), ("ETen-B5", "cp950"), ("KSCms-UHC", "cp949"))

#: What a string shows: characters, width in thousandths of the font size, number of glyphs, how many of them take word spacing.
Shown = tuple[str, float, int, int]


class Font:
    """One font resource.   name: without the subset's tag.   scale: glyph units to text space."""

    def __init__(self, objects: Objects, dictionary: dict[str, Object]) -> None:
        self.objects = objects
        self.dict = dictionary
        self.name = plain_font_name(objects.text_at(dictionary, "BaseFont") or objects.text_at(dictionary, "Name") or "")
        self.subtype = objects.text_at(dictionary, "Subtype") or ""
        self.composite = self.subtype == "Type0"
        matrix = objects.numbers_at(dictionary, "FontMatrix") if self.subtype == "Type3" else None
        self.scale = abs(matrix[0]) if matrix and len(matrix) == 6 and matrix[0] else 0.001
        self._to_unicode, lengths = self._cmap(objects.at(dictionary, "ToUnicode"))
        self._codec = ""
        self._length = 1
        self._cids: dict[int, int] = {}
        self._widths: dict[int, float] = {}
        self._default_width = 0.0
        if self.composite:
            self._length = 2
            self._read_composite_encoding(lengths)
            self._read_composite_widths()
        else:
            self._characters = self._simple_encoding()
            self._widths = self._simple_widths()
        self._cache: dict[int, tuple[str, float]] = {}
        self._tables: list[tuple[list[str], list[float]]] = []

    def decode(self, data: bytes) -> Shown:
        """What a string shows."""
        step = self._length
        if step == 1:
            characters, widths = self._simple_tables()
            return "".join(map(characters.__getitem__, data)), sum(map(widths.__getitem__, data)), len(data), data.count(b" ")
        codes = [int.from_bytes(data[at : at + step], "big") for at in range(0, len(data), step)]
        cache = self._cache
        for code in codes:
            if code not in cache:
                cache[code] = (self._character(code), self._width(code))
        return "".join(cache[code][0] for code in codes), sum(cache[code][1] for code in codes), len(codes), 0

    def glyphs(self, data: bytes) -> list[tuple[str, float, bool]]:
        """Characters and width of each glyph of a string, and whether it takes word spacing."""
        out = []
        for at in range(0, len(data), self._length):
            code = int.from_bytes(data[at : at + self._length], "big")
            out.append((self._character(code), self._width(code), self._length == 1 and code == 32))
        return out

    def _simple_tables(self) -> tuple[list[str], list[float]]:
        if not self._tables:
            self._tables.append(([self._character(code) for code in range(256)], [self._width(code) for code in range(256)]))
        return self._tables[0]

    def _character(self, code: int) -> str:
        text = self._to_unicode.get(code)
        if text is not None and text.strip("\0"):
            return text
        if self.composite:
            if self._codec:
                return code.to_bytes(self._length, "big").decode(self._codec, "replace")
            return UNKNOWN
        return self._characters.get(code) or (" " if code == 32 else UNKNOWN)

    def _width(self, code: int) -> float:
        if self.composite:
            return self._widths.get(self._cids.get(code, code), self._default_width)
        width = self._widths.get(code)
        return self._default_width if width is None else width * self.scale * 1000

    # -- simple fonts ----------------------------------------------------------------------------------------------

    def _simple_encoding(self) -> dict[int, str]:
        from pypdf._codecs import charset_encoding

        encoding = self.objects.at(self.dict, "Encoding")
        base = encoding if isinstance(encoding, Name) else self.objects.at(encoding, "BaseEncoding") if isinstance(encoding, dict) else None
        table = charset_encoding.get(f"/{base}") if isinstance(base, str) else None
        if table is None:
            builtin = _CORE_ALIASES.get(self.name, self.name)
            table = charset_encoding.get(f"/{builtin}") or charset_encoding["/WinAnsiEncoding" if self.subtype == "TrueType" else "/StandardEncoding"]
        characters = {code: char for code, char in enumerate(table) if char and char != "\0"}
        if isinstance(encoding, dict):
            code = 0
            for item in self.objects.list_at(encoding, "Differences")[:2000]:
                item = self.objects.get(item)
                if isinstance(item, Name):
                    characters[code] = glyph_character(item)
                    code += 1
                elif isinstance(item, int | float):
                    code = int(item)
        return characters

    def _simple_widths(self) -> dict[int, float]:
        from pypdf._codecs.core_font_metrics import CORE_FONT_METRICS

        self._default_width = float(self.objects.int_at(self.dict, "FontDescriptor", "MissingWidth"))
        first = self.objects.int_at(self.dict, "FirstChar")
        widths = self.objects.list_at(self.dict, "Widths")[:1000]
        if widths:
            numbers = map(self.objects.get, widths)
            return {first + n: float(width) for n, width in enumerate(numbers) if isinstance(width, int | float)}
        metrics = CORE_FONT_METRICS.get(_CORE_ALIASES.get(self.name, self.name))
        self._default_width = self._default_width or 500.0
        if metrics is None:
            return {}
        return {code: float(metrics.character_widths[char]) for code, char in self._characters.items() if char in metrics.character_widths}

    # -- composite fonts -------------------------------------------------------------------------------------------

    def _read_composite_encoding(self, lengths: set[int]) -> None:
        encoding = self.objects.at(self.dict, "Encoding")
        if isinstance(encoding, Stream):
            self._cids, own_lengths = self._cid_ranges(encoding)
            self._length = max(own_lengths or lengths or {2})
        elif isinstance(encoding, Name) and not encoding.startswith("Identity"):
            self._codec = next((codec for part, codec in _CODECS if part in encoding), "")

    def _read_composite_widths(self) -> None:
        descendant = self.objects.at(self.dict, "DescendantFonts", 0)
        default = self.objects.at(descendant, "DW")
        self._default_width = float(default) if isinstance(default, int | float) else 1000.0
        items = [self.objects.get(item) for item in self.objects.list_at(descendant, "W")[:200_000]]
        at = 0
        while at + 1 < len(items):
            first, second = items[at], items[at + 1]
            if not isinstance(first, int | float):
                at += 1
            elif isinstance(second, list):
                numbers = map(self.objects.get, second)
                self._widths.update((int(first) + n, float(width)) for n, width in enumerate(numbers) if isinstance(width, int | float))
                at += 2
            else:
                width = items[at + 2] if at + 2 < len(items) else None
                if isinstance(second, int | float) and isinstance(width, int | float) and second - first < _MAX_RANGE:
                    self._widths.update(dict.fromkeys(range(int(first), int(second) + 1), float(width)))
                at += 3

    def _cid_ranges(self, stream: Stream) -> tuple[dict[int, int], set[int]]:
        out: dict[int, int] = {}
        lengths: set[int] = set()
        for name, operands in _cmap_operations(stream):
            if name == "endcodespacerange":
                lengths.update(len(item) for item in operands if isinstance(item, bytes))
            elif name == "endcidrange":
                for low, high, first in zip(operands[::3], operands[1::3], operands[2::3], strict=False):
                    if isinstance(low, bytes) and isinstance(high, bytes) and isinstance(first, int):
                        start, end = int.from_bytes(low, "big"), int.from_bytes(high, "big")
                        out.update((code, first + code - start) for code in range(start, min(end, start + _MAX_RANGE) + 1))
            elif name == "endcidchar":
                out.update((int.from_bytes(code, "big"), cid) for code, cid in zip(operands[::2], operands[1::2], strict=False) if isinstance(code, bytes))
        return out, lengths

    def _cmap(self, stream: Object) -> tuple[dict[int, str], set[int]]:
        out: dict[int, str] = {}
        lengths: set[int] = set()
        if not isinstance(stream, Stream):
            return out, lengths
        for name, operands in _cmap_operations(stream):
            if name == "endcodespacerange":
                lengths.update(len(item) for item in operands if isinstance(item, bytes))
            elif name == "endbfchar":
                for code, text in zip(operands[::2], operands[1::2], strict=False):
                    if isinstance(code, bytes) and isinstance(text, bytes):
                        out[int.from_bytes(code, "big")] = _utf16(text)
            elif name == "endbfrange":
                for low, high, texts in zip(operands[::3], operands[1::3], operands[2::3], strict=False):
                    if isinstance(low, bytes) and isinstance(high, bytes):
                        _add_range(out, int.from_bytes(low, "big"), int.from_bytes(high, "big"), texts)
        return out, lengths


def _cmap_operations(stream: Stream) -> list[tuple[str, list[Any]]]:
    try:
        return list(operations(stream.data, _CMAP_OPERATORS))
    except Unreadable:
        return []


def _add_range(out: dict[int, str], low: int, high: int, texts: Any) -> None:
    high = min(high, low + _MAX_RANGE)
    if isinstance(texts, list):
        out.update((low + n, _utf16(text)) for n, text in enumerate(texts[: high - low + 1]) if isinstance(text, bytes))
    elif isinstance(texts, bytes) and texts:
        head, last = texts[:-1], texts[-1]
        for code in range(low, high + 1):
            number = last + code - low
            out[code] = _utf16(head + bytes((number,))) if number < 256 else _utf16((int.from_bytes(texts, "big") + code - low).to_bytes(len(texts), "big"))


def _utf16(data: bytes) -> str:
    if len(data) == 1:
        return chr(data[0])
    return data.decode("utf-16-be", "replace")


@lru_cache(maxsize=4096)
def glyph_character(name: str) -> str:
    """The character(s) of a glyph name (Adobe Glyph List rules); "" where the name says nothing."""
    from pypdf._codecs.adobe_glyphs import adobe_glyphs

    known = adobe_glyphs.get(f"/{name}")
    if known:
        return str(known)
    stem = name.partition(".")[0]
    if "_" in stem:
        return "".join(glyph_character(part) for part in stem.split("_"))
    known = adobe_glyphs.get(f"/{stem}")
    if known:
        return str(known)
    if _UNI.fullmatch(stem):
        digits = stem[3:] if stem.startswith("uni") else stem[1:]
        if stem.startswith("uni"):
            return "".join(chr(int(digits[n : n + 4], 16)) for n in range(0, len(digits), 4))
        return chr(int(digits, 16)) if int(digits, 16) < 0x110000 else ""
    return ""
