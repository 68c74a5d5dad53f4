"""Small PDF files from a plain notation, for the examples of predicates and for tests.

    pdf([SamplePage("Cover"), SamplePage("Terms", links=["https://example.org"])], outline=[("Cover", 1, ())])

The bytes are the same at every call.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

#: Title, page number (from 1), items below.
Item = tuple[str, int, Sequence["Item"]]


@dataclass(frozen=True, slots=True)
class SamplePage:
    """One page.

    text: its lines, divided by newlines.   links: URIs, or page numbers, one link annotation each.   notes: texts of note
    annotations.   content: further operators.   fields: form fields on it.   entries: further entries of the page.
    picture: a picture instead of the text, the way a scanner makes it.
    """

    text: str = ""
    links: Sequence[str | int] = ()
    notes: Sequence[str] = ()
    content: str = ""
    fields: Sequence[SampleField] = ()
    entries: str = ""
    picture: bool = False


@dataclass(frozen=True, slots=True)
class SampleField:
    """One form field with one widget.

    kind: `text`, `checkbox` or `combo`.   value: its value; for a checkbox the name of its state.
    shown: what its appearance shows (None: the value); for a checkbox the appearance state.   options: of a combo.
    """

    name: str
    value: str = ""
    kind: str = "text"
    shown: str | None = None
    options: Sequence[str] = ()


@dataclass(slots=True)
class _Writer:
    objects: list[bytes] = field(default_factory=list)

    def add(self, source: str | bytes) -> int:
        self.objects.append(source if isinstance(source, bytes) else source.encode("latin-1"))
        return len(self.objects)

    def stream(self, entries: str, data: str | bytes) -> int:
        body = data if isinstance(data, bytes) else data.encode("latin-1")
        return self.add(f"<< {entries} /Length {len(body)} >>\nstream\n".encode("latin-1") + body + b"\nendstream")

    def save(self, trailer: str) -> bytes:
        out = bytearray(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
        offsets = []
        for number, source in enumerate(self.objects, 1):
            offsets.append(len(out))
            out += f"{number} 0 obj\n".encode() + source + b"\nendobj\n"
        start = len(out)
        out += f"xref\n0 {len(offsets) + 1}\n0000000000 65535 f \n".encode() + b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
        return bytes(out + f"trailer\n<< /Size {len(offsets) + 1} {trailer} >>\nstartxref\n{start}\n%%EOF\n".encode())


def string(text: str) -> str:
    """A literal string."""
    return "(" + text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)") + ")"


def pdf(
    pages: Sequence[SamplePage],
    *,
    outline: Sequence[Item] = (),
    info: Mapping[str, str] | None = None,
    labels: str = "",
    attachments: Mapping[str, bytes] | None = None,
    script: str = "",
    catalog: str = "",
) -> bytes:
    """A PDF file.   labels: the /Nums array of its page labels.   script: a document script.   catalog: further entries."""
    writer = _Writer()
    tree = writer.add("")
    font = writer.add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")
    numbers = [writer.add("") for _ in pages]
    fields: list[int] = []
    for number, page in zip(numbers, pages, strict=True):
        annotations = [_link(writer, numbers, place, link) for place, link in enumerate(page.links)]
        annotations += [writer.add(f"<< /Type /Annot /Subtype /Text /Rect [10 10 30 30] /Contents {string(text)} >>") for text in page.notes]
        widgets = [_field(writer, number, font, place, entry) for place, entry in enumerate(page.fields)]
        fields += widgets
        writer.objects[number - 1] = _page(writer, page, tree, font, annotations + widgets).encode("latin-1")
    kids = " ".join(f"{number} 0 R" for number in numbers)
    writer.objects[tree - 1] = f"<< /Type /Pages /Count {len(numbers)} /Kids [{kids}] /MediaBox [0 0 400 300] >>".encode()
    root = f"<< /Type /Catalog /Pages {tree} 0 R {catalog}"
    if outline:
        root += f" /Outlines {_outline(writer, outline, numbers)} 0 R"
    if fields:
        refs = " ".join(f"{number} 0 R" for number in fields)
        root += f" /AcroForm << /Fields [{refs}] /DA (/Helv 10 Tf 0 g) /DR << /Font << /Helv {font} 0 R >> >> >>"
    if labels:
        root += f" /PageLabels << /Nums [{labels}] >>"
    names = ""
    if attachments:
        names += f" /EmbeddedFiles << /Names [{' '.join(_attachment(writer, name, data) for name, data in sorted(attachments.items()))}] >>"
    if script:
        names += f" /JavaScript << /Names [(start) << /S /JavaScript /JS {string(script)} >>] >>"
    if names:
        root += f" /Names <<{names} >>"
    catalog_number = writer.add(root + " >>")
    trailer = f"/Root {catalog_number} 0 R"
    if info:
        number = writer.add("<< " + " ".join(f"/{key} {string(value)}" for key, value in info.items()) + " >>")
        trailer += f" /Info {number} 0 R"
    return writer.save(trailer)


def _page(writer: _Writer, page: SamplePage, tree: int, font: int, annotations: Sequence[int]) -> str:
    resources = f"/Font << /F1 {font} 0 R >>"
    lines = "".join(f"BT /F1 12 Tf 40 {260 - 18 * n} Td {string(line)} Tj ET\n" for n, line in enumerate(page.text.split("\n")) if line)
    if page.picture:
        image = writer.stream("/Type /XObject /Subtype /Image /Width 2 /Height 2 /ColorSpace /DeviceGray /BitsPerComponent 8", bytes((0, 255, 255, 0)))
        resources += f" /XObject << /Im1 {image} 0 R >>"
        lines = "q 400 0 0 300 0 0 cm /Im1 Do Q\n"
    content = writer.stream("", lines + page.content)
    annots = f"/Annots [{' '.join(f'{number} 0 R' for number in annotations)}]" if annotations else ""
    return f"<< /Type /Page /Parent {tree} 0 R /Resources << {resources} >> /Contents {content} 0 R {annots} {page.entries} >>"


def _link(writer: _Writer, pages: Sequence[int], place: int, target: str | int) -> int:
    action = f"/Dest [{pages[target - 1]} 0 R /Fit]" if isinstance(target, int) else f"/A << /S /URI /URI {string(target)} >>"
    return writer.add(f"<< /Type /Annot /Subtype /Link /Rect [40 {100 - 20 * place} 140 {112 - 20 * place}] /Border [0 0 0] {action} >>")


def _field(writer: _Writer, page: int, font: int, place: int, entry: SampleField) -> int:
    bottom = 200 - 24 * place
    shown = entry.value if entry.shown is None else entry.shown
    head = f"<< /Type /Annot /Subtype /Widget /T {string(entry.name)} /P {page} 0 R /F 4 "
    if entry.kind == "checkbox":
        off = writer.stream("/Type /XObject /Subtype /Form /BBox [0 0 12 12]", "q 0 0 12 12 re S Q")
        on = writer.stream("/Type /XObject /Subtype /Form /BBox [0 0 12 12]", "q 0 0 12 12 re S 0 0 m 12 12 l S Q")
        return writer.add(
            f"{head} /FT /Btn /Rect [240 {bottom} 252 {bottom + 12}] /V /{entry.value or 'Off'} /AS /{shown or 'Off'} /AP << /N << /Off {off} 0 R /Yes {on} 0 R >> >> >>"
        )
    face = writer.stream(
        f"/Type /XObject /Subtype /Form /BBox [0 0 120 16] /Resources << /Font << /Helv {font} 0 R >> >>",
        f"/Tx BMC q BT /Helv 10 Tf 0 g 2 4 Td {string(shown)} Tj ET Q EMC",
    )
    kind = "/FT /Tx" if entry.kind == "text" else f"/FT /Ch /Ff 131072 /Opt [{' '.join(map(string, entry.options))}]"
    return writer.add(f"{head} {kind} /Rect [240 {bottom} 360 {bottom + 16}] /V {string(entry.value)} /AP << /N {face} 0 R >> >>")


def _outline(writer: _Writer, items: Sequence[Item], pages: Sequence[int]) -> int:
    root = writer.add("")
    first, last, count = _items(writer, items, pages, root)
    writer.objects[root - 1] = f"<< /Type /Outlines /First {first} 0 R /Last {last} 0 R /Count {count} >>".encode()
    return root


def _items(writer: _Writer, items: Sequence[Item], pages: Sequence[int], parent: int) -> tuple[int, int, int]:
    numbers = [writer.add("") for _ in items]
    total = len(items)
    for place, (number, (title, page, below)) in enumerate(zip(numbers, items, strict=True)):
        source = f"<< /Title {string(title)} /Parent {parent} 0 R /Dest [{pages[page - 1]} 0 R /Fit]"
        if place:
            source += f" /Prev {numbers[place - 1]} 0 R"
        if place + 1 < len(numbers):
            source += f" /Next {numbers[place + 1]} 0 R"
        if below:
            first, last, count = _items(writer, below, pages, number)
            source += f" /First {first} 0 R /Last {last} 0 R /Count {count}"
            total += count
        writer.objects[number - 1] = (source + " >>").encode("latin-1")
    return numbers[0], numbers[-1], total


def _attachment(writer: _Writer, name: str, data: bytes) -> str:
    stream = writer.stream("/Type /EmbeddedFile", data)
    return f"{string(name)} << /Type /Filespec /F {string(name)} /UF {string(name)} /EF << /F {stream} 0 R >> >>"
