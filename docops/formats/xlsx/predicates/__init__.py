"""Predicates about workbooks; `PREDICATES` lists them all."""

from __future__ import annotations

from docops.core.predicate import Predicate
from docops.formats.xlsx.predicates.charts import CHART_PREDICATES
from docops.formats.xlsx.predicates.formulas import FORMULA_PREDICATES
from docops.formats.xlsx.predicates.look import LOOK_PREDICATES
from docops.formats.xlsx.predicates.ranges import RANGE_PREDICATES
from docops.formats.xlsx.predicates.structure import STRUCTURE_PREDICATES
from docops.formats.xlsx.predicates.values import VALUE_PREDICATES

PREDICATES: tuple[Predicate, ...] = (
    *VALUE_PREDICATES,
    *FORMULA_PREDICATES,
    *LOOK_PREDICATES,
    *STRUCTURE_PREDICATES,
    *RANGE_PREDICATES,
    *CHART_PREDICATES,
)
