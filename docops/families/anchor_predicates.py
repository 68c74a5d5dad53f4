"""The row `anchor` of the registry: every predicate on wording and figures in the text of any format."""

from __future__ import annotations

from docops.core.predicate import Predicate
from docops.families.anchors import ANCHOR_PREDICATES
from docops.families.figures import FIGURE_PREDICATES
from docops.families.wording import WORDING_PREDICATES

PREDICATES: tuple[Predicate, ...] = (*ANCHOR_PREDICATES, *WORDING_PREDICATES, *FIGURE_PREDICATES)
