"""Measure how the cost of indexing grows for generated transcripts of extreme shapes, and print a table."""

import argparse
import json
import sqlite3
import sys
import tempfile
from pathlib import Path
from time import perf_counter
from typing import NamedTuple
from unittest.mock import patch

from ccindex.derive.changes import Derived, derive
from ccindex.ingest.ingest import ingest
from ccindex.maintain.update import begin_run
from ccindex.store.connection import changing
from ccindex.store.entry_writer import Changes
from transcripts.entries import EntryMaker
from transcripts.shapes import SHAPES, Shape, write

_SEED = 1
_TABLE = "{:<9}{:>9}{:>9}{:>9}{:>7}{:>9}{:>7}{:>11}{:>9}{:>9}"


class Cost(NamedTuple):
    """Seconds that one run spent recording and deriving, and its row counts."""

    entries: int
    recording: float
    deriving: float
    families: int
    rows: int

    @property
    def seconds(self) -> float:
        """Total duration."""
        return self.recording + self.deriving


def shapes(arguments: list[str]) -> int:
    """Measure the requested shapes and print one row per size."""
    options = _parser().parse_args(arguments)
    names = options.shapes or list(SHAPES)
    if unknown := sorted(set(names) - SHAPES.keys()):
        print(f"unknown shape: {', '.join(unknown)}; choose from: {', '.join(SHAPES)}", file=sys.stderr)
        return 2
    print(_TABLE.format("", "", "", "record", "", "derive", "", "append one:", "", "").rstrip())
    print(
        _TABLE.format(
            "shape", "entries", "seconds", "µs/entry", "ratio", "µs/entry", "ratio", "families", "rows", "seconds"
        )
    )
    _measure(SHAPES["chain"], 10)  # warm up: the first run includes one-time imports and initialisation
    for name in names:
        sizes = SHAPES[name].sizes
        smallest: Cost | None = None
        for size in sizes[:1] if options.quick else sizes:
            full, appended = _measure(SHAPES[name], size)
            smallest = smallest or full
            print(_row(name, full, smallest, appended), flush=True)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="scripts/bench shapes",
        description="Index generated transcripts of increasing size. Ratios compare the cost per entry with that of "
        "the smallest transcript of the shape; they should stay near 1.",
    )
    parser.add_argument("shapes", nargs="*", metavar="SHAPE", help=f"one of: {', '.join(SHAPES)}; default: all")
    parser.add_argument("--quick", action="store_true", help="measure only the smallest size of each shape")
    return parser


def _row(name: str, full: Cost, smallest: Cost, appended: Cost) -> str:
    cells: list[str] = []
    for seconds, base_seconds in ((full.recording, smallest.recording), (full.deriving, smallest.deriving)):
        per_entry, base_per_entry = seconds / full.entries, base_seconds / smallest.entries
        cells += [f"{per_entry * 1e6:.1f}", f"{per_entry / base_per_entry:.2f}"]
    return _TABLE.format(
        name,
        f"{full.entries:,}",
        f"{full.seconds:.2f}",
        *cells,
        f"{appended.families:,}",
        f"{appended.rows:,}",
        f"{appended.seconds:.3f}",
    )


def _measure(shape: Shape, size: int) -> tuple[Cost, Cost]:
    """Index the files, then append a child of the last entry of the first file and index again."""
    with tempfile.TemporaryDirectory(prefix="ccindex-bench-") as folder:
        root = Path(folder) / "projects"
        write(shape, size, root, seed=_SEED)
        name, lines = next(shape.build(EntryMaker(_SEED), size))
        last = json.loads(lines[-1])
        db = Path(folder) / "bench.db"
        full = _measure_ingest(db, root)
        entry = json.loads(EntryMaker(_SEED).prompt("appended", None, 10_000_000))
        entry |= {"parentUuid": last["uuid"], "sessionId": last["sessionId"]}
        with (root / name).open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")
        return full, _measure_ingest(db, root)


def _measure_ingest(db: Path, root: Path) -> Cost:
    """Run one ingest as the program does, and measure derivation separately."""
    deriving, families = 0.0, 0

    def timed(connection: sqlite3.Connection, changes: Changes, revision: int) -> Derived:
        nonlocal deriving, families
        started = perf_counter()
        derived = derive(connection, changes, revision)
        deriving += perf_counter() - started
        families += derived.family_count
        return derived

    with changing(db, create=True) as connection, patch("ccindex.derive.changes.derive", timed):
        before = connection.total_changes
        started = perf_counter()
        report = ingest(begin_run(connection), [root], must_exist=True)
        seconds = perf_counter() - started
        rows = connection.total_changes - before
    return Cost(report.entries_added, seconds - deriving, deriving, families, rows)
