"""An environment of Harbor that is a folder: no container, no root, no network; for tests where `harbor` is installed.

It reads `COPY` and `WORKDIR` of the Dockerfile, and runs commands with the folders of a container mapped into its own. `python` is
the interpreter in `DOCOPS_TEST_PYTHON`, which stands for what the image's `RUN pip install` lines install.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
from pathlib import Path
from typing import Any

from harbor.environments.base import BaseEnvironment, ExecResult
from harbor.environments.capabilities import EnvironmentCapabilities

_MAPPED = re.compile(r"(?<![\w./-])/(app|tests|logs|solution|skills|opt/docops)(?=[/\s'\"]|$)")


class FolderEnvironment(BaseEnvironment):  # type: ignore[misc, unused-ignore]
    """A folder that takes a container's part."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.root: Path = self.trial_paths.trial_dir.resolve() / "containers" / re.sub(r"\W", "_", self.session_id)
        self.workdir = "/"

    @staticmethod
    def type() -> str:
        return "folder"

    @property
    def capabilities(self) -> EnvironmentCapabilities:
        return EnvironmentCapabilities(disable_internet=True)

    def _validate_definition(self) -> None:
        if not (self.environment_dir / "Dockerfile").is_file():
            raise FileNotFoundError("Dockerfile")

    def here(self, path: str | Path) -> Path:
        return self.root / str(path).lstrip("/")

    async def start(self, force_build: bool) -> None:
        text = (self.environment_dir / "Dockerfile").read_text("utf-8").replace("\\\n", " ")
        for line in text.splitlines():
            words = line.split()
            if words[0] == "COPY":
                for source in words[1:-1]:
                    self.copy_in(self.environment_dir / source, words[-1])
            elif words[0] == "WORKDIR":
                self.workdir = words[1]
            elif words[0] not in ("FROM", "RUN"):
                raise ValueError(f"{line}: not understood")
        for mapped in ("logs/agent", "logs/verifier", "logs/artifacts", "tmp", self.workdir):
            self.here(mapped).mkdir(parents=True, exist_ok=True)

    def copy_in(self, source: Path, target: str) -> None:
        into = self.here(target)
        if source.is_dir():
            shutil.copytree(source, into, dirs_exist_ok=True)
        else:
            into = into / source.name if target.endswith("/") else into
            into.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, into)
        for script in [into] if into.is_file() else into.rglob("*.sh"):
            if script.suffix == ".sh":
                script.write_text(self.mapped(script.read_text("utf-8")), "utf-8")

    def mapped(self, text: str) -> str:
        return _MAPPED.sub(lambda found: f"{self.root}/{found[1]}", text)

    async def stop(self, delete: bool) -> None:
        return None

    async def upload_file(self, source_path: Path | str, target_path: str) -> None:
        self.copy_in(Path(source_path), str(target_path))

    async def upload_dir(self, source_dir: Path | str, target_dir: str) -> None:
        self.copy_in(Path(source_dir), str(target_dir))

    async def download_file(self, source_path: str, target_path: Path | str) -> None:
        Path(target_path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(self.here(source_path), target_path)

    async def download_dir(self, source_dir: str, target_dir: Path | str) -> None:
        shutil.copytree(self.here(source_dir), target_dir, dirs_exist_ok=True)

    async def exec(
        self,
        command: str,
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        timeout_sec: int | None = None,
        user: str | int | None = None,
    ) -> ExecResult:
        python = Path(os.environ["DOCOPS_TEST_PYTHON"])
        process = await asyncio.create_subprocess_exec(
            "sh",
            "-c",
            self.mapped(command),
            cwd=self.here(cwd or self.workdir),
            env={"PATH": f"{python.parent}:/usr/local/bin:/usr/bin:/bin", **(env or {})},
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        out, err = await process.communicate()
        return ExecResult(stdout=out.decode(errors="replace"), stderr=err.decode(errors="replace"), return_code=process.returncode or 0)
