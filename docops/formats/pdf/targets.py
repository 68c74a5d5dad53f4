"""Where links, bookmarks and actions lead: a named destination, an explicit one and a GoTo action to one view are one target."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from docops.core.node import Value
from docops.formats.pdf.canonical import Canonical, number_text
from docops.formats.pdf.reading import Broken, Name, Object, Objects, Ref, Stream, as_text

_MAX_TREE = 100_000
_MAX_CHAIN = 50
#: Parameters of each kind of view.
_VIEW_ARGUMENTS = {"XYZ": 3, "FitH": 1, "FitV": 1, "FitBH": 1, "FitBV": 1, "FitR": 4, "Fit": 0, "FitB": 0}


def name_tree(objects: Objects, root: Object) -> Iterator[tuple[str, Object]]:
    """The pairs of a name tree, in order; a number tree gives its numbers as text."""
    stack = [root]
    seen: set[Ref] = set()
    count = 0
    while stack:
        reference = stack.pop()
        if isinstance(reference, Ref):
            if reference in seen:
                continue
            seen.add(reference)
        node = objects.dict_at(reference)
        for key in ("Names", "Nums"):
            pairs = objects.list_at(node, key)
            for name, value in zip(pairs[::2], pairs[1::2], strict=False):
                name = objects.get(name)
                text = as_text(name)
                count += 1
                if count > _MAX_TREE:
                    return
                yield text if text is not None else number_text(name) if isinstance(name, int | float) else str(name), value
        stack.extend(reversed(objects.list_at(node, "Kids")))


class Targets:
    """Destinations and actions of one document, spelt so that equal targets are equal texts."""

    def __init__(self, objects: Objects, canonical: Canonical) -> None:
        self.objects = objects
        self.canonical = canonical

    @cached_property
    def named(self) -> dict[str, Object]:
        """Named destinations, of the name tree and of the old dictionary."""
        objects = self.objects
        out = dict(objects.dict_at(objects.catalog, "Dests"))
        out.update(name_tree(objects, objects.at(objects.catalog, "Names", "Dests")))
        return out

    def page_of(self, destination: Object) -> int | None:
        """The 0-based page that a destination or action shows, or None."""
        for _ in range(8):
            value = self.objects.get(destination)
            if isinstance(value, dict) and "S" in value:
                if value.get("S") != "GoTo":
                    return None
                destination = value.get("D")
            elif isinstance(value, dict):
                destination = value.get("D")
            elif isinstance(value, str | bytes):
                destination = self.named.get(as_text(value) or "")
            elif isinstance(value, list) and value:
                page = value[0]
                if isinstance(page, Ref):
                    return self.objects.page_numbers.get(page)
                return page if isinstance(page, int) and 0 <= page < len(self.objects.pages) else None
            else:
                return None
        return None

    def destination(self, destination: Object) -> str:
        """A destination as text: the page and the view."""
        value: Object = None
        for _ in range(8):
            value = self.objects.get(destination)
            if isinstance(value, dict):
                destination = value.get("D")
            elif isinstance(value, str | bytes):
                name = as_text(value) or ""
                if name not in self.named:
                    return f"undefined destination {name!r}"
                destination = self.named[name]
            else:
                break
        if isinstance(value, Broken):
            return f"unreadable destination ({value.reason})"
        if not isinstance(value, list) or not value:
            return "no destination"
        page = self.page_of(value)
        if page is not None:
            where = f"page {self.canonical.page_name(page)}"
        elif self.objects.at(value, 0, "Type") == "Page":
            where = "no page (the page it names is not among the document's pages)"
        else:
            where = "no page"
        return f"{where}, {self._view(value[1:])}"

    def _view(self, items: list[Object]) -> str:
        kind = str(self.objects.get(items[0])) if items else "Fit"
        count = _VIEW_ARGUMENTS.get(kind)
        values = [self.objects.get(item) for item in items[1:]]
        if count is not None:
            values = (values + [None] * count)[:count]
        if kind == "XYZ" and values[2] == 0:
            values[2] = None
        spelt = [number_text(round(value, 2)) if isinstance(value, int | float) else "-" for value in values]
        return " ".join([kind, *spelt])

    def action(self, action: Object) -> Value:
        """An action, with those that follow it, as JSON: a text where it only goes somewhere."""
        out: list[Value] = []
        pending = [action]
        seen: set[Ref] = set()
        while pending and len(out) < _MAX_CHAIN:
            reference = pending.pop(0)
            if isinstance(reference, Ref):
                if reference in seen:
                    continue
                seen.add(reference)
            value = self.objects.get(reference)
            if isinstance(value, list):
                if value and (isinstance(value[0], Ref | int) or isinstance(self.objects.get(value[0]), dict)) and len(value) > 1 and isinstance(
                    self.objects.get(value[1]), Name
                ):
                    out.append(self.destination(value))
                else:
                    pending = [*value, *pending]
                continue
            if isinstance(value, str | bytes):
                out.append(self.destination(value))
                continue
            if not isinstance(value, dict):
                continue
            out.append(self._single(value))
            following = value.get("Next")
            if following is not None:
                pending = [following, *pending]
        return out[0] if len(out) == 1 else out

    def _single(self, action: dict[str, Object]) -> Value:
        kind = self.objects.text_at(action, "S") or ""
        rest = {key: value for key, value in action.items() if key not in {"S", "Type", "Next"}}
        if kind == "GoTo" and "D" in rest:
            target = self.destination(rest.pop("D"))
            return target if not rest else {"GoTo": target, "more": self.canonical.value(rest)}
        if kind == "URI":
            uri = self.objects.text_at(rest.pop("URI", None)) or ""
            if self.objects.get(rest.get("IsMap")) is False:
                del rest["IsMap"]
            return uri if not rest else {"URI": uri, "more": self.canonical.value(rest)}
        if kind == "JavaScript":
            return {"JavaScript": script_text(self.objects, rest.get("JS"))}
        return {kind: self.canonical.value(rest)}

    def uri(self, action: Object) -> str | None:
        """The URI that an action opens, or None."""
        value = self.objects.dict_at(action)
        return self.objects.text_at(value, "URI") if self.objects.at(value, "S") == "URI" else None


def script_text(objects: Objects, value: Object) -> str:
    """The source text of a script, a string or a stream."""
    from docops.formats.pdf.graphics import text_string

    resolved = objects.get(value)
    if isinstance(resolved, Stream):
        return text_string(resolved.data)
    return as_text(resolved) or ""
