"""The tables of what docops knows by name: formats, predicates, operators, and the entry points of third parties.

Nothing registers itself: a built-in is a row here, a plug-in an entry point of its distribution. Modules are imported when
something in them is asked for, so that verifying a PDF loads nothing of the other formats.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from docops.core.errors import DocopsError, UsageError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from docops.core.document import Format
    from docops.core.operator import Operator
    from docops.core.predicate import Predicate

#: Formats: name → module that has `FORMAT`, and the file name endings that it opens. A fifth format is a row here.
FORMATS: dict[str, tuple[str, tuple[str, ...]]] = {
    "xlsx": ("docops.formats.xlsx", (".xlsx", ".xlsm", ".xltx", ".xltm")),
    "docx": ("docops.formats.docx", (".docx", ".docm", ".dotx", ".dotm")),
    "pptx": ("docops.formats.pptx", (".pptx", ".pptm", ".potx", ".potm", ".ppsx", ".ppsm")),
    "pdf": ("docops.formats.pdf", (".pdf",)),
}

#: Predicates: first part of the name → module that has `PREDICATES`.
PREDICATES: dict[str, str] = {
    "anchor": "docops.families.anchor_predicates",
    "agree": "docops.families.agreement",
    "file": "docops.families.files",
    "graded": "docops.families.graded",
    "judge": "docops.families.judge",
    "preservation": "docops.families.preservation",
    "report": "docops.families.reports",
    "xlsx": "docops.formats.xlsx.predicates",
    "docx": "docops.formats.docx.predicates",
    "pptx": "docops.formats.pptx.predicates",
    "pdf": "docops.formats.pdf.predicates",
}

#: Mutation operators: modules that have `OPERATORS`; a format has them once it is named below.
OPERATORS: tuple[str, ...] = (
    "docops.operators.package",
    "docops.operators.text",
    "docops.operators.ooxml_generic",
    "docops.operators.ooxml_benign",
    "docops.operators.pdf_generic",
    "docops.operators.composed",
    *(f"docops.formats.{name}.{module}" for name in ("xlsx", "docx", "pptx", "pdf") for module in ("operators", "operators_gaming", "operators_benign")),
)

#: Adapters: name → module. Commands use `export_tasks` and `import_task`, or `import_tasks` and `export_results`, where it has them.
ADAPTERS: dict[str, str] = {
    "harbor": "docops.adapters.harbor",
    "inspect_ai": "docops.adapters.inspect_ai",
    "nemo_gym": "docops.adapters.nemo_gym",
    "openenv": "docops.adapters.openenv",
    "ppteval": "docops.adapters.ppteval",
    "prime": "docops.adapters.prime",
    "rewardkit": "docops.adapters.rewardkit",
}

#: Names that a criterion has for itself, so that no predicate may have such a parameter.
RESERVED = frozenset({"id", "predicate", "critical", "weight", "title", "reason", "source"})


class PluginError(DocopsError):
    """A plug-in that was asked for by name cannot be loaded, or is not what its entry point says."""


@dataclass(frozen=True, slots=True)
class BrokenPlugin:
    """An entry point that could not be loaded: its group, its name and why."""

    group: str
    name: str
    reason: str


@cache
def _entry_points(group: str) -> tuple[EntryPoint, ...]:
    from importlib.metadata import entry_points

    return tuple(sorted(entry_points(group=group), key=lambda entry: (entry.name, entry.value)))


def _load(entry: EntryPoint, expected: type) -> tuple[Any, ...]:
    """What an entry point offers: one thing of type `expected`, or a sequence of them."""
    try:
        loaded = entry.load()
    except Exception as error:
        raise PluginError(f"plug-in {entry.name!r} ({entry.value}) cannot be loaded: {type(error).__name__}: {error}") from error
    found = (loaded,) if isinstance(loaded, expected) else tuple(loaded) if isinstance(loaded, (list, tuple)) else ()
    if not found or not all(isinstance(thing, expected) for thing in found):
        raise PluginError(f"plug-in {entry.name!r} ({entry.value}) is no {expected.__name__} and no sequence of them")
    return found


def _plugins(group: str, expected: type) -> Iterator[Any]:
    """Everything that loads; what does not is listed by `broken_plugins`."""
    for entry in _entry_points(group):
        try:
            yield from _load(entry, expected)
        except PluginError:
            continue


def broken_plugins() -> tuple[BrokenPlugin, ...]:
    """The entry points of docops that cannot be loaded, sorted, with the reason."""
    from docops.core.document import Format
    from docops.core.operator import Operator
    from docops.core.predicate import Predicate

    broken = []
    for group, expected in (
        ("docops.formats", Format),
        ("docops.operators", Operator),
        ("docops.predicates", Predicate),
        ("docops.adapters", object),
    ):
        for entry in _entry_points(group):
            try:
                found = _load(entry, expected)
            except PluginError as error:
                broken.append(BrokenPlugin(group, entry.name, str(error)))
                continue
            reasons = [_refusal(thing) for thing in found if isinstance(thing, Predicate)]
            broken += [BrokenPlugin(group, entry.name, f"plug-in {entry.name!r}: {reason}") for reason in reasons if reason]
    return tuple(broken)


def _refusal(candidate: Predicate) -> str:
    """Why a plug-in's predicate cannot be taken, or ""."""
    taken = sorted({parameter.name for parameter in candidate.parameters} & RESERVED)
    if candidate.name.partition(".")[0] in PREDICATES:
        return f"{candidate.name} begins like the predicates of docops itself"
    return f"{candidate.name} has a parameter {taken[0]!r}, which every criterion has for itself" if taken else ""


def suggestion(name: str, known: Iterable[str]) -> str:
    """`; did you mean 'x'?` for the nearest known name, or "" where none is near."""
    near = difflib.get_close_matches(name, sorted(known), n=1, cutoff=0.6)
    return f"; did you mean {near[0]!r}?" if near else ""


# Formats


def format_named(name: str) -> Format:
    """The format of that name.

    Raises UsageError where there is none.
    """
    row = FORMATS.get(name)
    if row is not None:
        found: Format = import_module(row[0]).FORMAT
        return found
    plugin = _plugin_formats().get(name)
    if plugin is None:
        raise UsageError(f"there is no format {name!r}; known are {', '.join(format_names())}")
    return plugin


def format_names() -> tuple[str, ...]:
    """Names of all formats: the built-in ones, then those of plug-ins."""
    return (*FORMATS, *sorted(_plugin_formats()))


@cache
def _plugin_formats() -> dict[str, Format]:
    from docops.core.document import Format

    return {found.name: found for found in _plugins("docops.formats", Format) if found.name not in FORMATS}


def format_name_of(file_name: str) -> str:
    """Name of the format that a file name's ending belongs to, or "" where docops opens no such file."""
    ending = "." + file_name.rpartition(".")[2].lower() if "." in file_name else ""
    for name, (_, suffixes) in FORMATS.items():
        if ending in suffixes:
            return name
    for name, found in sorted(_plugin_formats().items()):
        if ending in found.suffixes:
            return name
    return ""


def format_of(file_name: str) -> Format | None:
    """The format that a file name's ending belongs to, or None."""
    name = format_name_of(file_name)
    return format_named(name) if name else None


# Predicates


def predicate_named(name: str) -> Predicate:
    """The predicate of that name.

    Raises UsageError, with the nearest name, where there is none, and PluginError where its plug-in does not load.
    """
    prefix = name.partition(".")[0]
    if prefix in PREDICATES:
        for found in _builtin_predicates(prefix):
            if found.name == name:
                return found
    for found in _plugin_predicates():
        if found.name == name:
            return found
    for entry in _entry_points("docops.predicates"):
        if name == entry.name or name.startswith(f"{entry.name}."):
            from docops.core.predicate import Predicate

            _load(entry, Predicate)
    hint = suggestion(name, (known.name for known in predicates())) or "; `docops predicates` lists them"
    raise UsageError(f"there is no predicate {name!r}{hint}")


@cache
def _builtin_predicates(prefix: str) -> tuple[Predicate, ...]:
    found: tuple[Predicate, ...] = tuple(import_module(PREDICATES[prefix]).PREDICATES)
    return found


@cache
def _plugin_predicates() -> tuple[Predicate, ...]:
    from docops.core.predicate import Predicate

    return tuple(candidate for candidate in _plugins("docops.predicates", Predicate) if not _refusal(candidate))


def predicates() -> tuple[Predicate, ...]:
    """Every predicate, sorted by name, those of plug-ins included."""
    built_in = [found for prefix in PREDICATES for found in _builtin_predicates(prefix)]
    return tuple(sorted([*built_in, *_plugin_predicates()], key=lambda found: found.name))


# Operators and adapters


@cache
def operators() -> tuple[Operator, ...]:
    """Every mutation operator, sorted by name, those of plug-ins included."""
    from docops.core.operator import Operator

    built_in = [found for module in OPERATORS for found in import_module(module).OPERATORS]
    names = {found.name for found in built_in}
    others = [found for found in _plugins("docops.operators", Operator) if found.name not in names]
    return tuple(sorted([*built_in, *others], key=lambda found: str(found.name)))


def adapter_named(name: str) -> Any:
    """The adapter of that name; what commands may ask of it is in `ADAPTERS`.

    Raises UsageError where there is none, and PluginError where it does not load.
    """
    if name in ADAPTERS:
        return import_module(ADAPTERS[name])
    for entry in _entry_points("docops.adapters"):
        if entry.name == name:
            return _load(entry, object)[0]
    known = ", ".join([*ADAPTERS, *(entry.name for entry in _entry_points("docops.adapters"))])
    raise UsageError(f"there is no adapter {name!r}; known are: {known}")
