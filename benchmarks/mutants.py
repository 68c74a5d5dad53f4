"""Mutants per second and core for each format, and how much that is faster than a fresh process for each one.

Both are measured in processor seconds, so that a busy machine gives much the same numbers as a quiet one. Making the
mutant, verifying it and telling whether the findings stand at its place is all in; planning is printed by itself.

Run: python benchmarks/mutants.py [--suite NAME] [--max N]
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from docops.bundle import load_bundle
from docops.catalogue import bundle_folders
from docops.stressing.execute import run_plan
from docops.stressing.plan import MutantSpec, make_plan, parents_of, right_outputs
from docops.stressing.suites import suite_named


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Mutants per second and core, by format.")
    parser.add_argument("--suite", default="full", help="mutation suite (default: full)")
    parser.add_argument("--max", type=int, default=1000, help="at most so many mutants in all (default: 1000)")
    chosen = parser.parse_args(arguments)
    start = time.process_time()
    parents = [parent for folder in bundle_folders() for parent in parents_of(load_bundle(folder))]
    plan = make_plan(parents, suite_named(chosen.suite), 0, chosen.max)
    print(f"planned {len(plan)} mutants of {len(parents)} right outputs in {time.process_time() - start:.1f} s of processor time")
    by_format: dict[str, list[MutantSpec]] = {}
    for spec in plan:
        by_format.setdefault(spec.format, []).append(spec)
    print(f"{'format':8}{'mutants':>9}{'ms each':>9}{'per s':>9}{'fresh process':>15}{'ratio':>7}")
    total = 0.0
    for name, specs in sorted(by_format.items()):
        run_plan(specs[:1], jobs=0)  # imports are paid once a run, not once a mutant
        start = time.process_time()
        run_plan(specs, jobs=0)
        seconds = time.process_time() - start
        total += seconds
        fresh = _fresh_process(specs[0])
        print(f"{name:8}{len(specs):9}{seconds / len(specs) * 1000:9.1f}{len(specs) / seconds:9.1f}{fresh:13.2f} s{fresh * len(specs) / seconds:7.1f}")
    print(f"{'all':8}{len(plan):9}{total / len(plan) * 1000:9.1f}{len(plan) / total:9.1f}")
    return 0


def _fresh_process(spec: MutantSpec) -> float:
    """Processor seconds of `docops verify` on the right output, the best of three."""
    bundle = load_bundle(spec.bundle)
    times = []
    with tempfile.TemporaryDirectory() as folder:
        for name, data in right_outputs(bundle).items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        for _ in range(3):
            before = os.times()
            subprocess.run([sys.executable, "-m", "docops", "verify", spec.bundle, folder], capture_output=True, check=True)
            after = os.times()
            times.append(after.children_user + after.children_system - before.children_user - before.children_system)
    return min(times)


if __name__ == "__main__":
    raise SystemExit(main())
