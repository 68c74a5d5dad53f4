"""The tables of formats and predicates, and plug-ins."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import EntryPoint
from typing import Any

import pytest

from docops import registry
from docops.core.codes import Family
from docops.core.document import Format
from docops.core.errors import UsageError
from docops.core.predicate import Context, Finding, Predicate, predicate


@predicate("acme.always", family=Family.STRUCTURAL)
def always(context: Context, *, at: str) -> Iterator[Finding]:
    """It holds.

    at: any place.
    """
    yield from ()


@predicate("acme.reserved", family=Family.STRUCTURAL)
def reserved(context: Context, *, title: str) -> Iterator[Finding]:
    """A parameter of it has a name that criteria have for themselves."""
    yield from ()


FORMAT = Format("odt", (".odt",), lambda data: None, frozenset({"body"}))  # type: ignore[arg-type, return-value]


@pytest.mark.parametrize("name", list(registry.FORMATS))
def test_format_is_what_its_row_says(name: str) -> None:
    found = registry.format_named(name)
    assert found.name == name
    assert found.suffixes == registry.FORMATS[name][1]
    assert found.kinds


def test_format_of_a_file_name() -> None:
    assert registry.format_name_of("a/Book.XLSX") == "xlsx"
    assert registry.format_name_of("deck.ppsm") == "pptx"
    assert registry.format_name_of("notes.txt") == ""
    assert registry.format_name_of("xlsx") == ""
    assert registry.format_of("notes.txt") is None


@pytest.mark.parametrize("prefix", list(registry.PREDICATES))
def test_predicates_are_what_their_table_says(prefix: str) -> None:
    found = registry._builtin_predicates(prefix)
    assert found
    for known in found:
        assert known.name.partition(".")[0] == prefix
        assert known.doc.partition("\n")[0], f"{known.name} has no docstring"
        assert not {parameter.name for parameter in known.parameters} & registry.RESERVED, known.name
        for parameter in known.parameters:
            assert parameter.name in known.doc, f"{known.name}: {parameter.name} is not described"
        if prefix in registry.FORMATS:
            assert known.formats == (prefix,)
    assert len({known.name for known in found}) == len(found)


def test_unknown_names_are_answered_with_the_nearest() -> None:
    with pytest.raises(UsageError, match=r"did you mean 'anchor\.contains'"):
        registry.predicate_named("anchor.contain")
    with pytest.raises(UsageError, match="known are xlsx, docx, pptx, pdf"):
        registry.format_named("doc")


def test_operators_have_names_of_their_own() -> None:
    names = [found.name for found in registry.operators()]
    assert len(names) > 100
    assert len(set(names)) == len(names)
    assert names == sorted(names)


@pytest.fixture
def plugins(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, list[EntryPoint]]]:
    table: dict[str, list[EntryPoint]] = {}
    caches: list[Any] = [registry._plugin_formats, registry._plugin_predicates, registry.operators]
    monkeypatch.setattr(registry, "_entry_points", lambda group: tuple(table.get(group, ())))
    for cache in caches:
        cache.cache_clear()
    yield table
    for cache in caches:
        cache.cache_clear()


def entry(group: str, name: str, value: str) -> EntryPoint:
    return EntryPoint(name, value, group)


def test_plugin_predicate_is_found(plugins: dict[str, list[EntryPoint]]) -> None:
    plugins["docops.predicates"] = [entry("docops.predicates", "acme", "tests.test_registry:always")]
    found: Predicate = registry.predicate_named("acme.always")
    assert found is always
    assert found in registry.predicates()
    assert registry.broken_plugins() == ()


def test_plugin_that_does_not_load_is_an_error_when_named_and_listed_otherwise(plugins: dict[str, list[EntryPoint]]) -> None:
    plugins["docops.predicates"] = [entry("docops.predicates", "acme", "tests.no_such_module:always")]
    assert registry.predicate_named("anchor.contains").name == "anchor.contains"
    with pytest.raises(registry.PluginError, match="plug-in 'acme'"):
        registry.predicate_named("acme.always")
    (broken,) = registry.broken_plugins()
    assert (broken.group, broken.name) == ("docops.predicates", "acme")


def test_plugin_of_another_kind_is_refused(plugins: dict[str, list[EntryPoint]]) -> None:
    plugins["docops.predicates"] = [entry("docops.predicates", "acme", "tests.test_registry:FORMAT")]
    with pytest.raises(registry.PluginError, match="is no Predicate"):
        registry.predicate_named("acme.always")


def test_plugin_cannot_take_a_builtin_name_or_a_reserved_parameter(plugins: dict[str, list[EntryPoint]]) -> None:
    plugins["docops.predicates"] = [entry("docops.predicates", "acme", "tests.test_registry:reserved")]
    assert all(known.name != "acme.reserved" for known in registry.predicates())
    (broken,) = registry.broken_plugins()
    assert "has a parameter 'title'" in broken.reason


def test_plugin_format_opens_its_files(plugins: dict[str, list[EntryPoint]]) -> None:
    plugins["docops.formats"] = [entry("docops.formats", "odt", "tests.test_registry:FORMAT")]
    assert registry.format_name_of("letter.odt") == "odt"
    assert registry.format_named("odt") is FORMAT
    assert registry.format_names() == ("xlsx", "docx", "pptx", "pdf", "odt")
