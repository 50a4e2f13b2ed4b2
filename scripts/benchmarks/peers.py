"""Measure other transcript readers on the same corpus, if they are installed."""

import importlib.util
import re
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from .homes import Home, create_home
from .process import last_line, run
from .results import Peer

_DUCKDB_QUERY = (
    "select type, count(*) "
    "from read_json('{}/**/*.jsonl', format='newline_delimited', union_by_name=true, ignore_errors=true) group by 1"
)


_VERSION = re.compile(r"\d+(?:\.\d+)+")


@dataclass(frozen=True, slots=True)
class Program:
    """A program, the command that makes it read all transcripts of a home, and additional environment variables."""

    name: str
    command: Callable[[Home], list[str]]
    environment: dict[str, str] = field(default_factory=dict)


PROGRAMS = (
    # the variable prevents it from leaving a server running
    Program("agentsview", lambda _: ["agentsview", "sync"], {"AGENTSVIEW_NO_DAEMON": "1"}),
    Program("ccusage", lambda _: ["ccusage", "daily", "--offline"]),
    Program("claude-code-log", lambda _: ["claude-code-log"]),
    Program("duckdb", lambda home: _duckdb_command(_DUCKDB_QUERY.format(home.projects))),
)


def measure_peers(corpus: Path, work: Path) -> list[Peer]:
    """Run every program twice. Each program has its own home."""
    return [_measure(program, corpus, work / program.name) for program in PROGRAMS]


def _measure(program: Program, corpus: Path, folder: Path) -> Peer:
    command = program.command(Home(folder))
    command_line = " ".join(command).replace(str(Home(folder).projects), "PROJECTS")
    if shutil.which(command[0]) is None:
        return Peer(program.name, "", command_line, None, None, "not installed")
    environment = create_home(folder, corpus).environment | program.environment
    first, again = (run(command, folder=folder, environment=environment) for _ in range(2))
    output = run(_version_command(command), folder=folder, environment=environment).output.decode(errors="replace")
    version = next(iter(_VERSION.findall(output)), "")
    shutil.rmtree(folder)
    if first.status or again.status:
        problem = last_line(first.errors) or last_line(again.errors)
        return Peer(program.name, version, command_line, None, None, problem or "failed")
    return Peer(program.name, version, command_line, first.cost, again.cost, "")


def _version_command(command: list[str]) -> list[str]:
    if command[0] == sys.executable:
        return [command[0], "-c", "import duckdb; print(duckdb.__version__)"]
    return [command[0], "--version"]


def _duckdb_command(query: str) -> list[str]:
    """Return the command that runs a query: the program, or Python if only DuckDB's library is installed."""
    if shutil.which("duckdb") is None and importlib.util.find_spec("duckdb") is not None:
        return [sys.executable, "-c", f'import duckdb; duckdb.sql("{query}").show()']
    return ["duckdb", "-c", query]
