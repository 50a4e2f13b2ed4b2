"""Runs commands in this process, which is much faster than a subprocess."""

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
    """Exit code, standard output and error, and crash reports of a command."""

    code: int
    out: bytes
    said: str
    reports: str


def run(words: Sequence[str], folder: Path) -> Outcome:
    """Run a command in a folder, with that folder as home and without the user's settings."""
    out, said = io.BytesIO(), io.BytesIO()
    shown = io.TextIOWrapper(out, encoding="utf-8", write_through=True)
    told = io.TextIOWrapper(said, encoding="utf-8", write_through=True)
    code = 0
    with _alone(folder), redirect_stdout(shown), redirect_stderr(told):
        sys.argv = ["ccindex", *words]
        sys.stdin = io.StringIO("")
        try:
            main()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    return Outcome(code, out.getvalue(), said.getvalue().decode(), _reports(folder))


def misbehaviour(done: Outcome, *, human: bool) -> str | None:
    """Describe what no command may do: crash, fail without a message, or send control characters to the terminal."""
    if done.code not in (0, 1, 2):
        return f"exit code {done.code}: {done.said}{done.reports}"
    if "Traceback" in done.said:
        return done.said
    if done.code == 1 and not done.said.startswith("ccindex: "):
        return f"no sentence: {done.said!r}"
    bad = unsafe(done.said) or (unsafe(done.out.decode()) if human else [])
    return f"sent to the terminal: {bad[:3]}" if bad else None


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Set home, current and temporary folder; restore all of the process state afterwards."""
    before, argv, stdin, here = dict(os.environ), sys.argv, sys.stdin, os.getcwd()
    temporary, tempfile.tempdir = tempfile.tempdir, str(folder)
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    for name in ("CCINDEX_DB", "CLAUDE_CONFIG_DIR", "XDG_DATA_HOME"):
        os.environ.pop(name, None)
    os.environ["HOME"] = str(folder)
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(here)
        os.environ.clear()
        os.environ.update(before)
        sys.argv, sys.stdin, tempfile.tempdir = argv, stdin, temporary
        for number, handler in handlers.items():  # a command ignores these signals when it ends
            signal.signal(number, handler)


def _reports(folder: Path) -> str:
    """Return the crash reports, and delete them."""
    texts = []
    for path in folder.glob("ccindex-crash-*.txt"):
        texts.append(path.read_text(encoding="utf-8"))
        path.unlink()
    return "\n".join(texts)


def output_of(db: Path, *arguments: str) -> str:
    """Run a command that succeeds, 100 columns wide; return its output."""
    done = CliRunner().invoke(app, [*arguments, "--db", str(db)], env={"COLUMNS": "100"})
    assert done.exit_code == 0, done.output
    return done.output
