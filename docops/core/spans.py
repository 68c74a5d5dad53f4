"""Text spans: every run of text a document stores, with its role and whether a reader can see it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Role(StrEnum):
    """What a span of text is for."""

    BODY = "body"
    HEADER = "header"
    FOOTER = "footer"
    FOOTNOTE = "footnote"
    ENDNOTE = "endnote"
    COMMENT = "comment"
    NOTE = "note"  # speaker notes
    CHART = "chart"
    ALT = "alt"  # alternative text of a picture or shape
    LINK = "link"  # a link's target or tooltip
    NAME = "name"  # names: sheets, defined names, bookmarks, layers
    FORM = "form"  # a form field's value, options or caption
    ANNOTATION = "annotation"
    OUTLINE = "outline"
    FORMULA = "formula"
    VALIDATION = "validation"  # prompts and error messages of input rules
    PROMPT = "prompt"  # text a layout or master shows only while editing
    METADATA = "metadata"
    CODE = "code"


@dataclass(frozen=True, slots=True)
class TextSpan:
    """One run of text.

    address: the place that holds it (paragraph, cell, shape, page, field, …); spans of one block join to what is read.
    block: spans with equal blocks follow each other without a break; different blocks are never joined.
    text: as stored, no normalisation.
    role: what it is for.
    visible: a reader of the final document sees it: insertions and field results in, deletions and hidden text out.
    hidden_by: why not visible (`vanish`, `deleted`, `hidden sheet`, `white on white`, `off the slide`, …), else "".
    """

    address: str
    block: str
    text: str
    role: Role = Role.BODY
    visible: bool = True
    hidden_by: str = ""
