"""`docops predicates [NAME]`."""

from __future__ import annotations

import argparse
import sys

from docops.commands.output import emit
from docops.core.codes import ExitCode


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("name", metavar="NAME", nargs="?", help="a predicate, or the first part of several names (`xlsx`)")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="how the result is written (default: text)")


def run(arguments: argparse.Namespace) -> int:
    """List predicates, or describe one."""
    from docops.core.canonical import canonical_json
    from docops.registry import broken_plugins, predicate_named, predicates
    from docops.report.reference import predicate_json, predicate_list, predicate_text

    found = [known for known in predicates() if arguments.name in (None, known.name, known.name.partition(".")[0])]
    if not found:
        found = [predicate_named(arguments.name)]
    if arguments.format == "json":
        emit(canonical_json({"predicates": [predicate_json(known) for known in found]}).decode() + "\n", machine=True)
    else:
        emit(predicate_text(found[0]) if arguments.name == found[0].name else predicate_list(found))
    for broken in broken_plugins() if arguments.name is None else ():
        sys.stderr.write(f"docops: {broken.reason}\n")
    return ExitCode.PASSED
