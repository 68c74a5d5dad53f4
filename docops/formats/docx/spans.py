"""Every stored text of a docx in reading order, with its role and whether a reader sees it (docs/facts-docx.md)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml import etree

from docops.core.codes import Aspect
from docops.core.node import Node
from docops.core.spans import Role, TextSpan
from docops.formats.docx import controls
from docops.formats.docx.content import Anchored, Content, Control, Piece, chosen_branch, equation_text
from docops.formats.docx.document import DocxDocument
from docops.formats.docx.drawings import chart_part, covers, diagram_texts, kind_of, text_boxes, why_unseen
from docops.formats.docx.fields import RESULTLESS, Field
from docops.formats.docx.names import ALTERNATE, PPR, RPR, SDT, SDT_CONTENT, TBL, VAL, M, P, T, W, is_on, twips
from docops.formats.docx.paragraphs import Look, within_result
from docops.formats.docx.story import Story, iter_blocks
from docops.formats.docx.styles import Properties
from docops.formats.docx.table_grid import iter_cells, iter_rows
from docops.formats.docx.visibility import FLAT, UNKNOWN, amount, page_of, why_hidden, why_out_of_sight
from docops.formats.ooxml.package import Part


def document_spans(document: DocxDocument) -> Iterator[TextSpan]:
    """The spans of all stories in reading order, then names, settings, properties and parts."""
    nodes: dict[str, list[Node]] = {child.kind: [] for child in document.root.children}
    for child in document.root.children:
        nodes[child.kind].append(child)
    for kind in ("body", "header", "footer", "footnote", "endnote", "comment"):
        for node in nodes.get(kind, ()):
            story = document.stories[node.address]
            spans = _Blocks(story, story.hidden_by)
            yield from spans.blocks(node, story.root, "")
            if kind == "comment":
                for name in ("author", "initials"):
                    text = node.facts.get((Aspect.COMMENT, name))
                    if isinstance(text, str):
                        yield TextSpan(node.address, f"{node.address}#{name}", text, Role.METADATA, False, "name of the author")
    for kind, aspect_names in _NAMES.items():
        for node in nodes.get(kind, ()):
            yield from _name_spans(node, aspect_names)
    for part_node in nodes.get("part", ()):
        yield from _part_spans(document, part_node)


_NAMES: dict[str, tuple[tuple[Aspect, str], ...]] = {
    "bookmark": (), "revision": ((Aspect.REVISION, "author"),), "style": (), "setting": ((Aspect.METADATA, "value"), (Aspect.PROTECTION, "value"),
                                                                                       (Aspect.LAYOUT, "value"), (Aspect.REVISION, "value")),
    "property": ((Aspect.METADATA, "value"),),
}  # fmt: skip


def _name_spans(node: Node, wanted: tuple[tuple[Aspect, str], ...]) -> Iterator[TextSpan]:
    role = Role.METADATA if node.kind in {"property", "revision", "setting"} else Role.NAME
    if node.name is not None and node.kind != "setting":
        yield TextSpan(node.address, f"{node.address}#name", node.name, Role.NAME, False, "name")
    for key in wanted:
        value = node.facts.get(key)
        if isinstance(value, str) and value:
            yield TextSpan(node.address, node.address, value, role, False, "metadata")


def _part_spans(document: DocxDocument, node: Node) -> Iterator[TextSpan]:
    part: Part | None = document.package.parts.get(node.name or "")
    if part is None or not part.is_xml or _ANY_TEXT.search(part.markup) is None:
        return
    for n, text in enumerate(part.xml.itertext()):
        if text.strip():
            yield TextSpan(node.address, f"{node.address}#{n}", str(text), Role.METADATA, False, "not on a page")


#: Text between the tags of a part; most leftover parts hold none and need not be parsed for it.
_ANY_TEXT = re.compile(rb">\s*[^<\s]|<!\[CDATA\[")


class _Blocks:
    """Walks the blocks of one story beside their nodes.

    hidden_by: why nothing here is seen, else "".
    """

    def __init__(self, story: Story, hidden_by: str) -> None:
        self.story = story
        self.hidden_by = hidden_by
        self._page = _page_colour(story)
        self._paper = page_of(story)
        self._why: dict[tuple[int, str], str] = {}

    def blocks(self, node: Node, container: etree._Element, background: str) -> Iterator[TextSpan]:
        """The spans of a container's blocks; background: RRGGBB behind them, "" for the page's own."""
        children = iter(node.children)
        anchored_kinds = {"text_box", "image", "equation", "chart", "diagram", "object", "shape"}
        pending = next(children, None)
        for element, _ in iter_blocks(container):
            place = pending
            if place is None:
                return
            pending = next(children, None)
            own: list[Node] = []
            while pending is not None and pending.kind in anchored_kinds:
                own.append(pending)
                pending = next(children, None)
            if element.tag == P:
                yield from self.paragraph(place, element, own, background)
            elif element.tag == TBL:
                yield from self.table(place, element, background)
            elif element.tag == SDT:
                yield from self.control(place, element, background)

    def table(self, node: Node, table: etree._Element, background: str) -> Iterator[TextSpan]:
        story = self.story
        for name in ("tblCaption", "tblDescription"):
            element = table.find(f"{W}tblPr/{W}{name}")
            if element is not None and element.get(VAL):
                yield self.quiet(node.address, f"#{name}", element.get(VAL) or "", Role.ALT, "alternative text")
        shade = table.find(f"{W}tblPr/{W}shd")
        behind = (story.shared.styles.shading(shade) if shade is not None else "") or background
        for row_node, (row, wrappers) in zip(node.children, iter_rows(table), strict=True):
            properties = row.find(W + "trPr")
            outer = self.hidden_by
            if properties is not None and is_on(properties.find(W + "hidden")):
                self.hidden_by = outer or "hidden row"
            height = properties.find(W + "trHeight") if properties is not None else None
            if height is not None and height.get(W + "hRule") == "exact" and (twips(height.get(VAL)) or 0) <= FLAT * 20:
                self.hidden_by = outer or "too small"
            if properties is not None and properties.find(W + "del") is not None:
                self.hidden_by = outer or "deleted"
            for wrapper in wrappers:
                if wrapper.tag == SDT:
                    yield from self.control_names(row_node.address, wrapper)
            for cell_node, (cell, inner) in zip(row_node.children, iter_cells(row), strict=True):
                for wrapper in inner:
                    if wrapper.tag == SDT:
                        yield from self.control_names(cell_node.address, wrapper)
                shading = self._behind(cell)
                merged = self.hidden_by
                merge = cell.find(f"{W}tcPr/{W}vMerge")
                if merge is not None and (merge.get(VAL) or "continue") == "continue" and (Aspect.STRUCTURE, "merged") in cell_node.facts:
                    self.hidden_by = merged or "under a merged cell"
                if cell.find(f"{W}tcPr/{W}cellDel") is not None:
                    self.hidden_by = merged or "deleted"
                yield from self.blocks(cell_node, cell, shading or behind)
                self.hidden_by = merged
            self.hidden_by = outer

    def _behind(self, cell: etree._Element) -> str:
        """What a cell itself is painted with, or its table's style paints it with; "" for nothing."""
        styles = self.story.shared.styles
        found = self.story.table_looks.cell(cell)
        given = styles.table_properties(found.shown, W + "tcPr") if found is not None else []
        shades = [shade for properties in (*given, *cell.iterchildren(W + "tcPr")) if (shade := properties.find(W + "shd")) is not None]
        return styles.shading(shades[-1]) if shades else ""

    def control(self, node: Node, sdt: etree._Element, background: str) -> Iterator[TextSpan]:
        yield from self.control_names(node.address, sdt)
        inner = sdt.find(SDT_CONTENT)
        outer = self.hidden_by
        if _shows_placeholder(sdt):
            self.hidden_by = outer or "placeholder"
        if inner is not None:
            yield from self.blocks(node, inner, background)
        self.hidden_by = outer

    def control_names(self, address: str, sdt: etree._Element) -> Iterator[TextSpan]:
        for n, name in enumerate(controls.control_names(sdt)):
            yield self.quiet(address, f"#name{n}", name, Role.NAME, "name")
        for n, item in enumerate(sdt.iterfind(f"{W}sdtPr/*/{W}listItem")):
            yield self.quiet(address, f"#option{n}", item.get(W + "displayText") or item.get(W + "value") or "", Role.FORM, "option")

    def quiet(self, address: str, suffix: str, text: str, role: Role, why: str) -> TextSpan:
        """A span of text that no reader of the page sees."""
        return TextSpan(address, address + suffix, text, role, False, why)

    # -- paragraphs -----------------------------------------------------------------------------------

    def paragraph(self, node: Node, element: etree._Element, own: list[Node], background: str) -> Iterator[TextSpan]:
        story = self.story
        content = story.content(element)
        p_pr = element.find(PPR)
        given = story.table_looks.of(element)
        inherited = Look(story, story.style_of(element), given.shown if given is not None else None)
        look = story.shared.styles.paragraph(inherited.style, p_pr, None, inherited.table)
        behind = str(look.get("paragraph shading") or background)
        addresses = _Addresses(node, content)
        outer = self.hidden_by
        self.hidden_by = outer or why_out_of_sight(look, p_pr, self._paper, lambda: self._length(content, inherited)[0])
        if content.anchored and not self.hidden_by:
            length, size = self._length(content, inherited)
            self.hidden_by = "covered" if any(covers(one, length / 2, size * 1.2, self._paper) for one in content.anchored) else ""
        yield from self._text(node, content, inherited, behind, addresses, own)
        self.hidden_by = outer
        for n in range(1, 1 + sum(not within_result(link) for link in content.links)):
            address = f"{node.address}/hyperlink[{n}]"
            for name, text in _link_texts(story, node, n):
                yield self.quiet(address, f"#{name}", text, Role.LINK, "link target" if name == "target" else name)
        for n, (one, _) in enumerate(content.fields, 1):
            yield from self._form(f"{node.address}/field[{n}]", one)
        for control in content.controls:
            yield from self.control_names(addresses.control(control), control.element)
        kept = [one for one in content.anchored if not one.gone]
        for anchored, place in zip(kept, own, strict=False):
            yield from self.anchored(place, anchored, behind)
        for anchored in content.anchored:
            if anchored.gone:
                yield from self._stored(node, anchored.element, anchored.gone)
        for raw, _ in content.raw:
            if raw.tag == ALTERNATE:
                other = "".join(text.text or "" for branch in raw if branch is not chosen_branch(raw) for text in branch.iter(T))
                if other:
                    yield self.quiet(node.address, "#other", other, story.role, "only in other programs")
            if raw.tag == W + "ruby":
                text = "".join(piece.text or "" for piece in raw.iterfind(f"{W}rt//{T}"))
                if text:
                    yield TextSpan(node.address, f"{node.address}#ruby", text, story.role, not self.hidden_by, self.hidden_by)

    def _length(self, content: Content, inherited: Look) -> tuple[float, float]:
        """Points that the text of a paragraph takes at most, on one line (a letter is hardly wider than high), and the largest size."""
        sizes = [(amount(inherited.of(piece.r_pr).get("size"), 10), len(piece.text)) for piece in content.pieces if piece.shown and not piece.code]
        return sum(size * count for size, count in sizes), max((size for size, _ in sizes), default=10.0)

    def _text(
        self, node: Node, content: Content, inherited: Look, behind: str, addresses: _Addresses, own: list[Node]
    ) -> Iterator[TextSpan]:
        kept = [one for one in content.anchored if not one.gone]
        text: list[str] = []
        state: tuple[str, str, Role, str] | None = None
        for piece in content.pieces:
            if not piece.shown:
                continue
            address = addresses.of(piece)
            block = node.address
            role = self.story.role
            if piece.equation is not None and piece.equation in kept:
                address = own[kept.index(piece.equation)].address if kept.index(piece.equation) < len(own) else address
            if piece.equation is not None:
                yield from self._equation(piece, address, block, inherited, behind)
                continue
            if piece.code:
                hidden, role, block = piece.gone or "field code", Role.CODE, f"{node.address}#code"
            else:
                hidden = self.hidden_by or piece.gone or self._look(inherited.of(piece.r_pr), behind) or _placeholder_shown(piece)
                if not hidden and piece.field is not None and piece.field.kind in RESULTLESS:
                    hidden = "field without a result"
            current = (address, block, role, hidden)
            if state is not None and current != state:
                yield TextSpan(state[0], state[1], "".join(text), state[2], not state[3], state[3])
                text = []
            state = current
            text.append(piece.text)
        if state is not None:
            yield TextSpan(state[0], state[1], "".join(text), state[2], not state[3], state[3])

    def _equation(self, piece: Piece, address: str, block: str, inherited: Look, behind: str) -> Iterator[TextSpan]:
        """What a reader sees of an equation, and the rest of it."""
        one = piece.equation
        if one is None:
            return
        unseen = {run for run in one.element.iter(M + "r") if self._look(inherited.of(run.find(RPR)), behind)}
        unseen |= {ghost for ghost in one.element.iter(M + "phant") if (show := ghost.find(f"{M}phantPr/{M}show")) is not None and show.get(M + "val") in {"0", "off", "false"}}
        seen = equation_text(one.element, unseen)
        hidden = self.hidden_by or piece.gone
        if seen:
            yield TextSpan(address, block, seen, self.story.role, not hidden, hidden)
        if seen != piece.text:
            yield TextSpan(address, f"{address}#unseen", piece.text, self.story.role, False, hidden or "hidden in the equation")

    def _look(self, look: Properties, behind: str) -> str:
        """Why formatting hides text of a look (shared, so that one answer serves many runs)."""
        key = (id(look), behind)
        if key not in self._why:
            self._why[key] = why_hidden(look, behind, self._page, self.story.shared.styles.theme_colours)
        return self._why[key]

    def _form(self, address: str, one: Field) -> Iterator[TextSpan]:
        form = one.form
        for n, element in enumerate(form.iter() if form is not None else ()):
            value = element.get(VAL)
            if value and not value.isdigit() and value not in {"true", "false", "on", "off"}:
                yield self.quiet(address, f"#form{n}", value, Role.FORM, "form field")

    def anchored(self, node: Node, one: Anchored, background: str) -> Iterator[TextSpan]:
        """The spans of a drawing, picture, object or equation."""
        story = self.story
        kind = kind_of(one.element)
        hidden = self.hidden_by or why_unseen(one, self._paper)
        if kind == "equation":
            return
        for key, role, why in (((Aspect.MEDIA, "alt text"), Role.ALT, "alternative text"), ((Aspect.MEDIA, "alt title"), Role.ALT, "alternative text"),
                               ((Aspect.LAYOUT, "name"), Role.NAME, "name"), ((Aspect.LINK, "target"), Role.LINK, "link target"),
                               ((Aspect.LINK, "tooltip"), Role.LINK, "tooltip")):  # fmt: skip
            value = node.facts.get(key)
            if isinstance(value, str) and value:
                yield self.quiet(node.address, f"#{key[1]}", value, role, why)
        for n, shape in enumerate(one.element.iter()):
            for name in ("alt", "string") if isinstance(shape.tag, str) and shape.tag.startswith("{urn:schemas-microsoft-com:vml}") else ():
                if shape.get(name):
                    shown = name == "string" and not hidden
                    role = Role.ALT if name == "alt" else story.role
                    yield TextSpan(node.address, f"{node.address}#{name}{n}", shape.get(name) or "", role, shown, hidden if name == "string" else "alternative text")
        if kind == "chart":
            from docops.formats.ooxml.chart import chart_spans

            part = chart_part(story, one.element)
            if part is not None:
                yield from chart_spans(part, node.address, visible=not hidden, hidden_by=hidden)
            return
        if kind == "diagram":
            for n, text in enumerate(diagram_texts(story, one.element)):
                if text:
                    yield TextSpan(node.address, f"{node.address}#{n}", text, story.role, not hidden, hidden)
            return
        boxes = text_boxes(one.element)
        outer, self.hidden_by = self.hidden_by, hidden
        fill = _solid_fill(story, one.element)
        for n, box in enumerate(boxes):
            place = node if kind == "text_box" and len(boxes) == 1 else node.children[n]
            yield from self.blocks(place, box, fill or background)
        self.hidden_by = outer
        yield from self._fallback(node, one)

    def _fallback(self, node: Node, one: Anchored) -> Iterator[TextSpan]:
        """Text of the branch for older programs where it differs from what is shown."""
        text = node.facts.get((Aspect.RAW, "fallback text"))
        if isinstance(text, str) and text and one.alternate is not None:
            yield self.quiet(node.address, "#fallback", text, self.story.role, "only in older programs")

    def _stored(self, node: Node, element: etree._Element, why: str) -> Iterator[TextSpan]:
        text = "".join(piece.text or "" for piece in element.iter(T))
        if text:
            yield self.quiet(node.address, "#gone", text, self.story.role, why)


class _Addresses:
    """Addresses of the places inside one paragraph."""

    def __init__(self, node: Node, content: Content) -> None:
        self.node = node
        self._fields = {id(one): n for n, (one, _) in enumerate(content.fields, 1)}
        self._controls: dict[int, str] = {}
        counts: dict[int, int] = {}
        for control in content.controls:
            outer = id(control.outer) if control.outer is not None else 0
            counts[outer] = counts.get(outer, 0) + 1
            base = self._controls.get(outer, node.address)
            self._controls[id(control)] = f"{base}/content_control[{counts[outer]}]"

    def control(self, control: Control) -> str:
        """The address of an inline content control."""
        return self._controls.get(id(control), self.node.address)

    def of(self, piece: Piece) -> str:
        """The innermost place that a piece of text belongs to."""
        if piece.control is not None:
            return self.control(piece.control)
        if piece.field is not None and id(piece.field) in self._fields:
            return f"{self.node.address}/field[{self._fields[id(piece.field)]}]"
        return self.node.address


def _page_colour(story: Story) -> str:
    background = story.shared.main.xml.find(W + "background")
    colour = story.shared.styles.colour(background, "color") if background is not None else "auto"
    return "FFFFFF" if colour == "auto" else colour


def _shows_placeholder(sdt: etree._Element) -> bool:
    return is_on(sdt.find(f"{W}sdtPr/{W}showingPlcHdr"))


def _placeholder_shown(piece: Piece) -> str:
    return "placeholder" if piece.control is not None and _shows_placeholder(piece.control.element) else ""


def _solid_fill(story: Story, element: etree._Element) -> str:
    """RRGGBB that a shape is filled with, "" for none, `?` for a fill that is no plain colour."""
    from docops.formats.ooxml.drawing import Colours, colour_text

    a = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
    wps = "{http://schemas.microsoft.com/office/word/2010/wordprocessingShape}"
    for properties in element.iter(f"{wps}spPr"):
        fill = properties.find(f"{a}solidFill")
        if fill is not None and len(fill):
            return colour_text(fill[0], Colours(theme=story.shared.styles.theme_colours))
        if properties.find(f"{a}noFill") is not None:
            return ""
        reference = next(element.iter(f"{a}fillRef"), None)
        styled = reference is not None and reference.get("idx") not in {None, "0"}
        other = any(properties.find(f"{a}{name}") is not None for name in ("gradFill", "blipFill", "pattFill", "grpFill"))
        return UNKNOWN if styled or other else ""
    for shape in element.iter():
        if isinstance(shape.tag, str) and shape.tag.startswith("{urn:schemas-microsoft-com:vml}"):
            colour = shape.get("fillcolor")
            if colour and shape.get("filled") not in {"f", "false"}:
                return colour[1:7].upper() if re.match(r"#[0-9a-fA-F]{6}", colour) else UNKNOWN
    return ""


def _link_texts(story: Story, node: Node, number: int) -> Iterator[tuple[str, str]]:
    link = next((child for child in node.children if child.kind == "hyperlink" and child.number == number), None)
    for name in ("target", "tooltip", "anchor", "location"):
        value = link.facts.get((Aspect.LINK, name)) if link is not None else None
        if isinstance(value, str) and value:
            yield name, value


