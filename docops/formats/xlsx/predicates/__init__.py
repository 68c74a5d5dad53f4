"""Predicates about workbooks; `PREDICATES` lists them all."""

from __future__ import annotations

from docops.core.predicate import Predicate
from docops.formats.xlsx.predicates.formulas import FORMULA_PREDICATES
from docops.formats.xlsx.predicates.values import VALUE_PREDICATES

PREDICATES: tuple[Predicate, ...] = (*VALUE_PREDICATES, *FORMULA_PREDICATES)
