"""Results as people and other programs read them: text, JSON, JUnit, Markdown, HTML, CTRF, reward files."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from docops.core.verdict import Verdict

VERDICT_FORMATS = ("text", "json", "junit", "markdown", "html", "ctrf", "reward", "github")


def render_verdict(verdict: Verdict, name: str, *, title: str = "", colour: bool = False) -> str:
    """A verdict in one of the formats, with a line end.

    title: the task's title, for formats that people read.   colour: with terminal colours (text only).
    """
    if name == "text":
        from docops.report.text import verdict_text

        return verdict_text(verdict, title=title, colour=colour)
    if name == "html":
        from docops.report.page import verdict_html

        return verdict_html(verdict, title=title)
    return _renderer(name)(verdict)


def _renderer(name: str) -> Callable[[Verdict], str]:
    if name == "json":
        return lambda verdict: verdict.to_json() + "\n"
    if name == "junit":
        from docops.report.junit import verdict_junit

        return verdict_junit
    if name == "markdown":
        from docops.report.markdown import verdict_markdown

        return verdict_markdown
    if name == "ctrf":
        from docops.report.ctrf import verdict_ctrf

        return verdict_ctrf
    if name == "github":
        from docops.report.github import verdict_annotations

        return verdict_annotations
    from docops.report.reward import verdict_reward

    return verdict_reward
