"""Properties, themes and parts that nobody models."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from docops.core.codes import Aspect
from docops.core.compare import Comparison, compare_trees
from docops.core.node import Align, Node, root_node
from docops.formats.ooxml.common import leftover_nodes, part_fingerprint, property_nodes, theme_node
from docops.formats.ooxml.package import Package, open_package
from tests.formats.ooxml.packages import DOCUMENT, MAIN, W, corpus, members, pack

PROPERTIES = "http://schemas.openxmlformats.org/officeDocument/2006"
CORE = (
    '<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/" '
    'xmlns:dcterms="http://purl.org/dc/terms/">{}</cp:coreProperties>'
)
APP = f'<Properties xmlns="{PROPERTIES}/extended-properties">{{}}</Properties>'
CUSTOM = f'<Properties xmlns="{PROPERTIES}/custom-properties" xmlns:vt="{PROPERTIES}/docPropsVTypes">{{}}</Properties>'
CORE_TYPE = "http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties"


def with_properties(core: str = "", app: str = "", custom: str = "", main_type: str = MAIN) -> Package:
    root = [("rId2", CORE_TYPE, "docProps/core.xml"), ("rId3", "extended-properties", "docProps/app.xml"), ("rId4", "custom-properties", "docProps/custom.xml")]
    parts = {"docProps/core.xml": CORE.format(core), "docProps/app.xml": APP.format(app), "docProps/custom.xml": CUSTOM.format(custom)}
    return open_package(pack(members(parts=parts, root=root, main_type=main_type)))


def values(package: Package) -> dict[str, object]:
    return {node.name or "": dict(node.facts) for node in property_nodes(package)}


def test_core_and_extended_properties() -> None:
    found = values(
        with_properties(
            "<dc:title>A title</dc:title><dc:creator>Ann</dc:creator><dcterms:created>2024-01-02T03:04:05.123Z</dcterms:created>"
            "<dcterms:modified>2025-01-01T00:00:00Z</dcterms:modified><cp:lastModifiedBy>Bob</cp:lastModifiedBy><cp:revision>4</cp:revision><dc:subject/>",
            "<Application>X</Application><Company>Acme</Company><Words>7</Words><DocSecurity>0</DocSecurity><Manager></Manager>",
        )
    )
    # Names that are volatile have places, since somebody may hide words there, and no facts.
    assert {name for name, facts in found.items() if facts} == {"content type", "title", "creator", "created", "Company"}
    assert found["created"] == {(Aspect.METADATA, "value"): "2024-01-02T03:04:05Z"}
    assert found["Company"] == {(Aspect.METADATA, "value"): "Acme"}


def test_a_library_is_no_author() -> None:
    assert "creator" not in values(with_properties("<dc:creator>openpyxl</dc:creator>"))


def test_custom_properties_with_their_types() -> None:
    row = '<property fmtid="{{A}}" pid="{}" name="{}">{}</property>'
    text, number, flag = (row.format(n, name, value) for n, name, value in ((2, "Case", "<vt:lpwstr>7</vt:lpwstr>"), (3, "title", "<vt:i4>7</vt:i4>"), (4, "Ok", "<vt:bool>1</vt:bool>")))
    found = values(with_properties("<dc:title>A</dc:title>", custom=text + number + flag))
    assert found["Case"] == {(Aspect.METADATA, "value"): "7", (Aspect.METADATA, "type"): "text"}
    assert found["custom title"] == {(Aspect.METADATA, "value"): "7", (Aspect.METADATA, "type"): "integer"}
    assert found["Ok"] == {(Aspect.METADATA, "value"): "true", (Aspect.METADATA, "type"): "boolean"}
    again = values(with_properties("<dc:title>A</dc:title>", custom=flag.replace(">1<", ">true<") + text.replace('pid="2"', 'pid="9"') + number))
    assert again == found


@pytest.mark.parametrize(
    ("content_type", "kind", "macros"),
    [
        ("application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml", "document", False),
        ("application/vnd.openxmlformats-officedocument.wordprocessingml.template.main+xml", "template", False),
        ("application/vnd.ms-word.document.macroEnabled.main+xml", "document", True),
        ("application/vnd.openxmlformats-officedocument.presentationml.slideshow.main+xml", "show", False),
    ],
)
def test_the_kind_of_document_is_state(content_type: str, kind: str, macros: bool) -> None:
    found = values(with_properties(main_type=content_type))["content type"]
    assert found == {(Aspect.STRUCTURE, "kind"): kind, (Aspect.STRUCTURE, "macro-enabled"): macros}


THEME = (
    '<a:theme xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" name="Office"><a:themeElements><a:clrScheme name="c"><a:dk1><a:sysClr val="windowText" '
    'lastClr="000000"/></a:dk1><a:lt1><a:srgbClr val="ffffff"/></a:lt1><a:accent1><a:srgbClr val="4472c4"/></a:accent1></a:clrScheme><a:fontScheme name="f"><a:majorFont>'
    '<a:latin typeface="Calibri"/><a:ea typeface=""/><a:font script="Jpan" typeface="Yu"/></a:majorFont></a:fontScheme><a:fmtScheme name="s"><a:fillStyleLst/></a:fmtScheme>'
    "</a:themeElements><a:objectDefaults/></a:theme>"
)


def theme(text: str) -> Mapping[tuple[Aspect, str], object]:
    package = open_package(pack(members(parts={"word/theme.xml": text})))
    node = theme_node(package, package.parts["/word/theme.xml"])
    assert node is not None
    assert node.address == "theme"
    return node.facts


def test_theme() -> None:
    facts = theme(THEME)
    assert facts[Aspect.THEME, "accent1"] == "4472C4"
    assert facts[Aspect.THEME, "dk1"] == "000000"
    assert facts[Aspect.THEME, "major latin"] == "Calibri"
    assert facts[Aspect.THEME, "major scripts"] == {"Jpan": "Yu"}
    assert {name for aspect, name in facts if aspect is Aspect.RAW} == set()
    assert theme(THEME.replace("fillStyleLst/", "fillStyleLst><a:noFill/></a:fillStyleLst").replace("<a:fillStyleLst></", "<a:fillStyleLst></")) != facts
    assert theme_node(open_package(pack(members())), None) is None


def leftovers(parts: Mapping[str, str | bytes], rels: list[tuple[str, str, str]], *, document: str = DOCUMENT, inner: Mapping[str, list[tuple[str, str, str]]] | None = None) -> list[Node]:
    package = open_package(pack(members(document, parts=parts, rels={"word/document.xml": rels, **(inner or {})})))
    return leftover_nodes(package, {"/word/document.xml"})


def differences(before: list[Node], after: list[Node]) -> list[tuple[str, str]]:
    assert all(node.align is Align.KEY for node in [*before, *after])
    return [(change.address, str(change.kind)) for change in compare_trees(root_node(lambda: before), root_node(lambda: after), Comparison())]


ITEMS = {"customXml/item1.xml": "<a>one</a>", "customXml/item2.xml": "<a>two</a>"}
ITEM_RELS = [("rId1", "customXml", "../customXml/item1.xml"), ("rId2", "customXml", "../customXml/item2.xml")]


def test_parts_reached_by_relationship_alone_are_state() -> None:
    before = leftovers(ITEMS, ITEM_RELS)
    assert [node.address for node in before] == ['part["/customXml/item1.xml"]', 'part["/customXml/item2.xml"]']
    changed = leftovers({**ITEMS, "customXml/item2.xml": "<a>three</a>"}, ITEM_RELS)
    assert sorted(differences(before, changed)) == [('part["/customXml/item2.xml"]', "added"), ('part["/customXml/item2.xml"]', "removed")]
    assert differences(before, leftovers(ITEMS, ITEM_RELS[:1])) != []


def test_names_and_ids_of_parts_are_no_state() -> None:
    before = leftovers(ITEMS, ITEM_RELS)
    renamed = leftovers({"customXml/a.xml": ITEMS["customXml/item2.xml"], "x/b.xml": ITEMS["customXml/item1.xml"]}, [("q", "customXml", "../customXml/a.xml"), ("p", "customXml", "/x/b.xml")])
    assert differences(before, renamed) == []


def test_what_a_leftover_leads_to_is_part_of_it() -> None:
    def item(properties: str) -> list[Node]:
        return leftovers(
            {"customXml/item1.xml": "<a/>", "customXml/props.xml": properties}, ITEM_RELS[:1], inner={"customXml/item1.xml": [("r", "customXmlProps", "props.xml")]}
        )

    assert [node.address for node in item("<a/>")] == ['part["/customXml/item1.xml"]']
    assert differences(item("<a/>"), item("<b/>")) != []


def test_orphans_are_state_and_left_behind_pictures_are_not() -> None:
    assert [node.address for node in leftovers({"word/orphan.bin": b"x"}, [])] == ['part["/word/orphan.bin"]']
    assert leftovers({"word/media/a.png": b"x"}, [("rId7", "image", "media/a.png")]) == []


def test_parts_that_an_element_names_belong_to_its_facts() -> None:
    document = f'<w:document xmlns:w="{W}" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><w:object r:id="rId7"/></w:document>'
    assert leftovers({"word/a.bin": b"x"}, [("rId7", "printerSettings", "a.bin")], document=document) == []
    assert len(leftovers({"word/a.bin": b"x"}, [("rId7", "printerSettings", "a.bin")])) == 1


def test_macros_are_code_and_matched_as_the_same_thing() -> None:
    rels = [("rId7", "http://schemas.microsoft.com/office/2006/relationships/vbaProject", "vbaProject.bin")]
    before, after = leftovers({"word/vbaProject.bin": b"one"}, rels), leftovers({"word/vbaProject.bin": b"two"}, rels)
    assert [aspect for aspect, _ in before[0].facts] == [Aspect.CODE]
    assert differences(before, after) == [('part["/word/vbaProject.bin"]', "changed")]


def test_thumbnails_are_volatile() -> None:
    package = open_package(pack(members(parts={"docProps/t.png": b"x"}, root=[("rId9", "http://schemas.openxmlformats.org/package/2006/relationships/metadata/thumbnail", "docProps/t.png")])))
    assert leftover_nodes(package, {"/word/document.xml"}) == []


def test_fingerprints_cover_what_a_part_leads_to() -> None:
    def fingerprint(content: bytes) -> str:
        package = open_package(pack(members(parts={"word/a.png": content}, rels={"word/document.xml": [("rId1", "image", "a.png")]})))
        return part_fingerprint(package, package.main)

    assert fingerprint(b"a") == fingerprint(b"a") != fingerprint(b"b")


@pytest.mark.parametrize("path", corpus("docx", "pptx", "xlsx"), ids=lambda path: path.name)
def test_real_files(path: Path) -> None:
    package = open_package(path.read_bytes())
    names = [node.address for node in property_nodes(package)]
    assert len(names) == len(set(names))
    for part in package.parts.values():
        if "theme+xml" in part.content_type:
            node = theme_node(package, part)
            assert node is not None
            assert len([value for (aspect, _), value in node.facts.items() if aspect is Aspect.THEME]) >= 12
    assert [node.facts for node in leftover_nodes(package, {package.main.name})] == [node.facts for node in leftover_nodes(open_package(path.read_bytes()), {package.main.name})]
