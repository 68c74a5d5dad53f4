"""What the builders of the tree share: the workbook, canonical XML, and the translation in force."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from copy import deepcopy
from dataclasses import dataclass, field

from lxml import etree

from docops.core.codes import Aspect
from docops.core.node import Value
from docops.formats.ooxml.canonical import Canonicaliser, short_name
from docops.formats.ooxml.defaults import default_rules
from docops.formats.ooxml.package import Package, Part
from docops.formats.xlsx.model import Workbook, X
from docops.formats.xlsx.shift import IDENTITY, Translation

Facts = dict[tuple[Aspect, str], Value]

_X14AC = "{http://schemas.microsoft.com/office/spreadsheetml/2009/9/ac}"
_XR = tuple("{http://schemas.microsoft.com/office/spreadsheetml/" + tail + "}" for tail in ("2014/revision", "2015/revision2", "2016/revision3"))
#: Attributes that only say how or when a program last wrote or calculated something.
VOLATILE_ATTRIBUTES = frozenset(
    {
        f"{_X14AC}dyDescent",
        f"{_X14AC}knownFonts",
        *(f"{ns}uid" for ns in _XR),
        f"{X}pivotCacheDefinition@refreshedBy",
        f"{X}pivotCacheDefinition@refreshedDate",
        f"{X}pivotCacheDefinition@refreshedVersion",
        f"{X}pivotCacheDefinition@createdVersion",
        f"{X}pivotCacheDefinition@minRefreshableVersion",
        f"{X}pivotCacheDefinition@recordCount",
        f"{X}pivotTableDefinition@updatedVersion",
        f"{X}pivotTableDefinition@createdVersion",
        f"{X}pivotTableDefinition@minRefreshableVersion",
        f"{X}pivotTableDefinition@cacheId",
    }
)
#: Longest raw text that a fact shows; longer content is stated by its digest.
_SHOWN = 240


@dataclass(slots=True)
class Build:
    """One tree under construction.

    workbook: what it is built from.   translation: puts places into the coordinates of the document it is compared to.
    canonical: canonical XML of the package.   modelled: names of parts whose content is in the facts.
    """

    workbook: Workbook
    translation: Translation = IDENTITY
    modelled: set[str] = field(default_factory=set)
    canonical: Canonicaliser = field(init=False)

    def __post_init__(self) -> None:
        self.canonical = Canonicaliser(self.workbook.package, default_rules(volatile_attributes=VOLATILE_ATTRIBUTES))

    @property
    def package(self) -> Package:
        """The package of the workbook."""
        return self.workbook.package

    def raw(self, element: etree._Element, part: Part, *, skip: Collection[etree._Element] = (), skip_attributes: Collection[str] = ()) -> str:
        """What stands for an element that is not modelled: its canonical text, or a digest where that is long."""
        text = self.canonical.element(element, part, skip=skip, skip_attributes=skip_attributes)
        return text if len(text) <= _SHOWN else f"{short_name(str(element.tag))} {digest(text)}"

    def raw_of(self, element: etree._Element, part: Part, sheet: str) -> str:
        """The same for an element that may name cells of a sheet, its references translated (`sqref`, `ref`, `f`)."""
        moved = deepcopy(element)
        for inner in moved.iter(etree.Element):
            for name in ("sqref", "ref"):
                if inner.get(name):
                    inner.set(name, self.translation.areas(inner.get(name, ""), sheet))
            local = etree.QName(inner).localname
            if local == "sqref" and inner.text:
                inner.text = self.translation.areas(inner.text, sheet)
            elif local == "f" and inner.text:
                inner.text = self.translation.formula(inner.text, sheet)
        return self.raw(moved, part)


def digest(text: str) -> str:
    """A short digest of a long text."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def attributes(element: etree._Element, defaults: Mapping[str, str], volatile: Collection[str] = ()) -> dict[str, str]:
    """Attributes of an element that say anything: defaults, volatile ones and namespaced ones (`xr:uid`) left out, booleans as 1 and 0."""
    out = {}
    for raw_name, raw_value in sorted(element.attrib.items()):
        name, value = str(raw_name), str(raw_value)
        if name in volatile or name.startswith("{"):
            continue
        value = {"true": "1", "false": "0"}.get(value, value)
        if defaults.get(name) != value:
            out[name] = value
    return out
