"""`docops guard [FILE…]`."""

from __future__ import annotations

import argparse
from pathlib import Path

from docops.commands.output import emit
from docops.core.codes import ExitCode


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("files", metavar="FILE", nargs="*", help="only these staged documents, from the top of the repository (default: all)")
    parser.add_argument("--format", choices=("text", "json", "github"), default="text", help="how the result is written (default: text)")


def run(arguments: argparse.Namespace) -> int:
    """Compare staged documents with the last commit; failed where something changed that nobody declared."""
    from docops.core.canonical import canonical_json
    from docops.guarding import guard, guard_text
    from docops.report.github import annotation

    found = guard(Path(), arguments.files)
    failed = [document for document in found if document.findings]
    if arguments.format == "json":
        rows = [
            {"file": document.path, "findings": [{"code": str(f.code), "address": f.address, "message": f.message} for f in document.findings]}
            for document in found
        ]
        emit(canonical_json({"documents": rows, "passed": not failed}).decode("utf-8", "replace") + "\n", machine=True)
    elif arguments.format == "github":
        lines = [
            annotation("error", "Undeclared change", f"{f.address}: {f.message}", document.path)
            for document in failed
            for f in document.findings[:10]
        ]
        emit("".join(f"{line}\n" for line in lines), machine=True)
    else:
        emit(guard_text(found))
    return ExitCode.FAILED if failed else ExitCode.PASSED
