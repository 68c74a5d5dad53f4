"""A task folder of Harbor as the files of a bundle: what can be read from it, and guesses where it says nothing."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, get_args

from docops.bundle import METADATA, load_bundle
from docops.core.errors import BundleError, UsageError
from docops.core.limits import DEFAULT_LIMITS
from docops.paths import PathProblem, check_relative
from docops.registry import format_name_of
from docops.schemas import Level, Operation

_DOCUMENT_FOLDERS = ("environment", "solution")
#: Files of a task that are looked at.
MAX_FILES = 10_000


def carried_bundle(task: Path) -> tuple[dict[str, bytes], list[str]] | None:
    """The files of the bundle that docops put into a task that it exported, or None.

    Raises UsageError where there is one that is not valid.
    """
    from docops.adapters.harbor import bundle_files

    root = task / "tests" / "bundle"
    if not (root / METADATA).is_file():
        return None
    try:
        bundle = load_bundle(root)
    except BundleError as error:
        raise UsageError(f"{root} is no valid bundle: {error.problems[0]}") from error
    files = bundle_files(bundle)
    files |= {f"skills/{name}": data for name, data in _files(task / "environment" / "skills")}
    return files, [f"{bundle.task_id}: the bundle that the task carries, {len(files)} files"]


def skeleton(task: Path) -> tuple[dict[str, bytes], list[str]]:
    """The files of a bundle made from a task's documents and metadata, and what is left to do.

    Raises UsageError where the task has no metadata, no instruction or no document.
    """
    config = _config(task)
    instruction = _read(task / "instruction.md")
    if instruction is None:
        raise UsageError(f"{task} has no instruction.md; a task of several steps is not read")
    sources, references = (_documents(task / folder) for folder in _DOCUMENT_FOLDERS)
    named = sorted({name for name in _named_artifacts(config) if name not in sources} | {name for name in references if name not in sources})
    if not sources and not named:
        raise UsageError(f"{task} holds no document that docops opens, and names none")
    files: dict[str, bytes] = {"instruction.md": instruction}
    artifacts = []
    for output in [*sorted(sources), *named]:
        artifact: dict[str, Any] = {"output": output}
        for key, found in (("source", sources), ("reference", references)):
            if output in found:
                artifact[key] = f"{key}/{output}"
                files[artifact[key]] = found[output]
        artifacts.append(artifact)
    metadata, lines = _metadata(task, config, artifacts)
    files[METADATA] = (json.dumps(metadata, indent=2, ensure_ascii=False) + "\n").encode()
    files["verifier.toml"] = _verifier([artifact["output"] for artifact in artifacts]).encode()
    files |= {f"skills/{name}": data for name, data in _files(_skills_folder(task))}
    return files, [f"{metadata['task_id']}: a skeleton of {len(files)} files", *lines]


def _config(task: Path) -> dict[str, Any]:
    try:
        return tomllib.loads((task / "task.toml").read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(f"{task / 'task.toml'}: {error}") from error


def _table(config: Mapping[str, Any], *names: str) -> Mapping[str, Any]:
    """A table inside others; an empty one where something else is there."""
    found: Any = config
    for name in names:
        found = found.get(name) if isinstance(found, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def _read(path: Path) -> bytes | None:
    """The bytes of a regular file of moderate size, or None."""
    try:
        return path.read_bytes() if path.is_file() and path.stat().st_size <= DEFAULT_LIMITS.file_bytes else None
    except OSError:
        return None


def _files(root: Path) -> Iterator[tuple[str, bytes]]:
    """Path and bytes of the files below a folder, sorted; links that lead out of it are not followed."""
    real = root.resolve()
    for count, path in enumerate(sorted(root.rglob("*"))):
        if count >= MAX_FILES:
            raise UsageError(f"{root} holds more than {MAX_FILES} files")
        data = _read(path) if path.resolve().is_relative_to(real) else None
        if data is not None:
            yield path.relative_to(root).as_posix(), data


def _skills_folder(task: Path) -> Path:
    return task / "environment" / "skills"


def _documents(folder: Path) -> dict[str, bytes]:
    """Output name → bytes of the documents of a folder: file names, and whole paths where two files have one name."""
    found = [(path, data) for path, data in _files(folder) if not path.startswith("skills/") and _legal(path)]
    names = [path.rpartition("/")[2].casefold() for path, _ in found]
    return {path if names.count(name) > 1 else path.rpartition("/")[2]: data for (path, data), name in zip(found, names, strict=True)}


def _legal(path: str) -> bool:
    """Whether a file can be an artifact: a document with a plain path."""
    try:
        check_relative(path)
    except PathProblem:
        return False
    return "#" not in path and bool(format_name_of(path))


def _named_artifacts(config: Mapping[str, Any]) -> Iterator[str]:
    """File names of the documents that the task's artifacts name."""
    entries = config.get("artifacts")
    for entry in entries if isinstance(entries, list) else []:
        source = entry.get("source") if isinstance(entry, Mapping) else entry
        name = source.rpartition("/")[2] if isinstance(source, str) else ""
        if name and _legal(name):
            yield name


def _metadata(task: Path, config: Mapping[str, Any], artifacts: list[dict[str, Any]]) -> tuple[dict[str, Any], list[str]]:
    """The metadata, and a line for each thing in it that was guessed."""
    head, ours, free = _table(config, "task"), _table(config, "metadata", "docops"), _table(config, "metadata")
    name = head.get("name") if isinstance(head.get("name"), str) else task.resolve().name
    words = re.findall(r"[A-Za-z0-9_]+", str(name).rpartition("/")[2])
    lines = ["verifier.toml asks only whether the outputs are there: write what the task asks, then run docops lint"]
    level = next((table["level"] for table in (ours, free) if table.get("level") in get_args(Level)), None)
    if level is None:
        level = "L1" if len(artifacts) == 1 else "L4"
        lines.append(f"level {level} is a guess from the number of documents")
    operations = [item for table in (ours, free) for item in _list(table.get("operations")) if item in get_args(Operation)]
    if not operations:
        operations = ["C2"] if any("source" in artifact for artifact in artifacts) else ["C3"]
        lines.append(f"operation {operations[0]} is a guess")
    if any("source" in artifact for artifact in artifacts):
        lines.append("edit_scope is empty: nothing of a document with a source may change yet")
    lines += [f"{artifact['output']} has no reference" for artifact in artifacts if "reference" not in artifact]
    title = head.get("description") if isinstance(head.get("description"), str) else ""
    metadata: dict[str, Any] = {
        "schema": "docops.task/1",
        "task_id": "-".join(words) or "task",
        "title": str(title),
        "level": level,
        "operations": list(dict.fromkeys(operations)),
        "domain": next((text for table in (ours, free) for text in (table.get("domain"), table.get("category")) if isinstance(text, str)), ""),
        "instruction": "instruction.md",
        "artifacts": artifacts,
        "edit_scope": {},
        "verifier": "verifier.toml",
        "provenance": f"Harbor task {name}",
    }
    return metadata, lines


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _verifier(outputs: list[str]) -> str:
    lines = ['schema = "docops.verifier/1"', 'aggregate = "all"']
    for number, output in enumerate(outputs, 1):
        lines += ["", "[[criteria]]", f'id = "files.{number}"', 'predicate = "file.exists"', f"at = {json.dumps(output, ensure_ascii=False)}"]
    return "\n".join(lines) + "\n"
