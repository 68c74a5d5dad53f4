"""Paragraph nodes: text, effective formatting, list, marks; runs, fields, links and inline controls inside."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lxml import etree

from docops.core.codes import Aspect
from docops.core.node import Node, Value
from docops.formats.docx.content import Content, Control, Link, Piece, link_facts
from docops.formats.docx.controls import control_facts
from docops.formats.docx.fields import Field, form_facts
from docops.formats.docx.names import ID, PPR, RPR, VAL, R, W, number
from docops.formats.docx.numbering import level_format, level_text
from docops.formats.docx.sections import paragraph_lookup
from docops.formats.docx.story import Story
from docops.formats.docx.styles import Properties, Style, TableLook, beside

Facts = dict[tuple[Aspect, str], Value]


def paragraph_node(parent: Node, story: Story, element: etree._Element, index: int, wrappers: Sequence[etree._Element]) -> Node:
    """The node of one paragraph; everything about it is read at first use."""
    style = story.style_of(element)
    table = story.table_look(element)

    def fingerprint() -> str:
        opened = story.scan.open_at.get(element, ())
        extra = "|".join(f"{one.instruction} {in_result}" for one, in_result in opened)
        if element in story.list_starts:
            extra += "|start"
        for wrapper in wrappers:
            extra += f"|{_wrapper_text(wrapper, story)}"
        if table is not None:
            extra += f"|{table}"
        return story.fingerprint(element, extra)

    node = Node(
        parent,
        "paragraph",
        number=index,
        facts=lambda: paragraph_facts(story, element, wrappers),
        fingerprint=fingerprint,
        depends=style_addresses(story, style, table),
        own=lambda: story.digest(element),
    )
    node.lookup = paragraph_lookup(node, ())
    node._children = lambda: paragraph_children(node, story, element)
    return node


def style_addresses(story: Story, style: Style | None, table: TableLook | None) -> tuple[str, ...]:
    """Addresses of what gives a paragraph of a style its formatting."""
    from docops.core.address import format_segment

    styles = story.shared.styles
    cache = styles.address_cache
    key = (style.id if style is not None else "", table.style if table is not None else "")
    if key not in cache:
        chain = (*reversed(styles.chain(style)), *reversed(styles.chain(styles.by_id.get(key[1]))))
        cache[key] = (*(format_segment("style", one.name) for one in chain), "style[Document defaults]", "theme")
    return cache[key]


def paragraph_facts(story: Story, element: etree._Element, wrappers: Sequence[etree._Element]) -> Facts:
    """The facts of a paragraph itself."""
    content = story.content(element)
    out: Facts = {}
    if content.inside is not None and not content.fields:
        out[Aspect.FIELD, "result of"] = content.inside.kind
        out[Aspect.TEXT, "text"] = content.text()
        return out
    styles = story.shared.styles
    style = story.style_of(element)
    p_pr = element.find(PPR)
    out[Aspect.TEXT, "text"] = content.text()
    if style is not None:
        out[Aspect.FORMAT, "style"] = style.name
    num_id, ilvl = story.list_of(element, style)
    level = story.shared.numbering.level(num_id, ilvl) if num_id is not None else None
    heading = heading_level(story, element, style)
    if heading is not None:
        out[Aspect.STRUCTURE, "heading level"] = heading
    if num_id is not None:
        out.update(list_facts(story, element, num_id, ilvl, level))
    table = story.table_look(element)
    for name, value in styles.paragraph(style, p_pr, level, table).items():
        out[Aspect.FORMAT, name] = value
    if p_pr is not None:
        out.update(_own_facts(story, style, p_pr, table))
    out.update(_mark_facts(story, style, content, table))
    for wrapper in wrappers:
        text = _wrapper_text(wrapper, story)
        if text:
            out[Aspect.RAW, "wrapped in"] = text
    return out


def heading_level(story: Story, element: etree._Element, style: Style | None) -> int | None:
    """1 to 9 for a heading: by its own outline level, else by its style."""
    p_pr = element.find(PPR)
    outline = p_pr.find(W + "outlineLvl") if p_pr is not None else None
    if outline is not None:
        level = number(outline.get(VAL))
        return level + 1 if level is not None and 0 <= level <= 8 else None
    return story.shared.styles.style_heading(style)


def list_facts(story: Story, element: etree._Element, num_id: str, ilvl: int, level: etree._Element | None) -> Facts:
    """In what kind of list a paragraph is, at which level, and whether the list begins with it."""
    numbering = story.shared.numbering
    fmt = level_format(level)
    out: Facts = {(Aspect.STRUCTURE, "list"): f"{fmt} level {ilvl + 1}"}
    if element in story.list_starts:
        out[Aspect.STRUCTURE, "list begins"] = True if fmt == "bullet" else numbering.start(num_id, ilvl)
    if level is not None:
        out[Aspect.FORMAT, "list label"] = level_text(level)
        skip = [child for child in level if child.tag in {W + "numFmt", W + "lvlText", W + "start", W + "pStyle", PPR}]
        part = numbering.part
        if part is not None:
            styles = story.shared.styles
            r_pr = level.find(RPR)
            if r_pr is not None:
                skip.append(r_pr)
                out[Aspect.FORMAT, "list label format"] = beside(styles.run(None, r_pr), styles.run(None, None))
            out[Aspect.FORMAT, "list label layout"] = story.shared.level_layout(level, skip)
    return out


def _own_facts(story: Story, style: Style | None, p_pr: etree._Element, table: TableLook | None) -> Facts:
    out: Facts = {}
    p_style = p_pr.find(W + "pStyle")
    if p_style is not None and (style is None or p_style.get(VAL) != style.id):
        out[Aspect.RAW, "missing style"] = p_style.get(VAL)
    section = p_pr.find(W + "sectPr")
    if section is not None:
        kind = section.find(W + "type")
        out[Aspect.STRUCTURE, "section break"] = (kind.get(VAL) if kind is not None else None) or "nextPage"
    mark = p_pr.find(RPR)
    if mark is not None:
        styles = story.shared.styles
        differs = beside(styles.run(style, mark, table), styles.run(style, None, table))
        if differs:
            out[Aspect.FORMAT, "paragraph mark"] = differs
    return out


def _mark_facts(story: Story, style: Style | None, content: Content, table: TableLook | None) -> Facts:
    out: Facts = {}
    if content.mark_looks:
        plain = story.shared.styles.run(style, None, table)
        looks: list[Value] = []
        for kind, r_pr in content.mark_looks:
            if kind != "comment":
                look = story.shared.styles.run(style, r_pr, table)
                looks.append([kind, beside(look, plain)])
        if looks:
            out[Aspect.FORMAT, "note mark format"] = looks
    notes = [f"{kind} at {offset}" for kind, offset, _, gone in content.note_marks if kind != "comment" and not gone]
    if notes:
        out[Aspect.NOTE, "note marks"] = notes
    if content.permissions:
        out[Aspect.PROTECTION, "permissions"] = [
            f"{_permission(story, element)} at {offset}" for element, offset in content.permissions
        ]
    wrapped = [f"{_wrapper_text(element, story)} {start}-{end}" for element, start, end in content.wrappers]
    if wrapped:
        out[Aspect.RAW, "wrapped text"] = wrapped
    if content.raw:
        out[Aspect.RAW, "other"] = [f"{story.canonical(element)} at {offset}" for element, offset in content.raw]
    return out


def _permission(story: Story, element: etree._Element) -> str:
    """A mark of an editable range; its id only ties it to the mark at the other end."""
    name = element.tag.rpartition("}")[2]
    words = [name, element.get(W + "edGrp") or element.get(W + "ed") or ""]
    other = story.root.iter(W + ("permEnd" if name == "permStart" else "permStart"))
    return " ".join(words if any(one.get(ID) == element.get(ID) for one in other) else [*words, "without its other end"])


def _wrapper_text(wrapper: etree._Element, story: Story) -> str:
    name = wrapper.tag.rpartition("}")[2]
    if name in {"ins", "del", "moveFrom", "moveTo", "AlternateContent"}:
        return ""
    properties = wrapper.find(f"{W}{name}Pr")
    words = [name, *(f"{str(key).rpartition('}')[2]}={value!s}" for key, value in sorted(wrapper.attrib.items()))]
    if properties is not None:
        words.append(story.canonical(properties))
    return " ".join(words)


def paragraph_children(parent: Node, story: Story, element: etree._Element) -> list[Node]:
    """Runs, fields, links and inline controls of a paragraph, in that order."""
    content = story.content(element)
    if content.inside is not None and not content.fields:
        return []
    look = look_of(story, element)
    out = list(run_nodes(parent, look, content, None))
    out += [_field_node(parent, one, offset, n) for n, (one, offset) in enumerate(content.fields, 1)]
    links = [link for link in content.links if not within_result(link)]
    out += [_link_node(parent, story, link, n) for n, link in enumerate(links, 1)]
    outer = [control for control in content.controls if control.outer is None]
    out += [_control_node(parent, look, content, control, n) for n, control in enumerate(outer, 1)]
    return out


def within_result(link: Link) -> bool:
    """Whether a link only exists in the derived result of a field (an entry of a table of contents)."""
    return bool(link.pieces) and all(piece.field is not None and piece.field.derived for piece in link.pieces)


@dataclass(frozen=True, slots=True)
class Look:
    """What the runs of one paragraph inherit: from its style, and from the style of the table around it."""

    story: Story
    style: Style | None
    table: TableLook | None

    def of(self, r_pr: etree._Element | None) -> Properties:
        """Effective formatting of a run."""
        return self.story.shared.styles.run(self.style, r_pr, self.table)


def look_of(story: Story, element: etree._Element) -> Look:
    """What the runs of a paragraph inherit."""
    return Look(story, story.style_of(element), story.table_look(element))


def run_nodes(parent: Node, look: Look, content: Content, control: Control | None) -> Iterator[Node]:
    """Maximal stretches of equal effective formatting of the text of a paragraph or of one control in it."""
    text: list[str] = []
    current: Properties | None = None
    count = 0
    for piece in content.pieces:
        if not piece.fact or piece.control is not control:
            continue
        properties = look.of(piece.r_pr)
        if current is not None and properties is not current and properties != current:
            count += 1
            yield _run_node(parent, count, "".join(text), current)
            text = []
        current = properties
        text.append(piece.text)
    if current is not None:
        yield _run_node(parent, count + 1, "".join(text), current)


def _run_node(parent: Node, index: int, text: str, properties: Properties) -> Node:
    facts: Facts = {(Aspect.FORMAT, name): value for name, value in properties.items()}
    facts[Aspect.FORMAT, "text"] = text
    return Node(parent, "run", number=index, facts=facts, label=text, depends=parent.depends, own=parent.own)


def _field_node(parent: Node, one: Field, offset: int, index: int) -> Node:
    def facts() -> Facts:
        out: Facts = {(Aspect.FIELD, "instruction"): one.instruction, (Aspect.LAYOUT, "offset"): offset}
        if one.locked:
            out[Aspect.PROTECTION, "locked"] = True
        if one.dirty:
            out[Aspect.LAYOUT, "update when opened"] = True
        if not one.closed:
            out[Aspect.FIELD, "end"] = "missing"
        if one.stray:
            out[Aspect.FIELD, "text before the result"] = one.stray
        if one.form is not None:
            out.update(form_facts(one.form))
        return out

    return Node(parent, "field", number=index, facts=facts, label=one.instruction)


def _link_node(parent: Node, story: Story, link: Link, index: int) -> Node:
    def facts() -> Facts:
        target = None
        if link.element is not None:
            rel = story.part.relationships.get(link.element.get(R + "id") or "")
            # Programs write a space of an address either way.
            target = rel.target.replace(" ", "%20") if rel is not None and rel.external else rel.target if rel is not None else None
        out: Facts = {(Aspect.LINK, name): value for name, value in link_facts(link, target).items()}
        out[Aspect.LINK, "text"] = "".join(piece.text for piece in link.pieces if piece.shown and not piece.gone and not piece.code)
        out[Aspect.LAYOUT, "offset"] = link.offset
        return out

    return Node(parent, "hyperlink", number=index, facts=facts)


def _control_node(parent: Node, look: Look, content: Content, control: Control, index: int) -> Node:
    def facts() -> Facts:
        out = control_facts(look.story, control.element)
        out[Aspect.TEXT, "text"] = content.text(control)
        out[Aspect.LAYOUT, "offset"] = control.offset
        return out

    node = Node(parent, "content_control", number=index, facts=facts, depends=parent.depends, own=parent.own)

    def children() -> list[Node]:
        inner = [one for one in content.controls if one.outer is control]
        return [
            *run_nodes(node, look, content, control),
            *(_control_node(node, look, content, one, n) for n, one in enumerate(inner, 1)),
        ]

    node._children = children
    return node


def is_deleted(element: etree._Element, content: Content) -> bool:
    """Whether tracked deletions take away all of a paragraph: its mark, and its text if it has any."""
    p_pr = element.find(PPR)
    mark = p_pr.find(RPR) if p_pr is not None else None
    gone = mark is not None and (mark.find(W + "del") is not None or mark.find(W + "moveFrom") is not None)
    stored = [piece for piece in content.pieces if piece.shown and not piece.code]
    if stored:
        return all(piece.gone for piece in stored)
    return gone


def is_hidden(look: Look, piece: Piece) -> bool:
    """Whether hidden-text formatting hides a piece."""
    return bool(look.of(piece.r_pr).get("hidden"))


def visible_text(story: Story, element: etree._Element) -> str:
    """What a reader sees of a paragraph's text, white space at the ends left out and runs of it made one."""
    content = story.content(element)
    look = look_of(story, element)
    shown = (piece.text for piece in content.pieces if piece.shown and not piece.gone and not piece.code and not is_hidden(look, piece))
    return " ".join("".join(shown).split())
