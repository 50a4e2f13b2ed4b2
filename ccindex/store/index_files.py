"""Files of an index: path of the database, lock, time of the last run."""

import errno
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import platformdirs

from ccindex.errors import BadDatabaseName, IndexBusy, IndexUnusable, NoHome
from ccindex.files import make_private

_SCHEMES = ("sqlite:///", "sqlite+pysqlite:///")


def database_path(option: str | None, environ: Mapping[str, str] = os.environ) -> Path:
    """Return --db, else CCINDEX_DB, else the file in the user's data folder."""
    given = option or environ.get("CCINDEX_DB")
    if not given:
        return _data_folder() / "ccindex.db"
    for scheme in _SCHEMES:
        if given.startswith(scheme):
            given = given.removeprefix(scheme).partition("?")[0]
            break
    if not given or given == ":memory:" or "://" in given or "\0" in given:
        raise BadDatabaseName(option or environ["CCINDEX_DB"])
    # resolved, so that one database has one lock by whatever name it is called
    return Path(os.path.realpath(os.path.expanduser(given)))


def _data_folder() -> Path:
    try:
        folder = platformdirs.user_data_path("ccindex", appauthor=False)
    except RuntimeError as error:
        raise NoHome from error
    if not folder.is_absolute():  # without a home, some versions of the library hand the ~ back
        raise NoHome
    return folder


MAKE_ROOM = "make room on the disk and run it again: nothing was lost"


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock of the database at `path`; raise IndexBusy if another process does."""
    lock = path.with_name(path.name + ".lock")
    try:
        make_private(path.parent)
        handle = os.open(lock, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise refused(path, error) from error
    try:
        if not _take(handle):
            raise IndexBusy(path)
        yield
    finally:
        os.close(handle)


def refused(path: Path, error: OSError) -> IndexUnusable:
    """Say what kept a file beside the database from being made, with the next step."""
    is_full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    return IndexUnusable(path, error.strerror, MAKE_ROOM if is_full else "check the folder or name another with --db")


if sys.platform == "win32":
    import msvcrt

    def _take(handle: int) -> bool:
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
else:
    import fcntl

    def _take(handle: int) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


def stamp_of(database: Path) -> Path:
    """Return the file whose time is that of the last run."""
    return database.with_name(database.name + ".ran")


def touch_stamp(database: Path) -> None:
    """Note that a run was made; a folder that will not have it does not make the run a failure."""
    with suppress(OSError):
        stamp_of(database).touch(mode=0o600)


def last_run_ms(database: Path) -> int | None:
    """Return the instant of the last run; None: there is no telling."""
    try:
        return stamp_of(database).stat().st_mtime_ns // 1_000_000
    except OSError:
        return None
