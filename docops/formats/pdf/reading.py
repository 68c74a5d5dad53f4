"""PDF files behind a gate: pypdf parses, everything above sees plain Python values.

Names are `Name`, references `Ref`, text strings `str`, other strings `bytes`, streams `Stream`; an object that cannot be read
is `Broken`, so that one damaged object loses nothing else and never equals its healthy counterpart.
"""

from __future__ import annotations

import io
import logging
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from docops.core.codes import FindingCode
from docops.core.errors import Unreadable
from docops.core.limits import DEFAULT_LIMITS, Limits

if TYPE_CHECKING:
    from pypdf import PdfReader

#: A PDF value: None, bool, int, float, Name, str, bytes, list, dict, Stream, Ref, Broken.
Object = Any

_HEADER = re.compile(rb"%PDF-\d")
_HEADER_WITHIN = 1024
_MAX_FILTERS = 16
_INHERITED = ("Resources", "MediaBox", "CropBox", "Rotate")
#: Filters that lose nothing; what they decode to is compared. Data behind any other filter is compared as stored.
_LOSSLESS = {
    "FlateDecode": "FlateDecode",
    "Fl": "FlateDecode",
    "LZWDecode": "LZWDecode",
    "LZW": "LZWDecode",
    "ASCII85Decode": "ASCII85Decode",
    "A85": "ASCII85Decode",
    "ASCIIHexDecode": "ASCIIHexDecode",
    "AHx": "ASCIIHexDecode",
    "RunLengthDecode": "RunLengthDecode",
    "RL": "RunLengthDecode",
}


class Name(str):
    """A PDF name, without its slash."""

    __slots__ = ()


class Ref(NamedTuple):
    """A reference to an indirect object."""

    number: int
    generation: int


@dataclass(frozen=True, slots=True)
class Broken:
    """An object that could not be read, and why."""

    reason: str


@dataclass(slots=True, eq=False)
class Stream:
    """A stream: its dictionary and its bytes as stored (decrypted).   inline: an image within a content stream."""

    dict: dict[str, Object]
    raw: bytes
    objects: Objects
    inline: bool = False
    _decoded: tuple[bytes, tuple[str, ...]] | None = field(default=None, repr=False)

    def decode(self) -> tuple[bytes, tuple[str, ...]]:
        """The data behind all lossless filters, and the filters that are left.

        Raises Unreadable where a limit is broken. Data that a filter refuses is returned as it stood before that filter.
        """
        return self.objects.decode(self)

    @property
    def data(self) -> bytes:
        """The decoded data."""
        return self.decode()[0]


@dataclass(frozen=True, slots=True)
class Page:
    """One leaf of the page tree.   index: from 0.   inherited: what its ancestors give it."""

    index: int
    ref: Ref | None
    dict: dict[str, Object]
    inherited: Mapping[str, Object]

    def effective(self, key: str) -> Object:
        """The page's own value, or the inherited one."""
        own = self.dict.get(key)
        return own if own is not None else self.inherited.get(key)


def _quiet() -> None:
    # A library must not print: without any handler, logging writes pypdf's warnings to standard error.
    logger = logging.getLogger("pypdf")
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())


class Objects:
    """The objects of one file.

    reader: pypdf's reader.   trailer: the trailer dictionary.   catalog: the document catalogue.
    """

    def __init__(self, data: bytes, limits: Limits = DEFAULT_LIMITS) -> None:
        self.limits = limits
        self.size = len(data)
        self._loaded: dict[Ref, Object] = {}
        self._decoded_bytes = 0
        self._spent: dict[str, int] = {}
        #: Identity of an image of the file → digest of what it holds.
        self.image_digests: dict[int, str] = {}
        _gate(data, limits)
        _quiet()
        from pypdf import generic

        self._generic = generic
        self.reader = _open_reader(data)
        count = sum(map(len, self.reader.xref.values())) + len(self.reader.xref_objStm)
        if count > limits.pdf_objects:
            raise Unreadable(FindingCode.LIMIT_EXCEEDED, f"{count} objects; at most {limits.pdf_objects} are read")
        self.trailer: dict[str, Object] = self._convert(self.reader.trailer, 0)
        self.encrypted = "Encrypt" in self.trailer
        self._root()
        self.pages: tuple[Page, ...] = tuple(self._walk_pages())
        self.page_numbers: dict[Ref, int] = {}
        for page in self.pages:
            if page.ref is not None:
                self.page_numbers.setdefault(page.ref, page.index)

    def _root(self) -> None:
        # The library searches the file for a catalogue that the trailer does not lead to; programs that show files do not.
        if not isinstance(self.get(self.trailer.get("Root")), dict):
            raise Unreadable(FindingCode.ARTIFACT_UNREADABLE, "the trailer leads to no document catalogue")
        try:
            root = self.reader.root_object
        except Exception as error:
            raise Unreadable(FindingCode.ARTIFACT_UNREADABLE, f"no document catalogue: {_first_line(error)}") from None
        reference = getattr(root, "indirect_reference", None)
        self.catalog_ref = Ref(reference.idnum, reference.generation) if reference is not None else None
        catalog = self.load(self.catalog_ref) if self.catalog_ref is not None else self._convert(root, 0)
        if not isinstance(catalog, dict):
            raise Unreadable(FindingCode.ARTIFACT_UNREADABLE, "the document catalogue cannot be read")
        self.catalog: dict[str, Object] = catalog

    def spend(self, what: str, amount: int, most: int) -> None:
        """Count what is read again and again from one file. Raises Unreadable where that becomes more than `most`."""
        self._spent[what] = self._spent.get(what, 0) + amount
        if self._spent[what] > most:
            raise Unreadable(FindingCode.LIMIT_EXCEEDED, f"the pages hold more than {most} {what}")

    def load(self, ref: Ref) -> Object:
        """The object that a reference names; None where there is none, Broken where it cannot be read."""
        if ref not in self._loaded:
            self._loaded[ref] = self._load(ref)
        return self._loaded[ref]

    def _load(self, ref: Ref) -> Object:
        try:
            native = self.reader.get_object(self._generic.IndirectObject(ref.number, ref.generation, self.reader))
        except MemoryError:
            raise
        except Exception as error:
            return Broken(type(error).__name__)
        return self._convert(native, 0)

    def get(self, value: Object) -> Object:
        """The value itself, references followed."""
        for _ in range(32):
            if not isinstance(value, Ref):
                return value
            value = self.load(value)
        return Broken("references in a circle")

    def at(self, container: Object, *path: str | int) -> Object:
        """What stands under the keys and positions of `path`, references followed; None where a step is missing."""
        value = self.get(container)
        for step in path:
            if isinstance(value, Stream):
                value = value.dict
            if isinstance(step, int):
                value = value[step] if isinstance(value, list) and 0 <= step < len(value) else None
            else:
                value = value.get(step) if isinstance(value, dict) else None
            value = self.get(value)
        return value

    def dict_at(self, container: Object, *path: str | int) -> dict[str, Object]:
        """Like `at`, an empty dictionary where there is no dictionary (a stream gives its own)."""
        value = self.at(container, *path)
        if isinstance(value, Stream):
            return value.dict
        return value if isinstance(value, dict) else {}

    def list_at(self, container: Object, *path: str | int) -> list[Object]:
        """Like `at`, an empty list where there is no array."""
        value = self.at(container, *path)
        return value if isinstance(value, list) else []

    def text_at(self, container: Object, *path: str | int) -> str | None:
        """Like `at`, as text where it is a string or a name."""
        return as_text(self.at(container, *path))

    def int_at(self, container: Object, *path: str | int) -> int:
        """Like `at`, 0 where there is no number."""
        value = self.at(container, *path)
        return int(value) if isinstance(value, int | float) and not isinstance(value, bool) else 0

    def numbers_at(self, container: Object, *path: str | int) -> list[float] | None:
        """Like `at`, as a list of numbers; None where it is not one."""
        value = self.at(container, *path)
        if not isinstance(value, list):
            return None
        numbers = [self.get(item) for item in value]
        if any(isinstance(item, bool) or not isinstance(item, int | float) for item in numbers):
            return None
        return [float(item) for item in numbers]

    def _convert(self, native: Any, depth: int) -> Object:
        generic = self._generic
        if depth > self.limits.depth:
            return Broken("nested too deep")
        if isinstance(native, generic.IndirectObject):
            return Ref(native.idnum, native.generation)
        if isinstance(native, generic.NameObject):
            return Name(native[1:] if native.startswith("/") else native)
        if isinstance(native, generic.BooleanObject):
            return bool(native.value)
        if isinstance(native, generic.TextStringObject):
            return str.__str__(native)
        if isinstance(native, generic.NumberObject):
            return int(native)
        if isinstance(native, float):
            return float(native)
        if isinstance(native, bytes):
            return bytes(native)
        if isinstance(native, generic.StreamObject):
            return Stream(self._dictionary(native, depth), bytes(native._data or b""), self)
        if isinstance(native, dict):
            return self._dictionary(native, depth)
        if isinstance(native, list):
            return [self._convert(item, depth + 1) for item in native]
        if native is None or isinstance(native, generic.NullObject):
            return None
        return Broken(type(native).__name__)

    def _dictionary(self, native: Any, depth: int) -> dict[str, Object]:
        items = ((str(key).removeprefix("/"), self._convert(value, depth + 1)) for key, value in dict.items(native))
        return {key: value for key, value in items if value is not None}

    def decode(self, stream: Stream) -> tuple[bytes, tuple[str, ...]]:
        """See `Stream.decode`."""
        if stream._decoded is not None:
            return stream._decoded
        names = self.get(stream.dict.get("Filter"))
        names = names if isinstance(names, list) else [] if names is None else [names]
        parameters = self.get(stream.dict.get("DecodeParms", stream.dict.get("DP")))
        parameters = parameters if isinstance(parameters, list) else [parameters]
        filters = [str(self.get(name)) for name in names]
        if len(filters) > _MAX_FILTERS:
            raise Unreadable(FindingCode.LIMIT_EXCEEDED, f"a stream has {len(filters)} filters; at most {_MAX_FILTERS} are applied")
        data = stream.raw
        rest: tuple[str, ...] = ()
        for position, name in enumerate(filters):
            own = self.get(parameters[position]) if position < len(parameters) else None
            if name == "Crypt" or (name not in _LOSSLESS):
                if name == "Crypt":
                    continue
                rest = tuple(filters[position:])
                break
            try:
                data = _apply_filter(_LOSSLESS[name], data, self._native_parameters(own))
            except MemoryError:
                raise
            except Exception as error:
                if type(error).__name__ == "LimitReachedError":
                    raise Unreadable(FindingCode.LIMIT_EXCEEDED, f"a stream decodes to more than {self.limits.pdf_stream_bytes} bytes") from None
                rest = ("unreadable", *filters[position:])
                break
            if len(data) > self.limits.pdf_stream_bytes:
                raise Unreadable(FindingCode.LIMIT_EXCEEDED, f"a stream decodes to more than {self.limits.pdf_stream_bytes} bytes")
        self._decoded_bytes += len(data)
        if self._decoded_bytes > self.limits.total_bytes:
            raise Unreadable(FindingCode.LIMIT_EXCEEDED, f"the streams decode to more than {self.limits.total_bytes} bytes")
        stream._decoded = (data, rest)
        if len(data) > 1_000_000:  # large data is decoded again where it is needed again
            stream._decoded = None
            self._decoded_bytes -= len(data)
        return data, rest

    def _native_parameters(self, parameters: Object) -> Any:
        generic = self._generic
        if not isinstance(parameters, dict):
            return None
        numbers = {key: self.get(value) for key, value in parameters.items()}
        return generic.DictionaryObject(
            {generic.NameObject(f"/{key}"): generic.NumberObject(int(value)) for key, value in numbers.items() if isinstance(value, int | float)}
        )

    def _walk_pages(self) -> Iterator[Page]:
        root = self.catalog.get("Pages")
        if not isinstance(self.get(root), dict):
            raise Unreadable(FindingCode.ARTIFACT_UNREADABLE, "there is no page tree")
        stack: list[tuple[Object, Mapping[str, Object], frozenset[Ref]]] = [(root, {}, frozenset())]
        count = 0
        visited = 0
        while stack:
            reference, inherited, above = stack.pop()
            visited += 1
            if visited > 2 * self.limits.pages + 1000:
                raise Unreadable(FindingCode.LIMIT_EXCEEDED, f"more than {self.limits.pages} pages")
            node = self.get(reference)
            if isinstance(node, Broken):
                node = {"Type": Name("Page"), "Broken": node}
            if not isinstance(node, dict):
                continue
            ref = reference if isinstance(reference, Ref) else None
            kids = self.get(node.get("Kids"))
            if isinstance(kids, list) and self.get(node.get("Type")) != "Page":
                if ref is not None and ref in above:
                    raise Unreadable(FindingCode.ARTIFACT_UNREADABLE, "the page tree contains a circle")
                if len(above) > self.limits.depth:
                    raise Unreadable(FindingCode.LIMIT_EXCEEDED, f"the page tree is deeper than {self.limits.depth} levels")
                given = {**inherited, **{key: node[key] for key in _INHERITED if key in node}}
                below = above | {ref} if ref is not None else above
                stack.extend((kid, given, below) for kid in reversed(kids))
                continue
            if count >= self.limits.pages:
                raise Unreadable(FindingCode.LIMIT_EXCEEDED, f"more than {self.limits.pages} pages")
            yield Page(count, ref, node, inherited)
            count += 1


def _gate(data: bytes, limits: Limits) -> None:
    if not data:
        raise Unreadable(FindingCode.ARTIFACT_UNREADABLE, "the file is empty")
    if len(data) > limits.file_bytes:
        raise Unreadable(FindingCode.LIMIT_EXCEEDED, f"the file has {len(data)} bytes; at most {limits.file_bytes} are read")
    if not _HEADER.search(data, 0, _HEADER_WITHIN):
        if data.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0", b"{\\rtf", b"<", b"\x89PNG", b"\xff\xd8\xff")) or b"\0" in data[:1024]:
            raise Unreadable(FindingCode.ARTIFACT_WRONG_TYPE, "the file is not a PDF: its header says something else")
        raise Unreadable(FindingCode.ARTIFACT_WRONG_TYPE, "the file is not a PDF: there is no %PDF header")


def _open_reader(data: bytes) -> PdfReader:
    from pypdf import PdfReader
    from pypdf.errors import DependencyError, LimitReachedError

    try:
        reader = PdfReader(io.BytesIO(data), strict=False)
        opened = not reader.is_encrypted or bool(reader.decrypt(""))
    except MemoryError:
        raise
    except DependencyError as error:
        raise Unreadable(FindingCode.ARTIFACT_ENCRYPTED, f"the file is encrypted: {_first_line(error)}") from None
    except LimitReachedError as error:
        raise Unreadable(FindingCode.LIMIT_EXCEEDED, _first_line(error)) from None
    except NotImplementedError as error:
        raise Unreadable(FindingCode.ARTIFACT_ENCRYPTED, f"the encryption is not supported: {_first_line(error)}") from None
    except Exception as error:
        raise Unreadable(FindingCode.ARTIFACT_UNREADABLE, f"the file cannot be read: {_first_line(error)}") from None
    if not opened:
        raise Unreadable(FindingCode.ARTIFACT_ENCRYPTED, "the file is encrypted and needs a password")
    return reader


def _apply_filter(name: str, data: bytes, parameters: Any) -> bytes:
    from pypdf import filters

    if not data:
        return data
    decoded: bytes = getattr(filters, name).decode(data, parameters)
    return decoded


def _first_line(error: BaseException) -> str:
    return (str(error).partition("\n")[0] or type(error).__name__)[:200]


def as_text(value: Object) -> str | None:
    """A string or name as text, or None; bytes that are no text string one character a byte."""
    if isinstance(value, str):
        return str(value)
    if isinstance(value, bytes):
        return value.decode("latin-1")
    return None
