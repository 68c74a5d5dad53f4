"""Verification of large documents against the floor of reading them; run with `python -m benchmarks.verification`.

Floor: unzip and parse the XML of both files once with lxml; for PDF, open and walk both once with pypdf. Each figure is the
median of paired ratios within one run.
"""

from __future__ import annotations

import io
import statistics
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable

from benchmarks import documents


def floor_ooxml(before: bytes, after: bytes) -> None:
    """Unzip and parse every XML part of both files."""
    from lxml import etree

    for data in (before, after):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for info in archive.infolist():
                body = archive.read(info)
                if info.filename.endswith((".xml", ".rels", ".vml")):
                    etree.fromstring(body)


def floor_pdf(before: bytes, after: bytes) -> None:
    """Open both files and extract the text of every page with pypdf."""
    import pypdf

    for data in (before, after):
        for page in pypdf.PdfReader(io.BytesIO(data)).pages:
            page.extract_text()


def verify(before: bytes, after: bytes, format_name: str, *, text: bool = False) -> int:
    """Open both documents, compare them under the profile `native`, look for stale results; number of changes.

    Garbage is collected once at the end, as in a verification (`docops.engine.collected_once`).
    text: read all text spans of the output as well, as a verifier with anchors on the whole document does.
    """
    from docops.core.compare import Comparison
    from docops.engine import collected_once
    from docops.families.preservation import compare_documents, new_stale
    from docops.registry import format_named

    document_format = format_named(format_name)
    with collected_once():
        source, output = document_format.open(before), document_format.open(after)
        changes = compare_documents(source, output, document_format, Comparison())
        new_stale(source, output, document_format)
        if text:
            output.spans()
        return len(changes)


def timed(step: Callable[[], object]) -> float:
    """Seconds that a step takes."""
    start = time.perf_counter()
    step()
    return time.perf_counter() - start


def ratio(step: Callable[[], object], floor: Callable[[], object], rounds: int = 5) -> float:
    """Median of step / floor, measured in turn."""
    step()
    return statistics.median(timed(step) / timed(floor) for _ in range(rounds))


def pdf_respaced(data: bytes) -> bytes:
    """The PDF written anew by pypdf: equal meaning, no equal bytes."""
    import pypdf

    writer = pypdf.PdfWriter(clone_from=io.BytesIO(data))
    for page in writer.pages:
        page.compress_content_streams()
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def pdf_one_page(data: bytes) -> bytes:
    """The PDF with one page rotated."""
    import pypdf

    writer = pypdf.PdfWriter(clone_from=io.BytesIO(data))
    writer.pages[10].rotate(90)
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def start_ratio(code: list[str], rounds: int = 9) -> float:
    """Median of process time against a bare interpreter, in turn."""

    def run(arguments: list[str]) -> float:
        return timed(lambda: subprocess.run([sys.executable, *arguments], check=False, capture_output=True))

    run(code)
    return statistics.median(run(code) / run(["-c", "pass"]) for _ in range(rounds))


def main() -> None:
    """Print the table."""
    cases: list[tuple[str, str, bytes, bytes, bytes, Callable[[bytes, bytes], None]]] = []
    book = documents.workbook()
    one_cell = documents.edit_part(
        book, r"xl/worksheets/sheet1\.xml", lambda text: text.replace('<c r="B900" s="1"><v>', '<c r="B900" s="1"><v>1', 1)
    )
    cases.append(("xlsx", "50,000 cells", book, documents.respaced(book), one_cell, floor_ooxml))
    report = documents.report()
    one_word = documents.edit_part(
        report, r"word/document\.xml", lambda text: text.replace("Paragraph 3 of page 100 says", "Paragraph 3 of page 100 said", 1)
    )
    cases.append(("docx", "200 pages", report, documents.respaced(report), one_word, floor_ooxml))
    slides = documents.deck()
    one_slide = documents.edit_part(slides, r"ppt/slides/slide50\.xml", lambda text: text.replace("Point 3", "Point 4"))
    cases.append(("pptx", "100 slides", slides, documents.respaced(slides), one_slide, floor_ooxml))
    paper = documents.pages()
    cases.append(("pdf", "200 pages", paper, pdf_respaced(paper), pdf_one_page(paper), floor_pdf))
    print("All figures are times the floor: reading both files once.")
    print()
    print("| format | document | every part rewritten, equal in meaning | the same, all text read | one place changed | the same, all text read |")
    print("|---|---|---:|---:|---:|---:|")
    for name, size, before, rewritten, one, floor in cases:
        figures = [
            ratio(lambda b=before, a=after, n=name, t=text: verify(b, a, n, text=t), lambda b=before, a=after, f=floor: f(b, a))  # type: ignore[misc]
            for after in (rewritten, one)
            for text in (False, True)
        ]
        print(f"| {name} | {size} | " + " | ".join(f"{figure:.1f}" for figure in figures) + " |", flush=True)
    print()
    print(f"docops --help: {start_ratio(['-m', 'docops', '--help']):.1f} × a bare interpreter")
    print(f"import docops: {start_ratio(['-c', 'import docops']):.1f} × a bare interpreter")


if __name__ == "__main__":
    main()
