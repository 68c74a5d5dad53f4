"""Facts of tables, rows and cells that their property elements state, and of table styles."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from lxml import etree

from docops.core.codes import Aspect
from docops.core.node import Value
from docops.formats.docx.names import PPR, RPR, VAL, W, is_on, local, number, points, twips
from docops.formats.docx.story import Shared
from docops.formats.docx.styles import Style
from docops.formats.docx.table_looks import PART_NAMES
from docops.formats.ooxml.package import Part

Facts = dict[tuple[Aspect, str], Value]

_WIDTHS = frozenset({"tblW", "tcW", "tblInd", "tblCellSpacing", "wBefore", "wAfter", "top", "left", "bottom", "right", "start", "end"})
_SWITCHES = frozenset({"cantSplit", "tblHeader", "noWrap", "tcFitText", "hideMark", "bidiVisual", "hidden"})
_NAMES = {"tblW": "width", "tcW": "width", "tblInd": "indent", "tblLayout": "layout", "tblBorders": "borders", "tcBorders": "borders", "tblCellMar": "cell margins",
          "tcMar": "cell margins", "vAlign": "vertical alignment", "trHeight": "height", "cantSplit": "keep on one page"}  # fmt: skip


def plain_fact(shared: Shared, part: Part, out: Facts, child: etree._Element) -> None:
    """The fact of a property element of a table, row or cell that needs no rule of its own."""
    if not isinstance(child.tag, str):
        return
    name = local(child)
    label = _NAMES.get(name, name)
    if name in _SWITCHES:
        if is_on(child):
            out[Aspect.FORMAT, label] = True
    elif name == "shd":
        shading = shared.styles.shading(child)
        if shading:
            out[Aspect.FORMAT, "shading"] = shading
    elif name in {"tblBorders", "tcBorders"}:
        borders = {local(side): shared.styles.border(side) for side in child if isinstance(side.tag, str)}
        own = {_side(side): text or "none" for side, text in borders.items()}
        if own:
            out[Aspect.FORMAT, label] = dict(sorted(own.items()))
    elif name in {"tblCellMar", "tcMar"}:
        margins: dict[str, Value] = {_side(local(side)): _width(side) for side in child if isinstance(side.tag, str)}
        if margins:
            out[Aspect.FORMAT, label] = dict(sorted(margins.items()))
    elif name in _WIDTHS:
        width = _width(child)
        if width != "auto":
            out[Aspect.FORMAT, label] = width
    elif name == "tblLayout":
        if child.get(W + "type") not in {None, "autofit"}:
            out[Aspect.FORMAT, label] = child.get(W + "type")
    elif name == "trHeight":
        height = points(twips(child.get(VAL)))
        if height is not None and height != "0 pt":
            out[Aspect.FORMAT, label] = f"{child.get(W + 'hRule') or 'atLeast'} {height}"
    elif name == "vAlign":
        if child.get(VAL) not in {None, "top"}:
            out[Aspect.FORMAT, label] = child.get(VAL)
    elif name == "tblOverlap":
        if child.get(VAL) == "never":
            out[Aspect.FORMAT, label] = "never"
    elif name == "textDirection":
        if child.get(VAL) not in {None, "lrTb", "tb"}:
            out[Aspect.FORMAT, label] = child.get(VAL)
    elif len(child) or child.attrib:
        out[Aspect.FORMAT, label] = shared.canonical.element(child, part)


def _side(name: str) -> str:
    return {"start": "left", "end": "right"}.get(name, name)


def _width(element: etree._Element) -> str:
    kind = element.get(W + "type") or "dxa"
    text = element.get(W + "w") or "0"
    if kind == "auto" or (kind == "nil"):
        return "auto" if kind == "auto" else "0 pt"
    if kind == "pct" or text.endswith("%"):
        share = number(text.rstrip("%")) or 0
        return f"{share:g}%" if text.endswith("%") else f"{share / 50:g}%"
    return points(twips(text)) or "auto"


#: What a style gives a cell; borders are the table's, and their lines depend on the neighbours.
_STYLED = (W + "shd", W + "vAlign", W + "noWrap", W + "textDirection")


def styled_facts(shared: Shared, part: Part, out: Facts, styled: Sequence[etree._Element], own: etree._Element | None) -> None:
    """What the style of the table gives a cell where the cell does not say it itself."""
    for tag in _STYLED:
        found = [child for properties in styled if (child := properties.find(tag)) is not None]
        if found and (own is None or own.find(tag) is None):
            plain_fact(shared, part, out, found[-1])


def table_style_facts(shared: Shared, style: Style, part: Part) -> Facts:
    """What a table style gives: the whole table, then each of its parts (`first row: bold`)."""
    styles = shared.styles
    out: Facts = {}
    for which in ("", *PART_NAMES):
        prefix = f"{PART_NAMES[which]}: " if which else ""
        own: Facts = {}
        for tag, describe in ((RPR, styles.described_runs), (PPR, styles.described_paragraphs)):
            own.update({(Aspect.FORMAT, name): value for name, value in describe(styles.part_properties(style, which, tag)).items()})
        styled_facts(shared, part, own, styles.part_properties(style, which, W + "tcPr"), None)
        out.update({(aspect, prefix + name): value for (aspect, name), value in own.items()})
    return out


def given_names(shared: Shared, style_id: str, parts: Collection[str]) -> set[str]:
    """Names of the formatting that some parts ("": the whole table) of a table style give to what stands in a cell."""
    style = shared.styles.by_id.get(style_id)
    if style is None or shared.styles.part is None:
        return set()
    wanted = {PART_NAMES[part] if part else "" for part in parts}
    named = (name.rpartition(": ") for _, name in table_style_facts(shared, style, shared.styles.part))
    return {name for part, _, name in named if part in wanted}
