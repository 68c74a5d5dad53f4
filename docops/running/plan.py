"""What a run covers: every bundle for every agent, with as many trials as the agent has."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from docops.bundle import METADATA, Bundle, load_bundle, registry_hint
from docops.core.errors import BundleError, Problem, UsageError

#: Names of folders that hold one trial each.
_TRIAL = re.compile(r"(?:trial|run|attempt|rollout|sample|seed)?[-_. ]?0*([0-9]{1,6})", re.IGNORECASE)


class NothingToRun(UsageError):
    """The folders are there, and there is nothing in them to run over."""


@dataclass(frozen=True, slots=True)
class Job:
    """One output to be verified; `folder` is None where there is none."""

    agent: str
    task_id: str
    trial: int
    folder: Path | None

    @property
    def key(self) -> tuple[str, str, int]:
        """What tells it from the others of a run, and their order."""
        return (self.agent, self.task_id, self.trial)


@dataclass(frozen=True, slots=True)
class RunPlan:
    """Bundles by task id, and the jobs of every agent in their order.

    unknown: agent → names of its folders that no bundle has as its task id.
    """

    bundles: Mapping[str, Bundle]
    agents: tuple[str, ...]
    jobs: tuple[Job, ...]
    unknown: Mapping[str, tuple[str, ...]]


def make_plan(bundles: Path, outputs: Path, leave_out: Collection[Path] = ()) -> RunPlan:
    """What a run over these folders covers.

    bundles: a bundle, or a folder with bundles at any depth.   outputs: a folder with one folder an agent.
    leave_out: folders that are no agents.
    Raises BundleError with everything that is wrong with any bundle, UsageError where there is nothing to run over.
    """
    found = load_all(bundles)
    if not outputs.is_dir():
        raise UsageError(f"{outputs}: there is no such folder of outputs")
    real = {os.path.realpath(path) for path in leave_out}
    agents = [name for name in _folders(outputs) if os.path.realpath(outputs / name) not in real]
    if agents and set(agents) <= set(found):
        raise UsageError(f"{outputs}: its folders are named like tasks; outputs lie in OUTPUTS/<agent>/<task_id>")
    if not agents:
        raise NothingToRun(f"{outputs}: there is no agent's folder in it")
    jobs: list[Job] = []
    unknown = {}
    for agent in agents:
        jobs += _jobs_of(agent, outputs / agent, found)
        unknown[agent] = tuple(name for name in _folders(outputs / agent) if name not in found)
    return RunPlan(found, tuple(agents), tuple(sorted(jobs, key=lambda job: job.key)), unknown)


def single_agent(bundles: Path, outputs: Path) -> RunPlan | None:
    """What a run covers where the outputs are of one agent without a folder of its own (`OUTPUTS/<task_id>/[trial/]`), or None."""
    found = load_all(bundles)
    if not outputs.is_dir() or not set(_folders(outputs)) & set(found):
        return None
    unknown = tuple(name for name in _folders(outputs) if name not in found)
    return RunPlan(found, ("",), tuple(sorted(_jobs_of("", outputs, found), key=lambda job: job.key)), {"": unknown})


def load_all(folder: Path) -> dict[str, Bundle]:
    """The bundles in a folder by task id, sorted.

    Raises BundleError, UsageError where there is none.
    """
    problems: list[Problem] = []
    found: dict[str, Bundle] = {}
    roots = sorted(_bundle_folders(folder))
    if not folder.is_dir():
        raise UsageError(f"{folder}: there is no such folder of bundles")
    if not roots:
        raise NothingToRun(f"{folder}: there is no bundle in it{registry_hint(folder)}")
    for root in roots:
        name = root.relative_to(folder).as_posix()
        try:
            bundle = load_bundle(root)
        except BundleError as error:
            problems += [
                Problem(f"{name}/{problem.file}" if name != "." else problem.file, problem.path, problem.message) for problem in error.problems
            ]
            continue
        if bundle.task_id in found:
            problems.append(Problem(f"{name}/{METADATA}", "$.task_id", f"{bundle.task_id} is the task of another bundle already"))
        found[bundle.task_id] = bundle
    if problems:
        raise BundleError(problems)
    return dict(sorted(found.items()))


def _bundle_folders(folder: Path) -> Iterator[Path]:
    for directory, folders, files in os.walk(folder):
        if METADATA in files:
            folders.clear()
            yield Path(directory)
        folders[:] = sorted(name for name in folders if not name.startswith("."))


def _folders(folder: Path) -> list[str]:
    return sorted(entry.name for entry in os.scandir(folder) if entry.is_dir() and not entry.name.startswith("."))


def _jobs_of(agent: str, folder: Path, bundles: Mapping[str, Bundle]) -> Iterator[Job]:
    trials = {task_id: _trials(folder, bundle) for task_id, bundle in bundles.items()}
    # What an agent did once is missing where it was not done.
    expected = sorted({number for found in trials.values() for number in found}) or [1]
    for task_id in bundles:
        for number in expected:
            yield Job(agent, task_id, number, trials[task_id].get(number))


def _trials(agent: Path, bundle: Bundle) -> dict[int, Path]:
    """Trial number → folder, of one agent on one task; a task's folder without folders of trials is trial 1."""
    folder = agent / bundle.task_id
    root = os.path.realpath(agent)
    if not folder.is_dir() or not Path(os.path.realpath(folder)).is_relative_to(root):
        return {}
    first = {artifact.output.partition("/")[0] for artifact in bundle.artifacts}
    found: dict[int, Path] = {}
    for name in _folders(folder):
        match = _TRIAL.fullmatch(name)
        if match is None or name in first:
            continue
        number = int(match.group(1))
        if number in found:
            raise UsageError(f"{agent.name}/{bundle.task_id}: {found[number].name!r} and {name!r} are the same trial")
        if Path(os.path.realpath(folder / name)).is_relative_to(root):
            found[number] = folder / name
    if not found or any((folder / name).exists() for name in first):
        return {1: folder}
    return found
