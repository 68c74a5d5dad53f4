"""Documents in a git repository: what a commit may change in them is declared, and everything else stays."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docops.core.address import Address, parse_address
from docops.core.canonical import sha256
from docops.core.codes import ALL_ASPECTS, Aspect, FindingCode
from docops.core.errors import AddressError, BundleError, Problem, Unreadable, UsageError
from docops.core.predicate import Finding
from docops.engine import open_document, unreadable_finding
from docops.families.preservation import Preserve, ScopeEntry, check_preserved
from docops.reading import parse_toml
from docops.registry import format_name_of, format_named
from docops.shape import check_shape
from docops.verifier import kind_problem

CONFIG = "docops-guard.toml"


@dataclass(frozen=True, slots=True)
class Protect:
    """One rule: patterns of paths, and how strictly they are kept."""

    files: tuple[re.Pattern[str], ...]
    aspects: frozenset[Aspect]
    profile: str
    excepted: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Declaration:
    """One change that is wanted; without places, of the whole document."""

    file: str
    places: tuple[str, ...]
    base: str


@dataclass(frozen=True, slots=True)
class Guarded:
    """One protected document of a commit, and what is wrong with it."""

    path: str
    findings: tuple[Finding, ...]


def guard(folder: Path, files: Sequence[str] = ()) -> list[Guarded]:
    """The protected documents that are staged, with every change that nobody declared.

    folder: in the repository.   files: only these, from the top of the repository.
    `docops-guard.toml` is taken as it is staged, so that a declaration is part of the commit it is for.
    Raises BundleError with everything that is wrong with that file, UsageError where it or the repository is not there.
    """
    top = Path(_git(folder, "rev-parse", "--show-toplevel").decode("utf-8", "surrogateescape").rstrip("\n"))
    rules, declarations = read_config(_staged_config(top))
    found = []
    for before, after in _changes(top):
        if before is None or not format_name_of(before) or (files and before not in files and after not in files):
            continue
        rule = next((rule for rule in rules if any(pattern.fullmatch(before) for pattern in rule.files)), None)
        if rule is not None:
            found.append(Guarded(after or before, tuple(_check(top, before, after, rule, declarations))))
    return found


def _git(folder: Path, *arguments: str) -> bytes:
    try:
        done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, check=False)  # noqa: S603, S607
    except OSError as error:
        raise UsageError(f"git cannot be run: {error.strerror}") from error
    if done.returncode:
        raise UsageError(f"git {arguments[0]}: {done.stderr.decode('utf-8', 'replace').strip()[:300]}")
    return done.stdout


def _staged_config(top: Path) -> str:
    try:
        return _git(top, "cat-file", "blob", f":{CONFIG}").decode("utf-8")
    except UsageError:
        raise UsageError(f"{CONFIG} is not staged or committed at the top of the repository") from None
    except UnicodeDecodeError:
        raise BundleError([Problem(CONFIG, "$", "is not UTF-8")]) from None


def _changes(top: Path) -> Iterator[tuple[str | None, str | None]]:
    """Path before and path after of every staged change; None where there is no such side."""
    try:
        _git(top, "rev-parse", "--verify", "--quiet", "HEAD")
    except UsageError:
        return  # the first commit changes nothing
    fields = iter(_git(top, "diff", "--cached", "--name-status", "-z", "-M", "HEAD").decode("utf-8", "surrogateescape").split("\0"))
    for status in fields:
        if not status:
            continue
        first = next(fields)
        if status[0] in "RC":
            yield (first if status[0] == "R" else None), next(fields)
        else:
            yield (None if status[0] == "A" else first), (None if status[0] == "D" else first)


def _check(top: Path, before: str, after: str | None, rule: Protect, declarations: Sequence[Declaration]) -> Iterator[Finding]:
    original = _git(top, "cat-file", "blob", f"HEAD:{before}")
    digest = sha256(original)
    mine = [entry for entry in declarations if entry.file in (before, after) and digest.startswith(entry.base)]
    if any(not entry.places for entry in mine):
        return
    if after is None:
        yield Finding(FindingCode.ARTIFACT_MISSING, before, "the document", None, "the document is deleted, which nobody declared")
        return
    data = _git(top, "cat-file", "blob", f":{after}")
    if data == original:
        return
    name = format_name_of(before)
    try:
        source = open_document(original, before)
    except Unreadable as error:
        yield Finding(FindingCode.UNEXPECTED_CHANGE, after, digest, sha256(data), f"it changed, and what it was cannot be read: {error.message}")
        return
    try:
        output = open_document(data, after)
    except (Unreadable, UsageError) as error:
        yield unreadable_finding(after, error if isinstance(error, Unreadable) else Unreadable(FindingCode.ARTIFACT_WRONG_TYPE, str(error)))
        return
    if output.format != source.format:
        yield Finding(FindingCode.ARTIFACT_WRONG_TYPE, after, source.format, output.format, "the document is of another format now")
        return
    scope = [ScopeEntry(_place(text, name, CONFIG, "declare")) for entry in mine for text in entry.places]
    aspects = {Aspect(text) for text in rule.excepted if text in set(Aspect)} | (ALL_ASPECTS - rule.aspects)
    places = tuple(_place(text, name, CONFIG, "protect") for text in rule.excepted if text not in set(Aspect))
    yield from check_preserved(after, source, output, format_named(name), scope, Preserve(rule.profile, frozenset(aspects), places))


def _place(text: str, format_name: str, file: str, section: str) -> Address:
    """A place in a document of this format.

    Raises BundleError where it is no address, or of a kind that the format does not have.
    """
    try:
        address = parse_address(text, artifacts=())
        problem = kind_problem(address, format_name)
    except AddressError as error:
        problem, address = str(error), Address(None, ())
    if problem:
        raise BundleError([Problem(file, f"$.{section}", problem)])
    return address


def read_config(text: str) -> tuple[list[Protect], list[Declaration]]:
    """The rules and declarations of a `docops-guard.toml`.

    Raises BundleError with everything that is wrong with it.
    """
    from docops.schemas import guard_schema

    problems: list[Problem] = []
    raw = parse_toml(text, CONFIG, problems)
    if raw is not None:
        problems += [Problem(CONFIG, where, message) for where, message in check_shape(guard_schema(), raw)]
    if raw is None or problems:
        raise BundleError(problems)
    rules = [_rule(entry) for entry in raw["protect"]]
    return rules, [Declaration(entry["file"], tuple(entry.get("places", ())), entry.get("base", "")) for entry in raw.get("declare", ())]


def _rule(entry: Mapping[str, Any]) -> Protect:
    aspects = frozenset(map(Aspect, entry["aspects"])) if "aspects" in entry else ALL_ASPECTS
    return Protect(tuple(map(pattern, entry["files"])), aspects, entry.get("profile", "native"), tuple(entry.get("except", ())))


def pattern(text: str) -> re.Pattern[str]:
    """A pattern of paths: `*` and `?` stay within a folder, `**/` is any depth."""
    pieces = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return re.compile("".join(pieces.get(piece, re.escape(piece)) for piece in re.split(r"(\*\*/|\*\*|\*|\?)", text)), re.DOTALL)


def guard_text(found: Sequence[Guarded]) -> str:
    """What was found, for a terminal."""
    from docops.report.text import finding_lines
    from docops.report.words import counted, plain

    lines = []
    for document in found:
        if document.findings:
            lines.append(f"FAILED  {plain(document.path)}  {counted(len(document.findings), 'undeclared change')}")
            lines += [line for finding in document.findings[:20] for line in finding_lines(finding, "")]
            if len(document.findings) > 20:
                lines.append(f"      … and {len(document.findings) - 20} more")
        else:
            lines.append(f"ok      {plain(document.path)}")
    if any(document.findings for document in found):
        lines += ["", f"What is wanted is declared in {CONFIG} ([[declare]]) and staged with the change."]
    return "".join(f"{line}\n" for line in lines)
