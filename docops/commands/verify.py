"""`docops verify BUNDLE OUTPUT`."""

from __future__ import annotations

import argparse
from pathlib import Path

from docops.commands.output import add_judge_arguments, add_output_arguments, add_rubric_arguments, emit, options_of, step_summary, wants_colour
from docops.core.codes import ExitCode
from docops.report import VERDICT_FORMATS


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("bundle", metavar="BUNDLE", help="folder with task_metadata.json")
    parser.add_argument("output", metavar="OUTPUT", help="folder with what was made")
    add_output_arguments(parser, VERDICT_FORMATS)
    add_rubric_arguments(parser)
    add_judge_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Verify and report."""
    from docops.bundle import load_bundle
    from docops.core.verdict import Status
    from docops.engine import verify_bundle
    from docops.report import render_verdict

    bundle = load_bundle(arguments.bundle)
    verdict = verify_bundle(bundle, Path(arguments.output), options=options_of(arguments))
    text = render_verdict(verdict, arguments.format, title=bundle.title, colour=wants_colour(arguments.out))
    emit(text, out=arguments.out, machine=arguments.format != "text")
    if arguments.format == "github":
        step_summary(render_verdict(verdict, "markdown"))
    return {Status.PASSED: ExitCode.PASSED, Status.FAILED: ExitCode.FAILED, Status.ERROR: ExitCode.ERROR}[verdict.status]
