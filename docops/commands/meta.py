"""`docops meta EXPERT EVALUATOR…`."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path

from docops.commands.output import add_output_arguments, emit
from docops.core.codes import ExitCode

_INPUT = "CSV or JSON (lines) with task_id, checkpoint_id, score; verdicts; results of PPT-Eval; a folder of them"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("expert", metavar="EXPERT", help=f"scores of the expert: {_INPUT}; a filled audit sheet; a folder of mutants")
    parser.add_argument(
        "evaluators", metavar="EVALUATOR", nargs="+", help="the same, from an evaluator; a bundle, where EXPERT is a folder of mutants"
    )
    parser.add_argument("--splits", metavar="NAME,…", default="", help="only these splits (train, dev, test, adversarial)")
    parser.add_argument("--ledger", metavar="FILE", help="count here how often the test split was evaluated")
    parser.add_argument("--weights", metavar="FILE", help="JSON file: type of checkpoint → risk weight (default: compliance 10, core_fact 5, …)")
    parser.add_argument("--repeated", action="store_true", help="several results of one task in a folder are repeated evaluations of one output")
    parser.add_argument("--plots", metavar="DIR", help="write agreement, heat map and stability as PNG here (extra `plots`)")
    add_output_arguments(parser, ("text", "json", "html"))


def run(arguments: argparse.Namespace) -> int:
    """Evaluate the evaluators and report."""
    from docops.meta.evaluate import evaluate, load_all
    from docops.report.meta import render_meta

    expert, evaluators = load_all(Path(arguments.expert), [Path(path) for path in arguments.evaluators], repeated=arguments.repeated)
    splits = tuple(name.strip() for name in arguments.splits.split(",") if name.strip())
    ledger = Path(arguments.ledger) if arguments.ledger else None
    weights = _weights(Path(arguments.weights)) if arguments.weights else None
    report = evaluate(expert, evaluators, splits=splits, ledger=ledger, weights=weights)
    pictures: dict[str, bytes] = {}
    if arguments.plots or arguments.format == "html":
        from docops.meta.plots import draw_all

        pictures = draw_all(report, required=bool(arguments.plots))
        if arguments.plots:
            _keep(Path(arguments.plots), pictures)
    emit(render_meta(report, arguments.format, pictures), out=arguments.out, machine=arguments.format != "text")
    return ExitCode.PASSED


def _keep(folder: Path, pictures: Mapping[str, bytes]) -> None:
    from docops.core.errors import UsageError

    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, data in pictures.items():
            (folder / f"{name}.png").write_bytes(data)
    except OSError as error:
        raise UsageError(f"{folder}: cannot be written: {error.strerror}") from error


def _weights(path: Path) -> dict[str, float]:
    """Risk weights from a file.

    Raises UsageError where it holds none.
    """
    import json
    import math

    from docops.core.errors import UsageError

    try:
        loaded = json.loads(path.read_text("utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from error
    if not isinstance(loaded, dict) or not all(
        isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < math.inf for value in loaded.values()
    ):
        raise UsageError(f"{path}: expected an object of type → weight")
    return {str(name): float(value) for name, value in loaded.items()}
