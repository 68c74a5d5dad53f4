"""`docops export NAME VERDICTS --out DIR`."""

from __future__ import annotations

import argparse
from pathlib import Path

from docops.commands.output import emit
from docops.core.codes import ExitCode


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("adapter", metavar="NAME", help="whose results they become: ppteval")
    parser.add_argument("verdicts", metavar="VERDICTS", help="a verdict as JSON, or a folder with verdicts at any depth")
    parser.add_argument("--bundles", metavar="DIR", help="folder of the bundles, for goals and rubrics")
    parser.add_argument("--out", required=True, metavar="DIR", help="folder for the results")


def run(arguments: argparse.Namespace) -> int:
    """Write the results and count them."""
    from docops.registry import adapter_named

    bundles = Path(arguments.bundles) if arguments.bundles else None
    number = adapter_named(arguments.adapter).export_results(Path(arguments.verdicts), Path(arguments.out), bundles)
    emit(f"{number} results in {arguments.out}\n")
    return ExitCode.PASSED
