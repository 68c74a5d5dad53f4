"""The process that runs one leaf of a rubric: confines itself, provides what the leaf expects, runs it, and tells the result.

It is started as a script and imports of docops only what confines it. It reads one request from standard input and
writes lines of JSON to what was its standard output; whatever the leaf prints goes nowhere.
"""

from __future__ import annotations

import builtins
import contextlib
import json
import os
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from docops.confinement import Confinement

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


def _confinement() -> Confinement:
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    from docops.confinement import Confinement

    del sys.path[0]
    return Confinement()


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

    confinement = _confinement()
    confinement.limits(request["seconds"], request["memory"], request["file_size"])
    readable, writable = [*request["readable"], os.devnull, "/dev/urandom", "/dev/zero"], [request["folder"], os.devnull]
    confinement.files(readable, writable)
    confinement.calls()
    sys.path[:] = [entry for entry in sys.path if entry]
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
