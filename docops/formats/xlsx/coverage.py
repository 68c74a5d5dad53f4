"""How much of each part of a workbook is facts, how much is compared raw, how much is volatile."""

from __future__ import annotations

from collections.abc import Mapping

from docops.core.document import Coverage
from docops.core.errors import Unreadable
from docops.formats.ooxml.canonical import VOLATILE_RELATIONSHIPS
from docops.formats.ooxml.common import property_parts
from docops.formats.ooxml.package import Part
from docops.formats.xlsx.build import VOLATILE_ATTRIBUTES
from docops.formats.xlsx.document import modelled_parts
from docops.formats.xlsx.model import Workbook, X

#: Elements of modelled parts that are compared in canonical form with everything inside.
_RAW = frozenset(
    {
        *(
            f"{X}{name}"
            for name in (
                "protectedRanges",
                "scenarios",
                "dataConsolidate",
                "customSheetViews",
                "customProperties",
                "cellWatches",
                "ignoredErrors",
                "smartTags",
                "oleObjects",
                "controls",
                "webPublishItems",
                "extLst",
                "customWorkbookViews",
                "functionGroups",
                "webPublishing",
            )
        ),
    }
)
#: Elements that are no state, with everything inside.
_VOLATILE = frozenset({f"{X}{name}" for name in ("dimension", "selection", "fileVersion", "phoneticPr", "sheetCalcPr", "fileRecoveryPr", "mruColors")})
_RAW_KINDS = ("pivotCacheDefinition", "pivotCacheRecords", "pivotTable", "externalLink", "drawing+xml", "chart")


def workbook_coverage(workbook: Workbook) -> list[Coverage]:
    """One row for each part, relationship parts and content types included (they are resolved, so modelled)."""
    package = workbook.package
    modelled = modelled_parts(workbook) | set(property_parts(package))
    volatile = _volatile_parts(workbook)
    out = []
    for name in package.member_names:
        part = package.parts.get(name)
        if part is None:
            data = package.member_data(name)
            out.append(Coverage(name, len(data), data.count(b"<") - data.count(b"</"), 0, 0))
        else:
            out.append(_part(part, name in modelled, name in volatile))
    return out


def _part(part: Part, modelled: bool, volatile: bool) -> Coverage:
    nodes: Mapping[str, int] = {"modelled": 0, "raw": 1, "volatile": 0}
    try:
        if volatile:
            nodes = {"modelled": 0, "raw": 0, "volatile": _count(part)}
        elif part.is_xml and modelled and not any(kind in part.content_type for kind in _RAW_KINDS):
            nodes = _walk(part)
        elif part.is_xml:
            nodes = {"modelled": 0, "raw": _count(part), "volatile": 0}
        elif modelled:
            nodes = {"modelled": 1, "raw": 0, "volatile": 0}
    except Unreadable:
        nodes = {"modelled": 0, "raw": 1, "volatile": 0}
    return Coverage(part.name, len(part.data), nodes["modelled"], nodes["raw"], nodes["volatile"])


def _count(part: Part) -> int:
    return sum(1 + len(element.attrib) for element in part.xml.iter() if isinstance(element.tag, str)) if part.is_xml else 1


def _walk(part: Part) -> Mapping[str, int]:
    counts = {"modelled": 0, "raw": 0, "volatile": 0}
    stack = [(part.xml, "modelled")]
    while stack:
        element, kind = stack.pop()
        if not isinstance(element.tag, str):
            continue
        if element.tag in _VOLATILE:
            kind = "volatile"
        elif element.tag in _RAW and kind == "modelled":
            kind = "raw"
        counts[kind] += 1
        for name in element.attrib:
            gone = name in VOLATILE_ATTRIBUTES or f"{element.tag}@{name!s}" in VOLATILE_ATTRIBUTES
            counts["volatile" if gone else kind] += 1
        stack += [(child, kind) for child in element]
    return counts


def _volatile_parts(workbook: Workbook) -> set[str]:
    found = {part.name for kind in VOLATILE_RELATIONSHIPS for part in workbook.part.related(kind)}
    found |= {rel.target for rel in workbook.package.relationships("").values() if rel.type in VOLATILE_RELATIONSHIPS}
    for sheet in workbook.sheets:
        found |= {part.name for part in sheet.part.related("printerSettings")} if sheet.part is not None else set()
    return found
