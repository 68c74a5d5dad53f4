"""`docops diff A B`."""

from __future__ import annotations

import argparse

from docops.commands.output import add_output_arguments, emit, wants_colour
from docops.core.codes import ExitCode


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("a", metavar="A", help="document before")
    parser.add_argument("b", metavar="B", help="document after, of the same format")
    parser.add_argument(
        "--profile", choices=("native", "content"), default="native", help="native: every aspect; content: what another program's re-save keeps"
    )
    add_output_arguments(parser, ("text", "json"))


def run(arguments: argparse.Namespace) -> int:
    """Compare and report; failed where anything differs."""
    from docops.differences import diff_files
    from docops.report.text import diff_text

    diff = diff_files(arguments.a, arguments.b, profile=arguments.profile)
    machine = arguments.format == "json"
    emit(diff.to_json() + "\n" if machine else diff_text(diff, colour=wants_colour(arguments.out)), out=arguments.out, machine=machine)
    return ExitCode.PASSED if diff.equal else ExitCode.FAILED
