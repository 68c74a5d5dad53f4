"""Meta-evaluations for people: a text and one HTML page."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from typing import Any

from docops.meta.evaluate import MetaReport
from docops.report.page import page
from docops.report.page import text as escaped
from docops.report.text import table
from docops.report.words import counted, plain

MAX_LISTED = 20

_ROWS: tuple[tuple[str, str, str], ...] = (
    ("deductions found (recall)", "esf.deduction_recall", "%"),
    ("full marks kept (pass rate)", "esf.pass_rate", "%"),
    ("F1", "esf.f1", "%"),
    ("F2", "esf.f2", "%"),
    ("score error (SCE)", "sce", "n"),
    ("agreement, held or not", "agreement.rate", "%"),
    ("  95 % interval", "agreement.interval", "i"),
    ("  false positives", "agreement.false_positives", "c"),
    ("  false negatives", "agreement.false_negatives", "c"),
    ("Cohen's kappa", "cohen_kappa", "n"),
    ("Kendall's tau-b", "kendall_tau_b", "n"),
    ("Spearman's rho", "spearman_rho", "n"),
    ("checkpoints", "checkpoints", "c"),
)
_VERDICTS = (
    ("verdicts, agreement", "verdicts.rate", "%"),
    ("  95 % interval", "verdicts.interval", "i"),
    ("  false positives", "verdicts.false_positives", "c"),
    ("  false negatives", "verdicts.false_negatives", "c"),
)
_REPEATED = (
    ("runs", "rec.runs", "c"),
    ("checkpoint stability", "rec.checkpoint_stability", "%"),
    ("spread of totals", "rec.score_std", "n"),
    ("compliance flips", "rec.compliance_flip_rate", "%"),
)
_TOTALS = (
    ("tasks with totals", "totals.pairs", "c"),
    ("difference of totals", "totals.mean_difference", "n"),
    ("totals, Kendall's tau-b", "totals.kendall_tau_b", "n"),
    ("totals, Spearman's rho", "totals.spearman_rho", "n"),
)


def render_meta(report: MetaReport, name: str, pictures: Mapping[str, bytes]) -> str:
    """A meta-evaluation as `text`, `json` or `html`; pictures: name → PNG, for the page."""
    if name == "json":
        return report.to_json() + "\n"
    return meta_html(report.data, pictures) if name == "html" else meta_text(report.data)


def _value(body: Mapping[str, Any], path: str, kind: str) -> str:
    value: Any = body
    for key in path.split("."):
        value = value[key] if value is not None else None
    if value is None:
        return "–"
    if kind == "i":
        return f"{value[0]:.1%} to {value[1]:.1%}"
    return f"{value:.1%}" if kind == "%" else f"{value:.3f}" if kind == "n" else f"{value:,}"


def _rows(bodies: list[Mapping[str, Any]]) -> Iterator[tuple[str, ...]]:
    shown = list(_ROWS)
    if any(body["verdicts"] is not None for body in bodies):
        shown += _VERDICTS
    if any(body["rec"]["checkpoint_stability"] is not None for body in bodies):
        shown += _REPEATED
    if any(body["totals"]["pairs"] > 1 for body in bodies):
        shown += _TOTALS
    for label, path, kind in shown:
        yield label, *(_value(body, path, kind) for body in bodies)


def _splits(bodies: list[Mapping[str, Any]]) -> Iterator[tuple[str, ...]]:
    for body in bodies:
        for name, part in body["by"]["split"].items():
            yield (
                body["evaluator"],
                name,
                str(part["checkpoints"]),
                *(_value(part, path, "%") for path in ("esf.deduction_recall", "esf.pass_rate", "esf.f2", "agreement.rate")),
            )


_SPLIT_HEAD = ("evaluator", "split", "checkpoints", "recall", "pass rate", "F2", "agreement")


def meta_text(data: Mapping[str, Any]) -> str:
    """The report for a terminal."""
    bodies = data["evaluators"]
    lines = [f"expert {plain(data['expert'])}{', splits ' + ', '.join(data['splits']) if data['splits'] else ''}", ""]
    columns = frozenset(range(1, len(bodies) + 1))
    lines += table([("", *(plain(body["evaluator"]) for body in bodies)), *_rows(bodies)], right=columns)
    if any(list(body["by"]["split"]) != ["none"] for body in bodies):
        lines += ["", *table([_SPLIT_HEAD, *_splits(bodies)], right=frozenset(range(2, 7)))]
    lines += [line for sentence in _sentences(data) for line in ("", sentence)]
    for body in bodies:
        if body["disagreements"]:
            lines += ["", f"{plain(body['evaluator'])}: {counted(body['disagreements_total'], 'disagreement')}, the heaviest first"]
            lines += [f"  {line}" for line in table([_disagreement(entry) for entry in body["disagreements"][:MAX_LISTED]])]
            rest = body["disagreements_total"] - MAX_LISTED
            lines += [f"  … and {rest} more"] if rest > 0 else []
    return "\n".join(lines) + "\n"


def _sentences(data: Mapping[str, Any]) -> Iterator[str]:
    comparison, counts = data["comparison"], data["test_evaluations"]
    if comparison is not None:
        yield f"{plain(comparison['order'][0])} follows the expert best (by F2, then score error)."
        for duel in comparison["pairs"]:
            yield (
                f"{plain(duel['a'])} is nearer than {plain(duel['b'])} on {duel['a_nearer']} of {counted(duel['shared'], 'shared checkpoint')}, "
                f"farther on {duel['b_nearer']} (sign test p = {duel['p_value']:.3g})."
            )
    tested = any("test" in body["by"]["split"] for body in data["evaluators"])
    if counts is not None:
        yield f"The test split was evaluated {counted(counts['evaluations'], 'time')} so far, with {counted(counts['distinct'], 'different result')}."
    elif tested:
        yield "The test split was evaluated, and no ledger counts how often (--ledger FILE)."
    if all(body["kendall_tau_b"] is None for body in data["evaluators"]):
        yield "No rank correlation: a side has one value only, or SciPy is not installed (extra `meta`)."


def _score(value: float | None) -> str:
    return "n/a" if value is None else f"{value:g}"


def _disagreement(entry: Mapping[str, Any]) -> tuple[str, ...]:
    run = f" ({plain(entry['run'])})" if entry["run"] else ""
    return (
        f"{plain(entry['task_id'])}{run}",
        plain(entry["checkpoint_id"]),
        f"expert {_score(entry['expert'])}",
        f"evaluator {_score(entry['evaluator'])}",
        f"weight {entry['weight']:g}",
        entry["kind"],
        plain(entry["evaluator_reason"] or entry["expert_reason"]),
    )


def meta_html(data: Mapping[str, Any], pictures: Mapping[str, bytes]) -> str:
    """The report as one page."""
    bodies = data["evaluators"]
    parts = [f"<h1>Evaluators against {escaped(data['expert'])}</h1>"]
    parts += [f"<p>{escaped(sentence)}</p>" for sentence in _sentences(data)]
    parts.append(_html_table([("", *(body["evaluator"] for body in bodies)), *_rows(bodies)]))
    if any(list(body["by"]["split"]) != ["none"] for body in bodies):
        parts += ["<h2>By split</h2>", _html_table([_SPLIT_HEAD, *_splits(bodies)])]
    for name, data_ in pictures.items():
        parts.append(f'<h2>{escaped(name)}</h2><img alt="{escaped(name)}" src="data:image/png;base64,{base64.b64encode(data_).decode()}">')
    if not pictures:
        parts.append("<p class=soft>Plots need matplotlib (extra <code>plots</code>).</p>")
    for body in bodies:
        parts.append(f"<h2>{escaped(body['evaluator'])}: reasons</h2>")
        parts.append(
            _html_table([("expert", "evaluator", "checkpoints"), *((c["expert"], c["evaluator"], str(c["count"])) for c in body["confusion"])])
        )
        parts.append(f"<h2>{escaped(body['evaluator'])}: {counted(body['disagreements_total'], 'disagreement')}</h2>")
        parts.append(_html_table([("task", "checkpoint", "", "", "", "kind", "reason"), *(_disagreement(entry) for entry in body["disagreements"])]))
    return page(f"Evaluators against {data['expert']}", "\n".join(parts), "img { max-width: 100% }")


def _html_table(rows: list[tuple[str, ...]]) -> str:
    head, *body = rows
    lines = ["<table><tr>" + "".join(f"<th>{escaped(cell)}" for cell in head)]
    lines += ["<tr>" + "".join(f"<td>{escaped(cell)}" for cell in row) for row in body]
    return "\n".join(lines) + "</table>"
