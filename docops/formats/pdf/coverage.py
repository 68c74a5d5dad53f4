"""How much of a PDF is modelled as facts, compared raw, or volatile, by class of object."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from docops.core.document import Coverage
from docops.formats.pdf.reading import Broken, Object, Ref, Stream

if TYPE_CHECKING:
    from docops.formats.pdf.model import Model

#: Classes whose keys are facts of their own; every other class is compared as canonical form.
_MODELLED = frozenset(
    {"Catalog", "Pages", "Page", "Annot", "Outlines", "Bookmark", "Field", "Form", "Image", "Filespec", "OCG", "StructElem", "StructTreeRoot", "Contents", "Info"}
)
_VOLATILE_KEYS = frozenset({"Producer", "ModDate", "LastModified", "Thumb", "NM", "M", "ViewerPreferences", "Parent", "Prev", "P", "ID", "Length", "Filter", "DecodeParms"})


def coverage(model: Model) -> list[Coverage]:
    """One row a class of objects; objects that nothing reaches are a class of their own."""
    totals: dict[str, list[int]] = {}

    def add(kind: str, size: int, place: int) -> None:
        row = totals.setdefault(kind, [0, 0, 0, 0])
        row[0] += size
        row[place] += 1

    reached: set[Ref] = set()
    for ref, value in _reachable(model, reached):
        kind = _kind(model, ref, value)
        dictionary = value.dict if isinstance(value, Stream) else value if isinstance(value, dict) else None
        size = len(value.raw) if isinstance(value, Stream) else 0
        if dictionary is None:
            add(kind, len(repr(value)), 1 if kind in _MODELLED else 2)
            continue
        for key, item in dictionary.items():
            place = 3 if key in _VOLATILE_KEYS else 1 if kind in _MODELLED else 2
            add(kind, len(key) + len(repr(item)) if not isinstance(item, Stream) else len(key), place)
        if size:
            add(kind, size, 1 if kind in _MODELLED else 2)
    reader = model.objects.reader
    known = {Ref(number, generation) for generation, entries in reader.xref.items() for number in entries}
    known |= {Ref(number, 0) for number in reader.xref_objStm}
    for ref in sorted(known - reached):
        if ref.number and ref.generation != 65535:
            value = model.objects.load(ref)
            add("unreachable", len(value.raw) if isinstance(value, Stream) else len(repr(value)), 3)
    return [Coverage(kind, *row) for kind, row in sorted(totals.items())]


def _reachable(model: Model, seen: set[Ref]) -> Iterator[tuple[Ref | None, Object]]:
    objects = model.objects
    stack: list[Object] = [objects.trailer.get(key) for key in ("Root", "Info", "Encrypt")]
    while stack:
        value = stack.pop()
        if isinstance(value, Ref):
            if value in seen:
                continue
            seen.add(value)
            target = objects.load(value)
            yield value, target
            stack.append(target)
        elif isinstance(value, Stream):
            stack.append(value.dict)
        elif isinstance(value, dict):
            stack.extend(value.values())
        elif isinstance(value, list):
            stack.extend(value)


def _kind(model: Model, ref: Ref | None, value: Object) -> str:
    if isinstance(value, Broken):
        return "unreadable"
    dictionary = value.dict if isinstance(value, Stream) else value
    if not isinstance(dictionary, dict):
        return "value"
    if ref is not None and ref == model.objects.trailer.get("Info"):
        return "Info"
    kind = model.objects.text_at(dictionary, "Type")
    if kind == "XObject" or (kind is None and isinstance(value, Stream)):
        return model.objects.text_at(dictionary, "Subtype") or "Contents"
    if kind is None:
        if "FT" in dictionary or "T" in dictionary:
            return "Field"
        if "Title" in dictionary and "Parent" in dictionary:
            return "Bookmark"
        if "S" in dictionary and "P" in dictionary:
            return "StructElem"
        if "Rect" in dictionary and "Subtype" in dictionary:
            return "Annot"
    return kind or "dictionary"
