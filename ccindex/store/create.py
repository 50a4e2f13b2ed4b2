"""A new index: tables, views, versions of the rules, the revision, and the full-text table."""

import os
import sqlite3
from contextlib import closing, suppress
from enum import Enum, auto
from pathlib import Path
from typing import TYPE_CHECKING

import xxhash

from ccindex import __version__
from ccindex.errors import IndexUnusable
from ccindex.store.index_files import refused
from ccindex.store.sql_files import load, names

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ccindex.model.recorded import Words

# Raise it when an object is read into other rows than before: they are rebuilt from the archive, as after a migration.
DECODE_VERSION = 5
# Raise it when the same recorded rows come out as other derived ones: all of them are derived again by the next run.
# Until then this version reads the older rows; if it cannot, a migration is needed, because readers check the schema.
DERIVE_VERSION = 5

# those of users, and one that statements and views of ours read
VIEWS = ("internal/owned_entries", *(f"views/{name}" for name in names("views")))


def views_are_current(connection: sqlite3.Connection) -> bool:
    """Whether the index has the views of this ccindex."""
    row = connection.execute("select value from meta where key = 'views_digest'").fetchone()
    return row is not None and row[0] == _digest()


def refresh_views(connection: sqlite3.Connection) -> None:
    """Replace all views, inside the caller's transaction."""
    drop_views(connection)
    for name in VIEWS:
        connection.execute(load(name))
    connection.execute("insert or replace into meta values ('views_digest', ?)", (_digest(),))


def drop_views(connection: sqlite3.Connection) -> None:
    """Take the views away, so that tables below them can be altered."""
    found = connection.execute(
        "select name from sqlite_schema where type = 'view' and (name glob 'v1_*' or name = 'owned_entries')"
    )
    for (name,) in found.fetchall():
        connection.execute('drop view "{}"'.format(name.replace('"', '""')))


def _digest() -> str:
    return xxhash.xxh3_128_hexdigest("\0".join(map(load, VIEWS)).encode())


class Outdated(Enum):
    """Which rows are made by other rules than this ccindex has."""

    NONE = auto()
    DERIVED = auto()
    RECORDED = auto()


def outdated_rows(connection: sqlite3.Connection) -> Outdated:
    """Tell which rows have to be made anew."""
    meta = dict(connection.execute("select key, value from meta"))
    if "decode_version" not in meta and "derive_version" not in meta:
        return Outdated.NONE  # the index is empty
    if meta.get("decode_version") != str(DECODE_VERSION):
        return Outdated.RECORDED
    if meta.get("derive_version") != str(DERIVE_VERSION):
        return Outdated.DERIVED
    return Outdated.NONE


def write_revision(connection: sqlite3.Connection, revision: int) -> None:
    """Let the index say that it changed, and by which ccindex."""
    said = {
        "revision": str(revision),
        "ccindex_version": __version__,
        "decode_version": str(DECODE_VERSION),
        "derive_version": str(DERIVE_VERSION),
    }
    connection.executemany("insert or replace into meta values (?, ?)", said.items())


def next_revision(connection: sqlite3.Connection) -> int:
    """Return the revision that the next change makes."""
    return int(connection.execute("select value from meta where key = 'revision'").fetchone()[0]) + 1


# tables that a first load fills
_LOADED_TABLES = frozenset(
    "occurrences entries edges messages blocks tool_uses tool_results file_touches records task_notices".split()
)
# finds the occurrences of a backfill while a file is read
_NEEDED_INDEXES = frozenset({"ix_occurrences_place"})

APPLICATION_ID = 0x63636978  # "ccix", in the file's header


def create_index(path: Path) -> None:
    """Make an empty index beside its place and move it there, so that no half of one is ever seen."""
    require_full_text(path)
    unfinished = path.with_name(path.name + ".new")
    try:
        _remove(unfinished)
        os.close(os.open(unfinished, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    except OSError as error:
        raise refused(path, error) from error
    try:
        with closing(sqlite3.connect(unfinished, isolation_level=None)) as connection:
            connection.execute("pragma page_size = 8192")
            connection.execute(f"pragma application_id = {APPLICATION_ID}")
            _fill(connection)
            # last: what a log held that a full disk keeps from the file at closing would be left behind
            connection.execute("pragma journal_mode = wal")
        _set_aside_log(path)
        unfinished.replace(path)
    except OSError as error:
        _remove(unfinished)
        raise refused(path, error) from error
    except BaseException:
        _remove(unfinished)
        raise


def drop_indexes(connection: sqlite3.Connection) -> list[str]:
    """Drop the indexes that no insert needs, in the caller's transaction; return the statements that create them."""
    found = connection.execute("select name, tbl_name, sql from sqlite_schema where type = 'index' and sql is not null")
    dropped = [(name, sql) for name, table, sql in found if table in _LOADED_TABLES and name not in _NEEDED_INDEXES]
    for name, _ in dropped:
        connection.execute(f"drop index {name}")
    return [sql for _, sql in dropped]


def create_indexes(connection: sqlite3.Connection, statements: list[str]) -> None:
    """Create the indexes that were dropped."""
    for statement in statements:
        connection.execute(statement)


def require_full_text(path: Path) -> None:
    """Say so at once where this Python's SQLite was built without full-text search."""
    with closing(sqlite3.connect(":memory:")) as scratch:
        try:
            like_search(scratch)
        except sqlite3.OperationalError as error:
            raise IndexUnusable(path, error, "ccindex needs an SQLite with FTS5; use another Python") from error


def begin_meta(connection: sqlite3.Connection) -> None:
    """Let an index say what it is, as far as it does not."""
    for key, value in (("views_version", "1"), ("revision", "0"), ("ccindex_version", __version__)):
        connection.execute("insert or ignore into meta values (?, ?)", (key, value))


def _fill(connection: sqlite3.Connection) -> None:
    """Make all tables and views in one transaction."""
    connection.executescript(f"begin immediate; {load('schema')}")
    begin_meta(connection)
    refresh_views(connection)
    connection.execute("commit")


def _set_aside_log(path: Path) -> None:
    """Move away what an index that is no longer here left behind, lest SQLite apply it to the new one."""
    for suffix in ("-wal", "-shm", "-journal"):
        with suppress(FileNotFoundError):
            left = path.with_name(path.name + suffix)
            left.replace(left.with_name(left.name + ".left"))


def _remove(unfinished: Path) -> None:
    for suffix in ("", "-wal", "-shm", "-journal"):
        with suppress(FileNotFoundError):
            unfinished.with_name(unfinished.name + suffix).unlink()


_TOKENIZE = """tokenize = "unicode61 remove_diacritics 2\""""

_COLUMNS = "prompt, answer, thinking, input, result, other"  # as model.recorded.Words
_MARKS = ", ".join("?" * (2 + _COLUMNS.count(",")))  # and the rowid
_ADD = f"insert into entries_fts (rowid, {_COLUMNS}) values ({_MARKS})"  # noqa: S608
_REMOVE = f"insert into entries_fts (entries_fts, rowid, {_COLUMNS}) values ('delete', {_MARKS})"  # noqa: S608


def add_search_texts(connection: sqlite3.Connection, rows: "Iterable[tuple[int | str | None, ...]]") -> None:
    """Add texts; a row is the number of an entry and its words."""
    connection.executemany(_ADD, rows)


def remove_search_text(connection: sqlite3.Connection, entry: int, text: "Words") -> None:
    """Remove the text of an entry, which must be the one that was added."""
    connection.execute(_REMOVE, (entry, *text))


def forget_all_words(connection: sqlite3.Connection) -> None:
    """Empty the full-text index."""
    connection.execute("insert into entries_fts (entries_fts) values ('delete-all')")


def like_search(scratch: sqlite3.Connection) -> None:
    """Make a full-text index like the one that migrations make, but with the texts, so that it can show them."""
    scratch.execute(f"create virtual table entries_fts using fts5({_COLUMNS}, {_TOKENIZE})")
