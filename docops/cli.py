"""The command line: finds the command, runs it, and turns every outcome into an exit code.

Only the module of the command that runs is imported, and for `docops --help` not even argparse: it starts as fast as Python does.
"""

from __future__ import annotations

import sys

from docops import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:  # the name as `typing` has it, without importing that
    import argparse
    from collections.abc import Sequence
    from typing import Any

#: Command → what it does, in the order of the help; each is a module of `docops.commands` with `configure` and `run`.
COMMANDS = {
    "verify": "the verdict of a bundle on an output folder",
    "lint": "whether bundles are sound: reference passes, untouched source and empty folder fail",
    "diff": "what differs between two documents of one format",
    "state": "the facts that a document holds",
    "guard": "whether protected documents in a git commit keep what they held, unless the change is declared",
    "new": "a bundle and its verifier, drafted from a document before and after",
    "mutate": "write mutants of a bundle's right outputs into a folder",
    "stress": "how far verifiers can be trusted: detection rate and false alarms over mutants",
    "run": "the outputs of agents on many bundles: pass rates, intervals, comparisons",
    "meta": "how far evaluators follow an expert: scores aligned by checkpoint",
    "audit": "a sample of verdicts as a sheet for a person to judge",
    "import": "task bundles made of another benchmark's tasks",
    "export": "bundles written as another benchmark's tasks, or verdicts as its results",
    "predicates": "the predicates that verifiers are written with",
    "verifiers": "the reusable verifiers that ship with docops",
    "operators": "the mutation operators",
    "suites": "the mutation suites that ship with docops",
    "demo": "shipped bundles with a right and a damaged output each, explained",
}

_EXIT_CODES = "exit codes: 0 passed, 1 failed, 2 usage, 3 bundle or catalogue invalid, 4 internal or predicate error, 5 nothing selected"


_OPTIONS = {
    "-h, --help": "show this help message and exit",
    "--version": "show program's version number and exit",
    "--traceback": "let an internal error through with its traceback",
}
_COLUMN = 15


def _help() -> str:
    """The help of `docops` itself."""

    def listed(rows: dict[str, str]) -> str:
        return "".join(f"  {name.ljust(_COLUMN - 2)}{text}\n" for name, text in rows.items())

    return (
        "usage: docops [-h] [--version] [--traceback] COMMAND ...\n\n"
        "Deterministic, offline verifier for office documents (xlsx, docx, pptx, pdf).\n\n"
        f"commands:\n{listed(COMMANDS)}\noptions:\n{listed(_OPTIONS)}\n"
        f"docops COMMAND --help describes a command.\n{_EXIT_CODES}\n"
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the process's exit code.

    arguments: without the program's name (default: those of the process).
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")
    if given in (["-h"], ["--help"]):
        sys.stdout.write(_help())
        return 0
    parsed = _parser(given).parse_args(given)
    command = _module(parsed.command)
    if parsed.traceback:
        return int(command.run(parsed))
    try:
        return int(command.run(parsed))
    except KeyboardInterrupt:
        _say("interrupted")
        return 130
    except Exception as error:
        return _exit_code(error)
    except BaseException as error:  # panics of native extensions are no Exception
        if isinstance(error, (SystemExit, GeneratorExit)):
            raise
        return _exit_code(error)


def _parser(given: Sequence[str]) -> argparse.ArgumentParser:
    import argparse

    class Help(argparse.HelpFormatter):
        """Help of one width on every terminal."""

        def __init__(self, prog: str) -> None:
            super().__init__(prog, max_help_position=16, width=110)

    class Program(argparse.ArgumentParser):
        """The parser of `docops` itself."""

        def format_help(self) -> str:
            return _help()

    parser = Program(prog="docops", allow_abbrev=False, formatter_class=Help)
    parser.add_argument("--version", action="version", version=f"docops {__version__}")
    parser.add_argument("--traceback", action="store_true")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=argparse.ArgumentParser)
    for name, summary in COMMANDS.items():
        description = f"{summary[0].upper()}{summary[1:]}."
        command = commands.add_parser(name, description=description, epilog=_EXIT_CODES, allow_abbrev=False, formatter_class=Help)
        if name in given:
            _module(name).configure(command)
    return parser


def _module(command: str) -> Any:
    """The module of a command; one that is called like a word of Python has `_command` behind it."""
    from importlib import import_module

    return import_module(f"docops.commands.{command}{'_command' if command == 'import' else ''}")


def _say(message: str) -> None:
    print(f"docops: {message}", file=sys.stderr)


def _exit_code(error: BaseException) -> int:
    """The exit code of an exception that ended a command, said in one line (a bundle's problems: one line each)."""
    from docops.catalogue import CatalogueMissing
    from docops.commands.output import NothingSelected
    from docops.core.codes import ExitCode
    from docops.core.errors import AddressError, BundleError, Unreadable, UsageError
    from docops.registry import PluginError
    from docops.report.reward import NoReward
    from docops.report.words import plain

    if isinstance(error, BundleError):
        for problem in error.problems:
            _say(plain(str(problem)))
        return ExitCode.INVALID
    message = plain(str(error))
    for kind, code in (
        (UsageError, ExitCode.USAGE),
        (AddressError, ExitCode.USAGE),
        (Unreadable, ExitCode.FAILED),
        (CatalogueMissing, ExitCode.INVALID),
        (NothingSelected, ExitCode.NOTHING_SELECTED),
        (PluginError, ExitCode.ERROR),
        (NoReward, ExitCode.ERROR),
    ):
        if isinstance(error, kind):
            _say(message)
            return code
    _say(f"internal error: {type(error).__name__}: {message} (--traceback shows where)")
    return ExitCode.ERROR
