"""The published schemas agree with what docops accepts and with the enumerations of the code."""

from __future__ import annotations

import json
import typing
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from docops import schemas
from docops.core.compare import Allow
from docops.verifier import Aggregate

ROOT = Path(__file__).parents[1]
ALL: dict[str, Callable[[], dict[str, Any]]] = {
    "task": schemas.task_schema,
    "verifier": schemas.editor_verifier_schema,
    "reusable": schemas.reusable_schema,
    "verdict": schemas.verdict_schema,
    "diff": schemas.diff_schema,
}


@pytest.mark.parametrize("name", list(ALL))
def test_schema_is_one(name: str) -> None:
    jsonschema.Draft202012Validator.check_schema(ALL[name]())


def test_literals_are_the_enumerations() -> None:
    definitions = schemas.task_schema()["$defs"]
    assert set(definitions["ScopeObject"]["properties"]["allow"]["items"]["enum"]) == {str(item) for item in Allow}
    assert set(schemas.verifier_schema()["properties"]["aggregate"]["enum"]) == {str(item) for item in Aggregate}
    assert set(typing.get_args(schemas.Level)) == {"L1", "L2", "L3", "L4"}


@pytest.mark.parametrize("bundle", sorted(path.name for path in (ROOT / "bundles").iterdir() if path.is_dir()))
def test_shipped_bundle_fits_the_published_schemas(bundle: str) -> None:
    import tomllib

    folder = ROOT / "bundles" / bundle
    jsonschema.validate(json.loads((folder / "task_metadata.json").read_text("utf-8")), schemas.task_schema())
    jsonschema.validate(tomllib.loads((folder / "verifier.toml").read_text("utf-8")), schemas.editor_verifier_schema())


def test_editors_are_told_of_a_wrong_parameter() -> None:
    verifier = {"schema": "docops.verifier/1", "criteria": [{"id": "a", "predicate": "anchor.contains", "at": "a.docx", "text": 3}]}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(verifier, schemas.editor_verifier_schema())
    verifier["criteria"] = [{"id": "a", "predicate": "anchor.contains", "at": "a.docx", "txt": "x"}]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(verifier, schemas.editor_verifier_schema())
