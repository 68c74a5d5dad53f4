"""Processes that run mutants: each one is watched, ended where it takes too long, and replaced where it died.

A process is a fresh interpreter that reads one mutant a line and writes one result a line. The time limit is kept from
outside, so that it holds on every system and against native code too.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

from docops.core.canonical import canonical_json
from docops.core.errors import DocopsError
from docops.core.operator import MutantOutcome
from docops.stressing.execute import MutantResult, Workplace, result_from_json, run_spec
from docops.stressing.plan import MutantSpec, spec_from_json

#: Mutants after which a process is replaced, so that memory stays flat over long runs.
LIFETIME = 2000
#: Seconds that a fresh process may take until it is ready.
_START = 300.0


class _Process:
    """One process and the thread that reads what it writes."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        root = str(Path(__file__).parents[2])
        paths = [root, *filter(None, [os.environ.get("PYTHONPATH")])]
        self.child = subprocess.Popen(  # noqa: S603 - this interpreter, this module
            [sys.executable, "-m", "docops.stressing.processes", str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        )
        self.age = 0
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()
        try:
            self.answer(_START)
        except (queue.Empty, EOFError) as error:
            raise DocopsError(f"a process for mutants did not start (code {self.end()})") from error

    def _read(self) -> None:
        if self.child.stdout is not None:
            for line in self.child.stdout:
                self._lines.put(line)
        self._lines.put(b"")

    def answer(self, seconds: float | None) -> bytes:
        """The next line; raises queue.Empty where none comes in time, EOFError where the process ended."""
        line = self._lines.get(timeout=seconds)
        if not line:
            raise EOFError
        return line

    def ask(self, specs: Sequence[MutantSpec]) -> None:
        """Send mutants, so that the process need not wait for the next one."""
        if self.child.stdin is not None:
            self.child.stdin.write(b"".join(canonical_json([spec.bundle, spec.to_json()]) + b"\n" for spec in specs))
            self.child.stdin.flush()
        self.age += len(specs)

    def end(self) -> int:
        """End the process, whatever it is doing, and return its code."""
        if self.child.poll() is None:
            self.child.kill()
        code = self.child.wait()
        for stream in (self.child.stdin, self.child.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):  # what was not yet written to a process that died
                    stream.close()
        return code


def run_in_processes(chunks: Sequence[Sequence[MutantSpec]], jobs: int, seconds: float) -> Iterator[list[MutantResult]]:
    """The results of every chunk as they come.

    seconds: time limit for each mutant; 0 or less: none.
    """
    waiting: queue.SimpleQueue[Sequence[MutantSpec]] = queue.SimpleQueue()
    for chunk in chunks:
        waiting.put(chunk)
    finished: queue.SimpleQueue[list[MutantResult] | Exception] = queue.SimpleQueue()
    stop = threading.Event()
    with tempfile.TemporaryDirectory(prefix="docops-stress-") as folder:
        workers = [_Worker(Path(folder, str(number)), waiting, finished, stop, seconds) for number in range(min(jobs, len(chunks)))]
        for worker in workers:
            worker.start()
        try:
            for _ in chunks:
                results = finished.get()
                if isinstance(results, Exception):
                    raise results
                yield results
        finally:
            stop.set()
            for worker in workers:
                worker.join()


class _Worker(threading.Thread):
    """A thread that gives mutants to one process after the other."""

    def __init__(
        self,
        folder: Path,
        waiting: queue.SimpleQueue[Sequence[MutantSpec]],
        finished: queue.SimpleQueue[list[MutantResult] | Exception],
        stop: threading.Event,
        seconds: float,
    ) -> None:
        super().__init__(daemon=True)
        self.folder, self.waiting, self.finished, self.stop = folder, waiting, finished, stop
        self.seconds = seconds if seconds > 0 else None
        self.process: _Process | None = None

    def run(self) -> None:
        """Take chunks until none is left."""
        try:
            while (chunk := self._next()) is not None:
                self.finished.put(self._results(chunk))
        except Exception as error:
            self.finished.put(error)
        finally:
            self._end()

    def _next(self) -> Sequence[MutantSpec] | None:
        try:
            return None if self.stop.is_set() else self.waiting.get_nowait()
        except queue.Empty:
            return None

    def _end(self) -> int:
        code = self.process.end() if self.process is not None else 0
        self.process = None
        return code

    def _results(self, specs: Sequence[MutantSpec]) -> list[MutantResult]:
        results: list[MutantResult] = []
        while len(results) < len(specs):
            if self.process is not None and self.process.age >= LIFETIME:
                self._end()
            if self.process is None:
                self.process = _Process(self.folder)
            try:
                self.process.ask(specs[len(results) :])
                while len(results) < len(specs):
                    results.append(result_from_json(json.loads(self.process.answer(self.seconds))))
            except queue.Empty:
                self._end()
                note = f"no verdict within {self.seconds:g} seconds"
                results.append(MutantResult(specs[len(results)].id, MutantOutcome.TIMEOUT, note=note))
            except (EOFError, OSError):
                note = f"the process ended with code {self._end()}"
                results.append(MutantResult(specs[len(results)].id, MutantOutcome.ERROR, note=note))
        return results


def main() -> None:
    """Run the mutants that are asked for until there are no more."""
    answers = os.fdopen(os.dup(1), "wb")
    # What a library prints must not be taken for an answer.
    os.dup2(2, 1)
    answers.write(b"ready\n")
    answers.flush()
    workplace = Workplace(sys.argv[1])
    for line in sys.stdin.buffer:
        bundle, row = json.loads(line)
        result = run_spec(spec_from_json(row, bundle), workplace)
        answers.write(canonical_json(result.to_json()) + b"\n")
        answers.flush()


if __name__ == "__main__":
    main()
