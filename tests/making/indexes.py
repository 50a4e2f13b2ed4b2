"""Create, rebuild, query and compare indexes."""

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ccindex.ingest.ingest import IngestReport, ingest
from ccindex.maintain.rebuild import rebuild as rebuild_rows
from ccindex.maintain.update import begin_run, open_to_ingest
from ccindex.model.sources import Tombstone, TombstoneKind
from ccindex.store.connection import changing
from ccindex.store.sql_files import load, names

# columns and views that depend on when, and in how many runs, the data was indexed
RUN_COLUMNS = {"revision", "run_id", "first_indexed_at", "last_indexed_at", "forgotten_at"}
RUN_VIEWS = {"v1_ingest_runs", "v1_meta"}
_FACT_DIAGNOSTICS = {"duplicate-uuid-differs", "extra-result", "orphan-result", "missing-model", "unknown-model"}


ViewRows = dict[str, list[tuple[Any, ...]]]


def index(db: Path, *paths: Path, full: bool = False, jobs: int | None = None) -> IngestReport:
    """Run one ingest in this process; an empty index is filled with `jobs` workers, or by the run if that is None."""
    if not db.exists():
        # copying an empty index saves the 250 ms that Alembic needs to create one
        db.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        db.touch(mode=0o600)  # the mode that ccindex uses
        db.write_bytes(empty_index())
    if jobs is not None:
        with open_to_ingest(db, paths, jobs=jobs) as run:
            return ingest(run, paths, must_exist=True, full=full)
    with changing(db, create=True) as connection:
        return ingest(begin_run(connection), paths, must_exist=True, full=full)


@cache
def empty_index() -> bytes:
    """Return the bytes of an index without entries."""
    with TemporaryDirectory() as folder:
        db = Path(folder) / "empty.db"
        with changing(db, create=True):
            pass
        return db.read_bytes()


def rebuild(db: Path) -> None:
    """Rebuild an index in this process."""
    with changing(db, create=False) as connection:
        rebuild_rows(connection)


def ask(db: Path | sqlite3.Connection, query: str, *values: Any) -> list[tuple[Any, ...]]:
    """Query an index like any other SQLite client. An open connection avoids parsing the schema for every query."""
    if isinstance(db, sqlite3.Connection):
        return db.execute(query, values).fetchall()
    with closing(sqlite3.connect(db)) as connection:
        return connection.execute(query, values).fetchall()


def one(db: Path, query: str, *values: Any) -> Any:
    """Query an index for one value."""
    [(value,)] = ask(db, query, *values)
    return value


def rows_of(db: Path, view: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of a view as dictionaries."""
    columns = [row[1] for row in ask(db, f"pragma table_info({view})")]
    for row in ask(db, f"select {', '.join(columns)} from {view}"):
        yield dict(zip(columns, row, strict=True))


def broken(db: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Return the violated invariants, with the rows that violate them."""
    with closing(sqlite3.connect(db)) as connection:
        return broken_in(connection)


def broken_in(connection: sqlite3.Connection) -> dict[str, list[tuple[Any, ...]]]:
    """Return the same as `broken` for an open connection."""
    violations = {name: connection.execute(load(f"check/{name}")).fetchall() for name in names("check")}
    # CHECK constraints are disabled when ccindex writes, so they are checked here
    violations["quick_check"] = [row for row in connection.execute("pragma quick_check") if row != ("ok",)]
    return {name: rows for name, rows in violations.items() if rows}


def everything(db: Path, *, ignore: Iterable[str] = ()) -> dict[str, list[tuple[Any, ...]]]:
    """Return the sorted rows of all views, and hashes of the full-text terms; omit what depends on the runs."""
    with closing(sqlite3.connect(db)) as connection:
        return everything_in(connection, ignore=ignore)


def everything_in(connection: sqlite3.Connection, *, ignore: Iterable[str] = ()) -> dict[str, list[tuple[Any, ...]]]:
    """Like `everything`, but for an open connection that has already parsed the schema."""
    rows_by_view: dict[str, list[tuple[Any, ...]]] = {}
    for view in sorted(set(names("views")) - RUN_VIEWS - set(ignore)):
        rows = connection.execute(f"select * from {view}")
        columns = [index for index, column in enumerate(rows.description) if column[0] not in RUN_COLUMNS]
        rows_by_view[view] = sorted((tuple(row[index] for index in columns) for row in rows), key=repr)
    rows_by_view["search"] = _vocabulary(connection)
    return rows_by_view


def terms(db: Path) -> list[tuple[str, str]]:
    """Return (term, uuid) pairs from the full-text index, one per occurrence of a term in an entry."""
    with closing(sqlite3.connect(db)) as connection:
        connection.execute("create virtual table temp.vocabulary using fts5vocab(main, entries_fts, instance)")
        find = "select v.term, e.uuid from temp.vocabulary v join main.entries e on e.id = v.doc"
        return connection.execute(find).fetchall()


def _vocabulary(connection: sqlite3.Connection) -> list[tuple[Any, ...]]:
    """Return, for every entry, the number of its full-text terms and a hash of them."""
    connection.execute(
        "create virtual table if not exists temp.vocabulary using fts5vocab(main, entries_fts, instance)"
    )
    counts: Counter[int] = Counter()
    hashes: Counter[int] = Counter()
    for term, entry, column, offset in connection.execute("select term, doc, col, offset from temp.vocabulary"):
        counts[entry] += 1
        hashes[entry] += hash((term, column, offset))
    uuids = dict(connection.execute("select id, uuid from main.entries"))
    return sorted(((uuids.get(entry), count, hashes[entry]) for entry, count in counts.items()), key=repr)


def diagnostics(db: Path) -> list[tuple[str, int | None]]:
    """Return the kind and line number of every diagnostic about a file."""
    return sorted(ask(db, "select kind, line_no from v1_diagnostics where uuid is null"), key=repr)


def findings(db: Path | sqlite3.Connection) -> list[tuple[str, str]]:
    """Return the kind and entry uuid of every diagnostic about the graph."""
    rows = ask(db, "select kind, uuid from v1_diagnostics where uuid is not null")
    return sorted(row for row in rows if row[0] not in _FACT_DIAGNOSTICS)


def tombstones(db: Path) -> list[Tombstone]:
    """Return all tombstones, including those of files and leaves, which no view shows."""
    return [
        Tombstone(TombstoneKind(kind), name)
        for kind, name in ask(db, "select kind, name from tombstones order by 1, 2")
    ]


def differences(actual: ViewRows, expected: ViewRows) -> dict[str, tuple[list[Any], list[Any]]]:
    """Compare two results of `everything`; return the extra and missing rows of each view that differs."""
    differing = {}
    for view in actual.keys() | expected.keys():
        actual_rows, expected_rows = Counter(actual.get(view, ())), Counter(expected.get(view, ()))
        if actual_rows != expected_rows:
            extra, missing = actual_rows - expected_rows, expected_rows - actual_rows
            differing[view] = (list(extra.elements()), list(missing.elements()))
    return differing


def differences_from_clean(db: Path, project: Path, *, ignore: Iterable[str] = ()) -> dict[str, Any]:
    """Return the views that differ between an index, a new index of the same files, and the rebuilt index."""
    grown = everything(db)
    clean = db.with_name("clean.db")
    clean.unlink(missing_ok=True)
    index(clean, project)
    fresh = everything(clean) | {view: grown[view] for view in ignore}
    rebuild(db)
    rebuilt = everything(db)
    return {
        view: {"grown": rows, "clean": fresh[view], "rebuilt": rebuilt[view]}
        for view, rows in grown.items()
        if not rows == fresh[view] == rebuilt[view]
    }
