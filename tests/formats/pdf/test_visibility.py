"""What a reader cannot see, however it was hidden, is stored and not visible."""

from __future__ import annotations

import io
from typing import Any

import pytest

from docops.core.spans import TextSpan
from docops.formats.pdf.document import open_pdf
from docops.formats.pdf.samples import SampleField, SamplePage, pdf

from .support import changes, saved

pikepdf = pytest.importorskip("pikepdf")

SHOW = "BT /F1 12 Tf 40 50 Td (Secret) Tj ET "


def secrets(data: bytes) -> list[TextSpan]:
    return [span for span in open_pdf(data).spans() if "Secret" in span.text]


@pytest.mark.parametrize(
    ("content", "hidden"),
    [
        ("q 0 0 m 400 0 l 400 300 l h W n BT /F1 12 Tf 40 200 Td (Secret) Tj ET Q", "clipped away"),
        ("q 0 0 m 400 0 l 400 300 l h W n BT /F1 12 Tf 240 20 Td (Secret) Tj ET Q", ""),
        ("q BT 7 Tr /F1 12 Tf 40 150 Td (x) Tj ET 0 Tr " + SHOW + "Q", "clipped away"),
        (SHOW + "1 g 0 0 400 300 re 30 40 300 30 re f*", ""),
        (SHOW + "1 g 0 0 400 300 re 30 140 300 30 re f*", "covered"),
        (SHOW + "1 g 0 0 400 300 re 30 40 m 330 40 l 330 70 l 30 70 l h f", "covered"),
        (SHOW + "1 g 0 0 400 300 re 30 40 m 30 70 l 330 70 l 330 40 l h f", ""),
        (SHOW + "1 g 0 0 100 300 re 30 140 m 30 170 l 330 170 l 330 140 l h f", "covered"),
        (SHOW + "1 G 30 w [100 0] 0 d 30 55 m 400 55 l S", "covered"),
        (SHOW + "1 G 30 w [5 50] 0 d 30 55 m 400 55 l S", ""),
        (SHOW + "1 G 30 w 30 55 300 1 re S", "covered"),
        (SHOW + "1 G 30 w 20 200 m 20 55 200 55 300 55 c 300 55 l S", ""),
        (SHOW + "1 g 40 55 m 40 90 90 90 90 55 c 90 20 40 20 40 55 c f", "covered"),
        ("/None cs 1 scn " + SHOW, "transparent"),
        ("/Ink cs 0 scn " + SHOW, "colour of the background"),
        ("/Ink cs 1 scn " + SHOW, ""),
        ("/Table cs 1 sc " + SHOW, "colour of the background"),
        ("/Table cs 0 sc " + SHOW, ""),
    ],
)
def test_text_hidden_by_what_is_painted(content: str, hidden: str) -> None:
    def colours(document: Any) -> None:
        resources = document.pages[0].obj.Resources
        resources.ColorSpace = pikepdf.Object.parse(
            b"<< /None [/Separation /None /DeviceGray << /FunctionType 2 /Domain [0 1] /C0 [1] /C1 [0] /N 1 >>]"
            b"   /Ink [/Separation /Red /DeviceRGB << /FunctionType 2 /Domain [0 1] /C0 [1 1 1] /C1 [1 0 0] /N 1 >>]"
            b"   /Table [/Indexed /DeviceRGB 1 <000000FFFFFF>] >>"
        )

    assert [span.hidden_by for span in secrets(edited(pdf([SamplePage("Page", content=content)]), colours))] == [hidden]


@pytest.mark.parametrize(("entries", "hidden"), [("/UserUnit 0.1", "no size"), ("/UserUnit 1", ""), ("/UserUnit 20", "")])
def test_sizes_are_in_units_of_the_page(entries: str, hidden: str) -> None:
    assert [span.hidden_by for span in secrets(pdf([SamplePage(content="BT /F1 3 Tf 40 50 Td (Secret) Tj ET", entries=entries)]))] == [hidden]


def edited(data: bytes, edit: Any) -> bytes:
    with pikepdf.open(io.BytesIO(data)) as document:
        edit(document)
        return saved(document)


@pytest.mark.parametrize(
    ("settings", "membership", "hidden"),
    [
        ("", "", ""),
        ("/OFF [G]", "", "hidden layer"),
        ("/AS [<< /Event /View /Category [/View] /OCGs [G] >>]", "", "hidden layer"),
        ("/AS [<< /Event /Print /Category [/View] /OCGs [G] >>]", "", ""),
        ("", "/VE [/Not G]", "hidden layer"),
        ("/OFF [G]", "/VE [/Not G]", ""),
        ("/OFF [G]", "/VE [/Or [/Not G] G]", ""),
        ("", "/VE [/And [/Not G] G]", "hidden layer"),
    ],
)
@pytest.mark.parametrize("on_annotation", [False, True])
def test_layers_that_are_off(settings: str, membership: str, hidden: str, on_annotation: bool) -> None:
    def layered(document: Any) -> None:
        group = document.make_indirect(pikepdf.Object.parse(b"<< /Type /OCG /Name (Notes) /Usage << /View << /ViewState /OFF >> >> >>"))
        reference = f"{group.objgen[0]} 0 R".encode()
        default = parsed(document, b"<< /Order [] " + settings.encode().replace(b"G]", reference + b"]") + b" >>")
        document.Root.OCProperties = pikepdf.Dictionary(OCGs=[group], D=default)
        where = parsed(document, b"<< /Type /OCMD " + membership.encode().replace(b" G", b" " + reference) + b" >>") if membership else group
        page = document.pages[0]
        if on_annotation:
            note = pikepdf.Dictionary(Type=pikepdf.Name.Annot, Subtype=pikepdf.Name.FreeText, Rect=[10, 10, 90, 90], Contents=pikepdf.String("Secret"), OC=where)
            page.obj.Annots = [document.make_indirect(note)]
        else:
            page.obj.Resources.Properties = pikepdf.Dictionary(L=where)
            page.contents_add(b"/OC /L BDC " + SHOW.encode() + b"EMC")

    expected = "hidden annotation" if hidden and on_annotation else hidden
    assert [span.hidden_by for span in secrets(edited(pdf([SamplePage("Page")]), layered))] == [expected]


def parsed(document: Any, source: bytes) -> Any:
    """An object that names other objects of the document by number."""
    items: list[Any] = []
    stack: list[list[Any]] = [items]
    for word in source.decode().replace("[", " [ ").replace("]", " ] ").split():
        if word in {"[", "<<"}:
            stack.append([])
        elif word == "]":
            stack[-2].append(pikepdf.Array(stack.pop()))
        elif word == ">>":
            pairs = stack.pop()
            stack[-1].append(pikepdf.Dictionary({str(key): value for key, value in zip(pairs[::2], pairs[1::2], strict=True)}))
        elif word == "R":
            stack[-1].pop()
            stack[-1].append(document.get_object(int(stack[-1].pop()), 0))
        elif word.startswith("/"):
            stack[-1].append(pikepdf.Name(word))
        else:
            stack[-1].append(int(word))
    return items[0]


@pytest.mark.parametrize(
    ("face", "visible"),
    [("BT /F1 12 Tf 2 4 Td (Secret) Tj ET", True), ("BT 3 Tr /F1 12 Tf 2 4 Td (Secret) Tj ET", False), ("1 g BT /F1 12 Tf 2 4 Td (Secret) Tj ET", False)],
)
@pytest.mark.parametrize("key", ["/N", "/D"])
def test_texts_of_faces_are_all_stored(face: str, visible: bool, key: str) -> None:
    def stamp(document: Any) -> None:
        page = document.pages[0]
        stream = document.make_stream(face.encode(), BBox=[0, 0, 190, 30], Subtype=pikepdf.Name.Form, Resources=page.Resources)
        note = pikepdf.Dictionary(Type=pikepdf.Name.Annot, Subtype=pikepdf.Name.Stamp, Rect=[10, 10, 200, 40], AP=pikepdf.Dictionary({key: stream}))
        page.obj.Annots = [document.make_indirect(note)]

    assert [span.visible for span in secrets(edited(pdf([SamplePage("Page")]), stamp))] == [visible and key == "/N"]


def test_the_name_of_a_state_is_nothing_that_a_reader_sees() -> None:
    data = pdf([SamplePage("Form", fields=[SampleField("agree", "Yes", "checkbox")])])
    assert [(span.visible, span.hidden_by) for span in open_pdf(data).spans() if span.text == "Yes"] == [(False, "state of a button")]


def test_text_below_a_filled_square_annotation_is_covered() -> None:
    def cover(document: Any) -> None:
        note = pikepdf.Dictionary(Type=pikepdf.Name.Annot, Subtype=pikepdf.Name.Square, Rect=[30, 40, 200, 80], IC=[1, 1, 1])
        document.pages[0].obj.Annots = [document.make_indirect(note)]

    source = pdf([SamplePage("Page", content=SHOW)])
    assert [span.hidden_by for span in secrets(edited(source, cover))] == ["covered by an annotation"]
    assert [change.address for change in changes(source, edited(source, cover))] == ["page[1]/annotation[1]"]


def test_rich_text_that_says_something_else_is_stored() -> None:
    def rich(document: Any) -> None:
        note = pikepdf.Dictionary(
            Type=pikepdf.Name.Annot, Subtype=pikepdf.Name.FreeText, Rect=[30, 40, 200, 80], Contents=pikepdf.String("Open"), RC=pikepdf.String("<p>The Secret &amp; more</p>")
        )
        document.pages[0].obj.Annots = [document.make_indirect(note)]

    assert [(span.text, span.visible) for span in secrets(edited(pdf([SamplePage("Page")]), rich))] == [("The Secret & more", False)]
