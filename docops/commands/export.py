"""`docops export BENCHMARK BUNDLE… --out DIR`."""

from __future__ import annotations

import argparse
from pathlib import Path

from docops.commands.output import emit
from docops.core.codes import ExitCode


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("benchmark", metavar="BENCHMARK", help="harbor, or the name of a plug-in")
    parser.add_argument("bundles", metavar="BUNDLE", nargs="+", help="folder with task_metadata.json")
    parser.add_argument("--out", required=True, metavar="DIR", help="folder for the tasks, one folder each, named like the bundle's task")
    parser.add_argument("--without-skills", action="store_true", help="leave out the folder skills of the bundles")
    parser.add_argument("--organisation", default="docops", metavar="NAME", help="first part of the names of tasks (default: docops)")
    parser.add_argument("--image", default="", metavar="IMAGE", help="container image to build on, with its digest (default: a Python image)")
    parser.add_argument("--wheel", metavar="FILE", help="wheel of docops to put into the tasks (default: made from this installation)")


def run(arguments: argparse.Namespace) -> int:
    """Write the tasks and say what a person should know of them."""
    from docops.core.errors import UsageError
    from docops.core.exchange import ExportOptions
    from docops.registry import exchange_named
    from docops.report.words import plain

    exchange = exchange_named(arguments.benchmark)
    if exchange.export_tasks is None:
        raise UsageError(f"{exchange.name} writes no tasks")
    options = ExportOptions(
        skills=not arguments.without_skills,
        organisation=arguments.organisation,
        image=arguments.image,
        wheel=Path(arguments.wheel) if arguments.wheel else None,
    )
    lines = exchange.export_tasks([Path(bundle) for bundle in arguments.bundles], Path(arguments.out), options)
    emit("".join(f"{plain(line)}\n" for line in lines))
    return ExitCode.PASSED
