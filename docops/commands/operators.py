"""`docops operators [NAME]`."""

from __future__ import annotations

import argparse
from typing import Any

from docops.commands.output import emit
from docops.core.codes import ExitCode
from docops.core.operator import Operator


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("name", metavar="NAME", nargs="?", help="an operator, or the first part of several names (`xlsx`)")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="how the result is written (default: text)")


def run(arguments: argparse.Namespace) -> int:
    """List mutation operators, or describe one."""
    from docops.core.canonical import canonical_json
    from docops.core.errors import UsageError
    from docops.registry import operators, suggestion

    known = operators()
    found = [operator for operator in known if arguments.name in (None, operator.name, operator.name.partition(".")[0])]
    if not found:
        raise UsageError(f"there is no operator {arguments.name!r}{suggestion(arguments.name, [operator.name for operator in known])}")
    if arguments.format == "json":
        emit(canonical_json({"operators": [operator_json(operator) for operator in found]}).decode() + "\n", machine=True)
    elif arguments.name == found[0].name:
        emit(_text(found[0]))
    else:
        width = max(len(operator.name) for operator in found)
        emit("".join(f"{operator.name.ljust(width)}  {operator.summary}\n" for operator in found))
    return ExitCode.PASSED


def operator_json(operator: Operator) -> dict[str, Any]:
    """An operator as JSON values."""
    return {
        "name": operator.name,
        "kind": str(operator.kind),
        "class": str(operator.corruption_class),
        "formats": list(operator.formats),
        "summary": operator.summary,
        "tags": list(operator.tags),
        "aspects": list(operator.aspects),
        "breaks": list(operator.breaks),
        "effect": operator.effect,
    }


def _text(operator: Operator) -> str:
    rows = [
        ("class", str(operator.corruption_class)),
        ("formats", ", ".join(operator.formats) or "any"),
        ("tags", ", ".join(operator.tags) or "none"),
        ("damages", ", ".join(operator.aspects) or ("nothing" if operator.kind == "benign" else "anything")),
        ("breaks", ", ".join(operator.breaks) or "no criterion by itself"),
    ]
    return f"{operator.name}\n  {operator.summary}\n" + "".join(f"  {name.ljust(8)} {text}\n" for name, text in rows)
