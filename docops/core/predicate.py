"""Predicates: named, typed questions about documents.

A predicate is a plain function `f(context, *, at, …)` whose keyword-only, annotated parameters are the schema that
verifiers are checked against. It yields a `Finding` for everything that is wrong and `Evidence` for what it looked at;
no finding means that it holds. It raises `NotApplicable` where the question has no meaning. Any other exception becomes
the outcome `error`, in one place: the engine.
"""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Annotated, Any, Protocol

from docops.core.address import Address
from docops.core.codes import Family, FindingCode
from docops.core.document import Document, Format
from docops.core.node import Node, Value
from docops.core.options import Answer
from docops.core.pictures import Pictures


@dataclass(frozen=True, slots=True)
class Finding:
    """One reason why a criterion does not hold.

    address: the place, artifact included, as an address that can be given back to docops.
    expected, observed: JSON values; None where there is nothing to show.
    message: one sentence for a person.
    """

    code: FindingCode
    address: str
    expected: Value
    observed: Value
    message: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a predicate looked at: a place and an excerpt of what stands there."""

    address: str
    excerpt: str


@dataclass(frozen=True, slots=True)
class Grade:
    """What a criterion scores, 0 to 1, where it is not simply held or not; message: why, in a sentence."""

    score: float
    message: str = ""


@dataclass(frozen=True, slots=True)
class Target:
    """Where `at` points in one artifact's output.

    artifact: its name.   address: the whole address as given.   document: the opened output.
    nodes: the places it names there (the root where the artifact alone is named); empty where it names none.
    source: the opened source, or None where the artifact has none.
    """

    artifact: str
    address: Address
    document: Document
    nodes: Sequence[Node]
    source: Document | None

    def place(self, node: Node | str | None = None) -> str:
        """The printed address of a node (or path) of this artifact, or of `at` itself."""
        path = node.address if isinstance(node, Node) else node
        if path is None:
            return str(Address(self.artifact, self.address.segments))
        return f"{self.artifact}#{path}" if path else self.artifact


class Context(Protocol):
    """What a predicate may ask of the verification it runs in."""

    def target(self, at: str, *, formats: Sequence[str] = ()) -> Target:
        """The place that an address names in the outputs.

        formats: the formats it may be in (empty: any).
        An output that is missing or unreadable ends the criterion as failed with that reason.
        """

    def source_target(self, at: str) -> Target | None:
        """The same place in the source of the artifact, or None where the artifact has no source."""

    def output_exists(self, artifact: str) -> bool:
        """Whether a regular file of that name is in the output folder."""

    def artifact(self, name: str, *, formats: Sequence[str] = ()) -> Document:
        """The opened output of an artifact."""

    def format_of(self, document: Document) -> Format:
        """The format of a document, with its comparison."""

    def engine_used(self, name: str) -> None:
        """Note a calculation engine, with its version, for the verdict."""

    def ask_judge(self, prompt: str, pictures: Sequence[Pictures] = ()) -> Answer:
        """What the configured judge answers; without text where there is no judge and no recorded answer."""

    def pictures(self, at: str, *, before: bool = False) -> Pictures | None:
        """The pages or slides that show a place, in the output or (before) in the source; None where that has no such place."""


_PLACE = "place"
#: Annotates a parameter that holds an address besides `at` (a list or a table of them: `Sequence[AddressText]`), so that it is
#: checked when a bundle is loaded; without an artifact it is in the one that `at` names.
AddressText = Annotated[str, _PLACE]

PredicateFunction = Callable[..., Iterator[Finding | Evidence] | Iterator[Finding | Evidence | Grade]]
ParameterCheck = Callable[[Mapping[str, Any]], Sequence[str]]


@dataclass(frozen=True, slots=True)
class Example:
    """A case that shows what a predicate does, run by one test for all predicates.

    files: artifact name → bytes of the output (a function, so that importing builds nothing).
    params: the parameters;  passes: whether it holds, or a FindingCode that must be among the findings.
    source: artifact name → bytes of the source, where the predicate compares.
    """

    title: str
    files: Callable[[], Mapping[str, bytes]]
    params: Mapping[str, Any]
    passes: bool | FindingCode
    source: Callable[[], Mapping[str, bytes]] | None = None


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a predicate (or operator), read from its signature.

    name: as written in verifiers (`except`).   argument: as the function calls it (`except_` where Python reserves the word).
    places: it holds addresses.
    """

    name: str
    argument: str
    annotation: Any
    required: bool
    default: Any
    places: bool = False


@dataclass(frozen=True, slots=True)
class Predicate:
    """A predicate function with what the engine, the documentation and the tests need to know of it.

    name: as written in verifiers (`xlsx.formula`).   formats: those it can look at (empty: any).
    check: the function.   examples: at least one that holds and one that does not.
    validate: what the parameters' types cannot say (one of two must be given, a pattern must compile): parameters, already
        of the right types, → messages of everything that is wrong with them; called when a bundle is loaded.
    """

    name: str
    family: Family
    formats: tuple[str, ...]
    check: PredicateFunction
    examples: tuple[Example, ...] = ()
    parameters: tuple[Parameter, ...] = field(default=())
    validate: ParameterCheck | None = None

    @property
    def doc(self) -> str:
        """The function's docstring, without indentation."""
        return inspect.getdoc(self.check) or ""


def read_parameters(function: Callable[..., Any]) -> tuple[Parameter, ...]:
    """The keyword-only parameters of a function, in the order they are written.

    Raises TypeError where one of them has no annotation.
    """
    hints = typing.get_type_hints(function)
    marked = typing.get_type_hints(function, include_extras=True)
    out = []
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind is not inspect.Parameter.KEYWORD_ONLY:
            continue
        if name not in hints:
            raise TypeError(f"{function.__qualname__}: parameter {name!r} has no annotation")
        required = parameter.default is inspect.Parameter.empty
        default = None if required else parameter.default
        out.append(Parameter(name.rstrip("_"), name, hints[name], required, default, _holds_places(marked[name])))
    return tuple(out)


def _holds_places(annotation: Any) -> bool:
    return _PLACE in getattr(annotation, "__metadata__", ()) or any(_holds_places(part) for part in typing.get_args(annotation))


def predicate(
    name: str,
    *,
    family: Family,
    formats: Sequence[str] = (),
    examples: Sequence[Example] = (),
    validate: ParameterCheck | None = None,
) -> Callable[[PredicateFunction], Predicate]:
    """Make a predicate of a function. Nothing is registered: modules list theirs in a tuple `PREDICATES`."""

    def make(function: PredicateFunction) -> Predicate:
        return Predicate(name, family, tuple(formats), function, tuple(examples), read_parameters(function), validate)

    return make


def type_name(annotation: Any) -> str:
    """A parameter's type as a person writes it (`text`, `number`, `list of text`)."""
    plain = {Any: "any value", str: "text", int: "whole number", float: "number", bool: "true or false", type(None): "none"}
    if annotation in plain:
        return plain[annotation]
    origin = typing.get_origin(annotation)
    arguments = typing.get_args(annotation)
    if origin in (typing.Union, types.UnionType):
        names = [type_name(argument) for argument in arguments if argument is not type(None)]
        return " or ".join(dict.fromkeys(names))
    if origin is typing.Literal:
        return " | ".join(repr(value) for value in arguments)
    if origin in (list, Sequence, tuple) or origin is typing.get_origin(Sequence[int]):
        return f"list of {type_name(arguments[0])}" if arguments else "list"
    if origin is dict or origin is typing.get_origin(Mapping[str, int]):
        return "table"
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return annotation.__name__.lower()
    return getattr(annotation, "__name__", str(annotation))
