"""One shape of a sheet: what it is, where it stands, what it inherits, its text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from lxml import etree

from docops.core.address import format_segment
from docops.formats.ooxml.drawing import A, emu, fill_element, percentage
from docops.formats.ooxml.markup import boolean
from docops.formats.ooxml.package import Part
from docops.formats.ooxml.text import Cascade, Level, Paragraph, Properties
from docops.formats.pptx.deck import ADEC, P14, P, Placeholder, R, Sheet, read_placeholder, shape_elements

if TYPE_CHECKING:
    from docops.formats.pptx.tables import Table

_URI = "http://schemas.openxmlformats.org/drawingml/2006/"
CHART_URIS = frozenset({f"{_URI}chart", "http://schemas.microsoft.com/office/drawing/2014/chartex"})
TABLE_URI = f"{_URI}table"
DIAGRAM_URI = f"{_URI}diagram"
OLE_URI = "http://schemas.openxmlformats.org/presentationml/2006/ole"
MEDIA_TAGS = frozenset(A + name for name in ("audioFile", "videoFile", "wavAudioFile", "quickTimeFile", "audioCd"))


@dataclass(frozen=True, slots=True)
class Frame:
    """A rectangle in EMU; rotation in 60000ths of a degree, flip as `hv`."""

    x: float
    y: float
    width: float
    height: float
    rotation: int = 0
    flip: str = ""

    def holds(self, other: Frame, slack: float = 0) -> bool:
        """Whether another frame lies wholly inside."""
        return (
            self.x - slack <= other.x
            and self.y - slack <= other.y
            and other.x + other.width <= self.x + self.width + slack
            and other.y + other.height <= self.y + self.height + slack
        )

    def turned(self, inner: Frame) -> Frame:
        """A frame inside this one, flipped and turned with it about its centre."""
        if not self.rotation and not self.flip:
            return inner
        from math import cos, radians, sin

        angle = radians(self.rotation / 60000)
        across = inner.x + inner.width / 2 - self.x - self.width / 2
        down = inner.y + inner.height / 2 - self.y - self.height / 2
        across, down = -across if "h" in self.flip else across, -down if "v" in self.flip else down
        x = self.x + self.width / 2 + across * cos(angle) - down * sin(angle)
        y = self.y + self.height / 2 + across * sin(angle) + down * cos(angle)
        # One flip turns the sense of the turns inside.
        rotation = (self.rotation + (-inner.rotation if len(self.flip) == 1 else inner.rotation)) % 21600000
        flip = "".join(axis for axis in "hv" if (axis in self.flip) != (axis in inner.flip))
        return Frame(x - inner.width / 2, y - inner.height / 2, inner.width, inner.height, rotation, flip)

    def bounds(self) -> Frame:
        """The upright rectangle that the turned one fills."""
        if self.rotation % 21600000 == 0:
            return self
        from math import cos, radians, sin

        angle = radians(self.rotation / 60000)
        width = abs(self.width * cos(angle)) + abs(self.height * sin(angle))
        height = abs(self.width * sin(angle)) + abs(self.height * cos(angle))
        return Frame(self.x + (self.width - width) / 2, self.y + (self.height - height) / 2, width, height)


def read_frame(xfrm: etree._Element | None, ext: etree._Element | None) -> Frame | None:
    """The frame of an `xfrm` with an `a:ext`, its own or an inherited one; None without either."""
    off = xfrm.find(A + "off") if xfrm is not None else None
    if xfrm is None or off is None or ext is None:
        return None
    flip = "".join(axis for axis, name in (("h", "flipH"), ("v", "flipV")) if boolean(xfrm.get(name) or "0"))
    return Frame(emu(off.get("x")), emu(off.get("y")), emu(ext.get("cx")), emu(ext.get("cy")), emu(xfrm.get("rot")) % 21600000, flip)


@dataclass(eq=False)
class Shape:
    """A shape with its place among its siblings.

    wrapper: the alternative content it is the shown choice of.   group: the group around it.
    """

    element: etree._Element
    sheet: Sheet
    name: str
    ordinal: int | None
    number: int
    container: str
    group: Shape | None = None
    wrapper: etree._Element | None = None

    @cached_property
    def address(self) -> str:
        """Its node's address."""
        return f"{self.container}/{format_segment('shape', self.name, self.ordinal)}"

    @cached_property
    def local(self) -> str:
        """The element's local name."""
        return self.element.tag.rpartition("}")[2]

    @property
    def part(self) -> Part:
        """The part it is written in."""
        return self.sheet.part

    @cached_property
    def non_visual(self) -> etree._Element | None:
        """Its `nvSpPr`, `nvPicPr`, …"""
        return next((child for child in self.element if isinstance(child.tag, str) and child.tag.rpartition("}")[2].startswith("nv")), None)

    @cached_property
    def properties(self) -> etree._Element | None:
        """Its `cNvPr`."""
        holder = self.non_visual
        if holder is None:
            return None
        return next((child for child in holder if isinstance(child.tag, str) and child.tag.endswith("}cNvPr")), None)

    @cached_property
    def placeholder(self) -> Placeholder | None:
        """The placeholder it is, or None."""
        return read_placeholder(self.element)

    @cached_property
    def inherited(self) -> list[tuple[etree._Element, Sheet]]:
        """The shapes that its placeholder inherits from, nearest first."""
        return self.sheet.inherited(self.placeholder) if self.placeholder is not None else []

    @cached_property
    def placeholder_type(self) -> str:
        """The type of its placeholder as its layout says where it does not itself; "" without one."""
        if self.placeholder is None:
            return ""
        if self.placeholder.type != "obj":
            return self.placeholder.type
        # A program may leave the type out where the layout gives it.
        inherited = read_placeholder(self.inherited[0][0]) if self.inherited and self.inherited[0][1].role == "layout" else None
        return inherited.type if inherited is not None else "obj"

    @cached_property
    def graphic(self) -> etree._Element | None:
        """The `a:graphicData` of a graphic frame."""
        return self.element.find(f"{A}graphic/{A}graphicData") if self.local == "graphicFrame" else None

    @cached_property
    def kind(self) -> str:
        """shape, picture, media, table, chart, diagram, ole, frame, connector, group or ink."""
        if self.local == "pic":
            return "media" if self.media else "picture"
        if self.local == "graphicFrame":
            uri = (self.graphic.get("uri") or "") if self.graphic is not None else ""
            if uri in CHART_URIS:
                return "chart"
            return {TABLE_URI: "table", DIAGRAM_URI: "diagram", OLE_URI: "ole"}.get(uri, "frame")
        return {"sp": "shape", "cxnSp": "connector", "grpSp": "group", "contentPart": "ink"}.get(self.local, self.local)

    @cached_property
    def media(self) -> list[etree._Element]:
        """Elements that point at sound or video."""
        holder = self.non_visual
        if holder is None:
            return []
        return [child for child in holder.iter() if child.tag in MEDIA_TAGS or child.tag == f"{P14}media"]

    @cached_property
    def hidden(self) -> bool:
        """Whether it, or a group around it, is switched off."""
        own = self.properties is not None and boolean(self.properties.get("hidden") or "0")
        return own or (self.group is not None and self.group.hidden)

    @cached_property
    def decorative(self) -> bool:
        """Whether it is marked as decoration."""
        if self.properties is None:
            return False
        return any(boolean(mark.get("val") or "0") for mark in self.properties.iter(f"{ADEC}decorative"))

    @cached_property
    def shape_properties(self) -> etree._Element | None:
        """Its `spPr` or `grpSpPr`."""
        found = self.element.find(f"{P}spPr")
        return found if found is not None else self.element.find(f"{P}grpSpPr")

    def own_and_inherited_properties(self) -> Iterator[tuple[etree._Element, Sheet]]:
        """Its shape properties and those its placeholder inherits, nearest first."""
        if self.shape_properties is not None:
            yield self.shape_properties, self.sheet
        for element, sheet in self.inherited:
            properties = element.find(f"{P}spPr")
            if properties is not None:
                yield properties, sheet

    @cached_property
    def transform(self) -> etree._Element | None:
        """The `xfrm` that holds for it: its own, or its layout's or master's."""
        own = self.element.find(f"{P}xfrm")
        if own is not None and own.find(A + "off") is not None:
            return own
        for properties, _ in self.own_and_inherited_properties():
            found = properties.find(A + "xfrm")
            if found is not None and found.find(A + "off") is not None:
                return found
        for element, _ in self.inherited:
            found = element.find(f"{P}xfrm")
            if found is not None:
                return found
        return None

    @cached_property
    def own_frame(self) -> Frame | None:
        """Its frame in the coordinates it is written in; a size that it leaves out is inherited."""
        own = self.transform.find(A + "ext") if self.transform is not None else None
        if own is None:
            own = next((ext for properties, _ in self.own_and_inherited_properties() if (ext := properties.find(f"{A}xfrm/{A}ext")) is not None), None)
        return read_frame(self.transform, own)

    @cached_property
    def relative(self) -> Frame | None:
        """Its frame from the corner of the group around it (of the slide without one), in the group's scale."""
        frame = self.own_frame
        if frame is None or self.group is None:
            return frame
        x, y, scale_x, scale_y = self.group.inner
        return Frame((frame.x - x) * scale_x, (frame.y - y) * scale_y, frame.width * scale_x, frame.height * scale_y, frame.rotation, frame.flip)

    @cached_property
    def inner(self) -> tuple[float, float, float, float]:
        """A group's inner corner, and how its inner units scale."""
        frame, xfrm = self.own_frame, self.transform
        if frame is None or xfrm is None:
            return 0.0, 0.0, 1.0, 1.0
        off, ext = xfrm.find(A + "chOff"), xfrm.find(A + "chExt")
        if off is None or ext is None:
            return frame.x, frame.y, 1.0, 1.0
        width, height = emu(ext.get("cx")), emu(ext.get("cy"))
        return emu(off.get("x")), emu(off.get("y")), frame.width / width if width else 1.0, frame.height / height if height else 1.0

    @cached_property
    def frame(self) -> Frame | None:
        """Its frame on the slide, with the scales, turns and flips of the groups around it worked out."""
        frame = self.relative
        if frame is None or self.group is None:
            return frame
        outer = self.group.frame
        own = self.group.own_frame
        if outer is None or own is None:
            return frame
        scale_x = outer.width / own.width if own.width else 1.0
        scale_y = outer.height / own.height if own.height else 1.0
        width, height = frame.width * scale_x, frame.height * scale_y
        return outer.turned(Frame(outer.x + frame.x * scale_x, outer.y + frame.y * scale_y, width, height, frame.rotation, frame.flip))

    def fill_of(self) -> tuple[etree._Element, Sheet] | None:
        """The fill element that holds for it, its own or inherited; None where only its style or nothing says."""
        for properties, sheet in self.own_and_inherited_properties():
            fill = fill_element(properties)
            if fill is not None:
                return fill, sheet
        return None

    @cached_property
    def style(self) -> etree._Element | None:
        """Its `p:style`."""
        found = self.element.find(f"{P}style")
        if found is None:
            found = next((style for element, _ in self.inherited if (style := element.find(f"{P}style")) is not None), None)
        return found

    @cached_property
    def text_body(self) -> etree._Element | None:
        """Its `txBody`."""
        return self.element.find(f"{P}txBody")

    @cached_property
    def text_scale(self) -> float:
        """By what its text is shrunk to fit, as it is stored; 1 where it is not."""
        for element in (self.element, *(element for element, _ in self.inherited)):
            for child in element.iterfind(f"{P}txBody/{A}bodyPr/*"):
                if child.tag == A + "normAutofit":
                    return percentage(child.get("fontScale") or "100000")
                if child.tag in {A + "noAutofit", A + "spAutoFit"}:
                    return 1.0
        return 1.0

    @cached_property
    def shapes(self) -> list[Shape]:
        """The shapes of a group."""
        return read_shapes(self.element, self.sheet, self.address, self) if self.local == "grpSp" else []

    def cascade(self) -> Cascade:
        """What its paragraphs inherit."""
        base = self.sheet.cascade(self.placeholder)
        own = self.text_body.find(A + "lstStyle") if self.text_body is not None else None
        font = self.style.find(A + "fontRef") if self.style is not None else None
        has_own = own is not None and len(own) > 0
        if not has_own and font is None:
            return base
        sources = list(self.sheet.text_sources(self.placeholder))
        if font is not None:
            # The style's font and colour stand nearer than the defaults and farther than any list style.
            run = self._style_run(font)
            levels: dict[int, Level] = {number: Level({}, run) for number in range(9)}
            sources.insert(len(sources) - (3 if self.placeholder is None else 2), levels)
        if has_own:
            sources.insert(0, self.sheet.reader.list_style(own, self.part))
        return Cascade(sources)

    def _style_run(self, font: etree._Element) -> Properties:
        run: Properties = {}
        index = font.get("idx") or "none"
        short = {"major": "mj", "minor": "mn"}.get(index)
        if short is not None:
            for script, name in (("lt", "font"), ("ea", "font_east_asian"), ("cs", "font_complex")):
                run[name] = self.sheet.reader.font(f"+{short}-{script}")
        if len(font):
            run["colour"] = self.sheet.markup.held_colour(font)
        return run

    @cached_property
    def paragraphs(self) -> list[Paragraph]:
        """The paragraphs of its own text; a shape that could hold text and holds none has one, empty."""
        if self.local != "sp":
            return []
        cascade = self.cascade()
        body = self.text_body
        found = body.findall(A + "p") if body is not None else []
        if not found:
            return [Paragraph("", "", 0, {}, [], empty_size=cascade.level(0).run["size"])]
        return [self.sheet.reader.paragraph(element, self.part, cascade) for element in found]

    @property
    def text(self) -> str:
        """Its paragraphs as a reader sees them, one a line."""
        return "\n".join(paragraph.shown for paragraph in self.paragraphs)

    @cached_property
    def table(self) -> Table | None:
        """The native table that it holds."""
        from docops.formats.pptx.tables import Table

        element = self.graphic.find(A + "tbl") if self.graphic is not None else None
        return Table(self, element) if element is not None else None

    def chart_part(self) -> Part | None:
        """The part of its chart."""
        return self._graphic_part(f"{R}id")

    def diagram_part(self, which: str) -> Part | None:
        """A part of its diagram: `dm` data, `lo` layout, `qs` style, `cs` colours."""
        return self._graphic_part(f"{R}{which}")

    def _graphic_part(self, attribute: str) -> Part | None:
        for child in self.graphic if self.graphic is not None else ():
            if isinstance(child.tag, str) and child.get(attribute):
                return self.part.target(child.get(attribute))
        return None


def read_shapes(container: etree._Element | None, sheet: Sheet, address: str, group: Shape | None = None) -> list[Shape]:
    """The shapes of a tree or group, in z-order, named and numbered."""
    found = list(shape_elements(container))
    names = [_name(element) for element, _ in found]
    counts = Counter(names)
    seen: dict[str, int] = {}
    out = []
    for number, ((element, wrapper), name) in enumerate(zip(found, names, strict=True), 1):
        seen[name] = seen.get(name, 0) + 1
        ordinal = seen[name] if counts[name] > 1 else None
        out.append(Shape(element, sheet, name, ordinal, number, address, group, wrapper))
    return out


def walk_shapes(shapes: Sequence[Shape]) -> Iterator[Shape]:
    """Shapes with what is in their groups, in z-order."""
    for shape in shapes:
        yield shape
        yield from walk_shapes(shape.shapes)


def _name(element: etree._Element) -> str:
    for child in element:
        if isinstance(child.tag, str) and child.tag.rpartition("}")[2].startswith("nv"):
            for inner in child:
                if isinstance(inner.tag, str) and inner.tag.endswith("}cNvPr"):
                    return inner.get("name") or ""
    return ""
