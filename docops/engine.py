"""The engine: one bundle and one output folder in, one verdict out.

A verdict is a pure function of the bytes of both. Whatever a document contains ends as a finding; whatever a predicate
raises ends as the outcome `error` of its criterion, here and nowhere else.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from docops.bundle import ArtifactSpec, Bundle
from docops.core.address import Address, parse_address
from docops.core.canonical import sha256
from docops.core.codes import UNDECIDED, Family, FindingCode, Outcome
from docops.core.compare import resolve_counterparts
from docops.core.document import Document, Format
from docops.core.errors import BundleError, EngineUnavailable, NotApplicable, Problem, Unreadable, UsageError
from docops.core.node import resolve
from docops.core.options import DEFAULTS, Answer, Options
from docops.core.pictures import Pictures
from docops.core.predicate import Evidence, Finding, Grade, Target
from docops.core.verdict import MAX_EVIDENCE, MAX_FINDINGS, ArtifactResult, CriterionResult, Verdict
from docops.registry import format_named, format_of
from docops.scoring import score_tree
from docops.sides import Folder, Outputs, SourceFiles, Sources, guarded
from docops.verifier import EXTRA_FILES, CriterionSpec

#: Longest listing of undeclared files in a verdict.
MAX_EXTRA_FILES = 100



class _OutputProblem(Exception):
    """An output that a criterion needs is missing or unreadable; carries the finding."""

    def __init__(self, finding: Finding) -> None:
        self.finding = finding
        super().__init__(finding.message)


def verify_bundle(bundle: Bundle, outputs: Path | Outputs, sources: Sources | None = None, options: Options = DEFAULTS) -> Verdict:
    """The verdict of a bundle's verifier on the files of a folder.

    outputs: the output folder; one that does not exist holds no file. Links that lead out of it are not followed.
    sources: the source side (default: the files of the bundle).
    options: what the caller allows and configures beyond the bundle; by default no code of a bundle runs and no model is asked.
    Raises BundleError where a source cannot be read: that is the bundle's fault, not the output's.
    """
    with collected_once():
        return _verify(bundle, Folder(outputs) if isinstance(outputs, Path) else outputs, sources or SourceFiles(bundle), options)


#: Objects made since the last full collection (one number), and when the next one is due.
_made = [0]
_FULL_COLLECTION = 1_000_000


@contextmanager
def collected_once() -> Iterator[None]:
    """Python's search for cyclic garbage waits until a piece of work is done.

    Trees of documents are many small objects that all live until the verdict; looking at them again and again for garbage
    takes as long as everything else together. What a caller turned off stays off.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        _made[0] += gc.get_count()[0]
        gc.enable()
        if _made[0] > _FULL_COLLECTION:
            _made[0] = 0
            gc.collect()
        else:
            gc.collect(0)


def _verify(bundle: Bundle, outputs: Outputs, sources: Sources, options: Options) -> Verdict:
    run = _Verification(bundle, outputs, sources, options)
    rubric = bundle.verifier.rubric
    if rubric is not None:
        from docops.rubrics.run import judge_rubric, score_rubric

        found = judge_rubric(rubric, run.rubric_files(), options, run.engines)
        information = [replace(result, critical=False, title=f"{result.title} (information)") for result in run.implied()]
        results = [*found, *information]
        scored = score_rubric(bundle.verifier, results, options)
    else:
        results = [run.criterion(spec) for spec in bundle.verifier.criteria]
        results += list(run.implied())
        scored = score_tree(bundle.verifier, results)
    extra = run.extra_files()
    return Verdict(
        task_id=bundle.task_id,
        status=scored.status,
        score=scored.interval[0],
        score_interval=scored.interval,
        groups=scored.groups,
        gates=scored.gates,
        reason=scored.reason,
        criteria=tuple(results),
        artifacts=tuple(run.artifact_result(artifact) for artifact in bundle.artifacts),
        extra_files=tuple(extra[:MAX_EXTRA_FILES]),
        extra_files_total=len(extra),
        engines=tuple(sorted(run.engines)),
        bundle_digest=bundle.digest,
        version=_version(),
    )


def _version() -> str:
    from docops import __version__

    return __version__


def open_document(data: bytes, name: str) -> Document:
    """The document that a file's bytes hold, by the ending of its name.

    Raises Unreadable where they are none; UsageError where no format has that ending.
    """
    document_format = format_of(name)
    if document_format is None:
        raise UsageError(f"{name}: no format is opened by this file name")
    return guarded(lambda: document_format.open(data), name)


@dataclass(slots=True)
class _Verification:
    """One run: the context that predicates see."""

    bundle: Bundle
    outputs: Outputs
    sources: Sources
    options: Options = DEFAULTS
    engines: set[str] = field(default_factory=set)
    _documents: dict[str, Document | Unreadable] = field(default_factory=dict)
    _bytes: dict[str, bytes | Unreadable] = field(default_factory=dict)
    _unreadable: set[str] = field(default_factory=set)

    # What predicates may ask (core.predicate.Context)

    def target(self, at: str, *, formats: Sequence[str] = ()) -> Target:
        """The place that an address names in the outputs."""
        address = self._address(at)
        artifact = address.artifact or ""
        document = self.artifact(artifact, formats=formats)
        source = self._source(artifact)
        nodes = resolve(document.root, address.segments)
        if not nodes and source is not None and self.bundle.artifact(artifact).preserve.profile == "content":
            # Names of shapes are no content: another program's re-save gives its own.
            nodes = resolve_counterparts(source.root, document.root, address.segments)
        return Target(artifact, address, document, nodes, source)

    def source_target(self, at: str) -> Target | None:
        """The same place in the source, or None where the artifact has no source."""
        address = self._address(at)
        source = self._source(address.artifact or "")
        if source is None:
            return None
        return Target(address.artifact or "", address, source, resolve(source.root, address.segments), source)

    def output_exists(self, artifact: str) -> bool:
        """Whether a regular file of that name is in the output folder."""
        return isinstance(self._read(artifact), bytes)

    def artifact(self, name: str, *, formats: Sequence[str] = ()) -> Document:
        """The opened output of an artifact."""
        document = self._open(name)
        if isinstance(document, Unreadable):
            raise _OutputProblem(unreadable_finding(name, document))
        if formats and document.format not in formats:
            raise UsageError(f"{name} is {document.format}; the predicate looks at {', '.join(formats)}")
        return document

    def format_of(self, document: Document) -> Format:
        """The format of a document."""
        return format_named(document.format)

    def engine_used(self, name: str) -> None:
        """Note a calculation engine for the verdict."""
        self.engines.add(name)

    def ask_judge(self, prompt: str, pictures: Sequence[Pictures] = ()) -> Answer:
        """The answer of the judge that the caller configured."""
        if self.options.judge is None:
            return Answer(None, problem="no judge is configured, and no answer to this question is recorded")
        answer = self.options.judge.answer(prompt, pictures)
        if answer.text is not None:
            self.engines.add(f"judge {self.options.judge.name}")
        return answer

    def pictures(self, at: str, *, before: bool = False) -> Pictures | None:
        """The pages or slides that show a place."""
        from docops.rendering.shown import pictures_of

        target = self.source_target(at) if before else self.target(at)
        if target is None or not target.nodes:
            return None
        data = self.sources.data(self.bundle.artifact(target.artifact)) if before else self._read(target.artifact)
        return None if isinstance(data, Unreadable) else pictures_of(target, data, self.options.renderer)

    # Files

    def _address(self, at: str) -> Address:
        names = tuple(artifact.output for artifact in self.bundle.artifacts)
        address = parse_address(at, artifacts=names)
        if address.artifact is None and len(names) == 1:
            address = Address(names[0], address.segments)
        if address.artifact is None:
            raise UsageError(f"address {at!r} names no artifact; there are {', '.join(names)}")
        return address

    def _read(self, name: str) -> bytes | Unreadable:
        if name not in self._bytes:
            try:
                self._bytes[name] = self.outputs.read(name)
            except Unreadable as error:
                self._bytes[name] = error
        return self._bytes[name]

    def _open(self, name: str) -> Document | Unreadable:
        if name not in self._documents:
            data = self._read(name)
            if isinstance(data, Unreadable):
                self._documents[name] = data
            else:
                try:
                    self._documents[name] = self._beside_source(name, open_document(data, name))
                except Unreadable as error:
                    self._documents[name] = error
                    self._check_source(name)
        return self._documents[name]

    def _beside_source(self, name: str, document: Document) -> Document:
        pair = format_named(document.format).pair
        source = self._source(name) if pair is not None else None
        if pair is not None and source is not None and source.format == document.format:
            guarded(lambda: pair(source, document), name)
        return document

    def _check_source(self, name: str) -> None:
        """Raise BundleError where it is the source of an artifact that cannot be read through: then no output is to blame."""
        source = self._source(name)
        damage = _damage(source, name) if source is not None else None
        if damage is not None:
            raise BundleError([Problem("task_metadata.json", "$.artifacts", f"{self.bundle.artifact(name).source}: {damage}")]) from damage

    def _source(self, name: str) -> Document | None:
        try:
            artifact = self.bundle.artifact(name)
        except KeyError:
            return None
        if artifact.source is None or not artifact.format:
            return None
        return self.sources.document(artifact)

    # Criteria

    def criterion(self, spec: CriterionSpec) -> CriterionResult:
        """What becomes of one written criterion."""
        result = CriterionResult(
            id=spec.id,
            title=spec.title,
            family=spec.predicate.family,
            predicate=spec.predicate.name,
            critical=spec.critical,
            weight=spec.weight,
            outcome=Outcome.PASSED,
            score=None,
            source=spec.source,
        )
        return self._judge(result, lambda: spec.predicate.check(self, **spec.arguments), spec.artifact)

    def implied(self) -> Iterator[CriterionResult]:
        """What holds without being asked: sources preserved, declared outputs there, no extra file where forbidden."""
        for artifact in self.bundle.artifacts:
            if artifact.source is not None:
                yield self._preservation(artifact)
            else:
                blank = _implied(f"artifact:{artifact.output}", f"{artifact.output} is there and can be read", Family.STRUCTURAL, "file.readable")
                yield self._judge(blank, lambda artifact=artifact: self._readable(artifact), artifact.output)  # type: ignore[misc]
        if self.bundle.forbid_extra_files:
            yield self._judge(_implied(EXTRA_FILES, "No file beside the declared ones", Family.PRESERVATION, "file.none_extra"), self._no_extra, "")

    def _preservation(self, artifact: ArtifactSpec) -> CriterionResult:
        blank = _implied(
            f"preserved:{artifact.output}",
            f"{artifact.output} is intact outside the edit scope",
            Family.PRESERVATION,
            "preservation.outside_scope",
        )
        return self._judge(blank, lambda: self._preserved(artifact), artifact.output)

    def _preserved(self, artifact: ArtifactSpec) -> Iterator[Finding | Evidence]:
        from docops.families.preservation import check_preserved

        data = self._read(artifact.output)
        if isinstance(data, Unreadable):
            if artifact.read_only and data.code is FindingCode.ARTIFACT_MISSING:
                raise NotApplicable("the input did not come back, which is allowed")
            raise _OutputProblem(unreadable_finding(artifact.output, data))
        original = self.sources.data(artifact)
        if data == original:
            yield Evidence(artifact.output, "the same bytes as the source")
            return
        if not artifact.format:
            if not artifact.scope:
                yield Finding(FindingCode.UNEXPECTED_CHANGE, artifact.output, sha256(original), sha256(data), "the file's bytes changed")
            return
        document = self.artifact(artifact.output)
        source = self.sources.document(artifact)
        yield from check_preserved(artifact.output, source, document, format_named(artifact.format), artifact.scope, artifact.preserve)
        yield Evidence(artifact.output, f"compared with its source under the profile {artifact.preserve.profile}")

    def _readable(self, artifact: ArtifactSpec) -> Iterator[Finding | Evidence]:
        if artifact.format:
            document = self.artifact(artifact.output)
            yield Evidence(artifact.output, f"{len(document.spans())} text span(s)")
        elif not self.output_exists(artifact.output):
            error = self._read(artifact.output)
            if isinstance(error, Unreadable):
                yield unreadable_finding(artifact.output, error)

    def _no_extra(self) -> Iterator[Finding | Evidence]:
        for name in self.extra_files():
            yield Finding(FindingCode.EXTRA_FILE, name, None, name, "no artifact declares this file")

    def _judge(self, blank: CriterionResult, check: Callable[[], Iterable[Finding | Evidence | Grade]], artifact: str) -> CriterionResult:
        """Run a check; the one place where findings and exceptions become an outcome."""
        findings: list[Finding] = []
        evidence: list[Evidence] = []
        grade: Grade | None = None
        try:
            for item in check():
                if isinstance(item, Finding):
                    findings.append(item)
                elif isinstance(item, Grade):
                    grade = item
                elif len(evidence) < MAX_EVIDENCE:
                    evidence.append(item)
        except _OutputProblem as problem:
            findings.append(problem.finding)
        except Unreadable as error:
            self._check_source(artifact)
            self._unreadable.add(artifact)
            findings.append(unreadable_finding(artifact, error))
        except NotApplicable as reason:
            if not findings:
                return _with(
                    blank, outcome=Outcome.NOT_APPLICABLE, reason_code=str(reason.code), message=str(reason), evidence=tuple(evidence)
                )
        except BundleError:
            raise
        except (KeyboardInterrupt, SystemExit, GeneratorExit):
            raise
        except EngineUnavailable as error:
            return _with(blank, outcome=Outcome.ERROR, reason_code=str(FindingCode.ENGINE_UNAVAILABLE), message=str(error), evidence=tuple(evidence))
        except BaseException as error:  # native extensions raise panics that are no Exception
            self._check_source(artifact)
            unreadable = self._unreadable_output(artifact)
            if unreadable is None:
                message = f"{type(error).__name__}: {error}"
                return _with(
                    blank, outcome=Outcome.ERROR, reason_code=str(FindingCode.PREDICATE_ERROR), message=message[:500], evidence=tuple(evidence)
                )
            self._unreadable.add(artifact)
            findings.append(unreadable_finding(artifact, unreadable))
        return _decide(blank, findings, evidence, grade)

    def rubric_files(self) -> tuple[str, bytes, bytes] | Finding:
        """Name, source and output of the one artifact that a rubric looks at, or why there is no output to look at."""
        (artifact,) = self.bundle.artifacts
        data, document = self._read(artifact.output), self._open(artifact.output)
        damage = document if isinstance(document, Unreadable) else self._unreadable_output(artifact.output)
        if isinstance(data, Unreadable):
            return unreadable_finding(artifact.output, data)
        if damage is not None:
            return unreadable_finding(artifact.output, damage)
        return artifact.output, self.sources.data(artifact), data

    def _unreadable_output(self, artifact: str) -> Unreadable | None:
        """Why an output cannot be read to its end, or None where it can.

        Documents are read as they are needed, so that damage may show late, as any exception; what cannot be read through
        is the output's fault and not the predicate's.
        """
        document = self._documents.get(artifact)
        return None if document is None or isinstance(document, Unreadable) else _damage(document, artifact)

    # What the verdict tells about the folder

    def artifact_result(self, artifact: ArtifactSpec) -> ArtifactResult:
        """How a declared artifact was found."""
        data = self._read(artifact.output)
        if isinstance(data, Unreadable):
            return ArtifactResult(artifact.output, artifact.format, "", 0, readable=False)
        readable = artifact.output not in self._unreadable
        if artifact.format:
            readable = readable and not isinstance(self._open(artifact.output), Unreadable)
        return ArtifactResult(artifact.output, artifact.format, sha256(data), len(data), readable=readable)

    def extra_files(self) -> list[str]:
        """Files of the output folder that no artifact declares, sorted, with `/`."""
        declared = {artifact.output for artifact in self.bundle.artifacts}
        return [name for name in self.outputs.names() if name not in declared]


def _damage(document: Document, name: str) -> Unreadable | None:
    """Why a document cannot be read to its end, or None where it can."""

    try:
        guarded(lambda: (document.facts(), document.spans()), name)
    except Unreadable as error:
        return error
    return None


def _implied(identifier: str, title: str, family: Family, predicate: str) -> CriterionResult:
    return CriterionResult(identifier, title, family, predicate, critical=True, weight=1.0, outcome=Outcome.PASSED, score=None, implied=True)


def _with(blank: CriterionResult, **changes: Any) -> CriterionResult:
    return replace(blank, **changes)


def _decide(blank: CriterionResult, findings: Sequence[Finding], evidence: Sequence[Evidence], grade: Grade | None) -> CriterionResult:
    if grade is not None:
        held = grade.score == 1
        return _with(
            blank,
            outcome=Outcome.PASSED if held else Outcome.FAILED,
            score=float(grade.score),
            reason_code="" if held else str(findings[0].code if findings else FindingCode.MISMATCH),
            message=grade.message,
            findings=tuple(findings[:MAX_FINDINGS]),
            findings_total=len(findings),
            evidence=tuple(evidence),
        )
    if not findings:
        return _with(blank, outcome=Outcome.PASSED, score=1.0, evidence=tuple(evidence))
    against = [finding for finding in findings if finding.code not in UNDECIDED]
    first = (against or findings)[0]
    more = f" (+{len(findings) - 1} more)" if len(findings) > 1 else ""
    return _with(
        blank,
        outcome=Outcome.FAILED if against else Outcome.ERROR,
        score=0.0 if against else None,
        reason_code=str(first.code),
        message=first.message + more,
        findings=tuple(findings[:MAX_FINDINGS]),
        findings_total=len(findings),
        evidence=tuple(evidence),
    )


def unreadable_finding(artifact: str, error: Unreadable) -> Finding:
    """Why an output could not be read, as a finding at the artifact."""
    where = f" ({error.where})" if error.where else ""
    return Finding(error.code, artifact, "a readable document", None, f"{error.message}{where}")
