"""What is done to a text document to satisfy a check without doing the work."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from lxml import etree

from docops.core.operator import CorruptionClass, Operator
from docops.formats.docx.operators import inline_picture
from docops.formats.docx.operators_model import (
    SAMPLE,
    Block,
    DocxFile,
    docx_operator,
    set_run_property,
    set_text,
    text_of,
    texts_of,
    w_add,
    w_name,
    w_new,
)
from docops.operators.media import make_png
from docops.operators.ooxml_file import Place, local_name

CONTENT = CorruptionClass.CONTENT_ALTERATION
TAGS = ("gaming",)
ANCHORS = ("anchor.contains", "anchor.in_order")
EXAMPLES = (replace(SAMPLE, texts=("must approve every payment",)),)


def _wanted(file: DocxFile) -> Iterator[Place]:
    """The paragraphs that hold wording the verifier asks for: one site for each wording, at its first place."""
    for text in sorted(set(file.input.texts)):
        blocks = [b for b in file.blocks if b.kind == "paragraph" and text and text in text_of(b.element) and len(texts_of(b.element))]
        if blocks:
            yield Place(blocks[0].address, "", blocks[0].element, text_of(blocks[0].element), (text, blocks), keys=(text,))


def _hidden(name: str) -> Callable[[Callable[[DocxFile, Place], str | None]], Operator]:
    return docx_operator(name, CONTENT, _wanted, aspects=("text", "format", "structure"), breaks=ANCHORS, tags=TAGS, examples=EXAMPLES)


def _text_runs(block: Block) -> list[etree._Element]:
    runs = [text.getparent() for text in texts_of(block.element)]
    return [run for run in runs if run is not None and local_name(run) == "r"]


def _format_runs(file: DocxFile, place: Place, name: str, **attributes: str) -> None:
    for block in place.more[1]:
        file.edit(block.part)
        for run in _text_runs(block):
            set_run_property(run, name, **attributes)


@_hidden("docx.words-vanished")
def words_vanished(file: DocxFile, place: Place) -> str:
    """The required words are there, formatted as hidden text."""
    _format_runs(file, place, "vanish")
    return "hidden text"


@_hidden("docx.words-white")
def words_white(file: DocxFile, place: Place) -> str:
    """The required words are there, in white on white."""
    for block in place.more[1]:
        for run in _text_runs(block):
            for name in ("highlight", "shd"):
                for old in run.findall(f"{{*}}rPr/{{*}}{name}"):
                    old.getparent().remove(old)  # type: ignore[union-attr]
    _format_runs(file, place, "color", val="FFFFFF")
    return "white"


@_hidden("docx.words-tiny")
def words_tiny(file: DocxFile, place: Place) -> str:
    """The required words are there, half a point high and white."""
    _format_runs(file, place, "color", val="FFFFFF")
    _format_runs(file, place, "sz", val="1")
    return "0.5 pt"


@_hidden("docx.words-deleted-with-tracking")
def words_deleted(file: DocxFile, place: Place) -> str:
    """The required words are there, as a tracked deletion."""
    for block in place.more[1]:
        file.edit(block.part)
        for number, run in enumerate(_text_runs(block)):
            if local_name(run.getparent()) == "ins" or next(run.iterancestors("{*}del"), None) is not None:  # type: ignore[arg-type]
                continue
            deletion = w_new(run, "del", id=str(9000 + number), author="Agent", date="2024-01-02T03:04:05Z")
            run.addprevious(deletion)
            deletion.append(run)
            for text in run.findall("{*}t"):
                text.tag = w_name(run, "delText")
    return "deleted"


def _take_out(file: DocxFile, place: Place) -> str:
    text, blocks = place.more
    for block in blocks:
        file.edit(block.part)
        texts = texts_of(block.element)
        left = text_of(block.element).replace(text, "–")
        set_text(texts[0], left)
        for other in texts[1:]:
            other.text = ""
    return str(text)


@_hidden("docx.words-in-metadata")
def words_in_metadata(file: DocxFile, place: Place) -> str:
    """The required words stand in the document's properties alone."""
    text = _take_out(file, place)
    for part in file.related("", "core-properties"):
        root = file.edit(part)
        name = "{http://purl.org/dc/elements/1.1/}description"
        found = root.find(name)
        if found is None:
            found = etree.SubElement(root, name)
        found.text = text
    return "description"


@_hidden("docx.words-in-alternative-text")
def words_in_alternative_text(file: DocxFile, place: Place) -> str:
    """The required words stand in the description of a picture alone."""
    text = _take_out(file, place)
    block = place.more[1][0]
    w_add(block.element, "r").append(inline_picture(file, block.part, make_png(), text))
    return "description of a picture"


@_hidden("docx.words-as-picture")
def words_as_picture(file: DocxFile, place: Place) -> str:
    """The required words are a picture of themselves."""
    _take_out(file, place)
    block = place.more[1][0]
    w_add(block.element, "r").append(inline_picture(file, block.part, make_png(60, 12), ""))
    return "a picture"


@_hidden("docx.words-in-bookmark-name")
def words_in_bookmark(file: DocxFile, place: Place) -> str:
    """The required words stand in the name of a bookmark alone."""
    text = _take_out(file, place)
    block = place.more[1][0]
    w_add(block.element, "bookmarkStart", id="9001", name=text[:40].replace(" ", "_"))
    w_add(block.element, "bookmarkEnd", id="9001")
    return "a bookmark's name"


@docx_operator(
    "docx.blank-with-all-words",
    CorruptionClass.SAME_NAME_CORRUPTION,
    lambda file: [Place("", "", file.body, "the document")] if file.input.texts else [],
    tags=TAGS,
    examples=EXAMPLES,
)
def blank_with_all_words(file: DocxFile, place: Place) -> str:
    """An otherwise empty document that lists all the required words."""
    from docops.operators.archive import Archive
    from docops.operators.samples import blank_document

    file.archive = Archive(blank_document())
    file._trees.clear()
    file._edited.clear()
    file.edit(file.main)
    for text in reversed(file.input.texts):
        paragraph = w_new(file.body, "p")
        w_add(w_add(paragraph, "r"), "t", text)
        file.body.insert(0, paragraph)
    return f"{len(file.input.texts)} texts"


OPERATORS: tuple[Operator, ...] = tuple(value for value in list(globals().values()) if isinstance(value, Operator))
