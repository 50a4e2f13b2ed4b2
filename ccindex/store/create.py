"""Create an index, refresh its views, and maintain its revision, its rule versions and its full-text table."""

import os
import re
import sqlite3
from contextlib import closing, suppress
from enum import Enum, auto
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING

import xxhash

from ccindex import __version__
from ccindex.errors import IndexUnusable
from ccindex.store.index_files import unusable_index
from ccindex.store.sql_files import load, names

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator

    from ccindex.model.events import Row
    from ccindex.model.recorded import SearchText

# Increase this when the parser produces different rows for the same object. The next run then rebuilds all rows from
# the archive, as it does after any migration.
DECODE_VERSION = 7
# Increase this when the same recorded rows lead to different derived rows. The next run then derives everything again.
# Until then, commands show the old derived rows. If they cannot, add a migration instead, because commands that read
# an index check only its schema revision.
DERIVE_VERSION = 7

# the public views, and the internal view that they and other statements read
VIEWS = ("internal/owned_entries", *(f"views/{name}" for name in names("views")))


def views_are_current(connection: sqlite3.Connection) -> bool:
    """Return whether the index has this version's views."""
    row = connection.execute("select value from meta where key = 'views_digest'").fetchone()
    return row is not None and row[0] == _digest()


def refresh_views(connection: sqlite3.Connection) -> None:
    """Replace all views, in the caller's transaction."""
    drop_views(connection)
    for name in VIEWS:
        connection.execute(load(name))
    connection.execute("insert or replace into meta values ('views_digest', ?)", (_digest(),))


def drop_views(connection: sqlite3.Connection) -> None:
    """Drop the views, so that the tables they read can be altered."""
    rows = connection.execute(
        "select name from sqlite_schema where type = 'view' and (name glob 'v1_*' or name = 'owned_entries')"
    )
    for (name,) in rows.fetchall():
        connection.execute('drop view "{}"'.format(name.replace('"', '""')))


def _digest() -> str:
    return xxhash.xxh3_128_hexdigest("\0".join(map(load, VIEWS)).encode())


class Outdated(Enum):
    """Which rows were written by a version of ccindex with different rules."""

    NONE = auto()
    DERIVED = auto()
    RECORDED = auto()


def outdated_rows(connection: sqlite3.Connection) -> Outdated:
    """Return which rows must be rebuilt or derived again."""
    meta = dict(connection.execute("select key, value from meta"))
    if "decode_version" not in meta and "derive_version" not in meta:
        return Outdated.NONE  # the index is empty
    if meta.get("decode_version") != str(DECODE_VERSION):
        return Outdated.RECORDED
    if meta.get("derive_version") != str(DERIVE_VERSION):
        return Outdated.DERIVED
    return Outdated.NONE


def write_revision(connection: sqlite3.Connection, revision: int) -> None:
    """Store the revision, the version of ccindex, and the versions of the rules that the rows were written under."""
    values = {
        "revision": str(revision),
        "ccindex_version": __version__,
        "decode_version": str(DECODE_VERSION),
        "derive_version": str(DERIVE_VERSION),
    }
    connection.executemany("insert or replace into meta values (?, ?)", values.items())


def next_revision(connection: sqlite3.Connection) -> int:
    """Return the revision of the next change."""
    return int(connection.execute("select value from meta where key = 'revision'").fetchone()[0]) + 1


# tables that the first load of an index fills
_LOADED_TABLES = frozenset(
    "occurrences entries edges messages blocks tool_uses tool_results file_touches records task_notices".split()
)
# the first is used by backfills while files are being read; the others have few entries and are used between shards
_NEEDED_INDEXES = frozenset("ix_occurrences_location ix_entries_named ix_records_leaf ix_occurrences_stale".split())

APPLICATION_ID = 0x63636978  # "ccix", in the file header


def create_index(path: Path) -> None:
    """Create an empty index under a temporary name and rename it, so that no incomplete index is ever visible."""
    require_full_text(path)
    unfinished = path.with_name(path.name + ".new")
    try:
        _remove(unfinished)
        os.close(os.open(unfinished, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    except OSError as error:
        raise unusable_index(path, error) from error
    try:
        with closing(sqlite3.connect(unfinished, isolation_level=None)) as connection:
            connection.execute("pragma page_size = 8192")
            connection.execute(f"pragma application_id = {APPLICATION_ID}")
            _create_schema(connection)
            # last, because a rename does not move the log; if the disk is full, some pages could exist only in the log
            connection.execute("pragma journal_mode = wal")
        _rename_old_log(path)
        unfinished.replace(path)
    except OSError as error:
        _remove(unfinished)
        raise unusable_index(path, error) from error
    except BaseException:
        _remove(unfinished)
        raise


def drop_indexes(connection: sqlite3.Connection, tables: "Container[str]" = _LOADED_TABLES) -> list[str]:
    """Drop the indexes that a bulk load of the given tables does not need; return the statements that recreate them."""
    indexes = connection.execute(
        "select name, tbl_name, sql from sqlite_schema where type = 'index' and sql is not null"
    )
    dropped = [(name, sql) for name, table, sql in indexes if table in tables and name not in _NEEDED_INDEXES]
    for name, _ in dropped:
        connection.execute(f"drop index {name}")
    return [sql for _, sql in dropped]


def create_indexes(connection: sqlite3.Connection, statements: list[str]) -> None:
    """Recreate indexes that `drop_indexes` dropped."""
    for statement in statements:
        connection.execute(statement)


def require_full_text(path: Path) -> None:
    """Raise IndexUnusable if this Python's SQLite was built without full-text search."""
    with closing(sqlite3.connect(":memory:")) as scratch:
        try:
            create_search_table(scratch)
        except sqlite3.OperationalError as error:
            raise IndexUnusable(path, error, "ccindex needs SQLite with FTS5; use a different Python") from error


def init_meta(connection: sqlite3.Connection) -> None:
    """Write the properties that every index has, unless they are already set."""
    for key, value in (("views_version", "1"), ("revision", "0"), ("ccindex_version", __version__)):
        connection.execute("insert or ignore into meta values (?, ?)", (key, value))


def _create_schema(connection: sqlite3.Connection) -> None:
    """Create all tables and views in one transaction."""
    connection.executescript(f"begin immediate; {load('schema')}")
    init_meta(connection)
    refresh_views(connection)
    connection.execute("commit")


def _rename_old_log(path: Path) -> None:
    """Rename the log files that a deleted index left behind, so that SQLite does not apply them to the new index."""
    for suffix in ("-wal", "-shm", "-journal"):
        with suppress(FileNotFoundError):
            log = path.with_name(path.name + suffix)
            log.replace(log.with_name(log.name + ".left"))


def _remove(unfinished: Path) -> None:
    for suffix in ("", "-wal", "-shm", "-journal"):
        with suppress(FileNotFoundError):
            unfinished.with_name(unfinished.name + suffix).unlink()


_TOKENIZE = """tokenize = "unicode61 remove_diacritics 2\""""

_COLUMNS = "prompt, answer, thinking, input, result, other"  # the fields of model.recorded.SearchText
_PLACEHOLDERS = ", ".join("?" * (2 + _COLUMNS.count(",")))  # the columns and the rowid
_ADD = f"insert into entries_fts (rowid, {_COLUMNS}) values ({_PLACEHOLDERS})"  # noqa: S608
_REMOVE = f"insert into entries_fts (entries_fts, rowid, {_COLUMNS}) values ('delete', {_PLACEHOLDERS})"  # noqa: S608


# FTS5 keeps the terms of a row in memory until the row ends, so long text is divided among several rows
MAX_PIECE_CHARS = 1 << 20
# difference between the rowids of consecutive pieces; `rowid % ROWID_STEP` is the id of the entry or occurrence
ROWID_STEP = 1 << 40
_SEPARATOR = re.compile("[^0-9A-Za-z\x80-\U0010ffff]|\u200b")  # never part of a word


def add_search_texts(connection: sqlite3.Connection, rows: "Iterable[Row]") -> None:
    """Add rows to the full-text table: an entry id (queued text: the negated occurrence id), then the text columns."""
    short: list[Row] = []
    long: list[Row] = []
    for row in rows:
        is_long = max(map(len, filter(None, row[1:])), default=0) > MAX_PIECE_CHARS
        (long if is_long else short).append(row)
    connection.executemany(_ADD, short)
    for row in long:
        connection.executemany(_ADD, _pieces(*row))


def remove_search_text(connection: sqlite3.Connection, entry: int, text: "SearchText") -> None:
    """Remove an entry's text or, if the id is negative, queued text; `text` must equal the text that was added."""
    connection.executemany(_REMOVE, _pieces(entry, *text))


def _pieces(rowid: int, *texts: str | None) -> "Iterator[Row]":
    """Divide a row at word boundaries into rows with at most about MAX_PIECE_CHARS characters per column."""
    step = ROWID_STEP if rowid > 0 else -ROWID_STEP
    for number, pieces in enumerate(zip_longest(*map(_split, texts))):
        yield (rowid + number * step, *pieces)


def _split(text: str | None) -> "Iterator[str | None]":
    start = 0
    while text is not None and (separator := _SEPARATOR.search(text, start + MAX_PIECE_CHARS)):
        yield text[start : separator.start()]
        start = separator.start()
    yield text and text[start:]


def clear_search_texts(connection: sqlite3.Connection) -> None:
    """Delete all text from the full-text table."""
    connection.execute("insert into entries_fts (entries_fts) values ('delete-all')")


def create_search_table(scratch: sqlite3.Connection) -> None:
    """Create a full-text table like the one in an index, but with the text stored, because snippets need it."""
    scratch.execute(f"create virtual table entries_fts using fts5({_COLUMNS}, {_TOKENIZE})")
