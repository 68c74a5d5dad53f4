"""`docops mutate BUNDLE [OUTPUT] --out DIR`."""

from __future__ import annotations

import argparse

from docops.commands.output import NothingSelected, emit, whole
from docops.core.codes import ExitCode


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("bundle", metavar="BUNDLE", help="folder with task_metadata.json")
    parser.add_argument("output", metavar="OUTPUT", nargs="?", help="folder with right outputs (default: the bundle's references)")
    parser.add_argument("--out", required=True, metavar="DIR", help="folder for the mutants: one folder each, and plan.jsonl")
    parser.add_argument("--suite", default="standard", metavar="NAME", help="mutation suite (default: standard)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="which mutants are drawn (default: 0)")
    parser.add_argument("--max", type=whole, metavar="N", help="at most so many mutants")
    parser.add_argument("--id", default="", metavar="ID", help="only the mutant with this id, whichever suite it is from")


def run(arguments: argparse.Namespace) -> int:
    """Write the mutants and list them."""
    from docops.report.words import plain
    from docops.stressing.run import mutate

    specs = mutate(
        arguments.bundle, arguments.out, arguments.output, suite=arguments.suite, seed=arguments.seed, limit=arguments.max, identity=arguments.id
    )
    if not specs:
        raise NothingSelected(f"suite {arguments.suite} finds nothing to mutate in this bundle")
    lines = [f"{spec.id}  {spec.kind.ljust(10)}  {spec.operator}  {plain(spec.artifact)}#{plain(spec.address)}" for spec in specs]
    emit("\n".join(lines) + "\n")
    return ExitCode.PASSED
