"""What the bundle scripts share: fixed archives, edits of single parts, writing a bundle's files."""

from __future__ import annotations

import io
import json
import re
import shutil
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2] / "bundles"
FIXED_DATE = (2024, 1, 2, 0, 0, 0)
FIXED_STAMP = "2024-01-02T08:00:00Z"


def repack(
    data: bytes, *, change: Mapping[str, Callable[[str], str]] | None = None, drop: Sequence[str] = (), add: Mapping[str, bytes] | None = None
) -> bytes:
    """The archive with fixed time stamps; parts named in `change` are edited as text, parts in `drop` left out."""
    change = dict(change or {})
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as source, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as target:
        for info in source.infolist():
            if info.filename in drop:
                continue
            body = source.read(info)
            if info.filename == "docProps/core.xml":
                text = body.decode("utf-8")
                body = re.sub(r"(<dcterms:(created|modified)[^>]*>)[^<]*", rf"\g<1>{FIXED_STAMP}", text).encode("utf-8")
            if info.filename.endswith(".xlsx"):
                body = repack(body)
            if info.filename in change:
                before = body.decode("utf-8")
                after = change.pop(info.filename)(before)
                if after == before:
                    raise ValueError(f"the edit of {info.filename} changed nothing")
                body = after.encode("utf-8")
            target.writestr(zipfile.ZipInfo(info.filename, FIXED_DATE), body, zipfile.ZIP_DEFLATED)
        for name, body in (add or {}).items():
            target.writestr(zipfile.ZipInfo(name, FIXED_DATE), body, zipfile.ZIP_DEFLATED)
    if change:
        raise ValueError(f"no such parts: {sorted(change)}")
    return out.getvalue()


def swap(old: str, new: str, count: int = 1) -> Callable[[str], str]:
    """An edit that replaces a text that must be there."""

    def edit(text: str) -> str:
        if old not in text:
            raise ValueError(f"{old!r} is not there")
        return text.replace(old, new, count)

    return edit


def chain(*edits: Callable[[str], str]) -> Callable[[str], str]:
    """Several edits, one after the other."""

    def edit(text: str) -> str:
        for step in edits:
            text = step(text)
        return text

    return edit


def write_bundle(
    task_id: str,
    *,
    metadata: Mapping[str, Any],
    instruction: str,
    verifier: str,
    sources: Mapping[str, bytes],
    references: Mapping[str, bytes],
    outputs: Mapping[str, tuple[Mapping[str, bytes], Mapping[str, Any]]],
    read_only: Mapping[str, bytes] | None = None,
) -> None:
    """Write a bundle with its sample outputs.

    outputs: name → (files, expectation: expected, kind, why, reason_codes, finding_under).
    """
    folder = ROOT / task_id
    if folder.exists():
        shutil.rmtree(folder)
    artifacts: list[dict[str, Any]] = []
    for name in references:
        artifact: dict[str, Any] = {"output": name}
        if name in sources:
            artifact["source"] = f"source/{name}"
        artifact["reference"] = f"reference/{name}"
        artifacts.append(artifact)
    artifacts += [{"output": name, "source": f"source/{name}", "read_only": True} for name in read_only or {}]
    body = {
        "schema": "docops.task/1",
        "task_id": task_id,
        **{key: value for key, value in metadata.items() if key in {"title", "level", "operations", "domain"}},
        "instruction": "instruction.md",
        "language": "en",
        "artifacts": artifacts,
        "required_operations": metadata["required_operations"],
        "edit_scope": metadata["edit_scope"],
        "preserve": metadata.get("preserve", {name: {"profile": "native", "except": []} for name in sources}),
        "verifier": "verifier.toml",
        "provenance": "Made for DocOps by the scripts in tools/bundles; names and figures are invented.",
        "licence": "CC0-1.0",
    }
    _write(folder / "task_metadata.json", json.dumps(body, indent=2, ensure_ascii=False).encode() + b"\n")
    _write(folder / "instruction.md", instruction.strip().encode() + b"\n")
    _write(folder / "verifier.toml", verifier.strip().encode() + b"\n")
    for name, data in {**sources, **(read_only or {})}.items():
        _write(folder / "source" / name, data)
    for name, data in references.items():
        _write(folder / "reference" / name, data)
    expected = {}
    for output, (files, expectation) in outputs.items():
        for name, data in files.items():
            _write(folder / "outputs" / output / name, data)
        expected[output] = expectation
    _write(folder / "outputs" / "expected.json", json.dumps(expected, indent=2, ensure_ascii=False).encode() + b"\n")


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def right(why: str) -> dict[str, Any]:
    """Expectation of an output that must pass."""
    return {"expected": "pass", "kind": "right", "why": why, "reason_codes": [], "finding_under": None}


def wrong(why: str, codes: Sequence[str], under: Sequence[str], kind: str = "corruption") -> dict[str, Any]:
    """Expectation of an output that must fail: the reason codes of its failed criteria, and where a finding stands."""
    return {"expected": "fail", "kind": kind, "why": why, "reason_codes": sorted(codes), "finding_under": list(under)}


def png(width: int, height: int, colour: tuple[int, int, int]) -> bytes:
    """A picture of one colour with a diagonal line."""
    import struct
    import zlib

    rows = b"".join(
        b"\0" + b"".join(bytes((255, 255, 255)) if x * height // width == y else bytes(colour) for x in range(width)) for y in range(height)
    )

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
        + chunk(b"IDAT", zlib.compress(rows, 9))
        + chunk(b"IEND", b"")
    )
