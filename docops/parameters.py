"""Values of predicate parameters against the annotations of the predicate's function."""

from __future__ import annotations

import types
import typing
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from typing import Any

from docops.core.predicate import Parameter, type_name
from docops.shape import check_shape, child, near, show

_SCALARS: dict[Any, dict[str, Any]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    type(None): {"type": "null"},
    Any: {},
}

#: What a number has to be that is called so, in every predicate: at least this, above this.
_LEAST = {"tolerance": 0, "relative": 0, "count": 0, "rows": 0, "columns": 0}
_ABOVE = {"at_least": 0, "k": 0, "level": 0, "number": 0, "page": 0, "position": 0}


def parameter_schema(annotation: Any) -> dict[str, Any]:
    """The JSON Schema of a parameter's annotation; {} (anything) for what it cannot tell, like a recursive JSON type."""
    if annotation in _SCALARS:
        return dict(_SCALARS[annotation])
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        return parameter_schema(arguments[0])
    if origin is typing.Literal:
        return {"enum": list(arguments)}
    if origin in (typing.Union, types.UnionType):
        branches = [parameter_schema(argument) for argument in arguments]
        return {} if {} in branches else {"anyOf": branches}
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return {"enum": [member.value for member in annotation]}
    if isinstance(origin, type) and issubclass(origin, Mapping):
        values = parameter_schema(arguments[1])
        return {"type": "object", "additionalProperties": values} if values else {"type": "object"}
    if isinstance(origin, type) and issubclass(origin, Sequence):
        items = parameter_schema(arguments[0])
        return {"type": "array", "items": items} if items else {"type": "array"}
    return {}


def check_parameters(parameters: Sequence[Parameter], given: Mapping[str, Any], *, path: str = "$") -> Iterator[tuple[str, str]]:
    """(path, message) for every parameter that is unknown, missing or of another type.

    given: by the names that verifiers use (`except`).
    """
    known = {parameter.name: parameter for parameter in parameters}
    for name, value in given.items():
        parameter = known.get(name)
        if parameter is None:
            hint = near(name, list(known)) or f"; known: {', '.join(known) or 'none'}"
            yield child(path, name), f"the predicate has no parameter {show(name)}{hint}"
            continue
        problems = [*check_shape(parameter_schema(parameter.annotation), value, path=child(path, name)), *_out_of_bounds(name, value, child(path, name))]
        if len(problems) == 1 and problems[0][0] == child(path, name) and "expected" in problems[0][1]:
            yield child(path, name), f"expected {type_name(parameter.annotation)}, found {show(value)}"
        else:
            yield from problems
    for parameter in parameters:
        if parameter.required and parameter.name not in given:
            yield child(path, parameter.name), f"is missing ({type_name(parameter.annotation)})"


def _out_of_bounds(name: str, value: Any, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return
    if name in _LEAST and value < _LEAST[name]:
        yield path, f"{show(value)} is less than {_LEAST[name]}"
    if name in _ABOVE and value <= _ABOVE[name]:
        yield path, f"{show(value)} is not above {_ABOVE[name]}"
