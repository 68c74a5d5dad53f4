"""The package that PPT-Eval scores with, where it is installed; without the client of models that it would import."""

from __future__ import annotations

import sys
import types
import warnings
from typing import Any

import pytest


def ai_rubric(module: str) -> Any:
    """A module of the package `rubric`; skips where it is not installed."""
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if "litellm" not in sys.modules:
            # It is large, asks the network when it is imported, and no rule needs it.
            client = types.ModuleType("litellm")
            client.__dict__.update(completion=None, acompletion=None)
            patch.setitem(sys.modules, "litellm", client)
        return pytest.importorskip(module, reason="ai-rubric is not installed")
