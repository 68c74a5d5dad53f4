"""Predicates on native tables, charts and pictures."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any

from docops.core.codes import Family, FindingCode
from docops.core.node import Value
from docops.core.predicate import Context, Evidence, Finding, Predicate, Target, predicate
from docops.formats.ooxml.chart import Chart, chart_stale, read_chart
from docops.formats.ooxml.package import Part
from docops.formats.pptx.predicates.places import (
    FORMATS,
    document_of,
    example,
    excerpt,
    missing_place,
    same_text,
    seen,
    seen_text,
    shape_of,
    shapes_at,
)
from docops.formats.pptx.samples import Slide, chart_slide, deck, picture_slide, table, text_box
from docops.formats.pptx.shapes import Shape
from docops.formats.pptx.tables import Table

_ROWS = [["Year", "Ships"], ["2023", "470"], ["2024", "455"]]


def _table_deck() -> bytes:
    return deck([Slide("Traffic", layout="Title Only", shapes=[table(_ROWS)])])


def _typed_table() -> bytes:
    return deck([Slide("Traffic", layout="Title Only", shapes=[text_box("Year\tShips\n2023\t470\n2024\t455")])])


def _hidden_table() -> bytes:
    return deck([Slide("Traffic", layout="Title Only", hidden=True, shapes=[table(_ROWS)])])


@predicate(
    "pptx.table",
    family=Family.STRUCTURAL,
    formats=FORMATS,
    examples=(
        example("a native table", _table_deck, {"at": "deck.pptx#slide[1]", "rows": 3, "columns": 2, "contains_rows": [["2024", "455"]]}, True),
        example("tabbed text is no table", _typed_table, {"at": "deck.pptx#slide[1]", "contains_rows": [["2024", "455"]]}, FindingCode.NOT_NATIVE),
        example("too few rows", _table_deck, {"at": "deck.pptx#slide[1]", "rows": 4}, FindingCode.WRONG_COUNT),
        example("a row that is not there", _table_deck, {"at": "deck.pptx#slide[1]", "contains_rows": [["2024", "456"]]}, FindingCode.MISSING),
        example("on a hidden slide", _hidden_table, {"at": "deck.pptx#slide[1]", "rows": 3}, FindingCode.HIDDEN_TEXT),
    ),
)
def table_predicate(
    context: Context,
    *,
    at: str,
    rows: int | None = None,
    columns: int | None = None,
    contains_rows: Sequence[Sequence[str]] = (),
    header: Sequence[str] = (),
) -> Iterator[Finding | Evidence]:
    """A native table stands there that a reader sees, of this size and with these rows.

    at: a slide or a shape.
    rows, columns: how many, header row and covered cells included.
    contains_rows: rows that must be there, each as the texts of its cells (cells that a merge covers may be left out).
    header: texts of the first row.
    """
    target = context.target(at, formats=FORMATS)
    absent = missing_place(target)
    if absent is not None:
        yield absent
        return
    shapes = shapes_at(target)
    tables = [(shape, shape.table) for shape in shapes if shape.table is not None]
    if not tables:
        yield _no_table(target, shapes, contains_rows)
        return
    visible, reasons = seen(context, target, [shape for shape, _ in tables])
    if not visible:
        address, reason = next(iter(reasons.items()))
        yield Finding(FindingCode.HIDDEN_TEXT, target.place(address), "a table that a reader sees", reason, f"the table is not seen: {reason}")
        return
    looked = [(shape, table) for shape, table in tables if shape in visible]
    complaints = [_table_findings(target, shape, table, rows, columns, contains_rows, header) for shape, table in looked]
    best = min(complaints, key=len)
    yield from best
    if not best:
        shape, found = looked[complaints.index(best)]
        yield Evidence(target.place(shape.address), f"{len(found.rows)} rows, {len(found.widths)} columns")


def _no_table(target: Target, shapes: Sequence[Shape], contains_rows: Sequence[Sequence[str]]) -> Finding:
    texts = "\n".join(shape.text for shape in shapes)
    words = [cell for row in contains_rows for cell in row if cell.strip()]
    pictures = [shape for shape in shapes if shape.kind == "picture"]
    if words and all(word in texts for word in words):
        holder = next((shape for shape in shapes if words[0] in shape.text), shapes[0])
        return Finding(FindingCode.NOT_NATIVE, target.place(holder.address), "a native table", holder.kind, "the table's texts stand in a shape, not in a native table")
    if shapes and len(target.nodes) == 1 and target.nodes[0].kind == "shape":
        return Finding(FindingCode.NOT_NATIVE, target.place(), "a native table", shapes[0].kind, f"the shape is a {shapes[0].kind}, not a table")
    if pictures:
        shown = pictures[0]
        return Finding(FindingCode.NOT_NATIVE, target.place(shown.address), "a native table", "picture", "there is a picture, but no native table")
    return Finding(FindingCode.MISSING, target.place(), "a native table", None, "there is no native table")


def _table_findings(
    target: Target,
    shape: Shape,
    found: Table,
    rows: int | None,
    columns: int | None,
    contains_rows: Sequence[Sequence[str]],
    header: Sequence[str],
) -> list[Finding]:
    place = target.place(f"{shape.address}/table")
    out = []
    if rows is not None and len(found.rows) != rows:
        out.append(Finding(FindingCode.WRONG_COUNT, place, rows, len(found.rows), f"the table has {len(found.rows)} rows, not {rows}"))
    if columns is not None and len(found.widths) != columns:
        out.append(Finding(FindingCode.WRONG_COUNT, place, columns, len(found.widths), f"the table has {len(found.widths)} columns, not {columns}"))
    texts = _row_texts(shape, found)
    if header and not (texts and _same_row(texts[0], header)):
        out.append(Finding(FindingCode.MISMATCH, place, list(header), [cell for cell, _ in texts[0]] if texts else None, "the first row is another"))
    for row in contains_rows:
        if not any(_same_row(cells, row) for cells in texts):
            nearest = max(texts, key=lambda cells: sum(same_text(cell, wanted) for (cell, _), wanted in zip(cells, row, strict=False)), default=[])
            shown: Value = [cell for cell, _ in nearest]
            out.append(Finding(FindingCode.MISSING, place, list(row), shown, f"no row of the table is {' | '.join(row)!r}"))
    return out


def _row_texts(shape: Shape, table: Table) -> list[list[tuple[str, bool]]]:
    return [[(seen_text(shape, cell), bool(cell.merged)) for cell in row] for row in table.rows]


def _same_row(cells: Sequence[tuple[str, bool]], wanted: Sequence[str]) -> bool:
    every = [text for text, _ in cells]
    shown = [text for text, merged in cells if not merged]
    return any(len(texts) == len(wanted) and all(map(same_text, texts, wanted)) for texts in (every, shown))


_SERIES = {"2023": [1.0, 2.0], "2024": [3.0, 4.5]}


def _chart_deck() -> bytes:
    return deck([chart_slide("Sales", _SERIES, ["Q1", "Q2"])])


@predicate(
    "pptx.chart",
    family=Family.STRUCTURAL,
    formats=FORMATS,
    examples=(
        example("a native chart", _chart_deck, {"at": "deck.pptx#slide[1]", "type": "column", "series": ["2023", "2024"]}, True),
        example("its values", _chart_deck, {"at": "deck.pptx#slide[1]", "series": [{"name": "2024", "values": [3, 4.5]}]}, FindingCode.WRONG_COUNT),
        example("another value", _chart_deck, {"at": "deck.pptx#slide[1]", "series": ["2023", {"name": "2024", "values": [3, 5]}]}, FindingCode.MISMATCH),
        example("another type", _chart_deck, {"at": "deck.pptx#slide[1]", "type": "line"}, FindingCode.MISMATCH),
        example("a picture is no chart", lambda: deck([picture_slide("Sales")]), {"at": "deck.pptx#slide[1]"}, FindingCode.NOT_NATIVE),
    ),
)
def chart(
    context: Context,
    *,
    at: str,
    type: str | None = None,  # noqa: A002
    series: Sequence[str | Mapping[str, Any]] = (),
    categories: Sequence[str | float] = (),
    chart_title: str | None = None,
    tolerance: float = 0.0,
) -> Iterator[Finding | Evidence]:
    """A native chart stands there that a reader sees, of this type and with these series.

    at: a slide or a shape.
    type: column, bar, line, pie, doughnut, area, scatter, bubble, radar, stock, surface; of combined charts one of theirs.
    series: all of them in order: names, or tables with `name` and `values`.
    categories: the labels, in order (dates as ISO text).   chart_title: the text over it.   tolerance: by which values may differ.
    What the chart shows must agree with its embedded workbook, where it has one.
    """
    target = context.target(at, formats=FORMATS)
    absent = missing_place(target)
    if absent is not None:
        yield absent
        return
    shapes = shapes_at(target)
    charts = [(shape, part) for shape in shapes if shape.kind == "chart" and (part := shape.chart_part()) is not None]
    if not charts:
        picture = next((shape for shape in shapes if shape.kind == "picture"), None)
        code = FindingCode.NOT_NATIVE if picture is not None or (target.nodes and target.nodes[0].kind == "shape") else FindingCode.MISSING
        place = target.place(picture.address) if picture is not None else target.place()
        yield Finding(code, place, "a native chart", picture.kind if picture is not None else None, "there is no native chart")
        return
    visible, reasons = seen(context, target, [shape for shape, _ in charts])
    if not visible:
        address, reason = next(iter(reasons.items()))
        yield Finding(FindingCode.HIDDEN_TEXT, target.place(address), "a chart that a reader sees", reason, f"the chart is not seen: {reason}")
        return
    looked = [(shape, part) for shape, part in charts if shape in visible]
    complaints = [_chart_findings(target, shape, part, type, series, categories, chart_title, tolerance) for shape, part in looked]
    best = min(complaints, key=len)
    yield from best
    if not best:
        yield Evidence(target.place(looked[complaints.index(best)][0].address), "a chart as asked for")


def _chart_findings(
    target: Target,
    shape: Shape,
    part: Part,
    kind: str | None,
    series: Sequence[str | Mapping[str, Any]],
    categories: Sequence[str | float],
    title: str | None,
    tolerance: float,
) -> list[Finding]:
    found = read_chart(part)
    place = target.place(f"{shape.address}/chart")
    out = []
    if kind is not None and kind not in found.types:
        out.append(Finding(FindingCode.MISMATCH, place, kind, list(found.types), f"the chart is a {' and '.join(found.types) or 'chart of no known type'} chart"))
    if title is not None and not same_text(found.title or "", title):
        out.append(Finding(FindingCode.MISMATCH, place, title, found.title, f"the chart's title is {found.title!r}"))
    if series:
        out += _series_findings(place, found, series, tolerance)
    for number, one in enumerate(found.series if categories else (), 1):
        labels: Value = list(one.categories.values)
        if not _same_values(one.categories.values, categories, tolerance):
            out.append(Finding(FindingCode.MISMATCH, f"{place}/series[{number}]", list(categories), labels, f"the categories of {one.name!r} are others"))
    for item in chart_stale(part, f"{shape.address}/chart"):
        message = f"the chart shows another {item.name} than its embedded workbook holds"
        out.append(Finding(FindingCode.STALE_VALUE, target.place(item.address), item.derived, item.cached, message))
    return out


def _series_findings(place: str, found: Chart, series: Sequence[str | Mapping[str, Any]], tolerance: float) -> list[Finding]:
    names: Value = [one.name for one in found.series]
    wanted_names = [str(item) if isinstance(item, str) else str(item.get("name", "")) for item in series]
    if len(found.series) != len(series):
        return [Finding(FindingCode.WRONG_COUNT, place, wanted_names, names, f"the chart has {len(found.series)} series, not {len(series)}")]
    out = []
    for number, (one, item, name) in enumerate(zip(found.series, series, wanted_names, strict=True), 1):
        where = f"{place}/series[{number}]"
        if (isinstance(item, str) or "name" in item) and not same_text(one.name, name):
            code = FindingCode.WRONG_ORDER if any(same_text(other.name, name) for other in found.series) else FindingCode.MISMATCH
            out.append(Finding(code, where, name, one.name, f"series {number} is {one.name!r}, not {name!r}"))
        elif not isinstance(item, str) and "values" in item and not _same_values(one.values.values, item["values"], tolerance):
            shown: Value = list(one.values.values)
            out.append(Finding(FindingCode.MISMATCH, where, list(item["values"]), shown, f"the values of {one.name!r} are others"))
    return out


def _same_values(found: Sequence[object], wanted: Sequence[object], tolerance: float) -> bool:
    return len(found) == len(wanted) and all(_same_value(one, other, tolerance) for one, other in zip(found, wanted, strict=True))


def _same_value(one: object, other: object, tolerance: float) -> bool:
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        return math.isclose(one, other, rel_tol=1e-9, abs_tol=max(tolerance, 1e-12))
    if isinstance(one, float) and isinstance(other, str) and (day := _day(other)) is not None:
        return one == day
    return same_text(_shown(one), _shown(other))


def _day(text: str) -> float | None:
    """The number by which workbooks store a date, where a text is one (ISO 8601)."""
    try:
        return float(date.fromisoformat(text).toordinal() - date(1899, 12, 30).toordinal())
    except ValueError:
        return None


def _shown(value: object) -> str:
    return "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


@predicate(
    "pptx.picture",
    family=Family.STRUCTURAL,
    formats=FORMATS,
    examples=(
        example("with its alternative text", lambda: deck([picture_slide("Map", "Map of the quay")]), {"at": "deck.pptx#slide[1]", "alt": "Map of the quay"}, True),
        example("without", lambda: deck([picture_slide("Map")]), {"at": "deck.pptx#slide[1]", "has_alt": True}, FindingCode.MISSING),
        example("no picture", _table_deck, {"at": "deck.pptx#slide[1]"}, FindingCode.MISSING),
    ),
)
def picture(
    context: Context, *, at: str, alt: str | None = None, has_alt: bool = False, count: int | None = None, same_as: str | None = None
) -> Iterator[Finding | Evidence]:
    """A picture stands there that a reader sees.

    at: a slide or a shape.   alt: the alternative text that one of them has.   has_alt: each has one, or is marked as
    decoration.   count: how many pictures.   same_as: address of a picture in the source that one of them shows.
    """
    target = context.target(at, formats=FORMATS)
    absent = missing_place(target)
    if absent is not None:
        yield absent
        return
    pictures = [shape for shape in shapes_at(target) if shape.kind == "picture"]
    if not pictures:
        if count != 0:
            yield Finding(FindingCode.MISSING, target.place(), "a picture", None, "there is no picture")
        return
    visible, reasons = seen(context, target, pictures)
    if not visible:
        address, reason = next(iter(reasons.items()))
        yield Finding(FindingCode.HIDDEN_TEXT, target.place(address), "a picture that a reader sees", reason, f"the picture is not seen: {reason}")
        return
    if count is not None and len(visible) != count:
        yield Finding(FindingCode.WRONG_COUNT, target.place(), count, len(visible), f"{len(visible)} pictures are seen there, not {count}")
    texts = {shape.address: (shape.properties.get("descr") or "") if shape.properties is not None else "" for shape in visible}
    if alt is not None and not any(same_text(text, alt) for text in texts.values()):
        shown = next(iter(texts.values()))
        yield Finding(FindingCode.MISMATCH, target.place(visible[0].address), alt, shown or None, f"no picture there has the alternative text {alt!r}")
    for shape in visible if has_alt else ():
        if not texts[shape.address].strip() and not shape.decorative:
            yield Finding(FindingCode.MISSING, target.place(shape.address), "alternative text", None, f"{shape.name!r} has no alternative text")
    if same_as is not None:
        wanted = _source_image(context, same_as)
        images = {image_of(shape) for shape in visible}
        if wanted is None or wanted not in images:
            yield Finding(FindingCode.MISMATCH, target.place(), wanted, sorted(filter(None, images)), f"no picture there shows what {same_as} shows")
    for shape in visible:
        yield Evidence(target.place(shape.address), excerpt(texts[shape.address]) or shape.name)


def image_of(shape: Shape) -> str | None:
    """The content of a picture."""
    from docops.formats.ooxml.common import media_identity
    from docops.formats.ooxml.drawing import A
    from docops.formats.pptx.deck import P, R

    blip = shape.element.find(f"{P}blipFill/{A}blip")
    return media_identity(shape.part.target(blip.get(f"{R}embed"))) if blip is not None and blip.get(f"{R}embed") else None


def _source_image(context: Context, address: str) -> str | None:
    source = context.source_target(address)
    if source is None or not source.nodes:
        return None
    shape = shape_of(document_of(source), source.nodes[0])
    return image_of(shape) if shape is not None else None


PREDICATES: tuple[Predicate, ...] = (table_predicate, chart, picture)
