"""Corruptions of PDF documents: what a careful reader or sender of the document would be angry about."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from docops.core.address import format_segment
from docops.core.operator import CorruptionClass, Operator
from docops.formats.pdf.operators_model import (
    BLANK,
    SAMPLE,
    PdfFile,
    PdfPlace,
    field_address,
    find_pages,
    get,
    native_array,
    native_name,
    native_number,
    native_text,
    pdf_operator,
    shown_text,
)

CONTENT = CorruptionClass.CONTENT_ALTERATION
STRUCTURE = CorruptionClass.STRUCTURE_CORRUPTION
PRESERVATION = CorruptionClass.PRESERVATION_VIOLATION
BOTH = (SAMPLE, BLANK)


def flatten_pages(file: PdfFile) -> Any:
    """The page tree's root, with all pages as its direct children; inherited keys are written on the pages."""
    root = get(file.root, "/Pages")
    for page in file.pages:
        for key in ("/MediaBox", "/CropBox", "/Rotate", "/Resources"):
            holder = page
            while holder is not None and get(holder, key) is None:
                holder = get(holder, "/Parent")
            if holder is not None and holder is not page:
                page[native_name(key)] = holder.raw_get(key)
        page[native_name("/Parent")] = root.indirect_reference
    root[native_name("/Kids")] = native_array([page.indirect_reference for page in file.pages])
    root[native_name("/Count")] = native_number(len(file.pages))
    return root


def _set_pages(file: PdfFile, pages: list[Any]) -> None:
    root = flatten_pages(file)
    root[native_name("/Kids")] = native_array([page.indirect_reference for page in pages])
    root[native_name("/Count")] = native_number(len(pages))


@pdf_operator("pdf.page-dropped", STRUCTURE, find_pages(lambda f, p: len(f.pages) > 1), aspects=("structure", "text"), breaks=("pdf.page_count",), effect="remove", examples=BOTH)
def page_dropped(file: PdfFile, place: PdfPlace) -> str:
    """A page is lost."""
    _set_pages(file, [page for page in file.pages if page is not place.object])
    return "no page"


@pdf_operator("pdf.page-duplicated", STRUCTURE, find_pages(), aspects=("structure", "text"), breaks=("pdf.page_count",), effect="add")
def page_duplicated(file: PdfFile, place: PdfPlace) -> str:
    """A page stands there twice."""
    from pypdf.generic import DictionaryObject

    twin = DictionaryObject({key: value for key, value in place.object.items() if key not in ("/Annots", "/B", "/StructParents")})
    reference = file.add(twin)
    flatten_pages(file)
    for key in ("/MediaBox", "/CropBox", "/Rotate", "/Resources", "/Parent"):
        if key in place.object:
            twin[native_name(key)] = place.object.raw_get(key)
    root = get(file.root, "/Pages")
    kids = [page.indirect_reference for page in file.pages]
    kids.insert(place.more, reference)
    root[native_name("/Kids")] = native_array(kids)
    root[native_name("/Count")] = native_number(len(kids))
    return "twice"


def _page_order_seen(file: PdfFile, page: Any) -> bool:
    number = next(n for n, other in enumerate(file.pages) if other is page)
    return number + 1 < len(file.pages) and file.content(page) != file.content(file.pages[number + 1])


@pdf_operator("pdf.pages-swapped", STRUCTURE, find_pages(_page_order_seen), aspects=("order",), breaks=("pdf.page_order",), effect="move")
def pages_swapped(file: PdfFile, place: PdfPlace) -> str:
    """A page changes places with the next one."""
    pages = list(file.pages)
    at = place.more - 1
    pages[at], pages[at + 1] = pages[at + 1], pages[at]
    _set_pages(file, pages)
    return f"now page {place.more + 1}"


@pdf_operator("pdf.page-rotated", PRESERVATION, find_pages(), aspects=("geometry", "layout"))
def page_rotated(file: PdfFile, place: PdfPlace) -> str:
    """A page is turned by a quarter."""
    flatten_pages(file)
    turned = (int(get(place.object, "/Rotate") or 0) + 90) % 360
    place.object[native_name("/Rotate")] = native_number(turned)
    return f"{turned}°"


@pdf_operator("pdf.page-cropped", PRESERVATION, find_pages(), aspects=("geometry", "layout"))
def page_cropped(file: PdfFile, place: PdfPlace) -> str:
    """A page shows only its lower left part."""
    flatten_pages(file)
    box = get(place.object, "/CropBox") or get(place.object, "/MediaBox")
    x0, y0, x1, y1 = (float(value) for value in box)
    place.object[native_name("/CropBox")] = native_array([native_number(round(v, 2)) for v in (x0, y0, x0 + (x1 - x0) * 0.6, y0 + (y1 - y0) * 0.6)])
    return "cropped"


@pdf_operator("pdf.page-blanked", CONTENT, find_pages(lambda f, p: bool(f.content(p).strip())), aspects=("text", "media"))
def page_blanked(file: PdfFile, place: PdfPlace) -> str:
    """A page loses what is on it."""
    file.set_content(place.object, b" ")
    return "empty"


@pdf_operator(
    "pdf.text-painted-over", CONTENT, find_pages(lambda f, p: bool(shown_text(f.content(p)).strip())), aspects=("text", "media", "format")
)
def text_painted_over(file: PdfFile, place: PdfPlace) -> str:
    """The words of a page are covered by a white rectangle."""
    flatten_pages(file)
    x0, y0, x1, y1 = (float(value) for value in (get(place.object, "/MediaBox")))
    cover = f"\nq 1 1 1 rg {x0:g} {y0:g} {x1 - x0:g} {y1 - y0:g} re f Q".encode()
    file.set_content(place.object, b"q\n" + file.content(place.object) + b"\nQ" + cover)
    return "white"


_TJ = re.compile(rb"\(((?:[^()\\]|\\.)*)\)(\s*Tj)")


def _lines(file: PdfFile) -> Iterator[PdfPlace]:
    for number, page in enumerate(file.pages, 1):
        for at, match in enumerate(_TJ.finditer(file.content(page))):
            text = match.group(1).decode("latin-1")
            if re.search(r"[A-Za-z]{3}", text):
                yield PdfPlace(f"page[{number}]", page, text, at, exact=False)


@pdf_operator("pdf.text-changed", CONTENT, _lines, aspects=("text",), examples=BOTH)
def text_changed(file: PdfFile, place: PdfPlace) -> str:
    """Letters of a line of text change."""
    content = file.content(place.object)
    match = list(_TJ.finditer(content))[place.more]
    new = re.sub(rb"[A-Za-z]{3}", b"eee", match.group(1), count=1)
    if new == match.group(1):
        new = re.sub(rb"[A-Za-z]{3}", b"nnn", match.group(1), count=1)
    file.set_content(place.object, content[: match.start(1)] + new + content[match.end(1) :])
    return new.decode("latin-1")


@pdf_operator("pdf.text-removed", CONTENT, _lines, aspects=("text",))
def text_removed(file: PdfFile, place: PdfPlace) -> str:
    """A line of text is gone."""
    content = file.content(place.object)
    match = list(_TJ.finditer(content))[place.more]
    file.set_content(place.object, content[: match.start(1)] + content[match.end(1) :])
    return ""


@pdf_operator("pdf.page-rasterised", STRUCTURE, find_pages(lambda f, p: bool(shown_text(f.content(p)).strip())), aspects=("text", "media"), tags=("gaming",))
def page_rasterised(file: PdfFile, place: PdfPlace) -> str:
    """A page becomes a picture of itself."""
    from pypdf.generic import DecodedStreamObject, DictionaryObject

    flatten_pages(file)
    box = [float(value) for value in get(place.object, "/MediaBox")]
    image = DecodedStreamObject()
    image.set_data(bytes(230 - 3 * (n % 40) for n in range(40 * 30)))
    for key, value in (("/Type", "/XObject"), ("/Subtype", "/Image"), ("/ColorSpace", "/DeviceGray")):
        image[native_name(key)] = native_name(value)
    for key, number in (("/Width", 40), ("/Height", 30), ("/BitsPerComponent", 8)):
        image[native_name(key)] = native_number(number)
    reference = file.add(image.flate_encode())
    place.object[native_name("/Resources")] = DictionaryObject({native_name("/XObject"): DictionaryObject({native_name("/Scan"): reference})})
    file.set_content(place.object, f"q {box[2] - box[0]:g} 0 0 {box[3] - box[1]:g} {box[0]:g} {box[1]:g} cm /Scan Do Q".encode())
    return "a picture"


def _outline_places(file: PdfFile) -> Iterator[PdfPlace]:
    for path, entry in file.outline():
        yield PdfPlace(format_segment("outline", path), entry, str(get(entry, "/Title") or ""), path)


@pdf_operator("pdf.outline-dropped", STRUCTURE, lambda f: [PdfPlace("", f.root, "outline")] if next(f.outline(), None) else [], aspects=("structure",), breaks=("pdf.outline",), effect="remove")
def outline_dropped(file: PdfFile, place: PdfPlace) -> str:
    """The outline is lost."""
    del place.object["/Outlines"]
    place.object.pop("/PageMode", None)
    return "no outline"


@pdf_operator("pdf.outline-entry-dropped", STRUCTURE, lambda f: (p for p in _outline_places(f) if get(p.object, "/First") is None), aspects=("structure",), breaks=("pdf.outline",), effect="remove")
def outline_entry_dropped(file: PdfFile, place: PdfPlace) -> str:
    """An outline entry is lost."""
    _unlink(place.object)
    return "no entry"


def _unlink(entry: Any) -> None:
    parent, before, after = get(entry, "/Parent"), get(entry, "/Prev"), get(entry, "/Next")
    for holder, key in ((before, "/Next"), (after, "/Prev")):
        if holder is not None:
            holder.pop(key, None)
    if before is not None and after is not None:
        before[native_name("/Next")] = after.indirect_reference
        after[native_name("/Prev")] = before.indirect_reference
    if before is None:
        _point(parent, "/First", after)
    if after is None:
        _point(parent, "/Last", before)
    holder = parent
    while holder is not None:
        count = int(get(holder, "/Count") or 0)
        if count:
            holder[native_name("/Count")] = native_number(count - 1 if count > 0 else count + 1)
        if get(holder, "/Count") == 0:
            holder.pop("/Count", None)
        holder = get(holder, "/Parent")
    for key in ("/Prev", "/Next", "/Parent"):
        entry.pop(key, None)


def _point(holder: Any, key: str, target: Any) -> None:
    holder.pop(key, None)
    if target is not None:
        holder[native_name(key)] = target.indirect_reference


def _other_page(file: PdfFile, place: PdfPlace) -> Any:
    target = get(place.object, "/Dest")
    first = target[0].get_object() if isinstance(target, list) and len(target) else None
    return next((page for page in file.pages if page is not first), None)


@pdf_operator("pdf.outline-re-pointed", CONTENT, lambda f: (p for p in _outline_places(f) if isinstance(get(p.object, "/Dest"), list) and len(f.pages) > 1), aspects=("structure", "link"))
def outline_re_pointed(file: PdfFile, place: PdfPlace) -> str:
    """An outline entry leads to another page."""
    page = _other_page(file, place)
    place.object[native_name("/Dest")] = native_array([page.indirect_reference, native_name("/Fit")])
    return "another page"


@pdf_operator("pdf.outline-title-changed", CONTENT, lambda f: (p for p in _outline_places(f) if p.before), aspects=("text", "name"), breaks=("pdf.outline",))
def outline_title_changed(file: PdfFile, place: PdfPlace) -> str:
    """An outline entry gets another title."""
    place.object[native_name("/Title")] = native_text(place.before + " (old)")
    return place.before + " (old)"


def _nestable(file: PdfFile) -> Iterator[PdfPlace]:
    for place in _outline_places(file):
        before = get(place.object, "/Prev")
        if before is not None and get(before, "/First") is None:
            yield place


@pdf_operator("pdf.outline-re-nested", STRUCTURE, _nestable, aspects=("structure",), breaks=("pdf.outline",), effect="move")
def outline_re_nested(file: PdfFile, place: PdfPlace) -> str:
    """An outline entry moves under the one before it."""
    before = get(place.object, "/Prev")
    _unlink(place.object)
    for key in ("/First", "/Last"):
        before[native_name(key)] = place.object.indirect_reference
    before[native_name("/Count")] = native_number(1)
    place.object[native_name("/Parent")] = before.indirect_reference
    return f"under {get(before, '/Title')}"


def _kind(field: Any) -> str:
    holder = field
    while holder is not None:
        if get(holder, "/FT") is not None:
            return str(get(holder, "/FT"))
        holder = get(holder, "/Parent")
    return ""


def _flags(field: Any) -> int:
    holder = field
    while holder is not None:
        if get(holder, "/Ff") is not None:
            return int(get(holder, "/Ff"))
        holder = get(holder, "/Parent")
    return 0


def _field_places(kind: str) -> Any:
    def find(file: PdfFile) -> Iterator[PdfPlace]:
        for name, field in file.fields():
            if _kind(field) == kind:
                yield PdfPlace(field_address(name), field, f"{name} = {get(field, '/V')}", name)

    return find


def _widgets(field: Any) -> list[Any]:
    kids = get(field, "/Kids")
    return [field] if kids is None else [get(kids, number) for number in range(len(kids))]


@pdf_operator("pdf.field-value-changed", CONTENT, _field_places("/Tx"), aspects=("form",), breaks=("pdf.form_field",))
def field_value_changed(file: PdfFile, place: PdfPlace) -> str:
    """A text field holds another value, and its face shows it."""
    value = "John Roe" if str(get(place.object, "/V")) != "John Roe" else "Mary Major"
    place.object[native_name("/V")] = native_text(value)
    for widget in _widgets(place.object):
        widget.pop("/AP", None)
    form = get(file.root, "/AcroForm")
    from pypdf.generic import BooleanObject

    form[native_name("/NeedAppearances")] = BooleanObject(True)
    return value


@pdf_operator("pdf.field-face-against-value", CONTENT, lambda f: (p for p in _field_places("/Tx")(f) if get(p.object, "/V") and all(get(w, "/AP") is not None for w in _widgets(p.object))), aspects=("form",), breaks=())
def field_face_against_value(file: PdfFile, place: PdfPlace) -> str:
    """A text field shows something else than it holds."""
    from pypdf.generic import DecodedStreamObject, DictionaryObject

    for widget in _widgets(place.object):
        old = get(get(widget, "/AP"), "/N")
        stream = DecodedStreamObject()
        stream.set_data(b"/Tx BMC q BT /Helv 11 Tf 0 g 2 6 Td (Not what it holds) Tj ET Q EMC")
        for key, value in (old or {}).items():
            if key not in ("/Length", "/Filter", "/DecodeParms"):
                stream[native_name(key)] = value
        widget[native_name("/AP")] = DictionaryObject({native_name("/N"): file.add(stream)})
    return "Not what it holds"


def _checkboxes(file: PdfFile) -> Iterator[PdfPlace]:
    for place in _field_places("/Btn")(file):
        if not _flags(place.object) & 0x18000 and all(get(get(w, "/AP") or {}, "/N") is not None for w in _widgets(place.object)):
            yield place


def _on_state(widget: Any) -> str:
    return next((str(state) for state in get(get(widget, "/AP"), "/N") if state != "/Off"), "/Yes")


@pdf_operator("pdf.checkbox-face-against-value", CONTENT, _checkboxes, aspects=("form",))
def checkbox_face(file: PdfFile, place: PdfPlace) -> str:
    """A check box shows the contrary of what it holds."""
    for widget in _widgets(place.object):
        on = str(get(place.object, "/V") or "/Off") not in ("/Off", "None")
        widget[native_name("/AS")] = native_name("/Off" if on else _on_state(widget))
    return str(get(_widgets(place.object)[0], "/AS"))


@pdf_operator("pdf.checkbox-flipped", CONTENT, _checkboxes, aspects=("form",), breaks=("pdf.form_field",))
def checkbox_flipped(file: PdfFile, place: PdfPlace) -> str:
    """A check box is set, or cleared."""
    on = str(get(place.object, "/V") or "/Off") not in ("/Off", "None")
    state = "/Off" if on else _on_state(_widgets(place.object)[0])
    place.object[native_name("/V")] = native_name(state)
    for widget in _widgets(place.object):
        widget[native_name("/AS")] = native_name(state)
    return state


def _any_field(file: PdfFile) -> Iterator[PdfPlace]:
    for name, field in file.fields():
        if field is not None and _parent_list(file, field) is not None:
            yield PdfPlace(field_address(name), field, f"{name} = {get(field, '/V')}", name)


def _parent_list(file: PdfFile, field: Any) -> Any:
    parent = get(field, "/Parent")
    return get(parent, "/Kids") if parent is not None else get(get(file.root, "/AcroForm"), "/Fields")


@pdf_operator("pdf.field-dropped", STRUCTURE, _any_field, aspects=("form", "structure"), breaks=("pdf.form_field",), effect="remove")
def field_dropped(file: PdfFile, place: PdfPlace) -> str:
    """A form field is lost, with its widgets."""
    for page in file.pages:
        _drop_annotations(page, [widget.indirect_reference for widget in _widgets(place.object)])
    holder = _parent_list(file, place.object)
    kept = [item for item in holder if item.get_object() is not place.object]
    holder.clear()
    holder.extend(kept)
    return "no field"


def _drop_annotations(page: Any, references: list[Any]) -> None:
    found = get(page, "/Annots")
    if found is None:
        return
    numbers = {reference.idnum for reference in references if reference is not None}
    kept = [item for item in found if getattr(item, "idnum", None) not in numbers]
    if len(kept) != len(found):
        page[native_name("/Annots")] = native_array(kept)


@pdf_operator("pdf.field-renamed", STRUCTURE, lambda f: (p for p in _any_field(f) if get(p.object, "/T") is not None), aspects=("form", "name"), breaks=("pdf.form_field",))
def field_renamed(file: PdfFile, place: PdfPlace) -> str:
    """A form field gets another name."""
    new = str(get(place.object, "/T")) + "_2"
    place.object[native_name("/T")] = native_text(new)
    return new


@pdf_operator("pdf.field-read-only", PRESERVATION, _any_field, aspects=("form", "protection"))
def field_read_only(file: PdfFile, place: PdfPlace) -> str:
    """A form field can no longer be filled in, or a locked one can."""
    place.object[native_name("/Ff")] = native_number(_flags(place.object) ^ 1)
    return f"flags {_flags(place.object)}"


@pdf_operator("pdf.form-flattened", STRUCTURE, lambda f: [PdfPlace("", f.root, "form")] if next(f.fields(), None) else [], aspects=("form", "structure"), breaks=("pdf.form_field",), tags=("gaming",))
def form_flattened(file: PdfFile, place: PdfPlace) -> str:
    """The form becomes plain page content."""
    from pypdf.generic import DictionaryObject

    flatten_pages(file)
    for page in file.pages:
        widgets = [a for a in file.annotations(page) if a is not None and get(a, "/Subtype") == "/Widget"]
        drawn = b""
        resources = get(page, "/Resources")
        if resources is None:
            resources = DictionaryObject()
            page[native_name("/Resources")] = resources
        for number, widget in enumerate(widgets):
            face = get(get(widget, "/AP") or {}, "/N")
            if face is not None and not hasattr(face, "get_data"):
                face = get(face, str(get(widget, "/AS") or "/Off"))
            if face is None or face.indirect_reference is None:
                continue
            if get(resources, "/XObject") is None:
                resources[native_name("/XObject")] = DictionaryObject()
            get(resources, "/XObject")[native_name(f"/Flat{number}")] = face.indirect_reference
            x, y = (float(value) for value in get(widget, "/Rect")[:2])
            drawn += f"\nq 1 0 0 1 {x:g} {y:g} cm /Flat{number} Do Q".encode()
        if widgets:
            _drop_annotations(page, [widget.indirect_reference for widget in widgets])
            file.set_content(page, b"q\n" + file.content(page) + b"\nQ" + drawn)
    del file.root["/AcroForm"]
    return "flattened"


def _annotations(kinds: tuple[str, ...] = ()) -> Any:
    def find(file: PdfFile) -> Iterator[PdfPlace]:
        for number, page in enumerate(file.pages, 1):
            for at, annotation in enumerate(file.annotations(page), 1):
                kind = str(get(annotation, "/Subtype")) if annotation is not None else ""
                if annotation is not None and annotation.indirect_reference is not None and kind not in ("/Widget", "/Popup") and (not kinds or kind in kinds):
                    before = str(get(annotation, "/Contents") or get(get(annotation, "/A") or {}, "/URI") or kind)
                    yield PdfPlace(f"page[{number}]/annotation[{at}]", annotation, before, page)

    return find


@pdf_operator("pdf.annotation-dropped", PRESERVATION, _annotations(), aspects=("comment", "link", "structure"), effect="remove")
def annotation_dropped(file: PdfFile, place: PdfPlace) -> str:
    """An annotation or link is lost."""
    _drop_annotations(place.more, [place.object.indirect_reference])
    return "no annotation"


@pdf_operator("pdf.annotation-moved", PRESERVATION, _annotations(), aspects=("geometry",))
def annotation_moved(file: PdfFile, place: PdfPlace) -> str:
    """An annotation or link covers another place."""
    x0, y0, x1, y1 = (float(value) for value in get(place.object, "/Rect"))
    place.object[native_name("/Rect")] = native_array([native_number(round(v, 3)) for v in (x0 + 40, y0 - 30, x1 + 40, y1 - 30)])
    return "moved by 40, −30"


@pdf_operator("pdf.annotation-text-changed", CONTENT, lambda f: (p for p in _annotations()(f) if get(p.object, "/Contents")), aspects=("comment", "text"))
def annotation_text_changed(file: PdfFile, place: PdfPlace) -> str:
    """A note says something else."""
    place.object[native_name("/Contents")] = native_text("Approved.")
    place.object.pop("/RC", None)
    return "Approved."


@pdf_operator("pdf.link-re-targeted", CONTENT, lambda f: (p for p in _annotations(("/Link",))(f) if get(get(p.object, "/A") or {}, "/URI")), aspects=("link",))
def link_re_targeted(file: PdfFile, place: PdfPlace) -> str:
    """A link leads somewhere else."""
    get(place.object, "/A")[native_name("/URI")] = native_text("https://example.invalid/elsewhere")
    return "https://example.invalid/elsewhere"


@pdf_operator("pdf.attachment-removed", PRESERVATION, lambda f: (PdfPlace(format_segment("attachment", name), names, name, at) for name, names, at in f.attachments()), aspects=("media", "structure"), effect="remove")
def attachment_removed(file: PdfFile, place: PdfPlace) -> str:
    """An attached file is gone."""
    del place.object[place.more : place.more + 2]
    if not len(place.object):
        names = get(file.root, "/Names")
        del names["/EmbeddedFiles"]
    return "no attachment"


@pdf_operator("pdf.attachment-changed", CONTENT, lambda f: (PdfPlace(format_segment("attachment", name), get(get(names, at + 1), "/EF"), name) for name, names, at in f.attachments() if get(get(names, at + 1) or {}, "/EF")), aspects=("media",))
def attachment_changed(file: PdfFile, place: PdfPlace) -> str:
    """An attached file holds something else."""
    from pypdf.generic import DecodedStreamObject

    old = get(place.object, "/F")
    stream = DecodedStreamObject()
    stream.set_data(bytes(old.get_data()) + b"\nchanged\n")
    stream[native_name("/Type")] = native_name("/EmbeddedFile")
    reference = file.add(stream)
    for key in ("/F", "/UF"):
        if key in place.object:
            place.object[native_name(key)] = reference
    return "other bytes"


def _information(file: PdfFile) -> Iterator[PdfPlace]:
    info = file.writer._info
    found = info.get_object() if info is not None else None
    for key in ("/Title", "/Author", "/Subject", "/Keywords"):
        if found is not None and get(found, key):
            yield PdfPlace(f"property[{key[1:]}]", found, str(get(found, key)), key, exact=False)


@pdf_operator("pdf.metadata-changed", PRESERVATION, _information, aspects=("metadata",))
def metadata_changed(file: PdfFile, place: PdfPlace) -> str:
    """The document's title or author changes."""
    place.object[native_name(place.more)] = native_text("Untitled")
    return "Untitled"


@pdf_operator("pdf.page-labels-dropped", PRESERVATION, lambda f: [PdfPlace("", f.root, "page labels", exact=False)] if get(f.root, "/PageLabels") else [], aspects=("name", "structure"), effect="remove")
def page_labels_dropped(file: PdfFile, place: PdfPlace) -> str:
    """The pages lose their printed numbers."""
    # A tree that only numbers 1, 2, 3 says nothing more than no tree, so the labels are changed and not removed.
    from pypdf.generic import DictionaryObject

    place.object[native_name("/PageLabels")] = DictionaryObject({native_name("/Nums"): native_array([native_number(0), DictionaryObject({native_name("/S"): native_name("/r"), native_name("/St"): native_number(3)})])})
    return "iii, iv, …"


def _images(file: PdfFile) -> Iterator[PdfPlace]:
    for number, page in enumerate(file.pages, 1):
        holder = page
        while holder is not None and get(holder, "/Resources") is None:
            holder = get(holder, "/Parent")
        objects = get(get(holder or {}, "/Resources") or {}, "/XObject")
        for count, key in enumerate(sorted(k for k in (objects or {}) if get(get(objects, k), "/Subtype") == "/Image"), 1):
            yield PdfPlace(f"page[{number}]/image[{count}]", objects, str(key), key, exact=False)


@pdf_operator("pdf.image-swapped", CONTENT, _images, aspects=("media",))
def image_swapped(file: PdfFile, place: PdfPlace) -> str:
    """A picture shows something else."""
    from pypdf.generic import DecodedStreamObject

    image = DecodedStreamObject()
    image.set_data(bytes((200, 30, 30, 30, 30, 200)) * 6)
    for key, value in (("/Type", "/XObject"), ("/Subtype", "/Image"), ("/ColorSpace", "/DeviceRGB")):
        image[native_name(key)] = native_name(value)
    for key, number in (("/Width", 4), ("/Height", 3), ("/BitsPerComponent", 8)):
        image[native_name(key)] = native_number(number)
    place.object[native_name(place.more)] = file.add(image)
    return "another picture"


@pdf_operator("pdf.language-changed", PRESERVATION, lambda f: [PdfPlace("", f.root, str(get(f.root, "/Lang")), exact=False)] if get(f.root, "/Lang") else [], aspects=("metadata", "structure"))
def language_changed(file: PdfFile, place: PdfPlace) -> str:
    """The document says that it is in another language."""
    place.object[native_name("/Lang")] = native_text("fi" if str(get(place.object, "/Lang")) != "fi" else "pt")
    return str(get(place.object, "/Lang"))


@pdf_operator("pdf.script-added", STRUCTURE, lambda f: [PdfPlace("", f.root, "", exact=False)] if get(f.root, "/OpenAction") is None else [], aspects=("code",), effect="add", examples=(SAMPLE,))
def script_added(file: PdfFile, place: PdfPlace) -> str:
    """The document runs a script when it is opened."""
    from pypdf.generic import DictionaryObject

    action = DictionaryObject({native_name("/S"): native_name("/JavaScript"), native_name("/JS"): native_text("app.alert('hello');")})
    place.object[native_name("/OpenAction")] = file.add(action)
    return "app.alert"


OPERATORS: tuple[Operator, ...] = tuple(value for value in list(globals().values()) if isinstance(value, Operator))
