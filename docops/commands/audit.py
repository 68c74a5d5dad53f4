"""`docops audit RUN --n N --seed N --out SHEET`."""

from __future__ import annotations

import argparse
from pathlib import Path

from docops.commands.output import emit, whole
from docops.core.codes import ExitCode


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("run", metavar="RUN", help="folder that `docops run --out` wrote, or one with verdicts as JSON, at any depth")
    parser.add_argument("--n", type=whole, default=128, metavar="N", help="verdicts to draw (default: 128)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="which are drawn (default: 0)")
    parser.add_argument(
        "--out", required=True, metavar="SHEET", help="the sheet to fill in, a CSV file; the page with the documents stands beside it"
    )
    parser.add_argument("--bundles", metavar="DIR", help="folder of the bundles, for instruction, level and before (a run knows where they were)")
    parser.add_argument(
        "--outputs", metavar="DIR", help="folder of the outputs, for after: by the verdict's path or the task's id (a run knows where they were)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Draw the sample and write sheet and page."""
    from docops.core.errors import UsageError
    from docops.meta.audit import draw, read_run, sheet_csv
    from docops.report.audit import audit_html

    if arguments.n < 1:
        raise UsageError("--n is at least 1")
    bundles = Path(arguments.bundles) if arguments.bundles else None
    outputs = Path(arguments.outputs) if arguments.outputs else None
    verdicts = read_run(Path(arguments.run), bundles, outputs)
    sample = draw(verdicts, arguments.n, arguments.seed)
    sheet = Path(arguments.out)
    emit(sheet_csv(sample), out=str(sheet))
    beside = sheet.with_suffix(".html") if sheet.suffix != ".html" else sheet.with_name(sheet.name + ".html")
    emit(audit_html(sample, beside.parent), out=str(beside))
    emit(f"{len(sample)} of {len(verdicts)} verdicts: {sheet} to fill in, {beside} to read\n")
    return ExitCode.PASSED
