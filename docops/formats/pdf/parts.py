"""The rest of a document: attachments, layers, structure tree, signatures, scripts, protection, catalogue."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from docops.core.address import format_segment
from docops.core.codes import Aspect
from docops.core.node import Align, Node, Value
from docops.formats.pdf.annotations import Facts, additional_actions
from docops.formats.pdf.graphics import short
from docops.formats.pdf.reading import Broken, Name, Object, Ref, Stream, as_text
from docops.formats.pdf.targets import name_tree, script_text

if TYPE_CHECKING:
    from docops.formats.pdf.model import Model

_PERMISSIONS = {3: "print", 4: "change", 5: "copy", 6: "annotate", 9: "fill_forms", 10: "extract_for_accessibility", 11: "assemble", 12: "print_high_quality"}
_MAX_DEPTH = 60
_MAX_ELEMENTS = 200_000


# -- attachments -------------------------------------------------------------------------------------------------------


class Attachment(NamedTuple):
    """One file that the document carries.

    ordinal: which of several of that name.   reference: its file specification.
    listed: readers list it among the document's files.   owners: addresses of the annotation that carries it, and of that one's page.
    """

    name: str
    ordinal: int | None
    reference: Object
    listed: bool
    owners: tuple[str, ...] = ()

    @property
    def address(self) -> str:
        """Its address in the document."""
        return format_segment("attachment", self.name, self.ordinal)


def attachments(model: Model) -> list[Attachment]:
    """The files that the document carries: of its name tree, and of annotations."""
    objects = model.objects
    found: list[tuple[str, Object, tuple[str, ...]]] = []
    for key, value in name_tree(objects, objects.at(objects.catalog, "Names", "EmbeddedFiles")):
        found.append((key, value, ()))
    for page in objects.pages:
        for annotation in model.annotations(page):
            if "FS" in annotation.dict and isinstance(objects.get(annotation.dict["FS"]), dict):
                place = f"page[{page.index + 1}]"
                found.append(("", annotation.dict["FS"], (f"{place}/annotation[{annotation.number}]", place)))
    out: dict[object, Attachment] = {}
    counts: dict[str, int] = {}
    for key, value, owners in found:
        identity = value if isinstance(value, Ref) else id(objects.get(value))
        if identity in out:
            out[identity] = out[identity]._replace(owners=out[identity].owners or owners[:1])
            continue
        specification = objects.dict_at(value)
        name = objects.text_at(specification, "UF") or objects.text_at(specification, "F") or key
        counts[name] = counts.get(name, 0) + 1
        out[identity] = Attachment(name, counts[name] if counts[name] > 1 else None, value, not owners, owners)
    return list(out.values())


def attachment_data(model: Model, specification: Object) -> bytes | None:
    """The embedded file's bytes, or None where there are none."""
    files = model.objects.dict_at(specification, "EF")
    stream = next((found for key in ("UF", "F", "Unix", "Mac", "DOS") if isinstance(found := model.objects.at(files, key), Stream)), None)
    return stream.data if stream is not None else None


def attachment_nodes(model: Model, root: Node) -> list[Node]:
    """One node a file that the document carries; one that an annotation carries belongs to that, and to its page."""
    return [
        Node(
            root,
            "attachment",
            name=entry.name,
            ordinal=entry.ordinal,
            align=Align.KEY,
            facts=partial(_attachment_facts, model, entry.reference, entry.listed),
            also=entry.owners,
        )
        for entry in model.attachments
    ]


def _attachment_facts(model: Model, reference: Object, listed: bool) -> Facts:
    objects, canonical = model.objects, model.canonical
    specification = objects.dict_at(reference)
    data = attachment_data(model, specification)
    facts: Facts = {(Aspect.MEDIA, "content"): None if data is None else f"{len(data)} bytes {hashlib.blake2b(data, digest_size=12).hexdigest()}"}
    facts[Aspect.STRUCTURE, "listed"] = listed
    if "Desc" in specification:
        facts[Aspect.TEXT, "description"] = objects.text_at(specification, "Desc")
    if reference in objects.list_at(objects.catalog, "AF"):
        facts[Aspect.METADATA, "associated"] = True
    if "AFRelationship" in specification:
        facts[Aspect.METADATA, "relationship"] = objects.text_at(specification, "AFRelationship")
    for key in ("F", "UF"):
        facts[Aspect.NAME, key] = objects.text_at(specification, key)
    files = objects.dict_at(specification, "EF")
    for key in sorted(files):
        stream = objects.get(files[key])
        if isinstance(stream, Stream):
            rest = {name: value for name, value in stream.dict.items() if name not in {"Length", "Filter", "DecodeParms", "DL", "Params", "Subtype"}}
            facts[Aspect.METADATA, "media_type"] = objects.text_at(stream.dict, "Subtype")
            parameters = {name: value for name, value in objects.dict_at(stream.dict, "Params").items() if name not in {"Size", "CheckSum"}}
            facts[Aspect.RAW, f"file {key}"] = canonical.value({**rest, **parameters})
        else:
            facts[Aspect.RAW, f"file {key}"] = canonical.value(stream)
    for key in sorted(set(specification) - {"EF", "Desc", "AFRelationship", "F", "UF", "Type", "RF"}):
        facts[Aspect.RAW, key] = canonical.value(specification[key])
    return facts


# -- layers ------------------------------------------------------------------------------------------------------------


def layer_nodes(model: Model, root: Node) -> list[Node]:
    """One node a layer (optional content group), with its state in the default configuration."""
    objects, canonical = model.objects, model.canonical
    properties = objects.dict_at(objects.catalog, "OCProperties")
    default = objects.dict_at(properties, "D")
    locked = objects.list_at(default, "Locked")
    out = []
    counts: dict[str, int] = {}
    for group in objects.list_at(properties, "OCGs"):
        entry = objects.dict_at(group)
        name = objects.text_at(entry, "Name") or ""
        counts[name] = counts.get(name, 0) + 1
        facts: Facts = {(Aspect.STRUCTURE, "visible"): not (isinstance(group, Ref) and group in model.hidden_layers)}
        if group in locked:
            facts[Aspect.PROTECTION, "locked"] = True
        for key in sorted(set(entry) - {"Name", "Type"}):
            if key == "Intent" and objects.get(entry[key]) in ("View", ["View"]):
                continue
            facts[Aspect.RAW, key] = canonical.value(entry[key])
        ordinal = counts[name] if counts[name] > 1 else None
        out.append(Node(root, "layer", name=name, ordinal=ordinal, align=Align.KEY, facts=facts))
    return out


def _layer_settings(model: Model) -> Facts:
    objects, canonical = model.objects, model.canonical
    properties = objects.dict_at(objects.catalog, "OCProperties")
    if not properties:
        return {}

    def names(value: Object, depth: int = 0) -> Value:
        resolved = objects.get(value)
        if isinstance(resolved, list) and depth < 20:
            return [names(item, depth + 1) for item in resolved]
        return objects.text_at(resolved, "Name") if isinstance(resolved, dict) else as_text(resolved)

    default = objects.dict_at(properties, "D")
    facts: Facts = {(Aspect.STRUCTURE, "layers"): names(default.get("Order"))}
    rest = {key: value for key, value in default.items() if key not in {"Order", "ON", "OFF", "BaseState", "Locked"}}
    if rest:
        facts[Aspect.RAW, "layer_settings"] = canonical.value(rest)
    rest = {key: value for key, value in properties.items() if key not in {"OCGs", "D"}}
    if rest:
        facts[Aspect.RAW, "layer_configurations"] = canonical.value(rest)
    return facts


# -- structure tree ----------------------------------------------------------------------------------------------------


def structure_nodes(model: Model, root: Node | None) -> list[Node]:
    """The structure tree of a tagged document: one node `struct`, its elements nested inside."""
    objects, canonical = model.objects, model.canonical
    tree = objects.at(objects.catalog, "StructTreeRoot")
    if not isinstance(tree, dict):
        return []
    facts: Facts = {}
    entries = sum(1 for _ in name_tree(objects, tree.get("ParentTree")))
    facts[Aspect.RAW, "parent_tree"] = entries
    for key in sorted(set(tree) - {"Type", "K", "ParentTree", "ParentTreeNextKey", "IDTree"}):
        facts[Aspect.RAW, key] = canonical.value(tree[key])
    node = Node(root, "struct", align=Align.KEY, facts=facts)
    seen: set[Ref] = set()
    node._children = lambda: _element_nodes(model, node, tree.get("K"), 0, seen)
    return [node]


def _element_nodes(model: Model, parent: Node, kids: Object, depth: int, seen: set[Ref]) -> Sequence[Node]:
    objects = model.objects
    out: list[Node] = []
    resolved = objects.get(kids)
    for item in resolved if isinstance(resolved, list) else [kids]:
        entry = objects.get(item)
        if not isinstance(entry, dict) or "S" not in entry:
            continue
        if isinstance(item, Ref):
            if item in seen or len(seen) > _MAX_ELEMENTS:
                continue
            seen.add(item)
        node = Node(parent, "element", number=len(out) + 1, facts=partial(_element_facts, model, entry, depth))
        if depth < _MAX_DEPTH:
            node._children = partial(_element_nodes, model, node, entry.get("K"), depth + 1, seen)
        out.append(node)
    return out


def _element_facts(model: Model, entry: dict[str, Object], depth: int) -> Facts:
    objects, canonical = model.objects, model.canonical
    facts: Facts = {(Aspect.STRUCTURE, "type"): objects.text_at(entry, "S")}
    for key, name in (("T", "title"), ("Alt", "alt"), ("ActualText", "actual_text"), ("E", "expansion"), ("Lang", "language")):
        if key in entry:
            facts[Aspect.TEXT, name] = objects.text_at(entry, key)
    content = _element_content(model, entry.get("K"), entry.get("Pg"))
    if content:
        facts[Aspect.RAW, "content"] = content
    for key in sorted(set(entry) - {"Type", "S", "P", "K", "Pg", "T", "Alt", "ActualText", "E", "Lang", "ID", "R"}):
        facts[Aspect.RAW, key] = canonical.value(entry[key])
    if depth >= _MAX_DEPTH:
        facts[Aspect.RAW, "below"] = canonical.digest(entry.get("K"))
    return facts


def _element_content(model: Model, kids: Object, page: Object) -> list[Value]:
    """Marked content and objects that an element holds itself."""
    objects = model.objects
    resolved = objects.get(kids)
    out: list[Value] = []

    def where(value: Object) -> str:
        number = objects.page_numbers.get(value) if isinstance(value, Ref) else None
        return f"page {model.canonical.page_name(number)}" if number is not None else "no page"

    for item in resolved if isinstance(resolved, list) else [kids]:
        value = objects.get(item)
        if isinstance(value, int) and not isinstance(value, bool):
            out.append(f"{where(page)} mark {value}")
        elif isinstance(value, Broken):
            out.append(f"unreadable object ({value.reason})")
        elif isinstance(value, dict) and "S" not in value:
            if "MCID" in value:
                stream = f" {model.canonical.digest(value['Stm'])}" if "Stm" in value else ""
                out.append(f"{where(value.get('Pg', page))} mark {objects.int_at(value, 'MCID')}{stream}")
            elif "Obj" in value:
                target = objects.dict_at(value, "Obj")
                out.append(f"{where(value.get('Pg', page))} {objects.text_at(target, 'Subtype') or 'object'}")
            else:
                out.append(model.canonical.value(value))
    return out


# -- signatures --------------------------------------------------------------------------------------------------------


def signature_nodes(model: Model, root: Node) -> list[Node]:
    """One node a signed signature field."""
    out = []
    for entry in model.form.fields:
        value = model.objects.get(entry.get("V"))
        if model.form.type_of(entry) == "signature" and isinstance(value, dict):
            facts = partial(signature_facts, model, value)
            out.append(Node(root, "signature", name=entry.name, ordinal=entry.ordinal, align=Align.KEY, facts=facts, also=(entry.address,)))
    return out


def signature_facts(model: Model, signature: dict[str, Object]) -> Facts:
    """What a signature states, and whether it holds for the file's bytes."""
    objects, canonical = model.objects, model.canonical
    contents = objects.get(signature.get("Contents"))
    stored = contents if isinstance(contents, bytes) else str(contents).encode("utf-8", "surrogatepass")
    covered, changed = signature_range(model, signature)
    facts: Facts = {
        (Aspect.PROTECTION, "contents"): hashlib.blake2b(stored, digest_size=12).hexdigest(),
        (Aspect.PROTECTION, "covers"): "whole file" if covered and not changed else "part of the file" if covered else "nothing",
    }
    intact = signature_intact(model, signature, stored)
    if intact is not None:
        facts[Aspect.PROTECTION, "intact"] = intact
    for key in sorted(set(signature) - {"Type", "Contents", "ByteRange"}):
        facts[Aspect.PROTECTION, key] = canonical.value(signature[key])
    return facts


def _byte_ranges(model: Model, signature: dict[str, Object]) -> list[int] | None:
    numbers = model.objects.numbers_at(signature, "ByteRange")
    if numbers is None or len(numbers) != 4 or any(number < 0 for number in numbers):
        return None
    ranges = [int(number) for number in numbers]
    return ranges if ranges[0] + ranges[1] <= ranges[2] and ranges[2] + ranges[3] <= model.objects.size else None


def signature_range(model: Model, signature: dict[str, Object]) -> tuple[bool, bool]:
    """Whether a signature covers bytes of this file, and whether the file goes on after what it covers."""
    ranges = _byte_ranges(model, signature)
    if ranges is None:
        return False, False
    return True, ranges[2] + ranges[3] < model.objects.size - 2


def signature_intact(model: Model, signature: dict[str, Object], contents: bytes) -> bool | None:
    """Whether the signed digest is that of the bytes covered; None where the signature holds no digest of a known kind."""
    ranges = _byte_ranges(model, signature)
    if ranges is None:
        return False
    stream = model.objects.reader.stream
    stream.seek(0)
    data = stream.read()
    covered = data[ranges[0] : ranges[0] + ranges[1]] + data[ranges[2] : ranges[2] + ranges[3]]
    digests = (hashlib.new(name, covered, usedforsecurity=False).digest() for name in ("sha256", "sha1", "sha384", "sha512"))
    return any(digest in contents for digest in digests)


# -- scripts, protection, catalogue ------------------------------------------------------------------------------------


def script_nodes(model: Model, root: Node) -> list[Node]:
    """Scripts of the whole document, by name; never run."""
    objects = model.objects
    out = []
    counts: dict[str, int] = {}
    for name, value in name_tree(objects, objects.at(objects.catalog, "Names", "JavaScript")):
        counts[name] = counts.get(name, 0) + 1
        ordinal = counts[name] if counts[name] > 1 else None
        entry = objects.dict_at(value)
        facts: Facts = {(Aspect.CODE, "script"): script_text(objects, entry.get("JS"))}
        if "Next" in entry or objects.at(entry, "S") != "JavaScript":
            facts[Aspect.CODE, "action"] = model.targets.action(value)
        out.append(Node(root, "script", name=name, ordinal=ordinal, align=Align.KEY, facts=facts))
    return out


def protection_node(model: Model, root: Node) -> list[Node]:
    """How the file is encrypted and what it permits; no node where it is not encrypted."""
    objects = model.objects
    if not objects.encrypted:
        return []
    entry = objects.dict_at(objects.trailer, "Encrypt")
    version, length = objects.int_at(entry, "V"), objects.int_at(entry, "Length") or 40
    crypt = objects.text_at(entry, "CF", "StdCF", "CFM") if version >= 4 else None
    method = {"AESV3": "AES 256", "AESV2": "AES 128"}.get(crypt or "", f"RC4 {128 if version >= 4 else length}")
    permissions = objects.int_at(entry, "P")
    facts: Facts = {
        (Aspect.PROTECTION, "encryption"): method,
        (Aspect.PROTECTION, "permissions"): [name for bit, name in _PERMISSIONS.items() if permissions >> (bit - 1) & 1],
    }
    if objects.at(entry, "EncryptMetadata") is False:
        facts[Aspect.PROTECTION, "metadata"] = "not encrypted"
    if objects.text_at(entry, "Filter") != "Standard":
        facts[Aspect.PROTECTION, "handler"] = objects.text_at(entry, "Filter")
    return [Node(root, "protection", align=Align.KEY, facts=facts)]


#: Catalogue keys that have nodes of their own, or that no reader could miss (docs/facts-pdf.md).
_CATALOGUE_MODELLED = frozenset(
    {"Type", "Pages", "Outlines", "AcroForm", "Dests", "PageLabels", "OCProperties", "StructTreeRoot", "Metadata", "Version", "ViewerPreferences", "Names"}
)
_CATALOGUE_DEFAULTS: dict[str, Object] = {"PageMode": "UseNone", "PageLayout": "SinglePage", "NeedsRendering": False}


def catalogue_node(model: Model, root: Node) -> list[Node]:
    """What the document catalogue states that has no node of its own; no node where that is nothing."""
    objects, canonical = model.objects, model.canonical
    catalogue = objects.catalog
    facts: Facts = {}
    if objects.at(catalogue, "Type") != "Catalog":
        facts[Aspect.RAW, "Type"] = canonical.value(catalogue.get("Type"))
    for key in sorted(set(catalogue) - _CATALOGUE_MODELLED):
        value = objects.get(catalogue[key])
        if key in _CATALOGUE_DEFAULTS and value == _CATALOGUE_DEFAULTS[key]:
            continue
        if key == "OpenAction":
            facts[Aspect.LINK, "open_action"] = model.targets.action(catalogue[key])
        elif key == "AA":
            facts[Aspect.CODE, "actions"] = additional_actions(model, catalogue[key])
        elif key == "Lang":
            facts[Aspect.METADATA, "language"] = as_text(value)
        elif key == "MarkInfo":
            marks = {name: item for name, item in objects.dict_at(value).items() if objects.get(item) is not False}
            facts[Aspect.STRUCTURE, "marked"] = canonical.value(marks)
        elif key in {"PageMode", "PageLayout"}:
            facts[Aspect.FORMAT, "page_mode" if key == "PageMode" else "page_layout"] = str(value)
        elif key in {"Perms", "DSS", "Legal"}:
            facts[Aspect.PROTECTION, key] = canonical.value(catalogue[key])
        elif key == "AF":
            carried = [entry.reference for entry in model.attachments]
            others = [canonical.value(item) for item in objects.list_at(value) if item not in carried]
            if others:
                facts[Aspect.RAW, key] = others
        elif key == "Extensions":  # Adobe's levels go with the header's version, and so does the base version of any other
            levels = {name: {k: v for k, v in objects.dict_at(entry).items() if k != "BaseVersion"} for name, entry in objects.dict_at(value).items()}
            levels = {name: level for name, level in levels.items() if name not in {"ADBE", "Type"}}
            if levels:
                facts[Aspect.RAW, key] = canonical.value(levels)
        elif isinstance(value, Name | bool | int | float | str):
            facts[Aspect.RAW, key] = canonical.value(value)
        else:
            facts[Aspect.RAW, key] = canonical.value(catalogue[key], skip={"LastModified"})
    names = objects.dict_at(catalogue, "Names")
    for key in sorted(set(names) - {"Dests", "EmbeddedFiles", "JavaScript"}):
        pairs = [f"{name} {canonical.digest(value)}" for name, value in name_tree(objects, names[key])]
        facts[Aspect.RAW, f"names {key}"] = short(*pairs) if pairs else canonical.value(names[key])
    outline = objects.dict_at(catalogue, "Outlines")
    rest = {key: value for key, value in outline.items() if key not in {"Type", "First", "Last", "Count"}}
    if rest:
        facts[Aspect.RAW, "outline"] = canonical.value(rest)
    facts.update(_layer_settings(model))
    return [Node(root, "catalogue", align=Align.KEY, facts=facts)] if facts else []
