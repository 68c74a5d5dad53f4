"""Mutation operators: where they can act in a document and what they do there.

Operators work on bytes, with lxml, zipfile or pypdf, and never on facts: what they damage is decided independently of
what the verifier sees.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class OperatorKind(StrEnum):
    """Whether a mutant must be caught or must pass."""

    CORRUPTION = "corruption"
    BENIGN = "benign"


class CorruptionClass(StrEnum):
    """The five classes of the DocOps benchmark, and `benign` for rewrites that keep the meaning."""

    CONTENT_ALTERATION = "content_alteration"
    STRUCTURE_CORRUPTION = "structure_corruption"
    PRESERVATION_VIOLATION = "preservation_violation"
    ARTIFACT_DELETION = "artifact_deletion"
    SAME_NAME_CORRUPTION = "same_name_corruption"
    BENIGN = "benign"


class MutantOutcome(StrEnum):
    """What became of a mutant; errors and timeouts are never kills."""

    KILLED = "killed"
    SURVIVED = "survived"
    EQUIVALENT = "equivalent"
    INVALID = "invalid"
    ERROR = "error"
    TIMEOUT = "timeout"


@dataclass(frozen=True, slots=True)
class Site:
    """A place where an operator can act.

    address: the place, in docops's address syntax, as exact as the operator can name it ("" for the whole file).
    locator: what the operator itself needs to find it again (part name, XPath index, object id); JSON values.
    before: excerpt of what stands there.
    exact: False where the address names more than what the operator touches.
    also: places that the change is about as well; where all of them lie in an edit scope, so does the site.
    """

    address: str
    locator: tuple[str | int, ...] = ()
    before: str = ""
    exact: bool = True
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Mutation:
    """What an operator made: the new bytes (None: the file is gone) and an excerpt of what stands there now."""

    data: bytes | None
    after: str = ""


@dataclass(frozen=True, slots=True)
class MutationInput:
    """What an operator is given besides the file's bytes.

    siblings: the other files of the output folder, by name, for operators that put one in another's place.
    source: the source's bytes, or None.   texts: wording that the verifier asks for (for gaming operators).
    profile: how strictly the bundle preserves the file (`native`, `content`, `bytes`).
    """

    siblings: Mapping[str, bytes]
    source: bytes | None = None
    reference: bytes | None = None
    texts: Sequence[str] = ()
    profile: str = "native"


@dataclass(frozen=True, slots=True)
class OperatorExample:
    """A document and whether the operator finds a site in it; applying it must change the bytes' content.

    texts: wording that the verifier asks for.   source: the document's source, for operators that look at it.
    siblings: other files of the output folder.
    """

    title: str
    data: Callable[[], bytes]
    applies: bool = True
    texts: tuple[str, ...] = ()
    source: Callable[[], bytes] | None = None
    siblings: Mapping[str, Callable[[], bytes]] = field(default_factory=dict)

    def given(self) -> MutationInput:
        """What the operator is given besides the bytes."""
        siblings = {name: make() for name, make in self.siblings.items()} or {"other.txt": b"another file"}
        return MutationInput(siblings, self.source() if self.source else None, None, self.texts)


SitesFunction = Callable[[bytes, MutationInput], Iterable[Site]]
ApplyFunction = Callable[[bytes, Site, MutationInput], Mutation]


@dataclass(frozen=True, slots=True)
class Operator:
    """A mutation operator.

    name: `xlsx.number-changed`.   formats: those it can act on (empty: any).
    kind: corruption or benign.   corruption_class: which of the classes.
    tags: `generic`, `gaming`, `text`, … as suites select by them.
    sites: where it can act, in a stable order.   apply: what it does at one site; pure, the same bytes every time.
    aspects: what kinds of attribute it damages (empty: unknown, any), so that it is not held against a verifier that a
    bundle told not to look at them.   breaks: predicates that cannot hold any more where they watch the site
    (`xlsx.formula:depends_on`: only where that parameter is given); only these make a corruption inside an edit scope
    harmful.   effect: `change`, `add`, `remove` or `move`.
    requires: optional modules or programs that `apply` (never `sites`) needs; where one is missing, mutants are skipped.
    """

    name: str
    kind: OperatorKind
    corruption_class: CorruptionClass
    formats: tuple[str, ...]
    sites: SitesFunction
    apply: ApplyFunction
    summary: str
    tags: tuple[str, ...] = ()
    examples: tuple[OperatorExample, ...] = ()
    aspects: tuple[str, ...] = ()
    breaks: tuple[str, ...] = ()
    effect: str = "change"
    requires: tuple[str, ...] = ()


def operator(
    name: str,
    *,
    corruption_class: CorruptionClass,
    sites: SitesFunction,
    formats: Sequence[str] = (),
    tags: Sequence[str] = (),
    examples: Sequence[OperatorExample] = (),
    aspects: Sequence[str] = (),
    breaks: Sequence[str] = (),
    effect: str = "change",
    requires: Sequence[str] = (),
) -> Callable[[ApplyFunction], Operator]:
    """Make an operator of its `apply` function, whose docstring's first line says what it does. Nothing is registered."""

    def make(function: ApplyFunction) -> Operator:
        kind = OperatorKind.BENIGN if corruption_class is CorruptionClass.BENIGN else OperatorKind.CORRUPTION
        summary = (inspect.getdoc(function) or "").partition("\n")[0]
        return Operator(
            name,
            kind,
            corruption_class,
            tuple(formats),
            sites,
            function,
            summary,
            tuple(tags),
            tuple(examples),
            tuple(aspects),
            tuple(breaks),
            effect,
            tuple(requires),
        )

    return make


def to_json(value: Any) -> Any:
    """A site or mutation as JSON values."""
    if isinstance(value, Site):
        return {"address": value.address, "locator": list(value.locator), "before": value.before}
    return value
