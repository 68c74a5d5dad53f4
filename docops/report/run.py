"""Reports of runs: text, Markdown and CSV; the page is in `run_page`."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docops.report.words import counted, plain

if TYPE_CHECKING:
    from docops.running.summary import RunReport

RUN_FORMATS = ("text", "json", "jsonl", "markdown", "csv", "html", "github")

#: Name of each file that a run writes into its folder → the format that it is in.
FILES = {"rows.jsonl": "jsonl", "summary.json": "json", "summary.txt": "text", "summary.md": "markdown", "summary.csv": "csv", "report.html": "html"}
MAX_ERRORS = 20


def render_run(report: RunReport, name: str) -> str:
    """A report of a run in one of the formats, with a line end."""
    if name == "json":
        return report.to_json() + "\n"
    if name == "jsonl":
        return report.jsonl()
    if name == "html":
        from docops.report.run_page import run_page

        return run_page(report)
    if name == "github":
        from docops.report.github import run_annotations

        return run_annotations(report)
    return {"text": run_text, "markdown": run_markdown, "csv": run_csv}[name](report)


def write_reports(report: RunReport, folder: Path) -> None:
    """Write every report of a run."""
    for file, name in FILES.items():
        (folder / file).write_text(render_run(report, name), encoding="utf-8", newline="")


# Numbers as people read them


def percent(value: float | None) -> str:
    """A rate."""
    return "–" if value is None else f"{value * 100:.1f} %"


def percent_interval(bounds: Sequence[float] | None) -> str:
    """The interval of a rate."""
    return "–" if bounds is None else f"{bounds[0] * 100:.1f} to {bounds[1] * 100:.1f} %"


def number(value: float | None, digits: int = 3) -> str:
    """A score or a spread."""
    return "–" if value is None else f"{value:.{digits}f}"


def points(pair: Mapping[str, Any], prefix: str = "") -> str:
    """A difference with its interval, and whether it excludes 0."""
    delta, bounds = pair[f"{prefix}delta"], pair[f"{prefix}interval"]
    if delta is None or bounds is None:
        return "–"
    verdict = "excludes 0" if pair[f"{prefix}excludes_zero"] else "does not exclude 0"
    return f"{delta:+.1f} points ({bounds[0]:+.1f} to {bounds[1]:+.1f}, {verdict})"


HEADINGS = ("tasks", "outputs", "passed", "failed", "errors", "missing", "pass rate", "95 % interval", "mean score")


def cells(found: Mapping[str, Any]) -> list[str]:
    """The row of a group in a table of HEADINGS; with errors, the rate has its bounds."""
    rate = percent(found["pass_rate"])
    if found["errors"]:
        rate += f" (errors: {percent_interval(found['bounds'])})"
    numbers = [str(found[key]) for key in HEADINGS[:6]]
    return [*numbers, rate, percent_interval(found["interval"]), number(found["mean_score"])]


def _table(first: str, rows: Sequence[tuple[str, Sequence[str]]], headings: Sequence[str]) -> Iterator[str]:
    columns = [[first, *(plain(name) for name, _ in rows)], *([heading, *(row[n] for _, row in rows)] for n, heading in enumerate(headings))]
    widths = [max(map(len, column)) for column in columns]
    for line in zip(*columns):
        yield "  " + "  ".join(cell.ljust(width) if n == 0 else cell.rjust(width) for n, (cell, width) in enumerate(zip(line, widths))).rstrip()


def run_text(report: RunReport) -> str:
    """The summary for a terminal."""
    data = report.to_dict()
    agents = data["agents"]
    lines = [f"{counted(data['tasks'], 'task')}, {counted(len(agents), 'agent')}, {counted(data['outputs'], 'output')}"]
    lines += _table("agent", [(name, cells(found)) for name, found in agents.items()], HEADINGS)
    for dimension in ("level", "format", "operation", "domain"):
        lines += ["", f"by {dimension}"]
        lines += _table(
            "agent",
            [(f"{name} {value}", cells(group)) for name, found in agents.items() for value, group in found["by"][dimension].items()],
            HEADINGS,
        )
    lines += ["", "evenness over formats (FormatCV; 0 is even)"]
    lines += [
        f"  {plain(name)}  " + "  ".join(f"{level} {number(value)}" for level, value in found["format_cv"].items()) for name, found in agents.items()
    ]
    if any(len(found["trials"]) > 1 for found in agents.values()):
        lines += ["", "over trials"]
        rows = [
            (f"{name} k={k}", [str(t["tasks"]), percent(t["pass_at"]), percent(t["pass_all"])])
            for name, found in agents.items()
            for k, t in found["trials"].items()
        ]
        lines += _table("agent", rows, ("tasks", "pass@k", "pass^k"))
    if data["pairs"]:
        lines += ["", "agents in pairs (pass rate; tasks drawn together)"]
        lines += [f"  {plain(pair['a'])} − {plain(pair['b'])}  {points(pair)}, {counted(pair['tasks'], 'task')}" for pair in data["pairs"]]
    lines += ["", "failure modes"]
    modes = list(next(iter(agents.values()))["failures"]["modes"])
    lines += _table("agent", [(name, [str(found["failures"]["modes"][mode]) for mode in modes]) for name, found in agents.items()], modes)
    lines += _text_costs(agents)
    for name, found in agents.items():
        if found["unknown_folders"]:
            lines += ["", f"{plain(name)}: folders that no bundle knows: {plain(', '.join(found['unknown_folders']))}"]
    if report.errors:
        lines += ["", f"no verdict ({len(report.errors)}; in no rate)"]
        lines += [f"  {plain(row.agent)}  {row.task_id}  trial {row.trial}  {plain(row.note)}" for row in report.errors[:MAX_ERRORS]]
        if len(report.errors) > MAX_ERRORS:
            lines.append(f"  … and {len(report.errors) - MAX_ERRORS} more")
    return "\n".join(lines) + "\n"


def cost_rows(agents: Mapping[str, Any]) -> list[tuple[str, str, str, dict[str, Any]]]:
    """Agent, fidelity, column and numbers of every cost that is known."""
    return [
        (agent, fidelity, name, column)
        for agent, found in agents.items()
        for fidelity in ("measured", "estimated")
        for name, column in found["costs"][fidelity]["columns"].items()
    ]


def _text_costs(agents: Mapping[str, Any]) -> Iterator[str]:
    rows = cost_rows(agents)
    if rows:
        yield from ("", "costs")
        shown = [(f"{agent} {fidelity} {name}", [str(c["outputs"]), f"{c['total']:,g}", f"{c['mean']:,g}"]) for agent, fidelity, name, c in rows]
        yield from _table("agent", shown, ("outputs", "total", "mean"))


# Markdown


def _cell(text: str) -> str:
    return plain(text).replace("|", "\\|").replace("<", "&lt;")


def _markdown_table(first: str, rows: Sequence[tuple[str, Sequence[str]]], headings: Sequence[str]) -> Iterator[str]:
    yield f"| {' | '.join([first, *headings])} |"
    yield "|---|" + "---:|" * len(headings)
    for name, row in rows:
        yield f"| {' | '.join([_cell(name), *row])} |"


def run_markdown(report: RunReport) -> str:
    """The summary as Markdown."""
    data = report.to_dict()
    agents = data["agents"]
    lines = [f"{counted(data['tasks'], 'task')}, {counted(len(agents), 'agent')}, {counted(data['outputs'], 'output')}.", ""]
    lines += _markdown_table("agent", [(name, cells(found)) for name, found in agents.items()], HEADINGS)
    if data["pairs"]:
        lines += ["", "### Agents in pairs", ""]
        rows = [(f"{pair['a']} − {pair['b']}", [str(pair["tasks"]), points(pair), points(pair, "score_")]) for pair in data["pairs"]]
        lines += _markdown_table("agents", rows, ("tasks", "pass rate", "score"))
    for dimension in ("level", "format", "operation", "domain"):
        lines += ["", f"### By {dimension}", ""]
        rows = [(f"{name}, {value}", cells(group)) for name, found in agents.items() for value, group in found["by"][dimension].items()]
        lines += _markdown_table("agent", rows, HEADINGS)
    levels = list(dict.fromkeys(level for found in agents.values() for level in found["format_cv"]))
    lines += ["", "### FormatCV", ""]
    lines += _markdown_table("agent", [(name, [number(found["format_cv"].get(level)) for level in levels]) for name, found in agents.items()], levels)
    lines += ["", "### Over trials", ""]
    trials = [
        (f"{name}, k = {k}", [str(t["tasks"]), percent(t["pass_at"]), percent(t["pass_all"])])
        for name, found in agents.items()
        for k, t in found["trials"].items()
    ]
    lines += _markdown_table("agent", trials, ("tasks", "pass@k", "pass^k"))
    lines += ["", "### Failures", ""]
    for kind in ("modes", "families", "reason_codes"):
        names = (
            sorted({name for found in agents.values() for name in found["failures"][kind]})
            if kind == "reason_codes"
            else list(next(iter(agents.values()))["failures"][kind])
        )
        if names:
            rows = [(name, [str(found["failures"][kind].get(name, 0)) for found in agents.values()]) for name in names]
            lines += [
                *_markdown_table(kind.replace("_", " ").removesuffix("s").replace("familie", "family"), rows, [_cell(name) for name in agents]),
                "",
            ]
    costs = cost_rows(agents)
    if costs:
        rows = [(f"{agent}, {fidelity}, {name}", [str(c["outputs"]), f"{c['total']:,g}", f"{c['mean']:,g}"]) for agent, fidelity, name, c in costs]
        lines += ["### Costs", "", *_markdown_table("agent", rows, ("outputs", "total", "mean")), ""]
    if report.errors:
        lines += [f"### No verdict ({len(report.errors)}; in no rate)", ""]
        lines += _markdown_table(
            "agent", [(row.agent, [row.task_id, str(row.trial), _cell(row.note)]) for row in report.errors], ("task", "trial", "why")
        )
    return "\n".join(lines).rstrip() + "\n"


# CSV

_CSV = (
    "tasks",
    "outputs",
    "passed",
    "failed",
    "errors",
    "missing",
    "pass_rate",
    "pass_rate_low",
    "pass_rate_high",
    "mean_score",
    "mean_score_low",
    "mean_score_high",
)


def run_csv(report: RunReport) -> str:
    """The summary as CSV: a line for each agent as a whole, and in each group."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["agent", "dimension", "value", *_CSV])
    for name, found in report.to_dict()["agents"].items():
        writer.writerow([name, "all", "", *_numbers(found)])
        for dimension, groups in found["by"].items():
            for value, group in groups.items():
                writer.writerow([name, dimension, value, *_numbers(group)])
    return out.getvalue()


def _numbers(found: Mapping[str, Any]) -> list[Any]:
    low, high = found["interval"] or (None, None)
    score_low, score_high = found["score_interval"] or (None, None)
    return [*(found[key] for key in _CSV[:6]), found["pass_rate"], low, high, found["mean_score"], score_low, score_high]
