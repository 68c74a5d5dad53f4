"""`docops demo`."""

from __future__ import annotations

import argparse

from docops.commands.output import emit, wants_colour
from docops.core.codes import ExitCode


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("--all", action="store_true", help="all shipped bundles (default: one of each format, and one over two documents)")


def run(arguments: argparse.Namespace) -> int:
    """Verify shipped bundles; failed where a verdict is not the expected one."""
    from docops.catalogue import bundle_folders
    from docops.commands.output import NothingSelected
    from docops.demo import closing, demo_bundle, opening, selected

    folders = bundle_folders() if arguments.all else selected(bundle_folders())
    if not folders:
        raise NothingSelected("no bundle ships with this installation")
    emit(opening())
    every = True
    for folder in folders:
        lines, right = demo_bundle(folder, colour=wants_colour(None))
        every = every and right
        emit("\n".join(lines) + "\n")
    emit(closing(folders[0]))
    return ExitCode.PASSED if every else ExitCode.FAILED
