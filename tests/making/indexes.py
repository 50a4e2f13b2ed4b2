"""Indexes: made, rebuilt, queried and compared."""

import sqlite3
from collections import Counter
from collections.abc import Iterable
from contextlib import closing
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ccindex.ingest.ingest import IngestReport, ingest
from ccindex.maintain.rebuild import rebuild as rebuild_rows
from ccindex.maintain.update import begin_run
from ccindex.model.sources import Forgets, Tombstone
from ccindex.store.connection import changing
from ccindex.store.sql_files import load, names

# Columns and views that depend on when, or in how many runs, the data was indexed
_TIMES = {"revision", "run_id", "first_indexed_at", "last_indexed_at", "forgotten_at"}
_ABOUT_RUNS = {"v1_ingest_runs", "v1_meta"}
_NOT_OF_THE_GRAPH = {"duplicate-uuid-differs", "extra-result", "orphan-result", "missing-model", "unknown-model"}


Said = dict[str, list[tuple[Any, ...]]]


def index(db: Path, *places: Path, full: bool = False, jobs: int = 0) -> IngestReport:
    """Run one ingest in this process, with `jobs` worker processes."""
    if not db.exists():
        # a copy saves the quarter of a second that Alembic takes to create an index
        db.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        db.touch(mode=0o600)  # as ccindex creates it
        db.write_bytes(empty_index())
    with changing(db, create=True) as connection:
        return ingest(begin_run(connection, jobs), places, named=True, full=full)


@cache
def empty_index() -> bytes:
    """The bytes of an index without entries."""
    with TemporaryDirectory() as folder:
        made = Path(folder) / "empty.db"
        with changing(made, create=True):
            pass
        return made.read_bytes()


def rebuild(db: Path) -> None:
    """Rebuild an index in this process."""
    with changing(db, create=False) as connection:
        rebuild_rows(connection)


def ask(db: Path, query: str, *values: Any) -> list[tuple[Any, ...]]:
    """Query an index as any SQLite client does."""
    with closing(sqlite3.connect(db)) as connection:
        return connection.execute(query, values).fetchall()


def one(db: Path, query: str, *values: Any) -> Any:
    """Query an index for one value."""
    [(value,)] = ask(db, query, *values)
    return value


def broken(db: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Return the invariants that do not hold, with their rows."""
    with closing(sqlite3.connect(db)) as connection:
        return broken_in(connection)


def broken_in(connection: sqlite3.Connection) -> dict[str, list[tuple[Any, ...]]]:
    """Return the same for an open connection."""
    found = {name: connection.execute(load(f"check/{name}")).fetchall() for name in names("check")}
    # CHECK constraints are off when ccindex writes, so they are tested here
    found["quick_check"] = [row for row in connection.execute("pragma quick_check") if row != ("ok",)]
    return {name: rows for name, rows in found.items() if rows}


def everything(db: Path, *, ignore: Iterable[str] = ()) -> dict[str, list[tuple[Any, ...]]]:
    """Return the rows of all views, sorted, without what depends on how the data was indexed."""
    with closing(sqlite3.connect(db)) as connection:
        return everything_in(connection, ignore=ignore)


def everything_in(connection: sqlite3.Connection, *, ignore: Iterable[str] = ()) -> dict[str, list[tuple[Any, ...]]]:
    """Return the same for an open connection, which saves parsing the schema."""
    said: dict[str, list[tuple[Any, ...]]] = {}
    for view in sorted(set(names("views")) - _ABOUT_RUNS - set(ignore)):
        rows = connection.execute(f"select * from {view}")
        wanted = [place for place, column in enumerate(rows.description) if column[0] not in _TIMES]
        said[view] = sorted((tuple(row[place] for place in wanted) for row in rows), key=repr)
    said["search"] = _vocabulary(connection)
    return said


def terms(db: Path) -> list[tuple[str, str]]:
    """Return the terms of the full-text index, each with the uuid of an entry."""
    with closing(sqlite3.connect(db)) as connection:
        connection.execute("create virtual table temp.vocabulary using fts5vocab(main, entries_fts, instance)")
        find = "select v.term, e.uuid from temp.vocabulary v join main.entries e on e.id = v.doc"
        return connection.execute(find).fetchall()


def _vocabulary(connection: sqlite3.Connection) -> list[tuple[Any, ...]]:
    """Return the number of terms of every entry in the full-text index, and a hash of them."""
    connection.execute(
        "create virtual table if not exists temp.vocabulary using fts5vocab(main, entries_fts, instance)"
    )
    words: Counter[int] = Counter()
    sums: Counter[int] = Counter()
    for term, entry, column, offset in connection.execute("select term, doc, col, offset from temp.vocabulary"):
        words[entry] += 1
        sums[entry] += hash((term, column, offset))
    uuids = dict(connection.execute("select id, uuid from main.entries"))
    return sorted(((uuids.get(entry), count, sums[entry]) for entry, count in words.items()), key=repr)


def diagnostics(db: Path) -> list[tuple[str, int | None]]:
    """Return the diagnostics about files, with their line numbers."""
    return sorted(ask(db, "select kind, line_no from v1_diagnostics where uuid is null"), key=repr)


def findings(db: Path) -> list[tuple[str, str]]:
    """Return the diagnostics about the graph, with the uuids of their entries."""
    rows = ask(db, "select kind, uuid from v1_diagnostics where uuid is not null")
    return sorted(row for row in rows if row[0] not in _NOT_OF_THE_GRAPH)


def tombstones(db: Path) -> list[Tombstone]:
    """Return all tombstones, also those of files and leaves, which no view shows."""
    return [Tombstone(Forgets(kind), name) for kind, name in ask(db, "select kind, name from tombstones order by 1, 2")]


def differences(said: Said, expected: Said) -> dict[str, tuple[list[Any], list[Any]]]:
    """Return by view the rows that only one of two results of `everything` has."""
    found = {}
    for view in said.keys() | expected.keys():
        mine, theirs = Counter(said.get(view, ())), Counter(expected.get(view, ()))
        if mine != theirs:
            found[view] = (list((mine - theirs).elements()), list((theirs - mine).elements()))
    return found


def differences_from_clean(db: Path, project: Path, *, ignore: Iterable[str] = ()) -> dict[str, Any]:
    """Return the views in which an index differs from a new one of the same files, or from itself after a rebuild."""
    said = everything(db)
    clean = db.with_name("clean.db")
    clean.unlink(missing_ok=True)
    index(clean, project)
    fresh = everything(clean) | {view: said[view] for view in ignore}
    rebuild(db)
    again = everything(db)
    return {
        view: {"grown": rows, "clean": fresh[view], "rebuilt": again[view]}
        for view, rows in said.items()
        if not rows == fresh[view] == again[view]
    }
