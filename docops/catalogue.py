"""What ships with docops as data: reusable verifiers, mutation suites and task bundles.

In a wheel they are inside the package; in a checkout they stand beside our own `pyproject.toml`, which is looked at first,
because a folder named `verifiers` next to an installed package may well be somebody else's.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from docops.core.canonical import sha256
from docops.core.errors import BundleError, DocopsError, Problem, UsageError
from docops.reading import read_toml
from docops.registry import suggestion
from docops.shape import check_shape, child, near, show

DISTRIBUTION = "docops-verifier"

_PLACEHOLDER = re.compile(r"\{([a-z][a-z0-9_]*)\}")

#: Types of template parameters as JSON Schema.
_TYPES: dict[str, dict[str, Any]] = {
    "artifact": {"type": "string", "minLength": 1},
    "address": {"type": "string", "minLength": 1},
    "text": {"type": "string"},
    "number": {"type": "number"},
    "whole number": {"type": "integer"},
    "true or false": {"type": "boolean"},
    "list of text": {"type": "array", "items": {"type": "string"}},
    "list of number": {"type": "array", "items": {"type": "number"}},
    "list of list of text": {"type": "array", "items": {"type": "array", "items": {"type": "string"}}},
    "any": {},
}


class CatalogueMissing(DocopsError):
    """The installation has no catalogue: neither inside the package nor beside it."""


@dataclass(frozen=True, slots=True)
class TemplateParameter:
    """A parameter of a reusable verifier; one that is neither given nor has a default must be optional."""

    name: str
    type: str
    doc: str
    optional: bool
    default: Any


@dataclass(frozen=True, slots=True)
class TemplateExample:
    """A case that shows what a reusable verifier does.

    files, sources: artifact → path in the folder `verifiers`.   finding: a code among the findings, "" for any.
    """

    title: str
    files: Mapping[str, str]
    sources: Mapping[str, str]
    arguments: Mapping[str, Any]
    passes: bool
    finding: str


@dataclass(frozen=True, slots=True)
class Reusable:
    """A reusable verifier: criteria with `{parameter}` where a use fills something in."""

    name: str
    title: str
    doc: str
    formats: tuple[str, ...]
    parameters: tuple[TemplateParameter, ...]
    criteria: tuple[Mapping[str, Any], ...]
    examples: tuple[TemplateExample, ...]
    digest: str


def folder(name: str) -> Path:
    """The folder `verifiers`, `mutations` or `bundles` of this installation.

    Raises CatalogueMissing where there is none.
    """
    package = Path(__file__).resolve().parent
    shipped = package / "_catalogue" / name
    if shipped.is_dir():
        return shipped
    if _is_our_checkout(package.parent) and (package.parent / name).is_dir():
        return package.parent / name
    raise CatalogueMissing(f"this installation of docops has no {name}; install {DISTRIBUTION} again")


def _is_our_checkout(root: Path) -> bool:
    try:
        project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8")).get("project", {})
    except (OSError, ValueError):
        return False
    return isinstance(project, dict) and project.get("name") == DISTRIBUTION


def bundle_folders() -> tuple[Path, ...]:
    """The shipped task bundles, sorted by name."""
    return tuple(sorted(path.parent for path in folder("bundles").glob("*/task_metadata.json")))


def reusable_names() -> tuple[str, ...]:
    """Names of the reusable verifiers, sorted."""
    root = folder("verifiers")
    return tuple(sorted(path.relative_to(root).with_suffix("").as_posix() for path in root.glob("*/*.toml")))


@cache
def reusable(name: str) -> Reusable:
    """The reusable verifier of that name.

    Raises UsageError, with the nearest name, where there is none, and BundleError where its file is invalid.
    """
    known = reusable_names()
    if name not in known:
        raise UsageError(f"there is no reusable verifier {name!r}{suggestion(name, known) or '; known: ' + (', '.join(known) or 'none')}")
    path = folder("verifiers") / f"{name}.toml"
    file = f"verifiers/{name}.toml"
    problems: list[Problem] = []
    raw = read_toml(path, file, problems)
    if raw is not None:
        problems += [Problem(file, where, message) for where, message in _faults(name, raw)]
    if raw is None or problems:
        raise BundleError(problems)
    return _build(raw, sha256(path.read_bytes()))


def _faults(name: str, raw: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    from docops.schemas import reusable_schema

    shape = list(check_shape(reusable_schema(), raw))
    yield from shape
    if shape:
        return
    if raw["name"] != name:
        yield "$.name", f"{show(raw['name'])} is not the file's name, {show(name)}"
    parameters = raw.get("parameters", {})
    for key, parameter in parameters.items():
        if "default" in parameter:
            yield from check_shape(_TYPES[parameter["type"]], parameter["default"], path=f"{child('$.parameters', key)}.default")
    used: set[str] = set()
    for index, criterion in enumerate(raw["criteria"]):
        for placeholder in _placeholders(criterion):
            used.add(placeholder)
            if placeholder not in parameters:
                yield f"$.criteria[{index}]", f"{{{placeholder}}} is no parameter{near(placeholder, list(parameters))}"
    for key in parameters:
        if key not in used:
            yield child("$.parameters", key), "no criterion uses it"
    outcomes = [example["passes"] for example in raw["examples"]]
    if True not in outcomes or False not in outcomes:
        yield "$.examples", "one must pass and one must fail"


def _placeholders(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield from _PLACEHOLDER.findall(value)
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _placeholders(item)
    elif isinstance(value, list):
        for item in value:
            yield from _placeholders(item)


def _build(raw: Mapping[str, Any], digest: str) -> Reusable:
    parameters = tuple(
        TemplateParameter(name, item["type"], item["doc"], item.get("optional", False), item.get("default"))
        for name, item in raw.get("parameters", {}).items()
    )
    examples = tuple(
        TemplateExample(item["title"], item["files"], item.get("sources", {}), item.get("with", {}), item["passes"], item.get("finding", ""))
        for item in raw["examples"]
    )
    return Reusable(
        name=raw["name"],
        title=raw["title"],
        doc=raw["doc"].strip(),
        formats=tuple(raw["formats"]),
        parameters=parameters,
        criteria=tuple(raw["criteria"]),
        examples=examples,
        digest=digest,
    )


def parameter_problems(template: Reusable, given: Mapping[str, Any], path: str) -> Iterator[tuple[str, str]]:
    """(path, message) for every parameter that is unknown, missing or of another type."""
    known = {parameter.name: parameter for parameter in template.parameters}
    for name, value in given.items():
        if name not in known:
            yield child(path, name), f"{template.name} has no parameter {show(name)}{near(name, list(known)) or '; known: ' + ', '.join(known)}"
        else:
            yield from check_shape(_TYPES[known[name].type], value, path=child(path, name))
    for parameter in template.parameters:
        if parameter.name not in given and parameter.default is None and not parameter.optional:
            yield child(path, parameter.name), f"is missing ({parameter.type}: {parameter.doc})"


def fill(template: Reusable, given: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The criteria with the parameters filled in; what an optional parameter would fill is left out with it."""
    values = {parameter.name: given.get(parameter.name, parameter.default) for parameter in template.parameters}
    out = []
    for criterion in template.criteria:
        kept = {key: value for key, value in criterion.items() if all(values[name] is not None for name in _placeholders(value))}
        out.append({key: _substitute(value, values) for key, value in kept.items()})
    return out


def _substitute(value: Any, values: Mapping[str, Any]) -> Any:
    if isinstance(value, str):
        whole = _PLACEHOLDER.fullmatch(value)
        if whole:
            return values[whole.group(1)]
        return _PLACEHOLDER.sub(lambda match: str(values[match.group(1)]), value)
    if isinstance(value, Mapping):
        return {key: _substitute(item, values) for key, item in value.items()}
    if isinstance(value, list):
        return [_substitute(item, values) for item in value]
    return value
