"""Reports of runs as one HTML page that needs nothing else: the tables, and all rows with filters."""

from __future__ import annotations

import html
import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from docops.report.run import HEADINGS, cells, cost_rows, number, percent, points
from docops.report.words import plain

if TYPE_CHECKING:
    from docops.running.summary import RunReport

#: Rows that the page holds; a browser takes no more with ease. All are in `rows.jsonl`.
MAX_ROWS = 20_000

_STYLE = """
:root{color-scheme:light dark}
body{font:15px/1.45 system-ui,sans-serif;margin:2rem auto;max-width:76rem;padding:0 1rem;color:#1c2330;background:#fff}
h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2rem}
table{border-collapse:collapse;width:100%}th,td{padding:.25rem .55rem;border-bottom:1px solid #dde2ea;text-align:left;vertical-align:top}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}.sub{color:#5b6575}.scroll{overflow-x:auto}
form{display:flex;flex-wrap:wrap;gap:.6rem 1rem;margin:.6rem 0}label{display:flex;flex-direction:column;font-size:.8rem}
select,input{font:inherit;padding:.15rem .3rem}
.passed{color:#14703a}.failed{color:#a3261b}.error{color:#8a5a00;font-weight:600}
@media(prefers-color-scheme:dark){body{color:#e4e8ef;background:#14181f}th,td{border-color:#2c3440}.sub{color:#97a2b3}.passed{color:#69c98d}.failed{color:#ff8e84}.error{color:#ffc357}}
"""

_SCRIPT = """
const rows = JSON.parse(document.getElementById('rows').textContent);
const names = ['agent','level','formats','operations','domain','status','modes'];
const form = document.getElementById('filters'), body = document.getElementById('body'), shown = document.getElementById('shown');
const list = value => Array.isArray(value) ? value : [value];
for (const name of names) {
  const label = document.createElement('label'), select = document.createElement('select');
  label.textContent = name; select.name = name; select.add(new Option('all', ''));
  for (const value of [...new Set(rows.flatMap(row => list(row[name])))].sort()) select.add(new Option(value || 'none', value || '\\u0000'));
  label.append(select); form.append(label);
}
const label = document.createElement('label'), input = document.createElement('input');
label.textContent = 'task, reason or note contains'; input.name = 'text'; label.append(input); form.append(label);
const LIMIT = 2000;
function show() {
  const chosen = names.map(name => [name, form.elements[name].value]).filter(([, value]) => value);
  const text = input.value.toLowerCase();
  const found = rows.filter(row => chosen.every(([name, value]) => list(row[name]).includes(value === '\\u0000' ? '' : value))
    && (!text || [row.task_id, row.note, ...row.reason_codes].join(' ').toLowerCase().includes(text)));
  const open = found.filter(row => row.status === 'error').length, passed = found.filter(row => row.passed).length;
  const decided = found.length - open;
  shown.textContent = `${found.length} outputs, ${passed} passed` + (decided ? ` (${(100 * passed / decided).toFixed(1)} % of ${decided} with a verdict)` : '')
    + (open ? `, ${open} without a verdict` : '') + (found.length > LIMIT ? `; the first ${LIMIT} are shown` : '');
  body.replaceChildren(...found.slice(0, LIMIT).map(row => {
    const line = document.createElement('tr');
    const score = row.score === null ? 'open' : row.score.toFixed(3);
    const values = [row.agent, row.task_id, row.trial, row.status + (row.missing ? ', missing' : ''), score, row.level, row.formats.join(' '),
      row.operations.join(' '), row.domain, row.modes.join(', '), row.reason_codes.join(' '), row.note];
    values.forEach((value, n) => { const cell = line.insertCell(); cell.textContent = value; if (n === 3) cell.className = row.status; if (n === 2 || n === 4) cell.className = 'n'; });
    return line;
  }));
}
form.addEventListener('input', show); form.addEventListener('submit', event => event.preventDefault()); show();
"""


def _table(first: str, rows: Sequence[tuple[str, Sequence[str]]], headings: Sequence[str]) -> str:
    head = f"<tr><th>{html.escape(first)}" + "".join(f"<th class=n>{html.escape(heading)}" for heading in headings)
    lines = [f"<tr><td>{html.escape(plain(name))}" + "".join(f"<td class=n>{html.escape(plain(cell))}" for cell in row) for name, row in rows]
    return "\n".join(["<div class=scroll><table>", head, *lines, "</table></div>"])


def _failures(agents: Mapping[str, Any]) -> str:
    parts = []
    for kind, title in (("modes", "mode"), ("families", "family"), ("reason_codes", "reason code")):
        found = dict.fromkeys(name for agent in agents.values() for name in agent["failures"][kind])
        names = sorted(found) if kind == "reason_codes" else list(found)
        if names:
            rows = [(name, [str(agent["failures"][kind].get(name, 0)) for agent in agents.values()]) for name in names]
            parts.append(_table(title, rows, list(agents)))
    return "\n".join(parts)


def run_page(report: RunReport) -> str:
    """The report as one page."""
    data = report.to_dict()
    agents = data["agents"]
    title = f"Run: {data['tasks']} tasks, {len(agents)} agents, {data['outputs']} outputs"
    body = [f"<h1>{html.escape(title)}</h1>", _table("agent", [(name, cells(found)) for name, found in agents.items()], HEADINGS)]
    body.append(
        "<p class=sub>Rates are of outputs with a verdict, missing ones counted as failed; an error is in no rate, and beside the rate stand the bounds "
        f"it leaves. Intervals: {data['resamples']:,} resamples of tasks, seed {data['seed']}.</p>"
    )
    if data["pairs"]:
        rows = [(f"{pair['a']} − {pair['b']}", [str(pair["tasks"]), points(pair), points(pair, "score_")]) for pair in data["pairs"]]
        body += ["<h2>Agents in pairs</h2>", _table("agents", rows, ("tasks", "pass rate", "score"))]
    for dimension in ("level", "format", "operation", "domain"):
        rows = [(f"{name}, {value}", cells(group)) for name, found in agents.items() for value, group in found["by"][dimension].items()]
        body += [f"<h2>By {dimension}</h2>", _table("agent", rows, HEADINGS)]
    levels = list(dict.fromkeys(level for found in agents.values() for level in found["format_cv"]))
    body += [
        "<h2>FormatCV</h2>",
        _table("agent", [(name, [number(found["format_cv"].get(level)) for level in levels]) for name, found in agents.items()], levels),
    ]
    trials = [
        (f"{name}, k = {k}", [str(t["tasks"]), percent(t["pass_at"]), percent(t["pass_all"])])
        for name, found in agents.items()
        for k, t in found["trials"].items()
    ]
    body += ["<h2>Over trials</h2>", _table("agent", trials, ("tasks", "pass@k", "pass^k"))]
    body += ["<h2>Failures</h2>", _failures(agents)]
    costs = [
        (f"{agent}, {fidelity}, {name}", [str(c["outputs"]), f"{c['total']:,g}", f"{c['mean']:,g}"]) for agent, fidelity, name, c in cost_rows(agents)
    ]
    if costs:
        body += ["<h2>Costs</h2>", _table("agent", costs, ("outputs", "total", "mean"))]
    heads = ("agent", "task", "trial", "status", "score", "level", "formats", "operations", "domain", "failure modes", "reason codes", "note")
    body += ["<h2>Outputs</h2>"]
    if len(report.rows) > MAX_ROWS:
        body.append(f"<p>The first {MAX_ROWS:,} of {len(report.rows):,}; all of them are in rows.jsonl.</p>")
    body += [ "<form id=filters></form>", "<p id=shown class=sub></p>"]
    body.append("<div class=scroll><table><thead><tr>" + "".join(f"<th>{head}" for head in heads) + "</thead><tbody id=body></tbody></table></div>")
    # Nothing in the data can end the script element or begin a comment in it.
    rows_json = json.dumps([row.to_json() for row in report.rows[:MAX_ROWS]], ensure_ascii=True, sort_keys=True, separators=(",", ":")).replace("<", "\\u003c")
    body.append(f'<script type="application/json" id=rows>{rows_json}</script>\n<script>{_SCRIPT}</script>')
    head = f'<meta charset=utf-8><meta name=viewport content="width=device-width"><title>{html.escape(title)}</title><style>{_STYLE}</style>'
    return f"<!DOCTYPE html>\n<html lang=en>{head}<body>\n" + "\n".join(body) + "\n</body></html>\n"
