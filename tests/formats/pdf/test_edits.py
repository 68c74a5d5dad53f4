"""Edits that people ask for, done by the usual programs: what belongs to them, and what a reader must see of them."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pytest

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
