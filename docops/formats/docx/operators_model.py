"""Text documents as the docx mutation operators see them: blocks by address, read with lxml alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from lxml import etree

from docops.core.operator import CorruptionClass, Operator, OperatorExample
from docops.operators.ooxml_file import OoxmlFile, Place, R, local_name, place_operator
from docops.operators.samples import blank_document, sample_document

_BLOCKS = {"p": "paragraph", "tbl": "table", "sdt": "content_control", "tr": "row", "tc": "cell"}
_TRANSPARENT = {"sdtContent", "ins", "moveTo", "customXml", "smartTag"}


class Block(NamedTuple):
    """One paragraph, table, row, cell or content control."""

    address: str
    part: str
    element: etree._Element
    kind: str


class DocxFile(OoxmlFile):
    """A text document being edited."""

    @property
    def body(self) -> etree._Element:
        """The body's element."""
        body = self.xml(self.main).find("{*}body")
        if body is None:
            raise LookupError("the document has no body")
        return body

    @cached_property
    def blocks(self) -> list[Block]:
        """Every block of the body, then of headers, footers and notes, in document order."""
        out = list(_blocks(self.body, "body", self.main))
        for address, part, root in self.stories():
            out += _blocks(root, address, part)
        return out

    def stories(self) -> Iterator[tuple[str, str, etree._Element]]:
        """Headers, footers, footnotes and endnotes: address, part and the element that holds the blocks."""
        for place, section in enumerate(self.xml(self.main).iter("{*}sectPr"), 1):
            if local_name(_parent(section)) == "sectPrChange":
                continue
            for reference in section:
                name = local_name(reference)
                if name in ("headerReference", "footerReference"):
                    part = self.target(self.main, reference.get(f"{R}id"))
                    if part:
                        yield f"{name.removesuffix('Reference')}[{place},{w_get(reference, 'type') or 'default'}]", part, self.xml(part)
        for kind in ("footnote", "endnote"):
            for part in self.related(self.main, kind + "s"):
                numbers = self.note_numbers(kind)
                for note in self.xml(part):
                    number = numbers.get(w_get(note, "id") or "")
                    if number:
                        yield f"{kind}[{number}]", part, note

    def note_numbers(self, kind: str) -> dict[str, int]:
        """Ids of the notes that are referred to → their numbers, in the order of the references."""
        out: dict[str, int] = {}
        for reference in self.xml(self.main).iter(f"{{*}}{kind}Reference"):
            out.setdefault(w_get(reference, "id") or "", len(out) + 1)
        return out

    def style_names(self) -> dict[str, str]:
        """Ids of styles → their names in lower case."""
        return self._style_names

    @cached_property
    def _style_names(self) -> dict[str, str]:
        out = {}
        for part in self.related(self.main, "styles"):
            for style in self.xml(part).iterfind("{*}style"):
                name = style.find("{*}name")
                out[w_get(style, "styleId") or ""] = (w_get(name, "val") or "").lower() if name is not None else ""
        return out

    def heading_level(self, paragraph: etree._Element) -> int:
        """1 to 9 for a paragraph in a heading style, else 0."""
        style = paragraph.find("{*}pPr/{*}pStyle")
        name = self.style_names().get(w_get(style, "val") or "", "") if style is not None else ""
        match = re.fullmatch(r"heading ([1-9])", name)
        return int(match.group(1)) if match else 0

    def in_contents(self, paragraph: etree._Element) -> bool:
        """Whether a paragraph is an entry of a table of contents or figures, which is made anew from the headings."""
        style = paragraph.find("{*}pPr/{*}pStyle")
        name = self.style_names().get(w_get(style, "val") or "", "") if style is not None else ""
        return name.startswith(("toc ", "table of figures", "contents "))

    def style_id(self, name: str) -> str | None:
        """The id of the style of that name (lower case)."""
        return next((key for key, value in self.style_names().items() if value == name), None)


def _blocks(container: etree._Element, address: str, part: str, counts: dict[str, int] | None = None) -> Iterator[Block]:
    counts = {} if counts is None else counts
    for child in container:
        name = local_name(child)
        if name in _TRANSPARENT:
            yield from _blocks(child, address, part, counts)
            continue
        kind = _BLOCKS.get(name)
        if kind is None:
            continue
        counts[kind] = counts.get(kind, 0) + 1
        own = f"{address}/{kind}[{counts[kind]}]"
        yield Block(own, part, child, kind)
        if kind != "paragraph":
            yield from _blocks(child, own, part)


def _parent(element: etree._Element) -> etree._Element:
    parent = element.getparent()
    return element if parent is None else parent


def w_name(element: etree._Element, name: str) -> str:
    """A qualified name in the namespace of an element."""
    return f"{{{etree.QName(element).namespace}}}{name}"


def w_get(element: etree._Element | None, name: str) -> str | None:
    """An attribute in the element's own namespace."""
    return None if element is None else element.get(w_name(element, name))


def w_new(parent: etree._Element, tag: str, text: str | None = None, /, **attributes: str) -> etree._Element:
    """A new element in the parent's namespace, not yet put in its place."""
    element = parent.makeelement(w_name(parent, tag))
    for key, value in attributes.items():
        element.set(w_name(parent, key), value)
    if text is not None:
        element.text = text
        if text != text.strip():
            element.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")
    return element


def w_add(parent: etree._Element, tag: str, text: str | None = None, /, **attributes: str) -> etree._Element:
    """A new last child in the parent's namespace."""
    element = w_new(parent, tag, text, **attributes)
    parent.append(element)
    return element


def texts_of(element: etree._Element) -> list[etree._Element]:
    """The w:t elements of a block that a reader sees and that are no results of fields."""
    namespace = etree.QName(element).namespace
    out = []
    depth = 0
    for item in element.iter(f"{{{namespace}}}t", f"{{{namespace}}}fldChar"):
        if local_name(item) == "fldChar":
            depth += {"begin": 1, "end": -1}.get(w_get(item, "fldCharType") or "", 0)
        elif depth <= 0 and not any(local_name(a) in ("del", "moveFrom", "fldSimple") for a in item.iterancestors()):
            out.append(item)
    return out


def text_of(element: etree._Element) -> str:
    """The visible text of a block."""
    return "".join(text.text or "" for text in texts_of(element))


def set_text(text: etree._Element, value: str) -> None:
    """Set a w:t element's text, white space kept."""
    text.text = value
    if value != value.strip():
        text.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")


def paragraph_properties(paragraph: etree._Element) -> etree._Element:
    """The paragraph's w:pPr, added where there is none."""
    found = paragraph.find("{*}pPr")
    if found is None:
        found = w_new(paragraph, "pPr")
        paragraph.insert(0, found)
    return found


def run_properties(run: etree._Element) -> etree._Element:
    """The run's w:rPr, added where there is none."""
    found = run.find("{*}rPr")
    if found is None:
        found = w_new(run, "rPr")
        run.insert(0, found)
    return found


_RUN_ORDER = (
    "rStyle", "rFonts", "b", "bCs", "i", "iCs", "caps", "smallCaps", "strike", "dstrike", "outline", "shadow", "emboss", "imprint",
    "noProof", "snapToGrid", "vanish", "webHidden", "color", "spacing", "w", "kern", "position", "sz", "szCs", "highlight", "u", "effect",
    "bdr", "shd", "fitText", "vertAlign", "rtl", "cs", "em", "lang", "eastAsianLayout", "specVanish", "oMath",
)


def set_run_property(run: etree._Element, name: str, **attributes: str) -> None:
    """Set a property of a run, in the place that the schema wants."""
    properties = run_properties(run)
    for old in properties.findall(f"{{*}}{name}"):
        properties.remove(old)
    rank = _RUN_ORDER.index(name)
    position = sum(1 for child in properties if local_name(child) in _RUN_ORDER[:rank])
    properties.insert(position, w_new(properties, name, **attributes))


def find_blocks(
    kind: str, keep: Callable[[DocxFile, Block], bool] = lambda file, block: True, *, body_only: bool = False
) -> Callable[[DocxFile], Iterator[Place]]:
    """A finder of blocks of a kind that satisfy a condition."""

    def find(file: DocxFile) -> Iterator[Place]:
        for block in file.blocks:
            wanted = block.kind == kind and (not body_only or block.part == file.main) and not file.in_contents(block.element)
            if wanted and keep(file, block):
                yield Place(block.address, block.part, block.element, text_of(block.element), block)

    return find


def has_text(file: DocxFile, block: Block) -> bool:
    """Whether a reader sees text in a block."""
    return bool(text_of(block.element).strip())


SAMPLE = OperatorExample("a document with one of everything", sample_document)
BLANK = OperatorExample("an empty document", blank_document, applies=False)


def docx_operator(
    name: str,
    corruption_class: CorruptionClass,
    find: Callable[[DocxFile], Iterable[Place]],
    *,
    aspects: Sequence[str] = (),
    breaks: Sequence[str] = (),
    effect: str = "change",
    tags: Sequence[str] = (),
    examples: Sequence[OperatorExample] = (SAMPLE,),
) -> Callable[[Callable[[DocxFile, Place], str | None]], Operator]:
    """Make an operator on text documents."""
    return place_operator(
        DocxFile, ("docx",), name, corruption_class, find, aspects=aspects, breaks=breaks, effect=effect, tags=tags, examples=examples
    )
