"""Loading task bundles: what is read, and every problem of a broken one, with its place."""

from __future__ import annotations

import copy
import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from docops.bundle import load_bundle
from docops.core.codes import Aspect
from docops.core.compare import ALLOW_ALL, Allow
from docops.verifier import Aggregate
from tests.support.bundles import METADATA, VERIFIER, problems_of, write_bundle
from tests.support.examples import toml


def changed(**changes: Any) -> dict[str, Any]:
    """The metadata with some keys replaced; None takes a key out."""
    out = {**copy.deepcopy(METADATA), **changes}
    return {key: value for key, value in out.items() if value is not None}


def with_artifact(**changes: Any) -> dict[str, Any]:
    """The metadata with the first artifact changed."""
    out = copy.deepcopy(METADATA)
    out["artifacts"][0].update(changes)
    return out


def test_everything_is_read(tmp_path: Path) -> None:
    bundle = load_bundle(write_bundle(tmp_path))
    assert (bundle.task_id, bundle.level, bundle.operations) == ("two-documents", "L4", ("C4", "C2"))
    assert bundle.instruction == "Put a total into the book.\n"
    book = bundle.artifact("book.xlsx")
    assert (book.format, book.source, book.reference, book.read_only) == ("xlsx", "source/book.xlsx", "reference/book.xlsx", False)
    assert [(str(entry.at), entry.allow) for entry in book.scope] == [("book.xlsx#sheet[Summary]/cell[B6]", ALLOW_ALL)]
    assert bundle.artifact("report.docx").scope == ()
    assert bundle.artifact("report.docx").preserve.profile == "native"
    assert not bundle.forbid_extra_files


def test_only_what_is_needed_must_be_there(tmp_path: Path) -> None:
    least = {key: METADATA[key] for key in ("schema", "task_id", "instruction", "level", "operations", "artifacts", "verifier")}
    assert load_bundle(write_bundle(tmp_path, least)).required_operations == ()


def test_scope_and_preservation_are_read(tmp_path: Path) -> None:
    metadata = changed(
        edit_scope={"book.xlsx": [{"at": "sheet[A]", "allow": ["add", "move"]}, "book.xlsx#sheet[B]", "book.xlsx"]},
        preserve={"book.xlsx": {"profile": "content", "except": ["format", "sheet[C]/**"]}},
        extra_files="forbid",
    )
    bundle = load_bundle(write_bundle(tmp_path, metadata))
    book = bundle.artifact("book.xlsx")
    assert [entry.at.path for entry in book.scope] == ["sheet[A]", "sheet[B]", ""]
    assert book.scope[0].allow == {Allow.ADD, Allow.MOVE}
    assert (book.preserve.profile, book.preserve.except_aspects) == ("content", frozenset({Aspect.FORMAT}))
    assert [place.path for place in book.preserve.except_places] == ["sheet[C]/**"]
    assert bundle.forbid_extra_files


def test_digest_follows_every_file(tmp_path: Path) -> None:
    root = write_bundle(tmp_path)
    digests = {load_bundle(root).digest}
    for name in ("source/book.xlsx", "reference/book.xlsx", "instruction.md", "verifier.toml"):
        path = root / name
        path.write_bytes(path.read_bytes() + b"\n")
        digests.add(load_bundle(root).digest)
    (root / "task_metadata.json").write_text(json.dumps(changed(title="Another title")))
    digests.add(load_bundle(root).digest)
    assert len(digests) == 6
    (root / "unrelated.txt").write_text("not named by the bundle")
    assert load_bundle(root).digest in digests


def test_byte_order_mark_is_no_problem(tmp_path: Path) -> None:
    mark = b"\xef\xbb\xbf"
    assert problems_of(write_bundle(tmp_path, mark + json.dumps(METADATA).encode(), mark + VERIFIER.encode())) == []


@pytest.mark.parametrize(
    ("metadata", "problem"),
    [
        (changed(schema="docops.task/2"), '$.schema: "docops.task/2" is not legal here'),
        (changed(task_id=None), "$.task_id: is missing"),
        (changed(task_id="a b"), '$.task_id: "a b" does not match'),
        (changed(task_id="a\n"), "$.task_id:"),
        (changed(level="L5"), '$.level: "L5" is not legal here; legal: "L1", "L2", "L3", "L4"'),
        (changed(level=1), "$.level: 1 is not legal here"),
        (changed(operations=[]), "$.operations: the list is empty"),
        (changed(operations=["C9"]), '$.operations[0]: "C9" is not legal here'),
        (changed(operations=["C1", "C1"]), '$.operations[1]: "C1" is there twice'),
        (changed(language="english please"), "$.language:"),
        (changed(title=7), "$.title: expected text, found 7 (a whole number)"),
        (changed(titel="x"), '$.titel: unknown key; did you mean "title"?'),
        (changed(artifacts=[]), "$.artifacts: the list is empty"),
        (changed(artifacts="book.xlsx"), '$.artifacts: expected a list, found "book.xlsx" (text)'),
        (changed(artifacts=[7]), "$.artifacts[0]: expected a table, found 7"),
        (with_artifact(source="source/gone.xlsx"), "$.artifacts[0].source: 'source/gone.xlsx' does not exist"),
        (with_artifact(source="source"), "$.artifacts[0].source: 'source' is not a regular file"),
        (with_artifact(source="../book.xlsx"), "$.artifacts[0].source: '../book.xlsx' leaves the folder"),
        (with_artifact(source="/etc/passwd"), "$.artifacts[0].source: '/etc/passwd' is not relative"),
        (with_artifact(source="C:/book.xlsx"), "$.artifacts[0].source: 'C:/book.xlsx' is not relative"),
        (with_artifact(source="source\\book.xlsx"), "$.artifacts[0].source: 'source\\\\book.xlsx' holds a backslash"),
        (with_artifact(source="source/\x00book.xlsx"), "$.artifacts[0].source: 'source/\\x00book.xlsx' holds a control character"),
        (with_artifact(source="source//book.xlsx"), "has an empty or '.' step"),
        (with_artifact(source=""), "$.artifacts[0].source: the text is empty"),
        (with_artifact(source=None), "$.artifacts[0].source: expected text, found null"),
        (with_artifact(source="source/report.docx"), '"source/report.docx" is docx, and "book.xlsx" is xlsx'),
        (with_artifact(output="../book.xlsx"), "$.artifacts[0].output: '../book.xlsx' leaves the folder"),
        (with_artifact(output="a#b.xlsx"), "holds '#'"),
        (with_artifact(output="REPORT.docx"), "is the output of $.artifacts[0] already"),
        (with_artifact(read_only="yes"), '$.artifacts[0].read_only: expected true or false, found "yes" (text)'),
        (with_artifact(read_only=True), '$.edit_scope["book.xlsx"]: the artifact is read-only'),
        (with_artifact(role="x"), "$.artifacts[0].role: unknown key; known: output, read_only, reference, source"),
        (changed(instruction="gone.md"), "$.instruction: 'gone.md' does not exist"),
        (changed(verifier="gone.toml"), "$.verifier: 'gone.toml' does not exist"),
        (changed(edit_scope={"bok.xlsx": []}), '$.edit_scope["bok.xlsx"]: "bok.xlsx" is no output of an artifact; did you mean "book.xlsx"?'),
        (changed(edit_scope={"book.xlsx": ["sheet[A"]}), '$.edit_scope["book.xlsx"][0]: address'),
        (changed(edit_scope={"book.xlsx": [""]}), '$.edit_scope["book.xlsx"][0]: the text is empty'),
        (changed(edit_scope={"book.xlsx": ["slide[2]"]}), 'xlsx has no kind "slide"'),
        (changed(edit_scope={"book.xlsx": ["shet[A]"]}), 'xlsx has no kind "shet"; did you mean "sheet"?'),
        (changed(edit_scope={"book.xlsx": ["report.docx#body"]}), 'is a place of "report.docx", not of "book.xlsx"'),
        (
            changed(edit_scope={"book.xlsx": [{"at": "sheet[A]", "allow": ["delete"]}]}),
            '$.edit_scope["book.xlsx"][0].allow[0]: "delete" is not legal',
        ),
        (changed(edit_scope={"book.xlsx": [{"at": "sheet[A]"}]}), '$.edit_scope["book.xlsx"][0].allow: is missing'),
        (changed(preserve={"book.xlsx": {"profile": "loose"}}), '$.preserve["book.xlsx"].profile: "loose" is not legal here'),
        (changed(preserve={"book.xlsx": {"except": ["formats"]}}), '"formats" is neither an aspect nor a kind of place; did you mean "format"?'),
        (changed(preserve={"book.xlsx": {"but": []}}), '$.preserve["book.xlsx"].but: unknown key'),
        (changed(extra_files="maybe"), '$.extra_files: "maybe" is not legal here'),
    ],
)
def test_problem_is_reported_with_its_place(tmp_path: Path, metadata: dict[str, Any], problem: str) -> None:
    found = problems_of(write_bundle(tmp_path, metadata))
    assert any(problem in line for line in found), found


@pytest.mark.parametrize(
    "name",
    ["nul.xlsx", "aux/a.xlsx", "COM1.x.xlsx", "a?.xlsx", "a:b.xlsx", 'a".xlsx', "a .xlsx/b.xlsx ", " a.xlsx", "a./b.xlsx", "a\u202exslx.xlsx", "a\x85.xlsx", "a" * 256 + ".xlsx", "a/" * 600 + "b.xlsx"],
)
def test_names_that_do_not_mean_the_same_everywhere_are_refused(tmp_path: Path, name: str) -> None:
    found = problems_of(write_bundle(tmp_path, with_artifact(output=name)))
    assert any("$.artifacts[0].output" in line for line in found), found


@pytest.mark.parametrize(("one", "other"), [("\u00e9.xlsx", "e\u0301.xlsx"), ("Book.xlsx", "book.XLSX"), ("a.xlsx", "a.xlsx/b.xlsx"), ("x/y/b.xlsx", "X/Y")])
def test_outputs_that_some_system_cannot_keep_apart_are_refused(tmp_path: Path, one: str, other: str) -> None:
    metadata = changed(artifacts=[{"output": one}, {"output": other}], edit_scope=None, preserve=None)
    found = problems_of(write_bundle(tmp_path, metadata))
    assert any("$.artifacts[1].output" in line for line in found), found


def asking(predicate: str, at: str, rest: str = "") -> str:
    return f'schema = "docops.verifier/1"\n[[criteria]]\nid = "a.b"\npredicate = "{predicate}"\nat = "{at}"\n{rest}\n'


@pytest.mark.parametrize(
    ("verifier", "problem"),
    [
        (asking("xlsx.cell", "book.xlsx#sheet[A]/cell[A0]", "equals = 1"), "a cell is named by its reference"),
        (asking("xlsx.cell", "book.xlsx#sheet[A]/cell[3]", "equals = 1"), "a cell is named by its reference"),
        (asking("xlsx.cell", "book.xlsx#sheet[0]/cell[A1]", "equals = 1"), "numbers begin at 1"),
        (asking("xlsx.cell", "book.xlsx#sheet[A]/cell[A1]", "equals = 1\ntolerance = -1"), "$.criteria[0].tolerance: -1 is less than 0"),
        (asking("xlsx.sheet", "book.xlsx#sheet[A]", "position = 0"), "$.criteria[0].position: 0 is not above 0"),
        (asking("anchor.contains", "report.docx", 'text = "a"\nat_least = 0'), "$.criteria[0].at_least: 0 is not above 0"),
        (asking("anchor.matches", "report.docx", 'pattern = ""'), "an empty pattern matches everything"),
        (asking("preservation.unchanged", "report.docx", 'aspects = ["formulas"]'), '$.criteria[0].aspects[0]: "formulas" is not legal here'),
        (asking("agree.text", "report.docx", 'origin = "book.xlsx#shet[A]"'), '$.criteria[0].origin: "book.xlsx#shet[A]": xlsx has no kind "shet"'),
        (asking("report.cites", "report.docx", 'sources = { "[1]" = "", "[2]" = "bok.xlsx" }'), 'did you mean "book.xlsx"?'),
        (asking("report.consistent", "report.docx", 'label = "x"\nothers = ["gone.docx#body"]'), "$.criteria[0].others[0]"),
        (asking("file.exists", "report.docx", '[groups."a.x"]\n[groups.a]\n[groups.a.x]').replace("a.b", "a.x.c"), 'the group "a.x" is there twice'),
        (asking("file.exists", "report.docx").replace("a.b", "extra-files"), "is the id of what docops asks"),
        (asking("xlsx.nothing-like-it", "book.xlsx"), "`docops predicates` lists them"),
    ],
)
def test_what_no_criterion_can_mean_is_a_problem(tmp_path: Path, verifier: str, problem: str) -> None:
    found = problems_of(write_bundle(tmp_path, verifier=verifier))
    assert any(problem in line for line in found), found


def test_all_problems_are_reported_together_and_sorted(tmp_path: Path) -> None:
    metadata = changed(level="L9", edit_scope={"book.xlsx": ["slide[1]"]})
    metadata["artifacts"][0]["source"] = "gone.xlsx"
    verifier = VERIFIER.replace("anchor.contains", "anchor.contain").replace("critical = true", "critical = 1")
    found = problems_of(write_bundle(tmp_path, metadata, verifier))
    assert len(found) == 5, found
    assert found == sorted(found)
    assert {line.partition(":")[0] for line in found} == {"task_metadata.json", "verifier.toml"}


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "is not JSON"),
        (b"{", "is not JSON"),
        (b"[]", "expected a table, found an empty list"),
        (b"\xff\xfe", "is not UTF-8 (byte 0)"),
        (b'{"schema": NaN}', "NaN is no number"),
        (b'{"title": 1e999}', "$.title: inf is not a finite number"),
        (b'{"a": 1, "a": 2}', 'the key "a" is there twice'),
        (b'{"title": "\\ud800"}', "half of a surrogate pair"),
        (b'{"a":' * 100 + b"1" + b"}" * 100, "is nested deeper"),
        (b"[" * 100_000, "task_metadata.json: $:"),
        (b'{"title": ' + b"9" * 5000 + b"}", "task_metadata.json: $"),
        (b" " * (4 * 1024 * 1024 + 1), "is larger than"),
    ],
)
def test_broken_json_is_one_problem(tmp_path: Path, content: bytes, problem: str) -> None:
    found = problems_of(write_bundle(tmp_path, content))
    assert any(problem in line for line in found), found


def test_missing_bundle_is_a_problem(tmp_path: Path) -> None:
    assert problems_of(tmp_path / "gone") == ["task_metadata.json: $: there is no such bundle folder"]
    assert problems_of(tmp_path) == ["task_metadata.json: $: 'task_metadata.json' does not exist"]


def test_links_out_of_the_bundle_are_refused(tmp_path: Path) -> None:
    outside = tmp_path / "outside.xlsx"
    outside.write_bytes(b"x")
    root = write_bundle(tmp_path / "bundle")
    (root / "source/book.xlsx").unlink()
    (root / "source/book.xlsx").symlink_to(outside)
    assert any("leaves the folder through a link" in line for line in problems_of(root))
    (root / "source/book.xlsx").unlink()
    (root / "source/book.xlsx").symlink_to(root / "reference/book.xlsx")
    assert problems_of(root) == []
    (root / "verifier.toml").unlink()
    (root / "verifier.toml").symlink_to("verifier.toml")
    assert any("$.verifier" in line for line in problems_of(root))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this system")
def test_pipes_are_not_waited_for(tmp_path: Path) -> None:
    root = write_bundle(tmp_path)
    (root / "instruction.md").unlink()
    os.mkfifo(root / "instruction.md")
    assert any("is not a regular file" in line for line in problems_of(root))


def test_files_of_other_types_may_be_artifacts_without_places(tmp_path: Path) -> None:
    metadata = changed(edit_scope={"data.csv": ["row[1]"]})
    metadata["artifacts"].append({"output": "data.csv", "source": "instruction.md"})
    found = problems_of(write_bundle(tmp_path, metadata))
    assert len(found) == 1
    assert "docops opens no files of this type" in found[0]
    del metadata["edit_scope"]
    assert load_bundle(write_bundle(tmp_path, metadata)).artifact("data.csv").format == ""


def test_the_error_names_no_folder_of_the_machine(tmp_path: Path) -> None:
    assert not any(str(tmp_path) in line for line in problems_of(write_bundle(tmp_path, with_artifact(source="gone.xlsx"))))


# Verifiers


def criterion(text: str) -> str:
    return f'schema = "docops.verifier/1"\n[[criteria]]\nid = "a"\n{text}\n'


def test_tree_is_read(tmp_path: Path) -> None:
    verifier = """\
schema = "docops.verifier/1"
aggregate = "weighted"
[groups.one]
title = "One"
weight = 2
[groups.one.two]
title = "Two"
critical = true
[groups."three"]
[[criteria]]
id = "one.two.a"
predicate = "anchor.absent"
at = "report.docx"
text = "draft"
weight = 3
critical = true
title = "No draft"
reason = "it is final"
source = "instruction, line 1"
[[criteria]]
id = "three.deep.b"
predicate = "file.exists"
at = "notes/minutes.txt"
"""
    spec = load_bundle(write_bundle(tmp_path, verifier=verifier)).verifier
    assert spec.aggregate is Aggregate.WEIGHTED
    assert [(group.id, group.title, group.critical, group.weight, group.declared) for group in spec.groups] == [
        ("one", "One", False, 2.0, True),
        ("one.two", "Two", True, 1.0, True),
        ("three", "", False, 1.0, True),
        ("three.deep", "", False, 1.0, False),
    ]
    first, second = spec.criteria
    assert (first.id, first.predicate.name, first.arguments, first.artifact) == (
        "one.two.a",
        "anchor.absent",
        {"at": "report.docx", "text": "draft"},
        "report.docx",
    )
    assert (first.weight, first.critical, first.title, first.reason, first.source) == (3.0, True, "No draft", "it is final", "instruction, line 1")
    assert second.arguments == {"at": "notes/minutes.txt"}


def test_artifact_may_be_left_out_where_there_is_one(tmp_path: Path) -> None:
    metadata = changed(artifacts=METADATA["artifacts"][:1])
    verifier = criterion('predicate = "anchor.absent"\nat = "sheet[A]"\ntext = "x"')
    assert load_bundle(write_bundle(tmp_path, metadata, verifier)).verifier.criteria[0].arguments["at"] == "book.xlsx#sheet[A]"
    assert any("names no artifact, and there are 2" in line for line in problems_of(write_bundle(tmp_path, verifier=verifier)))


def test_dates_are_iso_text(tmp_path: Path) -> None:
    verifier = criterion('predicate = "xlsx.cell"\nat = "book.xlsx#sheet[A]/cell[B2]"\nequals = 2026-03-01')
    assert load_bundle(write_bundle(tmp_path, verifier=verifier)).verifier.criteria[0].arguments["equals"] == "2026-03-01"


def test_parameter_names_reserved_by_python_reach_the_function(tmp_path: Path) -> None:
    verifier = criterion('predicate = "preservation.unchanged"\nat = "book.xlsx"\nexcept = ["format", "sheet[A]"]')
    assert load_bundle(write_bundle(tmp_path, verifier=verifier)).verifier.criteria[0].arguments["except_"] == ["format", "book.xlsx#sheet[A]"]


@pytest.mark.parametrize(
    ("verifier", "problem"),
    [
        ("", "$.schema: is missing"),
        ('schema = "docops.verifier/1"', "names no predicate"),
        ("schema = ", "is not TOML"),
        ("a = 1\na = 2", "is not TOML"),
        (b"\xff", "is not UTF-8"),
        ("x = " + "[" * 5000, "verifier.toml: $:"),
        (VERIFIER.replace('"all"', '"most"'), '$.aggregate: "most" is not legal here'),
        (VERIFIER + "\n[extra]\n", "$.extra: unknown key"),
        (criterion('predicate = "anchor.contain"'), "there is no predicate 'anchor.contain'; did you mean 'anchor.contains'?"),
        (criterion('predicate = "nothing.like-it"'), "there is no predicate 'nothing.like-it'"),
        (criterion("predicate = 3"), "$.criteria[0].predicate: expected text, found 3"),
        (criterion(""), "$.criteria[0].predicate: is missing"),
        (criterion('predicate = "anchor.contains"\nat = "book.xlsx"\ntext = 3'), "$.criteria[0].text: expected text, found 3"),
        (
            criterion('predicate = "anchor.contains"\nat = "book.xlsx"\ntext = "a"\nvisible = "no"'),
            "$.criteria[0].visible: expected true or false, found",
        ),
        (
            criterion('predicate = "anchor.contains"\nat = "book.xlsx"\ntext = "a"\ncount = true'),
            "$.criteria[0].count: expected whole number, found true",
        ),
        (
            criterion('predicate = "anchor.contains"\nat = "book.xlsx"\ntext = "a"\ncount = 1.5'),
            "$.criteria[0].count: expected whole number, found 1.5",
        ),
        (criterion('predicate = "anchor.contains"\nat = "book.xlsx"\ntexts = ["a", 3]'), "$.criteria[0].texts[1]: expected text, found 3"),
        (criterion('predicate = "anchor.contains"\nat = "book.xlsx"\ntexts = "a"'), "$.criteria[0].texts: expected list of text"),
        (criterion('predicate = "anchor.contains"\nat = "book.xlsx"\ntext = "a"\ncounts = 1'), 'no parameter "counts"; did you mean "count"?'),
        (criterion('predicate = "anchor.contains"\ntext = "a"'), "$.criteria[0].at: is missing (text)"),
        (criterion('predicate = "anchor.contains"\nat = "book.xlsx"'), "give `text` or `texts`"),
        (criterion('predicate = "anchor.matches"\nat = "book.xlsx"\npattern = "("'), "$.criteria[0]: anchor.matches:"),
        (criterion('predicate = "anchor.absent"\nat = "bok.xlsx"\ntext = "a"'), "$.criteria[0].at:"),
        (criterion('predicate = "anchor.absent"\nat = "other.xlsx#sheet[A]"\ntext = "a"'), '"other.xlsx" is no output of an artifact'),
        (criterion('predicate = "anchor.absent"\nat = "book.xlsx#page[1]"\ntext = "a"'), 'xlsx has no kind "page"'),
        (criterion('predicate = "anchor.absent"\nat = "book.xlsx#sheet[\'"\ntext = "a"'), "'[' is not closed"),
        (criterion('predicate = "xlsx.cell"\nat = "report.docx#body"\nequals = 1'), "xlsx.cell looks at xlsx, and report.docx is docx"),
        (criterion('predicate = "file.exists"\nat = "../secret"'), "'../secret' leaves the folder"),
        (
            criterion('predicate = "xlsx.formula"\nat = "book.xlsx#sheet[A]/cell[B2]"\ndepends_on = ["slide[1]"]'),
            '$.criteria[0].depends_on[0]: "slide[1]": xlsx has no kind',
        ),
        (
            criterion('predicate = "report.value_agrees"\nat = "report.docx"\norigin = "bok.xlsx#sheet[A]/cell[B2]"'),
            '$.criteria[0].origin: "bok.xlsx" is no output of an artifact; did you mean "book.xlsx"?',
        ),
        (criterion('predicate = "agree.table"\nat = "report.docx"\norigin = "book.xlsx#page[1]"'), '$.criteria[0].origin: "book.xlsx#page[1]": xlsx has no kind'),
        (criterion('predicate = "report.consistent"\nat = "report.docx"\nlabel = "x"\nothers = ["deck.pptx"]'), "$.criteria[0].others[0]:"),
        (criterion('predicate = "report.no_unsupported_numbers"\nat = "report.docx"\nsources = ["book.xlsx", "a.pdf"]'), "$.criteria[0].sources[1]:"),
        (
            criterion('predicate = "report.cites"\nat = "report.docx"\nsources = { "[1]" = "book.xlsx", "[2]" = "", "[3]" = "gone.docx" }'),
            '$.criteria[0].sources["[3]"]:',
        ),
        (criterion('predicate = "agree.chart"\nat = "report.docx"\norigin = "book.xlsx"\ncategories = "book.xlsx#shet[A]"'), "$.criteria[0].categories:"),
        (criterion('predicate = "agree.ranking"\nat = "report.docx"\nnames = "x.xlsx#sheet[A]"\nvalues = "book.xlsx"'), "$.criteria[0].names:"),
        (criterion('predicate = "report.value_agrees"\nat = "report.docx"\norigin = "gone.docx"'), '"gone.docx" is no output of an artifact'),
        (criterion('predicate = "report.cites"\nat = "report.docx"\nclaim = "("\nsources = { "[1]" = "" }'), "is not a pattern of RE2"),
        (criterion('predicate = "report.no_unsupported_numbers"\nat = "report.docx"\nsources = []'), "`sources` names none"),
        (criterion('predicate = "anchor.quantity"\nat = "report.docx"\nvalue = "90 days"\ndays_per_month = 0'), "days_per_month = 0: must be 1 or more"),
        (criterion('predicate = "anchor.label_value"\nat = "report.docx"\nvalue = "90 days"\nlabel = " "'), "a label that is blank names nothing"),
        (criterion('predicate = "report.value_agrees"\nat = "report.docx"\norigin = "book.xlsx"\nfactor = 0'), "factor = 0"),
        (criterion('predicate = "report.forbids"\nat = "report.docx"\nphrases = [""]'), "a phrase that is blank holds no wording"),
        (criterion('predicate = "report.readability"\nat = "report.docx"\nmin_words = 5\nmax_words = 2'), "min_words is above max_words"),
        (criterion('predicate = "report.language"\nat = "report.docx"\nlanguage = "en"\nshare = 5'), "share = 5: must be from 0 to 1"),
        (criterion('predicate = "agree.ranking"\nat = "report.docx"\nnames = "book.xlsx"\nvalues = "book.xlsx"\ntop = 0'), "top = 0: must be 1 or more"),
        (criterion('predicate = "judge"\nat = "report.docx"\nquestion = "Is it?"\nmaterial = ["gone.xlsx#sheet[A]"]'), "$.criteria[0].material[0]:"),
        (criterion('predicate = "file.exists"\nat = "a"\nweight = 0'), "$.criteria[0].weight: 0 is not greater than 0"),
        (criterion('predicate = "file.exists"\nat = "a"\nweight = inf'), "inf is not a finite number"),
        (criterion('predicate = "file.exists"\nat = "a"\ncritical = 1'), "$.criteria[0].critical: expected true or false"),
        (criterion('predicate = "file.exists"\nat = "a"').replace('id = "a"', 'id = "a..b"'), '$.criteria[0].id: "a..b" does not match'),
        ('schema = "docops.verifier/1"\n[[use]]\nid = ["a"]\nverifier = 3', "$.use[0].id: expected text, found a list"),
        (VERIFIER + VERIFIER.partition("critical = true")[2], "is the id of $.criteria[0].id already"),
        (VERIFIER.replace("words.total", "words"), '"words" is a group'),
        (VERIFIER + VERIFIER.partition("critical = true")[2].replace("words.total", "words.total.more"), '"words.total" is a group'),
        (VERIFIER.replace("groups.words", "groups.wrds"), "$.groups.wrds: the group has no criterion"),
        (VERIFIER.replace("critical = true", "critical = true\nimportant = 1"), "$.groups.words.important: expected a table, found 1"),
        (VERIFIER.replace("groups.words", 'groups."wo rds"'), '"wo rds" is no id'),
        ('schema = "docops.verifier/1"\nuse = [3]', "$.use[0]: expected a table"),
        ('schema = "docops.verifier/1"\n[[use]]\nid = "a"\nverifier = "docx/nothing"', "there is no reusable verifier 'docx/nothing'"),
        ('schema = "docops.verifier/1"\n[[use]]\nid = "a"\nverifier = "xlsx/no-errors"', "$.use[0].with.artifact: is missing"),
        (
            'schema = "docops.verifier/1"\n[[use]]\nid = "a"\nverifier = "xlsx/no-errors"\nwith = { artifact = "x.xlsx" }',
            '"x.xlsx" is no output of an artifact',
        ),
        ('schema = "docops.verifier/1"\n[[use]]\nid = "a"\nverifier = "xlsx/no-errors"\nwith = { artifact = "report.docx" }', "report.docx is docx"),
        (
            'schema = "docops.verifier/1"\n[[use]]\nid = "a"\nverifier = "xlsx/no-errors"\nwith = { artefact = "book.xlsx" }',
            'did you mean "artifact"?',
        ),
    ],
)
def test_problem_of_a_verifier_is_reported_with_its_place(tmp_path: Path, verifier: str | bytes, problem: str) -> None:
    found = problems_of(write_bundle(tmp_path, verifier=verifier))
    assert any(problem in line for line in found), found


def test_a_place_without_its_artifact_is_in_that_of_the_criterion(tmp_path: Path) -> None:
    with_origin = criterion('predicate = "report.value_agrees"\nat = "report.docx#body"\norigin = "body/table[1]"')
    assert load_bundle(write_bundle(tmp_path, verifier=with_origin)).verifier.criteria[0].arguments["origin"] == "report.docx#body/table[1]"
    cited = criterion('predicate = "report.cites"\nat = "report.docx"\nsources = { "[1]" = "book.xlsx", "[2]" = "" }')
    assert load_bundle(write_bundle(tmp_path, verifier=cited)).verifier.criteria[0].arguments["sources"] == {"[1]": "book.xlsx", "[2]": ""}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@st.composite
def broken(draw: st.DrawFn, original: Any) -> Any:
    """A value with something in it replaced by anything, at any depth."""
    value = copy.deepcopy(original)
    for _ in range(draw(st.integers(1, 3))):
        where: Any = value
        while True:
            key = draw(st.sampled_from(sorted(where) if isinstance(where, dict) else list(range(len(where)))))
            if isinstance(where[key], (dict, list)) and where[key] and draw(st.booleans()):
                where = where[key]
                continue
            where[key] = draw(JSON)
            break
    return value


FEW = settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@FEW
@given(broken(METADATA))
def test_whatever_the_metadata_holds_it_loads_or_has_problems(tmp_path: Path, metadata: Any) -> None:
    assert all("\n" not in problem for problem in problems_of(write_bundle(tmp_path, json.dumps(metadata))))


RICH_VERIFIER: dict[str, Any] = {
    "schema": "docops.verifier/1",
    "aggregate": "weighted",
    "groups": {"a": {"title": "A", "critical": True, "weight": 2, "b": {"title": "B"}}},
    "criteria": [
        {"id": "a.b.c", "predicate": "anchor.contains", "at": "book.xlsx#sheet[A]", "text": "x", "count": 2, "title": "t", "weight": 2},
        {"id": "d", "predicate": "preservation.unchanged", "at": "report.docx#body", "aspects": ["text"], "except": ["format", "body/table[1]"]},
        {"id": "e", "predicate": "xlsx.formula", "at": "book.xlsx#sheet[A]/cell[B2]", "equals": 3, "depends_on": ["sheet[A]/cell[A1:A3]"]},
    ],
    "use": [{"id": "f", "verifier": "xlsx/no-errors", "with": {"artifact": "book.xlsx"}, "critical": True}],
}


@FEW
@given(broken(RICH_VERIFIER))
def test_whatever_the_verifier_holds_it_loads_or_has_problems(tmp_path: Path, verifier: Any) -> None:
    text = "\n".join(f"{json.dumps(key)} = {toml(value)}" for key, value in verifier.items())
    assert all("\n" not in problem for problem in problems_of(write_bundle(tmp_path, verifier=text)))


def test_a_rich_verifier_is_valid(tmp_path: Path) -> None:
    text = "\n".join(f"{json.dumps(key)} = {toml(value)}" for key, value in RICH_VERIFIER.items())
    assert problems_of(write_bundle(tmp_path, verifier=text)) == []


def test_names_of_artifacts_may_hold_brackets_and_spaces(tmp_path: Path) -> None:
    metadata = json.loads(json.dumps(METADATA).replace("book.xlsx", "book [v2].xlsx"))
    root = write_bundle(tmp_path, metadata, VERIFIER.replace("book.xlsx", "book [v2].xlsx"))
    for folder in ("source", "reference"):
        (root / folder / "book.xlsx").rename(root / folder / "book [v2].xlsx")
    assert load_bundle(root).verifier.criteria[0].artifact == "book [v2].xlsx"
