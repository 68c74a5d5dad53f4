"""Every predicate does what its examples say, with findings that name a place and say what is wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pytest

from docops.core.address import parse_address
from docops.core.codes import FindingCode
from docops.core.document import Document
from docops.core.node import resolve
from docops.core.predicate import Example, Finding, Predicate, Target
from docops.formats.pdf import FORMAT
from docops.formats.pdf.document import open_pdf
from docops.formats.pdf.predicates import PREDICATES
from docops.formats.pdf.samples import SampleField, SamplePage, pdf

from .support import rich

CASES = [(predicate, example) for predicate in PREDICATES for example in predicate.examples]


@dataclass
class Files:
    """Just enough of a verification: outputs and sources by name."""

    outputs: Mapping[str, bytes]
    sources: Mapping[str, bytes]

    def format_of(self, document: Document) -> object:
        return FORMAT

    def target(self, at: str, *, formats: Sequence[str] = ()) -> Target:
        address = parse_address(at, artifacts=tuple(self.outputs))
        name = address.artifact or ""
        document = open_pdf(self.outputs[name])
        source: Document | None = open_pdf(self.sources[name]) if name in self.sources else None
        return Target(name, address, document, resolve(document.root, address.segments), source)


def findings(predicate: Predicate, output: bytes, source: bytes | None = None, **params: object) -> list[Finding]:
    files = Files({"f.pdf": output}, {} if source is None else {"f.pdf": source})
    params.setdefault("at", "f.pdf")
    return [item for item in predicate.check(files, **params) if isinstance(item, Finding)]


def named(name: str) -> Predicate:
    return next(predicate for predicate in PREDICATES if predicate.name == name)


@pytest.mark.parametrize(("predicate", "example"), CASES, ids=[f"{predicate.name}: {example.title}" for predicate, example in CASES])
def test_examples(predicate: Predicate, example: Example) -> None:
    files = Files(example.files(), example.source() if example.source else {})
    results = list(predicate.check(files, **example.params))
    assert results, "a predicate always says what it looked at"
    found = [item for item in results if isinstance(item, Finding)]
    if example.passes is True:
        assert found == []
    else:
        assert example.passes in {finding.code for finding in found}
        for finding in found:
            address = parse_address(finding.address, artifacts=tuple(files.outputs))
            assert address.artifact in files.outputs
            assert finding.message
            assert not address.segments or resolve(files.target(finding.address).document.root, address.segments)


def test_every_predicate_has_both_kinds_of_examples() -> None:
    for predicate in PREDICATES:
        outcomes = {example.passes is True for example in predicate.examples}
        assert outcomes == {True, False}, predicate.name
        assert predicate.doc.splitlines()[0].endswith(".")


def test_page_order_refuses_altered_copies() -> None:
    source = pdf([SamplePage("One"), SamplePage("Two"), SamplePage("Three")])
    order = named("pdf.page_order")
    altered = pdf([SamplePage("One"), SamplePage("Three!"), SamplePage("Two")])
    assert [finding.address for finding in findings(order, altered, source, source_pages=[1, 3, 2])] == ["f.pdf#page[2]"]
    painted = pdf([SamplePage("One"), SamplePage("Three", content="1 1 1 rg 0 0 400 300 re f"), SamplePage("Two")])
    assert [finding.code for finding in findings(order, painted, source, source_pages=[1, 3, 2])] == [FindingCode.MISMATCH]
    turned = pdf([SamplePage("One"), SamplePage("Three", entries="/Rotate 180"), SamplePage("Two")])
    assert findings(order, turned, source, source_pages=[1, 3, 2])


@pytest.mark.parametrize(
    "tree",
    [
        ["Cover", {"title": "Offer", "children": ["Prices", "Terms"]}, "Form"],
        ["Cover", "Offer", ["Prices", "Terms"], "Form"],
        [["Cover", []], ["Offer", [["Prices", []], ["Terms", []]]], ["Form", []]],
        [{"title": "Cover", "page": 1}, {"title": "Offer", "page": 2, "children": [{"title": "Prices"}, {"title": "Terms", "page": 3}]}, "Form"],
        [{"Cover": []}, {"Offer": ["Prices", "Terms"]}, {"Form": []}],
    ],
)
def test_outline_trees_in_the_forms_people_write(tree: list[object]) -> None:
    assert findings(named("pdf.outline"), rich(), tree=tree) == []


def test_outline_page_is_checked_where_it_is_given() -> None:
    found = findings(named("pdf.outline"), rich(), tree=[{"title": "Cover", "page": 2}, {"title": "Offer", "children": ["Prices", "Terms"]}, "Form"])
    assert [(finding.address, finding.expected, finding.observed) for finding in found] == [('f.pdf#outline["Cover"]', 2, 1)]


def test_a_hidden_field_does_not_show_its_value() -> None:
    data = pdf([SamplePage("Form", fields=[SampleField("name", "Jane")])])
    hidden = data.replace(b"/F 4 ", b"/F 2 ")
    check = named("pdf.form_field")
    assert findings(check, data, name="name", equals="Jane") == []
    assert [finding.code for finding in findings(check, hidden, name="name", equals="Jane")] == [FindingCode.HIDDEN_TEXT]


def test_states_of_buttons() -> None:
    data = pdf([SamplePage("Form", fields=[SampleField("agree", "Yes", "checkbox")])])
    check = named("pdf.form_field")
    assert findings(check, data, name="agree", equals=True) == []
    assert findings(check, data, name="agree", equals="Yes") == []
    assert findings(check, data, name="agree", equals=False)
    assert findings(check, data, name="agree", equals="Off")


@pytest.mark.parametrize(("equals", "holds"), [("Yes", True), ("/Yes", True), (True, True), ("/Off", False), ("Yes ", False)])
def test_a_state_may_be_named_as_pdf_names_it(equals: str | bool, holds: bool) -> None:
    data = pdf([SamplePage("Form", fields=[SampleField("agree", "Yes", "checkbox")])])
    assert (findings(named("pdf.form_field"), data, name="agree", equals=equals) == []) is holds


def test_a_value_is_the_same_however_its_accents_are_composed() -> None:
    data = pdf([SamplePage("Form", fields=[SampleField("name", "Zo\u00eb")])])
    assert findings(named("pdf.form_field"), data, name="name", equals="Zoe\u0308") == []
    assert findings(named("pdf.form_field"), data, name="name", equals="Zoe") != []


@pytest.mark.parametrize(("at", "found"), [('f.pdf#outline["Offer"]', True), ("f.pdf#outline", True), ('f.pdf#outline["Cover"]', False)])
def test_naming_a_bookmark_names_those_below_it(at: str, found: bool) -> None:
    assert (findings(_anchor("anchor.contains"), rich(), at=at, text="Prices") == []) is found
    renamed = rich().replace(b"/Title (Prices)", b"/Title (Pieces)")
    assert (findings(_preserved(), renamed, rich(), at=at) != []) is found


def _anchor(name: str) -> Predicate:
    from docops.families.anchors import ANCHOR_PREDICATES

    return next(predicate for predicate in ANCHOR_PREDICATES if predicate.name == name)


def _preserved() -> Predicate:
    from docops.families.preservation import PREDICATES as PRESERVATION

    return PRESERVATION[0]
