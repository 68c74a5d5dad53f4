"""`docops lint BUNDLE…`."""

from __future__ import annotations

import argparse

from docops.commands.output import add_output_arguments, emit
from docops.core.codes import ExitCode


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("bundles", metavar="BUNDLE", nargs="+", help="folder with task_metadata.json")
    add_output_arguments(parser, ("text", "json"))


def run(arguments: argparse.Namespace) -> int:
    """Check the bundles and report; invalid where one of them is not sound."""
    from docops.core.canonical import canonical_json
    from docops.lint import lint_bundle, reports_json, reports_text

    reports = [lint_bundle(folder) for folder in arguments.bundles]
    machine = arguments.format == "json"
    text = canonical_json(reports_json(reports)).decode() + "\n" if machine else reports_text(reports)
    emit(text, out=arguments.out, machine=machine)
    return ExitCode.PASSED if all(report.sound for report in reports) else ExitCode.INVALID
