"""What stands above the slides: size and settings, sections, shows, table styles, authors."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import partial

from lxml import etree

from docops.core.codes import Aspect
from docops.core.node import Align, Node
from docops.formats.ooxml.drawing import A, Colours, emu
from docops.formats.ooxml.markup import Markup
from docops.formats.pptx.comments import author_parts, read_comments
from docops.formats.pptx.deck import P14, Deck, P, R
from docops.formats.pptx.nodes import Facts
from docops.formats.pptx.shapes import walk_shapes

#: Attributes of `p:presentation` at the value that means their absence; "" where any value means nothing.
_DEFAULTS = {
    "serverZoom": "", "firstSlideNum": "1", "showSpecialPlsOnTitleSld": "1", "rtl": "0", "removePersonalInfoOnSave": "0", "compatMode": "0",
    "strictFirstAndLastChars": "1", "embedTrueTypeFonts": "0", "saveSubsetFonts": "", "autoCompressPictures": "1", "bookmarkIdSeed": "",
    "conformance": "",
}  # fmt: skip
_MODELLED = frozenset(f"{P}{name}" for name in ("sldMasterIdLst", "notesMasterIdLst", "handoutMasterIdLst", "sldIdLst", "sldSz", "notesSz", "custShowLst"))


@dataclass(frozen=True, slots=True)
class Section:
    """A section of the slide list: its name, which of equal names, and the slides in it by part name."""

    name: str
    ordinal: int | None
    slides: frozenset[str]


def sections(deck: Deck) -> list[Section]:
    """The sections in their order."""
    by_id = {}
    for element in deck.root.iterfind(f"{P}sldIdLst/{P}sldId"):
        part = deck.part.target(element.get(f"{R}id"))
        if part is not None:
            by_id[element.get("id") or ""] = part.name
    found = list(deck.root.iter(f"{P14}section"))
    names = [element.get("name") or "" for element in found]
    out = []
    for position, element in enumerate(found):
        name = names[position]
        ordinal = names[: position + 1].count(name) if names.count(name) > 1 else None
        slides = frozenset(by_id[entry.get("id") or ""] for entry in element.iter(f"{P14}sldId") if entry.get("id") in by_id)
        out.append(Section(name, ordinal, slides))
    return out


def section_nodes(deck: Deck) -> list[Node]:
    """The sections as nodes; which slides they hold is told at the slides."""
    return [
        Node(
            None, "section", name=section.name, ordinal=section.ordinal, number=number, align=Align.ORDERED_KEY,
            key=f"{deck.section_identity(section.name)} {section.ordinal or ''}", facts={(Aspect.LAYOUT, "name"): section.name},
        )
        for number, section in enumerate(sections(deck), 1)
    ]  # fmt: skip


def held_in(deck: Deck) -> dict[str, str]:
    """Slide part → the section that it stands in, as it is compared."""
    return {name: deck.section_identity(section.name) for section in sections(deck) for name in section.slides}


def show_nodes(deck: Deck) -> list[Node]:
    """Custom shows."""
    out = []
    for element in deck.root.iterfind(f"{P}custShowLst/{P}custShow"):
        targets = (deck.part.target(entry.get(f"{R}id")) for entry in element.iter(f"{P}sld"))
        slides = [deck.slide_identity(part.name) if part is not None else "no slide" for part in targets]
        out.append(Node(None, "show", name=element.get("name") or "", facts={(Aspect.STRUCTURE, "slides"): slides}, align=Align.KEY))
    return out


def presentation_node(deck: Deck) -> Node:
    """Size, settings and text defaults of the whole presentation."""

    def facts() -> Facts:
        root = deck.root
        markup = deck_markup(deck)
        out: Facts = {(Aspect.GEOMETRY, "slide_size"): list(deck.size)}
        size = root.find(f"{P}sldSz")
        if size is not None and size.get("type") not in {None, "custom"}:
            out[Aspect.GEOMETRY, "slide_size_type"] = size.get("type")
        notes = root.find(f"{P}notesSz")
        if notes is not None:
            out[Aspect.GEOMETRY, "notes_size"] = [emu(notes.get("cx")), emu(notes.get("cy"))]
        for raw_name, raw_value in root.attrib.items():
            name, value = str(raw_name), {"true": "1", "false": "0"}.get(str(raw_value), str(raw_value))
            if not name.startswith("{") and _DEFAULTS.get(name) not in {value, ""}:
                out[Aspect.LAYOUT, name] = value
        for child in root:
            local = child.tag.rpartition("}")[2]
            if child.tag in _MODELLED:
                continue
            if local == "defaultTextStyle":
                for level in child:
                    text = markup.rest(level, deck.part)
                    if text:
                        out[Aspect.FORMAT, f"default_style {level.tag.rpartition('}')[2]}"] = text
                continue
            skip = list(child.iter(f"{P14}sectionLst"))
            text = markup.rest(child, deck.part, skip=skip)
            if text:
                aspect = Aspect.PROTECTION if local == "modifyVerifier" else Aspect.METADATA if local == "custDataLst" else Aspect.RAW
                out[aspect, local] = text
        if not deck.part.related("theme"):
            out[Aspect.RAW, "own theme"] = "missing"
        if root.find(f"{P}sldMasterIdLst/{P}sldMasterId") is None:
            out[Aspect.RAW, "list of masters"] = "missing"
        properties = next(iter(deck.part.related("presProps")), None)
        for child in properties.xml if properties is not None else ():
            text = markup.rest(child, properties or deck.part)
            if text:
                out[Aspect.RAW, f"show {child.tag.rpartition('}')[2]}"] = text
        styles = next(iter(deck.part.related("tableStyles")), None)
        if styles is not None and styles.xml.get("def"):
            out[Aspect.FORMAT, "default_table_style"] = styles.xml.get("def")
        return out

    return Node(None, "presentation", facts=facts, align=Align.KEY)


def deck_markup(deck: Deck) -> Markup:
    """Canonical XML in the colours of the first master."""
    if deck.masters:
        return deck.masters[0].markup
    return Markup(deck.package, deck.rules, deck.known, colours=Colours())


def table_style_nodes(deck: Deck) -> list[Node]:
    """Table styles that the file holds, by id."""
    part = next(iter(deck.part.related("tableStyles")), None)
    if part is None:
        return []
    markup = deck_markup(deck)
    out = []
    names: set[str] = set()
    for style in part.xml.iterfind(f"{A}tblStyle"):
        name = style.get("styleName") or style.get("styleId") or ""
        if name in names:
            name = f"{name} {style.get('styleId') or ''}"
        names.add(name)
        facts: Facts = {(Aspect.FORMAT, child.tag.rpartition("}")[2]): markup.element(child, part) for child in style if isinstance(child.tag, str)}
        identifier = style.get("styleId") or ""
        users = partial(_table_users, deck, identifier)
        out.append(Node(None, "table_style", name=name, facts={(Aspect.FORMAT, "id"): identifier, **facts}, align=Align.KEY, users=users))
    return out


def _table_users(deck: Deck, identifier: str) -> frozenset[str]:
    """The tables that use a style."""
    shapes = (shape for sheet in deck.slides for shape in walk_shapes(sheet.shapes))
    return frozenset(shape.address for shape in shapes if shape.table is not None and shape.table.style_id == identifier)


def author_nodes(deck: Deck) -> list[Node]:
    """Who comments; ids, counters and colours mean nothing."""
    out: list[Node] = []
    seen: set[str] = set()
    for part in author_parts(deck):
        for element in part.xml:
            name = element.get("name") or ""
            if name in seen:
                continue
            seen.add(name)
            facts: Facts = {(Aspect.METADATA, "initials"): element.get("initials") or ""}
            for attribute in ("userId", "providerId"):
                if element.get(attribute):
                    facts[Aspect.METADATA, attribute] = element.get(attribute)
            out.append(Node(None, "author", name=name, facts=facts, align=Align.KEY, users=partial(_comments_by, deck, name)))
    return out


def _comments_by(deck: Deck, author: str) -> frozenset[str]:
    """The comments that somebody wrote."""
    found = ((sheet, number, comment) for sheet in deck.slides for number, comment in enumerate(read_comments(sheet), 1))
    return frozenset(f"{sheet.address}/comment[{number}]" for sheet, number, comment in found if comment.author == author)


def style_digest(deck: Deck) -> str:
    """Digest of the text defaults and table styles that slides depend on."""
    hasher = hashlib.blake2b(digest_size=16)
    defaults = deck.root.find(f"{P}defaultTextStyle")
    hasher.update(etree.tostring(defaults, method="c14n") if defaults is not None else b"")
    for part in deck.part.related("tableStyles"):
        hasher.update(part.digest.encode())
    return hasher.hexdigest()


def context_digest(deck: Deck) -> str:
    """Digest of what of the presentation the facts of its slides depend on: styles, and who comments."""
    return " ".join([style_digest(deck.styles), *(part.digest for part in author_parts(deck))])
