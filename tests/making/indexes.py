"""Indexes: made, rebuilt, queried and compared."""

import sqlite3
from collections import Counter
from collections.abc import Iterable
from contextlib import closing
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ccindex.index.ingest import Report, begin, ingest
from ccindex.index.rebuild import rebuild as rebuild_rows
from ccindex.model.forgotten import Forgets, Tombstone
from ccindex.store.db import changing
from ccindex.store.sqlfiles import load, names

# What may tell when, or in how many runs, the data came in (and what a source's state is)
_TIMES = {"revision", "run_id", "first_indexed_at", "last_indexed_at", "forgotten_at"}
_ABOUT_RUNS = {"v1_ingest_runs", "v1_meta"}
_ABOUT_MEANING = {"duplicate-uuid-differs", "extra-result", "orphan-result", "missing-model", "unknown-model"}


Said = dict[str, list[tuple[Any, ...]]]


def index(db: Path, *places: Path, full: bool = False, jobs: int = 0) -> Report:
    """Run one ingest in this process; `jobs`: how many others may read for it."""
    if not db.exists():
        # Alembic takes a quarter of a second to make an index; a copy of one is as good here
        db.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        db.touch(mode=0o600)  # as ccindex makes it
        db.write_bytes(empty_index())
    with changing(db, create=True) as connection:
        return ingest(begin(connection, jobs), places, named=True, full=full)


@cache
def empty_index() -> bytes:
    """The file of an index without entries."""
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
    """Query an index the way any client would."""
    with closing(sqlite3.connect(db)) as connection:
        return connection.execute(query, values).fetchall()


def one(db: Path, query: str, *values: Any) -> Any:
    """Return the only value of the only row."""
    [(value,)] = ask(db, query, *values)
    return value


def broken(db: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Return the invariants that do not hold, with the offending rows."""
    with closing(sqlite3.connect(db)) as connection:
        return broken_in(connection)


def broken_in(connection: sqlite3.Connection) -> dict[str, list[tuple[Any, ...]]]:
    """Return the same over a connection that is open."""
    found = {name: connection.execute(load(f"check/{name}")).fetchall() for name in names("check")}
    # writers do not compare with what CHECK says, so that here is the place to see that it holds
    found["quick_check"] = [row for row in connection.execute("pragma quick_check") if row != ("ok",)]
    return {name: rows for name, rows in found.items() if rows}


def everything(db: Path, *, ignore: Iterable[str] = ()) -> dict[str, list[tuple[Any, ...]]]:
    """Return all that the views say and that must not depend on how the data came in, in a fixed order."""
    with closing(sqlite3.connect(db)) as connection:
        return everything_in(connection, ignore=ignore)


def everything_in(connection: sqlite3.Connection, *, ignore: Iterable[str] = ()) -> dict[str, list[tuple[Any, ...]]]:
    """Return the same over a connection that is open: parsing the schema takes longer than asking."""
    said: dict[str, list[tuple[Any, ...]]] = {}
    for view in sorted(set(names("views")) - _ABOUT_RUNS - set(ignore)):
        rows = connection.execute(f"select * from {view}")
        wanted = [place for place, column in enumerate(rows.description) if column[0] not in _TIMES]
        said[view] = sorted((tuple(row[place] for place in wanted) for row in rows), key=repr)
    said["search"] = _vocabulary(connection)
    return said


def terms(db: Path) -> list[tuple[str, str]]:
    """Return the words in the full-text index, each with the uuid of an entry it finds."""
    with closing(sqlite3.connect(db)) as connection:
        connection.execute("create virtual table temp.vocabulary using fts5vocab(main, search, instance)")
        find = "select v.term, e.uuid from temp.vocabulary v join main.entries e on e.id = v.doc"
        return connection.execute(find).fetchall()


def _vocabulary(connection: sqlite3.Connection) -> list[tuple[Any, ...]]:
    """Return of every entry in the full-text index how many words it is found by, and a sum over them."""
    connection.execute("create virtual table if not exists temp.vocabulary using fts5vocab(main, search, instance)")
    words: Counter[int] = Counter()
    sums: Counter[int] = Counter()
    for term, entry, column, offset in connection.execute("select term, doc, col, offset from temp.vocabulary"):
        words[entry] += 1
        sums[entry] += hash((term, column, offset))
    uuids = dict(connection.execute("select id, uuid from main.entries"))
    return sorted(((uuids.get(entry), count, sums[entry]) for entry, count in words.items()), key=repr)


def diagnostics(db: Path) -> list[tuple[str, int | None]]:
    """Return the kinds told about files and their bytes, with their lines."""
    return sorted(ask(db, "select kind, line_no from v1_diagnostics where uuid is null"), key=repr)


def findings(db: Path) -> list[tuple[str, str]]:
    """Return the kinds told about the graph, with the uuids of the entries."""
    rows = ask(db, "select kind, uuid from v1_diagnostics where uuid is not null")
    return sorted(row for row in rows if row[0] not in _ABOUT_MEANING)


def tombstones(db: Path) -> list[Tombstone]:
    """All that keeps something away, also what the views do not tell of: files and leaves."""
    return [Tombstone(Forgets(kind), name) for kind, name in ask(db, "select kind, name from forgotten order by 1, 2")]


def differences(said: Said, expected: Said) -> dict[str, tuple[list[Any], list[Any]]]:
    """What only the one says, and what only the other, by view."""
    found = {}
    for view in said.keys() | expected.keys():
        mine, theirs = Counter(said.get(view, ())), Counter(expected.get(view, ()))
        if mine != theirs:
            found[view] = (list((mine - theirs).elements()), list((theirs - mine).elements()))
    return found


def differences_from_clean(db: Path, project: Path, *, ignore: Iterable[str] = ()) -> dict[str, Any]:
    """The views in which an index differs from a clean one of the same files, or from itself made anew."""
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
