"""Tasks of another benchmark's form: how they are written from bundles and read into bundles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """What may be chosen when bundles are written in another form.

    skills: carry the folder `skills` of a bundle along.   organisation: first part of the names of tasks.
    image: the container image that is built on, "" for the exchange's own.
    wheel: a wheel of docops to put into tasks, None for one made from the running docops.
    """

    skills: bool = True
    organisation: str = "docops"
    image: str = ""
    wheel: Path | None = None


@dataclass(frozen=True, slots=True)
class Exchange:
    """One other form of tasks; what it cannot do is None. Both give back a line for each thing that a person should know.

    export_tasks: folders of bundles → a task each in a folder.   import_task: a task → a bundle in a folder.
    """

    name: str
    summary: str
    export_tasks: Callable[[Sequence[Path], Path, ExportOptions], list[str]] | None = None
    import_task: Callable[[Path, Path], list[str]] | None = None
