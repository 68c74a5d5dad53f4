"""The confined processes that make pictures: one becomes LibreOffice, one reads a PDF.

Started as a script, because documents are of strangers and what reads them here is native code: neither process can reach the
network, read what is not the system's, or write outside its folder (where the kernel offers that: Linux).
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from docops.rubrics.child import Confinement

#: What programs need to read to run at all; nothing of a user's.
SYSTEM = ("/usr", "/lib", "/lib64", "/bin", "/opt", "/etc", "/proc", "/sys", "/dev", "/var/cache/fontconfig", "/var/lib", "/var/spool/libreoffice", "/snap")
MEMORY = 4 * 1024 * 1024 * 1024
FILE_SIZE = 512 * 1024 * 1024


def become(folder: str, seconds: int, command: list[str]) -> None:
    """Turn into another program that can only work in its folder."""
    confinement = _confinement()
    confinement.limits(seconds, MEMORY, FILE_SIZE)
    # LibreOffice gives up where it cannot open the socket by which a second start would find the first; it stands in one of these.
    confinement.files([*SYSTEM, os.path.dirname(os.path.realpath(command[0]))], [folder, "/dev/null", "/dev/shm"], ["/tmp", "/var/tmp"])  # noqa: S108
    confinement.network()
    os.execv(command[0], command)  # noqa: S606


def draw(folder: str, seconds: int, pdf: str, longest: int, most: int) -> None:
    """Write the pages of a PDF as `1.png`, `2.png`, …; longest: pixels of the longer side."""
    import pypdfium2

    confinement = _confinement()
    confinement.limits(seconds, MEMORY, FILE_SIZE)
    confinement.files([*SYSTEM, sys.prefix, sys.base_prefix, *filter(None, sys.path)], [folder])
    confinement.calls()
    document = pypdfium2.PdfDocument(pdf, autoclose=True)
    document.init_forms()
    for number in range(min(len(document), most)):
        page = document[number]
        width, height = page.get_size()
        page.render(scale=longest / max(width, height, 1.0), may_draw_forms=True).to_pil().save(Path(folder, f"{number + 1}.png"))
        page.close()


def _confinement() -> Confinement:
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    from docops.rubrics.child import Confinement

    return Confinement()


if __name__ == "__main__":
    job = json.loads(sys.stdin.readline())
    if "command" in job:
        become(job["folder"], job["seconds"], job["command"])
    else:
        draw(job["folder"], job["seconds"], job["pdf"], job["longest"], job["most"])
