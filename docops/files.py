"""Opening a document by its path, for the library and the command line."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from docops.core.codes import FindingCode
from docops.core.document import Document
from docops.core.errors import Unreadable
from docops.core.limits import DEFAULT_LIMITS
from docops.engine import open_document


def open_path(path: str | os.PathLike[str]) -> Document:
    """The document in a file, by the ending of its name.

    Raises Unreadable where it cannot be read as one, UsageError where docops opens no files of that ending.
    """
    name = Path(path).name
    try:
        return open_document(read_path(Path(path)), name)
    except Unreadable as error:
        if error.where.startswith(name):
            raise
        raise Unreadable(error.code, error.message, f"{name}: {error.where}" if error.where else name) from error


def read_path(path: Path) -> bytes:
    """The bytes of a regular file.

    Raises Unreadable where it is missing, no regular file, or too large.
    """
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise Unreadable(FindingCode.ARTIFACT_UNREADABLE, "is not a regular file", path.name)
        if status.st_size > DEFAULT_LIMITS.file_bytes:
            raise Unreadable(FindingCode.LIMIT_EXCEEDED, f"holds more than {DEFAULT_LIMITS.file_bytes} bytes", path.name)
        return path.read_bytes()
    except FileNotFoundError as error:
        raise Unreadable(FindingCode.ARTIFACT_MISSING, "there is no such file", path.name) from error
    except (OSError, ValueError) as error:
        raise Unreadable(FindingCode.ARTIFACT_UNREADABLE, f"cannot be read: {type(error).__name__}", path.name) from error
