"""A presentation's parts in their roles: slides in order, layouts, masters, themes, and what each part inherits from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from lxml import etree

from docops.core.node import Value
from docops.formats.ooxml.common import check_pages
from docops.formats.ooxml.defaults import default_rules
from docops.formats.ooxml.drawing import A, Colours, colour_map, theme_colours
from docops.formats.ooxml.markup import Markup, shown_branch
from docops.formats.ooxml.package import NS_R, Package, Part
from docops.formats.ooxml.text import Cascade, Level, TextReader

if TYPE_CHECKING:
    from docops.formats.pptx.shapes import Shape

NS_P = "http://schemas.openxmlformats.org/presentationml/2006/main"
P = "{" + NS_P + "}"
R = "{" + NS_R + "}"
P14 = "{http://schemas.microsoft.com/office/powerpoint/2010/main}"
P15 = "{http://schemas.microsoft.com/office/powerpoint/2012/main}"
A16 = "{http://schemas.microsoft.com/office/drawing/2014/main}"
ADEC = "{http://schemas.microsoft.com/office/drawing/2017/decorative}"

_FONT_ELEMENTS = ("latin", "ea", "cs", "sym", "buFont", "font")
_RUN_ELEMENTS = ("rPr", "endParaRPr", "defRPr")

VOLATILE_ELEMENTS = frozenset(
    {f"{P14}creationId", f"{P14}modId", f"{A16}creationId", f"{A16}rowId", f"{A16}colId", f"{A16}predDERef"}
    | {"{http://schemas.microsoft.com/office/drawing/2010/main}useLocalDpi"}
)
VOLATILE_ATTRIBUTES = frozenset(
    {f"{A}{element}@{name}" for element in _FONT_ELEMENTS for name in ("panose", "pitchFamily", "charset")}
    | {f"{A}{element}@{name}" for element in _RUN_ELEMENTS for name in ("dirty", "err", "smtClean", "smtId", "bmk")}
    | {f"{A}sysClr@lastClr", f"{A}normAutofit@fontScale", f"{A}normAutofit@lnSpcReduction", f"{A}fld@id", f"{P}cNvPr@id"}
)

#: Which master style a placeholder's text takes.
_TITLE_TYPES = frozenset({"title", "ctrTitle"})
_SPECIAL_TYPES = frozenset({"dt", "ftr", "sldNum", "hdr", "sldImg"})


@dataclass(frozen=True, slots=True)
class Placeholder:
    """A `p:ph`: its type (`obj` where none is given) and index."""

    type: str
    index: int

    @property
    def family(self) -> str:
        """`title`, `body`, or the type itself for dates, footers and numbers."""
        if self.type in _TITLE_TYPES:
            return "title"
        return self.type if self.type in _SPECIAL_TYPES else "body"


@dataclass(frozen=True, slots=True)
class Terms:
    """What a presentation calls its places in the words of another that it is compared with.

    slides: slide part → the number by which links, shows and sections know it.
    shapes: slide part → path of a shape → path of its counterpart, where they differ.
    sections: name of a section → name of its counterpart, where they differ.
    layouts: address of a layout → address of its counterpart, where they differ.
    """

    slides: Mapping[str, str]
    shapes: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    sections: Mapping[str, str] = field(default_factory=dict)
    layouts: Mapping[str, str] = field(default_factory=dict)

    @property
    def digest(self) -> str:
        """A text that is equal for equal terms."""
        shapes = sorted((part, sorted(names.items())) for part, names in self.shapes.items())
        return f"{sorted(self.slides.items())} {shapes} {sorted(self.sections.items())} {sorted(self.layouts.items())}"


@dataclass(eq=False)
class Sheet:
    """A part with a shape tree (slide, layout, master, notes page, notes or handout master) and what it inherits from.

    role: `slide`, `layout`, `master`, `notes`, `notes_master`, `handout_master`.   parent: the sheet it inherits from.
    address: its node's.   number: position of a slide.
    """

    deck: Deck
    part: Part
    role: str
    address: str
    parent: Sheet | None = None
    number: int = 0
    _cascades: dict[Placeholder | None, Cascade] = field(default_factory=dict)
    _cascades_below: dict[Placeholder | None, Cascade] = field(default_factory=dict)
    _matches: dict[Placeholder, list[tuple[etree._Element, Sheet]]] = field(default_factory=dict)
    _styles: dict[str, Mapping[int, Level]] = field(default_factory=dict)

    @property
    def master(self) -> Sheet:
        """The sheet at the end of the inheritance."""
        return self.parent.master if self.parent is not None else self

    @property
    def tree(self) -> etree._Element | None:
        """The `p:spTree`."""
        return self.part.xml.find(f"{P}cSld/{P}spTree")

    @cached_property
    def shapes(self) -> list[Shape]:
        """The shapes of the tree in z-order."""
        from docops.formats.pptx.shapes import read_shapes

        return read_shapes(self.tree, self, self.address)

    @cached_property
    def order(self) -> list[Shape]:
        """Its shapes, groups gone into, in z-order."""
        from docops.formats.pptx.shapes import walk_shapes

        return list(walk_shapes(self.shapes))

    @cached_property
    def positions(self) -> Mapping[Shape, int]:
        """Where in the z-order its shapes stand."""
        return {shape: position for position, shape in enumerate(self.order)}

    @cached_property
    def covers(self) -> list[Shape]:
        """Its shapes that nothing is seen through and no animation moves, in z-order."""
        from docops.formats.pptx.covering import covering_shapes

        return covering_shapes(self)

    @cached_property
    def shape_names(self) -> Mapping[str, str]:
        """Shape id → path on the sheet (`shape["Title 1"]`), as references to it are compared."""
        found: dict[str, str] = {}
        counterparts = self.deck.counterparts(self.part.name)
        for shape in self.order:
            if shape.properties is not None:
                path = shape.address[len(self.address) + 1 :]
                found.setdefault(shape.properties.get("id") or "", counterparts.get(path, path))
        return found

    @cached_property
    def colours(self) -> Colours:
        """What colour names mean on this sheet."""
        slots = self.deck.slots_of(self.deck.theme_of(self))
        override = next(iter(self.part.related("themeOverride")), None)
        if override is not None:
            slots = {**slots, **theme_colours(override.xml)}
        mapping = self.part.xml.find(f"{P}clrMapOvr/{A}overrideClrMapping")
        if mapping is None and self.parent is not None:
            return self.parent.colours if override is None else Colours(slots, self.parent.colours.mapping)
        return Colours(slots, colour_map(mapping if mapping is not None else self.part.xml.find(f"{P}clrMap")))

    @cached_property
    def markup(self) -> Markup:
        """Canonical XML with this sheet's colours."""
        return Markup(self.deck.package, self.deck.rules, self.deck.known, colours=self.colours)

    @cached_property
    def reader(self) -> TextReader:
        """Text properties with this sheet's colours and fonts."""
        number = str(self.number + self.deck.first_number - 1) if self.number else ""
        return TextReader(self.markup, self.deck.fonts_of(self), self.deck.link, lambda kind, stored: number if kind == "slidenum" and number else stored)

    @cached_property
    def placeholders(self) -> list[tuple[Placeholder, etree._Element]]:
        """The placeholders of the shape tree, groups included, with their shapes."""
        found = []
        for shape in iter_shapes(self.tree):
            placeholder = read_placeholder(shape)
            if placeholder is not None:
                found.append((placeholder, shape))
        return found

    def inherited(self, placeholder: Placeholder) -> list[tuple[etree._Element, Sheet]]:
        """The shapes that a placeholder of this sheet inherits from, nearest first."""
        return self.parent.matches(placeholder) if self.parent is not None else []

    def matches(self, placeholder: Placeholder) -> list[tuple[etree._Element, Sheet]]:
        """The shapes of this sheet and those above it that a placeholder of a sheet below inherits from, nearest first."""
        found = self._matches.get(placeholder)
        if found is None:
            found = self._matches[placeholder] = []
            current: Placeholder = placeholder
            sheet: Sheet | None = self
            while sheet is not None:
                match = match_placeholder(current, sheet.placeholders, by_index=sheet.role == "layout")
                if match is not None:
                    # The nearest one says what kind of placeholder this is; a slide may leave its type out.
                    current = match[0]
                    found.append((match[1], sheet))
                sheet = sheet.parent
        return found

    def cascade(self, placeholder: Placeholder | None) -> Cascade:
        """What the text of a placeholder (None: of another shape) inherits, its own list style not included."""
        # Where colours are the parent's, so is everything that all slides of a layout inherit.
        shared = self.parent is not None and self.parent.colours is self.colours
        cascades = self.parent._cascades_below if self.parent is not None and shared else self._cascades
        found = cascades.get(placeholder)
        if found is None:
            found = cascades[placeholder] = Cascade(self.text_sources(placeholder))
        return found

    def text_sources(self, placeholder: Placeholder | None) -> list[Mapping[int, Level]]:
        """The list styles that text of a placeholder (None: of another shape) inherits, nearest first."""
        sources: list[Mapping[int, Level]] = []
        if placeholder is not None:
            for shape, sheet in self.inherited(placeholder):
                sources.append(self.reader.list_style(shape.find(f"{P}txBody/{A}lstStyle"), sheet.part))
            sources.append(self.style_levels(self.master_style(placeholder)))
        sources.append(self.style_levels("defaultTextStyle"))
        if placeholder is None:
            sources.append(self.style_levels("otherStyle"))
        colour = self.colours.theme.get(self.colours.mapping.get("tx1", "dk1"))
        sources.append({-1: Level({}, {"colour": colour} if colour else {})})
        return sources

    def master_style(self, placeholder: Placeholder) -> str:
        """The master's text style that a placeholder takes."""
        if self.master.role == "notes_master":
            return "notesStyle"
        effective = placeholder
        for shape, _ in self.inherited(placeholder):
            effective = read_placeholder(shape) or effective
        return {"title": "titleStyle", "body": "bodyStyle"}.get(effective.family, "otherStyle")

    def style_levels(self, name: str) -> Mapping[int, Level]:
        """A text style of the master (or the presentation's `defaultTextStyle`) by level, in this sheet's colours."""
        if name not in self._styles:
            if name == "defaultTextStyle":
                deck = self.deck.styles
                element, part = deck.root.find(f"{P}{name}"), deck.part
            else:
                part = self.master.part
                element = part.xml.find(f"{P}{name}" if name == "notesStyle" else f"{P}txStyles/{P}{name}")
            source = self._style_source()
            self._styles[name] = self.reader.list_style(element, part) if source is self else source.style_levels(name)
        return self._styles[name]

    def _style_source(self) -> Sheet:
        """The sheet farthest up that has the same colours, so that styles are read once for all slides of a master."""
        sheet = self
        while sheet.parent is not None and sheet.parent.colours is self.colours:
            sheet = sheet.parent
        return sheet


def match_placeholder(
    wanted: Placeholder, candidates: list[tuple[Placeholder, etree._Element]], *, by_index: bool
) -> tuple[Placeholder, etree._Element] | None:
    """The placeholder that another one inherits from: by index in a layout, else by what it is for."""
    if by_index:
        for candidate in candidates:
            if candidate[0].index == wanted.index and candidate[0].family == wanted.family:
                return candidate
    for candidate in candidates:
        if candidate[0].type == wanted.type and (not by_index or wanted.family != "body"):
            return candidate
    for candidate in candidates:
        if candidate[0].family == wanted.family and (not by_index or wanted.family != "body"):
            return candidate
    return None


def read_placeholder(shape: etree._Element) -> Placeholder | None:
    """The placeholder that a shape is, or None."""
    for child in shape:
        if isinstance(child.tag, str) and child.tag.startswith(P + "nv"):
            ph = child.find(f"{P}nvPr/{P}ph")
            if ph is not None:
                index = ph.get("idx") or "0"
                return Placeholder(ph.get("type") or "obj", int(index) if index.isdigit() else 0)
            return None
    return None


_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
SHAPE_TAGS = frozenset({f"{P}{name}" for name in ("sp", "pic", "graphicFrame", "grpSp", "cxnSp", "contentPart")} | {f"{P14}contentPart"})


def shape_elements(container: etree._Element | None) -> Iterator[tuple[etree._Element, etree._Element | None]]:
    """The shapes of a tree or group in z-order, each with the alternative content that wraps it (its choice is shown)."""
    for child in container if container is not None else ():
        if child.tag in SHAPE_TAGS:
            yield child, None
        elif child.tag == _MC + "AlternateContent":
            branch = shown_branch(child)
            if branch is not None and branch.tag != _MC + "Fallback" and not any(inner.tag in SHAPE_TAGS for inner in branch):
                branch = child.find(_MC + "Fallback")
            for inner in branch if branch is not None else ():
                if inner.tag in SHAPE_TAGS:
                    yield inner, child


def iter_shapes(container: etree._Element | None) -> Iterator[etree._Element]:
    """Every shape of a tree, groups gone into."""
    for shape, _ in shape_elements(container):
        yield shape
        if shape.tag == f"{P}grpSp":
            yield from iter_shapes(shape)


class Deck:
    """An opened presentation.

    terms: what its places are called where they are referred to (links, shows, connectors, animations, sections); None:
    by their own names. A comparison gives those of the other document, so that an insertion shifts no reference.
    base: another presentation whose layouts, masters, themes and styles are inherited from where they have the same
    address; a comparison gives the other document, so that a change of a layout is told there and not at every slide.
    """

    def __init__(self, package: Package, part: Part, terms: Terms | None = None, base: Deck | None = None) -> None:
        self.package = package
        self.base = base
        self.part = part
        self.root = part.xml
        self.rules = default_rules(VOLATILE_ELEMENTS, VOLATILE_ATTRIBUTES, frozenset({f"{A}t", f"{P}text"}))
        self._terms = terms
        self._fonts: dict[str, Mapping[str, str]] = {}
        self._slots: dict[str, Mapping[str, str]] = {}
        self.closures: dict[str, str] = {}

    @property
    def terms(self) -> str:
        """What it is seen from: "" where that is nothing but itself."""
        return "" if self.base is None and self._terms is None else f"{self._terms.digest if self._terms else ''} {self.base is not None}"

    @cached_property
    def masters(self) -> list[Sheet]:
        """Slide masters in their order."""
        parts = self._listed(f"{P}sldMasterIdLst/{P}sldMasterId", self.part, self.root) or self.part.related("slideMaster")
        return [Sheet(self, part, "master", f"master[{number}]") for number, part in enumerate(dict.fromkeys(parts), 1)]

    @cached_property
    def layouts(self) -> dict[str, Sheet]:
        """Layouts by part name, in the order of their masters' lists."""
        from docops.core.address import format_segment

        out: dict[str, Sheet] = {}
        for master in self.masters:
            parts = self._listed(f"{P}sldLayoutIdLst/{P}sldLayoutId", master.part, master.part.xml)
            parts = list(dict.fromkeys([*parts, *([] if parts else master.part.related("slideLayout"))]))
            names = [layout_name(part) for part in parts]
            parent = self._inherited_sheet(master)
            for position, part in enumerate(parts):
                name = names[position]
                ordinal = names[: position + 1].count(name) if names.count(name) > 1 else None
                segment = format_segment("layout", name, ordinal)
                out.setdefault(part.name, Sheet(self, part, "layout", f"{master.address}/{segment}", parent))
        return out

    @cached_property
    def slides(self) -> list[Sheet]:
        """Slides in presentation order."""
        out = []
        parts = self._listed(f"{P}sldIdLst/{P}sldId", self.part, self.root)
        check_pages(parts, self.part.package)
        for number, part in enumerate(parts, 1):
            layout = next(iter(part.related("slideLayout")), None)
            parent = self.layouts.get(layout.name) if layout is not None else None
            if parent is None and layout is not None:
                master = next(iter(layout.related("slideMaster")), None)
                owner = next((sheet for sheet in self.masters if master is not None and sheet.part.name == master.name), None)
                parent = Sheet(self, layout, "layout", f"part[{layout.name}]", owner)
            parent = self._inherited_sheet(parent) if parent is not None else None
            out.append(Sheet(self, part, "slide", f"slide[{number}]", parent, number))
        return out

    @cached_property
    def slide_numbers(self) -> Mapping[str, int]:
        """Slide part → position."""
        return {sheet.part.name: sheet.number for sheet in self.slides}

    @cached_property
    def notes_master(self) -> Sheet | None:
        """The master of the notes pages."""
        part = next(iter(self.part.related("notesMaster")), None)
        return Sheet(self, part, "notes_master", "notes_master") if part is not None else None

    @cached_property
    def handout_master(self) -> Sheet | None:
        """The master of handouts."""
        part = next(iter(self.part.related("handoutMaster")), None)
        return Sheet(self, part, "handout_master", "handout_master") if part is not None else None

    def notes_of(self, slide: Sheet) -> Sheet | None:
        """A slide's notes page."""
        part = next(iter(slide.part.related("notesSlide")), None)
        if part is None:
            return None
        parent = self._inherited_sheet(self.notes_master) if self.notes_master is not None else None
        return Sheet(self, part, "notes", f"{slide.address}/notes", parent, slide.number)

    def _inherited_sheet(self, sheet: Sheet) -> Sheet:
        """The sheet of the base that stands in for one of this presentation."""
        if self.base is None:
            return sheet
        address = self._terms.layouts.get(sheet.address, sheet.address) if self._terms is not None else sheet.address
        return self.base.sheets_by_address.get(address, sheet)

    @cached_property
    def sheets_by_address(self) -> Mapping[str, Sheet]:
        """Layouts and masters by address."""
        masters = [*self.masters, *(sheet for sheet in (self.notes_master, self.handout_master) if sheet is not None)]
        return {sheet.address: sheet for sheet in (*masters, *self.layouts.values())}

    @property
    def styles(self) -> Deck:
        """The presentation whose text defaults and table styles apply."""
        return self.base if self.base is not None else self

    @cached_property
    def first_number(self) -> int:
        """The number of the first slide."""
        value = self.root.get("firstSlideNum") or "1"
        return int(value) if value.isdigit() else 1

    @cached_property
    def size(self) -> tuple[int, int]:
        """Width and height of a slide."""
        element = self.root.find(f"{P}sldSz")
        from docops.formats.ooxml.drawing import emu

        return (emu(element.get("cx")), emu(element.get("cy"))) if element is not None else (9144000, 6858000)

    @cached_property
    def known(self) -> dict[str, str]:
        """What stands for the modelled parts in canonical XML."""
        out = {name: self.slide_identity(name) for name in self.slide_numbers}
        out |= {name: sheet.address for name, sheet in self.layouts.items()}
        out |= {sheet.part.name: sheet.address for sheet in self.masters}
        for sheet in (self.notes_master, self.handout_master):
            if sheet is not None:
                out[sheet.part.name] = sheet.address
        return out

    def slide_identity(self, part_name: str) -> str:
        """What a reference to a slide says."""
        if self._terms is not None and part_name in self._terms.slides:
            return self._terms.slides[part_name]
        number = self.slide_numbers.get(part_name)
        return f"slide {number}" if number is not None else "no slide"

    def counterparts(self, part_name: str) -> Mapping[str, str]:
        """Paths of shapes of a slide → what references to them say, where that is another."""
        return self._terms.shapes.get(part_name, {}) if self._terms is not None else {}

    def section_identity(self, name: str) -> str:
        """What slides say of the section that they stand in."""
        return self._terms.sections.get(name, name) if self._terms is not None else name

    def theme_of(self, sheet: Sheet) -> Part | None:
        """The theme of a sheet's master; the presentation's where it has none."""
        master = self._inherited_sheet(sheet.master)
        return master.deck.own_theme(master)

    def own_theme(self, master: Sheet | None) -> Part | None:
        """The theme of a master of this presentation; the presentation's where it has none."""
        for candidate in (*([master.part] if master is not None else []), self.part):
            theme = next(iter(candidate.related("theme")), None)
            if theme is not None:
                return theme
        return None

    def slots_of(self, theme: Part | None) -> Mapping[str, str]:
        """Colour slot → RRGGBB of a theme."""
        if theme is None:
            return {}
        if theme.digest not in self._slots:
            self._slots[theme.digest] = theme_colours(theme.xml)
        return self._slots[theme.digest]

    def fonts_of(self, sheet: Sheet) -> Mapping[str, str]:
        """`+mj-lt`, … → typeface of a sheet's theme."""
        theme = self.theme_of(sheet)
        name = theme.digest if theme is not None else ""
        if name not in self._fonts:
            fonts: dict[str, str] = {}
            for which, short in (("major", "mj"), ("minor", "mn")):
                for script, end in (("latin", "lt"), ("ea", "ea"), ("cs", "cs")):
                    face = theme.xml.find(f"{A}themeElements/{A}fontScheme/{A}{which}Font/{A}{script}") if theme is not None else None
                    if face is not None and face.get("typeface") is not None:
                        fonts[f"+{short}-{end}"] = face.get("typeface") or ""
            self._fonts[name] = fonts
        return self._fonts[name]

    def link(self, element: etree._Element, part: Part) -> Value:
        """What a link element leads to: a URL, a slide, an action; with its tooltip and the like where it has any."""
        rel = part.relationships.get(element.get(f"{R}id") or "")
        action = element.get("action") or ""
        if rel is None:
            target = action if not element.get(f"{R}id") else "nothing"
        elif rel.external:
            # Programs write a space of an address either way.
            target = rel.target.replace(" ", "%20")
        elif rel.type == "slide":
            target = self.slide_identity(rel.target)
        else:
            linked = self.package.parts.get(rel.target)
            target = f"{rel.type} {linked.digest[:24]}" if linked is not None else "nothing"
        if action in {"ppaction://hlinksldjump", target}:
            action = ""
        out: dict[str, Value] = {"to": target}
        if action:
            out["action"] = action
        for name in ("tooltip", "tgtFrame", "invalidUrl", "highlightClick", "endSnd"):
            value = element.get(name)
            if value and value not in {"0", "false"}:
                out[name] = value
        if element.get("history") in {"0", "false"}:
            out["history"] = "0"
        sound = element.find(f"{A}snd")
        if sound is not None:
            media = part.target(sound.get(f"{R}embed"))
            out["sound"] = f"{sound.get('name') or ''} {media.digest[:24] if media is not None else 'missing'}"
        colour = [child for child in element if isinstance(child.tag, str) and child.tag != f"{A}snd"]
        if colour:
            rest = "".join(Markup(self.package, self.rules, {}, colours=Colours()).rest(child, part) for child in colour)
            if rest:
                out["more"] = rest
        return target if len(out) == 1 else out

    def _listed(self, path: str, part: Part, root: etree._Element) -> list[Part]:
        found = (part.target(element.get(f"{R}id")) for element in root.iterfind(path))
        return [target for target in found if target is not None]


def layout_name(part: Part) -> str:
    """A layout's name."""
    element = part.xml.find(f"{P}cSld")
    return (element.get("name") or "") if element is not None else ""
