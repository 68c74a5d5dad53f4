"""Where a command's result goes: standard output or a file, and nothing else there."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from docops.core.errors import DocopsError, UsageError

if TYPE_CHECKING:
    from docops.core.options import Options


Number = TypeVar("Number", int, float)


class NothingSelected(DocopsError):
    """What was asked for is well formed and names nothing."""


def whole(text: str) -> int:
    """An argument that is a whole number, not below 0."""
    number = _number(text, int)
    if number < 0:
        raise argparse.ArgumentTypeError(f"{text} is below 0")
    return number


def _number(text: str, kind: type[Number]) -> Number:
    try:
        return kind(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no {'whole ' if kind is int else ''}number") from None


def positive(text: str) -> float:
    """An argument that is a number above 0."""
    number = _number(text, float)
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is not above 0")
    return number


def rate(text: str) -> float:
    """An argument that is a share, from 0 to 1."""
    number = _number(text, float)
    if not 0 <= number <= 1:
        raise argparse.ArgumentTypeError(f"{text} is not between 0 and 1")
    return number


def add_output_arguments(parser: argparse.ArgumentParser, formats: tuple[str, ...]) -> None:
    """Add `--format` and `--out`."""
    parser.add_argument("--format", choices=formats, default=formats[0], help=f"how the result is written (default: {formats[0]})")
    parser.add_argument("--out", metavar="FILE", help="write the result to this file and nothing to standard output")


def add_rubric_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what a caller allows where a bundle's verifier is a rubric of PPT-Eval."""
    group = parser.add_argument_group("rubrics of PPT-Eval")
    group.add_argument("--allow-code", action="store_true", help="run the Python code of the rubric, each leaf confined in a process of its own")
    group.add_argument(
        "--ppteval-diff",
        choices=("faithful", "semantic"),
        default="faithful",
        help="what leaves see as changed: as PPT-Eval compares, its faults included (default), or docops's facts",
    )
    group.add_argument("--strict-ppteval", action="store_true", help="one leaf that raises scores the task 0, as in PPT-Eval")
    group.add_argument("--leaf-seconds", type=positive, default=60.0, metavar="N", help="time limit of one leaf (default: 60)")


def add_judge_arguments(parser: argparse.ArgumentParser) -> None:
    """Add which model may be asked, and pictures for it."""
    group = parser.add_argument_group("judge")
    group.add_argument("--judge", metavar="FILE", help="TOML file that says which model may be asked (extra `judge`); without it none is")
    group.add_argument("--judge-record", metavar="FILE", help="keep answers here, and replay those that are there")
    group.add_argument("--judge-run", type=int, default=1, metavar="N", help="number of a repeated evaluation; each has answers of its own")
    group.add_argument("--judge-offline", action="store_true", help="only replay what is recorded")
    group.add_argument(
        "--render",
        action="store_true",
        help="make pictures of slides and pages with LibreOffice (extra `render`), for the judge and for leaves of rubrics; "
        "--judge implies it where LibreOffice is installed",
    )
    group.add_argument("--pictures", metavar="DIR", help="keep pictures here, and take those that are there instead of making them")


def options_of(arguments: argparse.Namespace) -> Options:
    """What the arguments allow.

    Raises UsageError where one needs another, or what they ask for is not installed.
    """
    from docops.core.options import Options

    judge = renderer = None
    if arguments.judge:
        from docops.judges.judge import make_judge, read_config

        record = Path(arguments.judge_record) if arguments.judge_record else None
        judge = make_judge(read_config(Path(arguments.judge)), record, run=arguments.judge_run, offline=arguments.judge_offline)
    elif arguments.judge_record or arguments.judge_offline:
        raise UsageError("--judge-record and --judge-offline need --judge")
    if arguments.judge or arguments.render or arguments.pictures:
        from docops.rendering.office import make_renderer

        folder = Path(arguments.pictures) if arguments.pictures else None
        renderer = make_renderer(folder, required=arguments.render)
    return Options(
        allow_code=arguments.allow_code,
        ppteval_diff=arguments.ppteval_diff,
        strict_ppteval=arguments.strict_ppteval,
        leaf_seconds=arguments.leaf_seconds,
        judge=judge,
        renderer=renderer,
    )


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
