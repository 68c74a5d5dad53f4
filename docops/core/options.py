"""What the caller of a verification allows and configures; nothing of it comes from a bundle."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from docops.core.pictures import Pictures, Renderer


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back to a question.

    text: the answer, or None where there is none; then problem says why.   pictures: how many pictures it was given with.
    """

    text: str | None
    pictures: int = 0
    problem: str = ""


class AsksModel(Protocol):
    """A judge: whatever answers questions, `docops.judges.judge.Judge` or the caller's own."""

    @property
    def name(self) -> str:
        """What the verdict calls it."""

    @property
    def key(self) -> str:
        """What its answers depend on besides the question, as a text."""

    def answer(self, prompt: str, pictures: Sequence[Pictures] = (), *, temperature: float | None = None) -> Answer:
        """The answer to a question.

        temperature: None for the judge's own.   Raises NotApplicable where pictures are needed and cannot be made.
        """


@dataclass(frozen=True, slots=True)
class Options:
    """The options of a verification.

    allow_code: run the Python code that a bundle's rubric holds, confined.
    ppteval_diff: `faithful` (as PPT-Eval compares, its faults included) or `semantic` (on docops's facts).
    strict_ppteval: one leaf that raises scores the whole task 0, as in PPT-Eval.
    leaf_seconds: time limit of one leaf.
    judge: answers the questions of the predicate `judge` and of a rubric's leaves; None: there is none.
    renderer: makes pictures of documents for both; None: there are none.
    """

    allow_code: bool = False
    ppteval_diff: str = "faithful"
    strict_ppteval: bool = False
    leaf_seconds: float = 60.0
    judge: AsksModel | None = None
    renderer: Renderer | None = None

    @property
    def key(self) -> str:
        """What of the options a verdict depends on, as a text; "" where nothing is allowed or configured."""
        parts = []
        if self.allow_code:
            parts.append(f"code, {self.ppteval_diff}, {'strict' if self.strict_ppteval else 'isolated'}, {self.leaf_seconds:g} s")
        if self.judge is not None:
            parts.append(f"judge {self.judge.key}")
        if self.renderer is not None:
            parts.append("pictures")
        return ", ".join(parts)


DEFAULTS = Options()
