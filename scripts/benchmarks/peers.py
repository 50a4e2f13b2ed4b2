"""A corpus to what other programs that read transcripts take for it, those of them that are installed."""

import importlib.util
import re
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from .places import Place, furnish
from .process import last_line, run
from .results import Peer

_COUNT = (
    "select type, count(*) "
    "from read_json('{}/**/*.jsonl', format='newline_delimited', union_by_name=true, ignore_errors=true) group by 1"
)


_VERSION = re.compile(r"\d+(?:\.\d+)+")


@dataclass(frozen=True, slots=True)
class Program:
    """A program, what to say to it so that it reads everything, and what it must find in its environment."""

    name: str
    words: Callable[[Place], list[str]]
    environment: dict[str, str] = field(default_factory=dict)


PROGRAMS = (
    # without it a server stays behind
    Program("agentsview", lambda _: ["agentsview", "sync"], {"AGENTSVIEW_NO_DAEMON": "1"}),
    Program("ccusage", lambda _: ["ccusage", "daily", "--offline"]),
    Program("claude-code-log", lambda _: ["claude-code-log"]),
    Program("duckdb", lambda place: _duckdb(_COUNT.format(place.projects))),
)


def peers(corpus: Path, work: Path) -> list[Peer]:
    """Run each program twice, in a home of its own."""
    return [_measured(program, corpus, work / program.name) for program in PROGRAMS]


def _measured(program: Program, corpus: Path, home: Path) -> Peer:
    words = program.words(Place(home))
    told = " ".join(words).replace(str(Place(home).projects), "PROJECTS")
    if shutil.which(words[0]) is None:
        return Peer(program.name, "", told, None, None, "not installed")
    place = furnish(home, corpus)
    environment = place.environment | program.environment
    first, again = (run(words, folder=home, environment=environment) for _ in range(2))
    said = run(_version(words), folder=home, environment=environment).output.decode(errors="replace")
    version = next(iter(_VERSION.findall(said)), "")
    shutil.rmtree(home)
    if first.status or again.status:
        problem = last_line(first.errors) or last_line(again.errors)
        return Peer(program.name, version, told, None, None, problem or "failed")
    return Peer(program.name, version, told, first.cost, again.cost, "")


def _version(words: list[str]) -> list[str]:
    if words[0] == sys.executable:
        return [words[0], "-c", "import duckdb; print(duckdb.__version__)"]
    return [words[0], "--version"]


def _duckdb(query: str) -> list[str]:
    """Return the program with a query, or Python with the library if only that is there."""
    if shutil.which("duckdb") is None and importlib.util.find_spec("duckdb") is not None:
        return [sys.executable, "-c", f'import duckdb; duckdb.sql("{query}").show()']
    return ["duckdb", "-c", query]
