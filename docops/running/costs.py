"""What outputs cost, as `OUTPUTS/<agent>/costs.jsonl` says: docops measures none of it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from docops.core.errors import BundleError, Problem
from docops.reading import read_text
from docops.running.statistics import rounded
from docops.shape import check_shape

COSTS = "costs.jsonl"
COLUMNS = ("tokens", "dollars", "steps", "seconds")
FIDELITIES = ("measured", "estimated")


@dataclass(frozen=True, slots=True)
class Cost:
    """What one output cost; a column that is not there is not known."""

    fidelity: str
    columns: Mapping[str, Fraction]


Costs = Mapping[tuple[str, str, int], Cost]


def read_costs(outputs: Path, agents: Iterable[str]) -> dict[tuple[str, str, int], Cost]:
    """Agent, task and trial → cost, of all agents that have a file of costs.

    Raises BundleError with everything that is wrong with the files.
    """
    from docops.schemas import cost_schema

    found: dict[tuple[str, str, int], Cost] = {}
    problems: list[Problem] = []
    for agent in agents:
        path = outputs / agent / COSTS
        if not path.is_file():
            continue
        file = f"{agent}/{COSTS}"
        text = read_text(path, file, problems)
        for number, line in enumerate((text or "").splitlines(), start=1):
            if not line.strip():
                continue
            where = f"line {number}"
            raw = _object(line)
            faults = list(check_shape(cost_schema(), raw)) if raw is not None else [("$", "is not a JSON object")]
            problems += [Problem(file, f"{where} {place}", message) for place, message in faults]
            if faults or raw is None:
                continue
            key = (agent, raw["task_id"], raw.get("trial", 1))
            if key in found:
                problems.append(Problem(file, where, f"{raw['task_id']}, trial {key[2]}, is there twice"))
            columns = {name: Fraction(repr(raw[name])) for name in COLUMNS if name in raw}
            found[key] = Cost(raw["fidelity"], columns)
    if problems:
        raise BundleError(problems)
    return found


def _object(line: str) -> dict[str, Any] | None:
    try:
        raw = json.loads(line, parse_constant=lambda name: None)
    except (ValueError, RecursionError):
        return None
    return raw if isinstance(raw, dict) else None


def cost_summary(costs: Iterable[Cost | None]) -> dict[str, Any]:
    """Totals and means by fidelity, measured and estimated never in one sum; `unknown`: outputs without a row."""
    listed = list(costs)
    out: dict[str, Any] = {"unknown": sum(cost is None for cost in listed)}
    for fidelity in FIDELITIES:
        here = [cost for cost in listed if cost is not None and cost.fidelity == fidelity]
        columns = {}
        for name in COLUMNS:
            values = [cost.columns[name] for cost in here if name in cost.columns]
            if values:
                total = sum(values, Fraction(0))
                columns[name] = {"outputs": len(values), "total": rounded(total), "mean": rounded(total / len(values))}
        out[fidelity] = {"outputs": len(here), "columns": columns}
    return out
