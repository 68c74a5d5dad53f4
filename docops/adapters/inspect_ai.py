"""Inspect AI: a scorer that reads the outputs from the sample's sandbox.

    Task(dataset=..., solver=..., scorer=docops_scorer("bundles/total", "/app/documents"), sandbox="docker")

Where no verdict could be reached the sample is unscored, so that metrics leave it out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from docops.adapters.common import LIST_FILES, evidence, explanation, named, verdict_on_sandbox

if TYPE_CHECKING:
    from inspect_ai.scorer import Score, Scorer, Target
    from inspect_ai.solver import TaskState


def docops_scorer(bundle: str | None = None, output: str | None = None) -> Scorer:
    """A scorer whose value is the verdict's score.

    bundle: folder of the bundle, default the sample's metadata `docops_bundle`.
    output: folder of the outputs in the sandbox, default `docops_output` there.
    """
    from inspect_ai.scorer import mean, scorer, stderr

    @scorer(metrics=[mean(), stderr()], name="docops_scorer")  # type: ignore[untyped-decorator, unused-ignore]
    def factory(bundle: str | None = None, output: str | None = None) -> Scorer:
        async def score(state: TaskState, target: Target) -> Score:
            return await _score(state.metadata, bundle, output)

        return score

    made: Scorer = factory(bundle, output)
    return made


async def _score(metadata: dict[str, Any], bundle: str | None, output: str | None) -> Score:
    from inspect_ai.scorer import Score
    from inspect_ai.util import OutputLimitExceededError, sandbox

    folder = str(named(metadata, "docops_output", output, "the sample's metadata"))
    place = named(metadata, "docops_bundle", bundle, "the sample's metadata")
    listed = await sandbox().exec([*LIST_FILES, folder])
    if not listed.success:
        raise RuntimeError(f"the files of {folder} cannot be listed: {listed.stderr.strip()[-500:]}")

    async def read(name: str) -> bytes | None:
        try:
            data: bytes = await sandbox().read_file(f"{folder.rstrip('/')}/{name}", text=False)
        except FileNotFoundError:
            return None
        except OutputLimitExceededError:
            return b""  # no document: what the sandbox does not hand out cannot be read
        return data

    try:
        verdict = await verdict_on_sandbox(place, listed.stdout, read)
    except Exception as error:
        return Score.unscored(reason="scoring_failed", explanation=f"{type(error).__name__}: {error}")
    if verdict.status == "error":
        return Score.unscored(reason="scoring_failed", explanation=explanation(verdict), metadata=evidence(verdict))
    return Score(value=verdict.score, explanation=explanation(verdict), metadata=evidence(verdict))
