"""Which slides or pages show a place, and the pictures of them."""

from __future__ import annotations

from collections.abc import Sequence

from docops.core.address import parse_address
from docops.core.canonical import sha256
from docops.core.codes import FindingCode
from docops.core.errors import NotApplicable
from docops.core.pictures import MAX_PICTURES, Pictures, Renderer
from docops.core.predicate import Target

#: Kinds of node that are a picture each, by format; pages of other formats are made only when they are drawn.
_PAGES = {"pptx": "slide", "pdf": "page"}


def pictures_of(target: Target, data: bytes, renderer: Renderer | None) -> Pictures:
    """The pictures that show a place: its slides or pages, or the first of the document where those are not known.

    data: the document's bytes.   renderer: None: the pictures have names and cannot be made.
    """
    document = sha256(data)
    kind = _PAGES.get(target.document.format, "")
    every = [node.number for node in target.document.root.children if node.kind == kind and node.number is not None]
    wanted = (_numbers(target, kind) or every)[:MAX_PICTURES]
    names = [f"{document} {kind} {number}" for number in wanted] or [f"{document} first {MAX_PICTURES}"]

    def make() -> Sequence[bytes]:
        if renderer is None:
            raise NotApplicable("no renderer is configured, so there are no pictures to judge by", FindingCode.PICTURES_UNAVAILABLE)
        pages = renderer.render(data, target.artifact).pages
        if not wanted:
            return pages[:MAX_PICTURES]
        if max(wanted) > len(pages) or len(pages) > len(every):
            message = f"{len(pages)} pictures were made of {len(every)} {kind}s, so that none can be told to show {kind} {wanted[0]}"
            raise NotApplicable(message, FindingCode.PICTURES_UNAVAILABLE)
        return [pages[number - 1] for number in wanted]

    return Pictures(tuple(names), make)


def _numbers(target: Target, kind: str) -> list[int]:
    """The slides or pages that the target's places are on."""
    first = [parse_address(node.address).segments[0] for node in target.nodes if node.address]
    return sorted({segment.number for segment in first if segment.kind == kind and segment.number is not None})
