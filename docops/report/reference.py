"""What predicates and reusable verifiers are, from their docstrings and files: for the command line and the reference pages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from docops.catalogue import Reusable
from docops.core.predicate import Parameter, Predicate, type_name
from docops.report.text import table
from docops.report.words import value_text


def predicate_list(found: Sequence[Predicate]) -> str:
    """One line a predicate."""
    return "\n".join(table([(known.name, summary(known)) for known in found])) + "\n"


def summary(known: Predicate) -> str:
    """The first line of a predicate's docstring."""
    return known.doc.partition("\n")[0]


def predicate_text(known: Predicate) -> str:
    """Everything about one predicate."""
    lines = [known.name, f"  family   {known.family}", f"  formats  {', '.join(known.formats) or 'any'}", ""]
    lines += [f"  {line}".rstrip() for line in known.doc.splitlines()]
    if known.parameters:
        lines += ["", "  parameters"]
        lines += [f"    {line}" for line in table([parameter_row(parameter) for parameter in known.parameters])]
    if known.examples:
        lines += ["", "  examples"]
        for example in known.examples:
            outcome = "passes" if example.passes is True else "fails" if example.passes is False else f"fails: {example.passes}"
            lines.append(f"    {example.title} ({outcome})")
            lines += [f"      {name} = {value_text(value)}" for name, value in example.params.items()]
    return "\n".join(lines) + "\n"


def parameter_row(parameter: Parameter) -> tuple[str, str, str]:
    """Name, type, and default or `required`."""
    return parameter.name, type_name(parameter.annotation), "required" if parameter.required else f"default {value_text(default_of(parameter))}"


def default_of(parameter: Parameter) -> Any:
    """A parameter's default as JSON."""
    return list(parameter.default) if isinstance(parameter.default, tuple) else parameter.default


def predicate_json(known: Predicate) -> dict[str, Any]:
    """Everything about one predicate as JSON values."""
    from docops.parameters import parameter_schema

    return {
        "name": known.name,
        "family": str(known.family),
        "formats": list(known.formats),
        "doc": known.doc,
        "parameters": [
            {
                "name": parameter.name,
                "type": type_name(parameter.annotation),
                "required": parameter.required,
                "default": default_of(parameter),
                "schema": parameter_schema(parameter.annotation),
            }
            for parameter in known.parameters
        ],
    }


def reusable_list(found: Sequence[Reusable]) -> str:
    """One line a reusable verifier."""
    return "\n".join(table([(known.name, known.title) for known in found])) + "\n"


def reusable_text(known: Reusable) -> str:
    """Everything about one reusable verifier."""
    lines = [known.name, f"  {known.title}", f"  formats  {', '.join(known.formats)}", ""]
    lines += [f"  {line}".rstrip() for line in known.doc.splitlines()]
    lines += ["", "  parameters"]
    lines += [f"    {line}" for line in table(_template_rows(known))]
    lines += ["", "  criteria"]
    lines += [
        f"    {line}" for line in table([(criterion["id"], criterion["predicate"], criterion.get("title", "")) for criterion in known.criteria])
    ]
    lines += ["", "  examples"]
    lines += [f"    {example.title} ({'passes' if example.passes else 'fails'})" for example in known.examples]
    return "\n".join(lines) + "\n"


def _template_rows(known: Reusable) -> list[tuple[str, str, str, str]]:
    rows = []
    for parameter in known.parameters:
        need = "optional" if parameter.optional else "required" if parameter.default is None else f"default {value_text(parameter.default)}"
        rows.append((parameter.name, parameter.type, need, parameter.doc))
    return rows


def reusable_json(known: Reusable) -> dict[str, Any]:
    """Everything about one reusable verifier as JSON values."""
    return {
        "name": known.name,
        "title": known.title,
        "doc": known.doc,
        "formats": list(known.formats),
        "parameters": [
            {"name": item.name, "type": item.type, "doc": item.doc, "optional": item.optional, "default": item.default} for item in known.parameters
        ],
        "criteria": [dict(criterion) for criterion in known.criteria],
    }
