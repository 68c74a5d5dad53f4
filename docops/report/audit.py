"""The page that goes with an audit sheet: task, before and after, what was looked at, and the questions; no verdict."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from docops.core.verdict import shorten
from docops.meta.audit import FROM_NOTHING, WHOLE_QUESTION, Judged, Shown, changes_of, question
from docops.meta.rows import WHOLE
from docops.report.page import page
from docops.report.page import text as escaped
from docops.report.words import value_text
from docops.running.kept import seen_from

#: Places that are shown for one question.
MAX_PLACES = 8
#: Passages that are shown of a document made from nothing.
MAX_PASSAGES = 200


def audit_html(sample: Sequence[Judged], beside: Path) -> str:
    """The page: one section for each sampled output, in the order of the sheet.

    beside: the folder that it will stand in; links to the documents are made from there.
    """
    parts = [
        "<h1>Audit sheet</h1>",
        "<p>For each question, write into the column <code>score</code> of the sheet: 1 where it holds, 0.5 where it holds in part, 0 where it does "
        "not, N/A where it has no meaning. The last question of each output is about the whole: a fault that no other question asks about "
        "counts there. Judge from the documents; what docops said of them is not shown.</p>",
    ]
    for number, judged in enumerate(sample, 1):
        parts += _section(number, judged, beside)
    return page("Audit sheet", "\n".join(parts), "summary { cursor: pointer }")


def _section(number: int, judged: Judged, beside: Path) -> Iterator[str]:
    shown = Shown(judged)
    yield f"<h2>{number}. {escaped(judged.name)}</h2>"
    if judged.bundle is not None:
        yield "<h3>Instruction</h3>" + "".join(
            f"<p>{'<br>'.join(map(escaped, block.splitlines()))}" for block in judged.bundle.instruction.split("\n\n")
        )
    else:
        yield "<p class=soft>The bundle is not at hand: no instruction, no before (--bundles DIR).</p>"
    if judged.output is None:
        yield "<p class=soft>The output is not at hand: no after (--outputs DIR).</p>"
    for name, rows, note in changes_of(judged):
        yield f"<h3>{escaped(name)}: before and after</h3>{_links(judged, name, beside)}"
        if rows:
            yield "<table><tr><th>Place<th>Change<th>Before<th>After"
            for place, what, before, after in rows:
                cells = "".join(f"<td>{escaped(value_text(shorten(value))) if value is not None else ''}" for value in (before, after))
                yield f"<tr><td><code>{escaped(place)}</code><td>{escaped(what)}{cells}"
            yield "</table>"
        yield f"<p class=soft>{escaped(note or ('' if rows else 'nothing changed'))}</p>"
        if note == FROM_NOTHING:
            yield from _whole(shown.text_of(name))
    yield "<h3>Questions</h3><table><tr><th>Checkpoint<th>Question<th>Findings: what stands where"
    for criterion in judged.verdict["criteria"]:
        yield f"<tr><td><code>{escaped(criterion['id'])}</code><td>{escaped(question(criterion))}<td>{'<br>'.join(_places(criterion, shown))}"
    yield f"<tr><td><code>{WHOLE}</code><td>{escaped(WHOLE_QUESTION)}<td></table>"


def _links(judged: Judged, name: str, beside: Path) -> str:
    """Links to a document before and after, where they are there."""
    artifact = next((found for found in judged.bundle.artifacts if found.output == name), None) if judged.bundle is not None else None
    before = judged.bundle.root / artifact.source if judged.bundle is not None and artifact is not None and artifact.source is not None else None
    files = (("before", before), ("after", judged.output / name if judged.output is not None else None))
    links = [
        f'<a href="{quote(seen_from(beside, path))}">{word}</a>'
        for word, path in files
        if path is not None and path.is_file() and seen_from(beside, path)
    ]
    return f"<p>Open: {', '.join(links)}</p>" if links else ""


def _whole(passages: Sequence[str]) -> Iterator[str]:
    """The text of a document that has no before."""
    if passages:
        rest = len(passages) - MAX_PASSAGES
        lines = [escaped(str(shorten(passage.replace("\t", " → ")))) for passage in passages[:MAX_PASSAGES]] + (
            [f"… and {rest} more passages"] if rest > 0 else []
        )
        yield f"<details open><summary>Its text</summary><p>{'<br>'.join(lines)}</details>"


def _places(criterion: Mapping[str, Any], shown: Shown) -> list[str]:
    """What was looked at and what stands there, in the same form whether it holds or not; what a scorer says of it is not shown."""
    if criterion["predicate"] == "ppteval.leaf":
        return []
    if criterion.get("implied") and criterion["family"] == "preservation":
        return ["the changes above"]
    excerpts = {entry["address"]: entry["observed"] for entry in criterion["findings"]}
    excerpts |= {entry["address"]: entry["excerpt"] for entry in criterion["evidence"]}
    lines = []
    for place, excerpt in sorted(excerpts.items()):
        found = shown.at(place)
        lines.append(f"<code>{escaped(place)}</code> {escaped(value_text(shorten(found if found is not None else excerpt)))}")
    return lines[:MAX_PLACES] + ([f"… and {len(lines) - MAX_PLACES} more"] if len(lines) > MAX_PLACES else [])
