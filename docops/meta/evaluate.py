"""A meta-evaluation: scores aligned by checkpoint, figures for each evaluator, and which follows the expert better."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Any

from docops.core.canonical import canonical_json, digest
from docops.core.errors import UsageError
from docops.meta.figures import (
    Pair,
    agreement,
    cohen_kappa,
    confusion,
    disagreements,
    esf,
    rank_correlation,
    rec,
    rounded,
    sce,
    sign_test,
)
from docops.meta.rows import WHOLE, Row, Scores, check_unique, load_scores, names_of, risk_weights, totals_of, verdict_rows

SCHEMA = "docops.meta/1"
SPLITS = ("train", "dev", "test", "adversarial")
MAX_DISAGREEMENTS = 100


@dataclass(frozen=True, slots=True)
class MetaReport:
    """A meta-evaluation: its JSON values, and the pairs of each evaluator, for plots."""

    data: Mapping[str, Any]
    pairs: Mapping[str, Sequence[Pair]]

    def to_json(self) -> str:
        """Canonical JSON of the report."""
        return canonical_json(dict(self.data)).decode("utf-8", "replace")


def pair_up(expert: Scores, evaluator: Scores, weights: Mapping[str, float]) -> list[Pair]:
    """Every score of the evaluator beside the expert's for the same checkpoint (and run, where the expert has several).

    A weight is the expert's, else that of the type, else the evaluator's, else 1. Checkpoints of one side only are left out.
    """
    theirs: dict[tuple[str, str], dict[str, Row]] = defaultdict(dict)
    for row in expert.rows:
        theirs[row.task_id, row.checkpoint_id][row.run] = row
    pairs = []
    for row in evaluator.rows:
        runs = theirs.get((row.task_id, row.checkpoint_id))
        if not runs:
            continue
        known = runs.get(row.run) or _joined(list(runs.values()))
        kind = known.type or row.type
        weight = known.weight if known.weight is not None else weights.get(kind, row.weight)
        pairs.append(
            Pair(
                row.task_id,
                row.checkpoint_id,
                known.score,
                row.score,
                1.0 if weight is None else weight,
                kind,
                known.split or row.split,
                row.run,
                known.reason,
                row.reason,
            )
        )
    return pairs


def _joined(rows: Sequence[Row]) -> Row:
    """One row for several runs of an expert: the mean of the scores."""
    scores = [row.score for row in rows if row.score is not None]
    return replace(rows[0], score=fmean(scores) if scores else None)


def figures_of(pairs: Sequence[Pair]) -> dict[str, Any]:
    """Everything that is said of one evaluator, or of a part of its checkpoints, on pairs alone."""
    decided = [(pair.expert, pair.evaluator) for pair in pairs if pair.expert is not None and pair.evaluator is not None]
    tau, rho = _ranks(decided)
    return {
        "checkpoints": len({pair.key for pair in pairs}),
        "not_applicable": {
            "both": sum(pair.expert is None and pair.evaluator is None for pair in pairs),
            "expert": sum(pair.expert is None and pair.evaluator is not None for pair in pairs),
            "evaluator": sum(pair.expert is not None and pair.evaluator is None for pair in pairs),
        },
        "esf": esf(pairs),
        "sce": sce(pairs),
        "agreement": agreement(pairs),
        "cohen_kappa": cohen_kappa(decided),
        "kendall_tau_b": tau,
        "spearman_rho": rho,
    }


def _ranks(pairs: Sequence[tuple[float, float]]) -> tuple[float | None, float | None]:
    try:
        return rank_correlation(pairs)
    except ImportError:
        return None, None


def evaluate(
    expert: Scores,
    evaluators: Sequence[Scores],
    *,
    splits: Sequence[str] = (),
    ledger: Path | None = None,
    weights: Mapping[str, float] | None = None,
) -> MetaReport:
    """The report `docops.meta/1`; the figures of the first evaluator stand at its top too.

    splits: only checkpoints of these (by the expert's rows); empty: all.
    ledger: file to which a line is added for each evaluator that is measured on the split `test`.
    Raises UsageError where nothing can be aligned, or a checkpoint is scored twice.
    """
    check_unique(expert)
    wanted = Scores(expert.name, tuple(row for row in expert.rows if not splits or row.split in splits))
    parts, wholes = (Scores(expert.name, tuple(row for row in wanted.rows if (row.checkpoint_id == WHOLE) is whole)) for whole in (False, True))
    bodies, pairs_by_name = [], {}
    for evaluator in evaluators:
        check_unique(evaluator)
        of_parts, of_wholes = (pair_up(rows, evaluator, weights if weights is not None else risk_weights()) for rows in (parts, wholes))
        # A verdict is no checkpoint beside its own; it is all there is where an evaluator says no more.
        pairs, rows = (of_parts, parts) if of_parts else (of_wholes, wholes)
        if not pairs:
            raise UsageError(f"{evaluator.name}: scores no checkpoint that {expert.name} scores{' in these splits' if splits else ''}")
        bodies.append(_body(rows, evaluator, pairs, of_wholes))
        pairs_by_name[evaluator.name] = pairs
    counts = _count_in_ledger(ledger, wanted, evaluators, pairs_by_name)
    data = {
        "schema": SCHEMA,
        "expert": expert.name,
        "splits": list(splits),
        **bodies[0],
        "evaluators": bodies,
        "comparison": _comparison(bodies, pairs_by_name),
        "test_evaluations": counts,
        "weights": dict(weights if weights is not None else risk_weights()),
    }
    return MetaReport(data, pairs_by_name)


def _body(expert: Scores, evaluator: Scores, pairs: Sequence[Pair], wholes: Sequence[Pair]) -> dict[str, Any]:
    keys = {pair.key for pair in pairs}
    weight_of = {pair.key: pair.weight for pair in pairs}
    kinds = {pair.key: pair.type for pair in pairs}
    aligned = [row for row in evaluator.rows if (row.task_id, row.checkpoint_id) in keys]
    totals = totals_of(aligned, weight_of)
    theirs = {task: total for task, _, total in totals_of([row for row in expert.rows if (row.task_id, row.checkpoint_id) in keys], weight_of)}
    both = [(theirs[task], total) for task, _, total in totals if task in theirs]
    tau, rho = _ranks(both)
    parts: dict[str, list[Pair]] = defaultdict(list)
    by_type: dict[str, list[Pair]] = defaultdict(list)
    for pair in pairs:
        parts[pair.split or "none"].append(pair)
        by_type[pair.type or "none"].append(pair)
    expert_only = {(row.task_id, row.checkpoint_id) for row in expert.rows} - keys
    every = pairs if pairs is wholes else [*pairs, *wholes]
    listed = disagreements(every, len(every))
    return {
        "evaluator": evaluator.name,
        **figures_of(pairs),
        "verdicts": agreement(wholes) if wholes else None,
        "rec": rec(
            [((row.task_id, row.checkpoint_id), row.run, row.score, kinds.get((row.task_id, row.checkpoint_id), "")) for row in aligned], totals
        ),
        "totals": {
            "pairs": len(both),
            "mean_difference": rounded(fmean(abs(a - b) for a, b in both)) if both else None,
            "kendall_tau_b": tau,
            "spearman_rho": rho,
        },
        "by": {
            "split": {name: figures_of(members) for name, members in sorted(parts.items(), key=lambda item: _split_order(item[0]))},
            "type": {name: figures_of(members) for name, members in sorted(by_type.items())},
        },
        "confusion": confusion(pairs),
        "unaligned": {"expert": len(expert_only), "evaluator": len({(row.task_id, row.checkpoint_id) for row in evaluator.rows} - keys)},
        "disagreements": listed[:MAX_DISAGREEMENTS],
        "disagreements_total": len(listed),
    }


def _split_order(name: str) -> tuple[int, str]:
    return (SPLITS.index(name) if name in SPLITS else len(SPLITS), name)


def _comparison(bodies: Sequence[Mapping[str, Any]], pairs: Mapping[str, Sequence[Pair]]) -> dict[str, Any] | None:
    """Evaluators from the one that follows the expert best, and for each two the checkpoints on which only one is nearer."""
    if len(bodies) < 2:
        return None

    def rank(body: Mapping[str, Any]) -> tuple[float, float, str]:
        f2, error = body["esf"]["f2"], body["sce"]
        return (-(f2 if f2 is not None else body["agreement"]["rate"] or 0.0), error if error is not None else 1.0, body["evaluator"])

    order = [body["evaluator"] for body in sorted(bodies, key=rank)]
    duels = []
    for index, first in enumerate(order):
        for second in order[index + 1 :]:
            ours, others = ({(pair.key, pair.run): pair for pair in pairs[name] if pair.decided} for name in (first, second))
            shared = ours.keys() & others.keys()
            nearer = sum(ours[key].gap < others[key].gap for key in shared)
            farther = sum(ours[key].gap > others[key].gap for key in shared)
            duels.append(
                {"a": first, "b": second, "shared": len(shared), "a_nearer": nearer, "b_nearer": farther, "p_value": sign_test(nearer, farther)}
            )
    return {"order": order, "by": "esf.f2, then sce", "pairs": duels}


# The frozen test split


def _count_in_ledger(ledger: Path | None, expert: Scores, evaluators: Sequence[Scores], pairs: Mapping[str, Sequence[Pair]]) -> dict[str, Any] | None:
    """How often this test split was evaluated before and now; None where no ledger is kept or no checkpoint is of the test split."""
    frozen = sorted([row.task_id, row.checkpoint_id, row.score] for row in expert.rows if row.split == "test")
    if ledger is None or not frozen:
        return None
    key = digest(frozen)[:16]
    known = read_ledger(ledger)
    added = []
    for evaluator in evaluators:
        tested = sorted([pair.task_id, pair.checkpoint_id, pair.run, pair.evaluator] for pair in pairs[evaluator.name] if pair.split == "test")
        if tested:
            added.append({"test_split": key, "evaluator": evaluator.name, "scores": digest(tested)[:16]})
    try:
        with ledger.open("a", encoding="utf-8") as stream:
            stream.writelines(json.dumps(line, sort_keys=True) + "\n" for line in added)
    except OSError as error:
        raise UsageError(f"{ledger}: cannot be written: {error.strerror}") from error
    every = [line for line in [*known, *added] if line.get("test_split") == key]
    return {"test_split": key, "evaluations": len(every), "distinct": len({line.get("scores") for line in every}), "now": len(added)}


def read_ledger(path: Path) -> list[dict[str, Any]]:
    """The lines of a ledger; none where there is no such file.

    Raises UsageError where it cannot be read.
    """
    if not path.exists():
        return []
    try:
        return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
    except (OSError, ValueError) as error:
        raise UsageError(f"{path}: is no ledger: {error}") from error


# Mutants with a verifier as the evaluator


def load_all(expert: Path, evaluators: Sequence[Path], *, repeated: bool = False) -> tuple[Scores, list[Scores]]:
    """The expert's and the evaluators' scores.

    An evaluator that is a task bundle, against a folder of mutants (`docops mutate`), is its verifier run on each mutant.
    Raises UsageError where one cannot be read.
    """
    theirs = load_scores(expert, repeated=repeated)
    ours = [
        scores_of_bundle(path, expert) if (path / "task_metadata.json").is_file() else load_scores(path, repeated=repeated) for path in evaluators
    ]
    return theirs, [Scores(name, scores.rows) for name, scores in zip(names_of(list(evaluators)), ours)]


def scores_of_bundle(bundle: Path, mutants: Path) -> Scores:
    """The verdicts of a bundle's verifier on the mutants in a folder, one row each."""
    from docops.bundle import load_bundle
    from docops.engine import verify_bundle

    plan = mutants / "plan.jsonl"
    if not plan.is_file():
        raise UsageError(f"{bundle}: a bundle is an evaluator only for a folder of mutants with its plan.jsonl, as `docops mutate` writes it")
    loaded = load_bundle(bundle)
    rows = []
    for line in plan.read_text("utf-8").splitlines():
        identity = str(json.loads(line)["id"])
        if not (mutants / identity).is_dir():
            raise UsageError(f"{plan}: the mutant {identity} is not there")
        verdict = verify_bundle(loaded, mutants / identity)
        whole = next(row for row in verdict_rows(verdict.to_dict()) if row.checkpoint_id == WHOLE)
        reason = next((criterion.reason_code for criterion in verdict.criteria if criterion.reason_code and criterion.score != 1), whole.reason)
        rows.append(replace(whole, task_id=identity, reason="" if whole.score == 1 else reason))
    return Scores(bundle.name, tuple(rows))
