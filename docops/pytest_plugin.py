"""Bundles as tests: `pytest --docops BUNDLES [--docops-outputs OUTPUTS]`.

One test for each output, failed where its verdict is, and an error where an error left the verdict open. Without outputs
there is one test for each bundle, which passes where the bundle is sound.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from docops.bundle import Bundle
    from docops.core.verdict import Verdict
    from docops.running.plan import Job
    from docops.warm import Verifier


class VerdictError(Exception):
    """There is no verdict, and the output is not to blame."""


class NotPassed(Exception):
    """The output did not pass; the message is the report."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("docops", "DocOps: verdicts on office documents")
    group.addoption("--docops", metavar="BUNDLES", action="append", default=[], help="a bundle, or a folder with bundles, to be collected as tests")
    group.addoption("--docops-outputs", metavar="OUTPUTS", help="outputs to be verified: [<agent>/]<task_id>/[trial/]")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    """Add the tests of all bundles to those that pytest found."""
    given = config.getoption("--docops")
    if given:
        items += [item for folder in given for item in _collect(session, _path(config, folder), config.getoption("--docops-outputs"))]


def _path(config: pytest.Config, text: str) -> Path:
    return config.invocation_params.dir / text


def _collect(session: pytest.Session, folder: Path, outputs: str | None) -> Iterator[pytest.Item]:
    from docops.core.errors import DocopsError
    from docops.running.plan import load_all, make_plan, single_agent

    try:
        if outputs is None:
            for bundle in load_all(folder).values():
                node = BundleNode.from_parent(session, name=bundle.task_id, path=bundle.root, nodeid=bundle.task_id, bundle=bundle)
                yield SoundItem.from_parent(node, name="sound")
            return
        place = _path(session.config, outputs)
        plan = single_agent(folder, place) or make_plan(folder, place)
    except DocopsError as error:
        raise pytest.UsageError(f"--docops {folder}: {error}") from error
    nodes = {
        task_id: BundleNode.from_parent(session, name=task_id, path=bundle.root, nodeid=task_id, bundle=bundle)
        for task_id, bundle in plan.bundles.items()
    }
    for job in sorted(plan.jobs, key=lambda job: (job.task_id, job.agent, job.trial)):
        name = "-".join(filter(None, [job.agent, f"trial{job.trial}"]))
        yield OutputItem.from_parent(nodes[job.task_id], name=name, job=job)


class BundleNode(pytest.Collector):
    """A bundle among pytest's collectors."""

    def __init__(self, *, bundle: Bundle, **rest: Any) -> None:
        super().__init__(**rest)
        self.bundle = bundle
        self._verifier: Verifier | None = None

    def collect(self) -> list[pytest.Item]:
        """Nothing of its own: its tests are added by the hook."""
        return []

    def verifier(self) -> Verifier:
        """The bundle's verifier, one for all its tests."""
        from docops.warm import Verifier

        if self._verifier is None:
            self._verifier = Verifier(self.bundle)
        return self._verifier


class _Item(pytest.Item):
    def node(self) -> BundleNode:
        """The bundle."""
        if not isinstance(self.parent, BundleNode):
            raise TypeError(f"{self.name} belongs to no bundle")
        return self.parent

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Where the test is from."""
        return self.path, None, f"{self.node().name}: {self.name}"

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The report of the verdict, and not a traceback."""
        if isinstance(excinfo.value, (NotPassed, VerdictError)):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)


class OutputItem(_Item):
    """One output of one agent on one task."""

    def __init__(self, *, job: Job, **rest: Any) -> None:
        super().__init__(**rest)
        self.job = job
        self.verdict: Verdict | None = None

    def setup(self) -> None:
        """Verify; what goes wrong here is an error and no failure of the output."""
        from docops.core.verdict import Status
        from docops.report.text import verdict_text

        if self.job.folder is None:
            return
        self.verdict = self.node().verifier().verify(self.job.folder)
        if self.verdict.status is Status.ERROR:
            raise VerdictError(verdict_text(self.verdict, title=self.node().bundle.title))

    def runtest(self) -> None:
        """Fail where the output did not pass, or is not there."""
        from docops.report.text import verdict_text

        if self.verdict is None:
            raise NotPassed(f"{self.job.task_id}: there is no output")
        self.user_properties.append(("docops_score", self.verdict.score))
        if not self.verdict.passed:
            raise NotPassed(verdict_text(self.verdict, title=self.node().bundle.title))


class SoundItem(_Item):
    """Whether a bundle is sound."""

    def runtest(self) -> None:
        """Fail with everything that is wrong with the bundle."""
        from docops.lint import lint_bundle, reports_text

        report = lint_bundle(self.node().bundle.root)
        if not report.sound:
            raise NotPassed(reports_text([report]))
