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
from docops.parameters import check_parameters


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


CONTRACT_KINDS = {
    "xlsx": "sheet cell row column table chart image pivot comment validation conditional_format print name theme property",
    "docx": "body paragraph table section text_box content_control image equation row cell run field hyperlink header footer footnote endnote "
    "comment bookmark style revision setting theme property",
    "pptx": "slide shape paragraph table row cell chart picture notes comment transition animation background master layout theme property section",
    "pdf": "page annotation image text outline field attachment label property layer signature struct",
}


@pytest.mark.parametrize("name", list(CONTRACT_KINDS))
def test_format_has_the_kinds_of_the_contract(name: str) -> None:
    assert set(CONTRACT_KINDS[name].split()) - registry.format_named(name).kinds == set()


CONTRACT_PREDICATES = {
    "anchor.contains": "at text texts profile count at_least visible",
    "anchor.absent": "at text texts profile visible",
    "anchor.matches": "at pattern",
    "anchor.in_order": "at texts",
    "preservation.unchanged": "at aspects except",
    "xlsx.cell": "at equals tolerance",
    "xlsx.formula": "at equals tolerance depends_on uses",
    "xlsx.number_format": "at code",
    "xlsx.sheet": "at exists state position",
    "docx.heading": "at text level",
    "docx.heading_hierarchy": "at outline no_skips",
    "docx.table": "at rows columns header contains_rows",
    "docx.revisions": "at pending authors kinds",
    "docx.style": "at name",
    "pptx.slide_count": "at equals",
    "pptx.order": "at titles",
    "pptx.notes": "at contains",
    "pptx.table": "at rows columns contains_rows",
    "pptx.chart": "at type series",
    "pdf.page_count": "at equals",
    "pdf.page_order": "at source_pages",
    "pdf.outline": "at titles tree",
    "pdf.form_field": "at name equals",
    "file.exists": "at",
}


@pytest.mark.parametrize("name", list(CONTRACT_PREDICATES))
def test_predicate_of_the_contract_has_its_parameters(name: str) -> None:
    known = {parameter.name for parameter in registry.predicate_named(name).parameters}
    assert set(CONTRACT_PREDICATES[name].split()) - known == set()


#: Values that bundles write for parameters of more than one type.
CONTRACT_VALUES: list[tuple[str, dict[str, Any]]] = [
    ("xlsx.cell", {"at": "a.xlsx#sheet[A]/cell[B2]", "equals": 10}),
    ("xlsx.cell", {"at": "a.xlsx#sheet[A]/cell[B2]", "equals": "2026-01-01", "tolerance": 0.5}),
    ("xlsx.cell", {"at": "a.xlsx#sheet[A]/cell[B2]", "equals": True}),
    ("xlsx.cell", {"at": "a.xlsx#sheet[A]/cell[B2]", "equals": ""}),
    ("xlsx.formula", {"at": "a.xlsx#sheet[A]/cell[B2]", "equals": "text", "uses": ["SUM"]}),
    ("docx.revisions", {"at": "a.docx", "pending": False}),
    ("docx.revisions", {"at": "a.docx", "pending": 2, "authors": ["Jane"], "kinds": ["insertion"]}),
    ("docx.table", {"at": "a.docx", "rows": 3, "columns": 2, "header": ["a"], "contains_rows": [["a", "b"]]}),
    ("pptx.chart", {"at": "a.pptx#slide[1]", "type": "column", "series": ["Net"]}),
    ("pptx.chart", {"at": "a.pptx#slide[1]", "series": [{"name": "Net", "values": [1, 2.5]}]}),
    ("pptx.table", {"at": "a.pptx#slide[1]", "contains_rows": [["a"]]}),
    ("pdf.outline", {"at": "a.pdf", "titles": ["A", "B"]}),
    ("pdf.form_field", {"at": "a.pdf", "name": "x", "equals": "Yes"}),
    ("pdf.form_field", {"at": "a.pdf", "name": "x", "equals": True}),
    ("anchor.contains", {"at": "a.pdf", "texts": ["a"], "profile": "typographic", "at_least": 2, "visible": False}),
]


@pytest.mark.parametrize(("name", "given"), CONTRACT_VALUES, ids=[f"{name}-{n}" for n, (name, _) in enumerate(CONTRACT_VALUES)])
def test_predicate_of_the_contract_takes_its_values(name: str, given: dict[str, Any]) -> None:
    assert list(check_parameters(registry.predicate_named(name).parameters, given)) == []


def test_adapters_are_found_by_name(plugins: dict[str, list[EntryPoint]]) -> None:
    plugins["docops.adapters"] = [entry("docops.adapters", "acme", "tests.test_registry:entry"), entry("docops.adapters", "gone", "no_such_module:x")]
    assert registry.adapter_named("acme") is entry
    with pytest.raises(registry.PluginError, match="plug-in 'gone'"):
        registry.adapter_named("gone")
    with pytest.raises(UsageError, match=r"known are: harbor, .*, acme, gone"):
        registry.adapter_named("nowhere")


def test_built_in_adapters_load_without_what_they_adapt_to() -> None:
    for name in registry.ADAPTERS:
        assert registry.adapter_named(name) is not None
