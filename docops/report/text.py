"""Reports for people at a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from docops.core.codes import Outcome
from docops.core.predicate import Finding
from docops.core.verdict import CriterionResult, GroupResult, Status, Verdict, shorten
from docops.differences import Diff
from docops.report.words import counted, in_order, plain, value_text

#: Findings of one criterion, criteria that passed, and changes of a comparison that are printed.
MAX_FINDINGS = 10
MAX_CHANGES = 200
MAX_FILES = 20

_WORDS = {Outcome.PASSED: "ok", Outcome.FAILED: "FAIL", Outcome.ERROR: "ERROR", Outcome.NOT_APPLICABLE: "n/a"}
_COLOURS = {"ok": "32", "PASSED": "32", "FAIL": "31", "FAILED": "31", "ERROR": "35", "n/a": "33"}


def paint(word: str, text: str, colour: bool) -> str:
    """`text` in the colour of an outcome's word."""
    return f"\x1b[{_COLOURS[word]}m{text}\x1b[0m" if colour and word in _COLOURS else text


def verdict_text(verdict: Verdict, *, title: str = "", colour: bool = False) -> str:
    """A verdict: what it is, why, and what was looked at."""
    return "\n".join(_verdict_lines(verdict, title, colour)) + "\n"


def _verdict_lines(verdict: Verdict, title: str, colour: bool) -> Iterator[str]:
    word = str(verdict.status).upper()
    low, high = verdict.score_interval
    score = f"score {verdict.score:g}" if low == high else f"score between {low:g} and {high:g}"
    yield f"{paint(word, word, colour)}  {plain(verdict.task_id)}  {score}"
    if title:
        yield f"  {plain(title)}"
    yield ""
    if verdict.reason:
        yield f"  {plain(verdict.reason)}"
        yield ""
    yield from _families(verdict)
    yield from _tree(verdict)
    for outcome in (Outcome.FAILED, Outcome.ERROR, Outcome.NOT_APPLICABLE):
        for criterion in verdict.criteria:
            if criterion.outcome is outcome:
                yield ""
                yield from _criterion(criterion, colour)
    passed = [criterion for criterion in verdict.criteria if criterion.outcome is Outcome.PASSED]
    if passed:
        yield ""
        for criterion in passed:
            yield f"{paint('ok', _WORDS[Outcome.PASSED].ljust(5), colour)} {_headline(criterion)}"
    yield from _files(verdict)
    if verdict.status is Status.ERROR:
        yield ""
        yield "An error left the verdict open: it is neither a pass nor a failure of the output."


def _tree(verdict: Verdict) -> Iterator[str]:
    """Groups that did not hold, and all gates, with their reasons."""
    for group, depth in in_order(verdict):
        if isinstance(group, GroupResult) and group.outcome in (Outcome.FAILED, Outcome.ERROR):
            score = f"score {group.score:.4g}" if group.score is not None else "open"
            yield f"  {'  ' * depth}group {plain(group.title or group.id)}  ({score}): {plain(group.reason)}"
    for gate in verdict.gates:
        yield f"  gate  {plain(gate.title or gate.id)}  {plain(gate.reason)}"


def _families(verdict: Verdict) -> Iterator[str]:
    for family, counts in verdict.families().items():
        if any(counts.values()):
            parts = [f"{number} {outcome.replace('_', ' ')}" for outcome, number in counts.items() if number]
            yield f"  {family.ljust(12)}  {', '.join(parts)}"


def _headline(criterion: CriterionResult) -> str:
    title = f"  {plain(criterion.title)}" if criterion.title else ""
    return f"{plain(criterion.id)}  {criterion.predicate}{title}"


def _criterion(criterion: CriterionResult, colour: bool) -> Iterator[str]:
    word = _WORDS[criterion.outcome]
    code = f"  [{criterion.reason_code}]" if criterion.reason_code else ""
    yield f"{paint(word, word.ljust(5), colour)} {_headline(criterion)}{code}"
    if not criterion.findings and criterion.message:
        yield f"      {plain(criterion.message)}"
    for finding in criterion.findings[:MAX_FINDINGS]:
        yield from finding_lines(finding, criterion.reason_code)
    rest = criterion.findings_total - min(len(criterion.findings), MAX_FINDINGS)
    if rest > 0:
        yield f"      … and {counted(rest, 'more finding')}"


def finding_lines(finding: Finding, known_code: str = "") -> Iterator[str]:
    """One finding: the place, what is wrong, what was expected and what was found.

    known_code: a code that was printed already.
    """
    code = f"  [{finding.code}]" if str(finding.code) != known_code else ""
    yield f"      {plain(finding.address)}{code}"
    yield f"        {plain(finding.message)}"
    if finding.expected is not None or finding.observed is not None:
        yield f"        expected  {value_text(shorten(finding.expected))}"
        yield f"        observed  {value_text(shorten(finding.observed))}"


def _files(verdict: Verdict) -> Iterator[str]:
    if verdict.extra_files:
        yield ""
        yield f"{counted(verdict.extra_files_total, 'file')} that no artifact declares:"
        for name in verdict.extra_files[:MAX_FILES]:
            yield f"      {plain(name)}"
        rest = verdict.extra_files_total - min(len(verdict.extra_files), MAX_FILES)
        if rest > 0:
            yield f"      … and {rest:,} more"
    judges = [name.removeprefix("judge ") for name in verdict.engines if name.startswith("judge ")]
    engines = [name for name in verdict.engines if not name.startswith("judge ")]
    for word, names in (("Recalculated with", engines), ("Judged by", judges)):
        if names:
            yield ""
            yield f"{word} {', '.join(map(plain, names))}."


def diff_text(diff: Diff, *, colour: bool = False) -> str:
    """A comparison: one change after the other."""
    if diff.equal:
        return "equal: the documents mean the same\n"
    lines = [counted(len(diff.changes), "change")]
    for change in diff.changes[:MAX_CHANGES]:
        sign = {"added": "+", "removed": "-", "moved": ">", "changed": "~"}[str(change.kind)]
        word = {"added": "ok", "removed": "FAIL"}.get(str(change.kind), "n/a")
        place = plain(change.address) or "the document"
        if change.place:
            lines.append(paint(word, f"{sign} {place}  {change.kind}", colour))
            target = change.other_address if change.kind == "moved" else ""
            value = change.after if change.kind == "added" else change.before
            if target:
                lines.append(f"    to {plain(target)}")
            elif value is not None:
                lines.append(f"    {value_text(shorten(value))}")
        else:
            lines.append(paint(word, f"{sign} {place}  {change.aspect} {plain(change.name)}", colour))
            lines.append(f"    before  {value_text(shorten(change.before))}")
            lines.append(f"    after   {value_text(shorten(change.after))}")
    if len(diff.changes) > MAX_CHANGES:
        lines.append(f"… and {counted(len(diff.changes) - MAX_CHANGES, 'more change')}")
    return "\n".join(lines) + "\n"


def table(rows: Sequence[Sequence[str]], *, right: frozenset[int] = frozenset()) -> list[str]:
    """Rows in aligned columns.

    right: columns that are aligned to the right.
    """
    if not rows:
        return []
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [cell.rjust(width) if column in right else cell.ljust(width) for column, (cell, width) in enumerate(zip(row, widths, strict=True))]
        lines.append("  ".join(cells).rstrip())
    return lines


def facts_text(facts: Sequence[Mapping[str, Any]]) -> str:
    """Facts under their places."""
    lines: list[str] = []
    place = None
    for fact in facts:
        if fact["address"] != place:
            place = fact["address"]
            lines.append(plain(place) or "the document")
        lines.append(f"    {fact['aspect']} {plain(fact['name'])} = {value_text(fact['value'])}")
    return "\n".join(lines) + "\n" if lines else ""
