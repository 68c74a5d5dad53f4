"""`docops new SOURCE REFERENCE --out BUNDLE`."""

from __future__ import annotations

import argparse
from pathlib import Path

from docops.commands.output import NothingSelected, emit
from docops.core.codes import ExitCode


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("source", metavar="SOURCE", help="the document before, or a folder of documents (inputs among them)")
    parser.add_argument("reference", metavar="REFERENCE", help="the document as it shall become, or a folder: same names are edited, others made from nothing")
    parser.add_argument("--out", required=True, metavar="BUNDLE", help="folder for the bundle; it must not be there, or be empty")
    parser.add_argument("--task-id", default="", metavar="ID", help="name of the task (default: made of format, level, operation and file name)")
    parser.add_argument("--title", default="", metavar="TEXT", help="title of the task")


def run(arguments: argparse.Namespace) -> int:
    """Draft the bundle and say what is in it."""
    from docops.core.errors import BundleError, UsageError
    from docops.drafting.draft import NothingDiffers, draft_bundle
    from docops.report.words import counted, plain

    try:
        draft = draft_bundle(Path(arguments.source), Path(arguments.reference), Path(arguments.out), task_id=arguments.task_id, title=arguments.title)
    except NothingDiffers as error:
        raise NothingSelected(str(error)) from None
    except BundleError as error:
        raise UsageError("; ".join(map(str, error.problems))) from error
    entries = [f"{output}#{at}" for output, places in draft.scope.items() for at in places]
    lines = [f"{draft.task_id}: {counted(len(entries), 'place')} may change, {counted(len(draft.questions), 'question')}"]
    lines += [f"  made        {name}" for name in draft.made] + [f"  input       {name}" for name in draft.inputs]
    lines += [f"  may change  {place}" for place in entries[:20]]
    lines += [f"  … and {len(entries) - 20} more"] if len(entries) > 20 else []
    lines += [f"  asks        {title}  ({predicate})" for title, predicate in draft.questions]
    lines += [f"  unasked     {place}" for place in draft.unasked[:20]]
    lines += ["Next: put instruction.md into words, read verifier.toml, then", f"  docops lint {arguments.out}"]
    emit("".join(f"{plain(line)}\n" for line in lines))
    return ExitCode.PASSED
