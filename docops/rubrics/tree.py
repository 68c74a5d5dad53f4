"""Rubric files of PPT-Eval: a tree of named nodes with Python scorers at its leaves, read as data and never executed here."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docops.core.errors import Problem
from docops.reading import read_json
from docops.shape import child, show

#: Deepest tree that is read.
MAX_DEPTH = 40


@dataclass(frozen=True, slots=True)
class Leaf:
    """A leaf: id (dotted, from the names), name, whether critical, the source text of its scorer."""

    id: str
    name: str
    critical: bool
    code: str


@dataclass(frozen=True, slots=True)
class Parent:
    """An inner node."""

    id: str
    name: str
    critical: bool


@dataclass(frozen=True, slots=True)
class Rubric:
    """A rubric: its inner nodes and leaves, top down; stored scores, reasons and weights of the file are not read."""

    parents: tuple[Parent, ...]
    leaves: tuple[Leaf, ...]
    task: str


#: What a scorer of type `llm` does, as a scorer in Python; a judge's answer is JSON, fenced or not, or has a line with the score.
_ASKING = """\
def compute_score():
    import json
    import re
    names = ("ppt_diff", "original_ppt_path", "modified_ppt_path", "original_ppt_screenshots", "modified_ppt_screenshots", "llm_call", "vlm_call")
    given = {{name: globals()[name] for name in names}}
    answer = llm_call("\\n\\n".join(prompt.format(**given) for prompt in ({system!r}, {user!r})), temperature=0.3)
    fenced = re.search(r"```(?:json)?\\s*(.*?)\\s*```", answer, re.DOTALL | re.IGNORECASE)
    try:
        told = json.loads(fenced[1] if fenced else answer)
        return str(told["reason"]), float(told["score"])
    except (ValueError, KeyError, TypeError):
        score = re.search(r"^\\s*score:\\s*([0-9.]+)\\s*$", answer, re.MULTILINE | re.IGNORECASE)
        if score is None:
            raise ValueError(f"the model tells no score: {{answer[:200]}}") from None
        return answer.strip(), float(score[1])
"""
_PROMPTS = ("system_prompt", "user_prompt")


def slug(name: str) -> str:
    """A name as a part of an id: letters, digits and hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:80] or "node"


def walk(root: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """(id, node) of every node, top down; an id is made of the names from the root, told apart by a number where they repeat."""
    stack: list[tuple[str, Mapping[str, Any]]] = [(slug(str(root.get("name", ""))), root)]
    while stack:
        identity, node = stack.pop()
        yield identity, node
        taken: set[str] = set()
        below = []
        children = node.get("children")
        for entry in children if isinstance(children, list) and identity.count(".") < MAX_DEPTH else []:
            if isinstance(entry, Mapping):
                base = name = slug(str(entry.get("name", "")))
                number = 1
                while name in taken:
                    number += 1
                    name = f"{base}-{number}"
                taken.add(name)
                below.append((f"{identity}.{name}", entry))
        stack += reversed(below)


def leaf_ids(root: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """(id, node) of every leaf, top down."""
    for identity, node in walk(root):
        if not node.get("children"):
            yield identity, node


def read_rubric(path: Path, file: str, problems: list[Problem]) -> Rubric | None:
    """The rubric in a file, or None; everything that is wrong is added to `problems`."""
    raw = read_json(path, file, problems)
    if raw is None:
        return None
    before = len(problems)
    root = raw.get("root")
    if not isinstance(root, Mapping):
        problems.append(Problem(file, "$.root", "is missing (a node)" if root is None else f"expected a node, found {show(root)}"))
        return None
    _check(root, "$.root", file, problems, 0)
    if len(problems) > before:
        return None
    parents, leaves = [], []
    for identity, node in walk(root):
        name, critical = str(node["name"]), node.get("is_critical") is True
        if node.get("children"):
            parents.append(Parent(identity, name, critical))
        else:
            leaves.append(Leaf(identity, name, critical, _code(node["scorer"])))
    metadata = raw.get("metadata")
    task = metadata.get("task", "") if isinstance(metadata, Mapping) else ""
    return Rubric(tuple(parents), tuple(leaves), str(task))


def _code(scorer: Mapping[str, Any]) -> str:
    if scorer["type"] == "llm":
        return _ASKING.format(system=scorer["system_prompt"], user=scorer["user_prompt"])
    return str(scorer["function_code"])


def _check(node: Any, path: str, file: str, problems: list[Problem], depth: int) -> None:
    if not isinstance(node, Mapping):
        problems.append(Problem(file, path, f"expected a node, found {show(node)}"))
        return
    if depth > MAX_DEPTH:
        problems.append(Problem(file, path, f"the tree is deeper than {MAX_DEPTH}"))
        return
    if not isinstance(node.get("name"), str):
        problems.append(Problem(file, child(path, "name"), "is missing (text)"))
    if not isinstance(node.get("is_critical"), (bool, type(None))):
        problems.append(Problem(file, child(path, "is_critical"), f"expected true or false, found {show(node['is_critical'])}"))
    children = node.get("children")
    if children:
        if not isinstance(children, list):
            problems.append(Problem(file, child(path, "children"), f"expected a list, found {show(children)}"))
            return
        for index, entry in enumerate(children):
            _check(entry, f"{path}.children[{index}]", file, problems, depth + 1)
        return
    scorer = node.get("scorer")
    kind = scorer.get("type") if isinstance(scorer, Mapping) else None
    if not isinstance(scorer, Mapping):
        problems.append(Problem(file, path, "a node has children or a scorer"))
    elif kind == "llm":
        missing = [name for name in _PROMPTS if not isinstance(scorer.get(name), str)]
        problems.extend(Problem(file, f"{path}.scorer.{name}", "is missing (text)") for name in missing)
    elif kind != "function":
        problems.append(Problem(file, f"{path}.scorer.type", f"scorers of type {show(kind)} are not known; known: 'function', 'llm'"))
    elif not isinstance(scorer.get("function_code"), str):
        problems.append(Problem(file, f"{path}.scorer.function_code", "is missing (text)"))
