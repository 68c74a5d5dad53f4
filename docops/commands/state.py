"""`docops state FILE [ADDRESS]`."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from docops.commands.output import NothingSelected, add_output_arguments, emit
from docops.core.codes import ExitCode
from docops.core.document import Coverage, Document


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("file", metavar="FILE", help="document")
    parser.add_argument("address", metavar="ADDRESS", nargs="?", help="only what is at this place and inside it")
    parser.add_argument("--coverage", action="store_true", help="instead: what share of each part is modelled as facts, compared raw, and volatile")
    add_output_arguments(parser, ("text", "json"))


def run(arguments: argparse.Namespace) -> int:
    """Open the document and report what it holds."""
    from docops.core.canonical import canonical_json
    from docops.core.errors import UsageError
    from docops.core.verdict import shorten
    from docops.files import open_path
    from docops.report.text import facts_text

    if arguments.coverage and arguments.address is not None:
        raise UsageError("--coverage is about the whole document; leave the address out")
    name = Path(arguments.file).name
    document = open_path(arguments.file)
    head = {"schema": "docops.state/1", "file": name, "format": document.format}
    machine = arguments.format == "json"
    if arguments.coverage:
        rows = document.coverage()
        text = canonical_json({**head, "coverage": _coverage_json(rows)}).decode() + "\n" if machine else _coverage_text(rows)
    else:
        facts = _facts(document, name, arguments.address)
        if facts is None:
            raise NothingSelected(f"{arguments.address}: the document has no such place")
        shown = [{**fact, "value": shorten(fact["value"])} for fact in facts]
        text = canonical_json({**head, "facts": shown}).decode() + "\n" if machine else facts_text(shown)
    emit(text, out=arguments.out, machine=machine)
    return ExitCode.PASSED


def _facts(document: Document, name: str, address: str | None) -> list[dict[str, Any]] | None:
    """The facts at an address (default: everywhere), or None where it names no place."""
    from docops.core.address import parse_address

    roots = [document.root] if address is None else document.find(parse_address(address, artifacts=(name,)))
    if not roots:
        return None
    facts: dict[tuple[str, str, str], dict[str, Any]] = {}
    for root in roots:
        for node in root.walk():
            for (aspect, fact), value in node.facts.items():
                facts[node.address, str(aspect), fact] = {"address": node.address, "aspect": str(aspect), "name": fact, "value": value}
    return list(facts.values())


def _coverage_json(rows: Sequence[Coverage]) -> dict[str, Any]:
    parts = [{"part": row.part, "bytes": row.bytes, "modelled": row.modelled, "raw": row.raw, "volatile": row.volatile} for row in rows]
    return {"parts": parts, "total": {key: sum(part[key] for part in parts) for key in ("bytes", "modelled", "raw", "volatile")}}


def _coverage_text(rows: Sequence[Coverage]) -> str:
    from docops.report.text import table
    from docops.report.words import plain

    total = Coverage("total", *(sum(getattr(row, key) for row in rows) for key in ("bytes", "modelled", "raw", "volatile")))
    lines: list[tuple[str, ...]] = [("part", "bytes", "modelled", "raw", "volatile")]
    for row in [*rows, total]:
        nodes = row.modelled + row.raw + row.volatile
        shares = [f"{count:,} ({count / nodes:.1%})" if nodes else "0" for count in (row.modelled, row.raw, row.volatile)]
        lines.append((plain(row.part), f"{row.bytes:,}", *shares))
    return "\n".join(table(lines, right=frozenset({1, 2, 3, 4}))) + "\n"
