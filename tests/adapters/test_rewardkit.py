"""The criteria in harbor-rewardkit itself."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("rewardkit")

from rewardkit import run

ROOT = Path(__file__).parents[2]
BUNDLE = ROOT / "bundles" / "xlsx-l1-c4-quarter-total"


def rewards(tests: Path, workspace: Path, *lines: str) -> tuple[dict[str, float], str]:
    """What rewardkit makes of a folder of tests with these lines, and the details that it writes."""
    tests.mkdir(exist_ok=True)
    head = ["import rewardkit as rk", "from docops.adapters.rewardkit import register", "register()", f"BUNDLE = {str(BUNDLE)!r}"]
    (tests / "check.py").write_text("\n".join([*head, *lines]) + "\n")
    found = run(tests, workspace=workspace, output=tests / "reward.json")
    return found, json.dumps(json.loads((tests / "reward-details.json").read_text()))


def test_the_verdict_is_a_criterion(tmp_path: Path) -> None:
    found, details = rewards(tmp_path / "tests", BUNDLE / "reference", "rk.docops_verdict(BUNDLE)")
    assert found == {"reward": 1.0}
    found, details = rewards(tmp_path / "tests", BUNDLE / "outputs" / "typed-in", "rk.docops_verdict(BUNDLE)")
    assert found == {"reward": 0.0}
    assert "total.live" in details


def test_criteria_of_a_bundle_have_weights_of_their_own(tmp_path: Path) -> None:
    lines = ('rk.docops_criterion("total.format", BUNDLE, weight=3.0)', 'rk.docops_criterion("preserved:regional-sales.xlsx", BUNDLE, weight=1.0)')
    found, _ = rewards(tmp_path / "tests", BUNDLE / "outputs" / "amount-changed", *lines)
    assert found == {"reward": 0.75}


def refusal(tests: Path, line: str) -> str:
    """What rewardkit says of a test that it could not run; nothing is written."""
    with pytest.raises((RuntimeError, ExceptionGroup)) as caught:
        rewards(tests, BUNDLE / "reference", line)
    assert not (tests / "reward.json").exists()
    error = caught.value
    return str(error.exceptions[0] if isinstance(error, ExceptionGroup) else error)


def test_what_could_not_be_decided_writes_no_reward(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "has no criterion 'total.colour'" in refusal(tmp_path / "unknown", 'rk.docops_criterion("total.colour", BUNDLE)')
    from docops.engine import _Verification

    def broken(*_: object, **__: object) -> None:
        raise ValueError("the engine broke")

    monkeypatch.setattr(_Verification, "target", broken)
    assert "the engine broke" in refusal(tmp_path / "verdict", "rk.docops_verdict(BUNDLE)")
    assert "the engine broke" in refusal(tmp_path / "criterion", 'rk.docops_criterion("total.format", BUNDLE)')
