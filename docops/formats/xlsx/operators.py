"""Corruptions of workbooks: what a careful user of a spreadsheet would be angry about."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml import etree

from docops.core.operator import CorruptionClass, Operator
from docops.formats.xlsx import operators_objects
from docops.formats.xlsx.operators_model import (
    BLANK,
    FORMULA_RANGE,
    FORMULA_REFERENCE,
    SAMPLE,
    XlsxFile,
    add,
    find_cells,
    is_formula,
    is_number,
    is_text,
    item_text,
    number_text,
    xlsx_operator,
)
from docops.operators.ooxml_file import Place, unset

CONTENT = CorruptionClass.CONTENT_ALTERATION
STRUCTURE = CorruptionClass.STRUCTURE_CORRUPTION
PRESERVATION = CorruptionClass.PRESERVATION_VIOLATION
VALUE_BREAKS = ("xlsx.cell:equals",)
FORMULA_BREAKS = ("xlsx.formula",)
BOTH = (SAMPLE, BLANK)


def _number(place: Place) -> tuple[etree._Element, float]:
    value = place.element.find("{*}v")
    if value is None:
        raise LookupError("the cell holds no value")
    return value, float(value.text or 0)


@xlsx_operator("xlsx.number-changed", CONTENT, find_cells(is_number), aspects=("value",), breaks=VALUE_BREAKS, examples=BOTH)
def number_changed(book: XlsxFile, place: Place) -> str:
    """A typed-in number becomes another number."""
    value, number = _number(place)
    value.text = number_text(number + 1 if abs(number) >= 1 or number == 0 else number * 2)
    return value.text


@xlsx_operator(
    "xlsx.sign-flipped", CONTENT, find_cells(lambda b, c: is_number(b, c) and float(c.findtext("{*}v") or 0) != 0), aspects=("value",), breaks=VALUE_BREAKS
)
def sign_flipped(book: XlsxFile, place: Place) -> str:
    """A number changes its sign."""
    value, number = _number(place)
    value.text = number_text(-number)
    return value.text


@xlsx_operator(
    "xlsx.unit-times-1000", CONTENT, find_cells(lambda b, c: is_number(b, c) and float(c.findtext("{*}v") or 0) != 0), aspects=("value",), breaks=VALUE_BREAKS
)
def unit_times_1000(book: XlsxFile, place: Place) -> str:
    """A number is multiplied by 1000, as if its unit had been misread."""
    value, number = _number(place)
    value.text = number_text(number * 1000)
    return value.text


@xlsx_operator(
    "xlsx.digits-swapped",
    CONTENT,
    find_cells(lambda b, c: is_number(b, c) and bool(re.match(r"-?(\d)(?!\1)\d", c.findtext("{*}v") or "")) and "E" not in (c.findtext("{*}v") or "")),
    aspects=("value",),
    breaks=VALUE_BREAKS,
)
def digits_swapped(book: XlsxFile, place: Place) -> str:
    """The first two digits of a number change places."""
    value, _ = _number(place)
    value.text = re.sub(r"^(-?)(\d)(\d)", r"\1\3\2", value.text or "")
    return value.text


@xlsx_operator("xlsx.number-to-text", CONTENT, find_cells(is_number), aspects=("value",), breaks=VALUE_BREAKS)
def number_to_text(book: XlsxFile, place: Place) -> str:
    """A number is stored as text that looks the same."""
    text = place.element.findtext("{*}v") or ""
    book.set_text(place.element, text)
    return f"'{text}"


@xlsx_operator("xlsx.date-shifted", CONTENT, find_cells(lambda b, c: is_number(b, c) and b.is_date(c)), aspects=("value",), breaks=VALUE_BREAKS)
def date_shifted(book: XlsxFile, place: Place) -> str:
    """A date moves by one day."""
    value, number = _number(place)
    value.text = number_text(number + 1)
    return value.text


@xlsx_operator(
    "xlsx.value-cleared",
    CONTENT,
    find_cells(lambda b, c: is_number(b, c) or is_text(b, c)),
    aspects=("value", "text"),
    breaks=("xlsx.cell:equals",),
)
def value_cleared(book: XlsxFile, place: Place) -> str:
    """A cell loses its content and keeps its format."""
    for child in list(place.element):
        place.element.remove(child)
    unset(place.element, "t")
    return ""


@xlsx_operator("xlsx.text-changed", CONTENT, find_cells(is_text), aspects=("text", "value"), breaks=VALUE_BREAKS, examples=BOTH)
def text_changed(book: XlsxFile, place: Place) -> str:
    """A word is added to the text of a cell."""
    text = book.text(place.element) + " revised"
    book.set_text(place.element, text)
    return text


def _rich_strings(book: XlsxFile) -> Iterator[Place]:
    parts = book.related(book.main, "sharedStrings")
    if not parts:
        return
    items = book.xml(parts[0]).findall("{*}si")
    for sheet in book.sheets:
        for cell in book.cells(sheet):
            value = cell.findtext("{*}v") or ""
            if cell.get("t") == "s" and value.isdigit() and int(value) < len(items):
                item = items[int(value)]
                if len(item.findall("{*}r")) > 1 and len({etree.tostring(p) for p in item.iterfind("{*}r/{*}rPr")}) > 1:
                    yield Place(f"{sheet.address}/cell[{cell.get('r')}]", parts[0], item, item_text(item), sheet)


@xlsx_operator("xlsx.rich-text-flattened", PRESERVATION, _rich_strings, aspects=("format",))
def rich_text_flattened(book: XlsxFile, place: Place) -> str:
    """The formatting of parts of a cell's text is lost."""
    text = item_text(place.element)
    for child in list(place.element):
        place.element.remove(child)
    add(place.element, "t").text = text
    return text


@xlsx_operator(
    "xlsx.formula-to-value",
    PRESERVATION,
    find_cells(lambda b, c: is_formula(b, c) and (c.find("{*}f").get("t") in (None, "normal")) and bool(c.findtext("{*}v"))),  # type: ignore[union-attr]
    aspects=("formula",),
    breaks=FORMULA_BREAKS,
    tags=("gaming",),
    examples=BOTH,
)
def formula_to_value(book: XlsxFile, place: Place) -> str:
    """A formula is replaced by its cached value."""
    formula = place.element.find("{*}f")
    if formula is not None:
        place.element.remove(formula)
    return place.element.findtext("{*}v") or ""


def _plain_formula(book: XlsxFile, cell: etree._Element) -> bool:
    formula = cell.find("{*}f")
    return formula is not None and bool(formula.text) and formula.get("t") in (None, "normal")


def _has_reference(book: XlsxFile, cell: etree._Element) -> bool:
    return _plain_formula(book, cell) and bool(FORMULA_REFERENCE.search(cell.findtext("{*}f") or ""))


def _has_range(book: XlsxFile, cell: etree._Element) -> bool:
    match = FORMULA_RANGE.search(cell.findtext("{*}f") or "") if _plain_formula(book, cell) else None
    return match is not None and int(match.group(4)) > int(match.group(2))


def _set_formula(place: Place, text: str) -> str:
    formula = place.element.find("{*}f")
    if formula is None:
        raise LookupError("the cell has no formula")
    formula.text = text
    return "=" + text


def _drop_cache(place: Place) -> None:
    value = place.element.find("{*}v")
    if value is not None:
        place.element.remove(value)
        unset(place.element, "t")


@xlsx_operator("xlsx.reference-off-by-one", CONTENT, find_cells(_has_reference), aspects=("formula",), examples=BOTH)
def reference_off_by_one(book: XlsxFile, place: Place) -> str:
    """A reference in a formula points one row further."""
    text = place.element.findtext("{*}f") or ""
    _drop_cache(place)
    match = FORMULA_REFERENCE.search(text)
    if match is None:
        raise LookupError("no reference")
    return _set_formula(place, f"{text[: match.start(5)]}{int(match.group(5)) + 1}{text[match.end(5) :]}")


@xlsx_operator("xlsx.range-cut-short", CONTENT, find_cells(_has_range), aspects=("formula",), breaks=("xlsx.formula:depends_on",))
def range_cut_short(book: XlsxFile, place: Place) -> str:
    """A range in a formula loses its last row."""
    text = place.element.findtext("{*}f") or ""
    _drop_cache(place)
    return _set_formula(place, FORMULA_RANGE.sub(lambda m: f"{m[1]}{m[2]}:{m[3]}{int(m[4]) - 1}", text, count=1))


@xlsx_operator("xlsx.absolute-relative", PRESERVATION, find_cells(_has_reference), aspects=("formula",))
def absolute_relative(book: XlsxFile, place: Place) -> str:
    """A reference changes between absolute and relative, so that the formula copies differently."""

    def flip(match: re.Match[str]) -> str:
        mark = "" if match.group(2) or match.group(4) else "$"
        return f"{match.group(1) or ''}{mark}{match.group(3)}{mark}{match.group(5)}"

    return _set_formula(place, FORMULA_REFERENCE.sub(flip, place.element.findtext("{*}f") or "", count=1))


_OTHER_FUNCTION = {"SUM": "AVERAGE", "AVERAGE": "SUM", "MAX": "MIN", "MIN": "MAX", "ROUND": "ROUNDUP", "COUNT": "COUNTA", "IF": "IFERROR"}


@xlsx_operator(
    "xlsx.function-changed",
    CONTENT,
    find_cells(lambda b, c: _plain_formula(b, c) and bool(re.search(r"\b(SUM|AVERAGE|MAX|MIN|ROUND)\(", c.findtext("{*}f") or ""))),
    aspects=("formula",),
)
def function_changed(book: XlsxFile, place: Place) -> str:
    """A formula uses another function of the same shape."""
    _drop_cache(place)
    text = place.element.findtext("{*}f") or ""
    return _set_formula(place, re.sub(r"\b(SUM|AVERAGE|MAX|MIN|ROUND)\(", lambda m: _OTHER_FUNCTION[m.group(1)] + "(", text, count=1))


def _is_volatile(book: XlsxFile) -> bool:
    """Whether results of the workbook change with every calculation, so that none of them can be called stale."""
    volatile = re.compile(rb"\b(NOW|TODAY|RAND|RANDBETWEEN|RANDARRAY|OFFSET|INDIRECT|INFO|CELL)\(")
    return any(volatile.search(book.archive.read(sheet.part)) for sheet in book.sheets)


def _cached_number(book: XlsxFile, cell: etree._Element) -> bool:
    if not is_formula(book, cell) or cell.get("t") not in (None, "n") or not cell.findtext("{*}v"):
        return False
    if _is_volatile(book):
        return False
    calculation = book.xml(book.main).find("{*}calcPr")
    return calculation is None or calculation.get("fullCalcOnLoad") not in ("1", "true")


@xlsx_operator("xlsx.stale-cached-value", CONTENT, find_cells(_cached_number), aspects=("value", "formula"))
def stale_cached_value(book: XlsxFile, place: Place) -> str:
    """The stored result of a formula contradicts the formula, and nothing asks for recalculation."""
    value, number = _number(place)
    value.text = number_text(number + 17)
    return value.text


@xlsx_operator("xlsx.error-value", CONTENT, find_cells(lambda b, c: _plain_formula(b, c) and "#REF!" not in (c.findtext("{*}f") or "")), aspects=("formula",), breaks=FORMULA_BREAKS)
def error_value(book: XlsxFile, place: Place) -> str:
    """A formula is broken: it refers to nothing and shows #REF!."""
    _drop_cache(place)
    place.element.set("t", "e")
    add(place.element, "v").text = "#REF!"
    text = FORMULA_REFERENCE.sub("#REF!", place.element.findtext("{*}f") or "", count=1)
    return _set_formula(place, text if "#REF!" in text else "#REF!+" + text)


@xlsx_operator(
    "xlsx.number-format-changed", PRESERVATION, find_cells(is_number), aspects=("format",), breaks=("xlsx.number_format",)
)
def number_format_changed(book: XlsxFile, place: Place) -> str:
    """A number is shown in another number format."""
    _, code = book.number_format(place.element)
    new = "0.0000" if code != "0.0000" else "0"

    def change(style: etree._Element, root: etree._Element) -> None:
        style.set("numFmtId", book.number_of(new, root))
        style.set("applyNumberFormat", "1")

    book.restyle(place.element, change)
    return new


def _styled(book: XlsxFile, cell: etree._Element) -> bool:
    return cell.get("s") not in (None, "0") and len(cell) > 0


@xlsx_operator("xlsx.cell-format-lost", PRESERVATION, find_cells(lambda b, c: _styled(b, c) and _visible_style(b, c)), aspects=("format",))
def cell_format_lost(book: XlsxFile, place: Place) -> str:
    """A cell loses its whole format."""
    place.element.attrib.pop("s")
    return "default format"


def _visible_style(book: XlsxFile, cell: etree._Element) -> bool:
    style = book.style(cell)
    if style is None or book.styles_part is None:
        return False
    base = book.xml(book.styles_part).findall("{*}cellXfs/{*}xf")[0]
    keys = ("numFmtId", "fontId", "fillId", "borderId")
    return any(style.get(key, "0") != base.get(key, "0") for key in keys)


@xlsx_operator("xlsx.bold-flipped", PRESERVATION, find_cells(lambda b, c: len(c) > 0), aspects=("format",))
def bold_flipped(book: XlsxFile, place: Place) -> str:
    """The text of a cell becomes bold, or loses its bold."""

    def flip(font: etree._Element) -> None:
        bold = font.find("{*}b")
        if bold is not None and bold.get("val") not in ("0", "false"):
            font.remove(bold)
        else:
            if bold is not None:
                font.remove(bold)
            new = etree.Element(font.tag.replace("}font", "}b"))
            font.insert(0, new)

    def change(style: etree._Element, root: etree._Element) -> None:
        style.set("fontId", str(book.add_entry(root, "fonts", int(style.get("fontId") or 0), flip)))
        style.set("applyFont", "1")

    book.restyle(place.element, change)
    return "bold flipped"


#: The corruptions of this module and of the one beside it.
OPERATORS: tuple[Operator, ...] = (
    *(value for value in list(globals().values()) if isinstance(value, Operator)),
    *operators_objects.OPERATORS,
)
