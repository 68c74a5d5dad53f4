"""Runs: the plan, what is known of it from before, the rest verified, and everything kept as it comes."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

from docops.core.canonical import canonical_json
from docops.core.errors import UsageError
from docops.core.options import DEFAULTS, Options
from docops.core.verdict import Status
from docops.running import kept as kept_verdicts
from docops.running.costs import read_costs
from docops.running.kept import Kept, read_kept, seen_from
from docops.running.local import run_local
from docops.running.plan import Job, RunPlan, make_plan
from docops.running.rows import Done, Row, inputs_digest, missing_row, row_from_json
from docops.running.summary import RunReport
from docops.stressing.execute import default_jobs
from docops.warm import Verifier

ROWS = "rows.jsonl"
#: Rows as they came; it is there as long as a run is not finished.
JOURNAL = "journal.jsonl"
ENGINES = ("local", "ray")

Progress = Callable[[int, int, str], None]


def run(
    bundles: str | os.PathLike[str],
    outputs: str | os.PathLike[str],
    *,
    jobs: int | None = None,
    engine: str = "local",
    resume: bool = False,
    out: str | os.PathLike[str] | None = None,
    seconds: float = 300.0,
    seed: int = 0,
    progress: Progress | None = None,
    options: Options = DEFAULTS,
) -> RunReport:
    """The verdicts on all outputs of all agents, and the statistics of them.

    bundles: a bundle, or a folder with bundles.   outputs: a folder `<agent>/<task_id>/[trial/]`.
    jobs: processes (default: all processors).   engine: `local`, or `ray` for a Ray cluster.
    out: a folder for rows and summaries; rows are kept there as they come.   resume: go on with what `out` holds.
    seconds: an output that takes longer is an error, never a failure.   seed: of the resamples.
    progress: is told how many of how many are done, and of which task.
    options: what is allowed and configured beyond the bundles. A judge must come from `make_judge`, so that every process can make
    it again; processes share its record. On a Ray cluster there is no judge, since machines share no record.
    Raises BundleError with everything that is wrong with any bundle, UsageError where there is nothing to run over.
    """
    from docops.report.run import write_reports

    if engine not in ENGINES:
        raise UsageError(f"there is no engine {engine!r}; known are {', '.join(ENGINES)}")
    if engine == "ray" and options.judge is not None:
        raise UsageError("a run on a Ray cluster takes no judge: its machines share no record of answers")
    folder = Path(out) if out is not None else None
    if resume and folder is None:
        raise UsageError("a run that is to be resumed needs the folder that it wrote to (--out)")
    plan = make_plan(Path(bundles), Path(outputs), [folder] if folder is not None else [])
    costs = read_costs(Path(outputs), plan.agents)
    found = {job.key: missing_row(job.agent, plan.bundles[job.task_id], job.trial) for job in plan.jobs if job.folder is None}
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        before = _from_before(folder, plan, options) if resume else {}
        found.update(before)
        # What is taken over is written anew: a line that was cut off in the middle must not run into the next.
        verdicts = [verdict.line() for verdict in _kept(folder).values() if verdict.key in before]
        (folder / kept_verdicts.JOURNAL).write_text("".join(verdicts), encoding="utf-8")
        (folder / JOURNAL).write_text("".join(row.line() for row in found.values()), encoding="utf-8")
        for name in (ROWS, kept_verdicts.VERDICTS):
            (folder / name).unlink(missing_ok=True)
    left = [job for job in plan.jobs if job.key not in found]
    made_in = {job.key: job.folder for job in left}

    def report(done: Done) -> None:
        row = done.row
        key = (row.agent, row.task_id, row.trial)
        found[key] = row
        if folder is not None:
            place = made_in[key]
            if done.verdict and place is not None:
                verdict = Kept(row.agent, row.trial, seen_from(Path(outputs), place), json.loads(done.verdict))
                with (folder / kept_verdicts.JOURNAL).open("a", encoding="utf-8") as stream:
                    stream.write(verdict.line())
            with (folder / JOURNAL).open("a", encoding="utf-8") as stream:
                stream.write(row.line())
        if progress is not None:
            progress(len(found), len(plan.jobs), f"{row.agent} {row.task_id}")

    if left and engine == "ray":
        from docops.running.cluster import run_ray

        run_ray(left, plan.bundles, seconds, report, options)
    elif left:
        run_local(left, plan.bundles, default_jobs() if jobs is None else jobs, seconds, report, options)
    result = RunReport(tuple(found[job.key] for job in plan.jobs), plan.agents, plan.unknown, costs, seed)
    if folder is not None:
        write_reports(result, folder)
        kept = _kept(folder)
        with (folder / kept_verdicts.VERDICTS).open("w", encoding="utf-8", newline="") as stream:
            stream.writelines(kept[job.key].line() for job in plan.jobs if job.key in kept)
        places = {"bundles": seen_from(folder, Path(bundles)), "outputs": seen_from(folder, Path(outputs))}
        (folder / kept_verdicts.PLACES).write_bytes(canonical_json(places) + b"\n")
        for name in (JOURNAL, kept_verdicts.JOURNAL):
            (folder / name).unlink()
    return result


def _kept(folder: Path) -> dict[kept_verdicts.Key, Kept]:
    return {verdict.key: verdict for verdict in read_kept(folder, (kept_verdicts.VERDICTS, kept_verdicts.JOURNAL))}


def _from_before(folder: Path, plan: RunPlan, options: Options) -> dict[tuple[str, str, int], Row]:
    """Rows of an earlier run that still hold: same bundle, same bytes of the output, and a verdict."""
    kept = _kept(folder)
    rows = {key: row for name in (ROWS, JOURNAL) for row in _read_rows(folder / name) if (key := (row.agent, row.task_id, row.trial)) in kept}
    verifiers: dict[str, Verifier] = {}
    return {job.key: row for job in plan.jobs if (row := rows.get(job.key)) is not None and _still_holds(job, row, plan, verifiers, options)}


def _read_rows(path: Path) -> Iterator[Row]:
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return
    for line in lines:
        try:
            yield row_from_json(json.loads(line))
        except (ValueError, TypeError, KeyError):  # the line that was being written when the run ended
            continue


def _still_holds(job: Job, row: Row, plan: RunPlan, verifiers: dict[str, Verifier], options: Options) -> bool:
    from docops import __version__

    if job.folder is None or row.status is Status.ERROR or not row.inputs:
        return False
    bundle = plan.bundles[job.task_id]
    verifier = verifiers.get(job.task_id)
    if verifier is None:
        verifiers.clear()
        verifier = verifiers[job.task_id] = Verifier(bundle)
    return row.inputs == inputs_digest(bundle, verifier.snapshot(job.folder), __version__, options.key)
