"""Cell formats as effective values: number format, font, fill, border, alignment, protection, named style (18.8).

Positions in the style tables, unused entries and `apply…` flags are serialisation; what a cell looks like is state.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from lxml import etree

from docops.core.codes import Aspect
from docops.core.node import Value
from docops.formats.ooxml.package import Part
from docops.formats.xlsx.colors import AUTOMATIC, PALETTE, resolve_color, theme_colors
from docops.formats.xlsx.numberformats import BUILT_IN, canonical_code, is_date_code
from docops.formats.xlsx.values import is_true, number_text, whole

X = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"

Facts = Mapping[tuple[Aspect, str], Value]

_FLAGS = {"b": "bold", "i": "italic", "strike": "strike", "outline": "outline", "shadow": "shadow", "condense": "condense", "extend": "extend"}
_FONT_DEFAULTS: Mapping[str, Value] = {
    "font.name": "",
    "font.size": "11",
    "font.color": "000000",
    **{f"font.{name}": False for name in _FLAGS.values()},
    "font.underline": "none",
    "font.position": "baseline",
    "font.family": "0",
    "font.charset": "1",
    "font.scheme": "none",
}
_ALIGNMENT_DEFAULTS: Mapping[str, Value] = {
    "horizontal": "general",
    "vertical": "bottom",
    "textRotation": "0",
    "wrapText": False,
    "indent": "0",
    "relativeIndent": "0",
    "justifyLastLine": False,
    "shrinkToFit": False,
    "readingOrder": "0",
}
_ALIGNMENT_NAMES = {
    "textRotation": "rotation",
    "wrapText": "wrap",
    "relativeIndent": "relative indent",
    "justifyLastLine": "justify last line",
    "shrinkToFit": "shrink to fit",
    "readingOrder": "reading order",
}
_SIDES = ("left", "right", "top", "bottom", "diagonal", "start", "end", "vertical", "horizontal")


def _defaults() -> dict[tuple[Aspect, str], Value]:
    out: dict[tuple[Aspect, str], Value] = {(Aspect.FORMAT, name): value for name, value in _FONT_DEFAULTS.items()}
    out |= {(Aspect.FORMAT, f"alignment.{_ALIGNMENT_NAMES.get(name, name)}"): value for name, value in _ALIGNMENT_DEFAULTS.items()}
    out |= {(Aspect.FORMAT, f"border.{side}"): "none" for side in _SIDES}
    out[Aspect.FORMAT, "number format"] = "General"
    out[Aspect.FORMAT, "fill"] = "none"
    out[Aspect.FORMAT, "style"] = "Normal"
    out[Aspect.FORMAT, "quote prefix"] = False
    out[Aspect.FORMAT, "pivot button"] = False
    out[Aspect.PROTECTION, "locked"] = True
    out[Aspect.PROTECTION, "hidden formula"] = False
    return out


#: Every format fact with its value where nothing is stated.
DEFAULTS: Facts = _defaults()


class Styles:
    """The style tables of a workbook. Indexes are those that cells carry (`s`)."""

    def __init__(self, part: Part | None, theme: Part | None) -> None:
        self.part = part
        self._root = part.xml if part is not None and part.is_xml else None
        self._theme_part = theme
        self._facts: dict[int, Facts] = {}
        self._diffs: dict[int, Facts] = {}

    @cached_property
    def theme(self) -> Sequence[str]:
        """The theme's colours in the order of `theme` attributes."""
        return theme_colors(self._theme_part)

    @cached_property
    def palette(self) -> Sequence[str]:
        """Indexed colours: the workbook's own, else the default ones."""
        own = self._table("colors/{0}indexedColors/{0}rgbColor")
        return tuple((element.get("rgb") or "000000")[-6:].upper() for element in own) + tuple(PALETTE[len(own) :]) if own else PALETTE

    def _table(self, path: str) -> list[etree._Element]:
        return list(self._root.iterfind(X + path.format(X))) if self._root is not None else []

    @cached_property
    def _xfs(self) -> list[etree._Element]:
        return self._table("cellXfs/{0}xf")

    @cached_property
    def _style_xfs(self) -> list[etree._Element]:
        return self._table("cellStyleXfs/{0}xf")

    @cached_property
    def _fonts(self) -> list[etree._Element]:
        return self._table("fonts/{0}font")

    @cached_property
    def _fills(self) -> list[etree._Element]:
        return self._table("fills/{0}fill")

    @cached_property
    def _borders(self) -> list[etree._Element]:
        return self._table("borders/{0}border")

    @cached_property
    def _dxfs(self) -> list[etree._Element]:
        return self._table("dxfs/{0}dxf")

    @cached_property
    def _codes(self) -> dict[str, str]:
        return {element.get("numFmtId", ""): element.get("formatCode", "") for element in self._table("numFmts/{0}numFmt")}

    @cached_property
    def _names(self) -> dict[str, str]:
        """Index of a style's format → the style's name."""
        out: dict[str, str] = {}
        for element in self._table("cellStyles/{0}cellStyle"):
            out.setdefault(element.get("xfId", "0"), _style_name(element))
        return out

    def named(self) -> list[tuple[str, bool, Facts]]:
        """Named cell styles: name, whether it is a built-in one as it comes, and its format."""
        out: list[tuple[str, bool, Facts]] = []
        for element in self._table("cellStyles/{0}cellStyle"):
            xf = _at(self._style_xfs, element.get("xfId", "0"))
            built_in = element.get("builtinId") is not None and not is_true(element.get("customBuiltin"))
            facts = dict(self._xf_facts(xf)) if xf is not None else {}
            facts.pop((Aspect.FORMAT, "style"), None)
            out.append((_style_name(element), built_in, facts))
        return out

    @property
    def count(self) -> int:
        """How many cell formats the table holds."""
        return len(self._xfs)

    def number_format(self, index: int) -> str:
        """The number format code of a cell format, in canonical spelling."""
        return str(self.facts(index)[Aspect.FORMAT, "number format"])

    def is_date(self, index: int) -> bool:
        """Whether numbers show as dates or times."""
        return is_date_code(self.number_format(index))

    def facts(self, index: int) -> Facts:
        """Every format fact of a cell format, defaults included."""
        known = self._facts.get(index)
        if known is None:
            xf = _at(self._xfs, str(index))
            facts = dict(DEFAULTS)
            if xf is not None:
                facts |= self._xf_facts(xf)
                facts[Aspect.FORMAT, "style"] = self._names.get(xf.get("xfId", "0"), "Normal")
            elif index:
                facts[Aspect.RAW, "missing cell format"] = index
            known = self._facts[index] = facts
        return known

    def difference(self, index: int, default: int = 0) -> Facts:
        """The format facts in which a cell format differs from another (the one of cells that state none)."""
        key = index * 1_000_003 + default
        known = self._diffs.get(key)
        if known is None:
            base = self.facts(default)
            known = self._diffs[key] = {name: value for name, value in self.facts(index).items() if base.get(name) != value}
        return known

    def same(self, index: int, default: int) -> bool:
        """Whether two cell formats look the same."""
        return index == default or not self.difference(index, default)

    def _xf_facts(self, xf: etree._Element) -> Facts:
        out: dict[tuple[Aspect, str], Value] = dict(DEFAULTS)
        out |= {(Aspect.FORMAT, name): value for name, value in self.font(_at(self._fonts, xf.get("fontId", "0"))).items()}
        out[Aspect.FORMAT, "fill"] = self.fill(_at(self._fills, xf.get("fillId", "0")))
        out |= {(Aspect.FORMAT, name): value for name, value in self.border(_at(self._borders, xf.get("borderId", "0"))).items()}
        out[Aspect.FORMAT, "number format"] = self._code(xf.get("numFmtId", "0"))
        if is_true(xf.get("quotePrefix")):
            out[Aspect.FORMAT, "quote prefix"] = True
        if is_true(xf.get("pivotButton")):
            out[Aspect.FORMAT, "pivot button"] = True
        out |= self._alignment_and_protection(xf)
        return out

    def _alignment_and_protection(self, element: etree._Element) -> Facts:
        out: dict[tuple[Aspect, str], Value] = {}
        for child in element:
            if child.tag == f"{X}alignment":
                for raw_name, raw_value in child.attrib.items():
                    name, text = str(raw_name), str(raw_value)
                    value: Value = is_true(text) if isinstance(_ALIGNMENT_DEFAULTS.get(name), bool) else text
                    out[Aspect.FORMAT, f"alignment.{_ALIGNMENT_NAMES.get(name, name)}"] = value
            elif child.tag == f"{X}protection":
                if child.get("locked") is not None:
                    out[Aspect.PROTECTION, "locked"] = is_true(child.get("locked"))
                if is_true(child.get("hidden")):
                    out[Aspect.PROTECTION, "hidden formula"] = True
            elif child.tag == f"{X}extLst":
                out[Aspect.RAW, "format extensions"] = canonical_text(child)
        return out

    def _code(self, identifier: str) -> str:
        code = self._codes.get(identifier)
        if code is None and identifier.isdecimal():
            code = BUILT_IN.get(whole(identifier, -1))
        return canonical_code(code) if code is not None else f"built-in {identifier}"

    def color(self, element: etree._Element | None, automatic: str = AUTOMATIC) -> str:
        """RRGGBB of a colour element; `automatic` where it names none."""
        color = resolve_color(element, self.theme, self.palette)
        return automatic if color == AUTOMATIC else color

    def font(self, element: etree._Element | None, *, partial: bool = False) -> dict[str, Value]:
        """Facts of a `font` or `rPr` element. `partial`: only what is stated (differential formats)."""
        out: dict[str, Value] = {} if partial else dict(_FONT_DEFAULTS)
        for child in element if element is not None else ():
            name = etree.QName(child).localname
            value = child.get("val")
            if name in _FLAGS:
                out[f"font.{_FLAGS[name]}"] = value is None or is_true(value)
            elif name == "u":
                out["font.underline"] = value or "single"
            elif name == "sz":
                out["font.size"] = _number(value)
            elif name == "color":
                out["font.color"] = self.color(child, "000000")
            elif name in ("name", "rFont"):
                out["font.name"] = value or ""
            elif name == "vertAlign":
                out["font.position"] = value or "baseline"
            elif name in ("family", "charset", "scheme"):
                out[f"font.{name}"] = value or _FONT_DEFAULTS[f"font.{name}"]
            else:
                out[f"font.{name}"] = canonical_text(child)
        return out

    def fill(self, element: etree._Element | None, *, differential: bool = False) -> str:
        """A fill in words: `none`, `DDEBF7` (solid), `gray125 000000 on FFFFFF`, or a gradient."""
        child = element[0] if element is not None and len(element) else None
        if child is None:
            return "none"
        if child.tag == f"{X}gradientFill":
            stops = [f"{_number(stop.get('position'))}:{self.color(stop.find(f'{X}color'))}" for stop in child.iterfind(f"{X}stop")]
            stated = sorted((str(name), str(value)) for name, value in child.attrib.items())
            shape = [f"{name}={_number(value)}" if name != "type" else value for name, value in stated]
            return " ".join(["gradient", *shape, *stops])
        front, back = child.find(f"{X}fgColor"), child.find(f"{X}bgColor")
        pattern = child.get("patternType") or ("solid" if differential else "none")
        if pattern == "none":
            return "none"
        if pattern == "solid":
            # A differential format states its colour as background, a cell format as foreground (18.8.32).
            color = (back if back is not None else front) if differential else front
            return self.color(color, "000000" if not differential else AUTOMATIC)
        return f"{pattern} {self.color(front, '000000')} on {self.color(back, 'FFFFFF')}"

    def border(self, element: etree._Element | None) -> dict[str, Value]:
        """Facts of a `border` element: a line for each side that has one."""
        out: dict[str, Value] = {}
        for child in element if element is not None else ():
            name = etree.QName(child).localname
            style = child.get("style") or "none"
            if style != "none":
                out[f"border.{name}"] = f"{style} {self.color(child.find(f'{X}color'), '000000')}"
        if element is not None and "border.diagonal" in out:
            ways = [way for way in ("diagonalUp", "diagonalDown") if is_true(element.get(way))]
            if ways:
                out["border.diagonal"] = f"{out['border.diagonal']} {'+'.join(ways)}"
            else:
                del out["border.diagonal"]
        if element is not None and element.get("outline") is not None and not is_true(element.get("outline")):
            out["border.outline"] = False
        return out

    def dxf(self, index: str | None) -> dict[str, Value]:
        """What a differential format states, by name of its position; {} where there is none."""
        if index is None:
            return {}
        element = _at(self._dxfs, index)
        if element is None:
            return {"missing": index}
        return self.differential(element)

    def differential(self, element: etree._Element) -> dict[str, Value]:
        """What a `dxf` element states."""
        out: dict[str, Value] = {}
        for child in element:
            name = etree.QName(child).localname
            if name == "font":
                out |= self.font(child, partial=True)
            elif name == "fill":
                fill = self.fill(child, differential=True)
                if fill != "none" or child.find(f"{X}patternFill") is not None:
                    out["fill"] = fill
            elif name == "border":
                out |= self.border(child)
            elif name == "numFmt":
                out["number format"] = canonical_code(child.get("formatCode", ""))
            elif name in ("alignment", "protection"):
                out |= {f"{fact}": value for (_, fact), value in self._alignment_and_protection(_wrap(child)).items()}
            else:
                out[name] = canonical_text(child)
        return out

    def raw(self) -> dict[tuple[Aspect, str], Value]:
        """Facts of what belongs to no cell: table styles, extensions."""
        out: dict[tuple[Aspect, str], Value] = {}
        for style in self._table("tableStyles/{0}tableStyle"):
            parts: list[Value] = [
                [str(element.get("type")), _number(element.get("size") or "1"), self.dxf(element.get("dxfId"))] for element in style.iterfind(f"{X}tableStyleElement")
            ]
            kinds = [name for name in ("pivot", "table") if style.get(name) is not None and not is_true(style.get(name))]
            out[Aspect.FORMAT, f"table style {style.get('name')}"] = [*parts, *[f"not for {kind}" for kind in kinds]]
        return out


def canonical_text(element: etree._Element) -> str:
    """A small element as text, prefixes and attribute order aside."""
    attributes = " ".join(f'{etree.QName(str(name)).localname}="{value}"' for name, value in sorted((str(name), str(value)) for name, value in element.attrib.items()))
    inner = "".join(canonical_text(child) for child in element if isinstance(child.tag, str)) + (element.text or "").strip()
    return f"<{etree.QName(element).localname}{' ' + attributes if attributes else ''}>{inner}</>"


def _wrap(child: etree._Element) -> etree._Element:
    from copy import deepcopy

    parent = etree.Element("dxf")
    parent.append(deepcopy(child))
    return parent


def _style_name(element: etree._Element) -> str:
    name = element.get("name", "")
    # The default style goes by its built-in number; programs write its name in their own language.
    return "Normal" if element.get("builtinId") == "0" else name


def _at(table: Sequence[etree._Element], index: str) -> etree._Element | None:
    return table[at] if (at := whole(index, len(table))) < len(table) else None


def _number(text: str | None) -> str:
    try:
        return number_text(float(text or ""))
    except ValueError:
        return text or ""
