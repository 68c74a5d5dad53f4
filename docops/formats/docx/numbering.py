"""List definitions (ISO 29500-1, 17.9): what a number or bullet looks like and which paragraphs are one list."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from lxml import etree

from docops.formats.docx.names import VAL, W, number
from docops.formats.ooxml.package import Part


class Numbering:
    """The list definitions of a document."""

    def __init__(self, part: Part | None) -> None:
        self.part = part
        self._levels: dict[tuple[str, int], etree._Element | None] = {}

    @cached_property
    def nums(self) -> Mapping[str, etree._Element]:
        """numId → `w:num`."""
        return {} if self.part is None else {num.get(W + "numId") or "": num for num in self.part.xml.iterchildren(W + "num")}

    @cached_property
    def abstracts(self) -> Mapping[str, etree._Element]:
        """abstractNumId → `w:abstractNum`."""
        return {} if self.part is None else {one.get(W + "abstractNumId") or "": one for one in self.part.xml.iterchildren(W + "abstractNum")}

    @cached_property
    def _by_style_link(self) -> Mapping[str, etree._Element]:
        found = ((one.find(W + "styleLink"), one) for one in self.abstracts.values())
        return {link.get(VAL) or "": one for link, one in found if link is not None}

    def abstract(self, num_id: str | None) -> etree._Element | None:
        """The abstract definition behind a numId, through a numbering style."""
        num = self.nums.get(num_id or "")
        reference = num.find(W + "abstractNumId") if num is not None else None
        abstract = self.abstracts.get(reference.get(VAL) or "") if reference is not None else None
        if abstract is not None:
            link = abstract.find(W + "numStyleLink")
            if link is not None:
                return self._by_style_link.get(link.get(VAL) or "", abstract)
        return abstract

    def level(self, num_id: str | None, ilvl: int) -> etree._Element | None:
        """The definition of a level as it counts for a numId: its override, else the abstract one."""
        key = (num_id or "", ilvl)
        if key not in self._levels:
            self._levels[key] = self._level(num_id, ilvl)
        return self._levels[key]

    def _level(self, num_id: str | None, ilvl: int) -> etree._Element | None:
        num = self.nums.get(num_id or "")
        if num is None:
            return None
        for override in num.iterchildren(W + "lvlOverride"):
            if number(override.get(W + "ilvl")) == ilvl and (level := override.find(W + "lvl")) is not None:
                return level
        abstract = self.abstract(num_id)
        for level in abstract.iterchildren(W + "lvl") if abstract is not None else ():
            if number(level.get(W + "ilvl")) == ilvl:
                return level
        return None

    def start(self, num_id: str | None, ilvl: int) -> int:
        """The number a level starts with."""
        num = self.nums.get(num_id or "")
        for override in num.iterchildren(W + "lvlOverride") if num is not None else ():
            start = override.find(W + "startOverride")
            if number(override.get(W + "ilvl")) == ilvl and start is not None:
                return number(start.get(VAL)) or 0
        level = self.level(num_id, ilvl)
        start = level.find(W + "start") if level is not None else None
        found = number(start.get(VAL)) if start is not None else None
        return found if found is not None else 0 if start is None else 1

    def level_of_style(self, num_id: str, style_id: str) -> int | None:
        """The level of a list that is linked to a paragraph style."""
        abstract = self.abstract(num_id)
        for level in abstract.iterchildren(W + "lvl") if abstract is not None else ():
            link = level.find(W + "pStyle")
            if link is not None and link.get(VAL) == style_id:
                return number(level.get(W + "ilvl"))
        return None

    def identity(self, num_id: str) -> str:
        """What paragraphs of one running list share: the abstract definition, and the num where it restarts."""
        abstract = self.abstract(num_id)
        key = abstract.get(W + "abstractNumId") if abstract is not None else f"?{num_id}"
        num = self.nums.get(num_id)
        has_override = num is not None and num.find(f"{W}lvlOverride/{W}startOverride") is not None
        return f"{key}/{num_id}" if has_override else str(key)


def level_format(level: etree._Element | None) -> str:
    """`bullet`, `decimal`, … as the level says; `none` without a level."""
    if level is None:
        return "none"
    fmt = level.find(W + "numFmt")
    return (fmt.get(VAL) if fmt is not None else None) or "decimal"


def level_text(level: etree._Element | None) -> str:
    """The pattern of the level's label (`%1.`, a bullet character)."""
    text = level.find(W + "lvlText") if level is not None else None
    return (text.get(VAL) if text is not None else None) or ""
