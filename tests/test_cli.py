"""The command line: exit codes, streams, and nothing written where it was not asked for."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from xml.etree import ElementTree

import pytest

from docops import cli
from docops.core.codes import ExitCode
from tests.support.bundles import write_bundle

ROOT = Path(__file__).parents[1]
BUNDLE = ROOT / "bundles" / "xlsx-l1-c4-quarter-total"
RIGHT = BUNDLE / "reference"
DAMAGED = BUNDLE / "outputs" / "typed-in"
BOOK = RIGHT / "regional-sales.xlsx"


class Result:
    """What a command left behind."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err


Run = Callable[..., Result]


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Run:
    """Run the command line in this process."""

    def call(*arguments: str | Path) -> Result:
        capfd.readouterr()
        try:
            code = cli.main([str(argument) for argument in arguments])
        except SystemExit as stop:
            code = int(stop.code or 0)
        captured = capfd.readouterr()
        assert "Traceback" not in captured.err
        return Result(int(code), captured.out, captured.err)

    return call


def process(*arguments: str, environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """Run the command line in a process of its own."""
    command = [sys.executable, "-m", "docops", *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env={**os.environ, **environment})


def test_right_output_passes(run: Run) -> None:
    result = run("verify", BUNDLE, RIGHT)
    assert (result.code, result.err) == (ExitCode.PASSED, "")
    assert result.out.startswith("PASSED  xlsx-l1-c4-quarter-total  score 1\n")


def test_damaged_output_fails_with_place_and_reason(run: Run) -> None:
    result = run("verify", BUNDLE, DAMAGED)
    assert (result.code, result.err) == (ExitCode.FAILED, "")
    assert "regional-sales.xlsx#sheet[Summary]/cell[E8]" in result.out
    assert "static_value" in result.out


def test_json_is_one_document_of_the_contract(run: Run) -> None:
    result = run("verify", BUNDLE, DAMAGED, "--format", "json")
    body = json.loads(result.out)
    assert result.out.count("\n") == 1
    assert (body["schema"], body["status"], body["passed"], body["score"]) == ("docops.verdict/1", "failed", False, 0.0)
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.validate(body, json.loads((ROOT / "docs/schema/verdict.schema.json").read_text("utf-8")))


def test_other_formats(run: Run) -> None:
    assert run("verify", BUNDLE, RIGHT, "--format", "reward").out == '{"reward":1.0}\n'
    assert ElementTree.fromstring(run("verify", BUNDLE, DAMAGED, "--format", "junit").out.encode()).find(".//failure") is not None
    assert run("verify", BUNDLE, DAMAGED, "--format", "markdown").out.startswith("## xlsx-l1-c4-quarter-total: failed\n")


def test_out_writes_the_file_and_nothing_else(run: Run, tmp_path: Path) -> None:
    result = run("verify", BUNDLE, RIGHT, "--format", "reward", "--out", tmp_path / "reward.json")
    assert (result.code, result.out, result.err) == (ExitCode.PASSED, "", "")
    assert (tmp_path / "reward.json").read_bytes() == b'{"reward":1.0}\n'
    assert [path.name for path in tmp_path.iterdir()] == ["reward.json"]


def test_out_that_cannot_be_written_is_a_usage_error(run: Run, tmp_path: Path) -> None:
    result = run("verify", BUNDLE, RIGHT, "--out", tmp_path / "gone" / "verdict.txt")
    assert (result.code, result.out) == (ExitCode.USAGE, "")
    assert result.err.startswith("docops: ")


def test_missing_and_empty_output_folders_fail(run: Run, tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "gone", BOOK):
        result = run("verify", BUNDLE, folder)
        assert result.code == ExitCode.FAILED
        assert "artifact_missing" in result.out


@pytest.mark.parametrize(
    ("content", "code"),
    [(b"", "artifact_unreadable"), (b"not a workbook", "artifact_wrong_type"), (BOOK.read_bytes()[:3000], "artifact_unreadable")],
    ids=["empty", "text", "truncated"],
)
def test_unreadable_output_fails_with_its_reason(run: Run, tmp_path: Path, content: bytes, code: str) -> None:
    (tmp_path / "regional-sales.xlsx").write_bytes(content)
    result = run("verify", BUNDLE, tmp_path)
    assert result.code == ExitCode.FAILED
    assert "artifact_" in result.out
    assert code in result.out


def test_broken_bundle_is_invalid_with_every_problem(run: Run, tmp_path: Path) -> None:
    root = write_bundle(tmp_path, {"schema": "docops.task/1", "levl": 3}, "schema = 1")
    result = run("verify", root, RIGHT)
    assert (result.code, result.out) == (ExitCode.INVALID, "")
    lines = result.err.splitlines()
    assert len(lines) >= 7
    assert all(line.startswith("docops: task_metadata.json: $") for line in lines)
    assert run("verify", tmp_path / "gone", RIGHT).code == ExitCode.INVALID


@pytest.mark.parametrize(
    "arguments",
    [(), ("verify",), ("verify", "a"), ("nothing",), ("verify", "a", "b", "--format", "xml"), ("verify", "a", "b", "--form", "json"), ("lint",)],
)
def test_wrong_usage(run: Run, arguments: tuple[str, ...]) -> None:
    result = run(*arguments)
    assert (result.code, result.out) == (ExitCode.USAGE, "")
    assert result.err.startswith("usage: docops")


@pytest.mark.parametrize(
    ("command", "option", "value"),
    [
        ("stress", "--max", "-1"),
        ("stress", "--jobs", "x"),
        ("stress", "--timeout", "0"),
        ("stress", "--timeout", "nan"),
        ("stress", "--min-detection", "1.5"),
        ("stress", "--max-false-alarms", "-0.1"),
        ("run", "--min-pass-rate", "90"),
        ("mutate", "--max", "1.5"),
        ("verify", "--leaf-seconds", "inf"),
    ],
)
def test_numbers_without_meaning_are_usage_errors(run: Run, tmp_path: Path, command: str, option: str, value: str) -> None:
    out = [] if command in ("verify", "stress") else ["--out", str(tmp_path / "out")]
    places = [BUNDLE] if command in ("stress", "mutate") else [BUNDLE, RIGHT]
    result = run(command, *places, *out, option, value)
    assert result.code == ExitCode.USAGE
    assert option in result.err
    assert not (tmp_path / "out").exists()


def test_help_names_every_command_and_starts_without_argparse(run: Run) -> None:
    result = run("--help")
    assert result.code == ExitCode.PASSED
    assert all(f"  {name} " in result.out for name in cli.COMMANDS)
    code = "import sys; from docops import cli; cli.main(['--help']); sys.exit(bool({'argparse', 're', 'typing', 'lxml'} & set(sys.modules)))"
    shown = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert (shown.returncode, shown.stdout) == (0, result.out)


def test_version_and_help(run: Run) -> None:
    import docops

    assert run("--version").out == f"docops {docops.__version__}\n"
    helped = run("--help")
    assert helped.code == ExitCode.PASSED
    assert all(name in helped.out for name in cli.COMMANDS)
    for name in cli.COMMANDS:
        assert run(name, "--help").out.startswith(f"usage: docops {name}")


def test_diff(run: Run, tmp_path: Path) -> None:
    source = BUNDLE / "source" / "regional-sales.xlsx"
    same = run("diff", BOOK, BOOK)
    assert (same.code, same.out) == (ExitCode.PASSED, "equal: the documents mean the same\n")
    different = run("diff", source, BOOK)
    assert different.code == ExitCode.FAILED
    assert "sheet[Summary]/cell[E8]" in different.out
    body = json.loads(run("diff", source, BOOK, "--format", "json").out)
    assert (body["a"], body["b"], body["equal"]) == ("regional-sales.xlsx", "regional-sales.xlsx", False)
    assert {change["address"] for change in body["changes"]} >= {"sheet[Summary]/cell[E8]"}
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.validate(body, json.loads((ROOT / "docs/schema/diff.schema.json").read_text("utf-8")))


def test_diff_of_what_cannot_be_compared(run: Run, tmp_path: Path) -> None:
    (tmp_path / "broken.xlsx").write_bytes(b"x")
    for bad in (tmp_path / "broken.xlsx", tmp_path / "gone.xlsx"):
        result = run("diff", BOOK, bad)
        assert (result.code, result.out) == (ExitCode.FAILED, "")
        assert bad.name in result.err
    other = ROOT / "bundles/pdf-l1-s4-order-form/source/order.pdf"
    assert run("diff", BOOK, other).code == ExitCode.USAGE
    assert run("diff", BOOK, ROOT / "README.md").code == ExitCode.USAGE


def test_state(run: Run) -> None:
    whole = run("state", BOOK)
    assert whole.code == ExitCode.PASSED
    assert "sheet[Summary]/cell[E8]\n" in whole.out
    one = run("state", BOOK, "sheet[Summary]/cell[E8]", "--format", "json")
    facts = json.loads(one.out)["facts"]
    assert {fact["address"] for fact in facts} == {"sheet[Summary]/cell[E8]"}
    assert any(fact["aspect"] == "formula" for fact in facts)
    assert run("state", BOOK, "regional-sales.xlsx#sheet[Summary]/cell[E8]").out == run("state", BOOK, "sheet[Summary]/cell[E8]").out


def test_state_of_nothing(run: Run) -> None:
    result = run("state", BOOK, "sheet[Nothing]")
    assert (result.code, result.out) == (ExitCode.NOTHING_SELECTED, "")
    assert run("state", BOOK, "sheet[").code == ExitCode.USAGE
    assert run("state", BOOK.with_name("gone.xlsx")).code == ExitCode.FAILED


def test_coverage(run: Run) -> None:
    result = run("state", BOOK, "--coverage", "--format", "json")
    parts = {part["part"] for part in json.loads(result.out)["coverage"]["parts"]}
    assert any("workbook.xml" in part for part in parts)
    assert run("state", BOOK, "--coverage").out.splitlines()[-1].startswith("total")
    assert run("state", BOOK, "sheet[Summary]", "--coverage").code == ExitCode.USAGE


def test_lint(run: Run, tmp_path: Path) -> None:
    good = run("lint", BUNDLE)
    assert (good.code, good.err) == (ExitCode.PASSED, "")
    assert good.out.startswith("sound")
    bad = run("lint", BUNDLE, tmp_path, "--format", "json")
    assert bad.code == ExitCode.INVALID
    assert [entry["sound"] for entry in json.loads(bad.out)["bundles"]] == [True, False]


def test_listings(run: Run) -> None:
    assert "anchor.contains" in run("predicates").out
    assert all(line.startswith("xlsx.") for line in run("predicates", "xlsx").out.splitlines())
    one = run("predicates", "anchor.contains").out
    assert "parameters" in one
    assert "at_least" in one
    assert run("predicates", "anchor.contain").code == ExitCode.USAGE
    assert "xlsx/live-total" in run("verifiers").out
    assert "tolerance" in run("verifiers", "xlsx/live-total").out
    assert run("verifiers", "xlsx/live").code == ExitCode.USAGE
    assert json.loads(run("predicates", "--format", "json").out)["predicates"]
    assert json.loads(run("verifiers", "--format", "json").out)["verifiers"]


def test_demo_shows_a_pass_and_a_failure_of_each_kind(run: Run) -> None:
    result = run("demo")
    assert (result.code, result.err) == (ExitCode.PASSED, "")
    assert result.out.count("PASSED") >= 4
    assert result.out.count("FAILED") >= 4


def test_internal_error_is_one_line(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from docops.commands import verify

    class Panic(BaseException):
        pass

    for error in (RuntimeError("broken\nin two lines"), Panic("in native code"), MemoryError()):

        def explode(arguments: object, error: BaseException = error) -> int:
            raise error

        monkeypatch.setattr(verify, "run", explode)
        result = run("verify", "a", "b")
        assert (result.code, result.out) == (ExitCode.ERROR, "")
        assert len(result.err.splitlines()) == 1
        assert "internal error" in result.err
        with pytest.raises(type(error)):
            cli.main(["--traceback", "verify", "a", "b"])


def test_interrupt_is_quiet(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from docops.commands import verify

    def interrupt(arguments: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(verify, "run", interrupt)
    result = run("verify", "a", "b")
    assert (result.code, result.err) == (130, "docops: interrupted\n")


def test_closed_pipe_is_no_error() -> None:
    script = f"{sys.executable} -m docops state {BOOK} | head -n 1; exit ${{PIPESTATUS[0]}}"
    result = subprocess.run(["bash", "-c", script], capture_output=True, text=True, cwd=ROOT)
    assert (result.returncode, result.stderr) == (0, "")


def test_terminals_without_unicode_are_served(tmp_path: Path) -> None:
    output = tmp_path / "output"
    shutil.copytree(DAMAGED, output)
    (output / "größe.txt").write_text("x")
    result = process("verify", str(BUNDLE), str(output), environment={"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"})
    assert (result.returncode, result.stderr) == (1, "")
    assert "gr\\xf6\\xdfe.txt" in result.stdout
    machine = subprocess.run(
        [sys.executable, "-m", "docops", "verify", str(BUNDLE), str(output), "--format", "json"],
        capture_output=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )
    assert "größe.txt" in json.loads(machine.stdout.decode("utf-8"))["extra_files"]


def test_nothing_is_written_anywhere(tmp_path: Path) -> None:
    bundle, output, work = tmp_path / "bundle", tmp_path / "output", tmp_path / "work"
    shutil.copytree(BUNDLE, bundle)
    shutil.copytree(DAMAGED, output)
    work.mkdir()

    def everything() -> dict[str, tuple[int, int]]:
        return {str(path): (path.stat().st_size, path.stat().st_mtime_ns) for path in sorted(tmp_path.rglob("*"))}

    before = everything()
    for arguments in (["verify", str(bundle), str(output)], ["lint", str(bundle)], ["state", str(output / "regional-sales.xlsx"), "--coverage"]):
        subprocess.run(
            [sys.executable, "-m", "docops", *arguments], capture_output=True, cwd=work, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False
        )
    assert everything() == before
