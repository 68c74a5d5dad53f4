from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from docops.core.align import align, longest_increasing


def pairs(left: str, right: str) -> list[tuple[int, int]]:
    return align(left, right, similarity=lambda i, j: 0.0, left_kinds=["x"] * len(left), right_kinds=["x"] * len(right))


def test_an_insertion_is_one_unmatched_element() -> None:
    assert pairs("abcd", "abXcd") == [(0, 0), (1, 1), (2, 3), (3, 4)]


def test_a_removal_of_a_repeated_element_is_one() -> None:
    assert len(pairs("aaaa", "aaa")) == 3


def test_a_copy_stands_behind_what_it_copies() -> None:
    # An edit before the copy keeps the equal beginnings from settling it.
    assert pairs("abcd", "xbccd") == [(0, 0), (1, 1), (2, 2), (3, 4)]
    assert pairs("xbcbcd", "abcd") == [(1, 1), (2, 2), (5, 3)]


def test_a_move_keeps_its_partner() -> None:
    assert (0, 3) in pairs("abcd", "bcda")


def test_a_replaced_element_of_the_same_kind_is_the_same_place() -> None:
    assert pairs("abc", "aXc") == [(0, 0), (1, 1), (2, 2)]


def test_similar_elements_are_matched_across_an_insertion() -> None:
    left, right = ["k", "apple pie", "z"], ["k", "new", "apple pies", "z"]
    score = {(1, 2): 0.9}
    found = align(left, right, similarity=lambda i, j: score.get((i, j), 0.0), left_kinds=["p"] * 3, right_kinds=["p"] * 4)
    assert (1, 2) in found
    assert all(j != 1 for _, j in found)


@given(st.text("abcde", max_size=30), st.text("abcde", max_size=30))
def test_pairs_are_one_to_one_and_equal_texts_pair_completely(left: str, right: str) -> None:
    found = pairs(left, right)
    assert len({i for i, _ in found}) == len(found) == len({j for _, j in found})
    assert pairs(left, left) == [(i, i) for i in range(len(left))]


@given(st.lists(st.integers(0, 50)))
def test_longest_increasing_is_increasing_and_maximal(values: list[int]) -> None:
    chosen = [values[i] for i in longest_increasing(values)]
    assert all(a < b for a, b in itertools.pairwise(chosen))
    best = [1] * len(values)
    for i in range(len(values)):
        best[i] = max([best[j] + 1 for j in range(i) if values[j] < values[i]], default=1)
    assert len(chosen) == max(best, default=0)
