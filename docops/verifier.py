"""Verifiers: a tree of groups and criteria, read from `verifier.toml` and checked against the predicates it names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docops.core.address import Address, parse_address
from docops.core.codes import Aspect
from docops.core.errors import AddressError, BundleError, Problem, UsageError
from docops.paths import PathProblem, check_relative
from docops.reading import read_toml
from docops.registry import RESERVED, PluginError, format_name_of, format_named, predicate_named
from docops.shape import check_shape, child, near, show

if TYPE_CHECKING:
    from docops.catalogue import Reusable
    from docops.core.predicate import Predicate
    from docops.rubrics.tree import Rubric

#: Id of the implied criterion that no file is there which nobody declared.
EXTRA_FILES = "extra-files"

#: Artifact's name → its format ("" where docops opens no such file).
Artifacts = Mapping[str, str]


class Aggregate(StrEnum):
    """How the results of criteria make the score."""

    ALL = "all"
    PPTEVAL = "ppteval"
    MIND2WEB2 = "mind2web2"
    WEIGHTED = "weighted"


@dataclass(frozen=True, slots=True)
class GroupSpec:
    """One inner node of the tree (a dimension, an item).

    id: dotted path from the top.   declared: written in the verifier, not only implied by an id below it.
    """

    id: str
    title: str = ""
    critical: bool = False
    weight: float = 1.0
    declared: bool = False


@dataclass(frozen=True, slots=True)
class GateSpec:
    """A compliance gate: where one of the criteria or groups `of` does not hold, the total is multiplied by `multiply`."""

    id: str
    of: tuple[str, ...]
    title: str = ""
    multiply: float = 0.0


@dataclass(frozen=True, slots=True)
class CriterionSpec:
    """One leaf: a predicate with its parameters.

    arguments: by the names that the predicate's function takes; JSON values; addresses have their artifact.
    artifact: name of the artifact that `at` is in, "" where the predicate has no `at`.
    reason: why it is asked.   source: where it is asked (a line of the instruction, a standard).
    """

    id: str
    predicate: Predicate
    arguments: Mapping[str, Any]
    artifact: str = ""
    title: str = ""
    critical: bool = False
    weight: float = 1.0
    reason: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True)
class VerifierSpec:
    """A verifier: groups sorted by id, criteria as written, those of reusable verifiers after the others.

    used: name of each reusable verifier → digest of its file.   penalty: λ of `ppteval`.
    rubric: a rubric of PPT-Eval, whose leaves are the criteria; its code runs only where that is allowed.
    """

    aggregate: Aggregate
    groups: tuple[GroupSpec, ...]
    criteria: tuple[CriterionSpec, ...]
    used: Mapping[str, str] = field(default_factory=dict)
    gates: tuple[GateSpec, ...] = ()
    penalty: float = 0.3
    rubric: Rubric | None = None


@dataclass(slots=True)
class Reader:
    """One verifier being read: where problems go, and what is known of the artifacts."""

    file: str
    artifacts: Artifacts
    problems: list[Problem]

    def report(self, path: str, message: str) -> None:
        """Note a problem."""
        self.problems.append(Problem(self.file, path, message))

    def report_all(self, found: Iterator[tuple[str, str]]) -> bool:
        """Note all problems; whether there was any."""
        before = len(self.problems)
        self.problems.extend(Problem(self.file, path, message) for path, message in found)
        return len(self.problems) > before


def read_verifier(
    path: Path, file: str, artifacts: Artifacts, problems: list[Problem], rubric_file: Callable[[str], Path | None] | None = None
) -> VerifierSpec | None:
    """The verifier in a TOML file, or None; everything that is wrong is added to `problems`.

    file: how problems name the file.   rubric_file: the file of the bundle that `rubric` names, or None with a problem.
    """
    from docops.schemas import verifier_schema

    raw = read_toml(path, file, problems)
    if raw is None:
        return None
    reader = Reader(file, artifacts, problems)
    before = len(problems)
    reader.report_all(check_shape(verifier_schema(), raw))
    if "rubric" in raw:
        return _read_rubric(raw, reader, before, rubric_file)
    groups: dict[str, GroupSpec] = {}
    for where, group in _read_groups(raw.get("groups"), "", "$.groups", reader):
        if group.id in groups:
            reader.report(where, f"the group {show(group.id)} is there twice")
        groups[group.id] = group
    criteria: list[tuple[str, CriterionSpec]] = []
    for index, entry in enumerate(_tables(raw.get("criteria"))):
        where = f"$.criteria[{index}]"
        criterion = read_criterion(entry, where, reader)
        if criterion is not None:
            criteria.append((where, criterion))
    used: dict[str, str] = {}
    for index, entry in enumerate(_tables(raw.get("use"))):
        _read_use(entry, f"$.use[{index}]", reader, groups, criteria, used)
    if not raw.get("criteria") and not raw.get("use"):
        reader.report("$.criteria", "the verifier names no predicate: it has neither [[criteria]] nor [[use]]")
    _check_ids(raw, criteria, groups, reader)
    every = _with_implied(groups, criteria)
    gates = tuple(_read_gates(raw.get("gates"), {group.id for group in every} | {c.id for _, c in criteria}, reader))
    if len(problems) > before:
        return None
    return VerifierSpec(Aggregate(raw.get("aggregate", "all")), every, tuple(c for _, c in criteria), used, gates, float(raw.get("penalty", 0.3)))


def _read_rubric(raw: Mapping[str, Any], reader: Reader, before: int, rubric_file: Callable[[str], Path | None] | None) -> VerifierSpec | None:
    """The verifier whose tree is a rubric of PPT-Eval."""
    from docops.rubrics.tree import read_rubric

    for key in ("criteria", "use", "groups"):
        if key in raw:
            reader.report(f"$.{key}", "a verifier has a rubric or criteria of its own, not both")
    name = raw["rubric"]
    path = rubric_file(name) if isinstance(name, str) and name and rubric_file is not None else None
    rubric = read_rubric(path, name, reader.problems) if path is not None else None
    if rubric is None:
        return None
    known = {parent.id for parent in rubric.parents} | {leaf.id for leaf in rubric.leaves}
    gates = tuple(_read_gates(raw.get("gates"), known, reader))
    if reader.artifacts and list(reader.artifacts.values()) != ["pptx"]:
        reader.report("$.rubric", "a rubric of PPT-Eval looks at exactly one artifact, a pptx")
    if len(reader.problems) > before:
        return None
    groups = tuple(sorted((GroupSpec(p.id, p.name, p.critical, declared=True) for p in rubric.parents), key=lambda group: group.id))
    return VerifierSpec(Aggregate(raw.get("aggregate", "ppteval")), groups, (), {}, gates, float(raw.get("penalty", 0.3)), rubric)


def _read_gates(value: Any, known: set[str], reader: Reader) -> Iterator[GateSpec]:
    """The gates; each names criteria or groups that are there, and none twice."""
    implied = {f"{kind}:{name}" for kind in ("preserved", "artifact") for name in reader.artifacts} | {EXTRA_FILES}
    seen: dict[str, str] = {}
    for key, body in value.items() if isinstance(value, Mapping) else ():
        where = child("$.gates", key)
        if not _id_is_legal(key):
            reader.report(where, f"{show(key)} is no id: letters, digits, '-' and '_', parts joined by '.'")
        members = body.get("of") if isinstance(body, Mapping) else None
        if not isinstance(members, list):
            continue
        for index, name in enumerate(members):
            if name not in known | implied:
                reader.report(f"{where}.of[{index}]", f"{show(name)} is no criterion and no group{near(str(name), sorted(known | implied))}")
            elif name in seen:
                reader.report(f"{where}.of[{index}]", f"{show(name)} is in the gate {show(seen[name])} already")
            else:
                seen[name] = key
        title, multiply = body.get("title", ""), body.get("multiply", 0.0)
        if isinstance(title, str) and isinstance(multiply, (int, float)):
            yield GateSpec(key, tuple(map(str, members)), title, float(multiply))


def _tables(value: Any) -> list[Mapping[str, Any]]:
    """The tables of a list; anything else was reported by the check of the shape."""
    return [item if isinstance(item, Mapping) else {} for item in value] if isinstance(value, list) else []


def _read_groups(value: Any, prefix: str, path: str, reader: Reader) -> Iterator[tuple[str, GroupSpec]]:
    """Each group with the place where it is written."""
    if not isinstance(value, Mapping):
        return
    for key, body in value.items():
        group_id = f"{prefix}.{key}" if prefix else key
        where = child(path, key)
        if not _id_is_legal(group_id):
            reader.report(where, f"{show(key)} is no id: letters, digits, '-' and '_', parts joined by '.'")
        if not isinstance(body, Mapping):
            continue
        title, critical, weight = body.get("title", ""), body.get("critical", False), body.get("weight", 1.0)
        if isinstance(title, str) and isinstance(critical, bool) and isinstance(weight, (int, float)):
            yield where, GroupSpec(group_id, title, critical, float(weight), declared=True)
        inner = {name: item for name, item in body.items() if name not in ("title", "critical", "weight")}
        yield from _read_groups(inner, group_id, where, reader)


def _id_is_legal(text: str) -> bool:
    from docops.schemas import ID_PATTERN

    return not any(check_shape({"type": "string", "pattern": ID_PATTERN}, text))


# Criteria


def read_criterion(entry: Mapping[str, Any], path: str, reader: Reader) -> CriterionSpec | None:
    """One criterion, or None where something is wrong with it."""
    name = entry.get("predicate")
    if not isinstance(name, str) or not name:
        return None
    try:
        predicate = predicate_named(name)
    except (UsageError, PluginError) as error:
        reader.report(f"{path}.predicate", str(error))
        return None
    from docops.parameters import check_parameters

    given = {key: value for key, value in entry.items() if key not in RESERVED}
    wrong = reader.report_all(check_parameters(predicate.parameters, given, path=path))
    artifact = ""
    if isinstance(given.get("at"), str):
        at = _check_at(predicate, given["at"], f"{path}.at", reader)
        if at is None:
            wrong = True
        else:
            artifact = at.artifact or ""
            given["at"] = str(at) if at.segments else artifact
    if not wrong and name == "graded":
        given["grades"], failed = _read_grades(given["grades"], path, reader)
        wrong |= failed
    for parameter in predicate.parameters:
        if parameter.places and parameter.name in given:
            given[parameter.name], failed = _read_places(given[parameter.name], artifact, child(path, parameter.name), reader)
            wrong |= failed
    arguments = {parameter.argument: given[parameter.name] for parameter in predicate.parameters if parameter.name in given}
    if not wrong and predicate.validate is not None:
        wrong = reader.report_all((path, f"{predicate.name}: {message}") for message in predicate.validate(arguments))
    if wrong or any(check_shape(_head_schema(), entry)):
        return None
    return CriterionSpec(
        id=entry.get("id", ""),
        predicate=predicate,
        arguments=arguments,
        artifact=artifact,
        title=entry.get("title", ""),
        critical=entry.get("critical", False),
        weight=float(entry.get("weight", 1.0)),
        reason=entry.get("reason", ""),
        source=entry.get("source", ""),
    )


def _read_grades(grades: list[Mapping[str, Any]], path: str, reader: Reader) -> tuple[list[dict[str, Any]], bool]:
    """The grades of a `graded` criterion with their addresses filled in, and whether something is wrong with them."""
    out: list[dict[str, Any]] = []
    before = len(reader.problems)
    for index, grade in enumerate(grades):
        where = f"{path}.grades[{index}]"
        name = grade.get("predicate")
        if not isinstance(name, str) or name == "graded":
            reader.report(f"{where}.predicate", "a grade names a predicate other than `graded`")
            continue
        criterion = read_criterion({"id": "grade", **{key: value for key, value in grade.items() if key != "score"}}, where, reader)
        if criterion is not None:
            names = {parameter.argument: parameter.name for parameter in criterion.predicate.parameters}
            out.append(
                {"score": grade.get("score"), "predicate": name, **{names[argument]: value for argument, value in criterion.arguments.items()}}
            )
    return out, len(reader.problems) > before


def _head_schema() -> Mapping[str, Any]:
    from docops.schemas import verifier_schema

    head: Mapping[str, Any] = verifier_schema()["$defs"]["CriterionHead"]
    return head


def _check_at(predicate: Predicate, text: str, path: str, reader: Reader) -> Address | None:
    """The place that a criterion looks at, artifact filled in where it was left out, or None with a problem."""
    if predicate.name.startswith("file."):
        try:
            check_relative(text)
        except PathProblem as error:
            reader.report(path, str(error))
            return None
        return Address(text, ())
    address = parse_place(text, path, reader.artifacts, None, reader)
    if address is None:
        return None
    name = reader.artifacts[address.artifact or ""]
    if predicate.formats and name not in predicate.formats:
        reader.report(
            path, f"{predicate.name} looks at {' and '.join(predicate.formats)}, and {address.artifact} is {name or 'of no format docops opens'}"
        )
        return None
    return address


def _read_places(value: Any, artifact: str, path: str, reader: Reader) -> tuple[Any, bool]:
    """The addresses of another parameter than `at`, artifact filled in, and whether something is wrong with them.

    They are one address, a list, or the values of a table, where "" stands for none. Aspects are left as they are.
    """
    before = len(reader.problems)

    def read(text: Any, where: str) -> Any:
        if not isinstance(text, str) or text in set(Aspect):
            return text
        address = parse_place(text, where, reader.artifacts, artifact or None, reader)
        if address is not None and not reader.artifacts[address.artifact or ""]:
            reader.report(where, f"{show(text)}: docops opens no files of this type, so there is nothing to read in it")
        return text if address is None else str(address) if address.segments else address.artifact or ""

    out: Any
    if isinstance(value, Mapping):
        out = {name: read(text, child(path, name)) if text else text for name, text in value.items()}
    elif isinstance(value, list):
        out = [read(text, child(path, index)) for index, text in enumerate(value)]
    else:
        out = read(value, path)
    return out, len(reader.problems) > before


def parse_place(text: str, path: str, artifacts: Artifacts, default: str | None, reader: Reader) -> Address | None:
    """The address that `text` spells, its artifact filled in, or None with a problem.

    default: the artifact where the text names none; None: the only one there is.
    """
    try:
        address = parse_address(text, artifacts=tuple(artifacts))
    except AddressError as error:
        is_file = "#" not in text and "[" not in text and format_name_of(text)
        reader.report(path, _unknown(text, artifacts) if is_file else str(error))
        return None
    if not address.segments and not address.artifact:
        reader.report(path, "the address is empty")
        return None
    name = address.artifact or default
    if name is None:
        if len(artifacts) != 1:
            reader.report(path, f"{show(text)} names no artifact, and there are {len(artifacts)}: {', '.join(artifacts)}")
            return None
        name = next(iter(artifacts))
    if name not in artifacts:
        reader.report(path, _unknown(name, artifacts))
        return None
    problem = kind_problem(address, artifacts[name])
    if problem:
        reader.report(path, problem)
        return None
    return Address(name, address.segments)


def _unknown(name: str, artifacts: Artifacts) -> str:
    return f"{show(name)} is no output of an artifact{near(name, list(artifacts)) or '; known: ' + ', '.join(artifacts)}"


def kind_problem(address: Address, format_name: str) -> str:
    """What is wrong with the kinds and keys of an address in a document of this format, or ""."""
    if not address.segments:
        return ""
    if not format_name:
        return f"{show(str(address))}: docops opens no files of this type, so there are no places in it"
    document_format = format_named(format_name)
    kinds = document_format.kinds
    for segment in address.segments:
        if segment.kind != "**" and segment.kind not in kinds:
            hint = near(segment.kind, sorted(kinds)) or f"; known: {', '.join(sorted(kinds))}"
            return f"{show(str(address))}: {format_name} has no kind {show(segment.kind)}{hint}"
        problem = document_format.key_problem(segment) if document_format.key_problem is not None else ""
        if problem:
            return f"{show(str(address))}: {segment}: {problem}"
    return ""


# Reusable verifiers


def _read_use(
    entry: Mapping[str, Any],
    path: str,
    reader: Reader,
    groups: dict[str, GroupSpec],
    criteria: list[tuple[str, CriterionSpec]],
    used: dict[str, str],
) -> None:
    """Add the criteria of a reusable verifier under the id of its use."""
    from docops.catalogue import reusable

    name, use_id, given = entry.get("verifier"), entry.get("id"), entry.get("with", {})
    if not isinstance(name, str) or not isinstance(use_id, str) or not isinstance(given, Mapping):
        return
    try:
        template = reusable(name)
    except UsageError as error:
        reader.report(f"{path}.verifier", str(error))
        return
    except BundleError as error:
        reader.problems.extend(error.problems)
        return
    used[name] = template.digest
    filled = fill_template(template, given, path, reader)
    if filled is None:
        return
    for item in filled:
        inner = Reader(reader.file, reader.artifacts, [])
        criterion = read_criterion({**item, "id": f"{use_id}.{item['id']}"}, "$", inner)
        reader.problems.extend(Problem(reader.file, path, f"{name}, {item['id']}, {found.path}: {found.message}") for found in inner.problems)
        if criterion is not None:
            criteria.append((path, criterion))
    if use_id in groups:
        reader.report(f"{path}.id", f"{show(use_id)} is the id of a group already")
        return
    if not any(check_shape(_use_schema(), entry)):
        groups[use_id] = GroupSpec(
            use_id, entry.get("title") or template.title, entry.get("critical", False), float(entry.get("weight", 1.0)), declared=True
        )


def _use_schema() -> Mapping[str, Any]:
    from docops.schemas import verifier_schema

    use: Mapping[str, Any] = verifier_schema()["$defs"]["UseObject"]
    return use


def fill_template(template: Reusable, given: Mapping[str, Any], path: str, reader: Reader) -> list[dict[str, Any]] | None:
    """The criteria of a reusable verifier with its parameters filled in, or None with problems."""
    from docops.catalogue import fill, parameter_problems

    where = f"{path}.with"
    if reader.report_all(parameter_problems(template, given, where)):
        return None
    wrong = False
    for parameter in template.parameters:
        value = given.get(parameter.name)
        if value is None:
            continue
        place = child(where, parameter.name)
        if parameter.type == "artifact" and value not in reader.artifacts:
            reader.report(place, _unknown(value, reader.artifacts))
            wrong = True
        elif parameter.type == "artifact" and reader.artifacts[value] not in template.formats:
            reader.report(
                place, f"{template.name} looks at {' and '.join(template.formats)}, and {value} is {reader.artifacts[value] or 'none of them'}"
            )
            wrong = True
        elif parameter.type == "address":
            wrong |= parse_place(value, place, reader.artifacts, None, reader) is None
    return None if wrong else fill(template, given)


# The tree


def _check_ids(raw: Mapping[str, Any], criteria: list[tuple[str, CriterionSpec]], groups: Mapping[str, GroupSpec], reader: Reader) -> None:
    """Every id once; no criterion where a group is; no group without a criterion."""
    written = [(f"$.criteria[{index}].id", entry.get("id")) for index, entry in enumerate(_tables(raw.get("criteria")))]
    written += [(f"$.use[{index}].id", entry.get("id")) for index, entry in enumerate(_tables(raw.get("use")))]
    seen: dict[str, str] = {}
    for path, criterion_id in written:
        if not isinstance(criterion_id, str):
            continue
        if criterion_id in seen:
            reader.report(path, f"{show(criterion_id)} is the id of {seen[criterion_id]} already")
        if criterion_id == EXTRA_FILES:
            reader.report(path, f"{show(criterion_id)} is the id of what docops asks about undeclared files")
        seen.setdefault(criterion_id, path)
    inner = {ancestor for criterion_id in seen for ancestor in ancestors(criterion_id)}
    uses = [entry.get("id") for entry in _tables(raw.get("use"))]
    for criterion_id, path in seen.items():
        if criterion_id in inner or (criterion_id in groups and criterion_id not in uses):
            reader.report(path, f"{show(criterion_id)} is a group: other ids begin with it or it is declared as one")
    for group_id in groups:
        if group_id not in inner and group_id not in uses:
            reader.report(f"$.groups.{group_id}", "the group has no criterion")


def ancestors(dotted: str) -> list[str]:
    """The ids of all groups that an id is in, outermost first."""
    parts = dotted.split(".")
    return [".".join(parts[:count]) for count in range(1, len(parts))]


def _with_implied(groups: Mapping[str, GroupSpec], criteria: list[tuple[str, CriterionSpec]]) -> tuple[GroupSpec, ...]:
    """The declared groups and those that ids imply, sorted by id."""
    every = dict(groups)
    for dotted in [criterion.id for _, criterion in criteria] + list(groups):
        for group_id in ancestors(dotted):
            every.setdefault(group_id, GroupSpec(group_id))
    return tuple(every[group_id] for group_id in sorted(every))
