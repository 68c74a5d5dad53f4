"""Predicates about how cells look: `xlsx.number_format`, `xlsx.style`, `xlsx.column_width`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from docops.core.codes import Aspect, Family, FindingCode
from docops.core.errors import UsageError
from docops.core.node import Node, Value
from docops.core.predicate import Context, Evidence, Example, Finding, predicate
from docops.formats.xlsx.cells import Layout
from docops.formats.xlsx.model import Cell, X
from docops.formats.xlsx.numberformats import canonical_code
from docops.formats.xlsx.predicates.places import address_of, cell_address, missing_finding, target_regions
from docops.formats.xlsx.recalc import Place
from docops.formats.xlsx.references import column_letters, format_cell
from docops.formats.xlsx.samples import SheetSpec, Styled, workbook

_MAX_FINDINGS = 200


def _files() -> dict[str, bytes]:
    cells: dict[str, object] = {
        "A1": Styled("Total", font='<b/><sz val="14"/><color rgb="FFC00000"/><name val="Arial"/>', fill=_solid("FFFFEE00")),
        "A2": Styled(1234.5, "#,##0.00"),
        "A3": Styled(45319, "yyyy\\-mm\\-dd;@"),
        "A4": Styled(5, "[$$-409]#,##0.00;-[$$-409]#,##0.00", alignment='horizontal="center" wrapText="1"'),
        "A5": Styled("x", border='<left/><right/><top/><bottom style="thin"><color rgb="FF000000"/></bottom><diagonal/>'),
        "A6": 7,
    }
    return {"book.xlsx": workbook({"Look": SheetSpec(cells, widths={1: 20})})}


def _solid(color: str) -> str:
    return f'<patternFill patternType="solid"><fgColor rgb="{color}"/></patternFill>'


@predicate(
    "xlsx.number_format",
    family=Family.STRUCTURAL,
    formats=("xlsx",),
    examples=(
        Example("thousands and two decimals", _files, {"at": "book.xlsx#sheet[Look]/cell[A2]", "code": "#,##0.00"}, True),
        Example("another spelling of a date", _files, {"at": "book.xlsx#sheet[Look]/cell[A3]", "code": "yyyy-mm-dd"}, True),
        Example("a currency with its country", _files, {"at": "book.xlsx#sheet[Look]/cell[A4]", "code": '"$"#,##0.00'}, True),
        Example("no format", _files, {"at": "book.xlsx#sheet[Look]/cell[A6]", "code": "0.00"}, FindingCode.MISMATCH),
        Example("one decimal too few", _files, {"at": "book.xlsx#sheet[Look]/cell[A2]", "code": "#,##0.0"}, FindingCode.MISMATCH),
    ),
)
def number_format(context: Context, *, at: str, code: str | Sequence[str]) -> Iterator[Finding | Evidence]:
    """A cell shows numbers in a format.

    at: a cell, or a range of which every cell is meant.   code: the format code as Excel shows it under Custom (`#,##0.00`,
    `yyyy-mm-dd`, `0.0%`), or several that will do. Codes that show the same are the same, whether built in or spelled out:
    escapes, quotes, the case of date letters, a redundant negative section or `;@`, the country of a currency sign.
    """
    target, book, found, missing = target_regions(context, at)
    yield from missing
    codes = [code] if isinstance(code, str) else list(code)
    wanted = {meaning(one) for one in codes}
    findings = 0
    for region in found:
        layout = Layout(region.sheet)
        for place in region.places():
            held = book.styles.number_format(_style(layout, place))
            address = f"{target.artifact}#{cell_address(book, place)}"
            if meaning(held) in wanted:
                if region.area.count <= 20:
                    yield Evidence(address, held)
                continue
            findings += 1
            if findings <= _MAX_FINDINGS:
                name = format_cell(place.row, place.column)
                yield Finding(FindingCode.MISMATCH, address, codes[0], held, f"{name} has the number format {held}, not {' or '.join(codes)}")


def _style(layout: Layout, place: Place) -> int:
    cell = layout.sheet.cell(place.row, place.column)
    return cell.style if cell is not None else layout.default_style(layout.sheet.rows.get(place.row), place.column)


#: Built-in formats that follow the system's settings, as they are spelled on a system set to English (United States).
_SYSTEM = {"m/d/yyyy": "mm-dd-yy", "m/d/yy": "mm-dd-yy", "m/d/yyyy h:mm": "m/d/yy h:mm", "mm/dd/yy": "mm-dd-yy"}
_CURRENCY = re.compile(r"\[\$([^\]-]*)(?:-[0-9A-Fa-f]+)?\]")


def meaning(code: str) -> str:
    """One spelling for all format codes that show the same."""
    text = _CURRENCY.sub(lambda match: f'"{match.group(1)}"' if match.group(1) else "", code)
    text = canonical_code(text)
    sections = _split(text)
    if len(sections) > 1 and sections[-1] == "@":
        sections.pop()
    if len(sections) == 3 and sections[2] == sections[0]:
        sections.pop()
    if len(sections) == 2 and sections[1] in (f"-{sections[0]}", _negative(sections[0])):
        sections.pop()
    joined = ";".join(sections)
    # Positive numbers leave room for a bracket, written as padding or as a plain space.
    joined = joined.replace("_)", " ") if re.fullmatch(r"#,##0(\.00)?_\);(\[Red\])?\(#,##0(\.00)?\)", joined) else joined
    return _SYSTEM.get(joined, joined)


def _split(code: str) -> list[str]:
    sections, quoted = [""], False
    for char in code:
        if char == '"':
            quoted = not quoted
        if char == ";" and not quoted:
            sections.append("")
        else:
            sections[-1] += char
    return sections


def _negative(section: str) -> str:
    """A section with a minus sign, where the sign joins a literal that stands first (`"-$"0` is `-` and `"$"0`)."""
    return f'"-{section[1:]}' if section.startswith('"') else f"-{section}"


@predicate(
    "xlsx.style",
    family=Family.STRUCTURAL,
    formats=("xlsx",),
    examples=(
        Example(
            "bold, large, red on yellow",
            _files,
            {"at": "book.xlsx#sheet[Look]/cell[A1]", "bold": True, "font_size": 14, "color": "C00000", "fill": "FFEE00"},
            True,
        ),
        Example("not bold", _files, {"at": "book.xlsx#sheet[Look]/cell[A2]", "bold": True}, FindingCode.MISMATCH),
        Example("centred and wrapped", _files, {"at": "book.xlsx#sheet[Look]/cell[A4]", "horizontal": "center", "wrap": True}, True),
        Example("a line below", _files, {"at": "book.xlsx#sheet[Look]/cell[A5]", "border": {"bottom": "thin"}}, True),
        Example("no fill", _files, {"at": "book.xlsx#sheet[Look]/cell[A2]", "fill": "FFEE00"}, FindingCode.MISMATCH),
    ),
)
def style(
    context: Context,
    *,
    at: str,
    bold: bool | None = None,
    italic: bool | None = None,
    underline: bool | None = None,
    strike: bool | None = None,
    font_name: str | None = None,
    font_size: float | None = None,
    color: str | None = None,
    fill: str | None = None,
    border: str | Mapping[str, str] | None = None,
    horizontal: str | None = None,
    vertical: str | None = None,
    wrap: bool | None = None,
    named: str | None = None,
) -> Iterator[Finding | Evidence]:
    """A cell looks as described, wherever the look comes from.

    at: a cell, or a range of which every cell is meant.   bold, italic, underline, strike, font_name, font_size: of all its text.
    color, fill: RRGGBB, theme colours resolved; `none` for no fill, `any` for any fill.   border: a line for all four sides
    (`thin`), or for some (`{ bottom = "double" }`), `none` for none, with or without colour (`thin C00000`).
    horizontal, vertical: alignment.   wrap: whether text wraps.   named: the cell style's name.
    Conditional formats do not count.
    """
    target, book, found, missing = target_regions(context, at)
    yield from missing
    plain: dict[str, Value] = {
        "font.bold": bold,
        "font.italic": italic,
        "font.strike": strike,
        "font.name": font_name,
        "font.size": font_size,
        "font.color": color,
        "fill": fill,
        "alignment.horizontal": horizontal,
        "alignment.vertical": vertical,
        "alignment.wrap": wrap,
        "style": named,
        "font.underline": underline,
    }
    wanted = {name: value for name, value in plain.items() if value is not None}
    wanted |= {f"border.{side}": line for side, line in _sides(border)}
    if not wanted:
        raise UsageError("xlsx.style needs at least one property to look at")
    findings = 0
    for region in found:
        layout = Layout(region.sheet)
        for place in region.places():
            looks = _looks(layout, place)
            address = f"{target.artifact}#{cell_address(book, place)}"
            for name, value in wanted.items():
                held = [look.get(name) for look in looks]
                wrong = next((one for one in held if not _fits(name, one, value)), _FITS)
                if wrong is _FITS:
                    continue
                findings += 1
                if findings <= _MAX_FINDINGS:
                    label = name.replace("font.", "").replace("alignment.", "").replace(".", " ")
                    message = f"{format_cell(place.row, place.column)}: {label} is {_words(wrong)}, not {_words(value)}"
                    yield Finding(FindingCode.MISMATCH, address, value, wrong, message)  # type: ignore[arg-type]
        yield Evidence(f"{target.artifact}#{region.address}", f"{region.area.count} cells, {len(wanted)} properties")


_FITS = object()


def _sides(border: str | Mapping[str, str] | None) -> Iterator[tuple[str, str]]:
    if border is None:
        return
    given = dict.fromkeys(("left", "right", "top", "bottom"), border) if isinstance(border, str) else border
    for side, line in given.items():
        if side not in ("left", "right", "top", "bottom", "diagonal"):
            raise UsageError(f"`border` has no side {side!r}; there are left, right, top, bottom, diagonal")
        yield side, str(line)


def _looks(layout: Layout, place: Place) -> list[dict[str, Value]]:
    """The format of a cell, one for each run of rich text; a line that the neighbour draws counts for both."""
    styles = layout.styles
    cell = layout.sheet.cell(place.row, place.column)
    base = {name: value for (aspect, name), value in styles.facts(_style(layout, place)).items() if aspect is Aspect.FORMAT}
    for side, opposite, row, column in (("left", "right", 0, -1), ("right", "left", 0, 1), ("top", "bottom", -1, 0), ("bottom", "top", 1, 0)):
        if base.get(f"border.{side}") == "none" and place.row + row > 0 and place.column + column > 0:
            neighbour: Cell | None = layout.sheet.cell(place.row + row, place.column + column)
            if neighbour is not None:
                base[f"border.{side}"] = styles.facts(neighbour.style)[Aspect.FORMAT, f"border.{opposite}"]
    if cell is None or cell.runs is None:
        return [base]
    looks = [{**base, **(styles.font(run.font) if run.font is not None else {})} for run in cell.runs if run.text.strip()]
    return looks or [base]


def _fits(name: str, held: Value, wanted: Value) -> bool:
    if name == "font.underline":
        return (held not in (None, "none", False)) == wanted
    if name == "font.size":
        try:
            return abs(float(str(held)) - float(str(wanted))) < 0.05
        except ValueError:
            return False
    if name == "fill" and wanted == "any":
        return held != "none"
    if name in ("font.color", "fill"):
        text = str(wanted).lstrip("#").upper()
        return str(held).upper() == (text[-6:] if len(text) == 8 else text)
    if name.startswith("border."):
        line = str(wanted).replace("#", "")
        return str(held).lower() == line.lower() or (" " not in line and str(held).split(" ")[0].lower() == line.lower())
    if name == "font.name":
        return str(held).casefold() == str(wanted).casefold()
    if name == "style":
        return str(held).casefold() == str(wanted).casefold()
    return held == wanted


def _words(value: object) -> str:
    return {"True": "on", "False": "off", "None": "not set"}.get(str(value), str(value))


@predicate(
    "xlsx.column_width",
    family=Family.STRUCTURAL,
    formats=("xlsx",),
    examples=(
        Example("wide enough", _files, {"at": "book.xlsx#sheet[Look]/column[A]", "at_least": 15}, True),
        Example("exactly", _files, {"at": "book.xlsx#sheet[Look]/column[A]", "equals": 20}, True),
        Example("the width of all columns", _files, {"at": "book.xlsx#sheet[Look]/column[B]", "at_least": 15}, FindingCode.MISMATCH),
    ),
)
def column_width(
    context: Context, *, at: str, at_least: float | None = None, equals: float | None = None, tolerance: float = 0.75
) -> Iterator[Finding | Evidence]:
    """Columns are as wide as asked, in characters.

    at: `sheet[…]/column[B]` or `column[B:D]`.   at_least: the least width.   equals: the width, give or take `tolerance`
    (programs add up to 0.72 for the cell's margins).
    """
    target, book, found, missing = target_regions(context, at)
    yield from missing
    if not target.address.segments or target.address.segments[-1].kind != "column":
        raise UsageError(f"xlsx.column_width looks at columns, not at {at}")
    for region in found:
        root = region.sheet.xml
        if root is None:
            yield missing_finding(target, book)
            continue
        settings = root.find(f"{X}sheetFormatPr")
        default = float((settings.get("defaultColWidth") if settings is not None else None) or 8.43)
        for column in range(region.area.first_column, region.area.last_column + 1):
            held = default
            for element in root.iterfind(f"{X}cols/{X}col"):
                if int(element.get("min", "0")) <= column <= int(element.get("max", "0")) and element.get("width"):
                    held = float(element.get("width", "0"))
            letters = column_letters(column)
            address = f"{target.artifact}#{Node(address_of(region.sheet), 'column', name=letters).address}"
            yield Evidence(address, f"{held:g}")
            if (at_least is not None and held < at_least) or (equals is not None and abs(held - equals) > tolerance):
                wanted = equals if equals is not None else at_least
                message = f"column {letters} is {held:g} characters wide, not {'' if equals is not None else 'at least '}{wanted:g}"
                yield Finding(FindingCode.MISMATCH, address, wanted, held, message)


LOOK_PREDICATES = (number_format, style, column_width)
