"""One writer at a time: a lock beside the database that the system drops when its holder dies."""

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ccindex.errors import IndexBusy, IndexUnusable

from .private import make_private

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
