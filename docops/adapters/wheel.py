"""A wheel of the running docops, for images that verify: the same bytes on every machine, and no bundles in it."""

from __future__ import annotations

import base64
import hashlib
import io
import zipfile
from pathlib import Path

import docops
from docops.catalogue import DISTRIBUTION, folder
from docops.core.errors import UsageError

#: Local part of the version: this wheel is docops without its bundles and mutation suites, so it is not the released one.
LABEL = "verifier"

_DATE = (1980, 1, 1, 0, 0, 0)


def make_wheel() -> tuple[str, bytes]:
    """File name and bytes of the wheel; dependencies are not named, because the image pins all of them."""
    version = f"{docops.__version__}+{LABEL}"
    stem = f"{DISTRIBUTION.replace('-', '_')}-{version}"
    info = f"{stem}.dist-info"
    files = {f"docops/{name}": data for name, data in _tree(Path(docops.__file__).parent).items() if not name.startswith("_catalogue/")}
    files |= {f"docops/_catalogue/verifiers/{name}": data for name, data in _tree(folder("verifiers")).items()}
    metadata = ["Metadata-Version: 2.4", f"Name: {DISTRIBUTION}", f"Version: {version}", "Requires-Python: >=3.11"]
    metadata += ["License-Expression: Apache-2.0", "License-File: LICENSE"]
    files[f"{info}/METADATA"] = _lines(metadata)
    files[f"{info}/WHEEL"] = _lines(["Wheel-Version: 1.0", "Generator: docops", "Root-Is-Purelib: true", "Tag: py3-none-any"])
    files[f"{info}/entry_points.txt"] = _lines(["[console_scripts]", "docops = docops.cli:main"])
    files[f"{info}/licenses/LICENSE"] = _licence()
    record = [f"{name},sha256={_urlsafe(data)},{len(data)}" for name, data in sorted(files.items())]
    files[f"{info}/RECORD"] = _lines([*record, f"{info}/RECORD,,"])
    return f"{stem}-py3-none-any.whl", _stored(files)


def _tree(root: Path) -> dict[str, bytes]:
    """Path → bytes of the files below a folder, without compiled ones."""
    found = sorted(path for path in root.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in found}


def _licence() -> bytes:
    """The text of the licence, beside the package in a checkout and in its metadata where it is installed."""
    root = Path(docops.__file__).parents[1]
    for path in (*sorted(root.glob(f"{DISTRIBUTION.replace('-', '_')}-*.dist-info/licenses/LICENSE")), root / "LICENSE"):
        if path.is_file():
            return path.read_bytes()
    raise UsageError("this installation of docops has no licence text; give a wheel with --wheel")


def _stored(files: dict[str, bytes]) -> bytes:
    """A zip archive without compression, whose bytes depend on no version of zlib."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name, data in sorted(files.items(), key=lambda item: (".dist-info/" in item[0], item[0])):
            entry = zipfile.ZipInfo(name, _DATE)
            entry.create_system = 3
            entry.external_attr = 0o100644 << 16
            archive.writestr(entry, data)
    return buffer.getvalue()


def _lines(lines: list[str]) -> bytes:
    return ("\n".join(lines) + "\n").encode()


def _urlsafe(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
