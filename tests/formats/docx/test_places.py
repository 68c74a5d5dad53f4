"""Addresses, sections, edit scopes, spans and stale results of a docx."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from lxml import etree

from docops.core.errors import Unreadable
from docops.core.spans import Role
from docops.formats.docx import FORMAT
from docops.formats.docx.document import open_docx
from docops.formats.docx.samples import docx
from tests.formats.docx.rewriting import W, changes, edited, members, package, places, remove_all, replaced, unlike_fingerprints

W14 = "http://schemas.microsoft.com/office/word/2010/wordml"
CORPUS = Path(__file__).parents[4] / "shared" / "corpus"
FILES = sorted((CORPUS / "docx").glob("*.docx")) if CORPUS.is_dir() else []

REPORT = docx("Preface", "# Part I", "Text one.", "## 2. Scope", "Inner.", "| a | b |", "# Part II", "## Notes", "First.", "## Notes", "Second.", "[-# Gone-]")


def texts(data: bytes, address: str) -> list[str]:
    document = open_docx(data)
    return ["".join(span.text for span in document.spans() if span.block == node.address) for node in document.find(address)]


def test_sections_name_blocks_under_their_heading() -> None:
    assert texts(REPORT, 'body/section["2. Scope"]/paragraph[1]') == ["2. Scope"]
    assert texts(REPORT, 'body/section["2. Scope"]/paragraph[2]') == ["Inner."]
    assert texts(REPORT, 'body/section["Part I"]/section["2. Scope"]/paragraph[2]') == ["Inner."]
    assert texts(REPORT, 'body/section["Part I/2. Scope"]/paragraph[2]') == ["Inner."]
    assert texts(REPORT, 'body/section["Part I"]/paragraph[4]') == ["Inner."]
    assert texts(REPORT, 'body/section["Notes",2]/paragraph[2]') == ["Second."]
    assert [node.address for node in open_docx(REPORT).find('body/section["2. Scope"]/table[1]')] == ["body/table[1]"]
    assert [node.address for node in open_docx(REPORT).find('body/section["2. Scope"]')] == ["body/paragraph[4]", "body/paragraph[5]", "body/table[1]"]
    assert open_docx(REPORT).find('body/section["Nowhere"]') == []


@pytest.mark.parametrize("path", FILES, ids=[path.name for path in FILES])
def test_real_files_equal_themselves_and_print_addresses_that_resolve(path: Path) -> None:
    one, other = open_docx(path.read_bytes()), unlike_fingerprints(open_docx(path.read_bytes()))
    assert one.facts() == other.facts()
    for node in one.root.walk():
        if node.address:
            assert one.find(node.address) == [node]
    for span in one.spans():
        assert one.find(span.address), span
    assert sum(row.bytes for row in one.coverage()) == sum(len(one.package.member_data(name)) for name in one.package.member_names)
    assert FORMAT.stale is not None
    assert list(FORMAT.stale(one, other)) == []


@pytest.mark.parametrize("path", sorted((CORPUS / "hostile").glob("*.docx")) if CORPUS.is_dir() else [], ids=lambda path: str(path.name))
def test_hostile_files_raise_unreadable_or_open(path: Path) -> None:
    try:
        document = open_docx(path.read_bytes())
    except Unreadable:
        return
    assert document.facts()


def test_triple_of_tracked_accepted_and_rejected() -> None:
    if not FILES:
        pytest.skip("the corpus is not here")
    tracked, accepted, rejected = ((CORPUS / "docx" / f"word-triple-{name}.docx").read_bytes() for name in ("tracked", "accepted", "rejected"))
    assert places(changes(tracked, accepted)) == {"revision[1]", "body/paragraph[25]"}
    assert places(changes(tracked, rejected)) == {"revision[1]", "body/paragraph[25]"}
    assert changes(tracked, rejected, ["body/paragraph[25]"]) == []


# Scope -----------------------------------------------------------------------------------------

NOTED = docx("First[^A note.^].", "See [#terms:the terms] and [!this!Why?].", "Last.")


def _drop_first(root: object) -> None:
    body = root[0]  # type: ignore[index]
    body.remove(body[0])


def test_losing_a_note_is_no_part_of_an_edit_of_its_paragraph() -> None:
    lost = edited(NOTED, lambda root: remove_all(root, f"{W}footnoteReference"))
    assert "footnote[1]" in places(changes(NOTED, lost, ["body/paragraph[1]"]))


def test_removing_a_paragraph_takes_along_what_is_anchored_in_it() -> None:
    gone = edited(NOTED, _drop_first)
    parts = members(gone)
    parts["word/footnotes.xml"] = b'<w:footnotes xmlns:w="' + W[1:-1].encode() + b'"/>'
    assert changes(NOTED, package(parts), ["body/paragraph[1]"]) == []
    assert "footnote[1]" in places(changes(NOTED, package(parts)))


def test_edit_before_a_bookmark_moves_it_and_is_no_damage() -> None:
    assert changes(NOTED, replaced(NOTED, "See ", "Please see "), ["body/paragraph[2]"]) == []
    renamed = replaced(NOTED, 'w:name="terms"', 'w:name="clause"')
    assert places(changes(NOTED, renamed, ["body/paragraph[2]"])) == {"bookmark[terms]"}
    assert changes(NOTED, renamed, ["bookmark[terms]", "bookmark[clause]"]) == []


def test_scope_of_a_section_covers_what_is_added_in_it() -> None:
    more = docx("# A", "One.", "Two.", "# B", "Three.")
    assert changes(docx("# A", "One.", "# B", "Three."), more, ['body/section["A"]']) == []
    assert changes(docx("# A", "One.", "# B", "Three."), more, ['body/section["B"]']) != []


def test_scope_of_a_control_or_picture_is_not_its_paragraph() -> None:
    form = docx("Status: [=status:open]", "![Plan]")
    assert changes(form, replaced(form, ">open<", ">closed<"), ["body/paragraph[1]/content_control[1]"]) == []
    assert changes(form, replaced(form, ">open<", ">closed<"), ['body/content_control["status"]']) == []
    assert changes(form, replaced(form, 'descr="Plan"', 'descr="Map"'), ["body/image[1]"]) == []
    assert changes(form, replaced(form, 'descr="Plan"', 'descr="Map"'), ["body/paragraph[2]"]) == []
    assert changes(form, replaced(form, 'descr="Plan"', 'descr="Map"'), ["body/paragraph[1]"]) != []


def test_new_first_item_of_a_list_in_scope_is_no_change_of_the_old_one() -> None:
    assert changes(docx("x", "- a", "- b"), docx("x", "- new", "- a", "- b"), ["body/paragraph[2]"]) == []


# Spans -----------------------------------------------------------------------------------------


def _run(text: str, properties: str) -> str:
    return f"<w:p><w:r><w:rPr>{properties}</w:rPr><w:t>{text}</w:t></w:r></w:p>"


HIDING: list[tuple[str, str, str]] = [
    ("vanish", _run("secret", "<w:vanish/>"), "vanish"),
    ("white", _run("secret", '<w:color w:val="FFFFFF"/>'), "white on white"),
    ("nearly white", _run("secret", '<w:color w:val="FDFDFD"/>'), "colour of the background"),
    ("tiny", _run("secret", '<w:sz w:val="2"/>'), "too small"),
    ("as shaded", _run("secret", '<w:color w:val="FF0000"/><w:shd w:val="clear" w:fill="FF0000"/>'), "colour of the background"),
    ("deleted", '<w:p><w:del w:id="1" w:author="A"><w:r><w:delText>secret</w:delText></w:r></w:del></w:p>', "deleted"),
    ("moved", '<w:p><w:moveFrom w:id="1" w:author="A"><w:r><w:t>secret</w:t></w:r></w:moveFrom></w:p>', "moved away"),
]


@pytest.mark.parametrize(("markup", "why"), [(markup, why) for _, markup, why in HIDING], ids=[name for name, _, _ in HIDING])
def test_hidden_text_is_stored_and_not_visible(markup: str, why: str) -> None:
    span = next(span for span in open_docx(docx(markup)).spans() if span.text == "secret")
    assert (span.visible, span.hidden_by) == (False, why)


def test_white_text_on_dark_ground_is_visible() -> None:
    span = next(span for span in open_docx(docx(_run("shown", '<w:color w:val="FFFFFF"/><w:shd w:val="clear" w:fill="000080"/>'))).spans() if span.text == "shown")
    assert span.visible


def test_hidden_by_style_and_by_control_placeholder() -> None:
    styles = '<w:style w:type="character" w:styleId="H"><w:name w:val="Hid"/><w:rPr><w:vanish/></w:rPr></w:style>'
    spans = open_docx(docx(_run("secret", '<w:rStyle w:val="H"/>'), styles=styles)).spans()
    assert next(span for span in spans if span.text == "secret").hidden_by == "vanish"
    prompt = "<w:sdt><w:sdtPr><w:showingPlcHdr/></w:sdtPr><w:sdtContent><w:p><w:r><w:t>Click here</w:t></w:r></w:p></w:sdtContent></w:sdt>"
    assert next(span for span in open_docx(docx(prompt)).spans() if span.text == "Click here").hidden_by == "placeholder"


def test_every_stored_word_is_in_some_span() -> None:
    data = docx("Body[^Note^] [!over!Remark] [#mark:x] [=tag:value] ![Alt] [label](https://t.example/) {REF mark|x}", header="Head", footer="Foot")
    stored = "\n".join(span.text for span in open_docx(data).spans())
    for word in ("Body", "Note", "over", "Remark", "mark", "tag", "value", "Alt", "label", "https://t.example/", "REF mark", "Head", "Foot", "Ana"):
        assert word in stored, word
    roles = {span.role for span in open_docx(data).spans()}
    assert {Role.BODY, Role.HEADER, Role.FOOTER, Role.FOOTNOTE, Role.COMMENT, Role.ALT, Role.LINK, Role.NAME, Role.CODE} <= roles


def test_runs_inserted_and_field_results_read_as_one_text() -> None:
    data = docx("Pay [-late-][+soon+], see page {PAGE|7}.")
    shown = "".join(span.text for span in open_docx(data).spans() if span.block == "body/paragraph[1]" and span.visible)
    assert shown == "Pay soon, see page 7."


# Stale -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "stale"),
    [
        (lambda data: replaced(data, ">the terms</w:t></w:r><w:r><w:fldChar", ">the clauses</w:t></w:r><w:r><w:fldChar"), 1),
        (lambda data: replaced(data, "Costs 3", "Profits 3"), 1),
        (lambda data: replaced(data, ">Costs<", ">Costs of all<"), 0),
        (lambda data: replaced(data, "Costs 3", "Costs 4"), 0),
    ],
    ids=["reference", "table of contents", "heading changed, contents not yet", "page number"],
)
def test_stored_result_that_was_rewritten_against_its_origin(change: Callable[[bytes], bytes], stale: int) -> None:
    data = docx('{TOC \\o "1-2"|Costs 3}', "# Costs", "[#terms:the terms]", "As in {REF terms|the terms}.")
    assert FORMAT.stale is not None
    assert len(FORMAT.stale(open_docx(change(data)), open_docx(data))) == stale


def test_native_object_opens_and_changes_nothing() -> None:
    document = open_docx(REPORT)
    before = document.facts()
    assert document.native.paragraphs[0].text == "Preface"
    assert document.facts() == before


def test_white_text_over_a_table_style_that_paints_is_not_called_hidden() -> None:
    styles = (
        '<w:style w:type="table" w:styleId="Dark"><w:name w:val="Dark"/><w:tblStylePr w:type="firstRow"><w:tcPr><w:shd w:val="clear" w:fill="1F497D"/></w:tcPr>'
        "</w:tblStylePr></w:style>"
    )
    white = _run("Item", '<w:color w:val="FFFFFF"/>')
    cell = f"<w:tc>{white}</w:tc>"
    table = f'<w:tbl><w:tblPr><w:tblStyle w:val="{{}}"/><w:tblLook w:firstRow="1"/></w:tblPr><w:tblGrid><w:gridCol w:w="900"/></w:tblGrid><w:tr>{cell}</w:tr></w:tbl>'
    for name, visible in (("Dark", True), ("None", False)):
        spans = open_docx(docx(table.format(name), styles=styles)).spans()
        assert next(span for span in spans if span.text == "Item").visible is visible


@pytest.mark.parametrize(
    ("markup", "seen"),
    [
        ('<m:oMath><m:r><m:t>secret</m:t></m:r></m:oMath>', True),
        ('<m:oMath><m:r><w:rPr><w:vanish/></w:rPr><m:t>secret</m:t></m:r></m:oMath>', False),
        ('<m:oMath><m:phant><m:phantPr><m:show m:val="0"/></m:phantPr><m:e><m:r><m:t>secret</m:t></m:r></m:e></m:phant></m:oMath>', False),
        ('<w:fldSimple w:instr=" SET x &quot;y&quot; "><w:r><w:t>secret</w:t></w:r></w:fldSimple>', False),
        ('<w:fldSimple w:instr=" QUOTE &quot;secret&quot; "><w:r><w:t>secret</w:t></w:r></w:fldSimple>', True),
        ('<w:r><mc:AlternateContent><mc:Choice Requires="zz"><w:t>secret</w:t></mc:Choice><mc:Fallback><w:t>y</w:t></mc:Fallback></mc:AlternateContent></w:r>', False),
        ('<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing/></mc:Choice><mc:Fallback><w:t>secret</w:t></mc:Fallback></mc:AlternateContent></w:r>', False),
    ],
)
def test_stored_text_is_known_and_hidden_where_nothing_shows_it(markup: str, seen: bool) -> None:
    found = [span for span in open_docx(docx("Shown", f"<w:p>{markup}</w:p>")).spans() if "secret" in span.text and span.role is Role.BODY]
    assert found
    assert any(span.visible for span in found) is seen


@pytest.mark.parametrize(
    ("change", "seen"),
    [
        (("", ""), False),
        (('behindDoc="0"', 'behindDoc="1"'), True),
        (("<wp:wrapNone/>", '<wp:wrapSquare wrapText="bothSides"/>'), True),
        (('cx="2000000"', 'cx="200000"'), True),
        (('cy="500000"', 'cy="50000"'), True),
        (("<wp:posOffset>0<", "<wp:posOffset>400000<"), True),
        (('relativeFrom="paragraph"', 'relativeFrom="page"'), True),
        (('<a:solidFill><a:srgbClr val="FFFFFF"/></a:solidFill>', "<a:noFill/>"), True),
    ],
)
def test_text_under_a_shape_in_front_of_it_is_covered(change: tuple[str, str], seen: bool) -> None:
    fill = '<wps:wsp><wps:cNvSpPr/><wps:spPr><a:solidFill><a:srgbClr val="FFFFFF"/></a:solidFill></wps:spPr><wps:bodyPr/></wps:wsp>'
    places_ = "".join(f'<wp:position{axis} relativeFrom="{from_}"><wp:posOffset>0</wp:posOffset></wp:position{axis}>' for axis, from_ in (("H", "column"), ("V", "paragraph")))
    data = f'<a:graphic><a:graphicData uri="http://schemas.microsoft.com/office/word/2010/wordprocessingShape">{fill}</a:graphicData></a:graphic>'
    frame = f'<wp:anchor behindDoc="0">{places_}<wp:extent cx="2000000" cy="500000"/><wp:wrapNone/><wp:docPr id="5" name="b"/>{data}</wp:anchor>'
    markup = f"<w:p><w:r><w:t>secret words</w:t></w:r><w:r><w:drawing>{frame}</w:drawing></w:r></w:p>".replace(*change)
    (span,) = [span for span in open_docx(docx("Shown", markup)).spans() if span.text == "secret words"]
    assert (span.visible, span.hidden_by) == (seen, "" if seen else "covered")


def test_a_floating_box_is_seen_by_the_size_of_the_pages() -> None:
    def boxed(x: int, y: int, from_: str = "page") -> bytes:
        box = (
            '<wps:wsp><wps:cNvSpPr txBox="1"/><wps:spPr/><wps:txbx><w:txbxContent><w:p><w:r><w:t>secret</w:t></w:r></w:p></w:txbxContent></wps:txbx><wps:bodyPr/></wps:wsp>'
        )
        place = f'<wp:positionH relativeFrom="{from_}"><wp:posOffset>{x}</wp:posOffset></wp:positionH><wp:positionV relativeFrom="{from_}"><wp:posOffset>{y}</wp:posOffset></wp:positionV>'
        data = f'<a:graphic><a:graphicData uri="http://schemas.microsoft.com/office/word/2010/wordprocessingShape">{box}</a:graphicData></a:graphic>'
        return docx(f'<w:p><w:r><w:drawing><wp:anchor>{place}<wp:extent cx="2000000" cy="500000"/><wp:docPr id="5" name="b"/>{data}</wp:anchor></w:drawing></w:r></w:p>')

    def seen(data: bytes) -> bool:
        return next(span.visible for span in open_docx(data).spans() if span.text == "secret")

    for place in ((100_000, 100_000), (-1_000_000, 100_000), (-2_100_000, 100_000, "margin")):
        assert seen(boxed(*place)), place
    for place in ((-2_100_000, 100_000), (100_000, -600_000), (100_000, 20_000_000), (-9_000_000, 0, "margin")):
        assert not seen(boxed(*place)), place


@pytest.mark.parametrize(
    ("paragraph", "run", "why"),
    [
        ('<w:spacing w:line="14" w:lineRule="exact"/>', "", "too small"),
        ('<w:ind w:left="43200"/>', "", "off the page"),
        ('<w:framePr w:w="10" w:h="10" w:hRule="exact" w:x="-20000" w:hAnchor="page" w:y="1" w:vAnchor="page"/>', "", "off the page"),
        ("", '<w:position w:val="-3000"/>', "off the page"),
        ("", '<w:w w:val="1"/>', "too small"),
        ("", f'<w14:textFill xmlns:w14="{W14}"><w14:noFill/></w14:textFill>', "transparent"),
        ("", f'<w14:textFill xmlns:w14="{W14}"><w14:solidFill><w14:srgbClr w14:val="FFFFFF"/></w14:solidFill></w14:textFill>', "colour of the background"),
        ('<w:spacing w:line="240" w:lineRule="exact"/><w:ind w:left="1440"/>', '<w:position w:val="6"/><w:w w:val="90"/>', ""),
        ('<w:framePr w:w="2000" w:h="300" w:hRule="exact" w:x="-5000" w:hAnchor="page" w:y="1" w:vAnchor="page"/>', "", "off the page"),
        ('<w:framePr w:w="2000" w:h="300" w:hRule="exact" w:x="-500" w:hAnchor="page" w:y="1" w:vAnchor="page"/>', "", ""),
        ('<w:framePr w:w="20" w:h="300" w:x="100" w:hAnchor="page" w:y="1" w:vAnchor="page"/>', "", "too small"),
        ('<w:framePr w:hSpace="180" w:wrap="around" w:vAnchor="text" w:hAnchor="margin" w:x="1" w:y="-300"/>', "", ""),
        ('<w:ind w:left="-9000"/>', "", "off the page"),
        ('<w:ind w:left="-720" w:right="-720" w:hanging="360"/>', "", ""),
        ("", '<w:spacing w:val="-400"/>', "letters on top of each other"),
        ("", '<w:spacing w:val="-20"/>', ""),
        ("", f'<w14:textFill xmlns:w14="{W14}"><w14:solidFill><w14:srgbClr w14:val="112233"/></w14:solidFill></w14:textFill>', ""),
    ],
)
def test_what_no_reader_can_see_is_hidden(paragraph: str, run: str, why: str) -> None:
    text = f"<w:p><w:pPr>{paragraph}</w:pPr><w:r><w:rPr>{run}</w:rPr><w:t>secret</w:t></w:r></w:p>"
    (span,) = [span for span in open_docx(docx("Shown", text)).spans() if span.text == "secret"]
    assert (span.hidden_by.replace("white on white", "colour of the background"), span.visible) == (why, not why)


@pytest.mark.parametrize("line", ["Fine[^By law.^] print.", "The [!penalty!Enough?] is two percent."])
def test_what_a_deleted_paragraph_referred_to_may_stay_behind_or_go(line: str) -> None:
    before = docx("One.", line, "Another [!word!Keep.] here[^Kept.^].")

    def delete(root: etree._Element) -> None:
        body = root[0]
        body.remove(body[1])

    after = edited(before, delete)
    assert changes(before, after, ["body/paragraph[2]"]) == []
    found = places(changes(before, after, ["body/paragraph[1]"]))
    assert "body/paragraph[2]" in found
    assert found & {"footnote[1]", "comment[1]"}
