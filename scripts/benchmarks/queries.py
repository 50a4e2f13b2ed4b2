"""Measure queries on an index, those in sql/examples and those in view_queries, and print a table."""

import argparse
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from time import perf_counter

from benchmarks.view_queries import view_queries
from ccindex.store.sql_files import load, names

_TABLE = "{:<64}{:>7}{:>9}{:>8}"
# scans one row per recorded object; the cost of a query is shown as a multiple of this scan
_REFERENCE_QUERY = "select count(*) from v1_occurrences"


def queries(arguments: list[str]) -> int:
    """Run the queries on an index and print one row per query, slowest first."""
    parser = argparse.ArgumentParser(
        prog="scripts/bench queries",
        description="Run every query in sql/examples, and lookups and left joins on the views. The index is not "
        f"changed. Times are the best of three runs; ratios are relative to `{_REFERENCE_QUERY}`.",
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
            for query in view_queries():
                row = connection.execute(query.sample).fetchone() if query.sample else None
                costs[query.name] = _time_query(connection, query.sql, row[0] if row else None)
    except sqlite3.DatabaseError as error:
        print(f"{db} cannot be queried ({error}); try: ccindex db upgrade --db {db}", file=sys.stderr)
        return 1
    print(_TABLE.format("query", "rows", "seconds", "ratio"))
    for name, (rows, seconds) in sorted(costs.items(), key=lambda cost: -cost[1][1]):
        print(_TABLE.format(name, rows, f"{seconds:.3f}", f"{seconds / reference_seconds:.1f}"))
    return 0


def _time_query(connection: sqlite3.Connection, query: str, value: str | int | None = None) -> tuple[int, float]:
    """Return the number of rows that a query returns, and its best time in seconds; `value`: its parameter."""
    times: list[float] = []
    for _ in range(3):
        started = perf_counter()
        rows = connection.execute(query, {"value": value}).fetchall()
        times.append(perf_counter() - started)
    return len(rows), min(times)
