"""`docops export NAME BUNDLE… --out DIR` (tasks) and `docops export NAME VERDICTS --out DIR` (results)."""

from __future__ import annotations

import argparse
from pathlib import Path

from docops.commands.output import emit
from docops.core.codes import ExitCode


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("adapter", metavar="NAME", help="harbor: bundles as tasks; ppteval: verdicts as results")
    parser.add_argument(
        "sources", metavar="SOURCE", nargs="+", help="harbor: bundles; ppteval: the folder of a run, a verdict as JSON, or a folder with verdicts at any depth"
    )
    parser.add_argument("--out", required=True, metavar="DIR", help="folder for the tasks or results")
    parser.add_argument("--bundles", metavar="DIR", help="ppteval: folder of the bundles, for goals and rubrics (a run knows where they were)")
    parser.add_argument("--without-skills", action="store_true", help="harbor: leave out the folder skills of the bundles")
    parser.add_argument("--organisation", default="docops", metavar="NAME", help="harbor: first part of the names of tasks (default: docops)")
    parser.add_argument("--image", default="", metavar="IMAGE", help="harbor: container image to build on, with its digest (default: a Python image)")
    parser.add_argument("--wheel", metavar="FILE", help="harbor: wheel of docops to put into the tasks (default: made from this installation)")


def run(arguments: argparse.Namespace) -> int:
    """Write tasks, and say what a person should know of them; or results, and count them."""
    from docops.core.errors import UsageError
    from docops.core.exchange import ExportOptions
    from docops.registry import adapter_named
    from docops.report.words import plain

    adapter, sources = adapter_named(arguments.adapter), [Path(source) for source in arguments.sources]
    if hasattr(adapter, "export_tasks"):
        options = ExportOptions(
            skills=not arguments.without_skills,
            organisation=arguments.organisation,
            image=arguments.image,
            wheel=Path(arguments.wheel) if arguments.wheel else None,
        )
        lines = adapter.export_tasks(sources, Path(arguments.out), options)
        emit("".join(f"{plain(line)}\n" for line in lines))
    elif hasattr(adapter, "export_results"):
        if len(sources) > 1:
            raise UsageError(f"{arguments.adapter} takes one file or folder of verdicts")
        number = adapter.export_results(sources[0], Path(arguments.out), Path(arguments.bundles) if arguments.bundles else None)
        emit(f"{number} results in {arguments.out}\n")
    else:
        raise UsageError(f"{arguments.adapter} writes no tasks and no results")
    return ExitCode.PASSED
