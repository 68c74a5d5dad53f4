"""Comments of a sheet: notes with their boxes (legacy drawings) and threaded comments with their authors."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from lxml import etree

from docops.core.codes import Aspect
from docops.core.errors import Unreadable
from docops.core.node import Value
from docops.formats.ooxml.package import NS_R, Part
from docops.formats.xlsx.model import Sheet, X, read_text
from docops.formats.xlsx.values import cell_name, whole

R_ID = "{" + NS_R + "}id"
_VML = "{urn:schemas-microsoft-com:vml}"
_XVML = "{urn:schemas-microsoft-com:office:excel}"
_THREADS = "{http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments}"
#: Box sizes in points that programs give a new comment; a reader cannot tell one default from another.
_DEFAULT_SIZES = ((96.0, 55.5), (108.0, 59.25), (144.0, 79.0), (104.25, 60.75))
_UNITS = {"pt": 1.0, "px": 0.75, "in": 72.0, "cm": 28.3465, "mm": 2.83465}
_DEFAULT_COLORS = frozenset({"#ffffe1", "infobackground [80]", "infobackground", "#ffffe1 [80]", "window [65]", "white", "#ffffff", ""})


@dataclass(frozen=True, slots=True)
class Comment:
    """One comment: its text, author and facts. `element`: the `comment` element, None for a reply thread alone."""

    text: str
    author: str
    facts: Mapping[tuple[Aspect, str], Value]
    element: etree._Element | None
    threaded: bool
    visible: bool


@dataclass(frozen=True, slots=True)
class Comments:
    """The comments of a sheet by cell, and the names of the parts they come from."""

    found: Mapping[str, list[Comment]]
    parts: set[str] = field(default_factory=set)


def read_comments(sheet: Sheet) -> Comments:
    """All comments of a sheet, in the order of the comments part."""
    if sheet.part is None:
        return Comments({})
    parts: set[str] = set()
    threads = _threads(sheet, parts)
    boxes = _boxes(sheet, parts)
    found: dict[str, list[Comment]] = {}
    for part in sheet.part.related("comments"):
        if not part.is_xml:
            continue
        parts.add(part.name)
        authors = [element.text or "" for element in part.xml.iterfind(f"{X}authors/{X}author")]
        for element in part.xml.iterfind(f"{X}commentList/{X}comment"):
            ref = element.get("ref", "").replace("$", "")
            text_element = element.find(f"{X}text")
            text = read_text(text_element).text if text_element is not None else ""
            author = _author(authors, element.get("authorId", ""))
            thread = threads.pop(ref, None)
            facts: dict[tuple[Aspect, str], Value] = dict(boxes.get(ref, {}))
            visible = facts.get((Aspect.COMMENT, "shown"), False) is True
            if thread is not None:
                # What programs that know no threads see is a notice in the place of the comment.
                facts[Aspect.COMMENT, "thread"] = [list(entry) for entry in thread]
                facts[Aspect.COMMENT, "text"] = text
                text, author = "\n".join(str(entry[1]) for entry in thread), str(thread[0][0])
            else:
                facts[Aspect.COMMENT, "text"] = text
                facts[Aspect.METADATA, "author"] = author
                if ref not in boxes:
                    # Without its box in the legacy drawing a comment is stored but cannot be shown.
                    facts[Aspect.COMMENT, "box"] = "missing"
            found.setdefault(ref, []).append(Comment(text, author, facts, element, thread is not None, visible))
    for ref, thread in threads.items():
        facts = {(Aspect.COMMENT, "thread"): [list(entry) for entry in thread]}
        found.setdefault(ref, []).append(Comment("\n".join(str(entry[1]) for entry in thread), str(thread[0][0]), facts, None, True, False))
    return Comments(found, parts)


def _author(authors: list[str], index: str) -> str:
    author = authors[at] if (at := whole(index, len(authors))) < len(authors) else ""
    # Threaded comments are announced by an author named after their id.
    # openpyxl writes the name of nobody as None.
    return "" if author.startswith("tc={") or author == "None" else author


def _threads(sheet: Sheet, parts: set[str]) -> dict[str, list[tuple[Value, ...]]]:
    """Cell → (author, text, date, what else is said) of the comment and its replies, in order."""
    people: dict[str, str] = {}
    for part in sheet.workbook.part.related("person"):
        parts.add(part.name)
        people |= {element.get("id", ""): element.get("displayName", "") for element in part.xml.iterfind(f"{_THREADS}person")}
    out: dict[str, list[tuple[Value, ...]]] = {}
    ids: dict[str, str] = {}
    for part in sheet.part.related("threadedComment") if sheet.part is not None else ():
        parts.add(part.name)
        for element in part.xml.iterfind(f"{_THREADS}threadedComment"):
            text = element.findtext(f"{_THREADS}text") or ""
            entry: list[Value] = [people.get(element.get("personId", ""), ""), text]
            if element.get("dT"):
                entry.append(f"on {(element.get('dT') or '').partition('.')[0]}")
            if element.get("done") in ("1", "true"):
                entry.append("done")
            replies = out.setdefault(element.get("ref", ""), [])
            first = ids.setdefault(element.get("ref", ""), element.get("id", ""))
            # The first comment of a cell opens the thread; the others reply to it.
            if element.get("parentId") != (first if replies else None):
                entry.append("a thread of its own" if element.get("parentId") is None else "a reply to no comment of the cell")
            replies.append(tuple(entry))
    return out


def _boxes(sheet: Sheet, parts: set[str]) -> dict[str, dict[tuple[Aspect, str], Value]]:
    """Cell → facts of the comment's box in the legacy drawing."""
    out: dict[str, dict[tuple[Aspect, str], Value]] = {}
    part = legacy_drawing(sheet)
    if part is None:
        return out
    parts.add(part.name)
    for shape in part.xml.iter(f"{_VML}shape"):
        data = shape.find(f"{_XVML}ClientData")
        if data is None or data.get("ObjectType") != "Note":
            continue
        row, column = (data.findtext(f"{_XVML}{name}") or "" for name in ("Row", "Column"))
        if row.strip().isdecimal() and column.strip().isdecimal():
            out[cell_name(whole(row.strip()) + 1, whole(column.strip()) + 1)] = _box(shape, data, whole(row.strip()), whole(column.strip()))
    return out


def legacy_drawing(sheet: Sheet) -> Part | None:
    """The VML part of a sheet's comments and controls."""
    holder = sheet.xml.find(f"{X}legacyDrawing") if sheet.xml is not None else None
    part = sheet.part.target(holder.get(R_ID)) if holder is not None and sheet.part is not None else None
    if part is None:
        return None
    try:
        part.xml  # noqa: B018 - old drawings are HTML rather than XML; those are compared by their bytes
    except Unreadable:
        return None
    return part


def _box(shape: etree._Element, data: etree._Element, row: int, column: int) -> dict[tuple[Aspect, str], Value]:
    out: dict[tuple[Aspect, str], Value] = {}
    style = dict(part.split(":", 1) for part in re.sub(r"\s+", "", shape.get("style", "")).split(";") if ":" in part)
    if style.get("visibility", "visible") != "hidden" or data.find(f"{_XVML}Visible") is not None:
        out[Aspect.COMMENT, "shown"] = True
    width, height = _points(style.get("width", "")), _points(style.get("height", ""))
    if width is not None and height is not None and not any(abs(width - w) < 1 and abs(height - h) < 1 for w, h in _DEFAULT_SIZES):
        out[Aspect.GEOMETRY, "size"] = f"{width:g} x {height:g} pt"
    anchor = [part.strip() for part in (data.findtext(f"{_XVML}Anchor") or "").split(",")]
    if len(anchor) == 8 and all(len(part) < 10 and part.removeprefix("-").isdecimal() for part in anchor):
        left, left_offset, top = int(anchor[0]), int(anchor[1]), int(anchor[2])
        if (left, top) not in {(column + 1, max(row - 1, 0)), (column + 1, row)} or left_offset not in (0, 12, 13, 15):
            out[Aspect.GEOMETRY, "place"] = f"{left - column} columns +{left_offset}, {top - row} rows +{anchor[3]}"
    color = shape.get("fillcolor", "").lower()
    if color not in _DEFAULT_COLORS:
        out[Aspect.FORMAT, "fill"] = color
    for name in ("MoveWithCells", "SizeWithCells"):
        element = data.find(f"{_XVML}{name}")
        # The presence of the element says that it does NOT move or size.
        if element is not None and (element.text or "").strip().lower() == "false":
            out[Aspect.GEOMETRY, name] = False
    for name in ("Locked", "LockText"):
        element = data.find(f"{_XVML}{name}")
        if element is not None and (element.text or "").strip().lower() == "false":
            out[Aspect.PROTECTION, name] = False
    return out


def _points(text: str) -> float | None:
    match = re.fullmatch(r"([0-9.]+)(pt|px|in|cm|mm)?", text)
    if match is None:
        return None
    try:
        return round(float(match.group(1)) * _UNITS[match.group(2) or "px"], 2)
    except ValueError:
        return None


def other_legacy_shapes(sheet: Sheet) -> list[etree._Element]:
    """Shapes of the legacy drawing that are no comment boxes: form controls, pictures of objects."""
    part = legacy_drawing(sheet)
    out = []
    for shape in part.xml.iterchildren() if part is not None else ():
        if not isinstance(shape.tag, str) or shape.tag == f"{_VML}shapetype" or shape.tag.endswith("}shapelayout"):
            continue
        data = shape.find(f"{_XVML}ClientData")
        if data is not None and data.get("ObjectType") == "Note":
            continue
        out.append(shape)
    return out
