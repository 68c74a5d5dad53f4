"""Attribute values and empty elements that mean the same as their absence, for canonical XML of all OOXML vocabularies.

The tables are data beside this module: `defaults.txt` (made by tools/ooxml_defaults.py) and `defaults_more.txt` (by hand).
An attribute is in them only if it means the same wherever its element stands.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import lru_cache
from pathlib import Path

from docops.formats.ooxml.canonical import PREFIXES, CanonicalRules

#: Elements whose white space is text.
TEXT_ELEMENTS = ("w:t", "w:delText", "w:instrText", "w:delInstrText", "a:t", "x:t", "x:v", "x:f", "c:v", "c:f", "m:t", "cx:v", "cx:f", "cx:pt")

#: Elements that say nothing where they hold nothing, with the attributes (canonical form) that add nothing either.
_EMPTY = {
    **dict.fromkeys(
        (
            "a:rPr", "a:endParaRPr", "a:pPr", "a:defRPr", "a:lstStyle", "a:avLst", "a:gdLst", "a:ahLst", "a:cxnLst", "a:srcRect", "a:fillRect",
            "a:spLocks", "a:picLocks", "a:grpSpLocks", "a:cxnSpLocks", "a:graphicFrameLocks", "a:tcPr", "a:tblPr", "a:bodyPr", "a:objectDefaults",
            "a:extraClrSchemeLst", "a:custClrLst", "a:extLst", "a:hlinkClick",
            "w:rPr", "w:pPr", "w:tblPr", "w:trPr", "w:tcPr", "w:tblPrEx", "w:sdtEndPr", "w:ind", "w:spacing", "w:rFonts", "w:tblBorders", "w:tcBorders",
            "w:tblCellMar", "w:tcMar", "w:numPr", "w:tabs", "w:bookmarks", "w:compat", "w:rsids", "w:docVars",
            "p:nvPr", "p:cNvSpPr", "p:cNvPicPr", "p:cNvGrpSpPr", "p:cNvGraphicFramePr", "p:cNvCxnSpPr", "p:spPr", "p:grpSpPr", "p:extLst", "p:custDataLst",
            "p:prstClr", "p:handoutMasterIdLst", "p:notesMasterIdLst", "p:sldIdLst",
            "xdr:cNvSpPr", "xdr:cNvPicPr", "xdr:cNvGrpSpPr", "xdr:cNvGraphicFramePr", "xdr:cNvCxnSpPr", "xdr:clientData", "xdr:spPr",
            "wp:cNvGraphicFramePr", "pic:cNvPicPr", "pic:spPr",
            "c:extLst", "c:layout", "c:spPr", "c:gapWidth", "c:gapDepth", "c:lblOffset", "c:firstSliceAng", "c:bubbleScale", "c:scaling", "c:headerFooter",
            "c:pageSetup", "c:numCache", "c:strCache", "c:orientation",
            "x:extLst", "x:alignment", "x:protection", "x:sheetPr", "x:printOptions", "x:headerFooter", "x:mergeCells", "x:phoneticPr", "x:rPr",
            "x:pageSetUpPr", "x:outlinePr", "x:cols", "x:sheetData", "x:workbookPr", "x:bookViews", "x:sheetViews", "x:definedNames", "x:dxfs",
            "x:colors", "x:fileRecoveryPr", "x:rowBreaks", "x:colBreaks", "x:tableParts", "x:hyperlinks", "x:ignoredErrors",
        ),
        "",
    ),
    "c:overlay": 'val="0"',
    "c:overlap": 'val="0"',
    "c:delete": 'val="0"',
    "c:date1904": 'val="0"',
    "c:explosion": 'val="0"',
    "c:autoTitleDeleted": 'val="0"',
}  # fmt: skip

#: Extensions, which mean nothing without content (`a:ext` with a size is no extension and has no `uri`).
_SHELLS = ("a:ext", "c:ext", "p:ext", "x:ext")


@lru_cache(maxsize=64)
def _rules(volatile_elements: frozenset[str], volatile_attributes: frozenset[str], text_elements: frozenset[str]) -> CanonicalRules:
    defaults, booleans, volatile = _tables()
    empty = {clark(name): attributes for name, attributes in _EMPTY.items() if clark(name) not in text_elements}
    return CanonicalRules(
        volatile_elements,
        volatile_attributes | volatile,
        defaults,
        text_elements | frozenset(map(clark, TEXT_ELEMENTS)),
        None,
        booleans,
        empty,
        frozenset(map(clark, _SHELLS)),
    )


def default_rules(
    volatile_elements: Collection[str] = frozenset(),
    volatile_attributes: Collection[str] = frozenset(),
    text_elements: Collection[str] = frozenset(),
) -> CanonicalRules:
    """Canonical rules with the defaults of the schemas, besides what the format itself leaves out.

    All names are Clark names; attributes as `name` or `element@name`. Equal arguments give the same object.
    """
    return _rules(frozenset(volatile_elements), frozenset(volatile_attributes), frozenset(text_elements))


def attribute_default(element: str, attribute: str) -> str | None:
    """The value that an attribute has where it is absent (Clark names; booleans as `1` and `0`); None where there is none."""
    return _tables()[0].get(f"{element}@{attribute}")


def clark(name: str) -> str:
    """`{namespace}local` of a name with one of the usual prefixes; a name without prefix as it is."""
    prefix, colon, local = name.partition(":")
    return "{" + _namespaces()[prefix] + "}" + local if colon else name


@lru_cache(maxsize=1)
def _namespaces() -> Mapping[str, str]:
    return {prefix: uri for uri, prefix in PREFIXES.items()}


@lru_cache(maxsize=1)
def _tables() -> tuple[Mapping[str, str], frozenset[str], frozenset[str]]:
    """Defaults, booleans and volatile counts of the data files; a line is `element attribute bool|text|count default`."""
    defaults: dict[str, str] = {}
    booleans = set()
    volatile = set()
    for file in ("defaults.txt", "defaults_more.txt"):
        for line in Path(__file__).with_name(file).read_text(encoding="utf-8").splitlines():
            if not line or line.startswith("#"):
                continue
            element, attribute, kind, default = line.split(" ", 3)
            qualified = f"{clark(element)}@{clark(attribute)}"
            if kind == "count":
                volatile.add(qualified)
                continue
            if kind == "bool":
                booleans.add(qualified)
                default = {"true": "1", "on": "1", "false": "0", "off": "0"}.get(default, default)
            if default != "-":
                defaults[qualified] = default
    return defaults, frozenset(booleans), frozenset(volatile)
