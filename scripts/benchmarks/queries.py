"""Measure the example queries on an index and print a table."""

import argparse
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from time import perf_counter

from ccindex.store.sql_files import load, names

_TABLE = "{:<34}{:>7}{:>9}{:>8}"
# scans one row per recorded object; the cost of a query is shown as a multiple of this scan
_REFERENCE_QUERY = "select count(*) from v1_occurrences"


def queries(arguments: list[str]) -> int:
    """Run every example query on an index and print one row per query, slowest first."""
    parser = argparse.ArgumentParser(
        prog="scripts/bench queries",
        description="Run every query in sql/examples on an index. The index is not changed. Times are the best of "
        f"three runs; ratios are relative to `{_REFERENCE_QUERY}`.",
    )
    parser.add_argument("db", metavar="DB", type=Path, help="path of the index")
    db: Path = parser.parse_args(arguments).db
    if not db.is_file():
        print(f"There is no index at {db}; create one with: ccindex ingest --db {db}", file=sys.stderr)
        return 1
    try:
        with closing(sqlite3.connect(f"{db.resolve().as_uri()}?mode=ro", uri=True)) as connection:
            _, reference_seconds = _time_query(connection, _REFERENCE_QUERY)
            costs = {name: _time_query(connection, load(f"examples/{name}")) for name in names("examples")}
    except sqlite3.DatabaseError as error:
        print(f"{db} cannot be queried ({error}); try: ccindex db upgrade --db {db}", file=sys.stderr)
        return 1
    print(_TABLE.format("query", "rows", "seconds", "ratio"))
    for name, (rows, seconds) in sorted(costs.items(), key=lambda cost: -cost[1][1]):
        print(_TABLE.format(name, rows, f"{seconds:.3f}", f"{seconds / reference_seconds:.1f}"))
    return 0


def _time_query(connection: sqlite3.Connection, query: str) -> tuple[int, float]:
    """Return the number of rows that a query returns, and its best time in seconds."""
    times: list[float] = []
    for _ in range(3):
        started = perf_counter()
        rows = connection.execute(query).fetchall()
        times.append(perf_counter() - started)
    return len(rows), min(times)
