"""Making an index: an empty one, at one go, by the statements of `sql/schema.sql`."""

import os
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from ccindex import __version__
from ccindex.errors import IndexUnusable

from .lock import refused
from .search import like_search
from .sqlfiles import load
from .views import refresh_views

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
