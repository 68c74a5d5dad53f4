"""Alignment of two sequences by content, so that an insertion is one difference and not a thousand.

Patience alignment on equal, unique tokens; what is equal elsewhere is a move; the gaps between are matched by
similarity. Costs about n log n where the sequences are mostly equal; a gap too large for the similarity table is matched
by position, so that the time is bounded by counts.
"""

from __future__ import annotations

import itertools
from bisect import bisect_left
from collections.abc import Callable, Hashable, Sequence

#: Largest similarity table (rows × columns of one gap).
MAX_GAP_CELLS = 40_000
#: Longest block whose copy is told from the original.
MAX_SLIDE = 200
#: Two nodes less similar than this are not the same node changed.
MIN_SIMILARITY = 0.3
#: What is neither in its place nor equal must be this similar to be the same node, moved and changed.
MOVED_SIMILARITY = 0.6

Pair = tuple[int, int]


def longest_increasing(values: Sequence[int]) -> list[int]:
    """Positions of one longest strictly increasing subsequence of `values`."""
    tails: list[int] = []
    tail_values: list[int] = []
    previous = [-1] * len(values)
    for position, value in enumerate(values):
        at = bisect_left(tail_values, value)
        previous[position] = tails[at - 1] if at else -1
        if at == len(tails):
            tails.append(position)
            tail_values.append(value)
        else:
            tails[at] = position
            tail_values[at] = value
    out: list[int] = []
    at = tails[-1] if tails else -1
    while at >= 0:
        out.append(at)
        at = previous[at]
    return out[::-1]


def align(
    left: Sequence[Hashable],
    right: Sequence[Hashable],
    *,
    similarity: Callable[[int, int], float],
    left_kinds: Sequence[str],
    right_kinds: Sequence[str],
) -> list[Pair]:
    """Pairs (i, j) of the elements of `left` and `right` that are the same element, sorted by i.

    left, right: tokens; equal tokens are equal elements.
    similarity: 0.0 to 1.0 for two elements with different tokens; 0 means never the same element.
    left_kinds, right_kinds: only elements of one kind are matched where position alone decides.
    Pairs may cross: a crossing is a move. Elements in no pair were removed or added.
    """
    pairs: list[Pair] = []
    gaps: list[tuple[int, int, int, int]] = []
    _anchor(left, right, 0, len(left), 0, len(right), pairs, gaps)
    moved = _moves(left, right, gaps)
    pairs += moved
    used_left = {i for i, _ in moved}
    used_right = {j for _, j in moved}
    left_over: list[int] = []
    right_over: list[int] = []
    for left_from, left_to, right_from, right_to in gaps:
        rows = [i for i in range(left_from, left_to) if i not in used_left]
        columns = [j for j in range(right_from, right_to) if j not in used_right]
        found = _match_gap(rows, columns, similarity, left_kinds, right_kinds)
        pairs += found
        left_over += sorted(set(rows) - {i for i, _ in found})
        right_over += sorted(set(columns) - {j for _, j in found})
    pairs += _moved_and_changed(left_over, right_over, similarity)
    inverse = _slid({j: i for i, j in pairs}, right)
    return sorted(_slid({i: j for j, i in inverse.items()}, left).items())


def _slid(partners: dict[int, int], tokens: Sequence[Hashable]) -> dict[int, int]:
    """The same matching, but of equal neighbours the later ones are those without a partner: a copy stands behind what it copies.

    partners: position in `tokens` → its partner.
    """
    at = 0
    while at < len(tokens):
        if at in partners:
            at += 1
            continue
        end = at
        while end < len(tokens) and end not in partners:
            end += 1
        # The run at:end has no partner; while what follows equals one of its elements, that one takes over the partner.
        while end < len(tokens) and end in partners:
            equal = next((place for place in range(max(at, end - MAX_SLIDE), end) if tokens[place] == tokens[end]), None)
            if equal is None:
                break
            partners[equal] = partners.pop(end)
            at, end = equal + 1, end + 1
        at = end
    return partners


def _moved_and_changed(rows: Sequence[int], columns: Sequence[int], similarity: Callable[[int, int], float]) -> list[Pair]:
    """What neither stayed in its place nor stayed equal, but is so similar that it is the same; the most similar first."""
    if not rows or not columns or len(rows) * len(columns) > MAX_GAP_CELLS:
        return []
    scored = sorted((-score, i, j) for i in rows for j in columns if (score := similarity(i, j)) >= MOVED_SIMILARITY)
    out: list[Pair] = []
    used_rows: set[int] = set()
    used_columns: set[int] = set()
    for _, i, j in scored:
        if i not in used_rows and j not in used_columns:
            out.append((i, j))
            used_rows.add(i)
            used_columns.add(j)
    return out


def _anchor(
    left: Sequence[Hashable],
    right: Sequence[Hashable],
    left_from: int,
    left_to: int,
    right_from: int,
    right_to: int,
    pairs: list[Pair],
    gaps: list[tuple[int, int, int, int]],
) -> None:
    work = [(left_from, left_to, right_from, right_to)]
    while work:
        a, b, c, d = work.pop()
        while a < b and c < d and left[a] == right[c]:
            pairs.append((a, c))
            a, c = a + 1, c + 1
        while a < b and c < d and left[b - 1] == right[d - 1]:
            b, d = b - 1, d - 1
            pairs.append((b, d))
        if a == b or c == d:
            if a != b or c != d:
                gaps.append((a, b, c, d))
            continue
        anchors = _unique_matches(left, right, a, b, c, d)
        if not anchors:
            gaps.append((a, b, c, d))
            continue
        previous_i, previous_j = a, c
        for i, j in anchors:
            work.append((previous_i, i, previous_j, j))
            pairs.append((i, j))
            previous_i, previous_j = i + 1, j + 1
        work.append((previous_i, b, previous_j, d))
    gaps.sort()


def _unique_matches(left: Sequence[Hashable], right: Sequence[Hashable], a: int, b: int, c: int, d: int) -> list[Pair]:
    where_left: dict[Hashable, int] = {}
    for i in range(a, b):
        where_left[left[i]] = -1 if left[i] in where_left else i
    where_right: dict[Hashable, int] = {}
    for j in range(c, d):
        where_right[right[j]] = -1 if right[j] in where_right else j
    matches = [(i, j) for token, i in where_left.items() if i >= 0 and (j := where_right.get(token, -1)) >= 0]
    return [matches[position] for position in longest_increasing([j for _, j in matches])]


def _moves(left: Sequence[Hashable], right: Sequence[Hashable], gaps: Sequence[tuple[int, int, int, int]]) -> list[Pair]:
    """Equal elements in different gaps (or crossed in one), in order of appearance."""
    waiting: dict[Hashable, list[int]] = {}
    for _, _, c, d in gaps:
        for j in range(c, d):
            waiting.setdefault(right[j], []).append(j)
    for places in waiting.values():
        places.reverse()
    out: list[Pair] = []
    for a, b, c, d in gaps:
        for i in range(a, b):
            places = waiting.get(left[i], [])
            same_gap = [j for j in places if c <= j < d]
            if same_gap:
                out.append((i, same_gap[-1]))
                places.remove(same_gap[-1])
    taken = {i for i, _ in out}
    for a, b, _, _ in gaps:
        rest = [i for i in range(a, b) if i not in taken]
        out.extend((i, waiting[left[i]].pop()) for i in rest if waiting.get(left[i]))
    return out


def _match_gap(
    rows: Sequence[int],
    columns: Sequence[int],
    similarity: Callable[[int, int], float],
    left_kinds: Sequence[str],
    right_kinds: Sequence[str],
) -> list[Pair]:
    if not rows or not columns:
        return []
    if len(rows) * len(columns) > MAX_GAP_CELLS:
        return [(i, j) for i, j in zip(rows, columns, strict=False) if left_kinds[i] == right_kinds[j]]
    pairs = _best_monotone(rows, columns, similarity)
    out = list(pairs)
    row_at = {i: n for n, i in enumerate(rows)}
    column_at = {j: n for n, j in enumerate(columns)}
    bounds = [(-1, -1), *((row_at[i], column_at[j]) for i, j in pairs), (len(rows), len(columns))]
    for (row, column), (next_row, next_column) in itertools.pairwise(bounds):
        left_rest, right_rest = rows[row + 1 : next_row], columns[column + 1 : next_column]
        if [left_kinds[i] for i in left_rest] == [right_kinds[j] for j in right_rest]:
            out += zip(left_rest, right_rest, strict=True)
    return out


def _best_monotone(rows: Sequence[int], columns: Sequence[int], similarity: Callable[[int, int], float]) -> list[Pair]:
    """The order-preserving matching of greatest total similarity, pairs below the threshold left out."""
    height, width = len(rows), len(columns)
    scores = [[similarity(i, j) for j in columns] for i in rows]
    best = [[0.0] * (width + 1) for _ in range(height + 1)]
    for r in range(height - 1, -1, -1):
        for c in range(width - 1, -1, -1):
            take = scores[r][c] + best[r + 1][c + 1] if scores[r][c] >= MIN_SIMILARITY else -1.0
            best[r][c] = max(take, best[r + 1][c], best[r][c + 1])
    out: list[Pair] = []
    r = c = 0
    while r < height and c < width:
        score = scores[r][c]
        if score >= MIN_SIMILARITY and best[r][c] == score + best[r + 1][c + 1]:
            out.append((rows[r], columns[c]))
            r, c = r + 1, c + 1
        elif best[r][c] == best[r + 1][c]:
            r += 1
        else:
            c += 1
    return out
