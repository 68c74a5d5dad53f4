"""How bundles are written as tasks of another benchmark."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """What may be chosen when bundles are written in another form.

    skills: carry the folder `skills` of a bundle along.   organisation: first part of the names of tasks.
    image: the container image that is built on, "" for the adapter's own.
    wheel: a wheel of docops to put into tasks, None for one made from the running docops.
    """

    skills: bool = True
    organisation: str = "docops"
    image: str = ""
    wheel: Path | None = None
