"""Annotations of a page: links, notes, markup, form widgets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from docops.core.codes import Aspect
from docops.core.node import Node, Value
from docops.formats.pdf.graphics import short
from docops.formats.pdf.reading import Broken, Object, Page, Ref, Stream, as_text

if TYPE_CHECKING:
    from docops.formats.pdf.model import Model

Facts = dict[tuple[Aspect, str], Value]

FLAGS = ("invisible", "hidden", "print", "no_zoom", "no_rotate", "no_view", "read_only", "locked", "toggle_no_view", "locked_contents")
#: Keys that say what `annotation_facts` says in its own words, that lead back, or that no reader could miss (docs/facts-pdf.md).
_MODELLED = frozenset(
    {"Type", "Subtype", "Rect", "F", "Contents", "T", "Subj", "A", "Dest", "AP", "AS", "C", "Border", "BS", "P", "Parent", "Popup", "IRT", "NM", "M", "AA", "PA"}
)
#: Keys of a widget that belong to its field when both are one dictionary.
FIELD_KEYS = frozenset(
    {"FT", "Kids", "T", "TU", "TM", "Ff", "V", "DV", "DA", "DS", "RV", "Q", "Opt", "MaxLen", "TI", "I", "Lock", "SV"}
)
_COMMENT_KEYS = {"RC", "State", "StateModel", "RT", "Name", "IT"}
_GEOMETRY_KEYS = {"QuadPoints", "InkList", "L", "Vertices", "CL", "RD", "Path"}
_FORMAT_KEYS = {"CA", "ca", "IC", "LE", "DA", "DS", "Q", "MK", "H", "BE", "RO", "BM", "Open", "Lang", "LL", "LLE", "LLO", "CP", "Cap"}
_DEFAULTS: Mapping[str, Object] = {"CA": 1, "Q": 0, "H": "I", "RT": "R", "Open": False}


@dataclass(frozen=True, slots=True)
class Annotation:
    """One entry of a page's /Annots.   number: from 1.   reference: as it stands in the array."""

    number: int
    reference: Object
    dict: dict[str, Object]
    broken: str = ""

    @property
    def subtype(self) -> str:
        """The annotation's type, as PDF names it."""
        return str(self.dict.get("Subtype", ""))


def annotations_of(model: Model, page: Page) -> list[Annotation]:
    """The annotations of a page in their order; entries that are no dictionary keep their number."""
    objects = model.objects
    out: list[Annotation] = []
    for reference in objects.list_at(page.dict, "Annots")[: model.objects.limits.pdf_objects]:
        value = objects.get(reference)
        if isinstance(value, Stream):
            value = value.dict
        if isinstance(value, dict):
            out.append(Annotation(len(out) + 1, reference, value))
        elif isinstance(value, Broken):
            out.append(Annotation(len(out) + 1, reference, {}, value.reason))
    return out


def annotation_node(model: Model, parent: Node, page: Page, annotation: Annotation) -> Node:
    """The node of one annotation; a widget belongs to its field as well, a pop-up to the note that it shows, a pin to its file."""
    field = model.form.field_of(annotation.reference)
    owner = field.address if field is not None else model.widget_address(annotation.dict.get("Parent")) if annotation.subtype == "Popup" else None
    if "FS" in annotation.dict:
        owner = model.attachment_of.get(f"{parent.address}/annotation[{annotation.number}]")
    return Node(
        parent,
        "annotation",
        number=annotation.number,
        facts=lambda: annotation_facts(model, page, annotation),
        also=(owner,) if owner is not None else (),
    )


def rectangle(model: Model, value: Object) -> list[float] | None:
    """A rectangle with its lower left corner first, to hundredths."""
    numbers = model.objects.numbers_at(value)
    if numbers is None or len(numbers) != 4:
        return None
    x0, y0, x1, y1 = numbers
    return [plain(value) for value in (min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1))]


def plain(value: float) -> float:
    """A number to hundredths, whole where it is whole."""
    rounded = round(value, 2)
    return int(rounded) if rounded == int(rounded) and abs(rounded) < 1e15 else rounded


def flag_names(number: int, names: tuple[str, ...] = FLAGS) -> list[Value]:
    """The names of the bits that are set; a bit without a name by its number."""
    return [names[bit] if bit < len(names) and names[bit] else f"bit {bit + 1}" for bit in range(32) if number >> bit & 1]


def annotation_facts(model: Model, page: Page, annotation: Annotation) -> Facts:
    """Everything that one annotation states."""
    objects, canonical = model.objects, model.canonical
    entry = annotation.dict
    facts: Facts = {(Aspect.STRUCTURE, "type"): annotation.subtype or None}
    if annotation.broken:
        facts[Aspect.RAW, "unreadable"] = annotation.broken
        return facts
    if objects.at(entry, "Type") not in ("Annot", None):
        facts[Aspect.RAW, "Type"] = canonical.value(entry.get("Type"))
    facts[Aspect.GEOMETRY, "rect"] = list(rectangle(model, entry.get("Rect")) or [])
    facts[Aspect.FORMAT, "flags"] = flag_names(objects.int_at(entry, "F"))
    field = model.form.field_of(annotation.reference)
    for key, name in (("Contents", "contents"), ("T", "author"), ("Subj", "subject")):
        if key in entry and not (key == "T" and field is not None):
            facts[Aspect.COMMENT, name] = objects.text_at(entry, key)
    if "IRT" in entry:
        other = objects.dict_at(entry, "IRT")
        facts[Aspect.COMMENT, "reply_to"] = f"{other.get('Subtype', '')} {objects.text_at(other, 'Contents') or ''}"[:80]
    if "A" in entry:
        facts[Aspect.LINK, "action"] = model.targets.action(entry["A"])
    if "Dest" in entry:
        facts[Aspect.LINK, "action"] = model.targets.destination(entry["Dest"])
    if "PA" in entry:
        facts[Aspect.RAW, "PA"] = canonical.value(entry["PA"])
    if "AA" in entry:
        facts[Aspect.CODE, "actions"] = additional_actions(model, entry["AA"])
    if "C" in entry:
        facts[Aspect.FORMAT, "colour"] = canonical.value(entry["C"])
    border = _border(model, entry)
    if border != {"width": 1}:
        facts[Aspect.FORMAT, "border"] = border
    if "Popup" in entry:
        facts[Aspect.STRUCTURE, "popup"] = list(rectangle(model, objects.at(entry, "Popup", "Rect")) or [])
    if isinstance(entry.get("P"), Ref) and objects.page_numbers.get(entry["P"]) not in {page.index, None}:
        facts[Aspect.RAW, "P"] = canonical.value(entry["P"])
    facts.update(_appearance(model, annotation))
    for key in sorted(set(entry) - _MODELLED):
        if (field is not None and key in FIELD_KEYS) or key == "DR":  # resources; what is drawn with them is compared
            continue
        resolved = objects.get(entry[key])
        if key in _DEFAULTS and _DEFAULTS[key] == resolved:
            continue
        aspect = (
            Aspect.COMMENT
            if key in _COMMENT_KEYS
            else Aspect.GEOMETRY
            if key in _GEOMETRY_KEYS
            else Aspect.FORMAT
            if key in _FORMAT_KEYS
            else Aspect.RAW
        )
        facts[aspect, key] = canonical.value(entry[key])
    return facts


def _border(model: Model, entry: dict[str, Object]) -> Value:
    objects = model.objects
    style = objects.at(entry, "BS")
    if isinstance(style, dict):
        older = [objects.get(item) for item in objects.list_at(entry, "Border")]
        rest = {key: value for key, value in style.items() if key not in {"Type", "W"} and not (key == "S" and objects.get(value) == "S")}
        width = objects.at(style, "W")
        width = plain(width) if isinstance(width, int | float) else 1
        out: dict[str, Value] = {"width": width}
        if rest:
            out["style"] = model.canonical.value(rest)
        if older not in ([], [0, 0, 1], [0, 0, width]):  # readers that know no /BS take it
            out["border"] = model.canonical.value(older)
        return out
    border = objects.list_at(entry, "Border")
    numbers = [objects.get(item) for item in border]
    if not border or numbers == [0, 0, 1]:
        return {"width": 1}
    if len(numbers) == 3 and numbers[:2] == [0, 0] and isinstance(numbers[2], int | float):
        return {"width": plain(numbers[2])}
    return {"border": model.canonical.value(border)}


def additional_actions(model: Model, actions: Object) -> Value:
    """Actions by what triggers them."""
    return {key: model.targets.action(value) for key, value in sorted(model.objects.dict_at(actions).items())}


def _appearance(model: Model, annotation: Annotation) -> Facts:
    """What the annotation looks like; text that a form field shows as its value says is no state of its own."""
    objects, canonical = model.objects, model.canonical
    entry = annotation.dict
    facts: Facts = {}
    state = objects.at(entry, "AS")
    if state is not None:
        facts[Aspect.FORM, "appearance_state"] = as_text(state)
    appearances = objects.dict_at(entry, "AP")
    for key in sorted(appearances):
        value = objects.get(appearances[key])
        if isinstance(value, Broken):
            facts[Aspect.RAW, f"appearance {key}"] = f"unreadable object ({value.reason})"
        elif isinstance(value, Stream):
            filled = key == "N" and model.form.shows_text(annotation)
            if filled and (frame := model.appearance_content(value).drawing):
                facts[Aspect.RAW, "frame"] = short(*frame)
            if not filled or not model.form.appearance_derives(annotation):
                facts[Aspect.RAW, f"appearance {key}"] = model.appearance(value)
        elif isinstance(value, dict):
            shown = {name: objects.get(stream) for name, stream in value.items()}
            facts[Aspect.RAW, f"appearance {key}"] = {
                name: model.appearance(stream) if isinstance(stream, Stream) else canonical.value(stream) for name, stream in sorted(shown.items())
            }
    return facts
