"""Structural predicates of PDF documents."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from docops.core.codes import Family, FindingCode
from docops.core.errors import NotApplicable
from docops.core.node import Node, Value
from docops.core.predicate import Context, Evidence, Example, Finding, Predicate, Target, predicate
from docops.formats.pdf.samples import SampleField, SamplePage, pdf

if TYPE_CHECKING:
    from docops.formats.pdf.document import PdfDocument
    from docops.formats.pdf.navigation import Bookmark
    from docops.formats.pdf.reading import Page

Result = Iterator[Finding | Evidence]
_PDF = ("pdf",)


def _document(target: Target) -> PdfDocument:
    return cast("PdfDocument", target.document)


def _pages(target: Target) -> list[Page]:
    """The pages that `at` names, or all of them where it names the whole document."""
    pages = _document(target).objects.pages
    if not target.address.segments:
        return list(pages)
    numbers = {node.number for node in target.nodes if node.kind == "page"}
    numbers |= {int(node.address.partition("]")[0].removeprefix("page[")) for node in target.nodes if node.address.startswith("page[")}
    return [page for page in pages if page.index + 1 in numbers]


def _no_place(target: Target, what: str = "page") -> Finding:
    return Finding(FindingCode.MISSING, target.place(), what, None, f"{target.place()} names no {what} of the output")


def _file(name: str, data: Callable[[], bytes]) -> Callable[[], Mapping[str, bytes]]:
    return lambda: {name: data()}


def _three() -> bytes:
    return pdf(
        [SamplePage("Cover"), SamplePage("Prices\nOne bolt: 12 EUR"), SamplePage("Terms\nPayment within 30 days")],
        outline=[("Cover", 1, ()), ("Offer", 2, [("Prices", 2, ()), ("Terms", 3, ())])],
        info={"Title": "Offer", "Author": "Ann"},
        labels="0 << /S /r >> 1 << /S /D >>",
        attachments={"prices.csv": b"bolt,12\n"},
    )


def _moved() -> bytes:
    return pdf([SamplePage("Cover"), SamplePage("Terms\nPayment within 30 days"), SamplePage("Prices\nOne bolt: 12 EUR")])


def _scanned() -> bytes:
    return pdf([SamplePage("Cover"), SamplePage("Terms\nPayment within 30 days"), SamplePage(picture=True)])


def _form(**values: Any) -> Callable[[], Mapping[str, bytes]]:
    """A form whose field `name` (text), `agree` (checkbox) and `country` (combo) hold what is given."""
    fields = [
        SampleField("name", values.get("name", ""), shown=values.get("shown")),
        SampleField("agree", values.get("agree", "Off"), "checkbox", values.get("face")),
        SampleField("country", values.get("country", "Spain"), "combo", options=("Portugal", "Spain")),
    ]
    return _file("form.pdf", lambda: pdf([SamplePage("Application\n" + values.get("drawn", ""), fields=fields)]))


# -- pages -------------------------------------------------------------------------------------------------------------


@predicate(
    "pdf.page_count",
    family=Family.STRUCTURAL,
    formats=_PDF,
    examples=(
        Example("three pages", _file("offer.pdf", _three), {"at": "offer.pdf", "equals": 3}, passes=True),
        Example("one too many", _file("offer.pdf", _three), {"at": "offer.pdf", "equals": 2}, passes=FindingCode.WRONG_COUNT),
    ),
)
def page_count(context: Context, *, at: str, equals: int) -> Result:
    """The document has so many pages.

    at: the document.   equals: how many.

    Not checked: which pages they are (`pdf.page_order`).
    """
    target = context.target(at, formats=_PDF)
    count = len(_document(target).objects.pages)
    if count == equals:
        yield Evidence(target.place(), f"{count} pages")
    else:
        yield Finding(FindingCode.WRONG_COUNT, target.place(), equals, count, f"the document has {count} pages, {equals} are wanted")


@predicate(
    "pdf.page_order",
    family=Family.STRUCTURAL,
    formats=_PDF,
    examples=(
        Example("moved", _file("offer.pdf", _moved), {"at": "offer.pdf", "source_pages": [1, 3, 2]}, True, _file("offer.pdf", _three)),
        Example("left as it was", _file("offer.pdf", _three), {"at": "offer.pdf", "source_pages": [1, 3, 2]}, FindingCode.WRONG_ORDER, _file("offer.pdf", _three)),
        Example("a page missing", _file("offer.pdf", _moved), {"at": "offer.pdf", "source_pages": [1, 3]}, FindingCode.WRONG_COUNT, _file("offer.pdf", _three)),
        Example("a picture of the page", _file("offer.pdf", _scanned), {"at": "offer.pdf", "source_pages": [1, 3, 2]}, FindingCode.NOT_NATIVE, _file("offer.pdf", _three)),
    ),
)
def page_order(context: Context, *, at: str, source_pages: list[int]) -> Result:
    """The pages are those of the source, in this order, with what they paint unaltered.

    at: the document; it needs a source.   source_pages: numbers of the source's pages, in the order wanted.

    Not checked: annotations and form fields on the pages (preservation watches them).
    """
    target = context.target(at, formats=_PDF)
    if target.source is None:
        raise NotApplicable("the document has no source to compare pages with")
    output, source = _document(target), cast("PdfDocument", target.source)
    out_pages, in_pages = output.objects.pages, source.objects.pages
    if len(out_pages) != len(source_pages):
        yield Finding(
            FindingCode.WRONG_COUNT, target.place(), len(source_pages), len(out_pages), f"the document has {len(out_pages)} pages, {len(source_pages)} are wanted"
        )
    known = [_identity(source, page) for page in in_pages]
    for place, wanted in enumerate(source_pages[: len(out_pages)]):
        page = out_pages[place]
        address = target.place(f"page[{place + 1}]")
        if not 1 <= wanted <= len(known):
            yield Finding(FindingCode.MISSING, address, wanted, None, f"the source has no page {wanted}; it has {len(known)}")
            continue
        identity = _identity(output, page)
        if identity == known[wanted - 1]:
            yield Evidence(address, f"the source's page {wanted}")
            continue
        others = [number for number, other in enumerate(known, 1) if other == identity]
        if others:
            message = f"page {place + 1} is the source's page {others[0]}, page {wanted} belongs there"
            yield Finding(FindingCode.WRONG_ORDER, address, wanted, others[0], message)
            continue
        yield _altered(output, page, source, in_pages[wanted - 1], address, wanted)


def _identity(document: PdfDocument, page: Page) -> str:
    from docops.core.canonical import canonical_json, sha256
    from docops.formats.pdf.pages import page_identity, rotation

    facts = {f"{aspect}.{name}": value for (aspect, name), value in page_identity(document.model, page).items()}
    return sha256(canonical_json([facts, rotation(document.model, page), list(document.model.box(page, "CropBox"))]))


def _altered(output: PdfDocument, page: Page, source: PdfDocument, original: Page, address: str, wanted: int) -> Finding:
    text, before = _page_text(output, page), _page_text(source, original)
    if before and not text and output.model.page_content(page).content.pictures:
        return Finding(FindingCode.NOT_NATIVE, address, before[:200], None, f"page {page.index + 1} is a picture; the source's page {wanted} holds text")
    if text == before:
        return Finding(FindingCode.MISMATCH, address, wanted, None, f"page {page.index + 1} has the text of the source's page {wanted} but looks different")
    return Finding(FindingCode.MISMATCH, address, before[:200], text[:200], f"page {page.index + 1} is not the source's page {wanted}, nor any other of its pages")


def _page_text(document: PdfDocument, page: Page) -> str:
    blocks = document.model.page_content(page).blocks
    return "\n".join("".join(piece.text for piece in block.pieces() if not piece.hidden) for block in blocks).strip()


@predicate(
    "pdf.rotation",
    family=Family.STRUCTURAL,
    formats=_PDF,
    examples=(
        Example("upright", _file("offer.pdf", _three), {"at": "offer.pdf#page[2]", "equals": 0}, passes=True),
        Example("not turned", _file("offer.pdf", _three), {"at": "offer.pdf#page[2]", "equals": 90}, passes=FindingCode.MISMATCH),
    ),
)
def rotation(context: Context, *, at: str, equals: int) -> Result:
    """The pages are turned by so many degrees, clockwise.

    at: pages, or the document for all.   equals: 0, 90, 180 or 270.

    Not checked: content that was drawn turned on an upright page.
    """
    from docops.formats.pdf.pages import rotation as page_rotation

    target = context.target(at, formats=_PDF)
    pages = _pages(target)
    if not pages:
        yield _no_place(target)
    for page in pages:
        found = page_rotation(_document(target).model, page)
        address = target.place(f"page[{page.index + 1}]")
        if found == equals % 360:
            yield Evidence(address, f"{found} degrees")
        else:
            yield Finding(FindingCode.MISMATCH, address, equals, found, f"page {page.index + 1} is turned by {found} degrees, {equals} are wanted")


@predicate(
    "pdf.page_size",
    family=Family.STRUCTURAL,
    formats=_PDF,
    examples=(
        Example("as wanted", _file("offer.pdf", _three), {"at": "offer.pdf", "width": 400, "height": 300}, passes=True),
        Example("another size", _file("offer.pdf", _three), {"at": "offer.pdf#page[1]", "width": 595, "height": 842}, passes=FindingCode.MISMATCH),
    ),
)
def page_size(context: Context, *, at: str, width: float, height: float, tolerance: float = 1.0) -> Result:
    """The pages a reader sees have this size.

    at: pages, or the document for all.   width, height: in points (1/72 inch), as the page is turned.   tolerance: in points.

    Not checked: the boxes for print production.
    """
    from docops.formats.pdf.annotations import plain
    from docops.formats.pdf.pages import rotation as page_rotation

    target = context.target(at, formats=_PDF)
    model = _document(target).model
    pages = _pages(target)
    if not pages:
        yield _no_place(target)
    for page in pages:
        box = model.box(page, "CropBox")
        unit = model.objects.at(page.dict, "UserUnit")
        unit = unit if isinstance(unit, int | float) else 1
        size = [plain((box[2] - box[0]) * unit), plain((box[3] - box[1]) * unit)]
        if page_rotation(model, page) in {90, 270}:
            size.reverse()
        address = target.place(f"page[{page.index + 1}]")
        if abs(size[0] - width) <= tolerance and abs(size[1] - height) <= tolerance:
            yield Evidence(address, f"{size[0]} x {size[1]}")
        else:
            message = f"page {page.index + 1} measures {size[0]} x {size[1]} points, {width} x {height} are wanted"
            yield Finding(FindingCode.MISMATCH, address, [width, height], [*size], message)


@predicate(
    "pdf.page_label",
    family=Family.STRUCTURAL,
    formats=_PDF,
    examples=(
        Example("roman", _file("offer.pdf", _three), {"at": "offer.pdf#page[1]", "equals": "i"}, passes=True),
        Example("another label", _file("offer.pdf", _three), {"at": "offer.pdf#page[2]", "equals": "2"}, passes=FindingCode.MISMATCH),
        Example("no labels", _file("offer.pdf", _moved), {"at": "offer.pdf#page[1]", "equals": "i"}, passes=FindingCode.MISMATCH),
    ),
)
def page_label(context: Context, *, at: str, equals: str) -> Result:
    """The page is labelled so in the reader's page list.

    at: a page.   equals: its label; without labels a page is labelled by its number.

    Not checked: a number printed on the page.
    """
    from docops.formats.pdf.navigation import page_labels

    target = context.target(at, formats=_PDF)
    labels = page_labels(_document(target).model)
    pages = _pages(target)
    if not pages:
        yield _no_place(target)
    for page in pages:
        found = labels[page.index] if labels is not None else str(page.index + 1)
        address = target.place(f"page[{page.index + 1}]")
        if found == equals:
            yield Evidence(address, found)
        else:
            yield Finding(FindingCode.MISMATCH, address, equals, found, f"page {page.index + 1} is labelled {found!r}, {equals!r} is wanted")


@predicate(
    "pdf.text_native",
    family=Family.STRUCTURAL,
    formats=_PDF,
    examples=(
        Example("text", _file("offer.pdf", _three), {"at": "offer.pdf"}, passes=True),
        Example("a picture of the text", _file("offer.pdf", _scanned), {"at": "offer.pdf#page[3]"}, passes=FindingCode.NOT_NATIVE),
    ),
)
def text_native(context: Context, *, at: str) -> Result:
    """The pages hold text that a reader sees and can search, not a picture of it.

    at: pages, or the document for all.

    Not checked: what the text says. A page without text and pictures holds.
    """
    target = context.target(at, formats=_PDF)
    document = _document(target)
    pages = _pages(target)
    if not pages:
        yield _no_place(target)
    for page in pages:
        address = target.place(f"page[{page.index + 1}]")
        text = _page_text(document, page)
        content = document.model.page_content(page)
        if text:
            yield Evidence(address, text[:100])
        elif content.content.pictures:
            hidden = any(block.text.strip() for block in content.blocks)
            message = f"page {page.index + 1} is a picture; its text is {'hidden behind it' if hidden else 'not there'}"
            yield Finding(FindingCode.NOT_NATIVE, address, "text", "a picture", message)


# -- outline -----------------------------------------------------------------------------------------------------------


@predicate(
    "pdf.outline",
    family=Family.STRUCTURAL,
    formats=_PDF,
    examples=(
        Example("all titles", _file("offer.pdf", _three), {"at": "offer.pdf", "titles": ["Cover", "Offer", "Prices", "Terms"]}, passes=True),
        Example("one missing", _file("offer.pdf", _three), {"at": "offer.pdf", "titles": ["Cover", "Offer", "Prices", "Terms", "Annex"]}, FindingCode.MISSING),
        Example("another order", _file("offer.pdf", _three), {"at": "offer.pdf", "titles": ["Cover", "Offer", "Terms", "Prices"]}, FindingCode.WRONG_ORDER),
        Example("nested", _file("offer.pdf", _three), {"at": "offer.pdf", "tree": ["Cover", {"title": "Offer", "children": ["Prices", "Terms"]}]}, passes=True),
        Example("not nested", _file("offer.pdf", _three), {"at": "offer.pdf", "tree": ["Cover", "Offer", "Prices", "Terms"]}, FindingCode.UNEXPECTED),
    ),
)
def outline(context: Context, *, at: str, titles: list[str] | None = None, tree: list[Any] | None = None) -> Result:
    """The outline (bookmarks) has exactly these titles.

    at: the document, or a bookmark for those below it.   titles: all, depth first.
    tree: nested: a title, or a table with `title`, `children` and optionally `page` (the number of the page it leads to).

    Not checked: where the bookmarks lead, unless the tree gives pages.
    """
    from docops.formats.pdf.navigation import bookmarks, walk_bookmarks

    target = context.target(at, formats=_PDF)
    top = bookmarks(_document(target).model)
    if target.address.segments:
        if not target.nodes:
            yield _no_place(target, "bookmark")
            return
        addresses = {node.address for node in target.nodes}
        top = [child for _, item in walk_bookmarks(top) if _address(item) in addresses for child in item.children]
    items = [item for _, item in walk_bookmarks(top)]
    found = [item.title for item in items]
    before = len(found)
    failed = False
    if titles is not None:
        for finding in _compare_titles(target, items, titles):
            failed = True
            yield finding
    if tree is not None:
        for finding in _compare_tree(target, top, _tree(tree), ""):
            failed = True
            yield finding
    if not failed:
        yield Evidence(target.place(), f"{before} bookmarks: {', '.join(found)}"[:200])


def _address(item: Bookmark) -> str:
    from docops.core.address import format_segment

    return format_segment("outline", item.path, item.ordinal)


def _compare_titles(target: Target, items: Sequence[Bookmark], titles: Sequence[str]) -> Iterator[Finding]:
    found = [item.title for item in items]
    if found == list(titles):
        return
    if sorted(found) == sorted(titles):
        place = next(n for n, (a, b) in enumerate(zip(found, titles, strict=True)) if a != b)
        message = f"bookmark {place + 1} is {found[place]!r}, {titles[place]!r} belongs there"
        yield Finding(FindingCode.WRONG_ORDER, target.place(_address(items[place])), list(titles), list(found), message)
        return
    for operation, a0, a1, b0, b1 in difflib.SequenceMatcher(None, found, list(titles), autojunk=False).get_opcodes():
        if operation == "equal":
            continue
        pairs = max(a1 - a0, b1 - b0)
        for offset in range(pairs):
            have = items[a0 + offset] if a0 + offset < a1 else None
            want = titles[b0 + offset] if b0 + offset < b1 else None
            if have is not None and want is not None:
                message = f"bookmark {a0 + offset + 1} is {have.title!r}, {want!r} is wanted"
                yield Finding(FindingCode.MISMATCH, target.place(_address(have)), want, have.title, message)
            elif have is not None:
                yield Finding(FindingCode.UNEXPECTED, target.place(_address(have)), None, have.title, f"there is a bookmark {have.title!r} that is not wanted")
            else:
                yield Finding(FindingCode.MISSING, target.place(), want, None, f"there is no bookmark {want!r} at position {b0 + offset + 1}")


_Wanted = tuple[str, int | None, list[Any]]


def _tree(items: Any) -> list[_Wanted]:
    """A wanted tree in one form, from the forms people write: nested lists, tables with children, tables by title."""
    out: list[_Wanted] = []
    if isinstance(items, Mapping) and "title" not in items:
        return [(str(title), None, _tree(below)) for title, below in items.items()]
    listed = list(items) if isinstance(items, list | tuple) else [items]
    pairs = bool(listed) and isinstance(listed[0], list | tuple)  # [["Title", [below]], …]
    for item in listed:
        if isinstance(item, str):
            out.append((item, None, []))
        elif isinstance(item, Mapping) and "title" in item:
            page = item.get("page")
            below: Any = next((item[key] for key in ("children", "items", "kids") if key in item), [])
            out.append((str(item["title"]), page if isinstance(page, int) else None, _tree(below)))
        elif isinstance(item, Mapping):
            out += _tree(item)
        elif isinstance(item, list | tuple):
            if pairs and item and isinstance(item[0], str):
                out.append((item[0], None, _tree(item[1]) if len(item) > 1 else []))
            elif out:
                out[-1] = (out[-1][0], out[-1][1], [*out[-1][2], *_tree(item)])
            else:
                out += _tree(item)
    return out


def _compare_tree(target: Target, items: Sequence[Bookmark], wanted: Sequence[_Wanted], path: str) -> Iterator[Finding]:
    model = _document(target).model
    for place, (title, page, below) in enumerate(wanted):
        where = f"{path}/{title}" if path else title
        if place >= len(items):
            yield Finding(FindingCode.MISSING, target.place(), where, None, f"there is no bookmark {where!r}")
            continue
        item = items[place]
        if item.title != title:
            message = f"bookmark {place + 1} under {path or 'the top'!r} is {item.title!r}, {title!r} belongs there"
            yield Finding(FindingCode.MISMATCH, target.place(_address(item)), title, item.title, message)
            continue
        if page is not None:
            leads = model.targets.page_of(item.destination)
            if leads is None or leads + 1 != page:
                shown = None if leads is None else leads + 1
                yield Finding(FindingCode.MISMATCH, target.place(_address(item)), page, shown, f"bookmark {where!r} leads to page {shown}, not to page {page}")
        yield from _compare_tree(target, item.children, below, where)
    for item in items[len(wanted) :]:
        yield Finding(FindingCode.UNEXPECTED, target.place(_address(item)), None, item.title, f"there is a bookmark {item.path!r} that is not wanted")


# -- form --------------------------------------------------------------------------------------------------------------


@predicate(
    "pdf.form_field",
    family=Family.STRUCTURAL,
    formats=_PDF,
    examples=(
        Example("filled", _form(name="Jane Doe"), {"at": "form.pdf", "name": "name", "equals": "Jane Doe"}, passes=True),
        Example("empty", _form(), {"at": "form.pdf", "name": "name", "equals": "Jane Doe"}, passes=FindingCode.MISMATCH),
        Example("drawn on the page", _form(drawn="Jane Doe"), {"at": "form.pdf", "name": "name", "equals": "Jane Doe"}, FindingCode.MISMATCH),
        Example("value set, nothing shown", _form(name="Jane Doe", shown=""), {"at": "form.pdf", "name": "name", "equals": "Jane Doe"}, FindingCode.STALE_VALUE),
        Example("no such field", _form(), {"at": "form.pdf", "name": "surname", "equals": "Doe"}, passes=FindingCode.MISSING),
        Example("on", _form(agree="Yes"), {"at": "form.pdf", "name": "agree", "equals": True}, passes=True),
        Example("off", _form(), {"at": "form.pdf", "name": "agree", "equals": True}, passes=FindingCode.MISMATCH),
        Example("value on, face off", _form(agree="Yes", face="Off"), {"at": "form.pdf", "name": "agree", "equals": "Yes"}, FindingCode.STALE_VALUE),
        Example("choice", _form(country="Portugal"), {"at": "form.pdf", "name": "country", "equals": "Portugal"}, passes=True),
    ),
)
def form_field(context: Context, *, at: str, name: str, equals: str | bool | float | list[str]) -> Result:
    """The form field holds this value, and shows it.

    at: the document.   name: the field's full name.
    equals: its value; for a choice also the caption; for a button the name of its state, true for any on, false for off.

    Not checked: text drawn on the page beside or over the field; it does not fill a field.
    """
    target = context.target(at, formats=_PDF)
    document = _document(target)
    form = document.model.form
    fields = form.named(name)
    if not fields:
        known = [entry.name for entry in form.fields]
        near = difflib.get_close_matches(name, known, 1)
        hint = f"; did you mean {near[0]!r}?" if near else f"; its fields: {', '.join(known[:12])}" if known else "; it has no form fields"
        yield Finding(FindingCode.MISSING, target.place(), name, None, f"the document has no form field {name!r}{hint}")
        return
    for entry in fields:
        address = target.place(entry.address)
        kind = form.type_of(entry)
        button = kind in {"checkbox", "radio", "push_button"}
        observed: Value = form.button_state(entry) if button else form.value(entry)
        if button:
            captions = dict(zip((str(n) for n in range(len(form.options(entry)))), (caption for _, caption in form.options(entry)), strict=True))
            holds = (observed != "Off") is equals if isinstance(equals, bool) else str(equals) in {observed, captions.get(str(observed))}
        else:
            holds = _same_value(observed, equals) or _same_value(form.display_value(entry), equals)
        if not holds:
            yield _not_filled(document, address, entry.name, equals, observed)
        contradiction = form.contradiction(entry)
        if contradiction is not None:
            stored, shown = contradiction
            message = f"field {name!r} holds {stored!r} but shows {shown!r}" if shown else f"field {name!r} holds {stored!r} but shows nothing"
            yield Finding(FindingCode.STALE_VALUE, address, stored, shown, message)
        elif holds and not form.visible_widgets(entry):
            yield Finding(FindingCode.HIDDEN_TEXT, address, equals, observed, f"field {name!r} holds the value but stands on no page where it can be seen")
        elif holds:
            yield Evidence(address, str(observed))


def _same_value(observed: Value, wanted: Any) -> bool:
    if isinstance(observed, list):
        return bool(observed == ([wanted] if isinstance(wanted, str) else wanted))
    if isinstance(wanted, list):
        return [observed] == wanted
    if isinstance(wanted, bool):
        return False
    if isinstance(wanted, int | float):
        try:
            return float(str(observed)) == wanted
        except ValueError:
            return False
    return bool(observed == wanted)


def _not_filled(document: PdfDocument, address: str, name: str, wanted: Any, observed: Value) -> Finding:
    if isinstance(wanted, str) and wanted.strip() and observed in ("", None):
        for page in document.objects.pages:
            if wanted in _page_text(document, page):
                message = f"field {name!r} is empty; {wanted!r} is only drawn on page {page.index + 1}"
                return Finding(FindingCode.MISMATCH, address, wanted, observed, message)
    return Finding(FindingCode.MISMATCH, address, wanted, observed, f"field {name!r} holds {observed!r}, {wanted!r} is wanted")


# -- annotations and links ---------------------------------------------------------------------------------------------


def _annotations(target: Target) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Address, dictionary and type of the annotations that `at` names."""
    model = _document(target).model
    named = {node.address for node in target.nodes if node.kind == "annotation"}
    for page in _pages(target):
        for annotation in model.annotations(page):
            address = f"page[{page.index + 1}]/annotation[{annotation.number}]"
            if not named or address in named:
                yield address, annotation.dict, annotation.subtype


def _noted() -> bytes:
    return pdf([SamplePage("Cover", notes=["Please check"], links=["https://example.org/terms", 2]), SamplePage("Terms")])


@predicate(
    "pdf.annotation",
    family=Family.STRUCTURAL,
    formats=_PDF,
    examples=(
        Example("there", _file("a.pdf", _noted), {"at": "a.pdf#page[1]", "type": "Text", "contains": "check"}, passes=True),
        Example("another wording", _file("a.pdf", _noted), {"at": "a.pdf#page[1]", "type": "Text", "contains": "done"}, passes=FindingCode.MISSING),
        Example("too many", _file("a.pdf", _noted), {"at": "a.pdf", "type": "Link", "count": 1}, passes=FindingCode.WRONG_COUNT),
    ),
)
def annotation(context: Context, *, at: str, type: str | None = None, contains: str | None = None, count: int | None = None) -> Result:  # noqa: A002
    """There is an annotation of this type that says this.

    at: a page, an annotation, or the document.   type: as PDF names it (Text, Highlight, FreeText, Link, Stamp, …).
    contains: part of its contents.   count: exactly so many; without it at least one.

    Not checked: hidden annotations do not count.
    """
    target = context.target(at, formats=_PDF)
    objects = _document(target).objects
    if not target.nodes:
        yield _no_place(target)
        return
    found = [
        (address, objects.text_at(entry, "Contents") or "")
        for address, entry, subtype in _annotations(target)
        if (type is None or subtype == type) and not objects.int_at(entry, "F") & 0b100010
    ]
    matching = [(address, text) for address, text in found if contains is None or contains in text]
    what = " ".join(filter(None, [type or "any", "annotation", f"containing {contains!r}" if contains is not None else ""]))
    if count is not None and len(matching) != count:
        yield Finding(FindingCode.WRONG_COUNT, target.place(), count, len(matching), f"there are {len(matching)} of {what}, {count} are wanted")
    elif count is None and not matching:
        yield Finding(FindingCode.MISSING, target.place(), contains or type, [text for _, text in found][:5], f"there is no {what}")
    else:
        for address, text in matching[:20]:
            yield Evidence(target.place(address), text[:100])


@predicate(
    "pdf.link",
    family=Family.STRUCTURAL,
    formats=_PDF,
    examples=(
        Example("to an address", _file("a.pdf", _noted), {"at": "a.pdf#page[1]", "uri": "https://example.org/terms"}, passes=True),
        Example("to a page", _file("a.pdf", _noted), {"at": "a.pdf#page[1]", "page": 2}, passes=True),
        Example("elsewhere", _file("a.pdf", _noted), {"at": "a.pdf#page[1]", "uri": "https://example.org/"}, passes=FindingCode.MISSING),
    ),
)
def link(context: Context, *, at: str, uri: str | None = None, page: int | None = None) -> Result:
    """There is a link that leads there.

    at: a page, an annotation, or the document.   uri: its address, exactly.   page: number of the page it shows.

    Not checked: the text under the link.
    """
    target = context.target(at, formats=_PDF)
    model = _document(target).model
    if not target.nodes:
        yield _no_place(target)
        return
    seen: list[Value] = []
    for address, entry, subtype in _annotations(target):
        if subtype != "Link":
            continue
        found_uri = model.targets.uri(entry.get("A"))
        found_page = model.targets.page_of(entry.get("Dest", entry.get("A")))
        seen.append(found_uri if found_uri is not None else None if found_page is None else found_page + 1)
        if (uri is None or found_uri == uri) and (page is None or (found_page is not None and found_page + 1 == page)):
            yield Evidence(target.place(address), str(seen[-1]))
            return
    wanted = uri if uri is not None else page
    yield Finding(FindingCode.MISSING, target.place(), wanted, seen[:10], f"no link leads to {wanted!r}; links found: {len(seen)}")


# -- the whole document ------------------------------------------------------------------------------------------------


@predicate(
    "pdf.metadata",
    family=Family.STRUCTURAL,
    formats=_PDF,
    examples=(
        Example("as wanted", _file("offer.pdf", _three), {"at": "offer.pdf", "key": "title", "equals": "Offer"}, passes=True),
        Example("another author", _file("offer.pdf", _three), {"at": "offer.pdf", "key": "author", "equals": "Bob"}, passes=FindingCode.MISMATCH),
        Example("no subject", _file("offer.pdf", _three), {"at": "offer.pdf", "key": "subject", "equals": "Bolts"}, passes=FindingCode.MISSING),
    ),
)
def metadata(context: Context, *, at: str, key: str, equals: str) -> Result:
    """The document's property has this value, wherever the document states it.

    at: the document.   equals: the value.
    key: its name in the information dictionary (Title, Author, Subject, Keywords, …), in any case, or another property's.

    Not checked: modification time and producer, which every program that saves writes anew.
    """
    from docops.formats.pdf.metadata import info_values, xmp_values

    target = context.target(at, formats=_PDF)
    model = _document(target).model
    values = (info_values(model), xmp_values(model))
    name = next((known for known in (*values[0], *values[1]) if known.lower() == key.lower()), key)
    found = [known[name] for known in values if name in known]
    if not found:
        yield Finding(FindingCode.MISSING, target.place(), equals, None, f"the document has no property {key!r}")
        return
    address = target.place(next((node.address for node in target.document.root.children if node.kind == "property" and node.name == name), ""))
    wrong = [value for value in found if value not in (equals, [equals])]
    if wrong:
        yield Finding(FindingCode.MISMATCH, address, equals, wrong[0], f"property {key!r} is {wrong[0]!r}, {equals!r} is wanted")
    else:
        yield Evidence(address, equals)


@predicate(
    "pdf.attachment",
    family=Family.STRUCTURAL,
    formats=_PDF,
    examples=(
        Example("there", _file("offer.pdf", _three), {"at": "offer.pdf", "name": "prices.csv"}, passes=True),
        Example("not there", _file("offer.pdf", _moved), {"at": "offer.pdf", "name": "prices.csv"}, passes=FindingCode.MISSING),
        Example("empty", _file("a.pdf", lambda: pdf([SamplePage("x")], attachments={"a.txt": b""})), {"at": "a.pdf", "name": "a.txt"}, FindingCode.MISMATCH),
    ),
)
def attachment(context: Context, *, at: str, name: str) -> Result:
    """A file of this name is attached, and holds something.

    at: the document.   name: the file's name.

    Not checked: what the file holds.
    """
    from docops.formats.pdf.parts import attachment_data, attachments

    target = context.target(at, formats=_PDF)
    model = _document(target).model
    found = attachments(model)
    for file_name, specification in found:
        if file_name == name:
            data = attachment_data(model, specification)
            node: Node | None = next((item for item in target.document.root.children if item.kind == "attachment" and item.name == name), None)
            if data:
                yield Evidence(target.place(node), f"{len(data)} bytes")
            else:
                yield Finding(FindingCode.MISMATCH, target.place(node), "a file", None, f"the attachment {name!r} is empty")
            return
    names: list[Value] = [file_name for file_name, _ in found]
    yield Finding(FindingCode.MISSING, target.place(), name, names, f"no file {name!r} is attached; attached: {', '.join(map(str, names)) or 'none'}")


@predicate(
    "pdf.encrypted",
    family=Family.STRUCTURAL,
    formats=_PDF,
    examples=(
        Example("open", _file("offer.pdf", _three), {"at": "offer.pdf", "equals": False}, passes=True),
        Example("not protected", _file("offer.pdf", _three), {"at": "offer.pdf", "equals": True}, passes=FindingCode.MISMATCH),
    ),
)
def encrypted(context: Context, *, at: str, equals: bool = True) -> Result:
    """The document is encrypted, or is not.

    at: the document.   equals: whether it is; true also where it opens without a password.

    Not checked: strength and permissions. A document that needs a password cannot be read and fails before.
    """
    target = context.target(at, formats=_PDF)
    found = _document(target).objects.encrypted
    if found is equals:
        yield Evidence(target.place(), "encrypted" if found else "not encrypted")
    else:
        yield Finding(FindingCode.MISMATCH, target.place(), equals, found, f"the document is {'' if found else 'not '}encrypted")


@predicate(
    "pdf.no_javascript",
    family=Family.STRUCTURAL,
    formats=_PDF,
    examples=(
        Example("none", _file("offer.pdf", _three), {"at": "offer.pdf"}, passes=True),
        Example("a script", _file("a.pdf", lambda: pdf([SamplePage("x")], script="app.alert(1)")), {"at": "a.pdf"}, passes=FindingCode.UNEXPECTED),
    ),
)
def no_javascript(context: Context, *, at: str) -> Result:
    """The document holds no script.

    at: the document.

    Not checked: other actions (launching a program, sending a form).
    """
    from docops.core.spans import Role

    target = context.target(at, formats=_PDF)
    scripts = [span for span in target.document.spans() if span.role is Role.CODE]
    for span in scripts:
        yield Finding(FindingCode.UNEXPECTED, target.place(span.address), None, span.text[:200], "the document holds a script")
    actions = [node for node in target.document.root.walk() for value in node.facts.values() if "JavaScript" in str(value) and node.kind != "property"]
    known = {span.address for span in scripts}
    for node in dict.fromkeys(actions):
        if node.address not in known:
            yield Finding(FindingCode.UNEXPECTED, target.place(node), None, "an action with a script", "the document holds a script")
    if not scripts and not actions:
        yield Evidence(target.place(), "no script")


@predicate(
    "pdf.signature",
    family=Family.STRUCTURAL,
    formats=_PDF,
    examples=(
        Example("not signed", _form(), {"at": "form.pdf"}, passes=FindingCode.MISSING),
        Example("wants none", _form(), {"at": "form.pdf", "signed": False}, passes=True),
    ),
)
def signature(context: Context, *, at: str, signed: bool = True, name: str | None = None) -> Result:
    """The document carries a signature over all of its bytes, or carries none.

    at: the document.   signed: whether it shall.   name: full name of the signature's field; any, where left out.

    Not checked: the signer's certificate. The signed digest must be that of the bytes.
    """
    target = context.target(at, formats=_PDF)
    nodes = [node for node in target.document.root.children if node.kind == "signature" and (name is None or node.name == name)]
    if not signed:
        for node in nodes:
            yield Finding(FindingCode.UNEXPECTED, target.place(node), None, node.name, f"the document is signed in field {node.name!r}")
        if not nodes:
            yield Evidence(target.place(), "not signed")
        return
    if not nodes:
        yield Finding(FindingCode.MISSING, target.place(), name or "a signature", None, "the document is not signed")
    for node in nodes:
        facts = {fact: value for (_, fact), value in node.facts.items()}
        if facts.get("intact") is False or facts.get("covers") != "whole file":
            yield Finding(FindingCode.MISMATCH, target.place(node), "whole file", facts.get("covers"), f"the document was changed after it was signed in {node.name!r}")
        else:
            yield Evidence(target.place(node), "signed")


PREDICATES: tuple[Predicate, ...] = (
    page_count,
    page_order,
    outline,
    form_field,
    annotation,
    link,
    metadata,
    attachment,
    page_label,
    rotation,
    page_size,
    text_native,
    encrypted,
    no_javascript,
    signature,
)
