"""The pages are true: generated ones are fresh, lists are complete, links lead somewhere, examples are valid."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

from docops.core.codes import CONTENT_ASPECTS, Aspect, ExitCode, FindingCode, Outcome
from docops.schemas import cost_schema, guard_schema, task_schema, verifier_schema
from docops.shape import check_shape
from tools.generate import pages

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = [*sorted(DOCS.rglob("*.md")), *sorted(ROOT.glob("*.md"))]


@pytest.mark.parametrize(("name", "content"), sorted(pages().items()))
def test_generated_page_is_fresh(name: str, content: str) -> None:
    assert (DOCS / name).read_text(encoding="utf-8") == content, "run: python -m tools.generate"


def first_cells(page: Path) -> set[str]:
    return set(re.findall(r"^\| `?([a-z_0-9]+)`? \|", page.read_text("utf-8"), re.MULTILINE))


def test_every_code_and_outcome_is_described() -> None:
    told = first_cells(DOCS / "findings.md")
    assert {str(code) for code in FindingCode} <= told
    assert {str(outcome) for outcome in Outcome} <= told
    assert {str(int(code)) for code in ExitCode} <= told


def test_every_aspect_is_described() -> None:
    rows = dict(re.findall(r"^\| `([a-z]+)` \|.*\| (yes|no) \|$", (DOCS / "facts.md").read_text("utf-8"), re.MULTILINE))
    assert rows == {str(aspect): "yes" if aspect in CONTENT_ASPECTS else "no" for aspect in Aspect}


def test_every_dependency_has_a_reason() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    page = (DOCS / "dependencies.md").read_text("utf-8")
    for requirement in [*project["dependencies"], *(item for extra in project["optional-dependencies"].values() for item in extra)]:
        name = re.split(r"[<>=!~\[ ]", requirement)[0]
        assert re.search(rf"\b{re.escape(name)}\b", page), name


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
        if not re.match(r"[a-z]+:", target):
            assert (page.parent / target).exists(), target


def test_the_guides_bundle_is_valid() -> None:
    text = (DOCS / "guide.md").read_text("utf-8")
    metadata = json.loads(re.findall(r"```json\n(.*?)```", text, re.DOTALL)[0])
    assert list(check_shape(task_schema(), metadata)) == []
    for block in re.findall(r"```toml\n(.*?)```", text, re.DOTALL):
        verifier = tomllib.loads(block)
        assert list(check_shape(verifier_schema(), {"schema": "docops.verifier/1", **verifier})) == []


def test_files_in_the_page_on_runs_are_valid() -> None:
    text = (DOCS / "runs.md").read_text("utf-8")
    (guard,) = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    assert list(check_shape(guard_schema(), tomllib.loads(guard))) == []
    (costs,) = re.findall(r"^    (\{.*\})$", text, re.MULTILINE)
    assert list(check_shape(cost_schema(), json.loads(costs))) == []


def test_readme_commands_are_those_of_ci() -> None:
    readme, run = (ROOT / "README.md").read_text("utf-8"), (ROOT / ".ci" / "run").read_text("utf-8")
    assert 'pip install -e ".[dev]" && pytest' in readme
    assert '--editable ".[dev]"' in run
    assert re.search(r"^pytest$", run, re.MULTILINE)


def test_pages_name_no_folder_of_a_machine() -> None:
    for page in PAGES:
        assert not re.search(r"(?<![\w.])/(work|root|opt|home)/", page.read_text("utf-8")), page
