"""Plots of a meta-evaluation as PNG, drawn with matplotlib (extra `plots`)."""

from __future__ import annotations

import io
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

from docops.core.errors import UsageError
from docops.meta.evaluate import MetaReport
from docops.meta.figures import Pair

#: Most checkpoints in a heat map.
MAX_ROWS = 60


def draw_all(report: MetaReport, *, required: bool) -> dict[str, bytes]:
    """Name → PNG of every plot; none where matplotlib is not installed.

    required: raise UsageError instead.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        if required:
            raise UsageError("plots need matplotlib: pip install 'docops-verifier[plots]'") from None
        return {}
    drawn = {"agreement": _agreement, "heat-map": _heat_map, "stability": _stability}
    out = {}
    for name, draw in drawn.items():
        figure = Figure(figsize=(7, 4.5), layout="constrained")
        if draw(figure, report):
            buffer = io.BytesIO()
            figure.savefig(buffer, format="png", dpi=110, metadata={"Software": None})
            out[name] = buffer.getvalue()
    return out


def _agreement(figure: Any, report: MetaReport) -> bool:
    """The evaluators' scores over the expert's; the area of a point is the number of checkpoints there."""
    axes = figure.subplots()
    for name, pairs in report.pairs.items():
        counts = Counter((pair.expert, pair.evaluator) for pair in pairs if pair.expert is not None and pair.evaluator is not None)
        points = sorted((x, y, count) for (x, y), count in counts.items() if x is not None and y is not None)
        axes.scatter([x for x, _, _ in points], [y for _, y, _ in points], [30 + 25 * count for _, _, count in points], alpha=0.5, label=name)
    axes.plot([0, 1], [0, 1], color="grey", linewidth=0.8)
    axes.set(xlabel="expert", ylabel="evaluator", title="Agreement by checkpoint", xlim=(-0.08, 1.08), ylim=(-0.08, 1.08))
    axes.legend()
    return True


def _heat_map(figure: Any, report: MetaReport) -> bool:
    """Difference from the expert by checkpoint; the checkpoints that differ most are shown."""
    names = list(report.pairs)
    gaps = {name: _gaps(pairs) for name, pairs in report.pairs.items()}
    keys = sorted({key for found in gaps.values() for key in found}, key=lambda key: (-max(abs(found.get(key, 0.0)) for found in gaps.values()), key))
    keys = keys[:MAX_ROWS]
    if not keys:
        return False
    figure.set_size_inches(7, 1.6 + 0.22 * len(keys))
    axes = figure.subplots()
    image = axes.imshow([[gaps[name].get(key, float("nan")) for name in names] for key in keys], cmap="RdBu", vmin=-1, vmax=1, aspect="auto")
    axes.set_xticks(range(len(names)), names)
    axes.set_yticks(range(len(keys)), [f"{task}: {checkpoint}" for task, checkpoint in keys], fontsize=7)
    axes.set_title("Evaluator − expert")
    figure.colorbar(image, ax=axes)
    return True


def _gaps(pairs: Sequence[Pair]) -> dict[tuple[str, str], float]:
    found: dict[tuple[str, str], list[float]] = defaultdict(list)
    for pair in pairs:
        if pair.expert is not None and pair.evaluator is not None:
            found[pair.key].append(pair.evaluator - pair.expert)
    return {key: sum(values) / len(values) for key, values in found.items()}


def _stability(figure: Any, report: MetaReport) -> bool:
    """Over repeated evaluations: how many checkpoints got how many different scores; none where nothing was repeated."""
    bars: dict[str, Counter[int]] = {}
    for name, pairs in report.pairs.items():
        runs: dict[tuple[str, str], list[float | None]] = defaultdict(list)
        for pair in pairs:
            runs[pair.key].append(pair.evaluator)
        repeated = [len(set(found)) for found in runs.values() if len(found) > 1]
        if repeated:
            bars[name] = Counter(repeated)
    if not bars:
        return False
    axes = figure.subplots()
    width = 0.8 / len(bars)
    highest = max(number for counts in bars.values() for number in counts)
    for index, (name, counts) in enumerate(bars.items()):
        places = [number + (index - (len(bars) - 1) / 2) * width for number in range(1, highest + 1)]
        axes.bar(places, [counts[number] for number in range(1, highest + 1)], width, label=name)
    axes.set(xlabel="different scores over the runs", ylabel="checkpoints", title="Stability")
    axes.set_xticks(range(1, highest + 1))
    axes.legend()
    return True
