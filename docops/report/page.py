"""Verdicts as one HTML page that a person reads who knows nothing of docops: what was asked, what holds, what it cost."""

from __future__ import annotations

import html
from collections.abc import Iterator

from docops.core.codes import Outcome
from docops.core.verdict import CriterionResult, GroupResult, Verdict, shorten
from docops.report.words import counted, plain, value_text

MAX_FINDINGS = 10

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1c1c1c; background: #fff }
h1 { font-size: 1.5rem; margin-bottom: .2rem } h2 { font-size: 1.15rem; margin-top: 2rem }
table { border-collapse: collapse; width: 100% } td, th { text-align: left; vertical-align: top; padding: .35rem .6rem; border-bottom: 1px solid #ddd }
.score { white-space: nowrap; width: 9rem } .bar { display: inline-block; width: 4rem; height: .6rem; background: #e4e4e4; margin-right: .5rem }
.bar i { display: block; height: 100%; background: #3c6fb4 } .passed { color: #17683a } .failed { color: #a61b1b } .error { color: #7a3b95 }
.big { font-size: 1.15rem } small, .soft { color: #555 } code { font-size: .9em; overflow-wrap: anywhere }
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
    if verdict.groups or verdict.gates:
        yield "<h2>What makes the score</h2>"
        yield "<table><tr><th>Part<th>Score<th>Why"
        for group in verdict.groups:
            yield _group(group)
        for gate in verdict.gates:
            factor = "open" if gate.factor is None else f"× {gate.factor:g}"
            yield f"<tr><td>Gate: {text(gate.title or gate.id)}<td class=score>{factor}<td>{text(gate.reason)}"
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


def _group(group: GroupResult) -> str:
    depth = group.id.count(".")
    score = "–" if group.outcome is Outcome.NOT_APPLICABLE else bar(group.score)
    critical = " <small>critical</small>" if group.critical else ""
    return f'<tr><td style="padding-left:{0.6 + depth * 1.4:.1f}rem">{text(group.title or group.id)}{critical}<td class=score>{score}<td>{text(group.reason)}'


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
    partial = criterion.score is not None and 0 < criterion.score < 1
    word = f"{criterion.score:.0%}" if partial else _WORDS[criterion.outcome]
    kind = {Outcome.PASSED: "passed", Outcome.FAILED: "failed", Outcome.ERROR: "error"}.get(criterion.outcome, "soft")
    why = "<br>".join(reasons)
    return f"<tr><td>{text(criterion.title or criterion.id)}<td class={kind}>{word}<td>{why}"
