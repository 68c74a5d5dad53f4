"""Edits that people ask for, done by the usual programs: what belongs to them, and what a reader must see of them."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pytest

from docops.core.compare import Allow
from docops.formats.pdf.document import open_pdf
from docops.formats.pdf.samples import SampleField, SamplePage, pdf

from .support import changes, rich, saved

pikepdf = pytest.importorskip("pikepdf")


def edited(data: bytes, edit: Callable[[Any], object]) -> bytes:
    """A document after an edit with pikepdf."""
    with pikepdf.open(io.BytesIO(data)) as document:
        edit(document)
        return saved(document)


def _nest(document: Any) -> None:
    with document.open_outline() as outline:
        cover = outline.root.pop(0)
        outline.root[0].children.append(cover)


def test_a_bookmark_that_may_move_may_be_nested() -> None:
    nested = edited(rich(), _nest)
    assert changes(rich(), nested, 'outline["Cover"]') == []
    assert changes(rich(), nested) != []


def test_a_pop_up_belongs_to_its_note() -> None:
    def note(document: Any) -> None:
        page = document.pages[1]
        window = document.make_indirect(pikepdf.Dictionary(Type=pikepdf.Name.Annot, Subtype=pikepdf.Name.Popup, Rect=[40, 10, 90, 60]))
        entry = pikepdf.Dictionary(Type=pikepdf.Name.Annot, Subtype=pikepdf.Name.Text, Rect=[10, 10, 30, 30], Contents=pikepdf.String("New"), Popup=window)
        window.Parent = document.make_indirect(entry)
        page.Annots = pikepdf.Array([window.Parent, window])

    assert changes(rich(), edited(rich(), note), "page[2]/annotation[1]") == []


def test_a_link_to_a_page_that_is_no_more_says_so() -> None:
    copied = edited(rich(), lambda document: (document.pages.insert(1, document.pages[2]), document.pages.__delitem__(3)))
    found = [change for change in changes(rich(), copied) if change.address.startswith("outline")]
    assert found
    assert all("not among the document's pages" in str(change.after) for change in found)


def _form() -> bytes:
    return pdf([SamplePage("Application", fields=[SampleField("name", "Ann", "text"), SampleField("agree", "Yes", "checkbox")])])


@pytest.mark.parametrize("rect", [[0, 0, 0, 0], [-300, -300, -200, -280]])
def test_a_field_without_a_place_on_the_page_shows_nothing(rect: list[int]) -> None:
    moved = edited(_form(), lambda document: document.pages[0].Annots[0].__setitem__("/Rect", rect))
    for data, count in ((_form(), 1), (moved, 0)):
        form = open_pdf(data).model.form
        assert len(form.visible_widgets(form.named("name")[0])) == count


def test_a_state_written_as_a_text_is_that_state() -> None:
    form = open_pdf(edited(_form(), lambda document: document.pages[0].Annots[1].__setitem__("/V", pikepdf.String("/Yes")))).model.form
    entry = form.named("agree")[0]
    assert (form.value(entry), form.contradiction(entry)) == ("Yes", None)


@pytest.mark.parametrize(("value", "contradicts"), [("Άnn", False), ("Bnn", True), ("Άnna", True)])
def test_question_marks_stand_for_characters_that_a_font_lacks(value: str, contradicts: bool) -> None:
    def fill(document: Any) -> None:
        field = document.pages[0].Annots[0]
        field.V = pikepdf.String(value)
        face = field.AP.N
        face.write(face.read_bytes().replace(b"(Ann)", b"(?nn)"))

    form = open_pdf(edited(_form(), fill)).model.form
    assert (form.contradiction(form.named("name")[0]) is not None) is contradicts


def test_a_moved_page_that_changed_is_still_that_page() -> None:
    pages = [SamplePage(f"Part {n}\nThe sum of this part is {n * 111} EUR\nPage {n} of 4") for n in range(1, 5)]
    marked = [SamplePage(page.text, content="BT /F1 12 Tf 40 20 Td (Seen) Tj ET\n") for page in pages]
    found = changes(pdf(pages), pdf([marked[0], marked[2], marked[1], marked[3]]))
    moved = [(change.address, change.other_address) for change in found if change.kind == "moved"]
    assert moved in ([("page[2]", "page[3]")], [("page[3]", "page[2]")])
    assert {change.name for change in found if change.kind == "added"} == {"text"}


def test_a_copied_page_is_told_at_both_places() -> None:
    pages = [SamplePage("One"), SamplePage("Two"), SamplePage("Three")]
    found = changes(pdf(pages), pdf([*pages, pages[0]]))
    assert [(change.address, change.name) for change in found] == [("page[4]", "page"), ("page[1]", "copies")]
    assert changes(pdf(pages), pdf([*pages, pages[0]]), "page[4]") == []


_SHOW = "BT 0 g /F1 12 Tf 40 50 Td (Approved here) Tj ET "
_ROUND = "45 40 m 240 40 l 250 40 250 42 250 45 c 250 75 l 250 78 248 80 245 80 c 45 80 l 32 80 30 78 30 75 c 30 45 l 30 42 32 40 45 40 c h f "


@pytest.mark.parametrize(
    ("content", "hidden"),
    [
        (_SHOW, ""),
        (_SHOW + "1 g 30 40 50 40 re f 78 40 90 40 re f", "covered"),
        (_SHOW + "1 g 20 40 20 40 re f", ""),
        (_SHOW + "1 G 40 w 20 55 m 300 55 l S", "covered"),
        (_SHOW + "1 G 1 w 20 55 m 300 55 l S", ""),
        (_SHOW + "1 g " + _ROUND, "covered"),
        ("0 g " + _ROUND + _SHOW.replace("0 g", "1 g"), ""),
        (_SHOW.replace("0 g", "1 g"), "colour of the background"),
        (_SHOW + "1 g q 0.7 0.7 -0.7 0.7 300 0 cm 0 0 200 200 re f Q", ""),
    ],
)
def test_text_below_shapes(content: str, hidden: str) -> None:
    spans = [span for span in open_pdf(pdf([SamplePage("Page", content=content)])).spans() if "Approved" in span.text]
    assert [span.hidden_by for span in spans] == [hidden]


@pytest.mark.parametrize(
    ("entries", "face", "role", "visible"),
    [
        ({"Subtype": "/FreeText"}, None, "body", True),
        ({"Subtype": "/FreeText"}, "", "annotation", True),
        ({"Subtype": "/FreeText", "Rect": [-90, -90, -10, -10]}, None, "annotation", False),
        ({"Subtype": "/Text"}, None, "annotation", True),
        ({"Subtype": "/Stamp"}, "Approved", "body", True),
    ],
)
def test_what_annotations_say_on_the_page(entries: dict[str, Any], face: str | None, role: str, visible: bool) -> None:
    def add(document: Any) -> None:
        page = document.pages[0]
        entry = pikepdf.Dictionary(Type=pikepdf.Name.Annot, Rect=[10, 10, 200, 40], Contents=pikepdf.String("Approved"))
        for key, value in entries.items():
            entry["/" + key] = pikepdf.Name(value) if isinstance(value, str) else value
        if face is not None:
            stream = document.make_stream(f"BT /F1 12 Tf 2 4 Td ({face}) Tj ET".encode(), BBox=[0, 0, 190, 30], Subtype=pikepdf.Name.Form)
            stream.Resources = page.Resources
            entry.AP = pikepdf.Dictionary(N=stream)
        page.Annots = pikepdf.Array([document.make_indirect(entry)])

    spans = [span for span in open_pdf(edited(pdf([SamplePage("Page")]), add)).spans() if span.text == "Approved"]
    assert (spans[-1].role, spans[-1].visible) == (role, visible)


def test_fields_of_a_page_that_goes_may_stay_behind() -> None:
    left = edited(rich(), lambda document: document.pages.__delitem__(3))
    assert changes(rich(), left, "page[4]") == []
    assert any(change.address == 'field["name"]' for change in changes(rich(), left, "page[2]"))


def test_a_field_may_look_different_on_a_page_in_scope() -> None:
    wider = edited(rich(), lambda document: document.pages[3].Annots[0].__setitem__("/Rect", [40, 100, 300, 130]))
    assert changes(rich(), wider, "page[4]") == []
    assert {change.address for change in changes(rich(), wider, "page[3]")} == {"page[4]/annotation[1]", 'field["name"]'}


def test_labels_beyond_the_last_page_go_with_it() -> None:
    pages = [SamplePage(f"Page {n}") for n in range(1, 5)]
    labels = "0 << /S /r >> 1 << /S /D >> 3 << /S /A >>"
    assert changes(pdf(pages, labels=labels), pdf([pages[0], *pages[2:]], labels=labels), "page[2]") == []


def test_boxes_that_are_none_are_seen() -> None:
    assert [change.name for change in changes(rich(), edited(rich(), lambda document: document.pages[1].obj.__setitem__("/MediaBox", [0, 612, 792])))] != []


def test_a_field_left_to_readers_to_draw_may_be_drawn_or_stay() -> None:
    def of(shown: str, ask: bool) -> bytes:
        def flag(document: Any) -> None:
            document.Root.AcroForm.NeedAppearances = ask

        return edited(pdf([SamplePage("Application", fields=[SampleField("name", "Ann", shown=shown)])]), flag)

    source = of("", True)
    for output in (of("", False), of("Ann", False), of("Ann", True)):
        assert changes(source, output) == []
    assert {change.name for change in changes(source, of("Bob", False))} >= {"shown"}
    assert {change.name for change in changes(of("Ann", False), of("", False))} >= {"shown"}


def test_a_box_that_only_looks_ticked_holds_nothing() -> None:
    def tick(document: Any) -> None:
        del document.pages[0].Annots[1]["/V"]

    form = open_pdf(edited(_form(), tick)).model.form
    assert form.contradiction(form.named("agree")[0]) == ("Off", "Yes")


def test_lines_drawn_below_a_block_are_added_text() -> None:
    plain = pdf([SamplePage("One\nTwo", content="BT /F1 9 Tf 40 40 Td (Page 1 of 9) Tj ET\n")])
    stamped = pdf([SamplePage("One\nTwo", content="BT /F1 9 Tf 40 40 Td (Page 1 of 9) Tj ET BT /F1 9 Tf 40 29 Td (Draft) Tj ET\n")])
    moved = pdf([SamplePage("One\nTwo", content="BT /F1 9 Tf 41 40 Td (Page 1 of 9) Tj ET BT /F1 9 Tf 40 29 Td (Draft) Tj ET\n")])
    place = "page[1]/text[2]"
    assert changes(plain, stamped) != []
    assert changes(plain, stamped, place, allow=frozenset({Allow.ADD})) == []
    assert changes(plain, moved, place, allow=frozenset({Allow.ADD})) != []


def _pinned(content: bytes) -> bytes:
    """A document with a file pinned to its second page."""

    def pin(document: Any) -> None:
        specification = pikepdf.AttachedFileSpec(document, content, filename="invoice.txt", creation_date="D:20250101000000Z", mod_date="D:20250101000000Z").obj
        entry = pikepdf.Dictionary(Type=pikepdf.Name.Annot, Subtype=pikepdf.Name.FileAttachment, Rect=[40, 60, 60, 80], FS=specification)
        document.pages[1].obj.Annots = [document.make_indirect(entry)]

    return edited(rich(), pin)


@pytest.mark.parametrize(
    ("scope", "passes"),
    [((), False), (('attachment["invoice.txt"]',), True), (("page[2]/annotation[1]",), True), (("page[2]",), True), (("page[3]",), False)],
)
def test_a_file_pinned_to_a_page_is_an_attachment(scope: tuple[str, ...], passes: bool) -> None:
    pairs = ((_pinned(b"12"), _pinned(b"13")), (rich(), _pinned(b"12")), (_pinned(b"12"), rich()))
    for before, after in pairs:
        found = {change.address for change in changes(before, after, *scope)}
        assert ('attachment["invoice.txt"]' in found) is (not passes)
        assert bool(found) is not passes


def test_a_file_that_is_only_associated_any_more_is_an_attachment_lost() -> None:
    def associate(document: Any) -> None:
        document.Root.AF = pikepdf.Array([document.Root.Names.EmbeddedFiles.Names[1]])

    source = edited(rich(), associate)
    lost = edited(source, lambda document: document.Root.Names.__delitem__("/EmbeddedFiles"))
    assert 'attachment["prices.csv"]' in {change.address for change in changes(source, lost)}
