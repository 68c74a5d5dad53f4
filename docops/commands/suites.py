"""`docops suites [NAME]`."""

from __future__ import annotations

import argparse

from docops.commands.output import emit
from docops.core.codes import ExitCode


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("name", metavar="NAME", nargs="?", help="a mutation suite")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="how the result is written (default: text)")


def run(arguments: argparse.Namespace) -> int:
    """List mutation suites, or describe one."""
    from dataclasses import asdict

    from docops.core.canonical import canonical_json
    from docops.registry import operators
    from docops.report.text import table
    from docops.stressing.suites import suite_named, suite_names

    found = [suite_named(name) for name in ([arguments.name] if arguments.name else suite_names())]
    if arguments.format == "json":
        emit(canonical_json({"suites": [asdict(suite) for suite in found]}).decode() + "\n", machine=True)
    elif arguments.name:
        suite = found[0]
        members = [operator for operator in operators() if suite.includes(operator)]
        lines = [f"{suite.name}: {suite.title}", f"  {suite.doc}", f"  {len(members)} operators:"]
        lines += [f"    {row}" for row in table([(operator.kind, operator.name, operator.summary) for operator in members])]
        lines += [f"  waived: {waiver.operator} at {waiver.address} of {waiver.task}: {waiver.reason}" for waiver in suite.waivers]
        emit("\n".join(lines) + "\n")
    else:
        width = max((len(suite.name) for suite in found), default=0)
        emit("".join(f"{suite.name.ljust(width)}  {suite.doc}\n" for suite in found))
    return ExitCode.PASSED
