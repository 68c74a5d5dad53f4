"""Make every shipped bundle anew: `python -m tools.bundles`."""

from __future__ import annotations

from importlib import import_module


def main() -> None:
    """Run every bundle script."""
    for name in ("xlsx", "docx", "pptx", "pdf", "pack", "report", "reports"):
        import_module(f"tools.bundles.{name}").main()


if __name__ == "__main__":
    main()
