"""Planning: which mutants are made of a bundle's right outputs, drawn with a seed, the same list every time."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docops.bundle import ArtifactSpec, Bundle
from docops.core.canonical import canonical_json, digest, sha256
from docops.core.errors import BundleError, Problem, UsageError
from docops.core.operator import MutationInput, Operator, OperatorKind, Site
from docops.reading import read_json
from docops.registry import operators
from docops.stressing.harm import SourceSites, is_harmful, required_texts, source_sites
from docops.stressing.suites import Suite

ID_LENGTH = 16


@dataclass(frozen=True, slots=True)
class MutantSpec:
    """One mutant to be made.

    id: digest of operator, place and parent.   bundle: the bundle's folder as given.   artifact: the output that is changed.
    parent: SHA-256 of the bytes that are changed.   address: the place, artifact left out.   before: what stands there.
    variant: which right output they are: "" for the reference, else its folder in the bundle's `outputs`.
    """

    id: str
    task_id: str
    bundle: str
    artifact: str
    format: str
    operator: str
    kind: str
    corruption_class: str
    address: str
    locator: tuple[str | int, ...]
    before: str
    parent: str
    variant: str = ""

    def to_json(self) -> dict[str, Any]:
        """The spec as JSON values; the bundle's folder, which differs from machine to machine, is left out."""
        return {
            "id": self.id,
            "task_id": self.task_id,
            "artifact": self.artifact,
            "format": self.format,
            "operator": self.operator,
            "kind": self.kind,
            "class": self.corruption_class,
            "address": self.address,
            "locator": list(self.locator),
            "before": self.before,
            "parent": self.parent,
            "variant": self.variant,
        }


@dataclass(frozen=True, slots=True)
class Parent:
    """Right outputs of a bundle, by output name, of which mutants are made; `variant` as in `MutantSpec`."""

    bundle: Bundle
    outputs: Mapping[str, bytes]
    variant: str = ""


def spec_from_json(row: Mapping[str, Any], bundle: str) -> MutantSpec:
    """The spec that `to_json` wrote, of the bundle in that folder."""
    values = {name: row["class" if name == "corruption_class" else name] for name in MutantSpec.__slots__ if name != "bundle"}
    return MutantSpec(**{**values, "bundle": bundle, "locator": tuple(row["locator"])})


def plan_lines(specs: Iterable[MutantSpec]) -> str:
    """The plan as JSON lines."""
    return "".join(canonical_json(spec.to_json()).decode("utf-8", "replace") + "\n" for spec in specs)


def right_outputs(bundle: Bundle, output: Path | None = None) -> dict[str, bytes]:
    """The files that the mutants are made of, by output name: the references, or those of a folder.

    Raises UsageError where a reference or file is missing.
    """
    found: dict[str, bytes] = {}
    for artifact in bundle.artifacts:
        if output is not None:
            path = output / artifact.output
        elif artifact.reference is not None:
            path = bundle.root / artifact.reference
        elif artifact.read_only and artifact.source is not None:
            path = bundle.root / artifact.source
        else:
            raise UsageError(f"{bundle.task_id}: {artifact.output} has no reference, so there is nothing right to mutate")
        if path.is_file():
            found[artifact.output] = path.read_bytes()
        elif not artifact.read_only:
            raise UsageError(f"{bundle.task_id}: {artifact.output} is missing")
    return found


def parents_of(bundle: Bundle) -> list[Parent]:
    """Everything right that mutants are made of: the references, then the outputs that `outputs/expected.json` says pass.

    Raises UsageError where a reference or file is missing, and BundleError where the listing cannot be read.
    """
    found = [Parent(bundle, right_outputs(bundle))]
    listing = bundle.root / "outputs" / "expected.json"
    if listing.is_file():
        problems: list[Problem] = []
        raw = read_json(listing, "outputs/expected.json", problems)
        if problems:
            raise BundleError(problems)
        passing = [name for name, entry in (raw or {}).items() if isinstance(entry, dict) and entry.get("expected") == "pass"]
        found += [Parent(bundle, right_outputs(bundle, listing.parent / name), name) for name in sorted(passing)]
    return found


def given_for(bundle: Bundle, artifact: ArtifactSpec, outputs: Mapping[str, bytes]) -> MutationInput:
    """What operators are told besides the bytes."""
    source = (bundle.root / artifact.source).read_bytes() if artifact.source else None
    reference = (bundle.root / artifact.reference).read_bytes() if artifact.reference else None
    siblings = {name: data for name, data in outputs.items() if name != artifact.output}
    return MutationInput(siblings, source, reference, required_texts(bundle, artifact.output), artifact.preserve.profile)


def candidates(parent: Parent, suite: Suite, skip: frozenset[str] = frozenset()) -> Iterator[MutantSpec]:
    """Every mutant that the suite allows and that counts as harmful or harmless.

    skip: SHA-256 of files that mutants were made of already.
    """
    bundle = parent.bundle
    for artifact in bundle.artifacts:
        data = parent.outputs.get(artifact.output)
        if data is None or sha256(data) in skip:
            continue
        given = given_for(bundle, artifact, parent.outputs)
        for operator in operators():
            if suite.includes(operator) and (not operator.formats or artifact.format in operator.formats):
                yield from _of_operator(parent, artifact, data, given, operator)


def _of_operator(parent: Parent, artifact: ArtifactSpec, data: bytes, given: MutationInput, operator: Operator) -> Iterator[MutantSpec]:
    bundle, bytes_digest = parent.bundle, sha256(data)
    if operator.kind is OperatorKind.BENIGN and (artifact.read_only or artifact.preserve.profile == "bytes"):
        return
    sites = _sites(operator, data, given)
    if not sites:
        return
    moved: SourceSites | None = None
    if operator.kind is OperatorKind.CORRUPTION and artifact.scope and given.source is not None and given.source != data:
        moved = source_sites(_sites(operator, given.source, given))
    for site in sites:
        if operator.kind is OperatorKind.CORRUPTION and not is_harmful(bundle, artifact, operator, site, moved):
            continue
        identity = digest([operator.name, list(site.locator), site.address, artifact.output, bytes_digest])[:ID_LENGTH]
        yield MutantSpec(
            id=identity,
            task_id=bundle.task_id,
            bundle=str(bundle.root),
            artifact=artifact.output,
            format=artifact.format or "other",
            operator=operator.name,
            kind=str(operator.kind),
            corruption_class=str(operator.corruption_class),
            address=site.address,
            locator=site.locator,
            before=site.before,
            parent=bytes_digest,
            variant=parent.variant,
        )


def _sites(operator: Operator, data: bytes, given: MutationInput) -> list[Site]:
    # An operator that cannot read a file (no package, encrypted, damaged) has nowhere to act in it.
    try:
        return list(operator.sites(data, given))
    except Exception:
        return []


def make_plan(
    parents: Sequence[Parent], suite: Suite, seed: int, limit: int | None = None, progress: Callable[[str], None] | None = None
) -> list[MutantSpec]:
    """The suite's mutants of right outputs, drawn with the seed, sorted.

    limit: at most so many in all, in the proportion of the suite's budgets.
    """
    found: list[MutantSpec] = []
    for parent in parents:
        if progress is not None:
            progress(parent.bundle.task_id)
        if suite.parents == "all" or not parent.variant:
            seen = frozenset(spec.parent for spec in found if spec.task_id == parent.bundle.task_id)
            found += candidates(parent, suite, seen)
    harmful = [spec for spec in found if spec.kind == OperatorKind.CORRUPTION]
    harmless = [spec for spec in found if spec.kind == OperatorKind.BENIGN]
    first, second = suite.budget, suite.benign_budget
    if limit is not None:
        share = len(harmless) / max(len(found), 1) if suite.budget == suite.benign_budget else second / (first + second)
        second = min(second, round(limit * share))
        first = min(first, limit - second)
    chosen = draw(harmful, first, suite.per_operator, seed) + draw(harmless, second, suite.per_operator, seed)
    return sorted(chosen, key=lambda spec: (spec.task_id, spec.variant, spec.artifact, spec.operator, spec.address, [str(part) for part in spec.locator], spec.id))


def draw(specs: Sequence[MutantSpec], budget: int, per_operator: int, seed: int) -> list[MutantSpec]:
    """At most `budget` mutants: classes and formats take turns, within them operators, within them tasks."""
    strata: dict[tuple[str, str], dict[str, dict[tuple[str, str, str], list[MutantSpec]]]] = {}
    for spec in specs:
        by_operator = strata.setdefault((spec.corruption_class, spec.format), {})
        by_operator.setdefault(spec.operator, {}).setdefault((spec.task_id, spec.variant, spec.artifact), []).append(spec)
    queues = [
        _take_turns([_take_turns([_shuffled(group, seed)[:per_operator] for _, group in sorted(by_task.items())]) for _, by_task in sorted(by_operator.items())])
        for _, by_operator in sorted(strata.items())
    ]
    return _take_turns(queues)[:budget]


def _shuffled(specs: Sequence[MutantSpec], seed: int) -> list[MutantSpec]:
    return sorted(specs, key=lambda spec: (digest([seed, spec.id]), spec.id))


def _take_turns(queues: Sequence[Sequence[MutantSpec]]) -> list[MutantSpec]:
    longest = max(map(len, queues), default=0)
    return [queue[at] for at in range(longest) for queue in queues if at < len(queue)]


def find_mutant(parents: Sequence[Parent], identity: str) -> MutantSpec:
    """The mutant with that id, whichever suite it is from.

    Raises UsageError where there is none, or where more than one begins so.
    """
    everything = Suite("all", "All operators", "Every operator at every place.")
    found: dict[str, MutantSpec] = {}
    for parent in parents:
        seen = frozenset(spec.parent for spec in found.values())
        found |= {spec.id: spec for spec in candidates(parent, everything, seen) if spec.id.startswith(identity)}
    if len(found) != 1:
        raise UsageError(f"{len(found) or 'no'} mutants of {parents[0].bundle.task_id} have an id that begins with {identity!r}")
    return next(iter(found.values()))


def read_journal(path: Path) -> dict[str, dict[str, Any]]:
    """The results of an earlier run by mutant; `key` tells which version and bundle they are of."""
    done: dict[str, dict[str, Any]] = {}
    if path.is_file():
        for line in path.read_text(encoding="utf-8").splitlines():
            try:
                row = json.loads(line)
            except ValueError:
                continue  # the line that the interruption cut
            if isinstance(row, dict) and isinstance(row.get("id"), str):
                done[row["id"]] = row
    return done
