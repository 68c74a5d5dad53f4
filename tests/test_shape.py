"""Values against schemas and annotations: the same answers as the reference implementation, and words a person understands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any, Literal

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from docops.core.node import Value
from docops.core.predicate import Parameter
from docops.parameters import check_parameters, parameter_schema
from docops.schemas import task_schema, verifier_schema
from docops.shape import check_shape, child
from tests.support.bundles import METADATA

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.floats(-5, 5) | st.sampled_from(["", "all", "a", "schema", "docops.verifier/1", "L1", "C1"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["schema", "criteria", "id", "weight", "groups", "title", "use", "with", "at", "allow"]), inner, max_size=4)
    ),
    max_leaves=12,
)


def valid(schema: Mapping[str, Any], value: Any) -> bool:
    return bool(jsonschema.Draft202012Validator(schema).is_valid(value))


@given(JSON)
def test_a_value_fits_where_the_reference_implementation_says_so(value: Any) -> None:
    for schema in (verifier_schema(), {**task_schema(), "type": "object"}):
        assert (not list(check_shape(schema, value))) == valid(schema, value)


@given(st.sampled_from(sorted(METADATA)), JSON)
def test_one_key_replaced_fits_where_the_reference_implementation_says_so(key: str, value: Any) -> None:
    changed = {**METADATA, key: value}
    assert (not list(check_shape(task_schema(), changed))) == valid(task_schema(), changed)


def test_path_of_a_key() -> None:
    assert child(child("$", "artifacts"), 0) == "$.artifacts[0]"
    assert child("$.edit_scope", 'a "b".xlsx') == '$.edit_scope["a \\"b\\".xlsx"]'


class Colour(StrEnum):
    RED = "red"


@pytest.mark.parametrize(
    ("annotation", "fitting", "not_fitting"),
    [
        (str, ["a", ""], [1, None, ["a"], True]),
        (int, [1, -1], [1.0, True, "1", None]),
        (float, [1, 1.5], [True, "1", None]),
        (bool, [True, False], [1, 0, "true"]),
        (str | None, ["a", None], [1]),
        (int | bool | None, [3, False, None], [1.5, "3"]),
        (Sequence[str], [[], ["a"]], ["a", [1], None]),
        (list[int | None], [[1, None]], [["a"], [True]]),
        (tuple[str, ...], [["a", "b"]], [["a", 1]]),
        (Sequence[Sequence[str]], [[["a"]]], [["a"]]),
        (Mapping[str, int], [{"a": 1}], [{"a": "b"}, []]),
        (Literal["a", "b"], ["a"], ["c", 1]),
        (Literal["a"] | int, ["a", 3], ["c"]),
        (Colour, ["red"], ["blue"]),
        (Any, [1, None, {"a": [1]}], []),
        (Value, [1, None, {"a": [1]}, [1, "a"]], []),
    ],
)
def test_parameter_takes_what_its_annotation_says(annotation: Any, fitting: list[Any], not_fitting: list[Any]) -> None:
    parameter = Parameter("p", "p", annotation, required=True, default=None)
    for value in fitting:
        assert list(check_parameters([parameter], {"p": value})) == [], value
    for value in not_fitting:
        assert [path.startswith("$.p") for path, _ in check_parameters([parameter], {"p": value})] == [True], value
    jsonschema.Draft202012Validator.check_schema(parameter_schema(annotation))


def test_missing_and_unknown_parameters() -> None:
    parameters = [Parameter("text", "text", str, required=True, default=None), Parameter("count", "count", int, required=False, default=None)]
    assert list(check_parameters(parameters, {"txt": "x"})) == [
        ("$.txt", 'the predicate has no parameter "txt"; did you mean "text"?'),
        ("$.text", "is missing (text)"),
    ]
