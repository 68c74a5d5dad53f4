"""Attribute values and empty elements that mean the same as their absence, for canonical XML of all OOXML vocabularies."""

from __future__ import annotations

from collections.abc import Collection

from docops.formats.ooxml.canonical import CanonicalRules


def default_rules(
    volatile_elements: Collection[str] = frozenset(),
    volatile_attributes: Collection[str] = frozenset(),
    text_elements: Collection[str] = frozenset(),
) -> CanonicalRules:
    """Canonical rules with the defaults of the schemas, besides what the format itself leaves out."""
    return CanonicalRules(frozenset(volatile_elements), frozenset(volatile_attributes), {}, frozenset(text_elements))
