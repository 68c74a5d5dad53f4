"""Verdicts as Markdown, for comments on reviews and for pages."""

from __future__ import annotations

from collections.abc import Iterator

from docops.core.codes import Outcome
from docops.core.verdict import CriterionResult, GroupResult, Verdict, shorten
from docops.report.words import counted, in_order, plain, value_text

MAX_FINDINGS = 20

_SPECIAL = str.maketrans({char: f"\\{char}" for char in "\\`*_{}[]<>#|~&"})


def verdict_markdown(verdict: Verdict) -> str:
    """A verdict: a heading, a table of the criteria, and the findings of those that did not pass."""
    return "\n".join(_lines(verdict)) + "\n"


def _lines(verdict: Verdict) -> Iterator[str]:
    yield f"## {escape(verdict.task_id)}: {verdict.status}"
    yield ""
    low, high = verdict.score_interval
    yield f"Score {verdict.score:g}." if low == high else f"Score between {low:g} and {high:g}: an error left the verdict open."
    if verdict.reason:
        yield ""
        yield escape(verdict.reason)
    if verdict.groups or verdict.gates:
        yield ""
        yield "| part | score | why |"
        yield "| --- | --- | --- |"
        for group, depth in in_order(verdict):
            if isinstance(group, GroupResult):
                name = f"{'– ' * depth}{escape(group.title or group.id)}"
                yield f"| {name} | {'open' if group.score is None else f'{group.score:.4g}'} | {escape(group.reason)} |"
        for gate in verdict.gates:
            yield f"| gate: {escape(gate.title or gate.id)} | {'open' if gate.factor is None else f'× {gate.factor:g}'} | {escape(gate.reason)} |"
    yield ""
    yield "| criterion | family | predicate | outcome | reason |"
    yield "| --- | --- | --- | --- | --- |"
    for criterion in verdict.criteria:
        outcome = str(criterion.outcome).replace("_", " ")
        reason = criterion.reason_code or "-"
        yield f"| {escape(criterion.id)} | {criterion.family} | `{criterion.predicate}` | {outcome} | {escape(reason)} |"
    for criterion in verdict.criteria:
        if criterion.outcome in (Outcome.FAILED, Outcome.ERROR):
            yield from _findings(criterion)
    if verdict.extra_files:
        yield ""
        shown = ", ".join(code(name) for name in verdict.extra_files[:MAX_FINDINGS])
        rest = verdict.extra_files_total - min(len(verdict.extra_files), MAX_FINDINGS)
        yield f"{counted(verdict.extra_files_total, 'file')} that no artifact declares: {shown}{f' and {rest} more' if rest > 0 else ''}"


def _findings(criterion: CriterionResult) -> Iterator[str]:
    yield ""
    yield f"### {escape(criterion.title or criterion.id)}"
    yield ""
    if not criterion.findings:
        yield escape(criterion.message)
    for finding in criterion.findings[:MAX_FINDINGS]:
        yield f"- {code(finding.address)}: {escape(finding.message)}"
        if finding.expected is not None or finding.observed is not None:
            yield f"  expected {code(value_text(shorten(finding.expected)))}, observed {code(value_text(shorten(finding.observed)))}"
    rest = criterion.findings_total - min(len(criterion.findings), MAX_FINDINGS)
    if rest > 0:
        yield f"- … and {counted(rest, 'more finding')}"


def escape(text: str) -> str:
    """Text of a document that is only text in Markdown."""
    return plain(text).translate(_SPECIAL)


def code(text: str) -> str:
    """Text in a code span that it cannot leave."""
    text = plain(text)
    longest = max((len(run) for run in "".join(char if char == "`" else " " for char in text).split()), default=0)
    fence = "`" * (longest + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}"
