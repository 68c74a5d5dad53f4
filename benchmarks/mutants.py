"""Mutants per second and core for each format, and how much that is faster than a fresh process for each one.

Run: python benchmarks/mutants.py [--max N]
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from docops.bundle import load_bundle
from docops.catalogue import bundle_folders
from docops.stressing.execute import run_plan
from docops.stressing.plan import MutantSpec, make_plan, right_outputs
from docops.stressing.suites import suite_named


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Mutants per second and core, by format.")
    parser.add_argument("--max", type=int, default=400, help="at most so many mutants in all (default: 400)")
    chosen = parser.parse_args(arguments)
    bundles = [load_bundle(folder) for folder in bundle_folders()]
    plan = make_plan([(bundle, right_outputs(bundle)) for bundle in bundles], suite_named("standard"), 0, chosen.max)
    by_format: dict[str, list[MutantSpec]] = {}
    for spec in plan:
        by_format.setdefault(spec.format, []).append(spec)
    print(f"{'format':8}{'mutants':>9}{'per s':>9}{'fresh process':>15}{'ratio':>7}")
    for name, specs in sorted(by_format.items()):
        start = time.perf_counter()
        run_plan(specs, jobs=1)
        rate = len(specs) / (time.perf_counter() - start)
        fresh = _fresh_process(specs[0])
        print(f"{name:8}{len(specs):9}{rate:9.1f}{fresh:13.2f} s{rate * fresh:7.1f}")
    return 0


def _fresh_process(spec: MutantSpec) -> float:
    """Seconds of `docops verify` on the right output, the best of three."""
    bundle = load_bundle(spec.bundle)
    times = []
    with tempfile.TemporaryDirectory() as folder:
        for name, data in right_outputs(bundle).items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        for _ in range(3):
            start = time.perf_counter()
            subprocess.run([sys.executable, "-m", "docops", "verify", spec.bundle, folder], capture_output=True, check=True)
            times.append(time.perf_counter() - start)
    return min(times)


if __name__ == "__main__":
    raise SystemExit(main())
