"""JSON and TOML as bundles and catalogues hold them: strict, without duplicate keys, and plain JSON values."""

from __future__ import annotations

import datetime
import json
import math
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from docops.core.errors import Problem
from docops.shape import child, show

#: Largest metadata or verifier file.
MAX_BYTES = 4 * 1024 * 1024
#: Deepest nesting that is read.
MAX_DEPTH = 64


class _Refused(ValueError):
    pass


def read_text(path: Path, file: str, problems: list[Problem]) -> str | None:
    """The text of a file in UTF-8 (a byte order mark is left out), or None with a problem."""
    try:
        with path.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except OSError as error:
        problems.append(Problem(file, "$", f"cannot be read: {error.strerror or type(error).__name__}"))
        return None
    if len(data) > MAX_BYTES:
        problems.append(Problem(file, "$", f"is larger than {MAX_BYTES} bytes"))
        return None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        problems.append(Problem(file, "$", f"is not UTF-8 (byte {error.start})"))
        return None


def read_json(path: Path, file: str, problems: list[Problem]) -> dict[str, Any] | None:
    """The object that a JSON file holds, or None with a problem for each fault."""
    text = read_text(path, file, problems)
    if text is None:
        return None
    repeated: list[str] = []

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        seen = dict(items)
        if len(seen) < len(items):
            names = [name for name, _ in items]
            repeated.extend(name for name in seen if names.count(name) > 1)
        return seen

    try:
        value = json.loads(text, object_pairs_hook=pairs, parse_constant=_refuse)
    except json.JSONDecodeError as error:
        problems.append(Problem(file, "$", f"is not JSON: {error.msg} at line {error.lineno} column {error.colno}"))
        return None
    except _Refused as error:
        problems.append(Problem(file, "$", f"is not JSON: {error}"))
        return None
    except (ValueError, RecursionError) as error:
        problems.append(Problem(file, "$", f"cannot be read: {_reason(error)}"))
        return None
    problems.extend(Problem(file, "$", f"the key {show(name)} is there twice in one object") for name in repeated)
    if not isinstance(value, dict):
        problems.append(Problem(file, "$", f"expected a table, found {show(value)}"))
        return None
    return _plain_or_none(value, file, problems)


def read_toml(path: Path, file: str, problems: list[Problem]) -> dict[str, Any] | None:
    """The table that a TOML file holds, dates as ISO text, or None with a problem for each fault."""
    text = read_text(path, file, problems)
    return parse_toml(text, file, problems) if text is not None else None


def parse_toml(text: str, file: str, problems: list[Problem]) -> dict[str, Any] | None:
    """The table that a TOML text holds, or None with a problem for each fault."""
    try:
        value = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        problems.append(Problem(file, "$", f"is not TOML: {error}"))
        return None
    except (ValueError, RecursionError) as error:
        problems.append(Problem(file, "$", f"cannot be read: {_reason(error)}"))
        return None
    return _plain_or_none(value, file, problems)


def _refuse(constant: str) -> Any:
    raise _Refused(f"{constant} is no number")


def _reason(error: BaseException) -> str:
    return "it is nested too deeply" if isinstance(error, RecursionError) else str(error)


def _plain_or_none(value: dict[str, Any], file: str, problems: list[Problem]) -> dict[str, Any] | None:
    faults = list(_faults(value, "$", 0))
    problems.extend(Problem(file, path, message) for path, message in faults)
    return None if faults else {key: _plain(item) for key, item in value.items()}


def _faults(value: Any, path: str, depth: int) -> Iterator[tuple[str, str]]:
    """What no verdict could be written with: endless numbers, half characters, bottomless nesting."""
    if depth > MAX_DEPTH:
        yield path[:200], f"is nested deeper than {MAX_DEPTH} levels"
    elif isinstance(value, Mapping):
        for key, item in value.items():
            if _broken(key):
                yield path, "a key holds half of a surrogate pair"
            else:
                yield from _faults(item, child(path, key), depth + 1)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _faults(item, child(path, index), depth + 1)
    elif isinstance(value, float) and not math.isfinite(value):
        yield path, f"{value} is not a finite number"
    elif isinstance(value, int) and abs(value) > 2**63:
        yield path, "the number is too large"
    elif isinstance(value, str) and _broken(value):
        yield path, "the text holds half of a surrogate pair"


def _broken(text: str) -> bool:
    return any(0xD800 <= ord(char) <= 0xDFFF for char in text)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    return value
