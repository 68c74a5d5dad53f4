"""Task bundles: `task_metadata.json` and all that it names, parsed, then validated, every problem reported together."""

from __future__ import annotations

import hashlib
import os
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docops.core.canonical import digest
from docops.core.codes import Aspect
from docops.core.compare import ALLOW_ALL, Allow
from docops.core.errors import BundleError, Problem
from docops.families.preservation import Preserve, ScopeEntry
from docops.paths import PathProblem, check_relative, file_inside
from docops.reading import read_json, read_text
from docops.registry import format_name_of
from docops.shape import check_shape, child, near, show
from docops.verifier import Reader, VerifierSpec, parse_place, read_verifier

if TYPE_CHECKING:
    from docops.core.address import Address

METADATA = "task_metadata.json"


@dataclass(frozen=True, slots=True)
class ArtifactSpec:
    """One declared artifact.

    output: its name, relative to the output folder, with `/`.
    source, reference: paths of its files relative to the bundle, or None.
    read_only: an input that must come back untouched if it comes back, and may stay away.
    format: name of its format, "" for files that docops does not open (they are compared by their bytes).
    scope, preserve: what may change, and how strictly the rest is kept.
    """

    output: str
    source: str | None
    reference: str | None
    read_only: bool
    format: str
    scope: tuple[ScopeEntry, ...]
    preserve: Preserve


@dataclass(frozen=True, slots=True)
class Bundle:
    """A task on documents, valid as a whole.

    root: its folder.   instruction: the text of the task.
    forbid_extra_files: files that no artifact declares fail the verdict.
    digest: SHA-256 over everything that the verdict depends on (metadata, instruction, verifiers, sources, references).
    """

    root: Path
    task_id: str
    title: str
    instruction: str
    level: str
    operations: tuple[str, ...]
    domain: str
    language: str
    artifacts: tuple[ArtifactSpec, ...]
    required_operations: tuple[str, ...]
    verifier: VerifierSpec
    forbid_extra_files: bool
    provenance: str
    licence: str
    digest: str

    def artifact(self, output: str) -> ArtifactSpec:
        """The artifact of that output name.

        Raises KeyError where none is declared.
        """
        for artifact in self.artifacts:
            if artifact.output == output:
                return artifact
        raise KeyError(output)


def registry_hint(folder: Path) -> str:
    """What to add to the message that a folder is no bundle, where it is a task registry of PPT-Eval; else ""."""
    return "; of a PPT-Eval registry, `docops import ppteval` makes bundles" if (folder / "tasks.json").is_file() else ""


def load_bundle(folder: str | os.PathLike[str]) -> Bundle:
    """The bundle in a folder.

    Raises BundleError with everything that is wrong with it.
    """
    from docops.schemas import ID_PATTERN, task_schema

    root = Path(folder)
    problems: list[Problem] = []
    try:
        path = file_inside(root, METADATA)
    except PathProblem as error:
        raise BundleError([Problem(METADATA, "$", f"{error}{registry_hint(root)}" if root.is_dir() else "there is no such bundle folder")]) from None
    raw = read_json(path, METADATA, problems)
    if raw is None:
        raise BundleError(problems)
    problems += [Problem(METADATA, where, message) for where, message in check_shape(task_schema(), raw)]
    files = _Files(root, problems)
    instruction_path = files.check(raw.get("instruction"), "$.instruction")
    instruction = read_text(instruction_path, raw["instruction"], problems) if instruction_path else None
    outputs = _read_outputs(raw, problems)
    artifacts = [
        _read_artifact(entry, index, raw, outputs, files)
        for index, entry in enumerate(raw["artifacts"] if isinstance(raw.get("artifacts"), list) else [])
        if isinstance(entry, Mapping)
    ]
    _check_keys(raw, outputs, problems)
    verifier_path = files.check(raw.get("verifier"), "$.verifier")
    rubrics: list[str] = []

    def rubric_file(name: str) -> Path | None:
        rubrics.append(name)
        return files.check(name, f"{raw['verifier']}: $.rubric")

    verifier = read_verifier(verifier_path, raw["verifier"], outputs, problems, rubric_file) if verifier_path else None
    if not rubrics:
        pattern = {"type": "string", "pattern": ID_PATTERN}
        task_id = raw.get("task_id")
        if not any(problem.path == "$.task_id" for problem in problems) and isinstance(task_id, str):
            problems += [Problem(METADATA, "$.task_id", message) for _, message in check_shape(pattern, task_id)]
    _check_repeats(raw, problems)
    if problems or verifier is None or instruction is None:
        raise BundleError(problems)
    return Bundle(
        root=root,
        task_id=raw["task_id"],
        title=raw.get("title", ""),
        instruction=instruction,
        level=raw["level"],
        operations=tuple(raw["operations"]),
        domain=raw.get("domain", ""),
        language=raw.get("language", ""),
        artifacts=tuple(artifact for artifact in artifacts if artifact is not None),
        required_operations=tuple(raw.get("required_operations", ())),
        verifier=verifier,
        forbid_extra_files=raw.get("extra_files") == "forbid",
        provenance=raw.get("provenance", ""),
        licence=raw.get("licence", ""),
        digest=files.digest(verifier),
    )


class _Files:
    """The files that a bundle names; each is checked once and goes into the digest."""

    def __init__(self, root: Path, problems: list[Problem]) -> None:
        self.root = root
        self.problems = problems
        self.found: dict[str, Path] = {METADATA: root / METADATA}

    def check(self, text: Any, path: str) -> Path | None:
        """The file that the metadata names at `path`, or None with a problem; None for what is no text."""
        if not isinstance(text, str) or not text:
            return None
        try:
            found = file_inside(self.root, text)
        except PathProblem as error:
            self.problems.append(Problem(METADATA, path, str(error)))
            return None
        self.found[text] = found
        return found

    def digest(self, verifier: VerifierSpec) -> str:
        """Digest over the bytes of all files and of the reusable verifiers."""
        sums = {}
        for name, path in self.found.items():
            try:
                with path.open("rb") as stream:
                    sums[name] = hashlib.file_digest(stream, "sha256").hexdigest()
            except OSError as error:
                raise BundleError([Problem(name, "$", f"cannot be read: {error.strerror or type(error).__name__}")]) from error
        return digest({"files": sums, "verifiers": dict(verifier.used)})


def _read_outputs(raw: Mapping[str, Any], problems: list[Problem]) -> dict[str, str]:
    """Output name → format of every artifact whose output is legal and not there twice."""
    outputs: dict[str, str] = {}
    folded: dict[str, str] = {}
    entries = raw.get("artifacts")
    for index, entry in enumerate(entries if isinstance(entries, list) else []):
        output = entry.get("output") if isinstance(entry, Mapping) else None
        if not isinstance(output, str) or not output:
            continue
        where = f"$.artifacts[{index}].output"
        try:
            check_relative(output)
        except PathProblem as error:
            problems.append(Problem(METADATA, where, str(error)))
            continue
        name = unicodedata.normalize("NFC", output).casefold()
        if name in folded:
            problems.append(Problem(METADATA, where, f"{show(output)} is the output of {folded[name]} already"))
            continue
        nested = next((other for other in folded if name.startswith(f"{other}/") or other.startswith(f"{name}/")), None)
        if nested is not None:
            problems.append(Problem(METADATA, where, f"{show(output)} and the output of {folded[nested]} cannot both be there: one is a folder of the other"))
            continue
        if "#" in output:
            problems.append(Problem(METADATA, where, f"{show(output)} holds '#', which separates an artifact from a place in it"))
            continue
        folded[name] = f"$.artifacts[{index}]"
        outputs[output] = format_name_of(output)
    return outputs


def _read_artifact(entry: Mapping[str, Any], index: int, raw: Mapping[str, Any], outputs: Mapping[str, str], files: _Files) -> ArtifactSpec | None:
    where = f"$.artifacts[{index}]"
    output, source, reference = entry.get("output"), entry.get("source"), entry.get("reference")
    files.check(source, f"{where}.source")
    files.check(reference, f"{where}.reference")
    read_only = entry.get("read_only") is True
    if read_only and source is None:
        files.problems.append(Problem(METADATA, f"{where}.read_only", "only an artifact with a source can be read-only"))
    if not isinstance(output, str) or output not in outputs:
        return None
    name = outputs[output]
    for key, text in (("source", source), ("reference", reference)):
        if isinstance(text, str) and format_name_of(text) != name:
            message = f"{show(text)} is {format_name_of(text) or 'of no format docops opens'}, and {show(output)} is {name or 'of no such format'}"
            files.problems.append(Problem(METADATA, f"{where}.{key}", message))
    scope = _read_scope(raw.get("edit_scope"), output, outputs, files.problems)
    if read_only and scope:
        files.problems.append(Problem(METADATA, child("$.edit_scope", output), "the artifact is read-only"))
    return ArtifactSpec(
        output=output,
        source=source if isinstance(source, str) else None,
        reference=reference if isinstance(reference, str) else None,
        read_only=read_only,
        format=name,
        scope=tuple(scope),
        preserve=_read_preserve(raw.get("preserve"), output, outputs, files.problems),
    )


def _place(text: Any, where: str, output: str, outputs: Mapping[str, str], problems: list[Problem]) -> Address | None:
    """A place of one artifact, named without it or with it."""
    if not isinstance(text, str) or not text:
        return None
    address = parse_place(text, where, outputs, output, Reader(METADATA, outputs, problems))
    if address is not None and address.artifact != output:
        problems.append(Problem(METADATA, where, f"{show(text)} is a place of {show(address.artifact)}, not of {show(output)}"))
        return None
    return address


def _read_scope(value: Any, output: str, outputs: Mapping[str, str], problems: list[Problem]) -> list[ScopeEntry]:
    entries = value.get(output) if isinstance(value, Mapping) else None
    scope = []
    for index, entry in enumerate(entries if isinstance(entries, list) else []):
        where = f"{child('$.edit_scope', output)}[{index}]"
        if isinstance(entry, Mapping):
            address = _place(entry.get("at"), f"{where}.at", output, outputs, problems)
            allowed = entry.get("allow")
            names = [name for name in allowed if isinstance(name, str) and name in set(Allow)] if isinstance(allowed, list) else []
            if address is not None:
                scope.append(ScopeEntry(address, frozenset(map(Allow, names))))
        else:
            address = _place(entry, where, output, outputs, problems)
            if address is not None:
                scope.append(ScopeEntry(address, ALLOW_ALL))
    return scope


def _read_preserve(value: Any, output: str, outputs: Mapping[str, str], problems: list[Problem]) -> Preserve:
    entry = value.get(output) if isinstance(value, Mapping) else None
    if not isinstance(entry, Mapping):
        return Preserve()
    aspects: set[Aspect] = set()
    places: list[Address] = []
    excepted = entry.get("except")
    for index, text in enumerate(excepted if isinstance(excepted, list) else []):
        if isinstance(text, str) and text in set(Aspect):
            aspects.add(Aspect(text))
            continue
        where = f"{child('$.preserve', output)}.except[{index}]"
        before = len(problems)
        address = _place(text, where, output, outputs, problems)
        if address is not None:
            places.append(address)
        elif isinstance(text, str) and text.isidentifier() and len(problems) > before:
            del problems[before:]
            legal = [str(aspect) for aspect in Aspect]
            problems.append(Problem(METADATA, where, f"{show(text)} is neither an aspect nor a kind of place{near(text, legal)}"))
    profile = entry.get("profile", "native")
    return Preserve(profile if isinstance(profile, str) else "native", frozenset(aspects), tuple(places))


def _check_keys(raw: Mapping[str, Any], outputs: Mapping[str, str], problems: list[Problem]) -> None:
    """The keys of `edit_scope` and `preserve` are declared outputs."""
    for section in ("edit_scope", "preserve"):
        value = raw.get(section)
        for key in value if isinstance(value, Mapping) else ():
            if key not in outputs:
                known = near(key, list(outputs)) or f"; known: {', '.join(outputs) or 'none'}"
                problems.append(Problem(METADATA, child(f"$.{section}", key), f"{show(key)} is no output of an artifact{known}"))


def _check_repeats(raw: Mapping[str, Any], problems: list[Problem]) -> None:
    operations = raw.get("operations")
    if isinstance(operations, list):
        for index, operation in enumerate(operations):
            if operation in operations[:index]:
                problems.append(Problem(METADATA, f"$.operations[{index}]", f"{show(operation)} is there twice"))
