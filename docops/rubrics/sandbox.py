"""Leaves in processes of their own: started, answered, stopped in time, and their end turned into a result."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import re
import secrets
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from docops.core.options import Answer

MEMORY = 1536 * 1024 * 1024
FILE_SIZE = 64 * 1024 * 1024
#: Longest line that a leaf may tell, and how many lines.
MAX_LINE = 1_000_000
MAX_LINES = 200

#: Longest picture that a leaf may send to a model, and how many.
MAX_IMAGE = 8 * 1024 * 1024
MAX_IMAGES = 40

#: An object's address, as Python prints it.
_ADDRESS = re.compile(r"(?<= at )0x[0-9a-fA-F]+")

#: Answers a question that a leaf asks a model; gets the message with `ask`, `prompt`, …, and its pictures.
AnswerLeaf = Callable[[Mapping[str, Any], Sequence[bytes]], Answer]


NO_MODEL = Answer(None, problem="none is configured")


@dataclass(frozen=True, slots=True)
class LeafResult:
    """How a leaf ended.

    kind: `score`, or why there is none: `raised`, `answer` (not a reason and a score), `limit` (time, memory), `ended` (the
    process stopped without an answer), `model` (it asked a model that is not there).
    by: the means that confined it.
    """

    kind: str
    score: float | None = None
    message: str = ""
    by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LeafInput:
    """What a leaf is given: before and after, their comparison and screenshots."""

    original: Path
    modified: Path
    diff: Mapping[str, Any]
    original_screenshots: Sequence[Mapping[str, Any]] = field(default=())
    modified_screenshots: Sequence[Mapping[str, Any]] = field(default=())


def run_leaf(code: str, given: LeafInput, *, seconds: float = 60.0, answer: AnswerLeaf | None = None) -> LeafResult:
    """Run one leaf in a process and a folder of its own.

    seconds: wall-clock limit, and (rounded up) that of processor time.   answer: for questions to a model; None: there is none.
    """
    with tempfile.TemporaryDirectory(prefix="docops-leaf-", ignore_cleanup_errors=True) as folder:
        root = Path(folder).resolve()
        request = _request(code, given, root, seconds)
        environment = {
            "HOME": str(root),
            "TMPDIR": str(root),
            "TEMP": str(root),
            "PATH": os.defpath,
            "LANG": "C.UTF-8",
            "PYTHONHASHSEED": "0",
            "OPENBLAS_NUM_THREADS": "1",
            "OMP_NUM_THREADS": "1",
        }
        if os.name == "nt":
            environment["SYSTEMROOT"] = os.environ.get("SYSTEMROOT", "")
        process = subprocess.Popen(  # noqa: S603
            # Not -I, which would leave out the hash seed; everything else that it shuts out is not in the environment.
            [sys.executable, "-P", "-s", "-B", str(Path(__file__).with_name("child.py"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=root,
            env=environment,
            start_new_session=True,
        )
        try:
            result = _talk(process, request, time.monotonic() + seconds, answer, root)
        finally:
            _stop(process)
    # The folder's name and addresses in memory are others each time, and a verdict is not.
    return replace(result, message=_ADDRESS.sub("0x…", result.message.replace(str(root), "…")))


def _request(code: str, given: LeafInput, root: Path, seconds: float) -> dict[str, Any]:
    copies = {}
    for role, path in (("original", given.original), ("modified", given.modified)):
        copies[role] = root / role / path.name
        copies[role].parent.mkdir()
        shutil.copyfile(path, copies[role])
    shots: dict[str, list[dict[str, Any]]] = {}
    for role, entries in (("original", given.original_screenshots), ("modified", given.modified_screenshots)):
        shots[role] = []
        for entry in entries:
            image = Path(entry["image_path"])
            target = root / f"{role}-screenshots" / image.name
            target.parent.mkdir(exist_ok=True)
            shutil.copyfile(image, target)
            shots[role].append({**entry, "image_path": str(target)})
    return {
        "code": code,
        "token": secrets.token_hex(16),
        "folder": str(root),
        "readable": _readable(),
        "preload": ["pptx", "lxml.etree"],
        "original": str(copies["original"]),
        "modified": str(copies["modified"]),
        "diff": dict(given.diff),
        "original_screenshots": shots["original"],
        "modified_screenshots": shots["modified"],
        "seconds": max(1, int(seconds + 0.999)),
        "memory": MEMORY,
        "file_size": FILE_SIZE,
    }


def _readable() -> list[str]:
    """Folders that Python itself needs; nothing of the user's."""
    paths = {sys.prefix, sys.base_prefix, *(sysconfig.get_paths()[name] for name in ("stdlib", "platstdlib", "purelib", "platlib"))}
    paths |= {entry for entry in sys.path if "site-packages" in entry or "dist-packages" in entry}
    paths |= {
        "/usr/lib",
        "/usr/lib64",
        "/usr/local/lib",
        "/lib",
        "/lib64",
        "/usr/share/zoneinfo",
        "/etc/ld.so.cache",
        "/etc/localtime",
        "/etc/mime.types",
    }
    return sorted({os.path.realpath(path) for path in paths if os.path.exists(path) and os.path.realpath(path) != "/"})


def _talk(process: subprocess.Popen[bytes], request: Mapping[str, Any], deadline: float, answer: AnswerLeaf | None, root: Path) -> LeafResult:
    lines: queue.Queue[bytes | None] = queue.Queue()

    def read() -> None:
        if process.stdout is not None:
            with contextlib.suppress(OSError, ValueError):
                for _ in range(MAX_LINES):
                    line = process.stdout.readline(MAX_LINE)
                    if not line:
                        break
                    lines.put(line)
        lines.put(None)

    threading.Thread(target=read, daemon=True).start()
    _send(process, request)
    confined: tuple[str, ...] = ()
    while True:
        try:
            line = lines.get(timeout=max(0.0, deadline - time.monotonic()))
        except queue.Empty:
            return LeafResult("limit", message="the time limit was reached", by=confined)
        if line is None:
            return _ended(process, confined)
        body = _parsed(line)
        kind = body.get("kind") if body.get("token") == request["token"] else None
        if kind == "confined" and not confined:
            confined = tuple(map(str, body.get("by", ())))
        elif kind == "ask":
            found = answer(body, _images(body.get("images"), root)) if answer is not None else NO_MODEL
            if found.text is None:
                return LeafResult("model", message=f"it asks a model: {found.problem}", by=confined)
            _send(process, {"text": found.text})
        elif kind == "score" and isinstance(body.get("score"), float) and 0 <= body["score"] <= 1:
            return LeafResult("score", body["score"], str(body.get("message", "")), confined)
        elif kind in ("raised", "answer", "limit"):
            return LeafResult(kind, message=str(body.get("message", "")), by=confined)
        else:
            return LeafResult("answer", message="the process told something that is no result", by=confined)


def _images(paths: Any, root: Path) -> list[bytes]:
    """The pictures that a leaf names, out of its own folder alone: it must not send what it could not read."""
    found = []
    for path in paths[:MAX_IMAGES] if isinstance(paths, list) else []:
        with contextlib.suppress(OSError, ValueError):
            file = (root / str(path)).resolve()
            if file.is_relative_to(root) and file.is_file() and file.stat().st_size <= MAX_IMAGE:
                found.append(file.read_bytes())
    return found


def _parsed(line: bytes) -> dict[str, Any]:
    try:
        body = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return body if isinstance(body, dict) else {}


def _send(process: subprocess.Popen[bytes], body: Mapping[str, Any]) -> None:
    if process.stdin is not None:
        with contextlib.suppress(OSError):
            process.stdin.write(json.dumps(body).encode() + b"\n")
            process.stdin.flush()


def _ended(process: subprocess.Popen[bytes], by: tuple[str, ...]) -> LeafResult:
    try:
        code = process.wait(timeout=5)
    except subprocess.TimeoutExpired:
        return LeafResult("ended", message="the process closed its result and went on", by=by)
    names = {getattr(signal, "SIGXCPU", None): "the limit of processor time was reached", getattr(signal, "SIGKILL", None): "it was killed"}
    if code < 0:
        message = names.get(signal.Signals(-code)) or f"signal {-code} ended it"
        return LeafResult("limit" if -code in (getattr(signal, "SIGXCPU", 0), getattr(signal, "SIGKILL", 0)) else "ended", message=message, by=by)
    return LeafResult("ended", message=f"the process ended with code {code} and without an answer", by=by)


def _stop(process: subprocess.Popen[bytes]) -> None:
    """End the process and everything it started."""
    with contextlib.suppress(ProcessLookupError, PermissionError, AttributeError):
        os.killpg(process.pid, signal.SIGKILL)
    with contextlib.suppress(OSError):
        process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with contextlib.suppress(OSError):
                stream.close()
