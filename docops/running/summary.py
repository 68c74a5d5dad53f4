"""Rows become the summary `docops.run/1`: rates with intervals, consistency, failure modes, and agents in pairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from typing import Any

from docops.core.canonical import canonical_json
from docops.core.codes import Family
from docops.core.verdict import Status
from docops.running.costs import Cost, Costs, cost_summary
from docops.running.rows import MODES, Row
from docops.running.statistics import RESAMPLES, bootstrap, mean, pass_all, pass_at, rounded, variation

SCHEMA = "docops.run/1"
DIMENSIONS = ("level", "format", "operation", "domain")


@dataclass(frozen=True, slots=True)
class Unit:
    """One agent on one task, over its trials: what statistics count once and draw as one."""

    rows: tuple[Row, ...]

    @property
    def decided(self) -> list[Row]:
        """Trials that have a verdict."""
        return [row for row in self.rows if row.status is not Status.ERROR]

    @property
    def rate(self) -> Fraction | None:
        """Share of decided trials that passed; None where none is decided."""
        decided = self.decided
        return Fraction(sum(row.passed for row in decided), len(decided)) if decided else None

    @property
    def score(self) -> Fraction | None:
        """Mean score of decided trials."""
        return mean([Fraction(repr(row.score)) for row in self.decided if row.score is not None])

    def bound(self, errors_pass: bool) -> Fraction:
        """Share of all trials that passed, had every error passed or failed."""
        counted = sum(row.passed or (errors_pass and row.status is Status.ERROR) for row in self.rows)
        return Fraction(counted, len(self.rows))

    def values(self, dimension: str) -> tuple[str, ...]:
        """Where the task stands in a dimension."""
        row = self.rows[0]
        if dimension in ("format", "operation"):
            return row.formats if dimension == "format" else row.operations
        return (row.level if dimension == "level" else row.domain or "none",)


@dataclass(frozen=True, slots=True)
class RunReport:
    """What a run found.

    rows: by agent, task and trial.   agents: in their order.   unknown: agent → its folders that are no task.
    """

    rows: tuple[Row, ...]
    agents: tuple[str, ...]
    unknown: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    costs: Costs = field(default_factory=dict)
    seed: int = 0
    _made: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def errors(self) -> list[Row]:
        """Outputs on which there is no verdict."""
        return [row for row in self.rows if row.status is Status.ERROR]

    def units(self, agent: str) -> list[Unit]:
        """The tasks of an agent, sorted."""
        grouped: dict[str, list[Row]] = {}
        for row in self.rows:
            if row.agent == agent:
                grouped.setdefault(row.task_id, []).append(row)
        return [Unit(tuple(rows)) for _, rows in sorted(grouped.items())]

    def to_dict(self) -> dict[str, Any]:
        """The summary as JSON values (`docops.run/1`)."""
        if not self._made:
            units = {agent: self.units(agent) for agent in self.agents}
            self._made.update(
                {
                    "schema": SCHEMA,
                    "tasks": len({row.task_id for row in self.rows}),
                    "outputs": len(self.rows),
                    "errors": len(self.errors),
                    "seed": self.seed,
                    "resamples": RESAMPLES,
                    "agents": {agent: self._agent(agent, units[agent]) for agent in self.agents},
                    "pairs": [compare(one, units[one], other, units[other], self.seed) for one, other in combinations(self.agents, 2)],
                }
            )
        return self._made

    def to_json(self) -> str:
        """Canonical JSON of the summary."""
        return canonical_json(self.to_dict()).decode("utf-8", "replace")

    def jsonl(self) -> str:
        """All rows, one line each."""
        return "".join(row.line() for row in self.rows)

    def _agent(self, agent: str, units: Sequence[Unit]) -> dict[str, Any]:
        rows = [row for unit in units for row in unit.rows]
        found: list[Cost | None] = [self.costs.get((row.agent, row.task_id, row.trial)) for row in rows]
        return {
            **counts(units, self.seed),
            "by": {dimension: _by(units, dimension, self.seed) for dimension in DIMENSIONS},
            "format_cv": format_cv(units),
            "trials": trial_rates(units),
            "failures": failures(rows),
            "costs": cost_summary(found),
            "unknown_folders": list(self.unknown.get(agent, ())),
        }


def counts(units: Sequence[Unit], seed: int) -> dict[str, Any]:
    """What becomes of a group of tasks.

    Rates are means over tasks (over trials within each) of what was decided, outputs that are missing included as failed;
    errors are in none of them, and `bounds` says how far they could move the pass rate.
    """
    rows = [row for unit in units for row in unit.rows]
    rates = [rate for unit in units if (rate := unit.rate) is not None]
    scores = [score for unit in units if (score := unit.score) is not None]
    rate, score = mean(rates), mean(scores)
    interval, score_interval = bootstrap(rates, seed), bootstrap(scores, seed)
    bounds = [mean([unit.bound(errors_pass) for unit in units]) for errors_pass in (False, True)]
    return {
        "tasks": len(units),
        "outputs": len(rows),
        "passed": sum(row.passed for row in rows),
        "failed": sum(row.status is Status.FAILED for row in rows),
        "errors": sum(row.status is Status.ERROR for row in rows),
        "missing": sum(row.missing for row in rows),
        "pass_rate": None if rate is None else rounded(rate),
        "interval": None if interval is None else list(interval),
        "bounds": [None if bound is None else rounded(bound) for bound in bounds],
        "mean_score": None if score is None else rounded(score),
        "score_interval": None if score_interval is None else list(score_interval),
    }


def _by(units: Sequence[Unit], dimension: str, seed: int) -> dict[str, Any]:
    grouped: dict[str, list[Unit]] = {}
    for unit in units:
        for value in unit.values(dimension):
            grouped.setdefault(value, []).append(unit)
    return {value: counts(group, seed) for value, group in sorted(grouped.items())}


def format_cv(units: Sequence[Unit]) -> dict[str, float | None]:
    """FormatCV, over all levels and in each: the spread of the pass rates of formats over their mean; 0 is even."""

    def spread(chosen: Sequence[Unit]) -> float | None:
        grouped: dict[str, list[Fraction]] = {}
        for unit in chosen:
            rate = unit.rate
            for name in unit.values("format") if rate is not None else ():
                grouped.setdefault(name, []).append(rate)  # type: ignore[arg-type]
        return variation([rate for rates in grouped.values() if (rate := mean(rates)) is not None])

    levels = sorted({unit.rows[0].level for unit in units})
    return {"all": spread(units), **{level: spread([unit for unit in units if unit.rows[0].level == level]) for level in levels}}


def trial_rates(units: Sequence[Unit]) -> dict[str, Any]:
    """pass@k and pass^k for every k that some task has decided trials for, and over how many tasks each is."""
    pairs = [(sum(row.passed for row in decided), len(decided)) for unit in units if (decided := unit.decided)]
    out: dict[str, Any] = {}
    for k in range(1, max((trials for _, trials in pairs), default=0) + 1):
        enough = [(passed, trials) for passed, trials in pairs if trials >= k]
        at = mean([pass_at(passed, trials, k) for passed, trials in enough])
        every = mean([pass_all(passed, trials, k) for passed, trials in enough])
        out[str(k)] = {"tasks": len(enough), "pass_at": rounded(at or 0), "pass_all": rounded(every or 0)}
    return out


def failures(rows: Sequence[Row]) -> dict[str, Any]:
    """How many outputs failed in each mode, for each reason, and in each family; one output may be in several."""
    failed = [row for row in rows if row.status is Status.FAILED]
    modes = Counter(mode for row in failed for mode in row.modes)
    codes = Counter(code for row in rows for code in row.reason_codes)
    families = Counter(family for row in failed for family in row.families)
    return {
        "modes": {mode: modes[mode] for mode in MODES},
        "reason_codes": dict(sorted(codes.items())),
        "families": {str(family): families[str(family)] for family in Family},
    }


def compare(one: str, first: Sequence[Unit], other: str, second: Sequence[Unit], seed: int) -> dict[str, Any]:
    """Two agents over the tasks that both have a verdict on: differences of pass rate and score, first minus second, in points.

    Tasks are drawn in pairs, so that how hard they are cancels.
    """
    partners = {unit.rows[0].task_id: unit for unit in second}
    rates: list[Fraction] = []
    scores: list[Fraction] = []
    for unit in first:
        partner = partners.get(unit.rows[0].task_id)
        if partner is None:
            continue
        for found, mine, theirs in ((rates, unit.rate, partner.rate), (scores, unit.score, partner.score)):
            if mine is not None and theirs is not None:
                found.append((mine - theirs) * 100)
    return {"a": one, "b": other, "tasks": len(rates), **_difference("", rates, seed), **_difference("score_", scores, seed)}


def _difference(prefix: str, values: Sequence[Fraction], seed: int) -> dict[str, Any]:
    middle, interval = mean(values), bootstrap(values, seed)
    return {
        f"{prefix}delta": None if middle is None else rounded(middle),
        f"{prefix}interval": None if interval is None else list(interval),
        f"{prefix}excludes_zero": interval is not None and (interval[0] > 0 or interval[1] < 0),
    }
