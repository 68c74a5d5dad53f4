"""Page nodes: boxes and rotation, blocks of text, images, fonts, annotations, and a digest of everything else that is painted."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from docops.core.codes import Aspect
from docops.core.node import Align, Node
from docops.formats.pdf.annotations import Facts, additional_actions, annotation_node, plain
from docops.formats.pdf.graphics import Picture, short
from docops.formats.pdf.layout import Block
from docops.formats.pdf.model import fragment_text
from docops.formats.pdf.reading import Object, Page
from docops.formats.pdf.visibility import BY_ANNOTATION

if TYPE_CHECKING:
    from docops.formats.pdf.model import Model

#: Keys that page facts say in their own words, or that no reader could miss (docs/facts-pdf.md).
_MODELLED = frozenset(
    {"Type", "Parent", "Resources", "MediaBox", "CropBox", "BleedBox", "TrimBox", "ArtBox", "Rotate", "UserUnit", "Contents", "Annots", "LastModified", "Thumb"}
)
_DEFAULTS: dict[str, Object] = {"Trans": {}}
_BOXES = (("media_box", "MediaBox"), ("crop_box", "CropBox"), ("bleed_box", "BleedBox"), ("trim_box", "TrimBox"), ("art_box", "ArtBox"))


def page_node(model: Model, root: Node, page: Page) -> Node:
    """The node of one page; nothing is interpreted before it is asked for."""
    node = Node(root, "page", number=page.index + 1, facts=lambda: page_facts(model, page), align=Align.CONTENT)
    node._children = lambda: page_children(model, node, page)
    return node


def page_facts(model: Model, page: Page) -> Facts:
    """What the page itself states."""
    objects, canonical = model.objects, model.canonical
    facts: Facts = {}
    if "Broken" in page.dict:
        return {(Aspect.RAW, "unreadable"): canonical.value(page.dict["Broken"])}
    media, crop = model.box(page, "MediaBox"), model.box(page, "CropBox", clipped=False)
    facts[Aspect.GEOMETRY, "media_box"] = [plain(value) for value in media]
    facts[Aspect.GEOMETRY, "crop_box"] = [plain(value) for value in crop]
    for name, key in _BOXES[2:]:
        box = model.box(page, key, clipped=False)
        if box != crop:
            facts[Aspect.GEOMETRY, name] = [plain(value) for value in box]
    for name, key in _BOXES:
        stated = page.effective(key) if key in {"MediaBox", "CropBox"} else page.dict.get(key)
        if stated is not None or key == "MediaBox":
            numbers = objects.numbers_at(stated)
            if numbers is None or len(numbers) != 4:  # readers take some size of their own
                facts[Aspect.GEOMETRY, name] = canonical.value(stated)
    facts[Aspect.GEOMETRY, "rotation"] = rotation(model, page)
    unit = objects.at(page.dict, "UserUnit")
    if isinstance(unit, int | float) and unit != 1:
        facts[Aspect.GEOMETRY, "user_unit"] = plain(unit)
    content = model.page_content(page)
    facts[Aspect.RAW, "drawing"] = f"{len(content.content.drawing)} {short(*content.content.drawing)}" if content.content.drawing else "nothing"
    if content.unreadable:
        facts[Aspect.RAW, "unreadable"] = list(content.unreadable)
    if objects.at(page.dict, "Type") != "Page":
        facts[Aspect.RAW, "Type"] = canonical.value(page.dict.get("Type"))
    elements = structure_parents(model, page)
    if elements is not None:
        facts[Aspect.RAW, "structure_parents"] = elements
    annots = objects.get(page.dict.get("Annots"))
    if annots is not None and not isinstance(annots, list):
        facts[Aspect.RAW, "Annots"] = canonical.value(annots)
    for key in sorted(set(page.dict) - _MODELLED):
        value = objects.get(page.dict[key])
        if key in _DEFAULTS and value == _DEFAULTS[key]:
            continue
        if key == "Trans":
            facts[Aspect.TRANSITION, "transition"] = canonical.value(value)
        elif key == "AA":
            facts[Aspect.CODE, "actions"] = additional_actions(model, value)
        else:
            facts[Aspect.RAW, key] = canonical.value(page.dict[key], skip={"LastModified"})
    return facts


def structure_parents(model: Model, page: Page) -> str | None:
    """Digest of the structure elements that the page's marks lead to, by their types; None where the page names none."""
    key = model.objects.get(page.dict.get("StructParents"))
    if not isinstance(key, int):
        return None
    entry = model.objects.get(model.parent_tree.get(key))
    if not isinstance(entry, list):
        return "nothing"
    return f"{len(entry)} {short(*(model.objects.text_at(item, 'S') or 'none' for item in entry))}"


def rotation(model: Model, page: Page) -> int:
    """Clockwise degrees a page is turned by, 0 to 270."""
    value = model.objects.get(page.effective("Rotate"))
    return int(value) % 360 if isinstance(value, int | float) else 0


def page_children(model: Model, node: Node, page: Page) -> Sequence[Node]:
    """Text blocks, images, fonts and annotations of a page."""
    content = model.page_content(page)
    texts = [text_node(node, number, block) for number, block in enumerate(content.blocks, 1)]
    images = [image_node(model, node, number, picture) for number, picture in enumerate(content.content.pictures, 1)]
    users: dict[tuple[str, str], set[str]] = {
        (name, model.canonical.digest(font.dict)): set() for name, known in content.content.fonts.items() for font in known
    }
    for text, block in zip(texts, content.blocks, strict=True):
        for fragment in block.fragments:
            if fragment.font is not None:
                users[fragment.font.name, model.canonical.digest(fragment.font.dict)].add(text.address)
    fonts = []
    names: dict[str, int] = {}
    for (name, digest), where in sorted(users.items()):
        names[name] = names.get(name, 0) + 1
        if where:
            fonts.append(
                Node(
                    node,
                    "font",
                    name=name or "unnamed",
                    ordinal=names[name] if names[name] > 1 else None,
                    align=Align.KEY,
                    key=f"{name} {digest}",
                    facts={(Aspect.RAW, "font"): digest},
                    users=partial(frozenset, where),
                )
            )
    annotations = [annotation_node(model, node, page, annotation) for annotation in model.annotations(page)]
    return [*texts, *images, *annotations, *fonts]


def text_node(parent: Node, number: int, block: Block) -> Node:
    """One block of text: its characters, where it stands and how it looks."""
    return Node(parent, "text", number=number, facts=lambda: text_facts(block))


def text_facts(block: Block) -> Facts:
    """Facts of one block of text."""
    pieces = block.pieces()
    fragments = block.fragments
    first = block.lines[0]
    facts: Facts = {
        (Aspect.TEXT, "text"): "".join(piece.text for piece in pieces),
        (Aspect.GEOMETRY, "position"): [plain(value) for value in first.fragments[0].start],
        (Aspect.FORMAT, "font"): "; ".join(dict.fromkeys(f"{f.font.name if f.font else 'no font'} {plain(f.size)}" for f in fragments if f.text.strip())),
        (Aspect.FORMAT, "colour"): "; ".join(dict.fromkeys(f.colour.text for f in fragments if f.text.strip())),
        (Aspect.RAW, "layout"): short(*map(fragment_text, fragments)),
    }
    hidden = [piece for piece in pieces if piece.hidden not in {"", BY_ANNOTATION} and piece.text.strip()]
    if hidden:
        facts[Aspect.TEXT, "hidden"] = [f"{piece.text.strip()[:80]}: {piece.hidden}" for piece in hidden]
    actual = list(dict.fromkeys(fragment.actual for fragment in fragments if fragment.actual is not None))
    if actual:
        facts[Aspect.TEXT, "actual_text"] = [text for _, text in actual]
    return facts


def image_node(model: Model, parent: Node, number: int, picture: Picture) -> Node:
    """One image that the page paints."""
    facts: Facts = {
        (Aspect.MEDIA, "content"): f"{picture.pixels} {picture.content}",
        (Aspect.GEOMETRY, "box"): [plain(value) for value in picture.box],
        (Aspect.RAW, "placement"): short(*(f"{value:.2f}" for value in picture.matrix), picture.look),
    }
    if picture.hidden:
        facts[Aspect.MEDIA, "hidden"] = picture.hidden
    if picture.covered:
        facts[Aspect.MEDIA, "covered"] = picture.covered
    for key, value in sorted(picture.extra.items()):
        facts[Aspect.RAW, key] = model.canonical.value(value)
    return Node(parent, "image", number=number, facts=facts)


def page_fingerprint(model: Model, page: Page) -> str:
    """Digest of everything a page's facts are made from."""
    canonical = model.canonical
    parts = [canonical.digest({key: value for key, value in page.dict.items() if key not in {"Parent", "LastModified", "Thumb"}})]
    parts += [f"{key} {canonical.digest(value)}" for key, value in sorted(page.inherited.items()) if key not in page.dict]
    parts.append(str(structure_parents(model, page)))
    for annotation in model.annotations(page):
        entry = model.form.field_of(annotation.reference)
        if entry is not None:
            parts.append(f"{annotation.number} {entry.address}")
            parts += [canonical.digest({key: value for key, value in level.items() if key != "Kids"}) for level in entry.chain]
    if model.form.fields and len(parts) > 1:
        parts.append(canonical.digest({key: model.form.dict.get(key) for key in ("DA", "DR", "NeedAppearances")}))
    return short(*parts)


def page_identity(model: Model, page: Page) -> Facts:
    """What a page shows, annotations left out: what it is recognised by."""
    content = model.page_content(page)
    return {
        (Aspect.GEOMETRY, "size"): [plain(value) for value in model.box(page, "MediaBox")],
        (Aspect.RAW, "drawing"): short(*content.content.drawing),
        (Aspect.RAW, "fragments"): short(*map(fragment_text, content.content.fragments)),
        (Aspect.MEDIA, "images"): [f"{picture.content} {picture.box}" for picture in content.content.pictures],
        (Aspect.TEXT, "text"): "\n".join(block.text for block in content.blocks),
    }


