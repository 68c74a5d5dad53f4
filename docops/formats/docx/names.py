"""Names of WordprocessingML (ISO 29500-1, clause 17) and what of it is no state."""

from __future__ import annotations

from lxml import etree

from docops.formats.ooxml.canonical import CanonicalRules
from docops.formats.ooxml.defaults import default_rules

NS_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
NS_W14 = "http://schemas.microsoft.com/office/word/2010/wordml"
NS_W15 = "http://schemas.microsoft.com/office/word/2012/wordml"
NS_M = "http://schemas.openxmlformats.org/officeDocument/2006/math"
NS_R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
NS_A = "http://schemas.openxmlformats.org/drawingml/2006/main"
NS_WP = "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"
NS_MC = "http://schemas.openxmlformats.org/markup-compatibility/2006"
NS_V = "urn:schemas-microsoft-com:vml"
NS_O = "urn:schemas-microsoft-com:office:office"

W = "{" + NS_W + "}"
W14 = "{" + NS_W14 + "}"
W15 = "{" + NS_W15 + "}"
M = "{" + NS_M + "}"
R = "{" + NS_R + "}"
A = "{" + NS_A + "}"
WP = "{" + NS_WP + "}"
V = "{" + NS_V + "}"
O = "{" + NS_O + "}"  # noqa: E741
PIC = "{http://schemas.openxmlformats.org/drawingml/2006/picture}"
WPS = "{http://schemas.microsoft.com/office/word/2010/wordprocessingShape}"
WP14 = "{http://schemas.microsoft.com/office/word/2010/wordprocessingDrawing}"
C = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
DGM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"

P = W + "p"
RUN = W + "r"
T = W + "t"
RPR = W + "rPr"
PPR = W + "pPr"
TBL = W + "tbl"
TR = W + "tr"
TC = W + "tc"
SDT = W + "sdt"
SDT_CONTENT = W + "sdtContent"
VAL = W + "val"
ID = W + "id"
ALTERNATE = "{" + NS_MC + "}AlternateContent"
CHOICE = "{" + NS_MC + "}Choice"
FALLBACK = "{" + NS_MC + "}Fallback"

#: Elements around blocks or inline content that change neither.
TRANSPARENT = frozenset({W + "smartTag", W + "customXml", W + "dir", W + "bdo", W + "ins", W + "moveTo"})
#: Content that a reader of the final document no longer has.
GONE = frozenset({W + "del", W + "moveFrom"})
TRACKED = {W + "ins": "insertion", W + "del": "deletion", W + "moveTo": "move to", W + "moveFrom": "move from"}

RSIDS = frozenset(W + name for name in ("rsid", "rsidR", "rsidRPr", "rsidP", "rsidRDefault", "rsidDel", "rsidTr", "rsidSect"))

VOLATILE_ELEMENTS = frozenset(
    {W + name for name in ("proofErr", "noProof", "lastRenderedPageBreak", "nsid", "tmpl", "rsid", "rsids", "proofState", "zoom", "latentStyles")}
)
VOLATILE_ATTRIBUTES = RSIDS | {
    W14 + "paraId",
    W14 + "textId",
    WP14 + "anchorId",
    WP14 + "editId",
    O + "spid",
    O + "gfxdata",
    WP + "docPr@id",
    PIC + "cNvPr@id",
    WPS + "cNvPr@id",
    A + "cNvPr@id",
    V + "shape@id",
    V + "shapetype@id",
    V + "rect@id",
    W15 + "restartNumberingAfterBreak",
    W + "hyperlink@" + W + "history",
}

_ON = {"1": "true", "on": "true", "true": "true", "0": "false", "off": "false", "false": "false"}


def _normalise(element: str, attribute: str, value: str) -> str:
    if attribute.startswith(W):
        return _ON.get(value, value) if value in {"on", "off", "true", "false"} else value
    return value


_DEFAULTS = default_rules(VOLATILE_ELEMENTS, frozenset(VOLATILE_ATTRIBUTES), frozenset({T, W + "delText", W + "instrText", W + "delInstrText", M + "t"}))

RULES = CanonicalRules(
    volatile_elements=_DEFAULTS.volatile_elements,
    volatile_attributes=_DEFAULTS.volatile_attributes,
    defaults=_DEFAULTS.defaults,
    text_elements=_DEFAULTS.text_elements,
    normalise=_DEFAULTS.normalise or _normalise,
)


def local(element: etree._Element) -> str:
    """The element's name without its namespace; "" for comments and processing instructions."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def attribute(element: etree._Element | None, name: str) -> str | None:
    """A `w:` attribute of an element that may be absent."""
    return None if element is None else element.get(W + name)


def is_on(element: etree._Element | None) -> bool:
    """Whether an on/off element is present and on."""
    return element is not None and (element.get(VAL) or "true") not in {"0", "false", "off"}


def number(text: str | None) -> int | None:
    """A whole number, or None where the text is none (Word ignores such values)."""
    if text is None:
        return None
    try:
        return _bounded(int(text))
    except ValueError:
        try:
            return _bounded(round(float(text)))
        except (ValueError, OverflowError):
            return None


#: Numbers beyond this mean nothing to any program.
_LARGEST = 2**53


def _bounded(value: int) -> int | None:
    return value if abs(value) <= _LARGEST else None


_UNITS = {"pt": 20.0, "in": 1440.0, "cm": 1440 / 2.54, "mm": 144 / 2.54, "pc": 240.0, "pi": 240.0}


def twips(text: str | None) -> int | None:
    """A measure in twentieths of a point: a number, or with a unit as Strict files write it (`12pt`)."""
    if text is None:
        return None
    unit = _UNITS.get(text[-2:])
    if unit is None:
        return number(text)
    try:
        return _bounded(round(float(text[:-2]) * unit))
    except (ValueError, OverflowError):
        return None


def points(value: int | None) -> str | None:
    """Twentieths of a point as text in points."""
    return None if value is None else f"{value / 20:g} pt"
