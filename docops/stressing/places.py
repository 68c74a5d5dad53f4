"""Whether a finding stands at the place that was changed, told by resolving both addresses in the documents they are of."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence

from docops.core.address import parse_address
from docops.core.canonical import sha256
from docops.core.compare import Comparison, compare_trees
from docops.core.document import Document
from docops.core.errors import AddressError, DocopsError
from docops.core.node import Node, resolve
from docops.registry import format_named
from docops.stressing.plan import MutantSpec, Parent

#: Opened parents by digest; they are the same for many mutants.
_opened: OrderedDict[str, Document] = OrderedDict()
_moved: OrderedDict[tuple[str, str], dict[str, str]] = OrderedDict()
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
    marks = _marks(places)
    if effect in ("add", "move"):
        # What is new stands beside the place that it was made from.
        addresses |= {address.rpartition("/")[0] for address in addresses} - {""}
        kinds = {node.kind for node in places if "/" not in node.address}
        if any(parse_address(path).segments[0].kind in kinds for path in own):
            return True
    for path in own:
        if any(_nested(place, address) for found in _find(before, path) for place in (found.address, *found.also) for address in addresses):
            return True
        if any(_nested(path, address) for address in addresses):
            return True
    moved = _in_source(spec, parent, addresses)
    if any(_nested(path, address) for path in own for address in moved):
        return True
    return bool(places) and any(_same_there(document, path, marks) for document in _others(spec, mutated, parent) for path in own)


def _in_source(spec: MutantSpec, parent: Parent, addresses: set[str]) -> set[str]:
    """The addresses that places of the right output have in the source, as far as a comparison of both tells."""
    pairs = _moves(spec, parent)
    found = set()
    for address in addresses:
        for after, before in pairs.items():
            if address == after or address.startswith(f"{after}/"):
                found.add(before + address[len(after) :])
    return found


def _moves(spec: MutantSpec, parent: Parent) -> dict[str, str]:
    """Address in the right output → address in the source, of places whose address differs and that were compared."""
    artifact = parent.bundle.artifact(spec.artifact)
    key = (parent.bundle.digest, spec.parent)
    if key not in _moved:
        _moved[key] = {}
        if artifact.source is not None:
            before = _open((parent.bundle.root / artifact.source).read_bytes(), spec.artifact)
            after = _open(parent.outputs[spec.artifact], spec.artifact)
            compare = format_named(before.format).compare
            changes = compare(before, after, Comparison()) if compare is not None else compare_trees(before.root, after.root, Comparison())
            _moved[key] = {change.other_address: change.address for change in changes if change.other_address}
        while len(_moved) > _MAX_OPENED:
            _moved.popitem(last=False)
    return _moved[key]


def _others(spec: MutantSpec, mutated: bytes | None, parent: Parent) -> Iterator[Document]:
    artifact = parent.bundle.artifact(spec.artifact)
    if artifact.source is not None:
        yield _open((parent.bundle.root / artifact.source).read_bytes(), spec.artifact)
    if mutated is not None:
        try:
            yield _open(mutated, spec.artifact, keep=False)
        except DocopsError:
            return  # nothing can be resolved in what cannot be read


#: Texts shorter than this are no sign that two places are the same.
_TELLING = 12


def _marks(nodes: Sequence[Node]) -> set[object]:
    """What a place is known by elsewhere: everything it holds, or a text, its own or inside it, that others hardly have."""
    found: set[object] = {node.digest for node in nodes}
    inside = [child for node in nodes for child in node.children]
    return found | {(node.kind, node.text) for node in (*nodes, *inside) if len(node.text) >= _TELLING}


def _is_marked(node: Node, marks: set[object]) -> bool:
    return node.digest in marks or (node.kind, node.text) in marks


def _same_there(document: Document, path: str, marks: set[object]) -> bool:
    """Whether a place of those marks stands at an address, or inside or around it."""
    found = _find(document, path)
    for node in found:
        for count, inside in enumerate(node.walk()):
            if _is_marked(inside, marks):
                return True
            if count > _MAX_PLACES:
                break
    addresses = [node.address for node in found]
    return any(_nested(node.address, address) for node in _marked(document, marks) for address in addresses)


def _marked(document: Document, marks: set[object]) -> Iterator[Node]:
    for count, node in enumerate(document.root.walk()):
        if count > _MAX_PLACES:
            return
        if _is_marked(node, marks):
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
