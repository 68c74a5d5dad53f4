"""Verifiers: a tree of groups and criteria, read from `verifier.toml` and checked against the predicates it names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from docops.core.predicate import Predicate


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
    """A verifier: groups sorted by id, criteria as written, those of reusable verifiers after the others."""

    aggregate: Aggregate
    groups: tuple[GroupSpec, ...]
    criteria: tuple[CriterionSpec, ...]
    used: Mapping[str, str] = field(default_factory=dict)
