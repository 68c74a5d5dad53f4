"""Questions about workbooks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from docops.core.address import format_segment, parse_address
from docops.core.codes import Aspect
from docops.core.compare import ChangeKind
from docops.core.document import Document
from docops.drafting.questions import Edit, Question

#: Stands for the value that the reference shows; filled in once it is known.
SHOWN = "\ufffddocops shows this\ufffd"
_MOST_CELLS = 15


def questions(output: str, edits: Sequence[Edit], before: Document, after: Document) -> Iterator[Question]:
    """What the edited cells show, and what else is in the workbook now."""
    cells = 0
    for edit in edits:
        at = f"{output}#{edit.place}"
        sheet, name = _sheet_of(edit.place)
        if edit.kind == "cell":
            cells += 1
            if cells <= _MOST_CELLS:
                yield from _cell(at, sheet, name, edit, after)
        elif edit.kind == "sheet":
            yield from _sheet(output, edit, after)
        elif edit.kind == "name" and edit.node is not None:
            yield Question(f"{name} is defined", "xlsx.defined_name", output, ({"name": name, "refers_to": edit.node.facts.get((Aspect.NAME, "refers to"))},))
        elif edit.kind == "comment":
            exists = edit.node is not None
            text = next((str(value) for (aspect, fact), value in (edit.node.facts if edit.node else {}).items() if fact == "text"), "")
            cell = f"{output}#sheet[{sheet}]/cell[{name}]"
            yield Question(f"{name} {'has' if exists else 'has no'} comment", "xlsx.comment", cell, ({"contains": text} if text else {"exists": exists}, {"exists": exists}))
        elif edit.kind == "merge":
            yield Question(f"{name} is merged", "xlsx.merged", f"{output}#sheet[{sheet}]/cell[{name}]", ({"exists": edit.node is not None},))
        elif edit.kind == "table" and edit.node is not None:
            yield Question(f"{name} is a native table", "xlsx.table", f"{output}#sheet[{sheet}]", ({"name": name},))
        elif edit.kind == "chart" and edit.node is not None:
            kind = edit.node.facts.get((Aspect.STRUCTURE, "type"))
            yield Question("the chart is there", "xlsx.chart", at, ({"type": kind},))


def _cell(at: str, sheet: str, name: str, edit: Edit, after: Document) -> Iterator[Question]:
    if edit.node is None:
        yield Question(f"{sheet}!{name} is empty", "xlsx.cell", at, ({"equals": ""},))
        return
    formula = edit.node.facts.get((Aspect.FORMULA, "formula"))
    if isinstance(formula, str) and (edit.has(Aspect.FORMULA) or edit.went(ChangeKind.ADDED)):
        value: dict[str, Any] = {"equals": SHOWN}
        precedents = _precedents(formula, sheet, after)
        choices = [{**value, "depends_on": precedents}, {"depends_on": precedents}] if precedents else []
        yield Question(f"{sheet}!{name} is calculated", "xlsx.formula", at, (*choices, value, {}))
    elif edit.has(Aspect.VALUE) or edit.has(Aspect.FORMULA) or edit.went(ChangeKind.ADDED):
        yield Question(f"{sheet}!{name} shows the new value", "xlsx.cell", at, ({"equals": SHOWN},))
    if edit.has(Aspect.FORMAT, "number format") or edit.went(ChangeKind.ADDED):
        code = edit.node.facts.get((Aspect.FORMAT, "number format"))
        if isinstance(code, str) and code != "General":
            yield Question(f"{sheet}!{name} shows numbers as {code}", "xlsx.number_format", at, ({"code": code},))
    for fact, parameter in (("fill", "fill"), ("bold", "bold"), ("italic", "italic"), ("colour", "color"), ("size", "font_size")):
        if edit.has(Aspect.FORMAT, fact) and fact != "number format":
            look = edit.node.facts.get((Aspect.FORMAT, fact), False if fact in ("bold", "italic") else None)
            if look is not None:
                yield Question(f"{sheet}!{name} has its {fact}", "xlsx.style", at, ({parameter: look},))


def _sheet(output: str, edit: Edit, after: Document) -> Iterator[Question]:
    name = parse_address(edit.place).segments[0].name or ""
    at = f"{output}#{format_segment('sheet', name)}"
    if edit.node is None:
        yield Question(f"the sheet {name} is gone", "xlsx.sheet", at, ({"exists": False},))
        return
    if edit.went(ChangeKind.ADDED):
        yield Question(f"the sheet {name} is there", "xlsx.sheet", at, ({"exists": True},))
    sheets = [node.name for node in after.root.children if node.kind == "sheet"]
    if edit.went(ChangeKind.MOVED) and name in sheets:
        yield Question(f"the sheet {name} is at its position", "xlsx.sheet", at, ({"position": sheets.index(name) + 1},))
    if edit.has(Aspect.STRUCTURE) and not edit.went(ChangeKind.ADDED):
        yield Question(f"the sheet {name} is in its state", "xlsx.sheet", at, tuple({"state": state} for state in ("visible", "hidden", "veryHidden")))


def _sheet_of(place: str) -> tuple[str, str]:
    """The sheet that a place is in, and the place's own name."""
    segments = parse_address(place).segments if place else ()
    sheet = next((segment.name or "" for segment in segments if segment.kind == "sheet"), "")
    return sheet, (segments[-1].name or str(segments[-1].number or "")) if segments else ""


_AREA = re.compile(
    r"(?:(?P<sheet>'(?:[^']|'')+'|[A-Za-z_][A-Za-z0-9_.]*)!)?(?P<area>\$?[A-Z]{1,3}\$?[1-9][0-9]*(?::\$?[A-Z]{1,3}\$?[1-9][0-9]*)?)(?![A-Za-z0-9_(.!\[])"
)


def _precedents(formula: str, sheet: str, document: Document) -> list[str]:
    """Addresses of the areas that a formula names, texts in quotes aside; nothing where they are calculated themselves.

    Whoever works the same out another way need not go by the same steps, but cannot do without what is given.
    """
    bare = re.sub(r'"(?:[^"]|"")*"', '""', formula)
    out: dict[str, None] = {}
    for match in _AREA.finditer(bare):
        if match.start() and (bare[match.start() - 1].isalnum() or bare[match.start() - 1] in "_.]"):
            continue
        other = match["sheet"]
        name = sheet if other is None else other[1:-1].replace("''", "'") if other.startswith("'") else other
        if "[" not in name:
            out[f"{format_segment('sheet', name)}/cell[{match['area'].replace('$', '')}]"] = None
    given = all((Aspect.FORMULA, "formula") not in node.facts for address in out for node in document.find(address))
    return list(out) if given else []
