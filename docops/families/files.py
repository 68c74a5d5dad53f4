"""Predicates on the files of the output folder."""

from __future__ import annotations

from collections.abc import Iterator

from docops.core.codes import Family, FindingCode
from docops.core.predicate import Context, Evidence, Example, Finding, Predicate, predicate

_TEXT = {"notes.txt": b"hello\n"}


@predicate(
    "file.exists",
    family=Family.STRUCTURAL,
    examples=(
        Example("the file is there", lambda: _TEXT, {"at": "notes.txt"}, passes=True),
        Example("the file is not there", lambda: _TEXT, {"at": "minutes.txt"}, passes=FindingCode.ARTIFACT_MISSING),
    ),
)
def exists(context: Context, *, at: str) -> Iterator[Finding | Evidence]:
    """A regular file of this name is in the output folder.

    at: its path relative to the output folder.

    Not checked: what the file holds.
    """
    if context.output_exists(at):
        yield Evidence(at, "present")
    else:
        yield Finding(FindingCode.ARTIFACT_MISSING, at, "a file", None, f"{at} is not in the output folder")


PREDICATES: tuple[Predicate, ...] = (exists,)
