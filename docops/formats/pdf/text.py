"""Text spans of a PDF: what the pages show, and every other text that is stored."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import TYPE_CHECKING

from docops.core.address import format_segment
from docops.core.codes import Aspect
from docops.core.node import Node, Value
from docops.core.spans import Role, TextSpan
from docops.formats.pdf.metadata import info_values, xmp_values
from docops.formats.pdf.navigation import bookmarks, label_nodes, walk_bookmarks
from docops.formats.pdf.reading import Page, Stream, as_text
from docops.formats.pdf.targets import name_tree, script_text

if TYPE_CHECKING:
    from docops.formats.pdf.model import Model

_MARKUP = re.compile(r"<[^<>]*>")


def document_spans(model: Model) -> Iterator[TextSpan]:
    """Every text of a document, pages first."""
    for page in model.objects.pages:
        yield from _page_spans(model, page)
    yield from _outline_spans(model)
    yield from _field_spans(model)
    yield from _other_spans(model)


def _page_spans(model: Model, page: Page) -> Iterator[TextSpan]:
    prefix = f"page[{page.index + 1}]"
    for number, block in enumerate(model.page_content(page).blocks, 1):
        address = f"{prefix}/text[{number}]"
        for piece in block.pieces():
            yield TextSpan(address, address, piece.text, Role.BODY, not piece.hidden, piece.hidden)
        for actual in dict.fromkeys(fragment.actual for fragment in block.fragments if fragment.actual is not None):
            yield TextSpan(address, f"{address}#actual", actual[1], Role.ALT, False, "replacement text")
    for annotation in model.annotations(page):
        address = f"{prefix}/annotation[{annotation.number}]"
        yield from _annotation_spans(model, page, annotation.dict, annotation.subtype, address)


def _annotation_spans(model: Model, page: Page, entry: dict[str, object], subtype: str, address: str) -> Iterator[TextSpan]:
    objects = model.objects
    hidden = "hidden annotation" if model.hidden_annotation(entry) else "off the page" if not model.stands_on(page, entry) else ""
    contents = objects.text_at(entry, "Contents")
    face = model.face(entry) if subtype not in {"Widget", "Popup"} else None
    painted = model.appearance_text(face) if face is not None else ""
    same = "".join(painted.split()) == "".join((contents or "").split())
    if contents:
        # What a text box says stands on the page; what a note says, in a window of its own.
        on_page = subtype == "FreeText" and (face is None or same)
        role = Role.ALT if subtype in {"Link", "Widget"} else Role.BODY if on_page and not hidden else Role.ANNOTATION
        shown = not hidden and role is not Role.ALT
        yield TextSpan(address, address, contents, role, shown, hidden or ("" if shown else "alternative text"))
    if subtype not in {"Widget", "Popup"}:
        for key in ("T", "Subj"):
            text = objects.text_at(entry, key)
            if text:
                yield TextSpan(address, f"{address}#{key}", text, Role.ANNOTATION, False, "author or subject of an annotation")
        if painted and not (contents and same and subtype == "FreeText"):
            yield TextSpan(address, f"{address}#appearance", painted, Role.ANNOTATION if hidden else Role.BODY, not hidden, hidden)
    yield from _unseen_spans(model, entry, subtype, address, {contents or "", painted})
    for action in [entry.get("A"), *objects.dict_at(entry, "AA").values()]:
        uri = model.targets.uri(action)
        if uri:
            yield TextSpan(address, f"{address}#uri", uri, Role.LINK, False, "target of a link")
        script = objects.at(action, "JS")
        if script is not None:
            yield TextSpan(address, f"{address}#script", script_text(objects, script), Role.CODE, False, "script")


def _unseen_spans(model: Model, entry: dict[str, object], subtype: str, address: str, known: set[str]) -> Iterator[TextSpan]:
    """What an annotation stores beside what it shows: hidden text, faces for other states, a richer form of what it says."""
    face = model.face(entry)
    texts = [(rich_text(model.objects.at(entry, key)), "rich text") for key in ("RC", "RV")]
    for stream in model.faces(entry):
        texts += model.appearance_hidden(stream)
        if stream is not face or subtype == "Popup":
            texts.append((model.appearance_text(stream), "another state of the annotation"))
    for text, reason in texts:
        if text and text not in known:
            known.add(text)
            yield TextSpan(address, f"{address}#unseen{len(known)}", text, Role.ANNOTATION, False, reason)


def rich_text(value: object) -> str:
    """The characters of a rich text string, without its markup."""
    from docops.formats.pdf.graphics import text_string

    source = text_string(value.data) if isinstance(value, Stream) else as_text(value) or ""
    return unescape(_MARKUP.sub("", source)).strip()


def _outline_spans(model: Model) -> Iterator[TextSpan]:
    for _, item in walk_bookmarks(bookmarks(model)):
        address = format_segment("outline", item.path, item.ordinal)
        yield TextSpan(address, address, item.title, Role.OUTLINE)
        uri = model.targets.uri(item.destination)
        if uri:
            yield TextSpan(address, f"{address}#uri", uri, Role.LINK, False, "target of a bookmark")


def _field_spans(model: Model) -> Iterator[TextSpan]:
    form = model.form
    for entry in form.fields:
        address = entry.address
        kind = form.type_of(entry)
        value = form.display_value(entry)
        visible = bool(form.visible_widgets(entry))
        unseen = ""
        if kind == "push_button":
            value = form.captions(entry)
        elif kind in {"checkbox", "radio"}:
            unseen = "state of a button"
        texts = [str(item) for item in value] if isinstance(value, list) else [value] if isinstance(value, str) else []
        contradiction = form.contradiction(entry) if kind in {"text", "combo"} else None
        for text in texts:
            reason = unseen if visible else "hidden field"
            if contradiction is not None:
                reason = reason or "not shown by the field"
            if text:
                yield TextSpan(address, address, text, Role.FORM, not reason, reason)
        if contradiction is not None and contradiction[1]:
            yield TextSpan(address, f"{address}#shown", str(contradiction[1]), Role.FORM, visible, "" if visible else "hidden field")
        for key, role in (("TU", Role.ALT), ("DV", Role.FORM)):
            text_value = as_text(model.objects.at(entry.chain[-1], key))
            if text_value:
                yield TextSpan(address, f"{address}#{key}", text_value, role, False, "tooltip" if key == "TU" else "default value")
        for number, (_, caption) in enumerate(form.options(entry)):
            if caption not in texts:
                yield TextSpan(address, f"{address}#option{number}", caption, Role.FORM, False, "option that is not chosen")


def _other_spans(model: Model) -> Iterator[TextSpan]:
    objects = model.objects
    for entry in model.attachments:
        yield TextSpan(entry.address, entry.address, entry.name, Role.NAME)
        description = objects.text_at(entry.reference, "Desc")
        if description:
            yield TextSpan(entry.address, f"{entry.address}#description", description, Role.NAME)
    for group in objects.list_at(objects.catalog, "OCProperties", "OCGs"):
        name = objects.text_at(group, "Name") or ""
        address = format_segment("layer", name)
        yield TextSpan(address, address, name, Role.NAME)
    for values in (info_values(model), xmp_values(model)):
        for key, value in values.items():
            for text in _texts(value):
                address = format_segment("property", key)
                yield TextSpan(address, address, text, Role.METADATA, False, "metadata")
    for name, value in name_tree(objects, objects.at(objects.catalog, "Names", "JavaScript")):
        address = format_segment("script", name)
        yield TextSpan(address, address, script_text(objects, objects.dict_at(value).get("JS")), Role.CODE, False, "script")
    yield from _written_spans(model)
    yield from _structure_spans(model)


def _written_spans(model: Model) -> Iterator[TextSpan]:
    """What is written at signatures, in page labels, in names of fields, and in the script that runs when the file is opened."""
    objects = model.objects
    for entry in model.form.fields:
        yield TextSpan(entry.address, f"{entry.address}#name", entry.name, Role.NAME, False, "name")
        exported = as_text(objects.at(entry.chain[-1], "TM"))
        if exported:
            yield TextSpan(entry.address, f"{entry.address}#exported", exported, Role.NAME, False, "name")
        if model.form.type_of(entry) == "signature":
            signature = objects.dict_at(entry.get("V"))
            for key in ("Name", "Reason", "Location", "ContactInfo"):
                text = objects.text_at(signature, key)
                if text:
                    yield TextSpan(entry.address, f"{entry.address}#{key}", text, Role.METADATA, False, "text of a signature")
    for node in label_nodes(model, Node(None, "")):
        prefix = node.facts.get((Aspect.TEXT, "prefix"))
        if isinstance(prefix, str) and prefix:
            yield TextSpan(node.address, f"{node.address}#prefix", prefix, Role.NAME, False, "page label")
    script = objects.dict_at(objects.catalog, "OpenAction").get("JS")
    if script is not None:
        yield TextSpan("catalogue", "catalogue#script", script_text(objects, script), Role.CODE, False, "script")


def _structure_spans(model: Model) -> Iterator[TextSpan]:
    from docops.formats.pdf.parts import structure_nodes

    for root in structure_nodes(model, None):
        for node in root.walk():
            for (aspect, name), value in node.facts.items():
                if aspect is Aspect.TEXT and name != "language" and isinstance(value, str) and value:
                    yield TextSpan(node.address, f"{node.address}#{name}", value, Role.ALT, False, "alternative text")


def _texts(value: Value) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts(item)


