"""Shape of parsed JSON and TOML: checked against a JSON Schema, every problem with its path, none of them raised.

The part of JSON Schema that docops's own schemas use: `$ref` into `$defs`, `type`, `properties`, `required`,
`additionalProperties`, `items`, `minItems`, `anyOf`, `enum`, `const`, `pattern`, `minLength`, `minimum`, `exclusiveMinimum`, `maximum`,
`exclusiveMaximum`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Schema = Mapping[str, Any]

_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_TYPE_NAMES = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "a table",
    "null": "null",
}


def child(path: str, key: str | int) -> str:
    """The path of what stands under `key` of the table or list at `path`."""
    if isinstance(key, int):
        return f"{path}[{key}]"
    return f"{path}.{key}" if _PLAIN_KEY.fullmatch(key) else f"{path}[{json.dumps(key, ensure_ascii=False)}]"


def type_of(value: Any) -> str:
    """JSON Schema's name of a value's type."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    if isinstance(value, float):
        return "number"
    if isinstance(value, str):
        return "string"
    return "object" if isinstance(value, Mapping) else "array"


def show(value: Any) -> str:
    """A value as a person is told about it: short JSON, or what it is where that would be long."""
    if isinstance(value, Mapping):
        return "a table"
    if isinstance(value, (list, tuple)):
        return "a list" if value else "an empty list"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 80 else f"{text[:79]}…"


def check_shape(schema: Schema, value: Any, *, root: Schema | None = None, path: str = "$") -> Iterator[tuple[str, str]]:
    """(path, message) for everything in `value` that `schema` does not allow.

    root: the schema that `$ref` points into (default: `schema`).
    """
    root = root if root is not None else schema
    schema = _resolve(schema, root)
    if "anyOf" in schema:
        yield from _check_any(schema["anyOf"], value, root, path)
        return
    if "enum" in schema or "const" in schema:
        allowed = [schema["const"]] if "const" in schema else schema["enum"]
        if not any(type_of(value) == type_of(item) and value == item for item in allowed):
            yield path, f"{show(value)} is not legal here; legal: {', '.join(map(show, allowed))}{near(value, allowed)}"
        return
    expected = schema.get("type")
    if expected is None:
        return
    found = type_of(value)
    if found != expected and not (expected == "number" and found == "integer"):
        yield path, f"expected {_TYPE_NAMES[expected]}, found {_found(value)}"
        return
    if expected == "string":
        yield from _check_text(schema, value, path)
    elif expected in ("integer", "number"):
        if "minimum" in schema and value < schema["minimum"]:
            yield path, f"{show(value)} is less than {schema['minimum']}"
        if "exclusiveMinimum" in schema and value <= schema["exclusiveMinimum"]:
            yield path, f"{show(value)} is not greater than {schema['exclusiveMinimum']}"
        if "maximum" in schema and value > schema["maximum"]:
            yield path, f"{show(value)} is more than {schema['maximum']}"
        if "exclusiveMaximum" in schema and value >= schema["exclusiveMaximum"]:
            yield path, f"{show(value)} is not less than {schema['exclusiveMaximum']}"
    elif expected == "array":
        if len(value) < schema.get("minItems", 0):
            yield path, "the list is empty" if not value else f"the list has less than {schema['minItems']} entries"
        for index, item in enumerate(value):
            yield from check_shape(schema.get("items", {}), item, root=root, path=child(path, index))
    elif expected == "object":
        yield from _check_table(schema, value, root, path)


def near(value: Any, known: Sequence[Any]) -> str:
    """`; did you mean "x"?` where a text is close to a known one, else ""."""
    if not isinstance(value, str):
        return ""
    from difflib import get_close_matches

    close = get_close_matches(value, [item for item in known if isinstance(item, str)], n=1, cutoff=0.6)
    return f"; did you mean {show(close[0])}?" if close else ""


def _found(value: Any) -> str:
    name = _TYPE_NAMES[type_of(value)]
    return show(value) if name in ("a list", "a table", "null") else f"{show(value)} ({name})"


def _resolve(schema: Schema, root: Schema) -> Schema:
    while "$ref" in schema:
        schema = root["$defs"][schema["$ref"].rpartition("/")[2]]
    return schema


def _check_text(schema: Schema, value: str, path: str) -> Iterator[tuple[str, str]]:
    if len(value) < schema.get("minLength", 0):
        yield path, "the text is empty"
    elif "pattern" in schema and not re.search(re.sub(r"\$$", r"\\Z", schema["pattern"]), value):
        yield path, f"{show(value)} does not match {schema['pattern']}"


def _check_table(schema: Schema, value: Mapping[str, Any], root: Schema, path: str) -> Iterator[tuple[str, str]]:
    properties: Mapping[str, Schema] = schema.get("properties", {})
    for key in schema.get("required", ()):
        if key not in value:
            yield child(path, key), "is missing"
    others = schema.get("additionalProperties", True)
    for key, item in value.items():
        if key in properties:
            yield from check_shape(properties[key], item, root=root, path=child(path, key))
        elif others is False:
            hint = near(key, list(properties)) or f"; known: {', '.join(sorted(properties))}"
            yield child(path, key), f"unknown key{hint}"
        elif isinstance(others, Mapping):
            yield from check_shape(others, item, root=root, path=child(path, key))


def _check_any(branches: Sequence[Schema], value: Any, root: Schema, path: str) -> Iterator[tuple[str, str]]:
    """The problems of the branch that the value is meant for: the one of its type; none where one branch has none."""
    resolved = [_resolve(branch, root) for branch in branches]
    results = [list(check_shape(branch, value, root=root, path=path)) for branch in resolved]
    if any(not problems for problems in results):
        return
    fitting = [problems for branch, problems in zip(resolved, results, strict=True) if branch.get("type") == type_of(value)]
    if fitting:
        yield from min(fitting, key=len)
        return
    names = dict.fromkeys(_TYPE_NAMES.get(branch.get("type", ""), "another value") for branch in resolved)
    yield path, f"expected {' or '.join(names)}, found {_found(value)}"
