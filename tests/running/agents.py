"""Three agents over some shipped bundles: one that is right, one that damages what it was not asked about, one that does nothing."""

from __future__ import annotations

import shutil
from pathlib import Path

from docops.bundle import Bundle, load_bundle
from docops.catalogue import bundle_folders
from docops.stressing.run import mutate
from docops.stressing.suites import Suite

SMALL = Suite("small", "Small", "For tests.", per_operator=1, budget=1, benign_budget=0)


def copy_bundles(folder: Path, names: tuple[str, ...]) -> list[Bundle]:
    """Some shipped bundles in a folder."""
    for root in bundle_folders():
        if root.name in names:
            shutil.copytree(root, folder / root.name)
    return [load_bundle(folder / name) for name in names]


def write_agents(folder: Path, bundles: list[Bundle]) -> None:
    """Outputs of `perfect`, `careless` and `no-op`."""
    for bundle in bundles:
        for artifact in bundle.artifacts:
            for agent, file in (("perfect", artifact.reference), ("no-op", artifact.source)):
                if file is not None:
                    path = folder / agent / bundle.task_id / artifact.output
                    path.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy(bundle.root / file, path)
        made = mutate(bundle, folder.parent / "mutants" / bundle.task_id, suite=SMALL)
        shutil.copytree(folder.parent / "mutants" / bundle.task_id / made[0].id, folder / "careless" / bundle.task_id)
