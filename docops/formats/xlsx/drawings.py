"""What floats over a sheet: charts, pictures, shapes, groups, controls (ECMA-376 part 1, 20.5), with their anchors."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from lxml import etree

from docops.core.codes import Aspect
from docops.core.node import Node
from docops.formats.ooxml.chart import SERIES_REFERENCES, ChartSeries, chart_node, chart_parts, merged_runs
from docops.formats.ooxml.drawing import Colours, emu, fill_text, geometry_facts, line_text, look_text, picture_facts, shape_geometry, theme_colours
from docops.formats.ooxml.package import NS_R, Part
from docops.formats.xlsx.build import Build, Facts, digest
from docops.formats.xlsx.cells import sheet_address
from docops.formats.xlsx.model import Sheet
from docops.formats.xlsx.references import parse_reference
from docops.formats.xlsx.values import cell_name, is_true

XDR = "{http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing}"
A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
R = "{" + NS_R + "}"

#: Names that programs give; they count up and say nothing.
_AUTOMATIC = re.compile(r"[^\W\d_]+(?:[ :]{1,2}[^\W\d_]+)* ?\d+")
_CHART_URIS = ("http://schemas.openxmlformats.org/drawingml/2006/chart", "http://schemas.microsoft.com/office/drawing/2014/chartex")


def drawing_nodes(build: Build, sheet: Sheet) -> list[Node]:
    """The nodes of a sheet's drawing: charts, then images, then shapes, each in z-order."""
    part = drawing_part(sheet)
    if part is None:
        return []
    build.modelled.add(part.name)
    groups: dict[str, list[Node]] = {"chart": [], "image": [], "shape": []}
    below: list[tuple[str, str, _Frame]] = []
    for anchor, element in anchored(part):
        kind = _kind(element)
        number = len(groups[kind]) + 1
        frame = _frame(anchor)
        covers = [address for other, address, place in below if other != kind and frame is not None and _overlap(frame, place)]
        groups[kind].append(_node(build, sheet, part, anchor, element, kind, number, covers))
        if frame is not None:
            below.append((kind, groups[kind][-1].address, frame))
    return [*groups["chart"], *groups["image"], *groups["shape"]]


#: Left, top, right and bottom in cells from the sheet's corner, fractions included.
_Frame = tuple[float, float, float, float]
#: A cell of the usual size, in EMU; objects whose size is stated in EMU are measured in these.
_CELL = (609_600, 190_500)


def _frame(anchor: etree._Element) -> _Frame | None:
    """Where an object lies, near enough to tell which objects overlap; None where it cannot be told."""
    corners: dict[str, tuple[float, float]] = {}
    for name in ("from", "to"):
        marker = anchor.find(f"{XDR}{name}")
        if marker is not None:
            values = {etree.QName(child).localname: emu(child.text) for child in marker if isinstance(child.tag, str)}
            across = values.get("col", 0) + min(values.get("colOff", 0) / _CELL[0], 0.99)
            corners[name] = across, values.get("row", 0) + min(values.get("rowOff", 0) / _CELL[1], 0.99)
    position, extent = anchor.find(f"{XDR}pos"), anchor.find(f"{XDR}ext")
    if position is not None:
        corners["from"] = emu(position.get("x")) / _CELL[0], emu(position.get("y")) / _CELL[1]
    start = corners.get("from")
    if start is None:
        return None
    if extent is not None:
        corners["to"] = start[0] + emu(extent.get("cx")) / _CELL[0], start[1] + emu(extent.get("cy")) / _CELL[1]
    return (*start, *corners["to"]) if "to" in corners else None


def _overlap(one: _Frame, two: _Frame) -> bool:
    return one[0] < two[2] and two[0] < one[2] and one[1] < two[3] and two[1] < one[3]


def drawing_part(sheet: Sheet) -> Part | None:
    """The drawing part of a sheet."""
    holder = sheet.xml.find("{*}drawing") if sheet.xml is not None else None
    part = sheet.part.target(holder.get(f"{R}id")) if holder is not None and sheet.part is not None else None
    return part if part is not None and part.is_xml else None


def anchored(part: Part) -> Iterator[tuple[etree._Element, etree._Element]]:
    """Anchors of a drawing part with the object in each; of alternatives the preferred one."""
    for child in _preferred(part.xml):
        if child.tag in (f"{XDR}twoCellAnchor", f"{XDR}oneCellAnchor", f"{XDR}absoluteAnchor"):
            for element in _preferred(child):
                if element.tag not in (f"{XDR}from", f"{XDR}to", f"{XDR}pos", f"{XDR}ext", f"{XDR}clientData"):
                    yield child, element
        elif isinstance(child.tag, str):
            yield child, child  # user shapes of a chart sheet and unknown anchors


def _preferred(parent: etree._Element) -> Iterator[etree._Element]:
    for child in parent:
        if child.tag == f"{MC}AlternateContent":
            choice = child.find(f"{MC}Choice")
            chosen = choice if choice is not None else child.find(f"{MC}Fallback")
            yield from _preferred(chosen) if chosen is not None else ()
        elif isinstance(child.tag, str):
            yield child


def _kind(element: etree._Element) -> str:
    if element.tag == f"{XDR}pic":
        return "image"
    if chart_element(element) is not None:
        return "chart"
    return "shape"


def chart_element(element: etree._Element) -> etree._Element | None:
    """The element of a graphic frame that names a chart part."""
    data = element.find(f"{A}graphic/{A}graphicData") if element.tag == f"{XDR}graphicFrame" else None
    if data is None or data.get("uri") not in _CHART_URIS:
        return None
    return next((child for child in data if child.get(f"{R}id")), None)


def colours_of(build: Build) -> Colours:
    """The workbook's theme as drawings see it."""
    themes = build.workbook.part.related("theme")
    return Colours(theme_colours(themes[0].xml if themes and themes[0].is_xml else None))


def _node(build: Build, sheet: Sheet, part: Part, anchor: etree._Element, element: etree._Element, kind: str, number: int, covers: Sequence[str]) -> Node:
    base = sheet_address(sheet.name)
    # On a sheet of its own a chart is as large as the sheet.
    facts = _anchor_facts(build, sheet, anchor) if sheet.kind != "chartsheet" or kind != "chart" else {}
    if covers:
        # Among objects of one kind the order of the nodes says which lies above.
        facts[Aspect.ORDER, "covers"] = list(covers)
    _common_facts(build, part, element, facts)
    if kind == "chart":
        holder = chart_element(element)
        chart = part.target(holder.get(f"{R}id")) if holder is not None else None
        if chart is None or not chart.is_xml:
            facts[Aspect.STRUCTURE, "chart"] = "missing"
            return Node(base, "chart", number=number, facts=facts)
        build.modelled.update(chart_parts(chart))
        for name in ("alt text", "alt title"):
            # Other programs keep the alternative text of pictures, not that of charts.
            if (Aspect.TEXT, name) in facts:
                facts[Aspect.LAYOUT, name] = facts.pop((Aspect.TEXT, name))
        node = chart_node(base, chart, build.package, number=number, cache_is_state=False, facts=facts, depends=("theme",), series_name=lambda series: _series_name(build, series))
        return node if build.translation.identity else _translated_chart(build, sheet, node, base, number)
    colours = colours_of(build)
    if kind == "image":
        facts |= picture_facts(element.find(f"{XDR}blipFill"), part, colours)
        _look(build, element.find(f"{XDR}spPr"), part, colours, facts)
        for child in element:
            if child.tag not in (f"{XDR}nvPicPr", f"{XDR}blipFill", f"{XDR}spPr"):
                facts[Aspect.RAW, etree.QName(child).localname] = build.raw(child, part)
        locks = element.find(f"{XDR}nvPicPr/{XDR}cNvPicPr")
        if locks is not None and locks.get("preferRelativeResize") == "0":
            facts[Aspect.RAW, "relative resize"] = False
        return Node(base, "image", number=number, facts=facts, label=str(facts.get((Aspect.TEXT, "alt text"), "")), depends=("theme",))
    text = shape_text(element)
    if text:
        facts[Aspect.TEXT, "text"] = text
    facts[Aspect.STRUCTURE, "type"] = etree.QName(element).localname
    properties = element.find(f"{XDR}spPr")
    _look(build, properties, part, colours, facts)
    skip = [child for child in element.iter(f"{XDR}nvSpPr", f"{XDR}nvCxnSpPr", f"{XDR}nvGraphicFramePr") if child.getparent() is element]
    rest = merged_runs(element, part, build.canonical)
    for child in list(rest):
        if any(child.tag == gone.tag for gone in skip) or child.tag == f"{XDR}spPr":
            rest.remove(child)
    for child in rest.iter(f"{XDR}cNvPr"):
        child.attrib.pop("id", "")
    facts[Aspect.RAW, "shape"] = digest(build.canonical.element(rest, part))
    return Node(base, "shape", number=number, facts=facts, label=text or str(facts.get((Aspect.LAYOUT, "name"), "")), depends=("theme",))


def _series_name(build: Build, series: ChartSeries) -> str:
    """The name of a series; where it comes from a cell, what that cell holds."""
    reference = parse_reference(series.name_reference) if series.name_reference else None
    sheet = build.workbook.sheet(reference.sheet) if reference is not None and reference.sheet is not None and reference.book is None else None
    if reference is None or sheet is None:
        return series.name
    cell = sheet.cell(reference.area.first_row, reference.area.first_column)
    return cell.value if cell is not None and isinstance(cell.value, str) else series.name


def shape_text(element: etree._Element) -> str:
    """The text of a shape or group, a line for each paragraph."""
    paragraphs = ["".join(run.text or "" if run.tag == f"{A}t" else "\n" for run in paragraph.iter(f"{A}t", f"{A}br")) for paragraph in element.iter(f"{A}p")]
    return "\n".join(paragraphs) if any(paragraphs) else ""


def _translated_chart(build: Build, sheet: Sheet, node: Node, base: str, number: int) -> Node:
    """The chart with the references of its series in the other document's coordinates."""
    names = {(Aspect.FORMULA, name) for name in SERIES_REFERENCES}

    def moved(facts: Facts) -> Facts:
        return {key: build.translation.formula(value, sheet.name) if key[0] is Aspect.FORMULA and isinstance(value, str) else value for key, value in facts.items()}

    def children() -> list[Node]:
        return [
            Node(node.address, child.kind, number=child.number, facts=moved(dict(child.facts)) if names & set(child.facts) else child.facts, label=child.label)
            for child in node.children
        ]

    return Node(base, "chart", number=number, facts=lambda: moved(dict(node.facts)), children=children, depends=node.depends)


def _anchor_facts(build: Build, sheet: Sheet, anchor: etree._Element) -> Facts:
    out: Facts = {}
    kind = etree.QName(anchor).localname
    moves = anchor.get("editAs", "twoCell" if kind == "twoCellAnchor" else "oneCell" if kind == "oneCellAnchor" else "absolute")
    out[Aspect.GEOMETRY, "moves with cells"] = {"twoCell": "move and size", "oneCell": "move", "absolute": "no"}.get(moves, moves)
    for name in ("from", "to"):
        marker = anchor.find(f"{XDR}{name}")
        if marker is not None:
            out[Aspect.GEOMETRY, name] = _marker(build, sheet, marker)
    position, extent = anchor.find(f"{XDR}pos"), anchor.find(f"{XDR}ext")
    if position is not None:
        out[Aspect.GEOMETRY, "position"] = f"{emu(position.get('x'))}, {emu(position.get('y'))}"
    if extent is not None:
        out[Aspect.GEOMETRY, "size"] = f"{emu(extent.get('cx'))} x {emu(extent.get('cy'))}"
    client = anchor.find(f"{XDR}clientData")
    if client is not None:
        if client.get("fLocksWithSheet") is not None and not is_true(client.get("fLocksWithSheet")):
            out[Aspect.PROTECTION, "locked"] = False
        if client.get("fPrintsWithSheet") is not None and not is_true(client.get("fPrintsWithSheet")):
            out[Aspect.LAYOUT, "prints"] = False
    return out


def _marker(build: Build, sheet: Sheet, marker: etree._Element) -> str:
    values = {etree.QName(child).localname: emu(child.text) for child in marker if isinstance(child.tag, str)}
    row, column = values.get("row", 0) + 1, values.get("col", 0) + 1
    row = build.translation.row(sheet.name, row) or row
    column = build.translation.column(sheet.name, column) or column
    return f"{cell_name(row, column)} +{values.get('colOff', 0)} +{values.get('rowOff', 0)}"


def _common_facts(build: Build, part: Part, element: etree._Element, facts: Facts) -> None:
    """Name, alternative text, visibility, link and macro of an object."""
    properties = next(iter(element.iter(f"{XDR}cNvPr")), None)
    if element.get("macro"):
        facts[Aspect.CODE, "macro"] = element.get("macro")
    if element.get("textlink"):
        facts[Aspect.FORMULA, "text"] = build.translation.formula(element.get("textlink", ""), None)
    if is_true(element.get("fPublished")):
        facts[Aspect.RAW, "published"] = True
    if properties is None:
        return
    name = properties.get("name", "")
    if name and not _AUTOMATIC.fullmatch(name):
        facts[Aspect.LAYOUT, "name"] = name
    for attribute, fact in (("descr", "alt text"), ("title", "alt title")):
        if properties.get(attribute):
            facts[Aspect.TEXT, fact] = properties.get(attribute)
    if is_true(properties.get("hidden")):
        facts[Aspect.STRUCTURE, "hidden"] = True
    for child in properties:
        local = etree.QName(child).localname
        if local in ("hlinkClick", "hlinkHover"):
            rel = part.relationships.get(child.get(f"{R}id", ""))
            facts[Aspect.LINK, local] = f"{rel.target if rel is not None else ''} {child.get('tooltip', '')}".strip()
        elif local == "extLst":
            text = "".join(build.raw(inner, part) for extension in child for inner in extension if not str(inner.tag).endswith("creationId"))
            if text:
                facts[Aspect.RAW, "extensions"] = text


def _look(build: Build, properties: etree._Element | None, part: Part, colours: Colours, facts: Facts) -> None:
    if properties is None:
        return
    fill = fill_text(properties, colours, part)
    if fill is not None:
        facts[Aspect.FORMAT, "fill"] = fill
    line = line_text(properties.find(f"{A}ln"), colours, part)
    # A line of which only the dash is said has no colour and is not drawn.
    if line is not None and line not in ("prstDash(val=solid)", "none prstDash(val=solid)"):
        facts[Aspect.FORMAT, "line"] = line
    outline = shape_geometry(properties, colours)
    if outline is not None and outline != "rect":
        facts[Aspect.FORMAT, "geometry"] = outline
    frame = properties.find(f"{A}xfrm")
    if frame is not None:
        facts |= geometry_facts(frame)
    for child in properties:
        local = etree.QName(child).localname
        if local not in ("xfrm", "ln", "prstGeom", "custGeom", "noFill", "solidFill", "gradFill", "blipFill", "pattFill", "grpFill"):
            text = look_text(child, colours, part)
            if text and local != "extLst":
                facts[Aspect.FORMAT, local] = text if len(text) < 160 else digest(text)
    if properties.get("bwMode"):
        facts[Aspect.RAW, "black and white"] = properties.get("bwMode")
