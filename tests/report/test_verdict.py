"""Reports of a verdict: complete, cut with counts, and harmless whatever a document holds."""

from __future__ import annotations

import hashlib
import json
from xml.etree import ElementTree

import jsonschema
import pytest

from docops.core.codes import Outcome
from docops.core.verdict import Status
from docops.report import VERDICT_FORMATS, render_verdict
from docops.report.reward import NoReward
from docops.report.words import counted, plain, value_text
from docops.schemas import verdict_schema
from tests.support.verdicts import NASTY, criterion, verdict


def test_text_tells_status_place_expected_and_observed() -> None:
    text = render_verdict(
        verdict(Status.FAILED, criterion(Outcome.FAILED, findings=1), criterion(Outcome.PASSED, name="a.two")), "text", title="Total it"
    )
    assert text.startswith("FAILED  a-task  score 0\n  Total it\n")
    assert "  structural    1 passed, 1 failed\n" in text
    assert "FAIL  a.one  xlsx.formula  The total is live  [missing]\n      book.xlsx#sheet[S]/cell[A1]\n        it is not there\n" in text
    assert '        expected  {"wanted": 1}\n        observed  nothing\n' in text
    assert "ok    a.two" in text
    assert "Recalculated with ironcalc 0.9.1." in text


def test_text_counts_what_it_cuts() -> None:
    text = render_verdict(verdict(Status.FAILED, criterion(Outcome.FAILED, findings=30), extra_files=150), "text")
    assert "… and 50 more findings" in text
    assert "150 files that no artifact declares:" in text
    assert "… and 130 more" in text


def test_text_tells_an_open_verdict_from_a_failed_one() -> None:
    text = render_verdict(verdict(Status.ERROR, criterion(Outcome.ERROR)), "text")
    assert text.startswith("ERROR  a-task  score between 0 and 1\n")
    assert "neither a pass nor a failure" in text


def test_colour_only_where_asked() -> None:
    made = verdict(Status.PASSED, criterion(Outcome.PASSED))
    assert "\x1b" not in render_verdict(made, "text")
    assert "\x1b[32mPASSED\x1b[0m" in render_verdict(made, "text", colour=True)


def test_json_is_canonical_and_fits_its_schema() -> None:
    made = verdict(Status.FAILED, *(criterion(outcome, findings=int(outcome is Outcome.FAILED), name=f"a.{outcome}") for outcome in Outcome))
    text = render_verdict(made, "json")
    body = json.loads(text)
    assert text == json.dumps(body, sort_keys=True, ensure_ascii=False, separators=(",", ":")) + "\n"
    jsonschema.validate(body, verdict_schema())
    body["extra"] = 1
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(body, verdict_schema())


def test_junit_has_one_case_a_criterion() -> None:
    made = verdict(Status.FAILED, *(criterion(outcome, findings=1, name=f"a.{outcome}") for outcome in Outcome))
    suite = ElementTree.fromstring(render_verdict(made, "junit").encode())[0]
    assert [suite.get(name) for name in ("name", "tests", "failures", "errors", "skipped")] == ["a-task", "4", "1", "1", "1"]
    results = {case.get("name"): [child.tag for child in case] for case in suite.iter("testcase")}
    assert results == {"a.passed": [], "a.failed": ["failure"], "a.error": ["error"], "a.not_applicable": ["skipped"]}
    failure = suite.find(".//failure")
    assert failure is not None
    assert failure.text is not None
    assert "book.xlsx#sheet[S]/cell[A1]" in failure.text


def test_markdown_lists_criteria_and_findings() -> None:
    text = render_verdict(verdict(Status.FAILED, criterion(Outcome.FAILED, findings=1)), "markdown")
    assert "## a-task: failed" in text
    assert "| a.one | structural | `xlsx.formula` | failed | missing |" in text
    assert "- `book.xlsx#sheet[S]/cell[A1]`: it is not there" in text


def test_reward_is_one_number_or_nothing() -> None:
    assert render_verdict(verdict(Status.PASSED, criterion(Outcome.PASSED)), "reward") == '{"reward":1.0}\n'
    assert render_verdict(verdict(Status.FAILED, criterion(Outcome.FAILED)), "reward") == '{"reward":0.0}\n'
    with pytest.raises(NoReward, match=r"a\.one"):
        render_verdict(verdict(Status.ERROR, criterion(Outcome.ERROR)), "reward")


@pytest.mark.parametrize("name", [name for name in VERDICT_FORMATS if name != "reward"])
def test_whatever_a_document_holds_reports_stay_whole(name: str) -> None:
    made = verdict(Status.FAILED, criterion(Outcome.FAILED, findings=2, text=NASTY, name="a.one"))
    text = render_verdict(made, name)
    text.encode("utf-8")
    assert "\x1b" not in text
    assert "\x00" not in text
    if name == "json":
        json.loads(text)
    elif name == "junit":
        ElementTree.fromstring(text.encode())
    else:
        assert "\u202e" not in text


def test_values_are_one_line() -> None:
    assert value_text(None) == "nothing"
    assert value_text(True) == "true"
    assert value_text("a\nb") == '"a\\nb"'
    assert value_text("x" * 500).endswith("… (+342 characters)")
    assert plain("é 中 \t") == "é 中 \\t"
    assert (counted(1, "finding"), counted(1200, "finding")) == ("1 finding", "1,200 findings")


def test_digest_is_that_of_everything_above_it() -> None:
    body = json.loads(verdict(Status.FAILED, criterion(Outcome.FAILED, findings=2)).to_json())
    told = body.pop("digest")
    canonical = json.dumps(body, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()
    assert told == hashlib.sha256(canonical).hexdigest()


def test_ctrf_counts_every_criterion_once() -> None:
    results = json.loads(
        render_verdict(
            verdict(
                Status.ERROR,
                criterion(Outcome.FAILED, findings=2),
                criterion(Outcome.PASSED, name="a.two"),
                criterion(Outcome.ERROR, name="a.three"),
                criterion(Outcome.NOT_APPLICABLE, name="a.four"),
            ),
            "ctrf",
        )
    )["results"]
    assert results["summary"] == {"tests": 4, "passed": 1, "failed": 1, "skipped": 1, "pending": 0, "other": 1, "start": 0, "stop": 0}
    assert [(test["name"], test["status"]) for test in results["tests"]] == [
        ("a.one", "failed"),
        ("a.two", "passed"),
        ("a.three", "other"),
        ("a.four", "skipped"),
    ]
    assert "it is not there" in results["tests"][0]["trace"]
    assert all(test["duration"] == 0 for test in results["tests"])
