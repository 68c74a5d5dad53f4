"""Whether every criterion of a verifier can fail: shown by mutants, for `docops lint`."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from docops.bundle import Bundle
from docops.core.codes import Outcome
from docops.core.operator import CorruptionClass, MutationInput, Operator, OperatorKind, Site
from docops.operators import spread
from docops.registry import operators
from docops.stressing.harm import covers
from docops.stressing.plan import given_for, right_outputs
from docops.verifier import CriterionSpec

#: Mutants tried for all criteria together, and for each one that has not failed by then.
_FIRST = (
    "package.older-version",
    "package.blank-document",
    "package.unrelated-document",
    "package.wrong-type",
    "xlsx.blank-with-all-words",
    "docx.blank-with-all-words",
    "pptx.blank-with-all-words",
    "pdf.blank-with-all-words",
)
_EACH = 60


def criteria_that_never_failed(bundle: Bundle) -> tuple[str, ...]:
    """Ids of the criteria that no mutant of the right outputs made fail, in the verifier's order.

    A missing file counts only for those that ask for the file: every criterion fails then, whatever it asks.
    Raises UsageError where the bundle has no reference to mutate.
    """
    outputs = right_outputs(bundle)
    left = [spec.id for spec in bundle.verifier.criteria]
    with tempfile.TemporaryDirectory(prefix="docops-weak-") as folder:
        place = Path(folder)
        for name, data in outputs.items():
            _write(place / name, data)
        table = {operator.name: operator for operator in operators()}
        for name, data in outputs.items():
            given = given_for(bundle, bundle.artifact(name), outputs)
            for operator in (table[known] for known in _FIRST):
                if left and (not operator.formats or bundle.artifact(name).format in operator.formats):
                    for mutant in _mutants(operator, data, given, 1):
                        left = _without_failed(bundle, place, name, data, mutant, left)
        left = _without_missing(bundle, left)
        for spec in bundle.verifier.criteria:
            if spec.id in left and spec.artifact in outputs:
                left = _aimed(bundle, place, spec, outputs, left)
    return tuple(left)


def _aimed(bundle: Bundle, place: Path, spec: CriterionSpec, outputs: Mapping[str, bytes], left: list[str]) -> list[str]:
    data = outputs[spec.artifact]
    given = given_for(bundle, bundle.artifact(spec.artifact), outputs)
    for mutant in _at_criterion(bundle, spec, data, given):
        left = _without_failed(bundle, place, spec.artifact, data, mutant, left)
        if spec.id not in left:
            break
    return left


def _at_criterion(bundle: Bundle, spec: CriterionSpec, data: bytes, given: MutationInput) -> Iterator[bytes]:
    """Mutants at the place that a criterion watches, then anywhere in its artifact."""
    from docops.core.address import parse_address

    yield from _as_far_as_it_goes(_planted(spec, data, given))
    yield from _as_far_as_it_goes(_encrypted(spec, data))
    given = _some_words(given, data)
    segments = parse_address(str(spec.arguments.get("at") or spec.artifact), artifacts=(spec.artifact,)).segments
    chosen: list[tuple[Operator, Site]] = []
    others: list[tuple[Operator, Site]] = []
    for operator in operators():
        if operator.kind is OperatorKind.BENIGN or "generic" in operator.tags or operator.corruption_class is CorruptionClass.ARTIFACT_DELETION:
            continue
        if operator.formats and bundle.artifact(spec.artifact).format not in operator.formats:
            continue
        sites = list(_sites(operator, data, given))
        here = [site for site in sites if segments and site.address and covers(segments, parse_address(site.address).segments)]
        chosen += [(operator, site) for site in spread(here, 3)]
        others += [(operator, site) for site in spread([site for site in sites if site not in here], 1)]
    for operator, site in [*chosen, *others][: 3 * _EACH]:
        mutated = _apply(operator, data, site, given)
        if mutated is not None:
            yield mutated


#: Predicates that look at what nobody may write → what they then find; the rest of their parameters names it.
_PLANTED = {
    "docx.no_placeholders": ("{{name}}",),
    "pptx.no_placeholders_left": ("{{name}}",),
    "report.language": ("これは日本語の文章です。" * 60, "This sentence is written in plain English and nobody can take it for another language. " * 12),
}


def _planted(spec: CriterionSpec, data: bytes, given: MutationInput) -> Iterator[bytes]:
    """The document with the very words that a criterion forbids."""
    from docops.operators.text import passages

    words: list[object] = list(_PLANTED.get(spec.predicate.name, ()))
    if spec.predicate.name in ("anchor.absent", "report.forbids"):
        words += [spec.arguments.get("text"), *(spec.arguments.get("texts") or []), *(spec.arguments.get("phrases") or [])]
    for word in [word for word in words if isinstance(word, str)][:3]:
        for number in range(3):
            found = list(passages(data, given))
            if number >= len(found):
                break
            passage = found[number]
            passage.write(f"{passage.text}. {word}")
            yield passage.save()


def _encrypted(spec: CriterionSpec, data: bytes) -> Iterator[bytes]:
    """The document with a password, where a criterion is about that."""
    if spec.predicate.name != "pdf.encrypted":
        return
    from io import BytesIO

    from pypdf import PdfWriter

    made = BytesIO()
    writer = PdfWriter(clone_from=BytesIO(data))
    writer.encrypt("", "docops")
    writer.write(made)
    yield made.getvalue()


def _some_words(given: MutationInput, data: bytes) -> MutationInput:
    """What operators are told, with words of the document where the verifier asks for none: they have something to hide then."""
    if given.texts:
        return given
    from itertools import islice

    from docops.operators.text import passages

    try:
        return replace(given, texts=tuple(passage.text for passage in islice(passages(data, given), 3)))
    except Exception:
        return given


def _as_far_as_it_goes(mutants: Iterator[bytes]) -> Iterator[bytes]:
    """Mutants until one cannot be made of this document; that proves nothing about the criterion."""
    try:
        yield from mutants
    except Exception:
        return


def _sites(operator: Operator, data: bytes, given: MutationInput) -> Iterator[Site]:
    try:
        yield from operator.sites(data, given)
    except Exception:
        return


def _apply(operator: Operator, data: bytes, site: Site, given: MutationInput) -> bytes | None:
    try:
        return operator.apply(data, site, given).data
    except Exception:
        return None


def _mutants(operator: Operator, data: bytes, given: MutationInput, number: int) -> Iterator[bytes]:
    for site in spread(list(_sites(operator, data, given)), number):
        mutated = _apply(operator, data, site, given)
        if mutated is not None:
            yield mutated


def _without_failed(bundle: Bundle, place: Path, name: str, data: bytes, mutated: bytes, left: list[str]) -> list[str]:
    from docops.engine import verify_bundle

    _write(place / name, mutated)
    try:
        verdict = verify_bundle(bundle, place)
    finally:
        _write(place / name, data)
    unreadable = {"artifact_missing", "artifact_unreadable", "artifact_wrong_type", "limit_exceeded"}
    failed = {c.id for c in verdict.criteria if c.outcome is Outcome.FAILED and c.reason_code not in unreadable}
    return [identity for identity in left if identity not in failed]


def _without_missing(bundle: Bundle, left: list[str]) -> list[str]:
    """Without the criteria that ask for a file and fail where it is missing."""
    asking = {spec.id for spec in bundle.verifier.criteria if spec.predicate.name.startswith("file.")}
    if not asking & set(left):
        return left
    from docops.engine import verify_bundle
    from docops.sides import Snapshot

    verdict = verify_bundle(bundle, Snapshot({}, ()))
    return [identity for identity in left if identity not in asking or all(c.id != identity or c.outcome is not Outcome.FAILED for c in verdict.criteria)]


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
