"""What a format offers to the rest of docops: opening, state, text, and checks of derived state."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from docops.core.address import Address, Segment
from docops.core.node import FactKey, Node, Value, collect_facts, resolve

if TYPE_CHECKING:
    from docops.core.compare import Change, Comparison
    from docops.core.spans import TextSpan


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of one part (or PDF object class) is modelled as facts, compared raw, or volatile.

    part: part name or object class.  nodes and bytes: attributes and elements (PDF: keys and values), and their size.
    """

    part: str
    bytes: int
    modelled: int
    raw: int
    volatile: int


@dataclass(frozen=True, slots=True)
class Stale:
    """A stored result that contradicts what it derives from (a cached cell value, a chart's cache, a checkbox's face).

    address: where it is stored.  name: which result.  cached: what is stored.  derived: what follows from the rest.
    """

    address: str
    name: str
    cached: Value
    derived: Value


class Document(Protocol):
    """An opened artifact. Reading never changes the file or the native object."""

    @property
    def format(self) -> str:
        """`xlsx`, `docx`, `pptx` or `pdf`."""

    @property
    def root(self) -> Node:
        """The document's state as a tree; built lazily, the same object at every call."""

    @property
    def native(self) -> Any:
        """The native library's object (openpyxl, python-docx, python-pptx, pypdf), opened at first use.

        Raises Unreadable where the library cannot open a file that docops reads.
        """

    def spans(self) -> Sequence[TextSpan]:
        """Every stored text, in reading order."""

    def facts(self) -> Mapping[FactKey, Value]:
        """Every fact, in document order."""

    def find(self, address: Address | str) -> Sequence[Node]:
        """The nodes that an address names in this document (its artifact is not looked at)."""

    def coverage(self) -> Sequence[Coverage]:
        """What share of each part is modelled, raw and volatile."""


class DocumentBase:
    """What every document does the same way; a format supplies `root` and the rest of `Document`."""

    format: str = ""

    @property
    def root(self) -> Node:
        """The document's state as a tree."""
        raise TypeError(f"{type(self).__name__} has no root")

    def facts(self) -> dict[FactKey, Value]:
        """Every fact, in document order."""
        return collect_facts(self.root)

    def find(self, address: Address | str) -> list[Node]:
        """The nodes that an address names in this document (its artifact is not looked at).

        Raises AddressError where the text is no address.
        """
        from docops.core.address import parse_address

        parsed = parse_address(address) if isinstance(address, str) else address
        return resolve(self.root, parsed.segments)


@dataclass(frozen=True, slots=True)
class Format:
    """One document format: the row that `docops.registry` keeps of it.

    name: `xlsx`.   suffixes: file name endings it is opened by, in lower case with the dot.
    open: bytes → Document; raises Unreadable for everything that is not such a document or breaks a limit.
    kinds: the address kinds that exist in it (bundles that name another are invalid).
    compare: facts of two documents of this format, aligned (default: core.compare.compare_trees).
    stale: results stored in a document that contradict what they derive from.
    pair: called with a source and an output before they are compared, so that what is equal is noted once.
    parts: name of each part → (digest of its bytes, digest of what it means), for the profile `bytes`; None: it has no parts.
    key_problem: what is wrong with the key of a step of an address, or "".
    """

    name: str
    suffixes: tuple[str, ...]
    open: Callable[[bytes], Document]
    kinds: frozenset[str]
    compare: Callable[[Document, Document, Comparison], Iterator[Change]] | None = None
    stale: Callable[[Document, Document | None], Sequence[Stale]] | None = None
    pair: Callable[[Document, Document], None] | None = None
    parts: Callable[[Document], Mapping[str, tuple[str, str]]] | None = None
    key_problem: Callable[[Segment], str] | None = None
