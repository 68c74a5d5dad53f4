"""Mutation suites: which operators take part, how many mutants of each, and what is waived with its reason."""

from __future__ import annotations

import fnmatch
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from docops.core.errors import BundleError, Problem, UsageError
from docops.core.operator import CorruptionClass, Operator, OperatorKind

SCHEMA = "docops.suite/1"

_SUITE_SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["schema", "title", "doc"],
    "properties": {
        "schema": {"const": SCHEMA},
        "title": {"type": "string", "minLength": 1},
        "doc": {"type": "string", "minLength": 1},
        "kinds": {"type": "array", "items": {"enum": [str(kind) for kind in OperatorKind]}},
        "classes": {"type": "array", "items": {"enum": [str(name) for name in CorruptionClass]}},
        "tags": {"type": "array", "items": {"type": "string"}},
        "without_tags": {"type": "array", "items": {"type": "string"}},
        "operators": {"type": "array", "items": {"type": "string"}},
        "parents": {"enum": ["reference", "all"]},
        "per_operator": {"type": "integer", "minimum": 1},
        "budget": {"type": "integer", "minimum": 1},
        "benign_budget": {"type": "integer", "minimum": 1},
        "waivers": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["operator", "reason"],
                "properties": {
                    "operator": {"type": "string"},
                    "task": {"type": "string"},
                    "address": {"type": "string"},
                    "before": {"type": "string"},
                    "reason": {"type": "string", "minLength": 10},
                },
            },
        },
    },
}


@dataclass(frozen=True, slots=True)
class Waiver:
    """Mutants that are held to be equivalent, with the reason; patterns with `*` for operator, task, address and `before`."""

    operator: str
    reason: str
    task: str = "*"
    address: str = "*"
    before: str = "*"

    def covers(self, operator: str, task: str, address: str, before: str) -> bool:
        """Whether a mutant is meant."""
        pairs = ((operator, self.operator), (task, self.task), (address, self.address), (before, self.before))
        return all(pattern == "*" or fnmatch.fnmatchcase(text.replace("[", "("), pattern.replace("[", "(")) for text, pattern in pairs)


@dataclass(frozen=True, slots=True)
class Suite:
    """A named choice of operators.

    kinds, classes, tags, operators: what takes part (empty: everything; operators as patterns with `*`).
    without_tags: what stays out.   per_operator: at most so many places of one operator in one file.
    parents: `reference`: only references are mutated; `all`: every output that a bundle says is right.
    budget, benign_budget: at most so many corruptions and benign rewrites in all.
    """

    name: str
    title: str
    doc: str
    kinds: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    without_tags: tuple[str, ...] = ()
    operators: tuple[str, ...] = ()
    parents: str = "all"
    per_operator: int = 1_000_000
    budget: int = 1_000_000
    benign_budget: int = 1_000_000
    waivers: tuple[Waiver, ...] = ()

    def includes(self, operator: Operator) -> bool:
        """Whether an operator takes part."""
        return (
            (not self.kinds or operator.kind in self.kinds)
            and (not self.classes or operator.corruption_class in self.classes)
            and (not self.tags or bool(set(self.tags) & set(operator.tags)))
            and not set(self.without_tags) & set(operator.tags)
            and (not self.operators or any(fnmatch.fnmatchcase(operator.name, pattern) for pattern in self.operators))
        )


def suite_names() -> tuple[str, ...]:
    """Names of the shipped suites, sorted."""
    from docops.catalogue import folder

    return tuple(sorted(path.stem for path in folder("mutations").glob("*.toml")))


def suite_named(name: str) -> Suite:
    """The shipped suite of that name.

    Raises UsageError, with the nearest name, where there is none, and BundleError where its file is invalid.
    """
    from docops.catalogue import folder
    from docops.reading import read_toml
    from docops.registry import suggestion
    from docops.shape import check_shape

    known = suite_names()
    if name not in known:
        raise UsageError(f"there is no suite {name!r}{suggestion(name, known) or '; known: ' + (', '.join(known) or 'none')}")
    file = f"mutations/{name}.toml"
    problems: list[Problem] = []
    raw = read_toml(folder("mutations") / f"{name}.toml", file, problems)
    if raw is not None:
        problems += [Problem(file, where, message) for where, message in check_shape(_SUITE_SCHEMA, raw)]
    if raw is None or problems:
        raise BundleError(problems)
    return _build(name, raw)


def _build(name: str, raw: Mapping[str, Any]) -> Suite:
    settings: dict[str, Any] = {key: tuple(raw[key]) for key in ("kinds", "classes", "tags", "without_tags", "operators") if key in raw}
    settings |= {key: raw[key] for key in ("parents", "per_operator", "budget", "benign_budget") if key in raw}
    waivers = tuple(Waiver(**item) for item in raw.get("waivers", ()))
    return Suite(name=name, title=raw["title"], doc=raw["doc"].strip(), waivers=waivers, **settings)


def waiver_for(waivers: Sequence[Waiver], operator: str, task: str, address: str, before: str) -> Waiver | None:
    """The waiver that covers a mutant, or None."""
    return next((waiver for waiver in waivers if waiver.covers(operator, task, address, before)), None)
