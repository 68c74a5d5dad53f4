"""Rows of a run: one output of one agent on one task, with what became of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from docops.bundle import Bundle
from docops.core.canonical import canonical_json, digest, sha256
from docops.core.codes import Family, FindingCode, Outcome
from docops.core.errors import Unreadable
from docops.core.verdict import Status, Verdict
from docops.sides import Snapshot

#: Failure modes: what went wrong, in the words of the DocOps benchmark, and `no output` for what was never there to judge.
STATE_TRACKING = "state tracking"
DESTRUCTIVE_EDIT = "destructive edit"
SEMANTIC_GAP = "semantic gap"
NO_OUTPUT = "no output"
MODES = (STATE_TRACKING, DESTRUCTIVE_EDIT, SEMANTIC_GAP, NO_OUTPUT)

_NO_OUTPUT = frozenset(
    {
        FindingCode.ARTIFACT_MISSING,
        FindingCode.ARTIFACT_UNREADABLE,
        FindingCode.ARTIFACT_WRONG_TYPE,
        FindingCode.ARTIFACT_ENCRYPTED,
        FindingCode.LIMIT_EXCEEDED,
    }
)
_SEMANTIC = frozenset({FindingCode.MISMATCH, FindingCode.HIDDEN_TEXT, FindingCode.WRONG_PRECEDENTS})


@dataclass(frozen=True, slots=True)
class Row:
    """What became of one output.

    score: None where an error left the verdict open; `score_interval` then has its bounds.
    formats: of the task's artifacts, sorted.   reason_codes: of criteria that did not pass, sorted.
    families: of criteria that failed.   modes: failure modes, see MODES.
    missing: nothing of what the task asks for was there.   note: why there is no verdict.
    inputs: digest of all that the verdict depends on, "" where there is none; a resumed run compares it.
    """

    agent: str
    task_id: str
    trial: int
    status: Status
    passed: bool
    score: float | None
    score_interval: tuple[float, float]
    level: str
    formats: tuple[str, ...]
    operations: tuple[str, ...]
    domain: str
    reason_codes: tuple[str, ...] = ()
    families: tuple[str, ...] = ()
    modes: tuple[str, ...] = ()
    missing: bool = False
    note: str = ""
    inputs: str = ""

    def to_json(self) -> dict[str, Any]:
        """The row as JSON values."""
        return asdict(self)

    def line(self) -> str:
        """The row as one line of a JSONL file."""
        return canonical_json(self.to_json()).decode("utf-8", "replace") + "\n"


@dataclass(frozen=True, slots=True)
class Done:
    """What came of one job: its row, and the verdict as JSON where there is one."""

    row: Row
    verdict: str = ""


def row_from_json(raw: Mapping[str, Any]) -> Row:
    """The row that `to_json` wrote."""
    low, high = raw["score_interval"]
    lists = {name: tuple(raw[name]) for name in ("formats", "operations", "reason_codes", "families", "modes")}
    return Row(**{**raw, **lists, "status": Status(raw["status"]), "score_interval": (low, high)})


def _blank(agent: str, bundle: Bundle, trial: int) -> dict[str, Any]:
    return {
        "agent": agent,
        "task_id": bundle.task_id,
        "trial": trial,
        "level": bundle.level,
        "formats": tuple(sorted({artifact.format for artifact in bundle.artifacts if artifact.format})),
        "operations": tuple(sorted(bundle.operations)),
        "domain": bundle.domain,
    }


def row_of_verdict(agent: str, bundle: Bundle, trial: int, verdict: Verdict, outputs: Snapshot, allowed: str = "") -> Row:
    """The row of an output that has a verdict.

    allowed: `key` of the options.
    """
    failed = [criterion for criterion in verdict.criteria if criterion.outcome is Outcome.FAILED]
    wrong = [criterion for criterion in verdict.criteria if criterion.outcome in (Outcome.FAILED, Outcome.ERROR)]
    open_verdict = verdict.status is Status.ERROR
    errors = [f"{criterion.id}: {criterion.message}" for criterion in verdict.criteria if criterion.outcome is Outcome.ERROR]
    modes = {failure_mode(criterion.family, criterion.reason_code) for criterion in failed}
    return Row(
        **_blank(agent, bundle, trial),
        status=verdict.status,
        passed=verdict.passed,
        score=None if open_verdict else verdict.score,
        score_interval=verdict.score_interval,
        reason_codes=tuple(sorted({criterion.reason_code for criterion in wrong if criterion.reason_code})),
        families=tuple(sorted({str(criterion.family) for criterion in failed})),
        modes=tuple(mode for mode in MODES if mode in modes),
        missing=not any(artifact.output in outputs.files for artifact in bundle.artifacts if not artifact.read_only),
        note="; ".join(errors)[:300] if open_verdict else "",
        inputs=inputs_digest(bundle, outputs, verdict.version, allowed),
    )


def missing_row(agent: str, bundle: Bundle, trial: int) -> Row:
    """The row of an output that is not there: failed, whatever the verifier would say of nothing."""
    code = str(FindingCode.ARTIFACT_MISSING)
    return Row(
        **_blank(agent, bundle, trial),
        status=Status.FAILED,
        passed=False,
        score=0.0,
        score_interval=(0.0, 0.0),
        reason_codes=(code,),
        modes=(NO_OUTPUT,),
        missing=True,
    )


def open_row(agent: str, bundle: Bundle, trial: int, note: str) -> Row:
    """The row of an output on which there is no verdict: an error, never a failure."""
    return Row(**_blank(agent, bundle, trial), status=Status.ERROR, passed=False, score=None, score_interval=(0.0, 1.0), note=note)


def failure_mode(family: Family, code: str) -> str:
    """The mode that a failed criterion belongs to."""
    if code in _NO_OUTPUT:
        return NO_OUTPUT
    if family is Family.PRESERVATION:
        return DESTRUCTIVE_EDIT
    return SEMANTIC_GAP if family is Family.ANCHOR or code in _SEMANTIC else STATE_TRACKING


def inputs_digest(bundle: Bundle, outputs: Snapshot, version: str, allowed: str = "") -> str:
    """Digest of all that a verdict depends on.

    allowed: `key` of the options.
    """
    files = {name: str(found) if isinstance(found, Unreadable) else sha256(found) for name, found in outputs.files.items()}
    return digest(
        [
            version if not allowed else f"{version}, {allowed}",
            bundle.digest,
            files,
            [name.encode("utf-8", "replace").decode() for name in outputs.listed],
        ]
    )
