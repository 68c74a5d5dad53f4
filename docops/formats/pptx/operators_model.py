"""Presentations as the pptx mutation operators see them: slides and shapes by address, read with lxml alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from lxml import etree

from docops.core.address import format_segment
from docops.core.operator import CorruptionClass, Operator, OperatorExample
from docops.operators.ooxml_file import A, OoxmlFile, Place, R, attributes, local_name, place_operator
from docops.operators.samples import blank_presentation, sample_presentation

SHAPES = {"sp", "pic", "graphicFrame", "cxnSp", "grpSp", "contentPart"}


class Slide(NamedTuple):
    """One slide: its number, its part, and the element that lists it."""

    number: int
    part: str
    element: etree._Element

    @property
    def address(self) -> str:
        """The slide's address."""
        return f"slide[{self.number}]"


class Shape(NamedTuple):
    """One shape of a slide."""

    address: str
    slide: Slide
    element: etree._Element
    kind: str


class PptxFile(OoxmlFile):
    """A presentation being edited."""

    @cached_property
    def slides(self) -> list[Slide]:
        """The slides in their order."""
        out: list[Slide] = []
        for element in self.xml(self.main).iterfind("{*}sldIdLst/{*}sldId"):
            part = self.target(self.main, element.get(f"{R}id"))
            if part is not None:
                out.append(Slide(len(out) + 1, part, element))
        return out

    @cached_property
    def shapes(self) -> list[Shape]:
        """Every shape of every slide, groups opened, in drawing order."""
        out: list[Shape] = []
        for slide in self.slides:
            tree = self.xml(slide.part).find("{*}cSld/{*}spTree")
            if tree is not None:
                out += _shapes(tree, slide, slide.address)
        return out

    def notes_part(self, slide: Slide) -> str | None:
        """The slide's notes part, or None."""
        parts = self.related(slide.part, "notesSlide")
        return parts[0] if parts else None

    def notes_body(self, slide: Slide) -> etree._Element | None:
        """The text of the notes page that a speaker writes, or None."""
        part = self.notes_part(slide)
        if part is None:
            return None
        for shape in self.xml(part).iter("{*}sp"):
            holder = shape.find("{*}nvSpPr/{*}nvPr/{*}ph")
            if holder is not None and holder.get("type") == "body":
                return shape
        return None


def _shapes(tree: etree._Element, slide: Slide, address: str) -> Iterator[Shape]:
    elements = [child for child in tree if local_name(child) in SHAPES]
    names = [name_of(element) for element in elements]
    for number, element in enumerate(elements):
        name = names[number]
        ordinal = names[:number].count(name) + 1 if names.count(name) > 1 else None
        if ordinal == 1:
            ordinal = 1
        own = f"{address}/{format_segment('shape', name, ordinal)}" if name else f"{address}/shape[{number + 1}]"
        yield Shape(own, slide, element, local_name(element))
        if local_name(element) == "grpSp":
            yield from _shapes(element, slide, own)


def name_of(shape: etree._Element) -> str:
    """The shape's name."""
    properties = shape.find("./*/{*}cNvPr")
    return (properties.get("name") or "") if properties is not None else ""


def placeholder(shape: etree._Element) -> etree._Element | None:
    """The shape's p:ph, or None."""
    return shape.find("./*/{*}nvPr/{*}ph")


def is_title(shape: etree._Element) -> bool:
    """Whether the shape is the slide's title."""
    holder = placeholder(shape)
    return holder is not None and holder.get("type") in ("title", "ctrTitle")


def paragraphs(element: etree._Element) -> list[etree._Element]:
    """The paragraphs of a shape."""
    return list(element.iter(f"{A}p"))


def text_of(element: etree._Element) -> str:
    """The text of a shape, its paragraphs on lines."""
    own = [element] if element.tag == f"{A}p" else paragraphs(element)
    return "\n".join("".join(text.text or "" for text in paragraph.iter(f"{A}t")) for paragraph in own)


def set_lines(body: etree._Element, lines: Sequence[str]) -> None:
    """Let a text body hold these lines and nothing else."""
    for paragraph in body.findall(f"{A}p"):
        body.remove(paragraph)
    for line in lines:
        paragraph = etree.SubElement(body, f"{A}p")
        run = etree.SubElement(paragraph, f"{A}r")
        etree.SubElement(run, f"{A}rPr", lang="en-US")
        etree.SubElement(run, f"{A}t").text = line


def frame(shape: etree._Element) -> etree._Element | None:
    """The shape's own a:xfrm or p:xfrm with a place and a size, or None."""
    for path in ("{*}spPr/{*}xfrm", "{*}xfrm", "{*}grpSpPr/{*}xfrm"):
        found = shape.find(path)
        if found is not None and found.find(f"{A}off") is not None and found.find(f"{A}ext") is not None:
            return found
    return None


def is_table(file: PptxFile, shape: Shape) -> bool:
    """Whether the shape is a native table."""
    return shape.kind == "graphicFrame" and shape.element.find(f".//{A}tbl") is not None


def drop_unused(file: PptxFile, part: str) -> None:
    """Drop the relationships of charts, pictures and links that a slide uses no more, with their parts."""
    used = {value for element in file.xml(part).iter() for key, value in attributes(element) if key.startswith(R)}
    for rel in file.rels(part):
        if rel.id not in used and rel.type in ("chart", "image", "hyperlink", "oleObject", "package"):
            file.drop_rel(part, rel.id)


def find_shapes(keep: Callable[[PptxFile, Shape], bool] = lambda file, shape: True) -> Callable[[PptxFile], Iterator[Place]]:
    """A finder of shapes that satisfy a condition."""

    def find(file: PptxFile) -> Iterator[Place]:
        for shape in file.shapes:
            if keep(file, shape):
                yield Place(shape.address, shape.slide.part, shape.element, text_of(shape.element) or name_of(shape.element), shape)

    return find


def find_slides(keep: Callable[[PptxFile, Slide], bool] = lambda file, slide: True) -> Callable[[PptxFile], Iterator[Place]]:
    """A finder of slides that satisfy a condition."""

    def find(file: PptxFile) -> Iterator[Place]:
        for slide in file.slides:
            if keep(file, slide):
                yield Place(slide.address, slide.part, file.xml(slide.part), text_of(file.xml(slide.part)), slide)

    return find


def find_paragraphs(keep: Callable[[PptxFile, Shape, etree._Element], bool]) -> Callable[[PptxFile], Iterator[Place]]:
    """A finder of paragraphs of shapes that satisfy a condition (tables and groups are named by the shape)."""

    def find(file: PptxFile) -> Iterator[Place]:
        for shape in file.shapes:
            if shape.kind == "grpSp":
                continue
            direct = shape.element.findall(f"{{*}}txBody/{A}p")
            for number, paragraph in enumerate(direct, 1):
                if keep(file, shape, paragraph):
                    yield Place(f"{shape.address}/paragraph[{number}]", shape.slide.part, paragraph, text_of(paragraph), shape)
            for row_number, row in enumerate(shape.element.iter(f"{A}tr"), 1):
                for cell_number, cell in enumerate(row.iterfind(f"{A}tc"), 1):
                    for paragraph in cell.iter(f"{A}p"):
                        if keep(file, shape, paragraph):
                            address = f"{shape.address}/row[{row_number}]/cell[{cell_number}]"
                            yield Place(address, shape.slide.part, paragraph, text_of(paragraph), shape)

    return find


SAMPLE = OperatorExample("a presentation with one of everything", sample_presentation)
BLANK = OperatorExample("a presentation without slides", blank_presentation, applies=False)


def pptx_operator(
    name: str,
    corruption_class: CorruptionClass,
    find: Callable[[PptxFile], Iterable[Place]],
    *,
    aspects: Sequence[str] = (),
    breaks: Sequence[str] = (),
    effect: str = "change",
    tags: Sequence[str] = (),
    examples: Sequence[OperatorExample] = (SAMPLE, BLANK),
) -> Callable[[Callable[[PptxFile, Place], str | None]], Operator]:
    """Make an operator on presentations."""
    return place_operator(
        PptxFile, ("pptx",), name, corruption_class, find, aspects=aspects, breaks=breaks, effect=effect, tags=tags, examples=examples
    )
