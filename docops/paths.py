"""Paths from untrusted files: they never leave the folder they are relative to, by their text or through a link."""

from __future__ import annotations

import os
import stat
from pathlib import Path


class PathProblem(ValueError):
    """A path may not be used; the message says why, and names no folder of the machine."""


def check_relative(text: str) -> None:
    """Raise PathProblem unless `text` is a plain relative path with `/` that means the same on every system."""
    if not text:
        raise PathProblem("the path is empty")
    if any(ord(char) < 32 or ord(char) == 127 or 0xD800 <= ord(char) <= 0xDFFF for char in text):
        raise PathProblem(f"{text!r} holds a control character")
    if "\\" in text:
        raise PathProblem(f"{text!r} holds a backslash; write '/' between folders")
    if text.startswith(("/", "~")) or text[1:2] == ":":
        raise PathProblem(f"{text!r} is not relative to the folder")
    parts = text.split("/")
    if ".." in parts:
        raise PathProblem(f"{text!r} leaves the folder")
    if "" in parts or "." in parts:
        raise PathProblem(f"{text!r} has an empty or '.' step")


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
