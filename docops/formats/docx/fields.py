"""Fields (ISO 29500-1, 17.16): instruction, kind, and whether the stored result is derived."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from lxml import etree

from docops.core.codes import Aspect
from docops.core.node import Value
from docops.formats.docx.names import FALLBACK, VAL, P, W, is_on

FIELD_CHAR = W + "fldChar"
FIELD_CHAR_TYPE = W + "fldCharType"
INSTRUCTION = W + "instrText"
DELETED_INSTRUCTION = W + "delInstrText"

#: Fields whose result a program computes anew from the rest of the document, the clock or the file.
DERIVED = frozenset(
    {
        "TOC", "PAGE", "NUMPAGES", "SECTIONPAGES", "PAGEREF", "REF", "NOTEREF", "STYLEREF", "SEQ", "DATE", "TIME", "SAVEDATE", "PRINTDATE", "CREATEDATE",
        "EDITTIME", "FILENAME", "FILESIZE", "NUMWORDS", "NUMCHARS", "INDEX", "TOA", "SECTION", "REVNUM", "LASTSAVEDBY", "AUTONUM", "AUTONUMLGL",
        "AUTONUMOUT", "LISTNUM", "TEMPLATE", "USERNAME", "USERINITIALS", "XE", "TC", "TA", "RD", "=",
    }
)  # fmt: skip


#: Fields that show nothing, whatever is stored as their result.
RESULTLESS = frozenset({"SET", "ASK", "PRIVATE", "PRINT", "XE", "TC", "TA", "RD", "NEXT", "NEXTIF", "SKIPIF"})


@dataclass(slots=True, eq=False)
class Field:
    """One field.

    instruction: with single spaces.   element: where it begins (`w:fldChar` or `w:fldSimple`).
    form: the `w:ffData` of a legacy form field.   closed: it has an end.   stray: text before its result begins.
    """

    element: etree._Element
    parts: list[str] = field(default_factory=list)
    form: etree._Element | None = None
    locked: bool = False
    dirty: bool = False
    closed: bool = True
    stray: str = ""

    @property
    def instruction(self) -> str:
        """What the field shall show, white space outside quotes made single."""
        return " ".join("".join(self.parts).split())

    @property
    def kind(self) -> str:
        """`PAGE`, `TOC`, … in capitals; `=` for a calculation."""
        words = self.instruction.split(None, 1)
        if not words:
            return ""
        return "=" if words[0].startswith("=") else words[0].upper()

    @property
    def derived(self) -> bool:
        """Whether its result follows from something else."""
        return self.kind in DERIVED


#: The fields open at some place, outermost first, each with whether its result has begun.
Stack = Sequence[tuple[Field, bool]]


@dataclass(slots=True)
class FieldScan:
    """The complex fields of one story.

    fields: beginning `w:fldChar` → field.   open_at: paragraph → the fields that are open where it begins.
    """

    fields: dict[etree._Element, Field]
    open_at: dict[etree._Element, Stack]


def scan_fields(root: etree._Element) -> FieldScan:
    """Find the complex fields of a story and the paragraphs they run through."""
    scan = FieldScan({}, {})
    if next(root.iter(FIELD_CHAR), None) is None:
        return scan
    stack: list[tuple[Field, bool]] = []
    fallbacks = [set(map(id, fallback.iter(FIELD_CHAR, INSTRUCTION))) for fallback in root.iter(FALLBACK)]
    skipped = set().union(*fallbacks) if fallbacks else set()
    for element in root.iter(FIELD_CHAR, INSTRUCTION, DELETED_INSTRUCTION, P):
        if id(element) in skipped:
            continue
        if element.tag == P:
            if stack:
                scan.open_at[element] = tuple(stack)
        elif element.tag == FIELD_CHAR:
            _field_char(element, stack, scan)
        elif stack and not stack[-1][1]:
            stack[-1][0].parts.append(element.text or "")
    for one, _ in stack:
        one.closed = False
    return scan


def _field_char(element: etree._Element, stack: list[tuple[Field, bool]], scan: FieldScan) -> None:
    kind = element.get(FIELD_CHAR_TYPE)
    if kind == "begin":
        field_ = Field(element, form=element.find(W + "ffData"), locked=_flag(element, "fldLock"), dirty=_flag(element, "dirty"))
        scan.fields[element] = field_
        stack.append((field_, False))
    elif kind == "separate" and stack:
        stack[-1] = (stack[-1][0], True)
    elif kind == "end" and stack:
        closed, _ = stack.pop()
        if stack and not stack[-1][1]:
            stack[-1][0].parts.append(f" {{{closed.instruction}}} ")


def _flag(element: etree._Element, name: str) -> bool:
    return (element.get(W + name) or "0") in {"1", "true", "on"}


def simple_field(element: etree._Element) -> Field:
    """The field of a `w:fldSimple`."""
    return Field(element, [element.get(W + "instr") or ""], locked=_flag(element, "fldLock"), dirty=_flag(element, "dirty"))


def form_facts(form: etree._Element) -> dict[tuple[Aspect, str], Value]:
    """What a legacy form field asks and holds."""
    out: dict[tuple[Aspect, str], Value] = {}
    for name, label in (("name", "name"), ("helpText", "help"), ("statusText", "status"), ("entryMacro", "entry macro"), ("exitMacro", "exit macro")):
        element = form.find(W + name)
        if element is not None and element.get(VAL):
            out[Aspect.FORM, label] = element.get(VAL)
    out[Aspect.FORM, "enabled"] = is_on(form.find(W + "enabled")) or form.find(W + "enabled") is None
    if is_on(form.find(W + "calcOnExit")):
        out[Aspect.FORM, "calculate on exit"] = True
    box = form.find(W + "checkBox")
    if box is not None:
        default, checked = box.find(W + "default"), box.find(W + "checked")
        out[Aspect.FORM, "default"] = is_on(default)
        out[Aspect.FORM, "checked"] = is_on(checked if checked is not None else default)
        size = box.find(W + "size")
        if size is not None:
            out[Aspect.FORMAT, "box size"] = size.get(VAL)
    choice = form.find(W + "ddList")
    if choice is not None:
        out[Aspect.FORM, "options"] = [entry.get(VAL) or "" for entry in choice.iterchildren(W + "listEntry")]
        for name, label in (("default", "default"), ("result", "selected")):
            element = choice.find(W + name)
            out[Aspect.FORM, label] = element.get(VAL) if element is not None else "0"
    text = form.find(W + "textInput")
    if text is not None:
        for element in text:
            out[Aspect.FORM, f"text {element.tag.rpartition('}')[2]}"] = element.get(VAL)
    return out


def link_of(field_: Field) -> dict[str, str]:
    """Target, anchor and tooltip that a HYPERLINK field's instruction names."""
    out: dict[str, str] = {}
    words = _words(field_.instruction)[1:]
    at = 0
    while at < len(words):
        word = words[at]
        label = {"\\l": "anchor", "\\o": "tooltip", "\\t": "frame"}.get(word.lower())
        if label is not None and at + 1 < len(words):
            out[label] = words[at + 1]
            at += 1
        elif not word.startswith("\\"):
            out.setdefault("target", word)
        at += 1
    return out


def _words(text: str) -> list[str]:
    words: list[str] = []
    word: list[str] = []
    quoted = False
    at = 0
    while at < len(text):
        char = text[at]
        if char == "\\" and quoted and at + 1 < len(text) and text[at + 1] in '\\"':
            word.append(text[at + 1])
            at += 1
        elif char == '"':
            if quoted:
                words.append("".join(word))
                word = []
            quoted = not quoted
        elif char == " " and not quoted:
            if word:
                words.append("".join(word))
                word = []
        else:
            word.append(char)
        at += 1
    if word:
        words.append("".join(word))
    return words


def instruction_words(field_: Field) -> list[str]:
    """The words of the instruction, quotes removed."""
    return _words(field_.instruction)
