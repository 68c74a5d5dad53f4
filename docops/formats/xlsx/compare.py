"""Comparison of two workbooks: cheap where sheets are equal, cell by cell where not, through moved rows and columns where
that explains more.

The generic comparison runs over trees that hold, of the cells, only those that differ.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from docops.core.codes import Aspect
from docops.core.compare import ALLOW_ALL, Allow, Change, ChangeKind, Comparison, Scope, compare_trees
from docops.core.document import Document
from docops.core.node import Node, root_node
from docops.formats.xlsx.alignment import Moves, find_moves, pair_sheets
from docops.formats.xlsx.build import Facts
from docops.formats.xlsx.cells import cell_facts
from docops.formats.xlsx.document import WorkbookTree, XlsxDocument
from docops.formats.xlsx.model import Cell, Kind, Row, Sheet
from docops.formats.xlsx.objects import match_objects
from docops.formats.xlsx.sheets import SheetTree
from docops.formats.xlsx.shift import Translation
from docops.formats.xlsx.values import is_true

#: Fewer differences than this are taken as they stand, unless a scope may have hidden the others.
_FEW = 4
_ARRAY, _DYNAMIC = (Aspect.FORMULA, "array"), (Aspect.FORMULA, "dynamic")


def compare_workbooks(before: Document, after: Document, comparison: Comparison) -> Iterator[Change]:
    """The changes between two workbooks that the comparison's scope does not allow.

    Rows and columns that were inserted or deleted, and renamed sheets, are found first; formulas are then compared with
    their references translated. Cells are compared in place where that needs fewer changes.
    """
    if not isinstance(before, XlsxDocument) or not isinstance(after, XlsxDocument):
        yield from compare_trees(before.root, after.root, comparison)
        return
    comparison = Comparison(comparison.aspects, _grid(comparison.before_scope), _grid(comparison.after_scope))
    pairs = pair_sheets(before.workbook, after.workbook)
    renamed = {old.name.casefold(): new.name for old, new in pairs if old.name != new.name}
    plain = Translation(renamed=renamed)
    tree = before.tree if plain.identity else WorkbookTree(before.workbook, plain)
    changes = _compare(tree, after.tree, comparison)
    if len(changes) >= _FEW or (changes and comparison.before_scope):
        for moves in find_moves(pairs, changes):
            explained = _explained(before, after, comparison, moves, renamed)
            if len(explained) < len(changes):
                changes = explained
    yield from (change for change in changes if not _comes_with_saving(before, change))


_CELL = re.compile(r"/cell\[[A-Z]{1,3}[0-9]+\]")


def _grid(scope: Scope) -> Scope:
    """A scope in which a cell that may change may be filled and emptied: it is there, whether it holds anything or not."""
    if not any(Allow.CHANGE in allow and allow != ALLOW_ALL for allow in scope.values()):
        return scope
    filled = frozenset({Allow.ADD, Allow.REMOVE})
    return {address: allow | filled if Allow.CHANGE in allow and _CELL.search(address) else allow for address, allow in scope.items()}


def _comes_with_saving(before: XlsxDocument, change: Change) -> bool:
    """Whether a change is what programs add to a workbook that lacks it: a theme, which any use unasked, and when it was made."""
    if change.kind is not ChangeKind.ADDED or not change.place:
        return False
    return change.address == "property[created]" or (change.address == "theme" and not before.workbook.part.related("theme"))


def _explained(before: XlsxDocument, after: XlsxDocument, comparison: Comparison, moves: Moves, renamed: Mapping[str, str]) -> list[Change]:
    """The changes that moved rows and columns do not explain. A range may take in what came right before or after it, or not."""

    def compared(moves: Moves) -> list[Change]:
        shifted = WorkbookTree(before.workbook, moves.translation(renamed))
        return _compare(shifted, after.tree, Comparison(comparison.aspects, comparison.before_scope, comparison.after_scope), moves)

    changes = compared(moves)
    extended = moves.extended if changes else None
    if extended is None:
        return changes
    others = {(change.kind, change.address, change.aspect, change.name) for change in compared(extended)}
    return [change for change in changes if (change.kind, change.address, change.aspect, change.name) in others]


def _compare(before: WorkbookTree, after: WorkbookTree, comparison: Comparison, moves: Moves | None = None) -> list[Change]:
    """The changes between two trees of which only differing cells are looked at."""
    others = {tree.node.key: tree for tree in after.sheets}
    left: list[Node] = []
    right: dict[str, Node] = {}
    for tree in before.sheets:
        partner = others.get(tree.node.key)
        if partner is None:
            left.append(tree.node)
            continue
        if tree.node.fingerprint is not None and tree.node.fingerprint == partner.node.fingerprint:
            left.append(_equal_sheet(tree))
            right[partner.node.key] = _equal_sheet(partner)
            continue
        old, new = _Pair(tree, partner, comparison, moves).nodes()
        left.append(old)
        right[partner.node.key] = new
    new_sheets = [right.get(tree.node.key, tree.node) for tree in after.sheets]
    old_root = root_node(lambda: [*left, *before.others])
    new_root = root_node(lambda: [*new_sheets, *after.others])
    return list(compare_trees(old_root, new_root, comparison))


class _Pair:
    """Two sheets that are the same sheet."""

    def __init__(self, before: SheetTree, after: SheetTree, comparison: Comparison, moves: Moves | None) -> None:
        self.before = before
        self.after = after
        self.comparison = comparison
        self.moves = moves.of(before.sheet) if moves is not None else None
        self.styles: dict[tuple[int, int], bool] = {}
        one, two = before.layout.styles, after.layout.styles
        self.same_styles = one.part is not None and two.part is not None and one.part.digest == two.part.digest and list(one.theme) == list(two.theme)
        self.exact = before.build.translation.identity
        self.plain_columns = not before.layout.column_styles and not after.layout.column_styles

    @cached_property
    def same_shared(self) -> bool:
        """Whether the groups of shared formulas are the same."""
        return self.exact and self.before.sheet.shared == self.after.sheet.shared

    @cached_property
    def equal_rows(self) -> frozenset[int]:
        """Rows whose bytes are equal and mean the same on both sides; nothing of them needs a look."""
        one, two = self.before.sheet, self.after.sheet
        if not self.exact or self.moves is not None or not self.same_styles or one.part is None or two.part is None:
            return frozenset()
        if self.before.layout.column_styles != self.after.layout.column_styles or not _same_tables(one, two):
            return frozenset()
        rows, others = row_bytes(one), row_bytes(two)
        if b"shared" in one.part.data and not self.same_shared:
            return frozenset()
        special = self.before.layout.special, self.after.layout.special
        return frozenset(number for number, data in rows.items() if others.get(number) == data and not special[0](number) and not special[1](number))

    def nodes(self) -> tuple[Node, Node]:
        """Nodes of both sheets with everything but the cells that are equal."""
        old: list[Node] = []
        new: list[Node] = []
        rows_before = [row for row in self.before.rows if not self._is_gone(row)]
        rows_after = [row for row in self.after.rows if not self._is_new(row)]
        columns_before, columns_after = list(self.before.columns), list(self.after.columns)
        if self.moves is not None:
            self._moved(self.moves.rows.moved, rows_before, rows_after, "row")
            self._moved(self.moves.columns.moved, columns_before, columns_after, "column")
        self._rows(old, new)
        others_before, others_after = match_objects(self.before, self.after, self.comparison)
        children_before = [*others_before, *rows_before, *columns_before, *old]
        children_after = [*others_after, *rows_after, *columns_after, *new]
        return _without_cells(self.before, children_before), _without_cells(self.after, children_after)

    def _moved(self, moved: Mapping[int, int], before: list[Node], after: list[Node], kind: str) -> None:
        """Give rows (columns) that went elsewhere their position as a fact, unless the edit scope allows the move."""
        for old, new in moved.items():
            between = range(old + 1, new + 1) if new > old else range(new, old)
            allowed = [Allow.MOVE in self.comparison.allowed_before(self.before.line(kind, index), frozenset()) for index in (old, *between)]
            if allowed[0] or all(allowed[1:]):
                continue
            for nodes, tree, index in ((before, self.before, old), (after, self.after, new)):
                stated = next((node for node in nodes if node.address == tree.line(kind, index).address), None)
                if stated is not None:
                    nodes.remove(stated)
                facts = {**(stated.facts if stated is not None else {}), (Aspect.ORDER, "position"): index}
                key = f"moved {kind} {old}"
                nodes.append(tree.row(index, facts, key=key) if kind == "row" else tree.whole_column(index, facts, (), key))

    def _is_gone(self, node: Node) -> bool:
        return self.moves is not None and node.number in self.moves.removed_rows

    def _is_new(self, node: Node) -> bool:
        return self.moves is not None and node.number in self.moves.added_rows

    def _rows(self, old: list[Node], new: list[Node]) -> None:
        before, after = self.before.sheet.rows, self.after.sheet.rows
        moves = self.moves
        seen: set[int] = set()
        for number in sorted(before):
            target = moves.row(number) if moves is not None else number
            if target is None:
                continue
            seen.add(target)
            if number in self.equal_rows:
                continue
            self._row(number, before[number], target, after.get(target), old, new)
        for number in sorted(after):
            if number not in seen and (moves is None or number not in moves.added_rows):
                self._row(None, None, number, after[number], old, new)
        if moves is not None:
            old += [node for number in sorted(moves.removed_rows) if (node := self._whole(self.before, number, "gone", Allow.REMOVE))]
            new += [node for number in sorted(moves.added_rows) if (node := self._whole(self.after, number, "new", Allow.ADD))]
            old += [node for number in sorted(moves.removed_columns) if (node := self._column(self.before, number, "gone", Allow.REMOVE))]
            new += [node for number in sorted(moves.added_columns) if (node := self._column(self.after, number, "new", Allow.ADD))]

    def _row(self, number: int | None, before: Row | None, target: int, after: Row | None, old: list[Node], new: list[Node]) -> None:
        cells = before.cells if before is not None else {}
        others = after.cells if after is not None else {}
        special = (number is not None and self.before.layout.special(number)) or self.after.layout.special(target)
        plain = self.plain_columns and not _formatted(before) and not _formatted(after)
        matched: set[int] = set()
        for column, cell in cells.items():
            place = self.moves.column(column) if self.moves is not None else column
            if place is None:
                continue
            matched.add(place)
            other = others.get(place)
            if other is not None and not special and self._equal(cell, other, plain):
                continue
            assert number is not None  # noqa: S101 - a cell stands in a row
            facts = cell_facts(self.before.build, self.before.layout, number, column, cell)
            other_facts = cell_facts(self.after.build, self.after.layout, target, place, other) if other is not None else {}
            if facts != other_facts and not self._same_array(facts, other_facts):
                if facts:
                    old.append(self.before.cell_node(number, column, cell))
                if other_facts:
                    new.append(self.after.cell_node(target, place, other))
        for column, cell in others.items():
            if column in matched or (self.moves is not None and column in self.moves.added_columns):
                continue
            node = self.after.cell_node(target, column, cell)
            if node.facts:
                new.append(node)

    def _same_array(self, facts: Facts, others: Facts) -> bool:
        """Whether only the way in which an array formula spills differs, which other programs do not keep."""
        if Aspect.RAW in self.comparison.aspects or (_DYNAMIC in facts) == (_DYNAMIC in others):
            return False

        def kept(held: Facts) -> Facts:
            return {key: value for key, value in held.items() if key not in (_DYNAMIC, _ARRAY) and key[0] in self.comparison.aspects}

        return kept(facts) == kept(others)

    def _equal(self, cell: Cell, other: Cell, plain: bool) -> bool:
        """Whether two cells are the same at a glance; False means that their facts must be compared."""
        if cell.style != other.style or not self.same_styles:
            key = (cell.style, other.style)
            same = self.styles.get(key)
            if same is None:
                same = self.styles[key] = self.before.layout.styles.difference(cell.style) == self.after.layout.styles.difference(other.style)
            if not same:
                return False
        if cell.runs is not None or other.runs is not None or cell.other or other.other:
            return False
        formula, partner = cell.formula, other.formula
        if formula is None and partner is None:
            if cell.kind == Kind.BLANK and not plain:
                return False
            return cell.kind == other.kind and cell.value == other.value
        if formula is None or partner is None or not self.exact or formula.kind != "normal" or partner.kind != "normal":
            return False
        if formula.shared or partner.shared:
            return self.same_shared and formula.shared == partner.shared and formula.text == partner.text
        return formula.text == partner.text

    def _whole(self, tree: SheetTree, number: int, what: str, allow: Allow) -> Node | None:
        """The node of a row that was inserted or deleted, with its cells; None where the edit scope names all of these."""
        stored = tree.sheet.rows.get(number)
        cells = [node for column, cell in sorted(stored.cells.items()) if (node := tree.cell_node(number, column, cell)).facts] if stored is not None else []
        if self._all_allowed(cells, allow):
            return None
        facts = {**(tree.row_facts(stored) if stored is not None else {}), (Aspect.STRUCTURE, "row"): "deleted" if what == "gone" else "inserted"}
        return tree.row(number, facts, children=cells, key=f"{what} row {number}")

    def _column(self, tree: SheetTree, number: int, what: str, allow: Allow) -> Node | None:
        cells = [
            node
            for row in sorted(tree.sheet.rows)
            if (cell := tree.sheet.rows[row].cells.get(number)) is not None and (node := tree.cell_node(row, number, cell)).facts
        ]
        if self._all_allowed(cells, allow):
            return None
        return tree.whole_column(number, {(Aspect.STRUCTURE, "column"): "deleted" if what == "gone" else "inserted"}, cells, f"{what} column {number}")

    def _all_allowed(self, cells: Sequence[Node], allow: Allow) -> bool:
        allowed = self.comparison.allowed_before if allow is Allow.REMOVE else self.comparison.allowed_after
        return bool(cells) and all(allow in allowed(node, frozenset()) for node in cells)


_ROW = re.compile(rb"<(?:\w+:)?row[\s/>]")
_NUMBER = re.compile(rb"\sr=[\"']([0-9]+)[\"']")


def row_bytes(sheet: Sheet) -> dict[int, bytes]:
    """The bytes of each stored row; {} where they cannot be told apart without parsing."""
    data = sheet.part.data if sheet.part is not None else b""
    end = data.rfind(b"sheetData>")
    starts = [match.start() for match in _ROW.finditer(data)]
    out: dict[int, bytes] = {}
    if not starts:
        return out
    for start, following in zip(starts, [*starts[1:], end], strict=True):
        stated = _NUMBER.search(data, start, data.find(b">", start) + 1)
        if stated is None:
            return {}
        out[int(stated.group(1))] = data[start:following]
    return out if list(out) == list(sheet.rows) else {}


def _same_tables(one: Sheet, two: Sheet) -> bool:
    """Whether what cells point at (shared strings, metadata, namespaces) is the same on both sides."""
    if one.xml is None or two.xml is None or dict(one.xml.nsmap) != dict(two.xml.nsmap):
        return False
    for kind in ("sharedStrings", "sheetMetadata"):
        if [part.digest for part in one.workbook.part.related(kind)] != [part.digest for part in two.workbook.part.related(kind)]:
            if kind != "sharedStrings":
                return False
            if len(two.workbook.strings) < len(one.workbook.strings):
                return False
            strings = zip(one.workbook.strings, two.workbook.strings, strict=False)
            if any(old.text != new.text or old.runs is not None or new.runs is not None or old.phonetic != new.phonetic for old, new in strings):
                return False
    return True


def _formatted(row: Row | None) -> bool:
    return row is not None and is_true(row.element.get("customFormat"))


def _equal_sheet(tree: SheetTree) -> Node:
    """A sheet that is equal on both sides; only its place among the sheets matters."""
    node = tree.node
    return Node(None, "sheet", name=node.name, number=node.number, align=node.align, key=node.key, label=node.label, fingerprint=node.fingerprint)


def _without_cells(tree: SheetTree, children: list[Node]) -> Node:
    node = tree.node
    return Node(None, "sheet", name=node.name, number=node.number, facts=lambda: node.facts, children=children, align=node.align, key=node.key, label=node.label)
