"""The exceptions of docops; the type says who is to blame.

The output is wrong: no exception but a finding, or `Unreadable` while it is being opened.
The bundle or catalogue is wrong: `BundleError`. The caller is wrong: `UsageError`. Anything else is our fault.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from docops.core.codes import FindingCode


class DocopsError(Exception):
    """Root of every exception that docops raises on purpose."""


class UsageError(DocopsError):
    """The caller asked for something that does not exist or cannot be combined."""


class AddressError(DocopsError, ValueError):
    """A text is not an address; the message shows where it stops being one and what was legal there."""


class NotApplicable(DocopsError):
    """Raised by a predicate when its question has no meaning for this document; the outcome is `not_applicable`.

    code: the reason code, where it is not that the question has no meaning but that nobody was there to answer it.
    """

    def __init__(self, message: str = "", code: FindingCode = FindingCode.NOT_APPLICABLE) -> None:
        self.code = code
        super().__init__(message)


class EngineUnavailable(DocopsError):
    """A calculation engine is missing or of another version than the pinned one; the outcome is `error`."""


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One thing that is wrong with a bundle or catalogue entry.

    file: path relative to the bundle or catalogue folder.
    path: place inside it, as `$.artifacts[0].source`.
    message: what is there and what was legal.
    """

    file: str
    path: str
    message: str

    def __str__(self) -> str:
        return f"{self.file}: {self.path}: {self.message}"


class BundleError(DocopsError):
    """A bundle or catalogue entry is invalid; `problems` holds everything that is wrong with it, sorted."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems: Sequence[Problem] = tuple(sorted(set(problems)))
        super().__init__("\n".join(map(str, self.problems)))

    def __reduce__(self) -> tuple[type[BundleError], tuple[Sequence[Problem]]]:
        return type(self), (self.problems,)


class Unreadable(DocopsError):
    """A file cannot be read as the document it should be; becomes a finding with `code`, never a traceback.

    code: `artifact_unreadable`, `artifact_wrong_type`, `artifact_missing`, `artifact_encrypted` or `limit_exceeded`.
    where: part or object inside the file, or "".
    """

    def __init__(self, code: FindingCode, message: str, where: str = "") -> None:
        self.code = code
        self.where = where
        self.message = message
        super().__init__(f"{where}: {message}" if where else message)

    def __reduce__(self) -> tuple[type[Unreadable], tuple[FindingCode, str, str]]:
        return type(self), (self.code, self.message, self.where)
