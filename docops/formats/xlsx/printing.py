"""Print set-up of a sheet as facts: page, margins, headers and footers, breaks, print area and titles."""

from __future__ import annotations

import re

from lxml import etree

from docops.core.codes import Aspect
from docops.core.errors import Unreadable
from docops.core.node import Value
from docops.formats.ooxml.common import media_identity
from docops.formats.ooxml.package import Part
from docops.formats.xlsx.build import Build, Facts, attributes, digest
from docops.formats.xlsx.model import R_ID, Sheet, X
from docops.formats.xlsx.values import column_letters, is_true, number_text, unescape, whole

_VML = "{urn:schemas-microsoft-com:vml}"
_RELID = "{urn:schemas-microsoft-com:office:office}relid"
#: A size in a header, and the space that some programs set behind it, lest a number that follows be read as part of it.
_SIZE = re.compile(r"(&[0-9]+) ?")
#: Elements of a sheet that the print node speaks of.
PRINT_ELEMENTS = ("printOptions", "pageMargins", "pageSetup", "headerFooter", "rowBreaks", "colBreaks", "legacyDrawingHF", "picture")

_MARGINS = {"left": "0.7", "right": "0.7", "top": "0.75", "bottom": "0.75", "header": "0.3", "footer": "0.3"}
_SETUP_DEFAULTS = {
    "paperSize": "1",
    "scale": "100",
    "firstPageNumber": "1",
    "fitToWidth": "1",
    "fitToHeight": "1",
    "pageOrder": "downThenOver",
    "orientation": "default",
    "usePrinterDefaults": "1",
    "blackAndWhite": "0",
    "draft": "0",
    "cellComments": "none",
    "useFirstPageNumber": "0",
    "errors": "displayed",
    "horizontalDpi": "600",
    "verticalDpi": "600",
    "copies": "1",
}
_OPTION_DEFAULTS = {"horizontalCentered": "0", "verticalCentered": "0", "headings": "0", "gridLines": "0", "gridLinesSet": "1"}
_HEADER_DEFAULTS = {"differentOddEven": "0", "differentFirst": "0", "scaleWithDoc": "1", "alignWithMargins": "1"}
#: Printing hints of one machine.
_SETUP_VOLATILE = ("horizontalDpi", "verticalDpi", "usePrinterDefaults")


def print_facts(build: Build, sheet: Sheet) -> Facts:
    """Facts of a sheet's print set-up."""
    out: Facts = {}
    if sheet.xml is None or sheet.part is None:
        return out
    properties = sheet.xml.find(f"{X}sheetPr/{X}pageSetUpPr")
    if properties is not None:
        if is_true(properties.get("fitToPage")):
            out[Aspect.LAYOUT, "fit to page"] = True
        if properties.get("autoPageBreaks") is not None and not is_true(properties.get("autoPageBreaks")):
            out[Aspect.LAYOUT, "automatic page breaks shown"] = False
    margins = sheet.xml.find(f"{X}pageMargins")
    for side, default in _MARGINS.items() if margins is not None else ():
        value = _inches(margins.get(side, default)) if margins is not None else default
        if value != default:
            out[Aspect.LAYOUT, f"margin {side}"] = value
    options = sheet.xml.find(f"{X}printOptions")
    if options is not None:
        out |= {(Aspect.LAYOUT, name): value for name, value in attributes(options, _OPTION_DEFAULTS).items()}
    setup = sheet.xml.find(f"{X}pageSetup")
    if setup is not None:
        stated = attributes(setup, _SETUP_DEFAULTS, _SETUP_VOLATILE)
        if stated.get("orientation") == "portrait":
            del stated["orientation"]
        out |= {(Aspect.LAYOUT, name): value for name, value in stated.items()}
    header = sheet.xml.find(f"{X}headerFooter")
    if header is not None:
        out |= _header_facts(header)
    for name in ("rowBreaks", "colBreaks"):
        breaks = _breaks(build, sheet, name)
        if breaks:
            out[Aspect.LAYOUT, "row breaks" if name == "rowBreaks" else "column breaks"] = breaks
    _named_areas(build, sheet, out)
    background = sheet.xml.find(f"{X}picture")
    if background is not None:
        out[Aspect.MEDIA, "background"] = media_identity(sheet.part.target(background.get(R_ID)))
    pictures = sheet.xml.find(f"{X}legacyDrawingHF")
    if pictures is not None:
        part = sheet.part.target(pictures.get(R_ID))
        if part is not None:
            build.modelled.add(part.name)
            out[Aspect.MEDIA, "header pictures"] = _header_pictures(part)
    return out


def _header_pictures(part: Part) -> list[str]:
    """The pictures of headers and footers, each with the section it stands in (`LH`: left, header) and its size."""
    try:
        shapes = list(part.xml.iter(f"{_VML}shape"))
    except Unreadable:  # old drawings are HTML rather than XML
        return [*sorted(media_identity(image) for image in part.related("image")), digest(_shape_styles(part.data))]
    out: list[str] = []
    for shape in shapes:
        data = shape.find(f"{_VML}imagedata")
        image = part.target(data.get(_RELID) or data.get(R_ID)) if data is not None else None
        crop = " ".join(f"{name}={data.get(name)}" for name in ("cropleft", "croptop", "cropright", "cropbottom", "gain", "blacklevel", "grayscale") if data.get(name)) if data is not None else ""
        style = ";".join(sorted(text.strip() for text in (shape.get("style") or "").split(";") if not text.strip().startswith("z-index")))
        out.append(f"{shape.get('id', '')} {media_identity(image)} {style} {crop}".strip())
    return sorted(out)


def _shape_styles(data: bytes) -> str:
    found = re.findall(r"style\s*=\s*[\"']([^\"']*)[\"']", data.decode("utf-8", "replace"))
    return "|".join(";".join(sorted(part.strip() for part in style.split(";"))) for style in found)


def _inches(text: str) -> str:
    try:
        return number_text(round(float(text), 3))
    except (ValueError, OverflowError):
        return text


def header_texts(header: etree._Element) -> list[tuple[str, str]]:
    """Name and text of each header and footer that is not empty (`oddHeader`, `&LLeft&CCentre`)."""
    return [(etree.QName(child).localname, unescape(child.text)) for child in header if child.text]


def _header_facts(header: etree._Element) -> Facts:
    stated = attributes(header, _HEADER_DEFAULTS)
    out: Facts = {(Aspect.LAYOUT, name): value for name, value in stated.items()}
    for name, text in header_texts(header):
        if (name.startswith("even") and "differentOddEven" not in stated) or (name.startswith("first") and "differentFirst" not in stated):
            continue
        sections = header_sections(text)
        if sections:
            out[Aspect.TEXT, {"odd": ""}.get(name[:3], re.split("[HF]", name)[0] + " ") + ("header" if name.endswith("Header") else "footer")] = sections
    return out


def header_sections(text: str) -> dict[str, Value]:
    """The left, centre and right part of a header; text before any mark is centred."""
    parts: dict[str, str] = {}
    current = "centre"
    position = 0
    while position < len(text):
        mark = text[position : position + 2]
        if mark in ("&L", "&C", "&R"):
            current = {"&L": "left", "&C": "centre", "&R": "right"}[mark]
            position += 2
            continue
        size = _SIZE.match(text, position)
        code = size.group(1) if size is not None else text[position : position + 2] if text[position] == "&" else text[position]
        parts[current] = parts.get(current, "") + code
        position = size.end() if size is not None else position + len(code)
    return {name: parts[name] for name in ("left", "centre", "right") if parts.get(name)}


def _breaks(build: Build, sheet: Sheet, name: str) -> list[Value]:
    out: list[Value] = []
    for element in sheet.xml.iterfind(f"{X}{name}/{X}brk") if sheet.xml is not None else ():
        text = element.get("id", "0")
        if not text.isdecimal() or not is_true(element.get("man")):
            continue
        number = whole(text)
        if name == "rowBreaks":
            moved = build.translation.row(sheet.name, number + 1)
            out.append(f"above row {moved}")
        else:
            moved = build.translation.column(sheet.name, number + 1)
            out.append(f"before column {column_letters(moved) if moved else None}")
    return out


def _named_areas(build: Build, sheet: Sheet, out: Facts) -> None:
    for name in build.workbook.names:
        if name.scope != sheet.index:
            continue
        if name.name == "_xlnm.Print_Area":
            out[Aspect.LAYOUT, "print area"] = build.translation.formula(name.text, sheet.name)
        elif name.name == "_xlnm.Print_Titles":
            # Rows and columns, in either order.
            out[Aspect.LAYOUT, "print titles"] = [*sorted(build.translation.formula(name.text, sheet.name).split(","))]
