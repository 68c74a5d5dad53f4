"""Stress runs: how far a bundle's verifier can be trusted, measured by damaging right outputs and rewriting them harmlessly."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from docops import __version__
from docops.bundle import Bundle, load_bundle
from docops.core.canonical import canonical_json, digest
from docops.core.errors import UsageError
from docops.stressing.counts import StressReport, judged
from docops.stressing.execute import MutantResult, apply_spec, default_jobs, result_from_json, run_plan
from docops.stressing.plan import MutantSpec, Parent, find_mutant, make_plan, parents_of, plan_lines, read_journal, right_outputs
from docops.stressing.suites import Suite, suite_named

Progress = Callable[[int, int, str], None]


def stress(
    bundles: Sequence[Bundle | str | os.PathLike[str]],
    suite: str | Suite = "standard",
    seed: int = 0,
    *,
    limit: int | None = None,
    jobs: int | None = None,
    seconds: float = 60.0,
    journal: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> StressReport:
    """What the bundles' verifiers say of a suite's mutants of the references and of the other outputs known to be right.

    limit: at most so many mutants.   seconds: time limit for each mutant.
    jobs: processes (default: all processors); 0: none but this one, without a time limit.
    journal: file that results are added to as they come; a later call with it goes on where this one stopped.
    progress: is told how many of how many are done, and of which task.
    Raises UsageError where a right output is missing or does not pass: what fails unchanged says nothing about mutants.
    """
    chosen = suite if isinstance(suite, Suite) else suite_named(suite)
    loaded = [bundle if isinstance(bundle, Bundle) else load_bundle(bundle) for bundle in bundles]
    parents = [parent for bundle in loaded for parent in parents_of(bundle) if chosen.parents == "all" or not parent.variant]
    for parent in parents:
        check_baseline(parent)
    specs = make_plan(parents, chosen, seed, limit, (lambda task: progress(0, 0, f"planning {task}")) if progress else None)
    keys = {bundle.task_id: digest([__version__, bundle.task_id, bundle.digest])[:16] for bundle in loaded}
    known = read_journal(Path(journal)) if journal is not None else {}
    if journal is not None:
        _end_last_line(Path(journal))
    done = {spec.id: result_from_json(known[spec.id]) for spec in specs if known.get(spec.id, {}).get("key") == keys[spec.task_id]}
    tasks = {spec.id: spec.task_id for spec in specs}
    count = len([spec for spec in specs if spec.id in done])

    def report(results: Sequence[MutantResult]) -> None:
        nonlocal count
        count += len(results)
        if journal is not None:
            with Path(journal).open("a", encoding="utf-8") as stream:
                rows = [{"key": keys[tasks[result.id]], **result.to_json()} for result in results]
                stream.writelines(canonical_json(row).decode("utf-8", "replace") + "\n" for row in rows)
        if progress is not None and results:
            progress(count, len(specs), tasks[results[-1].id])

    results = run_plan(specs, jobs=default_jobs() if jobs is None else jobs, seconds=seconds, done=done, report=report)
    return StressReport(chosen.name, seed, len(loaded), tuple(judged(specs, results, chosen.waivers)))


def _end_last_line(journal: Path) -> None:
    """A line that an interruption cut must not swallow the next one."""
    if journal.is_file() and not journal.read_bytes().endswith(b"\n"):
        with journal.open("ab") as stream:
            stream.write(b"\n")


def check_baseline(parent: Parent) -> None:
    """Nothing, where the right outputs pass.

    Raises UsageError with the reasons where they do not.
    """
    from docops.engine import verify_bundle

    with tempfile.TemporaryDirectory(prefix="docops-baseline-") as folder:
        for name, data in parent.outputs.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        verdict = verify_bundle(parent.bundle, Path(folder))
    if not verdict.passed:
        reasons = [f"{criterion.id}: {criterion.message}" for criterion in verdict.criteria if criterion.outcome not in ("passed", "not_applicable")]
        which = f"the right outputs {parent.variant}" if parent.variant else "the right outputs"
        raise UsageError(f"{parent.bundle.task_id}: {which} do not pass, so mutants of them show nothing ({'; '.join(reasons)[:300]})")


def mutate(
    bundle: Bundle | str | os.PathLike[str],
    out: str | os.PathLike[str],
    output: str | os.PathLike[str] | None = None,
    *,
    suite: str | Suite = "standard",
    seed: int = 0,
    limit: int | None = None,
    identity: str = "",
) -> list[MutantSpec]:
    """Write mutants of a bundle's right outputs into a folder: one folder each, named by its id, and the plan beside them.

    output: a folder with right outputs (default: the references and the other outputs known to be right).   identity: only the mutant with this id.
    Raises UsageError where nothing right is there to mutate, or no mutant has that id.
    """
    loaded = bundle if isinstance(bundle, Bundle) else load_bundle(bundle)
    parents = [Parent(loaded, right_outputs(loaded, Path(output)))] if output is not None else parents_of(loaded)
    if identity:
        specs = [find_mutant(parents, identity)]
    else:
        specs = make_plan(parents, suite if isinstance(suite, Suite) else suite_named(suite), seed, limit)
    root = Path(out)
    root.mkdir(parents=True, exist_ok=True)
    by_variant = {parent.variant: parent for parent in parents}
    for spec in specs:
        parent = by_variant[spec.variant]
        mutation = apply_spec(spec, parent)
        for name, data in parent.outputs.items():
            changed = mutation.data if name == spec.artifact else data
            if changed is not None:
                path = root / spec.id / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(changed)
        (root / spec.id).mkdir(exist_ok=True)
    (root / "plan.jsonl").write_text(plan_lines(specs), encoding="utf-8")
    return specs
