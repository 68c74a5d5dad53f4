"""How conditional formats change the look of cells that they could hide, where it can be told whether they apply.

A rule is tried only where its format could make text unseen or seen: colour of the text, fill, number format.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from lxml import etree

from docops.core.node import Value
from docops.formats.xlsx.formula_text import translate
from docops.formats.xlsx.model import Cell, Kind, Sheet, Workbook, X
from docops.formats.xlsx.ranges import X14, XM
from docops.formats.xlsx.recalc import ConeLimits, Input, Outcome, Place, Recalculator, Source
from docops.formats.xlsx.references import Area, TokenKind, format_cell, function_name, parse_area, tokenise
from docops.formats.xlsx.values import MAX_COLUMN, is_true, unescape, whole

#: Cells for which one rule is tried at most.
MAX_CELLS = 1_000
#: What may be calculated for that; larger workbooks leave the rule undecided.
_LIMITS = ConeLimits(cells=20_000, formulas=2_000, reads=1_000_000, dynamic_cells=2_000)
#: Where the questions stand in the lean workbook: far from all cells.
_FIRST_ROW = 1_000_000
_LOOKS = ("font.color", "fill", "number format")
#: How a rule on the cell's own value reads as a formula.
_COMPARISONS = {
    "equal": "{cell}=({0})",
    "notEqual": "{cell}<>({0})",
    "greaterThan": "{cell}>({0})",
    "greaterThanOrEqual": "{cell}>=({0})",
    "lessThan": "{cell}<({0})",
    "lessThanOrEqual": "{cell}<=({0})",
    "between": "AND({cell}>=({0}),{cell}<=({1}))",
    "notBetween": "OR({cell}<({0}),{cell}>({1}))",
}
#: Kinds of rules whose formula says when they apply.
_FORMULAS = (
    "expression",
    "containsText",
    "notContainsText",
    "beginsWith",
    "endsWith",
    "containsBlanks",
    "notContainsBlanks",
    "containsErrors",
    "notContainsErrors",
)


@dataclass(frozen=True, eq=False)
class _Rule:
    """One rule: where, how it looks, whether later ones are passed over, and when it applies ("" where that is not told)."""

    areas: tuple[Area, ...]
    look: Mapping[str, Value]
    stops: bool
    formula: str

    def covers(self, row: int, column: int) -> bool:
        return any(area.contains(row, column) for area in self.areas)


class _Questions(Source):
    """A workbook with formulas in cells that it does not have."""

    def __init__(self, workbook: Workbook, asked: Mapping[Place, str]) -> None:
        super().__init__(workbook)
        self.asked = asked

    def input(self, place: Place) -> Input | None:
        """What a cell holds, or the question that stands there."""
        formula = self.asked.get(place)
        return Input(None, formula=formula) if formula is not None else super().input(place)


class Conditions:
    """The conditional formats of one sheet that can hide or show text."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self._applies: dict[_Rule, Mapping[tuple[int, int], bool]] = {}

    @cached_property
    def rules(self) -> Sequence[_Rule]:
        """The rules, the one that goes first in front."""
        if self.sheet.xml is None:
            return ()
        found = sorted(enumerate(_rules(self.sheet, self.sheet.xml)), key=lambda entry: (entry[1][0], entry[0]))
        rules = [rule for _, (_, rule) in found]
        return rules if any(rule.look for rule in rules) else ()

    def looks(self, row: int, column: int) -> Sequence[Mapping[str, Value]]:
        """How the rules on a cell would make it look, whether they apply or not."""
        return [rule.look for rule in self.rules if rule.look and rule.covers(row, column)]

    def look(self, row: int, column: int) -> Mapping[str, Value]:
        """What the rules make of a cell's look; nothing from the first rule on of which it is not known whether it applies."""
        out: dict[str, Value] = {}
        for rule in self.rules:
            if not rule.covers(row, column) or not (rule.look or rule.stops):
                continue
            applies = self._answers(rule).get((row, column))
            if applies is None:
                break
            if applies:
                out = {**rule.look, **out}
                if rule.stops:
                    break
        return out

    def _answers(self, rule: _Rule) -> Mapping[tuple[int, int], bool]:
        if rule not in self._applies:
            self._applies[rule] = self._ask(rule) if rule.formula else {}
        return self._applies[rule]

    def _ask(self, rule: _Rule) -> Mapping[tuple[int, int], bool]:
        cells = list(self._shown(rule))
        if len(cells) > MAX_CELLS:
            return {}
        first = rule.areas[0]
        asked: dict[Place, str] = {}
        places: dict[Place, tuple[int, int]] = {}
        for number, (row, column) in enumerate(cells):
            place = Place(self.sheet.index, _FIRST_ROW + number, MAX_COLUMN)
            formula = translate(rule.formula, row - first.first_row, column - first.first_column)
            asked[place] = _with_position(formula, row, column)
            places[place] = (row, column)
        results = Recalculator(_Questions(self.sheet.workbook, asked), _LIMITS).results(list(asked))
        return {places[place]: _is_true(result.value) for place, result in results.items() if result.outcome is Outcome.COMPUTED}

    def _shown(self, rule: _Rule) -> Iterator[tuple[int, int]]:
        for number, row in sorted(self.sheet.rows.items()):
            for column, cell in sorted(row.cells.items()):
                if _may_show(cell) and rule.covers(number, column):
                    yield number, column


def _may_show(cell: Cell) -> bool:
    """Whether a cell has text to hide; a formula may have, whether or not its result is stored."""
    return cell.formula is not None or (cell.kind != Kind.BLANK and cell.value != "")


def _is_true(value: object) -> bool:
    return value is True or (isinstance(value, float) and not isinstance(value, bool) and value != 0)


def _rules(sheet: Sheet, root: etree._Element) -> Iterator[tuple[int, _Rule]]:
    """Each rule with its priority; those of the 2009 extension too."""
    styles = sheet.workbook.styles
    for block in root.iterfind(f"{X}conditionalFormatting"):
        for rule in block.iterfind(f"{X}cfRule"):
            formulas = [unescape(element.text or "") for element in rule.iterfind(f"{X}formula")]
            yield from _rule(rule, block.get("sqref", ""), formulas, styles.dxf(rule.get("dxfId")))
    for block in root.iter(f"{X14}conditionalFormatting"):
        for rule in block.iterfind(f"{X14}cfRule"):
            own = rule.find(f"{X14}dxf")
            formulas = [unescape(element.text or "") for element in rule.iterfind(f"{XM}f")]
            yield from _rule(rule, block.findtext(f"{XM}sqref") or "", formulas, styles.differential(own) if own is not None else {})


def _rule(element: etree._Element, ranges: str, formulas: Sequence[str], look: Mapping[str, Value]) -> Iterator[tuple[int, _Rule]]:
    areas = []
    for text in ranges.split():
        try:
            areas.append(parse_area(text))
        except ValueError:
            continue
    if not areas:
        return
    shown = {name: value for name, value in look.items() if name in _LOOKS}
    formula = _condition(element, formulas, areas[0])
    yield whole(element.get("priority")), _Rule(tuple(areas), shown, is_true(element.get("stopIfTrue")), formula)


def _condition(element: etree._Element, formulas: Sequence[str], area: Area) -> str:
    """When a rule applies, as a formula in the first cell of its range; "" where no formula says it."""
    kind = element.get("type", "")
    if kind in _FORMULAS:
        return formulas[0] if formulas else ""
    comparison = _COMPARISONS.get(element.get("operator", ""), "") if kind == "cellIs" else ""
    needed = 2 if "{1}" in comparison else 1
    if not comparison or len(formulas) < needed:
        return ""
    return comparison.format(*formulas, cell=format_cell(area.first_row, area.first_column))


def _with_position(formula: str, row: int, column: int) -> str:
    """ROW() and COLUMN() of the cell in question, as numbers."""
    tokens = tokenise(formula)
    out: list[str] = []
    skip = 0
    for index, token in enumerate(tokens):
        if skip:
            skip -= 1
            continue
        name = function_name(token.text) if token.kind is TokenKind.FUNCTION else ""
        if name in ("ROW", "COLUMN") and [following.text for following in tokens[index + 1 : index + 3]] == ["(", ")"]:
            out.append(str(row if name == "ROW" else column))
            skip = 2
        else:
            out.append(token.text)
    return "".join(out)
