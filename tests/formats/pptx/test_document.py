"""Opening, addresses, coverage, and what broken files do."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from docops.core.codes import FindingCode
from docops.core.errors import Unreadable
from docops.core.limits import DEFAULT_LIMITS
from docops.formats.pptx import FORMAT
from docops.formats.pptx.document import open_pptx
from docops.formats.pptx.samples import Slide, deck, table, text_box
from tests.formats.pptx.decks import changes, corpus, members, pack

CORPUS = corpus()
needs_corpus = pytest.mark.skipif(not CORPUS, reason="the shared corpus is not here")


@needs_corpus
@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.name)
def test_a_real_presentation_equals_itself_and_every_address_leads_back(path: Path) -> None:
    data = path.read_bytes()
    document = open_pptx(data)
    assert changes(document, data) == []
    addresses = set()
    for node in document.root.walk():
        if node is not document.root:
            assert document.find(node.address) == [node], node.address
            addresses.add(node.address)
            assert node.kind in FORMAT.kinds
    assert {span.address for span in document.spans()} <= addresses
    assert {fact.address for fact in document.facts()} <= addresses


@needs_corpus
@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.name)
def test_coverage_accounts_for_every_part(path: Path) -> None:
    document = open_pptx(path.read_bytes())
    rows = document.coverage()
    assert {row.part for row in rows} >= set(document.package.parts)
    assert all(row.modelled + row.raw + row.volatile > 0 for row in rows)


@needs_corpus
@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.name)
def test_a_resave_by_python_pptx_is_no_change(path: Path) -> None:
    import io

    data = path.read_bytes()
    document = open_pptx(data)
    try:
        native = document.native
    except Unreadable:
        pytest.skip("python-pptx cannot open it")
    out = io.BytesIO()
    native.save(out)
    assert changes(document, out.getvalue()) == []


def test_rows_and_cells_are_found_with_and_without_their_table() -> None:
    document = open_pptx(deck([Slide("Figures", shapes=[table([["Year", "Ships"], ["2023", "470"]])])]))
    short = document.find('slide[1]/shape["Table 5"]/row[2]/cell[2]')
    assert [node.address for node in short] == ['slide[1]/shape["Table 5"]/table/row[2]/cell[2]']
    assert document.find("slide[1]/shape[2]/table/row[2]/cell[2]") == short


def test_equal_names_are_told_apart_by_number() -> None:
    document = open_pptx(deck([Slide("Goals", shapes=[text_box("one", "Box"), text_box("two", "Box", identifier=10)])]))
    assert [node.text for node in document.find('slide[1]/shape["Box",2]')] == ["two"]
    assert [node.text for node in document.find('slide[1]/shape["Box"]')] == ["one", "two"]


def test_reading_makes_no_notes() -> None:
    document = open_pptx(deck([Slide("Goals")]))
    assert len(document.spans()) > 0
    assert len(document.facts()) > 0
    assert not document.native.slides[0].has_notes_slide


def test_what_is_no_presentation_is_refused() -> None:
    with pytest.raises(Unreadable):
        open_pptx(b"")
    with pytest.raises(Unreadable):
        open_pptx(b"PK\x03\x04 no archive")


def test_slides_that_are_the_same_part_are_read_up_to_a_limit() -> None:
    parts = members(deck([Slide("Goals", ["Faster"])]))
    entry = re.search(rb"<p:sldId [^>]*/>", parts["ppt/presentation.xml"])
    assert entry is not None
    copies = [entry[0].replace(b' id="', b' id="1%d' % n) for n in range(100, 100 + DEFAULT_LIMITS.repeats + 1)]
    for number, allowed in ((2, True), (len(copies), False)):
        flood = pack({**parts, "ppt/presentation.xml": parts["ppt/presentation.xml"].replace(entry[0], b"".join(copies[:number]))})
        if allowed:
            assert open_pptx(flood).facts()
        else:
            with pytest.raises(Unreadable) as caught:
                open_pptx(flood).facts()
            assert caught.value.code is FindingCode.LIMIT_EXCEEDED


def test_broken_parts_end_in_one_kind_of_error() -> None:
    data = deck([Slide("Goals", ["Faster"], notes="x"), Slide("Figures", shapes=[table([["Year", "Ships"], ["2023", "470"]])])])
    parts = members(data)
    chance = random.Random(7)  # noqa: S311
    names = [name for name in parts if name.endswith(".xml")]
    for _ in range(150):
        name = chance.choice(names)
        content = bytearray(parts[name])
        for _ in range(chance.randint(1, 3)):
            at = chance.randrange(len(content))
            content[at : at + chance.randint(0, 4)] = bytes(chance.choice(b"<>\"/ax01- ") for _ in range(chance.randint(0, 3)))
        broken = pack({**parts, name: bytes(content)})
        try:
            document = open_pptx(broken)
            document.facts()
            document.spans()
        except Unreadable:
            continue


@pytest.mark.parametrize("value", ["", "x", "-1", "1e9", "99999999999999999999", "12.5", "NaN"])
def test_attributes_that_are_no_numbers_break_nothing(value: str) -> None:
    data = deck([Slide("Goals", ["Faster"]), Slide("Figures", shapes=[table([["Year", "Ships"]]), text_box("x", run='sz="1200" b="1"')])])
    parts = members(data)
    odd = re.compile(rb'\b(x|y|cx|cy|w|h|sz|id|idx|lvl|b|gridSpan|show)="[^"]*"')
    for number in (1, 2):
        name = f"ppt/slides/slide{number}.xml"
        document = open_pptx(pack({**parts, name: odd.sub(lambda match: match[1] + b'="' + value.encode() + b'"', parts[name])}))
        assert len(document.facts()) > 0
        assert len(document.spans()) > 0
