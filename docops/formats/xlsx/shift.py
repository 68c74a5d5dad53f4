"""Translation of places and formulas from one workbook's coordinates to another's: rows and columns that moved, sheets renamed.

The identity translation only brings formulas into canonical spelling.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from docops.formats.xlsx.formula_text import IndexMap, canonical_formula, moved_span, shift
from docops.formats.xlsx.references import Area, TokenKind, parse_area, quote_sheet, tokenise
from docops.formats.xlsx.values import MAX_COLUMN, MAX_ROW


def same_place(index: int) -> int | None:
    """The map of rows or columns that stay where they are."""
    return index


@dataclass(frozen=True, slots=True)
class Translation:
    """How places of one workbook are called in another.

    rows, columns: sheet name in lower case → new number of each old row or column, None where it is gone.
    renamed: old sheet name in lower case → new name.
    """

    rows: Mapping[str, IndexMap] = field(default_factory=dict)
    columns: Mapping[str, IndexMap] = field(default_factory=dict)
    renamed: Mapping[str, str] = field(default_factory=dict)

    @property
    def identity(self) -> bool:
        """Whether nothing moved."""
        return not self.rows and not self.columns and not self.renamed

    def moves(self, sheet: str) -> bool:
        """Whether anything on a sheet moved."""
        folded = sheet.casefold()
        return folded in self.rows or folded in self.columns

    def sheet(self, name: str) -> str:
        """The new name of a sheet."""
        return self.renamed.get(name.casefold(), name)

    def row(self, sheet: str, row: int) -> int | None:
        """The new number of a row, None where it is gone."""
        return self.rows.get(sheet.casefold(), same_place)(row)

    def column(self, sheet: str, column: int) -> int | None:
        """The new number of a column, None where it is gone."""
        return self.columns.get(sheet.casefold(), same_place)(column)

    def formula(self, text: str, sheet: str | None) -> str:
        """A formula in canonical spelling, its references translated. `sheet`: where it stands."""
        if self.identity:
            return canonical_formula(text)
        for name in dict.fromkeys((*self.rows, *self.columns)):
            text = shift(text, name, self.rows.get(name, same_place), self.columns.get(name, same_place), sheet)
        if self.renamed:
            text = self._rename(text)
        return canonical_formula(text)

    def _rename(self, text: str) -> str:
        out = []
        for token in tokenise(text):
            reference = token.reference
            if reference is not None and reference.book is None and reference.sheet is not None:
                last = self.sheet(reference.last_sheet) if reference.last_sheet is not None else None
                out.append(str(replace(reference, sheet=self.sheet(reference.sheet), last_sheet=last)))
            elif token.kind is TokenKind.NAME and "!" in token.text:
                prefix, _, name = token.text.rpartition("!")
                sheet = prefix.strip("'").replace("''", "'")
                out.append(f"{quote_sheet(self.sheet(sheet))}!{name}")
            else:
                out.append(token.text)
        return "".join(out)

    def area(self, text: str, sheet: str) -> str | None:
        """A range on a sheet, translated and in one spelling; None where all of it is gone."""
        try:
            area = parse_area(text)
        except ValueError:
            return text
        moved = self.moved_area(area, sheet)
        return str(moved) if moved is not None else None

    def moved_area(self, area: Area, sheet: str) -> Area | None:
        """An area translated; None where all of it is gone."""
        if not self.moves(sheet):
            return area
        rows = (area.first_row, area.last_row)
        columns = (area.first_column, area.last_column)
        new_rows = rows if rows == (1, MAX_ROW) else moved_span(*rows, self.rows.get(sheet.casefold(), same_place))
        new_columns = columns if columns == (1, MAX_COLUMN) else moved_span(*columns, self.columns.get(sheet.casefold(), same_place))
        if new_rows is None or new_columns is None:
            return None
        return Area(new_rows[0], new_columns[0], new_rows[1], new_columns[1])

    def areas(self, text: str, sheet: str) -> str:
        """A list of ranges (`sqref`), translated, sorted, in one spelling."""
        found = [self.area(part, sheet) for part in text.split()]
        return " ".join(sorted(part for part in found if part is not None))


IDENTITY = Translation()
