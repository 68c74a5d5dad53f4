"""Preservation: what nobody asked to change is intact, for any format, over facts.

Source and output are aligned and compared (`core.compare`); a change is a finding unless the edit scope allows it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from docops.core.address import Address, parse_address, quote
from docops.core.codes import ALL_ASPECTS, CONTENT_ASPECTS, Aspect, Family, FindingCode
from docops.core.compare import ALLOW_ALL, Allow, Change, ChangeKind, Comparison, compare_trees
from docops.core.document import Document, Format, Stale
from docops.core.errors import NotApplicable
from docops.core.node import named_places, resolve
from docops.core.predicate import AddressText, Context, Evidence, Example, Finding, Predicate, predicate
from docops.families.samples import letter

_CODES = {
    ChangeKind.ADDED: FindingCode.UNEXPECTED_ADDITION,
    ChangeKind.REMOVED: FindingCode.UNEXPECTED_REMOVAL,
    ChangeKind.MOVED: FindingCode.UNEXPECTED_MOVE,
    ChangeKind.CHANGED: FindingCode.UNEXPECTED_CHANGE,
}


@dataclass(frozen=True, slots=True)
class ScopeEntry:
    """One entry of an edit scope: a place and what may happen there (default: everything)."""

    at: Address
    allow: frozenset[Allow] = ALLOW_ALL


@dataclass(frozen=True, slots=True)
class Preserve:
    """How strictly an artifact is preserved outside its edit scope.

    profile: `native` (every aspect), `content` (what another program's re-save keeps) or `bytes` (parts identical as well).
    except_aspects, except_places: left out of the comparison.
    """

    profile: str = "native"
    except_aspects: frozenset[Aspect] = frozenset()
    except_places: tuple[Address, ...] = ()

    @property
    def aspects(self) -> frozenset[Aspect]:
        """The aspects that are compared."""
        return (CONTENT_ASPECTS if self.profile == "content" else ALL_ASPECTS) - self.except_aspects


def scope_of(entries: Sequence[ScopeEntry], document: Document) -> dict[str, frozenset[Allow]]:
    """The places of a document that the entries name, with what is allowed there."""
    scope: dict[str, frozenset[Allow]] = {}
    for entry in entries:
        for node in resolve(document.root, entry.at.segments):
            scope[node.address] = scope.get(node.address, frozenset()) | entry.allow
    return scope


def compare_documents(before: Document, after: Document, document_format: Format, comparison: Comparison) -> list[Change]:
    """The changes between two documents of one format that the comparison's scope does not allow."""
    if document_format.pair is not None:
        document_format.pair(before, after)
    if document_format.compare is not None:
        return list(document_format.compare(before, after, comparison))
    return list(compare_trees(before.root, after.root, comparison))


def check_preserved(
    artifact: str,
    source: Document,
    output: Document,
    document_format: Format,
    scope: Sequence[ScopeEntry],
    preserve: Preserve,
) -> Iterator[Finding]:
    """Findings for everything outside the scope that differs between source and output, and for results gone stale.

    artifact: its name, for the printed addresses.
    Derived state (cached values, field results) is not compared for its own sake; what contradicts its precedents in the
    output and did not in the source is a finding `stale_value`, in the scope or outside.
    """
    entries = [*scope, *(ScopeEntry(place) for place in preserve.except_places)]
    comparison = Comparison(aspects=preserve.aspects, before_scope=scope_of(entries, source), after_scope=scope_of(entries, output))
    for change in compare_documents(source, output, document_format, comparison):
        yield change_finding(artifact, change)
    if Aspect.VALUE in preserve.aspects:
        excepted = scope_of([ScopeEntry(place) for place in preserve.except_places], output)
        for stale in new_stale(source, output, document_format):
            if not _under(stale.address, excepted):
                yield stale_finding(artifact, stale)
    if preserve.profile == "bytes":
        yield from _changed_bytes(artifact, source, output, document_format, scope)


def change_finding(artifact: str, change: Change) -> Finding:
    """A change as a finding with the place where a person looks for it."""
    place = f"{artifact}#{change.address}" if change.address else artifact
    if change.place:
        segments = parse_address(change.address).segments if change.address else ()
        what = str(segments[-1]) if segments else "the document"
        verb = {ChangeKind.ADDED: "was added", ChangeKind.REMOVED: "was removed", ChangeKind.MOVED: "was moved"}[change.kind]
        text = change.after if change.kind is ChangeKind.ADDED else change.before
        about = f" ({text!r:.80})" if isinstance(text, str) and text and change.kind is not ChangeKind.MOVED else ""
        target = f" to {change.other_address}" if change.kind is ChangeKind.MOVED and change.other_address else ""
        message = f"{what}{about} {verb}{target}, which nobody asked for"
        return Finding(_CODES[change.kind], place, change.before, change.after, message)
    name = f"{change.aspect} {change.name}" if change.name != str(change.aspect) else change.name
    about = f" of {change.excerpt!r}" if change.excerpt else ""
    message = f"{name}{about} changed outside the edit scope"
    return Finding(FindingCode.UNEXPECTED_CHANGE, place, change.before, change.after, message)


def new_stale(source: Document, output: Document, document_format: Format) -> list[Stale]:
    """Results of the output that contradict what they derive from, those left out that did so in the source already."""
    if document_format.stale is None:
        return []
    found = list(document_format.stale(output, source))
    if not found:
        return []
    old = {(stale.address, stale.name) for stale in document_format.stale(source, None)}
    return [stale for stale in found if (stale.address, stale.name) not in old]


def stale_finding(artifact: str, stale: Stale) -> Finding:
    """A stale result as a finding."""
    return Finding(
        FindingCode.STALE_VALUE,
        f"{artifact}#{stale.address}",
        stale.derived,
        stale.cached,
        f"the stored {stale.name} contradicts what it derives from, and did not in the source",
    )


def _changed_bytes(artifact: str, source: Document, output: Document, document_format: Format, scope: Sequence[ScopeEntry]) -> Iterator[Finding]:
    """Parts whose bytes differ though they mean the same; differences of meaning are findings already.

    A format without parts has one, the file: its bytes may differ only where something is in scope.
    """
    if document_format.parts is None:
        if not scope:
            yield Finding(
                FindingCode.UNEXPECTED_CHANGE, artifact, "the source's bytes", "other bytes", "the file's bytes changed; the profile is `bytes`"
            )
        return
    before, after = document_format.parts(source), document_format.parts(output)
    for name in sorted(before.keys() & after.keys()):
        if before[name][0] != after[name][0] and before[name][1] == after[name][1]:
            message = "the part's bytes changed though it means the same; the profile is `bytes`"
            yield Finding(FindingCode.UNEXPECTED_CHANGE, f"{artifact}#part[{quote(name)}]", before[name][0], after[name][0], message)
    for name in sorted(before.keys() ^ after.keys()):
        gone = name in before
        code = FindingCode.UNEXPECTED_REMOVAL if gone else FindingCode.UNEXPECTED_ADDITION
        digest = (before if gone else after)[name][0]
        place = f"{artifact}#part[{quote(name)}]"
        yield Finding(code, place, digest if gone else None, None if gone else digest, "the set of parts changed; the profile is `bytes`")


def _under(address: str, scope: Mapping[str, Any]) -> bool:
    while True:
        if address in scope:
            return True
        if not address:
            return False
        address = address.rpartition("/")[0]


@predicate(
    "preservation.unchanged",
    family=Family.PRESERVATION,
    examples=(
        Example("another paragraph changed", letter("One", "2"), {"at": "letter.docx#body/paragraph[1]"}, passes=True, source=letter("One", "Two")),
        Example(
            "this one changed",
            letter("1", "Two"),
            {"at": "letter.docx#body/paragraph[1]"},
            FindingCode.UNEXPECTED_CHANGE,
            source=letter("One", "Two"),
        ),
        Example("only its links matter", letter("1"), {"at": "letter.docx", "aspects": ["link"]}, passes=True, source=letter("One")),
    ),
)
def unchanged(context: Context, *, at: str, aspects: Sequence[Aspect] = (), except_: Sequence[AddressText] = ()) -> Iterator[Finding | Evidence]:
    """A place of the output is as it was in the source, inside the edit scope too.

    at: the place (or the artifact); it is looked up in source and output.
    aspects: the aspects to compare (default: all).
    except: aspects, or addresses below the artifact, that are left out.

    Not compared: derived state (cached values), and the documented volatile state of the format.
    """
    target = context.target(at)
    if target.source is None:
        raise NotApplicable(f"{target.artifact} has no source to compare with")
    chosen = frozenset(Aspect(name) for name in aspects) or ALL_ASPECTS
    places = [text for text in except_ if text not in set(Aspect)]
    chosen -= {Aspect(text) for text in except_ if text in set(Aspect)}
    entries = [ScopeEntry(parse_address(text)) for text in places]
    before_places = named_places(resolve(target.source.root, target.address.segments))
    after_places = named_places(target.nodes)
    if not before_places and not after_places:
        yield Finding(FindingCode.MISSING, target.place(), "a place in the source", None, "neither source nor output has this place")
        return
    comparison = Comparison(aspects=chosen, before_scope=scope_of(entries, target.source), after_scope=scope_of(entries, target.document))
    for change in compare_documents(target.source, target.document, context.format_of(target.document), comparison):
        where = after_places if change.place and change.kind is ChangeKind.ADDED else before_places
        if _under(change.address, dict.fromkeys(where)):
            yield change_finding(target.artifact, change)
    yield Evidence(target.place(), f"{len(before_places)} place(s) compared with the source")


PREDICATES: tuple[Predicate, ...] = (unchanged,)
