"""A part that is declared as what it is not is a change; files of real programs hold none."""

from __future__ import annotations

import pytest

from docops.core.codes import Aspect
from docops.formats.ooxml.content_types import misdeclared_nodes
from docops.formats.ooxml.package import open_package
from tests.formats.ooxml.packages import SHARED, members, pack

STYLES = "application/vnd.openxmlformats-officedocument.wordprocessingml.styles+xml"
W_STYLES = '<w:styles xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"/>'


def package(declared: str | None, name: str = "word/styles.xml") -> bytes:
    types = {name: declared} if declared is not None else {}
    return pack(members(parts={name: W_STYLES}, rels={"word/document.xml": [("rId1", "styles", name.removeprefix("word/"))]}, types=types))


@pytest.mark.parametrize("declared", [STYLES, STYLES.upper(), f"{STYLES}; charset=utf-8"])
def test_a_part_that_is_declared_as_what_it_is_has_no_node(declared: str) -> None:
    assert misdeclared_nodes(open_package(package(declared))) == []


@pytest.mark.parametrize(("declared", "said"), [(None, "application/xml"), ("", "none"), (STYLES.replace("styles", "settings"), "settings+xml")])
def test_a_part_that_is_declared_as_another_has_one(declared: str | None, said: str) -> None:
    (node,) = misdeclared_nodes(open_package(package(declared)))
    assert node.address == "part[/word/styles.xml]" or node.address == 'part["/word/styles.xml"]'
    assert said in str(node.facts[Aspect.STRUCTURE, "content type"])


def test_part_names_do_not_matter_where_both_sides_are_wrong() -> None:
    (one,) = misdeclared_nodes(open_package(package(None)))
    (other,) = misdeclared_nodes(open_package(package(None, "word/styles7.xml")))
    assert (one.key, one.facts) == (other.key, other.facts)


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared corpus is not there")
def test_files_of_real_programs_declare_their_parts_as_what_they_are() -> None:
    files = [path for folder in ("xlsx", "docx", "pptx") for path in sorted((SHARED / "corpus" / folder).iterdir())]
    assert len(files) > 30
    for path in files:
        assert misdeclared_nodes(open_package(path.read_bytes())) == [], path.name
