"""Reports of stress runs: text, JSON, Markdown and one HTML page with the operator × format matrix as a heat map."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from docops.registry import operators
from docops.report.words import plain
from docops.stressing.counts import Judged, StressReport

STRESS_FORMATS = ("text", "json", "markdown", "html")
MAX_LISTED = 40


def render_stress(report: StressReport, name: str) -> str:
    """A stress report in one of the formats, with a line end."""
    if name == "json":
        return report.to_json() + "\n"
    return {"text": stress_text, "markdown": stress_markdown, "html": stress_html}[name](report)


def _percent(value: float | None) -> str:
    if value is None:
        return "–"
    return "100 %" if value == 1 else f"{value * 100:.2f} %"


def _rate(counts: Mapping[str, Any]) -> float | None:
    rate = counts.get("detection_rate", counts.get("false_alarm_rate"))
    return rate if isinstance(rate, float) else None


def _interval(counts: Mapping[str, Any]) -> str:
    low, high = counts["interval"]
    return f"{low * 100:.2f} to {high * 100:.2f} %"


def _open_outcomes(counts: Mapping[str, Any]) -> str:
    return ", ".join(f"{counts[name]} {name}" for name in ("equivalent", "invalid", "error", "timeout") if counts[name])


def _summary_line(kind: str, counts: Mapping[str, Any]) -> str:
    hit, miss, label = ("killed", "survived", "detection") if kind == "corruption" else ("passed", "failed", "false alarms")
    extra = _open_outcomes(counts)
    return f"{counts['planned']} planned, {counts[hit]} {hit}, {counts[miss]} {miss}{', ' + extra if extra else ''}; {label} {_percent(_rate(counts))} (95 %: {_interval(counts)})"


def _place(mutant: Judged) -> str:
    spec = mutant.spec
    return f"{spec.artifact}#{spec.address}" if spec.address else spec.artifact


def _reproduce(mutant: Judged) -> str:
    return f"docops mutate BUNDLES/{mutant.spec.task_id} --id {mutant.spec.id} --out DIR"


def stress_text(report: StressReport) -> str:
    """The report for a terminal."""
    data = report.to_dict()
    lines = [
        f"suite {report.suite}, seed {report.seed}, {report.bundles} bundles",
        f"  corruption  {_summary_line('corruption', data['corruption'])}",
        f"  benign      {_summary_line('benign', data['benign'])}",
    ]
    for title in ("class", "format", "family"):
        lines.append(f"by {title}")
        lines += [f"  {name.ljust(24)} {text}" for name, text in _group_lines(title, data["by"][title])]
    lines += [f"skipped: {number} mutants of {operator}, which needs {needs}" for operator, needs, number in report.skipped]
    for title, mutants in (
        ("survivors", report.survivors),
        ("false alarms", report.false_alarms),
        ("caught for another reason, with no finding at the place that was changed", report.wrong_reason),
        ("no verdict", report.unfinished),
    ):
        if mutants:
            lines.append(f"{title} ({len(mutants)})")
            for mutant in mutants[:MAX_LISTED]:
                lines += _text_entry(mutant)
            if len(mutants) > MAX_LISTED:
                lines.append(f"  … and {len(mutants) - MAX_LISTED} more")
    return "\n".join(lines) + "\n"


def _text_entry(mutant: Judged) -> Iterator[str]:
    yield f"  {mutant.spec.id}  {mutant.spec.operator}  {mutant.spec.task_id}  {plain(_place(mutant))}"
    if mutant.spec.before or mutant.result.after:
        yield f"      {plain(mutant.spec.before)}  →  {plain(mutant.result.after)}"
    if _shows_findings(mutant):
        yield from (f"      {code} at {plain(address)}: {plain(message)}" for code, address, message in mutant.result.findings[:3])
    if mutant.result.note:
        yield f"      {plain(mutant.result.note)}"
    yield f"      {_reproduce(mutant)}"


def _shows_findings(mutant: Judged) -> bool:
    """Whether what was found says why the mutant is listed."""
    return bool(mutant.result.findings) and (not mutant.harmful or not mutant.result.in_place)


def _group_lines(title: str, groups: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, counts in groups.items():
        if title == "family":
            share = _percent(counts["share"])
            yield name, f"part of {counts['killed']} kills ({share}), alone in {counts['alone']}"
            continue
        for kind in ("corruption", "benign"):
            if kind in counts:
                yield (name if title != "format" else f"{name} {kind}"), _summary_line(kind, counts[kind])


def _cell(text: str) -> str:
    return plain(text).replace("|", "\\|").replace("<", "&lt;")


def stress_markdown(report: StressReport) -> str:
    """The report as Markdown."""
    data = report.to_dict()
    lines = [
        "# Fidelity: corruptions caught, benign rewrites passed",
        "",
        f"Made by `docops stress BUNDLES --suite {report.suite} --seed {report.seed} --format markdown`; the same seed gives the same page. "
        "How to read it: [stress.md](stress.md).",
        "",
        f"Suite `{report.suite}`, seed {report.seed}: {len(report.mutants)} mutants of {report.parents} right files of {report.bundles} bundles "
        f"({', '.join(report.tasks)}).",
        "",
        *[f"Skipped: {number} mutants of `{operator}`, which needs {needs}; they count as invalid.\n" for operator, needs, number in report.skipped],
        "| | planned | as it should be | not | equivalent | invalid | error | timeout | rate | 95 % interval |",
        "|---|---|---|---|---|---|---|---|---|---|",
        _markdown_row("corruptions, detected", data["corruption"]),
        _markdown_row("benign rewrites, false alarms", data["benign"]),
    ]
    for title in ("class", "format", "operator"):
        lines += ["", f"## By {title}", "", f"| {title} | planned | as it should be | not | equivalent | invalid | error | timeout | rate | 95 % interval |"]
        lines.append("|---|---|---|---|---|---|---|---|---|---|")
        for name, counts in data["by"][title].items():
            lines += [_markdown_row(name if len(counts) == 1 else f"{name}, {kind}", counts[kind]) for kind in ("corruption", "benign") if kind in counts]
    lines += ["", "## By family that caught them", "", "| family | kills | share | 95 % interval | alone |", "|---|---|---|---|---|"]
    lines += [f"| {name} | {counts['killed']} | {_percent(counts['share'])} | {_interval(counts)} | {counts['alone']} |" for name, counts in data["by"]["family"].items()]
    for title, mutants in _listed(report):
        lines += ["", f"## {title} ({len(mutants)})", ""]
        if mutants:
            lines += ["`docops mutate BUNDLES/TASK --id ID --out DIR` makes one of them again.", ""]
            lines += ["| id | operator | task | place | before | after | found |", "|---|---|---|---|---|---|---|"]
            lines += [_markdown_entry(mutant) for mutant in mutants]
        else:
            lines.append("None.")
    lines += _markdown_waived(report)
    return "\n".join(lines) + "\n"


def _listed(report: StressReport) -> tuple[tuple[str, list[Judged]], ...]:
    return (
        ("Survivors", report.survivors),
        ("False alarms", report.false_alarms),
        ("Caught for another reason", report.wrong_reason),
        ("Without verdict", report.unfinished),
    )


def _markdown_waived(report: StressReport) -> Iterator[str]:
    if report.waived:
        yield from ("", f"## Waived ({len(report.waived)})", "", "| operator | task | place | reason |", "|---|---|---|---|")
        yield from (f"| `{m.spec.operator}` | {m.spec.task_id} | {_cell(_place(m))} | {_cell(m.waiver)} |" for m in report.waived)


def _markdown_row(name: str, counts: Mapping[str, Any]) -> str:
    right, wrong = ("killed", "survived") if "killed" in counts else ("passed", "failed")
    numbers = [counts[key] for key in ("planned", right, wrong, "equivalent", "invalid", "error", "timeout")]
    return f"| {name} | {' | '.join(map(str, numbers))} | {_percent(_rate(counts))} | {_interval(counts)} |"


def _markdown_entry(mutant: Judged) -> str:
    spec = mutant.spec
    found = "; ".join(f"{code} at {address}" for code, address, _ in mutant.result.findings[:2]) if _shows_findings(mutant) else mutant.result.note
    cells = " | ".join(map(_cell, (_place(mutant), spec.before, mutant.result.after, found)))
    return f"| `{spec.id}` | `{spec.operator}` | {spec.task_id} | {cells} |"


_STYLE = """
body{font:15px/1.45 system-ui,sans-serif;margin:2rem auto;max-width:72rem;padding:0 1rem;color:#1c2330;background:#fff}
h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2rem}
table{border-collapse:collapse;width:100%}th,td{padding:.25rem .55rem;border-bottom:1px solid #dde2ea;text-align:left;vertical-align:top}
td.n{text-align:right;font-variant-numeric:tabular-nums}td.heat{text-align:center;min-width:4.5rem;font-variant-numeric:tabular-nums}
code{font:13px ui-monospace,monospace}.sub{color:#5b6575}.scroll{overflow-x:auto}
@media(prefers-color-scheme:dark){body{color:#e4e8ef;background:#14181f}th,td{border-color:#2c3440}.sub{color:#97a2b3}td.heat{color:#10141a}}
"""


def stress_html(report: StressReport) -> str:
    """The report as one page that needs nothing else: the numbers, the heat map, and every survivor and false alarm."""
    data = report.to_dict()
    head = f"Stress run: suite {report.suite}, seed {report.seed}, {report.bundles} bundles"
    body = [
        f"<h1>{html.escape(head)}</h1>",
        f"<p><b>Corruptions:</b> {html.escape(_summary_line('corruption', data['corruption']))}</p>",
        f"<p><b>Benign rewrites:</b> {html.escape(_summary_line('benign', data['benign']))}</p>",
        *(_html_groups(title, data["by"][title]) for title in ("class", "format", "family")),
        "<h2>Operators and formats</h2><p class=sub>Share of mutants taken as they should be: corruptions caught, benign rewrites passed. "
        "Below it, how many of how many.</p>",
        _heat_map(report.mutants),
    ]
    body += [f"<p>Skipped: {number} mutants of <code>{operator}</code>, which needs {needs}.</p>" for operator, needs, number in report.skipped]
    for title, mutants in _listed(report):
        body.append(f"<h2>{title} ({len(mutants)})</h2>")
        body.append(_html_list(mutants) if mutants else "<p>None.</p>")
    return f"<!DOCTYPE html>\n<html lang=en><meta charset=utf-8><title>{html.escape(head)}</title><style>{_STYLE}</style><body>\n" + "\n".join(body) + "\n</body></html>\n"


def _html_groups(title: str, groups: Mapping[str, Any]) -> str:
    rows = "".join(f"<tr><td>{html.escape(name)}<td>{html.escape(text)}" for name, text in _group_lines(title, groups))
    return f"<h2>By {title}</h2><div class=scroll><table>{rows}</table></div>"


def _heat_map(mutants: Sequence[Judged]) -> str:
    cells: dict[tuple[str, str], list[Judged]] = {}
    for mutant in mutants:
        cells.setdefault((mutant.spec.operator, mutant.spec.format), []).append(mutant)
    formats = sorted({name for _, name in cells})
    summaries = {operator.name: operator.summary for operator in operators()}
    rows = ["<div class=scroll><table><tr><th>Operator<th>Class" + "".join(f"<th>{name}" for name in formats)]
    for name in sorted({operator for operator, _ in cells}):
        first = next(group[0] for (operator, _), group in cells.items() if operator == name)
        title = html.escape(summaries.get(name, ""), quote=True)
        row = f'<tr><td title="{title}"><code>{html.escape(name)}</code><td class=sub>{html.escape(first.spec.corruption_class.replace("_", " "))}'
        rows.append(row + "".join(_heat_cell(cells.get((name, column), [])) for column in formats))
    return "\n".join(rows) + "</table></div>"


def _heat_cell(mutants: Sequence[Judged]) -> str:
    counted = [mutant for mutant in mutants if mutant.outcome not in ("equivalent", "invalid")]
    if not counted:
        return "<td class=heat>"
    right = sum(1 for mutant in counted if mutant.outcome == ("killed" if mutant.harmful else "survived"))
    share = right / len(counted)
    # Green from 100 %, through yellow, to red at 80 % and below: what matters lies at the upper end.
    hue = round(120 * max(0.0, (share - 0.8) / 0.2))
    return f'<td class=heat style="background:hsl({hue} 65% 78%)">{share * 100:.0f} %<br><small>{right}/{len(counted)}</small>'


def _html_list(mutants: Sequence[Judged]) -> str:
    rows = ["<div class=scroll><table><tr><th>Operator<th>Place<th>Before<th>After<th>Reproduce"]
    for mutant in mutants:
        values = (mutant.spec.operator, f"{mutant.spec.task_id}: {_place(mutant)}", mutant.spec.before, mutant.result.after)
        cells = "".join(f"<td>{html.escape(plain(value))}" for value in values)
        reasons = "".join(f"<br><small>{html.escape(plain(f'{code} at {address}: {message}'))}</small>" for code, address, message in mutant.result.findings[:3])
        rows.append(f"<tr>{cells}{reasons if _shows_findings(mutant) else ''}<td><code>{html.escape(_reproduce(mutant))}</code>")
    return "\n".join(rows) + "</table></div>"
