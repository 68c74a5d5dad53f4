"""Blocks of a container as nodes: paragraphs with what is anchored in them, tables, content controls, embedded documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from lxml import etree

from docops.core.address import Segment, format_segment
from docops.core.codes import Aspect
from docops.core.node import Node, Value
from docops.formats.docx.controls import control_facts
from docops.formats.docx.drawings import anchored_node, kind_of
from docops.formats.docx.names import SDT, SDT_CONTENT, TBL, TC, VAL, P, R, W, is_on, local, number, twips
from docops.formats.docx.paragraphs import heading_level, is_deleted, paragraph_node, visible_text
from docops.formats.docx.sections import block_lookup, paragraph_lookup
from docops.formats.docx.story import Story, iter_blocks
from docops.formats.docx.table_facts import plain_fact, styled_facts
from docops.formats.docx.table_grid import cell_span, iter_cells, iter_rows, look_flags, row_width, vertical_merges
from docops.formats.docx.table_looks import table_style

Facts = dict[tuple[Aspect, str], Value]


def blocks_of(parent: Node, story: Story, container: etree._Element) -> list[Node]:
    """The blocks of a container (body, cell, header, note, text box, control) in reading order."""
    counts: Counter[str] = Counter()
    out: list[Node] = []

    def inner(node: Node, element: etree._Element) -> list[Node]:
        return blocks_of(node, story, element)

    for element, wrappers in iter_blocks(container):
        tag = element.tag
        if tag == P:
            counts["paragraph"] += 1
            node = paragraph_node(parent, story, element, counts["paragraph"], wrappers)
            story.note_paragraph(element, node.address)
            out.append(node)
            if element in story.holders:
                own: list[Node] = []
                for one in story.content(element).anchored:
                    if one.gone:
                        continue
                    kind = kind_of(one.element)
                    counts[kind] += 1
                    own.append(anchored_node(parent, node, story, one, counts[kind], inner))
                node.lookup = paragraph_lookup(node, own)
                for one_node in own:
                    one_node.lookup = one_node.lookup or container_lookup(one_node, story)
                out += own
        elif tag == TBL:
            counts["table"] += 1
            out.append(_table(parent, story, element, counts["table"], wrappers))
        elif tag == SDT:
            counts["content_control"] += 1
            out.append(_control(parent, story, element, counts["content_control"]))
        else:
            kind = "embedded_document" if tag == W + "altChunk" else "other"
            counts[kind] += 1
            out.append(_foreign(parent, story, element, kind, counts[kind]))
    return out


def container_lookup(node: Node, story: Story) -> Callable[[Segment], Sequence[Node] | None]:
    """The lookup of a container of blocks of a story."""
    return block_lookup(node, lambda block: heading_of(story, block))


def heading_of(story: Story, block: Node) -> tuple[int, str] | None:
    """Level and visible text of a block that is a heading, else None."""
    element = story.elements.get(block.address) if block.kind == "paragraph" else None
    if element is None:
        return None
    style = story.style_of(element)
    level = heading_level(story, element, style)
    if level is None or is_deleted(element, story.content(element)):
        return None
    return level, visible_text(story, element)


def _foreign(parent: Node, story: Story, element: etree._Element, kind: str, index: int) -> Node:
    def facts() -> Facts:
        out: Facts = {(Aspect.RAW, "content"): story.canonical(element)}
        if kind == "embedded_document":
            out[Aspect.MEDIA, "document"] = story.shared.media(story.part, element.get(R + "id"))
        return out

    return Node(parent, kind, number=index, facts=facts)


def _control(parent: Node, story: Story, element: etree._Element, index: int) -> Node:
    def facts() -> Facts:
        return control_facts(story, element)

    node = Node(parent, "content_control", number=index, facts=facts, fingerprint=lambda: story.fingerprint(element, _extra(story, element)))
    inner = element.find(SDT_CONTENT)
    if inner is not None:
        node._children = lambda: blocks_of(node, story, inner)
    node.lookup = container_lookup(node, story)
    return node


def _extra(story: Story, element: etree._Element) -> str:
    """What the facts of the paragraphs inside depend on from outside: lists that begin, fields that run through."""
    starts, opened = story.list_starts, story.scan.open_at
    if element not in story.around_specials:
        return ""
    words = []
    for n, paragraph in enumerate(element.iter(P)):
        if paragraph in starts:
            words.append(f"start {n}")
        words += [f"{n} {one.instruction} {in_result}" for one, in_result in opened.get(paragraph, ())]
    return "|".join(words)


# Tables --------------------------------------------------------------------------------------


def _table(parent: Node, story: Story, element: etree._Element, index: int, wrappers: Sequence[etree._Element]) -> Node:
    node = Node(
        parent,
        "table",
        number=index,
        facts=lambda: table_facts(story, element),
        fingerprint=lambda: story.fingerprint(element, _extra(story, element) + "".join(wrapper.tag for wrapper in wrappers)),
        depends=tuple(format_segment("style", one.name) for one in reversed(story.shared.styles.chain(table_style(story.shared.styles, element)))),
    )
    node._children = lambda: list(_rows(node, story, element))
    story.tables[node.address] = element
    return node


def table_facts(story: Story, element: etree._Element) -> Facts:
    """The facts of a table itself."""
    out: Facts = {}
    rows = [row for row, _ in iter_rows(element)]
    out[Aspect.STRUCTURE, "columns"] = max((row_width(row) for row in rows), default=0)
    grid = element.find(W + "tblGrid")
    if grid is not None:
        widths = [twips(column.get(W + "w")) or 0 for column in grid.iterchildren(W + "gridCol")]
        out[Aspect.FORMAT, "column widths"] = [f"{width / 20:g}" for width in widths]
    style = table_style(story.shared.styles, element)
    if style is not None:
        out[Aspect.FORMAT, "style"] = style.name
    properties = element.find(W + "tblPr")
    for child in properties if properties is not None else ():
        name = local(child)
        if name == "tblStyle":
            continue
        if name in {"tblCaption", "tblDescription"}:
            out[Aspect.MEDIA, "alt title" if name == "tblCaption" else "alt text"] = child.get(VAL) or ""
        elif name == "tblLook":
            out[Aspect.FORMAT, "look"] = look_flags(child)
        elif name == "jc":
            if child.get(VAL) not in {"left", "start"}:
                out[Aspect.FORMAT, "alignment"] = child.get(VAL)
        elif name not in {"tblPrChange"}:
            plain_fact(story.shared, story.part, out, child)
    return out


def _rows(table_node: Node, story: Story, table: etree._Element) -> Iterator[Node]:
    merges = vertical_merges(table)
    for index, (row, wrappers) in enumerate(iter_rows(table), 1):
        merged = "".join(merges.get(cell, "-")[0] for cell, _ in iter_cells(row)) if merges else ""
        node = Node(table_node, "row", number=index, facts=_row_facts(story, row, wrappers), depends=table_node.depends, fingerprint=_fingerprint(story, row, merged, wrappers))
        node._children = _cells(node, story, row, merges)
        story.rows[node.address] = row
        yield node


def _fingerprint(story: Story, element: etree._Element, merged: str, wrappers: Sequence[etree._Element]) -> Callable[[], str]:
    def fingerprint() -> str:
        around = "".join(_wrapper(story, wrapper) for wrapper in wrappers)
        cells = [element] if element.tag == TC else [cell for cell, _ in iter_cells(element)]
        looks = [found.look for cell in cells if (found := story.table_looks.cell(cell)) is not None]
        return story.fingerprint(element, f"{merged}|{_extra(story, element)}|{around}|{looks or ''}")

    return fingerprint


def _wrapper(story: Story, wrapper: etree._Element) -> str:
    if wrapper.tag == SDT:
        properties = wrapper.find(W + "sdtPr")
        return story.canonical(properties) if properties is not None else "sdt"
    return ""


def _row_facts(story: Story, row: etree._Element, wrappers: Sequence[etree._Element]) -> Callable[[], Facts]:
    def facts() -> Facts:
        out: Facts = {}
        for holder in (row.find(W + "tblPrEx"), row.find(W + "trPr")):
            for child in holder if holder is not None else ():
                name = local(child)
                if name == "tblHeader":
                    if is_on(child):
                        out[Aspect.STRUCTURE, "header row"] = True
                elif name == "hidden":
                    if is_on(child):
                        out[Aspect.STRUCTURE, "hidden"] = True
                elif name in {"gridBefore", "gridAfter"}:
                    if number(child.get(VAL)):
                        out[Aspect.STRUCTURE, name] = number(child.get(VAL))
                elif name not in {"cnfStyle", "ins", "del", "trPrChange", "tblPrExChange"}:
                    plain_fact(story.shared, story.part, out, child)
        _add_controls(story, out, wrappers)
        return out

    return facts


def _add_controls(story: Story, out: Facts, wrappers: Sequence[etree._Element]) -> None:
    for depth, wrapper in enumerate(one for one in wrappers if one.tag == SDT):
        prefix = "control " if depth == 0 else f"control {depth + 1} "
        out.update({(aspect, prefix + name): value for (aspect, name), value in control_facts(story, wrapper).items()})
    markup = [story.canonical(properties) for one in wrappers if (properties := one.find(W + "customXmlPr")) is not None]
    names = [one.get(W + "element") or "" for one in wrappers if one.tag == W + "customXml"]
    if names:
        out[Aspect.RAW, "wrapped in"] = [*names, *markup]


def _cells(row_node: Node, story: Story, row: etree._Element, merges: dict[etree._Element, str]) -> Callable[[], list[Node]]:
    def children() -> list[Node]:
        out = []
        for index, (cell, wrappers) in enumerate(iter_cells(row), 1):
            print_ = _fingerprint(story, cell, merges.get(cell, ""), wrappers)
            node = Node(row_node, "cell", number=index, facts=_cell_facts(story, cell, wrappers, merges), fingerprint=print_, depends=row_node.depends)
            story.cells[node.address] = cell
            node._children = _cell_blocks(node, story, cell)
            node.lookup = container_lookup(node, story)
            out.append(node)
        return out

    return children


def _cell_blocks(node: Node, story: Story, cell: etree._Element) -> Callable[[], list[Node]]:
    return lambda: blocks_of(node, story, cell)


def _cell_facts(
    story: Story, cell: etree._Element, wrappers: Sequence[etree._Element], merges: dict[etree._Element, str]
) -> Callable[[], Facts]:
    def facts() -> Facts:
        out: Facts = {}
        span = cell_span(cell)
        if span > 1:
            out[Aspect.STRUCTURE, "columns spanned"] = span
        if cell in merges:
            out[Aspect.STRUCTURE, "merged"] = "with the row below" if merges[cell] == "restart" else "into the row above"
        properties = cell.find(W + "tcPr")
        look = story.table_looks.cell(cell)
        if look is not None:
            styled = story.shared.styles.table_properties(look.look, W + "tcPr")
            styled_facts(story.shared, story.part, out, styled, properties)
        for child in properties if properties is not None else ():
            name = local(child)
            if name == "hMerge":
                out[Aspect.STRUCTURE, "merged across"] = child.get(VAL) or "continue"
            elif name not in {"gridSpan", "vMerge", "cnfStyle", "tcPrChange", "cellIns", "cellDel", "cellMerge"}:
                plain_fact(story.shared, story.part, out, child)
        _add_controls(story, out, wrappers)
        return out

    return facts
