"""The tables of cases in `data/`: every text gets the answer that it states; a list of texts is a document of several paragraphs."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from docops.core.address import Address
from docops.core.document import Document
from docops.core.errors import NotApplicable
from docops.core.predicate import Context, Finding, Target
from docops.core.spans import TextSpan
from docops.parameters import check_parameters
from docops.registry import predicate_named
from tests.families.test_anchors import SpanDocument

DATA = Path(__file__).parent / "data"
GROUPS: list[dict[str, Any]] = [group for path in sorted(DATA.glob("*.toml")) for group in tomllib.loads(path.read_text("utf-8"))["group"]]


class OneText:
    """A context whose only output is a document of one paragraph."""

    def __init__(self, *texts: str) -> None:
        names = [f"body/paragraph[{number}]" for number in range(1, len(texts) + 1)]
        self.document = SpanDocument([TextSpan(name, name, text) for name, text in zip(names, texts, strict=True)])

    def target(self, at: str) -> Target:
        return Target("a.docx", Address("a.docx", ()), cast(Document, self.document), [self.document.root], None)


def answer(predicate: str, given: dict[str, Any], *texts: str) -> str:
    """`yes`, `no` or `unsure`."""
    known = predicate_named(predicate)
    try:
        items = list(known.check(cast(Context, OneText(*texts)), at="a.docx", **given))
    except NotApplicable:
        return "unsure"
    return "no" if any(isinstance(item, Finding) for item in items) else "yes"


def cases() -> Iterator[tuple[int, str, str | list[str]]]:
    for number, group in enumerate(GROUPS):
        for right in ("yes", "no", "unsure"):
            for text in group.get(right, ()):
                yield number, right, text


@pytest.mark.parametrize(("group", "right", "text"), list(cases()))
def test_case(group: int, right: str, text: str | list[str]) -> None:
    body = GROUPS[group]
    assert answer(body["predicate"], body["with"], *([text] if isinstance(text, str) else text)) == right, (body["predicate"], body["with"])


@pytest.mark.parametrize("group", range(len(GROUPS)))
def test_criterion_is_valid(group: int) -> None:
    body = GROUPS[group]
    known = predicate_named(body["predicate"])
    given = {"at": "a.docx", **body["with"]}
    assert list(check_parameters(known.parameters, given)) == []
    assert known.validate is None or list(known.validate(given)) == []


def test_there_are_enough() -> None:
    count = Counter(right for _, right, _ in cases())
    assert sum(count.values()) >= 2000
    assert count["no"] >= 1000
    languages = {group["with"].get("language", "en") for group in GROUPS}
    assert languages >= {"en", "de", "fr", "zh-Hans", "zh-Hant", "ja", "ar", "he"}
