"""Styles, document defaults and effective formatting (ISO 29500-1, 17.7): the same look gives the same facts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from lxml import etree

from docops.core.node import Value
from docops.formats.docx.colours import COLOUR_SLOTS, named_colour, tinted
from docops.formats.docx.names import PPR, RPR, VAL, VOLATILE_ELEMENTS, W, is_on, local, number, points, twips
from docops.formats.docx.numbering import Numbering
from docops.formats.ooxml.archive import limit
from docops.formats.ooxml.canonical import Canonicaliser, short_name
from docops.formats.ooxml.package import Package, Part

#: Formatting that a paragraph style and a character style switch on and off against each other (17.7.3).
TOGGLES = {
    "b": "bold", "bCs": "bold complex", "i": "italic", "iCs": "italic complex", "caps": "caps", "smallCaps": "small caps",
    "strike": "strike", "outline": "outline", "shadow": "shadow", "emboss": "emboss", "imprint": "imprint", "vanish": "hidden",
}  # fmt: skip
_SWITCHES = {"dstrike": "double strike", "rtl": "right to left", "cs": "complex script", "webHidden": "hidden on web", "specVanish": "hidden mark",
             "snapToGrid": "snap to grid", "oMath": "math"}  # fmt: skip
_ON_BY_DEFAULT = {"snapToGrid"}
_SCRIPTS = {"ascii": "font", "hAnsi": "font high", "eastAsia": "font east asian", "cs": "font complex"}
_PARAGRAPH_SWITCHES = {
    "keepNext": "keep with next", "keepLines": "keep together", "pageBreakBefore": "page break before", "widowControl": "widow control",
    "suppressLineNumbers": "no line numbers", "suppressAutoHyphens": "no hyphenation", "kinsoku": "kinsoku", "wordWrap": "word wrap",
    "overflowPunct": "overflow punctuation", "topLinePunct": "top line punctuation", "autoSpaceDE": "auto space latin",
    "autoSpaceDN": "auto space digits", "bidi": "right to left paragraph", "adjustRightInd": "adjust right indent", "snapToGrid": "snap lines to grid",
    "contextualSpacing": "contextual spacing", "mirrorIndents": "mirror indents", "suppressOverlap": "no overlap",
}  # fmt: skip
_PARAGRAPH_ON = {"widowControl", "kinsoku", "wordWrap", "overflowPunct", "autoSpaceDE", "autoSpaceDN", "adjustRightInd", "snapToGrid"}
_JUSTIFY = {"start": "left", "end": "right", "both": "justify"}

#: Names that the user interface shows for built-in styles, where it is not the stored one.
_CAPITALISED = ("heading", "toc", "index", "caption", "header", "footer", "footnote", "endnote", "annotation", "table of", "line number", "page number", "macro",
                "envelope", "index heading", "toa heading")  # fmt: skip

Properties = dict[str, Value]

_PART = W + "tblStylePr"


class TableLook(NamedTuple):
    """A table style (its id) and those of its parts that apply to a cell, the weakest first."""

    style: str
    parts: tuple[str, ...]


class Style:
    """One style. `id`: as other elements refer to it.   `name`: as people call it.   `kind`: paragraph, character, table, numbering."""

    def __init__(self, element: etree._Element) -> None:
        self.element = element
        self.id = element.get(W + "styleId") or ""
        self.kind = element.get(W + "type") or "paragraph"
        name = element.find(W + "name")
        self.stored_name = (name.get(VAL) if name is not None else None) or self.id
        self.name = display_name(self.stored_name)
        self.is_default = (element.get(W + "default") or "0") in {"1", "true", "on"}
        based_on = element.find(W + "basedOn")
        self.based_on = based_on.get(VAL) if based_on is not None else None


def display_name(stored: str) -> str:
    """The name the user interface shows: `heading 1` is stored, `Heading 1` is shown."""
    return stored[:1].upper() + stored[1:] if stored.startswith(_CAPITALISED) else stored


class Styles:
    """The styles of a document and the effective formatting they give; all results are shared and must not be changed."""

    def __init__(self, package: Package, part: Part | None, theme: Part | None, numbering: Numbering, canonical: Canonicaliser) -> None:
        self.package = package
        self.part = part
        self.numbering = numbering
        self.canonical = canonical
        self._theme = theme
        self._runs: dict[object, Properties] = {}
        self._paragraphs: dict[object, Properties] = {}
        self._chains: dict[str, tuple[Style, ...]] = {}
        self._toggles: dict[str, dict[str, bool]] = {}
        self._headings: dict[str, int | None] = {}
        self._table_properties: dict[tuple[TableLook, str], list[etree._Element]] = {}
        self.address_cache: dict[tuple[str, str], tuple[str, ...]] = {}

    @cached_property
    def by_id(self) -> Mapping[str, Style]:
        """Styles by id, in the order they are written; the last of equal ids counts."""
        if self.part is None:
            return {}
        return {style.id: style for style in map(Style, self.part.xml.iterchildren(W + "style"))}

    @cached_property
    def default_ids(self) -> Mapping[str, str]:
        """Kind of style → id of the default one."""
        return {style.kind: style.id for style in reversed(list(self.by_id.values())) if style.is_default}

    @cached_property
    def _defaults(self) -> tuple[etree._Element | None, etree._Element | None]:
        if self.part is None:
            return None, None
        root = self.part.xml
        return root.find(f"{W}docDefaults/{W}rPrDefault/{RPR}"), root.find(f"{W}docDefaults/{W}pPrDefault/{PPR}")

    def style(self, style_id: str | None, kind: str) -> Style | None:
        """The style that an id names, or the default one of the kind where it names none."""
        found = self.by_id.get(style_id or "")
        if found is None or found.kind != kind:
            found = self.by_id.get(self.default_ids.get(kind, ""))
        return found

    def chain(self, style: Style | None) -> tuple[Style, ...]:
        """A style and those it is based on, the base first."""
        if style is None:
            return ()
        known = self._chains.get(style.id)
        if known is None:
            out = {style.id: style}
            last = style
            while (parent := self.by_id.get(last.based_on or "")) is not None and parent.id not in out and parent.kind == style.kind:
                out[parent.id] = last = parent
                if len(out) > self.package.limits.depth:
                    raise limit(f"a style stands on more than {self.package.limits.depth} levels of styles", self.part.name if self.part else "")
            known = self._chains[style.id] = tuple(reversed(out.values()))
        return known

    def heading_level(self, style: Style | None) -> int | None:
        """1 to 9 for a heading style: by its outline level, or its built-in name, its own or a base's."""
        for one in reversed(self.chain(style)):
            outline = one.element.find(f"{PPR}/{W}outlineLvl")
            if outline is not None:
                level = number(outline.get(VAL))
                return level + 1 if level is not None and 0 <= level <= 8 else None
            head, _, tail = one.stored_name.lower().partition(" ")
            if head == "heading" and tail in set("123456789"):
                return int(tail)
        return None

    def style_heading(self, style: Style | None) -> int | None:
        """`heading_level`, looked up once a style."""
        if style is None:
            return None
        if style.id not in self._headings:
            self._headings[style.id] = self.heading_level(style)
        return self._headings[style.id]

    def list_reference(self, style: Style | None) -> tuple[str | None, int]:
        """numId and level that a paragraph style gives."""
        num_id: str | None = None
        level = 0
        owner = style
        for one in self.chain(style):
            num_pr = one.element.find(f"{PPR}/{W}numPr")
            if num_pr is None:
                continue
            num = num_pr.find(W + "numId")
            if num is not None:
                num_id = num.get(VAL)
                owner = one
            ilvl = num_pr.find(W + "ilvl")
            if ilvl is not None:
                level = number(ilvl.get(VAL)) or 0
        if num_id is not None and style is not None:
            linked = self.numbering.level_of_style(num_id, style.id)
            if linked is None and owner is not None:
                linked = self.numbering.level_of_style(num_id, owner.id)
            level = linked if linked is not None else level
        return num_id, level

    # -- tables -------------------------------------------------------------------------------

    def formats_cells(self, style: Style) -> bool:
        """Whether a table style says anything of the cells and what stands in them, borders and margins of the table left out."""
        held = (W + "tcPr", RPR, PPR, _PART)
        return any(len(child) for one in self.chain(style) for child in one.element if child.tag in held)

    def indents_tables(self, style: Style | None) -> bool:
        """Whether a table style moves its tables in from the margin."""
        indents = (one.element.find(f"{W}tblPr/{W}tblInd") for one in self.chain(style))
        return any(indent is not None and indent.get(W + "w") not in {None, "0"} for indent in indents)

    def table_properties(self, look: TableLook, tag: str) -> list[etree._Element]:
        """The property elements of a name that a table style gives a cell, the weakest first: those of the whole table, then of its parts."""
        found = self._table_properties.get((look, tag))
        if found is None:
            style = self.by_id.get(look.style)
            found = self._table_properties[look, tag] = [element for part in ("", *look.parts) for element in self.part_properties(style, part, tag)]
        return found

    def part_properties(self, style: Style | None, part: str, tag: str) -> list[etree._Element]:
        """The property elements of a name that a table style and its bases hold for a part ("" for the whole table), the base's first."""
        holders = [one.element for one in self.chain(style)]
        if part:
            holders = [child for holder in holders for child in holder.iterchildren(_PART) if child.get(W + "type") == part]
        return [element for holder in holders if (element := holder.find(tag)) is not None]

    # -- runs ---------------------------------------------------------------------------------

    def run(self, paragraph_style: Style | None, r_pr: etree._Element | None, table: TableLook | None = None) -> Properties:
        """Effective formatting of a run in a paragraph of a style; table: what the style of the table around it gives."""
        key = (paragraph_style.id if paragraph_style else "", _key(r_pr) if r_pr is not None else (), table)
        found = self._runs.get(key)
        if found is None:
            found = self._runs[key] = self._run(paragraph_style, r_pr, table)
        return found

    def _run(self, paragraph_style: Style | None, r_pr: etree._Element | None, table: TableLook | None) -> Properties:
        raw: dict[str, etree._Element | dict[str, str]] = {}
        character: Style | None = None
        if r_pr is not None:
            r_style = r_pr.find(W + "rStyle")
            if r_style is not None:
                found = self.by_id.get(r_style.get(VAL) or "")
                character = found if found is not None and found.kind == "character" else None
        if character is None:
            character = self.by_id.get(self.default_ids.get("character", ""))
        given = self.table_properties(table, RPR) if table is not None else []
        for properties in (self._defaults[0], *given):
            _merge(raw, properties)
        for style in self.chain(paragraph_style):
            _merge(raw, style.element.find(RPR))
        for style in self.chain(character):
            _merge(raw, style.element.find(RPR))
        toggles = self._style_toggles(_toggles(given), self._chain_toggles(paragraph_style), self._chain_toggles(character))
        if r_pr is not None:
            _merge(raw, r_pr)
            for child in r_pr:
                name = local(child)
                if name in TOGGLES and child.tag.startswith(W):
                    toggles[name] = is_on(child)
        out = self._describe_run(raw, toggles)
        if character is not None and not character.is_default:
            out["character style"] = character.name
        return out

    def own_run(self, style: Style) -> Properties:
        """What a character style and those it is based on change, whatever they are laid over."""
        return self.described_runs([properties for one in self.chain(style) if (properties := one.element.find(RPR)) is not None])

    def described_runs(self, given: Sequence[etree._Element]) -> Properties:
        """What some run properties say, the later ones the stronger, whatever they are laid over."""
        raw: dict[str, etree._Element | dict[str, str]] = {}
        for properties in given:
            _merge(raw, properties)
        return self._describe_run(raw, _toggles(given))

    def described_paragraphs(self, given: Sequence[etree._Element]) -> Properties:
        """What some paragraph properties say, the later ones the stronger, whatever they are laid over."""
        raw: dict[str, etree._Element | dict[str, str]] = {}
        for properties in given:
            _merge(raw, properties, self.border)
        return self._describe_paragraph(raw)

    def _style_toggles(self, *levels: Mapping[str, bool]) -> dict[str, bool]:
        """Switches as table, paragraph and character style leave them: they cancel each other, and the defaults win where they say on."""
        defaults = self._defaults[0]
        out = _toggles([defaults]) if defaults is not None else {}
        for name in {name: None for level in levels for name in level}:
            out[name] = out.get(name, False) or sum(level.get(name, False) for level in levels) % 2 == 1
        return out

    def _chain_toggles(self, style: Style | None) -> dict[str, bool]:
        if style is None:
            return {}
        known = self._toggles.get(style.id)
        if known is None:
            found = (one.element.find(RPR) for one in self.chain(style))
            known = self._toggles[style.id] = _toggles([properties for properties in found if properties is not None])
        return known

    def _describe_run(self, raw: Mapping[str, etree._Element | dict[str, str]], toggles: Mapping[str, bool]) -> Properties:
        out: Properties = {TOGGLES[name]: True for name, on in toggles.items() if on}
        for tag, value in raw.items():
            name = tag.rpartition("}")[2]
            if not tag.startswith(W):
                out[short_name(tag)] = self._raw(value)
            elif name in TOGGLES or name == "rStyle":
                continue
            elif isinstance(value, dict):
                self._merged_run(name, value, out)
            elif name in _SWITCHES:
                if is_on(value) != (name in _ON_BY_DEFAULT):
                    out[_SWITCHES[name]] = is_on(value)
            else:
                self._plain_run(name, value, out)
        return out

    def _merged_run(self, name: str, value: dict[str, str], out: Properties) -> None:
        if name == "rFonts":
            for script, label in _SCRIPTS.items():
                face = self.theme_font(value.get(f"{script}Theme") or value.get("cstheme" if script == "cs" else "")) or value.get(script)
                if script == "hAnsi" and face == out.get("font"):
                    continue
                if face or script == "hAnsi":
                    out[label] = face or "unset"
            if value.get("hint") not in {None, "default"}:
                out["font hint"] = value["hint"]
        elif name == "lang":
            for script, tag in sorted(value.items()):
                out["language" if script == "val" else f"language {script}"] = tag
        else:
            out[name] = dict(sorted(value.items()))

    def _plain_run(self, name: str, element: etree._Element, out: Properties) -> None:
        value = element.get(VAL)
        if name == "color":
            colour = self.colour(element)
            if colour != "auto":
                out["colour"] = colour
        elif name in {"sz", "szCs"}:
            size = half_points(value)
            if size is not None:
                out["size" if name == "sz" else "size complex"] = f"{size / 2:g} pt"
        elif name == "u":
            if value not in {None, "none"}:
                colour = self.colour(element, "color")
                out["underline"] = f"{value} {colour}" if colour not in {"auto", ""} else value
        elif name == "highlight":
            if value not in {None, "none"}:
                out["highlight"] = value
        elif name == "vertAlign":
            if value not in {None, "baseline"}:
                out["vertical position"] = value
        elif name == "shd":
            shading = self.shading(element)
            if shading:
                out["shading"] = shading
        elif name == "bdr":
            border = self.border(element)
            if border:
                out["border"] = border
        elif name in {"position", "spacing", "kern"}:
            amount = half_points(value) if name != "spacing" else twips(value)
            if amount:
                out[{"position": "raised", "spacing": "letter spacing", "kern": "kerning"}[name]] = points(amount * (1 if name == "spacing" else 10))
        elif name == "w":
            if value not in {None, "100", "100%"}:
                out["scale"] = f"{(value or '').rstrip('%')}%"
        elif name in {"effect", "em"}:
            if value not in {None, "none"}:
                out["effect" if name == "effect" else "emphasis mark"] = value
        elif name not in {"ins", "del", "moveFrom", "moveTo", "rPrChange", "noProof"}:
            out[name] = self._raw(element)

    # -- paragraphs ---------------------------------------------------------------------------

    def paragraph(
        self, style: Style | None, p_pr: etree._Element | None, level: etree._Element | None, table: TableLook | None = None
    ) -> Properties:
        """Effective formatting of a paragraph of a style; level: its list level's definition; table: what the table around it gives."""
        key = (style.id if style else "", _key(p_pr) if p_pr is not None else (), id(level) if level is not None else 0, table)
        found = self._paragraphs.get(key)
        if found is None:
            found = self._paragraphs[key] = self._paragraph(style, p_pr, level, table)
        return found

    def _paragraph(self, style: Style | None, p_pr: etree._Element | None, level: etree._Element | None, table: TableLook | None) -> Properties:
        raw: dict[str, etree._Element | dict[str, str]] = {}
        for properties in (self._defaults[1], *(self.table_properties(table, PPR) if table is not None else ())):
            _merge(raw, properties, self.border)
        level_properties = level.find(PPR) if level is not None else None
        direct_list = p_pr is not None and p_pr.find(f"{W}numPr/{W}numId") is not None
        for one in self.chain(style):
            own = one.element.find(PPR)
            # A list that the style itself names is weaker than the style's own indents; one named directly is stronger.
            if not direct_list and own is not None and own.find(f"{W}numPr/{W}numId") is not None:
                _merge(raw, level_properties, self.border)
            _merge(raw, own, self.border)
        if direct_list:
            _merge(raw, level_properties, self.border)
        _merge(raw, p_pr, self.border)
        return self._describe_paragraph(raw)

    def _describe_paragraph(self, raw: Mapping[str, etree._Element | dict[str, str]]) -> Properties:
        out: Properties = {}
        for tag, value in raw.items():
            name = tag.rpartition("}")[2]
            if not tag.startswith(W):
                out[short_name(tag)] = self._raw(value)
            elif isinstance(value, dict):
                _merged_paragraph(name, value, out, self)
            elif name in _PARAGRAPH_SWITCHES:
                if is_on(value) != (name in _PARAGRAPH_ON):
                    out[_PARAGRAPH_SWITCHES[name]] = is_on(value)
            elif name == "jc":
                justify = _JUSTIFY.get(value.get(VAL) or "", value.get(VAL) or "")
                if justify != "left":
                    out["alignment"] = justify
            elif name == "shd":
                shading = self.shading(value)
                if shading:
                    out["paragraph shading"] = shading
            elif name == "textAlignment":
                if value.get(VAL) != "auto":
                    out["text alignment"] = value.get(VAL)
            elif name == "textDirection":
                if value.get(VAL) not in {"lrTb", "tb"}:
                    out["text direction"] = value.get(VAL)
            elif name == "outlineLvl":
                level = number(value.get(VAL))
                if level is not None and 0 <= level <= 8:
                    out["outline level"] = level + 1
            elif name == "textboxTightWrap":
                if value.get(VAL) not in {None, "none"}:
                    out["tight wrap"] = value.get(VAL)
            elif name not in {"pStyle", "numPr", "rPr", "sectPr", "pPrChange", "cnfStyle", "divId"}:
                out[name] = self._raw(value)
            elif name == "divId" and value.get(VAL) not in {None, "0"}:
                out["web division"] = value.get(VAL)
        return out

    # -- values ---------------------------------------------------------------------------------

    def _raw(self, value: etree._Element | dict[str, str]) -> Value:
        if isinstance(value, dict):
            return dict(sorted(value.items()))
        part = self.part if self.part is not None else self.package.main
        return self.canonical.element(value, part)

    @cached_property
    def theme_colours(self) -> Mapping[str, str]:
        """Slot of the theme's colour scheme → RRGGBB."""
        from docops.formats.ooxml.drawing import theme_colours

        return theme_colours(self._theme.xml) if self._theme is not None else {}

    @cached_property
    def _theme_fonts(self) -> Mapping[str, str]:
        if self._theme is None:
            return {}
        a = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
        out: dict[str, str] = {}
        for which in ("major", "minor"):
            scheme = self._theme.xml.find(f"{a}themeElements/{a}fontScheme/{a}{which}Font")
            for local_name, suffixes in (("latin", ("Ascii", "HAnsi")), ("ea", ("EastAsia",)), ("cs", ("Bidi",))):
                font = scheme.find(a + local_name) if scheme is not None else None
                for suffix in suffixes:
                    out[which + suffix] = (font.get("typeface") if font is not None else "") or ""
        return out

    def theme_font(self, slot: str | None) -> str | None:
        """The typeface behind a theme font (`minorHAnsi`), or the slot where the theme leaves it to the language."""
        if not slot:
            return None
        return self._theme_fonts.get(slot) or f"theme {slot}"

    def colour(self, element: etree._Element, name: str = "val", theme: str = "themeColor") -> str:
        """RRGGBB of a colour attribute, the theme's tint and shade applied; `auto` where it is left to the program."""
        slot = element.get(W + theme)
        if slot and slot != "none":
            base = self.theme_colours.get(COLOUR_SLOTS.get(slot, slot))
            if base:
                prefix = theme.removesuffix("Color")
                return tinted(base, element.get(f"{W}{prefix}Tint"), element.get(f"{W}{prefix}Shade"))
        return named_colour(element.get(W + name))

    def shading(self, element: etree._Element) -> str:
        """What a `w:shd` paints: RRGGBB, or the pattern with both colours; "" where it paints nothing."""
        pattern = element.get(VAL) or "clear"
        fill = self.colour(element, "fill", "themeFill")
        colour = self.colour(element, "color")
        if pattern in {"clear", "nil"}:
            return "" if fill == "auto" or pattern == "nil" else fill
        if pattern == "solid":
            return colour if colour != "auto" else "000000"
        return f"{pattern} {colour} on {fill}"

    def border(self, element: etree._Element) -> str:
        """A border in words; "" where there is none."""
        kind = element.get(VAL) or "none"
        if kind in {"none", "nil"}:
            return ""
        width = number(element.get(W + "sz")) or 0
        space = number(element.get(W + "space")) or 0
        words = [kind, f"{width / 8:g} pt", self.colour(element, "color")]
        words += [f"space {space}"] if space else []
        words += [name for name in ("shadow", "frame") if (element.get(W + name) or "0") in {"1", "true", "on"}]
        return " ".join(words)


def beside(own: Properties, plain: Properties) -> Properties:
    """In what a look differs from the one that it is laid over; what is switched off there is false."""
    return {name: own.get(name, False) for name in sorted({**plain, **own}) if plain.get(name) != own.get(name)}


def _merged_paragraph(name: str, value: dict[str, str], out: Properties, styles: Styles) -> None:
    if name == "spacing":
        before, after = twips(value.get("before")) or 0, twips(value.get("after")) or 0
        line, rule = twips(value.get("line")), value.get("lineRule", "auto")
        for label, key, amount in (("space before", "before", before), ("space after", "after", after)):
            if value.get(f"{key}Autospacing") in {"1", "true", "on"}:
                out[label] = "auto"
            elif number(value.get(f"{key}Lines")):
                out[label] = f"{(number(value[f'{key}Lines']) or 0) / 100:g} lines"
            elif amount:
                out[label] = points(amount)
        if line is not None and not (line == 240 and rule == "auto"):
            out["line spacing"] = f"{line / 240:g} lines" if rule == "auto" else f"{rule} {points(line)}"
    elif name == "ind":
        left = twips(value.get("left", value.get("start"))) or 0
        right = twips(value.get("right", value.get("end"))) or 0
        hanging = twips(value.get("hanging"))
        first = -hanging if hanging is not None else twips(value.get("firstLine")) or 0
        for label, amount in (("indent left", left), ("indent right", right), ("indent first line", first)):
            if amount:
                out[label] = points(amount)
        for key in ("leftChars", "rightChars", "startChars", "endChars", "firstLineChars", "hangingChars"):
            if number(value.get(key)):
                out[f"indent {key}"] = number(value[key])
    elif name == "tabs":
        stops = {key: stop for key, stop in sorted(value.items(), key=lambda item: int(item[0])) if not stop.startswith("clear")}
        if stops:
            out["tab stops"] = [f"{points(int(key))} {stop}" for key, stop in stops.items()]
    elif name == "pBdr":
        out.update({f"border {side}": text for side, text in value.items() if text})
    else:
        out[name] = dict(sorted(value.items()))


_MERGED = {W + name for name in ("rFonts", "lang", "spacing", "ind")}
def _merge(raw: dict[str, etree._Element | dict[str, str]], properties: etree._Element | None, border: Callable[[etree._Element], str] | None = None) -> None:
    """Lay the properties of one level over those below it."""
    if properties is None:
        return
    is_run = properties.tag == RPR
    for child in properties:
        tag = child.tag
        if not isinstance(tag, str) or tag in VOLATILE_ELEMENTS:
            continue
        if tag == W + "tabs":
            stops = dict(found) if isinstance(found := raw.get(tag), dict) else {}
            for tab in child:
                position = twips(tab.get(W + "pos")) or 0
                kind = _JUSTIFY.get(tab.get(VAL) or "left", tab.get(VAL) or "left")
                leader = tab.get(W + "leader") or "none"
                stops[str(position)] = ("left" if kind == "num" else kind) + ("" if leader == "none" else f" {leader}")
            raw[tag] = stops
        elif tag == W + "pBdr":
            sides = dict(found) if isinstance(found := raw.get(tag), dict) else {}
            for side in child:
                sides[_JUSTIFY.get(local(side), local(side))] = border(side) if border is not None else ""
            raw[tag] = sides
        elif tag in _MERGED and not (is_run and tag == W + "spacing"):
            merged = dict(found) if isinstance(found := raw.get(tag), dict) else {}
            own = {str(name).removeprefix(W): str(value) for name, value in child.attrib.items() if str(name).startswith(W)}
            if tag == W + "rFonts":
                _override_fonts(merged, own)
            elif tag == W + "ind":
                _override_indents(merged, own)
            merged.update(own)
            raw[tag] = merged
        else:
            raw[tag] = child


def _override_fonts(merged: dict[str, str], own: Mapping[str, str]) -> None:
    for script in _SCRIPTS:
        theme = "cstheme" if script == "cs" else f"{script}Theme"
        if script in own and theme not in own:
            merged.pop(theme, None)


def _override_indents(merged: dict[str, str], own: Mapping[str, str]) -> None:
    for name, other in (("hanging", "firstLine"), ("firstLine", "hanging"), ("left", "start"), ("start", "left"), ("right", "end"), ("end", "right")):
        if name in own:
            merged.pop(other, None)


def _toggles(properties: Sequence[etree._Element]) -> dict[str, bool]:
    """The switches that some property elements set, the later ones the stronger."""
    return {name: is_on(child) for element in properties for child in element if (name := local(child)) in TOGGLES}


def half_points(text: str | None) -> int | None:
    """A measure in half points: a number, or with a unit."""
    if text is None:
        return None
    if text[-2:] in {"pt", "in", "cm", "mm", "pc", "pi"}:
        amount = twips(text)
        return None if amount is None else round(amount / 10)
    return number(text)


def _key(element: etree._Element) -> tuple[object, ...]:
    """What a properties element holds, as a key; its order of elements and attributes does not matter to the cascade."""
    return tuple(
        [
            (child.tag, *sorted(child.attrib.items()), _key(child) if len(child) else "")
            for child in element
            if isinstance(child.tag, str) and child.tag not in _KEYLESS
        ]
    )


_KEYLESS = frozenset({W + name for name in ("rPrChange", "pPrChange", "sectPr", "numPr", "ins", "del", "moveFrom", "moveTo", "noProof")})
