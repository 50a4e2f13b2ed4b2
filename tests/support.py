"""What tests share: transcripts written by hand, indexes of them, and all that the views say."""

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable
from contextlib import closing
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ccindex.ingest.ingest import IngestReport, ingest
from ccindex.maintain.rebuild import rebuild
from ccindex.maintain.update import begin_run
from ccindex.store.connection import changing
from ccindex.store.sql_files import load, names

SHARED = Path(__file__).resolve().parents[2] / "shared"

# What may tell when, or in how many runs, the data came in (and what a source's state is)
_TIMES = {"revision", "run_id", "first_indexed_at", "last_indexed_at", "forgotten_at"}
_ABOUT_RUNS = {"v1_ingest_runs", "v1_meta"}
_ABOUT_MEANING = {"duplicate-uuid-differs", "extra-result", "orphan-result", "missing-model", "unknown-model"}


def line(uuid: str | None = None, *, parent: str | None = None, **keys: Any) -> str:
    """One entry as Claude Code would write it; a keyword replaces or adds a key, None drops it."""
    value: dict[str, Any] = {
        "type": "user",
        "uuid": uuid,
        "parentUuid": parent,
        "sessionId": "s1",
        "timestamp": "2026-03-01T09:00:00.000Z",
        "isSidechain": False,
        "cwd": "/w",
        "version": "2.1.200",
        "message": {"role": "user", "content": f"say {uuid}"},
    } | keys
    return json.dumps({key: item for key, item in value.items() if item is not None or key == "parentUuid"})


def write(path: Path, *lines: str | bytes, end: str = "\n") -> Path:
    """Make a file of lines, and the folders it needs."""
    path.parent.mkdir(parents=True, exist_ok=True)
    parts = [item if isinstance(item, bytes) else item.encode() for item in lines]
    path.write_bytes(b"".join(part + end.encode() for part in parts))
    return path


def write_all(root: Path, files: dict[str, bytes]) -> None:
    """Make files below a folder, and the folders they need."""
    for name, data in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def append(path: Path, data: str | bytes) -> None:
    """Add bytes to a file."""
    with path.open("ab") as file:
        file.write(data if isinstance(data, bytes) else data.encode())


def index(db: Path, *places: Path, full: bool = False, jobs: int = 0) -> IngestReport:
    """Run one ingest in this process; `jobs`: how many others may read for it."""
    if not db.exists():
        # Alembic takes a quarter of a second to make an index; a copy of one is as good here
        db.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        db.touch(mode=0o600)  # as ccindex makes it
        db.write_bytes(_empty_index())
    with changing(db, create=True) as connection:
        return ingest(begin_run(connection, jobs), places, named=True, full=full)


@cache
def _empty_index() -> bytes:
    with TemporaryDirectory() as folder:
        made = Path(folder) / "empty.db"
        with changing(made, create=True):
            pass
        return made.read_bytes()


def rebuilt(db: Path) -> None:
    """Rebuild an index in this process."""
    with changing(db, create=False) as connection:
        rebuild(connection)


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
        return said_by(connection, ignore=ignore)


def said_by(connection: sqlite3.Connection, *, ignore: Iterable[str] = ()) -> dict[str, list[tuple[Any, ...]]]:
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
