"""Document settings, styles, list definitions and page set-ups as nodes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping

from lxml import etree

from docops.core.address import format_segment
from docops.core.codes import Aspect
from docops.core.node import Align, Node, Value
from docops.formats.docx.names import PPR, RPR, VAL, VOLATILE_ELEMENTS, W14, W15, R, W, is_on, local, number, points, twips
from docops.formats.docx.story import Shared
from docops.formats.docx.styles import Style
from docops.formats.docx.table_facts import table_style_facts
from docops.formats.docx.table_looks import PART_NAMES
from docops.formats.ooxml.package import Part

Facts = dict[tuple[Aspect, str], Value]
Users = Callable[[], frozenset[str]]

#: Settings that a program keeps for itself: how the window looked, ids, marks of the proofing tools, numbers of drawings.
VOLATILE_SETTINGS = frozenset(
    {"rsids", "proofState", "zoom", "view", "docId", "shapeDefaults", "hdrShapeDefaults", "hideSpellingErrors", "hideGrammaticalErrors", "savePreviewPicture",
     "chartTrackingRefBased", "activeWritingStyle", "doNotAutoCompressPictures", "defaultImageDpi", "savedBy", "conflictMode", "discardImageEditingData",
     "persistentDocumentId", "pixelsPerInch"}
)  # fmt: skip
_PROTECTING = frozenset({"documentProtection", "writeProtection", "readModeInkLockDown", "forceUpgrade", "formsDesign", "lockThemeOrStyles", "styleLockTheme",
                         "styleLockQFSet", "removePersonalInformation", "removeDateAndTime"})  # fmt: skip
_NOTE_SETTINGS = frozenset({"footnotePr", "endnotePr"})
_DEFAULT_SETTINGS = {"characterSpacingControl": "doNotCompress", "defaultTabStop": "720", "decimalSymbol": ".", "listSeparator": ","}
_ON_BY_DEFAULT: frozenset[str] = frozenset()


def setting_nodes(shared: Shared) -> list[Node]:
    """`setting[name]` for every setting that is not the default and not volatile; parts of `compat` by their own names."""
    part = shared.settings_part
    if part is None:
        return []
    values: dict[str, Facts] = {}
    for child in part.xml:
        name = local(child)
        if name in VOLATILE_SETTINGS or not name:
            continue
        if name == "compat":
            for inner in child:
                inner_name = inner.get(W + "name") if local(inner) == "compatSetting" else local(inner)
                value = inner.get(VAL) if local(inner) == "compatSetting" else _value(shared, part, inner)
                if value is not None:
                    values[f"compat.{inner_name}"] = {(Aspect.LAYOUT, "value"): value}
            continue
        if name in _NOTE_SETTINGS:
            for inner in child:
                if local(inner) not in {"footnote", "endnote"}:
                    values[f"{name}.{local(inner)}"] = {(Aspect.LAYOUT, "value"): _value(shared, part, inner)}
            continue
        if name in {"docVars", "attachedSchema"}:
            for inner in child if name == "docVars" else (child,):
                key = f"variable.{inner.get(W + 'name') or ''}" if name == "docVars" else f"schema.{inner.get(VAL) or ''}"
                values[key] = {(Aspect.METADATA, "value"): inner.get(VAL)}
            continue
        value = _value(shared, part, child)
        if value is None or _DEFAULT_SETTINGS.get(name) == value:
            continue
        aspect = Aspect.PROTECTION if name in _PROTECTING else Aspect.REVISION if name == "trackRevisions" else Aspect.LAYOUT
        key = name
        while key in values:
            key += " again"
        values[key] = {(aspect, "value"): value}
    return [Node(None, "setting", name=name, facts=facts, align=Align.KEY) for name, facts in values.items()]


def _value(shared: Shared, part: Part, element: etree._Element) -> Value:
    """A setting's value: None where it says off, true for a bare switch, the text of a plain value, else canonical text."""
    names = [name for name in element.attrib if name not in {VAL}]
    if len(element) == 0 and not names:
        text = element.get(VAL) or element.get(W14 + "val") or element.get(W15 + "val")
        if text is None or text in {"1", "true", "on"}:
            return True
        return None if text in {"0", "false", "off"} else text
    if len(element) == 0:
        own: dict[str, Value] = {}
        for name, value in sorted(element.attrib.items()):
            shown = shared.canonical.relationship(part, str(value)) if str(name).startswith(R) else str(value)
            own[str(name).rpartition("}")[2]] = shown
        if local(element) == "documentProtection" and str(own.get("enforcement", "0")) in {"0", "false", "off"}:
            own["enforcement"] = "0"
        return own
    return shared.canonical.element(element, part)


# Styles --------------------------------------------------------------------------------------


def style_nodes(shared: Shared, users: Mapping[str, Callable[[], frozenset[str]]] | Callable[[str], Users]) -> list[Node]:
    """`style[name]` for every style, and `style[Document defaults]`."""
    styles = shared.styles
    out = [
        Node(
            None,
            "style",
            name="Document defaults",
            facts=lambda: _default_facts(shared),
            align=Align.KEY,
            fingerprint=_formatting_fingerprint(shared),
            depends=("theme",),
        )
    ]
    seen: dict[str, int] = {}
    for style in styles.by_id.values():
        seen[style.name] = seen.get(style.name, 0) + 1
        ordinal = seen[style.name] if seen[style.name] > 1 else None
        out.append(_style_node(shared, style, ordinal, users(style.id) if callable(users) else users[style.id]))
    return out


def _formatting_fingerprint(shared: Shared) -> str:
    return shared.formatting_digest.hex()


def _style_node(shared: Shared, style: Style, ordinal: int | None, users: Users) -> Node:
    chain = shared.styles.chain(style)
    bases = tuple(format_segment("style", one.name) for one in reversed(chain[:-1]))
    key = style.name if ordinal is None else f"{style.name},{ordinal}"
    return Node(
        None,
        "style",
        name=style.name,
        ordinal=ordinal,
        facts=lambda: style_facts(shared, style),
        align=Align.KEY,
        key=key,
        fingerprint=_formatting_fingerprint(shared),
        users=users,
        depends=(*bases, "style[Document defaults]", "theme"),
    )


#: What a style says of its place in galleries and menus.
_GALLERY = frozenset(
    {"name", "basedOn", "rsid", "uiPriority", "semiHidden", "unhideWhenUsed", "qFormat", "autoRedefine", "hidden", "personal", "personalCompose", "personalReply",
     "aliases", "rPr", "pPr", "next", "link"}
)  # fmt: skip


def style_facts(shared: Shared, style: Style) -> Facts:
    """The effective formatting that a style gives, and what else it says."""
    styles = shared.styles
    part = styles.part
    out: Facts = {(Aspect.FORMAT, "kind"): style.kind}
    if style.is_default:
        out[Aspect.FORMAT, "default"] = True
    base = styles.by_id.get(style.based_on or "")
    if base is not None:
        out[Aspect.FORMAT, "based on"] = base.name
    following = style.element.find(W + "next")
    if following is not None:
        found = styles.by_id.get(following.get(VAL) or "")
        if found is not None and found is not style:
            out[Aspect.FORMAT, "next style"] = found.name
    link = style.element.find(W + "link")
    if link is not None:
        found = styles.by_id.get(link.get(VAL) or "")
        out[Aspect.FORMAT, "linked style"] = found.name if found is not None else ""
    if style.kind == "paragraph":
        num_id, ilvl = shared.style_list(style)
        level = shared.numbering.level(num_id, ilvl) if num_id not in {None, "0"} else None
        for name, value in {**styles.run(style, None), **styles.paragraph(style, None, level)}.items():
            out[Aspect.FORMAT, name] = value
        if level is not None:
            from docops.formats.docx.numbering import level_format, level_text

            out[Aspect.FORMAT, "list"] = f"{level_format(level)} level {ilvl + 1}"
            out[Aspect.FORMAT, "list label"] = level_text(level)
        elif num_id is None and ilvl:
            out[Aspect.FORMAT, "list level"] = ilvl + 1
        heading = styles.style_heading(style)
        if heading is not None:
            out[Aspect.FORMAT, "heading level"] = heading
    elif style.kind == "character":
        for name, value in styles.own_run(style).items():
            out[Aspect.FORMAT, name] = value
    elif part is not None:
        if style.kind == "table":
            out.update(table_style_facts(shared, style, part))
        for properties in (style.element.find(RPR), style.element.find(PPR)):
            for child in properties if properties is not None else ():
                if child.tag == W + "numPr":
                    out[Aspect.FORMAT, "list"] = _list_levels(shared, child)
                elif child.tag not in VOLATILE_ELEMENTS and isinstance(child.tag, str) and local(child) not in {"rPrChange", "pPrChange"}:
                    prefix = "run" if properties is not None and properties.tag == RPR else "paragraph"
                    out[Aspect.FORMAT, f"{prefix} {local(child)}"] = shared.canonical.element(child, part)
    if part is not None:
        counts: dict[str, int] = {}
        for child in style.element:
            name = local(child)
            if name in _GALLERY or not name:
                continue
            if name == "tblStylePr":
                which = child.get(W + "type") or ""
                name = PART_NAMES.get(which, which)
            counts[name] = counts.get(name, 0) + 1
            shown = name if counts[name] == 1 else f"{name} {counts[name]}"
            if name == "locked":
                if is_on(child):
                    out[Aspect.PROTECTION, "locked"] = True
            else:
                out[Aspect.FORMAT, shown] = _short(shared.canonical.element(child, part))
    return out


def _list_levels(shared: Shared, num_pr: etree._Element) -> str:
    """The levels of the list that a style names; ids of lists are serialisation."""
    from docops.formats.docx.numbering import level_format, level_text

    reference = num_pr.find(W + "numId")
    num_id = reference.get(VAL) if reference is not None else None
    levels = [shared.numbering.level(num_id, ilvl) for ilvl in range(9)]
    return ", ".join(f"{level_format(level)} {level_text(level)}" for level in levels if level is not None) or "none"


def _short(text: str) -> str:
    return text if len(text) <= 300 else f"{text[:120]}… {hashlib.blake2b(text.encode('utf-8', 'surrogatepass'), digest_size=12).hexdigest()}"


def _default_facts(shared: Shared) -> Facts:
    styles = shared.styles
    out: Facts = {}
    for name, value in {**styles.run(None, None), **styles.paragraph(None, None, None)}.items():
        out[Aspect.FORMAT, name] = value
    return out


# List definitions ------------------------------------------------------------------------------


def list_nodes(shared: Shared, users: Callable[[str], Users]) -> list[Node]:
    """`list[n]` for every list definition, matched by its content; users: the paragraphs that are in such a list."""
    part = shared.numbering_part
    if part is None:
        return []
    out: list[Node] = []
    styles = shared.styles.by_id
    seen: dict[str, int] = {}
    skip_attributes = frozenset({W + "abstractNumId"})
    for index, (abstract_id, abstract) in enumerate(shared.numbering.abstracts.items(), 1):
        ids = [child for child in abstract if local(child) in {"nsid", "tmpl", "styleLink", "numStyleLink"}]
        # Styles are named by ids, which are no state; which styles a definition is linked to is.
        links = list(abstract.iter(W + "pStyle"))
        linked = [styles[link.get(VAL) or ""].name if (link.get(VAL) or "") in styles else "" for link in links]
        ids += links
        text = shared.canonical.element(abstract, part, skip=ids, skip_attributes=skip_attributes)
        content = hashlib.blake2b(f"{text} {linked}".encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
        seen[content] = seen.get(content, 0) + 1
        levels = [f"{_attribute(level, 'numFmt')} {_attribute(level, 'lvlText')}" for level in abstract.iterchildren(W + "lvl")]
        facts: Facts = {(Aspect.FORMAT, "levels"): list(levels), (Aspect.FORMAT, "definition"): content}
        out.append(
            Node(None, "list", number=index, facts=facts, align=Align.KEY, key=f"{content},{seen[content]}", users=users(abstract_id), label=", ".join(levels))
        )
    bullets = [child for child in part.xml if local(child) not in {"abstractNum", "num", "numIdMacAtCleanup", ""}]
    if bullets:
        facts = {(Aspect.RAW, "content"): [_short(shared.canonical.element(child, part)) for child in bullets]}
        out.append(Node(None, "list", name="picture bullets", facts=facts, align=Align.KEY))
    return out


def _attribute(level: etree._Element, name: str) -> str:
    element = level.find(W + name)
    return (element.get(VAL) or "") if element is not None else ""


# Pages -----------------------------------------------------------------------------------------

_MARGINS = ("top", "right", "bottom", "left", "header", "footer", "gutter")


def page_facts(shared: Shared, section: etree._Element, part: Part) -> Facts:
    """The page set-up of a section."""
    out: Facts = {}
    for child in section:
        name = local(child)
        if name == "pgSz":
            width, height = twips(child.get(W + "w")) or 0, twips(child.get(W + "h")) or 0
            out[Aspect.GEOMETRY, "width"] = points(width)
            out[Aspect.GEOMETRY, "height"] = points(height)
            out[Aspect.GEOMETRY, "orientation"] = orientation(child)
            if number(child.get(W + "code")):
                out[Aspect.LAYOUT, "paper code"] = number(child.get(W + "code"))
        elif name == "pgMar":
            for margin in _MARGINS:
                value = twips(child.get(W + margin))
                if value is not None and not (margin == "gutter" and value == 0):
                    out[Aspect.GEOMETRY, f"margin {margin}"] = points(value)
        elif name == "cols":
            out.update(_columns(child))
        elif name == "type":
            if child.get(VAL) not in {None, "nextPage"}:
                out[Aspect.LAYOUT, "starts"] = child.get(VAL)
        elif name in {"titlePg", "bidi", "formProt", "rtlGutter", "noEndnote"}:
            if is_on(child):
                aspect = Aspect.PROTECTION if name == "formProt" else Aspect.LAYOUT
                out[aspect, {"titlePg": "first page differs"}.get(name, name)] = True
        elif name == "pgNumType":
            for attribute, setting in sorted(child.attrib.items()):
                key = str(attribute).rpartition("}")[2]
                if not (key == "fmt" and setting == "decimal"):
                    out[Aspect.LAYOUT, f"page number {key}"] = str(setting)
        elif name == "vAlign":
            if child.get(VAL) not in {None, "top"}:
                out[Aspect.LAYOUT, "vertical alignment"] = child.get(VAL)
        elif name == "textDirection":
            if child.get(VAL) not in {None, "lrTb", "tb"}:
                out[Aspect.LAYOUT, "text direction"] = child.get(VAL)
        elif name == "docGrid":
            if child.get(W + "type") not in {None, "default"} or child.get(W + "linePitch") not in {None, "0", "360"}:
                out[Aspect.LAYOUT, "grid"] = " ".join(f"{str(key).rpartition('}')[2]}={setting!s}" for key, setting in sorted(child.attrib.items()))
        elif name in {"headerReference", "footerReference", "sectPrChange", ""}:
            continue
        else:
            out[Aspect.LAYOUT, name] = _short(shared.canonical.element(child, part))
    return out


def orientation(size: etree._Element) -> str:
    """`landscape` or `portrait`: what the page says of itself, else what its sides say."""
    stated = size.get(W + "orient")
    if stated in {"landscape", "portrait"}:
        return stated
    return "landscape" if (twips(size.get(W + "w")) or 0) > (twips(size.get(W + "h")) or 0) else "portrait"


def _columns(child: etree._Element) -> Facts:
    out: Facts = {}
    own = [f"{points(twips(column.get(W + 'w')))} + {points(twips(column.get(W + 'space')) or 0)}" for column in child.iterchildren(W + "col")]
    count = number(child.get(W + "num")) or (len(own) or 1)
    equal = child.get(W + "equalWidth") not in {"0", "false", "off"}
    if count > 1 or (own and not equal):
        out[Aspect.LAYOUT, "columns"] = count
        if equal:
            out[Aspect.LAYOUT, "column space"] = points(twips(child.get(W + "space")) or 0)
        else:
            out[Aspect.LAYOUT, "column widths"] = list(own)
    if child.get(W + "sep") in {"1", "true", "on"}:
        out[Aspect.LAYOUT, "line between columns"] = True
    return out


def section_properties(body: etree._Element) -> Iterator[etree._Element]:
    """The `w:sectPr` elements of a body in order; those of earlier states (tracked changes) left out."""
    for element in body.iter(W + "sectPr"):
        parent = element.getparent()
        if parent is body or (parent is not None and parent.tag == PPR):
            yield element
