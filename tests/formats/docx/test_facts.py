"""Facts of a docx: what means the same is equal, what a reader would miss is seen, at its place."""

from __future__ import annotations

import copy
import re
import zipfile
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from docops.core.codes import CONTENT_ASPECTS, Aspect, FindingCode
from docops.core.errors import Unreadable
from docops.core.limits import DEFAULT_LIMITS
from docops.core.node import FactKey
from docops.formats.docx import FORMAT
from docops.formats.docx.document import open_docx
from docops.formats.docx.samples import docx
from tests.formats.docx.rewriting import W, changes, edited, members, package, places, remove, remove_all, replaced

STYLED = (
    '<w:p><w:pPr><w:jc w:val="center"/><w:ind w:left="720"/></w:pPr><w:r><w:rPr><w:b/><w:color w:val="FF0000"/></w:rPr><w:t>Styled</w:t></w:r></w:p>'
)
CONTROL = '<w:sdt><w:sdtPr><w:alias w:val="Contact"/><w:tag w:val="contact"/></w:sdtPr><w:sdtContent><w:p><w:r><w:t>Maria</w:t></w:r></w:p></w:sdtContent></w:sdt>'
BOX = (
    '<w:p><w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wp:inline><wp:extent cx="1800000" cy="600000"/><wp:docPr id="4" name="Box"/>'
    '<a:graphic><a:graphicData uri="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"><wps:wsp><wps:txbx><w:txbxContent><w:p><w:r><w:t>Gate 7</w:t>'
    "</w:r></w:p></w:txbxContent></wps:txbx></wps:wsp></a:graphicData></a:graphic></wp:inline></w:drawing></mc:Choice><mc:Fallback><w:pict><v:rect><v:textbox>"
    "<w:txbxContent><w:p><w:r><w:t>Gate 7</w:t></w:r></w:p></w:txbxContent></v:textbox></v:rect></w:pict></mc:Fallback></mc:AlternateContent></w:r></w:p>"
)
MERGED = (
    '<w:tbl><w:tblPr><w:tblW w:w="0" w:type="auto"/></w:tblPr><w:tblGrid><w:gridCol w:w="2000"/><w:gridCol w:w="2000"/></w:tblGrid>'
    '<w:tr><w:trPr><w:tblHeader/></w:trPr><w:tc><w:tcPr><w:gridSpan w:val="2"/></w:tcPr><w:p><w:r><w:t>Wide</w:t></w:r></w:p></w:tc></w:tr>'
    '<w:tr><w:tc><w:tcPr><w:vMerge w:val="restart"/></w:tcPr><w:p><w:r><w:t>Tall</w:t></w:r></w:p></w:tc><w:tc><w:p/></w:tc></w:tr>'
    "<w:tr><w:tc><w:tcPr><w:vMerge/></w:tcPr><w:p/></w:tc><w:tc><w:p><w:r><w:t>Last</w:t></w:r></w:p></w:tc></w:tr></w:tbl>"
)
SECTION = '<w:p><w:pPr><w:sectPr><w:pgSz w:w="12240" w:h="15840"/></w:sectPr></w:pPr></w:p>'
RICH = docx(
    "# Summary",  # body/paragraph[1]
    "Revenue **rose** to [-5-][+7+] million[^Unaudited.^].",  # 2
    "See [#terms:the terms] and {REF terms|the terms} on page {PAGE|2}, or [our site](https://example.org/a).",  # 3
    "The [!penalty!Enough?] is [=rate:two percent].",  # 4
    "- Pumps",  # 5
    "- Hoses",  # 6
    "1. Order",  # 7
    "| Item | Qty |",  # table[1]
    "| Pump | 4 |",
    "![Site plan]",  # 8, image[1]
    STYLED,  # 9
    CONTROL,
    BOX,  # 10, text_box[1]
    MERGED,  # table[2]
    SECTION,  # 11
    "# ~~Secret~~ End",  # 12
    header="Draft",
    footer="Page {PAGE|1}",
    settings="<w:trackRevisions/>",
)  # fmt: skip


def _runs_split(root: etree._Element) -> None:
    for run in list(root.iter(f"{W}r")):
        texts = run.findall(f"{W}t")
        if len(texts) == 1 and len([child for child in run if child.tag != f"{W}rPr"]) == 1 and len(texts[0].text or "") > 1:
            other = copy.deepcopy(run)
            text = texts[0].text or ""
            for element, part in ((texts[0], text[:1]), (other.findall(f"{W}t")[0], text[1:])):
                element.text = part
                element.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")
            run.addnext(other)
            run.addnext(etree.Element(f"{W}proofErr", {f"{W}type": "spellStart"}))


def _rsids(root: etree._Element) -> None:
    for element in root.iter(f"{W}p", f"{W}r", f"{W}tr"):
        element.set(f"{W}rsidR", "00AB12CD")


def _explicit_values(root: etree._Element) -> None:
    for element in root.iter(f"{W}b", f"{W}vanish", f"{W}tblHeader"):
        element.set(f"{W}val", "1")
    for paragraph in root.iter(f"{W}p"):
        properties = paragraph.find(f"{W}pPr")
        if properties is None:
            properties = etree.Element(f"{W}pPr")
            paragraph.insert(0, properties)
        if properties.find(f"{W}pStyle") is None:
            properties.insert(0, etree.Element(f"{W}pStyle", {f"{W}val": "Normal"}))
    for run in root.iter(f"{W}r"):
        r_pr = run.find(f"{W}rPr")
        if r_pr is None:
            r_pr = etree.Element(f"{W}rPr")
            run.insert(0, r_pr)
        etree.SubElement(r_pr, f"{W}i", {f"{W}val": "0"})
        etree.SubElement(r_pr, f"{W}sz", {f"{W}val": "22"})


def _attributes_turned(root: etree._Element) -> None:
    for element in root.iter():
        items = list(element.attrib.items())
        element.attrib.clear()
        for name, value in reversed(items):
            element.set(name, value)


def _ids_renumbered(root: etree._Element) -> None:
    for element in root.iter(f"{W}bookmarkStart", f"{W}bookmarkEnd", f"{W}ins", f"{W}del"):
        element.set(f"{W}id", str(int(element.get(f"{W}id") or 0) + 500))


def _properties_reordered(root: etree._Element) -> None:
    for properties in root.iter(f"{W}rPr", f"{W}pPr"):
        properties[:] = list(reversed(properties))


def _last_position(root: etree._Element) -> None:
    paragraph = next(root.iter(f"{W}p"))
    paragraph.append(etree.Element(f"{W}bookmarkStart", {f"{W}id": "900", f"{W}name": "_GoBack"}))
    paragraph.append(etree.Element(f"{W}bookmarkEnd", {f"{W}id": "900"}))


@pytest.mark.parametrize(
    "rewrite", [_runs_split, _rsids, _explicit_values, _attributes_turned, _ids_renumbered, _properties_reordered, _last_position]
)
def test_rewrites_that_no_reader_notices_change_nothing(rewrite: Callable[[etree._Element], None]) -> None:
    again = edited(RICH, rewrite)
    assert changes(RICH, again) == []
    assert open_docx(RICH).facts() == open_docx(again).facts()


def test_package_form_is_no_state() -> None:
    parts = members(RICH)
    turned = dict(reversed(list(parts.items())))
    assert changes(RICH, package(turned, zipfile.ZIP_STORED)) == []
    renamed = {re.sub(r"^word/header1", "word/running", name): content for name, content in parts.items()}
    renamed = {
        name: content.replace(b"header1.xml", b"running.xml").replace(b'"rId', b'"x') if name.endswith(".rels") and "document" in name else content.replace(b"header1.xml", b"running.xml")
        for name, content in renamed.items()
    }  # fmt: skip
    renamed["word/document.xml"] = re.sub(rb'(r:\w+=)"rId', rb'\1"x', renamed["word/document.xml"])
    assert changes(RICH, package(renamed)) == []


def test_same_look_reached_another_way_is_the_same_fact() -> None:
    direct = docx('<w:p><w:r><w:rPr><w:b/><w:sz w:val="28"/></w:rPr><w:t>Big</w:t></w:r></w:p>')
    style = '<w:style w:type="paragraph" w:styleId="Big"><w:name w:val="Big"/><w:basedOn w:val="Normal"/><w:rPr><w:b/><w:sz w:val="28"/></w:rPr></w:style>'
    by_style = docx('<w:p><w:pPr><w:pStyle w:val="Big"/></w:pPr><w:r><w:t>Big</w:t></w:r></w:p>', styles=style)
    run = FactKey("body/paragraph[1]/run[1]", Aspect.FORMAT, "size")
    assert open_docx(direct).facts()[run] == open_docx(by_style).facts()[run] == "14 pt"
    assert {change.name for change in changes(direct, by_style) if change.address.startswith("body")} == {"style"}


def test_toggles_of_paragraph_and_character_style_cancel_out() -> None:
    styles = '<w:style w:type="character" w:styleId="Strong"><w:name w:val="Strong"/><w:rPr><w:b/></w:rPr></w:style>'
    bold = '<w:r><w:rPr><w:rStyle w:val="Strong"/></w:rPr><w:t>x</w:t></w:r>'
    document = open_docx(docx(f'<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr>{bold}</w:p>', f"<w:p>{bold}</w:p>", styles=styles))
    assert (Aspect.FORMAT, "bold") not in document.find("body/paragraph[1]/run[1]")[0].facts
    assert document.find("body/paragraph[2]/run[1]")[0].facts[Aspect.FORMAT, "bold"] is True


CORRUPTIONS: list[tuple[str, Callable[[bytes], bytes], str]] = [
    ("word changed", lambda data: replaced(data, "Pumps", "Valves"), "body/paragraph[5]"),
    ("bold lost", lambda data: edited(data, lambda root: remove_all(root, f"{W}b")), "body/paragraph[2]"),
    ("heading to bold text", lambda data: replaced(data, '<w:pStyle w:val="Heading1"/>', ""), "body/paragraph[1]"),
    ("level shifted", lambda data: replaced(data, 'w:val="Heading1"', 'w:val="Heading2"'), "body/paragraph[1]"),
    ("list to plain text", lambda data: replaced(data, '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>', ""), "body/paragraph[5]"),
    ("bullet to number", lambda data: replaced(data, '<w:numId w:val="1"/>', '<w:numId w:val="2"/>'), "body/paragraph[5]"),
    ("insertion accepted", lambda data: edited(data, _unwrap_insertions), "revision[2]"),
    ("deletion accepted", lambda data: edited(data, lambda root: remove_all(root, f"{W}del")), "revision[1]"),
    ("author of a change", lambda data: replaced(data, 'w:author="Ana"', 'w:author="Ben"'), "revision[1]"),
    ("footnote mark dropped", lambda data: replaced(data, '<w:footnoteReference w:id="2"/>', ""), "body/paragraph[2]"),
    ("footnote text", lambda data: replaced(data, "Unaudited", "Audited", "word/footnotes.xml"), "footnote[1]/paragraph[1]"),
    ("bookmark renamed", lambda data: replaced(data, 'w:name="terms"', 'w:name="clause"'), "bookmark[terms]"),
    ("field instruction", lambda data: replaced(data, " REF terms ", " REF other "), "body/paragraph[3]/field[1]"),
    ("field to its text", lambda data: edited(data, _flatten_fields), "body/paragraph[3]"),
    ("link re-targeted", lambda data: replaced(data, "https://example.org/a", "https://example.org/b", "word/_rels/document.xml.rels"), "body/paragraph[3]/hyperlink[1]"),
    ("comment text", lambda data: replaced(data, "Enough?", "Enough!", "word/comments.xml"), "comment[1]/paragraph[1]"),
    ("comment range", lambda data: edited(data, lambda root: remove_all(root, f"{W}commentRangeStart")), "comment[1]"),
    ("control value", lambda data: replaced(data, "two percent", "ten percent"), "body/paragraph[4]/content_control[1]"),
    ("control tag", lambda data: replaced(data, 'w:val="contact"', 'w:val="kontakt"'), "body/content_control[1]"),
    ("control text", lambda data: replaced(data, "Maria", "Mario"), "body/content_control[1]/paragraph[1]"),
    ("cell", lambda data: replaced(data, "Pump<", "Fan<"), "body/table[1]/row[2]/cell[1]/paragraph[1]"),
    ("header row mark", lambda data: replaced(data, "<w:tblHeader/>", ""), "body/table[2]/row[1]"),
    ("merge undone", lambda data: replaced(data, "<w:vMerge/>", ""), "body/table[2]/row[2]/cell[1]"),
    ("span undone", lambda data: replaced(data, '<w:gridSpan w:val="2"/>', ""), "body/table[2]/row[1]/cell[1]"),
    ("alternative text", lambda data: replaced(data, "Site plan", "Photo"), "body/image[1]"),
    ("picture bytes", lambda data: package({**members(data), "word/media/image1.png": b"\x89PNG other"}), "body/image[1]"),
    ("picture size", lambda data: replaced(data, 'cx="914400" cy="609600"', 'cx="914400" cy="914400"'), "body/image[1]"),
    ("text box", lambda data: replaced(data, "Gate 7", "Gate 9"), "body/text_box[1]/paragraph[1]"),
    ("alignment", lambda data: replaced(data, '<w:jc w:val="center"/>', ""), "body/paragraph[9]"),
    ("colour", lambda data: replaced(data, "FF0000", "00FF00"), "body/paragraph[9]/run[1]"),
    ("indent", lambda data: replaced(data, 'w:left="720"', 'w:left="360"'), "body/paragraph[9]"),
    ("section orientation", lambda data: replaced(data, 'w:w="12240" w:h="15840"', 'w:w="15840" w:h="12240" w:orient="landscape"'), "body/page_setup[1]"),
    ("section break", lambda data: replaced(data, SECTION.replace("<w:p>", "").replace("</w:p>", ""), ""), "body/paragraph[11]"),
    ("header", lambda data: replaced(data, "Draft", "Final", "word/header1.xml"), "header[2,default]/paragraph[1]"),
    ("footer field", lambda data: replaced(data, " PAGE ", " NUMPAGES ", "word/footer1.xml"), "footer[2,default]/paragraph[1]/field[1]"),
    ("tracking switched off", lambda data: replaced(data, "<w:trackRevisions/>", "", "word/settings.xml"), "setting[trackRevisions]"),
    ("style changed", lambda data: replaced(data, "<w:keepNext/>", "", "word/styles.xml"), "style[Heading 1]"),
    ("hidden text shown", lambda data: replaced(data, "<w:vanish/>", ""), "body/paragraph[12]"),
    ("blanks between words", lambda data: replaced(data, ' xml:space="preserve">Revenue ', ">Revenue "), "body/paragraph[2]"),
    ("mark of a footnote", lambda data: replaced(data, '<w:vertAlign w:val="superscript"/>', ""), "body/paragraph[2]"),
]  # fmt: skip


def _unwrap_insertions(root: etree._Element) -> None:
    for element in list(root.iter(f"{W}ins")):
        for child in list(element):
            element.addprevious(child)
        remove(element)


def _flatten_fields(root: etree._Element) -> None:
    for element in list(root.iter(f"{W}fldChar", f"{W}instrText")):
        remove(element)


@pytest.mark.parametrize(("corrupt", "place"), [(corrupt, place) for _, corrupt, place in CORRUPTIONS], ids=[name for name, _, _ in CORRUPTIONS])
def test_damage_is_seen_at_its_place(corrupt: Callable[[bytes], bytes], place: str) -> None:
    found = places(changes(RICH, corrupt(RICH)))
    assert any(address == place or address.startswith(f"{place}/") for address in found), found


def test_fallback_of_a_text_box_is_compared_and_no_text() -> None:
    parts = members(RICH)
    at = parts["word/document.xml"].rfind(b"Gate 7")
    parts["word/document.xml"] = parts["word/document.xml"][:at] + b"Gate 8" + parts["word/document.xml"][at + 6 :]
    assert places(changes(RICH, package(parts))) == {"body/text_box[1]", "body/paragraph[10]"}
    shown = [span for span in open_docx(RICH).spans() if span.text == "Gate 7"]
    assert len(shown) == 1


def test_result_of_a_derived_field_is_no_state_but_that_of_a_form_is() -> None:
    assert changes(RICH, replaced(RICH, "<w:t xml:space=\"preserve\">2</w:t>", "<w:t>9</w:t>")) == []
    form = docx("{FORMTEXT|Maria}")
    assert places(changes(form, replaced(form, "Maria", "Mario"))) == {"body/paragraph[1]", "body/paragraph[1]/run[1]"}


def test_inserted_paragraph_is_one_change() -> None:
    more = edited(RICH, lambda root: root[0].insert(1, etree.fromstring(f'<p xmlns="{W[1:-1]}"><r><t>A new one</t></r></p>')))
    found = changes(RICH, more)
    assert len(found) == 1
    assert found[0].place


def test_content_profile_sees_words_and_not_looks() -> None:
    assert changes(RICH, replaced(RICH, "FF0000", "00FF00"), aspects=CONTENT_ASPECTS) == []
    assert changes(RICH, replaced(RICH, "Pumps", "Valves"), aspects=CONTENT_ASPECTS) != []


def test_strict_document_reads_as_transitional() -> None:
    parts = members(RICH)
    strict = {
        name: content.replace(b"http://schemas.openxmlformats.org/wordprocessingml/2006/main", b"http://purl.oclc.org/ooxml/wordprocessingml/main")
        .replace(b"http://schemas.openxmlformats.org/officeDocument/2006/relationships", b"http://purl.oclc.org/ooxml/officeDocument/relationships")
        for name, content in parts.items()
    }  # fmt: skip
    assert places(changes(RICH, package(strict))) == {"property[content type]"}


def test_inherited_header_is_the_first_ones_and_repeating_it_changes_nothing() -> None:
    document = open_docx(docx("One.", SECTION.replace("<w:sectPr>", '<w:sectPr><w:headerReference w:type="default" r:id="rId1"/>'), "Two.", header="Draft"))
    assert [node.address for node in document.find("header[2,default]")] == ["header[1,default]"]


@given(st.lists(st.sampled_from(["Alpha", "Beta", "Gamma", "# Delta", "- Item", "| a | b |", "**Bold** and plain"]), min_size=1, max_size=8), st.data())
@settings(max_examples=40, deadline=None)
def test_any_removed_line_is_seen(lines: list[str], data: st.DataObject) -> None:
    gone = data.draw(st.integers(0, len(lines) - 1))
    before, after = docx(*lines, "End"), docx(*lines[:gone], *lines[gone + 1 :], "End")
    assert changes(before, after) != []
    assert changes(before, before) == []


@given(st.binary(max_size=400))
@settings(max_examples=40, deadline=None)
def test_only_unreadable_escapes_from_opening(noise: bytes) -> None:
    parts = members(RICH)
    parts["word/document.xml"] = noise
    with pytest.raises(Unreadable):
        open_docx(package(parts))


@pytest.mark.parametrize("length", [2, 200, 300])
def test_chains_of_styles_are_read_up_to_a_limit(length: int) -> None:
    chain = "".join(
        f'<w:style w:type="paragraph" w:styleId="Q{n}"><w:name w:val="q{n}"/><w:basedOn w:val="Q{(n + 1) % length}"/></w:style>' for n in range(length)
    )
    data = replaced(RICH, "</w:styles>", f"{chain}</w:styles>", "word/styles.xml")
    if length > DEFAULT_LIMITS.depth:
        with pytest.raises(Unreadable) as caught:
            open_docx(data).facts()
        assert caught.value.code is FindingCode.LIMIT_EXCEEDED
    else:
        assert f"style[q{length - 1}]" in {address for address, *_ in open_docx(data).facts()}


def test_content_profile_lets_a_program_move_a_section_break_out_of_its_empty_paragraph() -> None:
    source = docx("One", SECTION, "Two")
    inside = edited(source, lambda root: _into_previous(next(root.iter(f"{W}sectPr"))))
    assert changes(source, inside, aspects=CONTENT_ASPECTS) == [] == changes(inside, source, aspects=CONTENT_ASPECTS)
    assert changes(source, inside) != []


def _into_previous(section: etree._Element) -> None:
    paragraph = next(section.iterancestors(f"{W}p"))
    previous = paragraph.getprevious()
    assert previous is not None
    properties = etree.Element(f"{W}pPr")
    properties.append(section)
    previous.insert(0, properties)
    remove(paragraph)


def test_content_profile_lets_a_program_move_a_control_into_its_paragraph() -> None:
    inside = CONTROL.replace("<w:sdtContent><w:p>", "<w:sdtContent>").replace("</w:p></w:sdtContent>", "</w:sdtContent>")
    source, turned = docx("One", CONTROL, "Two"), docx("One", f"<w:p>{inside}</w:p>", "Two")
    assert changes(source, turned, aspects=CONTENT_ASPECTS) == [] == changes(turned, source, aspects=CONTENT_ASPECTS)
    assert changes(source, turned) != []
    assert changes(source, docx("One", f"<w:p>{inside.replace('Maria', 'Mario')}</w:p>", "Two"), aspects=CONTENT_ASPECTS) != []
    assert changes(source, docx("One", "Maria", "Two"), aspects=CONTENT_ASPECTS) != []


def test_spaces_of_an_address_are_written_either_way() -> None:
    source = docx("See [our site](https://example.org/a b).")
    assert changes(source, replaced(source, "a b", "a%20b", part="word/_rels/document.xml.rels")) == []


def test_content_profile_lets_a_program_make_references_links() -> None:
    before, after = docx("See {PAGEREF terms|3}."), docx("See {PAGEREF terms \\h|3}.")
    assert changes(before, after, aspects=CONTENT_ASPECTS) == []
    assert places(changes(after, before, aspects=CONTENT_ASPECTS)) == {"body/paragraph[1]/field[1]"}
    assert places(changes(before, after)) == {"body/paragraph[1]/field[1]"}


def test_rewritten_entry_of_contents_is_stale_though_a_cell_holds_its_number() -> None:
    def report(entry: str) -> bytes:
        return docx("{TOC \\o|" + entry + "\t3}", "# 2. Berths", "| 2 | 3 |")

    assert FORMAT.stale is not None
    assert [one.derived for one in FORMAT.stale(open_docx(report("2. Boats")), open_docx(report("2. Berths")))] == ["no such heading"]
    assert list(FORMAT.stale(open_docx(report("2. Berths")), open_docx(report("2. Boats")))) == []


def test_looks_that_follow_the_defaults_are_not_reported_beside_them() -> None:
    data = docx("- first", "Gone: [-word-]")
    found = places(changes(data, replaced(data, '<w:sz w:val="22"/>', '<w:sz w:val="30"/>', "word/styles.xml")))
    assert found == {"style[Document defaults]"}


def _sections(first: str, second: str) -> bytes:
    """Two sections with the header references in the properties of each; the parts are `Head` and `Other`."""
    data = docx(f"<w:p><w:pPr><w:sectPr>{first}</w:sectPr></w:pPr><w:r><w:t>One</w:t></w:r></w:p>", "Two", header="Head")
    parts = members(data)
    parts["word/header2.xml"] = parts["word/header1.xml"].replace(b"Head", b"Other")
    parts["[Content_Types].xml"] = re.sub(rb'(<Override PartName="/word/)header1(\.xml"[^>]*>)', rb"\g<0>\g<1>header2\g<2>", parts["[Content_Types].xml"])
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/header"
    parts["word/_rels/document.xml.rels"] = parts["word/_rels/document.xml.rels"].replace(
        b"</Relationships>", f'<Relationship Id="o" Type="{kind}" Target="header2.xml"/></Relationships>'.encode()
    )
    head = re.search(rb'<w:headerReference w:type="default" r:id="(rId[^"]+)"/>', parts["word/document.xml"])
    assert head is not None
    document = parts["word/document.xml"].replace(head.group(), second.encode()).replace(b'r:id="h"', b'r:id="' + head.group(1) + b'"')
    parts["word/document.xml"] = document
    return package(parts)


HEAD, OTHER = '<w:headerReference w:type="default" r:id="h"/>', '<w:headerReference w:type="first" r:id="o"/>'


@pytest.mark.parametrize(
    ("first", "second", "place"),
    [
        (HEAD + OTHER.replace("first", "even"), "", "header[1,first]"),
        (HEAD, OTHER, "header[1,first]"),
        (HEAD.replace("default", "even") + OTHER, "", "header[1,default]"),
        (OTHER, HEAD, "body/page_setup[1]"),
    ],
)
def test_which_pages_of_which_section_a_header_is_for_is_state(first: str, second: str, place: str) -> None:
    assert place in places(changes(_sections(HEAD + OTHER, ""), _sections(first, second)))


def test_a_header_of_its_own_in_scope_is_all_that_a_section_gets() -> None:
    before, after = _sections(HEAD, ""), _sections(HEAD, OTHER.replace("first", "default"))
    assert places(changes(before, after)) == {"body/page_setup[2]", "header[2,default]"}
    assert changes(before, after, ["header[2,default]"]) == []
    assert changes(after, before, ["header[2,default]"]) == []


def test_an_editable_range_without_its_other_end_is_another() -> None:
    data = docx('<w:p><w:permStart w:id="4" w:edGrp="everyone"/><w:r><w:t>Edit</w:t></w:r><w:permEnd w:id="4"/></w:p>')
    assert changes(data, replaced(replaced(data, 'w:id="4" w:edGrp', 'w:id="9" w:edGrp'), 'permEnd w:id="4"', 'permEnd w:id="9"')) == []
    assert places(changes(data, replaced(data, 'permEnd w:id="4"', 'permEnd w:id="9"'))) == {"body/paragraph[1]"}


def test_a_deleted_picture_is_told_in_words() -> None:
    picture = re.search(rb"<w:r><w:drawing>.*?</w:drawing></w:r>", members(docx("![Site plan]"))["word/document.xml"])
    assert picture is not None
    data = docx("![Other]", f'<w:p><w:del w:id="1" w:author="Ana">{picture.group().decode()}</w:del></w:p>')
    (revision,) = open_docx(data).find("revision[1]")
    assert revision.facts[Aspect.REVISION, "deleted objects"] == ["image: Site plan"]
    assert "revision[1]" in places(changes(data, replaced(data, 'descr="Site plan"', 'descr="Map"')))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("[site](https://example.org)", "[site](https://example.org/)"),
        ("[file](my file.docx)", "[file](my%20file.docx)"),
    ],
)
def test_an_address_is_written_either_way(before: str, after: str) -> None:
    assert changes(docx(before), docx(after)) == []
    assert changes(docx(before), docx("[site](https://example.org/b)"))


def test_content_profile_lets_a_program_order_the_switches_of_a_field() -> None:
    before, after = docx('{TOC \\o "1-3" \\h \\z|One}'), docx('{TOC \\z \\o "1-3" \\h|One}')
    assert changes(before, after, aspects=CONTENT_ASPECTS) == []
    assert changes(before, docx('{TOC \\z \\o "1-2" \\h|One}'), aspects=CONTENT_ASPECTS)


@pytest.mark.parametrize(
    ("place", "markup"),
    [
        ("w:tblPr", '<w:tblInd w:w="0" w:type="dxa"/>'),
        ("w:tblPr", '<w:tblCellSpacing w:w="0" w:type="dxa"/><w:tblStyleRowBandSize w:val="1"/><w:tblCaption w:val=""/>'),
        ("w:trPr", '<w:jc w:val="start"/><w:wBefore w:w="0" w:type="dxa"/><w:divId w:val="0"/><w:tblCellSpacing w:w="0" w:type="dxa"/>'),
        ("w:sectPr", '<w:footnotePr><w:pos w:val="pageBottom"/><w:numFmt w:val="decimal"/></w:footnotePr><w:endnotePr><w:numFmt w:val="lowerRoman"/></w:endnotePr>'),
        ("w:sectPr", '<w:lnNumType w:countBy="0"/><w:paperSrc w:first="0" w:other="0"/><w:pgBorders/>'),
        ("w:settings", '<w:hyphenationZone w:val="360"/><w:documentProtection w:enforcement="0"/><w:footnotePr><w:numStart w:val="1"/></w:footnotePr>'),
        ("w:settings", '<w:revisionView w:markup="0"/><w:stylePaneFormatFilter w:val="0004"/>'),
    ],
)
def test_what_is_so_anyhow_may_be_said(place: str, markup: str) -> None:
    row = "<w:tr><w:trPr></w:trPr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc></w:tr>"
    data = docx(f'<w:tbl><w:tblPr></w:tblPr><w:tblGrid><w:gridCol w:w="900"/></w:tblGrid>{row}</w:tbl>', settings="<w:trackRevisions/>")
    part = "word/settings.xml" if place == "w:settings" else "word/document.xml"
    assert changes(data, replaced(data, f"</{place}>", f"{markup}</{place}>", part)) == []
    told = re.sub(r'(w:w|w:countBy|w:first|w:enforcement)="0"', r'\1="7"', markup).replace('"decimal"', '"upperRoman"').replace('"360"', '"300"')
    if told != markup:
        assert changes(data, replaced(data, f"</{place}>", f"{told}</{place}>", part))


def test_a_table_that_its_style_moves_in_says_that_it_does_not() -> None:
    style = '<w:style w:type="table" w:styleId="In"><w:name w:val="In"/><w:tblPr><w:tblInd w:w="500" w:type="dxa"/></w:tblPr></w:style>'
    cell = '<w:tblGrid><w:gridCol w:w="900"/></w:tblGrid><w:tr><w:tc><w:p/></w:tc></w:tr>'
    data = docx(f'<w:tbl><w:tblPr><w:tblStyle w:val="In"/></w:tblPr>{cell}</w:tbl>', styles=style)
    assert places(changes(data, replaced(data, "</w:tblPr>", '<w:tblInd w:w="0" w:type="dxa"/></w:tblPr>'))) == {"body/table[1]"}
