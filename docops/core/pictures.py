"""Pictures of places in documents: named by what they show, and made only where somebody has to look at them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

#: Most pictures of one document that go with one question.
MAX_PICTURES = 8


@dataclass(frozen=True, slots=True)
class Pictures:
    """Some pages of one document as pictures, in order.

    names: what they show, the same on every machine and with every renderer: the document's digest and its pages.
    make: gives the pictures (PNG or JPEG); raises NotApplicable where they cannot be made.
    label: what somebody who looks at them is told, as `as it was before`.
    """

    names: tuple[str, ...]
    make: Callable[[], Sequence[bytes]] = field(compare=False)
    label: str = ""


@dataclass(frozen=True, slots=True)
class Rendered:
    """Every page of a document as a picture (PNG); by: the programs that made them, with their versions."""

    pages: tuple[bytes, ...]
    by: str


class Renderer(Protocol):
    """Makes pictures of documents."""

    def render(self, data: bytes, name: str) -> Rendered:
        """The pages of a document.

        name: its file name, which tells what kind it is.
        Raises NotApplicable with the code `pictures_unavailable` where they cannot be made.
        """
