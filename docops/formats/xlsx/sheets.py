"""A sheet as a node: its own settings, print set-up, rows, columns, cells, and everything on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property

from lxml import etree

from docops.core.address import Segment
from docops.core.codes import Aspect
from docops.core.node import Align, Node, Value
from docops.formats.ooxml.package import Part
from docops.formats.xlsx.build import Build, Facts, attributes, digest
from docops.formats.xlsx.cells import Layout, cell_facts, cell_node, sheet_address
from docops.formats.xlsx.comments import other_legacy_shapes
from docops.formats.xlsx.drawings import drawing_nodes
from docops.formats.xlsx.model import Cell, Row, Sheet, X
from docops.formats.xlsx.printing import PRINT_ELEMENTS, print_facts
from docops.formats.xlsx.ranges import (
    X14,
    comment_nodes,
    conditional_nodes,
    filter_value,
    hyperlink_nodes,
    merge_nodes,
    pivot_nodes,
    sort_value,
    table_nodes,
    validation_nodes,
)
from docops.formats.xlsx.references import Area, parse_area
from docops.formats.xlsx.values import MAX_COLUMN, MAX_ROW, column_letters, is_true, number_text, whole

#: Columns that get a node of their own; what is said of all columns to their right is said once.
_SINGLE_COLUMNS = 64
#: Cells of one range that are named whether they hold anything or not.
_EMPTY_CELLS = 20_000

_VIEW_DEFAULTS = {
    "showGridLines": "1",
    "showRowColHeaders": "1",
    "showFormulas": "0",
    "showZeros": "1",
    "rightToLeft": "0",
    "showOutlineSymbols": "1",
    "defaultGridColor": "1",
    "colorId": "64",
    "showRuler": "1",
    "showWhiteSpace": "1",
    "windowProtection": "0",
}
_VIEW_VOLATILE = (
    "tabSelected",
    "view",
    "topLeftCell",
    "zoomScale",
    "zoomScaleNormal",
    "zoomScaleSheetLayoutView",
    "zoomScalePageLayoutView",
    "zoomToFit",
    "workbookViewId",
)
_VIEW_NAMES = {"showGridLines": "grid lines", "showRowColHeaders": "headings", "rightToLeft": "right to left", "showFormulas": "show formulas", "showZeros": "show zeros"}
_PROTECTION_DEFAULTS = {
    "sheet": "0",
    "content": "0",
    "objects": "0",
    "scenarios": "0",
    "formatCells": "1",
    "formatColumns": "1",
    "formatRows": "1",
    "insertColumns": "1",
    "insertRows": "1",
    "insertHyperlinks": "1",
    "deleteColumns": "1",
    "deleteRows": "1",
    "selectLockedCells": "0",
    "sort": "1",
    "autoFilter": "1",
    "pivotTables": "1",
    "selectUnlockedCells": "0",
}
_PROPERTY_DEFAULTS = {
    "syncHorizontal": "0",
    "syncVertical": "0",
    "transitionEvaluation": "0",
    "transitionEntry": "0",
    "published": "1",
    "filterMode": "0",
    "enableFormatConditionsCalculation": "1",
}
#: Elements of a sheet that are modelled elsewhere, or derived from the rest.
_MODELLED = frozenset(
    {
        *PRINT_ELEMENTS,
        "dimension",
        "sheetViews",
        "sheetFormatPr",
        "sheetPr",
        "cols",
        "sheetData",
        "sheetCalcPr",
        "sheetProtection",
        "autoFilter",
        "sortState",
        "mergeCells",
        "phoneticPr",
        "conditionalFormatting",
        "dataValidations",
        "hyperlinks",
        "drawing",
        "legacyDrawing",
        "tableParts",
        "extLst",
        "customSheetViews",
    }
)  # fmt: skip


#: Extensions that are modelled, with the identifier under which programs find them.
_EXTENSIONS = {
    f"{X14}conditionalFormattings": "{78C0D931-6437-407D-A8EE-F0AAD7539E65}",
    f"{X14}dataValidations": "{CCE6A557-97BC-4B89-ADB6-D9C93CAAB3DF}",
    f"{X14}sparklineGroups": "{05C60535-1F16-4FD2-B633-F4F36F0B64E0}",
}


class SheetTree:
    """The nodes of one sheet, each built at first use.

    build: what all sheets share.   layout: what cell facts depend on.
    """

    def __init__(self, build: Build, sheet: Sheet, names: Callable[[], Sequence[Node]], fingerprint: str | None) -> None:
        self.build = build
        self.sheet = sheet
        self.layout = Layout(sheet)
        self._names = names
        self._cells: dict[tuple[int, int], Node] = {}
        key = build.translation.sheet(sheet.name)
        self.node = Node(
            None,
            "sheet",
            name=sheet.name,
            facts=self.facts,
            children=self.children,
            number=sheet.index + 1,
            align=Align.ORDERED_KEY,
            key=f"sheet {key}",
            label=sheet.name,
            fingerprint=fingerprint,
            lookup=self.lookup,
        )

    def children(self) -> list[Node]:
        """Everything on the sheet."""
        return [*self.others, *self.rows, *self.columns, *self.cell_nodes()]

    @cached_property
    def others(self) -> list[Node]:
        """Everything on the sheet but rows, columns and cells."""
        build, sheet = self.build, self.sheet
        if sheet.xml is None or sheet.part is None:
            return list(self._names())
        build.modelled.add(sheet.part.name)
        return [
            *self._print(),
            *self._names(),
            *merge_nodes(build, sheet),
            *table_nodes(build, sheet),
            *validation_nodes(build, sheet),
            *conditional_nodes(build, sheet),
            *hyperlink_nodes(build, sheet),
            *comment_nodes(build, sheet),
            *pivot_nodes(build, sheet),
            *drawing_nodes(build, sheet),
        ]

    def _print(self) -> list[Node]:
        facts = print_facts(self.build, self.sheet)
        return [Node(sheet_address(self.sheet.name), "print", facts=facts, align=Align.KEY)] if facts else []

    # Rows and columns ------------------------------------------------------------------------------------------------

    @cached_property
    def rows(self) -> list[Node]:
        """Rows that say anything of their own."""
        return [self.row(number, facts) for number, row in self.sheet.rows.items() if (facts := self.row_facts(row))]

    def row(self, number: int, facts: Mapping[tuple[Aspect, str], Value], *, children: Sequence[Node] = (), key: str | None = None) -> Node:
        """The node of a row."""
        if key is None:
            moved = self.build.translation.row(self.sheet.name, number)
            key = f"row {moved}" if moved is not None else f"gone row {number}"
        return Node(sheet_address(self.sheet.name), "row", number=number, facts=facts, align=Align.KEY, key=key, children=children, label="")

    def row_facts(self, row: Row) -> Facts:
        """Height, visibility, outline level and format of a row."""
        element = row.element
        attributes_ = element.attrib
        if len(attributes_) <= 2 and all(name in ("r", "spans") for name in attributes_):
            return {}
        out: Facts = {}
        height = element.get("ht")
        if height is not None and (shown := _rounded(height)) != self.default_height:
            out[Aspect.GEOMETRY, "height"] = shown
        _outline_facts(element, out)
        if is_true(element.get("customFormat")):
            out |= self.layout.styles.difference(whole(element.get("s")))
        return out

    @cached_property
    def default_height(self) -> str:
        """Height of rows that state none."""
        element = self.sheet.xml.find(f"{X}sheetFormatPr") if self.sheet.xml is not None else None
        return _rounded(element.get("defaultRowHeight", "15")) if element is not None else "15"

    @cached_property
    def columns(self) -> list[Node]:
        """Columns that say anything of their own."""
        runs: list[tuple[int, int, Facts]] = []
        for element in self.sheet.xml.iterfind(f"{X}cols/{X}col") if self.sheet.xml is not None else ():
            first, last = _bound(element.get("min")), _bound(element.get("max"))
            facts = self._column_facts(element)
            if not facts:
                continue
            runs += [(column, column, facts) for column in range(first, min(last, _SINGLE_COLUMNS) + 1)]
            if last > _SINGLE_COLUMNS:
                first = max(first, _SINGLE_COLUMNS + 1)
                if runs and runs[-1][1] == first - 1 and runs[-1][1] > _SINGLE_COLUMNS and runs[-1][2] == facts:
                    first = runs.pop()[0]
                runs.append((first, last, facts))
        return [self._column(first, last, facts) for first, last, facts in runs]

    def _column(self, first: int, last: int, facts: Facts) -> Node:
        base = sheet_address(self.sheet.name)
        name = column_letters(first) if first == last else f"{column_letters(first)}:{column_letters(last)}"
        moved = self.build.translation.column(self.sheet.name, first), self.build.translation.column(self.sheet.name, last)
        key = f"column {moved[0]}:{moved[1]}" if None not in moved else f"gone column {name}"
        return Node(base, "column", name=name, facts=facts, align=Align.KEY, key=key, label="")

    def whole_column(self, number: int, facts: Facts, children: Sequence[Node], key: str) -> Node:
        """The node of a column that was inserted or deleted, with its cells."""
        base = sheet_address(self.sheet.name)
        return Node(base, "column", name=column_letters(number), facts=facts, children=children, align=Align.KEY, key=key, label="")

    def line(self, kind: str, number: int) -> Node:
        """The node of a row or column, without facts, for its address."""
        return self.row(number, {}) if kind == "row" else self.whole_column(number, {}, (), "")

    def _column_facts(self, element: etree._Element) -> Facts:
        out: Facts = {}
        width = _rounded(element.get("width", ""))
        # A hidden column without a width and one of width 0 are the same.
        if width and not (width == "0" and is_true(element.get("hidden"))):
            out[Aspect.GEOMETRY, "width"] = width
        _outline_facts(element, out)
        out |= self.layout.styles.difference(whole(element.get("style")))
        return out

    # Cells -----------------------------------------------------------------------------------------------------------

    def cell_nodes(self) -> list[Node]:
        """Cells that hold anything, row by row."""
        out = []
        for number in sorted(self.sheet.rows):
            for column, cell in sorted(self.sheet.rows[number].cells.items()):
                node = self.cell_node(number, column, cell)
                if node.facts:
                    out.append(node)
        return out

    def cell_node(self, row: int, column: int, cell: Cell | None = None) -> Node:
        """The node of a cell, with no facts where it holds nothing."""
        node = self._cells.get((row, column))
        if node is None:
            cell = cell if cell is not None else self.sheet.cell(row, column)
            facts = cell_facts(self.build, self.layout, row, column, cell) if cell is not None else {}
            node = self._cells[row, column] = cell_node(self.build, self.layout, row, column, facts)
        return node

    # Addresses -------------------------------------------------------------------------------------------------------

    def lookup(self, segment: Segment) -> Sequence[Node] | None:
        """Cells, rows and columns by reference and range; None for other kinds."""
        if segment.any and segment.kind in ("row", "column"):
            return self._every(segment.kind)
        if segment.kind == "cell" and segment.number is not None:
            # A reference of digits alone: whole rows, as in formulas.
            return self._find_cells(f"{segment.number}:{segment.last}") if segment.last is not None else []
        if segment.kind == "cell" and segment.name is not None:
            return self._find_cells(segment.name)
        if segment.kind == "row" and segment.number is not None:
            stated = {node.number: node for node in self.rows}
            last = min(segment.last if segment.last is not None else segment.number, MAX_ROW, segment.number + _EMPTY_CELLS)
            return [stated.get(number) or self.row(number, {}) for number in range(segment.number, last + 1)]
        if segment.kind == "column" and segment.name is not None:
            return self._find_columns(segment.name)
        if segment.kind == "print" and not self._print():
            return [Node(sheet_address(self.sheet.name), "print", align=Align.KEY)]
        return None

    def _every(self, kind: str) -> list[Node]:
        """The rows or columns in use, whether they say anything of their own or not."""
        if kind == "row":
            stated = {node.number: node for node in self.rows}
            return [stated.get(number) or self.row(number, {}) for number in sorted(self.sheet.rows)]
        used = {column for row in self.sheet.rows.values() for column in row.cells}
        known = {node.name for node in self.columns}
        return [*self.columns, *(self._column(column, column, {}) for column in sorted(used) if column_letters(column) not in known)]

    def _find_cells(self, name: str) -> list[Node]:
        try:
            area = parse_area(name)
        except ValueError:
            return []
        if area.count <= _EMPTY_CELLS:
            return [self.cell_node(row, column) for row, column in area.cells()]
        return [self.cell_node(row, column, cell) for row, column, cell in self.stored(area)]

    def stored(self, area: Area) -> Iterator[tuple[int, int, Cell]]:
        """Stored cells of an area, row by row."""
        for number in sorted(self.sheet.rows):
            if area.first_row <= number <= area.last_row:
                for column, cell in sorted(self.sheet.rows[number].cells.items()):
                    if area.first_column <= column <= area.last_column:
                        yield number, column, cell

    def _find_columns(self, name: str) -> list[Node]:
        try:
            area = parse_area(name if ":" in name else f"{name}:{name}")
        except ValueError:
            return []
        stated = {node.name: node for node in self.columns}
        if name in stated:
            return [stated[name]]
        last = min(area.last_column, MAX_COLUMN)
        found = [stated.get(column_letters(column)) or self._column(column, column, {}) for column in range(area.first_column, last + 1)]
        return [*found, *(node for shown, node in stated.items() if shown and ":" in shown and _within(shown, area))]

    # The sheet itself ------------------------------------------------------------------------------------------------

    def facts(self) -> Facts:
        """Facts of the sheet alone."""
        sheet = self.sheet
        out: Facts = {(Aspect.NAME, "name"): sheet.name, (Aspect.STRUCTURE, "state"): "hidden" if sheet.state == "veryHidden" else sheet.state}
        if sheet.state == "veryHidden":
            # Only macros show such a sheet again; other programs know hidden ones alone.
            out[Aspect.PROTECTION, "very hidden"] = True
        if sheet.kind != "worksheet":
            out[Aspect.STRUCTURE, "type"] = sheet.kind
        if sheet.part is None or sheet.xml is None:
            out[Aspect.STRUCTURE, "content"] = "missing"
            return out
        if sheet.kind == "macrosheet":
            out[Aspect.CODE, "content"] = self.build.canonical.part(sheet.part.name)
            return out
        counts: dict[str, int] = {}
        for child in sheet.xml:
            local = etree.QName(child).localname
            if local in _SHEET_FACTS:
                out |= _SHEET_FACTS[local](self, child, sheet.part)
            elif local not in _MODELLED:
                counts[local] = counts.get(local, 0) + 1
                name = local if counts[local] == 1 else f"{local} {counts[local]}"
                out[Aspect.RAW, name] = self.build.raw_of(child, sheet.part, sheet.name)
        for name, value in attributes(sheet.xml, {}).items():
            out[Aspect.RAW, name] = value
        shapes = other_legacy_shapes(sheet)
        if shapes:
            out[Aspect.RAW, "controls"] = digest("".join(_control(self.build, shape, sheet) for shape in shapes))
        return out


def _control(build: Build, shape: etree._Element, sheet: Sheet) -> str:
    from docops.formats.xlsx.comments import legacy_drawing

    part = legacy_drawing(sheet)
    return build.canonical.element(shape, part, skip_attributes=("id", "{urn:schemas-microsoft-com:office:office}spid")) if part is not None else ""


def _outline_facts(element: etree._Element, out: Facts) -> None:
    if is_true(element.get("hidden")):
        out[Aspect.STRUCTURE, "hidden"] = True
    level = element.get("outlineLevel", "0")
    if level != "0":
        out[Aspect.STRUCTURE, "outline level"] = level
    if is_true(element.get("collapsed")):
        out[Aspect.STRUCTURE, "collapsed"] = True


def _rounded(text: str) -> str:
    """A length as far as programs keep it."""
    try:
        return number_text(round(float(text), 4))
    except (ValueError, OverflowError):
        return text


def _bound(text: str | None) -> int:
    return min(max(whole(text, 1), 1), MAX_COLUMN)


def _within(name: str, area: Area) -> bool:
    own = parse_area(name)
    return area.first_column <= own.last_column and own.first_column <= area.last_column


def _view(tree: SheetTree, element: etree._Element, part: Part) -> Facts:
    out: Facts = {}
    view = element.find(f"{X}sheetView") if element.find(f"{X}sheetView") is not None else element.find(f"{X}customSheetView")
    if view is None:
        return out
    for name, value in attributes(view, _VIEW_DEFAULTS, _VIEW_VOLATILE).items():
        shown = _VIEW_NAMES.get(name, name)
        out[Aspect.LAYOUT, shown] = {"1": True, "0": False}.get(value, value)
    pane = view.find(f"{X}pane")
    if pane is not None:
        state = pane.get("state", "split")
        across, down = _rounded(pane.get("xSplit", "0")), _rounded(pane.get("ySplit", "0"))
        if (across, down) != ("0", "0"):
            frozen = state in ("frozen", "frozenSplit")
            if frozen and tree.build.translation.moves(tree.sheet.name):
                across = _moved_count(across, lambda n: tree.build.translation.column(tree.sheet.name, n))
                down = _moved_count(down, lambda n: tree.build.translation.row(tree.sheet.name, n))
            out[Aspect.LAYOUT, "panes"] = f"{'frozen' if frozen else 'split'} at {across} across, {down} down"
    for child in view:
        if etree.QName(child).localname in ("pivotSelection", "extLst") and len(child):
            out[Aspect.RAW, f"view {etree.QName(child).localname}"] = tree.build.raw(child, part)
    return out


def _moved_count(text: str, moved: Callable[[int], int | None]) -> str:
    count = whole(text)
    if not count:
        return text
    new = moved(count)
    return str(new) if new is not None else text


def _format(tree: SheetTree, element: etree._Element, part: Part) -> Facts:
    out: Facts = {}
    if tree.default_height != "15":
        out[Aspect.GEOMETRY, "default row height"] = tree.default_height
    if element.get("defaultColWidth") is not None:
        out[Aspect.GEOMETRY, "default column width"] = _rounded(element.get("defaultColWidth", ""))
    if element.get("baseColWidth", "8") != "8":
        out[Aspect.GEOMETRY, "base column width"] = element.get("baseColWidth")
    for name in ("zeroHeight", "thickTop", "thickBottom"):
        if is_true(element.get(name)):
            out[Aspect.GEOMETRY, name] = True
    return out


def _properties(tree: SheetTree, element: etree._Element, part: Part) -> Facts:
    out: Facts = {}
    for name, value in attributes(element, _PROPERTY_DEFAULTS, ("filterMode",)).items():
        out[Aspect.CODE if name == "codeName" else Aspect.RAW, "code name" if name == "codeName" else name] = value
    for child in element:
        local = etree.QName(child).localname
        if local == "tabColor":
            color = tree.build.workbook.styles.color(child, "")
            if color:
                out[Aspect.FORMAT, "tab color"] = color
        elif local == "outlinePr":
            defaults = {"applyStyles": "0", "summaryBelow": "1", "summaryRight": "1", "showOutlineSymbols": "1"}
            out |= {(Aspect.LAYOUT, f"outline {name}"): value for name, value in attributes(child, defaults).items()}
        elif local != "pageSetUpPr":
            out[Aspect.RAW, local] = tree.build.raw(child, part)
    return out


def _protection(tree: SheetTree, element: etree._Element, part: Part) -> Facts:
    stated = attributes(element, _PROTECTION_DEFAULTS)
    return {(Aspect.PROTECTION, name): value.upper() if name == "password" else value for name, value in stated.items()}


def _filter(tree: SheetTree, element: etree._Element, part: Part) -> Facts:
    out: Facts = {(Aspect.STRUCTURE, "filter"): filter_value(tree.build, tree.sheet, element)}
    inner = element.find(f"{X}sortState")
    if inner is not None:
        out[Aspect.STRUCTURE, "filter sorted"] = sort_value(tree.build, tree.sheet, inner)
    return out


def _sorted(tree: SheetTree, element: etree._Element, part: Part) -> Facts:
    return {(Aspect.STRUCTURE, "sorted"): sort_value(tree.build, tree.sheet, element)}


def _extensions(tree: SheetTree, element: etree._Element, part: Part) -> Facts:
    """Extensions that no other node speaks of: sparklines, slicers, time lines, and unknown ones."""
    out: Facts = {}
    for extension in element:
        uri = extension.get("uri", "").upper()
        for child in extension:
            local = etree.QName(child).localname
            known = _EXTENSIONS.get(child.tag)
            if known is not None and uri != known:
                # Programs look at the identifier and pass over what they do not know.
                out[Aspect.RAW, f"{local} extension"] = uri
            if child.tag == f"{X14}sparklineGroups":
                for number, group in enumerate(child, 1):
                    out[Aspect.RAW, f"sparklines {number}"] = tree.build.raw_of(group, part, tree.sheet.name)
            elif known is None:
                out[Aspect.RAW, local if (Aspect.RAW, local) not in out else f"{local} 2"] = f"{uri} {tree.build.raw_of(child, part, tree.sheet.name)}"
    return out


def _custom_views(tree: SheetTree, element: etree._Element, part: Part) -> Facts:
    return {(Aspect.RAW, "custom views"): digest(tree.build.canonical.element(element, part))}


_SHEET_FACTS: Mapping[str, Callable[[SheetTree, etree._Element, Part], Facts]] = {
    "sheetViews": _view,
    "sheetFormatPr": _format,
    "sheetPr": _properties,
    "sheetProtection": _protection,
    "autoFilter": _filter,
    "sortState": _sorted,
    "extLst": _extensions,
    "customSheetViews": _custom_views,
}

