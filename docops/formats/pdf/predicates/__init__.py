"""Structural predicates of PDF documents."""

from __future__ import annotations

from docops.core.predicate import Predicate
from docops.formats.pdf.predicates.annotations import annotation, link
from docops.formats.pdf.predicates.form import form_field
from docops.formats.pdf.predicates.outline import outline
from docops.formats.pdf.predicates.pages import page_count, page_label, page_order, page_size, rotation, text_native
from docops.formats.pdf.predicates.whole import attachment, encrypted, metadata, no_javascript, signature

PREDICATES: tuple[Predicate, ...] = (
    page_count,
    page_order,
    outline,
    form_field,
    annotation,
    link,
    metadata,
    attachment,
    page_label,
    rotation,
    page_size,
    text_native,
    encrypted,
    no_javascript,
    signature,
)
