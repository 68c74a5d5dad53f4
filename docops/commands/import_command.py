"""`docops import NAME SRC --out DIR`."""

from __future__ import annotations

import argparse
from pathlib import Path

from docops.commands.output import emit
from docops.core.codes import ExitCode


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("adapter", metavar="NAME", help="whose tasks they are: harbor, ppteval")
    parser.add_argument("source", metavar="SRC", help="harbor: the folder of a task; ppteval: the registry, a folder with tasks.json")
    parser.add_argument("--out", required=True, metavar="DIR", help="harbor: folder for the bundle; ppteval: for the bundles, one folder each")


def run(arguments: argparse.Namespace) -> int:
    """Write the bundles and list them; invalid where a task cannot be taken over."""
    from docops.core.errors import BundleError, UsageError
    from docops.registry import adapter_named
    from docops.report.words import plain

    adapter, source, out = adapter_named(arguments.adapter), Path(arguments.source), Path(arguments.out)
    if hasattr(adapter, "import_task"):
        emit("".join(f"{plain(line)}\n" for line in adapter.import_task(source, out)))
        return ExitCode.PASSED
    if not hasattr(adapter, "import_tasks"):
        raise UsageError(f"{arguments.adapter} reads no tasks")
    made, problems = adapter.import_tasks(source, out)
    emit("".join(f"{plain(folder)}  {plain(task_id)}\n" for folder, task_id in made))
    if problems:
        raise BundleError(problems)
    return ExitCode.PASSED
