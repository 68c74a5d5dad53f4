"""Paths from untrusted files: they never leave the folder they are relative to, by their text or through a link."""

from __future__ import annotations

import os
import stat
import unicodedata
from pathlib import Path

#: Unicode categories without a picture: controls, halves of pairs, separators of lines and paragraphs.
_UNSEEN = frozenset({"Cc", "Cs", "Zl", "Zp"})
#: Marks that turn the direction of writing around, or stand at the beginning of a file; with them a name reads as another.
_TURNING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff")
_DEVICES = frozenset({"CON", "PRN", "AUX", "NUL", *(f"{name}{number}" for name in ("COM", "LPT") for number in range(1, 10))})
_LONGEST, _LONGEST_STEP = 1024, 255


class PathProblem(ValueError):
    """A path may not be used; the message says why, and names no folder of the machine."""


def check_relative(text: str) -> None:
    """Raise PathProblem unless `text` is a plain relative path with `/` that means the same on every system."""
    if not text:
        raise PathProblem("the path is empty")
    if any(unicodedata.category(char) in _UNSEEN or char in _TURNING for char in text):
        raise PathProblem(f"{text!r} holds a control character")
    if "\\" in text:
        raise PathProblem(f"{text!r} holds a backslash; write '/' between folders")
    if text.startswith(("/", "~")) or text[1:2] == ":":
        raise PathProblem(f"{text!r} is not relative to the folder")
    if len(text.encode()) > _LONGEST:
        raise PathProblem(f"{text[:80]!r}… is longer than {_LONGEST} bytes")
    parts = text.split("/")
    if ".." in parts:
        raise PathProblem(f"{text!r} leaves the folder")
    if "" in parts or "." in parts:
        raise PathProblem(f"{text!r} has an empty or '.' step")
    for part in parts:
        if any(char in '<>:"|?*' for char in part):
            raise PathProblem(f"{text!r} holds one of < > : \" | ? *, which some systems have no files with")
        if part != part.strip(" ") or part.endswith("."):
            raise PathProblem(f"{text!r} has a step that begins or ends with a space or ends with a dot, which some systems drop")
        if part.partition(".")[0].rstrip(" ").upper() in _DEVICES:
            raise PathProblem(f"{text!r} names a device on some systems")
        if len(part.encode()) > _LONGEST_STEP:
            raise PathProblem(f"{text[:80]!r}… has a step of more than {_LONGEST_STEP} bytes")


def file_inside(root: Path, text: str) -> Path:
    """The regular file that `text` names below `root`.

    Raises PathProblem where the path is not plain, is not there, is no regular file, or leaves `root` through a link.
    """
    check_relative(text)
    path = root / text
    try:
        real = Path(os.path.realpath(path, strict=True))
        mode = os.stat(real).st_mode
    except FileNotFoundError:
        raise PathProblem(f"{text!r} does not exist") from None
    except (OSError, ValueError) as error:
        raise PathProblem(f"{text!r} cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if not real.is_relative_to(os.path.realpath(root)):
        raise PathProblem(f"{text!r} leaves the folder through a link")
    if not stat.S_ISREG(mode):
        raise PathProblem(f"{text!r} is not a regular file")
    return path
