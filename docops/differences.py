"""What differs between two documents of one format (`docops.diff/1`)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docops.core.canonical import canonical_json
from docops.core.codes import ALL_ASPECTS, CONTENT_ASPECTS, Aspect
from docops.core.compare import Change, Comparison
from docops.core.document import Document
from docops.core.errors import UsageError
from docops.core.verdict import shorten
from docops.engine import collected_once
from docops.families.preservation import compare_documents
from docops.files import open_path
from docops.registry import format_named

SCHEMA = "docops.diff/1"

#: Changes that the JSON lists; the rest is counted.
MAX_CHANGES = 10_000

PROFILES: Mapping[str, frozenset[Aspect]] = {"native": ALL_ASPECTS, "content": CONTENT_ASPECTS}


@dataclass(frozen=True, slots=True)
class Diff:
    """The changes from one document to another, in document order.

    a, b: the files' names, without their folders.
    """

    a: str
    b: str
    changes: tuple[Change, ...]

    @property
    def equal(self) -> bool:
        """Whether nothing differs."""
        return not self.changes

    def to_dict(self) -> dict[str, Any]:
        """The comparison as JSON values."""
        return {
            "schema": SCHEMA,
            "a": self.a,
            "b": self.b,
            "changes": [
                {
                    "address": change.address,
                    "aspect": str(change.aspect),
                    "name": change.name,
                    "kind": str(change.kind),
                    "before": shorten(change.before),
                    "after": shorten(change.after),
                }
                for change in self.changes[:MAX_CHANGES]
            ],
            "changes_total": len(self.changes),
            "equal": self.equal,
        }

    def to_json(self) -> str:
        """Canonical JSON of the comparison."""
        return canonical_json(self.to_dict()).decode("utf-8", "surrogatepass")


def diff_files(a: str | os.PathLike[str], b: str | os.PathLike[str], *, profile: str = "native") -> Diff:
    """The changes from one file to another.

    Raises Unreadable where one of them cannot be read, UsageError where their formats differ or the profile is unknown.
    """
    with collected_once():
        before, after = open_path(a), open_path(b)
        return Diff(Path(a).name, Path(b).name, tuple(diff_documents(before, after, profile=profile)))


def diff_documents(before: Document, after: Document, *, profile: str = "native") -> list[Change]:
    """The changes from one document to another of the same format."""
    if profile not in PROFILES:
        raise UsageError(f"there is no profile {profile!r}; known are {', '.join(PROFILES)}")
    if before.format != after.format:
        raise UsageError(f"documents of two formats cannot be compared: {before.format} and {after.format}")
    return compare_documents(before, after, format_named(before.format), Comparison(aspects=PROFILES[profile]))
