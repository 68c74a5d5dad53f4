"""From outcomes of criteria to the score and status of groups and of the whole.

A score is an interval: what could not be scored counts with its worst and its best, never as 0. Arithmetic is exact.

| aggregate | score of an inner node, from its children (C the critical, N the other scores) |
|---|---|
| `all` | 1 where every child is 1, else 0 |
| `ppteval` | both kinds of child: max(0, mean(C) - λ (1 - mean(N))), λ = 0.3 unless `penalty` says otherwise; otherwise the mean |
| `mind2web2` | a critical child is 0: 0; all critical are 1: mean(N), or 1 without N; otherwise the mean of all |
| `weighted` | the mean by weight |

Children that are not applicable are left out; a node whose children are all left out is left out itself. Gates multiply the
total where what they name does not hold. Every group and the total get a reason, made by templates.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from docops.core.codes import FindingCode, Outcome
from docops.core.verdict import CriterionResult, GateResult, GroupResult, Status
from docops.verifier import Aggregate, GateSpec, VerifierSpec

#: Penalty of `ppteval` (λ) for what the other children miss, where the verifier names none.
PENALTY = Fraction(3, 10)


@dataclass(frozen=True, slots=True)
class Score:
    """Bounds of a score, 0 to 1; equal where everything was scored."""

    low: Fraction
    high: Fraction


ZERO, ONE = Fraction(0), Fraction(1)
OPEN = Score(ZERO, ONE)


@dataclass(frozen=True, slots=True)
class Child:
    """A scored child of an inner node."""

    score: Score
    critical: bool = False
    weight: Fraction = ONE


@dataclass(frozen=True, slots=True)
class Part:
    """A child as the reasons speak of it; `score` is None where it does not apply, `message` tells why it is not 1."""

    id: str
    title: str
    score: Score | None
    critical: bool
    weight: Fraction
    message: str
    leaf: bool = True


def children_of(parts: Sequence[Part]) -> list[Child]:
    """The parts that count."""
    return [Child(part.score, part.critical, part.weight) for part in parts if part.score is not None]


def exact(value: float) -> Fraction:
    """The decimal number that a float prints as (0.7 is 7/10)."""
    return Fraction(repr(value))


def leaf_score(outcome: Outcome, score: float | None) -> Score | None:
    """The score of a criterion; None where it is not applicable and left out."""
    if outcome is Outcome.NOT_APPLICABLE:
        return None
    if outcome is Outcome.ERROR or score is None:
        return OPEN
    value = exact(score)
    return Score(value, value)


def aggregate_children(aggregate: Aggregate, children: Sequence[Child], penalty: Fraction = PENALTY) -> Score | None:
    """The score of an inner node; None without children.

    penalty: λ of `ppteval`.
    """
    if not children:
        return None
    if aggregate is Aggregate.ALL:
        return Score(
            ONE if all(child.score.low == 1 for child in children) else ZERO,
            ONE if all(child.score.high == 1 for child in children) else ZERO,
        )
    if aggregate is Aggregate.WEIGHTED:
        total = sum((child.weight for child in children), ZERO)
        return Score(
            sum((child.weight * child.score.low for child in children), ZERO) / total,
            sum((child.weight * child.score.high for child in children), ZERO) / total,
        )
    critical = [child.score for child in children if child.critical]
    others = [child.score for child in children if not child.critical]
    if aggregate is Aggregate.PPTEVAL:
        return Score(
            _penalised([s.low for s in critical], [s.low for s in others], penalty),
            _penalised([s.high for s in critical], [s.high for s in others], penalty),
        )
    return Score(_mind2web2_low(critical, others), _mind2web2_high(critical, others))


def _mean(values: Sequence[Fraction]) -> Fraction:
    return sum(values, ZERO) / len(values)


def _penalised(critical: Sequence[Fraction], others: Sequence[Fraction], penalty: Fraction) -> Fraction:
    if critical and others:
        return max(ZERO, _mean(critical) - penalty * (1 - _mean(others)))
    return _mean([*critical, *others])


def _mind2web2_low(critical: Sequence[Score], others: Sequence[Score]) -> Fraction:
    """The least value over the box of intervals; the rule is not monotone where the critical children reach 1."""
    if any(score.low == 0 for score in critical):
        return ZERO
    lows = [score.low for score in others]
    candidates = []
    if not critical or any(score.low < 1 for score in critical):
        candidates.append(_mean([*(score.low for score in critical), *lows]))
    if critical and all(score.high == 1 for score in critical):
        candidates.append(_mean(lows) if lows else ONE)
    return min(candidates)


def _mind2web2_high(critical: Sequence[Score], others: Sequence[Score]) -> Fraction:
    """The least upper bound over the box; just below 1 a critical child counts in the mean, at 1 it only opens the gate."""
    if any(score.high == 0 for score in critical):
        return ZERO
    highs = [score.high for score in others]
    candidates = []
    if not critical or any(score.low < 1 for score in critical):
        candidates.append(_mean([*(score.high for score in critical), *highs]))
    if critical and all(score.high == 1 for score in critical):
        candidates.append(_mean(highs) if highs else ONE)
    return max(candidates)


#: Reasons for which a criterion that does not apply is not left out but open: somebody else could have scored it.
_UNSCORED = frozenset({FindingCode.MODEL_UNAVAILABLE, FindingCode.PICTURES_UNAVAILABLE, FindingCode.CODE_NOT_ALLOWED})


@dataclass(frozen=True, slots=True)
class TreeScore:
    """What the results of criteria make of the whole: status, bounds, groups, gates, and why."""

    status: Status
    interval: tuple[float, float]
    groups: tuple[GroupResult, ...]
    gates: tuple[GateResult, ...]
    reason: str


def score_tree(verifier: VerifierSpec, results: Sequence[CriterionResult], *, count_implied: bool = True) -> TreeScore:
    """Status, bounds, groups, gates and reasons of the whole.

    What must hold without being asked (`implied` results) is no part of the tree while it holds; what of it does not hold counts
    as a critical child of the root, so that it lowers the total and cannot raise it. What a gate names counts in no mean: it
    multiplies the total. The status is `passed` where the low end is 1, `failed` where the high end is below 1 or nothing that was
    asked was applicable, and else `error`.
    count_implied: False leaves the implied results out.
    """
    groups = {group.id: group for group in verifier.groups}
    penalty = exact(verifier.penalty)
    gated = {member for gate in verifier.gates for member in gate.of}
    parts: dict[str, list[Part]] = {group_id: [] for group_id in ("", *groups)}
    unasked: list[Part] = []
    known: dict[str, Part] = {}

    def place(part: Part, among: list[Part]) -> None:
        known[part.id] = part
        if part.id not in gated:
            among.append(part)

    for result in results:
        score = leaf_score(result.outcome, result.score)
        if result.reason_code in _UNSCORED:
            score = OPEN
        part = Part(result.id, result.title or result.id, score, result.critical, exact(result.weight), result.message)
        if not result.implied:
            place(part, parts[_parent(result.id, groups)])
        elif count_implied or result.id in gated:
            place(part, unasked)
    group_results: dict[str, GroupResult] = {}
    for group_id in sorted(groups, key=lambda name: (-name.count("."), name)):
        group = groups[group_id]
        score = aggregate_children(verifier.aggregate, children_of(parts[group_id]), penalty)
        title = group.title or group_id
        reason = explain(verifier.aggregate, parts[group_id], score, penalty)
        group_results[group_id] = GroupResult(group_id, group.title, group.critical, *_group_result(score), reason, group.weight)
        part = Part(group_id, title, score, group.critical, exact(group.weight), reason, leaf=False)
        place(part, parts[_parent(group_id, groups)])
    total, reason = _total(verifier.aggregate, parts[""], unasked, penalty)
    asked = gated.difference(result.id for result in results if result.implied)
    if total is None and any(known[member].score is not None for member in asked if member in known):
        total = Score(ONE, ONE)
    gates = []
    for gate in verifier.gates:
        factor, gate_result = _gate(gate, [known[member] for member in gate.of if member in known])
        gates.append(gate_result)
        if total is not None and factor is not None:
            total = Score(total.low * factor.low, total.high * factor.high)
    reason = " ".join([reason, *(gate.reason for gate in gates if gate.outcome in (Outcome.FAILED, Outcome.ERROR))]).strip()
    ordered = tuple(group_results[group.id] for group in verifier.groups)
    if total is None:
        return TreeScore(Status.FAILED, (0.0, 0.0), ordered, tuple(gates), "Nothing that was asked applies.")
    status = Status.PASSED if total.low == 1 else Status.FAILED if total.high < 1 else Status.ERROR
    return TreeScore(status, (_number(total.low), _number(total.high)), ordered, tuple(gates), reason)


def _total(aggregate: Aggregate, asked: Sequence[Part], unasked: Sequence[Part], penalty: Fraction) -> tuple[Score | None, str]:
    """The bounds of the root and why: the worst with all that may be broken of what nobody asked for, the best with what surely is."""
    broken = [part for part in unasked if part.score is not None and part.score.high < 1]
    undecided = [part for part in unasked if part.score is not None and part.score.low < 1 <= part.score.high]
    best = aggregate_children(aggregate, children_of([*asked, *broken]), penalty)
    if best is None:
        return None, explain(aggregate, asked, None, penalty)
    lost = [Child(Score(ZERO, ZERO), critical=True) for _ in undecided]
    worst = aggregate_children(aggregate, [*children_of([*asked, *broken]), *lost], penalty) or best
    total = Score(min(worst.low, best.low), best.high)
    return total, explain(aggregate, [*asked, *broken, *undecided], total, penalty)


def _number(score: Fraction) -> float:
    """The nearest float; what is below 1 stays below it."""
    return float(score) if score == 1 else min(float(score), math.nextafter(1.0, 0.0))


def _gate(gate: GateSpec, members: Sequence[Part]) -> tuple[Score | None, GateResult]:
    """The bounds of a gate's factor, None where none of its members applies, and what became of it."""
    applicable = [part for part in members if part.score is not None]
    low = exact(gate.multiply)
    broken = [part for part in applicable if part.score is not None and part.score.high < 1]
    undecided = [part for part in applicable if part.score is not None and part.score.low < 1 <= part.score.high]
    effect = "the total is set to 0" if low == 0 else f"the total is multiplied by {gate.multiply:g}"
    name = f"“{gate.title or gate.id}”"
    if not applicable:
        return None, GateResult(gate.id, gate.title, Outcome.NOT_APPLICABLE, None, f"The gate {name} does not apply.", gate.of)
    if broken:
        why = f"The gate {name} does not hold, so {effect}: {listed(broken)}."
        return Score(low, low), GateResult(gate.id, gate.title, Outcome.FAILED, gate.multiply, why, gate.of)
    if undecided:
        why = f"Whether the gate {name} holds is open (otherwise {effect}): {listed(undecided)}."
        return Score(low, ONE), GateResult(gate.id, gate.title, Outcome.ERROR, None, why, gate.of)
    return Score(ONE, ONE), GateResult(gate.id, gate.title, Outcome.PASSED, 1.0, f"The gate {name} holds.", gate.of)


def _group_result(score: Score | None) -> tuple[float | None, Outcome]:
    if score is None:
        return None, Outcome.NOT_APPLICABLE
    if score.low != score.high:
        return None, Outcome.ERROR if score.high == 1 else Outcome.FAILED
    return _number(score.low), Outcome.PASSED if score.low == 1 else Outcome.FAILED


# Reasons

MAX_NAMED = 3
MAX_TERMS = 6


def listed(parts: Sequence[Part]) -> str:
    """The first parts with what is wrong with them, and the number of the rest."""
    texts = []
    for part in parts[:MAX_NAMED]:
        partial = part.score is not None and part.score.low == part.score.high and 0 < part.score.low < 1
        score = f" scores {float(part.score.low):.4g}" if partial and part.score is not None else ""
        message = f" ({part.message.rstrip('.')})" if part.message and part.leaf else ""
        texts.append(f"“{part.title}”{score}{message}")
    rest = len(parts) - MAX_NAMED
    return "; ".join(texts) + (f"; and {rest} more" if rest > 0 else "")


def explain(aggregate: Aggregate, parts: Sequence[Part], score: Score | None, penalty: Fraction) -> str:
    """Why an inner node scores what it scores, in plain language."""
    scored = [(part, part.score) for part in parts if part.score is not None]
    left_out = len(parts) - len(scored)
    if not scored or score is None:
        return "Nothing in it applies." if parts else ""
    if len(parts) == 1 and not parts[0].leaf:
        return parts[0].message
    held = [part for part, value in scored if value.low == 1]
    missed = [part for part, value in scored if value.high < 1]
    undecided = [part for part, value in scored if value.low < 1 <= value.high]
    count = len(scored)
    if len(held) == count:
        sentences = ["It holds." if count == 1 else f"All {count} parts hold."]
    else:
        sentences = []
        if missed:
            sentences.append(f"{_counted(len(missed), count)} not hold fully: {listed(missed)}.")
        if undecided:
            sentences.append(f"{len(undecided)} of {count} could not be decided: {listed(undecided)}.")
        if count > 1:
            sentences.append(_rule(aggregate, scored, score, penalty))
    if left_out:
        sentences.append(f"{left_out} {'does' if left_out == 1 else 'do'} not apply and {'is' if left_out == 1 else 'are'} left out.")
    return " ".join(sentence for sentence in sentences if sentence)


def _counted(number: int, count: int) -> str:
    """`1 of 3 parts does`, `The only part does`."""
    if count == 1:
        return "The only part does"
    return f"{number} of {count} parts {'does' if number == 1 else 'do'}"


def _rule(aggregate: Aggregate, scored: Sequence[tuple[Part, Score]], score: Score, penalty: Fraction) -> str:
    """How the parts make the score, with the numbers; where something is open, the bounds."""
    if score.low != score.high:
        return f"The score lies between {float(score.low):.4g} and {float(score.high):.4g}."
    critical = [value.low for part, value in scored if part.critical]
    others = [value.low for part, value in scored if not part.critical]
    value = f"{float(score.low):.4g}"
    if aggregate is Aggregate.ALL:
        return "Every part must hold."
    if aggregate is Aggregate.WEIGHTED:
        return f"The mean by weight is {value}{_sum_by_weight(scored)}."
    if aggregate is Aggregate.PPTEVAL and critical and others:
        lost = penalty * (1 - _mean(others))
        return f"The critical parts average {float(_mean(critical)):.4g}; what the others miss takes {float(lost):.4g} off, which leaves {value}."
    if aggregate is Aggregate.MIND2WEB2 and critical:
        if any(number == 0 for number in critical):
            return "A critical part scores 0, so nothing else counts."
        if all(number == 1 for number in critical):
            return f"The critical parts hold, so the others decide: {value}."
    return f"The mean is {value}."


def _sum_by_weight(scored: Sequence[tuple[Part, Score]]) -> str:
    """The sum that a mean by weight is made of, where weights differ and it is short enough to read."""
    weights = [part.weight for part, _ in scored]
    if len(set(weights)) == 1 or len(scored) > MAX_TERMS:
        return ""
    terms = " + ".join(f"{float(part.weight):g} × {float(value.low):.4g}" for part, value in scored)
    return f" = ({terms}) / {float(sum(weights, ZERO)):g}"


def _parent(identifier: str, groups: Mapping[str, object]) -> str:
    """The nearest group above a dotted id; "" is the root."""
    parent = identifier.rpartition(".")[0]
    while parent and parent not in groups:
        parent = parent.rpartition(".")[0]
    return parent
