"""Statistics agree with SciPy's and with counting by hand, and are the same numbers every time."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from docops.running.statistics import RESAMPLES, bootstrap, draws, mean, pass_all, pass_at, rounded, variation

VALUES = [Fraction(n) for n in (1, 0, 1, 1, 0, 1, 1, 1, 0, 1, 1, 0, 1, 1, 1, 0, 0, 1, 1, 1)]
SCORES = [Fraction(n % 7, 7) for n in range(40)]


@pytest.mark.parametrize("values", [VALUES, SCORES], ids=["passes", "scores"])
def test_interval_agrees_with_scipy(values: list[Fraction]) -> None:
    found = bootstrap(values)
    assert found is not None
    data = numpy.array([float(value) for value in values])
    theirs = scipy.stats.bootstrap(
        (data,), numpy.mean, n_resamples=RESAMPLES, method="percentile", rng=numpy.random.default_rng(1)
    ).confidence_interval
    # Two seeds of SciPy itself differ by as much.
    assert found[0] == pytest.approx(theirs.low, abs=0.026)
    assert found[1] == pytest.approx(theirs.high, abs=0.026)


def test_interval_is_the_percentile_of_its_draws() -> None:
    data = numpy.array([float(value) for value in SCORES])
    means = data[draws(len(SCORES), range(RESAMPLES), 5)].mean(axis=1)
    assert bootstrap(SCORES, 5) == pytest.approx(tuple(numpy.percentile(means, [2.5, 97.5])), abs=1e-6)


def test_paired_interval_agrees_with_scipy() -> None:
    one, other = numpy.array([float(v) for v in VALUES]), numpy.array([float(v) for v in reversed(VALUES)])
    found = bootstrap([a - b for a, b in zip(VALUES, reversed(VALUES))])
    assert found is not None
    theirs = scipy.stats.bootstrap(
        (one, other),
        lambda a, b, axis: (a - b).mean(axis=axis),
        n_resamples=RESAMPLES,
        paired=True,
        method="percentile",
        rng=numpy.random.default_rng(2),
    ).confidence_interval
    assert found == pytest.approx((theirs.low, theirs.high), abs=0.051)


def test_numbers_are_fixed() -> None:
    assert draws(7, range(2), 0).tolist() == [[6, 3, 0, 6, 0, 2, 1], [5, 1, 6, 2, 5, 3, 3]]
    assert bootstrap(VALUES, 0) != bootstrap(SCORES, 0)
    assert bootstrap(SCORES, 0) == bootstrap(SCORES, 0)
    assert bootstrap(SCORES, 0) != bootstrap(SCORES, 1)


def test_draws_do_not_depend_on_how_many_are_made_at_once() -> None:
    whole = draws(13, range(100), 3)
    parts = numpy.concatenate([draws(13, range(start, start + 20), 3) for start in range(0, 100, 20)])
    assert (whole == parts).all()


def test_draws_are_even_and_in_range() -> None:
    drawn = draws(10, range(RESAMPLES), 0)
    assert drawn.min() == 0
    assert drawn.max() == 9
    assert scipy.stats.chisquare(numpy.bincount(drawn.ravel().astype(int), minlength=10)).pvalue > 0.001


def test_interval_of_nothing_and_of_one() -> None:
    assert bootstrap([]) is None
    assert bootstrap([Fraction(1, 3)]) == (0.333333, 0.333333)


def test_variation_is_that_of_scipy() -> None:
    values = [Fraction(9, 10), Fraction(1, 2), Fraction(7, 10), Fraction(1, 4)]
    assert variation(values) == pytest.approx(scipy.stats.variation([float(value) for value in values]), abs=1e-6)
    assert variation([Fraction(1, 2)]) is None
    assert variation([Fraction(0), Fraction(0)]) is None
    assert variation([Fraction(1, 2), Fraction(1, 2)]) == 0


@given(st.lists(st.booleans(), min_size=1, max_size=7), st.data())
def test_trials_count_like_drawing_all_subsets(trials: list[bool], data: st.DataObject) -> None:
    k = data.draw(st.integers(1, len(trials)))
    subsets = list(itertools.combinations(trials, k))
    assert pass_at(sum(trials), len(trials), k) == mean([Fraction(any(subset)) for subset in subsets])
    assert pass_all(sum(trials), len(trials), k) == mean([Fraction(all(subset)) for subset in subsets])


def test_zero_has_no_sign() -> None:
    assert str(rounded(-1e-9)) == "0.0"
