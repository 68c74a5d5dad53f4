"""Whether a mutant is harmful: decided by what its operator does, where, and by the bundle, never by the verifier's result.

Outside the edit scope every corruption is harmful that damages an aspect the bundle keeps. Inside it, only one is that
breaks what a criterion asks at that very place (`Operator.breaks`). Where it cannot be told, the mutant is not planned.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from docops.bundle import ArtifactSpec, Bundle
from docops.core.address import Address, Segment, parse_address
from docops.core.codes import Aspect
from docops.core.compare import Allow
from docops.core.errors import AddressError
from docops.core.operator import CorruptionClass, Operator, Site
from docops.verifier import CriterionSpec

_CELL = re.compile(r"\$?([A-Z]{1,3})\$?([1-9][0-9]*)")
_WHOLE_FILE = (CorruptionClass.ARTIFACT_DELETION, CorruptionClass.SAME_NAME_CORRUPTION)
_POSITIONAL = re.compile(r"\b(?:paragraph|table|row|cell|slide|page|annotation|section|image|chart|footnote|comment)\[\d")


@dataclass(frozen=True, slots=True)
class SourceSites:
    """The sites of one operator in the source: address → what stands there, and back."""

    before: Mapping[str, str]
    addresses: Mapping[str, tuple[str, ...]]


def source_sites(sites: Sequence[Site]) -> SourceSites:
    """An index of sites."""
    addresses: dict[str, tuple[str, ...]] = {}
    for site in sites:
        addresses[site.before] = (*addresses.get(site.before, ()), site.address)
    return SourceSites({site.address: site.before for site in sites}, addresses)


def is_harmful(bundle: Bundle, artifact: ArtifactSpec, operator: Operator, site: Site, in_source: SourceSites | None) -> bool:
    """Whether a corruption at a site must be caught.

    in_source: where the operator could act in the source, so that places which moved are recognised.
    """
    if operator.corruption_class in _WHOLE_FILE:
        return not (artifact.read_only and operator.corruption_class is CorruptionClass.ARTIFACT_DELETION)
    if breaks_a_criterion(bundle, artifact, operator, site):
        return True
    if artifact.source is None or not _aspects_kept(artifact, operator):
        return False
    return not lies_in_scope(artifact, operator, site, in_source)


def _aspects_kept(artifact: ArtifactSpec, operator: Operator) -> bool:
    preserve = artifact.preserve
    if preserve.profile != "content" and not preserve.except_aspects:
        return True
    # What an operator damages must be known to the last aspect where a bundle looks away from some.
    return bool(operator.aspects) and all(Aspect(name) in preserve.aspects for name in operator.aspects)


def lies_in_scope(artifact: ArtifactSpec, operator: Operator, site: Site, in_source: SourceSites | None) -> bool:
    """Whether the edit scope names the site, or may name it."""
    entries = [(entry.at, entry.allow) for entry in artifact.scope] + [(place, frozenset(Allow)) for place in artifact.preserve.except_places]
    if not entries:
        return False
    addresses = [site.address]
    if in_source is not None and _POSITIONAL.search(site.address) and in_source.before.get(site.address) != site.before:
        addresses += in_source.addresses.get(site.before, ())
    effect = Allow(operator.effect)
    legal = [at for at, allow in entries if Allow.CHANGE in allow or effect in allow]
    if any(_covered(legal, address) for address in addresses):
        return True
    if site.also and all(_covered(legal, address) for address in site.also):
        return True
    return not site.exact and any(_within(_parse(site.address), at) for at in legal)


def _parse(address: str) -> Address:
    try:
        return parse_address(address) if address else Address(None, ())
    except AddressError:
        return Address(None, ())


def _covered(entries: Sequence[Address], address: str) -> bool:
    place = _parse(address)
    return any(covers(entry.segments, place.segments) for entry in entries)


def _within(outer: Address, inner: Address) -> bool:
    return covers(outer.segments, inner.segments)


def covers(pattern: Sequence[Segment], place: Sequence[Segment]) -> bool:
    """Whether a place is, or may be, what a pattern names or lies inside it."""
    if not pattern:
        return True
    head = pattern[0]
    if head.kind == "**":
        return any(covers(pattern[1:], place[at:]) for at in range(len(place) + 1))
    if not place:
        return False
    if head.kind == place[0].kind:
        return _key_covers(head, place[0]) and covers(pattern[1:], place[1:])
    # Other kinds of container for the same places: nothing rules out that they hold this one.
    if head.kind in ("section", "content_control", "text_box") and place[0].kind in ("paragraph", "table", "section", "content_control"):
        return True
    if head.kind in ("column", "row") and place[0].kind == "cell":
        return _line_covers(head, place[0].name or "")
    if head.kind == "table" and place[0].kind in ("cell", "row", "column") and head.name is not None:
        return True
    if head.kind == "cell" and place[0].kind in ("row", "column"):
        return False
    return head.kind in ("table", "chart", "picture", "image", "widget") and len(place) == 1 and covers(pattern[1:], place)


def _key_covers(pattern: Segment, place: Segment) -> bool:
    if pattern.any or (pattern.number is None and pattern.name is None):
        return True
    if pattern.number is not None:
        if place.number is None:
            return True  # one by number, one by name: it may be the same
        last = pattern.last if pattern.last is not None else pattern.number
        return pattern.number <= place.number <= last
    if place.number is not None:
        return True
    if pattern.kind == "cell":
        return _overlap(pattern.name or "", place.name or "")
    if place.name is None:
        return True
    return pattern.name == place.name and (pattern.ordinal or 1) == (place.ordinal or 1)


def _corners(text: str) -> tuple[int, int, int, int] | None:
    first, _, last = text.partition(":")
    a, b = _CELL.fullmatch(first), _CELL.fullmatch(last or first)
    if a is None or b is None:
        return None
    return _column(a.group(1)), int(a.group(2)), _column(b.group(1)), int(b.group(2))


def _column(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - 64
    return number


def _overlap(pattern: str, place: str) -> bool:
    one, other = _corners(pattern), _corners(place)
    if one is None or other is None:
        return True
    return one[0] <= other[2] and other[0] <= one[2] and one[1] <= other[3] and other[1] <= one[3]


def _line_covers(pattern: Segment, cell: str) -> bool:
    corners = _corners(cell)
    if corners is None or pattern.any:
        return True
    if pattern.kind == "row" and pattern.number is not None:
        return pattern.number <= corners[3] and corners[1] <= (pattern.last or pattern.number)
    if pattern.kind == "column" and pattern.name is not None and pattern.name.isalpha():
        return corners[0] <= _column(pattern.name) <= corners[2]
    return True


def breaks_a_criterion(bundle: Bundle, artifact: ArtifactSpec, operator: Operator, site: Site) -> bool:
    """Whether a criterion that watches the site cannot hold any more after the operator acted there."""
    for entry in operator.breaks:
        name, _, parameter = entry.partition(":")
        for spec in bundle.verifier.criteria:
            if spec.predicate.name != name or spec.artifact != artifact.output or (parameter and spec.arguments.get(parameter) in (None, True, [])):
                continue
            if _watches(spec, site):
                return True
    return False


def _watches(spec: CriterionSpec, site: Site) -> bool:
    at = _parse(str(spec.arguments.get("at") or ""))
    place = _parse(site.address)
    if spec.predicate.name.startswith("anchor."):
        # Gaming operators hide every occurrence of the wording that their locator names.
        wording = next((part for part in site.locator if isinstance(part, str)), None)
        asked = _texts(spec)
        return wording is not None and wording in asked and spec.arguments.get("visible") is not False
    if spec.predicate.name == "report.covers":
        # Only a section that is asked for by name.
        return any(site.before.strip().endswith(str(section)) for section in spec.arguments.get("sections") or ())
    if spec.predicate.name.startswith("report."):
        return at.segments == place.segments[: len(at.segments)]
    if spec.predicate.name == "docx.heading":
        return str(spec.arguments.get("text")) == site.before.strip() and spec.arguments.get("level") is not None
    if spec.predicate.name == "pdf.form_field":
        return site.address == _field(str(spec.arguments.get("name"))) and spec.arguments.get("equals") is not None
    return bool(at.segments) and at.segments == place.segments[: len(at.segments)]


def _field(name: str) -> str:
    from docops.core.address import format_segment

    return format_segment("field", name)


def _texts(spec: CriterionSpec) -> list[str]:
    found = [spec.arguments.get("text"), *(spec.arguments.get("texts") or [])]
    return [text for text in found if isinstance(text, str)]


def required_texts(bundle: Bundle, artifact: str) -> tuple[str, ...]:
    """The wording that the verifier asks a reader to see in an artifact, sorted."""
    names = ("anchor.contains", "anchor.in_order")
    found = [text for spec in bundle.verifier.criteria if spec.predicate.name in names and spec.artifact == artifact for text in _texts(spec)]
    return tuple(sorted(set(found)))
