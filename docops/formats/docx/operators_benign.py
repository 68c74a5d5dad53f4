"""Rewrites of text documents after which the document means the same."""

from __future__ import annotations

import copy
import io
from collections.abc import Callable, Iterable, Iterator

from lxml import etree

from docops.core.operator import CorruptionClass, Operator
from docops.formats.docx.operators_model import (
    SAMPLE,
    Block,
    DocxFile,
    docx_operator,
    find_blocks,
    set_text,
    texts_of,
    w_get,
    w_name,
    w_new,
)
from docops.operators.ooxml_file import Place, local_name

BENIGN = CorruptionClass.BENIGN


def whole(file: DocxFile) -> list[Place]:
    """The one site of operators that rewrite the whole document."""
    return [Place("", file.main, file.xml(file.main))]


def _when(condition: Callable[[DocxFile], bool]) -> Callable[[DocxFile], list[Place]]:
    return lambda file: whole(file) if condition(file) else []


def benign(name: str, find: Callable[[DocxFile], Iterable[Place]] = whole) -> Callable[[Callable[[DocxFile, Place], str | None]], Operator]:
    """Make a benign operator on text documents."""
    return docx_operator(name, BENIGN, find, examples=(SAMPLE,))


def _plain_runs(file: DocxFile) -> Iterator[tuple[etree._Element, etree._Element]]:
    for run in list(file.xml(file.main).iter("{*}r")):
        content = [child for child in run if local_name(child) != "rPr"]
        if len(content) == 1 and local_name(content[0]) == "t" and len(content[0].text or "") > 3 and content[0].tag == w_name(run, "t"):
            yield run, content[0]


@benign("docx.runs-split")
def runs_split(file: DocxFile, place: Place) -> str:
    """Every run of text is split into two of the same format."""
    count = 0
    for run, text in _plain_runs(file):
        value = text.text or ""
        twin = copy.deepcopy(run)
        half = len(value) // 2
        set_text(text, value[:half])
        other = twin.find("{*}t")
        if other is not None:
            set_text(other, value[half:])
        run.addnext(twin)
        count += 1
    return f"{count} runs"


def _splittable(file: DocxFile, block: Block) -> bool:
    return any(len(text.text or "") > 3 and local_name(text.getparent()) == "r" for text in texts_of(block.element))  # type: ignore[arg-type]


@benign("docx.one-run-split", find_blocks("paragraph", _splittable))
def one_run_split(file: DocxFile, place: Place) -> str:
    """One run of a paragraph is split into two of the same format."""
    text = next(text for text in texts_of(place.element) if len(text.text or "") > 3)
    run = text.getparent()
    if run is None:
        raise LookupError("no run")
    value = text.text or ""
    twin = copy.deepcopy(run)
    position = list(run).index(text)
    for child in list(run)[position + 1 :]:
        run.remove(child)
    for child in [child for child in list(twin)[:position] if local_name(child) != "rPr"]:
        twin.remove(child)
    set_text(text, value[:2])
    other = twin.find("{*}t")
    if other is not None:
        set_text(other, value[2:])
    run.addnext(twin)
    return f"{value[:2]}|{value[2:]}"


@benign("docx.text-split-in-run")
def text_split(file: DocxFile, place: Place) -> str:
    """The text of every run stands in two text elements."""
    for _, text in _plain_runs(file):
        value = text.text or ""
        other = copy.deepcopy(text)
        set_text(text, value[:2])
        set_text(other, value[2:])
        text.addnext(other)
    return "two w:t"


@benign("docx.runs-merged")
def runs_merged(file: DocxFile, place: Place) -> str:
    """Neighbouring runs of the same format are joined, and empty runs are gone."""
    count = 0
    for run in list(file.xml(file.main).iter("{*}r")):
        following = run.getnext()
        while following is not None and following.tag == run.tag and _format(run) == _format(following) and _only_text(run) and _only_text(following):
            for child in list(following):
                if local_name(child) != "rPr":
                    run.append(child)
            parent = following.getparent()
            if parent is None:
                break
            parent.remove(following)
            count += 1
            following = run.getnext()
    for run in list(file.xml(file.main).iter("{*}r")):
        parent = run.getparent()
        if parent is not None and local_name(parent) == "p" and all(local_name(child) == "rPr" for child in run):
            parent.remove(run)
            count += 1
    return f"{count} runs"


def _format(run: etree._Element) -> bytes:
    properties = run.find("{*}rPr")
    return b"" if properties is None or len(properties) == 0 else etree.tostring(properties, method="c14n", exclusive=True)


def _only_text(run: etree._Element) -> bool:
    return all(local_name(child) in ("rPr", "t", "tab") for child in run)


@benign("docx.proofing-marks")
def proofing_marks(file: DocxFile, place: Place) -> str:
    """Proofing marks and rendered page breaks are written into the text."""
    for paragraph in place.element.iter("{*}p"):
        if paragraph.tag != w_name(file.body, "p"):
            continue
        runs = [run for run in paragraph if local_name(run) == "r"]
        if not runs:
            continue
        runs[0].addprevious(w_new(paragraph, "proofErr", type="spellStart"))
        runs[0].addnext(w_new(paragraph, "proofErr", type="spellEnd"))
        text = runs[0].find("{*}t")
        if text is not None:
            text.addprevious(w_new(paragraph, "lastRenderedPageBreak"))
    return "w:proofErr"


@benign("docx.revision-save-ids")
def revision_save_ids(file: DocxFile, place: Place) -> str:
    """Paragraphs and runs carry the ids of other editing sessions."""
    for number, element in enumerate(place.element.iter("{*}p", "{*}r", "{*}tr")):
        if etree.QName(element).namespace != etree.QName(file.body).namespace:
            continue
        element.set(w_name(element, "rsidR"), f"00AA{number % 65536:04X}")
        if local_name(element) == "p":
            element.set(w_name(element, "rsidRDefault"), "00AA0001")
            element.set(w_name(element, "rsidP"), "00AA0002")
    for part in file.related(file.main, "settings"):
        for rsids in list(file.edit(part).iterfind("{*}rsids")):
            file.xml(part).remove(rsids)
    return "rsidR"


@benign("docx.ids-renumbered")
def ids_renumbered(file: DocxFile, place: Place) -> str:
    """Bookmarks, comments, notes, revisions and drawings get other ids, wherever they are used."""
    parts = [file.main, *file.related(file.main, "comments"), *file.related(file.main, "footnotes"), *file.related(file.main, "endnotes")]
    shift = {"bookmarkStart": 500, "bookmarkEnd": 500, "ins": 700, "del": 700, "moveFrom": 700, "moveTo": 700, "rPrChange": 700, "pPrChange": 700}
    shift |= dict.fromkeys(("commentRangeStart", "commentRangeEnd", "commentReference", "comment"), 300)
    shift |= dict.fromkeys(("footnoteReference", "footnote", "endnoteReference", "endnote"), 200)
    for part in parts:
        for element in file.edit(part).iter("{*}*"):
            name = local_name(element)
            value = w_get(element, "id")
            if name in shift and value is not None and value.lstrip("-").isdigit() and w_get(element, "type") is None:
                if name in ("footnote", "endnote", "footnoteReference", "endnoteReference") and int(value) < 1:
                    continue
                element.set(w_name(element, "id"), str(int(value) + shift[name]))
            elif name == "docPr" and (element.get("id") or "").isdigit():
                element.set("id", str(int(element.get("id") or 0) + 4000))
    return "renumbered"


def _uses_ids(name: str) -> bool:
    # stylesWithEffects.xml is a copy of the styles that only Word 2010 wrote and no program reads.
    return name.startswith("word/") and name.endswith(".xml") and "/_rels/" not in name and not name.endswith("stylesWithEffects.xml")


@benign("docx.style-ids-renamed", _when(lambda file: bool(file.related(file.main, "styles"))))
def style_ids_renamed(file: DocxFile, place: Place) -> str:
    """Styles have other ids and the same names, as in another language's Word."""
    part = file.related(file.main, "styles")[0]
    names = {}
    for number, style in enumerate(file.edit(part).iterfind("{*}style")):
        old = w_get(style, "styleId") or ""
        names[old] = f"S{number}x"
        style.set(w_name(style, "styleId"), names[old])
    users = {"pStyle", "rStyle", "tblStyle", "basedOn", "next", "link", "numStyleLink", "styleLink", "defaultTableStyle", "clickAndTypeStyle"}
    for name in file.parts:
        if _uses_ids(name):
            for element in file.xml(name).iter("{*}*"):
                if local_name(element) in users and w_get(element, "val") in names:
                    file.edit(name)
                    element.set(w_name(element, "val"), names[w_get(element, "val") or ""])
    return f"{len(names)} ids"


@benign("docx.numbering-ids-renumbered", _when(lambda file: bool(file.related(file.main, "numbering"))))
def numbering_ids(file: DocxFile, place: Place) -> str:
    """Lists and list definitions have other ids."""
    part = file.related(file.main, "numbering")[0]
    for element in file.edit(part).iter("{*}abstractNum", "{*}num", "{*}abstractNumId"):
        key = {"abstractNum": "abstractNumId", "num": "numId", "abstractNumId": "val"}[local_name(element)]
        value = w_get(element, key)
        if value is not None:
            element.set(w_name(element, key), str(int(value) + 60))
    for name in file.parts:
        if _uses_ids(name) and name != part:
            for element in file.xml(name).iter("{*}numId"):
                value = w_get(element, "val")
                if value not in (None, "0"):
                    file.edit(name)
                    element.set(w_name(element, "val"), str(int(value or 0) + 60))
    return "plus 60"


@benign("docx.styles-reordered", _when(lambda file: bool(file.related(file.main, "styles"))))
def styles_reordered(file: DocxFile, place: Place) -> str:
    """Styles are listed in another order; the latent ones, which only fill menus, are gone."""
    root = file.edit(file.related(file.main, "styles")[0])
    for latent in root.findall("{*}latentStyles"):
        root.remove(latent)
    styles = root.findall("{*}style")
    for style in reversed(styles):
        root.remove(style)
        root.append(style)
    return "reversed"


_SWITCHES = ("b", "i", "caps", "keepNext", "keepLines", "pageBreakBefore", "tblHeader", "cantSplit", "strike", "smallCaps", "titlePg")


@benign("docx.default-values-written-out")
def defaults_written_out(file: DocxFile, place: Place) -> str:
    """Switches that are on say so (w:b → w:b w:val="1"), and empty property lists are written out."""
    for element in list(place.element.iter("{*}*")):
        name = local_name(element)
        if name in _SWITCHES and w_get(element, "val") is None and etree.QName(element).namespace == etree.QName(file.body).namespace:
            element.set(w_name(element, "val"), "1")
        if name == "r" and element.find("{*}rPr") is None and element.tag == w_name(file.body, "r"):
            element.insert(0, w_new(element, "rPr"))
        if name == "p" and element.find("{*}pPr") is None and element.tag == w_name(file.body, "p"):
            element.insert(0, w_new(element, "pPr"))
    return "written out"


@benign("docx.view-settings", _when(lambda file: bool(file.related(file.main, "settings"))))
def view_settings(file: DocxFile, place: Place) -> str:
    """Another zoom and another state of proofing are remembered."""
    root = file.edit(file.related(file.main, "settings")[0])
    for name in ("zoom", "proofState"):
        for element in root.findall(f"{{*}}{name}"):
            root.remove(element)
    position = sum(1 for child in root if local_name(child) in ("writeProtection", "view"))
    root.insert(position, w_new(root, "zoom", percent="140"))
    return "zoom 140 %"


def _simple_fields(file: DocxFile) -> list[Place]:
    return whole(file) if next(file.xml(file.main).iter("{*}fldSimple"), None) is not None else []


@benign("docx.simple-fields-to-complex", _simple_fields)
def fields_complex(file: DocxFile, place: Place) -> str:
    """Fields are written with begin, separator and end instead of one element."""
    for field in list(place.element.iter("{*}fldSimple")):
        parent = field.getparent()
        if parent is None:
            continue
        runs = [w_new(parent, "r") for _ in range(4)]
        for run, kind in ((runs[0], "begin"), (runs[2], "separate"), (runs[3], "end")):
            run.append(w_new(parent, "fldChar", fldCharType=kind))
        runs[1].append(w_new(parent, "instrText", w_get(field, "instr") or ""))
        for element in (*runs[:3], *list(field), runs[3]):
            field.addprevious(element)
        parent.remove(field)
    return "complex fields"


@benign("docx.re-saved-by-python-docx")
def re_saved(file: DocxFile, place: Place) -> str:
    """The document is opened and saved by python-docx, unchanged."""
    import docx

    from docops.operators.archive import Archive

    native = docx.Document(io.BytesIO(file.archive.to_bytes()))
    out = io.BytesIO()
    native.save(out)
    file.archive = Archive(out.getvalue())
    file._trees.clear()
    file._edited.clear()
    return "python-docx"


OPERATORS: tuple[Operator, ...] = tuple(value for value in list(globals().values()) if isinstance(value, Operator))
