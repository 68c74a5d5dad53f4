"""Verdicts as one HTML page that a person reads who knows nothing of docops: what was asked, what holds, what it cost."""

from __future__ import annotations

import html
from collections.abc import Iterator

from docops.core.codes import Outcome
from docops.core.verdict import CriterionResult, GroupResult, Verdict, shorten
from docops.report.words import counted, plain, value_text

MAX_FINDINGS = 10
#: Questions that the page names at its top because they do not hold.
MAX_LACKS = 8

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1c1c1c; background: #fff }
h1 { font-size: 1.5rem; margin-bottom: .2rem } h2 { font-size: 1.15rem; margin-top: 2rem }
table { border-collapse: collapse; width: 100% } td, th { text-align: left; vertical-align: top; padding: .35rem .6rem; border-bottom: 1px solid #ddd }
.score { white-space: nowrap; width: 9rem } .bar { display: inline-block; width: 4rem; height: .6rem; background: #e4e4e4; margin-right: .5rem }
.bar i { display: block; height: 100%; background: #3c6fb4 } .passed { color: #17683a } .failed { color: #a61b1b } .error { color: #7a3b95 }
.big { font-size: 1.15rem } small, .soft { color: #555 } .leaf td { font-size: .92em } code { font-size: .9em; overflow-wrap: anywhere }
"""

_WORDS = {Outcome.PASSED: "holds", Outcome.FAILED: "does not hold", Outcome.ERROR: "could not be decided", Outcome.NOT_APPLICABLE: "does not apply"}


def text(value: str) -> str:
    """Text of a document that is only text in HTML."""
    return html.escape(plain(value))


def page(title: str, body: str, style: str = "") -> str:
    """A page that needs nothing beside itself."""
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">\n'
        f"<title>{text(title)}</title>\n<style>{STYLE}{style}</style></head>\n<body>\n{body}\n</body></html>\n"
    )


def verdict_html(verdict: Verdict, *, title: str = "") -> str:
    """A verdict as a page: the result in a sentence, the tree with scores and reasons, then every criterion with its places."""
    return page(title or verdict.task_id, "\n".join(_body(verdict, title)))


def _body(verdict: Verdict, title: str) -> Iterator[str]:
    low, high = verdict.score_interval
    score = f"{low:.0%}" if low == high else f"between {low:.0%} and {high:.0%}"
    yield f"<h1>{text(title or verdict.task_id)}</h1>"
    if title:
        yield f"<p class=soft>{text(verdict.task_id)}</p>"
    word = {"passed": "Passed", "failed": "Not passed", "error": "Open"}[str(verdict.status)]
    yield f"<p class=big><b class={verdict.status}>{word}</b>, score {score}.</p>"
    yield f"<p>{text(verdict.reason)}</p>"
    missed = [criterion for criterion in verdict.criteria if criterion.outcome in (Outcome.FAILED, Outcome.ERROR) and not _is_information(criterion)]
    if missed:
        yield "<h2>What it lacks</h2><ul>"
        yield from (
            f"<li><b>{text(criterion.title or criterion.id)}</b>: {_answer(criterion)}. {_cause(criterion)}" for criterion in missed[:MAX_LACKS]
        )
        rest = len(missed) - MAX_LACKS
        yield f"<li>… and {rest} more</ul>" if rest > 0 else "</ul>"
    if verdict.groups or verdict.gates:
        yield "<h2>What makes the score</h2>"
        yield "<table><tr><th>Part<th>Weight<th>Score<th>Why"
        yield from _tree(verdict)
        for gate in verdict.gates:
            factor = "open" if gate.factor is None else f"× {gate.factor:g}"
            yield f"<tr><td>Gate: {text(gate.title or gate.id)}<td class=soft>total<td class=score>{factor}<td>{text(gate.reason)}"
        yield "</table>"
    yield "<h2>Every question that was asked</h2>"
    yield "<table><tr><th>Question<th>Answer<th>Where and why"
    for criterion in verdict.criteria:
        yield _criterion(criterion)
    yield "</table>"
    yield "<h2>What was looked at</h2><table><tr><th>File<th>SHA-256"
    for artifact in verdict.artifacts:
        digest = artifact.sha256 or "missing"
        yield f"<tr><td>{text(artifact.output)}{'' if artifact.readable else ' (cannot be read)'}<td><code>{digest}</code>"
    yield f"</table>\n<p><small>docops {text(verdict.version)}; the same files give the same verdict.</small></p>"


def bar(score: float | None) -> str:
    """A score as a bar and a number."""
    if score is None:
        return "open"
    return f'<span class=bar><i style="width:{score * 100:.0f}%"></i></span>{score:.0%}'


def _is_information(criterion: CriterionResult) -> bool:
    """Whether it counts for nothing: what docops adds to a rubric of another benchmark."""
    return criterion.implied and not criterion.critical


def _tree(verdict: Verdict) -> Iterator[str]:
    """Groups with the questions below them, in the order in which the questions are asked."""
    groups = {group.id: group for group in verdict.groups}
    gated = {member for gate in verdict.gates for member in gate.of}
    shown: set[str] = set()
    for criterion in verdict.criteria:
        parts = criterion.id.split(".")
        above = [name for count in range(1, len(parts)) if (name := ".".join(parts[:count])) in groups]
        for name in [] if criterion.implied else above:
            if name not in shown:
                shown.add(name)
                yield _group(groups[name], len(above[: above.index(name)]), name in gated)
        if above and not criterion.implied:
            weight = "gate" if criterion.id in gated else f"{criterion.weight:g}"
            yield (
                f'<tr class=leaf><td style="padding-left:{_indent(len(above))}">{text(criterion.title or criterion.id)}{_critical(criterion.critical)}'
                f"<td class=soft>{weight}<td class=score>{_answer(criterion)}<td>{_cause(criterion)}"
            )


def _indent(depth: int) -> str:
    return f"{0.6 + depth * 1.4:.1f}rem"


def _critical(critical: bool) -> str:
    return " <small>critical</small>" if critical else ""


def _group(group: GroupResult, depth: int, gated: bool) -> str:
    score = "–" if group.outcome is Outcome.NOT_APPLICABLE else bar(group.score)
    name = f"{text(group.title or group.id)}{_critical(group.critical)}"
    return (
        f'<tr><td style="padding-left:{_indent(depth)}"><b>{name}</b><td class=soft>{"gate" if gated else f"{group.weight:g}"}'
        f"<td class=score>{score}<td>{text(group.reason)}"
    )


def _answer(criterion: CriterionResult) -> str:
    """What became of a question, in a word or as a share."""
    partial = criterion.score is not None and 0 < criterion.score < 1
    return f"{criterion.score:.0%}" if partial else _WORDS[criterion.outcome]


def _cause(criterion: CriterionResult) -> str:
    """Why a question is not answered with yes, and where."""
    if criterion.outcome is Outcome.PASSED:
        return ""
    place = criterion.findings[0].address if criterion.findings else ""
    message = text(criterion.message[:1].upper() + criterion.message[1:])
    return f"{message}{f' <code>{text(place)}</code>' if place and place not in criterion.message else ''}"


def _criterion(criterion: CriterionResult) -> str:
    reasons = []
    for finding in criterion.findings[:MAX_FINDINGS]:
        shown = ""
        if finding.expected is not None or finding.observed is not None:
            shown = f"<br><small>expected {text(value_text(shorten(finding.expected)))}, found {text(value_text(shorten(finding.observed)))}</small>"
        reasons.append(f"{text(finding.message)} <code>{text(finding.address)}</code>{shown}")
    if not reasons and criterion.message:
        reasons.append(text(criterion.message))
    rest = criterion.findings_total - min(len(criterion.findings), MAX_FINDINGS)
    if rest > 0:
        reasons.append(f"… and {counted(rest, 'more finding')}")
    kind = {Outcome.PASSED: "passed", Outcome.FAILED: "failed", Outcome.ERROR: "error"}.get(criterion.outcome, "soft")
    why = "<br>".join(reasons)
    return f"<tr><td>{text(criterion.title or criterion.id)}<td class={kind}>{_answer(criterion)}<td>{why}"
