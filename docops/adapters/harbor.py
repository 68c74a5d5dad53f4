"""Harbor: bundles as task folders with a verifier image of their own, and task folders as skeletons of bundles.

    <task>/task.toml  instruction.md
      environment/Dockerfile  documents/…  skills/…      what the agent is given
      tests/Dockerfile  test.sh  *.whl  requirements.txt  bundle/…      the verifier's image
      solution/solve.sh  documents/…                     the references, where each output has one

The agent's documents are in one folder, which is the only artifact: what it leaves there is carried into the verifier's
container, other files included. Both containers run without a network.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from docops.adapters.wheel import make_wheel
from docops.bundle import METADATA, Bundle, load_bundle
from docops.catalogue import DISTRIBUTION
from docops.core.errors import UsageError
from docops.core.exchange import ExportOptions

#: Where the agent finds the documents and leaves its results.
DOCUMENTS = "/app/documents"
SKILLS = "/skills"

#: The image that both containers are built on. A tag alone may mean another image tomorrow.
IMAGE = "python:3.12-slim@sha256:78387bc3881b8273120a12ebe6c1ab22b018ccc2c9adf565ae1ac9b536e184ea"

VERIFIER_SECONDS = 600
AGENT_SECONDS = 3600

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_PINNED = re.compile(r"[^\s@]+@sha256:[0-9a-f]{64}")


def export_tasks(folders: Sequence[Path], out: Path, options: ExportOptions) -> list[str]:
    """Write a task folder for each bundle; the same bundles and options give the same bytes.

    Raises BundleError for an invalid bundle, UsageError for options that fit no task and for folders that are there already.
    Nothing is written before all bundles are read.
    """
    image = options.image or IMAGE
    if not _PINNED.fullmatch(image):
        raise UsageError(f"the image {image} has no digest (name@sha256:…), so that it may be another one tomorrow")
    if not _NAME.fullmatch(options.organisation):
        raise UsageError(f"{options.organisation!r} is no name of an organisation: letters, digits, '.', '_' and '-'")
    wheel = _given_wheel(options.wheel) if options.wheel else make_wheel()
    bundles = [load_bundle(folder) for folder in folders]
    names = [bundle.task_id for bundle in bundles]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"two of the bundles are the task {name}")
        if (out / name).exists():
            raise UsageError(f"{out / name} is there already")
    lines = []
    for bundle in bundles:
        files = task_files(bundle, image, options, wheel)
        for path, data in files.items():
            _write(out / bundle.task_id / path, data)
        without = "" if "solution/solve.sh" in files else "; no solution, since not every output has a reference"
        lines.append(f"{bundle.task_id}: {len(files)} files{without}")
    return lines


def _given_wheel(path: Path) -> tuple[str, bytes]:
    if not re.fullmatch(rf"{DISTRIBUTION.replace('-', '_')}-[A-Za-z0-9.+_]+-py3-none-any\.whl", path.name):
        raise UsageError(f"{path.name} is no wheel of {DISTRIBUTION}")
    try:
        return path.name, path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror or type(error).__name__}") from error


def task_files(bundle: Bundle, image: str, options: ExportOptions, wheel: tuple[str, bytes]) -> dict[str, bytes]:
    """Path → bytes of every file of a task folder."""
    skills = _skills(bundle) if options.skills else {}
    files = {
        "task.toml": _task_toml(bundle, options, skills=bool(skills)).encode(),
        "instruction.md": _instruction(bundle).encode(),
        "environment/Dockerfile": _environment_dockerfile(image, skills=bool(skills)).encode(),
        "environment/documents/.keep": b"",
        "tests/Dockerfile": _tests_dockerfile(image, wheel[0]).encode(),
        "tests/test.sh": _TEST.encode(),
        "tests/requirements.txt": (Path(__file__).parent / "harbor_requirements.txt").read_bytes(),
        f"tests/{wheel[0]}": wheel[1],
    }
    files |= {f"environment/skills/{name}": data for name, data in skills.items()}
    files |= {f"tests/bundle/{name}": data for name, data in bundle_files(bundle).items()}
    for artifact in bundle.artifacts:
        if artifact.source is not None:
            files[f"environment/documents/{artifact.output}"] = (bundle.root / artifact.source).read_bytes()
    wanted = [artifact for artifact in bundle.artifacts if not artifact.read_only]
    if all(artifact.reference is not None for artifact in wanted):
        files["solution/solve.sh"] = _SOLVE.encode()
        for artifact in wanted:
            files[f"solution/documents/{artifact.output}"] = (bundle.root / (artifact.reference or "")).read_bytes()
    return dict(sorted(files.items()))


def bundle_files(bundle: Bundle) -> dict[str, bytes]:
    """Path → bytes of a bundle's metadata and of the files that they name."""
    raw = json.loads((bundle.root / METADATA).read_text(encoding="utf-8-sig"))
    named = {METADATA, raw["instruction"], raw["verifier"]}
    named |= {name for artifact in bundle.artifacts for name in (artifact.source, artifact.reference) if name is not None}
    return {name: (bundle.root / name).read_bytes() for name in sorted(named)}


def _skills(bundle: Bundle) -> dict[str, bytes]:
    """Path → bytes of the files of a bundle's folder `skills`; links that lead out of it are not followed."""
    root = bundle.root / "skills"
    found = sorted(path for path in root.rglob("*") if path.is_file() and path.resolve().is_relative_to(root.resolve()))
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in found}


_TEST = f"""\
#!/bin/sh
# No reward.json is written where no verdict could be reached: the harness takes that for an error, not for a 0.
set -eu
exec python -I -m docops.adapters.grade /tests/bundle {DOCUMENTS} /logs/verifier
"""

_SOLVE = f"""\
#!/bin/sh
set -eu
cp -R /solution/documents/. {DOCUMENTS}/
"""


def _environment_dockerfile(image: str, *, skills: bool) -> str:
    lines = [f"FROM {image}", "RUN useradd --create-home agent", f"COPY documents/ {DOCUMENTS}/"]
    lines += [f"COPY skills/ {SKILLS}/"] if skills else []
    lines += [f"RUN rm {DOCUMENTS}/.keep && chown -R agent {DOCUMENTS}", f"WORKDIR {DOCUMENTS}"]
    return "\n".join(lines) + "\n"


def _tests_dockerfile(image: str, wheel: str) -> str:
    return f"""\
FROM {image}
COPY requirements.txt {wheel} /opt/docops/
RUN pip install --no-cache-dir --no-deps --only-binary :all: --requirement /opt/docops/requirements.txt \\
    && pip install --no-cache-dir --no-deps --no-index /opt/docops/{wheel}
COPY test.sh /tests/test.sh
COPY bundle/ /tests/bundle/
RUN chmod +x /tests/test.sh && mkdir -p {DOCUMENTS}
WORKDIR /tests
"""


def _instruction(bundle: Bundle) -> str:
    """The instruction, and where the files are."""
    lines = [bundle.instruction.rstrip(), "", f"The documents are in `{DOCUMENTS}`. Leave there, when you are done:", ""]
    for artifact in bundle.artifacts:
        if artifact.read_only:
            lines.append(f"- `{artifact.output}`: an input; it stays as it is")
        elif artifact.source is None:
            lines.append(f"- `{artifact.output}`: a new file")
        elif Path(artifact.source).name != Path(artifact.output).name:
            lines.append(f"- `{artifact.output}`: now a copy of `{Path(artifact.source).name}`, to be changed")
        else:
            lines.append(f"- `{artifact.output}`: to be changed in place")
    return "\n".join(lines) + "\n"


def _task_toml(bundle: Bundle, options: ExportOptions, *, skills: bool) -> str:
    import docops

    formats = sorted({artifact.format for artifact in bundle.artifacts if artifact.format})
    docops_table = {"bundle_digest": bundle.digest, "version": docops.__version__, "level": bundle.level, "operations": list(bundle.operations)}
    docops_table |= {"formats": formats, "domain": bundle.domain, "language": bundle.language}
    docops_table |= {"licence": bundle.licence, "provenance": bundle.provenance}
    environment: dict[str, Any] = {"network_mode": "no-network", "workdir": DOCUMENTS}
    environment |= {"skills_dir": SKILLS} if skills else {}
    tables: dict[str, Mapping[str, Any]] = {
        "": {"schema_version": "1.4", "artifacts": [DOCUMENTS]},
        "task": {
            "name": f"{options.organisation}/{bundle.task_id}",
            "description": bundle.title,
            "keywords": ["documents", *formats, *([bundle.domain] if bundle.domain else [])],
        },
        "metadata.docops": docops_table,
        "agent": {"timeout_sec": float(AGENT_SECONDS), "user": "agent"},
        "environment": environment,
        "verifier": {"environment_mode": "separate", "timeout_sec": float(VERIFIER_SECONDS)},
        "verifier.environment": {"network_mode": "no-network"},
    }
    blocks = []
    for name, table in tables.items():
        head = [f"[{name}]"] if name else []
        blocks.append("\n".join([*head, *(f"{key} = {_toml(value)}" for key, value in table.items())]))
    return "\n\n".join(blocks) + "\n"


def _toml(value: Any) -> str:
    """A value in TOML; its basic strings are those of JSON, but for the delete character."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")


def _write(path: Path, data: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        path.chmod(0o755 if path.suffix == ".sh" else 0o644)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror or type(error).__name__}") from error


def import_task(source: Path, out: Path) -> list[str]:
    """Read a task folder into a bundle: whole where docops wrote it, else a skeleton.

    Raises UsageError where there is no task or the folder for the bundle is not empty.
    """
    from docops.adapters.harbor_import import carried_bundle, skeleton

    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UsageError(f"{out} is there already and not empty")
    if not (source / "task.toml").is_file():
        raise UsageError(f"{source} is no task: it has no task.toml")
    files, lines = carried_bundle(source) or skeleton(source)
    try:
        for path, data in files.items():
            _write(out / path, data)
    except UsageError:
        shutil.rmtree(out, ignore_errors=True)
        raise
    return lines
