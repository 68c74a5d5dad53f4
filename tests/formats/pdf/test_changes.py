"""What users care for is seen when it changes, at the right place; what an edit brings with it is not held against it."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable
from typing import Any

import pytest

from docops.core.compare import Allow, ChangeKind
from docops.core.errors import Unreadable
from docops.formats.pdf import FORMAT
from docops.formats.pdf.document import open_pdf
from docops.formats.pdf.samples import SampleField, SamplePage, pdf

from .support import CORPUS, SHARED, changes, raw_pdf, rich, saved

pikepdf = pytest.importorskip("pikepdf")


def edited(edit: Callable[[Any], object], data: bytes | None = None) -> bytes:
    """A document after an edit with pikepdf."""
    with pikepdf.open(io.BytesIO(rich() if data is None else data)) as document:
        edit(document)
        return saved(document)


def _retarget(document: Any) -> None:
    document.Root.Outlines.First.Dest = pikepdf.Array([document.pages[2].obj, pikepdf.Name.Fit])


def _swap(document: Any) -> None:
    kids = document.Root.Pages.Kids
    order = [kids[0], kids[2], kids[1], kids[3]]
    document.Root.Pages.Kids = pikepdf.Array(order)


def _drop_bookmark(document: Any) -> None:
    offer = document.Root.Outlines.First.Next
    prices = offer.First
    terms = prices.Next
    offer.First = terms
    del terms["/Prev"]


def _annotation(page: int, number: int) -> Callable[[Any], Any]:
    return lambda document: document.pages[page].Annots[number]


def _set(path: Callable[[Any], Any], key: str, value: Any) -> Callable[[Any], None]:
    def edit(document: Any) -> None:
        path(document)[key] = value(document) if callable(value) else value

    return edit


def _append(operators: bytes) -> Callable[[Any], None]:
    return lambda document: document.pages[1].contents_add(operators)


EDITS: dict[str, tuple[Callable[[Any], object], set[str]]] = {
    "page dropped": (lambda d: d.pages.__delitem__(1), {"page[2]", 'outline["Offer"]', 'outline["Offer/Prices"]'}),
    "pages swapped": (_swap, {"page[2]"}),
    "page rotated": (_set(lambda d: d.pages[1], "/Rotate", 90), {"page[2]"}),
    "page cropped": (_set(lambda d: d.pages[1], "/CropBox", [0, 0, 400, 200]), {"page[2]"}),
    "painted over": (_append(b"1 1 1 rg 30 230 300 60 re f"), {"page[2]", "page[2]/text[1]"}),
    "words drawn": (_append(b"BT /F1 12 Tf 40 20 Td (Approved) Tj ET"), {"page[2]/text[2]"}),
    "line drawn": (_append(b"0 0 m 50 50 l S"), {"page[2]"}),
    "bookmark dropped": (_drop_bookmark, {'outline["Offer/Prices"]'}),
    "bookmark leads elsewhere": (_retarget, {'outline["Cover"]'}),
    "bookmark renamed": (_set(lambda d: d.Root.Outlines.First, "/Title", "Title page"), {'outline["Cover"]'}),
    "bookmark bold": (_set(lambda d: d.Root.Outlines.First, "/F", 2), {'outline["Cover"]'}),
    "link leads elsewhere": (_set(lambda d: d.pages[0].Annots[1].A, "/URI", "https://example.com"), {"page[1]/annotation[2]"}),
    "link to another page": (_set(_annotation(0, 0), "/Dest", lambda d: [d.pages[3].obj, pikepdf.Name.Fit]), {"page[1]/annotation[1]"}),
    "note reworded": (_set(_annotation(0, 2), "/Contents", "Checked"), {"page[1]/annotation[3]"}),
    "note hidden": (_set(_annotation(0, 2), "/F", 2), {"page[1]/annotation[3]"}),
    "value against face": (_set(_annotation(3, 0), "/V", "Bob"), {'field["name"]', "page[4]/annotation[1]"}),
    "box off": (_set(_annotation(3, 1), "/AS", pikepdf.Name.Off), {'field["agree"]', "page[4]/annotation[2]"}),
    "field read only": (_set(_annotation(3, 0), "/Ff", 1), {'field["name"]'}),
    "field renamed": (_set(_annotation(3, 0), "/T", "nom"), {'field["name"]', 'field["nom"]'}),
    "option dropped": (_set(_annotation(3, 2), "/Opt", ["Spain"]), {'field["country"]'}),
    "form flattened": (lambda d: d.flatten_annotations(), {'field["name"]', 'field["agree"]', 'field["country"]', "page[4]"}),
    "labels dropped": (lambda d: d.Root.__delitem__("/PageLabels"), {'label["i"]', 'label["1"]'}),
    "attachment dropped": (lambda d: d.attachments.__delitem__("prices.csv"), {'attachment["prices.csv"]'}),
    "title changed": (_set(lambda d: d.trailer.Info, "/Title", "Draft"), {"property[Title]"}),
    "script changed": (_set(lambda d: d.Root.Names.JavaScript.Names[1], "/JS", "app.alert(2)"), {"script[start]"}),
    "language changed": (_set(lambda d: d.Root, "/Lang", "de"), {"catalogue"}),
    "opens elsewhere": (_set(lambda d: d.Root, "/OpenAction", lambda d: [d.pages[1].obj, pikepdf.Name.Fit]), {"catalogue"}),
    "user unit": (_set(lambda d: d.pages[1], "/UserUnit", 2), {"page[2]"}),
}


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_is_seen_where_it_was_made(name: str) -> None:
    edit, places = EDITS[name]
    found = {change.address for change in changes(rich(), edited(edit))}
    assert found & places, found
    roots = {place.partition("/")[0] for place in places}
    assert {address.partition("/")[0] for address in found} <= roots, found


def test_one_dropped_bookmark_is_one_finding() -> None:
    found = changes(rich(), edited(_drop_bookmark))
    assert [(change.address, change.kind) for change in found] == [('outline["Offer/Prices"]', ChangeKind.REMOVED)]


def test_one_dropped_page_is_one_removal_and_may_take_its_bookmarks_along() -> None:
    data = edited(lambda document: document.pages.__delitem__(1))
    removed = [change.address for change in changes(rich(), data) if change.place]
    assert removed == ["page[2]"]
    assert changes(rich(), data, "page[2]") == []
    assert changes(rich(), edited(_drop_page_and_bookmarks), "page[2]") == []


def _drop_page_and_bookmarks(document: Any) -> None:
    del document.pages[1]
    _drop_bookmark(document)


def test_a_link_still_leads_to_its_page_when_pages_move() -> None:
    moved = edited(_swap)
    assert [change.kind for change in changes(rich(), moved)] == [ChangeKind.MOVED]
    assert changes(rich(), moved, "page[2]", allow=frozenset({Allow.MOVE})) == []
    assert changes(rich(), moved, "page[3]", allow=frozenset({Allow.MOVE})) == []


def test_an_added_page_is_one_finding() -> None:
    added = edited(lambda document: document.add_blank_page(page_size=(400, 300)))
    assert [(change.address, change.kind) for change in changes(rich(), added)] == [("page[5]", ChangeKind.ADDED)]
    assert changes(rich(), added, "page[5]") == []


def test_targets_spelt_in_three_ways_are_one_target() -> None:
    def by_name(document: Any) -> None:
        first = document.Root.Outlines.First
        document.Root.Names.Dests = pikepdf.Dictionary(Names=[pikepdf.String("here"), first.Dest])
        first.Dest = pikepdf.String("here")

    def by_action(document: Any) -> None:
        first = document.Root.Outlines.First
        first.A = pikepdf.Dictionary(S=pikepdf.Name.GoTo, D=first.Dest)
        del first["/Dest"]

    assert changes(rich(), edited(by_action)) == []
    assert [change.address for change in changes(rich(), edited(by_name))] == ["destination[here]"]


def test_renamed_resources_and_split_contents_change_nothing() -> None:
    def rewrite(document: Any) -> None:
        page = document.pages[1]
        fonts = page.Resources.Font
        page.Resources = pikepdf.Dictionary(Font=pikepdf.Dictionary(R7=fonts.F1, Unused=fonts.F1))
        data = page.Contents.read_bytes().replace(b"/F1", b"/R7").replace(b"Tf 40 ", b"Tf 40.0 ").replace(b"Tj", b"  Tj\n")
        half = data.index(b"BT", 5)
        page.Contents = pikepdf.Array([document.make_stream(data[:half]), document.make_stream(data[half:])])

    assert changes(rich(), edited(rewrite)) == []


def test_text_in_utf16_and_defaults_written_out_change_nothing() -> None:
    def rewrite(document: Any) -> None:
        document.trailer.Info.Title = pikepdf.Object.parse(b"<FEFF004F0066006600650072>")
        page = document.pages[1]
        page.Rotate, page.UserUnit, page.CropBox = 0, 1, [0, 0, 400, 300]
        document.Root.PageMode = pikepdf.Name.UseNone
        document.pages[0].Annots[0].F = 0

    assert changes(rich(), edited(rewrite)) == []


def test_glyphs_without_characters_are_told_apart() -> None:
    def of(codes: str) -> bytes:
        content = f"BT /F1 12 Tf 40 200 Td <{codes}> Tj ET"
        return raw_pdf(
            [
                "<< /Type /Catalog /Pages 2 0 R >>",
                "<< /Type /Pages /Kids [3 0 R] /Count 1 /MediaBox [0 0 400 300] >>",
                "<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
                f"<< /Length {len(content)} >>\nstream\n{content}\nendstream",
                "<< /Type /Font /Subtype /Type0 /BaseFont /X /Encoding /Identity-H /DescendantFonts [<< /Type /Font /Subtype /CIDFontType2 /BaseFont /X >>] >>",
            ]
        )

    assert changes(of("00010002"), of("00010002")) == []
    assert [change.address for change in changes(of("00010002"), of("00010003"))] == ["page[1]/text[1]"]


def test_a_stamp_is_one_added_text() -> None:
    from pypdf import PdfReader, PdfWriter

    stamp = PdfReader(io.BytesIO(pdf([SamplePage(content="BT /F1 12 Tf 40 40 Td (STAMP) Tj ET")]))).pages[0]
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(rich())))
    writer.pages[1].merge_page(stamp)
    assert [(change.address, change.kind) for change in changes(rich(), saved(writer))] == [("page[2]/text[2]", ChangeKind.ADDED)]


def test_an_attachment_brings_its_association_along() -> None:
    added = edited(lambda document: document.attachments.__setitem__("b.txt", b"hello"))
    assert [change.address for change in changes(rich(), added)] == ['attachment["b.txt"]']


@pytest.mark.parametrize("generate", [False, True])
@pytest.mark.parametrize("incremental", [False, True])
def test_filling_a_field_by_pypdf_stays_in_its_scope(generate: bool, incremental: bool) -> None:
    from pypdf import PdfReader, PdfWriter

    data = io.BytesIO(rich())
    writer = PdfWriter(data, incremental=True) if incremental else PdfWriter(clone_from=PdfReader(data))
    for page in writer.pages:
        writer.update_page_form_field_values(page, {"name": "Jane Doe"}, auto_regenerate=generate)
    assert changes(rich(), saved(writer), 'field["name"]') == []
    assert {change.address for change in changes(rich(), saved(writer))} == {'field["name"]'}


def test_filling_a_field_by_pikepdf_stays_in_its_scope() -> None:
    def fill(document: Any) -> None:
        document.Root.AcroForm.Fields[0].V = pikepdf.String("Jane Doe")
        document.Root.AcroForm.NeedAppearances = True
        document.generate_appearance_streams()

    assert changes(rich(), edited(fill), 'field["name"]') == []


def test_a_value_that_is_not_shown_is_stale() -> None:
    assert FORMAT.stale is not None
    source, output = open_pdf(rich()), open_pdf(edited(_set(_annotation(3, 0), "/V", "Bob")))
    assert [(found.address, found.cached, found.derived) for found in FORMAT.stale(output, source)] == [('field["name"]', "Ann", "Bob")]
    assert FORMAT.stale(source, None) == []
    off = open_pdf(edited(_set(_annotation(3, 1), "/AS", pikepdf.Name.Off)))
    assert [found.address for found in FORMAT.stale(off, source)] == ['field["agree"]']
    assert FORMAT.stale(off, off) == []


@pytest.mark.skipif(not SHARED.exists(), reason="the shared examples are not here")
def test_the_shared_form_example() -> None:
    folder = SHARED / "examples" / "pdf-form"
    source = (folder / "bundle/source/form.pdf").read_bytes()
    found = {
        path.parent.name: {change.address for change in changes(source, path.read_bytes(), 'field["applicant.name"]')}
        for path in sorted((folder / "outputs").glob("*/form.pdf"))
    }
    assert found.pop("filled") == found.pop("compressed") == set()
    assert found["drawn"] == {"page[1]/text[7]"}
    assert 'field["city"]' in found["field-lost"]
    assert 'field["speed"]' in found["radio"]


@pytest.mark.skipif(not CORPUS.exists(), reason="the shared corpus is not here")
def test_layers_signatures_and_structure_are_seen() -> None:
    signed = open_pdf((CORPUS / "pdf/signed-incremental.pdf").read_bytes())
    facts = {name: value for node in signed.find("signature[*]") for (_, name), value in node.facts.items()}
    assert facts["intact"] is True
    assert facts["covers"] == "whole file"
    tagged = open_pdf((CORPUS / "pdf/libreoffice-tagged-structure.pdf").read_bytes())
    assert len(list(tagged.find("struct")[0].walk())) > 30


def test_generic_keys_are_seen() -> None:
    """Any key of any object that shows in the document: taking it out is a change somewhere."""
    data = pdf(
        [SamplePage("Cover", links=[2, "https://example.org"], notes=["note"]), SamplePage("Form", fields=[SampleField("agree", "Yes", "checkbox")])],
        outline=[("Cover", 1, [("Form", 2, ())])],
        info={"Title": "Offer"},
        attachments={"a.txt": b"hello"},
    )
    derived = {"/Type", "/Count", "/Last", "/Prev", "/Parent", "/P", "/Length", "/Helv", "/Resources", "/DA", "/DR", "/Names", "/Dests"}
    with pikepdf.open(io.BytesIO(data)) as document:
        objects = [(number, key) for number, item in enumerate(document.objects) if isinstance(item, pikepdf.Dictionary | pikepdf.Stream) for key in list(item.keys())]
    missed = []
    for number, key in objects:
        if key in derived:
            continue
        with pikepdf.open(io.BytesIO(data)) as document:
            del document.objects[number][key]
            try:
                output = saved(document)
            except pikepdf.PdfError:
                continue
        with contextlib.suppress(Unreadable):
            if not changes(data, output):
                missed.append((number, key))
    assert missed == []
