"""Measure how the cost of indexing grows for generated transcripts of extreme shapes, and print a table."""

import argparse
import gc
import json
import sqlite3
import sys
import tempfile
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple
from unittest.mock import patch

from ccindex.derive.derive import Derived, derive
from ccindex.ingest.ingest import ingest
from ccindex.maintain.update import begin_run
from ccindex.store.connection import changing
from ccindex.store.entry_writer import Changes
from transcripts.entries import EntryMaker
from transcripts.shapes import SHAPES, Shape, write

from .shape_commands import COMMANDS, measure_commands

MAX_RATIO = 1.25  # of the cost per unit, compared with the smallest size
_SEED = 1
_TABLE = "{:<15}{:>9}{:>9}{:>9}{:>7}{:>9}{:>7}{:>7}{:>11}{:>9}{:>9}"
_COMMAND_TABLE = "{:<15}{:>9}" + "{:>10}" * len(COMMANDS)


class Cost(NamedTuple):
    """CPU seconds that one run spent recording and deriving, the number of units it read, and its row counts.

    The unit is the entry, the line or the file, whichever is the most frequent.
    """

    units: int
    recording: float
    deriving: float
    families: int
    rows: int

    @property
    def seconds(self) -> float:
        """Total CPU time."""
        return self.recording + self.deriving


class Measured(NamedTuple):
    """The costs of a first run and of a run after one entry was appended, and the CPU seconds of the commands."""

    full: Cost
    appended: Cost
    commands: tuple[float, ...]


def shapes(arguments: list[str]) -> int:
    """Measure the requested shapes and print one row per size. Return 1 if the cost of a shape grows too fast."""
    options = _parser().parse_args(arguments)
    names = options.shapes or list(SHAPES)
    if unknown := sorted(set(names) - SHAPES.keys()):
        print(f"unknown shape: {', '.join(unknown)}; choose from: {', '.join(SHAPES)}", file=sys.stderr)
        return 2
    _print_header(commands=options.commands)
    _measure(SHAPES["chain"], 10, repeat=1, commands=False)  # the first run includes imports and initialisation
    too_fast = []
    for name in names:
        smallest: Cost | None = None
        for size in SHAPES[name].sizes[: 1 if options.quick else None]:
            measured = _measure(SHAPES[name], size, repeat=options.repeat, commands=options.commands)
            smallest = smallest or measured.full
            print(_command_row(name, measured) if options.commands else _row(name, smallest, measured), flush=True)
            if _ratio(smallest, measured.full, "seconds") > MAX_RATIO:
                too_fast.append(f"{name} {size}")
    if too_fast and not options.commands:
        print(f"more than {MAX_RATIO} times the cost per unit: {', '.join(too_fast)}", file=sys.stderr)
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="scripts/bench shapes",
        description="Index generated transcripts of increasing size in this process, and measure its CPU time. Ratios "
        "compare the cost per unit with that of the smallest transcript of the shape; they should stay near 1. "
        f"The exit status is 1 if a total exceeds {MAX_RATIO}. The unit is the entry, line or file.",
    )
    parser.add_argument("shapes", nargs="*", metavar="SHAPE", help=f"one of: {', '.join(SHAPES)}; default: all")
    parser.add_argument("--quick", action="store_true", help="measure only the smallest size of each shape")
    parser.add_argument("--repeat", type=int, default=1, metavar="N", help="take the best of N runs; default: 1")
    parser.add_argument(
        "--commands", action="store_true", help=f"measure these commands instead: {', '.join(COMMANDS)}"
    )
    return parser


def _print_header(*, commands: bool) -> None:
    if commands:
        print(_COMMAND_TABLE.format("shape", "units", *COMMANDS))
        return
    print(_TABLE.format("", "", "CPU", "record", "", "derive", "", "total", "append one:", "", "CPU").rstrip())
    headings = ("shape", "units", "seconds", "µs/unit", "ratio", "µs/unit", "ratio", "ratio", "families", "rows")
    print(_TABLE.format(*headings, "seconds"))


def _row(name: str, smallest: Cost, measured: Measured) -> str:
    full, appended = measured.full, measured.appended
    cells: list[str] = []
    for part in ("recording", "deriving"):
        per_unit = getattr(full, part) / full.units
        cells += [f"{per_unit * 1e6:.1f}", f"{_ratio(smallest, full, part):.2f}"]
    return _TABLE.format(
        name,
        f"{full.units:,}",
        f"{full.seconds:.2f}",
        *cells,
        f"{_ratio(smallest, full, 'seconds'):.2f}",
        f"{appended.families:,}",
        f"{appended.rows:,}",
        f"{appended.seconds:.3f}",
    )


def _command_row(name: str, measured: Measured) -> str:
    cells = (f"{seconds:.2f}" for seconds in measured.commands)
    return _COMMAND_TABLE.format(name, f"{measured.full.units:,}", *cells)


def _ratio(smallest: Cost, cost: Cost, part: str) -> float:
    ratio: float = getattr(cost, part) / cost.units / (getattr(smallest, part) / smallest.units)
    return ratio


def _measure(shape: Shape, size: int, *, repeat: int, commands: bool) -> Measured:
    """Index the files, then append an entry to the first file and index again; take the best of several runs."""
    with tempfile.TemporaryDirectory(prefix="ccindex-bench-") as folder:
        root = Path(folder) / "projects"
        write(shape, size, root, seed=_SEED)
        databases = [Path(folder) / f"{number}" / "bench.db" for number in range(repeat)]
        full = min((_measure_ingest(db, root) for db in databases), key=_total)
        command_seconds = measure_commands(databases[0]) if commands else ()
        name, lines = next(shape.build(EntryMaker(_SEED), size))
        with (root / name).open("a", encoding="utf-8") as file:
            file.write(json.dumps(_next_entry(lines)) + "\n")
        appended = min((_measure_ingest(db, root) for db in databases), key=_total)
        return Measured(full, appended, command_seconds)


def _next_entry(lines: list[str]) -> dict[str, Any]:
    """Return a child of the last entry in the lines."""
    last = json.loads(next(line for line in reversed(lines) if '"uuid":"' in line))
    entry: dict[str, Any] = json.loads(EntryMaker(_SEED).prompt("appended", None, 10_000_000))
    return entry | {"parentUuid": last["uuid"], "sessionId": last["sessionId"]}


def _total(cost: Cost) -> float:
    return cost.seconds


def _measure_ingest(db: Path, root: Path) -> Cost:
    """Run one ingest in this process, and measure derivation separately."""
    deriving, families = 0.0, 0

    def timed(connection: sqlite3.Connection, changes: Changes, revision: int) -> Derived:
        nonlocal deriving, families
        started = process_time()
        derived = derive(connection, changes, revision)
        deriving += process_time() - started
        families += derived.family_count
        return derived

    gc.collect()
    with changing(db, create=True) as connection, patch("ccindex.derive.derive.derive", timed):
        before = connection.total_changes
        started = process_time()
        report = ingest(begin_run(connection), [root], must_exist=True)
        seconds = process_time() - started
        rows = connection.total_changes - before
    units = max(report.entries_added, report.lines_read, report.files["seen"])
    return Cost(units, seconds - deriving, deriving, families, rows)
