"""Results as GitHub Actions shows them: workflow commands that become annotations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from docops.core.codes import Outcome
from docops.core.verdict import Verdict
from docops.report.words import plain

if TYPE_CHECKING:
    from docops.running.summary import RunReport

#: Annotations that one step may show of each kind.
MAX_ANNOTATIONS = 10


def annotation(kind: str, title: str, message: str, file: str = "") -> str:
    """One workflow command.

    kind: `error`, `warning` or `notice`.   file: what it stands at, relative to the repository.
    """
    properties = [f"file={_property(file)}"] if file else []
    properties.append(f"title={_property(title)}")
    return f"::{kind} {','.join(properties)}::{_data(message)}"


def _data(text: str) -> str:
    return "\n".join(map(plain, text.split("\n"))).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _limited(found: list[str], what: str) -> Iterator[str]:
    yield from found[: MAX_ANNOTATIONS - 1 if len(found) > MAX_ANNOTATIONS else MAX_ANNOTATIONS]
    if len(found) > MAX_ANNOTATIONS:
        yield annotation("error", what, f"and {len(found) - MAX_ANNOTATIONS + 1} more")


def verdict_annotations(verdict: Verdict) -> str:
    """A verdict as annotations: one for each criterion that did not pass, its first findings in it."""
    found = []
    for criterion in verdict.criteria:
        if criterion.outcome in (Outcome.FAILED, Outcome.ERROR):
            places = [f"{finding.address}: {finding.message}" for finding in criterion.findings[:5]] or [criterion.message]
            found.append(annotation("error", f"{verdict.task_id}: {criterion.id} {criterion.outcome}", "\n".join(places)))
    lines = [*_limited(found, verdict.task_id), annotation("notice", verdict.task_id, f"{verdict.status}, score {verdict.score:g}")]
    return "\n".join(lines) + "\n"


def run_annotations(report: RunReport) -> str:
    """A run as annotations: outputs without a verdict, and the rate of every agent."""
    from docops.report.run import percent, percent_interval

    found = [annotation("error", f"{row.agent}: {row.task_id}, trial {row.trial}: no verdict", row.note) for row in report.errors]
    lines = list(_limited(found, "no verdict"))
    for name, agent in report.to_dict()["agents"].items():
        rate = (
            f"pass rate {percent(agent['pass_rate'])} ({percent_interval(agent['interval'])}), {agent['missing']} missing, {agent['errors']} errors"
        )
        lines.append(annotation("notice", name, rate))
    return "\n".join(lines) + "\n"
