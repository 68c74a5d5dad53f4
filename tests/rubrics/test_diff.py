"""The comparison that leaves read: faithful to the benchmark, its blind spots included, and semantic."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from docops.rubrics.diff import diffs, grouped_tree
from tools.rubrics import deck

Edit = Callable[[Any], None]


def edited(data: bytes, edit: Edit) -> bytes:
    import pptx

    presentation = pptx.Presentation(io.BytesIO(data))
    edit(presentation)
    out = io.BytesIO()
    presentation.save(out)
    return out.getvalue()


def replaced(data: bytes, part: str, old: bytes, new: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as source, zipfile.ZipFile(out, "w") as target:
        for info in source.infolist():
            body = source.read(info)
            assert info.filename != part or old in body
            target.writestr(info, body.replace(old, new) if info.filename == part else body)
    return out.getvalue()


def move_last_first(presentation: Any) -> None:
    order = presentation.slides._sldIdLst
    last = list(order)[-1]
    order.remove(last)
    order.insert(0, last)


def drop_first(presentation: Any) -> None:
    order = presentation.slides._sldIdLst
    first = next(iter(order))
    presentation.part.drop_rel(first.rId)
    order.remove(first)


def add_slide(presentation: Any) -> None:
    presentation.slides.add_slide(presentation.slide_layouts[5]).shapes.title.text = "New"


SLIDE = "ppt/slides/slide1.xml"
BEFORE = deck()

#: What was done; number of modified slides in the faithful and in the semantic comparison.
CASES: dict[str, tuple[bytes, int, int]] = {
    "saved again": (edited(BEFORE, lambda _: None), 0, 0),
    "title": (deck(title="Other"), 1, 1),
    "notes": (deck(notes="Other"), 0, 1),
    "slide moved": (edited(BEFORE, move_last_first), 0, 1),
    "space at the end": (replaced(BEFORE, SLIDE, b"Quarter</a:t>", b"Quarter </a:t>"), 0, 1),
    "proofing noise": (replaced(BEFORE, SLIDE, b"<a:r><a:t>Quarter", b'<a:r><a:rPr dirty="0"/><a:t>Quarter'), 1, 0),
}


@pytest.mark.parametrize("name", CASES)
def test_modified_slides(name: str, tmp_path: Path) -> None:
    after, faithful, semantic = CASES[name]
    (tmp_path / "a.pptx").write_bytes(BEFORE)
    (tmp_path / "b.pptx").write_bytes(after)
    for mode, expected in (("faithful", faithful), ("semantic", semantic)):
        found = diffs(mode)(tmp_path / "a.pptx", tmp_path / "b.pptx")
        assert len(found["modified_slides"]) == expected, mode
        assert (found["added_slides"], found["removed_slides"]) == ([], [])


MIXED = edited(BEFORE, add_slide)
GREEN = b'<p:cSld><p:bg><p:bgPr><a:solidFill><a:srgbClr val="00FF00"/></a:solidFill><a:effectLst/></p:bgPr></p:bg>'


def with_background(number: int) -> bytes:
    """The deck of mixed layouts with a green background on one."""
    part = f"ppt/slideLayouts/slideLayout{number}.xml"
    with zipfile.ZipFile(io.BytesIO(MIXED)) as archive:
        start = re.search(rb"<p:cSld[^>]*>", archive.read(part))
    assert start is not None
    return replaced(MIXED, part, start[0], start[0][:-1] + GREEN[len(b"<p:cSld") :])


#: What was done to the deck of mixed layouts; the slides that show it.
LENT: dict[str, tuple[bytes, list[int]]] = {
    "a colour of the theme": (replaced(MIXED, "ppt/theme/theme1.xml", b"4F81BD", b"FF0000"), [1, 2, 3, 4]),
    "the size of titles": (replaced(MIXED, "ppt/slideMasters/slideMaster1.xml", b'sz="4400"', b'sz="2000"'), [1, 2, 3, 4]),
    "the size of slides": (replaced(MIXED, "ppt/presentation.xml", b'cx="9144000"', b'cx="8000000"'), [1, 2, 3, 4]),
    "a layout that three slides have": (with_background(2), [1, 2, 3]),
    "a layout that one slide has": (with_background(6), [4]),
    "a layout that no slide has": (with_background(9), []),
}


@pytest.mark.parametrize("name", LENT)
def test_what_is_lent_to_a_slide_shows_on_it_in_the_semantic_comparison(name: str, tmp_path: Path) -> None:
    after, numbers = LENT[name]
    (tmp_path / "a.pptx").write_bytes(MIXED)
    (tmp_path / "b.pptx").write_bytes(after)
    found = diffs("semantic")(tmp_path / "a.pptx", tmp_path / "b.pptx")
    assert [slide["slide_number"] for slide, _ in found["modified_slides"]] == numbers
    assert diffs("faithful")(tmp_path / "a.pptx", tmp_path / "b.pptx")["modified_slides"] == []


@pytest.mark.parametrize("mode", ["faithful", "semantic"])
def test_slides_added_and_removed(mode: str, tmp_path: Path) -> None:
    (tmp_path / "a.pptx").write_bytes(BEFORE)
    (tmp_path / "b.pptx").write_bytes(edited(edited(BEFORE, drop_first), add_slide))
    found = diffs(mode)(tmp_path / "a.pptx", tmp_path / "b.pptx")
    assert [slide["title"] for slide in found["removed_slides"]] == ["Quarter"]
    assert [(slide["title"], slide["slide_number"], slide["layout_type"]) for slide in found["added_slides"]] == [("New", 3, "Title Only")]


def test_transitions(tmp_path: Path) -> None:
    fade = deck(fade=True)
    slow = replaced(
        fade, SLIDE, b"<p:transition>", b'<p:transition xmlns:p14="http://schemas.microsoft.com/office/powerpoint/2010/main" p14:dur="60000">'
    )
    for name, data in (("a", BEFORE), ("b", fade), ("c", slow)):
        (tmp_path / f"{name}.pptx").write_bytes(data)
    faithful, semantic = diffs("faithful"), diffs("semantic")
    added = faithful(tmp_path / "a.pptx", tmp_path / "b.pptx")["added_transitions"]
    assert added == [{"slide_id": "256", "transition_type": "fade", "duration": 0.5, "direction": None}]
    assert faithful(tmp_path / "b.pptx", tmp_path / "c.pptx")["modified_transitions"] == []
    ((old, new),) = semantic(tmp_path / "b.pptx", tmp_path / "c.pptx")["modified_transitions"]
    assert (old["duration"], new["duration"]) == (0.5, 60.0)


TIMING = '<p:timing><p:tnLst><p:par><p:cTn id="1" nodeType="tmRoot"><p:childTnLst>%s</p:childTnLst></p:cTn></p:par></p:tnLst></p:timing></p:sld>'
EFFECT = (
    '<p:par><p:cTn id="{n}" presetID="{preset}" presetClass="{kind}" presetSubtype="{sub}"><p:childTnLst><p:set><p:cBhvr><p:cTn id="9{n}" dur="1"/>'
    '<p:tgtEl><p:spTgt spid="{shape}"/></p:tgtEl></p:cBhvr></p:set></p:childTnLst></p:cTn></p:par>'
)


def animated(*effects: tuple[str, str, str, str]) -> bytes:
    inner = "".join(
        EFFECT.format(n=number, preset=preset, kind=kind, sub=sub, shape=shape) for number, (preset, kind, sub, shape) in enumerate(effects, 2)
    )
    return replaced(BEFORE, SLIDE, b"</p:sld>", (TIMING % inner).encode())


def test_animations(tmp_path: Path) -> None:
    (tmp_path / "a.pptx").write_bytes(BEFORE)
    (tmp_path / "b.pptx").write_bytes(animated(("2", "entr", "8", "2")))
    (added,) = diffs("faithful")(tmp_path / "a.pptx", tmp_path / "b.pptx")["added_animations"]
    assert (added["effect_type"], added["trigger"], added["duration"], added["element_text"]) == ("fly_in_from_left", "click", 0.5, "Quarter")


def test_an_inserted_effect_shifts_the_others_only_in_the_faithful_comparison(tmp_path: Path) -> None:
    (tmp_path / "a.pptx").write_bytes(animated(("1", "entr", "0", "2")))
    (tmp_path / "b.pptx").write_bytes(animated(("2", "entr", "8", "3"), ("1", "entr", "0", "2")))
    faithful = diffs("faithful")(tmp_path / "a.pptx", tmp_path / "b.pptx")
    assert (len(faithful["added_animations"]), len(faithful["removed_animations"])) == (2, 1)
    semantic = diffs("semantic")(tmp_path / "a.pptx", tmp_path / "b.pptx")
    assert (len(semantic["added_animations"]), len(semantic["removed_animations"])) == (1, 0)


def test_grouped_trees() -> None:
    assert grouped_tree(b"<a><b/><c> x </c></a>") == grouped_tree(b"<a><c>x</c><b/></a>")
    assert grouped_tree(b"<a><b>1</b><b>2</b></a>") != grouped_tree(b"<a><b>2</b><b>1</b></a>")
