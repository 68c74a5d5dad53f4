"""What a verification reads: the sources of a bundle on one side, the outputs on the other."""

from __future__ import annotations

import os
import stat
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

from docops.bundle import ArtifactSpec, Bundle
from docops.core.canonical import sha256
from docops.core.codes import FindingCode
from docops.core.document import Document
from docops.core.errors import BundleError, Problem, Unreadable
from docops.core.limits import DEFAULT_LIMITS
from docops.registry import format_named

MAX_LISTED_FILES = 10_000

Result = TypeVar("Result")

#: Parsed sources by format and digest; they are the same for every output of a bundle.
_sources: OrderedDict[tuple[str, str], Document] = OrderedDict()
_MAX_SOURCES = 16


class Outputs(Protocol):
    """The output side: files by name."""

    def read(self, name: str) -> bytes:
        """The bytes of a file; raises Unreadable where it is missing or cannot be read."""

    def names(self) -> list[str]:
        """Names of all files, sorted, with `/`."""


class Sources(Protocol):
    """The source side of a bundle; both raise BundleError where a source cannot be read."""

    def data(self, artifact: ArtifactSpec) -> bytes:
        """The bytes of an artifact's source."""

    def document(self, artifact: ArtifactSpec) -> Document:
        """The opened source of an artifact."""


@dataclass(frozen=True, slots=True)
class Folder:
    """Outputs in a folder; one that does not exist holds no file."""

    path: Path

    def read(self, name: str) -> bytes:
        """The bytes of a file."""
        return read_output(self.path, name)

    def names(self) -> list[str]:
        """Names of all files."""
        return list_files(self.path)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Outputs in memory: the files that a verdict needs, why others could not be read, and the names of all."""

    files: Mapping[str, bytes | Unreadable]
    listed: tuple[str, ...]

    def read(self, name: str) -> bytes:
        """The bytes of a file."""
        found = self.files.get(name)
        if found is None:
            raise Unreadable(FindingCode.ARTIFACT_MISSING, "the output folder has no such file", name)
        if isinstance(found, Unreadable):
            raise found
        if len(found) > DEFAULT_LIMITS.file_bytes:
            raise Unreadable(FindingCode.LIMIT_EXCEEDED, f"the file holds more than {DEFAULT_LIMITS.file_bytes} bytes", name)
        return found

    def names(self) -> list[str]:
        """Names of all files."""
        return list(self.listed)


def snapshot_of(folder: Path, names: Iterable[str]) -> Snapshot:
    """A folder as it is now.

    names: the files whose bytes are taken; of the others only the names.
    """
    files: dict[str, bytes | Unreadable] = {}
    for name in names:
        try:
            files[name] = read_output(folder, name)
        except Unreadable as error:
            if error.code is not FindingCode.ARTIFACT_MISSING or os.path.lexists(folder / name):
                files[name] = error
    return Snapshot(files, tuple(list_files(folder)))


@dataclass(frozen=True, slots=True)
class SourceFiles:
    """Sources as they lie in the bundle's folder, opened once as long as their bytes stay the same."""

    bundle: Bundle

    def data(self, artifact: ArtifactSpec) -> bytes:
        """The bytes of an artifact's source."""
        return source_bytes(self.bundle, artifact)

    def document(self, artifact: ArtifactSpec) -> Document:
        """The opened source of an artifact."""
        data = source_bytes(self.bundle, artifact)
        key = (artifact.format, sha256(data))
        if key in _sources:
            _sources.move_to_end(key)
            return _sources[key]
        document = _sources[key] = opened_source(artifact, data)
        while len(_sources) > _MAX_SOURCES:
            _sources.popitem(last=False)
        return document


class HeldSources:
    """Sources whose bytes are held in memory, each opened once. For one verification at a time: documents are lazy."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self.files = files
        self._documents: dict[str, Document] = {}

    def data(self, artifact: ArtifactSpec) -> bytes:
        """The bytes of an artifact's source."""
        return self.files[artifact.output]

    def document(self, artifact: ArtifactSpec) -> Document:
        """The opened source of an artifact."""
        if artifact.output not in self._documents:
            self._documents[artifact.output] = opened_source(artifact, self.files[artifact.output])
        return self._documents[artifact.output]


def opened_source(artifact: ArtifactSpec, data: bytes) -> Document:
    """The document that an artifact's source is.

    Raises BundleError where it cannot be read as one of its format.
    """
    try:
        return guarded(lambda: format_named(artifact.format).open(data), artifact.source or "")
    except Unreadable as error:
        raise BundleError([Problem("task_metadata.json", "$.artifacts", f"{artifact.source}: {error}")]) from error


def source_bytes(bundle: Bundle, artifact: ArtifactSpec) -> bytes:
    """The bytes of an artifact's source.

    Raises BundleError where it cannot be read.
    """
    try:
        return (bundle.root / (artifact.source or "")).read_bytes()
    except OSError as error:
        raise BundleError([Problem("task_metadata.json", "$.artifacts", f"{artifact.source}: cannot be read: {type(error).__name__}")]) from error


def guarded(step: Callable[[], Result], name: str) -> Result:
    """The result of reading a document; whatever a native library raises becomes `Unreadable`."""
    try:
        return step()
    except Unreadable:
        raise
    except (MemoryError, RecursionError) as error:
        raise Unreadable(FindingCode.LIMIT_EXCEEDED, f"{type(error).__name__} while it was read", name) from error
    except Exception as error:
        raise Unreadable(FindingCode.ARTIFACT_UNREADABLE, f"{type(error).__name__}: {error}", name) from error


def read_output(folder: Path, name: str) -> bytes:
    """The bytes of a regular file in a folder.

    name: relative, with `/`.
    Raises Unreadable: missing, not a regular file, a link that leads out of the folder, too large.
    """
    path = folder / name
    try:
        real = path.resolve(strict=True)
        root = folder.resolve(strict=True)
        if not real.is_relative_to(root):
            raise Unreadable(FindingCode.ARTIFACT_MISSING, "a link leads out of the output folder", name)
        status = real.stat()
        if not stat.S_ISREG(status.st_mode):
            raise Unreadable(FindingCode.ARTIFACT_MISSING, "not a regular file", name)
        if status.st_size > DEFAULT_LIMITS.file_bytes:
            raise Unreadable(FindingCode.LIMIT_EXCEEDED, f"the file holds more than {DEFAULT_LIMITS.file_bytes} bytes", name)
        return real.read_bytes()
    except (FileNotFoundError, NotADirectoryError) as error:
        raise Unreadable(FindingCode.ARTIFACT_MISSING, "the output folder has no such file", name) from error
    except (OSError, RuntimeError, ValueError) as error:
        raise Unreadable(FindingCode.ARTIFACT_UNREADABLE, f"cannot be read: {type(error).__name__}", name) from error


def list_files(folder: Path) -> list[str]:
    """Names of the files below a folder, sorted, with `/`; linked folders are not entered."""
    found: list[str] = []
    for directory, folders, files in os.walk(folder, followlinks=False):
        folders.sort()
        base = Path(directory).relative_to(folder)
        found += [(base / name).as_posix() for name in files]
        if len(found) > MAX_LISTED_FILES:
            break
    return sorted(found)[:MAX_LISTED_FILES]
