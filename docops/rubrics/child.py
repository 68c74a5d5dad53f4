"""The process that runs one leaf of a rubric: confines itself, provides what the leaf expects, runs it, and tells the result.

It is started as a script, apart from the package, and imports nothing of docops. It reads one request from standard input and
writes lines of JSON to what was its standard output; whatever the leaf prints goes nowhere.
"""

from __future__ import annotations

import builtins
import contextlib
import ctypes
import json
import os
import socket
import struct
import sys
import types
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, NoReturn

#: Events of Python that a leaf may not cause, for systems whose kernel confines nothing.
_FORBIDDEN_EVENTS = (
    "socket.", "subprocess.", "os.fork", "os.forkpty", "os.exec", "os.spawn", "os.posix_spawn", "os.system", "os.kill", "os.killpg",
    "ctypes.dlopen", "pty.", "webbrowser.", "urllib.", "http.", "ftplib.", "smtplib.", "winreg.", "resource.",
)  # fmt: skip
_PATH_EVENTS = (
    "os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.link", "os.symlink", "os.truncate", "os.chmod", "os.chown", "os.chflags", "os.utime",
    "os.setxattr", "os.removexattr", "shutil.",
)  # fmt: skip
_LIST_EVENTS = ("os.listdir", "os.scandir")


#: One instruction of a seccomp filter: operation, jumps where it holds and where it does not, operand.
_Instruction = tuple[int, int, int, int]
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _END = 0x20, 0x15, 0x35, 0x45, 0x06
_DENY, _NOTHING, _MISSING, _KILL, _ALLOW = 0x00050001, 0x00050000, 0x00050026, 0x80000000, 0x7FFF0000
_FIRST_ARGUMENT, _THIRD_ARGUMENT = 16, 32


class _Machine(NamedTuple):
    """Numbers of system calls on one kind of processor."""

    architecture: int
    clone3: int
    clone: int
    socket: int
    #: prlimit64
    limits: int
    denied: Sequence[int]
    #: Calls that do nothing and say that they did.
    idle: Sequence[int]
    has_x32: bool
    #: io_uring, which makes calls without calling.
    rings: Sequence[int] = (425, 426, 427)


_MACHINES = {
    "x86_64": _Machine(
        0xC000003E, 435, 56, 41, 302,
        (29, 41, 42, 46, 49, 50, 57, 58, 59, 62, 64, 68, 101, 141, 142, 144, 155, 160, 161, 165, 166, 200, 203, 234, 240, 248, 249, 250, 251, 272,
         298, 308, 310, 311, 314, 321, 322, 424, 425, 434, 438, 440),
        (90, 92, 94, 132, 188, 189, 197, 198, 235, 260, 261, 268, 280, 452),
        True,
    ),
    "aarch64": _Machine(
        0xC00000B7, 435, 220, 198, 261,
        (30, 39, 40, 41, 51, 97, 117, 118, 119, 122, 129, 130, 131, 140, 164, 180, 186, 190, 194, 198, 200, 201, 203, 211, 217, 218, 219, 221, 241,
         268, 270, 271, 274, 280, 281, 424, 425, 434, 438, 440),
        (5, 6, 14, 15, 53, 54, 88, 452),
        False,
    ),
}  # fmt: skip


def _machine() -> _Machine | None:
    name = os.uname().machine if hasattr(os, "uname") else ""
    return _MACHINES.get(name) if sys.platform.startswith("linux") else None


class Confinement:
    """What holds for the leaf; `names` says which means were available."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def limits(self, seconds: int, memory: int, file_size: int) -> None:
        """Processor time, address space, size of a file, open files, core dumps."""
        try:
            import resource
        except ImportError:
            return
        wanted = (("CPU", seconds), ("AS", memory), ("FSIZE", file_size), ("NOFILE", 256), ("CORE", 0))
        for name, value in wanted:
            with contextlib.suppress(ValueError, OSError, AttributeError):
                resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (value, value))
        self.names.append("rlimit")

    def files(self, readable: Sequence[str], writable: Sequence[str], sockets: Sequence[str] = ()) -> None:
        """Landlock (Linux 5.13): only these folders can be read, only those written, and only there sockets made."""
        if not sys.platform.startswith("linux"):
            return
        libc = ctypes.CDLL(None, use_errno=True)
        version = libc.syscall(444, None, ctypes.c_size_t(0), 1)
        if version < 1:
            return
        read = (1 << 0) | (1 << 2) | (1 << 3)
        every = (1 << (13 if version < 2 else 14 if version < 3 else 15)) - 1
        ruleset = libc.syscall(444, struct.pack("Q", every), ctypes.c_size_t(8), 0)
        if ruleset < 0:
            return
        for folders, rights in ((readable, read), (writable, every), (sockets, 1 << 9)):
            for folder in folders:
                with contextlib.suppress(OSError):
                    handle = os.open(folder, getattr(os, "O_PATH", 0) | os.O_CLOEXEC)
                    allowed = rights if os.path.isdir(folder) else rights & ~(1 << 3) & ((1 << 0) | (1 << 1) | (1 << 2) | (1 << 14))
                    libc.syscall(445, ruleset, 1, struct.pack("=Qi", allowed, handle), 0)
                    os.close(handle)
        libc.prctl(38, 1, 0, 0, 0)
        if libc.syscall(446, ruleset, 0) == 0:
            self.names.append("landlock")
        os.close(ruleset)

    def calls(self) -> None:
        """Seccomp (Linux): no sockets, no processes, no other programs, no tracing; nothing that reaches other processes or changes limits.

        Calls that change modes, owners, times and attributes of files, which Landlock does not know, do nothing and say that they did.
        """
        found = _machine()
        if found is None:
            return
        rules: list[_Instruction] = []
        for numbers, answer in ((found.denied, _DENY), (found.idle, _NOTHING), ((found.clone3,), _MISSING)):
            for number in numbers:
                rules += [(_EQUAL, 0, 1, number), (_END, 0, 0, answer)]
        # Limits may be asked for, one's own only, and not set: both halves of the third argument are empty.
        rules += [(_EQUAL, 0, 8, found.limits), (_LOAD, 0, 0, _FIRST_ARGUMENT), (_EQUAL, 1, 0, 0), (_END, 0, 0, _DENY)]
        rules += [(_LOAD, 0, 0, _THIRD_ARGUMENT), (_EQUAL, 0, 2, 0), (_LOAD, 0, 0, _THIRD_ARGUMENT + 4), (_EQUAL, 1, 0, 0), (_END, 0, 0, _DENY)]
        # A new thread (CLONE_THREAD) is fine, a new process is not.
        rules += [(_LOAD, 0, 0, 0), (_EQUAL, 0, 3, found.clone), (_LOAD, 0, 0, _FIRST_ARGUMENT), (_ANY_BIT, 1, 0, 0x00010000), (_END, 0, 0, _DENY)]
        self._filter(found, rules)

    def network(self) -> None:
        """Seccomp (Linux): no sockets but those between processes of this machine (AF_UNIX); processes may be started."""
        found = _machine()
        if found is None:
            return
        rules: list[_Instruction] = []
        for number in found.rings:
            rules += [(_EQUAL, 0, 1, number), (_END, 0, 0, _MISSING)]
        rules += [(_EQUAL, 0, 3, found.socket), (_LOAD, 0, 0, _FIRST_ARGUMENT), (_EQUAL, 1, 0, 1), (_END, 0, 0, _DENY)]
        self._filter(found, rules)

    def _filter(self, found: _Machine, rules: Sequence[_Instruction]) -> None:
        program: list[_Instruction] = [(_LOAD, 0, 0, 4), (_EQUAL, 1, 0, found.architecture), (_END, 0, 0, _KILL), (_LOAD, 0, 0, 0)]
        # A caller of the x32 interface has numbers of its own; it is refused whole.
        if found.has_x32:
            program += [(_AT_LEAST, 0, 1, 0x40000000), (_END, 0, 0, _DENY)]
        program += [*rules, (_END, 0, 0, _ALLOW)]
        packed = b"".join(struct.pack("=HBBI", *line) for line in program)
        buffer = ctypes.create_string_buffer(packed)
        header = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(program), ctypes.addressof(buffer)))
        libc = ctypes.CDLL(None, use_errno=True)
        libc.prctl(38, 1, 0, 0, 0)
        if libc.prctl(22, 2, header, 0, 0) == 0:
            self.names.append("seccomp")

    def events(self, readable: Sequence[str], writable: Sequence[str]) -> None:
        """Python's own audit events: a second line behind the kernel, the only one where that offers nothing."""
        own, seen = (tuple(os.path.realpath(folder) + os.sep for folder in folders) for folders in (writable, [*readable, *writable]))
        write_flags = os.O_WRONLY | os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_TRUNC

        def outside(path: Any, folders: tuple[str, ...]) -> bool:
            return isinstance(path, (str, bytes)) and not (os.path.realpath(os.fsdecode(path)) + os.sep).startswith(folders)

        def watch(event: str, arguments: tuple[Any, ...]) -> None:
            if event.startswith(_FORBIDDEN_EVENTS):
                # A pair of connected sockets, as asyncio has one, reaches nobody; to connect one elsewhere is an event of its own.
                if event != "socket.__new__" or arguments[1] != getattr(socket, "AF_UNIX", None):
                    raise PermissionError(f"a leaf may not do this: {event}")
            elif event == "open":
                mode, flags = arguments[1], arguments[2]
                writes = any(char in mode for char in "wax+") if isinstance(mode, str) else bool((flags or 0) & write_flags)
                if outside(arguments[0], own if writes else seen):
                    raise PermissionError(f"a leaf may not {'write' if writes else 'read'} {arguments[0]!r}")
            elif event in _LIST_EVENTS and outside(arguments[0], seen):
                raise PermissionError(f"a leaf may not list {arguments[0]!r}")
            elif event.startswith(_PATH_EVENTS) and any(outside(path, own) for path in arguments[:2]):
                raise PermissionError(f"a leaf may not do this here: {event}")

        sys.addaudithook(watch)
        self.names.append("audit hook")


def _records(diff: dict[str, Any]) -> types.ModuleType:
    """The module `ppteval.verify.ppt.diff` with the names that leaves use."""
    module = types.ModuleType("ppteval.verify.ppt.diff")
    for name in ("AnimationEffect", "SlideTransition", "Slide", "SlideScreenshot", "PowerPointDiff"):
        setattr(module, name, type(name, (_Record,), {"__module__": module.__name__}))
    made = module.PowerPointDiff()
    for field, entries in diff.items():
        kind = getattr(module, {"animations": "AnimationEffect", "transitions": "SlideTransition", "slides": "Slide"}[field.partition("_")[2]])
        values = [tuple(kind(**side) for side in entry) if isinstance(entry, list) else kind(**entry) for entry in entries]
        setattr(made, field, values)
    module.made = made  # type: ignore[attr-defined]
    return module


class _Record:
    """A record of a comparison: its fields as attributes."""

    def __init__(self, **fields: Any) -> None:
        self.__dict__.update(fields)

    def to_dict(self) -> dict[str, Any]:
        """The record as plain values."""
        return {name: _plain(value) for name, value in self.__dict__.items()}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self.__dict__.items())})"

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self.__dict__ == other.__dict__

    __hash__ = None  # type: ignore[assignment]


def _plain(value: Any) -> Any:
    if isinstance(value, _Record):
        return value.to_dict()
    return [_plain(item) for item in value] if isinstance(value, (list, tuple)) else value


def _shims(diff: types.ModuleType, llm_call: Callable[..., str], vlm_call: Callable[..., str]) -> None:
    """Stand-ins for the modules that leaves import from the benchmark itself."""

    class ScreenshotsUnavailableError(RuntimeError):
        """A leaf's word for having no screenshots."""

    class PPTVerifier:
        """Only a name: the tree is scored elsewhere."""

    def module(name: str, **content: Any) -> types.ModuleType:
        made = types.ModuleType(name)
        made.__dict__.update(content)
        made.__path__ = []
        sys.modules[name] = made
        parent, _, last = name.rpartition(".")
        if parent:
            setattr(sys.modules[parent], last, made)
        return made

    for name in ("ppteval", "ppteval.verify", "ppteval.verify.ppt", "rubric", "rubric.utils"):
        module(name)
    module(
        "ppteval.verify.ppt.verifier",
        ScreenshotsUnavailableError=ScreenshotsUnavailableError,
        PPTVerifier=PPTVerifier,
        vlm_call=vlm_call,
        llm_call=llm_call,
    )
    sys.modules["ppteval.verify.ppt.diff"] = diff
    sys.modules["ppteval.verify.ppt"].diff = diff  # type: ignore[attr-defined]
    module("rubric.utils.llm_tools", vlm_call=vlm_call, llm_call=llm_call)
    module("dotenv", load_dotenv=lambda *_, **__: False, find_dotenv=lambda *_, **__: "", dotenv_values=lambda *_, **__: {})


def code_of(text: str) -> str:
    """The scorer's code, without the fence that some files put around it."""
    stripped = text.strip()
    if stripped.startswith("```python") and stripped.endswith("```"):
        return "\n".join(stripped.split("\n")[1:-1])
    return text


def judge(answer: Any) -> dict[str, Any]:
    """The result that a leaf's answer stands for: a reason and a score from 0 to 1, in this order."""
    try:
        reason, score = answer
    except (TypeError, ValueError):
        return {"kind": "answer", "message": f"expected a reason and a score, got {_short(answer)}"}
    if not isinstance(reason, str) or not isinstance(score, (int, float)):
        return {"kind": "answer", "message": f"expected a text and a number, got {type(reason).__name__} and {type(score).__name__}"}
    if not 0 <= score <= 1:
        return {"kind": "answer", "message": f"a score lies between 0 and 1, got {_short(score)}"}
    return {"kind": "score", "score": abs(float(score)), "message": reason[:4000]}


def _short(value: Any) -> str:
    try:
        return repr(value)[:200]
    except Exception:
        return type(value).__name__


def main() -> NoReturn:
    """Run the leaf that standard input describes."""
    channel = os.fdopen(os.dup(1), "w", encoding="utf-8", errors="backslashreplace")
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (1, 2):
        os.dup2(null, stream)
    requests = os.fdopen(os.dup(0), "r", encoding="utf-8")
    os.dup2(null, 0)
    request = json.loads(requests.readline())
    sys.setrecursionlimit(2000)

    # What does not bear the token is none of this process's messages: a leaf may write to any handle that it finds.
    token, encode = request.pop("token"), json.JSONEncoder().encode

    def tell(body: dict[str, Any]) -> None:
        channel.write(encode({**body, "token": token}) + "\n")
        channel.flush()

    def ask(kind: str, prompt: Any, images: Any, temperature: Any, max_tokens: Any) -> str:
        paths = [str(getattr(image, "image_path", image)) for image in (images if isinstance(images, (list, tuple)) else [images] if images else [])]
        tell({"kind": "ask", "ask": kind, "prompt": str(prompt), "images": paths, "temperature": temperature, "max_tokens": max_tokens})
        return str(json.loads(requests.readline())["text"])

    def llm_call(prompt: Any, temperature: float = 0.7, max_tokens: int | None = None) -> str:
        return ask("llm", prompt, [], temperature, max_tokens)

    def vlm_call(prompt: Any, images: Any = (), temperature: float = 0.7, max_tokens: int | None = None) -> str:
        return ask("vlm", prompt, images, temperature, max_tokens)

    confinement = Confinement()
    confinement.limits(request["seconds"], request["memory"], request["file_size"])
    readable, writable = [*request["readable"], os.devnull, "/dev/urandom", "/dev/zero"], [request["folder"], os.devnull]
    confinement.files(readable, writable)
    confinement.calls()
    sys.path[:] = [entry for entry in sys.path if entry and entry != os.path.dirname(os.path.abspath(__file__))]
    for name in request["preload"]:
        with contextlib.suppress(ImportError):
            __import__(name)
    diff = _records(request["diff"])
    _shims(diff, llm_call, vlm_call)
    shots = diff.SlideScreenshot
    context: dict[str, Any] = {
        "ppt_diff": diff.made,
        "original_ppt_path": request["original"],
        "modified_ppt_path": request["modified"],
        "original_ppt_screenshots": [shots(**entry) for entry in request["original_screenshots"]],
        "modified_ppt_screenshots": [shots(**entry) for entry in request["modified_screenshots"]],
        "llm_call": llm_call,
        "vlm_call": vlm_call,
    }
    confinement.events(readable, writable)
    tell({"kind": "confined", "by": confinement.names})
    try:
        names: dict[str, Any] = {}
        # The globals are the context and the locals a namespace apart, as in the benchmark: helpers of the module are not seen inside.
        builtins.exec(builtins.compile(code_of(request["code"]), "<leaf>", "exec"), context, names)  # noqa: S102
        result = judge(names["compute_score"]())
    except MemoryError:
        result = {"kind": "limit", "message": "the memory limit was reached"}
    except BaseException as error:
        result = {"kind": "raised", "message": f"{type(error).__name__}: {str(error)[:500]}"}
    tell(result)
    channel.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
