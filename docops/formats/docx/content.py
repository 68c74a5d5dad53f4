"""What one paragraph holds: pieces of text in reading order, fields, links, controls, anchored objects and marks."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from dataclasses import field as member

from lxml import etree

from docops.formats.docx.fields import FIELD_CHAR, FIELD_CHAR_TYPE, Field, FieldScan, Stack, link_of, simple_field
from docops.formats.docx.names import (
    ALTERNATE,
    CHOICE,
    FALLBACK,
    GONE,
    PPR,
    RPR,
    RUN,
    SDT,
    SDT_CONTENT,
    TRACKED,
    TRANSPARENT,
    VOLATILE_ELEMENTS,
    M,
    T,
    W,
)

MATH = frozenset({M + "oMath", M + "oMathPara"})
DRAWN = frozenset({W + "drawing", W + "pict", W + "object", ALTERNATE})
NOTE_MARKS = {W + "footnoteReference": "footnote", W + "endnoteReference": "endnote", W + "commentReference": "comment"}
_MARKS = frozenset(
    {W + name for name in ("bookmarkStart", "bookmarkEnd", "commentRangeStart", "commentRangeEnd", "moveFromRangeStart", "moveFromRangeEnd",
                           "moveToRangeStart", "moveToRangeEnd")}
)  # fmt: skip
_PERMISSIONS = frozenset({W + "permStart", W + "permEnd"})
_OWN_MARKS = {W + "footnoteRef": "own mark", W + "endnoteRef": "own mark"}
_CHARACTERS = {W + "tab": "\t", W + "cr": "\n", W + "noBreakHyphen": "\u2011", W + "softHyphen": "\u00ad", W + "ptab": "\t"}
_BREAKS = {"page": "\f", "column": "\v"}
#: Run content that says where a mark goes and is no text itself.
_SILENT = frozenset(
    {RPR, W + "annotationRef", W + "separator", W + "continuationSeparator", W + "instrText", W + "delInstrText"}
) | VOLATILE_ELEMENTS  # fmt: skip
_UNDERSTOOD = frozenset({"wps", "wpg", "wpc", "wpi", "w14", "w15", "w16", "wp14", "c14", "c16r2", "cx", "cx1", "v2", "a14", "am3d", "aink", "w16se"})


@dataclass(slots=True, eq=False)
class Piece:
    """A stretch of text with one set of run properties.

    fact: it is part of the paragraph's (or control's) text fact.   shown: it is text that is stored (not a stand-in).
    gone: why a reader of the final document does not have it (`deleted`), else "".   code: field instruction.
    """

    text: str
    r_pr: etree._Element | None
    fact: bool = True
    shown: bool = True
    gone: str = ""
    code: bool = False
    control: Control | None = None
    link: Link | None = None
    field: Field | None = None
    equation: Anchored | None = None


@dataclass(slots=True, eq=False)
class Link:
    """A hyperlink: the element, or the field that is one."""

    element: etree._Element | None
    field: Field | None
    offset: int
    pieces: list[Piece] = member(default_factory=list)


@dataclass(slots=True, eq=False)
class Control:
    """An inline content control and the control it stands in."""

    element: etree._Element
    outer: Control | None
    offset: int


@dataclass(slots=True, eq=False)
class Anchored:
    """A drawing, picture, object or equation in a paragraph.

    element: `w:drawing`, `w:pict`, `w:object`, `m:oMath`, ….   alternate: the AlternateContent it is the choice of.
    offset: characters of text before it.   control: the control it stands in.
    """

    element: etree._Element
    alternate: etree._Element | None
    offset: int
    gone: str
    control: Control | None
    r_pr: etree._Element | None


@dataclass(slots=True, eq=False)
class Content:
    """A paragraph's content; see the classes above.

    fields: those that begin here, with the offset.   marks: start and end marks, with the offset.
    note_marks: references to notes and comments, with kind, offset and element.   mark_looks: run properties of note marks.   raw: what is not modelled.
    inside: the derived field whose result this whole paragraph belongs to.
    """

    pieces: list[Piece] = member(default_factory=list)
    fields: list[tuple[Field, int]] = member(default_factory=list)
    links: list[Link] = member(default_factory=list)
    controls: list[Control] = member(default_factory=list)
    anchored: list[Anchored] = member(default_factory=list)
    marks: dict[etree._Element, int] = member(default_factory=dict)
    note_marks: list[tuple[str, int, etree._Element, str]] = member(default_factory=list)
    permissions: list[tuple[etree._Element, int]] = member(default_factory=list)
    wrappers: list[tuple[etree._Element, int, int]] = member(default_factory=list)
    tracked: list[tuple[etree._Element, int, list[Piece]]] = member(default_factory=list)
    raw: list[tuple[etree._Element, int]] = member(default_factory=list)
    mark_looks: list[tuple[str, etree._Element | None]] = member(default_factory=list)
    inside: Field | None = None
    length: int = 0

    def text(self, control: Control | None = None) -> str:
        """The text fact of the paragraph, or of one of its controls."""
        return "".join(piece.text for piece in self.pieces if piece.fact and piece.control is control)

    def visible_text(self) -> str:
        """What is stored and not deleted, field results in, whether or not formatting hides it."""
        return "".join(piece.text for piece in self.pieces if piece.shown and not piece.gone and not piece.code)


def read_content(paragraph: etree._Element, scan: FieldScan) -> Content:
    """Read a paragraph. `scan`: the fields of the story it stands in."""
    return _Reader(paragraph, scan).content


class _Reader:
    def __init__(self, paragraph: etree._Element, scan: FieldScan) -> None:
        self.content = Content()
        self.scan = scan
        opened: Stack = scan.open_at.get(paragraph, ())
        self.stack: list[tuple[Field, bool]] = list(opened)
        self.placeholders: dict[Field, Piece] = {}
        self.gone = ""
        self.control: Control | None = None
        self.link: Link | None = None
        self.link_fields: dict[Field, Link | None] = {}
        if opened:
            self.content.inside = next((one for one, in_result in opened if one.derived and in_result), None)
        self.walk(paragraph)

    def walk(self, parent: etree._Element) -> None:
        for child in parent:
            tag = child.tag
            if tag == RUN:
                self.run(child)
            elif tag == PPR or tag in VOLATILE_ELEMENTS:
                continue
            else:
                self.other(child, tag)

    def other(self, child: etree._Element, tag: str) -> None:
        content = self.content
        if tag in _MARKS:
            content.marks[child] = content.length
        elif tag == W + "hyperlink":
            outer, self.link = self.link, Link(child, None, content.length)
            if not self.gone:
                content.links.append(self.link)
            self.walk(child)
            self.link = outer
        elif tag in TRACKED:
            self.tracked(child, tag)
        elif tag in TRANSPARENT:
            start = content.length
            self.walk(child)
            content.wrappers.append((child, start, content.length))
        elif tag == SDT:
            self.sdt(child)
        elif tag == W + "fldSimple":
            self.simple(child)
        elif tag in MATH:
            self.equation(child, None)
        elif tag == ALTERNATE:
            self.alternate(child, None)
        elif tag in _PERMISSIONS:
            content.permissions.append((child, content.length))
        elif isinstance(tag, str) and local_is_content(child):
            content.raw.append((child, content.length))

    def tracked(self, child: etree._Element, tag: str) -> None:
        content = self.content
        outer = self.gone
        if tag in GONE:
            self.gone = "deleted" if tag == W + "del" else "moved away"
        at, before = content.length, len(content.pieces)
        place = len(content.tracked)
        self.walk(child)
        content.tracked.insert(place, (child, at, content.pieces[before:]))
        self.gone = outer

    def sdt(self, child: etree._Element) -> None:
        content = self.content
        outer = self.control
        self.control = Control(child, outer, content.length)
        if not self.gone:
            self.add(Piece("{control}", None, shown=False, control=outer))
            content.controls.append(self.control)
        inner = child.find(SDT_CONTENT)
        if inner is not None:
            self.walk(inner)
        self.control = outer

    def simple(self, child: etree._Element) -> None:
        one = simple_field(child)
        self.content.pieces.append(Piece(one.parts[0], None, fact=False, gone=self.gone, code=True))
        self.begin(one, None)
        self.stack.append((one, True))
        self.walk(child)
        self.stack.pop()
        self.link = self.link_fields.pop(one, self.link)

    def begin(self, one: Field, r_pr: etree._Element | None) -> None:
        """Note a field that begins, unless it only exists inside another's instruction or derived result."""
        if self.gone or any(not in_result or outer.derived for outer, in_result in self.stack):
            return
        if one.kind == "HYPERLINK":
            self.link_fields[one] = self.link
            self.link = Link(None, one, self.content.length)
            self.content.links.append(self.link)
            return
        self.content.fields.append((one, self.content.length))
        if one.derived:
            self.placeholders[one] = self.add(Piece(f"{{{one.kind}}}", r_pr, shown=False, field=one))

    def run(self, run: etree._Element) -> None:
        r_pr: etree._Element | None = None
        for child in run:
            tag = child.tag
            if tag == T:
                text = stored_text(child)
                if text:
                    self.text(text, r_pr)
            elif tag == RPR:
                r_pr = child
            elif tag in _SILENT:
                if tag in {W + "instrText", W + "delInstrText"} and child.text:
                    self.content.pieces.append(Piece(child.text, r_pr, fact=False, gone=self.gone, code=True))
            else:
                self.run_child(child, tag, r_pr)

    def run_child(self, child: etree._Element, tag: str, r_pr: etree._Element | None) -> None:
        content = self.content
        if tag == W + "delText":
            text = stored_text(child)
            if text:
                self.text(text, r_pr)
        elif tag in _CHARACTERS:
            self.text(_CHARACTERS[tag], r_pr)
            if tag == W + "ptab":
                content.raw.append((child, content.length))
        elif tag == W + "br":
            self.text(_BREAKS.get(child.get(W + "type") or "", "\n"), r_pr)
            if child.get(W + "clear") not in {None, "none"}:
                content.raw.append((child, content.length))
        elif tag == W + "sym":
            self.text(_symbol(child), r_pr)
            content.raw.append((child, content.length))
        elif tag == FIELD_CHAR:
            self.field_char(child, r_pr)
        elif tag in NOTE_MARKS:
            content.note_marks.append((NOTE_MARKS[tag], content.length, child, self.gone))
            content.mark_looks.append((NOTE_MARKS[tag], r_pr))
        elif tag in _OWN_MARKS:
            content.mark_looks.append((_OWN_MARKS[tag], r_pr))
        elif tag == ALTERNATE:
            self.alternate(child, r_pr)
        elif tag in DRAWN:
            content.anchored.append(Anchored(child, None, content.length, self.gone, self.control, r_pr))
        elif tag == W + "ruby":
            base = child.find(W + "rubyBase")
            if base is not None:
                self.walk(base)
            content.raw.append((child, content.length))
        elif isinstance(tag, str):
            content.raw.append((child, content.length))

    def field_char(self, child: etree._Element, r_pr: etree._Element | None) -> None:
        kind = child.get(FIELD_CHAR_TYPE)
        if kind == "begin":
            one = self.scan.fields.get(child)
            if one is not None:
                self.begin(one, r_pr)
                self.stack.append((one, False))
        elif kind == "separate" and self.stack:
            self.stack[-1] = (self.stack[-1][0], True)
        elif kind == "end" and self.stack:
            closed, _ = self.stack.pop()
            self.link = self.link_fields.pop(closed, self.link)

    def text(self, text: str, r_pr: etree._Element | None) -> None:
        piece = Piece(text, r_pr, gone=self.gone, control=self.control, link=self.link)
        if self.gone:
            piece.fact = False
        elif self.stack:
            for one, in_result in self.stack:
                if not in_result:
                    piece.fact, piece.code = False, True
                    one.stray += text
                    break
                if one.derived:
                    piece.fact, piece.field = False, one
                    stand_in = self.placeholders.pop(one, None)
                    if stand_in is not None:
                        stand_in.r_pr = r_pr
                    break
                if piece.field is None:
                    piece.field = one
        self.add(piece)

    def add(self, piece: Piece) -> Piece:
        self.content.pieces.append(piece)
        if piece.fact and piece.control is None:
            self.content.length += len(piece.text)
        if self.link is not None:
            self.link.pieces.append(piece)
        return piece

    def equation(self, child: etree._Element, r_pr: etree._Element | None) -> None:
        one = Anchored(child, None, self.content.length, self.gone, self.control, r_pr)
        self.content.anchored.append(one)
        text = equation_text(child)
        if text:
            self.content.pieces.append(Piece(text, r_pr, fact=False, gone=self.gone, equation=one))

    def alternate(self, child: etree._Element, r_pr: etree._Element | None) -> None:
        branch = chosen_branch(child)
        drawn = next((one for one in branch if one.tag in DRAWN), None) if branch is not None else None
        if drawn is not None:
            self.content.anchored.append(Anchored(drawn, child, self.content.length, self.gone, self.control, r_pr))
            return
        self.content.raw.append((child, self.content.length))
        for one in branch if branch is not None else ():
            if one.tag == T:
                self.text(stored_text(one), r_pr)
            elif one.tag in MATH:
                self.equation(one, r_pr)
            elif one.tag == RUN:
                self.run(one)
            else:
                self.run_child(one, one.tag, r_pr)


_SPACE = "{http://www.w3.org/XML/1998/namespace}space"
_BLANKS = " \t\r\n"


def stored_text(element: etree._Element) -> str:
    """The text of a `w:t` as programs read it: blanks at its ends count only where `xml:space` says so."""
    text = element.text or ""
    if not text or (text[0] not in _BLANKS and text[-1] not in _BLANKS) or element.get(_SPACE) == "preserve":
        return text
    for ancestor in element.iterancestors():
        if ancestor.get(_SPACE) is not None:
            return text if ancestor.get(_SPACE) == "preserve" and element.get(_SPACE) is None else text.strip(_BLANKS)
    return text.strip(_BLANKS)


def local_is_content(element: etree._Element) -> bool:
    """Whether an element that is not modelled can mean anything (range marks of tracked custom XML do not)."""
    return not element.tag.rpartition("}")[2].startswith("customXml")


def chosen_branch(alternate: etree._Element) -> etree._Element | None:
    """The branch of an AlternateContent that a current program shows."""
    for choice in alternate.iterchildren(CHOICE):
        if set((choice.get("Requires") or "").split()) <= _UNDERSTOOD:
            return choice
    return alternate.find(FALLBACK)


def _symbol(element: etree._Element) -> str:
    try:
        code = int(element.get(W + "char") or "", 16)
        return chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd"
    except ValueError:
        return "\ufffd"


_MATH_SCRIPTS = {"sup": "^", "sub": "_"}


def equation_text(element: etree._Element, without: Collection[etree._Element] = ()) -> str:
    """A linear reading of an equation: `E=mc^2`, `(a)/(b)`, `√(x)`; without: elements that are left out."""
    tag = element.tag
    if not isinstance(tag, str) or element in without:
        return ""
    if tag == M + "t" or tag == T:
        return element.text or ""
    name = tag.rpartition("}")[2]
    if name.endswith("Pr"):
        char = element.find(M + "chr")
        return (char.get(M + "val") or "") if char is not None and name == "naryPr" else ""
    if name == "f":
        numerator, denominator = element.find(M + "num"), element.find(M + "den")
        above = equation_text(numerator, without) if numerator is not None else ""
        below = equation_text(denominator, without) if denominator is not None else ""
        return f"({above})/({below})"
    inner = "".join(equation_text(child, without) for child in element)
    if name in _MATH_SCRIPTS:
        return f"{_MATH_SCRIPTS[name]}{inner}" if len(inner) == 1 else f"{_MATH_SCRIPTS[name]}({inner})" if inner else ""
    return f"√({inner})" if name == "rad" else f"({inner})" if name == "d" else inner


def link_facts(link: Link, target: str | None) -> dict[str, str]:
    """Target, anchor and tooltip of a link; target: what the element's relationship points at."""
    if link.field is not None:
        return link_of(link.field)
    element = link.element
    out = {"target": target} if target else {}
    if element is not None:
        for name, label in (("anchor", "anchor"), ("tooltip", "tooltip"), ("tgtFrame", "frame"), ("docLocation", "location")):
            value = element.get(W + name)
            if value:
                out[label] = value
    return out


