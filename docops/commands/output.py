"""Where a command's result goes: standard output or a file, and nothing else there."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from docops.core.errors import DocopsError, UsageError


class NothingSelected(DocopsError):
    """What was asked for is well formed and names nothing."""


def add_output_arguments(parser: argparse.ArgumentParser, formats: tuple[str, ...]) -> None:
    """Add `--format` and `--out`."""
    parser.add_argument("--format", choices=formats, default=formats[0], help=f"how the result is written (default: {formats[0]})")
    parser.add_argument("--out", metavar="FILE", help="write the result to this file and nothing to standard output")


def emit(text: str, *, out: str | None = None, machine: bool = False) -> None:
    """Write a result.

    out: a file (in UTF-8) instead of standard output.
    machine: for programs, so in UTF-8 whatever the terminal's encoding is.
    A reader that closed its end of the pipe has seen enough: the rest is dropped.
    """
    if out is not None:
        try:
            Path(out).write_bytes(text.encode("utf-8", "backslashreplace"))
        except (OSError, ValueError) as error:
            raise UsageError(f"{out}: cannot be written: {getattr(error, 'strerror', None) or error}") from error
        return
    try:
        buffer = getattr(sys.stdout, "buffer", None)
        if machine and buffer is not None:
            sys.stdout.flush()
            buffer.write(text.encode("utf-8", "backslashreplace"))
            buffer.flush()
        else:
            sys.stdout.write(text)
            sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def wants_colour(out: str | None) -> bool:
    """Whether the result goes to a terminal."""
    return out is None and sys.stdout.isatty()


def step_summary(markdown: str) -> None:
    """Add to the summary of the GitHub Actions step that this runs in, if it runs in one."""
    path = os.environ.get("GITHUB_STEP_SUMMARY")
    if path:
        with open(path, "a", encoding="utf-8") as stream:
            stream.write(markdown + "\n")
