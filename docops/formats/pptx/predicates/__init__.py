"""Structural predicates on presentations: what a deck, a slide, a shape natively is."""

from __future__ import annotations

from docops.core.predicate import Predicate
from docops.formats.pptx.predicates.objects import PREDICATES as OBJECTS
from docops.formats.pptx.predicates.shapes import PREDICATES as SHAPES
from docops.formats.pptx.predicates.slides import PREDICATES as SLIDES
from docops.formats.pptx.predicates.texts import PREDICATES as TEXTS

PREDICATES: tuple[Predicate, ...] = (*SLIDES, *OBJECTS, *SHAPES, *TEXTS)
