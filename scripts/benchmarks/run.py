"""A corpus to tables, JSON and the README's section of what ccindex costs."""

import argparse
import os
import platform
import re
import sqlite3
import sys
import tempfile
import textwrap
from datetime import UTC, datetime
from pathlib import Path

from ccindex import __version__

from . import commands, ingests
from .growth import measured, multiplied, step
from .peers import peers
from .places import ROOT, furnish, has_sessions
from .process import Failed
from .results import Machine, Results, from_json
from .tables import about, markdown, plain, tables

_README = ROOT / "README.md"
_PART = re.compile(r"(<!-- measured: costs -->\n).*?(<!-- end -->)", re.DOTALL)


def run(arguments: list[str]) -> int:
    """Measure, or take what was measured before; then print, keep and publish it."""
    wanted = _parser().parse_args(arguments)
    try:
        results = _results(wanted)
    except Failed as error:
        print(error, file=sys.stderr)
        return 1
    print(about(results), end="\n\n")
    print("\n".join(map(plain, tables(results))))
    if wanted.json:
        wanted.json.write_text(results.as_json(), encoding="utf-8")
    if wanted.readme:
        text = _README.read_text(encoding="utf-8")
        _README.write_text(published(text, results), encoding="utf-8")
    return 0


def published(readme: str, results: Results) -> str:
    """Return the README with the results in the place that is marked for them."""
    told = "\n".join([textwrap.fill(about(results), 120), "", *map(markdown, tables(results))])
    return _PART.sub(lambda match: f"{match[1]}\n{told}\n{match[2]}", readme)


def _results(wanted: argparse.Namespace) -> Results:
    corpus: Path = wanted.corpus
    if corpus.is_file():
        return from_json(corpus.read_text(encoding="utf-8"))
    if (corpus / "projects").is_dir():
        corpus = corpus / "projects"
    if not has_sessions(corpus):
        raise Failed(f"There are no sessions below {corpus}")
    with tempfile.TemporaryDirectory(prefix="ccindex-bench-", dir=wanted.work) as folder:
        return _measured(corpus.resolve(), Path(folder).resolve(), wanted)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="scripts/bench",
        description="Index a corpus in every way that there is, ask the index, and print what it costs. Every run is "
        "a process of its own, so that the start of Python counts; times are the best of several runs, memory is the "
        "most of them. A command is cold when the system holds nothing of the index in memory.",
        epilog="`scripts/bench shapes` measures made-up transcripts of unpleasant shapes, `scripts/bench queries DB` "
        "the example queries on an index; both have --help.",
    )
    parser.add_argument(
        "corpus", metavar="CORPUS", type=Path, help="a folder of transcripts; or what --json kept, to be printed again"
    )
    parser.add_argument("--repeat", type=int, default=3, metavar="N", help="runs of each kind; default: 3")
    parser.add_argument(
        "--times", type=int, default=1, metavar="N", help="measure so many times the corpus, but for growth; default: 1"
    )
    parser.add_argument(
        "--growth",
        type=_factors,
        default=(1, 2, 4, 8, 16),
        metavar="N,...",
        help="how many times the corpus to index, one after the other; default: 1,2,4,8,16; 0: do not",
    )
    parser.add_argument("--no-peers", action="store_true", help="do not run other programs, even if installed")
    parser.add_argument("--word", default="error", help="what to search for; default: error")
    parser.add_argument("--work", type=Path, metavar="DIR", help="where to put copies of the corpus for the time being")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures to a file, too")
    parser.add_argument("--readme", action="store_true", help="put the tables in README.md")
    return parser


def _factors(text: str) -> tuple[int, ...]:
    return tuple(number for number in map(int, text.split(",")) if number > 0)


def _measured(source: Path, folder: Path, wanted: argparse.Namespace) -> Results:
    many = multiplied(source, folder / "many", wanted.times).projects if wanted.times > 1 else source
    place = furnish(folder / "home", many)
    repeat: int = wanted.repeat
    _tell("the floor")
    floor = ingests.floor(place, repeat)
    _tell("everything, into a new index")
    runs = {"cold": ingests.cold(place, repeat)}
    corpus, index = measured(place), commands.index(place)
    _tell("nothing new, and commands")
    runs["unchanged"] = ingests.unchanged(place, repeat)
    asked = commands.commands(place, repeat, word=wanted.word)
    _tell("what is new")  # it changes the corpus, so it comes last
    runs["appended"] = ingests.appended(place, repeat)
    runs["new session"] = ingests.new_session(place, repeat)
    steps = []
    for times in wanted.growth:
        _tell(f"{times} times the corpus")
        steps.append(step(source, folder, times, repeat=repeat))
    _tell("other programs")
    others = [] if wanted.no_peers else peers(many, folder)
    return Results(_machine(), repeat, corpus, floor, runs, asked, index, steps, others)


def _tell(what: str) -> None:
    """Say to whoever waits at a terminal what is being measured."""
    if sys.stderr.isatty():
        print(f"measuring: {what}", file=sys.stderr)


def _machine() -> Machine:
    return Machine(
        processor=_processor(),
        cores=os.cpu_count() or 1,
        memory=os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        system=platform.system(),
        python=platform.python_version(),
        sqlite=sqlite3.sqlite_version,
        ccindex=__version__,
        day=datetime.now(UTC).date().isoformat(),
    )


def _processor() -> str:
    """The name of the processor where the system tells one, else its kind."""
    told = Path("/proc/cpuinfo")
    found = re.search(r"^model name\s*:\s*(.+)$", told.read_text(), re.MULTILINE) if told.exists() else None
    return found[1] if found else platform.processor() or platform.machine()
