"""Task bundles: `task_metadata.json` and all that it names, parsed, then validated, every problem reported together."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from docops.families.preservation import Preserve, ScopeEntry
    from docops.verifier import VerifierSpec


@dataclass(frozen=True, slots=True)
class ArtifactSpec:
    """One declared artifact.

    output: its name, relative to the output folder, with `/`.
    source, reference: paths of its files relative to the bundle, or None.
    read_only: an input that must come back untouched if it comes back, and may stay away.
    format: name of its format, "" for files that docops does not open (they are compared by their bytes).
    scope, preserve: what may change, and how strictly the rest is kept.
    """

    output: str
    source: str | None
    reference: str | None
    read_only: bool
    format: str
    scope: tuple[ScopeEntry, ...]
    preserve: Preserve


@dataclass(frozen=True, slots=True)
class Bundle:
    """A task on documents, valid as a whole.

    root: its folder.   instruction: the text of the task.
    forbid_extra_files: files that no artifact declares fail the verdict.
    digest: SHA-256 over everything that the verdict depends on (metadata, instruction, verifiers, sources, references).
    """

    root: Path
    task_id: str
    title: str
    instruction: str
    level: str
    operations: tuple[str, ...]
    domain: str
    language: str
    artifacts: tuple[ArtifactSpec, ...]
    required_operations: tuple[str, ...]
    verifier: VerifierSpec
    forbid_extra_files: bool
    provenance: str
    licence: str
    digest: str

    def artifact(self, output: str) -> ArtifactSpec:
        """The artifact of that output name.

        Raises KeyError where none is declared.
        """
        for artifact in self.artifacts:
            if artifact.output == output:
                return artifact
        raise KeyError(output)
