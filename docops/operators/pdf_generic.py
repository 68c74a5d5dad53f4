"""Corruptions of PDF documents that know no format beyond objects: any number, string or truth value of any dictionary."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from docops.core.address import format_segment
from docops.core.operator import CorruptionClass, Operator
from docops.formats.pdf.operators_model import PdfFile, PdfPlace, field_address, get, pdf_operator

#: Keys that say how a file is stored, what a reader recomputes, or that must be right for the file to open at all.
_SKIPPED = frozenset(
    {
        "/Length", "/Filter", "/DecodeParms", "/Type", "/Subtype", "/Count", "/Size", "/W", "/Index", "/First", "/N", "/Prev", "/Next",
        "/Parent", "/Kids", "/P", "/ID", "/Length1", "/Length2", "/Length3", "/Root", "/Info", "/CreationDate", "/ModDate", "/Producer",
        "/Creator", "/M", "/NM", "/StructParents", "/StructParent", "/MCID", "/Version", "/Extensions", "/DL", "/Params", "/CheckSum",
        "/Trapped", "/PieceInfo", "/LastModified", "/ViewerPreferences", "/PageLayout", "/PageMode", "/Flags", "/FirstChar", "/LastChar",
        "/CharSet", "/CIDSet", "/CIDSystemInfo", "/FontDescriptor", "/Widths", "/BitsPerComponent", "/Width", "/Height", "/ColorSpace",
        "/FormType", "/ProcSet", "/Predictor", "/Columns", "/FontMatrix", "/Resources", "/PTEX.Fullbanner", "/Ascent", "/Descent", "/CapHeight",
        "/StemV", "/ItalicAngle", "/FontBBox", "/MissingWidth", "/XHeight", "/Leading", "/AvgWidth", "/MaxWidth", "/StemH", "/FontName",
        "/BaseFont", "/Encoding", "/FontFamily", "/FontWeight", "/Name", "/F", "/DW", "/Registry", "/Ordering", "/Supplement",
        "/NeedAppearances", "/MarkInfo", "/Font", "/Limits", "/H",
    }
)


def _walk(start: Any, claimed: set[int], stop: frozenset[str]) -> Iterator[tuple[Any, Any]]:
    from pypdf.generic import DictionaryObject

    stack = [start]
    while stack:
        item = stack.pop()
        item = item.get_object() if hasattr(item, "get_object") else item
        if item is None or id(item) in claimed:
            continue
        if isinstance(item, DictionaryObject):
            claimed.add(id(item))
            if str(get(item, "/Type")) in ("/Font", "/XRef", "/ObjStm", "/Metadata"):
                continue
            for key in item:
                if key not in _SKIPPED and key not in stop:
                    yield item, key
                if key not in stop and key != "/Parent":
                    stack.append(item.raw_get(key))
        elif isinstance(item, list):
            claimed.add(id(item))
            stack.extend(item)


def _owners(file: PdfFile) -> Iterator[tuple[str, bool, Any, Any]]:
    claimed: set[int] = set()
    pages = {id(page) for page in file.pages}
    claimed |= pages
    for name, field in file.fields():
        if field is not None:
            yield from ((field_address(name), True, holder, key) for holder, key in _walk(field, claimed, frozenset({"/Dest", "/A"})))
    for path, entry in file.outline():
        yield from ((format_segment("outline", path), True, holder, key) for holder, key in _walk(entry, claimed, frozenset({"/Dest", "/A", "/First", "/Last", "/Next", "/Prev"})))
    for number, page in enumerate(file.pages, 1):
        for at, annotation in enumerate(file.annotations(page), 1):
            if annotation is not None:
                address = f"page[{number}]/annotation[{at}]"
                yield from ((address, True, holder, key) for holder, key in _walk(annotation, claimed, frozenset({"/Dest", "/Popup", "/AP"})))
        claimed.discard(id(page))
        yield from ((f"page[{number}]", False, holder, key) for holder, key in _walk(page, claimed, frozenset({"/Annots", "/Parent"})))
    catalog = frozenset({"/Pages", "/Outlines", "/Dests", "/Names", "/StructTreeRoot", "/Metadata"})
    yield from (("", True, holder, key) for holder, key in _walk(file.root, claimed, catalog))


def _changed(value: Any) -> Any:
    from pypdf.generic import BooleanObject, FloatObject, NumberObject, TextStringObject

    if isinstance(value, BooleanObject):
        return BooleanObject(not value.value)
    if isinstance(value, NumberObject):
        return NumberObject(int(value) + 7)
    if isinstance(value, FloatObject):
        return FloatObject(float(value) + 7)
    if isinstance(value, TextStringObject):
        return TextStringObject(str(value) + "x")
    return None


_ARRAYS = frozenset({"/Rect", "/MediaBox", "/CropBox", "/Border", "/C", "/QuadPoints", "/BBox", "/Matrix", "/Dest"})


def _scalars(file: PdfFile) -> Iterator[PdfPlace]:
    for address, exact, holder, key in _owners(file):
        value = holder.raw_get(key)
        if str(key) in ("/DA", "/Ff", "/Rotate", "/Q", "/FT") or type(value).__name__ == "IndirectObject":
            continue
        if _changed(value) is not None:
            yield PdfPlace(address, holder, f"{key} {value}", key, exact)
        elif isinstance(value, list) and str(key) in _ARRAYS and len(value) and _changed(value[-1]) is not None:
            yield PdfPlace(address, holder, f"{key} {list(value)}", key, exact)


@pdf_operator("pdf.value-changed", CorruptionClass.PRESERVATION_VIOLATION, _scalars, tags=("generic",))
def value_changed(file: PdfFile, place: PdfPlace) -> str:
    """A number, string or truth value of any object changes."""
    from pypdf.generic import NameObject

    value = place.object.raw_get(place.more)
    if isinstance(value, list):
        value[-1] = _changed(value[-1])
        return f"{place.more} {list(value)}"
    place.object[NameObject(place.more)] = _changed(value)
    return f"{place.more} {place.object[place.more]}"


_REMOVABLE = frozenset(
    {
        "/A", "/Contents", "/Border", "/C", "/BS", "/T", "/TU", "/TM", "/DV", "/MaxLen", "/Opt", "/AA", "/MK", "/Dest", "/URI", "/Lang",
        "/Group", "/Tabs", "/Annots", "/Subj", "/RC", "/OpenAction", "/PageLabels", "/Names", "/OCProperties", "/SMask", "/CropBox", "/Rotate",
    }
)


def _keys(file: PdfFile) -> Iterator[PdfPlace]:
    for address, exact, holder, key in _owners(file):
        value = get(holder, key)
        if str(key) not in _REMOVABLE or value is None or (isinstance(value, list) and not len(value)) or value == 0:
            continue
        if str(key) == "/T" or (str(key) == "/Contents" and str(get(holder, "/Type")) == "/Page" and not get(holder, "/Contents")):
            continue
        if str(key) == "/CropBox" and list(value) == list(get(holder, "/MediaBox") or []):
            continue
        if str(key) in ("/Border", "/BS", "/MK", "/C", "/Group", "/Tabs"):
            continue
        yield PdfPlace(address, holder, f"{key}", key, exact)


@pdf_operator("pdf.key-removed", CorruptionClass.STRUCTURE_CORRUPTION, _keys, tags=("generic",), effect="remove")
def key_removed(file: PdfFile, place: PdfPlace) -> str:
    """A key of any object is taken out."""
    del place.object[place.more]
    return "removed"


OPERATORS: tuple[Operator, ...] = tuple(value for value in list(globals().values()) if isinstance(value, Operator))
