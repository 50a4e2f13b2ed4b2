"""Locate the database, lock it, and record the time of the last run."""

import errno
import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import platformdirs

from ccindex.errors import BadDatabaseName, IndexBusy, IndexUnusable, NoHomeFolder
from ccindex.files import make_private_folder

_SCHEMES = ("sqlite:///", "sqlite+pysqlite:///")


def database_path(option: str | None, environ: Mapping[str, str] = os.environ) -> Path:
    """Return the path from --db, otherwise from CCINDEX_DB, otherwise the default path in the user's data folder."""
    name = option or environ.get("CCINDEX_DB")
    if not name:
        return _data_folder() / "ccindex.db"
    for scheme in _SCHEMES:
        if name.startswith(scheme):
            name = name.removeprefix(scheme).partition("?")[0]
            break
    if not name or name == ":memory:" or "://" in name or "\0" in name:
        raise BadDatabaseName(option or environ["CCINDEX_DB"])
    # resolved, so that all names of a database share one lock
    return Path(os.path.realpath(os.path.expanduser(name)))


def _data_folder() -> Path:
    try:
        folder = platformdirs.user_data_path("ccindex", appauthor=False)
    except RuntimeError as error:
        raise NoHomeFolder from error
    # without a home folder, some versions of platformdirs return a path that starts with ~
    if not folder.is_absolute():
        raise NoHomeFolder
    return folder


FREE_DISK_SPACE = "free some disk space and run the command again; nothing was lost"


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock of the database at `path`; raise IndexBusy if another process holds it."""
    lock = path.with_name(path.name + ".lock")
    try:
        make_private_folder(path.parent)
        handle = os.open(lock, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise unusable_index(path, error) from error
    try:
        if not _try_lock(handle):
            raise IndexBusy(path)
        yield
    finally:
        os.close(handle)


def unusable_index(path: Path, error: OSError) -> IndexUnusable:
    """Return an error that suggests a next step after an operation on an index's files or folder has failed."""
    is_full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    return IndexUnusable(
        path, error.strerror, FREE_DISK_SPACE if is_full else "check the folder or choose another one with --db"
    )


if sys.platform == "win32":
    import msvcrt

    def _try_lock(handle: int) -> bool:
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
else:
    import fcntl

    def _try_lock(handle: int) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


def load_folder(database: Path) -> Path:
    """Return the folder that contains the temporary files of a first load."""
    return database.with_name(database.name + ".load")


def remove_load_folder(database: Path) -> None:
    """Remove the files that a killed first load left behind."""
    folder = load_folder(database)
    if folder.exists():
        shutil.rmtree(folder, ignore_errors=True)


def stamp_path(database: Path) -> Path:
    """Return the path of the file whose modification time is the time of the last run."""
    return database.with_name(database.name + ".ran")


def touch_stamp(database: Path) -> None:
    """Record that a run has ended; do nothing if the folder is not writable."""
    with suppress(OSError):
        stamp_path(database).touch(mode=0o600)


def last_run_ms(database: Path) -> int | None:
    """Return the time of the last run in milliseconds since the Unix epoch; None if it is not known."""
    try:
        return stamp_path(database).stat().st_mtime_ns // 1_000_000
    except OSError:
        return None
