"""Predicates about formulas: `xlsx.formula`, `xlsx.consistent_formulas`, `xlsx.no_static`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from docops.core.codes import Family, FindingCode
from docops.core.predicate import AddressText, Context, Evidence, Example, Finding, predicate
from docops.formats.xlsx.formula_text import relative_form
from docops.formats.xlsx.model import Workbook
from docops.formats.xlsx.predicates.places import (
    Scalar,
    cell_address,
    plain,
    recalculator,
    regions,
    relative_address,
    shown,
    source_of,
    target_regions,
    undecided,
)
from docops.formats.xlsx.predicates.values import check_value
from docops.formats.xlsx.recalc import CellError, Cone, Outcome, Place, Recalculator
from docops.formats.xlsx.recalc.functions import OUTSIDE, VOLATILE
from docops.formats.xlsx.recalc.iron import Calculation, EngineFault
from docops.formats.xlsx.references import Area, column_letters, format_cell, function_name
from docops.formats.xlsx.samples import SheetSpec, TableSpec, workbook

_MAX_FINDINGS = 200
#: Cells whose own influence is tried where a formula reaches cells that it does not name.
_MAX_TRIED = 2_000


def _files() -> dict[str, bytes]:
    data: dict[str, object] = {"A1": "Month", "B1": "Amount", "A2": "Jan", "B2": 100, "A3": "Feb", "B3": 250.5, "A4": "Mar", "B4": 300}
    summary: dict[str, object] = {
        "A1": "=SUM(Data!B2:B4)",
        "A2": 650.5,
        "A3": "=650.5",
        "A4": "=650.5+0*SUM(Data!B2:B4)",
        "A5": "=SUM(Data!B2:B3)",
        "A6": "=SUM(Amounts)/0",
        "A7": "=Data!B2+Data!B3+Data!B4",
        "A8": "=SUM(Sales[Amount])",
        "A9": "=A1*1",
        "A10": "=IF(FALSE,SUM(Data!B2:B4),650.5)",
        "A11": "=NOW()+SUM(Data!B2:B4)",
    }
    sheets: dict[str, dict[str, object] | SheetSpec] = {
        "Summary": summary,
        "Data": SheetSpec(data, tables=(TableSpec("Sales", "A1:B4", ("Month", "Amount")),)),
    }
    return {"book.xlsx": workbook(sheets, names={"Amounts": "Data!$B$2:$B$4"})}


def _at(cell: str) -> str:
    return f"book.xlsx#sheet[Summary]/cell[{cell}]"


_DEPENDS = ["sheet[Data]/cell[B2:B4]"]


@predicate(
    "xlsx.formula",
    family=Family.STRUCTURAL,
    formats=("xlsx",),
    examples=(
        Example("a live total", _files, {"at": _at("A1"), "equals": 650.5, "depends_on": _DEPENDS, "uses": ["SUM"]}, True),
        Example("another formula for the same total", _files, {"at": _at("A7"), "equals": 650.5, "depends_on": _DEPENDS}, True),
        Example("through a table", _files, {"at": _at("A8"), "equals": 650.5, "depends_on": _DEPENDS}, True),
        Example("through another cell", _files, {"at": _at("A9"), "equals": 650.5, "depends_on": _DEPENDS}, True),
        Example("a typed-in value", _files, {"at": _at("A2"), "equals": 650.5, "depends_on": _DEPENDS}, FindingCode.STATIC_VALUE),
        Example("a typed-in value behind an equals sign", _files, {"at": _at("A3"), "equals": 650.5}, FindingCode.STATIC_VALUE),
        Example(
            "a typed-in value with references for show", _files, {"at": _at("A4"), "equals": 650.5, "depends_on": _DEPENDS}, FindingCode.STATIC_VALUE
        ),
        Example("a branch that never runs", _files, {"at": _at("A10"), "equals": 650.5, "depends_on": _DEPENDS}, FindingCode.STATIC_VALUE),
        Example("a range cut short", _files, {"at": _at("A5"), "depends_on": _DEPENDS}, FindingCode.WRONG_PRECEDENTS),
        Example("a wrong value", _files, {"at": _at("A5"), "equals": 650.5}, FindingCode.MISMATCH),
        Example("an error", _files, {"at": _at("A6"), "depends_on": _DEPENDS}, FindingCode.FORMULA_ERROR),
        Example("another function", _files, {"at": _at("A7"), "uses": ["SUM"]}, FindingCode.MISMATCH),
        Example("no value at two moments alike", _files, {"at": _at("A11"), "equals": 650.5}, FindingCode.UNSUPPORTED),
    ),
)
def formula(
    context: Context,
    *,
    at: str,
    equals: Scalar | None = None,
    tolerance: float = 0,
    depends_on: Sequence[AddressText] = (),
    uses: Sequence[str] = (),
) -> Iterator[Finding | Evidence]:
    """A cell holds a live formula; a typed-in value is refused.

    at: a cell, or a range of which every cell is meant.   equals: its value, recalculated (as for `xlsx.cell`).
    tolerance: how far a number may be off.   depends_on: places in the same workbook of which every cell has to be a
    precedent, directly or through other cells, names, tables and spilled ranges.   uses: functions it has to call.
    A formula of constants alone is a typed-in value, and so is one whose result does not move whatever its precedents
    hold (`=26494+0*SUM(C2:C13)`). What no engine can calculate (NOW, RAND, other workbooks) leaves the criterion open
    where a value is asked for.
    """
    target, book, found, missing = target_regions(context, at)
    yield from missing
    wanted: list[Place] = []
    for text in depends_on:
        address = relative_address(text, target.artifact)
        named = regions(book, address)
        if not named:
            yield Finding(
                FindingCode.MISSING, f"{target.artifact}#{address.path}", str(address.path), None, f"there is no {address.path} to depend on"
            )
        wanted += [place for region in named for place in region.places()]
    calculator = recalculator(context, book)
    findings = 0
    for region in found:
        for place in region.places():
            for item in _check_formula(target.artifact, book, calculator, place, equals, tolerance, wanted, uses):
                findings += isinstance(item, Finding)
                if findings <= _MAX_FINDINGS:
                    yield item


def _check_formula(
    artifact: str,
    book: Workbook,
    calculator: Recalculator,
    place: Place,
    equals: Scalar | None,
    tolerance: float,
    wanted: Sequence[Place],
    uses: Sequence[str],
) -> Iterator[Finding | Evidence]:
    source = source_of(book)
    address = f"{artifact}#{cell_address(book, place)}"
    name = format_cell(place.row, place.column)
    expected = f"a formula that gives {plain(equals)}" if equals is not None else "a formula"
    stored = source.input(place)
    cone = calculator.cone([place])
    if place in cone.inputs or (stored is not None and stored.formula is None and place not in cone.formulas and not cone.formulas):
        value = shown(book, place, stored.value if stored is not None else None)
        yield Finding(FindingCode.STATIC_VALUE, address, expected, plain(value), f"{name} holds {plain(value)!r} as a typed-in value, not a formula")
        return
    if stored is None and not cone.formulas:
        yield Finding(FindingCode.MISSING, address, expected, None, f"{name} is empty; a formula was expected")
        return
    if not cone.formulas:
        yield undecided(artifact, book, place, calculator.results([place], cone)[place], expected)
        return
    text = f"={stored.formula}" if stored is not None and stored.formula is not None else "the result of an array formula"
    owner = place if place in cone.formulas else next(iter(cone.formulas))
    if owner not in cone.problems and _is_constant(cone, owner):
        yield Finding(FindingCode.STATIC_VALUE, address, expected, text, f"{name} holds {text}, which is made of constants only")
        return
    yield Evidence(address, text)
    yield from _check_uses(address, name, text, cone, owner, uses)
    result = calculator.results([place], cone)[place]
    if result.outcome is not Outcome.COMPUTED:
        if equals is not None:
            yield undecided(artifact, book, place, result, plain(equals))
        yield from _uncovered(address, name, text, book, cone, None, place, wanted)
        return
    yield Evidence(address, f"= {plain(shown(book, place, result.value))}")
    if isinstance(result.value, CellError) and (equals is None or equals != result.value.code):
        yield Finding(FindingCode.FORMULA_ERROR, address, plain(equals) if equals is not None else "a value", result.value.code, f"{name} ({text}) shows the error {result.value.code}")
        return
    if equals is not None:
        finding = check_value(artifact, book, place, result, equals, tolerance)
        if finding is not None:
            yield finding
    try:
        calculation = calculator.calculation(cone)
        uncovered = list(_uncovered(address, name, text, book, cone, calculation, place, wanted))
        yield from uncovered
        if not uncovered:
            yield from _check_live(address, name, text, cone, calculation, place, owner, wanted)
    except EngineFault as fault:
        yield Finding(FindingCode.UNSUPPORTED, address, expected, None, f"whether {name} depends on its precedents could not be tried: {fault}")


def _is_constant(cone: Cone, place: Place) -> bool:
    """Whether a formula reads no cell at all, and nothing from outside."""
    expanded = cone.formulas[place].expanded
    return not expanded.areas and not expanded.dynamic and not expanded.anchors and not (VOLATILE | OUTSIDE) & expanded.functions.keys()


def _check_uses(address: str, name: str, text: str, cone: Cone, place: Place, uses: Sequence[str]) -> Iterator[Finding]:
    called = cone.formulas[place].expanded.functions
    for wanted in uses:
        if function_name(wanted) not in called:
            held = sorted(called)
            message = f"{name} ({text}) does not call {function_name(wanted)}" + (f"; it calls {', '.join(held)}" if held else "")
            yield Finding(FindingCode.MISMATCH, address, function_name(wanted), list(held), message)


def _uncovered(
    address: str, name: str, text: str, book: Workbook, cone: Cone, calculation: Calculation | None, place: Place, wanted: Sequence[Place]
) -> Iterator[Finding]:
    from docops.formats.xlsx.recalc.perturb import moves_with

    lacking = [cell for cell in wanted if not cone.seen.contains(cell)]
    if lacking and cone.dynamic and calculation is not None and len(lacking) <= _MAX_TRIED:
        lacking = [cell for cell in lacking if not moves_with(calculation, place, cell)]
    if lacking:
        cells = _describe(book, lacking)
        message = f"{name} ({text}) does not depend on {cells}"
        yield Finding(FindingCode.WRONG_PRECEDENTS, address, f"depends on {cells}", text, message)


def _check_live(
    address: str, name: str, text: str, cone: Cone, calculation: Calculation, place: Place, owner: Place, wanted: Sequence[Place]
) -> Iterator[Finding]:
    from docops.formats.xlsx.recalc.perturb import carries_result, responds

    cells = list(wanted) or [cell for cell in cone.inputs if cell != place]
    if not wanted and not cells:
        cells = [
            Place(sheet, row, column) for sheet, area in cone.formulas[owner].expanded.areas if area.count <= 1000 for row, column in area.cells()
        ]
    if not cells:
        return
    what = "the cells it should depend on" if wanted else "the cells it reads"
    if not responds(cone, calculation, place, cells):
        message = f"the result of {name} ({text}) stays the same whatever {what} hold: it is a typed-in value in disguise"
        yield Finding(FindingCode.STATIC_VALUE, address, "a result that follows from its precedents", text, message)
    elif carries_result(cone, calculation, owner, cells):
        message = f"{name} ({text}) spells out its own result, which no number in {what} changes"
        yield Finding(FindingCode.STATIC_VALUE, address, "a result that follows from its precedents", text, message)


def _describe(book: Workbook, cells: Sequence[Place]) -> str:
    """Cells as ranges, sheet by sheet."""
    columns: dict[tuple[int, int], list[int]] = {}
    for cell in cells:
        columns.setdefault((cell.sheet, cell.column), []).append(cell.row)
    areas: list[tuple[int, Area]] = []
    for (sheet, column), rows in sorted(columns.items()):
        start = previous = min(rows)
        for row in [*sorted(rows)[1:], 0]:
            if row != previous + 1:
                areas.append((sheet, Area(start, column, previous, column)))
                start = row
            previous = row
    joined: list[tuple[int, Area]] = []
    for sheet, area in areas:
        last = joined[-1] if joined else None
        if (
            last
            and last[0] == sheet
            and last[1].last_column + 1 == area.first_column
            and (last[1].first_row, last[1].last_row) == (area.first_row, area.last_row)
        ):
            joined[-1] = (sheet, Area(area.first_row, last[1].first_column, area.last_row, area.last_column))
        else:
            joined.append((sheet, area))
    texts = [f"{book.sheets[sheet].name}!{area}" for sheet, area in joined[:8]]
    return ", ".join(texts) + (f" and {len(joined) - 8} more ranges" if len(joined) > 8 else "")


def _columns() -> dict[str, bytes]:
    cells: dict[str, object] = {"A1": "Net", "B1": "Gross", "C1": "Odd", "E1": 0.19}
    for row in range(2, 6):
        cells[f"A{row}"] = row * 100
        cells[f"B{row}"] = f"=A{row}*(1+$E$1)"
        cells[f"C{row}"] = f"=A{row}*2" if row != 4 else "=A4*3"
    cells["D2"] = "=A2"
    cells["D3"] = 300
    return {"book.xlsx": workbook({"Sheet": cells})}


@predicate(
    "xlsx.consistent_formulas",
    family=Family.STRUCTURAL,
    formats=("xlsx",),
    examples=(
        Example("filled down", _columns, {"at": "book.xlsx#sheet[Sheet]/cell[B2:B5]"}, True),
        Example("one cell differs", _columns, {"at": "book.xlsx#sheet[Sheet]/cell[C2:C5]"}, FindingCode.MISMATCH),
        Example("one cell is typed over", _columns, {"at": "book.xlsx#sheet[Sheet]/cell[D2:D3]"}, FindingCode.STATIC_VALUE),
    ),
)
def consistent_formulas(context: Context, *, at: str) -> Iterator[Finding | Evidence]:
    """Every cell of a range holds the same formula, seen from where it stands, as if filled from one cell.

    at: a range, or a table's column; of several columns each is looked at by itself. The formula that most cells hold is
    the one that is meant; cells that hold another, a typed-in value, or nothing, are findings.
    """
    target, book, found, missing = target_regions(context, at)
    yield from missing
    for region in found:
        by_row = region.area.first_row == region.area.last_row
        groups: dict[int, list[Place]] = {}
        for place in region.places():
            groups.setdefault(place.row if by_row else place.column, []).append(place)
        for places in groups.values():
            yield from _same_formula(target.artifact, book, places)


def _same_formula(artifact: str, book: Workbook, places: Sequence[Place]) -> Iterator[Finding | Evidence]:
    source = source_of(book)
    inputs = {place: source.input(place) for place in places}
    forms: dict[Place, str] = {}
    for place, stored in inputs.items():
        if stored is not None and stored.formula:
            forms[place] = relative_form(stored.formula, place.row, place.column)
    counts: dict[str, int] = {}
    for form in forms.values():
        counts[form] = counts.get(form, 0) + 1
    common = max(counts, key=lambda form: counts[form], default="")
    model = next((place for place, form in forms.items() if form == common), None)
    shown_model = f"={inputs[model].formula}" if model is not None and inputs[model] is not None else ""  # type: ignore[union-attr]
    for place, stored in inputs.items():
        address = f"{artifact}#{cell_address(book, place)}"
        name = format_cell(place.row, place.column)
        wanted = f"{shown_model} as in {format_cell(model.row, model.column)}" if model is not None else "a formula"
        if stored is None:
            yield Finding(FindingCode.MISSING, address, wanted, None, f"{name} is empty; {wanted} was expected")
        elif stored.formula is None:
            if source.array_cells.get(place.sheet) and any(area.contains(place.row, place.column) for area, _ in source.array_cells[place.sheet]):
                continue
            value = plain(shown(book, place, stored.value))
            yield Finding(FindingCode.STATIC_VALUE, address, wanted, value, f"{name} holds {value!r} as a typed-in value; {wanted} was expected")
        elif forms.get(place) != common:
            yield Finding(
                FindingCode.MISMATCH,
                address,
                wanted,
                f"={stored.formula}",
                f"{name} holds ={stored.formula}, not the formula of its column ({wanted})",
            )
    if model is not None:
        yield Evidence(f"{artifact}#{cell_address(book, model)}", shown_model)


@predicate(
    "xlsx.no_static",
    family=Family.STRUCTURAL,
    formats=("xlsx",),
    examples=(
        Example("formulas all the way", _columns, {"at": "book.xlsx#sheet[Sheet]/cell[B2:C5]"}, True),
        Example("a typed-in value", _columns, {"at": "book.xlsx#sheet[Sheet]/cell[D2:D3]"}, FindingCode.STATIC_VALUE),
        Example("an empty cell", _columns, {"at": "book.xlsx#sheet[Sheet]/cell[D2:D5]"}, FindingCode.MISSING),
    ),
)
def no_static(context: Context, *, at: str, allow_empty: bool = False) -> Iterator[Finding | Evidence]:
    """Every cell of a range holds a formula that reads other cells.

    at: a range, or a table's column.   allow_empty: empty cells may stand between them.
    """
    target, book, found, missing = target_regions(context, at)
    yield from missing
    source = source_of(book)
    calculator = recalculator(context, book)
    for region in found:
        count = 0
        for place in region.places():
            address = f"{target.artifact}#{cell_address(book, place)}"
            name = format_cell(place.row, place.column)
            stored = source.input(place)
            if stored is None:
                if not allow_empty and not calculator.cone([place]).formulas:
                    yield Finding(FindingCode.MISSING, address, "a formula", None, f"{name} is empty; a formula was expected")
                continue
            cone = calculator.cone([place])
            if not cone.formulas:
                value = plain(shown(book, place, stored.value))
                yield Finding(FindingCode.STATIC_VALUE, address, "a formula", value, f"{name} holds {value!r} as a typed-in value, not a formula")
            elif place in cone.formulas and place not in cone.problems and _is_constant(cone, place):
                text = f"={stored.formula}"
                yield Finding(FindingCode.STATIC_VALUE, address, "a formula", text, f"{name} holds {text}, which is made of constants only")
            else:
                count += 1
        yield Evidence(
            f"{target.artifact}#{region.address}",
            f"{count} cells with formulas in {column_letters(region.area.first_column)}{region.area.first_row} on",
        )


FORMULA_PREDICATES = (formula, consistent_formulas, no_static)
