"""Content controls (ISO 29500-1, 17.5.2): what they ask for, what they hold, what they forbid."""

from __future__ import annotations

from lxml import etree

from docops.core.codes import Aspect
from docops.core.node import Value
from docops.formats.docx.names import VAL, W14, W, is_on, local
from docops.formats.docx.story import Story

_KINDS = {
    "text": "plain text", "richText": "rich text", "dropDownList": "drop-down list", "comboBox": "combo box", "date": "date", "picture": "picture",
    "checkbox": "check box", "docPartObj": "document part", "docPartList": "document part list", "group": "group", "equation": "equation",
    "citation": "citation", "bibliography": "bibliography", "repeatingSection": "repeating section", "repeatingSectionItem": "repeating section item",
}  # fmt: skip
_KNOWN = frozenset({"alias", "tag", "id", "lock", "showingPlcHdr", "rPr", "temporary", "placeholder", "dataBinding", *_KINDS})


def control_facts(story: Story, sdt: etree._Element) -> dict[tuple[Aspect, str], Value]:
    """The facts of a content control itself, its content left out."""
    out: dict[tuple[Aspect, str], Value] = {}
    properties = sdt.find(W + "sdtPr")
    if properties is None:
        return out
    raw: list[str] = []
    for child in properties:
        name = local(child)
        value = child.get(VAL)
        if name in {"alias", "tag"}:
            if value:
                # LibreOffice drops tags, so that they are no content.
                out[Aspect.NAME if name == "alias" else Aspect.METADATA, name] = value
        elif name == "lock":
            if value not in {None, "unlocked"}:
                out[Aspect.PROTECTION, "lock"] = value
        elif name in {"showingPlcHdr", "temporary"}:
            if is_on(child):
                out[Aspect.FORM, "shows placeholder" if name == "showingPlcHdr" else "removed when edited"] = True
        elif name == "dataBinding":
            words = [child.get(W + "xpath") or "", "in", child.get(W + "storeItemID") or "", child.get(W + "prefixMappings") or ""]
            out[Aspect.LINK, "data binding"] = " ".join(words).strip()
        elif name == "placeholder":
            part = child.find(W + "docPart")
            out[Aspect.LAYOUT, "placeholder"] = part.get(VAL) if part is not None else ""
        elif name in _KINDS:
            out[Aspect.FORM, "kind"] = _KINDS[name]
            out.update(_kind_facts(story, name, child))
        elif name not in _KNOWN:
            raw.append(story.canonical(child))
    out.setdefault((Aspect.FORM, "kind"), "rich text")
    r_pr = properties.find(W + "rPr")
    if r_pr is not None and len(r_pr):
        out[Aspect.FORMAT, "control format"] = story.canonical(r_pr)
    if raw:
        out[Aspect.RAW, "other"] = sorted(raw)
    return out


def _kind_facts(story: Story, name: str, child: etree._Element) -> dict[tuple[Aspect, str], Value]:
    out: dict[tuple[Aspect, str], Value] = {}
    if name in {"dropDownList", "comboBox"}:
        out[Aspect.FORM, "options"] = [
            [item.get(W + "displayText") or item.get(W + "value") or "", item.get(W + "value") or ""] for item in child.iterchildren(W + "listItem")
        ]
        if child.get(W + "lastValue"):
            out[Aspect.FORM, "last value"] = child.get(W + "lastValue")
    elif name == "date":
        if child.get(W + "fullDate"):
            out[Aspect.FORM, "value"] = child.get(W + "fullDate")
        for part, label in (("dateFormat", "date format"), ("lid", "date language"), ("storeMappedDataAs", "stored as"), ("calendar", "calendar")):
            element = child.find(W + part)
            if element is not None and element.get(VAL):
                out[Aspect.FORMAT, label] = element.get(VAL)
    elif name == "checkbox":
        out[Aspect.FORM, "checked"] = checked(child)
        for state in ("checkedState", "uncheckedState"):
            element = child.find(W14 + state)
            if element is not None:
                out[Aspect.FORMAT, state] = f"{element.get(W14 + 'val') or ''} {element.get(W14 + 'font') or ''}".strip()
    elif name == "text":
        if (child.get(W + "multiLine") or "0") in {"1", "true", "on"}:
            out[Aspect.FORM, "many lines"] = True
    elif name in {"docPartObj", "docPartList"}:
        gallery = child.find(W + "docPartGallery")
        if gallery is not None:
            out[Aspect.FORM, "gallery"] = gallery.get(VAL) or ""
        out[Aspect.LAYOUT, "settings"] = story.canonical(child)
    elif len(child) or child.attrib:
        out[Aspect.FORM, "settings"] = story.canonical(child)
    return out


def checked(box: etree._Element) -> bool:
    """Whether a check box control is on."""
    state = box.find(W14 + "checked")
    return state is not None and (state.get(W14 + "val") or "1") in {"1", "true", "on"}


def check_box(sdt: etree._Element) -> etree._Element | None:
    """The `w14:checkbox` of a control, or None."""
    return sdt.find(f"{W}sdtPr/{W14}checkbox")


def glyph(box: etree._Element, on: bool) -> str:
    """The character a check box control shows in a state."""
    element = box.find(W14 + ("checkedState" if on else "uncheckedState"))
    try:
        return chr(int((element.get(W14 + "val") if element is not None else None) or ("2612" if on else "2610"), 16))
    except (ValueError, OverflowError):
        return ""


def control_names(sdt: etree._Element) -> tuple[str, ...]:
    """Tag and title of a control, where it has them."""
    properties = sdt.find(W + "sdtPr")
    found = (properties.find(W + name) for name in ("tag", "alias")) if properties is not None else ()
    return tuple(value for element in found if element is not None and (value := element.get(VAL)))


