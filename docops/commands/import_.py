"""`docops import BENCHMARK SRC --out DIR`."""

from __future__ import annotations

import argparse
from pathlib import Path

from docops.commands.output import emit
from docops.core.codes import ExitCode


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("benchmark", metavar="BENCHMARK", help="harbor, or the name of a plug-in")
    parser.add_argument("source", metavar="SRC", help="folder of one task")
    parser.add_argument("--out", required=True, metavar="DIR", help="folder for the bundle; it must not be there yet or be empty")


def run(arguments: argparse.Namespace) -> int:
    """Write the bundle and say what is left to do."""
    from docops.core.errors import UsageError
    from docops.registry import exchange_named
    from docops.report.words import plain

    exchange = exchange_named(arguments.benchmark)
    if exchange.import_task is None:
        raise UsageError(f"{exchange.name} reads no tasks")
    lines = exchange.import_task(Path(arguments.source), Path(arguments.out))
    emit("".join(f"{plain(line)}\n" for line in lines))
    return ExitCode.PASSED
