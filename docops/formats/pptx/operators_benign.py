"""Rewrites of presentations after which the presentation means the same."""

from __future__ import annotations

import copy
import io
from collections.abc import Callable, Iterable

from lxml import etree

from docops.core.operator import CorruptionClass, Operator
from docops.formats.pptx.operators_model import SAMPLE, PptxFile, find_paragraphs, pptx_operator
from docops.operators.ooxml_file import A, Place, local_name

BENIGN = CorruptionClass.BENIGN


def whole(file: PptxFile) -> list[Place]:
    """The one site of operators that rewrite the whole presentation."""
    return [Place("", "", file.xml(file.main))] if file.slides else []


def _when(condition: Callable[[PptxFile], bool]) -> Callable[[PptxFile], list[Place]]:
    return lambda file: whole(file) if condition(file) else []


def benign(name: str, find: Callable[[PptxFile], Iterable[Place]] = whole) -> Callable[[Callable[[PptxFile, Place], str | None]], Operator]:
    """Make a benign operator on presentations."""
    return pptx_operator(name, BENIGN, find, examples=(SAMPLE,))


def _text_parts(file: PptxFile) -> list[str]:
    notes = [file.notes_part(slide) for slide in file.slides]
    return [*dict.fromkeys([*(slide.part for slide in file.slides), *(part for part in notes if part)])]


def _runs(file: PptxFile) -> Iterable[etree._Element]:
    for part in _text_parts(file):
        yield from list(file.edit(part).iter(f"{A}r"))


@benign("pptx.runs-split")
def runs_split(file: PptxFile, place: Place) -> str:
    """Every run of text is split into two of the same format."""
    count = 0
    for run in _runs(file):
        text = run.find(f"{A}t")
        if text is None or len(text.text or "") < 4:
            continue
        twin = copy.deepcopy(run)
        value = text.text or ""
        text.text = value[: len(value) // 2]
        other = twin.find(f"{A}t")
        if other is not None:
            other.text = value[len(value) // 2 :]
        run.addnext(twin)
        count += 1
    return f"{count} runs"


@benign("pptx.one-run-split", find_paragraphs(lambda f, s, p: any(len(r.findtext(f"{A}t") or "") > 3 for r in p.iterfind(f"{A}r"))))
def one_run_split(file: PptxFile, place: Place) -> str:
    """One run of a paragraph is split into two of the same format."""
    run = next(run for run in place.element.iterfind(f"{A}r") if len(run.findtext(f"{A}t") or "") > 3)
    twin = copy.deepcopy(run)
    value = run.findtext(f"{A}t") or ""
    for element, text in ((run, value[:2]), (twin, value[2:])):
        holder = element.find(f"{A}t")
        if holder is not None:
            holder.text = text
    run.addnext(twin)
    return f"{value[:2]}|{value[2:]}"


@benign("pptx.run-bookkeeping")
def run_bookkeeping(file: PptxFile, place: Place) -> str:
    """Runs remember that they were edited and spell-checked."""
    for run in _runs(file):
        properties = run.find(f"{A}rPr")
        if properties is None:
            properties = run.makeelement(f"{A}rPr")
            run.insert(0, properties)
        properties.set("dirty", "0")
        properties.set("err", "1")
        properties.set("smtClean", "0")
    return "dirty, err, smtClean"


@benign("pptx.end-properties-dropped")
def end_properties(file: PptxFile, place: Place) -> str:
    """Paragraphs that hold text carry other properties for what might be typed at their end."""
    for part in _text_parts(file):
        for paragraph in file.edit(part).iter(f"{A}p"):
            if paragraph.find(f"{A}r") is None:
                continue
            for old in paragraph.findall(f"{A}endParaRPr"):
                paragraph.remove(old)
            etree.SubElement(paragraph, f"{A}endParaRPr", lang="en-US", dirty="0")
    return "a:endParaRPr"


@benign("pptx.shape-ids-renumbered")
def shape_ids(file: PptxFile, place: Place) -> str:
    """Shapes have other ids, in animations and connectors too."""
    for slide in file.slides:
        root = file.edit(slide.part)
        mapping = {}
        for number, element in enumerate(root.iter("{*}cNvPr")):
            if element.get("id") == "1":
                continue
            mapping[element.get("id") or ""] = str(200 + 3 * number)
            element.set("id", mapping[element.get("id") or ""])
        for element in root.iter("{*}spTgt", "{*}bldP", "{*}bldGraphic", "{*}bldDgm", "{*}bldOleChart"):
            if element.get("spid") in mapping:
                element.set("spid", mapping[element.get("spid") or ""])
        for element in root.iter("{*}stCxn", "{*}endCxn"):
            if element.get("id") in mapping:
                element.set("id", mapping[element.get("id") or ""])
    return "200, 203, …"


@benign("pptx.slide-ids-renumbered")
def slide_ids(file: PptxFile, place: Place) -> str:
    """Slides, layouts and masters have other ids in the presentation's lists."""
    root = file.edit(file.main)
    mapping = {}
    for number, slide in enumerate(file.slides):
        mapping[slide.element.get("id") or ""] = str(700 + 11 * number)
    for element in root.iter("{*}sldId"):
        if element.get("id") in mapping:
            element.set("id", mapping[element.get("id") or ""])
    return "700, 711, …"


@benign("pptx.view-properties-dropped", _when(lambda file: bool(file.related(file.main, "viewProps"))))
def view_properties(file: PptxFile, place: Place) -> str:
    """How the window was divided when the file was saved is forgotten."""
    for rel in file.rels(file.main):
        if rel.type == "viewProps":
            file.drop_rel(file.main, rel.id)
    return "no view"


@benign("pptx.default-values-written-out")
def defaults_written_out(file: PptxFile, place: Place) -> str:
    """Defaults are written out: level 0, no rotation, slides that are shown, empty property lists."""
    for slide in file.slides:
        root = file.edit(slide.part)
        if root.get("show") is None:
            root.set("show", "1")
        for paragraph in root.iter(f"{A}p"):
            properties = paragraph.find(f"{A}pPr")
            if properties is None:
                properties = paragraph.makeelement(f"{A}pPr")
                paragraph.insert(0, properties)
            if properties.get("lvl") is None:
                properties.set("lvl", "0")
        for frame in root.iter(f"{A}xfrm"):
            for key in ("rot", "flipH", "flipV"):
                if frame.get(key) is None:
                    frame.set(key, "0")
    return "written out"


@benign("pptx.creation-ids")
def creation_ids(file: PptxFile, place: Place) -> str:
    """Shapes and slides carry the ids that PowerPoint uses for merging."""
    p14 = "http://schemas.microsoft.com/office/powerpoint/2010/main"
    a16 = "http://schemas.microsoft.com/office/drawing/2014/main"
    for number, slide in enumerate(file.slides):
        root = file.edit(slide.part)
        common = root.find("{*}cSld")
        if common is not None and common.find("{*}extLst") is None:
            namespace = etree.QName(common).namespace
            common.append(
                etree.fromstring(
                    f'<p:extLst xmlns:p="{namespace}"><p:ext uri="{{BB962C8B-B14F-4D97-AF65-F5344CB8AC3E}}"><p14:creationId xmlns:p14="{p14}" val="{4000 + number}"/></p:ext></p:extLst>'
                )
            )
        for count, element in enumerate(root.iter("{*}cNvPr")):
            if element.find("{*}extLst") is None and element.get("id") != "1":
                uid = f"{{00000000-0008-0000-0{number:03d}-{count:012d}}}"
                element.append(
                    etree.fromstring(
                        f'<a:extLst xmlns:a="{A[1:-1]}"><a:ext uri="{{FF2B5EF4-FFF2-40B4-BE49-F238E27FC236}}"><a16:creationId xmlns:a16="{a16}" id="{uid}"/></a:ext></a:extLst>'
                    )
                )
    return "creationId"


@benign("pptx.table-ids", _when(lambda file: any(shape.element.find(f".//{A}tbl") is not None for shape in file.shapes)))
def table_ids(file: PptxFile, place: Place) -> str:
    """Rows and columns of tables carry the ids that PowerPoint uses for merging."""
    a16 = "http://schemas.microsoft.com/office/drawing/2014/main"
    for slide in file.slides:
        for number, element in enumerate(file.xml(slide.part).iter(f"{A}gridCol", f"{A}tr")):
            file.edit(slide.part)
            if element.find(f"{A}extLst") is not None:
                continue
            kind, uri = ("colId", "{9D8B030D-6E8A-4147-A177-3AD203B41FA5}") if local_name(element) == "gridCol" else ("rowId", "{0D108BD9-81ED-4DB2-BD59-A6C34878D82A}")
            element.append(etree.fromstring(f'<a:extLst xmlns:a="{A[1:-1]}"><a:ext uri="{uri}"><a16:{kind} xmlns:a16="{a16}" val="{9000 + number}"/></a:ext></a:extLst>'))
    return "rowId, colId"


@benign("pptx.chart-numbers-spelled-differently", _when(lambda file: any("/charts/chart" in name and "/_rels/" not in name for name in file.parts)))
def chart_numbers(file: PptxFile, place: Place) -> str:
    """Numbers in a chart's cache are written in another way (120 → 120.0)."""
    for name in file.parts:
        if "/charts/chart" in name and "/_rels/" not in name and name.endswith(".xml"):
            for value in file.xml(name).iterfind(".//{*}numCache/{*}pt/{*}v"):
                if (value.text or "").isdigit():
                    file.edit(name)
                    value.text = f"{value.text}.0"
    return "120.0"


@benign("pptx.re-saved-by-python-pptx")
def re_saved(file: PptxFile, place: Place) -> str:
    """The presentation is opened and saved by python-pptx, unchanged."""
    import pptx

    from docops.operators.archive import Archive

    native = pptx.Presentation(io.BytesIO(file.archive.to_bytes()))
    out = io.BytesIO()
    native.save(out)
    file.archive = Archive(out.getvalue())
    file._trees.clear()
    file._edited.clear()
    return "python-pptx"


OPERATORS: tuple[Operator, ...] = tuple(value for value in list(globals().values()) if isinstance(value, Operator))
