"""Form fields: full names, inherited attributes, values, and what a reader sees of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from docops.core.address import format_segment
from docops.core.codes import Aspect, FindingCode
from docops.core.errors import Unreadable
from docops.core.node import Align, Node, Value
from docops.formats.pdf.annotations import FIELD_KEYS, Annotation, additional_actions, flag_names
from docops.formats.pdf.fonts import UNKNOWN
from docops.formats.pdf.graphics import short
from docops.formats.pdf.reading import Broken, Name, Object, Ref, Stream, as_text

if TYPE_CHECKING:
    from docops.formats.pdf.annotations import Facts
    from docops.formats.pdf.model import Model

_INHERITABLE = frozenset({"FT", "Ff", "V", "DV", "DA", "Q", "MaxLen", "Opt"})
_COMMON_FLAGS = ("read_only", "required", "no_export")
_FLAG_NAMES = {
    "Tx": {12: "multiline", 13: "password", 20: "file_select", 22: "no_spell_check", 23: "no_scroll", 24: "comb", 25: "rich_text"},
    "Btn": {14: "no_toggle_to_off", 15: "radio", 16: "push_button", 25: "in_unison"},
    "Ch": {17: "combo", 18: "edit", 19: "sorted", 21: "multi_select", 22: "no_spell_check", 26: "commit_on_change"},
}
_RADIO, _PUSH, _COMBO, _PASSWORD = 1 << 15, 1 << 16, 1 << 17, 1 << 13
_MAX_FIELDS = 100_000


@dataclass(slots=True, eq=False)
class Field:
    """One terminal field.

    name: its full name.   ordinal: which of several equal names.   chain: dictionaries from the top of the tree to the field.
    widgets: its widgets, as references where they are.
    """

    name: str
    chain: list[dict[str, Object]]
    widgets: list[Object] = field(default_factory=list)
    ordinal: int | None = None

    @property
    def address(self) -> str:
        """Its address in the document."""
        return format_segment("field", self.name, self.ordinal)

    def get(self, key: str) -> Object:
        """The field's own value of a key, or an inherited one."""
        own = self.chain[-1].get(key)
        if own is not None or key not in _INHERITABLE:
            return own
        return next((level[key] for level in reversed(self.chain) if key in level), None)


def _reads_as(shown: str, value: str) -> bool:
    """Whether that is the value, characters that the field's font lacks drawn as question marks."""
    if shown == value:
        return True
    return len(shown) == len(value) and all(a == b or (a == "?" and not b.isascii()) for a, b in zip(shown, value, strict=True))


class Form:
    """The interactive form of one document."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.objects = model.objects
        self.dict = self.objects.dict_at(self.objects.catalog, "AcroForm")
        self.need_appearances = self.objects.at(self.dict, "NeedAppearances") is True
        self.fields: tuple[Field, ...] = tuple(self._collect())
        self._by_widget = {widget: entry for entry in self.fields for widget in entry.widgets if isinstance(widget, Ref)}

    def field_of(self, reference: Object) -> Field | None:
        """The field that a widget belongs to."""
        return self._by_widget.get(reference) if isinstance(reference, Ref) else None

    def named(self, name: str) -> list[Field]:
        """Fields of that full name."""
        return [entry for entry in self.fields if entry.name == name]

    def _collect(self) -> list[Field]:
        out: list[Field] = []
        seen: set[Ref] = set()
        stack: list[tuple[Object, list[dict[str, Object]], str]] = [(item, [], "") for item in reversed(self.objects.list_at(self.dict, "Fields"))]
        while stack:
            reference, above, prefix = stack.pop()
            if isinstance(reference, Ref):
                if reference in seen:
                    continue
                seen.add(reference)
            entry = self.objects.get(reference)
            if isinstance(entry, Broken):
                entry = {"T": "unreadable field", "Broken": entry}
            if not isinstance(entry, dict):
                continue
            if len(above) > self.objects.limits.depth or len(out) > _MAX_FIELDS:
                raise Unreadable(FindingCode.LIMIT_EXCEEDED, "the tree of form fields is too deep or too large")
            partial = self.objects.text_at(entry, "T")
            name = prefix if partial is None else f"{prefix}.{partial}" if prefix else partial
            chain = [*above, entry]
            kids = self.objects.list_at(entry, "Kids")
            named_kids = [kid for kid in kids if "T" in self.objects.dict_at(kid)]
            if named_kids:
                stack.extend((kid, chain, name) for kid in reversed(named_kids))
            if not named_kids or len(named_kids) < len(kids):
                widgets = [kid for kid in kids if kid not in named_kids] if kids else [reference]
                out.append(Field(name, chain, widgets))
        self._number(out)
        return out

    @staticmethod
    def _number(fields: list[Field]) -> None:
        counts: dict[str, int] = {}
        for entry in fields:
            counts[entry.name] = counts.get(entry.name, 0) + 1
            if counts[entry.name] > 1:
                entry.ordinal = counts[entry.name]

    # -- what a field is -------------------------------------------------------------------------------------------

    def type_of(self, entry: Field) -> str:
        """`text`, `checkbox`, `radio`, `push_button`, `combo`, `list`, `signature`."""
        kind = self.objects.text_at(entry.get("FT"))
        flags = self.objects.int_at(entry.get("Ff"))
        if kind == "Btn":
            return "push_button" if flags & _PUSH else "radio" if flags & _RADIO else "checkbox"
        if kind == "Ch":
            return "combo" if flags & _COMBO else "list"
        return {"Tx": "text", "Sig": "signature"}.get(kind or "", kind or "none")

    def stored_value(self, entry: Field) -> Value:
        """The value as stored: text, a list of texts, or None where there is none."""
        value = self.objects.get(entry.get("V"))
        if isinstance(value, list):
            return [as_text(self.objects.get(item)) or "" for item in value]
        if isinstance(value, Stream):
            from docops.formats.pdf.graphics import text_string

            return text_string(value.data)
        if isinstance(value, dict):
            return "signed"
        if isinstance(value, Broken):
            return f"unreadable object ({value.reason})"
        text = as_text(value)
        if text is not None and not isinstance(value, Name) and self.objects.text_at(entry.get("FT")) == "Btn":
            return text.removeprefix("/")  # pypdf writes the name of a radio button's state as a text
        if text is not None:
            return text.replace("\r\n", "\n").replace("\r", "\n")
        return None if value is None else str(value)

    def value(self, entry: Field) -> Value:
        """The value; "" where a text or choice field has none, `Off` where a button has none."""
        stored = self.stored_value(entry)
        if stored is not None:
            return stored
        return {"checkbox": "Off", "radio": "Off", "signature": None, "push_button": None}.get(self.type_of(entry), "")

    def display_value(self, entry: Field) -> Value:
        """The value as a field shows it: options by their captions."""
        value = self.value(entry)
        captions = dict(self.options(entry))
        if isinstance(value, list):
            return [captions.get(str(item), str(item)) for item in value]
        return captions.get(value, value) if isinstance(value, str) else value

    def options(self, entry: Field) -> list[tuple[str, str]]:
        """Export values and captions of a choice field (or of a button's widgets)."""
        out = []
        for item in self.objects.list_at(entry.get("Opt")):
            pair = self.objects.get(item)
            if isinstance(pair, list) and len(pair) == 2:
                out.append((self.objects.text_at(pair[0]) or "", self.objects.text_at(pair[1]) or ""))
            else:
                text = as_text(pair) or ""
                out.append((text, text))
        return out

    # -- what a reader sees ----------------------------------------------------------------------------------------

    def button_state(self, entry: Field) -> str:
        """The state that the widgets show: the name of the one that is on, or `Off`."""
        on: list[str] = []
        for widget in entry.widgets:
            shown = self._widget_state(entry, self.objects.dict_at(widget))
            if shown != "Off" and shown not in on:
                on.append(shown)
        return ", ".join(on) or "Off"

    def _widget_state(self, entry: Field, widget: dict[str, Object]) -> str:
        state = self.objects.text_at(widget, "AS")
        faces = self.objects.at(widget, "AP", "N")
        if state is None:
            state = str(self.value(entry)) if isinstance(faces, dict) and self.value(entry) in faces else "Off"
        if isinstance(faces, dict) and state not in faces and not self.need_appearances:
            return "Off"
        return state

    def visible_widgets(self, entry: Field) -> list[dict[str, Object]]:
        """The widgets that a reader sees: they stand on a page, have a size there, and are not hidden."""
        out = []
        for reference in entry.widgets:
            page = self.model.page_of_widget(reference)
            if page is None and isinstance(reference, Ref):
                continue
            widget = self.objects.dict_at(reference)
            if not self.model.hidden_annotation(widget) and (page is None or self.model.stands_on(page, widget)):
                out.append(widget)
        return out

    def shown_text(self, entry: Field, *, stored: bool = False) -> str | None:
        """The text that the appearances of a text or choice field show; None where it cannot be told.

        stored: as the file has it, even where it asks readers to draw the fields anew.
        """
        if self.need_appearances and not stored:
            value = self.display_value(entry)
            return "\n".join(map(str, value)) if isinstance(value, list) else str(value)
        texts = []
        for widget in self.visible_widgets(entry):
            stream = self.objects.at(widget, "AP", "N")
            if stream is None:
                return None  # readers draw the value of a field that brings no appearance
            text = self.model.appearance_text(stream) if isinstance(stream, Stream) else ""
            if UNKNOWN in text:
                return None
            texts.append(text)
        distinct = list(dict.fromkeys(texts))
        return "\n".join(distinct) if distinct else ""

    def captions(self, entry: Field) -> list[Value]:
        """What the faces of a push button say."""
        out: list[Value] = []
        for reference in entry.widgets:
            widget = self.objects.dict_at(reference)
            face = self.model.face(widget)
            text = self.model.appearance_text(face) if face is not None else self.objects.text_at(widget, "MK", "CA")
            if text and text not in out:
                out.append(text)
        return out

    def contradiction(self, entry: Field, *, stored: bool = False) -> tuple[Value, Value] | None:
        """What is stored and what is shown, where the two contradict each other.   stored: see `shown_text`."""
        kind = self.type_of(entry)
        if kind in {"checkbox", "radio"}:
            state, held = self.button_state(entry), str(self.value(entry))
            captions = dict(zip((str(n) for n in range(10_000)), (caption for _, caption in self.options(entry)), strict=False))
            return None if held == state or captions.get(state) == held else (held, state)
        if kind not in {"text", "combo"} or (self.objects.int_at(entry.get("Ff")) & _PASSWORD and kind == "text"):
            return None
        if "F" in self.objects.dict_at(entry.chain[-1], "AA") or any("F" in self.objects.dict_at(widget, "AA") for widget in entry.widgets):
            return None  # a script formats what is shown
        if not self.visible_widgets(entry):
            return None
        shown = self.shown_text(entry, stored=stored)
        if shown is None or self._shows(entry, shown, _reads_as):
            return None
        return self.display_value(entry), shown

    def shows_what_it_holds(self, entry: Field) -> bool:
        """Whether the stored appearances are as a reader's program would draw the field: its value, or options of a list."""
        shown = self.shown_text(entry, stored=True)
        if shown is None:
            return False
        if self.type_of(entry) == "list":
            return set(filter(None, shown.split("\n"))) <= {caption for _, caption in self.options(entry)}
        return self.contradiction(entry, stored=True) is None

    def _shows(self, entry: Field, shown: str, same: Callable[[str, str], bool]) -> bool:
        """Whether a text is the field's value: its caption, or what is stored for it, which programs draw as well."""
        texts = {"".join(str(value).split()) for value in (self.display_value(entry), self.value(entry))}
        return any(same("".join(shown.split()), text) for text in texts)

    def _shows_code(self, entry: Field) -> bool:
        """Whether a choice shows what is stored for its value where that has a caption to be read."""
        value, caption = self.value(entry), self.display_value(entry)
        return value != caption and self.shown_text(entry, stored=True) not in (None, "", caption)

    def shows_text(self, annotation: Annotation) -> bool:
        """Whether an annotation is the widget of a field that shows its value as a text."""
        entry = self.field_of(annotation.reference)
        return entry is not None and self.type_of(entry) in {"text", "combo"}

    def appearance_derives(self, annotation: Annotation) -> bool:
        """Whether all text of a widget's appearance is its field's value in the field's font, size and colour.

        Such a text follows from the field: programs write it anew, a little elsewhere, whenever they fill a form. What else
        the appearance draws, its frame and ground, is its own.
        """
        entry = self.field_of(annotation.reference)
        if entry is None or not self.shows_text(annotation):
            return False
        stream = self.objects.at(annotation.dict, "AP", "N")
        if not isinstance(stream, Stream):
            return False
        content = self.model.appearance_content(stream)
        if content.pictures:
            return False
        matrix = self.objects.numbers_at(stream.dict, "Matrix")
        box = self.objects.numbers_at(stream.dict, "BBox")
        rect = self.objects.numbers_at(annotation.dict, "Rect")
        if box is None or rect is None or len(box) != 4 or len(rect) != 4 or matrix not in (None, [1.0, 0.0, 0.0, 1.0, 0.0, 0.0]):
            return False
        if abs(abs(box[2] - box[0]) - abs(rect[2] - rect[0])) > 0.1 or abs(abs(box[3] - box[1]) - abs(rect[3] - rect[1])) > 0.1:
            return False
        if set(stream.dict) - {"Type", "Subtype", "FormType", "BBox", "Matrix", "Resources", "Length", "Filter", "DecodeParms", "Name"}:
            return False
        if stream.dict.get("Subtype") != "Form" or stream.dict.get("Type") not in ("XObject", None):
            return False
        appearance = self.default_appearance(entry)
        for fragment in content.fragments:
            if fragment.hidden or fragment.font is None or fragment.tags not in {("Tx",), ()} or fragment.colour.text != appearance["colour"]:
                return False
            if appearance["size"] and abs(float(appearance["size"]) - fragment.size) > 0.05:
                return False
            if fragment.font.name != appearance["font"] and content.fragments[0].text.strip():
                return False
        return self._shows(entry, self.model.appearance_text(stream), str.__eq__)

    def default_appearance(self, entry: Field) -> dict[str, Any]:
        """Font, size, colour and the rest of the default appearance string."""
        from docops.formats.pdf.content import Interpreter
        from docops.formats.pdf.graphics import State
        from docops.formats.pdf.tokens import operations

        source = entry.get("DA")
        if source is None:
            source = next((self.objects.at(widget, "DA") for widget in entry.widgets if self.objects.at(widget, "DA") is not None), self.dict.get("DA"))
        text = self.objects.get(source)
        data = text.encode("latin-1", "replace") if isinstance(text, str) else text if isinstance(text, bytes) else b""
        out: dict[str, Any] = {"font": "", "size": 0, "colour": "000000", "data": None, "rest": ""}
        rest = []
        machine = Interpreter(self.objects, self.model.canonical, lambda _: False, {})
        for name, args in operations(data, 1000):
            if name == "Tf" and len(args) == 2 and isinstance(args[1], int | float):
                resource = self.objects.dict_at(self.dict, "DR", "Font").get(str(args[0]))
                own = self.objects.text_at(resource, "BaseFont")
                out["font"] = own or str(args[0])
                out["data"] = self.model.canonical.digest(resource) if resource is not None else None
                out["size"] = args[1]
            elif name in {"g", "rg", "k"} and len(args) == {"g": 1, "rg": 3, "k": 4}[name] and all(isinstance(item, int | float) for item in args):
                state = State()
                machine._set(name, args, {}, state)
                out["colour"] = state.fill.text
            else:
                rest.append(f"{name}{args!r}")
        out["rest"] = short(*rest) if rest else ""
        return out

    # -- nodes -----------------------------------------------------------------------------------------------------

    def nodes(self, root: Node) -> list[Node]:
        """The field nodes, and the node of the form itself where it states anything."""
        out = [
            Node(
                root,
                "field",
                name=entry.name,
                ordinal=entry.ordinal,
                align=Align.KEY,
                facts=self._facts(entry),
                label=entry.name,
                # A field with one widget usually is that widget, one dictionary: naming either names both.
                also=tuple(filter(None, (self.model.widget_address(widget) for widget in entry.widgets))) if len(entry.widgets) == 1 else (),
            )
            for entry in self.fields
        ]
        facts = self._form_facts()
        if facts:
            out.append(Node(root, "form", align=Align.KEY, facts=facts))
        return out

    def _facts(self, entry: Field) -> Any:
        return lambda: dict(self._field_facts(entry))

    def _field_facts(self, entry: Field) -> Iterator[tuple[tuple[Aspect, str], Value]]:
        objects, canonical = self.objects, self.model.canonical
        kind = self.type_of(entry)
        yield (Aspect.FORM, "type"), kind
        if kind != "push_button":
            yield (Aspect.FORM, "value"), self.value(entry)
        if kind in {"checkbox", "radio"}:
            yield (Aspect.FORM, "state"), self.button_state(entry)
            if isinstance(objects.get(entry.get("V")), str) and not isinstance(objects.get(entry.get("V")), Name):
                yield (Aspect.RAW, "value_kind"), "text"
        elif kind in {"text", "combo"}:
            contradiction = self.contradiction(entry, stored=True)
            if contradiction is not None:
                yield (Aspect.FORM, "shown"), contradiction[1]
            elif kind == "combo" and self._shows_code(entry):
                yield (Aspect.FORM, "shown"), self.value(entry)
        if objects.get(entry.get("DV")) is not None:
            yield (Aspect.FORM, "default"), canonical.value(entry.get("DV"))
        if kind == "signature" and isinstance(objects.get(entry.get("V")), dict):
            from docops.formats.pdf.parts import signature_facts

            yield (Aspect.PROTECTION, "signature"), short(*(f"{name} {value!r}" for (_, name), value in signature_facts(self.model, objects.dict_at(entry.get("V"))).items()))
        options = self.options(entry)
        if options:
            yield (Aspect.FORM, "options"), [export if export == caption else [export, caption] for export, caption in options]
        if objects.get(entry.get("MaxLen")) is not None:
            yield (Aspect.VALIDATION, "max_length"), objects.int_at(entry.get("MaxLen"))
        flags = objects.int_at(entry.get("Ff"))
        names = _FLAG_NAMES.get(objects.text_at(entry.get("FT")) or "", {})
        yield (Aspect.FORM, "flags"), flag_names(flags, tuple((_COMMON_FLAGS[n] if n < 3 else names.get(n, "")) for n in range(32)))
        for key, name in (("TU", "alternate_name"), ("TM", "mapping_name")):
            if objects.at(entry.chain[-1], key) is not None:
                yield (Aspect.NAME, name), objects.text_at(entry.chain[-1], key)
        if kind in {"text", "combo", "list"}:
            appearance = self.default_appearance(entry)
            yield (Aspect.FORMAT, "font"), f"{appearance['font']} {appearance['size']}".strip()
            yield (Aspect.FORMAT, "colour"), appearance["colour"]
            if appearance["data"] is not None:
                yield (Aspect.RAW, "font"), appearance["data"]
            if appearance["rest"]:
                yield (Aspect.RAW, "appearance"), appearance["rest"]
            alignment = entry.get("Q") if entry.get("Q") is not None else self.dict.get("Q")
            yield (Aspect.FORMAT, "alignment"), {1: "centre", 2: "right"}.get(objects.int_at(alignment), "left")
        elif entry.get("DA") is not None:
            yield (Aspect.FORMAT, "DA"), canonical.value(entry.get("DA"))
        yield (Aspect.FORM, "widgets"), [self.model.widget_pages.get(widget, "no page") if isinstance(widget, Ref) else "?" for widget in entry.widgets]
        looks = self.model.widget_looks(entry)
        if looks:
            yield (Aspect.FORMAT, "look"), looks
        own = entry.chain[-1]
        is_widget = "Subtype" in own
        if "AA" in own and not is_widget:
            yield (Aspect.CODE, "actions"), additional_actions(self.model, own["AA"])
        known = {"FT", "Kids", "T", "TU", "TM", "Ff", "V", "DV", "DA", "Q", "Opt", "MaxLen", "Parent", "AA", "Type"}
        for key in sorted(set(own) - known):
            if key in FIELD_KEYS or not is_widget:
                if key == "TI" and objects.get(own[key]) == 0:
                    continue
                yield (Aspect.RAW, key), canonical.value(own[key])
        for level in entry.chain[:-1]:
            extra = {key: value for key, value in level.items() if key not in _INHERITABLE | {"T", "Kids", "Parent", "Type"}}
            if extra:
                yield (Aspect.RAW, f"ancestor {objects.text_at(level, 'T') or ''}"), canonical.value(extra)

    def _form_facts(self) -> Facts:
        canonical = self.model.canonical
        facts: Facts = {}
        if "SigFlags" in self.dict:
            facts[Aspect.PROTECTION, "signature_flags"] = self.objects.int_at(self.dict, "SigFlags")
        order = self.objects.list_at(self.dict, "CO")
        if order:
            addresses = [self._by_widget.get(item) for item in order if isinstance(item, Ref)]
            facts[Aspect.CODE, "calculation_order"] = [entry.name if entry is not None else "?" for entry in addresses]
        for key in sorted(set(self.dict) - {"Fields", "NeedAppearances", "DR", "DA", "Q", "SigFlags", "CO"}):
            facts[Aspect.RAW, key] = canonical.value(self.dict[key])
        return facts

    @cached_property
    def empty(self) -> bool:
        """Whether the document has no form field."""
        return not self.fields
