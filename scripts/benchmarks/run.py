"""Measure ccindex on a corpus; print the results as tables, and write them as JSON or into docs/performance.md."""

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
from .growth import measure_corpus, measure_step, multiply_corpus
from .homes import ROOT, create_home, has_sessions
from .peers import measure_peers
from .process import Failed
from .results import Machine, Results, from_json
from .tables import build_tables, describe_run, to_markdown, to_text

_PAGE = ROOT / "docs" / "performance.md"
_MEASURED = re.compile(r"(<!-- measured: costs -->\n).*?(<!-- end -->)", re.DOTALL)


def run(arguments: list[str]) -> int:
    """Measure ccindex or load saved results, print the results, and write the requested files."""
    options = _parser().parse_args(arguments)
    try:
        results = _load_or_measure(options)
    except Failed as error:
        print(error, file=sys.stderr)
        return 1
    print(describe_run(results), end="\n\n")
    print("\n".join(map(to_text, build_tables(results))))
    if options.json:
        options.json.write_text(results.as_json(), encoding="utf-8")
    if options.page:
        text = _PAGE.read_text(encoding="utf-8")
        _PAGE.write_text(update_page(text, results), encoding="utf-8")
    return 0


def update_page(page: str, results: Results) -> str:
    """Return docs/performance.md with the results in the section between the markers."""
    section = "\n".join([textwrap.fill(describe_run(results), 120), "", *map(to_markdown, build_tables(results))])
    return _MEASURED.sub(lambda match: f"{match[1]}\n{section}\n{match[2]}", page)


def _load_or_measure(options: argparse.Namespace) -> Results:
    corpus: Path = options.corpus
    if corpus.is_file():
        return from_json(corpus.read_text(encoding="utf-8"))
    if (corpus / "projects").is_dir():
        corpus = corpus / "projects"
    if not has_sessions(corpus):
        raise Failed(f"There are no sessions below {corpus}")
    with tempfile.TemporaryDirectory(prefix="ccindex-bench-", dir=options.work) as folder:
        return _measure(corpus.resolve(), Path(folder).resolve(), options)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="scripts/bench",
        description="Measure indexing, read-only commands, memory, disk space and growth for a corpus of transcripts. "
        "Every run is a separate process, so times include Python's startup. Times are the minimum of several runs; "
        "memory is the maximum. Cold commands run without the index in the page cache.",
        epilog="`scripts/bench shapes` measures generated transcripts of extreme shapes. `scripts/bench queries DB` "
        "measures the example queries on an index. Both accept --help.",
    )
    parser.add_argument(
        "corpus",
        metavar="CORPUS",
        type=Path,
        help="folder of transcripts, or a file written by --json, to print its tables again",
    )
    parser.add_argument("--repeat", type=int, default=3, metavar="N", help="number of runs of each kind; default: 3")
    parser.add_argument(
        "--times",
        type=int,
        default=1,
        metavar="N",
        help="multiply the corpus by N, except when measuring growth; default: 1",
    )
    parser.add_argument(
        "--growth",
        type=_factors,
        default=(1, 2, 4, 8, 16),
        metavar="N,...",
        help="factors by which to multiply the corpus when measuring growth, or 0 to skip this; default: 1,2,4,8,16",
    )
    parser.add_argument("--no-peers", action="store_true", help="do not measure other programs, even if installed")
    parser.add_argument("--word", default="error", help="word to search for; default: error")
    parser.add_argument("--work", type=Path, metavar="DIR", help="folder for temporary copies of the corpus")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the results to FILE as JSON")
    parser.add_argument("--page", action="store_true", help="also write the tables to docs/performance.md")
    return parser


def _factors(text: str) -> tuple[int, ...]:
    return tuple(number for number in map(int, text.split(",")) if number > 0)


def _measure(source: Path, folder: Path, options: argparse.Namespace) -> Results:
    transcripts = source
    if options.times > 1:
        transcripts = multiply_corpus(source, folder / "many", options.times).projects
    home = create_home(folder / "home", transcripts)
    repeat: int = options.repeat
    _show_progress("the floor")
    floor = ingests.measure_floor(home, repeat)
    _show_progress("all files into a new index")
    runs = {"cold": ingests.measure_cold(home, repeat)}
    corpus, index = measure_corpus(home), commands.measure_index(home)
    _show_progress("no changes, and commands")
    runs["unchanged"] = ingests.measure_unchanged(home, repeat)
    command_costs = commands.measure_commands(home, repeat, word=options.word)
    _show_progress("new lines and sessions")  # last, because it changes the corpus
    runs["appended"] = ingests.measure_appended(home, repeat)
    runs["new session"] = ingests.measure_new_session(home, repeat)
    steps = []
    for times in options.growth:
        _show_progress(f"{times} times the corpus")
        steps.append(measure_step(source, folder, times, repeat=repeat))
    _show_progress("other programs")
    peers = [] if options.no_peers else measure_peers(transcripts, folder)
    return Results(_describe_machine(), repeat, corpus, floor, runs, command_costs, index, steps, peers)


def _show_progress(subject: str) -> None:
    """Show on a terminal what is being measured."""
    if sys.stderr.isatty():
        print(f"measuring: {subject}", file=sys.stderr)


def _describe_machine() -> Machine:
    return Machine(
        processor=_processor_name(),
        cores=os.cpu_count() or 1,
        memory=os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        system=platform.system(),
        python=platform.python_version(),
        sqlite=sqlite3.sqlite_version,
        ccindex=__version__,
        day=datetime.now(UTC).date().isoformat(),
    )


def _processor_name() -> str:
    """Return the model name of the processor if the system provides it, otherwise its architecture."""
    info = Path("/proc/cpuinfo")
    match = re.search(r"^model name\s*:\s*(.+)$", info.read_text(), re.MULTILINE) if info.exists() else None
    return match[1] if match else platform.processor() or platform.machine()
