"""Every operator's examples: it finds a place or not, changes what the file holds, the same way every time."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime

import pytest

from docops.core.operator import CorruptionClass, MutationInput, Operator, OperatorExample, OperatorKind
from docops.operators import samples, spread
from docops.operators.package import document_format
from docops.registry import operators
from docops.stressing.execute import missing_requirements

CASES = [(operator, example) for operator in operators() for example in operator.examples]
SAMPLES = {
    "xlsx": samples.sample_workbook,
    "docx": samples.sample_document,
    "pptx": samples.sample_presentation,
    "pdf": samples.sample_pdf,
}
NOTHING = MutationInput(siblings={})


@pytest.mark.parametrize(("operator", "example"), CASES, ids=[f"{operator.name}: {example.title}" for operator, example in CASES])
def test_example(operator: Operator, example: OperatorExample) -> None:
    if missing_requirements(operator):
        pytest.skip(f"{', '.join(operator.requires)} not installed")
    data = example.data()
    given = example.given()
    sites = list(operator.sites(data, given))
    assert bool(sites) == example.applies
    for site in spread(sites, 3):
        mutation = operator.apply(data, site, given)
        assert mutation.data != data
        assert operator.apply(data, site, given) == mutation
    assert list(operator.sites(data, given)) == sites


def test_every_operator_says_what_it_does() -> None:
    names = [operator.name for operator in operators()]
    assert len(names) == len(set(names))
    for operator in operators():
        assert operator.summary.endswith("."), operator.name
        assert (operator.kind is OperatorKind.BENIGN) == (operator.corruption_class is CorruptionClass.BENIGN)
        assert operator.effect in {"change", "add", "remove", "move"}


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_enough_operators_of_every_kind(name: str) -> None:
    own = [operator for operator in operators() if not operator.formats or name in operator.formats]
    assert sum(operator.kind is OperatorKind.CORRUPTION and operator.name.startswith(name) for operator in own) >= 15
    assert sum(operator.kind is OperatorKind.BENIGN for operator in own) >= 10
    assert sum("gaming" in operator.tags for operator in own) >= 6
    assert any("generic" in operator.tags for operator in own)
    assert any("text" in operator.tags for operator in own)


def test_every_operator_has_an_example() -> None:
    # LibreOffice is no library, and takes seconds to start; its own test is in test_composed.py.
    assert {operator.name for operator in operators() if not operator.examples} == {"ooxml.re-saved-by-libreoffice"}
    assert {operator.name for operator in operators() if not any(example.applies for example in operator.examples)} == {"ooxml.re-saved-by-libreoffice"}


@pytest.mark.parametrize("name", ["xlsx", "docx", "pptx"])
def test_unchanged_members_are_copied_as_stored(name: str) -> None:
    data = SAMPLES[name]()
    found = next(operator for operator in operators() if operator.name == "ooxml.text-changed")
    site = next(iter(found.sites(data, NOTHING)))
    changed = found.apply(data, site, NOTHING).data
    assert changed is not None
    with zipfile.ZipFile(io.BytesIO(data)) as one, zipfile.ZipFile(io.BytesIO(changed)) as other:
        assert one.namelist() == other.namelist()
        differing = [member for member in one.namelist() if one.read(member) != other.read(member)]
        assert differing == [site.locator[1]]
        assert {info.date_time for info in other.infolist()} == {(1980, 1, 1, 0, 0, 0)}


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_document_format(name: str) -> None:
    assert document_format(SAMPLES[name]()) == name
    assert document_format(b"PK nothing") == ""


@pytest.mark.parametrize("make", [*SAMPLES.values(), samples.blank_workbook, samples.blank_document, samples.blank_presentation])
def test_samples_hold_no_time_at_which_they_were_made(make: Callable[[], bytes]) -> None:
    today = {f"{datetime.now(zone):%Y-%m-%d}".encode() for zone in (UTC, None)}
    assert not any(day in data for day in today for data in parts_of(make.__wrapped__()))  # type: ignore[attr-defined]


def parts_of(data: bytes) -> Iterator[bytes]:
    if not data.startswith(b"PK"):
        yield data
        return
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for name in archive.namelist():
            yield from parts_of(archive.read(name))
