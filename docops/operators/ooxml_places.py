"""Which place of the document an element of an OOXML part belongs to, for operators that know no format."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from lxml import etree

from docops.core.address import format_segment
from docops.core.operator import MutationInput
from docops.operators.ooxml_file import OoxmlFile, attributes, local_name

#: The address of an element, and whether the element belongs to nothing wider; None: it is not to be touched.
Locate = Callable[[etree._Element], "tuple[str, bool] | None"]


def open_ooxml(data: bytes, given: MutationInput) -> OoxmlFile:
    """The package, opened as the format it is."""
    from docops.formats.docx.operators_model import DocxFile
    from docops.formats.pptx.operators_model import PptxFile
    from docops.formats.xlsx.operators_model import XlsxFile

    main = OoxmlFile(data, given).main
    kind = XlsxFile if main.startswith("xl/") else PptxFile if main.startswith("ppt/") else DocxFile
    return kind(data, given)


def located_parts(file: OoxmlFile) -> Iterator[tuple[str, Locate]]:
    """The parts whose state belongs to the document, with how to find the address of what is in them."""
    from docops.formats.docx.operators_model import DocxFile
    from docops.formats.pptx.operators_model import PptxFile
    from docops.formats.xlsx.operators_model import XlsxFile

    if isinstance(file, XlsxFile):
        yield from _xlsx(file)
    elif isinstance(file, PptxFile):
        yield from _pptx(file)
    elif isinstance(file, DocxFile):
        yield from _docx(file)


def _fixed(address: str, exact: bool = True) -> Locate:
    return lambda element: (address, exact)


# Keys are the elements themselves: lxml makes a new object, with another id, for an element that nobody holds.
def _nearest(addresses: dict[etree._Element, str], fallback: str, exact: bool) -> Locate:
    def locate(element: etree._Element) -> tuple[str, bool]:
        current: etree._Element | None = element
        while current is not None:
            found = addresses.get(current)
            if found is not None:
                return found, True
            current = current.getparent()
        return fallback, exact

    return locate


def _xlsx(file: OoxmlFile) -> Iterator[tuple[str, Locate]]:
    from docops.formats.xlsx.operators_model import XlsxFile

    if not isinstance(file, XlsxFile):
        return
    workbook = {sheet.element: sheet.address for sheet in file.sheets}
    for name in file.xml(file.main).iterfind("{*}definedNames/{*}definedName"):
        local = name.get("localSheetId")
        if name.get("name", "").startswith("_xlnm"):
            workbook[name] = file.sheets[int(local)].address if local is not None and int(local) < len(file.sheets) else ""
        else:
            owner = f"{file.sheets[int(local)].address}/" if local is not None and int(local) < len(file.sheets) else ""
            workbook[name] = owner + format_segment("name", name.get("name") or "")
    yield file.main, _nearest(workbook, "", True)
    for sheet in file.sheets:
        cells = {}
        for row in file.xml(sheet.part).iterfind("{*}sheetData/{*}row"):
            cells[row] = f"{sheet.address}/row[{row.get('r')}]"
            for cell in row:
                cells[cell] = f"{sheet.address}/cell[{cell.get('r')}]"
        yield sheet.part, _nearest(cells, sheet.address, True)
        for part in file.related(sheet.part, "comments"):
            comments = {c: f"{sheet.address}/cell[{c.get('ref')}]" for c in file.xml(part).iter("{*}comment")}
            yield part, _nearest(comments, sheet.address, False)
        for part in file.related(sheet.part, "table"):
            table = file.xml(part)
            yield part, _fixed(f"{sheet.address}/{format_segment('table', table.get('displayName') or table.get('name') or '')}")
        for drawing in file.related(sheet.part, "drawing"):
            yield drawing, _fixed(sheet.address, False)
        for number, _, _, part in file.drawing_objects(sheet, "chart"):
            yield part, _fixed(f"{sheet.address}/chart[{number}]")
    for part in file.related(file.main, "theme"):
        yield part, _fixed("theme")


def _docx(file: OoxmlFile) -> Iterator[tuple[str, Locate]]:
    from docops.formats.docx.operators_model import DocxFile, w_get

    if not isinstance(file, DocxFile):
        return
    by_part: dict[str, dict[etree._Element, str]] = {file.main: {}}
    for block in file.blocks:
        by_part.setdefault(block.part, {})[block.element] = block.address
    for part in sorted(by_part):
        fallback = "body" if part == file.main else next((a for a, p, _ in file.stories() if p == part), "")
        yield part, _nearest(by_part[part], fallback, False)
    for part in file.related(file.main, "comments"):
        order: dict[str | None, int] = {}
        for reference in file.xml(file.main).iter("{*}commentReference"):
            order.setdefault(w_get(reference, "id"), len(order) + 1)
        comments = {c: f"comment[{order[w_get(c, 'id')]}]" for c in file.xml(part).iterfind("{*}comment") if w_get(c, "id") in order}
        yield part, _nearest(comments, "", False)
    for part in file.related(file.main, "styles"):
        styles = {}
        for style in file.xml(part).iterfind("{*}style"):
            name = style.find("{*}name")
            styles[style] = format_segment("style", w_get(name, "val") or "")
        yield part, _nearest(styles, "style", True)
    for part in file.related(file.main, "settings"):
        yield part, lambda element: ("setting", False)
    for part in file.related(file.main, "theme"):
        yield part, _fixed("theme")


def _pptx(file: OoxmlFile) -> Iterator[tuple[str, Locate]]:
    from docops.formats.pptx.operators_model import PptxFile

    if not isinstance(file, PptxFile):
        return
    yield file.main, _fixed("")
    for slide in file.slides:
        shapes = {shape.element: shape.address for shape in file.shapes if shape.slide is slide}
        root = file.xml(slide.part)
        for kind, name in (("timing", "animation"), ("transition", "transition")):
            for element in root.iter(f"{{*}}{kind}"):
                shapes[element] = f"{slide.address}/{name}"
        yield slide.part, _nearest(shapes, slide.address, False)
        notes = file.notes_part(slide)
        if notes is not None:
            yield notes, _fixed(f"{slide.address}/notes")
        for shape in file.shapes:
            if shape.slide is slide and shape.kind == "graphicFrame":
                chart = shape.element.find(".//{*}chart")
                target = file.target(slide.part, next((v for k, v in attributes(chart) if k.endswith("}id")), None)) if chart is not None else None
                if target is not None:
                    yield target, _fixed(shape.address)
    for number, master in enumerate(file.related(file.main, "slideMaster"), 1):
        yield master, _fixed(f"master[{number}]")
        for layout in file.related(master, "slideLayout"):
            common = file.xml(layout).find("{*}cSld")
            name = (common.get("name") or "") if common is not None else ""
            yield layout, _fixed(f"master[{number}]/{format_segment('layout', name)}" if name else f"master[{number}]")
        for theme in file.related(master, "theme"):
            yield theme, _fixed("theme", False)


def owner_address(file: OoxmlFile, part: str) -> str:
    """The address of the first part that leads to a picture, as far as it is known; "" otherwise."""
    for name, locate in located_parts(file):
        for rel in file.rels(name):
            if rel.target == part and not rel.external:
                for element in file.xml(name).iter("{*}blip", "{*}imagedata"):
                    if rel.id in element.values():
                        found = locate(element)
                        return found[0] if found is not None else ""
    return ""


__all__ = ["Locate", "local_name", "located_parts", "open_ooxml", "owner_address"]
