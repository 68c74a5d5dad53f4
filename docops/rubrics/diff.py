"""What changed between two decks, in the nine lists that PPT-Eval's leaves read: bug-compatible, or on docops's own facts."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.parsers import expat

from docops.core.codes import Aspect

Record = dict[str, Any]
_KINDS = ("slides", "animations", "transitions")


def empty() -> dict[str, list[Any]]:
    """A comparison that found nothing."""
    return {f"{how}_{kind}": [] for kind in _KINDS for how in ("added", "removed", "modified")}


# Faithful: what the benchmark's own comparison reports, its blind spots included

_P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_P14 = "{http://schemas.microsoft.com/office/powerpoint/2010/main}"
_SPEEDS = {"slow": "1500", "med": "750", "fast": "500"}
_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"

#: Directions of effects by preset subtype, as the benchmark names them (not as Office does).
_SIDES = {"8": "left", "2": "right", "4": "top", "6": "bottom"}
_CORNERS = {"1": "top_left", "3": "top_right", "7": "bottom_left", "9": "bottom_right"}


def _directed(preset: str, stem: str, sides: Mapping[str, str]) -> dict[tuple[str, str], str]:
    return {(preset, subtype): f"{stem}_{side}" for subtype, side in sides.items()}


_ENTRANCE: dict[tuple[str, str], str] = {
    **_directed("2", "fly_in_from", {**_SIDES, **_CORNERS}),
    ("1", "0"): "fade_in",
    ("0", "0"): "appear",
    **_directed("5", "wipe_from", _SIDES),
    **_directed("13", "split", {"10": "horizontal_in", "5": "vertical_in"}),
    **_directed("3", "blinds", {"5": "horizontal", "10": "vertical"}),
    **_directed("4", "box", {"5": "in", "0": "out"}),
    **_directed("6", "checkerboard", {"5": "across", "10": "down"}),
    ("8", "0"): "dissolve_in",
    **_directed("9", "random_bars", {"5": "horizontal", "10": "vertical"}),
    **_directed("10", "strips", {"1": "left_up", "3": "right_up", "7": "left_down", "9": "right_down"}),
    **_directed("16", "zoom_in", {"1": "from_screen_center", "2": "slightly"}),
    ("16", "0"): "zoom_in",
    **_directed("14", "stretch_from", _SIDES),
    ("15", "0"): "swivel",
    ("11", "0"): "spiral_in",
}
_EXIT: dict[tuple[str, str], str] = {
    **_directed("2", "fly_out_to", _SIDES),
    ("1", "0"): "fade_out",
    ("0", "0"): "disappear",
    **_directed("5", "wipe_out_to", _SIDES),
    **_directed("13", "split", {"10": "horizontal_out", "5": "vertical_out"}),
    ("4", "0"): "box_out",
    ("16", "0"): "zoom_out",
    ("11", "0"): "spiral_out",
}
_EMPHASIS: dict[tuple[str, str], str] = {
    (number, "0"): name
    for number, name in {
        "19": "color_emphasis", "1": "pulse", "2": "grow_shrink", "3": "spin", "18": "transparency", "4": "bold_flash", "5": "bold_reveal",
        "6": "wave", "7": "lighten", "8": "darken", "9": "complementary_color", "10": "complementary_color_2", "11": "contrasting_color",
        "12": "brush_on_color", "13": "reveal_underline", "14": "underline", "15": "style_emphasis", "16": "font_color", "17": "teeter", "20": "flicker",
    }.items()
}  # fmt: skip
#: Class of preset → its effects, and the trigger and duration that are reported for every one of them.
_PRESETS = (("entr", _ENTRANCE, "click", 0.5), ("exit", _EXIT, "on_click", 0.5), ("emph", _EMPHASIS, "with_previous", 1.0))
_EFFECTS = ("animEffect", "animMotion", "animClr", "animRot", "animScale", "set")


def faithful_diff(before: Path, after: Path) -> dict[str, list[Any]]:
    """The comparison as the benchmark makes it: slides by id and slide XML alone, effects by id and order, `dur` without namespace."""
    out = empty()
    sides = [_read(path) for path in (before, after)]
    _compare(out, "slides", sides[0][0], sides[1][0], lambda slide: slide["slide_id"], _same_slide)
    _compare(out, "animations", sides[0][1], sides[1][1], lambda effect: (effect["slide_id"], effect["element_id"], effect["order"]), _same_effect)
    _compare(out, "transitions", sides[0][2], sides[1][2], lambda transition: transition["slide_id"], _same_transition)
    return _without_private(out)


def _without_private(out: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """The comparison without what only it needed."""
    for entries in out.values():
        for entry in entries:
            for record in entry if isinstance(entry, list) else [entry]:
                for name in ("_tree", "_key"):
                    record.pop(name, None)
    return out


def _compare(
    out: dict[str, list[Any]],
    kind: str,
    before: Sequence[Record],
    after: Sequence[Record],
    key: Callable[[Record], Any],
    same: Callable[[Record, Record], bool],
) -> None:
    old, new = ({key(record): record for record in side} for side in (before, after))
    out[f"added_{kind}"] = [dict(record) for name, record in new.items() if name not in old]
    out[f"removed_{kind}"] = [dict(record) for name, record in old.items() if name not in new]
    out[f"modified_{kind}"] = [[dict(old[name]), dict(new[name])] for name in old if name in new and not same(old[name], new[name])]


def _same_slide(a: Record, b: Record) -> bool:
    return bool(a["content_hash"] == b["content_hash"] or a["_tree"] == b["_tree"])


def _same_effect(a: Record, b: Record) -> bool:
    alike = a["effect_type"] == b["effect_type"] and a["trigger"] == b["trigger"]
    return bool(alike and abs(a["delay"] - b["delay"]) < 0.01 and abs(a["duration"] - b["duration"]) < 0.01)


def _same_transition(a: Record, b: Record) -> bool:
    alike = a["transition_type"] == b["transition_type"] and a["direction"] == b["direction"]
    return bool(alike and abs(a["duration"] - b["duration"]) < 0.01)


def _read(path: Path, *, own: bool = False) -> tuple[list[Record], list[Record], list[Record]]:
    """Slides, effects and transitions of a deck.

    Effects and transitions are read from the part that is called like python-pptx calls the slide, which is another slide's where the
    order of parts is not that of slides; slides themselves are read rightly. Both as in the benchmark.
    own: read them from the slide itself, with the durations that PowerPoint writes.
    """
    from pptx import Presentation

    slides: list[Record] = []
    effects: list[Record] = []
    transitions: list[Record] = []
    deck = Presentation(str(path))
    with zipfile.ZipFile(path) as archive:
        for number, slide in enumerate(deck.slides, 1):
            identity = str(slide.slide_id)
            slides.append(_slide(slide, identity, number))
            try:
                root = _parse(slide.part.blob if own else archive.read(str(slide.part.partname).lstrip("/")))
            except (KeyError, ValueError):
                continue
            transition = _transition(root, identity, own)
            if transition is not None:
                transitions.append(transition)
            effects += _animations(root, identity)
    return slides, effects, transitions


def _parse(data: bytes) -> Any:
    """The root of a part, without entities.

    Raises ValueError where it is no XML.
    """
    from lxml import etree

    try:
        return etree.fromstring(data, etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False))
    except etree.XMLSyntaxError as error:
        raise ValueError(str(error)) from error


def _slide(slide: Any, identity: str, number: int) -> Record:
    import hashlib

    data = slide.part.blob
    root = _parse(data)
    notes = next((rel.target_part.blob for rel in slide.part.rels.values() if rel.reltype.endswith("/notesSlide")), None)
    texts = [element.text for element in _parse(notes).iter(f"{_A}t") if element.text] if notes is not None else []
    return {
        "slide_id": identity,
        "slide_number": number,
        "title": _title(root),
        "layout_type": slide.slide_layout.name or None,
        "element_count": sum(1 for _ in root.iter(f"{_P}sp")),
        "notes": " ".join(texts).strip() or None,
        "content_hash": hashlib.sha256(data).hexdigest(),
        "_tree": grouped_tree(data),
    }


def _title(root: Any) -> str | None:
    for shape in root.iter(f"{_P}sp"):
        heads = shape.find(f"{_P}nvSpPr")
        if heads is None:
            continue
        placeholder, naming = heads.find(f".//{_P}ph"), heads.find(f".//{_P}cNvPr")
        is_title = placeholder is not None and placeholder.get("type") in ("title", "ctrTitle")
        if is_title or (naming is not None and "title" in naming.get("name", "").lower()):
            return _text(shape)
    return None


def _text(shape: Any) -> str | None:
    joined = "".join(element.text for element in shape.iter(f"{_A}t") if element.text).strip()
    return re.sub(r"[ \t]+", " ", joined) or None


def grouped_tree(data: bytes) -> Any:
    """XML as nested values in which siblings are grouped by name as written and text is stripped.

    Equal for what the benchmark takes for equal: order between siblings of different names and white space at the ends of texts do
    not count, prefixes do.
    """
    top: list[Any] = [{}, {}, []]
    stack = [top]

    def start(name: str, attributes: dict[str, str]) -> None:
        node: list[Any] = [dict(attributes), {}, []]
        stack[-1][1].setdefault(name, []).append(node)
        stack.append(node)

    def characters(text: str) -> None:
        stack[-1][2].append(text)

    def end(_: str) -> None:
        node = stack.pop()
        node[2] = "".join(node[2]).strip()

    parser = expat.ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler = characters
    parser.Parse(data, True)
    return top[1]


def _transition(root: Any, identity: str, own: bool) -> Record | None:
    element = root.find(f".//{_P}transition")
    if element is None:
        return None
    duration = element.get("dur") if not own else element.get(f"{_P14}dur") or _SPEEDS.get(element.get("spd", "fast"))
    children = [child for child in element if isinstance(child.tag, str)]
    kinds = [child.tag.rpartition("}")[2] for child in children if child.tag.rpartition("}")[2] != "soundAc"]
    return {
        "slide_id": identity,
        "transition_type": kinds[0] if kinds else "none",
        "duration": _number(duration, 500.0) / 1000,
        "direction": next((child.get("dir") for child in children if child.get("dir")), None),
    }


def _number(text: str | None, default: float) -> float:
    try:
        return float(text) if text is not None else default
    except ValueError:
        return default


def _animations(root: Any, identity: str) -> list[Record]:
    timing = root.find(f".//{_P}timing")
    if timing is None:
        return []
    shapes = _shapes(root)
    found = [effect for preset in _PRESETS for effect in _preset_effects(timing, shapes, identity, *preset)]
    found += _motions(timing, shapes, identity)
    known = {effect["element_id"] for effect in found}
    elements = [element for name in _EFFECTS for element in timing.iter(f"{_P}{name}")]
    for group in timing.iter(f"{_P}par"):
        elements += [element for name in _EFFECTS if name != "animRot" for element in group.iter(f"{_P}{name}")]
    plain = (_plain_effect(element, shapes, identity, order) for order, element in enumerate(elements))
    return found + [effect for effect in plain if effect["element_id"] not in known]


def _shapes(root: Any) -> dict[str, tuple[str | None, str]]:
    """Id of each shape → its text and what it is called."""
    out: dict[str, tuple[str | None, str]] = {}
    for shape in root.iter(f"{_P}sp"):
        naming = shape.find(f"{_P}nvSpPr/{_P}cNvPr")
        if naming is not None and naming.get("id"):
            name = naming.get("name", "")
            kinds = {"TextBox": "textbox", "Text Box": "textbox", "Title": "title", "Content": "content"}
            fallback = "text_shape" if shape.find(f"{_P}txBody") is not None else "shape"
            out[naming.get("id")] = (_text(shape), next((kind for part, kind in kinds.items() if part in name), fallback))
    return out


def _target(element: Any) -> Any:
    return element.find(f".//{_P}tgtEl//{_P}spTgt")


def _preset_effects(
    timing: Any,
    shapes: Mapping[str, tuple[str | None, str]],
    identity: str,
    preset_class: str,
    names: Mapping[tuple[str, str], str],
    trigger: str,
    duration: float,
) -> list[Record]:
    found: list[Record] = []
    seen = set()
    for (preset, subtype), name in names.items():
        for node in timing.iter(f"{_P}cTn"):
            if (node.get("presetID"), node.get("presetClass"), node.get("presetSubtype")) != (preset, preset_class, subtype):
                continue
            for target in node.iter(f"{_P}spTgt"):
                shape = target.get("spid")
                if (shape, name) not in seen:
                    seen.add((shape, name))
                    found.append(_effect(identity, shape, name, trigger, duration, len(found), shapes, target))
    return found


def _motions(timing: Any, shapes: Mapping[str, tuple[str | None, str]], identity: str) -> list[Record]:
    found: list[Record] = []
    for motion in timing.iter(f"{_P}animMotion"):
        target = _target(motion)
        if target is not None:
            path = motion.get("path", "").lower()
            lines, curves = "l" in path, "c" in path
            shape = "curved" if lines and curves else "linear" if lines else "curve" if curves else "arc" if "a" in path else "custom"
            found.append(_effect(identity, target.get("spid"), f"motion_path_{shape}", "on_click", 2.0, len(found), shapes, target))
    return found


def _effect(
    identity: str, shape: str | None, name: str, trigger: str, duration: float, order: int, shapes: Mapping[str, tuple[str | None, str]], target: Any
) -> Record:
    return {
        "slide_id": identity,
        "element_id": shape,
        "effect_type": name,
        "trigger": trigger,
        "delay": 0.0,
        "duration": duration,
        "order": order,
        "element_text": shapes.get(shape or "", (None, ""))[0],
        "element_type": "text" if target.find(f".//{_P}txEl") is not None else "shape",
    }


def _plain_effect(element: Any, shapes: Mapping[str, tuple[str | None, str]], identity: str, order: int) -> Record:
    """An effect that no preset names."""
    scope = [element, *element.iterancestors()]
    target = next((found for node in scope if (found := _target(node)) is not None), None)
    shape = target.get("spid", "unknown") if target is not None else "unknown"
    node = element.find(f".//{_P}cTn")
    length = node.get("dur", "1000") if node is not None else "1000"
    condition = next((found for part in scope if (found := part.find(f".//{_P}cond")) is not None), None)
    event = condition.get("evt", "onClick") if condition is not None else "onClick"
    names = {"onBegin": "withPrevious", "onEnd": "afterPrevious", "onDblClick": "onDoubleClick"}
    text, kind = shapes.get(shape, (None, None))
    return {
        "slide_id": identity,
        "element_id": shape,
        "effect_type": element.tag.rpartition("}")[2],
        "trigger": names.get(event, event),
        "delay": _number(node.get("delay") if node is not None else None, 0.0) / 1000,
        "duration": 0.0 if length == "indefinite" else _number(length, 1000.0) / 1000,
        "order": order,
        "element_text": text,
        "element_type": kind,
    }


# Semantic: the same lists from docops's facts


def semantic_diff(before: Path, after: Path) -> dict[str, list[Any]]:
    """The comparison on docops's facts: every change that shows on a slide counts (notes, pictures, charts, order, z-order, layout; what
    its layout, master or theme lend it), what no reader could notice does not. Slides are the same by id; transitions and effects are
    those of their own slide, durations the real ones, and an effect that is inserted shifts no other.
    """
    from docops.core.compare import ChangeKind
    from docops.differences import diff_documents
    from docops.files import open_path

    out = empty()
    (old, old_effects, old_transitions), (new, new_effects, new_transitions) = _read(before, own=True), _read(after, own=True)
    documents = open_path(before), open_path(after)
    changed: set[str] = set()
    lent: list[set[str]] = [set(), set()]
    for change in diff_documents(*documents):
        # A new place has its address in the second deck.
        second = change.place and change.kind is ChangeKind.ADDED and not change.other_address
        place = re.match(r"slide\[(\d+)\]", change.address)
        if place is not None:
            side = new if second else old
            changed.update(slide["slide_id"] for slide in side if slide["slide_number"] == int(place[1]))
        elif change.aspect in (_OF_DECK if change.address == "presentation" else _SHOWING):
            lent[second].add(change.address)
            lent[1].add(change.other_address or change.address)
    for slides, document, places in zip((old, new), documents, lent):
        for slide in slides if places else ():
            layout = next((str(node.facts.get((Aspect.LAYOUT, "layout"))) for node in document.find(f"slide[{slide['slide_number']}]")), "none")
            if any(_lends(place, layout) for place in places):
                changed.add(slide["slide_id"])
    by_id = {slide["slide_id"]: slide for slide in new}
    known = {slide["slide_id"] for slide in old}
    out["added_slides"] = [dict(slide) for slide in new if slide["slide_id"] not in known]
    out["removed_slides"] = [dict(slide) for slide in old if slide["slide_id"] not in by_id]
    out["modified_slides"] = [
        [dict(slide), dict(by_id[slide["slide_id"]])] for slide in old if slide["slide_id"] in by_id and slide["slide_id"] in changed
    ]
    _compare(out, "transitions", old_transitions, new_transitions, lambda transition: transition["slide_id"], _same_transition)
    _compare(out, "animations", _numbered(old_effects), _numbered(new_effects), lambda effect: effect["_key"], _same_effect)
    return _without_private(out)


#: What of the presentation shows on every slide: their size, and the text style that all derive from.
_OF_DECK = frozenset({Aspect.GEOMETRY, Aspect.FORMAT})
#: What a layout, a master or a theme can lend a slide; not their names, order and metadata.
_SHOWING = frozenset(
    {Aspect.TEXT, Aspect.STRUCTURE, Aspect.FORMAT, Aspect.GEOMETRY, Aspect.MEDIA, Aspect.LINK, Aspect.THEME, Aspect.MASTER, Aspect.RAW}
)


def _lends(place: str, layout: str) -> bool:
    """Whether a slide of this layout (by its address) shows what stands at a place: in the layout, its master or its theme, or is as large."""
    master = layout.partition("/")[0]
    if place.startswith(f"{master}/layout["):
        return place == layout or place.startswith(f"{layout}/")
    of_master = place == master or place.startswith(f"{master}/")
    return of_master or place == "presentation" or (master == "master[1]" and (place == "theme" or place.startswith("theme/")))


def _numbered(effects: Sequence[Record]) -> list[Record]:
    """Effects with a key of slide, shape, effect, and which of these it is."""
    counts: dict[tuple[Any, ...], int] = {}
    out = []
    for effect in effects:
        head = (effect["slide_id"], effect["element_id"], effect["effect_type"])
        counts[head] = counts.get(head, 0) + 1
        out.append({**effect, "_key": (*head, counts[head])})
    return out


def diffs(mode: str) -> Callable[[Path, Path], dict[str, list[Any]]]:
    """The comparison of that name: `faithful` or `semantic`."""
    return {"faithful": faithful_diff, "semantic": semantic_diff}[mode]
