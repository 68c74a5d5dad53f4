"""The parsed workbook (ECMA-376 part 1, chapter 18): sheets, cells, names, tables, calculation settings.

Everything is read at first use from the parts with lxml; nothing here is written back. Values are what the file stores:
shared and inline strings resolved, booleans and errors typed, dates as serial numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from lxml import etree

from docops.core.codes import FindingCode
from docops.core.errors import Unreadable
from docops.formats.ooxml.common import check_pages
from docops.formats.ooxml.package import NS_R, Package, Part
from docops.formats.xlsx.values import COLUMNS, MAX_ROW, column_number, is_true, serial_of_iso, unescape

if TYPE_CHECKING:
    from docops.formats.xlsx.styles import Styles

NS = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
X = "{" + NS + "}"
R_ID = "{" + NS_R + "}id"
_XML_SPACE = "{http://www.w3.org/XML/1998/namespace}space"
_BLANKS = " \t\r\n"


class Kind:
    """What a cell stores (its data type); a formula cell's is that of its cached value."""

    NUMBER = "number"
    TEXT = "text"
    BOOLEAN = "boolean"
    ERROR = "error"
    BLANK = "blank"


class Formula(NamedTuple):
    """A formula as stored.

    text: as written, without `=`; "" in a cell that shares another one's (see `Sheet.formula`).
    kind: `normal`, `array` or `dataTable`.   ref: the range of an array or data table, or "".
    shared: number of its shared group, or "".   attributes: the others, in the file's spelling (`ca`, `r1`, `dt2D`, …).
    """

    text: str
    kind: str = "normal"
    ref: str = ""
    shared: str = ""
    attributes: tuple[tuple[str, str], ...] = ()


class Cell(NamedTuple):
    """One cell.

    kind: see Kind.   value: float, str, bool (an error is its text), None where blank; the cached value of a formula.
    style: index into the cell formats.   formula: or None.   runs: rich text, or None (see `Text`).
    other: what else the cell states (`cm`, `vm`, `ph`, unknown attributes and elements), canonical.
    """

    kind: str
    value: float | str | bool | None
    style: int
    formula: Formula | None = None
    runs: tuple[Run, ...] | None = None
    other: tuple[tuple[str, str], ...] = ()


class Run(NamedTuple):
    """A run of rich text: its text and its `rPr` element's canonical font facts, None where the cell's own font holds."""

    text: str
    font: etree._Element | None


class Text(NamedTuple):
    """A shared or inline string. `runs`: rich text, or None.   `phonetic`: canonical text of what `rPh` and `phoneticPr` say, or ""."""

    text: str
    runs: tuple[Run, ...] | None = None
    phonetic: str = ""


@dataclass(frozen=True, slots=True)
class DefinedName:
    """A defined name. `scope`: the index of the sheet it belongs to, or None.   `element`: where it stands."""

    name: str
    text: str
    scope: int | None
    hidden: bool
    element: etree._Element


@dataclass(frozen=True, slots=True)
class Table:
    """A table (list object). `columns`: the names, in order.   `header_rows`, `totals_rows`: their counts."""

    name: str
    ref: str
    columns: tuple[str, ...]
    header_rows: int
    totals_rows: int
    sheet: int
    part: Part


class Row:
    """One stored row. `number`: 1-based.   `element`: the `row`, whose attributes are the row's own format."""

    __slots__ = ("_cells", "element", "number", "sheet")

    def __init__(self, sheet: Sheet, number: int, element: etree._Element) -> None:
        self.sheet = sheet
        self.number = number
        self.element = element
        self._cells: dict[int, Cell] | None = None

    @property
    def cells(self) -> dict[int, Cell]:
        """Stored cells by column number (1-based)."""
        if self._cells is None:
            self._cells = self.sheet.read_row(self.element)
        return self._cells


class Sheet:
    """One sheet of the workbook.

    index: position, from 0.   state: `visible`, `hidden` or `veryHidden`.   kind: `worksheet`, `chartsheet`,
    `dialogsheet` or `macrosheet` (of which only the first has cells).   part: None where the relationship is dangling.
    """

    def __init__(self, workbook: Workbook, index: int, name: str, state: str, kind: str, part: Part | None, element: etree._Element) -> None:
        self.workbook = workbook
        self.index = index
        self.name = name
        self.state = state
        self.kind = kind
        self.part = part
        self.element = element

    @cached_property
    def xml(self) -> etree._Element | None:
        """The root of the sheet's part."""
        return self.part.xml if self.part is not None and self.part.is_xml else None

    @cached_property
    def rows(self) -> dict[int, Row]:
        """Stored rows by number, in the order stored."""
        out: dict[int, Row] = {}
        number = 0
        data = self.xml.find(f"{X}sheetData") if self.xml is not None else None
        for element in data.iterchildren(f"{X}row") if data is not None else ():
            stated = element.get("r")
            number = _row_number(stated, self.part) if stated else number + 1
            if number in out:
                raise Unreadable(FindingCode.ARTIFACT_UNREADABLE, f"row {number} is stored twice", self.part.name if self.part else "")
            out[number] = Row(self, number, element)
        return out

    @cached_property
    def cells(self) -> dict[tuple[int, int], Cell]:
        """Stored cells by (row, column), both from 1, in the order stored."""
        return {(number, column): cell for number, row in self.rows.items() for column, cell in row.cells.items()}

    def cell(self, row: int, column: int) -> Cell | None:
        """The stored cell at a place, or None."""
        stored = self.rows.get(row)
        return stored.cells.get(column) if stored is not None else None

    def formula(self, row: int, column: int) -> str | None:
        """The formula of a cell without `=`, shared ones expanded; None where the cell has none or shares a missing one."""
        cell = self.cell(row, column)
        return self.formula_text(row, column, cell.formula) if cell is not None and cell.formula is not None else None

    def formula_text(self, row: int, column: int, formula: Formula) -> str | None:
        """The text of a formula that stands at a place, shared ones expanded."""
        if not formula.shared or formula.text:
            return formula.text
        master = self.shared.get(formula.shared)
        if master is None:
            return None
        from docops.formats.xlsx.formula_text import translate

        at_row, at_column, text = master
        return translate(text, row - at_row, column - at_column)

    @cached_property
    def shared(self) -> dict[str, tuple[int, int, str]]:
        """Shared formulas: number of the group → row, column and text of the cell that states it."""
        out: dict[str, tuple[int, int, str]] = {}
        for number, row in self.rows.items():
            if row.element.find(f"{X}c/{X}f[@si]") is not None:
                for column, cell in row.cells.items():
                    if cell.formula is not None and cell.formula.shared and cell.formula.text:
                        out.setdefault(cell.formula.shared, (number, column, cell.formula.text))
        return out

    @cached_property
    def merged(self) -> tuple[str, ...]:
        """Merged ranges as written, sorted."""
        found = self.xml.iterfind(f"{X}mergeCells/{X}mergeCell") if self.xml is not None else ()
        return tuple(sorted(element.get("ref", "") for element in found))

    @cached_property
    def tables(self) -> tuple[Table, ...]:
        """Tables of the sheet, in the order of its table parts."""
        out = []
        for element in self.xml.iterfind(f"{X}tableParts/{X}tablePart") if self.xml is not None and self.part is not None else ():
            part = self.part.target(element.get(R_ID)) if self.part is not None else None
            if part is None or not part.is_xml or part.xml.tag != f"{X}table":
                continue
            root = part.xml
            columns = tuple(unescape(column.get("name", "")) for column in root.iterfind(f"{X}tableColumns/{X}tableColumn"))
            out.append(
                Table(
                    name=root.get("displayName") or root.get("name") or "",
                    ref=root.get("ref", ""),
                    columns=columns,
                    header_rows=_count(root.get("headerRowCount"), 1),
                    totals_rows=_count(root.get("totalsRowCount"), 0),
                    sheet=self.index,
                    part=part,
                )
            )
        return tuple(out)

    @cached_property
    def _plain(self) -> bool:
        """Whether no cell has other attributes than `r`, `s` and `t`."""
        if self.xml is None:
            return True
        return self.xml.xpath("boolean(x:sheetData/x:row/x:c/@*[name()!='r' and name()!='s' and name()!='t'])", namespaces={"x": NS}) is False

    def read_row(self, element: etree._Element) -> dict[int, Cell]:
        """The cells of a `row` element by column number."""
        out: dict[int, Cell] = {}
        column = 0
        columns, indexes, new = COLUMNS, self.workbook.indexes, tuple.__new__
        strings = self.workbook.strings
        plain = self._plain
        for c in element:
            if c.tag != _C:
                continue
            get = c.get
            reference = get("r")
            if reference:
                letters = reference.rstrip("0123456789")
                column = columns.get(letters) or self._column(letters)
            else:
                column += 1
            kind = get("t") or "n"
            style = get("s")
            index = indexes.get(style)
            if index is None:
                index = indexes[style] = _index(style)
            if plain:
                # The two commonest cells by far are read here, without a call.
                count = len(c)
                if count == 1:
                    v = c[0]
                    text = v.text
                    if text and v.tag == _V:
                        if kind == "s":
                            string = strings[int(text)] if len(text) < 10 and text.isdecimal() and int(text) < len(strings) else None
                            if string is not None and string.runs is None and not string.phonetic:
                                out[column] = new(Cell, ("text", string.text, index, None, None, ()))
                                continue
                        elif kind == "n":
                            try:
                                out[column] = new(Cell, ("number", float(text), index, None, None, ()))
                                continue
                            except ValueError:
                                pass
                elif count == 0:
                    out[column] = new(Cell, ("blank", None, index, None, None, ()))
                    continue
            out[column] = self._read_cell(c, kind, index)
        self.workbook.count_cells(len(out), self.part)
        return out

    def _column(self, letters: str) -> int:
        number = column_number(letters)
        if number is None:
            raise Unreadable(FindingCode.ARTIFACT_UNREADABLE, f"{letters!r} is no column", self.part.name if self.part else "")
        return number

    def _read_cell(self, c: etree._Element, kind: str, style: int) -> Cell:
        formula: Formula | None = None
        stored: str | None = None
        inline: Text | None = None
        other: list[tuple[str, str]] = [(str(name), str(value)) for name, value in c.attrib.items() if name not in ("r", "s", "t")]
        for child in c:
            if child.tag == _V:
                stored = child.text
            elif child.tag == _F:
                formula = _read_formula(child)
            elif child.tag == _IS:
                inline = read_text(child)
            else:
                other.append((str(child.tag), _raw(child)))
        text: Text | None = None
        value: float | str | bool | None = None
        if kind == "inlineStr":
            text = inline or Text("")
        elif kind == "s":
            text = self._shared_string(stored)
        elif inline is not None:
            other.append(("is", inline.text))
        if text is not None:
            if text.phonetic:
                other.append(("phonetic", text.phonetic))
            return Cell(Kind.TEXT, text.text, style, formula, text.runs, tuple(sorted(other)))
        name, value = self._scalar(kind, stored)
        if name == "unknown":
            name, other = Kind.ERROR, [*other, ("t", kind)]
        return Cell(name, value, style, formula, None, tuple(sorted(other)))

    def _shared_string(self, stored: str | None) -> Text | None:
        if not stored or not stored.strip():
            return None
        try:
            position = int(stored)
            if position < 0:
                raise IndexError
            return self.workbook.strings[position]
        except (ValueError, IndexError):
            return Text(f"missing shared string {stored.strip()}")

    def _scalar(self, kind: str, stored: str | None) -> tuple[str, float | str | bool | None]:
        if stored is None or (kind not in ("str",) and not stored.strip()):
            return (Kind.BLANK, None) if kind != "str" or stored is None else (Kind.TEXT, stored)
        if kind == "str":
            return Kind.TEXT, unescape(stored)
        stored = stored.strip()
        if kind == "b":
            return Kind.BOOLEAN, stored in ("1", "true")
        if kind == "e":
            return Kind.ERROR, stored
        if kind == "d":
            serial = serial_of_iso(stored, self.workbook.date1904)
            return (Kind.NUMBER, serial) if serial is not None else ("unknown", stored)
        if kind == "n":
            try:
                return Kind.NUMBER, float(stored)
            except ValueError:
                return "unknown", stored
        return "unknown", stored

    def __repr__(self) -> str:
        return f"<Sheet {self.name!r}>"


class Workbook:
    """A workbook as its parts state it."""

    def __init__(self, package: Package) -> None:
        self.package = package
        self.part = package.main
        self._cells = 0
        #: Cell format indexes as written → numbers.
        self.indexes: dict[str | None, int] = {None: 0}

    @property
    def xml(self) -> etree._Element:
        """The root of the workbook part."""
        return self.part.xml

    def count_cells(self, number: int, part: Part | None) -> None:
        """Note that cells were read; raises Unreadable beyond the limit."""
        self._cells += number
        if self._cells > self.package.limits.cells:
            raise Unreadable(FindingCode.LIMIT_EXCEEDED, f"more than {self.package.limits.cells} cells", part.name if part else "")

    @cached_property
    def sheets(self) -> tuple[Sheet, ...]:
        """All sheets in order."""
        out: list[Sheet] = []
        for element in self.xml.iterfind(f"{X}sheets/{X}sheet"):
            rel = self.part.relationships.get(element.get(R_ID, ""))
            part = self.part.target(element.get(R_ID))
            kind = {"worksheet": "worksheet", "chartsheet": "chartsheet", "dialogsheet": "dialogsheet"}.get(
                rel.type if rel else "worksheet", "macrosheet"
            )
            out.append(Sheet(self, len(out), element.get("name", ""), element.get("state", "visible"), kind, part, element))
        check_pages([sheet.part for sheet in out], self.package)
        return tuple(out)

    def sheet(self, name: str) -> Sheet | None:
        """The sheet of that name (case does not matter, as in formulas), or None."""
        folded = name.casefold()
        return next((sheet for sheet in self.sheets if sheet.name.casefold() == folded), None)

    @cached_property
    def names(self) -> tuple[DefinedName, ...]:
        """All defined names, in the order stored; built-in ones (`_xlnm.Print_Area`) included."""
        return tuple(
            DefinedName(
                element.get("name", ""),
                unescape(element.text or ""),
                _count(element.get("localSheetId"), -1) if element.get("localSheetId") else None,
                is_true(element.get("hidden")),
                element,
            )
            for element in self.xml.iterfind(f"{X}definedNames/{X}definedName")
        )

    @cached_property
    def tables(self) -> tuple[Table, ...]:
        """The tables of all sheets."""
        return tuple(table for sheet in self.sheets for table in sheet.tables)

    @cached_property
    def date1904(self) -> bool:
        """Whether serial numbers count from 1904-01-01."""
        properties = self.xml.find(f"{X}workbookPr")
        return properties is not None and is_true(properties.get("date1904"))

    @cached_property
    def calculation(self) -> Mapping[str, str]:
        """Attributes of `calcPr`."""
        element = self.xml.find(f"{X}calcPr")
        return {str(name): str(value) for name, value in element.attrib.items()} if element is not None else {}

    @property
    def full_calc_on_load(self) -> bool:
        """Whether the workbook asks for a full calculation when it is opened, so that no stored result is ever seen."""
        return is_true(self.calculation.get("fullCalcOnLoad"))

    @cached_property
    def strings(self) -> Sequence[Text]:
        """The shared strings."""
        parts = self.part.related("sharedStrings")
        if not parts or not parts[0].is_xml:
            return ()
        return [read_text(element) for element in parts[0].xml.iterchildren(f"{X}si")]

    @cached_property
    def styles(self) -> Styles:
        """Cell formats, resolved."""
        from docops.formats.xlsx.styles import Styles

        parts = self.part.related("styles")
        themes = self.part.related("theme")
        return Styles(parts[0] if parts else None, themes[0] if themes else None)

    def is_date(self, style: int) -> bool:
        """Whether numbers with this cell format show as dates or times."""
        return self.styles.is_date(style)


def read_text(element: etree._Element) -> Text:
    """The text of an `si`, `is` or comment `text` element: escapes decoded, white space as `xml:space` says."""
    children = list(element)
    if len(children) == 1 and children[0].tag == _T:
        return Text(_t(children[0]))
    runs: list[Run] = []
    phonetic: list[str] = []
    rich = False
    for child in children:
        if child.tag == _T:
            runs.append(Run(_t(child), None))
        elif child.tag == _R:
            font = child.find(f"{X}rPr")
            rich = rich or font is not None
            runs.append(Run("".join(_t(t) for t in child.iterchildren(_T)), font))
        elif child.tag == f"{X}rPh":
            phonetic.append(f"{child.get('sb')}-{child.get('eb')}:{''.join(_t(t) for t in child.iterchildren(_T))}")
        elif child.tag != f"{X}phoneticPr":
            phonetic.append(_raw(child))
    text = "".join(run.text for run in runs)
    return Text(text, tuple(runs) if rich else None, "; ".join(phonetic))


def _read_formula(element: etree._Element) -> Formula:
    attributes = element.attrib
    text = unescape(element.text or "")
    if not attributes:
        return Formula(text)
    kind = attributes.get("t", "normal")
    shared = attributes.get("si", "") if kind == "shared" else ""
    other = tuple(sorted((str(name), str(value)) for name, value in attributes.items() if name not in ("t", "ref", "si", _XML_SPACE)))
    return Formula(text, "normal" if kind == "shared" else kind, attributes.get("ref", "") if kind != "shared" else "", shared, other)


def _t(element: etree._Element) -> str:
    text = element.text or ""
    if text and (text[0] in _BLANKS or text[-1] in _BLANKS) and not _preserves(element):
        text = text.strip(_BLANKS)
    return unescape(text)


def _preserves(element: etree._Element | None) -> bool:
    while element is not None:
        stated = element.get(_XML_SPACE)
        if stated is not None:
            return stated == "preserve"
        element = element.getparent()
    return False


def _raw(element: etree._Element) -> str:
    return etree.tostring(element, method="c14n", with_tail=False).decode("utf-8")


def _index(style: str | None) -> int:
    if not style:
        return 0
    return int(style) if len(style) < 10 and style.isdecimal() else 0


def _count(text: str | None, default: int) -> int:
    try:
        return int(text) if text is not None else default
    except ValueError:
        return default


def _row_number(text: str, part: Part | None) -> int:
    number = int(text) if text.isascii() and text.isdecimal() and len(text) < 9 else 0
    if not 1 <= number <= MAX_ROW:
        raise Unreadable(FindingCode.ARTIFACT_UNREADABLE, f"{text!r} is no row", part.name if part else "")
    return number


def iter_cells(sheet: Sheet) -> Iterator[tuple[int, int, Cell]]:
    """Row, column and cell of every stored cell, in the order stored."""
    for number, row in sheet.rows.items():
        for column, cell in row.cells.items():
            yield number, column, cell


_C, _V, _F, _IS, _T, _R = (f"{X}{name}" for name in ("c", "v", "f", "is", "t", "r"))
