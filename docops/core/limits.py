"""Limits on what is read from untrusted files; they count things, never seconds, so that a verdict is the same anywhere."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Upper bounds for one file. The defaults are far above what real office documents hold.

    file_bytes: size of the file.   entries: members of an archive.   part_bytes, total_bytes: inflated sizes, counted
    while inflating.   ratio: inflated to stored size of one member above 1 MiB.   elements: start tags of one XML part.
    depth: nesting of XML elements or PDF objects; styles that a style is based on.   cells: cells of a workbook that
    hold anything.   pdf_objects: indirect objects.   pdf_stream_bytes: one decoded PDF stream.
    pdf_content_bytes, pdf_operators, pdf_texts: what all pages draw, a stream counted as often as it is drawn.
    pages: pages, slides or sheets.   repeats: sheets or slides that show one and the same part.
    """

    file_bytes: int = 256 * 1024 * 1024
    entries: int = 20_000
    part_bytes: int = 128 * 1024 * 1024
    total_bytes: int = 512 * 1024 * 1024
    ratio: int = 200
    elements: int = 3_000_000
    total_elements: int = 6_000_000
    depth: int = 256
    cells: int = 2_000_000
    pdf_objects: int = 500_000
    pdf_stream_bytes: int = 75 * 1024 * 1024
    pdf_content_bytes: int = 64 * 1024 * 1024
    pdf_operators: int = 4_000_000
    pdf_texts: int = 600_000
    pages: int = 20_000
    repeats: int = 64


DEFAULT_LIMITS = Limits()
