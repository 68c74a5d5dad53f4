"""Predicates about what belongs to ranges: merged cells, panes, comments, links, input rules, conditional formats, visibility."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from docops.core.codes import Aspect, Family, FindingCode
from docops.core.errors import UsageError
from docops.core.node import Node, Value
from docops.core.predicate import Context, Evidence, Example, Finding, Target, predicate
from docops.formats.xlsx.formula_text import canonical_formula, translate
from docops.formats.xlsx.model import Sheet, Workbook, X
from docops.formats.xlsx.predicates.places import (
    Region,
    Scalar,
    address_of,
    equal,
    find_sheet,
    missing_finding,
    plain,
    seen_values,
    shown,
    target_regions,
    workbook_of,
)
from docops.formats.xlsx.recalc import Outcome, Place
from docops.formats.xlsx.references import Area, TokenKind, format_cell, function_name, parse_area, parse_reference, tokenise
from docops.formats.xlsx.samples import SheetSpec, workbook
from docops.formats.xlsx.values import is_true


def _files() -> dict[str, bytes]:
    rules = (
        '<conditionalFormatting sqref="B2:B9"><cfRule type="cellIs" priority="1" operator="greaterThan"><formula>100</formula></cfRule>'
        '</conditionalFormatting><dataValidations count="2"><dataValidation type="list" sqref="C2:C9"><formula1>"open,done"</formula1></dataValidation>'
        '<dataValidation type="list" sqref="D2:D9"><formula1>Lists!$A$1:$A$2</formula1></dataValidation></dataValidations>'
    )
    sheets: dict[str, dict[str, object] | SheetSpec] = {
        "Data": SheetSpec(
            {"A1": "Title", "B2": 5, "C2": "open", "E2": '=HYPERLINK("https://example.org/","go")'},
            freeze="A2",
            merged=("A1:D1",),
            comments={"B2": "Checked by Ada"},
            hidden_rows=(9,),
            after_data=rules,
        ),
        "Lists": {"A1": "North", "A2": "South"},
    }
    return {"book.xlsx": workbook(sheets)}


def _sheet_of(context: Context, at: str) -> tuple[Target, Workbook, Sheet | None, list[Finding]]:
    target = context.target(at, formats=("xlsx",))
    book = workbook_of(target)
    found = find_sheet(book, target.address.segments[0]) if target.address.segments else (book.sheets[0] if len(book.sheets) == 1 else None)
    if found is None and not target.address.segments:
        raise UsageError(f"{at} names no sheet")
    return target, book, found, [] if found is not None else [missing_finding(target, book)]


def _nodes(target: Target, sheet: Sheet, kind: str) -> list[tuple[Node, list[Area]]]:
    """The nodes of a kind on a sheet, with the areas that their names spell."""
    out = []
    for holder in target.document.find(address_of(sheet)):
        for child in holder.children:
            if child.kind == kind:
                areas = []
                for text in (child.name or "").split():
                    try:
                        areas.append(parse_area(text))
                    except ValueError:
                        continue
                out.append((child, areas))
    return out


def _uncovered(region: Region, areas: Sequence[Area]) -> Area | None:
    """The first cells of a region that none of the areas holds, or None."""
    if any(area.covers(region.area) for area in areas):
        return None
    for place in region.places():
        if not any(area.contains(place.row, place.column) for area in areas):
            return Area(place.row, place.column, place.row, place.column)
    return None


@predicate(
    "xlsx.merged",
    family=Family.STRUCTURAL,
    formats=("xlsx",),
    examples=(
        Example("merged", _files, {"at": "book.xlsx#sheet[Data]/cell[A1:D1]"}, True),
        Example("not merged", _files, {"at": "book.xlsx#sheet[Data]/cell[A2:D2]"}, FindingCode.MISSING),
        Example("must not be merged", _files, {"at": "book.xlsx#sheet[Data]/cell[A1:D1]", "exists": False}, FindingCode.UNEXPECTED),
    ),
)
def merged(context: Context, *, at: str, exists: bool = True) -> Iterator[Finding | Evidence]:
    """A range is merged into one cell.

    at: exactly the range.   exists: false where no merged range may touch it.
    """
    target, _, found, missing = target_regions(context, at)
    yield from missing
    for region in found:
        areas = [parse_area(ref) for ref in region.sheet.merged]
        address = f"{target.artifact}#{region.address}"
        yield Evidence(f"{target.artifact}#{address_of(region.sheet)}", ", ".join(map(str, areas)) or "no merged ranges")
        if exists and region.area not in areas:
            touching = next((area for area in areas if area.intersection(region.area) is not None), None)
            held = f"; {touching} is" if touching is not None else ""
            yield Finding(FindingCode.MISSING, address, str(region.area), str(touching) if touching else None, f"{region.area} is not merged{held}")
        if not exists:
            for area in areas:
                if area.intersection(region.area) is not None:
                    yield Finding(FindingCode.UNEXPECTED, f"{target.artifact}#{address_of(region.sheet, area)}", None, str(area), f"{area} is merged")


@predicate(
    "xlsx.freeze_panes",
    family=Family.STRUCTURAL,
    formats=("xlsx",),
    examples=(
        Example("the first row stays", _files, {"at": "book.xlsx#sheet[Data]", "cell": "A2"}, True),
        Example("another cell", _files, {"at": "book.xlsx#sheet[Data]", "cell": "B2"}, FindingCode.MISMATCH),
        Example("nothing is frozen", _files, {"at": "book.xlsx#sheet[Lists]", "cell": "A2"}, FindingCode.MISMATCH),
    ),
)
def freeze_panes(context: Context, *, at: str, cell: str) -> Iterator[Finding | Evidence]:
    """Rows above and columns left of a cell stay in view.

    at: a sheet.   cell: the first cell that scrolls (`A2` keeps the first row, `B1` the first column); "" where nothing is frozen.
    """
    target, _, found, missing = _sheet_of(context, at)
    yield from missing
    if found is None:
        return
    pane = next(found.xml.iterfind(f"{X}sheetViews/{X}sheetView/{X}pane"), None) if found.xml is not None else None
    held = ""
    if pane is not None and pane.get("state") in ("frozen", "frozenSplit"):
        held = format_cell(int(float(pane.get("ySplit", "0"))) + 1, int(float(pane.get("xSplit", "0"))) + 1)
    address = f"{target.artifact}#{address_of(found)}"
    yield Evidence(address, f"frozen at {held}" if held else "nothing frozen")
    if held.upper() != cell.replace("$", "").upper():
        message = (
            f"the sheet {found.name} "
            + (f"is frozen at {held}" if held else "has no frozen panes")
            + (f", not at {cell}" if cell else "; nothing should be frozen")
        )
        yield Finding(FindingCode.MISMATCH, address, cell, held, message)


@predicate(
    "xlsx.comment",
    family=Family.STRUCTURAL,
    formats=("xlsx",),
    examples=(
        Example("says something", _files, {"at": "book.xlsx#sheet[Data]/cell[B2]", "contains": "Checked"}, True),
        Example("says something else", _files, {"at": "book.xlsx#sheet[Data]/cell[B2]", "contains": "Bo"}, FindingCode.MISMATCH),
        Example("is not there", _files, {"at": "book.xlsx#sheet[Data]/cell[C2]"}, FindingCode.MISSING),
    ),
)
def comment(
    context: Context, *, at: str, contains: str | None = None, author: str | None = None, exists: bool = True
) -> Iterator[Finding | Evidence]:
    """A cell has a comment (note or thread).

    at: a cell.   contains: text in it, as written.   author: who wrote it.   exists: false where there must be none.
    """
    from docops.formats.xlsx.comments import read_comments

    target, _, found, missing = target_regions(context, at)
    yield from missing
    for region in found:
        comments = read_comments(region.sheet).found
        for place in region.places():
            name = format_cell(place.row, place.column)
            held = comments.get(name, [])
            address = f"{target.artifact}#{address_of(region.sheet, Area(place.row, place.column, place.row, place.column))}"
            for one in held:
                yield Evidence(address, f"{one.author}: {one.text}")
            if not exists:
                if held:
                    yield Finding(FindingCode.UNEXPECTED, address, None, held[0].text, f"{name} has a comment, which must not be there")
            elif not held:
                yield Finding(FindingCode.MISSING, address, contains or "a comment", None, f"{name} has no comment")
            elif contains is not None and not any(contains in one.text for one in held):
                yield Finding(FindingCode.MISMATCH, address, contains, held[0].text, f"the comment of {name} does not say {contains!r}")
            elif author is not None and not any(one.author == author for one in held):
                yield Finding(FindingCode.MISMATCH, address, author, held[0].author, f"the comment of {name} is by {held[0].author}, not by {author}")


@predicate(
    "xlsx.hyperlink",
    family=Family.STRUCTURAL,
    formats=("xlsx",),
    examples=(
        Example("no link where none is wanted", _files, {"at": "book.xlsx#sheet[Data]/cell[B2]", "exists": False}, True),
        Example("no link", _files, {"at": "book.xlsx#sheet[Data]/cell[B2]", "target": "https://example.org/"}, FindingCode.MISSING),
        Example("a link that a formula makes", _files, {"at": "book.xlsx#sheet[Data]/cell[E2]", "target": "https://example.org/"}, True),
    ),
)
def hyperlink(context: Context, *, at: str, target: str | None = None, exists: bool = True) -> Iterator[Finding | Evidence]:
    """A cell is a link.

    at: a cell or range.   target: where it leads: a web address, or a place in the workbook (`Data!A1`).
    exists: false where there must be none. A formula that calls HYPERLINK with a text makes a link as well.
    """
    place, _, found, missing = target_regions(context, at)
    yield from missing
    for region in found:
        links = [
            (node, area) for node, areas in _nodes(place, region.sheet, "hyperlink") for area in areas if area.intersection(region.area) is not None
        ]
        address = f"{place.artifact}#{region.address}"
        leads = [_leads(node) for node, _ in links]
        computed = list(_computed_links(region))
        leads += [lead for lead, _ in computed]
        yield Evidence(address, ", ".join(leads) or "no link")
        if not exists:
            if leads:
                yield Finding(FindingCode.UNEXPECTED, address, None, leads[0], f"{region.area} is a link to {leads[0]}")
        elif _uncovered(region, [area for _, area in (*links, *computed)]) is not None:
            yield Finding(FindingCode.MISSING, address, target or "a link", None, f"{region.area} is no link")
        elif target is not None and not all(_same_target(lead, target) for lead in leads):
            yield Finding(FindingCode.MISMATCH, address, target, leads[0], f"{region.area} links to {leads[0]}, not to {target}")


def _computed_links(region: Region) -> Iterator[tuple[str, Area]]:
    """Where the formulas of a region lead that call HYPERLINK with a text, and the cell of each."""
    area = region.area
    for number, row in region.sheet.rows.items():
        for column, cell in row.cells.items() if area.first_row <= number <= area.last_row else ():
            if cell.formula is None or not area.first_column <= column <= area.last_column:
                continue
            tokens = tokenise(region.sheet.formula_text(number, column, cell.formula) or "")
            if len(tokens) > 3 and function_name(tokens[0].text) == "HYPERLINK" and tokens[2].kind is TokenKind.STRING:
                yield tokens[2].text[1:-1].replace('""', '"'), Area(number, column, number, column)


def _leads(node: Node) -> str:
    target = str(node.facts.get((Aspect.LINK, "target"), ""))
    inside = str(node.facts.get((Aspect.LINK, "location"), node.facts.get((Aspect.LINK, "place"), "")))
    return f"{target}#{inside}" if target and inside else target or inside


def _same_target(held: str, wanted: str) -> bool:
    held = held.lstrip("#")
    return held.rstrip("/") == wanted.lstrip("#").rstrip("/") or canonical_formula(held) == canonical_formula(wanted.lstrip("#"))


@predicate(
    "xlsx.validation",
    family=Family.STRUCTURAL,
    formats=("xlsx",),
    examples=(
        Example("a list", _files, {"at": "book.xlsx#sheet[Data]/cell[C2:C9]", "type": "list", "values": ["open", "done"]}, True),
        Example("a list from cells", _files, {"at": "book.xlsx#sheet[Data]/cell[D2:D9]", "type": "list", "values": ["North", "South"]}, True),
        Example("other values", _files, {"at": "book.xlsx#sheet[Data]/cell[C2:C9]", "values": ["open", "closed"]}, FindingCode.MISMATCH),
        Example("not all of the range", _files, {"at": "book.xlsx#sheet[Data]/cell[C2:C20]", "type": "list"}, FindingCode.MISSING),
    ),
)
def validation(
    context: Context,
    *,
    at: str,
    type: str | None = None,  # noqa: A002 - the word that verifiers use
    values: Sequence[Scalar] | None = None,
    operator: str | None = None,
    formula1: str | None = None,
    formula2: str | None = None,
    exists: bool = True,
) -> Iterator[Finding | Evidence]:
    """An input rule (data validation) holds for every cell of a range.

    at: the range.   type: `list`, `whole`, `decimal`, `date`, `time`, `textLength` or `custom`.
    values: what a list offers, in order, typed into the rule or read from the cells it names.
    operator: `between`, `greaterThan`, ….   formula1, formula2: the bounds as written in the range's first cell, or in the rule's.
    exists: false where there must be none.
    """
    target, book, found, missing = target_regions(context, at)
    yield from missing
    for region in found:
        rules = [(node, areas) for node, areas in _nodes(target, region.sheet, "validation") if any(area.intersection(region.area) for area in areas)]
        if not exists:
            for node, _ in rules:
                yield Finding(FindingCode.UNEXPECTED, f"{target.artifact}#{node.address}", None, node.name, f"{node.name} has an input rule")
            continue
        hole = _uncovered(region, [area for _, areas in rules for area in areas])
        if hole is not None:
            place = f"{target.artifact}#{address_of(region.sheet, hole)}"
            yield Finding(FindingCode.MISSING, place, type or "an input rule", None, f"no input rule holds for {hole} of {region.area}")
            continue
        for node, areas in rules:
            yield Evidence(f"{target.artifact}#{node.address}", ", ".join(f"{name}={value}" for (_, name), value in node.facts.items()))
            wanted = {"type": type, "operator": operator, "formula1": formula1, "formula2": formula2}
            for name, value in wanted.items():
                held = _fact(node, name, "between" if name == "operator" else "")
                if value is not None and not (_same_formula(held, value, areas, region) if name.startswith("formula") else held == value):
                    message = f"the input rule of {node.name} has {name} {held or 'none'}, not {value}"
                    yield Finding(FindingCode.MISMATCH, f"{target.artifact}#{node.address}", value, held, message)
            if values is not None:
                offered = _offered(context, book, region.sheet, node)
                if offered is None or len(offered) != len(values) or not all(equal(one, other) for one, other in zip(offered, _texts(node, values))):
                    shown_values: Value = [plain(value) for value in offered] if offered is not None else None
                    wanted_values: Value = [plain(value) for value in values]
                    message = f"the input rule of {node.name} offers {shown_values}, not {wanted_values}"
                    yield Finding(FindingCode.MISMATCH, f"{target.artifact}#{node.address}", wanted_values, shown_values, message)


def _fact(node: Node, name: str, default: str) -> str:
    return str(node.facts.get((Aspect.VALIDATION, name), default))


def _texts(node: Node, values: Sequence[Scalar]) -> list[Scalar]:
    """What is typed into a rule is text, numbers included."""
    if _fact(node, "formula1", "").lstrip("=").startswith('"'):
        return [str(plain(value)) for value in values]
    return list(values)


def _offered(context: Context, book: Workbook, sheet: Sheet, node: Node) -> list[Scalar] | None:
    """The values that a list rule offers; None where they cannot be told."""
    text = _fact(node, "formula1", "").lstrip("=").strip()
    if text.startswith('"') and text.endswith('"'):
        return [part.strip() for part in text[1:-1].replace('""', '"').split(",")]
    from docops.formats.xlsx.predicates.places import source_of

    named = source_of(book).name(text, sheet.index)
    reference = parse_reference(named[0] if named is not None else text)
    if reference is None:
        return None
    holder = book.sheet(reference.sheet) if reference.sheet is not None else sheet
    if holder is None or reference.area.count > 10_000:
        return None
    places = [Place(holder.index, row, column) for row, column in reference.area.cells()]
    results = seen_values(context, book, places)
    if any(result.outcome is not Outcome.COMPUTED for result in results.values()):
        return None
    return [shown(book, place, results[place].value) for place in places]


@predicate(
    "xlsx.conditional_format",
    family=Family.STRUCTURAL,
    formats=("xlsx",),
    examples=(
        Example("a rule", _files, {"at": "book.xlsx#sheet[Data]/cell[B2:B9]", "type": "cellIs", "operator": "greaterThan", "formula": "100"}, True),
        Example("another kind of rule", _files, {"at": "book.xlsx#sheet[Data]/cell[B2:B9]", "type": "dataBar"}, FindingCode.MISSING),
        Example("no rule", _files, {"at": "book.xlsx#sheet[Data]/cell[C2:C9]"}, FindingCode.MISSING),
    ),
)
def conditional_format(
    context: Context,
    *,
    at: str,
    type: str | None = None,  # noqa: A002 - the word that verifiers use
    operator: str | None = None,
    formula: str | None = None,
    fill: str | None = None,
    exists: bool = True,
) -> Iterator[Finding | Evidence]:
    """A conditional format holds for every cell of a range.

    at: the range.   type: `cellIs`, `expression`, `colorScale`, `dataBar`, `iconSet`, `top10`, `containsText`, `duplicateValues`, ….
    operator, formula: of the rule, as written in the range's first cell, or in the rule's.   fill: the fill it gives (RRGGBB).
    exists: false where there must be none.
    """
    target, _, found, missing = target_regions(context, at)
    yield from missing
    wanted = {"rule type": type, "rule operator": operator, "rule formula 1": formula, "fill": fill}
    for region in found:
        address = f"{target.artifact}#{region.address}"
        rules = [
            (node, areas)
            for node, areas in _nodes(target, region.sheet, "conditional_format")
            if any(area.intersection(region.area) for area in areas)
        ]
        fitting = [
            (node, areas) for node, areas in rules if all(value is None or _holds(node, name, value, areas, region) for name, value in wanted.items())
        ]
        for node, _ in rules:
            yield Evidence(f"{target.artifact}#{node.address}", ", ".join(f"{name}={value}" for (_, name), value in node.facts.items())[:300])
        if not exists:
            for node, _ in fitting:
                yield Finding(FindingCode.UNEXPECTED, f"{target.artifact}#{node.address}", None, node.name, f"{node.name} has a conditional format")
        elif _uncovered(region, [area for _, areas in fitting for area in areas]) is not None:
            described = (
                ", ".join(f"{name.removeprefix('rule ')} {value}" for name, value in wanted.items() if value is not None) or "a conditional format"
            )
            held = [str(node.facts.get((Aspect.FORMAT, "rule type"), "")) for node, _ in rules]
            message = f"{region.area} has no conditional format with {described}" + (f"; it has {', '.join(held)}" if held else "")
            yield Finding(FindingCode.MISSING, address, described, list(held), message)


def _same_formula(held: str, wanted: str, areas: Sequence[Area], region: Region) -> bool:
    """Whether a rule's formula is the one asked for, seen from the first cell of the rule or of the range that is asked about."""
    if canonical_formula(held) == canonical_formula(wanted):
        return True
    rows = region.area.first_row - min(area.first_row for area in areas)
    columns = region.area.first_column - min(area.first_column for area in areas)
    return canonical_formula(translate(held, rows, columns)) == canonical_formula(wanted)


def _holds(node: Node, name: str, wanted: str, areas: Sequence[Area], region: Region) -> bool:
    held = str(node.facts.get((Aspect.FORMAT, name), ""))
    if "formula" in name:
        return _same_formula(held, wanted, areas, region)
    return held.upper() == wanted.lstrip("#").upper() if name == "fill" else held == wanted


@predicate(
    "xlsx.hidden",
    family=Family.STRUCTURAL,
    formats=("xlsx",),
    examples=(
        Example("a hidden row", _files, {"at": "book.xlsx#sheet[Data]/row[9]"}, True),
        Example("a row in view", _files, {"at": "book.xlsx#sheet[Data]/row[2]"}, FindingCode.MISMATCH),
        Example("no hidden row among these", _files, {"at": "book.xlsx#sheet[Data]/row[1:8]", "hidden": False}, True),
    ),
)
def hidden(context: Context, *, at: str, hidden: bool = True) -> Iterator[Finding | Evidence]:
    """Rows or columns are hidden, or in view.

    at: `sheet[…]/row[3:5]` or `sheet[…]/column[B:C]`; every one of them is meant.   hidden: false where they must be in view.
    """
    target, _, found, missing = _sheet_of(context, at)
    yield from missing
    step = target.address.segments[-1] if target.address.segments else None
    if found is None or step is None or step.kind not in ("row", "column"):
        if found is not None:
            raise UsageError(f"xlsx.hidden looks at rows or columns, not at {at}")
        return
    key = step.name if step.name is not None else f"{step.number}:{step.last or step.number}"
    area = parse_area(key if ":" in key else f"{key}:{key}")
    numbers = range(area.first_row, area.last_row + 1) if step.kind == "row" else range(area.first_column, area.last_column + 1)
    for number in numbers:
        state = _row_hidden(found, number) if step.kind == "row" else _column_hidden(found, number)
        if state != hidden:
            name = str(number) if step.kind == "row" else str(Area(1, number, 1_048_576, number)).partition(":")[0]
            address = (
                f"{target.artifact}#{Node(address_of(found), step.kind, name=name).address}"
                if step.kind == "column"
                else (f"{target.artifact}#{address_of(found)}/row[{number}]")
            )
            yield Finding(FindingCode.MISMATCH, address, hidden, state, f"{step.kind} {name} is {'hidden' if state else 'in view'}")
    yield Evidence(target.place(), f"{len(numbers)} {step.kind}s looked at")


def _row_hidden(sheet: Sheet, number: int) -> bool:
    row = sheet.rows.get(number)
    return row is not None and is_true(row.element.get("hidden"))


def _column_hidden(sheet: Sheet, number: int) -> bool:
    for element in sheet.xml.iterfind(f"{X}cols/{X}col") if sheet.xml is not None else ():
        if int(element.get("min", "0")) <= number <= int(element.get("max", "0")) and is_true(element.get("hidden")):
            return True
    return False


RANGE_PREDICATES = (merged, freeze_panes, comment, hyperlink, validation, conditional_format, hidden)
