"""Who imports whom, and what is loaded when: read from the code, and seen in fresh interpreters."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "docops"
NATIVE = frozenset({"openpyxl", "docx", "pptx", "pypdf", "formulas", "ironcalc", "lxml", "msgspec", "re2", "numpy", "PIL"})


def imports(path: Path) -> Iterator[str]:
    """Modules of docops that a file imports, anywhere in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("docops"):
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith("docops"))


def test_core_imports_nothing_else_of_ours() -> None:
    for path in (PACKAGE / "core").glob("*.py"):
        assert all(name.startswith("docops.core") for name in imports(path)), path


@pytest.mark.parametrize("name", ["xlsx", "docx", "pptx", "pdf"])
def test_no_format_imports_another(name: str) -> None:
    others = {"xlsx", "docx", "pptx", "pdf"} - {name}
    for path in (PACKAGE / "formats" / name).rglob("*.py"):
        for module in imports(path):
            assert not any(module.startswith(f"docops.formats.{other}") for other in others), (path, module)


def test_nothing_imports_the_command_line_or_the_adapters() -> None:
    for path in PACKAGE.rglob("*.py"):
        inside = path.relative_to(PACKAGE).parts[0]
        if inside not in ("cli.py", "__main__.py", "commands"):
            assert not any(module.startswith(("docops.cli", "docops.commands")) for module in imports(path)), path
        if inside != "adapters":
            assert not any(module.startswith("docops.adapters.") for module in imports(path)), path


def test_families_and_formats_know_no_engine() -> None:
    for folder in ("families", "formats"):
        for path in (PACKAGE / folder).rglob("*.py"):
            assert not any(module.startswith(("docops.engine", "docops.bundle", "docops.lint", "docops.report")) for module in imports(path)), path


def test_data_folders_hold_no_python() -> None:
    for name in ("verifiers", "mutations", "bundles"):
        assert not list((ROOT / name).rglob("*.py")), name


def loaded_after(code: str) -> set[str]:
    """Top-level modules that are loaded in a fresh interpreter after some code."""
    script = f"{code}\nimport sys\nprint(*sorted({{name.partition('.')[0] for name in sys.modules}}))"
    return set(subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT).stdout.splitlines()[-1].split())


def test_import_loads_no_native_library() -> None:
    assert not loaded_after("import docops") & NATIVE


def test_a_bundle_is_read_without_the_libraries_of_its_formats() -> None:
    loaded = loaded_after("import docops; docops.load_bundle('bundles/pdf-l1-s4-order-form')")
    assert not loaded & {"openpyxl", "docx", "pptx", "pypdf", "formulas", "ironcalc", "numpy", "PIL"}


@pytest.mark.parametrize(
    ("bundle", "others"),
    [
        ("pdf-l1-s4-order-form", {"openpyxl", "docx", "pptx", "formulas", "ironcalc"}),
        ("docx-l1-c2-payment-term", {"openpyxl", "pptx", "pypdf", "formulas", "ironcalc"}),
        ("pptx-l1-c2-goal-year", {"openpyxl", "docx", "pypdf", "formulas", "ironcalc"}),
        ("xlsx-l2-c2-price-update", {"docx", "pptx", "pypdf"}),
    ],
)
def test_verifying_one_format_loads_nothing_of_the_others(bundle: str, others: set[str]) -> None:
    loaded = loaded_after(f"import docops; docops.verify('bundles/{bundle}', 'bundles/{bundle}/reference')")
    assert not loaded & others


def test_functions_keep_their_names_after_submodules_are_imported() -> None:
    code = (
        "import docops, docops.engine, docops.differences, docops.bundle; assert callable(docops.verify) and callable(docops.diff) and docops.__all__"
    )
    loaded_after(code)
