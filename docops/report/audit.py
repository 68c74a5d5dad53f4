"""The page that goes with an audit sheet: task, before and after, what was looked at, and the questions; no verdict."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from docops.core.verdict import shorten
from docops.meta.audit import Judged, changes_of, question
from docops.report.page import page
from docops.report.page import text as escaped
from docops.report.words import value_text

#: Places that are shown for one question.
MAX_PLACES = 8


def audit_html(sample: Sequence[Judged]) -> str:
    """The page: one section for each sampled output, in the order of the sheet."""
    parts = [
        "<h1>Audit sheet</h1>",
        "<p>For each question, write into the column <code>score</code> of the sheet: 1 where it holds, 0.5 where it holds in part, 0 where it does "
        "not, N/A where it has no meaning. Judge from the documents; what docops said of them is not shown.</p>",
    ]
    for number, judged in enumerate(sample, 1):
        parts += _section(number, judged)
    return page("Audit sheet", "\n".join(parts))


def _section(number: int, judged: Judged) -> Iterator[str]:
    yield f"<h2>{number}. {escaped(judged.name)}</h2>"
    if judged.bundle is not None:
        yield "<h3>Instruction</h3>" + "".join(f"<p>{escaped(block)}" for block in judged.bundle.instruction.split("\n\n"))
    for name, rows, note in changes_of(judged):
        yield f"<h3>{escaped(name)}: before and after</h3>"
        if rows:
            yield "<table><tr><th>Place<th>Change<th>Before<th>After"
            for place, what, before, after in rows:
                shown = "".join(f"<td>{escaped(value_text(shorten(value))) if value is not None else ''}" for value in (before, after))
                yield f"<tr><td><code>{escaped(place)}</code><td>{escaped(what)}{shown}"
            yield "</table>"
        yield f"<p class=soft>{escaped(note or ('' if rows else 'nothing changed'))}</p>"
    yield "<h3>Questions</h3><table><tr><th>Checkpoint<th>Question<th>Findings: what stands where"
    for criterion in judged.verdict["criteria"]:
        yield f"<tr><td><code>{escaped(criterion['id'])}</code><td>{escaped(question(criterion))}<td>{'<br>'.join(_places(criterion))}"
    yield "</table>"


def _places(criterion: Mapping[str, Any]) -> list[str]:
    """What was looked at, findings and evidence alike, so that neither says how it was judged."""
    seen = [(entry["address"], value_text(entry["excerpt"])) for entry in criterion["evidence"]]
    seen += [(entry["address"], value_text(entry["observed"])) for entry in criterion["findings"]]
    lines = [f"<code>{escaped(place)}</code> {escaped(shown)}" for place, shown in sorted(set(seen))]
    return lines[:MAX_PLACES] + ([f"… and {len(lines) - MAX_PLACES} more"] if len(lines) > MAX_PLACES else [])
