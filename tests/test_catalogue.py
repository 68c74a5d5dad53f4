"""The catalogue: where it is found, what its files may hold, and that every reusable verifier does what its examples say."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from docops import catalogue
from docops.core.codes import Outcome
from docops.core.errors import BundleError, UsageError
from tests.support.examples import run_reusable

NAMES = catalogue.reusable_names()
CASES = [(name, index) for name in NAMES for index in range(len(catalogue.reusable(name).examples))]
TEMPLATE = """\
schema = "docops.reusable/1"
name = "docx/words"
title = "Words"
formats = ["docx"]
doc = "Words are there."
[parameters.artifact]
type = "artifact"
doc = "the document"
[parameters.words]
type = "list of text"
default = ["a"]
doc = "the words"
[parameters.note]
type = "text"
optional = true
doc = "a note"
[[criteria]]
id = "words"
predicate = "anchor.contains"
at = "{artifact}"
texts = "{words}"
reason = "so that {note}"
[[examples]]
title = "there"
files = { "a.docx" = "examples/filled.docx" }
with = { artifact = "a.docx" }
passes = true
[[examples]]
title = "not there"
files = { "a.docx" = "examples/filled.docx" }
with = { artifact = "a.docx", words = ["b"] }
passes = false
"""


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty catalogue folder in place of the real one."""
    root = tmp_path / "verifiers"
    (root / "docx").mkdir(parents=True)
    monkeypatch.setattr(catalogue, "folder", lambda name: tmp_path / name)
    catalogue.reusable.cache_clear()
    yield root
    catalogue.reusable.cache_clear()


def problems(shelf: Path, text: str) -> list[str]:
    (shelf / "docx/words.toml").write_text(text, encoding="utf-8")
    catalogue.reusable.cache_clear()
    try:
        catalogue.reusable("docx/words")
    except BundleError as error:
        return [str(problem) for problem in error.problems]
    return []


@pytest.mark.parametrize(("name", "index"), CASES)
def test_example_of_a_reusable_verifier_does_what_it_says(name: str, index: int, tmp_path: Path) -> None:
    example = catalogue.reusable(name).examples[index]
    root = catalogue.folder("verifiers")
    files, sources = ({key: (root / path).read_bytes() for key, path in given.items()} for given in (example.files, example.sources))
    results = run_reusable(name, example.arguments, files, sources, tmp_path)
    told = [(result.id, str(result.outcome), result.message) for result in results]
    assert results
    if example.passes:
        assert {result.outcome for result in results} == {Outcome.PASSED}, told
    else:
        assert Outcome.FAILED in {result.outcome for result in results}, told
        assert Outcome.ERROR not in {result.outcome for result in results}, told
        codes = {str(finding.code) for result in results for finding in result.findings}
        assert not example.finding or example.finding in codes, told


def test_the_first_ten_are_there() -> None:
    assert len(NAMES) >= 10


def test_template_is_filled(shelf: Path) -> None:
    assert problems(shelf, TEMPLATE) == []
    template = catalogue.reusable("docx/words")
    assert catalogue.fill(template, {"artifact": "x.docx"}) == [
        {"id": "words", "predicate": "anchor.contains", "at": "x.docx", "texts": ["a"]},
    ]
    assert catalogue.fill(template, {"artifact": "x.docx", "note": "all see", "words": ["b", "c"]}) == [
        {"id": "words", "predicate": "anchor.contains", "at": "x.docx", "texts": ["b", "c"], "reason": "so that all see"},
    ]


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("docops.reusable/1", "docops.reusable/2", "$.schema"),
        ('name = "docx/words"', 'name = "docx/word"', '$.name: "docx/word" is not the file\'s name'),
        ('title = "Words"', "", "$.title: is missing"),
        ("{words}", "{wrds}", '{wrds} is no parameter; did you mean "words"?'),
        ('reason = "so that {note}"', "", "$.parameters.note: no criterion uses it"),
        ('default = ["a"]', 'default = "a"', '$.parameters.words.default: expected a list, found "a"'),
        ('"list of text"', '"list"', '$.parameters.words.type: "list" is not legal here'),
        ("passes = false", "passes = true", "$.examples: one must pass and one must fail"),
        ("schema =", "schema", "is not TOML"),
    ],
)
def test_problem_of_a_template_is_reported(shelf: Path, old: str, new: str, problem: str) -> None:
    found = problems(shelf, TEMPLATE.replace(old, new, 1))
    assert any(problem in line for line in found), found
    assert all(line.startswith("verifiers/docx/words.toml: ") for line in found)


def test_unknown_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(UsageError, match="did you mean 'docx/native-table'"):
        catalogue.reusable("docx/nativ-table")


def test_no_path_is_taken_for_a_name() -> None:
    for name in ("../verifiers/docx/native-table", "docx/native-table.toml", "/docx/native-table"):
        with pytest.raises(UsageError):
            catalogue.reusable(name)


def test_neighbours_of_an_installed_package_are_not_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "site-packages" / "docops"
    package.mkdir(parents=True)
    monkeypatch.setattr(catalogue, "__file__", str(package / "catalogue.py"))
    theirs = package.parent / "verifiers"
    theirs.mkdir()
    with pytest.raises(catalogue.CatalogueMissing):
        catalogue.folder("verifiers")
    (package.parent / "pyproject.toml").write_text('[project]\nname = "verifiers"\n')
    with pytest.raises(catalogue.CatalogueMissing):
        catalogue.folder("verifiers")
    (package.parent / "pyproject.toml").write_text('[project]\nname = "docops-verifier"\n')
    assert catalogue.folder("verifiers") == theirs
    (package / "_catalogue" / "verifiers").mkdir(parents=True)
    assert catalogue.folder("verifiers") == package / "_catalogue" / "verifiers"


def test_every_shipped_bundle_is_found() -> None:
    assert len(catalogue.bundle_folders()) >= 9
