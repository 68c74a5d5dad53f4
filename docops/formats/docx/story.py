"""Stories (body, headers, notes, comments): the parts of a document that hold blocks, and what is known of each."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import cached_property

from lxml import etree

from docops.core.spans import Role
from docops.formats.docx.content import MATH, Content, chosen_branch, read_content
from docops.formats.docx.fields import FieldScan, scan_fields
from docops.formats.docx.names import ALTERNATE, FALLBACK, PPR, RULES, SDT, TBL, VAL, P, W, number
from docops.formats.docx.numbering import Numbering
from docops.formats.docx.styles import Style, Styles, TableLook
from docops.formats.docx.table_looks import TableLooks
from docops.formats.ooxml.canonical import Canonicaliser
from docops.formats.ooxml.common import media_identity
from docops.formats.ooxml.package import Package, Part

_WRAPPERS = frozenset({W + name for name in ("customXml", "smartTag", "ins", "del", "moveFrom", "moveTo")})
_HOLDERS = (W + "drawing", W + "pict", W + "object", *MATH)
BLOCKS = frozenset({P, TBL, SDT, W + "altChunk"})
#: Children of block containers that hold no content of their own.
NO_BLOCKS = frozenset(
    {W + name for name in ("sectPr", "tcPr", "sdtPr", "sdtEndPr", "bookmarkStart", "bookmarkEnd", "commentRangeStart", "commentRangeEnd", "proofErr", "permStart",
                           "permEnd", "moveFromRangeStart", "moveFromRangeEnd", "moveToRangeStart", "moveToRangeEnd", "customXmlPr", "smartTagPr", "tblPr",
                           "tblGrid", "trPr", "tblPrEx", "customXmlInsRangeStart", "customXmlInsRangeEnd", "customXmlDelRangeStart", "customXmlDelRangeEnd")}
)  # fmt: skip


class Shared:
    """What every story of a document needs: package, styles, lists, canonical form, the digest of all that formatting comes from."""

    def __init__(self, package: Package) -> None:
        self.package = package
        main = package.main
        self.main = main

        def related(kind: str) -> Part | None:
            return next(iter(main.related(kind)), None)

        self.styles_part = related("styles")
        self.numbering_part = related("numbering")
        self.settings_part = related("settings")
        self.theme_part = related("theme")
        self.canonical = Canonicaliser(package, RULES)
        self.numbering = Numbering(self.numbering_part)
        self.styles = Styles(package, self.styles_part, self.theme_part, self.numbering, self.canonical)
        self._style_lists: dict[str, tuple[str | None, int]] = {}
        self._level_layouts: dict[etree._Element, str] = {}

    @cached_property
    def formatting_digest(self) -> bytes:
        """Digest of the parts that formatting comes from; asked for late, since a document that is paired with its source
        takes over digests of parts that are equal."""
        digest = hashlib.blake2b(digest_size=16)
        for part in (self.styles_part, self.numbering_part, self.theme_part):
            digest.update((part.digest if part is not None else "-").encode())
        return digest.digest()

    def media(self, part: Part, relationship_id: str | None) -> str:
        """What stands for the picture or other binary that a relationship id names."""
        rel = part.relationships.get(relationship_id or "")
        if rel is not None and rel.external:
            return f"linked {rel.target}"
        return media_identity(part.target(relationship_id))

    def level_layout(self, level: etree._Element, skip: list[etree._Element]) -> str:
        """What else a list level says of its label, as canonical text."""
        if level not in self._level_layouts and self.numbering_part is not None:
            names = frozenset({W + "ilvl", W + "tplc", W + "tentative"})
            self._level_layouts[level] = self.canonical.element(level, self.numbering_part, skip=skip, skip_attributes=names)
        return self._level_layouts.get(level, "")

    def style_list(self, style: Style | None) -> tuple[str | None, int]:
        """The list that a paragraph style puts its paragraphs in."""
        if style is None:
            return None, 0
        if style.id not in self._style_lists:
            self._style_lists[style.id] = self.styles.list_reference(style)
        return self._style_lists[style.id]


class Story:
    """One part's content.

    root: the element whose children are the blocks (`w:body`, `w:hdr`, one `w:footnote`).   part: where it is stored.
    role: what its text is for.   hidden_by: why nothing of it is shown, else "".
    """

    def __init__(self, shared: Shared, part: Part, root: etree._Element, role: Role, hidden_by: str = "") -> None:
        self.shared = shared
        self.part = part
        self.root = root
        self.role = role
        self.hidden_by = hidden_by
        self._styles: dict[etree._Element, Style | None] = {}
        self._contents: dict[etree._Element, Content] = {}
        self.addresses: dict[etree._Element, str] = {}
        self.elements: dict[str, etree._Element] = {}
        self.tables: dict[str, etree._Element] = {}
        self.rows: dict[str, etree._Element] = {}
        self.cells: dict[str, etree._Element] = {}
        self.table_looks = TableLooks(shared.styles)

    @cached_property
    def scan(self) -> FieldScan:
        """The complex fields of the story."""
        return scan_fields(self.root)

    @cached_property
    def paragraphs(self) -> list[etree._Element]:
        """Every paragraph in reading order, those in tables and text boxes too; fallbacks left out."""
        skipped = {paragraph for fallback in self.root.iter(FALLBACK) for paragraph in fallback.iter(P)}
        return [paragraph for paragraph in self.root.iter(P) if paragraph not in skipped]

    @cached_property
    def paragraph_index(self) -> dict[etree._Element, int]:
        """Paragraph → its position in `paragraphs`."""
        return {paragraph: n for n, paragraph in enumerate(self.paragraphs)}

    @cached_property
    def holders(self) -> set[etree._Element]:
        """Paragraphs in which something is anchored: a drawing, a picture, an object, an equation."""
        out = set()
        for element in self.root.iter(*_HOLDERS):
            paragraph = paragraph_of(element)
            if paragraph is not None:
                out.add(paragraph)
        return out

    def note_paragraph(self, paragraph: etree._Element, address: str) -> None:
        """Remember which place a paragraph is."""
        self.addresses[paragraph] = address
        self.elements[address] = paragraph

    def content(self, paragraph: etree._Element) -> Content:
        """What a paragraph of the story holds, read once."""
        found = self._contents.get(paragraph)
        if found is None:
            found = self._contents[paragraph] = read_content(paragraph, self.scan)
        return found

    def table_look(self, element: etree._Element) -> TableLook | None:
        """What the style of the table around an element gives there, as far as it is state."""
        found = self.table_looks.of(element)
        return found.look if found is not None else None

    @cached_property
    def around_specials(self) -> set[etree._Element]:
        """Everything that holds a paragraph with which a list begins or in which a field is open."""
        out: set[etree._Element] = set()
        for paragraph in (*self.list_starts, *self.scan.open_at):
            for ancestor in paragraph.iterancestors():
                if ancestor in out:
                    break
                out.add(ancestor)
        return out

    def style_of(self, paragraph: etree._Element) -> Style | None:
        """The paragraph's style, the default one where it names none."""
        if paragraph not in self._styles:
            self._styles[paragraph] = self._read_style(paragraph)
        return self._styles[paragraph]

    def _read_style(self, paragraph: etree._Element) -> Style | None:
        p_pr = paragraph.find(PPR)
        p_style = p_pr.find(W + "pStyle") if p_pr is not None else None
        return self.shared.styles.style(p_style.get(VAL) if p_style is not None else None, "paragraph")

    def list_of(self, paragraph: etree._Element, style: Style | None) -> tuple[str | None, int]:
        """numId and level of a paragraph, by itself or by its style; None where it is in no list."""
        num_id, level = self.shared.style_list(style)
        p_pr = paragraph.find(PPR)
        num_pr = p_pr.find(W + "numPr") if p_pr is not None else None
        if num_pr is not None:
            num, ilvl = num_pr.find(W + "numId"), num_pr.find(W + "ilvl")
            if num is not None and num.get(VAL) is not None:
                if num.get(VAL) != num_id:
                    level = 0
                num_id = num.get(VAL)
            if ilvl is not None:
                level = number(ilvl.get(VAL)) or 0
        if num_id in {None, "0", ""} or num_id not in self.shared.numbering.nums:
            return None, 0
        return num_id, level

    @cached_property
    def list_starts(self) -> set[etree._Element]:
        """Paragraphs with which a list begins or starts again."""
        starts: set[etree._Element] = set()
        seen: set[str] = set()
        if not self.shared.numbering.nums:
            return starts
        for paragraph in self.paragraphs:
            num_id, _ = self.list_of(paragraph, self.style_of(paragraph))
            if num_id is not None:
                identity = self.shared.numbering.identity(num_id)
                if identity not in seen:
                    seen.add(identity)
                    starts.add(paragraph)
        return starts

    def canonical(self, element: etree._Element) -> str:
        """Canonical text of an element of this part."""
        return self.shared.canonical.element(element, self.part)

    def digest(self, element: etree._Element, skip: list[etree._Element] | None = None) -> str:
        """Short digest of the canonical text of an element of this part."""
        return self.shared.canonical.digest(element, self.part, skip=skip or ())

    @cached_property
    def base_digest(self) -> bytes:
        """Digest of what the meaning of this part's elements depends on besides themselves."""
        hasher = hashlib.blake2b(self.shared.formatting_digest, digest_size=16)
        hasher.update(self.role.encode())
        for rel in self.part.relationships.values():
            target = self.part.package.parts.get(rel.target) if not rel.external else None
            if rel.type in {"styles", "numbering", "theme", "settings", "header", "footer", "comments", "footnotes", "endnotes", "stylesWithEffects"}:
                continue
            hasher.update(f"{rel.id} {rel.type} {rel.target} {target.digest if target is not None else ''}\n".encode("utf-8", "surrogatepass"))
            if target is not None:
                for inner in target.relationships.values():
                    deeper = self.part.package.parts.get(inner.target) if not inner.external else None
                    hasher.update(f"{inner.id} {inner.target} {deeper.digest if deeper is not None else ''}\n".encode("utf-8", "surrogatepass"))
        return hasher.digest()

    def fingerprint(self, element: etree._Element, extra: str = "") -> str:
        """Digest of the bytes of an element and of all that its facts depend on."""
        hasher = hashlib.blake2b(self.base_digest, digest_size=16)
        hasher.update(etree.tostring(element, with_tail=False))
        if extra:
            hasher.update(extra.encode("utf-8", "surrogatepass"))
        return hasher.hexdigest()


def paragraph_of(element: etree._Element) -> etree._Element | None:
    """The paragraph that an element stands in, or is."""
    current: etree._Element | None = element
    while current is not None and current.tag != P:
        current = current.getparent()
    return current


def iter_blocks(container: etree._Element) -> Iterator[tuple[etree._Element, tuple[etree._Element, ...]]]:
    """The blocks of a container in order, through wrappers, each with the wrappers around it, the outermost first.

    Elements that are no known block come as they are.
    """
    for child in container:
        tag = child.tag
        if tag in BLOCKS:
            yield child, ()
        elif tag in _WRAPPERS:
            for block, wrappers in iter_blocks(child):
                yield block, (child, *wrappers)
        elif tag == ALTERNATE:
            branch = chosen_branch(child)
            if branch is not None:
                for block, wrappers in iter_blocks(branch):
                    yield block, (child, *wrappers)
        elif isinstance(tag, str) and tag not in NO_BLOCKS:
            yield child, ()
