"""`docops run BUNDLES OUTPUTS`."""

from __future__ import annotations

import argparse
import sys

from docops.commands.output import (
    NothingSelected,
    add_judge_arguments,
    add_rubric_arguments,
    emit,
    options_of,
    positive,
    rate,
    step_summary,
    whole,
)
from docops.core.codes import ExitCode
from docops.report.run import RUN_FORMATS


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("bundles", metavar="BUNDLES", help="folder with bundles")
    parser.add_argument("outputs", metavar="OUTPUTS", help="folder with outputs: <agent>/<task_id>/[trial/]")
    parser.add_argument("--jobs", type=whole, metavar="N", help="processes (default: all processors)")
    parser.add_argument("--engine", choices=("local", "ray"), default="local", help="where outputs are verified (default: local)")
    parser.add_argument("--resume", action="store_true", help="go on with what the folder of --out holds")
    parser.add_argument("--out", metavar="DIR", help="keep rows here as they come, and write every report here")
    parser.add_argument("--format", choices=RUN_FORMATS, default="text", help="how the result is printed (default: text)")
    parser.add_argument("--timeout", type=positive, default=300.0, metavar="SECONDS", help="an output that takes longer is an error (default: 300)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the resamples behind the intervals (default: 0)")
    parser.add_argument("--min-pass-rate", type=rate, metavar="RATE", help="fail where an agent's pass rate is below this (0.9)")

    add_rubric_arguments(parser)
    add_judge_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run and report; an error where an output has no verdict, failed where a rate is not what was asked for."""
    from docops.commands.stress import progress_bar
    from docops.report.run import render_run
    from docops.running.plan import NothingToRun
    from docops.running.run import run as run_all

    try:
        report = run_all(
            arguments.bundles,
            arguments.outputs,
            jobs=arguments.jobs,
            engine=arguments.engine,
            resume=arguments.resume,
            out=arguments.out,
            seconds=arguments.timeout,
            seed=arguments.seed,
            progress=progress_bar() if sys.stderr.isatty() else None,
            options=options_of(arguments),
        )
    except NothingToRun as error:
        raise NothingSelected(str(error)) from None
    emit(render_run(report, arguments.format), machine=arguments.format != "text")
    if arguments.format == "github":
        step_summary(render_run(report, "markdown"))
    if report.errors:
        return ExitCode.ERROR
    low = arguments.min_pass_rate
    rates = [found["pass_rate"] for found in report.to_dict()["agents"].values()]
    return ExitCode.FAILED if low is not None and any(rate is None or rate < low for rate in rates) else ExitCode.PASSED
