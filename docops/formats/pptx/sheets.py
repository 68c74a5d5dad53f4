"""Slides, notes pages, layouts and masters as nodes of the state tree."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from lxml import etree

from docops.core.address import quote
from docops.core.codes import Aspect
from docops.core.node import Align, Node
from docops.formats.ooxml.canonical import EXPLICIT_RELATIONSHIPS
from docops.formats.ooxml.drawing import A, fill_element
from docops.formats.ooxml.markup import Markup, boolean
from docops.formats.ooxml.package import Part, Relationship
from docops.formats.pptx.deck import Deck, P, Sheet, layout_name
from docops.formats.pptx.nodes import Facts, Layer, shape_node, written_text
from docops.formats.pptx.shapes import Shape

MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
#: Children of a sheet's root that are modelled apart from the remainder.
_MODELLED = frozenset(f"{P}{name}" for name in ("cSld", "clrMapOvr", "clrMap", "transition", "timing", "txStyles", "notesStyle", "sldLayoutIdLst"))
#: What stands in a text for a slide number or a date.
_FIELDS = re.compile("‹(?:#|date)›")
#: What the content type of a sheet's part ends with.
_CONTENT_TYPES = {
    "slide": "slide", "layout": "slideLayout", "master": "slideMaster", "notes": "notesSlide", "notes_master": "notesMaster",
    "handout_master": "handoutMaster",
}  # fmt: skip
_FLAGS = {"showMasterSp": "1", "showMasterPhAnim": "1", "userDrawn": "0", "preserve": "0", "type": ""}


def slide_node(sheet: Sheet, section: str | None, context: str) -> Node:
    """A slide with its shapes, background, transition, animation, notes and comments.

    section: the section it stands in, or None.   context: digest of what of the presentation its facts depend on.
    """
    layer = Layer("slide")

    def children() -> Sequence[Node]:
        nodes = _sheet_children(sheet, layer, _shape_fingerprint(sheet, context))
        if section is not None:
            address = f"section[{quote(section)}]"
            nodes.append(Node(sheet.address, "section", facts={(Aspect.LAYOUT, "section"): section}, align=Align.KEY, also=(address,), label=""))
        nodes += _comment_nodes(sheet)
        notes = sheet.deck.notes_of(sheet)
        if notes is not None:
            nodes.append(notes_node(notes))
        return nodes

    def label() -> str:
        return written_text(sheet.tree) if sheet.tree is not None else ""

    fingerprint = _combine(closure_digest(sheet), context, section or "")
    return Node(None, "slide", number=sheet.number, facts=lambda: _slide_facts(sheet), children=children, fingerprint=fingerprint, label=label)


def notes_node(sheet: Sheet) -> Node:
    """A notes page."""
    layer = Layer("notes")

    def facts() -> Facts:
        out = _root_facts(sheet)
        slides = [sheet.deck.slide_numbers.get(part.name) for part in sheet.part.related("slide")]
        if slides != [sheet.number]:
            out[Aspect.RAW, "slide"] = "not this slide"
        if not sheet.part.related("notesMaster"):
            out[Aspect.RAW, "notes master"] = "missing"
        return layer.file(out)

    def fingerprint() -> str | None:
        slides = sheet.part.related("slide")
        if len(slides) != 1:
            # Links to slides are compared by what they lead to.
            return None
        known = sheet.deck.slide_numbers.get(slides[0].name) == sheet.number
        return _combine(closure_digest(sheet), str(known), str(sheet.number + sheet.deck.first_number))

    return Node(
        sheet.address.rpartition("/")[0], "notes", facts=facts, children=lambda: _sheet_children(sheet, layer), align=Align.KEY, fingerprint=fingerprint
    )


def master_node(sheet: Sheet, layouts: Sequence[Sheet], theme: Node | None) -> Node:
    """A slide master with its layouts."""
    layer = Layer("master")

    def children() -> Sequence[Node]:
        nodes = _sheet_children(sheet, layer)
        nodes += [layout_node(layout) for layout in layouts]
        if theme is not None:
            nodes.append(theme)
        return nodes

    number = int(re.sub(r"\D", "", sheet.address))
    own_theme = sheet.deck.own_theme(sheet)
    fingerprint = _combine(closure_digest(sheet), own_theme.digest if own_theme is not None else "", *map(closure_digest, layouts))
    return Node(None, "master", number=number, facts=lambda: layer.file(_master_facts(sheet)), children=children, fingerprint=fingerprint)


def layout_node(sheet: Sheet) -> Node:
    """A layout."""
    container, _, _ = sheet.address.rpartition("/layout[")
    layer = Layer("layout")
    siblings = [other for other in sheet.deck.layouts.values() if other.address.startswith(f"{container}/")]
    names = [layout_name(other.part) for other in siblings]
    number = siblings.index(sheet) + 1
    name = names[number - 1]
    ordinal = names[:number].count(name) if names.count(name) > 1 else None

    def facts() -> Facts:
        out = _root_facts(sheet)
        out[Aspect.LAYOUT, "name"] = name
        master = next(iter(sheet.part.related("slideMaster")), None)
        if master is None or sheet.deck.known.get(master.name) != container:
            out[Aspect.LAYOUT, "master"] = sheet.deck.known.get(master.name) if master is not None else None
        return layer.file(out)

    return Node(
        container, "layout", name=name, ordinal=ordinal, number=number, facts=facts, children=lambda: _sheet_children(sheet, layer),
        align=Align.ORDERED_KEY, fingerprint=closure_digest(sheet),
    )  # fmt: skip


def other_master_node(sheet: Sheet, theme: Node | None) -> Node:
    """The master of notes pages or of handouts."""
    layer = Layer(sheet.role)

    def children() -> Sequence[Node]:
        return [*_sheet_children(sheet, layer), *([theme] if theme is not None else [])]

    own_theme = next(iter(sheet.part.related("theme")), None)
    fingerprint = _combine(closure_digest(sheet), own_theme.digest if own_theme is not None else "")

    def users() -> frozenset[str]:
        # The first notes page brings its master along.
        return frozenset(f"{slide.address}/notes" for slide in sheet.deck.slides if slide.part.related("notesSlide"))

    return Node(
        None, sheet.role, facts=lambda: layer.file(_master_facts(sheet)), children=children, align=Align.KEY, fingerprint=fingerprint,
        users=users if sheet.role == "notes_master" else None,
    )  # fmt: skip


def _sheet_children(sheet: Sheet, layer: Layer, fingerprint: Callable[[Shape], str] | None = None) -> list[Node]:
    nodes = [_background_node(sheet, layer)]
    nodes += [shape_node(shape, layer, fingerprint) for shape in sheet.shapes]
    for child in sheet.part.xml:
        if child.tag == f"{P}transition" or (child.tag == f"{MC}AlternateContent" and next(child.iter(f"{P}transition"), None) is not None):
            # Alternative content: what newer and what older programs play; which prefix it asks for means nothing.
            texts = [sheet.markup.rest(element, sheet.part) for element in child.iter(f"{P}transition")]
            text = " or ".join(dict.fromkeys(texts))
            if text:
                facts: Facts = {(Aspect.TRANSITION, "transition"): text}
                nodes.append(Node(sheet.address, "transition", facts=facts, align=Align.KEY, label=""))
        elif child.tag == f"{P}timing" or (child.tag == f"{MC}AlternateContent" and next(child.iter(f"{P}timing"), None) is not None):
            node = _animation_node(sheet, child)
            if node is not None:
                nodes.append(node)
    return nodes


# Roots --------------------------------------------------------------------------------------------------------------------


def _slide_facts(sheet: Sheet) -> Facts:
    facts = _root_facts(sheet)
    facts[Aspect.STRUCTURE, "hidden"] = not boolean(sheet.part.xml.get("show") or "1")
    facts[Aspect.LAYOUT, "layout"] = sheet.parent.address if sheet.parent is not None else "none"
    return facts


def _root_facts(sheet: Sheet) -> Facts:
    """Facts of a sheet's root, whatever kind of sheet it is; shapes, background, transition and timing left out."""
    facts: Facts = {}
    root, part, markup = sheet.part.xml, sheet.part, sheet.markup
    if not part.content_type.endswith(f"presentationml.{_CONTENT_TYPES[sheet.role]}+xml"):
        facts[Aspect.STRUCTURE, "content_type"] = part.content_type
    for raw_name, raw_value in root.attrib.items():
        name, value = str(raw_name), {"true": "1", "false": "0"}.get(str(raw_value), str(raw_value))
        if name.startswith(MC) or name in {"show", "conformance"} or _FLAGS.get(name) == value:
            continue
        facts[Aspect.LAYOUT, {"showMasterSp": "master_shapes", "type": "layout_type", "matchingName": "matching_name"}.get(name, name)] = value
    mapping = root.find(f"{P}clrMapOvr/{A}overrideClrMapping")
    if mapping is None:
        mapping = root.find(f"{P}clrMap")
    if mapping is not None:
        facts[Aspect.FORMAT, "colour_map"] = " ".join(f"{name!s}={value!s}" for name, value in sorted(mapping.items()))
    override = next(iter(part.related("themeOverride")), None)
    if override is not None:
        facts[Aspect.FORMAT, "theme_override"] = markup.part(override.name)
    for child in root:
        if child.tag in _MODELLED or (child.tag == f"{MC}AlternateContent" and _holds_modelled(child)):
            continue
        text = markup.rest(child, part)
        if text:
            facts[Aspect.RAW, child.tag.rpartition("}")[2]] = text
    slide = root.find(f"{P}cSld")
    for child in slide if slide is not None else ():
        local = child.tag.rpartition("}")[2]
        if local == "spTree":
            _tree_facts(sheet, child, facts)
        elif local == "custDataLst":
            facts[Aspect.METADATA, "tags"] = markup.element(child, part)
        elif local != "bg" and (text := markup.rest(child, part)):
            facts[Aspect.RAW, f"sheet {local}"] = text
    if slide is not None and slide.get("name") and sheet.role != "layout":
        facts[Aspect.LAYOUT, "name"] = slide.get("name")
    return facts


def _holds_modelled(element: etree._Element) -> bool:
    return next(element.iter(f"{P}transition", f"{P}timing"), None) is not None


def _tree_facts(sheet: Sheet, tree: etree._Element, facts: Facts) -> None:
    """What the invisible group around all shapes says: its name and place mean nothing."""
    markup, part = sheet.markup, sheet.part
    for child in tree:
        local = child.tag.rpartition("}")[2]
        text = ""
        if local == "nvGrpSpPr":
            skip = list(child.iter(f"{P}cNvPr"))
            text = markup.rest(child, part, skip=skip)
            text = "" if text in {"<p:nvGrpSpPr><p:cNvGrpSpPr></><p:nvPr></></>", "<p:nvGrpSpPr><p:nvPr></></>"} else text
            links = [found for item in skip for found in item if found.tag != f"{A}extLst"]
            text += "".join(markup.element(found, part) for found in links)
        elif local == "grpSpPr":
            text = markup.rest(child, part, skip=[xfrm for xfrm in child.findall(A + "xfrm") if _is_identity(xfrm)])
        elif local == "extLst":
            text = markup.rest(child, part)
        if text:
            facts[Aspect.RAW, f"tree {local}"] = text


def _is_identity(xfrm: etree._Element) -> bool:
    """Whether a group's frame changes nothing, as the frame around all shapes should not."""
    off, ext, inner_off, inner_ext = (xfrm.find(A + name) for name in ("off", "ext", "chOff", "chExt"))
    turned = any(xfrm.get(name) not in {None, "0", "false"} for name in ("rot", "flipH", "flipV"))
    return not turned and _items(off) == _items(inner_off) and _items(ext) == _items(inner_ext)


def _items(element: etree._Element | None) -> list[tuple[str, str]]:
    return sorted((str(name), str(value)) for name, value in element.items()) if element is not None else []


def _master_facts(sheet: Sheet) -> Facts:
    facts = _root_facts(sheet)
    root, part = sheet.part.xml, sheet.part
    for path in ("txStyles/titleStyle", "txStyles/bodyStyle", "txStyles/otherStyle", "notesStyle"):
        element = root.find("/".join(f"{P}{step}" for step in path.split("/")))
        name = path.rpartition("/")[2]
        for level in element if element is not None else ():
            text = sheet.markup.rest(level, part)
            if text:
                facts[Aspect.FORMAT, f"{name} {level.tag.rpartition('}')[2]}"] = text
    if not part.related("theme"):
        # Colours then come from the presentation's theme; programs call the file damaged.
        facts[Aspect.RAW, "own theme"] = "missing"
    return facts


# Background, transition, animation ----------------------------------------------------------------------------------------


def background_of(sheet: Sheet) -> tuple[etree._Element, Sheet] | None:
    """The `p:bg` that holds for a sheet, its own or inherited."""
    current: Sheet | None = sheet
    while current is not None:
        element = current.part.xml.find(f"{P}cSld/{P}bg")
        if element is not None:
            return element, current
        current = current.parent
    return None


def _background_node(sheet: Sheet, layer: Layer) -> Node:
    def facts() -> Facts:
        found = background_of(sheet)
        if found is None:
            return {}
        element, owner = found
        out: Facts = {}
        properties = element.find(f"{P}bgPr")
        reference = element.find(f"{P}bgRef")
        if properties is not None:
            fill = fill_element(properties)
            out[Aspect.FORMAT, "fill"] = sheet.markup.fill(fill, owner.part) if fill is not None else "none"
            rest = sheet.markup.rest(properties, owner.part, skip=[item for item in (fill, *properties.findall(A + "effectLst")) if item is not None])
            effects = "".join(sheet.markup.rest(item, owner.part) for item in properties.findall(A + "effectLst"))
            if rest or effects:
                out[Aspect.FORMAT, "effects"] = rest + effects
        elif reference is not None:
            out[Aspect.FORMAT, "fill"] = f"theme background {reference.get('idx') or ''} {sheet.markup.held_colour(reference)}"
        mode = element.get("bwMode")
        if mode not in {None, "white"}:
            out[Aspect.FORMAT, "black_and_white"] = mode
        return out

    return Node(sheet.address, "background", facts=facts, align=Align.KEY, label="")


def _animation_node(sheet: Sheet, element: etree._Element) -> Node | None:
    if next(element.iter(f"{P}tgtEl", f"{P}bldP", f"{P}bldGraphic", f"{P}bldOleChart", f"{P}bldDgm", f"{P}bldSub"), None) is None:
        # What every program writes for a slide without animation.
        return None

    def facts() -> Facts:
        order: dict[str, str] = {}
        for node in element.iter(f"{P}cTn"):
            order.setdefault(node.get("id") or "", str(len(order) + 1))
        markup = _timing_markup(sheet, order)
        text = "".join(markup.element(timing, sheet.part) for timing in element.iter(f"{P}timing"))
        effects = [
            f"{node.get('presetClass')} {node.get('presetID') or ''} {node.get('nodeType') or ''}: {', '.join(_targets(sheet, node))}"
            for node in _effects(element)
        ]
        digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
        return {(Aspect.ANIMATION, "effects"): effects, (Aspect.ANIMATION, "timing"): digest}

    return Node(sheet.address, "animation", facts=facts, align=Align.KEY, label="")


def _timing_markup(sheet: Sheet, order: Mapping[str, str]) -> Markup:
    """Canonical XML of animations: shapes by their paths, time nodes by the numbers that `order` gives their ids."""
    names = sheet.shape_names

    def normalise(tag: str, name: str, value: str) -> str:
        if name == "spid":
            return names.get(value, "no shape")
        if name == "id" and tag == f"{P}cTn":
            return ""
        if name == "val" and tag == f"{P}tn":
            return order.get(value, "")
        return {"true": "1", "false": "0"}.get(value, value)

    deck = sheet.deck
    return Markup(deck.package, replace(deck.rules, normalise=normalise), deck.known, colours=sheet.colours)


def _effects(element: etree._Element) -> list[etree._Element]:
    """The time nodes that are effects, as people choose them."""
    return [node for node in element.iter(f"{P}cTn") if node.get("presetClass")]


def _targets(sheet: Sheet, element: etree._Element) -> list[str]:
    """Paths of the shapes that a time node moves, shows or hides."""
    return list(dict.fromkeys(sheet.shape_names.get(target.get("spid") or "", "no shape") for target in element.iter(f"{P}spTgt")))


def effects_of(sheet: Sheet) -> tuple[list[str], list[tuple[list[str], str]]]:
    """The shapes that the animations of a slide have to do with; its effects in order, each with its shapes and what it does."""
    root = sheet.part.xml
    markup = _timing_markup(sheet, {})
    return _targets(sheet, root), [(_targets(sheet, node), markup.element(node, sheet.part)) for node in _effects(root)]


def is_blank_notes(sheet: Sheet) -> bool:
    """Whether a notes page holds nothing but the empty places that its master gives it."""
    return all(
        shape.placeholder is not None and shape.local == "sp" and not any(_FIELDS.sub("", paragraph.text).strip() for paragraph in shape.paragraphs)
        for shape in sheet.shapes
    )


# Comments -----------------------------------------------------------------------------------------------------------------


def _comment_nodes(sheet: Sheet) -> list[Node]:
    from docops.formats.pptx.comments import read_comments

    nodes = []
    for number, comment in enumerate(read_comments(sheet), 1):
        nodes.append(Node(sheet.address, "comment", number=number, facts=comment.facts(), label=comment.text))
    return nodes


# Fingerprints -------------------------------------------------------------------------------------------------------------


def same_xml_digest(sheet: Sheet) -> str:
    """Digest of a slide by its XML, so that another serialisation of the same gives the same; see `closure_digest`."""
    deck = sheet.deck
    inherited = closure_digest(sheet.parent) if sheet.parent is not None else ""
    return _combine(_closure(deck, sheet.part, {}, _xml_digest), inherited)


def _xml_digest(part: Part) -> str:
    """Digest of a part's exclusive canonical XML without white space between elements; of its bytes where it is none."""
    if not part.is_xml:
        return part.digest
    try:
        root = etree.fromstring(part.data, etree.XMLParser(resolve_entities=False, no_network=True, remove_blank_text=True, remove_comments=True, remove_pis=True))
        return hashlib.blake2b(etree.tostring(root, method="c14n", exclusive=True), digest_size=16).hexdigest()
    except (etree.LxmlError, ValueError):
        return part.digest


def closure_digest(sheet: Sheet) -> str:
    """Digest of the bytes of a sheet and of all it is made of, and of what it inherits from; other slides by number only."""
    deck = sheet.deck
    own = _closure(deck, sheet.part, deck.closures, _part_digest)
    if sheet.parent is not None:
        return _combine(own, closure_digest(sheet.parent))
    theme = deck.theme_of(sheet)
    return _combine(own, theme.digest if theme is not None else "")


def _closure(deck: Deck, part: Part, known: dict[str, str], digest: Callable[[Part], str]) -> str:
    cached = known.get(part.name)
    if cached is not None:
        return cached
    # What a circle of parts comes back to is in the digest already.
    known[part.name] = "circle"
    hasher = hashlib.blake2b(digest(part).encode(), digest_size=16)
    for rel in part.relationships.values():
        hasher.update(f"\n{rel.id} {rel.full_type} {_relationship(deck, part, rel, known, digest)}".encode("utf-8", "surrogatepass"))
    found = known[part.name] = hasher.hexdigest()
    return found


def _relationship(deck: Deck, part: Part, rel: Relationship, known: dict[str, str], digest: Callable[[Part], str]) -> str:
    """What a relationship leads to."""
    target = deck.package.parts.get(rel.target)
    if rel.external or target is None:
        return f"{rel.external} {rel.target}"
    if rel.type == "slide":
        return deck.slide_identity(rel.target) if rel.target in deck.slide_numbers and not _is_notes(part) else ""
    if rel.type == "slideLayout" and not _is_master(part):
        # Which layout it is; what the layout holds is the parent's digest.
        return deck.known.get(target.name, "")
    return "" if rel.type in _INHERITED else f"{target.content_type} {_closure(deck, target, known, digest)}"


def _shape_fingerprint(sheet: Sheet, context: str) -> Callable[[Shape], str]:
    """What gives a shape of a slide the digest of its bytes and of all that its facts depend on.

    context: digest of what of the presentation the slide's facts depend on.
    """
    deck = sheet.deck
    around: list[str] = []

    def shared() -> str:
        if not around:
            mapping = sheet.part.xml.find(f"{P}clrMapOvr")
            mapped = etree.tostring(mapping).decode() if mapping is not None else ""
            rels = [rel for rel in sheet.part.relationships.values() if rel.type not in EXPLICIT_RELATIONSHIPS | _OF_OTHERS]
            led = [f"{rel.id} {rel.full_type} {_relationship(deck, sheet.part, rel, deck.closures, _part_digest)}" for rel in rels]
            parent = closure_digest(sheet.parent) if sheet.parent is not None else ""
            around.append(_combine(context, parent, mapped, *led))
        return around[0]

    def fingerprint(shape: Shape) -> str:
        written = etree.tostring(shape.element, with_tail=False)
        if shape.wrapper is not None:
            written += etree.tostring(shape.wrapper, with_tail=False)
        named = [
            f"{rel.id} {rel.full_type} {_relationship(deck, sheet.part, rel, deck.closures, _part_digest)}"
            for rel in sheet.part.relationships.values()
            if rel.type in EXPLICIT_RELATIONSHIPS and f'"{rel.id}"'.encode("utf-8", "surrogatepass") in written
        ]
        number = str(sheet.number + deck.first_number) if b"slidenum" in written else ""
        names = str(sorted(sheet.shape_names.items())) if b"Cxn" in written else ""
        return _combine(shared(), written.decode("utf-8", "surrogatepass"), number, names, *named)

    return fingerprint


def _part_digest(part: Part) -> str:
    return part.digest


#: What a slide leads to that no shape's facts depend on (its layout's are the parent's digest).
_OF_OTHERS = frozenset({"slideLayout", "notesSlide", "comments"})
_INHERITED = frozenset({"slideLayout", "slideMaster", "notesMaster", "theme"})


def _is_master(part: Part) -> bool:
    return part.content_type.endswith("slideMaster+xml")


def _is_notes(part: Part) -> bool:
    return part.content_type.endswith("notesSlide+xml")


def _combine(*texts: str) -> str:
    return hashlib.blake2b("\n".join(texts).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
