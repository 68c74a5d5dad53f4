"""What the caller of a verification allows and configures; nothing of it comes from a bundle."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

#: Answers a question of a rubric's leaf to a model, or None where it cannot.
AskModel = Callable[[Mapping[str, Any]], str | None]


@dataclass(frozen=True, slots=True)
class Options:
    """The options of a verification.

    allow_code: run the Python code that a bundle's rubric holds, confined.
    ppteval_diff: `faithful` (as PPT-Eval compares, its faults included) or `semantic` (on docops's facts).
    strict_ppteval: one leaf that raises scores the whole task 0, as in PPT-Eval.
    leaf_seconds: time limit of one leaf.
    ask: answers questions of leaves to a model; None: there is none.
    judge: answers the questions of the predicate `judge`; None: there is none.   judge_name: what the verdict calls it.
    """

    allow_code: bool = False
    ppteval_diff: str = "faithful"
    strict_ppteval: bool = False
    leaf_seconds: float = 60.0
    ask: AskModel | None = None
    judge: Callable[[str], str | None] | None = None
    judge_name: str = ""


DEFAULTS = Options()
