"""Partial credit: an ordered list of predicates, the first that holds gives the score."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from docops.core.codes import UNDECIDED, Family, FindingCode
from docops.core.errors import NotApplicable
from docops.core.predicate import Context, Evidence, Example, Finding, Grade, Predicate, predicate
from docops.families.samples import letter

_LADDER = [
    {"score": 1.0, "predicate": "anchor.contains", "at": "letter.docx", "text": "net 30 days"},
    {"score": 0.5, "predicate": "anchor.contains", "at": "letter.docx", "text": "30 days"},
]


def _check_grades(given: Mapping[str, Any]) -> list[str]:
    scores = [grade.get("score") for grade in given["grades"]]
    if not scores:
        return ["there is no grade"]
    numbers = [float(score) for score in scores if isinstance(score, (int, float)) and not isinstance(score, bool)]
    if len(numbers) < len(scores) or not all(0 < number <= 1 for number in numbers):
        return ["every grade has a score above 0 and up to 1"]
    return [] if numbers == sorted(set(numbers), reverse=True) else ["scores fall from grade to grade"]


@predicate(
    "graded",
    family=Family.STRUCTURAL,
    examples=(
        Example("the first grade holds", letter("Payment is net 30 days."), {"grades": _LADDER}, passes=True),
        Example("only the second holds, for half", letter("Within 30 days."), {"grades": _LADDER}, passes=FindingCode.MISSING),
        Example("none holds", letter("At once."), {"grades": _LADDER}, passes=False),
    ),
    validate=_check_grades,
)
def graded(context: Context, *, grades: Sequence[Mapping[str, Any]]) -> Iterator[Finding | Evidence | Grade]:
    """The first grade holds; a later one that holds scores what it says.

    grades: tables with `score` (above 0, falling), `predicate` and its parameters. Grades that do not apply are passed over;
        where none holds the score is 0.

    Not checked: anything of its own. What could not be decided leaves the criterion open.
    """
    from docops.registry import predicate_named

    missed: list[Finding] = []
    passed_over = asked = False
    for grade in grades:
        known = predicate_named(grade["predicate"])
        arguments = {parameter.argument: grade[parameter.name] for parameter in known.parameters if parameter.name in grade}
        found: list[Finding] = []
        try:
            for item in known.check(context, **arguments):
                if isinstance(item, Finding):
                    found.append(item)
                elif isinstance(item, Evidence):
                    yield item
        except NotApplicable as reason:
            if reason.code is not FindingCode.NOT_APPLICABLE:  # somebody else could have told; what is lower tells nothing then
                raise
            passed_over = True
            continue
        if found and all(finding.code in UNDECIDED for finding in found):
            yield from found
            return
        if not found:
            yield from missed
            why = missed[0].message if missed else "the higher ones do not apply" if passed_over else ""
            yield Grade(grade["score"], f"a lower grade holds, for {grade['score']:g}: {why}" if why else "")
            return
        if not asked:
            missed = found
        asked = True
    if not asked:
        raise NotApplicable("no grade applies")
    yield from missed


PREDICATES: tuple[Predicate, ...] = (graded,)
