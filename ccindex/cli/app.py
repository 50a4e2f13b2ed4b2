"""Define the typer application: commands that are imported on first use, usage errors and crash reports."""

import inspect
import platform
import sqlite3
import sys
import tempfile
import traceback
from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
import typer.core
import typer.main

from ccindex import __version__
from ccindex.cli.output import print_text
from ccindex.cli.typer_fast import use_fast_conversion
from ccindex.render.text import escape_controls


def write_crash_report(error: BaseException) -> str:
    """Write the versions and the traceback to a file for a bug report; return a phrase with its path."""
    lines = [
        f"ccindex {__version__}, Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}, {sys.platform}\n",
        f"command: {' '.join(sys.argv[1:2])}\n\n",
        *traceback.format_exception(error),
    ]
    try:
        with tempfile.NamedTemporaryFile(
            "w", prefix="ccindex-crash-", suffix=".txt", delete=False, encoding="utf-8", errors="replace"
        ) as file:
            file.writelines(lines)
    except OSError as write_error:
        frame = traceback.extract_tb(error.__traceback__)[-1]
        location = f"line {frame.lineno} of {Path(frame.filename).name}"
        return f"{str(error)!r} at {location}; cannot write a crash report: {write_error.strerror}"
    return f"crash report written to {file.name}"


# command -> module in ccindex.cli.commands, which has a function named after the command or an `app` with subcommands
COMMANDS = {
    "ingest": "ingest",
    "sessions": "lists",
    "tree": "tree",
    "paths": "tree",
    "show": "show",
    "search": "search",
    "explain": "explain",
    "graph": "graph",
    "stats": "stats",
    "tools": "lists",
    "agents": "lists",
    "files": "lists",
    "export": "export",
    "restore": "export",
    "sql": "sql",
    "doctor": "doctor",
    "forget": "forget",
    "db": "db",
}
_WrongUsage: Any = typer.BadParameter.__base__  # typer does not export it
_HELP = {"help_option_names": ["-h", "--help"]}


class _LazyCommands(MutableMapping[str, Any]):
    """A mapping from names to commands. A command's module is imported when the command is first looked up."""

    def __init__(self) -> None:
        self._built: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._built:
            self._built[name] = _build_command(name, import_module(f"ccindex.cli.commands.{COMMANDS[name]}"))
        return self._built[name]

    def __setitem__(self, name: str, command: Any) -> None:
        self._built[name] = command

    def __delitem__(self, name: str) -> None:
        del self._built[name]

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)


def _build_command(name: str, module: Any) -> Any:
    group = getattr(module, "app", None)
    if group is None:
        group = typer.Typer(add_completion=False, rich_markup_mode=None)
        group.command(name, context_settings=_HELP)(getattr(module, name))
    for command in group.registered_commands:
        command.help = _help_text(command.callback)
    return use_fast_conversion(typer.main.get_command(group))


def _help_text(function: Any) -> str:
    """Return a docstring with a backspace before its examples, which makes click keep their line breaks."""
    return (inspect.getdoc(function) or "").replace("\n\nExamples:\n", "\n\n\b\nExamples:\n")


@contextmanager
def _printable_errors() -> Iterator[None]:
    """Escape control characters in usage errors, which quote the user's input, and remove typer's prefix."""
    try:
        yield
    except _WrongUsage as error:
        error.message = escape_controls(error.message.removeprefix("Value error, "))
        raise


class _Commands(typer.core.TyperGroup):
    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        use_fast_conversion(self)
        self.commands = _LazyCommands()

    def make_context(self, *args: Any, **settings: Any) -> Any:
        with _printable_errors():
            return super().make_context(*args, **settings)

    def invoke(self, ctx: Any) -> Any:
        with _printable_errors():
            return super().invoke(ctx)


app = typer.Typer(
    cls=_Commands,
    help="Index Claude Code transcripts in SQLite, without losing anything.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings=_HELP,
)


def _version(requested: bool) -> None:  # noqa: FBT001 - signature of a typer callback
    if requested:
        print_text(f"ccindex {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    _version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    pass
