"""Run commands in this process, which is much faster than in a subprocess."""

import io
import os
import signal
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

from typer.testing import CliRunner

from ccindex.cli import main
from ccindex.cli.app import app

from .hostile_texts import unsafe


@dataclass(frozen=True, slots=True)
class Outcome:
    """The exit code, standard output, standard error and crash reports of a command."""

    code: int
    out: bytes
    stderr: str
    reports: str


def run(arguments: Sequence[str], folder: Path) -> Outcome:
    """Run a command without the user's settings; `folder` is both its working directory and its home directory."""
    out, error = io.BytesIO(), io.BytesIO()
    stdout = io.TextIOWrapper(out, encoding="utf-8", write_through=True)
    stderr = io.TextIOWrapper(error, encoding="utf-8", write_through=True)
    code = 0
    with _isolated(folder), redirect_stdout(stdout), redirect_stderr(stderr):
        sys.argv = ["ccindex", *arguments]
        sys.stdin = io.StringIO("")
        try:
            main()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    return Outcome(code, out.getvalue(), error.getvalue().decode(), _reports(folder))


def misbehaviour(outcome: Outcome, *, human: bool) -> str | None:
    """Describe a crash, a failure without a message, or control characters in the output; otherwise return None."""
    if outcome.code not in (0, 1, 2):
        return f"exit code {outcome.code}: {outcome.stderr}{outcome.reports}"
    if "Traceback" in outcome.stderr:
        return outcome.stderr
    if outcome.code == 1 and not outcome.stderr.startswith("ccindex: "):
        return f"no message: {outcome.stderr!r}"
    characters = unsafe(outcome.stderr) or (unsafe(outcome.out.decode()) if human else [])
    return f"control characters in the output: {characters[:3]}" if characters else None


@contextmanager
def _isolated(folder: Path) -> Iterator[None]:
    """Set the home, current and temporary folders; restore the state of the process afterwards."""
    environment, argv, stdin, current = dict(os.environ), sys.argv, sys.stdin, os.getcwd()
    temporary, tempfile.tempdir = tempfile.tempdir, str(folder)
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    for name in ("CCINDEX_DB", "CLAUDE_CONFIG_DIR", "XDG_DATA_HOME"):
        os.environ.pop(name, None)
    os.environ["HOME"] = str(folder)
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(current)
        os.environ.clear()
        os.environ.update(environment)
        sys.argv, sys.stdin, tempfile.tempdir = argv, stdin, temporary
        for number, handler in handlers.items():  # main() leaves these signals ignored
            signal.signal(number, handler)


def _reports(folder: Path) -> str:
    """Return the crash reports and delete them."""
    texts = []
    for path in folder.glob("ccindex-crash-*.txt"):
        texts.append(path.read_text(encoding="utf-8"))
        path.unlink()
    return "\n".join(texts)


def output_of(db: Path, *arguments: str) -> str:
    """Run a command at a width of 100 columns, check that it succeeds, and return its output."""
    result = CliRunner().invoke(app, [*arguments, "--db", str(db)], env={"COLUMNS": "100"})
    assert result.exit_code == 0, result.output
    return result.output
