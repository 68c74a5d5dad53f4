"""Execution: each mutant is made, put in the place of the right output and verified, on as many processes as asked for."""

from __future__ import annotations

import contextlib
import io
import os
import signal
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from pathlib import Path
from types import FrameType
from typing import Any

from docops.bundle import Bundle, load_bundle
from docops.core.canonical import sha256
from docops.core.codes import Outcome
from docops.core.operator import MutantOutcome, Mutation, Operator, OperatorKind, Site
from docops.core.verdict import Status, Verdict
from docops.registry import operators
from docops.stressing.plan import MutantSpec, given_for, right_outputs

#: Mutants that one process takes at a time.
CHUNK = 40
MAX_FINDINGS = 5


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


class _OutOfTime(BaseException):
    """A mutant took longer than allowed; no `Exception`, so that nothing below takes it for damage."""


def operator_table() -> dict[str, Operator]:
    """Every operator by name."""
    return {operator.name: operator for operator in operators()}


def apply_spec(spec: MutantSpec, bundle: Bundle, outputs: Mapping[str, bytes]) -> Mutation:
    """The mutant's file.

    Raises LookupError where these are not the bytes that were planned for.
    """
    data = outputs[spec.artifact]
    if sha256(data) != spec.parent:
        raise LookupError("the parent's bytes are others than planned")
    operator = operator_table()[spec.operator]
    given = given_for(bundle, bundle.artifact(spec.artifact), outputs)
    return operator.apply(data, Site(spec.address, spec.locator, spec.before), given)


class _Workplace:
    """One process's folder with the right outputs of one bundle, in which one file at a time is replaced."""

    def __init__(self, folder: str, output: Path | None) -> None:
        self.folder = folder
        self.output = output
        self.bundle: Bundle | None = None
        self.outputs: dict[str, bytes] = {}
        self.place: Path | None = None

    def enter(self, root: str) -> None:
        if self.place is not None and self.place.name == sha256(root.encode())[:16]:
            return
        self.bundle = load_bundle(root)
        self.outputs = right_outputs(self.bundle, self.output)
        self.place = Path(self.folder, sha256(root.encode())[:16])
        for name, data in self.outputs.items():
            path = self.place / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)

    def verify(self, spec: MutantSpec, mutation: Mutation) -> Verdict:
        from docops.engine import verify_bundle

        if self.bundle is None or self.place is None:
            raise RuntimeError("no bundle was entered")
        path = self.place / spec.artifact
        try:
            if mutation.data is None:
                path.unlink()
            else:
                path.write_bytes(mutation.data)
            return verify_bundle(self.bundle, self.place)
        finally:
            path.write_bytes(self.outputs[spec.artifact])


def run_spec(spec: MutantSpec, workplace: _Workplace, seconds: float) -> MutantResult:
    """Make and verify one mutant."""
    workplace.enter(spec.bundle)
    if workplace.bundle is None:
        raise RuntimeError("no bundle was entered")
    try:
        with _time_limit(seconds):
            try:
                mutation = apply_spec(spec, workplace.bundle, workplace.outputs)
            except Exception as error:
                return MutantResult(spec.id, MutantOutcome.INVALID, note=f"{type(error).__name__}: {error}"[:200])
            if spec.kind == OperatorKind.CORRUPTION and same_content(workplace.outputs[spec.artifact], mutation.data):
                return MutantResult(spec.id, MutantOutcome.EQUIVALENT, mutation.after, note="every part is byte for byte the parent's")
            verdict = workplace.verify(spec, mutation)
    except _OutOfTime:
        return MutantResult(spec.id, MutantOutcome.TIMEOUT, note=f"no verdict within {seconds:g} seconds")
    except Exception as error:
        return MutantResult(spec.id, MutantOutcome.ERROR, note=f"{type(error).__name__}: {error}"[:200])
    return judge(spec, mutation, verdict)


def judge(spec: MutantSpec, mutation: Mutation, verdict: Verdict) -> MutantResult:
    """The outcome of a mutant by its verdict; an undecided verdict is an error and never a kill."""
    failed = [criterion for criterion in verdict.criteria if criterion.outcome is Outcome.FAILED]
    if verdict.status is Status.ERROR:
        outcome = MutantOutcome.ERROR
    else:
        outcome = MutantOutcome.SURVIVED if verdict.passed else MutantOutcome.KILLED
    findings = [finding for criterion in failed for finding in criterion.findings]
    errors = [f"{criterion.id}: {criterion.message}" for criterion in verdict.criteria if criterion.outcome is Outcome.ERROR]
    return MutantResult(
        id=spec.id,
        outcome=outcome,
        after=mutation.after,
        passed=None if verdict.status is Status.ERROR else verdict.passed,
        families=tuple(sorted({str(criterion.family) for criterion in failed})),
        criteria=tuple(criterion.id for criterion in failed),
        in_place=not failed or any(_near(finding.address, spec) for finding in findings),
        findings=tuple((str(f.code), f.address, f.message[:300]) for f in findings[:MAX_FINDINGS]),
        note="; ".join(errors)[:300],
    )


def _near(address: str, spec: MutantSpec) -> bool:
    artifact, _, path = address.partition("#")
    if artifact != spec.artifact:
        return False
    if not spec.address or not path:
        return True
    one, other = path.split("/"), spec.address.split("/")
    common = min(len(one), len(other))
    return one[:common] == other[:common] or one[0] == other[0]


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


@contextlib.contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    if not hasattr(signal, "SIGALRM") or seconds <= 0:
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        raise _OutOfTime

    previous = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)


def _run_chunk(specs: Sequence[MutantSpec], output: str | None, seconds: float) -> list[MutantResult]:
    with tempfile.TemporaryDirectory(prefix="docops-stress-") as folder:
        workplace = _Workplace(folder, Path(output) if output else None)
        return [run_spec(spec, workplace, seconds) for spec in specs]


def run_plan(
    specs: Sequence[MutantSpec],
    *,
    output: Path | None = None,
    jobs: int = 1,
    seconds: float = 60.0,
    done: Mapping[str, MutantResult] | None = None,
    report: Callable[[Sequence[MutantResult]], None] | None = None,
) -> list[MutantResult]:
    """The results of a plan, in its order, whatever the number of processes.

    done: results of an earlier run, by id.   report: is told every batch of new results.
    """
    found: dict[str, MutantResult] = dict(done or {})
    left = [spec for spec in specs if spec.id not in found]
    chunks = list(_chunks(left))
    folder = str(output) if output is not None else None
    if jobs <= 1:
        for chunk in chunks:
            _keep(_run_chunk(chunk, folder, seconds), found, report)
    else:
        _run_parallel(chunks, folder, jobs, seconds, found, report)
    return [found[spec.id] for spec in specs]


def _keep(results: Sequence[MutantResult], found: dict[str, MutantResult], report: Callable[[Sequence[MutantResult]], None] | None) -> None:
    found.update({result.id: result for result in results})
    if report is not None:
        report(results)


def _chunks(specs: Sequence[MutantSpec]) -> Iterator[list[MutantSpec]]:
    # A chunk holds mutants of one bundle, whose source is then opened once.
    chunk: list[MutantSpec] = []
    for spec in specs:
        if chunk and (len(chunk) == CHUNK or chunk[0].bundle != spec.bundle):
            yield chunk
            chunk = []
        chunk.append(spec)
    if chunk:
        yield chunk


def _run_parallel(
    chunks: Sequence[list[MutantSpec]],
    folder: str | None,
    jobs: int,
    seconds: float,
    found: dict[str, MutantResult],
    report: Callable[[Sequence[MutantResult]], None] | None,
) -> None:
    waiting = list(reversed(chunks))
    # Fresh processes now and then keep the memory flat over long runs.
    with ProcessPoolExecutor(max_workers=jobs, mp_context=get_context("spawn"), max_tasks_per_child=25) as pool:
        running = {pool.submit(_run_chunk, waiting.pop(), folder, seconds) for _ in range(min(jobs * 2, len(waiting)))}
        while running:
            finished, running = wait(running, return_when=FIRST_COMPLETED)
            for future in finished:
                _keep(future.result(), found, report)
                if waiting:
                    running.add(pool.submit(_run_chunk, waiting.pop(), folder, seconds))


def default_jobs() -> int:
    """Number of processors that this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1
