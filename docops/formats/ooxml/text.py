"""DrawingML text: paragraphs and runs with their effective formatting, whatever styles, lists and themes it comes from.

    reader = TextReader(markup, fonts)              # of one part: its colours, theme fonts and links
    levels = reader.list_style(element, part)       # an `a:lstStyle` (or text style, or default text style) by level
    cascade = Cascade([nearest, …, farthest])       # of such
    reader.paragraph(element, part, cascade)        # text, runs merged by equal formatting, links, fields
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from lxml import etree

from docops.core.node import Value
from docops.formats.ooxml.drawing import A
from docops.formats.ooxml.markup import Markup, boolean, shown_branch
from docops.formats.ooxml.package import Part

Properties = dict[str, Value]

MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
A14 = "{http://schemas.microsoft.com/office/drawing/2010/main}"
M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"

_PPR, _RPR, _T = A + "pPr", A + "rPr", A + "t"

#: Text of a break in a paragraph.
LINE_BREAK = "\n"

_RUN_ATTRIBUTES = {
    "sz": "size",
    "b": "bold",
    "i": "italic",
    "u": "underline",
    "strike": "strike",
    "kern": "kerning",
    "cap": "caps",
    "spc": "spacing",
    "normalizeH": "normalised_height",
    "baseline": "baseline",
    "noProof": "no_proof",
    "lang": "language",
    "altLang": "alternative_language",
    "kumimoji": "kumimoji",
}
_RUN_BOOLEANS = frozenset({"b", "i", "normalizeH", "noProof", "kumimoji"})
_RUN_VOLATILE = frozenset({"dirty", "err", "smtClean", "smtId", "bmk"})
_RUN_DEFAULTS: Mapping[str, Value] = {
    "bold": False,
    "italic": False,
    "underline": "none",
    "strike": "noStrike",
    "caps": "none",
    "spacing": 0,
    "kerning": 0,
    "baseline": "0%",
    "normalised_height": False,
    "no_proof": False,
    "kumimoji": False,
    "effects": "",
    "outline": "none",
    "right_to_left": "",
    "font_east_asian": "",
    "font_complex": "",
    "font_symbol": "",
}
#: What applies where nothing says otherwise.
_RUN_FALLBACK: Mapping[str, Value] = {"size": 18, "colour": "text"}

_FONTS = {"latin": "font", "ea": "font_east_asian", "cs": "font_complex", "sym": "font_symbol"}
FILLS = frozenset({"noFill", "solidFill", "gradFill", "blipFill", "pattFill", "grpFill"})
_LINKS = {"hlinkClick": "click", "hlinkMouseOver": "hover", "hlinkHover": "hover"}

_PARAGRAPH_ATTRIBUTES = {
    "marL": "margin_left",
    "marR": "margin_right",
    "indent": "indent",
    "algn": "alignment",
    "defTabSz": "default_tab",
    "rtl": "right_to_left",
    "eaLnBrk": "east_asian_break",
    "fontAlgn": "font_alignment",
    "latinLnBrk": "latin_break",
    "hangingPunct": "hanging_punctuation",
}
_PARAGRAPH_BOOLEANS = frozenset({"rtl", "eaLnBrk", "latinLnBrk", "hangingPunct"})
_PARAGRAPH_DEFAULTS: Mapping[str, Value] = {
    "margin_left": 0,
    "margin_right": 0,
    "indent": 0,
    "alignment": "l",
    "default_tab": 914400,
    "right_to_left": False,
    "east_asian_break": True,
    "font_alignment": "auto",
    "latin_break": False,
    "hanging_punctuation": False,
    "line_spacing": "100%",
    "space_before": "0pt",
    "space_after": "0pt",
    "bullet": "none",
    "bullet_colour": "text",
    "bullet_size": "text",
    "bullet_font": "text",
    "tabs": "",
}
_SPACINGS = {"lnSpc": "line_spacing", "spcBef": "space_before", "spcAft": "space_after"}

_LEVEL = re.compile(r"lvl([1-9])pPr")

#: A date has a weekday and a month in words, and hardly a third one.
_WORD, _DATE_WORDS = re.compile(r"[^\W\d_]{3,}"), 2


@dataclass(frozen=True, slots=True)
class Level:
    """Paragraph and run properties of one level of a list style."""

    paragraph: Properties
    run: Properties


@dataclass(frozen=True, slots=True)
class Run:
    """Text of equal effective formatting.

    text: as compared (fields by their kind).   shown: as read.   properties: effective, defaults left out.
    """

    text: str
    shown: str
    properties: Properties


@dataclass(slots=True)
class Paragraph:
    """One paragraph.

    text: as compared: fields of known kinds by their kind.   shown: as a reader sees it.
    properties: effective paragraph formatting.   links: [text, click or hover, target] of linked text.
    fields: kinds of its fields.   empty_size: size of an empty paragraph.   raw: what is not modelled, in canonical form.
    """

    text: str
    shown: str
    level: int
    properties: Properties
    runs: list[Run]
    links: list[Value] = field(default_factory=list)
    fields: list[Value] = field(default_factory=list)
    empty_size: Value = None
    raw: str = ""


@dataclass(frozen=True, slots=True)
class Inherited:
    """What a level of a cascade comes to; the plain ones with defaults left out."""

    paragraph: Properties
    run: Properties
    plain_paragraph: Properties
    plain_run: Properties


class Cascade:
    """List styles from the nearest to the farthest, merged by level when asked for."""

    def __init__(self, sources: Sequence[Mapping[int, Level]]) -> None:
        self._sources = sources
        self._levels: dict[int, Inherited] = {}

    def level(self, number: int) -> Inherited:
        """What a level inherits; 0 is the outermost."""
        found = self._levels.get(number)
        if found is None:
            paragraph: Properties = {}
            run: Properties = dict(_RUN_FALLBACK)
            for source in reversed(self._sources):
                for at in (-1, number):
                    part = source.get(at)
                    if part is not None:
                        paragraph.update(part.paragraph)
                        run.update(part.run)
            plain = _without(paragraph, _PARAGRAPH_DEFAULTS), _without(run, _RUN_DEFAULTS)
            found = self._levels[number] = Inherited(paragraph, run, *plain)
        return found


class TextReader:
    """Reads text properties of one part's colour and font world.

    markup: canonical XML with colours resolved.   fonts: `+mn-lt` → the theme's typeface.
    link: what a link element leads to, as a value.   field_text: what a reader sees of a field (type, stored text).
    """

    def __init__(
        self,
        markup: Markup,
        fonts: Mapping[str, str],
        link: Callable[[etree._Element, Part], Value],
        field_text: Callable[[str, str], str] | None = None,
    ) -> None:
        self.markup = markup
        self.fonts = fonts
        self._link = link
        self._field_text = field_text or (lambda kind, text: text)

    def list_style(self, element: etree._Element | None, part: Part) -> dict[int, Level]:
        """Levels (0 to 8; -1 for the properties of all) of a list style element."""
        out: dict[int, Level] = {}
        for child in element if element is not None else ():
            if not isinstance(child.tag, str):
                continue
            local = child.tag.rpartition("}")[2]
            match = _LEVEL.fullmatch(local)
            if match is None and local != "defPPr":
                continue
            number = int(match.group(1)) - 1 if match else -1
            run = child.find(A + "defRPr")
            out[number] = Level(self.paragraph_properties(child, part), self.run_properties(run, part) if run is not None else {})
        return out

    def run_properties(self, element: etree._Element, part: Part) -> Properties:
        """What a run properties element states itself."""
        out: Properties = {}
        for raw_name, raw_value in element.attrib.items():
            name, value = str(raw_name), str(raw_value)
            if name in _RUN_VOLATILE:
                continue
            out[_RUN_ATTRIBUTES.get(name, name)] = _run_value(name, value)
        for child in element:
            if not isinstance(child.tag, str):
                continue
            local = child.tag.rpartition("}")[2]
            if local in FILLS:
                out["colour"] = self.markup.fill(child, part)
            elif local in _FONTS:
                out[_FONTS[local]] = self.font(child.get("typeface") or "")
            elif local in _LINKS:
                continue
            elif local in {"effectLst", "effectDag"}:
                out["effects"] = self.markup.look(child, part) if len(child) else ""
            elif local == "ln":
                out["outline"] = self.markup.line(child, part)
            elif local == "highlight":
                out["highlight"] = self.markup.held_colour(child)
            elif local == "rtl":
                out["right_to_left"] = "" if child.get("val") in {"0", "false"} else "yes"
            else:
                text = self.markup.element(child, part)
                if text:
                    out[local] = text
        return out

    def paragraph_properties(self, element: etree._Element, part: Part) -> Properties:
        """What a paragraph properties element states itself; its level is not among it."""
        out: Properties = {}
        for raw_name, raw_value in element.attrib.items():
            name, value = str(raw_name), str(raw_value)
            if name == "lvl":
                continue
            out[_PARAGRAPH_ATTRIBUTES.get(name, name)] = boolean(value) if name in _PARAGRAPH_BOOLEANS else _number(value)
        for child in element:
            if not isinstance(child.tag, str):
                continue
            local = child.tag.rpartition("}")[2]
            if local in _SPACINGS:
                out[_SPACINGS[local]] = _spacing(child)
            elif local.startswith("bu"):
                name, shown = self._bullet(child, local, part)
                out[name] = shown
            elif local == "tabLst":
                out["tabs"] = " ".join(f"{tab.get('algn') or 'l'}@{tab.get('pos') or 0}" for tab in child)
            elif local != "defRPr":
                text = self.markup.element(child, part)
                if text:
                    out[local] = text
        return out

    def _bullet(self, child: etree._Element, local: str, part: Part) -> tuple[str, str]:
        if local in {"buClrTx", "buSzTx", "buFontTx"}:
            return {"buClrTx": "bullet_colour", "buSzTx": "bullet_size", "buFontTx": "bullet_font"}[local], "text"
        if local == "buClr":
            return "bullet_colour", self.markup.held_colour(child)
        if local == "buSzPct":
            return "bullet_size", percent(child.get("val") or "100000")
        if local == "buSzPts":
            return "bullet_size", f"{_size(child.get('val') or '0')}pt"
        if local == "buFont":
            return "bullet_font", self.font(child.get("typeface") or "")
        if local == "buNone":
            return "bullet", "none"
        if local == "buChar":
            return "bullet", f"character {child.get('char') or ''}"
        if local == "buAutoNum":
            return "bullet", f"number {child.get('type') or ''} from {child.get('startAt') or 1}"
        return "bullet", f"picture {self.markup.look(child, part)}"

    def font(self, typeface: str) -> str:
        """A typeface, theme references resolved."""
        return self.fonts.get(typeface, typeface)

    def paragraph(self, element: etree._Element, part: Part, cascade: Cascade) -> Paragraph:
        """An `a:p` with everything in it."""
        own = element.find(_PPR)
        level = int(own.get("lvl") or 0) if own is not None and (own.get("lvl") or "0").isdigit() else 0
        inherited = cascade.level(min(level, 8))
        plain = inherited.plain_paragraph
        raw: list[str] = []
        if own is not None:
            stated = self.paragraph_properties(own, part)
            plain = _without({**inherited.paragraph, **stated}, _PARAGRAPH_DEFAULTS) if stated else plain
            defaults = own.find(A + "defRPr")
            if defaults is not None:
                text = self.markup.element(defaults, part)
                raw += [text] if text.count("<") > 2 or " " in text else []
        out = Paragraph("", "", level, plain, [])
        pieces: list[tuple[str, str, Properties | None]] = []
        last_link: list[Value] | None = None
        for child in _inline(element):
            local = child.tag.rpartition("}")[2]
            if local in {"pPr", "endParaRPr"}:
                continue
            if local == "br":
                pieces.append((LINE_BREAK, LINE_BREAK, None))
                continue
            if local in {"r", "fld"}:
                stored = child.findtext(_T) or ""
                text, shown = stored, stored
                if local == "fld":
                    text, shown = self._field(child, stored, out)
                if text == "":
                    continue
                run = child.find(_RPR)
                own_run = self.run_properties(run, part) if run is not None else None
                pieces.append((text, shown, _without({**inherited.run, **own_run}, _RUN_DEFAULTS) if own_run else inherited.plain_run))
                last_link = self._links(run, part, text, out, last_link)
            else:
                text = "".join(str(found.text or "") for found in child.iter(M + "t"))
                if text:
                    pieces.append((text, text, None))
                raw.append(self.markup.element(child, part))
        for alternative in element.iterchildren(MC + "AlternateContent"):
            shown_one = shown_branch(alternative)
            raw += [self.markup.element(branch, part) for branch in alternative if branch is not shown_one and isinstance(branch.tag, str)]
        out.runs = _merge(pieces)
        out.text = "".join(run.text for run in out.runs)
        out.shown = "".join(run.shown for run in out.runs)
        out.raw = "".join(raw)
        if not out.text:
            end = element.find(A + "endParaRPr")
            out.empty_size = _size(end.get("sz") or "") if end is not None and end.get("sz") else inherited.run["size"]
        return out

    def _field(self, element: etree._Element, stored: str, out: Paragraph) -> tuple[str, str]:
        kind = element.get("type") or ""
        out.fields.append(kind)
        if kind == "slidenum":
            return "‹#›", self._field_text(kind, stored)
        if kind.startswith("datetime"):
            # A reader sees the day; what is stored is that of the last look, or anything.
            likely = any(map(str.isdigit, stored)) and len(_WORD.findall(stored)) <= _DATE_WORDS
            return "‹date›", stored if likely else "‹date›"
        return stored, stored

    def _links(self, run: etree._Element | None, part: Part, text: str, out: Paragraph, last: list[Value] | None) -> list[Value] | None:
        linked = None
        for child in run if run is not None else ():
            if not isinstance(child.tag, str):
                continue
            how = _LINKS.get(child.tag.rpartition("}")[2])
            if how is None:
                continue
            target = self._link(child, part)
            if last is not None and last[1] == how and last[2] == target:
                last[0] = f"{last[0]}{text}"
                linked = last
            else:
                linked = [text, how, target]
                out.links.append(linked)
        return linked


def _inline(element: etree._Element) -> list[etree._Element]:
    """The children of a paragraph, the chosen branch in place of alternative content."""
    out = []
    for child in element:
        if not isinstance(child.tag, str):
            continue
        if child.tag == MC + "AlternateContent":
            branch = shown_branch(child)
            out += [inner for inner in branch if isinstance(inner.tag, str)] if branch is not None else []
        else:
            out.append(child)
    return out


def _merge(pieces: Sequence[tuple[str, str, Properties | None]]) -> list[Run]:
    """Runs of equal formatting; a break or equation has that of its neighbour."""
    out: list[Run] = []
    waiting_text = waiting_shown = ""
    for text, shown, properties in pieces:
        if properties is None:
            if out:
                out[-1] = Run(out[-1].text + text, out[-1].shown + shown, out[-1].properties)
            else:
                waiting_text += text
                waiting_shown += shown
        elif out and (out[-1].properties is properties or out[-1].properties == properties):
            out[-1] = Run(out[-1].text + text, out[-1].shown + shown, properties)
        else:
            out.append(Run(waiting_text + text, waiting_shown + shown, properties))
            waiting_text = waiting_shown = ""
    if waiting_text:
        out.append(Run(waiting_text, waiting_shown, {}))
    return out


def _without(properties: Properties, defaults: Mapping[str, Value]) -> Properties:
    return {name: value for name, value in properties.items() if name not in defaults or defaults[name] != value}


def _run_value(name: str, value: str) -> Value:
    if name == "sz":
        return _size(value)
    if name in _RUN_BOOLEANS:
        return boolean(value)
    if name == "baseline":
        return percent(value)
    if name in {"spc", "kern"}:
        return _number(value)
    return value


def _size(value: str) -> Value:
    """Points of a size in hundredths."""
    try:
        hundredths = int(value)
    except ValueError:
        return value
    return hundredths // 100 if hundredths % 100 == 0 else hundredths / 100


def _number(value: str) -> Value:
    try:
        return int(value)
    except ValueError:
        return value


def percent(value: str) -> str:
    """A percentage as written in either way (`50000`, `50%`)."""
    if value.endswith("%"):
        return value
    try:
        number = int(value)
    except ValueError:
        return value
    return f"{number // 1000}%" if number % 1000 == 0 else f"{number / 1000:g}%"


def _spacing(element: etree._Element) -> str:
    for child in element:
        if child.tag == A + "spcPct":
            return percent(child.get("val") or "100000")
        if child.tag == A + "spcPts":
            return f"{_size(child.get('val') or '0')}pt"
    return ""
