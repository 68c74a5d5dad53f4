"""Processes for what is not trusted: started in a folder of their own, confined from inside, and ended with all they started.

A script that `start` runs makes a `Confinement` before it does anything that it was not written for. The module needs nothing else of
docops.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple


def start(script: Path, folder: Path, *, output: bool = False, **environment: str) -> subprocess.Popen[bytes]:
    """Run a script of ours in a process group of its own that sees nothing of the caller's environment.

    folder: where it works, its home and its place for temporary files.   output: whether what it writes is read.
    environment: more variables.
    """
    variables = {"HOME": str(folder), "TMPDIR": str(folder), "TEMP": str(folder), "PATH": os.defpath, "LANG": "C.UTF-8", "PYTHONHASHSEED": "0"}
    if os.name == "nt":
        variables["SYSTEMROOT"] = os.environ.get("SYSTEMROOT", "")
    return subprocess.Popen(  # noqa: S603
        # Not -I, which would leave out the hash seed; everything else that it shuts out is not in the environment.
        [sys.executable, "-P", "-s", "-B", str(script)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE if output else subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=folder,
        env=variables | environment,
        start_new_session=True,
    )


def stop(process: subprocess.Popen[bytes]) -> None:
    """End a process and everything it started."""
    with contextlib.suppress(ProcessLookupError, PermissionError, AttributeError):
        os.killpg(process.pid, signal.SIGKILL)
    with contextlib.suppress(OSError):
        process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with contextlib.suppress(OSError):
                stream.close()


#: Events of Python that a leaf of a rubric may not cause, for systems whose kernel confines nothing.
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
    """What holds for this process from now on; `names` says which means were available."""

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
