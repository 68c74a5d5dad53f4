"""Anchors on wording that must be said, not only stored: `anchor.all_of`, `any_of`, `at_least_k`, `near`, `clean_text`."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from docops.core.codes import Family, FindingCode
from docops.core.errors import NotApplicable
from docops.core.predicate import Context, Evidence, Example, Finding, Predicate, Target, predicate
from docops.families.anchors import Passage, Profile, check_texts, everywhere, excerpt, missing_place, passages
from docops.families.locales import lexicon
from docops.families.lookalikes import attacks, skeleton
from docops.families.negation import sentence_around
from docops.families.occurrence import Form, Hit, hits, listed_places
from docops.families.samples import letter
from docops.families.statements import row_key
from docops.families.text_profiles import normalise

Polarity = Literal["affirmed", "negated", "any"]
AT = "letter.docx"


def check_language(parameters: Mapping[str, Any]) -> list[str]:
    """Why the `language` is none that is known."""
    try:
        lexicon(parameters.get("language") or "en")
    except ValueError as error:
        return [str(error)]
    return []


def _check(parameters: Mapping[str, Any]) -> list[str]:
    problems = check_texts(parameters) + check_language(parameters)
    texts = parameters.get("texts", ())
    least = parameters.get("k")
    if least is not None and not 1 <= least <= len(texts):
        problems.append(f"k = {least}: must be from 1 to the number of texts, {len(texts)}")
    problems += [f"variants of {name!r}, which is none of the texts" for name in parameters.get("variants") or {} if name not in texts]
    return problems


def _good(hit: Hit, polarity: Polarity) -> bool:
    if polarity == "any":
        return hit.form not in (Form.LISTED, Form.REPEATED, Form.QUOTED)
    return hit.form is (Form.STATED if polarity == "affirmed" else Form.NEGATED)


def _said(
    found: Sequence[Passage], wanted: str, variants: Sequence[str], others: Sequence[str], profile: str, language: str, polarity: Polarity, listed: Mapping[int, Sequence[tuple[int, int]]]
) -> tuple[Hit | None, Hit | None]:
    """The first occurrence that says the wording, and the first that has it in another form."""
    bad: Hit | None = None
    for hit in hits(found, [wanted, *variants], profile, language, others, listed=listed):
        if _good(hit, polarity):
            return hit, bad
        bad = bad or hit
    return None, bad


def _not_said(context: Context, target: Target, wanted: str, bad: Hit | None, profile: str) -> Finding:
    """Why a wording is not said: the form it has, or where else it stands."""
    if bad is not None:
        place = target.place(bad.passage.address)
        return Finding(FindingCode.MISMATCH, place, wanted, str(bad.form), f"{wanted!r} stands there {bad.form}: {excerpt(bad.text, wanted)!r}")
    for passage in passages(everywhere(target), visible=False, context=context):
        if list(hits([passage], [wanted], profile, "en", context=False)):
            code = FindingCode.HIDDEN_TEXT if passage.hidden_by else FindingCode.MISSING
            why = passage.hidden_by or "in another place or role"
            return Finding(code, target.place(), wanted, why, f"{wanted!r} stands at {target.place(passage.address)} only: {why}")
    look = skeleton(normalise(wanted, profile))
    for passage in passages(target, visible=True, context=context):
        if look.strip() and look in skeleton(normalise(passage.text, profile)):
            return Finding(FindingCode.MISMATCH, target.place(passage.address), wanted, "look-alike letters", f"{wanted!r} is imitated with letters of other scripts")
    return Finding(FindingCode.MISSING, target.place(), wanted, None, f"{wanted!r} is not there")


def _at_least(
    context: Context, at: str, texts: Sequence[str], variants: Mapping[str, Sequence[str]], least: int, profile: str, language: str, polarity: Polarity
) -> Iterator[Finding | Evidence]:
    target = context.target(at)
    absent = missing_place(target)
    if absent is not None:
        yield absent
        return
    found = passages(target, visible=True, context=context)
    listed = listed_places(found, texts, profile, target)
    failures: list[Finding] = []
    unsure = 0
    said = 0
    for wanted in texts:
        good, bad = _said(found, wanted, variants.get(wanted, ()), texts, profile, language, polarity, listed)
        if good is not None:
            said += 1
            yield Evidence(target.place(good.passage.address), excerpt(good.text, wanted))
            continue
        unsure += bad is not None and bad.form is Form.UNSURE
        failures.append(_not_said(context, target, wanted, bad, profile))
    if said >= least:
        return
    if said + unsure >= least:
        raise NotApplicable("whether the text affirms the wording is beyond the rules for negation: " + "; ".join(f.message for f in failures))
    if len(texts) > 1 and least < len(texts):
        yield Finding(FindingCode.WRONG_COUNT, target.place(), f"{least} of {len(texts)}", said, f"{said} of the texts are said, {least} must be")
    yield from failures


@predicate(
    "anchor.all_of",
    family=Family.ANCHOR,
    validate=_check,
    examples=(
        Example("both are said", letter("A waiting period applies.", "We pay dental care."), {"at": AT, "texts": ["waiting period", "dental care"]}, True),
        Example("one is negated", letter("No waiting period applies."), {"at": AT, "texts": ["waiting period"]}, FindingCode.MISMATCH),
        Example("a bare list of words", letter("waiting period, dental care, deductible"), {"at": AT, "texts": ["waiting period", "dental care", "deductible"]}, FindingCode.MISMATCH),
        Example("only as an example", letter('For example, write "waiting period" here.'), {"at": AT, "texts": ["waiting period"]}, FindingCode.MISMATCH),
        Example("no reader sees it", letter("Dear", hidden="A waiting period applies."), {"at": AT, "texts": ["waiting period"]}, FindingCode.HIDDEN_TEXT),
        Example("in a listed variant", letter("Two policies apply."), {"at": AT, "texts": ["policy"], "variants": {"policy": ["policies"]}}, True),
    ),
)  # fmt: skip
def all_of(
    context: Context, *, at: str, texts: Sequence[str], variants: Mapping[str, Sequence[str]] | None = None, profile: Profile = "typographic", language: str = "en", polarity: Polarity = "affirmed"
) -> Iterator[Finding | Evidence]:
    """Every text is said at the place, where a reader sees it.

    at: the place, or an artifact.
    texts: what must be said, each in one paragraph, cell or line, as whole words and whole numbers.
    variants: other forms of a text that will do as well (`{ policy = ["policies"] }`).
    profile: which differences of typography do not count.
    language: whose rules of negation apply (en, de, fr, zh, ja, ar, he).
    polarity: `affirmed` (default): a text that the sentence negates does not count; `negated`: only such; `any`.

    A bare list of the texts, one that is repeated over and over, and one that is quoted as an example do not count; the
    finding says which form was met. Not applicable where only occurrences stand whose meaning the rules cannot tell.
    """
    yield from _at_least(context, at, texts, variants or {}, len(texts), profile, language, polarity)


@predicate(
    "anchor.any_of",
    family=Family.ANCHOR,
    validate=_check,
    examples=(
        Example("one is said", letter("We refund the fee."), {"at": AT, "texts": ["refund", "reimburse"]}, True),
        Example("none is said", letter("We keep the fee."), {"at": AT, "texts": ["refund", "reimburse"]}, FindingCode.MISSING),
        Example("only negated", letter("We never refund the fee."), {"at": AT, "texts": ["refund", "reimburse"]}, FindingCode.MISMATCH),
    ),
)
def any_of(
    context: Context, *, at: str, texts: Sequence[str], profile: Profile = "typographic", language: str = "en", polarity: Polarity = "affirmed"
) -> Iterator[Finding | Evidence]:
    """At least one of the texts is said at the place; see `anchor.all_of` for what counts.

    at: the place, or an artifact.   texts: ways to say the same.   profile, language, polarity: as in `anchor.all_of`.
    """
    yield from _at_least(context, at, texts, {}, 1, profile, language, polarity)


@predicate(
    "anchor.at_least_k",
    family=Family.ANCHOR,
    validate=_check,
    examples=(
        Example("two of three", letter("Fire is covered.", "Theft is covered."), {"at": AT, "texts": ["Fire", "Theft", "Flood"], "k": 2}, True),
        Example("one of three", letter("Fire is covered."), {"at": AT, "texts": ["Fire", "Theft", "Flood"], "k": 2}, FindingCode.WRONG_COUNT),
    ),
)
def at_least_k(
    context: Context, *, at: str, texts: Sequence[str], k: int, profile: Profile = "typographic", language: str = "en", polarity: Polarity = "affirmed"
) -> Iterator[Finding | Evidence]:
    """At least `k` different texts of the list are said at the place; see `anchor.all_of` for what counts.

    at: the place, or an artifact.   texts: the list.   k: how many of them.   profile, language, polarity: as in `anchor.all_of`.
    """
    yield from _at_least(context, at, texts, {}, k, profile, language, polarity)


@predicate(
    "anchor.near",
    family=Family.ANCHOR,
    validate=_check,
    examples=(
        Example("in one sentence", letter("Dental care has a waiting period."), {"at": AT, "texts": ["dental care", "waiting period"], "profile": "loose"}, True),
        Example("in two sentences", letter("Dental care is paid. A waiting period applies to glasses."), {"at": AT, "texts": ["Dental care", "waiting period"]}, FindingCode.MISMATCH),
        Example("one is not there", letter("Dental care is paid."), {"at": AT, "texts": ["Dental care", "waiting period"]}, FindingCode.MISSING),
    ),
)  # fmt: skip
def near(
    context: Context, *, at: str, texts: Sequence[str], within: Literal["sentence", "paragraph", "row"] = "sentence", profile: Profile = "typographic"
) -> Iterator[Finding | Evidence]:
    """All texts stand together somewhere at the place: in one sentence, one paragraph or cell, or one table row.

    at: the place, or an artifact.   texts: at least two.   profile: which differences of typography do not count.
    within: `sentence` (default), `paragraph` (a cell, a line, a page of a PDF), `row` of a table or sheet.
    """
    target = context.target(at)
    absent = missing_place(target)
    if absent is not None:
        yield absent
        return
    found = passages(target, visible=True, context=context)
    apart = "typographic" if within == "sentence" and profile == "loose" else profile
    groups: dict[str, list[tuple[Passage, str]]] = {}
    for passage in found:
        key = row_key(passage.address) if within == "row" else passage.address
        groups.setdefault(key, []).append((passage, passage.text))
    seen: set[str] = set()
    for parts in groups.values():
        for unit in _units(" ".join(text for _, text in parts), within, apart):
            here = {wanted for wanted in texts if list(hits([Passage("", unit)], [wanted], profile, "en", context=False))}
            seen |= here
            if len(here) == len(set(texts)):
                yield Evidence(target.place(parts[0][0].address), unit[:160])
                return
    for wanted in texts:
        if wanted not in seen:
            yield _not_said(context, target, wanted, None, profile)
    if len(seen) == len(set(texts)):
        yield Finding(FindingCode.MISMATCH, target.place(), f"in one {within}: {', '.join(texts)}", "apart", f"the texts stand there, but never in one {within}")


def _units(text: str, within: str, profile: str) -> Iterator[str]:
    if within != "sentence":
        yield text
        return
    text = normalise(text, profile)
    at = 0
    while at < len(text):
        _, end = sentence_around(text, at, at)
        yield text[at:end]
        at = max(end, at + 1)


@predicate(
    "anchor.clean_text",
    family=Family.ANCHOR,
    examples=(
        Example("plain text", letter("Price: 5 €, naïve, 等待期, \u05e9\u05dc\u05d5\u05dd"), {"at": AT}, True),
        Example("a Cyrillic letter in a Latin word", letter("The gu\u0430rantee"), {"at": AT}, FindingCode.UNEXPECTED),
        Example("characters without width in a word", letter("gua\u200brantee"), {"at": AT}, FindingCode.UNEXPECTED),
        Example("text turned around", letter("\u202eeetnaraug"), {"at": AT}, FindingCode.UNEXPECTED),
        Example("a flood of marks", letter("a" + "\u0301" * 40), {"at": AT}, FindingCode.UNEXPECTED),
    ),
)
def clean_text(context: Context, *, at: str, allow: Sequence[Literal["look-alikes", "invisible", "bidi", "marks", "private"]] = ()) -> Iterator[Finding | Evidence]:
    """The text holds none of the tricks that make it read otherwise than it is stored.

    at: the place, or an artifact; everything stored there is looked at.
    allow: tricks that may be there: `look-alikes` (a word with letters of several scripts that look the same),
        `invisible` (characters without width inside words, tag characters), `bidi` (overrides, and embeddings that are not
        closed), `marks` (more than 8 combining marks in a row), `private` (characters of private use).
    """
    target = context.target(at)
    absent = missing_place(target)
    if absent is not None:
        yield absent
        return
    found = passages(target, visible=False)
    for passage in found:
        for kind, position, what in attacks(passage.text):
            if kind not in allow:
                shown = "".join(char if char.isprintable() and not unicodedata.combining(char) else f"\\u{ord(char):04x}" for char in passage.text[max(0, position - 20) : position + 20])
                yield Finding(FindingCode.UNEXPECTED, target.place(passage.address), None, shown, f"{what} ({kind})")
    yield Evidence(target.place(), f"{len(found)} passage(s) looked at")


WORDING_PREDICATES: tuple[Predicate, ...] = (all_of, any_of, at_least_k, near, clean_text)
