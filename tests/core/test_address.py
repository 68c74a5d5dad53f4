from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docops.core.address import Address, Segment, format_segment, parse_address
from docops.core.errors import AddressError

CONTRACT = [
    "budget.xlsx#sheet[Summary]/cell[B2:D10]",
    "book.xlsx#name[TaxRate]",
    "book.xlsx#sheet[Data]/table[Sales]/column[Net]",
    "report.docx#body/paragraph[12]",
    'report.docx#body/section["2. Scope"]/table[1]/row[3]/cell[2]',
    "report.docx#header[1,default]",
    'deck.pptx#slide[3]/shape["Title 1"]/paragraph[2]',
    "deck.pptx#slide[*]/notes",
    'deck.pptx#master[1]/layout["Title Only"]',
    "form.pdf#page[4]/annotation[1]",
    'form.pdf#field["applicant.name"]',
    'form.pdf#outline["Part II/Scope"]',
    'section["Part I"]/section["2. Scope"]',
    'section["Notes",2]/paragraph[1]',
    "**/cell[A1]",
]


@pytest.mark.parametrize("text", CONTRACT)
def test_prints_what_it_parsed(text: str) -> None:
    assert str(parse_address(text)) == text


def test_quotes_are_optional_where_the_key_needs_none() -> None:
    assert parse_address("shape[Title 1]") == parse_address('shape["Title 1"]')
    assert parse_address('sheet["Audit Log"]') == parse_address("sheet[Audit Log]")


@pytest.mark.parametrize(
    ("text", "segment"),
    [
        ("slide[2]", Segment("slide", number=2)),
        ("paragraph[2:5]", Segment("paragraph", number=2, last=5)),
        ("cell[B2:D10]", Segment("cell", name="B2:D10")),
        ("row[*]", Segment("row", any=True)),
        ('sheet["2024"]', Segment("sheet", name="2024")),
        ('shape["a]/\\"b",3]', Segment("shape", name='a]/"b', ordinal=3)),
        ("header[1,default]", Segment("header", name="1,default")),
    ],
)
def test_keys(text: str, segment: Segment) -> None:
    assert parse_address(text).segments == (segment,)


def test_a_text_without_hash_is_an_artifact_only_where_there_is_one() -> None:
    assert parse_address("report.docx", artifacts=("report.docx",)) == Address("report.docx", ())
    assert parse_address("body", artifacts=("report.docx",)) == Address(None, (Segment("body"),))
    assert parse_address("a.xlsx#sheet[A#B]").artifact == "a.xlsx"


@pytest.mark.parametrize("text", ["Slide[1]", "slide[", "slide[]", 'shape["a', "slide[1]x", "slide[1]/", "/slide", 'shape["a"x]', 'shape[a"b]', "-", "slide[0]", "slide[07]", "slide[5:2]"])
def test_what_is_no_address_is_refused_with_the_place(text: str) -> None:
    with pytest.raises(AddressError, match="address"):
        parse_address(text)


@given(st.sampled_from(["sheet", "shape", "field", "name", "style"]), st.text(min_size=1), st.none() | st.integers(1, 99))
def test_any_name_survives_printing_and_parsing(kind: str, name: str, ordinal: int | None) -> None:
    assert parse_address(format_segment(kind, name, ordinal)).segments == (Segment(kind, name=name, ordinal=ordinal),)


@given(st.text())
def test_any_text_parses_or_is_refused(text: str) -> None:
    try:
        address = parse_address(text)
    except AddressError:
        return
    known = (address.artifact,) if address.artifact is not None else ()
    assert parse_address(str(address), artifacts=known) == address


def test_artifacts_that_are_known_may_hold_brackets() -> None:
    known = ("report [v2].docx",)
    address = parse_address("report [v2].docx#body/paragraph[3]", artifacts=known)
    assert address == Address("report [v2].docx", (Segment("body"), Segment("paragraph", number=3)))
    assert parse_address(str(address), artifacts=known) == address
    assert parse_address("report [v2].docx", artifacts=known) == Address("report [v2].docx", ())
