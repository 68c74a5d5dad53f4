"""Mutation operators that no single format owns, and ways to look through all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from docops.core.operator import CorruptionClass, Mutation, MutationInput, Operator, Site


def operators_for(format_name: str, *, kinds: Sequence[str] = (), tags: Sequence[str] = ()) -> list[Operator]:
    """The operators that act on a format, sorted by name.

    kinds: `corruption` or `benign` (empty: both).   tags: only those with one of these tags (empty: any).
    """
    from docops.registry import operators

    return [
        operator
        for operator in operators()
        if (not operator.formats or format_name in operator.formats)
        and (not kinds or operator.kind in kinds)
        and (not tags or set(tags) & set(operator.tags))
    ]


def iter_mutants(
    data: bytes,
    format_name: str,
    *,
    kinds: Sequence[str] = (),
    tags: Sequence[str] = (),
    per_operator: int = 3,
    given: MutationInput | None = None,
) -> Iterator[tuple[Operator, Site, Mutation]]:
    """Mutants of a document, for tests of facts: a corruption must change them, a benign rewrite must not.

    per_operator: how many sites of each operator, spread evenly over all it has.
    Operators that delete the file or put another in its place are left out.
    """
    given = given or MutationInput(siblings={})
    for operator in operators_for(format_name, kinds=kinds, tags=tags):
        if operator.corruption_class in (CorruptionClass.ARTIFACT_DELETION, CorruptionClass.SAME_NAME_CORRUPTION):
            continue
        for site in spread(list(operator.sites(data, given)), per_operator):
            yield operator, site, operator.apply(data, site, given)


def spread(sites: Sequence[Site], number: int) -> list[Site]:
    """At most `number` sites, spread evenly, the first among them."""
    if len(sites) <= number:
        return list(sites)
    return [sites[at * len(sites) // number] for at in range(number)]


__all__ = ["iter_mutants", "operators_for", "spread"]
