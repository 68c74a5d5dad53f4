"""Content types that parts must declare for the programs of their format to open the file (ISO/IEC 29500-1, clauses 11 to 15)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from docops.core.codes import Aspect
from docops.core.node import Align, Node
from docops.formats.ooxml.canonical import content_essence
from docops.formats.ooxml.package import Package

_OFFICE = "application/vnd.openxmlformats-officedocument."


def _types(family: str, *names: str, **others: str) -> Iterator[tuple[str, str]]:
    yield from ((name, f"{_OFFICE}{family}.{name}+xml".lower()) for name in names)
    yield from ((name, f"{_OFFICE}{family}.{content}+xml".lower()) for name, content in others.items())


def _by_relationship() -> Mapping[str, frozenset[str]]:
    pairs = [
        *_types(
            "wordprocessingml", "styles", "numbering", "settings", "webSettings", "fontTable", "header", "footer", "footnotes", "endnotes", "comments",
            "commentsExtended", "commentsIds", "commentsExtensible", "people", glossaryDocument="document.glossary",
        ),
        *_types(
            "spreadsheetml", "worksheet", "chartsheet", "dialogsheet", "sharedStrings", "styles", "table", "comments", "pivotTable",
            "pivotCacheDefinition", "pivotCacheRecords", "externalLink", "connections", "queryTable", "sheetMetadata", "calcChain",
        ),
        *_types(
            "presentationml", "slide", "slideLayout", "slideMaster", "notesSlide", "notesMaster", "handoutMaster", "presProps", "viewProps",
            "tableStyles", "commentAuthors", "comments", "tags",
        ),
        *_types(
            "drawingml", "chart", chartUserShapes="chartshapes", diagramData="diagramData", diagramLayout="diagramLayout",
            diagramQuickStyle="diagramStyle", diagramColors="diagramColors",
        ),
        ("theme", f"{_OFFICE}theme+xml"),
        ("themeOverride", f"{_OFFICE}themeoverride+xml"),
        ("drawing", f"{_OFFICE}drawing+xml"),
        ("vmlDrawing", f"{_OFFICE}vmldrawing"),
        ("extended-properties", f"{_OFFICE}extended-properties+xml"),
        ("custom-properties", f"{_OFFICE}custom-properties+xml"),
        ("core-properties", "application/vnd.openxmlformats-package.core-properties+xml"),
    ]  # fmt: skip
    return {name: frozenset(content for other, content in pairs if other == name) for name, _ in pairs}


#: Last step of a relationship's type → what the part it points at may be declared as.
_DECLARED = _by_relationship()


def misdeclared_nodes(package: Package) -> list[Node]:
    """`part[…]` for every part whose content type is not that of what it is used as: Office refuses such a file, or repairs it."""
    found: dict[str, tuple[str, str]] = {}
    for source in ["", *sorted(package.parts)]:
        for rel in package.relationships(source).values():
            part = None if rel.external else package.parts.get(rel.target)
            if part is not None and content_essence(part.content_type) not in _DECLARED.get(rel.type, (content_essence(part.content_type),)):
                found.setdefault(part.name, (rel.type, content_essence(part.content_type)))
    nodes = []
    seen: dict[tuple[str, str], int] = {}
    for name, (used, declared) in sorted(found.items()):
        number = seen[used, declared] = seen.get((used, declared), 0) + 1
        fact = f"{declared or 'none'}, for a part used as {used}"
        nodes.append(Node(None, "part", name=name, facts={(Aspect.STRUCTURE, "content type"): fact}, align=Align.KEY, key=f"{fact} {number}"))
    return nodes
