"""Many verdicts: of one bundle in one process, of many outputs on two processes, and on Ray. `python -m benchmarks.throughput`.

Times are of the processor where one process is measured, and of the clock where several share a machine.
"""

from __future__ import annotations

import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from docops.bundle import Bundle, load_bundle
from docops.catalogue import bundle_folders
from docops.running.local import run_local
from docops.running.plan import Job, make_plan
from docops.running.rows import Done
from docops.warm import Verifier

#: A small bundle of each format.
SMALL = ("xlsx-l2-c2-price-update", "docx-l1-c2-payment-term", "pptx-l2-s2-risks-first", "pdf-l2-s2-price-list-first")
FOREVER = 3600.0


def bundle_named(name: str) -> Bundle:
    """A shipped bundle."""
    return load_bundle(next(root for root in bundle_folders() if root.name == name))


def right_output(bundle: Bundle) -> dict[str, bytes]:
    """The bundle's references by the names of the outputs."""
    return {artifact.output: (bundle.root / artifact.reference).read_bytes() for artifact in bundle.artifacts if artifact.reference}


def processor_seconds(step: Callable[[], object], rounds: int) -> float:
    """Processor time of one round of a step in this process."""
    step()
    start = time.process_time()
    for _ in range(rounds):
        step()
    return (time.process_time() - start) / rounds


def cold_seconds(bundle: Bundle, rounds: int = 5) -> float:
    """Processor time of one `docops verify`, its process included."""
    with tempfile.TemporaryDirectory() as folder:
        for name, data in right_output(bundle).items():
            (Path(folder) / name).write_bytes(data)
        command = [sys.executable, "-m", "docops", "verify", str(bundle.root), folder]
        subprocess.run(command, check=True, capture_output=True)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        for _ in range(rounds):
            subprocess.run(command, check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / rounds


def resident_kilobytes() -> int:
    """Memory that this process holds now."""
    return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * resource.getpagesize() // 1024


def one_process(rounds: int = 100) -> None:
    """Verdicts of one bundle in one process."""
    print("| format | verdicts per second per core | unchanged output | cold `docops verify` | ratio | memory after 10 and after 1,000 |")
    print("|---|---:|---:|---:|---:|---:|")
    for name in SMALL:
        bundle = bundle_named(name)
        verifier, output = Verifier(bundle), right_output(bundle)
        source = {artifact.output: (bundle.root / str(artifact.source)).read_bytes() for artifact in bundle.artifacts}
        for _ in range(10):
            verifier(output)
        first = resident_kilobytes()
        warm = processor_seconds(lambda v=verifier, o=output: v(o), rounds)  # type: ignore[misc]
        same = processor_seconds(lambda v=verifier, o=source: v(o), rounds)  # type: ignore[misc]
        for _ in range(max(0, 1000 - 2 * rounds)):
            verifier(output)
        cold = cold_seconds(bundle)
        memory = f"{first / 1024:.0f} and {resident_kilobytes() / 1024:.0f} MiB"
        print(f"| {name.partition('-')[0]} | {1 / warm:.0f} | {1 / same:.0f} | {cold * 1000:.0f} ms | {cold / warm:.0f} × | {memory} |", flush=True)


def clock_seconds(step: Callable[[], object]) -> float:
    """Seconds by the clock."""
    start = time.perf_counter()
    step()
    return time.perf_counter() - start


def scaling(folder: Path, agents: int = 30) -> None:
    """The same outputs on one process and on two."""
    (folder / "bundles").mkdir()
    for name in SMALL:
        bundle = bundle_named(name)
        shutil.copytree(bundle.root, folder / "bundles" / name)
        for agent in range(agents):
            place = folder / "outputs" / f"agent-{agent:02}" / bundle.task_id
            place.mkdir(parents=True)
            for output, data in right_output(bundle).items():
                (place / output).write_bytes(data)
    plan = make_plan(folder / "bundles", folder / "outputs")
    done: list[Done] = []
    one = clock_seconds(lambda: run_local(plan.jobs, plan.bundles, 1, FOREVER, done.append))
    two = clock_seconds(lambda: run_local(plan.jobs, plan.bundles, 2, FOREVER, done.append))
    print(f"{len(plan.jobs)} outputs: {one:.1f} s on one process, {two:.1f} s on two ({one / two:.2f} ×)")


def overhead(folder: Path, count: int = 2000) -> None:
    """What an engine adds to a verdict: outputs without any file, whose verdicts take next to no time."""
    bundle = bundle_named(SMALL[0])
    empty = folder / "empty"
    empty.mkdir()
    jobs = [Job(f"agent-{number}", bundle.task_id, 1, empty) for number in range(count)]
    bundles = {bundle.task_id: bundle}
    verifier = Verifier(bundle)
    itself = processor_seconds(lambda: verifier(empty), 200)
    done: list[Done] = []
    local = clock_seconds(lambda: run_local(jobs, bundles, 2, FOREVER, done.append))
    print(f"a verdict on nothing: {itself * 1e3:.2f} ms; on two processes {local / count * 1e3:.2f} ms each, their start included")
    try:
        import ray
    except ImportError:
        print("Ray is not installed")
        return
    from docops.running.cluster import run_ray

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        start = clock_seconds(lambda: run_ray(jobs[:8], bundles, FOREVER, done.append))
        whole = clock_seconds(lambda: run_ray(jobs, bundles, FOREVER, done.append))
    finally:
        ray.shutdown()
    print(f"on Ray with two workers {whole / count * 1e3:.2f} ms each; the first eight took {start:.1f} s, the start of the workers")


def main() -> None:
    """Print all figures."""
    one_process()
    print()
    with tempfile.TemporaryDirectory() as folder:
        scaling(Path(folder))
        overhead(Path(folder))


if __name__ == "__main__":
    main()
