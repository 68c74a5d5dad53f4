"""Whether a finding stands at the place that was changed, told by resolving both addresses in the documents they are of."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence

from docops.core.address import parse_address
from docops.core.canonical import sha256
from docops.core.document import Document
from docops.core.errors import AddressError, DocopsError
from docops.core.node import Node, resolve
from docops.stressing.plan import MutantSpec, Parent

#: Opened parents by digest; they are the same for many mutants.
_opened: OrderedDict[str, Document] = OrderedDict()
_MAX_OPENED = 8
#: Places compared by what they hold where orders changed; larger subtrees are told by their addresses alone.
_MAX_PLACES = 5000


def stands_at(spec: MutantSpec, effect: str, findings: Sequence[str], mutated: bytes | None, parent: Parent) -> bool:
    """Whether one of the findings stands at the mutant's place, inside it or around it.

    effect: what the operator does there.   findings: addresses with their artifact. A place is followed from the right output, whose address the mutant names, to the
    source, whose addresses findings use, by what stands there.
    """
    own = [path for artifact, _, path in (address.partition("#") for address in findings) if artifact == spec.artifact]
    if not own or not spec.address:
        return bool(own)
    if any(not path or _nested(path, spec.address) for path in own):
        return True
    before = _open(parent.outputs[spec.artifact], spec.artifact)
    places = _find(before, spec.address)
    addresses = {node.address for node in places}
    digests = {node.digest for node in places}
    if effect in ("add", "move"):
        # What is new stands beside the place that it was made from.
        addresses |= {address.rpartition("/")[0] for address in addresses} - {""}
    for path in own:
        if any(_nested(place, address) for found in _find(before, path) for place in (found.address, *found.also) for address in addresses):
            return True
        if any(_nested(path, address) for address in addresses):
            return True
    return bool(places) and any(_same_there(document, path, digests) for document in _others(spec, mutated, parent) for path in own)


def _others(spec: MutantSpec, mutated: bytes | None, parent: Parent) -> Iterator[Document]:
    artifact = parent.bundle.artifact(spec.artifact)
    if artifact.source is not None:
        yield _open((parent.bundle.root / artifact.source).read_bytes(), spec.artifact)
    if mutated is not None:
        try:
            yield _open(mutated, spec.artifact, keep=False)
        except DocopsError:
            return  # nothing can be resolved in what cannot be read


def _same_there(document: Document, path: str, digests: set[bytes]) -> bool:
    """Whether a place of those digests stands at an address, or inside or around it."""
    found = _find(document, path)
    for node in found:
        for count, inside in enumerate(node.walk()):
            if inside.digest in digests:
                return True
            if count > _MAX_PLACES:
                break
    addresses = [node.address for node in found]
    return any(_nested(node.address, address) for node in _with_digest(document, digests) for address in addresses)


def _with_digest(document: Document, digests: set[bytes]) -> Iterator[Node]:
    for count, node in enumerate(document.root.walk()):
        if count > _MAX_PLACES:
            return
        if node.digest in digests:
            yield node


def _find(document: Document, path: str) -> list[Node]:
    try:
        return resolve(document.root, parse_address(path).segments)
    except AddressError:
        return []


def _nested(one: str, other: str) -> bool:
    return one == other or one.startswith(f"{other}/") or other.startswith(f"{one}/")


def _open(data: bytes, name: str, *, keep: bool = True) -> Document:
    from docops.engine import open_document

    if not keep:
        return open_document(data, name)
    key = sha256(data)
    if key not in _opened:
        _opened[key] = open_document(data, name)
        while len(_opened) > _MAX_OPENED:
            _opened.popitem(last=False)
    return _opened[key]
