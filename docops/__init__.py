"""DocOps: a deterministic, offline verifier for office documents (xlsx, docx, pptx, pdf).

`import docops` loads no native library; each function loads what it needs when it is called.
"""

from __future__ import annotations

TYPE_CHECKING = False  # type checkers take it for True; importing `typing` would cost half of the start
if TYPE_CHECKING:
    import os
    from collections.abc import Sequence
    from typing import Any

    from docops.bundle import Bundle
    from docops.core.document import Document
    from docops.core.errors import BundleError, DocopsError, Unreadable
    from docops.core.options import Options
    from docops.core.verdict import Verdict
    from docops.differences import Diff
    from docops.running.run import Progress
    from docops.running.summary import RunReport
    from docops.stressing.counts import StressReport
    from docops.stressing.plan import MutantSpec
    from docops.stressing.suites import Suite
    from docops.warm import Verifier

__version__ = "0.1.0"

__all__ = [
    "BundleError",
    "DocopsError",
    "Options",
    "Unreadable",
    "Verifier",
    "__version__",
    "diff",
    "load_bundle",
    "mutate",
    "open_document",
    "run",
    "stress",
    "verify",
]

_LAZY = {
    "BundleError": "docops.core.errors",
    "DocopsError": "docops.core.errors",
    "Options": "docops.core.options",
    "Unreadable": "docops.core.errors",
    "Verifier": "docops.warm",
}


def load_bundle(folder: str | os.PathLike[str]) -> Bundle:
    """The task bundle in a folder.

    Raises BundleError with everything that is wrong with it.
    """
    from docops.bundle import load_bundle as load

    return load(folder)


def verify(bundle: str | os.PathLike[str] | Bundle, output: str | os.PathLike[str], *, options: Options | None = None) -> Verdict:
    """The verdict of a bundle on the files of an output folder.

    bundle: a loaded bundle or its folder.   options: what is allowed beyond the bundle (code of a rubric, a model); default: nothing.
    Raises BundleError where the bundle is invalid; whatever the outputs hold is part of the verdict.
    """
    from pathlib import Path

    from docops.bundle import Bundle as Loaded
    from docops.core.options import DEFAULTS
    from docops.engine import verify_bundle

    return verify_bundle(bundle if isinstance(bundle, Loaded) else load_bundle(bundle), Path(output), options=options or DEFAULTS)


def open_document(path: str | os.PathLike[str]) -> Document:
    """The document in a file, by the ending of its name.

    Raises Unreadable where it cannot be read as one, UsageError where docops opens no files of that ending.
    """
    from docops.files import open_path

    return open_path(path)


def diff(a: str | os.PathLike[str], b: str | os.PathLike[str], *, profile: str = "native") -> Diff:
    """What differs between two documents of one format, place by place.

    profile: `native` (every aspect) or `content` (what another program's re-save keeps).
    Raises Unreadable where one of them cannot be read, UsageError where they are of different formats.
    """
    from docops.differences import diff_files

    return diff_files(a, b, profile=profile)


def stress(
    bundles: Sequence[Bundle | str | os.PathLike[str]],
    suite: str | Suite = "standard",
    seed: int = 0,
    *,
    limit: int | None = None,
    jobs: int | None = None,
    seconds: float = 60.0,
) -> StressReport:
    """What the bundles' verifiers say of a suite's mutants of the references: detection rate, false alarms, survivors.

    limit: at most so many mutants.   jobs: processes (default: all processors).   seconds: time limit for each mutant.
    Raises UsageError where a reference is missing or does not pass.
    """
    from docops.stressing.run import stress as run

    return run(bundles, suite, seed, limit=limit, jobs=jobs, seconds=seconds)


def mutate(
    bundle: Bundle | str | os.PathLike[str],
    out: str | os.PathLike[str],
    output: str | os.PathLike[str] | None = None,
    *,
    suite: str | Suite = "standard",
    seed: int = 0,
    limit: int | None = None,
) -> list[MutantSpec]:
    """Write mutants of a bundle's right outputs into a folder, one folder each, and the plan beside them.

    output: a folder with right outputs (default: the references).
    Raises UsageError where nothing right is there to mutate.
    """
    from docops.stressing.run import mutate as run

    return run(bundle, out, output, suite=suite, seed=seed, limit=limit)


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
) -> RunReport:
    """The verdicts on all outputs of all agents, and the statistics of them.

    bundles: a bundle, or a folder with bundles.   outputs: a folder `<agent>/<task_id>/[trial/]`.
    jobs: processes (default: all processors).   engine: `local`, or `ray` for a Ray cluster.
    out: a folder for rows and summaries; rows are kept there as they come.   resume: go on with what `out` holds.
    seconds: an output that takes longer is an error, never a failure.   seed: of the resamples.
    progress: is told how many of how many are done, and of which task.
    Raises BundleError with everything that is wrong with any bundle, UsageError where there is nothing to run over.
    """
    from docops.running.run import run as run_all

    return run_all(bundles, outputs, jobs=jobs, engine=engine, resume=resume, out=out, seconds=seconds, seed=seed, progress=progress)


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        from importlib import import_module

        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'docops' has no attribute {name!r}")
