"""Predicates about what is anchored in the text: tracked changes, comments, notes, fields, links, bookmarks, pictures, controls."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from docops.core.codes import Aspect, Family, FindingCode
from docops.core.node import Node
from docops.core.predicate import Context, Evidence, Example, Finding, Predicate, Target, predicate
from docops.core.spans import Role
from docops.formats.docx.document import DocxDocument
from docops.formats.docx.predicates.places import cut, docx_target, places, same, shown_text, where
from docops.formats.docx.samples import docx

_FORMATS = ("docx",)


def _tracked() -> dict[str, bytes]:
    return {"contract.docx": docx("Payment is due [-in 60 days-][+within 30 days+].", "The rest stays.")}


def _clean() -> dict[str, bytes]:
    return {"contract.docx": docx("Payment is due within 30 days.")}


_KINDS = {"ins": "insertion", "insert": "insertion", "inserted": "insertion", "del": "deletion", "delete": "deletion", "deleted": "deletion"}


@predicate(
    "docx.revisions",
    family=Family.STRUCTURAL,
    formats=_FORMATS,
    examples=(
        Example("nothing is left to decide", _clean, {"at": "contract.docx", "pending": False}, True),
        Example("two changes by one author", _tracked, {"at": "contract.docx", "pending": 2, "authors": ["Ana"]}, True),
        Example("changes are pending", _tracked, {"at": "contract.docx", "pending": False}, FindingCode.UNEXPECTED),
        Example("accepted without asking", _clean, {"at": "contract.docx", "pending": 2}, FindingCode.WRONG_COUNT),
        Example("another author", _tracked, {"at": "contract.docx", "authors": ["Ben"]}, FindingCode.MISSING),
        Example("both kinds", _tracked, {"at": "contract.docx#body/paragraph[1]", "kinds": ["insertion", "deletion"]}, True),
    ),
)
def revisions(
    context: Context, *, at: str, pending: int | bool | None = None, authors: Sequence[str] = (), kinds: Sequence[str] = ()
) -> Iterator[Finding | Evidence]:
    """So many tracked changes wait for a decision.

    at: the document, or a place in it.   pending: how many, false for none, true for any (default: one of each author and
    kind that is named).   authors, kinds: only changes by these authors and of these kinds count (`insertion`, `deletion`,
    `move`, `formatting`, or a kind as DocOps prints it). A paragraph inserted or deleted with its text is one change.
    """
    target, document = docx_target(context, at)
    missing = where(target, document)
    if missing is not None:
        yield missing
        return
    found = _pending(document, target)
    wanted_kinds = [_KINDS.get(kind.lower(), kind.lower()) for kind in kinds]
    counted = [
        node for node in found
        if (not authors or _fact(node, "author") in authors) and (not wanted_kinds or any(_is_kind(_fact(node, "kind"), kind) for kind in wanted_kinds))
    ]  # fmt: skip
    for node in counted[:5]:
        yield Evidence(target.place(node), f"{_fact(node, 'kind')} by {_fact(node, 'author')}: {_fact(node, 'text')[:80]}")
    if pending is False or (pending == 0 and pending is not None):
        for node in counted:
            text = f"{_fact(node, 'kind')} by {_fact(node, 'author')}: {_fact(node, 'text')[:80]}"
            yield Finding(FindingCode.UNEXPECTED, target.place(node), None, text, f"a tracked {_fact(node, 'kind')} still waits for a decision")
    elif pending is True:
        if not counted:
            yield Finding(FindingCode.MISSING, target.place(), "a tracked change", len(found), "no such tracked change waits for a decision")
    elif pending is not None:
        if len(counted) != pending:
            told = [f"{_fact(node, 'kind')}: {_fact(node, 'text')[:60]}" for node in counted]
            yield Finding(FindingCode.WRONG_COUNT, target.place(), pending, cut([len(counted), *told]), f"{len(counted)} tracked changes, not {pending}")
    else:
        for author in authors:
            if not any(_fact(node, "author") == author for node in counted):
                known = sorted({_fact(node, "author") for node in found})
                yield Finding(FindingCode.MISSING, target.place(), author, cut(known), f"no tracked change by {author!r}")
        for kind in wanted_kinds:
            if not any(_is_kind(_fact(node, "kind"), kind) for node in counted):
                yield Finding(FindingCode.MISSING, target.place(), kind, cut(sorted({_fact(node, "kind") for node in found})), f"no tracked {kind}")
        if not authors and not kinds and not counted:
            yield Finding(FindingCode.MISSING, target.place(), "a tracked change", None, "no tracked change")


def _fact(node: Node, name: str) -> str:
    aspect = Aspect.COMMENT if node.kind == "comment" else Aspect.REVISION
    return str(node.facts.get((aspect, name), ""))


def _is_kind(own: str, wanted: str) -> bool:
    if own == wanted:
        return True
    if wanted in {"insertion", "deletion"}:
        return own.endswith(f" {wanted}")
    if wanted == "formatting":
        return own.endswith(("formatting", "numbering"))
    return wanted == "move" and own.startswith("move")


def _pending(document: DocxDocument, target: Target) -> list[Node]:
    """The tracked changes at a place; a mark that goes with the change of its paragraph's text is not counted again."""
    nodes = [node for node in document.root.children if node.kind == "revision"]
    if target.address.segments:
        named = {node.address for node in target.nodes}
        nodes = [node for node in nodes if node.address in named or any(_inside(place, named) for place in document.anchored_in(node.address))]
    texts = {
        (_fact(node, "kind"), _fact(node, "author"), document.anchored_in(node.address)[:1])
        for node in nodes
        if _fact(node, "kind") in {"insertion", "deletion", "move to", "move from"}
    }
    return [
        node
        for node in nodes
        if not (
            _fact(node, "kind").startswith("paragraph mark ")
            and (_fact(node, "kind").removeprefix("paragraph mark "), _fact(node, "author"), document.anchored_in(node.address)[:1]) in texts
        )
    ]


def _inside(address: str, places_: set[str]) -> bool:
    while address:
        if address in places_:
            return True
        address = address.rpartition("/")[0]
    return False


# Comments and notes ----------------------------------------------------------------------------


def _annotated() -> dict[str, bytes]:
    return {"a.docx": docx("The [!penalty!Is two percent enough?] is two percent[^See the annex.^].", "See [#terms:the terms] and {REF terms|the terms}, page {PAGE|2}.",
                           "[Our site](https://example.org/terms), [terms](#terms)", "![Site plan]", "Status: [=status:open]")}  # fmt: skip


def _plain() -> dict[str, bytes]:
    return {"a.docx": docx("The penalty is two percent.", "See the terms on page 2.", "Our site: https://example.org/terms", "Status: open")}


def _count_finding(target: Target, what: str, wanted: int, found: int) -> Finding:
    return Finding(FindingCode.WRONG_COUNT, target.place(), wanted, found, f"{found} {what}, not {wanted}")


@predicate(
    "docx.comment",
    family=Family.STRUCTURAL,
    formats=_FORMATS,
    examples=(
        Example("a comment on a word", _annotated, {"at": "a.docx", "contains": "two percent", "anchor": "penalty", "author": "Ana"}, True),
        Example("the comment is gone", _plain, {"at": "a.docx", "contains": "two percent"}, FindingCode.MISSING),
        Example("no comment is left", _annotated, {"at": "a.docx", "count": 0}, FindingCode.WRONG_COUNT),
    ),
)
def comment(
    context: Context, *, at: str, contains: str | None = None, author: str | None = None, anchor: str | None = None, resolved: bool | None = None, count: int | None = None
) -> Iterator[Finding | Evidence]:
    """There is a comment like this.

    at: the document, a place in it, or one comment.   contains: text of the comment.   anchor: the text it is about, whole.
    author: who wrote it.   resolved: whether it is marked as done.
    count: how many such comments (default: at least one).
    """
    target, document = docx_target(context, at)
    missing = where(target, document)
    if missing is not None:
        yield missing
        return
    nodes = _anchored(document, target, "comment")
    found = [
        node for node in nodes
        if (contains is None or same(contains) in shown_text(document, node.address)) and (author is None or _fact(node, "author") == author)
        and (anchor is None or same(_fact(node, "covered text")) == same(anchor)) and (resolved is None or bool(node.facts.get((Aspect.COMMENT, "resolved"))) == resolved)
    ]  # fmt: skip
    if count is not None:
        if len(found) != count:
            yield _count_finding(target, "such comments", count, len(found))
    elif not found:
        texts = [f"{_fact(node, 'author')} on {_fact(node, 'covered text')!r}: {shown_text(document, node.address)[:80]}" for node in nodes]
        yield Finding(FindingCode.MISSING, target.place(), contains or author or anchor or "a comment", cut(texts), "there is no such comment")
    yield from (Evidence(target.place(node), shown_text(document, node.address)[:120]) for node in found[:3])


def _anchored(document: DocxDocument, target: Target, kind: str) -> list[Node]:
    """Things of a kind that a target names or that are anchored in it."""
    nodes = [node for node in document.root.children if node.kind == kind]
    if not target.address.segments:
        return nodes
    named = {node.address for node in target.nodes}
    return [node for node in nodes if node.address in named or any(_inside(place, named) for place in document.anchored_in(node.address))]


@predicate(
    "docx.footnote",
    family=Family.STRUCTURAL,
    formats=_FORMATS,
    examples=(
        Example("a note with this text", _annotated, {"at": "a.docx", "contains": "annex"}, True),
        Example("in the paragraph", _annotated, {"at": "a.docx#body/paragraph[1]", "count": 1}, True),
        Example("the note is gone", _plain, {"at": "a.docx", "contains": "annex"}, FindingCode.MISSING),
    ),
)
def footnote(
    context: Context, *, at: str, contains: str | None = None, count: int | None = None, kind: Literal["footnote", "endnote"] = "footnote"
) -> Iterator[Finding | Evidence]:
    """There is a footnote (or endnote) like this, and something refers to it.

    at: the document, a place in it, or one note.   contains: text of the note.   count: how many (default: at least one).
    kind: footnotes or endnotes.
    """
    target, document = docx_target(context, at)
    missing = where(target, document)
    if missing is not None:
        yield missing
        return
    nodes = [node for node in _anchored(document, target, kind) if (Aspect.NOTE, "mark") not in node.facts]
    found = [node for node in nodes if contains is None or same(contains) in shown_text(document, node.address)]
    if count is not None:
        if len(found) != count:
            yield _count_finding(target, f"such {kind}s", count, len(found))
    elif not found:
        texts = [shown_text(document, node.address)[:80] for node in nodes]
        typed = contains is not None and any(same(contains) in span.text for span in document.spans() if span.role is Role.BODY and span.visible)
        code = FindingCode.NOT_NATIVE if typed else FindingCode.MISSING
        yield Finding(code, target.place(), contains or kind, cut(texts), f"there is no such {kind}" + (", only body text with these words" if typed else ""))
    yield from (Evidence(target.place(node), shown_text(document, node.address)[:120]) for node in found[:3])


# Fields, links, bookmarks ------------------------------------------------------------------------


def _inner(document: DocxDocument, target: Target, kind: str) -> list[Node]:
    """Nodes of a kind at a target; in the whole document where it names no place."""
    nodes = target.nodes if target.address.segments else [node for node in document.root.children if node.kind in {"body", "header", "footer", "footnote", "endnote"}]
    return [inner for node in nodes for inner in node.walk() if inner.kind == kind]


@predicate(
    "docx.field",
    family=Family.STRUCTURAL,
    formats=_FORMATS,
    examples=(
        Example("a page number", _annotated, {"at": "a.docx", "kind": "PAGE"}, True),
        Example("a reference to a bookmark", _annotated, {"at": "a.docx", "kind": "REF", "contains": "terms"}, True),
        Example("a typed number is no field", _plain, {"at": "a.docx#body/paragraph[2]", "kind": "PAGE"}, FindingCode.NOT_NATIVE),
    ),
)
def field(
    context: Context, *, at: str, kind: str | None = None, contains: str | None = None, count: int | None = None
) -> Iterator[Finding | Evidence]:
    """There is a live field like this.

    at: the document, a place in it, or one field.   kind: its first word (`TOC`, `PAGE`, `REF`, …).
    contains: part of its instruction.   count: how many (default: at least one). A result typed as text is no field.
    """
    target, document = docx_target(context, at)
    missing = where(target, document)
    if missing is not None:
        yield missing
        return
    nodes = _inner(document, target, "field")
    instructions = [(node, str(node.facts.get((Aspect.FIELD, "instruction"), ""))) for node in nodes]
    found = [
        (node, text) for node, text in instructions
        if (kind is None or text.upper().split(" ")[0] == kind.upper()) and (contains is None or contains.casefold() in text.casefold())
    ]  # fmt: skip
    if count is not None:
        if len(found) != count:
            yield _count_finding(target, "such fields", count, len(found))
    elif not found:
        text = shown_text(document, target.nodes[0].address) if target.address.segments else ""
        code = FindingCode.NOT_NATIVE if text else FindingCode.MISSING
        wanted = " ".join(filter(None, (kind, contains))) or "a field"
        shown = cut([instruction for _, instruction in instructions]) if instructions else text or None
        yield Finding(code, target.place(), wanted, shown, f"there is no live field {wanted}")
    yield from (Evidence(target.place(node), text) for node, text in found[:3])


@predicate(
    "docx.hyperlink",
    family=Family.STRUCTURAL,
    formats=_FORMATS,
    examples=(
        Example("a link to a page", _annotated, {"at": "a.docx", "target": "https://example.org/terms", "text": "Our site"}, True),
        Example("a link to a bookmark", _annotated, {"at": "a.docx", "target": "#terms"}, True),
        Example("another target", _annotated, {"at": "a.docx", "text": "Our site", "target": "https://example.org/"}, FindingCode.MISMATCH),
        Example("a typed address is no link", _plain, {"at": "a.docx", "target": "https://example.org/terms"}, FindingCode.NOT_NATIVE),
    ),
)
def hyperlink(context: Context, *, at: str, target: str | None = None, text: str | None = None, count: int | None = None) -> Iterator[Finding | Evidence]:
    """There is a link like this.

    at: the document, a place in it, or one link.   target: the whole URL, or `#` and a bookmark's name.
    text: what it shows, whole.   count: how many (default: at least one).
    """
    place, document = docx_target(context, at)
    missing = where(place, document)
    if missing is not None:
        yield missing
        return
    nodes = _inner(document, place, "hyperlink")
    by_text = [node for node in nodes if text is None or same(str(node.facts.get((Aspect.LINK, "text"), ""))) == same(text)]
    found = [node for node in by_text if target is None or _link_target(node) == target]
    if count is not None:
        if len(found) != count:
            yield _count_finding(place, "such links", count, len(found))
    elif not found and text is not None and by_text:
        own = _link_target(by_text[0])
        yield Finding(FindingCode.MISMATCH, place.place(by_text[0]), target, own, f"the link {text!r} leads to {own!r}, not {target!r}")
    elif not found:
        wanted = target or text or "a link"
        typed = next((span for span in document.spans() if span.visible and span.role is Role.BODY and wanted.lstrip("#") in span.text), None)
        code = FindingCode.NOT_NATIVE if typed is not None else FindingCode.MISSING
        where_ = place.place(typed.address) if typed is not None else place.place()
        yield Finding(code, where_, wanted, cut([_link_target(node) for node in nodes]), f"there is no live link {wanted!r}")
    yield from (Evidence(place.place(node), _link_target(node)) for node in found[:3])


def _link_target(node: Node) -> str:
    anchor = node.facts.get((Aspect.LINK, "anchor"))
    return f"{node.facts.get((Aspect.LINK, 'target'), '')}{f'#{anchor}' if anchor else ''}"


@predicate(
    "docx.bookmark",
    family=Family.STRUCTURAL,
    formats=_FORMATS,
    examples=(
        Example("a bookmark and its text", _annotated, {"at": "a.docx", "name": "terms", "text": "the terms"}, True),
        Example("it covers something else", _annotated, {"at": "a.docx", "name": "terms", "text": "the annex"}, FindingCode.MISMATCH),
        Example("the bookmark is gone", _plain, {"at": "a.docx", "name": "terms"}, FindingCode.MISSING),
    ),
)
def bookmark(context: Context, *, at: str, name: str, text: str | None = None, exists: bool = True) -> Iterator[Finding | Evidence]:
    """The document has this bookmark, over this text.

    at: the document.   name: its name.   text: what it covers, whole.   exists: false where it must be gone.
    """
    target, document = docx_target(context, at)
    found = next((node for node in document.root.children if node.kind == "bookmark" and node.name == name), None)
    if found is None:
        if exists:
            known = [node.name for node in document.root.children if node.kind == "bookmark"]
            yield Finding(FindingCode.MISSING, target.place(), name, cut(known), f"there is no bookmark {name!r}")
        return
    covered = str(found.facts.get((Aspect.NAME, "covered text"), ""))
    if not exists:
        yield Finding(FindingCode.UNEXPECTED, target.place(found), None, covered, f"the bookmark {name!r} is still there")
    elif text is not None and same(covered) != same(text):
        yield Finding(FindingCode.MISMATCH, target.place(found), text, covered, f"the bookmark {name!r} covers other text")
    else:
        yield Evidence(target.place(found), covered[:120])


# Pictures and controls ----------------------------------------------------------------------------


@predicate(
    "docx.image",
    family=Family.STRUCTURAL,
    formats=_FORMATS,
    examples=(
        Example("one picture with alternative text", _annotated, {"at": "a.docx", "count": 1, "alt": "Site plan"}, True),
        Example("another alternative text", _annotated, {"at": "a.docx", "alt": "Logo"}, FindingCode.MISSING),
        Example("no picture", _plain, {"at": "a.docx", "count": 1}, FindingCode.WRONG_COUNT),
    ),
)
def image(context: Context, *, at: str, alt: str | None = None, count: int | None = None, has_alt: bool | None = None) -> Iterator[Finding | Evidence]:
    """There are pictures like this.

    at: the document, a place in it, or one picture.   alt: its alternative text, whole.   count: how many such pictures.
    has_alt: every picture at the place has an alternative text.
    """
    target, document = docx_target(context, at)
    missing = where(target, document)
    if missing is not None:
        yield missing
        return
    nodes = _pictures(document, target)
    found = [node for node in nodes if alt is None or same(str(node.facts.get((Aspect.MEDIA, "alt text"), ""))) == same(alt)]
    if count is not None and len(found) != count:
        yield _count_finding(target, "such pictures", count, len(found))
    elif count is None and not found and has_alt is None:
        alts = [str(node.facts.get((Aspect.MEDIA, "alt text"), "")) for node in nodes]
        yield Finding(FindingCode.MISSING, target.place(), alt or "a picture", cut(alts), "there is no such picture")
    if has_alt is not None:
        for node in nodes:
            own = str(node.facts.get((Aspect.MEDIA, "alt text"), ""))
            if bool(own.strip()) != has_alt:
                yield Finding(FindingCode.MISMATCH, target.place(node), has_alt, own, "the picture has no alternative text" if has_alt else "the picture has one")
    yield from (Evidence(target.place(node), str(node.facts.get((Aspect.MEDIA, "alt text"), ""))) for node in found[:3])


def _pictures(document: DocxDocument, target: Target) -> list[Node]:
    """The pictures at a place, those anchored in a paragraph that it names included."""
    inside = _inner(document, target, "image")
    named = {node.address for node in target.nodes} if target.address.segments else set()
    known = {node.address for node in inside}
    return inside + [node for node in document.find("**/image[*]") if node.address not in known and any(owner in named for owner in node.also)]


@predicate(
    "docx.content_control",
    family=Family.STRUCTURAL,
    formats=_FORMATS,
    examples=(
        Example("filled in", _annotated, {"at": "a.docx", "tag": "status", "value": "open"}, True),
        Example("another value", _annotated, {"at": "a.docx", "tag": "status", "value": "closed"}, FindingCode.MISMATCH),
        Example("replaced by its text", _plain, {"at": "a.docx", "tag": "status", "value": "open"}, FindingCode.MISSING),
    ),
)
def content_control(
    context: Context, *, at: str, tag: str | None = None, value: str | None = None, checked: bool | None = None, count: int | None = None
) -> Iterator[Finding | Evidence]:
    """There is a content control like this, holding this value.

    at: the document, a place in it, or one control.   tag: its tag or title.   value: the text it shows, whole; a control
    that shows its placeholder holds none.   checked: state of a check box.   count: how many such controls.
    """
    target, document = docx_target(context, at)
    missing = where(target, document)
    if missing is not None:
        yield missing
        return
    nodes = [node for node in _inner(document, target, "content_control") if tag is None or tag in {node.facts.get((Aspect.METADATA, "tag")), node.facts.get((Aspect.NAME, "alias"))}]
    if not nodes and count is None:
        yield Finding(FindingCode.MISSING, target.place(), tag or "a content control", None, f"there is no content control {tag!r}")
        return
    right = []
    for node in nodes:
        text = _control_text(document, node)
        state = node.facts.get((Aspect.FORM, "checked"))
        if value is not None and same(value) != text:
            if count is None:
                yield Finding(FindingCode.MISMATCH, target.place(node), value, text, f"the content control holds {text!r}, not {value!r}")
        elif checked is not None and state is not checked:
            if count is None:
                yield Finding(FindingCode.MISMATCH, target.place(node), checked, state, "the check box is in the other state")
        else:
            right.append(node)
            yield Evidence(target.place(node), text[:120])
    if count is not None and len(right) != count:
        yield _count_finding(target, "such content controls", count, len(right))


def _control_text(document: DocxDocument, node: Node) -> str:
    blocks: dict[str, list[str]] = {}
    for span in document.spans():
        if span.visible and "#" not in span.block and (span.address == node.address or span.address.startswith(f"{node.address}/")):
            blocks.setdefault(span.block, []).append(span.text)
    return same("\n".join("".join(texts) for texts in blocks.values()))


_PLACEHOLDERS = (
    r"\{\{[^{}]*\}\}", r"\$\{[^{}]*\}", r"<<[^<>]*>>", r"\[(?:insert|enter|your|to be|tbd|todo|name|date|company)[^\]]*\]", r"\bTBD\b", r"\bTODO\b", r"\bXXX+\b",
    r"lorem ipsum", r"click (?:or tap )?here to enter",
)  # fmt: skip


def _template() -> dict[str, bytes]:
    return {"letter.docx": docx("Dear {{name}},", "the rest is written.")}


@predicate(
    "docx.no_placeholders",
    family=Family.STRUCTURAL,
    formats=_FORMATS,
    examples=(
        Example("all is filled in", _plain, {"at": "a.docx"}, True),
        Example("a name is left", _template, {"at": "letter.docx"}, FindingCode.UNEXPECTED),
    ),
)
def no_placeholders(context: Context, *, at: str, also: Sequence[str] = ()) -> Iterator[Finding | Evidence]:
    """No placeholder is left where a reader sees it: `{{name}}`, `[insert …]`, `TBD`, a control that still shows its prompt.

    also: further texts that count as placeholders.
    """
    target, document = docx_target(context, at)
    missing = where(target, document)
    if missing is not None:
        yield missing
        return
    pattern = re.compile("|".join((*_PLACEHOLDERS, *(re.escape(text) for text in also))), re.IGNORECASE)
    named = {node.address for node in places(target, document)} if target.address.segments else None
    blocks: dict[str, list[str]] = {}
    for span in document.spans():
        inside = named is None or _inside(span.block.partition("#")[0], named)
        if inside and "#" not in span.block and (span.visible or span.hidden_by == "placeholder") and span.role not in {Role.METADATA, Role.NAME, Role.COMMENT}:
            if span.hidden_by == "placeholder":
                yield Finding(FindingCode.UNEXPECTED, target.place(span.address), None, span.text, "a content control still shows its placeholder")
            else:
                blocks.setdefault(span.block, []).append(span.text)
    for block, texts in blocks.items():
        for match in pattern.finditer("".join(texts)):
            yield Finding(FindingCode.UNEXPECTED, target.place(block), None, match.group(), f"the placeholder {match.group()!r} is still there")
    yield Evidence(target.place(), f"{len(blocks)} blocks read")


MARK_PREDICATES: tuple[Predicate, ...] = (revisions, comment, footnote, field, hyperlink, bookmark, image, content_control, no_placeholders)

