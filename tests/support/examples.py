"""Running examples of predicates and reusable verifiers through the whole engine."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from docops.bundle import ArtifactSpec, Bundle, load_bundle
from docops.core.predicate import Predicate
from docops.core.verdict import CriterionResult
from docops.engine import verify_bundle
from docops.families.preservation import Preserve
from docops.registry import format_name_of
from docops.verifier import Aggregate, CriterionSpec, VerifierSpec


def run_predicate(
    known: Predicate, parameters: Mapping[str, Any], files: Mapping[str, bytes], sources: Mapping[str, bytes], folder: Path
) -> CriterionResult:
    """What becomes of one criterion on an output folder that holds `files`.

    parameters: by the names that verifiers use.
    """
    for place, content in (("source", sources), ("output", files)):
        for name, data in content.items():
            path = folder / place / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
    (folder / "output").mkdir(exist_ok=True)
    artifacts = tuple(
        ArtifactSpec(name, f"source/{name}" if name in sources else None, None, False, format_name_of(name), (), Preserve())
        for name in dict.fromkeys([*files, *sources])
    )
    arguments = {parameter.argument: parameters[parameter.name] for parameter in known.parameters if parameter.name in parameters}
    spec = CriterionSpec("example", known, arguments, str(parameters.get("at", "")).partition("#")[0])
    bundle = Bundle(
        root=folder,
        task_id="example",
        title="",
        instruction="",
        level="L1",
        operations=("C1",),
        domain="",
        language="",
        artifacts=artifacts,
        required_operations=(),
        verifier=VerifierSpec(Aggregate.ALL, (), (spec,)),
        forbid_extra_files=False,
        provenance="",
        licence="",
        digest="",
    )
    return verify_bundle(bundle, folder / "output").criteria[0]


def run_reusable(
    name: str, arguments: Mapping[str, Any], files: Mapping[str, bytes], sources: Mapping[str, bytes], folder: Path
) -> list[CriterionResult]:
    """What becomes of the criteria of a reusable verifier, used in a bundle that is written and loaded."""
    for place, content in (("source", sources), ("output", files)):
        for artifact, data in content.items():
            path = folder / place / artifact
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
    metadata = {
        "schema": "docops.task/1",
        "task_id": "example",
        "instruction": "instruction.md",
        "level": "L1",
        "operations": ["C1"],
        "artifacts": [{"output": artifact, **({"source": f"source/{artifact}"} if artifact in sources else {})} for artifact in files],
        "verifier": "verifier.toml",
    }
    (folder / "task_metadata.json").write_text(json.dumps(metadata), encoding="utf-8")
    (folder / "instruction.md").write_text("An example.\n", encoding="utf-8")
    use = f'schema = "docops.verifier/1"\n[[use]]\nid = "use"\nverifier = "{name}"\nwith = {toml(arguments)}\n'
    (folder / "verifier.toml").write_text(use, encoding="utf-8")
    bundle = load_bundle(folder)
    return [result for result in verify_bundle(bundle, folder / "output").criteria if result.id.startswith("use.")]


def toml(value: Any) -> str:
    """A JSON value as inline TOML."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{json.dumps(key)} = {toml(item)}" for key, item in value.items()) + " }"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(toml, value)) + "]"
    return '""' if value is None else json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
