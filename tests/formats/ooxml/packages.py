"""Small OOXML packages for tests, made part by part."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
MAIN = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
DOCUMENT = f'<w:document xmlns:w="{W}"><w:body><w:p><w:r><w:t>Hello</w:t></w:r></w:p></w:body></w:document>'

SHARED = Path(__file__).parents[4] / "shared"

Relations = Sequence[tuple[str, str, str]]


def relationships(entries: Relations) -> str:
    """A relationships part: (id, type, target); a target with a scheme is external."""
    rows = []
    for identifier, kind, target in entries:
        full = kind if ":" in kind else f"{OFFICE}/{kind}"
        mode = ' TargetMode="External"' if "://" in target else ""
        rows.append(f'<Relationship Id="{identifier}" Type="{full}" Target="{target}"{mode}/>')
    return f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{"".join(rows)}</Relationships>'


def content_types(overrides: Mapping[str, str], defaults: Mapping[str, str] | None = None) -> str:
    known = {"rels": "application/vnd.openxmlformats-package.relationships+xml", "xml": "application/xml", "png": "image/png", **(defaults or {})}
    rows = [f'<Default Extension="{ending}" ContentType="{kind}"/>' for ending, kind in known.items()]
    rows += [f'<Override PartName="{name}" ContentType="{kind}"/>' for name, kind in overrides.items()]
    return f'<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">{"".join(rows)}</Types>'


def members(
    document: str | bytes = DOCUMENT,
    *,
    parts: Mapping[str, str | bytes] | None = None,
    rels: Mapping[str, Relations] | None = None,
    types: Mapping[str, str] | None = None,
    root: Relations = (),
    main: str = "word/document.xml",
    main_type: str = MAIN,
) -> dict[str, str | bytes]:
    """Members of a package by zip name. rels: part name (without slash) → relationships."""
    out: dict[str, str | bytes] = {
        "[Content_Types].xml": content_types({f"/{main}": main_type, **{f"/{name}": kind for name, kind in (types or {}).items()}}),
        "_rels/.rels": relationships([("rId1", "officeDocument", main), *root]),
        main: document,
    }
    for source, entries in (rels or {}).items():
        folder, _, leaf = source.rpartition("/")
        out[f"{folder}/_rels/{leaf}.rels"] = relationships(entries)
    return out | dict(parts or {})


def pack(entries: Mapping[str, str | bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        for name, data in entries.items():
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), data, compress_type=method)
    return stream.getvalue()


def corpus(*folders: str) -> list[Path]:
    """OOXML files of the shared corpus; [] where it is absent."""
    endings = {"xls", "xlt", "doc", "ppt"}
    return [path for folder in folders for path in sorted((SHARED / "corpus" / folder).glob("*")) if path.suffix[1:4] in endings]
