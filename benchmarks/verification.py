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


def verify(before: bytes, after: bytes, format_name: str) -> int:
    """Open both documents, compare them under the profile `native` and read the output's spans; number of changes."""
    from docops.core.compare import Comparison
    from docops.families.preservation import compare_documents, new_stale
    from docops.registry import format_named

    document_format = format_named(format_name)
    source, output = document_format.open(before), document_format.open(after)
    changes = compare_documents(source, output, document_format, Comparison())
    new_stale(source, output, document_format)
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
    cases.append(
        (
            "xlsx",
            "50,000 cells",
            book,
            documents.respaced(book),
            documents.edit_part(book, r"docProps/app.xml", lambda t: t.replace("<Company>", "<Company>x")),
            floor_ooxml,
        )
    )
    text = documents.report()
    cases.append(
        (
            "docx",
            "200 pages",
            text,
            documents.respaced(text),
            documents.edit_part(text, r"docProps/core.xml", lambda t: t.replace("</dc:title>", "x</dc:title>")),
            floor_ooxml,
        )
    )
    slides = documents.deck()
    cases.append(
        (
            "pptx",
            "100 slides",
            slides,
            documents.respaced(slides),
            documents.edit_part(slides, r"ppt/slides/slide50.xml", lambda t: t.replace("Point 3", "Point 4")),
            floor_ooxml,
        )
    )
    paper = documents.pages()
    cases.append(("pdf", "200 pages", paper, pdf_respaced(paper), pdf_one_page(paper), floor_pdf))
    print("| format | document | all parts rewritten | one part changed |")
    print("|---|---|---|---|")
    for name, size, before, rewritten, one, floor in cases:
        full = ratio(lambda b=before, a=rewritten, n=name: verify(b, a, n), lambda b=before, a=rewritten, f=floor: f(b, a))  # type: ignore[misc]
        part = ratio(lambda b=before, a=one, n=name: verify(b, a, n), lambda b=before, a=one, f=floor: f(b, a))  # type: ignore[misc]
        print(f"| {name} | {size} | {full:.1f} × floor | {part:.1f} × floor |", flush=True)
    print()
    print(f"docops --help: {start_ratio(['-m', 'docops', '--help']):.1f} × a bare interpreter")
    print(f"import docops: {start_ratio(['-c', 'import docops']):.1f} × a bare interpreter")


if __name__ == "__main__":
    main()
