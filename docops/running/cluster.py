"""Verification on a Ray cluster: verifiers travel once to each process by their digest, outputs with their job, rows stream back."""

from __future__ import annotations

import contextlib
import logging
import signal
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

from docops.bundle import Bundle
from docops.core.errors import UsageError
from docops.core.options import DEFAULTS, Options
from docops.running.local import ATTEMPTS, DIED, Report, Workplace, judge, out_of_time
from docops.running.plan import Job
from docops.running.rows import Done, open_row
from docops.sides import Snapshot
from docops.warm import Verifier

#: Jobs under way for each processor: one that is worked at and those that wait beside it.
AHEAD = 4
#: What a process takes longer than its own guard before it is ended, while it may also have waited for its turn.
GRACE = 30.0

_place = Workplace()


class _OutOfTime(BaseException):
    """The guard; no `Exception`, so that nothing below takes it for damage."""


@dataclass(slots=True)
class _Work:
    """A job under way: its output, how often it was tried, and when it was last given out."""

    job: Job
    outputs: Snapshot
    attempts: int = 0
    given: float = field(default_factory=time.monotonic)


def run_ray(jobs: Sequence[Job], bundles: Mapping[str, Bundle], seconds: float, report: Report, options: Options = DEFAULTS) -> None:
    """Verify outputs on the cluster that this process is connected to, or that RAY_ADDRESS names, or on a local one.

    Only the process that calls it reads bundles and outputs; the cluster needs no folder in common.
    Raises UsageError where Ray is not installed.
    """
    try:
        import ray
    except ImportError:
        raise UsageError("the engine ray needs Ray: pip install 'docops-verifier[ray]'") from None
    started = not ray.is_initialized()
    if started:
        ray.init(logging_level=logging.ERROR, log_to_driver=False, include_dashboard=False)
    try:
        _Cluster(ray, jobs, bundles, seconds, report, options).run()
    finally:
        if started:
            ray.shutdown()


class _Cluster:
    """One run on a cluster."""

    def __init__(self, ray: Any, jobs: Sequence[Job], bundles: Mapping[str, Bundle], seconds: float, report: Report, options: Options) -> None:
        self.ray = ray
        self.options = options
        self.bundles = bundles
        self.seconds = seconds
        self.report = report
        # Taken from the end, so that outputs of one task follow each other.
        self.waiting = sorted(jobs, key=lambda job: (job.task_id, job.trial, job.agent), reverse=True)
        self.verifiers: dict[str, tuple[Verifier, Any]] = {}
        self.under_way: dict[Any, _Work] = {}
        # Ray tries again itself where a machine is lost; a process that dies is counted here, as the local engine does.
        self.step = ray.remote(max_retries=0, num_cpus=1)(verify_remote)

    def run(self) -> None:
        """Give out jobs and take rows until all are done."""
        window = max(2, int(self.ray.cluster_resources().get("CPU", 1)) * AHEAD)
        patience = (self.seconds + GRACE) * AHEAD
        while self.waiting or self.under_way:
            while self.waiting and len(self.under_way) < window:
                job = self.waiting.pop()
                self._give(_Work(job, self._verifier(job.task_id)[0].snapshot(job.folder or "")))
            done, _ = self.ray.wait(list(self.under_way), timeout=5.0)
            for reference in done:
                self._take(self.under_way.pop(reference), reference)
            for reference, work in list(self.under_way.items()):
                if time.monotonic() - work.given > patience:
                    self.ray.cancel(reference, force=True)
                    del self.under_way[reference]
                    self.report(Done(open_row(work.job.agent, self.bundles[work.job.task_id], work.job.trial, out_of_time(self.seconds))))

    def _verifier(self, task_id: str) -> tuple[Verifier, Any]:
        if task_id not in self.verifiers:
            verifier = Verifier(self.bundles[task_id], self.options)
            self.verifiers = {task_id: (verifier, self.ray.put(verifier))}
        return self.verifiers[task_id]

    def _give(self, work: _Work) -> None:
        verifier, reference = self._verifier(work.job.task_id)
        work.attempts += 1
        work.given = time.monotonic()
        # In a list the reference is not fetched with the job, only by a process that does not have the verifier yet.
        self.under_way[
            self.step.remote(f"{verifier.digest} {self.options.key}", [reference], work.job.agent, work.job.trial, work.outputs, self.seconds)
        ] = work

    def _take(self, work: _Work, reference: Any) -> None:
        try:
            done: Done = self.ray.get(reference)
        except self.ray.exceptions.RayError:
            if work.attempts < ATTEMPTS:
                self._give(work)
                return
            done = Done(open_row(work.job.agent, self.bundles[work.job.task_id], work.job.trial, DIED))
        self.report(done)


def verify_remote(digest: str, references: Sequence[Any], agent: str, trial: int, outputs: Snapshot, seconds: float) -> Done:
    """One job in a process of the cluster."""
    import ray

    verifier: Verifier = _place.verifier(digest, lambda: ray.get(references[0]))
    try:
        with _guard(seconds):
            return judge(verifier, agent, trial, outputs)
    except _OutOfTime:
        return Done(open_row(agent, verifier.bundle, trial, out_of_time(seconds)))


@contextlib.contextmanager
def _guard(seconds: float) -> Iterator[None]:
    if not hasattr(signal, "SIGALRM") or threading.current_thread() is not threading.main_thread():
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
