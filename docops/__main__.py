"""`python -m docops`: the command line."""

from docops.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
