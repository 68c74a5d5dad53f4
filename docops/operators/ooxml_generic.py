"""Corruptions of OOXML packages that know no format: any attribute, text or element of any XML part, any picture's bytes.

They find what nobody thought of. What is volatile (docs/facts.md) or only serialisation is left alone: ids, references,
indices into tables, caches, views, proofing marks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml import etree

from docops.core.address import format_segment
from docops.core.operator import CorruptionClass, Operator, OperatorExample
from docops.operators.media import other_image
from docops.operators.ooxml_file import OoxmlFile, Place, attributes, local_name, place_operator, remove_element
from docops.operators.ooxml_places import located_parts, open_ooxml, owner_address
from docops.operators.samples import sample_document, sample_presentation, sample_workbook

EXAMPLES = (
    OperatorExample("a workbook", sample_workbook),
    OperatorExample("a text document", sample_document),
    OperatorExample("a presentation", sample_presentation),
)
OOXML = ("xlsx", "docx", "pptx")
#: Types of the parts that the standard names; a program may keep others of its own.
_STANDARD = "application/vnd.openxmlformats-officedocument."

#: Elements that hold no state of their own, with everything in them.
_SKIPPED = frozenset(
    {
        "family", "charset", "scheme", "panose1", "pitch", "sig", "altName",
        "proofErr", "lastRenderedPageBreak", "rsids", "zoom", "proofState", "latentStyles", "bookViews", "selection", "calcPr", "fileVersion",
        "dimension", "creationId", "modId", "shapeDefaults", "hdrShapeDefaults", "shapelayout", "strCache", "numCache", "multiLvlStrCache",
        "extLst", "ext", "lang", "noProof", "sheetFormatPr", "workbookPr", "clrMap", "clrMapOvr", "hlinkClick", "cTn", "nvGrpSpPr",
        "AlternateContent", "footnotePr", "endnotePr", "docVars", "uiPriority", "qFormat", "unhideWhenUsed", "semiHidden", "rsid", "locked",
        "autoRedefine", "sldIdLst", "sldMasterIdLst", "notesMasterIdLst", "sldLayoutIdLst", "handoutMasterIdLst", "defaultTextStyle",
        "custDataLst", "photoAlbum", "notesSz", "attachedSchema", "decimalSymbol", "listSeparator", "characterSpacingControl", "lsdException",
        "fmtScheme", "extraClrSchemeLst", "objectDefaults", "custClrLst", "themeFontLang", "compat", "clrSchemeMapping", "sheetPr", "cfRule",
        "dataValidation", "externalData", "axId", "crossAx", "idx", "order", "ptCount", "pivotCaches", "externalReferences", "mathPr",
        "bookmarkStart", "bookmarkEnd", "commentRangeStart", "commentRangeEnd", "commentReference", "footnoteReference", "endnoteReference",
        "separator", "continuationSeparator", "fldChar", "author", "authors", "legacyDrawing", "graphicFrameLocks", "printSettings", "style",
        "spcBef", "spcAft", "docGrid", "pgNumType", "txPr", "date1904", "roundedCorners", "userShapes", "prstGeom", "pane", "tableStyleInfo",
        "sortState", "calcChain", "tblLook", "cnfStyle", "tblGrid", "gridCol",
    }
)
_SKIPPED_ATTRIBUTES = re.compile(
    r"^(rsid.*|id|uid|paraId|textId|spid|spidmax|dirty|err|smtClean|noProof|lang|altLang|count|uniqueCount|spans|dyDescent|numFmtId|fontId|fillId|borderId|xfId|"
    r"s|t|r|ref|sqref|topLeftCell|activeCell|Ignorable|Requires|space|type|calcId|localSheetId|sheetId|idx|order|relativeHeight|"
    r"styleId|customStyle|uri|shapeId|storeItemID|authorId|displayName|name|cm|vm|ht|thickBot|thickTop|customFormat|"
    r"collapsed|si|ca|distT|distB|distL|distR|locked|layoutInCell|allowOverlap|behindDoc|noChangeAspect|noGrp|noMove|noResize|"
    r"initials|date|author|sz|hint|cs|bidi|eastAsia.*|ascii.*|hAnsi.*|cstheme|preferRelativeResize|attachTemplate|userDrawn|preserve|"
    r"algn|marT|marB|marL|marR|dxfId|outlineLevel|bestFit|phoneticPr|insertRow|totalsRowShown|totalsRowCount|headerRowCount|editAs|fPublished|fLocksWithSheet|"
    r"min|max|customWidth|width|sourceLinked|baseType|standalone|headings|lvl|type.*|sfc|autoAdjust)$"
)
_SKIPPED_TEXT = frozenset({"f", "v", "instrText", "delInstrText", "definedName", "formula", "formula1", "formula2", "attrName", "formatCode"})
_NUMBER = re.compile(r"-?\d+")
_COLOUR = re.compile(r"[0-9A-Fa-f]{6}(?:[0-9A-Fa-f]{2})?")
_SWITCH = {"1": "0", "0": "1", "true": "false", "false": "true", "on": "off", "off": "on"}
_CHOICES = {
    "orientation": ("landscape", "portrait"),
    "state": (),
    "horizontal": ("left", "right", "center"),
    "vertical": ("top", "bottom", "center"),
    "anchor": ("t", "b", "ctr"),
    "orient": ("landscape", "portrait"),
}
#: Elements whose `val` is a share in thousandths of a per cent: less than some per cent is no visible change.
_SHARES = frozenset({"tint", "shade", "lumMod", "lumOff", "satMod", "alpha"})
#: Elements whose `val` is one of a few words: changing it keeps the document valid.
_VALUES = {
    "jc": ("left", "right", "center"),
    "u": ("single", "double"),
    "highlight": ("yellow", "green", "cyan"),
    "vertAlign": ("superscript", "subscript"),
    "legendPos": ("r", "l", "b", "t"),
    "barDir": ("bar", "col"),
    "tickLblPos": ("nextTo", "low", "high"),
    "schemeClr": ("accent1", "accent2", "dk1", "lt1"),
}


def _elements(root: etree._Element) -> Iterator[etree._Element]:
    stack = [root]
    while stack:
        element = stack.pop()
        if not isinstance(element.tag, str) or (local_name(element) in _SKIPPED and element is not root and not _is_style(element)):
            continue
        yield element
        # The frame of a slide's outermost group moves nothing.
        frameless = local_name(element) == "spTree"
        stack.extend(child for child in reversed(element) if not (frameless and local_name(child) == "grpSpPr"))


def _is_style(element: etree._Element) -> bool:
    # w:style holds the style's formatting; a:style and c:style only point at it.
    return local_name(element) == "style" and "wordprocessingml" in str(element.tag)


def _new_value(element: etree._Element, key: str, value: str) -> str | None:
    attribute = key.rpartition("}")[2]
    name = local_name(element)
    if _SKIPPED_ATTRIBUTES.match(attribute) or "officeDocument/relationships" in key:
        return None
    if attribute == "val" and name == "color" and element.get(key.replace("}val", "}themeColor")) is not None:
        return None  # the theme's colour is shown, whatever stands beside it
    choices = _VALUES.get(name, ()) if attribute == "val" else _CHOICES.get(attribute, ())
    if choices:
        return next(choice for choice in choices if choice != value)
    if attribute == "val" and name in ("srgbClr", "color") and _COLOUR.fullmatch(value):
        return "123456" if value.upper() != "123456" else "654321"
    if attribute == "val" and name in ("b", "i", "strike", "caps", "vanish", "keepNext", "keepLines", "outlineLvl") and value in _SWITCH and name != "outlineLvl":
        return _SWITCH[value]
    if attribute == "val" and name in _SHARES and _NUMBER.fullmatch(value):
        return str(int(value) - 20000 if int(value) > 50000 else int(value) + 20000)
    if attribute == "w" and (name == "tblW" or element.get(key.replace("}w", "}type")) not in (None, "dxa")):
        return None
    if attribute in ("val", "x", "y", "cx", "cy", "w", "h", "left", "right", "top", "bottom", "header", "footer", "before", "after", "line", "firstLine", "hanging", "fill"):
        if _COLOUR.fullmatch(value) and attribute == "fill":
            return "123456"
        if _NUMBER.fullmatch(value) and name not in ("ilvl", "numId", "outlineLvl", "lvl", "overlap", "gapWidth", "gridSpan", "abstractNumId", "szCs", "spacing", "chOff", "chExt"):
            if attribute == "val" and value in _SWITCH:
                return _SWITCH[value] if name in ("delete", "overlay", "varyColors", "autoTitleDeleted", "showVal") else None
            # Twentieths of a point, or EMU where it is a drawing: each by what an eye can see.
            return str(int(value) + (127000 if attribute in ("x", "y", "cx", "cy") else 20)) if name != "w" else None
    if attribute in ("descr", "title", "tooltip", "prompt", "error"):
        return value + " x"
    return None


def _attributes(file: OoxmlFile) -> Iterator[Place]:
    for part, locate in located_parts(file):
        for element in _elements(file.xml(part)):
            for number, (key, value) in enumerate(attributes(element)):
                if _new_value(element, key, value) is None:
                    continue
                found = locate(element)
                if found is not None:
                    text = f"{local_name(element)}@{key.rpartition('}')[2]}={value}"
                    yield Place(found[0], part, element, text, key, found[1], (part, number))


@place_operator(
    open_ooxml,
    OOXML,
    "ooxml.attribute-changed",
    CorruptionClass.PRESERVATION_VIOLATION,
    _attributes,
    tags=("generic",),
    examples=EXAMPLES,
)
def attribute_changed(file: OoxmlFile, place: Place) -> str:
    """An attribute of an element gets another value."""
    key = str(place.more)
    new = _new_value(place.element, key, place.element.get(key) or "")
    if new is None:
        raise LookupError("not changeable")
    place.element.set(key, new)
    return f"{local_name(place.element)}@{key.rpartition('}')[2]}={new}"


def _in_field(element: etree._Element) -> bool:
    """Whether an element is a field's result, which is made anew whenever the document is shown."""
    if next(element.iterancestors("{*}fld", "{*}fldSimple"), None) is not None:
        return True
    paragraph = next(element.iterancestors("{*}p"), None)
    return paragraph is not None and paragraph.find(".//{*}fldChar") is not None


def _texts(file: OoxmlFile) -> Iterator[Place]:
    for part, locate in located_parts(file):
        for element in _elements(file.xml(part)):
            if len(element) or not (element.text or "").strip() or local_name(element) in _SKIPPED_TEXT:
                continue
            if _in_field(element):
                continue
            found = locate(element)
            if found is not None:
                yield Place(found[0], part, element, element.text or "", None, found[1], (part,))


@place_operator(
    open_ooxml, OOXML, "ooxml.text-changed", CorruptionClass.CONTENT_ALTERATION, _texts, tags=("generic",), examples=EXAMPLES
)
def text_changed(file: OoxmlFile, place: Place) -> str:
    """A text in any part gets another letter."""
    text = place.element.text or ""
    place.element.text = str(int(text) + 1) if _NUMBER.fullmatch(text.strip()) else text.rstrip() + "x"
    return place.element.text


_DEFAULTS = {"0", "false", "off", "none", "auto", "nil", "left", "start", "General", "clear"}
_REMOVABLE = frozenset(
    {
        "b", "i", "u", "strike", "color", "highlight", "jc", "ind", "spacing", "keepNext", "pageBreakBefore", "numPr", "pBdr", "shd", "caps",
        "smallCaps", "vertAlign", "rFonts", "tblBorders", "tblHeader", "cantSplit", "vMerge", "gridSpan", "ln", "effectLst",
        "buChar", "buAutoNum", "title", "legend", "dLbls", "headerFooter", "titlePg",
    }
)


def _removables(file: OoxmlFile) -> Iterator[Place]:
    for part, locate in located_parts(file):
        for element in _elements(file.xml(part)):
            name = local_name(element)
            if name not in _REMOVABLE or name in ("gridSpan", "vMerge", "spacing", "rFonts", "effectLst", "ln", "dLbls"):
                continue
            parent = element.getparent()
            if parent is None or not (local_name(parent).endswith("Pr") or name in ("title", "legend")) or local_name(parent) == "pPrDefault":
                continue
            if any(value in _DEFAULTS for key, value in attributes(element) if key.endswith("val")):
                continue
            if name == "color" and (element.get("theme") == "1" or element.get("auto") or element.get("indexed") in ("64", "81")):
                continue
            if local_name(parent) == "rPr" and local_name(parent.getparent()) == "pPr":  # type: ignore[arg-type]
                continue
            found = locate(element)
            if found is not None:
                yield Place(found[0], part, element, name, None, found[1], (part,))


@place_operator(
    open_ooxml, OOXML, "ooxml.property-removed", CorruptionClass.PRESERVATION_VIOLATION, _removables, tags=("generic",), examples=EXAMPLES
)
def property_removed(file: OoxmlFile, place: Place) -> str:
    """A property is taken out of an element."""
    remove_element(place.element)
    return "removed"


def _media(file: OoxmlFile) -> Iterator[Place]:
    for name in file.parts:
        if "/media/" in name and name.lower().endswith((".png", ".jpg", ".jpeg", ".gif", ".bmp")):
            yield Place(owner_address(file, name), "", file.xml(file.main), name.rpartition("/")[2], name, False, (name,))


@place_operator(
    open_ooxml, OOXML, "ooxml.media-changed", CorruptionClass.CONTENT_ALTERATION, _media, tags=("generic",), examples=EXAMPLES
)
def media_changed(file: OoxmlFile, place: Place) -> str:
    """The bytes of a picture change."""
    data = file.archive.read(str(place.more))
    file.put(str(place.more), other_image(data))
    return "another picture"


def _declared(file: OoxmlFile) -> Iterator[Place]:
    for element in file.xml("[Content_Types].xml"):
        name = (element.get("PartName") or "").lstrip("/")
        # The main part's type is what the file is; other parts are asked for by what points at them.
        if name != file.main and name in file.archive and not name.startswith("customXml/") and (element.get("ContentType") or "").startswith(_STANDARD):
            yield Place(format_segment("part", f"/{name}"), "[Content_Types].xml", element, element.get("ContentType") or "", keys=(name,))


@place_operator(
    open_ooxml, OOXML, "ooxml.content-type-lost", CorruptionClass.STRUCTURE_CORRUPTION, _declared, tags=("generic",), examples=EXAMPLES
)
def content_type_lost(file: OoxmlFile, place: Place) -> str:
    """A part is no longer declared as what it is: the programs of the format refuse the file or repair it."""
    file.edit(place.part)
    remove_element(place.element)
    return "application/xml"


OPERATORS: tuple[Operator, ...] = tuple(value for value in list(globals().values()) if isinstance(value, Operator))
