"""The verdict of one verifier on one output folder (`docops.verdict/1`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from docops.core.canonical import canonical_json, digest
from docops.core.codes import Family, Outcome
from docops.core.node import Value
from docops.core.predicate import Evidence, Finding

SCHEMA = "docops.verdict/1"

#: Findings of one criterion that a verdict prints; the rest is counted.
MAX_FINDINGS = 50
MAX_EVIDENCE = 10
#: Longest text of one value in a verdict.
MAX_TEXT = 500


class Status(StrEnum):
    """What became of the verification as a whole; `error` where an error leaves the verdict open."""

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class CriterionResult:
    """What became of one criterion.

    score: 1.0 or 0.0 where it was scored (graded criteria in between), None where not.
    reason_code: code of the first finding, or of the error; "" where it passed.
    findings_total: how many there were before the list was cut.
    implied: not written in the verifier but added by docops (preservation of an artifact with a source, and the like).
    """

    id: str
    title: str
    family: Family
    predicate: str
    critical: bool
    weight: float
    outcome: Outcome
    score: float | None
    reason_code: str = ""
    message: str = ""
    findings: tuple[Finding, ...] = ()
    findings_total: int = 0
    evidence: tuple[Evidence, ...] = ()
    source: str = ""
    implied: bool = False


@dataclass(frozen=True, slots=True)
class GroupResult:
    """What became of one group of the verifier's tree."""

    id: str
    title: str
    critical: bool
    score: float | None
    outcome: Outcome
    reason: str = ""
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class GateResult:
    """What became of one compliance gate.

    factor: what the total was multiplied by, None where that is open.   of: ids of the criteria and groups that it names.
    """

    id: str
    title: str
    outcome: Outcome
    factor: float | None
    reason: str = ""
    of: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ArtifactResult:
    """One declared artifact as it was found in the output folder; `sha256` is "" where it is missing."""

    output: str
    format: str
    sha256: str
    bytes: int
    readable: bool


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of one verifier on one output folder; a pure function of the bytes of both.

    passed: status is `passed`.   score: 0.0 to 1.0, the low end of `score_interval`.   reason: why, in plain language.
    engines: calculation engines that were used, with versions, sorted.
    """

    task_id: str
    status: Status
    score: float
    score_interval: tuple[float, float]
    groups: tuple[GroupResult, ...]
    criteria: tuple[CriterionResult, ...]
    artifacts: tuple[ArtifactResult, ...]
    extra_files: tuple[str, ...] = ()
    extra_files_total: int = 0
    engines: tuple[str, ...] = ()
    bundle_digest: str = ""
    version: str = ""
    gates: tuple[GateResult, ...] = ()
    reason: str = ""
    _json: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)

    @property
    def passed(self) -> bool:
        """Whether everything that counts holds and nothing was left open."""
        return self.status is Status.PASSED

    def families(self) -> dict[str, dict[str, int]]:
        """Number of criteria by family and outcome."""
        counts = {str(family): {str(outcome): 0 for outcome in Outcome} for family in Family}
        for criterion in self.criteria:
            counts[str(criterion.family)][str(criterion.outcome)] += 1
        return counts

    def to_dict(self) -> dict[str, Any]:
        """The verdict as JSON values, `digest` included."""
        if not self._json:
            body: dict[str, Any] = {
                "schema": SCHEMA,
                "task_id": self.task_id,
                "status": str(self.status),
                "passed": self.passed,
                "score": self.score,
                "score_interval": list(self.score_interval),
                "families": self.families(),
                "reason": self.reason,
                "groups": [
                    {
                        "id": g.id,
                        "title": g.title,
                        "critical": g.critical,
                        "weight": g.weight,
                        "score": g.score,
                        "outcome": str(g.outcome),
                        "reason": g.reason,
                    }
                    for g in self.groups
                ],
                "gates": [
                    {"id": g.id, "title": g.title, "of": list(g.of), "outcome": str(g.outcome), "factor": g.factor, "reason": g.reason}
                    for g in self.gates
                ],
                "criteria": [_criterion(c) for c in self.criteria],
                "artifacts": [
                    {"output": a.output, "format": a.format, "sha256": a.sha256, "bytes": a.bytes, "readable": a.readable} for a in self.artifacts
                ],
                "extra_files": list(self.extra_files),
                "extra_files_total": self.extra_files_total,
                "engines": list(self.engines),
                "bundle_digest": self.bundle_digest,
                "docops": self.version,
            }
            whole: dict[str, Any] = _whole(body)
            whole["digest"] = digest(whole)
            self._json.update(whole)
        return self._json

    def to_json(self) -> str:
        """Canonical JSON of the verdict."""
        return canonical_json(self.to_dict()).decode("utf-8", "surrogatepass")


def _whole(value: Any) -> Any:
    """The value with half surrogate pairs (file names, broken XML) replaced, so that it is UTF-8 everywhere."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, dict):
        return {_whole(key): _whole(item) for key, item in value.items()}
    return [_whole(item) for item in value] if isinstance(value, list) else value


def _criterion(result: CriterionResult) -> dict[str, Any]:
    return {
        "id": result.id,
        "title": result.title,
        "family": str(result.family),
        "predicate": result.predicate,
        "critical": result.critical,
        "weight": result.weight,
        "outcome": str(result.outcome),
        "score": result.score,
        "reason_code": result.reason_code,
        "message": result.message,
        "findings": [
            {
                "code": str(f.code),
                "address": f.address,
                "expected": shorten(f.expected),
                "observed": shorten(f.observed),
                "message": f.message,
            }
            for f in result.findings
        ],
        "findings_total": result.findings_total,
        "evidence": [{"address": e.address, "excerpt": shorten(e.excerpt)} for e in result.evidence],
        "source": result.source,
        "implied": result.implied,
    }


def shorten(value: Value, limit: int = MAX_TEXT) -> Value:
    """A JSON value with long texts and lists cut, each with a count of the rest; surrogates replaced."""
    if isinstance(value, str):
        text = value.encode("utf-8", "replace").decode("utf-8")
        return text if len(text) <= limit else f"{text[:limit]}… (+{len(text) - limit} characters)"
    if isinstance(value, dict):
        return {str(key): shorten(item, limit) for key, item in value.items()}
    if isinstance(value, Sequence):
        items: list[Value] = [shorten(item, limit) for item in value[:MAX_FINDINGS]]
        return items if len(value) <= MAX_FINDINGS else [*items, f"… (+{len(value) - MAX_FINDINGS} more)"]
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return str(value)
    return value
