"""LibreOffice as a renderer: a document in, its pages as pictures out, each step in a confined process of its own."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path, PurePosixPath

from docops.core.canonical import sha256
from docops.core.codes import FindingCode
from docops.core.errors import NotApplicable, UsageError
from docops.core.pictures import Rendered

#: Pixels of the longer side of a picture.
LONGEST = 1280
#: Most pages of one document that are drawn.
MAX_PAGES = 200
#: Wall-clock limit of one step; behind it stands no verdict, only no picture.
SECONDS = 180

#: Filters that read and write: without the first, a text file with the ending of a deck would be drawn as text.
_FILTERS = {
    "docx": ("MS Word 2007 XML", "writer_pdf_Export"),
    "xlsx": ("Calc MS Excel 2007 XML", "calc_pdf_Export"),
    "pptx": ("Impress MS PowerPoint 2007 XML", "impress_pdf_Export"),
}
#: A profile in which a document runs no macro, follows no link and loads nothing from elsewhere.
_SETTINGS = (
    ("/org.openoffice.Office.Common/Security/Scripting", "MacroSecurityLevel", "3"),
    ("/org.openoffice.Office.Common/Security/Scripting", "DisableMacrosExecution", "true"),
    ("/org.openoffice.Office.Common/Security/Scripting", "DisableActiveContent", "true"),
    ("/org.openoffice.Office.Common/Security/Scripting", "BlockUntrustedRefererLinks", "true"),
    ("/org.openoffice.Office.Common/Misc", "FirstRun", "false"),
    ("/org.openoffice.Office.Calc/Content/Update", "Link", "2"),
    ("/org.openoffice.Office.Writer/Content/Update", "Link", "2"),
)
_OFFICE_VARIABLE = "DOCOPS_SOFFICE"


@dataclass(frozen=True, slots=True)
class OfficeRenderer:
    """Renders documents with LibreOffice and PDFium, and keeps what it made.

    folder: pictures by the digest of their document: `<digest>/1.png`, …, and `by` with the programs; what is there is
    taken as it is, whoever made it, so that a folder goes with a record of answers. None: nothing is kept.
    office: the program, or None where there is none: then only PDF and what the folder holds.
    """

    folder: Path | None = None
    office: str | None = None

    def render(self, data: bytes, name: str) -> Rendered:
        """The pages of a document; see `docops.core.pictures.Renderer`."""
        kept = self.folder / sha256(data) if self.folder is not None else None
        if kept is not None and (kept / "by").is_file():
            return Rendered(tuple(path.read_bytes() for path in _numbered(kept)), (kept / "by").read_text("utf-8").strip())
        made = self._made(data, name)
        if kept is not None:
            _keep(kept, made)
        return made

    def _made(self, data: bytes, name: str) -> Rendered:
        from docops.registry import format_of

        found = format_of(name)
        kind = found.name if found is not None else ""
        if kind not in _FILTERS and kind != "pdf":
            raise _unavailable(f"{name}: pictures are made of office documents and PDF files")
        if find_spec("pypdfium2") is None or find_spec("PIL") is None:
            raise _unavailable("pictures need the packages of the extra `render`: pip install 'docops-verifier[render]'")
        if kind != "pdf" and self.office is None:
            raise _unavailable(f"pictures of {kind} need LibreOffice, and there is no soffice on the PATH")
        with tempfile.TemporaryDirectory(prefix="docops-render-", ignore_cleanup_errors=True) as made:
            root = Path(made).resolve()
            document = root / f"document{PurePosixPath(name).suffix.lower()}"
            document.write_bytes(data)
            by = _pdfium()
            if kind != "pdf" and self.office is not None:
                document = _to_pdf(self.office, document, kind, root)
                by = f"{office_version(self.office)}, {by}"
            job = {"folder": str(root), "pdf": str(document), "longest": LONGEST, "most": MAX_PAGES}
            code = _run(job, root)
            if code:
                raise _unavailable(f"{name}: PDFium drew no pictures (exit code {code})")
            pages = tuple(path.read_bytes() for path in _numbered(root))
        if not pages:
            raise _unavailable(f"{name}: no page could be drawn")
        return Rendered(pages, by)


def make_renderer(folder: Path | None = None, *, required: bool = False) -> OfficeRenderer | None:
    """The renderer of this machine; None where it can make no pictures of office documents and no folder holds any.

    folder: where pictures are kept (made where it is not there).   required: raise UsageError instead of None.
    """
    office = find_office()
    drawing = find_spec("pypdfium2") is not None and find_spec("PIL") is not None
    if required and not drawing:
        raise UsageError("pictures need the packages of the extra `render`: pip install 'docops-verifier[render]'")
    if required and office is None:
        raise UsageError(f"pictures need LibreOffice; there is no soffice on the PATH (or name it in {_OFFICE_VARIABLE})")
    if folder is None and (office is None or not drawing):
        return None
    if folder is not None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"{folder}: no folder for pictures: {error.strerror}") from error
    return OfficeRenderer(folder, office)


def find_office() -> str | None:
    """The program of LibreOffice, or None."""
    named = os.environ.get(_OFFICE_VARIABLE)
    if named:
        return named if os.access(named, os.X_OK) else None
    for name in ("soffice", "libreoffice"):
        found = shutil.which(name)
        if found:
            return found
    places = ("/Applications/LibreOffice.app/Contents/MacOS/soffice", "C:/Program Files/LibreOffice/program/soffice.com")
    return next((place for place in places if os.access(place, os.X_OK)), None)


@functools.cache
def office_version(office: str) -> str:
    """Name and version of the program, as `LibreOffice 24.2.1.2`."""
    try:
        told = subprocess.run([office, "--version"], capture_output=True, text=True, timeout=60, check=False).stdout  # noqa: S603
    except (OSError, subprocess.TimeoutExpired):
        return "LibreOffice"
    return " ".join(told.split()[:2]) or "LibreOffice"


def _pdfium() -> str:
    from pypdfium2.version import PDFIUM_INFO

    return f"PDFium {PDFIUM_INFO.build}"


def _to_pdf(office: str, document: Path, kind: str, root: Path) -> Path:
    profile = root / "profile"
    (profile / "user").mkdir(parents=True)
    (profile / "user" / "registrymodifications.xcu").write_text(_profile(), encoding="utf-8")
    # A hidden slide has its place among the slides, so it has its picture.
    options = {"ExportHiddenSlides": {"type": "boolean", "value": "true"}} if kind == "pptx" else {}
    options |= {"PageRange": {"type": "string", "value": f"1-{MAX_PAGES}"}} if kind != "pptx" else {}
    command = [
        office,
        f"-env:UserInstallation={profile.as_uri()}",
        "--headless",
        "--norestore",
        "--nolockcheck",
        f"--infilter={_FILTERS[kind][0]}",
        "--convert-to",
        f"pdf:{_FILTERS[kind][1]}:{json.dumps(options)}",
        "--outdir",
        str(root / "pdf"),
        str(document),
    ]
    made = root / "pdf" / f"{document.stem}.pdf"
    # With a new profile it starts, sets that up and starts again, which fails where it may not remove the socket of its first start.
    for _ in range(2):
        code = _run({"folder": str(root), "command": command}, root)
        _remove_socket(profile)
        if code != 1 or made.is_file():
            break
    if code or not made.is_file():
        raise _unavailable(f"LibreOffice could not open the {kind} file (exit code {code})")
    return made


def _remove_socket(profile: Path) -> None:
    """Remove the socket that LibreOffice may make and not remove in its confinement; its name is a digest of the profile's."""
    if os.name == "posix":
        named = hashlib.md5(profile.as_uri().encode("utf-16-le"), usedforsecurity=False).digest()
        for folder in ("/tmp", "/var/tmp"):  # noqa: S108
            with contextlib.suppress(OSError):
                Path(folder, f"OSL_PIPE_{os.getuid()}_SingleOfficeIPC_{''.join(f'{byte:x}' for byte in named)}").unlink()


def _profile() -> str:
    items = "".join(
        f'<item oor:path="{path}"><prop oor:name="{name}" oor:op="fuse"><value>{value}</value></prop></item>' for path, name, value in _SETTINGS
    )
    return f'<oor:items xmlns:oor="http://openoffice.org/2001/registry">{items}</oor:items>'


def _run(job: dict[str, object], root: Path) -> int:
    """Run a confined process to its end, or end it and all it started when its time is over; its exit code."""
    environment = {"HOME": str(root), "TMPDIR": str(root), "TEMP": str(root), "PATH": os.environ.get("PATH", os.defpath), "LANG": "C.UTF-8", "TZ": "UTC"}
    if os.name == "nt":
        environment["SYSTEMROOT"] = os.environ.get("SYSTEMROOT", "")
    process = subprocess.Popen(  # noqa: S603
        [sys.executable, "-I", "-B", str(Path(__file__).with_name("child.py"))],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=root,
        env=environment,
        start_new_session=True,
    )
    try:
        process.communicate(json.dumps({**job, "seconds": SECONDS}).encode() + b"\n", timeout=SECONDS)
    except subprocess.TimeoutExpired:
        raise _unavailable(f"no picture within {SECONDS} seconds") from None
    finally:
        with contextlib.suppress(ProcessLookupError, PermissionError, AttributeError):
            os.killpg(process.pid, signal.SIGKILL)
        with contextlib.suppress(OSError):
            process.kill()
        process.wait()
    return process.returncode


def _numbered(folder: Path) -> list[Path]:
    return sorted((path for path in folder.glob("*.png") if path.stem.isdigit()), key=lambda path: int(path.stem))


def _keep(folder: Path, made: Rendered) -> None:
    """Write pictures where others find them whole or not at all."""
    with tempfile.TemporaryDirectory(prefix=".new-", dir=folder.parent, ignore_cleanup_errors=True) as new:
        root = Path(new, "pictures")
        root.mkdir()
        for number, page in enumerate(made.pages, 1):
            (root / f"{number}.png").write_bytes(page)
        (root / "by").write_text(made.by + "\n", encoding="utf-8")
        with contextlib.suppress(OSError):  # another process kept the same pictures first
            root.rename(folder)


def _unavailable(message: str) -> NotApplicable:
    return NotApplicable(message, FindingCode.PICTURES_UNAVAILABLE)
