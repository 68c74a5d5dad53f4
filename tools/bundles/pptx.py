"""Documents of the two deck bundles."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from typing import Any

from tools.bundles.common import FIXED_DATE, chain, png, repack, right, swap, write_bundle, wrong

TITLES = (
    "Harbour plan 2030",
    "Where we stand",
    "Goals",
    "Traffic by quarter",
    "Berths and depths",
    "Timetable",
    "Risks",
    "Team",
    "Next steps",
    "Questions",
)


def harbour_deck() -> bytes:
    """A deck of ten slides with a master, a table, a chart, notes, pictures, a group, a link, a hidden slide, a transition."""
    import datetime

    import pptx
    from pptx.chart.data import CategoryChartData
    from pptx.dml.color import RGBColor
    from pptx.enum.chart import XL_CHART_TYPE
    from pptx.enum.shapes import MSO_SHAPE
    from pptx.util import Cm, Pt

    deck = pptx.Presentation()
    core = deck.core_properties
    core.title, core.author = "Harbour plan", "Port authority"
    core.created = core.modified = datetime.datetime(*FIXED_DATE)
    cover, bullets, only_title = deck.slide_layouts[0], deck.slide_layouts[1], deck.slide_layouts[5]

    slide = deck.slides.add_slide(cover)
    slide.shapes.title.text, slide.placeholders[1].text = TITLES[0], "Board meeting, 14 November 2025"
    slide.shapes.add_picture(io.BytesIO(png(80, 40, (0, 90, 140))), Cm(1), Cm(1), Cm(4), Cm(2)).name = "Logo"
    slide.shapes[-1]._element._nvXxPr.cNvPr.set("descr", "Port authority")

    def bullet_slide(title: str, lines: list[tuple[int, str]], notes: str = "") -> Any:
        new = deck.slides.add_slide(bullets)
        new.shapes.title.text = title
        frame = new.placeholders[1].text_frame
        for n, (level, text) in enumerate(lines):
            paragraph = frame.paragraphs[0] if n == 0 else frame.add_paragraph()
            paragraph.text, paragraph.level = text, level
        if notes:
            new.notes_slide.notes_text_frame.text = notes
        return new

    bullet_slide(
        TITLES[1],
        [(0, "Two quays are in use"), (1, "North quay: 310 m"), (1, "South quay: 180 m"), (0, "Dredging is behind plan")],
        "Mention the delay of the dredger.",
    )
    goals = bullet_slide(
        TITLES[2],
        [(0, "New quay by 2026"), (0, "Shore power at every berth"), (1, "First berth in 2027"), (0, "No truck waits longer than 30 minutes")],
        "Say who pays for shore power.",
    )
    goals.placeholders[1].text_frame.paragraphs[3].runs[0].font.bold = True

    slide = deck.slides.add_slide(only_title)
    slide.shapes.title.text = TITLES[3]
    data = CategoryChartData()
    data.categories = ["Q1", "Q2", "Q3", "Q4"]
    data.add_series("Containers", (410, 455, 478, 502))
    data.add_series("Bulk", (220, 190, 205, 240))
    slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, Cm(2), Cm(5), Cm(20), Cm(11), data).name = "Traffic"

    slide = deck.slides.add_slide(only_title)
    slide.shapes.title.text = TITLES[4]
    table = slide.shapes.add_table(5, 3, Cm(2), Cm(5), Cm(20), Cm(6))
    table.name = "Berths"
    for r, row in enumerate(
        (("Berth", "Length (m)", "Depth (m)"), ("N1", "160", "11.5"), ("N2", "150", "11.5"), ("S1", "100", "9.0"), ("S2", "80", "7.5"))
    ):
        for c, text in enumerate(row):
            table.table.cell(r, c).text = text

    slide = deck.slides.add_slide(only_title)
    slide.shapes.title.text = TITLES[5]
    for n, text in enumerate(("Design", "Permits", "Building", "Opening")):
        box = slide.shapes.add_shape(MSO_SHAPE.PENTAGON, Cm(1.5 + n * 5.8), Cm(7), Cm(5.5), Cm(3))
        box.name, box.text_frame.text = f"Step {n + 1}", text
        box.fill.solid()
        box.fill.fore_color.rgb = RGBColor(0x1F, 0x4E + n * 20, 0x78)
    note = slide.shapes.add_textbox(Cm(2), Cm(12), Cm(18), Cm(1.5))
    note.name, note.text_frame.text = "Remark", "Dates depend on the permits."
    note.text_frame.paragraphs[0].runs[0].font.size = Pt(14)
    note.text_frame.paragraphs[0].runs[0].hyperlink.address = "https://harbour.example/permits"

    bullet_slide(TITLES[6], [(0, "Cost of steel"), (0, "Protected birds at the south quay"), (0, "Late permits")])
    slide = bullet_slide(TITLES[7], [(0, "Lead: M. Ferreira"), (0, "Engineering: K. Olsen"), (0, "Finance: R. Adeyemi")])
    group = slide.shapes.add_group_shape()
    group.name = "Badge"
    group.shapes.add_shape(MSO_SHAPE.OVAL, Cm(18), Cm(13), Cm(3), Cm(3)).text_frame.text = "2030"
    group.shapes.add_shape(MSO_SHAPE.STAR_5_POINT, Cm(21), Cm(13), Cm(3), Cm(3)).name = "Star"
    bullet_slide(TITLES[8], [(0, "Board decides in December"), (0, "Tender in spring")], "Ask for the decision.")
    slide = deck.slides.add_slide(cover)
    slide.shapes.title.text, slide.placeholders[1].text = TITLES[9], "port@harbour.example"
    deck.slides[6]._element.set("show", "0")
    out = io.BytesIO()
    deck.save(out)
    transition = '<p:transition spd="slow"><p:fade/></p:transition>'
    return repack(out.getvalue(), change={"ppt/slides/slide9.xml": swap("</p:clrMapOvr>", f"</p:clrMapOvr>{transition}")})


def with_python_pptx(data: bytes, edit: Callable[[Any], None]) -> bytes:
    """The deck edited and saved by python-pptx."""
    import pptx

    deck = pptx.Presentation(io.BytesIO(data))
    edit(deck)
    out = io.BytesIO()
    deck.save(out)
    return repack(out.getvalue())


def goal_year(source: bytes) -> None:
    """L1: a goal's year changes."""
    name = "harbour.pptx"
    slide = "ppt/slides/slide3.xml"

    def deck(*edits: Callable[[str], str], other: dict[str, Callable[[str], str]] | None = None) -> dict[str, bytes]:
        return {name: repack(source, change={slide: chain(*edits), **(other or {})})}

    edit = swap("New quay by 2026", "New quay by 2027")
    body = 'slide[3]/shape["Content Placeholder 2"]'
    hidden_box = (
        '<p:sp><p:nvSpPr><p:cNvPr id="90" name="TextBox 9"/><p:cNvSpPr txBox="1"/><p:nvPr/></p:nvSpPr><p:spPr><a:xfrm><a:off x="-3000000" y="100000"/>'
        '<a:ext cx="2000000" cy="400000"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></p:spPr><p:txBody><a:bodyPr/><a:lstStyle/><a:p><a:r><a:rPr lang="en-US"/>'
        "<a:t>New quay by 2027</a:t></a:r></a:p></p:txBody></p:sp></p:spTree>"
    )

    def run_text(new: Any) -> None:
        new.slides[2].placeholders[1].text_frame.paragraphs[0].runs[0].text = "New quay by 2027"

    write_bundle(
        "pptx-l1-c2-goal-year",
        metadata={
            "title": "Move a goal by a year",
            "level": "L1",
            "operations": ["C2"],
            "domain": "public administration",
            "required_operations": ["The goals slide says 'New quay by 2027'"],
            "edit_scope": {name: [f"{body}/paragraph[1]"]},
        },
        instruction="""
On the slide "Goals", say that the new quay comes by 2027 instead of 2026. Change nothing else.
""",
        verifier=f"""
schema = "docops.verifier/1"
aggregate = "all"

[groups.goal]
title = "The goal says 2027"
critical = true

[[criteria]]
id = "goal.new"
predicate = "anchor.contains"
at = '{name}#{body}'
text = "New quay by 2027"
count = 1

[[criteria]]
id = "goal.old"
predicate = "anchor.absent"
at = "{name}"
text = "New quay by 2026"

[[use]]
id = "goal.titles"
verifier = "pptx/slide-titles-in-order"
with = {{ artifact = "{name}", titles = {list(TITLES)!r} }}
""".replace("'", '"').replace(f'at = "{name}#{body}"', f"at = '{name}#{body}'"),
        sources={name: source},
        references=deck(edit),
        outputs={
            "by-python-pptx": ({name: with_python_pptx(source, run_text)}, right("edited and saved by python-pptx")),
            "three-runs": (
                deck(
                    swap(
                        "<a:r><a:t>New quay by 2026</a:t></a:r>", "<a:r><a:t>New quay</a:t></a:r><a:r><a:t> by </a:t></a:r><a:r><a:t>2027</a:t></a:r>"
                    )
                ),
                right("the new words over three runs"),
            ),
            "off-slide": (
                deck(swap("</p:spTree>", hidden_box)),
                wrong(
                    "the words stand in a box left of the slide", ["hidden_text", "unexpected", "unexpected_addition"], [f"{name}#slide[3]"], "gaming"
                ),
            ),
            "notes-changed": (
                deck(edit, other={"ppt/notesSlides/notesSlide2.xml": swap("Say who pays", "Do not say who pays")}),
                wrong("the speaker's notes say the opposite", ["unexpected_change"], [f"{name}#slide[3]/notes"]),
            ),
            "slide-shown": (
                deck(edit, other={"ppt/slides/slide7.xml": swap(' show="0"', "")}),
                wrong("the hidden slide is shown", ["unexpected_change"], [f"{name}#slide[7]"]),
            ),
            "chart-cache": (
                deck(edit, other={_chart_part(source): swap("<c:v>478</c:v>", "<c:v>748</c:v>")}),
                wrong("a number in the chart changed, its workbook did not", ["stale_value", "unexpected_change"], [f"{name}#slide[4]"]),
            ),
        },
    )


def _chart_part(data: bytes) -> str:
    import zipfile

    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return next(name for name in archive.namelist() if re.fullmatch(r"ppt/charts/chart\d+\.xml", name))


def reorder_and_table(source: bytes) -> None:
    """L2: slides reordered, a table cell corrected, notes added."""
    name = "harbour.pptx"
    wanted = [TITLES[0], TITLES[1], TITLES[2], TITLES[3], TITLES[4], TITLES[6], TITLES[5], TITLES[7], TITLES[8], TITLES[9]]

    def edited(edit: Callable[[Any], None] | None = None, *, order: bool = True, depth: bool = True, notes: bool = True) -> bytes:
        def work(deck: Any) -> None:
            if order:
                ids = deck.slides._sldIdLst
                ids.insert(5, ids[6])
            if depth:
                table = next(shape for shape in deck.slides[4].shapes if shape.has_table).table
                table.cell(3, 2).text_frame.paragraphs[0].runs[0].text = "10.0"
            if notes:
                risks = next(slide for slide in deck.slides if slide.shapes.title.text == "Risks")
                risks.notes_slide.notes_text_frame.text = "The permits are the largest risk."
            if edit is not None:
                edit(deck)

        return with_python_pptx(source, work)

    def by_parts() -> bytes:
        """The same edits through the parts, slides named anew in their new order."""
        data = edited()
        import zipfile

        out = io.BytesIO()
        with zipfile.ZipFile(io.BytesIO(data)) as archive, zipfile.ZipFile(out, "w") as target:
            for info in archive.infolist():
                body = archive.read(info)
                filename = _renamed(info.filename)
                if info.filename.endswith((".rels", "[Content_Types].xml")):
                    text = body.decode()
                    for old, new in (("slide6.xml", "slide60.xml"), ("slide7.xml", "slide6.xml"), ("slide60.xml", "slide7.xml")):
                        text = text.replace(f"slides/{old}", f"slides/{new}")
                    body = text.encode()
                target.writestr(zipfile.ZipInfo(filename, (2024, 1, 2, 0, 0, 0)), body, zipfile.ZIP_DEFLATED)
        return out.getvalue()

    def _renamed(filename: str) -> str:
        for old, new in (("6", "7"), ("7", "6")):
            if filename == f"ppt/slides/slide{old}.xml":
                return f"ppt/slides/slide{new}.xml"
            if filename == f"ppt/slides/_rels/slide{old}.xml.rels":
                return f"ppt/slides/_rels/slide{new}.xml.rels"
        return filename

    def restack(deck: Any) -> None:
        shapes = deck.slides[6].shapes
        box = next(shape for shape in shapes if shape.name == "Step 1")
        shapes._spTree.remove(box._element)
        shapes._spTree.append(box._element)

    def picture_of_table(deck: Any) -> None:
        slide = deck.slides[4]
        shape = next(item for item in slide.shapes if item.has_table)
        slide.shapes.add_picture(io.BytesIO(png(60, 30, (200, 200, 200))), shape.left, shape.top, shape.width, shape.height)
        shape._element.getparent().remove(shape._element)

    def move_box(deck: Any) -> None:
        box = next(shape for shape in deck.slides[6].shapes if shape.name == "Remark")
        box.left = box.left + 900_000

    table = 'slide[5]/shape["Berths"]'
    rows = '[["Berth", "Length (m)", "Depth (m)"], ["S1", "100", "10.0"]]'
    write_bundle(
        "pptx-l2-s2-risks-first",
        metadata={
            "title": "Risks before the timetable",
            "level": "L2",
            "operations": ["S2", "C2", "S1"],
            "domain": "public administration",
            "required_operations": ["The slide 'Risks' comes before 'Timetable'", "Berth S1 is 10.0 m deep", "The slide 'Risks' has speaker notes"],
            "edit_scope": {
                name: [
                    {"at": "slide[7]", "allow": ["move"]},
                    {"at": "slide[6]", "allow": ["move"]},
                    f"{table}/row[4]/cell[3]",
                    {"at": "slide[6]/notes", "allow": ["add"]},
                ]
            },
        },
        instruction="""
Show the slide "Risks" before the slide "Timetable" (it stays hidden). In the table of berths, the depth of S1 is 10.0 m, not 9.0.
Add speaker notes to "Risks": "The permits are the largest risk." Nothing else changes.
""",
        verifier=f"""
schema = "docops.verifier/1"
aggregate = "all"

[groups.order]
title = "The slides are in the asked order"
critical = true

[groups.table]
title = "The table is right and native"

[groups.notes]
title = "The notes are there"

[[use]]
id = "order.titles"
verifier = "pptx/slide-titles-in-order"
with = {{ artifact = "{name}", titles = {str(wanted).replace("'", '"')} }}

[[criteria]]
id = "order.count"
predicate = "pptx.slide_count"
at = "{name}"
equals = 10

[[use]]
id = "table.native"
verifier = "pptx/native-table"
with = {{ at = '{name}#{table}', rows = 5, columns = 3, contains = {rows} }}

[[criteria]]
id = "notes.text"
predicate = "pptx.notes"
at = "{name}#slide[6]/notes"
contains = "The permits are the largest risk."
""",
        sources={name: source},
        references={name: edited()},
        outputs={
            "slide-files-renamed": ({name: by_parts()}, right("the slide parts carry other names")),
            "notes-missing": ({name: edited(notes=False)}, wrong("the notes were not added", ["missing"], [f"{name}#slide[6]/notes"], "incomplete")),
            "restacked": (
                {name: edited(restack)},
                wrong("a shape went in front of the others", ["unexpected_move"], [f"{name}#slide[6]", f"{name}#slide[7]"]),
            ),
            "table-as-picture": (
                {name: edited(picture_of_table)},
                wrong("the table became a picture", ["missing", "unexpected_addition", "unexpected_change", "unexpected_removal"], [f"{name}#slide[5]"]),
            ),
            "box-moved": ({name: edited(move_box)}, wrong("a text box moved", ["unexpected_change"], [f"{name}#slide[6]", f"{name}#slide[7]"])),
        },
    )


def main() -> None:
    """Write both bundles."""
    source = harbour_deck()
    goal_year(source)
    reorder_and_table(source)
