"""Made-up transcripts of unpleasant shapes to a table of what indexing them costs as they grow."""

import argparse
import json
import sqlite3
import sys
import tempfile
from pathlib import Path
from time import perf_counter
from typing import NamedTuple
from unittest.mock import patch

from ccindex.derive.derive import Derived, derive
from ccindex.ingest.ingest import ingest
from ccindex.maintain.update import begin_run
from ccindex.store.connection import changing
from ccindex.store.entry_writer import Changes
from transcripts.entries import Maker
from transcripts.shapes import SHAPES, Shape, write

_SEED = 1
_TABLE = "{:<9}{:>9}{:>9}{:>9}{:>7}{:>9}{:>7}{:>11}{:>9}{:>9}"


class Cost(NamedTuple):
    """What one run took, in seconds, and what it did."""

    entries: int
    recording: float
    deriving: float
    families: int
    rows: int

    @property
    def seconds(self) -> float:
        """All of it."""
        return self.recording + self.deriving


def shapes(arguments: list[str]) -> int:
    """Measure the shapes wanted and print a row for each size."""
    wanted = _parser().parse_args(arguments)
    names = wanted.shapes or list(SHAPES)
    if unknown := sorted(set(names) - SHAPES.keys()):
        print(f"no shape {', '.join(unknown)}; there are: {', '.join(SHAPES)}", file=sys.stderr)
        return 2
    print(_TABLE.format("", "", "", "record", "", "derive", "", "append one:", "", "").rstrip())
    print(
        _TABLE.format(
            "shape", "entries", "seconds", "µs/entry", "ratio", "µs/entry", "ratio", "families", "rows", "seconds"
        )
    )
    _measured(SHAPES["chain"], 10)  # the first run pays for what Python and SQLite load once
    for name in names:
        sizes = SHAPES[name].sizes
        least: Cost | None = None
        for size in sizes[:1] if wanted.quick else sizes:
            whole, appended = _measured(SHAPES[name], size)
            least = least or whole
            print(_row(name, whole, least, appended), flush=True)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="scripts/bench shapes",
        description="Index made-up transcripts of growing size. Each ratio is the cost of an entry over that in the "
        "smallest transcript of the shape: it must stay flat.",
    )
    parser.add_argument("shapes", nargs="*", metavar="SHAPE", help=f"one of: {', '.join(SHAPES)}; default: all")
    parser.add_argument("--quick", action="store_true", help="only the smallest size of each shape")
    return parser


def _row(name: str, whole: Cost, least: Cost, appended: Cost) -> str:
    cells: list[str] = []
    for cost, first in ((whole.recording, least.recording), (whole.deriving, least.deriving)):
        each, each_first = cost / whole.entries, first / least.entries
        cells += [f"{each * 1e6:.1f}", f"{each / each_first:.2f}"]
    return _TABLE.format(
        name,
        f"{whole.entries:,}",
        f"{whole.seconds:.2f}",
        *cells,
        f"{appended.families:,}",
        f"{appended.rows:,}",
        f"{appended.seconds:.3f}",
    )


def _measured(shape: Shape, size: int) -> tuple[Cost, Cost]:
    """Index the files, then one more entry below the last of the first file."""
    with tempfile.TemporaryDirectory(prefix="ccindex-bench-") as folder:
        root = Path(folder) / "projects"
        write(shape, size, root, seed=_SEED)
        grown, lines = next(shape.build(Maker(_SEED), size))
        last = json.loads(lines[-1])
        db = Path(folder) / "bench.db"
        whole = _indexed(db, root)
        more = json.loads(Maker(_SEED).prompt("appended", None, 10_000_000))
        more |= {"parentUuid": last["uuid"], "sessionId": last["sessionId"]}
        with (root / grown).open("a", encoding="utf-8") as file:
            file.write(json.dumps(more) + "\n")
        return whole, _indexed(db, root)


def _indexed(db: Path, root: Path) -> Cost:
    """Run one ingest as the program does, with its deriving measured apart."""
    deriving, families = 0.0, 0

    def timed(connection: sqlite3.Connection, changes: Changes, revision: int) -> Derived:
        nonlocal deriving, families
        started = perf_counter()
        derived = derive(connection, changes, revision)
        deriving += perf_counter() - started
        families += derived.family_count
        return derived

    with changing(db, create=True) as connection, patch("ccindex.derive.derive.derive", timed):
        before = connection.total_changes
        started = perf_counter()
        report = ingest(begin_run(connection), [root], named=True)
        seconds = perf_counter() - started
        rows = connection.total_changes - before
    return Cost(report.entries_added, seconds - deriving, deriving, families, rows)
