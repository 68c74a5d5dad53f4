"""Presentations for tests: the shared corpus where it is there, and rewrites that mean the same."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

from docops.core.codes import ALL_ASPECTS, Aspect
from docops.core.compare import Change, Comparison
from docops.formats.pptx import FORMAT
from docops.formats.pptx.document import PptxDocument, open_pptx

_SHARED = Path(__file__).parents[4] / "shared"


def corpus() -> list[Path]:
    """Real presentations of the shared corpus; empty where it is not there."""
    found = [*_SHARED.glob("corpus/pptx/*.pptx"), *_SHARED.glob("examples/*/bundle/source/*.pptx")]
    return sorted(found)


def members(data: bytes) -> dict[str, bytes]:
    """The members of a package."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def pack(parts: Mapping[str, bytes]) -> bytes:
    """A package of members."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return out.getvalue()


def edit(data: bytes, member: str, change: Callable[[bytes], bytes]) -> bytes:
    """A package with one member changed; the change must change something."""
    parts = members(data)
    changed = change(parts[member])
    assert changed != parts[member], "the edit changes nothing"
    return pack({**parts, member: changed})


def replace(data: bytes, member: str, old: str, new: str) -> bytes:
    """A package with a text of one member replaced, once."""
    return edit(data, member, lambda content: content.replace(old.encode(), new.encode(), 1))


def changes(before: bytes | PptxDocument, after: bytes, aspects: frozenset[Aspect] = ALL_ASPECTS) -> list[Change]:
    """What differs between two presentations."""
    source = before if isinstance(before, PptxDocument) else open_pptx(before)
    assert FORMAT.compare is not None
    return list(FORMAT.compare(source, open_pptx(after), Comparison(aspects=aspects)))


def places(found: list[Change]) -> list[str]:
    """The addresses of changes, each once, in order."""
    return list(dict.fromkeys(change.address for change in found))
