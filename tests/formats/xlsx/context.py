"""A context for predicates over documents in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from docops.core.address import parse_address
from docops.core.document import Document
from docops.core.node import resolve
from docops.core.options import Answer
from docops.core.pictures import Pictures
from docops.core.predicate import Finding, Predicate, Target
from docops.formats.xlsx.document import open_xlsx


class MemoryContext:
    """What predicates may ask, answered from bytes."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self.documents = {name: open_xlsx(data) for name, data in files.items()}
        self.engines: set[str] = set()

    def target(self, at: str, *, formats: Sequence[str] = ()) -> Target:
        address = parse_address(at, artifacts=tuple(self.documents))
        name = address.artifact or next(iter(self.documents))
        document = self.documents[name]
        return Target(name, address, document, resolve(document.root, address.segments), None)

    def source_target(self, at: str) -> Target | None:
        return None

    def output_exists(self, artifact: str) -> bool:
        return artifact in self.documents

    def artifact(self, name: str, *, formats: Sequence[str] = ()) -> Document:
        return self.documents[name]

    def engine_used(self, name: str) -> None:
        self.engines.add(name)

    def ask_judge(self, prompt: str, pictures: Sequence[Pictures] = ()) -> Answer:
        return Answer(None)

    def pictures(self, at: str, *, before: bool = False) -> Pictures | None:
        return None


def findings(predicate: Predicate, files: Mapping[str, bytes], **params: Any) -> list[Finding]:
    """The findings of a predicate on files in memory."""
    items = list(predicate.check(MemoryContext(files), **params))
    return [item for item in items if isinstance(item, Finding)]
