"""Write `docs/schema` and `docs/reference` again: `python -m tools.generate`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from docops.catalogue import Reusable, reusable, reusable_names
from docops.core.predicate import Predicate, type_name
from docops.registry import PREDICATES, predicates
from docops.report.reference import default_of
from docops.report.words import value_text
from docops.schemas import (
    cost_schema,
    diff_schema,
    editor_verifier_schema,
    guard_schema,
    reusable_schema,
    row_schema,
    run_schema,
    stress_schema,
    task_schema,
    verdict_schema,
)

DOCS = Path(__file__).parents[1] / "docs"


def pages() -> dict[str, str]:
    """Path below `docs` → content of every generated file."""
    schemas: dict[str, Mapping[str, Any]] = {
        "task": task_schema(),
        "verifier": editor_verifier_schema(),
        "reusable": reusable_schema(),
        "verdict": verdict_schema(),
        "diff": diff_schema(),
        "row": row_schema(),
        "run": run_schema(),
        "cost": cost_schema(),
        "guard": guard_schema(),
        "stress": stress_schema(),
    }
    out = {f"schema/{name}.schema.json": json.dumps(schema, indent=2, ensure_ascii=False) + "\n" for name, schema in schemas.items()}
    out["reference/predicates.md"] = predicates_page([known for known in predicates() if known.name.partition(".")[0] in PREDICATES])
    out["reference/verifiers.md"] = verifiers_page([reusable(name) for name in reusable_names()])
    return out


def predicates_page(found: list[Predicate]) -> str:
    """The reference of predicates, from their docstrings."""
    lines = ["# Predicates", "", "Made from the code by `python -m tools.generate`. `docops predicates NAME` prints one of these.", ""]
    lines += ["| predicate | holds where |", "| --- | --- |"]
    lines += [f"| [{known.name}](#{known.name.replace('.', '')}) | {known.doc.partition(chr(10))[0]} |" for known in found]
    for known in found:
        lines += ["", f"## {known.name}", "", f"*{known.family}*, {', '.join(known.formats) or 'any format'}", "", *_docstring(known.doc)]
        if known.parameters:
            lines += ["", "| parameter | type | default |", "| --- | --- | --- |"]
            for parameter in known.parameters:
                default = "required" if parameter.required else f"`{value_text(default_of(parameter))}`"
                lines.append(f"| `{parameter.name}` | {type_name(parameter.annotation).replace('|', chr(92) + '|')} | {default} |")
        if known.examples:
            lines += ["", "Examples:", ""]
            for example in known.examples:
                outcome = "passes" if example.passes is True else "fails" if example.passes is False else f"fails with `{example.passes}`"
                given = ", ".join(f"`{name} = {value_text(value)}`" for name, value in example.params.items())
                lines.append(f"- {example.title}: {given}: {outcome}")
    return "\n".join(lines) + "\n"


def _docstring(doc: str) -> list[str]:
    """A docstring as Markdown, with each description of parameters as an item of a list."""
    lines: list[str] = []
    for line in doc.replace("<", "&lt;").splitlines():
        for part in re.split(r"   (?=[a-z_]+(?:, [a-z_]+)*: )", line.strip()):
            names = re.match(r"[a-z_]+(?:, [a-z_]+)*(?=: )", part)
            in_list = bool(lines) and lines[-1].startswith("- ")
            if names is not None:
                spelled = ", ".join(f"`{name}`" for name in names.group().split(", "))
                lines += ([] if in_list or not lines or not lines[-1] else [""]) + [f"- {spelled}{part[names.end() :]}"]
            elif in_list and part and not lines[-1].endswith("."):
                lines[-1] += f" {part}"
            else:
                lines += ["", part] if in_list and part else [part]
    return lines


def verifiers_page(found: list[Reusable]) -> str:
    """The reference of reusable verifiers, from their files."""
    lines = ["# Reusable verifiers", "", "Made from `verifiers/` by `python -m tools.generate`. Used in a bundle's `verifier.toml`:", ""]
    lines += ["    [[use]]", '    id = "summary.total"', '    verifier = "xlsx/live-total"']
    lines += ['    with = { at = "budget.xlsx#sheet[Summary]/cell[B6]", total = 48210.5 }', ""]
    lines += ["| verifier | holds where |", "| --- | --- |"]
    lines += [f"| [{known.name}](#{known.name.replace('/', '')}) | {known.title} |" for known in found]
    for known in found:
        lines += ["", f"## {known.name}", "", known.title, "", known.doc, "", "| parameter | type | default | |", "| --- | --- | --- | --- |"]
        for parameter in known.parameters:
            default = "optional" if parameter.optional else "required" if parameter.default is None else f"`{value_text(parameter.default)}`"
            lines.append(f"| `{parameter.name}` | {parameter.type} | {default} | {parameter.doc} |")
        lines += ["", "Asks: " + ", ".join(f"`{criterion['predicate']}`" for criterion in known.criteria) + ".", "", "Examples:", ""]
        lines += [f"- {example.title}: {'passes' if example.passes else 'fails'}" for example in known.examples]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Write all pages."""
    for name, content in pages().items():
        path = DOCS / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")


if __name__ == "__main__":
    main()
