"""Statistics of runs, the same to the last digit on every machine: counted in whole numbers, drawn by a generator written here."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

RESAMPLES = 10_000
LOW, HIGH = Fraction(25, 1000), Fraction(975, 1000)

#: Values are counted in parts of this, so that sums are exact in any order.
SCALE = 10**9
#: Draws that are in memory at once.
_CHUNK = 4_000_000

Interval = tuple[float, float]


def draws(size: int, rows: range, seed: int) -> NDArray[Any]:
    """The indices of some resamples: one row each, `size` numbers below `size`.

    A counter goes through the mixing function of SplitMix64, so that a row is the same whichever rows are made with it.
    """
    import numpy

    start = rows.start * size
    counter = numpy.arange(start + 1, start + 1 + len(rows) * size, dtype=numpy.uint64)
    mixed = counter * numpy.uint64(0x9E3779B97F4A7C15) + numpy.uint64(seed * 0xD1342543DE82EF95 % 2**64)
    mixed = (mixed ^ (mixed >> numpy.uint64(30))) * numpy.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> numpy.uint64(27))) * numpy.uint64(0x94D049BB133111EB)
    mixed ^= mixed >> numpy.uint64(31)
    return (((mixed >> numpy.uint64(32)) * numpy.uint64(size)) >> numpy.uint64(32)).reshape(len(rows), size)


def bootstrap(values: Sequence[Fraction], seed: int = 0, resamples: int = RESAMPLES) -> Interval | None:
    """The 95 % percentile interval of the mean, over resamples with replacement; None without values."""
    import numpy

    if not values:
        return None
    size = len(values)
    scaled = numpy.array([round(value * SCALE) for value in values], dtype=numpy.int64)
    step = max(1, _CHUNK // size)
    sums: list[int] = []
    for first in range(0, resamples, step):
        rows = range(first, min(first + step, resamples))
        sums += scaled[draws(size, rows, seed)].sum(axis=1).tolist()
    sums.sort()
    return _percentile(sums, LOW, size), _percentile(sums, HIGH, size)


def _percentile(ordered: Sequence[int], share: Fraction, size: int) -> float:
    """A percentile of means by their ordered sums, linear between neighbours."""
    position = share * (len(ordered) - 1)
    below = math.floor(position)
    above = min(below + 1, len(ordered) - 1)
    value = ordered[below] + (ordered[above] - ordered[below]) * (position - below)
    return rounded(value / (size * SCALE))


def rounded(value: Fraction | float) -> float:
    """The number with six digits after the point."""
    return round(float(value), 6) + 0.0


def mean(values: Sequence[Fraction]) -> Fraction | None:
    """The mean; None without values."""
    return sum(values, Fraction(0)) / len(values) if values else None


def variation(values: Sequence[Fraction]) -> float | None:
    """Standard deviation over mean (of the values themselves, not of a sample); None for fewer than two or a mean of 0."""
    middle = mean(values)
    if middle is None or len(values) < 2 or middle == 0:
        return None
    spread = sum(((value - middle) ** 2 for value in values), Fraction(0)) / len(values)
    return rounded(math.sqrt(spread) / float(middle))


def pass_at(passed: int, trials: int, k: int) -> Fraction:
    """The chance that at least one of k trials drawn from these passes (pass@k, without bias)."""
    return 1 - Fraction(math.comb(trials - passed, k), math.comb(trials, k))


def pass_all(passed: int, trials: int, k: int) -> Fraction:
    """The chance that all of k trials drawn from these pass (pass^k)."""
    return Fraction(math.comb(passed, k), math.comb(trials, k))
