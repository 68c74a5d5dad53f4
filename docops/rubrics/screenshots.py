"""What leaves know as screenshots: a picture of every slide, made where a renderer is configured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from docops.core.canonical import sha256
from docops.core.errors import NotApplicable
from docops.core.pictures import Renderer


@dataclass(frozen=True, slots=True)
class Screenshots:
    """The screenshots of one deck.

    entries: the fields of the benchmark's records.   names: digest of a picture → what it shows, the same on every machine.
    by: the programs that made them.
    """

    entries: Sequence[Mapping[str, Any]] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    by: str = ""


NO_SCREENSHOTS = Screenshots()


def screenshots(deck: Path, renderer: Renderer | None) -> Screenshots:
    """A picture of every slide, in files beside the deck; none where no renderer is configured or it cannot make them."""
    if renderer is None:
        return NO_SCREENSHOTS
    data = deck.read_bytes()
    identities = _slides(deck)
    try:
        made = renderer.render(data, deck.name)
    except NotApplicable:
        return NO_SCREENSHOTS
    if len(made.pages) != len(identities):
        return NO_SCREENSHOTS
    document, entries, names = sha256(data), [], {}
    for number, (identity, page) in enumerate(zip(identities, made.pages, strict=True), 1):
        path = deck.with_name(f"slide-{number}.png")
        path.write_bytes(page)
        entries.append({"slide_number": number, "image_path": str(path), "slide_id": identity})
        names[sha256(page)] = f"{document} slide {number}"
    return Screenshots(entries, names, made.by)


def _slides(deck: Path) -> list[str]:
    """The slides' identities, as records of the benchmark name them."""
    from pptx import Presentation

    try:
        return [str(slide.slide_id) for slide in Presentation(str(deck)).slides]
    except Exception:  # whatever the library raises: the deck can be verified, and has no screenshots
        return []
