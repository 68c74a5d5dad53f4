"""Verdicts made by hand, for tests of reports."""

from __future__ import annotations

from docops.core.codes import Family, FindingCode, Outcome
from docops.core.predicate import Evidence, Finding
from docops.core.verdict import ArtifactResult, CriterionResult, GroupResult, Status, Verdict

#: What documents may hold to confuse a reader, a terminal or a parser.
NASTY = 'x\x1b[31m\x00 <b> | `code` ]]> \u202eevil\ud800 "é" … \ufffe'


def criterion(outcome: Outcome, *, findings: int = 0, name: str = "a.one", text: str = "it is not there") -> CriterionResult:
    found = tuple(Finding(FindingCode.MISSING, f"book.xlsx#sheet[S]/cell[A{n}]", {"wanted": n}, None, text) for n in range(1, findings + 1))
    return CriterionResult(
        id=name,
        title="The total is live",
        family=Family.STRUCTURAL,
        predicate="xlsx.formula",
        critical=True,
        weight=1.0,
        outcome=outcome,
        score={Outcome.PASSED: 1.0, Outcome.FAILED: 0.0}.get(outcome),
        reason_code="" if outcome is Outcome.PASSED else "missing",
        message="" if outcome is Outcome.PASSED else text,
        findings=found,
        findings_total=findings * 2 if findings > 10 else findings,
        evidence=(Evidence("book.xlsx#sheet[S]/cell[A1]", "=SUM(B1:B2)"),),
    )


def verdict(status: Status, *criteria: CriterionResult, extra_files: int = 0) -> Verdict:
    score = 1.0 if status is Status.PASSED else 0.0
    names = tuple(f"extra-{n}.txt" for n in range(min(extra_files, 100)))
    return Verdict(
        task_id="a-task",
        status=status,
        score=score,
        score_interval=(0.0, 1.0) if status is Status.ERROR else (score, score),
        groups=(GroupResult("a", "A group", True, score, Outcome.PASSED),),
        criteria=criteria,
        artifacts=(ArtifactResult("book.xlsx", "xlsx", "0" * 64, 10, readable=True),),
        extra_files=names,
        extra_files_total=extra_files,
        engines=("ironcalc 0.9.1",),
        bundle_digest="1" * 64,
        version="0.1.0",
    )
