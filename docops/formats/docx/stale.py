"""Stored results that contradict what they derive from, where that is certain.

Word computes fields when it is asked to, and libraries never do: a result that an edit of its origin left behind is no
fault of the edit. A result that was itself rewritten, and now says something else than its origin, is one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lxml import etree

from docops.core.codes import Aspect
from docops.core.document import Document, Stale
from docops.formats.docx import controls
from docops.formats.docx.document import DocxDocument
from docops.formats.docx.drawings import chart_part
from docops.formats.docx.fields import Field, instruction_words, simple_field
from docops.formats.docx.names import SDT, SDT_CONTENT, W14, P, T, W
from docops.formats.docx.paragraphs import heading_level
from docops.formats.docx.story import Story, paragraph_of


def stale_results(document: Document, source: Document | None) -> Sequence[Stale]:
    """Results stored in a document that contradict what they derive from.

    source: the document it was made from; a field's result is judged only where it differs from the source's.
    """
    if not isinstance(document, DocxDocument):
        return ()
    out: list[Stale] = list(_charts(document))
    if any(next(story.root.iter(*_CHECK_BOXES), None) is not None for story in document.read_stories()):
        for story in document.placed_stories():
            out += _check_boxes(story)
    if isinstance(source, DocxDocument) and source.root.fingerprint != document.root.fingerprint and _judges(document):
        known = _results(source)
        for address, one, shown in _fields(document):
            if (one.instruction, shown) in known:
                continue
            derived = _derive(document, one, shown)
            if derived is not None:
                out.append(Stale(address, "field result", shown, derived))
    return out


def _charts(document: DocxDocument) -> Iterator[Stale]:
    from docops.formats.ooxml.chart import chart_stale

    charts = [node for node in document.root.walk() if node.kind == "chart"] if _has_charts(document) else []
    drawn = [(story, element) for story in document.read_stories() for element in story.root.iter(W + "drawing")]
    parts = [part for story, element in drawn if (part := chart_part(story, element)) is not None]
    for node, part in zip(charts, parts, strict=False):
        yield from chart_stale(part, node.address)


def _has_charts(document: DocxDocument) -> bool:
    return any(rel.type in {"chart", "chartEx"} for rel in document.shared.main.relationships.values())


def _check_boxes(story: Story) -> Iterator[Stale]:
    """Check box controls whose visible sign says the other of what they hold."""
    for sdt in story.root.iter(SDT):
        box = controls.check_box(sdt)
        inner = sdt.find(SDT_CONTENT)
        if box is None or inner is None:
            continue
        shown = "".join(text.text or "" for text in inner.iter(T)).strip()
        on = controls.checked(box)
        right, wrong = controls.glyph(box, on), controls.glyph(box, not on)
        if shown and shown == wrong and shown != right:
            paragraph = next((one for one in sdt.iterancestors(P)), next(inner.iter(P), None))
            yield Stale(story.addresses.get(paragraph, ""), "check box sign", shown, right)  # type: ignore[arg-type]


#: What only a document with a check box control holds.
_CHECK_BOXES = (f"{W14}checkbox",)
_JUDGED = frozenset({"REF", "TOC"})


def _fields(document: DocxDocument) -> Iterator[tuple[str, Field, str]]:
    """Address, field and stored result of every field that can be judged; a table of contents once for each of its entries."""
    for story in document.placed_stories():
        for paragraph in _holding_fields(story):
            address = story.addresses.get(paragraph, "")
            content = story.content(paragraph)
            numbers = {id(one): n for n, (one, _) in enumerate(content.fields, 1)}
            shown: dict[int, tuple[Field, list[str]]] = {}
            for piece in content.pieces:
                if piece.shown and not piece.gone and not piece.code and piece.field is not None and piece.field.kind in _JUDGED:
                    shown.setdefault(id(piece.field), (piece.field, []))[1].append(piece.text)
            for key, (one, texts) in shown.items():
                place = f"{address}/field[{numbers[key]}]" if key in numbers else address
                yield place, one, "".join(texts)


def _judges(document: DocxDocument) -> bool:
    """Whether a document holds any field that can be judged."""
    return any(
        one.kind in _JUDGED
        for story in document.read_stories()
        for one in (*story.scan.fields.values(), *map(simple_field, story.root.iter(W + "fldSimple")))
    )


def _holding_fields(story: Story) -> list[etree._Element]:
    """Paragraphs in which a field that can be judged begins or goes on."""
    found: dict[etree._Element, None] = {}
    starts = [element for element, one in story.scan.fields.items() if one.kind in _JUDGED]
    for element in (*starts, *story.root.iter(W + "fldSimple")):
        paragraph = paragraph_of(element)
        if paragraph is not None:
            found[paragraph] = None
    for paragraph, opened in story.scan.open_at.items():
        if any(one.kind in _JUDGED for one, _ in opened):
            found[paragraph] = None
    return list(found)


def _results(document: DocxDocument) -> set[tuple[str, str]]:
    return {(one.instruction, shown) for _, one, shown in _fields(document)}


def _derive(document: DocxDocument, one: Field, shown: str) -> str | None:
    """What a field must show where that is certain and it shows something else; None where it may be right."""
    words = instruction_words(one)
    if one.kind == "REF" and len(words) >= 2 and not any(word.lower() in {"\\n", "\\w", "\\r", "\\p", "\\t", "\\d"} for word in words[2:]):
        for node in document.find(f'bookmark["{words[1]}"]'):
            text = node.facts.get((Aspect.NAME, "covered text"))
            if isinstance(text, str) and text.strip() and "…" not in text and "{" not in text and _same(text) != _same(shown):
                return text
    if one.kind == "TOC" and not any(switch in one.instruction.lower() for switch in ("\\c", "\\f")):
        entry = _same(shown.rstrip("\t 0123456789ivxlcIVXLC.\u2026"))
        whole = _same(shown)
        texts = _listed_texts(document, one.instruction.casefold())
        if entry and not any(text and (text in whole or entry in text) for text in texts):
            return "no such heading"
    return None


def _listed_texts(document: DocxDocument, instruction: str) -> set[str]:
    """Texts of what a table of contents can list: headings, and paragraphs of styles that its instruction names."""
    body = document.body
    out = set()
    for paragraph in body.paragraphs:
        style = body.style_of(paragraph)
        named = style is not None and (style.name.casefold() in instruction or style.stored_name.casefold() in instruction)
        if named or heading_level(body, paragraph, style) is not None:
            content = body.content(paragraph)
            if content.inside is None and not any(one.kind == "TOC" for one, _ in content.fields):
                out.add(_same(content.text()))
    return out


def _same(text: str) -> str:
    return " ".join(text.split()).casefold()
