"""The predicate of form fields."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any
from unicodedata import normalize

from docops.core.codes import Family, FindingCode
from docops.core.node import Value
from docops.core.predicate import Context, Evidence, Example, Finding, predicate
from docops.formats.pdf.predicates.common import PDF, Result, document_of, form, page_text

if TYPE_CHECKING:
    from docops.formats.pdf.document import PdfDocument


@predicate(
    "pdf.form_field",
    family=Family.STRUCTURAL,
    formats=PDF,
    examples=(
        Example("filled", form(name="Jane Doe"), {"at": "form.pdf", "name": "name", "equals": "Jane Doe"}, passes=True),
        Example("empty", form(), {"at": "form.pdf", "name": "name", "equals": "Jane Doe"}, passes=FindingCode.MISMATCH),
        Example("drawn on the page", form(drawn="Jane Doe"), {"at": "form.pdf", "name": "name", "equals": "Jane Doe"}, FindingCode.MISMATCH),
        Example("value set, nothing shown", form(name="Jane Doe", shown=""), {"at": "form.pdf", "name": "name", "equals": "Jane Doe"}, FindingCode.STALE_VALUE),
        Example("no such field", form(), {"at": "form.pdf", "name": "surname", "equals": "Doe"}, passes=FindingCode.MISSING),
        Example("on", form(agree="Yes"), {"at": "form.pdf", "name": "agree", "equals": True}, passes=True),
        Example("off", form(), {"at": "form.pdf", "name": "agree", "equals": True}, passes=FindingCode.MISMATCH),
        Example("value on, face off", form(agree="Yes", face="Off"), {"at": "form.pdf", "name": "agree", "equals": "Yes"}, FindingCode.STALE_VALUE),
        Example("choice", form(country="Portugal"), {"at": "form.pdf", "name": "country", "equals": "Portugal"}, passes=True),
    ),
)
def form_field(context: Context, *, at: str, name: str, equals: str | bool | float | list[str]) -> Result:
    """The form field holds this value, and shows it.

    at: the document.   name: the field's full name.
    equals: its value; for a choice also the caption; for a button the name of its state, true for any on, false for off.

    Not checked: text drawn on the page beside or over the field; it does not fill a field.
    """
    target = context.target(at, formats=PDF)
    document = document_of(target)
    fields_of = document.model.form
    fields = fields_of.named(name)
    if not fields:
        known = [entry.name for entry in fields_of.fields]
        near = difflib.get_close_matches(name, known, 1)
        hint = f"; did you mean {near[0]!r}?" if near else f"; its fields: {', '.join(known[:12])}" if known else "; it has no form fields"
        yield Finding(FindingCode.MISSING, target.place(), name, None, f"the document has no form field {name!r}{hint}")
        return
    for entry in fields:
        address = target.place(entry.address)
        kind = fields_of.type_of(entry)
        button = kind in {"checkbox", "radio", "push_button"}
        observed: Value = fields_of.button_state(entry) if button else fields_of.value(entry)
        if button:
            captions = dict(zip((str(n) for n in range(len(fields_of.options(entry)))), (caption for _, caption in fields_of.options(entry)), strict=True))
            wanted = str(equals).removeprefix("/")  # a name may be written as PDF writes names
            holds = (observed != "Off") is equals if isinstance(equals, bool) else wanted in (observed, captions.get(str(observed))) or equals == captions.get(str(observed))
        else:
            holds = _same_value(observed, equals) or _same_value(fields_of.display_value(entry), equals)
        if not holds:
            yield _not_filled(document, address, entry.name, equals, observed)
        contradiction = fields_of.contradiction(entry)
        if contradiction is not None:
            stored, shown = contradiction
            message = f"field {name!r} holds {stored!r} but shows {shown!r}" if shown else f"field {name!r} holds {stored!r} but shows nothing"
            yield Finding(FindingCode.STALE_VALUE, address, stored, shown, message)
        elif holds and not fields_of.visible_widgets(entry):
            yield Finding(FindingCode.HIDDEN_TEXT, address, equals, observed, f"field {name!r} holds the value but stands on no page where it can be seen")
        elif holds:
            yield Evidence(address, str(observed))


def _same_value(observed: Value, wanted: Any) -> bool:
    if isinstance(observed, list):
        return bool(observed == ([wanted] if isinstance(wanted, str) else wanted))
    if isinstance(wanted, list):
        return [observed] == wanted
    if isinstance(wanted, bool):
        return False
    if isinstance(wanted, int | float):
        try:
            return float(str(observed)) == wanted
        except ValueError:
            return False
    return isinstance(observed, str) and isinstance(wanted, str) and normalize("NFC", observed) == normalize("NFC", wanted)


def _not_filled(document: PdfDocument, address: str, name: str, wanted: Any, observed: Value) -> Finding:
    if isinstance(wanted, str) and wanted.strip() and observed in ("", None):
        for page in document.objects.pages:
            if wanted in page_text(document, page):
                message = f"field {name!r} is empty; {wanted!r} is only drawn on page {page.index + 1}"
                return Finding(FindingCode.MISMATCH, address, wanted, observed, message)
    return Finding(FindingCode.MISMATCH, address, wanted, observed, f"field {name!r} holds {observed!r}, {wanted!r} is wanted")
