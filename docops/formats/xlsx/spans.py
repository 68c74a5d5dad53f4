"""Every text that a workbook stores, with its role and whether a reader can see it (the table is in docs/facts-xlsx.md)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from lxml import etree

from docops.core.codes import Aspect
from docops.core.errors import Unreadable
from docops.core.node import Node, Value
from docops.core.spans import Role, TextSpan
from docops.formats.ooxml.chart import chart_spans
from docops.formats.ooxml.common import leftover_nodes, property_nodes, stored_names
from docops.formats.xlsx.build import Build
from docops.formats.xlsx.cells import Layout, sheet_address
from docops.formats.xlsx.comments import read_comments
from docops.formats.xlsx.conditions import Conditions
from docops.formats.xlsx.covers import Covers
from docops.formats.xlsx.document import modelled_parts
from docops.formats.xlsx.drawings import XDR, anchored, chart_element, drawing_part, shape_text
from docops.formats.xlsx.model import R_ID, Cell, Kind, Row, Sheet, Workbook, X
from docops.formats.xlsx.numberformats import shown, sign
from docops.formats.xlsx.printing import header_sections, header_texts
from docops.formats.xlsx.recalc.source import CellError, CellValue
from docops.formats.xlsx.shift import IDENTITY
from docops.formats.xlsx.values import cell_name, is_true, iso_of_serial, number_text, unescape, whole

_CODES = re.compile(r'&"[^"]*"|&[0-9]+|&K[0-9A-Fa-f]{6}|&K[0-9]{2}[+-][0-9]{3}|&[BIUESXYHOGZFADTNP]|&&', re.IGNORECASE)
_HEX = re.compile("[0-9A-Fa-f]{6}")
#: Steps of a colour channel that no eye tells apart.
_SAME_COLOUR = 6
_KEPT = {"&P": "#", "&N": "#", "&D": "", "&T": "", "&&": "&"}


def workbook_spans(workbook: Workbook) -> list[TextSpan]:
    """Every text of a workbook: sheets in order, names, links, properties, and what only other parts store."""
    out: list[TextSpan] = []
    build = Build(workbook, IDENTITY)
    used: set[int] = set()
    for sheet in workbook.sheets:
        out += _sheet_spans(build, sheet, used)
    for name in workbook.names:
        if name.name == "_xlnm._FilterDatabase":
            continue
        known = name.scope is not None and 0 <= name.scope < len(workbook.sheets)
        parent = sheet_address(workbook.sheets[name.scope].name) if known and name.scope is not None else None
        if parent is not None and name.name in ("_xlnm.Print_Area", "_xlnm.Print_Titles"):
            address = f"{parent}/print"
        else:
            address = Node(parent, "name", name=name.name).address
        out.append(TextSpan(address, address, name.name, Role.NAME, False, "name"))
        out.append(TextSpan(address, f"{address} formula", name.text, Role.FORMULA, False, "formula"))
        if name.element.get("comment"):
            out.append(TextSpan(address, f"{address} comment", name.element.get("comment", ""), Role.NAME, False, "name"))
    out += _property_spans(workbook)
    out += stored_names(workbook.package)
    out += _stored_spans(workbook, used)
    return [span for span in out if span.text]


def _sheet_spans(build: Build, sheet: Sheet, used: set[int]) -> Iterator[TextSpan]:
    address = sheet_address(sheet.name)
    why = "" if sheet.state == "visible" else "hidden sheet"
    yield TextSpan(address, address, sheet.name, Role.NAME, not why, why)
    if sheet.xml is None or sheet.kind == "macrosheet":
        return
    layout = Layout(sheet)
    covers, conditions = Covers(sheet), Conditions(sheet)
    hidden_columns = _hidden_columns(sheet)
    for number in sorted(sheet.rows):
        row = sheet.rows[number]
        hidden_row = why or _row_hidden(sheet, row)
        for column, cell in sorted(row.cells.items()):
            if cell.value is not None or cell.formula is not None or cell.other:
                place = f"{address}/cell[{cell_name(number, column)}]"
                hidden = hidden_row or ("hidden column" if _within(column, hidden_columns) else "")
                yield from _cell_spans(layout, covers, conditions, place, number, column, cell, hidden)
    used.update(_shared_strings_of(sheet))
    yield from _other_spans(build, sheet, address, why)


def _cell_spans(
    layout: Layout, covers: Covers, conditions: Conditions, address: str, row: int, column: int, cell: Cell, why: str
) -> Iterator[TextSpan]:
    text = shown_text(layout.sheet.workbook, cell)
    if text:
        look = {} if why else _look(layout, conditions, row, column, cell)
        why = why or _unseen(layout, covers, row, column, cell, text, look)
        if not why and cell.runs is not None:
            yield from _run_spans(layout, cell, address, look)
        else:
            yield TextSpan(address, address, text, Role.BODY, not why, why)
    if cell.formula is not None:
        formula = layout.sheet.formula_text(row, column, cell.formula)
        if formula:
            yield TextSpan(address, f"{address} formula", f"={formula}", Role.FORMULA, False, "formula")
    for name, value in cell.other:
        if name == "phonetic":
            yield TextSpan(address, f"{address} phonetic", value, Role.ALT, False, "phonetic")


def _look(layout: Layout, conditions: Conditions, row: int, column: int, cell: Cell) -> Mapping[str, Value]:
    """What conditional formats make of a cell, as far as it may hide the cell."""
    return conditions.look(row, column) if conditions.rules and _may_hide(layout, conditions, row, column, cell) else {}


def _unseen(layout: Layout, covers: Covers, row: int, column: int, cell: Cell, text: str, look: Mapping[str, Value]) -> str:
    """Why nobody sees a cell whose sheet, row and column are shown, or ""."""
    if layout.merged:
        area = layout.covering(row, column)
        if area is not None and (area.first_row, area.first_column) != (row, column):
            return "covered by a merged cell"
    return _invisible(layout, cell, look) or ("covered by an object" if covers.hides(row, column, text) else "")


class Sight:
    """What a reader sees of the cells of one sheet, their value given, whatever value is stored."""

    def __init__(self, sheet: Sheet) -> None:
        self._sheet = sheet
        self._layout = Layout(sheet)
        self._covers = Covers(sheet)
        self._conditions = Conditions(sheet)
        self._columns = _hidden_columns(sheet)

    def hidden_by(self, row: int, column: int, value: CellValue, text: str) -> str:
        """Why nobody sees a cell that has a value and shows it as a text, or ""."""
        stored = self._sheet.rows.get(row)
        cell = stored.cells.get(column) if stored is not None else None
        if self._sheet.state != "visible":
            return "hidden sheet"
        if stored is None or cell is None:
            return ""
        cell = _holding(cell, value)
        hidden = _row_hidden(self._sheet, stored) or ("hidden column" if _within(column, self._columns) else "")
        look = {} if hidden else _look(self._layout, self._conditions, row, column, cell)
        return hidden or _unseen(self._layout, self._covers, row, column, cell, text, look)


def _holding(cell: Cell, value: CellValue) -> Cell:
    """A cell with the value that its formula has, which need not be the stored one."""
    if cell.formula is None or value is None:
        return cell
    if isinstance(value, CellError):
        return cell._replace(kind=Kind.ERROR, value=value.code, runs=None)
    kind = Kind.BOOLEAN if isinstance(value, bool) else Kind.NUMBER if isinstance(value, float) else Kind.TEXT
    return cell._replace(kind=kind, value=value, runs=None)


def _run_spans(layout: Layout, cell: Cell, address: str, look: Mapping[str, Value]) -> Iterator[TextSpan]:
    ground = background(layout, cell, look)
    for run in cell.runs or ():
        color = str(layout.styles.font(run.font)["font.color"]) if run.font is not None else None
        why = "colour of the background" if color is not None and _near(color, ground) else ""
        if not why and run.font is not None and _is_tiny(layout.styles.font(run.font)["font.size"]):
            why = "size"
        yield TextSpan(address, address, run.text, Role.BODY, not why, why)


def shown_text(workbook: Workbook, cell: Cell) -> str:
    """A cell's stored value as text: dates in ISO form, other numbers in general form, whatever the number format shows."""
    value = cell.value
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float):
        if workbook.is_date(cell.style):
            return iso_of_serial(value, workbook.date1904) or number_text(value)
        return number_text(value)
    return value or ""


def background(layout: Layout, cell: Cell, look: Mapping[str, Value]) -> str:
    """The colour behind a cell's text, "" where it is a pattern. `look`: what conditional formats make of it."""
    fill = str(look.get("fill", layout.styles.facts(cell.style)[Aspect.FORMAT, "fill"]))
    return "FFFFFF" if fill == "none" else fill if len(fill) == 6 else ""


def _invisible(layout: Layout, cell: Cell, look: Mapping[str, Value]) -> str:
    """Why a cell's format shows nothing of its value; the same for all cells of one format, kind and sign that no rule touches."""
    if look:
        return _why_unseen(layout, cell, look)
    key = (cell.style, cell.kind, sign(cell.value), cell.runs is None)
    known = layout.invisible.get(key)
    if known is None:
        known = layout.invisible[key] = _why_unseen(layout, cell, look)
    return known


def _may_hide(layout: Layout, conditions: Conditions, row: int, column: int, cell: Cell) -> bool:
    """Whether any mixture of what the rules on a cell and its own format say shows nothing; else no rule needs to be tried."""
    looks = conditions.looks(row, column)
    if not looks:
        return False
    key = (cell.style, cell.kind, sign(cell.value), tuple(map(id, looks)))
    known = layout.may_hide.get(key)
    if known is None:
        mixtures = product(*([{}, *({name: look[name]} for look in looks if name in look)] for name in ("font.color", "fill", "number format")))
        known = layout.may_hide[key] = cell.runs is not None or any(_why_unseen(layout, cell, {**a, **b, **c}) for a, b, c in mixtures)
    return known


def _why_unseen(layout: Layout, cell: Cell, look: Mapping[str, Value]) -> str:
    facts = layout.styles.facts(cell.style)
    hidden, stated = shown(str(look.get("number format", facts[Aspect.FORMAT, "number format"])), cell.kind, sign(cell.value))
    font = str(look.get("font.color", facts[Aspect.FORMAT, "font.color"]))
    if (stated or cell.runs is None) and _near(stated or font, background(layout, cell, look)):
        return "colour of the background"
    if hidden:
        return "number format"
    return "size" if cell.runs is None and _is_tiny(facts[Aspect.FORMAT, "font.size"]) else ""


def _near(one: str, other: str) -> bool:
    """Whether no eye tells two colours apart."""
    if _HEX.fullmatch(one) is None or _HEX.fullmatch(other) is None:
        return False
    return all(abs(int(one[at : at + 2], 16) - int(other[at : at + 2], 16)) <= _SAME_COLOUR for at in (0, 2, 4))


def _is_tiny(size: Value) -> bool:
    try:
        return float(str(size)) <= 1
    except ValueError:
        return False


def _row_hidden(sheet: Sheet, row: Row) -> str:
    if is_true(row.element.get("hidden")):
        return "hidden row"
    height = row.element.get("ht")
    if height is not None and _is_less(height, 1):
        return "without height"
    if height is None and row.element.get("hidden") is None and sheet.xml is not None:
        settings = sheet.xml.find(f"{X}sheetFormatPr")
        if settings is not None and is_true(settings.get("zeroHeight")):
            return "hidden row"
    return ""


def _hidden_columns(sheet: Sheet) -> list[tuple[int, int]]:
    out = []
    for element in sheet.xml.iterfind(f"{X}cols/{X}col") if sheet.xml is not None else ():
        first, last = element.get("min", ""), element.get("max", "")
        if (is_true(element.get("hidden")) or _is_less(element.get("width", "1"), 0.1)) and first.isdecimal() and last.isdecimal():
            out.append((whole(first, 1), whole(last, 1)))
    return out


def _within(column: int, ranges: Sequence[tuple[int, int]]) -> bool:
    return any(first <= column <= last for first, last in ranges)


def _is_less(text: str, least: float) -> bool:
    try:
        return float(text) < least
    except ValueError:
        return False


def _other_spans(build: Build, sheet: Sheet, address: str, why: str) -> Iterator[TextSpan]:
    """Comments, headers, input rules, links, tables, drawings."""
    visible = not why
    for ref, comments in read_comments(sheet).found.items():
        for number, comment in enumerate(comments, 1):
            place = Node(address, "comment", name=ref, ordinal=number if len(comments) > 1 else None).address
            yield TextSpan(place, place, comment.text, Role.COMMENT, visible, why)
            yield TextSpan(place, f"{place} author", comment.author, Role.COMMENT, False, "author")
    if sheet.xml is None:
        return
    header = sheet.xml.find(f"{X}headerFooter")
    for name, text in header_texts(header) if header is not None else ():
        unused = (name.startswith("even") and not is_true(_get(header, "differentOddEven"))) or (
            name.startswith("first") and not is_true(_get(header, "differentFirst"))
        )
        role = Role.HEADER if name.endswith("Header") else Role.FOOTER
        for part, content in header_sections(text).items():
            plain = _CODES.sub(lambda match: _KEPT.get(match.group().upper(), ""), str(content))
            hidden = why or ("unused header" if unused else "")
            yield TextSpan(f"{address}/print", f"{address}/print {name} {part}", plain, role, not hidden, hidden)
    yield from _rule_spans(build, sheet, address)
    yield from _drawing_spans(sheet, address, why)


def _get(element: etree._Element | None, name: str) -> str | None:
    return element.get(name) if element is not None else None


def _rule_spans(build: Build, sheet: Sheet, address: str) -> Iterator[TextSpan]:
    from docops.formats.xlsx.ranges import conditional_nodes, hyperlink_nodes, table_nodes, validation_nodes

    for node in validation_nodes(build, sheet):
        for (_, name), value in node.facts.items():
            if name in ("promptTitle", "prompt", "errorTitle", "error") and isinstance(value, str):
                yield TextSpan(node.address, f"{node.address} {name}", value, Role.VALIDATION, False, "input rule")
            elif name in ("formula1", "formula2") and isinstance(value, str):
                yield TextSpan(node.address, f"{node.address} {name}", value, Role.FORMULA, False, "formula")
    for node in conditional_nodes(build, sheet):
        for (_, name), value in node.facts.items():
            if name.startswith("rule ") and isinstance(value, str):
                yield TextSpan(node.address, f"{node.address} {name}", value, Role.FORMULA, False, "formula")
    for node in hyperlink_nodes(build, sheet):
        for (_, name), value in node.facts.items():
            yield TextSpan(node.address, f"{node.address} {name}", str(value), Role.LINK, False, "link")
    for element in sheet.xml.iterfind(f"{X}hyperlinks/{X}hyperlink") if sheet.xml is not None else ():
        ref = element.get("ref", "").replace("$", "")
        place = f"{address}/hyperlink[{ref}]"
        yield TextSpan(place, f"{place} display", unescape(element.get("display", "")), Role.LINK, False, "link")
    for node in table_nodes(build, sheet):
        yield TextSpan(node.address, node.address, node.name or "", Role.NAME, False, "name")
        for column in node.children:
            yield TextSpan(column.address, column.address, str(column.facts.get((Aspect.NAME, "name"), "")), Role.NAME, False, "name")
            for (aspect, name), value in column.facts.items():
                if aspect is Aspect.FORMULA or name == "totalsRowLabel":
                    yield TextSpan(column.address, f"{column.address} {name}", str(value), Role.FORMULA, False, "formula")


def _drawing_spans(sheet: Sheet, address: str, why: str) -> Iterator[TextSpan]:
    part = drawing_part(sheet)
    counts: dict[str, int] = {}
    for _, element in anchored(part) if part is not None else ():
        kind = "chart" if chart_element(element) is not None else "image" if element.tag == f"{XDR}pic" else "shape"
        counts[kind] = counts.get(kind, 0) + 1
        place = f"{address}/{kind}[{counts[kind]}]"
        properties = next(iter(element.iter(f"{XDR}cNvPr")), None)
        hidden = why or ("hidden object" if properties is not None and is_true(properties.get("hidden")) else "")
        for attribute in ("descr", "title"):
            if properties is not None and properties.get(attribute):
                yield TextSpan(place, f"{place} {attribute}", properties.get(attribute, ""), Role.ALT, False, "alternative text")
        if properties is not None and properties.get("name"):
            yield TextSpan(place, f"{place} name", properties.get("name", ""), Role.NAME, False, "name")
        holder = chart_element(element)
        if holder is not None and part is not None:
            chart = part.target(holder.get(R_ID))
            if chart is not None and chart.is_xml:
                yield from chart_spans(chart, place, visible=not hidden, hidden_by=hidden)
        elif kind == "shape":
            for number, line in enumerate(shape_text(element).split("\n"), 1):
                yield TextSpan(place, f"{place} paragraph {number}", line, Role.BODY, not hidden, hidden)


def _property_spans(workbook: Workbook) -> Iterator[TextSpan]:
    for node in property_nodes(workbook.package):
        for (aspect, name), value in node.facts.items():
            if aspect is Aspect.METADATA and name in ("value", "link"):
                yield TextSpan(node.address, f"{node.address} {name}", str(value), Role.METADATA, False, "metadata")


def _shared_strings_of(sheet: Sheet) -> set[int]:
    found: set[int] = set()
    for row in sheet.rows.values():
        for element in row.element.iterfind(f"{X}c[@t='s']/{X}v"):
            if element.text and element.text.strip().isdecimal():
                found.add(whole(element.text.strip()))
    return found


def _stored_spans(workbook: Workbook, used: set[int]) -> Iterator[TextSpan]:
    """What no reader sees but the file stores: strings that no cell uses, pivot caches, other workbooks' values, other parts."""
    for index, string in enumerate(workbook.strings):
        if index not in used and string.text:
            yield TextSpan("workbook", f"workbook string {index}", string.text, Role.METADATA, False, "unused string")
    for sheet in workbook.sheets:
        for pivot in sheet.part.related("pivotTable") if sheet.part is not None else ():
            address = Node(sheet_address(sheet.name), "pivot", name=pivot.xml.get("name", "")).address
            for cache in pivot.related("pivotCacheDefinition"):
                texts = [element.get("v", "") for element in cache.xml.iter(f"{X}s")]
                for records in cache.related("pivotCacheRecords"):
                    texts += [element.get("v", "") for element in records.xml.iter(f"{X}s")]
                for number, text in enumerate(dict.fromkeys(texts), 1):
                    yield TextSpan(address, f"{address} cache {number}", text, Role.METADATA, False, "pivot cache")
    for number, element in enumerate(workbook.xml.iterfind(f"{X}externalReferences/{X}externalReference"), 1):
        part = workbook.part.target(element.get(R_ID))
        for count, text in enumerate(_texts(part.xml) if part is not None and part.is_xml else (), 1):
            yield TextSpan(f"external[{number}]", f"external[{number}] value {count}", text, Role.METADATA, False, "value of another workbook")
    for node in leftover_nodes(workbook.package, modelled_parts(workbook)):
        part = workbook.package.parts.get(node.name or "")
        if part is None or not part.is_xml:
            continue
        try:
            texts = _texts(part.xml)
        except Unreadable:
            continue
        for count, text in enumerate(texts, 1):
            yield TextSpan(node.address, f"{node.address} text {count}", text, Role.METADATA, False, "not shown")


def _texts(root: etree._Element) -> list[str]:
    return [text for found in root.itertext() if (text := str(found).strip())]


