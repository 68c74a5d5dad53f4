"""A bundle from a before and an after: `docops new`."""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docops.bundle import load_bundle
from docops.core.address import parse_address
from docops.core.codes import Aspect, Outcome
from docops.core.compare import Change, ChangeKind
from docops.core.errors import DocopsError, UsageError
from docops.core.verdict import CriterionResult
from docops.differences import diff_documents
from docops.drafting.questions import Question, edits_of, questions_of
from docops.drafting.scope import Allowed, draft_scope
from docops.drafting.xlsx import SHOWN
from docops.engine import open_document
from docops.files import open_path, read_path
from docops.operators.samples import blank_document, blank_pdf, blank_presentation, blank_workbook
from docops.registry import format_name_of
from docops.stressing.harm import covers
from docops.warm import Verifier

_MOST_QUESTIONS = 60


class NothingDiffers(DocopsError):
    """Before and after are the same: there is no task in that."""


@dataclass(frozen=True, slots=True)
class Draft:
    """What a drafted bundle holds, for a person.

    scope: entries of the edit scope by artifact.   made: documents that are made from nothing.   inputs: files that must not change.
    questions: title and predicate of each criterion.
    unasked: places that may change and that no question looks at.
    """

    folder: Path
    task_id: str
    scope: Mapping[str, tuple[str, ...]]
    made: tuple[str, ...]
    inputs: tuple[str, ...]
    questions: tuple[tuple[str, str], ...]
    unasked: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Artifact:
    """One file of the task; without a source it is made from nothing, without a reference it is an input."""

    output: str
    source: bytes | None
    reference: bytes | None
    changes: tuple[Change, ...] = ()
    scope: tuple[Allowed, ...] = ()
    questions: tuple[Question, ...] = ()

    @property
    def entry(self) -> dict[str, Any]:
        """The artifact as `task_metadata.json` has it."""
        found: dict[str, Any] = {"output": self.output}
        if self.source is not None:
            found["source"] = f"source/{self.output}"
        return found | ({"read_only": True} if self.reference is None else {"reference": f"reference/{self.output}"})

    @property
    def edited(self) -> bool:
        """Whether it is there before and after, and not the same."""
        return self.source is not None and self.reference is not None


def draft_bundle(source: Path, reference: Path, out: Path, *, task_id: str = "", title: str = "") -> Draft:
    """Write a bundle whose task is to make the reference of the source.

    source, reference: a document each, or a folder each: documents are taken by their names, one that only the reference has is made
    from nothing, and a file that only the source has, or that is the same in both, is an input.
    Raises Unreadable where a document cannot be read, NothingDiffers where nothing changed, UsageError for everything else.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UsageError(f"{out} is there already and not empty")
    artifacts = [_artifact(*pair) for pair in _pairs(source, reference)]
    if all(artifact.reference is None for artifact in artifacts):
        raise NothingDiffers("source and reference do not differ; there is no task in that")
    metadata = _metadata(artifacts, task_id, title or _title(artifacts))
    with tempfile.TemporaryDirectory(prefix="docops-new-") as folder:
        place = Path(folder, "bundle")
        for artifact in artifacts:
            for role, data in (("source", artifact.source), ("reference", artifact.reference)):
                if data is None:
                    continue
                path = place / role / artifact.output
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
        kept = _kept(place, artifacts, metadata)
        unasked = _unasked(artifacts, kept)
        _write(place, metadata, kept, unasked)
        load_bundle(place)
        try:
            shutil.copytree(place, out, dirs_exist_ok=True)
        except OSError as error:
            raise UsageError(f"{out}: cannot be written: {error.strerror or type(error).__name__}") from error
    scope = {artifact.output: tuple(entry.at for entry in artifact.scope) for artifact in artifacts if artifact.edited}
    made = tuple(artifact.output for artifact in artifacts if artifact.source is None)
    inputs = tuple(artifact.output for artifact in artifacts if artifact.reference is None)
    asked = tuple((question.title, question.predicate) for question, _ in kept)
    return Draft(out, metadata["task_id"], scope, made, inputs, asked, tuple(unasked))


def _pairs(source: Path, reference: Path) -> Iterator[tuple[str, Path | None, Path | None]]:
    if not source.is_dir() and not reference.is_dir():
        yield reference.name, source, reference
        return
    if not (source.is_dir() and reference.is_dir()):
        raise UsageError("source and reference are two documents, or two folders of documents with the same names")
    before, after = ({path.name: path for path in folder.iterdir() if path.is_file() and path.name[0] not in ".~"} for folder in (source, reference))
    if not any(format_name_of(name) for name in after):
        raise UsageError("the folder of references holds no document")
    for name in sorted(before.keys() | after.keys()):
        if name in before or format_name_of(name):
            yield name, before.get(name), after.get(name) if format_name_of(name) else None


def _artifact(output: str, source: Path | None, reference: Path | None) -> _Artifact:
    data = read_path(source) if source is not None else None
    if reference is None:
        return _Artifact(output, data, None)
    after = open_path(reference)
    before = open_path(source) if source is not None else open_document(_BLANK[after.format](), output)
    changes = tuple(diff_documents(before, after))
    if source is not None and not changes:
        return _Artifact(output, data, None)
    scope = tuple(draft_scope(before, after)) if source is not None else ()
    return _Artifact(output, data, read_path(reference), changes, scope, tuple(questions_of(output, edits_of(changes, after), before, after)))


#: What a document that is made from nothing is told apart from.
_BLANK = {"xlsx": blank_workbook, "docx": blank_document, "pptx": blank_presentation, "pdf": blank_pdf}


# Questions that tell the two apart


def _kept(place: Path, artifacts: Sequence[_Artifact], metadata: dict[str, Any]) -> list[tuple[Question, Mapping[str, Any]]]:
    """The questions that the reference answers and the source does not, each with the first parameters that do."""
    questions = list({(q.predicate, q.at, json.dumps(q.choices, default=str)): q for artifact in artifacts for q in artifact.questions}.values())
    shown = _shown(place, metadata, artifacts, [question for question in questions if any(SHOWN in choice.values() for choice in question.choices)])
    references = {artifact.output: artifact.reference for artifact in artifacts if artifact.reference is not None}
    sources = {artifact.output: artifact.source for artifact in artifacts if artifact.source is not None}
    kept: dict[int, tuple[Question, Mapping[str, Any]]] = {}
    for turn in range(max((len(question.choices) for question in questions), default=0)):
        asked: list[tuple[Question, Mapping[str, Any]]] = []
        for question in questions:
            if id(question) in kept or turn >= len(question.choices):
                continue
            choice = question.choices[turn]
            filled = {name: shown.get(question.at) if value == SHOWN else value for name, value in choice.items()}
            if None not in filled.values() and _legal(place, metadata, question, filled):
                asked.append((question, _with_tolerance(filled) if SHOWN in choice.values() else filled))
        if not asked:
            continue
        right, wrong = (_results(place, metadata, asked, files) for files in (references, sources))
        for pair, good, bad in zip(asked, right, wrong, strict=True):
            if good.outcome is Outcome.PASSED and bad.outcome is Outcome.FAILED:
                kept[id(pair[0])] = pair
    ordered = [kept[id(question)] for question in questions if id(question) in kept]
    return _without_echoes(ordered)[:_MOST_QUESTIONS]


def _without_echoes(kept: Sequence[tuple[Question, Mapping[str, Any]]]) -> list[tuple[Question, Mapping[str, Any]]]:
    """Without wording that a question about structure asks for already, in the same artifact."""
    structural = [(question.at.partition("#")[0], json.dumps(choice, ensure_ascii=False)) for question, choice in kept if not _is_wording(question)]
    return [
        (question, choice)
        for question, choice in kept
        if not _is_wording(question)
        or not any(artifact == question.at.partition("#")[0] and json.dumps(choice.get("text"), ensure_ascii=False)[1:-1] in text for artifact, text in structural)
    ]


def _is_wording(question: Question) -> bool:
    return question.predicate == "anchor.contains"


def _shown(place: Path, metadata: dict[str, Any], artifacts: Sequence[_Artifact], questions: Sequence[Question]) -> dict[str, Any]:
    """Address of a cell → what a reader of the reference sees in it, found by asking for something that is in none."""
    cells = list(dict.fromkeys(question.at for question in questions))
    if not cells:
        return {}
    probes: list[tuple[Question, Mapping[str, Any]]] = [(Question("", "xlsx.cell", at), {"equals": SHOWN}) for at in cells]
    results = _results(place, metadata, probes, {artifact.output: artifact.reference for artifact in artifacts if artifact.reference is not None})
    return {at: result.findings[0].observed for at, result in zip(cells, results, strict=True) if result.outcome is Outcome.FAILED and result.findings}


def _with_tolerance(choice: Mapping[str, Any]) -> Mapping[str, Any]:
    value = choice.get("equals")
    return {**choice, "tolerance": 0.005} if isinstance(value, float) and not value.is_integer() else choice


def _legal(place: Path, metadata: dict[str, Any], question: Question, choice: Mapping[str, Any]) -> bool:
    """Whether a bundle with this question alone is valid."""
    try:
        _write(place, metadata, [(question, choice)], ())
        load_bundle(place)
    except DocopsError:
        return False
    return True


def _results(
    place: Path, metadata: dict[str, Any], asked: Sequence[tuple[Question, Mapping[str, Any]]], files: Mapping[str, bytes]
) -> Sequence[CriterionResult]:
    _write(place, metadata, asked, ())
    return Verifier(place).verify(files).criteria[: len(asked)]


def _unasked(artifacts: Sequence[_Artifact], kept: Sequence[tuple[Question, Mapping[str, Any]]]) -> list[str]:
    """Places of the edit scope that no question names; one about a whole artifact may mean any of its places."""
    named = [question.at for question, _ in kept]
    whole = {at for at in named if "#" not in at}
    places = [f"{artifact.output}#{entry.at}" for artifact in artifacts for entry in artifact.scope]
    return [place for place in places if place.partition("#")[0] not in whole and not any(_overlap(place, at) for at in named)]


def _overlap(one: str, other: str) -> bool:
    first, second = parse_address(one), parse_address(other)
    same = first.artifact == second.artifact
    return same and (covers(first.segments, second.segments) or covers(second.segments, first.segments))


# Files

_OPERATIONS = {
    Aspect.TEXT: "C2",
    Aspect.VALUE: "C2",
    Aspect.FORMULA: "C4",
    Aspect.FORMAT: "F1",
    Aspect.GEOMETRY: "F3",
    Aspect.LAYOUT: "F3",
    Aspect.THEME: "F4",
    Aspect.ORDER: "S2",
    Aspect.FORM: "S4",
}


def _operations(changes: Sequence[Change]) -> list[str]:
    found = set()
    for change in changes:
        if change.place and not change.address.rpartition("/")[2].startswith(("cell[", "run[")):
            found.add("S2" if change.kind is ChangeKind.MOVED else "S1")
        elif change.name == "heading level":
            found.add("S3")
        elif not (change.aspect is Aspect.FORMAT and change.name == "text"):
            found.add(_OPERATIONS.get(change.aspect, "C2"))
    return sorted(found) or ["C2"]


def _title(artifacts: Sequence[_Artifact]) -> str:
    edited = [artifact.output for artifact in artifacts if artifact.edited]
    made = [artifact.output for artifact in artifacts if artifact.source is None]
    return " and ".join(f"{verb} {', '.join(names)}" for verb, names in (("Edit", edited), ("write", made)) if names).capitalize()


def _metadata(artifacts: Sequence[_Artifact], task_id: str, title: str) -> dict[str, Any]:
    wanted = [artifact for artifact in artifacts if artifact.reference is not None]
    operations = sorted({name for artifact in wanted for name in (_operations(artifact.changes) if artifact.edited else ["C3"])})
    entries = sum(len(artifact.scope) for artifact in artifacts)
    level = "L4" if len(artifacts) > 1 else "L2" if entries > 1 else "L1"
    kind = format_name_of(wanted[0].output) if len(artifacts) == 1 else "pack"
    stem = re.sub(r"[^A-Za-z0-9]+", "-", Path(wanted[0].output).stem.encode("ascii", "ignore").decode()).strip("-").lower() or "task"
    return {
        "schema": "docops.task/1",
        "task_id": task_id or f"{kind}-{level.lower()}-{operations[0].lower()}-{stem}",
        "title": title,
        "instruction": "instruction.md",
        "level": level,
        "operations": operations,
        "artifacts": [artifact.entry for artifact in [*wanted, *(artifact for artifact in artifacts if artifact.reference is None)]],
        "required_operations": [],
        "edit_scope": {artifact.output: [entry.written for entry in artifact.scope] for artifact in wanted if artifact.edited},
        "preserve": {artifact.output: {"profile": "native", "except": []} for artifact in wanted if artifact.edited},
        "verifier": "verifier.toml",
        "provenance": "drafted by docops new",
    }


def _write(place: Path, metadata: Mapping[str, Any], asked: Sequence[tuple[Question, Mapping[str, Any]]], unasked: Sequence[str]) -> None:
    titles = list(dict.fromkeys(question.title for question, _ in asked if question.title))
    whole = {**metadata, "required_operations": titles}
    (place / "task_metadata.json").write_text(json.dumps(whole, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    lines = "".join(f"- {title}\n" for title in titles)
    text = f"{metadata['title']}.\n\nDrafted from what the reference has and the source has not; put it into the words of a task.\n\n{lines}"
    (place / "instruction.md").write_text(text, encoding="utf-8")
    (place / "verifier.toml").write_text(_verifier(asked, unasked, metadata["artifacts"][0]["output"]), encoding="utf-8")


def _verifier(asked: Sequence[tuple[Question, Mapping[str, Any]]], unasked: Sequence[str], output: str) -> str:
    blocks = ['schema = "docops.verifier/1"\naggregate = "all"\n']
    if unasked:
        blocks.append("".join(f"# No question looks at {place}\n" for place in unasked))
    for number, (question, choice) in enumerate(asked, start=1):
        slug = question.predicate.rpartition(".")[2].replace("_", "-")
        values: dict[str, Any] = {"id": f"asked.{slug}-{number}", "title": question.title, "predicate": question.predicate, "at": question.at, **choice}
        blocks.append("[[criteria]]\n" + "".join(f"{name} = {toml(value)}\n" for name, value in values.items() ))
    if not asked:
        blocks.append(f'# Nothing that docops can ask tells the two apart; ask it here.\n[[criteria]]\nid = "asked.there"\npredicate = "file.exists"\nat = {toml(output)}\n')
    return "\n".join(blocks)


def toml(value: Any) -> str:
    """A value in TOML on one line; its basic strings are those of JSON, but for the delete character."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{json.dumps(key)} = {toml(item)}" for key, item in value.items()) + " }"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(toml, value)) + "]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")
