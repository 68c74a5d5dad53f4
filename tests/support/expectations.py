"""How expectations of labelled outputs are read."""

from __future__ import annotations

from pathlib import Path

from docops.core.address import Address, Segment, parse_address

#: Real files and labelled bundles that live beside a development checkout; tests that use them skip where they are not.
SHARED = Path(__file__).parents[3] / "shared"


def finding_stands_under(address: str, place: str) -> bool:
    """Whether an address is `place` or something inside it."""
    found, wanted = _parse(address), _parse(place)
    if found.artifact != wanted.artifact or len(found.segments) < len(wanted.segments):
        return False
    return all(_same(a, b) for a, b in zip(found.segments, wanted.segments, strict=False))


def _parse(text: str) -> Address:
    return parse_address(text, artifacts=(text.partition("#")[0],))


def _same(found: Segment, wanted: Segment) -> bool:
    bare = wanted.number is None and wanted.name is None and not wanted.any
    return found.kind == wanted.kind and (bare or found == wanted)
