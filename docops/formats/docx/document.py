"""A docx as a tree of facts: body, headers and footers, notes, comments, tracked changes, styles, settings, the rest."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from lxml import etree

from docops.core.address import Segment
from docops.core.canonical import sha256
from docops.core.codes import Aspect, FindingCode
from docops.core.document import Coverage, DocumentBase
from docops.core.errors import Unreadable
from docops.core.limits import DEFAULT_LIMITS, Limits
from docops.core.node import Align, Node, Value, root_node
from docops.core.spans import Role, TextSpan
from docops.formats.docx import anchors, settings
from docops.formats.docx.blocks import blocks_of, container_lookup
from docops.formats.docx.names import ID, RULES, VAL, W14, P, R, W, is_on, local
from docops.formats.docx.story import Shared, Story, paragraph_of
from docops.formats.docx.styles import TableLook
from docops.formats.ooxml.common import expect_main, leftover_nodes, property_nodes, theme_node
from docops.formats.ooxml.package import Package, Part, open_package

Facts = dict[tuple[Aspect, str], Value]

#: Name of the fact of a section's page set-up that tells which headers and footers it does not inherit.
OWN_HEADERS = "headers of its own"

_SEPARATORS = frozenset({"separator", "continuationSeparator", "continuationNotice"})
_NOTE_KINDS = (("footnote", "footnotes", Role.FOOTNOTE), ("endnote", "endnotes", Role.ENDNOTE))
#: Parts that hold only ids that tie comments together.
_COMMENT_IDS = ("commentsIds", "commentsExtensible", "commentsExtended")


class DocxDocument(DocumentBase):
    """An opened docx, dotx, docm or dotm."""

    format = "docx"

    def __init__(self, data: bytes, limits: Limits = DEFAULT_LIMITS) -> None:
        self.data = data
        self.package: Package = open_package(data, limits)
        expect_main(self.package, "docx")
        self.shared = Shared(self.package)
        root = self.shared.main.xml
        body = root.find(W + "body")
        if body is None:
            raise Unreadable(FindingCode.ARTIFACT_UNREADABLE, "the main part holds no body", self.shared.main.name)
        self.body = Story(self.shared, self.shared.main, body, Role.BODY)
        #: Address of a bookmark, comment, note or revision → addresses of the paragraphs it is anchored in.
        self.anchors: dict[str, Callable[[], tuple[str, ...]]] = {}
        #: Address of a story's container → the story.
        self.stories: dict[str, Story] = {}

    # -- tree -----------------------------------------------------------------------------------

    @cached_property
    def _root(self) -> Node:
        return root_node(self._top, lookup=self._lookup, fingerprint=sha256(self.data))

    @property
    def root(self) -> Node:
        """The document's state as a tree."""
        return self._root

    def _top(self) -> list[Node]:
        headers = self._header_nodes
        notes = self._note_nodes
        comments = self._comment_nodes
        stories = self._text_stories
        theme = theme_node(self.package, self.shared.theme_part)
        return [
            self._body_node,
            *headers,
            *notes,
            *comments,
            *self._revision_nodes(stories),
            *anchors.bookmark_nodes(stories, self.anchors),
            *settings.style_nodes(self.shared, self._style_users),
            *settings.list_nodes(self.shared, self._list_users),
            *self._setting_nodes(),
            *([theme] if theme is not None else []),
            *property_nodes(self.package),
            *leftover_nodes(self.package, self._modelled, RULES),
        ]

    @cached_property
    def _body_node(self) -> Node:
        story = self.body
        main = self.shared.main

        def facts() -> Facts:
            out: Facts = {}
            for child in main.xml:
                if child.tag != W + "body" and isinstance(child.tag, str):
                    if child.tag == W + "background" and len(child) == 0:
                        out[Aspect.FORMAT, "background"] = self.shared.styles.colour(child, "color")
                    else:
                        out[Aspect.RAW, local(child)] = story.canonical(child)
            for child in story.root:
                if child.tag in {W + "permStart", W + "permEnd"}:
                    out[Aspect.PROTECTION, f"{local(child)} between blocks"] = story.canonical(child)
            return out

        node = Node(None, "body", facts=facts, align=Align.KEY, fingerprint=self._body_fingerprint())
        node._children = lambda: [*blocks_of(node, story, story.root), *self._page_nodes(node)]
        node.lookup = container_lookup(node, story)
        self.stories["body"] = story
        return node

    def _body_fingerprint(self) -> str:
        hasher = hashlib.blake2b(self.body.base_digest, digest_size=16)
        hasher.update(self.shared.main.digest.encode())
        return hasher.hexdigest()

    def _page_nodes(self, body: Node) -> list[Node]:
        main = self.shared.main
        out = []
        for index, section in enumerate(settings.section_properties(self.body.root), 1):
            paragraph = paragraph_of(section)
            ends = self.body.addresses.get(paragraph) if paragraph is not None else None
            node = Node(body, "page_setup", number=index, label=f"section {index}", also=(ends,) if ends is not None else ())
            own = [f"{kind} {variant}" for (kind, at, variant), (_, owner) in self._shown_headers.items() if at == index == owner]
            node._facts = _page_facts(self.shared, section, main, sorted(own))
            out.append(node)
        return out

    @cached_property
    def _shown_headers(self) -> dict[tuple[str, int, str], tuple[Part, int]]:
        """(header or footer, section, type) → its part and the section whose it is, inherited ones included."""
        out: dict[tuple[str, int, str], tuple[Part, int]] = {}
        for index, section in enumerate(settings.section_properties(self.body.root), 1):
            for kind in ("header", "footer"):
                for reference in section.iterchildren(f"{W}{kind}Reference"):
                    part = self.shared.main.target(reference.get(R + "id"))
                    if part is not None and part.is_xml:
                        variant = reference.get(W + "type") or "default"
                        inherited = out.get((kind, index - 1, variant))
                        # A section that repeats what it would inherit shows the same; some programs write it out.
                        same = inherited is not None and self._same_header(kind, inherited[0], part)
                        out[kind, index, variant] = inherited if inherited is not None and same else (part, index)
                for variant in ("default", "first", "even"):
                    if (kind, index, variant) not in out and (kind, index - 1, variant) in out:
                        out[kind, index, variant] = out[kind, index - 1, variant]
        return out

    def _same_header(self, kind: str, one: Part, other: Part) -> bool:
        """Whether two header (or footer) parts show the same."""
        if one is other or (one.digest == other.digest and not one.relationships and not other.relationships):
            return True
        digests = []
        for part in (one, other):
            story = Story(self.shared, part, part.xml, Role.HEADER)
            node = Node(None, kind)
            node._children = blocks_of(node, story, story.root)
            digests.append(node.digest)
        return digests[0] == digests[1]

    @cached_property
    def _header_nodes(self) -> list[Node]:
        out = []
        for (kind, index, variant), (part, owner) in self._shown_headers.items():
            if owner != index:
                continue
            role = Role.HEADER if kind == "header" else Role.FOOTER
            story = Story(self.shared, part, part.xml, role, self._why_unseen(kind, index, variant))
            print_ = f"{story.base_digest.hex()} {part.digest} {variant}"
            node = self._story_node(kind, story, name=f"{index},{variant}", facts=_header_facts(variant), fingerprint=print_)
            node.label = f"{kind} {variant}\n" + "".join(text.text or "" for text in part.xml.iter(W + "t"))[:500]
            out.append(node)
        return out

    def _why_unseen(self, kind: str, owner: int, variant: str) -> str:
        """Why a header is on no page, else ""."""
        if variant == "even":
            part = self.shared.settings_part
            switch = part.xml.find(W + "evenAndOddHeaders") if part is not None else None
            return "" if is_on(switch) else "no even pages differ"
        if variant == "first":
            for index, section in enumerate(settings.section_properties(self.body.root), 1):
                shown = self._shown_headers.get((kind, index, variant))
                if shown is not None and shown[1] == owner and is_on(section.find(W + "titlePg")):
                    return ""
            return "no first page differs"
        return ""

    def _story_node(
        self, kind: str, story: Story, *, number: int | None = None, name: str | None = None, facts: Callable[[], Facts] | None = None, fingerprint: str | None = None
    ) -> Node:
        node = Node(None, kind, number=number, name=name, facts=facts, fingerprint=fingerprint)
        node._children = lambda: blocks_of(node, story, story.root)
        node.lookup = container_lookup(node, story)
        self.stories[node.address] = story
        return node

    # -- notes and comments -------------------------------------------------------------------------

    def _related(self, kind: str) -> Part | None:
        return next((part for part in self.shared.main.related(kind) if part.is_xml), None)

    @cached_property
    def _header_stories(self) -> list[Story]:
        return [self.stories[node.address] for node in self._header_nodes]

    @cached_property
    def _note_nodes(self) -> list[Node]:
        out = []
        for kind, relation, role in _NOTE_KINDS:
            part = self._related(relation)
            if part is None:
                continue
            elements = {note.get(ID) or "": note for note in part.xml.iterchildren(W + kind) if note.get(W + "type") not in _SEPARATORS}
            found = anchors.references([self.body, *self._header_stories], f"{W}{kind}Reference", elements)
            for number, reference in enumerate(found, 1):
                story = Story(self.shared, part, reference.element, role, "" if reference.mark is not None else "nothing refers to it")
                node = self._story_node(kind, story, number=number, facts=_note_facts(reference))
                self._anchor(node, reference)
                out.append(node)
        return out

    def _anchor(self, node: Node, reference: anchors.Reference) -> None:
        if reference.mark is not None:
            self.anchors[node.address] = lambda: _addresses(anchors.note_facts(reference)[1])

    @cached_property
    def _text_stories(self) -> list[Story]:
        """The stories that readers read, the body first; comments left out."""
        return [self.body, *self._header_stories, *(self.stories[node.address] for node in self._note_nodes)]

    @cached_property
    def _comment_nodes(self) -> list[Node]:
        part = self._related("comments")
        if part is None:
            return []
        elements = {comment.get(ID) or "": comment for comment in part.xml.iterchildren(W + "comment")}
        found = anchors.references(self._text_stories, W + "commentReference", elements)
        starts: dict[str, tuple[Story, etree._Element]] = {}
        ends: dict[str, etree._Element] = {}
        for story in self._text_stories:
            for element in story.root.iter(W + "commentRangeStart", W + "commentRangeEnd"):
                if element.tag == W + "commentRangeStart":
                    starts.setdefault(element.get(ID) or "", (story, element))
                else:
                    ends.setdefault(element.get(ID) or "", element)
        threads = self._threads
        out: list[Node] = []
        for number, reference in enumerate(found, 1):
            comment = reference.element
            story = Story(self.shared, part, comment, Role.COMMENT, "" if reference.mark is not None else "nothing refers to it")
            key = comment.get(ID) or ""
            start = starts.get(key)
            node = self._story_node("comment", story, number=number, facts=_comment_facts(reference, start, ends.get(key), threads))
            node.label = "".join(text.text or "" for text in comment.iter(W + "t"))[:500]
            if start is not None:
                self.anchors[node.address] = _range_addresses(start, ends.get(key))
            else:
                self._anchor(node, reference)
            out.append(node)
        return out

    @cached_property
    def _threads(self) -> dict[str, tuple[bool, str]]:
        """paraId of a comment's last paragraph → whether it is resolved, and the text of the comment it answers."""
        part = self._related("commentsExtended")
        comments = self._related("comments")
        if part is None or comments is None:
            return {}
        texts = {anchors_para_id(comment): "".join(text.text or "" for text in comment.iter(W + "t")) for comment in comments.xml.iterchildren(W + "comment")}
        out = {}
        for entry in part.xml.iterchildren("{*}commentEx"):
            # The first Word with threads wrote another namespace than the one that was published.
            said = {str(name).rpartition("}")[2]: str(value) for name, value in entry.attrib.items()}
            parent = said.get("paraIdParent")
            out[said.get("paraId", "")] = (said.get("done") in {"1", "true", "on"}, texts.get(parent, "missing") if parent else "")
        return out

    def _revision_nodes(self, stories: Sequence[Story]) -> list[Node]:
        out: list[Node] = []
        for story in stories:
            for one in anchors.revisions(story):
                address = f"revision[{len(out) + 1}]"
                self._place_all()
                node = Node(
                    None,
                    "revision",
                    number=len(out) + 1,
                    facts=_revision_facts(one),
                    label=f"{one.kind} {one.author} {one.text}",
                    also=one.anchor.addresses(),
                )
                self.anchors[address] = one.anchor.addresses
                out.append(node)
        return out

    def _place_all(self) -> None:
        """Make every paragraph of every story known by its address."""
        if not self._placed:
            self._placed.append(True)
            stack = [self._body_node, *self._header_nodes, *self._note_nodes, *self._comment_nodes]
            while stack:
                # Making a container's children notes the places of its paragraphs; what is inside a paragraph is not needed.
                stack += [child for child in stack.pop().children if child.kind != "paragraph"]

    @cached_property
    def _placed(self) -> list[bool]:
        return []

    def read_stories(self) -> list[Story]:
        """Every story that holds text."""
        _ = self.root.children
        return list(self.stories.values())

    def placed_stories(self) -> list[Story]:
        """Every story that holds text, with the places of its paragraphs known."""
        _ = self.root.children
        self._place_all()
        return list(self.stories.values())

    def anchored_in(self, address: str) -> tuple[str, ...]:
        """Addresses of the paragraphs that a bookmark, comment, note or revision is anchored in."""
        found = self.anchors.get(address)
        if found is None:
            return ()
        self._place_all()
        return found()

    def cell_look(self, address: str) -> TableLook | None:
        """What the style of its table gives to the cell at an address; None where it gives nothing."""
        story = self.stories.get(address.partition("/")[0])
        cell = story.cells.get(address) if story is not None else None
        found = story.table_looks.cell(cell) if story is not None and cell is not None else None
        return found.look if found is not None else None

    # -- the rest -------------------------------------------------------------------------------------

    def _setting_nodes(self) -> list[Node]:
        out = settings.setting_nodes(self.shared)
        for kind, relation, _ in _NOTE_KINDS:
            part = self._related(relation)
            for note in part.xml.iterchildren(W + kind) if part is not None else ():
                variant = note.get(W + "type")
                if variant in _SEPARATORS and not _is_plain_separator(note):
                    text = self.shared.canonical.element(note, part, skip_attributes=frozenset({ID}))  # type: ignore[arg-type]
                    out.append(Node(None, "setting", name=f"{kind} {variant}", facts={(Aspect.LAYOUT, "value"): text}, align=Align.KEY))
        return out

    @cached_property
    def _modelled(self) -> set[str]:
        names = {self.shared.main.name}
        for part in (self.shared.styles_part, self.shared.numbering_part, self.shared.settings_part, self.shared.theme_part):
            if part is not None:
                names.add(part.name)
        for kind in ("footnotes", "endnotes", "comments", *_COMMENT_IDS):
            names.update(part.name for part in self.shared.main.related(kind))
        for section in settings.section_properties(self.body.root):
            for reference in section.iterchildren(W + "headerReference", W + "footerReference"):
                part = self.shared.main.target(reference.get(R + "id"))
                if part is not None:
                    names.add(part.name)
        return names

    def _style_users(self, style_id: str) -> Callable[[], frozenset[str]]:
        return lambda: self._users[0].get(style_id, frozenset())

    def _list_users(self, abstract_id: str) -> Callable[[], frozenset[str]]:
        return lambda: self._users[1].get(abstract_id, frozenset())

    @cached_property
    def _users(self) -> tuple[dict[str, frozenset[str]], dict[str, frozenset[str]]]:
        """Style id → places that use it; list definition id → paragraphs in such a list."""
        self._place_all()
        styles: dict[str, set[str]] = {}
        lists: dict[str, set[str]] = {}
        by_id = self.shared.styles.by_id
        for story in {id(story): story for story in self.stories.values()}.values():
            for paragraph, address in story.addresses.items():
                style = story.style_of(paragraph)
                used = {style.id} if style is not None else set()
                used |= {element.get(VAL) or "" for element in paragraph.iter(W + "rStyle")}
                num_id, _ = story.list_of(paragraph, style)
                abstract = self.shared.numbering.abstract(num_id) if num_id is not None else None
                if abstract is not None:
                    lists.setdefault(abstract.get(W + "abstractNumId") or "", set()).add(address)
                for style_id in used:
                    for one in self.shared.styles.chain(by_id.get(style_id)):
                        styles.setdefault(one.id, set()).add(address)
                        link = one.element.find(W + "link")
                        if link is not None:
                            styles.setdefault(link.get(VAL) or "", set()).add(address)
            for address, table in story.tables.items():
                reference = table.find(f"{W}tblPr/{W}tblStyle")
                for one in self.shared.styles.chain(by_id.get((reference.get(VAL) or "") if reference is not None else "")):
                    styles.setdefault(one.id, set()).add(address)
        return {key: frozenset(places) for key, places in styles.items()}, {key: frozenset(places) for key, places in lists.items()}

    def _lookup(self, segment: Segment) -> Sequence[Node] | None:
        if segment.kind in {"header", "footer"} and segment.name is not None:
            number, _, variant = segment.name.partition(",")
            shown = self._shown_headers.get((segment.kind, int(number), variant.strip())) if number.strip().isdigit() else None
            wanted = f"{shown[1]},{variant.strip()}" if shown is not None else segment.name
            return [node for node in self._header_nodes if node.kind == segment.kind and node.name == wanted]
        if segment.kind in {"header", "footer"} and segment.number is not None:
            last = segment.last or segment.number
            return [
                node for node in self._header_nodes
                if node.kind == segment.kind and segment.number <= int((node.name or "0").partition(",")[0]) <= last
            ]  # fmt: skip
        if segment.kind == "style" and segment.name is not None:
            found = self.styles_named(segment.name)
            return found[segment.ordinal - 1 : segment.ordinal] if segment.ordinal is not None else found
        return [self._body_node] if segment.kind == "body" else None

    def styles_named(self, name: str) -> list[Node]:
        """The styles of a name; failing that, of that name in another case or of that id."""
        own = [node for node in self.root.children if node.kind == "style"]
        style = self.shared.styles.by_id.get(name)
        found = [node for node in own if node.name == name]
        return found or [node for node in own if (node.name or "").lower() == name.lower() or (style is not None and node.name == style.name)]

    # -- other views ------------------------------------------------------------------------------------

    @cached_property
    def native(self) -> Any:
        """The document as python-docx reads it.

        Raises Unreadable where python-docx cannot open it.
        """
        import io

        import docx

        try:
            return docx.Document(io.BytesIO(self.data))
        except Exception as error:
            raise Unreadable(FindingCode.ARTIFACT_UNREADABLE, f"python-docx cannot open it: {type(error).__name__}: {error}") from error

    def spans(self) -> Sequence[TextSpan]:
        """Every stored text, in reading order."""
        return self._spans

    @cached_property
    def _spans(self) -> Sequence[TextSpan]:
        from docops.formats.docx.spans import document_spans

        return tuple(document_spans(self))

    @cached_property
    def span_index(self) -> dict[str, list[TextSpan]]:
        """Address of a place → the spans of text whose block it is or holds."""
        out: dict[str, list[TextSpan]] = {}
        for span in self._spans:
            place = span.block.partition("#")[0]
            while place:
                out.setdefault(place, []).append(span)
                place = place.rpartition("/")[0]
        return out

    def coverage(self) -> Sequence[Coverage]:
        """What share of each part is modelled, raw and volatile."""
        from docops.formats.docx.coverage import coverage

        return coverage(self)


def open_docx(data: bytes) -> DocxDocument:
    """Open the bytes of a docx. Raises Unreadable for everything that is none or breaks a limit."""
    return DocxDocument(data)


def anchors_para_id(comment: etree._Element) -> str:
    """The paraId of a comment's last paragraph, by which threads refer to it."""
    paragraphs = list(comment.iterchildren(P))
    return (paragraphs[-1].get(W14 + "paraId") or "") if paragraphs else ""


def _addresses(anchor: anchors.Anchor | None) -> tuple[str, ...]:
    return anchor.addresses() if anchor is not None else ()


def _range_addresses(start: tuple[Story, etree._Element], end: etree._Element | None) -> Callable[[], tuple[str, ...]]:
    def places() -> tuple[str, ...]:
        return anchors.range_facts(start[0], Aspect.COMMENT, start[1], end)[1].addresses()

    return places


def _page_facts(shared: Shared, section: etree._Element, main: Part, own: list[str]) -> Callable[[], Facts]:
    def facts() -> Facts:
        out = settings.page_facts(shared, section, main)
        if own:
            out[Aspect.LAYOUT, OWN_HEADERS] = list(own)
        return out

    return facts


def _header_facts(variant: str) -> Callable[[], Facts]:
    return lambda: {(Aspect.STRUCTURE, "pages"): variant}


def _note_facts(reference: anchors.Reference) -> Callable[[], Facts]:
    def facts() -> Facts:
        out, _ = anchors.note_facts(reference)
        kind = reference.element.get(W + "type")
        if kind not in {None, "normal"}:
            out[Aspect.NOTE, "type"] = kind
        return out

    return facts


def _comment_facts(
    reference: anchors.Reference, start: tuple[Story, etree._Element] | None, end: etree._Element | None, threads: dict[str, tuple[bool, str]]
) -> Callable[[], Facts]:
    def facts() -> Facts:
        comment = reference.element
        out: Facts = {}
        for name in ("author", "initials", "date"):
            value = comment.get(W + name)
            if value:
                out[Aspect.COMMENT, name] = value
        if start is not None:
            out.update(anchors.range_facts(start[0], Aspect.COMMENT, start[1], end)[0])
        else:
            out.update({(Aspect.COMMENT, name): value for (_, name), value in anchors.note_facts(reference)[0].items()})
        if reference.mark is None:
            out[Aspect.COMMENT, "mark"] = "missing"
        done, parent = threads.get(anchors_para_id(comment), (False, ""))
        if done:
            out[Aspect.COMMENT, "resolved"] = True
        if parent:
            out[Aspect.COMMENT, "answers"] = parent
        return out

    return facts


def _revision_facts(one: anchors.Revision) -> Callable[[], Facts]:
    return lambda: anchors.revision_facts(one)


def _is_plain_separator(note: etree._Element) -> bool:
    """Whether a note separator is the usual line: one paragraph with nothing but the separator mark."""
    content = [local(child) for run in note.iter(W + "r") for child in run if local(child) not in {"rPr", "lastRenderedPageBreak"}]
    paragraphs = list(note.iter(P))
    return len(paragraphs) <= 1 and content in (["separator"], ["continuationSeparator"])


