"""Predicates of the whole document: properties, attachments, protection, scripts, signatures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from docops.core.codes import Family, FindingCode
from docops.core.node import Node, Value
from docops.core.predicate import Context, Evidence, Example, Finding, predicate
from docops.formats.pdf.predicates.common import PDF, Result, document_of, file, form, moved, three
from docops.formats.pdf.samples import SamplePage, pdf

if TYPE_CHECKING:
    pass


@predicate(
    "pdf.metadata",
    family=Family.STRUCTURAL,
    formats=PDF,
    examples=(
        Example("as wanted", file("offer.pdf", three), {"at": "offer.pdf", "key": "title", "equals": "Offer"}, passes=True),
        Example("another author", file("offer.pdf", three), {"at": "offer.pdf", "key": "author", "equals": "Bob"}, passes=FindingCode.MISMATCH),
        Example("no subject", file("offer.pdf", three), {"at": "offer.pdf", "key": "subject", "equals": "Bolts"}, passes=FindingCode.MISSING),
    ),
)
def metadata(context: Context, *, at: str, key: str, equals: str) -> Result:
    """The document's property has this value, wherever the document states it.

    at: the document.   equals: the value.
    key: its name in the information dictionary (Title, Author, Subject, Keywords, …), in any case, or another property's.

    Not checked: modification time and producer, which every program that saves writes anew.
    """
    from docops.formats.pdf.metadata import info_values, xmp_values

    target = context.target(at, formats=PDF)
    model = document_of(target).model
    values = (info_values(model), xmp_values(model))
    name = next((known for known in (*values[0], *values[1]) if known.lower() == key.lower()), key)
    found = [known[name] for known in values if name in known]
    if not found:
        yield Finding(FindingCode.MISSING, target.place(), equals, None, f"the document has no property {key!r}")
        return
    address = target.place(next((node.address for node in target.document.root.children if node.kind == "property" and node.name == name), ""))
    wrong = [value for value in found if value not in (equals, [equals])]
    if wrong:
        yield Finding(FindingCode.MISMATCH, address, equals, wrong[0], f"property {key!r} is {wrong[0]!r}, {equals!r} is wanted")
    else:
        yield Evidence(address, equals)


@predicate(
    "pdf.attachment",
    family=Family.STRUCTURAL,
    formats=PDF,
    examples=(
        Example("there", file("offer.pdf", three), {"at": "offer.pdf", "name": "prices.csv"}, passes=True),
        Example("not there", file("offer.pdf", moved), {"at": "offer.pdf", "name": "prices.csv"}, passes=FindingCode.MISSING),
        Example("empty", file("a.pdf", lambda: pdf([SamplePage("x")], attachments={"a.txt": b""})), {"at": "a.pdf", "name": "a.txt"}, FindingCode.MISMATCH),
    ),
)
def attachment(context: Context, *, at: str, name: str) -> Result:
    """A file of this name is attached, and holds something.

    at: the document.   name: the file's name.

    Not checked: what the file holds.
    """
    from docops.formats.pdf.parts import attachment_data

    target = context.target(at, formats=PDF)
    model = document_of(target).model
    for entry in model.attachments:
        if entry.name == name:
            data = attachment_data(model, entry.reference)
            node: Node | None = next((item for item in target.document.root.children if item.kind == "attachment" and item.name == name), None)
            if data:
                yield Evidence(target.place(node), f"{len(data)} bytes")
            else:
                yield Finding(FindingCode.MISMATCH, target.place(node), "a file", None, f"the attachment {name!r} is empty")
            return
    names: list[Value] = [entry.name for entry in model.attachments]
    yield Finding(FindingCode.MISSING, target.place(), name, names, f"no file {name!r} is attached; attached: {', '.join(map(str, names)) or 'none'}")


@predicate(
    "pdf.encrypted",
    family=Family.STRUCTURAL,
    formats=PDF,
    examples=(
        Example("open", file("offer.pdf", three), {"at": "offer.pdf", "equals": False}, passes=True),
        Example("not protected", file("offer.pdf", three), {"at": "offer.pdf", "equals": True}, passes=FindingCode.MISMATCH),
    ),
)
def encrypted(context: Context, *, at: str, equals: bool = True) -> Result:
    """The document is encrypted, or is not.

    at: the document.   equals: whether it is; true also where it opens without a password.

    Not checked: strength and permissions. A document that needs a password cannot be read and fails before.
    """
    target = context.target(at, formats=PDF)
    found = document_of(target).objects.encrypted
    if found is equals:
        yield Evidence(target.place(), "encrypted" if found else "not encrypted")
    else:
        yield Finding(FindingCode.MISMATCH, target.place(), equals, found, f"the document is {'' if found else 'not '}encrypted")


@predicate(
    "pdf.no_javascript",
    family=Family.STRUCTURAL,
    formats=PDF,
    examples=(
        Example("none", file("offer.pdf", three), {"at": "offer.pdf"}, passes=True),
        Example("a script", file("a.pdf", lambda: pdf([SamplePage("x")], script="app.alert(1)")), {"at": "a.pdf"}, passes=FindingCode.UNEXPECTED),
    ),
)
def no_javascript(context: Context, *, at: str) -> Result:
    """The document holds no script.

    at: the document.

    Not checked: other actions (launching a program, sending a form).
    """
    from docops.core.spans import Role

    target = context.target(at, formats=PDF)
    scripts = [span for span in target.document.spans() if span.role is Role.CODE]
    for span in scripts:
        yield Finding(FindingCode.UNEXPECTED, target.place(span.address), None, span.text[:200], "the document holds a script")
    actions = [node for node in target.document.root.walk() for value in node.facts.values() if "JavaScript" in str(value) and node.kind != "property"]
    known = {span.address for span in scripts}
    for node in dict.fromkeys(actions):
        if node.address not in known:
            yield Finding(FindingCode.UNEXPECTED, target.place(node), None, "an action with a script", "the document holds a script")
    if not scripts and not actions:
        yield Evidence(target.place(), "no script")


@predicate(
    "pdf.signature",
    family=Family.STRUCTURAL,
    formats=PDF,
    examples=(
        Example("not signed", form(), {"at": "form.pdf"}, passes=FindingCode.MISSING),
        Example("wants none", form(), {"at": "form.pdf", "signed": False}, passes=True),
    ),
)
def signature(context: Context, *, at: str, signed: bool = True, name: str | None = None) -> Result:
    """The document carries a signature over all of its bytes, or carries none.

    at: the document.   signed: whether it shall.   name: full name of the signature's field; any, where left out.

    Not checked: the signer's certificate. The signed digest must be that of the bytes.
    """
    target = context.target(at, formats=PDF)
    nodes = [node for node in target.document.root.children if node.kind == "signature" and (name is None or node.name == name)]
    if not signed:
        for node in nodes:
            yield Finding(FindingCode.UNEXPECTED, target.place(node), None, node.name, f"the document is signed in field {node.name!r}")
        if not nodes:
            yield Evidence(target.place(), "not signed")
        return
    if not nodes:
        yield Finding(FindingCode.MISSING, target.place(), name or "a signature", None, "the document is not signed")
    for node in nodes:
        facts = {fact: value for (_, fact), value in node.facts.items()}
        if facts.get("intact") is False or facts.get("covers") != "whole file":
            yield Finding(FindingCode.MISMATCH, target.place(node), "whole file", facts.get("covers"), f"the document was changed after it was signed in {node.name!r}")
        else:
            yield Evidence(target.place(node), "signed")
