"""One document as its parts see it: objects, canonical digests, targets, form, layers and interpreted pages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from docops.core.node import Value
from docops.formats.pdf import layout
from docops.formats.pdf.annotations import Annotation, annotation_facts, annotations_of
from docops.formats.pdf.canonical import Canonical
from docops.formats.pdf.content import Interpreter
from docops.formats.pdf.fonts import Font
from docops.formats.pdf.form import Field, Form
from docops.formats.pdf.graphics import Box, Content, Cover, Fragment, Matrix, State, apply, intersect, short
from docops.formats.pdf.layers import hidden_layers, layer_hidden
from docops.formats.pdf.parts import Attachment, attachments
from docops.formats.pdf.reading import Object, Objects, Page, Ref, Stream
from docops.formats.pdf.targets import Targets, name_tree
from docops.formats.pdf.visibility import ANNOTATION, hide

_LETTER = (0.0, 0.0, 612.0, 792.0)
_HIDDEN = 0b100010


@dataclass(slots=True)
class PageContent:
    """What one page paints, with its blocks of text."""

    content: Content
    blocks: list[layout.Block]
    unreadable: list[str]


class Model:
    """The parts of one document.

    page_name: 0-based page index → what stands for that page in facts.
    contents: interpreted pages, shared between models of one file.
    """

    def __init__(self, objects: Objects, page_name: Callable[[int], str] | None = None, contents: dict[int, PageContent] | None = None) -> None:
        self.objects = objects
        self.canonical = Canonical(objects, page_name)
        self.targets = Targets(objects, self.canonical)
        self.fonts: dict[object, Font] = {}
        self.contents = contents if contents is not None else {}
        self._appearances: dict[int, Content] = {}
        self._appearance_digests: dict[int, str] = {}
        self._annotations: dict[int, list[Annotation]] = {}

    @cached_property
    def form(self) -> Form:
        """The interactive form."""
        return Form(self)

    @cached_property
    def attachments(self) -> list[Attachment]:
        """The files that the document carries."""
        return attachments(self)

    @cached_property
    def attachment_of(self) -> dict[str, str]:
        """Address of an annotation → address of the file that it carries."""
        return {entry.owners[0]: entry.address for entry in self.attachments if entry.owners}

    @cached_property
    def parent_tree(self) -> dict[int, Object]:
        """Number → the structure elements that the marks of a page (or an object) belong to."""
        pairs = name_tree(self.objects, self.objects.at(self.objects.catalog, "StructTreeRoot", "ParentTree"))
        return {int(number): value for number, value in pairs if number.lstrip("-").isdigit()}

    @cached_property
    def _places(self) -> dict[Ref, tuple[Page, Annotation]]:
        """Annotation reference → where it stands."""
        out: dict[Ref, tuple[Page, Annotation]] = {}
        for page in self.objects.pages:
            for annotation in self.annotations(page):
                if isinstance(annotation.reference, Ref):
                    out.setdefault(annotation.reference, (page, annotation))
        return out

    @cached_property
    def widget_pages(self) -> dict[Ref, str]:
        """Annotation reference → the name of the page it stands on."""
        return {ref: self.canonical.page_name(page.index) for ref, (page, _) in self._places.items()}

    def stands_on(self, page: Page, annotation: dict[str, Object]) -> bool:
        """Whether an annotation has a size on what is seen of a page; one without a rectangle is taken to."""
        rect = self.objects.numbers_at(annotation, "Rect")
        if rect is None or len(rect) != 4:
            return True
        seen = intersect((min(rect[0], rect[2]), min(rect[1], rect[3]), max(rect[0], rect[2]), max(rect[1], rect[3])), self.box(page, "CropBox"))
        return seen[2] - seen[0] >= 1 and seen[3] - seen[1] >= 1

    def page_of_widget(self, reference: Object) -> Page | None:
        """The page that an annotation stands on, or None."""
        place = self._places.get(reference) if isinstance(reference, Ref) else None
        return None if place is None else place[0]

    def widget_address(self, reference: Object) -> str | None:
        """The address of an annotation, or None where it stands on no page."""
        place = self._places.get(reference) if isinstance(reference, Ref) else None
        return None if place is None else f"page[{place[0].index + 1}]/annotation[{place[1].number}]"

    def widget_looks(self, entry: Field) -> list[Value]:
        """One digest a widget of all that the widget states, so that its change is a change of its field as well."""
        out: list[Value] = []
        for widget in entry.widgets:
            place = self._places.get(widget) if isinstance(widget, Ref) else None
            if place is not None:
                facts = annotation_facts(self, *place)
                out.append(short(*sorted(f"{aspect} {name} {value!r}" for (aspect, name), value in facts.items() if name != "appearance_state")))
        return out

    def annotations(self, page: Page) -> list[Annotation]:
        """The annotations of a page."""
        if page.index not in self._annotations:
            self._annotations[page.index] = annotations_of(self, page)
        return self._annotations[page.index]

    # -- layers ----------------------------------------------------------------------------------------------------

    @cached_property
    def hidden_layers(self) -> frozenset[Ref]:
        """Optional content groups that are off when the document is opened."""
        return hidden_layers(self.objects)

    def layer_hidden(self, value: Object) -> bool:
        """Whether an optional content group or membership dictionary is switched off."""
        return layer_hidden(self.objects, self.hidden_layers, value)

    def hidden_annotation(self, annotation: dict[str, Object]) -> bool:
        """Whether a reader does not see an annotation: by its flags, or for its layer."""
        return bool(self.objects.int_at(annotation, "F") & _HIDDEN) or ("OC" in annotation and self.layer_hidden(annotation["OC"]))

    # -- pages -----------------------------------------------------------------------------------------------------

    def box(self, page: Page, key: str, *, clipped: bool = True) -> Box:
        """A page's effective box: its own, inherited, or what stands for it.   clipped: to what lies on the medium."""
        numbers = self.objects.numbers_at(page.effective(key)) if key in {"MediaBox", "CropBox"} else self.objects.numbers_at(page.dict, key)
        if numbers is not None and len(numbers) == 4:
            x0, y0, x1, y1 = numbers
            own = (min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1))
            if key == "MediaBox" or not clipped or own[2] <= own[0] or own[3] <= own[1]:
                return own
            return intersect(own, self.box(page, "MediaBox"))
        if key == "MediaBox":
            return _LETTER
        return self.box(page, "MediaBox" if key == "CropBox" else "CropBox", clipped=clipped)

    def page_content(self, page: Page) -> PageContent:
        """What the page paints; interpreted at first use."""
        if page.index not in self.contents:
            self.contents[page.index] = self._interpret(page)
        return self.contents[page.index]

    def _interpret(self, page: Page) -> PageContent:
        contents = self.objects.get(page.dict.get("Contents"))
        pieces: list[bytes] = []
        unreadable: list[str] = []
        for item in contents if isinstance(contents, list) else [contents]:
            stream = self.objects.get(item)
            if isinstance(stream, Stream):
                data, rest = stream.decode()
                self.objects.spend("bytes of content", len(data), self.objects.limits.pdf_content_bytes)
                pieces.append(data)
                if rest:
                    unreadable.append(self.canonical.digest(stream))
            elif stream is not None:
                unreadable.append(str(self.canonical.value(stream)))
        unit = self.objects.at(page.dict, "UserUnit")
        unit = float(unit) if isinstance(unit, int | float) and unit > 0 else 1.0
        interpreter = Interpreter(self.objects, self.canonical, self.layer_hidden, self.fonts, unit, self.box(page, "CropBox"))
        content = interpreter.run(b"\n".join(pieces), page.effective("Resources"))
        self.objects.spend("drawing operators", content.operators, self.objects.limits.pdf_operators)
        self.objects.spend("pieces of text", len(content.fragments), self.objects.limits.pdf_texts)
        hide(content, self.box(page, "CropBox"), self._annotation_covers(page) if content.fragments else [])
        return PageContent(content, layout.blocks(content.fragments), unreadable)

    def _annotation_covers(self, page: Page) -> list[Cover]:
        """What annotations paint over the page."""
        out: list[Cover] = []
        for annotation in self.annotations(page):
            rect = self.objects.numbers_at(annotation.dict, "Rect")
            if rect is None or len(rect) != 4 or self.hidden_annotation(annotation.dict):
                continue
            x0, y0, x1, y1 = min(rect[0], rect[2]), min(rect[1], rect[3]), max(rect[0], rect[2]), max(rect[1], rect[3])
            stream = self.face(annotation.dict)
            if stream is None:
                ground = self.objects.numbers_at(annotation.dict, {"Square": "IC", "FreeText": "C"}.get(annotation.subtype, "")) or []
                if len(ground) in {1, 3} and "AP" not in annotation.dict and self.objects.at(annotation.dict, "CA") in (None, 1):
                    out.append(Cover((x0, y0, x1, y1), (ground[0], ground[-2 % len(ground)], ground[-1]), ANNOTATION, True))
                continue
            bounds = self.objects.numbers_at(stream.dict, "BBox")
            if bounds is None or len(bounds) != 4 or bounds[0] == bounds[2] or bounds[1] == bounds[3]:
                continue
            sx, sy = (x1 - x0) / abs(bounds[2] - bounds[0]), (y1 - y0) / abs(bounds[3] - bounds[1])
            place: Matrix = (sx, 0, 0, sy, x0 - min(bounds[0], bounds[2]) * sx, y0 - min(bounds[1], bounds[3]) * sy)
            for cover in self.appearance_content(stream).covers:
                low = apply(place, cover.box[0], cover.box[1])
                high = apply(place, cover.box[2], cover.box[3])
                shape = tuple(tuple(apply(place, x, y) for x, y in ring) for ring in cover.rings)
                out.append(Cover((*low, *high), cover.rgb, ANNOTATION, cover.opaque, shape, cover.even_odd))
        return out

    def faces(self, annotation: dict[str, Object]) -> Iterator[Stream]:
        """Every appearance that an annotation brings, for whatever state."""
        for value in self.objects.dict_at(annotation, "AP").values():
            face = self.objects.get(value)
            for item in face.values() if isinstance(face, dict) else [face]:
                stream = self.objects.get(item)
                if isinstance(stream, Stream):
                    yield stream

    def face(self, annotation: dict[str, Object]) -> Stream | None:
        """The normal appearance that a reader sees."""
        face = self.objects.at(annotation, "AP", "N")
        if isinstance(face, dict):
            face = self.objects.get(face.get(self.objects.text_at(annotation, "AS") or "Off"))
        return face if isinstance(face, Stream) else None

    # -- appearances -----------------------------------------------------------------------------------------------

    def appearance_content(self, stream: Stream) -> Content:
        """What an appearance stream paints, in its own space."""
        if id(stream) not in self._appearances:
            interpreter = Interpreter(self.objects, self.canonical, self.layer_hidden, self.fonts)
            interpreter.form(stream, State(), self.objects.dict_at(self.form.dict, "DR"))
            bounds = self.objects.numbers_at(stream.dict, "BBox")
            content = interpreter.content
            if bounds is not None and len(bounds) == 4:
                hide(content, (min(bounds[0], bounds[2]), min(bounds[1], bounds[3]), max(bounds[0], bounds[2]), max(bounds[1], bounds[3])))
            self._appearances[id(stream)] = content
        return self._appearances[id(stream)]

    def appearance_hidden(self, stream: Stream) -> list[tuple[str, str]]:
        """The texts that an appearance holds and does not show, each with the reason."""
        pieces = (piece for block in layout.blocks(self.appearance_content(stream).fragments) for piece in block.pieces())
        return [(piece.text.strip(), piece.hidden) for piece in pieces if piece.hidden and piece.hidden != "off the page" and piece.text.strip()]

    def appearance_text(self, stream: Stream) -> str:
        """The text that an appearance shows."""
        pieces = (piece for block in layout.blocks(self.appearance_content(stream).fragments) for piece in (*block.pieces(), layout.Piece("\n", "")))
        return "".join(piece.text for piece in pieces if not piece.hidden or piece.hidden == "off the page").strip()

    def appearance(self, stream: Stream) -> str:
        """What stands for an appearance in facts: its text where it has any, and a digest of all it paints."""
        if id(stream) not in self._appearance_digests:
            content = self.appearance_content(stream)
            known = {"Length", "Filter", "DecodeParms", "Resources", "FormType", "Name"}
            rest = self.canonical.digest({key: value for key, value in stream.dict.items() if key not in known})
            fonts = sorted({f"{name} {self.canonical.digest(font.dict)}" for name, known in content.fonts.items() for font in known})
            text = self.appearance_text(stream)
            digest = short(rest, *fonts, *content.drawing, *map(fragment_text, content.fragments), *(f"{p.content}{p.box}{p.look}" for p in content.pictures))
            self._appearance_digests[id(stream)] = f"{text[:80]!r} {digest}" if text else digest
        return self._appearance_digests[id(stream)]


def fragment_text(fragment: Fragment) -> str:
    """A fragment with all that shows, for digests."""
    (x, y), (dx, dy) = fragment.start, fragment.direction
    end = f"{fragment.end[0]:.1f},{fragment.end[1]:.1f}"
    font = fragment.font.name if fragment.font is not None else "no font"
    return f"{fragment.text}|{x:.2f},{y:.2f}|{end}|{dx:.3f},{dy:.3f}|{fragment.size:.2f}|{font}|{fragment.colour.text}|{fragment.look}|{fragment.codes}|{fragment.tags}".replace("-0.0", "0.0")



