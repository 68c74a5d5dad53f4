"""OpenEnv: a rubric that judges the outputs an environment's observation points to.

    class Writer(Environment):
        def __init__(self):
            super().__init__(rubric=document_rubric("bundles/total", "output/"))

An open verdict raises, because a rubric has no other word for it.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from docops.adapters.common import AnyBundle, evidence, load, named, verdict_on
from docops.report.reward import reward_of


def document_rubric(bundle: AnyBundle | None = None, output: str | None = None) -> Any:
    """A rubric whose reward is the verdict's score; the evidence is in the observation's metadata, under `docops`.

    bundle: the bundle, default `docops_bundle` in the observation's metadata.
    output: folder of the outputs, default `docops_output` there.
    """
    return _rubric_class()(bundle, output)


@cache
def _rubric_class() -> type:
    from openenv.core.rubrics.base import Rubric

    class DocumentRubric(Rubric):  # type: ignore[misc, unused-ignore]
        """The verdict's score on the outputs."""

        def __init__(self, bundle: AnyBundle | None, output: str | None) -> None:
            super().__init__()
            self.bundle = None if bundle is None else load(bundle)
            self.output = output

        def forward(self, action: Any, observation: Any) -> float:
            """Judge; raises NoReward where an error left the verdict open."""
            place = named(observation.metadata, "docops_bundle", self.bundle, "the observation's metadata")
            folder = named(observation.metadata, "docops_output", self.output, "the observation's metadata")
            verdict = verdict_on(place, folder)
            observation.metadata["docops"] = evidence(verdict)
            return reward_of(verdict)

    return DocumentRubric
