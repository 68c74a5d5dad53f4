"""What another program's re-save does to a document without loss: changes that profiles which look at no formatting leave out."""

from __future__ import annotations

from collections.abc import Sequence

from docops.core.codes import Aspect
from docops.core.compare import Change, ChangeKind


def without_resaving(changes: Sequence[Change]) -> list[Change]:
    """The changes less those that only say how another program stores the same."""
    return _without_link_switch(_without_controls_turned(_without_breaks_moved(_without_wrapping(changes))))


def _without_link_switch(changes: Sequence[Change]) -> list[Change]:
    """The changes less those of a reference's switch that makes it a link, which some programs always write."""

    def plain(instruction: object) -> list[str]:
        return [word for word in str(instruction).split() if word.lower() != "\\h"]

    def is_switch(change: Change) -> bool:
        reference = str(change.before).split(" ", 1)[0].upper() in {"REF", "PAGEREF", "NOTEREF"}
        added = "\\h" in str(change.after).split()
        return (change.aspect, change.name) == (Aspect.FIELD, "instruction") and reference and added and plain(change.before) == plain(change.after)

    return [change for change in changes if not is_switch(change)]


def _without_wrapping(changes: Sequence[Change]) -> list[Change]:
    """The changes less those by which a program put a table of contents into a document part control, or took it out."""
    dropped: set[int] = set()
    for change in changes:
        if not change.place or change.node is None or change.node.kind != "content_control" or change.kind is ChangeKind.MOVED:
            continue
        if change.node.facts.get((Aspect.FORM, "kind")) != "document part":
            continue
        other = ChangeKind.REMOVED if change.kind is ChangeKind.ADDED else ChangeKind.ADDED
        waiting = [one for one in changes if one.place and one.kind is other and one.node is not None and id(one) not in dropped]
        matched: list[Change] = []
        for child in change.node.children:
            if (Aspect.FIELD, "result of") in child.facts:
                continue
            found = next((one for one in waiting if one.node is not None and one.node.kind == child.kind and one.node.text == child.text), None)
            if found is None:
                break
            waiting.remove(found)
            matched.append(found)
        else:
            dropped.update(map(id, (change, *matched)))
    return [change for change in changes if id(change) not in dropped]


def _without_controls_turned(changes: Sequence[Change]) -> list[Change]:
    """The changes less those by which a program put a control around a paragraph inside the paragraph, or the other way round."""
    controls = [change for change in changes if change.place and change.kind is not ChangeKind.MOVED and change.node is not None and change.node.kind == "content_control"]
    dropped: set[int] = set()
    for change in controls:
        other = next((one for one in changes if id(one) not in dropped and _is_same_control(change, one)), None)
        if other is not None:
            dropped.update((id(change), id(other)))
    return [change for change in changes if id(change) not in dropped]


def _is_same_control(change: Change, other: Change) -> bool:
    """Whether a control around one paragraph went and a paragraph that is nothing but that control came, or the other way round."""
    control, paragraph = change.node, other.node
    if control is None or paragraph is None or not other.place or paragraph.kind != "paragraph" or {change.kind, other.kind} != {ChangeKind.ADDED, ChangeKind.REMOVED}:
        return False
    inner = [child for child in paragraph.children if child.kind == "content_control"]
    blocks = [child for child in control.children if child.kind == "paragraph"]
    if len(inner) != 1 or len(blocks) != 1 or paragraph.facts.get((Aspect.TEXT, "text")) != "{control}":
        return False
    keys = ((Aspect.FORM, "kind"), (Aspect.NAME, "alias"), (Aspect.FORM, "checked"), (Aspect.FORM, "options"))
    return all(control.facts.get(key) == inner[0].facts.get(key) for key in keys) and blocks[0].facts.get((Aspect.TEXT, "text")) == inner[0].facts.get((Aspect.TEXT, "text"))


def _without_breaks_moved(changes: Sequence[Change]) -> list[Change]:
    """The changes less those by which a program gave a section break a paragraph of its own, or took that away."""
    break_key = (Aspect.STRUCTURE, "section break")
    dropped: set[int] = set()
    lost = [change for change in changes if (change.aspect, change.name) == break_key and not change.place and change.after is None]
    for change in lost:
        container, _, last = change.address.rpartition("/paragraph[")
        before = f"{container}/paragraph[{int(last.rstrip(']')) - 1}]" if last.rstrip("]").isdigit() else ""
        for other in changes:
            if (other.aspect, other.name) == break_key and not other.place and other.before is None and other.after == change.before and other.address == before:
                dropped.update((id(change), id(other)))
                dropped.update(id(one) for one in changes if one.place and one.kind is ChangeKind.MOVED and one.address == change.address)
    for change in changes:
        if not change.place or change.node is None or change.node.kind != "paragraph" or change.kind is ChangeKind.MOVED or change.node.text:
            continue
        kind = change.node.facts.get(break_key)
        removed = change.kind is ChangeKind.REMOVED
        if kind is None or not change.node.number:
            continue
        before = f"{change.address.rpartition('/')[0]}/paragraph[{change.node.number - 1}]"
        for other in changes:
            place = other.address if removed else other.other_address or other.address
            moved = (other.after if removed else other.before) == kind and (other.before if removed else other.after) is None
            if (other.aspect, other.name) == break_key and not other.place and moved and place == before:
                dropped.update((id(change), id(other)))
    return [change for change in changes if id(change) not in dropped]
