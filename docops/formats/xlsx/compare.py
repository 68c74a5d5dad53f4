"""Comparison of two workbooks."""

from __future__ import annotations

from collections.abc import Iterator

from docops.core.compare import Change, Comparison, compare_trees
from docops.core.document import Document


def compare_workbooks(before: Document, after: Document, comparison: Comparison) -> Iterator[Change]:
    """The changes between two workbooks that the comparison's scope does not allow."""
    yield from compare_trees(before.root, after.root, comparison)
