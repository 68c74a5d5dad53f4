"""Files and helpers of the PDF tests."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

from docops.core.compare import ALLOW_ALL, Allow, Change, Comparison
from docops.core.document import Document
from docops.formats.pdf import FORMAT
from docops.formats.pdf.document import open_pdf
from docops.formats.pdf.samples import SampleField, SamplePage, pdf

SHARED = Path(__file__).resolve().parents[4] / "shared"
CORPUS = SHARED / "corpus"
FILES = sorted((CORPUS / "pdf").glob("*.pdf")) if CORPUS.exists() else []
BUNDLES = sorted((Path(__file__).resolve().parents[3] / "bundles").glob("pdf-*/source/*.pdf"))


def raw_pdf(objects: Sequence[str | bytes], trailer: str = "/Root 1 0 R") -> bytes:
    """A file of these objects, numbered from 1."""
    out = bytearray(b"%PDF-1.7\n")
    offsets = []
    for number, source in enumerate(objects, 1):
        offsets.append(len(out))
        out += f"{number} 0 obj\n".encode() + (source if isinstance(source, bytes) else source.encode("latin-1")) + b"\nendobj\n"
    start = len(out)
    out += f"xref\n0 {len(offsets) + 1}\n0000000000 65535 f \n".encode() + b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    return bytes(out + f"trailer\n<< /Size {len(offsets) + 1} {trailer} >>\nstartxref\n{start}\n%%EOF\n".encode())


def rich() -> bytes:
    """A document with everything a user cares for."""
    return pdf(
        [
            SamplePage("Cover\nPumps and valves", links=[3, "https://example.org/terms"], notes=["Please check"]),
            SamplePage("Prices\nOne bolt: 12 EUR\nOne valve: 340 EUR", content="0.5 w 40 100 m 300 100 l S\n"),
            SamplePage("Terms\nPayment within 30 days", entries="/CropBox [0 0 400 280]"),
            SamplePage("Form", fields=[SampleField("name", "Ann"), SampleField("agree", "Yes", "checkbox"), SampleField("country", "Spain", "combo", options=("Portugal", "Spain"))]),
        ],
        outline=[("Cover", 1, ()), ("Offer", 2, [("Prices", 2, ()), ("Terms", 3, ())]), ("Form", 4, ())],
        info={"Title": "Offer", "Author": "Ann"},
        labels="0 << /S /r >> 1 << /S /D >>",
        attachments={"prices.csv": b"bolt,12\n"},
        script="app.alert(1)",
        catalog="/Lang (en)",
    )


def changes(before: bytes | Document, after: bytes | Document, *scope: str, allow: frozenset[Allow] = ALLOW_ALL) -> list[Change]:
    """What differs between two files outside the scope."""
    old = open_pdf(before) if isinstance(before, bytes) else before
    new = open_pdf(after) if isinstance(after, bytes) else after
    allowed = dict.fromkeys(scope, allow)
    assert FORMAT.compare is not None
    return list(FORMAT.compare(old, new, Comparison(before_scope=allowed, after_scope=allowed)))


def saved(native: object) -> bytes:
    """The bytes that a pypdf writer or a pikepdf document saves."""
    out = io.BytesIO()
    save = getattr(native, "save", None) or native.write  # type: ignore[attr-defined]
    save(out)
    return out.getvalue()
