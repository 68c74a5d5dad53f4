"""Execution: each mutant is made, put in the place of the right output and verified, on as many processes as asked for."""

from __future__ import annotations

import importlib.util
import io
import os
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from docops.bundle import load_bundle
from docops.core.canonical import sha256
from docops.core.codes import Outcome
from docops.core.operator import MutantOutcome, Mutation, Operator, OperatorKind, Site
from docops.core.verdict import Status, Verdict
from docops.registry import operators
from docops.stressing.places import stands_at
from docops.stressing.plan import MutantSpec, Parent, given_for, parents_of

#: Mutants that one process takes at a time.
CHUNK = 40
MAX_FINDINGS = 5
#: How the note of a mutant begins whose operator needs what is not installed.
SKIPPED = "skipped: needs "


@dataclass(frozen=True, slots=True)
class MutantResult:
    """What became of one mutant.

    passed: whether the verifier passed it, None where it gave no verdict.
    families: families of the criteria that failed.   criteria: their ids.
    in_place: whether a finding stands at the place that was changed, or inside or around it.
    findings: the first findings, as code, address and message.   note: why it is invalid or an error.
    """

    id: str
    outcome: MutantOutcome
    after: str = ""
    passed: bool | None = None
    families: tuple[str, ...] = ()
    criteria: tuple[str, ...] = ()
    in_place: bool = True
    findings: tuple[tuple[str, str, str], ...] = ()
    note: str = ""

    def to_json(self) -> dict[str, Any]:
        """The result as JSON values."""
        return asdict(self)


def result_from_json(row: Mapping[str, Any]) -> MutantResult:
    """The result that `to_json` wrote."""
    return MutantResult(
        id=row["id"],
        outcome=MutantOutcome(row["outcome"]),
        after=row["after"],
        passed=row["passed"],
        families=tuple(row["families"]),
        criteria=tuple(row["criteria"]),
        in_place=row["in_place"],
        findings=tuple((code, address, message) for code, address, message in row["findings"]),
        note=row["note"],
    )


@cache
def operator_table() -> dict[str, Operator]:
    """Every operator by name."""
    return {operator.name: operator for operator in operators()}


def apply_spec(spec: MutantSpec, parent: Parent) -> Mutation:
    """The mutant's file.

    Raises LookupError where these are not the bytes that were planned for.
    """
    data = parent.outputs[spec.artifact]
    if sha256(data) != spec.parent:
        raise LookupError("the parent's bytes are others than planned")
    operator = operator_table()[spec.operator]
    given = given_for(parent.bundle, parent.bundle.artifact(spec.artifact), parent.outputs)
    return operator.apply(data, Site(spec.address, spec.locator, spec.before), given)


def missing_requirements(operator: Operator) -> list[str]:
    """Modules and programs that an operator needs and that are not installed."""
    return [name for name in operator.requires if importlib.util.find_spec(name) is None and shutil.which(name) is None]


class Workplace:
    """One process's folder with the right outputs of one bundle, in which one file at a time is replaced."""

    def __init__(self, folder: str) -> None:
        self.folder = Path(folder)
        self.parent: Parent | None = None
        self.place = self.folder
        self._entered: tuple[str, str] | None = None
        self._parents: list[Parent] = []

    def enter(self, spec: MutantSpec) -> Parent:
        """Make the spec's right outputs the ones that stand here."""
        if self.parent is None or self._entered != (spec.bundle, spec.variant):
            if self._entered is None or self._entered[0] != spec.bundle:
                self._parents = parents_of(load_bundle(spec.bundle))
            self.parent = next(parent for parent in self._parents if parent.variant == spec.variant)
            self._entered = (spec.bundle, spec.variant)
            self.place = self.folder / sha256("/".join(self._entered).encode())[:16]
            for name, data in self.parent.outputs.items():
                path = self.place / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
        return self.parent

    def verify(self, parent: Parent, artifact: str, data: bytes | None) -> Verdict:
        """The verdict with a file replaced (None: deleted)."""
        from docops.engine import verify_bundle

        path = self.place / artifact
        try:
            if data is None:
                path.unlink()
            else:
                path.write_bytes(data)
            return verify_bundle(parent.bundle, self.place)
        finally:
            path.write_bytes(parent.outputs[artifact])


def run_spec(spec: MutantSpec, workplace: Workplace) -> MutantResult:
    """Make and verify one mutant."""
    operator = operator_table().get(spec.operator)
    missing = missing_requirements(operator) if operator is not None else []
    if missing:
        return MutantResult(spec.id, MutantOutcome.INVALID, note=f"{SKIPPED}{', '.join(missing)}")
    try:
        parent = workplace.enter(spec)
        try:
            mutation = apply_spec(spec, parent)
        except Exception as error:
            return MutantResult(spec.id, MutantOutcome.INVALID, note=f"{type(error).__name__}: {error}"[:200])
        if spec.kind == OperatorKind.CORRUPTION and same_content(parent.outputs[spec.artifact], mutation.data):
            return MutantResult(spec.id, MutantOutcome.EQUIVALENT, mutation.after, note="every part is byte for byte the parent's")
        verdict = workplace.verify(parent, spec.artifact, mutation.data)
        return judge(spec, mutation, verdict, parent)
    except Exception as error:
        return MutantResult(spec.id, MutantOutcome.ERROR, note=f"{type(error).__name__}: {error}"[:200])


def judge(spec: MutantSpec, mutation: Mutation, verdict: Verdict, parent: Parent) -> MutantResult:
    """The outcome of a mutant by its verdict; an undecided verdict is an error and never a kill."""
    failed = [criterion for criterion in verdict.criteria if criterion.outcome is Outcome.FAILED]
    if verdict.status is Status.ERROR:
        outcome = MutantOutcome.ERROR
    else:
        outcome = MutantOutcome.SURVIVED if verdict.passed else MutantOutcome.KILLED
    effect = operator_table()[spec.operator].effect
    findings = [finding for criterion in failed for finding in criterion.findings]
    errors = [f"{criterion.id}: {criterion.message}" for criterion in verdict.criteria if criterion.outcome is Outcome.ERROR]
    in_place = not failed or spec.kind == OperatorKind.BENIGN or stands_at(spec, effect, [finding.address for finding in findings], mutation.data, parent)
    return MutantResult(
        id=spec.id,
        outcome=outcome,
        after=mutation.after,
        passed=None if verdict.status is Status.ERROR else verdict.passed,
        families=tuple(sorted({str(criterion.family) for criterion in failed})),
        criteria=tuple(criterion.id for criterion in failed),
        in_place=in_place,
        findings=tuple((str(f.code), f.address, f.message[:300]) for f in findings[:MAX_FINDINGS]),
        note="; ".join(errors)[:300],
    )


def same_content(before: bytes, after: bytes | None) -> bool:
    """Whether two files hold the same: the same bytes, or in a zip archive the same members with the same bytes."""
    if after is None:
        return False
    if before == after:
        return True
    if not before.startswith(b"PK") or not after.startswith(b"PK"):
        return False
    try:
        with zipfile.ZipFile(io.BytesIO(before)) as one, zipfile.ZipFile(io.BytesIO(after)) as other:
            first = {info.filename: (info.CRC, info.file_size) for info in one.infolist()}
            second = {info.filename: (info.CRC, info.file_size) for info in other.infolist()}
            return first == second and all(one.read(name) == other.read(name) for name in first)
    except (zipfile.BadZipFile, OSError, NotImplementedError):
        return False


def run_plan(
    specs: Sequence[MutantSpec],
    *,
    jobs: int = 1,
    seconds: float = 60.0,
    done: Mapping[str, MutantResult] | None = None,
    report: Callable[[Sequence[MutantResult]], None] | None = None,
) -> list[MutantResult]:
    """The results of a plan, in its order, whatever the number of processes.

    jobs: processes; 0: this one, without a time limit.   done: results of an earlier run, by id.
    report: is told every batch of new results.
    """
    from docops.stressing.processes import run_in_processes

    found: dict[str, MutantResult] = dict(done or {})
    left = [spec for spec in specs if spec.id not in found]
    for results in run_in_processes(chunks_of(left), jobs, seconds) if jobs > 0 else _run_here(chunks_of(left)):
        found.update({result.id: result for result in results})
        if report is not None:
            report(results)
    return [found[spec.id] for spec in specs]


def _run_here(chunks: Sequence[Sequence[MutantSpec]]) -> Iterator[list[MutantResult]]:
    with tempfile.TemporaryDirectory(prefix="docops-stress-") as folder:
        workplace = Workplace(folder)
        for chunk in chunks:
            yield [run_spec(spec, workplace) for spec in chunk]


def chunks_of(specs: Sequence[MutantSpec]) -> list[list[MutantSpec]]:
    """Batches of mutants of the same right outputs, whose source is then opened once."""
    chunks: list[list[MutantSpec]] = []
    for spec in specs:
        if not chunks or len(chunks[-1]) == CHUNK or (chunks[-1][0].bundle, chunks[-1][0].variant) != (spec.bundle, spec.variant):
            chunks.append([])
        chunks[-1].append(spec)
    return chunks


def default_jobs() -> int:
    """Number of processors that this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1
