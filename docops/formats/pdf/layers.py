"""Layers (optional content): which of them a reader sees when the document is opened."""

from __future__ import annotations

from collections.abc import Collection

from docops.formats.pdf.reading import Object, Objects, Ref

_MAX_DEPTH = 32


def hidden_layers(objects: Objects) -> frozenset[Ref]:
    """Optional content groups that are off in the default configuration, or whose own usage switches them off for viewing."""
    properties = objects.dict_at(objects.catalog, "OCProperties")
    groups = {item for item in objects.list_at(properties, "OCGs") if isinstance(item, Ref)}
    default = objects.dict_at(properties, "D")
    off = {item for item in objects.list_at(default, "OFF") if isinstance(item, Ref)}
    if objects.at(default, "BaseState") == "OFF":
        off |= groups - {item for item in objects.list_at(default, "ON") if isinstance(item, Ref)}
    for usage in objects.list_at(default, "AS"):
        if objects.at(usage, "Event") != "View" or "View" not in [objects.get(item) for item in objects.list_at(usage, "Category")]:
            continue
        for group in objects.list_at(usage, "OCGs"):
            state = objects.at(group, "Usage", "View", "ViewState")
            if isinstance(group, Ref) and state == "OFF":
                off.add(group)
            elif isinstance(group, Ref) and state == "ON":
                off.discard(group)
    return frozenset(off)


def layer_hidden(objects: Objects, off: Collection[Ref], value: Object) -> bool:
    """Whether an optional content group or membership dictionary is switched off.   off: the groups that are."""
    if isinstance(value, Ref) and value in off:
        return True
    dictionary = objects.dict_at(value)
    if dictionary.get("Type") != "OCMD":
        return False
    expression = objects.at(dictionary, "VE")
    if isinstance(expression, list) and expression:
        return not _holds(objects, off, expression, 0)
    groups = dictionary.get("OCGs")
    resolved = objects.get(groups)
    members = [item for item in (resolved if isinstance(resolved, list) else [groups]) if isinstance(item, Ref)]
    if not members:
        return False
    hidden = [member in off for member in members]
    policy = objects.text_at(dictionary, "P") or "AnyOn"
    return {"AllOn": any(hidden), "AnyOff": not any(hidden), "AllOff": not all(hidden)}.get(policy, all(hidden))


def _holds(objects: Objects, off: Collection[Ref], expression: Object, depth: int) -> bool:
    """Whether a visibility expression holds."""
    terms = objects.get(expression)
    if not isinstance(terms, list) or depth > _MAX_DEPTH:
        return not (isinstance(expression, Ref) and expression in off)
    values = [_holds(objects, off, term, depth + 1) for term in terms[1:]]
    kind = objects.get(terms[0]) if terms else None
    if kind == "Not":
        return not any(values)
    return any(values) if kind == "Or" else all(values)
