"""The engine: what becomes of findings, exceptions, and outputs that cannot be read."""

from __future__ import annotations

import io
import json
import shutil
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import docops
from docops import engine
from docops.bundle import Bundle
from docops.core.codes import Family, FindingCode, Outcome
from docops.core.errors import BundleError, EngineUnavailable, NotApplicable, Unreadable
from docops.core.predicate import Evidence, Finding, Predicate
from docops.core.verdict import Status, Verdict
from docops.engine import open_document, verify_bundle
from docops.sides import list_files, read_output
from docops.verifier import CriterionSpec

BUNDLES = Path(__file__).parents[1] / "bundles"
PACK = BUNDLES / "pack-l4-c4-headcount"


@pytest.fixture
def outputs(tmp_path: Path) -> Path:
    shutil.copytree(PACK / "reference", tmp_path / "out")
    return tmp_path / "out"


def with_criterion(check: Callable[..., Iterator[Finding | Evidence]]) -> Bundle:
    import dataclasses

    bundle = docops.load_bundle(PACK)
    predicate = Predicate("test.check", Family.STRUCTURAL, (), check)
    spec = CriterionSpec("extra", predicate, {}, artifact="staff.docx")
    return dataclasses.replace(bundle, verifier=dataclasses.replace(bundle.verifier, criteria=(spec,)))


def outcome_of(verdict: Verdict) -> tuple[Outcome, str]:
    (criterion,) = (c for c in verdict.criteria if c.id == "extra")
    return criterion.outcome, criterion.reason_code


def test_findings_fail_and_evidence_passes(outputs: Path) -> None:
    def passes(context: Any) -> Iterator[Finding | Evidence]:
        yield Evidence("staff.docx", "seen")

    def fails(context: Any) -> Iterator[Finding | Evidence]:
        yield Finding(FindingCode.MISMATCH, "staff.docx", 1, 2, "two is not one")

    assert verify_bundle(with_criterion(passes), outputs).passed
    verdict = verify_bundle(with_criterion(fails), outputs)
    assert verdict.status is Status.FAILED
    assert outcome_of(verdict) == (Outcome.FAILED, "mismatch")


@pytest.mark.parametrize(
    ("error", "outcome", "code", "status"),
    [
        (NotApplicable("no meaning"), Outcome.NOT_APPLICABLE, "not_applicable", Status.FAILED),  # nothing that was asked was checked
        (EngineUnavailable("install it"), Outcome.ERROR, "engine_unavailable", Status.ERROR),
        (Unreadable(FindingCode.LIMIT_EXCEEDED, "too deep"), Outcome.FAILED, "limit_exceeded", Status.FAILED),
        (ZeroDivisionError("ours"), Outcome.ERROR, "predicate_error", Status.ERROR),
        (RecursionError("ours"), Outcome.ERROR, "predicate_error", Status.ERROR),
        (BaseException("a panic of a native extension"), Outcome.ERROR, "predicate_error", Status.ERROR),
    ],
)
def test_exceptions_become_outcomes(outputs: Path, error: BaseException, outcome: Outcome, code: str, status: Status) -> None:
    def raises(context: Any) -> Iterator[Finding | Evidence]:
        raise error
        yield

    verdict = verify_bundle(with_criterion(raises), outputs)
    assert outcome_of(verdict) == (outcome, code)
    assert verdict.status is status
    assert verdict.score_interval == ((0.0, 1.0) if status is Status.ERROR else (verdict.score, verdict.score))


def test_what_cannot_be_decided_is_not_held_against_the_output(outputs: Path) -> None:
    def undecided(context: Any) -> Iterator[Finding | Evidence]:
        yield Finding(FindingCode.INCONCLUSIVE, "staff.docx", None, None, "engines disagree")

    verdict = verify_bundle(with_criterion(undecided), outputs)
    assert verdict.status is Status.ERROR
    assert outcome_of(verdict) == (Outcome.ERROR, "inconclusive")


def test_an_output_that_breaks_late_is_unreadable_and_not_our_error(outputs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def reads(context: Any) -> Iterator[Finding | Evidence]:
        context.artifact("staff.docx").facts()
        yield Evidence("staff.docx", "read")

    def broken() -> Any:
        raise KeyError("a part that is not there")

    def opened(data: bytes, name: str) -> Any:
        document = open_document(data, name)
        monkeypatch.setattr(document, "facts", broken)
        return document

    bundle = with_criterion(reads)
    assert verify_bundle(bundle, outputs).passed
    monkeypatch.setattr(engine, "open_document", opened)
    (outputs / "staff.docx").write_bytes((PACK / "outputs" / "by-libraries" / "staff.docx").read_bytes())
    assert outcome_of(verify_bundle(bundle, outputs)) == (Outcome.FAILED, "artifact_unreadable")


def test_a_source_that_breaks_late_is_the_bundles_fault(tmp_path: Path) -> None:
    bundle = tmp_path / "bundle"
    shutil.copytree(PACK, bundle)
    source = bundle / "source" / "staff.docx"
    source.write_bytes(with_part(source, "word/styles.xml", b"<w:styles"))
    outputs = tmp_path / "out"
    shutil.copytree(PACK / "reference", outputs)
    with pytest.raises(BundleError, match=r"source/staff\.docx: .*not well-formed"):
        docops.verify(bundle, outputs)


def with_part(path: Path, part: str, data: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(made, "w") as new:
        for name in old.namelist():
            new.writestr(name, data if name == part else old.read(name))
    return made.getvalue()


@pytest.mark.parametrize("part", ["docProps/app.xml", "word/settings.xml"])
def test_markup_that_no_reader_takes_is_damage_in_a_volatile_part_too(outputs: Path, part: str) -> None:
    path = outputs / "staff.docx"
    path.write_bytes(with_part(path, part, b""))
    verdict = docops.verify(PACK, outputs)
    assert {c.reason_code for c in verdict.criteria if c.id == "preserved:staff.docx"} == {"artifact_unreadable"}


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (None, "artifact_missing"),
        (b"", "artifact_unreadable"),
        (b"hello", "artifact_wrong_type"),
        (b"PK\x03\x04 cut", "artifact_unreadable"),
        ((PACK / "reference" / "headcount.xlsx").read_bytes(), "artifact_wrong_type"),
        ((PACK / "reference" / "staff.docx").read_bytes()[:2000], "artifact_unreadable"),
    ],
)
def test_an_output_that_is_no_document_fails_with_its_reason(outputs: Path, data: bytes | None, code: str) -> None:
    (outputs / "staff.docx").unlink()
    if data is not None:
        (outputs / "staff.docx").write_bytes(data)
    verdict = docops.verify(PACK, outputs)
    assert verdict.status is Status.FAILED
    assert {c.reason_code for c in verdict.criteria if "staff" in c.id or c.id.startswith("report")} == {code}
    (artifact,) = (a for a in verdict.artifacts if a.output == "staff.docx")
    assert not artifact.readable


def test_links_out_of_the_output_folder_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "secret.docx").write_bytes(b"x")
    (tmp_path / "out" / "staff.docx").symlink_to(tmp_path / "secret.docx")
    with pytest.raises(Unreadable, match="leads out"):
        read_output(tmp_path / "out", "staff.docx")
    (tmp_path / "out" / "loop").symlink_to("loop")
    with pytest.raises(Unreadable):
        read_output(tmp_path / "out", "loop")
    (tmp_path / "out" / "folder.docx").mkdir()
    with pytest.raises(Unreadable, match="regular"):
        read_output(tmp_path / "out", "folder.docx")


def test_undeclared_files_are_listed_and_fail_only_where_forbidden(outputs: Path) -> None:
    import dataclasses

    (outputs / "sub").mkdir()
    (outputs / "sub" / "extra.txt").write_text("x")
    bundle = docops.load_bundle(PACK)
    verdict = verify_bundle(bundle, outputs)
    assert verdict.passed
    assert verdict.extra_files == ("sub/extra.txt",)
    assert list_files(outputs) == ["headcount.xlsx", "staff.docx", "sub/extra.txt"]
    strict = verify_bundle(dataclasses.replace(bundle, forbid_extra_files=True), outputs)
    assert {c.reason_code for c in strict.criteria if c.outcome is Outcome.FAILED} == {"extra_file"}


def test_preservation_needs_no_asking(outputs: Path) -> None:
    verdict = docops.verify(PACK, outputs)
    implied = [(c.id, c.family, c.outcome) for c in verdict.criteria if c.implied]
    assert implied == [
        ("preserved:headcount.xlsx", Family.PRESERVATION, Outcome.PASSED),
        ("preserved:staff.docx", Family.PRESERVATION, Outcome.PASSED),
    ]


def test_a_read_only_input_may_stay_away_but_not_change(tmp_path: Path) -> None:
    bundle = tmp_path / "bundle"
    shutil.copytree(PACK, bundle, ignore=shutil.ignore_patterns("outputs"))
    metadata = json.loads((bundle / "task_metadata.json").read_text("utf-8"))
    shutil.copy(PACK / "source" / "staff.docx", bundle / "source" / "terms.docx")
    metadata["artifacts"].append({"output": "terms.docx", "source": "source/terms.docx", "read_only": True})
    (bundle / "task_metadata.json").write_text(json.dumps(metadata), "utf-8")
    out = tmp_path / "out"
    shutil.copytree(PACK / "reference", out)
    assert docops.verify(bundle, out).passed
    shutil.copy(bundle / "source" / "terms.docx", out / "terms.docx")
    assert docops.verify(bundle, out).passed
    shutil.copy(PACK / "reference" / "staff.docx", out / "terms.docx")
    verdict = docops.verify(bundle, out)
    assert {c.id for c in verdict.criteria if c.outcome is Outcome.FAILED} == {"preserved:terms.docx"}


def test_the_profile_bytes_sees_what_means_the_same(tmp_path: Path) -> None:
    bundle = tmp_path / "bundle"
    shutil.copytree(PACK, bundle, ignore=shutil.ignore_patterns("outputs"))
    metadata = json.loads((bundle / "task_metadata.json").read_text("utf-8"))
    metadata["preserve"]["staff.docx"] = {"profile": "bytes", "except": []}
    (bundle / "task_metadata.json").write_text(json.dumps(metadata), "utf-8")
    out = tmp_path / "out"
    shutil.copytree(PACK / "reference", out)
    assert docops.verify(bundle, out).passed
    import io
    import zipfile

    data, buffer = (out / "staff.docx").read_bytes(), io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as source, zipfile.ZipFile(buffer, "w") as target:
        for info in source.infolist():
            body = source.read(info)
            target.writestr(info, body.replace(b"?>", b" ?>", 1) if info.filename == "word/styles.xml" else body)
    (out / "staff.docx").write_bytes(buffer.getvalue())
    assert docops.verify(PACK, out).passed
    verdict = docops.verify(bundle, out)
    assert [f.address for c in verdict.criteria for f in c.findings] == ['staff.docx#part["/word/styles.xml"]']


def test_cyclic_garbage_is_looked_for_as_before_once_the_work_is_done() -> None:
    import gc

    from docops.engine import collected_once

    was = gc.isenabled()
    try:
        for state in (True, False):
            (gc.enable if state else gc.disable)()
            with collected_once():
                assert not gc.isenabled()
            assert gc.isenabled() is state
    finally:
        (gc.enable if was else gc.disable)()
