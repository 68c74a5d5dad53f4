"""`docops stress BUNDLE…`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable

from docops.commands.output import NothingSelected, add_output_arguments, emit, positive, rate, whole
from docops.core.codes import ExitCode


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("bundles", metavar="BUNDLE", nargs="+", help="folder with task_metadata.json")
    parser.add_argument("--suite", default="standard", metavar="NAME", help="mutation suite (default: standard)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="which mutants are drawn (default: 0)")
    parser.add_argument("--max", type=whole, metavar="N", help="at most so many mutants")
    parser.add_argument("--jobs", type=whole, metavar="N", help="processes (default: all processors; 0: none but this one, without a time limit)")
    parser.add_argument("--timeout", type=positive, default=60.0, metavar="SECONDS", help="time limit for each mutant (default: 60)")
    parser.add_argument("--journal", metavar="FILE", help="keep results here as they come, and go on from there")
    parser.add_argument("--min-detection", type=rate, metavar="RATE", help="fail below this detection rate (0.99)")
    parser.add_argument("--max-false-alarms", type=rate, metavar="RATE", help="fail above this false-alarm rate (0.005)")
    add_output_arguments(parser, ("text", "json", "markdown", "html"))


def run(arguments: argparse.Namespace) -> int:
    """Run the suite and report; failed where a rate is not what was asked for."""
    from docops.report.matrix import render_stress
    from docops.stressing.run import stress

    report = stress(
        arguments.bundles,
        arguments.suite,
        arguments.seed,
        limit=arguments.max,
        jobs=arguments.jobs,
        seconds=arguments.timeout,
        journal=arguments.journal,
        progress=progress_bar() if sys.stderr.isatty() else None,
    )
    if not report.mutants:
        raise NothingSelected(f"suite {arguments.suite} finds nothing to mutate in these bundles")
    emit(render_stress(report, arguments.format), out=arguments.out, machine=arguments.format != "text")
    detection, alarms = report.corruption["detection_rate"], report.benign["false_alarm_rate"]
    low = arguments.min_detection is not None and (detection is None or detection < arguments.min_detection)
    high = arguments.max_false_alarms is not None and (alarms is None or alarms > arguments.max_false_alarms)
    return ExitCode.FAILED if low or high else ExitCode.PASSED


def progress_bar() -> Callable[[int, int, str], None]:
    """A line on standard error that shows how far the run is."""

    def show(done: int, total: int, task: str) -> None:
        width = 30
        filled = width * done // total if total else 0
        counts = f"{done}/{total}" if total else ""
        sys.stderr.write(f"\r[{'#' * filled}{'.' * (width - filled)}] {counts} {task[:40]:<40}" + ("\n" if total and done == total else ""))
        sys.stderr.flush()

    return show
