"""DrawingML in words: the same look is the same text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from docops.core.codes import Aspect
from docops.formats.ooxml.drawing import (
    Colours,
    apply_tint,
    colour_map,
    colour_text,
    emu,
    fill_text,
    geometry_facts,
    line_text,
    look_text,
    picture_facts,
    shape_geometry,
    sheet_colour,
)
from docops.formats.ooxml.package import open_package
from tests.formats.ooxml.packages import members, pack

A = "http://schemas.openxmlformats.org/drawingml/2006/main"
X = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
THEME = {"dk1": "000000", "lt1": "FFFFFF", "dk2": "44546A", "lt2": "E7E6E6", "accent1": "4472C4", "accent2": "ED7D31"}
OFFICE = Colours(THEME)


def dml(text: str) -> etree._Element:
    return etree.fromstring(f'<x xmlns:a="{A}" xmlns:r="{R}" xmlns="{X}">{text}</x>')[0]


@pytest.mark.parametrize(
    ("text", "colour"),
    [
        ('<a:srgbClr val="4472c4"/>', "4472C4"),
        ('<a:schemeClr val="accent1"/>', "4472C4"),
        ('<a:schemeClr val="tx1"/>', "000000"),
        ('<a:schemeClr val="bg1"/>', "FFFFFF"),
        ('<a:sysClr val="window" lastClr="FEFEFE"/>', "FEFEFE"),
        ('<a:sysClr val="windowText"/>', "000000"),
        ('<a:prstClr val="dkBlue"/>', "00008B"),
        ('<a:prstClr val="grey"/>', "808080"),
        ('<a:scrgbClr r="100000" g="0" b="0"/>', "FF0000"),
        ('<a:hslClr hue="0" sat="100000" lum="50000"/>', "FF0000"),
        # Values that PowerPoint shows for the lighter and darker variants of the Office theme.
        ('<a:schemeClr val="accent1"><a:lumMod val="75000"/></a:schemeClr>', "2F5597"),
        ('<a:schemeClr val="accent1"><a:lumMod val="50000"/></a:schemeClr>', "203864"),
        ('<a:schemeClr val="accent1"><a:lumMod val="40000"/><a:lumOff val="60000"/></a:schemeClr>', "B4C7E7"),
        ('<a:schemeClr val="bg1"><a:lumMod val="85000"/></a:schemeClr>', "D9D9D9"),
        ('<a:schemeClr val="tx1"><a:lumMod val="65000"/><a:lumOff val="35000"/></a:schemeClr>', "595959"),
        ('<a:srgbClr val="000000"><a:alpha val="50000"/></a:srgbClr>', "000000@50%"),
        ('<a:srgbClr val="000000"><a:alpha val="50%"/></a:srgbClr>', "000000@50%"),
        ('<a:srgbClr val="000000"><a:alpha val="100000"/></a:srgbClr>', "000000"),
        ('<a:srgbClr val="FF0000"><a:shade val="100000"/><a:tint val="100000"/></a:srgbClr>', "FF0000"),
        ('<a:srgbClr val="000000"><a:inv/></a:srgbClr>', "FFFFFF"),
        ('<a:schemeClr val="accent6"><a:lumMod val="75000"/></a:schemeClr>', "accent6 lumMod=75000"),
    ],
)
def test_colours(text: str, colour: str) -> None:
    shown = colour_text(dml(text), OFFICE)
    if len(shown) == len(colour) == 6:
        assert max(abs(int(shown[n : n + 2], 16) - int(colour[n : n + 2], 16)) for n in (0, 2, 4)) <= 1
    else:
        assert shown == colour


def test_colour_maps_and_placeholders() -> None:
    swapped = Colours(THEME, colour_map(dml('<a:map bg1="dk1" tx1="lt1"/>')))
    assert colour_text(dml('<a:schemeClr val="bg1"/>'), swapped) == "000000"
    style = dml('<a:schemeClr val="phClr"><a:alpha val="50000"/></a:schemeClr>')
    assert colour_text(style, OFFICE.with_placeholder("4472C4")) == "4472C4@50%"
    assert colour_text(style, OFFICE) == "phClr alpha=50000"


@given(st.integers(0, 0xFFFFFF), st.integers(0, 100))
def test_any_colour_comes_out_as_it_is(value: int, alpha: int) -> None:
    shown = colour_text(dml(f'<a:srgbClr val="{value:06x}"><a:alpha val="{alpha * 1000}"/></a:srgbClr>'), OFFICE)
    assert shown == f"{value:06X}" + ("" if alpha == 100 else f"@{alpha}%")


@pytest.mark.parametrize(
    ("text", "colour"),
    [
        ('<color rgb="FF4472c4"/>', "4472C4"),
        ('<color theme="4"/>', "4472C4"),
        ('<color theme="1"/>', "000000"),
        ('<color theme="0" tint="-0.14999847407452621"/>', "D9D9D9"),
        ('<color theme="4" tint="0.59999389629810485"/>', "B4C6E7"),
        ('<color indexed="10"/>', "FF0000"),
        ('<color indexed="64"/>', "auto"),
        ('<color auto="1"/>', "auto"),
        ('<color theme="9"/>', "theme 9"),
    ],
)
def test_sheet_colours(text: str, colour: str) -> None:
    assert sheet_colour(dml(text), OFFICE) == colour


@pytest.mark.parametrize(
    ("base", "shown"),
    [
        ("4472C4", ("D9E1F2", "B4C6E7", "8EA9DB", "305496", "203764")),
        ("ED7D31", ("FCE4D6", "F8CBAD", "F4B084", "C65911", "833C0C")),
        ("70AD47", ("E2EFDA", "C6E0B4", "A9D08E", "548235", "375623")),
    ],
)
def test_tints_are_those_of_the_colour_picker(base: str, shown: tuple[str, ...]) -> None:
    stored = (0.7999816888943144, 0.5999938962981048, 0.3999755851924192, -0.249977111117893, -0.499984740745262)
    assert tuple(apply_tint(base, tint) for tint in stored) == shown


@given(st.floats(-1, 1), st.integers(0, 255))
def test_tint_keeps_greys_grey(tint: float, level: int) -> None:
    shown = apply_tint(f"{level:02X}" * 3, tint)
    assert shown[:2] == shown[2:4] == shown[4:]


def test_fills() -> None:
    assert fill_text(dml("<a:spPr/>"), OFFICE) is None
    assert fill_text(dml("<a:spPr><a:noFill/></a:spPr>"), OFFICE) == "none"
    assert fill_text(dml('<a:spPr><a:solidFill><a:schemeClr val="accent1"/></a:solidFill></a:spPr>'), OFFICE) == "4472C4"
    pattern = '<a:spPr><a:pattFill prst="pct50"><a:fgClr><a:srgbClr val="FF0000"/></a:fgClr><a:bgClr><a:srgbClr val="00FF00"/></a:bgClr></a:pattFill></a:spPr>'
    assert fill_text(dml(pattern), OFFICE) == "pattern pct50 FF0000 on 00FF00"
    gradient = '<a:spPr><a:gradFill><a:gsLst><a:gs pos="0"><a:schemeClr val="{}"/></a:gs></a:gsLst><a:lin ang="5400000"/></a:gradFill></a:spPr>'
    one, other = (fill_text(dml(gradient.format(name)), OFFICE) for name in ("accent1", "accent2"))
    assert one is not None
    assert "4472C4" in one != other


def test_lines() -> None:
    line = '<a:ln w="12700"><a:solidFill><a:srgbClr val="FF0000"/></a:solidFill><a:prstDash val="dash"/></a:ln>'
    assert line_text(dml(line), OFFICE) == "12700 FF0000 prstDash(val=dash)"
    assert line_text(dml("<a:ln><a:noFill/></a:ln>"), OFFICE) == "none"
    assert line_text(dml("<a:ln/>"), OFFICE) is None
    assert line_text(None, OFFICE) is None


def test_looks_ignore_spelling_and_see_change() -> None:
    shadow = '<a:effectLst><a:outerShdw dist="{}" blurRad="40000"><a:prstClr val="black"><a:alpha val="40000"/></a:prstClr></a:outerShdw></a:effectLst>'
    one = look_text(dml(shadow.format(20000)), OFFICE)
    assert one == look_text(dml(shadow.format(20000).replace("a:", "b:").replace("<b:effectLst>", f'<b:effectLst xmlns:b="{A}">')), OFFICE)
    assert one == look_text(dml(shadow.format(20000).replace('<a:prstClr val="black">', '<a:srgbClr val="000000">').replace("a:prstClr", "a:srgbClr")), OFFICE)
    assert one != look_text(dml(shadow.format(30000)), OFFICE)
    assert look_text(dml("<a:effectLst/>"), OFFICE) == "effectLst"


def test_geometry() -> None:
    facts = geometry_facts(dml('<a:xfrm rot="5400000" flipH="1"><a:off x="10" y="20"/><a:ext cx="1in" cy="40"/></a:xfrm>'))
    assert facts == {
        (Aspect.GEOMETRY, "x"): 10,
        (Aspect.GEOMETRY, "y"): 20,
        (Aspect.GEOMETRY, "width"): 914400,
        (Aspect.GEOMETRY, "height"): 40,
        (Aspect.GEOMETRY, "rotation"): 5400000,
        (Aspect.GEOMETRY, "flip"): "horizontal",
    }
    assert geometry_facts(dml('<a:xfrm rot="0" flipV="false"/>')) == geometry_facts(None) == {}
    assert emu("2.5cm") == 900000
    assert emu("nonsense") == 0


def test_shape_geometry() -> None:
    assert shape_geometry(dml('<a:spPr><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></a:spPr>')) == "rect"
    assert shape_geometry(dml('<a:spPr><a:prstGeom prst="roundRect"><a:avLst><a:gd name="adj" fmla="val 5"/></a:avLst></a:prstGeom></a:spPr>')) == "roundRect (adj val 5)"
    assert shape_geometry(dml("<a:spPr/>")) is None


def test_pictures() -> None:
    data = pack(members(parts={"word/a.png": b"one"}, rels={"word/document.xml": [("rId1", "image", "a.png"), ("rId2", "image", "https://a.example/x.png")]}))
    part = open_package(data).main
    fill = dml(
        '<blipFill><a:blip r:embed="rId1" r:link="rId2" cstate="print"><a:grayscl/></a:blip><a:srcRect l="25000" r="0"/><a:stretch><a:fillRect/></a:stretch></blipFill>'
    )
    facts = picture_facts(fill, part, OFFICE)
    assert str(facts[Aspect.MEDIA, "image"]).startswith("image/png ")
    assert facts[Aspect.MEDIA, "linked image"] == "https://a.example/x.png"
    assert facts[Aspect.FORMAT, "crop"] == "left 25%"
    assert facts[Aspect.FORMAT, "picture effects"] == "grayscl"
    assert len(facts) == 4
