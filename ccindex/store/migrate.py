"""Creating and upgrading an index with Alembic; the only module that readers and plain runs never import."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import create_engine
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import StaticPool

from ccindex import __version__
from ccindex.errors import IndexUnusable
from ccindex.resources import directory

from .db import APPLICATION_ID, closing
from .lock import refused
from .search import like_search
from .views import drop_views, refresh_views


def create_index(path: Path) -> None:
    """Make an empty index beside its place and move it there, so that no half of one is ever seen."""
    _require_full_text(path)
    unfinished = path.with_name(path.name + ".new")
    try:
        _forget(unfinished)
        os.close(os.open(unfinished, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    except OSError as error:
        raise refused(path, error) from error
    try:
        with closing(sqlite3.connect(unfinished, isolation_level=None)) as connection:
            connection.execute("pragma page_size = 8192")
            connection.execute(f"pragma application_id = {APPLICATION_ID}")
            _migrate(connection)
            # last: what a log held that a full disk keeps from the file at closing would be left behind
            connection.execute("pragma journal_mode = wal")
        _set_aside_log(path)
        unfinished.replace(path)
    except OSError as error:
        _forget(unfinished)
        raise refused(path, error) from error
    except BaseException:
        _forget(unfinished)
        raise


def upgrade_index(path: Path) -> None:
    """Bring the tables of an older index up to date in one transaction; readers wait until its rows are, too."""
    _require_full_text(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        _migrate(connection)


def _require_full_text(path: Path) -> None:
    """Say so at once where this Python's SQLite was built without full-text search."""
    with closing(sqlite3.connect(":memory:")) as scratch:
        try:
            like_search(scratch)
        except sqlite3.OperationalError as error:
            raise IndexUnusable(path, error, "ccindex needs an SQLite with FTS5; use another Python") from error


def _migrate(connection: sqlite3.Connection) -> None:
    """Run the migrations and make the views anew, all in one transaction."""
    engine = create_engine("sqlite://", creator=lambda: connection, poolclass=StaticPool)
    config = Config()
    config.set_main_option("script_location", str(directory("migrations")).replace("%", "%%"))
    with engine.connect() as wrapped, _driver_errors():
        # begun by hand: the driver begins none for DDL; left open, it is rolled back
        wrapped.exec_driver_sql("begin immediate")
        drop_views(connection)
        before = _schema_before(connection)
        config.attributes["connection"] = wrapped
        command.upgrade(config, "head")
        for key, value in (("views_version", "1"), ("revision", "0"), ("ccindex_version", __version__)):
            connection.execute("insert or ignore into meta values (?, ?)", (key, value))
        if before is not None:  # until its rows are made anew; if that was begun before, it says since when
            connection.execute("insert or ignore into meta values ('upgraded_from', ?)", (before,))
        refresh_views(connection)
        wrapped.commit()


def _schema_before(connection: sqlite3.Connection) -> str | None:
    """Return the schema of an index that is to be upgraded; None: it is being made."""
    if connection.execute("select 1 from sqlite_schema where name = 'alembic_version'").fetchone() is None:
        return None
    return str(connection.execute("select version_num from alembic_version").fetchone()[0])


@contextmanager
def _driver_errors() -> Iterator[None]:
    """Let the driver's own errors through, as everywhere else."""
    try:
        yield
    except DBAPIError as error:
        raise (error.orig or error) from error


def _set_aside_log(path: Path) -> None:
    """Move away what an index that is no longer here left behind, lest SQLite apply it to the new one."""
    for suffix in ("-wal", "-shm", "-journal"):
        with suppress(FileNotFoundError):
            left = path.with_name(path.name + suffix)
            left.replace(left.with_name(left.name + ".left"))


def _forget(unfinished: Path) -> None:
    for suffix in ("", "-wal", "-shm", "-journal"):
        with suppress(FileNotFoundError):
            unfinished.with_name(unfinished.name + suffix).unlink()
