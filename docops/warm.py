"""Many verdicts of one bundle: the source side is read once and kept."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from docops.bundle import Bundle, load_bundle
from docops.core.verdict import Verdict
from docops.engine import verify_bundle
from docops.registry import predicate_named
from docops.sides import HeldSources, Snapshot, snapshot_of, source_bytes
from docops.verifier import CriterionSpec

Output = str | os.PathLike[str] | Mapping[str, bytes] | Snapshot


class Verifier:
    """A bundle's verifier, ready for any number of outputs.

    It holds the bundle and the bytes of its sources, so it needs no file of the bundle once it is made; pickled, it can be
    sent to another process or machine. Threads may share one: each verification under way has opened sources of its own,
    and as many are kept as ran at once.
    """

    def __init__(self, bundle: Bundle | str | os.PathLike[str]) -> None:
        """Take in a bundle.

        bundle: a loaded bundle or its folder.
        Raises BundleError where the bundle is invalid or a source cannot be read.
        """
        loaded = bundle if isinstance(bundle, Bundle) else load_bundle(bundle)
        sources = {artifact.output: source_bytes(loaded, artifact) for artifact in loaded.artifacts if artifact.source is not None}
        self._take(loaded, sources)

    def _take(self, bundle: Bundle, sources: Mapping[str, bytes]) -> None:
        self.bundle = bundle
        self._sources = sources
        self._idle: list[HeldSources] = []
        self._lock = threading.Lock()

    @property
    def digest(self) -> str:
        """SHA-256 over everything of the bundle that a verdict depends on."""
        return self.bundle.digest

    def verify(self, output: Output) -> Verdict:
        """The verdict on a folder, or on files in memory (name → bytes); the same as `docops.verify` gives.

        Raises BundleError where a source is no document of its format; whatever the outputs hold is part of the verdict.
        """
        with self._lock:
            sources = self._idle.pop() if self._idle else HeldSources(self._sources)
        try:
            return verify_bundle(self.bundle, self.snapshot(output), sources)
        finally:
            with self._lock:
                self._idle.append(sources)

    __call__ = verify

    def snapshot(self, output: Output) -> Snapshot:
        """An output as it is now: the bytes of all files that the verdict needs, and the names of the others."""
        if isinstance(output, Snapshot):
            return output
        if isinstance(output, Mapping):
            return Snapshot(dict(output), tuple(sorted(output)))
        return snapshot_of(Path(output), self.names)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the files that the verdict needs."""
        named = {criterion.artifact for criterion in self.bundle.verifier.criteria if criterion.artifact}
        return tuple(sorted(named | {artifact.output for artifact in self.bundle.artifacts}))

    def __reduce__(self) -> tuple[Any, ...]:
        # Predicates are functions behind decorators and travel by name.
        verifier = self.bundle.verifier
        criteria = [
            (spec.predicate.name, {field.name: getattr(spec, field.name) for field in fields(spec) if field.name != "predicate"})
            for spec in verifier.criteria
        ]
        bare = replace(self.bundle, verifier=replace(verifier, criteria=()))
        return _restore, (bare, criteria, dict(self._sources))


def _restore(bare: Bundle, criteria: list[tuple[str, dict[str, Any]]], sources: Mapping[str, bytes]) -> Verifier:
    """The verifier that was pickled."""
    specs = tuple(CriterionSpec(predicate=predicate_named(name), **rest) for name, rest in criteria)
    made = Verifier.__new__(Verifier)
    made._take(replace(bare, verifier=replace(bare.verifier, criteria=specs)), sources)
    return made
