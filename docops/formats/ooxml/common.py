"""What every OOXML format shows the same way: document properties, themes, media, and parts that nobody models.

    property_nodes(package)                    `property[title]`, custom ones too, and `property[content type]`
    theme_node(package, part, parent=…)        `theme`: colours, fonts, the rest as digests
    media_identity(part)                       what stands for a picture, sound or other binary part
    leftover_nodes(package, modelled)          `part[/name]` for every part that no fact of the format speaks of
    expect_main(package, "docx")               the main part, or Unreadable where it is another format's
    check_pages(parts, package)                Unreadable where too many sheets or slides are shown
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from operator import itemgetter

from lxml import etree

from docops.core.codes import Aspect, FindingCode
from docops.core.errors import Unreadable
from docops.core.node import Align, Node, Value
from docops.core.spans import Role, TextSpan
from docops.formats.ooxml.archive import damaged, limit
from docops.formats.ooxml.canonical import (
    EXPLICIT_RELATIONSHIPS,
    VOLATILE_RELATIONSHIPS,
    Canonicaliser,
    CanonicalRules,
    binary_identity,
    content_essence,
    is_named,
)
from docops.formats.ooxml.content_types import misdeclared_nodes
from docops.formats.ooxml.package import Package, Part

#: Core properties that change with every save.
VOLATILE_CORE = frozenset({"modified", "lastModifiedBy", "revision"})

#: Extended properties that a program computes from the document, or that name the program.
VOLATILE_EXTENDED = frozenset(
    {
        "Application", "AppVersion", "Template", "TotalTime", "Pages", "Words", "Characters", "CharactersWithSpaces", "Lines",
        "Paragraphs", "Slides", "Notes", "HiddenSlides", "MMClips", "PresentationFormat", "HeadingPairs", "TitlesOfParts", "HLinks",
        "DigSig",
    }
)  # fmt: skip

#: Values that mean the same as no value.
_EXTENDED_DEFAULTS = {"DocSecurity": "0", "ScaleCrop": "false", "LinksUpToDate": "false", "SharedDoc": "false", "HyperlinksChanged": "false"}

#: Names that libraries write as the author where nobody gave one.
_NO_AUTHOR = frozenset({"openpyxl"})

_VARIANT_TYPES = {
    **dict.fromkeys(("lpwstr", "lpstr", "bstr"), "text"),
    **dict.fromkeys(("i1", "i2", "i4", "i8", "int", "ui1", "ui2", "ui4", "ui8", "uint"), "integer"),
    **dict.fromkeys(("r4", "r8", "decimal"), "number"),
    **dict.fromkeys(("filetime", "date"), "date"),
    "bool": "boolean",
}

#: What a main part's content type says: format, kind, macro-enabled.
MAIN_CONTENT_TYPES: Mapping[str, tuple[str, str, bool]] = {
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml": ("docx", "document", False),
    "application/vnd.openxmlformats-officedocument.wordprocessingml.template.main+xml": ("docx", "template", False),
    "application/vnd.ms-word.document.macroenabled.main+xml": ("docx", "document", True),
    "application/vnd.ms-word.template.macroenabledtemplate.main+xml": ("docx", "template", True),
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml": ("xlsx", "workbook", False),
    "application/vnd.openxmlformats-officedocument.spreadsheetml.template.main+xml": ("xlsx", "template", False),
    "application/vnd.ms-excel.sheet.macroenabled.main+xml": ("xlsx", "workbook", True),
    "application/vnd.ms-excel.template.macroenabled.main+xml": ("xlsx", "template", True),
    "application/vnd.ms-excel.addin.macroenabled.main+xml": ("xlsx", "add-in", True),
    "application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml": ("pptx", "presentation", False),
    "application/vnd.openxmlformats-officedocument.presentationml.slideshow.main+xml": ("pptx", "show", False),
    "application/vnd.openxmlformats-officedocument.presentationml.template.main+xml": ("pptx", "template", False),
    "application/vnd.ms-powerpoint.presentation.macroenabled.main+xml": ("pptx", "presentation", True),
    "application/vnd.ms-powerpoint.slideshow.macroenabled.main+xml": ("pptx", "show", True),
    "application/vnd.ms-powerpoint.template.macroenabled.main+xml": ("pptx", "template", True),
    "application/vnd.ms-powerpoint.addin.macroenabled.main+xml": ("pptx", "add-in", True),
}

_MAIN_ROOTS = {
    "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}document": "docx",
    "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}workbook": "xlsx",
    "{http://schemas.openxmlformats.org/presentationml/2006/main}presentation": "pptx",
}

_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"


def expect_main(package: Package, format_name: str) -> Part:
    """The main part of a package of a format (`xlsx`, `docx`, `pptx`), templates, shows and macro-enabled ones included.

    Raises Unreadable (`artifact_wrong_type`) where the main part is another format's, whatever the file is called.
    """
    part = package.main
    declared = MAIN_CONTENT_TYPES.get(content_essence(part.content_type))
    found = declared[0] if declared is not None else None
    if found == format_name:
        if not part.is_xml or _MAIN_ROOTS.get(str(part.xml.tag)) != format_name:
            raise damaged(f"the main part is declared as {format_name}, but its root element is another", part.name)
        return part
    # Some producers declare a generic type; the root element then says what it is.
    if found is None:
        found = _MAIN_ROOTS.get(str(part.xml.tag)) if part.is_xml else None
    if found != format_name:
        what = f"the file is a {found} document" if found else f"its main part is {part.content_type or 'of no declared type'}"
        raise Unreadable(FindingCode.ARTIFACT_WRONG_TYPE, f"{what}, not {format_name}", part.name)
    return part


def check_pages(parts: Sequence[Part | None], package: Package) -> None:
    """Raises Unreadable where there are more sheets or slides than are read, or too many of them show the same part."""
    limits = package.limits
    if len(parts) > limits.pages:
        raise limit(f"more than {limits.pages} sheets or slides", package.main.name)
    name, times = max(Counter(part.name for part in parts if part is not None).items(), key=itemgetter(1), default=("", 0))
    if times > limits.repeats:
        raise limit(f"more than {limits.repeats} sheets or slides are the same part", name)


def media_identity(part: Part | None) -> str:
    """What stands for a binary part: its content type and a digest of its bytes; `missing` where there is none."""
    return "missing" if part is None else binary_identity(part)


#: Places of text that is stored and no state: they are always there and state nothing.
_UNSTATED = ("lastModifiedBy", "Template", "people")


def property_nodes(package: Package) -> list[Node]:
    """Document properties as `property[name]`: core, extended, custom, and `property[content type]`; volatile ones state nothing."""
    nodes = [_content_type_node(package), *(Node(None, "property", name=name, align=Align.KEY) for name in _UNSTATED)]
    names = {"content type", *_UNSTATED}
    for name, value in [*_core(package), *_extended(package)]:
        if name not in names:
            names.add(name)
            nodes.append(Node(None, "property", name=name, facts={(Aspect.METADATA, "value"): value}, align=Align.KEY))
    for name, facts in _custom(package):
        shown = name
        while shown in names:
            shown = f"custom {shown}"
        names.add(shown)
        nodes.append(Node(None, "property", name=shown, facts=facts, align=Align.KEY))
    return nodes


def stored_names(package: Package) -> Iterator[TextSpan]:
    """Names that a file keeps although they are no state: who saved it last, its template, people of comments and changes."""
    for root in [*_property_roots(package, "core-properties"), *_property_roots(package, "extended-properties")]:
        for element in root:
            name = etree.QName(element).localname
            value = _full_text(element)
            if name in ("lastModifiedBy", "Template") and value.strip():
                yield TextSpan(f"property[{name}]", f"property[{name}]", value, Role.METADATA, False, "metadata")
    for part in package.parts.values():
        if part.is_xml and part.content_type.endswith((".people+xml", ".person+xml")):
            for number, element in enumerate(part.xml.iter()):
                names = [str(value) for key, value in element.attrib.items() if etree.QName(key).localname in ("author", "displayName")]
                for person in filter(str.strip, names):
                    yield TextSpan("property[people]", f"{part.name} {number}", person, Role.METADATA, False, "metadata")


def _content_type_node(package: Package) -> Node:
    main = package.main
    _, kind, macros = MAIN_CONTENT_TYPES.get(content_essence(main.content_type), ("", content_essence(main.content_type), False))
    facts: dict[tuple[Aspect, str], Value] = {(Aspect.STRUCTURE, "kind"): kind, (Aspect.STRUCTURE, "macro-enabled"): macros}
    if b"purl.oclc.org/ooxml" in main.markup[:8192]:
        facts[Aspect.METADATA, "conformance"] = "strict"
    return Node(None, "property", name="content type", facts=facts, align=Align.KEY)


def property_parts(package: Package) -> list[str]:
    """Names of the parts that `property_nodes` reads."""
    kinds = {"core-properties", "extended-properties", "custom-properties"}
    return [rel.target for rel in package.relationships("").values() if rel.type in kinds and rel.target in package.parts]


def _property_roots(package: Package, kind: str) -> Iterator[etree._Element]:
    for rel in package.relationships("").values():
        if rel.type == kind and not rel.external and rel.target in package.parts:
            yield package.parts[rel.target].xml
            return


def _core(package: Package) -> Iterator[tuple[str, str]]:
    for root in _property_roots(package, "core-properties"):
        for element in root:
            name = etree.QName(element).localname
            value = _full_text(element)
            if name in VOLATILE_CORE or not value.strip() or (name == "creator" and value in _NO_AUTHOR):
                continue
            yield name, _timestamp(value) if name in {"created", "lastPrinted"} else value


def _extended(package: Package) -> Iterator[tuple[str, str]]:
    for root in _property_roots(package, "extended-properties"):
        for element in root:
            name = etree.QName(element).localname
            value = _full_text(element)
            if name not in VOLATILE_EXTENDED and value.strip() and _EXTENDED_DEFAULTS.get(name) != value.strip().lower():
                yield name, value


def _custom(package: Package) -> Iterator[tuple[str, dict[tuple[Aspect, str], Value]]]:
    for root in _property_roots(package, "custom-properties"):
        for element in root:
            facts: dict[tuple[Aspect, str], Value] = {}
            for content in element:
                local = etree.QName(content).localname
                kind = _VARIANT_TYPES.get(local, local)
                text = _full_text(content)
                if kind == "boolean":
                    text = {"1": "true", "0": "false"}.get(text.strip(), text.strip())
                elif kind == "date":
                    text = _timestamp(text)
                facts[Aspect.METADATA, "value"] = text
                facts[Aspect.METADATA, "type"] = kind
            if element.get("linkTarget"):
                facts[Aspect.METADATA, "link"] = element.get("linkTarget")
            name = element.get("name") or ""
            # LibreOffice copies the statistics among the custom properties.
            if name in VOLATILE_EXTENDED and facts.get((Aspect.METADATA, "type")) in {"integer", "number"}:
                continue
            yield name, facts


def _full_text(element: etree._Element) -> str:
    return "".join(str(text) for text in element.itertext())


def _timestamp(text: str) -> str:
    """A W3CDTF time without fractions of a second; zero offsets as Z."""
    match = re.fullmatch(r"\s*(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d+)?(Z|[+-]00:00)?\s*", text)
    return f"{match.group(1)}Z" if match else text.strip()


def theme_node(package: Package, part: Part | None, *, parent: Node | str | None = None, number: int | None = None) -> Node | None:
    """A theme part as a `theme` node: each colour as RRGGBB, the fonts, and digests of the rest; None without a part."""
    if part is None:
        return None

    def facts() -> dict[tuple[Aspect, str], Value]:
        from docops.formats.ooxml.defaults import default_rules
        from docops.formats.ooxml.drawing import theme_colours

        root = part.xml
        out: dict[tuple[Aspect, str], Value] = {}
        if root.get("name"):
            out[Aspect.THEME, "name"] = root.get("name")
        for slot, colour in theme_colours(root).items():
            out[Aspect.THEME, slot] = colour
        for local, label in (("clrScheme", "colour scheme"), ("fontScheme", "font scheme")):
            named = root.find(f"{_A}themeElements/{_A}{local}")
            if named is not None and named.get("name"):
                out[Aspect.THEME, label] = named.get("name")
        for which in ("major", "minor"):
            fonts = root.find(f"{_A}themeElements/{_A}fontScheme/{_A}{which}Font")
            if fonts is None:
                continue
            scripts: dict[str, Value] = {}
            for font in fonts:
                local = etree.QName(font).localname
                face = font.get("typeface") or ""
                if local in {"latin", "ea", "cs"}:
                    if face:
                        out[Aspect.THEME, f"{which} {local}"] = face
                elif local == "font":
                    scripts[font.get("script") or ""] = face
            if scripts:
                out[Aspect.THEME, f"{which} scripts"] = scripts
        canonical = Canonicaliser(package, default_rules())
        scheme = root.find(f"{_A}themeElements/{_A}fmtScheme")
        if scheme is not None:
            out[Aspect.THEME, "format scheme"] = canonical.digest(scheme, part)
        elements = root.find(f"{_A}themeElements")
        for child in (*root, *(elements if elements is not None else ())):
            local = etree.QName(child).localname
            if local in {"themeElements", "clrScheme", "fontScheme", "fmtScheme"} or (len(child) == 0 and not child.attrib):
                continue
            out[Aspect.RAW, local] = canonical.digest(child, part)
        return out

    return Node(parent, "theme", number=number, facts=facts, align=Align.KEY, fingerprint=part_fingerprint(package, part))


def part_fingerprint(package: Package, part: Part) -> str:
    """Digest of the bytes of a part, of its relationships and of everything they lead to; equal ones need no look inside.

    Part names and relationship ids are in it, so unequal fingerprints do not mean unequal content.
    """
    hasher = hashlib.blake2b(digest_size=16)
    seen = {part.name}
    queue = [part.name]
    while queue:
        name = queue.pop()
        current = package.parts[name]
        hasher.update(f"{name}\n{current.content_type}\n{current.digest}\n".encode("utf-8", "surrogatepass"))
        for rel in current.relationships.values():
            hasher.update(f"{rel.id} {rel.full_type} {rel.target} {rel.external}\n".encode("utf-8", "surrogatepass"))
            if not rel.external and rel.target in package.parts and rel.target not in seen:
                seen.add(rel.target)
                queue.append(rel.target)
    return hasher.hexdigest()


def leftover_nodes(package: Package, modelled: Collection[str], rules: CanonicalRules | None = None) -> list[Node]:
    """`part[/name]` nodes for the parts that no fact of the format speaks of, and for those that are declared as what they are not.

    modelled: names of the parts whose content is in the format's facts. Property parts, thumbnails and calculation
    chains need not be named. A part whose relationship id an element of a modelled part names belongs to the (raw) facts
    of that element, and so does everything that part leads to; it is not repeated here.
    A node is matched by what points at it and by its content; part names and relationship ids are not state.
    """
    canonical = Canonicaliser(package, rules or CanonicalRules(), {name: f"a part of type {_part_type(package, name)}" for name in modelled})
    own = {*modelled, *property_parts(package)}
    found: dict[str, str] = {}
    for source in ("", *sorted(own & package.parts.keys())):
        for rel in package.relationships(source).values():
            if rel.external or rel.target in own or rel.target not in package.parts or rel.type in VOLATILE_RELATIONSHIPS:
                continue
            part = package.parts.get(source)
            named = part is not None and part.is_xml and is_named(part, rel.id)
            # An attribute of that value may have nothing to do with the relationship.
            if rel.type in _NEVER_NAMED or (rel.type not in EXPLICIT_RELATIONSHIPS and not named):
                found.setdefault(rel.target, f"{_part_type(package, source) if source else 'package'} {rel.type}")
    reached = _reachable(package, "")
    orphans = sorted(name for name in package.parts if name not in reached and name not in own and not name.lower().startswith("/[trash]/"))
    inner = {target for name in orphans for target in _reachable(package, name) if target != name}
    found |= {name: "orphan" for name in orphans if name not in inner or name in _reachable(package, name)}
    odd = [node for name in sorted(own & package.parts.keys()) if (node := _odd_relationships(package, name)) is not None]
    return [*(_leftover(package, canonical, name, path) for name, path in sorted(found.items())), *odd, *misdeclared_nodes(package)]


#: Relationship types whose ids no element names.
_NEVER_NAMED = frozenset(
    {"customXml", "customXmlProps", "fontTable", "glossaryDocument", "keyMapCustomizations", "people", "stylesWithEffects", "vbaProject", "webSettings"}
)
#: Relationship types that say what a part is for and that need no element to name them.
_IMPLICIT_RELATIONSHIPS = frozenset(
    {
        "attachedToolbars", "chartColorStyle", "chartStyle", "commentAuthors", "comments", "commentsExtended", "commentsExtensible", "commentsIds",
        "connections", "customXml", "customXmlProps", "diagramDrawing", "endnotes", "fontTable", "footnotes", "glossaryDocument", "keyMapCustomizations",
        "notesSlide", "numbering", "people", "person", "pivotTable", "presProps", "printerSettings", "queryTable", "revisionInfo", "settings",
        "sharedStrings", "sheetMetadata", "slicer", "slicerCache", "slideLayout", "styles", "stylesWithEffects", "tableSingleCells", "tableStyles", "theme",
        "themeOverride", "threadedComment", "timeline", "timelineCache", "vbaProject", "viewProps", "webSettings", "wordVbaData",
    }
)  # fmt: skip


def _odd_relationships(package: Package, name: str) -> Node | None:
    """What elements of a part point at by relationships of types that nobody knows; None where there are none.

    The facts say what is pointed at; a program that finds another type there shows nothing, or repairs the file.
    """
    part = package.parts[name]
    known = EXPLICIT_RELATIONSHIPS | _IMPLICIT_RELATIONSHIPS | VOLATILE_RELATIONSHIPS
    odd = sorted(rel.full_type for rel in part.relationships.values() if rel.type not in known and part.is_xml and is_named(part, rel.id))
    if not odd:
        return None
    facts: dict[tuple[Aspect, str], Value] = {(Aspect.RAW, "unknown relationships"): list(odd)}
    return Node(None, "part", name=name, facts=facts, align=Align.KEY, key=f"relationships of {_part_type(package, name)} {odd}")


def _leftover(package: Package, canonical: Canonicaliser, name: str, path: str) -> Node:
    part = package.parts[name]
    code = "vba" in path.lower() or "vba" in part.content_type.lower()
    content = _content(package, canonical, name)
    # The macro project is the only one of its kind; of other kinds there may be several, in no order that means anything.
    key = path if code else f"{path} {content}"
    facts: dict[tuple[Aspect, str], Value] = {(Aspect.CODE if code else Aspect.RAW, "content"): content}
    return Node(None, "part", name=name, facts=facts, align=Align.KEY, key=key)


#: Canonical digests of leftover parts: source and outputs mostly have the same ones, such as the styles of another program.
_contents: dict[tuple[int, str, str], tuple[CanonicalRules, str]] = {}
_MAX_CONTENTS = 256


def _content(package: Package, canonical: Canonicaliser, name: str) -> str:
    """`canonical.part`, remembered by the bytes of all that the part leads to."""
    rules = canonical.rules
    key = (id(rules), part_fingerprint(package, package.parts[name]), "\n".join(sorted(canonical.known)))
    found = _contents.get(key)
    if found is None or found[0] is not rules:
        if len(_contents) >= _MAX_CONTENTS:
            _contents.pop(next(iter(_contents)))
        found = _contents[key] = (rules, canonical.part(name))
    return found[1]


def _reachable(package: Package, start: str) -> set[str]:
    seen: set[str] = set()
    queue = [start]
    while queue:
        for rel in package.relationships(queue.pop()).values():
            if not rel.external and rel.target in package.parts and rel.target not in seen:
                seen.add(rel.target)
                queue.append(rel.target)
    return seen


def _part_type(package: Package, name: str) -> str:
    part = package.parts.get(name)
    return content_essence(part.content_type).rpartition("/")[2].removesuffix("+xml") if part is not None else "missing"
