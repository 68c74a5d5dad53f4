"""Text spans of a presentation: everything stored, with its role and whether a reader sees it (docs/facts-pptx.md)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from docops.core.node import Node
from docops.core.spans import Role, TextSpan
from docops.formats.ooxml.drawing import A
from docops.formats.ooxml.text import Paragraph
from docops.formats.pptx.comments import read_comments
from docops.formats.pptx.deck import Sheet
from docops.formats.pptx.objects import diagram_points
from docops.formats.pptx.shapes import Shape, walk_shapes
from docops.formats.pptx.tables import Cell
from docops.formats.pptx.visibility import behind, covered, hidden_run, hidden_shape

if TYPE_CHECKING:
    from docops.formats.pptx.document import PptxDocument

_PLACEHOLDER_ROLES = {"dt": Role.FOOTER, "ftr": Role.FOOTER, "sldNum": Role.FOOTER, "hdr": Role.HEADER}


def document_spans(document: PptxDocument) -> list[TextSpan]:
    """Every stored text of a presentation, slide by slide, then what stands above the slides."""
    deck = document.deck
    out: list[TextSpan] = []
    for slide in deck.slides:
        for shape in slide.shapes:
            out += shape_spans(shape)
        out += comment_spans(slide)
        notes = deck.notes_of(slide)
        if notes is not None:
            for shape in notes.shapes:
                out += shape_spans(shape)
        out += _sheet_names(slide)
    shown = _shown(document)
    for sheet in (*deck.masters, *deck.layouts.values(), *(sheet for sheet in (deck.notes_master, deck.handout_master) if sheet is not None)):
        if sheet.address.startswith("part["):
            continue
        for shape in sheet.shapes:
            out += shape_spans(shape, unseen="" if sheet.part.name in shown else "not on any slide")
        out += _sheet_names(sheet)
    out += _above(document)
    return out


def _shown(document: PptxDocument) -> set[str]:
    """Parts of the layouts and masters whose own shapes a shown slide shows."""
    out: set[str] = set()
    for slide in document.deck.slides:
        if slide.part.xml.get("show") in {"0", "false"}:
            continue
        sheet = slide
        while sheet.parent is not None and sheet.part.xml.get("showMasterSp") not in {"0", "false"}:
            sheet = sheet.parent
            out.add(sheet.part.name)
    return out


def shape_spans(shape: Shape, *, unseen: str = "") -> Iterator[TextSpan]:
    """The texts of a shape and of what is inside it.

    unseen: why nothing of its sheet is seen.
    """
    role, hidden = _role(shape)
    hidden = unseen or hidden or hidden_shape(shape)
    if not hidden and role is not Role.NOTE and shape.local != "grpSp":
        hidden = covered(shape)
    yield from _descriptions(shape)
    if shape.kind == "group":
        for child in shape.shapes:
            yield from shape_spans(child, unseen=unseen)
    elif shape.kind == "table" and shape.table is not None:
        for row, cells in enumerate(shape.table.rows, 1):
            for column, cell in enumerate(cells, 1):
                address = f"{shape.address}/table/row[{row}]/cell[{column}]"
                yield from _paragraph_spans(address, cell.paragraphs, role, hidden or ("merged cell" if cell.merged else ""), _backs(shape, cell))
    elif shape.kind == "chart":
        yield from _chart_spans(shape, hidden)
    elif shape.kind == "diagram":
        yield from _diagram_spans(shape, role, hidden)
    else:
        yield from _paragraph_spans(shape.address, shape.paragraphs, role, hidden, _backs(shape, None), shape.text_scale)
    if shape.wrapper is not None:
        yield from _fallback_spans(shape)


def _role(shape: Shape) -> tuple[Role, str]:
    """The role of a shape's text, and why it is not seen whatever it looks like."""
    role = shape.sheet.role
    if role == "slide":
        return _PLACEHOLDER_ROLES.get(shape.placeholder_type, Role.BODY), ""
    if role == "notes":
        return Role.NOTE, ""
    if shape.placeholder is not None or role in {"notes_master", "handout_master"}:
        return Role.PROMPT, "prompt text"
    return Role.BODY, ""


def _backs(shape: Shape, cell: Cell | None) -> Callable[[], list[str | None]]:
    found: list[list[str | None]] = []

    def back() -> list[str | None]:
        if not found:
            found.append([None] if shape.sheet.role == "notes" else behind(shape, cell))
        return found[0]

    return back


def _paragraph_spans(
    address: str, paragraphs: Sequence[Paragraph], role: Role, hidden: str, back: Callable[[], list[str | None]], scale: float = 1.0
) -> Iterator[TextSpan]:
    for number, paragraph in enumerate(paragraphs, 1):
        block = f"{address}/paragraph[{number}]"
        last: TextSpan | None = None
        for run in paragraph.runs:
            why = hidden or (hidden_run(run, back(), scale) if role is not Role.PROMPT else "")
            if last is not None and last.hidden_by == why:
                last = TextSpan(block, block, last.text + run.shown, role, not why, why)
                continue
            if last is not None:
                yield last
            last = TextSpan(block, block, run.shown, role, not why, why)
        if last is not None:
            yield last
        for link in paragraph.links:
            if isinstance(link, list):
                yield from _link_spans(block, link[2])


def _link_spans(address: str, link: object) -> Iterator[TextSpan]:
    texts = [link] if isinstance(link, str) else list(link.values()) if isinstance(link, dict) else []
    for position, text in enumerate(texts, 1):
        if isinstance(text, str) and text:
            yield TextSpan(address, f"{address} link {position}", text, Role.LINK, False, "link target")


def _descriptions(shape: Shape) -> Iterator[TextSpan]:
    properties = shape.properties
    if properties is None:
        return
    address = f"{shape.address}/picture" if shape.kind in {"picture", "media"} else shape.address
    for name in ("descr", "title"):
        if properties.get(name):
            yield TextSpan(address, f"{shape.address} {name}", properties.get(name) or "", Role.ALT, False, "alternative text")
    if shape.name:
        yield TextSpan(shape.address, f"{shape.address} name", shape.name, Role.NAME, False, "a name")
    for child in properties:
        if isinstance(child.tag, str) and child.tag in {A + "hlinkClick", A + "hlinkHover"}:
            yield from _link_spans(shape.address, shape.sheet.deck.link(child, shape.part))


def _chart_spans(shape: Shape, hidden: str) -> Iterator[TextSpan]:
    from docops.formats.ooxml.chart import chart_spans

    part = shape.chart_part()
    if part is not None:
        yield from chart_spans(part, f"{shape.address}/chart", visible=not hidden, hidden_by=hidden)


def _diagram_spans(shape: Shape, role: Role, hidden: str) -> Iterator[TextSpan]:
    data = shape.diagram_part("dm")
    address = f"{shape.address}/diagram"
    for number, (text, _) in enumerate(diagram_points(data) if data is not None else (), 1):
        yield TextSpan(address, f"{address} point {number}", text, role, not hidden, hidden)


def _fallback_spans(shape: Shape) -> Iterator[TextSpan]:
    for branch in shape.wrapper if shape.wrapper is not None else ():
        if shape.element in branch:
            continue
        for number, paragraph in enumerate(branch.iter(A + "p"), 1):
            text = "".join(str(found.text or "") for found in paragraph.iter(A + "t"))
            if text:
                yield TextSpan(shape.address, f"{shape.address} fallback {number}", text, Role.BODY, False, "fallback")


def comment_spans(sheet: Sheet) -> Iterator[TextSpan]:
    """The comments of a slide."""
    for number, comment in enumerate(read_comments(sheet), 1):
        address = f"{sheet.address}/comment[{number}]"
        yield TextSpan(address, address, comment.text, Role.COMMENT)
        if comment.author:
            yield TextSpan(address, f"{address} author", comment.author, Role.METADATA, False, "metadata")


def _sheet_names(sheet: Sheet) -> Iterator[TextSpan]:
    element = next((child for child in sheet.part.xml if isinstance(child.tag, str) and child.tag.endswith("}cSld")), None)
    name = element.get("name") if element is not None else None
    if name:
        yield TextSpan(sheet.address, f"{sheet.address} name", name, Role.NAME, False, "a name")


def _above(document: PptxDocument) -> Iterator[TextSpan]:
    """Names and metadata of the whole presentation, from the nodes that state them."""
    for node in document.root.children:
        if node.kind in {"section", "show", "author", "table_style"} and node.name:
            yield TextSpan(node.address, node.address, node.name, Role.NAME, False, "a name")
        elif node.kind in {"property", "part"}:
            yield from _texts(node)


def _texts(node: Node) -> Iterator[TextSpan]:
    for number, value in enumerate(node.facts.values(), 1):
        if isinstance(value, str) and value:
            yield TextSpan(node.address, f"{node.address} {number}", value, Role.METADATA, False, "metadata")


def slide_title(sheet: Sheet) -> Shape | None:
    """The title placeholder of a slide, or None."""
    for shape in walk_shapes(sheet.shapes):
        if shape.placeholder_type in {"title", "ctrTitle"}:
            return shape
    return None
