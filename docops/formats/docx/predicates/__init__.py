"""Predicates about Word documents; `PREDICATES` lists them all."""

from __future__ import annotations

from docops.core.predicate import Predicate
from docops.formats.docx.predicates.formatting import FORMAT_PREDICATES
from docops.formats.docx.predicates.marks import MARK_PREDICATES
from docops.formats.docx.predicates.structure import STRUCTURE_PREDICATES
from docops.formats.docx.predicates.tables import TABLE_PREDICATES

PREDICATES: tuple[Predicate, ...] = (*STRUCTURE_PREDICATES, *TABLE_PREDICATES, *FORMAT_PREDICATES, *MARK_PREDICATES)
