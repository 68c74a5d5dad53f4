"""Anchors over a document made of spans alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from docops.core.address import parse_address
from docops.core.codes import FindingCode
from docops.core.document import DocumentBase
from docops.core.node import Align, Node, resolve, root_node
from docops.core.predicate import Finding, Target
from docops.core.spans import Role, TextSpan
from docops.families import anchors


class SpanDocument(DocumentBase):
    format = "docx"

    def __init__(self, spans: Sequence[TextSpan], format_name: str = "docx") -> None:
        self.format = format_name
        self._spans = list(spans)
        addresses = sorted({span.address for span in spans})
        tops = sorted({address.partition("/")[0] for address in addresses})

        def children() -> list[Node]:
            out = []
            for top in tops:
                segment = parse_address(top).segments[0]
                node = Node(None, segment.kind, number=segment.number, align=Align.KEY)
                inner = [parse_address(a).segments[1] for a in addresses if a.startswith(top + "/")]
                out.append(
                    Node(None, segment.kind, number=segment.number, align=Align.KEY, children=[Node(node, s.kind, number=s.number) for s in inner])
                )
            return out

        self._root = root_node(children)

    @property
    def root(self) -> Node:
        return self._root

    def spans(self) -> Sequence[TextSpan]:
        return self._spans


class SpanContext:
    def __init__(self, document: SpanDocument) -> None:
        self.document = document

    def target(self, at: str, *, formats: Sequence[str] = ()) -> Target:
        address = parse_address(at, artifacts=("a.docx",))
        return Target("a.docx", address, self.document, resolve(self.document.root, address.segments), None)  # type: ignore[arg-type]


def span(text: str, where: str = "body/paragraph[1]", **more: Any) -> TextSpan:
    return TextSpan(where, more.pop("block", where), text, **more)


def check(predicate: Any, spans: Sequence[TextSpan], format_name: str = "docx", **params: Any) -> list[FindingCode]:
    params.setdefault("at", "a.docx")
    found = predicate.check(SpanContext(SpanDocument(spans, format_name)), **params)
    return [item.code for item in found if isinstance(item, Finding)]


def test_text_over_several_spans_of_one_block_is_one_text() -> None:
    assert check(anchors.contains, [span("Bolt "), span("Gm"), span("bH")], text="Bolt GmbH") == []


def test_blocks_are_never_joined() -> None:
    assert check(anchors.contains, [span("Bolt "), span("GmbH", "body/paragraph[2]")], text="Bolt GmbH") == [FindingCode.MISSING]


def test_lines_of_a_pdf_page_are_layout() -> None:
    spans = [span("Bolt", "page[1]/text[1]"), span("GmbH", "page[1]/text[2]")]
    assert check(anchors.contains, spans, "pdf", text="Bolt GmbH") == []


def test_hidden_text_does_not_satisfy_and_is_named() -> None:
    hidden = span("Bolt GmbH", visible=False, hidden_by="vanish")
    assert check(anchors.contains, [hidden], text="Bolt GmbH") == [FindingCode.HIDDEN_TEXT]
    assert check(anchors.contains, [hidden], text="Bolt GmbH", visible=False) == []


@pytest.mark.parametrize("role", [Role.COMMENT, Role.NOTE, Role.ALT, Role.METADATA, Role.NAME, Role.PROMPT, Role.FORMULA])
def test_text_in_another_role_does_not_satisfy(role: Role) -> None:
    assert check(anchors.contains, [span("Bolt GmbH", role=role)], text="Bolt GmbH") == [FindingCode.MISSING]


def test_a_place_named_by_its_kind_counts() -> None:
    notes = span("Say it", "slide[2]/notes", role=Role.NOTE)
    assert check(anchors.contains, [notes], text="Say it", at="a.docx#slide[2]/notes") == []
    assert check(anchors.contains, [notes], text="Say it", at="a.docx#slide[2]") == [FindingCode.MISSING]


def test_counts() -> None:
    spans = [span("x and x"), span("x", "body/paragraph[2]")]
    assert check(anchors.contains, spans, text="x", count=3) == []
    assert check(anchors.contains, spans, text="x", count=2) == [FindingCode.WRONG_COUNT]
    assert check(anchors.contains, spans, text="x", at_least=4) == [FindingCode.WRONG_COUNT]
    assert check(anchors.contains, spans, text="y", count=0) == []


def test_a_place_that_is_not_there_is_missing() -> None:
    assert check(anchors.contains, [span("x")], text="x", at="a.docx#body/paragraph[7]") == [FindingCode.MISSING]
    assert check(anchors.absent, [span("x")], text="x", at="a.docx#body/paragraph[7]") == []


@pytest.mark.parametrize("more", [{}, {"visible": False, "hidden_by": "deleted"}, {"role": Role.METADATA}, {"role": Role.ALT}])
def test_absent_looks_at_everything_stored(more: dict[str, Any]) -> None:
    assert check(anchors.absent, [span("by Acme Ltd", **more)], text="Acme Ltd") == [FindingCode.UNEXPECTED]


def test_absent_sees_what_reads_so_when_hidden_pieces_are_left_out() -> None:
    spans = [span("Ac"), span("xyz", visible=False, hidden_by="vanish"), span("me Ltd")]
    assert check(anchors.absent, spans, text="Acme Ltd") == [FindingCode.UNEXPECTED]


def test_absent_may_look_at_what_is_visible_only() -> None:
    assert check(anchors.absent, [span("Acme", visible=False, hidden_by="deleted")], text="Acme", visible=True) == []


def test_matches() -> None:
    assert check(anchors.matches, [span("due in 45 days")], pattern=r"\b\d+ days") == []
    assert check(anchors.matches, [span("due in days")], pattern=r"\b\d+ days") == [FindingCode.MISSING]


def test_a_pattern_that_would_blow_up_elsewhere_takes_linear_time() -> None:
    assert check(anchors.matches, [span("a" * 50_000)], pattern=r"(a+)+b$") == [FindingCode.MISSING]


def test_in_order() -> None:
    spans = [span("one two"), span("three", "body/paragraph[2]")]
    assert check(anchors.in_order, spans, texts=["one", "two", "three"]) == []
    assert check(anchors.in_order, spans, texts=["three", "one"]) == [FindingCode.WRONG_ORDER]
    assert check(anchors.in_order, spans, texts=["one", "four"]) == [FindingCode.MISSING]
    assert check(anchors.in_order, spans, texts=["one", "one"]) == [FindingCode.WRONG_ORDER]


@pytest.mark.parametrize(
    ("params", "wrong"),
    [
        ({"text": "x"}, False),
        ({}, True),
        ({"text": "  "}, True),
        ({"text": "{{"}, False),
        ({"text": "x", "count": -1}, True),
        ({"text": "x", "count": 1, "at_least": 1}, True),
    ],
)
def test_parameters_are_checked_when_the_bundle_is_loaded(params: dict[str, Any], wrong: bool) -> None:
    assert anchors.contains.validate is not None
    assert bool(anchors.contains.validate(params)) is wrong


def test_a_pattern_that_is_none_is_refused_with_the_reason() -> None:
    assert anchors.matches.validate is not None
    assert "missing )" in anchors.matches.validate({"pattern": "(a"})[0]
    assert anchors.matches.validate({"pattern": r"(a)\1"}) != []
