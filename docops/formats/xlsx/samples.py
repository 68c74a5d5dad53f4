"""Small workbooks from a plain notation, for the examples of predicates and operators and for tests.

    workbook({"Data": {"A1": "Amount", "A2": 10, "A3": ("=SUM(A2:A2)", 10)}})

A value is text, a number, a boolean or None; text that starts with `=` is a formula, stored without a result; a pair
holds a formula and its stored result; a `Styled` value carries a format. The bytes are the same at every call.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from docops.formats.ooxml.writing import escape, quoteattr
from docops.formats.xlsx.references import parse_cell

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_TYPE = "application/vnd.openxmlformats-officedocument."
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'

Scalar = str | float | int | bool | None


@dataclass(frozen=True, slots=True)
class Styled:
    """A value with a format. `font`, `fill`, `border`, `alignment`: inner XML of those elements (`<b/><sz val="11"/>`)."""

    value: object
    number_format: str = "General"
    font: str = ""
    fill: str = ""
    border: str = ""
    alignment: str = ""


@dataclass(frozen=True, slots=True)
class TableSpec:
    """A table: where it is, its columns' names, and whether its last row is a totals row."""

    name: str
    ref: str
    columns: Sequence[str]
    totals_row: bool = False


@dataclass(frozen=True, slots=True)
class ChartSpec:
    """A chart: its kind (`barChart`, `lineChart`, `pieChart`), title, and series as (name reference, categories, values).

    caches: stored values of the series, in order; None leaves them out.
    """

    kind: str = "barChart"
    title: str = ""
    series: Sequence[tuple[str, str, str]] = ()
    caches: Sequence[Sequence[float]] | None = None


@dataclass(frozen=True, slots=True)
class SheetSpec:
    """A sheet's cells and what else it has. `views`, `before_data`, `after_data`: XML put where the schema wants it."""

    cells: Mapping[str, object] = field(default_factory=dict)
    state: str = "visible"
    freeze: str = ""
    merged: Sequence[str] = ()
    tables: Sequence[TableSpec] = ()
    charts: Sequence[ChartSpec] = ()
    comments: Mapping[str, str] = field(default_factory=dict)
    hidden_rows: Sequence[int] = ()
    widths: Mapping[int, float] = field(default_factory=dict)
    after_data: str = ""


def workbook(
    sheets: Mapping[str, Mapping[str, object] | SheetSpec],
    *,
    names: Mapping[str, str] | None = None,
    local_names: Mapping[tuple[str, str], str] | None = None,
    calculation: str = "",
    properties: str = "",
) -> bytes:
    """The bytes of a workbook.

    names: defined names of the workbook.   local_names: (sheet, name) → text.
    calculation, properties: attributes of `calcPr` and `workbookPr` (`fullCalcOnLoad="1"`, `date1904="1"`).
    """
    return _Writer(sheets, names or {}, local_names or {}, calculation, properties).write()


class _Writer:
    def __init__(
        self,
        sheets: Mapping[str, Mapping[str, object] | SheetSpec],
        names: Mapping[str, str],
        local_names: Mapping[tuple[str, str], str],
        calculation: str,
        properties: str,
    ) -> None:
        self.sheets = {name: spec if isinstance(spec, SheetSpec) else SheetSpec(spec) for name, spec in sheets.items()}
        self.names = names
        self.local_names = local_names
        self.calculation = calculation
        self.properties = properties
        self.parts: dict[str, str] = {}
        self.types: dict[str, str] = {}
        self.styles: list[Styled] = [Styled(None)]
        self.tables = 0
        self.charts = 0

    def write(self) -> bytes:
        workbook_rels = []
        for number, (_, spec) in enumerate(self.sheets.items(), 1):
            self._sheet(number, spec)
            workbook_rels.append(("worksheet", f"worksheets/sheet{number}.xml"))
        workbook_rels.append(("styles", "styles.xml"))
        self._part("xl/workbook.xml", _TYPE + "spreadsheetml.sheet.main+xml", self._workbook())
        self._part("xl/styles.xml", _TYPE + "spreadsheetml.styles+xml", self._styles())
        self.parts["xl/_rels/workbook.xml.rels"] = _relationships(workbook_rels)
        self.parts["_rels/.rels"] = _relationships([("officeDocument", "xl/workbook.xml")])
        overrides = "".join(f'<Override PartName="/{name}" ContentType="{kind}"/>' for name, kind in sorted(self.types.items()))
        types = (
            f'{_HEAD}<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels" ContentType='
            f'"application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>{overrides}</Types>'
        )
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, text in {"[Content_Types].xml": types, **self.parts}.items():
                archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), text.encode("utf-8"), zipfile.ZIP_DEFLATED)
        return buffer.getvalue()

    def _part(self, name: str, content_type: str, text: str) -> None:
        self.parts[name] = text if text.startswith("<?xml") else _HEAD + text
        self.types[name] = content_type

    def _workbook(self) -> str:
        order = list(self.sheets)
        sheets = "".join(
            f'<sheet name={quoteattr(name)} sheetId="{number}"{"" if spec.state == "visible" else f" state={quoteattr(spec.state)}"} r:id="rId{number}"/>'
            for number, (name, spec) in enumerate(self.sheets.items(), 1)
        )
        defined = "".join(f"<definedName name={quoteattr(name)}>{escape(text)}</definedName>" for name, text in self.names.items())
        defined += "".join(
            f'<definedName name={quoteattr(name)} localSheetId="{order.index(sheet)}">{escape(text)}</definedName>'
            for (sheet, name), text in self.local_names.items()
        )
        return (
            f'<workbook xmlns="{_MAIN}" xmlns:r="{_R}"><workbookPr {self.properties}/><sheets>{sheets}</sheets>'
            + (f"<definedNames>{defined}</definedNames>" if defined else "")
            + (f"<calcPr {self.calculation}/>" if self.calculation else "")
            + "</workbook>"
        )

    def _sheet(self, number: int, spec: SheetSpec) -> None:
        rels: list[tuple[str, str]] = []
        rows: dict[int, list[tuple[int, str]]] = {row: [] for row in spec.hidden_rows}
        for reference, value in spec.cells.items():
            row, column = parse_cell(reference)
            rows.setdefault(row, []).append((column, self._cell(reference, value)))
        data = "".join(
            f'<row r="{row}"{" hidden=" + chr(34) + "1" + chr(34) if row in spec.hidden_rows else ""}>{"".join(text for _, text in sorted(cells))}</row>'
            for row, cells in sorted(rows.items())
        )
        cols = "".join(f'<col min="{column}" max="{column}" width="{width}" customWidth="1"/>' for column, width in sorted(spec.widths.items()))
        merged = "".join(f'<mergeCell ref="{ref}"/>' for ref in spec.merged)
        tables = "".join(f'<tablePart r:id="rId{self._table(table, rels)}"/>' for table in spec.tables)
        drawing = f'<drawing r:id="rId{self._drawing(number, spec.charts, rels)}"/>' if spec.charts else ""
        if spec.comments:
            self._comments(number, spec.comments, rels)
        body = (
            f'<worksheet xmlns="{_MAIN}" xmlns:r="{_R}"><sheetViews><sheetView workbookViewId="0">{_pane(spec.freeze)}</sheetView></sheetViews>'
            + (f"<cols>{cols}</cols>" if cols else "")
            + f"<sheetData>{data}</sheetData>"
            + (f"<mergeCells>{merged}</mergeCells>" if merged else "")
            + spec.after_data
            + drawing
            + (f"<tableParts>{tables}</tableParts>" if tables else "")
            + "</worksheet>"
        )
        self._part(f"xl/worksheets/sheet{number}.xml", _TYPE + "spreadsheetml.worksheet+xml", body)
        if rels:
            self.parts[f"xl/worksheets/_rels/sheet{number}.xml.rels"] = _relationships(rels)

    def _cell(self, reference: str, value: object) -> str:
        style = 0
        if isinstance(value, Styled):
            if value not in self.styles:
                self.styles.append(value)
            style = self.styles.index(value)
            value = value.value
        attributes = f' r="{reference}"' + (f' s="{style}"' if style else "")
        if isinstance(value, tuple):
            formula, stored = value
            kind, text = _stored(stored)
            return f"<c{attributes}{kind}><f>{escape(str(formula)[1:])}</f><v>{text}</v></c>"
        if isinstance(value, str) and value.startswith("{=") and value.endswith("}"):
            return f'<c{attributes}><f t="array" ref="{reference}">{escape(value[2:-1])}</f></c>'
        if isinstance(value, str) and value.startswith("="):
            return f"<c{attributes}><f>{escape(value[1:])}</f></c>"
        if value is None:
            return f"<c{attributes}/>"
        if isinstance(value, str) and not value.startswith("#"):
            return f'<c{attributes} t="inlineStr"><is><t xml:space="preserve">{escape(value)}</t></is></c>'
        kind, text = _stored(value)
        return f"<c{attributes}{kind}><v>{text}</v></c>"

    def _table(self, table: TableSpec, rels: list[tuple[str, str]]) -> int:
        self.tables += 1
        columns = "".join(f'<tableColumn id="{number}" name={quoteattr(name)}/>' for number, name in enumerate(table.columns, 1))
        self._part(
            f"xl/tables/table{self.tables}.xml",
            _TYPE + "spreadsheetml.table+xml",
            f'<table xmlns="{_MAIN}" id="{self.tables}" name={quoteattr(table.name)} displayName={quoteattr(table.name)} ref="{table.ref}" '
            f'totalsRowShown="0"{" totalsRowCount=" + chr(34) + "1" + chr(34) if table.totals_row else ""}>'
            f'<tableColumns count="{len(table.columns)}">{columns}</tableColumns></table>',
        )
        rels.append(("table", f"../tables/table{self.tables}.xml"))
        return len(rels)

    def _comments(self, number: int, comments: Mapping[str, str], rels: list[tuple[str, str]]) -> None:
        entries = "".join(f'<comment ref="{ref}" authorId="0"><text><t>{escape(text)}</t></text></comment>' for ref, text in comments.items())
        self._part(
            f"xl/comments{number}.xml",
            _TYPE + "spreadsheetml.comments+xml",
            f'<comments xmlns="{_MAIN}"><authors><author>Author</author></authors><commentList>{entries}</commentList></comments>',
        )
        rels.append(("comments", f"../comments{number}.xml"))

    def _drawing(self, number: int, charts: Sequence[ChartSpec], rels: list[tuple[str, str]]) -> int:
        drawing_rels: list[tuple[str, str]] = []
        anchors = ""
        for position, chart in enumerate(charts, 1):
            self.charts += 1
            self._part(f"xl/charts/chart{self.charts}.xml", _TYPE + "drawingml.chart+xml", _chart(chart))
            drawing_rels.append(("chart", f"../charts/chart{self.charts}.xml"))
            anchors += _anchor(position)
        self._part(
            f"xl/drawings/drawing{number}.xml",
            _TYPE + "drawing+xml",
            f'<xdr:wsDr xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing" '
            f'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main">{anchors}</xdr:wsDr>',
        )
        self.parts[f"xl/drawings/_rels/drawing{number}.xml.rels"] = _relationships(drawing_rels)
        rels.append(("drawing", f"../drawings/drawing{number}.xml"))
        return len(rels)

    def _styles(self) -> str:
        fonts: list[str] = []
        fills = ["", "<patternFill patternType='gray125'/>"]
        borders: list[str] = []
        xfs: list[str] = []
        formats: dict[str, int] = {}
        for style in self.styles:
            code = style.number_format
            number_format = 0 if code == "General" else formats.setdefault(code, 164 + len(formats))
            font = style.font or '<sz val="11"/><name val="Calibri"/>'
            for store, text in ((fonts, font), (fills, style.fill), (borders, style.border)):
                if text not in store:
                    store.append(text)
            alignment = f"<alignment {style.alignment}/>" if style.alignment else ""
            xfs.append(
                f'<xf numFmtId="{number_format}" fontId="{fonts.index(font)}" fillId="{fills.index(style.fill)}" borderId="{borders.index(style.border)}" '
                f'xfId="0" applyNumberFormat="1" applyFont="1" applyFill="1" applyBorder="1" applyAlignment="1">{alignment}</xf>'
            )
        number_formats = "".join(f'<numFmt numFmtId="{number}" formatCode={quoteattr(code)}/>' for code, number in formats.items())
        return (
            f'<styleSheet xmlns="{_MAIN}">'
            + (f'<numFmts count="{len(formats)}">{number_formats}</numFmts>' if formats else "")
            + f"<fonts>{''.join(f'<font>{text}</font>' for text in fonts)}</fonts>"
            + "<fills>"
            + "".join(f"<fill>{text or chr(60) + 'patternFill patternType=' + chr(34) + 'none' + chr(34) + '/>'}</fill>" for text in fills)
            + "</fills>"
            + f"<borders>{''.join(f'<border>{text}</border>' for text in borders)}</borders>"
            + '<cellStyleXfs><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>'
            + f"<cellXfs>{''.join(xfs)}</cellXfs>"
            + '<cellStyles><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>'
        )


def _stored(value: object) -> tuple[str, str]:
    if isinstance(value, bool):
        return ' t="b"', "1" if value else "0"
    if isinstance(value, int | float):
        return "", repr(value)
    text = str(value)
    return (' t="e"', text) if text.startswith("#") else (' t="str"', escape(text))


def _relationships(entries: Sequence[tuple[str, str]]) -> str:
    inner = "".join(f'<Relationship Id="rId{number}" Type="{_R}/{kind}" Target="{target}"/>' for number, (kind, target) in enumerate(entries, 1))
    return f'{_HEAD}<Relationships xmlns="{_PACKAGE}/relationships">{inner}</Relationships>'


def _pane(freeze: str) -> str:
    if not freeze:
        return ""
    row, column = parse_cell(freeze)
    split = (f' xSplit="{column - 1}"' if column > 1 else "") + (f' ySplit="{row - 1}"' if row > 1 else "")
    pane = "bottomRight" if row > 1 and column > 1 else "bottomLeft" if row > 1 else "topRight"
    return f'<pane{split} topLeftCell="{freeze}" activePane="{pane}" state="frozen"/>'


def _chart(chart: ChartSpec) -> str:
    series = ""
    for number, (name, categories, values) in enumerate(chart.series):
        cache = ""
        if chart.caches is not None:
            points = "".join(f'<c:pt idx="{index}"><c:v>{value!r}</c:v></c:pt>' for index, value in enumerate(chart.caches[number]))
            cache = f'<c:numCache><c:formatCode>General</c:formatCode><c:ptCount val="{len(chart.caches[number])}"/>{points}</c:numCache>'
        title = f"<c:tx><c:strRef><c:f>{escape(name)}</c:f></c:strRef></c:tx>" if name else ""
        labels = f"<c:cat><c:strRef><c:f>{escape(categories)}</c:f></c:strRef></c:cat>" if categories else ""
        series += (
            f'<c:ser><c:idx val="{number}"/><c:order val="{number}"/>{title}{labels}'
            f"<c:val><c:numRef><c:f>{escape(values)}</c:f>{cache}</c:numRef></c:val></c:ser>"
        )
    title = f"<c:title><c:tx><c:rich><a:p><a:r><a:t>{escape(chart.title)}</a:t></a:r></a:p></c:rich></c:tx></c:title>" if chart.title else ""
    axes = "" if chart.kind == "pieChart" else '<c:axId val="1"/><c:axId val="2"/>'
    direction = '<c:barDir val="col"/>' if chart.kind == "barChart" else ""
    axis_parts = (
        ""
        if chart.kind == "pieChart"
        else '<c:catAx><c:axId val="1"/><c:crossAx val="2"/></c:catAx><c:valAx><c:axId val="2"/><c:crossAx val="1"/></c:valAx>'
    )
    return (
        '<c:chartSpace xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main">'
        f"<c:chart>{title}<c:plotArea><c:{chart.kind}>{direction}{series}{axes}</c:{chart.kind}>{axis_parts}</c:plotArea></c:chart></c:chartSpace>"
    )


def _anchor(number: int) -> str:
    top = number * 20
    return (
        f"<xdr:twoCellAnchor><xdr:from><xdr:col>8</xdr:col><xdr:colOff>0</xdr:colOff><xdr:row>{top}</xdr:row><xdr:rowOff>0</xdr:rowOff></xdr:from>"
        f"<xdr:to><xdr:col>14</xdr:col><xdr:colOff>0</xdr:colOff><xdr:row>{top + 15}</xdr:row><xdr:rowOff>0</xdr:rowOff></xdr:to>"
        f'<xdr:graphicFrame macro=""><xdr:nvGraphicFramePr><xdr:cNvPr id="{number + 1}" name="Chart {number}"/><xdr:cNvGraphicFramePr/></xdr:nvGraphicFramePr>'
        '<xdr:xfrm><a:off x="0" y="0"/><a:ext cx="0" cy="0"/></xdr:xfrm><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/chart">'
        f'<c:chart xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" xmlns:r="{_R}" r:id="rId{number}"/></a:graphicData></a:graphic>'
        "</xdr:graphicFrame><xdr:clientData/></xdr:twoCellAnchor>"
    )
