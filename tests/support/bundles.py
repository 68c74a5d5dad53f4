"""Small task bundles for tests."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from docops.bundle import load_bundle
from docops.core.errors import BundleError

METADATA: dict[str, Any] = {
    "schema": "docops.task/1",
    "task_id": "two-documents",
    "title": "A book and a report",
    "instruction": "instruction.md",
    "level": "L4",
    "operations": ["C4", "C2"],
    "domain": "finance",
    "language": "en",
    "artifacts": [
        {"output": "book.xlsx", "source": "source/book.xlsx", "reference": "reference/book.xlsx"},
        {"output": "report.docx", "source": "source/report.docx"},
    ],
    "required_operations": ["the book holds a total"],
    "edit_scope": {"book.xlsx": ["sheet[Summary]/cell[B6]"]},
    "preserve": {"book.xlsx": {"profile": "native", "except": []}},
    "verifier": "verifier.toml",
    "provenance": "made for a test",
    "licence": "CC0-1.0",
}

VERIFIER = """\
schema = "docops.verifier/1"
aggregate = "all"

[groups.words]
title = "The words are there"
critical = true

[[criteria]]
id = "words.total"
predicate = "anchor.contains"
at = "book.xlsx#sheet[Summary]/cell[A6]"
text = "Total"
"""


def write_bundle(root: Path, metadata: Mapping[str, Any] | str | bytes = METADATA, verifier: str | bytes = VERIFIER) -> Path:
    """Write a bundle whose documents are only names."""
    for name in ("source/book.xlsx", "source/report.docx", "reference/book.xlsx"):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x")
    (root / "instruction.md").write_text("Put a total into the book.\n", encoding="utf-8")
    (root / "task_metadata.json").write_bytes(_bytes(metadata if isinstance(metadata, (str, bytes)) else json.dumps(metadata)))
    (root / "verifier.toml").write_bytes(_bytes(verifier))
    return root


def _bytes(content: str | bytes) -> bytes:
    return content if isinstance(content, bytes) else content.encode()


def problems_of(root: Path) -> list[str]:
    """Everything that is wrong with a bundle, as printed."""
    try:
        load_bundle(root)
    except BundleError as error:
        return [str(problem) for problem in error.problems]
    return []
