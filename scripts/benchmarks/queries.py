"""An index to a table of what the example queries take on it."""

import argparse
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from time import perf_counter

from ccindex.store.sql_files import load, names

_TABLE = "{:<34}{:>7}{:>9}{:>8}"
# reads a row of every object that was ever recorded: what a query costs is told in such scans
_YARDSTICK = "select count(*) from v1_occurrences"


def queries(arguments: list[str]) -> int:
    """Run every example on an index and print a row for each, the slowest first."""
    parser = argparse.ArgumentParser(
        prog="scripts/bench queries",
        description="Run every query of sql/examples on an index, which is not changed. Each time is the best of "
        f"three; the ratio is to that of `{_YARDSTICK}`.",
    )
    parser.add_argument("db", metavar="DB", type=Path, help="the index")
    db: Path = parser.parse_args(arguments).db
    if not db.is_file():
        print(f"There is no index at {db}; make one with: ccindex ingest --db {db}", file=sys.stderr)
        return 1
    try:
        with closing(sqlite3.connect(f"{db.resolve().as_uri()}?mode=ro", uri=True)) as connection:
            _, unit = _asked(connection, _YARDSTICK)
            costs = {name: _asked(connection, load(f"examples/{name}")) for name in names("examples")}
    except sqlite3.DatabaseError as error:
        print(f"{db} cannot be asked ({error}); try: ccindex db upgrade --db {db}", file=sys.stderr)
        return 1
    print(_TABLE.format("query", "rows", "seconds", "ratio"))
    for name, (rows, seconds) in sorted(costs.items(), key=lambda cost: -cost[1][1]):
        print(_TABLE.format(name, rows, f"{seconds:.3f}", f"{seconds / unit:.1f}"))
    return 0


def _asked(connection: sqlite3.Connection, query: str) -> tuple[int, float]:
    """Return how many rows a query has, and its best time."""
    times: list[float] = []
    for _ in range(3):
        started = perf_counter()
        rows = connection.execute(query).fetchall()
        times.append(perf_counter() - started)
    return len(rows), min(times)
