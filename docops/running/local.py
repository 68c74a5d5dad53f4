"""Verification on this machine's processors, with a guard on the time that one output may take."""

from __future__ import annotations

import contextlib
import signal
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess

from docops.bundle import Bundle
from docops.core.options import DEFAULTS, Options
from docops.running.plan import Job
from docops.running.rows import Done, open_row, row_of_verdict
from docops.sides import Snapshot
from docops.warm import Verifier

Report = Callable[[Done], None]

#: Bundles whose sources a process keeps open.
MAX_BUNDLES = 8
#: How often an output is tried whose process died.
ATTEMPTS = 2


def out_of_time(seconds: float) -> str:
    """Why there is no verdict: the guard."""
    return f"no verdict within {seconds:g} seconds"


DIED = "the process that verified it died"


class Workplace:
    """One process's verifiers, the last few kept."""

    def __init__(self) -> None:
        self.verifiers: dict[str, Verifier] = {}

    def verifier(self, key: str, make: Callable[[], Verifier]) -> Verifier:
        """The verifier of that key, made where it is not there."""
        found = self.verifiers.pop(key, None) or make()
        self.verifiers[key] = found
        while len(self.verifiers) > MAX_BUNDLES:
            del self.verifiers[next(iter(self.verifiers))]
        return found


def judge(verifier: Verifier, agent: str, trial: int, outputs: Snapshot) -> Done:
    """What comes of one output; whatever goes wrong in verifying it is an error and no failure."""
    try:
        verdict = verifier.verify(outputs)
        return Done(row_of_verdict(agent, verifier.bundle, trial, verdict, outputs, verifier.options.key), verdict.to_json())
    except Exception as error:
        return Done(open_row(agent, verifier.bundle, trial, f"{type(error).__name__}: {error}"[:300]))


def _serve(connection: Connection) -> None:
    """What a process does: bundle folder, agent, trial, output folder and options in, row and verdict out, until nobody is there."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends us
    place = Workplace()
    with contextlib.suppress(EOFError, OSError):
        connection.send(None)
        while True:
            root, agent, trial, folder, options = connection.recv()
            verifier = place.verifier(root, lambda root=root, options=options: Verifier(root, options))  # type: ignore[misc]
            connection.send(judge(verifier, agent, trial, verifier.snapshot(folder)))


class _Worker:
    """A process, and the job it has."""

    def __init__(self, options: Options) -> None:
        self.options = options
        context = get_context("spawn")
        self.connection, other = context.Pipe()
        self.process: BaseProcess = context.Process(target=_serve, args=(other,), daemon=True)
        self.process.start()
        other.close()
        self.ready = False
        self.job: Job | None = None
        self.deadline = 0.0

    def give(self, job: Job, bundle: Bundle, seconds: float) -> None:
        self.job = job
        self.deadline = time.monotonic() + seconds
        with contextlib.suppress(OSError):  # a process that died is seen by whoever waits for it
            self.connection.send((str(bundle.root), job.agent, job.trial, str(job.folder), self.options))

    def end(self) -> None:
        self.process.kill()
        self.process.join()
        self.connection.close()


def run_local(
    jobs: Sequence[Job], bundles: Mapping[str, Bundle], processes: int, seconds: float, report: Report, options: Options = DEFAULTS
) -> None:
    """Verify outputs on so many processes; `report` is told what comes of each as it comes.

    seconds: an output that takes longer is an error.
    """
    # Outputs of one task follow each other, so that a process opens its sources once.
    waiting = deque(sorted(jobs, key=lambda job: (job.task_id, job.trial, job.agent)))
    attempts: dict[tuple[str, str, int], int] = {}
    workers = [_Worker(options) for _ in range(max(1, min(processes, len(waiting))))]
    try:
        while waiting or any(worker.job is not None for worker in workers):
            for worker in workers:
                if worker.ready and worker.job is None and waiting:
                    job = waiting.popleft()
                    worker.give(job, bundles[job.task_id], seconds)
            _wait(workers, waiting, bundles, seconds, attempts, report)
    finally:
        for worker in workers:
            worker.end()


def _wait(
    workers: list[_Worker],
    waiting: deque[Job],
    bundles: Mapping[str, Bundle],
    seconds: float,
    attempts: dict[tuple[str, str, int], int],
    report: Report,
) -> None:
    busy = [worker.deadline for worker in workers if worker.job is not None]
    spoken = wait([worker.connection for worker in workers], max(0.0, min(busy) - time.monotonic()) if busy else None)
    for number, worker in enumerate(workers):
        job = worker.job
        if worker.connection in spoken:
            try:
                done = worker.connection.recv()
            except (EOFError, OSError):
                if not worker.ready:
                    raise RuntimeError("a process could not be started") from None
                if job is not None:
                    attempts[job.key] = attempts.get(job.key, 0) + 1
                    if attempts[job.key] < ATTEMPTS:
                        waiting.appendleft(job)
                    else:
                        report(Done(open_row(job.agent, bundles[job.task_id], job.trial, DIED)))
            else:
                worker.ready = True
                worker.job = None
                if done is not None:
                    report(done)
                continue
        elif job is not None and time.monotonic() >= worker.deadline:
            report(Done(open_row(job.agent, bundles[job.task_id], job.trial, out_of_time(seconds))))
        else:
            continue
        worker.end()
        workers[number] = _Worker(worker.options)
