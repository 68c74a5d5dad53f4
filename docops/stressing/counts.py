"""Counting: outcomes of mutants become rates with Wilson intervals, and the report `docops.stress/1`."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from docops.core.canonical import canonical_json
from docops.core.codes import Family
from docops.core.operator import MutantOutcome, OperatorKind
from docops.schemas import STRESS
from docops.stressing.execute import SKIPPED, MutantResult
from docops.stressing.plan import MutantSpec
from docops.stressing.suites import Waiver, waiver_for

_Z = 1.959963984540054


def wilson(hits: int, total: int) -> tuple[float, float]:
    """The 95 % Wilson interval of a rate; 0 to 1 where nothing was counted."""
    if total == 0:
        return (0.0, 1.0)
    rate = hits / total
    centre = rate + _Z * _Z / (2 * total)
    spread = _Z * math.sqrt(rate * (1 - rate) / total + _Z * _Z / (4 * total * total))
    scale = 1 + _Z * _Z / total
    return (round(max(0.0, (centre - spread) / scale), 6), round(min(1.0, (centre + spread) / scale), 6))


@dataclass(frozen=True, slots=True)
class Judged:
    """A mutant with its final outcome; `waiver` holds the written reason where one made it equivalent."""

    spec: MutantSpec
    result: MutantResult
    outcome: MutantOutcome
    waiver: str = ""

    @property
    def harmful(self) -> bool:
        """Whether it must be caught."""
        return self.spec.kind == OperatorKind.CORRUPTION

    @property
    def skipped(self) -> str:
        """What is not installed that its operator needs; "" where it was run."""
        return self.result.note.removeprefix(SKIPPED) if self.result.note.startswith(SKIPPED) else ""


def judged(specs: Sequence[MutantSpec], results: Sequence[MutantResult], waivers: Sequence[Waiver] = ()) -> list[Judged]:
    """Mutants with their outcomes, waivers applied to those that the verifier did not take as it should."""
    out = []
    for spec, result in zip(specs, results):
        outcome, reason = result.outcome, ""
        wrong = MutantOutcome.SURVIVED if spec.kind == OperatorKind.CORRUPTION else MutantOutcome.KILLED
        if outcome is wrong:
            waiver = waiver_for(waivers, spec.operator, spec.task_id, spec.address, spec.before)
            if waiver is not None:
                outcome, reason = MutantOutcome.EQUIVALENT, waiver.reason
        out.append(Judged(spec, result, outcome, reason))
    return out


def corruption_counts(mutants: Iterable[Judged]) -> dict[str, Any]:
    """Outcomes of corruptions. The rate is of all that are neither equivalent nor invalid: errors and timeouts count as not caught."""
    counts = Counter(mutant.outcome for mutant in mutants)
    planned = sum(counts.values())
    killed = counts[MutantOutcome.KILLED]
    total = planned - counts[MutantOutcome.EQUIVALENT] - counts[MutantOutcome.INVALID]
    return {
        "planned": planned,
        "killed": killed,
        "survived": counts[MutantOutcome.SURVIVED],
        "equivalent": counts[MutantOutcome.EQUIVALENT],
        "invalid": counts[MutantOutcome.INVALID],
        "error": counts[MutantOutcome.ERROR],
        "timeout": counts[MutantOutcome.TIMEOUT],
        "detection_rate": round(killed / total, 6) if total else None,
        "interval": list(wilson(killed, total)),
    }


def benign_counts(mutants: Iterable[Judged]) -> dict[str, Any]:
    """Outcomes of benign rewrites. The rate is of all that are neither equivalent nor invalid."""
    counts = Counter(mutant.outcome for mutant in mutants)
    planned = sum(counts.values())
    failed = counts[MutantOutcome.KILLED]
    total = planned - counts[MutantOutcome.EQUIVALENT] - counts[MutantOutcome.INVALID]
    return {
        "planned": planned,
        "passed": counts[MutantOutcome.SURVIVED],
        "failed": failed,
        "equivalent": counts[MutantOutcome.EQUIVALENT],
        "invalid": counts[MutantOutcome.INVALID],
        "error": counts[MutantOutcome.ERROR],
        "timeout": counts[MutantOutcome.TIMEOUT],
        "false_alarm_rate": round(failed / total, 6) if total else None,
        "interval": list(wilson(failed, total)),
    }


def _by(mutants: Sequence[Judged], key: Callable[[Judged], str]) -> dict[str, Any]:
    groups: dict[str, list[Judged]] = {}
    for mutant in mutants:
        groups.setdefault(key(mutant), []).append(mutant)
    out: dict[str, Any] = {}
    for name, group in sorted(groups.items()):
        harmful = [mutant for mutant in group if mutant.harmful]
        harmless = [mutant for mutant in group if not mutant.harmful]
        out[name] = {**({"corruption": corruption_counts(harmful)} if harmful else {}), **({"benign": benign_counts(harmless)} if harmless else {})}
    return out


def _by_family(mutants: Sequence[Judged]) -> dict[str, Any]:
    killed = [mutant for mutant in mutants if mutant.harmful and mutant.outcome is MutantOutcome.KILLED]
    out = {}
    for family in Family:
        here = [mutant for mutant in killed if str(family) in mutant.result.families]
        alone = [mutant for mutant in here if mutant.result.families == (str(family),)]
        out[str(family)] = {
            "killed": len(here),
            "alone": len(alone),
            "share": round(len(here) / len(killed), 6) if killed else None,
            "interval": list(wilson(len(here), len(killed))),
        }
    return out


def _entry(mutant: Judged) -> dict[str, Any]:
    spec = mutant.spec
    place = f"{spec.artifact}#{spec.address}" if spec.address else spec.artifact
    return {
        "id": spec.id,
        "task_id": spec.task_id,
        "operator": spec.operator,
        "class": spec.corruption_class,
        "address": place,
        "before": spec.before,
        "after": mutant.result.after,
        "reproduce": f"docops mutate BUNDLES/{spec.task_id} --id {spec.id} --out DIR",
    }


def _with_findings(mutant: Judged) -> dict[str, Any]:
    findings = [{"code": code, "address": address, "message": message} for code, address, message in mutant.result.findings]
    return {**_entry(mutant), "criteria": list(mutant.result.criteria), "findings": findings}


@dataclass(frozen=True, slots=True)
class StressReport:
    """What a stress run found; `mutants` in the order of the plan."""

    suite: str
    seed: int
    bundles: int
    mutants: tuple[Judged, ...]

    @property
    def corruption(self) -> dict[str, Any]:
        """Outcomes of the corruptions."""
        return corruption_counts(mutant for mutant in self.mutants if mutant.harmful)

    @property
    def benign(self) -> dict[str, Any]:
        """Outcomes of the benign rewrites."""
        return benign_counts(mutant for mutant in self.mutants if not mutant.harmful)

    @property
    def survivors(self) -> list[Judged]:
        """Corruptions that the verifiers passed."""
        return [mutant for mutant in self.mutants if mutant.harmful and mutant.outcome is MutantOutcome.SURVIVED]

    @property
    def false_alarms(self) -> list[Judged]:
        """Benign rewrites that the verifiers failed."""
        return [mutant for mutant in self.mutants if not mutant.harmful and mutant.outcome is MutantOutcome.KILLED]

    @property
    def wrong_reason(self) -> list[Judged]:
        """Kills in which no finding stands at the place that was changed."""
        return [mutant for mutant in self.mutants if mutant.harmful and mutant.outcome is MutantOutcome.KILLED and not mutant.result.in_place]

    @property
    def unfinished(self) -> list[Judged]:
        """Mutants that came to no verdict: invalid, error, timeout."""
        outcomes = (MutantOutcome.INVALID, MutantOutcome.ERROR, MutantOutcome.TIMEOUT)
        return [mutant for mutant in self.mutants if mutant.outcome in outcomes and not mutant.skipped]

    @property
    def skipped(self) -> list[tuple[str, str, int]]:
        """Operators whose mutants (so many) were left out because what they need is not installed; they count as invalid."""
        counts = Counter((mutant.spec.operator, mutant.skipped) for mutant in self.mutants if mutant.skipped)
        return [(operator, needs, number) for (operator, needs), number in sorted(counts.items())]

    @property
    def tasks(self) -> tuple[str, ...]:
        """Ids of the tasks whose outputs were mutated, sorted."""
        return tuple(sorted({mutant.spec.task_id for mutant in self.mutants}))

    @property
    def parents(self) -> int:
        """How many right files were mutated."""
        return len({(mutant.spec.task_id, mutant.spec.parent) for mutant in self.mutants})

    @property
    def waived(self) -> list[Judged]:
        """Mutants that a written waiver of the suite holds to be equivalent."""
        return [mutant for mutant in self.mutants if mutant.waiver]

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON values (`docops.stress/1`)."""
        return {
            "schema": STRESS,
            "suite": self.suite,
            "seed": self.seed,
            "bundles": self.bundles,
            "corruption": self.corruption,
            "benign": self.benign,
            "by": {
                "class": _by(self.mutants, lambda mutant: mutant.spec.corruption_class),
                "format": _by(self.mutants, lambda mutant: mutant.spec.format),
                "operator": _by(self.mutants, lambda mutant: mutant.spec.operator),
                "family": _by_family(self.mutants),
            },
            "survivors": [_entry(mutant) for mutant in self.survivors],
            "false_alarms": [_with_findings(mutant) for mutant in self.false_alarms],
            "wrong_reason": [_with_findings(mutant) for mutant in self.wrong_reason],
            "unfinished": [{**_entry(mutant), "outcome": str(mutant.outcome), "note": mutant.result.note} for mutant in self.unfinished],
            "skipped": [{"operator": operator, "needs": needs, "mutants": number} for operator, needs, number in self.skipped],
            "waived": [{**_entry(mutant), "reason": mutant.waiver} for mutant in self.waived],
        }

    def to_json(self) -> str:
        """Canonical JSON of the report."""
        return canonical_json(self.to_dict()).decode("utf-8", "replace")
