"""What the adapters share: a verdict on a folder, the files of a sandbox brought into one, and evidence as plain values.

No adapter gives a number where there is none: `docops.report.reward.NoReward` says that an error left the verdict open.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
import threading
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import docops
from docops.bundle import Bundle
from docops.core.codes import Outcome
from docops.core.errors import UsageError
from docops.core.verdict import Verdict, shorten
from docops.paths import PathProblem, check_relative

#: A bundle or its folder.
AnyBundle = Bundle | str | os.PathLike[str]

#: Failing criteria and findings of each that evidence holds.
MAX_SHOWN = 20

#: Lists the regular files below a folder, separated by NUL; nothing where there is no such folder.
LIST_FILES = ("sh", "-c", 'if [ -d "$1" ]; then cd "$1" && find . -type f -print0; fi', "sh")

#: Documents are read lazily and sources are shared, so that threads take turns.
_lock = threading.Lock()


def load(bundle: AnyBundle) -> Bundle:
    """A bundle, loaded where its folder was given."""
    return bundle if isinstance(bundle, Bundle) else docops.load_bundle(bundle)


def verdict_on(bundle: AnyBundle, folder: str | os.PathLike[str]) -> Verdict:
    """The verdict on the files of a folder; threads take turns."""
    with _lock:
        return docops.verify(bundle, folder)


def evidence(verdict: Verdict) -> dict[str, Any]:
    """What a verdict says, short, as JSON values: status, score, digest, and what did not pass."""
    open_or_failed = [criterion for criterion in verdict.criteria if criterion.outcome in (Outcome.FAILED, Outcome.ERROR)]
    return {
        "task_id": verdict.task_id,
        "status": str(verdict.status),
        "score": verdict.score,
        "digest": verdict.to_dict()["digest"],
        "docops": verdict.version,
        "not_passed": [
            {
                "id": criterion.id,
                "outcome": str(criterion.outcome),
                "reason_code": criterion.reason_code,
                "message": shorten(criterion.message),
                "addresses": [shorten(finding.address) for finding in criterion.findings[:MAX_SHOWN]],
            }
            for criterion in open_or_failed[:MAX_SHOWN]
        ],
        "not_passed_total": len(open_or_failed),
    }


def explanation(verdict: Verdict) -> str:
    """A verdict in a few lines of text."""
    found = evidence(verdict)
    lines = [f"{found['status']}, score {verdict.score:g}"]
    lines += [f"{item['id']}: {item['outcome']} ({item['reason_code']}): {item['message']}" for item in found["not_passed"]]
    return "\n".join(lines)


async def verdict_on_sandbox(bundle: AnyBundle, listing: str, read: Callable[[str], Awaitable[bytes | None]]) -> Verdict:
    """The verdict on the files of a sandbox.

    listing: what `LIST_FILES` printed there.   read: the bytes of a file by its name in the folder, None where it is not there.
    Only declared files are carried over; the others count as there, by their names.
    """
    loaded = load(bundle)
    names = {name.removeprefix("./") for name in listing.split("\0") if name}
    declared = {artifact.output for artifact in loaded.artifacts}
    with tempfile.TemporaryDirectory(prefix="docops-") as folder:
        for name in sorted(names & declared):
            data = await read(name)
            if data is not None:
                _put(Path(folder) / name, data)
        for name in sorted(names - declared):
            if _is_plain(name):
                _put(Path(folder) / name, b"")
        return await asyncio.to_thread(verdict_on, loaded, folder)


def _is_plain(name: str) -> bool:
    try:
        check_relative(name)
    except PathProblem:
        return False
    return True


def _put(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def named(tables: Mapping[str, Any] | None, key: str, given: Any, where: str) -> Any:
    """What was given to an adapter, or else what the task says under a key.

    Raises UsageError where neither says it.
    """
    found = given if given is not None else (tables or {}).get(key)
    if found is None:
        raise UsageError(f"{where} has no {key!r}, and the adapter was given none")
    return found
