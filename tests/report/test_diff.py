"""Reports of a comparison: every kind of change, and counts where the list is cut."""

from __future__ import annotations

import json

import jsonschema
import pytest

from docops import differences
from docops.core.codes import Aspect
from docops.core.compare import Change, ChangeKind
from docops.core.errors import UsageError
from docops.differences import Diff
from docops.report.text import diff_text, table
from docops.schemas import diff_schema


def change(number: int, kind: ChangeKind = ChangeKind.CHANGED, **more: object) -> Change:
    return Change(f"body/paragraph[{number}]", Aspect.TEXT, "text", kind, f"old {number}", f"new\n{number}", **more)  # type: ignore[arg-type]


def test_every_kind_of_change_is_told() -> None:
    changes = (
        change(1),
        change(2, ChangeKind.ADDED, place=True),
        change(3, ChangeKind.REMOVED, place=True),
        change(4, ChangeKind.MOVED, place=True, other_address="body/paragraph[9]"),
    )
    assert diff_text(Diff("a.docx", "b.docx", changes)) == (
        "4 changes\n"
        "~ body/paragraph[1]  text text\n"
        '    before  "old 1"\n'
        '    after   "new\\n1"\n'
        "+ body/paragraph[2]  added\n"
        '    "new\\n2"\n'
        "- body/paragraph[3]  removed\n"
        '    "old 3"\n'
        "> body/paragraph[4]  moved\n"
        "    to body/paragraph[9]\n"
    )


def test_cut_lists_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    diff = Diff("a.docx", "b.docx", tuple(change(number) for number in range(1, 251)))
    assert diff_text(diff).endswith("… and 50 more changes\n")
    monkeypatch.setattr(differences, "MAX_CHANGES", 100)
    body = diff.to_dict()
    assert (len(body["changes"]), body["changes_total"], body["equal"]) == (100, 250, False)
    jsonschema.validate(body, diff_schema())
    assert json.loads(diff.to_json()) == body


def test_equal_documents_have_no_changes() -> None:
    diff = Diff("a.docx", "a.docx", ())
    assert diff.equal
    assert diff_text(diff) == "equal: the documents mean the same\n"
    jsonschema.validate(diff.to_dict(), diff_schema())


def test_unknown_profile_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="known are native, content"):
        differences.diff_documents(None, None, profile="loose")  # type: ignore[arg-type]


def test_table_aligns_its_columns() -> None:
    assert table([("part", "bytes"), ("a", "1,000")], right=frozenset({1})) == ["part  bytes", "a     1,000"]
    assert table([]) == []
