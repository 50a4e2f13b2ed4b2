"""Connections to an index: state of the file, opening it to read or to write, SQLite errors as messages."""

import os
import sqlite3
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum, auto
from pathlib import Path
from urllib.parse import quote

from ccindex.errors import IndexDamaged, IndexOutdated, IndexTooNew, IndexUnusable, NoIndex, NotAnIndex
from ccindex.store.create import APPLICATION_ID, create_index, refresh_views, require_full_text, views_are_current
from ccindex.store.index_files import MAKE_ROOM, locked
from ccindex.store.integrity import SYMPTOMS, is_damaged
from ccindex.store.sql_files import directory

Connection = sqlite3.Connection

# of the schema, oldest first: migrations are named after theirs
REVISIONS = tuple(sorted(path.stem[:4] for path in (directory("migrations") / "versions").glob("0*.py")))
HEAD = REVISIONS[-1]
_BUSY_MS = 30_000


class Condition(Enum):
    """What stands at the path of an index."""

    ABSENT = auto()
    FOREIGN = auto()
    OLDER = auto()
    CURRENT = auto()
    NEWER = auto()


def condition(path: Path) -> tuple[Condition, str]:
    """Tell what the file is without changing it, and its schema revision if it is an index."""
    header = _header(path)
    if not header:
        return Condition.ABSENT, ""
    if header[:16] != b"SQLite format 3\0" or header[68:72] != APPLICATION_ID.to_bytes(4, "big"):
        return Condition.FOREIGN, ""
    found = _schema_of(path)
    if found is None:
        return Condition.FOREIGN, ""
    if found == HEAD:
        return Condition.CURRENT, found
    return (Condition.OLDER if found in REVISIONS else Condition.NEWER), found


@contextmanager
def reading(path: Path) -> Iterator[Connection]:
    """Open an index that is up to date, to read only."""
    state, found = _usable(path, create=False)
    if state is Condition.OLDER:
        raise IndexOutdated(path, found)
    with using(path), closing(_connect(path, read_only=True)) as connection:
        connection.execute("pragma query_only = on")
        connection.execute("begin")  # all that one command says is true of one moment
        yield connection


@contextmanager
def changing(
    path: Path, *, create: bool, rebuild: Callable[[Connection], object] | None = None
) -> Iterator[Connection]:
    """Hold the lock on an index and open it to write; create it first if it is absent and `create` allows.

    An older index is upgraded, in one transaction with `rebuild`, which makes its rows; without that it is refused.
    """
    _usable(path, create=create)  # before the lock leaves its file beside something that is no index
    with locked(path), using(path):
        state, found = _usable(path, create=create)
        if state is Condition.ABSENT:
            create_index(path)
        with closing(_connect(path, read_only=False)) as connection:
            _set_pragmas(connection)
            if state is Condition.OLDER:
                if rebuild is None:
                    raise IndexOutdated(path, found)
                # SQLAlchemy and Alembic take half a second to import: only an upgrade needs them
                from ccindex.store.migrate import upgrade_index  # noqa: PLC0415

                require_full_text(path)
                upgrade_index(connection, rebuild)
            elif not views_are_current(connection):
                with transaction(connection):
                    refresh_views(connection)
            yield connection


@contextmanager
def transaction(connection: Connection) -> Iterator[None]:
    """All of what is inside, or none of it."""
    connection.execute("begin immediate")
    try:
        yield
    except BaseException:
        if connection.in_transaction:
            connection.execute("rollback")
        raise
    connection.execute("commit")


@contextmanager
def closing(connection: Connection) -> Iterator[Connection]:
    """Close the connection whatever happens."""
    try:
        yield connection
    finally:
        connection.close()


@contextmanager
def using(path: Path) -> Iterator[None]:
    """Say what SQLite and the disk complain of in one sentence with the next step."""
    try:
        yield
    except SYMPTOMS as error:
        code = getattr(error, "sqlite_errorcode", 0)
        step = _NEXT_STEPS.get(code) or _NEXT_STEPS.get(code & 0xFF)
        if step is None:
            with closing(_connect(path, read_only=True)) as connection:
                if not is_damaged(connection, HEAD):
                    raise  # our bug
            step = _DAMAGED
        raise (IndexDamaged if step is _DAMAGED else IndexUnusable)(path, error, step) from error


_RIGHTS = "check the rights of the file and its folder"
_WAIT = "another program holds it; try again when it is done"
_DAMAGED = "it is damaged: restore a backup, or move it away with its -wal file and run: ccindex ingest"
_NEXT_STEPS = {
    sqlite3.SQLITE_FULL: MAKE_ROOM,
    sqlite3.SQLITE_IOERR_SHMSIZE: MAKE_ROOM,
    sqlite3.SQLITE_IOERR: "check the disk and run it again: nothing was lost",
    sqlite3.SQLITE_BUSY: _WAIT,
    sqlite3.SQLITE_LOCKED: _WAIT,
    sqlite3.SQLITE_READONLY: _RIGHTS,
    sqlite3.SQLITE_CANTOPEN: _RIGHTS,
    sqlite3.SQLITE_PERM: _RIGHTS,
    sqlite3.SQLITE_CORRUPT: _DAMAGED,
    sqlite3.SQLITE_NOTADB: _DAMAGED,
}


def _usable(path: Path, *, create: bool) -> tuple[Condition, str]:
    """Return what stands at the path, unless it is nothing that this ccindex can open."""
    state, found = condition(path)
    if state is Condition.FOREIGN:
        raise NotAnIndex(path)
    if state is Condition.NEWER:
        raise IndexTooNew(path, found)
    if state is Condition.ABSENT and not create:
        raise NoIndex(path)
    return state, found


def _header(path: Path) -> bytes:
    """Return the beginning of a file; empty: there is no file."""
    try:
        mode = path.stat().st_mode
        if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
            return b"other"  # a pipe would keep us waiting, and a device is not to be replaced
        with path.open("rb") as file:
            return file.read(100)
    except FileNotFoundError:
        return b""
    except OSError as error:
        raise IndexUnusable(path, error.strerror, "check the file or name another with --db") from error


def _schema_of(path: Path) -> str | None:
    """Return the schema revision that an index says it has."""
    with using(path), closing(_connect(path, read_only=True)) as connection:
        named = connection.execute("select 1 from sqlite_schema where name = 'alembic_version'").fetchone()
        row = named and connection.execute("select version_num from alembic_version").fetchone()
    return str(row[0]) if row else None


def _connect(path: Path, *, read_only: bool) -> Connection:
    name = f"file:{quote(os.fsencode(path))}?mode={'ro' if read_only else 'rw'}"
    if read_only and not os.access(path.parent, os.W_OK) and not _has_log(path):
        # a reader of a WAL database writes its -shm file; where it cannot, nobody else writes either
        name += "&immutable=1"
    connection = sqlite3.connect(name, uri=True, isolation_level=None, timeout=_BUSY_MS / 1000)
    connection.execute(f"pragma busy_timeout = {_BUSY_MS}")
    return connection


def _has_log(path: Path) -> bool:
    try:
        return path.with_name(path.name + "-wal").stat().st_size > 0  # readers leave an empty one behind
    except FileNotFoundError:
        return False


def _set_pragmas(connection: Connection) -> None:
    for pragma in (
        "journal_mode = wal",
        "synchronous = normal",
        "temp_store = memory",
        "cache_size = -32768",
        "journal_size_limit = 67108864",
        # lists of words are costly to compare with for each row; `doctor` sees to it that they hold
        "ignore_check_constraints = on",
    ):
        connection.execute(f"pragma {pragma}")
