"""Open an index for reading or writing, check the state of its file, and turn SQLite errors into ccindex errors."""

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
from ccindex.store.index_files import FREE_DISK_SPACE, locked, remove_load_folder
from ccindex.store.integrity import CORRUPTION_ERRORS, is_damaged
from ccindex.store.sql_files import directory

Connection = sqlite3.Connection

# schema revisions, oldest first; the file name of a migration starts with its revision
REVISIONS = tuple(sorted(path.stem[:4] for path in (directory("migrations") / "versions").glob("0*.py")))
HEAD = REVISIONS[-1]
_BUSY_MS = 30_000


class IndexState(Enum):
    """The state of the file at an index's path."""

    ABSENT = auto()
    FOREIGN = auto()
    OLDER = auto()
    CURRENT = auto()
    NEWER = auto()


def index_state(path: Path) -> tuple[IndexState, str]:
    """Return the state of a file, and its schema revision (empty if it is not an index). The file is not changed."""
    header = _header(path)
    if not header:
        return IndexState.ABSENT, ""
    if header[:16] != b"SQLite format 3\0" or header[68:72] != APPLICATION_ID.to_bytes(4, "big"):
        return IndexState.FOREIGN, ""
    revision = _read_revision(path)
    if revision is None:
        return IndexState.FOREIGN, ""
    if revision == HEAD:
        return IndexState.CURRENT, revision
    return (IndexState.OLDER if revision in REVISIONS else IndexState.NEWER), revision


@contextmanager
def reading(path: Path) -> Iterator[Connection]:
    """Open an index read-only; it must have the current schema."""
    state, revision = _check_usable(path, create=False)
    if state is IndexState.OLDER:
        raise IndexOutdated(path, revision)
    with explaining_errors(path), closing(_connect(path, read_only=True)) as connection:
        connection.execute("pragma query_only = on")
        connection.execute("begin")  # one snapshot per command, so that the numbers in its output agree
        yield connection


@contextmanager
def changing(
    path: Path,
    *,
    create: bool,
    rebuild: Callable[[Connection], object] | None = None,
    fill: Callable[[], object] | None = None,
) -> Iterator[Connection]:
    """Lock an index and open it for writing; create it if it does not exist and `create` is true.

    `fill` is called before an empty index is opened.

    An index with an older schema is upgraded, and `rebuild` recreates its rows in the same transaction. Without
    `rebuild`, IndexOutdated is raised instead.
    """
    _check_usable(path, create=create)  # first, so that no lock file is created next to a file that is not an index
    with locked(path), explaining_errors(path):
        state, revision = _check_usable(path, create=create)
        if state is IndexState.ABSENT:
            create_index(path)
        remove_load_folder(path)
        if fill is not None and state is not IndexState.OLDER and _is_empty(path):
            fill()
        with closing(_connect(path, read_only=False)) as connection:
            _set_pragmas(connection)
            if state is IndexState.OLDER:
                if rebuild is None:
                    raise IndexOutdated(path, revision)
                # only an upgrade needs SQLAlchemy and Alembic, which take half a second to import
                from ccindex.store.migrate import upgrade_index  # noqa: PLC0415

                require_full_text(path)
                upgrade_index(connection, rebuild)
            elif not views_are_current(connection):
                with transaction(connection):
                    refresh_views(connection)
            yield connection


def _is_empty(path: Path) -> bool:
    """Return whether nothing has been added to an index or forgotten."""
    with closing(_connect(path, read_only=True)) as connection:
        return connection.execute("select 1 from sources union all select 1 from tombstones").fetchone() is None


def leave_wal_mode(path: Path) -> bool:
    """Make an index a single file that can be replaced while others read it; return False if it is in use."""
    with closing(_connect(path, read_only=False)) as connection:
        connection.execute("pragma busy_timeout = 0")
        try:
            (mode,) = connection.execute("pragma journal_mode = delete").fetchone()
        except sqlite3.OperationalError:
            return False
        return bool(mode == "delete")


@contextmanager
def transaction(connection: Connection) -> Iterator[None]:
    """Run the body in a transaction; roll back if it raises."""
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
    """Close the connection when the block ends, even after an exception."""
    try:
        yield connection
    finally:
        connection.close()


@contextmanager
def explaining_errors(path: Path) -> Iterator[None]:
    """Turn SQLite errors, and exceptions that corrupt values can cause, into errors that suggest a next step."""
    try:
        yield
    except CORRUPTION_ERRORS as error:
        code = getattr(error, "sqlite_errorcode", 0)
        step = _NEXT_STEPS.get(code) or _NEXT_STEPS.get(code & 0xFF)
        if step is None:
            with closing(_connect(path, read_only=True)) as connection:
                if not is_damaged(connection, HEAD):
                    raise  # the index is sound, so this is a bug in ccindex
            step = _DAMAGED
        raise (IndexDamaged if step is _DAMAGED else IndexUnusable)(path, error, step) from error


_PERMISSIONS = "check the permissions of the file and its folder"
_WAIT = "another program is using it; try again when that program has finished"
_DAMAGED = "it is damaged: restore a backup, or move it and its -wal file out of the way and run: ccindex ingest"
_NEXT_STEPS = {
    sqlite3.SQLITE_FULL: FREE_DISK_SPACE,
    sqlite3.SQLITE_IOERR_SHMSIZE: FREE_DISK_SPACE,
    sqlite3.SQLITE_IOERR: "check the disk and run the command again; nothing was lost",
    sqlite3.SQLITE_BUSY: _WAIT,
    sqlite3.SQLITE_LOCKED: _WAIT,
    sqlite3.SQLITE_READONLY: _PERMISSIONS,
    sqlite3.SQLITE_CANTOPEN: _PERMISSIONS,
    sqlite3.SQLITE_PERM: _PERMISSIONS,
    sqlite3.SQLITE_CORRUPT: _DAMAGED,
    sqlite3.SQLITE_NOTADB: _DAMAGED,
}


def _check_usable(path: Path, *, create: bool) -> tuple[IndexState, str]:
    """Return the state and the revision of a file; raise if this version of ccindex cannot open it."""
    state, revision = index_state(path)
    if state is IndexState.FOREIGN:
        raise NotAnIndex(path)
    if state is IndexState.NEWER:
        raise IndexTooNew(path, revision)
    if state is IndexState.ABSENT and not create:
        raise NoIndex(path)
    return state, revision


def _header(path: Path) -> bytes:
    """Return the first 100 bytes of a file; b"" if the file does not exist or is empty."""
    try:
        mode = path.stat().st_mode
        if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
            return b"other"  # opening a pipe would block, and a device must not be replaced
        with path.open("rb") as file:
            return file.read(100)
    except FileNotFoundError:
        return b""
    except OSError as error:
        raise IndexUnusable(path, error.strerror, "check the file or choose another one with --db") from error


def _read_revision(path: Path) -> str | None:
    """Return the schema revision of an index; None if it has none."""
    with explaining_errors(path), closing(_connect(path, read_only=True)) as connection:
        has_table = connection.execute("select 1 from sqlite_schema where name = 'alembic_version'").fetchone()
        row = has_table and connection.execute("select version_num from alembic_version").fetchone()
    return str(row[0]) if row else None


def _connect(path: Path, *, read_only: bool) -> Connection:
    uri = f"file:{quote(os.fsencode(path))}?mode={'ro' if read_only else 'rw'}"
    if read_only and not os.access(path.parent, os.W_OK) and not _has_log(path):
        # a reader of a WAL database needs a -shm file, which it cannot create in a read-only folder; `immutable` avoids
        # the -shm file, on the assumption that no other process is writing to the database
        uri += "&immutable=1"
    connection = sqlite3.connect(uri, uri=True, isolation_level=None, timeout=_BUSY_MS / 1000)
    connection.execute(f"pragma busy_timeout = {_BUSY_MS}")
    return connection


def _has_log(path: Path) -> bool:
    try:
        return path.with_name(path.name + "-wal").stat().st_size > 0  # readers leave an empty -wal file behind
    except FileNotFoundError:
        return False


def _set_pragmas(connection: Connection) -> None:
    for pragma in (
        "journal_mode = wal",
        "synchronous = normal",
        "temp_store = memory",
        "cache_size = -32768",
        "journal_size_limit = 67108864",
        # evaluating CHECK constraints for every row is slow; `doctor` checks them instead
        "ignore_check_constraints = on",
    ):
        connection.execute(f"pragma {pragma}")
