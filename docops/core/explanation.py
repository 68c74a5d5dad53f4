"""Changes of formatting that follow from a style, a layout, a theme: reported there, not at every place that shows them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from docops.core.codes import Aspect
from docops.core.node import Node, Value

Key = tuple[Aspect, str]
Pair = tuple[Value, Value]
#: A resolved colour inside a fact's value.
_COLOUR = re.compile(r"\b[0-9A-F]{6}\b")
_LOOKS = (Aspect.FORMAT, Aspect.THEME)


def explained(before: Node, after: Node, key: Key, pair: Pair, dependency_changes: Mapping[str, Mapping[Key, Pair]]) -> bool:
    """Whether a style (theme, layout, …) that both sides depend on changed in just this way, and is reported itself.

    dependency_changes: address of a style or the like → its facts that changed.
    """
    if not before.depends or not dependency_changes:
        return False
    for address in before.depends:
        changed = dependency_changes.get(address)
        if changed is None or address not in after.depends:
            continue
        if _states(changed, key, pair):
            return True
        if key[0] is Aspect.FORMAT and address.startswith("theme") and _follows_theme(pair, changed.values()):
            return True
        if key[0] is Aspect.FORMAT and any(aspect in _LOOKS for aspect, _ in changed) and _says_the_same(before, after):
            return True
    return False


def _states(changed: Mapping[Key, Pair], key: Key, pair: Pair) -> bool:
    """Whether a style changed just this fact, of all that has it or of a part (`first row: bold`)."""
    if changed.get(key) == pair:
        return True
    suffix = f": {key[1]}"
    return any(values == pair and aspect is key[0] and name.endswith(suffix) for (aspect, name), values in changed.items())


def _says_the_same(before: Node, after: Node) -> bool:
    """Whether a place itself says the same on both sides."""
    return before.own is not None and after.own is not None and before.own() == after.own()


def _follows_theme(pair: Pair, theme_changes: Iterable[Pair]) -> bool:
    """Whether a formatting differs only by what the theme gives: its fonts and other texts, or colours (tints included)."""
    before, after = str(pair[0]), str(pair[1])
    for old, new in theme_changes:
        if isinstance(old, str) and isinstance(new, str) and old and old != new and before.replace(old, new) == after:
            return True
    return before != after and _COLOUR.sub("colour", before) == _COLOUR.sub("colour", after)
