"""`docops verifiers [NAME]`."""

from __future__ import annotations

import argparse

from docops.commands.output import emit
from docops.core.codes import ExitCode


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("name", metavar="NAME", nargs="?", help="a reusable verifier, or the format of several (`docx`)")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="how the result is written (default: text)")


def run(arguments: argparse.Namespace) -> int:
    """List reusable verifiers, or describe one."""
    from docops.catalogue import reusable, reusable_names
    from docops.core.canonical import canonical_json
    from docops.report.reference import reusable_json, reusable_list, reusable_text

    names = [name for name in reusable_names() if arguments.name in (None, name, name.partition("/")[0])]
    found = [reusable(name) for name in names or [arguments.name]]
    if arguments.format == "json":
        emit(canonical_json({"verifiers": [reusable_json(known) for known in found]}).decode() + "\n", machine=True)
    else:
        emit(reusable_text(found[0]) if arguments.name == found[0].name else reusable_list(found))
    return ExitCode.PASSED
