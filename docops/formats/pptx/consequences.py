"""What an edit in scope brings with it elsewhere: changes that follow from an allowed one belong to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from docops.core.codes import Aspect
from docops.core.compare import ALLOW_NONE, Allow, Change, ChangeKind, Comparison
from docops.core.node import Value
from docops.formats.ooxml.chart_data import read_chart
from docops.formats.ooxml.sheet_values import read_embedded
from docops.formats.pptx.deck import Sheet
from docops.formats.pptx.document import PptxDocument
from docops.formats.pptx.presentation import held_in
from docops.formats.pptx.shapes import Shape
from docops.formats.pptx.sheets import effects_of, is_blank_notes

#: What a reference to a place that is not there says.
_NOWHERE = frozenset({"no slide", "nothing"})


def without_consequences(before: PptxDocument, after: PptxDocument, comparison: Comparison, changes: Sequence[Change]) -> Iterator[Change]:
    """The changes that do not follow from what the edit scope allows."""
    edit = _Edit(before, after, comparison)
    for change in changes:
        if not any(rule(edit, change) for rule in _RULES):
            yield change


class _Edit:
    """Both documents, and what of the edit between them is allowed."""

    def __init__(self, before: PptxDocument, after: PptxDocument, comparison: Comparison) -> None:
        self.before = before
        self.after = after
        self.comparison = comparison
        self.removed = comparison.allowed_removals
        self.removed_slides = frozenset(f"slide {address[6:-1]}" for address in self.removed if address.startswith("slide[") and address.endswith("]") and "/" not in address)

    def removed_shapes(self, slide: str) -> tuple[str, ...]:
        """Paths of the shapes of a slide that were removed as allowed."""
        return tuple(address[len(slide) + 1 :] for address in sorted(self.removed) if address.startswith(f"{slide}/shape["))

    def shapes(self, change: Change, ending: str = "") -> tuple[Shape | None, Shape | None]:
        """The shapes at a change, in both documents."""
        old, new = (address.removesuffix(ending) for address in (change.address, change.other_address or change.address))
        return self.before.shape(old), self.after.shape(new)


def _is_gone(path: str, removed: Sequence[str]) -> bool:
    return any(path == gone or path.startswith(f"{gone}/") for gone in removed)


def _date_typed_out(edit: _Edit, change: Change) -> bool:
    """Where only content is compared: a date of no given form is its stored text, which is what other programs make of it."""
    holder, _, number = change.address.rpartition("/paragraph[")
    if change.place or Aspect.FORMAT in edit.comparison.aspects or change.aspect not in {Aspect.TEXT, Aspect.FIELD} or not holder:
        return False
    other, _, other_number = (change.other_address or change.address).rpartition("/paragraph[")
    old, new = edit.before.shape(holder), edit.after.shape(other)
    if old is None or new is None:
        return False
    one, two = old.paragraphs[int(number[:-1]) - 1], new.paragraphs[int(other_number[:-1]) - 1]
    return set(one.fields) == {"datetimeFigureOut"} and not two.fields and one.shown == two.shown


# Slides ---------------------------------------------------------------------------------------------------------------


def _leads_to_a_removed_slide(edit: _Edit, change: Change) -> bool:
    """A link whose slide was removed leads nowhere, or is gone."""
    if change.place or change.aspect is not Aspect.LINK or not edit.removed_slides:
        return False
    if isinstance(change.before, list) and change.name == "links":
        kept = [link for link in change.before if not _is_dead(link, edit.removed_slides | _NOWHERE)]
        return kept == [link for link in (change.after if isinstance(change.after, list) else []) if not _is_dead(link, _NOWHERE)]
    return _to(change.before) in edit.removed_slides and (change.after is None or _to(change.after) in _NOWHERE)


def _is_dead(link: Value, targets: frozenset[str]) -> bool:
    return isinstance(link, list) and len(link) == 3 and _to(link[2]) in targets


def _to(link: Value) -> str:
    return str(link.get("to")) if isinstance(link, Mapping) else str(link)


def _show_without_a_removed_slide(edit: _Edit, change: Change) -> bool:
    """A custom show goes on without the slides that were removed."""
    if not change.address.startswith("show[") or not edit.removed_slides:
        return False
    if change.place:
        slides = change.node.facts.get((Aspect.STRUCTURE, "slides")) if change.node is not None else None
        return change.kind is ChangeKind.REMOVED and isinstance(slides, list) and bool(slides) and edit.removed_slides.issuperset(map(str, slides))
    if not isinstance(change.before, list) or not isinstance(change.after, list):
        return False
    return [slide for slide in change.before if slide not in edit.removed_slides] == [slide for slide in change.after if slide not in _NOWHERE]


def _section_of_a_moved_slide(edit: _Edit, change: Change) -> bool:
    """A slide that may move stands in the section of its new neighbours; slides of a new section stand in it, those of a removed one elsewhere."""
    slide, _, inner = change.address.partition("/")
    if inner != "section" or not slide.startswith("slide["):
        return False
    old, new = (value if isinstance(value, str) else "" for value in (change.before, change.after))
    if change.place:
        old, new = ("", new or _section_at(change)) if change.kind is ChangeKind.ADDED else (old or _section_at(change), "")
    scope = edit.comparison.before_scope
    if Allow.MOVE in scope.get(slide, ALLOW_NONE):
        moved = (change.other_address or change.address).partition("/")[0]
        held = held_in(edit.after.deck)
        slides = edit.after.deck.slides
        number = int(moved[6:-1]) if moved[6:-1].isdigit() else 0
        near = [held.get(slides[at - 1].part.name, "") for at in (number - 1, number + 1) if 1 <= at <= len(slides)]
        if new in near:
            return True
    if new and Allow.ADD in edit.comparison.after_scope.get(_section_address(new), ALLOW_NONE):
        return True
    return bool(old) and _section_address(old) in edit.removed


def _section_at(change: Change) -> str:
    value = change.node.facts.get((Aspect.LAYOUT, "section")) if change.node is not None else None
    return value if isinstance(value, str) else ""


def _section_address(name: str) -> str:
    from docops.core.address import format_segment

    return format_segment("section", name)


def _section_that_lost_its_slides(edit: _Edit, change: Change) -> bool:
    """A section all of whose slides were removed may go with them."""
    if not (change.place and change.kind is ChangeKind.REMOVED and change.address.startswith("section[") and change.node is not None):
        return False
    held = held_in(edit.before.deck)
    slides = {f"slide {sheet.number}" for sheet in edit.before.deck.slides if held.get(sheet.part.name) == change.node.name}
    return bool(slides) and edit.removed_slides.issuperset(slides)


def _brought_by_a_new_slide(edit: _Edit, change: Change) -> bool:
    """A master or layout that only slides in scope use came with them."""
    if not change.place or change.kind is not ChangeKind.ADDED or change.node is None or change.node.kind not in {"master", "layout"}:
        return False
    users = [sheet for sheet in edit.after.deck.slides if _uses(sheet, change.address)]
    allowed = edit.comparison.after_scope
    return bool(users) and all(
        sheet.address in edit.comparison.allowed_additions or {Allow.ADD, Allow.CHANGE} & allowed.get(sheet.address, ALLOW_NONE) for sheet in users
    )


def _uses(sheet: Sheet, address: str) -> bool:
    parent = sheet.parent
    return parent is not None and (parent.address == address or parent.address.startswith(f"{address}/"))


def _blank_notes(edit: _Edit, change: Change) -> bool:
    """A notes page without a word is none: libraries make one when they look for it, and the first brings a master."""
    if not change.place or change.node is None or change.kind not in {ChangeKind.ADDED, ChangeKind.REMOVED}:
        return False
    deck = (edit.after if change.kind is ChangeKind.ADDED else edit.before).deck
    if change.node.kind == "notes_master":
        return change.kind is ChangeKind.ADDED and all(is_blank_notes(notes) for slide in deck.slides if (notes := deck.notes_of(slide)) is not None)
    if change.node.kind != "notes":
        return False
    number = change.address.partition("/")[0][6:-1]
    notes = deck.notes_of(deck.slides[int(number) - 1]) if number.isdigit() else None
    return notes is not None and is_blank_notes(notes)


# Shapes ---------------------------------------------------------------------------------------------------------------


def _connector_of_a_removed_shape(edit: _Edit, change: Change) -> bool:
    """A connector whose shape was removed is glued to nothing."""
    if change.place or change.aspect is not Aspect.STRUCTURE or change.name not in {"from", "to"} or not isinstance(change.before, str):
        return False
    path = change.before.rpartition(" site ")[0]
    gone = _is_gone(path, edit.removed_shapes(change.address.partition("/")[0]))
    return gone and (change.after is None or str(change.after).startswith("no shape"))


def _animation_of_a_removed_shape(edit: _Edit, change: Change) -> bool:
    """Removed shapes take their effects with them; those of the others stay as they are."""
    slide, _, inner = change.address.partition("/")
    if inner != "animation" or change.kind is ChangeKind.ADDED:
        return False
    removed = edit.removed_shapes(slide)
    other = (change.other_address or change.address).partition("/")[0]
    old, new = edit.before.slide(int(slide[6:-1])), edit.after.slide(int(other[6:-1])) if other[6:-1].isdigit() else None
    if not removed or old is None or new is None:
        return False
    targets, effects = effects_of(old)
    if not any(_is_gone(path, removed) for path in targets):
        return False
    kept = [digest for paths, digest in effects if not all(_is_gone(path, removed) for path in paths)]
    return kept == [digest for paths, digest in effects_of(new)[1] if set(paths) != {"no shape"}]


def _frame_of_an_edited_table(edit: _Edit, change: Change) -> bool:
    """The frame of a table is as large as its rows and columns: where these changed, it follows."""
    if change.place or (change.aspect, change.name) != (Aspect.GEOMETRY, "size"):
        return False
    old, new = edit.shapes(change)
    if old is None or new is None or old.table is None or new.table is None or not isinstance(change.before, list) or not isinstance(change.after, list):
        return False
    sums = [(sum(table.widths), sum(table.heights)) for table in (old.table, new.table)]
    for axis in (0, 1):
        was, now = (float(str(size[axis])) for size in (change.before, change.after))
        grown = sums[1][axis] - sums[0][axis]
        if was != now and (not grown or (abs(now - sums[1][axis]) > _SLACK and abs(now - was - grown) > _SLACK)):
            return False
    return True


#: EMU by which a frame may miss the sum of its rows: libraries divide and round.
_SLACK = 100


def _scale_of_an_edited_text(edit: _Edit, change: Change) -> bool:
    """By what a text is shrunk to fit follows from the text."""
    if change.place or change.aspect is not Aspect.FORMAT or change.name not in {"text_scale", "text_spacing_reduction"}:
        return False
    old, new = edit.shapes(change)
    return old is not None and new is not None and [paragraph.runs for paragraph in old.paragraphs] != [paragraph.runs for paragraph in new.paragraphs]


def _workbook_of_an_edited_series(edit: _Edit, change: Change) -> bool:
    """The numbers of a series stand in the chart's workbook too: its cells change with it, and no others."""
    if change.place or (change.aspect, change.name) != (Aspect.RAW, "workbook") or not change.address.endswith("/chart"):
        return False
    parts = [shape.chart_part() if shape is not None else None for shape in edit.shapes(change, "/chart")]
    places = ((edit.comparison.before_scope, change.address), (edit.comparison.after_scope, change.other_address or change.address))
    if parts[0] is None or parts[1] is None:
        return False
    charts = [read_chart(part) for part in parts if part is not None]
    books = [read_embedded(chart.workbook) for chart in charts]
    references = [
        reference
        for chart, (scope, address) in zip(charts, places, strict=True)
        for number, series in enumerate(chart.series, 1)
        if f"{address}/series[{number}]" in scope
        for reference in (series.name_reference, series.categories.reference, series.values.reference, series.sizes.reference)
        if reference
    ]
    if not references or books[0] is None or books[1] is None:
        return False
    return books[0].meaning(references) == books[1].meaning(references)


_RULES: tuple[Callable[[_Edit, Change], bool], ...] = (
    _date_typed_out,
    _leads_to_a_removed_slide,
    _show_without_a_removed_slide,
    _section_of_a_moved_slide,
    _section_that_lost_its_slides,
    _brought_by_a_new_slide,
    _blank_notes,
    _connector_of_a_removed_shape,
    _animation_of_a_removed_shape,
    _frame_of_an_edited_table,
    _scale_of_an_edited_text,
    _workbook_of_an_edited_series,
)
